"""An explanation whose ids are hostile text."""

from rankproof.explain.explanation import Explanation, explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.reference_impl.ranking import Judgment, QueryRow

EVIL = [
    "<script>window.hacked=1</script>",
    "\"><img src=x onerror='window.hacked=1'>",
    "\u202egnp.exe",
    "\u05d0\u05d1\u05d2",
    "a" * 10_000,
    "'; window.hacked=1; '",
    "</script><script>window.hacked=1</script>",
    "{{ 7 * 7 }}",
    "\ud800lone",
    "../../etc/passwd",
]
"""Ids and texts that must be visible and must not run."""


def explanation(*names: str, system: str = "mine", evil: bool = False) -> Explanation:
    """Explain a run of three queries; the order of tied documents changes two of them."""
    ids = EVIL if evil else ["a", "b", "c"]
    queries = EVIL[:3] if evil else ["1", "2", "3"]
    qrels = {query: [Judgment(ids[0], 1), Judgment(ids[1], 0)] for query in queries}
    tied, clear = [1.0] * len(ids), [float(-i) for i in range(len(ids))]
    run = {
        query: [QueryRow(doc, score) for doc, score in zip(ids, scores, strict=True)]
        for query, scores in zip(queries, (tied, tied, clear), strict=True)
    }
    return explain(system, RunData(qrels, run), parse_measure("RR"), names, query=queries[0])
