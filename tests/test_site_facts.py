"""What the pages tell from: rankings as they are drawn, scales, what is known of each axis, counts; each as a whole, worked out by hand."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import drawn_runs
import pytest
from fake_sheets import FAKE
from test_drawn_site import SEEDS, World, world
from test_drawn_site import line_of as drawn_line

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.inference.fingerprint_file import FILE, AxisFinding, write
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.run_report import Report
from rankproof.site.axis_knowledge import Findings, find
from rankproof.site.drawn_example import example
from rankproof.site.lines import Line, NumberLine, Voice, number_line
from rankproof.site.rankings import Drawn, Place, crossed, drawn
from rankproof.site.search_index import names_elsewhere
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
OTHER = corpus.load(corpus.HERE / "gain" / "linear-exp-binary.toml")


# -- rankings ----------------------------------------------------------------------------------------------------------


def of(*qrels: tuple[str, str, float], run: tuple[tuple[str, str, float], ...], **more: tuple[str, ...]) -> list[Drawn]:
    """Rankings of which the measures asked are cut at 2."""
    return drawn(replace(CASE, input=Input(qrels, tuple((*one, 1) for one in run), **more)))


SCORES = (("q1", "a", 1.0), ("q1", "b", math.nan), ("q1", "c", 3.0))


@pytest.mark.parametrize(
    ("found", "remark", "docs"),
    [
        (of(("q1", "a", 1), run=(), empty_in_run=("q1",)), "The ranking is empty.", "a"),
        (of(run=(), empty_in_qrels=("q1",)), "The run does not have this query. The qrels judge no doc of it.", ""),
        (
            of(("q1", "a", 1), run=SCORES),
            "A score is not a number, so no order is right; the rows are drawn as given.",
            "abc",
        ),
    ],
)
def test_what_is_odd_about_a_query_is_said(found: list[Drawn], remark: str, docs: str) -> None:
    (one,) = found
    assert (one.remark, [place.doc for place in one.places], one.ties) == (remark, [*docs], False)
    assert {place.rel for place in one.places if place.doc == "a"} <= {"1", ""}


@pytest.mark.parametrize(("unjudged", "counts"), [(3, [1, 1, 1, 1]), (4, [1, 4])])
def test_four_docs_without_a_judgment_are_one_row_and_three_are_three(unjudged: int, counts: list[int]) -> None:
    rows = [("q1", "a", 99.0), *(("q1", f"d{i}", 9.0 - i) for i in range(unjudged))]
    given = Input((("q1", "a", 1),), tuple((*one, 1) for one in rows))
    (found,) = drawn(replace(CASE, input=given, expect=None, also_ask=("P@1",)))
    assert [row.count for row in found.shown] == counts


def test_two_labelings_are_counted_pair_by_pair() -> None:
    labels = replace(CASE, input=Input(true=("a", "a", "b", 1), predicted=("x", "y", "y", "y")))
    assert crossed(labels) == {"true": ("a", "b", "1"), "predicted": ("x", "y"), "counts": [[1, 1], [0, 1], [0, 1]]}
    assert crossed(CASE) == {"true": (), "predicted": (), "counts": []}


@pytest.mark.parametrize("seed", range(40))
def test_a_ranking_is_drawn_as_standard_ranks_it(seed: int) -> None:
    """By score, then by docid, descending; each doc with its first rel, its gain and what the discount leaves of it."""
    c = drawn_runs.Chance(seed)
    docs = [f"d{i}" for i in range(c.choice([3, 9, 30, 70]))]
    queries = ("q2", "q1", 7)
    some = [(q, d) for q in queries[: c.choice([1, 3])] for d in c.sample(docs, len(docs) // 2)]
    judged = [(*one, c.choice([0, 1, 2, 3, -1, 0.5])) for one in some]
    c.shuffle(judged)
    listed = [(q, d) for q in queries[c.choice([0, 1]) :] for d in c.sample(docs, c.randint(0, len(docs)))]
    run = [(*one, c.choice([1.0, 2.0, 0.25, 3.5]), c.randint(1, 9)) for one in listed]
    if seed % 5 == 0 and run:
        run.append((*run[0][:2], 9.0, 1))
        judged.append((*judged[0][:2], 5))
    measures = ("nDCG@2", "P@5", "AP", "Newer@3")
    case = replace(drawn_runs.drawn(0).cases[0], input=Input(tuple(judged), tuple(run)), expect=None, also_ask=measures)
    found = drawn(case)
    assert [one.query for one in found] == list(dict.fromkeys([str(row[0]) for row in (*judged, *run)]))
    for one in found:
        rows = sorted(((s, d) for q, d, s, _ in run if str(q) == one.query), reverse=True)
        own = [(d, rel) for q, d, rel in judged if str(q) == one.query]
        rels = dict(reversed(own))  # of two judgments the first
        places = []
        for rank, (score, doc) in enumerate(rows, start=1):
            rel = rels.get(doc)
            gain, discount = max(rel or 0, 0), math.log2(rank + 1)
            tied = [i for i, row in enumerate(rows, start=1) if row[0] == score]
            cell = (f"{score:g}", len(tied) if rank == tied[0] else 0, "" if rel is None else f"{rel:g}", f"{gain:g}")
            worth = f"{gain / discount:.4f}" if gain else "0"
            places.append(Place(rank, doc, *cell, f"{discount:.4f}", worth, rank in {2, 5}, (rel or 0) >= 1))
        lost = {(doc, f"{rel:g}", rel >= 1) for doc, rel in rels.items() if doc not in {d for _, d in rows}}
        assert [place for place in one.places if place.rank is not None] == places[:60]
        assert {(place.doc, place.rel, place.relevant) for place in one.places if place.rank is None} <= lost
        assert one.left_out == max(0, len(places) + len(lost) - 60) == len(places) + len(lost) - len(one.places)
        assert one.ties == any(place.tied > 1 for place in places[:60])
        check_remark(one.remark, rows, [doc for doc, _ in own], any(str(r[0]) == one.query for r in run))
        check_folded(one)


def check_remark(remark: str, rows: Sequence[tuple[float, str]], judged: Sequence[str], in_run: bool) -> None:  # noqa: FBT001
    wanted = [
        (not in_run, "The run does not have this query."),
        (not judged, "The qrels judge no doc of it."),
        (
            len({d for _, d in rows}) < len(rows),
            "The run names a doc twice, which standard refuses; both rows are drawn.",
        ),
        (
            len(set(judged)) < len(judged),
            "The qrels judge a doc twice, which standard refuses; the first judgment is drawn.",
        ),
    ]
    assert remark == " ".join(text for holds, text in wanted if holds)


def check_folded(one: Drawn) -> None:
    """Each place is in one row; a row of several is of four or more docs that are not judged, and no cutoff is hidden in it."""
    at = 0
    left = 0
    for row in one.shown:
        own = one.places[at : at + row.count]
        assert (own[0], own[-1]) == (row.place, row.last)
        if row.count > 1:
            assert row.count >= 4
            assert all(not place.rel and not place.cut and place.rank is not None for place in own)
        assert (row.span == 0) == (left > 0)
        left = (left or row.span) - 1
        at += row.count
    assert (at, left) == (len(one.places), 0)
    plain = [place.rank is not None and not place.rel and not place.cut for place in one.places]
    texts = "".join("." if is_plain else "x" for is_plain in plain)
    folded = sum(row.count for row in one.shown if row.count > 1)
    assert folded >= sum(len(run) for run in re.findall(r"\.{4,}", texts)) - 6 * sum(p.tied > 1 for p in one.places)


# -- number lines ------------------------------------------------------------------------------------------------------

SUBJECTS = {name: Subject("lib", name, "1", alone=False) for name in "vw"} | {"o": Subject("other", "v", "2")}


def said(
    who: str, value: float | str | None, verdict: Verdict = Verdict.UNEXPLAINED, *conventions: str, **more: str
) -> Row:
    return Row(CASE.id, SUBJECTS[who], "P@2", None, verdict, value, None, 0.0, conventions, **more)  # type: ignore[arg-type]


def report_of(*rows: Row, cases: tuple[corpus.Case, ...] = (CASE,), libraries: tuple[Library, ...] = ()) -> Report:
    asked = [
        {"library": "lib", "version": "1", "variants": {"v": "", "w": ""}},
        {"library": "other", "version": "2", "variants": {"v": ""}},
        {"library": "unasked", "not_installed": "no module"},
    ]
    return Report(RunResults({"asked": asked}, rows, {}), cases, libraries)


def line_of(*rows: Row, case: corpus.Case = CASE, query: str | None = None) -> NumberLine:
    return number_line(report_of(*rows), case, "P@2", rows, query)


@pytest.mark.parametrize(
    ("value", "places", "ticks"),
    [
        # Where all are from 0 to 1, so is the scale; else it ends at multiples of 1, 1/2 or 1/4 of the power of ten below the width,
        # the finest of which at most eight make up the width.
        (1.0, [100, 50, 25, 0], ["0", ".25", ".5", ".75", "1"]),
        (3.0, [100, 16.7, 8.3, 0], ["0", ".75", "1.5", "2.25", "3"]),
        (1.75, [100, 28.6, 14.3, 0], ["0", ".4375", ".875", "1.3125", "1.75"]),
        (250.0, [100, 0.2, 0.1, 0], ["0", "62.5", "125", "187.5", "250"]),
        (-7.0, [93.8, 90.6, 87.5, 0], ["-7", "-5", "-3", "-1", "1"]),
        (-0.6, [100, 80, 60, 12], ["-.75", "-.4375", "-.125", ".1875", ".5"]),  # from -3/4 to 1/2
        (math.inf, [None, 50, 25, 0], ["0", ".25", ".5", ".75", "1"]),
        (math.nan, [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
        ("absent", [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
    ],
)
def test_answers_stand_on_a_scale_of_round_numbers_the_greatest_first(
    value: float | str, places: list[float | None], ticks: list[str]
) -> None:
    found = line_of(said("v", value))  # the case itself gives 0, 1/4 and 1/2
    assert [line.at for line in found.lines] == places
    assert found.ticks == tuple(zip((0.0, 25.0, 50.0, 75.0, 100.0), ticks, strict=True))
    assert found.unit is (ticks[-1] == "1" and ticks[0] == "0")
    assert found.standard == {-7: 87.5, -0.6: 60}.get(value, 0.0)  # type: ignore[call-overload]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_number_line_has_each_answer_once_with_those_who_give_it_and_the_conventions_that_would(seed: int) -> None:
    at = world(seed)
    for case in at.run.cases:
        for measure in case.measures:
            for query in (None, *map(str, case.queries)):
                found = number_line(at.told.report, case, measure, at.rows(case.id, measure), query)
                lines, asked, differ, standard = drawn_line(at, case, measure, query)
                assert (found.asked, found.differ) == (asked, differ)
                assert [*map(as_told, found.lines)] == lines
                check_scale(found, standard)
                assert found.answers == sum(bool(voices) for *_, voices, _ in lines)
                marks = [voice[1] for _, _, voices, _ in lines for voice in voices]
                assert found.unanimous == (len(lines) == 1 and set(marks) <= {"agrees"})
                for one, (_, _, voices, specs) in zip(found.lines, lines, strict=True):
                    assert one.mark == (voices[0][1] if voices else "nobody")
                    said = {" ".join(voice[2]) for voice in voices}
                    assert one.unsaid == [spec for spec in specs if spec != "standard" and spec not in said]
                    brief: dict[Any, list[str]] = {}
                    for who, kind, conventions, *_ in voices:
                        brief.setdefault((kind, conventions), []).extend(who)
                    pairs = [[(name, way) for name, ways in who for way in ways or [""]] for *_, who in one.brief]
                    assert [why for *why, _ in one.brief] == [[*why] for why in brief]
                    assert [sorted(own) for own in pairs] == [sorted(as_pairs(at, who)) for who in brief.values()]


def as_told(line: Line) -> tuple[str, bool, list[Any], list[str]]:
    voices = [([name for *_, name in v.who], v.mark, v.conventions, v.note, v.error, v.verdict) for v in line.voices]
    return line.shown, line.standard, voices, [*line.specs]


def test_conventions_that_are_a_reason_together_are_none_alone() -> None:
    reasons = (("gain=exp", "ties=input"), ("norel=nan",), ())
    voices = tuple(Voice((("west", "", "west"),), "convention", each, "", "", "convention") for each in reasons)
    specs = ("standard", "gain=exp", "gain=exp ties=input", "norel=nan", "ties=input")
    assert Line("1", 50.0, True, voices, specs).unsaid == ["gain=exp", "ties=input"]  # noqa: FBT003 - a field


def as_pairs(at: World, names: Sequence[str]) -> set[tuple[str, str]]:
    """Each as library and variant; a library alone has none, also where it stands beside some of its ways."""
    found = set()
    for name in names:
        way = next((who for who, called in at.name.items() if called == name), (name, ""))
        found.add((way[0], way[1] if name != way[0] else ""))
    named = {library for library, variant in found if variant}
    return {one for one in found if one[1] or one[0] not in named}


def check_scale(found: Any, standard: Any) -> None:
    """All stand where they should on a scale that holds all, and 0; it is from 0 to 1 where that is enough."""
    if not found.ticks:
        return
    assert [place for place, _ in found.ticks] == [0.0, 25.0, 50.0, 75.0, 100.0]
    at = {one.shown: one.at for one in found.lines}
    numbers = {text: float(text) for text in at if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text)}
    assert all((at[text] is None) == (text not in numbers) for text in at)
    inside = [*numbers.values(), *([standard] if isinstance(standard, float) and math.isfinite(standard) else [])]
    if all(0 <= number <= 1 for number in inside):
        assert [text for _, text in found.ticks] == ["0", ".25", ".5", ".75", "1"]
        assert found.unit
    low, high = float(found.ticks[0][1]), float(found.ticks[-1][1])
    assert low <= min([0, *inside]) + 1e-4
    assert high >= max([0, *inside]) - 1e-4
    for text, number in numbers.items():
        assert abs(at[text] - 100 * (number - low) / (high - low)) < 0.2
    if len(inside) > len(numbers):
        assert abs(found.standard - 100 * (standard - low) / (high - low)) < 0.2
    else:
        assert found.standard is None


# -- what is known of each axis ----------------------------------------------------------------------------------------


def library(folder: Path, claims: str) -> Library:
    path = folder / "lib.toml"
    path.write_text(FAKE.replace('"fake"', '"lib"') + claims, encoding="utf-8")
    return Library("lib", folder / "lib_adapter.py", load(path))


def test_a_file_of_fingerprints_beside_the_results_is_what_is_proved(tmp_path: Path) -> None:
    told, proved = drawn_runs.drawn(0), drawn_runs.fingerprints(0)
    write(proved, told.asked, {}, tmp_path / FILE)
    assert find(told.report, tmp_path) == Findings(tuple(proved), proved=True)


def test_without_a_file_of_fingerprints_the_sheets_say_what_is_claimed(tmp_path: Path) -> None:
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n[profiles.w]\n'*' = ''\n")
    rows = (
        said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"),
        said("w", 0.0, Verdict.AGREES),
        said("o", 0.0, Verdict.AGREES),
        replace(said("v", 0.1), measure="AP"),
        replace(said("w", 0.1, Verdict.AGREES), measure="no measure"),
    )
    found = find(report_of(*rows, cases=(CASE, OTHER), libraries=(own,)), tmp_path)
    assert not found.proved
    v, w = found.fingerprints
    assert [(one.subject, one.key, one.profile.ties) for one in (v, w)] == [
        (SUBJECTS["v"], "P@k", "docid-asc"),
        (SUBJECTS["w"], "P@k", "docid-desc"),
    ]
    assert v.axes["ties"] == AxisFinding("ties", "docid-asc", CASE.id, "P@2", {})
    assert w.axes["ties"] == AxisFinding("ties", "docid-desc", CASE.id, "P@2", {}), "other ties give other values in it"
    assert w.axes["missing"] == AxisFinding("missing", w.profile.missing, "", "", {}), "no case shows it"
    assert "gain" not in v.axes, "P looks at no gain"
    assert (v.explained, v.asked, v.missed) == (0, 0, ())
    parts = v.signature.split("|")
    assert (parts[0], parts[-2]) == ("P@k", "by:lib/v-1")
    assert {part for part in parts[1:-2] if not part.endswith(":?")} == {"ties:docid-asc"}, "what no case shows is open"
    assert list(found.by_variant) == [("lib", "v"), ("lib", "w")]
    assert found.by_variant["lib", "w"] == [w]
    assert found.by_axis["ties"] == {("lib", "v"): [("P@k", v.axes["ties"])], ("lib", "w"): [("P@k", w.axes["ties"])]}
    assert found.by_axis["gain"] == {}


def test_a_claim_is_shown_by_the_simplest_case(tmp_path: Path) -> None:
    at = replace(CASE, id="ties/larger", input=replace(CASE.input, run=(*CASE.input.run, ("q1", "z", 0.1, 4))))
    two = said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc", "missing=0")
    small = said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc")
    large = replace(small, case=at.id)
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n")
    for rows, witness in (((two, large), at.id), ((large, small), CASE.id), ((small, large), CASE.id)):
        (one,) = find(report_of(*rows, cases=(CASE, at), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness


def test_a_default_is_shown_only_by_a_case_that_tells_it_from_another_value(tmp_path: Path) -> None:
    own = library(tmp_path, "[profiles.w]\n'*' = ''\n")
    zero, half = {"q1": "0", "mean": "0"}, {"q1": "1/2", "mean": "1/2"}
    for by_spec, witness in (
        ({"standard": zero, "taste=odd": half, "ties=input": half}, CASE.id),
        ({"standard": zero, "ties=input": zero}, ""),
        ({"standard": zero, "ties=input missing=dropped": half}, ""),
        ({"standard": zero, "missing=dropped": half}, ""),
    ):
        case = replace(CASE, expect={"P@2": by_spec})
        (one,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(case,), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness
    (unknown,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(), libraries=(own,)), tmp_path).fingerprints
    assert unknown.axes["ties"].witness == "", "the case is not there any more"


# -- examples and names of measures -----------------------------------------------------------------------------------


def test_what_trec_eval_averages_or_divides_otherwise_is_no_other_name_of_a_measure() -> None:
    elsewhere = {name: names_elsewhere(name) for name in ("AP", "Bpref", "R", "RR")}
    assert {"map_cut", "Recall", "recip_rank"} <= {*elsewhere["AP"], *elsewhere["R"], *elsewhere["RR"]}
    others = {"AP": "gm_map", "Bpref": "gm_bpref", "R": "relative_P"}  # a geometric mean, and another divisor
    assert [of for of, name in others.items() if name in elsewhere[of]] == []


def test_a_drawn_example_has_its_docs_to_the_cutoff_in_full_and_those_below_it_pale() -> None:
    examples = [one for one in map(example, MEASURES) if one is not None]
    bars = [(one.cut, bar) for one in examples for ranked in one.rankings for bar in ranked.bars]
    assert [bar.within for _, bar in bars] == [cut is None or bar.rank <= cut for cut, bar in bars]
    assert any(bar.rank == cut for cut, bar in bars)
    assert any(not bar.within for _, bar in bars)


def test_the_sums_of_the_drawn_rankings_make_the_value_that_is_told() -> None:
    examples = {name: one for name in MEASURES if (one := example(name)) is not None and one.discounted}
    for name, one in examples.items():
        asked, *ideal = (float(ranked.sum) for ranked in one.rankings)
        assert asked / (ideal[0] if ideal else 1) == pytest.approx(float(one.value), abs=1e-3), name
        gains = [[bar.gain for bar in ranked.bars] for ranked in one.rankings[1:]]
        assert all(heights == sorted(heights, reverse=True) for heights in gains), name
    assert {"DCG", "nDCG"} <= examples.keys()


def test_the_same_name_in_other_letters_is_no_other_name_and_none_is_told_twice() -> None:
    for name in (*MEASURES, *CLUSTERINGS):
        letters = [called.casefold() for called in (name, *names_elsewhere(name))]
        assert len(letters) == len({*letters}), (name, names_elsewhere(name))
