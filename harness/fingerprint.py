"""The fingerprint: the profile that a library follows, inferred from what it answered and nothing else.

observations ──► rows to explain ──► the profile that explains most ──► each other value: excluded by a witness, or open

Two things keep it quick. Only the axes that can matter to a case are varied on it (`rankproof.relevance`), and what the reference
answers to a case is kept for all libraries. Each other value of an axis is tried on its own and together with one change of another
axis, so that nothing is called determined which two axes together could be otherwise.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from multiprocessing import get_context
from typing import Any, TypeAlias

from rankproof.cases import Case
from rankproof.observations import ABSENT, Answered, Failure, Observation, Reading, readings
from rankproof.oracle import Oracle, Refused
from rankproof.phrases import in_words
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.relevance import Facts, Profile, axes_that_matter, free_axes, possible, settled, values_of
from rankproof.results import Results
from rankproof.sheets import Place
from rankproof.signature import Signature
from rankproof.verdicts import LEAST, UNSPECIFIED, Row, Verdict, reading_of, same

KEY_CUTOFF = 10
"""The cutoff at which the signature of a key such as nDCG@k is written."""
SHARE_IN_ORDER = 0.75
"""An order of tied docs is one if it explains this share of the rows it matters to; below it, the order is unspecified."""


@dataclass(frozen=True, slots=True)
class AxisFinding:
    """What was found on one axis.

    Attributes:
        value: the value followed, or None where more than one explains all that is explained.
        witness: the simplest case that excludes other values; empty where none does.
        measure: the measure asked there.
        excluded: each value that is excluded, and the case that does.
        open: the values that remain, where they are more than one.
        why: why they do.
    """

    axis: str
    value: str | None
    witness: str
    measure: str
    excluded: Mapping[str, str]
    open: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Fingerprint:
    """The profile that one library follows for one group of measures.

    Attributes:
        key: the group: a measure with its parameters, `@k` for any cutoff.
        profile: the conventions that explain most rows; among equals, those with the fewest changes of `standard`.
        axes: a finding for every axis that can matter to the measure beside the others.
        explained: how many of the rows asked the profile explains.
        missed: the others.
        precision: how exactly the answers were compared.
    """

    library: str
    variant: str
    version: str
    key: str
    profile: Conventions
    axes: Mapping[str, AxisFinding]
    explained: int
    asked: int
    missed: tuple[Place, ...]
    signature: str
    precision: str = "float64"

    @property
    def name(self) -> str:
        """The library, and the variant where it is not the default."""
        return self.library if self.variant == "default" else f"{self.library}/{self.variant}"


def key_of(measure: Measure) -> str:
    """The group a measure belongs to: its cutoff, if it is a rank, is no matter of convention.

    >>> [key_of(parse(m)) for m in ("nDCG@10", "P(rel=2)@5", "RR", "IPrec@0.1", "ARI")]
    ['nDCG@k', 'P(rel=2)@k', 'RR', 'IPrec@0.1', 'ARI']
    """
    if measure.of_labels or measure.k is None:
        return str(measure)
    return f"{Measure(measure.name, measure.params)}@k"


def measure_of(key: str) -> Measure:
    """A measure of the group."""
    return parse(key.removesuffix("@k") + f"@{KEY_CUTOFF}" if key.endswith("@k") else key)


# -- what the reference answers -------------------------------------------------------------------------------------


class _Unanswered:
    """The reference cannot answer: more orders of tied docs than can be enumerated."""


_UNANSWERED = _Unanswered()
_Expected: TypeAlias = dict[str | None, Reading] | Refused | _Unanswered


@dataclass
class _Question:
    """A measure of a case, and what the reference answered to it so far, by the values of the axes that can matter."""

    oracle: Oracle
    measure: Measure
    axes: tuple[str, ...]
    _expected: dict[tuple[str, ...], _Expected] = field(default_factory=dict)

    def key(self, profile: Profile) -> tuple[str, ...]:
        return tuple([profile[axis] for axis in self.axes])

    def expected(self, profile: Profile) -> _Expected:
        key = self.key(profile)
        if key not in self._expected:
            self._expected[key] = self._ask(STANDARD.replace(**dict(zip(self.axes, key, strict=True))))
        return self._expected[key]

    def _ask(self, conventions: Conventions) -> _Expected:
        try:
            answers = self.oracle.answers(self.measure, conventions)
        except (TooManyOrders, NotPooled):
            return _UNANSWERED
        if isinstance(answers, Refused):
            return answers
        queries = [None, *(str(query) for query in self.oracle.case.queries)]
        return {query: reading for query in queries if (reading := reading_of(answers, query)) is not None}

    @cached_property
    def simplicity(self) -> tuple[int, int, int, str]:
        """The fewest queries, docs and letters first."""
        case = self.oracle.case
        return len(case.queries), len(case.run) + len(case.qrels) + len(case.true or ()), len(case.id), case.id


@dataclass
class Questions:
    """All that was asked of the reference; shared by the libraries, which are mostly asked the same."""

    cases: Mapping[str, Case]
    _oracles: dict[str, Oracle] = field(default_factory=dict)
    _facts: dict[str, Facts] = field(default_factory=dict)
    _questions: dict[tuple[str, str], _Question] = field(default_factory=dict)

    def of(self, case: str, measure: str) -> _Question:
        """The question that a case asks with a measure."""
        if (case, measure) not in self._questions:
            oracle = self._oracles.setdefault(case, Oracle(self.cases[case]))
            facts = self._facts.setdefault(case, Facts.of(self.cases[case]))
            asked = parse(measure)
            self._questions[case, measure] = _Question(oracle, asked, axes_that_matter(facts, asked))
        return self._questions[case, measure]


# -- what is to be explained ----------------------------------------------------------------------------------------


@dataclass
class _Ask:
    """What a library answered to a question; a *mask* has a bit for each row that a profile does not explain."""

    question: _Question
    rows: tuple[tuple[str | None, Reading], ...]
    failure: Failure | None
    precision: str
    _masks: dict[tuple[str, ...], int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return 1 if self.failure is not None else len(self.rows)

    def mask(self, profile: Profile) -> int:
        key = self.question.key(profile)
        found = self._masks.get(key)
        if found is None:
            found = self._masks[key] = self._missed(profile)
        return found

    def _missed(self, profile: Profile) -> int:
        if profile["ties"] == UNSPECIFIED:
            return self._beyond_ties(profile)
        expected = self.question.expected(profile)
        if self.failure is not None:
            return int(not (self.failure.kind == "error" and isinstance(expected, Refused)))
        if not isinstance(expected, dict):
            return (1 << self.size) - 1
        return sum(
            1 << i
            for i, (query, reading) in enumerate(self.rows)
            if not same(reading, expected.get(query, ABSENT), self.precision)
        )

    def _beyond_ties(self, profile: Profile) -> int:
        """As in the order of the rows, but for values that some order of the tied docs gives."""
        mask = self.mask({**profile, "ties": "input"})
        return mask & ~self.within_ties(profile)

    def within_ties(self, profile: Profile) -> int:
        """The rows on which ties matter, and whose value lies between the worst and the best order."""
        if self.failure is not None or "ties" not in self.question.axes:
            return 0
        worst, best = (self.question.expected({**profile, "ties": ties}) for ties in ("worst", "best"))
        if not isinstance(worst, dict) or not isinstance(best, dict):
            return 0
        return sum(
            1 << i
            for i, (query, reading) in enumerate(self.rows)
            if _between(reading, worst.get(query, ABSENT), best.get(query, ABSENT))
        )

    def unanswered(self, profile: Profile) -> bool:
        return isinstance(self.question.expected(profile), _Unanswered)


def _between(reading: Reading, worst: Reading, best: Reading) -> bool:
    if isinstance(reading, str) or isinstance(worst, str) or isinstance(best, str) or worst == best:
        return False
    return min(worst, best) - LEAST <= reading <= max(worst, best) + LEAST


def _ask_of(observation: Observation, question: _Question, precision: str) -> _Ask:
    if isinstance(observation.answer, Answered):
        queries = tuple(str(query) for query in question.oracle.case.queries)
        return _Ask(question, tuple(readings(observation.answer, queries)), None, precision)
    return _Ask(question, ((None, ABSENT),), observation.answer, precision)


# -- the profile that explains most ---------------------------------------------------------------------------------


@dataclass
class _Search:
    """The rows of one group, and the profiles that explain them."""

    measures: Sequence[Measure]
    """One of each kind."""
    asks: Sequence[_Ask]
    fixed: Mapping[str, str] = field(default_factory=dict)
    """Values that are not tried."""
    _masks: tuple[Profile, dict[int, int]] = field(default=({}, {}))

    @cached_property
    def axes(self) -> tuple[str, ...]:
        free = {axis for measure in self.measures for axis in free_axes(measure)}
        return tuple(axis for axis in AXES if axis in free)

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        return {
            axis: tuple(value for value in values_of(axis) if any(possible(m, axis, value) for m in self.measures))
            for axis in self.axes
            if axis not in self.fixed
        }

    @cached_property
    def by_axis(self) -> dict[str, list[_Ask]]:
        return {axis: [ask for ask in self.asks if axis in ask.question.axes] for axis in self.axes}

    def settle(self, profile: Profile) -> dict[str, str]:
        """What is idle to every measure is as in `standard`."""
        if len(self.measures) == 1:
            return settled(self.measures[0], profile)
        ways = [settled(measure, profile) for measure in self.measures]
        return {
            axis: value if any(way[axis] == value for way in ways) else ways[0][axis] for axis, value in profile.items()
        }

    def masks(self, profile: Profile) -> dict[int, int]:
        """The masks of all asks; kept for the profile last asked for, which is the one that others are compared with."""
        if self._masks[0] is not profile:
            self._masks = (profile, {id(ask): ask.mask(profile) for ask in self.asks})
        return self._masks[1]

    def cost(self, profile: Profile) -> int:
        return sum(ask.mask(profile).bit_count() for ask in self.asks)

    def touched(self, old: Profile, new: Profile) -> Sequence[_Ask]:
        """The asks that may be answered otherwise."""
        changed = [axis for axis in self.axes if old[axis] != new[axis]]
        if len(changed) == 1:
            return self.by_axis[changed[0]]
        return list({id(ask): ask for axis in changed for ask in self.by_axis[axis]}.values())

    def gain(self, old: Profile, new: Profile) -> int:
        """How many rows more the new profile explains."""
        masks = self.masks(old)
        return sum(masks[id(ask)].bit_count() - ask.mask(new).bit_count() for ask in self.touched(old, new))

    def changes(self, profile: Profile, axes: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
        """Each change of one of the axes that makes another profile: the axis, and that profile."""
        for axis in axes:
            for value in self.values.get(axis, ()):
                if value != profile[axis]:
                    changed = self.settle({**profile, axis: value})
                    if changed != profile and changed[axis] == value:
                        yield axis, changed

    def descend(self, start: Profile) -> dict[str, str]:
        """Change one axis, or two at once, for as long as more rows are explained."""
        profile = self.settle({**start, **self.fixed})
        while (better := self._one_change(profile) or self._two_changes(profile) or self._aside(profile)) is not None:
            profile = better
        return self.simplest(profile)

    def missed(self, profile: Profile) -> list[_Ask]:
        return [ask for ask in self.asks if ask.mask(profile)]

    def _one_change(self, profile: dict[str, str]) -> dict[str, str] | None:
        axes = {axis for ask in self.missed(profile) for axis in ask.question.axes}
        tried = [
            (self.gain(profile, changed), changed)
            for _, changed in self.changes(profile, (axis for axis in self.axes if axis in axes))
        ]
        most, changed = max(tried, key=lambda pair: pair[0], default=(0, profile))
        return changed if most > 0 else None

    def _two_changes(self, profile: dict[str, str]) -> dict[str, str] | None:
        """Two changes that explain more together: of one ask, or the second mends what the first breaks."""
        seen: set[tuple[str, ...]] = set()
        for ask in self.missed(profile):
            if ask.failure is not None and ask.question.axes in seen:
                continue
            seen.add(ask.question.axes)
            before = ask.mask(profile).bit_count()
            for axis, first in self.changes(profile, ask.question.axes):
                lost = self._worst_broken(profile, first)
                among = ask.question.axes if lost is None else lost.question.axes
                mends = ask.mask(first).bit_count() < before
                if lost is not None and not mends:
                    continue
                for other, second in self.changes(first, among):
                    if other == axis or second[axis] != first[axis]:
                        continue
                    if ask.mask(second).bit_count() < before and self.gain(profile, second) > 0:
                        return second
        return None

    def _aside(self, profile: dict[str, str]) -> dict[str, str] | None:
        """One change from a profile that explains the same by other choices: `ap_denominator=hits` for `known=retrieved`."""
        if not self.cost(profile):
            return None
        for axis, changed in self.changes(profile, [a for a in self.axes if profile[a] != getattr(STANDARD, a)]):
            broken = self.breaks(profile, changed)
            alike = self.rescued(profile, changed, axis, broken) if broken else changed
            better = None if alike is None else self._one_change(alike)
            if better is not None and self.gain(profile, better) > 0:
                return better
        return None

    def _worst_broken(self, old: Profile, new: Profile) -> _Ask | None:
        """Of the asks that the new profile no longer explains, the one with the fewest axes to mend it."""
        masks = self.masks(old)
        broken = [ask for ask in self.touched(old, new) if ask.mask(new) & ~masks[id(ask)]]
        return min(broken, key=lambda ask: len(ask.question.axes), default=None)

    def simplest(self, profile: dict[str, str]) -> dict[str, str]:
        """Take back what explains nothing."""
        for axis in self.axes:
            if axis not in self.fixed and profile[axis] != getattr(STANDARD, axis):
                plain = self.settle({**profile, axis: getattr(STANDARD, axis)})
                if self.gain(profile, plain) >= 0:
                    profile = plain
        return profile

    # -- the other values -------------------------------------------------------------------------------------------

    def breaks(self, profile: Profile, other: Profile) -> list[_Ask]:
        """The asks of which `other` misses a row that `profile` explains."""
        masks = self.masks(profile)
        return [
            ask
            for ask in self.touched(profile, other)
            if ask.mask(other) & ~masks[id(ask)] and not ask.unanswered(other)
        ]

    def keeps(self, profile: Profile, other: Profile, first: Sequence[_Ask]) -> bool:
        """Whether `other` explains all that `profile` does; what is most likely broken is looked at first."""
        masks = self.masks(profile)
        return not any(
            ask.mask(other) & ~masks[id(ask)] and not ask.unanswered(other)
            for asks in (first, self.touched(profile, other))
            for ask in asks
        )

    def as_good(self, profile: Profile, other: Profile) -> bool:
        """Whether `other` explains as many rows, if not the same: where both miss some, neither proves the other wrong."""
        masks = self.masks(profile)
        to_gain = sum(mask.bit_count() for mask in masks.values())
        balance = 0
        for ask in self.touched(profile, other) if to_gain else ():
            balance += masks[id(ask)].bit_count() - ask.mask(other).bit_count()
            if balance < -to_gain:
                return False  # more is lost than could be made good
        return to_gain > 0 and balance >= 0

    def rescued(self, profile: Profile, other: Profile, axis: str, broken: Sequence[_Ask]) -> dict[str, str] | None:
        """`other` with one more axis changed, so that it misses nothing that `profile` explains; None if there is none."""
        pivot = min(broken, key=lambda ask: len(ask.question.axes))
        for second_axis, second in self.changes(other, pivot.question.axes):
            if second_axis == axis or second[axis] != other[axis]:
                continue
            if self.keeps(profile, second, [pivot, *broken]) or self.as_good(profile, second):
                return second
        return None


def _changed(profile: Profile) -> int:
    return sum(profile[axis] != getattr(STANDARD, axis) for axis in AXES)


def _plain(conventions: Conventions) -> dict[str, str]:
    return {axis: getattr(conventions, axis) for axis in AXES}


def _best(measures: Sequence[Measure], asks: Sequence[_Ask]) -> tuple[_Search, dict[str, str]]:
    search = _Search(measures, asks)
    found = search.descend(_plain(STANDARD))
    if search.cost(found):
        others = [search.descend(_plain(start)) for start in _starts()]
        found = min([found, *others], key=lambda profile: (search.cost(profile), _changed(profile)))
    loose = _Search(measures, asks, {"ties": UNSPECIFIED})
    if "ties" in search.axes and any(ask.mask(found) & ask.within_ties(found) for ask in asks):
        anything = loose.descend({**found, "ties": UNSPECIFIED})
        ruled = sum(ask.within_ties(anything).bit_count() for ask in asks)
        if loose.cost(anything) + (1 - SHARE_IN_ORDER) * ruled < search.cost(found):
            return loose, anything
    return search, found


def _starts() -> Iterator[Conventions]:
    yield PROFILES["trec_eval-9"]
    yield STANDARD.replace(known="retrieved", run_duplicates="both", missing="dropped", extra="measured")
    yield STANDARD.replace(ties="input", relevant="above-zero")


# -- findings -------------------------------------------------------------------------------------------------------


@dataclass
class _Other:
    """Another value of an axis: which case excludes it, or what else would have to be so."""

    value: str
    broken: Sequence[_Ask] = ()
    with_it: str = ""
    traded: bool = False
    """Whether it explains as many answers, but others."""


def _findings(search: _Search, profile: dict[str, str]) -> tuple[dict[str, AxisFinding], dict[str, str] | None]:
    """A finding for each axis; or a profile that explains more, or as much by fewer changes, if one was met."""
    found: dict[str, AxisFinding] = {}
    for axis in search.values:
        others = []
        for _, changed in search.changes(profile, [axis]):
            broken = search.breaks(profile, changed)
            alone = not broken or search.as_good(profile, changed)
            rescued = changed if alone else search.rescued(profile, changed, axis, broken)
            if rescued is None:
                others.append(_Other(changed[axis], broken))
                continue
            gained = search.gain(profile, rescued)
            if gained > 0 or (gained == 0 and _changed(rescued) < _changed(profile)):
                return {}, rescued
            traded = bool(search.breaks(profile, rescued))
            others.append(_Other(changed[axis], (), "" if alone else _beside(profile, rescued, axis), traded))
        if others:
            found[axis] = _finding(search, axis, profile[axis], others)
    if search.fixed:
        found["ties"] = _unspecified(search, profile)
    return found, None


def _beside(profile: Profile, other: Profile, axis: str) -> str:
    return " ".join(f"{name}={other[name]}" for name in AXES if name != axis and other[name] != profile[name])


def _finding(search: _Search, axis: str, value: str, others: Sequence[_Other]) -> AxisFinding:
    remaining = [other for other in others if not other.broken]
    out = [other for other in others if other.broken]
    excluded = {other.value: min(other.broken, key=_simplicity).question.oracle.case.id for other in out}
    witness = _witness(out)
    case, measure = (witness.question.oracle.case.id, str(witness.question.measure)) if witness else ("", "")
    if not remaining:
        return AxisFinding(axis, value, case, measure, excluded)
    return AxisFinding(
        axis, None, case, measure, excluded, (value, *(o.value for o in remaining)), _why(search, axis, value, remaining)
    )  # fmt: skip


def _simplicity(ask: _Ask) -> tuple[int, int, int, str]:
    return ask.question.simplicity


def _witness(excluded: Sequence[_Other]) -> _Ask | None:
    """The ask that excludes most of the values; the simplest among equals."""
    counts = Counter(id(ask) for other in excluded for ask in other.broken)
    asks = {id(ask): ask for other in excluded for ask in other.broken}
    return min(asks.values(), key=lambda ask: (-counts[id(ask)], _simplicity(ask)), default=None)


def _why(search: _Search, axis: str, value: str, remaining: Sequence[_Other]) -> str:
    if not search.by_axis[axis]:
        return f"no case asked of this measure has what {axis} is about"
    alone = [other.value for other in remaining if not other.with_it and not other.traded]
    if alone:
        return f"no case tells {' or '.join(alone)} from {value}"
    other = remaining[0]
    if not other.with_it:
        return f"{other.value} explains as many answers as {value}, but others; neither explains all"
    how_many = "as many answers, but others" if other.traded else "the same answers"
    return f"another axis explains {how_many}: {other.value} with {other.with_it}"


def _unspecified(search: _Search, profile: Profile) -> AxisFinding:
    """No order of tied docs is kept; the simplest case on which each order fails."""
    excluded, broken = {}, []
    for value in values_of("ties"):
        asks = search.breaks(profile, {**profile, "ties": value})
        if asks:
            broken.append(_Other(value, asks))
            excluded[value] = min(asks, key=_simplicity).question.oracle.case.id
    witness = _witness(broken)
    case, measure = (witness.question.oracle.case.id, str(witness.question.measure)) if witness else ("", "")
    return AxisFinding("ties", UNSPECIFIED, case, measure, excluded)


# -- the interface --------------------------------------------------------------------------------------------------

PrecisionOf = Callable[[Measure], str]


def infer(
    observations: Iterable[Observation], cases: Mapping[str, Case], *, library: str, variant: str, version: str,
    precision: PrecisionOf | None = None, key: Callable[[Measure], str] = key_of, questions: Questions | None = None,
) -> list[Fingerprint]:  # fmt: skip
    """The fingerprints of one variant of a library, one for each group of measures.

    Args:
        observations: what it answered; those that are not its own, and answers that can be compared with nothing, are left out.
        cases: the cases asked, by id.
        library: its name.
        variant: which way of asking it.
        version: which version of it.
        precision: how exactly it answers; seen from its numbers unless told.
        key: the group that a measure belongs to.
        questions: what the reference was asked so far, to be shared between calls.
    """
    questions = questions or Questions(cases)
    groups: dict[str, list[Observation]] = defaultdict(list)
    for seen in observations:
        if (seen.library, seen.variant) == (library, variant) and _comparable(seen, cases):
            groups[key(parse(seen.measure))].append(seen)
    return [
        _fingerprint(group, questions, library, variant, version, named, precision)
        for named, group in sorted(groups.items())
    ]


def _comparable(seen: Observation, cases: Mapping[str, Case]) -> bool:
    return seen.answer is not None and seen.again is None and seen.case in cases and not cases[seen.case].undefined


def _fingerprint(
    group: Sequence[Observation], questions: Questions, library: str, variant: str, version: str, key: str,
    precision: PrecisionOf | None,
) -> Fingerprint:  # fmt: skip
    measures = list({key_of(measure): measure for measure in (parse(seen.measure) for seen in group)}.values())
    exact = precision or (lambda _measure: "float64")
    asks = _asks(group, questions, exact)
    search, profile = _best(measures, asks)
    if precision is None and (coarser := _coarser(search, profile)):
        exact = lambda _measure: coarser  # noqa: E731 - as above
        asks = _asks(group, questions, exact)
        search, profile = _best(measures, asks)
    axes, simpler = _findings(search, profile)
    while simpler is not None:
        profile = search.simplest(simpler)
        axes, simpler = _findings(search, profile)
    missed = tuple(place for ask in asks for place in _places(ask, profile, variant))
    conventions = Conventions(**profile)
    name = library if variant == "default" else f"{library}/{variant}"
    return Fingerprint(
        library, variant, version, key, conventions, axes,
        explained=sum(ask.size for ask in asks) - len(missed), asked=sum(ask.size for ask in asks), missed=missed,
        signature=str(Signature.of(_shown(key, measures[0]), conventions, by=f"{name}-{version}" if version else name)),
        precision=exact(measures[0]),
    )  # fmt: skip


def _shown(key: str, measure: Measure) -> Measure:
    return measure_of(key) if key == key_of(measure) else measure


def _asks(group: Sequence[Observation], questions: Questions, exact: PrecisionOf) -> list[_Ask]:
    return [
        _ask_of(seen, question, exact(question.measure))
        for seen in group
        for question in [questions.of(seen.case, seen.measure)]
    ]


def _coarser(search: _Search, profile: Profile) -> str | None:
    """The precision at which more rows are explained: float32, or as many decimals as the numbers have."""
    # A mean over queries is taken of what was printed, and printed no more.
    values = [
        value
        for ask in search.asks
        for query, value in ask.rows
        if isinstance(value, float) and (query is not None or len(ask.question.oracle.case.queries) == 1)
    ]
    decimals = max((_decimals(value) for value in values), default=0)
    tried = ["float32", *([f"{decimals} decimals"] if 3 <= decimals <= 6 else [])]  # noqa: PLR2004 - as programs print
    exactly = {exact: _missed_at(search, profile, exact) for exact in ("float64", *tried)}
    best = min(exactly, key=lambda exact: exactly[exact])
    return None if best == "float64" else best


def _decimals(value: float) -> int:
    return max(-int(Decimal(repr(value)).as_tuple().exponent), 0) if math.isfinite(value) else 0


def _missed_at(search: _Search, profile: Profile, exact: str) -> int:
    missed = 0
    for start in (profile, search.settle(_plain(STANDARD))):
        asks = [_Ask(ask.question, ask.rows, ask.failure, exact) for ask in search.asks]
        missed += sum(ask.mask(start).bit_count() for ask in asks)
    return missed


def _places(ask: _Ask, profile: Profile, variant: str) -> Iterator[Place]:
    case, measure, mask = ask.question.oracle.case.id, str(ask.question.measure), ask.mask(profile)
    for i, (query, _) in enumerate(ask.rows):
        if mask >> i & 1:
            yield Place(case, variant, measure, query)


def from_results(results: Results, cases: Mapping[str, Case], *, at_once: int = 1) -> list[Fingerprint]:
    """The fingerprints of every library, variant and group of measures in a results file."""
    return [one for found in infer_all(observations_of(results), cases, at_once=at_once) for one in found]


Observed: TypeAlias = Mapping[tuple[str, str], tuple[str, list[Observation]]]
"""The version and the observations of each library and variant."""


def infer_all(observed: Observed, cases: Mapping[str, Case], *, at_once: int = 1) -> Iterator[list[Fingerprint]]:
    """The fingerprints of each variant in turn, so many of them inferred at the same time."""
    jobs = [(library, variant, version, seen) for (library, variant), (version, seen) in observed.items()]
    if at_once < 2 or len(jobs) < 2:  # noqa: PLR2004 - nothing to share
        questions = Questions(cases)
        for job in jobs:
            yield _infer_job(job, questions)
        return
    # Spawned, not forked: whoever calls may have threads.
    with ProcessPoolExecutor(at_once, get_context("spawn"), _remember, (dict(cases),)) as pool:
        yield from pool.map(_infer_job, jobs)


_REMEMBERED: list[Questions] = []


def _remember(cases: dict[str, Case]) -> None:
    _REMEMBERED.append(Questions(cases))


def _infer_job(job: tuple[str, str, str, list[Observation]], questions: Questions | None = None) -> list[Fingerprint]:
    library, variant, version, seen = job
    asked = questions or _REMEMBERED[0]
    return infer(seen, asked.cases, library=library, variant=variant, version=version, questions=asked)


def observations_of(results: Results) -> dict[tuple[str, str], tuple[str, list[Observation]]]:
    """The observations that a results file was judged from, by library and variant, with the version."""
    grouped: dict[tuple[str, str, str, str], list[Row]] = defaultdict(list)
    versions = {}
    for row in results.rows:
        if (
            row.measure
            and row.verdict not in {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
            and row.error != Verdict.UNSTABLE
        ):
            grouped[row.library, row.variant, row.case, row.measure].append(row)
            versions[row.library, row.variant] = row.version
    found: dict[tuple[str, str], tuple[str, list[Observation]]] = {
        name: (version, []) for name, version in versions.items()
    }
    for (library, variant, case, measure), rows in grouped.items():
        answer = _answer([(row.query, row.value, row.error) for row in rows])
        found[library, variant][1].append(Observation(case, library, variant, measure, answer))
    return found


_KINDS = ("crash", "timeout", "invalid-output")


def _answer(rows: Sequence[tuple[str | None, Reading | None, str | None]]) -> Answered | Failure:
    error = next((error for _, _, error in rows if error is not None), None)
    if error is not None:
        kind = next((kind for kind in _KINDS if error.startswith(f"{kind}: ")), "error")
        return Failure(kind, error.removeprefix(f"{kind}: "))
    mean = next((value for query, value, _ in rows if query is None and isinstance(value, float | int)), None)
    per_query = {q: float(value) for q, value, _ in rows if q is not None and isinstance(value, float | int)}
    told = any(query is not None for query, _, _ in rows)
    return Answered(per_query if told else None, None if mean is None else float(mean))


# -- what is told ---------------------------------------------------------------------------------------------------

HEADLINE_KEYS = ("nDCG@k", "AP", "P@k", "RR", "R@k")
"""The measures that a table of fingerprints leads with."""
DASH = "—"


def as_json(fingerprints: Iterable[Fingerprint]) -> dict[str, Any]:
    """Library -> variant -> group of measures -> profile, signature and a finding for each axis."""
    told: dict[str, Any] = {}
    for found in fingerprints:
        told.setdefault(found.library, {}).setdefault(found.variant, {})[found.key] = {
            "version": found.version,
            "profile": found.profile.spec(),
            "words": in_words(found.profile, measure_of(found.key)),
            "signature": found.signature,
            "precision": found.precision,
            "axes": {axis: _finding_as_json(finding) for axis, finding in found.axes.items()},
            "explained": found.explained,
            "asked": found.asked,
            "missed": [str(place) for place in found.missed],
        }
    return told


def _finding_as_json(finding: AxisFinding) -> dict[str, Any]:
    said = {"value": finding.value} if finding.value is not None else {"undetermined": list(finding.open)}
    told = {**said, "witness": finding.witness, "measure": finding.measure, "excluded": dict(finding.excluded)}
    return told | ({"why": finding.why} if finding.why else {})


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """An axis on which a library differs between its own measures: for each value the groups of measures that follow it."""

    library: str
    variant: str
    axis: str
    values: Mapping[str, tuple[Fingerprint, ...]]


def inconsistencies(fingerprints: Iterable[Fingerprint]) -> list[Inconsistency]:
    """The axes on which one variant of a library follows one value for one measure and another for another, both proved.

    Axes of the formula are left out: they belong to one family of measures, and differ by what is asked.
    """
    by_axis: dict[tuple[str, str, str], dict[str, list[Fingerprint]]] = defaultdict(lambda: defaultdict(list))
    for found in fingerprints:
        for axis, finding in found.axes.items():
            if finding.value is not None and AXES[axis].stage != "measure":
                by_axis[found.library, found.variant, axis][finding.value].append(found)
    return [
        Inconsistency(*place, {value: tuple(groups) for value, groups in values.items()})
        for place, values in by_axis.items()
        if len(values) > 1
    ]


def fingerprint_table(fingerprints: Iterable[Fingerprint], keys: Sequence[str] = HEADLINE_KEYS) -> str:
    """Libraries × axes as Markdown, a table for each group of measures; every cell a value and the witness that proves it.

    Axes on which all libraries follow `standard`, or are undetermined, are left out. `?` stands for undetermined.
    """
    by_key: dict[str, list[Fingerprint]] = defaultdict(list)
    for found in fingerprints:
        by_key[found.key].append(found)
    return "\n".join(_table(key, by_key[key]) for key in keys if by_key[key])


def _table(key: str, fingerprints: Sequence[Fingerprint]) -> str:
    axes = [axis for axis in AXES if any(_is_told(found, axis) for found in fingerprints)]
    lines = [
        f"### {key}\n",
        "| | " + " | ".join(axes) + " | explained |",
        "|---|" + "---|" * (len(axes) + 1),
    ]
    for found in fingerprints:
        cells = (_cell(found, axis) for axis in axes)
        lines.append(f"| {_escaped(found.name)} | {' | '.join(cells)} | {found.explained} of {found.asked} |")
    return "\n".join(lines) + "\n"


def _is_told(found: Fingerprint, axis: str) -> bool:
    finding = found.axes.get(axis)
    return finding is not None and finding.value not in {None, AXES[axis].default}


def _cell(found: Fingerprint, axis: str) -> str:
    finding = found.axes.get(axis)
    if finding is None:
        return DASH
    if finding.value is None:
        return "?"
    return f"{finding.value} ({_escaped(finding.witness)})" if finding.witness else finding.value


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
