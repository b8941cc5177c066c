"""How many are known to make a choice, so that what is done often is told before what is not.

Counted over the published fingerprints of the libraries, over the profiles of the reference, some of which are what people wrote
themselves, and over what was read in the sources of other tools.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache

from rankproof.evaluating.library_profiles import profile_named, published
from rankproof.evaluating.read_profiles import read_ways
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import fixed_by_parameters
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import EVERY, PROFILES, Profile
from rankproof.workers.subjects import names_of

Choice = tuple[str, str]
"""An axis and a value of it."""


@dataclass(frozen=True, order=True)
class Makers:
    """How many ways to ask a library, and other profiles, make a choice.

    Attributes:
        here: for a measure of the same name, or for whatever measure.
        anywhere: for any measure at all.
    """

    here: int
    anywhere: int


def makers(measure: Measure, axis: str, value: str) -> Makers:
    """How many are known to make this choice.

    >>> from rankproof.reference_impl.notation import parse
    >>> ap, ndcg = parse("AP"), parse("nDCG@10")
    >>> makers(ap, "ties", "docid-desc") > makers(ap, "ties", "worst") > makers(ap, "ties", "best")
    True
    >>> makers(ndcg, "gain", "exp") > makers(ndcg, "gain", "binary") > makers(ndcg, "discount", "jk-3") == Makers(0, 0)
    True
    """
    return Makers(_counted(measure.name)[axis, value], _counted(None)[axis, value])


@cache
def _counted(name: str | None) -> Counter[Choice]:
    """How many make each choice, for measures of that name; of None, for any."""
    # Of the names of a library this is one for each way of asking it, and none counts twice.
    libraries = names_of(published()).values()
    profiles = (profile_named(each) for each in dict.fromkeys([*PROFILES, *libraries, *read_ways()]))
    return Counter(choice for profile in profiles for choice in _choices(profile, name))


def _choices(profile: Profile, name: str | None) -> set[Choice]:
    """All that is done for such measures, by convention or as their notation says; what is undetermined is no choice."""
    found: set[Choice] = set()
    for key, conventions in profile.of.items():
        measure = None if key == EVERY else measure_of(key)
        if measure is not None and name not in {None, measure.name}:
            continue
        axes = AXES if measure is None else axes_of(measure)
        still = profile.open.get(key, {})
        found |= {(axis, getattr(conventions, axis)) for axis in axes if axis not in still}
        found |= set() if measure is None else set(fixed_by_parameters(measure).items())
    return found
