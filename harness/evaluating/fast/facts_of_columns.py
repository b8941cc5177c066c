"""The facts of qrels and a run that are there as columns: of docs without a judgment nothing is looked at but how many they are."""

from collections.abc import Collection, Mapping
from itertools import islice

import numpy as np

from rankproof.evaluating.fast.arrays import Bools, Floats, Ints, begins
from rankproof.evaluating.fast.float_answers import Columns, form_of, mean_with
from rankproof.evaluating.fast.judged_columns import Given, JudgedColumns
from rankproof.evaluating.input_facts import LOOKED_AT, Ends, InputFacts, alike, by_cutoff, missing_and_extra, strict
from rankproof.meaning.signatures import Signature
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure

NOISE = 1e-12
"""What the sum of the same floats in another order may be off by."""


def facts_of_columns(columns: Columns, tasks: Mapping[str, Signature]) -> InputFacts:
    """What the columns have, of which these tasks were measured."""
    given = columns.given
    judged = [query for query, n in zip(given.qrels.queries, columns.judged_docs.tolist(), strict=False) if n]
    run = [query for query, n in zip(given.run.queries, given.run.sizes.tolist(), strict=True) if n]
    missing, extra = missing_and_extra(judged, run)
    unjudged = {k: _unjudged(columns, k, task) for k, task in by_cutoff(tasks.values()).items()}
    ends = (
        (name, _ends(columns, task.measure, task.measure.conventions(task.conventions)))
        for name, task in strict(tasks).items()
    )
    return InputFacts(
        len(judged), missing, extra, alike(missing, extra), _docs(given, set(judged) & set(run)), unjudged,
        {name: end for name, end in ends if end is not None and end.queries},
    )  # fmt: skip


def _docs(given: Given, common: Collection[str]) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for query in islice((query for query in given.qrels.queries if query in common), LOOKED_AT):
        low, high = np.searchsorted(given.qrels.query, [place := given.queries[query], place + 1]).tolist()
        of_qrels = dict.fromkeys(given.qrels.docs.texts(low, high))
        start, end = given.run.starts[(at := given.place_in_run[query]) : at + 2].tolist()
        of_run = dict.fromkeys(given.run.docs.texts(start, end))
        found += alike((doc for doc in of_qrels if doc not in of_run), (doc for doc in of_run if doc not in of_qrels))
    return tuple(dict.fromkeys(found))


def _unjudged(columns: Columns, k: int, task: Signature) -> tuple[int, int]:
    docs = columns.docs(task.measure.conventions(task.conventions))
    within = docs.rank <= k
    has_judgments = np.zeros(len(docs.sizes), dtype=np.bool_)
    has_judgments[: len(docs.sizes)] = columns.judged_docs[columns.given.of_run] > 0
    count = int(np.minimum(docs.sizes, k)[has_judgments].sum())
    return count - int(within.sum()), count


def _ends(columns: Columns, measure: Measure, conventions: Conventions) -> Ends | None:
    """The ends of a measure; None where no judged doc within the cutoff is tied."""
    top, k = columns.top(conventions, measure.rel), measure.k
    tied = np.flatnonzero(top.tied > 1 if k is None else (top.tied > 1) & (top.above < k))
    if not len(tied):
        return None
    form = form_of(measure, conventions)
    arguments = measure.definition.arguments(conventions, measure.arguments)
    axes = {name: value for name, value in arguments.items() if form is not None and name in form.knows}
    if form is None or not measure.definition.monotone or not form.separable(k, **axes) or not _is_plain(conventions):
        return Ends(int((np.bincount(top.docs.query[tied]) > 0).sum()))
    merit = form.merit(top, **arguments)
    some = _with_mixed_groups(top, merit, tied)
    which = np.flatnonzero(some)
    if not len(which):
        return Ends(0)
    part, own = top.only(some), merit[some[top.docs.query]]
    worst, best = (form.values(part.rearranged(own, best=best), k, **arguments) for best in (False, True))
    moved = int((np.abs(best - worst) > NOISE * np.maximum(np.abs(best), 1)).sum())
    lowest, highest = (mean_with(values, which, columns, measure, conventions) for values in (worst, best))
    return Ends(len(which)) if lowest is None or highest is None else Ends(moved, lowest, highest)


def _with_mixed_groups(top: JudgedColumns, merit: Floats, tied: Ints) -> Bools:
    """The queries that have tied docs of which some are better than others; what is not judged has no merit."""
    query, above, own = top.docs.query[tied], top.above[tied], merit[tied]
    first = np.flatnonzero(begins(query, above))
    low, high = np.minimum.reduceat(own, first), np.maximum.reduceat(own, first)
    has_others = top.tied[tied][first] > np.diff(np.append(first, len(tied)))
    mixed = (low != high) | (has_others & ((low != 0) | (high != 0)))
    return np.asarray(np.bincount(query[first][mixed], minlength=top.count) > 0)


def _is_plain(conventions: Conventions) -> bool:
    """Whether no query is left out, or refused, by what its ranking is."""
    return conventions.single == conventions.short == conventions.nohit == "measured"
