"""`rankproof evaluate`: what is typed, and what is written in each form, also of runs that lack a measure."""

import csv
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import typed_commands
from click.testing import CliRunner
from click.testing import Result as Outcome

from rankproof import __version__
from rankproof.cli.evaluate import command
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.result import ByMeasure, Result, Results
from rankproof.evaluate.tracks import RunsRefused
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.report.evaluate import FORMS, table_of


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq[3] 0 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def asked(*arguments: str) -> Outcome:
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def lines(result: Outcome) -> list[list[str]]:
    assert result.exit_code == 0
    return [line.split() for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("behind", "by_options"),
    [
        ("AP nDCG@10 P@1", "-m AP -m nDCG@10 -m P@1"),
        ("nDCG@10 -m AP P@2", "-m AP -m nDCG@10 -m P@2"),
        ("P.1,2,3", "-m P@1 -m P@2 -m P@3"),
    ],
)
def test_measures_may_stand_behind_the_run(files: list[str], behind: str, by_options: str) -> None:
    assert lines(asked(*files, *behind.split())) == lines(asked(*files, *by_options.split()))


@pytest.mark.parametrize("piped", [0, 1, 2])
def test_any_of_several_files_may_be_the_standard_input(files: list[str], tmp_path: Path, piped: int) -> None:
    (tmp_path / "other").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    three = [*files, str(tmp_path / "other")]
    text = Path(three[piped]).read_text(encoding="utf-8")
    given = ["-" if place == piped else name for place, name in enumerate(three)]
    told = CliRunner().invoke(command, [*given, "P@1"], input=text, catch_exceptions=False)
    assert lines(told)[1] == ["P@1", "0.0000", "0.6667"]


def test_a_file_that_has_the_name_of_a_measure_is_a_file(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("AP").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    assert lines(asked(*files, "P@1", "AP")) == [["measure", "run", "AP"], ["P@1", "0.0000", "0.6667"]]


def test_many_columns_are_not_folded_where_nobody_looks(files: list[str]) -> None:
    options = [part for k in range(1, 60) for part in ("-m", f"nDCG@{k}")]
    assert all(len(row) == 60 for row in lines(asked(*files, *options, "--per-query")))


def test_where_nothing_is_asked_the_usual_measures_are_told(files: list[str]) -> None:
    assert [row[0] for row in lines(asked(*files))] == ["measure", "nDCG@10", "AP", "RR", "P@10", "R@100"]


def test_bad_input_is_left_to_the_command_line_to_tell(files: list[str]) -> None:
    with pytest.raises(BadInput, match="run:1: the line has 6 fields and not 4"):
        asked(files[1], files[0], "-m", "AP")
    with pytest.raises(UnknownMeasure, match="did you mean nDCG"):
        asked(*files, "-m", "nCDG@10")


# -- as others read it -------------------------------------------------------------------------------------------------


def test_a_table_for_programs_has_every_digit(several: list[str]) -> None:
    options = [*several, "-m", "nDCG@10", "-m", "gm_map"]
    header, *rows = [line.split(",") for line in asked(*options, "--format", "csv").stdout.splitlines()]
    assert header == ["system", "nDCG@10", "gm_map"]
    assert [row[0] for row in rows] == ["run", "other"]
    # AP is 1/2, 0, 0 and 1, 1, 0; the least value that enters a geometric mean is 1e-5.
    found = [float(value) for row in rows for value in row[1:]]
    assert found == pytest.approx([1 / math.log2(3) / 3, 0.5e-10 ** (1 / 3), 2 / 3, 1e-5 ** (1 / 3)], rel=1e-12)
    assert asked(*options, "--format", "json").stdout == asked(*options, "--json").stdout


def test_signatures_stand_below_a_table_and_beside_the_lines_of_trec_eval(several: list[str]) -> None:
    signed = [f"{said}|by:reference|rankproof:{__version__}" for said in ("nDCG@10", "AP|mean:geometric")]
    asking = (*several, "-m", "nDCG@10", "-m", "gm_map", "--show-signature", "--format")
    markdown, trec_eval = (asked(*asking, form) for form in ("markdown", "trec_eval"))
    assert markdown.stdout.splitlines()[0] == r"| system | nDCG@10 | gm\_map |"
    assert markdown.stdout.splitlines()[4:] == ["", f"`{signed[0]}`", "", f"`{signed[1]}`"]
    assert [line for line in trec_eval.stderr.splitlines() if "|by:" in line] == signed
    assert "|by:" not in trec_eval.stdout, "no line of trec_eval's is one"


def test_beside_one_that_cannot_be_read_each_is_told_with_its_own_reason(several: list[str], tmp_path: Path) -> None:
    (tmp_path / "shouted").write_text("Q1 Q0 a 1 3 t\nQ2 Q0 a 2 2 t\n")
    (tmp_path / "broken").write_text("q1 Q0 a 1 3 t\nq1 Q0 b 2 x t\n")
    with pytest.raises(RunsRefused) as refused:
        asked(*several, str(tmp_path / "broken"), str(tmp_path / "shouted"))
    assert str(refused.value) == "2 of 4 runs have no result"
    reasons = sorted(why.split(": ")[1] for why in refused.value.__notes__)
    assert reasons == ["no query in common", "the score is 'x', not a number"]


@pytest.mark.parametrize("form", ["trec_eval", "csv", "markdown"])
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


# -- files whose first line names the columns --------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["doc_id", "=DOC", "doc_id=", "rn.doc_id=DOC"])
def test_a_column_that_does_not_read_is_a_usage_error(files: list[str], column: str) -> None:
    result = CliRunner().invoke(command, [*files, "-m", "AP", "--column", column])
    assert result.exit_code == 2
    assert f"--column {column} is not of the form NAME=COLUMN" in result.stderr


# -- runs that cannot be measured by all that was asked keep their values below their own measures -----------------------

ASKED = ("nDCG@10", "P@5", "AP")
HAVE = {"b": ("P@5", "AP"), "c": ("nDCG@10", "AP"), "a": ("nDCG@10", "P@5"), "d": ASKED}
"""Which measures each run has, by its name."""
QUERIES = ("q2", "q1")


def _value(system: str, query: str, measure: str) -> float:
    """A value that no other cell has."""
    return (ord(system) + ASKED.index(measure) * 16 + ("mean", *QUERIES).index(query) * 64) / 1024


def _has(system: str, query: str, measure: str) -> bool:
    """Whether it has a value: the first measure of each run says nothing of the last query."""
    return measure in HAVE[system] and (query, measure) != (QUERIES[-1], HAVE[system][0])


def _result(system: str) -> Result:
    measures = HAVE[system]
    return Result(
        ByMeasure((m, {q: _value(system, q, m) for q in QUERIES if _has(system, q, m)}) for m in measures),
        ByMeasure((m, _value(system, "mean", m)) for m in measures),
        ByMeasure((m, f"{m}|signed") for m in measures),
        ByMeasure((m, {"ties": m}) for m in measures),
        (),
    )


def _cells(form: str, text: str) -> list[list[str]]:
    """The lines of a table as it is written, the header first."""
    if form == "csv":
        return list(csv.reader(text.splitlines()))
    lines = [line for line in text.splitlines() if ("|" in line and "---" not in line) or "&" in line]
    bare = [line.removeprefix("| ").removesuffix(r"\\").removesuffix(" |") for line in lines]
    return [[cell.strip() for cell in re.split(r"[|&]", line)] for line in bare]


def _expected(systems: Sequence[str], *, per_query: bool) -> Iterator[tuple[tuple[str, ...], dict[str, float]]]:
    for system in systems:
        for query in (*QUERIES, "mean") if per_query else ("mean",):
            told = {m: _value(system, query, m) for m in ASKED if _has(system, query, m)}
            yield (system, query)[: 1 + per_query], told


ORDERS = [order for n in (2, 4) for order in itertools.permutations(HAVE, n)]


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_every_value_is_read_back_below_its_own_measure(form: str, *, per_query: bool) -> None:
    for systems in ORDERS:
        of = {system: _result(system) for system in systems}
        header, *rows = _cells(form, FORMS[form](of, per_query=per_query))
        names = 1 + per_query
        measures = header[names:]
        assert sorted(measures) == sorted({m for system in systems for m in HAVE[system]})
        for row, (place, expected) in zip(rows, _expected(systems, per_query=per_query), strict=True):
            values = {m: float(cell) for m, cell in zip(measures, row[names:], strict=True) if cell}
            assert (tuple(row[:names]), values) == (place, pytest.approx(expected, abs=1e-4)), systems


def test_measures_stand_in_the_order_asked_and_each_value_is_of_its_own_run() -> None:
    for systems in itertools.permutations(HAVE):
        several = Results({system: _result(system) for system in systems})
        assert next(table_of(several.of, per_query=False))[1] == [*several.measures] == [*ASKED]
        means = {system: {m: _value(system, "mean", m) for m in HAVE[system]} for system in systems}
        assert {m: dict(of) for m, of in several.mean.items()} == {
            m: {system: of[m] for system, of in means.items() if m in of} for m in ASKED
        }
        assert list(several.signature.items()) == [(m, f"{m}|signed") for m in ASKED]
        frame = several.to_frame()
        assert tuple(frame.columns) == ASKED
        assert [frame.loc[system].dropna().to_dict() for system in systems] == list(means.values())
        assert tuple(frame.index) == systems


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of 40 docs; in that called tied all have one score, so that no one can try all their orders."""
    made = tmp_path_factory.mktemp("runs")
    (made / "qrels").write_text("".join(f"q1 0 d{i} {i % 2}\n" for i in range(40)))
    for name, step in (("plain", 1), ("tied", 0), ("backwards", -1)):
        (made / name).write_text("".join(f"q1 Q0 d{i} 1 {50 - step * i} t\n" for i in range(40)))
    return made


@pytest.mark.parametrize("runs", list(itertools.permutations(("plain", "tied", "backwards"))))
def test_one_run_that_lacks_a_measure_is_said_whichever_it_is(runs: tuple[str, ...], folder: Path) -> None:
    asked = ("-m", "infAP", "-m", "P@40", "--profile", "ties=expectation", "--jobs", 1)
    done = typed_commands.rankproof("evaluate", "qrels", *runs, *asked, "--show-signature", cwd=folder)
    assert done.code == 2
    assert re.search(r"^warning: tied: infAP is not measured", done.err, re.MULTILINE)
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert (rows["measure"], rows["P@40"]) == ([*runs], ["0.5000"] * 3)
    assert len(rows["infAP"]) == 2, "tied has none"
    assert re.findall(r"^(\S+)\|ties:expectation", done.out, re.MULTILINE) == ["infAP", "P@40"]
    alone = typed_commands.rankproof("evaluate", "qrels", *(run for run in runs if run != "tied"), *asked, cwd=folder)
    assert (alone.code, "not measured" in alone.err) == (0, False)


def test_names_that_others_would_take_for_something_are_text_and_counts_whole_numbers() -> None:
    """Two runs of queries that are called as the mean is, and by names that a spreadsheet or LaTeX would act upon."""
    by_query = {"mean": 2.0, "(mean)": 0.5, "'=1": 1.0, "*": 3.0, "a>b": 4.0}
    of = {"one": Result(per_query={"NumRel": by_query}, mean={"NumRel": 2.5}, signature={}, taken={}, warnings=())}
    assert list(table_of(of, per_query=True))[-1] == (["((mean))"], [2.5])
    assert "\n''=1,1.0\n" in FORMS["csv"](of, per_query=True)
    lines = [line.split() for line in FORMS["trec_eval"](of, per_query=True).splitlines()]
    assert [(query, value) for _, query, value in lines] == [
        ("'=1", "1"),
        ("(mean)", "0.5000"),
        ("*", "3"),
        ("a>b", "4"),
        ("mean", "2"),
        ("all", "2.5000"),
    ]
