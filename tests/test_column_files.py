"""Parquet, JSON Lines, zstd, tables of Arrow and the standard input: the same as TREC files, and refused in one line."""

import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from both_ways import by_columns, watched
from refusing import refusal

import rankproof
from rankproof.evaluate.inputs import bounded_files

QRELS = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "c"], "relevance": [1, 0, 2]}
RUN = {"query_id": ["1", "1", "1", "2"], "doc_id": ["x", "b", "a", "c"], "score": [9.0, 8.0, 7.5, 3.0]}
TREC_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"
TREC_RUN = b"1 Q0 x 1 9 t\n1 Q0 b 2 8 t\n1 Q0 a 3 7.5 t\n2 Q0 c 1 3 t\n"
ROW = b'{"query_id": "1", "doc_id": "a", "score": 1}\n'
BOMB = pa.compress(b"1 Q0 a 1 1 t\n" * 500_000, "zstd", asbytes=True)
WANTED = {"1": 1 / 3, "2": 1.0}


def write(folder: Path, name: str, columns: dict[str, list[Any]], trec: bytes) -> Path:
    """A file of the form that its name says."""
    path = folder / name
    if name.endswith(".parquet"):
        pq.write_table(pa.table(columns), path)
        return path
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    text = "".join(json.dumps(row) + "\n\n" for row in rows).encode() if "json" in name or "nd" in name else trec
    if ".csv" in name:
        text = "\n".join([",".join(columns), *(",".join(map(str, row.values())) for row in rows)]).encode()
    path.write_bytes(pa.compress(text, "zstd", asbytes=True) if name.endswith(".zst") else text)
    return path


@pytest.fixture(params=["by rows", "by columns"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether columns are taken."""
    if request.param == "by columns":
        by_columns(monkeypatch)
    name: str = request.param
    return name


@pytest.mark.parametrize("ending", [".parquet", ".jsonl", ".ndjson", ".jsonl.zst", ".csv.zst", ".txt.zst"])
def test_a_file_of_any_form_is_what_a_trec_file_is(
    ending: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = watched(monkeypatch)
    qrels, run = write(tmp_path, f"qrels{ending}", QRELS, TREC_QRELS), write(tmp_path, f"run{ending}", RUN, TREC_RUN)
    assert rankproof.evaluate("AP", qrels, run).per_query["AP"] == WANTED
    assert taken == [way == "by columns"]


@pytest.mark.usefixtures("way")
def test_a_table_of_arrow_is_a_frame() -> None:
    qrels, run = pa.table(QRELS), pa.table(RUN)
    assert rankproof.evaluate("AP", qrels, run).per_query["AP"] == WANTED
    renamed = run.rename_columns(["q", "d", "s"])
    columns = {"run": {"query_id": "q", "doc_id": "d", "score": "s"}}
    assert rankproof.evaluate("AP", qrels, renamed, columns=columns).per_query["AP"] == WANTED


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("run.jsonl", b'{"query_id": "1"}\n[1]\n', ":2: a list where an object is needed"),
        ("run.jsonl", b'{"query_id": "1"\n', ":1: this is no JSON: "),
        ("run.jsonl", ROW + b"\n" + ROW + b'{"query_id": "1"\n' + ROW, ":4: this is no JSON: "),
        ("run.jsonl", b"\n", ":1: the file is empty; a line of it is an object"),
        ("run.jsonl", ROW + b'{"query_id": "1", "doc_id": "b"}\n', ":2: no score among query_id, doc_id"),
        ("run.jsonl", b'{"query_id": "1", "doc_id": "a", "score": NaN}\n', ":1: the score is nan, no number"),
        ("run.jsonl", b'{"query_id": "1", "doc_id": null, "score": 1}\n', ":1: the doc is None, a NoneType"),
        ("run.jsonl", b'{"key": "1"}\n', ":1: no query_id and no doc_id and no score among key"),
        ("run.jsonl", b"\xff\n", ":1: '\\xff' is not UTF-8"),
        ("run.parquet", b"PAR1", ": this is no Parquet file, or a damaged one"),
        ("run.zst", pa.compress(TREC_RUN * 9, "zstd", asbytes=True)[:-4], ": the zstd data is damaged"),
        ("run.zst", BOMB, ": the zstd data unpacks to more than 100 times its size"),
    ],
)
def test_what_does_not_read_is_refused_with_its_line(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    assert refusal(rankproof.evaluate, "AP", {"1": {"a": 1}}, tmp_path / name).startswith(f"{tmp_path / name}{said}")


@pytest.mark.parametrize("name", ["run.parquet", "run.jsonl"])
def test_a_file_that_is_not_there_is_said_to_be_so(name: str, tmp_path: Path) -> None:
    assert "no such file or directory" in refusal(rankproof.evaluate, "AP", {"1": {"a": 1}}, tmp_path / name)


def test_without_pyarrow_it_is_said_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = write(tmp_path, "run.zst", RUN, TREC_RUN)
    table = write(tmp_path, "run.parquet", RUN, b"")
    monkeypatch.setattr(bounded_files, "has_arrow", lambda: False)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for path in (packed, table):
        assert "pip install rankproof[parquet]" in refusal(rankproof.evaluate, "AP", {"1": {"a": 1}}, path)


@pytest.mark.usefixtures("way")
def test_the_standard_input_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def piped(content: bytes) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return "-"

    qrels, run = write(tmp_path, "qrels", QRELS, TREC_QRELS), write(tmp_path, "run", RUN, TREC_RUN)
    assert rankproof.evaluate("AP", piped(TREC_QRELS), run).per_query["AP"] == WANTED
    for content in (TREC_RUN, pa.compress(TREC_RUN, "zstd", asbytes=True)):
        assert rankproof.evaluate("AP", qrels, piped(content)).per_query["AP"] == WANTED
    frame = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "b"], "relevance": [1, 1]})
    assert list(rankproof.evaluate("AP", frame, piped(TREC_RUN)).per_query["AP"]) == ["1", "2"]
    assert "-:4: 5 fields where 6 are needed" in refusal(rankproof.evaluate, "AP", qrels, piped(TREC_RUN[:-3]))
    assert "the standard input can be read once" in refusal(rankproof.evaluate, "AP", "-", piped(TREC_RUN))


def test_the_command_reads_the_standard_input_once(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", QRELS, TREC_QRELS)
    command = [sys.executable, "-m", "rankproof", "evaluate", str(qrels), "-", "-m", "AP"]
    done = subprocess.run(command, input=TREC_RUN, capture_output=True, check=True)
    assert done.stdout.split() == [b"measure", b"mean", b"AP", b"0.6667"]
    beside = [*command, str(write(tmp_path, "run", RUN, TREC_RUN))]
    done = subprocess.run(beside, input=TREC_RUN, capture_output=True, check=True)
    assert done.stdout.split() == [b"system", b"AP", b"-", b"0.6667", b"run", b"0.6667"]
    both = [one if one != str(qrels) else "-" for one in command]
    refused = subprocess.run(both, input=TREC_RUN, capture_output=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr == b"rankproof: -: the standard input can be read once; give the other as a file\n"


# -- tables ------------------------------------------------------------------------------------------------------------


def ids(*docs: Any) -> dict[str, list[Any]]:
    """The run with other docs."""
    return RUN | {"doc_id": [*docs]}


BY_COLUMNS: dict[str, dict[str, list[Any]]] = {
    "plain": RUN,
    "numbers for ids": RUN | {"query_id": [1, 1, 1, 2]},
    "letters of other scripts": ids("é\u2028", *"bac"),
    "blanks": ids(" x\t", *"bac"),
    "out of order": {name: column[::-1] for name, column in RUN.items()},
    "two stretches": {name: [column[i] for i in (0, 3, 1, 2)] for name, column in RUN.items()},
    "whole numbers as scores": RUN | {"score": [9, 8, 7, 3]},
    "whole numbers and others": RUN | {"score": [9, 8, 7.5, 3]},
    "a line end in an id": ids("x\ny", *"bac"),
    "line ends instead of ids": ids("\n", "", *"ac"),
    "an empty query": RUN | {"query_id": ["", *"112"]},
    "the last id is empty": ids(*"xba", ""),
    "NUL": ids("x\0", *"bac"),
}
BY_ROWS: dict[str, dict[str, list[Any]]] = {
    "texts and numbers": RUN | {"query_id": ["1", 1, "1", 2]},
    "a truth as a score": RUN | {"score": [9, 8, True, 3]},
    "bytes as an id": ids(b"x", *"bac"),
    "half a character": ids("\ud800", *"bac"),
    "a fraction as an id": RUN | {"query_id": [1.0, *"112"]},
    "no id": ids(None, *"bac"),
    "NaN": RUN | {"score": [math.nan, 8.0, 7.5, 3.0]},
    "a text as a score": RUN | {"score": ["9", 8.0, 7.5, 3.0]},
    "too large a score": RUN | {"score": [10**400, 8.0, 7.5, 3.0]},
    "a doc twice": ids(*"bbac"),
    "no rows": {name: [] for name in RUN},
    "columns of two lengths": RUN | {"score": [9.0]},
}


def told(qrels: Any, run: Any, **options: Any) -> Any:
    try:
        return rankproof.evaluate(["AP", "P@1"], qrels, run, **options).per_query
    except rankproof.BadInput as refused:
        return str(refused)


@pytest.mark.parametrize("how", [*BY_COLUMNS, *BY_ROWS])
def test_a_table_is_the_same_by_columns_and_by_rows(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (BY_COLUMNS | BY_ROWS)[how]
    taken = by_columns(monkeypatch)
    forms: list[Any] = [columns]
    if len({*map(len, columns.values())}) == 1 and 10**400 not in columns["score"]:
        forms.append(pd.DataFrame(columns))
    for run in forms:
        for qrels in (QRELS, {"1": {"a": 1, "b": 0}, "2": {"c": 2}}):
            assert told(qrels, run) == told(qrels, run, exact=True)
    assert taken == [how in BY_COLUMNS] * 2 * len(forms)


@pytest.mark.parametrize(
    ("ranks", "is_columnar"),
    [([3, 2, 1, 1], True), ([3.0, 2.0, 1.0, 1.0], True), ([3, 2, 1.5, 1], False), ([2**53 + 1, 2**53, 1, 1], False)],
)
def test_ranks_of_a_table_are_whole_numbers(
    ranks: list[Any], *, is_columnar: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = by_columns(monkeypatch)
    fast, slow = (told(QRELS, RUN | {"rank": ranks}, exact=exact, profile="order=rank") for exact in (False, True))
    assert fast == slow
    assert isinstance(slow, str) is (1.5 in ranks)
    assert taken == [is_columnar]


@pytest.mark.usefixtures("way")
def test_a_score_that_nothing_depends_on_may_be_missing_or_nan() -> None:
    without = {name: column for name, column in RUN.items() if name != "score"}
    for run in (without, RUN | {"score": [math.nan] * 4}):
        assert rankproof.evaluate("AP", QRELS, run, profile="order=input").per_query["AP"] == WANTED
