"""The style of the code: ruff for everything, mypy --strict for the wheel."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

NOT_OURS = {"_replace", "_mpf_", "_exit", "_base_executable", "_lru_cache_wrapper"}
"""Private names of named tuples, mpmath and Python that any test may use."""
MOST_PRIVATE_NAMES = 6


def run(*arguments: str) -> str:
    """Return the output of a tool; empty if the tool succeeds."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    assert run("ruff", "check", "--no-cache", ".") == ""


def test_everything_is_formatted() -> None:
    assert run("ruff", "format", "--no-cache", "--check", ".") == ""


def test_the_wheel_is_typed(wheel: zipfile.ZipFile, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Check the types of the wheel; mypy caches its results for unchanged files in pytest's cache."""
    wheel.extractall(tmp_path)
    cache = getattr(request.config, "cache", None)
    folder = os.devnull if cache is None else str(cache.mkdir("mypy"))
    options = ("--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", folder)
    assert run("mypy", *options, str(tmp_path / "rankproof")) == ""


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield the private names of other modules and objects that are read, replaced or imported."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
            names = [] if own else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("setattr", "delattr")):
            texts = [part.value for part in node.args[:2] if isinstance(part, ast.Constant)]
            names = [text.rpartition(".")[2] for text in texts if isinstance(text, str)]
        yield from (name for name in names if re.match("_[^_]", name) and name not in NOT_OURS)


def test_tests_use_few_private_names() -> None:
    """Few uses of private names let a module change inside without changes of tests."""
    example = "from m import _a\nmodule._b\nself._c\np.setattr('m._d', 1)\np.setattr(m, '_e', 1)\n_f\nm.__doc__\n"
    assert sorted(private_names(ast.parse(example))) == ["_a", "_b", "_d", "_e"]
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    uses = {f"{path.name}: {name}" for path in files for name in private_names(ast.parse(path.read_text("utf-8")))}
    assert len(uses) <= MOST_PRIVATE_NAMES, f"test through a public function instead: {sorted(uses)}"
