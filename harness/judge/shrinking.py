"""Shrinking: the smallest input that still shows what a larger one shows."""

from collections.abc import Callable

from rankproof.cases.inputs import Input
from rankproof.judge.small_inputs import queries, ranked, tied, with_rows, with_scores


def shrunk(data: Input, shows: Callable[[Input], bool]) -> Input:
    """The input without every query, row and judgment that is not needed for it to show what it shows."""
    before: Input | None = None
    while data != before:
        before = data
        for query in queries(data):
            if len(queries(data)) > 1:
                qrels, run = ([row for row in rows if row[0] != query] for rows in (data.qrels, data.run))
                less = with_rows(data, qrels=qrels, run=run)
                data = less if less.qrels and less.run and shows(less) else data
        for part in ("run", "qrels"):
            data = _fewer(data, part, shows)
        for simpler in (_lower_rels, _small_scores, ranked, _untied):
            plain = simpler(data)
            data = plain if plain != data and shows(plain) else data
    return data


def _fewer(data: Input, part: str, shows: Callable[[Input], bool]) -> Input:
    at = 0
    while at < len(rows := getattr(data, part)) and len(rows) > 1:
        less = with_rows(data, **{part: rows[:at] + rows[at + 1 :]})
        if shows(less):
            data = less
        else:
            at += 1
    return data


def _lower_rels(data: Input) -> Input:
    return with_rows(data, qrels=((query, doc, min(rel, 1)) for query, doc, rel in data.qrels))


def _small_scores(data: Input) -> Input:
    scores = sorted({row[2] for row in data.run})
    return with_scores(data, [float(scores.index(row[2]) + 1) for row in data.run])


def _untied(data: Input) -> Input:
    """Tied docs untied, in the order of the rows."""
    plain = ranked(data)
    return with_scores(plain, [float(len(plain.run) + 1 - row[3]) for row in plain.run]) if tied(data) else data
