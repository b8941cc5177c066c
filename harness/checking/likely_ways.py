"""Whether what a way to call gives hangs on what the measure looks at: of ways that explain nothing, that tells the likely ones.

Dicts may be gone through by their keys alone; and who takes the relevant docs for the ranking looks at their order, or at none.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from rankproof.cases.inputs import Input
from rankproof.checking import trials
from rankproof.checking.recognition_limits import LOW
from rankproof.meaning.measure_facts import can_look_at
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Reading

Numbers = tuple[tuple[str | None, Reading], ...]
Asked = Callable[[Input, int | None], Numbers | None]
"""What a way gives to an input at a cutoff: numbers by query; None where it gives none, or cannot be told of it."""
Change = Callable[[Input], Input]


def is_likely(measure: Measure, k: int | None, asked: Asked, *, any_k: bool) -> bool:
    """Whether it notices other rels and another order of the docs, and does not notice another order of the judgments.

    What was never answered says nothing against it.
    """
    low = min(k, LOW) if k and any_k else k
    told = dict.fromkeys([(trials.long_flags(k), k), (trials.long_flags(k), low), (trials.long_trial(k), low)])
    plain = {(data, at): numbers for data, at in told if (numbers := asked(data, at)) is not None}

    def notices(changes: Iterable[Change]) -> bool | None:
        pairs = [(numbers, asked(changed(data), at)) for changed in changes for (data, at), numbers in plain.items()]
        answered = [before != after for before, after in pairs if after is not None]
        return any(answered) if answered else None

    looks_at_order = "order" not in can_look_at(measure) or notices(_OTHER_ORDERS) is not False
    return looks_at_order and notices(_OTHER_RELS) is not False and not notices([_judged_backwards])


def _of_rels(rel_of: Callable[[float, float], float]) -> Change:
    """The same with other rels, each made of that and of the highest."""

    def changed(data: Input) -> Input:
        top = max(rel for _, _, rel in data.qrels)
        return replace(data, qrels=tuple((query, doc, rel_of(rel, top)) for query, doc, rel in data.qrels))

    return changed


def _of_scores(score_of: Callable[[float], float]) -> Change:
    """The same with other scores."""
    return lambda data: replace(data, run=tuple((q, doc, score_of(score), rank) for q, doc, score, rank in data.run))


def _judged_backwards(data: Input) -> Input:
    rows = (row for query in data.queries for row in reversed(data.qrels) if row[0] == query)
    return replace(data, qrels=tuple(rows))


_OTHER_RELS = (_of_rels(lambda rel, top: top - rel), _of_rels(lambda _, top: top))
_OTHER_ORDERS = (_of_scores(lambda score: 1 - score), _of_scores(lambda score: score * 37 % 1))
"""Scores of a trial are multiples of 1/64 below 1: in reverse, and in no order."""
