"""The runs of a track in several processes. A run whose process is lost is measured again, alone."""

import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from rankproof.evaluate.inputs.input_files import size_of
from rankproof.evaluate.tracks.measured_run import Outcome, Track, outcome_of
from rankproof.interruption import end_with_parent, kill_children

_WORTH_A_PROCESS = 2**25
"""The size of all runs in bytes from which processes are started."""
_LOST = "its process ended, twice, with no other beside it; is there enough memory?"
Measured = Iterator[tuple[str, Outcome]]
"""Systems with the outcomes of their runs, as they come."""


def processes_for(files: Iterable[str]) -> int:
    """Return the number of processes to start for some files; 1 means none."""
    sizes = [size for size in map(size_of, files) if size]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, len(sizes)) if sum(sizes) >= _WORTH_A_PROCESS else 1


def measured(track: Track, runs: Mapping[str, str], jobs: int) -> Measured:
    """Measure runs in this process (`jobs` 1), or in several."""
    if jobs == 1 or len(runs) == 1:
        for system, path in runs.items():
            yield system, outcome_of(track, path)
        return
    waiting, lost = deque(runs.items()), deque[tuple[str, str]]()
    while waiting:
        yield from _until_a_loss(track, waiting, lost, min(jobs, len(runs)))
    for system, path in lost:
        yield from _alone(track, system, path)


def _alone(track: Track, system: str, path: str) -> Measured:
    """Measure a run again with no other beside it; its process may be lost once more."""
    for _ in range(2):
        again = deque[tuple[str, str]]()
        yield from _until_a_loss(track, deque([(system, path)]), again, 1)
        if not again:
            return
    yield system, Outcome(faults=dict.fromkeys(track.tasks, f"{path}: {_LOST}"), lost=True)


def _until_a_loss(track: Track, waiting: deque[tuple[str, str]], lost: deque[tuple[str, str]], jobs: int) -> Measured:
    """Measure the runs that wait; those that were being measured when a process was lost are put to `lost`."""
    others = multiprocessing.active_children()
    running: dict[Future[Outcome], tuple[str, str]] = {}
    # Spawned, not forked: the caller may have threads.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        try:
            while waiting or running:
                while waiting and len(running) <= jobs:  # one more than processes, so that none has to wait
                    running[pool.submit(outcome_of, track, waiting[0][1])] = waiting[0]
                    waiting.popleft()
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    outcome = done.result()
                    yield running.pop(done)[0], outcome
        except BrokenProcessPool:
            kill_children(but=others)  # the pool overlooks a process that it was starting
            lost.extend(running.values())
        except BaseException:
            kill_children(but=others)  # the pool would wait until they are done
            raise
