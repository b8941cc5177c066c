"""Building: an environment is made beside its place, its worker says hello, and only then it is moved there and marked as done.

A folder of the cache, `environments`, holds for each environment its lock and its interpreter, or its program, and `plans` there says what
became of each plan. What an environment is called by is a digest of its lock, its interpreter and this kind of machine: whatever changes
one of them makes another environment.
"""

import json
import os
import platform
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rankproof.files import cache, publish
from rankproof.history.interpreters import interpreter_of
from rankproof.history.plans import Plan
from rankproof.history.program_versions import put_program
from rankproof.history.uv_calls import CannotBuild, install, python_in, resolved, uv_program
from rankproof.text import one_line
from rankproof.workers.failures import WorkerFailed
from rankproof.workers.installed_program import variable_of
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import as_said, worker_of
from rankproof.workers.programs import NotInstallable
from rankproof.workers.rounds import in_threads
from rankproof.workers.store import digest

FIRST_WORD = 300.0
"""How many seconds a library may take to say hello; nothing is compiled yet, and some packages are large."""
BUILDING = ".building-"
"""How the name of a folder begins in which an environment is being built."""
DONE = "done.json"
"""What the library said when its environment was done; a folder without it is none."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""What a worker is told: small inputs gain nothing of threads, and several workers on few cores lose much."""


@dataclass(frozen=True)
class Built:
    """What became of a plan.

    Attributes:
        folder: where the environment is; None where it could not be had, or was not built yet.
        python: its interpreter.
        hello: what its library said of itself.
        why: why there is no environment.
    """

    plan: Plan
    folder: Path | None = None
    python: str = ""
    hello: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def status(self) -> str:
        """In a word or two."""
        return "built" if self.folder is not None else "failed" if self.why else "not built"

    @property
    def variables(self) -> dict[str, str]:
        """What its worker is told beside: which program is the library, where it is one."""
        if self.folder is None or not self.plan.is_program:
            return {}
        return {variable_of(self.plan.library): str(self.folder / self.plan.library)}


def shelf() -> Path:
    """Where the environments are."""
    return cache() / "environments"


def _note_of(plan: Plan) -> Path:
    """Where it is noted what became of a plan."""
    return shelf() / "plans" / f"{plan.name}-{digest(asdict(plan))[:12]}.json"


def known(plan: Plan) -> Built:
    """What became of a plan, without building anything."""
    note = _noted(_note_of(plan))
    if note is None:
        return Built(plan)
    if "why" in note:
        return Built(plan, why=str(note["why"]))
    folder = shelf() / str(note["folder"])
    hello = _noted(folder / DONE)
    return Built(plan) if hello is None else Built(plan, folder, _python(plan, folder), hello)


def _noted(path: Path) -> Mapping[str, Any] | None:
    """What a file says; None where it is not there, or cannot be read."""
    try:
        said: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return said


def _python(plan: Plan, folder: Path) -> str:
    """The interpreter of an environment in a folder; this one where the library is a program."""
    return sys.executable if plan.is_program else python_in(folder / "venv")


def locked(plan: Plan) -> dict[str, str]:
    """All that is installed in an environment that is built, by its lock: distribution -> version; nothing where it is not built."""
    folder = known(plan).folder
    return {} if folder is None else versions_in((folder / "lock.txt").read_text(encoding="utf-8"))


def versions_in(lock: str) -> dict[str, str]:
    r"""The versions that the text of a lock pins.

    >>> versions_in("numpy==1.24.4 \\\n    --hash=sha256:aa\nsix==1.16.0\n")
    {'numpy': '1.24.4', 'six': '1.16.0'}
    """
    return dict(re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", lock, re.MULTILINE))


def build(plan: Plan, library: Library, stop: threading.Event | None = None) -> Built:
    """The environment of a plan, built if it is not there; that it cannot be had is noted, with the reason.

    Raises:
        NoUv: there is no uv.
        Interrupted: `stop` was set.
    """
    if (before := known(plan)).folder is not None:
        return before
    if not plan.is_program:
        uv_program()
    try:
        note = {"folder": _built(plan, library, stop).name}
    except (CannotBuild, NotInstallable) as error:
        note = {"why": one_line(str(error))}
    publish(_note_of(plan), json.dumps(note))
    return known(plan)


def _built(plan: Plan, library: Library, stop: threading.Event | None) -> Path:
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
        if _noted(folder / DONE) is not None:
            return folder
        (beside / "lock.txt").write_text(lock, encoding="utf-8")
        if interpreter is not None:
            install(plan, interpreter.path, beside / "lock.txt", beside / "venv")
        hello = _hello(plan, library, beside, stop)
        # Last of all: a folder without this mark is no environment.
        (beside / DONE).write_text(json.dumps(hello), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
        beside.mkdir()  # which the end of this block removes
    return folder


def _hello(plan: Plan, library: Library, folder: Path, stop: threading.Event | None) -> Mapping[str, Any]:
    """What the library says of itself in a folder.

    Raises:
        CannotBuild: it is installed and does not load, or is another version.
    """
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
    """Every environment, some at the same time; what cannot be had stops none of the others.

    Args:
        plans: what is built.
        libraries: by name.
        at_once: how many at the same time.
        room: how many bytes all environments together may take; what would come after is not built.
        progress: told of each.
    """
    room_taken = RoomTaken()

    def built(plan: Plan, stop: threading.Event) -> Built:
        before = known(plan)
        if before.folder is None and room and (taken := room_taken.now()) >= room:
            why = f"the environments take {taken / 1e9:.1f} GB, and may take {room / 1e9:g}: rankproof env prune"
            return Built(plan, why=why)
        return build(plan, libraries[plan.library], stop)

    with in_threads(at_once) as (pool, stop):
        futures = [pool.submit(built, plan, stop) for plan in plans]
        for future in as_completed(futures):
            progress(future.result())
    return [future.result() for future in futures]


@dataclass
class RoomTaken:
    """How many bytes all environments take together; each is looked through once, as together they have very many files."""

    _looked_through: set[Path] = field(default_factory=set)
    _files: set[tuple[int, int]] = field(default_factory=set)
    _total: int = 0
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock)

    def now(self) -> int:
        """The bytes by now; of an environment that is being built nothing counts yet."""
        with self._one_at_a_time:
            for path in shelf().glob("*"):
                if path not in self._looked_through and not path.name.startswith(BUILDING):
                    self._looked_through.add(path)
                    self._total += _new_bytes(path, self._files)
            return self._total


def size_of(folder: Path) -> int:
    """How many bytes a file, or the files below a folder take; a file of several names counts once."""
    return _new_bytes(folder, set())


def _new_bytes(folder: Path, seen: set[tuple[int, int]]) -> int:
    """The bytes of the files that were not seen yet."""
    total = 0
    for file in [folder.lstat()] if folder.is_file() else _files_below(folder):
        if (place := (file.st_dev, file.st_ino)) not in seen:
            seen.add(place)
            total += file.st_size
    return total


def _files_below(folder: Path) -> Iterator[os.stat_result]:
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                yield os.lstat(Path(place) / name)
            except OSError:  # it went meanwhile
                continue


def remove(built: Built) -> None:
    """Remove an environment, and what is noted of its plan."""
    if built.folder is not None:
        shutil.rmtree(built.folder, ignore_errors=True)
    _note_of(built.plan).unlink(missing_ok=True)


def strays(plans: Iterable[Plan]) -> list[Path]:
    """The folders that belong to none of these plans: environments of other sheets or locks, and builds that were broken off."""
    wanted = {folder for plan in plans if (folder := known(plan).folder) is not None}
    return sorted(path for path in shelf().glob("*") if path.name != "plans" and path not in wanted)
