"""Which known exceptions of libraries some data meets: what sheets say of them, held against the cases in which they were seen."""

import json
from math import inf, log2
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from ir_measures import Qrel, ScoredDoc
from published_run import REPORTS
from sklearn.metrics import coverage_error
from strategies import judged_as, run_of

from rankproof import evaluate
from rankproof.cases import Case, load_all
from rankproof.cli.explain import command
from rankproof.evaluate.inputs.rows import Columns, rows_apart
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import published, subject_named
from rankproof.evaluate.result import Result
from rankproof.explain.run_data import RunData
from rankproof.inference.data_conditions import OF_MEASURE, OF_QUERY, ROWS_APART, WHOLE, queries_meeting
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import collection
from rankproof.judge import results_file
from rankproof.measure_forms import key_of
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.workers.known_libraries import libraries
from rankproof.workers.sheets import ADAPTERS

PINS = [(library.name, pin) for library in libraries() for pin in library.sheet.pins.values()]
CASES = {case.id: case for case in load_all()}
ORDINARY = RunData(
    {"1": judged_as(a=1, b=0, c=2), "2": judged_as(a=1, d=0), "3": judged_as(b=1, c=0)},
    {"1": run_of("a", "b", "c"), "2": run_of("d", "a"), "3": run_of("c", "e", "b")},
)


def queries_of(condition: str, data: RunData, measure: Measure) -> tuple[str, ...]:
    return queries_meeting([condition], data, measure)[condition]


def data_of(case: Case) -> RunData:
    whole = collection(case.input)
    queries = [query for query, *_ in case.input.run or ()]
    return RunData(whole.qrels, whole.run, apart=rows_apart(Columns("run", queries, queries, queries)))


def test_what_an_exception_is_about_is_there_in_every_case_in_which_it_was_seen() -> None:
    asked = [(name, pin, parse(pin.place.measure)) for name, pin in PINS]
    about = {(name, pin.known): pin.known.touches for name, pin, measure in asked if not measure.of_labels}
    assert len(about) > 50
    assert [key for key, touches in about.items() if not touches] == [], "each says what it is about"
    for name, pin, measure in asked:
        if not measure.of_labels and pin.known.touches != "id-that-is-a-number":
            met = queries_of(pin.known.touches, data_of(CASES[pin.place.case]), measure)
            assert met, (name, pin.known.touches, str(pin.place))


def test_a_sheet_can_name_every_condition_and_no_other() -> None:
    schema = json.loads((ADAPTERS / "schemas" / "sheet.schema.json").read_text(encoding="utf-8"))
    named = schema["properties"]["known"]["items"]["properties"]["touches"]["enum"]
    assert sorted(named) == sorted([*OF_QUERY, *WHOLE, *OF_MEASURE, ROWS_APART])


def test_ordinary_data_meets_none() -> None:
    names = {name for name, _ in PINS} - {"sklearn", "trectools"}
    names |= {"ir_measures/cwl_eval", "sklearn/rows", "trectools/file", "trectools/frame"}
    for measure in ("nDCG@5", "AP", "RR", "P@2", "Bpref", "Rprec"):
        assert met_by(ORDINARY, parse(measure), sorted(names)) == (), measure
    assert queries_of("", ORDINARY, parse("AP")) == ("1", "2", "3"), "what is not known is met by all"


def test_sklearn_refuses_queries_of_equal_length_with_more_than_two_grades_together() -> None:
    """Each query has two grades, and scikit-learn 1.9.1 accepts each alone."""
    measure, library = parse("CoverageError"), ["sklearn/rows"]
    run = {query: run_of("a", "b", "c") for query in "123"}
    for other, is_met in ((1, False), (2, True)):
        qrels = {"1": judged_as(a=1, b=0), "2": judged_as(b=other, c=0), "3": judged_as(c=other, a=0)}
        assert bool(met_by(RunData(qrels, run), measure, library)) is is_met
        matrix = np.array([[1, 0, 0], [0, other, 0], [0, 0, other]])
        if is_met:
            with pytest.raises(ValueError, match="multiclass-multioutput"):
                coverage_error(matrix, np.array([[3, 2, 1]] * 3))
        else:
            assert coverage_error(matrix, np.array([[3, 2, 1]] * 3)) == 2


def test_what_was_seen_of_queries_alone_is_no_exception_of_the_mean() -> None:
    """A table of trectools by query has no row for one that has no relevant doc, and the means are as they are claimed."""
    qrels = {"1": judged_as(a=1, b=0), "2": judged_as(a=0, b=0), "3": judged_as(b=1)}
    data = RunData(qrels, {query: run_of("a", "b") for query in "123"})
    names = "trectools/file", "trectools/frame"
    assert queries_of("query-without-relevant-docs", data, parse("nDCG@1")) == ("2",)
    assert [met.queries for met in met_by(data, parse("nDCG@1"), names)] == []


@pytest.mark.parametrize(
    ("groups", "is_met"),
    [
        ([(9, 9)], False),
        ([(9, 10)], True),
        ([(8, 12)], True),
        ([(1, 2_000)], False),
        ([(5, 300)], True),
        ([(20, 20)], True),
        ([(4, 4)], False),
        ([(4, 4)] * 2, False),
        ([(4, 4)] * 3, True),
    ],
)
def test_orders_of_ties_are_counted_as_docs_that_are_alike_allow_and_multiply_over_groups(
    groups: list[tuple[int, int]], *, is_met: bool
) -> None:
    """18 docs, 9 of them relevant, stand in 48,620 orders; 19 in 92,378; 8, 4 of them relevant, in 70, and three such groups in 343,000."""
    counts = [(f"{kind}{at}_", n) for at, pair in enumerate(groups) for kind, n in zip("rn", pair, strict=True)]
    docs = [[f"{name}{i}" for i in range(n)] for name, n in counts]
    rels = {doc: int(doc[0] == "r") for alike in docs for doc in alike}
    ties = ["=".join(relevant + others) for relevant, others in zip(docs[::2], docs[1::2], strict=True)]
    data = RunData({"q": judged_as(**rels)}, {"q": run_of(*ties)})
    assert bool(queries_of("more-orders-of-ties-than-are-tried", data, parse("AP"))) == is_met


def rows(**scores: float) -> list[QueryRow]:
    return [QueryRow(doc, score) for doc, score in scores.items()]


@pytest.mark.parametrize(
    ("what", "qrels", "run", "met"),
    [
        ("dash-in-a-query-id", {"a-b": [], "a_b": []}, {"-": rows(a=1), "c": rows(**{"-": 1})}, "a-b -"),
        ("doc-judged-twice", {"q": judged_as(a=1) * 2, "r": judged_as(a=1, b=1)}, {"r": rows(a=1) * 2}, "q"),
        ("doc-retrieved-twice", {"q": judged_as(a=1) * 2}, {"q": rows(a=1), "r": rows(a=2) + rows(b=1, a=1)}, "r"),
        ("more-than-1000-retrieved", {}, {str(n): rows(a=1) * n for n in (999, 1000, 1001)}, "1001"),
        ("negative-rel", {"q": judged_as(a=0), "r": judged_as(a=1, b=-1)}, {"q": rows(b=-1)}, "r"),
        (
            "negative-rel-retrieved",
            {"q": judged_as(a=0, b=-1), "r": judged_as(a=1, b=-1), "s": judged_as(b=-1)},
            {"q": rows(a=1), "r": rows(c=2, b=1), "s": []},
            "r",
        ),
        (
            "nothing-judged-retrieved",
            {"q": judged_as(a=1), "r": judged_as(a=1)},
            {"q": rows(b=1), "r": rows(b=2, a=1)},
            "q",
        ),
        ("nul-in-an-id", {"q": judged_as(**{"a\0": 1}), "r": judged_as(a=1)}, {"r\0": rows(a=1)}, "q r\0"),
        (
            "query-of-negative-rels",
            {"q": judged_as(a=-1, b=-2), "r": judged_as(a=-1, b=0), "s": []},
            {"s": rows(a=-1)},
            "q",
        ),
        (
            "query-without-relevant-docs",
            {"q": judged_as(a=0.5), "r": judged_as(a=0, b=1), "s": []},
            {"t": rows(a=1)},
            "q",
        ),
        ("rel-above-1", {"q": judged_as(a=1), "r": judged_as(a=0, b=1.5)}, {}, "r"),
        ("rel-of-64-or-more", {"q": judged_as(a=63), "r": judged_as(a=0, b=64), "s": judged_as(a=65)}, {}, "r s"),
        ("rel-of-a-million-or-more", {"q": judged_as(a=999_999), "r": judged_as(a=0, b=1_000_000)}, {}, "r"),
        ("rel-with-a-fraction", {"q": judged_as(a=2.0), "r": judged_as(a=1, b=-0.5)}, {}, "r"),
        ("row-out-of-order", {}, {"q": rows(a=3, b=2, c=1), "r": rows(a=3, b=1, c=1), "s": rows(a=3, b=1, c=2)}, "r s"),
        ("score-beyond-1e300", {}, {"q": rows(a=1e300), "r": rows(a=1, b=-2e300), "s": rows(a=2e300)}, "r s"),
        ("score-of-0-or-less", {}, {"q": rows(a=0.1), "r": rows(a=1, b=0), "s": rows(a=-1)}, "r s"),
        ("score-of-minus-infinity", {}, {"q": rows(a=-1e308), "r": rows(a=1, b=-inf), "s": rows(a=inf)}, "r"),
        ("score-that-is-0-as-float32", {}, {"q": rows(a=0), "r": rows(a=1, b=2**-150), "s": rows(a=2**-149)}, "r"),
        (
            "space-in-an-id",
            {"q": judged_as(**{" ": 1}), "r r": []},
            {"s": rows(a=1), "t": rows(**{"b\t": 1, "a b": 2})},
            "q|r r|t",
        ),
        ("empty-id", {"q": judged_as(**{"": 1}), "": []}, {"s": rows(a=1), "t": rows(a=2, **{"": 1})}, "q||t"),
        (
            "two-rels-other-than-0-and-1",
            {
                "flags": judged_as(a=0, b=1),
                "3": judged_as(a=0, b=1, c=2),
                "2": judged_as(a=0, c=2),
                "top": judged_as(a=0, b=1, c=2),
            },
            {
                "flags": rows(a=2, b=1),
                "3": rows(a=3, b=2, c=1),
                "2": rows(a=1),
                "top": rows(a=2, c=1),
                "one": rows(z=1),
            },
            "2 top",
        ),
        (
            "unranked-query-without-relevant-docs",
            {"q": judged_as(a=0), "r": judged_as(a=1), "s": [], "t": judged_as(a=0)},
            {"t": rows(a=1), "u": rows(b=1)},
            "q s",
        ),
        (
            "query-named-without-judgments",
            {"q": [], "r": [], "s": judged_as(a=1)},
            {"r": rows(a=1), "s": rows(a=1), "t": []},
            "r",
        ),
    ],
)
def test_a_query_meets_what_it_has_and_not_what_it_nearly_has(
    what: str, qrels: dict[str, list[Judgment]], run: dict[str, list[QueryRow]], met: str
) -> None:
    asked = queries_of(what, RunData(qrels, run), parse("AP"))
    assert asked == tuple(met.split("|") if "|" in met else met.split(" "))


@pytest.mark.parametrize(
    ("what", "qrels", "run", "measure", "is_met"),
    [
        ("equal-scores-in-the-run", {}, {"q": rows(a=2), "r": rows(b=1)}, "AP", False),
        ("equal-scores-in-the-run", {}, {"q": rows(a=2), "r": rows(b=2)}, "AP", True),
        ("ids-alike-as-numbers", {"q": judged_as(**{"1": 1})}, {"q": rows(**{"01": 1})}, "AP", True),
        ("ids-alike-as-numbers", {"1": judged_as(a=1)}, {"1": rows(**{"1.0": 1})}, "AP", True),
        ("ids-alike-as-numbers", {"1": judged_as(a=1)}, {"1": rows(**{"01x": 1})}, "AP", False),
        ("ids-alike-as-numbers", {"q": judged_as(Null=1)}, {}, "AP", True),
        ("no-common-query", {"q": judged_as(a=1)}, {"q": [], "r": rows(a=1)}, "AP", True),
        ("no-common-query", {"q": judged_as(a=1), "r": []}, {"r": rows(a=1)}, "AP", False),
        ("no-hit-at-all", {"q": judged_as(a=1)}, {"q": rows(b=2, a=1)}, "P@2", False),
        (
            "no-hit-at-all",
            {"q": judged_as(a=1), "r": judged_as(a=1)},
            {"q": rows(b=2, a=1), "r": rows(b=1)},
            "P@1",
            True,
        ),
        ("no-hit-at-all", {"q": judged_as(a=1)}, {"q": rows(a=1, b=2)}, "P@1", True),
        ("no-hit-at-all", {"q": judged_as(a=1)}, {"q": rows(b=1, a=2)}, "P@1", True),
        ("no-hit-at-all", {"q": judged_as(a=1)}, {"q": rows(a=1, b=1)}, "P@1", True),
        ("more-than-32-retrieved-and-no-cutoff", {}, {"q": rows(a=1) * 32}, "AP", False),
        ("more-than-32-retrieved-and-no-cutoff", {}, {"q": rows(a=1), "r": rows(a=1) * 33}, "AP", True),
        ("more-than-32-retrieved-and-no-cutoff", {}, {"q": rows(a=1) * 33}, "AP@40", False),
        ("ranking-shorter-than-the-cutoff", {}, {"q": rows(a=1, b=1), "r": rows(a=1) * 3}, "P@2", False),
        ("ranking-shorter-than-the-cutoff", {}, {"q": rows(a=1, b=1), "r": rows(a=1) * 3}, "P@3", True),
        ("ranking-shorter-than-the-cutoff", {}, {"q": rows(a=1)}, "AP", False),
        ("nothing-at-all", {"q": judged_as(a=1)}, {"q": []}, "AP", True),
        ("nothing-at-all", {"q": judged_as(a=1)}, {"r": rows(a=1)}, "AP", False),
        ("nothing-relevant", {"q": judged_as(a=0.5)}, {}, "AP", True),
        ("nothing-relevant", {"q": judged_as(a=0), "r": judged_as(a=1)}, {}, "AP", False),
        ("one-query-without-relevant-docs", {"q": judged_as(a=1)}, {"r": rows(a=1)}, "AP", True),
        ("one-query-without-relevant-docs", {"q": judged_as(a=1), "r": judged_as(a=0, b=2)}, {}, "AP", False),
        ("queries-in-another-order", dict.fromkeys("qrs", ()), dict.fromkeys("xqs", ()), "AP", False),
        ("queries-in-another-order", dict.fromkeys("qrs", ()), dict.fromkeys("qsr", ()), "AP", True),
        ("scores-nearly-equal", {}, {"q": rows(a=1, b=1, c=2)}, "AP", False),
        ("scores-nearly-equal", {}, {"q": rows(a=-1), "r": rows(b=-1 - 1e-13)}, "AP", True),
        ("persistence-of-1-asked", {"q": []}, {}, "RBP(p=0.5)", False),
        ("persistence-of-1-asked", {"q": []}, {}, "RBP(p=1)", True),
        ("relative-asked", {"q": []}, {}, "AP(rel=2)", False),
        ("threshold-asked", {"q": []}, {}, "AP(rel=2)", True),
    ],
)
def test_an_input_meets_what_it_has_and_not_what_it_nearly_has(
    what: str, qrels: dict[str, list[Judgment]], run: dict[str, list[QueryRow]], measure: str, *, is_met: bool
) -> None:
    data = RunData(qrels, run)
    assert queries_of(what, data, parse(measure)) == (tuple(data.queries) if is_met else ())
    assert is_met or queries_of("what nobody knows", data, parse(measure)) == tuple(data.queries)


INTERLEAVED = "q1 Q0 b 1 2 t\nq2 Q0 a 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 2 1 t\nq3 Q0 a 1 9 t\n"
"""By its profile cwl_eval gives RR 1/2, 1 and 1; it reads but the first row of q1."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 a 1\nq1 0 b 0\nq2 0 b 0\n")
    (tmp_path / "run").write_text(INTERLEAVED)
    (tmp_path / "sorted").write_text("".join(f"{line}\n" for line in sorted(INTERLEAVED.splitlines())))
    return [str(tmp_path / name) for name in ("qrels", "run", "sorted")]


def said(*arguments: str) -> str:
    return " ".join(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout.split())


def test_a_library_that_an_exception_may_keep_from_its_profile_is_not_said_to_follow_it(files: list[str]) -> None:
    qrels, run, in_order = files
    told = said(qrels, run, "-m", "RR")
    assert (
        "ir_measures/cwl_eval may differ in 2 of 3 queries: The rows of a query are read up to the first of another"
        in told
    )
    assert "may differ" not in said(qrels, in_order, "-m", "RR")


def test_no_number_is_explained_by_what_an_exception_may_keep_a_library_from(files: list[str]) -> None:
    qrels, run, in_order = files
    asked = ("-m", "RR", "--json", "--value", ".8333")
    apart, together = (json.loads(said(qrels, each, *asked))["explanations"][0] for each in (run, in_order))
    named = [{n for match in told["values"][0]["found"] for n in match["base"]["names"]} for told in (apart, together)]
    assert {"standard", "trec_eval"} <= named[0] & named[1]
    assert ["ir_measures/cwl_eval" in names for names in named] == [False, True]
    assert [one["name"] for one in apart["exceptions"]] == ["ir_measures/cwl_eval"]
    assert together["exceptions"] == []


# -- what `evaluate` says by the profile of a library -----------------------------------------------------------------

TEN = {"0": {str(doc): 1 for doc in range(10)}}, {"0": {str(doc): 10.0 - doc for doc in range(10)}}
"""BEIR's issue 187: a perfect run of ten relevant documents, one of which has the id of the query."""
PLAIN = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"b": 3.0, "a": 2.0, "d": 1.0}}


def of_form(library: str, measure: str) -> list[Fingerprint]:
    return [form for form in published()[subject_named(library)] if form.key == key_of(parse(measure))]


def kinds(result: Result) -> dict[str, str]:
    return {one.kind: one.text for one in result.warnings if one.kind in {"known-exception", "unexplained"}}


def test_beir_removes_a_document_with_the_id_of_its_query() -> None:
    result = evaluate(["P@10", "R@10", "nDCG@10"], *TEN, profile="beir")
    ideal = sum(1 / log2(rank + 1) for rank in range(1, 11))
    assert result.mean == pytest.approx({"P@10": 0.9, "R@10": 0.9, "nDCG@10": 1 - 1 / log2(11) / ideal})
    assert "own_doc:removed" in result.signature["P@10"]
    assert kinds(result) == {}
    again = evaluate([], *TEN, signature=result.signature["P@10"])
    assert again.mean == {"P@10": 0.9}
    untested = evaluate("AP@10", *TEN, profile="beir")
    assert any("own_doc is undetermined" in one.text and "own_doc=removed" in one.text for one in untested.warnings)
    assert not any("own_doc" in one.text for one in evaluate("AP@10", *PLAIN, profile="beir").warnings)
    assert evaluate("RR@10", *TEN, profile="beir").mean == {"RR@10": 1.0}, "its own mean reciprocal rank keeps it"


@pytest.mark.parametrize("measure", ["nDCG@2", "AP", "Rprec"])
def test_a_document_judged_twice_counts_twice_at_its_rank_in_trectools(measure: str) -> None:
    case = CASES["axes/doc-judged-twice"]
    observed = results_file.load(results_file.file_of(REPORTS, "trectools")).rows
    (mean,) = {
        row.value
        for row in observed
        if (row.case, row.variant, row.measure, row.query) == (case.id, "file", measure, None)
    }
    qrels, run = [Qrel(*row) for row in case.input.qrels], [ScoredDoc(*row[:3]) for row in case.input.run]
    result = evaluate(measure, qrels, run, profile="trectools/file")
    assert result.mean[measure] == pytest.approx(mean, abs=1e-12)
    assert kinds(result) == {}


@pytest.mark.parametrize(
    ("library", "measure", "data", "reason"),
    [
        ("recommenders", "nDCG@3", ([("q", "a", 1), ("q", "a", 1), ("q", "b", 0)], [("q", "a", 2.0)]), "merged"),
        ("torchmetrics", "nDCG@3", ([("q", "a", -1), ("q", "b", 1)], [("q", "b", 2.0), ("q", "a", 1.0)]), "rels"),
        ("trectools/frame", "Bpref", ([("q", "a", -1), ("q", "b", 1)], [("q", "b", 2.0), ("q", "a", 1.0)]), "negative"),
    ],
)
def test_a_condition_that_the_data_meets_is_said_before_the_number(
    library: str, measure: str, data: tuple[list[tuple[str, str, int]], list[tuple[str, str, float]]], reason: str
) -> None:
    qrels, run = [Qrel(*row) for row in data[0]], [ScoredDoc(*row) for row in data[1]]
    told = kinds(evaluate(measure, qrels, run, profile=library))["known-exception"]
    assert f"can give another value for {measure} on this data, in 1 of 1 query ('q')" in told
    assert reason in told
    assert "known-exception" not in kinds(evaluate(measure, *PLAIN, profile=library))
    assert kinds(evaluate(measure, qrels, run, profile="run_duplicates=both qrels_duplicates=both")) == {}
    signature = next(form.signature for form in of_form(library, measure))
    by_signature = evaluate([], qrels, run, signature=signature.replace("nDCG@10", measure))
    assert "known-exception" in kinds(by_signature)


def test_a_mark_is_repeated_with_the_number() -> None:
    (form,) = of_form("ir_measures/ranx", "SetP(relative=True)")
    told = evaluate("SetP(relative=True)", *PLAIN, profile="ir_measures/ranx")
    count = f"{len(form.missed)} of {form.subject.signed} SetP(relative=True)"
    assert count in kinds(told)["unexplained"]
    assert f"|unexplained:{len(form.missed)}|by:reference|" in told.signature["SetP(relative=True)"]
    assert kinds(evaluate("P@2", *PLAIN, profile="ir_measures/ranx")) == {}


def test_few_forms_are_marked() -> None:
    marked = [form for forms in published().values() for form in forms if form.missed]
    assert 0 < len(marked) <= 60


@pytest.mark.parametrize("profile", ["beir", "ir_measures/cwl_eval", "trectools/file"])
def test_columns_meet_the_conditions_that_rows_meet(profile: str) -> None:
    """Queries whose rows do not stand together, and documents with the ids of their queries, among 20,000 rows."""
    qrels = [Qrel(f"q{n}", f"d{i}", i % 2) for n in range(20) for i in range(10)]
    qrels += [Qrel("q3", "q3", -1)]
    run = [ScoredDoc(f"q{n}", f"d{i}", 3000.0 - i) for n in range(20) for i in range(1000)]
    run += [ScoredDoc("q3", "q3", 4000.0), ScoredDoc("q4", "z", 0.5)]
    columns, rows = (evaluate("P@5", qrels, run, profile=profile, exact=exact) for exact in (False, True))
    assert columns.checked is not None
    assert rows.checked is None
    assert columns.mean == pytest.approx(rows.mean, abs=1e-12)
    assert kinds(columns) == kinds(rows)
