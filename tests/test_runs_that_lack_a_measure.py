"""A run that cannot be measured by all that was asked keeps its values below their own measures, whichever of three runs it is."""

import csv
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
import typed

from rankproof.commands import evaluate
from rankproof.evaluating.cautions import Caution
from rankproof.evaluating.result import ByMeasure, Result, Results
from rankproof.telling.evaluation_formats import FORMS, table_of

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
        ByMeasure((m, f"{m}|signed") for m in measures), ByMeasure((m, {"ties": m}) for m in measures), (),
    )  # fmt: skip


def _cells(form: str, text: str) -> list[list[str]]:
    """The lines of a table as it is written, the header first."""
    if form == "csv":
        return list(csv.reader(text.splitlines()))
    lines = [line for line in text.splitlines() if ("|" in line and "---" not in line) or "&" in line]
    return [
        [cell.strip() for cell in re.split(r"[|&]", line.removeprefix("| ").removesuffix(r"\\").removesuffix(" |"))]
        for line in lines
    ]


def _expected(systems: Sequence[str], *, per_query: bool) -> Iterator[tuple[tuple[str, ...], dict[str, float]]]:
    for system in systems:
        for query in (*QUERIES, "mean") if per_query else ("mean",):
            told = {m: _value(system, query, m) for m in ASKED if _has(system, query, m)}
            yield (system, query)[: 1 + per_query], told


ORDERS = [order for n in (2, 4) for order in itertools.permutations(HAVE, n)]


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_every_value_is_read_back_below_its_own_measure(form: str, *, per_query: bool) -> None:
    for systems in ORDERS:
        of = {system: _result(system) for system in systems}
        header, *rows = _cells(form, FORMS[form](of, per_query=per_query))
        names = 1 + per_query
        measures = header[names:]
        assert sorted(measures) == sorted({m for system in systems for m in HAVE[system]})
        found = [
            (tuple(row[:names]), {m: float(cell) for m, cell in zip(measures, row[names:], strict=True) if cell})
            for row in rows
        ]
        wanted = list(_expected(systems, per_query=per_query))
        assert [place for place, _ in found] == [place for place, _ in wanted], systems
        for (place, values), (_, expected) in zip(found, wanted, strict=True):
            assert values == pytest.approx(expected, abs=1e-4), (systems, place)


def test_measures_stand_in_the_order_asked_and_each_value_is_of_its_own_run() -> None:
    for systems in itertools.permutations(HAVE):
        several = Results({system: _result(system) for system in systems})
        assert table_of(several.of, per_query=False).values == several.measures == ASKED
        assert {m: dict(of) for m, of in several.mean.items()} == {
            m: {system: _value(system, "mean", m) for system in systems if m in HAVE[system]} for m in ASKED
        }
        assert (list(several.signature.items()), list(several.taken.items())) == (
            [(m, f"{m}|signed") for m in ASKED], [(m, {"ties": m}) for m in ASKED],
        )  # fmt: skip
        frame = several.to_frame()
        assert tuple(frame.columns) == ASKED
        assert [{m: v for m, v in row.items() if v == v} for row in frame.to_dict("records")] == [  # noqa: PLR0124 - not NaN
            {m: _value(system, "mean", m) for m in HAVE[system]} for system in systems
        ]


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
    done = typed.rankproof("evaluate", "qrels", *runs, *asked, "--show-signature", cwd=folder)
    assert done.code == 2
    assert re.search(r"^warning: tied: infAP is not measured", done.err, re.MULTILINE)
    lines = dict(re.findall(r"^(plain|tied|backwards) +(.*\S)$", done.out, re.MULTILINE))
    assert {name: cells.split()[-1] for name, cells in lines.items()} == dict.fromkeys(runs, "0.5000")
    assert {name: len(cells.split()) for name, cells in lines.items()} == {"plain": 2, "tied": 1, "backwards": 2}
    assert re.findall(r"^(\S+)\|ties:expectation", done.out, re.MULTILINE) == ["infAP", "P@40"]
    alone = typed.rankproof("evaluate", "qrels", *(run for run in runs if run != "tied"), *asked, cwd=folder)
    assert (alone.code, "not measured" in alone.err) == (0, False)


@pytest.mark.parametrize("about", ["ace", "abdf", "bcdef", "f", "abcdef"])
def test_a_warning_names_the_runs_that_it_is_about(about: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = Caution("ties", "this", 1, {}), Caution("ties", "that", 1, {})
    of: Mapping[str, Result] = {
        system: Result(
            ByMeasure(), ByMeasure(), ByMeasure(), ByMeasure(), (*((one,) if system in about else ()), other)
        )
        for system in "fbdace"
    }
    evaluate._say_warnings(of)
    names = [system for system in of if system in about]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    said = "this" if about == "abcdef" else f"{', '.join(names[:3])}{more}: this"
    assert sorted(capsys.readouterr().err.splitlines()) == sorted([f"warning: {said}", "warning: that"])


def test_names_that_others_would_take_for_something_are_text_and_counts_whole_numbers() -> None:
    """Two runs of queries that are called as the mean is, and by names that a spreadsheet or LaTeX would act upon."""
    by_query = {"mean": 2.0, "(mean)": 0.5, "'=1": 1.0, "*": 3.0, "a>b": 4.0}
    of = {"one": Result(per_query={"NumRel": by_query}, mean={"NumRel": 2.5}, signature={}, taken={}, warnings=())}
    assert table_of(of, per_query=True).mean == "((mean))"
    assert "\n''=1,1.0\n" in FORMS["csv"](of, per_query=True)
    latex = FORMS["latex"](of, per_query=True)
    assert r"{}* & 3.0000 \\" in latex
    assert r"a\textgreater{}b & 4.0000 \\" in latex
    lines = [line.split() for line in FORMS["trec_eval"](of, per_query=True).splitlines()]
    assert [(query, value) for _, query, value in lines] == [
        ("'=1", "1"), ("(mean)", "0.5000"), ("*", "3"), ("a>b", "4"), ("mean", "2"), ("all", "2.5000"),
    ]  # fmt: skip
