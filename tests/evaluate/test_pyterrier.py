"""A PyTerrier `Experiment` on the reference, by every profile: the real package, without Java and without the network.

Experiment asks ir_measures for the value of every measure and query, takes the plain means itself, and looks values up by
query where it compares systems; so all of it stands on what the provider tells of each query.
"""

import math
import os
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
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.ranking import Rejected

# PyTerrier fills in topics that no value is told of, and says so; those are the ones that a profile leaves out.
pytestmark = pytest.mark.filterwarnings(r"ignore:\d+ topic\(s\) not found in qrels:UserWarning")

AP, P, nDCG = ir_measures.AP, ir_measures.P, ir_measures.nDCG  # noqa: N816
OURS = [nDCG @ 10, P @ 5, AP, nDCG @ 1]
WIKI = "https://en.wikipedia.org/wiki/"
TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["terrier", "hound", "cat"]})
# Query 3 has no relevant doc.
QRELS = pd.DataFrame(
    [("1", f"{WIKI}Terrier", 2), ("1", "b", 1), ("1", "c", 0), ("2", "d", 1), ("2", "e", 0), ("3", "f", 0)],
    columns=["qid", "docno", "label"],
)


def ranked(*rows: tuple[str, str, float]) -> pd.DataFrame:
    """A run as PyTerrier has it, with the rank of each row in its query."""
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    return run.assign(query="", rank=run.groupby("qid").cumcount())


TERRIER = f"{WIKI}Terrier"
WHOLE = ranked(
    ("1", "c", 3.0),
    ("1", TERRIER, 2.0),
    ("1", "b", 2.0),
    ("2", "d", 1.0),
    ("2", "e", 1.0),
    ("3", "f", 1.0),
    ("3", "g", 0.5),
)
OTHER = ranked(("1", TERRIER, 9.0), ("1", "b", 8.0), ("2", "e", 2.0), ("2", "d", 1.0), ("3", f"{WIKI}Cat", 1.0))
WITHOUT_2 = ranked(("1", "b", 2.0), ("1", TERRIER, 1.0), ("3", "f", 1.0))
WITHOUT_3 = ranked(("1", "b", 2.0), ("1", "c", 1.0), ("2", "d", 1.0))


@pytest.fixture(scope="module")
def wiki() -> Any:
    def has_english_wiki(_qrels: Any, run: Any) -> float:
        return float(run.doc_id.str.startswith(WIKI).any())

    return ir_measures.define_byquery(has_english_wiki, name="HasEnglishWiki")


def experiment(profile: str, runs: Mapping[str, pd.DataFrame], measures: list[Any], **options: Any) -> Any:
    systems = {name: pt.Transformer.from_df(run) for name, run in runs.items()}
    with rankproof.provider.with_profile(profile).as_default():
        return pt.Experiment(systems, TOPICS, QRELS, measures, **options)


def by_rankproof(profile: str, run: pd.DataFrame) -> Any:
    names = {"query_id": "qid", "doc_id": "docno"}
    columns = {"qrels": names | {"relevance": "label"}, "run": names}
    return rankproof.evaluate(OURS, QRELS, run, profile=profile, columns=columns)


def told(frame: pd.DataFrame, system: str, measure: str) -> dict[str, float]:
    """The values by query; a topic without any is left out."""
    rows = frame[(frame.name == system) & (frame.measure == measure)]
    return {row.qid: row.value for row in rows.itertuples() if not math.isnan(row.value)}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "runs",
    [
        pytest.param({"whole": WHOLE, "other": OTHER}, id="every run has every query"),
        pytest.param({"whole": WHOLE, "without 2": WITHOUT_2, "without 3": WITHOUT_3}, id="queries are missing"),
    ],
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
            assert told(by_query, name, measure) == values, (name, measure)
            partly = {query for column in result.per_query.values() for query in column} - values.keys()
            mean = pytest.approx(math.nan if partly else result.mean[measure], rel=1e-12, nan_ok=True)
            assert means.loc[name, measure] == mean, (name, measure)


def test_by_trec_eval_a_query_that_the_run_lacks_leaves_all_measures_the_custom_ones_too(wiki: Any) -> None:
    measures = [nDCG @ 10, wiki @ 1, wiki @ 10]
    runs = {"without 2": WITHOUT_2}
    means = experiment("trec_eval-9", runs, measures).set_index("name").loc["without 2"]
    linear = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert means["nDCG@10"] == pytest.approx((linear + 0) / 2, rel=1e-12)  # of queries 1 and 3
    assert (means["HasEnglishWiki@1"], means["HasEnglishWiki@10"]) == (0.0, 0.5)
    by_query = experiment("trec_eval-9", runs, measures, perquery=True)
    assert told(by_query, "without 2", "HasEnglishWiki@10") == {"1": 1.0, "3": 0.0}
    # By standard it counts, as in ir_measures.
    means = experiment("standard", runs, measures).set_index("name").loc["without 2"]
    assert means["nDCG@10"] == pytest.approx(linear / 3, rel=1e-12)
    assert means["HasEnglishWiki@10"] == pytest.approx(1 / 3)


def test_a_query_that_nobody_judged_counts_for_no_measure(wiki: Any) -> None:
    run = pd.concat([WHOLE, ranked(("9", f"{WIKI}Nine", 1.0))])
    means = experiment("standard", {"nine": run}, [P @ 1, wiki]).set_index("name").loc["nine"]
    assert means["HasEnglishWiki"] == pytest.approx(1 / 3)


def test_a_query_without_relevant_docs_leaves_the_custom_measure_where_it_leaves_the_others(wiki: Any) -> None:
    found = experiment("norel=dropped", {"other": OTHER}, [AP, wiki]).set_index("name").loc["other"]
    assert found["AP"] == pytest.approx(by_rankproof("norel=dropped", OTHER).mean["AP"], rel=1e-12)
    assert found["HasEnglishWiki"] == 0.5


def test_a_value_that_is_undefined_stays_so(wiki: Any) -> None:
    found = experiment("norel=nan", {"other": OTHER}, [AP, wiki]).set_index("name").loc["other"]
    assert math.isnan(found["AP"])
    assert found["HasEnglishWiki"] == pytest.approx(2 / 3), "the custom measure is defined there"
    found = experiment("missing=nan", {"without 2": WITHOUT_2}, [AP, wiki]).set_index("name").loc["without 2"]
    assert math.isnan(found["AP"])
    assert math.isnan(found["HasEnglishWiki"]), "nor is the custom measure 0 there"


@pytest.mark.parametrize("profile", ["standard", "trec_eval-9", "notebook-trec"])
def test_systems_are_compared_query_by_query(profile: str) -> None:
    runs = {"whole": WHOLE, "other": OTHER}
    found = experiment(profile, runs, [nDCG @ 10, P @ 5], baseline=0).set_index("name").loc["other"]
    one, other = (by_rankproof(profile, run).per_query["nDCG@10"] for run in (WHOLE, OTHER))
    assert found["nDCG@10 +"] == sum(other[q] > one[q] for q in one)
    assert found["nDCG@10 -"] == sum(other[q] < one[q] for q in one)
    from scipy import stats  # which takes a second, and is imported by all that collect tests otherwise

    assert found["nDCG@10 p-value"] == pytest.approx(stats.ttest_rel([*other.values()], [*one.values()])[1], rel=1e-12)


def test_systems_measured_on_different_queries_are_not_compared() -> None:
    runs = {"whole": WHOLE, "without 2": WITHOUT_2}
    mend = r"different queries \(2 not for all of them\), so .*: give every run the same queries, or take missing=0"
    with pytest.raises(NotPaired, match=mend):
        experiment("trec_eval-9", runs, OURS, baseline=0)
    found = experiment("trec_eval-9 missing=0", runs, OURS, baseline=0).set_index("name").loc["without 2"]
    assert found["AP -"] == 1


def test_a_run_without_ranks_is_refused_where_the_profile_goes_by_them() -> None:
    with pytest.raises(BadInput, match="no column rank"):
        experiment("notebook-trec", {"whole": WHOLE.drop(columns="rank")}, [P @ 5])


def test_neither_java_nor_the_network_is_needed(tmp_path: Any) -> None:
    """A process whose PATH has no java and whose sockets do not connect."""
    code = """
import socket
def refuse(*_):
    raise AssertionError("the network was asked")
socket.socket.connect = refuse
import pandas as pd, pyterrier as pt, ir_measures, rankproof
run = pt.Transformer.from_df(pd.DataFrame([("1", "a", "", 1.0)], columns=["qid", "docno", "query", "score"]))
topics = pd.DataFrame([("1", "x")], columns=["qid", "query"])
qrels = pd.DataFrame([("1", "a", 1)], columns=["qid", "docno", "label"])
with rankproof.provider.as_default():
    print(pt.Experiment([run], topics, qrels, [ir_measures.P @ 1]).loc[0, "P@1"], pt.java.started())
"""
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.split() == ["1.0", "False"], done.stderr
