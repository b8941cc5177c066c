"""`rankproof.evaluate_runs`: many runs against the same qrels, measured one by one in several processes.

If a process is lost, its run is measured again alone.
"""

import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.bounded import Paths
from rankproof.evaluate.cautions import reason_to_refuse
from rankproof.evaluate.inputs.column_names import SIDES, names_of
from rankproof.evaluate.inputs.forms import MeasuresLike
from rankproof.evaluate.inputs.input_files import is_lasting, path_of, run_files, size_of
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.measured_run import Outcome, Track, keep, outcome_of, read_kept, sha256_of
from rankproof.evaluate.result import Result, Results
from rankproof.evaluate.tasks import MeasureLike, at_cutoffs, cautions_of_tasks, profile_of, signatures_of
from rankproof.files import check_writable
from rankproof.inference.signatures import Signature
from rankproof.interruption import Incomplete, end_with_parent, kill_children
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line

_WORTH_A_PROCESS = 2**25
"""The smallest total size of runs, in bytes, that starts several processes."""
_LOST = "its process ended twice, even when run alone. Is there enough memory?"


@dataclass(frozen=True)
class RunResult:
    """The result of a run under a profile.

    Attributes:
        system: the name of the run.
        run: its file.
        profile: the name of the profile.
        result: its values.
    """

    system: str
    run: str
    profile: str
    result: Result


class RunsRefused(Unusable):
    """Runs that cannot be measured, or whose results cannot be kept; all other runs are measured.

    Attributes:
        of: system -> reason.
    """

    def __init__(self, message: str, of: Mapping[str, str]) -> None:
        super().__init__(message)
        self.of = of


@dataclass(frozen=True)
class _Job:
    """A run to measure under a profile."""

    track: Track
    system: str
    run: str


def evaluate_runs(  # noqa: PLR0913 - the options of `evaluate`, and of processes
    qrels: Paths,
    runs: Paths | Iterable[Paths] | Mapping[str, Paths],
    measures: MeasuresLike,
    *,
    profiles: str | Iterable[str] = "standard",
    columns: Mapping[str, Any] | None = None,
    signature: str | Signature | Iterable[str | Signature] = (),
    k: int | Iterable[int] | None = None,
    separator: str | None = None,
    exact: bool = False,
    jobs: int | None = None,
    out: Paths | None = None,
    say: Callable[[str], None] = warnings.warn,
) -> Iterator[RunResult]:
    """Yield the result of each run under each profile when it is ready, in any order.

    Parameters
    ----------
    qrels : path
        The file of the judgments.
    runs : path, iterable of paths, or dict
        Files, a folder of files, a pattern, or a mapping of systems to files.
    measures : str, ir_measures object, or iterable of these
        The measures, as in `evaluate`.
    profiles : str or iterable of str
        Names of profiles.
    columns : dict, optional
        Your column names, as in `evaluate`.
    signature : str, Signature, or iterable of these
        Signatures to compute under every profile.
    k : int or iterable of int, optional
        Cutoffs, as in `evaluate`.
    separator : str, optional
        The character between fields.
    exact : bool
        Whether large runs are also measured in exact arithmetic.
    jobs : int, optional
        The number of processes; by default as many as are useful.
    out : path, optional
        A folder for the results. Results that it has are not computed again.
    say : callable
        Prints a line, for example about a damaged file.

    Yields
    ------
    RunResult
        The system, its file, the profile and the `Result`.

    Raises
    ------
    BadInput
        The qrels cannot be used.
    RunsRefused
        Some runs cannot be measured or kept; raised after all other runs.
    Incomplete
        A process was lost twice.

    Examples
    --------
    >>> for done in evaluate_runs("qrels.txt", "runs/", ["nDCG@10", "AP"], out="results"):  # doctest: +SKIP
    ...     print(done.system, done.result.mean)
    """
    files = {system: _checked_path(path) for system, path in run_files(runs).items()}
    wanted = at_cutoffs(measures, k)
    path = _checked_path(path_of(qrels, "the qrels"))
    digest, names = sha256_of(path), {side: names_of(columns, side) for side in SIDES}
    tracks = []
    for name in [profiles] if isinstance(profiles, str) else profiles:
        profile = profile_of(name)
        tasks = signatures_of(wanted, profile, signature)
        _refuse_labelings(tasks.values())
        cautions = cautions_of_tasks(wanted, profile, tasks)
        tracks.append(Track(path, digest, tasks, cautions, names, separator, exact, name))
    if out is not None:
        check_writable(Path(out))
    every = [_Job(track, system, run) for track in tracks for system, run in files.items()]
    return _results(every, None if out is None else Path(out), say, jobs or _processes_for(files.values()))


def _refuse_labelings(tasks: Iterable[Signature]) -> None:
    for task in tasks:
        if task.measure.of_labels:
            raise UnknownMeasure(f"{task.measure} compares two labelings, but a run has none")


def _checked_path(path: str) -> str:
    if not is_lasting(path):
        raise BadInput(path, "several processes cannot read this. Save it as a file.")
    return path


def _processes_for(files: Iterable[str]) -> int:
    """Return the number of processes for some files; 1 means only the current process."""
    sizes = [size for size in map(size_of, files) if size]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, len(sizes)) if sum(sizes) >= _WORTH_A_PROCESS else 1


def _results(every: list[_Job], out: Path | None, say: Callable[[str], None], jobs: int) -> Iterator[RunResult]:
    """Yield kept results, then new ones, and raise an error at the end if some runs have none."""
    left: list[_Job] = []
    for job in every:
        kept = None if out is None else read_kept(out, job.track, job.system, job.run, say)
        if kept is None:
            left.append(job)
        else:
            yield RunResult(job.system, job.run, job.track.profile, kept)
    faults: dict[str, str] = {}
    lost = False
    for job, outcome in _outcomes(left, jobs):
        if outcome.of_qrels:
            raise BadInput(*outcome.fault.split(": ", 1))
        if outcome.result is None:
            faults[job.system], lost = outcome.fault, lost or outcome.lost
            continue
        try:
            if out is not None:
                keep(out, job.track, job.system, outcome)
        except OSError as error:
            faults[job.system] = f"{out}: cannot keep the result of {job.system}: {error.strerror or error}"
        yield RunResult(job.system, job.run, job.track.profile, outcome.result)
    if faults:
        raise _not_measured(faults, len({job.system for job in every}), lost=lost)


def _not_measured(of: Mapping[str, str], runs: int, *, lost: bool = False) -> RunsRefused | Incomplete:
    """Return the error for runs without a result, with a line for each. `lost`: whether a process was lost."""
    first, *others = of.values()
    text = f"{len(of)} of {runs} runs {'have' if others else 'has'} no result"
    text = first if runs == 1 else text if others else f"{text}: {first}"
    fault: RunsRefused | Incomplete = Incomplete(text) if lost else RunsRefused(text, of)
    for why in of.values() if others else ():
        fault.add_note(one_line(why))
    return fault


# -- processes -------------------------------------------------------------------------------------------------------------


def _outcomes(every: list[_Job], jobs: int) -> Iterator[tuple[_Job, Outcome]]:
    """Yield the outcome of each run, measured in this process (`jobs` 1) or in several."""
    if jobs == 1 or len(every) <= 1:
        for job in every:
            yield job, outcome_of(job.track, job.run)
        return
    with suppress(BrokenProcessPool), _processes(min(jobs, len(every))) as pool:
        left = {pool.submit(outcome_of, job.track, job.run): job for job in every}
        for done in as_completed(left):
            outcome = done.result()
            yield left.pop(done), outcome
    for job in left.values():
        yield job, _measure_alone(job)


def _measure_alone(job: _Job) -> Outcome:
    """Measure a run alone after a process was lost, and try twice."""
    for _ in range(2):
        with suppress(BrokenProcessPool), _processes(1) as pool:
            return pool.submit(outcome_of, job.track, job.run).result()
    return Outcome(fault=f"{job.run}: {_LOST}", lost=True)


@contextmanager
def _processes(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes that are killed if the work is interrupted."""
    others = multiprocessing.active_children()
    # The processes are spawned, not forked, because the caller may have threads.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), end_with_parent) as pool:
        try:
            yield pool
        except BaseException:
            # The pool would wait for its processes, and overlook those that it was starting.
            kill_children(but=others)
            raise


# -- the command -----------------------------------------------------------------------------------------------------------


def measure_files(
    qrels: str,
    files: Mapping[str, str],
    measures: MeasureLike,
    *,
    profile: str,
    on_progress: Callable[[], None],
    **options: Any,  # noqa: ANN401 - those of `evaluate_runs`
) -> Results:
    """Measure all runs that can be measured.

    Raises:
        BadInput, RunsRefused, Incomplete: no run can be measured.
    """
    results: dict[str, Result] = {}
    unrelated: dict[str, str] = {}
    fault: RunsRefused | Incomplete | None = None
    try:
        for run in evaluate_runs(qrels, files, measures, profiles=profile, **options):
            if why := reason_to_refuse(run.result.warnings, [*run.result.mean]):
                unrelated[run.system] = f"{run.run}: {why}"
            else:
                results[run.system] = run.result
            on_progress()
    except KeyboardInterrupt as stopped:
        kept = f"kept in {options['out']}" if options.get("out") is not None else "--out FOLDER keeps them"
        stopped.add_note(one_line(f"{len(results)} of {len(files)} runs are done; {kept}"))
        raise
    except (RunsRefused, Incomplete) as error:
        fault = error
    if unrelated and not isinstance(fault, Incomplete):
        fault = _not_measured({**(fault.of if fault else {}), **unrelated}, len(files))
    if fault is not None and not results:
        raise fault
    return Results({system: results[system] for system in files if system in results}, files, fault)
