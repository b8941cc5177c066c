"""Interpreters: where this machine has a Python of a certain version.

This one, those on the PATH, those in pyenv's folder, and those that uv installed. Each is started before it is believed: pyenv puts
programs on the PATH that only say that they are not chosen.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECONDS = 60
"""How long an interpreter may take to say its version."""
ASK = "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version(), platform.python_implementation()]))"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter that starts."""

    path: str
    version: str
    implementation: str


@cache
def interpreter_of(version: str) -> Interpreter | None:
    """The first CPython of such a version (`3.8`) that starts; None where there is none."""
    for found in map(started, _places(version)):
        if found and found.implementation == "CPython" and found.version.split(".")[:2] == version.split("."):
            return found
    return None


def _places(version: str) -> Iterator[str]:
    """Where it may be, the likeliest first."""
    if version == ".".join(map(str, sys.version_info[:2])):
        # That of a virtual environment goes with the environment.
        yield getattr(sys, "_base_executable", sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from _latest_first(pyenv.glob(f"{version}.*/bin/python{version}"))
    if (on_path := shutil.which(f"python{version}")) is not None:
        yield on_path
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local" / "share" / "uv" / "python")
    yield from _latest_first(uv.glob(f"cpython-{version}.*/bin/python{version}"))


def _latest_first(paths: Iterable[Path]) -> list[str]:
    """By the numbers in them: 3.11.10 before 3.11.9."""
    return sorted(map(str, paths), key=lambda path: [*map(int, re.findall(r"\d+", path))], reverse=True)


def started(path: str) -> Interpreter | None:
    """The interpreter at a path; None if it does not start."""
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine, asked for its version
            [path, "-I", "-c", ASK], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        executable, version, implementation = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return Interpreter(str(executable), str(version), str(implementation))
