"""Ordering and judging by columns in `explain`: exactly what the rows give, under all conventions."""

import math

from hypothesis import given
from hypothesis import strategies as st
from strategies import judged_as, run_of
from test_explain import MEASURES, collections, profiles

from rankproof.explain.asked_data import AskedData
from rankproof.explain.judged_by_columns import ByColumns, by_columns
from rankproof.inference.reference_answers import Refused, Values
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow

Collections = tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]
QRELS, RUN = {"1": judged_as(a=1, b=0, c=2)}, {"1": run_of("c=a", "z", "b")}


def columns_of(
    qrels: dict[str, list[Judgment]], run: dict[str, list[QueryRow]], most_kept: int = 2
) -> ByColumns | None:
    return by_columns(qrels, run, most_kept, has_ranks=True)


def once(given_data: Collections) -> Collections:
    """The same, no doc twice under a query: only so do columns serve."""
    qrels, run = given_data
    return (
        {query: list({one.doc: one for one in rows}.values()) for query, rows in qrels.items()},
        {query: list({one.doc: one for one in rows}.values()) for query, rows in run.items()},
    )


@given(collections().map(once), st.lists(profiles(), min_size=1, max_size=4), st.sampled_from(MEASURES))
def test_what_is_told_does_not_depend_on_the_path(
    given_data: Collections, asked: list[Conventions], written: str
) -> None:
    measure = parse(written)
    by_rows, quicker = AskedData(*given_data), AskedData(*given_data)
    found = columns_of(*given_data)
    if found is None:
        assert not all(any(rows.values()) for rows in given_data)
        return
    quicker.__dict__["_columns"] = found
    for conventions in (STANDARD, *asked):
        for query in by_rows.queries:
            rows, columns = (each.queries[query].told(measure, conventions) for each in (by_rows, quicker))
            assert rows == columns
        assert by_rows.answers(measure, conventions) == quicker.answers(measure, conventions)


def test_columns_refuse_an_infinite_score_as_rows_do() -> None:
    for measure in map(parse, ("RR", "nDCG@2")):
        data = AskedData(QRELS, {"1": [QueryRow("a", math.inf, 1), *run_of("c")]})
        data.__dict__["_columns"] = columns_of(data.qrels, data.run)
        assert isinstance(data.answers(measure, profile("infinite=rejected")), Refused)
        assert isinstance(data.answers(measure, STANDARD), Values)


def test_columns_serve_where_they_can() -> None:
    found = columns_of(QRELS, RUN)
    assert found is not None
    for spec in ("ties=docid-asc", "order=rank", "unjudged=removed known=retrieved", "score_sign=positive"):
        assert found.judging(profile(spec), 1) is not None, spec
    for spec in ("unretrieved=appended", "unjudged=rejected", "grades=binary"):
        assert found.judging(profile(spec), 1) is None, spec


def test_a_doc_that_stands_twice_is_for_the_rows() -> None:
    assert columns_of({"1": [*QRELS["1"], Judgment("a", 0)]}, RUN) is None
    assert columns_of(QRELS, {"1": [*RUN["1"], QueryRow("a", 0.0)]}) is None
    assert columns_of(QRELS, {"1": [QueryRow("a", float("nan"))]}) is None
    assert columns_of(QRELS, {"1": [QueryRow("a", 1.0, 2**70)]}) is None, "no rank of 64 bits"


def test_only_so_much_is_kept() -> None:
    found = columns_of(QRELS, RUN, most_kept=2)
    assert found is not None
    for threshold in (1, 2, 3, 1):
        judging = found.judging(STANDARD, threshold)
        assert judging is not None
        assert {1: 2, 2: 1, 3: 0}[threshold] == judging("1", STANDARD, threshold).R
