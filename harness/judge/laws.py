"""Laws about the values of an input and of changed inputs, such as "the order of rows does not matter".

A law runs a library and returns its first finding on an input, or None if the law holds or does not apply.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.cases.inputs import Input
from rankproof.judge.probe_findings import FindingKind, ProbeFinding
from rankproof.judge.probe_inputs import (
    Change,
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
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, read
from rankproof.workers.same_answers import alike
from rankproof.workers.sheets import steady
from rankproof.workers.subjects import Subject

Answer = Answered | Failure | None
Pair = tuple[Reading, Reading]

FAR = 20
"""A cutoff beyond the end of all rankings."""
STANDARD = {axis: AXES[axis].default for axis in AXES}


@dataclass
class ProbedSubject:
    """A variant of a library under test, with a cache of its values, because shrinking an input repeats many calls.

    Attributes:
        along: other measures to compute in the same call, because a call costs more than a measure.
    """

    worker: Worker
    library: Library
    subject: Subject
    along: Sequence[Measure] = ()
    _kept: dict[tuple[Input, str], Answer] = field(default_factory=dict)

    def __call__(self, data: Input, measure: Measure) -> Answer:
        """Return the values of a measure; None if the variant does not support it."""
        if (data, str(measure)) not in self._kept:
            names = dict.fromkeys(map(str, [measure, *self.along]))
            missing = [name for name in names if (data, name) not in self._kept]
            for name, raw in self.worker.observe(self.subject.variant, data.as_json(), missing, once=True).items():
                self._kept[data, name] = read("", self.subject, name, raw).answer
        return self._kept[data, str(measure)]

    def precision(self, *measures: Measure) -> list[str]:
        """Return the precisions of measures according to the claim sheet."""
        return [self.library.sheet.precision_of(self.subject.variant, measure) for measure in measures]

    def finding(
        self,
        measure: Measure,
        says: str,
        labels: tuple[str, str],
        answers: Pair,
        data: Input,
        changed: Input | None = None,
        query: str | None = None,
        kind: FindingKind = FindingKind.DEPENDS,
    ) -> ProbeFinding:
        """Return a finding about this variant, without the name of the probe."""
        about = "", self.subject.library, self.subject.variant, str(measure), kind, says
        first, second = (str(a) if isinstance(a, float) and not math.isfinite(a) else a for a in answers)
        return ProbeFinding(*about, data, changed, labels, (first, second), query)


Law = Callable[[ProbedSubject, Input, Measure], ProbeFinding | None]


def compared(
    a: Answer, b: Answer, precisions: Collection[str], names: Mapping[str, str] | None = None
) -> tuple[str | None, Reading, Reading] | None:
    """Return the first query (None for the mean) with different values, and both values.

    `names` maps the queries of `a` to those of `b` if they were renamed. Two failures of one kind are equal.

    >>> compared(Answered({"1": 1.0}, 1.0), Answered({"1": 0.5}, 0.5), ["float64"])
    ('1', 1.0, 0.5)
    """
    if a is None or b is None:
        return None
    if isinstance(a, Failure) or isinstance(b, Failure):
        both = isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
        return None if both else (None, _in_words(a), _in_words(b))
    pairs = _pairs(a, b, names or {})
    return next(((query, x, y) for query, x, y in pairs if not alike(x, y, precisions)), None)


def _pairs(a: Answered, b: Answered, names: Mapping[str, str]) -> Iterator[tuple[str | None, Reading, Reading]]:
    if a.per_query is not None and b.per_query is not None:
        old = {after: before for before, after in names.items()}
        for query in dict.fromkeys([*a.per_query, *(old.get(name, name) for name in b.per_query)]):
            yield query, a.per_query.get(query, ABSENT), b.per_query.get(names.get(query, query), ABSENT)
    if a.mean is not None and b.mean is not None:
        yield None, a.mean, b.mean


def equal(a: Answer, b: Answer, precisions: Collection[str]) -> bool:
    """Return whether both results are values, and equal."""
    return isinstance(a, Answered) and isinstance(b, Answered) and compared(a, b, precisions) is None


def _in_words(answer: Answered | Failure) -> str:
    return f"{answer.kind}: {steady(answer.text)}" if isinstance(answer, Failure) else "a number"


def _overall(answer: Answer) -> Reading:
    """Return the mean, or the value of the first query if there is no mean."""
    if not isinstance(answer, Answered):
        return ABSENT
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()), ABSENT)


def blind_below(measure: Measure) -> bool:
    """Return whether a measure ignores unjudged documents at the bottom, as it does not count retrieved documents."""
    return "n" not in looks_at(measure, STANDARD)


def unmoved(says: str, changes: Change) -> Law:
    """Return the law that a change of the input does not change any value."""

    def law(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
        for change in changes(data):
            values = probed(data, measure), probed(change.data, measure)
            if (difference := compared(*values, probed.precision(measure), change.names)) is not None:
                labels = ("as given", change.what)
                return probed.finding(measure, says, labels, difference[1:], data, change.data, difference[0])
        return None

    return law


def cutoff_beyond(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that a cutoff beyond all retrieved and judged documents changes nothing."""
    longest = max(len(of_query(rows, query)) for rows in (data.run, data.qrels) for query in queries(data))
    k = measure.k or FAR // 2
    further = cut_at(measure, FAR if measure.k is None else 2 * k)
    if longest > k:
        return None
    values = compared(probed(data, measure), probed(data, further), probed.precision(measure, further))
    if values is None:
        return None
    cutoffs = (str(measure), str(further))
    return probed.finding(measure, "a cutoff beyond the list changes it", cutoffs, values[1:], data, query=values[0])


_NOTHING_BELOW = unmoved("depends on an unjudged doc below all others", unjudged_at_the_bottom)


def unjudged_doc(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that an unjudged document below all others changes nothing, if it is cut off or the measure ignores it."""
    shortest = min(len(of_query(data.run, query)) for query in queries(data))
    within = measure.k is not None and shortest < measure.k
    return None if within and not blind_below(measure) else _NOTHING_BELOW(probed, data, measure)


def empty_query(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that a judged query without retrieved documents does not change the others, and report its score."""
    new, more = with_empty_query(data)
    a, b, precision = probed(data, measure), probed(more, measure), probed.precision(measure)
    if not isinstance(a, Answered) or b is None or not complete(data):
        return None
    says = "a judged query that was not retrieved"
    labels = ("as given", f"with {new}, which was judged and not retrieved")
    tells = FindingKind.TELLS
    values: Pair
    if isinstance(b, Failure):
        values = (_overall(a), _in_words(b))
        return probed.finding(measure, f"{says} is refused", labels, values, data, more, kind=tells)
    if a.per_query is not None and b.per_query is not None:
        others = {query: value for query, value in b.per_query.items() if query != new}
        if moved := compared(Answered(a.per_query, None), Answered(others, None), precision):
            return probed.finding(
                measure, f"{says} changes the values of others", labels, moved[1:], data, more, moved[0]
            )
    outcomes: dict[str, Reading]
    if a.mean is None or b.mean is None:
        values = (ABSENT, (b.per_query or {}).get(new, ABSENT))
        outcomes = {"is left out": ABSENT, "is worth 0": 0.0, "is worth 1": 1.0, "is worth NaN": math.nan}
    elif math.isfinite(a.mean) and not any(alike(a.mean, end, precision) for end in (0.0, 1.0)):
        values, n = (a.mean, b.mean), len(queries(data))
        worth = {f"is worth {value} in the mean": (a.mean * n + value) / (n + 1) for value in (0, 1)}
        outcomes = {"leaves the mean": a.mean, **worth, "makes the mean NaN": math.nan}
    else:
        return None  # two outcomes are equal
    outcome = next((name for name, value in outcomes.items() if alike(values[1], value, precision)), "moves the mean")
    query = new if a.mean is None else None
    return probed.finding(measure, f"{says} {outcome}", labels, values, data, more, query, tells)


def one_rule_for_ties(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that two more tied documents do not change the order of ties."""
    rows = data.run
    if len(queries(data)) > 1 or len(rows[2:]) <= 1 or len({row[2] for row in rows}) > 1:
        return None

    def fitting(tied: Input) -> dict[str, Input]:
        precision, value = probed.precision(measure), probed(tied, measure)
        orders = untied_orders(tied).items()
        return {name: untied for name, untied in orders if equal(value, probed(untied, measure), precision)}

    few, many = fitting(with_rows(data, run=rows[:-2])), fitting(data)
    if not few or few.keys() & many.keys() or not isinstance(probed(data, measure), Answered):
        return None
    name = next(iter(few))
    untied = untied_orders(data)[name]
    values = _overall(probed(data, measure)), _overall(probed(untied, measure))
    labels = f"{len(rows)} tied docs", f"the same untied in the order {name}, which {len(rows) - 2} tied docs keep"
    says = "tied docs keep an order while they are few, and another when they are more"
    return probed.finding(measure, says, labels, values, data, untied)


def truth_is_one(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that a run of all judged documents, scored by their grades, scores 1 if the measure requires it."""
    counts, others = zip(
        *((sum(rel >= 1 for rel in rels), sum(rel < 1 for rel in rels)) for rels in _rels(data)), strict=True
    )
    at_most, at_least = (measure.k or math.inf) <= min(counts), (measure.k or math.inf) >= max(counts)
    holds = {"always": True, "k <= R": at_most, "k >= R": at_least}.get(measure.definition.truth or "", False)
    truth = truth_of(data)
    answer = probed(truth, measure) if holds and min(*counts, *others) > 0 and measure.rel == 1 else None
    if not isinstance(answer, Answered):
        return None
    expected = Answered(None if answer.per_query is None else dict.fromkeys(queries(data), 1.0), 1.0)
    if (difference := compared(answer, expected, probed.precision(measure))) is None:
        return None
    says, labels = "the truth as a prediction is not worth 1", ("the truth", "what it is worth")
    return probed.finding(measure, says, labels, difference[1:], truth, query=difference[0], kind=FindingKind.BREAKS)


def _rels(data: Input) -> list[list[float]]:
    return [[rel for _, _, rel in of_query(data.qrels, query)] for query in queries(data)]


def bounds(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that a value is a number from 0 to 1."""
    answer = probed(data, measure)
    if not isinstance(answer, Answered):
        return None
    for query, value in [*(answer.per_query or {}).items(), (None, answer.mean)]:
        if value is not None and not 0 <= value <= 1 and not alike(value, 1.0, probed.precision(measure)):
            says = "is not a number" if math.isnan(value) else "is not between 0 and 1"
            labels = ("as given", "what is possible")
            return probed.finding(measure, says, labels, (value, "0 to 1"), data, query=query, kind=FindingKind.BREAKS)
    return None


def constant(probed: ProbedSubject, data: Input, measure: Measure) -> ProbeFinding | None:
    """Check that equal scores for all documents do not reach the value of the correct ranking."""
    precision, places = probed.precision(measure), [(row, name) for row in (True, False) for name in (True, False)]
    by = {(row, name): arranged(data, best_row_first=row, best_id_first=name) for row, name in places}
    truth = {at: probed(truth_of(inputs), measure) for at, inputs in by.items()}
    best, worst = truth[True, True], probed(truth_of(by[True, True], -1.0), measure)
    if not isinstance(best, Answered) or not isinstance(worst, Answered) or equal(best, worst, precision):
        return None
    perfect = {at for at, inputs in by.items() if equal(probed(inputs, measure), truth[at], precision)}
    for where, needed in (
        ("", set(places)),
        (" where the rows come in its order", {(True, True), (True, False)}),
        (" where the docids ascend in its order", {(True, True), (False, True)}),
        (" where the docids descend in its order", {(True, False), (False, False)}),
    ):
        if needed <= perfect:
            at = max(needed)
            says, labels = f"a constant scorer is worth as much as the truth{where}", ("the truth", "a constant scorer")
            values = (_overall(truth[at]), _overall(probed(by[at], measure)))
            return probed.finding(measure, says, labels, values, truth_of(by[at]), by[at])
    return None
