"""`rankproof diff`: what moved between two results files."""

import json
from pathlib import Path

import click

from rankproof.cli.options import Verb
from rankproof.saying import say
from rankproof.text import one_line


@click.command("diff", cls=Verb)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--markdown", "form", flag_value="markdown", help="Write a comment for a pull request.")
@click.option("--json", "form", flag_value="json", help="Write JSON.")
@click.option("-a", "--all", "whole", is_flag=True, help="Show every answer below its group.")
@click.option(
    "-l",
    "--library",
    default="*",
    metavar="GLOB",
    help="Compare these libraries only, or these variants (LIBRARY/VARIANT).",
)
@click.option("-m", "--measure", default="*", help="Compare this measure only, as in nDCG or nDCG@10.")
def command(old: Path, new: Path, form: str | None, *, whole: bool, library: str, measure: str) -> int:
    """Say which answers moved from OLD to NEW, by how much, and which conventions changed.

    OLD and NEW are directories that `rankproof run` wrote its results into, or single files of such a directory.

    An answer moved if its value, error or verdict is another one, and is newly failing if it fails and did not. It is lost if NEW asked the
    question and the library or variant is not there any more; gone if NEW did not ask; new if OLD did not. It is fixed if it failed and
    holds now; worded otherwise if it is an error of the same type. The conventions before and after are inferred from all values of a
    measure, as `rankproof show LIBRARY` does.

    Exit codes: 0 nothing moved (answers may be new, gone or fixed); 1 something moved, is lost or newly failing; 2 usage or bad input.
    """
    from rankproof.history.answer_changes import compared  # noqa: PLC0415 - help answers without what follows
    from rankproof.history.causes import Causes, Profiles  # noqa: PLC0415
    from rankproof.history.change_groups import groups_of_files  # noqa: PLC0415
    from rankproof.judge.results_file import load  # noqa: PLC0415
    from rankproof.report.diff_text import as_json, as_markdown, as_text  # noqa: PLC0415

    drift = compared(load(old), load(new), library, measure)
    groups = groups_of_files(drift, Causes(Profiles(drift.old), Profiles(drift.new)))
    if form == "json":
        say(json.dumps(as_json(drift, groups), indent=1))
    elif form == "markdown":
        say(as_markdown(drift, groups), nl=False)
    else:
        for line in as_text(drift, groups, whole=whole):
            say(" " * (len(line) - len(line.lstrip())) + one_line(line))
    return int(drift.moved)
