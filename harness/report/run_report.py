"""Facts of a run: where libraries disagree, which defects have a name, and what does not hold.

All of them follow from the results, the cases and the sheets, so that the same results give the same report.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import Complaint
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.measure_forms import key_of
from rankproof.reference_impl.notation import Measure, UnknownMeasure, parse
from rankproof.text import one_line, short
from rankproof.workers.known_libraries import Library

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
    def who(self) -> list[str]:
        """Return the names of the libraries."""
        return [name for voice in self.voices for name in voice.who]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A measure of a case for which libraries return different values, most libraries first."""

    case: str
    question: str
    measure: str
    answers: tuple[ReportedAnswer, ...]


@dataclass(frozen=True, slots=True)
class NamedDefect:
    """A defect in one form of a measure of a library, the number of values that it explains, and the first test that shows it."""

    who: str
    form: str
    sentence: str
    rows: int
    witness: str


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
        divided: the number of measures of cases for which libraries disagree; `disagreements` has the leading ones.
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
    disagreements: tuple[Disagreement, ...]
    divided: int
    not_installed: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]
    other_versions: tuple[str, ...] = ()
    not_built: tuple[str, ...] = ()
    seconds: float = 0.0
    stored: int = 0
    report: str = ""
    unchanged: bool = False


@dataclass(frozen=True)
class Report:
    """A results file with the cases and sheets that explain it."""

    results: RunResults
    cases: Sequence[Case]
    libraries: Sequence[Library]

    def summary(self, complaints: Sequence[Complaint] = ()) -> RunReport:
        """Return the facts that `run` prints."""
        rows = self.results.rows
        return RunReport(
            tuple(self._libraries()),
            len(self.cases),
            sum(bool(row.case) and row.verdict is not Verdict.UNSUPPORTED for row in rows),
            tuple(one_line(complaint) for complaint in complaints),
            tuple(self._defects()),
            tuple(self.leading),
            len(self.disagreements),
            tuple(dict.fromkeys(row.library for row in rows if row.verdict is Verdict.NOT_INSTALLED)),
            tuple(dict.fromkeys(self._notes())),
        )

    @cached_property
    def by_question(self) -> Mapping[tuple[str, str], list[Row]]:
        """Return the rows by case and measure."""
        rows = (row for row in self.results.rows if row.case and row.verdict is not Verdict.UNSUPPORTED)
        return grouped(((row.case, row.measure), row) for row in rows)

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Return the measures of cases for which libraries return different values, most values first."""
        cases = {case.id: case for case in self.cases if not case.undefined}
        ranked = []
        for (case, measure), rows in self.by_question.items():
            answers = tuple(_answers([row for row in rows if row.query is None], self.name_of))
            if case in cases and len(answers) > 1:
                ranked.append((_spread(rows), Disagreement(case, cases[case].question, measure, answers)))
        ranked.sort(key=lambda pair: (-len(pair[1].answers), -pair[0], pair[1].case, pair[1].measure))
        return [disagreement for _, disagreement in ranked]

    @property
    def leading(self) -> list[Disagreement]:
        """Return for each case with the tag `headline` the measure with most values; the first ten if there are none."""
        tagged = {case.id for case in self.cases if HEADLINE in case.tags}
        by_case = grouped((d.case, d) for d in self.disagreements if d.case in tagged)
        return [first for first, *_ in by_case.values()] or self.disagreements[:MOST_DISAGREEMENTS]

    def name_of(self, row: Row) -> str:
        """Return the name of the library of a row, with its version if several versions ran."""
        return self.results.names[row.subject]

    def _defects(self) -> Iterator[NamedDefect]:
        """Yield the defects that have a name."""
        rows = (row for row in self.results.rows if row.verdict is Verdict.DEFECT)
        by_defect = grouped(((self.name_of(row), _form(row.measure), row.note), row) for row in rows)
        for key, own in by_defect.items():
            yield NamedDefect(*key, len(own), f"{own[0].case} {own[0].measure}")

    def _notes(self) -> Iterator[tuple[str, str]]:
        """Yield notes about how libraries ran: the library and the note."""
        for installation in self.results.installations:
            for name, text in installation.notes.items():
                yield installation.library, text if " " in text else f"{name} {text}"

    def _libraries(self) -> Iterator[LibraryRun]:
        by_subject = grouped((row.subject, row.verdict) for row in self.results.rows)
        for subject, verdicts in by_subject.items():
            missing = "not installed" if set(verdicts) == {Verdict.NOT_INSTALLED} else "did not run"
            counts = Counter(str(verdict) for verdict in verdicts)
            yield LibraryRun(self.results.names[subject], subject.version or missing, dict(counts))


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


def known_measure(measure: str) -> Measure | None:
    """Return a measure; None if it is unknown, as in results of another version."""
    try:
        return parse(measure)
    except UnknownMeasure:
        return None


def _form(measure: str) -> str:
    known = known_measure(measure)
    return measure if known is None else key_of(known)


def _answers(rows: Sequence[Row], name_of: Callable[[Row], str]) -> Iterator[ReportedAnswer]:
    """Yield the values (means) of these rows with the libraries that return them, most libraries first."""
    by_shown = grouped((short(row.value) if row.error is None else "error", row) for row in rows)
    for text, own in sorted(by_shown.items(), key=lambda item: -len(item[1])):
        by_reason = grouped(((row.conventions, row.verdict is Verdict.KNOWN), name_of(row)) for row in own)
        in_order = sorted(by_reason.items(), key=lambda item: (len(item[0][0]), -len(item[1])))
        voices = tuple(ReportedVoice(tuple(who), *reason) for reason, who in in_order)
        yield ReportedAnswer(text, voices, standard=any(row.verdict is Verdict.AGREES for row in own))


def _spread(rows: Iterable[Row]) -> float:
    values = [row.value for row in rows if isinstance(row.value, float | int) and 0 <= row.value <= 1]
    return max(values) - min(values) if values else 0.0
