"""`rankproof cases`: list, lint, export and reproduce cases."""

import json
from pathlib import Path

import click

from rankproof import cases as corpus
from rankproof.cli.options import as_json, out_file, own_adapters, write
from rankproof.codec import encode
from rankproof.judge.corpus_rules import exported, lint
from rankproof.reference_impl.shown import nearest_of, shortened
from rankproof.terminal import say
from rankproof.text import message, number_of


@click.group("cases")
def command() -> None:
    """List, lint, export and reproduce cases. `rankproof show CASE` prints one case.

    \b
    rankproof cases list ties
    rankproof show ties/below-cutoff
    """


@command.command("list")
@click.argument("globs", nargs=-1, metavar="[TOPIC|GLOB]...")
@click.option("-t", "--tag", "tags", multiple=True, help="Only cases with this tag.")
@as_json
def list_(globs: tuple[str, ...], tags: tuple[str, ...], *, as_json: bool) -> None:
    """List cases with their titles. TOPIC or GLOB selects cases by id.

    \b
    rankproof cases list ties
    rankproof cases list 'ties/below*' --json
    """
    every = corpus.load_all()
    cases = [case for case in every if corpus.matches(case.id, globs) and set(tags) <= set(case.tags)]
    if not cases:
        topics = ", ".join(dict.fromkeys(case.id.partition("/")[0] for case in every))
        raise corpus.BadCase(f"No case matches {shortened(' '.join([*globs, *tags]))}. Topics: {topics}.")
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
    """Check case files, or the whole corpus without FILE.

    The checks cover form, title, measures, conventions, arithmetic and excluded conventions. Exit code 1: a case has
    a fault.

    \b
    rankproof cases lint my_case.toml
    """
    linted = lint(list(paths) or corpus.files())
    for fault in linted.faults:
        say(message(fault))
    counts = (linted.cases, "case"), (linted.expectations, "expected value"), (len(linted.faults), "fault")
    say(", ".join(number_of(number, what) for number, what in counts), err=True)
    return int(bool(linted.faults))


@command.command()
@out_file
def export(out: Path | None) -> None:
    """Export all cases as one JSON document. Programs in cases/runners/ run it in four languages.

    \b
    rankproof cases export -o cases.json
    """
    write(out, json.dumps(exported(), indent=1) + "\n")


@command.command("repro")
@click.argument("case_id", metavar="CASE")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.argument("measure", required=False)
@own_adapters
def repro(case_id: str, library: str, measure: str | None, adapters: Path | None) -> None:
    """Print a script that runs LIBRARY on CASE. It needs only the library.

    \b
    rankproof cases repro ties/below-cutoff sklearn > repro.py
    """
    from rankproof.judge.reproduction import script
    from rankproof.workers.known_libraries import chosen, with_own

    if not _is_case(case_id) and _is_case(library):
        case_id, library = library, case_id
    if not _is_case(case_id):
        near = nearest_of(case_id, [f"{path.parent.name}/{path.stem}" for path in corpus.files()])
        hint = f"Did you mean {near}?" if near else "`rankproof cases list` lists all cases."
        raise corpus.BadCase(f"Unknown case {shortened(case_id)!r}. {hint}")
    case = corpus.load(corpus.HERE / f"{case_id}.toml")
    (known, *_) = chosen((library,), with_own(adapters))
    say(script(case, known, [measure] if measure else case.measures, known.only), nl=False)


def _is_case(name: str) -> bool:
    return corpus.HERE / f"{name}.toml" in corpus.files()
