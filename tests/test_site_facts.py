"""What the pages tell from: rankings as they are drawn, scales, what is known of each axis, counts; each as a whole, worked out by hand."""

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases.inputs import Input
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.judging.results_file import RunResults
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.reference_answers import Oracle
from rankproof.site.axis_knowledge import Findings, find
from rankproof.site.lines import NOBODY, NumberLine, number_line
from rankproof.site.page_sources import Choice, Told, choices
from rankproof.site.pages.axis_pages import _how_many
from rankproof.site.rankings import MOST, Crossed, Drawn, Place, crossed, drawn
from rankproof.telling.run_report import Report

CASE = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
OTHER = corpus.load(corpus.HERE / "gain" / "linear-exp-binary.toml")


# -- rankings ----------------------------------------------------------------------------------------------------------


def of(*qrels: tuple[str, str, float], run: tuple[tuple[str, str, float], ...], **more: tuple[str, ...]) -> list[Drawn]:
    """Rankings of which the measures asked are cut at 2."""
    return drawn(replace(CASE, input=Input(qrels, tuple((*one, 1) for one in run), **more)))


def test_a_ranking_is_drawn_under_standard_with_what_each_doc_brings() -> None:
    qrels = [("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 3), ("q1", "d", 2.5), ("q1", "e", -1), ("q1", "f", 0.5)]
    run = (("q1", "e", 0.25), ("q1", "a", 1.0), ("q1", "b", 1.0), ("q1", "c", 0.5), ("q1", "x", 2.5))
    (found,) = of(*qrels, run=run)
    # Discounts are log2(rank + 1): of 2, 3, 4, 5 and 6.
    assert found.places == (
        Place(1, "x", "2.5", 1, "", "0", "1.0000", "0", cut=False, relevant=False),
        Place(2, "b", "1", 2, "0", "0", "1.5850", "0", cut=True, relevant=False),
        Place(3, "a", "1", 0, "1", "1", "2.0000", "0.5000", cut=False, relevant=True),
        Place(4, "c", "0.5", 1, "3", "3", "2.3219", "1.2920", cut=False, relevant=True),
        Place(5, "e", "0.25", 1, "-1", "0", "2.5850", "0", cut=False, relevant=False),
        Place(None, "f", "", 1, "0.5", "", "", "", cut=False, relevant=False),
        Place(None, "d", "", 1, "2.5", "", "", "", cut=False, relevant=True),
    )
    assert (found.query, found.left_out, found.remark, found.ties) == ("q1", 0, "", True)


@pytest.mark.parametrize(
    ("qrels", "run", "more", "remark", "docs"),
    [
        ([("q1", "a", 1)], (), {}, "The run does not have this query.", ["a"]),
        ([("q1", "a", 1)], (), {"empty_in_run": ("q1",)}, "The ranking is empty.", ["a"]),
        ([], (("q1", "a", 1.0),), {}, "The qrels judge no doc of it.", ["a"]),
        ([], (), {"empty_in_qrels": ("q1",)}, "The run does not have this query. The qrels judge no doc of it.", []),
        ([("q1", "a", 1)], (("q1", "a", 1.0), ("q1", "a", 2.0)), {},
         "The run names a doc twice, which standard refuses; both rows are drawn.", ["a", "a"]),
        ([("q1", "a", 1), ("q1", "a", 0)], (("q1", "a", 1.0),), {},
         "The qrels judge a doc twice, which standard refuses; the first judgment is drawn.", ["a"]),
        ([("q1", "a", 1)], (("q1", "a", 1.0), ("q1", "b", math.nan), ("q1", "c", 3.0)), {},
         "A score is not a number, so no order is right; the rows are drawn as given.", ["a", "b", "c"]),
        ([("q1", "a", 1)], (("q1", "a", 1.0), ("q1", "b", 2.0)), {}, "", ["b", "a"]),
    ],
)  # fmt: skip
def test_what_is_odd_about_a_query_is_said(
    qrels: list[tuple[str, str, float]],
    run: tuple[tuple[str, str, float], ...],
    more: dict[str, tuple[str, ...]],
    remark: str,
    docs: list[str],
) -> None:
    (found,) = of(*qrels, run=run, **more)
    assert (found.remark, [place.doc for place in found.places], found.ties) == (remark, docs, False)
    assert {place.rel for place in found.places if place.doc == "a"} <= {"1", ""}, "of two judgments the first"


def test_each_query_is_drawn_and_no_more_ranks_than_there_is_room_for() -> None:
    many = tuple(("q2", f"d{i}", float(-i)) for i in range(MOST + 3))
    first, second = of(("q1", "a", 1), run=(("q1", "a", 1.0), *many))
    assert (first.query, second.query) == ("q1", "q2")
    assert [place.rank for place in second.places] == list(range(1, MOST + 1))
    assert (first.left_out, second.left_out) == (0, 3)


def test_two_labelings_are_counted_pair_by_pair() -> None:
    labels = replace(CASE, input=Input(true=("a", "a", "b", 1), predicted=("x", "y", "y", "y")))
    assert crossed(labels) == Crossed(("a", "b", "1"), ("x", "y"), ((1, 1), (0, 1), (0, 1)))
    assert crossed(CASE) == Crossed((), (), ())


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
    return number_line(report_of(*rows), case, Oracle(case.input), "P@2", rows, query)


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
        (math.inf, [None, 50, 25, 0], ["0", ".25", ".5", ".75", "1"]),
        (math.nan, [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
        ("absent", [50, 25, 0, None], ["0", ".25", ".5", ".75", "1"]),
    ],
)
def test_answers_stand_on_a_scale_of_round_numbers_the_greatest_first(
    value: float | str, places: list[float | None], ticks: list[str]
) -> None:
    # The case itself gives 0, 1/4 and 1/2.
    found = line_of(said("v", value))
    assert [line.at for line in found.lines] == places
    assert found.ticks == tuple(zip((0.0, 25.0, 50.0, 75.0, 100.0), ticks, strict=True))
    assert found.unit is (ticks[-1] == "1" and ticks[0] == "0")
    assert found.standard == (87.5 if value == -7 else 0.0)


def test_a_line_has_who_says_it_and_the_conventions_that_give_it() -> None:
    found = line_of(
        said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc", note="claimed"), said("o", 0.0, Verdict.AGREES, note="as is"),
        said("w", 0.3, note="it moved"), replace(said("v", 1.0), query="q1"),
    )  # fmt: skip
    assert [(line.shown, line.mark, line.standard, line.specs, line.unsaid) for line in found.lines] == [
        (".5", "convention", False, ("ties=docid-asc", "ties=input", "ties=best"), ["ties=input", "ties=best"]),
        (".3", "fails", False, (), []),
        (".25", NOBODY, False, ("ties=expectation",), ["ties=expectation"]),
        ("0", "agrees", True, ("standard", "ties=input-reversed", "ties=worst", "ties=last-rank"),
         ["ties=input-reversed", "ties=worst", "ties=last-rank"]),
    ]  # fmt: skip
    assert [[(voice.who, voice.note, voice.names) for voice in line.voices] for line in found.lines] == [
        [((("lib", "v", "lib/v"),), "claimed", ("lib/v",))], [((("lib", "w", "lib/w"),), "it moved", ("lib/w",))], [],
        [((("other", "", "other"),), "", ("other",))],
    ]  # fmt: skip
    assert (found.asked, found.differ, found.answers, found.unanimous, found.measure) == (3, 2, 3, False, "P@2")
    assert found.lines[0].voices[0].by_library == [("lib", ["v"])]
    assert found.lines[-1].voices[0].by_library == [("other", [])]


def test_a_refusal_stands_with_the_errors_and_by_itself_where_nobody_refuses() -> None:
    refusing = replace(CASE, expect={"P@2": {"standard": {}, "ties=rejected": {}, "nonsense=1": {}}})
    refused = replace(said("v", None, Verdict.ERROR), error="ValueError: no")
    given = Input((("q1", "a", -1),), (("q1", "a", 1.0, 1),))
    negative = replace(refusing, input=given, expect={"P@2": {"standard": {}, "negative=rejected": {}}})
    assert [(line.shown, line.specs) for line in line_of(refused, case=negative).lines] == [
        ("0", ("standard",)), ("error", ("negative=rejected",)),
    ]  # fmt: skip
    assert [(line.shown, line.specs) for line in line_of(said("v", 0.0), case=negative).lines] == [
        ("0", ("standard",)), ("refused", ("negative=rejected",)),
    ]  # fmt: skip
    assert [spec for line in line_of(said("v", 0.0), case=refusing).lines for spec in line.specs] == ["standard"]


def test_where_the_reference_cannot_tell_the_rows_say_what_standard_is() -> None:
    unknown = replace(said("v", 0.75), measure="no measure", expected=0.75)
    found = number_line(report_of(unknown), CASE, Oracle(CASE.input), "no measure", [unknown])
    assert [(line.shown, line.standard) for line in found.lines] == [(".75", True)]
    assert found.standard == 75.0


def test_an_answer_that_is_not_judged_is_marked_as_undefined() -> None:
    (line,) = line_of(replace(said("v", 0.0), verdict=Verdict.UNSUPPORTED), case=replace(CASE, expect=None)).lines
    assert line.mark == "undefined"


def test_all_are_of_one_mind_or_not() -> None:
    alone = replace(CASE, expect={"P@2": {"standard": {}}})
    assert line_of(said("v", 0.0, Verdict.AGREES), case=alone).unanimous
    assert not line_of(said("v", 0.0, Verdict.KNOWN), case=alone).unanimous
    assert not line_of(said("v", 0.0, Verdict.AGREES)).unanimous, "the case names conventions that give something else"


def test_a_query_has_a_line_of_its_own() -> None:
    found = line_of(said("v", 0.0), replace(said("v", 0.5), query="q1"), query="q1")
    assert [(line.shown, bool(line.voices)) for line in found.lines] == [(".5", True), (".25", False), ("0", False)]
    assert found.asked == 1


def test_who_tells_of_a_cases_only_query_alone_stands_in_its_line() -> None:
    """Three who tell the mean, both, and the query: the second is not counted twice, and who is asked two queries has no such line."""
    rows = [said("v", 0.5), said("w", 0.5), replace(said("w", 0.75), query="q"), replace(said("o", 0.25), query="q")]
    one = replace(CASE, input=Input(qrels=(("q", "a", 1),), run=(("q", "a", 1.0, 1),)), expect=None)
    two = replace(one, input=Input(qrels=(("q", "a", 1), ("r", "a", 1)), run=(("q", "a", 1.0, 1),)))
    standing = [
        {line.shown: {v.who[0][:2] for v in line.voices} for line in line_of(*rows, case=case).lines if line.voices}
        for case in (one, two)
    ]
    of_means = {".5": {("lib", "")}}
    assert standing == [of_means | {".25": {("other", "")}}, of_means]


def test_a_case_without_a_right_answer_has_no_standard() -> None:
    undefined = replace(CASE, tags=(*CASE.tags, corpus.UNDEFINED), expect=None)
    found = line_of(said("v", 0.25, Verdict.UNDEFINED), case=undefined)
    assert [(line.shown, line.mark, line.standard, line.specs) for line in found.lines] == [
        (".25", "undefined", False, ())
    ]
    assert found.standard is None


# -- what is known of each axis ----------------------------------------------------------------------------------------


def library(folder: Path, claims: str) -> Library:
    path = folder / "lib.toml"
    path.write_text(FAKE.replace('"fake"', '"lib"') + claims, encoding="utf-8")
    return Library("lib", folder / "lib_adapter.py", load(path))


def claimed(tmp_path: Path, *rows: Row) -> Findings:
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n[profiles.w]\n'*' = ''\n")
    return find(report_of(*rows, cases=(CASE, OTHER), libraries=(own,)), tmp_path)


def test_without_a_file_of_fingerprints_the_sheets_say_what_is_claimed(tmp_path: Path) -> None:
    found = claimed(
        tmp_path, said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), said("w", 0.0, Verdict.AGREES), said("o", 0.0, Verdict.AGREES),
        replace(said("v", 0.1), measure="AP"), replace(said("w", 0.1, Verdict.AGREES), measure="no measure"),
    )  # fmt: skip
    assert not found.proved
    v, w = found.fingerprints
    assert [(one.subject, one.key, one.profile.ties) for one in (v, w)] == [
        (SUBJECTS["v"], "P@k", "docid-asc"), (SUBJECTS["w"], "P@k", "docid-desc"),
    ]  # fmt: skip
    assert v.axes["ties"] == AxisFinding("ties", "docid-asc", CASE.id, "P@2", {})
    assert w.axes["ties"] == AxisFinding("ties", "docid-desc", CASE.id, "P@2", {}), (
        "the case expects other values of other ties"
    )
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
    two, large, small = (
        said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc", "missing=0"),
        replace(said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), case=at.id),
        replace(said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), case=CASE.id),
    )
    own = library(tmp_path, "[profiles.v]\n'*' = 'ties=docid-asc'\n")
    for rows, witness in (((two, large), at.id), ((large, small), CASE.id), ((small, large), CASE.id)):
        (one,) = find(report_of(*rows, cases=(CASE, at), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness


def test_a_default_is_shown_only_by_a_case_that_tells_it_from_another_value(tmp_path: Path) -> None:
    own = library(tmp_path, "[profiles.w]\n'*' = ''\n")
    zero, half = {"q1": "0", "mean": "0"}, {"q1": "1/2", "mean": "1/2"}
    for by_spec, witness in (
        ({"standard": zero, "taste=odd": half, "ties=input": half}, CASE.id), ({"standard": zero, "ties=input": zero}, ""),
        ({"standard": zero, "ties=input missing=dropped": half}, ""), ({"standard": zero, "missing=dropped": half}, ""),
    ):  # fmt: skip
        case = replace(CASE, expect={"P@2": by_spec})
        (one,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(case,), libraries=(own,)), tmp_path).fingerprints
        assert one.axes["ties"].witness == witness
    (unknown,) = find(report_of(said("w", 0.0, Verdict.AGREES), cases=(), libraries=(own,)), tmp_path).fingerprints
    assert unknown.axes["ties"].witness == "", "the case is not there any more"


# -- what several pages need -------------------------------------------------------------------------------------------


def told(*rows: Row, cases: tuple[corpus.Case, ...] = (CASE, OTHER), libraries: tuple[Library, ...] = ()) -> Told:
    report = report_of(*rows, cases=cases, libraries=libraries)
    return Told(report, find(report, Path("/no/such/folder")))


def test_what_the_pages_share_is_of_the_rows(tmp_path: Path) -> None:
    rows = (
        said("o", 0.0, Verdict.AGREES), said("v", 0.5, Verdict.CONVENTION, "ties=docid-asc"), said("w", 0.25, Verdict.UNDEFINED),
        replace(said("v", None, Verdict.UNSUPPORTED), measure="AP"), replace(said("w", 0.0, Verdict.AGREES), case=OTHER.id, measure="AP"),
        Row("", Subject("unasked"), "", None, Verdict.NOT_INSTALLED, note="no module"),
    )  # fmt: skip
    found = told(*rows, libraries=(library(tmp_path, ""),))
    assert found.variants == [("lib", "v"), ("lib", "w"), ("other", "v")], (
        "as the results name them, those of a library together"
    )
    assert found.library_names == ["lib", "other", "unasked"]
    assert found.asked_variants == {"lib": [("lib", "v"), ("lib", "w")], "other": [("other", "v")]}, (
        "none of who was not asked"
    )
    assert found.names[("lib", "v")] == "lib/v"
    assert found.names[("other", "v")] == "other"
    assert list(found.sheets) == ["lib"]
    assert found.known_cases == {CASE.id, OTHER.id}
    assert {case: {measure: len(of_) for measure, of_ in by.items()} for case, by in found.by_case.items()} == {
        CASE.id: {"P@2": 3}, OTHER.id: {"AP": 1},
    }  # fmt: skip
    assert found.counts["lib", "v"] == Counter({"convention": 1, "unsupported": 1})
    assert found.counts["lib", "w"] == Counter({"undefined": 1, "agrees": 1})
    assert found.kind(said("v", 0.3)) == "fails"
    assert (found.divided(CASE.id), found.divided(OTHER.id), found.divided("ties/none")) == ((1, 3), (0, 1), (0, 0))
    assert list(found.effects) == ["ties=docid-asc"]


def test_an_axis_is_decided_where_one_of_its_values_alone_moves_something() -> None:
    assert told().decided_alone == {CASE.id: {"ties"}, OTHER.id: {"gain"}}
    same = {
        "standard": {"q1": "1/2"},
        "ties=input": {"q1": "1/2"},
        "gain=exp ties=best": {"q1": "1"},
        "taste=odd": {"q1": "1"},
    }
    moving = {**same, "missing=dropped": {"q1": "1/4"}}
    without = {"ties=input": {"q1": "1/2"}}
    for expect, axes in (
        ({"P@2": same}, set()),
        ({"P@2": moving}, {"missing"}),
        ({"P@2": without}, set()),
        (None, set()),
    ):
        assert told(cases=(replace(CASE, expect=expect),)).decided_alone == {CASE.id: axes}


def test_the_values_of_a_variant_on_an_axis_are_told_with_what_shows_them() -> None:
    by_input, silent = AxisFinding("ties", "input", "ties/a", "P@2", {}), AxisFinding("ties", "input", "", "", {})
    plain = AxisFinding("ties", "docid-desc", "", "", {}, why="no case")
    open_ = AxisFinding("ties", None, "", "", {}, ("best", "worst"))
    assert choices([("AP", open_), ("RR", plain), ("P@k", silent), ("R@k", by_input)]) == [
        Choice("input", standard=False, keys=("P@k", "R@k"), witness="ties/a", why=""),
        Choice("docid-desc", standard=True, keys=("RR",), witness="", why="no case"),
        Choice(None, standard=False, keys=("AP",), witness="", why="one of best, worst"),
    ]
    why = replace(open_, why="no tie was asked")
    assert choices([("AP", why)])[0].why == "no tie was asked"
    of_three = choices([("AP", why), ("RR", open_), ("P@k", why), ("R@k", replace(why, why="another"))])
    assert [(one.keys, one.why) for one in of_three] == [
        (("AP", "P@k"), "no tie was asked"), (("RR",), "one of best, worst"), (("R@k",), "another"),
    ]  # fmt: skip


def test_values_that_no_answer_tells_apart_are_told_beside_the_one_that_is_named() -> None:
    sure, may = (
        AxisFinding("ties", "worst", "ties/a", "P@2", {}),
        AxisFinding("ties", "worst", "", "", {}, same=("best",)),
    )
    assert choices([("AP", sure), ("RR", may), ("P@k", sure)]) == [
        Choice("worst", standard=False, keys=("AP", "P@k"), witness="ties/a", why=""),
        Choice("worst", standard=False, keys=("RR",), witness="", why="", others=("best",)),
    ]


def test_who_may_take_a_value_is_counted_apart_from_who_does() -> None:
    taken = Choice("worst", standard=False, keys=("AP",), witness="", why="")
    a, b, c = ("a", "x"), ("b", "x"), ("c", "x")
    assert _how_many([(a, taken, ()), (a, taken, ("best",)), (b, taken, ("best",)), (c, taken, ())]) == (
        "2 take it, 1 more may"
    )
    assert _how_many([(a, taken, ())]) == "1 takes it"
    assert _how_many([(a, taken, ("best",)), (b, taken, ("best",))]) == "2 may"
