"""`rankproof env`: list, build and remove the environments in which versions of libraries run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof.cli.options import jobs, own_adapters, room_of_environments
from rankproof.files import clear
from rankproof.history.plans import plans_named
from rankproof.terminal import say
from rankproof.text import folded, number_of, one_line
from rankproof.workers.known_libraries import with_own

if TYPE_CHECKING:
    from rankproof.history.environment_builds import Built

ALL = ("all",)
required = click.argument("names", nargs=-1, required=True, metavar="ENVIRONMENT...")


@click.group("env")
def command() -> None:
    """List, build and remove the environments in which versions of libraries run.

    An environment is a version of a library with an interpreter and dependencies. The sheet of the library lists its
    environments. uv builds them in the user's cache, and `rankproof run --env` runs libraries in them.

    \b
    rankproof env build sklearn@1.0.2
    rankproof run --env sklearn@1.0.2
    """


@command.command("list")
@click.argument("names", nargs=-1, metavar="[ENVIRONMENT]...")
@own_adapters
def list_command(names: tuple[str, ...], adapters: Path | None) -> None:
    """List environments with status, dependencies and size.

    \b
    rankproof env list sklearn
    """
    from rankproof.history.environment_builds import known, size_of

    for plan in plans_named(names or ALL, with_own(adapters)):
        built = known(plan)
        _say_status(built, "" if built.folder is None else f"{size_of(built.folder) / 1e6:.0f} MB")


@command.command("build")
@required
@jobs
@room_of_environments
@own_adapters
def build_command(names: tuple[str, ...], jobs: int, room: int, adapters: Path | None) -> int:
    """Build environments, or install a program.

    \b
    rankproof env build sklearn@1.0.2           one environment
    rankproof env build sklearn                 all of a library
    rankproof env build 'sklearn@>=1.0,<1.4'    a range of versions
    rankproof env build all
    rankproof env build trec_eval               a program

    A program is installed for all other commands. Exit code 1: an environment could not be built.
    """
    from rankproof.cli.progress import build_environments
    from rankproof.workers.programs import install

    libraries = {library.name: library for library in with_own(adapters)}
    sheets = {name: libraries[name].sheet for name in names if name in libraries}
    programs = [name for name, sheet in sheets.items() if sheet.program and sheet.program.builds]
    for name in programs:
        place, is_new = install(libraries[name])
        say(f"{name}: {'installed' if is_new else 'was installed already'}: {place}")
    others = [name for name in names if name not in programs]
    if not others:
        return 0
    results = build_environments(plans_named(others, libraries.values()), libraries, jobs, room)
    for built in results:
        _say_status(built)
    there = sum(built.folder is not None for built in results)
    say(f"{there} of {len(results)} environments are built")
    return int(there < len(results))


@command.command("remove")
@required
@own_adapters
def remove_command(names: tuple[str, ...], adapters: Path | None) -> None:
    """Remove environments.

    \b
    rankproof env remove sklearn@1.0.2
    rankproof env remove all
    """
    from rankproof.history.environment_builds import known, remove

    all_built = [known(plan) for plan in plans_named(names, with_own(adapters))]
    for built in all_built:
        remove(built)
    say(f"{number_of(sum(built.folder is not None for built in all_built), 'environment')} removed")


@command.command("prune")
@own_adapters
def prune_command(adapters: Path | None) -> None:
    """Remove unfinished builds and environments not in any sheet.

    \b
    rankproof env prune
    """
    from rankproof.history.environment_builds import size_of, strays

    folders = strays(plans_named(ALL, with_own(adapters)))
    size = sum(size_of(folder) for folder in folders)
    for folder in folders:
        clear(folder)
    say(f"{number_of(len(folders), 'folder')} removed, {size / 1e6:.0f} MB")


def _say_status(built: "Built", size: str = "") -> None:
    """Print the status of an environment with its dependencies, or why it could not be built."""
    packages = built.hello.get("dependencies", {})
    others = [f"{name} {version}" for name, version in packages.items() if name != built.plan.package]
    text = built.why if built.folder is None else ", ".join(filter(None, (*others, size)))
    place = f"{built.plan.name} {built.plan.under}"
    say(folded(f"{one_line(place):<37} {built.status}{': ' if text else ''}{one_line(text)}", 38))
