"""Axes that can matter: to a measure on any input, and to one case under any other conventions.

The lists are safe, not minimal: an axis that is left out never matters, but an axis on the list may not matter
either. A test compares them with brute force on the corpus. Profiles that agree on the axes of a case are computed
only once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import trunc

from rankproof.cases.inputs import Input
from rankproof.grouping import grouped
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import can_look_at, declares, fixed_by_parameters
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import as_float32


def values_of(axis: str) -> tuple[str, ...]:
    """Return the choices of an axis to try. `unspecified` is left out, because it is the lack of a choice."""
    return (*(value for value in AXES[axis].values if value != "unspecified"), *AXES[axis].also_tried)


@lru_cache(maxsize=4096)
def free_axes(measure: Measure) -> tuple[str, ...]:
    """Return the axes that can matter to a measure, except those that its parameters fix.

    >>> from rankproof.reference_impl.notation import parse
    >>> [axis in free_axes(parse("nDCG(dcg='exp-log2')@10")) for axis in ("gain", "discount", "ideal", "p_denominator")]
    [False, False, True, False]
    """
    return tuple(axis for axis in axes_of(measure) if axis not in fixed_by_parameters(measure))


def possible(measure: Measure, axis: str, value: str) -> bool:
    """Return whether a choice exists for a measure: only ratios of counts have a pooled mean."""
    return (
        measure.of_labels
        or (axis, value) != ("mean", "pooled")
        or (measure.definition.total == "mean" and measure.definition.is_ratio)
    )


@dataclass(frozen=True)
class _Query:
    """Properties of one query that show which axes can matter."""

    name: str
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    docs: tuple[str, ...]
    judgments: tuple[tuple[str, float], ...]
    in_qrels: bool

    @cached_property
    def singles(self) -> tuple[float, ...]:
        """The scores as float32."""
        return tuple(map(as_float32, self.scores))

    @property
    def in_line(self) -> bool:
        """Whether scores strictly decrease, ranks increase, and no document occurs twice."""
        pairs = zip(self.singles, self.singles[1:], strict=False)
        return all(a > b for a, b in pairs) and sorted(self.ranks) == list(self.ranks) and not self.run_twice

    @property
    def run_twice(self) -> bool:
        return len(set(self.docs)) < len(self.docs)

    @property
    def judged_twice(self) -> bool:
        return len({doc for doc, _ in self.judgments}) < len(self.judgments)

    @cached_property
    def positive(self) -> frozenset[str]:
        """The documents with positive scores whose ids differ from that of the query."""
        scored = zip(self.docs, self.scores, strict=True)
        return frozenset(doc for doc, score in scored if score > 0 and doc != self.name)

    @property
    def own_doc(self) -> bool:
        return self.name in self.docs

    @cached_property
    def not_retrieved(self) -> frozenset[str]:
        """The judged documents that some convention counts as not retrieved."""
        return frozenset(doc for doc, _ in self.judgments) - self.positive

    @cached_property
    def most(self) -> int:
        """The most documents that a ranking can have under any convention."""
        return len(self.docs) + 2 * len(self.judgments)

    def least(self) -> int:
        """Return the fewest documents that a ranking can have, unless a convention on its rows makes it empty."""
        # A document can be judged twice.
        judged, negative = ({doc for doc, rel in self.judgments if (rel < 0) is below} for below in (False, True))
        return len(self.positive & judged - negative)

    def perhaps_relevant(self, threshold: float) -> int:
        """Return how many judgments make a document relevant under some convention."""
        return sum(rel != 0 or rel >= threshold for _, rel in self.judgments)

    def surely_retrieved(self, threshold: float) -> int:
        """Return how many retrieved documents are relevant under every convention."""
        return sum(
            doc in self.positive and all(rel >= 1 and trunc(rel) >= threshold for rel in rels)
            for doc, rels in grouped(self.judgments).items()
        )


def _facts_of(data: Input, query: str) -> _Query:
    rows, judgments = data.scored.get(query, ()), data.judged.get(query, ())
    return _Query(
        str(query),
        tuple(score for _, score, _ in rows),
        tuple(rank for _, _, rank in rows),
        tuple(str(doc) for doc, _, _ in rows),
        tuple((str(doc), rel) for doc, rel in judgments),
        query in data.judged,
    )


@dataclass(frozen=True)
class Facts:
    """Properties of an input that show which axes can matter to it."""

    queries: tuple[_Query, ...]
    number_ids: bool
    names: bool
    """Whether a query id has characters other than digits."""

    @classmethod
    def of(cls, data: Input) -> "Facts":
        """Collect the properties of an input."""
        queries = [str(query) for query in data.queries]
        facts = tuple(_facts_of(data, query) for query in queries)
        return cls(facts, data.number_ids, not all(query.isdigit() for query in queries))

    @cached_property
    def rels(self) -> frozenset[float]:
        """The relevance grades, as judged and as some convention may read them."""
        rels = {rel for query in self.queries for _, rel in query.judgments}
        return frozenset(rels | {trunc(rel) for rel in rels if math.isfinite(rel)} | {0 for rel in rels if rel < 0})

    @cached_property
    def graded(self) -> bool:
        """Whether a grade is neither 0 nor 1."""
        return any(rel not in {0, 1} for rel in self.rels)

    def disputed(self, threshold: float) -> bool:
        """Return whether conventions disagree about which documents are relevant."""
        return any(len({rel >= threshold, rel > 0, 2 * rel > 1, rel != 0}) > 1 for rel in self.rels)

    def any(self, fact: str) -> bool:
        """Return whether any query has the property."""
        return any(getattr(query, fact) for query in self.queries)

    @cached_property
    def nan(self) -> bool:
        """Whether a score is not a number."""
        return any(math.isnan(score) for query in self.queries for score in query.scores)


def axes_that_matter(facts: Facts, measure: Measure) -> tuple[str, ...]:
    """Return the axes that can change a measure on an input."""
    free = free_axes(measure)
    if measure.of_labels:
        return free
    ruled_out = {axis for axis, does in _rules(facts, measure) if not does}
    return tuple(axis for axis in free if axis not in ruled_out)


def axes_that_may_matter(facts: Facts, measure: Measure) -> tuple[str, ...]:
    """Return the axes that can change a formula with the axes of the measure, such as a broken variant of it."""
    by_input = (*_rows(facts, ordered=True), *_judgments(facts, measure), *_queries(facts, measure))
    by_formula = {"norel", "allrel", "nohit", "no_query"}
    ruled_out = {axis for axis, does in by_input if not does and axis not in by_formula}
    return tuple(axis for axis in free_axes(measure) if axis not in ruled_out)


def _rules(facts: Facts, measure: Measure) -> Iterator[tuple[str, bool]]:
    """Yield axes, and whether they can matter. All other axes can."""
    yield from _rows(facts, ordered="order" in can_look_at(measure))
    yield from _judgments(facts, measure)
    yield from _queries(facts, measure)
    if declares(measure):
        yield from _own_axes(facts, measure)


def _rows(facts: Facts, *, ordered: bool) -> Iterator[tuple[str, bool]]:
    queries = facts.queries
    twice, judged_twice = facts.any("run_twice"), facts.any("judged_twice")
    alike = any(len(set(q.singles)) < len(q.singles) for q in queries)
    appended = any(len(q.not_retrieved) > 1 for q in queries)
    yield "ids", facts.number_ids or facts.names
    yield "order", facts.nan or (ordered and not all(q.in_line for q in queries))
    yield "ties", ordered and (alike or judged_twice or appended)
    yield "score", ordered and any(len(set(q.singles)) < len(set(q.scores)) for q in queries)
    yield "score_sign", any(not score > 0 for q in queries for score in q.scores)
    yield "infinite", any(math.isinf(score) for q in queries for score in q.scores)
    yield "run_duplicates", twice
    yield "own_doc", facts.any("own_doc")
    yield "unretrieved", facts.any("not_retrieved")
    yield "known", twice or facts.any("not_retrieved")


def _judgments(facts: Facts, measure: Measure) -> Iterator[tuple[str, bool]]:
    rels = facts.rels
    unjudged = any(set(q.docs) - {doc for doc, _ in q.judgments} for q in facts.queries)
    yield "unjudged", unjudged or any(rel < 0 for rel in rels)
    yield "negative", any(rel < 0 for rel in rels)
    yield "relevant", facts.disputed(measure.rel)
    yield "grades", facts.graded
    yield "qrels_duplicates", facts.any("judged_twice")


def _own_axes(facts: Facts, measure: Measure) -> Iterator[tuple[str, bool]]:
    """Yield the axes of the formula itself, for formulas that follow the descriptions of their choices."""
    rels, graded, disputed = facts.rels, facts.graded, facts.disputed(measure.rel)
    yield "gain", graded or disputed
    yield "rbp_gain", graded or disputed
    yield "gain_threshold", any(rel and (disputed or rel < measure.rel) for rel in rels)
    yield from ((axis, any(rels)) for axis in ("discount", "ideal", "err_max"))
    exceeded = measure.k is not None and any(q.most > measure.k for q in facts.queries)
    # A ranking may be shorter than the cutoff and lack a judged document.
    lacking = any(q.not_retrieved and (measure.k is None or q.least() < measure.k) for q in facts.queries)
    yield "ideal_cut", any(rels) and (exceeded or lacking)
    yield "r_denominator", exceeded
    yield "rr_hits", any(q.run_twice or q.perhaps_relevant(measure.rel) > 1 for q in facts.queries)


def _queries(facts: Facts, measure: Measure) -> Iterator[tuple[str, bool]]:
    queries, k = facts.queries, measure.k
    hits = [q.surely_retrieved(measure.rel) for q in queries]
    undefined = measure.definition.undefined
    negative = any(rel < 0 for rel in facts.rels)
    without_gain = undefined.get("norel") == "no gain"
    misses = [k is not None and len(q.docs) - n >= k for q, n in zip(queries, hits, strict=True)]
    yield "missing", any(q.in_qrels and not q.docs for q in queries)
    yield "no_judgments", any(q.in_qrels and not q.judgments for q in queries)
    yield "extra", any(not q.judgments for q in queries)
    yield "norel", not all(hits) or undefined.get("norel") == "ever" or (without_gain and (any(misses) or negative))
    yield "allrel", "allrel" in undefined
    yield "empty", any(not q.least() for q in queries)
    yield "nohit", not all(hits) or any(misses) or facts.any("judged_twice") or measure.definition.cut_at_R
    yield "single", any(q.least() <= 1 <= q.most for q in queries)
    yield "short", k is not None and any(q.least() < k for q in queries)
    # A query that scores above 0 under every convention certainly counts.
    by_formula = "allrel" in undefined or undefined.get("norel") == "ever" or measure.definition.cut_at_R
    counted = [n and not miss and not q.judged_twice for q, n, miss in zip(queries, hits, misses, strict=True)]
    yield "no_query", by_formula or (without_gain and negative) or not any(counted)
    yield "mean", True
