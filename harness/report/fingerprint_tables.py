"""Fingerprints as tables: libraries by axes, and where one library is not of one mind; from the fingerprints alone."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankproof.grouping import grouped
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.reference_impl.conventions import AXES
from rankproof.workers.subjects import names_of

LEADING = ("nDCG@k", "AP", "P@k", "R@k", "RR", "RR@k", "nDCG(dcg='exp-log2')@k", "Bpref", "AUC", "ERR@k")
"""The forms of measures that the report has a table of."""


@dataclass(frozen=True, slots=True)
class FingerprintTable:
    """The libraries that answer a form of a measure, by the axes on which some do not follow `standard`.

    Attributes:
        lines: what a library is called, and its fingerprint.
    """

    key: str
    axes: tuple[str, ...]
    lines: tuple[tuple[str, Fingerprint], ...]


@dataclass(frozen=True, slots=True)
class TwoMinds:
    """An axis on which a library follows one value for some of its measures and another for others."""

    name: str
    axis: str
    values: Mapping[str, tuple[str, ...]]


def tables(found: Sequence[Fingerprint], keys: Sequence[str] = LEADING) -> list[FingerprintTable]:
    """A table for each of these forms of measures that a library answers."""
    return [table for key in keys if (table := _table(key, found)).lines]


def keys_in(found: Sequence[Fingerprint]) -> list[str]:
    """The forms of measures that are answered, those that lead in front."""
    answered = dict.fromkeys(one.key for one in found)
    return [*(key for key in LEADING if key in answered), *(key for key in answered if key not in LEADING)]


def two_minds(found: Sequence[Fingerprint]) -> Iterator[TwoMinds]:
    """The axes on which a library differs between its own measures; those of a formula are no measure's but its own."""
    for name, forms in _by_name(found).items():
        by_axis = grouped(
            (axis, (one.key, {*finding.could_be}))
            for one in forms
            for axis, finding in one.axes.items()
            if finding.value is not None and axis in AXES and AXES[axis].stage != "measure"
        )
        for axis, followed in by_axis.items():
            values = _by_value(followed)
            if len(values) > 1:
                yield TwoMinds(name, axis, {value: tuple(keys) for value, keys in values.items()})


def _by_value(followed: Sequence[tuple[str, set[str]]]) -> Mapping[str, list[str]]:
    """The keys by the value that most of them follow; where several could as well be named, it is the one that others follow."""
    counts = Counter(value for _, values in followed for value in values)
    return grouped((max(sorted(values), key=lambda value: counts[value]), key) for key, values in followed)


def _by_name(found: Sequence[Fingerprint]) -> Mapping[str, list[Fingerprint]]:
    names = names_of(one.subject for one in found)
    return grouped((names[one.subject], one) for one in found)


def _table(key: str, found: Sequence[Fingerprint]) -> FingerprintTable:
    lines = tuple((name, one) for name, forms in _by_name(found).items() for one in forms if one.key == key)
    differing = {finding.axis for _, one in lines for finding in one.differing}
    return FingerprintTable(key, tuple(axis for axis in AXES if axis in differing), lines)
