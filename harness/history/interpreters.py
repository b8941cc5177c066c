"""Python interpreters of this machine: this one, those in pyenv's folder, on the PATH and in uv's folder.

Each is started before it is used, because pyenv puts programs on the PATH that only report that they are not selected.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SECONDS = 60
"""The time limit of an interpreter to report its version."""
ASK = "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version(), platform.python_implementation()]))"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter that starts."""

    path: str
    version: str
    implementation: str


@cache
def interpreter_of(version: str) -> Interpreter | None:
    """Return the first CPython of a version (`3.8`) that starts; None if there is none."""
    for found in map(started, _places(version)):
        if found and found.implementation == "CPython" and found.version.split(".")[:2] == version.split("."):
            return found
    return None


def _places(version: str) -> Iterator[str]:
    if version == ".".join(map(str, sys.version_info[:2])):
        # The interpreter of a virtual environment disappears with the environment.
        yield getattr(sys, "_base_executable", sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local" / "share" / "uv" / "python")
    on_path = shutil.which(f"python{version}")
    for paths in (
        pyenv.glob(f"{version}.*/bin/python{version}"),
        [on_path or ""],
        uv.glob(f"cpython-{version}.*/bin/python{version}"),
    ):
        # 3.11.10 comes before 3.11.9.
        found = filter(None, map(str, paths))
        yield from sorted(found, key=lambda path: [*map(int, re.findall(r"\d+", path))], reverse=True)


def started(path: str) -> Interpreter | None:
    """Return the interpreter at a path; None if it does not start."""
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine, asked for its version
            [path, "-I", "-c", ASK], capture_output=True, text=True, timeout=SECONDS, check=False
        )
        return Interpreter(*map(str, json.loads(done.stdout)))
    except (OSError, ValueError, TypeError, subprocess.TimeoutExpired):
        return None
