"""Numbers written as decimals, read by the column: the very floats that Python's `float` reads.

A token `[+-]digits[.digits]` of at most 19 digits is a whole number m over 10^f. Its digits are read eight at a time: a word of
eight bytes is taken as one number, and pairs, quadruples and octets of digits are joined by multiplication. m / 10^f is then
rounded once. Up to 2^53 the division itself does that; above, the rest of the division is added, and where the sum is too near to
the middle of two floats to say which is right (Ziv's test), the number is left to `float`, as all other forms are.

Source of the joining of digits: Lemire 2018, "Quickly parsing eight digits"; of the exact rest: Dekker 1971, "A Floating-Point
Technique for Extending the Available Precision", Numerische Mathematik 18.
"""

import numpy as np

from rankproof.evaluating.fast.arrays import Bools, Bytes, Floats, Ints, NotColumnar, Words
from rankproof.evaluating.fast.id_words import MASKS, padded_words

DIGITS = 19
"""More digits are no whole number of 64 bits."""
_LONGEST = DIGITS + 1
_EXACT = 2**53
_DOT, _PLUS, _MINUS = 0x2E, 0x2B, 0x2D
_ZEROS, _LOW, _HIGH = (np.uint64(int(byte * 8, 16)) for byte in ("30", "01", "80"))
_SIXES, _TENS = np.uint64(int("06" * 8, 16)), np.uint64(int("F0" * 8, 16))
_EIGHT, _ONE, _SEVEN = np.uint64(8), np.uint64(1), np.uint64(7)
_POWERS = np.array([10**i for i in range(DIGITS + 1)], dtype=np.uint64)
_FLOAT_POWERS = np.array([10.0**i for i in range(DIGITS + 1)])
_ALL = np.uint64(2**64 - 1)
_SPLIT = 2.0**27 + 1
_DOUBT = 2.0**-48


def decimals(text: Bytes, starts: Ints, lengths: Ints) -> tuple[Floats, Bools]:
    """The number of each token, and whether it was read; what was not is for `float`."""
    first = text[starts]
    minus = first == _MINUS
    signed = minus | (first == _PLUS)
    if signed.any():
        starts, lengths = starts + signed, lengths - signed
    read = (lengths > 0) & (lengths <= _LONGEST)
    words = padded_words(text, starts, np.where(read, lengths, 0))
    mantissa, fraction, good = _whole_and_fraction(words, lengths)
    values = _quotients(mantissa, fraction)
    read &= good & ~np.isnan(values)
    return np.where(minus, -values, values) if signed.any() else values, read


def _whole_and_fraction(words: list[Words], lengths: Ints) -> tuple[Words, Ints, Bools]:
    """The digits of each token as one whole number, how many of them are behind the dot, and whether it has that form."""
    words, dot = _without_dot(words)
    found = dot >= 0
    digits = lengths - found
    fraction = np.where(found, digits - dot, 0)
    good = (digits > 0) & (digits <= DIGITS)
    total = np.zeros(len(lengths), dtype=np.uint64)
    for i, word in enumerate(words):
        count = np.clip(digits - 8 * i, 0, 8)
        kept = MASKS[count]
        value = (word ^ _ZEROS) & kept
        good &= ((value | (value + _SIXES)) & _TENS & kept) == 0
        total = total * _POWERS[count] + _eight_digits(value << ((8 - count) % 8 * 8).astype(np.uint64))
    return total, np.clip(fraction, 0, DIGITS), good


def _without_dot(words: list[Words]) -> tuple[list[Words], Ints]:
    """The words with the first dot taken out, and its place; -1 where there is none."""
    place = np.full(len(words[0]), -1, dtype=np.int64)
    out: list[Words] = []
    for i, word in enumerate(words):
        following = words[i + 1] << np.uint64(56) if i + 1 < len(words) else np.uint64(0)
        shifted = (word >> _EIGHT) | following
        marked = word ^ np.uint64(int("2E" * 8, 16))
        marked = (marked - _LOW) & ~marked & _HIGH
        lowest = marked & (~marked + _ONE)
        here = (marked != 0) & (place < 0)
        # All bytes below the dot; without one, all of them where none was before, and none where one was.
        below = np.where(here, (lowest >> _SEVEN) - _ONE, np.where(place < 0, _ALL, np.uint64(0)))
        place = np.where(here, 8 * i + (np.bitwise_count(below) >> 3).astype(np.int64), place)
        out.append((word & below) | (shifted & ~below))
    return out, place


def _eight_digits(value: Words) -> Words:
    """Eight bytes of one digit each, the first in the lowest, as one number."""
    value = value * np.uint64(10) + (value >> _EIGHT)
    low, high = np.uint64(0x000000FF000000FF), np.uint64(16)
    left = (value & low) * np.uint64(100 + (1_000_000 << 32))
    right = ((value >> high) & low) * np.uint64(1 + (10_000 << 32))
    return (left + right) >> np.uint64(32)


def _quotients(mantissa: Words, fraction: Ints) -> Floats:
    """M / 10^f, rounded once; NaN where that cannot be said."""
    power = _FLOAT_POWERS[fraction]
    found = mantissa.astype(np.float64) / power
    large = np.flatnonzero(mantissa > _EXACT)
    if len(large):
        found[large] = _rounded(mantissa[large], power[large])
    return np.asarray(found)


def _rounded(mantissa: Words, power: Floats) -> Floats:
    near = mantissa.astype(np.float64)
    missing = (mantissa - near.astype(np.uint64)).astype(np.int64).astype(np.float64)
    quotient = near / power
    product = quotient * power
    rest = ((near - product) - _product_error(quotient, power, product)) + missing
    more = rest / power
    low, high = quotient + more * (1 - _DOUBT), quotient + more * (1 + _DOUBT)
    return np.where(low == high, low, np.nan)


def _product_error(a: Floats, b: Floats, product: Floats) -> Floats:
    """What a * b lacks of the product of the floats a and b."""
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return np.asarray(a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low))


def _upper_half(a: Floats) -> Floats:
    wide = _SPLIT * a
    return np.asarray(wide - (wide - a))


def whole_numbers(text: Bytes, starts: Ints, lengths: Ints) -> Ints:
    """The whole number of each token.

    Raises:
        NotColumnar: one is none, or larger than a float holds exactly.
    """
    first = text[starts]
    minus = first == _MINUS
    signed = minus | (first == _PLUS)
    starts, lengths = starts + signed, lengths - signed
    if int(lengths.max(initial=0)) > DIGITS:
        raise NotColumnar
    words = padded_words(text, starts, lengths)
    mantissa, _, good = _whole_and_fraction(words, lengths)
    _, dot = _without_dot(words)
    if not good.all() or (dot >= 0).any() or (mantissa > _EXACT).any():
        raise NotColumnar
    whole = mantissa.astype(np.int64)
    return np.where(minus, -whole, whole)
