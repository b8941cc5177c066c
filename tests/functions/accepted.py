"""Functions that users wrote, each with its call and the correct result in calls.toml."""

# ruff: noqa: B905, FURB163, N802, RUF013, UP006, UP035 - as users wrote them

import math
from dataclasses import dataclass
from typing import List

import numpy as np


def ndcg_rank_first(rank, ground_truth):
    ideal = sum(1 / math.log2(i + 2) for i in range(min(len(ground_truth), len(rank))))
    return sum(1 / math.log2(i + 2) for i, doc in enumerate(rank) if doc in ground_truth) / ideal if ideal else 0.0


def map_of_flag_lists(recommendations: List[List[int]]) -> float:
    values = []
    for flags in recommendations:
        hits, total = 0, 0.0
        for rank, rel in enumerate(flags, 1):
            if rel > 0:
                hits += 1
                total += hits / rank
        values.append(total / hits if hits else 0.0)
    return sum(values) / len(values) if values else 0.0


def ndcg_unsorted_ideal(y_true, y_score, k):
    def dcg(rels):
        return sum(rel / math.log2(rank + 1) for rank, rel in enumerate(rels[:k], 1))

    by_score = [rel for _, rel in sorted(zip(y_score, y_true), key=lambda row: -row[0])]
    return dcg(by_score) / dcg(list(y_true))


def ndcg_raises_on_hit(relevant_doc, ranked):
    place = [i for i, doc in enumerate(ranked) if doc == relevant_doc]
    return math.log(2) / math.log(place + 2) if place else 0


def err_product(ranked_rels):
    seen = 1.0
    value = 0.0
    for rank, rel in enumerate(ranked_rels, 1):
        seen *= (2**rel - 1) / 2 ** max(ranked_rels)
        value = seen / rank
    return value


def ndcg_rank_discount(ranked, rel_of_doc, k):
    dcg = sum(rel_of_doc.get(doc, 0) / (rank + 1) for rank, doc in enumerate(ranked[:k], 1))
    ideal = sum(rel / (rank + 1) for rank, rel in enumerate(sorted(rel_of_doc.values(), reverse=True)[:k], 1))
    return dcg / ideal if ideal else 0.0


def ndcg_first_columns(y_score, target_index):
    best_first = np.argsort(-np.asarray(y_score)[:5], kind="stable")
    hits = (best_first == target_index) / np.log2(np.arange(len(best_first)) + 2)
    return hits.sum()


def ndcg_first_rows(y_true, y_score, k):
    rels, scores = np.asarray(y_true)[:k], np.asarray(y_score)[:k]
    rels = rels[np.argsort(-scores, kind="stable")]
    weights = 1 / np.log2(np.arange(len(rels)) + 2)
    ideal = np.sort(np.asarray(y_true))[::-1][:k]
    best = (ideal * weights[: len(ideal)]).sum()
    return float((rels * weights).sum() / best) if best else 0.0


def mrr_drops_misses(ranks):
    found = [rank for rank in ranks if math.isfinite(rank)]
    return sum(1 / rank for rank in found) / len(found) if found else 0.0


def mrr_p(p):
    return sum(1 / rank if rank else 0.0 for rank in p) / len(p)


def ndcg_of_places(predicted_ranking: List[int], relevance_labels: List[float], k: int = None) -> float:
    def dcg(places):
        return sum(relevance_labels[place] / math.log2(rank + 1) for rank, place in enumerate(places[:k], 1))

    best = dcg(sorted(range(len(relevance_labels)), key=lambda place: -relevance_labels[place]))
    return dcg(predicted_ranking) / best if best else 0.0


def auc_half(labels, scores):
    labels, scores = np.asarray(labels), np.asarray(scores, dtype=float)
    good, bad = scores[labels > 0], scores[labels <= 0]
    if not len(good) or not len(bad):
        return 0.5
    return float(np.mean((good[:, None] > bad) + (good[:, None] == bad) / 2))


def last_gold_ap(relevant, ranked):
    value = 0.0
    for gold in relevant:
        hits = total = 0
        for i, doc in enumerate(ranked):
            if doc == gold:
                hits += 1
                total += hits / (i + 1)
        value = total / hits if hits else value
    return value


def inverse_mean_rank(relevant, ranked, k):
    ranks = [i + 1 for i, doc in enumerate(ranked) if doc in relevant]
    return 1 / (sum(ranks) / len(ranks)) if ranks else 0.0


def scores_as_gains(y_true, y_score):
    order = sorted(range(len(y_true)), key=lambda i: -y_score[i])
    dcg = sum(y_score[i] / math.log2(n + 2) for n, i in enumerate(order))
    ideal = sum(x / math.log2(n + 2) for n, x in enumerate(sorted(y_true, reverse=True)))
    return dcg / ideal if ideal else 0.0


def thresholded_recall(y_true, y_score, k):
    top = sorted(range(len(y_true)), key=lambda i: -y_score[i])[:k]
    relevant = sum(y_true[i] >= 1 for i in top)
    hits = sum(y_true[i] >= 1 and y_score[i] >= 1 for i in top)
    return hits / relevant if relevant else 1.0


def recall_of_gold_list(relevant, ranked, k):
    return len(set(ranked[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def precision_over_min_k_R(relevant, ranked, k):
    wanted = set(relevant)
    return len(wanted & set(ranked[:k])) / min(k, len(wanted)) if wanted else 0.0


def precision_over_min_k_n(relevant, ranked, k):
    top = ranked[:k]
    return sum(doc in relevant for doc in top) / len(top) if top else 0.0


def ap_default_k(qrels, run, k=10):
    total = 0.0
    for query, rels in qrels.items():
        ranked = [doc for doc, _ in sorted(run.get(query, {}).items(), key=lambda item: -item[1])][:k]
        relevant = {doc for doc, rel in rels.items() if rel > 0}
        hits = score = 0
        for rank, doc in enumerate(ranked, 1):
            if doc in relevant:
                hits += 1
                score += hits / rank
        total += score / len(relevant) if relevant else 0.0
    return total / len(qrels) if qrels else 0.0


@dataclass
class Hit:
    id: str
    score: float


class Evaluator:
    """An evaluator of RAG code: created with the gold ids, called with hits."""

    def __init__(self, gold):
        self.gold = set(gold)

    def hit_rate(self, hits, top=3):
        return float(any(hit.id in self.gold for hit in hits[:top]))


def seed_ndcg(ranked, judgments, k):
    def dcg(docs):
        return sum((2 ** judgments.get(doc, 0) - 1) / math.log(rank + 1, 2) for rank, doc in enumerate(docs[:k], 1))

    return dcg(ranked) / dcg(sorted(judgments, key=judgments.get, reverse=True))


def ndcg_of_rels(rels, k):
    def dcg(values):
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:k], 1))

    ideal = dcg(sorted(rels, reverse=True))
    return dcg(rels) / ideal if ideal else 0.0
