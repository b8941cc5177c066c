"""Numbers: exact if they are rational, right to 55 digits otherwise, and rounded once."""

import math
import struct
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.reference_impl import exact
from rankproof.reference_impl.exact import Overflow, cut, exp, ln, log, log2, sqrt, to_float, two_to, written

mp = mpmath.mp.clone()
mp.dps = 70
CLOSE = Fraction(1, 10**55)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


def mpf(x: Fraction | int) -> mpmath.mpf:
    return mp.mpf(Fraction(x).numerator) / mp.mpf(Fraction(x).denominator)


def fraction(x: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = x._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def close(ours: Fraction, theirs: mpmath.mpf) -> bool:
    return abs(ours - fraction(theirs)) <= CLOSE * max(abs(fraction(theirs)), Fraction(1, 100))


@given(positive)
def test_logarithms_and_roots_have_55_digits(x: Fraction) -> None:
    assert close(ln(x), mp.log(mpf(x)))
    assert close(log2(x), mp.log(mpf(x), 2))
    assert close(log(x, 10), mp.log(mpf(x), 10))
    assert close(sqrt(x), mp.sqrt(mpf(x)))


@given(st.fractions(min_value=-30, max_value=30, max_denominator=50))
def test_powers_have_55_digits(x: Fraction) -> None:
    assert close(exp(x), mp.exp(mpf(x)))
    assert close(two_to(x), mp.power(2, mpf(x)))


@given(st.integers(2, 12), st.integers(0, 30), positive)
def test_powers_and_roots_that_are_rational_are_exact(base: int, power: int, x: Fraction) -> None:
    assert log(base**power, base) == power
    assert sqrt(x * x) == x
    assert two_to(Fraction(power)) == 1 / two_to(Fraction(-power)) == 2**power
    assert exp(Fraction(0)) == 1


@pytest.mark.parametrize("power", [exact.LARGEST_POWER + 1, -exact.LARGEST_POWER - 1, 10**400])
def test_a_power_beyond_every_scale_is_refused(power: int) -> None:
    with pytest.raises(Overflow, match="is too large for an exponential gain"):
        two_to(Fraction(power))


def test_long_sums_of_irrational_numbers_stay_small() -> None:
    cuts = [cut(1 / log2(i)) for i in range(2, 500)]
    assert all(abs(ours * log2(i) - 1) <= CLOSE for i, ours in enumerate(cuts, start=2))
    assert sum(cuts).denominator.bit_length() < 300
    assert cut(Fraction(1, 3**40)) == Fraction(1, 3**40), "what is exact stays so"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.1, "1/10"),
        (2, "2"),
        (1e-7, "1/10000000"),
        (True, "1"),
        (Fraction(1, 3), "1/3"),
        (1.0000000000001, "1.0000000000001"),
        (0.12345678901234568, "0.12345678901234568"),
    ],
)
def test_a_number_equals_its_text(number: float, expected: str) -> None:
    assert written(number) == Fraction(expected)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_own_nearest_float(x: float) -> None:
    assert struct.pack("d", to_float(Fraction(x))) == struct.pack("d", x + 0.0)


def test_overflow_is_infinity_and_undefined_is_nan() -> None:
    assert to_float(Fraction(10) ** 400) == math.inf
    assert to_float(-(Fraction(10) ** 400)) == -math.inf
    assert math.isnan(to_float(None))
