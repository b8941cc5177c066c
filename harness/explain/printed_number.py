"""A number as somebody printed it, and which values it can stand for."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from rankproof.reference_impl.ranking import as_float32
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

FLOAT_DIGITS = 12
"""A number of so many digits is a float, and may be off by as much as floats are."""
NOISE = Fraction(1, 10**12)
SINGLE = Fraction(1, 10**6)
"""By how much of a number a mean is off that was computed in float32."""
SINGLE_DIGITS = range(6, 10)
"""So many digits a float32 is printed with, where it is not written out as the float64 that it is."""
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{0,18})(\.(?P<part>\d{0,30}))?(e(?P<power>[-+]?\d{1,3}))?", re.ASCII | re.IGNORECASE
)


class NoValue(Unusable):
    """The text is no number."""


@dataclass(frozen=True)
class PrintedNumber:
    """A number as it was printed: all numbers that round to it are meant; of a whole number, it alone.

    Attributes:
        within: how far from it a value may be.
        decimals: how many digits stand behind the point; 0 where there is none.
        is_single: whether it may be a float32, as it has no more digits than one, or is one that was written out.
    """

    text: str
    value: Fraction
    within: Fraction
    decimals: int
    is_single: bool = False

    def fits(self, mean: Fraction | None) -> bool:
        """Whether a mean rounds to it, half a unit of the last digit either way."""
        return mean is not None and abs(mean - self.value) <= self.within

    def fits_single(self, mean: Fraction | None) -> bool:
        """Whether it may be that mean, computed in float32.

        >>> wanted("0.6046596169471741").fits_single(Fraction("0.6046595566057024"))  # the first is a float32
        True
        >>> wanted("0.6046596169471742").fits_single(Fraction("0.6046595566057024"))
        False
        """
        return self.is_single and self.in_single.fits(mean)

    @property
    def in_single(self) -> "PrintedNumber":
        """The same number, as imprecise as a float32 if it may be one."""
        return replace(self, within=max(self.within, abs(self.value) * SINGLE * self.is_single))

    def is_exactly(self, mean: Fraction) -> bool:
        """Whether a mean is the number, but for what floats are off by."""
        return abs(mean - self.value) <= abs(self.value) * NOISE


def wanted(text: str) -> PrintedNumber:
    """Read a number as it was printed.

    >>> wanted(".26").fits(Fraction(2583, 10_000)), wanted(".260").fits(Fraction(2583, 10_000))
    (True, False)
    >>> [wanted(text).fits(Fraction(999, 1000)) for text in ("1", "1.", "1.0")]  # torch prints 1 as 1.
    [False, False, True]

    Raises:
        NoValue: it is no number.
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
