"""Clustering measures that count pairs of items: Rand, ARI and Fowlkes-Mallows.

    Rand = (pairs together in both + pairs apart in both) / pairs
    ARI  = (T - E) / ((A + B)/2 - E),  E = A B / pairs
    FMI  = T / sqrt(A B)

    T: pairs in the same class and the same cluster
    A: pairs in the same class
    B: pairs in the same cluster

Range: Rand and FMI 0 to 1, ARI -0.5 to 1.

Disputed: 0/0. If every item is alone in both labelings, no pair is together (A = B = 0), so ARI and FMI are 0/0. The
groupings are equal and score 1 by the convention `degenerate` (scikit-learn: ARI 1 and FMI 0). With one class and one
cluster, ARI is also 0/0.

Edge cases: if only one of A and B is 0, FMI is 0. For fewer than two items there are no pairs, and all three are 0/0.

Source: Rand 1971, "Objective Criteria for the Evaluation of Clustering Methods", JASA 66; Hubert & Arabie 1985,
"Comparing Partitions", J. of Classification 2, eq. 5; Fowlkes & Mallows 1983, "A Method for Comparing Two Hierarchical
Clusterings", JASA 78.
"""

from fractions import Fraction

from rankproof.reference_impl.contingency import Clustering, Contingency, Degenerate
from rankproof.reference_impl.exact import sqrt


def rand(table: Contingency) -> Fraction:
    """Compute the share of pairs on which the labelings agree.

    Raises:
        Degenerate: there are fewer than two items.

    >>> rand(Contingency.of("aabb", "xxyz"))
    Fraction(5, 6)
    """
    if not table.pairs:
        raise Degenerate
    pairs_apart = table.pairs - table.pairs_in_class - table.pairs_in_cluster + table.pairs_together
    return Fraction(table.pairs_together + pairs_apart, table.pairs)


def adjusted_rand(table: Contingency) -> Fraction:
    """Compute the agreement of pairs beyond chance.

    Raises:
        Degenerate: both labelings put all items together, or all apart.

    >>> adjusted_rand(Contingency.of("aabb", "xyxy")), adjusted_rand(Contingency.of("aabb", "xxyz"))
    (Fraction(-1, 2), Fraction(4, 7))
    """
    if not table.pairs:
        raise Degenerate
    expected = Fraction(table.pairs_in_class * table.pairs_in_cluster, table.pairs)
    room = Fraction(table.pairs_in_class + table.pairs_in_cluster, 2) - expected
    if not room:
        raise Degenerate
    return (table.pairs_together - expected) / room


def fowlkes_mallows(table: Contingency) -> Fraction:
    """Compute the geometric mean of pairwise precision and recall.

    Raises:
        Degenerate: no two items are together in either labeling.

    >>> float(fowlkes_mallows(Contingency.of("aab", "xxx"))), fowlkes_mallows(Contingency.of("abc", "xxx"))
    (0.5773502691896257, Fraction(0, 1))
    """
    if not table.pairs_in_class and not table.pairs_in_cluster:
        raise Degenerate
    product = Fraction(table.pairs_in_class * table.pairs_in_cluster)
    return table.pairs_together / sqrt(product) if product else Fraction(0)


DEFINITIONS = [
    Clustering("Rand", rand, bounds=(0, 1)),
    Clustering("ARI", adjusted_rand, bounds=(-0.5, 1)),
    Clustering("FMI", fowlkes_mallows, bounds=(0, 1)),
]
