"""`rankproof profiles`: the sets of conventions that have a name, those of the libraries, and those that were read in sources."""

import json

import click

from rankproof.cli.options import Verb
from rankproof.saying import say


@click.command("profiles", cls=Verb)
@click.argument("profile", required=False)
@click.option("--json", "as_json", is_flag=True, help="For programs: all of them.")
def command(profile: str | None, *, as_json: bool) -> None:
    """List the profiles; with PROFILE (trec_eval-9, sklearn/rows), each choice that it makes otherwise than `standard`.

    \b
    rankproof profiles
    rankproof profiles trec_eval-9
    rankproof profiles sklearn/rows
    rankproof profiles elasticsearch
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.evaluate.library_profiles import held_out, is_published, profile_named, published, subject_named  # noqa: PLC0415
    from rankproof.evaluate.read_profiles import read_tools, tool_of  # noqa: PLC0415
    from rankproof.report import profile_text  # noqa: PLC0415
    from rankproof.workers.subjects import names_of  # noqa: PLC0415 - help answers without it

    called = names_of(published())
    libraries = {called[subject]: (subject, forms) for subject, forms in published().items()}
    if as_json:
        say(json.dumps(profile_text.as_json(libraries, read_tools()), indent=2))
    elif profile is None:
        say("\n".join(profile_text.listing(libraries, held_out(), read_tools())))
    else:
        name, found = profile.strip().partition(" ")[0], profile_named(profile)
        tool = None if is_published(name) else tool_of(name)
        is_library = found.whose and profile == name and tool is None
        held = held_out().get(subject_named(profile).signed) if is_library else None
        say("\n".join(profile_text.details(profile, found, held, tool)))
