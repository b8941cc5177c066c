"""Whether a function that is right for one query takes several that it is given at once, as rows of a matrix, for one."""

from dataclasses import fields, replace
from typing import Any

from rankproof.asking.observations import Answered
from rankproof.asking.same_answers import same
from rankproof.calling.call_forms import ROWS
from rankproof.calling.targets import ALL, QUERY, Target
from rankproof.cases.inputs import Input
from rankproof.defects.catalogue.queries_mixed import as_one_query
from rankproof.isolating.call_sessions import Session
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import collection
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import Measure

TWO = Input(
    qrels=(("1", "a", 0), ("1", "b", 1), ("1", "c", 0), ("2", "d", 0), ("2", "e", 0), ("2", "f", 1)),
    run=(
        ("1", "a", 0.9, 1),
        ("1", "b", 0.8, 2),
        ("1", "c", 0.1, 3),
        ("2", "d", 0.7, 1),
        ("2", "e", 0.6, 2),
        ("2", "f", 0.5, 3),
    ),
)
"""Two queries of three docs, so that they make a matrix; by most measures they are not worth the same one by one and as one."""


def mixes_queries(
    session: Session, target: Target, measure: Measure, follows: Conventions
) -> tuple[float, float] | None:
    """What it gives for two queries at once, and what their mean is; None where it gives that mean, or nothing that is known.

    Only what the two as one are worth, to the last digit, says that it takes them for one. It is asked who takes labels and scores,
    which libraries hand over in batches: one list of rels is one query, and whoever slices it never said that it may be a matrix.
    """
    if target.batch != QUERY or measure.of_labels or target.form != ROWS:
        return None
    way = next((at for at, one in enumerate(session.candidates().targets) if _is_for_several(one, target)), None)
    if way is None:
        return None
    answer = session.tried(way, (TWO, cutoff_of(measure)))
    mean = reading_of(recalled(TWO).answers(measure, follows), None)
    given = collection(TWO)
    as_one = as_one_query(given).answer(measure, follows).mean
    if not isinstance(answer, Answered) or not isinstance(mean, float) or as_one is None or answer.mean is None:
        return None
    got = answer.mean
    return (got, mean) if same(got, float(as_one), "float64") and not same(got, mean, "float32") else None


LEARNT = frozenset({"notes", "by_default", "seems", "is_explained", "from_k", "to_k", "of_fractions", "reads"})
"""What is learnt of a target when it is called, and is as by default before."""
BEFORE: dict[str, Any] = {one.name: one.default for one in fields(Target) if one.name in LEARNT}


def _is_for_several(one: Target, target: Target) -> bool:
    """Whether that is the same way to call, but with all queries at once."""
    return (
        one.batch == ALL
        and not one.reads
        and replace(one, batch=QUERY, container=target.container) == replace(target, **BEFORE)
    )
