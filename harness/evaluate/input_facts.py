"""What qrels and a run have that moves numbers unseen, counted: queries of one alone, ids that nearly match, docs tied and unjudged.

Rows and columns count each in their own way, and come to the same.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.evaluate.known_exceptions import Met
from rankproof.evaluate.open_choices import OpenChoice
from rankproof.evaluate.tie_ends import STRICT, TieEnds
from rankproof.inference.signatures import Signature

LOOKED_AT = 5
"""In how many queries docs are looked for that differ only in how they are written: what is so in all shows in the first."""
FEW_QUERIES, FEW_DOCS = 20, 10
"""Of fewer queries, or of fewer docs for each, it may be by chance that all have as many."""
FEW_TOPS = 3
"""In fewer queries it may be by chance that the doc at the top has the id of its query."""
_PART = re.compile(r"(.+?)[-_#:/.|]+(?:chunk|part|passage|p)?[-_#:]?\d+", re.IGNORECASE)
_ZEROS = re.compile(r"^0+(?=\d)|\.0+$")


@dataclass(frozen=True)
class FirstQuery:
    """One of the first queries, in which all is looked for that shows in each.

    Attributes:
        query: its id.
        judged: the docs that it has judgments of.
        retrieved: the docs that it retrieves, with their scores.
    """

    query: str
    judged: Mapping[str, None]
    retrieved: Mapping[str, float]


@dataclass(frozen=True)
class InputFacts:
    """The facts of one run.

    Attributes:
        judged: how many queries the qrels have.
        missing: those that the run does not have.
        extra: the queries of the run that the qrels do not have.
        first: the first queries that both have.
        unjudged: by cutoff: how many docs within it the qrels do not have, and how many there are.
        ties: by measure, if the order of tied docs can move it.
        highest: the highest rel of the qrels.
        open: by measure, the axes that nothing decided and that can move it.
        lowest: the lowest rel of the qrels.
        one_relevant: whether each judged query has exactly one doc whose rel is above 0.
        candidates: how many docs each query has in the run, if these look as candidates that were drawn for it; else 0.
        exceptions: by measure, the known exceptions of the library whose profile is followed that the data meets.
    """

    judged: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    first: tuple[FirstQuery, ...] = ()
    unjudged: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    ties: Mapping[str, TieEnds] = field(default_factory=dict)
    highest: float = -math.inf
    open: Mapping[str, tuple[OpenChoice, ...]] = field(default_factory=dict)
    lowest: float = -math.inf
    one_relevant: bool = False
    candidates: int = 0
    exceptions: Mapping[str, tuple[Met, ...]] = field(default_factory=dict)

    @property
    def queries(self) -> tuple[tuple[str, str], ...]:
        """The pairs of a missing and an extra query that are the same but for how they are written."""
        return alike(self.missing, self.extra)

    @property
    def docs(self) -> tuple[tuple[str, str], ...]:
        """Such pairs of a judged doc that was not retrieved and of a retrieved one that was not judged, in the first queries."""
        found: dict[tuple[str, str], None] = {}
        for one in self.first:
            ours = (doc for doc in one.judged if doc not in one.retrieved)
            theirs = (doc for doc in one.retrieved if doc not in one.judged)
            found |= dict.fromkeys(alike(ours, theirs))
        return tuple(found)

    @property
    def only_relevant(self) -> bool:
        """Whether the qrels name relevant docs alone, so that it is by design that all others have no judgment."""
        return self.lowest >= 1

    @property
    def common(self) -> int:
        """How many queries both have."""
        return self.judged - len(self.missing)


def alike(ours: Iterable[str], theirs: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of ids that differ only in case, in zeros ahead, or as a number with a point.

    >>> alike(["Q1", "7", "x"], ["q1", "07", "y"]), alike(["7"], ["7.0"])
    ((('Q1', 'q1'), ('7', '07')), (('7', '7.0'),))
    """
    plain = {_plain(one): one for one in ours}
    return tuple((plain[_plain(one)], one) for one in theirs if _plain(one) in plain)


def parts(first: Iterable[FirstQuery]) -> tuple[tuple[str, str], ...]:
    """The pairs of a judged doc and of a retrieved one that seems to be a part of it, where no retrieved doc is judged.

    >>> parts([FirstQuery("q", {"d1": None, "d2": None}, {"d1#0": 3.0, "d1#1": 2.0, "x": 1.0})])
    (('d1', 'd1#0'), ('d1', 'd1#1'))
    >>> parts([FirstQuery("q", {"d1": None, "d2": None}, {"d1#0": 2.0, "d2": 1.0})])
    ()
    """
    found: dict[tuple[str, str], None] = {}
    for one in first:
        if not one.judged.keys().isdisjoint(one.retrieved):
            return ()
        matches = {doc: _PART.fullmatch(doc) for doc in one.retrieved}
        found |= {(m[1], doc): None for doc, m in matches.items() if m is not None and m[1] in one.judged}
    return tuple(found)


def themselves(first: Sequence[FirstQuery]) -> tuple[str, ...]:
    """The queries that retrieve a doc of their own id above all others, and have no judgment of it, if all of the first do.

    >>> alone = [FirstQuery(q, {"d": None}, {q: 0.9, "d": 0.5}) for q in ("q1", "q2", "q3")]
    >>> themselves(alone), themselves(alone[:2]), themselves([*alone, FirstQuery("q4", {}, {"d": 0.1})])
    (('q1', 'q2', 'q3'), (), ())
    """
    are = all(
        one.query in one.retrieved
        and one.query not in one.judged
        and all(score < one.retrieved[one.query] for doc, score in one.retrieved.items() if doc != one.query)
        for one in first
    )
    return tuple(one.query for one in first) if are and len(first) >= FEW_TOPS else ()


def drawn_candidates(sizes: Iterable[int], first: Sequence[FirstQuery], *, all_found: bool) -> int:
    """How many docs each query has in the run, if these look as candidates that were drawn for it; else 0.

    All have as many, the one relevant doc is always among them, and they are not the same docs for all.
    """
    each = list(sizes)
    docs = [one.retrieved.keys() for one in first]
    if not all_found or len(each) < FEW_QUERIES or len(set(each)) > 1 or each[0] < FEW_DOCS:
        return 0
    return each[0] if any(one != docs[0] for one in docs) else 0


def _plain(text: str) -> str:
    return _ZEROS.sub("", text.casefold().strip())


def by_cutoff(tasks: Iterable[Signature]) -> Mapping[int, Signature]:
    """Of each cutoff the first task that has it, and to which docs without a judgment are docs."""
    found: dict[int, Signature] = {}
    for task in tasks:
        if task.measure.k is not None and task.measure.conventions(task.conventions).unjudged == "non-relevant":
            found.setdefault(task.measure.k, task)
    return dict(sorted(found.items()))


def strict(tasks: Mapping[str, Signature]) -> Mapping[str, Signature]:
    """Return the tasks that depend on the order, and whose conventions choose one of several possible orders of tied documents."""
    return {name: task for name, task in tasks.items() if _is_strict(task)}


def _is_strict(task: Signature) -> bool:
    measure, own = task.measure, task.measure.conventions(task.conventions)
    arguments = measure.definition.arguments(own, measure.arguments)
    is_ordered = "order" in measure.definition.looks_at(measure.k, arguments)
    return is_ordered and own.order == "score" and own.ties in STRICT


def parted(judged: Sequence[str], run: Sequence[str]) -> tuple[list[str], tuple[str, ...], tuple[str, ...]]:
    """The queries that both have, those that only the qrels have, and those that only the run has."""
    of_run, of_qrels = set(run), set(judged)
    common, missing = [one for one in judged if one in of_run], [one for one in judged if one not in of_run]
    return common, tuple(missing), tuple(one for one in run if one not in of_qrels)
