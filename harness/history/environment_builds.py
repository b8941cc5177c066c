"""Environments in the cache. Each is built in a temporary folder, and moved to its place after its worker has started.

The folder of an environment is named after its plan and the kind of machine. It has the lock, the interpreter or
program, and `done.json` with the report of the library, or the reason why the environment cannot be built.
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
from rankproof.history.virtual_environments import CannotBuild, install, interpreter_of, python_in, resolved, uv_program
from rankproof.text import one_line
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import stable_description, worker_of
from rankproof.workers.process import WorkerFailed
from rankproof.workers.programs import NotInstallable, variable_of
from rankproof.workers.rounds import in_threads
from rankproof.workers.store import digest

FIRST_WORD = 300.0
"""The time limit for the first response of a library, in seconds. The first import of large packages is slow."""
BUILDING = ".building-"
"""The prefix of the name of a folder in which an environment is being built."""
DONE = "done.json"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment variables of a worker. Threads do not help on small inputs, and slow down parallel workers."""


@dataclass(frozen=True)
class Built:
    """The environment of a plan: its folder, interpreter and the report of the library, or `why` it cannot be built."""

    plan: Plan
    folder: Path | None = None
    python: str = ""
    hello: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def status(self) -> str:
        """The status: `built`, `failed` or `not built`."""
        return "built" if self.folder is not None else "failed" if self.why else "not built"

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of its worker: the path of the program."""
        if self.folder is None or not self.plan.is_program:
            return {}
        return {variable_of(self.plan.library): str(self.folder / self.plan.library)}


def environments_folder() -> Path:
    """Return the folder of the environments."""
    return cache() / "environments"


def _place_of(plan: Plan) -> Path:
    return environments_folder() / f"{plan.name}-{digest(asdict(plan), platform.platform())[:12]}"


def known(plan: Plan) -> Built:
    """Return the environment of a plan, without building anything."""
    folder = _place_of(plan)
    try:
        hello: Mapping[str, Any] = json.loads((folder / DONE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Built(plan)
    return Built(plan, why=str(hello["why"])) if "why" in hello else Built(plan, folder, _python(plan, folder), hello)


def _python(plan: Plan, folder: Path) -> str:
    return sys.executable if plan.is_program else python_in(folder / "venv")


def locked(plan: Plan) -> dict[str, str]:
    """Return the distributions in the lock of an environment with their versions; empty if it is not built."""
    folder = known(plan).folder
    return {} if folder is None else versions_in((folder / "lock.txt").read_text(encoding="utf-8"))


def versions_in(lock: str) -> dict[str, str]:
    r"""Return the versions that the text of a lock pins.

    >>> versions_in("numpy==1.24.4 \\\n    --hash=sha256:aa\nsix==1.16.0\n")
    {'numpy': '1.24.4', 'six': '1.16.0'}
    """
    return dict(re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", lock, re.MULTILINE))


def build(plan: Plan, library: Library, stop: threading.Event | None = None) -> Built:
    """Build the environment of a plan if it is missing, and keep the reason if it fails. Raise NoUv without uv."""
    if known(plan).folder is not None:
        return known(plan)
    try:
        return _build(plan, library, stop)
    except OSError as error:  # such as a full disk, which may have room the next time
        return Built(plan, why=(error.strerror or str(error)).lower())


def _build(plan: Plan, library: Library, stop: threading.Event | None) -> Built:
    environments_folder().mkdir(parents=True, exist_ok=True)
    place = _place_of(plan)
    with tempfile.TemporaryDirectory(dir=environments_folder(), prefix=BUILDING) as name:
        folder = Path(name)
        try:
            hello = (_put if plan.is_program else _install)(plan, library, folder, stop)
        except (CannotBuild, NotInstallable) as error:
            publish(place / DONE, json.dumps({"why": one_line(str(error))}))
            return known(plan)
        (folder / DONE).write_text(json.dumps(hello), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        folder.rename(place)
        folder.mkdir()  # the end of this block removes it
    return known(plan)


def _put(plan: Plan, library: Library, folder: Path, stop: threading.Event | None) -> Mapping[str, Any]:
    sha256 = put_program(library, plan.version, folder / library.name)
    lock = f"{plan.package}=={plan.version} \\\n    --hash=sha256:{sha256}\n"
    (folder / "lock.txt").write_text(lock, encoding="utf-8")
    return _hello(plan, library, folder, stop)


def _install(plan: Plan, library: Library, folder: Path, stop: threading.Event | None) -> Mapping[str, Any]:
    uv_program()  # a missing uv is reported first
    interpreter, lock = interpreter_of(plan.python), folder / "lock.txt"
    if interpreter is None:
        raise CannotBuild(f"Python {plan.python} is not installed: uv python install {plan.python}")
    lock.write_text(resolved(plan, interpreter, folder), encoding="utf-8")
    install(plan, interpreter, lock, folder / "venv")
    return _hello(plan, library, folder, stop)


def _hello(plan: Plan, library: Library, folder: Path, stop: threading.Event | None) -> Mapping[str, Any]:
    environment = {**ONE_THREAD, **Built(plan, folder).variables}
    with worker_of(library, _python(plan, folder), FIRST_WORD, stop, environment=environment) as worker:
        try:
            hello = stable_description(worker.hello())
        except WorkerFailed as failure:
            raise CannotBuild(f"it is installed, but does not load: {failure.whole()}") from failure
    if "not_installed" in hello:
        raise CannotBuild(f"it is installed, but does not load: {hello['not_installed']}")
    if hello.get("version") != plan.version:
        raise CannotBuild(f"it reports version {hello.get('version')}")
    return hello


def build_all(
    plans: Iterable[Plan],
    libraries: Mapping[str, Library],
    at_once: int,
    room: int,
    progress: Callable[[Built], object],
) -> list[Built]:
    """Build environments until they use `room` bytes (0: no limit). A failed build does not stop the others."""

    def built(plan: Plan, stop: threading.Event) -> Built:
        if known(plan).folder is None and room and (size := size_of(environments_folder())) >= room:
            why = f"the environments use {size / 1e9:.1f} GB of at most {room / 1e9:g}: rankproof env prune"
            return Built(plan, why=why)
        return build(plan, libraries[plan.library], stop)

    with in_threads(at_once) as (pool, stop):
        futures = [pool.submit(built, plan, stop) for plan in plans]
        for future in as_completed(futures):
            progress(future.result())
    return [future.result() for future in futures]


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder; a file with several hard links counts once."""
    sizes = {}
    for path in (Path(place) / name for place, _, names in os.walk(folder) for name in names):
        with contextlib.suppress(OSError):  # the file was removed meanwhile
            status = path.lstat()
            sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values())


def remove(built: Built) -> None:
    """Remove the environment of a plan, or the reason why it could not be built."""
    shutil.rmtree(_place_of(built.plan), ignore_errors=True)


def strays(plans: Iterable[Plan]) -> list[Path]:
    """Return the folders that belong to no plan: environments of other sheets, and interrupted builds."""
    return sorted({*environments_folder().glob("*")} - {_place_of(plan) for plan in plans})
