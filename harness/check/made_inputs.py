"""Generated inputs for `check`: contrasts, imperfect runs and repeated documents.

The inputs of a group in `contrasts` differ in one property only. A function ignores the property if it returns one
value within each group.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.notation import Measure

RELEVANCE, ORDER, SCORES = "relevance", "order", "scores"
MADE = "made"
LONGEST = 60
"""The largest cutoff that has generated inputs with more documents than the cutoff."""
JUDGED = ({1: 1, 3: 1}, {2: 1, 5: 1}, {5: 1}, {1: 4, 2: 1}, {2: 4, 5: 3}, {4: 4})
"""Grades by rank; other documents have grade 0."""
_QUERY = "q"


def case_of(name: str, question: str, data: Input) -> Case:
    """Return a case with a generated input."""
    return Case(f"{MADE}/{name}", question, "", "", (), data)


def one_query(judged: Mapping[str, float], ranked: Sequence[str], scores: Sequence[float] | None = None) -> Input:
    """Return an input of one query.

    >>> one_query({"a": 1}, ["b", "a"]).run
    (('q', 'b', 2.0, 1), ('q', 'a', 1.0, 2))
    """
    row_scores = scores or [float(len(ranked) - place) for place in range(len(ranked))]
    rows = enumerate(zip(ranked, row_scores, strict=True), start=1)
    return Input(
        tuple((_QUERY, doc, grade) for doc, grade in judged.items()),
        tuple((_QUERY, doc, score, rank) for rank, (doc, score) in rows),
    )


def _docs(n: int) -> list[str]:
    return [f"d{i * 37 % 101}" for i in range(1, n + 1)]


@lru_cache(maxsize=64)
def contrasts(k: int | None) -> Mapping[str, tuple[tuple[Input, ...], ...]]:
    """Return groups of inputs that differ only in relevance, only in order, or only in scores."""
    n = max(5, min(k or 0, LONGEST)) + 3
    docs = _docs(n)
    judged = [{doc: grades.get(rank, 0) for rank, doc in enumerate(docs, start=1)} for grades in JUDGED]
    zeros = dict.fromkeys(docs, 0)
    missed = [zeros, {**zeros, "u1": 1}, {**zeros, docs[1]: 1, "u1": 1, "u2": 1}]
    mixed = [*docs[3:4], *docs[:1], *docs[1:3], *docs[4:]]
    rising, falling = ([1 + i / 64 for i in order] for order in (range(n), range(n, 0, -1)))
    turned = [*falling[n // 2 :], *falling[: n // 2]]
    return {
        RELEVANCE: (
            tuple(one_query(grades, docs) for grades in (*judged, *missed)),
            tuple(one_query(grades, docs, rising) for grades in (*judged, *missed)),
        ),
        ORDER: tuple(
            tuple(one_query(grades, order) for order in (docs, docs[::-1], [*docs[2:], *docs[:2]], mixed))
            for grades in judged
        ),
        SCORES: tuple(
            tuple(one_query(grades, docs, scores) for scores in (falling, rising, turned)) for grades in judged
        ),
    }


def made_cases(measure: Measure, *, twice: bool) -> Iterator[Case]:
    """Yield the generated inputs that are tested in addition to the corpus.

    Args:
        measure: the requested measure.
        twice: whether the call can show a ranking that repeats a document.
    """
    if measure.of_labels:
        return
    k, least = cutoff_of(measure), max(1, int(measure.rel))
    rising = [0.1, 0.2, 0.3, 0.4, 0.5, 0.9]
    for name, question, judged, ranked in (
        *_small(least),
        *_around_cutoff(k, least),
        *(_repeated(least) if twice else ()),
    ):
        yield case_of(name, question, one_query(judged, ranked, rising if name == "last-row" else None))
    for aspect, groups in contrasts(k).items():
        for number, group in enumerate(groups):
            yield from (case_of(f"{aspect}-{number}", "", data) for data in group)


_Made = tuple[str, str, Mapping[str, float], Sequence[str]]
"""A name, a description, grades and a ranking."""


def _small(least: int) -> tuple[_Made, ...]:
    """Return small inputs; `least` is the lowest relevant grade."""
    only_last = {doc: least * (doc == "f") for doc in "abcdef"}
    return (
        ("second-rank", "a relevant document at rank 2", {"a": least}, ["x", "a"]),
        ("missed-document", "a run that finds one of two relevant documents", {"a": least, "b": least}, ["a"]),
        ("missed-best-document", "a run that misses the best document", {"a": least + 1, "b": least}, ["b", "x"]),
        ("last-row", "six documents in rising score order, only the last one relevant", only_last, "abcdef"),
    )


def _around_cutoff(k: int | None, least: int) -> tuple[_Made, ...]:
    """Return inputs with relevant documents on both sides of the cutoff."""
    if k is None or k > LONGEST:
        return ()
    docs = ["a", *(f"x{rank}" for rank in range(2, k + 1)), "b"]
    ends = {doc: least * (doc in {"a", "b"}) for doc in docs}
    many = [f"d{rank:02}" for rank in range(1, k + 3)]
    late = {**dict.fromkeys(many, 0), many[-1]: least, "u": least}
    last = f"only the document at rank {k + 2} and one unretrieved document are relevant"
    return (
        ("below-the-cutoff", f"a run that ranks one of two relevant documents below rank {k}", ends, docs),
        ("many-relevant", f"{k + 2} documents, all of them relevant", dict.fromkeys(many, least), many),
        ("late-hit", last, late, many),
    )


def _repeated(least: int) -> tuple[_Made, ...]:
    """Return rankings that repeat a document."""
    text = "a ranking that names a document twice"
    return (
        ("relevant-document-twice", text, {"a": least}, ["a", "a"]),
        ("two-documents-twice", text, {"a": least, "b": least}, ["a", "b", "a", "b"]),
        ("non-relevant-document-twice", text, {"a": least, "x": 0}, ["x", "x", "y"]),
    )


def relevant_twice(threshold: float) -> tuple[Input, Input]:
    """Return an input, and the same input with a relevant document judged twice."""
    judged = (("q", "b", max(1, int(threshold))), ("q", "a", max(1, int(threshold))))
    plain = one_query({"a": 1}, ["b", "x", "a"])
    once, twice = (Input(rows, plain.run) for rows in (judged, (judged[0], *judged)))
    return once, twice
