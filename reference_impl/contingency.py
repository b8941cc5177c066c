"""Contingency tables of two labelings: counts of classes, clusters and pairs of the two."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from inspect import signature
from math import comb
from typing import Any

from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.definition import Param, ParamValue
from rankproof.reference_impl.exact import ln, sqrt
from rankproof.reference_impl.unusable import Unusable


class LengthsDiffer(Unusable):
    """Two labelings with different numbers of items."""


@dataclass(frozen=True)
class Contingency:
    """Counts of each class, each cluster and each pair of the two among n items."""

    n: int
    cells: Mapping[tuple[int, int], int]
    classes: tuple[int, ...]
    clusters: tuple[int, ...]

    @classmethod
    def of(cls, true: Sequence[object], predicted: Sequence[object]) -> "Contingency":
        """Count two labelings of the same items.

        Raises:
            LengthsDiffer: the labelings differ in length.
        """
        if len(true) != len(predicted):
            msg = f"The labelings differ in length: {len(true)} items with a class, {len(predicted)} with a cluster"
            raise LengthsDiffer(msg)
        class_of = {label: i for i, label in enumerate(dict.fromkeys(true))}
        cluster_of = {label: i for i, label in enumerate(dict.fromkeys(predicted))}
        pairs = [(class_of[t], cluster_of[p]) for t, p in zip(true, predicted, strict=True)]
        classes, clusters = Counter(t for t, _ in pairs), Counter(p for _, p in pairs)
        return cls(
            len(pairs),
            Counter(pairs),
            tuple(classes[i] for i in range(len(classes))),
            tuple(clusters[i] for i in range(len(clusters))),
        )

    @property
    def alike(self) -> bool:
        """Whether both labelings group the items in the same way."""
        return len(self.cells) == len(self.classes) == len(self.clusters)

    @cached_property
    def class_entropy(self) -> Fraction:
        """H(C), in natural logarithms."""
        return _entropy(self.classes, self.n)

    @cached_property
    def cluster_entropy(self) -> Fraction:
        """H(K), in natural logarithms."""
        return _entropy(self.clusters, self.n)

    @property
    def pairs_together(self) -> int:
        """Number of pairs of items in the same class and the same cluster."""
        return sum(comb(count, 2) for count in self.cells.values())

    @property
    def pairs_in_class(self) -> int:
        """Number of pairs of items in the same class."""
        return sum(comb(count, 2) for count in self.classes)

    @property
    def pairs_in_cluster(self) -> int:
        """Number of pairs of items in the same cluster."""
        return sum(comb(count, 2) for count in self.clusters)

    @property
    def pairs(self) -> int:
        """Number of pairs of items."""
        return comb(self.n, 2)


def _entropy(counts: Sequence[int], n: int) -> Fraction:
    return sum((Fraction(count, n) * ln(Fraction(n, count)) for count in counts), Fraction(0))


class Degenerate(ArithmeticError):
    """A formula that is 0/0; the convention `degenerate` sets the value."""


@dataclass(frozen=True)
class Clustering:
    """A measure of two labelings: `formula(contingency, **params)`.

    Attributes:
        bounds: the lowest and highest possible value (math.inf: unbounded), or None if unknown.
    """

    name: str
    formula: Callable[..., Fraction]
    params: Mapping[str, Param] = field(default_factory=dict)
    bounds: tuple[float, float] | None = None

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes that can change the value."""
        return ("degenerate",)

    def of(
        self, true: Sequence[object], predicted: Sequence[object], conventions: Conventions, params: Mapping[str, Any]
    ) -> Fraction | None:
        """Return the value, or None if it is undefined.

        Raises:
            LengthsDiffer: the labelings differ in length.
        """
        own = {"degenerate": conventions.degenerate} if "degenerate" in signature(self.formula).parameters else {}
        try:
            return self.formula(Contingency.of(true, predicted), **own, **params)
        except Degenerate:
            return None if conventions.degenerate == "nan" else Fraction(conventions.degenerate)


AVERAGE = Param("arithmetic", {"min", "geometric", "arithmetic", "max"}.__contains__)


def averaged(average: ParamValue, of_classes: Fraction, of_clusters: Fraction) -> Fraction:
    """Return the minimum, geometric mean, arithmetic mean or maximum of two entropies.

    >>> [averaged(a, Fraction(1), Fraction(4)) for a in ("min", "geometric", "arithmetic", "max")]
    [Fraction(1, 1), Fraction(2, 1), Fraction(5, 2), Fraction(4, 1)]
    """
    return {
        "min": lambda: min(of_classes, of_clusters),
        "geometric": lambda: sqrt(of_classes * of_clusters),
        "arithmetic": lambda: (of_classes + of_clusters) / 2,
        "max": lambda: max(of_classes, of_clusters),
    }[str(average)]()
