"""Ordering, judging and cutting: each choice before the formula, and the ranking that a measure receives."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Query, judged_as, queries, run_of

from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow, Ranking, Rejected, Rel, judge, tie_groups
from rankproof.reference_impl.similarity import NotSquare, from_similarity


def judged(query: Query, spec: str = "", threshold: Rel = 1) -> Judged:
    return judge(query.rows, query.judgments, profile(spec), threshold)


def ranking(query: Query, spec: str = "", k: int | None = None) -> Ranking:
    return judged(query, spec).ranking(k, ties=profile(spec).ties)


def order(rows: list[QueryRow], spec: str = "") -> str:
    """Return the documents in order, tied documents joined by "="; a distinct grade identifies each."""
    names = {Fraction(i): row.doc for i, row in enumerate(rows)}
    groups = judged(Query(rows, [Judgment(row.doc, i) for i, row in enumerate(rows)]), spec).groups
    return " ".join("=".join(names[doc.rel] for doc in group if doc.rel is not None) for group in groups)


def rows_of(**scores: float) -> list[QueryRow]:
    return [QueryRow(doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1)]


# -- order ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "spec", "expected"),
    [
        ({"\ud800": 1.0, "a": 1.0}, "ties=docid-asc", "a \ud800"),
        ({"a": 2**53, "b": 2**53 + 1}, "ties=best", "a=b"),
        ({"a": -inf, "b": -1e39, "c": 1e39}, "ties=best score=f32", "c a=b"),
        ({"a": 0.0, "b": -1, "c": 1}, "score_sign=positive order=input", "c"),
    ],
)
def test_documents_are_ordered_by_score_and_name(scores: dict[str, float], spec: str, expected: str) -> None:
    assert order(rows_of(**scores), spec) == expected


def test_a_nan_score_is_refused_if_documents_are_ordered_by_score() -> None:
    rows = rows_of(a=1, b=nan)
    with pytest.raises(Rejected, match=r"the score of document 'b' is NaN, so it has no rank"):
        order(rows)
    with pytest.raises(Rejected):
        order(rows, "order=input score_sign=positive")
    assert [order(rows, f"order={by}") for by in ("input", "rank")] == ["a b", "a b"]


@pytest.mark.parametrize("score", [inf, -inf])
def test_infinite_scores_of_either_sign_may_be_refused(score: float) -> None:
    query = Query(rows_of(a=1.0, b=score, c=-0.5), [])
    assert len(judged(query).groups) == 3
    with pytest.raises(Rejected) as refused:
        judged(query, "infinite=rejected")
    assert refused.value.axis == "infinite"
    assert len(judged(Query(rows_of(a=1e308, b=-1e308), []), "infinite=rejected").groups) == 2, "these are finite"


def test_the_last_row_of_a_document_takes_the_place_of_the_first() -> None:
    rows = [QueryRow("a", 1.0), QueryRow("b", 1.0), QueryRow("a", 1.0)]
    assert ranking(Query(rows, judged_as(a=1)), "run_duplicates=last order=input").hits == (1,)


def test_appended_documents_are_in_the_order_of_the_judgments() -> None:
    query = Query(rows_of(m=1.0), judged_as(z=1, m=0, a=1, k=0))
    assert ranking(query, "unretrieved=appended ties=input").hits == (2, 3), "m, z, a, k; and by name m, a, k, z"


def test_a_document_unretrieved_by_its_score_is_appended_too() -> None:
    query = Query(rows_of(a=0.0, b=1.0), judged_as(a=1, b=0))
    assert ranking(query, "unretrieved=appended score_sign=positive").hits == (2,)


# -- judge ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [inf, -inf, nan])
def test_a_judgment_is_a_finite_number(rel: float) -> None:
    with pytest.raises(Rejected, match="not a finite number"):
        judged(Query((), judged_as(a=rel)))


def test_a_huge_whole_grade_is_a_number() -> None:
    assert judged(Query((), judged_as(a=10**400))).R == 1


@pytest.mark.parametrize(
    ("rels", "highest"), [((0, 3), 3), ((3, 0), 3), ((-1, 0), 0), ((0, -1), 0), ((-2, -1), None), ((2, 0.5, 1), 2)]
)
def test_the_highest_of_two_judgments_counts_and_any_grade_before_none(
    rels: tuple[float, ...], highest: float | None
) -> None:
    query = Query(run_of("a"), [Judgment("a", rel) for rel in rels])
    (doc,) = (doc for _, doc in ranking(query, "qrels_duplicates=highest").docs)
    assert doc.rel == highest
    assert judged(query, "qrels_duplicates=highest").judgments == (() if highest is None else (doc,))


def test_documents_that_conventions_remove_are_not_tied() -> None:
    rows, judgments = [QueryRow("a", 1.0), QueryRow("b", 1.0), QueryRow("c", 2.0)], [Judgment("a", 0), Judgment("b", 1)]
    assert tie_groups(rows, judgments, STANDARD.replace(ties="best", unjudged="removed")) == [["a", "b"]]
    assert tie_groups(rows, judgments, STANDARD.replace(ties="best")) == [["c"], ["a", "b"]]
    assert tie_groups(rows, judgments, STANDARD.replace(unjudged="removed")) == [["b"], ["a"]]


# -- cut --------------------------------------------------------------------------------------------------------


@given(queries(rels=(-1, 0, 1, 2)))
def test_every_document_is_ranked_once(query: Query) -> None:
    for spec in ("", "ties=expectation", "ties=last-rank", "order=rank", "score=f32"):
        assert ranking(query, spec).n == len(query.rows)
    judged_names = {judgment.doc for judgment in query.judgments}
    names = judged_names | {row.doc for row in query.rows}
    assert ranking(query, "unretrieved=appended").n == len(names)
    assert ranking(query, "unjudged=removed unretrieved=appended negative=as-is").n == len(judged_names)


@given(queries(), st.integers(1, 6))
def test_a_cut_is_the_beginning_of_the_whole(query: Query, k: int) -> None:
    assert ranking(query, k=k).docs == ranking(query).docs[:k]


# -- from a matrix ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("matrix", [[[1]], [[1, 2], [1]], []])
def test_a_matrix_is_as_wide_and_high_as_there_are_labels(matrix: list[list[float]]) -> None:
    with pytest.raises(NotSquare, match="2 labels need a matrix of 2 rows and 2 columns"):
        from_similarity(matrix, "ab")
