"""Ingredients of a call: the inputs that a user's function can take, computed when the call reads them.

The code, `rankproof check --help` and the documentation all use the table `INGREDIENTS`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from rankproof.cases.inputs import Input

GRADES = "relevance grades"
UNRETRIEVED = "unretrieved relevant documents"
JUDGMENTS = "which documents are judged"
ORDER = "the ranking"
SCORES = "scores"
ROWS = "the input order"
REPEATS = "documents retrieved twice"
REPEATED_JUDGMENTS = "documents judged twice"
MISSING = "missing queries"
"""Properties of the input that an ingredient shows to a function."""

_EVERYTHING = (GRADES, UNRETRIEVED, JUDGMENTS, MISSING)
_RUN = (SCORES, ROWS, MISSING)


class Unsupported(Exception):
    """A query that a call with `only_relevant` skips, because it does not have exactly one relevant document."""


@dataclass(frozen=True)
class Ingredient:
    """A name that a call may use, such as `rels`.

    Attributes:
        type: the Python type.
        text: a description in one line.
        shows: the properties of the input that it shows.
        of_all: whether it holds all queries instead of one query.
    """

    name: str
    type: str
    text: str
    shows: frozenset[str]
    of_all: bool = False


def _of_query(name: str, kind: str, text: str, *shows: str) -> Ingredient:
    return Ingredient(name, kind, text, frozenset(shows))


def _of_all(name: str, kind: str, text: str, *shows: str) -> Ingredient:
    return Ingredient(name, kind, text, frozenset(shows), of_all=True)


INGREDIENTS: Mapping[str, Ingredient] = {
    ingredient.name: ingredient
    for ingredient in (
        _of_query("ranked", "list[str]", "ids, best first; tied documents in input order", REPEATS, ORDER),
        _of_query("scores", "list[float]", "scores, aligned with ranked", SCORES, ORDER),
        _of_query("rels", "list[int]", "grades, aligned with ranked; 0 if unjudged", GRADES, ORDER),
        _of_query("relevant", "list[str]", "ids of the relevant documents", UNRETRIEVED),
        _of_query("judgments", "dict[str, int]", "grade by id", GRADES, UNRETRIEVED, JUDGMENTS),
        _of_query("score_of", "dict[str, float]", "score by id, in input order", SCORES, ROWS),
        _of_query("docs", "list[str]", "ids in input order", ROWS, REPEATS),
        _of_query("ideal", "list[int]", "all judged grades, highest first", GRADES, UNRETRIEVED, JUDGMENTS),
        _of_query("n_relevant", "int", "number of relevant documents", UNRETRIEVED),
        _of_query("hit_ranks", "list[int]", "ranks of relevant documents, from 1, not cut", ORDER),
        _of_query("y_true", "list[int]", "grades of the retrieved documents in input order", GRADES, ROWS),
        _of_query("y_score", "list[float]", "scores of the same documents", SCORES, ROWS),
        _of_query("only_relevant", "str", "the relevant id, if there is exactly one", UNRETRIEVED),
        _of_query("query", "str", "id of the query"),
        _of_query("k", "int", "the cutoff of the measure"),
        _of_all("qrels", "dict[str, dict[str, int]]", "grade by query and id", *_EVERYTHING),
        _of_all("run", "dict[str, dict[str, float]]", "score by query and id", *_RUN),
        _of_all("queries", "list[Query]", "objects with the ingredients above"),
        _of_all("qrels_frame", "DataFrame", "query_id, doc_id, relevance", *_EVERYTHING, REPEATED_JUDGMENTS),
        _of_all("run_frame", "DataFrame", "query_id, doc_id, score", *_RUN, REPEATS),
        _of_all("qrels_file", "str", "path of a TREC qrels file", *_EVERYTHING, REPEATED_JUDGMENTS),
        _of_all("run_file", "str", "path of a TREC run file", *_RUN, REPEATS),
        _of_all("labels_true", "list", "of clustering measures: the label of each item"),
        _of_all("labels_pred", "list", "of clustering measures: the predicted labels"),
    )
}
"""All ingredients by name."""
ANY_SCOPE = frozenset({"k"})
"""Ingredients for calls of one query and for calls of all queries."""


def shown_by(names: Iterable[str]) -> frozenset[str]:
    """Return the properties of the input that some ingredients show."""
    return frozenset[str]().union(*(INGREDIENTS[name].shows for name in names if name in INGREDIENTS))


@dataclass
class QueryData:
    """Rows and judgments of one query, the source of its ingredients.

    Attributes:
        rows: id and score of each retrieved document, in input order.
        judged: id and grade of each judgment.
        threshold: the lowest grade of a relevant document.
    """

    query: str
    rows: Sequence[tuple[str, float]]
    judged: Sequence[tuple[str, float]]
    k: int | None
    threshold: float

    @cached_property
    def by_score(self) -> list[tuple[str, float]]:
        """The rows by descending score, with equal scores in input order."""
        return sorted(self.rows, key=lambda row: -row[1])

    @cached_property
    def grades(self) -> dict[str, float]:
        """The grade of each judged document."""
        return dict(self.judged)

    @property
    def relevant(self) -> list[str]:
        """The ids of the relevant documents, in the order of the judgments; twice if judged twice."""
        return [doc for doc, grade in self.judged if grade >= self.threshold]

    @property
    def only_relevant(self) -> str:
        """The id of the only relevant document.

        Raises:
            Unsupported: the query has none or several.
        """
        relevant = set(self.relevant)
        if len(relevant) != 1:
            raise Unsupported
        return relevant.pop()

    def grades_of(self, rows: Iterable[tuple[str, float]]) -> list[float]:
        """Return the grades of rows; unjudged documents have 0."""
        return [self.grades.get(doc, 0) for doc, _ in rows]


_OF_QUERY: Mapping[str, Callable[[QueryData], Any]] = {
    "ranked": lambda data: [doc for doc, _ in data.by_score],
    "scores": lambda data: [score for _, score in data.by_score],
    "rels": lambda data: data.grades_of(data.by_score),
    "relevant": lambda data: data.relevant,
    "judgments": lambda data: dict(data.grades),
    "score_of": lambda data: dict(data.rows),
    "docs": lambda data: [doc for doc, _ in data.rows],
    "ideal": lambda data: sorted(data.grades.values(), reverse=True),
    "n_relevant": lambda data: len(set(data.relevant)),
    "hit_ranks": lambda data: [
        rank for rank, grade in enumerate(data.grades_of(data.by_score), 1) if grade >= data.threshold
    ],
    "y_true": lambda data: data.grades_of(data.rows),
    "y_score": lambda data: [score for _, score in data.rows],
    "only_relevant": lambda data: data.only_relevant,
    "query": lambda data: data.query,
    "k": lambda data: data.k,
}


@dataclass(eq=False)
class CollectionData:
    """Qrels and run of all queries, the source of their ingredients."""

    data: Input
    k: int | None
    threshold: float
    reads: set[str]

    @cached_property
    def folder(self) -> Path:
        """A temporary folder for files, which is deleted together with this object."""
        folder = Path(mkdtemp(prefix="rankproof-"))
        finalize(self, rmtree, folder, ignore_errors=True)
        return folder

    @property
    def query_names(self) -> tuple[str, ...]:
        """The queries that are judged and retrieved, in the order of the qrels."""
        return tuple(query for query in self.data.judged if query in self.data.scored)

    def queries(self) -> "list[Query]":
        """Return the query objects of all judged and retrieved queries."""
        return [Query(query_data(self.data, query, self.k, self.threshold), self.reads) for query in self.query_names]

    def frame(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
        """Return rows as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame([[str(row[0]), str(row[1]), row[2]] for row in rows], columns=list(columns))

    def file(self, name: str, lines: Iterable[str]) -> str:
        """Write lines to a file and return its path."""
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)


_OF_ALL: Mapping[str, Callable[[CollectionData], Any]] = {
    "k": lambda of: of.k,
    "qrels": lambda of: {query: {str(doc): grade for doc, grade in rows} for query, rows in of.data.judged.items()},
    "run": lambda of: {query: {str(doc): score for doc, score, _ in rows} for query, rows in of.data.scored.items()},
    "queries": CollectionData.queries,
    "qrels_frame": lambda of: of.frame(("query_id", "doc_id", "relevance"), of.data.qrels),
    "run_frame": lambda of: of.frame(("query_id", "doc_id", "score"), of.data.run),
    "qrels_file": lambda of: of.file(
        "qrels.txt", (f"{query} 0 {doc} {grade:g}" for query, doc, grade in of.data.qrels)
    ),
    "run_file": lambda of: of.file(
        "run.txt", (f"{query} Q0 {doc} {rank} {score!r} run" for query, doc, score, rank in of.data.run)
    ),
    "labels_true": lambda of: list(of.data.true or ()),
    "labels_pred": lambda of: list(of.data.predicted or ()),
}


def query_data(data: Input, query: str, k: int | None, threshold: float) -> QueryData:
    """Return the rows and judgments of one query of an input."""
    rows = [(str(doc), score) for doc, score, _ in data.scored.get(query, ())]
    judged = [(str(doc), grade) for doc, grade in data.judged.get(query, ())]
    return QueryData(query, rows, judged, k, threshold)


class Ingredients:
    """Ingredients as attributes, computed and added to `reads` when they are read."""

    def __init__(self, compute: Mapping[str, Callable[[Any], Any]], data: Any, reads: set[str]) -> None:
        self._compute = compute
        self._data = data
        self._reads = reads
        self._values: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._compute:
            raise AttributeError(f"{name!r} is not an ingredient here; the ingredients are {', '.join(self._compute)}")
        self._reads.add(name)
        if name not in self._values:
            self._values[name] = self._compute[name](self._data)
        return self._values[name]

    def changed(self) -> frozenset[str]:
        """Return the names of the lists and dicts that the function changed in place."""
        plain = {name: value for name, value in self._values.items() if isinstance(value, list | dict)}
        of_queries = (query.changed() for query in plain.pop("queries", ()))
        own = {name for name, value in plain.items() if repr(value) != repr(self._compute[name](self._data))}
        return frozenset[str]().union(own, *of_queries)


class Query(Ingredients):
    """The ingredients of one query."""

    def __init__(self, data: QueryData, reads: set[str]) -> None:
        super().__init__(_OF_QUERY, data, reads)


class Collection(Ingredients):
    """The ingredients of all queries."""

    def __init__(self, data: CollectionData) -> None:
        super().__init__(_OF_ALL, data, data.reads)
