"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the project: they work, and touch as many files as they say."""

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
FILES = (
    "test_conventions.py",
    "test_measures.py",
    "test_docstrings.py",
    "test_cases_exact.py",
    "test_measure_facts.py",
    "test_ties.py",
)
HELD = {
    "A measure": (FILES, ("HitCount", "twin", "introspection", "expected_somewhere", "every_measure")),
    "An axis": (FILES, ("coverage", "every_axis", "used_by_something", "label_ranking")),
    "A value of an axis": (FILES, ("discount", "half-life")),
    "A defect": (
        ("test_defects.py", "check/test_wild_defects.py"),
        ("half-of-f", "f_without_the_two", "every_defect"),
    ),
}
"""Recipe -> the files of the tests that must hold once it was followed, and what is in their names."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True)
class Step:
    """A block of code in a recipe: a whole new file, or an edit of one."""

    file: str
    text: str
    edits: bool

    def taken(self, folder: Path) -> None:
        """Do what the block says."""
        path = folder / self.file
        if not self.edits:
            assert not path.exists(), f"{self.file} is no new file"
            path.write_text(self.text, encoding="utf-8")
            return
        before = "".join(line[1:] for line in self.text.splitlines(keepends=True) if line[0] in " -")
        after = "".join(line[1:] for line in self.text.splitlines(keepends=True) if line[0] in " +")
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{self.file} does not have, once:\n{before}"
        path.write_text(text.replace(before, after), encoding="utf-8")


@dataclass(frozen=True)
class Recipe:
    """A part of CONTRIBUTING.md: how many files it says it touches, and its steps."""

    says: str
    steps: tuple[Step, ...]

    @property
    def new(self) -> set[str]:
        """The files that it makes."""
        return {step.file for step in self.steps if not step.edits}

    @property
    def edited(self) -> set[str]:
        """The files that it edits."""
        return {step.file for step in self.steps if step.edits}


def recipe(heading: str) -> Recipe:
    """The recipe under a heading."""
    text = re.search(rf"^## {heading}\n\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert text is not None, f"no recipe {heading}"
    blocks = re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", text[1], re.MULTILINE | re.DOTALL)
    assert len(blocks) == text[1].count("```") // 2, "a block that names no file is no step"
    steps = tuple(Step(file, content, kind == "diff") for kind, file, content in blocks)
    return Recipe(text[1].partition(".")[0], steps)


def copied(folder: Path) -> Path:
    """A copy of the project, and beside it the package, laid out as in the wheel, of links to its folders."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    places = project["tool"]["setuptools"]["package-dir"]
    for name in (*places.values(), "tests"):  # with what Python compiled, which it would do again for each command
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
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which all recipes were followed: no two of them edit the same lines."""
    folder = copied(tmp_path_factory.mktemp("recipes") / "project")
    for heading in HELD:
        for step in recipe(heading).steps:
            step.taken(folder)
    return folder


def python(folder: Path, *arguments: str) -> str:
    """What Python prints there, with the copy for `rankproof`."""
    environment = os.environ | {"PYTHONPATH": str(folder.parent / "laid-out"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def passed(followed: Path) -> Sequence[str]:
    """The names of the tests that hold there, of those that some recipe is about; all must."""
    chosen = (
        f"({' or '.join(Path(f).name for f in files)}) and ({' or '.join(words)})" for files, words in HELD.values()
    )
    options = ("-v", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(followed))
    every = sorted({f"tests/{file}" for files, _ in HELD.values() for file in files})
    told = python(followed, "-m", "pytest", *options, "-k", " or ".join(chosen), *every)
    return re.findall(r"^tests/(\S.*) PASSED", told, re.MULTILINE)


def about(heading: str, passed: Sequence[str]) -> list[str]:
    """Those of a recipe."""
    files, words = HELD[heading]
    return [name for name in passed if name.startswith(files) and any(word.lower() in name.lower() for word in words)]


@pytest.mark.parametrize(
    ("heading", "new", "edited"),
    [("A measure", 2, 1), ("An axis", 1, 3), ("A value of an axis", 1, 2), ("A defect", 1, 2)],
)
def test_a_recipe_touches_as_many_files_as_it_says(heading: str, new: int, edited: int) -> None:
    told = recipe(heading)
    assert (len(told.new), len(told.edited)) == (new, edited)
    assert told.says.startswith(f"{NUMBERS[new + edited].capitalize()} files: ")
    assert not told.new & told.edited


def test_a_measure_is_added_as_the_recipe_says(followed: Path, passed: Sequence[str]) -> None:
    where = python(followed, "-c", "import rankproof.reference_impl as r; print(r.__file__)")
    assert where.startswith(str(followed.parent))
    new = [
        f"cases/{name}.toml" for name in ("ties/hits-at-the-cutoff", "labels/coverage-from-zero", "discount/half-life")
    ]
    assert python(followed, "-m", "rankproof", "cases", "lint", *new) == ""
    assert len(about("A measure", passed)) > 15


def test_an_axis_is_added_as_the_recipe_says(followed: Path, passed: Sequence[str]) -> None:
    words = " ".join(python(followed, "-m", "rankproof", "show", "CoverageError|coverage_from:0").split())
    assert "coverage_from=0 0" in words
    assert len(about("An axis", passed)) > 15


def test_a_value_of_an_axis_is_added_as_the_recipe_says(followed: Path, passed: Sequence[str]) -> None:
    words = " ".join(python(followed, "-m", "rankproof", "show", "DCG|discount:half-life").split())
    assert "2^((rank - 1) / 4)" in words
    names = " ".join(about("A value of an axis", passed))
    assert "discount/half-life" in names
    assert "test_all_values_of_an_axis_are_told_apart[discount]" in names


def test_a_defect_is_added_as_the_recipe_says(followed: Path, passed: Sequence[str]) -> None:
    code = "from rankproof.defects.catalogue import catalogue; print(catalogue()['half-of-f'].sentence)"
    assert python(followed, "-c", code) == "it returns half of F\n"
    assert len(about("A defect", passed)) == 7
