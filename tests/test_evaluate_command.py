"""`rankproof evaluate`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof import __version__
from rankproof.commands.evaluate import command
from rankproof.inputs import BadInput
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


def test_the_means(files: list[str]) -> None:
    assert lines(asked(*files, "-m", "AP", "-m", "nDCG@10")) == [
        ["measure", "mean"], ["AP", "0.1667"], ["nDCG@10", "0.2103"],
    ]  # fmt: skip


def test_every_query_and_the_mean(files: list[str]) -> None:
    assert lines(asked(*files, "-m", "AP", "-m", "P@1", "--per-query", "--profile", "norel=nan"))[1:] == [
        ["q1", "0.5000", "0.0000"], ["q2", "0.0000", "0.0000"], ["q[3]", "nan", "nan"], ["mean", "nan", "nan"],
    ]  # fmt: skip


def test_a_query_that_left_a_mean_has_an_empty_cell(files: list[str]) -> None:
    table = lines(asked(*files, "-m", "AP", "--signature", "P@1|missing:dropped", "--per-query"))
    assert ["q2", "0.0000"] in table


def test_signatures_are_shown_and_computed(files: list[str]) -> None:
    shown = asked(*files, "-m", "AP", "--profile", "missing=dropped", "--show-signature").stdout.splitlines()
    assert shown[-1] == f"AP|missing:dropped|by:reference|rankproof:{__version__}"
    assert lines(asked(*files, "--signature", shown[-1]))[1] == ["AP", "0.2500"]


def test_json_for_programs(files: list[str]) -> None:
    answer = json.loads(asked(*files, "-m", "AP", "--profile", "norel=nan", "--json").stdout)
    signature = f"AP|norel:nan|by:reference|rankproof:{__version__}"
    assert answer == {
        "qrels": files[0], "run": files[1], "profile": "norel=nan",
        "measures": {"AP": {"mean": "nan", "signature": signature}},
    }  # fmt: skip
    answer = json.loads(asked(*files, "-m", "AP", "--per-query", "--json").stdout)
    assert answer["measures"]["AP"]["per_query"] == {"q1": 0.5, "q2": 0.0, "q[3]": 0.0}


def test_many_columns_are_not_folded_where_nobody_looks(files: list[str]) -> None:
    options = [part for k in range(1, 60) for part in ("-m", f"nDCG@{k}")]
    assert all(len(row) == 60 for row in lines(asked(*files, *options, "--per-query")))


def test_nothing_to_measure_is_a_usage_error(files: list[str]) -> None:
    result = CliRunner().invoke(command, files)
    assert result.exit_code == 2
    assert "say what to measure, as by -m nDCG@10 or --signature" in result.stderr


def test_bad_input_is_left_to_the_command_line_to_tell(files: list[str]) -> None:
    with pytest.raises(BadInput, match="run:1: 6 fields where 4 are needed"):
        asked(files[1], files[0], "-m", "AP")
    with pytest.raises(UnknownMeasure, match="did you mean nDCG"):
        asked(*files, "-m", "nCDG@10")
