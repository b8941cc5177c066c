"""`rankproof picture`: the matrix of libraries and choices as a picture."""

from pathlib import Path

import click

from rankproof.cli.options import Verb
from rankproof.files import publish
from rankproof.saying import say


@click.command("picture", cls=Verb)
@click.option(
    "-m", "--measure", default="nDCG@10", show_default=True, help="Draw who makes which choice for this measure."
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="The file to write; stdout without it."
)
@click.option("--dark", is_flag=True, help="For a dark page.")
def command(measure: str, out: Path | None, *, dark: bool) -> None:
    """Draw which library makes which choice, by the published run, as SVG.

    \b
    rankproof picture --measure AP --out ap.svg
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.library_profiles import published, published_document  # noqa: PLC0415 - help answers without it
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415
    from rankproof.report.choice_matrix import matrix  # noqa: PLC0415
    from rankproof.report.matrix_picture import svg  # noqa: PLC0415

    found = matrix(parse(measure), [one for forms in published().values() for one in forms])
    text = svg(found, published_document()["rankproof"], dark=dark)
    if out is None:
        say(text, nl=False)
    else:
        publish(out, text)
