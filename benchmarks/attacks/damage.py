"""Attacks on the cache and the disk: changed bytes, truncated files, two runs at once, full disk, read-only files."""

import ctypes
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random

from commands import FREE, Limits
from machines import Machine, Trial, files_of, left_behind, mixed, run_arguments

NEW_NAMESPACE, PRIVATE, RECURSIVE = 0x20000, 1 << 18, 1 << 14
"""Flags of unshare(2) and mount(2)."""
PAGE = 4096
VALUE = re.compile(rb"(?<=: )\d\.(?=\d)|(?<=\.)\d")
"""The first digits of a number."""


# -- the cache ---------------------------------------------------------------------------------------------------------


def cache_flipped(trial: Trial) -> None:
    """Change one byte of the cache; in three of four attacks a digit of a value, so that the file still parses."""

    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        if trial.index % 4:
            content = bytearray(other_digit(bytes(content), trial.chance))
        else:
            content[trial.chance.randrange(len(content))] ^= trial.chance.randrange(1, 256)
        path.write_bytes(content)

    _damaged(trial, flip)


def other_digit(content: bytes, chance: Random, after: bytes = b'"answers"') -> bytes:
    """Return the content of a file after changing one of the first digits of a number."""
    values = [match.start() for match in VALUE.finditer(content, max(content.find(after), 0))]
    place = chance.choice(values or [match.start() for match in re.finditer(rb"\d", content)])
    digit = chance.choice([digit for digit in b"0123456789" if digit != content[place]])
    return content[:place] + bytes([digit]) + content[place + 1 :]


def cache_damaged(trial: Trial) -> None:
    """Truncate, empty or double a file of the cache, or replace it with wrong types, deep nesting or a folder."""
    chance = trial.chance
    ways: Sequence[Callable[[Path], object]] = (
        lambda path: os.truncate(path, chance.randrange(path.stat().st_size)),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(2 * path.read_bytes()),
        lambda path: path.write_text('{"hello": 1, "answers": [], "kept": null}'),
        lambda path: path.write_text("[" * 200_000 + "]" * 200_000),
        lambda path: path.write_bytes(b"\xff\xfe" + chance.randbytes(1000)),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: path.write_text("9" * 10_000),
    )
    _damaged(trial, ways[trial.index % len(ways)])


def _damaged(trial: Trial, damage: Callable[[Path], object]) -> None:
    machine = trial.machine("same")
    files = sorted(path for path in machine.cache.rglob("*") if path.is_file() and path.stat().st_size)
    damage(trial.chance.choice(files))
    trial.holds(machine, out=machine.home / "anew")


def two_at_once(trial: Trial) -> None:
    """Start two runs with one cache at the same time, with separate or the same results."""
    machine = trial.machine(("empty", "earlier")[trial.index // 2 % 2])
    outs = [machine.out, machine.out if trial.index % 2 else machine.home / "other"]
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda out: trial.ground.command(machine, *run_arguments(out)), outs))
    for ended, out in zip(both, outs, strict=True):
        trial.fault(*ended.faults([0]))
        trial.written(machine, out)
    trial.holds(machine, about="the next run")


# -- the disk ----------------------------------------------------------------------------------------------------------


def own_mounts() -> bool:
    """Separate the mounts of this process from those of the system; return whether the system allows it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NAMESPACE):
        return False
    return not libc.mount(b"none", b"/", None, PRIVATE | RECURSIVE, None)


def disk_full(trial: Trial) -> None:
    """Run with a disk of a few pages for the cache and the results, then enlarge it."""
    machine = trial.machine()
    files = [path for path in (trial.ground.folder / "same").rglob("*") if path.is_file()]
    needed = sum(-(-path.stat().st_size // PAGE) for path in files)
    with _disk(machine.home, trial.chance.randrange(4, needed + 8)) as grow:
        _without_room(trial, machine, FREE)
        grow()
        trial.holds(machine, about="the next run")


@contextmanager
def _disk(folder: Path, pages: int) -> Iterator[Callable[[], object]]:
    """Mount a disk with some pages on a folder; yield a function that enlarges it."""
    mount = ["mount", "-t", "tmpfs", "-o"]
    subprocess.run([*mount, f"size={pages * PAGE}", "tmpfs", str(folder)], check=True)
    try:
        yield lambda: subprocess.run([*mount, "remount,size=64m", "tmpfs", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def files_limited(trial: Trial) -> None:
    """Run with a limit of the file size (RLIMIT_FSIZE)."""
    machine = trial.machine(("empty", "earlier")[trial.index % 2])
    largest = max(path.stat().st_size for path in (trial.ground.folder / "same").rglob("*") if path.is_file())
    _without_room(trial, machine, Limits(largest=trial.chance.randrange(1, largest)))
    trial.holds(machine, about="the next run")


def _without_room(trial: Trial, machine: Machine, limits: Limits) -> None:
    """Run on a full disk: exit code 0 if only the cache does not fit, 2 with a reason if the results do not fit."""
    ended = trial.command(machine, *run_arguments(machine.out), codes=(0, 2), limits=limits)
    whole = [trial.ground.clean] if ended.code == 0 else [machine.had, trial.ground.clean]
    trial.fault(*mixed(files_of(machine.out), *whole), *left_behind(machine))
    trial.require(ended.code == 0 or ended.stderr.strip(), "no reason is printed")


def cache_read_only(trial: Trial) -> None:
    """Run with a read-only cache that is empty, partly filled or complete."""
    machine = trial.machine(("empty", "earlier", "same")[trial.index % 3])
    machine.cache.mkdir(parents=True, exist_ok=True)
    _set_modes(machine.cache, folders=0o555, files=0o444)
    trial.holds(machine, out=machine.home / "anew", limits=Limits(obey_modes=os.geteuid() == 0))
    _set_modes(machine.cache, folders=0o755, files=0o644)
    trial.holds(machine, about="the next run")


def _set_modes(folder: Path, *, folders: int, files: int) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(folders if path.is_dir() else files)
