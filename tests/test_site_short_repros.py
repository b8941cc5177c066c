"""Repros of a few lines are run as they are copied, and print what the library was seen to answer."""

import contextlib
import io
import json
import re
import subprocess
from dataclasses import replace

import published_run
import pytest

from rankproof import cases
from rankproof.cases import Case
from rankproof.judge.verdicts import Row
from rankproof.site.repros import Scripts, repros
from rankproof.site.short_repros import short
from rankproof.workers.known_libraries import libraries

CASES = ("ties/renamed-doc", "ties/graded-docs-straddle-cutoff", "cutoff/more-places-than-relevant")
MAIN = {"pytrec_eval": "default", "ir_measures": "default", "sklearn": "rows", "catboost": "rows"}
LINES = 10


KNOWN = {one.name: one for one in libraries()}


def case_of(name: str) -> Case:
    return cases.load(cases.HERE / f"{name}.toml")


def observed(case: str, library: str) -> list[Row]:
    """What a library was seen to answer to a case, for all queries, where there are a few lines for it."""
    return [
        row
        for row in published_run.results().rows
        if (row.case, row.library) == (case, library)
        and row.variant in {MAIN[library], "rows"}
        and row.query is None
        and isinstance(row.value, float)
        and short(library, row.measure)
    ]


@pytest.mark.parametrize("library", [*MAIN])
def test_a_few_lines_print_what_the_library_was_seen_to_answer(library: str) -> None:
    tried = 0
    for name in CASES:
        for row in observed(name, library)[:3]:
            (repro, *_) = repros(case_of(name), [KNOWN[library]], [row])
            text = f"{repro.data}\n\n{short(library, row.measure)}"
            assert short(library, row.measure).count("\n") <= LINES
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "repro.py", "exec"), {})  # noqa: S102 - our own lines
            printed = re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", out.getvalue())[-1]
            assert float(printed) == pytest.approx(row.value, rel=1e-9), (name, row.measure)
            tried += 1
    assert tried >= 3


@pytest.mark.parametrize("measure", ["nDCG@5", "P(rel=2)@5", "nDCG(dcg='exp-log2')@10"])
def test_the_command_beside_them_is_one_to_a_shell(measure: str) -> None:
    row = replace(observed(CASES[0], "ir_measures")[0], measure=measure)
    (repro,) = repros(case_of(CASES[0]), [KNOWN["ir_measures"]], [row])
    typed = "ir_measures".join(repro.command).removesuffix(" | python -")
    shell = ["sh", "-c", f"rankproof() {{ printf '%s\\n' \"$@\"; }}; {typed}"]
    told = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
    assert told.splitlines() == ["cases", "repro", CASES[0], "ir_measures", measure]


@pytest.mark.parametrize(
    ("library", "measure"),
    [
        ("sklearn", "P@5"),
        ("nobody", "nDCG@10"),
        ("pytrec_eval", "RBP"),
        ("catboost", "ARI"),
        ("sklearn", "no measure"),
    ],
)
def test_where_there_is_no_such_call_there_are_no_lines(library: str, measure: str) -> None:
    assert short(library, measure) == ""


@pytest.mark.parametrize("measure", ["nDCG(dcg='exp-log2')@10", "DCG(dcg='exp-log2')", "nDCG(rel=2)@5"])
def test_where_a_parameter_says_otherwise_the_plain_call_is_not_offered(measure: str) -> None:
    assert short("sklearn", measure) == short("catboost", measure) == ""
    assert "score(" in short("sklearn", measure.partition("(")[0])


@pytest.mark.parametrize(
    ("measure", "asked", "read"),
    [
        ("IPrec@0.1", "iprec_at_recall.0.10", "iprec_at_recall_0.10"),
        ("nDCG@10", "ndcg_cut.10", "ndcg_cut_10"),
        ("AP", "map", "map"),
    ],
)
def test_pytrec_eval_is_asked_with_a_point_before_the_cutoff(measure: str, asked: str, read: str) -> None:
    *_, calls, prints = short("pytrec_eval", measure).splitlines()
    assert f"{{'{asked}'}}" in calls
    assert f"one['{read}']" in prints


def test_a_page_has_the_lines_of_each_measure_of_each_library() -> None:
    scripts, measures = Scripts(), ("nDCG@5", "AP@3", "P@2")
    for name in ("ir_measures", "pytrec_eval", "sklearn"):
        (some,) = repros(case_of(CASES[0]), [KNOWN[name]], observed(CASES[0], name)[:1])
        scripts.parted([replace(some, measure=measure) for measure in measures])
    assert {name: {*of} for name, of in scripts.lines.items()} == {
        "ir_measures": {*measures},
        "pytrec_eval": {*measures},
        "sklearn": {"nDCG@5"},
    }
    assert all(lines == short(name, measure) for name, of in scripts.lines.items() for measure, lines in of.items())


@pytest.mark.parametrize("count", [1, 3])
def test_only_those_who_answered_have_a_script_and_each_is_put_together_as_it_was(count: int) -> None:
    own = [one for one in libraries() if one.name in MAIN]
    asked = ["pytrec_eval", "sklearn", "ir_measures"][:count]
    found = list(repros(case_of(CASES[0]), own, [row for name in asked for row in observed(CASES[0], name)[:1]]))
    assert [one.library for one in found] == [one.name for one in own if one.name in asked]
    scripts = Scripts()
    numbers = scripts.parted(found)["calls"]
    assert isinstance(numbers, list)
    told = json.loads(scripts.written(own))
    first, last = told["frame"]
    for one, at in zip(found, numbers, strict=True):
        assert first + told["calls"][one.library][at] + last == one.calls
        assert told["heads"][one.library] == one.head[1]
