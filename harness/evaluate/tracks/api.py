"""`rankproof.evaluate_runs`: many runs against the same qrels, each measured by itself."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankproof.evaluate.cautions import nothing_is_right
from rankproof.evaluate.inputs.column_names import names_of
from rankproof.evaluate.inputs.input_files import Paths, is_lasting, path_of, run_files
from rankproof.evaluate.inputs.reading import SIDES
from rankproof.evaluate.inputs.rows import BadInput
from rankproof.evaluate.result import MeasuredRuns, Result
from rankproof.evaluate.tasks import Asked, at_cutoffs, cautions_of_tasks, is_defined, profile_of, signatures_of
from rankproof.evaluate.tracks.kept import KeptResults
from rankproof.evaluate.tracks.measured_run import Outcome, Track, sha256_of
from rankproof.evaluate.tracks.processes import measured, processes_for
from rankproof.files import check_writable
from rankproof.grouping import grouped
from rankproof.inference.signatures import Signature
from rankproof.interruption import Incomplete
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line


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
    """Runs that cannot be measured, or whose results cannot be kept; all others were.

    Attributes:
        of: system -> why.
    """

    def __init__(self, message: str, of: Mapping[str, str]) -> None:
        super().__init__(message)
        self.of = of


def evaluate_runs(  # noqa: PLR0913 - the options of `evaluate`, and of processes
    qrels: Paths,
    runs: Paths | Iterable[Paths] | Mapping[str, Paths],
    measures: Asked,
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
    """Yield the result of each run under each profile as soon as there is one, in no particular order.

    Args:
        qrels: the file of the judgments.
        runs: files, a folder of files, a pattern, or a mapping of systems to files.
        measures: as `evaluate` takes them.
        profiles: names of profiles.
        columns: as `evaluate` takes them, and so are `signature`, `k`, `separator` and `exact`.
        signature: signatures to compute under every profile.
        k: cutoffs.
        separator: the character between fields.
        exact: whether large runs are measured in exact arithmetic, too.
        jobs: the number of processes; by default as many as are worth being started.
        out: a folder that keeps the results; those that it has are not computed again.
        say: prints a line, as about a damaged file.

    Raises:
        BadInput: the qrels cannot be used.
        RunsRefused: some runs cannot be measured or kept, after all others.
        Incomplete: a process was lost, twice.
    """
    files = {system: _lasting(path) for system, path in run_files(runs).items()}
    asked = at_cutoffs(measures, k)
    names = [profiles] if isinstance(profiles, str) else [*profiles]
    tasks = {name: _tasks(asked, name, signature) for name in names}
    cautions = {name: cautions_of_tasks(asked, profile_of(name), tasks[name]) for name in names}
    path = _lasting(path_of(qrels, "the qrels"))
    columns_of = {side: names_of(columns, side) for side in SIDES}
    track = Track(path, sha256_of(path), tasks, cautions, columns_of, separator, exact)
    kept = None
    if out is not None:
        check_writable(Path(out))
        kept = KeptResults(Path(out), track, say)
    return _results(track, files, kept, jobs or processes_for(files.values()))


def _tasks(asked: list[Asked], profile: str, signature: Any) -> dict[str, Signature]:  # noqa: ANN401 - as evaluate_runs
    defined = next(filter(is_defined, asked), None)
    if defined is not None:
        raise UnknownMeasure(
            f"{defined} was made by define, and other processes do not have it; use rankproof.evaluate"
        )
    tasks = signatures_of(asked, profile_of(profile), signature)
    for task in tasks.values():
        if task.measure.of_labels:
            raise UnknownMeasure(f"{task.measure} compares two labelings, and a run has none")
    return tasks


def _lasting(path: str) -> str:
    if not is_lasting(path):
        raise BadInput(path, "several processes cannot read this; save it as a file")
    return path


def _results(track: Track, files: Mapping[str, str], kept: KeptResults | None, jobs: int) -> Iterator[RunResult]:
    """Yield the results that are kept, then the others; at the end, raise what was wrong."""
    left: dict[str, str] = {}
    for system, run in files.items():
        found = kept.get(system, run) if kept else None
        if found is None:
            left[system] = run
            continue
        yield from _of(system, run, found)
    faults: dict[str, str] = {}
    lost = False
    for system, outcome in measured(track, left, jobs) if left else ():
        if outcome.qrels_fault:
            raise BadInput(*outcome.qrels_fault.split(": ", 1))
        if outcome.faults:
            faults[system], lost = _why(outcome), lost or outcome.lost
        try:
            if kept:
                kept.put(system, outcome)
        except OSError as error:
            faults[system] = (
                f"{kept.place(system)}: the result of {system} is not kept: {error.strerror or error}" if kept else ""
            )
        yield from _of(system, files[system], outcome)
    if faults:
        raise not_measured(faults, len(files), lost=lost)


def _of(system: str, run: str, outcome: Outcome) -> Iterator[RunResult]:
    for profile, result in outcome.results.items():
        yield RunResult(system, run, profile, result)


def _why(outcome: Outcome) -> str:
    reasons = grouped((why, profile) for profile, why in outcome.faults.items())
    if len(reasons) == 1 and not outcome.results:
        return next(iter(reasons))
    return "; ".join(f"by {', '.join(profiles)}: {why}" for why, profiles in reasons.items())


def not_measured(of: Mapping[str, str], runs: int, *, lost: bool = False) -> RunsRefused | Incomplete:
    """Return the error for runs without a result, with a line for each; `lost`: if a process was lost."""
    first, *others = of.values()
    text = f"{len(of)} of {runs} runs {'have' if others else 'has'} no result"
    text = first if runs == 1 else text if others else f"{text}: {first}"
    fault: RunsRefused | Incomplete = Incomplete(text) if lost else RunsRefused(text, of)
    for why in of.values() if others else ():
        fault.add_note(one_line(why))
    return fault


def measure_files(
    qrels: str,
    files: Mapping[str, str],
    measures: Asked,
    *,
    profile: str,
    on_progress: Callable[[], None],
    **options: Any,  # noqa: ANN401 - those of `evaluate_runs`
) -> MeasuredRuns:
    """Measure all runs that can be measured.

    Raises:
        BadInput, RunsRefused, Incomplete: none can be.
    """
    found: dict[str, Result] = {}
    unrelated: dict[str, str] = {}
    fault: RunsRefused | Incomplete | None = None
    try:
        for one in evaluate_runs(qrels, files, measures, profiles=profile, **options):
            if why := nothing_is_right(one.result.warnings, [*one.result.mean]):
                unrelated[one.system] = f"{one.run}: {why}"
            else:
                found[one.system] = one.result
            on_progress()
    except KeyboardInterrupt as stopped:
        kept = f"kept in {options['out']}" if options.get("out") is not None else "--out FOLDER would keep them"
        stopped.add_note(one_line(f"{len(found)} of {len(files)} runs are done; {kept}"))
        raise
    except (RunsRefused, Incomplete) as error:
        fault = error
    if unrelated and not isinstance(fault, Incomplete):
        fault = not_measured({**(fault.of if fault else {}), **unrelated}, len(files))
    if fault is not None and not found:
        raise fault
    return MeasuredRuns({system: found[system] for system in files if system in found}, files, fault)
