"""`rankproof badge`: which conventions a library or a function follows, as a badge."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb
from rankproof.files import publish
from rankproof.saying import say

if TYPE_CHECKING:
    from rankproof.report.badges import Badge


@click.command("badge", cls=Verb)
@click.argument("library", required=False)
@click.option("-m", "--measure", default="nDCG@10", show_default=True, help="The measure of the library.")
@click.option(
    "--check",
    "checked",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Make the badge of a function, from the output of `rankproof check --json`.",
)
@click.option("--svg", is_flag=True, help="Write a picture instead of JSON for shields' endpoint.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="The file to write; stdout without it."
)
def command(library: str | None, measure: str, checked: Path | None, out: Path | None, *, svg: bool) -> None:
    """Write a badge that says which conventions LIBRARY (LIBRARY/VARIANT), or a function, follows, and how many answers prove it.

    \b
    rankproof badge sklearn/rows --svg --out badge.svg
    rankproof check mymetrics.py "ndcg(rels, k)" nDCG@10 --json > check.json; rankproof badge --check check.json
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.report import badges  # noqa: PLC0415 - help answers without it

    if (library is None) == (checked is None):
        raise click.UsageError("name a library, or a function's answers by --check, and not both")
    badge = _of_library(library, measure) if library is not None else _of_check(checked)
    text = badges.svg(badge) if svg else json.dumps(badges.as_endpoint(badge), indent=1, ensure_ascii=False) + "\n"
    if out is None:
        say(text, nl=False)
    else:
        publish(out, text)


def _of_library(name: str, measure: str) -> "Badge":
    from rankproof.evaluate.library_profiles import published, subject_named  # noqa: PLC0415 - as above
    from rankproof.measure_forms import key_of  # noqa: PLC0415
    from rankproof.reference_impl.notation import parse  # noqa: PLC0415
    from rankproof.report.badges import NoBadge, of_library  # noqa: PLC0415

    key = key_of(parse(measure))
    forms = {one.key: one for one in published()[subject_named(name)]}
    if key not in forms:
        raise NoBadge(f"{name} does not answer {key}; it answers {', '.join(forms)}")
    return of_library(forms[key])


def _of_check(path: Path | None) -> "Badge":
    from rankproof.documents import BadDocument, json_in, text_of  # noqa: PLC0415 - as above
    from rankproof.report.badges import NoBadge, of_check  # noqa: PLC0415

    try:
        told = json_in(text_of(path)) if path is not None else None
    except BadDocument as error:
        raise NoBadge(f"{path}:{error.line}: {error}; it must be the output of `rankproof check --json`") from error
    if not isinstance(told, dict) or not {"measure", "holds", "profile", "explained", "values"} <= told.keys():
        raise NoBadge(f"{path} is not the output of `rankproof check --json`")
    return of_check(told)
