"""All that is explained of one run and one measure, as one value: who says what and why, what ties can do, what else can matter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, product
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
        attribution: why it differs from the first requested profile; None for the first.
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
        query: the query of which the ranks are wanted side by side.
        of_most: whether, where no query is named, those of the query that differs most are wanted.
        seconds: after how many seconds of CPU time the search for what gives a number ends, on much data; None for no limit.
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
    """Explain a run and a measure; `told` receives the current step, and `clock` returns the seconds of CPU time so far.

    Raises:
        UnknownConvention: there is no such profile, or it does not speak of the measure.
        NoQuery: neither the qrels nor the run have the query of which the ranks are wanted.
    """
    if wish.query is not None and wish.query not in data.queries:
        named = ", ".join(shortened(query) for query in list(data.queries)[:NAMED])
        msg = f"--query {shortened(wish.query)}: neither the qrels nor {system} have it; the first queries are {named}"
        raise NoQuery(msg)
    start, seconds = clock(), inf if wish.seconds is None else wish.seconds
    sayings = _sayings(data, measure, compared(measure, wish.names, numbers=bool(wish.values)), told, wish.query)
    told("what ties can do")
    ties = envelope(data, measure, STANDARD)
    ends = [start + seconds * share / len(wish.values) for share in range(1, len(wish.values) + 1)]
    numbers = [(value, lambda end=end: clock() < end) for value, end in zip(wish.values, ends, strict=True)]
    values, between = given_by(data, measure, numbers, told)
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


def _read(sayings: Sequence[ProfileAnswer], values: Sequence[Explained]) -> dict[str, ReadTool]:
    """The tools whose profile was read, of those who are compared or give a number."""
    named = [name for saying in sayings for name in saying.names]
    named += [name for value in values for one in (*value.found, *value.nearest) for name in one.base.names]
    bare = dict.fromkeys(name.strip().partition(" ")[0] for name in named)
    return {name: tool for name in bare if not is_published(name) and (tool := tool_of(name)) is not None}


def _side_by_side(data: AskedData, measure: Measure, wish: Wish, sayings: Sequence[ProfileAnswer]) -> SideBySide | None:
    """Return the ranks of the requested query, or of the query that differs most from the first profile."""
    query = wish.query
    if query is None and wish.of_most:
        apart = _differences([saying.answers.per_query for saying in sayings if isinstance(saying.answers, Values)])
        query = max(apart, key=apart.__getitem__, default=next(iter(data.queries), None))
    if query is None:
        return None
    return side_by_side(data, measure, query, [saying.conventions for saying in sayings])


def _differences(each: Sequence[Mapping[str, Fraction | None]]) -> dict[str, Fraction]:
    """Return how far the value of each query is from that of the first profile at most."""
    found: dict[str, Fraction] = {}
    for query, base in each[0].items() if each else ():
        values = [value for other in each[1:] if (value := other.get(query)) is not None]
        if base is not None and values:
            found[query] = max(abs(value - base) for value in values)
    return found


def with_libraries(told: Explanation, today: tuple[Today, ...]) -> Explanation:
    """Return the same with the values of installed libraries, and with each number that a library returned."""
    values = []
    for value in told.values:
        gives = {one.name: one.gives(value.wanted) for one in today}
        values.append(replace(value, observed={name: exact for name, exact in gives.items() if exact is not None}))
    return replace(told, today=today, values=tuple(values))


def left_open(told: Explanation) -> tuple[str, ...]:
    """Of those who are compared, the libraries whose fingerprint leaves something open that can move the number here."""
    found: list[str] = []
    for saying in told.sayings:
        of_ties = saying.conventions.ties == UNSPECIFIED and told.envelope.moved != ()
        found += [name for name in saying.names if of_ties or name in saying.undetermined]
    return tuple(name for name in found if is_published(name))


# -- who says what ---------------------------------------------------------------------------------------------------


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
        key = _values(data, measure, conventions) if query is None else conventions
        alike.setdefault(key, []).extend(names)
    (first, *_), *_ = alike.values()
    found = []
    for names in alike.values():
        base, own = (profiles[name].conventions(measure) for name in (first, names[0]))
        still = {name: undetermined(data, measure, profiles[name]) for name in names}
        found.append(
            ProfileAnswer(
                tuple(names),
                data.plain(measure, own),
                data.answers(measure, own),
                {name: axes for name, axes in still.items() if axes},
                None if names[0] == first else attribute(data, measure, base, own),
            )
        )
    return tuple(found)


def _values(data: AskedData, measure: Measure, conventions: Conventions) -> object:
    """Return what is the same of conventions that give the same values here; of those that give none, themselves."""
    answers = data.answers(measure, conventions)
    if not isinstance(answers, Values):
        return conventions
    return conventions.ties == UNSPECIFIED, answers.mean, tuple(data.told(measure, conventions).values())


def undetermined(data: AskedData, measure: Measure, profile: Profile) -> dict[str, str]:
    """The axes that nothing decided and that can move the answer here, with the value that is taken."""
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
