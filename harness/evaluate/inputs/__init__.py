"""Readers of qrels and runs, one for each format. Ids are compared as text: 7 and "7" are the same query."""

from rankproof.evaluate.inputs.reading import read_qrels, read_run
from rankproof.evaluate.inputs.rows import BadInput, Rows

__all__ = ["BadInput", "Rows", "read_qrels", "read_run"]
