"""Options that several verbs have."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rankproof.asking.known_libraries import Library

Verb = TypeVar("Verb", bound=Callable[..., Any])


def own_adapters(verb: Verb) -> Verb:
    """The option that names a folder of libraries of the user's own; the verb gets it as `adapters`."""
    return click.option(
        "--adapters", type=click.Path(path_type=Path, file_okay=False, exists=True), envvar="RANKPROOF_ADAPTERS",
        help="A folder with sheets and adapters of your own; or set RANKPROOF_ADAPTERS.",
    )(verb)  # fmt: skip


def say_faults(among: "Iterable[Library]") -> None:
    """Say on stderr which libraries are left out, and why, a line each."""
    from rankproof.asking.known_libraries import faults  # noqa: PLC0415 - help answers without it
    from rankproof.text import one_line  # noqa: PLC0415 - as above

    for fault in faults(among):
        click.echo(one_line(fault), err=True)
