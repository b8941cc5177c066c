"""`rankproof.evaluate_runs`: many runs against the same qrels, each measured by itself, here or on a cluster."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.evaluate.asked_measures import at_cutoffs, signatures_of
from rankproof.evaluate.defined_measures import is_defined
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.any_form import columns_of
from rankproof.evaluate.inputs.run_files import Paths, is_lasting, path_of, run_files
from rankproof.evaluate.library_profiles import profile_named
from rankproof.evaluate.making_results import beside_of
from rankproof.evaluate.result import Result
from rankproof.evaluate.tracks.dask_cluster import dask_for, measured_by_dask
from rankproof.evaluate.tracks.kept_results import KeptResults
from rankproof.evaluate.tracks.local_processes import Measured, measured_by_processes, measured_here
from rankproof.evaluate.tracks.one_run import QrelsRefused, sha256_of
from rankproof.evaluate.tracks.track import Outcome, QrelsFile, Track
from rankproof.files import check_writable
from rankproof.grouping import grouped
from rankproof.inference.signatures import Signature
from rankproof.interruption import Incomplete
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line


@dataclass(frozen=True)
class RunResult:
    """What a run is worth under a profile.

    Attributes:
        system: the name of the run.
        run: its file.
        profile: the profile, as it was asked for.
        result: its values.
    """

    system: str
    run: str
    profile: str
    result: Result


class RunsRefused(Unusable):
    """Some runs cannot be measured; all others were.

    Attributes:
        of: system -> why.
    """

    def __init__(self, message: str, of: Mapping[str, str]) -> None:
        super().__init__(message)
        self.of = of


class ResultsNotKept(Unusable):
    """Some results cannot be written; all of them were given."""


def evaluate_runs(  # noqa: PLR0913 - what `evaluate` takes, and where it is done
    qrels: Paths,
    runs: Paths | Iterable[Paths] | Mapping[str, Paths],
    measures: Any,  # noqa: ANN401 - text, an ir_measures object, or an iterable of those
    *,
    profiles: str | Iterable[str] = "standard",
    signature: str | Signature | Iterable[str | Signature] = (),
    columns: Mapping[str, Any] | None = None,
    separator: str | None = None,
    k: int | Iterable[int] | None = None,
    exact: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    out: Paths | None = None,
    say: Callable[[str], None] = warnings.warn,
) -> Iterator[RunResult]:
    """Measure many runs, each by itself, and give each result as soon as it is there.

    Every run is one task: it is read where it is measured, and the qrels once in each process. Values are those of `rankproof.evaluate`.
    A run that cannot be used keeps no other from being measured; when all others are, the iteration ends with the error that names it.

    Args:
        qrels: the file of the judgments, in any form of file that `rankproof.evaluate` reads.
        runs: files, folders of files, or patterns as "runs/*.gz"; or system -> file.
        measures: as `rankproof.evaluate` takes them, but those that ir_measures' `define` makes.
        profiles: one or several names; of each run there is a result for each of them.
        signature: computes what these signatures say, beside `measures`; goes with one profile.
        columns: as for `rankproof.evaluate`.
        separator: as for `rankproof.evaluate`.
        k: as for `rankproof.evaluate`.
        exact: as for `rankproof.evaluate`.
        jobs: how many processes are started for it; 1 starts none. As `multiprocessing` asks it, a script that takes more begins with
            `if __name__ == "__main__":`.
        scheduler: the address of a Dask scheduler, whose workers measure instead. They need the same rankproof, and the files by the same
            paths. Dask gives the task of a lost worker to another one.
        out: a folder that keeps each result. What is there already of these very files, measures and profiles is not measured again.
        say: takes a line where a kept result is damaged, or nothing happens for want of workers.

    Yields:
        A result for each run and profile, in the order in which the runs are done.

    Raises:
        BadInput: the qrels cannot be opened, a folder is empty, or something is no file.
        QrelsRefused: the qrels do not read, are others where a worker is, or all profiles refuse them.
        ResultsNotKept: after all: some results cannot be written to `out`.
        RunsRefused: after all others: some runs do not read, or their conventions refuse them. `of` says why, system by system.
        Incomplete: after all others: the processes or workers that measured a run were lost again and again; or the scheduler was.
        NoCluster: there is no scheduler, or no Dask.
        UnknownMeasure, UnknownConvention, AskedTwice: as `rankproof.evaluate`.
        NotWritable: nothing can be written to `out`.
    """
    if scheduler is not None:
        dask_for(scheduler)
    place = os.path.abspath if scheduler is not None else str  # the folder in which a worker stands is another one
    files = {system: place(_refuse_no_file(run)) for system, run in run_files(runs).items()}
    asked = at_cutoffs(measures, k)
    names = [profiles] if isinstance(profiles, str) else [*profiles]
    tasks = _tasks(asked, names, signature)
    beside = {name: beside_of(asked, profile_named(name), tasks[name]) for name in names}
    path = place(_refuse_no_file(path_of(qrels, "the qrels")))
    judged, ranked = (columns_of(columns or {}, side) for side in ("qrels", "run"))
    source = QrelsFile(path, sha256_of(path), tuple(sorted(judged.items())), separator)
    track = Track(source, tasks, beside, ranked, exact=exact, is_kept=out is not None)
    kept = None
    if out is not None:
        check_writable(Path(out))
        kept = KeptResults(Path(out), track, say)

    def measured(left: Mapping[str, str]) -> Measured:
        if scheduler is not None:
            return measured_by_dask(track, left, scheduler, say)
        if jobs > 1 and len(left) > 1:
            return measured_by_processes(track, left, min(jobs, len(left)))
        return measured_here(track, left)

    return _results(files, kept, measured)


def _results(
    files: Mapping[str, str], kept: KeptResults | None, measured: Callable[[Mapping[str, str]], Measured]
) -> Iterator[RunResult]:
    """The results that are kept, then the others as they come, then what went wrong."""
    left: dict[str, str] = {}
    for system, run in files.items():
        found = kept.get(system, run) if kept else None
        if found is None:
            left[system] = run
        else:
            yield from _told(system, run, found)
    wrong: dict[str, Outcome] = {}
    unkept: list[str] = []
    for system, outcome in measured(left) if left else ():
        if outcome.of_all:
            raise QrelsRefused(outcome.of_all)
        if outcome.faults:
            wrong[system] = outcome
        if kept:
            unkept += _put(kept, system, outcome)
        yield from _told(system, files[system], outcome)
    if wrong or unkept:
        of = {system: _why(outcome) for system, outcome in wrong.items()}
        lost = any(outcome.lost for outcome in wrong.values())
        raise _with_unkept(not_measured(of, len(files), lost=lost) if wrong else None, unkept)


def _put(kept: KeptResults, system: str, outcome: Outcome) -> list[str]:
    """Keep a result; of one that cannot be written, why, as its values are no worse for that."""
    try:
        kept.put(system, outcome)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return [f"{kept.place(system)}: the result of {system} is not kept, as this cannot be written: {why}"]
    return []


def _with_unkept(fault: Exception | None, unkept: Sequence[str]) -> Exception:
    """What is raised where some results are not kept, with what else is."""
    if fault is None and len(unkept) == 1:
        return ResultsNotKept(unkept[0])
    fault = fault or ResultsNotKept(f"{len(unkept)} results are not kept; all that was measured is told")
    for why in unkept:
        fault.add_note(one_line(why))
    return fault


def _told(system: str, run: str, outcome: Outcome) -> Iterator[RunResult]:
    for profile, result in outcome.results.items():
        yield RunResult(system, run, profile, result)


def _tasks(
    measures: list[Any], profiles: Iterable[str], signature: str | Signature | Iterable[str | Signature]
) -> dict[str, dict[str, Signature]]:
    """What is asked, by profile.

    Raises:
        UnknownMeasure: one is no measure that every process knows, or none of rankings.
    """
    for measure in measures:
        if is_defined(measure):
            what = f"{measure} was made by define, and is known to this process alone"
            raise UnknownMeasure(f"{what}; ask rankproof.evaluate")
    tasks = {name: signatures_of(measures, profile_named(name), signature) for name in profiles}
    for task in (task for of in tasks.values() for task in of.values()):
        if task.measure.of_labels:
            raise UnknownMeasure(f"{task.measure} compares two labelings; a run has none")
    return tasks


def _refuse_no_file(path: str) -> str:
    if not is_lasting(path):
        what = "several processes cannot read this, and nobody can read it again; save it as a file"
        raise BadInput(path, what)
    return path


def not_measured(of: Mapping[str, str], runs: int, *, lost: bool = False) -> RunsRefused | Incomplete:
    """What is raised where so many of the runs are not measured, for these reasons: a line a run; `lost`: it may not be for the runs."""
    first, *others = of.values()
    count = f"{len(of)} of {runs} runs {'are' if others else 'is'} not measured"
    told = first if runs == 1 else count if others else f"{count}: {first}"
    fault: RunsRefused | Incomplete = Incomplete(told) if lost else RunsRefused(told, of)
    for why in of.values() if others else ():
        fault.add_note(one_line(why))
    return fault


def _why(outcome: Outcome) -> str:
    """Why a run is not measured; by which profiles, if others do not mind."""
    reasons = grouped((why, profile) for profile, why in outcome.faults.items())
    if len(reasons) == 1 and not outcome.results:
        return next(iter(reasons))
    return "; ".join(f"by {', '.join(profiles)}: {why}" for why, profiles in reasons.items())
