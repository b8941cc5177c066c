"""Functions as people write them, drawn by a seed: a measure, how it is called, what it does otherwise than usual, what is wrong with it.

The formulas are written here once more, as a loop would have them, and know nothing of the reference; so what `check` says of such a
function can be compared with what it is made of.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

Chance = random.Random


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


@dataclass(frozen=True)
class Ranking:
    """What a formula sees of a query: the rels in rank order, and those of all docs that are known to be judged."""

    rels: Sequence[float]
    known: Sequence[float]

    @property
    def so_many_relevant(self) -> int:
        """How many docs are relevant in all."""
        return sum(rel >= 1 for rel in self.known)


Habits = Mapping[str, str]
"""By axis the value that is not standard; by "" the name of a defect."""


# -- formulas -----------------------------------------------------------------------------------------------------------


def dcg(rels: Sequence[float], habits: Habits, gain: str = "") -> float:
    by_power = (gain or habits.get("gain", "linear")) == "exp"
    first = 3 if habits.get("") == "ranks-from-two" else 2
    return sum((2**rel - 1 if by_power else rel) / math.log2(rank) for rank, rel in enumerate(rels, start=first))


def ndcg(seen: Ranking, k: int, habits: Habits) -> float:
    ideal = sorted(seen.rels if habits.get("ideal") == "retrieved" else seen.known, reverse=True)
    if habits.get("ideal_cut") != "never":
        ideal = ideal[:k]
    found, wrong = list(seen.rels[:k]), habits.get("")
    best = dcg(ideal, habits)
    if wrong == "ideal-of-another-gain":
        best = dcg(ideal, {}, "exp")
    if wrong == "ideal-of-the-hits":
        best = dcg(ideal[: sum(rel > 0 for rel in found)], habits)
    if wrong == "relevant-from-2":
        found, ideal = [rel * (rel >= 2) for rel in found], [rel * (rel >= 2) for rel in ideal]
        best = dcg(ideal, habits)
    return dcg(found, habits) / best if best else 0.0


def precision(seen: Ranking, k: int, habits: Habits) -> float:
    hits = sum(rel >= 1 for rel in seen.rels[:k])
    if habits.get("") == "hits-not-divided":
        return float(hits)
    over = {"min-k-n": min(k, len(seen.rels)), "min-k-R": min(k, seen.so_many_relevant)}.get(
        habits.get("p_denominator", ""), k
    )
    return hits / over if over else 0.0


def recall(seen: Ranking, k: int, habits: Habits) -> float:
    over = min(k, seen.so_many_relevant) if habits.get("r_denominator") == "min-k-R" else seen.so_many_relevant
    return sum(rel >= 1 for rel in seen.rels[:k]) / over


def average_precision(seen: Ranking, k: int, habits: Habits) -> float:
    hits, total = 0, 0.0
    for rank, rel in enumerate(seen.rels[:k], start=1):
        if rel >= 1:
            hits += 1
            total += hits / rank
    if habits.get("") == "precisions-not-divided":
        return total
    over = {"min-k-R": min(k, seen.so_many_relevant), "hits": hits}.get(
        habits.get("ap_denominator", ""), seen.so_many_relevant
    )
    over = k if habits.get("") == "precisions-over-k" else over
    return total / over if over else 0.0


def reciprocal_rank(seen: Ranking, k: int, habits: Habits) -> float:
    ranks = [rank for rank, rel in enumerate(seen.rels[:k], start=1) if rel >= 1]
    if not ranks:
        return 0.0
    first = ranks[0]
    found = {
        "last-hit": 1 / ranks[-1],
        "first-doc-alone": float(first == 1),
        "ranks-from-0": 1 / (first - 1) if first > 1 else 0.0,
        "ranks-from-2": 1 / (first + 1),
        "mean-over-hits": sum(1 / rank for rank in ranks) / len(ranks),
    }
    return found.get(habits.get("", habits.get("rr_hits", "")), 1 / first)


def success(seen: Ranking, k: int, habits: Habits) -> float:
    del habits
    return float(any(rel >= 1 for rel in seen.rels[:k]))


@dataclass(frozen=True)
class Formula:
    """A measure: its name without a cutoff, the formula, and what may be otherwise about it.

    Attributes:
        of_unretrieved: what nothing is known of to who is told of retrieved docs alone, where a relevant one is not.
    """

    name: str
    of: Callable[[Ranking, int, Habits], float]
    habits: Sequence[tuple[str, str]] = ()
    defects: Sequence[str] = ()
    is_graded: bool = False
    of_unretrieved: str = "what it divides by"


FORMULAS = (
    Formula(
        "nDCG", ndcg, [("gain", "exp"), ("ideal", "retrieved"), ("ideal_cut", "never")],
        ["ideal-of-another-gain", "ideal-of-the-hits", "relevant-from-2", "percent", "ranked-backwards", "cutoff-ignored"],
        is_graded=True, of_unretrieved="its ideal",
    ),
    Formula("P", precision, [("p_denominator", "min-k-n")], ["hits-not-divided", "percent", "last-doc-lost", "ranked-backwards"]),
    Formula("R", recall, [("r_denominator", "min-k-R")], ["cutoff-too-deep", "percent", "ranked-backwards"]),
    Formula(
        "AP", average_precision, [("ap_denominator", "min-k-R"), ("ap_denominator", "hits")],
        ["precisions-not-divided", "precisions-over-k", "cutoff-ignored", "ranked-backwards"],
    ),
    Formula("RR", reciprocal_rank, [("rr_hits", "mean-over-hits")], ["last-hit", "first-doc-alone", "ranks-from-0", "ranks-from-2"]),
    Formula("Success", success, [], ["cutoff-too-deep", "percent"]),
)  # fmt: skip
NO_RELEVANT = ("0", "1", "nan", "rejected")
ORDERS: Mapping[str, Callable[[Sequence[tuple[str, float]]], Sequence[tuple[str, float]]]] = {
    "input": lambda rows: sorted(rows, key=lambda row: -row[1]),
    "input-reversed": lambda rows: sorted(rows, key=lambda row: row[1])[::-1],
    "docid-asc": lambda rows: sorted(sorted(rows), key=lambda row: -row[1]),
    "docid-desc": lambda rows: sorted(sorted(rows, reverse=True), key=lambda row: -row[1]),
}


# -- how it is called -----------------------------------------------------------------------------------------------------


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
        yield (
            str(query),
            list(zip(rows.iloc[:, 1], rows.iloc[:, 2], strict=True)),
            dict(zip(judged[doc], judged[rel], strict=True)),
        )


_NAMES_TRUE = ("y_true", "labels", "relevance", "targets")
_NAMES_SCORE = ("y_score", "scores", "preds", "y_pred")
_NAMES_RELEVANT = ("relevant", "ground_truth", "actual", "expected_ids")
_NAMES_RANKED = ("retrieved", "predicted", "recommended", "ranked_docs")
SHAPES = (
    Shape(
        "rows", (_NAMES_TRUE, _NAMES_SCORE), lambda queries: _rows(queries[0]), _rows_seen, frozenset({"order", "rels"})
    ),
    Shape(
        "rows", (_NAMES_TRUE, _NAMES_SCORE),
        lambda queries: tuple(map(np.array, _rows(queries[0]))), _rows_seen, frozenset({"order", "rels"}),
    ),
    Shape(
        "ranked", (("rels", "relevances", "ranked_rels", "gains"),),
        lambda queries: ([queries[0].rels.get(doc, 0) for doc in in_rank_order(queries[0])],),
        lambda rels: [("", ranked([f"{at:04}" for at in range(len(rels))]), {f"{at:04}": float(rel) for at, rel in enumerate(rels)})],
        frozenset({"rels"}),
    ),
    Shape(
        "ids", (_NAMES_RELEVANT, _NAMES_RANKED), lambda queries: (relevant(queries[0]), in_rank_order(queries[0])),
        lambda own, docs: [("", ranked(docs), dict.fromkeys(own, 1.0))], frozenset({"unretrieved"}),
    ),
    Shape(
        "ids", (_NAMES_RELEVANT, _NAMES_RANKED), lambda queries: ({*relevant(queries[0])}, in_rank_order(queries[0])),
        lambda own, docs: [("", ranked(docs), dict.fromkeys(own, 1.0))], frozenset({"unretrieved"}),
    ),
    *(
        Shape(
            "ids", (_NAMES_RELEVANT, ("retrieved_docs", "results", "search_results")),
            lambda queries, key=key: (relevant(queries[0]), [{key: doc, "text": "a"} for doc in in_rank_order(queries[0])]),
            lambda own, docs: [("", ranked(docs), dict.fromkeys(own, 1.0))], frozenset({"unretrieved"}),
            f'[doc["{key}"] for doc in {{}}]',
        )
        for key in ("docId", "ID", "chunk_id")
    ),
    Shape(
        "graded-ids", (("rel_of_doc", "judgments", "rel_map", "qrels"), _NAMES_RANKED),
        lambda queries: (dict(queries[0].rels), in_rank_order(queries[0])),
        lambda rels, docs: [("", ranked(docs), dict(rels))], frozenset({"unretrieved", "rels"}),
    ),
    Shape(
        "scored-ids", (("rel_of_doc", "judgments", "rel_map"), ("score_of_doc", "doc_scores", "score_dict")),
        lambda queries: (dict(queries[0].rels), dict(queries[0].run)),
        lambda rels, scores: [("", list(scores.items()), dict(rels))], frozenset({"order", "ids", "unretrieved", "rels"}),
    ),
    Shape(
        "scored-list", (_NAMES_RELEVANT, _NAMES_RANKED), lambda queries: (relevant(queries[0]), list(queries[0].run)),
        lambda own, rows: [("", list(rows), dict.fromkeys(own, 1.0))], frozenset({"order", "ids", "unretrieved"}),
    ),
    Shape(
        "qrels-run", (("qrels", "judgments", "ground_truth"), ("run", "results", "run_dict")),
        lambda queries: (by_name(queries, 0, lambda q: dict(q.rels)), by_name(queries, 1, lambda q: dict(q.run))),
        lambda qrels, run: [(q, list(run.get(q, {}).items()), rels) for q, rels in qrels.items()],
        frozenset({"order", "ids", "unretrieved", "rels", "queries"}),
    ),
    Shape(
        "queries-ids", (("qrels", "relevant_docs", "ground_truth"), ("run", "retrieved", "results")),
        lambda queries: (by_name(queries, 0, relevant), by_name(queries, 1, in_rank_order)),
        lambda own, run: [(q, ranked(run.get(q, ())), dict.fromkeys(docs, 1.0)) for q, docs in own.items()],
        frozenset({"unretrieved", "queries"}),
    ),
    Shape(
        "qrels-ranked", (("qrels", "judgments"), ("run", "rankings", "retrieved")),
        lambda queries: (by_name(queries, 0, lambda q: dict(q.rels)), by_name(queries, 1, in_rank_order)),
        lambda qrels, run: [(q, ranked(run.get(q, ())), rels) for q, rels in qrels.items()],
        frozenset({"unretrieved", "rels", "queries"}),
    ),
    Shape(
        "grouped", (_NAMES_TRUE, _NAMES_SCORE, ("query_ids", "groups", "qids", "user_ids")),
        lambda queries: (
            [rel for q in queries for rel in _rows(q)[0]], [score for q in queries for score in _rows(q)[1]],
            [q.name for q in queries for _ in q.run],
        ),
        _grouped_seen, frozenset({"order", "rels", "queries"}),
    ),
    Shape(
        "group-sizes", (_NAMES_TRUE, _NAMES_SCORE, ("group_sizes", "query_lens", "sizes")),
        lambda queries: (
            [rel for q in queries for rel in _rows(q)[0]], [score for q in queries for score in _rows(q)[1]],
            [len(q.run) for q in queries],
        ),
        lambda true, score, sizes: _grouped_seen(true, score, [at for at, size in enumerate(sizes) for _ in range(int(size))]),
        frozenset({"order", "rels", "mean"}),
    ),
    Shape(
        "ranked-all", (("rels", "ranked_rels"), ("all_rels", "judged_rels", "true_rels")),
        lambda queries: (
            [queries[0].rels.get(doc, 0) for doc in in_rank_order(queries[0])], list(queries[0].rels.values()),
        ),
        lambda rels, every: [(
            "", ranked([f"{at:04}" for at in range(len(rels))]),
            {f"{at:04}": float(rel) for at, rel in enumerate(rels)} | {"every": [*map(float, every)]},
        )],
        frozenset({"unretrieved", "rels"}),
    ),
    Shape(
        "ranked-total", (("hits", "rels", "flags"), ("n_relevant", "num_relevant", "n_pos")),
        lambda queries: (
            [int(queries[0].rels.get(doc, 0) >= 1) for doc in in_rank_order(queries[0])], len(relevant(queries[0])),
        ),
        lambda hits, n: [(
            "", ranked([f"{at:04}" for at in range(len(hits))]),
            {f"{at:04}": float(rel) for at, rel in enumerate(hits)} | {"every": [1.0] * int(n)},
        )],
        frozenset({"unretrieved"}),
    ),
    Shape(
        "pairs", (("pairs", "examples", "eval_set"),),
        lambda queries: ([(in_rank_order(q), relevant(q)) for q in queries],),
        lambda pairs: [(str(at), ranked(docs), dict.fromkeys(own, 1.0)) for at, (docs, own) in enumerate(pairs)],
        frozenset({"unretrieved", "mean"}),
    ),
    Shape(
        "records", (("records", "dataset", "test_cases"),),
        lambda queries: ([{"relevant": relevant(q), "retrieved": in_rank_order(q)} for q in queries],),
        lambda pairs: [(str(at), ranked(docs), dict.fromkeys(own, 1.0)) for at, (docs, own) in enumerate(pairs)],
        frozenset({"unretrieved", "mean"}), '[(one["retrieved"], one["relevant"]) for one in {}]',
    ),
    Shape(
        "rows-of-query", (("records", "rows", "results"),),
        lambda queries: ([{"label": rel, "score": score} for rel, score in zip(*_rows(queries[0]), strict=True)],),
        lambda rows: _rows_seen(*map(list, zip(*rows, strict=True))) if rows else _rows_seen([], []),
        frozenset({"order", "rels"}), '[(row["label"], row["score"]) for row in {}]',
    ),
    Shape("frames", (("rating_true", "qrels_df", "df_true"), ("rating_pred", "run_df", "df_pred")), _frames, _frames_seen,
          frozenset({"order", "ids", "unretrieved", "rels", "queries"})),
)  # fmt: skip


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


# -- a function -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """A function, and what it is made of.

    Attributes:
        k: the cutoff that is asked.
        norel: what a query without relevant docs is worth.
        ties: the order of tied docs.
        by_query: whether it gives a value for each query, where it is given several.
        kind: a function, or a class.
        result: how it gives what it computed.
    """

    formula: Formula
    shape: Shape
    habits: Habits
    k: int
    norel: str
    ties: str
    by_query: bool
    arguments: Sequence[str] = field(default=())
    kind: str = "function"
    result: Result = RESULTS["number"]

    @property
    def measure(self) -> str:
        """As it is asked."""
        return f"{self.formula.name}@{self.k}"

    @property
    def tells(self) -> frozenset[str]:
        """What its form tells; an object that is updated tells a mean, too."""
        return self.shape.tells | ({"mean"} if self.kind == "updated" else set())

    @property
    def form(self) -> str:
        """The name of its form: one of rels and scores that is updated is as those of torchmetrics are."""
        return "torchmetrics" if self.kind == "updated" and self.shape.name == "rows" else self.shape.name

    @property
    def defect(self) -> str:
        """The name of what is wrong; "" of a right function."""
        return self.habits.get("", "")

    def __str__(self) -> str:
        made = [f"{axis or 'defect'}={value}" for axis, value in self.habits.items()]
        return " ".join(
            [
                self.measure,
                self.kind,
                f"{self.shape.name}({', '.join(self.arguments)})",
                f"norel={self.norel}",
                f"ties={self.ties}",
                *made,
            ]
        )

    def worth(
        self, rows: Sequence[tuple[str, float]], rels: Mapping[str, Any], k: int, *, habits: Habits | None = None
    ) -> float:
        """What a query is worth by what is told of it."""
        habits = self.habits if habits is None else habits
        wrong = habits.get("")
        in_order = ORDERS[self.ties](rows)
        in_order = in_order[::-1] if wrong == "ranked-backwards" else in_order
        known = rels.get("every", list(rels.values()))
        seen = Ranking([rels.get(doc, 0.0) for doc, _ in in_order], known)
        of_ideal = seen.rels if habits.get("ideal") == "retrieved" else known
        if not any(rel >= (2 if wrong == "relevant-from-2" else 1) for rel in of_ideal):
            if self.norel == "rejected":
                raise ValueError("no relevant docs")
            return float(self.norel) * (100 if wrong == "percent" else 1)
        depth = {"cutoff-ignored": 10**6, "cutoff-too-deep": k + 1}.get(wrong, k)
        if wrong == "last-doc-lost":
            seen = Ranking(seen.rels[: k - 1], known)
        value = self.formula.of(seen, depth, habits)
        return 100 * value if wrong == "percent" else value

    def function(self) -> Any:
        """It, with its arguments by their names, and k: a function, a class whose object is called, or one with `update` and `compute`."""

        def body(given: tuple[Any, ...], k: int) -> Any:
            values = {query: self.worth(rows, rels, k) for query, rows, rels in self.shape.seen(*given)}
            return self.result.of(values if self.by_query else sum(values.values()) / len(values), self.formula.name, k)

        *others, last = self.arguments
        taken = ", ".join([*others, self.shape.read.format(last)])
        scope: dict[str, Any] = {"body": body}
        text = KINDS[self.kind].format(arguments=", ".join(self.arguments), k=self.k, taken=taken)
        exec(text, scope)  # noqa: S102 - its own text
        return scope["drawn"]

    def asked(self, queries: Sequence[Query], k: int) -> Any:
        """What it gives of some queries at once, or of the only one: a number, or one by query."""
        if self.kind == "function":
            return self.result.read(self.function()(*self.shape.given(queries), k=k), self.formula.name, k)
        made = self.function()(k=k)
        if self.kind == "class":
            return self.result.read(made(*self.shape.given(queries)), self.formula.name, k)
        for query in queries:
            made.update(*self.shape.given([query]))
        return made.compute()


def drawn(seed: int, *, defects: bool) -> Drawn:
    """A function: with up to two habits, or with one defect."""
    c = Chance(seed)
    pairs = [(each, wrong) for each in FORMULAS for wrong in (each.defects if defects else [""])]
    formula, wrong = pairs[seed % len(pairs)]
    shape = c.choice([each for each in SHAPES if not defects or wrong in _possible(formula, each)])
    open_to = [one for one in formula.habits if one[1] != "retrieved" or "unretrieved" in shape.tells]
    open_to = [one for one in open_to if one != ("gain", "exp") or "rels" in shape.tells]
    habits = {"": wrong} if defects else dict(c.sample(open_to, min(len(open_to), c.choice([0, 1, 1, 2]))))
    ties = "input"
    if "order" in shape.tells:
        ties = c.choice([name for name in ORDERS if "ids" in shape.tells or not name.startswith("docid")])
    made = Drawn(
        formula, shape, habits, c.choice([3, 5, 10]), c.choice(NO_RELEVANT), ties,
        by_query="queries" in shape.tells and c.random() < 0.5,
        arguments=[c.choice(names) for names in shape.arguments],
    )  # fmt: skip
    if defects or made.by_query or c.random() < 0.5:
        return made
    kinds = ["function", "class"] if shape.tells & {"queries", "mean"} or shape.read != "{}" else list(KINDS)
    made = replace(made, kind=c.choice(kinds))
    return made if made.kind == "updated" else replace(made, result=RESULTS[c.choice(list(RESULTS))])


OF_RELS = {"relevant-from-2", "ideal-of-another-gain", "ideal-of-the-hits"}
"""The defects of rels: of flags, the ideal of the hits is that of the retrieved."""


def _possible(formula: Formula, shape: Shape) -> list[str]:
    """The defects that show in what this form tells; frames may be taken for those of relevant docs alone."""
    told = "rels" in shape.tells and shape.name != "frames"
    return [
        wrong for wrong in formula.defects
        if (told or wrong not in OF_RELS) and (wrong != "ranked-backwards" or "order" in shape.tells)
    ]  # fmt: skip


def queries(seed: int, so_many: int) -> list[Query]:
    """Queries to ask a function afterwards, that no corpus has: rels of 0 to 3, a few scores, docs of all kinds."""
    c = Chance(f"queries {seed}")
    made = []
    for at in range(so_many):
        docs = [f"d{number}" for number in c.sample(range(10, 99), c.randint(2, 14))]
        own = docs[: c.randint(1, len(docs))]
        c.shuffle(own)
        rels = {doc: c.choice([0, 0, 1, 1, 2, 3]) for doc in docs}
        if c.random() < 0.15:
            rels = dict.fromkeys(rels, 0)
        made.append(Query(f"q{at}", [(doc, c.randint(1, 5) / 8) for doc in own], rels))
    return made
