"""The forms of a measure: `nDCG`, `nDCG@k`, `nDCG(rel=2)@k` …, by which fingerprints are grouped and told."""

from rankproof.reference_impl.notation import Measure, parse

KEY_CUTOFF = 10
"""The cutoff at which the signature of a form such as nDCG@k is written."""


def key_of(measure: Measure) -> str:
    """The form of a measure: its cutoff, if it is a rank, is no matter of convention.

    >>> [key_of(parse(m)) for m in ("nDCG@10", "P(rel=2)@5", "RR", "IPrec@0.1", "ARI")]
    ['nDCG@k', 'P(rel=2)@k', 'RR', 'IPrec@0.1', 'ARI']
    """
    if measure.of_labels or measure.k is None:
        return str(measure)
    return f"{Measure(measure.name, measure.params)}@k"


def measure_of(key: str) -> Measure:
    """A measure of that form."""
    return parse(key.removesuffix("@k") + f"@{KEY_CUTOFF}" if key.endswith("@k") else key)
