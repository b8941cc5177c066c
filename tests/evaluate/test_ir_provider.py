"""`rankproof.provider`: the reference, asked through ir_measures."""

import math
import subprocess
import sys
from typing import Any

import ir_measures
import pytest

import rankproof
from rankproof.evaluate.ir_provider import NotPaired
from rankproof.reference_impl.notation import UnknownMeasure

AP, P, R, Judged, nDCG = (getattr(ir_measures, name) for name in ("AP", "P", "R", "Judged", "nDCG"))  # noqa: N816

QRELS = {"0": {"x": 0, "https://en.wikipedia.org/wiki/Terrier": 2}, "1": {"x": 1}}
RUN = {
    "0": {"https://www.gla.ac.uk/": 0.0, "https://en.wikipedia.org/wiki/Terrier": -1.0},
    "1": {"https://www.google.com/": 0.0},
}
ONLY_0 = {"0": {"https://en.wikipedia.org/wiki/Terrier": 1.0}}


@pytest.fixture
def wiki() -> Any:
    def has_english_wiki(_qrels: Any, run: Any) -> float:
        return float(run.doc_id.str.startswith("https://en.wikipedia.org/").any())

    return ir_measures.define_byquery(has_english_wiki, name="HasEnglishWiki")


def test_an_evaluator_serves_several_runs() -> None:
    evaluator = rankproof.provider.evaluator([nDCG @ 10, P @ 5, P(rel=2) @ 5, Judged @ 10], QRELS)
    assert evaluator.calc_aggregate(RUN) == {
        nDCG @ 10: pytest.approx(0.6309297535714575 / 2),
        P @ 5: 0.1,
        P(rel=2) @ 5: 0.1,
        Judged @ 10: 0.25,
    }
    assert evaluator.calc_aggregate(ONLY_0) == {nDCG @ 10: 0.5, P @ 5: 0.1, P(rel=2) @ 5: 0.1, Judged @ 10: 0.5}


def test_custom_measures_stand_beside_ours_or_alone_and_iterators_serve(wiki: Any) -> None:
    measures = [nDCG @ 10, wiki @ 1, Judged @ 10, wiki]
    means = rankproof.provider.evaluator(measures, QRELS).calc_aggregate(RUN)
    assert list(means) == measures, "in the order asked"
    assert (means[wiki], means[wiki @ 1]) == (0.5, 0.0)
    for asked in ([wiki], [wiki, P @ 1]):
        qrels = (ir_measures.Qrel(q, d, rel) for q, docs in QRELS.items() for d, rel in docs.items())
        run = (ir_measures.ScoredDoc(q, d, score) for q, docs in RUN.items() for d, score in docs.items())
        found = rankproof.provider.calc_aggregate(asked, qrels, run)
        assert found == dict(zip(asked, (0.5, 0.0), strict=False))


def test_a_measure_defined_over_all_queries_serves() -> None:
    rows = ir_measures.define(lambda _qrels, run: ((q, len(docs)) for q, docs in run.groupby("query_id")), name="Rows")
    means = rankproof.provider.calc_aggregate([rows, rows @ 1, P @ 1], QRELS, RUN)
    assert means == {rows: 1.5, rows @ 1: 1.0, P @ 1: 0.0}
    found = rankproof.provider.calc([P @ 1, rows], QRELS, RUN).per_query
    assert [(one.query_id, one.measure) for one in found] == [("0", P @ 1), ("1", P @ 1), ("0", rows), ("1", rows)]


def test_a_query_without_judgments_is_ignored_and_an_empty_run_is_worth_nothing() -> None:
    assert rankproof.provider.calc_aggregate([AP], {"0": {"a": 1}}, {"0": {"a": 1}, "9": {"a": 1}}) == {AP: 1.0}
    assert rankproof.provider.calc_aggregate([AP, ir_measures.NumQ], QRELS, {}) == {AP: 0.0, ir_measures.NumQ: 2.0}


def test_the_mean_is_the_profile_s_and_counts_are_summed() -> None:
    result = rankproof.provider.with_profile("mean=pooled").calc([P @ 1, ir_measures.NumRet], QRELS, ONLY_0)
    assert result.aggregated == {P @ 1: 0.5, ir_measures.NumRet: 1.0}
    assert [tuple(metric) for metric in result.per_query] == [
        ("0", P @ 1, 1.0),
        ("1", P @ 1, 0.0),
        ("0", ir_measures.NumRet, 1.0),
        ("1", ir_measures.NumRet, 0.0),
    ]


def test_what_it_supports() -> None:
    assert rankproof.provider.is_available()
    assert rankproof.provider.supports(AP(rel=2) @ 100)
    assert not rankproof.provider.supports(ir_measures.alpha_nDCG @ 10)
    ten, five, seven = (ir_measures.alpha_nDCG @ k for k in (10, 5, 7))
    with pytest.raises(UnknownMeasure, match=r"^rankproof has no alpha_nDCG@10, alpha_nDCG@5, alpha_nDCG@7$"):
        rankproof.provider.evaluator([ten, five, AP, seven], QRELS)


def test_it_names_the_columns_it_needs() -> None:
    titles = ir_measures.define_byquery(lambda _qrels, _run: 0.0, name="Titles", run_inputs=["query_id", "title"])
    assert rankproof.provider.run_inputs([titles]) == ["query_id", "title"]
    assert rankproof.provider.run_inputs([AP, titles]) == ["query_id", "doc_id", "score", "title"]
    assert rankproof.provider.qrel_inputs([AP, titles]) == ["query_id", "doc_id", "relevance"]
    for asked in ([titles], [AP, titles], [AP]):
        assert rankproof.provider.evaluator(asked, QRELS).qrel_qids == {"0", "1"}
    assert rankproof.provider.evaluator([AP], {}).qrel_qids == set()


def test_values_of_a_measure_that_reads_no_docs_are_left_as_they_are() -> None:
    import pandas as pd

    inputs = {"run_inputs": ["query_id", "title"], "qrel_inputs": ["query_id"]}
    rows = ir_measures.define_byquery(lambda _qrels, run: float(len(run)), name="Rows", **inputs)
    run = pd.DataFrame({"query_id": ["0", "0", "1"], "title": ["x", "y", "z"]})
    qrels = pd.DataFrame({"query_id": ["0", "1"]})
    found = {metric.query_id: metric.value for metric in rankproof.provider.iter_calc([rows], qrels, run)}
    assert found == {"0": 2.0, "1": 1.0}


def test_as_default_makes_all_of_ir_measures_ask_it(wiki: Any) -> None:
    tied = {"0": {"a": 1.0, "b": 1.0}}
    qrels = {"0": {"a": 1, "b": 0}}
    before = list(ir_measures.DefaultPipeline.providers)
    with rankproof.provider.with_profile("ties=docid-asc").as_default():
        assert ir_measures.calc_aggregate([P @ 1, wiki], qrels, tied) == {P @ 1: 1.0, wiki: 0.0}
    assert ir_measures.DefaultPipeline.providers == before
    assert ir_measures.calc_aggregate([P @ 1], qrels, tied) == {P @ 1: 0.0}


def test_an_error_of_somebody_else_is_left_as_it_is_within_as_default() -> None:
    def look_up(*runs: Any) -> None:
        with rankproof.provider.with_profile("missing=dropped").as_default():
            for run in runs:
                list(ir_measures.iter_calc([P @ 1], QRELS, run))
            raise KeyError("mine")

    for runs in ((), (RUN,), (RUN, RUN)):
        with pytest.raises(KeyError, match="mine"):
            look_up(*runs)


@pytest.mark.parametrize(("count", "told"), [(4, "q1, q2, q3"), (5, "q1, q2, q3, …")])
def test_of_queries_that_not_all_runs_have_three_are_named(count: int, told: str) -> None:
    qrels = {f"q{i}": {"a": 1} for i in reversed(range(count))}
    every = {query: {"a": 1.0} for query in qrels}

    def look_up() -> None:
        with rankproof.provider.with_profile("missing=dropped").as_default():
            for run in (every, {"q0": {"a": 1.0}}, every):
                list(ir_measures.iter_calc([P @ 1], qrels, run))
            raise KeyError("q1")

    with pytest.raises(NotPaired) as refused:
        look_up()
    assert str(refused.value) == (
        f"by this profile the runs were measured on different queries ({told} not for all of them), so they cannot be compared "
        "query by query: give every run the same queries, or take missing=0"
    )


def test_measures_that_lack_a_query_are_named_in_order() -> None:
    qrels, run = {"0": {"a": 1}, "1": {"a": 0}, "2": {"a": 0}}, {query: {"a": 1.0} for query in "012"}
    ours = rankproof.provider.with_profile("norel=dropped").as_default()
    with ours, pytest.warns(UserWarning, match="this profile leaves some queries out of") as told:
        found = list(ir_measures.iter_calc([R @ 1, ir_measures.NumRet, AP], qrels, run))
    blank = {(query, measure) for query in "12" for measure in ("R@1", "AP")}
    assert {(one.query_id, str(one.measure)) for one in found if math.isnan(one.value)} == blank
    assert "out of AP, R@1 (query '1' is one)" in str(told[0].message)


def test_it_agrees_with_ir_measures_own_pipeline() -> None:
    qrels = {f"q{i}": {f"d{j}": (i * j) % 3 for j in range(9)} for i in range(1, 6)}
    run = {f"q{i}": {f"d{j}": float((7 * j + i) % 11) for j in range(4, 14)} for i in range(1, 5)}
    measures = [AP, AP(rel=2) @ 5, nDCG, nDCG @ 3, P @ 5, R @ 5]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    assert rankproof.provider.calc_aggregate(measures, qrels, run) == pytest.approx(theirs, rel=1e-12)


def test_without_ir_measures_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['ir_measures'] = None; import rankproof; rankproof.provider"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "rankproof.provider needs ir_measures: pip install rankproof[ir_measures]" in done.stderr


def test_help_works_without_ir_measures() -> None:
    code = "import sys; sys.modules['ir_measures'] = None; import pydoc, rankproof; print(pydoc.plain(pydoc.render_doc(rankproof)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"{name}(" in done.stdout for name in ("evaluate", "check", "explain", "show"))
