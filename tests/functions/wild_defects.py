"""Functions with a defect, written after what public projects do or did; each says which one it has."""

import math

from truths import truth


def dcg(gains):
    return sum(gain / math.log2(i + 1) for i, gain in enumerate(gains, start=1))


def over(a, b):
    return a / b if b else 0.0


# -- the cutoff -----------------------------------------------------------------------------------------------------


@truth("RR@3", "ranked", defect="cutoff-ignored")
def mrr_without_topn(ranked_rels, k=None):
    """TF-Ranking's took no `topn`."""
    for i, rel in enumerate(ranked_rels):
        if rel > 0:
            return 1 / (i + 1)
    return 0.0


@truth("R@2", "ids", defect="cutoff-too-deep")
def recall_next(relevant, ranked, k=2):
    """The values of all cutoffs in a list, read at place k."""
    found = [len(set(ranked[: i + 1]) & set(relevant)) / len(relevant) if relevant else 0.0 for i in range(len(ranked))]
    return found[min(k, len(found) - 1)] if found else 0.0


@truth("DCG@4", "ranked", defect="rank-k-lost")
def dcg_until(ranked_rels, k=4):
    """`range` leaves out its end."""
    return sum(ranked_rels[i - 1] / math.log2(i + 1) for i in range(1, min(k, len(ranked_rels) + 1)))


@truth("AP", "ranked", defect="last-doc-lost")
def ap_until(ranked_rels):
    """As many steps as there are pairs of neighbours."""
    found, total = 0, 0.0
    for i in range(len(ranked_rels) - 1):
        if ranked_rels[i] >= 1:
            found += 1
            total += found / (i + 1)
    return over(total, sum(rel >= 1 for rel in ranked_rels))


@truth("Success@3", "ids", defect="first-doc-lost")
def hit_from_place_1(relevant, ranked, k=3):
    """Places are counted from 1 on, and those of a list begin with 0."""
    return float(any(ranked[i] in relevant for i in range(1, min(k, len(ranked)))))


# -- ranks ----------------------------------------------------------------------------------------------------------


@truth("nDCG@5", "ids", defect="ranks-from-2")
def ndcg_log_of_rank_plus_two(relevant, ranked, k=5):
    """The rank begins at 1, and 2 is added to it."""
    gained = sum(math.log(2) / math.log(rank + 2) for rank, doc in enumerate(ranked[:k], start=1) if doc in relevant)
    return over(gained, sum(1 / math.log2(i + 1) for i in range(1, min(len(relevant), k) + 1)))


@truth("RR", "ids", defect="ranks-from-0")
def rr_of_index(relevant, ranked):
    """An index of 0 is taken for none."""
    index = next((i for i, doc in enumerate(ranked) if doc in relevant), 0)
    return 1 / index if index else 0.0


@truth("RR", "ids", defect="first-doc-alone")
def rr_in_one_turn(relevant, ranked):
    """The loop ends with the first doc, whatever it is."""
    for rank, doc in enumerate(ranked, start=1):
        return 1 / rank if doc in relevant else 0.0
    return 0.0


@truth("nDCG@10", "rows", defect="ranked-backwards")
def ndcg_of_distances(y_true, y_score, k=10):
    """Sorted as if the scores were distances."""
    order = sorted(range(len(y_true)), key=lambda i: y_score[i])
    return over(dcg([y_true[i] for i in order][:k]), dcg(sorted(y_true, reverse=True)[:k]))


# -- the ideal ranking ----------------------------------------------------------------------------------------------


@truth("nDCG@5", "ranked", defect="ideal-of-the-hits")
def ndcg_of_hits(ranked_rels, k=5):
    """The ideal has as many docs as hits."""
    top = ranked_rels[:k]
    hits = sum(rel > 0 for rel in top)
    return over(dcg(top), dcg(sorted(ranked_rels, reverse=True)[:hits]))


@truth("nDCG@5", "ranked", defect="ideal-of-another-gain")
def ndcg_exp_over_linear(ranked_rels, k=5):
    return over(dcg([2**rel - 1 for rel in ranked_rels[:k]]), dcg(sorted(ranked_rels, reverse=True)[:k]))


@truth("nDCG@5", "rows", defect="ideal-of-flags")
def ndcg_of_summed_flags(y_true, y_score, k=5):
    """Relevant docs are counted by summing: right of flags alone."""
    top = [rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])][:k]
    return over(dcg(top), dcg([1] * min(k, len(y_true), int(sum(y_true)))))


@truth("RR@5", "rows", defect="best-judged-hit")
def rr_of_the_largest(y_true, y_score, k=5):
    """The first place of the largest label of all, as argmax gives it; 0 if that is beyond k."""
    rels = [rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])]
    place = rels.index(max(rels)) + 1 if rels and max(rels) > 0 else k + 1
    return 1 / place if place <= k else 0.0


# -- what is divided ------------------------------------------------------------------------------------------------


@truth("Success@5", "ids", defect="hits-not-divided")
def hit_rate(relevant, ranked, k=5):
    """All hits are counted."""
    return float(sum(doc in relevant for doc in ranked[:k]))


@truth("AP", "ids", defect="precisions-not-divided")
def ap_sum(relevant, ranked):
    found, total = 0, 0.0
    for i, doc in enumerate(ranked, start=1):
        if doc in relevant:
            found += 1
            total += found / i
    return total


@truth("AP@5", "ranked", defect="precisions-over-k")
def ap_over_k(ranked_rels, k=5):
    found, total = 0, 0.0
    for i, rel in enumerate(ranked_rels[:k], start=1):
        if rel >= 1:
            found += 1
            total += found / i
    return total / k


@truth("AP@5", "ranked", defect="precisions-over-docs")
def ap_over_docs(ranked_rels, k=5):
    """The mean over the places that were looked at."""
    top, found, total = ranked_rels[:k], 0, 0.0
    for i, rel in enumerate(top, start=1):
        if rel >= 1:
            found += 1
            total += found / i
    return over(total, len(top))


@truth("nDCG@10", "rows", defect="percent")
def ndcg_in_percent(y_true, y_score, k=10):
    """As ML.NET's before 1.0."""
    top = [rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda pair: -pair[0])][:k]
    return 100 * over(dcg([2**rel - 1 for rel in top]), dcg(sorted([2**rel - 1 for rel in y_true])[::-1][:k]))


# -- which hit ------------------------------------------------------------------------------------------------------


@truth("RR", "ids", defect="last-hit")
def rr_overwritten(relevant, ranked):
    """The loop goes on."""
    rr = 0.0
    for i, doc in enumerate(ranked):
        if doc in relevant:
            rr = 1 / (i + 1)
    return rr


@truth("RR", "ids", defect="all-hits")
def rr_of_all_places(relevant, ranked):
    """The mean over the places of the ranking, whatever stands there."""
    found = [1 / i if doc in relevant else 0.0 for i, doc in enumerate(ranked, start=1)]
    return over(sum(found), len(found))


@truth("P@10", "ranked", defect="only-rel-one")
def precision_of_ones(ranked_rels, k=10):
    """KILT's, of flags that are True; a grade of 2 is none."""
    return list(ranked_rels[:k]).count(True) / k


@truth("Rprec", "ranked", defect="precision-at-the-last-hit")
def r_precision_of_the_last(r):
    """As rank_metrics.py has it."""
    places = [i for i, rel in enumerate(r, start=1) if rel]
    return len(places) / places[-1] if places else 0.0


@truth("RR@10", "graded-ids", defect="judged-is-relevant")
def rr_of_judged(retrieved_ids, qrel, k=10):
    """As hydrag-benchmark has it: a key of the judgments is a relevant doc."""
    return next((1 / i for i, doc in enumerate(retrieved_ids[:k], start=1) if doc in qrel), 0.0)


@truth("nDCG@10", "qrels-run", defect="relevant-from-2")
def ndcg_from_two(qrels, run, k=10):
    """Its gains are those of rels of 2 and more."""
    values = {}
    for query, docs in run.items():
        rels = {doc: rel if rel >= 2 else 0 for doc, rel in qrels.get(query, {}).items()}
        ranked = sorted(docs, key=docs.get, reverse=True)[:k]
        best = sum(rel / math.log2(i + 2) for i, rel in enumerate(sorted(rels.values(), reverse=True)[:k]))
        gained = sum(rels.get(doc, 0) / math.log2(i + 2) for i, doc in enumerate(ranked))
        values[query] = gained / best if best else 0.0
    return values


@truth("P@10", "qrels-run", defect="relevant-from-3")
def precision_from_three(qrels, run, k=10):
    """Ratings of 3 and more are liked."""
    return {
        query: sum(qrels.get(query, {}).get(doc, 0) >= 3 for doc in sorted(docs, key=docs.get, reverse=True)[:k]) / k
        for query, docs in run.items()
    }


@truth("RR", "ids", defect="mean-rank")
def rr_of_mean_rank(relevant, ranked):
    ranks = [i for i, doc in enumerate(ranked, start=1) if doc in relevant]
    return 1 / (sum(ranks) / len(ranks)) if ranks else 0.0


# -- another measure ------------------------------------------------------------------------------------------------


@truth("RR", "rows", defect="is-LRAP")
def mrr_that_is_lrap(y_true, y_score):
    """Legommenders called scikit-learn's label_ranking_average_precision_score."""
    from sklearn.metrics import label_ranking_average_precision_score

    return label_ranking_average_precision_score([[rel >= 1 for rel in y_true]], [list(y_score)])


@truth("nDCG@5", "ranked", defect="is-DCG")
def ndcg_not_normalised(ranked_rels, k=5):
    return dcg([2**rel - 1 for rel in ranked_rels[:k]])


@truth("R@5", "ids", defect="is-P")
def recall_over_k(relevant, ranked, k=5):
    """The docs found, over those looked at."""
    return len(set(ranked[:k]) & set(relevant)) / k


@truth("P@5", "ids", defect="is-R")
def precision_over_relevant(relevant, ranked, k=5):
    return over(len(set(ranked[:k]) & set(relevant)), len(relevant))


@truth("R@3", "ids", defect="is-Success")
def recall_that_is_success(relevant, ranked, k=3):
    """memorybench's, of which it said that it measures nothing beyond hit@k."""
    return 1.0 if any(doc in relevant for doc in ranked[:k]) else 0.0


# -- queries, and what is not of one kind ---------------------------------------------------------------------------


@truth("nDCG@5", "rows", defect="ideal-of-another-discount")
def ndcg_mended_in_one_place(y_true, y_score, k=5):
    """The first rank is an exception in the sum, and in the ideal no longer."""
    gains = [rel for rel, _ in sorted(zip(y_true, y_score, strict=True), key=lambda pair: -pair[1])][:k]
    found = sum(gain if i == 1 else gain / math.log2(i) for i, gain in enumerate(gains, start=1))
    return over(found, dcg(sorted(y_true, reverse=True)[:k]))


@truth("F@5", "ids", defect="not-harmonic")
def f_by_halves(relevant, retrieved, k=5):
    """rltk's f_measure."""
    hits = len(set(relevant) & set(retrieved[:k]))
    return (hits / k + over(hits, len(relevant))) / 2


@truth("RR@5", "qrels-run", defect="mean-over-hits")
def mrr_of_those_found(qrels, run, k=5):
    """A harness of hybrid search: a query in which nothing is found does not count."""
    found = []
    for query, judged in qrels.items():
        docs = sorted(run.get(query, {}), key=lambda doc: (run[query][doc], doc), reverse=True)[:k]
        ranks = [rank for rank, doc in enumerate(docs, start=1) if judged.get(doc, 0) >= 1]
        found += [1 / ranks[0]] if ranks else []
    return over(sum(found), len(found))


@truth("RR", "qrels-run", defect="queries-mixed")
def mrr_of_one_batch(qrels, run):
    """The pairs of all queries in one list, as torchmetrics' functional nDCG flattens a matrix."""
    pairs = [(-score, qrels.get(query, {}).get(doc, 0)) for query, docs in run.items() for doc, score in docs.items()]
    return next((1 / rank for rank, (_, rel) in enumerate(sorted(pairs), start=1) if rel >= 1), 0.0)


@truth("P@3", "qrels-run", defect="weighted-mean")
def precision_by_size(qrels, run, k=3):
    """Queries with long rankings count more."""
    total = weight = 0
    for query, scores in run.items():
        if query in qrels:
            docs = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)[:k]
            total += len(scores) * sum(qrels[query].get(doc, 0) >= 1 for doc in docs) / k
            weight += len(scores)
    return over(total, weight)


@truth("AUC", "qrels-run", defect="gauc")
def group_auc(qrels, run):
    """As the paper on Deep Interest Networks has it."""
    total = weight = 0.0
    for query, scores in run.items():
        good = [s for doc, s in scores.items() if qrels.get(query, {}).get(doc, 0) >= 1]
        bad = [s for doc, s in scores.items() if qrels.get(query, {}).get(doc, 0) < 1]
        if good and bad:
            total += len(scores) * sum((a > b) + (a == b) / 2 for a in good for b in bad) / (len(good) * len(bad))
            weight += len(scores)
    return over(total, weight)


# -- one query alone ------------------------------------------------------------------------------------------------


@truth("P@5", "qrels-run", defect="first-query-alone")
def precision_within_the_loop(qrels, run, k=5):
    for query, judged in qrels.items():
        ranked = sorted(run.get(query, {}).items(), key=lambda row: row[::-1], reverse=True)[:k]
        return sum(judged.get(doc, 0) >= 1 for doc, _ in ranked) / k
    return 0.0


@truth("RR", "queries-ids", defect="last-query-alone")
def rr_that_is_overwritten(relevant, ranked):
    value = 0.0
    for query, docs in relevant.items():
        value = next((1 / rank for rank, doc in enumerate(ranked.get(query, ()), 1) if doc in docs), 0.0)
    return value


@truth("AP", "places-total", defect="area-of-trapezoids")
def compute_ap(ranks, nres):
    ap = 0
    for found, rank in enumerate(ranks):
        before = found / rank if rank else 1.0
        ap += (before + (found + 1) / (rank + 1)) / (2 * nres)
    return ap


@truth("AP", "ids", defect="area-of-trapezoids")
def area_below_the_curve(pos, ranked_list):
    recall, precision, area, hits = 0.0, 1.0, 0.0, 0
    for rank, doc in enumerate(ranked_list, start=1):
        before = recall, precision
        hits += doc in pos
        recall, precision = hits / len(pos), hits / rank
        area += (recall - before[0]) * (before[1] + precision) / 2
    return area
