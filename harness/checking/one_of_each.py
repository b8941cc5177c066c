"""Whether a function takes one relevant doc of each query, in an array: the arrays of one query's ids broadcast as these do.

What it gives for several queries at once tells, be it right or wrong: what it gives for each, or the mean or sum of that.
"""

from math import fsum, isnan
from statistics import fmean

from rankproof.calling.call_forms import ONE_ID_EACH, expressed
from rankproof.calling.targets import EQUAL_ROWS, TABLE, Target
from rankproof.checking.mixing import way_of_several
from rankproof.checking.trials import Tried, one_relevant
from rankproof.isolating.call_sessions import Session
from rankproof.workers.observations import Answered
from rankproof.workers.same_answers import same


def takes_one_of_each(target: Target) -> bool:
    """Whether it is called so, with the row of one query."""
    return target.form is ONE_ID_EACH and target.batch == TABLE and target.container in EQUAL_ROWS


def at_once(session: Session, which: int, target: Target, k: int | None) -> tuple[Tried, bool] | None:
    """The answer to several queries at once, and whether it is made of those to each; None where several cannot be given."""
    way, data = way_of_several(session, target, of_equal_rows=True), expressed(target.form, one_relevant(k))
    if way is None or data is None:
        return None
    answer, each = session.tried(way, (data, k)), session.tried(which, (data, k))
    is_of_each = isinstance(answer, Answered) and isinstance(each, Answered) and _are_of_each(answer, each)
    return Tried(data, k, answer), is_of_each


def _are_of_each(answer: Answered, each: Answered) -> bool:
    """Whether the answers to each, where they are not one value, make it."""
    values = [value for value in (each.per_query or {}).values() if not isnan(value)]
    if len({*values}) <= 1:
        return False
    if answer.per_query is not None:
        return answer.per_query == each.per_query
    return answer.mean is not None and any(same(answer.mean, of(values), "float32") for of in (fmean, fsum))
