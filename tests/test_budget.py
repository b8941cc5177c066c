"""One budget for every form of input: what is larger than any run is refused, and what is ambiguous is not guessed."""

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.evaluate import command
from rankproof.cli.program import main
from rankproof.evaluate import quick
from rankproof.evaluate.inputs import arrow_tables, bounded_files, budget, read_run
from rankproof.evaluate.inputs.budget import TooMuch
from rankproof.evaluate.inputs.parted_folders import size_of
from rankproof.evaluate.inputs.run_files import run_files
from rankproof.evaluate.tracks.many_runs import evaluate_runs
from rankproof.explain.reading_data import read_data

if TYPE_CHECKING:
    from collections.abc import Callable

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1}}
NAMES = ("query_id", "doc_id", "score")
ROWS = [("q1", "b", 3.0), ("q1", "a", 2.0), ("q1", "c", 1.0), ("q2", "x", 2.0), ("q2", "a", 1.0)]
WANTED = {"q1": 1 / 2, "q2": 1 / 2}


@pytest.fixture(params=["by rows", "by columns"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether columns are taken."""
    if request.param == "by columns":
        monkeypatch.setattr(quick, "SMALL_FILE", 0)
        monkeypatch.setattr(quick, "SMALL_DICT", 0)
    taken: str = request.param
    return taken


def repeated(text: str, n: int) -> pa.DictionaryArray:
    """A column in which the same text stands so often, and is kept once."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([text]))


def write(path: Path, columns: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path, compression="zstd", write_statistics=False)
    return path


def rows_of(*which: int) -> dict[str, list[Any]]:
    """Some of the rows as columns."""
    return {name: [ROWS[i][column] for i in which] for column, name in enumerate(NAMES)}


def refusal(run: Path) -> str:
    """What `evaluate` says of a run, which is what `explain` and tracks say."""
    said = []
    (qrels := run.parent / "of.qrels").write_text("q1 0 a 1\n")
    asked: list[Callable[[], Any]] = [
        lambda: rankproof.evaluate("AP", QRELS, run),
        lambda: read_data(QRELS, [str(run)]),
        lambda: list(evaluate_runs(qrels, run, "AP")),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r".") as refused:
            ask()
        said.append(str(refused.value))
    assert len(set(said)) == 1
    assert "\n" not in said[0]
    return said[0].removeprefix(f"{run}")


def is_read(run: Path) -> bool:
    """Whether it serves, and doc a stands first."""
    return rankproof.evaluate("AP", {"q1": {"a": 1}}, run).mean["AP"] == 1


# -- how much ----------------------------------------------------------------------------------------------------------


def test_rows_that_are_nearly_nothing_in_the_file_are_refused_before_one_is_read(tmp_path: Path) -> None:
    n = 2_000_000
    columns = {"query_id": repeated("q1", n), "doc_id": repeated("a", n), "score": np.zeros(n)}
    bomb = write(tmp_path / "run.parquet", columns)
    assert bomb.stat().st_size < 100_000
    assert refusal(bomb) == (
        ": its 2,000,000 rows unpack to more than 33,554,432 bytes, as no run and no qrels of its size do; "
        "if it is right, write it as a text file"
    )


def test_an_id_of_many_megabytes_is_refused_by_what_the_file_says(tmp_path: Path) -> None:
    long = write(tmp_path / "run.parquet", {"query_id": ["q1"], "doc_id": ["d" * 40_000_000], "score": [1.0]})
    assert long.stat().st_size < 10_000
    assert refusal(long).startswith(": the column 'doc_id' unpacks to more than 33,554,432 bytes")


def test_an_id_that_is_no_id_is_refused(tmp_path: Path) -> None:
    def id_of(size: int) -> Path:
        return write(tmp_path / "run.parquet", {"query_id": ["q1"], "doc_id": ["d" * size], "score": [1.0]})

    assert len(read_run(id_of(budget.LONGEST_ID)).of["q1"][0].doc) == budget.LONGEST_ID
    too_long = ": the column 'doc_id' holds an id of more than 1,000,000 bytes; no id is so long"
    assert refusal(id_of(budget.LONGEST_ID + 1)) == too_long


def test_as_many_bytes_as_there_is_room_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand ids take 8 bytes each and their letters; there is room for 24,000."""
    monkeypatch.setattr(arrow_tables, "FREE_IN_COLUMNS", 24_000)
    monkeypatch.setattr(arrow_tables, "RATIO", 0)
    columns = {"query_id": np.arange(1000), "doc_id": repeated("d" * 16, 1000), "score": np.ones(1000)}
    assert len(read_run(write(tmp_path / "run.parquet", columns)).of) == 1000
    longer = write(tmp_path / "run.parquet", columns | {"doc_id": repeated("d" * 17, 1000)})
    assert refusal(longer).startswith(": the column 'doc_id' unpacks to more than 24,000 bytes")


def test_what_is_free_is_not_all_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_tables, "FREE_IN_COLUMNS", 0)
    run = write(tmp_path / "run.parquet", rows_of(0, 1, 2, 3, 4))
    assert rankproof.evaluate("AP", QRELS, run).per_query["AP"] == WANTED, "a hundred times its size may be in it"


def test_lists_of_either_size_of_arrow_are_ids_of_a_question(tmp_path: Path) -> None:
    for kind in (pa.list_(pa.string()), pa.large_list(pa.string())):
        lists = pa.array([["b", "a"], ["x", "y", "a"]], kind)
        run = write(tmp_path / "run.parquet", {"query_id": ["q1", "q2"], "retrieved_ids": lists})
        assert rankproof.evaluate("RR", QRELS, run).per_query["RR"] == {"q1": 1 / 2, "q2": 1 / 3}


def test_the_same_list_for_every_user_is_read(tmp_path: Path) -> None:
    """What packs best of all that is real: the most popular items, recommended to everybody."""
    users, items = 400, 100
    docs, scores = np.tile(np.arange(items), users), np.tile(np.arange(items, 0.0, -1), users)
    columns = {"query_id": np.repeat(np.arange(users), items), "doc_id": docs, "score": scores}
    path = write(tmp_path / "run.parquet", columns)
    assert users * items * 24 > budget.RATIO * path.stat().st_size, "it is within what any file may unpack to"
    assert rankproof.evaluate("RR", {"7": {"2": 1}}, path).mean["RR"] == 1 / 3


@pytest.mark.parametrize("name", ["run.csv", "run.parquet", "run.jsonl"])
def test_columns_are_bounded(name: str, tmp_path: Path) -> None:
    budget.refuse_many_columns("run", budget.COLUMNS)  # as many are read
    columns = {f"c{i}": [1] for i in range(budget.COLUMNS + 1)}
    path = tmp_path / name
    if name == "run.parquet":
        write(path, columns)
    elif name == "run.csv":
        path.write_text(f"{','.join(columns)}\n{','.join('1' * len(columns))}\n")
    else:
        path.write_text(json.dumps(dict.fromkeys(columns, 1)) + "\n")
    said = "1,001 columns, of which at most 1,000 are read; leave out those that are not needed"
    assert refusal(path) in {f": {said}", f":1: {said}"}


def test_a_refusal_lists_no_more_columns_than_one_reads(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(f"{','.join(f'c{i}' for i in range(999))}\n{','.join('1' * 999)}\n")
    said = refusal(tmp_path / "run.csv")
    assert "no score among c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 987 more; say" in said
    assert len(said) < 400


@pytest.mark.parametrize("name", ["run.csv", "run.txt", "run.jsonl", "run.parquet"])
def test_rows_are_bounded_in_every_form(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    if name == "run.parquet":
        write(path, rows_of(0, 1, 2, 3))
    else:
        head = "query_id,doc_id,score\n" if name == "run.csv" else ""
        json_line = '{{"query_id": "{}", "doc_id": "{}", "score": {}}}'
        line = {"run.csv": "{},{},{}", "run.txt": "{} Q0 {} 1 {} t", "run.jsonl": json_line}[name]
        path.write_text(head + "".join(line.format(*row) + "\n" for row in ROWS[:4]))
    assert len(read_run(path).of["q1"]) == 3
    monkeypatch.setattr(budget, "ROWS", 3)
    with pytest.raises(TooMuch, match="more than 3 rows, as no run and no qrels have; give fewer queries at a time"):
        rankproof.evaluate("AP", QRELS, path)


def test_a_file_of_nothing_but_size_is_refused_by_its_size(tmp_path: Path) -> None:
    with (path := tmp_path / "run").open("wb") as file:
        file.truncate(budget.LARGEST + 1)
    with pytest.raises(TooMuch, match="more than 34,359,738,368 bytes"):
        bounded_files.whole(str(path))


@pytest.mark.parametrize("deep", [100, 101, 20_000])
def test_values_are_nested_no_deeper_than_anybody_nests_them(deep: int, tmp_path: Path) -> None:
    beside = "[" * (deep - 1) + '"]}{["' + "]" * (deep - 1)
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"query_id": "q1", "doc_id": "a", "score": 1, "more": {beside}}}\n')
    too_deep = ":1: values are nested in one another more than 100 deep"
    assert is_read(path) if deep == budget.NESTING else refusal(path) == too_deep


def test_brackets_within_a_text_nest_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    rows = [{"query_id": "q1", "doc_id": doc, "score": i} for i, doc in enumerate(["[" * 500, '\\"' + "{" * 500, "a"])]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert is_read(path)


# -- a table in parts --------------------------------------------------------------------------------------------------


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    """A run as Spark writes it, whose queries straddle its three parts."""
    folder = tmp_path / "bm25.parquet"
    for i, which in enumerate([(0,), (1, 2, 3), (4,)]):
        write(folder / f"part-0000{i}-c000.snappy.parquet", rows_of(*which))
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000-c000.snappy.parquet.crc").write_bytes(b"crc")
    return folder


def test_a_folder_of_parts_is_one_run(parted: Path, tmp_path: Path) -> None:
    assert rankproof.evaluate("AP", QRELS, parted).per_query["AP"] == WANTED
    assert rankproof.evaluate("AP", QRELS, f"{parted}/").per_query["AP"] == WANTED
    parts = [one.stat().st_size for one in parted.iterdir() if one.name.startswith("part-")]
    assert size_of(str(parted)) == sum(parts) > max(parts)
    (data,) = read_data(QRELS, [parted]).values()
    assert {query: len(rows) for query, rows in data.run.items()} == {"q1": 3, "q2": 2}
    (qrels := tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 0\nq2 0 a 1\n")
    found = list(evaluate_runs(qrels, parted, "AP", out=tmp_path / "out"))
    assert [(one.system, one.result.per_query["AP"]) for one in found] == [("bm25.parquet", WANTED)]
    write(parted / "part-00002-c000.snappy.parquet", {"query_id": ["q2"], "doc_id": ["z"], "score": [1.0]})
    (again,) = evaluate_runs(qrels, parted, "AP", out=tmp_path / "out")
    assert again.result.per_query["AP"] == WANTED | {"q2": 0}, "another part is another run"


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_part_of_another_type_is_refused_wherever_it_stands(parted: Path, which: int) -> None:
    odd = {"query_id": ["q2"], "doc_id": [7], "score": [1.0]}
    write(parted / f"part-0000{which}-c000.snappy.parquet", odd)
    first, other = ("int64", "string") if which == 0 else ("string", "int64")
    assert refusal(parted) == f": the column 'doc_id' is {first} in one part and {other} in another; write both alike"


def test_a_part_without_a_column_is_refused(parted: Path) -> None:
    third = write(parted / "part-00002-c000.snappy.parquet", {"query_id": ["q2"], "doc_id": ["a"]})
    assert refusal(parted) == f"/{third.name}: no column 'score', which the first part has"


@pytest.mark.parametrize("name", ["run", "run.PARQUET"])
def test_parts_are_known_without_the_mark(parted: Path, name: str) -> None:
    (parted / "_SUCCESS").unlink()
    if name != "run":  # the folder's name says it, too
        (parted / "part-00001-c000.snappy.parquet").rename(parted / "more.parquet")
    folder = parted.rename(parted.parent / name)
    assert run_files(folder) == {name: str(folder)}
    assert rankproof.evaluate("AP", QRELS, folder).per_query["AP"] == WANTED


def test_a_folder_of_runs_may_hold_runs_in_parts(parted: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    write(runs / "a.parquet", rows_of(0, 1))
    parted.rename(runs / "b")
    write(runs / "c.parquet", rows_of(1))
    (runs / "old").mkdir()
    assert list(run_files(runs)) == ["a.parquet", "b", "c.parquet"]
    assert list(run_files(str(runs / "?*"))) == ["a.parquet", "b", "c.parquet"]


def test_parts_that_are_no_table_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    assert refusal(folder) == ": there is no part of a table in this folder; write it as one file"
    for i in range(2):
        (folder / f"part-0000{i}").write_text(f"q{i} Q0 a 1 1 t\n")
    assert (
        refusal(folder)
        == ": a table in parts, as part-00000; only Parquet is read so: write it as one file, or as Parquet"
    )
    (folder / "a=1").mkdir()
    assert refusal(folder) == ": a table parted by folders, as a=1, is not read; write it as one file"


# -- nothing is guessed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.csv", "run.parquet"])
def test_a_table_without_rows_is_refused_as_an_empty_file_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "run.csv":
        path.write_text("query_id,doc_id,score\n\n")
        assert refusal(path) == ":2: there is no row below the line that names the columns"
        return
    kinds = zip(NAMES, (pa.string(), pa.string(), pa.float64()), strict=True)
    write(path, {name: pa.array([], kind) for name, kind in kinds})
    assert refusal(path) == ": there is no row in it, only the names of columns"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (("query_id", "qid", "doc_id", "score"), "query_id or qid could be the query_id"),
        (("qid", "query_id", "docno", "score"), "query_id or qid could be the query_id"),
        (("qid", "docno", "doc_id", "score"), "doc_id or docno could be the doc_id"),
        (("qid", "docno", "query", "docid", "score"), ""),
        (("query_id", "doc_id", "query", "user", "docid", "score"), ""),
    ],
)
def test_two_names_of_one_id_are_refused_and_what_stands_beside_a_pair_is_not(
    columns: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.csv"
    own = {"qid": "q1", "query_id": "q1", "doc_id": "a", "docno": "a", "score": "1"}
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, [own.get(column, "other") for column in columns]])
    assert said in refusal(path) if said else is_read(path)


ROW = '{"query_id": "q1", "doc_id": "a", "score": 1}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            '{"query_id": "q1", "doc_id": "b", "score": 1, "score": 2}',
            ":2: the key 'score' stands there twice; leave one of them",
        ),
        (
            '{"query_id": "q1", "doc_id": "b", "score": 1, "x": {"y": 1, "y": 1}}',
            ":2: the key 'y' stands there twice; leave one of them",
        ),
        ('{"query_id": "q1", "doc_id": "b", "score": true}', ":2: the score is true, no number"),
        ('{"query_id": "q1", "doc_id": "b", "score": false}', ":2: the score is false, no number"),
    ],
)
def test_json_that_says_two_things_or_no_number_is_refused(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(f"{ROW}{line}\n{ROW.replace('q1', 'q2')}")
    assert refusal(path) == said


# -- what is told ------------------------------------------------------------------------------------------------------


def asked(folder: Path, *options: str) -> str:
    return CliRunner().invoke(command, [str(folder / "qrels"), *options], catch_exceptions=False).stdout


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Queries whose names mean something to a spreadsheet, to LaTeX, or beside the mean."""
    names = ["=1+1", "+1-1", "-7", "+1.5e3", "@x", "-q", "'=1", "[x", "*y", "mean", "(mean)", "-7+A1"]
    (tmp_path / "qrels").write_text("".join(f"{name} 0 a 1\n" for name in names))
    (tmp_path / "run").write_text("".join(f"{name} Q0 a 1 1 t\n" for name in names))
    return tmp_path


def test_no_cell_is_a_formula_and_numbers_are_numbers(odd: Path) -> None:
    told = asked(odd, str(odd / "run"), "-m", "AP", "--per-query", "--format", "csv")
    assert [line[0] for line in csv.reader(told.splitlines())] == [
        "query",
        "'=1+1",
        "'+1-1",
        "-7",
        "+1.5e3",
        "'@x",
        "'-q",
        "''=1",
        "[x",
        "*y",
        "mean",
        "(mean)",
        "'-7+A1",
        "((mean))",
    ]


def test_a_query_called_mean_is_not_the_mean(odd: Path) -> None:
    (odd / "other").write_text("mean Q0 b 1 2 t\nmean Q0 a 2 1 t\n")
    told = asked(odd, str(odd / "run"), str(odd / "other"), "-m", "AP", "--per-query", "--format", "csv").splitlines()
    assert [line for line in told if "mean" in line] == [
        "run,mean,1.0",
        "run,(mean),1.0",
        "run,((mean)),1.0",
        "other,mean,0.5",
        "other,(mean),0.0",
        f"other,((mean)),{0.5 / 12!r}",
    ]


@pytest.mark.parametrize("verb", [["evaluate"], ["explain", "--as", "standard"]], ids=lambda verb: verb[0])
def test_a_path_is_no_markup(
    verb: list[str], odd: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (odd / "x[").mkdir()
    (run := odd / "x[" / "b].txt").write_text("mean Q0 a 1 1 t\n")
    monkeypatch.setattr("sys.argv", ["rankproof", verb[0], str(odd / "qrels"), str(run), "-m", "AP", *verb[1:]])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, "fault" in capfd.readouterr().err) == (0, False)
