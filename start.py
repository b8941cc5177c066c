"""Set this checkout up, and run a command in it: one line, on a machine that has Python 3.11 or newer and nothing else.

    python3 start.py run [OPTION]...     every library is asked every case: `rankproof run`
    python3 start.py test [OPTION]...    the tests: `pytest`, in a process more than there are cores

What is installed goes into .venv here, and trec_eval into your cache; each package is held to its digest in locks/. What is done
is not done again, and a set-up that was interrupted goes on where it stopped. What follows the first word is handed on.

The tests of pages need Chromium. Where none is found, root on Debian gets Debian's, and everybody else Playwright's; where neither
can be had, those tests are skipped. Where CI is set, whatever is absent is a failure, and root on Debian gets Node, Java
and R, too, for the tests of adapters and runners in those languages.

Exit codes: those of the command; 2 for a wrong word here, and 3 where the set-up failed or was interrupted.
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
"""By name of a step: a digest of all that it depended on when it was done."""
OLDEST, NEWEST = 11, 30
"""The versions 3.x of Python that are looked for."""
WRONG, INCOMPLETE = 2, 3
TESTS = ("--numprocesses", str((os.cpu_count() or 1) + 1), "--dist", "worksteal")
"""A process more than there are cores: tests wait for what they started. With two more, two cores took 427 s in place of 368."""
CHROMIUM = "chromium fonts-liberation"
PROGRAMS = (
    (CHROMIUM, ("chromium", "chromium-browser", "google-chrome", "chrome")),
    ("nodejs", ("node",)),
    ("default-jdk-headless", ("java",)),
    ("r-base-core r-cran-jsonlite", ("Rscript",)),
)
"""Debian's packages, and the programs of which one is enough."""
APT = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"'
SHOWN = 15
"""How many lines are shown of what a step said that failed."""
BROWSER = "import sys; sys.path.insert(0, 'tests/support'); import browsers; print(browsers.chromium() or '')"


class Failed(Exception):
    """A step did not succeed; the message says why."""


def main(arguments: list[str]) -> int:
    """Set up what the first word needs, and run it with the others."""
    word, rest = (arguments[0] if arguments else "--help"), arguments[1:]
    if word in {"-h", "--help"}:
        print((__doc__ or "").rstrip())
        return 0 if arguments else WRONG
    if word not in {"run", "test"}:
        return said(f"{word!r} is neither run nor test; see python3 start.py --help", WRONG)
    os.chdir(ROOT)
    try:
        if sys.version_info < (3, OLDEST):
            return handed_on([newer_python(), "start.py", *arguments])
        with alone():
            set_up(steps_of_tests() if word == "test" else steps_of_run())
    except Failed as why:
        return said(f"{why}; the same line goes on from there", INCOMPLETE)
    except KeyboardInterrupt:
        return said("interrupted; the same line goes on from there", INCOMPLETE)
    return handed_on([str(BIN / "pytest"), *TESTS, *rest] if word == "test" else [str(BIN / "rankproof"), "run", *rest])


def said(text: str, code: int) -> int:
    """Say why it ends, and give the exit code."""
    print(f"start.py: {text}", file=sys.stderr, flush=True)
    return code


def newer_python() -> str:
    """A Python on the PATH that is new enough."""
    found = next(filter(None, (shutil.which(f"python3.{minor}") for minor in range(NEWEST, OLDEST - 1, -1))), None)
    if found is None:
        raise Failed(
            f"this is Python {sys.version.split()[0]}, and no python3.{OLDEST} or newer is on the PATH: install one"
        )
    return found


def handed_on(command: list[str]) -> int:
    """What a command ends with, which takes the place of this process where it can."""
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606 - without a shell
    return subprocess.call(command)


@contextmanager
def alone() -> Iterator[None]:
    """While nobody else sets this checkout up; where that cannot be known, it is taken to be so."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        yield
        return
    with Path(__file__).open() as lock:  # it is no file of its own that would be left behind
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("another start.py is setting up this checkout: waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# -- what is to be done ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A part of the set-up, done once.

    Attributes:
        name: what it brings.
        do: does it; given how the step is shown while it is done.
        needs: all that the outcome depends on: where that is another, it is done again.
        is_there: whether the outcome is there still.
        optional: whether all goes on without it, which is said.
    """

    name: str
    do: Callable[[str], object]
    needs: Sequence[str]
    is_there: Callable[[], bool] = lambda: True
    optional: bool = False


def steps_of_run() -> list[Step]:
    """What `rankproof run` needs."""
    return [*packages("libraries"), rankproof(), trec_eval()]


def steps_of_tests() -> list[Step]:
    """What the tests need."""
    return [*packages("dev"), rankproof(), trec_eval(), *browser()]


def packages(lock: str) -> list[Step]:
    """An environment with all packages of a lock."""
    build = [str(PYTHON), "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", "locks/build.txt"]
    locked = [*uv_install(), "--require-hashes", "--requirement", f"locks/{lock}.txt"]
    return [
        Step("an environment in .venv", environment, [str(ROOT)], environment_is_there),
        Step("uv", lambda label: run(build, label), [text_of("locks/build.txt")], (BIN / name_of("uv")).exists),
        Step(f"packages of locks/{lock}.txt", lambda label: run(locked, label), [text_of(f"locks/{lock}.txt")]),
    ]


def uv_install() -> list[str]:
    """The command that installs, without compiling what may never be imported."""
    return [str(BIN / name_of("uv")), "pip", "install", "--python", str(VENV), "--quiet", "--no-build-isolation"]


def rankproof() -> Step:
    """This checkout itself, so that what is changed in it is what runs."""
    install = [*uv_install(), "--no-deps", "--editable", "."]
    return Step("rankproof", lambda label: run(install, label), [str(ROOT), text_of("pyproject.toml")])


def trec_eval() -> Step:
    """The program trec_eval; elsewhere than on Linux on x86-64 it is said how to build it."""
    fetch = [str(BIN / name_of("rankproof")), "env", "build", "trec_eval"]
    named, caches = os.environ.get("RANKPROOF_CACHE"), os.environ.get("XDG_CACHE_HOME")
    cache = Path(named) if named else Path(caches or Path.home() / ".cache") / "rankproof"
    is_there = (cache / "programs" / "trec_eval").exists
    needs = [str(cache), text_of("adapters/trec_eval.toml")]
    return Step("trec_eval", lambda label: run(fetch, label), needs, is_there, optional=True)


def environment(label: str) -> None:
    """A virtual environment; one whose Python does not run, as it is gone or the folder lay elsewhere, is made anew."""
    anew = [] if environment_is_there() else ["--clear"]
    try:
        run([sys.executable, "-m", "venv", *anew, str(VENV)], label)
    except Failed as why:
        if "ensurepip" in str(why):
            raise Failed("this Python came without its module ensurepip: apt-get install python3-venv") from None
        raise


def environment_is_there() -> bool:
    """Whether its Python runs."""
    return bool(output([str(PYTHON), "-c", "print(1)"]))


def browser() -> list[Step]:
    """Chromium, and where all is demanded what else the tests need that no Python package brings; nothing where all is there."""
    lacking = dict(PROGRAMS if os.environ.get("CI") else PROGRAMS[:1])
    lacking = {package: names for package, names in lacking.items() if not any(map(shutil.which, names))}
    if os.environ.get("RANKPROOF_CHROMIUM"):
        lacking.pop(CHROMIUM, None)
    if lacking and can_apt():
        began = started(
            ["sh", "-c", APT, "sh", *" ".join(lacking).split()], by_itself=True
        )  # while packages are installed
        return [
            Step(
                "from Debian: " + " ".join(lacking),
                lambda label: ended(began, label),
                [str(began.process.pid)],
                optional=True,
            )
        ]
    return [Step("Chromium", of_playwright, [], has_browser, optional=True)] if CHROMIUM in lacking else []


def can_apt() -> bool:
    """Whether this is root on Debian, or on a system made of it."""
    return bool(shutil.which("apt-get")) and hasattr(os, "geteuid") and os.geteuid() == 0


def has_browser() -> bool:
    """Whether the tests find one."""
    return bool(output([str(PYTHON), "-c", BROWSER]).strip())


def of_playwright(label: str) -> None:
    """The Chromium of the version of Playwright that is locked, in the cache of Playwright."""
    if has_browser():
        return
    run([str(BIN / name_of("playwright")), "install", "chromium"], label)
    if not has_browser():
        raise Failed("Playwright's Chromium does not run here; `playwright install-deps chromium` brings what it lacks")


# -- doing it ----------------------------------------------------------------------------------------------------------


def set_up(steps: Sequence[Step]) -> None:
    """Do what is not done yet, one after another."""
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
            show(f"{label}: not to be had here: {why}", end="\n")
            continue
        show(f"{label}: {time.monotonic() - began:.0f} s", end="\n")
        DONE.write_text(json.dumps({**known(), step.name: depends}, indent=1), encoding="utf-8")


def known() -> dict[str, str]:
    """What was done."""
    try:
        found = json.loads(DONE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True)
class Started:
    """A command that runs, and where what it says is kept."""

    command: Sequence[str]
    process: subprocess.Popen[bytes]
    says: IO[bytes]


def started(command: Sequence[str], *, by_itself: bool = False) -> Started:
    """Start a command; `by_itself`, an interruption does not reach it.

    Raises:
        Failed: it cannot be started.
    """
    says = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it ended
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=says, stderr=subprocess.STDOUT, start_new_session=by_itself
        )
    except OSError as error:
        says.close()
        raise Failed(f"{command[0]}: {error.strerror}") from None
    return Started(command, process, says)


def ended(one: Started, label: str) -> None:
    """Wait for the end of a command, and show for how long that takes.

    Raises:
        Failed: it did not succeed; with the end of what it said.
    """
    began = time.monotonic()
    with one.says:
        while one.process.poll() is None:
            show(f"{label} … {time.monotonic() - began:.0f} s", end="\r")
            with suppress(subprocess.TimeoutExpired):
                one.process.wait(0.5)
        if one.process.returncode:
            one.says.seek(0)
            lines = one.says.read().decode("utf-8", "replace").split("\n")
            told = "\n".join([line.rstrip() for line in lines if line.strip()][-SHOWN:])
            raise Failed(told or f"{Path(one.command[0]).name} ends with exit code {one.process.returncode}")


def run(command: Sequence[str], label: str) -> None:
    """Run a command to its end, or until this is interrupted.

    Raises:
        Failed: as `started` and `ended` do.
    """
    one = started(command)
    try:
        ended(one, label)
    except BaseException:
        one.process.terminate()
        one.process.wait()
        raise


def show(text: str, end: str) -> None:
    """Say how far it is; what the next line takes the place of is for a terminal alone."""
    if sys.stderr.isatty():
        whole = text if end == "\n" else text[: shutil.get_terminal_size().columns - 1]
        print(f"\r\x1b[K{whole}", end=end, file=sys.stderr, flush=True)
    elif end == "\n":
        print(text, file=sys.stderr, flush=True)


def output(command: Sequence[str]) -> str:
    """What a command says; nothing where it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "" if done.returncode else done.stdout


def name_of(program: str) -> str:
    """What its file is called here."""
    return f"{program}.exe" if os.name == "nt" else program


def text_of(path: str) -> str:
    """What a file of the checkout holds."""
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
