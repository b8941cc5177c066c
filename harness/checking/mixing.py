"""What a function that is right for one query does with several at once: it may take them for one, or give their sum."""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from rankproof.asking.observations import Answered
from rankproof.asking.same_answers import same
from rankproof.calling.call_forms import ROWS, expressed
from rankproof.calling.targets import ALL, QUERY, TABLE, Target
from rankproof.checking.trials import input_of, long_flags
from rankproof.defects.catalogue.queries_mixed import as_one_query
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.child_replies import FOUND_BY_ASKING
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import collection
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure

TWO = input_of({"1": "a:0:0.9 b:1:0.8 c:0:0.1", "2": "d:0:0.7 e:0:0.6 f:1:0.5"})
"""Two queries of three docs, so that they make a matrix; by most measures they are not worth the same one by one and as one."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """What a function gives for several queries at once, where that is not their mean.

    Attributes:
        got: what it gives.
        mean: their mean.
        queries: how many they are.
        is_sum: whether it is the sum of what it gives for each; if not, it takes them for one query.
    """

    got: float
    mean: float
    queries: int = 2
    is_sum: bool = False


def mixes_queries(session: Session, target: Target, measure: Measure, follows: Conventions) -> Mixed | None:
    """What it gives for several queries at once, if that is known to be wrong; None where it gives their mean, or anything else."""
    return _as_one(session, target, measure, follows) or _summed(session, target, measure)


def _summed(session: Session, target: Target, measure: Measure) -> Mixed | None:
    """The sum that it gives for several queries, of who takes a table of them and was asked with one row.

    The rows of these queries are equally long, so that any kind of table holds them.
    """
    k = cutoff_of(measure)
    data = expressed(target.form, long_flags(k)) if target.batch == TABLE else None
    way = None if data is None else _for_several(session, target, of_equal_rows=True)
    if data is None or way is None:
        return None
    each, at_once = session.anew((data, k)), session.tried(way, (data, k))
    if not (isinstance(each, Answered) and isinstance(at_once, Answered)) or at_once.mean is None:
        return None
    values = list((each.per_query or {}).values())
    whole, got = math.fsum(values), at_once.mean
    is_sum = len(values) > 1 and same(got, whole, "float32") and not same(whole, whole / len(values), "float32")
    return Mixed(got, whole / len(values), len(values), is_sum=True) if is_sum else None


def _as_one(session: Session, target: Target, measure: Measure, follows: Conventions) -> Mixed | None:
    """What it gives for two queries, where that is what they are worth as one.

    Only what the two as one are worth, to the last digit, says that it takes them for one. It is asked who takes labels and scores,
    which libraries hand over in batches: one list of rels is one query, and whoever slices it never said that it may be a matrix.
    """
    if target.batch != QUERY or measure.of_labels or target.form != ROWS:
        return None
    way = _for_several(session, target)
    if way is None:
        return None
    answer = session.tried(way, (TWO, cutoff_of(measure)))
    mean = reading_of(recalled(TWO).answers(measure, follows), None)
    given = collection(TWO)
    as_one = as_one_query(given).answer(measure, follows).mean
    if not isinstance(answer, Answered) or not isinstance(mean, float) or as_one is None or answer.mean is None:
        return None
    got = answer.mean
    return Mixed(got, mean) if same(got, float(as_one), "float64") and not same(got, mean, "float32") else None


BEFORE: dict[str, Any] = {one.name: one.default for one in fields(Target) if one.name in FOUND_BY_ASKING}
"""What is learnt of a target when it is called is as by default before."""


def _for_several(session: Session, target: Target, *, of_equal_rows: bool = False) -> int | None:
    """The place of the way to call it that is the same, but with all queries at once; None if there is none.

    It is one that is told of any queries; or of equally long rows alone, in the same container.
    """
    ways = {at: one for at, one in enumerate(session.candidates().targets) if _is_for_several(one, target)}
    if of_equal_rows:
        return next((at for at, one in ways.items() if one.container == target.container), None)
    return next((at for at, one in ways.items() if not one.of_equal_rows), None)


def _is_for_several(one: Target, target: Target) -> bool:
    return (
        one.batch == ALL
        and not one.reads
        and replace(one, batch=target.batch, container=target.container) == replace(target, **BEFORE)
    )
