"""Calls of uv: resolve requirements into a lock with digests, create an environment, install a lock."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rankproof.history.plans import Plan
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line

SECONDS = 1800
"""The time limit of one call of uv."""
LONGEST = 400
"""The number of characters of uv's message that are shown."""


class NoUv(Unusable):
    """uv is not installed."""


class CannotBuild(Exception):
    """An environment cannot be built; the message is uv's own sentence."""


def uv_program() -> str:
    """Return the path of uv, next to this interpreter or on the PATH.

    Raises:
        NoUv: it is not installed.
    """
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if found is None:
        raise NoUv("environments are built by uv, which is not here: pip install 'rankproof[env]'")
    return found


def resolved(plan: Plan, python: str, folder: Path) -> str:
    """Return the lock of a plan: every distribution, with the digests of its files.

    Raises:
        CannotBuild: nothing satisfies the requirements.
    """
    package = f"{plan.package}=={plan.version}"
    if not plan.without_dependencies:
        return _compiled([package, *plan.beside], plan, python, folder)
    alone = _compiled([package], plan, python, folder, "--no-deps")
    return alone + (_compiled(plan.beside, plan, python, folder) if plan.beside else "")


def _compiled(requirements: Sequence[str], plan: Plan, python: str, folder: Path, *options: str) -> str:
    wanted = folder / "wanted.txt"
    wanted.write_text("".join(f"{requirement}\n" for requirement in requirements), encoding="utf-8")
    how = ["--generate-hashes", "--no-header", "--no-annotate", "--python", python, *_wheels_only(plan), *options]
    return _called("pip", "compile", "--quiet", *how, str(wanted))


def install(plan: Plan, base: str, lock: Path, folder: Path) -> None:
    """Create an environment in a folder, and install a lock.

    Raises:
        CannotBuild: uv fails.
    """
    _called("venv", "--quiet", "--no-project", "--relocatable", "--python", base, str(folder))
    how = ["--require-hashes", "--python", python_in(folder), *_wheels_only(plan)]
    _called("pip", "sync", "--quiet", *how, str(lock))


def python_in(folder: Path) -> str:
    """Return the interpreter of an environment."""
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def _wheels_only(plan: Plan) -> list[str]:
    # A source distribution executes code of its own and may need a compiler; only those that the sheet names are built.
    return ["--only-binary", ":all:", *(f"--no-binary={name}" for name in plan.from_source)]


def _called(*arguments: str) -> str:
    links = os.environ.get("UV_FIND_LINKS") or os.environ.get("PIP_FIND_LINKS")  # uv does not read settings of pip
    settings = {"UV_FIND_LINKS": links} if links else {}
    try:
        done = subprocess.run(  # noqa: S603 - uv, and requirements of a sheet
            [uv_program(), *arguments],
            env={**os.environ, **settings, "NO_COLOR": "1"},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CannotBuild(f"uv took more than {SECONDS} s") from error
    if done.returncode:
        raise CannotBuild(sentence_of(done.stderr))
    return done.stdout


def sentence_of(stderr: str) -> str:
    r"""Return the reason that uv gives in one line, without its drawing and its hints.

    >>> sentence_of("  × No solution found:\n  ╰─▶ Because there is no\n      version of x, no.\n\n  hint: try y\n")
    'No solution found: Because there is no version of x, no.'
    """
    told = re.split(r"\n\s*hint:", stderr)[0]
    text = one_line(" ".join(re.sub(r"[×╰─▶├│]|^error: ", " ", told, flags=re.MULTILINE).split()))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
