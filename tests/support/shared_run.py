"""The run of the libraries that all tests share: the libraries and cases that the selected tests need, and their judged values."""

import fcntl
import pickle
import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from installed_libraries import of_this_interpreter

from rankproof import cases as corpus
from rankproof.judge.runs import Run, judge_all
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask

ONCE = AskingOptions(once=True)

Wanted = Mapping[str, Collection[str]]
"""Library -> ids of cases."""


def ids() -> list[str]:
    """Return the ids of all cases without reading the files."""
    return [path.relative_to(corpus.HERE).with_suffix("").as_posix() for path in corpus.files()]


def needed(items: Sequence[pytest.Item]) -> Wanted:
    """Return the cases on which each library must run for these tests; all cases if a test needs the whole run."""
    if any("whole_run" in getattr(item, "fixturenames", ()) for item in items):
        return {library.name: ids() for library in of_this_interpreter()}
    wanted: dict[str, set[str]] = defaultdict(set)
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if "selected_run" in getattr(item, "fixturenames", ()) and "library" in parameters:
            wanted[parameters["library"]] |= {parameters["case"]} if "case" in parameters else set(ids())
    return wanted


def run_once(wanted: Wanted, file: Path) -> Run:
    """Run each library on its cases in the first process that calls this; the others wait and read its result."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if file.exists():
            return pickle.loads(file.read_bytes())  # noqa: S301 - written by a process of this test run
        result = run(wanted)
        file.write_bytes(pickle.dumps(result))
    return result


def run(wanted: Wanted) -> Run:
    """Run each library on its cases and judge the values; the whole sheet is checked if a library is run on all cases."""
    cases = corpus.load_all()
    asked = asked_of(wanted, cases)
    whole = [one for one in asked if len(wanted[one.library.name]) == len(cases)]
    part = [one for one in asked if len(wanted[one.library.name]) < len(cases)]
    of_whole, of_part = judge_all(cases, whole), judge_all(cases, part, whole=False)
    rows, complaints = of_whole.rows + of_part.rows, of_whole.complaints + of_part.complaints
    return replace(of_whole if whole else of_part, answers=tuple(asked), rows=rows, complaints=complaints)


def answers(wanted: Wanted) -> dict[tuple[str, str, str, str], Answered | Failure | None]:
    """Return the values of each library by library, variant, case and measure."""
    cases = [corpus.load(corpus.HERE / f"{case}.toml") for case in sorted({*chain(*wanted.values())})]
    return {
        (asked.library.name, one.subject.variant, one.case, one.measure): one.answer
        for asked in asked_of(wanted, cases)
        for one in asked.observations
    }


def asked_of(wanted: Wanted, cases: Sequence[corpus.Case]) -> Sequence[LibraryAnswers]:
    """Run each library on its own cases, and return its values."""
    named = [library for library in of_this_interpreter() if library.name in wanted]
    with ThreadPoolExecutor(ONCE.at_once) as pool:
        own = ([case for case in cases if case.id in wanted[one.name]] for one in named)
        return list(pool.map(lambda one, some: ask(one, some, ONCE), named, own))


def required(pyproject: Path) -> set[str]:
    """Return the libraries that CI must have: those of the extra `libraries`, and trec_eval, which is not a Python package."""
    extras = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named: Iterable[str] = re.findall(r"rankproof\[([^]]*)\]", " ".join(extras["libraries"]))
    return {"trec_eval", *re.split(r"[\s,]+", ",".join(named))}
