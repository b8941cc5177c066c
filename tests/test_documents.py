"""The door for files: what passes it holds no surprise, and what does not is told with its line."""

import datetime as dt
import gc
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_doctored import small, small_results

from rankproof import documents
from rankproof.cases.schema_flaws import Schema
from rankproof.documents import BadDocument, SchemaPart, json_in, lines_of, text_of
from rankproof.inference import fingerprint_file
from rankproof.judging.results_file import SCHEMA, BadResults, Truncated, load

FINE = '{\n"a": 1,\n"b": [2.5, "x"]\n}'


def test_what_is_json_is_read() -> None:
    assert json_in(FINE) == {"a": 1, "b": [2.5, "x"]}
    assert json_in("[[], " + "[" * 49 + "]" * 50)
    assert json_in("9" * 308) > 10**307


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (FINE.replace("1", "NaN"), 2, "NaN is no number in JSON"),
        (FINE.replace("2.5", "-Infinity"), 3, "-Infinity is no number in JSON"),
        (FINE.replace("2.5", "1e400"), 3, "1e400 is larger than a float can be"),
        (FINE.replace("2.5", "9" * 309), 3, "a number of 309 digits is larger than a float can be"),
        (FINE.replace('"b"', '"a"'), 3, "the key a stands there twice"),
        ('{"c": 1,\n"a": 2,\n"b": 3, "a": 4,\n"d": 5}', 3, "the key a stands there twice"),
        ('{"a":' * 51 + "1" + "}" * 51, 1, "it is nested more than 50 deep"),
        (FINE.replace('"x"', "[" * 60 + "]" * 60), 1, "it is nested more than 50 deep"),
        (FINE.replace('"x"', "[" * 60_000), 1, "it is nested too deep"),
        (FINE.replace('"x"', "x"), 3, "this is no JSON: expecting value"),
        ("", 1, "this is no JSON: expecting value"),
        ("\ufeff" + FINE, 1, "this is no JSON: it begins with a byte order mark; save it as UTF-8 without one"),
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_none_that_can_be_used_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(BadDocument) as refused:
        json_in(text)
    assert (str(refused.value), refused.value.line) == (said, line)


@pytest.mark.parametrize(
    ("document", "about"),
    [
        ({"questoin": "a", "run": {"q": {}}}, "questoin"),  # it stands in the place of one that is missing
        ({"question": "a", "ran": {"q": {"rank": 1}}, "run": {"q": {"rnk": 1}}}, "ran"),
        ({"question": "a", "run": {"q": {"rnk": 1}}}, "rnk"),
        ({"question": "a", "run": {"q": {}}}, "rank"),
        ({"run": {"q": {"rank": 1}}}, "question"),
    ],
)
def test_what_is_not_known_is_told_before_what_is_missing_and_the_top_before_what_is_below(
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
    for read in (text_of, lambda one: list(lines_of(one))):
        with pytest.raises(BadDocument, match="this is no UTF-8: invalid start byte") as refused:
            read(path)
        assert refused.value.line == 2
    monkeypatch.setattr(documents, "LARGEST", 3)
    path.write_bytes(b"1\n" * 5)
    assert list(lines_of(path)) == [(i, "1\n") for i in range(1, 6)]
    with pytest.raises(BadDocument, match="more than 3 bytes"):
        text_of(path)
    path.write_bytes(b"1\n1234\n")
    with pytest.raises(BadDocument, match="more than 3 bytes") as refused:
        list(lines_of(path))
    assert refused.value.line == 2
    for gone in (tmp_path, tmp_path / "none"):
        with pytest.raises(BadDocument, match=r"is a directory|no such file"):
            text_of(gone)


ROW = {
    "kind": "row", "case": "a/a", "subject": "lib-1", "measure": "AP", "verdict": "convention", "value": 0.5, "expected": 1,
    "conventions": ["ties=input"],
}  # fmt: skip


def test_a_record_that_fits_makes_no_other_one_fit() -> None:
    records = SchemaPart(SCHEMA, "row")
    records.check(ROW)
    records.check({**ROW, "value": 0.25})
    for other in (
        {**ROW, "value": True}, {**ROW, "case": 1}, {**ROW, "x": 1}, {**ROW, "conventions": ["ties"]}, {**ROW, "conventions": "ties=input"},
        {**ROW, "verdict": "fine"}, {**ROW, "subject": ""}, {**ROW, "kind": "rows"}, {**ROW, "value": "much"},
        {**ROW, "measure": None}, {name: value for name, value in ROW.items() if name != "value"}, {**ROW, "case": ["a/a"]}, [ROW], None,
    ):  # fmt: skip
        with pytest.raises(BadDocument):
            records.check(other)
    records.check({**ROW, "case": "b/b", "measure": "P@5"})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "value: nan is no finite number"), (-math.inf, "value: -inf is no finite number"),
        (True, "value: true is not valid under"),
        (dt.date(2026, 1, 2), "value: it holds what is no text, number, true, false, list or table, such as a date"),
    ],
)  # fmt: skip
def test_what_is_no_number_is_called_what_it_is(value: object, said: str) -> None:
    with pytest.raises(BadDocument) as refused:
        SchemaPart(SCHEMA, "row").check({**ROW, "value": value})
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_garbage_is_looked_for_as_before_when_results_are_read_or_refused(tmp_path: Path, *, is_enabled: bool) -> None:
    """Not meanwhile, since all that is read is kept."""
    seen = []
    was_enabled = gc.isenabled()
    try:
        gc.enable() if is_enabled else gc.disable()
        with documents.all_kept():
            seen.append(gc.isenabled())
        (tmp_path / "bad.jsonl").write_text("{}\n")
        with pytest.raises(BadResults):
            load(tmp_path / "bad.jsonl")
        seen.append(gc.isenabled())
    finally:
        gc.enable() if was_enabled else gc.disable()
    assert seen == [False, is_enabled]


# -- results ----------------------------------------------------------------------------------------------------------

Lines = list[dict[str, Any]]


def changed(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[1].update(values)


def counted(**values: Any) -> Callable[[Lines], None]:
    return lambda lines: lines[-1].update(values)


NOTHING_OF = {"kind": "unsupported", "why": "no RR", "cases": ["a/x"]}


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (lambda lines: lines.insert(2, lines[1]), 3, "there is a row of the same answer before it"),
        (lambda lines: lines.insert(2, lines[0]), 3, "a header stands among the rows"),
        (lambda lines: lines.insert(2, lines[-1]), 3, "a footer stands among the rows"),
        (changed(measure="AP@7"), 2, "was not asked for AP@7, by the header"),
        (changed(case="ties/none-tied"), 2, "ties/none-tied was not asked for"),
        (changed(subject="x"), 2, "x is none of those that the header says were asked"),
        (changed(verdict="agrees", value=None, error=None), 2, 'error: null is not of type "string"'),
        (changed(verdict="agrees", value=None), 2, "it has neither a value nor an error, and is called agrees"),
        (changed(verdict="known", value=None), 2, "it has neither a value nor an error, and is called known"),
        (changed(conventions=["taste=sweet"]), 2, "taste is no axis"),
        (changed(conventions=["ties=sweet"]), 2, "ties=sweet is no convention"),
        (changed(conventions=["ties=input", "ties=worst"]), 2, "ties is said twice"),
        (changed(note="x" * 9, value="1e400"), 2, 'value: "1e400" is not valid under any of the schemas'),
        (counted(verdicts={"agrees": 1}), -1, "the footer counts other verdicts than the file has"),
        (counted(rows=1, unsupported=9), -1, "the footer counts 1 rows and 9 that are unsupported, the file has 10 and 0"),
        (lambda lines: lines[0].update(asked=[]), 1, "the header names no library"),
        (lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"]}), 3, "no such case was asked: a/x"),
        (lambda lines: lines.insert(2, {**NOTHING_OF, "subject": lines[1]["subject"], "measures": ["P@1"]}), 3,
          "no such case was asked: a/x"),
        (lambda lines: lines.pop(), -1, "header or footer is missing: the file was cut off"),
    ],
    ids=range(19),
)  # fmt: skip
def test_a_line_that_says_what_cannot_be_is_refused(
    change: Callable[[Lines], None], line: int, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "sklearn.jsonl"
    lines = [json.loads(text) for text in small_results().splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    with pytest.raises((BadResults, Truncated)) as refused:
        load(path)
    assert str(refused.value).startswith(f"{path}:{len(lines) if line < 0 else line}: "), refused.value
    assert said in str(refused.value)


def test_results_of_another_version_may_name_what_is_not_known_here(tmp_path: Path) -> None:
    path = tmp_path / "sklearn.jsonl"
    lines = [json.loads(text) for text in small_results().splitlines()]
    lines[1]["conventions"] = ["taste=sweet"]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    assert len(load(path, of_any_version=True).rows) == len(lines) - 2
    with pytest.raises(BadResults):
        load(path)


def test_a_library_stands_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "first.jsonl").write_text(small_results().replace("sklearn", "first"), encoding="utf-8")
    for name in ("sklearn", "other"):
        (tmp_path / f"{name}.jsonl").write_text(small_results(), encoding="utf-8")
    with pytest.raises(BadResults, match=r"sklearn\.jsonl:1: other\.jsonl beside it has sklearn, too"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"value":"', '"value":"x', "is no convention"),
        ('"key":"', '"key":"x', "is no measure known here"),
        ('"profile":"', '"profile":"taste=x ', "taste is no axis"),
        ('"explained":', '"explained":-', "explained: -"),
    ],
)
def test_a_fingerprint_that_says_what_cannot_be_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "fingerprint.json"
    text = small("fingerprint.json", "fingerprints")
    line = next(i for i, one in enumerate(text.splitlines(), start=1) if one.startswith('{"'))
    path.write_text(text, encoding="utf-8")
    assert len(fingerprint_file.read(path)) == 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(fingerprint_file.BadFingerprint) as refused:
        fingerprint_file.read(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert said in str(refused.value)
