"""Reading qrels and runs in any form as columns of query, document, grade or score, and rank."""

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
"""The number of queries in which swapped qrels and runs are looked for."""
_DOCS = ("id", "_id", *NAMES["doc_id"])
"""The keys of the id of a document that is an object."""


def format_of(path: str) -> str:
    """Return the format that the name of a file or folder implies."""
    plain = plain_name(path)
    if path.lower().endswith(".parquet") or is_parted(path):
        return PARQUET
    return JSON_LINES if plain.endswith((".jsonl", ".ndjson")) else JSON if plain.endswith(".json") else TEXT


def is_batch_list(source: Input) -> bool:
    """Return whether this is a list of batches of Arrow, which are parts of one table."""
    return isinstance(source, list) and len(source) > 0 and type(source[0]).__name__ == "RecordBatch"


@dataclass(frozen=True)
class Reader:
    """How one side is read.

    Attributes:
        side: `qrels` or `run`.
        names: the names that the user gives to columns.
        separator: the character between fields.
        conventions: whether scores and ranks are needed.
        name: the name of an input that is no file.
    """

    side: str
    names: Mapping[str, str]
    separator: str | None = None
    conventions: Conventions = STANDARD
    name: str = RUN

    def read(self, source: Input) -> Columns:
        """Return any input as columns.

        Raises:
            BadInput: it cannot be read.
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
            raise BadInput(path, "this is a Hugging Face dataset; pass datasets.load_from_disk(…) in Python")
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
                what = f"the column {column!r} has {len(values)} values, and {first!r} has {len(source[first])}"
                raise BadInput(self.name, what)
        return Table(self.name, dict(source))

    def _of_records(self, records: list[Any]) -> Table:
        if records and all(record is None or type(record) is int for record in records):
            raise BadInput(self.name, f"a list of numbers; {RANKS.format('ranks')}")
        if records and all(isinstance(record, Mapping) for record in records):
            return table_of_objects(self.name, [dict(record) for record in records], ())
        fields = getattr(records[0], "_fields", ()) if records else ("query_id", "doc_id", "relevance", "score")
        for row, record in enumerate(records, start=1):
            if not fields or getattr(record, "_fields", ()) != fields:
                what = f"a {type(record).__name__} is not a named tuple with the fields of the others"
                raise BadInput(f"{self.name}, row {row}", f"{what}; pass one run, or a list of runs")
        return Table(self.name, {field: [getattr(record, field) for record in records] for field in fields})

    @property
    def needs_ranks(self) -> bool:
        """Whether documents are ordered by the ranks of a run."""
        return self.side == "run" and self.conventions.order == "rank"

    def choose(self, have: Sequence[Any], where: str) -> dict[str, Any]:
        """Return the column of each field that is read.

        Raises:
            BadInput: one is missing or ambiguous.
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
        """Return the columns of a table, by their names; a run with ranks alone scores minus the rank."""
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
        """Return the ids of each question, if a column of a table holds lists of ids."""
        have, names = list(table.columns), self.names
        chosen = [names["doc_id"]] if "doc_id" in names else [name for name in LISTS[self.side] if name in have]
        if not chosen or chosen[0] not in have:
            return None
        if len(chosen) > 1:
            raise BadInput(table.name, f"{' or '.join(chosen)} could be the ids; choose one with --column doc_id=NAME")
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
                what = f"query {as_written(key)} is there twice; give the questions ids, or drop the column"
                raise BadInput(table.where(row), what)
            by_query[key] = [_id_in(doc, table.where(row)) for doc in as_list(ids)]
        return by_query

    # -- by query --------------------------------------------------------------------------------------------------------

    def _by_query(self, source: Mapping[Any, Any], name: str) -> Columns:
        """Return documents by query, each with its grade or score, or in a list."""
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
        """Return the ranking of a query: ids, pairs of ids and scores, or objects with both. The n-th id from the end scores n."""
        if isinstance(ids, AbstractSet) or not is_column(ids):
            what = f"a {type(ids).__name__} is not a ranking; pass a list of ids in rank order, or {{doc: score}}"
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
        raise BadInput(where, f"a {type(ids).__name__} is neither a dict of docs and grades nor a list of relevant ids")
    return [(doc, 1) for doc in (sorted(ids, key=str) if is_set else as_list(ids))]


def _beir_qrels(folder: str) -> str:
    files = sorted(map(str, Path(folder, "qrels").glob("*.tsv")))
    if len(files) != 1:
        what = f"this is a folder; pass one of {', '.join(files)}" if files else "it has no .tsv in its folder qrels"
        raise BadInput(folder, what)
    return files[0]


def _id_in(doc: Value, where: str) -> Input:
    """Return the id of a document that is an object, as Haystack and LangChain write it."""
    if not isinstance(doc, Mapping):
        return doc
    ids = [doc[name] for name in _DOCS if name in doc]
    if len(ids) != 1:
        raise BadInput(where, f"a document with the keys {', '.join(map(str, doc)) or 'none'} has no id, or several")
    return ids[0]


def _refuse_rels(name: str, hits: Sequence[Sequence[tuple[Any, Any]]]) -> None:
    """Refuse lists of numbers that may be grades: all of them 0 or 1, or one of them twice in a list."""
    numbers = [[doc for doc, _ in docs] for docs in hits if not any(isinstance(doc, str) for doc, _ in docs)]
    is_repeated = any(len(set(docs)) < len(docs) for docs in numbers)
    if is_repeated or (len(numbers) == len(hits) and {doc for docs in numbers for doc in docs} <= {0, 1}):
        what = "these lists of numbers could be ids of relevant docs or relevance grades"
        raise BadInput(name, f"{what}; pass ids as text, or grades with their docs, as {{query: {{doc: grade}}}}")


def is_dict_of_lists(source: Mapping[Any, Any], names: Mapping[str, str], name: str) -> bool:
    """Return whether a mapping holds columns, one of which has a known name.

    Raises:
        BadInput: other values are no columns.
    """
    known = KNOWN.union(names.values())
    column = next((key for key in known if key in source and is_column(source[key])), None)
    if column is None:
        return False
    other = next((key for key, value in source.items() if not is_column(value)), None)
    if other is not None:
        raise BadInput(name, f"{other!r} is not a list, as the column {column!r} is; pass a list for each column")
    return True


def is_list_of_lists(source: object) -> bool:
    """Return whether this is a list of lists or sets of ids: a list a query."""
    if not isinstance(source, list | tuple) or not source or hasattr(source, "_fields"):
        return False
    return all(
        isinstance(ids, AbstractSet)
        or (is_column(ids) and not hasattr(ids, "_fields") and all(isinstance(item, str) for item in ids))
        for ids in source
    )


# -- one side, or several runs ---------------------------------------------------------------------------------------------


def read_qrels(source: Input, conventions: Conventions = STANDARD) -> Rows[Judgment]:
    """Return the judgments of each query, of any input.

    Raises:
        BadInput: they cannot be read, or a document is judged twice and the conventions refuse that.
    """
    return qrels_rows(Reader("qrels", {}, None, conventions, QRELS).read(source), conventions)


def read_run(source: Input, conventions: Conventions = STANDARD) -> Rows[QueryRow]:
    """Return the retrieved documents of each query, of any input; ranks are read, and NaN is refused, if the conventions need that.

    Raises:
        BadInput: it cannot be read, or a document is retrieved twice and the conventions refuse that.
    """
    return run_rows(Reader("run", {}, None, conventions).read(source), conventions)


def systems_of(run: Input, names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the runs by their systems; None if it is one run.

    A mapping of systems to runs names them. In a list, a path is named as its file, a table by its column `system` if all its rows are
    of one system, and other runs run1, run2, ….

    Raises:
        BadInput: some values are runs, and some are not.
    """
    if isinstance(run, Mapping):
        if is_dict_of_lists(run, names, RUN) or not any(map(_is_run, islice(run.values(), SEEN))):
            return None
        for system, ranked in run.items():
            if not isinstance(system, str) or not (_is_run(ranked) or ranked == {}):
                remedy = "pass {query: {doc: score}}, a list for each column, or a run for each system"
                raise BadInput(RUN, f"{system!r} is not a run, as others are; {remedy}")
        return dict(run)
    if not isinstance(run, list | tuple) or hasattr(run, "_fields") or is_batch_list(run):
        return None
    if all(_is_row(item, names) for item in run) or not any(_is_run(item) or isinstance(item, dict) for item in run):
        return None
    for i, item in enumerate(run, start=1):
        if not (_is_run(item) or isinstance(item, Mapping)):
            raise BadInput(RUN, f"item {i} of the list is a {type(item).__name__} and no run, as others are")
    paths = [os.fspath(item) if isinstance(item, str | os.PathLike) else f"run{i}" for i, item in enumerate(run, 1)]
    stated, usual = [_system_in(item, names) for item in run], file_names(paths)
    named = (own if own and stated.count(own) == 1 and own not in usual else usual[i] for i, own in enumerate(stated))
    return dict(zip(named, run, strict=True))


def _system_in(run: Input, names: Mapping[str, str]) -> str:
    """Return the one system in the column of systems of a table; "" if there is none."""
    column = names.get("system", "system")
    have = run if isinstance(run, Mapping) else getattr(run, "columns", ())
    systems = set(as_list(run[column])) if column in list(have) and is_column(run[column]) else set()
    only = systems.pop() if len(systems) == 1 else ""
    return only if isinstance(only, str) else ""


def _is_run(value: Value) -> bool:
    """Return whether a value of a mapping, or an item of a list, is a run, whatever its form."""
    if isinstance(value, str | os.PathLike | Columns | Iterator):
        return True
    if hasattr(value, "columns") or hasattr(value, "column_names"):
        return True
    if isinstance(value, Mapping):
        inner = next(iter(value.values()), None)
        return isinstance(inner, Mapping) or is_column(inner)
    return is_column(value) and not hasattr(value, "_fields") and hasattr(next(iter(value), None), "_fields")


def _is_row(value: Value, names: Mapping[str, str]) -> bool:
    """Return whether an item of a list is a row: a dict with a known name of a column, and one value of it, or a list of ids."""
    if not isinstance(value, Mapping):
        return False
    listed = frozenset(chain.from_iterable(LISTS.values()))
    named = [(key, value[key]) for key in KNOWN.union(names.values()) & value.keys()]
    return bool(named) and not any(
        isinstance(cell, Mapping) or (is_column(cell) and key not in listed) for key, cell in named
    )


def has_both(source: Input, columns: Mapping[str, Any] | None) -> bool:
    """Return whether a table has the relevant and the retrieved ids of a question in each row, so that it is qrels and run.

    Raises:
        BadInput: it is a file that cannot be read.
    """
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if format_of(path) == TEXT and separator_of(path, None) is None:
            return False
    table = Reader("run", names_of(columns, "run")).open(source)
    have = {*table.columns} if isinstance(table, Table) else set()
    return all({*LISTS[side], names_of(columns, side).get("doc_id")} & have for side in SIDES)


def missing_run(source: Input) -> str:
    """Return what to do if no run is given: a table may be both, and numbers by query may be ranks of first hits."""
    value = source
    if isinstance(source, str | os.PathLike) and format_of(os.fspath(source)) == JSON:
        value = read_json(os.fspath(source))
    numbers = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(numbers, list) and numbers and all(number is None or type(number) is int for number in numbers):
        return RANKS.format("ranks.values()" if isinstance(value, Mapping) else "ranks")
    return "a table with the relevant and the retrieved ids of each question goes without a run"


def refuse_swapped(qrels: Input, run: Input) -> None:
    """Refuse dicts that seem to be swapped: grades with fractions, and scores that are whole numbers.

    Raises:
        BadInput: they seem to be.
    """
    rels, scores = (
        [value for docs in islice(side.values(), SEEN) for value in (docs.values() if isinstance(docs, dict) else ())]
        for side in (qrels if isinstance(qrels, dict) else {}, run if isinstance(run, dict) else {})
    )
    are_floats = bool(rels) and all(isinstance(rel, float) for rel in rels) and any(rel % 1 for rel in rels)
    if are_floats and scores and all(type(score) is int for score in scores):
        what = f"their grades are floats, as {as_written(rels[0])}, and the scores are whole numbers, as if they were swapped"
        remedy = "the order is evaluate(measures, qrels, run); if it is right, pass the scores as floats"
        raise BadInput(QRELS, f"{what}; {remedy}")
