"""Order and judge: every choice before the formula, seen in what a measure is handed."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from strategies import DOCS, HALF, Query, judged_as, queries, value

from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judged, Judgment, QueryRow, Ranking, Rejected, Rel, UndefinedScore, judge
from rankproof.reference_impl.similarity import NotSquare, from_similarity


def judged(query: Query, spec: str = "", threshold: Rel = 1) -> Judged:
    return judge(query.rows, query.judgments, profile(spec), threshold)


def ranking(query: Query, spec: str = "", k: int | None = None) -> Ranking:
    return judged(query, spec).ranking(k, ties=profile(spec).ties)


def order(rows: list[QueryRow], spec: str = "") -> str:
    """The docs in order, tied ones joined by '='; the rel of each doc is its own, so that it can be told."""
    names = {Fraction(i): row.doc for i, row in enumerate(rows)}
    groups = judged(Query(rows, [Judgment(row.doc, i) for i, row in enumerate(rows)]), spec).groups
    return " ".join("=".join(names[doc.rel] for doc in group if doc.rel is not None) for group in groups)


def rows_of(**scores: float) -> list[QueryRow]:
    return [QueryRow(doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1)]


# -- order ------------------------------------------------------------------------------------------------------


def test_names_are_compared_as_utf_8_bytes() -> None:
    rows = [QueryRow(doc, 1.0) for doc in DOCS]
    assert order(rows, "ties=docid-asc") == "10 9 B a é \U0001f600"
    # As UTF-16, the last but one would be greater than the last.
    assert order([QueryRow("\U0001f600", 1.0), QueryRow("\uffee", 1.0)]) == "\U0001f600 \uffee"


def test_a_name_that_is_no_text_has_a_place_all_the_same() -> None:
    assert order([QueryRow("\ud800", 1.0), QueryRow("a", 1.0)], "ties=docid-asc") == "a \ud800"


@pytest.mark.parametrize(
    ("high", "low", "tied"),
    [
        (1 + 1e-9, 1.0, True),
        (16777217.0, 16777216.0, True),
        (1e39, 1e38, False),
        (1e40, 1e39, True),
        (inf, 1e39, True),
        (-1e39, -inf, True),
        (1e-50, 0.0, True),
        (1.5, 1.25, False),
        (inf, 1.0, False),
    ],
)
def test_float32_merges_what_float64_keeps_apart(high: float, low: float, tied: bool) -> None:  # noqa: FBT001
    rows = rows_of(a=low, b=high)
    assert order(rows, "ties=best") == "b a"
    assert order(rows, "ties=best score=f32") == ("a=b" if tied else "b a")


def test_a_score_that_is_no_number_leaves_no_order() -> None:
    rows = rows_of(a=1, b=nan)
    with pytest.raises(UndefinedScore, match=r"the score of doc 'b' is NaN: no order is right"):
        order(rows)
    with pytest.raises(UndefinedScore):
        order(rows, "order=input score_sign=positive")
    assert [order(rows, f"order={by}") for by in ("input", "rank")] == ["a b", "a b"]


# -- judge ------------------------------------------------------------------------------------------------------


TWICE = [QueryRow("b", 2.0), QueryRow("a", 1.0), QueryRow("c", 1.5), QueryRow("a", 3.0)]


@pytest.mark.parametrize(
    ("rows", "rels", "spec", "axis", "said"),
    [
        (TWICE, {"a": 1}, "", "run_duplicates", "doc 'a' is retrieved twice"),
        ((), {"a": 1, "b": -2}, "negative=rejected", "negative", "the judgment of doc 'b' is negative: -2"),
        ((), {"b": 1, "a": 1.5}, "grades=rejected", "grades", "the judgment of doc 'a' is 1.5, not a whole number"),
        ((), {"b": 1, "a": Fraction(1, 3)}, "grades=rejected", "grades", "the judgment of doc 'a' is 1/3, not a whole number"),
        *(((), {"b": 1, "a": rel}, "", None, "not a finite number") for rel in (inf, -inf, nan)),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(
    rows: list[QueryRow], rels: dict[str, Rel], spec: str, axis: str | None, said: str
) -> None:
    with pytest.raises(Rejected, match=said) as caught:
        judged(Query(rows, judged_as(**rels)), spec)
    assert axis in {None, caught.value.axis}


def test_a_huge_whole_rel_is_a_number() -> None:
    assert judged(Query((), judged_as(a=10**400))).R == 1


# -- cut --------------------------------------------------------------------------------------------------------


@given(queries(rels=(-1, 0, 1, 2)))
def test_every_doc_is_somewhere_once(query: Query) -> None:
    for spec in ("", "ties=expectation", "ties=last-rank", "order=rank", "score=f32"):
        assert ranking(query, spec).n == len(query.rows)
    judged_names = {judgment.doc for judgment in query.judgments}
    names = judged_names | {row.doc for row in query.rows}
    assert ranking(query, "unretrieved=appended").n == len(names)
    assert ranking(query, "unjudged=removed unretrieved=appended negative=as-is").n == len(judged_names)


# -- from a matrix ----------------------------------------------------------------------------------------------


def test_a_similarity_matrix_is_a_run_of_all_against_all_but_itself() -> None:
    matrix = [[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]]
    qrels, run = from_similarity(matrix, "xxy", ["i", "j", "k"])
    assert qrels["i"] == [Judgment("j", 1), Judgment("k", 0)]
    assert run["k"] == [QueryRow("i", 0.1), QueryRow("j", 0.2)]
    assert value("nDCG@1", (run["i"], qrels["i"])) == 1
    assert value("P@2", (run["i"], qrels["i"])) == HALF


@pytest.mark.parametrize("matrix", [[[1]], [[1, 2], [1]], []])
def test_a_matrix_is_as_wide_and_high_as_there_are_labels(matrix: list[list[float]]) -> None:
    with pytest.raises(NotSquare, match="2 labels need a matrix of 2 rows and 2 columns"):
        from_similarity(matrix, "ab")
