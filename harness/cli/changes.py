"""`rankproof diff` and `rankproof upgrade`: changed values between two results, or two versions of a library."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import FILE, PATH, details, jobs, own_adapters, room_of_environments
from rankproof.interruption import INCOMPLETE
from rankproof.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from packaging.version import Version

    from rankproof.history.history import ObservedVersion
    from rankproof.history.plans import Plan
    from rankproof.history.releases import Release
    from rankproof.history.upgrades import Upgrade, UpgradeResult
    from rankproof.workers.known_libraries import Library
    from rankproof.workers.rounds import AskingOptions

    Observe = Callable[[Sequence[Plan]], dict[Plan, ObservedVersion | str]]

as_markdown = click.option("--markdown", "form", flag_value="markdown", help="Print a comment for a pull request.")
as_json = click.option("--json", "form", flag_value="json", help="Print all facts as JSON.")


def _say_as(form: str | None, report: "ModuleType", *facts: object, details: bool) -> None:
    """Print facts as text, Markdown or JSON, rendered by a module of `report`."""
    if form == "json":
        say(report.as_json(*facts))
    elif form == "markdown":
        say(report.as_markdown(*facts), nl=False)
    else:
        say(report.text_of(*facts, details=details))


@click.command("diff")
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@as_markdown
@as_json
@details
@click.option("-l", "--library", default="*", metavar="GLOB", help="Compare these libraries or variants only.")
@click.option("-m", "--measure", default="*", help="Compare this measure only, such as nDCG or nDCG@10.")
def diff(old: Path, new: Path, form: str | None, *, details: bool, library: str, measure: str) -> int:
    """Show which values changed from OLD to NEW, and which conventions caused it.

    OLD and NEW are folders of results of `rankproof run`, or single files of them.

    \b
    rankproof diff out-before out

    \b
    moved          the value, its error or its verdict differs
    newly failing  it fails now and did not before
    fixed          it failed before and holds now
    lost           NEW ran the case, but not this library or variant
    gone           NEW did not run the case
    new            OLD did not run the case

    \b
    Exit codes
      0  no value moved; values may be new, gone or fixed
      1  values moved, are lost or newly failing
      2  bad usage or input
    """
    from rankproof.history.answer_changes import compared
    from rankproof.history.causes import Causes, Profiles
    from rankproof.history.change_groups import groups_of_files
    from rankproof.judge.results_file import load
    from rankproof.report import changes as report

    drift = compared(load(old), load(new), library, measure)
    groups = groups_of_files(drift, Causes(Profiles(drift.old), Profiles(drift.new)))
    _say_as(form, report, drift, groups, details=details)
    return int(drift.moved)


@click.command("upgrade")
@click.argument("library", required=False)
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option(
    "--requirements",
    nargs=2,
    type=FILE,
    metavar="OLD NEW",
    help="Read the versions from two files: requirements.txt, uv.lock, poetry.lock or pylock.toml.",
)
@click.option("--fresh", is_flag=True, help="Run the versions now, even if their differences are published.")
@as_markdown
@as_json
@details
@jobs
@room_of_environments
@own_adapters
def upgrade(
    *,
    library: str | None,
    old: str | None,
    new: str | None,
    requirements: tuple[Path, Path] | None,
    fresh: bool,
    form: str | None,
    details: bool,
    jobs: int,
    room: int,
    adapters: Path | None,
) -> int:
    """Show which values change from version OLD to NEW of LIBRARY, why, and in which release.

    Published differences are printed at once. Otherwise both versions run now, each in its own environment. If they
    differ, releases between them also run until the release of each change is known. Functions declared in
    ./pyproject.toml that may change are listed.

    \b
    rankproof upgrade scikit-learn 1.2.2 1.9.1
    rankproof upgrade --requirements old/uv.lock uv.lock

    Exit code 0: no value changes. Exit code 1: values change. Exit code 2: bad usage or input. Exit code 3: a version could not be run.
    """
    from rankproof.declarations import declared_in
    from rankproof.history.upgrades import touched_functions, upgrades_between
    from rankproof.report import versions as report
    from rankproof.workers.known_libraries import with_own
    from rankproof.workers.rounds import AskingOptions

    libraries, declared = with_own(adapters), declared_in(Path())
    if requirements is not None and library is None:
        upgrades = upgrades_between(*requirements, libraries)
    elif requirements is None and library is not None and old is not None and new is not None:
        upgrades = [_upgrade(library, old, new, libraries)]
    else:
        raise click.UsageError(
            "Type LIBRARY OLD NEW, such as `rankproof upgrade scikit-learn 1.2.2 1.9.1`, or --requirements OLD NEW."
        )
    settings = AskingOptions(jobs)
    results = []
    for planned in upgrades:
        result = None if fresh else _published(planned)
        if result is None:
            with tempfile.TemporaryDirectory() as folder:
                result = _run(planned, _observer(planned.library, settings, Path(folder), room))
        results.append(result)
    changing = [planned for planned, result in zip(upgrades, results, strict=True) if result.steps or result.why_not]
    touched = touched_functions(Path(), declared, changing)
    _say_as(form, report, results, touched, details=details)
    return INCOMPLETE if any(result.why_not for result in results) else int(any(result.steps for result in results))


def _upgrade(library: str, old: str, new: str, libraries: "list[Library]") -> "Upgrade":
    from rankproof.history.upgrades import Upgrade, check_version
    from rankproof.workers.known_libraries import library_named

    for version in (old, new):
        check_version(version)
    return Upgrade(library_named(library, libraries), old, new)


def _published(upgrade: "Upgrade") -> "UpgradeResult | None":
    from rankproof.history.upgrades import UpgradeResult, published_steps
    from rankproof.judge.published_answers import REPORTS
    from rankproof.report.public_data import past

    history = past(REPORTS).get(upgrade.library.name, {"versions": []})
    steps = published_steps(history, upgrade)
    if steps is None:
        known = ", ".join(history["versions"]) or "none"
        say(f"{upgrade.title} has no published result, so it runs now. Published versions: {known}.", err=True)
        return None
    return UpgradeResult(upgrade.library.name, upgrade.title, upgrade.old, upgrade.new, steps)


def _observer(library: "Library", settings: "AskingOptions", folder: Path, room: int) -> "Observe":
    """Return a function that runs a library in environments and returns the values, or why it did not run."""
    from rankproof import cases
    from rankproof.cli.progress import run_versions
    from rankproof.history.history import observed_in

    corpus = cases.load_all()

    def observe(plans: "Sequence[Plan]") -> "dict[Plan, ObservedVersion | str]":
        runs = run_versions(plans, {library.name: library}, corpus, settings, folder, room=room, whole=True)
        observed = observed_in({run.plan: run.folder for run in runs if run.folder is not None})
        failed = {run.plan: run.why for run in runs if run.folder is None}
        return failed | {version.plan: version for version in observed}

    return observe


def _run(upgrade: "Upgrade", observe: "Observe") -> "UpgradeResult":
    """Run both versions, and releases of a Python package between them to find the release of each change."""
    from rankproof.history.history import step_between
    from rankproof.history.plans import plans_of
    from rankproof.history.release_search import ReleaseSearch
    from rankproof.history.releases import plan_of, releases_of
    from rankproof.history.upgrades import UpgradeResult, version_among
    from rankproof.report.versions import facts_of_step

    sheet, about = upgrade.library.sheet, (upgrade.library.name, upgrade.title, upgrade.old, upgrade.new)
    releases = [] if sheet.program is not None else releases_of(sheet)
    plans = {} if releases else {plan.version: plan for plan in plans_of(sheet)}
    known = [str(release.version) for release in releases] or [*plans]
    old, new = (version_among(version, known) for version in (upgrade.old, upgrade.new))
    if old is None or new is None:
        missing = [version for version, name in ((upgrade.old, old), (upgrade.new, new)) if name is None]
        where = "cannot be installed from the registry here" if releases else f"is not listed in {sheet.path}"
        return UpgradeResult(*about, source="observed", why_not=f"{' and '.join(dict.fromkeys(missing))} {where}")
    if releases:
        first, last = sorted((known.index(old), known.index(new)))

        def look(some: "Sequence[Release]") -> "dict[Version, ObservedVersion | str]":
            by_plan = {plan_of(sheet, release): release.version for release in some}
            return {by_plan[plan]: values for plan, values in observe([*by_plan]).items()}

        search = ReleaseSearch(releases[first : last + 1], sheet, look)
        search.run()
        is_upgrade = known.index(old) == first
        steps = search.steps if is_upgrade else [step_between(s.new, s.old, sheet) for s in search.steps[::-1]]
        failed = {str(version): why for version, why in search.failed.items()}
    else:
        answers = {plan.version: answer for plan, answer in observe([plans[old], plans[new]]).items()}
        failed = {version: answer for version, answer in answers.items() if isinstance(answer, str)}
        before, after = answers[old], answers[new]
        both = [] if isinstance(before, str) or isinstance(after, str) else [step_between(before, after, sheet)]
        steps = [step for step in both if step.moves]
    why = "; ".join(failed[version] for version in dict.fromkeys((old, new)) if version in failed)
    return UpgradeResult(*about, [facts_of_step(step) for step in steps], "observed", why, failed)
