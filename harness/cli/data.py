"""`rankproof data`: what was published, as data for programs."""

from pathlib import Path

import click

from rankproof.cli.options import Verb
from rankproof.files import check_writable, publish
from rankproof.saying import say


@click.command("data", cls=Verb)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("data"),
    show_default=True,
    help="The folder to write into.",
)
@click.option(
    "--fingerprints",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Of these fingerprints, instead of those of the published run, and without its histories.",
)
@click.option(
    "--history",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With these histories, instead of the published ones: the history.json that `rankproof run --env` wrote.",
)
def command(out: Path, fingerprints: Path | None, history: Path | None) -> None:
    """Write the matrix, the fingerprints, the cases and the histories as JSON, each with its schema."""
    from rankproof.documents import json_in, text_of  # noqa: PLC0415 - help answers without it
    from rankproof.evaluate.library_profiles import published, published_document  # noqa: PLC0415
    from rankproof.inference import fingerprint_file  # noqa: PLC0415
    from rankproof.judge.corpus_rules import exported  # noqa: PLC0415
    from rankproof.judge.published_answers import REPORTS  # noqa: PLC0415
    from rankproof.report import public_data  # noqa: PLC0415

    check_writable(out)
    if fingerprints is None:
        found, document = [one for forms in published().values() for one in forms], published_document()
        history = history or REPORTS / public_data.HISTORY
    else:
        found, document = fingerprint_file.read(fingerprints), json_in(text_of(fingerprints))
    version = document["rankproof"]
    documents = {
        "matrix": public_data.matrices(found, version),
        "fingerprints": document,
        "cases": exported(),
        **({} if history is None else {"history": public_data.history(history, version)}),
    }
    for name, text in public_data.files(documents).items():
        publish(out / name, text)
        say(out / name)
