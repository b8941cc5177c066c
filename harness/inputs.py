"""Reading qrels and runs: from TREC files, dicts, frames and records to rows by query.

    TREC files      qrels `query iteration doc rel`, runs `query Q0 doc rank score tag`; plain or gzip
    dict of dict    {query: {doc: rel}}, {query: {doc: score}}
    frames          pandas or polars; columns query_id, doc_id and relevance, or score and rank; or as a mapping says
    records         an iterable of named tuples with those fields, as ir_measures' Qrel and ScoredDoc

Ids are text, as they are in TREC files: the integer 7 and the text "7" are the same query. Anything else (7.0, None) is
refused, since it would silently match nothing.

What does not read is refused with `BadInput`, whose message is one line: where, what, and the mend.
"""

import gzip
import math
import os
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from io import BufferedReader
from numbers import Integral, Rational, Real
from typing import IO, Any, Generic, NoReturn, TypeVar, cast

from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.ranking import Judgment, Rel, Row

QRELS_LINE = ("query", "iteration", "doc", "rel")
RUN_LINE = ("query", "Q0", "doc", "rank", "score", "tag")
_QRELS, _RUN = "the qrels", "the run"
_SHOWN = 40
_GZIP = b"\x1f\x8b"
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive: unpack it",
    b"BZh": "compressed by bzip2: unpack it",
    b"\xfd7zXZ": "compressed by xz: unpack it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}


class BadInput(ValueError):
    """Qrels or a run that cannot be used: `where: what`, one line, with the mend."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(where, what)
        self.where, self.what = where, what

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


T = TypeVar("T", Judgment, Row)


@dataclass(frozen=True)
class Rows(Generic[T]):
    """The rows of each query in the order given, and where each stood."""

    name: str
    """The path of the file, or `the qrels`, `the run`."""
    of: Mapping[str, Sequence[T]]
    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The line (of a file) or row (of a frame, of records) of each, from 1 on; nothing for a dict."""
    unit: str = ""

    def place(self, query: str, index: int) -> str:
        """Where a row stood, for a message."""
        return f"{self.unit} {self.numbers[query][index]}" if query in self.numbers else f"query {query!r}"

    def refuse_duplicates(self, axis: str) -> None:
        """Refuse a doc that stands twice under a query.

        Raises:
            BadInput: there is one; the message names both places.
        """
        for query, rows in self.of.items():
            if len({row.doc for row in rows}) == len(rows):
                continue
            seen: dict[str, int] = {}
            for i, row in enumerate(rows):
                if row.doc in seen:
                    self._refuse_twice(axis, query, row.doc, (seen[row.doc], i))
                seen[row.doc] = i

    def _refuse_twice(self, axis: str, query: str, doc: str, at: tuple[int, int]) -> NoReturn:
        first, second = (self.place(query, i) for i in at)
        where = f"{self.name}:{self.numbers[query][at[1]]}" if self.unit == "line" else f"{self.name}, {second}"
        what = f"doc {doc!r} stands twice under query {query!r}, first on {first}"
        raise BadInput(where, f"{what}; remove one, or say which counts: {axis}=first or {axis}=last")


def read_qrels(
    source: Any,  # noqa: ANN401 - see the module: files, dicts, frames, records
    columns: Mapping[str, str] | None = None,
    conventions: Conventions = STANDARD,
) -> Rows[Judgment]:
    """Read qrels from any of the forms above.

    Raises:
        BadInput: they do not read, or a doc is judged twice and the conventions refuse that.
    """
    if isinstance(source, Rows):
        return source
    names = _named({"query_id": "query_id", "doc_id": "doc_id", "relevance": "relevance"}, columns)
    if isinstance(source, str | os.PathLike):
        rows = _qrels_file(os.fspath(source))
    elif isinstance(source, Mapping):
        pairs = _of_dict(source, _QRELS, "rel")
        rows = Rows(_QRELS, {query: [Judgment(doc, rel) for doc, rel in docs] for query, docs in pairs})
    else:
        rows = _qrels_table(source, names)
    if conventions.qrels_duplicates == "rejected":
        rows.refuse_duplicates("qrels_duplicates")
    return rows


def read_run(
    source: Any,  # noqa: ANN401 - see the module: files, dicts, frames, records
    columns: Mapping[str, str] | None = None,
    conventions: Conventions = STANDARD,
) -> Rows[Row]:
    """Read a run from any of the forms above; ranks are read, and NaN is refused, where the order asks for them.

    Raises:
        BadInput: it does not read, or a doc is retrieved twice and the conventions refuse that.
    """
    if isinstance(source, Rows):
        return source
    names = _named({"query_id": "query_id", "doc_id": "doc_id", "score": "score", "rank": "rank"}, columns)
    if isinstance(source, str | os.PathLike):
        rows = _run_file(os.fspath(source), conventions)
    elif isinstance(source, Mapping):
        if conventions.order == "rank":
            raise BadInput(_RUN, "a dict has no ranks, which order=rank needs; give a frame or a file")
        pairs = _of_dict(source, _RUN, "score", nan=not _scored(conventions))
        rows = Rows(_RUN, {query: [Row(doc, float(score)) for doc, score in docs] for query, docs in pairs})
    else:
        rows = _run_table(source, names, conventions)
    if conventions.run_duplicates == "rejected":
        rows.refuse_duplicates("run_duplicates")
    return rows


def _scored(conventions: Conventions) -> bool:
    """Whether anything depends on the score; if so, NaN is no score."""
    return conventions.order == "score" or conventions.score_sign == "positive"


# -- files -------------------------------------------------------------------------------------------------------


def _qrels_file(path: str) -> Rows[Judgment]:
    of: dict[str, list[Judgment]] = {}
    numbers: dict[str, array[int]] = {}
    rels: dict[bytes, Rel] = {}
    known: dict[bytes, str] = {}
    for line, fields in _lines(path, QRELS_LINE):
        query, _, doc, rel = fields
        if query not in known:
            known[query] = name = _decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        if rel not in rels:
            rels[rel] = _rel_in_file(path, line, rel)
        of[known[query]].append(Judgment(_decoded(path, line, doc), rels[rel]))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def _run_file(path: str, conventions: Conventions) -> Rows[Row]:
    by_rank, scored = conventions.order == "rank", _scored(conventions)
    of: dict[str, list[Row]] = {}
    numbers: dict[str, array[int]] = {}
    known: dict[bytes, str] = {}
    for line, fields in _lines(path, RUN_LINE):
        query, _, doc, rank, score, _ = fields
        if query not in known:
            known[query] = name = _decoded(path, line, query)
            of[name], numbers[name] = [], array("Q")
        value = _score_in_file(path, line, score)
        if scored and value != value:  # noqa: PLR0124 - only NaN differs from itself, and this is the fastest way to ask
            raise BadInput(_at(path, line), f"the score {_shown(score)} is no number: no order is right")
        place = _rank_in_file(path, line, rank) if by_rank else 0
        of[known[query]].append(Row(_decoded(path, line, doc), value, place))
        numbers[known[query]].append(line)
    return Rows(path, of, numbers, "line")


def _lines(path: str, form: tuple[str, ...]) -> Iterator[tuple[int, list[bytes]]]:
    """The lines that are not blank, with their numbers, split into as many fields as the form has.

    Lines are split as bytes: only ASCII white space separates fields, so that an id may hold any other character.
    """
    line, wanted, none = 0, len(form), True
    try:
        with _opened(path) as lines:
            for line, text in enumerate(lines, start=1):
                fields = text.split()
                if len(fields) == wanted:
                    none = False
                    yield line, fields
                elif fields:
                    raise BadInput(_at(path, line), _wrong_fields(fields, form))
    except EOFError as error:
        raise BadInput(_at(path, line + 1), "the gzip data ends too early; copy the file again") from error
    except (zlib.error, gzip.BadGzipFile) as error:
        raise BadInput(_at(path, line + 1), f"the gzip data is damaged ({error}); copy the file again") from error
    if none:
        raise BadInput(_at(path, 1), f"the file is empty; a line of it is: {' '.join(form)}")


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The file as lines of bytes, unpacked if it is gzip, whatever its name; a byte order mark is skipped."""
    try:
        file = open(path, "rb")  # noqa: PTH123, SIM115 - closed below; the path may be a pipe
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error
    with file:
        head = _peek(path, file)
        if not head.startswith(_GZIP):
            _skip_mark(path, file, head)
            yield file
            return
        with gzip.GzipFile(fileobj=file) as packed, BufferedReader(cast("Any", packed)) as unpacked:
            _skip_mark(path, unpacked, unpacked.peek(3))
            yield unpacked


def _peek(path: str, file: BufferedReader) -> bytes:
    try:
        return file.peek(3)
    except OSError as error:
        raise BadInput(path, (error.strerror or str(error)).lower()) from error


def _skip_mark(path: str, file: BufferedReader, head: bytes) -> None:
    for magic, what in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise BadInput(_at(path, 1), f"this is {what}")
    if b"\0" in head:
        raise BadInput(_at(path, 1), "this is a binary file; qrels and runs are text")
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)


def _wrong_fields(fields: list[bytes], form: tuple[str, ...]) -> str:
    found, wanted = len(fields), len(form)
    other = {len(QRELS_LINE): "the qrels", len(RUN_LINE): "a run"}.get(found)
    if any(b"\0" in text for text in fields):
        return "this is a binary file; qrels and runs are text"
    if other:
        hint = f"is it {other}?"
    elif found < wanted:
        hint = f"is the {form[found]} missing?" if found == wanted - 1 else "they are separated by white space"
    else:
        hint = "has an id a blank in it?"
    return f"{found} field{'s' * (found > 1)} where {wanted} are needed, {' '.join(form)}; {hint}"


def _decoded(path: str, line: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        shown = text[:_SHOWN].decode(errors="backslashreplace")
        what = f"'{shown}' is not UTF-8; convert the file, as by iconv -f latin1 -t utf-8"
        raise BadInput(_at(path, line), what) from error


def _score_in_file(path: str, line: int, text: bytes) -> float:
    try:
        if b"_" not in text:  # float() reads 1_000 as a number, which no other reader of TREC files does
            return float(text)
    except ValueError:
        pass
    raise BadInput(_at(path, line), f"the score {_shown(text)} is no number")


def _rank_in_file(path: str, line: int, text: bytes) -> int:
    if re.fullmatch(rb"[-+]?\d+", text):
        return int(text)
    raise BadInput(_at(path, line), f"the rank {_shown(text)} is no whole number, and order=rank ranks by it")


def _rel_in_file(path: str, line: int, text: bytes) -> Rel:
    if re.fullmatch(rb"[-+]?\d+", text):
        return int(text)
    try:
        rel = float(text)
    except ValueError:
        rel = math.nan
    if not math.isfinite(rel) or b"_" in text:
        raise BadInput(_at(path, line), f"the rel {_shown(text)} is no finite number")
    return rel


def _at(path: str, line: int) -> str:
    return f"{path}:{line}"


def _shown(text: bytes) -> str:
    return repr(text[:_SHOWN].decode(errors="backslashreplace"))


# -- Python objects ----------------------------------------------------------------------------------------------


def _named(names: dict[str, str], columns: Mapping[str, str] | None) -> dict[str, str]:
    return names | {name: column for name, column in (columns or {}).items() if name in names}


def _of_dict(
    source: Mapping[Any, Any], name: str, value: str, *, nan: bool = False
) -> Iterator[tuple[str, list[tuple[str, Rel]]]]:
    seen: set[str] = set()
    for raw, docs in source.items():
        query = _id(raw, name, "query")
        if query in seen:
            raise BadInput(name, f"query {query!r} stands there twice, as text and as a number; ids are text")
        seen.add(query)
        where = f"{name}, query {query!r}"
        if not isinstance(docs, Mapping):
            raise BadInput(where, f"{type(docs).__name__} where a dict of doc and {value} is needed")
        yield query, [(_id(d, where, "doc"), _number(v, where, value, nan=nan)) for d, v in docs.items()]


def _qrels_table(source: Any, names: Mapping[str, str]) -> Rows[Judgment]:  # noqa: ANN401 - a frame or records
    queries, docs, rels = _columns(source, _QRELS, [names["query_id"], names["doc_id"], names["relevance"]], {})
    of: dict[str, list[Judgment]] = {}
    numbers: dict[str, array[int]] = {}
    for row, (query, doc, rel) in enumerate(zip(queries, docs, rels, strict=True), start=1):
        where = f"the qrels, row {row}"
        name = _id(query, where, "query")
        of.setdefault(name, []).append(Judgment(_id(doc, where, "doc"), _number(rel, where, "rel")))
        numbers.setdefault(name, array("Q")).append(row)
    return Rows(_QRELS, of, numbers, "row")


def _run_table(source: Any, names: Mapping[str, str], conventions: Conventions) -> Rows[Row]:  # noqa: ANN401 - as above
    # What nothing depends on may be missing.
    by_rank, scored = conventions.order == "rank", _scored(conventions)
    spare: dict[str, float] = {} if by_rank else {names["rank"]: 0}
    spare |= {} if scored else {names["score"]: 0.0}
    wanted = [names["query_id"], names["doc_id"], names["score"], names["rank"]]
    of: dict[str, list[Row]] = {}
    numbers: dict[str, array[int]] = {}
    table = _columns(source, _RUN, wanted, spare)
    for i, (query, doc, score, rank) in enumerate(zip(*table, strict=True), start=1):
        where = f"the run, row {i}"
        name = _id(query, where, "query")
        place = _whole(rank, where) if by_rank else 0
        value = float(_number(score, where, "score", nan=not scored))
        of.setdefault(name, []).append(Row(_id(doc, where, "doc"), value, place))
        numbers.setdefault(name, array("Q")).append(i)
    return Rows(_RUN, of, numbers, "row")


def _columns(source: Any, name: str, wanted: Sequence[str], spare: Mapping[str, Any]) -> list[list[Any]]:  # noqa: ANN401
    """The wanted columns of a frame, or fields of records; one that may be missing has its spare value throughout."""
    if hasattr(source, "columns"):
        have = list(source.columns)
        _refuse_missing(name, have, [column for column in wanted if column not in have and column not in spare])
        return [source[c].to_list() if c in have else [spare[c]] * len(source) for c in wanted]
    if not isinstance(source, Iterable):
        raise BadInput(name, f"{type(source).__name__} is no path, dict of dict, frame or iterable of named tuples")
    table: list[list[Any]] = [[] for _ in wanted]
    for row, record in enumerate(source, start=1):
        have = list(getattr(record, "_fields", ()))
        missing = [column for column in wanted if column not in have and column not in spare]
        _refuse_missing(f"{name}, row {row}", have or [type(record).__name__], missing)
        for column, values in zip(wanted, table, strict=True):
            values.append(getattr(record, column, spare.get(column)))
    return table


def _refuse_missing(name: str, have: Sequence[Any], missing: Sequence[str]) -> None:
    if missing:
        hint = ", or rank by order=rank" if missing == ["score"] else ""
        what = f"no {' and no '.join(missing)} among {', '.join(str(column) for column in have)}"
        raise BadInput(name, f"{what}; say by columns={{'{missing[0]}': …}} what it is called{hint}")


def _id(value: Any, where: str, what: str) -> str:  # noqa: ANN401 - whatever stands there
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise BadInput(where, f"the {what} is {value!r}, a {type(value).__name__}; ids are text or whole numbers")


def _number(value: Any, where: str, what: str, *, nan: bool = False) -> Rel:  # noqa: ANN401 - whatever stands there
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real) and (nan or not math.isnan(value)):
        return float(value)
    raise BadInput(where, f"the {what} is {value!r}, no number")


def _whole(value: Any, where: str) -> int:  # noqa: ANN401 - whatever stands there
    number = _number(value, where, "rank")
    if number % 1:
        raise BadInput(where, f"the rank is {value!r}, no whole number")
    return int(number)
