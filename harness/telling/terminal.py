"""What a run tells in the terminal: disagreement first, then how often which verdict, then what does not hold."""

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankproof.asking.rounds import Asked
from rankproof.judging.complaints import other_version
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import FAILING, FAILS, Row, Verdict, mark_of
from rankproof.saying import cells, lines, say
from rankproof.telling.run_report import Report, Voice
from rankproof.text import one_line

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 40
"""How many of the things that do not hold are told."""
DISAGREEMENTS = 10
"""How many disagreements lead where none of the cases asked is a headline."""


def tell_report(report: Report) -> None:
    """The disagreements that lead, and a line a library."""
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it

    # Rich takes a pipe for a terminal of 80 columns, and would cut names short.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 160)
    if report.disagreements:
        console.print(_disagreement_table(report))
        console.print()
    console.print(_tally_table(report))
    for one in report.defects:
        console.print(lines(f"DEFECT {one.who} {one.form}: {one.sentence}"), soft_wrap=True)
    for name, text in report.notes:
        console.print(lines(f"{name}: {text}"), soft_wrap=True)


def first_word(asked: Asked, rows: Iterable[Row]) -> str:
    """A line about a library that was just asked: how often which verdict.

    Args:
        asked: what it answered.
        rows: that, judged.
    """
    counts = Counter(mark_of(row.verdict) for row in rows)
    shown = (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.NOT_INSTALLED)
    told = ", ".join(f"{mark} {counts[mark]:,}" for mark in shown if counts[mark])
    return f"{asked.subject().signed}: {told or 'nothing that can be judged'}"


def tell_versions(asked: Iterable[Asked]) -> None:
    """Which libraries were asked in a version that their sheets do not speak of."""
    for one in asked:
        if said := other_version(one):
            say(f"{one.library.name}: {one_line(said)}")


def tell_complaints(found: Run) -> None:
    """What does not hold, and a closing line."""
    tell_versions(
        one for one in found.asked if one.library.name not in {complaint.library for complaint in found.complaints}
    )
    for complaint in found.complaints[:SHOWN]:
        say(f"DOES NOT HOLD {one_line(str(complaint))}")
    if len(found.complaints) > SHOWN:
        say(f"… and {len(found.complaints) - SHOWN} more")
    say(_closing(found))


def _disagreement_table(report: Report) -> "Table":
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("where they disagree", "measure", "who says what"):
        table.add_column(heading)
    for row in report.headlines or report.disagreements[:DISAGREEMENTS]:
        says = (f"{saying.shown:>6} {', '.join(_told(voice) for voice in saying.voices)}" for saying in row.sayings)
        table.add_row(*cells(row.case.id, row.measure, "\n".join(says)))
    return table


def _told(voice: Voice) -> str:
    reason = " ".join(voice.conventions) or ("exception" if voice.known else "")
    return ", ".join(voice.who) + (f" [{reason}]" if reason else "")


def _tally_table(report: Report) -> "Table":
    from rich.table import Table  # noqa: PLC0415

    shown = [Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.UNDEFINED, Verdict.UNSUPPORTED]
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("library", no_wrap=True)
    table.add_column("version")
    for verdict in shown:
        table.add_column(str(verdict), justify="right")
    for name, version, counts in report.tallies:
        failing = sum(count for verdict, count in counts.items() if verdict in FAILS)
        numbers = [str(failing if v == FAILING else counts[Verdict(v)]) for v in shown]
        table.add_row(*cells(name, version, *numbers))
    return table


def _closing(found: Run) -> str:
    verdicts = Counter(row.verdict for row in found.rows)
    reused, observed = sum(one.reused for one in found.asked), sum(len(one.observations) for one in found.asked)
    seen = sum(one.once for one in found.asked)
    once = f", {seen:,} just as in the published run and so asked once" if seen else ""
    wall = found.seconds["asking"] + found.seconds["judging"]
    library, judging = found.seconds["libraries"], found.seconds["judging"]
    held = _held(found)
    libraries = f"{len(found.asked)} {'libraries' if len(found.asked) > 1 else 'library'}"
    return (
        f"{len(found.cases)} cases, {libraries}, {sum(verdicts.values()):,} rows in {wall:.1f} s; "
        f"{reused:,} of {observed:,} answers known from before{once} "
        f"({library:.1f} s the libraries' own over all workers, {judging:.1f} s judging); {held}"
    )


def _held(found: Run) -> str:
    """Whether all holds; who was not asked is said, as nothing holds of them."""
    if found.complaints:
        many = len(found.complaints)
        return f"{many} {'things do' if many > 1 else 'thing does'} not hold"
    if not any(row.case for row in found.rows):
        return "nothing was asked, so nothing holds"
    absent = list(dict.fromkeys(row.library for row in found.rows if row.verdict is Verdict.NOT_INSTALLED))
    return "all of it holds" + (f", but for what is not installed: {', '.join(absent)}" if absent else "")
