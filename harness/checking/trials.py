"""Trials: small inputs of nothing special, by which the right way to call a function is told from the others.

A way is right if what the function gives is explained: one set of conventions of the measure gives all of its answers. That an answer is
a number says little: a list of ids read as rels gives one, too.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count, islice, product
from math import gcd, isfinite, prod

from rankproof.calling.targets import QUERY, Target
from rankproof.cases.inputs import Input
from rankproof.checking.recognition_limits import (
    CONCORD_NAMED,
    CONCORD_UNNAMED,
    DIFFERENT,
    LONG,
    LOW,
    MANY_NUMBERS,
    MOST_CONVENTIONS,
    NEAR,
    SHARE_OF_CHANCE,
)
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.meaning.deciding_axes import values_of
from rankproof.meaning.measure_forms import cut_at
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered, Failure, readings

LABELS = Input(true=(0, 0, 1, 1, 2, 2, 2), predicted=(0, 1, 1, 1, 2, 2, 0))
LONG_RELS = (0, 2, 1, 0, 3, 0, 1)
LEFT_OUT = frozenset({"gain_threshold"})
"""The axes of formulas that matter to no trial."""
TRIED_AXES = ("order", "unretrieved", "relevant", "unjudged")
"""The axes beside the formula's own that may matter to a trial."""


def input_of(rows: Mapping[str, str]) -> Input:
    """Qrels and run, of a text for each query as `doc:rel:score …`; a doc without a score is not retrieved."""
    given = [(query, *row.split(":")) for query, text in rows.items() for row in text.split()]
    places: Counter[str] = Counter()
    run = []
    for query, doc, _, *score in given:
        if score:
            places[query] += 1
            run.append((query, doc, float(score[0]), places[query]))
    return Input(qrels=tuple((query, doc, int(rel)) for query, doc, rel, *_ in given), run=tuple(run))


PLAIN = input_of({"q1": "a1:1:0.875 b7:0:0.75 c30:1:0.625 d2:0:0.5 e5:1"})
"""One query, flags, in rank order: what almost every function takes."""
GRADED = input_of({"q1": "m1:0:0.375 k2:2:0.875 b6:3:0.125 x7:1:0.625 z1:2"})
RATED = input_of({"q1": "s4:4:0.5 o1:1:0.875 l3:3:0.75 t4:4:0.625 w2:2:0.375 y9:0:0.25 v4:4"})
"""Of rels up to 4, as stars are given: what is above a threshold of 3 or 3.5 is told from what is not."""
RAGGED = input_of(
    {
        "q1": "d4:0:0.5 b22:1:0.75 a3:1:0.25",
        "q2": "f73:1:0.5 f7:0:0.625",
        "q3": "h1:0:0.25 j1:0:0.75 j12:0:0.0625 j125:1:0.125 n8:0",
    }
)
"""Three queries of unlike lengths, flags; the docs not in rank order.

Who takes lists may be given one relevant doc as a text. So no id is one letter, as such a text would hold it; and where one doc is
relevant, others before and after it are called as a part of its id, which `in` finds in it.
"""


def _mixed(n: int, step: int) -> list[int]:
    """The numbers from 0 to n - 1, each once, so many steps apart; a step that divides n would come back too soon, and tie docs."""
    step = next(one for one in count(step, 2) if gcd(one, n) == 1)
    return [i * step % n for i in range(n)]


@lru_cache(maxsize=64)
def long_trial(k: int | None) -> Input:
    """A query of more docs than the cutoff, of all rels; some relevant ones beyond it, and some not retrieved.

    Those that are not retrieved are judged first: who takes the relevant docs for the ranking finds none of them at the top.
    """
    n = min((k or 6) + 3, LONG)
    rels = [LONG_RELS[i % len(LONG_RELS)] for i in range(n)]
    rows = [
        f"d{i * 37 % 101}:{rel}:{place / 64 + 0.25}"
        for i, (rel, place) in enumerate(zip(rels, _mixed(n, 7), strict=True))
    ]
    return input_of({"q1": " ".join(["u1:1", "u2:2", *rows])})


@lru_cache(maxsize=64)
def long_flags(k: int | None) -> Input:
    """The same of flags, and two queries with a single relevant doc: within the cutoff, and beyond it."""
    n = min((k or 6) + 2, LONG)
    flags = [f"d{i * 41 % 103}:{int(i % 3 == 1)}:{(place + 3) % n / 64 + 0.25}" for i, place in enumerate(_mixed(n, 5))]
    second = [f"g{i * 13 % 97}:{int(i == LOW)}:{(n - i) / 64 + 0.25}" for i in range(n)]
    late = [f"h{i * 17 % 89}:{int(i == n - 1)}:{(n - i) / 64 + 0.25}" for i in range(n)]
    return input_of({"q1": " ".join(["u1:1", "u2:1", *flags]), "q2": " ".join(second), "q3": " ".join(late)})


@lru_cache(maxsize=64)
def equally_many(k: int | None) -> Input:
    """Five queries of as many docs, more than k, of which the first has no hit within k; most measures tell the last from other ones."""
    n = min((k or 6) + 2, LONG)
    last = max(1, n - 3)
    relevant = {
        "q1": {n - 1},
        "q2": {0, 1, 2, 3, last, n - 1},
        "q3": {0},
        "q4": {1, last, n - 1},
        "q5": {0, 2, last, n - 2},
    }
    rows = {
        query: " ".join(f"{query}d{i * 37 % 101}:{int(i in ranks)}:{(n - i) / 64 + 0.25}" for i in range(n))
        for query, ranks in relevant.items()
    }
    return input_of(rows)


@lru_cache(maxsize=64)
def one_relevant(k: int | None) -> Input:
    """Five queries with one relevant doc each: of three in the first row, ranked first, last and second; in the second row; not retrieved.

    All retrieve the same docs, so that who takes them for one query finds relevant docs in each that are another query's.
    """
    n = min((k or 6) + 2, LONG)
    places = {"q1": (0, 0), "q2": (0, n - 1), "q3": (0, 1), "q4": (1, 0)}
    rows = {
        query: " ".join(f"d{i}:{int(i == row)}:{(n - (i - row + rank) % n) / 64 + 0.25}" for i in range(n))
        for query, (row, rank) in places.items()
    }
    return input_of({**rows, "q5": " ".join(["lost:1", *(f"d{i}:0:{(n - i) / 64 + 0.25}" for i in range(n))])})


@lru_cache(maxsize=64)
def many_flags(k: int | None) -> Input:
    """Five queries of flags, of which one to five docs are relevant, and as many docs as the cutoff and one: few are worth the same."""
    n = min((k or 6) + 1, LONG)
    rows = {
        f"q{relevant}": " ".join(
            f"m{i * 43 % 107}:{int(i * 3 % n < relevant)}:{((i * 4 + relevant) % n) / 64 + i / 4096 + 0.25}"
            for i in range(n)
        )
        for relevant in range(1, 6)
    }
    return input_of(rows)


@dataclass(frozen=True)
class Tried:
    """A trial as it was asked, and the answer."""

    input: Input
    k: int | None
    answer: Answered | Failure


@dataclass(frozen=True, order=True)
class Fit:
    """How well a way to call explains the answers; more is better.

    Attributes:
        share: of the trials, those that one set of conventions explains.
        concord: how far the answers go up and down with the measure's, from -1 to 1.
        values: how many unlike numbers the answers have, to three decimals.
        numbers: how many numbers they have.
    """

    share: float
    concord: float
    explained: int = 0
    asked: int = 0
    values: int = 0
    numbers: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether everything is explained."""
        return self.asked > 0 and self.explained == self.asked


@dataclass
class TriedWay:
    """A way to call, the trials that were asked, and how well they are explained.

    Attributes:
        other: the measure by another parameter, where its answers are that one's.
        is_of_each: whether it gives for several queries at once what it gives for each, or the mean or sum of that.
    """

    which: int
    target: Target
    rank: int
    tried: list[Tried] = field(default_factory=list)
    fit: Fit = field(default_factory=lambda: Fit(0.0, 0.0))
    fit_of_flags: Fit = field(default_factory=lambda: Fit(0.0, 0.0))
    other: Measure | None = None
    is_of_each: bool = False

    @property
    def is_named(self) -> bool:
        """Whether names say what its arguments are."""
        return self.target.is_named

    @property
    def is_right_of_flags(self) -> bool:
        """Whether all that it answers to rels of 0 and 1 is explained, and that is much: it may sum flags."""
        fit = self.fit_of_flags
        return fit.is_whole and fit.numbers >= MANY_NUMBERS and fit.values >= DIFFERENT

    @property
    def is_plain(self) -> bool:
        """Whether a query is a call, and what that gives is the answer."""
        return self.target.reads == "" and self.target.batch == QUERY

    @property
    def concord(self) -> float:
        """How far its answers go with the measure's, where they are enough to tell."""
        return self.fit.concord if self.fit.numbers >= MANY_NUMBERS else 0.0

    @property
    def is_explained(self) -> bool:
        """Whether everything is explained, and is more than one value, be it by another threshold of relevance."""
        return (self.fit.is_whole and self.fit.values > 1) or self.other is not None

    @property
    def order(self) -> tuple[bool, bool, bool, float, float, float, bool, int]:
        """By which the best is found: what explains all, or all flags, else what goes with the measure, else what explains much."""
        fit = self.fit
        least = CONCORD_NAMED if self.is_named else CONCORD_UNNAMED
        goes_with_it = self.is_plain and self.concord > least
        return (
            self.is_explained,
            self.is_right_of_flags,
            goes_with_it,
            fit.share if fit.share >= SHARE_OF_CHANCE else 0.0,
            0.0 if self.is_explained else max(round(self.concord, 1), CONCORD_NAMED),
            fit.share,
            self.is_plain,
            -self.rank,
        )


def has_number(answer: Answered) -> bool:
    """Whether it holds a number, and none that is not finite."""
    numbers = [value for _, value in readings(answer, ())]
    return bool(numbers) and all(isinstance(value, float) and isfinite(value) for value in numbers)


def words_of(answer: Answered) -> str:
    """The first value of an answer, in words; what has none is None, or no number."""
    first = next((value for _, value in readings(answer, ())), "nothing")
    return "None, or nan" if first != first else str(first)  # noqa: PLR0124 - as nan alone is


def fit(measure: Measure, tried: Sequence[Tried]) -> Fit:
    """How well the answers to some trials are explained."""
    numbers = [value for one in tried for _, value in _read(one)]
    given = {round(value, 3) if isinstance(value, float) and isfinite(value) else value for value in numbers}
    counts: Counter[int] = Counter()
    for one in tried:
        for expected, which in _expected(_measured(measure, one), one.input):
            if _is_explained(one, expected):
                counts.update(which if len(given) > 1 else which & {0})  # by some all rankings are worth the same
    best = max(counts.values(), default=0)
    share = best / len(tried) if tried else 0.0
    return Fit(share, _concord(measure, tried), best, len(tried), len(given), len(numbers))


def explains_all(measure: Measure, tried: Sequence[Tried]) -> bool:
    """Whether one set of conventions gives all answers, which have unlike values; what one trial rules out is asked of no other."""
    left: frozenset[int] | None = None
    for one in tried:
        found = _expected(_measured(measure, one), one.input)
        explained = frozenset().union(*(which for expected, which in found if _is_explained(one, expected)))
        left = explained if left is None else left & explained
        if not left:
            return False
    return left is not None


def _measured(measure: Measure, one: Tried) -> Measure:
    return measure if one.k is None else cut_at(measure, one.k)


@lru_cache(maxsize=256)
def _profiles(measure: Measure) -> tuple[Conventions, ...]:
    """Sets of conventions that differ in the formula, `standard` first; and some that differ in one thing else."""
    formula = [axis for axis in axes_of(measure) if AXES[axis].stage == "measure" and axis not in LEFT_OUT]
    values = [list(dict.fromkeys([getattr(STANDARD, axis), *values_of(axis)])) for axis in formula]
    if prod(map(len, values)) > MOST_CONVENTIONS:
        values = [[v for v in given if v in AXES[axis].values] for axis, given in zip(formula, values, strict=True)]
    choices = islice(product(*values), MOST_CONVENTIONS)
    made = [STANDARD.replace(**dict(zip(formula, choice, strict=True))) for choice in choices]
    others = [axis for axis in axes_of(measure) if axis in TRIED_AXES]
    return (*made, *(STANDARD.replace(**{axis: value}) for axis in others for value in values_of(axis)))


@lru_cache(maxsize=2_000)
def _expected(measure: Measure, data: Input) -> tuple[tuple[Mapping[str | None, float], frozenset[int]], ...]:
    """What the measure is worth by query and over all (None), each with the sets of conventions that say so."""
    found: dict[tuple[tuple[str | None, float | str | None], ...], set[int]] = {}
    reference, queries = recalled(data), (None, *map(str, data.queries))
    for which, conventions in enumerate(_profiles(cut_at(measure, None))):
        said = reference.answers(measure, conventions)
        found.setdefault(tuple((query, reading_of(said, query)) for query in queries), set()).add(which)
    return tuple(
        ({query: value for query, value in said if isinstance(value, float)}, frozenset(which))
        for said, which in found.items()
    )


def _read(one: Tried) -> list[tuple[str | None, float | str]]:
    return [] if isinstance(one.answer, Failure) else list(readings(one.answer, ()))


def _is_explained(one: Tried, expected: Mapping[str | None, float]) -> bool:
    said = _read(one)
    return bool(said) and all(
        isinstance(value, float) and query in expected and abs(value - expected[query]) <= NEAR for query, value in said
    )


def _concord(measure: Measure, tried: Sequence[Tried]) -> float:
    """Of all pairs of answers, how many more go as the measure goes than against it."""
    pairs: list[tuple[float, float]] = []
    for one in tried:
        standard = next(expected for expected, which in _expected(_measured(measure, one), one.input) if 0 in which)
        pairs += [(value, standard[q]) for q, value in _read(one) if q in standard and isinstance(value, float)]
    signs = [_sign(a - c) * _sign(b - d) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i] if abs(b - d) > NEAR]
    return sum(signs) / len(signs) if signs else 0.0


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
