"""Changes: what became of each answer between two results files.

A *question* is a measure of a case, put to a subject: a variant of a library. The version that OLD has is compared with the one that NEW
has; where one of them has several versions of a library, or several environments, each is compared with itself.

Where both files have a question, whatever differs in its answer is a move:
another value, another error, another verdict. What failed and now holds is fixed; what fails now and did not before is newly failing. Where
only NEW has the question, the answer is new. Where only OLD has it, the answer is lost if NEW put the question to that library and the
variant (or the library) is not there any more, which is a move as well; it is gone if NEW did not ask.

Two numbers are one if they are equal or within float noise (1e-12 relative); two errors, if they are the same but for paths, addresses and
the like. An error of the same type, expected and said in other words, is worded otherwise, and is no move. A value that an honest library
may give either way (`ties=unspecified`, a case tagged undefined) moves like any other.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import FAILS, HOLDS, Row, Verdict
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.same_answers import alike
from rankproof.workers.selection import is_of
from rankproof.workers.sheets import steady
from rankproof.workers.subjects import Environment, Subject

Slot = tuple[str, Environment] | None
"""Which version, in which environment; None where neither side has several of the library."""

Question = tuple[str, str, Slot, str, str]
"""Library, variant, which of its versions, case, measure."""


class ChangeKind(StrEnum):
    """What became of an answer."""

    FAILING = "newly failing"
    """It fails now, and did not before, or was not asked before."""
    MOVED = "moved"
    """Its value, error or verdict changed."""
    LOST = "lost"
    """The question was asked, of a library or variant that is not there any more."""
    FIXED = "fixed"
    """It failed, and holds now."""
    CLAIMED = "claimed otherwise"
    """It is the same answer, and other conventions are given for it."""
    WORDED = "worded otherwise"
    """It is an error of the same type, as expected, in other words."""
    NEW = "new"
    """The question was not asked before."""
    GONE = "gone"
    """The question is not asked any more."""


MOVES = frozenset({ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.LOST})
BY_ANSWER = (ChangeKind.FAILING, ChangeKind.MOVED, ChangeKind.FIXED, ChangeKind.CLAIMED)
"""The kinds that have an answer on both sides worth comparing, the gravest first."""


class NothingCompared(Unusable):
    """The files, or the parts of them that were asked for, have no row."""


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """One answer that is not what it was; a side is None where there is no answer."""

    kind: ChangeKind
    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """The row that says where it is."""
        sides = [row for row in (self.new, self.old) if row is not None]
        return next((row for row in sides if row.query is not None), sides[0])

    @property
    def size(self) -> float | None:
        """How far a number moved; None where it is no number on both sides."""
        values = [row.value for row in (self.old, self.new) if row is not None and isinstance(row.value, int | float)]
        if len(values) < 2 or not all(math.isfinite(value) for value in values):  # noqa: PLR2004 - both sides
            return None
        return abs(values[0] - values[1])


@dataclass(frozen=True)
class Drift:
    """Two results files, compared."""

    old: RunResults
    new: RunResults
    changes: tuple[AnswerChange, ...]

    @property
    def moved(self) -> bool:
        """Whether something moved or is newly failing."""
        return any(change.kind in MOVES for change in self.changes)

    @cached_property
    def counts(self) -> Mapping[ChangeKind, int]:
        """How many answers are of which kind."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in ChangeKind}

    def which(self, row: Row) -> str:
        """The name of a row's subject with its version; nothing where neither side has several versions of the library."""
        names = {**self.old.names, **self.new.names}
        several = any(len(results.libraries.get(row.library, ())) > 1 for results in (self.old, self.new))
        return names[row.subject] if several else ""

    def versions(self, library: str) -> str:
        """A library's version before and after.

        Returns:
            As in `sklearn 1.1.3 → 1.4.0`, or `sklearn 1.4.0` where it stayed, or `sklearn 1.1.3, 1.4.0` where both were asked.
        """
        old, new = (version_in(results, library) for results in (self.old, self.new))
        return f"{library} {new}" if old == new else f"{library} {old} → {new}"


def version_in(results: RunResults, library: str) -> str:
    """The version of a library that results speak of; all of them where there are several."""
    found = results.libraries.get(library, ())
    return ", ".join(dict.fromkeys(one.version or "not installed" for one in found)) or "not asked"


def compared(old: RunResults, new: RunResults, library: str = "*", measure: str = "*") -> Drift:
    """Compare two results.

    Args:
        old: what was.
        new: what is.
        library: a glob of libraries, or of variants, as in `ir_measures/ranx`.
        measure: a measure, its name alone, or a glob.

    Raises:
        NothingCompared: no row of either is of such a library and measure.
    """
    slot = _slots(old, new)
    before, after = (_answers(results, library, measure, slot) for results in (old, new))
    if not before and not after:
        raise NothingCompared(
            f"neither file has a row of library {library} and measure {measure}: nothing was compared"
        )
    put = _Put(
        questions={(row.case, row.measure) for row in new.rows},
        before={key[0] for key in before},
        libraries={(one.library, slot(one.subject())) for one in new.asked},
        variants={(row.library, row.variant, slot(row.subject)) for row in new.rows if row.case},
        others={(one.library, variant, slot(one.subject())) for one in new.asked for variant in one.others},
        unasked={one.library for one in new.asked if one.why_not},
    )
    pairs = ((key, _answer(before, key), _answer(after, key)) for key in dict.fromkeys([*before, *after]))
    changes = (change for key, *pair in pairs if (change := put.change(key, *pair)) is not None)
    return Drift(old, new, tuple(changes))


_Key = tuple[Question, str | None]


def _slots(old: RunResults, new: RunResults) -> Callable[[Subject], Slot]:
    """How versions are told apart: not at all, where neither side has several of a library."""
    several = {name for results in (old, new) for name, found in results.libraries.items() if len(found) > 1}
    return lambda subject: (subject.version, subject.environment) if subject.library in several else None


def _answers(results: RunResults, library: str, measure: str, slot: Callable[[Subject], Slot]) -> dict[_Key, Row]:
    """The rows of cases, by question and query."""
    return {
        ((row.library, row.variant, slot(row.subject), row.case, row.measure), row.query): row
        for row in results.rows
        if row.case and row.subject.is_called(library) and is_of(row.measure, measure)
    }


def _answer(rows: Mapping[_Key, Row], key: _Key) -> Row | None:
    """What is said of a query: its own row, or the error that stands for all of the question."""
    whole = rows.get((key[0], None))
    return rows.get(key) or (whole if whole is not None and whole.error is not None else None)


@dataclass(frozen=True, slots=True)
class _Put:
    """What NEW asked, so that an answer that is lost can be told from a question that was not put."""

    questions: Collection[tuple[str, str]]
    before: Collection[Question]
    libraries: Collection[tuple[str, Slot]]
    variants: Collection[tuple[str, str, Slot]]
    others: Collection[tuple[str, str, Slot]]
    """The variants that were left out."""
    unasked: Collection[str]
    """The libraries that could not be asked, whatever their version."""

    def change(self, key: _Key, old: Row | None, new: Row | None) -> AnswerChange | None:
        """What became of an answer; None if nothing did."""
        question, _ = key
        if old is not None and new is not None:
            kind = _kind(old, new)
        elif old is not None:
            kind = _unless_unsupported(old, self._left(question, old))
        elif new is not None:
            told = ChangeKind.MOVED if question in self.before else ChangeKind.NEW
            kind = ChangeKind.FAILING if new.verdict in FAILS else _unless_unsupported(new, told)
        return None if kind is None else AnswerChange(kind, old, new)

    def _left(self, question: Question, old: Row) -> ChangeKind:
        """What became of an answer that NEW does not have."""
        library, variant, slot, case, measure = question
        left_out = (library, slot) not in self.libraries or (library, variant, slot) in self.others
        if (left_out and library not in self.unasked) or (case, measure) not in self.questions:
            return ChangeKind.GONE
        if (library, variant, slot) not in self.variants:
            return ChangeKind.LOST
        # There is no row where the library rightly says nothing of a query.
        return ChangeKind.FIXED if old.verdict in FAILS else ChangeKind.MOVED


def _unless_unsupported(row: Row, kind: ChangeKind) -> ChangeKind | None:
    return None if row.verdict is Verdict.UNSUPPORTED else kind


def _kind(old: Row, new: Row) -> ChangeKind | None:
    if old.verdict in FAILS and new.verdict in HOLDS:
        return ChangeKind.FIXED
    if old.verdict not in FAILS and new.verdict in FAILS:
        return ChangeKind.FAILING
    if old.verdict != new.verdict or not alike(old.value, new.value):
        return ChangeKind.MOVED
    if not _same_error(old.error, new.error):
        expected = old.verdict in HOLDS and _type(old.error) == _type(new.error) != ""
        return ChangeKind.WORDED if expected else ChangeKind.MOVED
    return ChangeKind.CLAIMED if old.conventions != new.conventions else None


def _type(error: str | None) -> str:
    """The type of an error: what stands before the colon."""
    return (error or "").partition(":")[0]


def _same_error(old: str | None, new: str | None) -> bool:
    return old == new or (old is not None and new is not None and steady(old) == steady(new))
