"""`rankproof check`: find the measure and conventions of the user's function."""

import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.check.call import BadCall
from rankproof.check.ingredients import INGREDIENTS
from rankproof.cli.options import as_json, details, limits, seconds_of
from rankproof.terminal import lines, say
from rankproof.text import one_line

if TYPE_CHECKING:
    from rankproof.check.source import Source

DECLARATION = """\
[[tool.rankproof.check]]
file = "metrics.py"
call = "ndcg(rels, k)"
measure = "nDCG@10"
"""
NO_MEASURE = 'The measure is missing. Type, for example\n  rankproof check {} "{}" nDCG@10'


def ingredients_help() -> str:
    """Return the table of ingredients for the help text."""
    rows = []
    for of_all, title in ((False, "one query"), (True, "all queries (evaluated once per case)")):
        rows.append(f"Ingredients of {title}:")
        rows += [f"  {own.name:<13} {own.text}" for own in INGREDIENTS.values() if own.of_all is of_all]
    return "\n".join(rows)


@click.command("check")
@click.argument("target", metavar="FILE", required=False)
@click.argument("call", metavar="CALL", required=False)
@click.argument("measure", metavar="MEASURE", required=False)
@click.option("--profile", metavar="PROFILE", help="Conventions to follow, such as 'standard ties=input'.")
@click.option("--declared", is_flag=True, help="Check the functions declared in pyproject.toml.")
@click.option("--strict", is_flag=True, help="Accept only the conventions of standard.")
@limits(5)
@click.option("--budget", type=float, callback=seconds_of, default=120, help="Seconds for all calls [120].")
@details
@as_json
def command(
    *,
    target: str | None,
    call: str | None,
    measure: str | None,
    profile: str | None,
    declared: bool,
    strict: bool,
    timeout: float,
    memory: int,
    budget: float,
    details: bool,
    as_json: bool,
) -> int:
    """Check which measure and conventions your function computes.

    \b
    rankproof check metrics.py "ndcg([g > 0 for g in rels], k)" nDCG@10
    rankproof check metrics.py            list the functions and their calls

    FILE is a Python file or module, with :NAME for a class or object in it.
    CALL is a Python expression that uses the ingredients below.

    \b
    INGREDIENTS

    Exit codes: 0 (it computes the measure), 1 (it does not), 2 (it cannot be called), 3 (the time ran out).
    """
    from rich.console import Console

    from rankproof.check.checking import NoNumber, check_function, prepare
    from rankproof.check.source import Source
    from rankproof.report import check as report
    from rankproof.workers.function_worker import Limits

    if declared and (target or profile or strict or details or as_json):
        raise click.UsageError("--declared takes all options from pyproject.toml. Type `rankproof check --declared`.")
    if not declared and target is None:
        raise click.UsageError("Missing argument 'FILE'")
    if target is None:
        return _check_declared(Path())
    if call is not None and measure is None:
        say(NO_MEASURE.format(one_line(target), one_line(call)), err=True)
        return 2
    source = Source(target, limits=Limits(question=timeout, memory=memory).within(budget))
    try:
        if call is None or measure is None:
            return _list(source)
        checked = prepare(source, call, measure, profile)
        with Console(file=sys.stderr).status(lines(f"calling {one_line(call)}")) as status:

            def show(done: int, of: int) -> None:
                status.update(lines(f"calling {one_line(call)}: {done:,} of {of:,} inputs"))

            result = check_function(checked, budget=budget, on_progress=show)
    except BadCall as error:
        say(report.no_number_text(error) if isinstance(error, NoNumber) else str(error), err=True)
        return 2
    finally:
        source.close()
    written = checked.call.text if checked.call is not None and checked.call.text != call else ""
    if as_json:
        say(report.as_json(result))
    else:
        say(report.details_of(result) if details else report.text_of(result, written))
    if strict and result.holds() and not result.holds(strict=True):
        say("--strict accepts only the conventions of standard.", err=True)
    return report.exit_code(result, strict=strict)


command.help = inspect.cleandoc(command.help or "").replace("INGREDIENTS", ingredients_help())


def _check_declared(project: Path) -> int:
    """Check the declared functions of a project; a project without declarations passes."""
    from rich.console import Console

    from rankproof.declarations import declared_in, failure_of

    all_declared = declared_in(project)
    if not all_declared:
        say(f"pyproject.toml does not declare a function. Declare one, for example:\n\n{DECLARATION}")
    sys.path.insert(0, str(project.resolve()))
    failed = 0
    for declaration in all_declared:
        with Console(file=sys.stderr).status(lines(f"calling {one_line(declaration.name)}")):
            why = failure_of(declaration, project)
        say(f"{'fails' if why else 'holds'}  {one_line(declaration.name)}")
        if why:
            say(why)
        failed += bool(why)
    return int(failed > 0)


def _list(source: "Source") -> int:
    """Print a command line for each function of a file."""
    from rankproof.check.checking import commands_for

    calls = commands_for(source)
    if not calls:
        raise BadCall(f"{one_line(source.target)} defines no functions.")
    say(f"Functions of {source.target}. Run a line with a measure in place of MEASURE:")
    for name, written in calls.items():
        parameters = (source.described(name) or {"parameters": []})["parameters"]
        missing = ", ".join(f"{own['name']}=…" for own in parameters if own["required"])
        expression = written or f"{name}({missing})"
        say(f'  rankproof check {source.target} "{expression}" MEASURE{"" if written else "   (complete the call)"}')
    return 0
