"""What a call shows of an input, and what follows from that: what was not tested, and which conventions the caller decides.

A function cannot see what its call does not read. So an input is replaced by the plainest one with the same ingredients, and function and
reference are compared on that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rankproof.cases.inputs import Input, QrelsRow, RunRow
from rankproof.check.ingredients import (
    GRADES,
    JUDGMENTS,
    MISSING,
    ORDER,
    REPEATED_JUDGMENTS,
    REPEATS,
    ROWS,
    SCORES,
    UNRETRIEVED,
)
from rankproof.inference.input_traits import has_a_doc_twice
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import can_look_at
from rankproof.reference_impl.notation import Measure

Shows = frozenset[str]


def visible_inputs(data: Input, shows: Shows, threshold: float, *, of_all: bool) -> Iterator[Input]:
    """Yield the inputs that a call sees: one for each judged and retrieved query, or one of all queries.

    Args:
        data: the input of a case.
        shows: what the call shows (`rankproof.check.ingredients.shown_by`).
        threshold: the lowest grade of a relevant document.
        of_all: whether the call is of all queries.
    """
    if data.of_labels:
        yield data
        return
    text = _with_text_ids(data)
    queries = [query for query in text.judged if query in text.scored]
    parts = (
        [_of_queries(text, [query]) for query in queries]
        if not of_all
        else [text if MISSING in shows else _of_queries(text, queries)]
    )
    for part in parts:
        if part.queries and _can_be_passed(part, shows, of_all=of_all):
            yield _seen(part, shows, threshold)


def _with_text_ids(data: Input) -> Input:
    return replace(
        data,
        qrels=tuple((str(query), str(doc), grade) for query, doc, grade in data.qrels),
        run=tuple((str(query), str(doc), score, rank) for query, doc, score, rank in data.run),
        empty_in_qrels=tuple(map(str, data.empty_in_qrels)),
        empty_in_run=tuple(map(str, data.empty_in_run)),
    )


def _of_queries(data: Input, queries: list[str]) -> Input:
    kept = set(queries)
    return Input(
        tuple(row for row in data.qrels if row[0] in kept),
        tuple(row for row in data.run if row[0] in kept),
        tuple(query for query in data.empty_in_qrels if query in kept),
        tuple(query for query in data.empty_in_run if query in kept),
    )


def _can_be_passed(data: Input, shows: Shows, *, of_all: bool) -> bool:
    """Return whether the ingredients can hold the input: dicts hold no document twice, and rows no empty query."""
    if has_a_doc_twice(data.run) and REPEATS not in shows:
        return False
    if has_a_doc_twice(data.qrels) and REPEATED_JUDGMENTS not in shows:
        return False
    if any(score != score for _, _, score, _ in data.run) and not {SCORES, ROWS} <= shows:  # noqa: PLR0124 - NaN
        return False
    in_rows = of_all and not ({REPEATS, REPEATED_JUDGMENTS}.isdisjoint(shows) or ORDER in shows)
    return not (in_rows and (data.empty_in_qrels or data.empty_in_run or not data.qrels or not data.run))


def _seen(data: Input, shows: Shows, threshold: float) -> Input:
    judged = data if GRADES in shows else replace(data, qrels=tuple(_as_flags(data.qrels, threshold)))
    if JUDGMENTS not in shows:
        judged = replace(judged, qrels=tuple(_judgments_seen(judged, shows, threshold)), empty_in_qrels=())
        lacking = set(data.judged) - {query for query, _, _ in judged.qrels}
        judged = replace(judged, empty_in_qrels=tuple(query for query in data.judged if query in lacking))
    return replace(judged, run=tuple(_rows_seen(judged, shows)))


def _as_flags(rows: tuple[QrelsRow, ...], threshold: float) -> Iterator[QrelsRow]:
    relevant = max(1, int(threshold))
    return ((query, doc, relevant if grade >= threshold else 0) for query, doc, grade in rows)


def _judgments_seen(data: Input, shows: Shows, threshold: float) -> Iterator[QrelsRow]:
    """Yield a judgment of each retrieved document, and of the unretrieved ones that are seen, which are relevant."""
    grades = {(query, doc): grade for query, doc, grade in data.qrels}
    retrieved = dict.fromkeys((query, doc) for query, doc, _, _ in data.run)
    yield from ((query, doc, grades.get((query, doc), 0)) for query, doc in retrieved)
    if UNRETRIEVED in shows:
        missed = ((query, doc) for (query, doc), grade in grades.items() if grade >= threshold)
        yield from ((query, doc, max(1, int(threshold))) for query, doc in missed if (query, doc) not in retrieved)


def _rows_seen(data: Input, shows: Shows) -> Iterator[RunRow]:
    """Yield the rows, in rank order if the call shows no other, and with distinct scores if it shows none."""
    if ROWS in shows:
        yield from data.run
        return
    for query, rows in data.scored.items():
        in_order = sorted(rows, key=lambda row: -row[1])
        for rank, (doc, score, _) in enumerate(in_order, start=1):
            yield query, doc, score if SCORES in shows else float(len(in_order) - rank + 1), rank


def decided_by_caller(shows: Shows, measure: Measure, *, of_all: bool) -> Mapping[str, str]:
    """Return the conventions that the call decides and the function cannot: what it is not shown is settled before."""
    if measure.of_labels:
        return {}
    decided = {}
    if UNRETRIEVED not in shows:
        decided["known"] = "retrieved"
    if not shows & {SCORES, ROWS}:
        decided["ties"] = "input"
    if GRADES not in shows:
        decided |= {"gain": "binary", "rbp_gain": "binary"}
    if not of_all or MISSING not in shows:
        decided["missing"] = "dropped"
    return {axis: value for axis, value in decided.items() if axis in axes_of(measure)}


def not_shown(shows: Shows, measure: Measure) -> tuple[str, ...]:
    """Return what the measure depends on and the call never passes, in words."""
    if measure.of_labels:
        return ()
    reads = can_look_at(measure)
    lacking = []
    if UNRETRIEVED not in shows and not reads.isdisjoint({"R", "judgments"}):
        lacking.append(UNRETRIEVED)
    if GRADES not in shows and not reads.isdisjoint({"gains", "rels", "judgments"}):
        lacking.append("grades above 1")
    if not shows & {SCORES, ROWS} and "order" in reads:
        lacking.append("tied documents")
    return tuple(lacking)
