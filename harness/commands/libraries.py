"""`rankproof libraries`: what is installed, and what is claimed of it."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from rankproof.sheets import libraries
from rankproof.workers import Worker, WorkerFailed


@click.command("libraries")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(*, as_json: bool) -> None:
    """List the libraries: version, variants, and the extra that installs one that is missing."""
    found: dict[str, dict[str, Any]] = {}
    for library in libraries():
        with Worker(library.adapter, sys.executable) as worker:
            try:
                found[library.name] = {
                    "title": library.sheet.title,
                    "speaks_of": library.sheet.speaks_of,
                    **worker.hello(),
                }
            except WorkerFailed as failure:
                found[library.name] = {"title": library.sheet.title, "not_installed": str(failure), "variants": {}}
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for name, hello in found.items():
        click.secho(_headline(name, hello), bold=True)
        for text in hello.get("notes", {}).values():
            click.echo(f"    {text}")
        for variant, what in hello["variants"].items():
            click.echo(f"    {variant:18} {what}")
        for variant, why in hello.get("absent", {}).items():
            click.echo(f"    {variant:18} not installed: {why}")


def _headline(name: str, hello: Mapping[str, Any]) -> str:
    if "version" not in hello:
        return f"{name}: not installed ({hello['not_installed']}); pip install 'rankproof[{name}]'"
    speaks_of = hello["speaks_of"]
    return f"{name} {hello['version']}" + (
        "" if speaks_of == hello["version"] else f" (the sheet speaks of {speaks_of})"
    )
