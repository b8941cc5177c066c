"""How a verb ends where nobody reads, where stdout is closed or full, and where it is interrupted at once: quietly, or in one line."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
import typed_commands

from rankproof import entry, interruption
from rankproof.cli import program

PROGRAM = (sys.executable, "-m", "rankproof", "show", "nDCG@10|gain:exp")


def under_a_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command, "sh", *PROGRAM], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("redirected", "said"),
    [
        ("| true", "3\n"),
        (">&-", "rankproof: the output was not written completely: bad file descriptor\n2\n"),
        (">/dev/full", "rankproof: the output was not written completely: no space left on device\n2\n"),
        ("2>/dev/null | cat >&2", None),
    ],
)
def test_a_verb_whose_output_nobody_takes_ends_in_a_line_at_most(redirected: str, said: str | None) -> None:
    done = under_a_shell(f'"$@" {redirected}; echo "${{PIPESTATUS[0]}}" >&2')
    if said is None:
        assert done.stderr.endswith("\n0\n")
    else:
        assert done.stderr == said


@pytest.mark.parametrize("closed", ["2>&-", "<&-"])
def test_a_verb_without_stderr_or_stdin_does_what_it_is_asked_to(closed: str) -> None:
    done = under_a_shell(f'"$@" {closed}')
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("nDCG@10, computed by reference")


def test_what_rich_does_where_nobody_reads_is_no_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def gone() -> object:
        try:
            raise BrokenPipeError  # noqa: TRY301 - as rich does
        except BrokenPipeError:
            raise SystemExit(1)  # noqa: B904 - as rich does

    monkeypatch.setattr(program, "run_verb", gone)
    assert typed_commands.rankproof(cwd=tmp_path).code == interruption.INCOMPLETE


def test_a_question_that_is_not_answered_interrupts_the_verb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stopped() -> object:
        raise click.Abort

    monkeypatch.setattr(program, "run_verb", stopped)
    done = typed_commands.rankproof(cwd=tmp_path)
    assert (done.code, done.err) == (interruption.INCOMPLETE, f"{interruption.INTERRUPTED}\n")


def test_ctrl_c_during_imports_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped(_: str) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "import_module", stopped)
    with pytest.raises(SystemExit) as left:
        entry.main()
    assert (left.value.code, capsys.readouterr().err) == (3, f"{interruption.INTERRUPTED}\n")


def test_nothing_that_takes_time_is_imported_before_ctrl_c_is_seen_to() -> None:
    known = "import sys; before = set(sys.modules); import rankproof.entry; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", known], capture_output=True, text=True, check=True)
    light = {"rankproof", "rankproof.entry", "rankproof.interruption", "rankproof.version"}
    assert {name for name in done.stdout.split() if name.startswith("rankproof")} <= light
    assert "click" not in done.stdout.split()
    scripts = (Path(__file__).resolve().parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert 'rankproof = "rankproof.entry:main"' in scripts


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("run --fly", " run: No such option '--fly'; see `rankproof run --help`"),
        ("Chekc", ": unknown verb Chekc; did you mean check?; see `rankproof --help`"),
        (
            "evaluate q r --column score",
            (
                " evaluate: --column score is not of the form NAME=COLUMN, as doc_id=DOC or run.score=SCORE; "
                "see `rankproof evaluate --help`"
            ),
        ),
        (
            f"cases repro {'x' * 5000} ranx",
            f": {'x' * 250}… (5,000 characters) is no case; `rankproof cases list` shows them",
        ),
    ],
)
def test_bad_usage_is_one_line(line: str, said: str, tmp_path: Path) -> None:
    done = typed_commands.rankproof(*line.split(), cwd=tmp_path)
    assert (done.code, done.err) == (program.BAD_INPUT, f"rankproof{said}\n")


def test_help_is_usage_and_all_of_it(tmp_path: Path) -> None:
    done = typed_commands.rankproof("evaluate", "--help", cwd=tmp_path)
    assert done.code == 0
    assert done.out.startswith("Usage: rankproof evaluate [OPTIONS] QRELS RUN...")


def test_nothing_interrupts_the_end() -> None:
    """Python takes its handlers back before it ends, and a signal that came then would end it by that signal."""
    late = (
        "import os, signal, sys, types; from rankproof import entry\n"
        "entry.import_module = lambda _: types.SimpleNamespace(main=lambda: sys.exit(0))\n"
        "try: entry.main()\n"
        "finally: [os.kill(os.getpid(), n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]\n"
    )
    done = subprocess.run([sys.executable, "-c", late], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
