"""Numbers of the reference: exact fractions, and 60 digits of irrational numbers.

Every measure is computed with `fractions.Fraction`, so a rational value (a precision, an average precision) is exact.
Logarithms, roots and powers are irrational. They are computed to 60 significant digits and then used as fractions.
Results are rounded once, from the fraction to the nearest float.

>>> log2(8), ln(1), sqrt(Fraction(4, 9))        # exact results if they are rational
(Fraction(3, 1), Fraction(0, 1), Fraction(2, 3))
>>> float(log2(3))
1.584962500721156
"""

import math
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from rankproof.reference_impl.unusable import Unusable

DIGITS = 60
LARGEST_POWER = 100_000
LONGEST_EXACT = 64
_CONTEXT = Context(prec=DIGITS + 5)


class Overflow(ArithmeticError, Unusable):
    """A power that is too large to compute exactly."""


def written(x: float | Fraction) -> Fraction:
    """Return a number as it was written: 0.1 is 1/10, not the nearest float.

    >>> written(0.1), written(2)
    (Fraction(1, 10), Fraction(2, 1))
    """
    return Fraction(str(x)) if isinstance(x, float) else Fraction(x)


def _decimal(x: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))


def cut(x: Fraction) -> Fraction:
    """Cut a number to 60 digits if it is longer than an exact one, so that long sums of such numbers stay small."""
    return x if x.denominator.bit_length() <= LONGEST_EXACT else Fraction(_decimal(x))


@lru_cache(maxsize=65_536)
def ln(x: Fraction | int) -> Fraction:
    """Return the natural logarithm of x > 0."""
    return Fraction(_CONTEXT.ln(_decimal(Fraction(x))))


@lru_cache(maxsize=65_536)
def log(x: Fraction | int, base: int) -> Fraction:
    """Return the logarithm of x > 0 to an integer base > 1; exact if x is a whole power of the base."""
    power = _whole_power(Fraction(x), base)
    return Fraction(power) if power is not None else ln(x) / ln(base)


def log2(x: Fraction | int) -> Fraction:
    """Return the logarithm of x > 0 to base 2."""
    return log(x, 2)


def _whole_power(x: Fraction, base: int) -> int | None:
    if x.denominator != 1 or x < 1:
        return None
    n, power = x.numerator, 0
    while n % base == 0:
        n, power = n // base, power + 1
    return power if n == 1 else None


def sqrt(x: Fraction) -> Fraction:
    """Return the square root of x >= 0; exact if numerator and denominator are squares."""
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if Fraction(top * top, bottom * bottom) == x:
        return Fraction(top, bottom)
    return Fraction(_CONTEXT.sqrt(_decimal(x)))


def exp(x: Fraction) -> Fraction:
    """Return e to the power x."""
    return Fraction(_CONTEXT.exp(_decimal(x))) if x else Fraction(1)


@lru_cache(maxsize=4_096)
def two_to(x: Fraction) -> Fraction:
    """Return 2 to the power x; exact if x is a whole number.

    Raises:
        Overflow: |x| is more than 100,000. No grade scale reaches this, and the result would not fit in memory.
    """
    if abs(x) > LARGEST_POWER:
        msg = f"The grade {to_float(x):g} is too large for an exponential gain (2 to the power of the grade)"
        raise Overflow(msg)
    if x.denominator == 1:
        return Fraction(2) ** x.numerator
    return exp(x * ln(2))


def to_float(x: Fraction | None) -> float:
    """Return the float nearest to x: NaN for None (undefined), infinity beyond the range of floats.

    >>> to_float(Fraction(2) ** 2000), to_float(None)
    (inf, nan)
    """
    if x is None:
        return math.nan
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return math.inf if x > 0 else -math.inf
