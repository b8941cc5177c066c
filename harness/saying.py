"""The last door before the terminal: what is said there holds no control character, whoever it came from."""

from typing import TYPE_CHECKING, Any

import click

from rankproof.text import folded, one_line, printable_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text


def say(text: object = "", *, bold: bool = False, err: bool = False, nl: bool = True) -> None:
    """Say some lines."""
    click.secho(printable_lines(text), bold=bold or None, err=err, nl=nl)


def say_folded(line: str) -> None:
    """Say a line that may be longer than a terminal has room for: it goes on below, a little further in."""
    indent = len(line) - len(line.lstrip())
    say(folded(" " * indent + one_line(line), indent + 2))


def cells(*texts: object) -> "Iterator[Text]":
    """The cells of a row of a table, for rich, which takes words in brackets for styles and lets control characters pass."""
    from rich.text import Text  # noqa: PLC0415 - help answers without it

    yield from (Text(printable_lines(text)) for text in texts)


def lines(text: object) -> Any:  # noqa: ANN401 - a rich Text
    """Some lines, for rich."""
    return next(cells(text))
