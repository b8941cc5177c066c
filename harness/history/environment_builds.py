"""Builds of environments: each is built next to its place, its worker says hello, and only then it is moved and marked as done.

In the cache, `environments` has a folder for each environment with its lock and its interpreter or program; `plans` there notes what became
of each plan. The name of a folder has a digest of its lock, its interpreter and the kind of machine.
"""

import contextlib
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rankproof.files import cache, publish
from rankproof.history.plans import Plan
from rankproof.history.program_versions import put_program
from rankproof.history.virtual_environments import (
    CannotBuild,
    install,
    interpreter_of,
    python_in,
    resolved,
    uv_program,
)
from rankproof.text import one_line
from rankproof.workers.failures import WorkerFailed
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import as_said, worker_of
from rankproof.workers.programs import NotInstallable, variable_of
from rankproof.workers.rounds import in_threads
from rankproof.workers.store import digest

FIRST_WORD = 300.0
"""The time limit of a library to say hello, in seconds. Nothing is compiled yet, and some packages are large."""
BUILDING = ".building-"
"""The start of the name of a folder in which an environment is being built."""
DONE = "done.json"
"""What the library said when its environment was done. A folder without this file is not an environment."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Variables of a worker: small inputs gain nothing from threads, and several workers on few cores lose much."""


@dataclass(frozen=True)
class Built:
    """What became of a plan: the folder, interpreter and description of the library if it is built, or `why` it cannot be built."""

    plan: Plan
    folder: Path | None = None
    python: str = ""
    hello: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def status(self) -> str:
        """`built`, `failed` or `not built`."""
        return "built" if self.folder is not None else "failed" if self.why else "not built"

    @property
    def variables(self) -> dict[str, str]:
        """The variables of its worker: the program that is the library."""
        if self.folder is None or not self.plan.is_program:
            return {}
        return {variable_of(self.plan.library): str(self.folder / self.plan.library)}


def shelf() -> Path:
    """Return the folder of the environments."""
    return cache() / "environments"


def _note_of(plan: Plan) -> Path:
    return shelf() / "plans" / f"{plan.name}-{digest(asdict(plan))[:12]}.json"


def known(plan: Plan) -> Built:
    """Return what became of a plan, without building anything."""
    note = _read(_note_of(plan)) or {}
    if "why" in note:
        return Built(plan, why=str(note["why"]))
    folder = shelf() / str(note.get("folder", ""))
    hello = _read(folder / DONE)
    return Built(plan) if hello is None else Built(plan, folder, _python(plan, folder), hello)


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        said: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return said


def _python(plan: Plan, folder: Path) -> str:
    return sys.executable if plan.is_program else python_in(folder / "venv")


def locked(plan: Plan) -> dict[str, str]:
    """Return what is installed in an environment by its lock, distribution -> version; nothing if it is not built."""
    folder = known(plan).folder
    return {} if folder is None else versions_in((folder / "lock.txt").read_text(encoding="utf-8"))


def versions_in(lock: str) -> dict[str, str]:
    r"""Return the versions that the text of a lock pins.

    >>> versions_in("numpy==1.24.4 \\\n    --hash=sha256:aa\nsix==1.16.0\n")
    {'numpy': '1.24.4', 'six': '1.16.0'}
    """
    return dict(re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", lock, re.MULTILINE))


def build(plan: Plan, library: Library, stop: threading.Event | None = None) -> Built:
    """Return the environment of a plan, built if it is not there; if it cannot be built, the reason is noted. Raise NoUv without uv."""
    if (before := known(plan)).folder is not None:
        return before
    try:
        note = {"folder": _built(plan, library, stop).name}
    except (CannotBuild, NotInstallable) as error:
        note = {"why": one_line(str(error))}
    publish(_note_of(plan), json.dumps(note))
    return known(plan)


def _built(plan: Plan, library: Library, stop: threading.Event | None) -> Path:
    if not plan.is_program:
        uv_program()  # if it is missing, this is the first thing to say
    interpreter = None if plan.is_program else interpreter_of(plan.python)
    if interpreter is None and not plan.is_program:
        raise CannotBuild(f"there is no Python {plan.python} here: uv python install {plan.python}")
    shelf().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=shelf(), prefix=BUILDING) as text:
        beside = Path(text)
        if interpreter is None:
            sha256 = put_program(library, plan.version, beside / library.name)
            lock = f"{plan.package}=={plan.version} \\\n    --hash=sha256:{sha256}\n"
        else:
            lock = resolved(plan, interpreter.path, beside)
        under = () if interpreter is None else (interpreter.version, interpreter.implementation)
        folder = shelf() / f"{plan.name}-{digest(lock, *under, platform.platform())[:12]}"
        if _read(folder / DONE) is not None:
            return folder
        (beside / "lock.txt").write_text(lock, encoding="utf-8")
        if interpreter is not None:
            install(plan, interpreter.path, beside / "lock.txt", beside / "venv")
        hello = _hello(plan, library, beside, stop)
        (beside / DONE).write_text(json.dumps(hello), encoding="utf-8")  # last of all
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
        beside.mkdir()  # which the end of this block removes
    return folder


def _hello(plan: Plan, library: Library, folder: Path, stop: threading.Event | None) -> Mapping[str, Any]:
    environment = {**ONE_THREAD, **Built(plan, folder).variables}
    with worker_of(library, _python(plan, folder), FIRST_WORD, stop, environment=environment) as worker:
        try:
            said = as_said(worker.hello())
        except WorkerFailed as failure:
            raise CannotBuild(f"it is installed and does not load: {failure.whole()}") from failure
    if "not_installed" in said:
        raise CannotBuild(f"it is installed and does not load: {said['not_installed']}")
    if said.get("version") != plan.version:
        raise CannotBuild(f"it says that it is version {said.get('version')}")
    return said


def build_all(
    plans: Iterable[Plan],
    libraries: Mapping[str, Library],
    at_once: int,
    room: int,
    progress: Callable[[Built], object],
) -> list[Built]:
    """Build environments, until all together take `room` bytes (0: no limit). One that cannot be built does not stop the others."""
    one_at_a_time, seen, sizes = threading.Lock(), set[Path](), dict[tuple[int, int], int]()

    def taken() -> int:
        with one_at_a_time:  # each environment is looked through once, as together they have very many files
            new = {path for path in shelf().glob("*") if not path.name.startswith(BUILDING)} - seen
            seen.update(new)
            for path in new:
                sizes.update(_sizes(path))
            return sum(sizes.values())

    def built(plan: Plan, stop: threading.Event) -> Built:
        if known(plan).folder is None and room and (size := taken()) >= room:
            why = f"the environments take {size / 1e9:.1f} GB, and may take {room / 1e9:g}: rankproof env prune"
            return Built(plan, why=why)
        return build(plan, libraries[plan.library], stop)

    with in_threads(at_once) as (pool, stop):
        futures = [pool.submit(built, plan, stop) for plan in plans]
        for future in as_completed(futures):
            progress(future.result())
    return [future.result() for future in futures]


def size_of(folder: Path) -> int:
    """Return the size of a file, or of the files below a folder; a file with several names counts once."""
    return sum(_sizes(folder).values())


def _sizes(path: Path) -> dict[tuple[int, int], int]:
    below = (Path(place) / name for place, _, names in os.walk(path) for name in names)
    sizes = {}
    for file in below if path.is_dir() else [path]:
        with contextlib.suppress(OSError):  # it was removed meanwhile
            found = file.lstat()
            sizes[found.st_dev, found.st_ino] = found.st_size
    return sizes


def remove(built: Built) -> None:
    """Remove an environment and the note on its plan."""
    if built.folder is not None:
        shutil.rmtree(built.folder, ignore_errors=True)
    _note_of(built.plan).unlink(missing_ok=True)


def strays(plans: Iterable[Plan]) -> list[Path]:
    """Return the folders of none of these plans: environments of other sheets or locks, and builds that were broken off."""
    wanted = {folder for plan in plans if (folder := known(plan).folder) is not None}
    return sorted(path for path in shelf().glob("*") if path.name != "plans" and path not in wanted)
