"""A run: all answers judged, and what does not hold.

observations ──► verdicts ──► complaints
"""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType

from rankproof import adapters, reference_impl, version
from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.judge.sheet_edits import stale, unwitnessed
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict, judge
from rankproof.workers import store
from rankproof.workers.library_worker import seconds_since
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
    """Return a note if the sheet is about another version; empty if it is not, or if the library did not run."""
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


SMOKE = "smoke"
"""The tag of a case on which all conventions are one, so that failing it tells of a broken adapter."""


@dataclass(frozen=True)
class Run:
    """Everything that one run found."""

    cases: tuple[Case, ...]
    asked: tuple[LibraryAnswers, ...]
    rows: tuple[Row, ...]
    complaints: tuple[Complaint, ...]
    inputs: str = ""
    code: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Judging:
    """Rows by library: what one of them answered can be judged while others are still asked, and is judged once."""

    cases: Sequence[Case]
    _rows: dict[str, tuple[LibraryAnswers, list[Row]]] = field(default_factory=dict)

    @cached_property
    def _by_id(self) -> Mapping[str, Case]:
        return {case.id: case for case in self.cases}

    def rows(self, asked: LibraryAnswers) -> list[Row]:
        """The rows of what a library answered."""
        before, rows = self._rows.get(asked.library.name, (None, []))
        if before is not asked:
            rows = _judged(asked, self._by_id)
            self._rows[asked.library.name] = asked, rows
        return rows


def judge_all(
    cases: Sequence[Case],
    asked: Sequence[LibraryAnswers],
    seconds: float = 0.0,
    *,
    whole: bool = True,
    judging: Judging | None = None,
) -> Run:
    """Judge what was observed; `seconds` is what asking took, and `judging` what some of them were judged by while that was done."""
    started = time.perf_counter()
    judging = judging or Judging(cases)
    rows = [row for one in asked for row in judging.rows(one)]
    found = with_complaints(
        Run(tuple(cases), tuple(asked), tuple(rows), (), inputs_of(cases, asked), code_of(cases, asked)), whole=whole
    )
    of_libraries = sum(one.library_seconds for one in asked)
    return replace(found, seconds={"asking": seconds, "judging": seconds_since(started), "libraries": of_libraries})


def with_complaints(found: Run, *, whole: bool = True) -> Run:
    """The run, with all that does not hold of its rows."""
    smoke = frozenset(case.id for case in found.cases if SMOKE in case.tags)
    complaints: list[Complaint] = []
    for one in found.asked:
        mine = [row for row in found.rows if one.installation.has(row.subject)]
        complaints += complaints_of(one, mine, whole=whole and not one.library.only, smoke=smoke)
    return replace(found, complaints=tuple(complaints))


def inputs_of(cases: Sequence[Case], asked: Sequence[LibraryAnswers]) -> str:
    """A digest of all that can change an answer: what was asked of whom, the adapters and sheets, the cases, the reference."""
    return _digest(cases, asked, (adapters, corpus, reference_impl))


def code_of(cases: Sequence[Case], asked: Sequence[LibraryAnswers]) -> str:
    """A digest of that and of all the code of this package, by which answers became rows."""
    return _digest(cases, asked, (version, adapters, corpus, reference_impl))


def corpus_of(cases: Iterable[Case]) -> str:
    """A digest of what each case asks of what."""
    return store.digest([(case.id, case.input.as_json(), case.measures) for case in cases])


def _digest(cases: Sequence[Case], asked: Sequence[LibraryAnswers], modules: Iterable[ModuleType]) -> str:
    folders = [Path(module.__file__ or "").resolve().parent for module in modules]
    found = ((folder, name) for top in folders for folder, _, names in os.walk(top) for name in names)
    files = {Path(folder, name) for folder, name in found if name.endswith((".py", ".toml", ".json"))}
    # A sheet may lie in a folder of the user's own.
    files |= {one.library.sheet.path for one in asked if one.library.sheet.path.is_file()}
    names = [(one.library.name, one.key, *one.library.only) for one in asked]
    questions = [(case.id, case.measures) for case in cases]
    return store.digest(names, questions, store.digest_of_files(files))


def _judged(asked: LibraryAnswers, cases: Mapping[str, Case]) -> list[Row]:
    if not asked.installed:
        verdict = Verdict(asked.hello["failed"]) if "failed" in asked.hello else Verdict.NOT_INSTALLED
        why = str(asked.hello.get("not_installed", asked.hello.get("message", "")))
        return [Row("", asked.subject(), "", None, verdict, note=why)]
    absent = asked.hello.get("absent", {}).items()
    rows = [Row("", asked.subject(variant), "", None, Verdict.NOT_INSTALLED, note=why) for variant, why in absent]
    library = replace(asked.library, sheet=asked.library.sheet.of_version(asked.version))
    for observation in asked.observations:
        rows += judge(cases[observation.case], library, observation)
    return rows
