"""Which form the qrels or a run have, and reading them from it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.arrow_tables import dict_of_arrow, is_arrow, read_parquet
from rankproof.evaluate.inputs.bounded_files import plain_name
from rankproof.evaluate.inputs.column_names import RELEVANT, RETRIEVED
from rankproof.evaluate.inputs.id_lists import are_listed, ranked, relevant
from rankproof.evaluate.inputs.json_lines import ENDINGS, JSON, if_ranks, read_json, read_json_lines
from rankproof.evaluate.inputs.listed_ids import ids_by_question
from rankproof.evaluate.inputs.parted_folders import is_table
from rankproof.evaluate.inputs.rows import QRELS, RUN, BadInput, Rows, T, id_text, score_of, scored
from rankproof.evaluate.inputs.separated_files import read_separated, separator_of
from rankproof.evaluate.inputs.tables import columns_in, is_dict_of_lists, judgment_of, qrels_of_table, run_of_table
from rankproof.evaluate.inputs.trec_files import qrels_of_file, run_of_file
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.text import as_written


def read_qrels(
    source: Any,  # noqa: ANN401 - see rankproof.evaluate.inputs
    columns: Mapping[str, str] | None = None,
    conventions: Conventions = STANDARD,
    separator: str | None = None,
) -> Rows[Judgment]:
    """Read qrels from any of the forms in `rankproof.evaluate.inputs`.

    Raises:
        BadInput: they do not read, or a doc is judged twice and the conventions refuse that.
    """
    if isinstance(source, Rows):
        return source
    names = columns or {}
    source = opened(qrels_in(source), separator)
    source = relevant(ids_by_question(source, RELEVANT, names, QRELS), names)
    if isinstance(source, str):
        rows = qrels_of_file(source)
    elif isinstance(source, Mapping) and not is_dict_of_lists(source, names, QRELS):
        rows = _of_dict(source, QRELS, "rel", judgment_of)
    else:
        rows = qrels_of_table(source, QRELS, names)
    if conventions.qrels_duplicates == "rejected":
        rows.refuse_duplicates("qrels_duplicates")
    return rows


def read_run(
    source: Any,  # noqa: ANN401 - see rankproof.evaluate.inputs
    columns: Mapping[str, str] | None = None,
    conventions: Conventions = STANDARD,
    name: str = RUN,
    separator: str | None = None,
) -> Rows[QueryRow]:
    """Read a run from any of the forms in `rankproof.evaluate.inputs`; ranks are read, and NaN is refused, where the order asks.

    Raises:
        BadInput: it does not read, or a doc is retrieved twice and the conventions refuse that.
    """
    if isinstance(source, Rows):
        return source
    names = columns or {}
    source = opened(source, separator)
    source = ranked(ids_by_question(source, RETRIEVED, names, name), names)
    if isinstance(source, str):
        rows = run_of_file(source, conventions)
    elif isinstance(source, Mapping) and not is_dict_of_lists(source, names, name):
        if conventions.order == "rank":
            raise BadInput(name, "a dict has no ranks, which order=rank needs; give a frame or a file")
        score = partial(score_of, nan=not scored(conventions))
        rows = _of_dict(
            source, name, "score", lambda where, doc, x: QueryRow(id_text(doc, where, "doc"), score(x, where))
        )
    else:
        rows = run_of_table(source, name, names, conventions)
        if are_listed(source):  # whose rows nobody wrote
            places = {query: range(1, len(docs) + 1) for query, docs in rows.of.items()}
            rows = replace(rows, numbers=places, unit="item")
    if conventions.run_duplicates == "rejected":
        rows.refuse_duplicates("run_duplicates")
    return rows


def holds_both(source: Any, columns: Mapping[str, Any]) -> bool:  # noqa: ANN401 - any form
    """Whether each row of a table has the relevant and the retrieved ids of a question, so that it is qrels and run.

    Raises:
        BadInput: it is a file that does not read.
    """
    if isinstance(source, str | os.PathLike) and separator_of_file(source, None) is None and not names_columns(source):
        return False
    have = columns_in(opened(source, None))
    sides = (("qrels", RELEVANT), ("run", RETRIEVED))
    return all({*called, columns.get(side, {}).get("doc_id")} & {*have} for side, called in sides)


def names_columns(path: str | os.PathLike[str]) -> bool:
    """Whether a file is Parquet, JSON Lines or JSON by its name, whose values may be lists."""
    return is_table(os.fspath(path)) or plain_name(os.fspath(path)).endswith((*ENDINGS, JSON))


def ranks_in(path: str | os.PathLike[str]) -> str:
    """What to do with a file of JSON that holds a number for each query, which may be the ranks of first hits; "" with any other."""
    is_json = plain_name(os.fspath(path)).endswith(JSON)
    return if_ranks(read_json(os.fspath(path)), "ranks.values()") if is_json else ""


def opened(source: Any, separator: str | None) -> Any:  # noqa: ANN401 - any form
    """A TREC file as its path, a file of columns as its columns, a table of Arrow as a dict of lists; everything else as it is.

    Raises:
        BadInput: a file of columns does not read.
    """
    if is_arrow(source):
        return dict_of_arrow(source)
    if not isinstance(source, str | os.PathLike):
        return source
    path = os.fspath(source)
    name = plain_name(path)
    _refuse_dataset(path)
    if separator is None and is_table(path):
        return read_parquet(path)
    if separator is None and name.endswith(ENDINGS):
        return read_json_lines(path)
    if separator is None and name.endswith(JSON):
        return read_json(path)
    found = separator_of(path, separator)
    return path if found is None else read_separated(path, found)


def _refuse_dataset(path: str) -> None:
    """Refuse the folder of a dataset of Hugging Face, which only that library reads."""
    if Path(path, "dataset_info.json").is_file():
        mend = "give datasets.load_from_disk(…) from Python, or write it by its to_parquet(…)"
        raise BadInput(path, f"this is the folder of a dataset of Hugging Face; {mend}")


def qrels_in(source: Any) -> Any:  # noqa: ANN401 - any form
    """The one file of qrels in a folder as BEIR has them, `scifact/qrels/test.tsv`; of anything else, itself.

    Raises:
        BadInput: there are several; the message names them.
    """
    if not isinstance(source, str | os.PathLike) or not (Path(source) / "qrels").is_dir():
        return source
    files = sorted(Path(source, "qrels").glob("*.tsv"))
    if len(files) == 1:
        return str(files[0])
    which = f"say which of {', '.join(str(one) for one in files)}" if files else "there is no .tsv in its folder qrels"
    raise BadInput(os.fspath(source), f"this is a folder; {which}")


def separator_of_file(path: str | os.PathLike[str], separator: str | None) -> str | None:
    """What separates the fields of a file; None of TREC files, Parquet and JSON Lines.

    Raises:
        BadInput: as `opened`.
    """
    return None if separator is None and names_columns(path) else separator_of(os.fspath(path), separator)


def _of_dict(source: Mapping[Any, Any], name: str, value: str, row: Callable[[str, Any, Any], T]) -> Rows[T]:
    """The rows of a dict of dicts; `row(where, doc, value)` makes one."""
    of: dict[str, list[T]] = {}
    for raw, docs in source.items():
        query = id_text(raw, name, "query")
        where = f"{name}, query {as_written(query)}"
        if query in of:
            raise BadInput(name, f"query {as_written(query)} stands there twice, as text and as a number; ids are text")
        if not isinstance(docs, Mapping):
            raise BadInput(where, f"{type(docs).__name__} where a dict of doc and {value} is needed")
        of[query] = [row(where, doc, x) for doc, x in docs.items()]
    return Rows(name, of)
