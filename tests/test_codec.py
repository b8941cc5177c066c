"""JSON of dataclasses: derived from their fields, and read back as the same objects."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from rankproof.codec import convert, decode, encode


@dataclass(frozen=True)
class Score:
    """The score of a query."""

    query: str
    value: float | None
    grades: tuple[int, ...] = ()


def test_fractions_paths_and_nan_are_encoded() -> None:
    assert (
        encode({"half": Fraction(1, 2), "file": Path("a/b"), "nan": float("nan")})
        == '{"half":0.5,"file":"a/b","nan":null}'
    )
    assert encode([1], indent=2) == "[\n  1\n]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"query": 1, "value": 0.5}', r"\$.query"),
        ('{"query": "q", "value": null, "grades": [1, "x"]}', r"\$.grades\[1\]"),
        ("{", "truncated"),
    ],
)
def test_text_that_does_not_fit_is_rejected_with_the_field(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        decode(text, Score)


def test_encoded_objects_and_parsed_data_are_read_back() -> None:
    scores = [Score("q\n", None), Score("", -0.1, (2, 0))]
    assert decode(encode(scores), list[Score]) == scores
    assert convert({"query": "q", "value": 1, "grades": [2, 0]}, Score) == Score("q", 1.0, (2, 0))
    with pytest.raises(ValueError, match="query"):
        convert({"value": 1.0}, Score)


def test_other_objects_are_rejected() -> None:
    with pytest.raises(NotImplementedError, match="object cannot be encoded as JSON"):
        encode(object())


def test_half_a_character_is_escaped_and_read_back() -> None:
    score = Score("half \ud800", None, (1, 2))
    assert encode({"s": score, "nan": float("nan")}) == (
        '{"s": {"query": "half \\ud800", "value": null, "grades": [1, 2]}, "nan": null}'
    )
    assert decode(encode(score), Score) == score
    with pytest.raises(ValueError, match="Expecting"):
        decode('{"query": "\\ud800", ', Score)
