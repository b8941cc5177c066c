"""Reading qrels and runs, in whatever form they come, to rows by query.

    TREC files      qrels `query iteration doc rel`, runs `query Q0 doc rank score tag`; plain, gzip or zstd; `-` is the standard input
    separated       files with a header line that names the columns, as CSV; plain, gzip or zstd
    JSON Lines      .jsonl or .ndjson: a row a line, an object whose keys name the columns; plain, gzip or zstd
    Parquet         .parquet
    dict of dict    {query: {doc: rel}}, {query: {doc: score}}
    dict of lists   columns by name, as Hugging Face's evaluate takes them: {"query": […], "docid": […], "rel": […]}
    frames          pandas or polars, or a table of Arrow, with those columns
    records         an iterable of named tuples with those fields, as ir_measures' Qrel and ScoredDoc

Columns are called as people have them (query_id, qid, user_id …; see `column_names`), or as a mapping says. Ids are text, as they are in
TREC files: the integer 7 and the text "7" are the same query. Anything else (7.0, None) is refused, since it would silently match
nothing.

Several runs are a list of these, or a mapping of systems to them. Besides, `rankproof.evaluate` takes lists of rels, rels
and scores, a similarity matrix with labels, and two labelings; each has its module here.

What does not read is refused with `BadInput`, whose message is one line: where, what, and the mend.
"""

from rankproof.evaluate.inputs.reading import read_qrels, read_run
from rankproof.evaluate.inputs.rows import BadInput, Rows
from rankproof.evaluate.inputs.systems import by_system

__all__ = ["BadInput", "Rows", "by_system", "read_qrels", "read_run"]
