"""Conditions on data that make a library depart from its profile, by their names in the library's sheet.

Each known exception in a sheet has a condition on data. Queries meet a condition; if it concerns the whole input, all
queries meet it. If the condition of an exception is not known, all data meets it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import factorial, inf, perm, prod
from operator import mul

from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rel, as_float32
from rankproof.reference_impl.ties import LIMIT

LARGE, VAST, DEEP, NEARLY = 64, 1_000_000, 1_000, 1e-12
FARTHEST = 1e300
UNDERFLOW = 2.0**-150
"""The largest number that becomes 0 as a float32."""
FEW, MANY = 5, 35
"""Counts of other and of identical tied documents that always have more orders than the reference tries."""
ROWS_APART = "rows-apart"
"""The condition that only the reader of the run can check."""
BINARY = 2
"""The number of different grades that a binary measure accepts."""
UNCUT = 32
"""The number of documents that XGBoost reads without a cutoff."""
MISSING = frozenset(
    {"na", "nan", "null", "none", "n/a", "", "#n/a", "<na>", "nil", "-nan", "1.#ind", "1.#qnan", "-1.#ind", "-1.#qnan"}
)


def is_of_data(condition: str) -> bool:
    """Return whether this is a known condition on the data, and not on the measure alone."""
    return condition in OF_QUERY or condition in WHOLE or condition == ROWS_APART


@dataclass
class RowsByQuery:
    """Qrels and a run, grouped by query, with the queries whose rows are interleaved with those of others."""

    qrels: Mapping[str, Sequence[Judgment]]
    run: Mapping[str, Sequence[QueryRow]]
    interleaved: Sequence[str] = ()


def queries_in(data: RowsByQuery) -> tuple[str, ...]:
    """Return all queries, in the order of the qrels and then of the run."""
    return tuple(dict.fromkeys([*data.qrels, *data.run]))


def queries_meeting(conditions: Iterable[str], data: RowsByQuery, measure: Measure) -> dict[str, tuple[str, ...]]:
    """Return the queries that meet each condition, in one pass over the data."""
    wanted, queries = dict.fromkeys(conditions), queries_in(data)
    met: dict[str, list[str]] = {name: [] for name in wanted if name in OF_QUERY}
    for query in queries if met else ():
        judgments, rows = data.qrels.get(query, ()), data.run.get(query, ())
        for name, having in met.items():
            if OF_QUERY[name](query, judgments, rows):
                having.append(query)
    return {name: tuple(met[name]) if name in met else _of_all(name, data, measure, queries) for name in wanted}


def _of_all(name: str, data: RowsByQuery, measure: Measure, queries: tuple[str, ...]) -> tuple[str, ...]:
    if name in OF_MEASURE:
        return queries if OF_MEASURE[name](measure) else ()
    if name in WHOLE:
        return queries if WHOLE[name](data, measure) else ()
    return tuple(data.interleaved) if name == ROWS_APART else queries


# -- conditions on one query -----------------------------------------------------------------------------------------


def _ids(query: str, judgments: Sequence[Judgment], rows: Sequence[QueryRow]) -> Iterator[str]:
    yield query
    yield from (judgment.doc for judgment in judgments)
    yield from (row.doc for row in rows)


def _twice(rows: Sequence[Judgment] | Sequence[QueryRow]) -> bool:
    return len({row.doc for row in rows}) < len(rows)


def _some_rel(test: Callable[[Rel], bool]) -> "OfQuery":
    return lambda _query, judgments, _rows: any(test(judgment.rel) for judgment in judgments)


def _some_id(test: Callable[[str], bool]) -> "OfQuery":
    return lambda *query: any(map(test, _ids(*query)))


def _none_retrieved(judgments: Iterable[Judgment], rows: Iterable[QueryRow]) -> bool:
    return {judgment.doc for judgment in judgments}.isdisjoint(row.doc for row in rows)


def _two_rels(_query: str, judgments: Sequence[Judgment], rows: Sequence[QueryRow]) -> bool:
    """Return whether the judged or retrieved documents have at most two grades, which are not both 0 or 1."""
    rels = {judgment.doc: judgment.rel for judgment in judgments}
    sets_of_rels = {rels.get(row.doc, 0) for row in rows}, {*rels.values(), *(rels.get(row.doc, 0) for row in rows)}
    return any(len(some) <= BINARY and not some <= {0, 1} for some in sets_of_rels)


def _many_orders(_query: str, judgments: Sequence[Judgment], rows: Sequence[QueryRow]) -> bool:
    """Return whether ties have more orders than the reference tries; documents with the same grade are identical."""
    rels = {judgment.doc: judgment.rel for judgment in judgments}
    groups: dict[float, Counter[Rel | None]] = {}
    for row in rows:
        groups.setdefault(as_float32(row.score), Counter())[rels.get(row.doc)] += 1
    return any(count > LIMIT for count in accumulate(map(_orders, groups.values()), mul))


def _orders(alike: Counter[Rel | None]) -> int:
    """Return the number of orders of documents by counts of identical ones, or just a number above the limit."""
    *others, largest = sorted(alike.values())
    if sum(others) >= FEW and largest >= MANY:
        return LIMIT + 1  # comb(40, 5) is more
    return perm(largest + sum(others), sum(others)) // prod(map(factorial, others))


def _without_relevant(_query: str, judgments: Sequence[Judgment], _rows: Sequence[QueryRow]) -> bool:
    return bool(judgments) and max(judgment.rel for judgment in judgments) < 1


OfQuery = Callable[[str, Sequence[Judgment], Sequence[QueryRow]], bool]
OF_QUERY: Mapping[str, OfQuery] = {
    "dash-in-a-query-id": lambda query, _judgments, _rows: "-" in query,
    "doc-judged-twice": lambda _query, judgments, _rows: _twice(judgments),
    "doc-retrieved-twice": lambda _query, _judgments, rows: _twice(rows),
    "empty-id": _some_id(lambda name: not name),
    "more-than-1000-retrieved": lambda _query, _judgments, rows: len(rows) > DEEP,
    "negative-rel": _some_rel(lambda rel: rel < 0),
    "negative-rel-retrieved": lambda _query, judgments, rows: (
        not _none_retrieved((j for j in judgments if j.rel < 0), rows)
    ),
    "nothing-judged-retrieved": lambda _query, judgments, rows: _none_retrieved(judgments, rows),
    "nul-in-an-id": _some_id(lambda name: "\0" in name),
    "query-of-negative-rels": lambda _query, judgments, _rows: bool(judgments) and all(j.rel < 0 for j in judgments),
    "query-without-relevant-docs": _without_relevant,
    "rel-above-1": _some_rel(lambda rel: rel > 1),
    "rel-of-64-or-more": _some_rel(lambda rel: rel >= LARGE),
    "rel-of-a-million-or-more": _some_rel(lambda rel: rel >= VAST),
    "rel-with-a-fraction": _some_rel(lambda rel: rel != int(rel)),
    "row-out-of-order": lambda _query, _judgments, rows: any(not a.score > b.score for a, b in pairwise(rows)),
    "more-orders-of-ties-than-are-tried": _many_orders,
    "score-beyond-1e300": lambda _query, _judgments, rows: any(abs(row.score) > FARTHEST for row in rows),
    "score-of-0-or-less": lambda _query, _judgments, rows: any(row.score <= 0 for row in rows),
    "score-of-minus-infinity": lambda _query, _judgments, rows: any(row.score == -inf for row in rows),
    "score-that-is-0-as-float32": lambda _query, _judgments, rows: any(0 < row.score <= UNDERFLOW for row in rows),
    "space-in-an-id": _some_id(lambda name: len(name.split()) != 1),
    "two-rels-other-than-0-and-1": _two_rels,
    "unranked-query-without-relevant-docs": lambda *query: not query[2] and (_without_relevant(*query) or not query[1]),
    "query-named-without-judgments": lambda _query, judgments, rows: bool(rows) and not judgments,
}


# -- conditions on the whole input -----------------------------------------------------------------------------------


def _scores(data: RowsByQuery) -> list[float]:
    return sorted(row.score for rows in data.run.values() for row in rows)


def _nearly_equal(data: RowsByQuery, _measure: Measure) -> bool:
    return any(0 < b - a <= NEARLY * max(abs(a), abs(b)) for a, b in pairwise(_scores(data)))


def _alike_as_numbers(data: RowsByQuery, _measure: Measure) -> bool:
    judged = {judgment.doc for judgments in data.qrels.values() for judgment in judgments}
    names = {*queries_in(data), *judged, *(row.doc for rows in data.run.values() for row in rows)}
    is_twice = any(count > 1 for count in Counter(map(_as_read, names)).values())
    return is_twice or not MISSING.isdisjoint(map(str.lower, names))


def _as_read(name: str) -> float | str:
    try:
        return float(name)
    except ValueError:
        return name


def _in_another_order(data: RowsByQuery, _measure: Measure) -> bool:
    """Return whether the common queries are in another order in the run than in the qrels."""
    return [query for query in data.run if query in data.qrels] != [query for query in data.qrels if query in data.run]


def _one_without_relevant(data: RowsByQuery, _measure: Measure) -> bool:
    """Return whether some query has a relevant document and some other query has none."""
    has = {any(judgment.rel >= 1 for judgment in data.qrels.get(query, ())) for query in queries_in(data)}
    return len(has) > 1


def _more_than_two_rels(data: RowsByQuery, _measure: Measure) -> bool:
    """Return whether the documents of all queries together, judged or retrieved, have more than two grades."""
    rels = {query: {judgment.doc: judgment.rel for judgment in judgments} for query, judgments in data.qrels.items()}
    retrieved = {rels.get(query, {}).get(row.doc, 0) for query, rows in data.run.items() for row in rows}
    return len(retrieved | {rel for by_doc in rels.values() for rel in by_doc.values()}) > BINARY


def _no_hit(data: RowsByQuery, measure: Measure) -> bool:
    """Return whether no query has a hit within the cutoff, in input order or by score with ties in the worst order."""
    relevant = {query: {row.doc for row in data.qrels.get(query, ()) if row.rel >= 1} for query in data.run}

    def hit(query: str, rows: Iterable[QueryRow]) -> bool:
        return any(row.doc in relevant[query] for row in list(rows)[: measure.k])

    by_score = {
        query: sorted(rows, key=lambda row: (-row.score, row.doc in relevant[query]))
        for query, rows in data.run.items()
    }
    return any(not any(hit(query, rows) for query, rows in ways.items()) for ways in (by_score, data.run))


WHOLE: Mapping[str, Callable[[RowsByQuery, Measure], bool]] = {
    "equal-scores-in-the-run": lambda data, _measure: any(a == b for a, b in pairwise(_scores(data))),
    "id-that-is-a-number": lambda _data, _measure: False,  # read from files, every id is text
    "ids-alike-as-numbers": _alike_as_numbers,
    "no-common-query": lambda data, _measure: not any(data.run.get(query) for query in data.qrels),
    "no-hit-at-all": _no_hit,
    "more-than-two-rels-in-all": _more_than_two_rels,
    "more-than-32-retrieved-and-no-cutoff": lambda data, measure: (
        measure.k is None and any(len(rows) > UNCUT for rows in data.run.values())
    ),
    "nothing-at-all": lambda data, _measure: not any(data.qrels.values()) or not any(data.run.values()),
    "nothing-relevant": lambda data, _measure: not any(row.rel >= 1 for rows in data.qrels.values() for row in rows),
    "nothing-retrieved": lambda data, _measure: not any(data.run.values()),
    "one-query-without-relevant-docs": _one_without_relevant,
    "queries-in-another-order": _in_another_order,
    "ranking-shorter-than-the-cutoff": lambda data, measure: (
        measure.k is not None and any(len(rows) < measure.k for rows in data.run.values())
    ),
    "scores-nearly-equal": _nearly_equal,
}

OF_MEASURE: Mapping[str, Callable[[Measure], bool]] = {
    "persistence-of-1-asked": lambda measure: dict(measure.params).get("p") == 1,
    "relative-asked": lambda measure: "relative" in dict(measure.params),
    "threshold-asked": lambda measure: "rel" in dict(measure.params),
}
"""Conditions on the measure alone, which do not depend on the data."""
