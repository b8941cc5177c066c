"""What pages show, worked out by hand from a few rows and fingerprints: number lines, rankings, cells, followers, tables."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.report.run_report import Report
from rankproof.report.site import axis_pages, case_pages, library_pages, matrix, measure_pages
from rankproof.report.site.number_lines import Line, number_line
from rankproof.report.site.search_index import other_names, search_index
from rankproof.report.site.site_data import SiteData
from rankproof.workers.subjects import Subject, installation

ADA, BOB, CYD = Subject("ada", "v", "1"), Subject("bob", "v", "2", alone=False), Subject("bob", "w", "2", alone=False)
DAN = Subject("dan", "v", "3")
ASKED = [
    installation(name, {"version": version, "variants": dict.fromkeys(variants, f"{name} as is")}).as_json()
    for name, version, variants in (("ada", "1", "v"), ("bob", "2", "vw"), ("dan", "3", "v"))
]
HEADER = {"asked": ASKED, "rankproof": "0", "python": "3", "platform": "x", "cases": 1}
TIED = Case(
    id="ties/two",
    question="two docs are tied",
    why="",
    source="own",
    tags=("ties",),
    input=Input(qrels=(("q", "a", 1),), run=(("q", "a", 0.5, 1), ("q", "b", 0.5, 2))),
    expect={"RR": {"standard": {"q": "1/2"}, "ties=best": {"q": "1"}, "ties=expectation": {"q": "3/4"}}},
)
"""By ids, descending, the relevant document a comes after b."""


def row(
    who: Subject, value: float | None, *conventions: str, case: Case = TIED, measure: str = "RR", **more: object
) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    fields: dict[str, object] = {"query": None, "verdict": verdict, "conventions": conventions, "expected": 0.5, **more}
    return Row(case.id, who, measure, value=value, **fields)  # type: ignore[arg-type]


def data_of(
    rows: Sequence[Row] = (), fingerprints: Sequence[Fingerprint] = (), cases: Sequence[Case] = (TIED,)
) -> SiteData:
    return SiteData(Report(RunResults(HEADER, tuple(rows), {}), cases, []), tuple(fingerprints))


def fingerprint(who: Subject, key: str, **found: AxisFinding) -> Fingerprint:
    return Fingerprint(who, key, STANDARD, found, 9, 9, (), f"{key}|by:{who.signed}")


def follows(axis: str, value: str, *same: str, witness: str = TIED.id) -> AxisFinding:
    return AxisFinding(axis, value, witness, "RR", {}, same=same)


def undecided(axis: str, *remaining: str) -> AxisFinding:
    return AxisFinding(axis, None, "", "", {}, remaining, "no case has one")


# -- number lines ------------------------------------------------------------------------------------------------


def who(line: Line) -> list[tuple[str, list[str], tuple[str, ...]]]:
    return [(name, variants, voice.conventions) for voice in line.voices for name, variants in voice.libraries]


def test_a_number_line_has_each_value_at_its_place_with_who_gives_it() -> None:
    rows = [row(ADA, 0.5), row(BOB, 1.0, "ties=best"), row(CYD, 1.0, "order=input"), row(DAN, 0.5)]
    line = number_line(data_of(rows).report, TIED, "RR", rows)
    assert [(one.text, one.at, one.standard) for one in line.lines] == [
        ("1.0000", 100, False),
        ("0.7500", 75, False),
        ("0.5000", 50, True),
    ]
    assert who(line.lines[0]) == [("bob", ["v"], ("ties=best",)), ("bob", ["w"], ("order=input",))]
    assert who(line.lines[1]) == [], "no library, but the reference by one convention"
    assert line.lines[1].specs == ["ties=expectation"]
    assert who(line.lines[2]) == [("ada", [], ()), ("dan", [], ())], "standard first"
    assert [one.specs for one in line.lines] == [[], ["ties=expectation"], []], "ties=best is the reason of bob"
    assert (line.total, line.differ, line.standard, line.values, line.unanimous) == (4, 2, 50, 2, False)
    assert line.ticks == ["0", "0.25", "0.5", "0.75", "1"]


def test_a_library_is_named_once_if_all_its_variants_give_a_value() -> None:
    rows = [row(BOB, 1.0, "ties=best"), row(CYD, 1.0, "ties=best"), row(ADA, 1.0, "ties=best")]
    line = number_line(data_of(rows).report, TIED, "RR", rows)
    assert who(line.lines[0]) == [("bob", [], ("ties=best",)), ("ada", [], ("ties=best",))]


@pytest.mark.parametrize(
    ("values", "places", "ends"),
    [
        ((0.5, 4.0), (12.5, 100), ("0", "4")),
        ((0.5, -3.0), (87.5, 0), ("-3", "1")),
        ((0.5, 1e308), (0, 100), ("0", "1e+308")),
    ],
)
def test_a_scale_holds_all_values(values: tuple[float, ...], places: tuple[float, ...], ends: tuple[str, str]) -> None:
    rows = [row(who, value, expected=0.5) for who, value in zip((ADA, DAN), values, strict=True)]
    line = number_line(data_of(rows).report, replace(TIED, expect=None), "RR", rows)
    assert {one.at for one in line.lines} == {*places}
    assert (line.ticks[0], line.ticks[-1]) == ends


def test_errors_and_notes_are_told_and_nothing_has_no_place() -> None:
    rows = [
        row(ADA, None, "norel=rejected", error="ValueError: no relevant"),
        row(DAN, float("nan"), verdict=Verdict.UNEXPLAINED, note="it was another value"),
        row(BOB, 0.25, verdict=Verdict.KNOWN, note="a bug"),
    ]
    line = number_line(data_of(rows).report, replace(TIED, expect=None), "RR", rows)
    shown = {one.text: one for one in line.lines}
    assert shown["error"].voices[0].texts == ["ValueError: no relevant"]
    assert shown["nan"].voices[0].texts == ["unexplained", "it was another value"]
    assert (shown["nan"].voices[0].mark, shown["0.2500"].voices[0].mark) == ("fails", "known")
    assert (shown["error"].at, shown["nan"].at, shown["0.2500"].at) == (None, None, 25)


def test_who_gives_no_mean_is_shown_by_its_only_query_if_that_is_the_same() -> None:
    rows = [row(ADA, 0.5), row(DAN, 1.0, "ties=best", query="q"), row(ADA, 0.5, query="q")]
    line = number_line(data_of(rows).report, TIED, "RR", rows)
    assert [name for one in line.lines for name, *_ in who(one)] == ["dan", "ada"]
    assert line.total == 2
    geometric = replace(TIED, expect={"RR": {"standard": {"q": "1/2"}, "zero=dropped mean=geometric": {"q": "1/2"}}})
    several = replace(TIED, input=replace(TIED.input, qrels=(("q", "a", 1), ("p", "c", 1))))
    assert geometric.queries == ("q",)
    assert number_line(data_of(rows).report, several, "RR", rows).total == 1, "a query of several is no mean"


# -- rankings ----------------------------------------------------------------------------------------------------


def test_a_ranking_is_in_the_order_of_standard() -> None:
    data = Input(
        qrels=(("q", "a", 3), ("q", "c", -1), ("q", "lost", 2), ("q", "b", 0)),
        run=(("q", "c", 1.0, 1), ("q", "a", 1.0, 2), ("q", "b", 2.0, 3), ("q", "x", 0.5, 4), ("q", "b", 0.1, 5)),
    )
    (drawn,) = case_pages.rankings(replace(TIED, input=data, expect=None, also_ask=("P@3", "AP")))
    assert drawn["places"] == [
        ("1", "b", "2", "0"),
        ("2", "c", "1", "-1"),
        ("3", "a", "1", "3"),
        ("4", "x", "0.5", ""),
        ("5", "b", "0.1", "0"),
        ("–", "lost", "not retrieved", "2"),
    ]


def test_scores_that_are_no_numbers_leave_the_input_order() -> None:
    data = Input(qrels=(("q", "a", 1),), run=(("q", "a", float("nan"), 1), ("q", "b", 2.0, 2)))
    (drawn,) = case_pages.rankings(replace(TIED, input=data, expect=None))
    assert [doc for _, doc, *_ in drawn["places"]] == ["a", "b"]


def test_labelings_are_counted_by_pairs_of_labels() -> None:
    case = replace(TIED, input=Input(true=(1, 1, 2, 2, 2), predicted=("x", "y", "y", "y", "x")), expect=None)
    shown = case_pages.case_view(data_of(cases=[case]), case)["labelings"]
    assert (shown["clusters"], shown["rows"]) == (["x", "y"], [("1", [1, 1]), ("2", [1, 2])])


# -- cases -------------------------------------------------------------------------------------------------------


def test_the_most_disputed_measure_is_drawn_and_equal_rows_are_merged() -> None:
    sums = {"R@2": "1/1", "Success@2": "1/1", "R": "2/2"}
    case = replace(
        TIED, expect={**(TIED.expect or {}), **{measure: {"standard": {"q": sum_}} for measure, sum_ in sums.items()}}
    )
    rows = [row(ADA, 0.5), row(DAN, 1.0, "ties=best")]
    rows += [row(one, 1.0, measure=measure, expected=1.0) for measure in sums for one in (ADA, DAN)]
    view = case_pages.case_view(data_of(rows, cases=[case]), case)
    assert [one.line.measure for one in view["drawn"]] == ["RR"]
    assert [measures for measures, _ in view["agreed"]] == [["R@2", "Success@2"], ["R"]], "by another sum"
    assert view["drawn"][0].arithmetic == [
        (["standard"], (("", "1/2", "0.5"),)),
        (["ties=best"], (("", "1", "1"),)),
        (["ties=expectation"], (("", "3/4", "0.75"),)),
    ]
    assert (view["differ"], view["total"]) == (1, 2)


def test_cases_are_listed_by_topic() -> None:
    others = [replace(TIED, id=name) for name in ("gain/b", "ties/a")]
    view = case_pages.list_view(data_of([row(ADA, 1.0, "ties=best"), row(DAN, 0.5)], cases=[TIED, *others]))
    assert [(topic, [(case.id, *counts) for case, *counts in lines]) for topic, lines in view["topics"]] == [
        ("gain", [("gain/b", 0, 0)]),
        ("ties", [("ties/two", 1, 2), ("ties/a", 0, 0)]),
    ]


# -- fingerprints ------------------------------------------------------------------------------------------------

PRINTS = [
    fingerprint(ADA, "nDCG@k", ties=follows("ties", "docid-desc"), gain=follows("gain", "exp")),
    fingerprint(BOB, "nDCG@k", ties=follows("ties", "input", "docid-desc"), gain=undecided("gain", "exp", "linear")),
    fingerprint(CYD, "nDCG@k", ties=follows("ties", "worst")),
    fingerprint(BOB, "AP", ties=follows("ties", "worst")),
    fingerprint(DAN, "AP", ties=follows("ties", "best")),
    fingerprint(DAN, "RBP(p=0.5)", ties=follows("ties", "best")),
]


def test_the_matrix_has_the_most_used_variant_of_each_library_and_standard_first() -> None:
    view = matrix.form_view(data_of([], PRINTS), "nDCG@k")
    assert view["columns"] == [("ada", "ada", "", "1"), ("bob", "bob", "v", "2")]
    cells = {axis: own for _, rows in view["groups"] for axis, _, own in rows}
    assert cells.keys() == {"ties", "gain"}
    assert [cell.choices for cell in cells["ties"]] == [("docid-desc",), ("docid-desc", "input")]
    assert [cell.standard for cell in cells["ties"]] == [True, True]
    exp, open_ = cells["gain"]
    assert (exp.words, exp.standard, exp.witness) == (("2^grade - 1",), False, TIED.id)
    assert (open_.choices, open_.open, open_.why) == ((), ("2^grade - 1", "the grade"), "no case has one")
    only = {
        axis: own
        for _, rows in matrix.form_view(data_of([], [*PRINTS[:1], PRINTS[4]]), "AP")["groups"]
        for axis, _, own in rows
    }
    assert [cell.matters for cell in only["ties"]] == [True]


def test_forms_have_pages_the_most_used_first() -> None:
    data = data_of([], PRINTS)
    assert data.forms == ["nDCG@k", "AP", "RBP(p=0.5)"]
    assert data.leading == ["nDCG@k", "AP"], "forms with parameters are on the page of measures"
    assert data.form_pages == {"nDCG@k": "index.html", "AP": "matrix/AP.html", "RBP(p=0.5)": "matrix/RBP-p-0-5.html"}


def test_an_axis_has_its_followers_by_value() -> None:
    view = axis_pages.axis_view(data_of([], PRINTS), "ties")
    followers = {
        value: [(one.variant, one.forms, one.others) for one in own] for value, _, own in view["choices"] if own
    }
    others = ("docid-desc",)
    assert followers == {
        "docid-desc": [(("ada", "v"), (), ()), (("bob", "v"), ("nDCG@k",), others)],
        "input": [(("bob", "v"), ("nDCG@k",), others)],
        "worst": [(("bob", "v"), ("AP",), ()), (("bob", "w"), (), ())],
        "best": [(("dan", "v"), (), ())],
    }
    (open_,) = axis_pages.axis_view(data_of([], PRINTS), "gain")["undetermined"]
    assert (open_.variant, open_.forms, open_.why) == (("bob", "v"), ("nDCG@k",), "no case has one")


def test_the_example_of_an_axis_is_the_measure_and_case_with_most_values() -> None:
    small, large = (
        TIED,
        replace(TIED, id="ties/more", input=replace(TIED.input, run=(*TIED.input.run, ("q", "z", 0.1, 3)))),
    )
    rows = [row(one, value, "ties=best") for one, value in ((ADA, 1.0), (DAN, 1.0))]
    rows += [row(one, value, "ties=best", case=large) for one, value in ((ADA, 1.0), (DAN, 0.5), (BOB, 0.25))]
    rows += [
        row(one, value, "gain=exp", case=small, measure="AP") for one, value in ((ADA, 1.0), (DAN, 0.5), (BOB, 0.25))
    ]
    view = axis_pages.axis_view(data_of(rows, cases=[large, small]), "ties")
    assert (view["example"]["case"].id, view["example"]["line"].measure) == ("ties/more", "RR")
    assert [case.id for case in view["deciding"]] == ["ties/two", "ties/more"]


def test_a_library_has_a_row_for_forms_of_the_same_conventions() -> None:
    view = library_pages.library_view(data_of([row(DAN, 1.0, "ties=best"), row(DAN, 0.5)], PRINTS), "dan")
    (variant,) = view["details"]
    assert variant["tally"] == [("agrees", 1), ("convention", 1)]
    (merged,) = variant["rows"]
    assert merged["forms"] == [("AP", "matrix/AP.html"), ("RBP(p=0.5)", "matrix/RBP-p-0-5.html")]
    assert merged["clauses"] == ("it ranks tied documents in the best order",)
    assert [signature for signature, _ in merged["signatures"]] == ["AP|by:dan-3", "RBP(p=0.5)|by:dan-3"]
    bob = library_pages.library_view(data_of([], PRINTS), "bob")
    assert [one["name"] for one in bob["details"]] == ["v", "w"]
    assert bob["version"] == "2"


def test_a_measure_has_its_formula_its_sources_and_who_computes_it() -> None:
    view = measure_pages.measure_view(data_of([], PRINTS), "AP")
    kinds = [kind for kind, _ in view["parts_of"]]
    assert kinds.index("formula") < kinds.index("text") < kinds.index("source")
    ((shown, place, groups),) = view["forms"]
    assert (shown, place) == ("AP", "matrix/AP.html")
    assert [libraries for libraries, _ in groups] == [[("bob", "bob/v")], [("dan", "dan")]]
    runs, labels = measure_pages.list_view(data_of([], PRINTS))["groups"]
    assert [len(names) > 3 for _, names in (runs, labels)] == [True, True]
    (ap,) = (line for line in runs[1] if line["name"] == "AP")
    assert (ap["libraries"], ap["forms"]) == (2, [("AP", "matrix/AP.html")])


def test_the_search_knows_the_conventions_of_libraries_and_other_names() -> None:
    index = search_index(data_of([], PRINTS), [])
    assert index["facts"]["nDCG@k"]["bob"]["ties"][1:] == [TIED.id, "docid-desc", "input"]
    assert index["facts"]["nDCG@k"]["bob"]["gain"] == ["", ""]
    assert index["cases"] == [["ties/two", "two docs are tied", "cases/ties/two.html", "ties"]]
    assert other_names("Success")[0] == "HitRate"
