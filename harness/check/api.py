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

        def test_my_ndcg():
            rankproof.check(lambda q: ndcg(q.rels, q.scores, q.k), "nDCG@10")

    The attributes of `q` are the ingredients that `rankproof check --help` lists. The function runs in a fork of this
    process, so it may be a lambda or use objects of this process.

    Args:
        function: takes a query object and returns a number. If `over` is "queries", it takes the list of all query
            objects and returns a number, a dict by query or a list.
        measure: in ir_measures notation.
        profile: the profile or conventions that the function must follow. Without it, any known conventions are
            accepted.
        over: "query" or "queries".
        strict: whether to accept only the profile, by default `standard`.
        timeout: seconds for one call.
        budget: seconds for all calls.

    Returns:
        The result, whose `verdict` is `agrees` or `variant`.

    Raises:
        AssertionError: the function does not compute the measure, or the time ran out; the message is the output of
            the command.
        BadCall: the function does not return a number for any query.
        UnknownMeasure: the measure is unknown.
        UnknownConvention: the profile is unknown.
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
