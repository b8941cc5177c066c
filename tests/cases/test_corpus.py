"""The corpus alone: every expected value of every case is what the reference gives, in one or two seconds.

Nothing of the reference is kept from one test to the next. `test_cases_exact.py` compares the values with the logarithms of
another library.
"""

import gc
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from functools import _lru_cache_wrapper, cache
from itertools import combinations

import pytest
from reference_values import PlainReference

from rankproof.cases import SPECIAL, Case, load_all
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import conventions_of
from rankproof.reference_impl.similarity import from_similarity

CLOSE = Fraction(1, 10**45)
REFUSING = {"rejected", "text", "text-docs", "digit-queries", "whole-to-4", "binary", "two-values"}
"""The values by which an axis refuses an input."""


@dataclass(frozen=True)
class Pinned:
    """What a case expects of a measure of one query, or of the mean, under some conventions."""

    case: Case
    measure: str
    spec: str
    query: str
    expected: str | Decimal
    rational: Fraction | None = None
    """The expected value where it is a fraction that is reached without natural logarithms: the reference has it exactly."""

    def __str__(self) -> str:
        return f"{self.case.id}: {self.measure} [{self.spec}] of {self.query} is {self.expected:.17}"


def _pinned() -> Iterator[Pinned]:
    for case in CASES:
        for measure, by_spec in (case.expect or {}).items():
            for spec, by_query in by_spec.items():
                for query, text in by_query.items():
                    value = text if text in SPECIAL else _decimal(text)
                    yield Pinned(case, measure, spec, query, value, _rational(case, spec, text))


def _rational(case: Case, spec: str, text: str) -> Fraction | None:
    natural = case.of_labels or {"discount=ln", "mean=geometric"} & {*spec.split()}
    if natural and text not in {"0", "1"}:
        return None
    return _fraction(text)


@cache
def _decimal(text: str) -> Decimal:
    return evaluate(text)


@cache
def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(evaluate(text, Fraction, {}))
    except NotArithmetic:
        return None


def _name(measure: str) -> str:
    return re.split(r"[(@]", measure)[0]


CASES = load_all()
PINNED = list(_pinned())
NAMES = sorted({_name(pinned.measure) for pinned in PINNED})
DECLARED = {field.name for field in fields(Definition)}
"""All else that a definition has was worked out."""
CACHES = [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper) and "reference_impl" in one.__module__]


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    for kept_answers in CACHES:
        kept_answers.cache_clear()
    for definition in MEASURES.values():
        for kept in vars(definition).keys() - DECLARED:
            del vars(definition)[kept]


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_gives_what_the_cases_expect(name: str) -> None:
    oracles = {case.id: PlainReference(case.input) for case in CASES}
    for pinned in PINNED:
        if _name(pinned.measure) == name:
            answers = oracles[pinned.case.id].answers(parse(pinned.measure), pinned.spec)
            if not is_as_expected(answers, pinned):
                pytest.fail(str(pinned), pytrace=False)  # `assert` would print the whole case


def is_as_expected(answers: Answers, pinned: Pinned) -> bool:
    if isinstance(answers, Refused):
        return pinned.expected == "rejected" and names_who_refuses(answers.axis, pinned)
    assert isinstance(answers, Values), answers
    if pinned.query not in answers.named:
        return pinned.expected == "absent"
    found = answers.named[pinned.query]
    if found is None or isinstance(pinned.expected, str):
        return found is None and pinned.expected == "nan"
    exact, margin = (Fraction(pinned.expected), CLOSE) if pinned.rational is None else (pinned.rational, 0)
    return abs(found - exact) <= abs(exact) * margin and to_float(found) == float(pinned.expected)


def names_who_refuses(axis: str, pinned: Pinned) -> bool:
    """Whether an axis can refuse: nobody's choice are numbers too large (no axis), and scores that no order is right for."""
    return axis in {"", "score"} or getattr(conventions_of(pinned.spec, parse(pinned.measure)), axis) in REFUSING


def test_every_measure_of_a_case_is_of_its_kind() -> None:
    for case in CASES:
        assert {parse(measure).of_labels for measure in case.measures} == {case.of_labels}, case.id


def test_every_case_is_answered() -> None:
    for case in CASES:
        oracle = PlainReference(case.input)
        for measure in case.measures:
            answers = oracle.answers(parse(measure), "standard")
            assert isinstance(answers, Values | Refused)
            assert answers == PlainReference(case.input).answers(parse(measure), "standard"), (
                "another measure was asked before"
            )


def test_no_order_is_right_where_a_score_is_not_a_number() -> None:
    for case in CASES:
        if any(math.isnan(score) for _, _, score, _ in case.input.run):
            oracle, precision = PlainReference(case.input), parse("P@1")
            for spec, by in (("standard", "score"), ("order=input", ""), ("order=input score_sign=positive", "score")):
                answers = oracle.answers(precision, spec)
                assert (answers.axis if isinstance(answers, Refused) else "") == by


@pytest.mark.parametrize("name", NAMES)
def test_a_case_shows_that_each_axis_of_a_formula_matters_and_that_no_other_does(name: str) -> None:
    values: dict[tuple[str, str, str], dict[str, str | Decimal]] = {}
    for pinned in PINNED:
        if _name(pinned.measure) == name:
            values.setdefault((pinned.case.id, pinned.measure, pinned.query), {})[pinned.spec] = pinned.expected
    moved = {axis for (_, measure, _), by_spec in values.items() for axis in _axes_that_move(measure, by_spec)}
    definition = {**MEASURES, **CLUSTERINGS}[name]
    assert moved <= set(definition.axes)
    unmoved = {axis for axis in definition.axes if AXES[axis].stage == "measure"} - moved
    assert unmoved == ({"degenerate"} if name == "MI" else set())  # which is never 0/0


def _axes_that_move(measure: str, by_spec: Mapping[str, str | Decimal]) -> Iterator[str]:
    """The axes of those specs that differ in one axis, and in the expected value."""
    asked = parse(measure)
    for (one, value), (other, other_value) in combinations(by_spec.items(), 2):
        differences = list(conventions_of(one, asked).differences(conventions_of(other, asked)))
        if len(differences) == 1 and value != other_value:
            yield differences[0]


def test_the_measures_of_the_corpus_print_as_they_are_written() -> None:
    for pinned in PINNED:
        assert str(parse(pinned.measure)) == pinned.measure


def test_the_conventions_of_the_corpus_print_what_they_mean() -> None:
    for spec, asked in {(pinned.spec, parse(pinned.measure)) for pinned in PINNED}:
        conventions = conventions_of(spec, asked)
        printed = conventions.spec()
        assert conventions_of(printed, asked) == conventions
        assert [word.split("=")[0] for word in printed.split()] == sorted(STANDARD.differences(conventions))
        for word in spec.split()[("=" not in spec.split()[0]) :]:
            axis, _, value = word.partition("=")
            assert getattr(conventions, axis) == value
            assert (word in printed.split()) == (value != AXES[axis].default)


@pytest.mark.parametrize("case_id", ["notebooks/similarity-ideal-model", "notebooks/similarity-real-model"])
def test_the_rows_of_a_case_are_made_of_its_similarity_matrix(case_id: str) -> None:
    case = next(case for case in CASES if case.id == case_id)
    scores = {(query, doc): score for query, doc, score, _ in case.input.run}
    names = [str(query) for query in case.queries]
    matrix = [[scores.get((query, doc), 1.0) for doc in names] for query in names]
    labels = [name.split("-")[0] for name in names]
    qrels, run = from_similarity(matrix, labels, names)
    assert [(query, *one) for query, judgments in qrels.items() for one in judgments] == [*case.input.qrels]
    assert [(query, *row[:2]) for query, rows in run.items() for row in rows] == [row[:3] for row in case.input.run]
    numbered, _ = from_similarity(matrix, labels)
    assert [judgment.doc for judgment in numbered["0"]] == [str(number) for number in range(1, len(names))]
