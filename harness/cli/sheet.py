"""`rankproof sheet`: write and update the claim sheet of a library."""

import difflib
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof import cases as corpus
from rankproof.cli import progress
from rankproof.cli.options import own_adapters
from rankproof.cli.program import BAD_INPUT, FAILS
from rankproof.files import publish
from rankproof.history.installed import python_of
from rankproof.judge.runs import Run, judge_all
from rankproof.terminal import say
from rankproof.text import number_of, one_line
from rankproof.workers.known_libraries import Library, adapter_of, chosen, claiming_nothing, faults, usable, with_own
from rankproof.workers.rounds import AskingOptions
from rankproof.workers.sheets import ADAPTERS, BadSheet, load, sheet_path

if TYPE_CHECKING:
    from rankproof.judge.sheet_edits import SheetEdit


@click.group("sheet")
def command() -> None:
    """Write and update claim sheets, which list the conventions and known exceptions of a library.

    \b
    rankproof sheet new mylib --adapters my_adapters
    rankproof sheet update mylib --adapters my_adapters
    """


@command.command("update")
@click.argument("library", metavar="LIBRARY[/VARIANT]")
@click.option("-n", "--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@own_adapters
def update(library: str, adapters: Path | None, *, dry_run: bool) -> int:
    """Update the exceptions in the sheet of LIBRARY.

    LIBRARY is the name or a glob of libraries or variants. They run on the whole corpus. Unexplained values are added
    to the sheet, and exceptions that no longer occur are removed. New and changed exceptions are grouped by topic.
    Fill in their reasons: rankproof refuses a sheet with an empty reason. Comments and valid exceptions are
    unchanged.

    \b
    rankproof sheet update sklearn --dry-run

    \b
    Exit codes
      0  the sheet is complete
      1  a reason is missing, or (with --dry-run) something would change
      2  bad usage or input
    """
    from rankproof.judge.sheet_edits import planned

    # This command writes sheets with empty reasons, so it must also read them.
    named = chosen((library,), with_own(adapters, draft=True))
    for fault in faults(named):
        say(one_line(fault), err=True)
    if not (libraries := usable(named)):
        return BAD_INPUT
    run = _run(libraries)
    is_to_do = len(libraries) < len(named)
    for known, answers in zip(libraries, run.answers, strict=True):
        plan = planned(known.sheet, run.rows, answers.installation.others)
        differs = plan.after != plan.before
        if dry_run:
            say(_difference(known, plan), nl=False)
        elif differs:
            publish(known.sheet.path, plan.after)
        counts = ("added", plan.added), ("removed", plan.removed), ("kept", plan.kept)
        say(f"{known.sheet.path}: " + ", ".join(f"{count} {what}" for what, count in counts))
        is_to_do |= differs if dry_run else _is_incomplete(known)
    return FAILS if is_to_do else 0


@command.command("new")
@click.argument("library")
@click.option(
    "--command",
    "spelled",
    metavar="TEXT",
    help="The command that starts the adapter, if it is not <LIBRARY>_adapter.py.",
)
@own_adapters
def new(library: str, spelled: str | None, adapters: Path | None) -> int:
    """Write the first sheet of LIBRARY from its values on the corpus.

    \b
    rankproof sheet new mylib --adapters my_adapters
    rankproof sheet new mylib --adapters my_adapters --command 'node {here}/mylib.js'
    rankproof sheet new mylib --adapters my_adapters --command '/path/to/python {here}/mylib_adapter.py'

    The profile of each variant is inferred from its values. Values that no profile explains become exceptions with empty reasons. Fill in
    the reasons, the title, the homepage and the issues. An existing sheet is overwritten only if it has no claims yet.

    Exit code 0: the sheet is complete. Exit code 1: a reason is missing. Exit code 2: bad usage or input.
    """
    from rankproof.judge.first_sheets import first_sheet, observed_of

    folder = adapters or ADAPTERS
    path = sheet_path(library, folder)
    begun = load(path, draft=True) if path.exists() else None
    if begun is not None and (begun.profiles or begun.precisions or begun.pins):
        raise BadSheet(f"{path} already exists. To update it, type `rankproof sheet update {library}`")
    sheet = begun or claiming_nothing(library, path, tuple(shlex.split(spelled or "")))
    new_library = Library(library, adapter_of(sheet, folder / f"{library}_adapter.py"), sheet)
    answers = _run([new_library]).answers[0]
    if not answers.installed:
        why = answers.hello.get("not_installed") or answers.hello.get("message")
        raise click.ClickException(f"{library} did not run, so no sheet was written: {why}")
    cases = corpus.load_all()
    fingerprints = progress.infer_fingerprints(observed_of(answers), {case.id: case for case in cases})
    plan = first_sheet(answers, cases, fingerprints)
    publish(path, plan.after)
    say(f"{path}: {number_of(plan.added, 'exception')}")
    if begun is None:
        say("to do: fill in the title, homepage and issues")
    return int(_is_incomplete(new_library))


def _run(libraries: Sequence[Library]) -> Run:
    """Run libraries on the whole corpus, and judge the values."""
    cases = corpus.load_all()
    interpreters = {library.name: python_of(library) for library in libraries}
    return judge_all(cases, progress.run_all(cases, libraries, AskingOptions(pythons=interpreters)))


def _difference(library: Library, plan: "SheetEdit") -> str:
    name = str(library.sheet.path)
    lines = difflib.unified_diff(plan.before.split("\n"), plan.after.split("\n"), name, name, lineterm="")
    return "".join(f"{line[:1]}{one_line(line[1:])}\n" for line in lines)


def _is_incomplete(library: Library) -> bool:
    """Print the first fault of a sheet, and return whether there is one."""
    try:
        load(library.sheet.path)
    except BadSheet as error:
        say(f"to do: {error}")
        return True
    return False
