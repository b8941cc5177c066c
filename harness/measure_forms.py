"""Cutoffs in measure names such as `nDCG`, `nDCG@k` and `nDCG(rel=2)@10`: reading, removing and replacing them.

Functions that take text also accept measures that rankproof does not know.
"""

import re
from dataclasses import replace

from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse

KEY_CUTOFF = 10
"""The cutoff that a signature has for nDCG@k and other names with `k`."""
_CUTS = {"none": "", "optional": "[@k]", "required": "@k", "recall": "@recall"}


def cutoff_of(measure: Measure) -> int | None:
    """Return the cutoff of a measure if it is a rank, or None."""
    return None if measure.of_labels else measure.k


def cut_at(measure: Measure, cutoff: float | None) -> Measure:
    """Return a measure with another cutoff.

    >>> print(cut_at(parse("P(rel=2)@5"), 20))
    P(rel=2)@20
    """
    return replace(measure, cutoff=cutoff)


def key_of(measure: Measure) -> str:
    """Return the notation of a measure with `k` for a rank cutoff.

    >>> [key_of(parse(m)) for m in ("nDCG@10", "P(rel=2)@5", "RR", "IPrec@0.1", "ARI")]
    ['nDCG@k', 'P(rel=2)@k', 'RR', 'IPrec@0.1', 'ARI']
    """
    return str(measure) if cutoff_of(measure) is None else any_cutoff(str(measure))


def measure_of(key: str) -> Measure:
    """Parse a measure in which `k` may be the cutoff."""
    return parse(key.removesuffix("@k") + f"@{KEY_CUTOFF}" if key.endswith("@k") else key)


def named(name: str) -> Measure:
    """Return the measure of a name, with a default cutoff if it takes one."""
    takes = MEASURES[name].cutoff if name in MEASURES else "none"
    return Measure(name, (), {"none": None, "recall": 0.1}.get(takes, KEY_CUTOFF))


def written(name: str) -> str:
    """Return the name of a measure with the notation of its cutoff.

    >>> written("nDCG"), written("F"), written("IPrec"), written("ARI")
    ('nDCG[@k]', 'F@k', 'IPrec@recall', 'ARI')
    """
    return name + _CUTS[MEASURES[name].cutoff if name in MEASURES else "none"]


def any_cutoff(written: str) -> str:
    """Replace the cutoff in a measure's notation, a rank or a recall, by `k`.

    >>> any_cutoff("P(rel=2)@5"), any_cutoff("AP"), any_cutoff("IPrec@0.1")
    ('P(rel=2)@k', 'AP', 'IPrec@k')
    """
    return re.sub(r"@[\d.]+$", "@k", written)


def without_cutoff(written: str) -> str:
    """Remove the cutoff from a measure's notation, even an invalid cutoff.

    >>> without_cutoff("P(rel=2)@5"), without_cutoff("AP"), without_cutoff("P@five")
    ('P(rel=2)', 'AP', 'P')
    """
    return re.sub(r"@[^()]*$", "", written)


def name_of(written: str) -> str:
    """Return the name from a measure's notation.

    >>> name_of("P(rel=2)@5"), name_of("AP")
    ('P', 'AP')
    """
    return re.split(r"[(@]", written)[0]
