"""`rankproof evaluate`."""

import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof import __version__
from rankproof.commands.evaluate import command
from rankproof.evaluating.inputs import BadInput
from rankproof.evaluating.tracks.many_runs import RunsRefused
from rankproof.reference_impl.notation import UnknownMeasure


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq[3] 0 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def asked(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def lines(result: Result) -> list[list[str]]:
    assert result.exit_code == 0
    return [line.split() for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("behind", "by_options"),
    [
        (["AP", "nDCG@10", "P@1"], ["-m", "AP", "-m", "nDCG@10", "-m", "P@1"]),
        (["nDCG@10", "-m", "AP", "P@2"], ["-m", "AP", "-m", "nDCG@10", "-m", "P@2"]),
        (["P.1,2,3"], ["-m", "P@1", "-m", "P@2", "-m", "P@3"]),
    ],
)
def test_measures_may_stand_behind_the_run(files: list[str], behind: list[str], by_options: list[str]) -> None:
    assert lines(asked(*files, *behind)) == lines(asked(*files, *by_options))


@pytest.mark.parametrize("piped", [0, 1, 2])
def test_any_of_several_files_may_be_the_standard_input(files: list[str], tmp_path: Path, piped: int) -> None:
    (tmp_path / "other").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    three = [*files, str(tmp_path / "other")]
    text = Path(three[piped]).read_text(encoding="utf-8")
    given = ["-" if place == piped else name for place, name in enumerate(three)]
    told = CliRunner().invoke(command, [*given, "P@1"], input=text, catch_exceptions=False)
    assert [row[1:] for row in lines(told)] == [["P@1"], ["0.0000"], ["0.6667"]]


def test_a_file_that_has_the_name_of_a_measure_is_a_file(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("AP").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    assert lines(asked(*files, "P@1", "AP")) == [["system", "P@1"], ["run", "0.0000"], ["AP", "0.6667"]]


def test_many_columns_are_not_folded_where_nobody_looks(files: list[str]) -> None:
    options = [part for k in range(1, 60) for part in ("-m", f"nDCG@{k}")]
    assert all(len(row) == 60 for row in lines(asked(*files, *options, "--per-query")))


def test_where_nothing_is_asked_the_usual_measures_are_told(files: list[str]) -> None:
    assert [row[0] for row in lines(asked(*files))] == ["measure", "nDCG@10", "AP", "RR", "P@10", "R@100"]


def test_bad_input_is_left_to_the_command_line_to_tell(files: list[str]) -> None:
    with pytest.raises(BadInput, match="run:1: 6 fields where 4 are needed"):
        asked(files[1], files[0], "-m", "AP")
    with pytest.raises(UnknownMeasure, match="did you mean nDCG"):
        asked(*files, "-m", "nCDG@10")


# -- as others read it ----


def test_other_forms_hold_what_the_table_holds(several: list[str]) -> None:
    options = [*several, "-m", "nDCG@10", "-m", "gm_map"]
    header, *rows = [line.split(",") for line in asked(*options, "--format", "csv").stdout.splitlines()]
    assert header == ["system", "nDCG@10", "gm_map"]
    assert [row[0] for row in rows] == ["run", "other"]
    # AP is 1/2, 0, 0 and 1, 1, 0; the least value that enters a geometric mean is 1e-5.
    found = [float(value) for row in rows for value in row[1:]]
    assert found == pytest.approx([1 / math.log2(3) / 3, 0.5e-10 ** (1 / 3), 2 / 3, 1e-5 ** (1 / 3)], rel=1e-12)
    assert asked(*options, "--format", "markdown", "--show-signature").stdout.splitlines() == [
        "| system | nDCG@10 | gm\\_map |", "| --- | ---: | ---: |", "| run | 0.2103 | 0.0004 |", "| other | 0.6667 | 0.0215 |",
        "", f"`nDCG@10|by:reference|rankproof:{__version__}`",
        "", f"`AP|mean:geometric|by:reference|rankproof:{__version__}`",
    ]  # fmt: skip
    latex = asked(*options, "--format", "latex", "--show-signature").stdout.splitlines()
    assert latex[0] == r"\begin{tabular}{lrr}"
    assert r"system & nDCG@10 & gm\_map \\" in latex
    assert r"run & 0.2103 & 0.0004 \\" in latex
    assert latex[-1] == f"% AP|mean:geometric|by:reference|rankproof:{__version__}"
    assert asked(*options, "--format", "json").stdout == asked(*options, "--json").stdout


@pytest.mark.parametrize(
    ("more", "columns"),
    [([], "lr"), (["-m", "AP"], "lrr"), (["--per-query"], "llr"), (["-m", "RR", "-m", "AP", "--per-query"], "llrrr")],
)
def test_a_tabular_has_as_many_columns_as_each_of_its_rows(several: list[str], more: list[str], columns: str) -> None:
    first, *rows = asked(*several, "-m", "nDCG@10", *more, "--format", "latex").stdout.splitlines()
    assert first == rf"\begin{{tabular}}{{{columns}}}"
    cells = [row.count(" & ") + 1 for row in rows if row.endswith(r" \\")]
    assert set(cells) == {len(columns)}
    assert len(cells) >= 3


def test_trec_evals_lines_tell_several_runs_apart(several: list[str]) -> None:
    told = asked(*several, "-m", "num_rel_ret", "-m", "ERR@5", "-m", "P@1", "--format", "trec_eval", "--show-signature")
    assert told.stdout.splitlines() == [
        "runid                 \tall\trun", "num_rel_ret           \tall\t1", "ERR@5                 \tall\t0.0312",
        "P_1                   \tall\t0.0000",
        "runid                 \tall\tother", "num_rel_ret           \tall\t2", "ERR@5                 \tall\t0.0833",
        "P_1                   \tall\t0.6667",
    ]  # fmt: skip
    assert f"NumRet(rel=1)|by:reference|rankproof:{__version__}" in told.stderr.splitlines(), (
        "no line of trec_eval's is one"
    )


def test_beside_one_that_cannot_be_read_each_is_told_with_its_own_reason(several: list[str], tmp_path: Path) -> None:
    (tmp_path / "shouted").write_text("Q1 Q0 a 1 3 t\nQ2 Q0 a 2 2 t\n")
    (tmp_path / "broken").write_text("q1 Q0 a 1 3 t\nq1 Q0 b 2 x t\n")
    with pytest.raises(RunsRefused) as refused:
        asked(*several, str(tmp_path / "broken"), str(tmp_path / "shouted"))
    assert str(refused.value) == "2 of 4 runs are not measured"
    assert sorted(why.split(": ")[1] for why in refused.value.__notes__) == [
        "no query in common",
        "the score 'x' is no number",
    ]


@pytest.mark.parametrize("form", ["trec_eval", "csv", "markdown", "latex"])
def test_no_form_lets_a_control_character_pass(tmp_path: Path, form: str) -> None:
    (tmp_path / "qrels").write_text("q\x1b[2J&|_\u202e 0 a 1\n")
    (tmp_path / "run").write_text("q\x1b[2J&|_\u202e Q0 a 1 1 t\n")
    told = asked(str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "AP", "--per-query", "--format", form).stdout
    assert not {"\x1b", "\u202e"} & set(told)
    assert told.count("1.0") == 2


# -- several runs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def several(files: list[str], tmp_path: Path) -> list[str]:
    (tmp_path / "other").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\n")
    return [*files, str(tmp_path / "other")]


def test_no_line_of_a_part_is_wider_than_the_terminal(several: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.commands.evaluate._room", lambda: 40)
    options = [part for k in range(1, 12) for part in ("-m", f"nDCG@{k}")]
    printed = asked(*several, *options, "--per-query").stdout
    assert max(map(len, printed.splitlines())) <= 40
    parts = [part.splitlines() for part in printed.split("\n\n")]
    assert all(len(part) == 9 for part in parts), "each part has the rows of both systems"
    header = [name for part in parts for name in part[0].split()[2:]]
    assert header == [f"nDCG@{k}" for k in range(1, 12)]
    monkeypatch.setattr("rankproof.commands.evaluate._room", lambda: None)
    wide = max(map(len, asked(*several, *options).stdout.splitlines()))
    for room, count in ((wide, 1), (wide - 1, 2)):
        monkeypatch.setattr("rankproof.commands.evaluate._room", lambda room=room: room)
        assert len(asked(*several, *options).stdout.split("\n\n")) == count


# -- files whose first line names the columns --------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["doc_id", "=DOC", "doc_id=", "rn.doc_id=DOC"])
def test_a_column_that_does_not_read_is_a_usage_error(files: list[str], column: str) -> None:
    result = CliRunner().invoke(command, [*files, "-m", "AP", "--column", column])
    assert result.exit_code == 2
    assert f"--column {column} is not of the form NAME=COLUMN" in result.stderr
