"""Functions whose docs are dicts or objects, relevant ones too, or with a score; and frames whose columns have names of their own."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from rankproof import cases as corpus
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.judging.verdicts import Verdict
from rankproof.telling.check_words import script_of

CASES = corpus.load_all()[::8]


def checked(function: Callable[..., Any], measure: str) -> Checked:
    return examine(function, measure, cases=CASES, limits=Limits(isolated=False))


def dcg(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def recall_of_hits(retrieved_docs: list[dict[str, str]], relevant_docs: list[dict[str, str]], k: int = 5) -> float:
    relevant = {doc["id"] for doc in relevant_docs}
    return len(relevant & {doc["id"] for doc in retrieved_docs[:k]}) / len(relevant) if relevant else 0.0


def first_of_hits(gold: Any, results: Any) -> float:
    """The keys of both sides differ."""
    ids = [one["passage_id"] for one in gold]
    return next((1 / rank for rank, one in enumerate(results, 1) if one["doc_id"] in ids), 0.0)


def recall_of_categories(predictions: Any, ground_truth: Any, k: int = 5) -> float:
    """Its only key is in no list of names."""
    top = {one["category"] for one in predictions[:k]}
    return sum(one["category"] in top for one in ground_truth) / len(ground_truth) if ground_truth else 0.0


def ndcg_of_hits(results: Any, qrels: Any, k: int = 10) -> float:
    best = dcg(sorted(qrels.values(), reverse=True)[:k])
    return dcg([qrels.get(hit["doc_id"], 0) for hit in results[:k]]) / best if best else 0.0


def ndcg_of_scored(results: Any, relevant: Any, k: int = 10) -> float:
    ranked = sorted(results, key=lambda hit: hit["score"], reverse=True)[:k]
    best = dcg([1] * min(k, len(relevant)))
    return dcg([hit["id"] in relevant for hit in ranked]) / best if best else 0.0


def first_of_reranked(gold: Any, hits: Any) -> float:
    ranked = sorted(hits, key=lambda hit: -hit["rerank_score"])
    ids = {one["chunk_id"] for one in gold}
    return next((1 / rank for rank, hit in enumerate(ranked, 1) if hit["chunk_id"] in ids), 0.0)


def first_of_one(results: Any, expected: str) -> float:
    return next((1 / rank for rank, hit in enumerate(results, 1) if hit["id"] == expected), 0.0)


def recall_of_nodes(nodes: Any, expected_ids: set[str], k: int = 5) -> float:
    return len({node.node_id for node in nodes[:k]} & expected_ids) / len(expected_ids) if expected_ids else 0.0


def first_of_evidence(evidence: list[Any], expected_document: str) -> float:
    """Its objects are compared with one id."""
    return next((1 / rank for rank, one in enumerate(evidence, 1) if one.document_id == expected_document), 0.0)


def recall_of_sources(retrieved_docs: Any, relevant_sources: Any, k: int = 5) -> float:
    """Of documents as LangChain has them."""
    got = {doc.metadata["source"] for doc in retrieved_docs[:k]}
    return len(got & {*relevant_sources}) / len(relevant_sources) if relevant_sources else 0.0


def ndcg_of_objects(results: Any, relevant: Any, k: int = 10) -> float:
    ranked = sorted(results, key=lambda hit: -hit.score)[:k]
    best = dcg([1] * min(k, len(relevant)))
    return dcg([hit.doc_id in relevant for hit in ranked]) / best if best else 0.0


def first_of_reranked_objects(results: Any, gold: str) -> float:
    """Beside one id, objects that are sorted by their scores."""
    ranked = sorted(results, key=lambda hit: hit.rerank_score, reverse=True)
    return next((1 / rank for rank, hit in enumerate(ranked, 1) if hit.id == gold), 0.0)


def first_by_metadata_score(results: Any, gold: str) -> float:
    """Its attribute only begins as metadata do."""
    ranked = sorted(results, key=lambda hit: hit.metadata_score, reverse=True)
    return next((1 / rank for rank, hit in enumerate(ranked, 1) if hit.doc_id == gold), 0.0)


def precision_of_both(retrieved: Any, relevant: Any, k: int = 5) -> float:
    """Both sides are objects."""
    wanted = {one.chunk_id for one in relevant}
    return len({one.chunk_id for one in retrieved[:k]} & wanted) / k


@pytest.mark.parametrize(
    ("function", "measure", "container", "keys", "follows"),
    [
        (recall_of_hits, "R@5", "all-doc-dicts", ("id",), {}),
        (first_of_hits, "RR", "all-doc-dicts", ("passage_id", "doc_id"), {}),
        (recall_of_categories, "R@5", "all-doc-dicts", ("category",), {}),
        (ndcg_of_hits, "nDCG@10", "doc-dicts", ("doc_id",), {}),
        (ndcg_of_scored, "nDCG@10", "doc-dicts", ("id", "score"), {"ties": "input"}),
        (first_of_reranked, "RR", "all-doc-dicts", ("rerank_score", "chunk_id"), {"ties": "input"}),
        (first_of_one, "RR", "doc-dicts", ("id",), {}),
        (recall_of_nodes, "R@5", "docs-set", ("node_id",), {}),
        (first_of_evidence, "RR", "docs", ("document_id",), {}),
        (recall_of_sources, "R@5", "docs", ("metadata.source",), {}),
        (ndcg_of_objects, "nDCG@10", "docs", ("doc_id", "score"), {"ties": "input"}),
        (precision_of_both, "P@5", "all-docs", ("chunk_id",), {}),
        (first_of_reranked_objects, "RR", "docs", ("id", "rerank_score"), {"ties": "input"}),
        (first_by_metadata_score, "RR", "docs", ("doc_id", "metadata_score"), {"ties": "input"}),
    ],
)
def test_docs_are_dicts_or_objects_by_what_is_read(
    function: Callable[..., float], measure: str, container: str, keys: tuple[str, ...], follows: dict[str, str]
) -> None:
    found = checked(function, measure)
    assert (found.target.container, set(found.target.columns)) == (container, set(keys))
    assert found.ordinary.verdict in {Verdict.AGREES, Verdict.CONVENTION}
    assert found.profile is not None
    assert {axis: getattr(found.profile, axis) for axis in follows} == follows
    shown: dict[str, Any] = {"print": lambda value: shown.update(said=value)}
    source = script_of(found).replace(f"from {__name__} import {function.__name__}", "")
    exec(source, shown | {function.__name__: function}, shown)  # noqa: S102 - the lines to type
    assert math.isfinite(shown["said"])


def first_of_pairs(pairs: list[tuple[float, int]]) -> float:
    ranked = sorted(pairs, key=lambda pair: -pair[0])
    return next((1 / rank for rank, (_, label) in enumerate(ranked, 1) if label), 0.0)


def ap_of_pairs(results: list[tuple[int, float]]) -> float:
    """The rel before the score."""
    ranked, hits, total = sorted(results, key=lambda pair: pair[1], reverse=True), 0, 0.0
    for rank, (rel, _) in enumerate(ranked, 1):
        hits += rel > 0
        total += hits / rank if rel > 0 else 0
    return total / hits if hits else 0.0


def ndcg_of_triples(items: list[tuple[str, float, int]], k: int = 10) -> float:
    ranked = sorted(items, key=lambda item: item[1], reverse=True)
    best = dcg(sorted((rel for *_, rel in items), reverse=True)[:k])
    return dcg([rel for *_, rel in ranked[:k]]) / best if best else 0.0


def precision_of_ranked(ranking: list[tuple[str, int]], k: int) -> float:
    return sum(rel >= 1 for _, rel in ranking[:k]) / k


@pytest.mark.parametrize(
    ("function", "measure", "container"),
    [
        (first_of_pairs, "RR", "rows-score-rel"), (ap_of_pairs, "AP", "rows-rel-score"),
        (ndcg_of_triples, "nDCG@10", "rows-doc-score-rel"), (precision_of_ranked, "P@5", "rows-doc-rel"),
    ],
)  # fmt: skip
def test_rows_may_be_tuples_in_the_order_that_is_read(
    function: Callable[..., float], measure: str, container: str
) -> None:
    found = checked(function, measure)
    assert found.target.container == container
    assert found.ordinary.verdict in {Verdict.AGREES, Verdict.CONVENTION}


def wins_of_races(df: pd.DataFrame, top_n: int = 1) -> float:
    """A sum of flags, over all races."""
    best = [group.nlargest(top_n, "pred")["is_winner"].sum() for _, group in df.groupby("race_id")]
    return float(sum(best) / df["race_id"].nunique())


def precision_of_sessions(frame: pd.DataFrame, k: int = 5) -> float:
    top = frame.sort_values("click_prob", ascending=False, kind="stable").groupby("visit_id").head(k)
    return float(top["was_clicked"].sum() / k / frame["visit_id"].nunique())


def precision_of_pages(frame: pd.DataFrame, k: int = 5) -> float:
    """Of three names of ids the first is of no column that is needed."""
    ranked = frame.drop(columns=["campaign_id"], errors="ignore").sort_values(
        "click_prob", ascending=False, kind="stable"
    )
    top = ranked.groupby("visit_id").head(k).drop_duplicates(["visit_id", "page_id"])
    return float(top["was_clicked"].sum() / k / frame["visit_id"].nunique())


def hits_of_orders(data: pd.DataFrame, k: int = 3) -> float:
    ranked = data.sort_values("model_pred", ascending=False, kind="stable")
    return float(ranked.groupby("order_id").head(k).groupby("order_id")["has_sold"].max().mean())


@pytest.mark.parametrize(
    ("function", "measure", "columns", "verdict"),
    [
        (wins_of_races, "P@1", ("race_id", "doc_id", "is_winner", "pred"), "defect"),
        (precision_of_sessions, "P@5", ("visit_id", "doc_id", "was_clicked", "click_prob"), "convention"),
        (precision_of_pages, "P@5", ("visit_id", "page_id", "was_clicked", "click_prob"), "convention"),
        (hits_of_orders, "Success@3", ("order_id", "doc_id", "has_sold", "model_pred"), "convention"),
    ],
)
def test_columns_are_known_by_what_they_end_or_begin_with_and_flags_are_asked_as_such(
    function: Callable[..., float], measure: str, columns: tuple[str, ...], verdict: str
) -> None:
    found = checked(function, measure)
    assert found.target.columns == columns
    assert found.target.of_flags
    assert found.verdict == verdict
    assert {rel for one in found.seen for *_, rel in one.question.case.input.qrels if rel > 0} == {1}
    if verdict == "defect":
        assert found.defect is not None
        assert found.defect.sentence.startswith("the hits are counted, and divided by nothing")
