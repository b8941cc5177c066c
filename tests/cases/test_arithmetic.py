"""Every expected value of every case, evaluated a second time by another library, is what the reference gives.

`pytest -k ties` asks the cases about ties.
"""

import math
from fractions import Fraction

import mpmath
import pytest
from reference_values import PlainReference

from rankproof.cases import SPECIAL, Case, load_all
from rankproof.cases.arithmetic import evaluate
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse

mp = mpmath.mp.clone()
mp.dps = 60
FUNCTIONS = {"log2": lambda x: mp.log(x, 2), "ln": mp.log, "sqrt": mp.sqrt}
DIGITS_45 = Fraction(1, 10**45)

EXPECTING = [case for case in load_all() if case.expect]
ASKED = [(case, measure) for case in EXPECTING for measure in case.expect or ()]


def evaluated(arithmetic: str) -> Fraction:
    sign, mantissa, exponent, _ = mp.mpf(evaluate(arithmetic, mp.mpf, FUNCTIONS))._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def special(answers: Answers, query: str) -> str | None:
    """The word for an answer that is no number."""
    if isinstance(answers, Refused):
        return "rejected"
    assert isinstance(answers, Values), answers
    if query not in answers.named:
        return "absent"
    return "nan" if answers.named[query] is None else None


def within_two_ulp(number: Fraction, exact: Fraction) -> bool:
    """Whether a float is at most two units in the last place from the nearest one, or both are infinite."""
    ours, nearest = to_float(number), to_float(exact)
    return ours == nearest or abs(ours - nearest) <= 2 * math.ulp(nearest)


@pytest.mark.parametrize("case", EXPECTING, ids=[case.id for case in EXPECTING])
def test_the_reference_gives_what_the_case_expects(case: Case) -> None:
    oracle = PlainReference(case.input)
    for measure, by_spec in (case.expect or {}).items():
        for spec, expected in by_spec.items():
            answers = oracle.answers(parse(measure), spec)
            for query, arithmetic in expected.items():
                assert is_as_expected(answers, query, arithmetic), f"{measure} [{spec}] of {query} is {arithmetic}"


def is_as_expected(answers: Answers, query: str, arithmetic: str) -> bool:
    word = special(answers, query)
    if arithmetic in SPECIAL or word:
        return word == arithmetic
    assert isinstance(answers, Values)
    number, exact = answers.named[query], evaluated(arithmetic)
    assert number is not None
    return abs(number - exact) <= abs(exact) * DIGITS_45 and within_two_ulp(number, exact)


def test_every_measure_of_rankings_and_of_labelings_is_expected_somewhere() -> None:
    asked = {parse(measure).name for _, measure in ASKED}
    assert {*MEASURES, *CLUSTERINGS} - asked == set()


def test_arithmetic_by_two_libraries_agrees() -> None:
    texts = {text for case, m in ASKED for by_query in (case.expect or {})[m].values() for text in by_query.values()}
    for text in texts - {*SPECIAL}:
        assert abs(Fraction(evaluate(text)) - evaluated(text)) <= abs(evaluated(text)) * DIGITS_45, text
