"""Corpus of test cases: one question per file, as data that programs in any language can read.

A case is a TOML file, `cases/<topic>/<slug>.toml`. Its id is `<topic>/<slug>` and never changes. The format is TOML
because cases are written by hand. Multi-line text holds qrels and runs as in TREC files, comments hold the arithmetic,
and Python reads TOML without other packages. `rankproof cases export` writes all cases to one JSON file.
"""

import fnmatch
import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rankproof.bounded import BadDocument, text_of, toml_in
from rankproof.cases.inputs import Id, Input, QrelsRow, RunRow
from rankproof.cases.schema_flaws import TOO_DEEP, Schema
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

HERE = Path(__file__).resolve().parent
LARGEST = 2**20
"""Maximum size of a case file in bytes. Files of the corpus have some hundred."""
SPECIAL = ("nan", "absent", "rejected")
UNDEFINED = "undefined"
"""Tag of a case without a correct value: results are stored and never compared."""

Expected = Mapping[str, str]
"""The expected values by query; `mean` is the value over all queries."""


class BadCase(Unusable):
    """Unusable case file; the message names the file, the line and the fix."""


@dataclass(frozen=True)
class Case:
    """A question, its input, and the expected values by convention.

    Attributes:
        input: the data that is measured. The rank of a row is written in the file, or is its position within the query.
        expect: measure -> conventions -> expected value by query, as arithmetic.
    """

    id: str
    question: str
    why: str
    source: str
    tags: tuple[str, ...]
    input: Input
    expect: Mapping[str, Mapping[str, Expected]] | None = None
    also_ask: tuple[str, ...] = ()
    kills: tuple[str, ...] = ()

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The tested measures: those with an expected value, then the others."""
        return tuple(dict.fromkeys([*(self.expect or ()), *self.also_ask]))

    @property
    def of_labels(self) -> bool:
        """Whether the case compares two labelings."""
        return self.input.of_labels

    @property
    def undefined(self) -> bool:
        """Whether the case has no correct value."""
        return UNDEFINED in self.tags

    @property
    def queries(self) -> tuple[Id, ...]:
        """The queries, in the order of the qrels and then of the run."""
        return self.input.queries


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a case file."""
    loaded: dict[str, Any] = json.loads((HERE / "case.schema.json").read_text(encoding="utf-8"))
    return loaded


def files(folder: Path = HERE) -> list[Path]:
    """Return all case files, sorted by id."""
    return sorted(folder.glob("*/*.toml"))


def load_all(folder: Path = HERE) -> list[Case]:
    """Load all cases, sorted by id. Cases that come with rankproof are read once.

    Raises:
        BadCase: a case file cannot be used.
    """
    return list(_shipped()) if folder == HERE else [load(path) for path in files(folder)]


def load_matching(globs: Sequence[str]) -> list[Case]:
    """Load the cases of rankproof that match one of these ids, topics or globs, sorted by id; all cases without any.

    Raises:
        BadCase: a case file cannot be used.
    """
    if not globs:
        return load_all()
    return [load(path) for path in files() if matches(f"{path.parent.name}/{path.stem}", globs)]


def matches(case_id: str, globs: Sequence[str]) -> bool:
    """Return whether a case matches one of these ids, topics or globs; without any, every case does.

    >>> matches("ties/none-tied", ["gain", "ties"]), matches("ties/none-tied", ["ties/r*"]), matches("ties/none-tied", [])
    (True, False, True)
    """
    return not globs or any(fnmatch.fnmatch(case_id, glob) or case_id.startswith(f"{glob}/") for glob in globs)


@cache
def _shipped() -> tuple[Case, ...]:
    return tuple(load(path) for path in files())


def load(path: Path) -> Case:
    """Load a case file and check it against the schema.

    Raises:
        BadCase: the file is not TOML, does not follow the schema, or has rows that cannot be parsed.
    """
    text = _text_of(path)
    try:
        raw = _parsed(path, text)
        _check_schema(path, text, raw)
        return _built(path, text, raw)
    except RecursionError as error:
        raise BadCase(f"{path}:{_deepest(text)}: nested too deeply") from error


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return toml_in(text)
    except BadDocument as error:
        raise BadCase(f"{path}:{error.line}: {error}") from error


def _text_of(path: Path) -> str:
    try:
        return text_of(path, LARGEST)
    except BadDocument as error:
        raise BadCase(f"{path}:{error.line}: {error}") from error


def _deepest(text: str) -> int:
    """Return the line with the most brackets."""
    lines = text.splitlines()
    return 1 + max(range(len(lines)), key=lambda i: lines[i].count("[") + lines[i].count("{"), default=0)


def _check_schema(path: Path, text: str, raw: dict[str, Any]) -> None:
    for flaw in _form().flaws(_without_infinities(raw)):
        line = _deepest(text) if flaw.message == TOO_DEEP else _line_of(text, str(flaw.steps[0]) if flaw.steps else "")
        where = shortened(flaw.where or "the case")
        raise BadCase(f"{path}:{line}: {where}: {shortened(flaw.message, 200)}; see cases/case.schema.json")


def _without_infinities(value: object) -> object:
    """Return the value with 0 for infinite scores, which cases allow and JSON does not."""
    if isinstance(value, dict):
        return {name: _without_infinities(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_without_infinities(member) for member in value]
    return value if not isinstance(value, float) or math.isfinite(value) else 0.0


@cache
def _form() -> Schema:
    return Schema(schema())


def _line_of(text: str, key: str) -> int:
    """Return the line that sets a key, or 1."""
    lines = text.splitlines()
    matches = (i for i, line in enumerate(lines, start=1) if key and re.match(rf"\[*{re.escape(key)}\b", line))
    return next(matches, 1)


def _built(path: Path, text: str, raw: dict[str, Any]) -> Case:
    of_labels = "true" in raw or "predicted" in raw
    if of_labels == ("qrels" in raw or "run" in raw) or ("true" in raw) != ("predicted" in raw):
        raise BadCase(f"{path}:1: a case needs either qrels and run, or true and predicted")
    if "expect" not in raw and "measures" not in raw:
        raise BadCase(
            f'{path}:1: the case tests no measure: add [expect."MEASURE"], or measures = […] without expected values'
        )
    case_id, data = f"{path.parent.name}/{path.stem}", _input(path, text, raw)
    if "expect" in raw and UNDEFINED in raw["tags"]:
        raise BadCase(
            f"{path}:1: a case tagged {UNDEFINED} has no correct value: write measures = […] instead of [expect]"
        )
    queries = [str(query) for query in data.queries]
    expect = {
        measure: {spec: _by_query(path, queries, value, case_id) for spec, value in by_spec.items()}
        for measure, by_spec in raw.get("expect", {}).items()
    }
    return Case(
        case_id,
        raw["question"],
        raw["why"].strip(),
        raw["source"],
        tuple(raw["tags"]),
        data,
        expect,
        also_ask=tuple(raw.get("measures", ())),
        kills=tuple(raw.get("kills", ())),
    )


def _input(path: Path, text: str, raw: Mapping[str, Any]) -> Input:
    if "true" in raw:
        return Input(true=tuple(raw["true"]), predicted=tuple(raw["predicted"]))
    return Input(
        tuple(_qrels_rows(path, text, raw.get("qrels", ""))),
        tuple(_with_ranks(_run_rows(path, text, raw.get("run", "")))),
        tuple(raw.get("empty_in_qrels", ())),
        tuple(raw.get("empty_in_run", ())),
    )


def _by_query(path: Path, queries: list[str], value: str | Mapping[str, str], case_id: str) -> Expected:
    if isinstance(value, str):
        alone = queries[:1] if len(queries) == 1 and value not in SPECIAL else []
        return dict.fromkeys([*alone, "mean"], value)
    for query in value:
        if query not in queries and query != "mean":
            known = shortened(", ".join(queries))
            raise BadCase(f"{path}:1: a value is expected for query {shortened(query)}, but {case_id} has only {known}")
    return dict(value)


def _text_rows(
    path: Path, text: str, table: str, form: str, widths: tuple[int, ...]
) -> Iterator[tuple[int, list[str]]]:
    rows = table.strip().splitlines()
    start = next((i for i, line in enumerate(text.splitlines(), 1) if rows and line.strip() == rows[0].strip()), 1)
    for number, line in enumerate(rows, start):
        fields = line.split()
        if len(fields) not in widths:
            raise BadCase(f"{path}:{number}: {shortened(line.strip())!r} is not of the form '{form}'")
        yield number, fields


def _qrels_rows(path: Path, text: str, table: str | list[list[Any]]) -> Iterator[QrelsRow]:
    if not isinstance(table, str):
        where = _line_of(text, "qrels")
        yield from ((query, doc, _finite(path, where, rel)) for query, doc, rel in table)
        return
    for line, (query, doc, rel) in _text_rows(path, text, table, "query doc rel", (3,)):
        yield query, doc, _finite(path, line, _number(path, line, rel, whole=True))


def _run_rows(path: Path, text: str, table: str | list[list[Any]]) -> Iterator[tuple[Id, Id, float, int | None]]:
    if not isinstance(table, str):
        where = _line_of(text, "run")
        for query, doc, score, *rank in table:
            yield query, doc, float(_number(path, where, score, whole=False)), rank[0] if rank else None
        return
    for line, (query, doc, score, *rank) in _text_rows(path, text, table, "query doc score [rank]", (3, 4)):
        place = int(_number(path, line, rank[0], whole=True)) if rank else None
        yield query, doc, float(_number(path, line, score, whole=False)), place


def _with_ranks(rows: Iterator[tuple[Id, Id, float, int | None]]) -> Iterator[RunRow]:
    places: dict[Id, int] = {}
    for query, doc, score, rank in rows:
        places[query] = places.get(query, 0) + 1
        yield query, doc, score, places[query] if rank is None else rank


def _number(path: Path, line: int, written: str | float, *, whole: bool) -> float:
    try:
        return int(written) if whole and re.fullmatch(r"[-+]?\d+", str(written)) else float(written)
    except (ValueError, OverflowError) as error:
        raise BadCase(f"{path}:{line}: {shortened(str(written))!r} is not a number") from error


def _finite(path: Path, line: int, rel: float) -> float:
    if abs(rel) <= sys.float_info.max:
        return rel
    raise BadCase(f"{path}:{line}: the grade {shortened(str(rel))} is not a finite number")


def line_of_expected(path: Path, measure: str, spec: str = "") -> int:
    """Return the line of a case file that expects a value of a measure under some conventions, or 1."""
    lines = _text_of(path).splitlines()
    heads = (f'[expect."{measure}"', f"[expect.'{measure}'", f"[expect.{measure}]", f"[expect.{measure}.")
    start = next((i for i, line in enumerate(lines) if line.startswith(heads)), None)
    if start is None:
        return 1
    own = (i for i, line in enumerate(lines[start + 1 :], start + 1) if line.strip("\"'").startswith(spec))
    return 1 + (next(own, start) if spec else start)
