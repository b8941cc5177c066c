"""`rankproof sheet`: write what was observed into a library's sheet."""

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof import cases as corpus
from rankproof.asking.rounds import Asking
from rankproof.asking.sheets import BadSheet, Library, chosen, libraries, load
from rankproof.judging.runs import Run, run

if TYPE_CHECKING:
    from rankproof.judging.sheet_edits import Plan


@click.group("sheet")
def command() -> None:
    """Keep sheets up to date."""


@command.command("update")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and write nothing.")
def update(library: str, *, dry_run: bool) -> int:
    """Write the unexplained observations of LIBRARY into its sheet, and take out the exceptions that no longer happen.

    LIBRARY is a name or a glob, of libraries or of variants. It is asked the whole corpus. What is new gets an entry for each topic,
    with an empty reason for you to fill in; until then the sheet is refused. So does what moved: its old reason stands beside it in a
    comment. A pin that still fits, a comment, and whatever else stands in the sheet stay as they are.

    Exit codes: 0 the sheet can be used; 1 a reason is still empty, or (with --dry-run) something would change; 2 usage or bad input;
    3 interrupted, and nothing was written.
    """
    from rankproof.files import publish  # noqa: PLC0415 - help answers without what follows
    from rankproof.judging.sheet_edits import planned  # noqa: PLC0415

    # A sheet with empty reasons is what this verb leaves behind, and must be able to work on.
    found = chosen((library,), libraries(draft=True))
    seen = _asked(found)
    plans = [
        (one, planned(one.sheet, seen.rows, asked.installation.others))
        for one, asked in zip(found, seen.asked, strict=True)
    ]
    for one, plan in plans:
        if dry_run:
            click.echo(_difference(one, plan), nl=False)
        elif plan.after != plan.before:
            publish(one.sheet.path, plan.after)
        click.echo(_told(one, plan))
    if dry_run:
        return int(any(plan.after != plan.before for _, plan in plans))
    return int(any(_refused(one) for one in found))


def _asked(found: Sequence[Library]) -> Run:
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    cases = corpus.load_all()
    columns = (TextColumn("asking {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(found[0].name, total=len(cases) * len(found))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=name)

        return run(cases, found, Asking(progress=progress))


def _told(one: Library, plan: "Plan") -> str:
    parts = ("added", plan.added), ("moved", plan.moved), ("removed", plan.removed), ("kept", plan.kept)
    return f"{one.sheet.path}: " + ", ".join(f"{count} {what}" for what, count in parts)


def _difference(one: Library, plan: "Plan") -> str:
    from rankproof.cli import printable  # noqa: PLC0415

    name = str(one.sheet.path)
    lines = difflib.unified_diff(plan.before.split("\n"), plan.after.split("\n"), name, name, lineterm="")
    # The indentation of a line is its own: a sign, then text.
    return "".join(f"{line[:1]}{printable(line[1:])}\n" for line in lines)


def _refused(one: Library) -> bool:
    try:
        load(one.sheet.path)
    except BadSheet as error:
        click.echo(f"to do: {error}")
        return True
    return False
