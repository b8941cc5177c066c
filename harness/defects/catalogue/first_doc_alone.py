"""RR uses only the first document: it is 1 if that document is relevant, and otherwise 0.

    RR of a relevant document at rank 2: 0 instead of 1/2.

Source: a loop that ends after the first document. The thread is about the opposite error, a loop that goes on after a hit.
"""

from fractions import Fraction

from rankproof.defects.catalogue.ranks_from_zero import is_reciprocal
from rankproof.defects.defect import Defect, Way, seen_on

DEFECT = Defect(
    "first-doc-alone",
    "it looks only at the first document, so it computes P@1",
    is_reciprocal,
    (Way(seen_on("RR", "a0 b1", "0"), lambda _, ranking: Fraction(1 in ranking.hits)),),
    "https://github.com/FoundationAgents/MetaGPT/pull/1228",
    fix="continue to the first relevant document",
)
