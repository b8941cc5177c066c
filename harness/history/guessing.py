"""Guessing: the convention that might be behind answers that nothing explains.

A sheet speaks of one version, so that the answers of another one are often unexplained. Where changing one convention gives most of them,
that convention is told as a guess.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.history.answer_changes import BY_ANSWER, AnswerChange
from rankproof.inference.comparing import gives, reading_of
from rankproof.inference.fewest_changes import changes_that_fit
from rankproof.inference.recalled import Recalled, recalled
from rankproof.inference.reference_answers import Refused
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, parse_conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import libraries, usable
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import Sheet

MOST_GUESSES = 3
"""More conventions than these that fit say nothing."""
FULLY_TRIED = 4
"""On so many answers of a group every convention is tried, and on the others what fits one of these."""
REFUSE_ANYTHING = frozenset({("ids", "digit-queries"), ("short", "rejected")})
"""Conventions that would refuse so many cases that they explain no refusal."""
Pair: TypeAlias = tuple[str, str]
"""A convention: an axis and its value."""
EVERY = [pair for axis in AXES.values() for value in axis.values if (pair := (axis.name, value)) not in REFUSE_ANYTHING]


@dataclass(frozen=True, slots=True)
class Guess:
    """The conventions of which one may be behind answers that nothing explains.

    Attributes:
        conventions: as `axis=value`; none where none is.
        explained: how many of the answers each of them gives.
        of: how many answers there are.
    """

    conventions: tuple[str, ...] = ()
    explained: int = 0
    of: int = 0

    def __str__(self) -> str:
        """That, in words; "" where there is none.

        >>> str(Guess(("ties=input", "gain=exp"), 2, 3))
        'as by ties=input or gain=exp, 2 of 3'
        """
        if not self.conventions:
            return ""
        some = "" if self.explained == self.of else f", {self.explained} of {self.of}"
        return f"as by {' or '.join(self.conventions)}{some}"


def guessed(changes: Sequence[AnswerChange]) -> Guess:
    """The convention that gives the answers that fail, or most of them, as far as they can be computed."""
    failing = [one for change in changes if change.kind in BY_ANSWER and (one := _failing(change)) is not None]
    if len(failing) < len(changes):
        return Guess()
    fitting = dict.fromkeys(pair for one in failing[:FULLY_TRIED] for pair in _giving(*one, EVERY))
    counts = Counter(pair for one in failing for pair in _giving(*one, list(fitting)))
    most = max(counts.values(), default=0)
    best = [f"{axis}={value}" for axis, value in fitting if counts[axis, value] == most]
    if not best or len(best) > MOST_GUESSES or most * 2 <= len(failing):
        return Guess()
    return Guess(tuple(best), most, len(failing))


def _failing(change: AnswerChange) -> tuple[Recalled, Row, tuple[Conventions, ...]] | None:
    """The side that fails, the reference asked about its case, and the conventions that one may be changed of."""
    row = next((row for row in (change.new, change.old) if row is not None and row.verdict in FAILS), None)
    if row is None or (oracle := _oracle(row)) is None:
        return None
    return oracle, row, _bases(row, change.old if row is change.new else change.new)


def _bases(row: Row, other: Row | None) -> tuple[Conventions, ...]:
    """What the sheet claims, and what explains the other side; `standard` where that has no conventions, or some that are not known."""
    sheet = _sheets().get(row.library)
    claimed = [] if sheet is None else [sheet.of_version(row.version).profile_of(row.variant, parse(row.measure))]
    try:
        told = parse_conventions(" ".join(other.conventions)) if other is not None else STANDARD
    except UnknownConvention:
        told = STANDARD
    return tuple(dict.fromkeys([*claimed, told]))


@cache
def _sheets() -> Mapping[str, Sheet]:
    return {library.name: library.sheet for library in usable(libraries(draft=True))}


@cache
def _files() -> Mapping[str, Path]:
    return {f"{file.parent.name}/{file.stem}": file for file in corpus.files()}


@cache
def _asked(case: str) -> tuple[Case, Recalled]:
    found = corpus.load(_files()[case])
    return found, recalled(found.input)


def _oracle(row: Row) -> Recalled | None:
    """The reference, asked about the case of a row; None where the corpus has no such case, or another one."""
    case, oracle = _asked(row.case) if row.case in _files() else (None, None)
    if case is None or oracle is None or row.measure not in case.measures:
        return None
    return oracle if alike(reading_of(oracle.answers(parse(row.measure), STANDARD), row.query), row.expected) else None


def _giving(oracle: Recalled, row: Row, bases: Iterable[Conventions], tried: Sequence[Pair]) -> list[Pair]:
    """Of these conventions, those that give a row's answer once one of the bases is changed to them."""
    choices = grouped(tried)
    found = {
        pair
        for base in bases
        for change in changes_that_fit(base, choices, lambda conventions: _is(oracle, row, conventions), 1)
        for pair in change.items()
    }
    return [pair for pair in tried if pair in found]


def _is(oracle: Recalled, row: Row, conventions: Conventions) -> bool:
    answers = oracle.answers(parse(row.measure), conventions)
    if row.value is None:
        return row.verdict is Verdict.ERROR and isinstance(answers, Refused)
    return gives(answers, row.query, row.value, "float32")
