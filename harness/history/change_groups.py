"""Groups of changes with the same cause."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rankproof.grouping import grouped
from rankproof.history.answer_changes import ABSENT, BY_ANSWER, AnswerChange, ChangeKind, Drift, kind_of_answer
from rankproof.history.causes import Causes, Changes, FormCause
from rankproof.measure_forms import any_cutoff, name_of


@dataclass(frozen=True)
class ChangeGroup:
    """Values that changed in the same way, and their causes, which all name the same conventions.

    The measure is a form (`nDCG@k`), a name, or empty. `versioned_name` has the version if a file has several.
    """

    measure: str
    changes: tuple[AnswerChange, ...]
    causes: tuple[FormCause, ...]
    versioned_name: str = ""

    @property
    def kind(self) -> ChangeKind:
        """The kind of the changes."""
        return self.changes[0].kind

    @property
    def library(self) -> str:
        """The library with the changes."""
        return self.changes[0].row.library

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants with the changes."""
        return tuple(dict.fromkeys(change.row.variant for change in self.changes))

    @property
    def conventions(self) -> Changes:
        """The conventions that changed; empty if the cause is undetermined."""
        return self.causes[0].changes

    @property
    def profiles(self) -> dict[tuple[str, str], FormCause]:
        """The signatures before and after, by variant and form."""
        of_forms = zip(self.changes, self.causes, strict=True)
        return {(c.row.variant, any_cutoff(c.row.measure)): cause for c, cause in of_forms if cause.before}

    @property
    def largest(self) -> float | None:
        """The largest difference of two numbers."""
        return max((change.size for change in self.changes if change.size is not None), default=None)

    @property
    def witness(self) -> AnswerChange:
        """The clearest change: with results on both sides, then the largest difference, a mean before a query."""
        return min(self.changes, key=_shows_least)

    @property
    def is_new(self) -> bool:
        """Whether there was no result before."""
        return self.witness.sides[0] == "absent"

    @property
    def is_gone(self) -> bool:
        """Whether there is no longer a result."""
        return self.witness.sides[1] == "absent"


def _shows_least(change: AnswerChange) -> tuple[object, ...]:
    silent = sum(kind_of_answer(row) in ABSENT for row in (change.old, change.new))
    return silent, -(change.size or 0), change.row.query is not None, change.row.case


Key = tuple[str, str, object]
"""Measure, subject with its version, and other features that distinguish groups."""


def _groups(
    changes: Iterable[AnswerChange], cause_of: Callable[[AnswerChange], FormCause], key: Callable[[AnswerChange], Key]
) -> list[ChangeGroup]:
    with_causes = ((change, cause_of(change)) for change in changes)
    by_cause = grouped(((*key(change), cause.changes), (change, cause)) for change, cause in with_causes)
    return [
        ChangeGroup(measure, tuple(change for change, _ in pairs), tuple(cause for _, cause in pairs), versioned_name)
        for (measure, versioned_name, *_), pairs in by_cause.items()
    ]


def groups_of_files(drift: Drift, causes: Causes) -> list[ChangeGroup]:
    """Return the changes of two files by kind, variant, form and cause; lost, new or gone results only by variant."""

    def key(change: AnswerChange) -> Key:
        row = change.row
        form = any_cutoff(row.measure) if change.kind in BY_ANSWER else ""
        return form, drift.versioned_name(row), (change.kind, row.library, row.variant)

    kinds = list(ChangeKind)
    groups = _groups(drift.changes, lambda change: causes.of(change) if change.kind in BY_ANSWER else FormCause(), key)
    return sorted(groups, key=lambda g: (kinds.index(g.kind), g.library, -len(g.changes), -(g.largest or 0)))


def groups_of_releases(changes: Sequence[AnswerChange], causes: Causes) -> list[ChangeGroup]:
    """Return the changes between two releases by measure, kinds of results and cause, the largest group first."""

    def cause_of(change: AnswerChange) -> FormCause:
        return FormCause() if "absent" in change.sides else causes.of(change)

    groups = _groups(changes, cause_of, lambda change: (name_of(change.row.measure), "", change.sides))
    return sorted(groups, key=lambda group: (-len(group.changes), group.measure))
