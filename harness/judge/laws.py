"""Laws: how the answers to an input, and to what was made of it, must go together.

A law asks, and gives the first difference that an input shows; None where it holds, or says nothing of the input.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from rankproof.cases.inputs import Input
from rankproof.judge.answer_laws import compared, failed, overall
from rankproof.judge.input_changes import Changed, truth_of, unjudged_at_the_bottom, with_empty_query
from rankproof.judge.probe_findings import FindingKind, ProbeDifference
from rankproof.judge.small_inputs import complete, of_query, queries, with_rows
from rankproof.judge.subject_asked import SubjectAsked
from rankproof.measure_facts import looks_at
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading
from rankproof.workers.same_answers import alike

Law = Callable[[SubjectAsked, Input, Measure], ProbeDifference | None]

FAR = 20
"""A cutoff beyond the end of every list."""
STANDARD = {axis: AXES[axis].default for axis in AXES}


def blind_below(measure: Measure) -> bool:
    """Whether an unjudged doc at the very bottom cannot change it, though there is no cutoff: it does not count the docs retrieved."""
    return "n" not in looks_at(measure, STANDARD)


def unmoved(says: str, changes: Callable[[Input], Iterable[Changed]]) -> Law:
    """The law that a change leaves every value as it is."""

    def law(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
        for change in changes(data):
            found = compared(ask(data, measure), ask(change.data, measure), ask.precision(measure), change.names)
            if found is not None:
                query, a, b = found
                asked = ("as given", change.what)
                return ProbeDifference(FindingKind.DEPENDS, says, asked, (a, b), data, change.data, query)
        return None

    return law


def same_twice(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """Asked once, and then twice in a row, it says one thing."""
    first, (second, third), precision = ask(data, measure), ask.twice(data, measure), ask.precision(measure)
    found = compared(first, second, precision) or compared(second, third, precision)
    if found is None:
        return None
    asked = ("asked once", "asked again")
    return ProbeDifference(FindingKind.UNSTABLE, "differs when asked twice", asked, found[1:], data, None, found[0])


def one_by_one(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A query's value is the same in company and alone, and the mean is the mean of those."""
    together, alone = ask(data, measure), {}
    if len(queries(data)) < 2 or not isinstance(together, Answered):  # noqa: PLR2004 - company is two
        return None
    for query in queries(data):
        single = with_rows(data, qrels=of_query(data.qrels, query), run=of_query(data.run, query))
        answer = ask(single, measure)
        if not isinstance(answer, Answered):
            return None
        alone[query] = answer
        told = None if together.per_query is None else Answered({query: together.per_query.get(query, math.nan)}, None)
        found = compared(told, Answered(answer.per_query, None), ask.precision(measure))
        if found is not None:
            asked, says = ("with other queries", "alone"), "depends on the queries asked with it"
            return ProbeDifference(FindingKind.DEPENDS, says, asked, found[1:], data, single, query)
    return _mean_of_those(ask, data, measure, together.mean, [answer.mean for answer in alone.values()])


def _mean_of_those(
    ask: SubjectAsked, data: Input, measure: Measure, mean: float | None, alone: Sequence[float | None]
) -> ProbeDifference | None:
    values = [value for value in alone if value is not None]
    if measure.definition.total == "sum" or mean is None or len(values) < len(alone):
        return None
    expected = math.fsum(values) / len(values)
    if not math.isfinite(expected) or alike(mean, expected, ask.precision(measure)):
        return None
    asked, says = ("together", "mean of the queries asked alone"), "the mean is not that of the queries asked alone"
    return ProbeDifference(FindingKind.DEPENDS, says, asked, (mean, expected), data)


def cutoff_beyond(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A cutoff beyond the end of the list, and of the judgments, changes nothing."""
    longest = max(len(of_query(rows, query)) for rows in (data.run, data.qrels) for query in queries(data))
    k = measure.k or FAR // 2
    if longest > k:
        return None
    further = cut_at(measure, FAR if measure.k is None else 2 * k)
    found = compared(ask(data, measure), ask(data, further), ask.precision(measure, further))
    if found is None:
        return None
    query, a, b = found
    says = "a cutoff beyond the list changes it"
    return ProbeDifference(FindingKind.DEPENDS, says, (str(measure), str(further)), (a, b), data, None, query)


_NOTHING_BELOW = unmoved("depends on an unjudged doc below all others", unjudged_at_the_bottom)


def unjudged_doc(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """An unjudged doc below all others changes nothing, where it is beyond the cutoff or the measure is blind to it."""
    shortest = min(len(of_query(data.run, query)) for query in queries(data))
    within = measure.k is not None and shortest < measure.k
    return None if within and not blind_below(measure) else _NOTHING_BELOW(ask, data, measure)


def empty_query(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A judged query that was not retrieved leaves the others as they are; what becomes of the mean is told."""
    new, more = with_empty_query(data)
    a, b = ask(data, measure), ask(more, measure)
    if not isinstance(a, Answered) or b is None or not complete(data):
        return None
    asked = ("as given", f"with {new}, which was judged and not retrieved")
    if isinstance(b, Failure):
        says = "a judged query that was not retrieved is refused"
        return ProbeDifference(FindingKind.TELLS, says, asked, (overall(a), failed(b)), data, more)
    if a.per_query is not None and b.per_query is not None:
        others = {query: value for query, value in b.per_query.items() if query != new}
        found = compared(Answered(a.per_query, None), Answered(others, None), ask.precision(measure))
        if found is not None:
            says = "a judged query that was not retrieved changes the values of others"
            return ProbeDifference(FindingKind.DEPENDS, says, asked, found[1:], data, more, found[0])
    return _what_becomes_of_it(ask, (a, b), (data, more), asked, (new, measure))


def _what_becomes_of_it(
    ask: SubjectAsked,
    answers: tuple[Answered, Answered],
    inputs: tuple[Input, Input],
    asked: tuple[str, str],
    what: tuple[str, Measure],
) -> ProbeDifference | None:
    a, b = answers
    new, measure = what
    n, precision = len(queries(inputs[0])), ask.precision(measure)
    before: Reading
    after: Reading
    if a.mean is None or b.mean is None:
        before, after = ABSENT, (b.per_query or {}).get(new, ABSENT)
        known: list[tuple[str, Reading]] = [
            ("is left out", ABSENT),
            ("is worth 0", 0.0),
            ("is worth 1", 1.0),
            ("is worth NaN", math.nan),
        ]
    else:
        if not math.isfinite(a.mean) or alike(a.mean, 0.0, precision) or alike(a.mean, 1.0, precision):
            return None
        before, after = a.mean, b.mean
        known = [
            ("leaves the mean", a.mean),
            ("is worth 0 in the mean", a.mean * n / (n + 1)),
            ("is worth 1 in the mean", (a.mean * n + 1) / (n + 1)),
            ("makes the mean NaN", math.nan),
        ]
    told = next((says for says, value in known if alike(after, value, precision)), "moves the mean")
    says = f"a judged query that was not retrieved {told}"
    return ProbeDifference(
        FindingKind.TELLS, says, asked, (before, after), *inputs, None if a.mean is not None else new
    )


def truth_is_one(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """The judged docs, scored by their rels, are worth 1 to a measure that can be 1."""
    counts = [sum(rel >= 1 for _, _, rel in of_query(data.qrels, query)) for query in queries(data)]
    others = [sum(rel < 1 for _, _, rel in of_query(data.qrels, query)) for query in queries(data)]
    k = measure.k
    at_most, at_least = k is not None and k <= min(counts), k is None or k >= max(counts)
    holds = {"always": True, "k <= R": at_most, "k >= R": at_least}.get(measure.definition.truth or "", False)
    if not holds or min(counts) == 0 or min(others) == 0 or measure.rel != 1:
        return None
    truth = truth_of(data)
    answer = ask(truth, measure)
    one = dict.fromkeys(queries(data), 1.0)
    told = answer.per_query is not None if isinstance(answer, Answered) else False
    expected = Answered(one if told else None, 1.0)
    found = compared(answer, expected, ask.precision(measure)) if isinstance(answer, Answered) else None
    if found is None:
        return None
    query, a, b = found
    return ProbeDifference(
        FindingKind.BREAKS,
        "the truth as a prediction is not worth 1",
        ("the truth", "what it is worth"),
        (a, b),
        truth,
        None,
        query,
    )


def bounds(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A value is a number from 0 to 1."""
    answer = ask(data, measure)
    if not isinstance(answer, Answered):
        return None
    for query, value in [*(answer.per_query or {}).items(), (None, answer.mean)]:
        if value is None or 0 <= value <= 1 or alike(value, 1.0, ask.precision(measure)):
            continue
        says = "is not between 0 and 1" if not math.isnan(value) else "is not a number"
        return ProbeDifference(
            FindingKind.BREAKS, says, ("as given", "what is possible"), (value, "0 to 1"), data, None, query
        )
    return None
