"""`rankproof.check`: test in Python that a function computes a measure."""

from collections.abc import Callable
from typing import Any

from rankproof.check.call import BadCall
from rankproof.check.checking import check_function, prepare
from rankproof.check.result import CheckResult
from rankproof.check.source import QUERIES, Source
from rankproof.reference_impl.conventions import Conventions
from rankproof.workers.function_worker import Limits

QUERY = "query"


def check(
    function: Callable[[Any], Any],
    measure: str,
    profile: str | Conventions | None = None,
    *,
    over: str = QUERY,
    strict: bool = False,
    timeout: float = 5.0,
    budget: float = 120.0,
) -> CheckResult:
    """Check that a function computes a measure, on every case of the corpus.

    The attributes of `q` are the ingredients that `rankproof check --help` lists. The function runs in a fork
    of this process, so it may be a lambda or use objects of this process.

    Parameters
    ----------
    function : callable
        A function of one query object that returns a number. If `over` is "queries", a function of the list of all
        queries that returns a number, a dict by query or a list.
    measure : str
        The measure, in ir_measures notation.
    profile : str or Conventions, optional
        A profile, library or conventions that the function must follow; without it, any known conventions are accepted.
    over : {"query", "queries"}
        Whether the function takes one query or all queries.
    strict : bool
        Whether to accept only the profile, by default `standard`.
    timeout : float
        Seconds for one call.
    budget : float
        Seconds for all calls.

    Returns
    -------
    CheckResult
        The result, whose `verdict` is `agrees` or `variant`.

    Raises
    ------
    AssertionError
        The function does not compute the measure, or the time ran out; the message is the output of the command.
    BadCall
        The function does not return a number for any query.
    UnknownMeasure
        The measure is unknown.
    UnknownConvention
        The profile is unknown.

    Examples
    --------
    >>> def test_my_ndcg():
    ...     rankproof.check(lambda q: ndcg(q.rels, q.scores, q.k), "nDCG@10")
    """
    __tracebackhide__ = True  # pytest shows the line that calls this
    if over not in {QUERY, QUERIES}:
        raise BadCall(f"over={over!r} is neither 'query' nor 'queries'.")
    source = Source(function=function, over=over, limits=Limits(question=timeout).within(budget))
    result = check_function(prepare(source, "", measure, profile), budget=budget)
    if not (result.holds(strict=strict) and result.is_complete):
        from rankproof.report.check import text_of

        raise AssertionError(text_of(result))
    return result
