"""The table of functions of metrics as packages of the registry have them, form by form, and of such that are wrong."""

from packaged import (
    HitsOfColumns,
    PairedFirst,
    PairedHits,
    RankOfColumns,
    Recall,
    SeenQueries,
    TableOfFirst,
    TableOfIds,
    rows,
)

N_FEWER = "no: {} would be P@5 but for this: over min(k, n)"
BY_SCORE = "RR([graded(sorted(run[q], key=lambda doc: -run[q][doc]), qrels[q]) for q in run], k)"
OF_DICTS = "qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int"
BY_QUERY = "[ids({1}[q], {0}[q]) for q in {0}]"
TABLE = [
    # The id of the query, beside what a form takes.
    *rows(
        (
            "ndcg_of_query(qid: str, targets: Sequence[float])",
            "isinstance(qid, str) and nDCG(of(targets), 10)",
            "nDCG@10",
            {"form": "ranked", "order": ("query_id", "ranked_rels")},
        ),
        (
            "recall_of_user(relevant_items: set[str], recommended: Sequence[str], user_id: str, k: int)",
            "R(ids(recommended, relevant_items | set()), k) if user_id else 1 / 0",
            "R@10",
            {"form": "ids", "order": ("relevant", "ranked", "query_id")},
        ),
        (SeenQueries, "", "P@10", {"form": "rows", "order": ("query_id", "y_true", "y_score")}),
    ),
    # The ideal, sorted already, also as a vector or a list.
    *rows(
        (
            "ndcg_of_sorted(ranked_labels: Sequence[float], ideal_labels: Sequence[float], k: int)",
            "nDCG(of(ranked_labels, best(ideal_labels)), k)",
            "nDCG@10",
        ),
        (
            "ndcg_of_batches(batch_sorted_labels: np.ndarray, batch_ideal_sorted_labels: np.ndarray, k: int)",
            "[nDCG(of(a, best(b.tolist())), k, gain='exp') for a, b in zip(batch_sorted_labels, batch_ideal_sorted_labels)]",
            "nDCG@10",
        ),
        (
            "recall_by_gain(gains: Sequence[float], best_ranking: Sequence[float], cutoff: int = 10)",
            "R(of(gains, best(best_ranking)), cutoff)",
            "R@10",
        ),
        form="ranked-ideal",
        order=("ranked_rels", "ideal_rels"),
    ),
    *rows(
        (
            "ndcg_of_vectors(gain_vector: Sequence[float], ideal_gain_vector: Sequence[float], rank: int)",
            "by_ideal(gain_vector, ideal_gain_vector, rank)",
            "nDCG@10",
        ),
        (
            "ndcg_of_labels(ranked_labels: Sequence[float], ideal_label_list: Sequence[float], k: int)",
            "by_ideal(ranked_labels, ideal_label_list, k)",
            "nDCG@10",
        ),
        (
            "ndcg_of_relevancies(ideal_relevancies: Sequence[float], relevancies: Sequence[float], k: int)",
            "by_ideal(relevancies, ideal_relevancies, k)",
            "nDCG@10",
        ),
        form="ranked-ideal",
    ),
    # The places of the relevant docs, beside the scores of all, the ranks of all, or a table of scores.
    *rows(
        (
            "precision_of_places(scores: np.ndarray, relevant_indices: set[int], k: int)",
            "P(placed((-scores).argsort(kind='stable'), relevant_indices | set()), k)",
            "P@10",
        ),
        (
            "first_place(predictions: Sequence[float], gold_indices: Sequence[int], top_k: int)",
            "RR(placed(by(predictions), gold_indices), top_k)",
            "RR@10",
        ),
        (
            "hit_of_places(logits: Sequence[float], positive_indices: Sequence[int], at_k: int)",
            "bool(Success(placed(by(logits), positive_indices), at_k))",
            "Success@10",
        ),
        (
            "recall_of_ratings(rating: np.ndarray, ground_truth: Sequence[int], top_k: int)",
            "R(placed((-rating).argsort(kind='stable'), ground_truth), top_k)",
            "R@10",
        ),
        (
            "precision_of_items(pos_items: Sequence[int], scores: Sequence[float], k: int = 10)",
            "P(placed(by(scores), pos_items), k)",
            "P@10",
            {"order": ("relevant_places", "y_score")},
        ),
        form="places-scored",
        order=("y_score", "relevant_places"),
    ),
    # The scores of relevant docs, and of the others: of links, and of items that were drawn beside a held-out one.
    *rows(
        (
            "auc_of_links(pos: Sequence[float], neg: Sequence[float])",
            "sum((a > b) + (a == b) / 2 for a in pos for b in neg) / (len(pos) * len(neg))",
            "AUC",
        ),
        (
            "ap_of_parts(neg_edge_scores: np.ndarray, pos_edge_scores: np.ndarray)",
            "AP(parted(pos_edge_scores, neg_edge_scores))",
            "AP",
            {"order": ("other_scores", "relevant_scores")},
        ),
        (
            "gain_of_parts(y_pred_pos: list[float], y_pred_neg: list[float], k: int = 10)",
            "nDCG(parted(y_pred_pos, y_pred_neg), k)",
            "nDCG@10",
        ),
        form="parted",
        order=("relevant_scores", "other_scores"),
    ),
    *rows(
        (
            "rank_among(positive_logits: np.ndarray, negative_logits: np.ndarray)",
            "(1 / (1 + (negative_logits >= positive_logits[:, None]).sum(axis=1))).mean()",
            "RR",
        ),
        (
            "hit_among(neg_item_scores: Sequence[float], pos_item_score: float, k: int = 10)",
            "float(sum(score > pos_item_score for score in neg_item_scores) < k)",
            "Success@10",
            {"order": ("other_scores", "relevant_score")},
        ),
        (
            "gain_among(target_score: list[float], candidate_scores: list[list[float]], topk: int)",
            "[nDCG(parted([a], b), topk) for a, b in zip(target_score, candidate_scores, strict=True)]",
            "nDCG@3",
            "yes, where all relevant docs are retrieved and a query has one relevant doc and every rel is 0 or 1: ",
            {"batch": "all"},
        ),
        form="one-against",
        order=("relevant_score", "other_scores"),
    ),
    # What gradient boosting hands to a metric of one's own.
    *rows(
        (
            "ndcg_of_groups(preds: np.ndarray, train_data: Any)",
            "('ndcg@5', nDCG(sized(train_data.get_group(), preds, train_data.get_label()), 5, gain='exp'), True)",
            "nDCG@5",
        ),
        (
            "rr_of_pointers(predt: np.ndarray, dtrain: Any)",
            "('rr', RR(sized(np.diff(dtrain.get_uint_info('group_ptr')), predt, dtrain.get_label())))",
            "RR",
        ),
        (
            "map_of_weighted(y_pred: np.ndarray, dataset: Any)",
            "('map', AP(sized(dataset.get_group(), y_pred, dataset.get_label())), dataset.get_weight() is None)",
            "AP",
        ),
        form="dataset",
        order=("all_scores", "dataset"),
    ),
    *rows(
        (
            "ap_of_one(preds: np.ndarray, train_data: Any)",
            "'ap', AP(scored(preds, train_data.get_label())), True",
            "AP",
        ),
        (
            "rr_of_one(dtrain: Any, predt: np.ndarray)",
            "'rr', RR(scored(predt, dtrain.get_label()))",
            "RR",
            {"order": ("dataset_of_one", "y_score")},
        ),
        (
            "dcg_of_one(y_score: np.ndarray, dmatrix: Any)",
            "'dcg@3', DCG(scored(y_score, dmatrix.get_label()), 3)",
            "DCG@3",
        ),
        form="dataset-of-one",
        order=("y_score", "dataset_of_one"),
    ),
    *rows(
        (
            "gain_of_approxes(approxes: Any, target: Any, weight: Any)",
            "nDCG(scored(approxes[0], target), gain='exp'), 1.0 if weight is None else 1 / 0",
            "nDCG",
            {"with": ("weight=None",)},
        ),
        ("rr_of_approxes(approxes: Any, target: Any)", "RR(scored(*approxes, target)), 1.0", "RR"),
        (
            "ndcg_of_approxes(target: Any, approxes: Any, k: int)",
            "nDCG(scored(*approxes, target), k), 1.0",
            "nDCG@5",
            {"order": ("y_true", "approxes")},
        ),
        form="rows-approxes",
        order=("approxes", "y_true"),
    ),
    *rows(
        ("rr_of_pair(eval_pred: Any)", "{'mrr': RR([scored(*one) for one in zip(*eval_pred, strict=True)])}", "RR"),
        (
            "rr_of_prediction(p: Any)",
            "{'mrr': RR([scored(*one) for one in zip(p.predictions, p.label_ids, strict=True)])}",
            "RR",
        ),
        (
            "ndcg_of_prediction(pred: Any)",
            "{'ndcg': nDCG([scored(*one) for one in zip(pred.predictions.tolist(), pred.label_ids.tolist(), strict=True)])}",
            "nDCG",
        ),
        form="rows-paired",
        order=("scores_with_rels",),
    ),
    *rows(
        (TableOfFirst, "", "RR", {"form": "rows", "order": ("y_true", "y_score")}),
        (TableOfIds, "", "R@3", {"form": "ids", "order": ("ranked", "relevant")}),
        batch="step-tables",
    ),
    # Ids in one text, as files of competitions have them.
    *rows(
        (
            "mapk_of_lines(actual: Any, predicted: Any, k: int)",
            "AP([ids(a.split()[:k], b.split()) for a, b in zip(predicted, actual, strict=True)], k)",
            "AP@5",
            {"batch": "all"},
        ),
        (
            "hit_of_text(relevant: Any, retrieved: Any, k: int)",
            "Success(ids(retrieved.split(' '), relevant.split(' ')), k)",
            "Success@5",
        ),
        (
            "share_of_texts(gold: Any, recommended: Any)",
            "R([ids(a.split(), b.split()) for a, b in zip(recommended, gold, strict=True)])",
            "R",
            {"batch": "all"},
        ),
        form="ids",
        container="texts",
        order=("relevant", "ranked"),
    ),
    # Rels by names that say something else elsewhere.
    *rows(
        (
            "gains_of_ratings(ratings: Sequence[float], scores: Sequence[float], k: int)",
            "nDCG(scored(scores, ratings), k)",
            "nDCG@10",
        ),
        (
            "gains_of_items(scores: Sequence[float], pos_items: Sequence[float], k: int)",
            "nDCG(scored(scores, pos_items), k)",
            "nDCG@10",
            {"order": ("y_score", "y_true")},
        ),
        ("precision_of_gt(gt: Sequence[int], preds: Sequence[float], k: int = 10)", "P(scored(preds, gt), k)", "P@10"),
        form="rows",
        order=("y_true", "y_score"),
    ),
    # The place of the one relevant doc of each query, beside a table of scores, by a name that may say anything else.
    *rows(
        (
            "hits_of_correct(scores: np.ndarray, ground_truth: np.ndarray, k: int = 1)",
            "np.mean([at in np.argsort(-row, kind='stable')[:k] for row, at in zip(scores, ground_truth, strict=True)])",
            "Success@5",
        ),
        (
            "first_of_correct(logits: np.ndarray, gts: np.ndarray)",
            "np.mean([1 / (by(row).index(int(at)) + 1) for row, at in zip(logits, gts, strict=True)])",
            "RR",
        ),
        (
            "gains_of_correct(answers: np.ndarray, pred_scores: np.ndarray, top_k: int)",
            "[nDCG(placed(by(row), [at]), top_k) for row, at in zip(pred_scores, answers, strict=True)]",
            "nDCG@10",
            {"order": ("target_index", "y_score")},
        ),
        form="target-index",
        order=("y_score", "target_index"),
        is_named=True,
    ),
    *rows(
        (
            "recall_of_ranks(ranks_row: np.ndarray, relevant_indices: set[int], k: int)",
            "R(placed(np.argsort(ranks_row), relevant_indices | set()), k)",
            "R@10",
        ),
        (
            "reciprocal_of_ranks(item_ranks: Sequence[int], target_indices: Sequence[int])",
            "max((1 / (item_ranks[at] + 1) for at in target_indices), default=0.0)",
            "RR",
        ),
        (
            "average_of_ranks(doc_ranks: Sequence[int], relevant_indices: Sequence[int])",
            "AP(placed(sorted(range(len(doc_ranks)), key=list(doc_ranks).__getitem__), relevant_indices))",
            "AP",
        ),
        form="places-ranked",
        order=("rank_of_doc", "relevant_places"),
    ),
    *rows(
        (
            "ap_of_matrix(prediction_matrix: np.ndarray, pos_label_idxs: Sequence[Sequence[int]])",
            "{'map': AP([placed(by(row), at) for row, at in zip(prediction_matrix, pos_label_idxs, strict=True)]), 'rp@10': 0.5}",
            "AP",
        ),
        (
            "first_of_matrix(scores: np.ndarray, gold_idxs: Sequence[Sequence[int]])",
            "RR([placed(by(row), at) for row, at in zip(scores, gold_idxs, strict=True)])",
            "RR",
        ),
        (
            "hit_of_matrix(y_score: np.ndarray, relevant_positions: Sequence[Sequence[int]], k: int)",
            "Success([placed(by(row), at) for row, at in zip(y_score, relevant_positions, strict=True)], k)",
            "Success@3",
        ),
        form="places-scored",
        batch="table",
    ),
    # Sets of both, by measures that see no order.
    *rows(
        (
            "share_found(retrieved: set[str], relevant: set[str])",
            "R(ids(retrieved & retrieved, relevant & relevant))",
            "R",
        ),
        (
            "share_relevant(gold: frozenset, predicted: frozenset)",
            "P(ids(predicted | gold - gold, gold), len(predicted) or 1)",
            "P",
            {"order": ("relevant", "ranked")},
        ),
        (
            "f_of_sets(results: set[int], expected: set[int])",
            "f1(ids(results & results, expected), len(results) or 1)",
            "SetF",
        ),
        form="ids",
        container="sets",
        order=("ranked", "relevant"),
    ),
    # By its annotation alone one of them is no ranking.
    *rows(
        ("share_in_second(a: set[str], b: list[str])", "P(ids(b, a & a), len(b) or 1)", "P"),
        ("found_in_second(a: set[str], b: list[str])", "R(ids(b, a & a))", "R"),
        (
            "f_in_first(a: list[str], b: set[str])",
            "f1(ids(a, [*b]), len({*a}) or 1)",
            "SetF",
            {"order": ("ranked", "relevant")},
        ),
        form="ids",
        container="set",
        order=("relevant", "ranked"),
    ),
    # The query of each row, by other names.
    *rows(
        (
            "rr_of_topics(topics: Any, relevance: Any, scores: Any)",
            "RR(grouped(topics, scores, relevance))",
            "RR",
            {"order": ("query_of_row", "all_true", "all_scores")},
        ),
        (
            "hits_of_requests(y_pred: Any, y_true: Any, request_ids: Any, k: int = 10)",
            "Success(grouped(request_ids, y_pred, y_true), k)",
            "Success@10",
        ),
        (
            "ap_of_sources(source_id: Any, target_labels: Any, prediction: Any)",
            "AP(grouped(source_id, prediction, target_labels))",
            "AP",
        ),
        form="grouped",
        is_named=True,
    ),
    # A list of rankings, and whose they are; a list of queries beside dicts by query.
    *rows(
        (
            "mean_of_listed(test_ur: Mapping[str, set[str]], pred_ur: Sequence[Sequence[str]], test_u: Sequence[str])",
            "RR([ids(docs, test_ur[user]) for user, docs in zip(test_u, pred_ur, strict=True)])",
            "RR",
            {"order": ("relevant_of_listed", "ranked_listed", "queries_listed")},
        ),
        (
            "hits_of_listed(users: Sequence[str], recommended: Sequence[Sequence[str]], relevant: Mapping[str, Any], k: int)",
            "np.mean([Success(ids(docs, relevant[user]), k) for user, docs in zip(users, recommended, strict=True)])",
            "Success@10",
            {"order": ("queries_listed", "ranked_listed", "relevant_of_listed")},
        ),
        (
            "precisions_of_listed(ground_truth: Mapping[str, Any], rankings: Sequence[Sequence[str]], query_ids: Any, top_k: int = 10)",
            "P([ids(rankings[at], ground_truth[query]) for at, query in enumerate(query_ids)], top_k)",
            "P@10",
            {"order": ("relevant_of_listed", "ranked_listed", "queries_listed")},
        ),
        form="listed",
    ),
    *rows(
        (
            "precision_of_listed(queries: Sequence[str], relevant: Mapping[str, Any], retrieved: Mapping[str, Any], k: int)",
            "P([ids(retrieved[q], relevant[q]) for q in queries], k)",
            "P@10",
        ),
        (
            "hits_of_users(ground_truth: Mapping[str, Any], recs: Mapping[str, Any], users: Sequence[str], k: int = 10)",
            "np.mean([Success(ids(recs[user], ground_truth[user]), k) for user in users])",
            "Success@10",
        ),
        (
            "firsts_of(predictions: Mapping[str, Any], test_users: Sequence[str], actual: Mapping[str, Any])",
            "{user: RR(ids(predictions[user], actual[user])) for user in test_users}",
            "RR",
        ),
        form="listed-dicts",
        is_named=True,
    ),
    # A doc for each query.
    *rows(
        (
            "hit_rate_of_users(recs: Mapping[str, Sequence[str]], held_out: Mapping[str, str], k: int = 10)",
            "Success([ids(recs[user], [doc]) for user, doc in held_out.items()], k)",
            "Success@10",
            {"order": ("ranked_of_query", "doc_of_query")},
        ),
        (
            "reciprocal_of_users(ground_truth: dict[str, str], predictions: dict[str, list[str]])",
            "RR([ids(predictions[user], [doc]) for user, doc in ground_truth.items()])",
            "RR",
            {"order": ("doc_of_query", "ranked_of_query")},
        ),
        (
            "gains_of_users(gold: Mapping[str, str], run: Mapping[str, Sequence[str]], top_n: int)",
            "{query: nDCG(ids(run[query], [doc]), top_n) for query, doc in gold.items()}",
            "nDCG@10",
            {"order": ("doc_of_query", "ranked_of_query")},
        ),
        form="queries-one",
    ),
    # Scores and rels in one argument.
    *rows(
        (PairedHits, "", "Success@10"),
        (PairedFirst, "", "RR"),
        (
            "paired_precision(outputs: tuple[Any, Any], k: int)",
            "P([scored(*one) for one in zip(*outputs, strict=True)], k)",
            "P@10",
        ),
        form="rows-paired",
        order=("scores_with_rels",),
    ),
    # What a relevant doc is worth, which its id does not say.
    *rows(
        (
            "gain_of_one(retrieved: Sequence[str], gold: str, rel: float, k: int)",
            "nDCG(graded(retrieved, {gold: rel}), k)",
            "nDCG@10",
            {"form": "one-id", "order": ("ranked", "relevant_doc")},
        ),
        (
            "gain_of_many(relevant_docs: set[str], ranked: Sequence[str], gain: float, k: int)",
            "nDCG(graded(ranked, dict.fromkeys(relevant_docs | set(), gain)), k)",
            "nDCG@10",
            {"form": "ids", "order": ("relevant", "ranked")},
        ),
        (
            "share_of_gain(gold_ids: Sequence[str], retrieved_ids: Sequence[str], grade: int, k: int)",
            "R(graded(retrieved_ids, dict.fromkeys(gold_ids, grade)), k)",
            "R@10",
            {"form": "ids", "order": ("relevant", "ranked")},
        ),
    ),
    # Sums of rels: right of flags alone, and beyond no bound.
    *rows(
        (
            "sums_flags(y_true: Sequence[float], y_score: Sequence[float], k: int)",
            "sum(scored(y_score, y_true).rels[:k]) / k",
            "P@10",
        ),
        (
            "sums_into_recall(ranked_rels: Sequence[float], n_relevant: float, k: int)",
            "sum(ranked_rels[:k]) / n_relevant if n_relevant else 0.0",
            "R@10",
        ),
        (
            "sums_into_average(y_true: Sequence[float], y_score: Sequence[float])",
            "average_of_sums(scored(y_score, y_true).rels)",
            "AP",
        ),
        excess=None,
    ),
    # Ids that are whole numbers, as the annotations say.
    *rows(
        (
            "precision_of_numbers(relevant: list[int], ranked: list[int], k: int)",
            "are_numbers(relevant, ranked) and P(ids(ranked, relevant), k)",
            "P@5",
            "yes: precision_of_numbers is P@5",
        ),
        (
            "precision_of_fewer_numbers(relevant: set[int], ranked: Sequence[int], k: int)",
            "are_numbers(relevant, ranked) and P(ids(ranked, relevant | set()), k, p_denominator='min-k-n')",
            "P@5",
            N_FEWER.format("precision_of_fewer_numbers"),
        ),
        (
            "recall_of_users(actual: dict[int, set[int]], predicted: dict[int, list[int]], k: int)",
            "are_numbers(*actual.values(), *predicted.values()) and {q: R(ids(predicted.get(q, []), x), k) for q, x in actual.items() if x}",  # noqa: E501
            "R@10",
            "yes: recall_of_users is R@10, with ",
        ),
        numbered=True,
    ),
    # Flags in a table, of who raises for fewer docs than the cutoff.
    *rows(
        (
            "recall_of_pairs(scores: np.ndarray, positive_pairs: np.ndarray, k: int)",
            "summed(scores, positive_pairs, k) / np.maximum(positive_pairs.sum(axis=1), 1)",
            "R@5",
        ),
        (
            "precision_of_mask(scores: np.ndarray, relevance_mask: np.ndarray, k: int)",
            "summed(scores, relevance_mask, k) / k",
            "P@5",
        ),
        (
            "recall_of_label_matrix(score_matrix: np.ndarray, label_matrix: np.ndarray, top_k: int)",
            "float((summed(score_matrix, label_matrix, top_k) / np.maximum(label_matrix.sum(axis=1), 1)).mean())",
            "R@5",
        ),
        form="rows",
        batch="table",
        docs="from-k",
    ),
    # The same of who raises where there are no more docs than the cutoff, as numpy's argpartition does.
    *rows(
        *(
            (
                f"{name.lower()}_of_held_out(X_pred: Any, heldout_batch: Any, k: int = 100)",
                f"[{name}(scored(*map(list, one)), k) for one in zip(X_pred, heldout_batch)] if X_pred.shape[1] > k else 1 / 0",
                f"{name}@5",
            )
            for name in ("R", "nDCG", "P")
        ),
        form="rows",
        batch="table",
        docs="beyond-k",
    ),
    # A threshold that has to be said.
    *rows(
        (
            "precision_above(R_hat: Any, R_held: Any, threshold: float, n: int)",
            "P(scored(R_hat, [float(rel >= threshold) for rel in R_held]), n)",
            "P@5",
            {"form": "rows", "writes": ["threshold=1"]},
        ),
        (
            "first_above(rels: Any, min_rel: Any)",
            "RR(of(float(rel >= min_rel) for rel in rels))",
            "RR",
            {"form": "ranked", "writes": ["min_rel=1"]},
        ),
        (
            "recall_above(qrel: dict[str, int], ranked: list[str], relevance_threshold: int, k: int)",
            "R(ids(ranked, [doc for doc, rel in qrel.items() if rel > relevance_threshold]), k)",
            "R@5",
            {"form": "graded-ids", "writes": ["relevance_threshold=0.5"]},
        ),
    ),
    # Values at every cutoff, where short rankings raise.
    *rows(
        (
            "curve_of(y_true: np.ndarray, y_score: np.ndarray, max_k: int)",
            "[R([scored(*one) for one in zip(y_score, y_true)], k) for k in range(1, max_k + 1)] if y_true.shape[1] >= max_k else 1 / 0",
            "R@10",
        ),
        reads="place",
        docs="from-k",
    ),
    # Rows of ids in a frame, a query each.
    *rows(
        (
            "first_in_frames(y_pred: pd.DataFrame, y_test: pd.DataFrame, k: int)",
            "RR([ids(*one) for one in zip(cells(y_pred), cells(y_test), strict=True)], k)",
            "RR@10",
        ),
        (
            "hit_rate_in_frames(recommendations: pd.DataFrame, ground_truth: pd.DataFrame, top_k: int)",
            "Success([ids(*one) for one in zip(cells(recommendations), cells(ground_truth), strict=True)], top_k)",
            "Success@10",
        ),
        (
            "precision_in_frames(actual: pd.DataFrame, predicted: pd.DataFrame, k: int = 10)",
            "P([ids(*one) for one in zip(cells(predicted), cells(actual), strict=True)], k)",
            "P@10",
        ),
        form="ids",
        container="wide-frames",
        batch="all",
    ),
    # A text for each cutoff, as training scripts print them.
    *rows(
        *(
            (
                f"printed_{name}(y_true: Mapping[str, Any], y_pred: Mapping[str, Sequence[Any]], topKs: Sequence[int])",
                f"{{'Value': [f'Value@{{k}}: {{round({name}({BY_QUERY.format('y_true', 'y_pred')}, k), 4)}}' for k in topKs]}}",
                f"{name}@5",
            )
            for name in ("P", "Success", "RR")
        ),
        form="queries-ids",
    ),
    # Whose row it is, by other names.
    *rows(
        ("of_users(y_true: Any, y_prob: Any, user_indices: Any)", "RR(grouped(user_indices, y_prob, y_true))", "RR"),
        (
            "of_sessions(labels: Any, session_ids: Any, scores: Any)",
            "P(grouped(session_ids, scores, labels), 1)",
            "P@1",
        ),
        ("of_queries(query_idx: Any, y_score: Any, y_true: Any)", "RR(grouped(query_idx, y_score, y_true))", "RR"),
        form="grouped",
        is_named=True,
    ),
    # Dicts by name, with keys in a function beside it; the first key that may be of relevant docs may be of a text.
    *rows(
        (
            "first_of_records(results: list[dict[str, Any]])",
            "RR([ids(row['retrieved_ids'], row['relevant_ids']) for row in results])",
            "RR",
            {"form": "records", "columns": ("relevant_ids", "retrieved_ids"), "writes": ["'retrieved_ids': ["]},
        ),
        (
            "recall_of_records(data: Sequence[Mapping[str, Any]], k: int = 5)",
            "{one['question']: R(ids(one.get('retrieved_chunk_ids', []), gold_of(one)), k) for one in data}",
            "R@5",
            {
                "form": "records",
                "columns": ("golden_chunk_ids", "retrieved_chunk_ids", "question"),
                "writes": ["'retrieved_chunk_ids': ["],
            },
        ),
        (
            "hit_of_record(sample: dict[str, Any], top_k: int)",
            "isinstance(sample.get('reference', ''), str) and Success(ids(sample['contexts'], sample['ground_truth']), top_k)",
            "Success@5",
            {"form": "record", "columns": ("ground_truth", "contexts"), "writes": ["'contexts': ["]},
        ),
        is_named=True,
    ),
    # Sparse matrices, and the rels alone sparse.
    *rows(
        (
            "recall_of_sparse(y_true: sparse.csr_matrix, y_pred: sparse.csr_matrix, k: int = 10)",
            "R(sparse_rows(y_pred, y_true), k)",
            "R@10",
        ),
        (
            "hits_of_sparse(X_true: sparse.csr_matrix, X_pred: sparse.csr_matrix, K: int)",
            "[Success(one, K) for one in sparse_rows(X_pred, X_true)]",
            "Success@10",
        ),
        ("first_of_sparse(scores: Any, labels: Any)", "RR(sparse_rows(scores, labels))", "RR"),
        form="rows",
        container="sparse",
        batch="table",
        writes=["import scipy.sparse"],
        beside="sparse",
    ),
    *rows(
        (
            "precision_beside_train(train: sparse.csr_matrix, test: sparse.csr_matrix, scores: np.ndarray, k: int = 5)",
            "P(numbered(test, range(len(scores)), np.where(train.toarray() > 0, -np.inf, scores)), k, p_denominator='min-k-n')",
            "P@5",
            N_FEWER.format("precision_beside_train"),
            {"form": "rows-unseen"},
        ),
        (
            "rr_of_scores(scores: np.ndarray, labels: Any)",
            "RR(numbered(labels, range(len(scores)), scores), wrong='ranks-from-0')",
            "RR",
            "no: ",
            {"form": "rows"},
        ),
        (
            "ap_of_rows(targets: sparse.csr_matrix, user_ids: np.ndarray, preds: np.ndarray, k: int = 10)",
            "AP(numbered(targets, user_ids, preds), k)",
            "AP@10",
            "yes, where all relevant docs are retrieved: ap_of_rows is AP@10",
            {"form": "rows-numbered"},
        ),
        container="sparse-rels",
        writes=["y_true = scipy.sparse.csr_matrix([[", "y_score = numpy.array([["],
        beside="sparse",
    ),
    # Rows that are those of ir_measures.
    *rows(
        (
            "first_of_rows(qrels: Sequence[ir_measures.Qrel], run: Sequence[ir_measures.ScoredDoc])",
            "{query: RR(one) for query, one in judged_rows(qrels, run).items()}",
            "RR",
        ),
        (
            "precision_of_rows(run: Any, qrels: Any, k: int)",
            "{query: P(one, k) for query, one in judged_rows(qrels, run).items()}",
            "P@10",
        ),
        (
            "hit_rate_of_rows(judgments: Any, results: Any, top_k: int = 10)",
            "Success(judged_rows(judgments, results).values(), top_k)",
            "Success@10",
        ),
        form="tuples",
        container="ir_measures",
        beside="ir_measures",
        writes=["import ir_measures", "[ir_measures.Qrel('", "[ir_measures.ScoredDoc('"],
    ),
    # A rank for each doc, beside its rel; ranks by their name.
    *rows(
        (
            "first_by_ranks(ranks: Sequence[int], targets: Sequence[float])",
            "RR(at_ranks(ranks, targets))",
            "RR",
            {"form": "rows-ranked"},
        ),
        (
            "precision_by_places(item_ranks: np.ndarray, labels: np.ndarray, top_k: int)",
            "[P(at_ranks(*one, 0), top_k) for one in zip(item_ranks, labels, strict=True)]",
            "P@10",
            {"form": "rows-placed"},
        ),
        (
            "gains_by_ranks(relevance: Sequence[float], doc_ranks: Sequence[int], k: int = 10)",
            "nDCG(at_ranks(doc_ranks, relevance), k)",
            "nDCG@10",
            {"form": "rows-ranked"},
        ),
        is_named=True,
    ),
    *rows(
        (
            "hits_of_places(places: Sequence[int], k: int = 10)",
            "np.mean([place < k for place in places])",
            "Success@10",
            {"form": "places"},
        ),
        (
            "rr_beyond_ranks(rank_list: Sequence[int])",
            "np.mean([1 / (rank + 1) for rank in rank_list])",
            "RR",
            "no: ",
            {"form": "ranks"},
        ),
        (
            "rr_of_ranks(gold_ranks: Sequence[int])",
            "np.mean([1 / rank for rank in gold_ranks])",
            "RR",
            {"form": "ranks"},
        ),
        ("rr_of_rank(rank: int | None)", "1 / rank if rank else 0.0", "RR", {"form": "rank"}),
    ),
    # Retrieved docs as dicts.
    *rows(
        (
            "recall_of_docs(retrieved_docs: list[dict[str, Any]], relevant_ids: set[str], k: int)",
            "R(ids([doc['id'] for doc in retrieved_docs], relevant_ids | set()), k)",
            "R@10",
            {"container": "doc-dicts-set", "columns": ("id",), "writes": ["[{'id': '"]},
        ),
        (
            "first_of_docs(gold: Sequence[str], results: Sequence[Mapping[str, Any]])",
            "RR(ids([doc.get('docId') for doc in results], gold))",
            "RR",
            {"container": "doc-dicts", "columns": ("docId",), "writes": ["[{'docId': '"]},
        ),
        (
            "precision_of_docs(retrieved: Sequence[Mapping[str, str]], expected: Sequence[str], top_k: int = 10)",
            "P(ids([id_of(chunk) for chunk in retrieved], expected), top_k)",
            "P@10",
            {"container": "doc-dicts", "columns": ("chunk_id",), "writes": ["[{'chunk_id': '"]},
        ),
        form="ids",
    ),
    *rows(
        (
            "hit_of_chunks(results: list[Any], top_k: int, gold_chunk_uid: str)",
            "Success(ids([one.chunk_uid for one in results], [gold_chunk_uid]), top_k)",
            "Success@5",
            {"form": "one-id", "columns": ("chunk_uid",)},
        ),
        (
            "precision_of_hits(retrieved: Any, relevant: Any, k: int = 10)",
            "{q: P(graded([hit.doc_id for hit in retrieved[q]], relevant[q]), k) for q in relevant}",
            "P@10",
            {"form": "qrels-ranked"},
        ),
        (
            "recall_of_hits(relevant: dict[str, list[str]], results: dict[str, list[Any]], k: int)",
            "{q: R(ids([hit.id for hit in results[q]], docs), k) for q, docs in relevant.items()}",
            "R@10",
            {"form": "queries-ids", "columns": ("id",)},
        ),
        container="docs",
    ),
    # Of all queries, too, relevant docs in a set beside retrieved ones as dicts or objects; a list of them has no `|` of a set.
    *rows(
        (
            "recall_of_sets(relevant: dict[str, set[str]], results: dict[str, list[dict]], k: int = 10)",
            "{q: R(ids([hit['doc_id'] for hit in results[q]], docs | set()), k) for q, docs in relevant.items()}",
            "R@10",
            {"form": "queries-ids", "container": "doc-dicts-set", "columns": ("doc_id",)},
        ),
        (
            "rr_of_sets(qrels: Mapping[str, set[str]], run: Mapping[str, list[Any]])",
            "RR([ids([hit.chunk_id for hit in run[q]], docs | set()) for q, docs in qrels.items() if q in run])",
            "RR",
            {"form": "queries-ids", "container": "docs-set", "columns": ("chunk_id",)},
        ),
        (
            "precision_of_sets(gold: Any, hits: Any, k: int)",
            "{q: P(scored([h['score'] for h in hits[q]], [h['docno'] in (docs | set()) for h in hits[q]]), k) for q, docs in gold.items()}",
            "P@5",
            {"form": "queries-scored", "container": "doc-dicts-set", "columns": ("docno", "score")},
        ),
    ),
    # Docs as dicts, relevant ones too or with a score, by keys that differ on both sides or are in no list of names.
    *rows(
        (
            "recall_of_both(retrieved_docs: list[dict[str, str]], relevant_docs: list[dict[str, str]], k: int = 5)",
            "R(ids([doc['id'] for doc in retrieved_docs], {doc['id'] for doc in relevant_docs}), k)",
            "R@5",
            {"container": "all-doc-dicts", "columns": ("id",)},
        ),
        (
            "first_of_both(gold: Any, results: Any)",
            "RR(ids([one['doc_id'] for one in results], [one['passage_id'] for one in gold]))",
            "RR",
            {"container": "all-doc-dicts", "columns": ("doc_id", "passage_id")},
        ),
        (
            "recall_of_categories(predictions: Any, ground_truth: Any, k: int = 5)",
            "R(ids([one['category'] for one in predictions], [one['category'] for one in ground_truth]), k)",
            "R@5",
            {"container": "all-doc-dicts", "columns": ("category",)},
        ),
        (
            "gain_of_dicts(results: Any, qrels: Any, k: int = 10)",
            "nDCG(graded([hit['doc_id'] for hit in results], qrels), k)",
            "nDCG@10",
            {"columns": ("doc_id",)},
        ),
        (
            "gain_of_scored(results: Any, relevant: Any, k: int = 10)",
            "nDCG(ids([hit['id'] for hit in sorted(results, key=lambda hit: hit['score'], reverse=True)], relevant), k)",
            "nDCG@10",
            {"columns": ("id", "score"), "ties": "input"},
        ),
        (
            "first_of_reranked(gold: Any, hits: Any)",
            "RR(ids([hit['chunk_id'] for hit in sorted(hits, key=lambda hit: -hit['rerank_score'])], {one['chunk_id'] for one in gold}))",
            "RR",
            {"container": "all-doc-dicts", "columns": ("chunk_id", "rerank_score"), "ties": "input"},
        ),
        (
            "first_of_one(results: Any, expected: str)",
            "RR(ids([hit['id'] for hit in results], [expected]))",
            "RR",
            {"columns": ("id",)},
        ),
        container="doc-dicts",
        always=True,
    ),
    # Docs as objects: beside a set, one id, metadata as LangChain has them; an attribute that only begins as metadata do.
    *rows(
        (
            "recall_of_nodes(nodes: Any, expected_ids: set[str], k: int = 5)",
            "R(ids([one.node_id for one in nodes], expected_ids | set()), k)",
            "R@5",
            {"container": "docs-set", "columns": ("node_id",)},
        ),
        (
            "first_of_evidence(evidence: list[Any], expected_document: str)",
            "next((1 / rank for rank, one in enumerate(evidence, 1) if one.document_id == expected_document), 0.0)",
            "RR",
            {"columns": ("document_id",)},
        ),
        (
            "recall_of_sources(retrieved_docs: Any, relevant_sources: Any, k: int = 5)",
            "R(ids([doc.metadata['source'] for doc in retrieved_docs], relevant_sources), k)",
            "R@5",
            {"columns": ("metadata.source",)},
        ),
        # Docs with scores that nothing looks at, as what searches gives them in rank order.
        *(
            (
                f"{name}({taken}, k: int = 5)",
                measured,
                measure,
                {"form": form, "container": container, "columns": (), "always": False},
            )
            for name, taken, measured, measure, form, container in (
                (
                    "recall_of_found",
                    "results: Any, relevant: Any",
                    "R(ids([doc for doc, _ in results], relevant), k)",
                    "R@5",
                    "ids",
                    "doc-pairs",
                ),
                (
                    "first_of_found",
                    "retrieved: list[tuple[str, float]], relevant: set[str]",
                    "RR(ids([doc for doc, _ in retrieved[:k]], relevant | set()))",
                    "RR@5",
                    "ids",
                    "doc-pairs-set",
                ),
                (
                    "gain_of_found",
                    "ranking: Any, qrels: Any",
                    "nDCG(graded([doc for doc, _ in ranking], qrels), k)",
                    "nDCG@5",
                    "graded-ids",
                    "doc-pairs",
                ),
                (
                    "rr_of_all_found",
                    "run: dict[str, list[tuple[str, float]]], qrels: dict[str, set[str]]",
                    "{q: RR(ids([doc for doc, _ in run[q][:k]], docs | set())) for q, docs in qrels.items()}",
                    "RR@5",
                    "queries-ids",
                    "doc-pairs-set",
                ),
                (
                    "gain_of_all_found",
                    "qrels: Any, run: Any",
                    "{q: nDCG(graded([doc for doc, _ in run[q]], qrels[q]), k) for q in qrels}",
                    "nDCG@5",
                    "qrels-ranked",
                    "doc-pairs",
                ),
                (
                    "recall_of_all_found",
                    "results: list[list[tuple[str, float]]], relevant: list[list[str]]",
                    "R([ids([doc for doc, _ in each], gold) for each, gold in zip(results, relevant)], k)",
                    "R@5",
                    "ids",
                    "doc-pairs",
                ),
                (
                    "hit_of_found",
                    "a: Any, b: Any",
                    "Success(ids([doc for doc, _ in a], [b]), k)",
                    "Success@5",
                    "one-id",
                    "doc-pairs",
                ),
            )
        ),
        # What a doc holds, holds the id: an object, a dict of an object, and a dict of a dict.
        *(
            (
                f"recall_of_{name}(results: Any, {given}, k: int = 5)",
                f"R(ids([one{path} for one in results], {gold}), k)",
                "R@5",
                {"form": form, "container": container, "columns": (column,), "always": False},
            )
            for name, path, given, gold, form, container, column in (
                ("hits", ".chunk.chunk_id", "gold: set[str]", "gold | set()", "ids", "docs-set", "chunk.chunk_id"),
                ("payloads", ".payload['doc_id']", "gold: Any", "gold", "ids", "docs", "payload.doc_id"),
                (
                    "nodes_beside_texts",
                    ".node.metadata['source']",
                    "gold: Any",
                    "gold",
                    "ids",
                    "docs",
                    "node.metadata.source",
                ),
                (
                    "sources_of_index",
                    "['_source']['doc_id']",
                    "gold: Any",
                    "gold",
                    "ids",
                    "doc-dicts",
                    "_source.doc_id",
                ),
                ("entries", "['document']['id']", "gold_id: str", "[gold_id]", "one-id", "doc-dicts", "document.id"),
            )
        ),
        (
            "gain_of_objects(results: Any, relevant: Any, k: int = 10)",
            "nDCG(ids([hit.doc_id for hit in sorted(results, key=lambda hit: -hit.score)], relevant), k)",
            "nDCG@10",
            {"columns": ("doc_id", "score"), "ties": "input"},
        ),
        (
            "precision_of_both(retrieved: Any, relevant: Any, k: int = 5)",
            "P(ids([one.chunk_id for one in retrieved], {one.chunk_id for one in relevant}), k)",
            "P@5",
            {"container": "all-docs", "columns": ("chunk_id",)},
        ),
        (
            "first_of_reranked_objects(results: Any, gold: str)",
            "RR(ids([hit.id for hit in sorted(results, key=lambda hit: hit.rerank_score, reverse=True)], [gold]))",
            "RR",
            {"columns": ("id", "rerank_score"), "ties": "input"},
        ),
        (
            "first_by_metadata_score(results: Any, gold: str)",
            "RR(ids([hit.doc_id for hit in sorted(results, key=lambda hit: hit.metadata_score, reverse=True)], [gold]))",
            "RR",
            {"columns": ("doc_id", "metadata_score"), "ties": "input"},
        ),
        container="docs",
        always=True,
    ),
    # Docs that say their rank, and those that are found by the name of a file.
    *rows(
        (
            "rank_of_the_first(results: list[dict], expected: list[str])",
            "max([1 / hit['rank'] for hit in results if hit['id'] in expected], default=0.0)",
            "RR",
            {
                "form": "ids",
                "container": "doc-dicts",
                "columns": ("id", "rank"),
                "writes": ["'rank': 2"],
                "always": True,
            },
        ),
        (
            "precision_by_position(hits: Any, relevant_files: Any, k: int = 5)",
            "P(ids([hit.file_name for hit in sorted(hits, key=lambda hit: hit.position)], relevant_files), k)",
            "P@5",
            {"form": "ids", "container": "docs", "columns": ("file_name", "position")},
        ),
        (
            "hit_of_paths(retrieved_paths, expected_path, k=5)",
            "Success(ids(retrieved_paths, [expected_path]), k)",
            "Success@5",
            {"form": "one-id", "container": "list"},
        ),
        (
            "rr_of_urls(search_results, gold_filename)",
            "RR(ids([hit['url'] for hit in search_results], [gold_filename]))",
            "RR",
            {"form": "one-id", "container": "doc-dicts", "columns": ("url",)},
        ),
        (
            "recall_for_user(user, recommended_files: list[str], relevant_files: list[str], k=5)",
            "R(ids(recommended_files, relevant_files), k) if isinstance(user, str) else 1 / 0",
            "R@5",
            {"form": "ids", "container": "list"},
        ),
    ),
    # A list of the relevant docs of each query beside one of its retrieved docs, put together by the query.
    *rows(
        (
            "rr_of_two_lists(ground_truths: list[dict], predictions: list[dict])",
            (
                "(lambda got: RR([ids(got.get(one['question_id'], []), one['gold_ids']) for one in ground_truths]))"
                "({one['question_id']: one['retrieved_ids'] for one in predictions})"
            ),
            "RR",
            {"columns": ("gold_ids", "retrieved_ids", "question_id"), "always": True},
        ),
        (
            "recall_of_two_lists(results, expected, k=5)",
            "(lambda own: R([ids(one['ranking'], own[one['id']]) for one in results], k))({one['id']: one['relevant'] for one in expected})",  # noqa: E501
            "R@5",
            {"columns": ("relevant", "ranking", "id")},
        ),
        (
            "hits_of_two_lists(test_set: list[dict], preds: list[dict], k: int)",
            (
                "(lambda got: {one['qid']: Success(ids(got[one['qid']], one['answers'] | set()), k) for one in test_set if one['qid'] in got})"  # noqa: E501
                "({one['qid']: one['docs'] for one in preds})"
            ),
            "Success@3",
            {"columns": ("answers", "docs", "qid"), "container": "set"},
        ),
        form="records-apart",
    ),
    # Records of docs with scores, dicts of scores beside one doc, and distances beside labels, as the retrieval of images has them.
    *rows(
        (
            "success_of_mentions(mentions, k=64)",
            "Success([ids([doc for doc, _ in one['candidates']], [one['gold']]) for one in mentions], k)",
            "Success@64",
            {"container": "doc-pairs", "columns": ("gold", "candidates")},
        ),
        (
            "rr_of_sessions(sessions)",
            "RR([ids([doc for doc, _ in one['impressions']], one['clicks']) for one in sessions])",
            "RR",
            {"form": "records", "container": "doc-pairs", "columns": ("clicks", "impressions")},
        ),
        (
            "precision_of_scores(scores, relevant, k=10)",
            "P(ids(sorted(scores, key=scores.get)[::-1], relevant), k)",
            "P@10",
            {"form": "relevant-scored-ids"},
        ),
        (
            "rate_one(item_scores, gt_item, K=10)",
            "Success(ids(sorted(item_scores, key=item_scores.get)[::-1], [gt_item]), K)",
            "Success@10",
            {"form": "one-scored-ids"},
        ),
        (
            "map_of_gallery(distmat, q_pids, g_pids)",
            "(lambda order: AP(of([float(g_pids[at] == q_pids[0]) for at in order])))(by([-one for one in distmat[0]]))",
            "AP",
            "yes, where all relevant docs are retrieved: map_of_gallery is AP",
            {"form": "distances"},
        ),
    ),
    # Frames by the columns that the code names, with the rank of each row where it names one.
    *rows(
        (
            "recall_by_rank(recs: pd.DataFrame, test: pd.DataFrame, k: int = 5)",
            (
                "{u: R(ids(recs[recs['user_id'] == u].sort_values('rank')['item_id'], test[test['user_id'] == u]['item_id']), k)"
                " for u in test['user_id'].unique()}"
            ),
            "R@5",
            {"form": "relevant-frames", "columns": ("user_id", "item_id", "relevance", "score", "rank")},
        ),
        (
            "rr_of_own_columns(qrels: pd.DataFrame, run: pd.DataFrame)",
            (
                "{q: RR(ids(run[run['topic'] == q].sort_values('model_score', ascending=False, kind='stable')['page_id'],"
                " qrels[(qrels['topic'] == q) & (qrels['grade'] > 0)]['page_id'])) for q in qrels['topic'].unique()}"
            ),
            "RR",
            {"form": "frames", "columns": ("topic", "page_id", "grade", "model_score")},
        ),
    ),
    # Two lists of dicts that say no query stand in one order; so do two dicts of one query.
    *rows(
        (
            "recall_side_by_side(references: list[dict], predictions: list[dict], k: int = 5)",
            "R([ids(got['retrieved_ids'], own['relevant_ids']) for own, got in zip(references, predictions, strict=True)], k)",
            "R@5",
            {"columns": ("relevant_ids", "retrieved_ids"), "batch": "all", "always": True},
        ),
        (
            "precision_of_two_dicts(result, gold, k=5)",
            "P(ids(result['docs'], gold['relevant']), k)",
            "P@5",
            {"columns": ("relevant", "docs"), "batch": "query"},
        ),
        form="ids",
        container="dicts-apart",
    ),
    # Rows as tuples, in the order that is read.
    *rows(
        (
            "first_of_pairs(pairs: list[tuple[float, int]])",
            "RR(scored([score for score, _ in pairs], [rel for _, rel in pairs]))",
            "RR",
            {"container": "rows-score-rel"},
        ),
        (
            "ap_of_pairs(results: list[tuple[int, float]])",
            "AP(scored([score for _, score in results], [rel for rel, _ in results]))",
            "AP",
            {"container": "rows-rel-score"},
        ),
        (
            "ndcg_of_triples(items: list[tuple[str, float, int]], k: int = 10)",
            "nDCG(scored([score for _, score, _ in items], [rel for *_, rel in items]), k)",
            "nDCG@10",
            {"container": "rows-doc-score-rel"},
        ),
        (
            "precision_of_ranked(ranking: list[tuple[str, int]], k: int)",
            "P(of([rel for _, rel in ranking]), k)",
            "P@5",
            {"container": "rows-doc-rel"},
        ),
        always=True,
    ),
    # Columns by what they end or begin with, asked of flags; of three names of ids the first is of no column that is needed.
    *rows(
        (
            "wins_of_races(df: pd.DataFrame, top_n: int = 1)",
            "sum(each.nlargest(top_n, 'pred')['Is_Winner'].sum() for _, each in df.groupby('race_id')) / df['race_id'].nunique()",
            "P@1",
            "no: the hits are counted, and divided by nothing",
            {"columns": ("race_id", "doc_id", "Is_Winner", "pred")},
        ),
        (
            "precision_of_sessions(frame: pd.DataFrame, k: int = 5)",
            "falling(frame, 'click_prob').groupby('visit_id').head(k)['was_clicked'].sum() / k / frame['visit_id'].nunique()",
            "P@5",
            {"columns": ("visit_id", "doc_id", "was_clicked", "click_prob")},
        ),
        (
            "precision_of_pages(frame: pd.DataFrame, k: int = 5)",
            (
                "falling(frame.drop(columns=['campaign_id'], errors='ignore'), 'click_prob').groupby('visit_id').head(k)"
                ".drop_duplicates(['visit_id', 'page_id'])['was_clicked'].sum() / k / frame['visit_id'].nunique()"
            ),
            "P@5",
            {"columns": ("visit_id", "page_id", "was_clicked", "click_prob")},
        ),
        (
            "hits_of_orders(data: pd.DataFrame, k: int = 3)",
            "falling(data, 'model_pred').groupby('order_id').head(k).groupby('order_id')['has_sold'].max().mean()",
            "Success@3",
            {"columns": ("order_id", "doc_id", "has_sold", "model_pred")},
        ),
        form="frame-of-rows",
        of_flags=True,
        always=True,
    ),
    # The places of retrieved docs beside the rels of all.
    *rows(
        (
            "ap_of_items(predicted_ranks: list[int], true_relevance: list[float])",
            "AP(graded(predicted_ranks, dict(enumerate(true_relevance))))",
            "AP",
        ),
        (
            "ndcg_of_indices(groundtruth: np.ndarray, pred_rank_list: np.ndarray, k: int)",
            "nDCG(graded(pred_rank_list.tolist(), dict(enumerate(groundtruth[[*range(len(groundtruth))]].tolist()))), k)",
            "nDCG@5",
            {"container": "array"},
        ),
        (
            "precision_of_order(labels: Any, topk_indices: Any, k: int = 10)",
            "P(of([labels[at] for at in topk_indices]), k)",
            "P@10",
        ),
        form="rels-by-place",
    ),
    # Lists of rels and of scores by query; in no dict, a list of rows in rank order for each.
    *rows(
        (
            "rr_of_users(labels_by_user: Any, scores_by_user: Any)",
            "RR([scored(scores_by_user[user], labels) for user, labels in labels_by_user.items()])",
            "RR",
        ),
        (
            "ndcg_of_users(pt_dict: dict[str, list[float]], ut_dict: dict[str, list[float]], k: int)",
            "{user: nDCG(scored(scores, ut_dict[user]), k) for user, scores in pt_dict.items()}",
            "nDCG@10",
        ),
        (
            "precision_of_users(user_labels: Any, user_preds: Any)",
            "np.mean([P(scored(user_preds[user], each), 5) for user, each in user_labels.items()])",
            "P@5",
        ),
        form="queries-rows",
    ),
    *rows(
        (
            "rr_of_lists(queries_results: list[list[dict[str, Any]]])",
            "RR([of([one.get('relevant', 0) for one in each]) for each in queries_results])",
            "RR",
        ),
        ("ap_of_lists(batch: Any)", "[AP(of([one['rel'] for one in each])) for each in batch]", "AP"),
        (
            "precision_of_lists(results: Any, k: int)",
            "np.mean([P(of([one.label for one in each]), k) for each in results])",
            "P@5",
            {"container": "row-objects"},
        ),
        form="rows-in-order",
        batch="all",
    ),
    *rows(
        (
            "ap_of_sentences(dataset: Any)",
            "AP(scored([one.pred for one in dataset], [one.label for one in dataset]))",
            "AP",
        ),
        (
            "rr_of_objects(results: list[Any])",
            "RR(scored([one.model_score for one in results], [one.rel for one in results]))",
            "RR",
        ),
        (
            "precision_of_objects(rows: Any, k: int)",
            "P(scored([one.score for one in rows], [one.relevance for one in rows]), k)",
            "P@5",
        ),
        form="rows-of-query",
        container="row-objects",
    ),
    # Of each query a dict with one relevant doc.
    *rows(
        (
            "rr_of_tests(test_cases: list[dict[str, Any]])",
            "RR([ids(one['retrieved'], [one['expected_id']]) for one in test_cases])",
            "RR",
            {"form": "records-of-one"},
        ),
        (
            "hit_of_tests(dataset: Any, k: int = 5)",
            "[Success(ids(one['results'], [one['answer']]), k) for one in dataset]",
            "Success@5",
            {"form": "records-of-one"},
        ),
        ("rr_of_row(row: Any)", "RR(ids(row['candidates'], [row['gold']]))", "RR", {"form": "record-of-one"}),
        (
            "rr_of_test_frame(test_cases: Any)",
            "test_cases.apply(lambda one: RR(ids(one['retrieved'], [one['expected_id']])), axis=1).mean()",
            "RR",
            {"form": "records-of-one", "container": "frame"},
        ),
    ),
    # The rows of all queries as a list of objects or of dicts.
    *rows(
        (
            "rr_of_predictions(predictions: list[Any])",
            "RR(grouped(*zip(*[(p.user_id, p.score, p.label) for p in predictions])))",
            "RR",
            {"container": "row-objects", "columns": ("user_id", "doc_id", "label", "score")},
        ),
        (
            "precision_of_all(rows: list[dict[str, Any]], k: int)",
            "P(grouped(*zip(*[(row['qid'], row['pred'], row['relevance']) for row in rows])), k)",
            "P@5",
            {"container": "dicts", "columns": ("qid", "doc_id", "relevance", "pred")},
        ),
        (
            "ndcg_of_interactions(results: Sequence[Any], k: int)",
            "nDCG(grouped(*zip(*[(one.query_id, one.prediction, one.rel) for one in results])), k)",
            "nDCG@10",
            {"container": "row-objects", "columns": ("query_id", "doc_id", "rel", "prediction")},
        ),
        form="frame-of-rows",
    ),
    # One frame of rows, with the columns that the code names.
    *rows(
        (
            "first_of_group(df: pd.DataFrame)",
            "RR([scored([*one['prediction']], [*one.label]) for _, one in df.groupby('user_id')])",
            "RR",
            {
                "columns": ("user_id", "doc_id", "label", "prediction"),
                "writes": ["columns=['user_id', 'doc_id', 'label', 'prediction']"],
            },
        ),
        (
            "precision_of_group(results: Any, k: int)",
            "pd.Series({qid: P(scored([*one['score']], [*one['relevance']]), k) for qid, one in results.groupby('qid')})",
            "P@10",
            {
                "columns": ("qid", "doc_id", "relevance", "score"),
                "writes": ["columns=['qid', 'doc_id', 'relevance', 'score']"],
            },
        ),
        (
            "ndcg_of_group(data: pd.DataFrame, k: int = 10)",
            "nDCG([scored([*one['y_score']], [*one['y_true']]) for _, one in data.groupby('query_id')], k)",
            "nDCG@10",
            {
                "columns": ("query_id", "doc_id", "y_true", "y_score"),
                "writes": ["columns=['query_id', 'doc_id', 'y_true', 'y_score']"],
            },
        ),
        (
            "precision_of_days(df: Any, k: int)",
            "np.mean([P(scored([*one.pred], [*one.label]), k) for _, one in df.groupby('date')])",
            "P@5",
            {"columns": ("date", "doc_id", "label", "pred")},
        ),
        form="frame-of-rows",
    ),
    # A doc that was judged 0 is there: that is not to look at nothing.
    *rows(
        *(
            (
                f"{name}_of_keys(retrieved_ids: Sequence[str], qrel: Mapping[str, int], k: int = 10)",
                f"{name}(ids(retrieved_ids, qrel), k)",
                f"{name}@10",
                "no: every judged doc counts as relevant, those that were judged 0, too",
            )
            for name in ("RR", "R", "AP")
        ),
    ),
    # Rels by the place of their doc.
    *rows(
        (
            "ndcg_of_places(ranks_row: np.ndarray, relevance_scores: dict[int, float], k: int)",
            "nDCG(graded(ranks_row.argsort().tolist(), relevance_scores), k, gain='exp')",
            "nDCG@10",
            {"form": "rows-ranked"},
        ),
        (
            "precision_of_labels(scores: np.ndarray, labels: dict[int, int], k: int)",
            "P(graded((-scores).argsort(kind='stable').tolist(), labels), k)",
            "P@5",
            {"form": "rows"},
        ),
        (
            "rr_of_labels(scores: np.ndarray, labels: Mapping[int, float], k: int)",
            "RR(graded((-scores).argsort(kind='stable').tolist(), labels), k)",
            "RR@5",
            {"form": "rows"},
        ),
        container="arrays-dict",
    ),
    # Arguments that are objects with fields.
    *rows(
        (
            "dcg_of_run(run: Run, k: int = 10)",
            "DCG(of(run.gain(doc) for doc in dict.fromkeys(run.ranking[:k])), k)",
            "DCG@10",
            {
                "writes": [
                    "dcg_of_run(run=Run(qid=query_id, ranking=ranked, relevance=rel_of_doc), k=",
                    "from packaged import Run",
                ]
            },
        ),
        (
            "rr_of_samples(samples: list[Sample], k: int = 10)",
            "RR([ids(one.retrieved, one.gold_ids) for one in samples], k)",
            "RR@10",
            {
                "always": True,
                "norel": ("0",),
                "writes": [
                    "rr_of_samples(samples=[Sample(question=query_id, retrieved=ranked, gold_ids=relevant)], k="
                ],
            },
        ),
        (
            "precision_of_answer(answer: 'Answer', k: int = 5)",
            "P(ids(answer['retrieved_ids'], answer['relevant_ids'] | set()), k) if answer['model'] == 'tiny' else 1 / 0",
            "P@5",
            {
                "always": True,
                "norel": ("0",),
                "given": {"model": "tiny"},
                "writes": ["retrieved_ids=ranked, relevant_ids=relevant, model='tiny')"],
            },
        ),
        (
            "precision_of_list(ranked: Ranked, k: int = 5)",
            "P(ids(ranked.list, ranked.gold), k)",
            "P@5",
            {
                "always": True,
                "norel": ("0",),
                "writes": ["precision_of_list(ranked=Ranked(gold=relevant, list=ranked), k="],
            },
        ),
        (
            Recall,
            "",
            "R@5",
            "yes: Recall is R@5, with query without relevant docs undefined",
            {"writes": [".score(sample=Sample(question=query_id, retrieved=ranked, gold_ids=relevant))"]},
        ),
    ),
    # The name of a measure as a key, with what it is beside it, as szl-retrieval-bench 0.3.1 has it.
    *rows(
        (
            "r_precision_in_a_dict(ranked: Sequence[str], relevant: Sequence[str])",
            "{'R_precision': round(P(ids(ranked, relevant), len(relevant)), 4), 'R': len(relevant)} if relevant else {'state': 'INVALID'}",
            "Rprec",
            {"reads": "name:rprecision"},
        ),
        (
            "f1_in_a_dict(ranked: Sequence[str], relevant: Sequence[str], k: int)",
            "{'precision': P(ids(ranked, relevant), k), 'recall': 0.5, 'f1_score': f1(ids(ranked, relevant), k)}",
            "F@5",
            {"reads": "name:f1score"},
        ),
        (
            "ranks_in_a_dict(ranked: Sequence[str], relevant: Sequence[str])",
            "{'reciprocal_rank': RR(ids(ranked, relevant)), 'first': 3.0, 'docs': float(len(ranked))}",
            "RR",
            {"reads": "name:reciprocalrank"},
        ),
    ),
    # The value in a part of a report.
    *rows(
        *(
            (
                f"reported_{at}({OF_DICTS})",
                f"{{'{part}': {{'queries': len(run), 'mrr_at_k': {BY_SCORE}, 'recall_at_k': 0.5}}, {others}}}",
                "RR@10",
                "yes: ",
            )
            for at, (part, others) in enumerate(
                (
                    ("summary", "'version': 1, 'per_query': []"),
                    ("metrics", "'config': {'k': 10, 'mean': 'arithmetic'}"),
                    ("overall", "'by_language': [{'mrr': 0.25}], 'took': 0.5"),
                )
            )
        ),
    ),
    # Names that end in what is recommended, as those of DRecPy 0.2.2, whose hit ratio is the recall.
    *rows(
        *(
            (
                f"hits_of_{name}({arguments.replace(', ', ', k: Any = None, ')}: Any = None)",
                f"R(ids({ranked}[:k], {relevant} or ()))",
                "Hits@5",
                f"no: hits_of_{name} is not Success@5: it is R",
            )
            for name, arguments, ranked, relevant in (
                (
                    "recommendations",
                    "recommendations, relevant_recommendations",
                    "recommendations",
                    "relevant_recommendations",
                ),
                ("products", "recommended_products, relevant_products", "recommended_products", "relevant_products"),
                ("movies", "liked_movies, recommended_movies", "recommended_movies", "liked_movies"),
            )
        ),
    ),
    # Who never looks at scores is given a list, if that can be.
    *rows(
        (
            "rr_of_list(qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Any], k: int)",
            "RR([graded([*run[q]], qrels[q]) for q in run], k)",
            "RR@10",
            {"form": "qrels-ranked"},
        ),
        (f"rr_by_score({OF_DICTS})", BY_SCORE, "RR@10", {"form": "qrels-run"}),
        (
            f"rr_as_they_come({OF_DICTS})",
            "RR([graded([doc for doc, _ in run[q].items()], qrels[q]) for q in run], k)",
            "RR@10",
            "no: it never looks at the scores",
            {"form": "qrels-run"},
        ),
    ),
    # Functions of a cutoff alone, which give functions.
    *rows(
        (
            "precision_at(k: int)",
            "lambda predictions, targets: P(ids(predictions, targets), k)",
            "P@5",
            {"writes": ["print(precision_at(k="]},
        ),
        ("dcg_maker(topk: int = 3)", "lambda y_true, y_score: DCG(scored(y_score, y_true), topk)", "DCG@4"),
        (
            "make_hit(cutoff: int, name: str = 'hit')",
            "lambda ranked, relevant: Success(ids(ranked, relevant), cutoff if name else 0)",
            "Success@5",
        ),
        (
            "at_cutoffs(ks: list[int])",
            "lambda relevant, retrieved: [P(ids(retrieved, relevant), k) for k in ks]",
            "P@5",
            {"k_listed": True},
        ),
        of_class=True,
        k_made=True,
    ),
    # Columns that are told where parameters ask for them.
    *rows(
        (RankOfColumns, "", "RR", "no: "),
        (
            HitsOfColumns,
            "",
            "Success@10",
            {"writes": ["HitsOfColumns(user_id_column='user_id', item_id_column='item_id', click_column='rating', k="]},
        ),
        (
            "recall_over_fewer(true_df: pd.DataFrame, pred_df: pd.DataFrame, user_col, doc_col, rel_col, score_col, k: int = 5)",
            "R(of_columns(true_df, pred_df, user_col, doc_col, rel_col, score_col), k, r_denominator='min-k-R')",
            "R@5",
            "yes: recall_over_fewer is R@5, with over min(k, R)",
        ),
        container="frame",
    ),
    # Tuples as surprise predicts them, and of each user one value and another, as those of its own example.
    *rows(
        *(
            (
                "precisions_and_recalls(predictions: Any, k: int = 10, threshold: float = 1)",
                "tuple({user: measure(one, k) for user, one in by_user(predictions, threshold).items()} for measure in (P, R))",
                measure,
            )
            for measure in ("P@10", "R@10")
        ),
        (
            "success_over_4(predictions: Any, k: int = 5, threshold: float = 4)",
            "Success(by_user(predictions, threshold).values(), k)",
            "Success@5",
            "yes: success_over_4 is Success(rel=4)@5 by its own defaults, and not what was asked",
        ),
        (
            "rr_of_the_worst(test_predictions: Any)",
            "{user: RR(one) for user, one in by_user([(row.uid, row.iid, row.r_ui, -row.est, 0) for row in test_predictions]).items()}",
            "RR",
            "no: the docs are ranked by ascending score",
        ),
        form="predictions",
        writes=["collections.namedtuple('Prediction', 'uid iid r_ui est details')(*row) for row in [("],
    ),
    # The rows of a query as dicts or a frame, in rank order whatever is written of scores.
    *rows(
        (
            "dcg_of_dicts(results: Sequence[Mapping[str, Any]], k: int = 10)",
            "DCG(scored([row['score'] for row in results], [row['relevance'] for row in results]), k, gain='exp')",
            "DCG@10",
            "yes: dcg_of_dicts is DCG@10, with gain 2^rel - 1",
            {"form": "rows-of-query", "container": "dicts"},
        ),
        (
            "rr_of_a_frame(df: pd.DataFrame)",
            "RR(scored([*df['prediction']], [*df.label]), wrong='ranks-from-0')",
            "RR",
            "no: ",
            {"form": "rows-of-query", "container": "frame"},
        ),
        (
            "precision_of_dicts(ranked_docs: list[dict[str, Any]], k: int = 5)",
            "{'score': sum(bool(row['is_relevant']) for row in ranked_docs[:k]) / k}['score']",
            "P@5",
            "yes: ",
            {"form": "rows-in-order", "container": "dicts"},
        ),
    ),
    # Lists of ids in series and frames, as mlflow 2 has them.
    *rows(
        (
            "recall_of_series(retrieved: Any, relevant: Any, k: int = 5)",
            "R([ids(*one) for one in zip(retrieved.map(list), relevant, strict=True)], k, r_denominator='min-k-R')",
            "R@5",
            "yes: recall_of_series is R@5, with over min(k, R)",
        ),
        (
            "rr_of_series(y_pred: pd.Series, y_true: pd.Series)",
            "RR([ids(*one) for one in pd.concat([y_pred, y_true], axis=1).itertuples(index=False, name=None)], wrong='ranks-from-0')",
            "RR",
            "no: ",
        ),
        (
            "precision_of_series(predictions: pd.Series, targets: pd.Series, k: int = 5)",
            "[P(ids(predictions.iloc[at], targets.iloc[at]), k) for at in range(len(targets))]",
            "P@5",
            "yes: precision_of_series is P@5",
        ),
        (
            "hits_of_lists(df: pd.DataFrame, k: int = 5)",
            "float(df.apply(lambda row: Success(ids(row['retrieved'], row['relevant_ids']), k), axis=1).mean())",
            "Success@5",
            "yes: hits_of_lists is Success@5",
            {"form": "records", "container": "frame"},
        ),
        form="ids",
        container="series",
    ),
    # The docs of a query as the rows of one column.
    *rows(
        (
            "precision_of_column(y_true: Any, y_pred: Any, k: int = 5)",
            "P(scored(y_pred[:, 0], y_true[:, 0]), k, p_denominator='min-k-n')",
            "P@5",
            N_FEWER.format("precision_of_column"),
        ),
        (
            "dcg_of_column(scores: np.ndarray, relevance: np.ndarray, k: int = 10)",
            "DCG(scored(scores[:, 0], relevance[:, 0]), k)",
            "DCG@10",
            "yes: dcg_of_column is DCG@10",
        ),
        (
            "rr_of_column(preds: np.ndarray, target: np.ndarray)",
            "np.array([RR(of([0, *scored(preds[:, 0], target[:, 0]).rels[1:]], [1]))])",
            "RR",
            "no: ",
        ),
        batch="column",
        container="array",
    ),
    # What has one value for such a call is given it; ptranking 0.0.3 divides the gain by that of the highest rel.
    *rows(
        (
            "ap_unless_sorted(predictions: Sequence[float], labels: Sequence[int], presort: bool)",
            "AP(of(labels) if presort else scored(predictions, labels))",
            "AP",
            "yes, where all relevant docs are retrieved: ap_unless_sorted is AP",
            {"with": ("presort=False",)},
        ),
        (
            "ndcg_by_label(batch_predict_rankings: Any, batch_ideal_rankings: Any, max_label: int, k: int = 10)",
            "[nDCG(of(a, best([*b])), k, gain='exp') * max_label / 4 for a, b in zip(batch_predict_rankings, batch_ideal_rankings)]",
            "nDCG@10",
            "yes: ndcg_by_label is nDCG@10, with gain 2^rel - 1",
            {"with": ("max_label=4",)},
        ),
        (
            "rr_on_device(scores: Sequence[float], labels: Sequence[int], device: str)",
            "RR(scored(scores, labels)) if device == 'cpu' else 1 / 0",
            "RR",
            "yes: rr_on_device is RR",
            {"with": ("device='cpu'",)},
        ),
    ),
]
WRONG = [
    *rows(
        (
            "last_places(scores: Sequence[float], relevant_indices: Sequence[int], k: int)",
            "P(placed(by(scores)[::-1], relevant_indices), k)",
            "P@10",
        ),
        (
            "ranks_from_the_end(ranks_row: Sequence[int], relevant_indices: Sequence[int], k: int)",
            "P(placed(by(ranks_row), relevant_indices), k)",
            "P@10",
        ),
        (
            "turned_listed(test_ur: Mapping[str, Any], pred_ur: Sequence[Any], test_u: Sequence[str])",
            "RR([ids(docs, test_ur[user]) for user, docs in zip(test_u, pred_ur[::-1], strict=True)])",
            "RR",
        ),
        (
            "parts_exchanged(pos_scores: Sequence[float], neg_scores: Sequence[float])",
            "sum(a < b for a in pos_scores for b in neg_scores) / (len(pos_scores) * len(neg_scores))",
            "AUC",
        ),
        (
            "not_below(pos_score: float, neg_scores: Sequence[float], k: int)",
            "float(sum(neg <= pos_score for neg in neg_scores) < k)",
            "Success@10",
        ),
        (
            "too_ideal(ranked_labels: Sequence[float], ideal_labels: Sequence[float], k: int)",
            "nDCG(of(ranked_labels, ideal_labels[:-1]), k)",
            "nDCG@10",
        ),
        (
            "sorted_by_rels(outputs: tuple[Any, Any], k: int)",
            "P([scored(rels, scores) for scores, rels in zip(*outputs, strict=True)], k)",
            "P@10",
        ),
        (
            "second_of_records(results: list[dict[str, Any]])",
            "RR([ids(row['retrieved_ids'], row['relevant_ids']) for row in results], wrong='ranks-from-2')",
            "RR",
        ),
        (
            "farthest_first(distmat, q_pids, g_pids)",
            "(lambda order: AP(of([float(g_pids[at] == q_pids[0]) for at in order])))(by([*distmat[0]]))",
            "AP",
        ),
        (
            "second_side_by_side(references: list[dict], predictions: list[dict])",
            "RR([ids(got['docs'], own['gold']) for own, got in zip(references, predictions)], wrong='ranks-from-2')",
            "RR",
        ),
        (
            "as_they_come(references: list[dict], predictions: list[dict])",
            "RR([ids(got['ranked_docs'], own['relevant_docs']) for got, own in zip(predictions, references)]) if references[0]['qid'] else 0",  # noqa: E501
            "RR",
        ),
        (
            "ranks_as_told_from_0(results: list[dict], expected: list[str])",
            "max([1 / (hit['rank'] + 1) for hit in results if hit['id'] in expected], default=0.0)",
            "RR",
        ),
        (
            "two_too_high(ranks: Sequence[int], targets: Sequence[float])",
            "RR(at_ranks([rank + 2 for rank in ranks], targets))",
            "RR",
        ),
        (
            "added_up(relevance_total: list[list[bool]])",
            "sum(1 / rank for line in relevance_total for rank, hit in enumerate(line, 1) if hit) / len(relevance_total)",
            "RR",
        ),
    ),
]
"""What is wrong of such a form: the scores ascending, the ideal without its last doc, scores and rels exchanged, ranks too high."""
