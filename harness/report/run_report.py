"""Facts of a run: where libraries disagree, which conventions change a value, and what does not hold.

All of them follow from the results, the cases and the sheets, so that the same results give the same report.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import Complaint
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.measure_facts import bounds_of
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure, UnknownMeasure, parse
from rankproof.text import one_line, short
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import Pin

HEADLINE = "headline"
"""The tag of the cases that lead the report."""
MOST_DISAGREEMENTS = 10
"""Disagreements of a run without a case that has this tag."""


@dataclass(frozen=True, slots=True)
class ReportedVoice:
    """Libraries that return a value for the same reason: these conventions, a known exception, or `standard`."""

    who: tuple[str, ...]
    conventions: tuple[str, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """A value, as shown, and the libraries that return it."""

    shown: str
    voices: tuple[ReportedVoice, ...]
    standard: bool

    @property
    def count(self) -> int:
        """Return the number of libraries."""
        return sum(len(voice.who) for voice in self.voices)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A measure of a case for which libraries return different values."""

    case: Case
    measure: str
    sayings: tuple[ReportedAnswer, ...]
    spread: float


@dataclass(frozen=True, slots=True)
class ConventionEffect:
    """A convention, the libraries that follow it, the number of values that it changes, and the largest change."""

    convention: str
    question: str
    meaning: str
    who: tuple[str, ...]
    rows: int
    largest: float
    witness: str


@dataclass(frozen=True, slots=True)
class NamedDefect:
    """A defect in one form of a measure of a library, the number of values that it explains, and the first test that shows it."""

    who: str
    form: str
    sentence: str
    rows: int
    witness: str


@dataclass(frozen=True, slots=True)
class ReportedDisagreement:
    """A measure of a case for which libraries return different values, without the input of the case."""

    case: str
    question: str
    measure: str
    answers: tuple[ReportedAnswer, ...]


@dataclass(frozen=True, slots=True)
class LibraryRun:
    """A variant of a library: its version (or why it did not run), and the number of values by verdict."""

    name: str
    version: str
    verdicts: Mapping[str, int]


@dataclass(frozen=True)
class RunReport:
    """The result of `run`.

    Attributes:
        libraries: the variants of all libraries.
        cases: the number of cases.
        values: the number of values that were tested.
        complaints: what does not hold, with the library and what to do.
        other_versions: libraries in another version than their sheet describes, with a sentence.
        seconds: the time that running and judging took.
        stored: the number of values that came from the store.
        not_built: environments of libraries that were left out, because they are not built.
        unchanged: whether all of it was read from the note of the last run.
    """

    libraries: tuple[LibraryRun, ...]
    cases: int
    values: int
    complaints: tuple[str, ...]
    defects: tuple[NamedDefect, ...]
    disagreements: tuple[ReportedDisagreement, ...]
    divided: int
    not_installed: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]
    other_versions: tuple[str, ...] = ()
    not_built: tuple[str, ...] = ()
    seconds: float = 0.0
    stored: int = 0
    report: str = ""
    unchanged: bool = False

    @property
    def holds(self) -> bool:
        """Return whether something was tested and all of it holds."""
        return not self.complaints and self.values > 0


@dataclass(frozen=True)
class Report:
    """A results file with the cases and sheets that explain it."""

    results: RunResults
    cases: Sequence[Case]
    libraries: Sequence[Library]

    def summary(self, complaints: Sequence[Complaint] = ()) -> RunReport:
        """Return the facts that `run` prints."""
        rows = self.results.rows
        leading = self.headlines or self.disagreements[:MOST_DISAGREEMENTS]
        return RunReport(
            tuple(LibraryRun(name, version, counts) for name, version, counts in self._tallies()),
            len(self.cases),
            sum(bool(row.case) and row.verdict is not Verdict.UNSUPPORTED for row in rows),
            tuple(one_line(complaint) for complaint in complaints),
            tuple(self.defects),
            tuple(ReportedDisagreement(one.case.id, one.case.question, one.measure, one.sayings) for one in leading),
            len(self.disagreements),
            tuple(dict.fromkeys(row.library for row in rows if row.verdict is Verdict.NOT_INSTALLED)),
            tuple(self.notes),
        )

    @cached_property
    def by_question(self) -> Mapping[tuple[str, str], list[Row]]:
        """Return the rows by case and measure."""
        asked = (row for row in self.results.rows if row.case and row.verdict is not Verdict.UNSUPPORTED)
        return grouped(((row.case, row.measure), row) for row in asked)

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Return the measures of cases for which libraries return different values, most values first."""
        cases = {case.id: case for case in self.cases}
        found = []
        for (case_id, measure), rows in self.by_question.items():
            if case_id in cases and not cases[case_id].undefined:
                sayings = tuple(_sayings([row for row in rows if row.query is None], self.name_of))
                if len(sayings) > 1:
                    found.append(Disagreement(cases[case_id], measure, sayings, _spread(rows)))
        return sorted(found, key=lambda d: (-len(d.sayings), -d.spread, d.case.id, d.measure))

    @property
    def headlines(self) -> list[Disagreement]:
        """Return the leading disagreements: for each case with the tag `headline`, the measure with most values."""
        leading = grouped((one.case.id, one) for one in self.disagreements if HEADLINE in one.case.tags)
        return [first for first, *_ in leading.values()]

    @property
    def effects(self) -> list[ConventionEffect]:
        """Return every convention that changed a value, by axis."""
        rows = grouped((convention, row) for row in self.results.rows for convention in row.conventions)
        order = list(AXES)
        return [
            _effect(c, rows[c], self.name_of) for c in sorted(rows, key=lambda c: (order.index(c.split("=")[0]), c))
        ]

    @property
    def defects(self) -> list[NamedDefect]:
        """Return the defects that have a name."""
        rows = (row for row in self.results.rows if row.verdict is Verdict.DEFECT)
        found = grouped(((self.name_of(row), form_of(row.measure), row.note), row) for row in rows)
        return [NamedDefect(*key, len(own), f"{own[0].case} {own[0].measure}") for key, own in found.items()]

    @cached_property
    def exceptions(self) -> list[tuple[Library, str, str, list[Pin]]]:
        """Return the known exceptions: library, reason, link and pins."""
        return [
            (library, known.reason, known.link, pins)
            for library in self.libraries
            for known, pins in sorted(
                grouped((pin.known, pin) for pin in library.sheet.pins.values()).items(),
                key=lambda one: (one[0].reason, one[0].link, one[0].touches),
            )
        ]

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Return notes about how libraries ran: the library and the note."""
        said = (
            (one.library, text if " " in text else f"{name} {text}")
            for one in self.results.asked
            for name, text in one.notes.items()
        )
        return list(dict.fromkeys(said))

    def name_of(self, row: Row) -> str:
        """Return the name of the library of a row, with its version if several versions ran."""
        return self.results.names[row.subject]

    def _tallies(self) -> Iterator[tuple[str, str, Mapping[str, int]]]:
        """Yield the name, the version and the number of values by verdict of each variant."""
        by_subject = grouped((row.subject, row.verdict) for row in self.results.rows)
        for subject, verdicts in by_subject.items():
            missing = "not installed" if set(verdicts) == {Verdict.NOT_INSTALLED} else "did not run"
            counts = Counter(str(verdict) for verdict in verdicts)
            yield self.results.names[subject], subject.version or missing, dict(counts)


def failing(counts: Mapping[str, int]) -> int:
    """Return how many of these values do not hold."""
    return sum(counts.get(str(verdict), 0) for verdict in FAILS)


def markdown_safe(text: object) -> str:
    r"""Return text as Markdown shows it, whatever it contains.

    >>> markdown_safe("a|b <script> *x*")
    'a\\|b &lt;script&gt; \\*x\\*'
    """
    escaped = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_{}[]#|~$" else c for c in escaped)


def _sayings(rows: Sequence[Row], name_of: Callable[[Row], str]) -> Iterator[ReportedAnswer]:
    """Yield the values (means) of these rows with the libraries that return them, most libraries first."""
    by_shown = grouped((short(row.value) if row.error is None else "error", row) for row in rows)
    for shown, group in sorted(by_shown.items(), key=lambda item: -len(item[1])):
        yield ReportedAnswer(
            shown, tuple(_voices(group, name_of)), standard=any(row.verdict is Verdict.AGREES for row in group)
        )


def _voices(rows: Sequence[Row], name_of: Callable[[Row], str]) -> Iterator[ReportedVoice]:
    by_reason = grouped(((row.conventions, row.verdict is Verdict.KNOWN), name_of(row)) for row in rows)
    for (conventions, known), who in sorted(by_reason.items(), key=lambda item: (len(item[0][0]), -len(item[1]))):
        yield ReportedVoice(tuple(who), conventions, known)


def _spread(rows: Iterable[Row]) -> float:
    values = [row.value for row in rows if isinstance(row.value, float | int) and 0 <= row.value <= 1]
    return max(values) - min(values) if values else 0.0


def _effect(convention: str, rows: Sequence[Row], name_of: Callable[[Row], str]) -> ConventionEffect:
    axis, _, value = convention.partition("=")
    alone = [(moved(row), row) for row in rows if len(row.conventions) == 1] or [(0.0, rows[0])]
    largest, witness = max(alone, key=lambda pair: pair[0])
    who = tuple(dict.fromkeys(name_of(row) for row in rows))
    place = f"{witness.case} {witness.measure}"
    return ConventionEffect(convention, AXES[axis].question, AXES[axis].meaning(value), who, len(rows), largest, place)


def moved(row: Row) -> float:
    """Return the distance from `standard` if both values are between 0 and 1 and the measure is bounded; otherwise 0."""
    both = [value for value in (row.value, row.expected) if isinstance(value, float | int) and 0 <= value <= 1]
    return abs(both[0] - both[1]) if len(both) == 2 and _has_scale(row.measure) else 0.0  # noqa: PLR2004 - both


def known_measure(measure: str) -> Measure | None:
    """Return a measure; None if it is unknown, as in results of another version."""
    try:
        return parse(measure)
    except UnknownMeasure:
        return None


def form_of(measure: str) -> str:
    """Return the form of a measure; the measure itself if it is unknown."""
    known = known_measure(measure)
    return measure if known is None else key_of(known)


@lru_cache(maxsize=4096)
def _has_scale(measure: str) -> bool:
    """Whether the measure has a maximum; false if it is unknown."""
    known = known_measure(measure)
    bounds = None if known is None else bounds_of(known)
    return bounds is not None and math.isfinite(bounds[1])
