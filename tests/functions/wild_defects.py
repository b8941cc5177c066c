"""Functions with a defect that public projects have or had."""

import math


def dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


def over(a, b):
    return a / b if b else 0.0


# -- the cutoff -----------------------------------------------------------------------------------------------------


def mrr_without_topn(ranked_rels, k=None):
    """Compute MRR without a cutoff, like TF-Ranking before `topn`."""
    for i, rel in enumerate(ranked_rels):
        if rel > 0:
            return 1 / (i + 1)
    return 0.0


def recall_next(relevant, ranked, k=2):
    """Read the list of recalls at position k, which has the value of rank k + 1."""
    recalls = [len({*ranked[: i + 1]} & {*relevant}) / len(relevant) if relevant else 0.0 for i in range(len(ranked))]
    return recalls[min(k, len(recalls) - 1)] if recalls else 0.0


def ap_until(ranked_rels):
    """Stop before the last document."""
    found, total = 0, 0.0
    for i in range(len(ranked_rels) - 1):
        if ranked_rels[i] >= 1:
            found += 1
            total += found / (i + 1)
    return over(total, sum(rel >= 1 for rel in ranked_rels))


# -- ranks ----------------------------------------------------------------------------------------------------------


def ndcg_log_of_rank_plus_two(relevant, ranked, k=5):
    """Add 2 to ranks that start at 1."""
    gained = sum(math.log(2) / math.log(rank + 2) for rank, doc in enumerate(ranked[:k], start=1) if doc in relevant)
    return over(gained, sum(1 / math.log2(i + 1) for i in range(1, min(len(relevant), k) + 1)))


def rr_of_index(relevant, ranked):
    """Divide by the index, and treat index 0 as a miss."""
    index = next((i for i, doc in enumerate(ranked) if doc in relevant), 0)
    return 1 / index if index else 0.0


def ndcg_of_distances(y_true, y_score, k=10):
    """Sort scores like distances, lowest first."""
    order = sorted(range(len(y_true)), key=lambda i: y_score[i])
    return over(dcg([y_true[i] for i in order][:k]), dcg(sorted(y_true, reverse=True)[:k]))


# -- the ideal ranking ----------------------------------------------------------------------------------------------


def ndcg_of_hits(ranked_rels, k=5):
    """Cut the ideal ranking at the number of hits."""
    top = ranked_rels[:k]
    hits = sum(rel > 0 for rel in top)
    return over(dcg(top), dcg(sorted(ranked_rels, reverse=True)[:hits]))


# -- divisors -------------------------------------------------------------------------------------------------------


def hit_rate(relevant, ranked, k=5):
    """Count all hits."""
    return float(sum(doc in relevant for doc in ranked[:k]))


def ap_sum(relevant, ranked):
    found, total = 0, 0.0
    for i, doc in enumerate(ranked, start=1):
        if doc in relevant:
            found += 1
            total += found / i
    return total


def ndcg_in_percent(y_true, y_score, k=10):
    """Multiply by 100, as ML.NET did before 1.0."""
    top = [rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])][:k]
    return 100 * over(dcg([2**rel - 1 for rel in top]), dcg(sorted([2**rel - 1 for rel in y_true])[::-1][:k]))


# -- hits -----------------------------------------------------------------------------------------------------------


def rr_of_all_places(relevant, ranked):
    """Divide the reciprocal ranks of all hits by the number of documents."""
    reciprocal_ranks = [1 / i if doc in relevant else 0.0 for i, doc in enumerate(ranked, start=1)]
    return over(sum(reciprocal_ranks), len(reciprocal_ranks))


def rr_of_judged(retrieved_ids, qrel, k=10):
    """Count every judged document as relevant, as hydrag-benchmark does."""
    return next((1 / i for i, doc in enumerate(retrieved_ids[:k], start=1) if doc in qrel), 0.0)


def ndcg_from_two(qrels, run, k=10):
    """Use grades from 2 as gain."""
    values = {}
    for query, docs in run.items():
        rels = {doc: rel if rel >= 2 else 0 for doc, rel in qrels.get(query, {}).items()}
        ranked = sorted(docs, key=docs.get, reverse=True)[:k]
        best = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
        gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked))
        values[query] = gained / best if best else 0.0
    return values


def rr_of_mean_rank(relevant, ranked):
    ranks = [i for i, doc in enumerate(ranked, start=1) if doc in relevant]
    return 1 / (sum(ranks) / len(ranks)) if ranks else 0.0


# -- another measure ------------------------------------------------------------------------------------------------


def mrr_that_is_lrap(y_true, y_score):
    """Call scikit-learn's label_ranking_average_precision_score, as Legommenders did."""
    from sklearn.metrics import label_ranking_average_precision_score

    return label_ranking_average_precision_score([[rel >= 1 for rel in y_true]], [list(y_score)])


# -- ideal and ranking, harmonic mean, mean over queries --------------------------------------------------------------


def ndcg_mended_in_one_place(y_true, y_score, k=5):
    """Discount rank 2 in the ideal ranking, but not in the sum."""
    gains = [rel for rel, _ in sorted(zip(y_true, y_score, strict=True), key=lambda pair: -pair[1])][:k]
    found = sum(gain if i == 1 else gain / math.log2(i) for i, gain in enumerate(gains, start=1))
    return over(found, dcg(sorted(y_true, reverse=True)[:k]))


def mrr_of_those_found(qrels, run, k=5):
    """Leave out queries without a hit."""
    values = []
    for query, judged in qrels.items():
        docs = sorted(run.get(query, {}), key=lambda doc: (run[query][doc], doc), reverse=True)[:k]
        ranks = [rank for rank, doc in enumerate(docs, start=1) if judged.get(doc, 0) >= 1]
        values += [1 / ranks[0]] if ranks else []
    return over(sum(values), len(values))


def mrr_of_one_batch(qrels, run):
    """Sort the documents of all queries in one list, as torchmetrics' functional nDCG flattens a matrix."""
    pairs = [(-score, qrels.get(query, {}).get(doc, 0)) for query, docs in run.items() for doc, score in docs.items()]
    return next((1 / rank for rank, (_, rel) in enumerate(sorted(pairs), start=1) if rel >= 1), 0.0)


def group_auc(qrels, run):
    """Compute GAUC as in the paper on Deep Interest Networks."""
    total = weight = 0.0
    for query, scores in run.items():
        good = [s for doc, s in scores.items() if qrels.get(query, {}).get(doc, 0) >= 1]
        bad = [s for doc, s in scores.items() if qrels.get(query, {}).get(doc, 0) < 1]
        if good and bad:
            total += len(scores) * sum((a > b) + (a == b) / 2 for a in good for b in bad) / (len(good) * len(bad))
            weight += len(scores)
    return over(total, weight)


# -- one query alone ------------------------------------------------------------------------------------------------


def rr_that_is_overwritten(relevant, ranked):
    value = 0.0
    for query, docs in relevant.items():
        value = next((1 / rank for rank, doc in enumerate(ranked.get(query, ()), 1) if doc in docs), 0.0)
    return value
