"""Moves: what a library does otherwise from one environment to the next, each told once for all of its variants and cutoffs.

Groups are of one variant and of what the sheet has for each side. Here those are put together that are one decision of the library: the
same measure went from numbers to refusals, or a number is another one by the same convention.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankproof.grouping import grouped
from rankproof.history.answer_changes import AnswerChange
from rankproof.history.change_groups import ChangeGroup
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.measure_forms import name_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, parse_conventions

ABSENT = frozenset({"nothing", "unsupported"})
"""What is answered where the library has no such measure, or nothing to say."""


@dataclass(frozen=True)
class Move:
    """One thing that a library does otherwise.

    Attributes:
        measure: its name, without cutoff and other parameters.
        variants: the ways of asking in which it is seen.
        conventions: those of which one, changed, gives the answers that the sheet does not claim; empty where none does, or none has to.
        groups: what it is made of.
    """

    library: str
    measure: str
    variants: tuple[str, ...]
    conventions: tuple[str, ...]
    groups: tuple[ChangeGroup, ...]

    @property
    def changes(self) -> tuple[AnswerChange, ...]:
        """All answers that moved by it."""
        return tuple(change for group in self.groups for change in group.changes)

    @property
    def witness(self) -> AnswerChange:
        """The change that shows most."""
        return min((group.witness for group in self.groups), key=_shows_least)

    @property
    def largest(self) -> float | None:
        """How far a number moved at most."""
        return max((group.largest for group in self.groups if group.largest is not None), default=None)

    @property
    def is_new(self) -> bool:
        """Whether there was nothing like it before."""
        return sorts_of(self.witness)[0] == "absent"

    @property
    def is_gone(self) -> bool:
        """Whether there is nothing like it any more."""
        return sorts_of(self.witness)[1] == "absent"

    @property
    def guess_is_of(self) -> str:
        """Of which side the conventions are: `before` or `after`."""
        row = self.witness.old
        return "before" if row is not None and row.verdict in FAILS else "after"


def _shows_least(change: AnswerChange) -> tuple[object, ...]:
    """What shows a move best comes first: an answer on both sides, then the largest move, a mean before a query."""
    silent = sum(kind_of_answer(row) in ABSENT for row in (change.old, change.new))
    return silent, -(change.size or 0), change.row.query is not None, change.row.case


def kind_of_answer(row: Row | None) -> str:
    """What an answer is: a number, a refusal by its type, or nothing.

    >>> kind_of_answer(None)
    'nothing'
    """
    if row is None:
        return "nothing"
    if row.error is not None or row.value is None:
        return (row.error or str(row.verdict)).partition(":")[0]
    return "number"


def moves(groups: Iterable[ChangeGroup]) -> list[Move]:
    """The moves that groups make, those of most answers first; what is refused as before, in other words, is none."""
    sorts: dict[tuple[str, str, str, str], list[ChangeGroup]] = defaultdict(list)
    for group in groups:
        before, after = sorts_of(group.witness)
        if before != after or before == "number":
            sorts[group.library, name_of(group.witness.row.measure), before, after].append(group)
    found = [
        _move(library, measure, conventions, those)
        for (library, measure, _, _), of_a_sort in sorts.items()
        for conventions, those in _by_convention(of_a_sort)
    ]
    return sorted(found, key=lambda move: (-len(move.changes), move.measure))


def sorts_of(change: AnswerChange) -> tuple[str, str]:
    """What both sides are, as far as it tells moves apart: what begins or ends to be there is one move, whatever is said of it."""
    before, after = (kind_of_answer(row) for row in (change.old, change.new))
    if before in ABSENT:
        return "absent", "there"
    if after in ABSENT:
        # Where the library has no mean of its own, a refusal of the whole gives way to the answers of queries.
        gives_way = change.old is not None and change.old.error is not None and change.new is None
        return before, "number" if gives_way else "absent"
    return before, after


def _move(library: str, measure: str, conventions: Sequence[str], groups: Sequence[ChangeGroup]) -> Move:
    variants = tuple(dict.fromkeys(group.variant for group in groups))
    # One answer fits many a convention by chance.
    alone = sum(len(group.changes) for group in groups) == 1
    return Move(library, measure, variants, () if alone else tuple(conventions), tuple(groups))


def _by_convention(groups: Sequence[ChangeGroup]) -> Iterator[tuple[list[str], list[ChangeGroup]]]:
    """Groups together that one convention explains; those that none explains, by what they are."""
    if "absent" in sorts_of(groups[0].witness):
        yield [], list(groups)
        return
    left = [(group, options) for group in groups if (options := conventions_of(group))]
    rest = [group for group in groups if not conventions_of(group)]
    while left:
        common = left[0][1]
        for _, options in left[1:]:
            common = [one for one in common if one in options] or common
        yield common, [group for group, options in left if set(common) & set(options)]
        left = [(group, options) for group, options in left if not set(common) & set(options)]
    sides = ((group, (group.witness.old, group.witness.new)) for group in rest)
    for alike in grouped((tuple(row and row.verdict for row in both), group) for group, both in sides).values():
        yield [], alike


def conventions_of(group: ChangeGroup) -> list[str]:
    """The conventions of which one is behind a group: the guess, or where both sides are explained what differs between them."""
    if group.guess.conventions:
        return list(group.guess.conventions)
    old, new = (_conventions(row) for row in (group.witness.old, group.witness.new))
    return [] if old is None or new is None else [f"{axis}={value}" for axis, value in old.differences(new).items()]


def _conventions(row: Row | None) -> Conventions | None:
    """What is behind an answer that is explained."""
    if row is None or row.verdict not in {Verdict.AGREES, Verdict.CONVENTION}:
        return None
    try:
        return parse_conventions(" ".join(row.conventions), STANDARD)
    except UnknownConvention:
        return None


def in_words(convention: str) -> str:
    """A convention as a person says it.

    >>> in_words("ties=expectation")
    'the mean over all orders of ties'
    """
    axis, _, value = convention.partition("=")
    return AXES[axis].phrase(value) if axis in AXES else convention
