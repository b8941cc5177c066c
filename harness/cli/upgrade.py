"""`rankproof upgrade`: which values change between two versions of a library, and in which release."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import Verb, limits_of_worker, own_adapters, room_of_environments, version_in
from rankproof.interruption import INCOMPLETE
from rankproof.saying import say

if TYPE_CHECKING:
    from rankproof.cli.waiting import Observer
    from rankproof.history.plans import Plan
    from rankproof.history.upgrades import Upgrade, UpgradeResult
    from rankproof.workers.known_libraries import Library


@click.command("upgrade", cls=Verb)
@click.argument("library", required=False)
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option(
    "--requirements",
    nargs=2,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="OLD NEW",
    help="Take the versions from two files: requirements.txt, uv.lock, poetry.lock, pylock.toml.",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="The folder of the pyproject.toml that declares your functions [.].",
)
@click.option("--fresh", is_flag=True, help="Run the versions now, even if their differences are published.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a comment for a pull request.")
@click.option("--json", "form", flag_value="json", help="Print all facts as JSON.")
@click.option("--details", is_flag=True, help="Print every change.")
@click.option(
    "-j", "--jobs", "at_once", type=click.IntRange(1), default=2, show_default=True, help="Processes at once."
)
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
    details: bool,
    at_once: int,
    room: int,
    timeout: float,
    memory: int,
    adapters: Path | None,
) -> int:
    """Show which values change from version OLD to NEW of LIBRARY, why, and in which release.

    Published differences are shown at once. Otherwise both versions run now, each in its own environment; if they differ, releases
    between them run until the release of each change is known. Functions that the project declares and that may change are named.

    Exit codes: 0 no value changes; 1 values change; 2 bad usage or input; 3 a version could not be run.
    """
    from rankproof import cases as corpus  # noqa: PLC0415 - help answers without what follows
    from rankproof.cli.waiting import Observer  # noqa: PLC0415
    from rankproof.history.upgrades import touched_functions  # noqa: PLC0415
    from rankproof.report import upgrade as report  # noqa: PLC0415
    from rankproof.workers.known_libraries import with_own  # noqa: PLC0415
    from rankproof.workers.rounds import AskingOptions  # noqa: PLC0415

    upgrades = _upgrades(library, old, new, requirements, with_own(adapters))
    asking = AskingOptions(at_once, timeout, memory=memory)
    results = []
    for upgrade in upgrades:
        result = None if fresh else _published(upgrade)
        if result is None:
            with tempfile.TemporaryDirectory() as folder:
                observer = Observer(upgrade.library, corpus.load_all(), asking, Path(folder), room, whole=True)
                result = _run(upgrade, observer)
        results.append(result)
    changing = [upgrade for upgrade, result in zip(upgrades, results, strict=True) if result.steps or result.why_not]
    touched = touched_functions(project, changing)
    if form == "json":
        say(report.as_json(results, touched))
    elif form == "markdown":
        say(report.as_markdown(results, touched), nl=False)
    else:
        say(report.text_of(results, touched, details=details))
    return INCOMPLETE if any(result.why_not for result in results) else int(any(result.steps for result in results))


def _upgrades(
    library: str | None,
    old: str | None,
    new: str | None,
    requirements: tuple[Path, Path] | None,
    libraries: "list[Library]",
) -> "list[Upgrade]":
    from rankproof.history.upgrades import Upgrade, pinned_in, upgrades_between  # noqa: PLC0415 - as above
    from rankproof.workers.known_libraries import library_named  # noqa: PLC0415 - as above

    if requirements is not None and library is None:
        before, after = requirements
        return upgrades_between(pinned_in(before), pinned_in(after), libraries)
    if requirements is not None or library is None or old is None or new is None:
        raise click.UsageError(
            "Write LIBRARY OLD NEW, such as `rankproof upgrade scikit-learn 1.2.2 1.9.1`, or --requirements OLD NEW."
        )
    for version in (old, new):
        version_in(version)  # raises an error if it is not a version
    return [Upgrade(library_named(library, libraries), old, new)]


def _published(upgrade: "Upgrade") -> "UpgradeResult | None":
    from rankproof.history.upgrades import UpgradeResult, published_steps  # noqa: PLC0415 - as above
    from rankproof.judge.published_answers import REPORTS  # noqa: PLC0415 - as above
    from rankproof.report.public_data import past  # noqa: PLC0415 - as above

    history = past(REPORTS).get(upgrade.library.name)
    steps = None if history is None else published_steps(history, upgrade)
    about = upgrade.library.name, upgrade.title, upgrade.old, upgrade.new
    return None if steps is None else UpgradeResult(*about, steps)


def _run(upgrade: "Upgrade", observer: "Observer") -> "UpgradeResult":
    """Run both versions, and for a Python package the releases between them until the release of each change is known."""
    from rankproof.history.history import step_between  # noqa: PLC0415 - as above
    from rankproof.history.plans import plans_of  # noqa: PLC0415 - as above
    from rankproof.history.release_search import ReleaseSearch  # noqa: PLC0415 - as above
    from rankproof.history.releases import releases_of  # noqa: PLC0415 - as above
    from rankproof.history.upgrades import UpgradeResult, version_among  # noqa: PLC0415 - as above
    from rankproof.report.upgrade import facts_of_step  # noqa: PLC0415 - as above

    sheet, about = upgrade.library.sheet, (upgrade.library.name, upgrade.title, upgrade.old, upgrade.new)
    releases = [] if sheet.program is not None else releases_of(sheet)
    plans: dict[str, Plan] = {} if releases else {plan.version: plan for plan in plans_of(sheet)}
    known = [str(release.version) for release in releases] or [*plans]
    names = [version_among(version, known) for version in (upgrade.old, upgrade.new)]
    missing = [version for version, name in zip((upgrade.old, upgrade.new), names, strict=True) if name is None]
    old, new = (name or "" for name in names)
    if missing:
        where = (
            "cannot be installed from the registry on this machine" if releases else f"is not listed in {sheet.path}"
        )
        return UpgradeResult(*about, source="observed", why_not=f"{' and '.join(dict.fromkeys(missing))} {where}")
    if releases:
        first, last = sorted((known.index(old), known.index(new)))
        search = ReleaseSearch(releases[first : last + 1], sheet, observer.look)
        search.run()
        steps = search.steps
        steps = (
            steps if known.index(old) == first else [step_between(step.new, step.old, sheet) for step in steps[::-1]]
        )
        failed = {str(version): why for version, why in search.failed.items()}
    else:
        answers = {plan.version: answer for plan, answer in observer.ask([plans[old], plans[new]]).items()}
        failed = {version: answer for version, answer in answers.items() if isinstance(answer, str)}
        before, after = answers[old], answers[new]
        both = [] if isinstance(before, str) or isinstance(after, str) else [step_between(before, after, sheet)]
        steps = [step for step in both if step.moves]
    why = "; ".join(failed[version] for version in dict.fromkeys((old, new)) if version in failed)
    return UpgradeResult(*about, [facts_of_step(step) for step in steps], "observed", why, failed)
