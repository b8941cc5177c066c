"""The explanation of one run and one measure, as one value: profiles, ties, printed numbers and libraries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from math import inf, prod
from time import process_time

from rankproof.display import Display
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import is_published
from rankproof.evaluate.read_profiles import ReadTool, tool_of
from rankproof.evaluate.result import Met
from rankproof.explain.attribution import Attribution, attribute
from rankproof.explain.compared_profiles import compared
from rankproof.explain.library_run import LibraryAnswer
from rankproof.explain.number_search import Explained
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.printed_values import Between, explain_numbers
from rankproof.explain.run_data import RunData
from rankproof.explain.side_by_side import SideBySide, side_by_side
from rankproof.explain.tie_envelope import Envelope, envelope
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.shown import shortened
from rankproof.reference_impl.unusable import Unusable

NAMED = 3
"""The number of queries that a message names."""


@dataclass(frozen=True)
class ProfileAnswer:
    """Profiles that give equal values on this data.

    Attributes:
        names: the names of the profiles.
        conventions: their conventions, with the value of `standard` on every axis that cannot matter here.
        answers: the values of the reference under these conventions.
        undetermined: by name, the undetermined axes that can matter here, with the value that is used.
        attribution: why the values differ from those of the first profile; None for the first.
    """

    names: tuple[str, ...]
    conventions: Conventions
    answers: Answers
    undetermined: Mapping[str, Mapping[str, str]]
    attribution: Attribution | None


@dataclass(frozen=True, repr=False)
class Explanation(Display):
    """The result of `rankproof explain` for one run and one measure.

    Attributes:
        sayings: the values by profile.
        envelope: the effect of ties under the first profile.
        values: the conventions that give each printed number.
        between: the changes from each printed number to the next.
        side_by_side: the ranks of one query, if requested.
        exceptions: known exceptions of the compared libraries that the data meets.
        read: by profile, the tools whose source code was read, but whose values were not observed.
        libraries: the values of libraries that were run on the data, if requested.
    """

    system: str
    measure: Measure
    queries: tuple[str, ...]
    sayings: tuple[ProfileAnswer, ...]
    envelope: Envelope
    values: tuple[Explained, ...] = ()
    between: tuple[Between, ...] = ()
    side_by_side: SideBySide | None = None
    exceptions: tuple[Met, ...] = ()
    read: Mapping[str, ReadTool] = field(default_factory=dict)
    libraries: tuple[LibraryAnswer, ...] = ()


class NoQuery(Unusable):
    """A requested query that neither the qrels nor the run have."""


def explain(  # noqa: PLR0913 - one for each thing that can be explained
    system: str,
    data: RunData,
    measure: Measure,
    names: Sequence[str] = (),
    values: Sequence[PrintedNumber] = (),
    *,
    query: str | None = None,
    seconds: float | None = None,
    on_progress: Callable[[str], object] = str,
    clock: Callable[[], float] = process_time,
) -> Explanation:
    """Explain the values of a measure on a run.

    Args:
        system: the name of the run.
        data: the qrels and the run.
        measure: the measure.
        names: profiles to compare with the first (default: `standard` and every library).
        values: printed numbers.
        query: a query whose rankings are shown side by side.
        seconds: the limit of CPU time for the search for the numbers on large data.
        on_progress: receives the current step.
        clock: returns the seconds of CPU time so far.

    Raises:
        UnknownConvention: a profile is unknown, or does not have the measure.
        NoQuery: neither the qrels nor the run have the requested query.
    """
    if query is not None and query not in data.queries:
        first = ", ".join(map(shortened, islice(data.queries, NAMED)))
        where = f"neither the qrels nor {system} have it. The first queries are {first}."
        raise NoQuery(f"--query {shortened(query)}: {where}")
    start, share = clock(), (inf if seconds is None else seconds) / max(1, len(values))
    by_profile = _by_profile(data, measure, compared(measure, names, numbers=bool(values)), on_progress, query)
    on_progress("the effect of ties")
    ties = envelope(data, measure, by_profile[0].conventions)
    ends = [start + share * number for number in range(1, len(values) + 1)]
    in_time = [(value, lambda end=end: clock() < end) for value, end in zip(values, ends, strict=True)]
    explained, between = explain_numbers(data, measure, in_time, on_progress)
    named = chain(*(answer.names for answer in by_profile), *(value.not_excluded for value in explained))
    ranks = None if query is None else side_by_side(data, measure, query, [own.conventions for own in by_profile])
    return Explanation(
        system,
        measure,
        tuple(data.queries),
        by_profile,
        ties,
        explained,
        between,
        ranks,
        met_by(data, measure, dict.fromkeys(named)),
        _read(by_profile, explained),
    )


def _read(by_profile: Sequence[ProfileAnswer], values: Sequence[Explained]) -> dict[str, ReadTool]:
    """Return the tools among the shown profiles whose source code was read."""
    named = [name for answer in by_profile for name in answer.names]
    named += [name for value in values for match in (*value.found, *value.nearest) for name in match.base.names]
    bare = dict.fromkeys(name.strip().partition(" ")[0] for name in named)
    return {name: tool for name in bare if not is_published(name) and (tool := tool_of(name)) is not None}


# -- the values by profile -----------------------------------------------------------------------------------------------


def _by_profile(
    data: RunData,
    measure: Measure,
    profiles: Mapping[str, Profile],
    on_progress: Callable[[str], object],
    query: str | None,
) -> tuple[ProfileAnswer, ...]:
    """Return the values by profile, merging those with equal values (equal conventions if a query is shown)."""
    alike: dict[object, list[str]] = {}
    distinct = grouped((data.plain(measure, profile.conventions(measure)), name) for name, profile in profiles.items())
    for conventions, names in distinct.items():
        on_progress(f"the values of {names[0]}")
        answers, key = data.answers(measure, conventions), conventions
        if query is None and isinstance(answers, Values):
            values = tuple(data.readings(measure, conventions).values())
            alike.setdefault((conventions.ties == UNSPECIFIED, answers.mean, values), []).extend(names)
        else:
            alike.setdefault(key, []).extend(names)
    (first, *_), *_ = alike.values()
    base = profiles[first].conventions(measure)
    results = []
    for names in alike.values():
        own = profiles[names[0]].conventions(measure)
        still = {name: undetermined(data, measure, profiles[name]) for name in names}
        why = None if names[0] == first else attribute(data, measure, base, own)
        values_of = data.plain(measure, own), data.answers(measure, own)
        results.append(
            ProfileAnswer(tuple(names), *values_of, {name: axes for name, axes in still.items() if axes}, why)
        )
    return tuple(results)


def undetermined(data: RunData, measure: Measure, profile: Profile) -> dict[str, str]:
    """Return the undetermined axes of a profile that can change the values here, with the value that is used."""
    conventions = profile.conventions(measure)
    matter = data.remaining_axes(measure, conventions)
    choices = data.choices(measure)
    still = {axis: left or tuple(choices[axis]) for axis, left in profile.undecided(measure).items() if axis in matter}
    taken = {axis: getattr(conventions, axis) for axis in still}
    if not data.is_small_enough(prod(map(len, still.values()))):
        return taken
    return {axis: value for axis, value in taken.items() if _moves(data, measure, conventions, axis, still)}


def _moves(data: RunData, measure: Measure, base: Conventions, axis: str, still: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether an undetermined axis can change the values for some choice on the other undetermined axes."""
    others = [[(other, value) for value in values] for other, values in still.items() if other != axis]
    return any(
        data.answers(measure, other.replace(**{axis: value})) != data.answers(measure, other)
        for chosen in product(*others)
        for other in (base.replace(**dict(chosen)),)
        for value in still[axis]
    )
