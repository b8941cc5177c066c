"""`rankproof upgrade`: what moves where a library goes from one version to another."""

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb, limits_of_worker, own_adapters, room_of_environments, version_in
from rankproof.interruption import INCOMPLETE
from rankproof.saying import say, say_folded

if TYPE_CHECKING:
    from rankproof.history.upgrades import Upgrade
    from rankproof.report.upgrade_text import Moved
    from rankproof.workers.known_libraries import Library
    from rankproof.workers.rounds import AskingOptions


@click.command("upgrade", cls=Verb)
@click.argument("library", required=False)
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option(
    "--requirements",
    nargs=2,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="OLD NEW",
    help="Take the versions from two files that pin them: requirements.txt, uv.lock, poetry.lock, pylock.toml.",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="The folder of the pyproject.toml that declares functions; the current one if nothing is said.",
)
@click.option("--fresh", is_flag=True, help="Ask both versions now, also where what moves was published.")
@click.option("--markdown", "form", flag_value="markdown", help="Write a comment for a pull request.")
@click.option("--json", "form", flag_value="json", help="Write JSON.")
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@room_of_environments
@limits_of_worker
@own_adapters
def command(  # noqa: PLR0913 - one for each option
    *,
    library: str | None,
    old: str | None,
    new: str | None,
    requirements: tuple[Path, Path] | None,
    project: Path,
    fresh: bool,
    form: str | None,
    at_once: int,
    room: int,
    timeout: float,
    memory: int,
    adapters: Path | None,
) -> int:
    """Say what moves where LIBRARY goes from version OLD to NEW, in words and with the answer that shows it.

    What was published of these versions answers at once; else both are asked now, each in an environment of its own. With --requirements
    all libraries are looked at that two files pin to different versions. The functions that the project declares and that may be touched
    are named.

    Exit codes: 0 nothing moves; 1 something does; 2 usage or bad input; 3 a version could not be asked.
    """
    from rankproof.history.upgrades import touched_functions  # noqa: PLC0415
    from rankproof.report.upgrade_text import as_json, as_markdown, lines_of_functions, lines_of_upgrade  # noqa: PLC0415
    from rankproof.workers.known_libraries import with_own  # noqa: PLC0415 - help answers without what follows
    from rankproof.workers.rounds import AskingOptions  # noqa: PLC0415

    upgrades = _upgrades(library, old, new, requirements, with_own(adapters))
    asking = AskingOptions(at_once, timeout, memory=memory)
    found = [_moved(upgrade, asking, room, fresh=fresh) for upgrade in upgrades]
    touched = touched_functions(project, [moved.upgrade for moved in found if moved.count or moved.why_not])
    if form == "json":
        say(json.dumps(as_json(found, touched), indent=1))
    elif form == "markdown":
        say(as_markdown(found, touched), nl=False)
    else:
        lines = [line for moved in found for line in lines_of_upgrade(moved)]
        for line in [*lines, *lines_of_functions(touched)] or ["no library that rankproof knows differs between them"]:
            say_folded(line)
    if any(moved.why_not for moved in found):
        return INCOMPLETE
    return int(any(moved.count for moved in found))


def _upgrades(
    library: str | None,
    old: str | None,
    new: str | None,
    requirements: tuple[Path, Path] | None,
    libraries: "list[Library]",
) -> "list[Upgrade]":
    from rankproof.history.upgrades import Upgrade, pinned_in, upgrades_between  # noqa: PLC0415 - as above
    from rankproof.workers.known_libraries import library_named  # noqa: PLC0415 - as above

    if requirements is not None:
        if library is not None:
            raise click.UsageError("write LIBRARY OLD NEW, or --requirements OLD NEW, not both")
        before, after = requirements
        return upgrades_between(pinned_in(before), pinned_in(after), libraries)
    if library is None or old is None or new is None:
        raise click.UsageError("write LIBRARY OLD NEW, as in `rankproof upgrade scikit-learn 1.2.2 1.9.1`")
    asked = Upgrade(library_named(library, libraries), old, new)
    for version in (old, new):
        version_in(version)  # what is none is refused
    return [asked]


def _moved(upgrade: "Upgrade", asking: "AskingOptions", room: int, *, fresh: bool) -> "Moved":
    """What was published, or if nothing was, or `fresh` is asked for, what both versions answer now."""
    from rankproof.history.upgrades import published_steps  # noqa: PLC0415 - as above
    from rankproof.judge.published_answers import REPORTS  # noqa: PLC0415 - as above
    from rankproof.report.public_data import past  # noqa: PLC0415 - as above
    from rankproof.report.upgrade_text import Moved  # noqa: PLC0415 - as above

    history = None if fresh else past(REPORTS).get(upgrade.library.name)
    steps = None if history is None else published_steps(history, upgrade)
    return Moved(upgrade, steps) if steps is not None else _asked_now(upgrade, asking, room)


def _asked_now(upgrade: "Upgrade", asking: "AskingOptions", room: int) -> "Moved":
    from rankproof import cases as corpus  # noqa: PLC0415 - as above
    from rankproof.cli.waiting import Observer  # noqa: PLC0415 - as above
    from rankproof.history.history import step_between  # noqa: PLC0415 - as above
    from rankproof.history.plans import plans_of  # noqa: PLC0415 - as above
    from rankproof.history.releases import plan_of, releases_of  # noqa: PLC0415 - as above
    from rankproof.history.upgrades import version_among  # noqa: PLC0415 - as above
    from rankproof.report.history_text import step_as_json  # noqa: PLC0415 - as above
    from rankproof.report.upgrade_text import Moved  # noqa: PLC0415 - as above

    sheet = upgrade.library.sheet
    if sheet.program is None:
        plan_by_version = {str(release.version): plan_of(sheet, release) for release in releases_of(sheet)}
        where = "cannot be had from the registry by an interpreter of this machine"
    else:
        plan_by_version = {plan.version: plan for plan in plans_of(sheet)}
        where = f"is no version of the program that {sheet.path} names under [[environments]]"
    names = [(version, version_among(version, plan_by_version)) for version in (upgrade.old, upgrade.new)]
    if missing := [version for version, name in names if name is None]:
        return Moved(upgrade, (), "observed", f"{' and '.join(dict.fromkeys(missing))} {where}")

    plans = [plan_by_version[name] for _, name in names if name is not None]
    with tempfile.TemporaryDirectory() as folder:
        observer = Observer(upgrade.library, corpus.load_all(), asking, Path(folder), room, whole=True)
        answers = observer.ask(plans)
    old, new = (answers[plan] for plan in plans)
    if isinstance(old, str) or isinstance(new, str):
        return Moved(upgrade, (), "observed", "; ".join(answer for answer in (old, new) if isinstance(answer, str)))
    step = step_between(old, new, sheet)
    return Moved(upgrade, [step_as_json(step)] if step.moves else [], "observed")
