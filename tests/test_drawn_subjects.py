"""Libraries that are run in their environments: drawn versions, plans and failures."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.history import version_runs
from rankproof.history.environment_builds import Built
from rankproof.history.plans import Plan
from rankproof.history.version_runs import VersionRun, ask_versions
from rankproof.judge.results_file import load
from rankproof.workers.known_libraries import (
    Library,
    claiming_nothing,
)
from rankproof.workers.observations import Answered, Observation
from rankproof.workers.rounds import AskingOptions, LibraryAnswers
from rankproof.workers.subjects import Installation

SEEDS = range(40)
# -- libraries asked in their environments ------------------------------------------------------------------------------

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")


@pytest.mark.in_turn
@pytest.mark.parametrize("seed", SEEDS[:10])
def test_each_is_asked_in_its_own_environment_and_what_befalls_one_is_no_matter_of_the_others(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = random.Random(seed)  # noqa: S311 - an example
    names = ("zeta", "ada", "prog")
    libraries = {name: Library(name, Path(), claiming_nothing(name, Path(f"{name}.toml"))) for name in names}
    plans = [
        Plan(name, name, version, "3.9" * (name != "prog"), label=c.choice(["", "b"]))
        for name, version in product(names, ("1.9", "1.10", "2.0"))
    ]
    c.shuffle(plans)
    kinds = ["asked", "asked", "message", "not_installed", "silent", "absent", "never built"]
    fates = {plan.name: c.choice(kinds) for plan in plans}
    places = {plan.name: tmp_path / plan.name for plan in plans}
    built = [
        Built(
            plan,
            None if fates[plan.name] in {"absent", "never built"} else places[plan.name],
            f"/python/{plan.name}",
            why="no wheel" * (fates[plan.name] == "absent"),
        )
        for plan in plans
    ]
    mine = {"MINE": "1", "OMP_NUM_THREADS": "5"}
    options = AskingOptions(
        c.randint(1, 3), 7.5, {"zeta": "python7"}, memory=99, before=lambda *_: None, environment=mine
    )
    asked: list[tuple[str, AskingOptions]] = []

    def ask(library: Library, cases: Sequence[Case], how: AskingOptions, _stop: Event) -> LibraryAnswers:
        name = how.pythons[library.name].removeprefix("/python/")
        asked.append((name, how))
        (plan,) = (one for one in plans if one.name == name)
        said: Mapping[str, Any] = {
            "asked": {"version": plan.version, "python": "3.9.1", "variants": {"v": "a way"}},
            "message": {"message": f"{name} ended"},
            "not_installed": {"not_installed": f"no {name}"},
            "silent": {"not_installed": ""},
        }[fates[name]]
        subject = Installation(library.name, plan.version, "3.9.1", {"v": "a way"}).subject("v")
        asked_of = [(case.id, measure) for case in cases for measure in case.measures]
        answers = [Observation(case, subject, measure, Answered({}, c.random())) for case, measure in asked_of]
        return LibraryAnswers(library, said, tuple(answers) if fates[name] == "asked" else (), reused=len(name))

    monkeypatch.setattr(version_runs, "ask", ask)
    done: list[VersionRun] = []
    runs = ask_versions(built, libraries, [CASE], options, tmp_path / "out", whole=False, done=done.append)
    assert [run.plan for run in runs] == plans
    assert sorted(map(repr, done)) == sorted(map(repr, runs)), "each once"
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    for name, how in asked:
        library = name.partition("@")[0]
        of_program = {"RANKPROOF_PROG": str(places[name] / "prog")} if library == "prog" else {}
        environment = threads | options.environment | of_program
        assert how == replace(options, pythons={library: f"/python/{name}"}, environment=environment, before=None)
    for run in runs:
        name, fate = run.plan.name, fates[run.plan.name]
        folder = tmp_path / "out" / "environments" / name if fate == "asked" else None
        why = {
            "asked": "",
            "message": f"{name} ended",
            "not_installed": f"no {name}",
            "silent": "it could not be asked",
            "absent": "no wheel",
            "never built": "it was not built",
        }
        assert (run.folder, run.why) == (folder, why[fate])
        assert run.status == ("asked" if folder else "absent" if fate in {"absent", "never built"} else "failed")
        if folder is None:
            assert run.counts is None
        else:
            found = load(folder)
            assert run.counts == Counter(str(row.verdict) for row in found.rows)
            assert found.asked[0].version == run.plan.version
            assert {row.measure for row in found.rows if row.case} == {*CASE.measures}
