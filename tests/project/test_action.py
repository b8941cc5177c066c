"""The steps of the action and the hook, run in a scratch project; a function that is not what it claims fails both."""

import gzip
import os
import shlex
import subprocess
import sys
from pathlib import Path

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
    """Run each step of the action, with its inputs in environment variables as GitHub passes them."""
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
    assert "1 failed" in check.stdout


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


def test_the_hook_passes_if_a_function_is_as_declared(tmp_path: Path) -> None:
    (hook,) = HOOKS
    command = [sys.executable, *shlex.split(hook["entry"])[1:]]
    environment = {**os.environ, "PYTHONPATH": "."}
    done = subprocess.run(
        command, cwd=project(tmp_path, "standard"), env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout
