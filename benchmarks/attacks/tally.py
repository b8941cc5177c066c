"""What became of each attack, and the table of all of them."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

COLUMNS = (
    "attack",
    "times",
    "runs lost",
    "rows invented",
    "rows lost",
    "processes left",
    "seconds to end: median",
    "max",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attack did.

    Attributes:
        lost: why a run counts as lost: no exit code that is documented, a traceback, no end, results of no one run.
        invented: the rows that a clean machine does not have.
        missing: the rows of a clean machine that are not there.
        left: the processes that outlived their run.
        seconds: until all had ended.
        told: the rows that say they were not answered in one way, in the run that was attacked.
    """

    lost: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    left: int = 0
    seconds: float = 0.0
    told: int = 0

    @property
    def held(self) -> bool:
        """Whether nothing was lost, invented or left."""
        return not (self.lost or self.invented or self.missing or self.left)

    def and_then(self, other: "Outcome") -> "Outcome":
        """Both together; it took the time of the first."""
        return Outcome(
            self.lost + other.lost,
            self.invented + other.invented,
            self.missing + other.missing,
            self.left + other.left,
            self.seconds,
            self.told + other.told,
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: an attack, and the sums over all its times."""

    attack: str
    times: int
    runs_lost: int
    rows_invented: int
    rows_lost: int
    processes_left: int
    seconds_median: float
    seconds_max: float
    rows_told_unstable: int
    faults: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether it was made at all, and all is zero."""
        return self.times > 0 and not (self.runs_lost or self.rows_invented or self.rows_lost or self.processes_left)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)


def line_of(attack: str, outcomes: Sequence[tuple[str, Outcome]]) -> Line:
    """Sum up the outcomes of an attack, each with its name."""
    found = [outcome for _, outcome in outcomes]
    seconds = [outcome.seconds for outcome in found] or [0.0]
    return Line(
        attack,
        len(found),
        sum(bool(one.lost) for one in found),
        sum(len(one.invented) for one in found),
        sum(len(one.missing) for one in found),
        sum(one.left for one in found),
        round(statistics.median(seconds), 3),
        round(max(seconds), 3),
        sum(one.told for one in found),
        tuple(fault for name, one in outcomes for fault in _faults(name, one)),
    )


def _faults(name: str, outcome: Outcome) -> list[str]:
    """What is wrong, a line each; of rows the first."""
    found = list(outcome.lost)
    for what, rows in (("invented", outcome.invented), ("lost", outcome.missing)):
        found += [f"{len(rows)} rows {what}, as {rows[0][:300]}"] if rows else []
    found += [f"{outcome.left} processes left"] if outcome.left else []
    return [f"{name}: {fault}" for fault in found]


def table(lines: Iterable[Line]) -> str:
    """The table as Markdown."""
    rows = [
        (
            one.attack,
            one.times,
            one.runs_lost,
            one.rows_invented,
            one.rows_lost,
            one.processes_left,
            f"{one.seconds_median:.2f}",
            f"{one.seconds_max:.2f}",
        )
        for one in lines
    ]
    rule = ("---", *["---:"] * (len(COLUMNS) - 1))
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (COLUMNS, rule, *rows))
