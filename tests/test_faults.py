"""Whose fault an error is stands in its type: what was given is told as that, all else as a fault of rankproof, with its own exit code."""

import ast
import builtins
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

from rankproof import entry, interruption
from rankproof.cli import program
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.unusable import Unusable

FAULTS = (KeyError("q1"), ValueError("not enough values to unpack"), TypeError("no"), ZeroDivisionError("0"))


def ended(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["rankproof", *arguments])
    with pytest.raises(SystemExit) as left:
        program.main()
    return int(left.value.code or 0)


def raising(error: BaseException) -> Callable[..., object]:
    def broken(*_: object, **__: object) -> object:
        raise error

    return broken


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_fault_of_rankproof_has_a_code_of_its_own_whatever_it_is(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "run_verb", raising(fault))
    assert ended(monkeypatch) == interruption.FAULT == 4
    said = capsys.readouterr().err
    assert said.startswith(f"rankproof: this is a fault of rankproof: {type(fault).__name__} in test_faults.py, line ")
    assert said.count("\n") == 1


def noted(error: BaseException, *notes: str) -> BaseException:
    for note in notes:
        error.add_note(note)
    return error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (Unusable("run.txt:3: no"), 2, "rankproof: run.txt:3: no"),
        (UnknownMeasure("nDGC is no measure"), 2, "rankproof: nDGC is no measure"),
        (FileNotFoundError(2, "No such file", "run.txt"), 2, "rankproof: [Errno 2] No such file: 'run.txt'"),
        (OSError(28, "No space left"), 2, "rankproof: the output was not written completely: no space left"),
        (
            noted(interruption.Incomplete("two were lost"), "that of a", "that of b"),
            3,
            "rankproof: two were lost\nthat of a\nthat of b",
        ),
        (MemoryError(), 3, "rankproof: there is not enough memory"),
        (KeyboardInterrupt(), 3, "interrupted: nothing was published"),
        (noted(KeyboardInterrupt(), "1 is done", "2 are not"), 3, "interrupted: 1 is done; 2 are not"),
    ],
    ids=repr,
)
def test_what_is_no_fault_of_rankproof_is_not_told_as_one(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "run_verb", raising(error))
    assert ended(monkeypatch) == code
    assert capsys.readouterr().err == f"{said}\n"


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_what_fails_before_the_command_line_is_there_is_one_line_too(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(entry, "handle_signals", raising(fault))
    monkeypatch.setattr(entry, "ignore_signals", lambda: None)
    with pytest.raises(SystemExit) as left:
        entry.main()
    said = capsys.readouterr().err
    assert left.value.code == interruption.FAULT
    assert said.startswith("rankproof: this is a fault of rankproof or of its installation: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("runs", [("run",), ("run", "run2"), ("run", "--out", "kept")])
def test_a_bare_value_error_while_a_run_is_measured_is_not_the_runs_fault(
    runs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("qrels", "run", "run2"):
        (tmp_path / name).write_text(
            "".join(f"q{q} 0 d{d} 1{' 2 t' * (name != 'qrels')}\n" for q in range(3) for d in range(3))
        )
    monkeypatch.setattr(Collection, "worth", raising(ValueError("3 is not in list")))
    assert ended(monkeypatch, "evaluate", "qrels", *runs) == interruption.FAULT
    assert "this is a fault of rankproof: ValueError" in capsys.readouterr().err


def test_help_names_every_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ended(monkeypatch, "--help")
    told = " ".join(capsys.readouterr().out.split())
    assert "2 bad usage or input; 3 interrupted or incomplete; 4 an error in rankproof." in told


OURS = {
    "Unmeasured": "told as not measured",
}
"""Errors that are bare ValueErrors and are always caught."""


def test_every_error_that_an_input_may_cause_is_of_the_one_class() -> None:
    bare = {
        node.name
        for top in ("harness", "reference_impl", "cases")
        for path in (ROOT / top).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for base in node.bases
        if isinstance(base, ast.Name)
        and base.id == ValueError.__name__
        and isinstance(getattr(builtins, base.id), type)
    }
    assert bare - {"Unusable"} == set(OURS)
