"""Order and judge: every choice before the formula, seen in what a measure is handed."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DOCS, HALF, Query, judged_as, queries, run_of, value

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


def test_docs_are_ranked_by_score_by_rank_or_as_given() -> None:
    rows = [QueryRow("a", 1.0, 2), QueryRow("b", 3.0, 3), QueryRow("c", 2.0, 1)]
    assert order(rows) == "b c a"
    assert order(rows, "order=rank") == "c a b"
    assert order(rows, "order=input") == "a b c"


def test_tied_docs_stand_in_the_order_of_their_names_or_rows() -> None:
    rows = rows_of(b=1, a=1, c=1, z=2)
    assert order(rows) == "z c b a"
    assert order(rows, "ties=docid-asc") == "z a b c"
    assert order(rows, "ties=input") == "z b a c"
    assert order(rows, "ties=input-reversed") == "z c a b"
    for rule in ("last-rank", "expectation", "best", "worst"):
        assert order(rows, f"ties={rule}") == "z b=a=c"


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


def test_both_zeros_are_tied_and_infinities_have_places() -> None:
    assert order(rows_of(a=0.0, b=-0.0, c=inf, d=-inf), "ties=best") == "c a=b d"


def test_whole_scores_are_floats_too() -> None:
    assert order(rows_of(a=2**53, b=2**53 + 1), "ties=best") == "a=b"


def test_a_score_that_is_no_number_leaves_no_order() -> None:
    rows = rows_of(a=1, b=nan)
    with pytest.raises(UndefinedScore, match=r"the score of doc 'b' is NaN: no order is right"):
        order(rows)
    with pytest.raises(UndefinedScore):
        order(rows, "order=input score_sign=positive")
    assert [order(rows, f"order={by}") for by in ("input", "rank")] == ["a b", "a b"]


def test_docs_with_a_score_of_zero_or_less_may_be_not_retrieved() -> None:
    rows = rows_of(a=0.0, b=-1, c=1)
    assert order(rows) == "c a b"
    assert order(rows, "score_sign=positive") == "c"
    assert order(rows, "score_sign=positive order=input") == "c"


def test_a_doc_retrieved_twice() -> None:
    rows = [QueryRow("a", 1.0), QueryRow("b", 2.0), QueryRow("a", 3.0)]
    query = Query(rows, judged_as(a=1, b=0))
    with pytest.raises(Rejected, match="doc 'a' is retrieved twice") as caught:
        judged(query)
    assert caught.value.axis == "run_duplicates"
    hits = {rule: ranking(query, f"run_duplicates={rule}").hits for rule in ("first", "last", "both")}
    assert hits == {"first": (2,), "last": (1,), "both": (1, 3)}


def test_the_last_row_of_a_doc_takes_the_place_of_the_first() -> None:
    rows = [QueryRow("a", 1.0), QueryRow("b", 1.0), QueryRow("a", 1.0)]
    assert ranking(Query(rows, judged_as(a=1)), "run_duplicates=last order=input").hits == (1,)


def test_one_and_the_same_row_twice_is_a_doc_twice() -> None:
    row = QueryRow("a", 1.0)
    assert ranking(Query([row, row], judged_as(a=1)), "run_duplicates=first").n == 1


def test_judged_docs_that_were_not_retrieved_may_stand_below_all_others() -> None:
    query = Query(rows_of(b=-inf), judged_as(a=1, b=0, c=2))
    assert judged(query).ranking(None).n == 1
    assert ranking(query, "unretrieved=appended").hits == (2, 3)
    assert [doc.rel for _, doc in ranking(query, "unretrieved=appended").docs] == [0, 2, 1]
    assert [doc.rel for _, doc in ranking(query, "unretrieved=appended ties=input").docs] == [0, 1, 2]
    assert [len(group) for group in judged(query, "unretrieved=appended ties=expectation").groups] == [1, 2]


def test_a_doc_that_its_score_makes_unretrieved_is_appended_too() -> None:
    query = Query(rows_of(a=0.0, b=1.0), judged_as(a=1, b=0))
    assert ranking(query, "unretrieved=appended score_sign=positive").hits == (2,)


def test_nothing_is_appended_where_all_was_retrieved() -> None:
    assert len(judged(Query(rows_of(a=1), judged_as(a=1)), "unretrieved=appended ties=best").groups) == 1


# -- judge ------------------------------------------------------------------------------------------------------


def test_an_unjudged_doc_is_in_the_ranking_or_removed_before_the_cut() -> None:
    query = Query(run_of("x", "a", "b"), judged_as(a=1, b=0))
    assert ranking(query, k=1).hits == ()
    assert ranking(query, "unjudged=removed", k=1).hits == (1,)
    assert ranking(query, "unjudged=removed").n == 2
    assert ranking(query, "unjudged=removed ties=best").n == 2


@pytest.mark.parametrize(
    ("spec", "rels", "judgments"),
    [
        ("", [1, None], 1),
        ("negative=non-relevant", [1, 0], 2),
        ("negative=as-is", [1, -2], 2),
        ("unjudged=removed", [1], 1),
        ("unjudged=removed negative=non-relevant", [1, 0], 2),
    ],
)
def test_a_negative_judgment(spec: str, rels: list[int | None], judgments: int) -> None:
    found = ranking(Query(run_of("a", "b"), judged_as(a=1, b=-2)), spec)
    assert [doc.rel for _, doc in found.docs] == rels
    assert len(found.judgments) == judgments
    assert all(doc.pooled for _, doc in found.docs)


def test_a_negative_judgment_may_be_refused() -> None:
    with pytest.raises(Rejected, match="the judgment of doc 'b' is negative: -2") as caught:
        judged(Query((), judged_as(b=-2)), "negative=rejected")
    assert caught.value.axis == "negative"


@pytest.mark.parametrize(("spec", "rel"), [("", "3/2"), ("grades=truncated", "1")])
def test_a_fractional_rel_is_kept_or_cut(spec: str, rel: str) -> None:
    assert judged(Query((), judged_as(a=1.5)), spec).judgments[0].rel == Fraction(rel)


def test_a_rel_is_cut_towards_zero() -> None:
    assert judged(Query((), judged_as(a=-0.5)), "grades=truncated negative=rejected").judgments[0].rel == 0


def test_a_rel_is_what_was_written() -> None:
    assert judged(Query((), judged_as(a=0.1))).judgments[0].rel == Fraction(1, 10)
    assert value("P(rel=0.1)@1", Query(run_of("a"), judged_as(a=0.1))) == 1


@pytest.mark.parametrize("rel", [1.5, Fraction(1, 3)])
def test_a_fractional_rel_may_be_refused(rel: Rel) -> None:
    with pytest.raises(Rejected, match=f"the judgment of doc 'a' is {rel}, not a whole number") as caught:
        judged(Query((), judged_as(a=rel)), "grades=rejected")
    assert caught.value.axis == "grades"


@pytest.mark.parametrize("rel", [inf, -inf, nan])
def test_a_judgment_is_a_finite_number(rel: float) -> None:
    with pytest.raises(Rejected, match="not a finite number"):
        judged(Query((), judged_as(a=rel)))


def test_a_huge_whole_rel_is_a_number() -> None:
    assert judged(Query((), judged_as(a=10**400))).R == 1


@pytest.mark.parametrize(
    ("spec", "threshold", "relevant"),
    [
        ("", 1, [1, 2]),
        ("", 2, [2]),
        ("", 0, [0, 0.3, 0.5, 0.7, 1, 2]),
        ("relevant=above-zero", 2, [0.3, 0.5, 0.7, 1, 2]),
        ("relevant=above-half", 2, [0.7, 1, 2]),
        ("relevant=non-zero", 2, [0.3, 0.5, 0.7, 1, 2]),
    ],
)
def test_from_which_rel_on_a_doc_is_relevant(spec: str, threshold: int, relevant: list[float]) -> None:
    rels = [0, 0.3, 0.5, 0.7, 1, 2]
    query = Query(run_of(*"abcdef", "x"), [Judgment(doc, rel) for doc, rel in zip("abcdef", rels, strict=True)])
    found = judged(query, spec, threshold)
    assert [float(doc.rel) for _, doc in found.strict if doc.relevant and doc.rel is not None] == relevant
    assert len(relevant) == found.R
    others = [doc.rel for _, doc in found.strict if doc.non_relevant]
    assert len(others) + len(relevant) == len(rels), "and the unjudged doc is neither"


@pytest.mark.parametrize(("negative", "relevant"), [("unjudged", [2]), ("non-relevant", [2]), ("as-is", [2, -1, -0.5])])
def test_a_negative_rel_is_other_than_0_where_it_is_left_as_it_is(negative: str, relevant: list[float]) -> None:
    query = Query(run_of(*"abcd"), judged_as(a=2, b=-1, c=0, d=-0.5))
    found = judged(query, f"negative={negative} relevant=non-zero")
    assert [doc.rel for _, doc in found.strict if doc.relevant] == relevant
    assert len(relevant) == found.R


def test_a_doc_judged_twice() -> None:
    judgments = [Judgment("a", 0), Judgment("b", 1), Judgment("a", 3)]
    query = Query(run_of("a", "b"), judgments)
    with pytest.raises(Rejected, match="doc 'a' is judged twice") as caught:
        judged(query)
    assert caught.value.axis == "qrels_duplicates"
    rels = {
        rule: [doc.rel for _, doc in ranking(query, f"qrels_duplicates={rule}").docs]
        for rule in ("first", "last", "both")
    }
    assert rels == {"first": [0, 1], "last": [3, 1], "both": [0, 3, 1]}
    assert judged(query, "qrels_duplicates=both").R == 2


# -- cut --------------------------------------------------------------------------------------------------------


def test_the_cut_takes_ranks_up_to_k_and_keeps_what_was_given() -> None:
    found = ranking(Query(run_of("a", "b", "c"), judged_as(a=1, c=1)), k=2)
    assert [rank for rank, _ in found.docs] == [1, 2]
    assert (found.n, found.R, found.k, found.hits) == (3, 2, 2, (1,))


def test_tied_docs_may_share_their_last_rank() -> None:
    found = ranking(Query(run_of("a=b", "c"), judged_as(a=1)), "ties=last-rank")
    assert [rank for rank, _ in found.docs] == [2, 2, 3]
    assert ranking(Query(run_of("a=b", "c"), judged_as(a=1)), "ties=last-rank", k=1).docs == ()


@given(queries(rels=(-1, 0, 1, 2)))
def test_every_doc_is_somewhere_once(query: Query) -> None:
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
