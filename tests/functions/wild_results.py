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


@truth("RR@10", "ids")
class ReciprocalRank:
    """Is called; the cutoff is the object's."""

    def __init__(self, top_k=10):
        self.top_k = top_k

    def __call__(self, relevant, retrieved):
        for rank, doc in enumerate(retrieved[: self.top_k], 1):
            if doc in relevant:
                return 1.0 / rank
        return 0.0


@truth("R@5", "ids")
class RecallEvaluator:
    def __init__(self, k=5):
        self.k = k

    def evaluate(self, ground_truth, predictions):
        wanted = set(ground_truth)
        return len(wanted & set(predictions[: self.k])) / len(wanted) if wanted else 0.0


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


@truth("nDCG@10", "ids", twice=True)
class Accumulated:
    """Is shown one query after another, and asked at the end."""

    def __init__(self, k=10):
        self.k, self.total, self.count = k, 0.0, 0

    def update(self, relevant, ranked):
        gained = sum(1 / math.log2(i + 2) for i, doc in enumerate(ranked[: self.k]) if doc in relevant)
        ideal = sum(1 / math.log2(i + 2) for i in range(min(self.k, len(relevant))))
        self.total += gained / ideal if ideal else 0.0
        self.count += 1

    def compute(self):
        return self.total / self.count


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


@truth("R@5", "ids", "norel=0")
def two_measures(relevant, retrieved, k=5):
    """Precision and recall, in this order."""
    hits = len(set(relevant) & set(retrieved[:k]))
    return hits / k, hits / len(relevant) if relevant else 0.0


@truth("R@5", "ids", "norel=0")
def dict_of_names(relevant, retrieved, k=5):
    hits = len(set(relevant) & set(retrieved[:k]))
    return {"precision": hits / k, "recall": hits / len(relevant) if relevant else 0.0, "hits": float(hits > 0)}


@truth("P@5", "ids")
def dict_by_cutoff(relevant, retrieved, ks):
    return {k: len(set(relevant) & set(retrieved[:k])) / k for k in ks}


@truth("P@5", "ranked")
def dict_of_sorted_cutoffs(ranked_rels, cutoffs):
    """In an order of its own, but each value has its key."""
    return {f"P@{k}": sum(rel >= 1 for rel in ranked_rels[:k]) / k for k in sorted(set(cutoffs))}


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


@truth("R@5", "rows", "ties=input", given="device='cpu'")
def wants_a_device(y_true, y_score, k, device):
    assert device == "cpu"
    order = np.argsort(-np.asarray(y_score), kind="stable")[:k]
    relevant = np.asarray(y_true) >= 1
    return relevant[order].sum() / relevant.sum() if relevant.any() else 0.0


@truth("ERR@10", "ranked", given="max_rel=4")
def needs_the_highest_grade(ranked_rels, k, max_rel):
    left, total = 1.0, 0.0
    for rank, rel in enumerate(ranked_rels[:k], 1):
        stop = (2**rel - 1) / 2**max_rel
        total += left * stop / rank
        left *= 1 - stop
    return total


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


@truth("nDCG@5", "grouped", "ties=input")
def rows_and_their_queries(y_true, y_score, qids, k=5):
    """All queries in one, as learners to rank have them: the mean over the queries."""
    y_true, y_score, qids = map(np.asarray, (y_true, y_score, qids))
    values = []
    for query in dict.fromkeys(qids.tolist()):
        mine = qids == query
        rels = y_true[mine][np.argsort(-y_score[mine], kind="stable")]
        discounts = np.log2(np.arange(len(rels)) + 2)
        ideal = (np.sort(rels)[::-1] / discounts)[:k].sum()
        values.append((rels / discounts)[:k].sum() / ideal if ideal else 0.0)
    return float(np.mean(values))


@truth("P@5", "group-sizes", "ties=input")
def rows_and_sizes_of_groups(labels, preds, group, k=5):
    start, values = 0, []
    for size in group:
        order = sorted(range(start, start + size), key=lambda i: -preds[i])[:k]
        values.append(sum(labels[i] >= 1 for i in order) / k)
        start += size
    return sum(values) / len(values)


@truth("RR@10", "ranks")
def ranks_of_entities(ranks, k=10):
    ranks = np.asarray(ranks, dtype=float)
    return float(np.where(ranks <= k, 1.0 / ranks, 0.0).mean())


@truth("Success@5", "ranks")
def share_of_ranks_within(ranks, k):
    return sum(rank <= k for rank in ranks) / len(ranks)
