"""Progress bars on stderr while libraries run, environments are built and profiles are inferred."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from rankproof.cases import Case
    from rankproof.history.environment_builds import Built
    from rankproof.history.plans import Plan
    from rankproof.history.version_runs import VersionRun
    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.judge.fingerprints import ObservedSubject
    from rankproof.workers.known_libraries import Library
    from rankproof.workers.rounds import AskingOptions, LibraryAnswers

Advance = Callable[..., object]
"""A function that advances a bar: by `advance`, or to `completed` of `total`, with a new `description`."""


def progress_bar() -> "Progress":
    """Return a progress bar on stderr. It is drawn on terminals only and disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def show_progress(description: str, total: int) -> "Iterator[Advance]":
    """Show a progress bar, and yield the function that advances it."""
    with progress_bar() as bar:
        task = bar.add_task(description, total=total)
        yield lambda **changes: bar.update(task, **(changes or {"advance": 1}))


@contextmanager
def running(settings: "AskingOptions", total: int) -> "Iterator[AskingOptions]":
    """Show a progress bar for a run of libraries, and yield the options that advance it."""
    with show_progress("running", total) as advance:

        def on_progress(name: str, count: int) -> None:
            advance(advance=count, description=f"running {name}")

        yield replace(settings, progress=on_progress)


def run_all(
    cases: "Sequence[Case]", libraries: "Sequence[Library]", settings: "AskingOptions"
) -> "list[LibraryAnswers]":
    """Run every library on all cases, and return the values."""
    from rankproof.workers.rounds import ask_all

    with running(settings, len(cases) * len(libraries)) as options:
        return ask_all(cases, libraries, options)


def infer_fingerprints(observed: "Sequence[ObservedSubject]", cases: "Mapping[str, Case]") -> "list[Fingerprint]":
    """Infer the fingerprints of all observed libraries."""
    from rankproof.judge.fingerprints import in_order, infer_all, measures_in

    fingerprints: list[Fingerprint] = []
    with show_progress("inferring", len(measures_in(observed))) as advance:
        for of_a_measure in infer_all(observed, cases):
            fingerprints += of_a_measure
            advance()
    return in_order(fingerprints)


def build_environments(
    plans: "Sequence[Plan]", libraries: "Mapping[str, Library]", at_once: int, room: int
) -> "list[Built]":
    """Build missing environments, and return all."""
    from rankproof.history.environment_builds import build_all

    with show_progress("building", len(plans)) as advance:
        return build_all(
            plans, libraries, at_once, room, lambda built: advance(advance=1, description=f"built {built.plan.name}")
        )


def run_versions(
    plans: "Sequence[Plan]",
    libraries: "Mapping[str, Library]",
    cases: "Sequence[Case]",
    settings: "AskingOptions",
    out: Path,
    *,
    room: int,
    whole: bool,
) -> "list[VersionRun]":
    """Run each library in its environments and write the results below `out`. Build missing environments first."""
    from rankproof.history.version_runs import ask_versions

    built = build_environments(plans, libraries, settings.at_once, room)
    with running(settings, len(cases) * sum(environment.folder is not None for environment in built)) as options:
        return ask_versions(built, libraries, cases, options, out, whole=whole, done=lambda _run: None)
