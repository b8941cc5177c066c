"""Reading qrels and runs, whatever their form.

    TREC files      qrels `query iteration doc rel`, runs `query Q0 doc rank score tag`; plain, gzip or zstd; `-` is the standard input
    separated       CSV and TSV, with a header that names the columns
    JSON Lines      an object a line, whose keys name the columns; JSON: a dict or a list of such objects
    Parquet         a file, or a folder of parts
    dict of dicts   {query: {doc: grade}}, {query: {doc: score}}
    dict of lists   columns by name, or {query: [id, …]}
    frames          pandas, Polars, Arrow and all that narwhals knows, Hugging Face datasets
    records         named tuples, as ir_measures' Qrel and ScoredDoc

A reader for each format makes a table with named columns, or values by query; one conversion makes `Columns` of both. Ids are text: the
integer 7 and the text "7" are the same query. Anything else (7.0, None) is refused with `BadInput`.
"""

from rankproof.evaluate.inputs.reading import read_qrels, read_run
from rankproof.evaluate.inputs.rows import BadInput, Rows

__all__ = ["BadInput", "Rows", "read_qrels", "read_run"]
