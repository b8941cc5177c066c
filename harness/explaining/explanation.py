"""All that is explained of one run and one measure, as one value: who says what and why, what ties can do, what else can matter."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, product
from math import inf, prod
from time import monotonic

from rankproof.evaluating.library_profiles import (
    each_way,
    is_published,
    library_names,
    other_ways,
    profile_named,
    speaking_of,
    speaks_of,
)
from rankproof.evaluating.read_profiles import ReadTool, read_ways, tool_of
from rankproof.explaining.asked_data import BEFORE_THE_FORMULA, AskedData
from rankproof.explaining.attribution import Attribution, attribute, moved_between
from rankproof.explaining.data_facts import Fact, facts_of
from rankproof.explaining.known_exceptions import Met, computes_in_float32, met_by
from rankproof.explaining.library_today import Today
from rankproof.explaining.printed_number import PrintedNumber
from rankproof.explaining.side_by_side import SideBySide, side_by_side
from rankproof.explaining.tie_envelope import Envelope, envelope
from rankproof.explaining.value_search import Base, Explained, best_known_pair, explained, given_as_they_are, told_apart
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.matching.reference_answers import Answers, Refused, Values
from rankproof.meaning.measure_forms import cut_at
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import STANDARD, Conventions, UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES, Profile
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

NAMED = 5
"""How many queries are named where another was asked for."""
OF_FLAGS = frozenset({"binary", "two-values"})
"""Grades of who is asked of docs that are relevant or not."""
MOST_ROWS = 2_000_000
"""How many rows and judgments are looked at to say what every convention does, if nobody asks for more."""


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
class Between:
    """What turns one number into another: what gives each, and why they differ.

    Attributes:
        attribution: from the one set of conventions to the other, but for the order of tied docs where one leaves it open.
        open: whether one of them gives its number in some order of the tied docs alone.
    """

    texts: tuple[str, str]
    attribution: Attribution
    open: bool = False


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
    sayings = _sayings(data, measure, _profiles(measure, wish), told)
    told("what ties can do")
    ties = envelope(data, measure, STANDARD)
    asked = {**_of_libraries(measure), **_of_read_tools(data, measure)} if wish.values else {}
    exceptions = met_by(data, measure, dict.fromkeys([*(name for saying in sayings for name in saying.names), *asked]))
    may_depart = {met.name for met in exceptions}
    times = [_until(clock, start, wish, share / len(wish.values)) for share in range(1, len(wish.values) + 1)]
    known = {name: profile for name, profile in asked.items() if name not in may_depart}
    values, between = _values(data, measure, tuple(zip(wish.values, times, strict=True)), known, told)
    return Explanation(
        system, measure, tuple(data.queries), data.answers(measure, STANDARD), sayings, ties,
        tuple(facts_of(data, measure, sayings[0].conventions)),
        _effects(data, measure, told) if wish.whole or _are_few(data, measure) else None, values, between, wish.whole,
        _side_by_side(data, measure, wish, sayings), exceptions=exceptions, read=_read(sayings, values),
    )  # fmt: skip


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


def _profiles(measure: Measure, wish: Wish) -> dict[str, Profile]:
    """The profiles that are compared, the first being what all others are compared with."""
    if wish.names:
        named = {name: _named(name, measure) for name in _with_ways(wish.names, measure)}
        return named if len(named) > 1 else {"standard": PROFILES["standard"], **named}
    if wish.values:
        return {"standard": PROFILES["standard"]}
    return {"standard": PROFILES["standard"], **_of_libraries(measure)}


def _with_ways(names: Sequence[str], measure: Measure) -> Iterator[str]:
    """The names; in place of a tool's that answers in several ways, those of its ways that have the measure, or of all where none has."""
    for name in names:
        ways = each_way(name)
        having = [way for way in ways if len(ways) > 1 and speaks_of(profile_named(way), measure)]
        yield from having or ways


def _named(name: str, measure: Measure) -> Profile:
    """The profile of that name, which speaks of the measure.

    Raises:
        UnknownConvention: there is none, or it does not speak of it; another way of asking the same tool may do so, and is named.
    """
    own = profile_named(name)
    try:
        return speaking_of(own, measure)
    except UnknownConvention as unknown:
        way = next(iter(other_ways(name, measure)), None)
        if way is None:
            if instead := _of_whole_rankings(own, measure):
                msg = f"{str(unknown).partition('; it has ')[0]}, but it has {instead}: ask for that, by -m {instead}"
                raise UnknownConvention(msg) from unknown
            raise
        msg = f"{str(unknown).partition('; it has ')[0]}; {way} has it: name that instead of {name}"
        raise UnknownConvention(msg) from unknown


def _of_whole_rankings(own: Profile, measure: Measure) -> str:
    """The same measure of whole rankings, where a profile speaks of that and not of one with a cutoff; "" where it does not."""
    whole = cut_at(measure, None)
    return "" if measure.k is None or not speaks_of(own, whole) else str(whole)


def _of_libraries(measure: Measure) -> dict[str, Profile]:
    """The profile of every library that was asked this measure, the shorter of two names for the same first."""
    found: dict[str, Profile] = {}
    for name in library_names():
        own = profile_named(name)
        if own not in found.values() and speaks_of(own, measure):
            found[name] = own
    return found


def _of_read_tools(data: AskedData, measure: Measure) -> dict[str, Profile]:
    """The profile of every tool whose source was read, and which can rank this data."""
    read = {name: own for name, own in read_ways().items() if speaks_of(own, measure)}
    return {n: own for n, own in read.items() if data.has_ranks or own.conventions(measure).order != "rank"}


def _sayings(
    data: AskedData, measure: Measure, profiles: Mapping[str, Profile], told: Callable[[str], object]
) -> tuple[ProfileAnswer, ...]:
    alike = _by_conventions(data, measure, profiles)
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


def _by_conventions(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> dict[Conventions, list[str]]:
    """The conventions that differ on this data, each with the names of all who follow them."""
    alike: dict[Conventions, list[str]] = {}
    for name, profile in profiles.items():
        alike.setdefault(data.plain(measure, profile.conventions(measure)), []).append(name)
    return alike


def undetermined(data: AskedData, measure: Measure, profile: Profile) -> dict[str, str]:
    """The axes that nothing decided and that can move the answer here, with the value that is taken."""
    conventions, matter = profile.conventions(measure), set(data.axes(measure))
    choices = data.choices(measure)
    still = {axis: left or tuple(choices[axis]) for axis, left in profile.undecided(measure).items() if axis in matter}
    taken = {axis: getattr(conventions, axis) for axis in still}
    if prod(map(len, still.values())) * data.size > MOST_ROWS:
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


def _are_few(data: AskedData, measure: Measure) -> bool:
    rankings = sum(len(values) for axis, values in data.choices(measure).items() if axis in BEFORE_THE_FORMULA)
    return rankings * data.size <= MOST_ROWS


def _effects(data: AskedData, measure: Measure, told: Callable[[str], object]) -> tuple[ChangeEffect, ...]:
    found: dict[Conventions, ChangeEffect] = {}
    for axis, values in data.choices(measure).items():
        told(f"what {axis} can change")
        for value in values:
            plain = data.plain(measure, STANDARD.replace(**{axis: value}))
            if plain != STANDARD and plain not in found:
                found[plain] = ChangeEffect(axis, value, data.answers(measure, plain), _moved(data, measure, plain))
    return tuple(found.values())


def _moved(data: AskedData, measure: Measure, conventions: Conventions) -> tuple[str, ...]:
    if not all(isinstance(data.answers(measure, each), Values) for each in (STANDARD, conventions)):
        return ()
    return moved_between(data, measure, STANDARD, conventions)


# -- numbers that somebody printed -----------------------------------------------------------------------------------


def _until(clock: Callable[[], float], start: float, wish: Wish, share: float) -> Callable[[], bool]:
    """Whether a share of the time is not over yet."""
    seconds = inf if wish.seconds is None or wish.whole else wish.seconds
    return lambda: clock() - start < seconds * share


def _values(
    data: AskedData,
    measure: Measure,
    values: Sequence[tuple[PrintedNumber, Callable[[], bool]]],
    libraries: Mapping[str, Profile],
    told: Callable[[str], object],
) -> tuple[tuple[Explained, ...], tuple[Between, ...]]:
    if not values:
        return (), ()
    profiles = {"standard": PROFILES["standard"], **libraries}
    bases = bases_of(data, measure, profiles | dict(of_flags(data, measure, libraries)))
    found = told_apart([explained(data, measure, value, bases, told, in_time) for value, in_time in values])
    found = _without_the_cutoff(data, measure, found, [in_time for _, in_time in values])
    between = []
    for one, other in pairwise(found):
        pair = None if one.uncut or other.uncut else best_known_pair(one, other)
        if pair is None or one.wanted.value == other.wanted.value:
            continue
        is_open = any(each.ends is not None for each in pair)
        ends = [each.conventions.replace(ties="input") if is_open else each.conventions for each in pair]
        if is_open or ends[0] != ends[1]:
            between.append(Between((one.wanted.text, other.wanted.text), attribute(data, measure, *ends), is_open))
    return found, tuple(between)


def _without_the_cutoff(
    data: AskedData, measure: Measure, values: Sequence[Explained], in_time: Sequence[Callable[[], bool]]
) -> tuple[Explained, ...]:
    """The same, with who gives a number of all that was retrieved, as tools do that take no cutoff; of much data, while there is time."""
    few = _are_few(data, measure)
    asked = [
        measure.k is not None and not one.is_as_it_is and (few or more())
        for one, more in zip(values, in_time, strict=True)
    ]
    if not any(asked):
        return tuple(values)
    whole = cut_at(measure, None)
    profiles = {"standard": PROFILES["standard"], **_of_libraries(whole), **_of_read_tools(data, whole)}
    may_depart = {met.name for met in met_by(data, whole, profiles)}
    bases = bases_of(data, whole, {name: own for name, own in profiles.items() if name not in may_depart})
    return tuple(
        replace(one, uncut=given_as_they_are(data, whole, one.wanted, bases)) if is_asked else one
        for one, is_asked in zip(values, asked, strict=True)
    )


def as_flags(measure: Measure) -> str:
    """The changes of a profile by which rels count as if they were 0 and 1."""
    return "grades=any gain=binary" if "gain" in axes_of(measure) else "grades=any"


def of_flags(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> Iterator[tuple[str, Profile]]:
    """What those would give who refuse the data for its rels, had these been made 0 and 1 before, as people do who ask them."""
    for name, profile in profiles.items():
        own = data.plain(measure, profile.conventions(measure))
        if own.grades in OF_FLAGS and isinstance(data.answers(measure, own), Refused):
            yield f"{name} of rels made 0 and 1", profile.changed(as_flags(measure))


def bases_of(data: AskedData, measure: Measure, profiles: Mapping[str, Profile]) -> list[Base]:
    """The profiles that differ on this data, each with the names of all who follow it."""
    matter = data.axes(measure)

    def whole(names: Sequence[str]) -> dict[Conventions, tuple[str, ...]]:
        found: dict[Conventions, tuple[str, ...]] = {}
        for name in names:
            conventions = profiles[name].conventions(measure)
            chosen = STANDARD.replace(**{axis: getattr(conventions, axis) for axis in matter})
            found[chosen] = (*found.get(chosen, ()), name)
        return found

    alike = _by_conventions(data, measure, profiles)
    proved = {conventions: [name for name in names if not profiles[name].read] for conventions, names in alike.items()}
    single = {name for name in profiles if computes_in_float32(name, measure)}
    return [
        Base(tuple(n), c, whole(proved[c] or n), not proved[c], tuple(name for name in n if name in single))
        for c, n in alike.items()
    ]
