"""Misbehaving libraries: each gets the verdict in the title of its sheet, other values are right, and no process remains."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
import selected_parameters
from processes import with_environment

from rankproof import cases as corpus
from rankproof.files import CACHE
from rankproof.judge.runs import judge_all
from rankproof.judge.verdicts import Verdict
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask_all, select

FOLDER = Path(__file__).resolve().parent.parent / "misbehaving"
LIBRARIES = {library.name: library for library in libraries(FOLDER)}
TIED, UNTIED = "ties/straddles-cutoff", "ties/none-tied"
CASES = [*select(corpus.load_all(), [TIED], ["P@2"]), *select(corpus.load_all(), [UNTIED], ["P@2"])]
NEVER_GREETS = {"never_says_hello", "dies_at_hello"}
NEVER_ANSWERS = {"closes_stdin"}
"""Libraries that do not wait for an input with ties."""
MEMORY = 200_000_000


def wanted(library: Library) -> str:
    """Return the verdict at the beginning of the title of its sheet."""
    return library.sheet.title.partition(":")[0]


@dataclass(frozen=True)
class Round:
    """The results of all libraries.

    Attributes:
        answers: the results by library.
        store: a folder whose name occurs only in the environment of their processes.
    """

    answers: dict[str, LibraryAnswers]
    store: str


@pytest.fixture(scope="module")
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """Run the libraries of the selected tests; those that time out have a shorter limit."""
    tried = [LIBRARIES[name] for name in sorted(selected_parameters.selected(request, "name", LIBRARIES))]
    store = str(tmp_path_factory.mktemp("store"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE, store)
        slow = [one for one in tried if wanted(one) == "timeout" or one.name == "hangs_once"]
        rest = [one for one in tried if one not in slow]
        answers = ask_all(CASES, slow, AskingOptions(at_once=8, timeout=1.5, memory=MEMORY))
        answers += ask_all(CASES, rest, AskingOptions(at_once=4, timeout=20, memory=MEMORY))
    return Round({one.library.name: one for one in answers}, store)


def test_every_kind_of_verdict_has_a_library_without_a_fault() -> None:
    assert len(LIBRARIES) > 30
    assert {name: one.fault for name, one in LIBRARIES.items() if one.fault} == {}
    kinds = {wanted(one) for one in LIBRARIES.values()}
    assert {"crash", "timeout", "memory", "invalid-output", "unstable", "agrees"} <= kinds <= set(Verdict)


@pytest.mark.parametrize("name", LIBRARIES)
def test_library_gets_its_verdict_and_its_next_value_is_right(name: str, ran: Round) -> None:
    rows = judge_all(CASES, [ran.answers[name]]).rows
    seen = {row.case: (str(row.verdict), row.error, row.note) for row in rows}
    verdicts = {case: verdict for case, (verdict, _, _) in seen.items()}
    mine = wanted(LIBRARIES[name])
    if name in NEVER_GREETS:
        assert verdicts == {"": mine}, seen
    elif name == "ends_between_questions":
        assert verdicts.pop(UNTIED) in {"agrees", "unstable"}, "it may end before or after the second request"
        assert verdicts == {TIED: mine}, seen
    else:
        assert verdicts == {TIED: mine, UNTIED: mine if name in NEVER_ANSWERS else "agrees"}, seen


def test_no_process_is_left(ran: Round) -> None:
    left = [process for process in with_environment(f"{CACHE}={ran.store}") if process.pid != os.getpid()]
    assert left == []
