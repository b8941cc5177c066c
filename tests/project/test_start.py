"""start.py sets a checkout up once, goes on where it stopped, says what failed, and hands on what it is given."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from documentation_blocks import ROOT, block

START = ROOT / "start.py"
MANY = str((os.cpu_count() or 1) + 1)


@pytest.fixture
def start(tmp_path: Path) -> SimpleNamespace:
    """Its functions, in a checkout of their own."""
    shutil.copy(START, tmp_path)
    (tmp_path / ".venv").mkdir()
    return SimpleNamespace(**runpy.run_path(str(tmp_path / "start.py"), run_name="start"))


Counted = tuple[list[str], Callable[..., Any]]


@pytest.fixture
def counted(start: SimpleNamespace) -> Counted:
    """What was done, and a step that writes that down."""
    done: list[str] = []

    def step(name: str, *needs: str, fails: str = "", **more: Any) -> Any:
        def do(_label: str) -> None:
            done.append(name)
            if fails:
                raise start.Failed(fails)

        return start.Step(name, do, needs, **more)

    return done, step


def test_what_is_done_is_not_done_again_unless_it_depends_on_something_else_or_is_gone(
    start: SimpleNamespace, counted: Counted
) -> None:
    done, step = counted
    start.set_up([step("a", "1"), step("b", "1"), step("c", "1")])
    start.set_up([step("a", "1"), step("b", "2"), step("c", "1", is_there=lambda: False), step("d")])
    assert done == ["a", "b", "c", "b", "c", "d"]


def test_a_set_up_that_failed_goes_on_where_it_stopped(
    start: SimpleNamespace, counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    done, step = counted
    with pytest.raises(start.Failed, match="b: no room"):
        start.set_up([step("a"), step("b", fails="no room"), step("c")])
    start.set_up([step("a"), step("b"), step("c")])
    assert done == ["a", "b", "b", "c"]
    said = re.sub(r"\d+ s", "N s", capsys.readouterr().err)
    assert said == "[1/3] a: N s\n[2/3] b: N s\n[3/3] c: N s\n"


def test_what_can_be_done_without_is_said_and_tried_again(
    start: SimpleNamespace, counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    done, step = counted
    for _ in range(2):
        start.set_up([step("a"), step("b", fails="not for this machine", optional=True), step("c")])
    assert done == ["a", "b", "c", "b"]
    assert capsys.readouterr().err.count("[2/3] b: not to be had here: not for this machine\n") == 2


@pytest.mark.parametrize("text", ["", "[]", '{"a": '])
def test_a_note_of_what_was_done_that_does_not_read_is_as_none(
    text: str, start: SimpleNamespace, counted: Counted
) -> None:
    done, step = counted
    start.DONE.write_text(text)
    start.set_up([step("a")])
    start.set_up([step("a")])
    assert done == ["a"]


def test_a_command_that_fails_tells_the_end_of_what_it_said(start: SimpleNamespace) -> None:
    talk = "import sys; print(*range(40), sep=chr(10)); print('no such package', file=sys.stderr); sys.exit(7)"
    with pytest.raises(start.Failed) as failed:
        start.run([sys.executable, "-c", talk], "x")
    lines = str(failed.value).splitlines()
    assert "no such package" in lines
    assert (len(lines), "10" in lines) == (start.SHOWN, False)
    for command, told in (
        ([sys.executable, "-c", "exit(7)"], "ends with exit code 7"),
        (["./none"], "./none: No such file or directory"),
    ):
        with pytest.raises(start.Failed, match=told):
            start.run(command, "x")


def test_nothing_is_installed_that_is_not_held_to_its_digest(
    start: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But the checkout itself, with which nothing is fetched."""
    ran: list[list[str]] = []
    for folder in ("locks", "adapters"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*_adapter.py", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setitem(start.run.__globals__, "run", lambda command, _label: ran.append(command))
    monkeypatch.setitem(start.run.__globals__, "browser", list)
    for steps, lock in ((start.steps_of_run, "libraries"), (start.steps_of_tests, "dev")):
        ran.clear()
        for step in steps():
            step.do("")
        installs = [" ".join(command) for command in ran if "install" in command and "pip" in command]
        assert [line.partition("--require-hashes --requirement ")[2] for line in installs] == [
            "locks/build.txt",
            f"locks/{lock}.txt",
            "",
        ]
        assert installs[2].endswith("--no-build-isolation --no-deps --editable .")
        assert ran[-1][1:] == ["env", "build", "trec_eval"]


def test_a_browser_is_fetched_where_none_of_its_names_is_on_the_path(
    start: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CI", "RANKPROOF_CHROMIUM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(start.browser.__globals__, "can_apt", lambda: False)
    names = dict(start.PROGRAMS)[start.CHROMIUM]
    for there in (*names, None):
        monkeypatch.setattr(shutil, "which", lambda name, there=there: name if name == there else None)
        assert [step.name for step in start.browser()] == ([] if there else ["Chromium"])


def test_trec_eval_is_looked_for_where_rankproof_puts_it(
    start: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "adapters").mkdir()
    shutil.copy(ROOT / "adapters" / "trec_eval.toml", tmp_path / "adapters")
    for name in ("RANKPROOF_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    # Each that is set comes before the one above; a program that lies in another place is none.
    for name, cache in (("HOME", ".cache/rankproof"), ("XDG_CACHE_HOME", "rankproof"), ("RANKPROOF_CACHE", "")):
        monkeypatch.setenv(name, str(tmp_path / name))
        is_there = start.trec_eval().is_there
        assert not is_there()
        (place := tmp_path / name / cache / "programs").mkdir(parents=True)
        (place / "trec_eval").touch()
        assert is_there()


@pytest.mark.parametrize(
    ("arguments", "program", "handed"),
    [
        (["run"], "rankproof", ["run"]),
        (["run", "--library", "sklearn", "-c", "ties/*"], "rankproof", ["run", "--library", "sklearn", "-c", "ties/*"]),
        (["test", "-k", "a b"], "pytest", ["--numprocesses", MANY, "--dist", "loadscope", "-k", "a b"]),
    ],
)
def test_what_follows_the_first_word_is_handed_on(
    arguments: list[str], program: str, handed: list[str], start: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = start.main.__globals__
    for name in ("set_up", "steps_of_run", "steps_of_tests", "handed_on"):
        monkeypatch.setitem(known, name, lambda *given: given)
    monkeypatch.chdir(ROOT)
    assert start.main(arguments) == ([str(start.BIN / program), *handed],)


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), "no network"])
def test_what_ends_the_set_up_is_one_line_and_exit_code_3(
    fault: Any, start: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def set_up(_steps: object) -> None:
        raise fault if isinstance(fault, BaseException) else start.Failed(fault)

    monkeypatch.setitem(start.main.__globals__, "set_up", set_up)
    monkeypatch.setitem(start.main.__globals__, "steps_of_run", list)
    monkeypatch.chdir(ROOT)
    assert start.main(["run"]) == 3
    why = "interrupted" if isinstance(fault, BaseException) else fault
    assert capsys.readouterr().err == f"start.py: {why}; the same line goes on from there\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--help"], 0, "python3 start.py run [OPTION]..."),
        ([], 2, "python3 start.py run [OPTION]..."),
        (["install"], 2, "start.py: 'install' is neither run nor test; see python3 start.py --help\n"),
    ],
)
def test_a_wrong_word_is_told(arguments: list[str], code: int, said: str) -> None:
    done = subprocess.run([sys.executable, "-I", str(START), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stdout + done.stderr


def test_the_two_commands_are_one_line_each_and_ci_runs_the_second(tmp_path: Path) -> None:
    assert (block("run"), block("test")) == ("python3 start.py run", "python3 start.py test")
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "start.py").write_text(
        "import os, sys; print(sys.argv[1:], os.environ['CI'], os.getcwd()); sys.exit(5)"
    )
    done = subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (5, "")
    assert done.stdout == f"python3 start.py test\n['test'] true {tmp_path}\n"
