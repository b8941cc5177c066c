"""Whether a signature that is printed somewhere is one: it reads, stands for itself, and `evaluate` computes by it."""

import pandas as pd

import rankproof
from rankproof.inference.signatures import Signature, parse

DOCS = [f"d{n:02}" for n in range(12)]
QRELS = {
    query: {doc: int(n in hits) for n, doc in enumerate(DOCS)}
    for query, hits in {"1": (0, 3), "2": (1, 7), "3": (2, 11)}.items()
}
RUN = {query: {doc: float(20 - n) for n, doc in enumerate(DOCS)} for query in QRELS}
"""Nothing that a convention refuses: rels of 0 and 1, every doc retrieved and judged, ids of queries that are digits, no short ranking."""
RANKED = pd.DataFrame(
    [(query, doc, rank, RUN[query][doc]) for query in QRELS for rank, doc in enumerate(DOCS, start=1)],
    columns=["query", "doc", "rank", "score"],
)
"""The same with ranks, for who orders by them."""
LABELINGS = [0, 0, 1, 1, 2], [0, 0, 1, 2, 2]


def assert_computes(text: str, whole: Signature | None = None) -> Signature:
    """See that it does; `whole` is what it was made of, if that is known."""
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
