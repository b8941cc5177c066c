"""`rankproof sheet`: write what was observed into a library's sheet."""

import difflib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof import cases as corpus
from rankproof.cli import waiting
from rankproof.cli.options import VerbGroup, own_adapters, pythons_of_workers, say_faults
from rankproof.cli.program import BAD_INPUT, FAILS
from rankproof.history.at_hand import python_of
from rankproof.judge.runs import Run, judge_all
from rankproof.saying import say
from rankproof.text import number_of, one_line
from rankproof.workers.known_libraries import Library, adapter_of, chosen, claiming_nothing, usable, with_own
from rankproof.workers.rounds import AskingOptions
from rankproof.workers.sheets import ADAPTERS, BadSheet, Sheet, load, sheet_path

if TYPE_CHECKING:
    from rankproof.judge.sheet_edits import SheetEdit


@click.group("sheet", cls=VerbGroup)
def command() -> None:
    """Keep sheets up to date."""


@command.command("update")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@pythons_of_workers
@own_adapters
def update(library: str, adapters: Path | None, pythons: dict[str, str], *, dry_run: bool) -> int:
    """Write the unexplained observations of LIBRARY into its sheet, and take out the exceptions that no longer happen.

    LIBRARY is a name or a glob, of libraries or of variants. It is asked the whole corpus, in its environment if it is asked only there.
    What is new gets an entry for each topic, with an empty reason for you to fill in; until then the sheet is refused. So does what moved:
    its old reason stands beside it in a comment. A pin that still fits, a comment, and whatever else stands in the sheet stay as they are.

    Exit codes: 0 the sheet can be used; 1 a reason is still empty, or (with --dry-run) something would change; 2 usage or bad input;
    3 interrupted, and nothing was written.
    """
    from rankproof.files import publish  # noqa: PLC0415 - help answers without what follows
    from rankproof.judge.sheet_edits import planned  # noqa: PLC0415

    # A sheet with empty reasons is what this verb leaves behind, and must be able to work on.
    named = chosen((library,), with_own(adapters, draft=True))
    say_faults(named)
    if not (found := usable(named)):
        return BAD_INPUT
    seen = _asked(found, pythons)
    each = zip(found, seen.asked, strict=True)
    plans = [(one, planned(one.sheet, seen.rows, asked.installation.others)) for one, asked in each]
    for one, plan in plans:
        if dry_run:
            say(_difference(one, plan), nl=False)
        elif plan.after != plan.before:
            publish(one.sheet.path, plan.after)
        say(_told(one, plan))
    if len(found) < len(named):
        return FAILS
    if dry_run:
        return int(any(plan.after != plan.before for _, plan in plans))
    to_do = [one for one in found if _refused(one)]  # each of them is told
    return int(bool(to_do))


@command.command("new")
@click.argument("library")
@click.option(
    "--command", "spelled", metavar="TEXT", help="How its adapter is started, where it is no <LIBRARY>_adapter.py."
)
@pythons_of_workers
@own_adapters
def new(library: str, spelled: str | None, adapters: Path | None, pythons: dict[str, str]) -> int:
    """Write a first sheet of LIBRARY from what its adapter answers to the whole corpus.

    \b
    rankproof sheet new mylib --adapters my_adapters
    rankproof sheet new mylib --adapters my_adapters --command 'node {here}/mylib.js'
    rankproof sheet new mylib --adapters my_adapters --python mylib=/path/to/python

    The profile of each variant is inferred as `rankproof fingerprint` infers it. What no profile explains becomes exceptions with empty
    reasons. Title, homepage and issues are for you to fill in, too. A sheet that is there already is left alone, unless it claims nothing
    yet: then what stands in it is kept, and the library is asked in the environment that it names, if it is asked only there.

    Exit codes: 0 the sheet can be used; 1 a reason is still empty; 2 usage or bad input; 3 interrupted, and nothing was written.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rankproof.files import publish  # noqa: PLC0415 - help answers without what follows
    from rankproof.judge.first_sheets import observed_of, written  # noqa: PLC0415

    folder = adapters or ADAPTERS
    begun = _begun(path := sheet_path(library, folder), library)
    sheet = begun or claiming_nothing(library, path, tuple(shlex.split(spelled or "")))
    one = Library(library, adapter_of(sheet, folder / f"{library}_adapter.py"), sheet)
    asked = _asked([one], pythons).asked[0]
    if not asked.installed:
        why = asked.hello.get("not_installed") or asked.hello.get("message")
        raise click.ClickException(f"{library} cannot be asked, so nothing was written: {why}")
    cases = corpus.load_all()
    fingerprints = waiting.inferred(observed_of(asked), {case.id: case for case in cases})
    plan = written(asked, cases, fingerprints)
    publish(path, plan.after)
    say(f"{path}: {number_of(plan.added, 'exception')}")
    if begun is None:
        say("to do: fill in its title, homepage and issues, which stand there as comments say")
    return int(_refused(one))


def _begun(path: Path, library: str) -> Sheet | None:
    """The sheet that is there and claims nothing yet; None where there is none.

    Raises:
        BadSheet: it claims something, or cannot be read.
    """
    if not path.exists():
        return None
    sheet = load(path, draft=True)
    if sheet.profiles or sheet.precisions or sheet.pins:
        raise BadSheet(f"{path} is there already: `rankproof sheet update {library}` brings it up to date")
    return sheet


def _asked(found: Sequence[Library], pythons: Mapping[str, str]) -> Run:
    """All answers of libraries, each asked by the interpreter that is named, or that has it."""
    cases = corpus.load_all()
    interpreters = {library.name: pythons.get(library.name) or python_of(library) for library in found}
    return judge_all(cases, waiting.asked(cases, found, AskingOptions(pythons=interpreters)))


def _told(one: Library, plan: "SheetEdit") -> str:
    parts = ("added", plan.added), ("moved", plan.moved), ("removed", plan.removed), ("kept", plan.kept)
    return f"{one.sheet.path}: " + ", ".join(f"{count} {what}" for what, count in parts)


def _difference(one: Library, plan: "SheetEdit") -> str:
    name = str(one.sheet.path)
    lines = difflib.unified_diff(plan.before.split("\n"), plan.after.split("\n"), name, name, lineterm="")
    # The indentation of a line is its own: a sign, then text.
    return "".join(f"{line[:1]}{one_line(line[1:])}\n" for line in lines)


def _refused(one: Library) -> bool:
    try:
        load(one.sheet.path)
    except BadSheet as error:
        say(f"to do: {error}")
        return True
    return False
