"""`rankproof report`: write the results as a static site."""

from pathlib import Path

import click

from rankproof.cli.options import Verb, own_adapters, say_faults
from rankproof.cli.waiting import progress_bar
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
@own_adapters
@click.option("--open", "open_it", is_flag=True, help="Show it in a browser.")
def command(source: Path, out: Path, adapters: Path | None, *, open_it: bool) -> None:
    """Write the results as a static site that works from disk.

    fingerprint.json and probes.json are read where they lie beside the results.
    """
    from rankproof import cases  # noqa: PLC0415 - help answers without them
    from rankproof.judge import results_file  # noqa: PLC0415 - help answers without them
    from rankproof.report.run_report import Report  # noqa: PLC0415
    from rankproof.site.building import write  # noqa: PLC0415
    from rankproof.workers.known_libraries import usable, with_own  # noqa: PLC0415

    beside = source if source.is_dir() else source.parent
    beside = beside.parent if beside.name == results_file.FOLDER else beside
    known = with_own(adapters)
    say_faults(known)
    report = Report(results_file.load(source), cases.load_all(), usable(known))
    with progress_bar() as bar:
        task = bar.add_task("writing pages")

        def progress(_path: str, done: int, planned: int) -> None:
            bar.update(task, completed=done, total=planned)

        written = write(report, out, beside, progress)
    say(f"{written.index} written: {written.pages} pages, {written.size / 1e6:.1f} MB")
    if open_it:
        click.launch(written.index.resolve().as_uri())
