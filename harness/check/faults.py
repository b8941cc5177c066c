"""Faults of functions: values above the maximum, perfect scores of imperfect rankings, ignored inputs, repeats."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rankproof.cases.inputs import Input
from rankproof.check.made_inputs import MADE, ORDER, RELEVANCE, SCORES
from rankproof.check.observe import Value
from rankproof.check.questions import Question
from rankproof.check.result import Example, Fault, FaultKind
from rankproof.inference.recalled import recalled
from rankproof.measure_facts import bounds_of, can_look_at
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import ABSENT

TOLERANCE = 1e-6
"""The relative error of a sum of floats that may exceed the maximum."""
LARGEST_EXAMPLE = 12
"""The maximum number of documents in an example."""
CUTOFF, EVERYTHING = "cutoff", "everything"
CREDIT = (
    *(axis for axis, own in AXES.items() if own.stage in {"order", "judge"} and axis != "known"),
    *("gain", "gain_threshold", "discount", "err_max", "rbp_gain"),
)
"""The axes that define how documents are ranked, and how much credit a document gets at a rank."""
FEWEST_CONTRASTS = 3
"""The number of groups with different correct values that a function must fail before an input counts as ignored."""
_OF_RELEVANCE = frozenset({"first hit", "relevant", "R", "non-relevant", "gains", "rels", "judgments"})


# -- examples -----------------------------------------------------------------------------------------------------------


def example_of(value: Value, conventions: Conventions, query: str | None = None) -> Example:
    """Return a value as an example, with the value of the reference under some conventions."""
    question = value.question
    expected = question.expected(vars(conventions))
    right = expected.get(query, ABSENT) if isinstance(expected, dict) else ABSENT
    returned = value.text or value.numbers.get(query, math.nan)
    text = question.case.question if question.case.id.startswith(MADE) else ""
    value_of = None if isinstance(right, str) else right
    return Example(question.case.id, text, question.measure, question.input, query, value_of, returned)


def key_order(value: Value, measure: Measure) -> tuple[object, ...]:
    """Return a sort key that puts clear examples first: few documents, a description, no ties, the requested cutoff."""
    question = value.question
    data = question.input
    return (
        not question.is_ordinary and not question.repeats_a_document,
        data.size > 2 * LARGEST_EXAMPLE,
        not data.run or bool(data.empty_in_run),
        data.has_ties,
        len(data.queries) > 1,
        _misses_a_document(data),
        question.measure.cutoff != measure.cutoff,
        bool(value.failure),
        question.simplicity,
    )


def _misses_a_document(data: Input) -> bool:
    retrieved = {row[:2] for row in data.run}
    return any(grade > 0 and (query, doc) not in retrieved for query, doc, grade in data.qrels)


def clearest(values: Iterable[Value], measure: Measure) -> Value | None:
    """Return the value that is the clearest example, or None."""
    return min(values, key=lambda value: key_order(value, measure), default=None)


def wrong_example(values: Iterable[Value], measure: Measure, conventions: Conventions = STANDARD) -> Example | None:
    """Return the clearest value that differs from the reference as an example, or None."""
    example = clearest((value for value in values if wrong_queries(value, conventions)), measure)
    if example is None:
        return None
    return example_of(example, conventions, None if example.failure else wrong_queries(example, conventions)[0])


def wrong_queries(value: Value, conventions: Conventions) -> list[str | None]:
    """Return the queries whose value differs from the reference or is missing after a failure; None is the mean."""
    expected = value.question.expected(vars(conventions))
    right = {query: of for query, of in expected.items() if isinstance(of, float)} if isinstance(expected, dict) else {}
    if value.failure:
        return [query for query, number in right.items() if math.isfinite(number)]
    numbers = value.numbers.items()
    return [q for q, n in numbers if q in right and not math.isclose(n, right[q], rel_tol=1e-6, abs_tol=1e-9)]


# -- maxima -------------------------------------------------------------------------------------------------------------


def above_maximum(values: Sequence[Value], measure: Measure) -> Fault | None:
    """Return the fault that a value exceeds the maximum of the measure, or None."""
    bounds = bounds_of(measure)
    if bounds is None or not math.isfinite(bounds[1]):
        return None
    too_large = [value for value in values if any(n > bounds[1] * (1 + TOLERANCE) for n in value.numbers.values())]
    example = clearest(too_large, measure)
    if example is None:
        return None
    query = max(example.numbers, key=lambda name: example.numbers[name])
    return Fault(FaultKind.ABOVE_MAXIMUM, example=example_of(example, STANDARD, query))


def cheap_maximum(values: Sequence[Value], measure: Measure, profile: Conventions) -> Fault | None:
    """Return the fault that an imperfect ranking, or a mean that includes one, has the maximum value; or None.

    A ranking is imperfect under `standard` with the order, gains and discounts of the profile.
    """
    bounds = bounds_of(measure)
    if measure.of_labels or bounds is None or not math.isfinite(bounds[1]):
        return None
    credit = STANDARD.replace(**{axis: getattr(profile, axis) for axis in CREDIT})
    cheap = {value: query for value in values for query in _cheap_queries(value, bounds[1], credit)}
    example = clearest(cheap, measure)
    return None if example is None else Fault(FaultKind.CHEAP, example=example_of(example, STANDARD, cheap[example]))


def _cheap_queries(value: Value, most: float, credit: Conventions) -> Iterator[str | None]:
    question, enough = value.question, most * (1 - TOLERANCE)
    if question.input.has_ties or all(number < enough for number in value.numbers.values()):
        return
    imperfect = _imperfect_queries(question, credit)
    for query, number in value.numbers.items():
        if number >= enough and (query in imperfect or (query is None and imperfect)):
            yield query
    named = {query: number for query, number in value.numbers.items() if query is not None}
    if None not in value.numbers and imperfect - named.keys() and sum(named.values()) >= enough * len(named):
        yield None


def _imperfect_queries(question: Question, credit: Conventions) -> set[str]:
    """Return the retrieved queries with an imperfect ranking."""
    expected, best = question.expected(vars(credit)), _best_values(question, credit)
    if not isinstance(expected, dict):
        return set()
    return {
        query
        for query in question.input.scored
        if isinstance(value := expected.get(query), float) and query in best and value < best[query] - TOLERANCE
    }


def _best_values(question: Question, credit: Conventions) -> Mapping[str, float]:
    """Return the best possible value of each query: all judged and retrieved documents, highest grade first."""
    data = question.input
    rows = []
    for query, retrieved in data.scored.items():
        grades = {str(doc): grade for doc, grade in data.judged.get(query, ())}
        docs = dict.fromkeys([*grades, *(str(doc) for doc, _, _ in retrieved)])
        in_order = sorted(docs, key=lambda doc: -grades.get(doc, 0))
        rows += [(query, doc, float(len(docs) - place), place + 1) for place, doc in enumerate(in_order)]
    answers = recalled(Input(data.qrels, tuple(rows), data.empty_in_qrels)).answers(question.measure, credit)
    per_query = getattr(answers, "per_query", {})
    return {query: to_float(value) for query, value in per_query.items() if value is not None}


def repeats_credited(values: Sequence[Value], measure: Measure) -> Fault | None:
    """Return the fault that a repeated document exceeds the maximum, or scores although it is not relevant; or None."""
    repeated = [value for value in values if value.question.repeats_a_document]
    fault = above_maximum(repeated, measure)
    if fault is not None:
        return Fault(FaultKind.REPEATS, ("above maximum",), fault.example)
    bounds = bounds_of(measure)
    if bounds is None or bounds[0] != 0 or can_look_at(measure).isdisjoint(_OF_RELEVANCE - {"non-relevant"}):
        return None
    not_relevant = (value for value in repeated if value.question.case.id == f"{MADE}/non-relevant-document-twice")
    credited = next((value for value in not_relevant if any(n > TOLERANCE for n in value.numbers.values())), None)
    if credited is None:
        return None
    return Fault(FaultKind.REPEATS, ("credit without relevance",), example_of(credited, STANDARD))


# -- ignored inputs -----------------------------------------------------------------------------------------------------


def ignored_input(values: Sequence[Value], measure: Measure) -> Fault | None:
    """Return the fault that the function ignores relevance, order, scores or the cutoff; or None.

    A property is ignored if all inputs that differ only in it get the same value, although their correct values differ.
    """
    if measure.of_labels:
        return None
    reads = can_look_at(measure)
    aspects = [RELEVANCE] if not reads.isdisjoint(_OF_RELEVANCE) else []
    aspects += [ORDER, SCORES] if "order" in reads else []
    ignored = [about for about in (*aspects, CUTOFF) if _is_ignored(about, values)]
    if not ignored:
        return None
    is_constant = len({number for value in values for number in value.numbers.values()}) == 1
    return Fault(FaultKind.IGNORES, (EVERYTHING if is_constant else ignored[0],))


_ALIKE: Mapping[str, Callable[[Question], object]] = {
    RELEVANCE: lambda question: (question.input.run, question.measure),
    ORDER: lambda question: (frozenset(question.input.qrels), _retrieved(question), question.measure),
    SCORES: lambda question: (question.input.qrels, tuple(row[:2] for row in question.input.run), question.measure),
    CUTOFF: lambda question: question.input,
}
"""Keys that are equal for inputs that differ only in one property."""


def _retrieved(question: Question) -> frozenset[tuple[object, ...]]:
    return frozenset(row[:2] for row in question.input.run)


def _is_ignored(about: str, values: Sequence[Value]) -> bool:
    groups: dict[object, list[Value]] = {}
    for value in values:
        groups.setdefault(_ALIKE[about](value.question), []).append(value)
    decisive = 0
    for group in groups.values():
        if len({number for value in group for number in value.numbers.values()}) > 1:
            return False
        decisive += len({repr(value.question.expected(vars(STANDARD))) for value in group if value.numbers}) > 1
    return decisive >= FEWEST_CONTRASTS
