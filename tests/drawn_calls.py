"""How functions are called, and how they give what they computed, as people write them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Query:
    """A query as the field has it: the rows of the run as they come, and all judgments.

    Attributes:
        run: doc and score.
        rels: by doc; a doc of the run without one is unjudged.
        sides: whether it stands in the qrels, and in the run.
    """

    name: str
    run: Sequence[tuple[str, float]]
    rels: Mapping[str, int]
    sides: tuple[bool, bool] = (True, True)


ORDERS: Mapping[str, Callable[[Sequence[tuple[str, float]]], Sequence[tuple[str, float]]]] = {
    "input": lambda rows: sorted(rows, key=lambda row: -row[1]),
    "input-reversed": lambda rows: sorted(rows, key=lambda row: row[1])[::-1],
    "docid-asc": lambda rows: sorted(sorted(rows), key=lambda row: -row[1]),
    "docid-desc": lambda rows: sorted(sorted(rows, reverse=True), key=lambda row: -row[1]),
}


@dataclass(frozen=True)
class Shape:
    """How a function is called.

    Attributes:
        name: of the form, as `--form` has it.
        arguments: what people call each.
        given: the arguments for some queries; of one, where it is called once for each.
        seen: what the function makes of them: of each query the rows with their scores (or ranks as such) and ids, and what is judged.
        tells: of order, ids, unretrieved, rels, queries and mean (of queries that have no ids) those that it tells.
        read: how the function takes its last argument apart, where that is told by its text.
    """

    name: str
    arguments: Sequence[Sequence[str]]
    given: Callable[[Sequence[Query]], tuple[Any, ...]]
    seen: Callable[..., Sequence[tuple[str, Sequence[tuple[str, float]], Mapping[str, float]]]]
    tells: frozenset[str]
    read: str = "{}"


def in_rank_order(query: Query) -> list[str]:
    return [doc for doc, _ in ORDERS["docid-desc"](query.run)]


def ranked(docs: Sequence[str]) -> list[tuple[str, float]]:
    return [(doc, -float(rank)) for rank, doc in enumerate(docs)]


def by_name(queries: Sequence[Query], side: int, told: Callable[[Query], Any]) -> dict[str, Any]:
    """Of each query that stands on one side, what is told of it there."""
    return {query.name: told(query) for query in queries if query.sides[side]}


def relevant(query: Query) -> list[str]:
    return [doc for doc, rel in query.rels.items() if rel >= 1]


def _by_place(rels: Any, every: Sequence[float] | None = None) -> tuple[Any, Any]:
    """Docs in rank order by their rels alone, beside all that are judged where these are told."""
    known = {f"{at:04}": float(rel) for at, rel in enumerate(rels)}
    return ranked([*known]), known if every is None else known | {"every": every}


def _ids_seen(own: Any, docs: Any) -> Any:
    return [("", ranked(docs), dict.fromkeys(own, 1.0))]


def _pairs_seen(pairs: Any) -> Any:
    return [(str(at), ranked(docs), dict.fromkeys(own, 1.0)) for at, (docs, own) in enumerate(pairs)]


def _rows_seen(y_true: Any, y_score: Any) -> Any:
    ids = [f"{at:04}" for at in range(len(y_true))]
    return [("", list(zip(ids, map(float, y_score), strict=True)), dict(zip(ids, map(float, y_true), strict=True)))]


def _grouped_seen(y_true: Any, y_score: Any, queries: Any) -> Any:
    if not len(y_true) == len(y_score) == len(queries):
        raise ValueError("rows of unlike numbers")
    at = {query: [i for i, own in enumerate(queries) if own == query] for query in dict.fromkeys(queries)}
    return [
        (str(query), [(f"{i:04}", float(y_score[i])) for i in rows], {f"{i:04}": float(y_true[i]) for i in rows})
        for query, rows in at.items()
    ]


def _rows(query: Query) -> tuple[list[int], list[float]]:
    return [query.rels.get(doc, 0) for doc, _ in query.run], [score for _, score in query.run]


def _rows_of_all(queries: Sequence[Query]) -> tuple[list[int], list[float]]:
    return [rel for q in queries for rel in _rows(q)[0]], [score for q in queries for score in _rows(q)[1]]


def _rels_in_order(query: Query) -> list[int]:
    return [query.rels.get(doc, 0) for doc in in_rank_order(query)]


def _frames(queries: Sequence[Query]) -> tuple[pd.DataFrame, pd.DataFrame]:
    true = [(query.name, doc, rel) for query in queries for doc, rel in query.rels.items()]
    pred = [(query.name, doc, score) for query in queries for doc, score in query.run]
    return (
        pd.DataFrame(true, columns=["userID", "itemID", "rating"]),
        pd.DataFrame(pred, columns=["userID", "itemID", "prediction"]),
    )


def _frames_seen(true: pd.DataFrame, pred: pd.DataFrame) -> Any:
    q, doc, rel = true.columns[:3]
    for query, judged in true.groupby(q, sort=False):
        rows = pred[pred[pred.columns[0]] == query]
        found = list(zip(rows.iloc[:, 1], rows.iloc[:, 2], strict=True))
        yield str(query), found, dict(zip(judged[doc], judged[rel], strict=True))


_NAMES_TRUE = ("y_true", "labels", "relevance", "targets")
_NAMES_SCORE = ("y_score", "scores", "preds", "y_pred")
_NAMES_RELEVANT = ("relevant", "ground_truth", "actual", "expected_ids")
_NAMES_RANKED = ("retrieved", "predicted", "recommended", "ranked_docs")
SHAPES = (
    *(
        Shape("rows", (_NAMES_TRUE, _NAMES_SCORE), given, _rows_seen, frozenset({"order", "rels"}))
        for given in (lambda queries: _rows(queries[0]), lambda queries: tuple(map(np.array, _rows(queries[0]))))
    ),
    Shape(
        "ranked",
        (("rels", "relevances", "ranked_rels", "gains"),),
        lambda queries: (_rels_in_order(queries[0]),),
        lambda rels: [("", *_by_place(rels))],
        frozenset({"rels"}),
    ),
    *(
        Shape("ids", (_NAMES_RELEVANT, _NAMES_RANKED), given, _ids_seen, frozenset({"unretrieved"}))
        for given in (
            lambda queries: (relevant(queries[0]), in_rank_order(queries[0])),
            lambda queries: ({*relevant(queries[0])}, in_rank_order(queries[0])),
        )
    ),
    *(
        Shape(
            "ids",
            (_NAMES_RELEVANT, ("retrieved_docs", "results", "search_results")),
            lambda queries, key=key: (
                relevant(queries[0]),
                [{key: doc, "text": "a"} for doc in in_rank_order(queries[0])],
            ),
            _ids_seen,
            frozenset({"unretrieved"}),
            f'[doc["{key}"] for doc in {{}}]',
        )
        for key in ("docId", "ID", "chunk_id")
    ),
    Shape(
        "graded-ids",
        (("rel_of_doc", "judgments", "rel_map", "qrels"), _NAMES_RANKED),
        lambda queries: (dict(queries[0].rels), in_rank_order(queries[0])),
        lambda rels, docs: [("", ranked(docs), dict(rels))],
        frozenset({"unretrieved", "rels"}),
    ),
    Shape(
        "scored-ids",
        (("rel_of_doc", "judgments", "rel_map"), ("score_of_doc", "doc_scores", "score_dict")),
        lambda queries: (dict(queries[0].rels), dict(queries[0].run)),
        lambda rels, scores: [("", list(scores.items()), dict(rels))],
        frozenset({"order", "ids", "unretrieved", "rels"}),
    ),
    Shape(
        "scored-list",
        (_NAMES_RELEVANT, _NAMES_RANKED),
        lambda queries: (relevant(queries[0]), list(queries[0].run)),
        lambda own, rows: [("", list(rows), dict.fromkeys(own, 1.0))],
        frozenset({"order", "ids", "unretrieved"}),
    ),
    Shape(
        "qrels-run",
        (("qrels", "judgments", "ground_truth"), ("run", "results", "run_dict")),
        lambda queries: (by_name(queries, 0, lambda q: dict(q.rels)), by_name(queries, 1, lambda q: dict(q.run))),
        lambda qrels, run: [(q, list(run.get(q, {}).items()), rels) for q, rels in qrels.items()],
        frozenset({"order", "ids", "unretrieved", "rels", "queries"}),
    ),
    Shape(
        "queries-ids",
        (("qrels", "relevant_docs", "ground_truth"), ("run", "retrieved", "results")),
        lambda queries: (by_name(queries, 0, relevant), by_name(queries, 1, in_rank_order)),
        lambda own, run: [(q, ranked(run.get(q, ())), dict.fromkeys(docs, 1.0)) for q, docs in own.items()],
        frozenset({"unretrieved", "queries"}),
    ),
    Shape(
        "qrels-ranked",
        (("qrels", "judgments"), ("run", "rankings", "retrieved")),
        lambda queries: (by_name(queries, 0, lambda q: dict(q.rels)), by_name(queries, 1, in_rank_order)),
        lambda qrels, run: [(q, ranked(run.get(q, ())), rels) for q, rels in qrels.items()],
        frozenset({"unretrieved", "rels", "queries"}),
    ),
    Shape(
        "grouped",
        (_NAMES_TRUE, _NAMES_SCORE, ("query_ids", "groups", "qids", "user_ids")),
        lambda queries: (*_rows_of_all(queries), [q.name for q in queries for _ in q.run]),
        _grouped_seen,
        frozenset({"order", "rels", "queries"}),
    ),
    Shape(
        "group-sizes",
        (_NAMES_TRUE, _NAMES_SCORE, ("group_sizes", "query_lens", "sizes")),
        lambda queries: (*_rows_of_all(queries), [len(q.run) for q in queries]),
        lambda true, score, sizes: _grouped_seen(
            true, score, [at for at, size in enumerate(sizes) for _ in range(int(size))]
        ),
        frozenset({"order", "rels", "mean"}),
    ),
    Shape(
        "ranked-all",
        (("rels", "ranked_rels"), ("all_rels", "judged_rels", "true_rels")),
        lambda queries: (_rels_in_order(queries[0]), list(queries[0].rels.values())),
        lambda rels, every: [("", *_by_place(rels, [*map(float, every)]))],
        frozenset({"unretrieved", "rels"}),
    ),
    Shape(
        "ranked-total",
        (("hits", "rels", "flags"), ("n_relevant", "num_relevant", "n_pos")),
        lambda queries: ([int(rel >= 1) for rel in _rels_in_order(queries[0])], len(relevant(queries[0]))),
        lambda hits, n: [("", *_by_place(hits, [1.0] * int(n)))],
        frozenset({"unretrieved"}),
    ),
    Shape(
        "pairs",
        (("pairs", "examples", "eval_set"),),
        lambda queries: ([(in_rank_order(q), relevant(q)) for q in queries],),
        _pairs_seen,
        frozenset({"unretrieved", "mean"}),
    ),
    Shape(
        "records",
        (("records", "dataset", "test_cases"),),
        lambda queries: ([{"relevant": relevant(q), "retrieved": in_rank_order(q)} for q in queries],),
        _pairs_seen,
        frozenset({"unretrieved", "mean"}),
        '[(one["retrieved"], one["relevant"]) for one in {}]',
    ),
    Shape(
        "rows-of-query",
        (("records", "rows", "results"),),
        lambda queries: ([{"label": rel, "score": score} for rel, score in zip(*_rows(queries[0]), strict=True)],),
        lambda rows: _rows_seen(*map(list, zip(*rows, strict=True))) if rows else _rows_seen([], []),
        frozenset({"order", "rels"}),
        '[(row["label"], row["score"]) for row in {}]',
    ),
    Shape(
        "frames",
        (("rating_true", "qrels_df", "df_true"), ("rating_pred", "run_df", "df_pred")),
        _frames,
        _frames_seen,
        frozenset({"order", "ids", "unretrieved", "rels", "queries"}),
    ),
)


@dataclass(frozen=True)
class Result:
    """How a function gives what it computed, and how that is read."""

    of: Callable[[Any, str, int], Any]
    read: Callable[[Any, str, int], Any]


RESULTS = {
    "number": Result(lambda value, _name, _k: value, lambda given, _name, _k: given),
    "numpy": Result(lambda value, _name, _k: np.float64(value), lambda given, _name, _k: float(given)),
    "named": Result(
        lambda value, name, k: {"n": 3.0, f"{name.lower()}@{k}": value, f"map@{k + 1}": 0.5},
        lambda given, name, k: given[f"{name.lower()}@{k}"],
    ),
    "by cutoff": Result(lambda value, _name, k: {k + 1: 0.5, k: value}, lambda given, _name, k: given[k]),
    "first of two": Result(lambda value, _name, _k: (value, "ok"), lambda given, _name, _k: given[0]),
}
KINDS = {
    "function": "def drawn({arguments}, k={k}):\n    return body(({taken},), k)\n",
    "class": (
        "class drawn:\n    def __init__(self, k={k}):\n        self.k = k\n"
        "    def __call__(self, {arguments}):\n        return body(({taken},), self.k)\n"
    ),
    "updated": (
        "class drawn:\n    def __init__(self, k={k}):\n        self.k = k\n        self.reset()\n"
        "    def reset(self):\n        self.values = []\n"
        "    def update(self, {arguments}):\n        self.values.append(body(({taken},), self.k))\n"
        "    def compute(self):\n        return sum(self.values) / len(self.values)\n"
    ),
}
