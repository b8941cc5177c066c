"""Changes of values between two results files.

A *question* is a measure on a case, tested with a variant of a library in a version. If either file has several
versions of a library, each version is compared with itself. Otherwise the version in OLD is compared with the version
in NEW.

Two numbers are equal within float noise (1e-12 relative). Two errors are equal if they differ only in paths, addresses and the like.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import FAILS, HOLDS, Row, Verdict
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.rounds import is_of
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import steady
from rankproof.workers.subjects import Environment, Subject

VariantKey = tuple[str, str, tuple[str, Environment] | None]
"""Library, variant, and (if a file has several versions of the library) version with environment."""

Question = tuple[VariantKey, str, str]
"""Variant, case, measure."""

Key = tuple[Question, str | None]
"""A question and a query."""


class ChangeKind(StrEnum):
    """The kinds of changes of a value or error, the most severe first."""

    FAILING = "newly failing"
    MOVED = "moved"
    LOST = "lost"
    FIXED = "fixed"
    WORDED = "worded otherwise"
    NEW = "new"
    GONE = "gone"


MOVES = frozenset({ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.LOST})
BY_ANSWER = (ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.FIXED)
"""The kinds of changes with a result on both sides."""
ABSENT = frozenset({"nothing", "unsupported"})
"""Kinds of results of a library that does not have the measure, or returns no value."""


class NothingCompared(Unusable):
    """An error if neither file has a row of the requested libraries and measures."""


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A changed result; a side is None if it has no row."""

    kind: ChangeKind
    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """The row with the place of the change."""
        sides = [row for row in (self.new, self.old) if row is not None]
        return next((row for row in sides if row.query is not None), sides[0])

    @property
    def size(self) -> float | None:
        """The absolute difference; None if a side is not a finite number."""
        match [None if row is None else row.value for row in (self.old, self.new)]:
            case [int() | float() as old, int() | float() as new] if math.isfinite(old) and math.isfinite(new):
                return abs(old - new)
        return None

    @property
    def sides(self) -> tuple[str, str]:
        """The kinds of both results, as in `kind_of_answer`; a new result is `there`, a missing one `absent`."""
        before, after = kind_of_answer(self.old), kind_of_answer(self.new)
        if before in ABSENT:
            return "absent", "there"
        if after in ABSENT:
            return before, "absent"
        return before, after


def kind_of_answer(row: Row | None) -> str:
    """Return the kind of a result: `number`, the type of an error, a verdict without a value, or `nothing`.

    >>> kind_of_answer(None)
    'nothing'
    """
    if row is None:
        return "nothing"
    if row.error is not None or row.value is None:
        return (row.error or str(row.verdict)).partition(":")[0]
    return "number"


@dataclass(frozen=True)
class Drift:
    """The changes between two results files."""

    old: RunResults
    new: RunResults
    changes: tuple[AnswerChange, ...]

    @property
    def moved(self) -> bool:
        """Whether a value moved, is lost or newly fails."""
        return any(change.kind in MOVES for change in self.changes)

    @cached_property
    def counts(self) -> Mapping[ChangeKind, int]:
        """The number of changes of each kind."""
        counts = Counter(change.kind for change in self.changes)
        return {kind: counts[kind] for kind in ChangeKind}

    def versioned_name(self, row: Row) -> str:
        """Return the subject of a row with its version if a file has several versions of the library; otherwise ""."""
        several = any(len(results.libraries.get(row.library, ())) > 1 for results in (self.old, self.new))
        return {**self.old.names, **self.new.names}[row.subject] if several else ""


def compared(old: RunResults, new: RunResults, library: str = "*", measure: str = "*") -> Drift:
    """Compare two results files, for libraries or variants and measures that match a name or glob (`ir_measures/ranx`).

    Raises:
        NothingCompared: neither file has a row of such a library and measure.
    """
    several = {name for results in (old, new) for name, versions in results.libraries.items() if len(versions) > 1}

    def variant_of(subject: Subject) -> VariantKey:
        slot = (subject.version, subject.environment) if subject.library in several else None
        return subject.library, subject.variant, slot

    def answers(results: RunResults) -> dict[Key, Row]:
        return {
            ((variant_of(row.subject), row.case, row.measure), row.query): row
            for row in results.rows
            if row.case and row.subject.is_called(library) and is_of(row.measure, measure)
        }

    before, after = answers(old), answers(new)
    if not before and not after:
        raise NothingCompared(f"neither file has a row of library {library} and measure {measure}")
    in_new = _NewFile(
        {variant_of(row.subject) for row in new.rows if row.case},
        {
            variant_of(installation.subject(variant))
            for installation in new.installations
            for variant in installation.others
        },
        {variant_of(installation.subject())[::2] for installation in new.installations},
        {installation.library for installation in new.installations if installation.why_not},
        {(row.case, row.measure) for row in new.rows},
    )
    questions = {question for question, _ in before}
    changes = []
    for key in dict.fromkeys([*before, *after]):
        was, row = _answer(before, key), _answer(after, key)
        if was is not None and row is not None:
            kind = _kind_of_change(was, row)
        elif was is not None:
            kind = _kind_of_missing(key[0], was, in_new)
        else:
            kind = None if row is None else _kind_of_added(row, is_known=key[0] in questions)
        changes += [] if kind is None else [AnswerChange(kind, was, row)]
    return Drift(old, new, tuple(changes))


@dataclass(frozen=True)
class _NewFile:
    """The content of NEW: variants, variants that did not run, versions of libraries, failed libraries, questions."""

    variants: set[VariantKey]
    left_out: set[VariantKey]
    versions: set[tuple[object, ...]]
    failed: set[str]
    questions: set[tuple[str, str]]


def _kind_of_missing(question: Question, old: Row, new: _NewFile) -> ChangeKind | None:
    """Return the kind of change of a result that NEW does not have."""
    variant, case, measure = question
    ran = (variant[::2] in new.versions and variant not in new.left_out) or variant[0] in new.failed
    if old.verdict is Verdict.UNSUPPORTED:
        return None
    if not ran or (case, measure) not in new.questions:
        return ChangeKind.GONE
    if variant not in new.variants:
        return ChangeKind.LOST
    # NEW ran the library, so without a row it correctly returned no value for the query.
    return ChangeKind.FIXED if old.verdict in FAILS else ChangeKind.MOVED


def _kind_of_added(row: Row, *, is_known: bool) -> ChangeKind | None:
    if row.verdict in FAILS or row.verdict is Verdict.UNSUPPORTED:
        return ChangeKind.FAILING if row.verdict in FAILS else None
    return ChangeKind.MOVED if is_known else ChangeKind.NEW


def _answer(rows: Mapping[Key, Row], key: Key) -> Row | None:
    """Return the row of a query, or the error of the whole measure on the case."""
    whole = rows.get((key[0], None))
    return rows.get(key) or (whole if whole is not None and whole.error is not None else None)


def _kind_of_change(old: Row, new: Row) -> ChangeKind | None:
    if old.verdict in FAILS and new.verdict in HOLDS:
        return ChangeKind.FIXED
    if old.verdict not in FAILS and new.verdict in FAILS:
        return ChangeKind.FAILING
    if old.verdict != new.verdict or not alike(old.value, new.value):
        return ChangeKind.MOVED
    if steady(old.error or "") == steady(new.error or ""):
        return None
    types = {(row.error or "").partition(":")[0] for row in (old, new)}
    return ChangeKind.WORDED if old.verdict in HOLDS and len(types) == 1 and types != {""} else ChangeKind.MOVED
