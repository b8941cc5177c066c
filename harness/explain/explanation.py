"""Explanations: everything that is said about one run and one measure, as one value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, islice, product
from math import inf, prod
from time import process_time

from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import is_published
from rankproof.evaluate.read_profiles import ReadTool, tool_of
from rankproof.evaluate.result import Met
from rankproof.explain.asked_data import AskedData
from rankproof.explain.attribution import Attribution, attribute, moved_between
from rankproof.explain.compared_profiles import by_conventions, compared
from rankproof.explain.data_facts import Fact, facts_of
from rankproof.explain.library_today import Today
from rankproof.explain.number_search import Explained
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.printed_values import Between, given_by
from rankproof.explain.side_by_side import SideBySide, side_by_side
from rankproof.explain.tie_envelope import Envelope, envelope
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, Values
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

NAMED = 3
"""How many queries a message names."""


@dataclass(frozen=True)
class ProfileAnswer:
    """The values of profiles that are equal on this data.

    Attributes:
        names: the names of the profiles.
        conventions: their conventions, with `standard` on every axis that cannot matter here.
        answers: the values of the reference.
        undetermined: by name, the undetermined axes that can matter here, with the value that is taken.
        attribution: why the values differ from those of the first profile; None for the first.
    """

    names: tuple[str, ...]
    conventions: Conventions
    answers: Answers
    undetermined: Mapping[str, Mapping[str, str]]
    attribution: Attribution | None


@dataclass(frozen=True)
class ChangeEffect:
    """The values after one change of `standard`, and the queries that it moves."""

    axis: str
    value: str
    answers: Answers
    moved: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """The result of `rankproof explain` for one run and one measure.

    Attributes:
        plain: the values under `standard`.
        sayings: the values by profile.
        envelope: what ties can do under the first profile.
        facts: features of the data that conventions treat differently.
        effects: every change of one axis of `standard` that can matter; None if that would take too long.
        values: what gives each printed number.
        between: what turns each printed number into the next.
        side_by_side: the ranks of one query, if requested.
        today: the values of libraries that were run.
        exceptions: known exceptions of the compared libraries that the data meets.
        read: by profile, the tools whose source was read and that were not observed.
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
    side_by_side: SideBySide | None = None
    today: tuple[Today, ...] = ()
    exceptions: tuple[Met, ...] = ()
    read: Mapping[str, ReadTool] = field(default_factory=dict)


@dataclass(frozen=True)
class Wish:
    """What is to be explained.

    Attributes:
        names: profiles to compare with the first; none means `standard` and every library.
        values: printed numbers.
        query: a query whose ranks are wanted side by side.
        of_most: whether the ranks of the query that differs most are wanted if no query is named.
        seconds: the limit of CPU time for the search, if the data is large.
    """

    names: tuple[str, ...] = ()
    values: tuple[PrintedNumber, ...] = ()
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
    clock: Callable[[], float] = process_time,
) -> Explanation:
    """Explain a run and a measure.

    Args:
        system: the name of the run.
        data: the qrels and the run.
        measure: the measure.
        wish: what is to be explained.
        told: receives the current step.
        clock: returns the seconds of CPU time so far.

    Raises:
        UnknownConvention: there is no such profile, or it does not have the measure.
        NoQuery: neither the qrels nor the run have the requested query.
    """
    if wish.query is not None and wish.query not in data.queries:
        first = ", ".join(map(shortened, islice(data.queries, NAMED)))
        where = f"neither the qrels nor {system} have it; the first queries are {first}"
        raise NoQuery(f"--query {shortened(wish.query)}: {where}")
    start, share = clock(), (inf if wish.seconds is None else wish.seconds) / max(1, len(wish.values))
    sayings = _sayings(data, measure, compared(measure, wish.names, numbers=bool(wish.values)), told, wish.query)
    told("what ties can do")
    ties = envelope(data, measure, sayings[0].conventions)
    ends = [start + share * number for number in range(1, len(wish.values) + 1)]
    in_time = [(value, lambda end=end: clock() < end) for value, end in zip(wish.values, ends, strict=True)]
    values, between = given_by(data, measure, in_time, told)
    names = [*(name for saying in sayings for name in saying.names), *chain(*(value.not_excluded for value in values))]
    return Explanation(
        system,
        measure,
        tuple(data.queries),
        data.answers(measure, STANDARD),
        sayings,
        ties,
        tuple(facts_of(data, measure, sayings[0].conventions)),
        _effects(data, measure, told) if data.is_little(measure) else None,
        values,
        between,
        _side_by_side(data, measure, wish, sayings),
        exceptions=met_by(data, measure, dict.fromkeys(names)),
        read=_read(sayings, values),
    )


def with_libraries(told: Explanation, today: tuple[Today, ...]) -> Explanation:
    """Return the explanation with the values of libraries that were run, and with each number that one of them returned."""
    values = []
    for value in told.values:
        gives = {one.name: one.gives(value.wanted) for one in today}
        values.append(replace(value, observed={name: exact for name, exact in gives.items() if exact is not None}))
    return replace(told, today=today, values=tuple(values))


def left_open(told: Explanation) -> tuple[str, ...]:
    """Return the compared libraries whose fingerprint leaves something open that can change the value here."""
    names: list[str] = []
    for saying in told.sayings:
        of_ties = saying.conventions.ties == UNSPECIFIED and told.envelope.moved != ()
        names += [name for name in saying.names if of_ties or name in saying.undetermined]
    return tuple(filter(is_published, names))


def _read(sayings: Sequence[ProfileAnswer], values: Sequence[Explained]) -> dict[str, ReadTool]:
    named = [name for saying in sayings for name in saying.names]
    named += [name for value in values for one in (*value.found, *value.nearest) for name in one.base.names]
    bare = dict.fromkeys(name.strip().partition(" ")[0] for name in named)
    return {name: tool for name in bare if not is_published(name) and (tool := tool_of(name)) is not None}


def _side_by_side(data: AskedData, measure: Measure, wish: Wish, sayings: Sequence[ProfileAnswer]) -> SideBySide | None:
    query = wish.query
    if query is None and wish.of_most:
        query = _most_different([saying.answers.per_query for saying in sayings if isinstance(saying.answers, Values)])
        query = next(iter(data.queries), None) if query is None else query
    if query is None:
        return None
    return side_by_side(data, measure, query, [saying.conventions for saying in sayings])


def _most_different(values: Sequence[Mapping[str, Fraction | None]]) -> str | None:
    """Return the query whose value differs most from that of the first profile."""
    apart: dict[str, Fraction] = {}
    for query, base in values[0].items() if values else ():
        if base is None:
            continue
        differences = [abs(value - base) for other in values[1:] if (value := other.get(query)) is not None]
        apart |= {query: max(differences)} if differences else {}
    return max(apart, key=apart.__getitem__, default=None)


# -- the values by profile -----------------------------------------------------------------------------------------------


def _sayings(
    data: AskedData,
    measure: Measure,
    profiles: Mapping[str, Profile],
    told: Callable[[str], object],
    query: str | None,
) -> tuple[ProfileAnswer, ...]:
    """Return the values by profile. Profiles with equal values are one, or, if a query is shown, profiles with equal ranks."""
    alike: dict[object, list[str]] = {}
    for conventions, names in by_conventions(data, measure, profiles).items():
        told(f"what {names[0]} gives")
        answers, key = data.answers(measure, conventions), conventions
        if query is None and isinstance(answers, Values):
            values = tuple(data.told(measure, conventions).values())
            alike.setdefault((conventions.ties == UNSPECIFIED, answers.mean, values), []).extend(names)
        else:
            alike.setdefault(key, []).extend(names)
    (first, *_), *_ = alike.values()
    base = profiles[first].conventions(measure)
    sayings = []
    for names in alike.values():
        own = profiles[names[0]].conventions(measure)
        still = {name: undetermined(data, measure, profiles[name]) for name in names}
        why = None if names[0] == first else attribute(data, measure, base, own)
        values_of = data.plain(measure, own), data.answers(measure, own)
        sayings.append(
            ProfileAnswer(tuple(names), *values_of, {name: axes for name, axes in still.items() if axes}, why)
        )
    return tuple(sayings)


def undetermined(data: AskedData, measure: Measure, profile: Profile) -> dict[str, str]:
    """Return the undetermined axes of a profile that can change the values here, with the value that is taken."""
    conventions = profile.conventions(measure)
    matter = data.axes_beside(measure, conventions)
    choices = data.choices(measure)
    still = {axis: left or tuple(choices[axis]) for axis, left in profile.undecided(measure).items() if axis in matter}
    taken = {axis: getattr(conventions, axis) for axis in still}
    if not data.may_be_read(prod(map(len, still.values()))):
        return taken
    return {axis: value for axis, value in taken.items() if _moves(data, measure, conventions, axis, still)}


def _moves(
    data: AskedData, measure: Measure, base: Conventions, axis: str, still: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether the values depend on an undetermined axis, whatever the other undetermined axes are."""
    others = [[(other, value) for value in values] for other, values in still.items() if other != axis]
    return any(
        data.answers(measure, other.replace(**{axis: value})) != data.answers(measure, other)
        for chosen in product(*others)
        for other in (base.replace(**dict(chosen)),)
        for value in still[axis]
    )


def _effects(data: AskedData, measure: Measure, told: Callable[[str], object]) -> tuple[ChangeEffect, ...]:
    effects: dict[Conventions, ChangeEffect] = {}
    before = data.answers(measure, STANDARD)
    for axis, values in data.choices(measure).items():
        told(f"what {axis} can change")
        for value in values:
            plain = data.plain(measure, STANDARD.replace(**{axis: value}))
            if plain != STANDARD and plain not in effects:
                after = data.answers(measure, plain)
                both = isinstance(before, Values) and isinstance(after, Values)
                moved = moved_between(data, measure, STANDARD, plain) if both else ()
                effects[plain] = ChangeEffect(axis, value, after, moved)
    return tuple(effects.values())
