"""Machines to attack: home folders with a cache and results, and the files of an undisturbed machine.

Loading all cases takes longer than running these libraries, so the package is copied with a few cases and its complete
code.
"""

import compileall
import json
import os
import shutil
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from commands import FREE, Ended, Limits, Strike, run

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = (
    *(f"ties/{name}" for name in ("below-cutoff", "inside-cutoff", "last-rank-shared", "names-swapped", "none-tied")),
    *(f"ties/{name}" for name in ("non-relevant-docs-only", "relevant-docs-only", "renamed-doc", "several-groups")),
    *(f"ties/{name}" for name in ("straddles-cutoff", "three-docs-all-tied", "two-docs-all-tied")),
    *("cutoff/just-below", "cutoff/one", "denominators/running-example"),
)
"""Cases of the copy; libraries run only on those of ties, functions on all."""
EARLIER = "ties/n*"
"""Cases of an earlier run."""
LIBRARIES = {"sound": "honest", "noisy": "honest_and_noisy"}
"""Libraries that always return the same values; each is a variant of `tests/miniatures`."""
SLOWER = """
LIBRARY, VARIANTS = {name!r}, {{{variant!r}: VARIANTS[{variant!r}]}}
_at_once = observe


def observe(*arguments):
    time.sleep(0.002)  # so that a signal can arrive meanwhile
    return _at_once(*arguments)
"""

Tree = Mapping[str, bytes]
"""The files of a folder by their paths."""
Rows = Counter[str]
"""Lines of results or of output."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A home folder with a cache and results.

    Attributes:
        had: results and report before the attack.
    """

    home: Path
    had: Tree = field(default_factory=dict)

    @property
    def out(self) -> Path:
        """The folder of results and report."""
        return self.home / "out"

    @property
    def cache(self) -> Path:
        """The folder of kept values."""
        return self.home / "cache" / "rankproof"

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file below its home folder, and return the path."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@dataclass(slots=True)
class Ground:
    """The folder of all machines.

    Attributes:
        duration: seconds of an undisturbed run.
        clean: files of an undisturbed run.
        earlier: files of an undisturbed run with fewer cases.
        expected: output of undisturbed commands, by name.
    """

    folder: Path
    duration: float = 0.0
    clean: Tree = field(default_factory=dict)
    earlier: Tree = field(default_factory=dict)
    expected: dict[str, Rows] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def adapters(self) -> Path:
        """The folder of the two libraries."""
        return self.folder / "adapters"

    @property
    def source(self) -> Path:
        """The folder with the copy of the package."""
        return self.folder / "source"

    def once(self, name: str, compute: Callable[[], Rows]) -> Rows:
        """Return the output of an undisturbed command, which runs only once."""
        with self._lock:
            if name not in self.expected:
                self.expected[name] = compute()
        return self.expected[name]

    def command(
        self,
        machine: Machine,
        *arguments: str,
        adapters: Path | None = None,
        limits: Limits = FREE,
        strike: Strike | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run any command on a machine."""
        own = {"HOME": str(machine.home), "RANKPROOF_CACHE": str(machine.cache), "PYTHONPATH": str(self.source)}
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("RANKPROOF", "PYTHON", "XDG"))
        }
        constant = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
        environment = {**inherited, **own, **constant, "RANKPROOF_ADAPTERS": str(adapters or self.adapters)}
        return run(arguments, {**environment, **(more or {})}, machine.home, limits=limits, strike=strike)


def run_arguments(out: Path, cases: str = "ties/*", libraries: Sequence[str] = tuple(LIBRARIES)) -> list[str]:
    """Return the arguments that run libraries on cases."""
    wanted = [argument for name in libraries for argument in ("--library", name)]
    return ["run", *wanted, "--case", cases, "--out", str(out)]


def prepare(folder: Path) -> Ground:
    """Copy the package and the libraries, and run them undisturbed.

    Raises:
        RuntimeError: the undisturbed run fails.
    """
    ground = Ground(folder)
    _copy_package(ground.source)
    ground.adapters.mkdir()
    for name, variant in LIBRARIES.items():
        add_library(ground.adapters, name, SLOWER.format(name=name, variant=variant))
    for like, cases in (("earlier", EARLIER), ("same", "ties/*")):
        machine = Machine(folder / like)
        machine.home.mkdir()
        ended = ground.command(machine, *run_arguments(machine.out, cases))
        if faults := ended.faults([0]):
            raise RuntimeError(f"an undisturbed run fails: {faults}\n{ended.stderr}")
        ground.duration = ended.seconds
    ground.earlier, ground.clean = files_of(folder / "earlier" / "out"), files_of(folder / "same" / "out")
    return ground


def _copy_package(source: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package, folder in project["tool"]["setuptools"]["package-dir"].items():
        target = source / Path(*package.split("."))
        ignored = shutil.ignore_patterns("*_adapter.py", "[a-z]*.toml") if folder in {"adapters", "cases"} else None
        shutil.copytree(ROOT / folder, target, ignore=ignored, dirs_exist_ok=True)
    for case in CASES:
        target = source / "rankproof" / "cases" / f"{case}.toml"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "cases" / f"{case}.toml", target)
    compileall.compile_dir(source, quiet=2)


def add_library(folder: Path, name: str, code: str) -> None:
    """Write adapter and sheet of a library: those of the miniatures, and its own code after the adapter."""
    miniatures = ROOT / "tests" / "miniatures"
    sheet = (miniatures / "miniatures.toml").read_text(encoding="utf-8")
    adapter = (miniatures / "miniatures_adapter.py").read_text(encoding="utf-8")
    (folder / f"{name}.toml").write_text(sheet.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    (folder / f"{name}_adapter.py").write_text(adapter + code, encoding="utf-8")


# -- one attack --------------------------------------------------------------------------------------------------------


@dataclass
class Trial:
    """An attack with its machines and faults.

    Attributes:
        index: number of the attack in its row.
        chance: random choices of the attack; depend on the seed, the row and the number.
        seconds: time until the first command ended.
    """

    ground: Ground
    name: str
    index: int
    chance: Random
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def machine(self, like: str = "empty", suffix: str = "") -> Machine:
        """Return a new machine: `empty`, or with the results of an `earlier` run or of the `same` run."""
        home = self.ground.folder / "machines" / f"{self.name}-{self.index}{suffix}"
        if like == "empty":
            home.mkdir(parents=True)
        else:
            shutil.copytree(self.ground.folder / like, home)
        return Machine(home, {"empty": {}, "earlier": self.ground.earlier, "same": self.ground.clean}[like])

    def command(
        self,
        machine: Machine,
        *arguments: str,
        codes: Sequence[int] | None = (0,),
        about: str = "",
        adapters: Path | None = None,
        limits: Limits = FREE,
        strike: Strike | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run a command, which must end with one of these exit codes; None leaves this to the caller."""
        ended = self.ground.command(machine, *arguments, adapters=adapters, limits=limits, strike=strike, more=more)
        self.seconds = self.seconds or ended.seconds
        if codes is not None:
            self.fault(*ended.faults(codes), about=about)
        return ended

    def fault(self, *texts: str, about: str = "") -> None:
        """Note faults."""
        self.faults += [f"{about}: {text}" if about else text for text in texts]

    def require(self, holds: object, text: str) -> None:
        """Note a fault unless a condition is true."""
        if not holds:
            self.fault(text)

    def compare(self, rows: Rows, expected: Rows, *, about: str = "", partly: bool = False) -> None:
        """Note rows that an undisturbed command does not have, and missing rows unless `partly`."""
        invented, lost = list((rows - expected).elements()), list((expected - rows).elements())
        for what, wrong in (("invented", invented), ("lost", [] if partly else lost)):
            if wrong:
                self.fault(f"{len(wrong)} rows {what}, as {wrong[0][:300]}", about=about)

    def holds(self, machine: Machine, out: Path | None = None, limits: Limits = FREE, about: str = "") -> None:
        """Run the libraries, which must write the same files as on an undisturbed machine."""
        ended = self.command(machine, *run_arguments(out or machine.out), limits=limits, about=about)
        self.written(machine, out or machine.out, about=about)
        self.require(ended.stdout.strip() or ended.stderr.strip(), "the run prints nothing")

    def written(self, machine: Machine, out: Path, about: str = "") -> None:
        """Compare the files of a run with those of an undisturbed machine."""
        files = files_of(out)
        self.fault(*mixed(files, self.ground.clean), *left_behind(machine), about=about)
        self.compare(rows_of(files), rows_of(self.ground.clean), about=about)


# -- what was written --------------------------------------------------------------------------------------------------


def files_of(folder: Path) -> Tree:
    """Return all files of a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _is_hidden(name: str) -> bool:
    return any(step.startswith(".") for step in name.split("/"))


def left_behind(machine: Machine) -> list[str]:
    """Return the remains of an interrupted write: hidden files, or files in hidden folders."""
    return [f"{name} stays behind" for name in files_of(machine.home) if _is_hidden(name)]


def _results(files: Tree) -> Tree:
    return {name: text for name, text in files.items() if name.startswith("results/") and not _is_hidden(name)}


def mixed(files: Tree, *whole: Tree) -> Iterator[str]:
    """Yield files that belong to none of some runs: mixed results, or a page of the report."""
    results = _results(files)
    if results not in [_results(run) for run in whole]:
        yield f"results are not from one run: {sorted(results) or 'none'}"
    pages = {name: text for name, text in files.items() if name not in results and not _is_hidden(name)}
    for name in sorted({*pages, *whole[0]} - _results(whole[0]).keys()):
        if pages.get(name) not in [run.get(name) for run in whole]:
            yield f"{name} is from neither run"


def rows_of(files: Tree) -> Rows:
    """Return the lines of results with a verdict, or unsupported."""
    lines = (line for text in _results(files).values() for line in text.decode(errors="replace").splitlines())
    return Counter(line for line in lines if record_of(line).get("kind") in {"row", "unsupported"})


def record_of(line: str) -> Mapping[str, object]:
    """Return a line of results as an object; empty if the line is not an object."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}
