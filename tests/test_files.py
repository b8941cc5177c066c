"""Files appear whole or not at all, one by one or together, and nothing of a failed write stays behind."""

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof import files
from rankproof.cli.program import cli
from rankproof.judge import results_file
from rankproof.workers.rounds import LibraryAnswers


def test_nothing_of_a_write_that_failed_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x"
    files.publish(target, "whole")
    with pytest.raises(UnicodeEncodeError):
        files.publish(target, "half \ud800")
    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        files.publish(target, "another")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert target.read_text() == "whole"


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_writers_of_one_file_never_tear_it(tmp_path: Path) -> None:
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
    """All files of a folder, and what is in them."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_several_files_are_there_together_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for error in (KeyboardInterrupt, OSError):
        with pytest.raises(error), files.together(folder) as beside:  # noqa: PT012 - what is written before it fails
            files.publish(beside / "a" / "x", "half")
            assert whole(folder).keys() == {f"{beside.name}/a/x"}
            raise error
        assert list(tmp_path.iterdir()) == []
    with files.together(folder) as beside:
        files.publish(beside / "a" / "x", "1")
        files.publish(beside / "y", "1")
    assert whole(folder) == {"a/x": "1", "y": "1"}
    with pytest.raises(OSError, match="full"), files.together(folder) as beside:  # noqa: PT012 - as above
        files.publish(beside / "y", "2")
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


with files.together(folder) as beside:
    for name in ("a/x", "b", "c/d/y"):
        (beside / name).parent.mkdir(parents=True, exist_ok=True)
        (beside / name).write_text("new")
    Path.replace = counted
"""


@pytest.mark.parametrize("last", [1, 2, 3, 4, 5])
def test_who_is_killed_while_it_moves_files_leaves_all_of_the_old_ones_or_all_of_the_new(
    tmp_path: Path, last: int
) -> None:
    """All are there with the first move, which gives the folder beside another name; the last of four is of the third file."""
    old, new = {"a/x": "old", "b": "old", "other": "old"}, {"a/x": "new", "b": "new", "c/d/y": "new", "other": "old"}
    for name, text in old.items():
        files.publish(tmp_path / name, text)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(last)], check=False)
    assert ended.returncode == (9 if last < 5 else 0)
    files.settle(tmp_path)
    found = {name: text for name, text in whole(tmp_path).items() if not name.startswith(".")}
    assert found == (old if last == 1 else new)
    assert not list(tmp_path.glob(f".*{files.READY}"))
    with files.together(tmp_path) as beside:
        (beside / "b").write_text("newest")
    assert {name: text for name, text in whole(tmp_path).items() if not name.startswith(".")} == found | {"b": "newest"}


def test_what_a_killed_writer_left_is_moved_before_another_one_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "3"], check=False)
    with files.together(tmp_path) as beside:
        (beside / "b").write_text("newest")
    assert whole(tmp_path) == {"a/x": "new", "b": "newest", "c/d/y": "new"}


def test_of_what_two_killed_writers_left_that_of_the_later_one_stays(tmp_path: Path) -> None:
    for when, name in ((1, "9-a"), (3, "1-b"), (2, "5-c")):
        (ready := tmp_path / f".all.{name}{files.READY}").mkdir()
        (ready / "x").write_text(name)
        os.utime(ready, (when, when))
    files.settle(tmp_path)
    assert whole(tmp_path) == {"x": "1-b"}


def test_a_variable_that_is_empty_names_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("RANKPROOF_CACHE", ""), ("XDG_CACHE_HOME", ""), ("HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
    assert files.cache() == tmp_path / ".cache" / "rankproof"


def test_what_cannot_be_moved_is_no_result(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), "2"], check=False)
    (tmp_path / "b" / "in the way").mkdir(parents=True)
    with pytest.raises(files.NotWritable, match="a run was killed there, and its files in"):
        results_file.load(tmp_path)


def test_a_run_that_is_interrupted_while_it_writes_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(_cases: object, libraries: list[object], *_: object, **__: object) -> list[LibraryAnswers]:
        return [LibraryAnswers(library, {"failed": "crash", "message": next(messages)}, ()) for library in libraries]

    messages = iter(["first", "second", "third"])
    monkeypatch.setattr("rankproof.cli.progress.run_all", asked)
    command = ["run", "--library", "sklearn", "--case", "ties/none-tied", "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(cli, command, standalone_mode=False).return_value == 1
    before = whole(tmp_path / "out")
    assert "first" in before["results/sklearn.jsonl"]
    with monkeypatch.context() as patch:
        patch.setattr("rankproof.report.run.markdown", interrupt)
        with pytest.raises(click.Abort):
            cli(command, standalone_mode=False)
    assert whole(tmp_path / "out") == before
    CliRunner().invoke(cli, command, standalone_mode=False)
    assert "third" in whole(tmp_path / "out")["results/sklearn.jsonl"]


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
