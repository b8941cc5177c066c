"""Traits of an input, and the traits that count as extreme."""

import math
from dataclasses import replace

import pytest

from rankproof.cases.inputs import Input, QrelsRow
from rankproof.check.made_inputs import case_of
from rankproof.check.questions import Question
from rankproof.inference.input_traits import TRAITS, is_ordinary, traits_of
from rankproof.reference_impl.notation import parse

PLAIN = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 1)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q2", "c", 0.7, 1)),
)
HAVING: dict[str, Input] = {
    "grades above 1,000": replace(PLAIN, qrels=(("q1", "a", 1001), *PLAIN.qrels[1:])),
    "grades above 4": replace(PLAIN, qrels=(("q1", "a", 5), *PLAIN.qrels[1:])),
    "no judged query": replace(PLAIN, qrels=()),
    "negative grades": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", -1))),
    "fractional grades": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", 0.5))),
    "ids that are numbers or have unusual characters": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", 7, 0))),
    "documents that occur twice": replace(PLAIN, run=(*PLAIN.run, ("q1", "a", 0.1, 3))),
    "infinite scores": replace(PLAIN, run=(("q1", "a", math.inf, 1), *PLAIN.run[1:])),
    "scores that are equal as float32": replace(PLAIN, run=(("q1", "a", 0.8 + 1e-12, 1), *PLAIN.run[1:])),
    "queries without documents": replace(PLAIN, empty_in_run=("q3",)),
    "queries without judgments": replace(PLAIN, empty_in_qrels=("q3",)),
}
"""Trait -> an input that has it."""


BY_NAME = {trait.name: trait for trait in TRAITS}


@pytest.mark.parametrize("name", HAVING)
def test_input_has_the_added_trait(name: str) -> None:
    assert BY_NAME[name].applies_to(HAVING[name])
    assert not is_ordinary(HAVING[name])


@pytest.mark.parametrize(
    ("name", "last_without", "first_with"),
    [
        ("grades above 1,000", ("q1", "c", 1000), ("q1", "c", 1000.5)),
        ("grades above 4", ("q1", "c", 4), ("q1", "c", 4.5)),
        ("negative grades", ("q1", "c", 0), ("q1", "c", -0.5)),
        ("fractional grades", ("q1", "c", 2.0), ("q1", "c", 2.25)),
        ("ids that are numbers or have unusual characters", ("q1", "c" * 64, 0), ("q1", "c" * 65, 0)),
        ("ids that are numbers or have unusual characters", ("q-1._:/", "c", 0), ("q 1", "c", 0)),
        ("documents that occur twice", ("q2", "a", 0), ("q1", "a", 0)),
    ],
)
def test_trait_begins_at_its_threshold(name: str, last_without: QrelsRow, first_with: QrelsRow) -> None:
    for judged, has in ((last_without, False), (first_with, True)):
        data = replace(PLAIN, qrels=(*PLAIN.qrels, judged))
        assert BY_NAME[name].applies_to(data) is has, judged


def test_ordinary_input_has_no_trait() -> None:
    assert {*BY_NAME} == {*HAVING}
    assert traits_of(PLAIN) == ()
    assert is_ordinary(PLAIN)
    assert traits_of(Input(true=(0, 1), predicted=(1, 1))) == (), "labelings have none"


def test_input_without_judged_queries_or_documents_is_extreme() -> None:
    named = replace(HAVING["no judged query"], empty_in_qrels=("q1",))
    assert BY_NAME["no judged query"] not in traits_of(named), "the query is judged, without relevant documents"
    for data in (replace(PLAIN, run=()), Input()):
        assert BY_NAME["queries without documents"].applies_to(data)
        assert not is_ordinary(data)


@pytest.mark.parametrize(
    ("retrieved", "judged", "expected"), [(1, 1, False), (2, 1, True), (1, 2, False), (2, 2, False)]
)
def test_only_a_document_that_is_retrieved_twice_and_judged_once_is_credited_twice(
    retrieved: int, judged: int, *, expected: bool
) -> None:
    """A document that is judged twice may count twice, so a value above the maximum is not evidence of an error."""
    run = (*PLAIN.run, *[("q2", "c", 0.1, 2)] * (retrieved - 1))
    qrels = (*PLAIN.qrels, *[("q2", "c", 1)] * (judged - 1))
    assert Question(case_of("twice", "", Input(qrels, run)), parse("P@5")).repeats_a_document is expected
