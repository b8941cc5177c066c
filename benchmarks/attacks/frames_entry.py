"""In the place of the command line: a run in memory, spoilt in one way, is handed to `rankproof.evaluate`.

    KIND WAY

It ends as the command line does: 0 with the value of each query in a line, 2 with one line of why where what was given is refused. Any
other error leaves as a traceback.
"""

import sys
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence

import pandas as pd
import pyarrow as pa

import rankproof
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import message

Scored = namedtuple("Scored", ("query_id", "doc_id", "score"))  # noqa: PYI024 - with types it would say too much
Columns = dict[str, list[object]]
QUERIES, DOCS = ("q1", "q2", "q3"), ("d1", "d2", "d3", "d4")


def _put(column: str, value: object) -> Callable[[Columns], object]:
    """Another value in the place of one in the middle."""
    return lambda columns: columns[column].__setitem__(5, value)


WAYS: Mapping[str, Callable[[Columns], object]] = {
    "as it is": lambda _columns: None,
    "a column lost": lambda columns: columns.pop("score"),
    "no rows": lambda columns: [column.clear() for column in columns.values()],
    "a row twice": lambda columns: [column.append(column[0]) for column in columns.values()],
    "not a number": _put("score", float("nan")),
    "infinite": _put("score", float("inf")),
    "a number beyond floats": _put("score", 10**400),
    "a word for a score": _put("score", "many"),
    "nothing for a score": _put("score", None),
    "a list for a score": _put("score", [1.0]),
    "a boolean for a score": _put("score", True),  # noqa: FBT003 - that is the value
    "nothing for an id": _put("doc_id", None),
    "a list for an id": _put("doc_id", ["d2"]),
    "a number for an id": _put("doc_id", 2.5),
    "bytes for an id": _put("doc_id", b"\xff"),
    "half a character for an id": _put("doc_id", "\ud800"),
    "a blank id": _put("query_id", " "),
}
REFUSED = {way for way in WAYS if way.startswith(("nothing", "a list", "a word", "not a", "bytes", "a column"))}


def dicts(columns: Columns) -> object:
    """A dict of dicts."""
    found: dict[object, dict[object, object]] = {}
    for query, doc, score in zip(columns["query_id"], columns["doc_id"], columns["score"], strict=True):
        found.setdefault(query, {})[doc] = score
    return found


def tuples(columns: Columns) -> object:
    """Rows of query, doc and score, by their names."""
    return [*map(Scored, columns["query_id"], columns["doc_id"], columns["score"])]


MAKERS: Mapping[str, Callable[[Columns], object]] = {
    "a frame": pd.DataFrame,
    "a frame with an index": lambda columns: pd.DataFrame(columns).set_index("query_id").reset_index(),
    "a table of Arrow": lambda columns: pa.table({name: pa.array(column) for name, column in columns.items()}),
    "dicts": dicts,
    "tuples": tuples,
}
KINDS: Sequence[tuple[str, str]] = [(kind, way) for kind in MAKERS for way in WAYS]


def main() -> None:
    """Make it, hand it over, say what came of it."""
    kind, way = sys.argv[1:]
    columns: Columns = {
        "query_id": [query for query in QUERIES for _ in DOCS],
        "doc_id": [doc for _ in QUERIES for doc in DOCS],
        "score": [4.0 - i for _ in QUERIES for i in range(len(DOCS))],
    }
    try:
        WAYS[way](columns)
        run = MAKERS[kind](columns)
    except (pa.ArrowException, KeyError, TypeError, OverflowError, ValueError, UnicodeError):
        return  # there is nothing of this kind that is so
    qrels = {query: {doc: int(i <= j) for j, doc in enumerate(DOCS)} for i, query in enumerate(QUERIES, 1)}
    try:
        result = rankproof.evaluate(["AP", "nDCG@2"], qrels, run)
    except Unusable as error:
        sys.stderr.write(f"rankproof: {message(error)}\n")
        sys.exit(2)
    for measure, found in result.per_query.items():
        for query, value in found.items():
            print(ascii(f"{measure} {query} {value:.12f}"))
