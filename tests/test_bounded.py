"""Bounded reading of files, pipes and the standard input, in size, memory and time."""

import ast
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT

from rankproof import bounded
from rankproof.bounded import TooMuch, bytes_of, free_memory, text_of

LIMIT = 2**31
"""Bytes of address space of a command here; a text may have a twelfth of the free memory."""
LIMITED = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({LIMIT}, {LIMIT})); "


def test_endless_file_is_read_to_the_bound_only() -> None:
    with pytest.raises(TooMuch, match=r"^more than 1,000 bytes$"):
        bytes_of("/dev/zero", 1_000)
    assert bytes_of("/dev/null", 0) == b""


def test_lines_end_with_a_line_feed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\r\nb\nc\r")
    assert text_of(tmp_path / "file") == "a\nb\nc\r"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Return a named pipe."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_pipe_without_a_writer_is_refused(pipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "WAIT", 0.05)
    with pytest.raises(OSError, match=r"no program wrote into this pipe within 0.05 s") as refused:
        bytes_of(pipe, 10)
    assert refused.value.filename == str(pipe)


def test_pipe_is_read_to_its_end(pipe: Path) -> None:
    text = b"q1 Q0 d1 1 1 t\n" * 10_000
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    assert bytes_of(pipe, len(text)) == text
    writer.join()


def test_free_memory_is_within_the_limit_of_the_process() -> None:
    code = LIMITED + "from rankproof.bounded import free_memory; print(free_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < LIMIT
    assert free_memory() > 0


def test_memory_of_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / name for name in ("limit", "used", "parts")]
    monkeypatch.setattr(bounded, "_CGROUPS", (tuple(map(str, files)),))
    for limit, free in (("5000", 5000 - 3000 + 700), ("2000", 0)):
        for file, text in zip(files, (limit, "3000", "anon 2300\ninactive_file 700\n"), strict=True):
            file.write_text(text, encoding="ascii")
        assert free_memory() == free
    files[0].write_text("max", encoding="ascii")
    assert free_memory() > 5000


@pytest.mark.parametrize("source", ["-", "/dev/stdin"])
@pytest.mark.parametrize("verb", ["evaluate", "explain"])
def test_endless_run_is_refused_before_the_memory_is_full(verb: str, source: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n", encoding="utf-8")
    code = LIMITED + "from rankproof.entry import main; main()"
    with subprocess.Popen(["yes", "q1 Q0 d1 1 1 t"], stdout=subprocess.PIPE) as endless:
        command = [sys.executable, "-c", code, verb, str(tmp_path / "qrels"), source, "-m", "AP"]
        done = subprocess.run(command, stdin=endless.stdout, capture_output=True, text=True, check=False)
        endless.kill()
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    head, _, rest = line.partition(": more than ")
    assert head == f"rankproof: {source}"
    assert int(rest.partition(" bytes")[0].replace(",", "")) < LIMIT / 12
    assert "do not fit into the free memory" in rest


UNBOUNDED = {
    "bounded.py": {"open": 2, "read_text": 3, "loads": 1},  # the reader itself, and the memory of a container
    "files.py": {"open": 2},  # for writing, and a folder that is locked
    # What belongs to the package:
    "documents.py": {"read_text": 1},
    "measure_names.py": {"read_text": 2},
    "cases/__init__.py": {"read_text": 1},
    "evaluate/library_profiles.py": {"read_text": 2},
    "evaluate/read_profiles.py": {"read_text": 1, "loads": 1},
    "evaluate/known_conventions.py": {"read_text": 1},
    "explain/lookup.py": {"read_text": 1, "loads": 1},
    "report/public_data.py": {"read_text": 1},
    "report/site/explanation_page.py": {"read_text": 1},
    # Files of the user's cache, written by rankproof:
    "history/environment_builds.py": {"read_text": 2},
    "workers/programs.py": {"open": 2},
    # Devices, and the memory of a process:
    "cli/program.py": {"open": 1},
    "entry.py": {"open": 1, "fdopen": 1},
    "workers/function_process.py": {"open": 2, "fdopen": 2},
    "workers/supervisor.py": {"open": 1},
    # Methods of the same name:
    "evaluate/inputs/reading.py": {"open": 2},
    "evaluate/measuring.py": {"read_text": 1},
    # An example of a runner, which imports nothing from rankproof:
    "cases/runners/runner.py": {"open": 1},
}
"""Calls that open or read files, by module below `harness`; all other code calls `rankproof.bounded`."""
READERS = {"open", "read_text", "read_bytes", "fdopen"}


def calls_of(path: Path) -> Counter[str]:
    calls: Counter[str] = Counter()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            calls[name.rpartition(".")[2]] += name.rpartition(".")[2] in READERS or name in {
                "tomllib.loads",
                "tomllib.load",
            }
    return +calls


def test_everything_that_a_user_names_is_read_by_the_bounded_reader() -> None:
    found = {}
    for folder in ("harness", "cases", "reference_impl"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT / folder).as_posix()
            found[name if folder == "harness" else f"{folder}/{name}"] = dict(calls_of(path))
    assert {name: calls for name, calls in found.items() if calls} == UNBOUNDED, "read files by rankproof.bounded"
