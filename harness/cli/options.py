"""Options and arguments that several commands share."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from rankproof.files import publish
from rankproof.terminal import say

Body = TypeVar("Body", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
LONGEST_WAIT = 1e7
"""Maximum of --timeout, in seconds."""
UNITS = {"M": 10**6, "G": 10**9, "T": 10**12}

own_adapters = click.option(
    "--adapters",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="RANKPROOF_ADAPTERS",
    help="Folder of your own sheets and adapters. You can also set RANKPROOF_ADAPTERS.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print all facts as JSON.")
details = click.option("--details", is_flag=True, help="Print everything.")
jobs = click.option("-j", "--jobs", type=click.IntRange(1), default=2, show_default=True, help="Parallel processes.")
out_file = click.option("-o", "--out", type=FILE, help="The file to write [default: stdout].")


def seconds_of(_context: click.Context, _parameter: click.Parameter, seconds: float) -> float:
    """Check that a time limit is above 0."""
    if not 0 < seconds <= LONGEST_WAIT:
        raise click.BadParameter(f"{seconds:g} is not a valid time. Write seconds above 0, such as 120 or 0.5")
    return seconds


def bytes_of(_context: click.Context, _parameter: click.Parameter, value: str) -> int:
    """Parse a size such as 8G into bytes."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([MGT])B?", value, re.ASCII | re.IGNORECASE)
    size = round(float(match[1]) * UNITS[match[2].upper()]) if match else 0
    if not size:
        raise click.BadParameter(f"{value!r} is not a valid size. Write it in M, G or T, such as 8G or 500M")
    return size


def limits(seconds: float) -> Callable[[Body], Body]:
    """Return the options `--timeout` (in seconds, with this default) and `--memory` (in bytes)."""
    memory = click.option(
        "--memory",
        callback=bytes_of,
        default="8G",
        show_default=True,
        help="Maximum memory of a process.",
    )
    timeout = click.option(
        "--timeout", type=float, callback=seconds_of, default=seconds, show_default=True, help="Seconds for one call."
    )
    return lambda verb: timeout(memory(verb))


limits_of_worker = limits(120)
room_of_environments = click.option(
    "--room",
    callback=bytes_of,
    default="15G",
    show_default=True,
    metavar="SIZE",
    help="Maximum disk space for all environments.",
)


def write(out: Path | None, text: str) -> None:
    """Write text to a file, or print it if `out` is None."""
    if out is None:
        say(text, nl=False)
    else:
        publish(out, text)


def run_within_qrels(qrels: str, columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the qrels as the run if each of their rows has relevant and retrieved ids.

    Raises:
        UsageError: a row lacks them.
    """
    from rankproof.evaluate.inputs.reading import has_both, missing_run

    if not has_both(qrels, columns):
        raise click.UsageError(f"Missing argument 'RUN...'; {missing_run(qrels)}", click.get_current_context())
    return (qrels,)


def split_measures(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the arguments of a line such as `QRELS RUN nDCG@10` into files and measures; existing files are files."""
    from rankproof.measure_names import called
    from rankproof.reference_impl.notation import UnknownMeasure

    files: list[str] = []
    measures: list[str] = []
    for word in words:
        try:
            is_measure = not Path(word).exists() and bool(called(word))
        except (UnknownMeasure, OSError, ValueError):  # such as a name that is too long for a file
            is_measure = re.search(r"@\d+$", word) is not None  # an unknown measure is reported as one
        (measures if is_measure else files).append(word)
    return tuple(files), tuple(measures)
