"""What the pages of the site tell of runs and fingerprints that are drawn, compared with what follows from the rows by a few lines."""

import html
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import drawn_runs
import pytest
from drawn_runs import Subject, drawn, reference_says
from reference_answers import PlainReference
from test_drawn_results import FORM, NO_SCALE, moves
from written_pages import written

from rankproof.cases import Case
from rankproof.cases.arithmetic import evaluate
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.report import library_sentence, plain_words
from rankproof.site.axis_knowledge import Findings
from rankproof.site.lines import number_line
from rankproof.site.matrix import matrix
from rankproof.site.page_sources import Told
from rankproof.site.pages import axis_pages, case_pages, compare_pages, library_pages, measure_pages, overview
from rankproof.site.search_index import index
from rankproof.site.templating import environment
from rankproof.text import short
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import ObservationPlace

SEEDS = range(6)
LEADING = ["nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC"]
MARKS = ["agrees", "convention", "known", "fails", "undefined"]
WORST = ["fails", "known", "convention", "agrees", "undefined"]
CALLED = {
    Verdict.AGREES: "agrees",
    Verdict.CONVENTION: "convention",
    Verdict.KNOWN: "known",
    Verdict.UNDEFINED: "undefined",
    Verdict.UNSUPPORTED: "unsupported",
    Verdict.NOT_INSTALLED: "not-installed",
}
"""What is not called so fails."""
Who = tuple[str, str]


class World:
    """What is told, and what each is called on the site."""

    def __init__(self, seed: int) -> None:
        self.run = drawn(seed)
        report = replace(self.run.report, fingerprints=())
        self.found = drawn_runs.fingerprints(seed)
        self.told = Told(report, Findings(self.found, proved=True))
        alone = {who: replace(who, alone=not who.variant) for who in self.run.subjects}
        names = drawn_runs.called(alone.values())
        ways = {who: names[one].partition("/")[2] if who.variant else "" for who, one in alone.items()}
        self.variant: dict[Subject, Who] = {who: (who.library, way) for who, way in ways.items()}
        self.name = {self.variant[who]: name for who, name in self.run.names.items()}
        self.titles = {one.name: one.sheet.title for one in self.run.libraries}

    def judged(self, case: str) -> list[Row]:
        """The judged rows of a case."""
        return [row for row in self.run.rows if row.case == case and row.verdict is not Verdict.UNSUPPORTED]

    def rows(self, case: str, measure: str) -> list[Row]:
        """Those of a question."""
        return [row for row in self.judged(case) if row.measure == measure]

    def of(self, who: Who) -> list[Fingerprint]:
        """The fingerprints of somebody."""
        return [one for one in self.found if self.variant[one.subject] == who]

    def ways(self, library: str) -> list[Who]:
        """The ways to ask a library: of the version asked last first, and those with a fingerprint alone behind them."""
        asked = [one for one in self.run.asked if one.library == library]
        own = [self.variant[who] for one in reversed(asked) for who in drawn_runs.subjects_of(one)]
        return list(dict.fromkeys([*own, *(self.variant[one.subject] for one in self.found if one.library == library)]))


@cache
def world(seed: int) -> World:
    return World(seed)


@pytest.fixture(params=SEEDS)
def at(request: pytest.FixtureRequest) -> World:
    return world(request.param)


def mark(row: Row) -> str:
    return CALLED.get(row.verdict, "fails")


def default(axis: str) -> str:
    return str(getattr(STANDARD, axis))


# -- number lines -------------------------------------------------------------------------------------------------------


def readings(case: Case, measure: str, query: str | None) -> dict[str, Any]:
    """What the reference says by each of the conventions that a case names; None where it refuses."""
    found: dict[str, Any] = {}
    specs = dict.fromkeys(["standard", *(case.expect or {}).get(measure, {})])
    for spec in specs if "undefined" not in case.tags else []:
        with suppress(UnknownMeasure, UnknownConvention):
            told = reference_says(PlainReference(case.input), measure, spec)
            if told != "cannot tell":
                found[spec] = None if told is None else told.get(query, "absent")
    return found


def line_of(at: World, case: Case, measure: str, query: str | None) -> tuple[list[Any], int, int, Any]:
    """The lines, each with who gives it by which reason; how many were asked and differ, and what `standard` gives."""
    every = at.rows(case.id, measure)
    expected = readings(case, measure, query)
    alone: set[Subject] = set()
    only = str(case.queries[0]) if len(case.queries) == 1 and query is None else None
    if only is not None and repr(expected) == repr(readings(case, measure, only)):
        alone = {row.subject for row in every} - {row.subject for row in every if row.query is None}
    rows = [row for row in every if row.query == query or row.subject in alone]
    standard = expected["standard"] if "standard" in expected else rows[0].expected if rows else None
    refusal = "error" if any(row.error is not None for row in rows) else "refused"
    values: dict[str, Any] = {}
    for row in rows:
        values.setdefault(said_by(row), row.value)
    for reading in expected.values():
        values.setdefault(refusal if reading is None else short(reading), reading)
    marked = None if "undefined" in case.tags else refusal if standard is None else short(standard)
    numbers = {text: v for text, v in values.items() if isinstance(v, float | int) and not math.isnan(v)}
    order = sorted(values, key=lambda text: (0, -numbers[text]) if text in numbers else (1, 0.0))
    lines = []
    for text in order:
        own = [row for row in rows if said_by(row) == text]
        reasons: dict[Any, list[Row]] = {}
        for row in own:
            note = "" if row.verdict is Verdict.AGREES else row.note
            kind = mark(row) if mark(row) in MARKS else "undefined"
            reasons.setdefault((kind, row.conventions, note, row.error or "", row.verdict.value), []).append(row)
        voices = [(together(at, said, rows), *why) for why, said in reasons.items()]
        voices.sort(key=lambda voice: (MARKS.index(voice[1]), len(voice[2])))
        specs = [spec for spec, r in expected.items() if (refusal if r is None else short(r)) == text]
        lines.append((text, text == marked, voices, specs))
    differ = sum(row.verdict is not Verdict.AGREES for row in rows)
    return lines, len(rows), differ, None if marked is None else standard


def said_by(row: Row) -> str:
    return "error" if row.error is not None else short(row.value)


def together(at: World, own: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Who they are: a library once where all of its ways that answer say so for this reason."""
    found = []
    for library in dict.fromkeys(row.library for row in own):
        mine = [row.subject for row in own if row.library == library]
        whole = {row.subject for row in rows if row.library == library} == set(mine)
        found += [library] if whole else [at.run.names[who] for who in mine]
    return found


# -- what the pages share -----------------------------------------------------------------------------------------------


def test_what_the_pages_share(at: World) -> None:
    told, rows = at.told, at.run.rows
    libraries = list(dict.fromkeys([*(one.library for one in at.run.asked), *(one.name for one in at.run.libraries)]))
    assert told.library_names == libraries
    answered = list(dict.fromkeys(at.variant[r.subject] for r in rows if r.value is not None or r.error))
    assert told.variants == sorted(answered, key=lambda who: libraries.index(who[0]))
    assert {who: told.names[who] for who in at.name} == at.name
    for who in at.variant.values():
        own = [row for row in rows if at.variant[row.subject] == who]
        assert told.counts.get(who, Counter()) == Counter(map(mark, own))
        assert told.version(who) == next(s.version for s, variant in at.variant.items() if variant == who)
    for name in libraries:
        assert told.all_ways(name) == at.ways(name)
        assert told.title(name) == at.titles[name]
    for case in at.run.cases:
        own = at.judged(case.id)
        off = {r.subject for r in own if r.verdict not in {Verdict.AGREES, Verdict.UNDEFINED}}
        assert told.divided(case.id) == (len(off), len({r.subject for r in own}))
        assert told.decided_alone[case.id] == decided(case)
    known = {one.key for one in at.found}
    order = [*MEASURES]
    assert told.forms[: len(known & set(LEADING))] == [key for key in LEADING if key in known]
    rest = told.forms[len(known & set(LEADING)) :]
    assert rest == sorted(known - set(LEADING), key=lambda key: (order.index(re.split("[(@]", key)[0]), len(key), key))
    counts = Counter(one.key for one in at.found if "(" not in one.key)
    others = sorted((key for key in counts if key not in LEADING), key=lambda key: (-counts[key], key))
    assert told.leading == [*(key for key in LEADING if key in counts), *others][:14]
    of = {key: {one.library for one in at.found if one.key == key} for key in known}
    assert list(told.compared) == [key for key in told.leading if len(of[key]) > 1][:6]
    check_pages_of_forms(at)


def decided(case: Case) -> set[str]:
    """The axes of which another value, alone, is expected to give something else."""
    found = set()
    for by_spec in (case.expect or {}).values():
        for spec, values in by_spec.items():
            alone = re.fullmatch(r"(\w+)=\S+", spec)
            if alone and "standard" in by_spec and values != by_spec["standard"] and alone[1] != "taste":
                found.add(alone[1])
    return found


def check_pages_of_forms(at: World) -> None:
    """The first form is at home; those of a measure share a page where everybody does the same in both, and no others."""
    says: dict[str, dict[Who, Any]] = {key: {} for key in at.told.forms}
    for one in at.found:
        says[one.key][at.variant[one.subject]] = {axis: (f.could_be, f.open) for axis, f in one.axes.items()}
    pages = at.told.form_pages
    assert pages[at.told.forms[0]] == "index.html"
    for i, key in enumerate(at.told.forms):
        for other in at.told.forms[:i]:
            alike = re.split("[(@]", key)[0] == re.split("[(@]", other)[0] and says[key] == says[other]
            assert (pages[key] == pages[other]) == alike


# -- the matrix, pairs, libraries ---------------------------------------------------------------------------------------


def known_by(one: Fingerprint) -> str:
    return "all" if "known" not in one.axes else one.axes["known"].value or ""


def left(one: Fingerprint, axis: str) -> list[str]:
    """What the answers leave, the standard's first."""
    could = list(one.axes[axis].could_be) if axis in one.axes else []
    return sorted(could, key=lambda value: value != default(axis))


def words(one: Fingerprint, axis: str) -> list[str]:
    return list(dict.fromkeys(plain_words.word(axis, value, known_by(one)) for value in left(one, axis)))


def untold(one: Fingerprint, axis: str) -> list[str]:
    return list(one.axes[axis].open) if axis in one.axes and not left(one, axis) else []


def test_a_matrix_has_each_cell_of_each_way_of_asking(at: World) -> None:
    for key in at.told.forms:
        found = matrix(at.told, key)
        prints = {at.variant[one.subject]: one for one in at.found if one.key == key}
        columns = []
        for library in sorted({who[0] for who in prints}, key=lambda name: at.titles[name].casefold()):
            own = [who for who in at.ways(library) if who in prints]
            columns += [(who, i > 0, len(own) - 1 if i == 0 else 0) for i, who in enumerate(own)]
        assert [(c.variant, c.extra, c.ways) for c in found.columns] == columns
        assert [(c.title, c.version) for c in found.columns] == [
            (at.titles[who[0]], prints[who].subject.version) for who, *_ in columns
        ]
        base = key.partition("(")[0] + key.rpartition(")")[2] if "(" in key else ""
        plain = {at.variant[one.subject]: one for one in at.found if one.key == base}
        assert found.base == (base if plain else "")
        rows = []
        for axis, group in plain_words.rows().items():
            has = [axis in prints[who].axes for who, *_ in columns]
            same = all(who in plain and told_of(prints[who], axis) == told_of(plain[who], axis) for who, *_ in columns)
            if any(has) and not same:
                rows.append((group, axis))
        assert [(group, row.axis) for group, lines in found.groups for row in lines] == rows
        for _, lines in found.groups:
            for row in lines:
                check_row(row, [prints[who] for who, *_ in columns])
        firsts = [prints[who] for who, extra, _ in columns if not extra]
        check_first(found.first, firsts, [axis for _, axis in rows])


def told_of(one: Fingerprint, axis: str) -> tuple[list[str], list[str], bool]:
    return left(one, axis), untold(one, axis), axis in one.axes


def check_row(row: Any, prints: Sequence[Fingerprint]) -> None:
    axis = row.axis
    assert row.label == plain_words.label(axis)
    measures = Counter(one.axes[axis].measure for one in prints if axis in one.axes and one.axes[axis].witness)
    assert measures[row.measure] == max(measures.values(), default=0)
    sets = [set(left(one, axis)) for one in prints if left(one, axis)]
    assert row.differs == any(not one & other for place, one in enumerate(sets) for other in sets[:place])
    for cell, one in zip(row.cells, prints, strict=True):
        assert cell.matters == (axis in one.axes)
        if not cell.matters:
            continue
        finding: AxisFinding = one.axes[axis]
        values = left(one, axis)
        assert list(cell.values) == values
        assert [cell.shown, *cell.others] == (words(one, axis) or [""])
        assert list(cell.open) == untold(one, axis)
        assert cell.standard == (default(axis) in values)
        assert (cell.witness, cell.measure) == (finding.witness, finding.measure)
        assert cell.why == (finding.why if finding.value is None else "")
        assert cell.plain == (len(values) == 1 and plain_words.word(axis, values[0]) == words(one, axis)[0])
        assert not cell.untold


def check_first(first: Sequence[str], prints: Sequence[Fingerprint], axes: Sequence[str]) -> None:
    """The nearest to standard, then those that are furthest from all before."""
    by = {one.library: one for one in prints}
    off = {name: sum(bool(left(o, a)) and default(a) not in left(o, a) for a in axes) for name, o in by.items()}
    assert len(first) == min(3, len(by)) == len(set(first))

    def apart(a: str, b: str) -> int:
        both = [(set(left(by[a], axis)), set(left(by[b], axis))) for axis in axes]
        return sum(bool(x and y and not x & y) for x, y in both)

    assert off[first[0]] == min(off.values())
    for i in range(1, len(first)):
        near = {name: min(apart(name, other) for other in first[:i]) for name in by if name not in first[:i]}
        assert near[first[i]] == max(near.values())


def test_two_libraries_differ_where_no_value_could_be_that_of_both(at: World) -> None:
    for key in at.told.compared:
        view = compare_pages.page(at.told, key)
        main = {}
        for library in at.told.library_names:
            own = [one for who in at.ways(library) for one in at.of(who) if one.key == key]
            main |= {library: own[0]} if own else {}
        by_title = sorted(main, key=lambda name: at.titles[name].casefold())
        pairs = [(a, b) for i, a in enumerate(by_title) for b in by_title[i + 1 :]]
        assert [(pair.first.library, pair.second.library) for pair in view["pairs"]] == pairs
        for pair, (a, b) in zip(view["pairs"], pairs, strict=True):
            one, other = main[a], main[b]
            both = [axis for axis in plain_words.rows() if axis in one.axes and axis in other.axes]
            could = {axis: (set(left(one, axis)), set(left(other, axis))) for axis in both}
            differ = [axis for axis, (these, those) in could.items() if these and those and not these & those]
            questions = shown_by(at, one, other)
            assert sorted(d.axis for d in pair.differences) == sorted(differ)
            ranks = [questions[d.axis][0] if d.axis in questions else 1.0 for d in pair.differences]
            assert ranks == sorted(ranks)
            for d in pair.differences:
                assert (d.first, d.second) == (" or ".join(words(one, d.axis)), " or ".join(words(other, d.axis)))
                by = d.shown
                shown = (-by.apart, by.case, by.measure, by.first, by.second) if by else None
                assert shown == questions.get(d.axis)
            for side, name in ((pair.first, a), (pair.second, b)):
                several = len(at.ways(name)) > 1
                way = at.variant[main[name].subject][1] if several else ""
                assert (side.title, side.version, side.way) == (at.titles[name], main[name].subject.version, way)
        assert view["counts"] == {
            "--".join(sorted((p.first.library, p.second.library))): len(p.differences) for p in view["pairs"]
        }
        check_data(view, main)


def check_data(view: Any, main: dict[str, Fingerprint]) -> None:
    """What the script of the page is given: each library's words on each axis, and of each pair its differences."""
    data = json.loads(json.dumps(view["data"]))
    names = [side[0] for side in data["sides"]]
    labels = {plain_words.label(axis): axis for axis in plain_words.rows()}
    for name, own in zip(names, data["cells"], strict=True):
        for (label, page), cell in zip(data["axes"], own, strict=True):
            axis = labels[label]
            assert page == f"axes/{axis}.html"
            assert cell == (None if axis not in main[name].axes else " or ".join(words(main[name], axis)))
    for pair in view["pairs"]:
        told = data["pairs"][f"{pair.first.library}--{pair.second.library}"]
        assert [
            (labels[data["axes"][i][0]], *((*data["questions"][rest[0]][:2], *rest[1:]) if rest else ()))
            for i, *rest in told
        ] == [
            (d.axis, *((d.shown.case, d.shown.measure, d.shown.first, d.shown.second) if d.shown else ()))
            for d in pair.differences
        ]


def shown_by(at: World, one: Fingerprint, other: Fingerprint) -> dict[str, tuple[float, str, str, str, str]]:
    """By axis the question in which two differ for it alone, and are furthest apart."""
    sides = []
    judged = [row for row in at.run.rows if row.verdict in {Verdict.AGREES, Verdict.CONVENTION} and row.query is None]
    of_form = [row for row in judged if FORM.get(row.measure, row.measure) == one.key]
    for who in (one.subject, other.subject):
        mine = [row for row in of_form if at.variant[row.subject] == at.variant[who]]
        sides.append({(row.case, row.measure): row for row in mine})
    found: dict[str, tuple[float, str, str, str, str]] = {}
    for place in sides[0].keys() & sides[1].keys():
        a, b = sides[0][place], sides[1][place]
        texts = [said_by(row) for row in (a, b)]
        axes = {c.partition("=")[0] for c in {*a.conventions} ^ {*b.conventions}}
        if len(axes) == 1 and texts[0] != texts[1]:
            values = [v for v in (a.value, b.value) if isinstance(v, float | int) and 0 <= v <= 1]
            scale = place[1] not in NO_SCALE
            apart = abs(values[0] - values[1]) if len(values) == 2 and scale else 0.0
            (axis,) = axes
            found[axis] = min(found.get(axis, (1.0, "", "", "", "")), (-apart, *place, *texts))
    return found


def test_two_libraries_are_shown_by_the_mean_of_the_case_in_which_they_are_furthest_apart() -> None:
    """In most cases they differ by ties alone; values of queries stand before and after the mean. Of equals the first is shown.

    What one of them answers for no reason known shows nothing.
    """
    west, east = Subject("west", "v", "1"), Subject("east", "v", "1")
    found = {
        west: {"ties": "docid-asc", "gain": "exp", "ideal": "given", "norel": "rejected"},
        east: {"ties": "docid-desc", "gain": "binary", "ideal": "judged", "norel": "0"},
        Subject("west", "w", "1"): {"ties": "best"},
    }
    prints = tuple(
        Fingerprint(
            who,
            "nDCG@k",
            STANDARD,
            {axis: AxisFinding(axis, value, "a/b", "AP", {}) for axis, value in by.items()},
            1,
            1,
            (),
            "",
        )
        for who, by in found.items()
    )
    said = [
        ("ties/near", ("ties=docid-asc",), {"q1": (0.9, 0.5), None: (0.5, 0.25), "q2": (0.1, 0.0)}),
        ("ties/apart-for-no-reason-known", ("ties=docid-asc",), {None: (1.0, 0.0)}),
        *(
            (f"ties/{i}", ("ties=docid-asc",), {"q1": (0.5, 0.0), None: (0.75, 0.125), "q2": (1.0, 0.25)})
            for i in (4, 2, 1, 3, 5)
        ),
        ("cutoff/one", ("ties=docid-asc", "gain=exp"), {None: (1.0, 0.0)}),
        ("ideal/alike", ("ideal=given",), {None: (0.5, 0.5)}),
        ("norel/refused", ("norel=rejected",), {None: (None, 0.0)}),
    ]
    rows = []
    for case, conventions, by_query in said:
        measure = "nDCG@1" if case == "ties/2" else "nDCG@2"
        verdict = Verdict.UNEXPLAINED if case.endswith("known") else Verdict.CONVENTION
        for query, (of_west, of_east) in by_query.items():
            error = None if of_west is not None else "no"
            rows.append(Row(case, west, measure, query, verdict, of_west, error, conventions=conventions))
            rows.append(Row(case, east, measure, query, Verdict.AGREES, of_east))
    report = world(0).told.report
    of_two = replace(report, results=replace(report.results, rows=tuple(rows)))
    view = compare_pages.page(Told(of_two, Findings(prints, proved=True)), "nDCG@k")
    (pair,) = view["pairs"]
    assert (pair.first.library, pair.second.library) == ("east", "west")
    shown = {one.axis: one.shown and (one.shown.case, one.shown.first, one.shown.second) for one in pair.differences}
    assert shown == {
        "ties": ("ties/1", ".125", ".75"),
        "norel": ("norel/refused", "0", "error"),
        "gain": None,
        "ideal": None,
    }
    assert [*shown] == ["ties", "norel", "gain", "ideal"], "what no question shows stands last"
    assert (pair.first.way, pair.second.way) == ("", "v"), "the west is known in two ways, though asked in none"


def test_the_page_of_a_library_has_its_ways_its_counts_and_what_they_share(at: World) -> None:
    report = replace(at.told.report, libraries=[pinned_of_two_measures(one) for one in at.run.libraries])
    told = replace(at.told, report=report, history={name: {"versions": [name]} for name in at.told.library_names[1:]})
    lines = {line["name"]: line for line in library_pages.index(told)["lines"]}
    assert list(lines) == told.library_names
    for name, line in lines.items():
        asked = [one for one in at.run.asked if one.library == name]
        rows = [row for row in at.run.rows if row.library == name]
        means = {
            at.variant[who]: one.variants[who.variant]
            for one in asked
            for who in drawn_runs.subjects_of(one)
            if who.variant in one.variants
        }
        ways = [*means, *(at.variant[row.subject] for row in rows if row.subject.variant)]
        assert line["title"] == at.titles[name]
        assert line["version"] == ", ".join(dict.fromkeys(one.version for one in asked if one.version))
        assert line["why_not"] == next(filter(None, (one.not_installed or one.message for one in asked)), "")
        assert line["notes"] == list(dict.fromkeys(text for one in asked for text in one.notes.values()))
        tallies = []
        for who in dict.fromkeys(ways):
            counts = Counter(mark(row) for row in rows if at.variant[row.subject] == who)
            kinds = {kind: counts[kind] for kind in MARKS if counts[kind]}
            tallies.append((who[1], means.get(who, ""), kinds))
        assert [(v, m, dict(t)) for v, m, t in line["variants"]] == tallies
        view = library_pages.page(told, name)
        assert [(one["name"], one["means"], dict(one["tally"])) for one in view["variants"]] == tallies
        assert view["past"] == told.history.get(name)
        first = next((who for who in at.ways(name) if at.of(who)), None)
        lead = library_sentence.leading(at.of(first)) if first else None
        assert line["sentence"] == (library_sentence.sentence(lead, at.titles[name]) if lead else "")
        check_tables(at, view["tables"], first)
        keys = {one.key for one in at.of(first)} if first else set()
        compared = [place for key, place in at.told.compared.items() if key in keys]
        assert [place for _, place in view["compared"]] == compared
        sheet = next(one.sheet for one in report.libraries if one.name == name)
        pinned = Counter((pin.known.reason, pin.known.link) for pin in sheet.pins.values())
        listed: Counter[Any] = Counter()
        for reason, link, count, alike in view["exceptions"]:
            assert count == sum(len(measures) for _, measures in alike)
            assert len({seen for seen, _ in alike}) == len(alike)
            listed[reason, link] += count
            for (case, variant, query, seen), measures in alike:
                for measure in measures:
                    pin = sheet.pins[ObservationPlace(case, variant, measure, query)]
                    assert (pin.observed, pin.known.reason, pin.known.link) == (seen, reason, link)
        assert listed == pinned
        for part in view["variants"]:
            check_variant(at, (name, part["name"]), part)


def pinned_of_two_measures(one: Library) -> Library:
    """A library of which what is pinned of a measure is pinned of another one too."""
    pins = {
        place: replace(pin, place=place)
        for pin in one.sheet.pins.values()
        for place in (pin.place, replace(pin.place, measure="Rprec"))
    }
    return replace(one, sheet=replace(one.sheet, pins=pins))


def check_tables(at: World, tables: Any, first: Who | None) -> None:
    """Of the first way of asking: forms of which all is the same together, and in each column the first choice that can matter."""
    assert [table["way"] for table in tables] == ([first[1]] if first else [])
    if first is None:
        return
    groups: dict[Any, list[Fingerprint]] = {}
    for one in sorted(at.of(first), key=lambda one: at.told.forms.index(one.key)):
        shown = [next((axis for axis in axes if axis in one.axes), "") for _, axes in library_pages.COLUMNS]
        more = tuple(text for finding, text in library_sentence.told(one) if finding.axis not in shown)
        groups.setdefault((tuple(said_in_column(one, axis)[:2] for axis in shown), more), []).append(one)
    assert len(tables[0]["rows"]) == len(groups)
    for row, ((_, more), alike) in zip(tables[0]["rows"], groups.items(), strict=True):
        shown = [next((axis for axis in axes if axis in alike[0].axes), "") for _, axes in library_pages.COLUMNS]
        assert list(row.cells) == [said_in_column(alike[0], axis) for axis in shown]
        assert [place for _, place in row.forms] == [at.told.form_pages[one.key] for one in alike]
        assert row.more == more


def said_in_column(one: Fingerprint, axis: str) -> tuple[str, bool, str]:
    """What is done on an axis, whether that is as in the standard, and the case that shows it."""
    if not axis:
        return "", True, ""
    if not left(one, axis):
        return "undetermined", True, ""
    said, *others = words(one, axis)
    return said + " or …" * bool(others), default(axis) in left(one, axis), one.axes[axis].witness


def signed(one: Fingerprint) -> tuple[str, tuple[str, ...]]:
    """What is said of a form behind its name."""
    return one.signature.partition("|")[2], tuple(one.undecided)


def check_variant(at: World, who: Who, part: Any) -> None:
    own = at.of(who)
    shared = {}
    for axis in dict.fromkeys(axis for one in own for axis in one.axes):
        found = [one.axes[axis] for one in own if axis in one.axes]
        values = {one.value for one in found}
        if len(own) > 1 and len(found) > 1 and len(values) == 1 and values.isdisjoint({None, default(axis)}):
            shared[axis, found[0].value] = next((one.witness for one in found if one.witness), "")
    assert {key: finding.witness for key, finding in part["shared"].items()} == shared
    seen = []
    for alike, shown, signatures in part["fingerprints"]:
        for one in alike:
            mine = [(f.axis, f.value) for f in one.differing if (f.axis, f.value) not in shared]
            assert [(f.axis, f.value) for f in shown] == mine
        for finding in shown:
            every = [one.axes[finding.axis] for one in alike if finding.axis in one.axes]
            of = [one.witness for one in every if one.value == finding.value]
            assert finding.witness == next(filter(None, of), "")
        by_text: dict[Any, set[str]] = {}
        for one in alike:
            by_text.setdefault(signed(one), set()).add(one.key)
        assert sorted(len(more) + 1 for _, more in signatures) == sorted(map(len, by_text.values()))
        assert {signed(one): {one.key, *more} for one, more in signatures} == by_text
        seen += [one.key for one in alike]
    assert sorted(seen) == sorted(one.key for one in own)
    groups = [tuple((f.axis, f.value) for f in shown) for _, shown, _ in part["fingerprints"]]
    assert len(set(groups)) == len(groups)
    sizes = [(not shown, -len(alike)) for alike, shown, _ in part["fingerprints"]]
    assert sizes == sorted(sizes)
    torn = []
    for axis in AXES:
        could = [set(one.axes[axis].could_be) for one in own if axis in one.axes and one.axes[axis].value is not None]
        torn += [axis] if could and not set.intersection(*could) else []
    assert [axis for axis, _ in part["divided"]] == torn


# -- axes, measures, cases, search --------------------------------------------------------------------------------------


Taken = list[tuple[Who, tuple[str, ...], list[str]]]


def takers(at: World, axis: str) -> tuple[dict[str, Taken], list[tuple[Who, str, list[str]]], list[Who]]:
    """By value who takes it, beside which others and for which forms; of whom it is open and why; and who takes several."""
    found: dict[str, Taken] = {}
    open_, several = [], []
    for who in dict.fromkeys(at.variant[one.subject] for one in at.found if axis in one.axes):
        groups: dict[Any, list[str]] = {}
        for one in (one for one in at.of(who) if axis in one.axes):
            f = one.axes[axis]
            why = "" if f.value else f.why or (f"one of {', '.join(f.open)}" if f.open else "")
            groups.setdefault((f.could_be, why), []).append(one.key)
        open_ += [(who, why, sorted(keys)) for (could, why), keys in groups.items() if not could]
        for (could, _), keys in groups.items():
            for value in could:
                found.setdefault(value, []).append((who, tuple(v for v in could if v != value), sorted(keys)))
        several += [who] if sum(bool(could) for could, _ in groups) > 1 else []
    return found, open_, several


def test_the_page_of_an_axis_has_who_takes_which_value(at: World) -> None:
    for axis in drawn_runs.FOUND_ON:
        view = axis_pages.page(at.told, axis)
        taken, open_, several = takers(at, axis)
        followed = [one.partition("=") for row in at.run.rows for one in row.conventions]
        seen = Counter(value for name, _, value in followed if name == axis)
        assert {value for value, *_ in view["values"]} == {*AXES[axis].values, *taken, *seen}
        for value, meaning, found, effect in view["values"]:
            assert meaning == AXES[axis].meaning(value)
            told = [(who, others, sorted(choice.keys)) for who, choice, others in found]
            assert sorted(told) == sorted(taken.get(value, []))
            assert (effect.rows if effect else 0) == seen[value]
            sure = {who for who, others, _ in taken.get(value, []) if not others}
            may = {who for who, *_ in taken.get(value, [])} - sure
            counted = view["taken_by"].get(value, "")
            taking = f"{len(sure)} take{'s' * (len(sure) == 1)} it" if sure else ""
            more = f"{len(may)} {'more may' if sure else 'may'}" if may else ""
            assert counted == ", ".join(filter(None, (taking, more)))
        assert sorted((w, c.why, sorted(c.keys)) for w, c in view["undetermined"]) == sorted(open_)
        assert view["divided"] == several
        assert view["names"].items() >= at.name.items()
        deciding = sorted((case for case in at.run.cases if axis in decided(case)), key=lambda one: len(one.input.run))
        assert [case.id for case in view["deciding"]] == [case.id for case in deciding][:16]
        if axis in {"known", "ideal"}:
            check_together(at, view["together"])


def test_the_list_of_axes_has_each_with_its_values_and_how_far_it_moves_a_number(at: World) -> None:
    stages = dict(axis_pages.index(at.told)["stages"])
    assert [line["axis"].name for lines in stages.values() for line in lines] == [
        name for stage in ("order", "judge", "measure", "aggregate") for name, one in AXES.items() if one.stage == stage
    ]
    for line in (line for lines in stages.values() for line in lines):
        name = line["axis"].name
        values = {one.axes[name].value for one in at.found if name in one.axes} - {None}
        assert line["values"] == sorted(values)  # type: ignore[type-var]
        alone = [r for r in at.run.rows if len(r.conventions) == 1 and r.conventions[0].partition("=")[0] == name]
        assert line["largest"] == max(map(moves, alone), default=0.0)
        assert line["width"] == round(100 * line["largest"], 2)


def check_together(at: World, told: Any) -> None:
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in at.found:
        if one.key == at.told.leading[0]:
            open_ = {axis: "undetermined" if axis in one.axes else "does not matter" for axis in ("known", "ideal")}
            said = [" or ".join(words(one, axis)) or text for axis, text in open_.items()]
            groups.setdefault((said[0], said[1]), []).append((one.library, at.run.names[one.subject]))
    assert [(a, b, who) for a, b, who in told] == sorted(
        ((*said, who) for said, who in groups.items()), key=lambda one: -len(one[2])
    )


def test_the_pages_of_measures_have_who_computes_which_form(at: World) -> None:
    lines = measure_pages.index(at.told)
    for line in (*lines["of_runs"], *lines["of_labels"]):
        name = line["name"]
        own = [one for one in at.found if re.split("[(@]", one.key)[0] == name]
        assert line["count"] == len({one.library for one in own})
        assert {page for _, page in line["forms"]} == {at.told.form_pages[one.key] for one in own}
        assert len(line["forms"]) == len({one.key for one in own})
    assert [line["name"] for line in lines["of_runs"]] == [*MEASURES]
    disputed = {re.split("[(@]", d.measure)[0] for d in at.told.report.disagreements}
    for name in ("NumRel", *sorted(disputed & MEASURES.keys())):
        view = measure_pages.page(at.told, name)
        assert not any(text.startswith(("Disputed", "Source")) for _, text in view["said"])
        for key, _, page, who in view["forms"]:
            assert page == at.told.form_pages[key]
            assert Counter(one for group, _ in who for one in group) == Counter(
                (one.library, at.run.names[one.subject]) for one in at.found if one.key == key
            )
            for group, said in who:
                clauses = {
                    "; ".join([text for _, text in library_sentence.told(one)][:6])
                    for one in at.found
                    if one.key == key and (one.library, at.run.names[one.subject]) in group
                }
                assert clauses == {said}
            assert len({said for _, said in who}) == len(who)
            assert [len(group) for group, _ in who] == sorted((len(group) for group, _ in who), reverse=True)
        mine = [d for d in at.told.report.disagreements if re.split("[(@]", d.measure)[0] == name]
        best: dict[str, Any] = {}
        for one in mine:
            rank = (one.case.input.size > 14, -len(one.sayings), -one.spread, one.case.input.size, one.case.id)
            best[one.case.id] = min(best.get(one.case.id, rank), rank)
        assert [one.case.id for one in view["disputes"]] == sorted(best, key=lambda case: best[case])[:5]
        compared = [page for key, page in at.told.compared.items() if re.split("[(@]", key)[0] == name]
        assert [page for _, page in view["compared"]] == compared


def test_the_pages_of_cases_have_each_question_once_and_the_worst_of_each(at: World) -> None:
    told = replace(at.told, report=replace(at.told.report, libraries=()))
    view = case_pages.index(told)
    assert view["tags"] == sorted(Counter(tag for case in at.run.cases for tag in case.tags).items())
    asked = {row.measure for row in at.run.rows if row.case and row.verdict is not Verdict.UNSUPPORTED}
    assert view["measures"] == sorted(asked, key=str.lower)
    page = written(told, "cases", view, "cases.html")
    tags = [quoted or plain for quoted, plain in re.findall(r'<tr data-tags=(?:"([^"]*)"|(\w+))', page)]
    assert tags == [" ".join(case.tags) for case in at.run.cases]
    for line, case in zip(view["lines"], at.run.cases, strict=True):
        assert line["case"] is case
        assert (line["differ"], line["asked"]) == at.told.divided(case.id)
        rows = at.judged(case.id)
        assert line["cells"] == [worst(at, rows, who) for who in at.told.variants]
        assert list(line["data"]) == list(dict.fromkeys(row.measure for row in rows))
        for measure, letters in line["data"].items():
            whole = "".join(letter * int(n or 1) for letter, n in re.findall(r"([a-z.])(\d*)", letters))
            assert whole == "".join((worst(at, at.rows(case.id, measure), who) or ".")[0] for who in at.told.variants)
    apart = [check_case(at, told, case, i) for i, case in enumerate(at.run.cases)]
    assert any(apart) or all(len(case.queries) < 2 for case in at.run.cases)


def worst(at: World, rows: Sequence[Row], who: Who) -> str:
    kinds = {mark(row) for row in rows if at.variant[row.subject] == who}
    return next((kind for kind in WORST if kind in kinds), "")


def check_case(at: World, told: Told, case: Case, i: int) -> bool:
    """Its page, on which each query has its own answers beside its name; whether those of two queries differ."""
    view = case_pages.page(told, case)
    ids = [one.id for one in at.run.cases]
    assert view["previous"] == (ids[i - 1] if i else None)
    assert view["next"] == (ids[i + 1] if i + 1 < len(ids) else None)
    lines = {measure: line_of(at, case, measure, None) for measure in case.measures}
    unanimous = {
        m for m, (found, *_) in lines.items() if len(found) == 1 and all(voice[1] == "agrees" for voice in found[0][2])
    }
    order = sorted((m for m in case.measures if m not in unanimous), key=lambda m: -lines[m][2])
    assert [one["line"].measure for one in view["views"]] == order[:1]
    listed = [(measures, one) for measures, one in view["listed"]]
    assert [measures[0] for measures, _ in listed] == sorted((m[0] for m, _ in listed), key=order.index)
    assert sorted(m for measures, _ in listed for m in measures) == sorted(order[1:])
    assert sorted(m for measures, _ in view["agreed"] for m in measures) == sorted(unanimous)
    for measures, one in (*listed, *view["agreed"]):
        for measure in measures:
            found, asked, differ, _ = lines[measure]
            assert (one["line"].asked, one["line"].differ) == (asked, differ)
            said = [(text, [voice[:3] for voice in voices]) for text, _, voices, _ in found if voices]
            called = {
                (a.shown, tuple((tuple(name for *_, name in v.who), v.mark, v.conventions) for v in a.voices))
                for a in one["line"].lines
                if a.voices
            }
            assert called == {
                (text, tuple((tuple(n), m, c) for n, m, c in voices)) for text, voices in said
            } or briefly(one["line"]) == [(t, {(m, c) for _, m, c in v}) for t, v in said]
            assert sums(one["arithmetic"]) == expected_sums(case, measure)
    for one in (*view["views"], *(v for _, v in listed)):
        measure = one["line"].measure
        rows = at.rows(case.id, measure)
        alone = {r.subject for r in rows} - {r.subject for r in rows if r.query is None}
        in_line = len(case.queries) == 1 and lines[measure][1] > sum(r.query is None for r in rows)
        elsewhere = {row.query for row in rows if not (in_line and row.subject in alone)}
        own = [query for query in map(str, case.queries) if query in elsewhere]
        assert one["queries"] == [(query, number_line(at.told.report, case, measure, rows, query)) for query in own]
    there = {row.library for row in at.judged(case.id)}
    assert view["notes"] == [note for note in at.told.report.notes if note[0] in there]
    text = html.unescape(
        environment().get_template("case.html.j2").render(root="", path="", header=at.run.header, proved=True, **view)
    )
    for one in view["views"]:
        drawn_line = text[text.index('<div class="lines">') :]
        for shown in (line.shown for line in one["line"].lines):
            assert f"<b>{shown}</b>" in drawn_line
    return any(len({line.lines for _, line in one["queries"]}) > 1 for one in view["views"])


def briefly(line: Any) -> list[Any]:
    return [(a.shown, {(m, c) for m, c, _ in a.brief}) for a in line.lines if a.voices]


def sums(arithmetic: Any) -> dict[str, list[tuple[str, str]]]:
    assert all(value == f"{evaluate(text):.10g}" for _, found in arithmetic for _, text, value in found)
    return {spec: [(query, text) for query, text, _ in found] for specs, found in arithmetic for spec in specs}


def expected_sums(case: Case, measure: str) -> dict[str, list[tuple[str, str]]]:
    """By which conventions which sums: one for all where all are the same."""
    return {
        spec: [("", next(iter(by.values())))] if len(set(by.values())) == 1 else list(by.items())
        for spec, by in (case.expect or {}).get(measure, {}).items()
    }


def test_what_the_search_looks_through(at: World) -> None:
    past: dict[str, Any] = {name: {} for name in reversed(at.told.library_names[:3])}
    found = json.loads(json.dumps(index(replace(at.told, history=past))))
    assert found["history"] == sorted(past)
    assert [one[:2] for one in found["libraries"]] == [[name, at.titles[name]] for name in at.told.library_names]
    for name, _, version, page, said in found["libraries"]:
        ways = at.ways(name)
        asked = [one for one in at.run.asked if one.library == name and one.version]
        assert (version, page) == (asked[-1].version if asked else "", f"libraries/{name}.html")
        first = next((who for who in ways if at.of(who)), None)
        assert bool(said) == (first is not None)
    assert found["cases"] == [[c.id, c.question, f"cases/{c.id}.html", " ".join(c.tags)] for c in at.run.cases]
    assert list(found["facts"]) == at.told.leading
    for key, by in found["facts"].items():
        wanted = {}
        for name in at.told.library_names:
            own = [one for who in at.ways(name) for one in at.of(who) if one.key == key]
            if own:
                wanted[name] = {a: [(words(own[0], a) or [""])[0], *left(own[0], a)] for a in own[0].axes}
        assert by == wanted
    assert {key: page for key, (_, page) in found["forms"].items()} == at.told.form_pages
    assert found["compare"] == at.told.compared
    for name, also in plain_words.ALSO.items():
        axis, _, value = name.partition("=")
        if (listed := found["axes"].get(axis)) is not None:
            assert (listed["values"][value][2] if value else listed["also"]) == also
    assert found["axes"].keys() == dict.fromkeys(AXES).keys()


def test_the_home_page_counts_what_was_asked_and_what_divides(at: World) -> None:
    view = overview.index(at.told)
    judged = {(r.case, r.measure) for r in at.run.rows if r.case and r.verdict is not Verdict.UNSUPPORTED}
    assert (view["questions"], view["divided"]) == (len(judged), len(at.told.report.disagreements))
    assert view["libraries"] == len({row.library for row in at.run.rows if row.value is not None or row.error})
    leads = at.told.report.headlines or at.told.report.disagreements[:8]
    assert [(d.case.id, line.measure) for d, line in view["headlines"]] == [(d.case.id, d.measure) for d in leads]
    for d, line in view["headlines"]:
        assert (line.asked, line.differ) == line_of(at, d.case, d.measure, None)[1:3]
    assert view["matrix"].key == at.told.forms[0]
    assert view["compare"] == at.told.compared.get(at.told.forms[0], "")
    report = replace(at.told.report, cases=[replace(case, tags=()) for case in at.run.cases])
    untagged = overview.index(replace(at.told, report=report))["headlines"]
    first = [(d.case.id, d.measure) for d in report.disagreements[:8]]
    assert [(d.case.id, d.measure) for d, _ in untagged] == first
