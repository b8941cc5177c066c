"""All that is explained of one run and one measure, as one value: who says what and why, what ties can do, what else can matter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import inf, prod
from time import monotonic

from rankproof.evaluating.known_exceptions import Met, met_by
from rankproof.evaluating.library_profiles import is_published
from rankproof.evaluating.read_profiles import ReadTool, tool_of
from rankproof.explain.asked_data import AskedData
from rankproof.explain.attribution import Attribution, attribute, moved_between
from rankproof.explain.compared_profiles import by_conventions, compared, of_libraries, of_read_tools
from rankproof.explain.data_facts import Fact, facts_of
from rankproof.explain.library_today import Today
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.printed_values import Between, given_by
from rankproof.explain.side_by_side import SideBySide, side_by_side
from rankproof.explain.tie_envelope import Envelope, envelope
from rankproof.explain.value_match import Explained
from rankproof.inference.comparing import UNSPECIFIED
from rankproof.inference.reference_answers import Answers, Values
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

NAMED = 5
"""How many queries are named where another was asked for."""


@dataclass(frozen=True)
class ProfileAnswer:
    """What some profiles give that are the same on this data.

    Attributes:
        names: their names.
        conventions: what they do, where it can matter here; all else is as in `standard`.
        answers: the answer of the reference under it.
        undetermined: by name, the axes that can matter here and that no question decided, with the value that is taken.
        attribution: from the first profile that was asked for to this one; None for the first.
    """

    names: tuple[str, ...]
    conventions: Conventions
    answers: Answers
    undetermined: Mapping[str, Mapping[str, str]]
    attribution: Attribution | None


@dataclass(frozen=True)
class ChangeEffect:
    """What one change of `standard` does: the answer, and the queries that it moves."""

    axis: str
    value: str
    answers: Answers
    moved: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """What is explained of a run and a measure.

    Attributes:
        plain: the answer by `standard`.
        sayings: who gives what.
        envelope: what ties can do by `standard`.
        facts: what the data has on which conventions differ.
        effects: every change of one axis of `standard` that can matter; None where that would take too long.
        values: what gives the numbers that somebody printed.
        between: what turns each of these into the next.
        whole: whether all of it is wanted.
        side_by_side: the ranks of one query, if they were asked for.
        today: what an installed library says, if it was asked.
        exceptions: of those who are compared, or who might have given a number, the known exceptions that the data meets.
        read: of those who are compared, or give a number, the tools whose profile was read and not observed, by the name of the profile.
    """

    system: str
    measure: Measure
    queries: tuple[str, ...]
    plain: Answers
    sayings: tuple[ProfileAnswer, ...]
    envelope: Envelope
    facts: tuple[Fact, ...]
    effects: tuple[ChangeEffect, ...] | None
    values: tuple[Explained, ...] = ()
    between: tuple[Between, ...] = ()
    whole: bool = False
    side_by_side: SideBySide | None = None
    today: tuple[Today, ...] = ()
    exceptions: tuple[Met, ...] = ()
    read: Mapping[str, ReadTool] = field(default_factory=dict)


@dataclass(frozen=True)
class Wish:
    """What is to be explained.

    Attributes:
        names: the profiles, that of the first being what the others are compared with; none: `standard` and every library's.
        values: the numbers that somebody printed.
        whole: whether all is wanted, however long it takes.
        query: the query of which the ranks are wanted side by side.
        of_most: whether, where no query is named, those of the query that differs most are wanted.
        seconds: after how many of them what gives a number is looked for no longer, on much data; None for as long as it takes.
    """

    names: tuple[str, ...] = ()
    values: tuple[PrintedNumber, ...] = ()
    whole: bool = False
    query: str | None = None
    of_most: bool = False
    seconds: float | None = None


class NoQuery(Unusable):
    """There is no such query."""


def explain(
    system: str,
    data: AskedData,
    measure: Measure,
    wish: Wish,
    told: Callable[[str], object] = str,
    clock: Callable[[], float] = monotonic,
) -> Explanation:
    """Explain a run and a measure; `told` is told what is being done, and `clock` says how many seconds have passed.

    Raises:
        UnknownConvention: there is no such profile, or it does not speak of the measure.
        NoQuery: neither the qrels nor the run have the query of which the ranks are wanted.
    """
    if wish.query is not None and wish.query not in data.queries:
        named = ", ".join(shortened(query) for query in list(data.queries)[:NAMED])
        msg = f"--query {shortened(wish.query)}: neither the qrels nor {system} have it; the first queries are {named}"
        raise NoQuery(msg)
    start = clock()
    told("what the profiles give")
    sayings = _sayings(data, measure, compared(measure, wish.names, numbers=bool(wish.values)), told)
    told("what ties can do")
    ties = envelope(data, measure, STANDARD)
    asked = {**of_libraries(measure), **of_read_tools(data, measure)} if wish.values else {}
    exceptions = met_by(data, measure, dict.fromkeys([*(name for saying in sayings for name in saying.names), *asked]))
    may_depart = {met.name for met in exceptions}
    times = [_until(clock, start, wish, share / len(wish.values)) for share in range(1, len(wish.values) + 1)]
    known = {name: profile for name, profile in asked.items() if name not in may_depart}
    values, between = given_by(data, measure, tuple(zip(wish.values, times, strict=True)), known, told)
    return Explanation(
        system,
        measure,
        tuple(data.queries),
        data.answers(measure, STANDARD),
        sayings,
        ties,
        tuple(facts_of(data, measure, sayings[0].conventions)),
        _effects(data, measure, told) if wish.whole or data.is_little(measure) else None,
        values,
        between,
        wish.whole,
        _side_by_side(data, measure, wish, sayings),
        exceptions=exceptions,
        read=_read(sayings, values),
    )


def _until(clock: Callable[[], float], start: float, wish: Wish, share: float) -> Callable[[], bool]:
    """Whether a share of the time is not over yet."""
    seconds = inf if wish.seconds is None or wish.whole else wish.seconds
    return lambda: clock() - start < seconds * share


def _read(sayings: Sequence[ProfileAnswer], values: Sequence[Explained]) -> dict[str, ReadTool]:
    """The tools whose profile was read, of those who are compared or give a number."""
    named = [name for saying in sayings for name in saying.names]
    named += [name for value in values for one in (*value.found, *value.nearest) for name in one.base.names]
    bare = dict.fromkeys(name.strip().partition(" ")[0] for name in named)
    return {name: tool for name in bare if not is_published(name) and (tool := tool_of(name)) is not None}


def _side_by_side(data: AskedData, measure: Measure, wish: Wish, sayings: Sequence[ProfileAnswer]) -> SideBySide | None:
    query = wish.query
    if query is None and wish.of_most:
        apart = differences(sayings)
        query = max(apart, key=lambda one: abs(apart[one]), default=next(iter(data.queries), None))
    if query is None:
        return None
    return side_by_side(data, measure, query, [saying.conventions for saying in sayings])


def left_open(told: Explanation) -> tuple[str, ...]:
    """Of those who are compared, the libraries whose fingerprint leaves something open that can move the number here."""
    found: list[str] = []
    for saying in told.sayings:
        of_ties = saying.conventions.ties == UNSPECIFIED and told.envelope.moved != ()
        found += [name for name in saying.names if of_ties or name in saying.undetermined]
    return tuple(name for name in found if is_published(name))


def differences(sayings: Sequence[ProfileAnswer]) -> dict[str, Fraction]:
    """By query, the value farthest from that of the first profile, less that; of the queries in which both are numbers and differ."""
    first, *others = [saying.answers.per_query for saying in sayings if isinstance(saying.answers, Values)] or [{}]
    found: dict[str, Fraction] = {}
    for values in others:
        for query, value in values.items():
            base = first.get(query)
            if value is not None and base is not None and abs(value - base) > abs(found.get(query, Fraction(0))):
                found[query] = value - base
    return found


# -- who says what ---------------------------------------------------------------------------------------------------


def _sayings(
    data: AskedData, measure: Measure, profiles: Mapping[str, Profile], told: Callable[[str], object]
) -> tuple[ProfileAnswer, ...]:
    alike = by_conventions(data, measure, profiles)
    first = next(iter(alike))
    found = []
    for conventions, names in alike.items():
        told(f"what {names[0]} gives")
        why = None if conventions is first else attribute(data, measure, first, conventions)
        still = {name: undetermined(data, measure, profiles[name]) for name in names}
        answers = data.answers(measure, conventions)
        found.append(
            ProfileAnswer(tuple(names), conventions, answers, {n: axes for n, axes in still.items() if axes}, why)
        )
    return tuple(found)


def undetermined(data: AskedData, measure: Measure, profile: Profile) -> dict[str, str]:
    """The axes that nothing decided and that can move the answer here, with the value that is taken."""
    conventions = profile.conventions(measure)
    matter = data.axes_beside(measure, conventions)
    choices = data.choices(measure)
    still = {axis: left or tuple(choices[axis]) for axis, left in profile.undecided(measure).items() if axis in matter}
    taken = {axis: getattr(conventions, axis) for axis in still}
    if not data.may_be_looked_at(prod(map(len, still.values()))):
        return taken
    return {axis: value for axis, value in taken.items() if _moves(data, measure, conventions, axis, still)}


def _moves(
    data: AskedData, measure: Measure, base: Conventions, axis: str, still: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether the answer depends on one of the axes that are open, whatever the others may be."""
    others = [[(other, value) for value in values] for other, values in still.items() if other != axis]
    return any(
        data.answers(measure, other.replace(**{axis: value})) != data.answers(measure, other)
        for chosen in product(*others)
        for other in (base.replace(**dict(chosen)),)
        for value in still[axis]
    )


# -- what every convention does --------------------------------------------------------------------------------------


def _effects(data: AskedData, measure: Measure, told: Callable[[str], object]) -> tuple[ChangeEffect, ...]:
    found: dict[Conventions, ChangeEffect] = {}
    for axis, values in data.choices(measure).items():
        told(f"what {axis} can change")
        for value in values:
            plain = data.plain(measure, STANDARD.replace(**{axis: value}))
            if plain != STANDARD and plain not in found:
                before, after = data.answers(measure, STANDARD), data.answers(measure, plain)
                both = isinstance(before, Values) and isinstance(after, Values)
                moved = moved_between(data, measure, STANDARD, plain) if both else ()
                found[plain] = ChangeEffect(axis, value, after, moved)
    return tuple(found.values())
