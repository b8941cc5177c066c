"""Report of a run: disagreements of libraries, named defects, and claims that do not hold.

The report depends only on the results, the cases and the sheets.
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
"""The tag of the cases that the report shows first."""
MOST_DISAGREEMENTS = 10
"""Maximum number of disagreements in the report of a run without such a case."""


@dataclass(frozen=True, slots=True)
class ReportedVoice:
    """Libraries that return a value for the same reason: conventions, a known exception, or `standard`."""

    who: tuple[str, ...]
    conventions: tuple[str, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """A printed value and the libraries that return it."""

    shown: str
    voices: tuple[ReportedVoice, ...]
    standard: bool

    @property
    def who(self) -> list[str]:
        """The names of the libraries."""
        return [name for voice in self.voices for name in voice.who]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A measure of a case with different values among libraries, the most common value first."""

    case: str
    question: str
    measure: str
    answers: tuple[ReportedAnswer, ...]


@dataclass(frozen=True, slots=True)
class NamedDefect:
    """A named defect of a library in a form of a measure, with the number of explained values and the first test."""

    who: str
    form: str
    sentence: str
    rows: int
    witness: str


@dataclass(frozen=True, slots=True)
class LibraryRun:
    """A variant of a library: its version, or why it did not run, and the number of values by verdict."""

    name: str
    version: str
    verdicts: Mapping[str, int]


@dataclass(frozen=True)
class RunReport:
    """Result of `rankproof run`.

    Attributes:
        libraries: the variants of all libraries.
        cases: the number of cases.
        values: the number of tested values.
        complaints: claims that do not hold, with the library and a remedy.
        divided: the number of measures of cases on which libraries disagree; `disagreements` has the first of them.
        other_versions: libraries with another version than in their sheet, each with a sentence.
        seconds: the time that running and judging took.
        stored: the number of values from the cache.
        not_built: environments that were left out because they are not built.
        unchanged: whether the report comes from the note of the last run.
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
    """Results with the cases and sheets that explain them."""

    results: RunResults
    cases: Sequence[Case]
    libraries: Sequence[Library]

    def summary(self, complaints: Sequence[Complaint] = ()) -> RunReport:
        """Summarize the results for `rankproof run`."""
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
        """The rows by case and measure."""
        rows = (row for row in self.results.rows if row.case and row.verdict is not Verdict.UNSUPPORTED)
        return grouped(((row.case, row.measure), row) for row in rows)

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """The measures of cases on which libraries disagree, most values first."""
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
        """The most disputed measure of each case with the tag `headline`; without such cases, the first ten."""
        tagged = {case.id for case in self.cases if HEADLINE in case.tags}
        by_case = grouped((d.case, d) for d in self.disagreements if d.case in tagged)
        return [first for first, *_ in by_case.values()] or self.disagreements[:MOST_DISAGREEMENTS]

    def name_of(self, row: Row) -> str:
        """Return the name of the library of a row, with its version if several versions ran."""
        return self.results.names[row.subject]

    def _defects(self) -> Iterator[NamedDefect]:
        """Yield the named defects."""
        rows = (row for row in self.results.rows if row.verdict is Verdict.DEFECT)
        by_defect = grouped(((self.name_of(row), _form(row.measure), row.note), row) for row in rows)
        for key, own in by_defect.items():
            yield NamedDefect(*key, len(own), f"{own[0].case} {own[0].measure}")

    def _notes(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of a library and a note about its run."""
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
    """Return the number of values that do not hold."""
    return sum(counts.get(str(verdict), 0) for verdict in FAILS)


def markdown_safe(text: object) -> str:
    r"""Escape text for Markdown.

    >>> markdown_safe("a|b <script> *x*")
    'a\\|b &lt;script&gt; \\*x\\*'
    """
    escaped = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_{}[]#|~$" else c for c in escaped)


def known_measure(measure: str) -> Measure | None:
    """Parse a measure; return None for an unknown measure, for example in results of another version."""
    try:
        return parse(measure)
    except UnknownMeasure:
        return None


def _form(measure: str) -> str:
    known = known_measure(measure)
    return measure if known is None else key_of(known)


def _answers(rows: Sequence[Row], name_of: Callable[[Row], str]) -> Iterator[ReportedAnswer]:
    """Yield the means of rows with the libraries that return them, most libraries first."""
    by_shown = grouped((short(row.value) if row.error is None else "error", row) for row in rows)
    for text, own in sorted(by_shown.items(), key=lambda item: -len(item[1])):
        by_reason = grouped(((row.conventions, row.verdict is Verdict.KNOWN), name_of(row)) for row in own)
        in_order = sorted(by_reason.items(), key=lambda item: (len(item[0][0]), -len(item[1])))
        voices = tuple(ReportedVoice(tuple(who), *reason) for reason, who in in_order)
        yield ReportedAnswer(text, voices, standard=any(row.verdict is Verdict.AGREES for row in own))


def _spread(rows: Iterable[Row]) -> float:
    values = [row.value for row in rows if isinstance(row.value, float | int) and 0 <= row.value <= 1]
    return max(values) - min(values) if values else 0.0
