"""`rankproof measures`: what is measured, and all that is to be said of one measure."""

import json

import click

from rankproof.saying import say


@click.command("measures")
@click.argument("measure", required=False)
@click.option("--json", "as_json", is_flag=True, help="For programs: all of them.")
def command(measure: str | None, *, as_json: bool) -> None:
    """List the measures; with MEASURE (nDCG, P@5), what it is, what it takes, and the choices that can matter to it.

    \b
    rankproof measures
    rankproof measures nDCG@10
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.meaning.measure_forms import named  # noqa: PLC0415 - help answers without it
    from rankproof.meaning.measure_names import measure_called  # noqa: PLC0415 - as above
    from rankproof.reference_impl.measures import MEASURES  # noqa: PLC0415 - as above
    from rankproof.telling import measure_text  # noqa: PLC0415

    if as_json:
        say(json.dumps(measure_text.as_json(), indent=2))
    elif measure is None:
        say("\n".join(measure_text.listing()))
    else:
        needs_one = measure in MEASURES and MEASURES[measure].cutoff in {"required", "recall"}
        say("\n".join(measure_text.details(named(measure) if needs_one else measure_called(measure))))
