"""`rankproof.provider`: the reference as a provider of ir_measures, and PyTerrier's `Experiment` with it, without Java."""

import math
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

import rankproof
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.ir_provider import NotPaired
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.ranking import Rejected

# PyTerrier adds topics without values, which the profile leaves out, and warns about them.
pytestmark = pytest.mark.filterwarnings(r"ignore:\d+ topic\(s\) not found in qrels:UserWarning")

AP, P, R, Judged, nDCG = (getattr(ir_measures, name) for name in ("AP", "P", "R", "Judged", "nDCG"))  # noqa: N816
WIKI = "https://en.wikipedia.org/wiki/"
TERRIER = f"{WIKI}Terrier"
QRELS = {"0": {"x": 0, TERRIER: 2}, "1": {"x": 1}}
RUN = {"0": {"https://www.gla.ac.uk/": 0.0, TERRIER: -1.0}, "1": {"https://www.google.com/": 0.0}}
ONLY_0 = {"0": {TERRIER: 1.0}}


@pytest.fixture(scope="module")
def wiki() -> Any:
    """Return a user-defined measure: whether a run has a page of the English Wikipedia."""

    def has_english_wiki(_qrels: Any, run: Any) -> float:
        return float(run.doc_id.str.startswith(WIKI).any())

    return ir_measures.define_byquery(has_english_wiki, name="HasEnglishWiki")


def python(code: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **options)


# -- ir_measures -------------------------------------------------------------------------------------------------------


def test_an_evaluator_measures_several_runs() -> None:
    measures = [nDCG @ 10, P @ 5, P(rel=2) @ 5, Judged @ 10]
    evaluator = rankproof.provider.evaluator(measures, QRELS)
    both = dict(zip(measures, (pytest.approx(0.6309297535714575 / 2), 0.1, 0.1, 0.25), strict=True))
    assert evaluator.calc_aggregate(RUN) == both
    assert evaluator.calc_aggregate(ONLY_0) == dict(zip(measures, (0.5, 0.1, 0.1, 0.5), strict=True))


def test_measures_of_the_user_are_computed_with_others_or_alone(wiki: Any) -> None:
    measures = [nDCG @ 10, wiki @ 1, Judged @ 10, wiki]
    means = rankproof.provider.evaluator(measures, QRELS).calc_aggregate(RUN)
    assert list(means) == measures
    assert (means[wiki], means[wiki @ 1]) == (0.5, 0.0)
    for wanted in ([wiki], [wiki, P @ 1]):
        qrels = (ir_measures.Qrel(q, d, rel) for q, docs in QRELS.items() for d, rel in docs.items())
        run = (ir_measures.ScoredDoc(q, d, score) for q, docs in RUN.items() for d, score in docs.items())
        means = rankproof.provider.calc_aggregate(wanted, qrels, run)
        assert means == dict(zip(wanted, (0.5, 0.0), strict=False)), "iterators are read once"


def test_a_measure_of_the_user_may_be_defined_over_all_queries() -> None:
    rows = ir_measures.define(lambda _qrels, run: ((q, len(docs)) for q, docs in run.groupby("query_id")), name="Rows")
    means = rankproof.provider.calc_aggregate([rows, rows @ 1, P @ 1], QRELS, RUN)
    assert means == {rows: 1.5, rows @ 1: 1.0, P @ 1: 0.0}
    metrics = rankproof.provider.calc([P @ 1, rows], QRELS, RUN).per_query
    assert [(m.query_id, m.measure) for m in metrics] == [("0", P @ 1), ("1", P @ 1), ("0", rows), ("1", rows)]


def test_a_query_without_judgments_is_ignored_and_an_empty_run_scores_zero() -> None:
    assert rankproof.provider.calc_aggregate([AP], {"0": {"a": 1}}, {"0": {"a": 1}, "9": {"a": 1}}) == {AP: 1.0}
    assert rankproof.provider.calc_aggregate([AP, ir_measures.NumQ], QRELS, {}) == {AP: 0.0, ir_measures.NumQ: 2.0}


def test_the_mean_is_that_of_the_profile_and_counts_are_summed() -> None:
    result = rankproof.provider.with_profile("mean=pooled").calc([P @ 1, ir_measures.NumRet], QRELS, ONLY_0)
    assert result.aggregated == {P @ 1: 0.5, ir_measures.NumRet: 1.0}
    values = [("0", P @ 1, 1.0), ("1", P @ 1, 0.0), ("0", ir_measures.NumRet, 1.0), ("1", ir_measures.NumRet, 0.0)]
    assert [tuple(metric) for metric in result.per_query] == values


def test_unsupported_measures_are_named() -> None:
    assert rankproof.provider.is_available()
    assert rankproof.provider.supports(AP(rel=2) @ 100)
    assert not rankproof.provider.supports(ir_measures.alpha_nDCG @ 10)
    ten, five, seven = (ir_measures.alpha_nDCG @ k for k in (10, 5, 7))
    with pytest.raises(UnknownMeasure, match=r"^rankproof does not compute alpha_nDCG@10, alpha_nDCG@5, alpha_nDCG@7$"):
        rankproof.provider.evaluator([ten, five, AP, seven], QRELS)


def test_provider_names_the_columns_that_measures_need() -> None:
    titles = ir_measures.define_byquery(lambda _qrels, _run: 0.0, name="Titles", run_inputs=["query_id", "title"])
    assert rankproof.provider.run_inputs([titles]) == ["query_id", "title"]
    assert rankproof.provider.run_inputs([AP, titles]) == ["query_id", "doc_id", "score", "title"]
    assert rankproof.provider.qrel_inputs([AP, titles]) == ["query_id", "doc_id", "relevance"]
    for measures in ([titles], [AP, titles], [AP]):
        assert rankproof.provider.evaluator(measures, QRELS).qrel_qids == {"0", "1"}
    assert rankproof.provider.evaluator([AP], {}).qrel_qids == set()


def test_values_of_a_measure_that_reads_no_documents_are_unchanged() -> None:
    inputs = {"run_inputs": ["query_id", "title"], "qrel_inputs": ["query_id"]}
    rows = ir_measures.define_byquery(lambda _qrels, run: float(len(run)), name="Rows", **inputs)
    run = pd.DataFrame({"query_id": ["0", "0", "1"], "title": ["x", "y", "z"]})
    qrels = pd.DataFrame({"query_id": ["0", "1"]})
    values = {metric.query_id: metric.value for metric in rankproof.provider.iter_calc([rows], qrels, run)}
    assert values == {"0": 2.0, "1": 1.0}


def test_inside_as_default_ir_measures_uses_this_provider_first(wiki: Any) -> None:
    tied = {"0": {"a": 1.0, "b": 1.0}}
    qrels = {"0": {"a": 1, "b": 0}}
    before = list(ir_measures.DefaultPipeline.providers)
    with rankproof.provider.with_profile("ties=docid-asc").as_default():
        assert ir_measures.calc_aggregate([P @ 1, wiki], qrels, tied) == {P @ 1: 1.0, wiki: 0.0}
    assert ir_measures.DefaultPipeline.providers == before
    assert ir_measures.calc_aggregate([P @ 1], qrels, tied) == {P @ 1: 0.0}


def in_default(qrels: Any, runs: Any, error: Exception) -> None:
    """Measure runs inside `as_default`, and raise an error there, like `Experiment` for a query without a value."""
    with rankproof.provider.with_profile("missing=dropped").as_default():
        for run in runs:
            list(ir_measures.iter_calc([P @ 1], qrels, run))
        raise error


@pytest.mark.parametrize("runs", [(), (RUN,), (RUN, RUN)])
def test_an_error_of_the_user_passes_through_as_default(runs: Any) -> None:
    with pytest.raises(KeyError, match="mine"):
        in_default(QRELS, runs, KeyError("mine"))


@pytest.mark.parametrize(("count", "named"), [(4, "q1, q2, q3"), (5, "q1, q2, q3, …")])
def test_three_of_the_queries_that_some_runs_lack_are_named(count: int, named: str) -> None:
    qrels = {f"q{i}": {"a": 1} for i in reversed(range(count))}
    every = {query: {"a": 1.0} for query in qrels}
    with pytest.raises(NotPaired) as refused:
        in_default(qrels, (every, {"q0": {"a": 1.0}}, every), KeyError("q1"))
    assert f"measured on different queries ({named} not for all of them)" in str(refused.value)


def test_measures_that_lack_a_query_are_named_in_order() -> None:
    qrels, run = {"0": {"a": 1}, "1": {"a": 0}, "2": {"a": 0}}, {query: {"a": 1.0} for query in "012"}
    ours = rankproof.provider.with_profile("norel=dropped").as_default()
    with ours, pytest.warns(UserWarning, match="this profile leaves queries such as") as warned:
        metrics = list(ir_measures.iter_calc([R @ 1, ir_measures.NumRet, AP], qrels, run))
    blank = {(query, measure) for query in "12" for measure in ("R@1", "AP")}
    assert {(m.query_id, str(m.measure)) for m in metrics if math.isnan(m.value)} == blank
    assert "leaves queries such as '1' out of AP, R@1, but not" in str(warned[0].message)


def test_provider_agrees_with_the_pipeline_of_ir_measures() -> None:
    qrels = {f"q{i}": {f"d{j}": (i * j) % 3 for j in range(9)} for i in range(1, 6)}
    run = {f"q{i}": {f"d{j}": float((7 * j + i) % 11) for j in range(4, 14)} for i in range(1, 5)}
    measures = [AP, AP(rel=2) @ 5, nDCG, nDCG @ 3, P @ 5, R @ 5]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    assert rankproof.provider.calc_aggregate(measures, qrels, run) == pytest.approx(theirs, rel=1e-12)


def test_without_ir_measures_only_the_provider_fails() -> None:
    hidden = "import sys; sys.modules['ir_measures'] = None; import pydoc, rankproof;"
    done = python(f"{hidden} print(pydoc.plain(pydoc.render_doc(rankproof))); rankproof.provider")
    assert all(f"{name}(" in done.stdout for name in ("evaluate", "check", "explain", "show")), "the help is printed"
    assert "rankproof.provider needs ir_measures: pip install rankproof[ir_measures]" in done.stderr


# -- PyTerrier ---------------------------------------------------------------------------------------------------------

OURS = [nDCG @ 10, P @ 5, AP, nDCG @ 1]
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["terrier", "hound", "cat"]})
JUDGED = pd.DataFrame(
    [("1", TERRIER, 2), ("1", "b", 1), ("1", "c", 0), ("2", "d", 1), ("2", "e", 0), ("3", "f", 0)],
    columns=["qid", "docno", "label"],
)
"""Query 3 has no relevant document."""


def ranked(**docs: str) -> pd.DataFrame:
    """Return a run in PyTerrier's form, with the rank of each row.

    The documents of a query are written as "c=3 b=2".
    """
    pairs = [(query.strip("_"), pair.rpartition("=")) for query, text in docs.items() for pair in text.split()]
    run = pd.DataFrame(
        [(query, doc, float(score)) for query, (doc, _, score) in pairs], columns=["qid", "docno", "score"]
    )
    return run.assign(query="", rank=run.groupby("qid").cumcount())


WHOLE = ranked(_1=f"c=3 {TERRIER}=2 b=2", _2="d=1 e=1", _3="f=1 g=0.5")
OTHER = ranked(_1=f"{TERRIER}=9 b=8", _2="e=2 d=1", _3=f"{WIKI}Cat=1")
WITHOUT_2 = ranked(_1=f"b=2 {TERRIER}=1", _3="f=1")
WITHOUT_3 = ranked(_1="b=2 c=1", _2="d=1")


def experiment(profile: str, runs: Mapping[str, pd.DataFrame], measures: list[Any], **options: Any) -> Any:
    systems = {name: pt.Transformer.from_df(run) for name, run in runs.items()}
    with rankproof.provider.with_profile(profile).as_default():
        result = pt.Experiment(systems, TOPICS, JUDGED, measures, **options)
    assert not pt.java.started(), "Java was needed"
    return result


def by_rankproof(profile: str, run: pd.DataFrame) -> Any:
    names = {"query_id": "qid", "doc_id": "docno"}
    columns = {"qrels": names | {"relevance": "label"}, "run": names}
    return rankproof.evaluate(OURS, JUDGED, run, profile=profile, columns=columns)


def values_of(frame: pd.DataFrame, system: str, measure: str) -> dict[str, float]:
    """Return the values by query, without topics that have none."""
    rows = frame[(frame.name == system) & (frame.measure == measure)]
    return {row.qid: row.value for row in rows.itertuples() if not math.isnan(row.value)}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "runs",
    [{"whole": WHOLE, "other": OTHER}, {"whole": WHOLE, "without 2": WITHOUT_2, "without 3": WITHOUT_3}],
    ids=["every run has every query", "queries are missing"],
)
@pytest.mark.filterwarnings("ignore:this profile leaves some queries out of")
def test_an_experiment_gives_what_evaluate_gives(profile: str, runs: dict[str, pd.DataFrame], wiki: Any) -> None:
    measures = [*OURS, wiki @ 1, wiki @ 10]
    try:
        results = {name: by_rankproof(profile, run) for name, run in runs.items()}
    except (Rejected, BadInput) as refused:
        with pytest.raises(type(refused), match=re.escape(str(refused))):
            experiment(profile, runs, measures)
        return
    means = experiment(profile, runs, measures).set_index("name")
    by_query = experiment(profile, runs, measures, perquery=True)
    for name, result in results.items():
        for measure in map(str, OURS):
            values = {query: v for query, v in result.per_query[measure].items() if not math.isnan(v)}
            assert values_of(by_query, name, measure) == values, (name, measure)
            partly = {query for column in result.per_query.values() for query in column} - values.keys()
            mean = pytest.approx(math.nan if partly else result.mean[measure], rel=1e-12, nan_ok=True)
            assert means.loc[name, measure] == mean, (name, measure)


@pytest.mark.parametrize(
    ("profile", "run", "mean"),
    [
        ("standard", WITHOUT_2, 1 / 3),
        ("trec_eval-9", WITHOUT_2, 1 / 2),  # query 2 is missing and is left out of all measures
        ("missing=nan", WITHOUT_2, math.nan),
        ("standard", OTHER, 2 / 3),
        ("norel=dropped", OTHER, 1 / 2),  # query 3 has no relevant document
        ("norel=nan", OTHER, 2 / 3),  # only AP is undefined for query 3
        ("standard", pd.concat([WHOLE, ranked(_9=f"{WIKI}Nine=1")]), 1 / 3),  # query 9 is unjudged
    ],
)
def test_a_measure_of_the_user_counts_the_queries_of_the_profile(
    profile: str, run: pd.DataFrame, mean: float, wiki: Any
) -> None:
    means = experiment(profile, {"run": run}, [AP, wiki]).set_index("name").loc["run"]
    assert means["HasEnglishWiki"] == pytest.approx(mean, nan_ok=True)


@pytest.mark.parametrize("profile", ["standard", "trec_eval-9", "notebook-trec"])
def test_systems_are_compared_query_by_query(profile: str) -> None:
    from scipy import stats  # importing it takes a second, which would slow down collecting the tests

    runs = {"whole": WHOLE, "other": OTHER}
    compared = experiment(profile, runs, [nDCG @ 10, P @ 5], baseline=0).set_index("name").loc["other"]
    base, other = (by_rankproof(profile, run).per_query["nDCG@10"] for run in (WHOLE, OTHER))
    assert compared["nDCG@10 +"] == sum(other[q] > base[q] for q in base)
    assert compared["nDCG@10 -"] == sum(other[q] < base[q] for q in base)
    p_value = stats.ttest_rel([*other.values()], [*base.values()])[1]
    assert compared["nDCG@10 p-value"] == pytest.approx(p_value, rel=1e-12)


def test_systems_measured_on_different_queries_are_not_compared() -> None:
    runs = {"whole": WHOLE, "without 2": WITHOUT_2}
    remedy = r"different queries \(2 not for all of them\), so .*\. Use the same queries in every run, or missing=0\."
    with pytest.raises(NotPaired, match=remedy):
        experiment("trec_eval-9", runs, OURS, baseline=0)
    compared = experiment("trec_eval-9 missing=0", runs, OURS, baseline=0).set_index("name").loc["without 2"]
    assert compared["AP -"] == 1


def test_a_run_without_ranks_is_refused_by_a_profile_that_orders_by_rank() -> None:
    with pytest.raises(BadInput, match="no column rank"):
        experiment("notebook-trec", {"whole": WHOLE.drop(columns="rank")}, [P @ 5])
