"""`rankproof axes`: the choices that implementations make, and which library makes which."""

import json

import click

from rankproof.cli.options import Verb
from rankproof.saying import say


@click.command("axes", cls=Verb)
@click.argument("axis", required=False, metavar="[AXIS[=VALUE]]")
@click.option("--json", "as_json", is_flag=True, help="For programs: all of them.")
def command(axis: str | None, *, as_json: bool) -> None:
    """List the choices (axes) that implementations make, and their values; with AXIS, what each value means and who follows it.

    \b
    rankproof axes
    rankproof axes ties
    rankproof axes ties=worst
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.library_profiles import published  # noqa: PLC0415 - help answers without it
    from rankproof.reference_impl.conventions import axis_named  # noqa: PLC0415
    from rankproof.report import axis_text  # noqa: PLC0415

    if as_json:
        say(json.dumps(axis_text.as_json(), indent=2))
    elif axis is None:
        say("\n".join(axis_text.listing()).rstrip("\n"))
    else:
        name, _, value = axis.partition("=")
        if value:
            axis_named(name).check(value)
        found = [one for forms in published().values() for one in forms]
        say("\n".join(axis_text.details(axis_named(name).name, value, found)))
