"""Adapters in Java and JavaScript: two honest ones follow their sheets, and the fault of a third is caught."""

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest
from judged_libraries import run

from rankproof import cases as corpus
from rankproof.judge.runs import Run
from rankproof.judge.verdicts import FAILS, HOLDS, Verdict
from rankproof.workers.known_libraries import libraries
from rankproof.workers.rounds import AskingOptions

FOREIGN = {library.name: library for library in libraries(Path(__file__).resolve().parent.parent / "foreign")}
RUN_BY = {"javarank": "java", "noderank": "node", "nodesinner": "node"}


@pytest.fixture(scope="module")
def foreign_run() -> Run:
    """Return the values of the foreign libraries for the whole corpus."""
    if lacking := [program for program in sorted(set(RUN_BY.values())) if shutil.which(program) is None]:
        message = f"{' and '.join(lacking)} must be installed to ask adapters that are not Python"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return run(corpus.load_all(), list(FOREIGN.values()), AskingOptions())


@pytest.mark.parametrize("name", ["javarank", "noderank"])
def test_honest_foreign_library_follows_its_sheet(name: str, foreign_run: Run) -> None:
    assert [str(complaint) for complaint in foreign_run.complaints if complaint.library == name] == []
    seen = Counter(row.verdict for row in foreign_run.rows if row.library == name)
    assert sum(seen[verdict] for verdict in HOLDS) > 140
    assert seen[Verdict.CONVENTION] > 20, "it differs from `standard`, and is explained"


def test_fault_of_a_foreign_library_is_caught_in_its_measure_only(foreign_run: Run) -> None:
    caught = Counter(
        row.measure.partition("@")[0]
        for row in foreign_run.rows
        if row.library == "nodesinner" and row.verdict in FAILS
    )
    assert set(caught) == {"P"}
    assert caught["P"] > 10


@pytest.mark.parametrize("name", sorted(RUN_BY))
def test_unsupported_measure_is_not_requested(name: str, foreign_run: Run) -> None:
    notes = {
        row.measure: row.note for row in foreign_run.rows if row.library == name and row.verdict is Verdict.UNSUPPORTED
    }
    assert notes["AP"] == f"{name} has no AP"
    (asked,) = (one for one in foreign_run.answers if one.library.name == name)
    assert asked.hello["dependencies"].keys() == {RUN_BY[name]}
