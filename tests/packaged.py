"""Functions of metrics as packages of the registry have them: how each is called is its own, what it computes is written once for all.

A row of the table is a call, with its annotations, and what is measured of its arguments, as text that Python reads: the names, notes and
texts of a function decide how it is called. What is measured are rankings of this module, by the formulas of `drawn_formulas`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict

import ir_measures
import numpy as np
import pandas as pd
from drawn_formulas import FORMULAS, Ranking, dcg
from scipy import sparse

# -- what is seen of a query --------------------------------------------------------------------------------------------


def of(rels: Iterable[float], known: Iterable[float] | None = None) -> Ranking:
    rels = [*map(float, rels)]
    return Ranking(rels, rels if known is None else [*map(float, known)])


def graded(ranked: Iterable[Any], rels: Mapping[Any, float]) -> Ranking:
    docs = list(ranked)
    return of((rels.get(doc, 0) if doc not in docs[:at] else 0 for at, doc in enumerate(docs)), rels.values())


def ids(ranked: Iterable[Any], relevant: Iterable[Any]) -> Ranking:
    return graded(ranked, dict.fromkeys(relevant, 1))


def by(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda at: -scores[at])


def scored(scores: Sequence[float], rels: Sequence[float]) -> Ranking:
    if len(scores) != len(rels):
        raise ValueError(len(scores), len(rels))
    return of([rels[at] for at in by(scores)])


def parted(relevant: Sequence[float], others: Sequence[float]) -> Ranking:
    return scored([*map(float, relevant), *map(float, others)], [1] * len(relevant) + [0] * len(others))


def grouped(queries: Sequence[Any], scores: Sequence[float], rels: Sequence[float]) -> list[Ranking]:
    at = {query: [i for i, own in enumerate(queries) if own == query] for query in queries}
    return [scored([scores[i] for i in rows], [rels[i] for i in rows]) for rows in at.values()]


def sized(sizes: Sequence[int], scores: Sequence[float], rels: Sequence[float]) -> list[Ranking]:
    return [scored(scores[a:b], rels[a:b]) for a, b in pairwise([0, *np.cumsum(sizes)])]


def placed(order: Iterable[int], places: Iterable[int]) -> Ranking:
    return graded(map(int, order), dict.fromkeys(map(int, places), 1))


def at_ranks(ranks: Sequence[int], rels: Sequence[float], first: int = 1) -> Ranking:
    at = {rank - first: rel for rank, rel in zip(ranks, rels, strict=True)}
    return of([at.get(place, 0) for place in range(int(max(at, default=-1)) + 1)], rels)


NO_HABITS: Mapping[str, str] = MappingProxyType({})


def average_of_sums(rels: Sequence[float]) -> float:
    hits = [sum(rels[:rank]) / rank for rank, rel in enumerate(rels, start=1) if rel]
    return sum(hits) / len(hits) if hits else 0.0


def f1(seen: Ranking, k: int, of_p: Mapping[str, str] = NO_HABITS, of_r: Mapping[str, str] = NO_HABITS) -> float:
    p, r = Of("P")(seen, k, **of_p), Of("R")(seen, k, **of_r)
    return 2 * p * r / (p + r) if p + r else 0.0


def best(rels: Sequence[float]) -> Sequence[float]:
    """An ideal ranking, which is sorted already."""
    if [*rels] != sorted(rels, reverse=True):
        raise ValueError(rels)
    return rels


def summed(scores: np.ndarray, flags: np.ndarray, k: int) -> np.ndarray:
    """Of each row the sum of the flags in its top k."""
    if scores.shape[1] < k:
        raise IndexError("selected index k out of range")
    return np.take_along_axis(flags, np.argsort(-scores, axis=1, kind="stable")[:, :k], axis=1).sum(axis=1)


def falling(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    return frame.sort_values(column, ascending=False, kind="stable")


def cells(frame: pd.DataFrame) -> list[list[str]]:
    return [[cell for cell in row if not pd.isna(cell)] for row in frame.to_numpy()]


def sparse_rows(scores: sparse.csr_matrix, rels: sparse.csr_matrix) -> list[Ranking]:
    rows = [(scores.getrow(at), rels.getrow(at).toarray()[0]) for at in range(scores.shape[0])]
    return [of(known[row.indices[by(row.data)]], known) for row, known in rows]


def numbered(rels: sparse.csr_matrix, rows: Iterable[int], scores: np.ndarray) -> list[Ranking]:
    return [placed(by(own), rels[row].indices) for row, own in zip(rows, scores, strict=True)]


def judged_rows(qrels: Any, run: Any) -> dict[str, Ranking]:
    rels: dict[str, dict[str, float]] = {row.query_id: {} for row in run}
    docs: dict[str, list[str]] = {query: [] for query in rels}
    for row in qrels:
        rels.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    for row in sorted(run, key=lambda row: -row.score):
        docs[row.query_id].append(row.doc_id)
    return {query: graded(ranked, rels[query]) for query, ranked in docs.items()}


def by_user(predictions: Iterable[tuple[Any, ...]], threshold: float = 1) -> dict[str, Ranking]:
    """By rows as scikit-surprise predicts them: of each user the docs of a high rel."""
    rows: dict[str, list[tuple[float, float]]] = {}
    for user, _, rel, score, _ in predictions:
        rows.setdefault(user, []).append((score, float(rel >= threshold)))
    return {user: scored(*zip(*own, strict=True)) for user, own in rows.items()}


@dataclass(frozen=True)
class Of:
    """A measure of a query, or the mean over several; an object, as the texts of a function beside another are taken for its own."""

    name: str

    def __call__(self, seen: Ranking | Iterable[Ranking], k: int = 10**6, wrong: str = "", **habits: str) -> float:
        """By the formula of that name; 0 where nothing is relevant."""
        if not isinstance(seen, Ranking):
            values = [self(one, k, wrong, **habits) for one in seen]
            return sum(values) / len(values)
        if self.name == "DCG":
            return dcg(seen.rels[:k], habits)
        formula = next(one for one in FORMULAS if one.name == self.name)
        return formula.of(seen, k, {"": wrong, **habits}) if any(rel >= 1 for rel in seen.known) else 0.0


# -- what stands beside a function --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A dataclass with methods, as rankkit 0.1.0 has it."""

    qid: str
    ranking: tuple[str, ...]
    relevance: dict[str, float]

    def gain(self, doc: str) -> float:
        """The rel of a doc."""
        return self.relevance.get(doc, 0.0)


class Sample(NamedTuple):
    """A named tuple, whose query is its text."""

    question: str
    retrieved: list[str]
    gold_ids: list[str]


class Answer(TypedDict):
    """A dict of which the keys are told, one of them by nobody."""

    retrieved_ids: list[str]
    relevant_ids: set[str]
    model: str


@dataclass
class Ranked:
    """A dataclass with a field of the name that a list has."""

    gold: list[str]
    list: "list[str]"


def gold_of(record: Mapping[str, Any]) -> set[str]:
    return set(record["golden_chunk_ids"])


def id_of(chunk: Mapping[str, str]) -> str:
    return chunk["chunk_id"]


def by_ideal(gains: Sequence[float], ideal: Sequence[float], k: int) -> float:
    """It raises where there are fewer docs than the cutoff, and where nothing is relevant."""
    return dcg(gains[:k], {}) / dcg(ideal[:k], {}) if len(gains) >= k else math.log(0)


def are_numbers(*told: Iterable[object]) -> bool:
    if not all(isinstance(one, int) and one > 0 for some in told for one in some):
        raise TypeError(told)
    return True


def tops(frame: pd.DataFrame, user: str, item: str, score: str) -> dict[str, list[str]]:
    """The docs of each query, best first."""
    ranked = frame.sort_values(score, ascending=False, kind="stable")
    return {str(query): list(rows[item]) for query, rows in ranked.groupby(user)}


def of_columns(true: pd.DataFrame, pred: pd.DataFrame, *columns: str) -> list[Ranking]:
    """Of each query that is judged, by the columns of queries, docs, rels and scores."""
    user, item, rel, score = columns
    found, good = tops(pred, user, item, score), true[true[rel] > 0]
    return [ids(found.get(str(query), []), good[good[user] == query][item]) for query in true[user].unique()]


class Kept:
    """What is shown one batch after another, and asked at the end."""

    def __init__(self, k: int = 10**6) -> None:
        self.k = k
        self.reset()

    def reset(self) -> None:
        """Forget all."""
        self.values: list[float] = []

    def compute(self) -> float:
        """The mean."""
        return math.fsum(self.values) / len(self.values)


class TableOfFirst(Kept):
    """Takes tables, as metrics of Keras do."""

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Take a batch of queries."""
        assert sample_weight is None
        self.values += [Of("RR")(scored(scores, rels), self.k) for rels, scores in zip(y_true, y_pred, strict=True)]

    def result(self) -> float:
        """The mean."""
        return self.compute()


class TableOfIds(Kept):
    """Takes tables of ids, by other words."""

    def add(self, retrieved: Sequence[Sequence[str]], relevant: Sequence[Sequence[str]]) -> None:
        """Take a batch of queries."""
        self.values += [Of("R")(ids(ranked, gold), self.k) for ranked, gold in zip(retrieved, relevant, strict=True)]


class PairedHits(Kept):
    """Counts hits, as metrics of a training loop do."""

    def __init__(self, k: int) -> None:
        super().__init__(k)

    def update(self, output: tuple[Any, Any]) -> None:
        """Take a batch."""
        self.values += [Of("Success")(scored(*one), self.k) for one in zip(*output, strict=True)]


class PairedFirst(Kept):
    """Keeps how far down the first hit was."""

    def __init__(self) -> None:
        super().__init__()

    def update(self, output: Any) -> None:
        """Take a query."""
        (scores,), (rels,) = output
        self.values.append(Of("RR")(scored(scores, rels)))


class SeenQueries:
    """Precision of one query after the other."""

    def __init__(self, k: int) -> None:
        self.k = k

    def evaluate(self, query_id: str, y_true: Sequence[float], y_score: Sequence[float]) -> float:
        """Of this query."""
        return Of("P")(scored(y_score, y_true), self.k) if query_id else 0.0


class Recall:
    """A class whose method takes an object."""

    def __init__(self, k: int = 5) -> None:
        self.k = k

    def score(self, sample: Sample) -> float | None:
        """None where nothing is relevant."""
        return Of("R")(ids(sample.retrieved, sample.gold_ids), self.k) if sample.gold_ids else None


class HitsOfColumns:
    """As jurity 2.3.0 is told its columns: that of the scores is called as that of the clicks."""

    def __init__(self, user_id_column: str, item_id_column: str, click_column: str, k: int = 10) -> None:
        self.columns, self.k = (user_id_column, item_id_column, click_column, click_column), k

    def get_score(self, actual_results: pd.DataFrame, predicted_results: pd.DataFrame) -> float:
        """The share of queries with a hit."""
        return Of("Success")(of_columns(actual_results, predicted_results, *self.columns), self.k)


class RankOfColumns:
    """The rank is counted from 0, and the first one lost."""

    def __init__(self, query_column: str, doc_column: str, col_rating: str = "grade") -> None:
        self.columns = (query_column, doc_column, col_rating, col_rating)

    def evaluate(self, df_true: pd.DataFrame, df_pred: pd.DataFrame) -> float:
        """The mean over the queries of the judgments."""
        return Of("RR")(of_columns(df_true, df_pred, *self.columns), wrong="ranks-from-0")


SCOPE: Mapping[str, Any] = {
    **{one.name: Of(one.name) for one in FORMULAS},
    "DCG": Of("DCG"),
    **{
        one.__name__: one
        for one in (
            average_of_sums,
            f1,
            of,
            graded,
            ids,
            by,
            scored,
            parted,
            grouped,
            sized,
            placed,
            at_ranks,
            best,
            summed,
            cells,
            sparse_rows,
            numbered,
            judged_rows,
            by_user,
            falling,
            Run,
            Sample,
            Answer,
            Ranked,
            gold_of,
            id_of,
            by_ideal,
            are_numbers,
            of_columns,
            Any,
            Iterable,
            Mapping,
            Sequence,
        )
    },
    "math": math,
    "np": np,
    "pd": pd,
    "__name__": __name__,
}
BESIDE = {"sparse": sparse, "ir_measures": ir_measures}
"""What a module has imported whose objects it takes."""


@cache
def made(call: str, measured: str, beside: str = "") -> Any:
    """A function that is called so, of a module that has imported what is named."""
    scope: dict[str, Any] = {**SCOPE, **{name: BESIDE[name] for name in beside.split()}}
    exec(f"def {call}:\n    return {measured}\n", scope)  # noqa: S102 - its own text
    return scope[call.partition("(")[0]]


@dataclass(frozen=True)
class Packaged:
    """A function and how it is to be called.

    Attributes:
        begins: how the answer to it begins; of a right one each answer to ordinary input is explained.
        told: by what its target is told: the form, and others of its attributes.
        writes: what stands in the script that calls it.
        given: what is given as `--with`.
        always: whether it is tried in each run, and not in one of several.
    """

    function: Any
    measure: str
    begins: str
    told: Mapping[str, Any]
    writes: Sequence[str] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    always: bool = False

    def __str__(self) -> str:
        return self.function.__name__


def rows(
    *every: tuple[Any, ...], beside: str = "", writes: Sequence[str] = (), always: bool = False, **told: Any
) -> Iterator[Packaged]:
    """Functions of one form: a call, what is measured, the measure, how the answer begins if it is no yes, and what else is told."""
    for call, measured, measure, *more in every:
        begins = next((one for one in more if isinstance(one, str)), "yes")
        own = next((one for one in more if isinstance(one, dict)), {})
        function = made(call, measured, beside) if isinstance(call, str) else call
        of_row = {name: own.pop(name) for name in ("writes", "given", "always") if name in own}
        others = {"writes": writes, "always": always} | of_row
        yield Packaged(function, measure, begins, told | own, **others)
