"""What a function never looks at: pairs of questions that differ in one thing alone, to which it gives one answer.

A constant is right wherever its value is, and an axis or two can be found that make it so elsewhere. So before any convention is tried it
is seen that the function looks at what the measure looks at: which docs are relevant, in which order they stand, how many of them count.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rankproof.calling.call_forms import expressed, is_asked, says_ranks
from rankproof.calling.targets import QUERY, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking.case_questions import Question, traits
from rankproof.isolating.call_sessions import Session
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.meaning.input_traits import Trait
from rankproof.meaning.measure_facts import can_look_at
from rankproof.meaning.measure_forms import cut_at, cutoff_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.definition import Read
from rankproof.reference_impl.notation import Measure
from rankproof.text import number_of, short
from rankproof.workers.observations import Reading, numbers_in

ANYTHING, RELEVANCE, ORDER, CUTOFF = "anything", "relevance", "order", "cutoff"
SCORES, CUT_ROWS, CUT_RELEVANT = "scores", "cut rows", "cut relevant"
CASE = "looking"
LOW = (2, 5)
"""The cutoffs that a function is asked at which takes any."""
LONGEST = 1_200
"""How many docs a question has at most."""
MOST_ORDERED = 6
"""Of how many rels the order is changed."""
HIGH = ({1: 4, 2: 1}, {2: 4, 5: 3}, {1: 4})
"""The same, of rels that are relevant whatever the threshold."""
_BEYOND = tuple((place, among) for among in ((), (0,)) for place in (-1, -2, -3))
"""Which relevant doc is retrieved first, and which besides: the first is none of the first k."""
FEWEST = 3
"""How many answers to unlike questions must be the same."""
_OF_RELEVANCE: frozenset[Read] = frozenset({"first hit", "relevant", "R", "non-relevant", "gains", "rels", "judgments"})
_RELS = (
    {1: 1, 3: 1},
    {2: 1, 5: 1},
    {5: 1},
    {1: 1},
    {2: 1, 3: 1, 4: 1},
    {4: 1, 6: 1},
    {1: 4, 2: 1},
    {1: 1, 2: 4},
    {4: 4},
    {6: 3, 1: 2},
)
"""Which ranks have a rel, and which one: all else is judged 0."""


@dataclass(frozen=True)
class Blindness:
    """What a function never looks at, as far as it was asked.

    Attributes:
        about: `anything`, `relevance`, `order`, `cutoff`, `scores`, `cut rows` or `cut relevant`.
        plain_sentence: that, and what it answers, in plain words.
        first: a question.
        second: one that differs from it in that thing alone, and is answered alike.
        got: the answer to both.
        right: what `standard` answers to each.
        as_called: how it is called, before the sentence, where that is not plain.
    """

    about: str
    plain_sentence: str
    first: Question
    second: Question
    got: Reading
    right: tuple[Reading | None, Reading | None]
    as_called: str = ""

    @property
    def sentence(self) -> str:
        """How it is called, if need be, and what it never looks at."""
        return self.as_called + self.plain_sentence

    @property
    def question(self) -> Question:
        """The one that shows it, with what is right there."""
        return self.first


def blindness(
    session: Session, target: Target, measure: Measure, assumed: Sequence[Trait] = ()
) -> tuple[Blindness, ...]:
    """What a function never looks at, of what the measure looks at; it is asked no more than needed to see that it does."""
    # Who is called otherwise than was meant may look at nothing.
    is_plain = target.batch == QUERY and not target.notes
    as_called = "" if is_plain else f"called as {target.form.name} (see --form if that is not how it is called), "
    found = []
    for about, groups in _groups(target, measure, assumed):
        one = _blind_to(about, session, groups, has_ranks=says_ranks(target))
        if one is not None and (about != CUT_RELEVANT or _credits_the_first(session, target, measure, assumed)):
            found.append(replace(one, as_called=as_called))
    return tuple(found)


def _credits_the_first(session: Session, target: Target, measure: Measure, assumed: Sequence[Trait]) -> bool:
    """Whether it credits one of the first k relevant docs where it gives nothing for a later one: who credits neither has another error."""
    pairs = (
        [one for data in pair for one in question_of(CASE, target, measure, data, k, assumed)]
        for k in _cutoffs(target, measure)
        for pair in _of_relevant(k, ((0, ()),))
    )
    return any(len({number for _, number in _numbers(session, pair)}) > 1 for pair in pairs)


def _groups(
    target: Target, measure: Measure, assumed: Sequence[Trait]
) -> Iterator[tuple[str, Iterator[Sequence[Question]]]]:
    """By what they ask about, groups of questions that differ in that alone."""
    if measure.of_labels:
        return
    reads, cutoffs = can_look_at(measure), _cutoffs(target, measure)

    def asked(inputs: Sequence[Input], *at: int | None) -> list[Question]:
        return [one for data in inputs for k in at for one in question_of(CASE, target, measure, data, k, assumed)]

    if not reads.isdisjoint(_OF_RELEVANCE):
        yield RELEVANCE, (asked(_of_rels(k), k) for k in cutoffs)
    if "order" in reads:
        yield ORDER, (asked(inputs, k) for k in cutoffs for inputs in _of_orders(k))
        if "order" not in target.form.untold:
            yield SCORES, (asked(inputs, k) for k in cutoffs for inputs in _of_scores(k))
            if cutoff_of(measure) is not None:
                yield CUT_ROWS, (asked(inputs, k) for k in cutoffs for inputs in _of_rows_below(k))
    if cutoff_of(measure) is not None and "known" not in target.form.settled:
        yield CUT_RELEVANT, (asked(inputs, k) for k in cutoffs for inputs in _of_relevant(k, _BEYOND))
    if target.any_k and cutoff_of(measure) is not None:
        deepest = max((k for k in cutoffs if k is not None), default=0)
        yield CUTOFF, (asked([data], *cutoffs) for data in _of_rels(deepest))


def _blind_to(
    about: str, session: Session, groups: Iterator[Sequence[Question]], *, has_ranks: bool
) -> Blindness | None:
    """That all groups are answered alike, each within itself, though enough of it should not be; None if one is not."""
    shown: list[tuple[Question, Question]] = []
    numbers: dict[int, Reading] = {}
    for group in groups:
        told = _numbers(session, group)
        if len({number for _, number in told}) > 1:
            return None
        for one, number in told:
            numbers[id(one)] = number
            if _right(one) != _right(told[0][0]):
                shown.append((told[0][0], one))
    if len(shown) < FEWEST:
        return None
    is_constant = len(set(numbers.values())) == 1
    first, second = shown[0]
    got, right = numbers[id(first)], (_right(first), _right(second))
    said_of_it = _sentence(about, first, second, got, is_constant=is_constant, has_ranks=has_ranks)
    return Blindness(about, said_of_it, first, second, got, right)


def _numbers(session: Session, group: Sequence[Question]) -> list[tuple[Question, Reading]]:
    """The questions of a group that are answered with a number, with that."""
    said = session.twice([(one.case.input, cutoff_of(one.measure)) for one in group])
    numbers = [numbers_in(answer) if again is None else [] for answer, again in said]
    return [(one, found[0][1]) for one, found in zip(group, numbers, strict=True) if found]


def _right(question: Question) -> Reading | None:
    return reading_of(question.answers(STANDARD), "q")


# -- what is asked --------------------------------------------------------------------------------------------------


def _cutoffs(target: Target, measure: Measure) -> list[int | None]:
    k = cutoff_of(measure)
    if k is None:
        return [None]
    return list(dict.fromkeys([k, *(LOW if target.any_k else ())]))


def _docs(k: int | None) -> list[str]:
    n = max(k or 0, *LOW) + 3
    return [f"d{i * 37 % 10_007}" for i in range(1, n + 1)] if n <= LONGEST else []


def _input(docs: Sequence[str], rels: dict[int, int], order: Sequence[int], missed: int = 0) -> Input:
    """A query whose docs stand in an order of their ranks; the rels are of ranks in the first order, and so many more were missed."""
    judged = [(doc, rels.get(rank, 0)) for rank, doc in enumerate(docs, start=1)]
    return _of_judged([*judged, *((f"u{i}", 1) for i in range(missed))], [docs[place - 1] for place in order])


def _of_rels(k: int | None) -> list[Input]:
    docs = _docs(k)
    if not docs:
        return []
    in_order, last = range(1, len(docs) + 1), {len(docs): 1}
    # To who credits all docs that were retrieved, another rank is nothing new; that some were missed is.
    missed = [_input(docs, rels, in_order, n) for rels, n in (({}, 1), ({1: 1, 3: 1}, 1), ({2: 1}, 3))]
    judged = [_relevant_alone(_input(docs, rels, in_order)) for rels in _RELS[:3]]
    return [*(_input(docs, rels, in_order) for rels in (*_RELS, last)), *missed, *judged]


def _relevant_alone(data: Input) -> Input:
    """The same without the docs that are judged 0: who takes every judged doc for relevant has another error than to look at nothing."""
    return replace(data, qrels=tuple(row for row in data.qrels if row[2] > 0))


def _of_orders(k: int | None) -> Iterator[list[Input]]:
    """For some rels, the same docs in several orders."""
    docs = _docs(k)
    ranks = list(range(1, len(docs) + 1))
    turned, mixed = [*ranks[2:], *ranks[:2]], [*ranks[3:4], *ranks[:1], *ranks[1:3], *ranks[4:]]
    orders = (ranks, ranks[::-1], turned, mixed) if docs else ()
    for rels in (*_RELS[:MOST_ORDERED], *HIGH):
        yield [_input(docs, rels, order) for order in orders]
    yield [_relevant_alone(_input(docs, _RELS[0], order)) for order in orders]


def _scored(scores: Sequence[int], rels: dict[int, int], docs: Sequence[str]) -> Input:
    """A query whose rows come in one order whatever their scores; the rels are of rows."""
    return Input(
        qrels=tuple(("q", doc, rels.get(row, 0)) for row, doc in enumerate(docs, start=1)),
        run=tuple(("q", doc, scores[row - 1] / 64 + 0.25, row) for row, doc in enumerate(docs, start=1)),
    )


def _of_scores(k: int | None) -> Iterator[list[Input]]:
    """For some rels, the same rows with several scores."""
    docs = _docs(k)
    n = len(docs)
    down = range(n, 0, -1)
    for rels in (*_RELS[:MOST_ORDERED], *HIGH) if docs else ():
        yield [_scored(scores, rels, docs) for scores in (down, range(1, n + 1), [*down[n // 2 :], *down[: n // 2]])]


def _of_rows_below(k: int | None) -> Iterator[list[Input]]:
    """For some rels, the same rows, of which those below the first k have low scores or high ones."""
    docs = _docs(k)
    n, top = len(docs), k or 0
    for rels in ({1: 4, n: 4}, {2: 4, n: 4, 1: 3}, {n: 4}, {n - 1: 1, 1: 2}, {1: 4, 2: 4}) if docs else ():
        low = [*range(n, n - top, -1), *range(n - top, 0, -1)]
        high = [*range(top, 0, -1), *range(n, top, -1)]
        yield [_scored(scores, rels, docs) for scores in (low, high)]


def _of_relevant(k: int | None, shown: Iterable[tuple[int, Sequence[int]]]) -> Iterator[list[Input]]:
    """More relevant docs than k; some of them retrieved, and before these one more, or none: by their places in the judgments."""
    if not _docs(k):
        return
    judged = [(f"r{i * 37 % 10_007}", 1) for i in range(1, (k or 0) + 4)]
    for first, among in shown:
        found = [f"u{i}" for i in range(max(k or 0, *LOW))]
        for rank, place in enumerate(among, start=2):
            found[rank] = judged[place][0]
        yield [_of_judged(judged, ranked) for ranked in ([judged[first][0], *found], ["u", *found])]


def _of_judged(judged: Sequence[tuple[str, int]], ranked: Sequence[str]) -> Input:
    """A query with these judgments in this order, and these docs, best first."""
    return Input(
        qrels=tuple(("q", doc, rel) for doc, rel in judged),
        run=tuple(("q", doc, (len(ranked) - rank) / 64 + 0.25, rank) for rank, doc in enumerate(ranked, start=1)),
    )


def question_of(
    name: str,
    target: Target,
    measure: Measure,
    data: Input,
    k: int | None,
    assumed: Sequence[Trait],
    asks: str = "what does it look at?",
) -> Iterator[Question]:
    """The question that an input asks at a cutoff, if the function can be told of it and asked it."""
    told = expressed(target.form, data)
    if told is None or any(trait.found(told, k) for trait in assumed):
        return
    if is_asked(target, told, k):
        case = Case(name, asks, "", "", (), told)
        has = traits(target.form, told, k)
        yield Question(case, measure if k is None else cut_at(measure, k), recalled(told), traits=has)


# -- in words -------------------------------------------------------------------------------------------------------


def _sentence(
    about: str, first: Question, second: Question, got: Reading, *, is_constant: bool, has_ranks: bool
) -> str:
    said = f"it gives {short(got)}"
    if about == RELEVANCE:
        what = "looks at nothing" if is_constant else "never looks at which docs are relevant"
        docs = number_of(len(first.case.input.run), "doc")
        return f"it {what}: of {docs}, {said} whether {_relevant(first)} relevant or {_relevant(second)}"
    if about == ORDER:
        return f"it never looks at the order of the docs: {said} wherever the relevant docs stand, at the top or at the end"
    if about == SCORES:
        instead = "" if has_ranks else ", and takes the rows as they come"
        return f"it never looks at the scores{instead}: {said} whether scores fall or rise from row to row"
    k = cutoff_of(first.measure)
    if about == CUT_ROWS:
        of = number_of(len(first.case.input.run), "row")
        below = f"whether those below the first {k} have the lowest scores or the highest"
        return f"it cuts the rows at k before it ranks them: of {of}, {said} at {k} {below}"
    if about == CUT_RELEVANT:
        of = f"where {len(first.case.input.qrels)} docs are relevant"
        beyond = f"whether one beyond the first {k} of them is retrieved or not"
        return f"it cuts the relevant docs at k before it looks any up: {of}, {said} at {k} {beyond}"
    return f"it never looks at k: {said} at {k} as at {cutoff_of(second.measure)}"


def _relevant(question: Question) -> str:
    """Which ranks are relevant."""
    data = question.case.input
    relevant = {doc for _, doc, rel in data.qrels if rel > 0}
    rows = sorted(data.run, key=lambda row: -row[2])  # in a form of their own the rows may stand in another order
    ranks = [str(rank) for rank, (_, doc, _, _) in enumerate(rows, start=1) if doc in relevant]
    if not ranks:
        return "none is"
    if len(ranks) == 1:
        return f"the one at rank {ranks[0]} is"
    return f"those at ranks {', '.join(ranks[:-1])} and {ranks[-1]} are"
