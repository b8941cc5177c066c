"""Environments from the sheet to the history of changes: tiny libraries with releases in a registry on this machine.

littlerank changed its value for a run with ties in release 1.2, and changed it back in 1.2.2. steadyrank never changed.
brokenrank installs and cannot be imported. littleprog is a program. Its versions 1.0 and 2.0 are on the PATH and give
different values.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import pytest
import typed_commands
from environment_variables import variables
from fake_sheets import FAKE
from package_registry import Made, Registry, serving
from processes import executable

from rankproof import cases as corpus
from rankproof.history.environment_builds import environments_folder
from rankproof.history.installed import how_to_install
from rankproof.judge import results_file
from rankproof.workers.known_libraries import with_own

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
RANK = """
from base import order
def first(rows, relevant):
    ranked = order({rows})
    return next((1.0 / rank for rank, doc in enumerate(ranked, start=1) if doc in relevant), 0.0)
"""
BY_DOC_DOWN, BY_DOC_UP = "sorted(rows, key=lambda row: row[1], reverse=True)", "sorted(rows, key=lambda row: row[1])"
LITTLE = dict.fromkeys(("1.0", "1.1", "1.2", "1.2.1", "1.2.2", "1.3"), BY_DOC_DOWN)
LITTLE |= dict.fromkeys(("1.2", "1.2.1"), BY_DOC_UP)
"""Release -> its order of tied documents."""
RELEASES = {
    "base": [
        Made("base", "1.0", "def order(rows): return [doc for _, doc in sorted(rows, key=lambda row: -row[0])]\n"),
        Made("base", "2.0", "raise SystemError('no release allows it')"),
    ],
    "littlerank": [
        *(Made("littlerank", version, RANK.format(rows=rows), ("base<2",)) for version, rows in LITTLE.items()),
        Made("littlerank", "1.2.9", "raise SystemError('withdrawn')", yanked=True),
        Made("littlerank", "3.0rc1", "raise SystemError('not released')"),
        Made("littlerank", "3.1", "raise SystemError('for another Python')", python=">=3.99"),
    ],
    "steadyrank": [
        Made("steadyrank", version, RANK.format(rows=BY_DOC_DOWN), ("base<2",)) for version in ("0.1", "0.3")
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
    return {{query: {name}.first(own, relevant.get(query, set())) for query, own in rows.items()}}, None
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
    "littlerank": ("Little Rank", "1.0", "1.2", "1.3"),
    "steadyrank": ("Steady Rank", "0.1", "0.3"),
    "brokenrank": ("Broken Rank", "1.0"),
}
"""Library -> its title, and the versions of its environments; the sheet describes the last version."""


@dataclass(frozen=True)
class Place:
    """A folder with adapters of libraries, and the registry that has their releases."""

    folder: Path
    registry: Registry = field(default_factory=lambda: Registry(""))

    def types(self, line: str) -> typed_commands.Ended:
        """Run a command line in the folder."""
        return typed_commands.with_own_adapters(line, self.folder)

    def history(self) -> dict[str, dict]:
        """Return the history that the last run wrote."""
        return json.loads((self.folder / "out" / "history.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def two_cases() -> Iterator[None]:
    """Reduce the corpus to two cases.

    The commands here have no option for that, and run each release on the whole corpus.
    """
    few = [corpus.load(corpus.HERE / f"{case}.toml") for case in ("ties/none-tied", "ties/expected-rr")]
    with mock.patch.object(corpus, "load_all", return_value=few):
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a folder with the three libraries."""
    folder = tmp_path_factory.mktemp("environments")
    for name, (title, *versions) in SHEETS.items():
        executable(folder / "own" / f"{name}_adapter.py", ADAPTER.format(name=name))
        text = SHEET.format(name=name, title=title, speaks_of=versions[-1], versions=json.dumps(versions), python=HERE)
        executable(folder / "own" / f"{name}.toml", text)
    links = dict.fromkeys(("UV_FIND_LINKS", "PIP_FIND_LINKS", "UV_INDEX_URL", "PIP_INDEX_URL"))
    caches = {"RANKPROOF_CACHE": str(folder / "cache"), "UV_CACHE_DIR": str(folder / "uv")}
    with serving(RELEASES) as registry, variables(**links, **caches, UV_DEFAULT_INDEX=registry.url):
        yield Place(folder, registry)


@pytest.mark.parametrize(
    ("line", "output"),
    [("run --probe -l littlerank -m RR", "1 library probed"), ("sheet update littlerank -n", "littlerank.toml")],
)
def test_library_runs_in_its_environment_or_reports_that_it_is_not_built(line: str, output: str, place: Place) -> None:
    place.types("env remove littlerank@1.3")
    absent = place.types(line)
    assert "rankproof env build littlerank@1.3" in " ".join((absent.out + absent.err).split())
    assert place.types("env build littlerank@1.3").code == 0
    built = place.types(line)
    assert "env build littlerank" not in built.out + built.err
    assert built.code in {0, 1}, built.err
    assert output in built.out
    for ended in (absent, built):
        assert "No module named 'littlerank'" not in ended.out + ended.err, "it does not run in this interpreter"


def test_repro_needs_no_environment_and_names_what_to_install(place: Place) -> None:
    place.types("env remove littlerank@1.3")
    done = place.types("cases repro ties/none-tied littlerank RR")
    assert done.code == 0, done.err
    assert "#   pip install littlerank==1.3 base\n" in done.out
    littlerank = next(library for library in with_own(place.folder / "own") if library.name == "littlerank")
    assert how_to_install(littlerank) == "rankproof env build littlerank@1.3"


def test_environment_is_built_once_and_a_failure_has_a_reason(place: Place) -> None:
    first = place.types("env build littlerank steadyrank brokenrank")
    assert first.code == 1, "brokenrank cannot be built"
    assert "5 of 6 environments are built" in first.out
    (broken,) = [line for line in typed_commands.unfolded(first.out) if "brokenrank" in line]
    assert re.search("failed: it is installed, but does not load.*no such part", broken)
    assert f"littlerank@1.0 Python {HERE} " in first.out
    fetched = len(place.registry.fetched)
    again = place.types("env build littlerank 'steadyrank@<0.2'")
    assert (again.code, again.out.splitlines()[-1]) == (0, "4 of 4 environments are built")
    assert len(place.registry.fetched) == fetched, "an environment that is built is not fetched again"


def test_environment_whose_folder_cannot_be_written_stops_no_other(place: Place) -> None:
    sheet = place.folder / "own" / "longrank.toml"
    version = "1." + "0" * 250  # the folder of the environment would exceed the length limit of file names
    executable(sheet.with_name("longrank_adapter.py"), ADAPTER.format(name="longrank"))
    text = SHEET.format(name="longrank", title="Long", speaks_of="1", versions=json.dumps([version]), python=HERE)
    try:
        executable(sheet, text)
        built = place.types("env build longrank steadyrank@0.1")
        executable(sheet, f"{text}\nlabel = [")
        faulty = [place.types(f"env {verb} longrank") for verb in ("build", "list", "remove")]
    finally:
        sheet.unlink()
        sheet.with_name("longrank_adapter.py").unlink()
    assert built.code == 1
    assert built.out.splitlines()[-1] == "1 of 2 environments are built"
    assert "file name too long" in " ".join(built.out.split())
    line = text.count("\n") + 2
    assert {done.code for done in faulty} == {2}
    assert {done.err.partition(" not TOML")[0] for done in faulty} == {f"rankproof: own/longrank.toml:{line}:"}


def test_history_has_the_versions_between_which_values_changed(place: Place) -> None:
    done = place.types("run --env littlerank --env 'steadyrank@*' -c ties/none-tied -c ties/expected-rr -m RR -o out")
    assert done.code == 0
    history = place.history()
    names = ["littlerank@1.0", "littlerank@1.2", "littlerank@1.3", "steadyrank@0.1", "steadyrank@0.3"]
    assert {run["name"]: run["status"] for run in history["environments"]} == dict.fromkeys(names, "asked")
    little, steady = history["libraries"]["littlerank"], history["libraries"]["steadyrank"]
    assert [(step["from"], step["to"]) for step in little["steps"]] == [("1.0", "1.2"), ("1.2", "1.3")]
    assert steady["steps"] == []
    for answer in little["answers"]:
        first, changed, last = answer["by_version"]
        assert first == last != changed
    results = results_file.load(place.folder / "out" / "environments" / "steadyrank@0.3")
    assert results.footer["complaints"] == 0, "claims about measures that did not run are not in vain"


@pytest.mark.parametrize(("old", "new", "changes"), [("1.0", "1.1", 0), ("1.1", "1.2", 1), ("1.2", "1.2.2", 1)])
def test_upgrade_finds_the_changes_between_two_releases(place: Place, old: str, new: str, changes: int) -> None:
    done = place.types(f"upgrade littlerank {old} {new}")
    assert done.code == int(changes > 0)
    count = "1 change, " if changes else "no value changes."
    assert done.out.startswith(f"Little Rank {old} → {new}: {count}")


# -- versions of a program ---------------------------------------------------------------------------------------------

PROGRAM_ADAPTER = """
import os, subprocess
LIBRARY, PACKAGES, VARIANTS, MEASURES = "littleprog", [], {"default": "a program"}, {"RR": ""}
def output(argument):
    program = os.environ.get("RANKPROOF_LITTLEPROG") or "littleprog"
    return subprocess.run([program, argument], stdout=subprocess.PIPE, encoding="utf-8").stdout.split()[-1]
def identity():
    return {"program": output("--version")}
def load():
    return {"version": output("--version")}
def observe(variant, data, call, values):
    return None, float(output("value"))
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


def script(version: str, value: str) -> str:
    return f'#!/bin/sh\nif [ "$1" = --version ]; then echo littleprog {version}; else echo {value}; fi\n'


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Place]:
    """Return a folder with the library of a program, with two versions of the program on the PATH."""
    executable(tmp_path / "own" / "littleprog_adapter.py", PROGRAM_ADAPTER)
    executable(tmp_path / "own" / "littleprog.toml", PROGRAM_SHEET)
    executable(tmp_path / "bin" / "littleprog", script("1.0", "0.5"))
    executable(tmp_path / "bin" / "littleprog-2.0", script("2.0", "0.25"))
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with variables(RANKPROOF_CACHE=str(tmp_path / "cache"), PATH=path, RANKPROOF_LITTLEPROG=None):
        yield Place(tmp_path)


def test_versions_of_a_program_on_the_path_are_environments(programs: Place) -> None:
    built = programs.types("env build littleprog")
    assert built.code == 1
    assert "2 of 3 environments are built" in built.out
    lines = map(str.split, typed_commands.unfolded(built.out))
    absent = next(" ".join(words) for words in lines if words[0] == "littleprog@3.0")
    why = "no littleprog on the PATH reports version 3.0 (there is 1.0, 2.0); build it from its sources"
    assert f"a program failed: {why}" in absent
    done = programs.types("run --env littleprog -m RR -c ties/none-tied -c ties/expected-rr -o out")
    assert done.code == 3, "3.0 is not there"
    history = programs.history()
    runs = {run["version"]: run for run in history["environments"]}
    assert [runs[version]["status"] for version in ("1.0", "2.0", "3.0")] == ["asked", "asked", "absent"]
    assert "no littleprog on the PATH" in runs["3.0"]["why"]
    (step,) = history["libraries"]["littleprog"]["steps"]
    assert (step["from"], step["to"]) == ("1.0", "2.0")
    assert {(change["before"], change["after"]) for change in step["changes"]} == {("0.5000", "0.2500")}
    with variables(RANKPROOF_LITTLEPROG=str(executable(programs.folder / "elsewhere", script("3.0", "0.1")))):
        assert programs.types("env build littleprog@3.0").code == 0, "the variable names a program outside the PATH"


def test_upgrade_of_a_program_runs_its_environments(programs: Place) -> None:
    moved = programs.types("upgrade littleprog 1.0 2.0")
    assert (moved.code, moved.out.splitlines()[0]) == (1, "Little Program 1.0 → 2.0: 1 change, 2 values.")
    unknown = programs.types("upgrade littleprog 1.0 7.0")
    assert unknown.code == 3
    assert "unknown (7.0 is not listed in" in unknown.out


def test_environment_of_a_program_stays_when_the_path_has_another_version(programs: Place) -> None:
    assert programs.types("env build littleprog@1.0").code == 0
    executable(programs.folder / "bin" / "littleprog", script("2.5", "0.125"))
    assert programs.types("run --env littleprog@1.0 -m RR -o out -c ties/none-tied").code == 0
    rows = results_file.load(programs.folder / "out" / "environments" / "littleprog@1.0").rows
    assert {row.value for row in rows if row.case and row.verdict != "unsupported"} == {0.5}


# -- uv, and folders without an environment ----------------------------------------------------------------------------


def test_without_uv_the_command_that_installs_it_is_shown(place: Place, tmp_path: Path) -> None:
    """The command uv is next to the interpreter of the tests, so the interpreter runs from a link in an empty folder."""
    place.types("env remove steadyrank")
    python = tmp_path / "python"
    python.symlink_to(Path(sys.executable).resolve())
    start = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r}); from rankproof.entry import main; main()"
    line = [str(python), "-c", start, "env", "build", "steadyrank", "--adapters", str(place.folder / "own")]
    done = subprocess.run(line, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'rankproof[env]'" in done.stderr


def test_prune_removes_folders_of_no_environment_and_nothing_elsewhere(tmp_path: Path) -> None:
    with variables(RANKPROOF_CACHE=str(tmp_path / "cache")):
        folder, elsewhere = environments_folder(), tmp_path / "elsewhere"
        for path in (elsewhere, folder / "old@1.0"):
            path.mkdir(parents=True)
            (path / "file").write_text("kept or not", encoding="utf-8")
        (folder / "a-file").touch()
        (folder / "a-link").symlink_to(elsewhere)
        done = typed_commands.rankproof("env", "prune", cwd=tmp_path)
        assert done.out.startswith("3 folders removed, ")
        assert list(folder.iterdir()) == []
        assert (elsewhere / "file").exists()
