"""Runners of the exported corpus in four languages: correct measures pass, and wrong measures are caught and explained.

Users copy a runner and replace the measure at its top. So these tests edit that measure in the file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.judge import corpus_rules

RUNNERS = Path(__file__).resolve().parent.parent.parent / "cases" / "runners"
LANGUAGES = {
    "Python": ("runner.py", [sys.executable]),
    "JavaScript": ("runner.js", ["node"]),
    "Java": ("Runner.java", ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]),
    "R": ("runner.R", ["Rscript"]),
}
"""The runner file of each language, and the command that runs it."""
PACKAGES = {"node": "nodejs", "java": "default-jdk-headless", "Rscript": "r-base-core r-cran-jsonlite"}
"""Debian's packages with each program."""
CLAIMED = r"P@\d+|(RR|nDCG)(@\d+)?"
WRONG = {
    "discount=rank": {
        "Python": ("rel / math.log2(rank + 1)", "rel / rank"),
        "JavaScript": ("rel / Math.log2(i + 2)", "rel / (i + 1)"),
        "Java": ("rels.get(i) * Math.log(2) / Math.log(i + 2)", "rels.get(i) / (i + 1)"),
        "R": ("rels / log2(seq_along(rels) + 1)", "rels / seq_along(rels)"),
    },
    "ties=docid-asc": {
        "Python": ("(row[1], row[0]), reverse=True", "(-row[1], row[0])"),
        "JavaScript": ("a < b ? 1 : -1", "a < b ? -1 : 1"),
        "Java": ("Comparator.naturalOrder()", "Comparator.reverseOrder()"),
        "R": ("decreasing = TRUE, method", "decreasing = c(TRUE, FALSE), method"),
    },
    "": {
        "Python": ("    values = {}\n", "    raise ValueError(name)\n"),
        "JavaScript": ("  const found = {};\n", "  throw new Error(name);\n"),
        "Java": ("Map<String, Double> found = new TreeMap<>();\n", "Map<String, Double> found = null;\n"),
        "R": ("  found <- sapply(", '  stop("refused")\n  found <- sapply('),
    },
}
"""Convention -> edits that make the measure follow it in each language; "" raises an error."""

Case = Mapping[str, Any]
Ran = tuple[int, str, list[str]]
"""Exit code, the last line, and the lines before it."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """Return the exported corpus."""
    exported: list[Case] = corpus_rules.exported()["cases"]
    return exported


def claimed(cases: list[Case], convention: str) -> Iterator[tuple[Case, str, Mapping[str, Any]]]:
    """Yield cases, claimed measures and expected values by convention, if they include a convention."""
    for case in cases:
        for measure, by_convention in case["expect"].items():
            if case["ordinary"] and re.fullmatch(CLAIMED, measure) and convention in by_convention:
                yield case, measure, by_convention


def deciding(cases: list[Case], convention: str) -> list[Case]:
    """Return the cases that expect values under a convention."""
    return list({case["id"]: case for case, _, _ in claimed(cases, convention)}.values())


@pytest.fixture(params=LANGUAGES)
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Ran]:
    """Return a function that runs the runner of a language on cases, with a wrong measure or the correct one."""
    language: str = request.param
    file, command = LANGUAGES[language]
    if lacking := lacks(language):
        if os.environ.get("CI"):
            pytest.fail(lacking)
        pytest.skip(lacking)

    def run_on(cases: list[Case], *words: str, wrong: str | None = None) -> Ran:
        text = (RUNNERS / file).read_text(encoding="utf-8")
        if wrong is not None:
            right, planted = WRONG[wrong][language]
            assert text.count(right) == 1
            text = text.replace(right, planted)
        (tmp_path / file).write_text(text, encoding="utf-8")
        (tmp_path / "cases.json").write_text(json.dumps({"cases": cases}), encoding="utf-8")
        arguments = [*command, tmp_path / file, tmp_path / "cases.json", *words]
        done = subprocess.run(arguments, capture_output=True, encoding="utf-8", check=False)
        assert done.stderr == "" or wrong == "", done.stderr
        *lines, last = [line.rstrip() for line in done.stdout.splitlines()]
        return done.returncode, last, lines

    return run_on


def lacks(language: str) -> str:
    """Return which program is missing and how to install it, or an empty text."""
    program = LANGUAGES[language][1][0]
    there = shutil.which(program) is not None
    if there and language == "R":
        test = ["Rscript", "-e", 'quit(status = if (requireNamespace("jsonlite", quietly = TRUE)) 0 else 1)']
        there = subprocess.run(test, check=False, capture_output=True).returncode == 0
    return "" if there else f"{language} is not here: apt-get install {PACKAGES.get(program, program)}"


def test_a_correct_measure_follows_standard_for_every_claimed_measure(
    run: Callable[..., Ran], cases: list[Case]
) -> None:
    expected = len(list(claimed(cases, "standard")))
    assert expected > 300
    code, last, lines = run(cases)
    assert (code, last) == (0, f"{expected} of {expected} match standard")
    assert sum(line.partition(" matches ")[2].split(", ")[0] == "standard" for line in lines) > 300


def test_a_wrong_discount_is_caught_and_named(run: Callable[..., Ran], cases: list[Case]) -> None:
    """The runner names all conventions that give the values of a case, and `standard` only if it gives them."""
    some = deciding(cases, "discount=rank")
    expected = len(list(claimed(some, "standard")))
    code, last, lines = run(some, wrong="discount=rank")
    passed, of, many, *_ = last.split()
    assert (code, of, int(many)) == (1, "of", expected)
    assert int(passed) < expected
    follows = {place: names.split(", ") for place, _, names in (line.partition(" matches ") for line in lines)}
    pinned = [
        f"{case['id']} {measure}"
        for case, measure, by in claimed(some, "discount=rank")
        if by["discount=rank"] != by.get("standard")
    ]
    assert len(pinned) >= 3
    assert [("discount=rank" in follows[place], "standard" in follows[place]) for place in pinned] == (
        [(True, False)] * len(pinned)
    )


def test_a_measure_can_be_tested_against_another_convention(run: Callable[..., Ran], cases: list[Case]) -> None:
    some = deciding(cases, "ties=docid-asc")
    expected = len(list(claimed(some, "ties=docid-asc")))
    assert expected > 50
    code, last, _ = run(some, "ties=docid-asc", wrong="ties=docid-asc")
    assert (code, last) == (0, f"{expected} of {expected} match ties=docid-asc")
    assert run(some[:1], "no-such-convention")[:2] == (1, "0 of 0 match no-such-convention"), "nothing was tested"


def test_a_measure_that_raises_fails(run: Callable[..., Ran], cases: list[Case]) -> None:
    some = deciding(cases, "discount=rank")
    expected = len(list(claimed(some, "standard")))
    code, last, lines = run(some, wrong="")
    assert (code, last) == (1, f"0 of {expected} match standard")
    assert sum(" matches no expected values" in line for line in lines) >= expected


def test_the_tolerance_of_the_runners_is_finer_than_any_two_conventions(cases: list[Case]) -> None:
    """A tolerance of 1e-9 never confuses two conventions, and rounding errors are a million times smaller."""
    nearest = 1.0
    for case in cases:
        for by_convention in case["expect"].values():
            values: dict[str, set[float]] = {}
            for by_query in by_convention.values():
                for query, value in by_query.items():
                    if not isinstance(value, str):
                        values.setdefault(query, set()).add(value)
            for lower, higher in (pair for different in values.values() for pair in pairwise(sorted(different))):
                nearest = min(nearest, (higher - lower) / max(abs(lower), abs(higher)))
    assert 1e-6 < nearest < 1e-5


def test_an_exported_case_has_all_its_measures_and_the_expected_values_of_some(cases: list[Case]) -> None:
    partly = {case.id: case for case in corpus.load_all() if {*case.measures} > {*(case.expect or {})}}
    assert len(partly) > 3
    for exported in (case for case in cases if case["id"] in partly):
        case = partly[exported["id"]]
        assert (exported["measures"], list(exported["expect"])) == (list(case.measures), list(case.expect or {}))
