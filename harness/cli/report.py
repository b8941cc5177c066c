"""`rankproof report`: write the results as a static site."""

from pathlib import Path

import click

from rankproof.cli.options import Verb, own_adapters, say_faults
from rankproof.saying import say


@click.command("report", cls=Verb)
@click.option(
    "-r",
    "--results",
    "source",
    type=click.Path(path_type=Path),
    default=Path("out"),
    show_default=True,
    help="The results to report: where `rankproof run` wrote them.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out/site"),
    show_default=True,
    help="Write the site here, in place of the one that is there.",
)
@click.option(
    "--docs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Add the Markdown files of this folder as documentation, with a reference of commands and of Python.",
)
@own_adapters
@click.option("--open", "open_it", is_flag=True, help="Show it in a browser.")
def command(source: Path, out: Path, docs: Path | None, adapters: Path | None, *, open_it: bool) -> None:
    """Write the results as a static site that works from disk.

    fingerprint.json, probes.json and history.json are read if they lie next to the results.
    """
    from rankproof.report.site.build import write_site  # noqa: PLC0415 - help answers without it
    from rankproof.report.site.site_data import SiteData  # noqa: PLC0415 - as above
    from rankproof.workers.known_libraries import usable, with_own  # noqa: PLC0415 - as above

    known = with_own(adapters)
    say_faults(known)
    program = click.get_current_context().find_root().command
    site = write_site(out, SiteData.load(source, usable(known)), docs, program=program)
    say(f"{site.index} written: {site.pages} pages, {site.size / 1e6:.1f} MB")
    if open_it:
        click.launch(site.index.resolve().as_uri())
