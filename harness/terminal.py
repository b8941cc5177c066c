"""Terminal output in which all control characters are escaped."""

from typing import TYPE_CHECKING

import click

from rankproof.text import folded, one_line, printable_lines

if TYPE_CHECKING:
    from rich.text import Text


def say(text: object = "", *, bold: bool = False, err: bool = False, nl: bool = True) -> None:
    """Print text, with control characters escaped."""
    click.secho(printable_lines(text), bold=bold or None, err=err, nl=nl)


def say_folded(line: str) -> None:
    """Print a line, folded to the width of a terminal with a hanging indent."""
    indent = len(line) - len(line.lstrip())
    say(folded(" " * indent + one_line(line), indent + 2))


def lines(text: object) -> "Text":
    """Return text as a rich object, with control characters escaped and words in brackets not read as styles."""
    from rich.text import Text

    return Text(printable_lines(text))
