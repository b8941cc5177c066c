"""The steps of the GitHub action and the pre-commit hook in a scratch project.

A function that breaks its claim fails both.
"""

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from places import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
PROJECT = """
[[tool.rankproof.check]]
file = "scratch_metrics.py"
call = "precision(rels, k)"
measure = "P@5"
profile = "{profile}"
"""
FUNCTION = """
def precision(ranked_rels, k):
    return sum(rel > 0 for rel in ranked_rels[:k]) / k
"""


def project(folder: Path, profile: str) -> Path:
    (folder / "scratch_metrics.py").write_text(FUNCTION, encoding="utf-8")
    (folder / "pyproject.toml").write_text(PROJECT.format(profile=profile), encoding="utf-8")
    return folder


def steps(folder: Path, **inputs: str) -> list[subprocess.CompletedProcess[str]]:
    """Run each step of the action, with inputs in environment variables, as GitHub passes them."""
    values = {name: entry["default"] for name, entry in ACTION["inputs"].items()} | {"python": sys.executable} | inputs
    summary = folder / "summary.md"
    done = []
    for step in ACTION["runs"]["steps"]:
        named = {
            name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")] for name, text in step["env"].items()
        }
        assert set(named.values()) <= set(values.values())
        assert "${{" not in step["run"], "what others write is handed on in the environment alone"
        places = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTION_PATH": str(ROOT), "PYTHONPATH": "."}
        environment = os.environ | named | places
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done.append(subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False))
    return done


def test_the_action_fails_if_a_function_differs_from_its_declaration(tmp_path: Path) -> None:
    install, check, compare = steps(project(tmp_path, "p_denominator=min-k-n"))
    assert (install.returncode, check.returncode, compare.returncode) == (0, 1, 0), check.stdout + check.stderr
    assert check.stdout.startswith("fails  scratch_metrics.py:precision[P@5]\n")


def test_the_action_prints_changed_values_as_markdown(tmp_path: Path) -> None:
    same = str(ROOT / "reports" / "results" / "r_metrics.jsonl.gz")
    text, half = gzip.decompress(Path(same).read_bytes()).decode(), '"value":0.5,'
    (tmp_path / "moved.jsonl").write_text(text.replace(half, '"value":0.25,'), encoding="utf-8")
    assert [step.returncode for step in steps(tmp_path, tests="", old=same, new=same)] == [0, 0, 0]
    *_, compare = steps(tmp_path, tests="", old=same, new="moved.jsonl")
    assert compare.returncode == 1, compare.stderr
    diff = (tmp_path / "rankproof-diff.md").read_text(encoding="utf-8")
    assert f"values: {text.count(half)} moved." in diff
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").endswith(diff)


def run_hook(folder: Path) -> subprocess.CompletedProcess[str]:
    (hook,) = HOOKS
    command = [str(Path(sys.executable).with_name("rankproof")), *shlex.split(hook["entry"])[1:]]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_hook_and_action_run_the_declared_functions_and_no_test_of_the_project(tmp_path: Path) -> None:
    (project(tmp_path, "standard") / "test_own.py").write_text("import not_there\n", encoding="utf-8")
    for done in (run_hook(tmp_path), steps(tmp_path)[1]):
        assert (done.returncode, done.stdout) == (0, "holds  scratch_metrics.py:precision[P@5]\n"), done.stderr
    assert run_hook(project(tmp_path, "p_denominator=min-k-n")).returncode == 1


def test_project_that_declares_nothing_passes_hook_and_action(tmp_path: Path) -> None:
    for done in (run_hook(tmp_path), *steps(tmp_path)):
        assert done.returncode == 0, done.stderr
    (tmp_path / "pyproject.toml").write_text("[tool.rankproof]\ncheck = 5\n", encoding="utf-8")
    assert [done.returncode for done in (run_hook(tmp_path), *steps(tmp_path))] == [2, 0, 2, 0]


@pytest.mark.parametrize("value", ["--help", "-n", "gone", "-"])
def test_values_of_the_action_are_files_and_never_options(tmp_path: Path, value: str) -> None:
    same = str(ROOT / "reports" / "results" / "r_metrics.jsonl.gz")
    for inputs in ({"old": value, "new": same}, {"old": same, "new": value}, {"tests": value}):
        *_, check, compare = steps(tmp_path, **({"tests": ""} | inputs))
        refused = check if "tests" in inputs else compare
        assert (refused.returncode, value in refused.stderr, refused.stdout) == (2, True, ""), inputs
    *_, compare = steps(tmp_path, tests="", old=same, new=same, comment=value)
    text = (tmp_path / value).read_text(encoding="utf-8")
    assert compare.returncode == 0, compare.stderr
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == text
    assert "No value changed." in text
