"""Long work with a progress bar on stderr: running libraries, inferring profiles, evaluating runs, building environments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankproof.saying import say
from rankproof.text import one_line

if TYPE_CHECKING:
    from packaging.version import Version
    from rich.progress import Progress

    from rankproof.cases import Case
    from rankproof.evaluate.result import Result
    from rankproof.history.environment_builds import Built
    from rankproof.history.history import ObservedVersion
    from rankproof.history.plans import Plan
    from rankproof.history.releases import Release
    from rankproof.history.version_runs import VersionRun
    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.judge.fingerprints import ObservedSubject
    from rankproof.judge.runs import Run
    from rankproof.workers.known_libraries import Library
    from rankproof.workers.rounds import AskingOptions, LibraryAnswers

INFERRING = 2
"""Measures inferred at the same time."""
Advance = Callable[..., object]
"""Advances a bar: by `advance`, or to `completed` of `total`, with a new `description`."""


def progress_bar(*, timed: bool = True) -> "Progress":
    """Return a bar on stderr that disappears at the end; it is drawn on terminals only, with the elapsed time if `timed`."""
    from rich.console import Console  # noqa: PLC0415 - help works without rich
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    elapsed = (TimeElapsedColumn(),) if timed else ()
    console = Console(stderr=True)
    return Progress(*columns, *elapsed, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress(description: str, total: int, *, timed: bool = True) -> "Iterator[Advance]":
    """Show a bar for a task, and yield the function that advances it."""
    with progress_bar(timed=timed) as bar:
        task = bar.add_task(description, total=total)
        yield lambda **changes: bar.update(task, **(changes or {"advance": 1}))


def diagnosed(run: "Run", *, whole: bool) -> "Run":
    """Return a run with defects named if they explain values that no convention does."""
    from rankproof.judge.library_defects import to_try, with_defects  # noqa: PLC0415 - help works without it
    from rankproof.judge.verdicts import Verdict  # noqa: PLC0415 - as above

    if all(row.verdict is not Verdict.UNEXPLAINED for row in run.rows):
        return run
    forms = to_try(run)
    with progress("looking for defects", len(forms), timed=False) as advance:
        return with_defects(run, forms, whole=whole, tried=advance)


def asked(
    cases: "Sequence[Case]",
    libraries: "Sequence[Library]",
    asking: "AskingOptions",
    done: "Callable[[LibraryAnswers], object]" = lambda _answers: None,
) -> "list[LibraryAnswers]":
    """Return the values of every library on all cases; `done` is called with each library as soon as it has them."""
    from rankproof.workers.rounds import ask_all  # noqa: PLC0415 - as above

    with progress("running", len(cases) * len(libraries)) as advance:

        def on_progress(name: str, count: int) -> None:
            advance(advance=count, description=f"running {name}")

        return ask_all(cases, libraries, replace(asking, progress=on_progress), done=done)


def inferred(observed: "Sequence[ObservedSubject]", cases: "Mapping[str, Case]") -> "list[Fingerprint]":
    """Return the fingerprints of all observed libraries."""
    from rankproof.judge.fingerprints import in_order, infer_all, measures_in  # noqa: PLC0415 - as above

    fingerprints: list[Fingerprint] = []
    with progress("inferring", len(measures_in(observed)), timed=False) as advance:
        for of_a_measure in infer_all(observed, cases, at_once=INFERRING):
            fingerprints += of_a_measure
            advance()
    return in_order(fingerprints)


@dataclass(frozen=True)
class MeasuredRuns:
    """What came of some runs.

    Attributes:
        of: system -> its result, in the order in which the runs were named.
        files: system -> the file of its run, of all of them.
        fault: why some are not measured, or not kept; None if all are.
    """

    of: "Mapping[str, Result]"
    files: "Mapping[str, str]"
    fault: Exception | None = None

    @property
    def missing(self) -> list[dict[str, str]]:
        """The runs that are not measured."""
        return [{"system": system, "run": run} for system, run in self.files.items() if system not in self.of]


def measured(
    qrels: str,
    files: "Mapping[str, str]",
    measures: "Sequence[str]",
    *,
    profile: str,
    jobs: int | None,
    out: str | None,
    **asked: Any,  # noqa: ANN401 - as `evaluate_runs` takes it
) -> MeasuredRuns:
    """The runs of these files, each measured by itself; what can be measured is, whatever the others are.

    Raises:
        ValueError, Incomplete: none of them can be.
    """
    from rankproof.evaluate.cautions import nothing_is_right  # noqa: PLC0415 - as above
    from rankproof.evaluate.tracks.local_processes import processes_for  # noqa: PLC0415 - as above
    from rankproof.evaluate.tracks.many_runs import ResultsNotKept, RunsRefused, evaluate_runs, not_measured  # noqa: PLC0415 - as above
    from rankproof.interruption import Incomplete  # noqa: PLC0415 - as above

    def told(text: str) -> None:
        say(one_line(text), err=True)

    jobs = jobs if jobs is not None else processes_for(files.values())
    found: dict[str, Result] = {}
    unrelated: dict[str, str] = {}
    fault: Exception | None = None
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(files))
        try:
            for one in evaluate_runs(qrels, files, measures, profiles=profile, jobs=jobs, out=out, say=told, **asked):
                if why := nothing_is_right(one.result.warnings, [*one.result.mean]):
                    unrelated[one.system] = f"{one.run}: {why}"
                else:
                    found[one.system] = one.result
                bar.advance(task)
        except KeyboardInterrupt as stopped:
            kept = f"kept in {out}" if out is not None else "--out FOLDER would keep them"
            stopped.add_note(one_line(f"{len(found)} of {len(files)} runs are done; {kept}"))
            raise
        except (RunsRefused, ResultsNotKept, Incomplete) as error:
            fault = error
    if unrelated and not isinstance(fault, Incomplete):
        others = fault if isinstance(fault, ResultsNotKept) else None
        fault = not_measured({**(fault.of if isinstance(fault, RunsRefused) else {}), **unrelated}, len(files))
        for why in [str(others), *getattr(others, "__notes__", ())] if others else ():
            fault.add_note(why)
    if fault is not None and not found:
        raise fault
    return MeasuredRuns({system: found[system] for system in files if system in found}, files, fault)


def built_all(plans: "Sequence[Plan]", libraries: "Mapping[str, Library]", at_once: int, room: int) -> "list[Built]":
    """Return every environment, built if it was not."""
    from rankproof.history.environment_builds import build_all  # noqa: PLC0415 - as above

    with progress("building", len(plans)) as advance:
        return build_all(
            plans, libraries, at_once, room, lambda built: advance(advance=1, description=f"built {built.plan.name}")
        )


def asked_versions(
    environments: "Sequence[Built]",
    libraries: "Mapping[str, Library]",
    cases: "Sequence[Case]",
    asking: "AskingOptions",
    out: Path,
    *,
    whole: bool,
) -> "list[VersionRun]":
    """Run every library in its environments, and write the results of each."""
    from rankproof.history.version_runs import ask_versions  # noqa: PLC0415 - as above

    with progress("running", len(cases) * sum(built.folder is not None for built in environments)) as advance:

        def on_progress(name: str, count: int) -> None:
            advance(advance=count, description=f"running {name}")

        how = replace(asking, progress=on_progress)
        return ask_versions(environments, libraries, cases, how, out, whole=whole, done=lambda _run: None)


@dataclass(frozen=True, slots=True)
class Observer:
    """Runs one library on the same cases in several environments.

    Attributes:
        folder: the folder of the results, with one folder for each environment.
        room: maximum disk space for all environments, in bytes.
        whole: whether the cases are the whole corpus.
    """

    library: "Library"
    cases: "Sequence[Case]"
    asking: "AskingOptions"
    folder: Path
    room: int
    whole: bool = False

    def ask(self, plans: "Sequence[Plan]") -> "dict[Plan, ObservedVersion | str]":
        """Return the values in each environment, or why the library did not run there."""
        from rankproof.history.history import observed_in  # noqa: PLC0415 - as above

        libraries = {self.library.name: self.library}
        built = built_all(plans, libraries, self.asking.at_once, self.room)
        runs = asked_versions(built, libraries, self.cases, self.asking, self.folder, whole=self.whole)
        folders = {run.plan: run.folder for run in runs if run.folder is not None}
        answers: dict[Plan, ObservedVersion | str] = {run.plan: run.why for run in runs if run.folder is None}
        return answers | {observed.plan: observed for observed in observed_in(folders)}

    def look(self, releases: "Sequence[Release]") -> "dict[Version, ObservedVersion | str]":
        """Return the values in each release, or why the library did not run."""
        from rankproof.history.releases import plan_of  # noqa: PLC0415 - as above

        plans = {plan_of(self.library.sheet, release): release.version for release in releases}
        return {plans[plan]: answer for plan, answer in self.ask(list(plans)).items()}
