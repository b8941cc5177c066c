"""`rankproof check`: which measure and conventions a function of yours computes."""

import inspect
import sys
from typing import TYPE_CHECKING

import click

from rankproof.check.call import BadCall
from rankproof.check.ingredients import INGREDIENTS
from rankproof.cli.options import Verb, limits, seconds_of
from rankproof.saying import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rankproof.check.source import Source

NO_MEASURE = 'Name the measure, for example\n  rankproof check {} "{}" nDCG@10'


def ingredients_help() -> str:
    """Return the table of ingredients for the help text."""
    rows = []
    for of_all, title in ((False, "one query"), (True, "all queries (evaluated once per case)")):
        rows.append(f"Ingredients of {title}:")
        rows += [f"  {own.name:<13} {own.text}" for own in INGREDIENTS.values() if own.of_all is of_all]
    return "\n".join(rows)


@click.command("check", cls=Verb)
@click.argument("target", metavar="FILE")
@click.argument("call", metavar="CALL", required=False)
@click.argument("measure", metavar="MEASURE", required=False)
@click.option("--profile", metavar="PROFILE", help="Conventions that it must follow, such as 'standard ties=input'.")
@click.option("--strict", is_flag=True, help="Accept no conventions but those of standard.")
@limits("5", "Seconds for one call.", "Memory of the process.")
@click.option("--budget", callback=seconds_of, default="120", metavar="SECONDS", help="Seconds for all calls [120].")
@click.option("--details", is_flag=True, help="Print everything that was found out.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(  # noqa: PLR0913 - one for each option
    *,
    target: str,
    call: str | None,
    measure: str | None,
    profile: str | None,
    strict: bool,
    timeout: float,
    memory: int,
    budget: float,
    details: bool,
    as_json: bool,
) -> int:
    """Check which measure and conventions a function of yours computes.

    \b
    rankproof check metrics.py "ndcg([g > 0 for g in rels], k)" nDCG@10
    rankproof check metrics.py            list the functions and their calls

    FILE is a Python file or module, or either with :NAME of a class or object.
    CALL is a Python expression over the ingredients below.

    \b
    INGREDIENTS

    Exit codes: 0 it is the measure; 1 it is not; 2 it cannot be called; 3 the
    time was used up.
    """  # noqa: D301 - click's mark for lines that are not wrapped
    from rankproof.check.source import Source  # noqa: PLC0415 - help answers without it
    from rankproof.workers.function_worker import Limits  # noqa: PLC0415 - as above

    source = Source(target, limits=Limits(question=timeout, memory=memory))
    try:
        if call is None or measure is None:
            return _list(source, call)
        return _check(source, call, measure, profile, strict=strict, budget=budget, details=details, as_json=as_json)
    except BadCall as error:
        say(_text_of(error), err=True)
        return 2
    finally:
        source.close()


def _text_of(error: BadCall) -> str:
    from rankproof.check.checking import NoNumber  # noqa: PLC0415 - help answers without it
    from rankproof.report.check import no_number_text  # noqa: PLC0415 - as above

    return no_number_text(error) if isinstance(error, NoNumber) else str(error)


command.help = inspect.cleandoc(command.help or "").replace("INGREDIENTS", ingredients_help())


def _check(
    source: "Source",
    call: str,
    measure: str,
    profile: str | None,
    *,
    strict: bool,
    budget: float,
    details: bool,
    as_json: bool,
) -> int:
    from rich.console import Console  # noqa: PLC0415 - help answers without it

    from rankproof.check.checking import check_function, prepare  # noqa: PLC0415 - as above
    from rankproof.report import check as report  # noqa: PLC0415 - as above

    checked = prepare(source, call, measure, profile)
    written = checked.call.text if checked.call is not None and checked.call.text != call else ""
    with Console(file=sys.stderr).status(lines(f"calling {one_line(call)}")) as status:

        def show(done: int, of: int) -> None:
            status.update(lines(f"calling {one_line(call)}: {done:,} of {of:,} inputs"))

        result = check_function(checked, budget=budget, on_progress=show)
        status.update(lines("looking for what its values follow"))
    if as_json:
        say(report.as_json(result))
    else:
        say(report.details_of(result) if details else report.text_of(result, written))
    if strict and result.holds() and not result.holds(strict=True):
        say("--strict accepts no conventions but those of standard.", err=True)
    return report.exit_code(result, strict=strict)


def _list(source: "Source", call: str | None) -> int:
    """Print the functions of a file, each with the line to type; or that the measure is missing."""
    if call is not None:
        raise BadCall(NO_MEASURE.format(one_line(source.target), one_line(call)))
    from rankproof.check.checking import commands_for  # noqa: PLC0415 - help answers without it

    calls = commands_for(source)
    if not calls:
        raise BadCall(f"{one_line(source.target)} defines no functions.")
    say(f"Functions of {source.target}. Type one of these with the measure that it computes:")
    for name, written in calls.items():
        expression = written or f"{name}({', '.join(_parameters(source, name))})"
        say(f'  rankproof check {source.target} "{expression}" MEASURE{"" if written else "   (complete the call)"}')
    return 0


def _parameters(source: "Source", name: str) -> list[str]:
    known = source.described(name) or {"parameters": []}
    return [f"{parameter['name']}=…" for parameter in known["parameters"] if parameter["required"]]
