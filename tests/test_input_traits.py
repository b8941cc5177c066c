"""Traits of an input, and which of them are extreme."""

import math
from dataclasses import replace

import pytest

from rankproof.cases.inputs import Input, QrelsRow
from rankproof.inference.input_traits import ASSUMPTIONS, TRAITS, is_ordinary, traits_of

PLAIN = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 1)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q2", "c", 0.7, 1)),
)
HAVING: dict[str, Input] = {
    "small": replace(PLAIN, qrels=(("q1", "a", 1001), *PLAIN.qrels[1:])),
    "to-4": replace(PLAIN, qrels=(("q1", "a", 5), *PLAIN.qrels[1:])),
    "binary": replace(PLAIN, qrels=(("q1", "a", 4), *PLAIN.qrels[1:])),
    "some-relevant": replace(PLAIN, qrels=(("q1", "a", 0), *PLAIN.qrels[1:])),
    "some-judged": replace(PLAIN, qrels=()),
    "nonnegative": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", -1))),
    "integer": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", 0.5))),
    "plain-ids": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", 7, 0))),
    "distinct": replace(PLAIN, run=(*PLAIN.run, ("q1", "a", 0.1, 3))),
    "finite": replace(PLAIN, run=(("q1", "a", math.inf, 1), *PLAIN.run[1:])),
    "float32": replace(PLAIN, run=(("q1", "a", 0.8 + 1e-12, 1), *PLAIN.run[1:])),
    "no-ties": replace(PLAIN, run=(("q1", "a", 0.8, 1), *PLAIN.run[1:])),
    "nonempty": replace(PLAIN, empty_in_run=("q3",)),
    "judged": replace(PLAIN, empty_in_qrels=("q3",)),
}
"""Assumption -> an input that has the trait that it excludes."""


@pytest.mark.parametrize("assumption", HAVING)
def test_an_input_has_the_trait_that_was_added_and_no_extreme_trait_otherwise(assumption: str) -> None:
    trait = ASSUMPTIONS[assumption]
    assert trait.found(HAVING[assumption], None)
    assert not trait.found(PLAIN, None)
    assert is_ordinary(PLAIN)
    assert is_ordinary(HAVING[assumption]) != trait.is_extreme


@pytest.mark.parametrize(
    ("assumption", "last_without", "first_with"),
    [
        ("small", ("q1", "c", 1000), ("q1", "c", 1000.5)),
        ("to-4", ("q1", "c", 4), ("q1", "c", 4.5)),
        ("nonnegative", ("q1", "c", 0), ("q1", "c", -0.5)),
        ("integer", ("q1", "c", 2.0), ("q1", "c", 2.25)),
        ("binary", ("q1", "c", 1), ("q1", "c", 2)),
        ("plain-ids", ("q1", "c" * 64, 0), ("q1", "c" * 65, 0)),
        ("plain-ids", ("q-1._:/", "c", 0), ("q 1", "c", 0)),
        ("distinct", ("q2", "a", 0), ("q1", "a", 0)),
    ],
)
def test_a_trait_begins_at_its_threshold(assumption: str, last_without: QrelsRow, first_with: QrelsRow) -> None:
    for judged, has in ((last_without, False), (first_with, True)):
        data = replace(PLAIN, qrels=(*PLAIN.qrels, judged))
        assert ASSUMPTIONS[assumption].found(data, None) is has, judged


def test_every_trait_is_tested_here() -> None:
    assert {trait.assumption for trait in TRAITS} == {*HAVING, "k-docs"}
    assert [trait.assumption for trait in traits_of(PLAIN, 2)] == ["k-docs"]
    assert traits_of(PLAIN, 1) == ()
    assert traits_of(Input(true=(0, 1), predicted=(1, 1))) == (), "labelings have none"


def test_an_input_without_judged_queries_or_without_documents_is_extreme() -> None:
    named = replace(HAVING["some-judged"], empty_in_qrels=("q1",))
    assert ASSUMPTIONS["some-judged"] not in traits_of(named), "the query is judged, without relevant documents"
    for data in (replace(PLAIN, run=()), Input()):
        assert ASSUMPTIONS["nonempty"].found(data, None)
        assert not is_ordinary(data)


def test_all_traits_but_four_are_extreme() -> None:
    ordinary = {trait.assumption for trait in TRAITS if not trait.is_extreme}
    assert ordinary == {"binary", "no-ties", "some-relevant", "k-docs"}
