"""What a run tells in the terminal: disagreement first, then how often which verdict, then what does not hold."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rankproof.judge.runs import Run, other_version
from rankproof.judge.verdicts import FAILING, FAILS, Row, Verdict, mark_of
from rankproof.report.run_report import Disagreement, Report, ReportedVoice
from rankproof.saying import cells, lines, say
from rankproof.text import number_of, one_line
from rankproof.workers.rounds import LibraryAnswers

if TYPE_CHECKING:
    from rich.table import Table

SHOWN = 40
"""How many of the things that do not hold are told."""
COUNTED = (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.UNDEFINED, Verdict.UNSUPPORTED)
"""The verdicts whose numbers are shown."""
DISAGREEMENTS = 10
"""How many disagreements lead where none of the cases asked is a headline."""


@dataclass(frozen=True)
class RunTexts:
    """What is told of a run: texts alone, so that it can be kept and told again.

    Attributes:
        disagreements: case, measure and who says what, a line a value.
        tallies: library, version and how often which of the verdicts that are shown.
        lines: the defects that have a name, and what libraries say of themselves.
        versions: which libraries were asked in a version that their sheets do not speak of.
    """

    disagreements: tuple[tuple[str, ...], ...]
    tallies: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    versions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return asdict(self)

    @classmethod
    def of_json(cls, said: Mapping[str, Any]) -> "RunTexts":
        """What `as_json` gave."""
        disagreements, tallies = (tuple(tuple(map(str, row)) for row in said[n]) for n in ("disagreements", "tallies"))
        lines, versions = (tuple(map(str, said[name])) for name in ("lines", "versions"))
        return cls(disagreements, tallies, lines, versions)


def told_of(report: Report, asked: Iterable[LibraryAnswers] = ()) -> RunTexts:
    """What is told of a run, and of those of these libraries whose version is another one than their sheets speak of."""
    shown = report.headlines or report.disagreements[:DISAGREEMENTS]
    defects = (f"DEFECT {one.who} {one.form}: {one.sentence}" for one in report.defects)
    notes = (f"{name}: {text}" for name, text in report.notes)
    return RunTexts(
        tuple((row.case.id, row.measure, _says(row)) for row in shown),
        tuple((name, version, *_numbers(counts)) for name, version, counts in report.tallies),
        (*defects, *notes),
        tuple(_of_other_versions(asked)),
    )


def tell_report(report: Report) -> None:
    """The disagreements that lead, and a line a library."""
    tell(told_of(report))


def tell(told: RunTexts) -> None:
    """The disagreements that lead, and a line a library."""
    from rich.console import Console  # noqa: PLC0415 - help and bad usage answer without it

    # Rich takes a pipe for a terminal of 80 columns, and would cut names short.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else 160)
    if told.disagreements:
        console.print(_table(told.disagreements, ("where they disagree", "measure", "who says what")))
        console.print()
    tallies = _table(told.tallies, ("library", "version"), map(str, COUNTED))
    tallies.columns[0].no_wrap = True
    console.print(tallies)
    for line in told.lines:
        console.print(lines(line), soft_wrap=True)
    for line in told.versions:
        say(line)


def first_word(asked: LibraryAnswers, rows: Iterable[Row]) -> str:
    """A line about a library that was just asked: how often which verdict.

    Args:
        asked: what it answered.
        rows: that, judged.
    """
    counts = Counter(mark_of(row.verdict) for row in rows)
    shown = (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.NOT_INSTALLED)
    told = ", ".join(f"{mark} {counts[mark]:,}" for mark in shown if counts[mark])
    return f"{asked.subject().signed}: {told or 'nothing that can be judged'}"


def _of_other_versions(asked: Iterable[LibraryAnswers]) -> Iterator[str]:
    """Which libraries were asked in a version that their sheets do not speak of."""
    return (f"{one.library.name}: {one_line(said)}" for one in asked if (said := other_version(one)))


def tell_complaints(found: Run) -> None:
    """What does not hold, and a closing line."""
    complaining = {complaint.library for complaint in found.complaints}
    for line in _of_other_versions(one for one in found.asked if one.library.name not in complaining):
        say(line)
    for complaint in found.complaints[:SHOWN]:
        say(f"DOES NOT HOLD {one_line(str(complaint))}")
    if len(found.complaints) > SHOWN:
        say(f"… and {len(found.complaints) - SHOWN:,} more")
    say(_closing(found))


def _table(rows: Iterable[tuple[str, ...]], names: Iterable[str], counts: Iterable[str] = ()) -> "Table":
    """Rows below the headings of names and, to the right, of counts."""
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in names:
        table.add_column(heading)
    for heading in counts:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*cells(*row))
    return table


def _says(row: Disagreement) -> str:
    """Who says what, a line a value."""
    return "\n".join(f"{one.shown:>6} {', '.join(_told(voice) for voice in one.voices)}" for one in row.sayings)


def _told(voice: ReportedVoice) -> str:
    reason = " ".join(voice.conventions) or ("exception" if voice.known else "")
    return ", ".join(voice.who) + (f" [{reason}]" if reason else "")


def _numbers(counts: Counter[Verdict]) -> list[str]:
    """How often which of the verdicts that are shown."""
    failing = sum(count for verdict, count in counts.items() if verdict in FAILS)
    return [str(failing if mark == FAILING else counts[Verdict(mark)]) for mark in COUNTED]


def _closing(found: Run) -> str:
    verdicts = Counter(row.verdict for row in found.rows)
    reused, observed = sum(one.reused for one in found.asked), sum(len(one.observations) for one in found.asked)
    seen = sum(one.once for one in found.asked)
    once = f", and {seen:,} are as published and so were asked once" if seen else ""
    wall = found.seconds["asking"] + found.seconds["judging"]
    library, judging = found.seconds["libraries"], found.seconds["judging"]
    held = _held(found)
    libraries = number_of(len(found.asked), "library", "libraries")
    return (
        f"{number_of(len(found.cases), 'case')}, {libraries}, {sum(verdicts.values()):,} rows in {wall:.1f} s "
        f"(all workers together {library:.1f} s in libraries, {judging:.1f} s judging); "
        f"{reused:,} of {observed:,} answers came from the cache{once}; {held}"
    )


def _held(found: Run) -> str:
    """Whether all holds; who was not asked is said, as nothing holds of them."""
    if found.complaints:
        return f"{number_of(len(found.complaints), 'thing does', 'things do')} not hold"
    if not any(row.case for row in found.rows):
        return "nothing was asked, so nothing holds"
    absent = list(dict.fromkeys(row.library for row in found.rows if row.verdict is Verdict.NOT_INSTALLED))
    return "all of it holds" + (f", but for what is not installed: {', '.join(absent)}" if absent else "")
