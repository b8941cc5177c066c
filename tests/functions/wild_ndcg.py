"""nDCG as public projects write it: its forms, gains, discounts, ideals and what becomes of queries without relevant docs."""

import math

import numpy as np
import pandas as pd
from truths import truth


@truth("nDCG@10", "ranked", "gain=exp")
def six_lines_exponential(ranked_rels, k):
    def dcg(rels):
        return sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(rels[:k]))

    best = dcg(sorted(ranked_rels, reverse=True))
    return dcg(ranked_rels) / best if best > 0 else 0.0


@truth("nDCG@10", "ranked")
def natural_log_whose_base_cancels(relevances, top_k=10):
    gained = sum(rel / math.log(rank + 1) for rank, rel in enumerate(relevances[:top_k], 1))
    ideal = sum(rel / math.log(rank + 1) for rank, rel in enumerate(sorted(relevances, reverse=True)[:top_k], 1))
    return 0.0 if ideal == 0 else gained / ideal


@truth("nDCG@10", "ranked", "discount=jk-2")
def first_two_ranks_undiscounted(r, k, method=0):
    """Method 0 of an old gist: the first gain as it is, the second divided by log2(2), which is 1."""

    def dcg(rels):
        rels = np.asarray(rels, dtype=float)[:k]
        if not rels.size:
            return 0.0
        if method == 0:
            return rels[0] + np.sum(rels[1:] / np.log2(np.arange(2, rels.size + 1)))
        return np.sum(rels / np.log2(np.arange(2, rels.size + 2)))

    ideal = dcg(sorted(r, reverse=True))
    return dcg(r) / ideal if ideal else 0.0


@truth("nDCG@10", "ranked", "ideal=retrieved", odd="cheap")
def ideal_of_what_was_cut(rels, k=10):
    top = list(rels)[:k]
    weights = [1 / math.log2(i + 2) for i in range(len(top))]
    ideal = sum(w * g for w, g in zip(weights, sorted(top, reverse=True), strict=True))
    return sum(w * g for w, g in zip(weights, top, strict=True)) / ideal if ideal else 0.0


@truth("nDCG@10", "ranked", "ideal_cut=never", odd="dear")
def ideal_over_the_whole_list(rels, k):
    gains = np.array(rels, dtype=float)
    discount = np.log2(np.arange(len(gains)) + 2)
    ideal = (np.sort(gains)[::-1] / discount).sum()
    return float((gains / discount)[:k].sum() / ideal) if ideal > 0 else 0.0


@truth("nDCG@10", "ranked", "norel=1")
def one_where_nothing_is_relevant(ranked_rels, k=10):
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(ranked_rels, reverse=True)[:k]))
    if ideal == 0:
        return 1.0
    return sum(g / math.log2(i + 2) for i, g in enumerate(ranked_rels[:k])) / ideal


@truth("nDCG@10", "rows", "gain=exp ties=input")
def sorted_pairs_exponential(y_true, y_score, k=10):
    ranked = [rel for rel, _ in sorted(zip(y_true, y_score, strict=True), key=lambda pair: pair[1], reverse=True)]

    def dcg(rels):
        return sum((2.0**rel - 1) / math.log2(i + 1) for i, rel in enumerate(rels[:k], 1))

    return dcg(ranked) / dcg(sorted(y_true, reverse=True)) if any(y_true) else 0.0


@truth("nDCG@10", "rows", "ties=input")
def arrays_with_a_stable_sort(y_true, y_score, k=10):
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    order = np.argsort(-y_score, kind="stable")
    discounts = 1.0 / np.log2(np.arange(2, len(y_true) + 2))
    ideal = (np.sort(y_true)[::-1] * discounts)[:k].sum()
    return 0.0 if ideal == 0 else (y_true[order] * discounts)[:k].sum() / ideal


@truth("nDCG@10", "rows", "ties=input-reversed")
def stable_ascending_sort_turned_round(preds, target, k=10):
    order = np.argsort(preds, kind="stable")[::-1]
    gains = np.take(target, order[:k])
    best = np.sort(target)[::-1][:k]
    discounts = np.log2(np.arange(len(gains)) + 2)
    ideal = np.sum(best / discounts)
    return float(np.sum(gains / discounts) / ideal) if ideal else 0.0


@truth("nDCG@10", "rows", "gain=exp ties=input norel=nan")
def undefined_without_relevant(scores, labels, k):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    gains = [2 ** labels[i] - 1 for i in order]
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gains, reverse=True)[:k]))
    return sum(g / math.log2(i + 2) for i, g in enumerate(gains[:k])) / ideal if ideal else float("nan")


@truth("nDCG@10", "rows", "ties=input")
def series_by_position(y_true: pd.Series, y_score: pd.Series, k=10):
    """Takes series of pandas alone."""
    ranked = y_true.loc[y_score.sort_values(ascending=False, kind="stable").index]
    discounts = np.log2(np.arange(len(ranked)) + 2)
    ideal = (y_true.sort_values(ascending=False).to_numpy() / discounts)[:k].sum()
    return (ranked.to_numpy() / discounts)[:k].sum() / ideal if ideal else 0.0


@truth("nDCG@10", "rows", "ties=input norel=dropped")
def batch_of_rows_without_empty_ones(y_true, y_score, k=10):
    """Lists of lists: the mean over the queries that have a relevant doc."""
    found = []
    for rels, scores in zip(y_true, y_score, strict=True):
        ranked = [rels[i] for i in sorted(range(len(rels)), key=lambda i: -scores[i])]
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(rels, reverse=True)[:k]))
        if ideal > 0:
            found.append(sum(g / math.log2(i + 2) for i, g in enumerate(ranked[:k])) / ideal)
    return sum(found) / len(found) if found else float("nan")


@truth("nDCG@10", "ranked-all")
def ideal_given_beside_the_ranking(ranked_rels, ideal_rels, k=10):
    def dcg(rels):
        return sum(rel / math.log2(i + 2) for i, rel in enumerate(rels[:k]))

    ideal = dcg(sorted(ideal_rels, reverse=True))
    return dcg(ranked_rels) / ideal if ideal > 0 else 0.0


@truth("nDCG@10", "graded-ids", "gain=exp", twice=True)
def grades_by_id(relevance, ranked_ids, k=10):
    gained = sum((2 ** relevance.get(doc, 0) - 1) / math.log2(i + 2) for i, doc in enumerate(ranked_ids[:k]))
    best = sorted(relevance.values(), reverse=True)[:k]
    ideal = sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(best))
    return gained / ideal if ideal else 0.0


@truth("nDCG@10", "graded-ids", twice=True)
def ranked_first_grades_second(retrieved, rel_map, k):
    gains = [rel_map.get(doc, 0) for doc in retrieved[:k]]
    best = sorted(rel_map.values(), reverse=True)[:k]
    ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(best))
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / ideal if ideal > 0 else 0.0


@truth("nDCG@10", "ids", twice=True)
def flags_of_ids(relevant, ranked, k=10):
    gained = sum(1 / math.log2(i + 2) for i, doc in enumerate(ranked[:k]) if doc in relevant)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(k, len(relevant))))
    return gained / ideal if ideal else 0.0


@truth("nDCG@10", "one-id")
def place_of_the_only_one(ranklist, gt_item):
    for i, item in enumerate(ranklist[:10]):
        if item == gt_item:
            return math.log(2) / math.log(i + 2)
    return 0


@truth("nDCG@10", "scored-ids", "ties=input")
def scores_by_id(qrel, scores, k=10):
    ranked = sorted(scores, key=scores.get, reverse=True)[:k]
    gained = sum(qrel.get(doc, 0) / math.log2(rank + 1) for rank, doc in enumerate(ranked, 1))
    best = sorted(qrel.values(), reverse=True)[:k]
    ideal = sum(rel / math.log2(rank + 1) for rank, rel in enumerate(best, 1))
    return gained / ideal if ideal > 0 else 0.0


@truth("nDCG@10", "qrels-run", "ties=input")
def by_judged_query(qrels, run, k=10):
    found = {}
    for query, rels in qrels.items():
        docs = sorted(run.get(query, {}).items(), key=lambda item: item[1], reverse=True)[:k]
        gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, (doc, _) in enumerate(docs))
        ideal = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
        found[query] = gained / ideal if ideal else 0.0
    return found


@truth("nDCG@10", "qrels-run", "ties=input missing=dropped extra=0")
def keyed_by_cutoff(qrels, results, k_values):
    """A dict of means, as retrieval benchmarks give, over the queries of the run."""
    totals = dict.fromkeys(k_values, 0.0)
    for query, docs in results.items():
        rels = qrels.get(query, {})
        ranked = sorted(docs, key=lambda doc: -docs[doc])
        for k in k_values:
            ideal = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
            gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked[:k]))
            totals[k] += gained / ideal if ideal else 0.0
    return {f"NDCG@{k}": total / len(results) if results else float("nan") for k, total in totals.items()}


@truth("nDCG@10", "qrels-ranked", twice=True)
def judged_dicts_and_ranked_lists(qrels, rankings, k=10):
    values = []
    for query, rels in qrels.items():
        gains = [rels.get(doc, 0) for doc in rankings.get(query, [])[:k]]
        best = sorted(rels.values(), reverse=True)[:k]
        ideal = sum(g / math.log2(i + 2) for i, g in enumerate(best))
        values.append(sum(g / math.log2(i + 2) for i, g in enumerate(gains)) / ideal if ideal else 0.0)
    return sum(values) / len(values) if values else float("nan")


@truth("nDCG@5", "qrels-run", "ideal_cut=min-k-n missing=dropped extra=0", odd="cheap")
def ideal_as_long_as_the_hits(qrels, run, k=5):
    """As in a search engine's own evaluation: fewer hits, a poorer ideal."""

    def dcg(gains):
        return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))

    found = {}
    for query, docs in run.items():
        rels = qrels.get(query, {})
        hits = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)[:k]
        ideal = dcg(sorted((max(rel, 0) for rel in rels.values()), reverse=True)[: len(hits)])
        found[query] = dcg(max(rels.get(doc, 0), 0) for doc in hits) / ideal if ideal else 0.0
    return found


@truth("nDCG@10", "graded-ids", "ideal_cut=min-k-n", twice=True, odd="cheap")
def no_longer_than_what_was_returned(relevance, ranked_ids, k=10):
    gains = [relevance.get(doc, 0) for doc in ranked_ids[:k]]
    best = sorted(relevance.values(), reverse=True)[: len(gains)]
    ideal = sum(gain / math.log2(i + 2) for i, gain in enumerate(best))
    return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains)) / ideal if ideal > 0 else 0.0
