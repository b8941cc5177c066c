"""The names that arguments go by, as people write them."""

import re

TRUE = frozenset(
    {
        "y_true",
        "true",
        "truth",
        "ground_truth",
        "y_trues",
        "target",
        "targets",
        "label",
        "labels",
        "relevance",
        "relevances",
        "true_relevance",
        "rels",
        "rel",
        "gold",
        "actual",
        "y",
        "trues",
        "y_test",
        "true_relevances",
        "grades",
        "t",
        "positive_pairs",
        "pos_pairs",
        "positive",
        "gt_pos",
        "heldout_batch",
        "heldout",
        "r_held",
        "relevance_scores",
        "relevancies",
    }
)
SCORE = frozenset(
    {
        "y_score",
        "predt",
        "y_scores",
        "score",
        "scores",
        "pred",
        "preds",
        "prediction",
        "predictions",
        "predicted",
        "y_pred",
        "y_preds",
        "y_hat",
        "input",
        "output",
        "outputs",
        "logits",
        "yhat",
        "y_prob",
        "probs",
        "pred_scores",
        "predicted_scores",
        "x_pred",
        "r_hat",
        "pred_matrix",
    }
)
INDEXES = frozenset(
    {
        "indexes",
        "indices",
        "index",
        "groups",
        "group",
        "query_ids",
        "qids",
        "queries",
        "qid",
        "group_ids",
        "users",
        "user_ids",
        "uids",
        "user_indices",
        "user_index",
        "user_idx",
        "query_indices",
        "query_index",
        "query_idx",
        "group_index",
        "group_idx",
        "session_ids",
        "impression_ids",
        "source_id",
        "source_ids",
        "question_ids",
        "topic_ids",
        "topics",
        "request_ids",
    }
)
RANKED_RELS = frozenset(
    {
        "ranked_rels",
        "rels",
        "relevances",
        "r",
        "ranked",
        "ranked_relevances",
        "relevance",
        "relevance_scores",
        "gains",
        "labels",
        "hits",
        "rank",
        "ranking",
        "rs",
        "rel",
        "scores",
        "y",
        "x",
        "flags",
        "hit_list",
        "grades",
        "is_relevant",
        "gt_tops",
        "pos_index",
        "hit_matrix",
        "gain",
        "rankings",
        "binary_hits",
        "relevant_flags",
        "rel_flags",
        "relevance_total",
        "predict_rankings",
        "predicted_rankings",
        "is_hit",
        "sorted_labels",
        "sorted_rels",
        "sorted_relevances",
        "sys_sorted_labels",
        "relevancies",
        "binary_relevance",
        "binary_relevances",
    }
)
N_DOCS = frozenset(
    {
        "n",
        "num_docs",
        "doc_counts",
        "list_size",
        "list_sizes",
        "lengths",
        "lens",
        "seq_lens",
        "num_items",
        "slate_lengths",
    }
)
TARGET_INDEX = frozenset(
    {
        "target",
        "targets",
        "label",
        "labels",
        "target_index",
        "target_idx",
        "gold_index",
        "gold_idx",
        "pos_index",
        "pos_idx",
        "true_index",
        "positive_index",
        "label_index",
        "correct_index",
        "answer_index",
        "ground_truth",
        "ground_truths",
        "gt",
        "gts",
        "correct",
        "answers",
    }
)
JUDGED_RELS = frozenset(
    {
        "all_rels",
        "judged_rels",
        "all_relevances",
        "ideal_rels",
        "ideal",
        "all_gains",
        "true_rels",
        "all_labels",
        "ideal_relevances",
        "ideal_ranking",
        "judgments",
        "gold_rels",
    }
)
IDEAL_RELS = frozenset(
    {
        "ideal_rels",
        "ideal_relevances",
        "ideal_gains",
        "ideal_ranking",
        "ideal",
        "ideal_sorted_labels",
        "ideal_sorted_rels",
        "best_rels",
        "best_ranking",
        "sorted_ideal",
        "ideal_order",
        "ideal_rankings",
        "ideal_gain",
        "ideal_rel",
        "ideal_label",
        "ideal_relevance",
        "ideal_relevancies",
        "ideal_scores",
    }
)
RELEVANT_PLACES = frozenset(
    {
        "relevant_indices",
        "relevant_idx",
        "relevant_index",
        "relevant_idxs",
        "relevant_places",
        "positive_indices",
        "positive_idx",
        "pos_indices",
        "pos_idxs",
        "gold_indices",
        "true_indices",
        "gt_indices",
        "target_indices",
        "correct_indices",
        "hit_indices",
        "pos_label_idxs",
        "pos_label_indices",
        "positive_idxs",
        "true_idxs",
        "gold_idxs",
        "gt_idxs",
        "relevant_positions",
        "ground_truth",
        "ground_truths",
        "gt",
        "gts",
        "pos_items",
        "positive_items",
        "test_items",
    }
)
_OF_SCORES = (
    *(
        f"{{}}{of}_{what}{s}"
        for of in ("", "_item", "_doc", "_edge")
        for what in ("score", "pred", "logit", "sim")
        for s in ("", "s")
    ),
    "{}_out",
    "y_pred_{}",
    "preds_{}",
    "scores_{}",
    "score_{}",
)
RELEVANT_SCORES, OTHER_SCORES = (
    frozenset({*bare, *(like.format(name) for name in stems for like in _OF_SCORES)})
    for bare, stems in (
        (("pos", "positive", "positives"), ("pos", "positive", "relevant", "target", "true", "gold")),
        (
            ("neg", "negative", "negatives"),
            ("neg", "negative", "irrelevant", "other", "candidate", "false", "distractor"),
        ),
    )
)
"""What takes the scores of relevant docs, and of the others beside them."""
RANK_OF_DOC = frozenset(
    {
        "doc_ranks",
        "item_ranks",
        "ranks",
        "ranks_row",
        "rank_row",
        "rank_of_doc",
        "rank_by_doc",
        "candidate_ranks",
        "predicted_ranks",
        "recommendation_ranks",
    }
)
RANKED_PLACES = frozenset(
    {
        "indices",
        "order",
        "ranked_indices",
        "pred_indices",
        "predicted_indices",
        "topk_indices",
        "top_k_indices",
        "top_indices",
        "sorted_indices",
        "rec_indices",
        "recommended_indices",
        "retrieved_indices",
        "ranked_idx",
        "topk_idx",
        "sorted_idx",
        "pred_rank_list",
        "predicted_ranks",
        "ranking_indices",
        "pred_ranking",
    }
)
"""What takes the places of docs in rank order, beside a list of rels."""
_BY_QUERY = ("{}_by_user", "{}_by_query", "{}_by_group", "user_{}")
RELS_BY_QUERY = frozenset({"ut_dict", *(like.format(name) for name in TRUE for like in _BY_QUERY)})
SCORES_BY_QUERY = frozenset({"pt_dict", "up_dict", *(like.format(name) for name in SCORE for like in _BY_QUERY)})
"""What takes lists of rels, and of scores, by query."""
QUERIES_LISTED = frozenset(
    {
        "users",
        "user_ids",
        "uids",
        "user_list",
        "test_users",
        "test_u",
        "queries",
        "query_ids",
        "qids",
        "query_list",
    }
)
SCORES_WITH_RELS = frozenset(
    {
        "output",
        "outputs",
        "y_pred_y",
        "pred_and_true",
        "preds_and_target",
        "prediction_and_target",
        "eval_pred",
        "eval_preds",
        "eval_prediction",
        "p",
        "pred",
    }
)
APPROXES = frozenset({"approxes"})
DATASETS = frozenset(
    {
        "train_data",
        "dtrain",
        "data",
        "eval_data",
        "dataset",
        "dmat",
        "dmatrix",
        "dval",
        "dvalid",
        "dtest",
        "valid_data",
        "train_set",
        "eval_dataset",
        "train_dataset",
        "lgb_train",
        "lgb_data",
    }
)
"""What gradient boosting hands to a metric of one's own: scores as CatBoost does, and rels as LightGBM and XGBoost do."""
N_RELEVANT = frozenset(
    {
        "n_relevant",
        "num_relevant",
        "total",
        "total_relevant",
        "all_pos_num",
        "n_rel",
        "num_rel",
        "n_pos",
        "num_pos",
        "pos_len",
        "r_total",
        "relevant_count",
        "n_positives",
        "num_positives",
        "total_rel",
        "total_positives",
        "nb_relevant",
        "number_of_relevant",
        "npos",
        "relevant_total",
        "nres",
        "n_gts",
        "n_gt",
        "num_gts",
        "num_gt",
        "n_ground_truths",
        "n_rels",
        "num_rels",
        "all_relevant",
        "positives",
    }
)
RELEVANT = frozenset(
    {
        "actual",
        "relevant",
        "ground_truth",
        "truth",
        "true",
        "y_true",
        "target",
        "targets",
        "gold",
        "golden",
        "expected",
        "labels",
        "positives",
        "test_items",
        "gt",
        "golds",
        "gts",
        "correct",
        "test_set",
        "test_data",
        "positive_items",
        "ground_truths",
        "groundtruth",
        "actuals",
        "relevants",
        "references",
        "reference",
        "gt_pos",
        "pos",
        "bought",
        "purchased",
        "clicked",
        "clicks",
        "liked",
        "answers",
        "held_out",
        "holdout",
        "test_ur",
        "y_test",
    }
)
RANKED = frozenset(
    {
        "predicted",
        "retrieved",
        "recommended",
        "recommendations",
        "recs",
        "ranked",
        "ranking",
        "results",
        "predictions",
        "pred",
        "preds",
        "y_pred",
        "top_items",
        "candidates",
        "ranklist",
        "rank_list",
        "rec_list",
        "recommend_list",
        "hypotheses",
        "docs",
        "doc_ids",
        "returned",
        "result",
        "top_docs",
        "search_results",
        "run",
        "rankings",
        "recommendation",
        "got",
        "pd_rank",
        "rec_items",
        "reco",
        "recos",
        "pred_ur",
        "contexts",
        "topk",
        "top_k",
        "top_n",
        "topn",
        "impressions",
        "shown",
        "displayed",
    }
)
_NAMES_OF_FILES = ("filename", "file_name", "fname")
FILES_TO_BE_FOUND = frozenset(
    {
        *(
            f"{which}_{name}"
            for which in ("gold", "golden", "ground_truth", "gt", "answer", "right", "true")
            for name in _NAMES_OF_FILES
        ),
        *(
            f"{which}_{name}"
            for which in ("expected", "target", "correct", "relevant", "matching")
            for name in (*_NAMES_OF_FILES, "file", "path", "filepath", "file_path")
        ),
    }
)
"""What takes the name of the file that is to be found, where no other parameter takes a path; of two such, each is a file of data."""
ONE_RELEVANT = FILES_TO_BE_FOUND | frozenset(
    {
        "gtitem",
        "target",
        "relevant_doc",
        "positive",
        "pos_item",
        "true_item",
        "answer",
        "correct_id",
        "relevant_id",
        "expected",
        "ground_truth",
        "gt",
        "label",
        "truth",
        "gold",
        "test_item",
        "held_out_item",
    }
)
REL_OF_DOC = frozenset(
    {
        "rels",
        "relevance",
        "relevances",
        "qrels",
        "qrel",
        "judgments",
        "judgements",
        "grades",
        "rel_of_doc",
        "gains",
        "relevance_scores",
        "relevant",
        "gold",
        "labels",
        "ground_truth",
        "relevance_by_id",
        "gold_rels",
        "true_relevance",
        "doc_relevance",
        "rel",
        "ratings",
        "relevancies",
    }
)
SCORE_OF_DOC = frozenset(
    {
        "scores",
        "run",
        "results",
        "predictions",
        "pred",
        "retrieved",
        "score_of_doc",
        "doc_scores",
        "ranking",
        "score_dict",
        "predicted",
    }
)
QRELS = frozenset(
    {
        "qrels",
        "qrel",
        "judgments",
        "judgements",
        "ground_truth",
        "gold",
        "relevance",
        "labels",
        "truth",
        "reference",
        "rel_docs",
        "relevant_docs",
    }
)
RUN = frozenset(
    {
        "run",
        "runs",
        "results",
        "ranking",
        "rankings",
        "retrieved",
        "predictions",
        "scores",
        "system",
        "pred",
    }
)
_FILES_OF = (
    "{}_file",
    "{}_path",
    "{}file",
    "{}path",
    "{}_filename",
    "{}_filepath",
    "{}_file_path",
    "{}_fname",
    "{}_tsv",
    "{}_txt",
    "{}_csv",
    "{}_jsonl",
    "path_to_{}",
)
QRELS_FILE, RUN_FILE = (
    frozenset(like.format(name) for name in stems for like in _FILES_OF)
    for stems in (QRELS | RELEVANT, RUN | RANKED | {"candidate", "submission", "prediction", "output", "sys"})
)
"""What takes the path of a file of qrels, and of a run."""
_SOME_FILE = re.compile(
    r"(\w+_)?(file|path|filename|filepath|fname)|\w+_(csv|tsv|txt|jsonl|parquet|pickle|pkl)|path_to_\w+"
)
FRAME_TRUE = frozenset(
    {
        "rating_true",
        "df_true",
        "true_df",
        "qrels",
        "test",
        "df_test",
        "ratings_true",
        "truth",
        "ground_truth",
        "interactions",
        "y_true",
        "actual",
        "labels",
        "relevance",
    }
)
FRAME_PRED = frozenset(
    {
        "rating_pred",
        "df_pred",
        "run",
        "recs",
        "recommendations",
        "predictions",
        "pred",
        "results",
        "ratings_pred",
        "y_pred",
        "predicted",
        "scores",
        "topk",
        "reco",
    }
)
FRAME_ROWS = frozenset(
    {
        "df",
        "data",
        "frame",
        "dataframe",
        "rows",
        "table",
        "results",
        "predictions",
        "preds_df",
        "eval_df",
        "evaluation_df",
        "test_df",
        "pred_df",
        "scores_df",
        "data_frame",
    }
)
PREDICTIONS = frozenset(
    {"predictions", "prediction", "preds", "pred", "test_predictions", "all_predictions", "results", "ratings"}
)
COLUMNS_OF_ROWS = (
    INDEXES
    | {
        "user",
        "query",
        "user_id",
        "userid",
        "query_id",
        "group_id",
        "session_id",
        "impression_id",
        "customer_id",
        "request_id",
        "search_id",
        "srch_id",
        "topic",
        "date",
        "day",
        "datetime",
        "timestamp",
        "session",
        "impression",
        "customer",
    },
    frozenset(
        {
            "item_id",
            "itemid",
            "doc_id",
            "docno",
            "docid",
            "item",
            "doc",
            "movieid",
            "product_id",
            "article_id",
            "passage_id",
            "corpus_id",
            "pid",
            "iid",
        }
    ),
    TRUE | {"rating", "clicked", "click", "purchased", "is_relevant", "relevant", "ground_truth", "gain", "grade"},
    SCORE | {"y_pred_proba", "proba", "probability", "model_score", "pred_score"},
)
"""What columns of a frame of rows are called in lower case: of the query, the doc, the rel and the score."""
COLUMNS_LIKE = (r"\w+_id", r"\w+_id", r"(is|was|has)_\w+", r"\w+_(score|pred|prob|probability)")
"""What those of which none is called so may be called."""
OF_THE_REL, OF_THE_SCORE = 2, 3
"""The places of these among the columns."""


def is_called_a_file(parameter: str) -> bool:
    """Whether a parameter takes the path of a file by its name: no list, and no number, which would open what has that number."""
    low = parameter.lower()
    return low in QRELS_FILE or low in RUN_FILE or _SOME_FILE.fullmatch(low) is not None


def is_called_a_flag(column: str) -> bool:
    """Whether the name of a column of rels says that these are true or false."""
    return re.fullmatch(COLUMNS_LIKE[OF_THE_REL], column.lower()) is not None


def is_key_of_a_score(text: str) -> bool:
    """Whether a key of a dict, or a column, holds a score."""
    name = text.lower()
    return name in COLUMNS_OF_ROWS[OF_THE_SCORE] or re.fullmatch(COLUMNS_LIKE[OF_THE_SCORE], name) is not None


def is_key_of_a_rank(text: str) -> bool:
    """Whether a key of a dict holds the rank of a doc."""
    return text.lower() in RANKS_OF_DOCS


RELS_SEEN = frozenset(
    {"train", "train_csr", "train_data", "train_interactions", "train_user_items", "seen", "mask_train"}
)
"""What takes the rels of training, whose docs are no more recommended: there are none."""
RELS_TESTED = TRUE | {"test", "test_csr", "test_data", "test_interactions", "test_user_items", "held_out"}
"""The rels that are asked for beside those."""
ROWS_OF_QUERIES = frozenset({"user_ids", "users", "user_indices", "user_idx", "rows", "row_ids", "uids"})
"""What takes the rows of a matrix of rels that stand in one of scores."""
GROUP_SIZES = frozenset(
    {"group", "groups", "group_sizes", "query_lens", "sizes", "group_counts", "qgroups", "query_groups"}
)
RANKS = frozenset({"ranks", "positions", "rank_list", "gold_ranks", "target_ranks", "ranking"})
PLACES = frozenset(
    {"places", "positions", "hit_positions", "gold_positions", "target_positions", "indices", "hit_indices"}
)
RANK = frozenset(
    {
        "rank",
        "position",
        "pos",
        "first_rank",
        "gold_rank",
        "hit_rank",
        "rank_of_relevant",
        "relevant_rank",
        "first_relevant_rank",
        "rank_of_first",
        "target_rank",
        "hit_position",
    }
)
POSITION = frozenset(
    {"position", "pos", "hit_position", "index", "idx", "hit_index", "first_index", "gold_index", "hit_pos"}
)
PAIRS = frozenset(
    {
        "pairs",
        "results",
        "queries",
        "examples",
        "samples",
        "data",
        "cases",
        "records",
        "evaluations",
        "eval_results",
        "eval_set",
        "items",
        "batch",
        "rankings",
    }
)
RECORDS = (
    PAIRS
    | FRAME_ROWS
    | frozenset(
        {
            "rows",
            "dataset",
            "test_cases",
            "eval_data",
            "test_data",
            "test_set",
            "questions",
            "entries",
            "logs",
            "test_queries",
            "eval_queries",
        }
    )
)
RECORD = frozenset(
    {"record", "row", "sample", "example", "item", "case", "entry", "result", "test_case", "query_result"}
)
SIMILARITIES = frozenset(
    {
        "similarities",
        "similarity",
        "sim",
        "sims",
        "cosine_scores",
        "cos_sim",
        "cos_scores",
        "score_matrix",
        "scores_matrix",
        "dot_scores",
        "sim_scores",
        "similarity_scores",
    }
)
DISTANCES = frozenset({"distmat", "dist_mat", "dist", "distances", "distance_matrix", "dist_matrix", "dists"})
LABELS_OF_QUERIES = frozenset(
    {"q_pids", "query_labels", "query_ids", "q_ids", "query_pids", "qids", "probe_ids", "q_labels"}
)
LABELS_OF_DOCS = frozenset({"g_pids", "gallery_labels", "gallery_ids", "g_ids", "gallery_pids", "gids", "g_labels"})
"""What takes distances, and the labels of the queries and of the docs, as the retrieval of images has them."""
LABELS_TRUE = frozenset({"labels_true", "true", "y_true", "classes", "truth", "target"})
LABELS_PRED = frozenset({"labels_pred", "pred", "y_pred", "clusters", "predicted", "preds"})

SUFFIXES = (
    "_list",
    "_lists",
    "_set",
    "_sets",
    "_ids",
    "_id",
    "_items",
    "_item",
    "_docs",
    "_doc",
    "_documents",
    "_passages",
    "_chunks",
    "_contexts",
    "_nodes",
    "_arr",
    "_array",
    "_tensor",
    "_k",
    "_dict",
    "_map",
    "_df",
    "_labels",
    "_batch",
    "_vector",
    "_vec",
    "_matrix",
    "_mat",
    "_mask",
    "_chunk",
    "_context",
    "_passage",
    "_document",
    "_sources",
    "_pages",
    "_titles",
    "_urls",
    "_recommendations",
    "_recommendation",
    "_recs",
    "_results",
    "_products",
    "_movies",
    "_uid",
    "_uids",
    "_files",
    "_filenames",
    "_file_names",
    "_paths",
    "_filepaths",
    "_file_paths",
)
"""What a known name may end in: of what an end makes of another name, only that other one stands in a set that is read so."""
ENDS_OF_DICTS = ("_dict", "_map")
"""The same of what is a dict."""
K_LISTS = ("k_values", "ks", "ns", "k_list", "cutoffs", "top_ks", "ats", "topks", "kvals", "k_vals")
"""Parameters that take several cutoffs."""
K = (
    "k",
    "top_k",
    "topk",
    "at_k",
    "at",
    "cutoff",
    "cut_off",
    "cut",
    "n",
    "p",
    "k_max",
    "rank",
    "depth",
    "max_k",
    "top_n",
    "topn",
    "limit",
    "kk",
    "cutoff_k",
    "size",
    "count",
    *K_LISTS,
)
THRESHOLDS = frozenset(
    {
        "threshold",
        "rel_threshold",
        "relevance_threshold",
        "rel_thresh",
        "thresh",
        "min_rel",
        "min_relevance",
        "relevance_level",
        "rel_level",
        "min_rating",
        "rating_threshold",
        "relevant_threshold",
        "pos_threshold",
        "binary_threshold",
        "th",
        "min_grade",
        "relevance_cutoff",
    }
)
"""Parameters that say from which rel on a doc is relevant."""
RELS = frozenset({"rel", "relevance", "grade"})
"""The same, where their default is a number."""
QUERY_IDS = frozenset({"qid", "query_id", "q_id", "question_id", "user_id", "uid", "topic_id"})
"""Parameters that take the id of the query of the call."""
DOC_KEYS = re.compile(
    r"_?id|uid|pid|item|docno|(doc|document|chunk|passage|corpus|item|node|product|page|article|paper|file)_?(u?id|key)"
)
"""Keys of a retrieved doc that is a dict, in small letters, that hold its id."""
_SOME_ID = re.compile(r"[a-z]+_id")
FILES_OF_DOCS = frozenset({"filename", "file_name", "filepath", "file_path", "url"})
NAMES_OF_DOCS = FILES_OF_DOCS | frozenset({"path", "uri", "link", "title", "source", "name"})
"""Attributes and keys of such a doc that say which it is, where none is called as an id; much else has a name or a path."""
RANKS_OF_DOCS = frozenset({"rank", "position"})
"""Keys of such a doc that hold its rank, from 1."""


def is_some_id(text: str) -> bool:
    """Whether a key is called as the id of something, and not of a query: `arxiv_id`, `candidate_id`."""
    low = text.lower()
    return _SOME_ID.fullmatch(low) is not None and low not in QUERY_IDS and f"{low}s" not in INDEXES


QUERIES = frozenset({"query", "question", "user", "id", "user_input"})
"""Keys of a dict by name that hold the query."""
GAINS = frozenset({"rel", "gain", "grade", "relevance_grade", "rel_value", "relevance_value"})
"""Parameters that say what a relevant doc is worth, where ids tell which docs are relevant."""
HIGHEST_RELS = frozenset(
    {
        "max_rel",
        "max_grade",
        "max_label",
        "max_relevance",
        "max_rating",
        "max_rel_grade",
        "highest_score",
        "highest_rel",
        "highest_grade",
        "g_max",
        "gmax",
        "rel_max",
        "max_gain",
    }
)
"""Parameters that say the highest rel that a doc may have."""
OBVIOUS = {
    "device": "'cpu'",
    **dict.fromkeys(("presort", "presorted", "is_sorted", "verbose", "debug"), "False"),
    **dict.fromkeys(("weight", "weights", "sample_weight"), "None"),
}
"""Parameters that have one value for a call like ours."""
SEARCHERS = frozenset(
    {
        "retriever",
        "retrieve",
        "retriever_fn",
        "retrieve_fn",
        "retrieval_fn",
        "retrieval_function",
        "search",
        "searcher",
        "search_fn",
        "search_func",
        "search_function",
        "search_engine",
        "engine",
        "query_engine",
        "vectorstore",
        "vector_store",
        "vector_db",
        "rag",
        "rag_pipeline",
        "pipeline",
        "retrieval_pipeline",
        "recommender",
        "recommend_fn",
        "ranker",
        "ranker_fn",
    }
)
"""Parameters that take what searches: a function, or an object with a method that does."""
OTHERS = (
    QUERY_IDS
    | OBVIOUS.keys()
    | SEARCHERS
    | frozenset(
        {
            "query",
            "query_text",
            "question",
            "user",
            "model",
            "name",
            "metric",
            "metrics",
            "metric_name",
            "measure",
            "method",
            "mode",
            "kind",
            "dataset",
            "logger",
            "args",
            "config",
            "tokenizer",
            "corpus",
        }
    )
)
"""Parameters that are neither lists of docs nor a cutoff: what they are, only the person knows."""
COLUMNS = {
    "user_id": frozenset(
        {
            "user",
            "query",
            "group",
            "qid",
            "user_id",
            "query_id",
            "topic",
            "session",
            "customer",
            "group_id",
            "request",
            "request_id",
            "uid",
            "search",
            "impression",
        }
    ),
    "item_id": frozenset(
        {"item", "doc", "docid", "item_id", "doc_id", "docno", "product", "movie", "document", "iid", "article"}
    ),
    "rating": frozenset(
        {
            "rating",
            "relevance",
            "label",
            "rel",
            "click",
            "target",
            "true",
            "y_true",
            "actual",
            "relevant",
            "ground_truth",
            "gt",
            "clicked",
            "gain",
        }
    ),
    "score": frozenset(
        {
            "prediction",
            "score",
            "pred",
            "predicted",
            "y_pred",
            "y_score",
            "prob",
            "proba",
            "probability",
            "y_prob",
            "pred_score",
        }
    ),
}
"""What parameters that name columns of frames begin or end in, as `col_user` and `user_column`: of the query, the doc, the rel and the
score, each by the name that a column has where only its parameter tells it."""
