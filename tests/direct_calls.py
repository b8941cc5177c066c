"""One call of a function in one way, held against what is right: quick, so that every function is tried in each run."""

from collections.abc import Iterable
from string import ascii_lowercase
from typing import Any

import pytest

from rankproof.calling.call_forms import expressed, is_asked
from rankproof.calling.calls import observe
from rankproof.calling.targets import Target
from rankproof.cases.inputs import Input
from rankproof.matching.reference_answers import Oracle, Values
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Failure

PLACES = {"q1": 2, "q2": 3, "q3": 1}
RANKINGS = Input(
    qrels=tuple(
        (query, doc, int(at == place))
        for query, place in PLACES.items()
        for at, doc in enumerate(ascii_lowercase[:12], 1)
    ),
    run=tuple((query, doc, 20.25 - at, at) for query in PLACES for at, doc in enumerate(ascii_lowercase[:12], 1)),
)
"""Twelve docs of each query, of which the one at this place is relevant: what all that is right says of them is the same."""


BEST_FIRST = ("right", "no number", "wrong", "an error", "not asked")
"""What may come of a call."""


def best_of_calls(function: Any, measure: Measure, ways: Iterable[Target], truth: Conventions = STANDARD) -> str:
    """The best that comes of a call in one of these ways."""
    return min((_given(function, measure, way, truth) for way in ways), key=BEST_FIRST.index)


def _given(function: Any, measure: Measure, way: Target, truth: Conventions) -> str:
    asked = expressed(way.form, RANKINGS)
    if asked is None or not is_asked(way, asked, measure.k):
        return "not asked"
    answer, right = observe(function, way, asked, measure.k), Oracle(asked).answers(measure, truth)
    if isinstance(answer, Failure):
        return "no number" if answer.kind == "invalid-output" else "an error"
    assert isinstance(right, Values)
    wanted, given = {None: right.mean, **right.per_query}, {None: answer.mean, **(answer.per_query or {})}
    told = {query: value for query, value in given.items() if value is not None}
    return "right" if told == pytest.approx({query: float(wanted[query]) for query in told}, rel=1e-6) else "wrong"
