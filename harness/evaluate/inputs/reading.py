"""Readers of qrels and runs in any form, as columns of query, document, grade or score, and rank."""

import os
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from typing import Any

from rankproof.evaluate.inputs.column_names import (
    KNOWN,
    LISTS,
    NAMES,
    QUESTIONS,
    SIDES,
    are_ids_alone,
    candidates,
    find_columns,
    names_of,
)
from rankproof.evaluate.inputs.input_files import file_names, is_parted, plain_name
from rankproof.evaluate.inputs.lists import RANKS, is_column
from rankproof.evaluate.inputs.rows import (
    QRELS,
    RUN,
    BadInput,
    Columns,
    Input,
    Rows,
    Value,
    Values,
    as_list,
    id_text,
    needs_scores,
    qrels_rows,
    rank_of,
    run_rows,
)
from rankproof.evaluate.inputs.text_files import (
    Table,
    list_in,
    read_json,
    read_json_lines,
    read_separated,
    read_trec,
    separator_of,
    table_of_objects,
)
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.text import as_written

PARQUET, JSON, JSON_LINES, TEXT = "parquet", "json", "jsonl", "text"
SEEN = 20
"""The number of queries that are checked for swapped qrels and runs."""
_DOCS = ("id", "_id", *NAMES["doc_id"])
"""The keys that may hold the id of a document object."""


def format_of(path: str) -> str:
    """Return the format of a file or folder by its name."""
    plain = plain_name(path)
    if path.lower().endswith(".parquet") or is_parted(path):
        return PARQUET
    return JSON_LINES if plain.endswith((".jsonl", ".ndjson")) else JSON if plain.endswith(".json") else TEXT


def is_batch_list(source: Input) -> bool:
    """Return whether an input is a list of Arrow record batches, the parts of one table."""
    return isinstance(source, list) and len(source) > 0 and type(source[0]).__name__ == "RecordBatch"


@dataclass(frozen=True)
class Reader:
    """A reader of qrels or of runs.

    Attributes:
        side: `qrels` or `run`.
        names: the user's names of columns.
        separator: the character between fields.
        conventions: the conventions that decide whether scores and ranks are read.
        name: the name of an input that is not a file.
    """

    side: str
    names: Mapping[str, str]
    separator: str | None = None
    conventions: Conventions = STANDARD
    name: str = RUN

    def read(self, source: Input) -> Columns:
        """Return any input as columns.

        Raises:
            BadInput: the input cannot be read.
        """
        source = self.open(source)
        if isinstance(source, Columns):
            return source
        if isinstance(source, Table):
            listed = self._lists_of(source)
            return self._of_table(source) if listed is None else self._by_query(listed, source.name)
        if isinstance(source, Mapping):
            return self._by_query(source, self.name)
        raise BadInput(self.name, f"a {type(source).__name__} is not a path, dict, frame or list of named tuples")

    def open(self, source: Input) -> Input:
        """Return a TREC file as columns, and other files, frames, dicts of lists and lists of rows as tables.

        Other forms are returned unchanged.
        """
        if isinstance(source, str | os.PathLike):
            source = self._file(os.fspath(source) if isinstance(source, os.PathLike) else source)
        elif not isinstance(source, Mapping | list | tuple | Columns) or is_batch_list(source):
            from rankproof.evaluate.inputs.frames import as_table

            source = as_table(source, self.name)
        if isinstance(source, Table | Columns):
            return source
        if isinstance(source, Mapping):
            return self._of_dict(source) if is_dict_of_lists(source, self.names, self.name) else source
        if is_list_of_lists(source):
            return {str(place): ids for place, ids in enumerate(source, start=1)}
        return self._of_records(list(source)) if hasattr(source, "__iter__") else source

    # -- files and tables ----------------------------------------------------------------------------------------------

    def _file(self, path: str) -> Input:
        if Path(path, "dataset_info.json").is_file():
            raise BadInput(path, "this is a Hugging Face dataset. Pass datasets.load_from_disk(…) in Python.")
        if self.side == "qrels" and (Path(path) / "qrels").is_dir():
            path = _beir_qrels(path)
        form = format_of(path) if self.separator is None else TEXT
        if form == PARQUET:
            from rankproof.evaluate.inputs.frames import ParquetColumns

            return Table(path, ParquetColumns(path))
        if form != TEXT:
            return read_json_lines(path) if form == JSON_LINES else read_json(path)
        separator = separator_of(path, self.separator)
        return read_trec(path, self.side) if separator is None else read_separated(path, separator)

    def _of_dict(self, source: Mapping[Any, Any]) -> Table:
        first = next(iter(source))
        for column, values in source.items():
            if len(values) != len(source[first]):
                what = f"the column {column!r} has {len(values)} values, but {first!r} has {len(source[first])}"
                raise BadInput(self.name, what)
        return Table(self.name, dict(source))

    def _of_records(self, records: list[Any]) -> Table:
        if records and all(record is None or type(record) is int for record in records):
            raise BadInput(self.name, f"it is a list of numbers; {RANKS.format('ranks')}")
        if records and all(isinstance(record, Mapping) for record in records):
            return table_of_objects(self.name, [dict(record) for record in records], ())
        fields = getattr(records[0], "_fields", ()) if records else ("query_id", "doc_id", "relevance", "score")
        for row, record in enumerate(records, start=1):
            if not fields or getattr(record, "_fields", ()) != fields:
                what = f"a {type(record).__name__} is not a named tuple with the fields of the others"
                raise BadInput(f"{self.name}, row {row}", f"{what}. Pass one run, or a list of runs.")
        return Table(self.name, {field: [getattr(record, field) for record in records] for field in fields})

    @property
    def needs_ranks(self) -> bool:
        """Whether documents are ordered by the ranks of a run."""
        return self.side == "run" and self.conventions.order == "rank"

    def choose(self, have: Sequence[Any], where: str) -> dict[str, Any]:
        """Return the column of each field to read.

        Raises:
            BadInput: a column is missing or ambiguous.
        """
        if self.side == "qrels":
            value = [] if are_ids_alone(have, self.names) else ["relevance"]
            return find_columns(where, have, ["query_id", "doc_id", *value], [], self.names)
        has_scores = "score" in self.names or candidates("score", have, self.names)
        ranks_alone = not has_scores and len(candidates("rank", have, self.names)) == 1
        needs_value = needs_scores(self.conventions)
        value = ["score"] if needs_value and not ranks_alone else []
        rank = ["rank"] if self.needs_ranks or (needs_value and ranks_alone) else []
        return find_columns(where, have, ["query_id", "doc_id", *value, *rank], ["score"], self.names)

    def _of_table(self, table: Table) -> Columns:
        """Return the columns of a table by their names. Without scores, the score of a run is minus the rank."""
        fields = self.choose(list(table.columns), f"{table.name}:1" if table.lines else table.name)
        chosen = {field: table.columns[column] for field, column in fields.items()}
        rank, value = chosen.get("rank"), chosen.get("relevance" if self.side == "qrels" else "score")
        read = Columns(table.name, chosen["query_id"], chosen["doc_id"], value, rank, None, table.lines, table.is_text)
        if value is not None:
            return read
        if rank is None:
            return replace(read, value=[1 if self.side == "qrels" else 0.0] * len(read))
        ranks = [rank_of(value, table.where(i), read) for i, value in enumerate(as_list(rank))]
        return replace(read, value=[-float(number) for number in ranks], rank=ranks)

    def _lists_of(self, table: Table) -> dict[Any, Any] | None:
        """Return the ids of each question if a column of a table has lists of ids; otherwise None."""
        have, names = list(table.columns), self.names
        chosen = [names["doc_id"]] if "doc_id" in names else [name for name in LISTS[self.side] if name in have]
        if not chosen or chosen[0] not in have:
            return None
        if len(chosen) > 1:
            raise BadInput(table.name, f"{' or '.join(chosen)} could be the ids. Choose one with --column doc_id=NAME.")
        lists = [list_in(value) if table.lines else value for value in as_list(table.columns[chosen[0]])]
        if "doc_id" in names and not all(map(is_column, lists)):
            return None
        column = names.get("query_id") or next((name for name in QUESTIONS if name in have), None)
        if column is not None and column not in have:
            raise BadInput(table.name, f"no column {column} among {', '.join(map(str, have))}")
        queries = range(1, len(lists) + 1) if column is None else as_list(table.columns[column])
        by_query: dict[Any, Any] = {}
        for row, (query, ids) in enumerate(zip(queries, lists, strict=True)):
            key = id_text(query, table.where(row), "query")
            if not is_column(ids):
                raise BadInput(table.where(row), f"{chosen[0]} is {as_written(ids)}, not a list of ids")
            if key in by_query:
                what = f"query {as_written(key)} occurs twice. Give each question its own id, or drop the column."
                raise BadInput(table.where(row), what)
            by_query[key] = [_id_in(doc, table.where(row)) for doc in as_list(ids)]
        return by_query

    # -- by query --------------------------------------------------------------------------------------------------------

    def _by_query(self, source: Mapping[Any, Any], name: str) -> Columns:
        """Return the columns of documents by query, from dicts with grades or scores, or from lists."""
        dicts: list[Any] = list(source.values())
        if set(map(type, dicts)) <= {dict} or all(isinstance(docs, Mapping) for docs in dicts):
            docs = list(chain.from_iterable(dicts))
            values = list(chain.from_iterable(docs.values() for docs in dicts))
            return Columns(name, list(source), docs, values, sizes=list(map(len, dicts)), dicts=dicts)
        listed = _relevant if self.side == "qrels" else self._ranked
        hits = [listed(ids, f"{name}, query {as_written(query)}") for query, ids in source.items()]
        if self.side == "qrels":
            _refuse_rels(name, hits)
        docs, values = ([pair[i] for own in hits for pair in own] for i in (0, 1))
        ranks = [rank for own in hits for rank in range(1, len(own) + 1)]
        sizes = list(map(len, hits))
        return Columns(name, list(source), docs, values, ranks if self.side == "run" else None, sizes)

    def _ranked(self, ids: Values, where: str) -> list[tuple[Any, Any]]:
        """Return the ranking of a query from ids (the n-th last scores n), pairs of id and score, or objects."""
        if isinstance(ids, AbstractSet) or not is_column(ids):
            what = f"a {type(ids).__name__} is not a ranking. Pass a list of ids in rank order, or {{doc: score}}."
            raise BadInput(where, what)
        hits = as_list(ids)
        if hits and all(isinstance(hit, Mapping) for hit in hits):
            keys = find_columns(f"{where}, item 1", list(hits[0]), ["doc_id", "score"], [], self.names)
            lacking = next((i for i, hit in enumerate(hits, 1) if not {*keys.values()} <= hit.keys()), 0)
            if lacking:
                raise BadInput(f"{where}, item {lacking}", f"it has no {' and '.join(keys.values())}")
            return [(hit[keys["doc_id"]], hit[keys["score"]]) for hit in hits]
        if hits and all(isinstance(hit, list | tuple) and len(hit) == 2 for hit in hits):  # noqa: PLR2004 - a pair
            return [(doc, score) for doc, score in hits]
        return [(doc, float(len(hits) - place)) for place, doc in enumerate(hits)]


def _relevant(ids: Values, where: str) -> list[tuple[Any, Any]]:
    """Return the relevant ids of a query, each with grade 1."""
    if isinstance(ids, str | Integral) and not isinstance(ids, bool):
        return [(ids, 1)]
    is_set = isinstance(ids, AbstractSet)
    if not is_set and not is_column(ids):
        raise BadInput(where, f"a {type(ids).__name__} is not a dict of grades by document or a list of relevant ids")
    return [(doc, 1) for doc in (sorted(ids, key=str) if is_set else as_list(ids))]


def _beir_qrels(folder: str) -> str:
    files = sorted(map(str, Path(folder, "qrels").glob("*.tsv")))
    if len(files) != 1:
        what = f"this is a folder. Pass one of {', '.join(files)}" if files else "its folder qrels has no .tsv file"
        raise BadInput(folder, what)
    return files[0]


def _id_in(doc: Value, where: str) -> Input:
    """Return the id of a document object, as Haystack and LangChain write it."""
    if not isinstance(doc, Mapping):
        return doc
    ids = [doc[name] for name in _DOCS if name in doc]
    if len(ids) != 1:
        raise BadInput(where, f"a document with the keys {', '.join(map(str, doc)) or 'none'} has no id, or several")
    return ids[0]


def _refuse_rels(name: str, hits: Sequence[Sequence[tuple[Any, Any]]]) -> None:
    """Refuse lists of numbers that may be grades: all are 0 or 1, or a list repeats a number."""
    numbers = [[doc for doc, _ in docs] for docs in hits if not any(isinstance(doc, str) for doc, _ in docs)]
    is_repeated = any(len(set(docs)) < len(docs) for docs in numbers)
    if is_repeated or (len(numbers) == len(hits) and {doc for docs in numbers for doc in docs} <= {0, 1}):
        what = "these lists of numbers could be ids of relevant documents or relevance grades"
        raise BadInput(name, f"{what}. Pass ids as text, or grades as {{query: {{doc: grade}}}}.")


def is_dict_of_lists(source: Mapping[Any, Any], names: Mapping[str, str], name: str) -> bool:
    """Return whether a mapping holds columns, at least one of them with a known name.

    Raises:
        BadInput: some values are not columns.
    """
    known = KNOWN.union(names.values())
    column = next((key for key in known if key in source and is_column(source[key])), None)
    if column is None:
        return False
    other = next((key for key, value in source.items() if not is_column(value)), None)
    if other is not None:
        raise BadInput(name, f"{other!r} is not a list, but the column {column!r} is. Pass a list for each column.")
    return True


def is_list_of_lists(source: object) -> bool:
    """Return whether an input is a list with a list or set of ids for each query."""
    if not isinstance(source, list | tuple) or not source or hasattr(source, "_fields"):
        return False
    return all(
        isinstance(ids, AbstractSet)
        or (is_column(ids) and not hasattr(ids, "_fields") and all(isinstance(item, str) for item in ids))
        for ids in source
    )


# -- one side, or several runs ---------------------------------------------------------------------------------------------


def read_qrels(source: Input, conventions: Conventions = STANDARD) -> Rows[Judgment]:
    """Return the judgments of each query from any input.

    Raises:
        BadInput: the input cannot be read, or a document is judged twice and the conventions refuse duplicates.
    """
    return qrels_rows(Reader("qrels", {}, None, conventions, QRELS).read(source), conventions)


def read_run(source: Input, conventions: Conventions = STANDARD) -> Rows[QueryRow]:
    """Return the retrieved documents of each query from any input. Ranks are read if the conventions need them.

    Raises:
        BadInput: the input cannot be read, or a document is retrieved twice and the conventions refuse duplicates.
    """
    return run_rows(Reader("run", {}, None, conventions).read(source), conventions)


def systems_of(run: Input, names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the runs by system, or None if the input is one run.

    A mapping names its systems. In a list, a path has the name of its file, and a table the name in its column
    `system` if all rows have the same. Other runs are run1, run2, ….

    Raises:
        BadInput: some values are runs, and some are not.
    """
    if isinstance(run, Mapping):
        if is_dict_of_lists(run, names, RUN) or not any(map(_is_run, islice(run.values(), SEEN))):
            return None
        for system, ranked in run.items():
            if not isinstance(system, str) or not (_is_run(ranked) or ranked == {}):
                remedy = "Pass {query: {doc: score}}, a list for each column, or a run for each system."
                raise BadInput(RUN, f"{system!r} is not a run, but other values are. {remedy}")
        return dict(run)
    if not isinstance(run, list | tuple) or hasattr(run, "_fields") or is_batch_list(run):
        return None
    if all(_is_row(item, names) for item in run) or not any(_is_run(item) or isinstance(item, dict) for item in run):
        return None
    for i, item in enumerate(run, start=1):
        if not (_is_run(item) or isinstance(item, Mapping)):
            raise BadInput(RUN, f"item {i} of the list is a {type(item).__name__}, not a run like the others")
    paths = [os.fspath(item) if isinstance(item, str | os.PathLike) else f"run{i}" for i, item in enumerate(run, 1)]
    stated, usual = [_system_in(item, names) for item in run], file_names(paths)
    named = (own if own and stated.count(own) == 1 and own not in usual else usual[i] for i, own in enumerate(stated))
    return dict(zip(named, run, strict=True))


def _system_in(run: Input, names: Mapping[str, str]) -> str:
    """Return the system of a table if its column of systems has only one; otherwise ""."""
    column = names.get("system", "system")
    have = run if isinstance(run, Mapping) else getattr(run, "columns", ())
    systems = set(as_list(run[column])) if column in list(have) and is_column(run[column]) else set()
    only = systems.pop() if len(systems) == 1 else ""
    return only if isinstance(only, str) else ""


def _is_run(value: Value) -> bool:
    """Return whether a value of a mapping or an item of a list is a run in any form."""
    if isinstance(value, str | os.PathLike | Columns | Iterator):
        return True
    if hasattr(value, "columns") or hasattr(value, "column_names"):
        return True
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return isinstance(inner, Mapping) or is_column(inner)
    return is_column(value) and not hasattr(value, "_fields") and hasattr(next(iter(value), None), "_fields")


def _is_row(value: Value, names: Mapping[str, str]) -> bool:
    """Return whether a list item is a row: a dict with a known column name and a single value (or a list of ids)."""
    if not isinstance(value, Mapping):
        return False
    listed = frozenset(chain.from_iterable(LISTS.values()))
    named = [(key, value[key]) for key in KNOWN.union(names.values()) & value.keys()]
    return bool(named) and not any(
        isinstance(cell, Mapping) or (is_column(cell) and key not in listed) for key, cell in named
    )


def has_both(source: Input, columns: Mapping[str, Any] | None) -> bool:
    """Return whether a table is qrels and run: each row has the relevant and the retrieved ids of a question.

    Raises:
        BadInput: the file cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if format_of(path) == TEXT and separator_of(path, None) is None:
            return False
    table = Reader("run", names_of(columns, "run")).open(source)
    have = {*table.columns} if isinstance(table, Table) else set()
    return all({*LISTS[side], names_of(columns, side).get("doc_id")} & have for side in SIDES)


def missing_run(source: Input) -> str:
    """Return the remedy for a missing run. Numbers without a run may be ranks of first hits."""
    value = source
    if isinstance(source, str | os.PathLike) and format_of(os.fspath(source)) == JSON:
        value = read_json(os.fspath(source))
    numbers = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(numbers, list) and numbers and all(number is None or type(number) is int for number in numbers):
        return RANKS.format("ranks.values()" if isinstance(value, Mapping) else "ranks")
    return "pass one, or a table whose rows have the relevant and the retrieved ids of a question"


def refuse_swapped(qrels: Input, run: Input) -> None:
    """Refuse dicts that seem to be swapped: fractional grades, and scores that are whole numbers.

    Raises:
        BadInput: the dicts seem to be swapped.
    """
    rels, scores = (
        [value for docs in islice(side.values(), SEEN) for value in (docs.values() if isinstance(docs, dict) else ())]
        for side in (qrels if isinstance(qrels, dict) else {}, run if isinstance(run, dict) else {})
    )
    are_floats = bool(rels) and all(isinstance(rel, float) for rel in rels) and any(rel % 1 for rel in rels)
    if are_floats and scores and all(type(score) is int for score in scores):
        what = f"the grades are floats such as {as_written(rels[0])}, but the scores are not, as if they were swapped"
        remedy = "The order is evaluate(measures, qrels, run). If it is right, pass the scores as floats."
        raise BadInput(QRELS, f"{what}. {remedy}")
