"""Data of pages, derived by hand from a few rows and fingerprints: number lines, rankings, cells, followers, tables."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.report.run_report import Report
from rankproof.report.site import axis_pages, case_pages, library_pages, matrix, measure_pages
from rankproof.report.site.number_lines import Line, NumberLine, number_line
from rankproof.report.site.search_index import other_names, search_index
from rankproof.report.site.site_data import SiteData
from rankproof.workers.subjects import Subject, installation

ADA, BOB, CYD = Subject("ada", "v", "1"), Subject("bob", "v", "2", alone=False), Subject("bob", "w", "2", alone=False)
DAN = Subject("dan", "v", "3")
INSTALLATIONS = [
    installation(name, {"version": version, "variants": dict.fromkeys(variants, f"{name} as is")}).as_json()
    for name, version, variants in (("ada", "1", "v"), ("bob", "2", "vw"), ("dan", "3", "v"))
]
HEADER = {"asked": INSTALLATIONS, "rankproof": "0", "python": "3", "platform": "x", "cases": 1}
TIED = Case(
    id="ties/two",
    question="two docs are tied",
    why="",
    source="own",
    tags=("ties",),
    input=Input(qrels=(("q", "a", 1),), run=(("q", "a", 0.5, 1), ("q", "b", 0.5, 2))),
    expect={"RR": {"standard": {"q": "1/2"}, "ties=best": {"q": "1"}, "ties=expectation": {"q": "3/4"}}},
)
"""Descending ids put the relevant document a below b."""
UNEXPECTED = replace(TIED, expect=None)


def row(who: Subject, value: float | None, *conventions: str, case: Case = TIED, **more: Any) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    facts = {"measure": "RR", "query": None, "verdict": verdict, "conventions": conventions, "expected": 0.5, **more}
    return Row(case.id, who, value=value, **facts)


def data_of(rows: Sequence[Row] = (), prints: Sequence[Fingerprint] = (), cases: Sequence[Case] = (TIED,)) -> SiteData:
    return SiteData(Report(RunResults(HEADER, tuple(rows), {}), cases, []), tuple(prints))


def fingerprint(who: Subject, key: str, *findings: AxisFinding) -> Fingerprint:
    axes = {finding.axis: finding for finding in findings}
    return Fingerprint(who, key, STANDARD, axes, 9, 9, (), f"{key}|by:{who.signed}")


def follows(axis: str, value: str, *same: str) -> AxisFinding:
    return AxisFinding(axis, value, TIED.id, "RR", {}, same=same)


# -- number lines ------------------------------------------------------------------------------------------------------


def line_of(rows: Sequence[Row], case: Case = TIED) -> NumberLine:
    return number_line(data_of(rows).report, case, "RR", rows)


def who(line: Line) -> list[tuple[str, list[str], tuple[str, ...]]]:
    return [(name, variants, voice.conventions) for voice in line.voices for name, variants in voice.libraries]


def test_number_line_has_each_value_at_its_place_with_its_libraries() -> None:
    line = line_of([row(ADA, 0.5), row(BOB, 1.0, "ties=best"), row(CYD, 1.0, "order=input"), row(DAN, 0.5)])
    assert [(value.text, value.at, value.standard) for value in line.lines] == [
        ("1.0000", 100, False),
        ("0.7500", 75, False),
        ("0.5000", 50, True),
    ]
    assert who(line.lines[0]) == [("bob", ["v"], ("ties=best",)), ("bob", ["w"], ("order=input",))]
    assert who(line.lines[1]) == [], "no library, but the reference by one convention"
    assert who(line.lines[2]) == [("ada", [], ()), ("dan", [], ())], "standard first"
    assert [value.specs for value in line.lines] == [[], ["ties=expectation"], []], "ties=best is the reason of bob"
    assert (line.total, line.differ, line.standard, line.values, line.unanimous) == (4, 2, 50, 2, False)
    assert line.ticks == ["0", "0.25", "0.5", "0.75", "1"]


def test_library_is_named_once_if_all_its_variants_give_a_value() -> None:
    line = line_of([row(subject, 1.0, "ties=best") for subject in (BOB, CYD, ADA)])
    assert who(line.lines[0]) == [("bob", [], ("ties=best",)), ("ada", [], ("ties=best",))]


def test_scale_of_a_number_line_holds_all_values() -> None:
    for value, places, ends in (
        (4.0, {12.5, 100}, ("0", "4")),
        (-3.0, {87.5, 0}, ("-3", "1")),
        (1e308, {0, 100}, ("0", "1e+308")),
    ):
        line = line_of([row(ADA, 0.5), row(DAN, value)], UNEXPECTED)
        assert {value.at for value in line.lines} == places
        assert (line.ticks[0], line.ticks[-1]) == ends


def test_errors_and_notes_are_shown_and_nan_has_no_place() -> None:
    rows = [
        row(ADA, None, "norel=rejected", error="ValueError: no relevant"),
        row(DAN, float("nan"), verdict=Verdict.UNEXPLAINED, note="it was another value"),
        row(BOB, 0.25, verdict=Verdict.KNOWN, note="a bug"),
    ]
    lines = {line.text: line for line in line_of(rows, UNEXPECTED).lines}
    assert lines["error"].voices[0].texts == ["ValueError: no relevant"]
    assert lines["nan"].voices[0].texts == ["unexplained", "it was another value"]
    assert (lines["nan"].voices[0].mark, lines["0.2500"].voices[0].mark) == ("fails", "known")
    assert (lines["error"].at, lines["nan"].at, lines["0.2500"].at) == (None, None, 25)


def test_library_without_a_mean_is_shown_by_its_only_query_if_that_is_the_same() -> None:
    rows = [row(ADA, 0.5), row(DAN, 1.0, "ties=best", query="q"), row(ADA, 0.5, query="q")]
    line = line_of(rows)
    assert [name for value in line.lines for name, *_ in who(value)] == ["dan", "ada"]
    assert line.total == 2
    several = replace(TIED, input=replace(TIED.input, qrels=(("q", "a", 1), ("p", "c", 1))))
    assert line_of(rows, several).total == 1, "one of several queries is not a mean"
    dropped = replace(TIED, input=replace(TIED.input, run=()), expect={"RR": {"missing=dropped": {"q": "0"}}})
    assert line_of(rows, dropped).total == 1, "without the query there is no mean"


# -- cases -------------------------------------------------------------------------------------------------------------


def test_ranking_is_in_the_order_of_standard() -> None:
    data = Input(
        qrels=(("q", "a", 3), ("q", "c", -1), ("q", "lost", 2), ("q", "b", 0)),
        run=(("q", "c", 1.0, 1), ("q", "a", 1.0, 2), ("q", "b", 2.0, 3), ("q", "x", 0.5, 4), ("q", "b", 0.1, 5)),
    )
    (ranking,) = case_pages.rankings(replace(UNEXPECTED, input=data, also_ask=("P@3", "AP")))
    assert ranking["places"] == [
        ("1", "b", "2", "0"),
        ("2", "c", "1", "-1"),
        ("3", "a", "1", "3"),
        ("4", "x", "0.5", ""),
        ("5", "b", "0.1", "0"),
        ("–", "lost", "not retrieved", "2"),
    ]
    unordered = Input(qrels=(("q", "a", 1),), run=(("q", "a", float("nan"), 1), ("q", "b", 2.0, 2)))
    (ranking,) = case_pages.rankings(replace(UNEXPECTED, input=unordered))
    assert [doc for _, doc, *_ in ranking["places"]] == ["a", "b"], "input order if a score is not a number"


def test_labelings_are_counted_by_pairs_of_labels() -> None:
    case = replace(UNEXPECTED, input=Input(true=(1, 1, 2, 2, 2), predicted=("x", "y", "y", "y", "x")))
    labelings = case_pages.case_view(data_of(cases=[case]), case)["labelings"]
    assert (labelings["clusters"], labelings["rows"]) == (["x", "y"], [("1", [1, 1]), ("2", [1, 2])])


def test_most_disputed_measure_is_drawn_and_equal_rows_are_merged() -> None:
    sums = {"R@2": "1/1", "Success@2": "1/1", "R": "2/2"}
    expect = {measure: {"standard": {"q": text}} for measure, text in sums.items()}
    case = replace(TIED, expect={**(TIED.expect or {}), **expect})
    rows = [row(ADA, 0.5), row(DAN, 1.0, "ties=best")]
    rows += [row(subject, 1.0, measure=measure, expected=1.0) for measure in sums for subject in (ADA, DAN)]
    view = case_pages.case_view(data_of(rows, cases=[case]), case)
    assert [drawn.line.measure for drawn in view["drawn"]] == ["RR"]
    assert [measures for measures, _ in view["agreed"]] == [["R@2", "Success@2"], ["R"]], "by another sum"
    assert view["drawn"][0].arithmetic == [
        (["standard"], (("", "1/2", "0.5"),)),
        (["ties=best"], (("", "1", "1"),)),
        (["ties=expectation"], (("", "3/4", "0.75"),)),
    ]
    assert (view["differ"], view["total"]) == (1, 2)
    listed = case_pages.list_view(data_of(rows, cases=[case, replace(TIED, id="gain/b")]))["topics"]
    assert [(topic, *counts) for topic, [(_, *counts)] in listed] == [("gain", 0, 0), ("ties", 1, 2)]


def test_cases_with_ordinary_data_come_first() -> None:
    def with_run(*rows: tuple[Any, Any, float, int], grade: float = 1) -> Case:
        return replace(TIED, input=Input(qrels=(("q", "a", grade),), run=rows))

    plain = with_run(("q", "a", 0.5, 1), ("q", "b", 0.4, 2))
    odd = [
        with_run(("q", "a", float("inf"), 1)),
        with_run(("q", "a", float("nan"), 1)),
        with_run(("q", "a", -0.0, 1)),
        with_run(("q", "", 0.5, 1)),
        with_run(("q", "a", 0.5, 1), grade=0.5),
        with_run(("p", "a", 0.5, 1)),
        replace(plain, id="ids/two"),
    ]
    assert [min((case, plain), key=case_pages.plainness) for case in odd] == [plain] * len(odd)
    assert case_pages.plainness(plain, "ties") < case_pages.plainness(plain, "gain"), "it is written for ties"


# -- fingerprints ------------------------------------------------------------------------------------------------------

UNDECIDED = AxisFinding("gain", None, "", "", {}, ("exp", "linear"), "no case has one")
PRINTS = [
    fingerprint(ADA, "nDCG@k", follows("ties", "docid-desc"), follows("gain", "exp")),
    fingerprint(BOB, "nDCG@k", follows("ties", "input", "docid-desc"), UNDECIDED),
    fingerprint(CYD, "nDCG@k", follows("ties", "worst")),
    fingerprint(BOB, "AP", follows("ties", "worst")),
    fingerprint(DAN, "AP", follows("ties", "best")),
    fingerprint(DAN, "RBP(p=0.5)", follows("ties", "best")),
]
DATA = data_of([], PRINTS)


def cells_of(data: SiteData) -> dict[str, list[matrix.Cell]]:
    return {axis: own for axis, _, own in matrix.form_view(data, "nDCG@k")["rows"]}


def test_matrix_has_the_most_used_variant_of_each_library_and_standard_first() -> None:
    assert matrix.form_view(DATA, "nDCG@k")["columns"] == [("ada", "ada", "", "1"), ("bob", "bob", "v", "2")]
    cells = cells_of(DATA)
    assert cells.keys() == {"ties", "gain"}
    assert [cell.choices for cell in cells["ties"]] == [("docid-desc",), ("docid-desc", "input")]
    assert [cell.standard for cell in cells["ties"]] == [True, True]
    exp, open_ = cells["gain"]
    assert (exp.words, exp.standard, exp.witness) == (("2^grade - 1",), False, TIED.id)
    assert (open_.choices, open_.open, open_.why) == ((), ("2^grade - 1", "the grade"), "no case has one")
    assert [cell.matters for cell in cells_of(data_of([], [PRINTS[0], PRINTS[2]]))["gain"]] == [True, False]


def test_forms_have_pages_the_most_used_first() -> None:
    assert DATA.forms == ["nDCG@k", "AP", "RBP(p=0.5)"]
    assert DATA.leading == ["nDCG@k", "AP"], "forms with parameters are on the page of measures"
    assert DATA.form_pages == {"nDCG@k": "index.html", "AP": "matrix/AP.html", "RBP(p=0.5)": "matrix/RBP-p-0-5.html"}


def test_axis_has_its_followers_by_value() -> None:
    choices = axis_pages.axis_view(DATA, "ties")["choices"]
    others = ("docid-desc",)
    assert {
        value: [(f.variant, f.forms, f.others) for f in followers] for value, _, followers in choices if followers
    } == {
        "docid-desc": [(("ada", "v"), (), ()), (("bob", "v"), ("nDCG@k",), others)],
        "input": [(("bob", "v"), ("nDCG@k",), others)],
        "worst": [(("bob", "v"), ("AP",), ()), (("bob", "w"), (), ())],
        "best": [(("dan", "v"), (), ())],
    }
    (open_,) = axis_pages.axis_view(DATA, "gain")["undetermined"]
    assert (open_.variant, open_.forms, open_.why) == (("bob", "v"), ("nDCG@k",), "no case has one")


def test_example_of_an_axis_is_the_first_case_that_distinguishes_its_most_common_values() -> None:
    large = replace(TIED, id="ties/more", input=replace(TIED.input, run=(*TIED.input.run, ("q", "z", 0.1, 3))))
    values = ((ADA, 1.0), (DAN, 0.5), (BOB, 0.25))
    rows = [row(subject, 1.0, "ties=best") for subject in (ADA, DAN)]
    rows += [row(subject, value, "ties=best", case=large) for subject, value in values]
    rows += [row(CYD, 0.1, case=large)]
    rows += [row(subject, value, "gain=exp", measure="AP") for subject, value in values]
    prints = [fingerprint(ADA, "RR", follows("ties", "best")), fingerprint(CYD, "RR", follows("ties", "docid-desc"))]
    view = axis_pages.axis_view(data_of(rows, prints, cases=[large, TIED]), "ties")
    assert (view["example"]["case"].id, view["example"]["line"].measure) == ("ties/more", "RR")
    assert [case.id for case in view["deciding"]] == ["ties/two", "ties/more"]


def test_library_has_a_row_for_forms_of_the_same_conventions() -> None:
    view = library_pages.library_view(data_of([row(DAN, 1.0, "ties=best"), row(DAN, 0.5)], PRINTS), "dan")
    (variant,) = view["details"]
    assert variant["tally"] == [("agrees", 1), ("convention", 1)]
    (merged,) = variant["rows"]
    assert merged["forms"] == [("AP", "matrix/AP.html"), ("RBP(p=0.5)", "matrix/RBP-p-0-5.html")]
    assert merged["clauses"] == ("it ranks tied documents in the best order",)
    assert [signature for signature, _ in merged["signatures"]] == ["AP|by:dan-3", "RBP(p=0.5)|by:dan-3"]
    bob = library_pages.library_view(DATA, "bob")
    assert [variant["name"] for variant in bob["details"]] == ["v", "w"]
    assert bob["version"] == "2"


def test_measure_has_its_formula_its_sources_and_the_libraries_that_compute_it() -> None:
    view = measure_pages.measure_view(DATA, "AP")
    kinds = [kind for kind, _ in view["parts_of"]]
    assert kinds.index("formula") < kinds.index("text") < kinds.index("source")
    ((form, place, groups),) = view["forms"]
    assert (form, place) == ("AP", "matrix/AP.html")
    assert [libraries for libraries, _ in groups] == [[("bob", "bob/v")], [("dan", "dan")]]
    runs, labels = measure_pages.list_view(DATA)["groups"]
    assert [len(names) > 3 for _, names in (runs, labels)] == [True, True]
    (ap,) = (line for line in runs[1] if line["name"] == "AP")
    assert (ap["libraries"], ap["forms"]) == (2, [("AP", "matrix/AP.html")])


def test_search_knows_the_conventions_of_libraries_and_other_names() -> None:
    index = search_index(DATA, [])
    assert index["facts"]["nDCG@k"]["bob"]["ties"][1:] == [TIED.id, "docid-desc", "input"]
    assert index["facts"]["nDCG@k"]["bob"]["gain"] == ["", ""]
    assert index["cases"] == [["ties/two", "two docs are tied", "cases/ties/two.html", "ties"]]
    assert other_names("Success")[0] == "HitRate"
