"""Texts of fields as columns: TREC files, `query iteration doc rel` and `query Q0 doc rank score tag`, or the fields of any other form."""

from collections.abc import Iterable, Iterator

import numpy as np

from rankproof.evaluating.fast.arrays import Floats, Ints, NotColumnar
from rankproof.evaluating.fast.decimals import decimals, whole_numbers
from rankproof.evaluating.fast.row_blocks import Block, qrels_of_blocks, run_of_blocks
from rankproof.evaluating.fast.run_columns import QrelsColumns, RunColumns
from rankproof.evaluating.fast.text_fields import Fields, Text, pieces
from rankproof.evaluating.inputs.rows import scored
from rankproof.evaluating.inputs.trec_files import QRELS_LINE, RUN_LINE
from rankproof.reference_impl.conventions import Conventions


def qrels_columns(text: Text, fields: Iterable[Fields] | None = None) -> QrelsColumns:
    """The qrels of a text: of TREC's lines, or whose queries, docs and rels are in these fields.

    Raises:
        NotColumnar: they are for the readable path.
    """
    return qrels_of_blocks(text, _judged(text, fields or pieces(text, QRELS_LINE, ("query", "doc", "rel"))))


def _judged(text: Text, fields: Iterable[Fields]) -> Iterator[Block]:
    for query, doc, rel in fields:
        values, read = decimals(text.array, *rel)
        if not read.all():
            raise NotColumnar
        yield Block(query, doc, values)


def run_columns(
    text: Text, qrels: QrelsColumns, conventions: Conventions, fields: Iterable[Fields] | None = None
) -> RunColumns:
    """The run of a text: of TREC's lines, or whose queries, docs and scores are in these fields; and ranks, where the order asks for them.

    Raises:
        NotColumnar: it is for the readable path.
    """
    wanted = ("query", "doc", "score", *(["rank"] if conventions.order == "rank" else []))
    blocks = _ranked(text, fields or pieces(text, RUN_LINE, wanted), asked=scored(conventions))
    return run_of_blocks(text, blocks, qrels)


def _ranked(text: Text, fields: Iterable[Fields], *, asked: bool) -> Iterator[Block]:
    for query, doc, score, *rank in fields:
        ranks = whole_numbers(text.array, *rank[0]) if rank else None
        yield Block(query, doc, _scores(text, *score, asked=asked), ranks)


def _scores(text: Text, starts: Ints, lengths: Ints, *, asked: bool) -> Floats:
    """The scores of some lines; NaN is one where nothing depends on it."""
    values, read = decimals(text.array, starts, lengths)
    left = np.flatnonzero(~read)
    for i, start, length in zip(left.tolist(), starts[left].tolist(), lengths[left].tolist(), strict=True):
        values[i] = _score(bytes(text.data[start : start + length]))
    if asked and len(left) and np.isnan(values[left]).any():
        raise NotColumnar
    return values


def _score(token: bytes) -> float:
    if b"_" in token:
        raise NotColumnar
    try:
        return float(token)
    except ValueError as error:
        raise NotColumnar from error
