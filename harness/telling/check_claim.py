"""Holding a function to what it claims: the front door of `check` in Python, which says by an error what does not hold."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.conventions import Conventions
from rankproof.telling.check_words import script_of, summary, words_of_rest


def check(  # noqa: PLR0913 - one for each thing that a person may say
    function: Any,  # noqa: ANN401 - anything that can be called
    measure: str,
    profile: str | Conventions = "standard",
    form: str | None = None,
    *,
    assume: str = "",
    strict: bool = False,
    isolated: bool | None = None,
    budget: float = 120.0,
    given: Mapping[str, Any] | None = None,
) -> Checked:
    """Hold a function of yours to the conventions that it claims, on every case of the corpus.

        def test_my_ndcg():
            rankproof.check(ndcg, "nDCG@10", profile="standard ties=input")

    The function runs in a process forked from yours, so it may be anything that you have there, a lambda or an object in use: what it
    does to its own process (it ends, hangs, prints, changes variables) does nothing to yours. Your other threads are not there, and a
    lock that one of them holds stays locked; nor is a GPU that is in use. Where that is in the way, `isolated=False` asks the function
    in your own process, as is always done on macOS and Windows: it has a time limit only in the main thread, only while it comes back
    to Python, and not on Windows, no limit of memory, and what ends the process ends yours.

    Args:
        function: of `y_true, y_score, k`, of `ranked_rels, k`, of `relevant, ranked, k` (ids) or of `qrels, run`; an ir_measures
            measure; an object with `update` and `compute` as torchmetrics has them. `k` may be missing where the measure's own
            cutoff is all it can do.
        measure: in ir_measures' notation.
        profile: a name, a spec such as "standard ties=input", or `Conventions`.
        form: how it is called, where that cannot be recognised: the name of a form in `rankproof.calling.call_forms`.
        assume: what no input has, as "nonnegative,no-ties".
        strict: whether it is held to them on extreme input, too: rels that are negative, fractional or above 4, infinite scores, and so on.
        isolated: whether it runs in a process of its own; None: where that is safe.
        budget: the seconds that all of it may take; what was not asked by then is told.
        given: arguments that are passed in every call, by name, as {"max_rel": 4}.

    Returns:
        What was found: `.signature`, `.ordinary`, `.extreme`, and so on.

    Raises:
        AssertionError: it does not follow the profile; the message says where, and what it follows. Or it does as far as it was asked,
            and its time was used up before that was all.
        BadFunction: it answers none of the forms.
        UnknownMeasure: there is no such measure.
        UnknownConvention: there is no such profile.
        UnknownAssumption: there is no such assumption.
        NotPooled: the profile asks for a pooled mean of what is no ratio.
    """
    __tracebackhide__ = True  # pytest shows the line that calls this, and none of ours
    try:
        limits = Limits(isolated=isolated, budget=budget)
        checked = examine(function, measure, profile, form, assume=assume, limits=limits, given=given)
    except ValueError as fault:
        raise fault.with_traceback(None) from None
    if faults := faults_of(checked, strict=strict):
        raise AssertionError(faults)
    return replace(checked, summary=summary(checked))


def faults_of(checked: Checked, *, strict: bool = False) -> str:
    """Why a claim is not held, with the lines that show it; nothing if it is."""
    if (checked.holds_strictly if strict else checked.holds) is not True:
        return f"{summary(checked)}\n\n{script_of(checked)}"
    if not checked.is_incomplete:
        return ""
    return f"{summary(checked)}\n\nnot asked: {words_of_rest(checked)}; give it more time, by budget=SECONDS"
