"""The page of a case, as it is written: each section is what its view holds, told by plain rules; and views of seldom answers."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from seen_pages import beginning, data, ident, link, message, number_line, question, ranking, ways, without_spaces
from test_drawn_site import world
from written_pages import assert_shows

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.run_report import Report
from rankproof.site import page_text
from rankproof.site.axis_knowledge import Findings
from rankproof.site.lines import Line, NumberLine, Voice, without_a_mean
from rankproof.site.page_sources import Told
from rankproof.site.pages import case_pages
from rankproof.workers.subjects import Subject, installation

MANY = 6
"""So many libraries that do as standard are counted, and no more named."""


def case_page(view: Mapping[str, Any]) -> Iterator[str]:
    """The page, section by section."""
    case = view["case"]
    yield without_spaces(*top(view))
    yield without_spaces("#answers The answers", *(f"{ident(name)}: {message(told)}" for name, told in view["notes"]))
    for one in view["views"]:
        yield without_spaces(*measure(case, one))
    if view["listed"]:
        yield without_spaces(*others(view))
    if view["agreed"]:
        yield without_spaces(*agreed(view))
    sections = [[f"#input {'The labelings' if case.of_labels else 'The ranking'}", *given(view)]]
    if view["repros"]:
        sections.append(["#rerun See it yourself", *repros(view)])
    around = [one for one in (view["previous"], view["next"]) if one]
    places = [f"../{page_text.case_page(one).removeprefix('cases/')}" for one in around]
    sections[-1] += ["{Other cases}", *(link(ident(one), place) for one, place in zip(around, places, strict=True))]
    yield from (without_spaces(*parts) for parts in sections)


def top(view: Mapping[str, Any]) -> Iterator[str]:
    case = view["case"]
    yield f"{{Place}}{link('Cases', '../cases.html')}/{ident(case.id)}{question(case.question)}"
    differ = f"{view['differ']} of {view['asked']} differ from standard somewhere in it"
    yield differ if view["asked"] else "nobody answered"
    yield from (link(tag, f"../cases.html?tag={quote(tag)}") for tag in case.tags)
    yield case.why
    yield f"Source: {case.source}" if case.source != "own" else ""


# -- the answers --------------------------------------------------------------------------------------------------------


def measure(case: Case, view: Mapping[str, Any]) -> Iterator[str]:
    """A measure whose answers are drawn."""
    line = view["line"]
    yield line.measure
    if case.undefined:
        yield "No answer is right; these were observed."
    else:
        yield f"{line.differ} of {line.asked} differ from standard" if line.asked else "No library here is asked it."
    yield f" · over {len(case.queries)} queries" if len(case.queries) > 1 and not case.of_labels else ""
    yield from number_line(line, "../")
    if view["queries"]:
        yield f"[By query{{{line.measure} by query}}¶|query|(n)value|who"
        for query, one in view["queries"]:
            yield from by_query(query, one)
        yield "]"
    yield sums(view["arithmetic"], "(unfolded)")


def by_query(query: str, line: NumberLine) -> Iterator[str]:
    title = f"|{data('rowspan', line.answers)}{ident(query, 30)}"
    for answer in line.lines:
        if answer.voices:
            yield f"¶{title}|{ident(answer.shown, 24)}|{'(a)all' if line.unanimous else brief(answer)}"
            title = ""


def brief(answer: Line, unsigned: str = "") -> str:
    """Who gives an answer and why; where all of a list do so for one reason, that has no sign."""
    told = []
    for mark, conventions, people in answer.brief:
        sign = "" if mark == unsigned or (mark == "convention" and conventions) else f"({mark[0]})"
        whole = sum(not variants for _, variants in people)
        named = [ident(name, 30) + ways(variants) for name, variants in people]
        if mark == "agrees" and whole > MANY:
            apart = [ident(name, 30) + ways(variants) for name, variants in people if variants]
            named = [f"{whole} libraries", *apart]
        why = f"by {' '.join(conventions)}" if conventions else "known exception" if mark == "known" else ""
        told.append(f"{sign}{', '.join(named)}{why}")
    return "; ".join(told)


def sums(arithmetic: Sequence[Any], look: str = "") -> str:
    """By which conventions which sums are expected."""
    told = []
    for specs, found in arithmetic:
        told.append(f"•{', '.join(specs)}")
        for query, text, value in found:
            told.append(f":{ident(query, 30)}{text}{f' = {value}' if value not in {'', text} else ''}")
    return f"[{look}The arithmetic{''.join(told)}]" if told else ""


def others(view: Mapping[str, Any]) -> Iterator[str]:
    """The measures that are not drawn; errors that are those of a measure above are not told again."""
    place = link("the list of cases", f"../cases.html?q={quote(view['case'].id)}")
    yield f"#listed The other measures Who does as standard: {place}, measure by measure."
    yield "¶|measure|(n)differ|who says what"
    for measures, one in view["listed"]:
        line = one["line"]
        yield f"¶|{', '.join(measures)}|{line.differ} of {line.asked}|"
        for answer in line.lines:
            above = view["repeated"].get(line.measure) if answer.shown == "error" else None
            who = f"those of {above}" if above else brief(answer)
            yield f"{ident(answer.shown, 24)}{who}" if answer.voices else ""
        yield sums(one["arithmetic"])


def agreed(view: Mapping[str, Any]) -> Iterator[str]:
    yield f"#agreed {'Besides, nobody' if view['views'] else 'Nobody'} differs in¶|measure|(n)value|expected|who"
    for measures, one in view["agreed"]:
        answer = one["line"].lines[0]
        expected = [text for _, found in one["arithmetic"][:1] for _, text, _ in found]
        who = brief(answer, "agrees") if answer.voices else "(none)no library here is asked it"
        yield f"¶|{', '.join(measures)}|{answer.shown}|{', '.join(expected)}|{who}"


# -- the input ----------------------------------------------------------------------------------------------------------


def given(view: Mapping[str, Any]) -> Iterator[str]:
    if view["crossed"]:
        yield from crossed(view["crossed"])
        return
    yield "As standard ranks: by score, tied docs by docid, descending. The gain is linear, the discount log2(1 + rank)."
    for one in view["rankings"]:
        yield from ranking(one)


def crossed(pairs: Any) -> Iterator[str]:
    """Two labelings: how many items have which pair of labels, of the first labels of each."""
    yield "How many items have which pair of labels."
    if not pairs.true:
        yield "There are no items."
        return
    yield f"{{The labelings}}¶|{''.join(f'|(n)cluster {ident(label, 20)}' for label in pairs.predicted[:24])}"
    for label, counts in list(zip(pairs.true, pairs.counts, strict=True))[:24]:
        cells = [f"|(n){count or '(none)0'}" for count in counts[:24]]
        yield f"¶|class {ident(label, 20)}{''.join(cells)}"
    classes, clusters = len(pairs.true), len(pairs.predicted)
    yield f"The first 24 of {classes} classes and {clusters} clusters." if max(classes, clusters) > 24 else ""


def repros(view: Mapping[str, Any]) -> Iterator[str]:
    asked, command = view["repro_measure"], view["repros"][0].command
    yield f"rankproof repro prints a script that shows a library’s answer to {asked}, and needs only that library."
    yield f"#command{data('measure', asked)}{data('native', ' '.join(view['native']))}{command[0]}LIBRARY{command[1]}"
    yield f"where LIBRARY is one of{''.join(f'•{one.library}' for one in view['repros'])}#copied"
    yield f"[The input, as Python#data{{The input}}{view['data']}]"
    yield "#scripts" + json.dumps(view["scripts"]).replace("<", r"\u003c")


# -- held against pages -------------------------------------------------------------------------------------------------


def check_case(told: Told, view: Mapping[str, Any]) -> None:
    asked = view["case"].question
    head = question(beginning(asked, 90)), f"{question(asked)}: who says what"
    assert_shows(told, "case", view, head, case_page(view))


@pytest.fixture(autouse=True)
def _no_repros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_pages, "repros", lambda *_: [])  # what is drawn has no adapters


REPROS = {
    "repros": [
        SimpleNamespace(library=name, command=("rankproof repro x --library ", " -m P@2"))
        for name in ("west", "a<b>", "mid")
    ],
    "repro_measure": "P@2",
    "native": ["west", "mid"],
    "data": "qrels = {'<q>': 1}",
    "scripts": {"west": "1 < 2"},
}


@pytest.mark.parametrize("seed", range(6))
def test_the_page_of_a_case_shows_what_its_view_holds(seed: int) -> None:
    at = world(seed)
    for case in at.run.cases:
        view = dict(case_pages.page(at.told, case))
        check_case(at.told, view)
        like = view["listed"] or [(["P@5", "RR"], one) for one in view["views"]]
        check_case(at.told, view | {"agreed": like[:2], "asked": 0, "notes": [("west", "a <b> copy"), ("mid", "2.1")]})
        check_case(at.told, view | REPROS | {"views": [], "agreed": like[:1]})


MANY_SPECS = tuple(f"gain={one}" for one in ("exp", "binary", "a<b", "linear", "map:1=2", "x"))


@pytest.mark.parametrize(("specs", "libraries"), [(4, 6), (5, 7), (6, 9), (0, 1), (3, 0)])
def test_many_libraries_that_do_as_standard_are_counted_and_conventions_beyond_the_fourth(
    specs: int, libraries: int
) -> None:
    at = world(2)
    names = [*((f"lib{i}", "", f"lib{i}") for i in range(libraries)), ("west", "rows", "west/rows")]
    voices = (
        Voice(tuple(names), "agrees", (), "", "", "agrees"),
        Voice((("a<b", "", "a<b"),), "known", (), "it is <so>", "", "known-exception"),
    )
    lines = (
        Line(".5", 50.0, standard=True, voices=voices, specs=("standard", *MANY_SPECS[:specs])),
        Line("1", None, standard=False, voices=(), specs=MANY_SPECS[:specs]),
    )
    line = NumberLine("P@2", lines, ((0.0, "0"), (100.0, "2")), 9, 0, 50.0)
    one = {"line": line, "queries": [("q<1>", line)], "arithmetic": []}
    view = dict(case_pages.page(at.told, at.run.cases[0]))
    check_case(at.told, view | {"views": [one], "listed": [(["P@2", "P@3"], one)], "agreed": [(["RR"], one)]})


@pytest.mark.parametrize("count", [0, 2, 23, 24, 25])
def test_the_page_of_labelings_counts_each_pair_of_them(count: int) -> None:
    at = world(1)
    case = at.run.cases[0]
    labels = SimpleNamespace(
        true=[f"t{i}" for i in range(count)],
        predicted=[f"p{i}" for i in range(count + 1)],
        counts=[[(i + j) % 3 for j in range(count + 1)] for i in range(count)],
    )
    labelled = replace(case, input=Input(true=(0, 1), predicted=(1, 1)), source="a paper", tags=("labels", "b<i>"))
    own = {"case": labelled, "crossed": labels, "rankings": [], "views": []}
    check_case(at.told, {**case_pages.page(at.told, case), **own})


CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
WHO = {("west", "v"): "west", ("north", "w"): "north/w", ("east", "v"): "east", ("north", "v"): "north/v"}
"""Who is asked, and what each is called."""
ASKED = [
    installation(name, {"version": "1", "variants": dict.fromkeys(variants, "")}).as_json()
    for name, variants in (("west", "v"), ("north", "vw"), ("east", "v"))
]
HEADER = {"asked": ASKED, "rankproof": "0", "python": "3", "platform": "x", "cases": 1}


def _told(rows: Iterable[Row], case: Case) -> Told:
    """What is told of rows; nobody is there to be asked again."""
    return Told(Report(RunResults(HEADER, tuple(rows), {}), [case], [], []), Findings((), proved=False))


def _subject(who: tuple[str, str]) -> Subject:
    return Subject(*who, "1", alone=who[0] != "north")


def _shown(row: Row) -> str:
    return "error" if row.value is None else f"{row.value:g}".removeprefix("0") or "0"


def _said(rows: Iterable[Row]) -> set[tuple[str, str]]:
    """Who says what of one question: a library stands once where all of its ways that say something say the same."""
    by: dict[str, dict[str, str]] = {}
    for row in rows:
        by.setdefault(row.library, {})[WHO[row.library, row.variant]] = _shown(row)
    together = {library for library, ways in by.items() if len({*ways.values()}) == 1}
    return {
        (shown, library if library in together else way) for library, ways in by.items() for way, shown in ways.items()
    }


# -- queries -----------------------------------------------------------------------------------------------------------

THREE = replace(
    CASE,
    input=Input(
        (("q1", "a", 1), ("q2", "b", 1), ("q3", "c", 1)),
        (("q1", "a", 1.0, 1), ("q2", "x", 1.0, 1), ("q3", "c", 0.5, 1)),
    ),
    also_ask=("RR",),
    expect=None,
)
ONE = replace(THREE, input=Input((("q1", "a", 1),), (("q1", "b", 1.0, 1),)))
ALONE = {
    ("west", "v"): (0.5, None),
    ("north", "v"): (None, 0.75),
    ("north", "w"): (0.125, 0.25),
    ("east", "v"): (None, 0.5),
}
"""Of the mean and of the only query what each says; None where it does not say anything."""


@pytest.mark.parametrize(
    ("case", "measure", "expected"),
    [
        (ONE, "RR", {"north/v", "east"}),
        # The mean over queries of which one is 0 is 0; the geometric is 1e-05, which is no query's.
        (replace(ONE, also_ask=(), expect={"AP": {"standard": {}, "mean=geometric": {}}}), "AP", set()),
        # That of nothing is not a number, and the query is absent.
        (replace(ONE, expect={"RR": {"standard": {}, "zero=dropped": {}}}), "RR", {"north/v", "east"}),
        (
            replace(ONE, input=replace(ONE.input, qrels=(("q1", "a", 0),)), expect={"RR": {"norel=dropped": {}}}),
            "RR",
            set(),
        ),
        (THREE, "RR", set()),
    ],
)
def test_who_tells_no_mean_stands_in_its_line_where_it_is_the_querys_value(
    case: Case, measure: str, expected: set[str]
) -> None:
    rows = [
        Row(CASE.id, _subject(who), measure, query, Verdict.UNEXPLAINED, value, None, 0.0)
        for who, said in ALONE.items()
        for query, value in zip((None, "q1"), said, strict=True)
        if value is not None
    ]
    found = without_a_mean(case, measure, rows)
    assert {WHO[subject.library, subject.variant] for subject in found} == expected
    told = _told(rows, case)
    page = case_pages.page(told, case)
    (view,) = page["views"]
    in_line = {name for line in view["line"].lines for voice in line.voices for *_, name in voice.who}
    by_query = {
        name for _, one in view["queries"] for line in one.lines for voice in line.voices for *_, name in voice.who
    }
    told_here = [row for row in rows if row.query is None or WHO[row.library, row.variant] in expected]
    assert in_line == {name for _, name in _said(told_here)}
    assert {name.partition("/")[0] for name in in_line | by_query} == {"west", "north", "east"}, "nobody is lost"


# -- measures of which all is the same ---------------------------------------------------------------------------------


def test_measures_share_a_row_where_their_sums_are_the_same_too() -> None:
    sums = {"P@1": "1/1", "R@1": "2/2", "Success@1": "1/1", "AP@1": "2/2", "RR@1": "1"}
    hit = Input((("q1", "a", 1),), (("q1", "a", 1.0, 1),))
    expect = {measure: {"standard": {"q1": text}} for measure, text in sums.items()}
    case = replace(ONE, input=hit, also_ask=(), expect=expect)
    each = [(_subject(who), measure) for measure in sums for who in WHO]
    rows = [Row(case.id, who, measure, "q1", Verdict.AGREES, 1.0, None, 1.0) for who, measure in each]
    shown = case_pages.page(_told(rows, case), case)["agreed"]
    assert [(measures, view["arithmetic"][0][1][0][1]) for measures, view in shown] == [
        (["P@1", "Success@1"], "1/1"),
        (["R@1", "AP@1"], "2/2"),
        (["RR@1"], "1"),
    ]


# -- errors ------------------------------------------------------------------------------------------------------------

REFUSALS = {
    "RR": {("west", "v"): "ids=text", ("north", "v"): "ids=text", ("east", "v"): "ids=whole"},
    "P@1": {("west", "v"): "ids=text", ("north", "v"): "ids=text"},
    "P@2": {("west", "v"): "ids=text", ("east", "v"): "ids=text"},
    "P@3": {("east", "v"): "ids=whole"},
    "P@4": {("north", "v"): "ids=text", ("west", "v"): "ids=text"},
    "P@5": {("west", "v"): "ids=text", ("north", "v"): "ids=whole"},
    "P@6": {("west", "v"): "ids=text", ("east", "v"): "ids=text"},
    "P@7": {("east", "v"): "ids=whole"},
    "P@8": {("north", "v"): "ids=text", ("north", "w"): "ids=text"},
}
"""Of each measure who refuses by which convention; RR has the most, and is drawn."""
ELSE = {"P@4": 0.25, "P@6": 0.125}
"""What the others say, where it is not 0.5."""


def test_what_is_so_of_two_measures_is_told_once() -> None:
    case = replace(CASE, expect=None, also_ask=tuple(REFUSALS))
    rows = []
    for number, (measure, who) in enumerate(REFUSALS.items()):
        for subject in WHO:
            by, value = who.get(subject), ELSE.get(measure, 0.5)
            row = Row(case.id, _subject(subject), measure, None, Verdict.AGREES, value, None, value)
            if by:
                error = f"E{number} of {subject}"
                row = replace(row, verdict=Verdict.CONVENTION, value=None, error=error, conventions=(by,))
            rows.append(row)
    told = _told(rows, case)
    view = case_pages.page(told, case)
    check_case(told, view)
    said = {
        " ".join(measures): "; ".join(f"{line.shown} {brief(line)}" for line in one["line"].lines if line.voices)
        for measures, one in view["listed"]
    }
    assert view["repeated"] == {"P@4": "P@1", "P@6": "P@2", "P@7": "P@3"}
    assert said == {
        "P@1": ".5 (a)north(w), east; error west, north(v)by ids=text",
        "P@2": ".5 (a)north; error west, eastby ids=text",
        "P@3 P@7": ".5 (a)west, north; error eastby ids=whole",
        "P@4": ".25 (a)north(w), east; error west, north(v)by ids=text",
        "P@5": ".5 (a)north(w), east; error westby ids=text; north(v)by ids=whole",
        "P@6": ".125 (a)north; error west, eastby ids=text",
        "P@8": ".5 (a)west, east; error north(w, v)by ids=text",
    }
