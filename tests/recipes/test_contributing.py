"""The recipes of CONTRIBUTING.md, followed in a copy of the project: they work, and change as many files as they say."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
CASES, FACTS = "tests/cases/test_cases.py", "tests/laws/test_measure_facts.py"
CONVENTIONS, DOCSTRINGS = "tests/reference_impl/test_conventions.py", "tests/project/test_docstrings.py"
PASSING = {
    "A measure": (
        "tests/laws/test_measures.py::test_a_measure_is_its_formula[HitCount]",
        "tests/laws/test_measures.py::test_every_measure_has_a_naive_implementation",
        "tests/laws/test_measures.py::test_the_mean_of_one_query_is_its_value",
        "tests/laws/test_ties.py::test_bounded_measures_are_bounded",
        "tests/laws/test_ties.py::test_expectation_best_and_worst_are_those_of_all_orders[HitCount]",
        "tests/laws/test_ties.py::test_the_worst_order_is_never_better_than_the_best",
        f"{FACTS}::test_declared_facts_hold_for_all_queries[HitCount]",
        f"{FACTS}::test_each_declared_input_changes_some_value[HitCount]",
        f"{CASES}::test_every_measure_of_rankings_and_of_labelings_is_expected_somewhere",
        f"{CASES}::test_the_reference_gives_what_the_cases_expect[HitCount]",
        f"{CONVENTIONS}::test_the_default_of_a_parameter_is_the_default_of_its_axis[HitCount]",
        f"{DOCSTRINGS}::test_examples_hold[reference_impl.measures.hit_count]",
        f"{DOCSTRINGS}::test_a_module_of_measures_has_formula_disputes_and_source[reference_impl.measures.hit_count]",
        f"{DOCSTRINGS}::test_every_formula_has_a_sentence_and_an_example[HitCount]",
    ),
    "An axis": (
        f"{CONVENTIONS}::test_all_values_of_an_axis_differ[coverage_from]",
        f"{CONVENTIONS}::test_every_axis_has_witnesses",
        f"{CONVENTIONS}::test_every_axis_is_used_by_something",
        f"{CONVENTIONS}::test_an_axis_has_a_question_and_each_value_its_own_words[coverage_from]",
        f"{CASES}::test_the_reference_gives_what_the_cases_expect[CoverageError]",
        f"{CASES}::test_a_case_shows_that_each_axis_of_a_formula_matters_and_that_no_other_does[CoverageError]",
        f"{FACTS}::test_declared_facts_hold_for_all_queries[CoverageError]",
        f"{DOCSTRINGS}::test_examples_hold[reference_impl.measures.label_ranking]",
    ),
    "A value of an axis": (
        f"{CONVENTIONS}::test_all_values_of_an_axis_differ[discount]",
        f"{CONVENTIONS}::test_an_axis_has_a_question_and_each_value_its_own_words[discount]",
        f"{CASES}::test_the_reference_gives_what_the_cases_expect[DCG]",
    ),
}
"""Recipe -> the tests that pass in the copy after the recipe."""
OF_THE_DEFECT = ("half-of-f", "f_without_the_two")
RECIPES = (*PASSING, "A defect")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True)
class Step:
    """A block of code in a recipe: a whole new file, or an edit."""

    file: str
    text: str
    edits: bool

    def taken(self, folder: Path) -> None:
        """Apply the block to the copy."""
        path = folder / self.file
        if not self.edits:
            assert not path.exists(), f"{self.file} is no new file"
            path.write_text(self.text, encoding="utf-8")
            return
        before = "".join(line[1:] for line in self.text.splitlines(keepends=True) if line[0] in " -")
        after = "".join(line[1:] for line in self.text.splitlines(keepends=True) if line[0] in " +")
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{self.file}: a recipe edits this place, put your edit elsewhere:\n{before}"
        path.write_text(text.replace(before, after), encoding="utf-8")


@dataclass(frozen=True)
class Recipe:
    """A part of CONTRIBUTING.md: its number of changed files, and its steps."""

    says: str
    steps: tuple[Step, ...]


def recipe(heading: str) -> Recipe:
    """Return the recipe under a heading."""
    text = re.search(rf"^## {heading}\n\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert text is not None, f"no recipe {heading}"
    blocks = re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", text[1], re.MULTILINE | re.DOTALL)
    assert len(blocks) == text[1].count("```") // 2, "a block that names no file is no step"
    steps = tuple(Step(file, content, kind == "diff") for kind, file, content in blocks)
    return Recipe(text[1].partition(".")[0], steps)


def copied(folder: Path) -> Path:
    """Return a copy of the project, next to the package as in the wheel, made of links to the folders of the copy."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    places = project["tool"]["setuptools"]["package-dir"]
    for name in (*places.values(), "tests"):  # with compiled files, so that Python compiles them only once
        shutil.copytree(ROOT / name, folder / name)
    package = folder.parent / "laid-out" / "rankproof"
    package.mkdir(parents=True)
    for part in (folder / places["rankproof"]).iterdir():
        (package / part.name).symlink_to(part)
    for name, place in places.items():
        if "." in name:
            (package / name.rpartition(".")[2]).symlink_to(folder / place)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project after all recipes, which edit different lines."""
    folder = copied(tmp_path_factory.mktemp("recipes") / "project")
    for heading in RECIPES:
        for step in recipe(heading).steps:
            step.taken(folder)
    return folder


def python(folder: Path, *arguments: str) -> str:
    """Return the output of Python in the copy, with the copy imported as `rankproof`."""
    environment = os.environ | {"PYTHONPATH": str(folder.parent / "laid-out"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def passed(folder: Path, *selection: str) -> Sequence[str]:
    """Run some tests of the copy, check that all of them pass, and return their ids."""
    paths = ("--rootdir", str(folder), "-o", f"pythonpath={folder / 'tests' / 'support'}", "--import-mode=importlib")
    printed = python(folder, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-c", os.devnull, *paths, *selection)
    return re.findall(r"^(tests/\S.*) PASSED", printed, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "new", "edited"),
    [("A measure", 2, 1), ("An axis", 1, 3), ("A value of an axis", 1, 2), ("A defect", 1, 2)],
)
def test_a_recipe_changes_as_many_files_as_it_says(heading: str, new: int, edited: int) -> None:
    instructions = recipe(heading)
    made, changed = ({step.file for step in instructions.steps if step.edits == edits} for edits in (False, True))
    assert (len(made), len(changed)) == (new, edited)
    assert instructions.says.startswith(f"{NUMBERS[new + edited].capitalize()} files: ")
    assert not made & changed


def test_a_measure_an_axis_and_a_value_pass_the_tests_that_cover_them(project: Path) -> None:
    where = python(project, "-c", "import rankproof.reference_impl as r; print(r.__file__)")
    assert where.startswith(str(project.parent))
    expected = [test for tests in PASSING.values() for test in tests]
    assert {*passed(project, *expected)} == {*expected}


def test_the_new_cases_follow_all_rules(project: Path) -> None:
    new = [step.file for heading in RECIPES for step in recipe(heading).steps if step.file.startswith("cases/")]
    assert len(new) == 3
    assert python(project, "-m", "rankproof", "cases", "lint", *new) == ""


@pytest.mark.parametrize(
    ("signature", "words"),
    [("CoverageError|coverage_from:0", "coverage_from=0 0"), ("DCG|discount:half-life", "2^((rank - 1) / 4)")],
)
def test_show_describes_the_new_values(signature: str, words: str, project: Path) -> None:
    assert words in " ".join(python(project, "-m", "rankproof", "show", signature).split())


def test_a_defect_passes_the_tests_that_cover_it(project: Path) -> None:
    code = "from rankproof.defects.catalogue import catalogue; print(catalogue()['half-of-f'].sentence)"
    assert python(project, "-c", code) == "it returns half of F\n"
    tests = passed(project, "tests/defects", "tests/check/test_checking.py", "-k", " or ".join(OF_THE_DEFECT))
    of_catalogue, of_function = ([test for test in tests if word in test] for word in OF_THE_DEFECT)
    assert len(of_catalogue) >= 4
    assert len(of_function) >= 1
