"""`rankproof run`: ask every library every case, judge, write results and report."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankproof import cases as corpus
from rankproof import results
from rankproof.cases import Case
from rankproof.report import Report, Voice
from rankproof.running import Complaint, Run, run, select
from rankproof.sheets import Library, chosen, libraries
from rankproof.verdicts import FAILS, Verdict
from rankproof.workers import TIMEOUT

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 40
"""How many of the things that do not hold are told."""
DISAGREEMENTS = 10
"""How many disagreements lead where none of the cases asked is a headline."""


@click.command("run")
@click.option("-l", "--library", "wanted", multiple=True, metavar="GLOB", help="Ask these libraries only.")
@click.option("-c", "--case", "globs", multiple=True, metavar="GLOB", help="Ask these cases only, as in 'ties/*'.")
@click.option("-m", "--measure", "measures", multiple=True, help="Ask these measures only, as in nDCG or nDCG@10.")
@click.option("-o", "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out"), show_default=True,
              help="Write results.jsonl and report.md here.")  # fmt: skip
@click.option("--publish", type=click.Path(path_type=Path, file_okay=False),
              help="Write results.jsonl and README.md here instead, if the whole corpus was asked and all of it holds.")  # fmt: skip
@click.option("-j", "--at-once", type=click.IntRange(1), default=2, show_default=True, help="Workers at the same time.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=TIMEOUT,
    show_default=True,
    help="Seconds a request may take.",
)
@click.option(
    "--python", "pythons", multiple=True, metavar="LIBRARY=PATH", help="The interpreter of a library's worker."
)
def command(
    wanted: tuple[str, ...], globs: tuple[str, ...], measures: tuple[str, ...], out: Path, publish: Path | None, at_once: int,
    timeout: float, pythons: tuple[str, ...],
) -> int:  # fmt: skip
    """Ask every library every case, judge the answers, write results and report."""
    asked_libraries = chosen(wanted, libraries())
    asked_cases = select(corpus.load_all(), globs, measures)
    found = _with_progress(
        asked_cases, asked_libraries, at_once, timeout, _interpreters(pythons), whole=not globs and not measures
    )
    whole = not (wanted or globs or measures)
    folder, name = (out, "report.md") if publish is None else (publish, "README.md")
    if publish is not None and (found.complaints or not whole):
        _tell(found)
        click.echo(
            f"not published: {'something does not hold' if whole else 'only a part of the corpus was asked'}", err=True
        )
        return 1 if found.complaints else 2
    results.write(found, folder / "results.jsonl")
    report = Report(results.load(folder / "results.jsonl"), asked_cases, asked_libraries)
    results.publish(folder / name, report.markdown())
    _tell(found, report)
    click.echo(f"{folder / 'results.jsonl'} and {folder / name} written")
    return 1 if found.complaints else 0


def _interpreters(pythons: tuple[str, ...]) -> dict[str, str]:
    pairs = [python.partition("=") for python in pythons]
    if any(not equals for _, equals, _ in pairs):
        raise click.BadParameter("write LIBRARY=PATH", param_hint="--python")
    return {library: path for library, _, path in pairs}


def _with_progress(
    cases: Sequence[Case],
    asked: Sequence[Library],
    at_once: int,
    timeout: float,
    pythons: Mapping[str, str],
    *,
    whole: bool,
) -> Run:
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("asking", total=len(cases) * len(asked))

        def progress(name: str, count: int) -> None:
            bar.update(task, advance=count, description=f"asking {name}")

        return run(cases, asked, at_once=at_once, timeout=timeout, pythons=pythons, whole=whole, progress=progress)


def _tell(found: Run, report: Report | None = None) -> None:
    from rich.console import Console  # noqa: PLC0415

    if report is not None:
        # Rich takes a pipe for a terminal of 80 columns, and would cut names short.
        console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 160)
        if report.disagreements:
            console.print(_disagreement_table(report))
            console.print()
        console.print(_tally_table(report))
    for complaint in found.complaints[:SHOWN]:
        click.echo(f"DOES NOT HOLD {_one_line(complaint)}")
    if len(found.complaints) > SHOWN:
        click.echo(f"… and {len(found.complaints) - SHOWN} more")
    click.echo(_closing(found))


def _disagreement_table(report: Report) -> "Table":
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("where they disagree", "measure", "who says what"):
        table.add_column(heading)
    for row in report.headlines or report.disagreements[:DISAGREEMENTS]:
        says = (f"{saying.shown:>6} {', '.join(_told(voice) for voice in saying.voices)}" for saying in row.sayings)
        table.add_row(row.case.id, row.measure, "\n".join(says))
    return table


def _told(voice: Voice) -> str:
    reason = " ".join(voice.conventions) or ("exception" if voice.known else "")
    return ", ".join(voice.who) + (f" [{reason}]" if reason else "")


def _one_line(complaint: Complaint) -> str:
    from rankproof.cli import printable  # noqa: PLC0415

    return printable(str(complaint))


def _tally_table(report: Report) -> "Table":
    from rich.table import Table  # noqa: PLC0415

    shown = [Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, "fails", Verdict.UNDEFINED, Verdict.UNSUPPORTED]
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("library", no_wrap=True)
    table.add_column("version")
    for verdict in shown:
        table.add_column(str(verdict), justify="right")
    for name, version, counts in report.tallies:
        failing = sum(count for verdict, count in counts.items() if verdict in FAILS)
        cells = [str(failing if v == "fails" else counts[Verdict(v)]) for v in shown]
        table.add_row(name, version or "not installed", *cells)
    return table


def _closing(found: Run) -> str:
    verdicts = Counter(row.verdict for row in found.rows)
    wall = found.seconds["asking"] + found.seconds["judging"]
    return (
        f"{len(found.cases)} cases, {len(found.asked)} libraries, {sum(verdicts.values()):,} rows in {wall:.1f} s "
        f"({found.seconds['libraries']:.1f} s of it the libraries' own over all workers, {found.seconds['judging']:.1f} s judging); "
        + (f"{len(found.complaints)} things do not hold" if found.complaints else "all of it holds")
    )
