"""Environments are built, listed, removed and pruned as a ledger says that is kept by hand: drawn sheets, and lines that people type."""

import fnmatch
import json
import platform
import random
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typed
from fake_sheets import FAKE
from packaging.version import Version

from rankproof.cli import env
from rankproof.history import at_hand, environment_builds, releases
from rankproof.history.plans import Plan, all_plans, chosen_plans
from rankproof.history.releases import Release, releases_in
from rankproof.history.virtual_environments import CannotBuild, Interpreter
from rankproof.text import one_line
from rankproof.workers import known_libraries
from rankproof.workers.failures import WorkerFailed
from rankproof.workers.known_libraries import Library
from rankproof.workers.programs import NotInstallable

SEEDS = range(10)
MB = 1_000_000
HEAD = FAKE.replace("fake", "{name}").replace("Fake", "{name}").replace('"1"', '"{speaks_of}"')
SHEET = HEAD + '{package}\n{only}\n{entries}\n[profiles.v]\nRR = "standard"\n{program}\n'
PROGRAM = '[program]\nbuild = "make it of its sources"\nbuilds = []\n'
VERSIONS = ("1.10", "1.2", "2.0", "1.9", "2.0rc1")
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A library, as it was drawn: its package in the registry, what its sheet speaks of, and its environments."""

    name: str
    package: str
    speaks_of: str
    only: bool
    entries: Sequence[Entry]

    @property
    def is_program(self) -> bool:
        """Whether it needs no interpreter."""
        return self.name == "prog"

    def plans(self) -> list[Plan]:
        """Its environments, one for each version of each entry."""
        return [
            Plan(
                self.name,
                self.package or self.name,
                version,
                one.get("python", ""),
                tuple(one["with"]),
                one["deps"] == "none",
                tuple(one["from_source"]),
                one.get("label", ""),
            )
            for one in self.entries
            for version in one["versions"]
        ]

    def written(self, folder: Path) -> None:
        """Its sheet and its adapter."""
        tables = ["".join(f"{k} = {json.dumps(v)}\n" for k, v in one.items()) for one in self.entries]
        entries = "".join(f"[[environments]]\n{table}" for table in tables)
        text = SHEET.format(
            name=self.name,
            speaks_of=self.speaks_of,
            entries=entries,
            program=PROGRAM if self.is_program else "",
            package=f'package = "{self.package}"' if self.package else "",
            only=f"only_in_environments = {str(self.only).lower()}",
        )
        (folder / f"{self.name}.toml").write_text(text, encoding="utf-8")
        (folder / f"{self.name}_adapter.py").write_text("LIBRARY = ''\n", encoding="utf-8")


def drawn_libraries(c: random.Random) -> list[Drawn]:
    found = []
    for name, package in (("zeta", "Zeta_Rank"), ("ada", ""), ("mid", "o.mid"), ("prog", "")):
        entries: list[dict[str, Any]] = []
        for label in ["", *c.sample(["b", "a", "new-base"], c.randint(0, 2))]:
            one: dict[str, Any] = {"versions": c.sample(VERSIONS, c.randint(1, 3))}
            one |= {"label": label} if label else {}
            one |= {"python": c.choice(["3.7", "3.9", "3.10"])} if name != "prog" else {}
            one |= {"with": c.choice([[], ["base<2"], ["base<3", "six"]]), "deps": c.choice(["all", "none"])}
            one["from_source"] = c.choice([[], ["base"], ["base", package.upper() or name]])
            entries.append(one)
        c.shuffle(entries)
        found.append(Drawn(name, package, c.choice(VERSIONS[:4]), c.random() < 0.7, entries))
    return found


# -- environments that are chosen --------------------------------------------------------------------------------------

WANTED = (
    "all",
    "zeta",
    "z*",
    "Zeta-Rank",
    "zeta.rank@1.10",
    "zeta@>=1.9,<2",
    "o-mid@!=2.0",
    "*@2.0",
    "mid@1*",
    "ada@*+a",
    "ada@>1.2",
    "prog@2.0rc1",
    "prog@~=1.2",
    "*+new-base",
    "[az]*@1.9",
    "nobody",
    "ada@7",
)


def normalized(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def is_meant(text: str, plan: Plan) -> bool:
    library, at, version = text.partition("@")
    named = f"{plan.library}@{plan.version}" + ("+" + plan.label if plan.label else "")
    of_library = normalized(library) == normalized(plan.package) or fnmatch.fnmatchcase(plan.library, library)
    if at and version[0] in "<>=!~":
        bounds = [re.match(r"(<=|>=|==|!=|~=|<|>)(.*)", one) for one in version.split(",")]
        return of_library and all(_holds(Version(plan.version), one[1], Version(one[2])) for one in bounds if one)
    after = fnmatch.fnmatchcase(named.partition("@")[2], version)
    return text == "all" or fnmatch.fnmatchcase(named, text) or (of_library and (not at or after))


def meant(wanted: Sequence[str], plans: Sequence[Plan]) -> list[Plan]:
    return [plan for plan in plans if any(is_meant(text, plan) for text in wanted)]


def _holds(a: Version, sign: str, b: Version) -> bool:
    if sign == "~=":
        return b <= a and a.release[0] == b.release[0]
    before = sign == "<" and a.is_prerelease and Version(a.base_version) == b  # what comes before 2.0 is none below 2.0
    return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[sign] and not before


@pytest.mark.parametrize("seed", SEEDS)
def test_environments_are_named_in_many_ways(seed: int, tmp_path: Path) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    libraries = drawn_libraries(c)
    for one in libraries:
        one.written(tmp_path)
    loaded = known_libraries.libraries(tmp_path)
    assert [library.fault for library in loaded] == [""] * 4
    plans = [plan for one in sorted(libraries, key=lambda one: one.name) for plan in one.plans()]
    assert all_plans(loaded) == plans
    for _ in range(12):
        wanted = c.sample(WANTED, c.randint(1, 3))
        nobody = [text for text in wanted if not any(is_meant(text, plan) for plan in plans)]
        if nobody:
            why = re.escape(f"no sheet names an environment {nobody[0]}; there are ")
            with pytest.raises(known_libraries.Unusable, match=why):
                chosen_plans(wanted, plans)
        else:
            assert chosen_plans(wanted, plans) == meant(wanted, plans)


# -- a ledger of what is built ------------------------------------------------------------------------------------------


@dataclass
class Ledger:
    """What should be there, by hand; and the stand-ins for uv and the workers, which give what was drawn of each environment.

    Attributes:
        fate: of each environment: what comes of building it.
        notes: of each plan, the environment that it has, or why it has none.
        made: the environments that are done, with the MB that each has for itself.
        strays: what is no environment, or none any more, likewise; all environments but those of programs share two MB.
    """

    folder: Path
    c: random.Random
    libraries: list[Drawn]
    fate: dict[str, str] = field(default_factory=dict)
    notes: dict[Plan, tuple[str, str]] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    strays: dict[str, int] = field(default_factory=dict)
    machine: str = "one"
    patch: str = "5"

    @property
    def plans(self) -> list[Plan]:
        """All environments, in the order of the sheets."""
        return [plan for one in sorted(self.libraries, key=lambda one: one.name) for plan in one.plans()]

    def drawn(self, plan: Plan) -> str:
        """What comes of building a plan."""
        fates = ["built", "built", "built", "no solution", "does not load", "says another", "lacks a part"]
        name = plan.version if plan.is_program else plan.name  # a version of a program is one, whatever its label is
        return self.fate.setdefault(name, self.c.choice(fates))

    def lock(self, plan: Plan) -> dict[str, str]:
        """What is installed beside: it hangs on what the sheet asks for."""
        return {"base": "3" if "base<2" not in plan.beside and plan.python else "1", "six.moves": "1.1", "Zope_x": "2"}

    def size(self, plan: Plan) -> int:
        """Its own MB; two more it shares with all others."""
        return 1 + len(plan.version if plan.is_program else plan.name) % 3

    def why(self, plan: Plan) -> str:
        """Why a plan cannot be had; nothing where it can."""
        if plan.python == "3.7":
            return "there is no Python 3.7 here: uv python install 3.7"
        return {
            "built": "",
            "no solution": "no solution of it" if not plan.is_program else f"no {plan.version} here",
            "does not load": "it is installed and does not load: it ended",
            "says another": f"it says that it is version {plan.version}0",
            "lacks a part": "it is installed and does not load: no part",
        }[self.drawn(plan)]

    def there(self, plan: Plan) -> str:
        """The folder of a plan that is built."""
        kind, text = self.notes.get(plan, ("", ""))
        return text if kind == "folder" and text in self.made else ""

    def key(self, plan: Plan) -> str:
        """What an environment hangs on: two plans that come to the same have one."""
        of_python = [self.lock(plan), self.patch] if plan.python else []
        return json.dumps([plan.name, plan.python, self.machine, *of_python])

    def taken(self) -> int:
        """The bytes of all environments, of which all share a file."""
        there = {key: size for key, size in (self.made | self.strays).items() if not key.startswith(".building")}
        return (sum(there.values()) + 2 * any(map(shared, there))) * MB

    # -- the stand-ins

    def resolved(self, plan: Plan, python: str, beside: Path) -> str:
        """As uv would."""
        assert (python, beside.is_dir()) == (f"/python{plan.python}", True)
        if self.drawn(plan) == "no solution":
            raise CannotBuild("no solution\nof it")
        pins = {plan.package: plan.version} | self.lock(plan)
        return "".join(f"{name}=={version} \\\n    --hash=sha256:aa\n" for name, version in pins.items())

    def interpreter_of(self, version: str) -> Interpreter | None:
        """An interpreter, if this machine has it."""
        there = version != "3.7"
        return Interpreter(f"/python{version}", f"{version}.{self.patch}", "CPython") if there else None

    def install(self, plan: Plan, base: str, lock: Path, folder: Path) -> None:
        """A file of its own, and one that all environments share."""
        assert base == f"/python{plan.python}"
        assert lock.read_text(encoding="utf-8") == self.resolved(plan, base, folder.parent)
        folder.mkdir()
        shared = self.folder / "shared"
        if not shared.exists():
            _sized(shared, 2)
        _sized(folder / "own", self.size(plan))
        (folder / "first").hardlink_to(shared)
        (folder / "again").hardlink_to(shared)
        (folder.parent / "plan").write_text(plan.name, encoding="utf-8")

    def put_program(self, library: Library, version: str, place: Path) -> str:
        """A file as large as one of a package."""
        plan = next(one for one in self.plans if (one.library, one.version) == (library.name, version))
        if self.drawn(plan) == "no solution":
            raise NotInstallable(f"no {plan.version} here")
        _sized(place, self.size(plan))
        (place.parent / "plan").write_text(plan.name, encoding="utf-8")
        return "aa"

    @contextmanager
    def worker_of(
        self, library: Library, python: str, seconds: float, stop: threading.Event, *, environment: Mapping[str, str]
    ) -> Iterator[SimpleNamespace]:
        """The worker of what is being built, which says what was drawn."""
        del seconds, stop
        of_program = environment.get("RANKPROOF_PROG")
        building = Path(of_program).parent if of_program else Path(python).parents[2]
        plan = next(one for one in self.plans if one.name == (building / "plan").read_text(encoding="utf-8"))
        assert python == (sys.executable if plan.is_program else str(building / "venv/bin/python"))
        threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        assert library.name == plan.library
        assert environment == threads | ({"RANKPROOF_PROG": str(building / "prog")} if plan.is_program else {})

        def hello() -> dict[str, Any]:
            if self.drawn(plan) == "does not load":
                raise WorkerFailed("crash", "it ended")
            if self.drawn(plan) == "lacks a part":
                return {"not_installed": "no part"}
            said = f"{plan.version}0" if self.drawn(plan) == "says another" else plan.version  # 1.10 for 1.1
            beside = {plan.package: said, "base": self.lock(plan)["base"]}
            return {"version": said, "dependencies": beside, "seq": 1, "seconds": 0.5}

        yield SimpleNamespace(hello=hello)

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """In the place of uv, the interpreters and the workers."""
        monkeypatch.setenv("RANKPROOF_CACHE", str(self.folder / "cache"))
        for name in ("resolved", "install", "put_program", "worker_of"):
            monkeypatch.setattr(environment_builds, name, getattr(self, name))
        monkeypatch.setattr(environment_builds, "uv_program", lambda: "uv")
        monkeypatch.setattr(environment_builds, "interpreter_of", self.interpreter_of)
        monkeypatch.setattr(platform, "platform", lambda: self.machine)

    # -- by hand

    def line(self, plan: Plan, status: str, text: str) -> str:
        """A line of a list."""
        place = f"{plan.name} {'a program' if plan.is_program else f'Python {plan.python}'}"
        return one_line(f"{place} {status}{': ' if text else ''}{text}")

    def stands_on(self, plan: Plan) -> str:
        """What is told of what it stands on."""
        return f"base {self.lock(plan)['base']}"

    def build(self, chosen: Sequence[Plan], room: int) -> list[str]:
        """The lines of building some."""
        lines, count = [], 0
        for plan in chosen:
            text, status = self.stands_on(plan), "built"
            if not self.there(plan) and room and self.taken() >= room * MB:
                taken = f"the environments take {self.taken() / 1e9:.1f} GB, and may take {room / 1e3:g}"
                status, text = "failed", f"{taken}: rankproof env prune"
            elif not self.there(plan):
                why = self.why(plan)
                if why:
                    self.notes[plan], status, text = ("why", why), "failed", why
                else:
                    self.strays.pop(self.key(plan), None)
                    self.made[self.key(plan)] = self.size(plan)
                    self.notes[plan] = "folder", self.key(plan)
            count += status == "built"
            lines.append(self.line(plan, status, text))
        return [*lines, f"{count} of {len(chosen)} environments are built"]

    def listed(self, chosen: Sequence[Plan]) -> list[str]:
        """The lines of listing some."""
        lines = []
        for plan in chosen:
            kind, text = self.notes.get(plan, ("", ""))
            if self.there(plan):
                size = self.size(plan) + 2 * (not plan.is_program)
                lines.append(self.line(plan, "built", f"{self.stands_on(plan)}, {size} MB"))
            else:
                lines.append(self.line(plan, "failed" if kind == "why" else "not built", text if kind == "why" else ""))
        return lines

    def remove(self, chosen: Sequence[Plan]) -> list[str]:
        """The line of removing some."""
        gone = [folder for plan in chosen if (folder := self.there(plan))]
        for plan in chosen:
            self.notes.pop(plan, None)
        for folder in gone:
            self.made.pop(folder, None)
        return [f"{len(gone)} environment{'s' * (len(gone) != 1)} removed"]

    def prune(self) -> list[str]:
        """The line of pruning: what no plan of a sheet has, and what is no environment."""
        kept = {self.there(plan) for plan in self.plans}
        gone = {key: size + shared(key) for key, size in (self.made | self.strays).items() if key not in kept}
        self.made = {key: size for key, size in self.made.items() if key in kept}
        self.strays = {}
        return [f"{len(gone)} folder{'s' * (len(gone) != 1)} removed, {sum(gone.values())} MB"]


def shared(key: str) -> int:
    """How many MB an environment shares with others: it is told by what it is called by."""
    return 2 * (key.startswith("[") and not key.startswith('["prog'))


def _sized(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size * MB)


def test_an_environment_is_of_the_interpreter_that_it_was_built_under(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three plans with one lock: two under one Python, and one under another."""
    pythons = ("3.10", ""), ("3.11", ""), ("3.10", "again")
    plans = [Plan("made", "made", "1.0", python, beside=("base<2",), label=label) for python, label in pythons]
    library: Any = SimpleNamespace(name="made", plans=lambda: plans)
    ledger = Ledger(tmp_path, random.Random(0), [library])  # noqa: S311 - nothing is drawn
    ledger.put(monkeypatch)
    monkeypatch.setattr(ledger, "drawn", lambda _plan: "built")
    built = [environment_builds.build(plan, library) for plan in plans]
    assert [one.status for one in built] == ["built"] * 3
    assert len({one.folder for one in built}) == 3
    assert [environment_builds.known(plan).folder for plan in plans] == [one.folder for one in built]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_built_is_what_a_ledger_says(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    (own := tmp_path / "own").mkdir()
    ledger = Ledger(tmp_path, c, drawn_libraries(c))
    ledger.put(monkeypatch)
    shelf = environment_builds.shelf()
    for _ in range(14):
        for one in ledger.libraries:
            one.written(own)
        loaded = known_libraries.libraries(own)
        monkeypatch.setattr(env, "with_own", lambda _, loaded=loaded: loaded)
        verb = c.choice(["build", "build", "build", "list", "remove", "prune", "break off", "ballast", "edit", "move"])
        # Each time something is typed, whoever can be asked is so by the interpreter of its environment.
        held_to_who_is_at_hand(ledger, loaded)
        if verb == "edit":
            i = c.randrange(len(ledger.libraries))
            ledger.libraries[i] = next(one for one in drawn_libraries(c) if one.name == ledger.libraries[i].name)
        elif verb == "move":  # the cache is on a disk that machines share
            ledger.machine, ledger.patch = c.choice(["one", "two"]), c.choice("56")
        elif verb == "ballast":
            shelf.mkdir(parents=True, exist_ok=True)
            name = c.choice([".building-dead", "ballast", "zeta@1.9-old", "a-file"])
            if not (shelf / name).exists():
                (shelf / name).mkdir() if name != "a-file" else None
                _sized(shelf / name / "file" if name != "a-file" else shelf / name, 3)
                ledger.strays[name] = 3
        elif verb == "break off" and (there := [plan for plan in ledger.plans if ledger.there(plan)]):
            plan = c.choice(there)
            folder = environment_builds.known(plan).folder
            assert folder is not None
            (folder / "done.json").unlink()
            key = ledger.there(plan)
            ledger.strays[key] = ledger.made.pop(key)
        elif verb in {"build", "list", "remove", "prune"}:
            typed_and_by_hand(ledger, verb, tmp_path)
            assert len([*shelf.glob("*")]) - (shelf / "plans").exists() == len(ledger.made) + len(ledger.strays)


def held_to_who_is_at_hand(ledger: Ledger, loaded: Sequence[Library]) -> None:
    for one, library in zip(sorted(ledger.libraries, key=lambda one: one.name), loaded, strict=True):
        for plan in one.plans():
            wanted = {plan.package: plan.version} | ({} if plan.is_program else ledger.lock(plan))
            assert environment_builds.locked(plan) == (wanted if ledger.there(plan) else {})
        of_version = (plan for plan in one.plans() if plan.version == one.speaks_of)
        main = min(of_version, key=lambda plan: plan.label, default=None)
        assert at_hand.main_plan(library) == main
        there = main is not None and bool(ledger.there(main))
        python = sys.executable if not one.only or (there and one.is_program) else None
        for named in ((), ("x",)):
            found = at_hand.at_hand([library], named)
            assert [each.name for each in found.libraries] == [one.name] * (not one.only or there or bool(named))
            is_left_out = one.only and main is not None and not there and not named
            assert found.left_out == [main.name if main else ""] * is_left_out
            assert bool(found.pythons) == (one.only and there)
        if one.only and not there:
            told = f"rankproof env build {main.name}" if main else f"names none of version {one.speaks_of}"
            with pytest.raises(at_hand.NotBuilt, match=re.escape(told)):
                at_hand.python_of(library)
        elif python is not None:
            assert at_hand.python_of(library) == python
        elif main is not None:
            folder = environment_builds.known(main).folder
            assert at_hand.python_of(library) == found.pythons[one.name] == f"{folder}/venv/bin/python"


def typed_and_by_hand(ledger: Ledger, verb: str, folder: Path) -> None:
    c, plans = ledger.c, ledger.plans
    wanted = [c.choice([c.choice(plans).name, c.choice(plans).library, "all"]) for _ in range(2)]
    chosen = meant(wanted, plans)
    room = c.choice([0, 0, 6, 9]) if verb == "build" else 0
    if verb == "prune":
        wanted, lines = [], ledger.prune()
    elif verb == "build":
        lines = ledger.build(chosen, room)
    else:
        lines = {"list": ledger.listed, "remove": ledger.remove}[verb](chosen)
    options = ["--room", f"{room}M", "-j", "1"] if room else ["-j", "3"] if verb == "build" else []
    done = typed.rankproof("env", verb, *wanted, *options, "--adapters", "own", cwd=folder)
    told = [one_line(line) for line in typed.unfolded(done.out)]
    assert told == lines, done.err
    assert done.code == int(verb == "build" and any(" failed: " in line for line in lines))


# -- releases ---------------------------------------------------------------------------------------------------------

REQUIRES: Mapping[str | None, Sequence[int]] = {
    None: range(30),
    "": range(30),
    "no bounds": range(30),
    ">=3.9": range(9, 30),
    ">=3.8.1,<3.11": range(8, 11),
    "<3.10": range(10),
    "!=3.9.*,>=3.6": [*range(6, 9), *range(10, 30)],
}
"""What a file may require, and the minor versions of Python 3 that it allows."""
TAGS: Mapping[str, Sequence[int]] = {
    "py3-none-any": range(30),
    "py2.py3-none-any": range(30),
    "py2-none-any": [],
    "cp39-cp39-win_amd64": [9],
    "py310-none-any": [10],
    "cp39.cp310-none-any": [9, 10],
    "cp38-abi3-any": range(8, 30),
    "cp310-abi3-macosx_11_0_arm64": range(10, 30),
    "pp39-pypy39_pp73-any": [],
    "cp313-cp313t-any": [13],
}


def drawn_files(c: random.Random) -> list[dict[str, Any]]:
    """What a registry has: wheels, sources, and other things; some withdrawn, some before a release."""
    files = []
    for version in c.sample(["0.9", "1.0", "1.10", "1.9", "1.9.post1", "2.0rc1", "2.0.dev3", "3.0a1"], 6):
        for _ in range(c.randint(1, 4)):
            ending = c.choice([*(f"-{tag}.whl" for tag in TAGS), ".tar.gz", ".zip", ".exe", "-py3.whl"])
            said = {
                "requires-python": c.choice([*REQUIRES]),
                "yanked": c.choice([False] * 5 + [True, "broken"]),
                "upload-time": c.choice([None] + [f"20{c.randint(10, 25)}-05-1{c.randint(0, 9)}T10:00:00Z"] * 5),
            }
            files.append({"filename": f"lib-{version}{ending}", **{k: v for k, v in said.items() if v is not None}})
    c.shuffle(files)
    return files


@pytest.mark.parametrize("seed", range(30))
def test_the_releases_are_those_that_files_make(seed: int) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    files, from_source = drawn_files(c), c.random() < 0.5
    minors = c.sample([7, 8, 9, 10, 11, 13], 4)
    found: dict[str, tuple[list[str], set[int]]] = {}
    for file in files:
        version, ending = re.match(r"lib-([0-9a-z.]+?)(-.*|\.tar\.gz|\.zip|\.exe)$", file["filename"]).groups()  # type: ignore[union-attr]
        of_source = range(30) if from_source and ending in {".tar.gz", ".zip"} else None
        tags = TAGS.get(ending[1:].removesuffix(".whl"), of_source)
        if tags is not None and not file.get("yanked") and not re.search("rc|a|dev", version):
            days, fitting = found.setdefault(version, ([], set()))
            days.append(file.get("upload-time", "")[:10])
            fitting |= {minor for minor in minors if minor in tags and minor in REQUIRES[file.get("requires-python")]}
    order = sorted((Version(version), version) for version, (_, fitting) in found.items() if fitting)
    pythons = {
        name: tuple(f"3.{minor}" for minor in sorted(fitting, reverse=True)) for name, (_, fitting) in found.items()
    }
    wanted = [Release(release, min(found[name][0]), pythons[name]) for release, name in order]
    assert releases_in(files, [f"3.{minor}" for minor in minors], from_source=from_source) == wanted


@pytest.mark.parametrize("seed", range(30))
def test_a_release_is_put_on_what_the_nearest_older_one_stands_on(seed: int, tmp_path: Path) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    libraries = [one for one in drawn_libraries(c) if not one.is_program]
    for one in libraries:
        one.written(tmp_path)
    libraries.sort(key=lambda one: one.name)
    for one, library in zip(libraries, known_libraries.libraries(tmp_path), strict=True):
        plain = sorted((plan for plan in one.plans() if not plan.label), key=lambda plan: Version(plan.version))
        for text in ("0.1", "1.2.0", "1.5", "1.9", "1.10.1", "2.0", "3.0"):
            interpreters = tuple(c.sample(["3.11", "3.10", "3.9", "3.7"], 2))
            named = [plan for plan in plain if Version(plan.version) == Version(text)]
            near = ([plan for plan in plain if Version(plan.version) <= Version(text)][-1:] or plain[:1])[0]
            python = near.python if near.python in interpreters else interpreters[0]
            wanted = (
                named[0]
                if named
                else Plan(
                    near.library,
                    near.package,
                    text,
                    python,
                    near.beside,
                    near.without_dependencies,
                    near.from_source,
                    "release",
                )
            )
            found = releases.plan_of(library.sheet, Release(Version(text), "", interpreters))
            assert found == wanted
