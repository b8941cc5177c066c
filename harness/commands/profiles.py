"""`rankproof profiles`: the sets of conventions that have a name, and those of the libraries."""

import json

import click

from rankproof.saying import say


@click.command("profiles")
@click.argument("profile", required=False)
@click.option("--json", "as_json", is_flag=True, help="For programs: all of them.")
def command(profile: str | None, *, as_json: bool) -> None:
    """List the profiles; with PROFILE (trec_eval-9, sklearn/rows), each choice that it makes otherwise than `standard`.

    \b
    rankproof profiles
    rankproof profiles trec_eval-9
    rankproof profiles sklearn/rows
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.asking.subjects import names_of  # noqa: PLC0415 - help answers without it
    from rankproof.evaluating.library_profiles import held_out, profile_named, published, subject_named  # noqa: PLC0415
    from rankproof.telling import profile_text  # noqa: PLC0415

    called = names_of(published())
    libraries = {called[subject]: (subject, forms) for subject, forms in published().items()}
    if as_json:
        say(json.dumps(profile_text.as_json(libraries), indent=2))
    elif profile is None:
        say("\n".join(profile_text.listing(libraries, held_out())))
    else:
        found = profile_named(profile)
        held = held_out().get(subject_named(profile).signed) if found.whose and profile == profile.split()[0] else None
        say("\n".join(profile_text.details(profile, found, held)))
