"""`rankproof cases`: list, show, lint and export the corpus."""

import fnmatch
import json
from pathlib import Path

import click

from rankproof import cases as corpus
from rankproof.cli.options import VerbGroup
from rankproof.judge.corpus_rules import export_schema, exported, lint
from rankproof.saying import say
from rankproof.text import message, number_of


@click.group("cases", cls=VerbGroup)
def command() -> None:
    """List, show, lint and export the cases."""


@command.command("list")
@click.argument("globs", nargs=-1, metavar="[GLOB]…")
@click.option("-t", "--tag", "tags", multiple=True, help="Only cases with this tag.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def list_(globs: tuple[str, ...], tags: tuple[str, ...], *, as_json: bool) -> None:
    """List cases: the id and the question of each."""
    found = [
        case
        for case in corpus.load_all()
        if (not globs or any(fnmatch.fnmatch(case.id, glob) for glob in globs)) and set(tags) <= set(case.tags)
    ]
    if as_json:
        say(json.dumps([{"id": case.id, "question": case.question, "tags": case.tags} for case in found], indent=2))
        return
    width = max((len(case.id) for case in found), default=0)
    for case in found:
        say(f"{case.id:{width}}  {case.question}")
    say(number_of(len(found), "case"), err=True)


@command.command()
@click.argument("case_id", metavar="CASE")
def show(case_id: str) -> None:
    """Show a case as its file has it."""
    click.echo(path_of(case_id).read_text(encoding="utf-8"), nl=False)  # to the letter: it is a file of ours


@command.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="[FILE]…")
def lint_(paths: tuple[Path, ...]) -> int:
    """Hold the corpus (or these files) to its rules: form, questions, measures, conventions, arithmetic, and what each case kills."""
    found = lint(list(paths) or corpus.files())
    for fault in found.faults:
        say(message(fault))
    counts = (found.cases, "case"), (found.expectations, "expected value"), (len(found.faults), "fault")
    say(", ".join(number_of(number, what) for number, what in counts), err=True)
    return 1 if found.faults else 0


@command.command()
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, dir_okay=False), help="The file to write; stdout without it."
)
@click.option("--schema", is_flag=True, help="Write the JSON Schema of the export instead.")
def export(out: Path | None, *, schema: bool) -> None:
    """Export all cases as one JSON document, for programs in any language; cases/runners/ has one each for four of them."""
    text = json.dumps(export_schema() if schema else exported(), indent=1) + "\n"
    if out is None:
        say(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")


def path_of(case_id: str) -> Path:
    """The file of a case.

    Raises:
        BadCase: there is none.
    """
    path = corpus.HERE / f"{case_id}.toml"
    if path not in corpus.files():
        raise corpus.BadCase(f"{case_id} is no case; `rankproof cases list` shows them")
    return path
