"""Options and arguments that several verbs have."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.saying import say

if TYPE_CHECKING:
    from packaging.version import Version

    from rankproof.workers.known_libraries import Library

Body = TypeVar("Body", bound=Callable[..., Any])


class Verb(click.Command):
    """A command that refuses an option of one value given twice; click would silently take the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments of the command.

        Raises:
            UsageError: an option of one value is given twice, or two options exclude each other.
        """
        if not ctx.resilient_parsing:
            _refuse_twice(self.make_parser(ctx).parse_args([*args])[2], ctx)
        return super().parse_args(ctx, args)


class VerbGroup(click.Group, Verb):
    """A command with subcommands."""

    command_class = Verb


def _refuse_twice(given: Iterable[click.Parameter], context: click.Context) -> None:
    """Refuse a second value of one parameter; a repeated flag is harmless."""
    former: dict[str | None, click.Option] = {}
    for option in given:
        if not isinstance(option, click.Option) or option.multiple:
            continue
        first, written = former.get(option.name), option.opts[-1]
        if first is option and not option.is_flag:
            raise click.UsageError(f"{written} is given twice: give it once", context)
        if first is not None and first is not option:
            raise click.UsageError(f"{first.opts[-1]} and {written} exclude each other", context)
        former[option.name] = option


own_adapters = click.option(
    "--adapters",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="RANKPROOF_ADAPTERS",
    help="A folder with sheets and adapters of your own; or set RANKPROOF_ADAPTERS.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON.")
details = click.option("--details", is_flag=True, help="Print everything.")
jobs = click.option(
    "-j", "--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes at the same time."
)


def with_itself(qrels: str, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the qrels as the run if each of their rows has relevant and retrieved ids.

    Raises:
        UsageError: they have not.
    """
    from rankproof.evaluate.inputs.reading import has_both, missing_run  # noqa: PLC0415 - a verb is imported when it is used

    if not has_both(qrels, columns):
        raise click.UsageError(f"Missing argument 'RUN...'; {missing_run(qrels)}", click.get_current_context())
    return (qrels,)


def measures_among(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files and the measures of a line like `QRELS RUN nDCG@10`, which is how ir_measures is asked; a file that is there is a file."""
    from rankproof.measure_names import called  # noqa: PLC0415 - a verb is imported when it is asked for
    from rankproof.reference_impl.notation import UnknownMeasure  # noqa: PLC0415 - as above

    files: list[str] = []
    measures: list[str] = []
    for word in words:
        try:
            is_measure = not Path(word).exists() and bool(called(word))
        except (UnknownMeasure, OSError, ValueError):  # as a name that is too long for a file
            # No measure that is known: that is what is to be said of it.
            is_measure = re.search(r"@\d+$", word) is not None
        (measures if is_measure else files).append(word)
    return tuple(files), tuple(measures)


LONGEST_WAIT = 1e7
"""Maximum of --timeout, in seconds."""
UNITS = {"M": 10**6, "G": 10**9, "T": 10**12}


def seconds_of(_context: click.Context, _parameter: click.Parameter, value: str) -> float:
    """Parse seconds above 0."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= LONGEST_WAIT:
        raise click.BadParameter(f"{value!r} is not a time: write seconds above 0, such as 120 or 0.5")
    return seconds


def bytes_of(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    """Parse a size in bytes."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([MGT])B?", value, re.ASCII | re.IGNORECASE)
    size = round(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    if not size:
        raise click.BadParameter(f"{value!r} is not a size: write it in M, G or T, such as 8G or 500M")
    return size


room_of_environments = click.option(
    "--room",
    callback=bytes_of,
    default="15G",
    show_default=True,
    metavar="SIZE",
    help="Maximum disk space for all environments.",
)


def limits(seconds: str, wait: str, room: str) -> Callable[[Body], Body]:
    """Return the options `--timeout` (in seconds) and `--memory` (in bytes).

    Args:
        seconds: the default timeout.
        wait: the help of `--timeout`.
        room: the help of `--memory`.
    """
    memory = click.option("--memory", callback=bytes_of, default="8G", show_default=True, metavar="SIZE", help=room)
    timeout = click.option(
        "--timeout", callback=seconds_of, default=seconds, show_default=True, metavar="SECONDS", help=wait
    )
    return lambda verb: timeout(memory(verb))


limits_of_worker = limits("120", "Longest time of a request.", "Maximum memory of a worker and its children.")


def version_in(text: str, option: str | None = None) -> "Version":
    """Parse a version; `option` is the option that holds it, for the message."""
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - help answers without it

    try:
        return Version(text)
    except InvalidVersion as error:
        raise click.BadParameter(f"{text!r} is not a version: write it as in 1.2.3", param_hint=option) from error


def say_faults(among: "Iterable[Library]") -> None:
    """Print the libraries that cannot be used on stderr, one line each with the reason."""
    from rankproof.text import one_line  # noqa: PLC0415 - as above
    from rankproof.workers.known_libraries import faults  # noqa: PLC0415 - help answers without it

    for fault in faults(among):
        say(one_line(fault), err=True)
