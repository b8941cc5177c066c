"""A choice that is said to be idle beside another one is: every pair of choices of a formula, on inputs made for them.

The corpus need not have what tells two choices apart; these inputs have docs on both sides of every threshold, tied, doubled and unjudged.
"""

import itertools
import random
from collections.abc import Iterator
from functools import cache

import pytest
from reference_answers import answered

from rankproof.cases.inputs import Input
from rankproof.matching.reference_answers import Oracle
from rankproof.meaning.deciding_axes import free_axes, possible, values_of
from rankproof.meaning.equivalent_choices import settled
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse

RELS = (-1, 0, 0.5, 1, 1.5, 2, 3, 5)
JUDGING = {"relevant", "grades", "negative", "gain_threshold", "unjudged", "known", "ties"}
"""Axes that settle what a formula is given."""
MEASURES = ("nDCG(rel=2)@3", "nDCG", "DCG(rel=2)@3", "CG@2", "ERR@3", "RBP(rel=2)", "AP(rel=2)@3", "P(rel=2)@3", "R(rel=2)@2", "Bpref",
            "F(beta=2)@3", "Rprec", "RR(rel=2)", "RR@3")  # fmt: skip
PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}


@cache
def inputs() -> tuple[Input, ...]:
    """A few rankings of eight docs, some of them judged, one for every rel at least."""
    chance, found = random.Random(0), []  # noqa: S311 - drawn to be repeated, not to be secret
    for _ in range(4):
        rels = dict(zip("abcdefgh", chance.sample(RELS, len(RELS)), strict=True))
        docs = chance.sample("abcdefghij", 8)
        rows = tuple(("q", doc, float(4 - rank // 2), rank) for rank, doc in enumerate(docs, start=1))
        found.append(Input(qrels=tuple(("q", doc, rel) for doc, rel in rels.items()), run=rows))
    return tuple(found)


def pairs(measure: str) -> Iterator[dict[str, str]]:
    """Every two choices, on axes of which one is the formula's own or settles what it is given."""
    asked = parse(measure)
    axes = [axis for axis in free_axes(asked) if axis in JUDGING or AXES[axis].stage == "measure"]
    choices = {axis: [value for value in values_of(axis) if possible(asked, axis, value)] for axis in axes}
    for one, other in itertools.combinations(axes, 2):
        for first, second in itertools.product(choices[one], choices[other]):
            yield {**PLAIN, one: first, other: second}


@pytest.mark.parametrize("measure", MEASURES)
def test_two_choices_of_which_one_is_idle_answer_as_without_it(measure: str) -> None:
    oracles, asked = [Oracle(given) for given in inputs()], parse(measure)
    compared = 0
    for profile in pairs(measure):
        alike = settled(asked, profile)
        for oracle in oracles if alike != profile else ():
            first, second = answered(oracle, asked, profile), answered(oracle, asked, alike)
            if first is not None and second is not None:
                changed = {axis: value for axis, value in profile.items() if value != PLAIN[axis]}
                assert first == second, f"{measure}: {changed} is not as {settled(asked, profile)}"
                compared += 1
    assert compared > 20
