"""The store and the disk: bytes that flip, files cut, two runs at once, no room, no right to write."""

import ctypes
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

from ground import Ground, Machine, difference, parts, rows_of, torn, tree
from kills import next_run
from running import FREE, Ended, Limits
from tally import Outcome

NEW_NAMESPACE, PRIVATE, RECURSIVE = 0x20000, 1 << 18, 1 << 14
"""Of unshare(2) and mount(2)."""
PAGE = 4096
FULL_CODES = (0, 2)
"""A store that takes nothing more is no fault of the run; results that do not fit are exit code 2."""


# -- bytes -------------------------------------------------------------------------------------------------------------


ANSWER = re.compile(rb"(?<=: )\d\.(?=\d)|(?<=\.)\d")
"""Where an answer is another one if a digit is: its first digits."""
DIGIT = re.compile(rb"\d")


def store_flipped(ground: Ground, index: int, chance: Random) -> Outcome:
    """Another value for one byte of the store: three times of four a digit of an answer, which reads as well as before."""

    def flip(path: Path) -> None:
        kept = bytearray(path.read_bytes())
        if index % 4:
            at, how = another_digit(bytes(kept), chance)
            kept[at] = how
        else:
            kept[chance.randrange(len(kept))] ^= chance.randrange(1, 256)
        path.write_bytes(kept)

    return _store_spoilt(ground, f"flipped-{index}", chance, flip)


def another_digit(kept: bytes, chance: Random, after: bytes = b'"answers"') -> tuple[int, int]:
    """A place of the first digits of a number that is an answer, or of any number where none is, and the digit that is to stand there."""
    answers = [found.start() for found in ANSWER.finditer(kept, max(kept.find(after), 0))]
    at = chance.choice(answers or [found.start() for found in DIGIT.finditer(kept)])
    return at, chance.choice([digit for digit in b"0123456789" if digit != kept[at]])


def store_spoilt(ground: Ground, index: int, chance: Random) -> Outcome:
    """The store cut short, emptied, doubled, of wrong types, deeper than any parser goes, or a folder."""
    ways: Sequence[Callable[[Path], object]] = (
        lambda path: os.truncate(path, chance.randrange(path.stat().st_size)),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(2 * path.read_bytes()),
        lambda path: path.write_text('{"hello": 1, "answers": [], "kept": null}'),
        lambda path: path.write_text("[" * 200_000 + "]" * 200_000),
        lambda path: path.write_bytes(b"\xff\xfe" + chance.randbytes(1000)),
        _folder_instead,
        lambda path: path.write_text("9" * 10_000),
    )
    return _store_spoilt(ground, f"spoilt-{index}", chance, ways[index % len(ways)])


def _folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _store_spoilt(ground: Ground, name: str, chance: Random, spoil: Callable[[Path], object]) -> Outcome:
    machine = ground.machine(name, "same")
    files = sorted(path for path in machine.store.rglob("*") if path.is_file() and path.stat().st_size)
    spoil(chance.choice(files))
    return _as_clean(ground, machine, machine.home / "anew")


def _as_clean(ground: Ground, machine: Machine, out: Path) -> Outcome:
    """Run, and hold all that it writes to what a clean machine writes."""
    ended = ground.asked(machine, out=out)
    return _held(ground, machine, ended, out)


def _held(ground: Ground, machine: Machine, ended: Ended, out: Path) -> Outcome:
    found = tree(out)
    rows = difference(rows_of(found), rows_of(ground.clean))
    stays = [f"{name} stays behind" for name in parts(tree(machine.home))]
    return Outcome(
        (*ended.faults([0]), *torn(found, ground.clean), *stays), rows.invented, rows.lost, ended.left, ended.seconds
    )


# -- two at once -------------------------------------------------------------------------------------------------------


def two_at_once(ground: Ground, index: int, _chance: Random) -> Outcome:
    """Two runs on one store that begin together, each with results of its own, or both with the same."""
    machine = ground.machine(f"two-{index}", ("empty", "earlier")[index // 2 % 2])
    outs = [machine.out, machine.out if index % 2 else machine.home / "other"]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda out: ground.asked(machine, out=out), outs))
    first, second = (_held(ground, machine, ended, out) for ended, out in zip(both, outs, strict=True))
    return first.and_then(second).and_then(next_run(ground, machine))


# -- no room, no right -------------------------------------------------------------------------------------------------


def own_mounts() -> bool:
    """Have mounts of our own, which go when this process ends; whether the system lets us."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NAMESPACE):
        return False
    return not libc.mount(b"none", b"/", None, PRIVATE | RECURSIVE, None)


def disk_full(ground: Ground, index: int, chance: Random) -> Outcome:
    """A disk of a few pages, for the store and the results; then one with room."""
    machine = Machine(ground.folder / "machines" / f"full-{index}")
    machine.home.mkdir(parents=True)
    needed = sum(-(-path.stat().st_size // PAGE) for path in (ground.folder / "same").rglob("*") if path.is_file())
    with _disk(machine.home, chance.randrange(4, needed + 8)) as grow:
        attacked = _without_room(ground, machine, FREE)
        grow()
        return attacked.and_then(next_run(ground, machine))


@contextmanager
def _disk(folder: Path, pages: int) -> Iterator[Callable[[], object]]:
    """A disk of so many pages, mounted on a folder; gives what makes it large."""
    mount = ["mount", "-t", "tmpfs", "-o"]
    subprocess.run([*mount, f"size={pages * PAGE}", "tmpfs", str(folder)], check=True)
    try:
        yield lambda: subprocess.run([*mount, "remount,size=64m", "tmpfs", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def files_limited(ground: Ground, index: int, chance: Random) -> Outcome:
    """No file may become larger than so many bytes (RLIMIT_FSIZE): the same fault, where no disk can be mounted."""
    machine = ground.machine(f"limited-{index}", ("empty", "earlier")[index % 2])
    largest = max(path.stat().st_size for path in (ground.folder / "same").rglob("*") if path.is_file())
    attacked = _without_room(ground, machine, Limits(largest=chance.randrange(1, largest)))
    return attacked.and_then(next_run(ground, machine))


def _without_room(ground: Ground, machine: Machine, limits: Limits) -> Outcome:
    ended = ground.asked(machine, limits=limits)
    found = tree(machine.out)
    whole = [ground.clean] if ended.code == 0 else [machine.had, ground.clean]
    stays = [f"{name} stays behind" for name in parts(tree(machine.home))]
    silent = ["not a word of why"] if ended.code and not ended.stderr.strip() else []
    return Outcome(
        (*ended.faults(FULL_CODES), *torn(found, *whole), *stays, *silent), (), (), ended.left, ended.seconds
    )


def store_read_only(ground: Ground, index: int, _chance: Random) -> Outcome:
    """A store that may be read and not written: empty, half full or full."""
    machine = ground.machine(f"read-only-{index}", ("empty", "earlier", "same")[index % 3])
    machine.store.mkdir(parents=True, exist_ok=True)
    _allow(machine.store, folders=0o555, files=0o444)
    out = machine.home / "anew"
    attacked = _held(ground, machine, ground.asked(machine, out=out, limits=Limits(powerless=os.geteuid() == 0)), out)
    _allow(machine.store, folders=0o755, files=0o644)
    return attacked.and_then(next_run(ground, machine))


def _allow(folder: Path, *, folders: int, files: int) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(folders if path.is_dir() else files)
