"""What a function that is right for one query does with several at once: it may take them for one, or give no mean of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from statistics import fmean
from typing import Any

from rankproof.calling.call_forms import ROWS, expressed
from rankproof.calling.targets import ALL, QUERY, TABLE, Target
from rankproof.cases.inputs import Input
from rankproof.checking.trials import equally_many, input_of, one_relevant
from rankproof.defects.catalogue.queries_mixed import as_one_query
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.child_replies import FOUND_BY_ASKING
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import collection
from rankproof.meaning.deciding_axes import values_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Answered
from rankproof.workers.same_answers import same

TWO = input_of({"1": "a:0:0.9 b:1:0.8 c:0:0.1", "2": "d:0:0.7 e:0:0.6 f:1:0.5"})
"""Two queries of three docs, so that they make a matrix; by most measures they are not worth the same one by one and as one."""


AS_ONE, SUM, FIRST, LAST, OTHER = "as one", "sum", "first", "last", ""
"""What a function gives for several queries: what they are worth as one, their sum, what the first or the last is worth; or none of it."""

SEVERAL = 2
"""So many queries can be worth something else than their mean."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """What a function gives for several queries at once, where that is not their mean.

    Attributes:
        got: what it gives.
        mean: their mean.
        queries: how many they are.
        what: one of those above, or the convention that says so (`mean=pooled`).
    """

    got: float
    mean: float
    queries: int
    what: str


def mixes_queries(session: Session, target: Target, measure: Measure, follows: Conventions) -> Mixed | None:
    """What it gives for several queries at once, if that is not their mean; None where it is, and where several cannot be given."""
    return _as_one(session, target, measure, follows) or _no_mean(session, target, measure, follows)


def _no_mean(session: Session, target: Target, measure: Measure, follows: Conventions) -> Mixed | None:
    """What is given for several queries by who takes a table of them and was asked with one row.

    The rows of these queries are equally long, so that any kind of table holds them.
    """
    way = way_of_several(session, target, of_equal_rows=True) if target.batch == TABLE else None
    if way is None:
        return None
    k = cutoff_of(measure)
    for data in (equally_many(k), one_relevant(k)):
        told = expressed(target.form, data)
        if told is not None and (found := _no_mean_of(told, session, way, measure, follows)) is not None:
            return found
    return None


def _no_mean_of(data: Input, session: Session, way: int, measure: Measure, follows: Conventions) -> Mixed | None:
    k = cutoff_of(measure)
    each, at_once = session.anew((data, k)), session.tried(way, (data, k))
    if not (isinstance(each, Answered) and isinstance(at_once, Answered)) or at_once.mean is None:
        return None
    values, got = list((each.per_query or {}).values()), at_once.mean
    if len(values) < SEVERAL or _is_a_mean(got, values):
        return None
    alone = {SUM: math.fsum(values), FIRST: values[0], LAST: values[-1]}
    by_mean = {f"mean={value}": follows.replace(mean=value) for value in values_of("mean")}
    given = recalled(data)
    by = {spec: reading_of(given.answers(measure, chosen), None) for spec, chosen in by_mean.items()}
    if _is(by[f"mean={follows.mean}"], got):
        return None
    what = next((what for what, value in {**alone, **by}.items() if _is(value, got)), OTHER)
    return Mixed(got, fmean(values), len(values), what)


def _is_a_mean(got: float, values: Sequence[float]) -> bool:
    """Whether it is their mean; or that of those which are not 0 or undefined, as who leaves out a query may give 0 for it alone."""
    some = [value for value in values if value and not math.isnan(value)]
    return any(_is(fmean(of), got) for of in (values, some) if of)


def _is(value: object, got: float) -> bool:
    return isinstance(value, float) and same(value, got, "float32")


def _as_one(session: Session, target: Target, measure: Measure, follows: Conventions) -> Mixed | None:
    """What it gives for two queries, where that is what they are worth as one.

    Only what the two as one are worth, to the last digit, says that it takes them for one. It is asked who takes labels and scores,
    which libraries hand over in batches: one list of rels is one query, and whoever slices it never said that it may be a matrix.
    """
    if target.batch != QUERY or measure.of_labels or target.form != ROWS:
        return None
    way = way_of_several(session, target)
    if way is None:
        return None
    answer = session.tried(way, (TWO, cutoff_of(measure)))
    mean = reading_of(recalled(TWO).answers(measure, follows), None)
    given = collection(TWO)
    as_one = as_one_query(given).answer(measure, follows).mean
    if not isinstance(answer, Answered) or not isinstance(mean, float) or as_one is None or answer.mean is None:
        return None
    got = answer.mean
    is_as_one = same(got, float(as_one), "float64") and not same(got, mean, "float32")
    # Where the sum of the two is the same, nothing tells which it is.
    return Mixed(got, mean, 2, OTHER if same(got, 2 * mean, "float32") else AS_ONE) if is_as_one else None


BEFORE: dict[str, Any] = {one.name: one.default for one in fields(Target) if one.name in FOUND_BY_ASKING}
"""What is learnt of a target when it is called is as by default before."""


def way_of_several(session: Session, target: Target, *, of_equal_rows: bool = False) -> int | None:
    """The place of the way to call it that is the same, but with all queries at once; None if there is none.

    It is one that is told of any queries; or of equally long rows alone, in the same container.
    """
    ways = {at: one for at, one in enumerate(session.candidates().targets) if _is_for_several(one, target)}
    if of_equal_rows:
        return next((at for at, one in ways.items() if one.container == target.container), None)
    return next((at for at, one in ways.items() if not one.of_equal_rows), None)


def _is_for_several(one: Target, target: Target) -> bool:
    alike = replace(one, batch=target.batch, container=target.container)
    return one.batch == ALL and not one.reads and alike == replace(target, **BEFORE)
