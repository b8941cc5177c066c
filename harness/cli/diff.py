"""`rankproof diff`: what changed between two results."""

from pathlib import Path

import click

from rankproof.cli.options import Verb
from rankproof.saying import say


@click.command("diff", cls=Verb)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--markdown", "form", flag_value="markdown", help="Print a comment for a pull request.")
@click.option("--json", "form", flag_value="json", help="Print all facts as JSON.")
@click.option("--details", is_flag=True, help="Print every change with every value.")
@click.option("-l", "--library", default="*", metavar="GLOB", help="Compare these libraries or variants only.")
@click.option("-m", "--measure", default="*", help="Compare this measure only, such as nDCG or nDCG@10.")
def command(old: Path, new: Path, form: str | None, *, details: bool, library: str, measure: str) -> int:
    """Show which values changed from OLD to NEW, and which conventions caused it.

    OLD and NEW are folders that `rankproof run` wrote its results into, or single files of such a folder.

    A value moved if it, its error or its verdict is another one. It is newly failing if it fails and did not before, lost if NEW ran the
    case but not the library or variant, gone if NEW did not run the case, and new if OLD did not. It is fixed if it failed and holds now.

    Exit codes: 0 nothing moved (values may be new, gone or fixed); 1 values moved, are lost or newly failing; 2 bad usage or input.
    """
    from rankproof.history.answer_changes import compared  # noqa: PLC0415 - help answers without what follows
    from rankproof.history.causes import Causes, Profiles  # noqa: PLC0415
    from rankproof.history.change_groups import groups_of_files  # noqa: PLC0415
    from rankproof.judge.results_file import load  # noqa: PLC0415
    from rankproof.report import diff as report  # noqa: PLC0415

    drift = compared(load(old), load(new), library, measure)
    groups = groups_of_files(drift, Causes(Profiles(drift.old), Profiles(drift.new)))
    if form == "json":
        say(report.as_json(drift, groups))
    elif form == "markdown":
        say(report.as_markdown(drift, groups), nl=False)
    else:
        say(report.text_of(drift, groups, details=details))
    return int(drift.moved)
