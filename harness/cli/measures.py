"""`rankproof measures`: what is measured, and all that is to be said of one measure."""

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb
from rankproof.saying import say

if TYPE_CHECKING:
    from rankproof.reference_impl.notation import Measure


@click.command("measures", cls=Verb)
@click.argument("measure", required=False)
@click.option("--json", "as_json", is_flag=True, help="For programs: all of them.")
def command(measure: str | None, *, as_json: bool) -> None:
    """List the measures; with MEASURE (nDCG, P@5), what it is, what it takes, and the choices that can matter to it.

    \b
    rankproof measures
    rankproof measures nDCG@10
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.report import measure_text  # noqa: PLC0415 - help answers without it

    if as_json:
        say(json.dumps(measure_text.as_json(), indent=2))
    elif measure is None:
        say("\n".join(measure_text.listing()))
    else:
        say("\n".join(measure_text.details(_meant(measure))))


def _meant(text: str) -> "Measure":
    """The measure of that name; of one that is none without a cutoff all that is told holds at any."""
    from rankproof.measure_names import measure_called  # noqa: PLC0415 - as above
    from rankproof.reference_impl.notation import UnknownMeasure  # noqa: PLC0415 - as above

    try:
        return measure_called(text)
    except UnknownMeasure:
        for cutoff in ("10", "0.1"):
            with suppress(UnknownMeasure):
                return measure_called(f"{text}@{cutoff}")
        raise
