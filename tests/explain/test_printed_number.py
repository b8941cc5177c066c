"""Printed numbers: the values that round to them, and text that is not a number."""

from fractions import Fraction

import pytest

from rankproof.explain.printed_number import NoValue, parse_number


@pytest.mark.parametrize(
    ("text", "rounding", "others"),
    [
        (".26", "0.258 0.255 0.265", "0.2549 0.2651"),
        (".260", "0.2595 0.2605", "0.258 0.2594"),
        ("1", "1", "0.5 1.5 0.999"),
        ("1.", "1", "0.5 1.5 0.999"),
        ("-.5", "-0.5 -0.45", "0.5"),
        ("2.5e-1", "0.25 0.255", "0.2"),
        ("0.30000000000000004", "0.3", "0.30000000001"),
        ("25e2", "2450 2550", "2449 2551"),
    ],
)
def test_number_means_all_values_that_round_to_it(text: str, rounding: str, others: str) -> None:
    number = parse_number(text)
    assert all(number.fits(Fraction(value)) for value in rounding.split())
    assert not any(number.fits(Fraction(value)) for value in others.split())
    assert not number.fits(None)


def test_digits_decide_the_decimals_and_whether_it_may_be_a_float32() -> None:
    decimals = {" .25 ": 2, "2.5e-3": 4, "25e2": 0, "1.5e3": 0, "7": 0, "-1.250": 3}
    assert {text: parse_number(text).decimals for text in decimals} == decimals
    assert parse_number(" .25 ").text == ".25"
    single = (".123456", ".123456789", "1.23456", ".500000000000", "-.00123456", "1.")
    others = ("123456", ".12345", ".1234567891", ".00012345", ".50000000000", "0.3000000000000004")
    assert [text for text in (*single, *others) if parse_number(text).is_single] == [*single]


def test_error_of_floats_is_relative_to_the_number() -> None:
    large, small = parse_number("123456.789"), parse_number(".123456")
    assert [large.in_single.fits(Fraction(mean)) for mean in ("123456.7", "123456.6")] == [True, False]
    assert [small.in_single.fits(Fraction(mean)) for mean in (".1234564", ".1234566")] == [True, False]
    assert [parse_number(".1").is_exactly(Fraction(mean)) for mean in (0.1, ".1", ".10000000001")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["", ".", "nan", "a", "1,5", "٣", "1e9999", "--1"])
def test_text_that_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(NoValue, match=r"is not a number\. Write it as it was printed"):
        parse_number(text)
