"""The command line: one module of `rankproof.commands` a verb, imported when it is asked for.

Exit codes: 0 it holds; 1 something does not hold; 2 usage or bad input; 3 interrupted or incomplete.
"""

import sys
from importlib import import_module

import click

from rankproof.text import one_line
from rankproof.version import VERSION

VERBS = {
    "run": "Ask every library every case, judge the answers, write results and report.",
    "fingerprint": "Infer the profile that each library follows from its answers, each choice with its witness.",
    "evaluate": "Measure a run against qrels, under named conventions.",
    "check": "Say which conventions a function of yours follows, and hold it to those it claims.",
    "signature": "Say in words what a signature says, or how two of them differ.",
    "probe": "Say on what a library's answers depend, without knowing the right ones.",
    "report": "Write the results as a site that works from disk.",
    "libraries": "List the libraries, their versions and what is claimed of them.",
    "cases": "List, show, lint and export the cases.",
    "repro": "Print a script that shows a library's answer to a case and needs only the library.",
    "diff": "Say which answers moved between two results files, and by which convention.",
    "sheet": "Write what was observed into a library's sheet.",
}
FAILS, BAD_INPUT, INCOMPLETE = 1, 2, 3


class Verbs(click.Group):
    """Finds a verb's module by its name."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The verbs, in the order of their use."""
        return list(VERBS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"rankproof.commands.{cmd_name}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing their modules."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rankproof")
def cli() -> None:
    """The conformance suite of ranking measures.

    Which conventions does an implementation of nDCG, AP or P follow, and what proves it?

    Exit codes: 0 it holds; 1 something does not hold; 2 usage or bad input; 3 interrupted or incomplete.
    """


def main() -> None:
    """Run a verb; a fault of the input is one line on stderr, never a traceback."""
    from rankproof.interruption import all_as_by_hand  # noqa: PLC0415 - nobody but a command line takes signals

    all_as_by_hand()
    try:
        code = cli(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(BAD_INPUT)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD_INPUT)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: nothing was published", err=True)
        sys.exit(INCOMPLETE)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(INCOMPLETE)
    except (ValueError, OSError) as error:
        # Every error of ours is a ValueError named as a fact; its message names file, line and mend.
        click.echo(f"rankproof: {one_line(str(error))}", err=True)
        sys.exit(BAD_INPUT)
    sys.exit(code if isinstance(code, int) else 0)
