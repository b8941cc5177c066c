"""Rows of ids that stand in a text, block by block, to columns: which queries there are, which docs are judged, and none of them twice."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from rankproof.evaluating.fast.arrays import Floats, Ints, NotColumnar, Words, begins, inverse, spread
from rankproof.evaluating.fast.id_words import hashes, padded_words
from rankproof.evaluating.fast.run_columns import LARGEST_WHOLE, QrelsColumns, RunColumns, TextIds, refuse_twice
from rankproof.evaluating.fast.text_fields import Text

AT_ONCE = 2**16
"""How many rows are looked at together for docs that stand there twice."""
Spans: TypeAlias = tuple[Ints, Ints]
"""Where each id starts in the text, and how long it is."""


@dataclass(frozen=True)
class Block:
    """Some rows: few enough that their columns stay in the cache."""

    query: Spans
    doc: Spans
    values: Floats
    """Their rels, or their scores."""
    ranks: Ints | None = None


@dataclass
class _Queries:
    """The queries as they come: rows that follow one another and have the same query are a stretch."""

    names: dict[str, int]
    """Their places; those of the qrels first."""
    codes: list[Ints] = field(default_factory=list)
    sizes: list[Ints] = field(default_factory=list)

    def add(self, text: Text, starts: Ints, lengths: Ints) -> Ints:
        """Take the next rows; gives the place of the query of each."""
        first = np.flatnonzero(begins(*padded_words(text.array, starts, lengths)))
        spans = zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        names = [text.data[start : start + length].decode() for start, length in spans]
        codes = np.array([self.names.setdefault(name, len(self.names)) for name in names], dtype=np.int64)
        sizes = np.diff(np.append(first, len(starts)))
        self.codes.append(codes)
        self.sizes.append(sizes)
        return np.repeat(codes, sizes)

    def grouped(self) -> tuple[Ints, Ints, Ints | None]:
        """The queries in the order in which they first come, how many rows each has, and the order of rows that groups them.

        That order is None where they are grouped already.
        """
        codes, sizes = _joined(self.codes), _joined(self.sizes)
        stretches = np.flatnonzero(begins(codes))
        codes, sizes = codes[stretches], np.add.reduceat(sizes, stretches) if len(codes) else sizes
        first, of = _in_order_of_coming(codes)
        if len(first) == len(codes):
            return codes, sizes, None
        order = np.argsort(of, kind="stable")
        starts = np.cumsum(sizes) - sizes
        together = np.bincount(of, sizes, minlength=len(first)).astype(np.int64)
        return first, together, spread(starts[order], sizes[order])


def _in_order_of_coming(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes as they first come, and of each code which of them it is."""
    distinct, first, of = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return distinct[order], inverse(order)[of]


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)


def qrels_of_blocks(text: Text, blocks: Iterable[Block]) -> QrelsColumns:
    """The qrels that have these rows.

    Raises:
        NotColumnar: they are for the readable path.
    """
    queries = _Queries({})
    docs: list[Spans] = []
    rels: list[Floats] = []
    for block in blocks:
        queries.add(text, *block.query)
        if not (np.abs(block.values) <= LARGEST_WHOLE).all():
            raise NotColumnar
        docs.append(block.doc)
        rels.append(block.values)
    if not rels:
        raise NotColumnar
    _, sizes, order = queries.grouped()
    ids = TextIds(text.array, _joined([start for start, _ in docs]), _joined([length for _, length in docs]))
    values = np.concatenate(rels)
    if order is not None:
        ids, values = TextIds(ids.text, ids.starts[order], ids.lengths[order]), values[order]
    return QrelsColumns(list(queries.names), np.repeat(np.arange(len(sizes)), sizes), values, ids)


@dataclass
class _Rows:
    """The rows of a run as they come."""

    starts: list[Ints] = field(default_factory=list)
    lengths: list[Ints] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    ranks: list[Ints] = field(default_factory=list)
    keys: list[Words] = field(default_factory=list)
    rows: list[Ints] = field(default_factory=list)
    judgments: list[Ints] = field(default_factory=list)
    count: int = 0


def run_of_blocks(text: Text, blocks: Iterable[Block], qrels: QrelsColumns) -> RunColumns:
    """The run that has these rows.

    Raises:
        NotColumnar: it is for the readable path.
    """
    queries = _Queries({name: i for i, name in enumerate(qrels.queries)})
    rows = _Rows()
    for block in blocks:
        codes = queries.add(text, *block.query)
        key = qrels.keys_of(hashes(padded_words(text.array, *block.doc)), codes)
        found, judgments = qrels.found(key, codes, TextIds(text.array, *block.doc))
        rows.rows.append(found + rows.count)
        rows.judgments.append(judgments)
        rows.starts.append(block.doc[0])
        rows.lengths.append(block.doc[1].astype(np.int32))
        rows.keys.append(key)
        rows.scores.append(block.values)
        rows.ranks += [] if block.ranks is None else [block.ranks]
        rows.count += len(codes)
    if not rows.count:
        raise NotColumnar
    return _grouped(text, rows, queries)


def _grouped(text: Text, rows: _Rows, queries: _Queries) -> RunColumns:
    codes, sizes, order = queries.grouped()
    names = list(queries.names)
    ids = TextIds(text.array, _joined(rows.starts), _joined(rows.lengths))
    scores, key, found = np.concatenate(rows.scores), np.concatenate(rows.keys), _joined(rows.rows)
    ranks = _joined(rows.ranks) if rows.ranks else None
    judgments = _joined(rows.judgments)
    if order is not None:
        ids, scores, key = TextIds(ids.text, ids.starts[order], ids.lengths[order]), scores[order], key[order]
        ranks = None if ranks is None else ranks[order]
        place = inverse(order)
        by_row = np.argsort(place[found])
        found, judgments = place[found][by_row], judgments[by_row]
    starts = np.append(0, np.cumsum(sizes))
    _refuse_docs_twice(key, starts)
    query = np.searchsorted(starts, found, side="right") - 1
    called = [names[code] for code in codes.tolist()]
    return RunColumns(called, starts, scores, ranks, query, judgments, scores[found], found.__getitem__, ids)


def _refuse_docs_twice(key: Words, starts: Ints) -> None:
    """Some whole queries at a time, as many small sorts are faster than a large one."""
    low = 0
    for high in starts[1:].tolist():
        if high - low >= AT_ONCE or high == len(key):
            refuse_twice(key[low:high])
            low = high
