"""Interruption of a run by Ctrl-C, SIGTERM, SIGHUP or its death: it ends at once, writes nothing, and leaves no process."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import psutil
import pytest
from processes import with_environment

from rankproof.files import CACHE
from rankproof.interruption import end_with_parent

FOLDER = Path(__file__).resolve().parent / "misbehaving"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what is left is looked for as Linux tells it")


@pytest.fixture(autouse=True)
def nothing_is_ignored() -> Iterator[None]:
    """Restore signals that this process ignores, as under nohup; otherwise its children would ignore them as well."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        signal.signal(number, signal.SIG_DFL if handler is signal.SIG_IGN else handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def left(mark: str) -> list[str]:
    """Return the command lines of processes that have a text in their environment."""
    commands = []
    for process in with_environment(mark):
        with contextlib.suppress(psutil.Error):  # it ended in the meantime
            commands.append(" ".join(process.cmdline()))
    return commands


def until(happened: Callable[[], object], seconds: float = 30) -> None:
    """Wait until something happened."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@LINUX
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_run_ends_at_once_by_a_signal_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    store, out = tmp_path / "store", tmp_path / "out"
    asked = ["--adapters", str(FOLDER), "--library", "hangs", "--case", "ties/*", "--measure", "P@2", "--out", str(out)]
    run = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "run", *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, CACHE: str(store)},
    )
    until(
        lambda: any(
            command.endswith("library.py hangs") and "supervisor" not in command for command in left(str(store))
        )
    )
    began = time.monotonic()
    run.send_signal(signal.Signals[name])
    stdout, stderr = run.communicate()
    assert time.monotonic() - began < 2, "a second, on a machine that does much else"
    if name == "SIGKILL":
        assert run.returncode == -signal.SIGKILL
        until(lambda: not left(str(store)), 2)
    else:
        assert (run.returncode, stdout) == (3, "")
        assert stderr.strip() == "interrupted: nothing was published"
        assert left(str(store)) == []
    assert not out.exists()


@LINUX
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_child_process_ends_with_its_parent(name: str, tmp_path: Path) -> None:
    asks = (
        "import sys, time; from concurrent.futures import ProcessPoolExecutor; from multiprocessing import get_context\n"
        "from rankproof.interruption import end_with_parent, kill_children\n"
        "from rankproof.interruption import handle_signals\n"
        "if __name__ == '__main__':\n"
        "    handle_signals()\n"
        "    with ProcessPoolExecutor(1, get_context('spawn'), end_with_parent) as pool:\n"
        "        try:\n            pool.submit(print, 'begun', flush=True).result(); pool.submit(time.sleep, 60).result()\n"
        "        except KeyboardInterrupt:\n            kill_children(); raise SystemExit(3)\n"
    )
    (tmp_path / "asks.py").write_text(asks)
    mark = f"{CACHE}={tmp_path}"
    command, environment = [sys.executable, str(tmp_path / "asks.py")], {**os.environ, CACHE: str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"begun\n"
        parent.send_signal(signal.Signals[name])
        assert parent.wait(5) == (3 if name == "SIGTERM" else -signal.SIGKILL)
        until(lambda: not left(mark), 2)


def test_child_process_leaves_ctrl_c_to_its_parent() -> None:
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as pool:
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
