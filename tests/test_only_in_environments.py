"""A library that is asked only in its environment: every verb that asks it takes the interpreter from there, or says what to type."""

import json
import sys
from pathlib import Path

import pytest
import typed

from rankproof import cases as corpus
from rankproof.asking import known_libraries
from rankproof.commands import libraries
from rankproof.environments import at_hand
from rankproof.environments.environment_builds import Built
from rankproof.environments.plans import Plan

ADAPTER = """
import os, sys
LIBRARY, PACKAGES, VARIANTS, MEASURES = "afar", [], {"v": "its only way"}, {"RR": 1}
def load():
    if not os.environ.get("AFAR"):
        raise ImportError("no afar here")
    return {"version": "2"}
def observe(variant, data, call, values): return {"q1": 1.0}, 1.0
"""
SHEET = """library = "afar"
title = "Afar"
homepage = "https://afar.example.org"
issues = "https://afar.example.org/issues"
precision = "float64"
speaks_of = "2"
only_in_environments = true
[[environments]]
versions = ["1", "2"]
python = "3.8"
[profiles.v]
RR = "standard"
"""
LINES = {
    "libraries": "libraries --adapters own",
    "probe": "probe afar --adapters own -m RR -p rows --random 0",
    "explain": "explain qrels run -m RR --as standard --library afar --adapters own",
    "sheet": "sheet update afar --adapters own -n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the lines name; nobody else is asked, and of one case only."""
    one = corpus.load(corpus.HERE / "ties/none-tied.toml")
    monkeypatch.setattr(corpus, "load_all", lambda: [one])
    monkeypatch.setattr(libraries, "with_own", known_libraries.libraries)
    (tmp_path / "own").mkdir()
    texts = {"own/afar.toml": SHEET, "own/afar_adapter.py": ADAPTER, "qrels": "q1 0 a 1\n", "run": "q1 Q0 a 1 1.0 t\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def built(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment is there: its interpreter is a program that starts this one so that the library loads."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nAFAR=1 exec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    known = at_hand.known

    def of_ours(plan: Plan) -> Built:
        return Built(plan, folder, str(python)) if plan.name == "afar@2" else known(plan)

    monkeypatch.setattr(at_hand, "known", of_ours)
    return folder


@pytest.mark.parametrize("verb", LINES)
def test_what_is_not_built_is_said_with_what_to_type(verb: str, folder: Path) -> None:
    done = typed.rankproof(*LINES[verb].split(), cwd=folder)
    (line,) = {line for line in (done.out + done.err).splitlines() if "rankproof env build afar@2" in line}
    assert "afar" in line
    assert "no afar here" not in done.out + done.err


@pytest.mark.parametrize("verb", LINES)
def test_what_is_built_is_asked_there(verb: str, built: Path) -> None:
    done = typed.rankproof(*LINES[verb].split(), cwd=built)
    assert "env build afar" not in done.out + done.err
    assert "no afar here" not in done.out + done.err
    assert done.code in {0, 1}, done.err
    said = {"libraries": "afar 2", "probe": "afar", "explain": "afar 2: ", "sheet": "afar.toml"}
    assert said[verb] in done.out


def test_a_repro_needs_no_environment_and_names_what_to_install(folder: Path) -> None:
    done = typed.rankproof("repro", "ties/none-tied", "afar", "RR", "--adapters", "own", cwd=folder)
    assert done.code == 0, done.err
    assert "https://afar.example.org" in done.out
    described = json.loads(typed.rankproof("libraries", "--adapters", "own", "--json", cwd=folder).out)
    assert "env build afar@2" in described["afar"]["not_installed"]
