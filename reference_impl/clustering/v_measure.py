"""Homogeneity, completeness, and V, their weighted harmonic mean.

    Homogeneity  = I(C, K) / H(C)         1 if each cluster has items of one class
    Completeness = I(C, K) / H(K)         1 if each class is in one cluster
    V            = (1 + b) h c / (b h + c)

    C, K: the classes and the clusters
    I, H: mutual information and entropy
    h, c: homogeneity and completeness
    b: beta, the weight of completeness (not squared, unlike in F)

Range: 0 to 1.

Disputed: 0/0. With one class, H(C) = 0 and homogeneity is 0/0; with one cluster, completeness is. Both score 1, unless
the convention `degenerate` says otherwise. With b = 0 and c = 0 < h, V is also 0/0: `degenerate` sets its value, and
scikit-learn raises ZeroDivisionError.

Edge cases: if h = c = 0, V is 0.

Source: Rosenberg & Hirschberg 2007, "V-Measure", EMNLP-CoNLL, s. 2.
"""

from collections.abc import Callable
from fractions import Fraction

from rankproof.reference_impl.clustering.mutual_information import mutual_information
from rankproof.reference_impl.contingency import Clustering, Contingency, Degenerate
from rankproof.reference_impl.definition import BETA
from rankproof.reference_impl.exact import written


def homogeneity(table: Contingency) -> Fraction:
    """Compute the share of the classes' entropy that the clusters explain.

    Raises:
        Degenerate: there is one class, or no item.

    >>> homogeneity(Contingency.of("aabb", "wxyz")), homogeneity(Contingency.of("aabb", "xxxx"))
    (Fraction(1, 1), Fraction(0, 1))
    """
    if not table.class_entropy:
        raise Degenerate
    return Fraction(1) if _determined(table, by=1) else mutual_information(table) / table.class_entropy


def completeness(table: Contingency) -> Fraction:
    """Compute the share of the clusters' entropy that the classes explain.

    Raises:
        Degenerate: there is one cluster, or no item.

    >>> float(completeness(Contingency.of("aabb", "wxyz")))
    0.5
    """
    if not table.cluster_entropy:
        raise Degenerate
    return Fraction(1) if _determined(table, by=0) else mutual_information(table) / table.cluster_entropy


def _determined(table: Contingency, by: int) -> bool:
    # Logarithms of 60 digits give 1 - 1e-60 instead of 1, so this case is decided by counting.
    return len(table.cells) == len({cell[by] for cell in table.cells})


def v_measure(table: Contingency, *, beta: float = 1, degenerate: str = "1") -> Fraction:
    """Compute the weighted harmonic mean of homogeneity and completeness.

    Raises:
        Degenerate: the formula is 0/0, or homogeneity or completeness is undefined.

    >>> float(v_measure(Contingency.of("aabb", "wxyz")))          # h = 1, c = 1/2
    0.6666666666666666
    """
    weight = written(beta)
    h, c = _or(degenerate, homogeneity, table), _or(degenerate, completeness, table)
    below = weight * h + c
    if h and not below:
        raise Degenerate
    return (1 + weight) * h * c / below if below else Fraction(0)


def _or(degenerate: str, part: Callable[[Contingency], Fraction], table: Contingency) -> Fraction:
    try:
        return part(table)
    except Degenerate:
        if degenerate == "nan":
            raise
        return Fraction(degenerate)


DEFINITIONS = [
    Clustering("Homogeneity", homogeneity, bounds=(0, 1)),
    Clustering("Completeness", completeness, bounds=(0, 1)),
    Clustering("V", v_measure, {"beta": BETA}, bounds=(0, 1)),
]
