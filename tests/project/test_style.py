"""The house style, held by its tools: ruff on everything, mypy --strict on the wheel."""

import ast
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

NOT_OURS = {"_replace", "_mpf_", "_exit", "_base_executable", "_lru_cache_wrapper"}
"""Of named tuples, of mpmath and of Python: what anybody may call."""
PRIVATE = {
    "test_columnar_path.py": ("_scored", "a wrong order of documents is planted, which the self-check must notice"),
    "test_new_measure.py": ("_load_definitions", "files of measures are looked for once"),
    "test_open_choices.py": ("_ROWS_AGAIN", "with few rows the limit of rows that are measured again is reached"),
    "test_plugin.py": ("_declared", "a run of pytest for each bad entry takes half a second"),
    "test_relevance.py": ("_rules", "a rule is told from the others, of which each may say that an axis matters"),
    "test_sheets.py": ("_asked", "a library is to answer what a test says"),
}
"""The private names that tests touch, and why none of them can be told at a door. A file that touches another one needs a better test."""


def run(*arguments: str) -> str:
    """What a tool prints, if it does not like what it sees."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    assert run("ruff", "check", "--no-cache", ".") == ""


def test_everything_is_formatted() -> None:
    assert run("ruff", "format", "--no-cache", "--check", ".") == ""


def test_the_wheel_is_typed(wheel: zipfile.ZipFile, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What mypy found of a file is kept with what pytest keeps, and found anew where the file, or one that it imports, is another one."""
    wheel.extractall(tmp_path)
    kept = getattr(request.config, "cache", None)
    packages = [str(tmp_path / "rankproof")]
    assert (
        run(
            "mypy",
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            os.devnull if kept is None else str(kept.mkdir("mypy")),
            *packages,
        )
        == ""
    )


def private_names(tree: ast.AST) -> Iterator[str]:
    """The private names of other modules and objects that are read, replaced or imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not (
            isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
        ):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"setattr", "delattr"}
        ):
            said = [
                each.value for each in node.args[:2] if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            yield from (name.rpartition(".")[2] for name in said)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in NOT_OURS


def test_tests_touch_few_private_names_and_each_of_them_for_a_reason() -> None:
    """What is tested is what a caller sees: whoever changes a module from within finds no test in the way."""
    files = [path for folder in (".", "check", "workers") for path in (ROOT / "tests" / folder).glob("*.py")]
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in files}
    found = {file: " ".join(sorted(set(filter(is_private, private_names(tree))))) for file, tree in trees.items()}
    assert {file: names for file, names in found.items() if names} == {
        file: names for file, (names, _) in PRIVATE.items()
    }
    seen = ast.parse(
        "from m import _a\nmodule._b\nself._c\npatch.setattr('m._d', 1)\npatch.setattr(m, '_e', 1)\n_f\nm.__doc__\n"
    )
    assert sorted(filter(is_private, private_names(seen))) == ["_a", "_b", "_d", "_e"]
