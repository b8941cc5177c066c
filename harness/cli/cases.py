"""`rankproof cases`: list, lint, export and reproduce cases."""

import fnmatch
import json
from pathlib import Path

import click

from rankproof import cases as corpus
from rankproof.cli.options import as_json, out_file, own_adapters, write
from rankproof.codec import encode
from rankproof.judge.corpus_rules import exported, lint
from rankproof.terminal import say
from rankproof.text import message, number_of


@click.group("cases")
def command() -> None:
    """List, lint, export and reproduce cases; `rankproof show CASE` shows one."""


@command.command("list")
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("-t", "--tag", "tags", multiple=True, help="Only cases with this tag.")
@as_json
def list_(globs: tuple[str, ...], tags: tuple[str, ...], *, as_json: bool) -> None:
    """List cases: the id and the question of each."""
    cases = [
        case
        for case in corpus.load_all()
        if (not globs or any(fnmatch.fnmatch(case.id, glob) for glob in globs)) and set(tags) <= set(case.tags)
    ]
    if as_json:
        say(encode([{"id": case.id, "question": case.question, "tags": case.tags} for case in cases], indent=2))
        return
    width = max((len(case.id) for case in cases), default=0)
    for case in cases:
        say(f"{case.id:{width}}  {case.question}")
    say(number_of(len(cases), "case"), err=True)


@command.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="[FILE]...")
def lint_(paths: tuple[Path, ...]) -> int:
    """Check the corpus (or these files): form, questions, measures, conventions, arithmetic, and what each case excludes."""
    linted = lint(list(paths) or corpus.files())
    for fault in linted.faults:
        say(message(fault))
    counts = (linted.cases, "case"), (linted.expectations, "expected value"), (len(linted.faults), "fault")
    say(", ".join(number_of(number, what) for number, what in counts), err=True)
    return int(bool(linted.faults))


@command.command()
@out_file
def export(out: Path | None) -> None:
    """Export all cases as one JSON document; cases/runners/ has programs that run it in four languages."""
    write(out, json.dumps(exported(), indent=1) + "\n")


@command.command("repro")
@click.argument("case_id", metavar="CASE")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.argument("measure", required=False)
@own_adapters
def repro(case_id: str, library: str, measure: str | None, adapters: Path | None) -> None:
    """Print a script that runs LIBRARY on CASE and needs only the library."""
    from rankproof.judge.reproduction import script
    from rankproof.workers.known_libraries import chosen, with_own

    path = corpus.HERE / f"{case_id}.toml"
    if path not in corpus.files():
        raise corpus.BadCase(f"{case_id} is no case; `rankproof cases list` shows them")
    case = corpus.load(path)
    (known, *_) = chosen((library,), with_own(adapters))
    say(script(case, known, [measure] if measure else case.measures, known.only), nl=False)
