"""Printed numbers, and the values that round to them."""

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from rankproof.reference_impl.ranking import as_float32
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

FLOAT_DIGITS = 12
"""A number with at least this many digits is a float, with the error of a float."""
NOISE = Fraction(1, 10**12)
SINGLE = Fraction(1, 10**6)
"""The relative error of a mean that was computed in float32."""
SINGLE_DIGITS = range(6, 10)
"""The number of digits of a printed float32, unless it is printed as float64."""
LARGEST = 300
"""The largest power of ten of a number."""


class NoValue(Unusable):
    """A text that is not a number."""


@dataclass(frozen=True)
class PrintedNumber:
    """A printed number, which means all values that round to it; a whole number means only itself.

    Attributes:
        within: the largest distance of a value that rounds to it.
        decimals: the number of digits after the point.
        is_single: whether it may be a float32, by its number of digits or as a float32 printed in float64 notation.
    """

    text: str
    value: Fraction
    within: Fraction
    decimals: int
    is_single: bool = False

    def fits(self, mean: Fraction | None) -> bool:
        """Return whether a mean rounds to the number, within half a unit of the last digit."""
        return mean is not None and abs(mean - self.value) <= self.within

    @property
    def in_single(self) -> "PrintedNumber":
        """The same number with the error of a float32, if it may be one.

        >>> [parse_number(text).in_single.fits(Fraction("0.60465956")) for text in ("0.6046596169471741", "0.6046596169471742")]
        [True, False]
        """
        return replace(self, within=max(self.within, abs(self.value) * SINGLE * self.is_single))

    def is_exactly(self, mean: Fraction) -> bool:
        """Return whether a mean equals the number, within the error of a float."""
        return abs(mean - self.value) <= abs(self.value) * NOISE


def parse_number(text: str) -> PrintedNumber:
    """Parse a printed number.

    >>> parse_number(".26").fits(Fraction(2583, 10_000)), parse_number(".260").fits(Fraction(2583, 10_000))
    (True, False)
    >>> [parse_number(text).fits(Fraction(999, 1000)) for text in ("1", "1.", "1.0")]  # torch prints 1 as 1.
    [False, False, True]

    Raises:
        NoValue: the text is not a number.
    """
    text = text.strip()
    try:
        number = Decimal(text if text.isascii() and "_" not in text else "nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or abs(number.adjusted()) > LARGEST:
        raise NoValue(f"--value {shortened(text)} is not a number. Write it as it was printed, such as .3016.")
    _, digits, exponent = number.as_tuple()
    value, unit = Fraction(number), Fraction(10) ** int(exponent)
    is_whole = exponent == 0 and "e" not in text.casefold()
    is_float = is_whole or len(digits) >= FLOAT_DIGITS
    is_single = "." in text and (
        is_whole or len(digits) in SINGLE_DIGITS or (is_float and as_float32(float(value)) == float(value))
    )
    noise = abs(value) * NOISE if is_float else Fraction(0)
    within = max(Fraction(0) if is_whole else unit / 2, noise)
    return PrintedNumber(text, value, within, max(0, -int(exponent)), is_single)
