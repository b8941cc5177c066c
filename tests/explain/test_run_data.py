"""Values of a run under many conventions: the same as those of the reference, by rows and by columns."""

from fractions import Fraction
from functools import partial

import random_collections
from hypothesis import given
from hypothesis import strategies as st
from random_collections import Little

from rankproof.explain.answers_by_columns import answers_by, columns_of
from rankproof.explain.run_data import RunData
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.reference_answers import CannotTell, Refused, Values, outcome_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.same_answers import alike

MEASURES = ("P@2", "AP", "nDCG@2", "RR", "R@2", "Bpref", "NumRelRet", "Judged@2", "Success@1", "nDCG(dcg='exp-log2')@2")


LITTLE = st.integers(0, 10**6).map(partial(random_collections.drawn, docs=5))
"""Collections with ties, missing, extra and empty queries, repeated documents, and grades of all kinds."""
ONCE = LITTLE.filter(lambda little: not little.has_twice)
"""Collections without repeated documents, which the columnar path accepts."""


DIGITS = Fraction(1, 10**50)
"""Tolerance for conventions that differ only in the base of the logarithm and share a value.

Logarithms have 55 digits.
"""


@st.composite
def profiles(draw: st.DrawFn) -> Conventions:
    """Draw a few conventions other than `standard`; most of them give a number."""
    axes = draw(st.lists(st.sampled_from(list(AXES)), max_size=6, unique=True))
    changes = {axis: draw(st.sampled_from([v for v in values_of(axis) if v != "rejected"] or ["any"])) for axis in axes}
    lenient = {"run_duplicates": "first", "qrels_duplicates": "last"}
    return STANDARD.replace(**{**lenient, **changes})


@given(LITTLE, profiles(), st.sampled_from(MEASURES))
def test_values_are_those_of_the_reference(little: Little, conventions: Conventions, written: str) -> None:
    measure, data = parse(written), RunData(little.qrels, little.run)
    expected = outcome_of(lambda: Collection(little.qrels, little.run).answer(measure, conventions))
    answers = data.answers(measure, conventions)
    if isinstance(expected, Refused | CannotTell):
        assert type(answers) is type(expected)
    else:
        assert isinstance(answers, Values)
        assert answers.per_query.keys() == expected.per_query.keys()
        pairs = [(answers.mean, expected.mean), *((v, expected.per_query[q]) for q, v in answers.per_query.items())]
        assert all(a == b or abs(a - b) < DIGITS for a, b in pairs), "values differ within the digits of logarithms"
    assert data.answers(measure, data.plain(measure, conventions)) == answers, "idle conventions changed a value"


@given(ONCE, st.lists(profiles(), min_size=1, max_size=4), st.sampled_from(MEASURES))
def test_columns_give_the_values_of_the_rows(little: Little, several: list[Conventions], written: str) -> None:
    measure, columns = parse(written), columns_of(little.qrels, little.run, has_ranks=True)
    if columns is None:
        assert not all(any(part.values()) for part in (little.qrels, little.run))
        return
    values = columns()
    for conventions in (STANDARD, *several):
        answers = answers_by(values, measure, conventions)
        expected = outcome_of(partial(Collection(little.qrels, little.run).answer, measure, conventions))
        if isinstance(answers, Values):
            assert isinstance(expected, Values)
            assert answers.per_query.keys() == expected.per_query.keys()
            pairs = [(answers.mean, expected.mean), *((v, expected.per_query[q]) for q, v in answers.per_query.items())]
            assert all(alike(to_float(a), to_float(b)) for a, b in pairs)
        else:
            assert answers is None or type(answers) is type(expected)
