"""The report: what came out of a run, told for people, leading with disagreement.

Everything in it follows from a results file, the cases and the sheets; so the same results give the same report.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.measure_facts import bounds_of
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure, UnknownMeasure, parse
from rankproof.report.fingerprint_tables import FingerprintTable, TwoMinds, keys_in, tables, two_minds
from rankproof.text import number_of, one_line, printable_lines, short
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import Pin
from rankproof.workers.subjects import Subject

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).resolve().parent / "templates"
HEADLINE = "headline"
"""The tag of the cases that the report leads with."""


@dataclass(frozen=True, slots=True)
class ReportedVoice:
    """Those who give an answer for the same reason: by these conventions, as a known exception, or as `standard` does."""

    who: tuple[str, ...]
    conventions: tuple[str, ...]
    known: bool


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """One answer to a question, and who gives it."""

    shown: str
    voices: tuple[ReportedVoice, ...]
    standard: bool

    @property
    def count(self) -> int:
        """How many give it."""
        return sum(len(voice.who) for voice in self.voices)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A measure of a case to which libraries answer differently."""

    case: Case
    measure: str
    sayings: tuple[ReportedAnswer, ...]
    spread: float

    @property
    def asked(self) -> int:
        """How many variants answered."""
        return sum(saying.count for saying in self.sayings)

    @property
    def differ(self) -> int:
        """How many of them say something else than `standard`."""
        return sum(saying.count for saying in self.sayings if not saying.standard)


@dataclass(frozen=True, slots=True)
class ConventionEffect:
    """A convention that was seen: who follows it, how often it moved a number, and how far at most."""

    convention: str
    question: str
    meaning: str
    who: tuple[str, ...]
    rows: int
    largest: float
    witness: str


@dataclass(frozen=True, slots=True)
class NamedDefect:
    """An error that has a name, in one form of a measure of a library.

    Attributes:
        who: what the subject is called.
        form: the form of the measure, as `nDCG@k`.
        sentence: what is wrong, and how many answers that explains.
        rows: how many values got the verdict.
        witness: the first of the questions.
    """

    who: str
    form: str
    sentence: str
    rows: int
    witness: str


@dataclass(frozen=True)
class Report:
    """A results file, read for people."""

    results: RunResults
    cases: Sequence[Case]
    libraries: Sequence[Library]
    fingerprints: Sequence[Fingerprint] = ()
    """What `fingerprint.json` holds, where it was published with the results."""

    @property
    def fingerprint_tables(self) -> list[FingerprintTable]:
        """Libraries by axes, a table for each leading group of measures."""
        return tables(self.fingerprints)

    @property
    def two_minds(self) -> list[TwoMinds]:
        """The axes on which a library differs between its own measures."""
        return list(two_minds(self.fingerprints))

    @cached_property
    def by_question(self) -> Mapping[tuple[str, str], list[Row]]:
        """The rows of each case and measure that say something of the whole case."""
        asked = (row for row in self.results.rows if row.case and row.verdict is not Verdict.UNSUPPORTED)
        return grouped(((row.case, row.measure), row) for row in asked)

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Every question to which not all give the same answer, those first that divide most."""
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
        """The disagreements that lead: of each case tagged `headline`, the measure that divides most."""
        leading = grouped((one.case.id, one) for one in self.disagreements if HEADLINE in one.case.tags)
        return [first for first, *_ in leading.values()]

    @property
    def effects(self) -> list[ConventionEffect]:
        """Every convention that moved a number, by axis."""
        rows = grouped((convention, row) for row in self.results.rows for convention in row.conventions)
        order = list(AXES)
        return [
            _effect(c, rows[c], self.name_of) for c in sorted(rows, key=lambda c: (order.index(c.split("=")[0]), c))
        ]

    @property
    def defects(self) -> list[NamedDefect]:
        """The errors that have names, as they stand in the notes of their rows."""
        rows = (row for row in self.results.rows if row.verdict is Verdict.DEFECT)
        found = grouped(((self.name_of(row), form_of(row.measure), row.note), row) for row in rows)
        return [NamedDefect(*key, len(own), f"{own[0].case} {own[0].measure}") for key, own in found.items()]

    @property
    def tallies(self) -> list[tuple[str, str, Counter[Verdict]]]:
        """Per subject: its name, its version or that it was not asked, and how often which verdict."""
        found = grouped((row.subject, row.verdict) for row in self.results.rows)
        names = self.results.names
        return [(names[subject], _version(subject, verdicts), Counter(verdicts)) for subject, verdicts in found.items()]

    @property
    def asked(self) -> list[Subject]:
        """The subjects that were asked anything."""
        return list(dict.fromkeys(row.subject for row in self.results.rows if row.case))

    @cached_property
    def exceptions(self) -> list[tuple[Library, str, str, list[Pin]]]:
        """Per library and reason: the link and the pins."""
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
        """How libraries were asked, where they say so: a name and the words, a version by what it is of."""
        said = (
            (one.library, text if " " in text else f"{name} {text}")
            for one in self.results.asked
            for name, text in one.notes.items()
        )
        return list(dict.fromkeys(said))

    @property
    def missing(self) -> list[Row]:
        """Libraries and variants that are not installed."""
        return [row for row in self.results.rows if row.verdict is Verdict.NOT_INSTALLED]

    def name_of(self, row: Row) -> str:
        """What the subject of a row is called: with its version only where several were asked."""
        return self.results.names[row.subject]

    @property
    def topics(self) -> Mapping[str, list[Disagreement]]:
        """The disagreements by topic: the folder that a case lies in."""
        return dict(sorted(grouped((one.case.id.partition("/")[0], one) for one in self.disagreements).items()))

    def disagreement_table(self) -> str:
        """The table of the headlines alone, as the README has it."""
        template = environment().get_template("disagreements.md.j2")
        return template.render(rows=self.headlines, notes=self.notes).strip()


def _version(subject: Subject, verdicts: Iterable[Verdict]) -> str:
    if set(verdicts) == {Verdict.NOT_INSTALLED}:
        return "not installed"
    return subject.version or "could not be asked"


def fingerprint_markdown(found: Sequence[Fingerprint]) -> str:
    """Tables of fingerprints, one for each form of a measure, as Markdown."""
    macro = environment().get_template("fingerprints.md.j2").module
    return str(macro.fingerprints(tables(found, keys_in(found)), "")).strip()  # type: ignore[attr-defined]


@cache
def environment() -> "jinja2.Environment":
    """What renders the templates of this room."""
    import jinja2  # noqa: PLC0415 - only a report needs it

    found = jinja2.Environment(  # noqa: S701 - Markdown; `md` escapes what is not ours
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    found.filters |= {"md": markdown_safe, "num": short, "counted": number_of}
    return found


def _shown(value: object) -> object:
    """What a template puts on a page, at the last door: no control character, and no mark of direction."""
    return printable_lines(value) if isinstance(value, str) else value


def markdown_safe(text: object) -> str:
    r"""Text as Markdown shows it, whatever it holds: ids and error messages come from anywhere.

    >>> markdown_safe("a|b <script> *x*")
    'a\\|b &lt;script&gt; \\*x\\*'
    """
    escaped = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(f"\\{c}" if c in "\\`*_{}[]#|~$" else c for c in escaped)


def _sayings(rows: Sequence[Row], name_of: Callable[[Row], str]) -> Iterator[ReportedAnswer]:
    """What was answered, by rows of what each variant says of the whole: its mean, or its failure."""
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
    """How far from `standard`, where both are values between 0 and 1; counts, sums of gains and the like have no scale."""
    both = [value for value in (row.value, row.expected) if isinstance(value, float | int) and 0 <= value <= 1]
    return abs(both[0] - both[1]) if len(both) == 2 and _has_scale(row.measure) else 0.0  # noqa: PLR2004 - both


def known_measure(measure: str) -> Measure | None:
    """A measure as it is known here; None where it is not, as in results of another version."""
    try:
        return parse(measure)
    except UnknownMeasure:
        return None


def form_of(measure: str) -> str:
    """The form of a measure; the measure itself where it is not known here."""
    known = known_measure(measure)
    return measure if known is None else key_of(known)


@lru_cache(maxsize=4096)
def _has_scale(measure: str) -> bool:
    """Whether there is a greatest value; not of a measure that is not known here."""
    known = known_measure(measure)
    bounds = None if known is None else bounds_of(known)
    return bounds is not None and math.isfinite(bounds[1])
