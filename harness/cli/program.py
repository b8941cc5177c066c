"""Command line: the group of commands, error messages and exit codes."""

import os
import shlex
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from rankproof.interruption import FAULT, INCOMPLETE, INTERRUPTED, Incomplete
from rankproof.reference_impl.shown import did_you_mean, shortened
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import message
from rankproof.version import VERSION

GROUPS = {
    "Your function and your numbers": {
        "check": "Test which conventions your function follows.",
        "explain": "Explain why tools give different values for one run.",
        "evaluate": "Evaluate runs under named conventions.",
        "show": "Show a measure, axis, profile, library, case or signature.",
        "demo": "Write example files to try the first commands.",
    },
    "Libraries": {
        "run": "Run every library on every case and test its claims.",
        "diff": "Compare two results: which values and conventions changed.",
        "upgrade": "Show which values change between two versions of a library.",
        "env": "List, build and remove environments of library versions.",
        "sheet": "Write and update the claim sheets of libraries.",
    },
    "Corpus and reports": {
        "cases": "List, lint, export and reproduce cases.",
        "report": "Write the site, public data, badges, pictures and citations.",
    },
}
VERBS = [verb for verbs in GROUPS.values() for verb in verbs]
LISTS = ("axes", "measures", "profiles", "libraries")
OLD = {
    **dict.fromkeys(("fingerprint", "signature", *LISTS), "show"),
    **{verb: f"report {verb}" for verb in ("badge", "cite", "data", "picture")},
    "repro": "cases repro",
    "probe": "run --probe",
    "bisect": "upgrade",
}
"""Former verb -> the command that replaces it."""
FAILS, BAD_INPUT = 1, 2


class Verbs(click.Group):
    """Click group of all commands. The module of a command is imported when it is used."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return VERBS

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with a name, or None."""
        if cmd_name not in VERBS:
            return None
        of_changes = cmd_name in {"diff", "upgrade"}
        module = import_module(f"rankproof.cli.{'changes' if of_changes else cmd_name}")
        command: click.Command = getattr(module, cmd_name if of_changes else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a command line.

        Raises:
            ClickException: the command was replaced; the message has the new command.
            UsageError: the command is unknown.
        """
        verb, *rest = args
        if verb in OLD:
            listed = [verb] if verb in LISTS and not rest else rest
            raise click.ClickException(
                f"{verb} was replaced: type `{shlex.join(['rankproof', *OLD[verb].split(), *listed])}`"
            )
        if not verb.startswith("-") and verb not in VERBS:
            ctx.fail(f"unknown command {shortened(verb)}; {did_you_mean(verb, VERBS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands without importing their modules."""
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([*verbs.items()])


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rankproof")
def cli() -> None:
    """Test which conventions implementations of nDCG, AP, P and other ranking measures follow.

    \b
    rankproof check metrics.py "ndcg(rels, k)" nDCG@10
    rankproof explain qrels.txt run.txt nDCG@10

    \b
    Exit codes
      0  everything holds
      1  something does not hold
      2  bad usage or input
      3  interrupted or incomplete
      4  an error in rankproof
    """


def main() -> None:
    """Run the command line. Errors are printed on stderr without a traceback."""
    try:
        code = run_verb()
        sys.stdout.flush()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # rich ends a broken pipe this way
            _end("", INCOMPLETE)
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error becomes a line
        _end(*_ending(error))
    sys.exit(code if isinstance(code, int) else 0)


def _ending(error: BaseException) -> tuple[str, int]:
    """Return the message of an error and the exit code."""
    code = BAD_INPUT
    if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps errors in __set_name__
        error = error.__cause__
    match error:
        case click.Abort() | KeyboardInterrupt():
            notes = "; ".join(getattr(error, "__notes__", ()))
            text, code = f"interrupted: {notes}" if notes else INTERRUPTED, INCOMPLETE
        case Incomplete():
            text, code = _with_notes(error), INCOMPLETE
        case click.UsageError():
            text = _usage(error)
        case click.ClickException():
            text = f"rankproof: {message(error.format_message())}"
        case BrokenPipeError():
            text, code = "", INCOMPLETE
        case OSError(filename=None):  # an error without a file is one of a stream
            text = f"rankproof: the output was not written completely: {(error.strerror or str(error)).lower()}"
        case MemoryError():
            text, code = "rankproof: not enough memory", INCOMPLETE
        case Unusable() | OSError():  # bad input; every other error is one of rankproof
            text = _with_notes(error)
        case _:
            text, code = f"rankproof: {message(fault_of_ours(error))}", FAULT
    return text, code


def _with_notes(error: BaseException) -> str:
    return "\n".join([f"rankproof: {message(error)}", *getattr(error, "__notes__", ())])


def run_verb() -> object:
    """Run the command and return its exit code. click's own runner would exit with 1 after a broken pipe."""
    if instruction := os.environ.get("_RANKPROOF_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "rankproof", "_RANKPROOF_COMPLETE", instruction)
    try:
        with cli.make_context("rankproof", sys.argv[1:]) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code


def _usage(error: click.UsageError) -> str:
    """Return a usage error on one line, or the help if there are no arguments."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    verb = error.ctx.command_path if error.ctx is not None else "rankproof"
    return f"{verb}: {message(error.format_message()).removesuffix('.')}; see `{verb} --help`"


def fault_of_ours(fault: BaseException) -> str:
    """Return the message for an error in rankproof, with its place in the code."""
    frames = traceback.extract_tb(fault.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"error in rankproof: {type(fault).__name__}{where}: {fault}; please report it with the command"


def _end(text: str, code: int) -> NoReturn:
    """Print a message and exit. A broken stdout is replaced, so that it is not flushed again at exit."""
    if text:
        click.echo(text, err=True)
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
