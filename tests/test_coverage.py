"""The tests of the reference reach every branch of it; in a process of its own, as tracing slows what else runs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_THE_REFERENCE = (
    "cases_exact", "clustering", "conventions", "docstrings", "evaluation", "exact", "measures", "notation", "ranking", "ties",
)  # fmt: skip

LONG = (
    "tests/test_ties.py::test_expectation_best_and_worst_are_those_of_all_orders",
    "tests/test_measures.py::test_a_measure_is_its_formula[nDCG]",
    "tests/test_measures.py::test_a_measure_is_its_formula[DCG]",
    "tests/test_ties.py::test_the_last_rank_does_not_depend_on_the_order_of_rows",
    "tests/test_ties.py::test_a_reversed_pair_of_docs_never_helps",
)
"""Tracing makes them take long, and they reach no branch that no other test does."""

DECLARED = "tests/test_measure_facts.py::test_what_declares_nothing_looks_at_everything"
"""Collecting it asks every measure what it looks at under all conventions."""


def test_every_branch_of_the_reference_is_reached(tmp_path: Path) -> None:
    files = [*(f"tests/test_{name}.py" for name in OF_THE_REFERENCE), DECLARED]
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--hypothesis-profile=few",
        *(f"--deselect={test}" for test in LONG),
        "--cov",
        "--cov-report=term-missing:skip-covered",
    ]
    environment = {"COVERAGE_FILE": str(tmp_path / "coverage")}
    done = subprocess.run(
        [*command, *files], cwd=ROOT, capture_output=True, text=True, check=False, env=_with(environment)
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Required test coverage of 100.0% reached" in done.stdout


def _with(more: dict[str, str]) -> dict[str, str]:
    import os

    return {**os.environ, **more}
