"""`rankproof env`: the environments in which libraries are observed, as their sheets name them: list, build, remove, prune."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import VerbGroup, own_adapters, room_of_environments
from rankproof.files import clear
from rankproof.history.plans import Plan, all_plans, chosen_plans
from rankproof.saying import say
from rankproof.text import folded, number_of, one_line
from rankproof.workers.known_libraries import Library, with_own

if TYPE_CHECKING:
    from rankproof.history.environment_builds import Built


@click.group("env", cls=VerbGroup)
def command() -> None:
    """List, build and remove the environments in which libraries are observed.

    An environment is a version of a library, under an interpreter, with what it stands on; the library's sheet names it. They are built
    by uv and kept in your cache; `run --env` asks the libraries there.
    """


@command.command("list", short_help="List them, and what became of each.")
@click.argument("wanted", nargs=-1, metavar="[ENVIRONMENT]...")
@own_adapters
def list_command(wanted: tuple[str, ...], adapters: Path | None) -> None:
    """List the environments that sheets name, and what became of each."""
    from rankproof.history.environment_builds import known, size_of  # noqa: PLC0415 - help answers without it

    _, plans = _planned(wanted, adapters)
    for plan in plans:
        built = known(plan)
        size = "" if built.folder is None else f"{size_of(built.folder) / 1e6:.0f} MB"
        _say_what_became(built, ", ".join(filter(None, (_stands_on(built), size))))


@command.command("build", short_help="Build environments: all, by name, by library, by bounds.")
@click.argument("wanted", nargs=-1, required=True, metavar="ENVIRONMENT...")
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Builds at the same time.")
@room_of_environments
@own_adapters
def build_command(wanted: tuple[str, ...], at_once: int, room: int, adapters: Path | None) -> int:
    """Build environments: `all`, a name (sklearn@1.0.2), a library (sklearn), or bounds ('sklearn@>=1.0,<1.4').

    What is built is not built again. Exit codes: 0 all are there; 1 some cannot be had, and each says why.
    """
    from rankproof.cli.waiting import built_all  # noqa: PLC0415 - help answers without it

    libraries, plans = _planned(wanted, adapters)
    results = built_all(plans, libraries, at_once, room)
    for built in results:
        _say_what_became(built, _stands_on(built))
    there = sum(built.folder is not None for built in results)
    say(f"{there} of {len(results)} environments are built")
    return int(there < len(results))


@command.command("remove", short_help="Remove environments that were built.")
@click.argument("wanted", nargs=-1, required=True, metavar="ENVIRONMENT...")
@own_adapters
def remove_command(wanted: tuple[str, ...], adapters: Path | None) -> None:
    """Remove environments that were built, and what is noted of them."""
    from rankproof.history.environment_builds import known, remove  # noqa: PLC0415 - help answers without it

    _, plans = _planned(wanted, adapters)
    built = [known(plan) for plan in plans]
    for one in built:
        remove(one)
    say(f"{number_of(sum(one.folder is not None for one in built), 'environment')} removed")


@command.command("prune", short_help="Remove environments that no sheet names any more.")
@own_adapters
def prune_command(adapters: Path | None) -> None:
    """Remove the environments that no sheet names any more, and builds that were broken off."""
    from rankproof.history.environment_builds import size_of, strays  # noqa: PLC0415 - help answers without it

    _, plans = _planned((), adapters)
    folders = strays(plans)
    size = sum(size_of(folder) for folder in folders)
    for folder in folders:
        clear(folder)
    say(f"{number_of(len(folders), 'folder')} removed, {size / 1e6:.0f} MB")


def _planned(wanted: Sequence[str], adapters: Path | None) -> tuple[dict[str, Library], list[Plan]]:
    libraries = {library.name: library for library in with_own(adapters)}
    plans = all_plans(libraries.values())
    return libraries, chosen_plans(wanted, plans) if wanted else plans


def _stands_on(built: "Built") -> str:
    """What a library stands on there, but for itself."""
    packages = built.hello.get("dependencies", {})
    return ", ".join(f"{name} {version}" for name, version in packages.items() if name != built.plan.package)


def _say_what_became(built: "Built", details: str) -> None:
    text = built.why if built.folder is None else details
    place = f"{built.plan.name} {built.plan.under}"
    say(folded(f"{one_line(place):<37} {built.status}{': ' if text else ''}{one_line(text)}", 38))
