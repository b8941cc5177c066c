"""`rankproof repro`: a script that needs only the library."""

from pathlib import Path

import click

from rankproof import cases as corpus
from rankproof.cli.cases import path_of
from rankproof.cli.options import Verb, own_adapters
from rankproof.judge.reproduction import script
from rankproof.saying import say
from rankproof.workers.known_libraries import chosen, with_own


@click.command("repro", cls=Verb)
@click.argument("case_id", metavar="CASE")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.argument("measure", required=False)
@click.option("--variant", "variants", multiple=True, help="This variant only.")
@own_adapters
def command(case_id: str, library: str, measure: str | None, variants: tuple[str, ...], adapters: Path | None) -> None:
    """Print a script that shows what LIBRARY answers to CASE, and needs only the library."""
    case = corpus.load(path_of(case_id))
    (found, *_) = chosen((library,), with_own(adapters))
    say(script(case, found, [measure] if measure else case.measures, variants or found.only), nl=False)
