"""What a function is given, what is read of its result and the lines that ask it again: of inputs and ways to call that are drawn.

What a form tells is worked out here once more, of the rows of an input, query by query. The function that is called answers with a
number made of what it was given, so that an answer is right only where all arguments were, each at its place.
"""

import random
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from types import ModuleType, SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from rankproof.calling import functions
from rankproof.calling.call_forms import FORMS, expressed, repro
from rankproof.calling.calls import observe
from rankproof.calling.given_values import cutoffs_beside
from rankproof.calling.targets import ALL, COLUMN, IN_STEPS, IN_TABLES, QUERY, STEP_TABLES, STEPS, TABLE, Target
from rankproof.cases.inputs import Input
from rankproof.workers.observations import Answered

SEEDS = 20
"""How often each form is called, each time otherwise."""
Chance = random.Random


@dataclass(frozen=True)
class Query:
    """What an input says of a query: its rows as they come."""

    name: Any
    run: Sequence[tuple[Any, float]]
    judged: Sequence[tuple[Any, float]]
    in_run: bool
    in_qrels: bool

    @property
    def rels(self) -> dict[str, float]:
        """By doc, as text."""
        return {str(doc): rel for doc, rel in self.judged}

    @property
    def ranked(self) -> list[str]:
        """The docs by falling score, of equal ones the id of the largest bytes first."""
        return [doc for _, _, doc in sorted(((s, str(d).encode(), str(d)) for d, s in self.run), reverse=True)]

    @property
    def relevant(self) -> list[str]:
        """The docs of rel 1 and above."""
        return [doc for doc, rel in self.rels.items() if rel >= 1]

    @property
    def rels_of_rows(self) -> list[float]:
        """Of the rows of the run; 0 where nobody judged the doc."""
        return [self.rels.get(str(doc), 0) for doc, _ in self.run]

    @property
    def rels_in_order(self) -> list[float]:
        """The same in rank order."""
        return [self.rels.get(doc, 0) for doc in self.ranked]

    @property
    def left(self) -> list[float]:
        """The rels of the docs that are judged and not retrieved."""
        return [rel for doc, rel in self.rels.items() if doc not in {str(d) for d, _ in self.run}]


World = Sequence[Query]
Told = Callable[[World], World | None]


def drawn_input(chance: Chance) -> Input:
    """Some queries whose rows stand among one another, with docs that are unjudged, not retrieved, tied, judged as no flag is."""
    of_ids = chance.choice([str, int])
    names = [of_ids(each) for each in chance.sample(range(1, 30), chance.randint(1, 4))]
    of_one = chance.random() < 0.4  # a doc of each alone is relevant
    qrels, run = [], []
    for name in names:
        docs = [of_ids(each) for each in chance.sample([*range(2, 13), 100, 205], chance.randint(1, 6))]
        sides = chance.choice([(1, 1), (1, 1), (1, 1), (1, 1), (1, 0), (0, 1)])
        one = chance.choice(docs) if of_one else None
        for doc in docs:
            if sides[0] and (doc == one or chance.random() < 0.7):
                qrels.append((name, doc, 1 if doc == one else 0 if one is not None else chance.choice([0, 0.5, 1, 2])))
            if sides[1] and chance.random() < 0.8:
                run.append((name, doc, chance.choice([0.125, 0.25, 0.5, 0.75, 2.0]), chance.randint(1, 9)))
    if run and chance.random() < 0.1:
        run.append(chance.choice(run))
    if qrels and chance.random() < 0.05:
        qrels.append(chance.choice(qrels))
    chance.shuffle(qrels)
    chance.shuffle(run)
    empty = [one for one in names if one not in {row[0] for row in run} and chance.random() < 0.5]
    bare = [one for one in names if one not in {row[0] for row in qrels} and chance.random() < 0.3]
    return Input(tuple(qrels), tuple(run), tuple(bare), tuple(empty))


def world_of(data: Input) -> World:
    def rows_of(query: Any, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, float]]:
        return [row[1:3] for row in rows if str(row[0]) == str(query)]

    return [
        Query(query, run, judged, bool(run) or query in data.empty_in_run, bool(judged) or query in data.empty_in_qrels)
        for query in dict.fromkeys((*(row[0] for row in data.run), *data.queries))
        for run, judged in [(rows_of(query, data.run), rows_of(query, data.qrels))]
    ]


def has_twice(world: World, side: str) -> bool:
    """Whether a query has a doc twice."""
    return any(len({str(doc) for doc, _ in rows}) < len(rows) for one in world for rows in [getattr(one, side)])


# -- which queries a form is told of ------------------------------------------------------------------------------------


def of_rows(world: World) -> World | None:
    """Those of the run, each doc once."""
    return None if has_twice(world, "run") else of_ids(world)


def those(told: Told, which: Callable[[Query], bool]) -> Told:
    """Those of the queries that are told which are such."""
    return lambda world: [one for one in told(world) or () if which(one)] or None


def of_ids(world: World) -> World | None:
    """Those of the run, a doc perhaps retrieved twice."""
    return None if has_twice(world, "judged") else [one for one in world if one.in_run] or None


of_batch = those(of_rows, lambda one: bool(one.run))
of_one_id = those(of_ids, lambda one: len(one.relevant) == 1)
of_one_place = those(of_rows, lambda one: sum(rel >= 1 for rel in one.rels_of_rows) == 1)
of_one_scored = those(of_rows, lambda one: len(one.relevant) == 1)


def of_a_rank(world: World) -> World | None:
    ones = of_one_id(world)
    return None if ones is None or has_twice(ones, "run") else ones


def of_a_rank_that_is_there(world: World) -> World | None:
    ones = [one for one in of_one_id(world) or () if one.relevant[0] in one.ranked]
    return None if has_twice(ones, "run") else ones or None


def of_square(world: World) -> World | None:
    """A query for each place of a doc, of which that doc is the only relevant one.

    Those that retrieve one relevant doc, and as many docs as the first, take turns, or the first alone, where that comes out uneven.
    """
    ones = of_one_place(world) or ()
    ones = [one for one in ones if len(one.run) == len(ones[0].run)]
    size = len(ones[0].run) if ones else 0
    made = []
    for at in range(size):
        one = ones[at % len(ones) if size % len(ones) == 0 else 0]
        (good,) = places(one.rels_of_rows)
        run = [(f"d{col}", one.run[(good - at + col) % size][1]) for col in range(size)]
        made.append(Query(f"q{at:02}", run, [(f"d{at}", 1)], in_run=True, in_qrels=True))
    return made or None


def of_all(world: World) -> World | None:
    return None if has_twice(world, "judged") else world


def of_dicts(world: World) -> World | None:
    return None if has_twice(world, "run") else of_all(world)


def of_frames(world: World) -> World | None:
    """No query without a row."""
    rows = any(one.run for one in world) and any(one.judged for one in world)
    lacks = any((one.in_run and not one.run) or (one.in_qrels and not one.judged) for one in world)
    return world if rows and not lacks else None


def of_relevant_frames(world: World) -> World | None:
    told = of_frames(world)
    return told if any(rel >= 1 for one in told or () for _, rel in one.judged) else None


def scored(one: Query) -> list[tuple[str, float]]:
    return [(str(doc), score) for doc, score in one.run]


def rank_of(one: Query, start: int) -> int | None:
    return one.ranked.index(one.relevant[0]) + start if one.relevant[0] in one.ranked else None


def turned(values: Sequence[Any]) -> list[Any]:
    """The last one first: ranks that come in no order."""
    return [*values[-1:], *values[:-1]]


def flags(rels: Sequence[float]) -> list[int]:
    return [int(rel >= 1) for rel in rels]


def every_other_first(q: Query) -> list[int]:
    """By place, which of the docs stands there: of those in rank order, and after them the others, the second, fourth … come first."""
    every = range(len(q.run) + len(q.left))
    return [*every[1::2], *every[::2]]


def positive_first(q: Query) -> list[float]:
    """The scores of the rows, that of the only relevant doc before all others."""
    (at,) = places(q.rels_of_rows)
    scores = [score for _, score in q.run]
    return [scores[at], *scores[:at], *scores[at + 1 :]]


def dataset(rels: Sequence[float], sizes: Sequence[int]) -> tuple[str, dict[str, Any]]:
    """An object, by what its methods give."""
    given = (None, [*rels], [*accumulate(sizes, initial=0)], [*sizes])
    return "object", dict(zip(METHODS_OF_DATASETS, given, strict=True))


METHODS_OF_DATASETS = ("get_weight", "get_label", "get_uint_info", "get_group")


def places(rels: Sequence[float]) -> list[int]:
    return [at for at, rel in enumerate(rels) if rel >= 1]


Role = Callable[[Query], Any]
ROLES: Mapping[str, Role] = {
    "y_true": lambda q: q.rels_of_rows,
    "n_docs": lambda q: len(q.run),
    "rels_seen": lambda q: [0 for _ in q.run],
    "row_of_query": lambda _: 0,
    "y_score": lambda q: [score for _, score in q.run],
    "approxes": lambda q: [[score for _, score in q.run]],
    "scores_with_rels": lambda q: ([[score for _, score in q.run]], [q.rels_of_rows]),
    "dataset_of_one": lambda q: dataset(q.rels_of_rows, [len(q.run)]),
    "rows_of_query": lambda q: [
        (str(doc), rel, score) for (doc, score), rel in zip(q.run, q.rels_of_rows, strict=True)
    ],
    "relevant_places": lambda q: places(q.rels_of_rows),
    "target_index": lambda q: places(q.rels_of_rows)[0],
    "score_of_first": positive_first,
    "relevant_score": lambda q: positive_first(q)[0],
    "relevant_scores": lambda q: [q.run[at][1] for at in places(q.rels_of_rows)],
    "other_scores": lambda q: [score for (_, score), rel in zip(q.run, q.rels_of_rows, strict=True) if rel < 1],
    "distances": lambda q: [[-score for _, score in q.run]],
    "label_of_query": lambda _: [1],
    "labels_of_docs": lambda q: [1 if rel >= 1 else place + 2 for place, rel in enumerate(q.rels_of_rows)],
    "ranked_rels": lambda q: q.rels_in_order,
    "judged_rels": lambda q: [*q.rels_in_order, *q.left],
    "ideal_rels": lambda q: sorted([*q.rels_in_order, *q.left], reverse=True),
    **dict.fromkeys(("n_relevant", "hits_in_all"), lambda q: len(q.relevant)),
    "hit_ranks": lambda q: [at + 1 for at in places(q.rels_in_order)],
    "hit_places": lambda q: places(q.rels_in_order),
    "rank_from_1": lambda q: turned(range(1, len(q.run) + 1)),
    "rank_of_doc": lambda q: turned(range(len(q.run))),
    "rels_by_place": lambda q: [[*q.rels_in_order, *q.left][at] for at in every_other_first(q)],
    "ranked_places": lambda q: [every_other_first(q).index(rank) for rank in range(len(q.run))],
    "relevant": lambda q: q.relevant,
    "rel_of_doc": lambda q: q.rels,
    "score_of_doc": lambda q: dict(scored(q)),
    "scored": scored,
    **dict.fromkeys(("ranked", "ranked_of_each"), lambda q: q.ranked),
    **dict.fromkeys(("relevant_doc", "doc_of_each"), lambda q: q.relevant[0]),
    "rank": lambda q: rank_of(q, 1),
    "position": lambda q: rank_of(q, 0),
    "record": lambda q: {"good": q.relevant, "got": q.ranked},
    "record_of_one": lambda q: {"good": q.relevant[0], "got": q.ranked},
}
"""What each argument of a query is."""
OWN: Mapping[str, Mapping[str, Role]] = {
    "ranked-total": {"ranked_rels": lambda q: flags(q.rels_in_order)},
    "ranked-relevant": {
        "ranked_rels": lambda q: flags(q.rels_in_order),
        "relevant": lambda q: [
            *(f"d{at + 1:03}" for at in places(q.rels_in_order)),
            *(f"u{at:03}" for at in range(1, sum(flags(q.left)) + 1)),
        ],
    },
    "rows-in-order": {
        "rows_of_query": lambda q: [(f"d{at:03}", rel, 1 / at) for at, rel in enumerate(q.rels_in_order, start=1)]
    },
    **{form: {"y_true": lambda q: turned(q.rels_in_order)} for form in ("rows-ranked", "rows-placed")},
    "places-ranked": {"relevant_places": lambda q: places(turned(q.rels_in_order))},
}
"""The forms that have one of them otherwise."""
OF_A_QUERY: Mapping[str, tuple[Told, Mapping[str, Role]]] = {
    form: (which, {role: OWN.get(form, ROLES).get(role, ROLES[role]) for role in FORMS[form].roles})
    for which, forms in (
        (
            of_rows,
            "rows rows-counted rows-numbered rows-unseen rows-paired rows-approxes rows-of-query rows-in-order dataset-of-one",
        ),
        (
            of_rows,
            "rows-ranked rows-placed places-ranked places-scored parted distances rels-by-place scored-ids scored-list",
        ),
        (
            of_rows,
            "relevant-scored-ids ranked ranked-total ranked-all ranked-relevant ranked-ideal ranks-total places-total",
        ),
        (of_one_place, "target-index positive-first one-against"),
        (of_ids, "ids graded-ids record"),
        (of_one_scored, "one-scored one-scored-ids"),
        (of_one_id, "one-id one-id-each record-of-one"),
        (of_a_rank, "rank position"),
    )
    for form in forms.split()
}
"""The forms of one query: of which queries they are told, and what each argument is."""


def by_name(world: World, side: str, told: Callable[[Query], Any]) -> dict[str, Any]:
    return {str(one.name): told(one) for one in world if getattr(one, side)}


def in_order_of_run(data: Input, world: World) -> World:
    """The queries as they first come in the run, and after them those of which it has no row."""
    order = [*(row[0] for row in data.run), *data.empty_in_run, *(one.name for one in world)]
    return sorted(world, key=lambda one: order.index(one.name))


def row_of_all(data: Input, world: World) -> list[tuple[Any, ...]]:
    """Query, doc, rel and score of each row of the run, those of a query together."""
    return [
        (str(one.name), str(doc), rel, score)
        for one in in_order_of_run(data, world)
        for (doc, score), rel in zip(one.run, one.rels_of_rows, strict=True)
    ]


RoleOfAll = Callable[[Input, World], Any]
ROLES_OF_ALL: Mapping[str, RoleOfAll] = {
    "qrels": lambda _, w: by_name(w, "in_qrels", lambda q: q.rels),
    "run": lambda _, w: by_name(w, "in_run", lambda q: dict(scored(q))),
    "relevant_of_query": lambda _, w: by_name(w, "in_qrels", lambda q: q.relevant),
    "relevant_of_listed": lambda _, w: by_name(w, "in_run", lambda q: q.relevant),
    "ranked_of_query": lambda _, w: by_name(w, "in_run", lambda q: q.ranked),
    "scored_of_query": lambda _, w: by_name(w, "in_run", scored),
    "doc_of_query": lambda _, w: by_name(w, "in_run", lambda q: q.relevant[0]),
    "ranked_listed": lambda d, w: [q.ranked for q in in_order_of_run(d, w)],
    "queries_listed": lambda d, w: [str(q.name) for q in in_order_of_run(d, w)],
    "all_true": lambda d, w: [row[2] for row in row_of_all(d, w)],
    "all_scores": lambda d, w: [row[3] for row in row_of_all(d, w)],
    "query_of_row": lambda d, w: [row[0] for row in row_of_all(d, w)],
    "group_sizes": lambda d, w: [len(q.run) for q in in_order_of_run(d, w)],
    "dataset": lambda d, w: dataset([row[2] for row in row_of_all(d, w)], [len(q.run) for q in in_order_of_run(d, w)]),
    "frame_rows": row_of_all,
    "predictions": lambda d, w: [(*row, {}) for row in row_of_all(d, w)],
    **dict.fromkeys(("frame_true", "qrels_rows"), lambda d, _: [*d.qrels]),
    **dict.fromkeys(("frame_pred", "run_rows"), lambda d, _: [row[:3] for row in d.run]),
    "ranks": lambda _, w: [rank_of(q, 1) for q in w],
    "places": lambda _, w: [rank_of(q, 0) for q in w],
    "ranked_with_relevant": lambda _, w: [(q.ranked, q.relevant) for q in w],
    "relevant_with_ranked": lambda _, w: [(q.relevant, q.ranked) for q in w],
    "records": lambda _, w: [{"good": q.relevant, "got": q.ranked} for q in w],
    "records_of_one": lambda _, w: [{"good": q.relevant[0], "got": q.ranked} for q in w],
    "records_relevant": lambda _, w: [
        {"at": q, "good": docs} for q, docs in by_name(w, "in_qrels", lambda q: q.relevant).items()
    ],
    "records_ranked": lambda d, w: [
        {"at": str(q.name), "got": q.ranked} for q in in_order_of_run(d, w)[::-1] if q.in_run
    ],
    "rels_of_query": lambda _, w: {str(q.name): q.rels_of_rows for q in w},
    "scores_of_query": lambda _, w: {str(q.name): [score for _, score in q.run] for q in w},
    "similarities": lambda _, w: [[score for _, score in q.run] for q in w],
}
"""What each argument of all queries is."""
OF_ALL: Mapping[str, tuple[Told, Mapping[str, RoleOfAll]]] = {
    **{
        form: (which, {role: ROLES_OF_ALL[role] for role in FORMS[form].roles})
        for which, forms in (
            (of_dicts, "qrels-run queries-scored"),
            (of_all, "queries-ids qrels-ranked records-apart"),
            (of_one_id, "queries-one records-of-one"),
            (of_ids, "pairs pairs-turned records listed listed-dicts"),
            (of_a_rank_that_is_there, "ranks places"),
            (of_square, "similarities"),
            (of_batch, "queries-rows grouped group-sizes dataset frame-of-rows predictions"),
            (of_frames, "frames tuples"),
        )
        for form in forms.split()
    },
    "relevant-frames": (
        of_relevant_frames,
        {
            "frame_true": lambda d, _: [(str(q), str(doc), 1) for q, doc, rel in d.qrels if rel >= 1],
            "frame_pred": lambda d, _: [(str(q), str(doc), score) for q, doc, score, _ in d.run],
        },
    ),
}
"""The forms of all queries at once."""
BY_RUN = {"queries-ids", "qrels-run", "qrels-ranked", "queries-scored"}


# -- what is called -----------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """The same in lists, tuples, dicts and numbers of Python; a set is a sorted tuple that says so."""
    if isinstance(value, pd.DataFrame):  # its columns are told beside the rows
        return [tuple(value.columns), *map(tuple, value.astype(object).to_numpy().tolist())]
    if isinstance(value, np.ndarray | pd.Series | np.generic):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return ("set", *sorted(map(str, value)))
    if isinstance(value, SimpleNamespace):
        return ("object", {name: plain(held() if callable(held) else held) for name, held in vars(value).items()})
    as_list = list if isinstance(value, list) else tuple
    return as_list(map(plain, value)) if isinstance(value, list | tuple) else value


def number_of(given: Any) -> float:
    """A number that nothing else would give; in which order names stand is nothing to a call."""
    in_order = [sorted(one.items()) if isinstance(one, dict) else one for one in given]
    text = re.sub(r"\b(\d+)\.0\b", r"\1", repr(in_order))  # a column of a frame may hold 1 as 1.0
    return crc32(text.encode()) % 9973 / 10000


class Heard:
    """A function, or a class whose objects are called or shown queries: what it was made with and given, and a number of that."""

    calls: list[tuple[dict[str, Any], tuple[Any, ...], dict[str, Any]]]
    answers: Callable[[list[Any]], Any]

    def __init__(self, **made: Any) -> None:
        self.made = made
        self.seen: list[Any] = []

    def score(self, *given: Any, **named: Any) -> Any:
        """A call by the name of the method."""
        return self._called({"method": "score"}, given, named)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """A call of the object itself."""
        return self._called({}, given, named)

    def _called(self, by: dict[str, Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        type(self).calls.append((self.made | by, given, named))
        return type(self).answers([plain((given, named))])

    def add(self, *given: Any, **named: Any) -> None:
        """A query is shown."""
        type(self).calls.append((self.made, given, named))
        self.seen.append(plain((given, named)))

    def result(self) -> Any:
        """The answer to all that was shown."""
        return type(self).answers(self.seen)


@dataclass(frozen=True)
class Way:
    """How it is called, drawn: the target that says so, the cutoff that is asked, and the name of the thing."""

    target: Target
    k: int | None

    def given(self, values: Sequence[Any], longest: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a call is given by these arguments, where the longest ranking has so many docs."""
        named = {"b": "x=y"} if self.target.given else {}
        at = longest if self.k is None else self.k
        if self.target.k and not self.target.k_made and (self.k is not None or self.target.k_needed):
            several = {1: [3, 1, 2], 2: [4, 1, 2], 3: [5, 2, 3], 5: [7, 3, 5]} if self.target.several else {}
            named[self.target.k] = several.get(at, [at]) if self.target.k_listed else at
        if self.target.names:
            return (), plain(dict(zip(self.target.names, values, strict=True)) | named)
        return plain(tuple(values)), plain(named)

    def made(self, longest: int) -> dict[str, Any]:
        """What an object of the class is made with, and the method that is called."""
        by = {"method": "score"} if self.target.method == "score" else {}
        if not self.target.of_class:
            return by
        at = longest if self.k is None and self.target.k_needed else self.k
        cutoff = {"k": at} if self.target.k_made and at is not None else {}
        return {"a": 1} | cutoff | by

    def result(self, values: Sequence[float]) -> Any:
        """A result in which each value stands where it is read, and something else beside it."""
        kind, _, which = self.target.reads.partition(":")
        at_once = self.target.batch in {ALL} | IN_STEPS
        if kind == "attr":
            return SimpleNamespace(**{which: [*values] if at_once else values[0]}, other=0.25)
        if kind == "item" and at_once:
            return [[2.0] * len(values), [*values], [3.0] * len(values)]
        each = [self._of_one(value, kind) for value in values]
        return each if at_once or self.target.batch == TABLE else each[0]

    def _of_one(self, value: float, kind: str) -> Any:
        if kind == "item":
            return [2.0, value, 3.0]
        if kind == "place" and self.k:
            return [*[2.0] * (self.k - 1), value, 3.0]
        if kind == "asked" and self.k:
            return [value if one == self.k else 2.0 for one in cutoffs_beside(self.k)]
        return {"map@2": 2.0, f"nDCG@{self.k}": value} if kind == "name" else value


METHODS = {"steps": "add/result", "method": "score", "method of a class": "score"}
"""What is called of an object, by the kind of thing that it is."""


DOCS_OF = {"queries-ids": ("id", "doc_id"), "qrels-ranked": ("docno",), "queries-scored": ("id", "score")}
"""The forms of all queries whose retrieved docs may be dicts or objects, and what these hold."""


def way_drawn(chance: Chance, form: str) -> Way:
    roles = [*FORMS[form].roles]
    order = chance.sample(roles, len(roles))
    is_of_all = form in OF_ALL
    batch = QUERY if is_of_all else chance.choice([one for one in FORMS[form].batches if one != COLUMN])
    if batch == STEPS and TABLE in FORMS[form].batches:
        batch = chance.choice([STEPS, STEP_TABLES])
    k = chance.choice([1, 2, 3, 5, None])
    container = "list"
    if form in {"frames", "relevant-frames"}:
        container = "frame"
    elif form in {"frame-of-rows", "rows-of-query", "rows-in-order"}:
        container = chance.choice(["dicts", "row-objects", *["frame"] * (batch != ALL)])
    elif form in DOCS_OF:
        container = chance.choice(["list", "set", "doc-dicts", "docs", "doc-dicts-set", "docs-set"])
    elif batch == QUERY:
        no_numbers = {"scored-list", "one-scored", "rows-paired"}
        of_numbers = form in {"grouped", "group-sizes", "ranks", "places", *OF_A_QUERY} - no_numbers
        as_set = ["set"] * (not form.endswith("-of-one"))
        container = chance.choice(["list", "list", *as_set, *["array", "series"] * of_numbers])
    kinds = ["function", "class", "class", "method", "method of a class"]
    kind = "steps" if batch in IN_STEPS else chance.choice(kinds)
    of_class = kind in {"class", "steps", "method of a class"}
    how = chance.choice(["", "", "k", "k", "ks", "several"])
    reads = ["", "attr:score"]
    if k and not is_of_all and batch != TABLE:
        reads += ["item:1", "place"] + ["name:ndcg"] * (batch == QUERY)
    reads = ["asked"] if how == "several" and k and not is_of_all and batch != TABLE else reads
    how = "ks" if how == "several" and reads != ["asked"] else how
    target = Target(
        "drawn_lib:Heard" if of_class else "drawn_lib:heard",
        FORMS[form],
        tuple(order),
        k={"": None, "k": "k", "ks": "ks", "several": "ks"}[how],
        k_needed=chance.random() < 0.5,
        k_listed=how in {"ks", "several"},
        several=how == "several",
        k_made=how == "k" and of_class and chance.random() < 0.5,
        container=container,
        batch=batch,
        names=tuple(f"p{at}" for at in range(len(order))) if chance.random() < 0.3 else (),
        of_class=of_class,
        made=("a=1",) if of_class else (),
        method=METHODS.get(kind, ""),
        given=("b='x=y'",) if chance.random() < 0.3 else (),
        reads="" if is_of_all else chance.choice(reads),
        columns=METHODS_OF_DATASETS
        if form.startswith("dataset")
        else (
            DOCS_OF.get(
                form,
                ("good", "got", *["at"] * (form == "records-apart"))
                if form.startswith("record")
                else ("u", "i", "r", "s"),
            )
        ),
    )
    return Way(target, k)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that holds what is called."""
    made = ModuleType("drawn_lib")
    made.Heard, made.heard = Heard, Heard()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "drawn_lib", made)
    monkeypatch.setattr(Heard, "calls", [], raising=False)
    return made


WRITTEN = {"frame_true": "uir", "frame_pred": "uis", "frame_rows": "uirs", "rows_of_query": "irs"}
"""The columns of the roles that are rows of a frame."""
AS_SETS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("relevant", "relevant_places"), set),
    **dict.fromkeys(
        ("relevant_of_query", "relevant_of_listed"), lambda each: {query: set(docs) for query, docs in each.items()}
    ),
    "record": lambda one: one | {"good": set(one["good"])},
    **dict.fromkeys(("records", "records_relevant"), lambda every: [one | {"good": set(one["good"])} for one in every]),
    "ranked_with_relevant": lambda pairs: [(ranked, set(relevant)) for ranked, relevant in pairs],
    "relevant_with_ranked": lambda pairs: [(set(relevant), ranked) for relevant, ranked in pairs],
}
"""The roles of relevant docs, as sets."""


HELD: Mapping[str, Callable[..., Any]] = {
    "dicts": dict,
    "row-objects": SimpleNamespace,
    "doc-dicts": dict,
    "docs": SimpleNamespace,
    "doc-dicts-set": dict,
    "docs-set": SimpleNamespace,
}
"""What a row, or a doc, is made by."""


def doc_held(way: Way, doc: Any) -> Any:
    """A doc by the names of its id, and of its score where it has one."""
    of_id, *score = doc if isinstance(doc, tuple) else (doc,)
    ids = [name for name in way.target.columns if name != "score"]
    return HELD[way.target.container](**dict.fromkeys(ids, of_id), **dict(zip(("score",), score, strict=False)))


def in_container(way: Way, role: str, value: Any) -> Any:
    """Relevant docs as a set and rows by the names of their columns, where these are wanted; all else is the same values."""
    columns = WRITTEN.get(role)
    if columns and way.target.container in HELD:
        return [HELD[way.target.container](**dict(zip(columns, row, strict=True))) for row in value]
    if role in {"ranked_of_query", "scored_of_query"} and way.target.container in HELD:
        return {query: [doc_held(way, doc) for doc in docs] for query, docs in value.items()}
    if columns:
        return [tuple(columns), *value]
    is_set = way.target.container.endswith("set") and role in AS_SETS
    return AS_SETS[role](value) if is_set else value


def heard() -> list[tuple[dict[str, Any], tuple[Any, ...], dict[str, Any]]]:
    """What was heard since this was asked last."""
    found = [(made, plain(given), plain(named)) for made, given, named in Heard.calls]
    Heard.calls.clear()
    return found


def longest_of(world: World) -> int:
    return max([len(one.run) for one in world], default=0) or 1


def drawn_call(seed: int, form: str) -> tuple[Chance, Input, Way, Input | None, World | None]:
    """What is drawn, and what of it the form is told, by the product and as it is worked out here: both, or neither."""
    chance = Chance(f"{form} {seed}")
    data, way = drawn_input(chance), way_drawn(chance, form)
    told, world = expressed(FORMS[form], data), ({**OF_A_QUERY, **OF_ALL})[form][0](world_of(data))
    assert (told is None) == (world is None), (data, told)
    return chance, data, way, told, world


@pytest.mark.parametrize("form", [*OF_A_QUERY, *OF_ALL])
def test_each_form_is_told_of_several_inputs(form: str) -> None:
    """What nothing can be told of shows nothing."""
    assert sum(drawn_call(seed, form)[3] is not None for seed in range(SEEDS)) >= 3


KINDS = {"array": np.ndarray, "series": pd.Series}


@pytest.mark.parametrize("form", OF_A_QUERY)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_of_each_query_a_call_is_given_what_the_form_says(
    seed: int, form: str, library: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chance, data, way, told, world = drawn_call(seed, form)
    if told is None or world is None:
        return
    roles = OF_A_QUERY[form][1]
    target, longest = way.target, longest_of(world)
    answers = staticmethod(lambda seen: way.result([number_of(one) for one in unpacked(seen, way)]))
    monkeypatch.setattr(Heard, "answers", answers, raising=False)
    values = {str(one.name): [in_container(way, role, roles[role](one)) for role in target.order] for one in world}
    queries = [str(query) for query in told.queries]
    assert {*queries} == values.keys()
    thing = library.Heard if target.of_class else library.heard
    answer = observe(thing, target, told, way.k)
    found = heard_as(Heard.calls, target)
    calls = heard()
    made = way.made(longest)
    if target.batch == ALL:
        columns = [list(column) for column in zip(*(values[query] for query in queries), strict=True)]
        expected = [(made, *way.given(columns, longest))]
    else:
        of_table = target.batch in IN_TABLES
        expected = [(made, *way.given([[v] for v in values[q]] if of_table else values[q], longest)) for q in queries]
    assert calls == expected, (target, data)
    assert found
    of_each = unpacked([call[1:] for call in expected], way)
    numbers = {query: number_of(one) for query, one in zip(queries, of_each, strict=True)}
    assert answer == Answered(numbers, None), (target, data)
    shown = chance.choice(queries)
    exec(repro(target, told, shown, way.k), {})  # noqa: S102 - our own script
    again = heard()
    if target.batch in {ALL} | IN_STEPS:
        assert again == expected
    else:
        assert again == [expected[queries.index(shown)]], (target, data)
        printed = capsys.readouterr().out.strip()
        if target.batch == QUERY and not target.reads.startswith("name"):
            assert printed == str(numbers[shown]), target
    if target.batch not in IN_STEPS:
        eval(functions.call(target, told, way.k), {"numpy": np, "pandas": pd, "types": types, **vars(library)})  # noqa: S307 - as above
        assert heard() == [expected[0]]


def unpacked(seen: list[Any], way: Way) -> list[Any]:
    """What was given for each query: of a call with lists of all, the entries at one place; else of each call all."""
    if way.target.batch != ALL:
        return seen
    ((given, named),) = seen
    own = [*given, *(named[name] for name in way.target.names)]
    return [*zip(*own, strict=True)]


def heard_as(calls: Sequence[Any], target: Target) -> bool:
    """Whether each list of numbers was given in the container that is meant."""
    kind = KINDS.get(target.container)
    every = [one for _, given, named in calls for one in (*given, *named.values())]
    lists = [one for one in every if isinstance(one, np.ndarray | pd.Series | list)]
    lists = [one for one in lists if not (isinstance(one, list) and target.k_listed)]
    return kind is None or all(isinstance(one, kind) for one in lists)


@pytest.mark.parametrize("form", OF_ALL)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_one_call_for_all_queries_is_given_what_the_form_says(
    seed: int, form: str, library: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, data, way, told, world = drawn_call(seed, form)
    if told is None or world is None:
        return
    roles = OF_ALL[form][1]
    target = replace(way.target, reads=chance.choice(["", "by-run", "by-qrels"]) if form in BY_RUN else "")
    queries = [str(query) for query in told.queries]
    of_frames_alone = form in {"frames", "relevant-frames", "tuples"}
    assert of_frames_alone or {*queries} == {str(one.name) for one in world}
    assert not of_frames_alone or not (told.empty_in_qrels or told.empty_in_run)
    if not of_frames_alone:  # an entry without the name of its query stands where its value is looked for
        world = sorted(world, key=lambda one: queries.index(str(one.name)))
    in_run = dict.fromkeys(map(str, (*(row[0] for row in data.run), *data.empty_in_run)))
    given_for = [*in_run] if target.reads == "by-run" else queries
    numbers = [number_of((seed, query)) for query in given_for]
    by_query = dict(zip(given_for, numbers, strict=True))
    gives: Any = numbers if target.reads else chance.choice([by_query, 0.375, (by_query, 0.375), pd.Series(by_query)])
    monkeypatch.setattr(Heard, "answers", staticmethod(lambda _: gives), raising=False)
    answer = observe(library.Heard if target.of_class else library.heard, target, told, way.k)
    told_by_query, mean = not isinstance(gives, float), 0.375 if isinstance(gives, float | tuple) else None
    assert answer == Answered(by_query if told_by_query else None, mean), (target, data)
    values = [in_container(way, role, roles[role](data, world)) for role in target.order]
    longest = max((row[3] for row in told.run), default=1)
    if not of_frames_alone:  # which keep the ranks of the run, whatever they are
        assert longest == longest_of([one for one in world if one.in_run])
    expected = (way.made(longest), *way.given(values, longest))
    (call,) = heard()
    exec(repro(target, told, None, way.k), {})  # noqa: S102 - our own script
    assert heard() == [call]
    assert call == expected, (target, data)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_ir_measures_is_given_rows_as_they_stand_unless_a_query_has_none(seed: int) -> None:
    """Tuples hold a doc twice, and dicts a query without a row."""
    data = drawn_input(Chance(seed))
    whole = replace(data, empty_in_qrels=(), empty_in_run=())
    assert expressed(FORMS["ir_measures"], whole) is whole
    for lacking in (replace(whole, empty_in_run=("none",)), replace(whole, empty_in_qrels=("none",))):
        assert expressed(FORMS["ir_measures"], lacking) == expressed(FORMS["qrels-run"], lacking)
