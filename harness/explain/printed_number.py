"""Printed numbers, and the values that round to them."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from rankproof.reference_impl.ranking import as_float32
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

FLOAT_DIGITS = 12
"""A number with so many digits is a float, with the error of a float."""
NOISE = Fraction(1, 10**12)
SINGLE = Fraction(1, 10**6)
"""The relative error of a mean that was computed in float32."""
SINGLE_DIGITS = range(6, 10)
"""The number of digits of a printed float32, unless it is printed as float64."""
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{0,18})(\.(?P<part>\d{0,30}))?(e(?P<power>[-+]?\d{1,3}))?", re.ASCII | re.IGNORECASE
)


class NoValue(Unusable):
    """The text is not a number."""


@dataclass(frozen=True)
class PrintedNumber:
    """A printed number. It means all values that round to it; a whole number means itself.

    Attributes:
        within: the largest distance of a value.
        decimals: the number of digits behind the point.
        is_single: whether it may be a float32: it has as many digits as one, or is one in float64 notation.
    """

    text: str
    value: Fraction
    within: Fraction
    decimals: int
    is_single: bool = False

    def fits(self, mean: Fraction | None) -> bool:
        """Whether a mean rounds to it, half a unit of the last digit either way."""
        return mean is not None and abs(mean - self.value) <= self.within

    @property
    def in_single(self) -> "PrintedNumber":
        """The same number with the error of a float32, if it may be one.

        >>> [wanted(text).in_single.fits(Fraction("0.60465956")) for text in ("0.6046596169471741", "0.6046596169471742")]
        [True, False]
        """
        return replace(self, within=max(self.within, abs(self.value) * SINGLE * self.is_single))

    def is_exactly(self, mean: Fraction) -> bool:
        """Whether a mean is the number, within the error of a float."""
        return abs(mean - self.value) <= abs(self.value) * NOISE


def wanted(text: str) -> PrintedNumber:
    """Return a printed number.

    >>> wanted(".26").fits(Fraction(2583, 10_000)), wanted(".260").fits(Fraction(2583, 10_000))
    (True, False)
    >>> [wanted(text).fits(Fraction(999, 1000)) for text in ("1", "1.", "1.0")]  # torch prints 1 as 1.
    [False, False, True]

    Raises:
        NoValue: it is not a number.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None or not (found["whole"] or found["part"]):
        raise NoValue(f"--value {shortened(text)} is no number; write it as it was printed, as in .3016")
    part, power = found["part"] or "", int(found["power"] or 0)
    unit = Fraction(10) ** (power - len(part))
    digits = f"{found['whole']}{part}"
    value = int(digits) * unit * (-1 if found["sign"] == "-" else 1)
    is_whole = not found["part"] and found["power"] is None
    count = len(digits.lstrip("0"))
    is_float = is_whole or count >= FLOAT_DIGITS
    is_single = found["part"] is not None and (
        is_whole or count in SINGLE_DIGITS or (is_float and as_float32(float(value)) == float(value))
    )
    noise = abs(value) * NOISE if is_float else Fraction(0)
    return PrintedNumber(
        text.strip(), value, max(Fraction(0) if is_whole else unit / 2, noise), max(0, len(part) - power), is_single
    )
