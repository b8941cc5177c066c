"""Laws: how the answers to an input, and to a changed input, must agree.

A law asks a library, and returns the first difference that an input shows, or None if it holds or does not apply.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.cases.inputs import Input
from rankproof.judge.probe_findings import FindingKind, ProbeDifference
from rankproof.judge.probe_inputs import (
    Changed,
    arranged,
    complete,
    of_query,
    queries,
    truth_of,
    unjudged_at_the_bottom,
    untied_orders,
    with_empty_query,
    with_rows,
)
from rankproof.measure_facts import looks_at
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import ABSENT, Answered, Failure, Observation, Reading, read
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import steady
from rankproof.workers.subjects import Subject

Answer = Answered | Failure | None


def compared(
    a: Answer, b: Answer, precisions: Collection[str], names: Mapping[str, str] | None = None
) -> tuple[str | None, Reading, Reading] | None:
    """Return the first query (None for the mean) with different values, and both values; `names` has the names of queries in b.

    >>> compared(Answered({"1": 1.0}, 1.0), Answered({"1": 0.5}, 0.5), ["float64"])
    ('1', 1.0, 0.5)
    """
    if a is None or b is None:
        return None
    if isinstance(a, Failure) or isinstance(b, Failure):
        both = isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
        return None if both else (None, failed(a), failed(b))
    for query, x, y in _pairs(a, b, names or {}):
        if not alike(x, y, precisions):
            return query, x, y
    return None


def _pairs(a: Answered, b: Answered, names: Mapping[str, str]) -> Iterator[tuple[str | None, Reading, Reading]]:
    if a.per_query is not None and b.per_query is not None:
        given = {new: old for old, new in names.items()}
        for query in dict.fromkeys([*a.per_query, *(given.get(name, name) for name in b.per_query)]):
            yield query, a.per_query.get(query, ABSENT), b.per_query.get(names.get(query, query), ABSENT)
    if a.mean is not None and b.mean is not None:
        yield None, a.mean, b.mean


def equal(a: Answer, b: Answer, precisions: Collection[str]) -> bool:
    """Whether two answers are numbers, and the same ones."""
    return isinstance(a, Answered) and isinstance(b, Answered) and compared(a, b, precisions) is None


def failed(answer: Answered | Failure) -> str:
    """Return a failure in words."""
    return f"{answer.kind}: {steady(answer.text)}" if isinstance(answer, Failure) else "a number"


def overall(answer: Answer) -> Reading:
    """Return the mean, or without a mean the value of the first query; `absent` if there is no number."""
    if not isinstance(answer, Answered):
        return ABSENT
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()), ABSENT)


@dataclass
class SubjectAsked:
    """A subject, asked; answers are kept, as shrinking asks for the same again and again.

    Attributes:
        along: further measures to request for an input, since a request costs more than a measure.
    """

    worker: Worker
    library: Library
    subject: Subject
    along: Sequence[Measure] = ()
    _kept: dict[tuple[bool, Input, str], Observation] = field(default_factory=dict)

    def __call__(self, data: Input, measure: Measure) -> Answer:
        """The answer; None where the variant does not support the measure."""
        return self._observed(data, measure, once=True).answer

    def twice(self, data: Input, measure: Measure) -> tuple[Answer, Answer]:
        """The answers to the same question, asked twice in a row."""
        seen = self._observed(data, measure, once=False)
        return seen.answer, seen.answer if seen.again is None else seen.again

    def _observed(self, data: Input, measure: Measure, *, once: bool) -> Observation:
        if (once, data, str(measure)) not in self._kept:
            missing = [m for m in map(str, self.along) if (once, data, m) not in self._kept]
            names = list(dict.fromkeys([str(measure), *missing]))
            for name, raw in self.worker.observe(self.subject.variant, data.as_json(), names, once=once).items():
                self._kept[once, data, name] = read("", self.subject, name, raw)
        return self._kept[once, data, str(measure)]

    def precision(self, *measures: Measure) -> list[str]:
        """The precisions in which the variant answers these measures."""
        return [self.library.sheet.precision_of(self.subject.variant, measure) for measure in measures]


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


def constant(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """A scorer that gives every document the same score knows nothing, and must score less than the truth."""
    precision = ask.precision(measure)
    by = {
        (row, name): arranged(data, best_row_first=row, best_id_first=name)
        for row in (True, False)
        for name in (True, False)
    }
    truth = {at: ask(truth_of(given), measure) for at, given in by.items()}
    best, worst = truth[True, True], ask(truth_of(by[True, True], -1.0), measure)
    if not isinstance(best, Answered) or not isinstance(worst, Answered) or equal(best, worst, precision):
        return None
    perfect = {at for at, given in by.items() if equal(ask(given, measure), truth[at], precision)}
    for where, needed in (
        ("", set(by)),
        (" where the rows come in its order", {(True, True), (True, False)}),
        (" where the docids ascend in its order", {(True, True), (False, True)}),
        (" where the docids descend in its order", {(True, False), (False, False)}),
    ):
        if needed <= perfect:
            at = max(needed)
            says = f"a constant scorer is worth as much as the truth{where}"
            values = (overall(truth[at]), overall(ask(by[at], measure)))
            return ProbeDifference(
                FindingKind.DEPENDS, says, ("the truth", "a constant scorer"), values, truth_of(by[at]), by[at]
            )
    return None


def one_rule_for_ties(ask: SubjectAsked, data: Input, measure: Measure) -> ProbeDifference | None:
    """Fifteen and seventeen tied documents follow the same order."""
    rows = data.run
    if len(queries(data)) > 1 or len(rows) < 4 or len({row[2] for row in rows}) > 1:  # noqa: PLR2004 - two docs less are still tied
        return None
    fewer = with_rows(data, run=rows[:-2])
    before, now = _rules(ask, fewer, measure), _rules(ask, data, measure)
    if not before or set(before) & set(now) or not isinstance(ask(data, measure), Answered):
        return None
    name = next(iter(before))
    untied = untied_orders(data)[name]
    values = (overall(ask(data, measure)), overall(ask(untied, measure)))
    asked = (f"{len(rows)} tied docs", f"the same untied in the order {name}, which {len(rows) - 2} tied docs keep")
    says = "tied docs keep an order while they are few, and another when they are more"
    return ProbeDifference(FindingKind.DEPENDS, says, asked, values, data, untied)


def _rules(ask: SubjectAsked, data: Input, measure: Measure) -> dict[str, Input]:
    """The orders of untied docs that give what the tied ones do."""
    answer, precision = ask(data, measure), ask.precision(measure)
    return {
        name: untied for name, untied in untied_orders(data).items() if equal(answer, ask(untied, measure), precision)
    }
