"""Branch coverage of the reference by its tests and the corpus, in a separate process because tracing slows other tests."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from places import ROOT

from rankproof.reference_impl.conventions import AXES

PLUGINS = ("pytest_cov", "pytest_timeout", "_hypothesis_pytestplugin")
"""The plugins that the run needs; searching for others takes seconds."""
WHOLE_FILES = [f"tests/reference_impl/test_{n}.py" for n in ("conventions", "exact", "notation", "ranking", "shown")]
TESTS = (
    "tests/cases/test_cases.py::test_the_reference_gives_what_the_cases_expect",
    "tests/laws/test_measure_facts.py::test_measure_without_declared_facts_may_depend_on_every_input",
    "tests/laws/test_measures.py::test_interpolated_precision_without_relevant_documents_follows_trec_eval",
    "tests/laws/test_ties.py::test_a_measure_without_a_closed_form_is_enumerated",
    "tests/laws/test_ties.py::test_lrap_without_relevant_retrieved_documents_is_undefined_in_every_order",
    "tests/laws/test_ties.py::test_twenty_tied_documents_need_a_closed_form",
    "tests/laws/test_ties.py::test_two_judgments_at_one_rank_stay_with_their_document",
    "tests/laws/test_clustering.py",
    "tests/reference_impl/test_evaluation.py",
    "tests/reference_impl/test_profiles.py",
)
SLOW = (
    "tests/laws/test_clustering.py::test_normalised_mutual_information_divides_by_the_mean_entropy",
    "tests/reference_impl/test_evaluation.py::test_a_query_has_the_same_value_alone_and_among_others",
    "tests/reference_impl/test_evaluation.py::test_cached_results_equal_those_of_each_convention_alone",
    "tests/reference_impl/test_profiles.py::test_a_profile_gives_the_values_of_its_notebook",
)
"""Property tests on random inputs that reach no additional branches."""


def examples() -> Iterator[str]:
    """Yield the tests of the examples in the docstrings of the reference."""
    for path in (ROOT / "reference_impl").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield f"tests/project/test_docstrings.py::test_examples_hold[{module}]"


def float_formulas() -> Iterator[str]:
    """Yield the tests that compute every formula in floats, under each convention of formulas."""
    specs = [f"{a.name}={v}" for a in AXES.values() if a.stage == "measure" for v in a.values if v != a.default]
    for spec in ("standard", *(spec for spec in specs if not spec.startswith("degenerate="))):
        yield f"tests/evaluate/test_fast.py::test_each_convention_gives_the_same_values_as_the_exact_path[{spec}]"


def test_every_branch_of_the_reference_is_reached(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=few"]
    options = [*(f"-p{plugin}" for plugin in PLUGINS), *(f"--deselect={test}" for test in SLOW), "--cov"]
    tests = ["--cov-report=term-missing:skip-covered", *WHOLE_FILES, *TESTS, *examples(), *float_formulas()]
    environment = os.environ | {"COVERAGE_FILE": str(tmp_path / "coverage"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = [*command, *options, *tests]
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (
        f"tests of the reference fail, or do not reach every branch:\n{done.stdout[-4000:]}{done.stderr}"
    )
    assert "Required test coverage of 100.0% reached" in done.stdout
