"""The runs of a track, measured on this machine: in this process, or in several that are started for it."""

import multiprocessing
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from rankproof.ending_children import end_with_parent, kill_children
from rankproof.evaluate.inputs.parted_folders import size_of
from rankproof.evaluate.tracks.one_run import outcome_of
from rankproof.evaluate.tracks.track import Outcome, Track

WORTH_A_PROCESS = 2**25
"""Of so many bytes in all, runs are worth the half second in which a process starts."""
LOST = "the process that measured it was ended twice, with no other beside it; is there memory enough?"

Measured = Iterator[tuple[str, Outcome]]
"""Systems and what came of their runs, as they come."""


def processes_for(runs: Iterable[str]) -> int:
    """How many processes are worth being started for some files: one means that none is."""
    sizes = [size for size in map(size_of, runs) if size]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, len(sizes)) if sum(sizes) >= WORTH_A_PROCESS else 1


def measured_here(track: Track, runs: Mapping[str, str]) -> Measured:
    """In this process, one after the other."""
    for system, path in runs.items():
        yield system, outcome_of(track, path)


def measured_by_processes(track: Track, runs: Mapping[str, str], jobs: int) -> Measured:
    """In so many processes. Where one is ended from outside, what was being measured is measured again, each run by itself."""
    waiting = deque(runs.items())
    while waiting:
        for system, path in (yield from _until_one_is_lost(track, waiting, jobs)):
            if (yield from _is_lost_twice(track, system, path)):
                yield system, Outcome(faults=dict.fromkeys(track.asked, f"{path}: {LOST}"), lost=True)


def _is_lost_twice(track: Track, system: str, path: str) -> Generator[tuple[str, Outcome], None, bool]:
    """Measure a run with no other beside it, and again if its process is lost, which may have been by accident."""
    for _ in range(2):
        if not (yield from _until_one_is_lost(track, deque([(system, path)]), 1)):
            return False
    return True


def _until_one_is_lost(
    track: Track, waiting: deque[tuple[str, str]], jobs: int
) -> Generator[tuple[str, Outcome], None, list[tuple[str, str]]]:
    """Measure what waits, and take it away; gives what was being measured when a process was lost."""
    others = multiprocessing.active_children()
    asked: dict[Future[Outcome], tuple[str, str]] = {}
    # Spawned, not forked: whoever calls may have threads.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        try:
            while waiting or asked:
                while waiting and len(asked) <= jobs:  # one more than there are processes, so that none has to wait
                    asked[pool.submit(outcome_of, track, waiting[0][1])] = waiting[0]
                    waiting.popleft()  # not before it was taken: a pool that lost a process takes nothing
                for done in wait(asked, return_when=FIRST_COMPLETED).done:
                    outcome = done.result()
                    yield asked.pop(done)[0], outcome
        except BrokenProcessPool:
            # The pool overlooks one that it began to start just then, and would wait for it for ever.
            kill_children(but=others)
            return list(asked.values())
        except BaseException:
            kill_children(but=others)  # the pool would wait until they are done
            raise
    return []
