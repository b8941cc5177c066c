"""Input that cannot be used: one clear line with the place and the remedy, and never a traceback."""

import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from two_paths import by_columns

import rankproof
from rankproof.evaluate.inputs import rows

ONE = {"q": {"a": 1}}
NAN = float("nan")
Row = namedtuple("Row", ("query_id", "doc_id", "score"))  # noqa: PYI024
IN_MEMORY: list[tuple[Any, Any, str]] = [
    ({}, {"q": {"a": 1.0}}, "the qrels: it is empty"),
    (ONE, {}, "the run: it is empty"),
    (ONE, None, "the run: it is missing"),
    (ONE, {"q": {"a": NAN}}, "the run, query 'q', item 1: the score is nan"),
    (ONE, {"q": {"a": "0.5"}}, "the score is '0.5', not a finite number"),
    ({"q": {"a": 1.5, "b": None}}, {"q": {"a": 1.0}}, "the relevance grade is None"),
    ({"q": {"a": float("inf")}}, {"q": {"a": 1.0}}, "not a finite number"),
    ({7.5: {"a": 1}}, {"q": {"a": 1.0}}, "the query is 7.5, a float; ids are text or whole numbers"),
    ({"7": {"a": 1}, 7: {"b": 1}}, {"7": {"a": 1.0}}, "query '7' twice"),
    ({"q1": ["a"], "q2": {"b": 1}}, {"q1": ["a"]}, "query 'q2'"),
    ({"q": [1, 0]}, {"q": ["a"]}, "could be ids of relevant docs or relevance grades"),
    ({"q": ["a"]}, {"q": {"a", "b"}}, "is not a ranking"),
    (ONE, {"q": ["a", "b", "a"]}, "has doc 'a' twice"),
    (ONE, 7, "int is not a path"),
    (
        ONE,
        pd.DataFrame({"qid": ["q"], "docno": ["a"]}),
        "no column score among qid, docno; name the columns with --column",
    ),
    (ONE, pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1], "sim": [2]}), "score or sim could be the score"),
    (ONE, pd.DataFrame([["q", "a", 1]], columns=["qid", "docno", "docno"]), "two columns are called docno"),
    (ONE, {"query": ["q"], "docid": ["a", "b"], "score": [1.0]}, "the column 'docid' has 2 values"),
    (ONE, {"query": ["q"], "docid": "a", "score": [1.0]}, "'docid' is not a list"),
    (
        ONE,
        pd.DataFrame({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "score": [3, 2, NAN]}),
        "the run, row 3: the score",
    ),
    (ONE, [Row("q", "a", 1.0), Row("q", "b", NAN)], "the run, row 2: the score is nan"),
    (ONE, [Row("q", "a", 1.0), ("q", "b", 2.0)], "the run, row 2: a tuple is not a named tuple"),
    (ONE, {"x": {"q": {"a": 1.0}}, "y": 3}, "'y' is not a run"),
    ([[1, 0], 1], None, "not a list, as other items are"),
    ([1, 0], [0.5], "not as many as rels"),
    ([1, 0], [0.5, 0.5], "no ids to order them (ties=docid-desc)"),
    ({"q": {"a": 0.5}}, {"q": {"a": 3}}, "as if they were swapped"),
    ({"a": {"d": 1}}, {"b": {"d": 1.0}}, "no query in common"),
    ({"q1": {"d": 1}}, {"Q1": {"d": 1.0}}, "differ only in spelling"),
]


@pytest.mark.parametrize(("qrels", "run", "message"), IN_MEMORY)
@pytest.mark.parametrize("large", [False, True])
def test_input_in_memory(qrels: Any, run: Any, message: str, monkeypatch: pytest.MonkeyPatch, *, large: bool) -> None:
    if large:
        by_columns(monkeypatch)
    with pytest.raises(ValueError, match=r".") as refused:
        rankproof.evaluate("AP", qrels, run)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


FILES: list[tuple[str, bytes, str]] = [
    ("run", b"", ":1: the file is empty"),
    ("run", b"q Q0 a 1 0.5 t\nq Q0 b\n", ":2: the line has 3 fields and not 6"),
    ("run", b"q 0 a 1\n", ":1: the line has 4 fields and not 6 (query Q0 doc rank score tag); is this the qrels?"),
    ("run", b"q Q0 a 1 x t\n", ":1: the score is 'x', not a number"),
    ("run", b"q Q0 a 1 0,5 t\n", "write decimal points"),
    ("run", b"q Q0 a 1 1_0 t\n", ":1: the score is '1_0'"),
    ("run", b"q Q0 a 1 nan t\n", ":1: the score is nan"),
    ("run", b"q Q0 \xff 1 1 t\n", ":1: '\\xff' is not UTF-8"),
    ("run", b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n", ":2: query 'q' has doc 'a' twice, first on line 1"),
    ("run", b"PK\x03\x04rest", "unpack it, or save it as CSV"),
    ("run", b"\x1f\x8b\x08\x00broken", "damaged"),
    ("run", b"q Q0 a\0b 1 1 t x\n", "binary file"),
    ("run.csv", b"qid,docno,score\n", ":2: there is no row"),
    ("run.csv", b"qid,docno,score\nq,a\n", ":2: the row has 2 fields"),
    ("run.csv", b"qid,docno,score\nq,a,x\n", ":2: the score is 'x'"),
    ("run.csv", b"qid,docno,docno\nq,a,1\n", ":1: two columns are called 'docno'"),
    ("run.csv", b"qid\nq\n", ":1: the only column is 'qid'"),
    ("run.tsv", b"q\ta\t2\nq\tb\t3\n", "has no rank 1"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": 1}\n[]\n', ":2: a list and no object"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": true}\n', ":1: the score is true"),
    ("run.jsonl", b'{"qid": "q", "qid": "r"}\n', ":1: an object has the key 'qid' twice"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q"}\n', ":2: no "),
    ("run.json", b'{"q": ', "this is not JSON"),
    ("run.json", b"[" * 200_000 + b"]" * 200_000, "nested too deep"),
    ("run.parquet", b"no parquet", "not a Parquet file"),
]


@pytest.mark.parametrize(("name", "content", "message"), FILES)
@pytest.mark.parametrize("large", [False, True])
def test_files(
    tmp_path: Path, name: str, content: bytes, message: str, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    if large:
        by_columns(monkeypatch)
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(rankproof.BadInput) as refused:
        rankproof.evaluate("AP", ONE, path)
    assert str(refused.value).startswith(str(path))
    assert message in str(refused.value)


def test_command_prints_one_line(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "r").write_text("q Q0 a\n")
    command = [sys.executable, "-m", "rankproof", "evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path / 'r'}:1: " in done.stderr


# -- limits --------------------------------------------------------------------------------------------------------------


def test_packed_files_unpack_in_proportion(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q Q0 a 1 1 t\n" * 1_000_000))
    with pytest.raises(rows.TooLarge, match="100 times its size"):
        rankproof.evaluate("AP", ONE, tmp_path / "run.gz")


def test_a_line_has_a_longest_length(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"q Q0 " + b"a" * 1_000_001 + b" 1 1 t\n")
    with pytest.raises(rows.TooLarge, match="longer than 1,000,000 bytes"):
        rankproof.evaluate("AP", ONE, tmp_path / "run")


def test_parquet_that_repeats_one_long_text_is_refused(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array(["x" * 10_000]))
    pq.write_table(pa.table({"qid": texts, "docno": texts, "score": [1.0] * 200_000}), tmp_path / "run.parquet")
    with pytest.raises(rows.TooLarge, match="unpacks to more than"):
        rankproof.evaluate("AP", ONE, tmp_path / "run.parquet")
