"""Set up this checkout and run a command in it. The machine needs only Python 3.11 or newer.

    python3 start.py run [OPTION]...     run every library on every case: `rankproof run`
    python3 start.py test [OPTION]...    run the tests: `pytest`, with one process more than cores

Packages are installed into .venv in this folder, and trec_eval into your cache. Each package must have its digest in
locks/. Completed steps are not repeated, and an interrupted set-up continues from its last step. All options are
passed on to the command.

The tests of pages need Chromium. If it is missing, start.py installs Debian's Chromium for root on Debian, and
Playwright's for everyone else. If neither can be installed, these tests are skipped. If CI is set, every missing
program is a failure. Root on Debian then also gets Node, Java and R for the tests of adapters and runners.

Exit codes: those of the command; 2 for an unknown command, and 3 if the set-up failed or was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
DONE = VENV / "start.json"
"""File with the completed steps: the name of each, and a digest of its dependencies."""
OLDEST, NEWEST = 11, 30
"""The versions 3.x of Python that start.py looks for."""
WRONG, INCOMPLETE = 2, 3
TESTS = ("--numprocesses", str((os.cpu_count() or 1) + 1), "--dist", "worksteal")
"""Options of pytest: one process more than cores, because tests wait; two more took 427 s instead of 368 s on two cores."""
CHROMIUM = "chromium fonts-liberation"
PROGRAMS = (
    (CHROMIUM, ("chromium", "chromium-browser", "google-chrome", "chrome")),
    ("nodejs", ("node",)),
    ("default-jdk-headless", ("java",)),
    ("r-base-core r-cran-jsonlite", ("Rscript",)),
)
"""Debian's packages, each with alternative names of its program."""
APT = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"'
MOST_LINES = 15
"""Maximum number of lines that are shown of the output of a failed step."""
BROWSER = "import sys; sys.path.insert(0, 'tests/support'); import browsers; print(browsers.chromium() or '')"


class Failed(Exception):
    """A failed step; the message has the reason."""


def main(arguments: list[str]) -> int:
    """Set up the checkout for `run` or `test`, and run that command with the other arguments."""
    word, rest = (arguments[0] if arguments else "--help"), arguments[1:]
    if word in {"-h", "--help"}:
        print((__doc__ or "").rstrip())
        return 0 if arguments else WRONG
    if word not in {"run", "test"}:
        return fail(f"unknown command {word!r}; type python3 start.py run or python3 start.py test", WRONG)
    os.chdir(ROOT)
    try:
        if sys.version_info < (3, OLDEST):
            return hand_over([find_newer_python(), "start.py", *arguments])
        with lock_checkout():
            set_up(steps_of_tests() if word == "test" else steps_of_run())
    except Failed as why:
        return fail(f"{why}; type the same command to continue", INCOMPLETE)
    except KeyboardInterrupt:
        return fail("interrupted; type the same command to continue", INCOMPLETE)
    return hand_over([str(BIN / "pytest"), *TESTS, *rest] if word == "test" else [str(BIN / "rankproof"), "run", *rest])


def fail(text: str, code: int) -> int:
    """Print why the set-up stops, and return the exit code."""
    print(f"start.py: {text}", file=sys.stderr, flush=True)
    return code


def find_newer_python() -> str:
    """Return a new enough Python on the PATH."""
    python = next(filter(None, (shutil.which(f"python3.{minor}") for minor in range(NEWEST, OLDEST - 1, -1))), None)
    if python is None:
        raise Failed(
            f"Python {sys.version.split()[0]} is too old, and the PATH has no newer one: install Python 3.{OLDEST} or newer"
        )
    return python


def hand_over(command: list[str]) -> int:
    """Replace this process by a command if the system can; otherwise run the command and return its exit code."""
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)


@contextmanager
def lock_checkout() -> Iterator[None]:
    """Wait for other start.py processes of this checkout, and make later ones wait.

    Do nothing if the system has no locks.
    """
    try:
        import fcntl  # Windows lacks this module
    except ImportError:
        yield
        return
    with Path(__file__).open() as lock:  # locking an existing file leaves no lock file behind
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("another start.py is setting up this checkout; waiting until it ends", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# -- steps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A step of the set-up, which runs once.

    Attributes:
        name: the installed software.
        do: runs the step; it receives the label that shows the progress.
        needs: the dependencies of the result; if they change, the step runs again.
        is_there: whether the result still exists.
        optional: whether the set-up continues without it, with a warning.
    """

    name: str
    do: Callable[[str], object]
    needs: Sequence[str]
    is_there: Callable[[], bool] = lambda: True
    optional: bool = False


def steps_of_run() -> list[Step]:
    """Return the steps that `rankproof run` needs."""
    return [*packages("libraries"), rankproof(), trec_eval()]


def steps_of_tests() -> list[Step]:
    """Return the steps that the tests need."""
    return [*packages("dev"), rankproof(), trec_eval(), *browser()]


def packages(lock: str) -> list[Step]:
    """Return the steps that install all packages of a lock into the environment."""
    build = [str(PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", "locks/build.txt"]
    locked = [*uv_install(), "--require-hashes", "--requirement", f"locks/{lock}.txt"]
    return [
        Step("an environment in .venv", environment, [str(ROOT)], environment_is_there),
        Step("uv", lambda label: run(build, label), [text_of("locks/build.txt")], (BIN / name_of("uv")).exists),
        Step(f"packages of locks/{lock}.txt", lambda label: run(locked, label), [text_of(f"locks/{lock}.txt")]),
    ]


def uv_install() -> list[str]:
    """Return the command that installs packages without compiling them, because most modules are never imported."""
    return [str(BIN / name_of("uv")), "pip", "install", "--python", str(VENV), "--quiet", "--no-build-isolation"]


def rankproof() -> Step:
    """Return the step that installs this checkout in editable mode."""
    install = [*uv_install(), "--no-deps", "--editable", "."]
    return Step("rankproof", lambda label: run(install, label), [str(ROOT), text_of("pyproject.toml")])


def trec_eval() -> Step:
    """Return the step that installs trec_eval.

    On systems without a published build, the error explains how to compile it.
    """
    fetch = [str(BIN / name_of("rankproof")), "env", "build", "trec_eval"]
    named, caches = os.environ.get("RANKPROOF_CACHE"), os.environ.get("XDG_CACHE_HOME")
    cache = Path(named) if named else Path(caches or Path.home() / ".cache") / "rankproof"
    is_there = (cache / "programs" / "trec_eval").exists
    needs = [str(cache), text_of("adapters/trec_eval.toml")]
    return Step("trec_eval", lambda label: run(fetch, label), needs, is_there, optional=True)


def environment(label: str) -> None:
    """Create the virtual environment, and replace an environment whose Python does not run."""
    anew = [] if environment_is_there() else ["--clear"]
    try:
        run([sys.executable, "-m", "venv", *anew, str(VENV)], label)
    except Failed as why:
        if "ensurepip" in str(why):
            raise Failed("this Python lacks the module ensurepip; type apt-get install python3-venv") from None
        raise


def environment_is_there() -> bool:
    """Return whether the Python of the environment runs."""
    return bool(output([str(PYTHON), "-c", "print(1)"]))


def browser() -> list[Step]:
    """Return the steps that install missing programs: Chromium, and in CI also Node, Java and R."""
    lacking = dict(PROGRAMS if os.environ.get("CI") else PROGRAMS[:1])
    lacking = {package: names for package, names in lacking.items() if not any(map(shutil.which, names))}
    if os.environ.get("RANKPROOF_CHROMIUM"):
        lacking.pop(CHROMIUM, None)
    if lacking and can_apt():
        began = start(
            ["sh", "-c", APT, "sh", *" ".join(lacking).split()], by_itself=True
        )  # in the background, while packages are installed
        return [
            Step(
                "from Debian: " + " ".join(lacking),
                lambda label: wait_for(began, label),
                [str(began.process.pid)],
                optional=True,
            )
        ]
    return [Step("Chromium", of_playwright, [], has_browser, optional=True)] if CHROMIUM in lacking else []


def can_apt() -> bool:
    """Return whether this is root on Debian or a system derived from it."""
    return bool(shutil.which("apt-get")) and hasattr(os, "geteuid") and os.geteuid() == 0


def has_browser() -> bool:
    """Return whether the tests find a browser."""
    return bool(output([str(PYTHON), "-c", BROWSER]).strip())


def of_playwright(label: str) -> None:
    """Install the Chromium that belongs to the locked version of Playwright."""
    if has_browser():
        return
    run([str(BIN / name_of("playwright")), "install", "chromium"], label)
    if not has_browser():
        raise Failed("Playwright's Chromium does not start here; type .venv/bin/playwright install-deps chromium")


# -- execution ---------------------------------------------------------------------------------------------------------


def set_up(steps: Sequence[Step]) -> None:
    """Run the steps that are not done yet, in order, until a required step fails."""
    for number, step in enumerate(steps, start=1):
        depends = hashlib.sha256("\0".join(step.needs).encode()).hexdigest()
        if known().get(step.name) == depends and step.is_there():
            continue
        label = f"[{number}/{len(steps)}] {step.name}"
        began = time.monotonic()
        try:
            step.do(label)
        except Failed as why:
            if not step.optional:
                raise Failed(f"{step.name}: {why}") from None
            show(f"{label}: not available on this machine: {why}", end="\n")
            continue
        show(f"{label}: {time.monotonic() - began:.0f} s", end="\n")
        DONE.write_text(json.dumps({**known(), step.name: depends}, indent=1), encoding="utf-8")


def known() -> dict[str, str]:
    """Return the completed steps, each with the digest of its dependencies."""
    try:
        steps = json.loads(DONE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return steps if isinstance(steps, dict) else {}


@dataclass(frozen=True)
class RunningCommand:
    """A running command, and the file with its output."""

    command: Sequence[str]
    process: subprocess.Popen[bytes]
    output: IO[bytes]


def start(command: Sequence[str], *, by_itself: bool = False) -> RunningCommand:
    """Start a command; with `by_itself`, Ctrl-C does not interrupt it.

    Raises:
        Failed: The command cannot be started.
    """
    printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the command ended
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, start_new_session=by_itself
        )
    except OSError as error:
        printed.close()
        raise Failed(f"{command[0]}: {error.strerror}") from None
    return RunningCommand(command, process, printed)


def wait_for(running: RunningCommand, label: str) -> None:
    """Wait for the end of a command, and show the elapsed time.

    Raises:
        Failed: The command failed; the message is the end of its output.
    """
    began = time.monotonic()
    with running.output:
        while running.process.poll() is None:
            show(f"{label} … {time.monotonic() - began:.0f} s", end="\r")
            with suppress(subprocess.TimeoutExpired):
                running.process.wait(0.5)
        if running.process.returncode:
            running.output.seek(0)
            lines = running.output.read().decode("utf-8", "replace").split("\n")
            tail = "\n".join([line.rstrip() for line in lines if line.strip()][-MOST_LINES:])
            raise Failed(tail or f"{Path(running.command[0]).name} ends with exit code {running.process.returncode}")


def run(command: Sequence[str], label: str) -> None:
    """Run a command to its end, or until start.py is interrupted.

    Raises:
        Failed: The command cannot be started, or failed.
    """
    running = start(command)
    try:
        wait_for(running, label)
    except BaseException:
        running.process.terminate()
        running.process.wait()
        raise


def show(text: str, end: str) -> None:
    """Print the progress; lines that the next line overwrites are printed only on a terminal."""
    if sys.stderr.isatty():
        whole = text if end == "\n" else text[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[K{whole}", end=end, file=sys.stderr, flush=True)
    elif end == "\n":
        print(text, file=sys.stderr, flush=True)


def output(command: Sequence[str]) -> str:
    """Return the output of a command, or an empty text if the command fails or cannot run."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "" if done.returncode else done.stdout


def name_of(program: str) -> str:
    """Return the file name of a program on this system."""
    return f"{program}.exe" if os.name == "nt" else program


def text_of(path: str) -> str:
    """Return the text of a file of the checkout."""
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
