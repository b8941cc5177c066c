"""Random qrels, runs and labelings for tests of laws, and the settings of these tests."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from rankproof.reference_impl.evaluation import Answer, Collection, Value
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rel

settings.register_profile("laws", max_examples=40, deadline=None, derandomize=True, database=None)
if settings.get_current_profile_name() == "default":  # without `conftest.py` no profile is chosen
    settings.load_profile("laws")

DOCS = ("9", "10", "a", "B", "é", "\U0001f600")
"""Names whose order differs by bytes, number, letter case and UTF-16."""
GRADES = (0, 0, 0, 1, 2, 3)
"""Grades of documents; half of them are not relevant."""


class Query(NamedTuple):
    """A query: the rows of a run and the judgments of its documents."""

    rows: Sequence[QueryRow]
    judgments: Sequence[Judgment]


@st.composite
def queries(
    draw: st.DrawFn, *, docs: int = 5, rels: Sequence[Rel] = GRADES, scores: int = 2, relevant: bool = False
) -> Query:
    """Draw a query of a few documents with many ties; `relevant`: with a retrieved relevant document."""
    sizes = st.sampled_from(range(int(relevant), docs + 1))
    judged = draw(st.permutations(DOCS[:docs]))[: draw(sizes)]
    judgments = [Judgment(doc, draw(st.sampled_from(rels))) for doc in judged]
    retrieved = draw(st.permutations(DOCS[:docs]))[: draw(sizes)]
    if relevant:
        judgments[0] = Judgment(judged[0], draw(st.sampled_from([rel for rel in rels if rel >= 1])))
        retrieved = list(dict.fromkeys([*retrieved, judged[0]]))
    rows = [QueryRow(doc, float(draw(st.integers(1, scores))), rank) for rank, doc in enumerate(retrieved, start=1)]
    return Query(rows, judgments)


def untied(*, docs: int = 6, rels: Sequence[Rel] = GRADES) -> st.SearchStrategy[Query]:
    """Return a strategy for queries without ties, with a relevant document."""
    return queries(docs=docs, rels=rels, relevant=True).map(
        lambda query: Query([row._replace(score=-float(row.rank)) for row in query.rows], query.judgments)
    )


@st.composite
def labelings(draw: st.DrawFn, *, most: int = 6, least: int = 0) -> tuple[list[int], list[int]]:
    """Draw two labelings of the same items."""
    n = draw(st.integers(least, most))
    labels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return draw(labels), draw(labels)


def run_of(*docs: str) -> list[QueryRow]:
    """Return documents from best to worst; documents joined as in 'b=a' are tied."""
    return [QueryRow(doc, -float(i), i) for i, tied in enumerate(docs, start=1) for doc in tied.split("=")]


def judged_as(**rels: Rel) -> list[Judgment]:
    """Return judgments of documents by name."""
    return [Judgment(doc, rel) for doc, rel in rels.items()]


def answer(measure: str, query: Query | Iterable[Sequence[object]], spec: str = "") -> Answer:
    """Evaluate a measure of one query, named q."""
    rows, judgments = query
    return Collection({"q": judgments}, {"q": rows}).answer(parse(measure), profile(spec))  # type: ignore[dict-item]


def value(measure: str, query: Query | Iterable[Sequence[object]], spec: str = "") -> Value:
    """Return the value of one query; raise KeyError if the mean omits the query."""
    return answer(measure, query, spec).per_query["q"]


HALF = Fraction(1, 2)
