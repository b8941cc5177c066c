"""`rankproof evaluate`: arguments, output formats, and runs without some of the measures."""

import itertools
import json
import math
import re
from pathlib import Path

import pytest
import typed_commands
from click.testing import CliRunner
from click.testing import Result as Outcome

from rankproof import __version__
from rankproof.cli.evaluate import command
from rankproof.evaluate.result import ByMeasure, Result, Results
from rankproof.evaluate.tracks import RunsRefused
from rankproof.report.evaluate import FORMS, table_of


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\nq[3] 0 a 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def evaluated(*arguments: str) -> Outcome:
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
def test_measures_may_follow_the_run(files: list[str], behind: str, by_options: str) -> None:
    assert lines(evaluated(*files, *behind.split())) == lines(evaluated(*files, *by_options.split()))


@pytest.mark.parametrize("piped", [0, 1, 2])
def test_any_file_may_be_the_standard_input(files: list[str], tmp_path: Path, piped: int) -> None:
    (tmp_path / "other").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    three = [*files, str(tmp_path / "other")]
    text = Path(three[piped]).read_text(encoding="utf-8")
    paths = ["-" if place == piped else name for place, name in enumerate(three)]
    done = CliRunner().invoke(command, [*paths, "P@1"], input=text, catch_exceptions=False)
    assert lines(done)[1] == ["P@1", "0.0000", "0.6667"]


@pytest.mark.usefixtures("files")
def test_existing_file_with_the_name_of_a_measure_is_a_run(tmp_path: Path) -> None:
    (tmp_path / "AP").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\nq[3] Q0 z 1 1 t\n")
    done = typed_commands.rankproof("evaluate", "qrels", "run", "P@1", "AP", cwd=tmp_path)
    assert [line.split() for line in done.out.splitlines()] == [["measure", "run", "AP"], ["P@1", "0.0000", "0.6667"]]


def test_tables_are_not_folded_outside_a_terminal(files: list[str]) -> None:
    options = [part for k in range(1, 60) for part in ("-m", f"nDCG@{k}")]
    assert all(len(row) == 60 for row in lines(evaluated(*files, *options, "--per-query")))


def test_default_measures_are_evaluated_without_a_measure(files: list[str]) -> None:
    assert [row[0] for row in lines(evaluated(*files))] == ["measure", "nDCG@10", "AP", "RR", "P@10", "R@100"]


def test_csv_has_every_digit(several: list[str]) -> None:
    options = [*several, "-m", "nDCG@10", "-m", "gm_map"]
    header, *rows = [line.split(",") for line in evaluated(*options, "--format", "csv").stdout.splitlines()]
    assert header == ["system", "nDCG@10", "gm_map"]
    assert [row[0] for row in rows] == ["run", "other"]
    # AP is 1/2, 0, 0 and 1, 1, 0; a geometric mean replaces values below 1e-5.
    values = [float(value) for row in rows for value in row[1:]]
    assert values == pytest.approx([1 / math.log2(3) / 3, 0.5e-10 ** (1 / 3), 2 / 3, 1e-5 ** (1 / 3)], rel=1e-12)
    assert evaluated(*options, "--format", "json").stdout == evaluated(*options, "--json").stdout
    runs = json.loads(evaluated(*options, "--json").stdout)["runs"]
    means = {run["system"]: run["measures"]["nDCG@10"]["mean"] for run in runs}
    assert means == {"run": values[0], "other": values[2]}


def test_signatures_follow_a_table_and_are_not_among_the_lines_of_trec_eval(several: list[str]) -> None:
    signed = [f"{text}|by:reference|rankproof:{__version__}" for text in ("nDCG@10", "AP|mean:geometric")]
    options = (*several, "-m", "nDCG@10", "-m", "gm_map", "--show-signature", "--format")
    markdown, trec_eval = (evaluated(*options, form) for form in ("markdown", "trec_eval"))
    assert markdown.stdout.splitlines()[0] == r"| system | nDCG@10 | gm\_map |"
    assert markdown.stdout.splitlines()[4:] == ["", f"`{signed[0]}`", "", f"`{signed[1]}`"]
    assert [line for line in trec_eval.stderr.splitlines() if "|by:" in line] == signed
    assert "|by:" not in trec_eval.stdout, "no line of trec_eval's is one"


def test_each_unreadable_run_is_reported_with_its_own_reason(several: list[str], tmp_path: Path) -> None:
    (tmp_path / "shouted").write_text("Q1 Q0 a 1 3 t\nQ2 Q0 a 2 2 t\n")
    (tmp_path / "broken").write_text("q1 Q0 a 1 3 t\nq1 Q0 b 2 x t\n")
    with pytest.raises(RunsRefused) as refused:
        evaluated(*several, str(tmp_path / "broken"), str(tmp_path / "shouted"))
    assert str(refused.value) == "2 of 4 runs have no result"
    reasons = sorted(why.split(": ")[1] for why in refused.value.__notes__)
    assert reasons == ["no query in common", "the score is 'x', not a number"]


@pytest.mark.parametrize("form", ["trec_eval", "csv", "markdown"])
def test_no_format_prints_control_characters(tmp_path: Path, form: str) -> None:
    (tmp_path / "qrels").write_text("q\x1b[2J&|_\u202e 0 a 1\n")
    (tmp_path / "run").write_text("q\x1b[2J&|_\u202e Q0 a 1 1 t\n")
    output = evaluated(
        str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "AP", "--per-query", "--format", form
    ).stdout
    assert not {"\x1b", "\u202e"} & set(output)
    assert output.count("1.0") == 2


@pytest.fixture
def several(files: list[str], tmp_path: Path) -> list[str]:
    (tmp_path / "other").write_text("q1 Q0 a 1 3 t\nq2 Q0 a 2 2 t\n")
    return [*files, str(tmp_path / "other")]


@pytest.mark.parametrize("column", ["doc_id", "=DOC", "doc_id=", "rn.doc_id=DOC"])
def test_bad_column_is_a_usage_error(files: list[str], column: str) -> None:
    result = CliRunner().invoke(command, [*files, "-m", "AP", "--column", column])
    assert result.exit_code == 2
    assert f"--column {column} is not NAME=COLUMN" in result.stderr


# -- runs without some of the measures keep their values below their own measures -----------------------------------------

MEASURES = ("nDCG@10", "P@5", "AP")
HAVE = {"b": ("P@5", "AP"), "c": ("nDCG@10", "AP"), "a": ("nDCG@10", "P@5"), "d": MEASURES}
"""Run -> its measures."""
QUERIES = ("q2", "q1")


def value_of(system: str, query: str, measure: str) -> float | None:
    """Return a value that no other cell has.

    None for a missing measure, and for the last query in the first measure of a run.
    """
    if measure not in HAVE[system] or (query, measure) == (QUERIES[-1], HAVE[system][0]):
        return None
    return (ord(system) + MEASURES.index(measure) * 16 + ("mean", *QUERIES).index(query) * 64) / 1024


def result_of(system: str) -> Result:
    own = HAVE[system]
    return Result(
        ByMeasure((m, {q: v for q in QUERIES if (v := value_of(system, q, m)) is not None}) for m in own),
        ByMeasure((m, value_of(system, "mean", m)) for m in own),
        ByMeasure((m, f"{m}|signed") for m in own),
        ByMeasure((m, {"ties": m}) for m in own),
        (),
    )


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("form", ["csv", "markdown"])
def test_each_value_is_in_the_column_of_its_measure(form: str, *, per_query: bool) -> None:
    for systems in (order for n in (2, 4) for order in itertools.permutations(HAVE, n)):
        text = FORMS[form]({system: result_of(system) for system in systems}, per_query=per_query)
        lines = [line.removeprefix("| ").removesuffix(" |") for line in text.splitlines() if "---" not in line]
        header, *rows = ([cell.strip() for cell in line.split("," if form == "csv" else "|")] for line in lines)
        places = [(system, query) for system in systems for query in ((*QUERIES, "mean") if per_query else ("mean",))]
        names = 1 + per_query
        assert set(header[names:]) == {m for system in systems for m in HAVE[system]}
        for row, (system, query) in zip(rows, places, strict=True):
            assert tuple(row[:names]) == (system, query)[:names]
            for measure, cell in zip(header[names:], row[names:], strict=True):
                expected = value_of(system, query, measure)
                assert (float(cell) if cell else None) == (expected and pytest.approx(expected, abs=1e-4)), systems


def test_measures_keep_the_requested_order_and_values_their_run() -> None:
    for systems in itertools.permutations(HAVE):
        several = Results({system: result_of(system) for system in systems})
        assert next(table_of(several.of, per_query=False))[1] == [*several.measures] == [*MEASURES]
        means = {system: {m: value_of(system, "mean", m) for m in HAVE[system]} for system in systems}
        assert {m: dict(of) for m, of in several.mean.items()} == {
            m: {system: of[m] for system, of in means.items() if m in of} for m in MEASURES
        }
        assert list(several.signature.items()) == [(m, f"{m}|signed") for m in MEASURES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three runs of 40 documents.

    In the run `tied` all scores are equal, with too many orders to try.
    """
    made = tmp_path_factory.mktemp("runs")
    (made / "qrels").write_text("".join(f"q1 0 d{i} {i % 2}\n" for i in range(40)))
    for name, step in (("plain", 1), ("tied", 0), ("backwards", -1)):
        (made / name).write_text("".join(f"q1 Q0 d{i} 1 {50 - step * i} t\n" for i in range(40)))
    return made


@pytest.mark.parametrize(
    "runs", [("tied", "plain", "backwards"), ("plain", "tied", "backwards"), ("plain", "backwards", "tied")]
)
def test_run_without_a_measure_is_reported_in_any_position(runs: tuple[str, ...], folder: Path) -> None:
    options = ("-m", "infAP", "-m", "P@40", "--profile", "ties=expectation", "--jobs", 1)
    done = typed_commands.rankproof("evaluate", "qrels", *runs, *options, "--show-signature", cwd=folder)
    assert done.code == 2
    assert re.search(r"^warning: tied: infAP is not measured", done.err, re.MULTILINE)
    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert (rows["measure"], rows["P@40"]) == ([*runs], ["0.5000"] * 3)
    assert len(rows["infAP"]) == 2, "tied has none"
    assert re.findall(r"^(\S+)\|ties:expectation", done.out, re.MULTILINE) == ["infAP", "P@40"]
    alone = typed_commands.rankproof("evaluate", "qrels", *(run for run in runs if run != "tied"), *options, cwd=folder)
    assert (alone.code, "not measured" in alone.err) == (0, False)


def test_special_names_are_text_and_counts_are_whole_numbers() -> None:
    """Queries have the name of the mean, or names that a spreadsheet or LaTeX would interpret."""
    by_query = {"mean": 2.0, "(mean)": 0.5, "'=1": 1.0, "*": 3.0, "a>b": 4.0}
    of = {"one": Result(per_query={"NumRel": by_query}, mean={"NumRel": 2.5}, signature={}, taken={}, warnings=())}
    assert list(table_of(of, per_query=True))[-1] == (["((mean))"], [2.5])
    assert "\n''=1,1.0\n" in FORMS["csv"](of, per_query=True)
    lines = [line.split() for line in FORMS["trec_eval"](of, per_query=True).splitlines()]
    values = {"'=1": "1", "(mean)": "0.5000", "*": "3", "a>b": "4", "mean": "2", "all": "2.5000"}
    assert [(query, value) for _, query, value in lines] == [*values.items()]
