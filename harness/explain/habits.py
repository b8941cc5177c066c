"""How many profiles make a choice: published fingerprints, the profiles of the reference, and tools whose source was read."""

from collections import Counter
from functools import cache
from typing import NamedTuple

from rankproof.evaluate.library_profiles import profile_named, published
from rankproof.evaluate.read_profiles import read_ways
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile
from rankproof.workers.subjects import names_of


class Makers(NamedTuple):
    """How many profiles make a choice: for a measure of the same name, and for any measure."""

    here: int
    anywhere: int


def makers(measure: Measure, axis: str, value: str) -> Makers:
    """How many are known to make this choice.

    >>> from rankproof.reference_impl.notation import parse
    >>> ap, ndcg = parse("AP"), parse("nDCG@10")
    >>> makers(ap, "ties", "docid-desc") > makers(ap, "ties", "worst") > makers(ap, "ties", "best")
    True
    >>> makers(ndcg, "gain", "exp") > makers(ndcg, "gain", "binary") > makers(ndcg, "discount", "jk-3") == (0, 0)
    True
    """
    return Makers(_counted(measure.name)[axis, value], _counted(None)[axis, value])


@cache
def _counted(name: str | None) -> Counter[tuple[str, str]]:
    """How many make each choice, for measures of that name; of None, for any."""
    # Of the names of a library this is one for each way of asking it, and none counts twice.
    libraries = names_of(published()).values()
    profiles = (profile_named(each) for each in dict.fromkeys([*PROFILES, *libraries, *read_ways()]))
    return Counter(choice for profile in profiles for choice in _choices(profile, name))


def _choices(profile: Profile, name: str | None) -> set[tuple[str, str]]:
    """All that is done for such measures, by convention or as their notation says; what is undetermined is no choice."""
    found: set[tuple[str, str]] = set()
    for key, conventions in profile.of.items():
        measure = None if key == EVERY else measure_of(key)
        if measure is not None and name not in {None, measure.name}:
            continue
        axes = AXES if measure is None else axes_of(measure)
        still = profile.open.get(key, {})
        found |= {(axis, getattr(conventions, axis)) for axis in axes if axis not in still}
        found |= set() if measure is None else set(fixed_by_parameters(measure).items())
    return found
