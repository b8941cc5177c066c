"""Descriptions of profiles in words, such as "linear gain, tied documents in input order"."""

from collections.abc import Collection, Iterator

from rankproof.inference.deciding_axes import free_axes
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.signatures import axes_of, effective
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import Measure


def in_words(conventions: Conventions, measure: Measure, without: Collection[str] = ()) -> str:
    """Describe the conventions that can matter to a measure: headline choices, then other differences from `standard`.

    The axes in `without` are left out.

    >>> from rankproof.reference_impl.notation import parse
    >>> print(in_words(Conventions(ideal="retrieved", ties="input"), parse("nDCG@10")))  # doctest: +NORMALIZE_WHITESPACE
    linear gain, the discount log2(rank + 1), an ideal ranking of the documents within the cutoff, tied documents in
    input order, \
queries without relevant documents scored 0
    >>> print(in_words(Conventions(score="f32"), parse("P@5")))  # doctest: +NORMALIZE_WHITESPACE
    division by k, tied documents by id, descending, queries without relevant documents scored 0, scores compared as
    float32
    """
    return ", ".join(_phrases(effective(measure, conventions), measure, without)) or "as in standard"


def _phrases(conventions: Conventions, measure: Measure, without: Collection[str]) -> Iterator[str]:
    free = free_axes(measure)
    plain = canonical_profile(measure, {axis: getattr(conventions, axis) for axis in AXES})
    headline = [axis for axis in axes_of(measure) if AXES[axis].headline]
    for axis in [*headline, *(axis for axis in free if axis not in headline)]:
        value = plain[axis] if axis in free else getattr(conventions, axis)
        if axis in without:
            continue
        if (axis, value, conventions.known) == ("ideal", "judged", "retrieved"):
            yield "ideal from all docs given"
        elif axis in headline or value != getattr(STANDARD, axis):
            yield AXES[axis].phrase(value)
