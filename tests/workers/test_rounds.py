"""Runs of libraries: the selection of cases and measures, the order of libraries, and failures of a single library."""

import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from scripted_workers import CRASH, HALF, ONE, Scripted

from rankproof import cases as corpus
from rankproof.judge.probing import PROBES, probe_all
from rankproof.workers.known_libraries import Library, claiming_nothing
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.process import Interrupted, WorkerFailed
from rankproof.workers.rounds import AskingOptions, NothingSelected, ask, ask_all, select

STRADDLES, NAMED = "ties/straddles-cutoff", "gain/linear-exp-binary"
CASES = [corpus.load(corpus.HERE / f"{name}.toml") for name in (STRADDLES, NAMED)]


def library(adapter: Path = Path("made_adapter.py"), **more: Any) -> Library:
    return Library("made", adapter, claiming_nothing("made", Path("made.toml")), **more)


# -- cases and measures ------------------------------------------------------------------------------------------------


EVERY = {case.id: list(case.measures) for case in CASES}


@pytest.mark.parametrize(
    ("globs", "measures", "selected"),
    [
        ((), (), EVERY),
        (("ties/*",), (), {STRADDLES: EVERY[STRADDLES]}),
        (("*exp*", "ties/straddles-cutoff"), (), EVERY),
        ((), ("nDCG@5",), {NAMED: ["nDCG@5"]}),
        ((), ("P",), {STRADDLES: ["P@2"]}),
        ((), ("CG*",), {NAMED: ["CG@5"]}),
        ((), ("P@2", "DCG"), {STRADDLES: ["P@2"], NAMED: ["DCG@5"]}),
    ],
)
def test_cases_and_their_measures_are_chosen_by_globs(
    globs: tuple[str, ...], measures: tuple[str, ...], selected: dict[str, list[str]]
) -> None:
    selection = select(CASES, globs, measures)
    assert {case.id: list(case.measures) for case in selection} == selected
    whole = {case.id: case.expect or {} for case in CASES}
    wanted = {
        name: {measure: whole[name][measure] for measure in measures if measure in whole[name]}
        for name, measures in selected.items()
    }
    assert {case.id: case.expect for case in selection} == wanted


@pytest.mark.parametrize(
    ("globs", "measures", "named"),
    [(("x*", "y"), (), "x* y"), (("ties/*",), ("ERR",), "ties/* ERR"), ((), ("nD",), "nD")],
)
def test_globs_that_match_nothing_are_named(globs: tuple[str, ...], measures: tuple[str, ...], named: str) -> None:
    with pytest.raises(NothingSelected) as refused:
        select(CASES, globs, measures)
    assert str(refused.value) == f"no case matches {named}; list all with `rankproof cases list`"


# -- runs --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replaced(AskingOptions):
    """Options that give each library this worker, or make its start fail."""

    scripted: Worker | Exception = field(default_factory=Scripted)
    started: list[str] = field(default_factory=list)

    def worker(self, library: Library, _stop: threading.Event | None) -> Worker:
        """Return the worker, or raise the failure."""
        self.started.append(library.name)
        if isinstance(self.scripted, Exception):
            raise self.scripted
        return self.scripted


def test_run_reports_seconds_and_progress(tmp_path: Path) -> None:
    (tmp_path / "made_adapter.py").write_text("")
    identity = {"library": "made", "versions": {"made": "1"}, "python": "3.11"}
    answers = [{"answers": {"P@2": answer}, "seconds": seconds} for answer, seconds in ((HALF, 2), (ONE, 3))]
    progress: list[int] = []
    cases = [CASES[0], corpus.load(corpus.HERE / "ties/none-tied.toml")]
    options = Replaced(
        once=True,
        fresh=True,
        progress=lambda _name, count: progress.append(count),
        scripted=Scripted(identity, CRASH, *answers),
    )
    result = ask(library(tmp_path / "made_adapter.py"), select(cases, (), ["P@2"]), options)
    assert result.library_seconds == 0.5 + 0.5 + 2 + 3, "two replies to hello and two answers"
    assert progress == [1, 1, 0], "of two cases, none is left"
    values = [(observation.answer, observation.again) for observation in result.observations]
    assert values == [(Failure("crash", "by SIGSEGV"), Answered(None, 0.5)), (Answered(None, 1.0), None)]


@pytest.mark.parametrize(
    ("error", "hello"),
    [
        (WorkerFailed("crash", "m"), {"failed": "crash", "message": "m"}),
        (WorkerFailed("crash", "m", "words"), {"failed": "crash", "message": "m; its stderr ends: words"}),
        (KeyError("x"), {"failed": "error", "message": "rankproof could not run it: KeyError: 'x'"}),
        (ValueError("a\nb\x1b"), {"failed": "error", "message": "rankproof could not run it: ValueError: a b\\x1b"}),
        (Interrupted(), {"failed": "error", "message": "it was interrupted"}),
    ],
)
def test_error_while_a_library_runs_is_reported_for_this_library(error: Exception, hello: dict[str, str]) -> None:
    counts: list[int] = []
    options = Replaced(progress=lambda _name, count: counts.append(count), scripted=error)
    result = ask(library(), CASES, options)
    assert (dict(result.hello), result.observations, result.installed, result.version) == (hello, (), False, "")
    assert sum(counts) == len(CASES), "the progress reaches its end"


def test_library_with_a_fault_is_not_run() -> None:
    result = ask(library(fault="its sheet is odd"), CASES)
    assert dict(result.hello) == {"failed": "error", "message": "its sheet is odd"}


def test_error_while_a_library_is_probed_is_reported_for_this_library(tmp_path: Path) -> None:
    (tmp_path / "made_adapter.py").write_text("")
    options = Replaced(scripted=RuntimeError("can't start new thread"))
    (probed,) = probe_all([library(tmp_path / "made_adapter.py")], PROBES[:1], ["RR"], options).libraries
    assert probed.installation.message == "rankproof could not probe it: RuntimeError: can't start new thread"


def test_slowest_library_starts_first_and_results_keep_the_order_of_the_libraries() -> None:
    made, seconds = library(), {"a": 1.0, "b": 9.0, "c": 4.0, "d": 2.0}
    four = [replace(made, name=name, sheet=replace(made.sheet, takes=seconds[name])) for name in seconds]
    options = Replaced(at_once=1, scripted=WorkerFailed("crash", "m"))
    assert [result.library.name for result in ask_all(CASES, four, options)] == [*seconds]
    assert options.started == ["b", "c", "d", "a"]
