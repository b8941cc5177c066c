"""What ties can do: the worst, the expected and the best mean over all orders of tied docs, and the queries in which they matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from rankproof.explain.asked_data import AskedData
from rankproof.inference.reference_answers import Answers, CannotTell, Obstacle, Values
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Worth
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.ties import value_of


@dataclass(frozen=True)
class Envelope:
    """What a measure can be worth by the order of tied docs, all else being equal.

    Attributes:
        tied: the queries in which two retrieved docs have the same score.
        across: those in which docs of the same score stand on both sides of the cutoff.
        above: those in which docs above the cutoff have the same score, and none below has it.
        single: the queries in which two retrieved docs have the same score as float32, though not as float64.
        moved: those that are worth more in the best order than in the worst; None where that cannot be told.
        ends: the answer in the worst order, over all orders, and in the best; nothing where no docs are tied.
    """

    tied: tuple[str, ...]
    across: tuple[str, ...]
    above: tuple[str, ...]
    single: tuple[str, ...]
    moved: tuple[str, ...] | None
    ends: Mapping[str, Answers]


def envelope(data: AskedData, measure: Measure, base: Conventions) -> Envelope:
    """What ties can do to a measure under some conventions."""
    scores = {query: sorted((row.score for row in data.run.get(query, ())), reverse=True) for query in data.queries}
    tied = tuple(query for query, own in scores.items() if len(set(own)) < len(own))
    single = tuple(query for query in data.queries if _only_as_single(data, query))
    across = tuple(query for query in tied if measure.k is not None and _is_across(scores[query], measure.k))
    above = tuple(query for query in tied if _is_above(scores[query], measure.k))
    if not tied:
        return Envelope((), (), (), single, (), {})
    moved, worst, best = _moved(data, measure, base)
    expected = data.answers(measure, base.replace(ties="expectation"))
    return Envelope(tied, across, above, single, moved, {"worst": worst, "expectation": expected, "best": best})


def _moved(data: AskedData, measure: Measure, base: Conventions) -> tuple[tuple[str, ...] | None, Answers, Answers]:
    """The queries that the order moves, and the answers in the worst and in the best order."""
    plain = data.answers(measure, base)
    if not isinstance(plain, Values):
        return None, plain, plain
    ends = data.tie_ends(measure, base)
    if ends is None:
        return (), plain, plain
    if ends.moved is None:
        too_many = CannotTell(Obstacle.TOO_MANY_ORDERS, "tied docs stand in too many orders to measure each")
        return None, too_many, too_many
    worst, best = (
        Values({**plain.per_query, **{query: _told(pair[i]) for query, pair in ends.moved.items()}}, mean)
        for i, mean in enumerate((ends.worst, ends.best))
    )
    return tuple(ends.moved), worst, best


def _told(worth: Worth) -> Fraction | None:
    return None if worth.told is None else value_of(worth.told)


def _only_as_single(data: AskedData, query: str) -> bool:
    (facts,) = data.queries[query].facts.queries
    return len(set(facts.singles)) < len(set(facts.scores))


def _is_across(scores: Sequence[float], k: int) -> bool:
    return len(scores) > k and scores[k - 1] == scores[k]


def _is_above(scores: Sequence[float], k: int | None) -> bool:
    ahead = scores[:k] if k is None or len(scores) <= k else [score for score in scores[:k] if score != scores[k]]
    return len(set(ahead)) < len(ahead)


def may_change_places(envelopes: Mapping[str, Envelope], plain: Mapping[str, Answers]) -> list[tuple[str, str]]:
    """The pairs of systems of which the one or the other is ahead, by nothing but the order of their tied docs."""
    ends = {system: found for system, one in envelopes.items() if (found := _ends(one, plain[system]))}
    return [(a, b) for a, b in combinations(ends, 2) if ends[a][0] < ends[b][1] and ends[b][0] < ends[a][1]]


def _ends(one: Envelope, plain: Answers) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest mean; None where one is no number."""
    answers = [one.ends[end] for end in ("worst", "best")] if one.ends else [plain]
    means = [each.mean for each in answers if isinstance(each, Values) and each.mean is not None]
    return (min(means), max(means)) if len(means) == len(answers) else None
