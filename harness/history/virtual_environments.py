"""Virtual environments: the Python interpreters of this machine, and calls of uv to resolve and install packages."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from rankproof.history.plans import Plan
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line

ASK = "import platform, sys; print(platform.python_implementation(), platform.python_version(), sys.executable, sep='\\n')"
SECONDS_TO_START, SECONDS = 60, 1800
"""The time limits for an interpreter to report its version, and for one call of uv, in seconds."""
LONGEST = 400
"""The largest number of characters of a uv message that is shown."""


class NoUv(Unusable):
    """An error if uv is not installed."""


class CannotBuild(Exception):
    """An environment that cannot be built; the message is the reason that uv gives."""


@cache
def interpreter_of(version: str) -> str | None:
    """Return the first CPython of a version (`3.8`) that starts; None if there is none."""
    # Each interpreter is started first: pyenv puts programs on the PATH that only print that they are not selected.
    for place in _places(version):
        implementation, number, path, *_ = *_reported_by(place).splitlines(), "", "", ""
        if implementation == "CPython" and f"{number}.".startswith(f"{version}."):
            return path
    return None


def _places(version: str) -> Iterator[str]:
    """Yield the interpreters of a version: the base of the current one, those of pyenv, on the PATH, and of uv."""
    if version == ".".join(map(str, sys.version_info[:2])):
        yield getattr(sys, "_base_executable", sys.executable)  # a copy in an environment can disappear with it
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local" / "share" / "uv" / "python")
    installed = *_newest_first(pyenv, f"{version}.*"), None, *_newest_first(uv, f"cpython-{version}.*")
    paths = (shutil.which(f"python{version}", path=folder and str(folder / "bin")) for folder in installed)
    yield from filter(None, paths)


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=lambda path: [*map(int, re.findall(r"\d+", path.name))], reverse=True)


def _reported_by(path: str) -> str:
    """Return the implementation, version and path that an interpreter reports; empty if it does not start."""
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine
            [path, "-I", "-c", ASK], capture_output=True, text=True, timeout=SECONDS_TO_START, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def uv_program() -> str:
    """Return the path of uv, next to this interpreter or on the PATH. Raise NoUv if it is not installed."""
    path = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    if path is None:
        raise NoUv("building environments needs uv: pip install 'rankproof[env]'")
    return path


def resolved(plan: Plan, python: str, folder: Path) -> str:
    """Return the lock of a plan with the digests of all files. Raise CannotBuild if it cannot be resolved."""

    def compiled(requirements: Sequence[str], *options: str) -> str:
        wanted = folder / "wanted.txt"
        wanted.write_text("".join(f"{requirement}\n" for requirement in requirements), encoding="utf-8")
        how = ["--generate-hashes", "--no-header", "--no-annotate", "--python", python, *_wheels_only(plan), *options]
        return _called("pip", "compile", "--quiet", *how, str(wanted))

    package = f"{plan.package}=={plan.version}"
    if not plan.without_dependencies:
        return compiled([package, *plan.requirements])
    return compiled([package], "--no-deps") + (compiled(plan.requirements) if plan.requirements else "")


def install(plan: Plan, base: str, lock: Path, folder: Path) -> None:
    """Create an environment in a folder, and install a lock. Raise CannotBuild if uv fails."""
    _called("venv", "--quiet", "--no-project", "--relocatable", "--python", base, str(folder))
    _called("pip", "sync", "--quiet", "--require-hashes", "--python", python_in(folder), *_wheels_only(plan), str(lock))


def python_in(folder: Path) -> str:
    """Return the interpreter of an environment."""
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def _wheels_only(plan: Plan) -> list[str]:
    # Source distributions run their own code and may need a compiler, so only those in the sheet are built.
    return ["--only-binary", ":all:", *(f"--no-binary={name}" for name in plan.from_source)]


def _called(*arguments: str) -> str:
    links = os.environ.get("UV_FIND_LINKS") or os.environ.get("PIP_FIND_LINKS")  # uv ignores the settings of pip
    settings = {"NO_COLOR": "1"} | ({"UV_FIND_LINKS": links} if links else {})
    try:
        done = subprocess.run(  # noqa: S603 - uv, and requirements of a sheet
            [uv_program(), *arguments],
            env={**os.environ, **settings},
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
    reason = re.split(r"\n\s*hint:", stderr)[0]
    text = one_line(" ".join(re.sub(r"[×╰─▶├│]|^error: ", " ", reason, flags=re.MULTILINE).split()))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
