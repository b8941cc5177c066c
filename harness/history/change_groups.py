"""Groups: the changes that have one cause, and what is behind each side."""

from collections import defaultdict
from dataclasses import dataclass, field

from rankproof.history.answer_changes import BY_ANSWER, AnswerChange, ChangeKind, Drift
from rankproof.history.guessing import Guess, guessed
from rankproof.judge.verdicts import Row, Verdict
from rankproof.measure_forms import any_cutoff


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Answers that changed for one cause, in one measure of one variant; of what is lost, new or gone, all answers of a variant.

    Attributes:
        which: the subject with its version, where one side has several versions of the library.
        measure: with `@k` for any cutoff; empty where there are many.
        before: what was behind the old answers: conventions, or a verdict.
        after: what is behind the new ones.
        guess: the convention that would give the answers that fail, if a single one does.
    """

    kind: ChangeKind
    library: str
    variant: str
    which: str
    measure: str
    before: str
    after: str
    changes: tuple[AnswerChange, ...]
    guess: Guess = field(default_factory=Guess)

    @property
    def who(self) -> str:
        """The variant, or the subject with its version where there are several."""
        return self.which or self.variant

    @property
    def cause(self) -> str:
        """Both sides, and the guess where one side is unexplained."""
        both = self.after if self.before == self.after else f"{self.before} → {self.after}"
        return f"{both} ({self.guess})" if self.guess.conventions else both

    @property
    def largest(self) -> float | None:
        """How far a number moved at most."""
        return max((change.size for change in self.changes if change.size is not None), default=None)

    @property
    def witness(self) -> AnswerChange:
        """The change that shows most: the largest, a mean before a query."""
        return min(self.changes, key=lambda c: (-(c.size or 0), c.row.query is not None, c.row.case))


def grouped(drift: Drift) -> list[ChangeGroup]:
    """The changes by kind, library, variant, measure and cause; those first that matter most."""
    found: dict[tuple[ChangeKind, str, str, str, str, str, str], list[AnswerChange]] = defaultdict(list)
    for change in drift.changes:
        row = change.row
        told = change.kind in BY_ANSWER
        cause = (any_cutoff(row.measure), behind(change.old), behind(change.new)) if told else ("", "", "")
        found[change.kind, row.library, row.variant, drift.which(row), *cause].append(change)
    kinds = list(ChangeKind)
    groups = [ChangeGroup(*key, tuple(changes), guessed(changes)) for key, changes in found.items()]
    return sorted(groups, key=lambda g: (kinds.index(g.kind), g.library, -len(g.changes), -(g.largest or 0)))


def behind(row: Row | None) -> str:
    """What is behind an answer: conventions where they explain it, else the verdict."""
    if row is None:
        return "no answer"
    told = {Verdict.AGREES: "standard", Verdict.KNOWN: "exception"}.get(row.verdict)
    return told or " ".join(row.conventions) or str(row.verdict)
