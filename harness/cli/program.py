"""The command line: one module of `rankproof.cli` a verb, imported when it is asked for.

Exit codes: 0 it holds; 1 something does not hold; 2 usage or bad input; 3 interrupted or incomplete; 4 a fault of rankproof itself.
"""

import os
import re
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

VERBS = {
    "demo": "Write a function and a run to try the first commands on.",
    "run": "Ask every library every case, judge the answers, write results and report.",
    "fingerprint": "Infer the profile that each library follows from its answers, each choice with its witness.",
    "evaluate": "Measure a run against qrels, under named conventions.",
    "explain": "Say why tools differ on your run, and which conventions give a number.",
    "check": "Say which conventions a function of yours follows, and hold it to those it claims.",
    "signature": "Say in words what a signature says, or how two of them differ.",
    "probe": "Say on what a library's answers depend, without knowing the right ones.",
    "report": "Write the results as a site that works from disk.",
    "picture": "Draw which library makes which choice.",
    "badge": "Write a badge: which conventions a library or a function follows, and how many answers prove it.",
    "cite": "Print how rankproof is cited, and a sentence for a paper that says what was computed.",
    "data": "Write what was published as data for programs, each document with its schema.",
    "measures": "List the measures, or say what one is.",
    "axes": "List the choices that implementations make, or say what one is and who makes it how.",
    "profiles": "List the sets of choices that have a name, or say what one is.",
    "libraries": "List the libraries, their versions and what is claimed of them.",
    "env": "List, build and remove the environments in which versions of libraries are observed.",
    "upgrade": "Say what moves where a library goes from one version to another.",
    "cases": "List, show, lint and export the cases.",
    "repro": "Print a script that shows a library's answer to a case and needs only the library.",
    "diff": "Say which answers moved between two results files, and which conventions changed.",
    "sheet": "Write what was observed into a library's sheet.",
}
FAILS, BAD_INPUT = 1, 2


class Verbs(click.Group):
    """Finds a verb's module by its name."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The verbs, in the order of their use."""
        return list(VERBS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"rankproof.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is asked for; of one that there is not, the nearest is told."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            ctx.fail(f"{shortened(args[0])} is no verb; {did_you_mean(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing their modules."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rankproof")
def cli() -> None:
    """The conformance suite of ranking measures.

    Which conventions does an implementation of nDCG, AP or P follow, and what proves it?

    Exit codes: 0 it holds; 1 something does not hold; 2 usage or bad input; 3 interrupted or incomplete; 4 a fault of
    rankproof itself.
    """


def main() -> None:
    """Run a verb; a fault of the input is one line on stderr, never a traceback."""
    try:
        code = _asked()
        sys.stdout.flush()
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # how rich says that nobody reads any more
            _end("", INCOMPLETE)
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - nothing but a line leaves from here
        _end(*_ending(error))
    sys.exit(code if isinstance(code, int) else 0)


def _ending(error: BaseException) -> tuple[str, int]:
    """What is said of an error, and the exit code."""
    code = BAD_INPUT
    match error:
        case click.Abort() | KeyboardInterrupt():
            notes = "; ".join(getattr(error, "__notes__", ()))
            said, code = f"interrupted: {notes}" if notes else INTERRUPTED, INCOMPLETE
        case Incomplete():
            said, code = _with_notes(error), INCOMPLETE
        case click.UsageError():
            said = _usage(error)
        case click.ClickException():
            said = f"rankproof: {message(error.format_message())}"
        case BrokenPipeError():
            said, code = "", INCOMPLETE
        case OSError(filename=None):  # only what names no file was to go to a stream
            said = f"rankproof: not all could be written: {(error.strerror or str(error)).lower()}"
        case MemoryError():
            said, code = "rankproof: there is not memory enough for this", INCOMPLETE
        case Unusable() | OSError():  # what was given, or what the system refuses; every other error is a fault of ours
            said = _with_notes(error)
        case _:
            said, code = f"rankproof: {message(fault_of_ours(error))}", FAULT
    return said, code


def _with_notes(error: BaseException) -> str:
    """What is said of an error, with a line for each note."""
    return "\n".join([f"rankproof: {message(error)}", *getattr(error, "__notes__", ())])


def _asked() -> object:
    """Run what the command line asks for; by hand, as `cli()` would end a broken pipe with exit code 1: "does not hold"."""
    if instruction := os.environ.get("_RANKPROOF_COMPLETE"):
        from click.shell_completion import shell_complete  # noqa: PLC0415 - only a shell asks for it

        return shell_complete(cli, {}, "rankproof", "_RANKPROOF_COMPLETE", instruction)
    try:
        with cli.make_context("rankproof", sys.argv[1:]) as context:
            return cli.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code


def _usage(error: click.UsageError) -> str:
    """What is wrong with what was asked, in one line; help where nothing was asked."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    verb = error.ctx.command_path if error.ctx is not None else "rankproof"
    said = message(error.format_message()).removesuffix(".")
    return f"{verb}: {said}{_taken_by_option(error, said)}; see `{verb} --help`"


def _taken_by_option(error: click.UsageError, said: str) -> str:
    """That results which were given as an argument are given by an option; nothing where they are none."""
    given = re.search(r"unexpected extra argument \((\S+)\)", said)
    params = () if error.ctx is None else error.ctx.command.params
    takes = any("--results" in param.opts for param in params)
    return f": results are given by --results {given[1]}" if takes and given and Path(given[1]).exists() else ""


def fault_of_ours(fault: BaseException) -> str:
    """A fault of rankproof itself: what, and where."""
    frames = traceback.extract_tb(fault.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"this is a fault of rankproof: {type(fault).__name__}{where}: {fault}; please report it with what you asked"


def _end(said: str, code: int) -> NoReturn:
    """Say why it ends here, if anything is to be said, and end; what stdout does not take any more is not told again at exit."""
    if said:
        click.echo(said, err=True)
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
