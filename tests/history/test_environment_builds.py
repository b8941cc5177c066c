"""Environments, from the sheet to what changed when: three tiny libraries, in releases of a registry on this machine.

littlerank changed its answer to a run with ties and went back again, and twice more where base, on which it stands, sorts otherwise: in
version 2, which 2.0 of littlerank takes and need not, and in version 3, without which 2.1 cannot be. steadyrank never changed. brokenrank
installs, and does not import. littleprog is a program, which stands on the PATH in two versions, and 2.0 answers otherwise than 1.0; 3.0
is named by its sheet and not there.
"""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import typed_commands
from fake_sheets import FAKE
from package_registry import Made, Registry, serving
from processes import executable

from rankproof import cases as corpus
from rankproof.history import virtual_environments
from rankproof.history.environment_builds import environments_folder
from rankproof.history.plans import NoSuchEnvironment, Plan, chosen_plans, plans_of
from rankproof.history.releases import NoReleases, releases_of
from rankproof.judge import results_file
from rankproof.workers import known_libraries, sheets

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
CASES = "-c ties/none-tied -c ties/expected-rr -c ties/straddles-cutoff -m RR -m P@2"
RANK = """
from base import order
def first(rows, relevant):
    ranked = order({rows})
    return next((1.0 / rank for rank, doc in enumerate(ranked, start=1) if doc in relevant), 0.0)
"""
BY_DOC_DOWN, BY_DOC_UP = "sorted(rows, key=lambda row: row[1], reverse=True)", "sorted(rows, key=lambda row: row[1])"
BASE = "def order(rows): return [doc for _score, doc in sorted(rows, key=lambda row: -row[0])]\n"
LITTLE = {
    "1.0": BY_DOC_DOWN,
    "1.1": BY_DOC_DOWN,
    "1.2": BY_DOC_UP,
    "1.2.1": BY_DOC_UP,
    "1.2.2": BY_DOC_DOWN,
    "1.3": BY_DOC_DOWN,
    "2.0": BY_DOC_DOWN,
    "2.1": BY_DOC_DOWN,
}
"""How each release orders tied docs."""
NEEDS = {"2.0": "base<3", "2.1": "base>=3"}
RELEASES = {
    "base": [
        Made("base", "1.0", BASE),
        Made("base", "2.0", BASE.replace("-row[0])", "(-row[0], row[1]))")),
        Made("base", "3.0", BASE.replace("-row[0])", "(-row[0], row[1] != 'c'))")),
    ],
    "littlerank": [
        *(
            Made(
                "littlerank",
                version,
                RANK.format(rows=rows),
                (NEEDS.get(version, "base<2"),),
                uploaded=f"202{i}-05-04T00:00:00Z",
            )
            for i, (version, rows) in enumerate(LITTLE.items())
        ),
        Made("littlerank", "1.2.9", "raise SystemError('withdrawn')", yanked=True),
        Made("littlerank", "3.0rc1", "raise SystemError('not released')"),
        Made("littlerank", "3.1", "raise SystemError('for another Python')", python=">=3.99"),
    ],
    "steadyrank": [
        Made("steadyrank", version, RANK.format(rows=BY_DOC_DOWN), ("base<2",)) for version in ("0.1", "0.2", "0.3")
    ],
    "brokenrank": [Made("brokenrank", "1.0", "raise ImportError('no such part')")],
}
ADAPTER = """
LIBRARY, PACKAGES, VARIANTS, MEASURES = "{name}", ["{name}", "base"], {{"default": "rows"}}, {{"RR": ""}}
def load():
    import {name}
def observe(variant, data, call, values):
    import {name}
    relevant, rows = {{}}, {{}}
    for query, doc, rel in data["qrels"]:
        relevant.setdefault(str(query), set()).update([str(doc)] if rel > 0 else [])
    for query, doc, score, _rank in data["run"]:
        rows.setdefault(str(query), []).append((score, str(doc)))
    return {{query: {name}.first(found, relevant.get(query, set())) for query, found in rows.items()}}, None
"""
HEAD = FAKE.replace("fake", "{name}").replace("Fake", "{title}").replace('"1"', '"{speaks_of}"')
SHEET = f"""{HEAD}only_in_environments = true

[[environments]]
versions = {{versions}}
python = "{{python}}"

[profiles.default]
RR = "missing=dropped extra=measured run_duplicates=both"
AP = ""
"""
SHEETS = {
    "littlerank": ("Little Rank", "1.3", ["1.0", "1.2", "1.3"]),
    "steadyrank": ("Steady Rank", "0.3", ["0.1", "0.3"]),
    "brokenrank": ("Broken Rank", "1.0", ["1.0"]),
}


@dataclass(frozen=True)
class Place:
    """A folder with the three libraries, and the registry that has their releases."""

    folder: Path
    registry: Registry = field(default_factory=lambda: Registry(""))

    def types(self, line: str) -> typed_commands.Ended:
        """What a command line says there."""
        return typed_commands.with_own_adapters(line, self.folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("environments")
    own = folder / "own"
    own.mkdir()
    for name, (title, speaks_of, versions) in SHEETS.items():
        (own / f"{name}_adapter.py").write_text(ADAPTER.format(name=name), encoding="utf-8")
        text = SHEET.format(name=name, title=title, speaks_of=speaks_of, versions=json.dumps(versions), python=HERE)
        (own / f"{name}.toml").write_text(text, encoding="utf-8")
    (folder / "qrels").write_text("q1 0 a 1\n", encoding="utf-8")
    (folder / "run").write_text("q1 Q0 a 1 1.0 t\n", encoding="utf-8")
    with serving(RELEASES) as registry, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKPROOF_CACHE", str(folder / "cache"))
        patch.setenv("UV_CACHE_DIR", str(folder / "uv"))
        patch.setenv("UV_DEFAULT_INDEX", registry.url)
        for name in ("UV_FIND_LINKS", "PIP_FIND_LINKS", "UV_INDEX_URL", "PIP_INDEX_URL"):
            patch.delenv(name, raising=False)
        yield Place(folder, registry)


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [corpus.load(corpus.HERE / f"{case}.toml") for case in ("ties/none-tied", "ties/expected-rr")]
    monkeypatch.setattr(corpus, "load_all", lambda: few)


# -- who is asked in an environment alone ------------------------------------------------------------------------------

LINES = {
    "run --probe -l littlerank -m RR": "1 library probed",
    "sheet update littlerank -n": "littlerank.toml",
}
"""Each with a part of what it says where its environment is there."""


def asked_here(done: typed_commands.Ended) -> bool:
    return "No module named 'littlerank'" in done.out + done.err


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize("line", LINES)
def test_what_is_not_built_is_said_with_what_to_type(line: str, place: Place) -> None:
    place.types("env remove littlerank@1.3")
    done = place.types(line)
    assert "rankproof env build littlerank@1.3" in " ".join((done.out + done.err).split())
    assert not asked_here(done)


def test_a_repro_needs_no_environment_and_names_what_to_install(place: Place) -> None:
    place.types("env remove littlerank@1.3")
    done = place.types("cases repro ties/none-tied littlerank RR")
    assert done.code == 0, done.err
    assert "#   pip install littlerank==1.3 base\n" in done.out
    described = {one["described"]["library"]: one for one in json.loads(place.types("show libraries --json").out)}
    assert "env build littlerank@1.3" in described["littlerank"]["install"]


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(("line", "said"), LINES.items())
def test_what_is_built_is_asked_there(line: str, said: str, place: Place) -> None:
    place.types("env build littlerank@1.3")
    done = place.types(line)
    assert "env build littlerank" not in done.out + done.err
    assert not asked_here(done)
    assert done.code in {0, 1}, done.err
    assert said in done.out


# -- building ---------------------------------------------------------------------------------------------------------


def test_what_is_built_is_built_once_and_what_cannot_be_had_says_why(place: Place) -> None:
    first = place.types("env build littlerank steadyrank brokenrank")
    assert first.code == 1, "brokenrank cannot be had"
    assert "5 of 6 environments are built" in first.out
    (broken,) = [line for line in typed_commands.unfolded(first.out) if "brokenrank" in line]
    assert "failed: it is installed and does not load" in broken
    assert "no such part" in broken
    assert "littlerank@1.0" in first.out
    assert f"Python {HERE}" in first.out
    fetched = len(place.registry.fetched)
    again = place.types("env build littlerank 'steadyrank@<0.2'")
    assert (again.code, again.out.splitlines()[-1]) == (0, "4 of 4 environments are built")
    assert len(place.registry.fetched) == fetched, "what is built is not fetched again"


# -- asking -----------------------------------------------------------------------------------------------------------


def test_what_changed_is_told_where_it_changed(place: Place) -> None:
    done = place.types(f"run --env littlerank --env 'steadyrank@*' {CASES} -o out")
    assert done.code == 0
    said = json.loads((place.folder / "out" / "history.json").read_text(encoding="utf-8"))
    names = ["littlerank@1.0", "littlerank@1.2", "littlerank@1.3", "steadyrank@0.1", "steadyrank@0.3"]
    assert {run["name"]: run["status"] for run in said["environments"]} == dict.fromkeys(names, "asked")
    little, steady = said["libraries"]["littlerank"], said["libraries"]["steadyrank"]
    assert [(step["from"], step["to"]) for step in little["steps"]] == [("1.0", "1.2"), ("1.2", "1.3")]
    assert steady["steps"] == []
    for answer in little["answers"]:
        first, changed, last = answer["by_version"]
        assert first == last != changed
    results = results_file.load(place.folder / "out" / "environments" / "steadyrank@0.3")
    assert results.footer["complaints"] == 0, "what was not asked is no claim in vain"


def test_histories_are_published_of_everything_alone(place: Place) -> None:
    refused = place.types("run --env steadyrank --publish published")
    assert refused.code == 2
    assert "--env all" in refused.err
    assert not (place.folder / "published").exists()


# -- upgrading --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_cases")
@pytest.mark.parametrize(("old", "new", "moves"), [("1.0", "1.1", 0), ("1.1", "1.2", 1), ("1.2", "1.2.2", 1)])
def test_an_upgrade_says_whether_something_moves(place: Place, old: str, new: str, moves: int) -> None:
    done = place.types(f"upgrade littlerank {old} {new}")
    assert done.code == int(moves > 0)
    count = "1 change, " if moves else "no value changes."
    assert done.out.startswith(f"Little Rank {old} → {new}: {count}")


# -- versions of a program ----------------------------------------------------------------------------------------------

FEW = "-c ties/none-tied -c ties/expected-rr -m RR"
SAID = {"1.0": "0.5", "2.0": "0.25"}
NAMES = {"1.0": "littleprog", "2.0": "littleprog-2.0"}
PROGRAM_ADAPTER = """
import os, shutil, subprocess
LIBRARY, PACKAGES, VARIANTS, MEASURES = "littleprog", [], {"default": "a program"}, {"RR": ""}
def said(argument):
    return subprocess.run([program(), argument], stdout=subprocess.PIPE, encoding="utf-8").stdout.split()[-1]
def program():
    found = shutil.which(os.environ.get("RANKPROOF_LITTLEPROG") or "littleprog")
    if found is None:
        raise LookupError("there is no littleprog")
    return found
def identity():
    return {"program": said("--version")}
def load():
    return {"version": said("--version")}
def observe(variant, data, call, values):
    return None, float(said("answer"))
"""
PROGRAM_SHEET = f"""{HEAD.format(name="littleprog", title="Little Program", speaks_of="1.0")}
[[environments]]
versions = ["1.0", "2.0", "3.0"]

[profiles.default]
RR = ""

[program]
build = "build it from its sources"
builds = []
"""


def script(version: str, answer: str) -> str:
    return f'#!/bin/sh\nif [ "$1" = --version ]; then echo littleprog {version}; else echo {answer}; fi\n'


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder with the library of a program, and `bin` on the PATH with two versions of it."""
    executable(tmp_path / "own" / "littleprog_adapter.py", PROGRAM_ADAPTER)
    executable(tmp_path / "own" / "littleprog.toml", PROGRAM_SHEET)
    for version, answer in SAID.items():
        executable(tmp_path / "bin" / NAMES[version], script(version, answer))
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.delenv("RANKPROOF_LITTLEPROG", raising=False)
    return Place(tmp_path)


def test_programs_on_the_path_are_environments(programs: Place) -> None:
    built = programs.types("env build littleprog")
    assert built.code == 1
    assert "2 of 3 environments are built" in built.out
    absent = next(
        " ".join(line.split()) for line in typed_commands.unfolded(built.out) if line.startswith("littleprog@3.0")
    )
    why = "no littleprog on the PATH reports version 3.0 (there is 1.0, 2.0); build it from its sources"
    assert f"a program failed: {why}" in absent
    done = programs.types(f"run --env littleprog {FEW} -o out")
    assert done.code == 3, "3.0 is not there"
    said = json.loads((programs.folder / "out" / "history.json").read_text(encoding="utf-8"))
    runs = {run["version"]: run for run in said["environments"]}
    statuses = {version: run["status"] for version, run in runs.items()}
    assert statuses == {"1.0": "asked", "2.0": "asked", "3.0": "absent"}
    assert "no littleprog on the PATH" in runs["3.0"]["why"]
    (step,) = said["libraries"]["littleprog"]["steps"]
    assert (step["from"], step["to"]) == ("1.0", "2.0")
    assert {(change["before"], change["after"]) for change in step["changes"]} == {("0.5000", "0.2500")}


@pytest.mark.usefixtures("few_cases")
def test_an_upgrade_of_a_program_is_asked_of_its_environments(programs: Place) -> None:
    moved = programs.types("upgrade littleprog 1.0 2.0")
    assert (moved.code, moved.out.splitlines()[0]) == (1, "Little Program 1.0 → 2.0: 1 change, 2 values.")
    unknown = programs.types("upgrade littleprog 1.0 7.0")
    assert unknown.code == 3
    assert "unknown (7.0 is not listed in" in unknown.out


def test_what_was_built_stays_where_the_path_has_another_program(programs: Place) -> None:
    assert programs.types("env build littleprog@1.0").code == 0
    executable(programs.folder / "bin" / "littleprog", script("2.5", "0.125"))
    assert programs.types(f"run --env littleprog@1.0 {FEW} -o out").code == 0
    rows = results_file.load(programs.folder / "out" / "environments" / "littleprog@1.0").rows
    assert {row.value for row in rows if row.case and row.verdict != "unsupported"} == {0.5}


def test_an_environment_without_an_interpreter_is_of_a_program_alone(programs: Place) -> None:
    text = PROGRAM_SHEET.partition("[program]")[0]
    executable(programs.folder / "own" / "littleprog.toml", text)
    refused = programs.types("env list")
    assert refused.code == 2
    assert "littleprog.toml:8: an environment needs the version of its interpreter" in refused.err


# -- what a sheet names ------------------------------------------------------------------------------------------------


def test_no_two_environments_have_one_name(place: Place) -> None:
    sheet = sheets.load(place.folder / "own" / "littlerank.toml")
    again = {"versions": ["3.0", "1.0"], "python": "3.12"}
    why = r"littlerank\.toml:\d+: littlerank@1\.0 is named twice: give one of them a label$"
    with pytest.raises(sheets.BadSheet, match=why):
        plans_of(replace(sheet, environments=(*sheet.environments, again)))
    told_apart = plans_of(replace(sheet, environments=(*sheet.environments, {**again, "label": "new"})))
    names = ["1.0", "1.2", "1.3", "3.0+new", "1.0+new"]
    assert [plan.name for plan in told_apart] == [f"littlerank@{name}" for name in names]


def test_what_is_no_version_and_what_are_no_bounds_is_told(place: Place) -> None:
    sheet = sheets.load(place.folder / "own" / "littlerank.toml")
    with pytest.raises(sheets.BadSheet, match=r"littlerank\.toml:\d+: 1\.x is not a version \(PEP 440\)$"):
        plans_of(replace(sheet, environments=({"versions": ["2.0", "1.x", "3.0"], "python": "3.12"},)))
    for bounds in (">two", ">=1.0,2.0"):
        with pytest.raises(NoSuchEnvironment) as refused:
            chosen_plans([f"littlerank@{bounds}"], plans_of(sheet))
        assert str(refused.value) == f"invalid bounds {bounds}: write them as in >=1.0,<1.4"


# -- releases ---------------------------------------------------------------------------------------------------------


def sheet_of(package: str) -> sheets.Sheet:
    return replace(known_libraries.claiming_nothing("ada", Path("ada.toml")), package=package)


INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")


@pytest.mark.parametrize("name", INDEXES)
def test_the_registry_is_the_one_that_uv_or_pip_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in INDEXES:  # of several that are told, the first counts
        monkeypatch.setenv(one, "file:///srv" if INDEXES.index(one) > INDEXES.index(name) else "")
    with serving({"ada-rank": [Made("ada_rank", "1.5", "")]}) as registry:
        monkeypatch.setenv(name, f"{registry.url}/")
        assert [str(one.version) for one in releases_of(sheet_of("Ada.Rank"))] == ["1.5"]


def test_a_registry_that_has_no_release_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    withdrawn, for_another = Made("ada_rank", "1.5", "", yanked=True), Made("bob_rank", "2.0", "", python=">=3.99")
    with serving({"ada-rank": [withdrawn], "bob-rank": [for_another]}) as registry:
        monkeypatch.setenv("UV_DEFAULT_INDEX", registry.url)
        for name in ("ada-rank", "bob-rank"):
            with pytest.raises(
                NoReleases, match=rf"has no release of {name} with wheels for Python .*3\.{sys.version_info[1]}"
            ):
                releases_of(sheet_of(name))
        with pytest.raises(NoReleases, match=r"/cyd-rank/ does not say which releases there are: HTTP Error 404"):
            releases_of(sheet_of("cyd-rank"))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "file:///srv/wheels")
    why = r"^file:///srv/wheels/ada-rank/ is no address of a registry that can be asked"
    with pytest.raises(NoReleases, match=why):
        releases_of(sheet_of("ada-rank"))


# -- what uv is asked, and says -----------------------------------------------------------------------------------------


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """A stand-in for uv, which installs nothing and gives back what is to be resolved: what it was asked."""
    log = tmp_path / "log"
    text = f'#!/bin/sh\necho "$@" "${{UV_FIND_LINKS-nowhere}}" >> {log}\nfor last; do :; done\n[ "$2" != compile ] || cat "$last"\n'
    program = executable(tmp_path / "uv", text)
    monkeypatch.setattr(virtual_environments, "uv_program", lambda: str(program))
    return lambda: log.read_text(encoding="utf-8").splitlines()


def test_what_stands_beside_a_package_without_its_dependencies_is_installed(
    uv: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    how: dict[str, Any] = {"without_dependencies": True, "from_source": ("base", "ada-rank")}
    plan = Plan("ada", "ada-rank", "2.0", "3.9", ("base<3",), **how)
    lock = virtual_environments.resolved(plan, sys.executable, tmp_path)
    assert lock.splitlines() == ["ada-rank==2.0", "base<3"]
    virtual_environments.install(plan, sys.executable, tmp_path / "lock", tmp_path / "made")
    package, beside, made, sync = uv()
    assert {line.split()[-1] for line in (package, beside, made, sync)} == {"wheels"}
    assert ("--no-deps" in package, "--no-deps" in beside) == (True, False)
    assert all("--no-binary=base --no-binary=ada-rank" in asked for asked in (package, beside, sync))


def test_what_uv_said_before_it_failed_is_no_lock_and_its_reason_is_one_line(
    uv: Callable[[], list[str]], tmp_path: Path
) -> None:
    says = "echo 'base==2'\nprintf 'error: no\\n  ada\\n\\nhint: buy one\\n' >&2\nexit 2\n"
    (tmp_path / "uv").write_text(f"#!/bin/sh\n{says}", encoding="utf-8")
    with pytest.raises(virtual_environments.CannotBuild, match=r"^no ada$"):
        virtual_environments.resolved(Plan("ada", "ada-rank", "2.0", "3.9"), sys.executable, tmp_path)
    assert not (tmp_path / "log").exists() or not uv()


# -- the parts --------------------------------------------------------------------------------------------------------


def test_an_interpreter_is_believed_once_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pyenv puts on the PATH may only say that it is not chosen."""
    for version, script in {
        "3.97.1": "#!/bin/sh\nexit 127\n",
        "3.98.1": "#!/bin/sh\nprintf 'PyPy\\n3.98.1\\nx\\n'\n",
        "3.99.1": "#!/bin/sh\nprintf 'CPython\\n3.99.1\\ny\\n'\n",
    }.items():
        executable(tmp_path / "versions" / version / "bin" / f"python{version.rpartition('.')[0]}", script)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    found = {
        version: virtual_environments.interpreter_of.__wrapped__(version) for version in ("3.97", "3.98", "3.99", HERE)
    }
    assert [found[version] is not None for version in found] == [False, False, True, True]
    assert found["3.99"] == "y"


def test_without_uv_the_mend_is_said(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.types("env remove steadyrank")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    refused = place.types("env build steadyrank")
    assert refused.code == 2
    assert "pip install 'rankproof[env]'" in refused.err


def test_pruning_removes_what_is_no_environment_and_nothing_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    elsewhere = tmp_path / "elsewhere"
    for folder in (elsewhere, environments_folder() / "old@1.0"):
        folder.mkdir(parents=True)
        (folder / "file").write_text("kept or not", encoding="utf-8")
    (environments_folder() / "a-file").touch()
    (environments_folder() / "a-link").symlink_to(elsewhere)
    done = typed_commands.rankproof("env", "prune", cwd=tmp_path)
    assert done.out.startswith("3 folders removed, ")
    assert list(environments_folder().iterdir()) == []
    assert (elsewhere / "file").exists()
