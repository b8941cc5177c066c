"""Search for the conventions behind printed numbers, and the changes from one number to the next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rankproof.evaluate.known_exceptions import computes_in_float32, met_by
from rankproof.explain.attribution import Attribution, attribute, changes_between
from rankproof.explain.compared_profiles import library_profiles, read_tool_profiles
from rankproof.explain.number_search import Base, Explained, ValueMatch, search, unchanged
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.run_data import RunData
from rankproof.grouping import grouped
from rankproof.inference.reference_answers import Refused
from rankproof.measure_facts import can_look_at, fixed_by_parameters
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import PROFILES, Profile

OF_FLAGS = frozenset({"binary", "two-values"})
"""The values of `grades` of profiles that accept only binary relevance."""


@dataclass(frozen=True)
class Between:
    """The changes from one printed number to another.

    Attributes:
        texts: both numbers.
        attribution: the changes from the first set of conventions to the second, with tied documents in input order if `open`.
        open: whether one number holds only for some order of the tied documents.
    """

    texts: tuple[str, str]
    attribution: Attribution
    open: bool = False


def explain_numbers(
    data: RunData,
    measure: Measure,
    values: Sequence[tuple[PrintedNumber, Callable[[], bool]]],
    on_progress: Callable[[str], object],
) -> tuple[tuple[Explained, ...], tuple[Between, ...]]:
    """Return what gives each number, and the changes to the next. Each value comes with a check for time left."""
    if not values:
        return (), ()
    bases, doubtful = bases_of(data, measure)
    explained = [
        replace(search(data, measure, value, bases, on_progress, in_time), not_excluded=doubtful)
        for value, in_time in values
    ]
    if measure.k is not None and (data.is_small_enough(len(bases)) or values[-1][1]()):
        whole = cut_at(measure, None)
        uncut, _ = bases_of(data, whole)
        explained = [
            value if _is_given(value) else replace(value, uncut=unchanged(data, whole, value.wanted, uncut))
            for value in explained
        ]
    return tuple(explained), tuple(filter(None, (_between(data, measure, *pair) for pair in pairwise(explained))))


def _between(data: RunData, measure: Measure, first: Explained, second: Explained) -> Between | None:
    """Return the changes between two numbers, by the most common sets of changes; among these, the fewest changes."""
    pairs = [(a, b) for a in first.found for b in second.found if a.mean != b.mean or a.ends or b.ends]
    if first.uncut or second.uncut or first.wanted.value == second.wanted.value or not pairs:
        return None
    pair = min(pairs, key=_known_best)
    is_open = any(match.ends is not None for match in pair)
    ends = [match.chosen.replace(ties="input") if is_open else match.chosen for match in pair]
    return Between((first.wanted.text, second.wanted.text), attribute(data, measure, *ends), is_open)


def _known_best(pair: tuple[ValueMatch, ValueMatch]) -> tuple[int, int, int]:
    kinds = [match.kind for match in pair]
    return max(kinds), sum(kinds), len(changes_between(pair[0].chosen, pair[1].chosen))


def _is_given(value: Explained) -> bool:
    """Return whether some profile gives a number unchanged."""
    return any(not match.changes and match.ends is None for match in value.found)


def as_flags(measure: Measure) -> str | None:
    """Return the changes that make grades count as 0 or 1; None if the measure needs the grades, as ERR does."""
    looked_at = can_look_at(measure)
    of_gains = "gains" in looked_at
    if measure.rel > 1 or "rels" in looked_at or (of_gains and "gain" in fixed_by_parameters(measure)):
        return None
    return "grades=any gain=binary" if of_gains else "grades=any"


def bases_of(data: RunData, measure: Measure) -> tuple[list[Base], tuple[str, ...]]:
    """Return the profiles that may give a number, `standard` first, and the names of those with unknown values here."""
    profiles = {"standard": PROFILES["standard"], **library_profiles(measure), **read_tool_profiles(data, measure)}
    doubtful = tuple(dict.fromkeys(met.name for met in met_by(data, measure, profiles)))
    known = {name: profile for name, profile in profiles.items() if name not in doubtful}
    known |= dict(_of_flags(data, measure, known))
    alike = grouped(
        ((data.varying(measure, profile.conventions(measure)), computes_in_float32(name, measure)), name)
        for name, profile in known.items()
    )
    return [
        Base(tuple(names), conventions, all(known[name].read for name in names), single)
        for (conventions, single), names in alike.items()
    ], doubtful


def _of_flags(data: RunData, measure: Measure, profiles: Mapping[str, Profile]) -> Iterator[tuple[str, Profile]]:
    """Yield the profiles that refuse the grades of the data, changed to binary grades as users would do."""
    changes = as_flags(measure)
    for name, profile in profiles.items() if changes is not None else ():
        own = data.plain(measure, profile.conventions(measure))
        if own.grades in OF_FLAGS and isinstance(data.answers(measure, own), Refused):
            yield f"{name} of grades made 0 and 1", profile.changed(changes or "")
