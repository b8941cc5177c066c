"""What befell a library is read back from results as what it was: only what it raised itself may be a refusal, and prove a convention."""

from types import SimpleNamespace
from typing import Any

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking import sheets
from rankproof.asking.failures import FAILURES
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered, Failure, Observation, read
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.inference.fingerprints import infer, observations_of
from rankproof.judging.verdicts import Verdict, judge
from rankproof.matching.reference_answers import Oracle, Refused, Values
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse

MADE = Subject("made", "default", "1")
REFUSING = "unjudged"
OUT_OF_MEMORY: dict[str, Any] = {"error": {"type": "MemoryError", "message": "Unable to allocate 9 GiB"}}


def _cases() -> list[Case]:
    """Three that a library refuses which refuses docs without a judgment, and three that it does not."""
    refusing = STANDARD.replace(**{REFUSING: "rejected"})
    found: dict[bool, list[Case]] = {True: [], False: []}
    for case in corpus.load_all():
        oracle = Oracle(case.input)
        if "P@2" in case.measures and isinstance(oracle.answers(parse("P@2"), STANDARD), Values):
            found[isinstance(oracle.answers(parse("P@2"), refusing), Refused)].append(case)
    assert all(len(cases) >= 3 for cases in found.values())
    return [*found[True][:3], *found[False][:3]]


CASES = _cases()


def _answers(failure: Failure) -> list[Observation]:
    """A library that fails so where another one refuses docs without a judgment."""
    found = []
    for case in CASES:
        answers = Oracle(case.input).answers(parse("P@2"), STANDARD.replace(**{REFUSING: "rejected"}))
        told = (
            Answered({query: to_float(value) for query, value in answers.per_query.items()}, to_float(answers.mean))
            if isinstance(answers, Values)
            else failure
        )
        found.append(Observation(case.id, MADE, "P@2", told))
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    path = tmp_path_factory.mktemp("fake") / "made.toml"
    path.write_text(FAKE.replace("fake", "made"), encoding="utf-8")
    return Library("made", path, sheets.load(path))


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_is_read_back_from_results_as_what_it_was(library: Library, kind: str) -> None:
    seen = _answers(Failure(kind, f"ValueError: it says {kind}: twice"))
    rows = [row for one, case in zip(seen, CASES, strict=True) for row in judge(case, Oracle(case.input), library, one)]
    (again,) = observations_of(SimpleNamespace(rows=rows, asked=()))  # type: ignore[arg-type]  # all that is asked of results
    assert [one.answer for one in again.observations if isinstance(one.answer, Failure)] == [
        one.answer for one in seen if isinstance(one.answer, Failure)
    ]


@pytest.mark.parametrize("kind", FAILURES)
def test_only_what_the_library_raised_proves_that_it_refuses(kind: str) -> None:
    (found,) = infer(_answers(Failure(kind, "no")), {case.id: case for case in CASES}, MADE)
    finding = found.axes[REFUSING]
    assert (finding.value == "rejected") == (kind == "error"), finding
    assert {place.case for place in found.missed} == (set() if kind == "error" else {case.id for case in CASES[:3]})


def test_a_library_that_says_itself_that_it_is_out_of_memory_refuses_nothing(library: Library) -> None:
    case = CASES[0]
    seen = read(case.id, MADE, "P@2", OUT_OF_MEMORY)
    (row,) = judge(case, Oracle(case.input), library, seen)
    assert row.verdict is Verdict.MEMORY
    again = read(case.id, MADE, "P@2", {"per_query": None, "mean": 0.5, "again": OUT_OF_MEMORY})
    assert again.again == seen.answer == Failure("memory", "MemoryError: Unable to allocate 9 GiB")
