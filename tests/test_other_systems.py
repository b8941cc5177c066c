"""Where there is no fork, no poll and half the signals, as on Windows: what can be done is, and what cannot is said in a line."""

import json
import subprocess
import sys

import pytest

AS_ELSEWHERE = """
import asyncio, concurrent.futures.process, contextlib, io, json, multiprocessing.popen_spawn_posix, os, select, signal, subprocess
import psutil, sys, tempfile  # psutil brings what it takes of the system on any

def strip():  # what Python's own modules took before stays theirs: they are other ones there
    for name in ("SIGHUP", "SIGKILL", "SIGQUIT", "SIGALRM", "SIGPIPE", "SIGXFSZ", "SIGCHLD", "setitimer", "alarm"):
        delattr(signal, name)
    for name in ("fork", "forkpty", "setsid", "killpg", "getpgid", "setpgid", "sched_getaffinity", "getuid"):
        delattr(os, name)
    del select.poll
    for name in ("resource", "fcntl", "pwd", "grp", "termios"):
        sys.modules[name] = None

if __name__ == "__main__":
    strip()
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


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code, stdout and stderr of some command lines, one after the other."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n")
    for i in range(1, 4):
        (folder / f"r{i}").write_text(f"q1 Q0 a {i} {9 - 2 * i} t\nq1 Q0 b 2 6 t\nq2 Q0 a 1 1 t\n")
    (folder / "mine.py").write_text(
        "def precision(relevant, ranked, k=5):\n    return len(set(ranked[:k]) & set(relevant)) / k\n"
    )
    (folder / "elsewhere.py").write_text(AS_ELSEWHERE)
    asked = {
        "evaluate": "evaluate qrels r2 -m AP",
        "runs": "evaluate qrels r1 r2 r3 -m AP --jobs 2 --out kept",
        "explain": "explain qrels r2 -m AP --as standard --as trec_eval-9",
        "check": "check mine.py precision(relevant,ranked,k) P@5 --json",
        "signature": "show AP|missing:nan|by:x",
    }
    lines = [["rankproof", *line.split()] for line in asked.values()]
    done = subprocess.run(
        [sys.executable, "elsewhere.py", json.dumps(lines)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(asked, map(json.loads, done.stdout.splitlines()), strict=True))


def test_runs_are_measured_one_and_many(said: dict[str, tuple[int, str, str]]) -> None:
    code, told, _ = said["evaluate"]
    assert (code, told.split()) == (0, ["measure", "mean", "AP", "0.7500"])
    code, told, _ = said["runs"]
    assert (code, told.split()) == (0, ["measure", "r1", "r2", "r3", "AP", "1.0000", "0.7500", "0.7500"])


def test_runs_are_explained_and_signatures_said(said: dict[str, tuple[int, str, str]]) -> None:
    code, told, _ = said["explain"]
    assert (code, told.startswith("AP is 0.7500")) == (0, True)
    code, told, _ = said["signature"]
    assert code == 0
    assert "missing=nan" in told
