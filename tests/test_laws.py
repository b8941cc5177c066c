"""The laws of probes say nothing of what is right, and find what is wrong, of queries of which some have more relevant docs than others."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest
from reference_answers import PlainReference

from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import Values
from rankproof.judge import laws
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import Answered


@dataclass
class Reference:
    """The reference, asked as a library is; `off` is what it adds to a measure."""

    off: dict[str, float]

    def __call__(self, data: Input, measure: Measure) -> Answered:
        """What it says of each query, and of all."""
        answers = PlainReference(data).answers(measure, STANDARD)
        assert isinstance(answers, Values)
        off = self.off.get(str(measure), 0.0)
        values = {query: to_float(value) + off for query, value in answers.per_query.items()}
        return Answered(values, to_float(answers.mean) + off)

    def precision(self, *_: Measure) -> list[str]:
        """As floats are."""
        return ["float64"]


JUDGED = {"1": "a1 b0", "2": "c1 d1 e2 f0", "3": "g1 h1 i0"}
RETRIEVED = {"1": "ab", "2": "cd", "3": "gi"}
FEW_AND_MANY = Input(
    qrels=tuple((query, doc, int(rel)) for query, docs in JUDGED.items() for doc, rel in docs.split()),
    run=tuple((query, doc, 3.0 - i, i) for query, docs in RETRIEVED.items() for i, doc in enumerate(docs, start=1)),
)
"""One query has one relevant doc, one has three, and one has two."""


@pytest.mark.parametrize(
    ("measure", "holds"),
    [
        ("AP@3", True),
        ("AP@2", False),
        ("R@3", True),
        ("R@2", False),
        ("P@1", True),
        ("P@2", False),
        ("RR", True),
        ("nDCG@2", True),
    ],
)
def test_the_truth_is_held_to_1_where_it_is_1_for_all_queries(measure: str, *, holds: bool) -> None:
    """At a cutoff between the fewest and the most relevant docs of a query, the truth itself is worth less."""
    ask: Any = Reference({})
    assert laws.truth_is_one(ask, FEW_AND_MANY, parse(measure)) is None
    wrong: Any = Reference({measure: -0.125})
    assert (laws.truth_is_one(wrong, FEW_AND_MANY, parse(measure)) is not None) == holds


@pytest.mark.parametrize(
    ("measure", "further", "asked"),
    [
        ("nDCG@2", "nDCG@4", False),
        ("nDCG@3", "nDCG@6", False),
        ("nDCG@4", "nDCG@8", True),
        ("AP@4", "AP@8", True),
        ("RR", "RR@20", True),
    ],
)
def test_a_cutoff_beyond_lists_and_judgments_changes_nothing(measure: str, further: str, *, asked: bool) -> None:
    """A cutoff beyond the rankings alone may: the ideal goes on."""
    ask: Any = Reference({})
    assert laws.cutoff_beyond(ask, FEW_AND_MANY, parse(measure)) is None
    wrong: Any = Reference({further: -0.125})
    assert (laws.cutoff_beyond(wrong, FEW_AND_MANY, parse(measure)) is not None) == asked


@pytest.mark.parametrize(
    ("off", "is_found"), [(0.0, False), (-2.0, True), (2.0, True), (-0.125, False), (math.inf, True)]
)
def test_a_value_is_found_that_is_below_0_or_above_1(off: float, *, is_found: bool) -> None:
    """P@2 is 1/2, 1 and 1/2 of the three queries, or so much more."""
    ask: Any = Reference({"P@2": off})
    assert (laws.bounds(ask, FEW_AND_MANY, parse("P@2")) is not None) == is_found


def test_what_becomes_of_a_query_without_rows_is_told_where_no_other_has_none() -> None:
    ask: Any = Reference({})
    told = laws.empty_query(ask, FEW_AND_MANY, parse("AP"))
    assert told is not None
    assert told.says == "a judged query that was not retrieved is worth 0 in the mean"
    assert laws.empty_query(ask, replace(FEW_AND_MANY, run=FEW_AND_MANY.run[:-2]), parse("AP")) is None
