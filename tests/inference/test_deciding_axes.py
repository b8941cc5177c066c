"""Axes that can matter to a case: no other axis changes a value, by brute force, and each of them needs certain inputs."""

import random
from collections.abc import Mapping

import pytest
from reference_values import PlainReference, answered

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.inference.deciding_axes import (
    Facts,
    axes_that_matter,
    axes_that_may_matter,
    free_axes,
    possible,
    values_of,
)
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import Measure, parse

PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}
JUDGED = [case for case in corpus.load_all() if not case.undefined]


def drawn(chance: random.Random, measure: Measure, base: Mapping[str, str], axes: list[str]) -> dict[str, str]:
    """Draw values for these axes; values that refuse the input are rare, because they hide all other differences."""
    changed = dict(base)
    for axis in axes:
        value = chance.choice(possible_values(measure, axis))
        if value not in {"rejected", "text", "digit-queries"} or chance.random() < 0.3:
            changed[axis] = value
    return changed


@pytest.mark.parametrize("seed", range(2))
def test_axis_that_cannot_matter_never_changes_a_value(seed: int) -> None:
    chance = random.Random(seed)
    compared = 0
    for case in JUDGED:
        oracle, facts = PlainReference(case.input), Facts.of(case.input)
        for measure in map(parse, chance.sample(case.measures, min(len(case.measures), 4))):
            free, matter = list(free_axes(measure)), set(axes_that_matter(facts, measure))
            base = drawn(chance, measure, PLAIN, chance.sample(free, min(len(free), chance.choice([1, 3, 6]))))
            alike = drawn(chance, measure, base, [axis for axis in free if axis not in matter])
            for other in (canonical_profile(measure, base), alike):
                first, second = answered(oracle, measure, base), answered(oracle, measure, other)
                if first is not None and second is not None:
                    assert first == second, f"{case.id} {measure}: {base} and {other} differ"
                    compared += 1
    assert compared > 500


def possible_values(measure: Measure, axis: str) -> list[str]:
    return [value for value in values_of(axis) if possible(measure, axis, value)]


# -- inputs that an axis needs ------------------------------------------------------------------------------------------


def rows_of(text: str) -> list[tuple[str, str, float, int]]:
    """Return rows from text such as `a3 b2#1 / a1`: documents a and b of query q1 with score (or grade) and rank, and a of q2."""
    rows = []
    for number, part in enumerate(text.split("/"), start=1):
        for place, word in enumerate(part.split(), start=1):
            value, _, rank = word[1:].partition("#")
            rows.append((f"q{number}", word[0], float(value), int(rank or place)))
    return rows


def input_of(qrels: str, run: str, **empty: tuple[str, ...]) -> Input:
    return Input(qrels=tuple(row[:3] for row in rows_of(qrels)), run=tuple(rows_of(run)), **empty)


ALWAYS = {"discount", "err_max", "ideal", "ideal_cut", "ids", "mean", "r_denominator", "short"}
"""Axes that matter to document a (grade 1) above b (grade 0) of query q1 with cutoff 3."""
DECIDED = [
    ("a1 b0", "a3 b2", "", ""),
    ("a1 b0", "a3 b3", "order ties", ""),
    ("a1 b0", "a3 b2.9999999999", "order ties score", ""),
    ("a1 b0", "a3 b-2", "score_sign unretrieved known single", ""),  # with sign=positive, b is not retrieved
    ("a1 b0", "a3 b0", "score_sign unretrieved known single", ""),
    ("a1 b0", "ainf b2", "infinite", ""),
    ("a1 b0", "b2 a3", "order", ""),
    ("a1 b0", "a3#2 b2#1", "order", ""),
    ("a1 b0", "a3 b2 a1", "run_duplicates order known rr_hits", ""),
    ("a1 b0 a0", "a3 b2", "qrels_duplicates ties norel nohit no_query", ""),  # a may be relevant, or not
    ("a1 b0", "a3 b2 c1", "unjudged", ""),
    ("a1 b0", "a3", "unretrieved known single", ""),
    ("a1 b0 c0", "a3", "unretrieved known single ties", ""),  # two appended documents are tied
    (
        "a1 b-1",
        "a3 b2",
        "negative unjudged grades gain rbp_gain gain_threshold relevant rr_hits norel no_query single",
        "",
    ),
    ("a2 b0", "a3 b2", "grades gain rbp_gain", ""),
    ("a1 b0.5", "a3 b2", "grades gain rbp_gain gain_threshold relevant rr_hits", ""),
    ("a0 b0", "a3 b2", "norel nohit no_query", "discount err_max ideal ideal_cut"),
    ("a1 b1", "a3 b2", "rr_hits", ""),
    ("a1 b0 / a1", "a3 b2", "missing empty unretrieved known norel nohit single", ""),
    ("a1 b0", "a3 b2 / a3", "extra empty unjudged norel nohit single", ""),
    ("a1 b0 c0 d0", "a9 b8 c7 d6", "norel nohit no_query", "short"),  # three non-relevant documents could be above it
    ("a1", "a3", "single", "ideal_cut r_denominator"),
]


def deciding(data: Input) -> set[str]:
    """Return the axes that matter to at least one of several measures with the cutoff 3."""
    measures = map(parse, ("nDCG@3", "RR@3", "R@3", "ERR@3", "RBP@3"))
    return {axis for measure in measures for axis in axes_that_matter(Facts.of(data), measure)}


@pytest.mark.parametrize(("qrels", "run", "more", "less"), DECIDED)
def test_axis_matters_if_the_input_has_what_it_is_about(qrels: str, run: str, more: str, less: str) -> None:
    assert deciding(input_of(qrels, run)) == ALWAYS - set(less.split()) | set(more.split())


def test_query_without_judgments_and_numeric_ids_decide_their_axes() -> None:
    without = deciding(input_of("a1 b0", "a3 b2", empty_in_qrels=("q2",)))
    assert without - ALWAYS == {"empty", "extra", "missing", "no_judgments", "nohit", "norel"}
    digits, numbers = (Input(((q, "a", 1), (q, "b", 0)), ((q, "a", 3.0, 1), (q, "b", 2.0, 2))) for q in ("1", 1))
    assert ALWAYS - deciding(digits) == {"ids"}
    assert deciding(numbers) == ALWAYS


@pytest.mark.parametrize("measure", ["AP@5", "RR", "nDCG@3"])
def test_broken_formula_may_be_undefined_for_any_query(measure: str) -> None:
    """The only document is relevant and retrieved. The measure is defined, but a broken formula may be undefined."""
    facts = Facts.of(Input(qrels=(("q", "a", 1),), run=(("q", "a", 1.0, 1),)))
    may_matter = axes_that_may_matter(facts, parse(measure))
    assert {"norel", "allrel", "nohit", "no_query"} <= {*may_matter}
    assert {"ties", "score", "negative", "run_duplicates", "missing", "extra"}.isdisjoint(may_matter)
