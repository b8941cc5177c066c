"""Warnings about ties: they appear only if the order of tied documents changes a value, with the same ends on every path."""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, permutations, product
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

import rankproof
from rankproof.evaluate.cautions import Caution
from rankproof.reference_impl.ranking import as_float32

pytestmark = pytest.mark.usefixtures("by_columns")
MEASURES = (
    *("P@2", "R@2", "nDCG@2", "nDCG@3", "AP", "AP@2", "RR", "Bpref", "Judged@2", "infAP", "ERR@2", "RBP", "Success@1"),
    *("P(rel=2)@2", "P(judged_only=True)@2", "Rprec", "SetP"),
)
PROFILES = (
    "standard",
    "ties=input score=f32",
    "ties=docid-asc norel=dropped",
    "ties=input-reversed unjudged=removed",
    "negative=as-is gain=exp norel=dropped",
    "ideal=retrieved norel=0",
    "norel=nan",
    "mean=geometric",
    "ap_denominator=hits rr_hits=mean-over-hits",
    "trec_eval-9",
)
Side = dict[str, dict[str, float]]


def ties_of(warnings: tuple[Caution, ...]) -> Caution | None:
    return next((caution for caution in warnings if caution.kind == "ties"), None)


def warned(measures: Any, qrels: Side, run: Side, profile: str = "standard") -> tuple[Caution | None, Caution | None]:
    """Return the warning of the exact path, and the warning of the fast path."""
    exact = rankproof.evaluate(measures, qrels, run, profile=profile, exact=True)
    fast = rankproof.evaluate(measures, qrels, run, profile=profile)
    assert fast.checked is not None, "measured by columns"
    return ties_of(exact.warnings), ties_of(fast.warnings)


def in_each_order(ranked: Mapping[str, float], *, single: bool) -> Iterator[dict[str, float]]:
    """Yield the documents in each order of tied documents, with distinct scores."""

    def score(doc: str) -> float:
        return as_float32(ranked[doc]) if single else ranked[doc]

    groups = [list(group) for _, group in groupby(sorted(ranked, key=score, reverse=True), key=score)]
    for order in product(*map(permutations, groups)):
        docs = [doc for group in order for doc in group]
        yield {doc: float(len(docs) - i) for i, doc in enumerate(docs)}


@st.composite
def tied_queries(draw: st.DrawFn) -> tuple[Side, Side]:
    """Draw up to three queries of up to four documents, tied or not, judged or not."""
    qrels: Side = {}
    run: Side = {}
    for query in ("q1", "q2", "q3")[: draw(st.integers(1, 3))]:
        docs = draw(st.permutations("abcd"))[: draw(st.integers(2, 4))]
        run[query] = {doc: draw(st.sampled_from((1.0, 1.0, 1 + 1e-9, 2.0))) for doc in docs}
        rels = {doc: draw(st.sampled_from((None, None, 0, 0, 1, 2, -1))) for doc in "abcde"}
        qrels[query] = {doc: float(rel) for doc, rel in rels.items() if rel is not None} or {"e": 1.0}
    return qrels, run


NO_NUMBER = -1.0
"""The value of a query that is left out, or has no value."""


def values_in_each_order(qrels: Side, run: Side, profile: str) -> dict[str, list[list[float]]]:
    """Return, by measure, the values of each query in all orders of its tied documents."""
    single = profile == "trec_eval-9" or "score=f32" in profile
    by_measure: dict[str, list[list[float]]] = {measure: [] for measure in MEASURES}
    for query, ranked in run.items():
        judged = {query: qrels[query]}
        orders = [
            rankproof.evaluate(MEASURES, judged, {query: order}, profile=profile, exact=True).per_query
            for order in in_each_order(ranked, single=single)
        ]
        for measure, of_queries in by_measure.items():
            numbers = [values[measure].get(query, math.nan) for values in orders]
            of_queries.append([NO_NUMBER if math.isnan(number) else number for number in numbers])
    return by_measure


def means_at_the_ends(values: Sequence[Sequence[float]], profile: str) -> tuple[float, ...] | None:
    """Return the means of the lowest and of the highest values; None if a query has no value in some order."""
    if "norel=dropped" in profile:
        values = [own for own in values if {*own} != {NO_NUMBER}]
    if any(NO_NUMBER in own for own in values):
        return None
    ends = [list(map(end, values)) for end in (min, max)]
    if profile == "mean=geometric":
        return tuple(statistics.geometric_mean([max(number, 1e-5) for number in own]) for own in ends)
    return tuple(map(statistics.fmean, ends))


@settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
@given(tied_queries(), st.sampled_from(PROFILES))
@example(({"q1": {"a": 1.0, "b": 0.0}}, {"q1": {"a": 1.0, "b": 1 + 1e-9}}), "ties=input score=f32")
def test_ends_are_the_extremes_over_all_orders_of_tied_documents(drawn: tuple[Side, Side], profile: str) -> None:
    exact, fast = warned(MEASURES, *drawn, profile)
    assert (exact and (exact.text, exact.count)) == (fast and (fast.text, fast.count))
    values = values_in_each_order(*drawn, profile)
    moved = {name: sum(max(own) - min(own) > 1e-9 for own in of) for name, of in values.items()}
    assert (exact.count if exact else 0) == max(moved.values())
    wanted = {name: ends for name, of in values.items() if moved[name] and (ends := means_at_the_ends(of, profile))}
    for caution in (exact, fast):
        assert caution is None or "not computed" not in caution.text
        assert {name: pytest.approx(pair) for name, pair in wanted.items()} == dict(caution.values if caution else {})


TWENTY = {"q": dict.fromkeys("abcdefghijklmnopqrst", 1.0)}


@pytest.mark.parametrize(
    ("measure", "is_computed"), [("AP", True), ("nDCG", True), ("RBP", True), ("infAP", False), ("Bpref", True)]
)
def test_too_many_orders_are_computed_only_if_the_best_order_is_known(measure: str, *, is_computed: bool) -> None:
    """Four of twenty tied documents are judged. infAP declares no best order."""
    for caution in warned([measure], {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}, TWENTY):
        assert caution is not None
        assert ("was not computed" in caution.text) is not is_computed
        assert bool(caution.values) is is_computed
