"""Output to the terminal, in which control characters are escaped, whoever they came from."""

from typing import TYPE_CHECKING

import click

from rankproof.text import folded, one_line, printable_lines

if TYPE_CHECKING:
    from rich.text import Text


def say(text: object = "", *, bold: bool = False, err: bool = False, nl: bool = True) -> None:
    """Print lines."""
    click.secho(printable_lines(text), bold=bold or None, err=err, nl=nl)


def say_folded(line: str) -> None:
    """Print a line, folded to the width of a terminal with a hanging indent."""
    indent = len(line) - len(line.lstrip())
    say(folded(" " * indent + one_line(line), indent + 2))


def lines(text: object) -> "Text":
    """Return lines for rich, which would take words in brackets for styles and let control characters pass."""
    from rich.text import Text

    return Text(printable_lines(text))
