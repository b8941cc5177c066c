"""Classes and methods of public projects, and results of more than one number."""

import math

import numpy as np


class Result:
    """The result of an evaluator."""

    def __init__(self, score):
        self.score = score
        self.metadata = {}


class HitEvaluator:
    """An evaluator with keyword arguments, which returns an object."""

    metric_name = "hit_rate"

    def compute(self, query=None, expected_ids=None, retrieved_ids=None, **kwargs):  # noqa: ARG002 - as people write them
        if retrieved_ids is None or expected_ids is None:
            raise ValueError("retrieved ids and expected ids must be provided")
        return Result(1.0 if any(doc in expected_ids for doc in retrieved_ids[:10]) else 0.0)


def at_every_cutoff(ranked_rels):
    """Return the precision at each rank."""
    flags = np.asarray(ranked_rels) > 0
    return np.cumsum(flags) / np.arange(1, len(flags) + 1)


def list_by_query_and_cutoff(qrels, run, k_list):
    """Return a list for each query, with a value for each cutoff."""
    values = {}
    for query, rels in qrels.items():
        docs = sorted(run.get(query, {}).items(), key=lambda item: item[1], reverse=True)
        best = sorted(rels.values(), reverse=True)
        pairs = [([rels.get(doc, 0) for doc, _ in docs[:k]], best[:k]) for k in k_list]
        sums = [[sum(g / math.log2(i + 2) for i, g in enumerate(gains)) for gains in pair] for pair in pairs]
        values[query] = [gained / ideal if ideal else 0.0 for gained, ideal in sums]
    return values


def share_of_ranks_within(ranks, k):
    return sum(rank <= k for rank in ranks) / len(ranks)
