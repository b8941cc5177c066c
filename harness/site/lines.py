"""Number lines: every answer to a question, and every value that a named convention gives, on one scale."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import CannotTell, reading_of
from rankproof.judge.verdicts import MARKS, Row, Verdict, mark_of
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.report.run_report import Report
from rankproof.text import short
from rankproof.workers.observations import Reading
from rankproof.workers.subjects import Subject, Variant

ERROR = "error"
"""What is shown in place of a value where there is none."""
NOBODY = "nobody"
"""The mark of a value that conventions give and no library."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Those who give an answer for the same reason."""

    who: tuple[tuple[str, str, str], ...]
    """(library, variant, what the two are called); a library all of whose variants are among them stands once, without one."""
    mark: str
    conventions: tuple[str, ...]
    note: str
    error: str
    verdict: str

    @property
    def by_library(self) -> list[tuple[str, list[str]]]:
        """Each library, with its variants where it has several."""
        found: dict[str, list[str]] = {}
        for library, variant, name in self.who:
            found.setdefault(library, []).extend([variant] if name != library else [])
        return list(found.items())


@dataclass(frozen=True, slots=True)
class Line:
    """One answer: who gives it, which conventions would, and where it stands on the scale, in percent."""

    shown: str
    at: float | None
    standard: bool
    voices: tuple[Voice, ...]
    specs: tuple[str, ...]

    @property
    def brief(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, list[str]]]]]:
        """Who gives it, those together who follow the same conventions, whatever an error says: (mark, conventions, who by library)."""
        found: dict[tuple[str, tuple[str, ...]], dict[str, list[str]]] = {}
        for voice in self.voices:
            whose = found.setdefault((voice.mark, voice.conventions), {})
            for library, variants in voice.by_library:
                whose.setdefault(library, []).extend(variants)
        return [(mark, conventions, list(whose.items())) for (mark, conventions), whose in found.items()]

    @property
    def unsaid(self) -> list[str]:
        """The conventions named in the case that give this answer too, but for those that are given as the reason of one."""
        said = {" ".join(voice.conventions) for voice in self.voices}
        return [spec for spec in self.specs if spec != "standard" and spec not in said]

    @property
    def mark(self) -> str:
        """How it is drawn."""
        return self.voices[0].mark if self.voices else NOBODY


@dataclass(frozen=True, slots=True)
class NumberLine:
    """All answers to a measure of a case."""

    measure: str
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]
    asked: int
    differ: int
    standard: float | None
    """Where `standard` stands, in percent."""

    @property
    def unanimous(self) -> bool:
        """Whether all who are asked say what `standard` says, and no convention named in the case says anything else."""
        return len(self.lines) == 1 and all(voice.mark == Verdict.AGREES for voice in self.lines[0].voices)

    @property
    def unit(self) -> bool:
        """Whether the scale is that of most measures, from 0 to 1."""
        return [shown for _, shown in self.ticks] == ["0", ".25", ".5", ".75", "1"]

    @property
    def answers(self) -> int:
        """How many answers libraries gave."""
        return sum(bool(line.voices) for line in self.lines)


def number_line(report: Report, case: Case, measure: str, rows: Sequence[Row], query: str | None = None) -> NumberLine:
    """The number line of a measure, for the mean or for one query; for the mean with who tells none, where it is the query's value."""
    alone = without_a_mean(case, measure, rows) if query is None else frozenset()
    rows = [row for row in rows if row.query == query or row.subject in alone]
    expected = dict(_expected(case, measure, query))
    standard = None if case.undefined else expected.get("standard", rows[0].expected if rows else None)
    said = grouped((ERROR if row.error is not None else short(row.value), row) for row in rows)
    named = grouped((_refusal(said) if value is None else short(value), spec) for spec, value in expected.items())
    values = {shown: own[0].value for shown, own in said.items()}
    values |= {shown: expected[specs[0]] for shown, specs in named.items() if shown not in said}
    scale = _Scale.of([value for value in (*values.values(), standard) if isinstance(value, float | int)])
    marked = None if case.undefined else short(standard) if standard is not None else _refusal(said)
    lines: list[Line] = []
    for shown in sorted(values, key=lambda s: _descending(values[s])):
        voices = tuple(_voices(said.get(shown, ()), rows, report))
        lines.append(Line(shown, scale.at(values[shown]), shown == marked, voices, tuple(named.get(shown, ()))))
    differ = sum(row.verdict is not Verdict.AGREES for row in rows)
    return NumberLine(measure, tuple(lines), scale.ticks, len(rows), differ, scale.at(standard))


def without_a_mean(case: Case, measure: str, rows: Sequence[Row]) -> frozenset[Subject]:
    """Who tells of a case's only query and no mean, where by all that the case names the mean is what the query is worth; else nobody."""
    if len(case.queries) != 1:
        return frozenset()
    (only,) = case.queries
    if list(_expected(case, measure, None)) != list(_expected(case, measure, str(only))):
        return frozenset()
    return frozenset(row.subject for row in rows) - {row.subject for row in rows if row.query is None}


def _refusal(said: Iterable[str]) -> str:
    """An error is how libraries refuse; where none did, the refusal stands for itself."""
    return ERROR if ERROR in said else short(None)


def _expected(case: Case, measure: str, query: str | None) -> Iterator[tuple[str, Reading | None]]:
    """What the conventions named in the case give."""
    named = (case.expect or {}).get(measure, {})
    for spec in dict.fromkeys(["standard", *named] if not case.undefined else []):
        try:
            answers = recalled(case.input).answers(parse(measure), spec)
        except (UnknownMeasure, UnknownConvention):
            continue
        if not isinstance(answers, CannotTell):
            yield spec, reading_of(answers, query)


def _voices(saying: Sequence[Row], rows: Sequence[Row], report: Report) -> Iterator[Voice]:
    """Those who give one answer, by their reasons; `rows` are all answers to the question."""
    groups = defaultdict(list)
    variants = report.results.variants
    for row in saying:
        mark = mark_of(row.verdict) if mark_of(row.verdict) in MARKS else str(Verdict.UNDEFINED)
        note = row.note if row.verdict is not Verdict.AGREES else ""
        reason = mark, row.conventions, note, row.error or "", str(row.verdict)
        groups[reason].append((*variants[row.subject], report.name_of(row)))
    for reason, who in sorted(groups.items(), key=lambda item: (MARKS.index(item[0][0]), len(item[0][1]))):
        yield Voice(tuple(_together(who, rows, variants)), *reason)


def _together(
    who: Sequence[tuple[str, str, str]], rows: Sequence[Row], variants: Mapping[Subject, Variant]
) -> Iterator[tuple[str, str, str]]:
    """A library once, where all of its variants that answer the question give this answer for this reason."""
    for library in dict.fromkeys(library for library, *_ in who):
        asked = {variants[row.subject][1] for row in rows if row.library == library}
        own = [one for one in who if one[0] == library]
        yield from own if {variant for _, variant, _ in own} < asked else [(library, "", library)]


def _descending(value: Reading | None) -> tuple[int, float]:
    return (0, -value) if isinstance(value, float | int) and not math.isnan(value) else (1, 0.0)


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "_Scale":
        """From 0 to 1 where all values are; else to the next round numbers."""
        finite = [float(value) for value in values if math.isfinite(value)]
        low, high = min([0.0, *finite]), max([0.0, *finite])
        if low >= 0 and high <= 1:
            return cls(0.0, 1.0)
        step = 10.0 ** math.floor(math.log10((high - low) or 1.0))
        if not math.isfinite(step) or step == 0:
            return cls(low, high)
        step = next((step / part for part in (4, 2, 1) if (high - low) / (step / part) <= 8), step)  # noqa: PLR2004 - ticks
        return cls(math.floor(low / step) * step, math.ceil(high / step) * step)

    def at(self, value: Reading | None) -> float | None:
        """Where a value stands, in percent of the line."""
        if not isinstance(value, float | int) or not math.isfinite(value) or self.high <= self.low:
            return None
        return round(100 * (value - self.low) / (self.high - self.low), 1)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Five places, and what stands there."""
        width = self.high - self.low
        return tuple((25.0 * i, short(self.low + width * i / 4)) for i in range(5)) if math.isfinite(width) else ()
