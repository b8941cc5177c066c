"""The end of a command: closed, full or unread streams, Ctrl-C at any moment, faults of rankproof, and systems without fork."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from places import ROOT

from rankproof.cli.program import cli
from rankproof.reference_impl.evaluation import Collection

PROGRAM = (sys.executable, "-m", "rankproof", "show", "nDCG@10|gain:exp")


def in_shell(redirection: str) -> subprocess.CompletedProcess[str]:
    """Run a command with redirected streams; the shell prints the exit code to stderr."""
    command = f'"$@" {redirection}; echo "${{PIPESTATUS[0]}}" >&2'
    return subprocess.run(["bash", "-c", command, "sh", *PROGRAM], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("redirection", "stderr"),
    [
        ("| true", "3\n"),
        (">&-", "rankproof: the output was not written completely: bad file descriptor\n2\n"),
        (">/dev/full", "rankproof: the output was not written completely: no space left on device\n2\n"),
    ],
)
def test_output_that_cannot_be_written_is_at_most_one_line(redirection: str, stderr: str) -> None:
    assert in_shell(redirection).stderr == stderr


@pytest.mark.parametrize("closed", ["2>&-", "<&-"])
def test_command_works_without_stderr_or_stdin(closed: str) -> None:
    done = in_shell(closed)
    assert done.stderr == "0\n"
    assert done.stdout.startswith("nDCG@10, computed by reference")


def test_few_modules_are_imported_before_ctrl_c_is_handled() -> None:
    program = "import sys; before = set(sys.modules); import rankproof.entry; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    light = {"rankproof", "rankproof.entry", "rankproof.interruption", "rankproof.version"}
    assert {name for name in done.stdout.split() if name.startswith("rankproof")} <= light
    assert "click" not in done.stdout.split()
    assert 'rankproof = "rankproof.entry:main"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


# -- several command lines in a new process ----------------------------------------------------------------------------

LINES = """
import contextlib, io, json, sys

def run_lines():
    from rankproof.entry import main
    for sys.argv in json.loads(sys.argv[1]):
        out, err = io.StringIO(), io.StringIO()
        code = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as ended:
                code = ended.code
        print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
"""A program that runs command lines one after another, and prints exit code, stdout and stderr of each."""
Ended = tuple[int, str, str]


def run_lines(folder: Path, lines: Sequence[Sequence[str]], before: str = "") -> list[Ended]:
    """Run command lines in a new process, after some statements, in a folder whose modules come first."""
    (folder / "lines.py").write_text(f"{LINES}\nif __name__ == '__main__':\n    {before}\n    run_lines()\n")
    arguments = json.dumps([["rankproof", *line] for line in lines])
    command = [sys.executable, "lines.py", arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def replace_module(folder: Path, name: str, text: str) -> None:
    """Write a broken installation of rankproof with one module replaced."""
    *packages, module = name.split(".")
    for depth in range(1, len(packages) + 1):
        package = folder.joinpath(*packages[:depth])
        package.mkdir(exist_ok=True)
        original = ROOT.joinpath("harness", *packages[1:depth])
        (package / "__init__.py").write_text(f"__path__.append({str(original)!r})\n")
    (package / f"{module}.py").write_text(text)


FAULTS = {
    "KeyError('q1')": "KeyError in <string>, line 1: 'q1'",
    "ZeroDivisionError('0')": "ZeroDivisionError in <string>, line 1: 0",
}
NO_FAULTS = {
    "Unusable('run.txt:3: no')": (2, "rankproof: run.txt:3: no"),
    "UnknownMeasure('nDGC is no measure')": (2, "rankproof: nDGC is no measure"),
    "FileNotFoundError(2, 'No such file', 'run.txt')": (2, "rankproof: [Errno 2] No such file: 'run.txt'"),
    "OSError(28, 'No space left')": (2, "rankproof: the output was not written completely: no space left"),
    "with_notes(Incomplete('two were lost'), 'a', 'b')": (3, "rankproof: two were lost\na\nb"),
    "MemoryError()": (3, "rankproof: not enough memory"),
    "KeyboardInterrupt()": (3, "interrupted: nothing was published"),
    "RuntimeError('in __set_name__') from KeyboardInterrupt()": (3, "interrupted: nothing was published"),
    "click.Abort()": (3, "interrupted: nothing was published"),
    "with_notes(KeyboardInterrupt(), '1 is done', '2 are not')": (3, "interrupted: 1 is done; 2 are not"),
}
RAISING_VERB = """
import click
from rankproof.interruption import Incomplete
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.unusable import Unusable

def with_notes(error, *notes):
    for note in notes:
        error.add_note(note)
    return error

@click.command()
@click.argument("statement")
def command(statement):
    exec(statement, globals())
"""
IN_BROKEN_PIPE = "try: raise BrokenPipeError\nexcept BrokenPipeError: raise SystemExit(1)"
"""Statements with which rich ends a command if its output pipe is closed."""


@pytest.fixture(scope="module")
def raised(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Ended]:
    """Return, for each error, how a command ends that raises it."""
    folder = tmp_path_factory.mktemp("raising")
    replace_module(folder, "rankproof.cli.demo", RAISING_VERB)
    statements = {error: f"raise {error}" for error in (*FAULTS, *NO_FAULTS)} | {"broken pipe": IN_BROKEN_PIPE}
    ended = run_lines(folder, [["demo", statement] for statement in statements.values()])
    return dict(zip(statements, ended, strict=True))


@pytest.mark.parametrize("error", FAULTS)
def test_any_other_error_is_reported_in_one_line_as_a_fault_of_rankproof(
    error: str, raised: Mapping[str, Ended]
) -> None:
    message = f"rankproof: error in rankproof: {FAULTS[error]}; please report it with the command\n"
    assert raised[error] == (4, "", message)


@pytest.mark.parametrize("error", NO_FAULTS)
def test_bad_input_and_interruptions_are_not_reported_as_faults(error: str, raised: Mapping[str, Ended]) -> None:
    code, message = NO_FAULTS[error]
    assert raised[error] == (code, "", f"{message}\n" if message else "")


def test_pipe_that_broke_under_rich_is_incomplete_rather_than_a_verdict(raised: Mapping[str, Ended]) -> None:
    assert raised["broken pipe"] == (3, "", "")


@pytest.mark.parametrize(
    ("statement", "code", "stderr"),
    [
        ("raise KeyboardInterrupt", 3, "interrupted: nothing was published\n"),
        ("{}['x']", 4, "rankproof: error in rankproof or in its installation: KeyError: 'x'\n"),
    ],
)
def test_error_while_the_command_line_is_imported_is_one_line(
    statement: str, code: int, stderr: str, tmp_path: Path
) -> None:
    replace_module(tmp_path, "rankproof.cli.program", statement)
    assert run_lines(tmp_path, [[]]) == [(code, "", stderr)]


def test_signals_are_ignored_at_the_end(tmp_path: Path) -> None:
    """Python restores its handlers before it ends, and then a signal would end it."""
    replace_module(tmp_path, "rankproof.cli.program", "def main():\n    raise SystemExit(0)\n")
    late = (
        "import os, signal\nfrom rankproof import entry\n"
        "try: entry.main()\n"
        "finally: [os.kill(os.getpid(), n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]\n"
    )
    done = subprocess.run([sys.executable, "-c", late], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("runs", [("run",), ("run", "run2"), ("run", "--out", "kept")])
def test_value_error_of_the_reference_is_not_the_fault_of_a_run(
    runs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ValueError("3 is not in list")

    monkeypatch.setattr(Collection, "worth", broken)  # no input makes the reference raise a bare ValueError
    for name in ("qrels", "run", "run2"):
        rows = (f"q{q} 0 d{d} 1{' 2 t' * (name != 'qrels')}\n" for q in range(3) for d in range(3))
        (tmp_path / name).write_text("".join(rows))
    arguments = [word if word == "--out" else str(tmp_path / word) for word in ("qrels", *runs)]
    error = CliRunner().invoke(cli, ["evaluate", *arguments], standalone_mode=False).exception
    assert type(error) is ValueError, "it would be reported as bad input"


# -- systems without fork, poll and half of the signals ----------------------------------------------------------------

STRIP = """
import asyncio, concurrent.futures.process, multiprocessing.popen_spawn_posix, os, select, signal, subprocess
import psutil, sys, tempfile  # these modules run on every system, with other code on Windows

for name in ("SIGHUP", "SIGKILL", "SIGQUIT", "SIGALRM", "SIGPIPE", "SIGXFSZ", "SIGCHLD", "setitimer", "alarm"):
    delattr(signal, name)
for name in ("fork", "forkpty", "setsid", "killpg", "getpgid", "setpgid", "sched_getaffinity", "getuid"):
    delattr(os, name)
del select.poll
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
"""


def test_evaluate_explain_and_show_work_without_fork_and_poll(tmp_path: Path) -> None:
    (tmp_path / "strip.py").write_text(STRIP)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    for i in range(1, 4):
        (tmp_path / f"r{i}").write_text(f"q1 Q0 a {i} {9 - 2 * i} t\nq1 Q0 b 2 6 t\nq2 Q0 a 1 1 t\n")
    lines = {
        "evaluate qrels r2 -m AP": "measure mean AP 0.7500",
        "evaluate qrels r1 r2 r3 -m AP --jobs 2 --out kept": "measure r1 r2 r3 AP 1.0000 0.7500 0.7500",
        "explain qrels r2 -m AP --as standard --as trec_eval-9": "AP is 0.7500",
        "show AP|missing:nan|by:x": "AP, computed by x",
    }
    ended = run_lines(tmp_path, [line.split() for line in lines], before="import strip")
    for (code, out, _), start in zip(ended, lines.values(), strict=True):
        assert code == 0
        assert " ".join(out.split()).startswith(start)
