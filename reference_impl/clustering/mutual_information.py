"""Mutual information of classes and clusters: plain (MI), normalised (NMI), adjusted for chance (AMI).

    MI  = sum over pairs (i, j) of  n_ij/n * ln(n n_ij / (a_i b_j))
    NMI = MI / m(H(C), H(K))
    AMI = (MI - E) / (m(H(C), H(K)) - E)

    n: the number of items
    n_ij: the number of items of class i in cluster j
    a_i, b_j: the sizes of class i and cluster j
    H: entropy, in natural logarithms
    m: the mean set by `average` (min, geometric, arithmetic, max)
    E: the expected MI of labelings with these sizes, in natural logarithms

Range: MI 0 to infinity, NMI 0 to 1, AMI at most 1 (negative below chance).

Disputed: m. For classes 000111 and clusters 001122, NMI is .667, .530, .516 and .421 by min, geometric, arithmetic and
max. Before 0.22, scikit-learn used the geometric mean for NMI and the maximum for AMI; since then, the arithmetic mean
for both.

Edge cases: equal groupings can give 0/0, with one class and one cluster (for AMI also if every item is alone). They
score 1, unless the convention `degenerate` says otherwise. Any other 0/0 is 0, because nothing is shared. MI of no item
is 0.

Source: Vinh, Epps & Bailey 2010, "Information Theoretic Measures for Clusterings Comparison", JMLR 11, s. 3 and
theorem 10.
"""

import math
from fractions import Fraction
from math import comb

from rankproof.reference_impl.contingency import AVERAGE, Clustering, Contingency, Degenerate, averaged
from rankproof.reference_impl.exact import ln


def mutual_information(table: Contingency) -> Fraction:
    """Compute the information that classes and clusters share, in nats.

    >>> float(mutual_information(Contingency.of("aabb", "xxyy")))       # ln 2
    0.6931471805599453
    """
    return sum(
        (
            Fraction(count, table.n) * ln(Fraction(table.n * count, table.classes[i] * table.clusters[j]))
            for (i, j), count in table.cells.items()
        ),
        Fraction(0),
    )


def normalised_mutual_information(table: Contingency, *, average: str = "arithmetic") -> Fraction:
    """Compute MI divided by a mean of the entropies of classes and clusters.

    Raises:
        Degenerate: there is one class and one cluster, or no item.

    >>> [str(normalised_mutual_information(Contingency.of("aabb", found))) for found in ("xxyy", "xyxy")]
    ['1', '0']
    """
    if not table.class_entropy and not table.cluster_entropy:
        raise Degenerate
    if table.alike:
        return Fraction(1)
    normaliser = averaged(average, table.class_entropy, table.cluster_entropy)
    return mutual_information(table) / normaliser if normaliser else Fraction(0)


def expected_mutual_information(table: Contingency) -> Fraction:
    """Compute the mean MI over all labelings with these class and cluster sizes (the hypergeometric model).

    >>> float(expected_mutual_information(Contingency.of("aabb", "xxyy")))      # 1/3 ln 2: two of six ways share all
    0.23104906018664845
    """
    n, total = table.n, Fraction(0)
    for a in table.classes:
        for b in table.clusters:
            for shared in range(max(1, a + b - n), min(a, b) + 1):
                chance = Fraction(comb(b, shared) * comb(n - b, a - shared), comb(n, a))
                total += chance * Fraction(shared, n) * ln(Fraction(n * shared, a * b))
    return total


def adjusted_mutual_information(table: Contingency, *, average: str = "arithmetic") -> Fraction:
    """Compute MI minus its expected value, divided by the largest possible difference.

    Raises:
        Degenerate: the groupings are equal, and no other grouping with these sizes exists.

    >>> float(adjusted_mutual_information(Contingency.of("aabb", "xyxy")))
    -0.5
    """
    trivial = {1, table.n}
    if table.alike and {len(table.classes), len(table.clusters)} <= trivial | {0}:
        raise Degenerate
    if table.alike:
        return Fraction(1)
    expected = expected_mutual_information(table)
    room = averaged(average, table.class_entropy, table.cluster_entropy) - expected
    return (mutual_information(table) - expected) / room if room else Fraction(0)


DEFINITIONS = [
    Clustering("MI", mutual_information, bounds=(0, math.inf)),
    Clustering("NMI", normalised_mutual_information, {"average": AVERAGE}, bounds=(0, 1)),
    Clustering("AMI", adjusted_mutual_information, {"average": AVERAGE}, bounds=(-math.inf, 1)),
]
