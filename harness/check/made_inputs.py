"""Inputs made for `check`: pairs that differ in one thing, runs that are imperfect, and documents that are named twice.

Each group of `contrasts` holds inputs that differ only in what the group is about. A function that returns one value for all of a group,
in every group, does not depend on it.
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
"""The deepest cutoff for which inputs are made that are longer than it."""
JUDGED = ({1: 1, 3: 1}, {2: 1, 5: 1}, {5: 1}, {1: 4, 2: 1}, {2: 4, 5: 3}, {4: 4})
"""Grades of documents by their rank; all others are judged 0."""
_QUERY = "q"


def case_of(name: str, question: str, data: Input) -> Case:
    """Return a case that holds an input made here."""
    return Case(f"{MADE}/{name}", question, "", "", (), data)


def one_query(judged: Mapping[str, float], ranked: Sequence[str], scores: Sequence[float] | None = None) -> Input:
    """Return an input of one query.

    >>> one_query({"a": 1}, ["b", "a"]).run
    (('q', 'b', 2.0, 1), ('q', 'a', 1.0, 2))
    """
    given = scores or [float(len(ranked) - place) for place in range(len(ranked))]
    return Input(
        tuple((_QUERY, doc, grade) for doc, grade in judged.items()),
        tuple((_QUERY, doc, score, rank) for rank, (doc, score) in enumerate(zip(ranked, given, strict=True), start=1)),
    )


def _docs(n: int) -> list[str]:
    return [f"d{i * 37 % 101}" for i in range(1, n + 1)]


@lru_cache(maxsize=64)
def contrasts(k: int | None) -> Mapping[str, tuple[tuple[Input, ...], ...]]:
    """Return, for relevance, order and scores, groups of inputs that differ only in that."""
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
    """Yield the inputs that are tested besides the corpus.

    Args:
        measure: the requested measure.
        twice: whether the call can be passed a ranking that names a document twice.
    """
    if measure.of_labels:
        return
    k = cutoff_of(measure)
    threshold = max(1, int(measure.rel))
    yield case_of("second-rank", "a relevant document at rank 2", one_query({"a": threshold}, ["x", "a"]))
    yield case_of(
        "missed-document",
        "a run that finds one of two relevant documents",
        one_query({"a": threshold, "b": threshold}, ["a"]),
    )
    yield case_of(
        "missed-best-document",
        "a run that misses the best document",
        one_query({"a": threshold + 1, "b": threshold}, ["b", "x"]),
    )
    yield case_of(
        "last-row",
        "six documents in rising score order, of which only the last is relevant",
        one_query({doc: threshold * (doc == "f") for doc in "abcdef"}, list("abcdef"), [0.1, 0.2, 0.3, 0.4, 0.5, 0.9]),
    )
    if k is not None and k <= LONGEST:
        docs = ["a", *(f"x{rank}" for rank in range(2, k + 1)), "b"]
        judged = {doc: threshold * (doc in {"a", "b"}) for doc in docs}
        yield case_of(
            "below-the-cutoff",
            f"a run that ranks one of two relevant documents below rank {k}",
            one_query(judged, docs),
        )
        many = [f"d{rank:02}" for rank in range(1, k + 3)]
        yield case_of(
            "many-relevant", f"{k + 2} documents, all of them relevant", one_query(dict.fromkeys(many, threshold), many)
        )
        late = {**dict.fromkeys(many, 0), many[-1]: threshold, "u": threshold}
        yield case_of(
            "late-hit",
            f"only the document at rank {k + 2} and one unretrieved document are relevant",
            one_query(late, many),
        )
    for aspect, groups in contrasts(k).items():
        for number, group in enumerate(groups):
            for data in group:
                yield case_of(f"{aspect}-{number}", "", data)
    if twice:
        yield from _repeated(threshold)


def _repeated(threshold: int) -> Iterator[Case]:
    text = "a ranking that names a document twice"
    yield case_of("relevant-document-twice", text, one_query({"a": threshold}, ["a", "a"]))
    yield case_of("two-documents-twice", text, one_query({"a": threshold, "b": threshold}, ["a", "b", "a", "b"]))
    yield case_of("non-relevant-document-twice", text, one_query({"a": threshold, "x": 0}, ["x", "x", "y"]))


def relevant_twice(threshold: float) -> tuple[Input, Input]:
    """Return an input, and the same with a relevant document that is judged twice."""
    judged = (("q", "b", max(1, int(threshold))), ("q", "a", max(1, int(threshold))))
    plain = one_query({"a": 1}, ["b", "x", "a"])
    once, twice = (Input(rows, plain.run) for rows in (judged, (judged[0], *judged)))
    return once, twice
