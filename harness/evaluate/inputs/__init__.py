"""Reading qrels and runs: a reader for each format, and one conversion to columns. Ids are text: 7 and "7" are the same query."""

from rankproof.evaluate.inputs.reading import read_qrels, read_run
from rankproof.evaluate.inputs.rows import BadInput, Rows

__all__ = ["BadInput", "Rows", "read_qrels", "read_run"]
