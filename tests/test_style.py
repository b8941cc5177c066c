"""The house style, held by its tools: ruff on everything, mypy --strict on the wheel."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> str:
    """What a tool prints, if it does not like what it sees."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    assert run("ruff", "check", "--no-cache", ".") == ""


def test_everything_is_formatted() -> None:
    assert run("ruff", "format", "--no-cache", "--check", ".") == ""


def test_the_wheel_is_typed(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    packages = [str(tmp_path / "rankproof")]
    assert (
        run(
            "mypy",
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            os.devnull,
            *packages,
        )
        == ""
    )
