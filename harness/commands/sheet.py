"""`rankproof sheet`: write what was observed into a library's sheet."""

import click

from rankproof import cases as corpus
from rankproof.running import run
from rankproof.sheets import chosen, libraries
from rankproof.updating import update


@click.group("sheet")
def command() -> None:
    """Keep sheets up to date."""


@command.command("update")
@click.argument("library")
def update_(library: str) -> int:
    """Write the unexplained observations of LIBRARY into its sheet as exceptions, and take out those that no longer happen.

    A new exception has an empty reason, which you fill in; until then the sheet is refused.
    """
    (found, *_) = chosen((library,), libraries())
    changes = update(found.sheet, run(corpus.load_all(), [found]).rows)
    click.echo(f"{found.sheet.path}: {changes.added} exceptions added, {changes.removed} removed, {changes.kept} kept")
    if changes.added:
        click.echo("fill in their reasons: a sheet with an empty reason is refused")
    return 1 if changes.added else 0
