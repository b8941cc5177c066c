"""What takes long, with a bar on stderr that says how far it is: asking libraries, and inferring what they follow."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof.judge.verdicts import Verdict
from rankproof.saying import lines
from rankproof.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rich.progress import Progress

    from rankproof.cases import Case
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
    from rankproof.report.history_text import line_of_run  # noqa: PLC0415 - as above

    with progress_bar() as bar:
        task = bar.add_task("asking", total=len(cases) * sum(built.folder is not None for built in environments))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=f"asking {name}")

        def done(run: "VersionRun") -> None:
            bar.console.print(lines(one_line(line_of_run(run))), soft_wrap=True)

        how = replace(asking, progress=progress)
        return ask_versions(environments, libraries, cases, how, out, whole=whole, done=done)
