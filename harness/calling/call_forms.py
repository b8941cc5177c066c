"""The forms that a function may have, and the names that their arguments go by."""

import os.path
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from textwrap import wrap
from typing import Any

from rankproof.calling import argument_names as names
from rankproof.calling import expressing, functions, objects
from rankproof.calling.arguments import OBJECTS, SETS, SPARSE, TEXTS
from rankproof.calling.file_arguments import DICTS, HELD_IN_FILES, can_stand_in_a_file, says
from rankproof.calling.finding import is_file
from rankproof.calling.functions import ask, ask_whole
from rankproof.calling.given_values import cutoffs_beside
from rankproof.calling.targets import ALL, BEYOND_K, COLUMN, QUERY, STEPS, TABLE, TO_K, BadFunction, Form, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.meaning.input_traits import has_a_doc_twice
from rankproof.reference_impl.shown import did_you_mean, shortened

_OF_ROWS = {"known": "retrieved", "missing": "dropped", "extra": "measured"}
_OF_FLAGS = {"gain": "binary", "missing": "dropped", "extra": "measured"}
_OF_QUERY = {"missing": "dropped", "extra": "measured"}
_OF_ORDER = frozenset({"ties", "order", "score"})
_OF_RELS = frozenset({"unjudged"})
_OF_GAIN = frozenset({"gain", "gain_threshold", "relevant", "no_judgments"})
_BATCHES = (QUERY, ALL, STEPS, TABLE)
_of_query = partial(Form, ask=ask, repro=functions.repro)
_of_all = partial(Form, ask=ask_whole, repro=functions.repro)
"""A form of what is called for each query, and of what is called once, with all of them."""


def _roles(*roles: str) -> dict[str, frozenset[str]]:
    return {role: _NAMES[role] | {role} for role in roles}


_NAMES = {
    "y_true": names.TRUE,
    "y_score": names.SCORE,
    "ranked_rels": names.RANKED_RELS,
    "judged_rels": names.JUDGED_RELS,
    "n_relevant": names.N_RELEVANT,
    "n_docs": names.N_DOCS,
    "target_index": names.TARGET_INDEX,
    "relevant": names.RELEVANT,
    "ranked": names.RANKED,
    "relevant_doc": names.ONE_RELEVANT,
    "doc_of_each": names.ONE_RELEVANT | names.RELEVANT,
    "ranked_of_each": names.RANKED,
    "rel_of_doc": names.REL_OF_DOC,
    "score_of_doc": names.SCORE_OF_DOC,
    "qrels": names.QRELS,
    "run": names.RUN,
    "relevant_of_query": names.QRELS | names.RELEVANT,
    "ranked_of_query": names.RUN | names.RANKED,
    "row_of_query": names.ROWS_OF_QUERIES,
    "rels_seen": names.RELS_SEEN,
    "frame_rows": names.FRAME_ROWS,
    "predictions": names.PREDICTIONS,
    "rows_of_query": names.FRAME_ROWS | names.RECORDS | names.RANKED,
    "frame_true": names.FRAME_TRUE,
    "frame_pred": names.FRAME_PRED,
    "qrels_rows": names.QRELS,
    "run_rows": names.RUN,
    "all_true": names.TRUE,
    "all_scores": names.SCORE,
    "query_of_row": names.INDEXES,
    "group_sizes": names.GROUP_SIZES,
    "ranks": names.RANKS,
    "places": names.PLACES,
    "rank": names.RANK,
    "position": names.POSITION,
    "scored": names.RUN | names.RANKED,
    "scored_of_query": names.RUN | names.RANKED,
    "ideal_rels": names.IDEAL_RELS,
    "relevant_places": names.RELEVANT_PLACES,
    "rank_of_doc": names.RANK_OF_DOC,
    "rank_from_1": names.RANK_OF_DOC,
    "distances": names.DISTANCES,
    "label_of_query": names.LABELS_OF_QUERIES,
    "labels_of_docs": names.LABELS_OF_DOCS,
    "score_of_first": names.SCORE,
    "approxes": names.APPROXES,
    **dict.fromkeys(("dataset", "dataset_of_one"), names.DATASETS),
    "relevant_scores": names.RELEVANT_SCORES,
    "relevant_score": names.RELEVANT_SCORES,
    "other_scores": names.OTHER_SCORES,
    "hit_ranks": names.RANKS,
    "hit_places": names.PLACES | names.RANKS,
    "hits_in_all": names.N_RELEVANT,
    "relevant_of_listed": names.RELEVANT,
    "ranked_listed": names.RANKED,
    "queries_listed": names.QUERIES_LISTED,
    "scores_with_rels": names.SCORES_WITH_RELS,
    "doc_of_query": names.QRELS | names.RELEVANT | names.ONE_RELEVANT,
    "ranked_with_relevant": names.PAIRS,
    "relevant_with_ranked": names.PAIRS,
    "records": names.RECORDS,
    "record": names.RECORD,
    "records_of_one": names.RECORDS,
    "record_of_one": names.RECORD,
    "records_relevant": names.QRELS | names.RELEVANT | names.RECORDS,
    "records_ranked": names.RUN | names.RANKED,
    "rels_by_place": names.TRUE | names.RELEVANT,
    "ranked_places": names.RANKED_PLACES,
    "rels_of_query": names.RELS_BY_QUERY,
    "scores_of_query": names.SCORES_BY_QUERY,
    "similarities": names.SIMILARITIES,
    "qrels_file": names.QRELS_FILE,
    **dict.fromkeys(("run_file", "ranked_file"), names.RUN_FILE),
    "labels_true": names.LABELS_TRUE,
    "labels_pred": names.LABELS_PRED,
}

ROWS = _of_query(
    "rows",
    "f(y_true, y_score, k)",
    "a rel and a score for each doc of a query; lists, arrays, series or tensors",
    _OF_ROWS,
    expressing.as_rows,
    _roles("y_true", "y_score"),
    _OF_RELS,
    (*_BATCHES, COLUMN),
)
ROWS_COUNTED = _of_query(
    "rows-counted",
    "f(y_true, y_score, n_docs, k)",
    "the same, and how many docs the query has",
    _OF_ROWS,
    expressing.as_rows,
    _roles("y_true", "y_score", "n_docs"),
    _OF_RELS,
    _BATCHES,
)
ROWS_NUMBERED = _of_query(
    "rows-numbered",
    "f(y_true, rows, y_score, k)",
    "rels and scores, and which row of a table of rels each row of scores is",
    _OF_ROWS,
    expressing.as_rows,
    _roles("y_true", "row_of_query", "y_score"),
    _OF_RELS,
    (TABLE,),
)
ROWS_UNSEEN = _of_query(
    "rows-unseen",
    "f(seen, y_true, y_score, k)",
    "rels and scores, and the rels of training, of which there are none",
    _OF_ROWS,
    expressing.as_rows,
    _roles("rels_seen", "y_score") | {"y_true": names.RELS_TESTED},
    _OF_RELS,
    (TABLE,),
)
TARGET_INDEX = _of_query(
    "target-index",
    "f(y_score, target_index, k)",
    "a score for each doc of a query, and the place of its only relevant one, from 0",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_one_place,
    _roles("y_score", "target_index"),
    _OF_RELS | _OF_GAIN,
    _BATCHES,
)
RANKED = _of_query(
    "ranked",
    "f(ranked_rels, k)",
    "the rels of a query, in rank order",
    _OF_ROWS,
    expressing.as_ranked,
    _roles("ranked_rels"),
    _OF_ORDER | _OF_RELS,
    _BATCHES,
)
RANKED_TOTAL = _of_query(
    "ranked-total",
    "f(ranked_rels, n_relevant, k)",
    "flags of relevance in rank order, and how many docs are relevant in all",
    _OF_FLAGS,
    expressing.as_totals,
    _roles("ranked_rels", "n_relevant"),
    _OF_ORDER | _OF_RELS | _OF_GAIN,
    _BATCHES,
)
RANKED_RELEVANT = _of_query(
    "ranked-relevant",
    "f(ranked_rels, relevant, k)",
    "flags of relevance in rank order, and the ids of all relevant docs",
    _OF_FLAGS,
    expressing.as_totals,
    _roles("ranked_rels", "relevant"),
    _OF_ORDER | _OF_RELS | _OF_GAIN,
    _BATCHES,
)
RANKED_ALL = _of_query(
    "ranked-all",
    "f(ranked_rels, all_rels, k)",
    "the rels of a query in rank order, and those of all its judged docs",
    _OF_QUERY,
    expressing.as_all_rels,
    _roles("ranked_rels", "judged_rels"),
    _OF_ORDER | _OF_RELS,
    _BATCHES,
)
IDS = _of_query(
    "ids",
    "f(relevant, ranked, k)",
    "the ids of a query's relevant docs (a list or a set), and of all docs in rank order",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("relevant", "ranked"),
    _OF_ORDER | _OF_GAIN,
    _BATCHES,
)
GRADED_IDS = _of_query(
    "graded-ids",
    "f({doc: rel}, ranked, k)",
    "the rel of each judged doc, and the ids of all docs in rank order",
    _OF_QUERY,
    expressing.as_graded_ids,
    _roles("rel_of_doc", "ranked"),
    _OF_ORDER,
    _BATCHES,
)
ONE_ID = _of_query(
    "one-id",
    "f(relevant_doc, ranked, k)",
    "the id of a query's only relevant doc, and of all docs in rank order",
    _OF_FLAGS,
    expressing.as_one_id,
    _roles("relevant_doc", "ranked"),
    _OF_ORDER | _OF_GAIN,
    (QUERY, STEPS),
)
ONE_ID_EACH = _of_query(
    "one-id-each",
    "f([relevant_doc], [ranked], k)",
    "the same of all queries: a list of docs, one of each query, and a list of rankings",
    _OF_FLAGS,
    expressing.as_one_id,
    _roles("doc_of_each", "ranked_of_each"),
    _OF_ORDER | _OF_GAIN,
    (ALL, TABLE),
)
SCORED_IDS = _of_query(
    "scored-ids",
    "f({doc: rel}, {doc: score}, k)",
    "the rel of each judged doc of a query, and the score of each retrieved one",
    _OF_QUERY,
    expressing.as_scored_ids,
    _roles("rel_of_doc", "score_of_doc"),
    batches=_BATCHES,
)
QRELS_RUN = _of_all(
    "qrels-run",
    "f(qrels, run, k)",
    "dicts of dicts; gives a number, or one for each query",
    {},
    expressing.as_dicts,
    _roles("qrels", "run"),
)
QUERIES_IDS = _of_all(
    "queries-ids",
    "f({query: relevant}, {query: ranked}, k)",
    "for each query, the ids of relevant docs, and of docs in rank order",
    {"gain": "binary"},
    expressing.as_relevant_by_query,
    _roles("relevant_of_query", "ranked_of_query"),
    _OF_ORDER | _OF_GAIN,
)
QRELS_RANKED = _of_all(
    "qrels-ranked",
    "f(qrels, {query: ranked}, k)",
    "a dict of dicts of rels, and for each query the ids in rank order",
    {},
    expressing.as_ids_by_query,
    _roles("qrels", "ranked_of_query"),
    _OF_ORDER,
)
FRAMES = _of_all(
    "frames",
    "f(rating_true, rating_pred, k)",
    "two frames: query, doc and rel; query, doc and score",
    {},
    expressing.as_frames,
    _roles("frame_true", "frame_pred"),
)
RELEVANT_FRAMES = _of_all(
    "relevant-frames",
    "f(rating_true, rating_pred, k)",
    "the same, where a row of the first is a relevant doc whatever its rel",
    {"gain": "binary"},
    expressing.as_relevant_frames,
    _roles("frame_true", "frame_pred"),
    _OF_GAIN,
)
FRAME_OF_ROWS = _of_all(
    "frame-of-rows",
    "f(rows, k)",
    "one frame: query, doc, rel and score of each row, by the columns that are read",
    _OF_ROWS,
    expressing.as_batch,
    _roles("frame_rows"),
    _OF_RELS,
)
ROWS_OF_QUERY = _of_query(
    "rows-of-query",
    "f([{doc, rel, score}], k)",
    "of each row of a query a dict, or all as a frame, by the keys that are read",
    _OF_ROWS,
    expressing.as_rows,
    _roles("rows_of_query"),
    _OF_RELS,
    (QUERY, ALL, STEPS),
)
ROWS_IN_ORDER = _of_query(
    "rows-in-order",
    "f([{doc, rel}], k)",
    "the same in rank order",
    _OF_ROWS,
    expressing.as_ranked,
    _roles("rows_of_query"),
    _OF_ORDER | _OF_RELS,
    (QUERY, ALL, STEPS),
)
PREDICTIONS = _of_all(
    "predictions",
    "f([(query, doc, rel, score, details)], k)",
    "one list of rows as Surprise predicts them",
    _OF_ROWS,
    expressing.as_batch,
    _roles("predictions"),
    _OF_RELS,
)
TUPLES = _of_all(
    "tuples",
    "f([(query, doc, rel)], [(query, doc, score)], k)",
    "the rows of qrels and run",
    {},
    expressing.as_frames,
    _roles("qrels_rows", "run_rows"),
)
GROUPED = _of_all(
    "grouped",
    "f(y_true, y_score, query_ids, k)",
    "a rel, a score and the query of each row, of all queries at once",
    _OF_ROWS,
    expressing.as_batch,
    _roles("all_true", "all_scores", "query_of_row"),
    _OF_RELS,
)
QUERIES_ROWS = _of_all(
    "queries-rows",
    "f({query: y_true}, {query: y_score}, k)",
    "for each query, the rels and the scores of its docs",
    _OF_ROWS,
    expressing.as_batch,
    _roles("rels_of_query", "scores_of_query"),
    _OF_RELS,
)
GROUP_SIZES = _of_all(
    "group-sizes",
    "f(y_true, y_score, group, k)",
    "a rel and a score of each row, and how many rows each query has",
    _OF_ROWS,
    expressing.as_batch,
    _roles("all_true", "all_scores", "group_sizes"),
    _OF_RELS,
)
RANKS = _of_all(
    "ranks",
    "f(ranks, k)",
    "of each query, the rank of its only relevant doc, from 1",
    _OF_FLAGS,
    expressing.as_rank,
    _roles("ranks"),
    _OF_ORDER | _OF_GAIN,
)
PLACES = _of_all(
    "places",
    "f(places, k)",
    "the same counted from 0",
    _OF_FLAGS,
    expressing.as_rank,
    _roles("places"),
    _OF_ORDER | _OF_GAIN,
)
RANK = _of_query(
    "rank",
    "f(rank, k)",
    "the rank of a query's only relevant doc, from 1; None where it was not retrieved",
    _OF_FLAGS,
    expressing.as_rank_or_none,
    _roles("rank"),
    _OF_ORDER | _OF_GAIN,
)
POSITION = _of_query(
    "position",
    "f(position, k)",
    "the same counted from 0",
    _OF_FLAGS,
    expressing.as_rank_or_none,
    _roles("position"),
    _OF_ORDER | _OF_GAIN,
)
RANKS_TOTAL = _of_query(
    "ranks-total",
    "f(ranks, n_relevant, k)",
    "the ranks of a query's retrieved relevant docs, from 1, and how many are relevant in all",
    _OF_FLAGS,
    expressing.as_totals,
    _roles("hit_ranks", "hits_in_all"),
    _OF_ORDER | _OF_RELS | _OF_GAIN,
)
PLACES_TOTAL = _of_query(
    "places-total",
    "f(places, n_relevant, k)",
    "the same counted from 0",
    _OF_FLAGS,
    expressing.as_totals,
    _roles("hit_places", "hits_in_all"),
    _OF_ORDER | _OF_RELS | _OF_GAIN,
)
SCORED_LIST = _of_query(
    "scored-list",
    "f(relevant, [(doc, score)], k)",
    "the ids of a query's relevant docs, and the retrieved docs with their scores",
    _OF_FLAGS,
    expressing.as_relevant_and_scored,
    _roles("relevant", "scored"),
    _OF_GAIN,
    _BATCHES,
)
ONE_SCORED = _of_query(
    "one-scored",
    "f(relevant_doc, [(doc, score)], k)",
    "the id of a query's only relevant doc, and the retrieved docs with their scores",
    _OF_FLAGS,
    expressing.as_one_and_scored,
    _roles("relevant_doc", "scored"),
    _OF_GAIN,
    (QUERY, STEPS),
)
RELEVANT_SCORED_IDS = _of_query(
    "relevant-scored-ids",
    "f(relevant, {doc: score}, k)",
    "the ids of a query's relevant docs, and the score of each retrieved one",
    _OF_FLAGS,
    expressing.as_relevant_and_scored,
    _roles("relevant", "score_of_doc"),
    _OF_GAIN,
    _BATCHES,
)
ONE_SCORED_IDS = _of_query(
    "one-scored-ids",
    "f(relevant_doc, {doc: score}, k)",
    "the id of a query's only relevant doc, and the score of each retrieved one",
    _OF_FLAGS,
    expressing.as_one_and_scored,
    _roles("relevant_doc", "score_of_doc"),
    _OF_GAIN,
    (QUERY, STEPS),
)
QUERIES_SCORED = _of_all(
    "queries-scored",
    "f({query: relevant}, {query: [(doc, score)]}, k)",
    "the same of each query, by its id",
    {"gain": "binary"},
    expressing.as_relevant_and_scored_by_query,
    _roles("relevant_of_query", "scored_of_query"),
    _OF_GAIN,
)
PAIRS = _of_all(
    "pairs",
    "f([(ranked, relevant)], k)",
    "of each query the ids in rank order, with those of its relevant docs",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("ranked_with_relevant"),
    _OF_ORDER | _OF_GAIN,
)
PAIRS_TURNED = _of_all(
    "pairs-turned",
    "f([(relevant, ranked)], k)",
    "the same, the relevant docs first",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("relevant_with_ranked"),
    _OF_ORDER | _OF_GAIN,
)
RECORDS = _of_all(
    "records",
    "f([{relevant, ranked}], k)",
    "of each query a dict of its relevant docs and its docs in rank order",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("records"),
    _OF_ORDER | _OF_GAIN,
)
RECORD = _of_query(
    "record",
    "f({relevant, ranked}, k)",
    "the same of a query",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("record"),
    _OF_ORDER | _OF_GAIN,
)
RECORDS_OF_ONE = _of_all(
    "records-of-one",
    "f([{relevant_doc, ranked}], k)",
    "of each query a dict of its only relevant doc and its docs in rank order",
    _OF_FLAGS,
    expressing.as_one_id,
    _roles("records_of_one"),
    _OF_ORDER | _OF_GAIN,
)
RECORD_OF_ONE = _of_query(
    "record-of-one",
    "f({relevant_doc, ranked}, k)",
    "the same of a query",
    _OF_FLAGS,
    expressing.as_one_id,
    _roles("record_of_one"),
    _OF_ORDER | _OF_GAIN,
)
RECORDS_APART = _of_all(
    "records-apart",
    "f([{query, relevant}], [{query, ranked}], k)",
    "of each query a dict of its relevant docs, and another of its docs in rank order",
    {"gain": "binary"},
    expressing.as_relevant_by_query,
    _roles("records_relevant", "records_ranked"),
    _OF_ORDER | _OF_GAIN,
)
SIMILARITIES = _of_all(
    "similarities",
    "f(similarities, k)",
    "a square matrix of scores: a row for each query, whose relevant doc has the same place",
    _OF_FLAGS,
    expressing.as_similarities,
    _roles("similarities"),
    _OF_RELS | _OF_GAIN,
)
POSITIVE_FIRST = _of_query(
    "positive-first",
    "f(y_score, k)",
    "a score for each doc of a query, of which the first is its only relevant one",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_relevant_first,
    _roles("score_of_first"),
    _OF_RELS | _OF_GAIN,
    _BATCHES,
)
PARTED = _of_query(
    "parted",
    "f(relevant_scores, other_scores, k)",
    "the scores of a query's relevant docs, and those of its other docs",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_parted,
    _roles("relevant_scores", "other_scores"),
    _OF_RELS | _OF_GAIN,
    (QUERY, ALL, TABLE),
)
ONE_AGAINST = _of_query(
    "one-against",
    "f(relevant_score, other_scores, k)",
    "the score of a query's only relevant doc, and those of its other docs",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_relevant_first,
    _roles("relevant_score", "other_scores"),
    _OF_RELS | _OF_GAIN,
    (QUERY, ALL, TABLE),
)
ROWS_APPROXES = _of_query(
    "rows-approxes",
    "f([y_score], y_true, k)",
    "rels and scores as CatBoost gives them to a metric of one's own",
    _OF_ROWS,
    expressing.as_rows,
    _roles("approxes", "y_true"),
    _OF_RELS,
)
DISTANCES = _of_query(
    "distances",
    "f([distances], [label], labels, k)",
    "a table of a query's distances to all docs, its label, and those of the docs: who has its label is relevant",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_places,
    _roles("distances", "label_of_query", "labels_of_docs"),
    _OF_RELS | _OF_GAIN,
)
DATASET = _of_all(
    "dataset",
    "f(y_score, dataset, k)",
    "a score for each row, and an object whose `get_label()` and `get_group()` say the rels, and how many rows each query has",
    _OF_ROWS,
    expressing.as_batch,
    _roles("all_scores", "dataset"),
    _OF_RELS,
)
DATASET_OF_ONE = _of_query(
    "dataset-of-one",
    "f(y_score, dataset_of_one, k)",
    "the same of a query",
    _OF_ROWS,
    expressing.as_rows,
    _roles("y_score", "dataset_of_one"),
    _OF_RELS,
)
RANKED_IDEAL = _of_query(
    "ranked-ideal",
    "f(ranked_rels, ideal_rels, k)",
    "the rels of a query in rank order, and those of all its judged docs, the highest first",
    _OF_QUERY,
    expressing.as_all_rels,
    _roles("ranked_rels", "ideal_rels"),
    _OF_ORDER | _OF_RELS,
    _BATCHES,
)
PLACES_SCORED = _of_query(
    "places-scored",
    "f(y_score, relevant_places, k)",
    "a score for each doc of a query, and the places of the relevant ones, from 0",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_places,
    _roles("y_score", "relevant_places"),
    _OF_RELS | _OF_GAIN,
    (QUERY, TABLE),
)
PLACES_RANKED = _of_query(
    "places-ranked",
    "f(rank_of_doc, relevant_places, k)",
    "the same with the rank of each doc, from 0, in place of its score",
    _OF_FLAGS | _OF_ROWS,
    expressing.as_ranks,
    _roles("rank_of_doc", "relevant_places"),
    _OF_ORDER | _OF_RELS | _OF_GAIN,
)
ROWS_RANKED = _of_query(
    "rows-ranked",
    "f(y_true, rank_of_doc, k)",
    "a rel and a rank for each doc of a query, from 1",
    _OF_ROWS,
    expressing.as_ranked_rows,
    _roles("y_true", "rank_from_1"),
    _OF_ORDER | _OF_RELS,
    _BATCHES,
)
ROWS_PLACED = _of_query(
    "rows-placed",
    "f(y_true, place_of_doc, k)",
    "the same with ranks from 0",
    _OF_ROWS,
    expressing.as_ranked_rows,
    _roles("y_true", "rank_of_doc"),
    _OF_ORDER | _OF_RELS,
    _BATCHES,
)
RELS_BY_PLACE = _of_query(
    "rels-by-place",
    "f(rels, ranked_places, k)",
    "the rels of a query's docs, and the places of the retrieved ones in rank order, from 0",
    _OF_QUERY,
    expressing.as_rels_by_place,
    _roles("rels_by_place", "ranked_places"),
    _OF_ORDER | _OF_RELS,
)
LISTED = _of_all(
    "listed",
    "f({query: relevant}, [ranked], [query], k)",
    "the relevant docs of each query, a list of all rankings, and of which query each is",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("relevant_of_listed", "ranked_listed", "queries_listed"),
    _OF_ORDER | _OF_GAIN,
)
LISTED_DICTS = _of_all(
    "listed-dicts",
    "f([query], {query: relevant}, {query: ranked}, k)",
    "the queries, and of each its relevant docs, and its docs in rank order",
    _OF_FLAGS,
    expressing.as_ids,
    _roles("queries_listed", "relevant_of_listed", "ranked_of_query"),
    _OF_ORDER | _OF_GAIN,
)
QUERIES_ONE = _of_all(
    "queries-one",
    "f({query: doc}, {query: ranked}, k)",
    "of each query its only relevant doc, and the docs in rank order",
    _OF_FLAGS,
    expressing.as_one_id,
    _roles("doc_of_query", "ranked_of_query"),
    _OF_ORDER | _OF_GAIN,
)
ROWS_PAIRED = _of_query(
    "rows-paired",
    "f((y_score, y_true), k)",
    "in one argument a table of scores and one of rels, in each the docs of a query",
    _OF_ROWS,
    expressing.as_rows,
    _roles("scores_with_rels"),
    _OF_RELS,
    (QUERY, STEPS),
)
FILES = _of_all(
    "files",
    "f(qrels_file, run_file, k)",
    "the paths of two files as trec_eval reads them, or of CSV or JSON",
    {},
    expressing.as_files,
    _roles("qrels_file", "run_file"),
)
RELEVANT_FILES = _of_all(
    "relevant-files",
    "f(qrels_file, run_file, k)",
    "the same, where a line of the first is a relevant doc whatever its rel",
    {"gain": "binary"},
    expressing.as_relevant_frames,
    _roles("qrels_file", "run_file"),
    _OF_GAIN,
)
RANKED_FILES = _of_all(
    "ranked-files",
    "f(qrels_file, ranked_file, k)",
    "the same, where a line of the second is a query, a doc and a rank, as in MS MARCO",
    {"gain": "binary"},
    expressing.as_ranked_files,
    _roles("qrels_file", "ranked_file"),
    _OF_ORDER | _OF_GAIN,
)
LABELINGS = _of_all(
    "labelings",
    "f(labels_true, labels_pred)",
    "a label for each item, and another",
    {},
    expressing.as_labels,
    _roles("labels_true", "labels_pred"),
)
IR_MEASURES = Form(
    "ir_measures",
    "an ir_measures measure",
    "qrels and run, by ir_measures' own evaluator",
    {},
    expressing.as_tuples,
    ask=objects.ask_ir_measures,
    repro=objects.repro_ir_measures,
)
TORCHMETRICS = Form(
    "torchmetrics",
    "update(preds, target, indexes), compute()",
    "an object or a class; without indexes, a query an update",
    _OF_ROWS,
    expressing.as_batch,
    untold=_OF_RELS,
    ask=objects.ask_torchmetrics,
    repro=objects.repro_torchmetrics,
)
CALLED = (
    ROWS,
    RANKED,
    IDS,
    QRELS_RUN,
    GRADED_IDS,
    ONE_ID,
    ONE_ID_EACH,
    RANKED_TOTAL,
    RANKED_ALL,
    RANKED_RELEVANT,
    QUERIES_IDS,
    QRELS_RANKED,
    FRAMES,
    RELEVANT_FRAMES,
    TUPLES,
    SCORED_IDS,
    GROUPED,
    GROUP_SIZES,
    RANKS,
    PLACES,
    RANK,
    POSITION,
    SCORED_LIST,
    QUERIES_SCORED,
    PAIRS,
    PAIRS_TURNED,
    SIMILARITIES,
    ROWS_COUNTED,
    TARGET_INDEX,
    RANKED_IDEAL,
    PLACES_SCORED,
    PLACES_RANKED,
    LISTED,
    ROWS_PAIRED,
    QUERIES_ONE,
    RECORDS,
    RECORD,
    ROWS_RANKED,
    ROWS_PLACED,
    LISTED_DICTS,
    FRAME_OF_ROWS,
    ROWS_OF_QUERY,
    ROWS_IN_ORDER,
    PREDICTIONS,
    ROWS_NUMBERED,
    ROWS_UNSEEN,
    RANKS_TOTAL,
    PLACES_TOTAL,
    POSITIVE_FIRST,
    ONE_SCORED,
    RELS_BY_PLACE,
    QUERIES_ROWS,
    RECORDS_OF_ONE,
    RECORD_OF_ONE,
    RECORDS_APART,
    PARTED,
    ONE_AGAINST,
    ROWS_APPROXES,
    RELEVANT_SCORED_IDS,
    ONE_SCORED_IDS,
    DISTANCES,
    DATASET,
    DATASET_OF_ONE,
    FILES,
    RELEVANT_FILES,
    RANKED_FILES,
)
"""The forms of what is simply called, be it a function, an object or a method: the likeliest first."""
OF_ONE_RELEVANT = (
    ONE_ID,
    ONE_ID_EACH,
    ONE_SCORED,
    ONE_SCORED_IDS,
    QUERIES_ONE,
    RANKS,
    PLACES,
    RANK,
    POSITION,
    SIMILARITIES,
    TARGET_INDEX,
    POSITIVE_FIRST,
    RECORDS_OF_ONE,
    RECORD_OF_ONE,
    ONE_AGAINST,
)
"""The forms that are told of queries with one relevant doc alone."""
WRITTEN = (
    "collections",
    "ir_measures",
    "numpy",
    "pandas",
    "pathlib",
    "ranx",
    "scipy.sparse",
    "tempfile",
    "torch",
    "types",
)
"""The modules by which arguments are written."""
OF_TABLES = (FRAMES, RELEVANT_FRAMES, TUPLES, FILES, RELEVANT_FILES, IR_MEASURES)
"""The forms that are given a run as a table, whose rows may stand in the order of their ranks."""
OF_RANKS = (FILES, RELEVANT_FILES)
"""Those of which each row says its rank beside its score; frames may."""
FORMS = {form.name: form for form in (*CALLED, LABELINGS, IR_MEASURES, TORCHMETRICS)}


def table() -> str:
    """The forms as a table, in 80 columns: the name of each and how it is called, and below it what it is told."""
    wide = max(map(len, FORMS))
    rows = [
        (f"{form.name:{wide}}  {form.call}", *wrap(form.told, 74, initial_indent="    ", subsequent_indent="    "))
        for form in FORMS.values()
    ]
    return "\n".join(line for row in rows for line in row)


def expressed(form: Form, data: Input) -> Input | None:
    """The part of an input that a form can be asked; None if there is none."""
    return form.express(data) if data.of_labels == (form is LABELINGS) else None


def says_ranks(target: Target) -> bool:
    """Whether what it is given says the rank of each row beside its score: frames do by a column more."""
    has_a_column_more = len(target.columns) > len(("query", "doc", "rel", "score"))
    return target.form in OF_RANKS or (target.form in {FRAMES, RELEVANT_FRAMES} and has_a_column_more)


def is_asked(target: Target, data: Input, k: int | None) -> bool:
    """Whether a target is asked this.

    One that raises for fewer docs than the cutoff, or for more, for scores that are whole numbers, or at deep cutoffs, is asked only where
    it does not; one that is given sets, where no doc is retrieved twice.
    """
    if k is not None and 0 < target.k_below <= k:
        return False
    is_whole = target.of_fractions and any(rows and _all_whole(rows) for rows in data.scored.values())
    if is_whole or not _is_held(target.container, data):
        return False
    if k is None or not target.docs:
        return True
    asked = cutoffs_beside(k) if target.several else [k]
    docs = Counter(str(row[0]) for row in data.run)
    counts = [docs[str(query)] for query in data.queries]
    if target.docs == TO_K:
        return max(counts, default=0) <= min(asked)
    return min(counts, default=0) >= max(asked) + (target.docs == BEYOND_K)


def _is_held(container: str, data: Input) -> bool:
    """Whether such a container holds an input: rows, of each query, no score that reads as none, ids without spaces, no doc twice."""
    if container == SETS:
        return len({row[:2] for row in data.run}) == len(data.run)
    if says(container, DICTS) and (has_a_doc_twice(data.qrels) or has_a_doc_twice(data.run)):
        return False
    if says(container, HELD_IN_FILES):
        return all(can_stand_in_a_file(one) for row in (*data.qrels, *data.run) for one in row[:2])
    if container == TEXTS:
        return all(str(row[1]).split() == [str(row[1])] for row in (*data.qrels, *data.run))
    if container in OBJECTS:
        return bool(data.qrels and data.run) and not (data.empty_in_qrels or data.empty_in_run)
    return container != SPARSE or all(score > 0 for _, _, score, _ in data.run)


def _all_whole(rows: Iterable[tuple[Any, float, Any]]) -> bool:
    return all(isfinite(score) and score == int(score) for _, score, _ in rows)


def narrowed(form: Form, case: Case) -> Case | None:
    """The case with the part of its input that a form can be asked; None if there is none, or no right answer."""
    data = None if case.undefined else expressed(form, case.input)
    return None if data is None else replace(case, input=data)


def form_named(text: str) -> Form:
    """The form of that name, or of that call, in whichever order its arguments stand.

    Raises:
        BadFunction: there is none.
    """
    asked = _arguments_of_call(text)
    for form in FORMS.values():
        if _bare(text) in {form.name, _bare(form.call)} or (
            form.roles and sorted(_arguments_of_call(form.call)) == sorted(asked)
        ):
            return form
    raise BadFunction(f"{shortened(text)} is no form; {did_you_mean(text, FORMS, all_by='rankproof check --help')}")


def order_named(text: str, form: Form) -> tuple[str, ...]:
    """The order of a form's roles, where the text is a call that shows one; none where it is a name.

    >>> order_named("f(ranked, relevant, k)", IDS), order_named("ids", IDS)
    (('ranked', 'relevant'), ())
    """
    role_of = dict(zip(_arguments_of_call(form.call), form.roles, strict=True)) if form.roles else {}
    return tuple(role_of[word] for word in _arguments_of_call(text) if len(role_of) > 1)


def call_in_order(form: Form, order: Sequence[str]) -> str:
    """A form's call with its arguments in that order, as `--form` takes it."""
    word_of = dict(zip(form.roles, _arguments_of_call(form.call), strict=True))
    order = [role for role in order if role in word_of]
    return f"f({', '.join([*(word_of[role].replace(':', ': ') for role in order), 'k'])})"


def _arguments_of_call(text: str) -> list[str]:
    """What stands in the brackets of a call, but for the cutoff; nothing where there are none."""
    inside = re.fullmatch(r"[a-z]\w*\((.*)\)", _bare(text))
    words = re.findall(r"[^,\[({]*(?:\[.*?\]|\{.*?\}|\(.*?\))[^,]*|[^,]+", inside[1]) if inside else []
    return [word for word in words if word != "k"]


def _bare(text: str) -> str:
    return text.replace(" ", "").replace("=", "").lower()


def repro(target: Target, data: Input, query: str | None, k: int | None) -> str:
    """A script that asks the function what it was asked."""
    lines = target.form.repro(target, data, query, k)
    used = [f"import {package}" for package in WRITTEN if any(f"{package}." in line for line in lines)]
    importing = list(dict.fromkeys(line for where in (target.name, *target.record[1:2]) for line in _importing(where)))
    return "\n".join([*used, *importing, *([""] if used or importing else []), *lines])


def _importing(where: str) -> list[str]:
    """The lines of Python that give the function its name."""
    module, _, name = where.rpartition(":")
    top = name.partition(".")[0]
    if not top.isidentifier():
        return [f"function = ...  # yours: {name!a} can be imported by no name"]
    if is_file(module):
        beside = f"sys.path.insert(0, {os.path.dirname(module) or '.'!a})"  # noqa: PTH120 - as it was written
        return ["import runpy", "import sys", "", beside, f"{top} = runpy.run_path({module!a})[{top!a}]"]
    if not all(part.isidentifier() for part in module.split(".")):
        return ["import importlib", f"{top} = importlib.import_module({module!a}).{top}"] if module else []
    return [f"from {module} import {top}"] if module != "__main__" else []
