"""Questions of a check: each input as the call shows it, at each cutoff, and the conventions that the call decides.

A function only sees the ingredients that its call reads. So the function and the reference both get the simplest
input with the same ingredients.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from math import isnan

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input, QrelsRow, RunRow
from rankproof.check import ingredients as see
from rankproof.check.made_inputs import made_cases
from rankproof.inference.evidence import ReferenceQuestion
from rankproof.inference.input_traits import BY_STEPS, TWICE, Trait, has_a_doc_twice, traits_of
from rankproof.inference.signatures import axes_of
from rankproof.measure_facts import can_look_at
from rankproof.measure_forms import cut_at, cutoff_of, name_of
from rankproof.reference_impl.notation import Measure, parse

Shows = frozenset[str]
"""Properties of the input that a call shows (`rankproof.check.ingredients.shown_by`)."""
SMALL_CUTOFFS = (2, 5)
DECISIVE_CUTOFF = 2
"""The small cutoff that distinguishes conventions most often."""


@dataclass(eq=False)
class Question(ReferenceQuestion):
    """A measure at the tested cutoff, for the input of a case as the call shows it.

    Attributes:
        is_decisive: whether the inference uses the question from the start.
    """

    is_decisive: bool = True

    @property
    def input(self) -> Input:
        """The input that the call shows."""
        return self.case.input

    @property
    def is_ordinary(self) -> bool:
        """Whether the input has no extreme trait."""
        return not self.traits

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """The extreme traits of the input."""
        return traits_of(self.input)

    @property
    def repeats_a_document(self) -> bool:
        """Whether a document retrieved twice is the only extreme trait."""
        return self.traits == (TWICE,) and not has_a_doc_twice(self.input.qrels)


@lru_cache(maxsize=16)
def questions_of(measure: Measure, shows: Shows, *, of_all: bool, any_cutoff: bool) -> tuple[Question, ...]:
    """Return the questions for a call without duplicates, ordinary input first.

    Args:
        measure: the requested measure.
        shows: the properties of the input that the call shows.
        of_all: whether one call gets all queries.
        any_cutoff: whether the call reads the cutoff, so that other cutoffs can be tested.
    """
    seen: dict[tuple[Input, Measure], Question] = {}
    threshold = 1.0 if measure.of_labels else measure.rel
    for case in (*made_cases(measure, twice=see.REPEATS in shows), *corpus.load_all()):
        if case.input.of_labels is not measure.of_labels or not _is_feasible(case.input):
            continue
        for data in visible_inputs(case.input, shows, threshold, of_all=of_all):
            for question in _at_cutoffs(case, data, measure, any_cutoff=any_cutoff):
                seen.setdefault((data, question.measure), question)
    return tuple(_by_topics(seen.values()))


def _is_feasible(data: Input) -> bool:
    """Return whether all grades are low enough to compute 2 to their power quickly."""
    return all(abs(grade) <= BY_STEPS for _, _, grade in data.qrels)


def _at_cutoffs(case: Case, data: Input, measure: Measure, *, any_cutoff: bool) -> Iterator[Question]:
    own = replace(case, input=data)
    k = cutoff_of(measure)
    yield Question(own, measure)
    if not any_cutoff or k is None:
        return
    named = [cutoff_of(parse(text)) for text in case.measures if name_of(text) == measure.name]
    longest = max(map(len, data.scored.values()), default=0)
    for cutoff in dict.fromkeys([*named, *(small for small in SMALL_CUTOFFS if small < longest)]):
        if cutoff is not None and cutoff != k:
            yield Question(own, cut_at(measure, cutoff), cutoff == DECISIVE_CUTOFF or cutoff in named)


def _by_topics(questions: Iterable[Question]) -> list[Question]:
    """Sort questions so that the topics of the corpus alternate, ordinary input first."""
    turns: defaultdict[str, Iterator[int]] = defaultdict(count)
    return sorted(
        questions,
        key=lambda question: (not question.is_ordinary, next(turns[question.case.id.partition("/")[0]])),
    )


# -- what a call sees ---------------------------------------------------------------------------------------------------


def visible_inputs(data: Input, shows: Shows, threshold: float, *, of_all: bool) -> Iterator[Input]:
    """Yield the inputs that a call shows: one for each judged and retrieved query, or one with all queries.

    Args:
        data: the input of a case.
        shows: the properties of the input that the call shows.
        threshold: the lowest grade of a relevant document.
        of_all: whether one call gets all queries.
    """
    if data.of_labels:
        yield data
        return
    text = _with_text_ids(data)
    queries = [query for query in text.judged if query in text.scored]
    parts = (
        [_of_queries(text, [query]) for query in queries]
        if not of_all
        else [text if see.MISSING in shows else _of_queries(text, queries)]
    )
    for part in parts:
        if part.queries and _can_be_passed(part, shows, of_all=of_all):
            yield _seen(part, shows, threshold)


def _with_text_ids(data: Input) -> Input:
    return replace(
        data,
        qrels=tuple((str(query), str(doc), grade) for query, doc, grade in data.qrels),
        run=tuple((str(query), str(doc), score, rank) for query, doc, score, rank in data.run),
        empty_in_qrels=tuple(map(str, data.empty_in_qrels)),
        empty_in_run=tuple(map(str, data.empty_in_run)),
    )


def _of_queries(data: Input, queries: list[str]) -> Input:
    kept = set(queries)
    return Input(
        tuple(row for row in data.qrels if row[0] in kept),
        tuple(row for row in data.run if row[0] in kept),
        tuple(query for query in data.empty_in_qrels if query in kept),
        tuple(query for query in data.empty_in_run if query in kept),
    )


def _can_be_passed(data: Input, shows: Shows, *, of_all: bool) -> bool:
    """Return whether the ingredients can hold the input; dicts cannot repeat a document, nor rows an empty query."""
    if has_a_doc_twice(data.run) and see.REPEATS not in shows:
        return False
    if has_a_doc_twice(data.qrels) and see.REPEATED_JUDGMENTS not in shows:
        return False
    if any(isnan(score) for _, _, score, _ in data.run) and not {see.SCORES, see.ROWS} <= shows:
        return False
    in_rows = of_all and not ({see.REPEATS, see.REPEATED_JUDGMENTS}.isdisjoint(shows) or see.ORDER in shows)
    return not (in_rows and (data.empty_in_qrels or data.empty_in_run or not data.qrels or not data.run))


def _seen(data: Input, shows: Shows, threshold: float) -> Input:
    judged = data if see.GRADES in shows else replace(data, qrels=tuple(_as_flags(data.qrels, threshold)))
    if see.JUDGMENTS not in shows:
        judged = replace(judged, qrels=tuple(_judgments_seen(judged, shows, threshold)), empty_in_qrels=())
        lacking = set(data.judged) - {query for query, _, _ in judged.qrels}
        judged = replace(judged, empty_in_qrels=tuple(query for query in data.judged if query in lacking))
    return replace(judged, run=tuple(_rows_seen(judged, shows)))


def _as_flags(rows: tuple[QrelsRow, ...], threshold: float) -> Iterator[QrelsRow]:
    relevant = max(1, int(threshold))
    return ((query, doc, relevant if grade >= threshold else 0) for query, doc, grade in rows)


def _judgments_seen(data: Input, shows: Shows, threshold: float) -> Iterator[QrelsRow]:
    """Yield a judgment for each retrieved document, and for unretrieved relevant documents if the call shows them."""
    grades = {(query, doc): grade for query, doc, grade in data.qrels}
    retrieved = dict.fromkeys((query, doc) for query, doc, _, _ in data.run)
    yield from ((query, doc, grades.get((query, doc), 0)) for query, doc in retrieved)
    if see.UNRETRIEVED in shows:
        missed = ((query, doc) for (query, doc), grade in grades.items() if grade >= threshold)
        yield from ((query, doc, max(1, int(threshold))) for query, doc in missed if (query, doc) not in retrieved)


def _rows_seen(data: Input, shows: Shows) -> Iterator[RunRow]:
    """Yield the rows: in rank order if the call hides the input order, with distinct scores if it hides scores."""
    if see.ROWS in shows:
        yield from data.run
        return
    for query, rows in data.scored.items():
        in_order = sorted(rows, key=lambda row: -row[1])
        for rank, (doc, score, _) in enumerate(in_order, start=1):
            yield query, doc, score if see.SCORES in shows else float(len(in_order) - rank + 1), rank


_LACKING: tuple[tuple[Shows, Mapping[str, str], str, Shows], ...] = (
    (frozenset({see.UNRETRIEVED}), {"known": "retrieved"}, see.UNRETRIEVED, frozenset({"R", "judgments"})),
    (
        frozenset({see.GRADES}),
        {"gain": "binary", "rbp_gain": "binary"},
        "grades above 1",
        frozenset({"gains", "rels", "judgments"}),
    ),
    (frozenset({see.SCORES, see.ROWS}), {"ties": "input"}, "tied documents", frozenset({"order"})),
)
"""Properties that a call may hide: what shows them, conventions that the call then decides, name, dependent facts."""


def decided_by_caller(shows: Shows, measure: Measure, *, of_all: bool) -> Mapping[str, str]:
    """Return the conventions that the call decides, because it hides the input that the function would need."""
    lacking = [decided for shown_by, decided, _, _ in _LACKING if shown_by.isdisjoint(shows)]
    decided = {axis: value for axes in lacking for axis, value in axes.items()}
    if not of_all or see.MISSING not in shows:
        decided["missing"] = "dropped"
    return {} if measure.of_labels else {axis: value for axis, value in decided.items() if axis in axes_of(measure)}


def unpassed_inputs(shows: Shows, measure: Measure) -> tuple[str, ...]:
    """Return names of inputs that the measure depends on and the call never passes."""
    reads = frozenset[str]() if measure.of_labels else can_look_at(measure)
    return tuple(
        name for shown_by, _, name, facts in _LACKING if shown_by.isdisjoint(shows) and not facts.isdisjoint(reads)
    )
