"""The rows of qrels or of a run as they come: a column of queries, one of docs, one of numbers. Arrow holds and compares the ids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rankproof.evaluate.fast.arrays import Floats, Ints, NotColumnar, begins
from rankproof.evaluate.inputs.budget import LONGEST_ID, refuse_many_rows

AT_ONCE = 2**16
"""How many rows have a dictionary of their own: so many ids are looked up without leaving the cache."""


@dataclass(frozen=True)
class Ids:
    """The id of each row.

    Attributes:
        texts: ids, of which one may stand there more than once.
        at: which of them each row has.
    """

    texts: pa.LargeStringArray
    at: Ints

    def taken(self, rows: Ints) -> pa.LargeStringArray:
        """The ids of these rows."""
        return self.texts.take(pa.array(self.at[rows]))

    def byte_order(self, rows: Ints) -> Ints:
        """The place of each of these rows by its id, ascending, compared as UTF-8 bytes; the same id has the same place.

        >>> ids = Ids(pa.array(["é", "b", "a"], pa.large_string()), np.array([0, 1, 2, 1]))
        >>> ids.byte_order(np.arange(4)).tolist()
        [2, 1, 0, 1]
        """
        return np.asarray(pc.rank(self.taken(rows), sort_keys="ascending", tiebreaker="dense")).astype(np.int64) - 1

    def listed(self, rows: Ints) -> list[str]:
        """The ids of these rows as Python's texts."""
        found: list[str] = self.taken(rows).to_pylist()
        return found


@dataclass(frozen=True)
class RowColumns:
    """Rows as they come.

    Attributes:
        queries: the queries in the order in which they first come.
        query: which of them each row has.
        docs: the doc of each row.
        stretches: how many rows have a dictionary of docs of their own: within a stretch the same doc has the same place in `docs.texts`.
            Nothing, if no doc can stand twice under a query.
        values: the rel or the score of each row.
        ranks: the rank of each row, where ranks are asked for.
    """

    queries: Sequence[str]
    query: Ints
    docs: Ids
    stretches: Sequence[int]
    values: Floats
    ranks: Ints | None = None


def torn(came: RowColumns) -> tuple[str, ...]:
    """The queries between whose rows those of another one stand."""
    stretches = np.bincount(came.query[begins(came.query)], minlength=len(came.queries))
    return tuple(query for query, n in zip(came.queries, stretches.tolist(), strict=True) if n > 1)


@dataclass
class Gathered:
    """Rows that are read part by part: what is kept of each part is small."""

    queries: dict[str, int] = field(default_factory=dict)
    codes: list[Ints] = field(default_factory=list)
    docs: list[pa.DictionaryArray] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    ranks: list[Ints] = field(default_factory=list)
    count: int = 0

    def add(self, query: Iterable[Any], doc: Iterable[Any], values: Floats, ranks: Ints | None = None) -> None:
        """Take the next rows, whose queries and docs stand in arrays of Arrow: of texts, of whole numbers, or dictionaries of these.

        Raises:
            NotColumnar: an id is none that columns take: it is missing, no text, or longer than any id.
            TooMuch: there are more rows than any input has.
        """
        self.count += len(values)
        refuse_many_rows("the input", self.count)
        for part in (part for chunk in query for part in encoded(chunk)):
            at = np.asarray(part.indices)
            first = np.flatnonzero(begins(at))
            names = part.dictionary.take(pa.array(at[first])).to_pylist()
            codes = np.array([self.queries.setdefault(name, len(self.queries)) for name in names], dtype=np.int32)
            self.codes.append(np.repeat(codes, np.diff(np.append(first, len(at)))))
        self.docs += [part for chunk in doc for part in encoded(chunk)]
        self.values.append(values)
        self.ranks += [] if ranks is None else [ranks]

    def rows(self) -> RowColumns:
        """All that was taken.

        Raises:
            NotColumnar: there is no row.
        """
        if not sum(map(len, self.values)):
            raise NotColumnar
        starts = np.cumsum([0, *(len(part.dictionary) for part in self.docs)])
        at = [
            np.asarray(part.indices) + start
            for part, start in zip(self.docs, starts[:-1].astype(np.int32), strict=True)
        ]
        stretches = [len(part) for part in self.docs]
        ids = Ids(joined([part.dictionary for part in self.docs]), np.concatenate(at))
        ranks = np.concatenate(self.ranks) if self.ranks else None
        return RowColumns(
            list(self.queries), np.concatenate(self.codes), ids, stretches, np.concatenate(self.values), ranks
        )


def encoded(array: Any) -> list[pa.DictionaryArray]:  # noqa: ANN401 - an array of Arrow of any type
    """An array of ids as dictionaries of texts.

    Raises:
        NotColumnar: an id is none that columns take.
    """
    if isinstance(array, pa.DictionaryArray):
        return [_with_texts(array)]
    if not is_id(array):
        raise NotColumnar
    parts = (array.slice(low, AT_ONCE) for low in range(0, len(array), AT_ONCE))
    return [_with_texts(part.dictionary_encode()) for part in parts]


def is_id(array: Any) -> bool:  # noqa: ANN401 - as above
    """Whether what stands in an array may be ids: texts, or whole numbers."""
    kind = array.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return not array.null_count and (is_text or pa.types.is_integer(kind))


def _with_texts(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same with ids that are whole numbers as their texts."""
    if array.null_count or not is_id(array.dictionary):
        raise NotColumnar
    return pa.DictionaryArray.from_arrays(array.indices, as_texts(array.dictionary))


def as_texts(array: Any) -> pa.LargeStringArray:  # noqa: ANN401 - as above
    """Ids as texts.

    Raises:
        NotColumnar: one is longer than any id.
    """
    texts = array.cast(pa.large_string())
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > LONGEST_ID:
        raise NotColumnar
    return texts


def joined(arrays: Sequence[Any]) -> pa.LargeStringArray:
    """The texts of several arrays as one."""
    return pa.chunked_array(arrays, pa.large_string()).combine_chunks()
