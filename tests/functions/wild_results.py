"""Metrics as classes and methods, and results that are more than a number, as public projects have them."""

import math

import numpy as np
from truths import truth


class Result:
    """What an evaluator gives: a score, and what it is of."""

    def __init__(self, score):
        self.score = score
        self.metadata = {}


@truth("Success@10", "ids")
class HitEvaluator:
    """Keyword names after another parameter, and a result that holds the score."""

    metric_name = "hit_rate"

    def compute(self, query=None, expected_ids=None, retrieved_ids=None, **kwargs):  # noqa: ARG002 - as people write them
        if retrieved_ids is None or expected_ids is None:
            raise ValueError("retrieved ids and expected ids must be provided")
        return Result(1.0 if any(doc in expected_ids for doc in retrieved_ids[:10]) else 0.0)


@truth("AP@10", "ids", "ap_denominator=hits", odd="cheap")
class PipelinePart:
    """As parts of pipelines are run: lists of lists in, a dict of the mean and of each query out."""

    def run(self, ground_truth_documents, retrieved_documents):
        scores = []
        for wanted, found in zip(ground_truth_documents, retrieved_documents, strict=True):
            hits, total = 0, 0.0
            for rank, doc in enumerate(found[:10], 1):
                if doc in wanted:
                    hits += 1
                    total += hits / rank
            scores.append(total / hits if hits else 0.0)
        return {"score": sum(scores) / len(scores) if scores else float("nan"), "individual_scores": scores}


class Toolbox:
    """Methods that share nothing."""

    @staticmethod
    def unused():
        return None

    def precision(self, ranked_rels, k):
        return sum(rel >= 1 for rel in ranked_rels[:k]) / k


Toolbox.precision.truth = truth("P@5", "ranked")(lambda: None).truth


@truth("P@5", "ranked")
def at_every_cutoff(ranked_rels):
    """The precision at each rank."""
    flags = np.asarray(ranked_rels) > 0
    return np.cumsum(flags) / np.arange(1, len(flags) + 1)


@truth("P@5", "ids")
def dict_by_cutoff(relevant, retrieved, ks):
    return {k: len(set(relevant) & set(retrieved[:k])) / k for k in ks}


@truth("R@5", "ids")
def list_as_asked(relevant, retrieved, ks=(1, 3)):
    """A list of a value for each cutoff, in the order in which they were asked."""
    return [len(set(relevant) & set(retrieved[:k])) / len(relevant) if relevant else 0.0 for k in ks]


@truth("nDCG@10", "qrels-run", "ties=input")
def list_by_query_and_cutoff(qrels, run, k_list):
    """For each query, a list of a value for each cutoff."""
    found = {}
    for query, rels in qrels.items():
        docs = sorted(run.get(query, {}).items(), key=lambda item: item[1], reverse=True)
        best = sorted(rels.values(), reverse=True)
        pairs = [([rels.get(doc, 0) for doc, _ in docs[:k]], best[:k]) for k in k_list]
        sums = [[sum(g / math.log2(i + 2) for i, g in enumerate(gains)) for gains in pair] for pair in pairs]
        found[query] = [gained / ideal if ideal else 0.0 for gained, ideal in sums]
    return found


@truth("P@5", "ids")
def list_by_query(actual, predicted, k=5):
    """A value for each of a list of queries."""
    return [len(set(a) & set(p[:k])) / k for a, p in zip(actual, predicted, strict=True)]


@truth("P@5", "frames", "ties=input missing=dropped extra=0")
def frames_of_users_and_items(
    rating_true, rating_pred, col_user="userID", col_item="itemID", col_prediction="prediction", k=5
):
    """The mean over the users of the predictions."""
    ranked = rating_pred.sort_values(col_prediction, ascending=False, kind="stable")
    good = set(zip(*(rating_true.loc[rating_true["rating"] >= 1, col] for col in (col_user, col_item)), strict=True))
    hits, places = dict.fromkeys(ranked[col_user], 0), {}
    for user, item in zip(ranked[col_user], ranked[col_item], strict=True):
        places[user] = places.get(user, 0) + 1
        hits[user] += places[user] <= k and (user, item) in good
    return sum(hits.values()) / k / len(hits)


@truth("P@5", "ranked", "norel=0")
def rows_of_a_matrix(pos_index, k=5):
    """An array of users by ranks; a value for each user."""
    return np.asarray(pos_index)[:, :k].clip(0, 1).sum(axis=1) / k


@truth("Success@5", "ranks")
def share_of_ranks_within(ranks, k):
    return sum(rank <= k for rank in ranks) / len(ranks)
