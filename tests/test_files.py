"""Files appear whole or not at all, alone or together, and a failed write leaves nothing behind."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rankproof import files
from rankproof.judge import results_file


def test_failed_write_leaves_nothing(tmp_path: Path) -> None:
    target, folder = tmp_path / "x", tmp_path / "folder"
    files.publish(target, "whole")
    with pytest.raises(UnicodeEncodeError):
        files.publish(target, "half \ud800")
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        files.publish(folder, "another")
    assert {path.name for path in tmp_path.iterdir()} == {"x", "folder"}
    assert target.read_text() == "whole"


def test_concurrent_writers_leave_one_whole_file(tmp_path: Path) -> None:
    target, texts = tmp_path / "x", ["a" * 100_000, "b" * 100_000]
    files.publish(target, texts[0])
    writers = [
        threading.Thread(target=lambda text=text: [files.publish(target, text) for _ in range(40)]) for text in texts
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert target.read_text() in texts
    for writer in writers:
        writer.join()
    assert list(tmp_path.iterdir()) == [target]


def whole(folder: Path) -> dict[str, str]:
    """Return all files of a folder with their content."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_several_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for error in (KeyboardInterrupt, OSError):
        with pytest.raises(error), files.together(folder) as part:  # noqa: PT012 - files are written before the error
            files.publish(part / "a" / "x", "half")
            assert whole(folder).keys() == {f"{part.name}/a/x"}
            raise error
        assert list(tmp_path.iterdir()) == []
    with files.together(folder) as part:
        files.publish(part / "a" / "x", "1")
        files.publish(part / "y", "1")
    assert whole(folder) == {"a/x": "1", "y": "1"}
    with pytest.raises(OSError, match="full"), files.together(folder) as part:  # noqa: PT012 - as above
        files.publish(part / "y", "2")
        raise OSError("full")
    assert whole(folder) == {"a/x": "1", "y": "1"}
    assert {path.name for path in folder.iterdir()} == {"a", "y"}
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(OSError, match="full"), files.together(empty):
        raise OSError("full")
    assert empty.exists()


KILLED = """
import os, sys
from pathlib import Path
from rankproof import files

folder, last = Path(sys.argv[1]), int(sys.argv[2])
moves, replace = [], Path.replace


def counted(self, target):
    moves.append(self)
    if len(moves) == last:
        os._exit(9)
    return replace(self, target)


with files.together(folder) as part:
    for name in ("a/x", "b", "c/d/y"):
        (part / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).write_text("new")
    Path.replace = counted
"""


@pytest.mark.parametrize("last", [1, 2, 3, 4, 5])
def test_writer_that_is_killed_leaves_all_old_files_or_all_new_ones(tmp_path: Path, last: int) -> None:
    """The first move names the new folder, so all files are there from then on.

    The last of four moves is for the third file.
    """
    old, new = {"a/x": "old", "b": "old", "other": "old"}, {"a/x": "new", "b": "new", "c/d/y": "new", "other": "old"}
    for name, text in old.items():
        files.publish(tmp_path / name, text)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(last)], check=False)
    assert ended.returncode == (9 if last < 5 else 0)
    files.settle(tmp_path)
    after = {name: text for name, text in whole(tmp_path).items() if not name.startswith(".")}
    assert after == (old if last == 1 else new)
    assert not list(tmp_path.glob(f".*{files.READY}"))
    with files.together(tmp_path) as part:
        (part / "b").write_text("newest")
    assert {name: text for name, text in whole(tmp_path).items() if not name.startswith(".")} == after | {"b": "newest"}


def test_files_of_a_killed_writer_are_moved_before_others_are_written(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "3"], check=False)
    with files.together(tmp_path) as part:
        (part / "b").write_text("newest")
    assert whole(tmp_path) == {"a/x": "new", "b": "newest", "c/d/y": "new"}


def test_files_of_the_later_of_two_killed_writers_remain(tmp_path: Path) -> None:
    for when, name in ((1, "9-a"), (3, "1-b"), (2, "5-c")):
        (ready := tmp_path / f".all.{name}{files.READY}").mkdir()
        (ready / "x").write_text(name)
        os.utime(ready, (when, when))
    files.settle(tmp_path)
    assert whole(tmp_path) == {"x": "1-b"}


def test_empty_variable_names_no_cache(tmp_path: Path) -> None:
    variables = {"RANKPROOF_CACHE": "", "XDG_CACHE_HOME": "", "HOME": str(tmp_path)}
    command = [sys.executable, "-c", "from rankproof import files; print(files.cache())"]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / '.cache' / 'rankproof'}\n"


def test_results_that_cannot_be_moved_are_rejected(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "2"], check=False)
    (tmp_path / "b" / "in the way").mkdir(parents=True)
    with pytest.raises(files.NotWritable, match="a run was killed there, and its files in"):
        results_file.load(tmp_path)


PUBLISH = """
import sys
from pathlib import Path
from rankproof.files import publish, together
for round in range(60):
    with together(Path(sys.argv[1])) as part:
        for name in ("a", "b", "c/d"):
            publish(part / name, sys.argv[2])
"""


def test_three_processes_that_write_one_folder_leave_the_files_of_one(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", PUBLISH, str(tmp_path), name] for name in ("first", "second", "third")]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    assert [process.communicate()[1] for process in processes] == ["", "", ""]
    written = whole(tmp_path)
    assert written.keys() == {"a", "b", "c/d"}
    assert len(set(written.values())) == 1


WRITER = """
import os, signal, sys
from pathlib import Path
from rankproof.files import publish, together
with together(Path(sys.argv[1])) as part:
    publish(part / "a", "half")
    print(os.getpid(), flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def test_next_writer_removes_files_of_a_killed_writer_and_keeps_those_of_a_running_writer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    killed = subprocess.run([*command, "killed"], stdout=subprocess.PIPE, check=False)
    assert killed.returncode == -9
    with subprocess.Popen([*command, "waiting"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        pid = running.stdout.readline().strip()
        assert len(list(tmp_path.iterdir())) == 2
        with files.together(tmp_path) as part:
            files.publish(part / "a", "whole")
        (left,) = (path for path in tmp_path.iterdir() if path.name != "a")
        assert left.name.startswith(f".all.{pid}-")
        running.communicate("")
    assert whole(tmp_path) == {"a": "half"}


def test_part_of_a_file_from_a_killed_process_is_removed(tmp_path: Path) -> None:
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE, check=True)
    (tmp_path / f".x.{int(gone.stdout)}-12ab.part").touch()
    (tmp_path / f".x.{os.getpid()}-34cd.part").touch()
    files.publish(tmp_path / "x", "whole")
    assert whole(tmp_path).keys() == {"x", f".x.{os.getpid()}-34cd.part"}


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from rankproof.files import publish, together
moves = 0
def interrupt(event, _arguments):
    global moves
    if event == "os.rename":
        moves += 1
        if moves == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGINT)
with together(Path(sys.argv[1])) as part:
    for name in ("a", "b", "c"):
        publish(part / name, "new")
    sys.addaudithook(interrupt)
"""


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_interruption_waits_until_all_files_are_moved(tmp_path: Path, moment: int) -> None:
    files.publish(tmp_path / "a", "old")
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), str(moment)]
    ended = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert b"KeyboardInterrupt" in ended.stderr
    assert whole(tmp_path) == dict.fromkeys("abc", "new")
