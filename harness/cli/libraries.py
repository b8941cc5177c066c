"""`rankproof libraries`: what is installed, and what is claimed of it; `libraries install` fetches one that is a program."""

import importlib.metadata
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from rankproof.cli.options import VerbGroup, own_adapters
from rankproof.history.at_hand import NotBuilt, main_plan, python_of
from rankproof.saying import say
from rankproof.text import folded, one_line
from rankproof.workers.known_libraries import Library, libraries, no_such_library, usable, with_own
from rankproof.workers.library_worker import WorkerFailed, as_said, worker_of


@click.group("libraries", cls=VerbGroup, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@own_adapters
@click.pass_context
def command(context: click.Context, *, as_json: bool, adapters: Path | None) -> None:
    """List the libraries: version, variants, and how to install one that is missing."""
    if context.invoked_subcommand is not None:
        return
    asked = with_own(adapters)
    found = {library.name: _described(library) for library in asked}
    if as_json:
        say(json.dumps(found, indent=2))
        return
    for library in asked:
        hello = found[library.name]
        say(one_line(headline(library, hello)), bold=True)
        for text in hello.get("notes", {}).values():
            say(folded(f"    {one_line(text)}", 4))
        for variant, what in hello.get("variants", {}).items():
            say(folded(f"    {one_line(variant):18} {one_line(what)}", 23))
        for variant, why in hello.get("absent", {}).items():
            say(folded(f"    {one_line(variant):18} not installed: {one_line(why)}", 23))


@command.command("install")
@click.argument("library")
def install_command(library: str) -> None:
    """Fetch LIBRARY, a program that is no Python package, into the user's cache: trec_eval."""
    from rankproof.workers.programs import install  # noqa: PLC0415 - a verb is imported when it is asked for

    known = {one.name: one for one in usable(libraries())}
    if library not in known:
        raise no_such_library(library, known)
    wanted = known[library]
    place, is_new = install(wanted)
    hello = _described(wanted)
    if "version" not in hello:
        why = hello.get("fault") or hello["not_installed"]
        raise click.ClickException(f"{place} is there and does not run: {why}")
    say(f"{wanted.name} {hello['version']} {'installed' if is_new else 'was there already'}: {place}")


def _described(library: Library) -> dict[str, Any]:
    claimed = {"title": library.sheet.title, "speaks_of": library.sheet.speaks_of}
    if library.fault:
        return {**claimed, "fault": library.fault, "variants": {}}
    try:
        python = python_of(library)
    except NotBuilt as why:
        return {**claimed, "not_installed": str(why), "variants": {}}
    with worker_of(library, python) as worker:
        try:
            return {**claimed, **as_said(worker.hello())}
        except WorkerFailed as failure:
            return {**claimed, "fault": failure.whole(), "variants": {}}


def headline(library: Library, hello: Mapping[str, Any]) -> str:
    """A line about a library: its version, or what is wrong with it, or how to install it."""
    if "fault" in hello:
        return f"{library.name}: cannot be asked: {one_line(hello['fault'])}"
    if "version" not in hello:
        why, how = hello["not_installed"].removeprefix(f"{library.name} is "), how_to_install(library)
        return f"{library.name}: not installed: {why}" + f"; {how}" * (how not in why)
    speaks_of = hello["speaks_of"]
    claimed = "" if speaks_of == hello["version"] else f" (the sheet speaks of {speaks_of})"
    return f"{library.name} {hello['version']}{claimed}"


def how_to_install(library: Library) -> str:
    """How to have a library."""
    if library.sheet.program is not None:
        return f"rankproof libraries install {library.name}"
    if library.sheet.only_in_environments and (plan := main_plan(library)) is not None:
        return f"rankproof env build {plan.name}"
    # An extra is listed with hyphens, whatever way it was written.
    if library.name.replace("_", "-") in (importlib.metadata.metadata("rankproof").get_all("Provides-Extra") or []):
        return f"pip install 'rankproof[{library.name}]'"
    return f"see {library.sheet.homepage}"
