"""Long work with a progress bar on stderr: running libraries, inferring profiles, evaluating runs, building environments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.version import Version
    from rich.progress import Progress

    from rankproof.cases import Case
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

    if not (forms := to_try(run)):
        return run
    with progress("looking for defects", len(forms), timed=False) as advance:
        return with_defects(run, forms, whole=whole, on_progress=advance)


def asked(cases: "Sequence[Case]", libraries: "Sequence[Library]", asking: "AskingOptions") -> "list[LibraryAnswers]":
    """Return the values of every library on all cases."""
    from rankproof.workers.rounds import ask_all  # noqa: PLC0415 - as above

    with progress("running", len(cases) * len(libraries)) as advance:

        def on_progress(name: str, count: int) -> None:
            advance(advance=count, description=f"running {name}")

        return ask_all(cases, libraries, replace(asking, progress=on_progress))


def inferred(observed: "Sequence[ObservedSubject]", cases: "Mapping[str, Case]") -> "list[Fingerprint]":
    """Return the fingerprints of all observed libraries."""
    from rankproof.judge.fingerprints import in_order, infer_all, measures_in  # noqa: PLC0415 - as above

    fingerprints: list[Fingerprint] = []
    with progress("inferring", len(measures_in(observed)), timed=False) as advance:
        for of_a_measure in infer_all(observed, cases):
            fingerprints += of_a_measure
            advance()
    return in_order(fingerprints)


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
