"""The tests of the reference and the corpus reach every branch of it; in a process of its own, as tracing slows what else runs."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from places import ROOT

OF_THE_REFERENCE = (
    "clustering",
    "conventions",
    "corpus",
    "evaluation",
    "exact",
    "measures",
    "notation",
    "ranking",
    "ties",
)

PLUGINS = ("pytest_cov", "pytest_timeout", "_hypothesis_pytestplugin")
"""All that it needs: to look for others takes seconds."""

LONG = (
    "tests/laws/test_measures.py::test_a_measure_is_its_formula",
    "tests/laws/test_measures.py::test_k_beyond_the_ranking_is_no_cutoff",
    "tests/laws/test_measures.py::test_the_mean_of_one_query_is_its_value",
    "tests/reference_impl/test_evaluation.py::test_a_query_is_worth_the_same_alone_and_among_others",
    "tests/reference_impl/test_evaluation.py::test_what_is_worked_out_once_for_many_conventions_is_what_each_alone_gives",
    "tests/laws/test_clustering.py::test_normalised_mutual_information",
    "tests/cases/test_corpus.py::test_every_case_is_answered",
    "tests/laws/test_ties.py::test_expectation_best_and_worst_are_those_of_all_orders",
    "tests/laws/test_ties.py::test_the_last_rank_does_not_depend_on_the_order_of_rows",
    "tests/laws/test_ties.py::test_the_last_rank_is_never_better_than_the_worst_order",
)
"""Laws of inputs that are drawn, or of all cases, which run whole elsewhere: tracing makes them slow, and they reach no more branches."""

DECLARED = "tests/laws/test_measure_facts.py::test_what_declares_nothing_looks_at_everything"
"""Collecting it asks every measure what it looks at under all conventions."""

IN_FLOATS = ["tests/evaluate/test_fast.py::test_each_convention_gives_the_same"]
"""Those that compute every formula in floats."""


def examples() -> Iterator[str]:
    """The tests of the examples in the docstrings of the reference."""
    for path in (ROOT / "reference_impl").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield f"tests/project/test_docstrings.py::test_examples_hold[{module}]"


def test_every_branch_of_the_reference_is_reached(tmp_path: Path) -> None:
    files = [*(f"tests/test_{name}.py" for name in OF_THE_REFERENCE), *examples(), DECLARED, *IN_FLOATS]
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    options = [
        *(f"-p{plugin}" for plugin in PLUGINS),
        "--hypothesis-profile=few",
        *(f"--deselect={test}" for test in LONG),
        "--cov",
        "--cov-report=term-missing:skip-covered",
    ]
    environment = os.environ | {"COVERAGE_FILE": str(tmp_path / "coverage"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, *options, *files], cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Required test coverage of 100.0% reached" in done.stdout
