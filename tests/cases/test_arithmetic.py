"""Expected values of all cases, computed a second time by another library."""

from fractions import Fraction

import mpmath

from rankproof.cases import SPECIAL, load_all
from rankproof.cases.arithmetic import evaluate

mp = mpmath.mp.clone()
mp.dps = 60
FUNCTIONS = {"log2": lambda x: mp.log(x, 2), "ln": mp.log, "sqrt": mp.sqrt}
DIGITS_45 = Fraction(1, 10**45)


def evaluated_by_mpmath(arithmetic: str) -> Fraction:
    sign, mantissa, exponent, _ = mp.mpf(evaluate(arithmetic, mp.mpf, FUNCTIONS))._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def test_decimals_and_mpmath_agree_on_every_expected_value() -> None:
    specs = [by_spec for case in load_all() for by_spec in (case.expect or {}).values()]
    texts = {text for by_spec in specs for by_query in by_spec.values() for text in by_query.values()} - {*SPECIAL}
    assert len(texts) > 400
    for text in texts:
        second = evaluated_by_mpmath(text)
        assert abs(Fraction(evaluate(text)) - second) <= abs(second) * DIGITS_45, text
