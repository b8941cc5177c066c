"""The tests of the reference reach every branch of it; in a process of its own, as tracing slows what else runs."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OF_THE_REFERENCE = (
    "clustering", "conventions", "evaluation", "exact", "measures", "notation", "ranking", "ties",
)  # fmt: skip

PLUGINS = ("pytest_cov", "pytest_timeout", "_hypothesis_pytestplugin")
"""All that it needs: to look for others takes seconds."""

LONG = (
    "tests/test_measures.py::test_a_measure_is_its_formula",
    "tests/test_measures.py::test_k_beyond_the_ranking_is_no_cutoff",
    "tests/test_measures.py::test_the_mean_of_one_query_is_its_value",
    "tests/test_evaluation.py::test_a_query_is_worth_the_same_alone_and_among_others",
    "tests/test_evaluation.py::test_what_is_worked_out_once_for_many_conventions_is_what_each_alone_gives",
    "tests/test_clustering.py::test_normalised_mutual_information",
    "tests/test_clustering.py::test_the_order_of_items_changes_nothing",
    "tests/test_clustering.py::test_symmetric_measures_are_symmetric",
    "tests/test_clustering.py::test_new_names_of_labels_change_nothing",
    "tests/test_clustering.py::test_a_labeling_is_like_itself",
    "tests/test_clustering.py::test_shares_are_between_0_and_1",
    "tests/test_ties.py::test_expectation_best_and_worst_are_those_of_all_orders",
    "tests/test_ties.py::test_the_last_rank_does_not_depend_on_the_order_of_rows",
    "tests/test_ties.py::test_the_last_rank_is_never_better_than_the_worst_order",
    "tests/test_ties.py::test_the_order_of_rows_moves_nothing_where_names_break_ties",
    "tests/test_ties.py::test_new_names_in_the_same_order_move_nothing",
    "tests/test_ties.py::test_a_monotone_change_of_scores_moves_nothing",
    "tests/test_ties.py::test_unjudged_docs_at_the_bottom_move_no_cut_measure",
    "tests/test_ties.py::test_truth_as_prediction_is_worth_1",
    "tests/test_ties.py::test_bounded_measures_are_bounded",
    "tests/test_ties.py::test_a_reversed_pair_of_docs_never_helps",
)
"""Laws of inputs that are drawn, which run whole elsewhere: tracing makes them take long, and they reach no branch that others do not."""

DECLARED = "tests/test_measure_facts.py::test_what_declares_nothing_looks_at_everything"
"""Collecting it asks every measure what it looks at under all conventions."""

IN_FLOATS = [
    f"tests/test_fast_answers.py::test_{name}"
    for name in (
        "every_measure_is_the_same_under_every_profile[notebook-similarity]",
        "every_choice_of_a_formula_is_the_same_beside_ties",
        "a_formula_in_floats_passes_on_what_it_does_not_know",
    )
]  # fmt: skip
"""Those that ask every formula in floats; by one profile, as all the others reach nothing that it does not."""


def examples() -> Iterator[str]:
    """The tests of the examples in the docstrings of the reference."""
    for path in (ROOT / "reference_impl").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield f"tests/test_docstrings.py::test_examples_hold[{module}]"


def test_every_branch_of_the_reference_is_reached(tmp_path: Path) -> None:
    files = [*(f"tests/test_{name}.py" for name in OF_THE_REFERENCE), *examples(), DECLARED, *IN_FLOATS]
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *(f"-p{plugin}" for plugin in PLUGINS),
        "--hypothesis-profile=few",
        *(f"--deselect={test}" for test in LONG),
        "--cov",
        "--cov-report=term-missing:skip-covered",
    ]
    environment = {"COVERAGE_FILE": str(tmp_path / "coverage"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, *files], cwd=ROOT, capture_output=True, text=True, check=False, env=_with(environment)
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Required test coverage of 100.0% reached" in done.stdout


def _with(more: dict[str, str]) -> dict[str, str]:
    import os

    return {**os.environ, **more}
