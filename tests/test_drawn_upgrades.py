"""What an upgrade moves, whom it touches and what files pin: drawn by a seed, and worked out by looking at all."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import drawn_history
import pytest
import typed
from drawn_history import step_as_json, step_of
from packaging.version import Version
from read_markdown import cells, plain

from rankproof.cli.waiting import Observer
from rankproof.history import history, releases
from rankproof.history.history import ObservedVersion
from rankproof.history.plans import Plan
from rankproof.history.releases import Release
from rankproof.history.upgrades import Upgrade, declared_functions, pinned_in, touched_functions
from rankproof.judge import published_answers
from rankproof.report import upgrade_text
from rankproof.text import one_line
from rankproof.workers import known_libraries
from rankproof.workers.known_libraries import Library, claiming_nothing

SEEDS = range(16)
NAMES = ("zeta", "ada", "mid", "kim")
VERSIONS = ("1.0", "1.2", "1.9", "1.10", "2.0")
WRITTEN = {"1.0": ("1.0", "1", "1.0.0"), "2.0": ("2.0", "v2.0.0", "2")}
"""A version, as people may write it."""

# -- what moves -------------------------------------------------------------------------------------------------------


def change(c: random.Random, name: str) -> dict[str, Any]:
    measure = c.choice(["AP", "P", "nDCG"])
    return {
        "measure": measure,
        "variants": c.sample(["v", "w", "u"], 2),
        "behind": c.choice(["cause undetermined", f"by <{name}>"]),
        "place": f"odd/|{name} {measure}@5",
        "before": f".1 `{name}`",
        "after": c.choice([".2", "*no*"]),
        "sentence": f"{measure} moves in {name}",
    }


def published(c: random.Random) -> dict[str, Any]:
    """Histories of some libraries, each of some versions, and the steps at which something changed."""
    told: dict[str, Any] = {}
    for name in NAMES[:3]:
        versions = [one for one in VERSIONS if c.random() < 0.85] + ["2.0+new-base"]
        steps = [
            {
                "from": a,
                "to": b,
                "beside": c.choice(["", " (with numpy 1 → 2)"]),
                "changes": [change(c, f"{name} {b}") for _ in range(c.randint(1, 3))],
            }
            for a, b in pairwise(versions)
            if c.random() < 0.7
        ]
        told[name] = {"versions": versions, "steps": steps}
    whole: dict[str, Any] = drawn_history.document_of(told)["libraries"]
    return whole


def wanted_upgrades(
    world: drawn_history.World,
    libraries: Sequence[Library],
    pins: Sequence[Mapping[str, str]],
    told: Mapping[str, Any],
    *,
    fresh: bool,
) -> list[dict[str, Any]]:
    wanted = []
    for library in libraries:
        old, new = (one.get(library.name) for one in pins)
        if library.fault or old is None or new is None or Version(old) == Version(new):
            continue
        steps, why, source = None if fresh else steps_between(told.get(library.name, {}), old, new), "", "published"
        if steps is None:
            source = "observed"
            steps, why = asked_now(world, library, old, new)
        wanted.append(
            {
                "library": library.name,
                "old": old,
                "new": new,
                "source": source,
                "why_not": why,
                "moves": sum(len(step["changes"]) for step in steps),
                "steps": steps,
            }
        )
    return wanted


def declared(file: str, call: str = "f(rels)") -> str:
    """Return the entry of a function in pyproject.toml."""
    return f'[[tool.rankproof.check]]\nfile = "{file}"\ncall = "{call}"\n'


@dataclass
class Place:
    """A folder with two files of pins, the published histories, and libraries that answer as they were drawn."""

    seed: int
    folder: Path
    observers: list[Observer] = field(default_factory=list)

    def __post_init__(self) -> None:
        c = random.Random(self.seed)  # noqa: S311 - an example
        self.world = drawn_history.drawn_world(self.seed, NAMES)
        self.told, self.fresh = published(c), c.random() < 0.25
        faults = {name: "its sheet does not read" if c.random() < 0.1 else "" for name in NAMES}
        self.libraries = [replace(self.world.libraries[name], fault=fault) for name, fault in faults.items()]
        self.pins = [self._pins(c) for _ in range(2)]
        lines = [[f"{name}-rank=={version}" for name, version in of.items()] + ["other==1"] for of in self.pins]
        functions = "".join(map(declared, ("b", "a.py", "c", "b")))
        texts = {
            "pyproject.toml": functions,
            "a.py": "import zeta, ada\n",
            "b.py": "import mid\n",
            "c.py": "import json\n",
            "history.json": json.dumps({"environments": [], "libraries": self.told}),
            "old.txt": "\n".join(lines[0]),
            "new.txt": "\n".join(lines[1]),
        }
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    @staticmethod
    def _pins(c: random.Random) -> dict[str, str]:
        of = {name: c.choice(VERSIONS) for name in c.sample(NAMES, 4) if c.random() < 0.9}
        return {name: c.choice(WRITTEN.get(version, (version,))) for name, version in of.items()}

    def ask(self, observer: Observer, plans: Sequence[Plan]) -> dict[Plan, ObservedVersion | str]:
        """What was drawn of each version, or that it cannot be had."""
        self.observers.append(observer)
        found: dict[Plan, ObservedVersion | str] = {}
        for plan in plans:
            there = [one for one in self.world.observed[plan.library] if one.plan.version == plan.version]
            found[plan] = replace(there[0], plan=plan) if there else f"no {plan.version} of {plan.library}"
        return found

    def put(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """In the place of the libraries that are known, of the registry, and of what was published."""
        locks = locks_of(self.world)
        of_registry = [Release(Version(one), "", ("3.9",)) for one in VERSIONS[1:]]
        monkeypatch.setattr(history, "locked", lambda plan: locks.get(plan.name, {}))
        monkeypatch.setattr(known_libraries, "with_own", lambda _: self.libraries)
        monkeypatch.setattr(published_answers, "REPORTS", self.folder)
        monkeypatch.setattr(releases, "releases_of", lambda _sheet: of_registry)
        monkeypatch.setattr(Observer, "ask", lambda *given: self.ask(*given))  # noqa: PLW0108 - a method of one is none of the other


def locks_of(world: drawn_history.World) -> dict[str, Mapping[str, str]]:
    return {f"{name.partition('+')[0]}+release": lock for name, lock in world.locks.items()} | {**world.locks}


@pytest.mark.parametrize("seed", SEEDS)
def test_an_upgrade_moves_what_was_published_or_what_is_asked_now(
    seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = Place(seed, tmp_path)
    place.put(monkeypatch)
    wanted = wanted_upgrades(place.world, place.libraries, place.pins, place.told, fresh=place.fresh)
    moving = [one["library"] for one in wanted if one["moves"] or one["why_not"]]
    imported = {"b": ["mid"], "a.py": ["zeta", "ada"], "c": []}
    touched = {f"{f}:f": libs for f, of in imported.items() if (libs := [one for one in moving if one in of])}
    options, how = drawn_history.drawn_how(random.Random(seed))  # noqa: S311 - an example
    line = ("upgrade", "--requirements", "old.txt", "new.txt", *options, *(["--fresh"] if place.fresh else []))
    done = typed.rankproof(*line, "--json", cwd=tmp_path)
    assert json.loads(done.out) == json.loads(json.dumps({"upgrades": wanted, "touched": touched}))
    incomplete = any(one["why_not"] for one in wanted)
    assert done.code == (3 if incomplete else int(any(one["moves"] for one in wanted)))
    observed = {one["library"] for one in wanted if one["source"] == "observed"}
    assert {observer.library.name for observer in place.observers} <= observed
    for one in place.observers:
        assert one.whole
        assert len(one.cases) > 100
        assert (one.asking.at_once, one.asking.timeout, one.asking.memory, one.room) == how

    titles = {library.name: library.sheet.title or library.name for library in place.libraries}
    heads = [heading(titles[one["library"]], one) for one in wanted]
    imports = {f: f"{f}, which imports {', '.join(libs)} or may" for f, libs in touched.items()}
    by_function = [f"may be touched: {said}: pytest -k rankproof" for said in imports.values()]
    lines = []
    for head, one in zip(heads, wanted, strict=True):
        lines.append(head)
        for step in one["steps"]:
            lines += [f"{step['from']} → {step['to']}{step['beside']}", *(each["sentence"] for each in step["changes"])]
    lines = [*lines, *by_function] or ["no library that rankproof knows differs between them"]
    text = typed.rankproof(*line, cwd=tmp_path)
    assert (text.code, "".join(text.out.split())) == (done.code, "".join(one_line(" ".join(lines)).split()))
    comment = typed.rankproof(*line, "--markdown", cwd=tmp_path)
    assert comment.code == done.code
    held_to_a_comment(comment.out, wanted, heads, by_function)


def test_a_version_that_cannot_be_had_is_named_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Place(0, tmp_path).put(monkeypatch)
    done = typed.rankproof("upgrade", "ada", "0.7", "0.7", "--fresh", cwd=tmp_path)
    assert (done.code, ": not known: 0.7 cannot be had from the registry" in one_line(done.out)) == (3, True)


def test_a_comment_shows_titles_and_functions_whatever_is_in_them() -> None:
    library = Library("a", Path(), replace(claiming_nothing("a", Path("a.toml")), title="a|<b>"))
    comment = upgrade_text.as_markdown([upgrade_text.Moved(Upgrade(library, "1", "2"), ())], {"f|<b>": ["a"]})
    assert "**a\\|&lt;b&gt; 1 → 2: nothing moves (by what was published)**" in comment
    assert "- may be touched: f\\|&lt;b&gt;, which imports a or may: pytest -k rankproof" in comment


def held_to_a_comment(
    page: str, wanted: Sequence[Mapping[str, Any]], heads: Sequence[str], last: Sequence[str]
) -> None:
    rows = [row for row in page.splitlines() if row.startswith("| ") and not row.startswith("| in |")]
    told = [
        (
            step["to"],
            each["measure"],
            ", ".join(each["variants"]),
            each["behind"],
            each["place"],
            each["before"],
            each["after"],
        )
        for one in wanted
        for step in one["steps"]
        for each in step["changes"]
    ]
    assert [cells(row) for row in rows] == [[*map(one_line, row)] for row in told]
    title = "metrics move" if any(one["moves"] for one in wanted) else "no metric moves"
    assert [plain(row) for row in page.splitlines() if row and not row.startswith("|")] == [
        "<!-- rankproof upgrade -->",
        f"### rankproof: {title}",
        *(f"**{one_line(head)}**" for head in heads),
        *(f"- {one}" for one in last),
    ]


def heading(title: str, one: Mapping[str, Any]) -> str:
    count = {0: "nothing moves", 1: "1 thing moves"}.get(one["moves"], f"{one['moves']} things move")
    source = {"published": "by what was published", "observed": "asked now"}[one["source"]]
    told = f"not known: {one['why_not']}" if one["why_not"] else f"{count} ({source})"
    return f"{title} {one['old']} → {one['new']}: {told}"


def steps_between(told: Mapping[str, Any], old: str, new: str) -> list[Any] | None:
    """The steps from the one version to the other, in the order in which they are gone."""
    places = {Version(version): i for i, version in enumerate(told.get("versions", ()))}
    if Version(old) not in places or Version(new) not in places:
        return None
    a, b = places[Version(old)], places[Version(new)]
    way = [(i, i + 1) for i in range(a, b)] or [(i - 1, i) for i in range(a, b, -1)]
    by_place = {(places[Version(step["from"])], places[Version(step["to"])]): step for step in told["steps"]}
    return [by_place[one] for one in way if one in by_place]


def asked_now(world: drawn_history.World, library: Library, old: str, new: str) -> tuple[list[Any], str]:
    """What moves by what the two versions answer; or why it is not known."""
    known = {Version(one): one for one in VERSIONS[1:]}
    if missing := [one for one in (old, new) if Version(one) not in known]:
        return [], f"{' and '.join(missing)} cannot be had from the registry by an interpreter of this machine"
    names = [known[Version(one)] for one in (old, new)]
    there = [next((one for one in world.observed[library.name] if one.plan.version == name), None) for name in names]
    if missing := [name for name, one in zip(names, there, strict=True) if one is None]:
        return [], "; ".join(f"no {name} of {library.name}" for name in missing)
    plans = [releases.plan_of(library.sheet, Release(Version(name), "", ("3.9",))) for name in names]
    before, after = (replace(one, plan=plan) for one, plan in zip(there, plans, strict=True) if one is not None)
    step = step_of(before, after, library.sheet.precision)
    return ([step_as_json(before, after, step, locks_of(world))] if step.moves else []), ""


# -- what is pinned ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_file_pins_what_it_holds_to_one_version(seed: int, tmp_path: Path) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    ways = {
        "{}=={}": True,
        "{} == {}": True,
        "{}==={}": True,
        "{}[fast,io]=={}": True,
        "{}>=0.1,=={}": True,
        "{}=={} ; python_version > '3.1'": True,
        "{}=={}  # because": True,
        "{}=={} --hash=sha256:12 --hash=sha256:34": True,
        "{}=={} \\\n    --hash=sha256:12 \\\n    --hash=sha256:34": True,
        "  {}=={}": True,
        "{}~={}": False,
        "{}>={}": False,
        "# {}=={}": False,
        "{}=={}.*": False,
        "-r {}.txt": False,
        "{}": False,
        "{} @ https://example.org/{}.whl": False,
        "--index-url https://{}/=={}": False,
        "": False,
    }
    names = c.sample(["Ada", "b_b", "c.c", "d-d", "Eve_Rank", "fox", "gnu", "h2"], 6)
    pinned, lines = {}, []
    for name in names:
        way, version = c.choice([*ways]), c.choice(["1.0", "2.1.0", "3rc1"])
        lines.append(way.format(name, version))
        if ways[way]:
            pinned[re.sub("[-_.]+", "-", name).lower()] = version
    end = "\r\n" if seed % 2 else "\n"  # Windows ends lines otherwise; an editor writes them so
    (tmp_path / "all.txt").write_bytes("\n".join(lines).replace("\n", end).encode())
    check = pinned_in(tmp_path / "all.txt") if pinned else {}
    assert check == pinned
    table = c.choice(["package", "packages"])
    ways_of_lock = ('version = "{}"', 'version = "{}"\nsource = {{ registry = "x" }}', 'directory = {{ path = "{}" }}')
    entries = {name: c.choice(ways_of_lock) for name in names}
    text = "".join(f'[[{table}]]\nname = "{name}"\n{how.format(i)}\n' for i, (name, how) in enumerate(entries.items()))
    lock = tmp_path / c.choice(["uv.lock", "poetry.lock", "pylock.toml", "pylock.dev.toml"])
    lock.write_text(f'version = 1\n{text}[[{table}]]\nname = "last"\nversion = "9"\n', encoding="utf-8")
    of_versions = [(i, name) for i, (name, how) in enumerate(entries.items()) if how.startswith("version")]
    versions = {re.sub("[-_.]+", "-", name).lower(): str(i) for i, name in of_versions}
    assert pinned_in(lock) == versions | {"last": "9"}


# -- who is touched ---------------------------------------------------------------------------------------------------

MODULES = ("top", "pkg.one", "pkg.two", "pkg.sub.deep", "pkg.sub.near", "lone", "src_only", "pkg")


def imports(c: random.Random, module: str, other: str) -> tuple[str, set[str]]:
    """A line by which a module imports another one, in any of the ways there are, and all that it reaches."""
    parent, _, name = other.rpartition(".")
    ways = [f"import {other}", f"import math, {other} as x", f"from {other} import f", f"def f():\n    import {other}"]
    by_parent = [f"from {parent} import {name}", f"from {parent} import nothing, {name} as y"] if parent else []
    if module.startswith("pkg") and other.startswith("pkg."):
        up, rest = "." * (module.count(".") or 1), other.removeprefix("pkg.")
        ways.append(f"from {up}{rest} import f")
        by_parent.append(f"from {up}{rest.rpartition('.')[0]} import {name}")
    line = c.choice(ways + by_parent)
    return line, {other, parent} if line in by_parent else {other}


@pytest.mark.parametrize("seed", SEEDS)
def test_who_imports_what_moves_is_touched_through_whatever_modules(seed: int, tmp_path: Path) -> None:
    """A module of the project that does not read may import anything, and so may who imports it."""
    c = random.Random(seed)  # noqa: S311 - an example
    libraries = [Library(name, Path(), claiming_nothing(name, Path())) for name in c.sample(NAMES, 3)]
    reaches: dict[str, set[str]] = {}
    broken = set(c.sample(MODULES, 1) if c.random() < 0.5 else [])
    for module in MODULES:
        some = [*NAMES, "pkg.one", "pkg.sub.deep"]
        if module != "pkg":
            some = [*MODULES, "json", "zeta", "ada", "mid.metrics", "kimono"]
        others = [c.choice(some)] if module == "pkg" else c.sample(some, 2)
        lines = [imports(c, module, other) for other in others if other != module]
        reaches[module] = {one for _, reached in lines for one in reached}
        folder = tmp_path / "src" if module == "src_only" else tmp_path
        place = folder / (module.replace(".", "/") + "/__init__" * (module == "pkg") + ".py")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(line for line, _ in lines) + "\ndef (" * (module in broken), encoding="utf-8")
    (tmp_path / "pkg/sub/__init__.py").write_text("", encoding="utf-8")
    functions = {}
    for module in c.sample([*MODULES, "not.there", "nowhere"], 7):
        within = "src/" * (module == "src_only") + module.replace(".", "/") + "/__init__" * (module == "pkg") + ".py"
        functions[f"{c.choice([module, within])}:{c.choice('fg')}"] = module
    entries = [declared(*function.split(":")) for function in [*functions, *functions][:8]]
    (tmp_path / "pyproject.toml").write_text("".join(entries), encoding="utf-8")

    wanted = {}
    for function, module in functions.items():
        every = {module}
        for _ in MODULES:  # so long is the longest way
            every |= {other for one in every for other in reaches.get(one, ())}
        anything = every & {*broken, "not.there", "nowhere"}
        names = {one.split(".")[0] for one in every}
        if libs := [one.name for one in libraries if anything or one.name in names]:
            wanted[function] = libs
    assert touched_functions(tmp_path, [Upgrade(library, "1", "2") for library in libraries]) == wanted


def test_modules_in_the_same_package_and_the_same_folder_are_followed(tmp_path: Path) -> None:
    texts = {
        "pkg/__init__.py": "from .inner import f",
        "pkg/inner.py": "import ada",
        "lib/metrics.py": "import helpers",
        "lib/helpers.py": "import kim",
        "pyproject.toml": declared("pkg", "f(rels)") + declared("lib/metrics.py", "g(rels, k)"),
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    moving = [Upgrade(Library(name, Path(), claiming_nothing(name, Path())), "1", "2") for name in ("ada", "kim")]
    assert touched_functions(tmp_path, moving) == {"pkg:f": ["ada"], "lib/metrics.py:g": ["kim"]}


def test_entries_that_are_not_declarations_are_left_out(tmp_path: Path) -> None:
    checks = ("[tool.rankproof]\ncheck = 1", "[tool.rankproof]\ncheck = [1]", '[[tool.rankproof.check]]\nfile = "a"')
    written = ("x = ", "[tool]\nrankproof = 1", *checks)
    for text in written:
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        assert declared_functions(tmp_path) == {}
