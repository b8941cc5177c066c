"""Files from outside: strict JSON, UTF-8 and size limits; errors name the line."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from refusals import refusal

from rankproof import documents
from rankproof.bounded import BadDocument, text_of
from rankproof.cases.schema_flaws import Schema
from rankproof.documents import json_in, lines_of
from rankproof.reference_impl.shown import shortened

FINE = '{\n"a": 1,\n"b": [2.5, "x"]\n}'


def test_json_is_read() -> None:
    assert json_in(FINE) == {"a": 1, "b": [2.5, "x"]}
    assert json_in("9" * 308) > 10**307


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (FINE.replace("1", "NaN"), 2, "NaN is not a JSON number"),
        (FINE.replace("2.5", "-Infinity"), 3, "-Infinity is not a JSON number"),
        (FINE.replace("2.5", "1e400"), 3, "1e400 is too large for a float"),
        (FINE.replace("2.5", "9" * 309), 3, f"{shortened('9' * 309)} is too large for a float"),
        (FINE.replace('"b"', '"a"'), 3, "the key a occurs twice"),
        ('{"c": 1,\n"a": 2,\n"b": 3, "a": 4,\n"d": 5}', 3, "the key a occurs twice"),
        (FINE.replace('"x"', "[" * 60_000), 1, "nested too deep"),
        (FINE.replace('"x"', "x"), 3, "not JSON: expecting value"),
        ("", 1, "not JSON: expecting value"),
        ("\ufeff" + FINE, 1, "not JSON: it begins with a byte order mark; save it as UTF-8 without one"),
    ],
    ids=range(10),
)
def test_flaw_of_json_is_reported_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(BadDocument) as refused:
        json_in(text)
    assert (str(refused.value), refused.value.line) == (message, line)


@pytest.mark.parametrize(
    ("document", "about"),
    [
        ({"questoin": "a", "run": {"q": {}}}, "questoin"),  # it replaces a missing key
        ({"question": "a", "ran": {"q": {"rank": 1}}, "run": {"q": {"rnk": 1}}}, "ran"),
        ({"question": "a", "run": {"q": {"rnk": 1}}}, "rnk"),
        ({"question": "a", "run": {"q": {}}}, "rank"),
        ({"run": {"q": {"rank": 1}}}, "question"),
    ],
)
def test_unknown_key_is_reported_before_a_missing_one_and_outer_keys_before_inner_ones(
    document: dict[str, Any], about: str
) -> None:
    row = {"type": "object", "required": ["rank"], "properties": {"rank": {}}, "additionalProperties": False}
    keys = {"question": {"type": "string"}, "run": {"type": "object", "additionalProperties": row}}
    schema = Schema({"type": "object", "required": [*keys], "properties": keys, "additionalProperties": False})
    first = next(schema.flaws(document))
    assert about in re.split("['\"]", first.message)


def test_files_and_lines_are_bounded_and_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"1\n\xff2\n")
    for read in (text_of, lambda path: list(lines_of(path))):
        with pytest.raises(BadDocument, match="not UTF-8: invalid start byte") as refused:
            read(path)
        assert refused.value.line == 2
    monkeypatch.setattr(documents, "LARGEST", 3)  # in place of 256 MB
    path.write_bytes(b"12\n" * 5)
    assert list(lines_of(path)) == [(i, "12\n") for i in range(1, 6)]
    assert "more than 3 bytes" in refusal(partial(text_of, largest=3), path, by=BadDocument)
    path.write_bytes(b"1\n1234\n")
    with pytest.raises(BadDocument, match="more than 3 bytes") as refused:
        list(lines_of(path))
    assert refused.value.line == 2
    for gone in (tmp_path, tmp_path / "none"):
        with pytest.raises(BadDocument, match=r"is a directory|no such file"):
            text_of(gone)
