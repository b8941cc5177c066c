"""Checks of printed signatures: they parse, print unchanged, and `evaluate` computes by them."""

import pandas as pd

import rankproof
from rankproof.inference.signatures import Signature, parse

DOCS = [f"d{n:02}" for n in range(12)]
QRELS = {
    query: {doc: int(n in hits) for n, doc in enumerate(DOCS)}
    for query, hits in {"1": (0, 3), "2": (1, 7), "3": (2, 11)}.items()
}
RUN = {query: {doc: float(20 - n) for n, doc in enumerate(DOCS)} for query in QRELS}
"""A run that no convention refuses: grades 0 and 1, retrieved and judged documents, numeric query ids, no short ranking."""
RANKED = pd.DataFrame(
    [(query, doc, rank, RUN[query][doc]) for query in QRELS for rank, doc in enumerate(DOCS, start=1)],
    columns=["query", "doc", "rank", "score"],
)
"""The same run with ranks, for conventions that order by rank."""
LABELINGS = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]


def assert_computes(text: str, whole: Signature | None = None) -> Signature:
    """Check that a signature parses, prints unchanged and computes.

    `whole` is the signature it was made from, if known.
    """
    found = parse(text)
    assert str(found) == text
    assert parse(found.whole()) == found
    assert whole is None or found == whole
    assert all(len(values) == len(set(values)) != 1 for values in found.open.values())
    given = LABELINGS if found.measure.of_labels else (QRELS, RANKED)
    result = rankproof.evaluate([], *given, signature=text)
    assert list(result.mean) == [str(found.measure)]
    assert result.taken[str(found.measure)] == found.taken
    assert parse(result.signature[str(found.measure)]) == found.computed
    return found
