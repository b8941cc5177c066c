"""Numbers and texts for people: short, distinct, and without control characters."""

import math

import pytest

from rankproof.terminal import say_folded
from rankproof.text import short, short_pair

INF = math.inf


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0.0000"),
        (-0.25, "-0.2500"),
        (12.5, "12.5000"),
        (1e20, "1e+20"),
        (-3e-5, "-3e-05"),
        (1 - 1e-16, "1.0000"),
        (1 + 4e-16, "1.0000"),
        (0.99999, "0.99999"),
        (2.00001, "2.00001"),
        (-INF, "-inf"),
    ],
)
def test_number_is_short_and_never_looks_like_another_whole_number(value: float, text: str) -> None:
    assert short(value) == text


def test_different_numbers_never_look_equal() -> None:
    assert short_pair(0.50001, 0.50002) == ("0.50001", "0.50002")
    assert short_pair(0.5, 0.5) == ("0.5000", "0.5000")
    assert short_pair("absent", 0.5) == ("absent", "0.5000")


def test_folded_line_is_indented_below_its_start(capsys: pytest.CaptureFixture[str]) -> None:
    say_folded("  " + " ".join(["word"] * 20))
    assert capsys.readouterr().out == "  " + " ".join(["word"] * 15) + "\n    word word word word word\n"
