"""How fast is rankproof.evaluate beside its peers? Ratios in one run on one machine, never seconds to quote.

    python benchmarks/evaluate.py [QUERIES] [DOCS]

All are given the same dicts: QUERIES queries of DOCS retrieved docs each, 50 of them judged, and asked nDCG@10, AP, P@10 and RR.
The reference computes in exact arithmetic, to be right and to be read; that is what the ratio costs.
"""

import random
import sys
import time
from collections.abc import Callable

import ir_measures
import pytrec_eval

import rankproof

MEASURES = ["nDCG@10", "AP", "P@10", "RR"]
REPEATS = 3


def collection(queries: int, docs: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Qrels and a run, the same at every call."""
    chance = random.Random(1)  # noqa: S311 - an example, not a secret
    run = {f"q{q}": {f"d{d}": chance.random() for d in range(docs)} for q in range(queries)}
    qrels = {
        q: {doc: chance.choice([0, 0, 1, 2]) for doc in chance.sample(sorted(rows), 50)} for q, rows in run.items()
    }
    return qrels, run


def best_of(asked: Callable[[], object]) -> float:
    """The least of a few wall times."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        asked()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    """Print a line a peer."""
    queries, docs = (int(argument) for argument in (*sys.argv[1:], "100", "1000")[:2])
    qrels, run = collection(queries, docs)
    peers: dict[str, Callable[[], object]] = {
        "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(
            qrels, {"ndcg_cut.10", "map", "P.10", "recip_rank"}
        ).evaluate(run),
        "ir_measures": lambda: ir_measures.calc_aggregate([ir_measures.parse_measure(m) for m in MEASURES], qrels, run),
        "rankproof": lambda: rankproof.evaluate(MEASURES, qrels, run),
    }
    times = {name: best_of(asked) for name, asked in peers.items()}
    print(f"{queries} queries of {docs} docs, {', '.join(MEASURES)}; best of {REPEATS}, as ratios to pytrec_eval")
    for name, seconds in times.items():
        print(f"{name:12} {seconds / times['pytrec_eval']:8.1f}")


if __name__ == "__main__":
    main()
