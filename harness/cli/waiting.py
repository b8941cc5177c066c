"""What takes long, with a bar on stderr that says how far it is: asking libraries, and inferring what they follow."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankproof.judge.verdicts import Verdict
from rankproof.saying import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rich.progress import Progress

    from rankproof.cases import Case
    from rankproof.evaluate.result import Result
    from rankproof.history.environment_builds import Built
    from rankproof.history.plans import Plan
    from rankproof.history.version_runs import VersionRun
    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.judge.fingerprints import ObservedSubject
    from rankproof.judge.runs import Run
    from rankproof.workers.known_libraries import Library
    from rankproof.workers.rounds import AskingOptions, LibraryAnswers

INFERRING = 2
"""How many measures are inferred at the same time."""


def progress_bar(*, timed: bool = True) -> "Progress":
    """A bar on stderr, gone when all is done; `timed`: whether it says for how long. Nothing is drawn where there is no terminal."""
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    elapsed = (TimeElapsedColumn(),) if timed else ()
    console = Console(stderr=True)
    return Progress(*columns, *elapsed, console=console, transient=True, disable=not console.is_terminal)


def diagnosed(found: "Run", *, whole: bool) -> "Run":
    """The run, with the verdict `defect` where one explains what is unexplained."""
    if all(row.verdict is not Verdict.UNEXPLAINED for row in found.rows):
        return found
    from rankproof.judge.library_defects import to_try, with_defects  # noqa: PLC0415 - as below

    forms = to_try(found)
    with progress_bar(timed=False) as bar:
        task = bar.add_task("looking for defects", total=len(forms))
        return with_defects(found, forms, whole=whole, tried=lambda: bar.advance(task))


def asked(
    cases: "Sequence[Case]",
    libraries: "Sequence[Library]",
    asking: "AskingOptions",
    *,
    first_word: "Callable[[LibraryAnswers], str] | None" = None,
) -> "list[LibraryAnswers]":
    """Ask every library all cases; of each, `first_word` is said above the bar as soon as it answered, if it is any."""
    from rankproof.workers.rounds import ask_all  # noqa: PLC0415 - as above

    with progress_bar() as bar:
        task = bar.add_task("asking", total=len(cases) * len(libraries))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=f"asking {name}")

        def done(one: "LibraryAnswers") -> None:
            if first_word is not None and (text := first_word(one)):
                bar.console.print(lines(text), soft_wrap=True)

        return ask_all(cases, libraries, replace(asking, progress=progress), done=done)


def inferred(observed: "Sequence[ObservedSubject]", cases: "Mapping[str, Case]") -> "list[Fingerprint]":
    """The fingerprints of everybody who was observed, measure by measure."""
    from rankproof.judge.fingerprints import in_order, infer_all, measures_in  # noqa: PLC0415 - as above

    found: list[Fingerprint] = []
    with progress_bar(timed=False) as bar:
        task = bar.add_task("inferring", total=len(measures_in(observed)))
        for of_a_measure in infer_all(observed, cases, at_once=INFERRING):
            found += of_a_measure
            bar.advance(task)
    return in_order(found)


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
    """Every environment, built where it is not there yet."""
    from rankproof.history.environment_builds import build_all  # noqa: PLC0415 - as above

    with progress_bar() as bar:
        task = bar.add_task("building", total=len(plans))

        def progress(built: "Built") -> None:
            bar.update(task, advance=1, description=f"built {built.plan.name}")

        return build_all(plans, libraries, at_once, room, progress)


def asked_versions(
    environments: "Sequence[Built]",
    libraries: "Mapping[str, Library]",
    cases: "Sequence[Case]",
    asking: "AskingOptions",
    out: "Path",
    *,
    whole: bool,
) -> "list[VersionRun]":
    """Every library asked in its environments; a line for each as soon as its results are written."""
    from rankproof.history.version_runs import ask_versions  # noqa: PLC0415 - as above
    from rankproof.report.histories import line_of_run  # noqa: PLC0415 - as above

    with progress_bar() as bar:
        task = bar.add_task("asking", total=len(cases) * sum(built.folder is not None for built in environments))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=f"asking {name}")

        def done(run: "VersionRun") -> None:
            bar.console.print(lines(one_line(line_of_run(run))), soft_wrap=True)

        how = replace(asking, progress=progress)
        return ask_versions(environments, libraries, cases, how, out, whole=whole, done=done)
