"""Frames that other libraries hold, and tables that no run or qrels can be: read as they are, or refused in a line that says the mend."""

import io
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import dask.dataframe
import datasets
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import rankproof
from rankproof.evaluating.inputs import BadInput, read_run
from rankproof.evaluating.inputs.foreign_frames import as_tables

QRELS = {"query_id": ["1", "1", "2", "3"], "doc_id": ["a", "b", "c", "d"], "relevance": [1, 0, 2, 1]}
RUN = {"query_id": ["1", "1", "2", "3", "3"], "doc_id": ["b", "a", "c", "x", "d"], "score": [0.9, 0.8, 0.7, 0.6, 0.5]}
OTHER = {**RUN, "score": [0.1, 0.2, 0.3, 0.4, 0.5]}
"""The relevant docs stand at ranks 2, 1 and 2 of the one run, and first in the other."""


def lazy(columns: dict[str, Any]) -> Any:
    return dask.dataframe.from_pandas(pd.DataFrame(columns), npartitions=2)


def streamed(columns: dict[str, Any]) -> Any:
    table = pa.table(columns)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))


@pytest.mark.parametrize("made", [lazy, streamed])
def test_a_frame_that_is_not_in_memory_is_read(made: Callable[[dict[str, Any]], Any]) -> None:
    assert rankproof.evaluate(["RR"], made(QRELS), made(RUN)).per_query["RR"] == {"1": 0.5, "2": 1.0, "3": 0.5}


def test_batches_of_whole_and_of_other_numbers_are_one_table() -> None:
    scores = (("1", 2), ("2", 1.5), ("3", 3))
    batches = of_batches(*({"query_id": [query], "doc_id": ["a"], "score": [score]} for query, score in scores))
    assert [row.score for rows in read_run(as_tables(batches, "the run")).of.values() for row in rows] == [
        2.0,
        1.5,
        3.0,
    ]
    with pytest.raises(BadInput, match=r"^the run: it is empty: there is no row in it$"):
        as_tables(datasets.Dataset.from_dict({"query_id": ["1"]}).to_iterable_dataset().take(0), "the run")


def test_a_frame_may_have_columns_that_are_called_as_what_files_have() -> None:
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    odd = {name: [7, 8] for name in ("header", "lines", "path", "column_names", "to_pydict")}
    for frame in (pd.DataFrame(odd | columns), pa.table(odd | columns)):
        assert rankproof.evaluate("RR", {"q": {"a": 1}}, frame).mean == {"RR": 0.5}


def test_of_arrow_a_name_that_two_columns_have_is_refused_and_systems_are_parted() -> None:
    of_run = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    twice = pa.table([*of_run.values(), pa.array([2.0, 1.0])], names=[*of_run, "score"])
    with pytest.raises(BadInput, match=r"^the table: two columns are called score; rename or drop one$"):
        rankproof.evaluate("RR", {"q": {"a": 1}}, twice)
    parted = rankproof.by_system(pa.table(of_run | {"system": ["x", "y"]}))
    assert [(name, one["doc_id"]) for name, one in parted.items()] == [("x", ["a"]), ("y", ["b"])]


def test_several_lazy_frames_are_several_runs() -> None:
    listed = rankproof.evaluate(["RR"], lazy(QRELS), [lazy(RUN), lazy(OTHER)])
    named = rankproof.evaluate(["RR"], lazy(QRELS), {"bm25": lazy(RUN), "dense": lazy(OTHER)})
    assert [one.mean["RR"] for one in listed.of.values()] == [pytest.approx(2 / 3), 1.0]
    assert {name: one.mean["RR"] for name, one in named.of.items()} == {"bm25": pytest.approx(2 / 3), "dense": 1.0}


def test_what_it_takes_to_read_a_lazy_frame_is_said_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = lazy(RUN)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(BadInput, match=r"to read a DataFrame of dask takes narwhals: pip install 'rankproof\[fast\]'"):
        rankproof.evaluate(["RR"], pd.DataFrame(QRELS), frame)


def of_batches(*tables: dict[str, Any]) -> list[Any]:
    return [batch for one in tables for batch in pa.table(one).to_batches()]


REFUSED: dict[str, tuple[Any, str]] = {
    "a connection": (
        type("DuckDBPyConnection", (), {"__module__": "_duckdb"})(), "a connection of duckdb, and no table; give what it selects",
    ),
    "a stream of nothing": (iter(()), "it is empty"),
    "batches of other columns": (
        of_batches(RUN, {**RUN, "rank": [1, 2, 1, 1, 2]}),
        "batches of query_id, doc_id, score, and the columns query_id, doc_id, score, rank among them",
    ),
    "batches of other types": (
        of_batches(RUN, {**RUN, "score": ["high", "low", "low", "low", "low"]}), "its parts are of other types: .*; cast them",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused_with_the_mend(name: str) -> None:
    run, says = REFUSED[name]
    with pytest.raises(BadInput, match=says):
        rankproof.evaluate(["RR"], QRELS_OF_DICTS, run)


QRELS_OF_DICTS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 1}}


def written(path: Path, columns: Iterable[tuple[str, Any]]) -> Path:
    names, values = zip(*columns, strict=True)
    pyarrow.parquet.write_table(pa.Table.from_arrays([*map(pa.array, values)], names=list(names)), path)
    return path


PARQUET = {
    "nested": (
        [*[*RUN.items()][:2], ("score", [{"bm25": score} for score in RUN["score"]])],
        r"the column 'score' holds struct<bm25: double>; a row has one value of each column",
    ),
    "no doc": (
        [("query_id", RUN["query_id"]), ("doc_id", pa.nulls(5, pa.string())), ("score", RUN["score"])],
        "run.parquet, row 1: the doc is None, a NoneType; ids are text or whole numbers",
    ),
    "lists of lists": (
        [("query_id", RUN["query_id"]), ("doc_id", [[["a"]]] * 5), ("score", RUN["score"])],
        "the column 'doc_id' holds list<.*>; a row has one value of each column",
    ),
    "called alike": ([*RUN.items(), ("score", RUN["score"])], "two columns are called 'score'; rename or drop one"),
    "no text": (
        [
            ("query_id", RUN["query_id"]),
            ("doc_id", pa.array([b"a", b"\xff", b"c", b"x", b"d"]).view(pa.string())),
            ("score", RUN["score"]),
        ],
        "the column 'doc_id' holds a text that is no UTF-8; write it anew",
    ),
}


@pytest.mark.parametrize("name", PARQUET)
def test_a_parquet_file_that_is_no_run_is_refused_with_its_column(name: str, tmp_path: Path) -> None:
    columns, says = PARQUET[name]
    with pytest.raises(BadInput, match=says) as refused:
        rankproof.evaluate(["RR"], QRELS_OF_DICTS, written(tmp_path / "run.parquet", columns))
    assert str(tmp_path / "run.parquet") in str(refused.value)


def test_the_folder_of_a_dataset_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dataset_info.json").write_text(json.dumps({}))
    with pytest.raises(BadInput, match=r"the folder of a dataset of Hugging Face; give datasets.load_from_disk"):
        rankproof.evaluate(["RR"], QRELS_OF_DICTS, tmp_path)


def test_the_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 0 a 1\n")))
    with pytest.raises(BadInput, match="the standard input can be read once; give the other as a file"):
        rankproof.evaluate(["RR"], "-", "-")


def test_a_doc_that_a_list_names_twice_is_told_by_its_places() -> None:
    run = pd.DataFrame({"query_id": ["1", "2", "3"], "retrieved_ids": [["a", "b"], ["x", "c", "y", "c"], ["d"]]})
    with pytest.raises(BadInput, match="item 4: doc 'c' stands twice under query '2', first on item 2"):
        rankproof.evaluate(["RR"], QRELS_OF_DICTS, run)


def test_a_query_that_the_index_of_lists_has_twice_is_refused() -> None:
    lists = pd.Series([["a", "b"], ["c"], ["d"]], index=["1", "2", "2"])
    with pytest.raises(BadInput, match="a query stands there twice"):
        rankproof.evaluate(["RR"], lists, pd.Series([["a"], ["c"], ["x"]], index=["1", "2", "3"]))
