"""The forms of a measure: `nDCG`, `nDCG@k`, `nDCG(rel=2)@k` …, by which fingerprints are grouped and told.

The one place where a cutoff is read off a measure, taken away or put on. What is text may be of a measure that nobody here knows.
"""

import re
from dataclasses import replace

from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse

KEY_CUTOFF = 10
"""The cutoff at which the signature of a form such as nDCG@k is written."""
_CUTOFF = re.compile(r"@[\d.]+$")
_CUTS = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@recall"}
"""How the notation of a measure shows whether it takes a cutoff."""


def cutoff_of(measure: Measure) -> int | None:
    """The rank that a measure is cut at, if it is."""
    return None if measure.of_labels else measure.k


def another(measure: Measure, name: str) -> Measure:
    """The measure of that name, with the cutoff and the threshold of relevance of this one.

    >>> print(another(parse("F(beta=2,rel=2)@5"), "P"))
    P(rel=2)@5
    """
    definition = MEASURES[name]
    params = tuple((param, value) for param, value in measure.params if param in definition.params)
    return Measure(name, params, None if definition.cutoff == "none" else measure.cutoff)


def cut_at(measure: Measure, cutoff: float | None) -> Measure:
    """The measure at another cutoff.

    >>> print(cut_at(parse("P(rel=2)@5"), 20))
    P(rel=2)@20
    """
    return replace(measure, cutoff=cutoff)


def key_of(measure: Measure) -> str:
    """The form of a measure: its cutoff, if it is a rank, is no matter of convention.

    >>> [key_of(parse(m)) for m in ("nDCG@10", "P(rel=2)@5", "RR", "IPrec@0.1", "ARI")]
    ['nDCG@k', 'P(rel=2)@k', 'RR', 'IPrec@0.1', 'ARI']
    """
    return str(measure) if cutoff_of(measure) is None else any_cutoff(str(measure))


def measure_of(key: str) -> Measure:
    """A measure of that form."""
    return parse(key.removesuffix("@k") + f"@{KEY_CUTOFF}" if key.endswith("@k") else key)


def named(name: str) -> Measure:
    """The measure of that name, with a cutoff if it takes one."""
    takes = MEASURES[name].cutoff if name in MEASURES else "none"
    return Measure(name, (), {"none": None, "recall": 0.1}.get(takes, KEY_CUTOFF))


def written(name: str) -> str:
    """How the measure of a name is written.

    >>> written("nDCG"), written("F"), written("IPrec"), written("ARI")
    ('nDCG[@k]', 'F@k', 'IPrec@recall', 'ARI')
    """
    return name + _CUTS[MEASURES[name].cutoff if name in MEASURES else "none"]


def any_cutoff(written: str) -> str:
    """A measure, as it is written, with `k` for its cutoff, be that a rank or a recall.

    >>> any_cutoff("P(rel=2)@5"), any_cutoff("AP"), any_cutoff("IPrec@0.1")
    ('P(rel=2)@k', 'AP', 'IPrec@k')
    """
    return _CUTOFF.sub("@k", written)


def without_cutoff(written: str) -> str:
    """A measure, as it is written, without its cutoff, even one that does not read.

    >>> without_cutoff("P(rel=2)@5"), without_cutoff("AP"), without_cutoff("P@five")
    ('P(rel=2)', 'AP', 'P')
    """
    return re.sub(r"@[^()]*$", "", written)


def name_of(written: str) -> str:
    """The name of a measure, as it is written, without parameters and cutoff.

    >>> name_of("P(rel=2)@5"), name_of("AP")
    ('P', 'AP')
    """
    return re.split(r"[(@]", written)[0]
