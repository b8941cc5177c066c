"""`rankproof check`: which conventions a function of yours follows, and what proves it."""

import inspect
import json
import os
import sys
import time
from typing import TYPE_CHECKING

import click

from rankproof.calling.call_forms import table
from rankproof.calling.likely_measures import what_to_type
from rankproof.commands.options import Verb, limits, say_faults, seconds_of
from rankproof.interruption import INCOMPLETE
from rankproof.saying import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rich.status import Status

    from rankproof.checking.case_questions import Progress

A_LINE_EVERY = 10
"""How many seconds pass between two lines that say how far it is, where there is no terminal."""


@click.command("check", cls=Verb)
@click.argument("function", metavar="MODULE:FUNCTION")
@click.argument("second", metavar="[MEASURE]", required=False)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    help="What it computes, as nDCG@10; it is always asked for, here or as the second word.",
)
@click.option(
    "--profile",
    help='What it claims to follow, as "standard ties=input"; without it, it may follow any conventions known.',
)
@click.option("--form", metavar="FORM", help="How it is called, where that is not plain: see below.")
@click.option(
    "--with", "given", multiple=True, metavar="NAME=VALUE", help="An argument of yours in every call, as max_rel=4."
)
@click.option(
    "--assume",
    default="",
    metavar="LIST",
    help="What no input has: nonnegative, integer, binary, no-ties, … with commas between.",
)
@click.option(
    "--strict", is_flag=True, help="Let extreme input decide, too: rels below 0 or above 4, infinite scores, odd ids, …"
)
@limits("5", "How long a question may take.", "Memory that the function may take.")
@click.option(
    "--budget",
    callback=seconds_of,
    default="120",
    show_default=True,
    metavar="SECONDS",
    help="How long all of it may take.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(  # noqa: PLR0913 - one for each option
    *,
    function: str,
    second: str | None,
    measure: str | None,
    profile: str | None,
    form: str | None,
    given: tuple[str, ...],
    assume: str,
    timeout: float,
    memory: int,
    budget: float,
    strict: bool,
    as_json: bool,
) -> int:
    """Which conventions your own FUNCTION follows, on every case that it can be asked; or whether it follows those that it claims.

    \b
    rankproof check mylib.metrics:ndcg --measure nDCG@10
    rankproof check mylib.metrics:ndcg --measure nDCG@10 --profile 'standard ties=input'

    FUNCTION is a function, a class or an object: MODULE:FUNCTION, imported as Python would here, or FILE.py:FUNCTION. It runs in a
    process of its own, with your rights, and is called by one of these forms:

    \b
    FORMS

    Exit codes: 0 it follows its profile, or without one, conventions that are known; 1 it does not. Ordinary input decides that. 3 it does
    as far as it was asked, and the time was used up before that was all.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rich.console import Console  # noqa: PLC0415 - a verb is imported when it is asked for

    from rankproof.calling import call_candidates  # noqa: PLC0415 - as above
    from rankproof.checking import examining, nearest  # noqa: PLC0415 - as above
    from rankproof.isolating.child_process import nothing_left  # noqa: PLC0415 - as above
    from rankproof.isolating.limits import Limits  # noqa: PLC0415 - as above
    from rankproof.telling import check_json, check_text  # noqa: PLC0415 - as above

    measure = _only(function, second, measure)
    if os.getcwd() not in sys.path:  # noqa: PTH109 - as sys.path has it
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as above
    # Nothing else runs in this process, so that one can be forked from it wherever there is forking.
    with nothing_left(), Console(file=sys.stderr).status(lines(f"asking {one_line(function)}")) as status:
        checked = examining.examine(
            None,
            measure,
            profile,
            form,
            assume=assume,
            name=function,
            given=call_candidates.given_of(given),
            limits=Limits(question=timeout, memory=memory, budget=budget, isolated=hasattr(os, "fork")),
            progress=_progress(one_line(function), status),
        )
        status.update(lines(f"looking what {one_line(function)} follows"))
        told = check_json.for_programs(checked) if as_json else None
        text = "" if as_json else check_text.in_text(checked)
    say_faults(nearest.left_out())
    say(json.dumps(told, allow_nan=False, indent=2) if as_json else text)
    if not checked.is_unanswered and not (checked.holds_strictly if strict else checked.holds):
        return 1
    return INCOMPLETE if checked.is_incomplete else 0


def _only(function: str, second: str | None, measure: str | None) -> str:
    """The measure, which may be said in two places, and is said in one."""
    if second is not None and measure is not None:
        raise click.UsageError(f"{second!r} and -m {measure!r}: say one measure", click.get_current_context())
    if second is None and measure is None:
        raise click.UsageError(what_to_type(function), click.get_current_context())
    return second or measure or ""


command.help = inspect.cleandoc(command.help or "").replace("FORMS", table())


def _progress(function: str, status: "Status") -> "Progress":
    """Says how far it is: in one line that is written anew on a terminal, and elsewhere in a line now and then."""
    began = time.monotonic()
    written = 0

    def tell(done: int, of: int) -> None:
        nonlocal written
        said = f"asking {function}: {f'{done} of {of} questions' if of else 'how it is called'}"
        status.update(lines(said))
        took = time.monotonic() - began
        if not status.console.is_terminal and took > (written + 1) * A_LINE_EVERY:
            written = int(took / A_LINE_EVERY)
            say(f"{said}, {took:.0f} s", err=True)

    return tell
