"""Functions that misbehave do so in a process of their own: each ends in a verdict or in one line, and nothing else happens here."""

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.checking.examining import Checked, examine
from rankproof.checking.limits import Limits
from rankproof.commands.check import verdict
from rankproof.reference_impl.notation import parse

FUNCTIONS = Path(__file__).resolve().parent / "functions"
sys.path.insert(0, str(FUNCTIONS))

import strangers  # noqa: E402 - found on the path just made

QUICK = Limits(question=0.3, first=0.3, importing=10, in_vain=2, memory=10**9)
P = parse("P@5")
FEW = tuple(
    corpus.load(corpus.HERE / f"{name}.toml")
    for name in ("cutoff/just-below", "denominators/running-example", "cutoff/one")
)


def asked_of(function: Any, limits: Limits = QUICK) -> Checked:
    return examine(function, "P@5", cases=FEW, limits=limits)


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(strangers.NOTES, str(tmp_path))
    return tmp_path


def children() -> set[int]:
    """The processes that were started from here, and are there."""
    return {int(pid) for pid in Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()}


def is_there(pid: int) -> bool:
    """Whether a process runs: one that ended and that nobody waits for does not."""
    with contextlib.suppress(OSError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return False


@pytest.mark.parametrize("sin", strangers.SINNERS)
@pytest.mark.usefixtures("notes")
def test_every_sin_ends_in_a_verdict(sin: str, capfd: pytest.CaptureFixture[str]) -> None:
    before = Path.cwd(), dict(os.environ), signal.getsignal(signal.SIGTERM), threading.active_count(), children()
    checked = asked_of(strangers.SINNERS[sin])
    kind, _, what = strangers.SINNERS[sin].__doc__.partition(": ")
    assert (checked.verdict, checked.holds) == (kind, kind == "agrees")
    assert what in verdict(checked), verdict(checked)
    assert {one.question.case.id for one in checked.seen} == {case.id for case in FEW}
    assert (
        Path.cwd(),
        dict(os.environ),
        signal.getsignal(signal.SIGTERM),
        threading.active_count(),
        children(),
    ) == before
    assert capfd.readouterr() == ("", "")


def test_there_are_sins() -> None:
    assert len(strangers.SINNERS) > 25
