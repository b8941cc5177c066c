"""Qrels and runs as columns, whatever they were read from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rankproof.evaluating.fast.arrays import Bytes, Floats, Ints, NotColumnar, Words
from rankproof.evaluating.fast.id_words import PAD, hashes, keys, padded_words, same

LARGEST_WHOLE = 2**53
"""Whole numbers up to this are floats; a larger rel is for exact arithmetic."""


class DocIds(Protocol):
    """The ids of the docs of some rows."""

    def byte_order(self, rows: Ints) -> Ints:
        """The place of each of these rows by its id, ascending, compared as UTF-8 bytes; the same id has the same place."""


@dataclass(frozen=True)
class TextIds:
    """Ids that stand in a text, with zeros behind it."""

    text: Bytes
    starts: Ints
    lengths: Ints

    def words(self, rows: Ints) -> list[Words]:
        """The ids of these rows as words."""
        return padded_words(self.text, self.starts[rows], self.lengths[rows])

    def byte_order(self, rows: Ints) -> Ints:
        """As `DocIds`."""
        big_endian = [word.byteswap() for word in self.words(rows)]
        order = np.lexsort(big_endian[::-1])
        steps = np.zeros(len(rows), dtype=np.int64)
        for word in big_endian:
            steps[1:] |= word[order][1:] != word[order][:-1]
        place = np.empty(len(rows), dtype=np.int64)
        place[order] = np.cumsum(steps)
        return place

    def texts(self, low: int = 0, high: int | None = None) -> list[str]:
        """Those of these rows as text."""
        starts = self.starts[low:high]
        ends = starts + self.lengths[low:high]
        text = self.text.tobytes() if high is None else self.text
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [bytes(text[start:end]).decode() for start, end in spans]


@dataclass(frozen=True)
class ListedIds:
    """Ids as texts, query by query, each of which stands there once."""

    lists: Sequence[Mapping[str, Any]]
    starts: Ints
    """Where the rows of each query begin."""

    @cached_property
    def _joined(self) -> TextIds:
        encoded = [text.encode("utf-8", "surrogatepass") for ids in self.lists for text in ids]
        if any(b"\0" in one for one in encoded):
            raise NotColumnar
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        text = np.frombuffer(b"".join(encoded) + bytes(PAD), np.uint8)
        return TextIds(text, np.cumsum(lengths) - lengths, lengths)

    def words(self, rows: Ints) -> list[Words]:
        """The ids of these rows as words."""
        return self._joined.words(rows)

    def texts(self, low: int, high: int) -> list[str]:
        """Those of these rows, all of one query, as text."""
        at = int(np.searchsorted(self.starts, low, side="right")) - 1
        start = int(self.starts[at])
        return list(self.lists[at])[low - start : high - start]

    def byte_order(self, rows: Ints) -> Ints:
        """As `DocIds`."""
        at = np.searchsorted(self.starts, rows, side="right") - 1
        lists = {query: list(self.lists[query]) for query in np.unique(at).tolist()}
        places = zip(at.tolist(), (rows - self.starts[at]).tolist(), strict=True)
        ids = [lists[query][place].encode("utf-8", "surrogatepass") for query, place in places]
        place_of = {one: place for place, one in enumerate(sorted(set(ids)))}
        return np.fromiter(map(place_of.__getitem__, ids), np.int64, len(ids))


@dataclass(frozen=True)
class QrelsColumns:
    """The judgments of each query, query by query in the order in which they first come, no doc twice."""

    queries: Sequence[str]
    query: Ints
    """The place of its query among `queries`, of each judgment."""
    rels: Floats
    docs: TextIds | ListedIds

    @cached_property
    def keys(self) -> Words:
        """A number for each judgment, by which rows of the run find it."""
        found = self.keys_of(hashes(self.docs.words(np.arange(len(self.rels)))), self.query)
        refuse_twice(found)
        return found

    def keys_of(self, found: Words, queries: Ints) -> Words:
        """A number for each hash of a doc under a query."""
        return keys(found, queries, max(1, len(self.queries).bit_length()))

    @cached_property
    def _sorted(self) -> tuple[Words, Ints]:
        order = np.argsort(self.keys)
        return self.keys[order], order

    @cached_property
    def _sieve(self) -> tuple[Ints, Words]:
        bits = max(16, (16 * len(self.keys)).bit_length())
        shift = np.uint64(64 - bits)
        sieve = np.zeros(1 << bits, dtype=np.bool_)
        sieve[self.keys >> shift] = True
        return sieve, shift  # type: ignore[return-value]

    def found(self, wanted: Words, queries: Ints, docs: TextIds) -> tuple[Ints, Ints]:
        """Which of these keys of rows of a run are judgments, and of each the judgment."""
        sieve, shift = self._sieve
        rows = np.flatnonzero(sieve[wanted >> shift])
        ordered, order = self._sorted
        at = np.minimum(np.searchsorted(ordered, wanted[rows]), len(ordered) - 1)
        hit = ordered[at] == wanted[rows]
        rows, judgments = rows[hit], order[at[hit]]
        alike = same(docs.words(rows), self.docs.words(judgments)) & (self.query[judgments] == queries[rows])
        return rows[alike], judgments[alike]

    @cached_property
    def by_query(self) -> Sequence[Sequence[str] | Mapping[str, Any]]:
        """The docs of each query, in the order of its judgments.

        Raises:
            NotColumnar: a doc is judged twice.
        """
        if isinstance(self.docs, ListedIds):
            return self.docs.lists
        refuse_twice(self.keys)
        docs, ends = self.docs.texts(), np.cumsum(np.bincount(self.query, minlength=len(self.queries))).tolist()
        return [docs[low:high] for low, high in zip([0, *ends], ends, strict=False)]


@dataclass(frozen=True)
class RunColumns:
    """The rows of a run, query by query in the order in which they first come, no doc twice.

    Attributes:
        queries: their names.
        starts: where the rows of each begin, and behind them the number of all rows.
        scores: of each row.
        ranks: of each row, where they are asked for.
        query: of each row whose doc is judged, the place of its query among `queries`; these rows stand query by query.
        judgments: of each of those, which judgment it is.
        own_scores: of each of those, the score.
        rows_of: `rows_of(which)`, where some of those stand among all rows.
        docs: the ids of all rows.
    """

    queries: Sequence[str]
    starts: Ints
    scores: Floats
    ranks: Ints | None
    query: Ints
    judgments: Ints
    own_scores: Floats
    rows_of: Callable[[Ints], Ints]
    docs: DocIds

    @property
    def sizes(self) -> Ints:
        """How many rows each query has."""
        return np.diff(self.starts)

    @cached_property
    def rows(self) -> Ints:
        """Where all rows whose doc is judged stand."""
        return self.rows_of(np.arange(len(self.query)))


def refuse_twice(found: Words) -> None:
    """Leave it to the readable path where two keys are the same: a doc stands there twice, or seems to.

    Raises:
        NotColumnar: they are.
    """
    ordered = np.sort(found)
    if (ordered[1:] == ordered[:-1]).any():
        raise NotColumnar
