"""What takes long, with a bar on stderr that says how far it is: asking libraries, and inferring what they follow."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof.judging.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankproof.asking.known_libraries import Library
    from rankproof.asking.rounds import Asked, Asking
    from rankproof.cases import Case
    from rankproof.inference.fingerprint_file import Fingerprint
    from rankproof.inference.fingerprints import Observed
    from rankproof.judging.runs import Run

INFERRING = 2
"""How many measures are inferred at the same time."""


def diagnosed(found: "Run", *, whole: bool) -> "Run":
    """The run, with the verdict `defect` where one explains what is unexplained."""
    if all(row.verdict is not Verdict.UNEXPLAINED for row in found.rows):
        return found
    from rich.console import Console  # noqa: PLC0415 - as below
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    from rankproof.checking.library_defects import to_try, with_defects  # noqa: PLC0415 - as below

    forms = to_try(found)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("looking for defects", total=len(forms))
        return with_defects(found, forms, whole=whole, tried=lambda: bar.advance(task))


def asked(cases: "Sequence[Case]", libraries: "Sequence[Library]", asking: "Asking") -> "list[Asked]":
    """Ask every library all cases."""
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    from rankproof.asking.rounds import ask_all  # noqa: PLC0415 - as above

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("asking", total=len(cases) * len(libraries))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=f"asking {name}")

        return ask_all(cases, libraries, replace(asking, progress=progress))


def inferred(observed: "Sequence[Observed]", cases: "Mapping[str, Case]") -> "list[Fingerprint]":
    """The fingerprints of everybody who was observed, measure by measure."""
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    from rankproof.inference.fingerprints import in_order, infer_all, measures_in  # noqa: PLC0415 - as above

    found: list[Fingerprint] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("inferring", total=len(measures_in(observed)))
        for of_a_measure in infer_all(observed, cases, at_once=INFERRING):
            found += of_a_measure
            bar.advance(task)
    return in_order(found)
