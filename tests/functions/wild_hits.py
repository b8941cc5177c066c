"""Precision, recall, hit rate, AP and RR as public projects write them: their denominators, and what they are told of hits."""

import numpy as np
from truths import truth


@truth("P@5", "ranked")
def share_of_k(ranked_rels, k):
    return sum(1 for rel in ranked_rels[:k] if rel > 0) / k


@truth("P@5", "ranked", "p_denominator=min-k-n", odd="cheap")
def share_of_those_returned(hits, k=5):
    top = [bool(hit) for hit in hits[:k]]
    return sum(top) / len(top) if top else 0.0


@truth("P@5", "ids")
def ids_over_k(retrieved_ids, relevant_ids, k):
    return len(set(retrieved_ids[:k]).intersection(relevant_ids)) / k


@truth("P@5", "ids", "p_denominator=min-k-n", odd="cheap")
def wants_a_set(relevant: set, retrieved: list, k: int):
    top = retrieved[:k]
    if not top:
        return 0.0
    return len(relevant & set(top)) / len(top)


@truth("P@5", "rows", "ties=input")
def threshold_of_its_own(y_true, y_score, k=5, threshold=3):
    """By its own default only a rel of 3 or more is relevant."""
    order = sorted(range(len(y_score)), key=lambda i: y_score[i], reverse=True)[:k]
    return sum(y_true[i] >= threshold for i in order) / k


@truth("P@5", "ranked")
def refuses_short_rankings(r, k):
    """An old gist's: a ranking of fewer docs than k is refused."""
    r = np.asarray(r)[:k] > 0
    if r.size != k:
        raise ValueError("Relevance score length < k")
    return np.mean(r)


@truth("R@5", "ids")
def found_of_all(actual, predicted, k):
    if not actual:
        return 0.0
    return len(set(actual) & set(predicted[:k])) / len(set(actual))


@truth("R@5", "ids", "norel=rejected")
def divides_by_nothing(gold, retrieved, k=5):
    return sum(1 for doc in set(retrieved[:k]) if doc in gold) / len(gold)


@truth("R@5", "ids", "r_denominator=min-k-R")
def capped_recall(relevant_docs, ranked_docs, k=5):
    best = min(len(relevant_docs), k)
    return len(set(relevant_docs) & set(ranked_docs[:k])) / best if best else 0.0


@truth("R@5", "ranked-total")
def flags_and_their_total(rels, total, k=5):
    return sum(rels[:k]) / total if total else 0.0


@truth("R@5", "ranked-total")
def cutoff_in_the_middle(r, k, all_pos_num):
    r = np.asarray(r, dtype=float)[:k]
    return np.sum(r) / all_pos_num if all_pos_num else 0.0


@truth("R@5", "ids", "norel=0")
def compares_all_pairs(a, b):
    """No name tells which is which: the ranking comes first."""
    top = a[:5]
    return sum(any(x == y for x in top) for y in b) / len(b) if len(b) else 0.0


@truth("R@5", "queries-ids")
def sets_by_query(relevant, ranked, k=5):
    """The mean over the judged queries."""
    values = []
    for query, docs in relevant.items():
        hits = set(ranked.get(query, [])[:k]) & set(docs)
        values.append(len(hits) / len(docs) if docs else 0.0)
    return np.mean(values) if values else float("nan")


@truth("Success@5", "ids")
def any_of_them(expected_ids, retrieved_ids, k=5):
    return 1.0 if any(doc in expected_ids for doc in retrieved_ids[:k]) else 0.0


@truth("Success@5", "one-id")
def hit_or_not(gt_item, pred_items):
    return 1 if gt_item in pred_items[:5] else 0


@truth("AP@10", "ids")
def precisions_over_all_relevant(relevant, retrieved, k=10):
    hits, total, seen = 0, 0.0, set()
    for rank, doc in enumerate(retrieved[:k], 1):
        if doc in relevant and doc not in seen:
            seen.add(doc)
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


@truth("AP@10", "ids", "ap_denominator=min-k-R")
def capped_by_the_cutoff(actual, predicted, k=10):
    """As in a well-known repository of metrics: each doc counts once."""
    predicted = predicted[:k]
    score, hits = 0.0, 0.0
    for i, doc in enumerate(predicted):
        if doc in actual and doc not in predicted[:i]:
            hits += 1.0
            score += hits / (i + 1.0)
    return score / min(len(actual), k) if actual else 0.0


@truth("AP@10", "ids", "ap_denominator=min-k-R")
def mean_of_lists(actual, predicted, k=10):
    """Lists of lists, zipped: strings could be zipped, too."""
    return np.mean([capped_by_the_cutoff(a, p, k) for a, p in zip(actual, predicted, strict=True)])


@truth("AP@10", "ranked", "ap_denominator=hits", odd="cheap")
def mean_of_precisions_at_hits(ranked_rels, k=10):
    found = [i for i, rel in enumerate(ranked_rels[:k], 1) if rel > 0]
    return sum(n / i for n, i in enumerate(found, 1)) / len(found) if found else 0.0


@truth("AP", "ranked-total")
def area_under_flags(ranked, n_relevant):
    flags = np.asarray(ranked, dtype=float)
    if not n_relevant or not flags.size:
        return 0.0
    precision = np.cumsum(flags) / np.arange(1, len(flags) + 1)
    return float((precision * flags).sum() / n_relevant)


@truth("AP", "qrels-run", "ties=input")
def mean_over_judged(qrels, run):
    values = {}
    for query in qrels:
        relevant = {doc for doc, rel in qrels[query].items() if rel > 0}
        docs = sorted(run.get(query, {}), key=lambda doc, q=query: -run[q][doc])
        hits = [i for i, doc in enumerate(docs, 1) if doc in relevant]
        values[query] = sum(n / i for n, i in enumerate(hits, 1)) / len(relevant) if relevant else 0.0
    return values


@truth("RR@10", "ranked")
def first_flag(relevance_scores, k=10):
    for rank, rel in enumerate(relevance_scores[:k], start=1):
        if rel >= 1:
            return 1.0 / rank
    return 0.0


@truth("RR@10", "ranked")
def mean_of_first_flags(rs):
    """A list of rankings; the cutoff is written in."""
    firsts = [next((1.0 / i for i, rel in enumerate(r[:10], 1) if rel), 0.0) for r in rs]
    return float(np.mean(firsts)) if firsts else float("nan")


@truth("RR@10", "ids")
def first_id(retrieved_docs, relevant_docs):
    for i, doc in enumerate(retrieved_docs[:10]):
        if doc in relevant_docs:
            return 1 / (i + 1)
    return 0


@truth("RR@10", "queries-ids")
def gold_and_system_dicts(gold, system, k=10):
    total = 0.0
    for query, docs in gold.items():
        ranks = [i for i, doc in enumerate(system.get(query, [])[:k], 1) if doc in docs]
        total += 1 / ranks[0] if ranks else 0.0
    return total / len(gold) if gold else float("nan")


@truth("RR@10", "tuples", "ties=input")
def rows_of_text(qrels, run):
    """Tuples, as read from files; ties as they come."""
    relevant = {(query, doc) for query, doc, rel in qrels if rel >= 1}
    found = {}
    for query in {query: None for query, _, _ in qrels}:
        rows = sorted((row for row in run if row[0] == query), key=lambda row: -row[2])[:10]
        found[query] = next((1 / i for i, row in enumerate(rows, 1) if (query, row[1]) in relevant), 0.0)
    return found


@truth("RR", "rows", "rr_hits=mean-over-hits ties=input", odd="nobody")
def mean_over_the_positive_rows(y_true, y_score):
    """As in a news recommender's metrics, where every relevant doc has a row."""
    hits = [rel >= 1 for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])]
    return sum(hit / rank for rank, hit in enumerate(hits, 1)) / sum(hits) if any(hits) else 0.0


@truth("RR@10", "ids", "rr_hits=mean-over-hits", odd="nobody")
def granular(expected_ids, retrieved_ids, k=10):
    """An option of its own in a project's metrics: the mean over the relevant docs that were found."""
    found = [1 / i for i, doc in enumerate(retrieved_ids[:k], 1) if doc in expected_ids]
    return sum(found) / len(found) if found else 0.0


@truth("RR", "ids", "rr_hits=mean-over-R", odd="nobody")
def each_relevant_doc_has_its_share(relevant, ranked):
    total = 0.0
    for i, doc in enumerate(ranked):
        if doc in relevant:
            total += 1 / (i + 1)
    return total / len(relevant) if relevant else 0.0


@truth("RR", "ranked", "relevant=non-zero negative=as-is")
def first_place_that_is_not_zero(ranked_rels):
    places = np.asarray(ranked_rels).nonzero()[0]
    return 1.0 / (places[0] + 1) if places.size else 0.0


@truth("P@5", "ranked", "relevant=non-zero negative=as-is")
def share_that_is_not_zero(r, k):
    top = np.asarray(r)[:k] != 0
    return np.sum(top) / k
