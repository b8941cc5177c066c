"""Number lines: all values of a measure of a case, from libraries and conventions, on one scale."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import CannotTell, reading_of
from rankproof.judge.verdicts import FAILING, MARKS, Row, Verdict, mark_of
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.report.run_report import Report
from rankproof.text import short
from rankproof.workers.observations import Reading
from rankproof.workers.subjects import Subject

ERROR = "error"
"""The text in place of a value if a library raised an error."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Libraries that give a value by the same conventions.

    Attributes:
        libraries: rows (library, variants); without variants if all variants that ran are included.
        mark: the kind of their verdict.
        texts: their errors and the notes on them.
    """

    libraries: list[tuple[str, list[str]]]
    mark: str
    conventions: tuple[str, ...]
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Line:
    """A value on a number line: its position in percent, the libraries that give it, and other conventions that do."""

    text: str
    at: float | None
    standard: bool
    voices: list[Voice]
    specs: list[str]


@dataclass(frozen=True, slots=True)
class NumberLine:
    """Number line of a measure of a case; `standard` is the position of the value of `standard` in percent."""

    measure: str
    lines: list[Line]
    ticks: list[str]
    total: int
    differ: int
    standard: float | None

    @property
    def unanimous(self) -> bool:
        """Whether all libraries, and all conventions in the case, give the value of `standard`."""
        return len(self.lines) == 1 and all(voice.mark == Verdict.AGREES for voice in self.lines[0].voices)

    @property
    def values(self) -> int:
        """The number of different values of libraries."""
        return sum(bool(line.voices) for line in self.lines)


def number_line(report: Report, case: Case, measure: str, rows: Sequence[Row]) -> NumberLine:
    """Return the number line of the mean of a measure."""
    per_query_only = _without_a_mean(case, measure, rows)
    rows = [row for row in rows if row.query is None or row.subject in per_query_only]
    expected = dict(_expected(case, measure, None))
    standard = None if case.undefined else expected.get("standard", rows[0].expected if rows else None)
    observed = grouped((ERROR if row.error is not None else short(row.value), row) for row in rows)
    refusal = ERROR if ERROR in observed else short(None)
    specs = grouped((refusal if value is None else short(value), spec) for spec, value in expected.items())
    values = {text: expected[own[0]] for text, own in specs.items()}
    values |= {text: own[0].value for text, own in observed.items()}
    numbers = [v for v in (*values.values(), standard) if isinstance(v, float | int) and math.isfinite(v)]
    low, high = min([0.0, *numbers]), max([1.0, *numbers])

    def place(value: Reading | None) -> float | None:
        return (
            round(100 * ((value - low) / (high - low)), 1) if value in numbers and math.isfinite(high - low) else None
        )

    marked = "" if case.undefined else refusal if standard is None else short(standard)
    lines = []
    for text in sorted(values, key=lambda text: _descending(values[text])):
        voices = list(_voices(observed.get(text, ()), rows, report))
        reasons = {"standard", *(" ".join(voice.conventions) for voice in voices)}
        others = [spec for spec in specs.get(text, ()) if spec not in reasons]
        lines.append(Line(text, place(values[text]), text == marked, voices, others))
    ticks = [f"{low + (high - low) * (quarter / 4):.4g}" for quarter in range(5)]
    differ = sum(row.verdict is not Verdict.AGREES for row in rows)
    return NumberLine(measure, lines, ticks, len(rows), differ, place(standard))


def _without_a_mean(case: Case, measure: str, rows: Sequence[Row]) -> frozenset[Subject]:
    """Return the subjects without a mean, if the mean always equals the value of the only query of the case."""
    subjects = frozenset(row.subject for row in rows) - {row.subject for row in rows if row.query is None}
    if not subjects or len(case.queries) != 1:
        return frozenset()
    (only,) = case.queries
    is_mean = list(_expected(case, measure, None)) == list(_expected(case, measure, str(only)))
    return subjects if is_mean else frozenset()


def _expected(case: Case, measure: str, query: str | None) -> Iterator[tuple[str, Reading | None]]:
    """Yield all conventions in the case with the value of the reference."""
    specs = (case.expect or {}).get(measure, {})
    for spec in dict.fromkeys(["standard", *specs] if not case.undefined else []):
        try:
            answers = recalled(case.input).answers(parse(measure), spec)
        except (UnknownMeasure, UnknownConvention):
            continue
        if not isinstance(answers, CannotTell):
            yield spec, reading_of(answers, query)


def _voices(rows: Sequence[Row], all_rows: Sequence[Row], report: Report) -> Iterator[Voice]:
    """Yield the libraries that give one value, by convention; `all_rows` has the rows of all values."""
    variants = report.results.variants
    run = grouped(dict.fromkeys(variants[row.subject] for row in all_rows))
    by_reason = grouped(((MARKS.index(_mark(row)), row.conventions), row) for row in rows)
    for (mark, conventions), own in sorted(by_reason.items(), key=lambda item: (item[0][0], len(item[0][1]))):
        libraries = [
            (library, [] if {*names} == {*run[library]} else [name for name in dict.fromkeys(names) if name])
            for library, names in grouped(variants[row.subject] for row in own).items()
        ]
        texts = dict.fromkeys(text for row in own for text in _texts(row))
        yield Voice(libraries, MARKS[mark], conventions, list(texts))


def _mark(row: Row) -> str:
    return mark_of(row.verdict) if mark_of(row.verdict) in MARKS else str(Verdict.UNDEFINED)


def _texts(row: Row) -> Iterator[str]:
    """Yield why a value differs from `standard`, and the error of the library."""
    if _mark(row) == FAILING:
        yield str(row.verdict)
    if row.note and row.verdict is not Verdict.AGREES:
        yield row.note
    if row.error:
        yield row.error


def _descending(value: Reading | None) -> tuple[int, float]:
    return (0, -value) if isinstance(value, float | int) and not math.isnan(value) else (1, 0.0)
