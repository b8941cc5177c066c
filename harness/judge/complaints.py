"""Complaints: what does not hold of a library, and what to do about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankproof.judge.sheet_edits import stale, unwitnessed
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import ObservationPlace


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that does not hold, and what to do about it."""

    library: str
    what: str
    place: ObservationPlace | None = None

    def __str__(self) -> str:
        return f"{self.library}: {self.what}" if self.place is None else f"{self.library} {self.place}: {self.what}"


def complaints_of(
    asked: LibraryAnswers, rows: Iterable[Row], *, whole: bool, smoke: frozenset[str] = frozenset()
) -> list[Complaint]:
    """What does not hold of one library: rows that fail, and pins of its sheet that do not happen (any more).

    A variant that fails a smoke case comes first: it is its adapter that is broken, or its formula, and no convention. Of a version that
    the sheet does not speak of, one complaint says it all.
    """
    name, sheet = asked.library.name, asked.library.sheet
    mine = [row for row in rows if row.library == name]
    if asked.installed and asked.version != sheet.speaks_of:
        return _of_another_version(asked, mine)
    broken = dict.fromkeys(row.variant for row in mine if row.verdict in FAILS and row.case in smoke)
    found = [Complaint(name, f"{variant} fails the smoke case: look at its adapter first") for variant in broken]
    found += [Complaint(name, _failing(row, asked), row.place) for row in mine if row.verdict in FAILS]
    if not asked.installed:
        return found
    found += [Complaint(name, what, place) for place, what in stale(sheet, mine, whole=whole)]
    if whole:
        found += [Complaint(name, what) for what in unwitnessed(sheet, mine)]
    return found


MOST_CASES = 5
"""How many cases a complaint names."""


def other_version(asked: LibraryAnswers) -> str:
    """What to say of a version that the sheet does not speak of; nothing of one that it does, or of a library that was not asked."""
    sheet = asked.library.sheet
    if not asked.installed or asked.version == sheet.speaks_of:
        return ""
    known = sheet.known_of(asked.version)
    said = f", and knows of this one: {known.known}" if known else ""
    return f"asked is version {asked.version}; the sheet speaks of {sheet.speaks_of}{said}"


def _of_another_version(asked: LibraryAnswers, rows: Sequence[Row]) -> list[Complaint]:
    failing = [row for row in rows if row.verdict in FAILS]
    if not failing:
        return []
    judged = sum(row.verdict not in NOT_JUDGED for row in rows)
    cases = list(dict.fromkeys(row.case for row in failing))
    named = ", ".join(cases[:MOST_CASES]) + (", …" if len(cases) > MOST_CASES else "")
    where = f"{len(cases)} {'cases' if len(cases) > 1 else 'case'} ({named})"
    what = f"{len(failing):,} of {judged:,} answers are not what is claimed, in {where}"
    mend = f"`rankproof diff` compares it with results of {asked.library.sheet.speaks_of}"
    return [Complaint(asked.library.name, f"{other_version(asked)}; {what}; {mend}")]


def _failing(row: Row, asked: LibraryAnswers) -> str:
    seen = f"observed {row.observed}" if row.observed else row.note
    why = f"; {row.note}" if row.observed and row.note else ""
    if asked.library.fault:  # which says its own mend
        return f"{row.verdict}: {seen}{why}"
    first = "tell its maintainers" if row.verdict is Verdict.DEFECT else "give the sheet the right profile"
    mend = f"{first}, or run `rankproof sheet update {asked.library.name}` and write the reason"
    return f"{row.verdict}: {seen}{why}; {mend if row.case else 'look at its adapter'}"
