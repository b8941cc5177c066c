"""Where the attacks happen: the package with a few cases, two libraries that answer at once, and what a clean machine writes.

Loading all cases takes longer than asking these, so the package is laid out anew with a few of them; its code is the checkout's, whole.
A machine is a home of its own: a store and results that nobody else uses.
"""

import compileall
import json
import os
import shutil
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from running import FREE, Ended, Limits, Strike, run

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = {
    "ties": (
        "below-cutoff",
        "inside-cutoff",
        "last-rank-shared",
        "names-swapped",
        "non-relevant-docs-only",
        "none-tied",
        "relevant-docs-only",
        "renamed-doc",
        "several-groups",
        "straddles-cutoff",
        "three-docs-all-tied",
        "two-docs-all-tied",
    ),
    "cutoff": ("just-below", "one"),
    "denominators": ("running-example",),
}
"""Those on ties are for libraries; functions are asked all."""
BEFORE = "ties/n*"
"""What was asked before, where there are results of an earlier run."""
SOUND = {"sound": "honest", "noisy": "honest_and_noisy"}
"""The libraries: miniatures of one variant."""
SLOWER = """
LIBRARY, VARIANTS = {name!r}, {{{variant!r}: VARIANTS[{variant!r}]}}
_at_once = observe


def observe(*asked):
    time.sleep(0.002)  # so that there is a time at which it is asked
    return _at_once(*asked)
"""
RESULTS = "results"
TOLD = frozenset({"unstable"})
"""What may be said of a question whose worker was killed: that it was answered in two ways."""

Tree = Mapping[str, bytes]
"""The files of a folder by their paths in it."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A home of its own, and the results and the report that it had at first."""

    home: Path
    had: Tree = field(default_factory=dict)

    @property
    def out(self) -> Path:
        """Where it writes results and report."""
        return self.home / "out"

    @property
    def store(self) -> Path:
        """Where it keeps answers."""
        return self.home / "cache" / "rankproof"


@dataclass(slots=True)
class Ground:
    """The place of all attacks.

    Attributes:
        folder: all of it.
        duration: how many seconds a clean run takes from the beginning of its own code.
        clean: what a clean machine writes.
        before: what it wrote before, where there are results of an earlier run.
    """

    folder: Path
    duration: float = 0.0
    clean: Tree = field(default_factory=dict)
    before: Tree = field(default_factory=dict)

    @property
    def adapters(self) -> Path:
        """The folder of the two libraries."""
        return self.folder / "adapters"

    @property
    def source(self) -> Path:
        """Where Python finds the package."""
        return self.folder / "source"

    def machine(self, name: str, like: str = "empty") -> Machine:
        """A new machine: `empty`, with what an `earlier` run left, or with what the `same` run left."""
        home = self.folder / "machines" / name
        if like == "empty":
            home.mkdir(parents=True)
        else:
            shutil.copytree(self.folder / like, home)
        return Machine(home, {"empty": {}, "earlier": self.before, "same": self.clean}[like])

    def asked(
        self,
        machine: Machine,
        *more: str,
        out: Path | None = None,
        cases: str = "ties/*",
        adapters: Path | None = None,
        limits: Limits = FREE,
        strike: Strike | None = None,
        wanted: Sequence[str] = tuple(SOUND),
    ) -> Ended:
        """Run `rankproof run` on a machine."""
        libraries = [argument for name in wanted for argument in ("--library", name)]
        arguments = ["run", *libraries, "--case", cases, "--out", str(out or machine.out), *more]
        return self.command(machine, *arguments, adapters=adapters, limits=limits, strike=strike)

    def command(
        self,
        machine: Machine,
        *arguments: str,
        adapters: Path | None = None,
        limits: Limits = FREE,
        strike: Strike | None = None,
        more: Mapping[str, str] | None = None,
        path: Path | None = None,
    ) -> Ended:
        """Run any command on a machine."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("RANKPROOF", "PYTHON", "XDG"))
        }
        environment |= {
            "HOME": str(machine.home),
            "RANKPROOF_CACHE": str(machine.store),
            "PYTHONPATH": os.pathsep.join(str(one) for one in (self.source, path) if one is not None),
            "RANKPROOF_ADAPTERS": str(adapters or self.adapters),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
        }
        return run(arguments, {**environment, **(more or {})}, machine.home, limits=limits, strike=strike)


def prepared(folder: Path) -> Ground:
    """Lay out the ground and see what a clean machine writes.

    Raises:
        RuntimeError: a clean run does not hold, so that nothing could be told from an attacked one.
    """
    ground = Ground(folder)
    _lay_out_package(ground.source)
    _lay_out_adapters(ground.adapters)
    run_clean(ground)
    return ground


def run_clean(ground: Ground) -> None:
    """See what a clean machine writes.

    Raises:
        RuntimeError: a clean run does not hold.
    """
    for name, cases in (("earlier", BEFORE), ("same", "ties/*")):
        machine = Machine(ground.folder / name)
        machine.home.mkdir()
        ended = ground.asked(machine, cases=cases)
        if ended.faults([0]) or ended.left:
            raise RuntimeError(
                f"a clean run does not hold: {ended.faults([0])}, {ended.left} processes left\n{ended.stderr}"
            )
        ground.duration = ended.seconds
    ground.before, ground.clean = tree(ground.folder / "earlier" / "out"), tree(ground.folder / "same" / "out")


def _lay_out_package(source: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package, folder in project["tool"]["setuptools"]["package-dir"].items():
        target, from_there = source / Path(*package.split(".")), ROOT / folder
        ignored = shutil.ignore_patterns("*_adapter.py", "[a-z]*.toml") if folder in {"adapters", "cases"} else None
        shutil.copytree(from_there, target, ignore=ignored, dirs_exist_ok=True)
    for topic, names in CASES.items():
        for name in names:
            shutil.copy(ROOT / "cases" / topic / f"{name}.toml", source / "rankproof" / "cases" / topic)
    compileall.compile_dir(source, quiet=2)


def _lay_out_adapters(folder: Path) -> None:
    folder.mkdir()
    for name, variant in SOUND.items():
        add_library(folder, name, SLOWER.format(name=name, variant=variant))


def add_library(folder: Path, name: str, code: str) -> None:
    """Put a library into a folder: the miniatures, with code of its own behind."""
    miniatures = ROOT / "tests" / "miniatures"
    sheet = (miniatures / "miniatures.toml").read_text(encoding="utf-8")
    adapter = (miniatures / "miniatures_adapter.py").read_text(encoding="utf-8")
    (folder / f"{name}.toml").write_text(sheet.replace('"miniatures"', f'"{name}"'), encoding="utf-8")
    (folder / f"{name}_adapter.py").write_text(adapter + code, encoding="utf-8")


# -- what was written --------------------------------------------------------------------------------------------------


def tree(folder: Path) -> Tree:
    """All files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def parts(found: Tree) -> list[str]:
    """The files that a write left behind: those that are hidden, or in hidden folders."""
    return [name for name in found if any(step.startswith(".") for step in name.split("/"))]


def results_of(found: Tree) -> Tree:
    """The results among the files."""
    return {
        name: text
        for name, text in found.items()
        if name.startswith(f"{RESULTS}/") and not any(step.startswith(".") for step in name.split("/"))
    }


def torn(found: Tree, *whole: Tree) -> list[str]:
    """What is neither the one nor the other: the results, which must be all of one run, or a file of the report."""
    results = results_of(found)
    faults = (
        []
        if results in [results_of(one) for one in whole]
        else [f"results are of no one run: {sorted(results) or 'none'}"]
    )
    pages = {name: text for name, text in found.items() if name not in results and name not in parts(found)}
    wrong = [
        name
        for name in {*pages, *whole[0]} - results_of(whole[0]).keys()
        if pages.get(name) not in [one.get(name) for one in whole]
    ]
    return [*faults, *(f"{name} is of neither run" for name in sorted(wrong))]


Rows = Counter[str]
"""The rows of results, as their lines."""


def rows_of(found: Tree) -> Rows:
    """The rows among the results, judged or unsupported."""
    lines = [
        line for text in results_of(found).values() for line in text.decode("utf-8", errors="replace").splitlines()
    ]
    return Counter(line for line in lines if _kind(line) in {"row", "unsupported"})


def _kind(line: str) -> object:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record.get("kind") if isinstance(record, dict) else None


@dataclass(frozen=True, slots=True)
class Difference:
    """How rows differ from those of a clean machine, and how many are told as not answered in one way."""

    invented: tuple[str, ...]
    lost: tuple[str, ...]
    told: int = 0


def difference(found: Rows, clean: Rows, *, told: frozenset[str] = frozenset()) -> Difference:
    """Compare rows; one with a verdict among `told` stands for all rows of its question, and neither invents nor loses any."""
    more, less = list((found - clean).elements()), list((clean - found).elements())
    honest = [line for line in more if json.loads(line).get("verdict") in told]
    questions = {_question(line) for line in honest}
    return Difference(
        tuple(line for line in more if line not in honest),
        tuple(line for line in less if _question(line) not in questions),
        len(honest),
    )


def _question(line: str) -> tuple[object, ...]:
    record = json.loads(line)
    return tuple(record.get(name) for name in ("subject", "case", "measure"))
