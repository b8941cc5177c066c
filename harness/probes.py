"""Probes: laws that hold whatever the right answer is, so that no oracle is needed.

A probe changes an input and says how the two answers must go together: the rows of a run in another order are the same run, a cutoff
beyond the end of the list cuts nothing, the truth as a prediction is worth 1. Where a library answers otherwise, that is a finding: what
its answer depends on, with the smallest input that shows it. Inputs without ties are asked first; so a finding that says "under
ties" was not met without them.

    inputs ──► law (asks the worker) ──► difference ──► smaller and smaller inputs ──► finding
"""

import json
import math
import random
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from rankproof.observations import ABSENT, Answered, Failure, Observation, Reading, read
from rankproof.reference_impl.notation import Measure, parse
from rankproof.sheets import Library
from rankproof.verdicts import same
from rankproof.workers import TIMEOUT, Reply, Worker, WorkerFailed

Input = dict[str, Any]
"""Qrels and run as an adapter is given them (`Case.input()`)."""
Answer = Answered | Failure | None

MEASURES = (
    "nDCG@2", "nDCG@5", "nDCG", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')", "DCG@5", "AP", "AP@5", "RR", "RR@5", "P@1", "P@5",
    "R@1", "R@5", "Success@1", "Success@5", "Rprec", "Bpref", "ERR@5", "RBP", "Judged@1", "AUC", "LRAP",
)  # fmt: skip
"""What is asked unless told; of `P@1` and `P@5`, the first that a library supports, which stands for `P@k`."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
FAR = 20
"""A cutoff beyond the end of every list."""
UNBOUNDED = {"DCG", "CG", "CoverageError", "NumQ", "NumRet", "NumRel"}
COUNTS = {"NumQ", "NumRet", "NumRel"}
ONE_FOR_THE_TRUTH = {"nDCG", "AP", "RR", "Rprec", "Success", "P", "R", "AUC", "LRAP", "Bpref", "IPrec", "SetAP"}
BLIND_BELOW = {"nDCG", "DCG", "CG", "AP", "RR", "R", "Success", "Rprec", "Bpref", "RBP", "ERR", "IPrec", "IAP", "LRAP"}
"""What a doc that is not relevant, at the very bottom, cannot change, though there is no cutoff."""
NOTHING_BEYOND = {"nDCG", "DCG", "CG", "AP", "RR", "R", "Success", "ERR", "RBP"}
"""What a cutoff beyond the end of the list leaves as it is."""


class UnknownProbe(ValueError):
    """No probe has that name."""


class Kind(StrEnum):
    """What a finding says."""

    UNSTABLE = "unstable"
    """Asked twice, it said two things."""
    DEPENDS = "depends"
    """The answer depends on what should not matter, or matters by a rule of the library's own."""
    BREAKS = "breaks"
    """It breaks a law of the measure."""
    TELLS = "tells"
    """No law says what should happen: this is what does."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two answers that do not go together.

    Attributes:
        asked: what each of the two was the answer to, in words.
        answers: as `kind: text` where the library failed, else a number or `absent`.
        given: what the first is the answer to; None for the input of the probe as it was.
        changed: what the second is the answer to; None for the same input.
        query: whose value it is; None for the mean.
    """

    kind: Kind
    says: str
    asked: tuple[str, str]
    answers: tuple[Reading, Reading]
    given: Input | None = None
    changed: Input | None = None
    query: str | None = None

    def is_as(self, other: "Difference") -> bool:
        """Whether it is the same finding on another input: numbers may be others, what was found may not."""
        return (self.kind, self.says, *map(_sort, self.answers)) == (other.kind, other.says, *map(_sort, other.answers))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe found: who, on which measure, what it says, and the smallest input that shows it."""

    probe: str
    library: str
    variant: str
    version: str
    measure: str
    kind: Kind
    says: str
    input: Input
    changed: Input | None
    asked: tuple[str, str]
    answers: tuple[Reading, Reading]
    query: str | None = None

    @property
    def who(self) -> str:
        """The library and its variant."""
        return self.library if self.variant == "default" else f"{self.library}/{self.variant}"

    @property
    def under_ties(self) -> bool:
        """Whether tied docs are needed to show it."""
        return tied(self.input) or (self.changed is not None and tied(self.changed))

    def as_json(self) -> dict[str, Any]:
        """The finding in JSON's terms."""
        return {
            "probe": self.probe, "library": self.library, "variant": self.variant, "version": self.version,
            "measure": self.measure, "kind": str(self.kind), "says": self.says, "input": self.input, "changed": self.changed,
            "asked": list(self.asked), "answers": [_as_json(answer) for answer in self.answers], "query": self.query,
            "under_ties": self.under_ties,
        }  # fmt: skip


@dataclass
class Asking:
    """One variant of a library, asked; answers are kept, as shrinking asks for the same again and again.

    Attributes:
        along: measures that are asked of an input along with the one that is wanted, since a request costs more than a measure.
    """

    worker: Worker
    library: Library
    variant: str
    along: Sequence[Measure] = ()
    _kept: dict[tuple[bool, str, str], Observation] = field(default_factory=dict)

    def __call__(self, data: Input, measure: Measure) -> Answer:
        """The answer; None where the variant does not support the measure."""
        return self._observed(data, measure, once=True).answer

    def twice(self, data: Input, measure: Measure) -> tuple[Answer, Answer]:
        """The answers to the same question, asked twice in a row."""
        seen = self._observed(data, measure, once=False)
        return seen.answer, seen.answer if seen.again is None else seen.again

    def _observed(self, data: Input, measure: Measure, *, once: bool) -> Observation:
        key = json.dumps(data)
        if (once, key, str(measure)) not in self._kept:
            missing = [m for m in map(str, self.along) if (once, key, m) not in self._kept]
            names = list(dict.fromkeys([str(measure), *missing]))
            for name, raw in self.worker.observe(self.variant, data, names, once=once).items():
                self._kept[once, key, name] = read("", self.library.name, self.variant, name, raw)
        return self._kept[once, key, str(measure)]

    def precision(self, *measures: Measure) -> list[str]:
        """The precisions in which the variant answers these measures."""
        return [self.library.sheet.precision_of(self.variant, measure) for measure in measures]


Law = Callable[[Asking, Input, Measure], Difference | None]


@dataclass(frozen=True, slots=True)
class Probe:
    """A law, and what is asked to see whether it holds.

    Attributes:
        law: the first difference that an input shows, or None.
        matters: whether the law says anything of a measure.
        extra: inputs that only this probe asks.
        alone: whether it asks no others.
    """

    name: str
    question: str
    law: Law
    matters: Callable[[Measure], bool] = lambda _measure: True
    extra: tuple[Input, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Probed:
    """A library, probed.

    Attributes:
        why_not: why it could not be asked.
        failed: whether that is since its worker failed, not since it is not installed.
    """

    library: str
    version: str
    findings: tuple[Finding, ...]
    why_not: str = ""
    failed: bool = False


Progress = Callable[[str, int, int], None]
"""Told a library's name, how many probes of its variants are done, and how many there are."""


# -- readings ----------------------------------------------------------------------------------------------------------


def _sort(reading: Reading) -> str:
    if isinstance(reading, str):
        return reading.partition(":")[0]
    return "nan" if math.isnan(reading) else "number"


def _as_json(reading: Reading) -> Reading:
    return str(reading) if isinstance(reading, float) and not math.isfinite(reading) else reading


def _failed(answer: Answered | Failure) -> str:
    return f"{answer.kind}: {answer.text}" if isinstance(answer, Failure) else "a number"


def _alike(a: Reading, b: Reading, precisions: Iterable[str]) -> bool:
    return any(same(a, b, precision) or same(b, a, precision) for precision in precisions)


def compared(
    a: Answer, b: Answer, precisions: Collection[str], names: Mapping[str, str] | None = None
) -> tuple[str | None, Reading, Reading] | None:
    """The first query (None for the mean) of which the two say different things, and what; `names` are those of the queries in b.

    >>> compared(Answered({"1": 1.0}, 1.0), Answered({"1": 0.5}, 0.5), ["float64"])
    ('1', 1.0, 0.5)
    """
    if a is None or b is None:
        return None
    if isinstance(a, Failure) or isinstance(b, Failure):
        both = isinstance(a, Failure) and isinstance(b, Failure) and a.kind == b.kind
        return None if both else (None, _failed(a), _failed(b))
    for query, x, y in _pairs(a, b, names or {}):
        if not _alike(x, y, precisions):
            return query, x, y
    return None


def _pairs(a: Answered, b: Answered, names: Mapping[str, str]) -> Iterator[tuple[str | None, Reading, Reading]]:
    if a.per_query is not None and b.per_query is not None:
        given = {new: old for old, new in names.items()}
        for query in dict.fromkeys([*a.per_query, *(given.get(name, name) for name in b.per_query)]):
            yield query, a.per_query.get(query, ABSENT), b.per_query.get(names.get(query, query), ABSENT)
    if a.mean is not None and b.mean is not None:
        yield None, a.mean, b.mean


# -- inputs ------------------------------------------------------------------------------------------------------------


def table(qrels: str, run: str) -> Input:
    """An input from `1 a 1, 1 b 0` and `1 a 2.5, 1 b 1`.

    >>> table("1 a 1", "1 b 2, 1 a 1")["run"]
    [['1', 'b', 2.0, 1], ['1', 'a', 1.0, 2]]
    """
    judgments = [row.split() for row in qrels.split(",")]
    rows = [row.split() for row in run.split(",")]
    return ranked(
        {
            "qrels": [[query, doc, int(rel)] for query, doc, rel in judgments],
            "run": [[query, doc, float(score), 0] for query, doc, score in rows],
            "empty_in_qrels": [],
            "empty_in_run": [],
        }
    )


def ranked(data: Input) -> Input:
    """The ranks as the scores have them, tied docs in the order of the rows."""
    places = {}
    for query in queries(data):
        rows = sorted(_of(data["run"], query), key=lambda row: -row[2])
        places.update({(query, row[1]): place for place, row in enumerate(rows, start=1)})
    return data | {"run": [[q, doc, score, places[q, doc]] for q, doc, score, _ in data["run"]]}


def queries(data: Input) -> list[str]:
    """The queries, in the order of the qrels and then of the run."""
    return list(dict.fromkeys(row[0] for row in [*data["qrels"], *data["run"]]))


def tied(data: Input) -> bool:
    """Whether a query has two docs of one score."""
    scores = [(query, score) for query, _, score, _ in data["run"]]
    return len(set(scores)) < len(scores)


def _of(rows: list[Any], query: str) -> list[Any]:
    return [row for row in rows if row[0] == query]


def _by_query(data: Input, part: str, order: Callable[[list[Any]], list[Any]]) -> Input:
    """The rows of each query in another order, query after query."""
    return data | {part: [row for query in queries(data) for row in order(_of(data[part], query))]}


def _with_scores(data: Input, scores: Iterable[float]) -> Input:
    return data | {"run": [[*row[:2], score, row[3]] for row, score in zip(data["run"], scores, strict=True)]}


def random_inputs(seed: int, count: int) -> list[Input]:
    """Two queries of up to six docs each, some tied, some unjudged, some not retrieved; every second one with rels of 0 and 1 only."""
    dice = random.Random(seed)  # noqa: S311 - chance that can be repeated is what is wanted
    return [_random_input(dice, highest=1 if i % 2 else 3, scores=12 if i % 4 < 2 else 3) for i in range(count)]  # noqa: PLR2004


def _random_input(dice: random.Random, highest: int, scores: int) -> Input:
    qrels, run = [], []
    for query in ("1", "2"):
        docs = dice.sample(LETTERS[:9], 8)
        rels = dict.fromkeys(docs[:2], highest) | {doc: dice.randint(0, highest) for doc in docs[2:6]}
        qrels += [[query, doc, rel] for doc, rel in rels.items()]
        values = [dice.randint(1, scores) for _ in range(6)] if scores < 6 else dice.sample(range(1, scores), 6)  # noqa: PLR2004
        run += [[query, doc, float(value), 0] for doc, value in zip(dice.sample(docs, 6), values, strict=True)]
    return ranked({"qrels": qrels, "run": run, "empty_in_qrels": [], "empty_in_run": []})


INPUTS = (
    table("1 a 0, 1 b 1", "1 a 2, 1 b 1"),
    table("1 a 0, 1 b 1, 2 a 1, 2 b 0", "1 a 2, 1 b 1, 2 a 4, 2 b 3"),
    table(
        "1 b 2, 1 c 1, 1 d 0, 1 h 3, 2 a 1, 2 d 2, 2 c 0",
        "1 c 1, 1 a 9, 1 b 3, 1 g 5, 1 d 7, 1 f 6, 1 e 8, 2 b 2, 2 d 1, 2 a 3",
    ),
    table("1 b 1, 1 c 1, 1 a 0, 1 d 0, 1 e 0", "1 c 1, 1 a 9, 1 b 3, 1 g 5, 1 d 7, 1 f 6, 1 e 8"),
    table("1 a 0, 1 b 1", "1 a 1, 1 b 1"),
    table("1 b 1, 1 a 0, 2 b 0, 2 a 1", "1 a 1, 1 b 1, 2 a 1, 2 b 1"),
    table("1 b 2, 1 f 1, 1 d 0, 1 h 3, 2 a 1, 2 d 2, 2 c 0",
          "1 c 1, 1 a 1, 1 b 1, 1 g 1, 1 d 1, 1 e 1, 1 f 1, 2 b 2, 2 d 1, 2 a 1"),
    table("1 f 1, 1 e 1, 1 a 0, 1 b 0", "1 e 1, 1 a 1, 1 b 1, 1 g 1, 1 d 1, 1 c 1, 1 f 1"),
)  # fmt: skip
"""The smallest first, and those without ties before those with them."""

HARD = (
    table("1 a 1, 1 b 0", "1 b 2, 1 c 1"),
    table("1 a 1, 1 b -1", "1 b 2, 1 a 1"),
    table("1 a 1, 1 b -2, 1 c 0", "1 b 2, 1 c 1"),
)
"""Nothing relevant retrieved; negative judgments."""

SEVENTEEN = table("1 c 1, 1 k 1, 1 f 1, 1 n 1, 1 a 0",
                  ", ".join(f"1 {doc} 1" for doc in "hcqlebpkajgfndomi"))  # fmt: skip


def _complete(data: Input) -> bool:
    """Whether every query has a judgment and a row."""
    return all(_of(data["qrels"], query) and _of(data["run"], query) for query in queries(data))


# -- changes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Changed:
    """An input, changed: what was done to it, and the new names of queries."""

    what: str
    data: Input
    names: Mapping[str, str] = field(default_factory=dict)


def unmoved(says: str, changes: Callable[[Input], Iterable[Changed]]) -> Law:
    """The law that a change leaves every value as it is."""

    def law(ask: Asking, data: Input, measure: Measure) -> Difference | None:
        for change in changes(data):
            found = compared(ask(data, measure), ask(change.data, measure), ask.precision(measure), change.names)
            if found is not None:
                query, a, b = found
                asked = ("as given", change.what)
                return Difference(Kind.DEPENDS, says, asked, (a, b), data, change.data, query)
        return None

    return law


def _rows_shuffled(data: Input) -> Iterator[Changed]:
    yield Changed("rows reversed", _by_query(data, "run", lambda rows: rows[::-1]))
    yield Changed("first row last", _by_query(data, "run", lambda rows: rows[1:] + rows[:1]))


def _judgments_shuffled(data: Input) -> Iterator[Changed]:
    yield Changed("judgments reversed", _by_query(data, "qrels", lambda rows: rows[::-1]))


def _queries_shuffled(data: Input) -> Iterator[Changed]:
    backwards = queries(data)[::-1]
    for what, parts in (
        ("queries of the run reversed", ["run"]),
        ("queries of run and qrels reversed", ["run", "qrels"]),
    ):
        yield Changed(
            what, data | {part: [row for query in backwards for row in _of(data[part], query)] for part in parts}
        )


def _interleaved(data: Input) -> Iterator[Changed]:
    for part in ("run", "qrels"):
        turns = [(turn, row) for query in queries(data) for turn, row in enumerate(_of(data[part], query))]
        what = f"{'rows' if part == 'run' else 'judgments'} of the queries interleaved"
        yield Changed(what, data | {part: [row for _, row in sorted(turns, key=lambda pair: pair[0])]})


def _renamed(data: Input, names: Mapping[str, str], column: int) -> Input:
    def row_of(row: list[Any]) -> list[Any]:
        return [*row[:column], names[row[column]], *row[column + 1 :]]

    return data | {part: [row_of(row) for row in data[part]] for part in ("qrels", "run")}


def _docs(data: Input) -> list[str]:
    return sorted({row[1] for row in [*data["qrels"], *data["run"]]}, key=str.encode)


def _docs_renamed(data: Input) -> Iterator[Changed]:
    docs = _docs(data)
    yield Changed("docs renamed, the last for the first", _renamed(data, dict(zip(docs, docs[::-1], strict=True)), 1))


def _docs_renamed_alike(data: Input) -> Iterator[Changed]:
    docs = _docs(data)
    if len(docs) <= len(LETTERS):
        names = dict(zip(docs, LETTERS[-len(docs) :], strict=True))
        yield Changed("docs renamed, their order kept", _renamed(data, names, 1))


def _queries_renamed(data: Input) -> Iterator[Changed]:
    named = sorted(queries(data))
    names = dict(zip(named, named[::-1], strict=True))
    yield Changed("queries renamed, the last for the first", _renamed(data, names, 0), names)


def _queries_renamed_alike(data: Input) -> Iterator[Changed]:
    named = sorted(queries(data))
    names = {query: str(9 - len(named) + i) for i, query in enumerate(named)}
    yield Changed("queries renamed, their order kept", _renamed(data, names, 0), names)


def _scaled(data: Input) -> Iterator[Changed]:
    """A power of two is exact in any float, and a small one shows who rounds."""
    yield Changed("scores divided by 1024", _with_scores(data, [row[2] / 1024 for row in data["run"]]))


def _shifted(data: Input) -> Iterator[Changed]:
    yield Changed("scores less 64", _with_scores(data, [row[2] - 64.0 for row in data["run"]]))


def _other_ranks(data: Input) -> Iterator[Changed]:
    backwards = {
        query: {row[3]: rank for row, rank in zip(rows, sorted((r[3] for r in rows), reverse=True), strict=True)}
        for query in queries(data)
        for rows in [sorted(_of(data["run"], query), key=lambda row: row[3])]
    }
    yield Changed("ranks reversed", data | {"run": [[*row[:3], backwards[row[0]][row[3]]] for row in data["run"]]})


# -- laws --------------------------------------------------------------------------------------------------------------


def _same_twice(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """Asked once, and then twice in a row, it says one thing."""
    first, (second, third), precision = ask(data, measure), ask.twice(data, measure), ask.precision(measure)
    found = compared(first, second, precision) or compared(second, third, precision)
    if found is None:
        return None
    asked = ("asked once", "asked again")
    return Difference(Kind.UNSTABLE, "differs when asked twice", asked, found[1:], data, None, found[0])


def _one_by_one(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """A query's value is the same in company and alone, and the mean is the mean of those."""
    together, alone = ask(data, measure), {}
    if len(queries(data)) < 2 or not isinstance(together, Answered):  # noqa: PLR2004 - company is two
        return None
    for query in queries(data):
        single = data | {part: _of(data[part], query) for part in ("qrels", "run")}
        answer = ask(single, measure)
        if not isinstance(answer, Answered):
            return None
        alone[query] = answer
        told = None if together.per_query is None else Answered({query: together.per_query.get(query, math.nan)}, None)
        found = compared(told, Answered(answer.per_query, None), ask.precision(measure))
        if found is not None:
            asked, says = ("with other queries", "alone"), "depends on the queries asked with it"
            return Difference(Kind.DEPENDS, says, asked, found[1:], data, single, query)
    return _mean_of_those(ask, data, measure, together.mean, [answer.mean for answer in alone.values()])


def _mean_of_those(
    ask: Asking, data: Input, measure: Measure, mean: float | None, alone: Sequence[float | None]
) -> Difference | None:
    values = [value for value in alone if value is not None]
    if measure.name in COUNTS or mean is None or len(values) < len(alone):
        return None
    expected = math.fsum(values) / len(values)
    if not math.isfinite(expected) or _alike(mean, expected, ask.precision(measure)):
        return None
    asked, says = ("together", "mean of the queries asked alone"), "the mean is not that of the queries asked alone"
    return Difference(Kind.DEPENDS, says, asked, (mean, expected), data)


def _cut_at(measure: Measure, k: int) -> Measure:
    return replace(measure, cutoff=k)


def _cutoff_beyond(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """A cutoff beyond the end of the list, and of the judgments, changes nothing."""
    longest = max(len(_of(data[part], query)) for part in ("run", "qrels") for query in queries(data))
    k = measure.k or FAR // 2
    if longest > k:
        return None
    further = _cut_at(measure, FAR if measure.k is None else 2 * k)
    found = compared(ask(data, measure), ask(data, further), ask.precision(measure, further))
    if found is None:
        return None
    query, a, b = found
    says = "a cutoff beyond the list changes it"
    return Difference(Kind.DEPENDS, says, (str(measure), str(further)), (a, b), data, None, query)


def _unjudged_at_the_bottom(data: Input, measure: Measure) -> Iterator[Changed]:
    lengths = [len(_of(data["run"], query)) for query in queries(data)]
    if measure.k is not None and min(lengths) < measure.k and measure.name not in BLIND_BELOW:
        return
    new = next((letter for letter in reversed(LETTERS) if letter not in _docs(data)), "zz")
    rows = []
    for query in queries(data):
        mine = _of(data["run"], query)
        rows += [*mine, [query, new, min((row[2] for row in mine), default=1.0) - 1.0, len(mine) + 1]]
    yield Changed(f"with {new} at the bottom, unjudged", data | {"run": rows})


def _unjudged_doc(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    says = "depends on an unjudged doc below all others"
    return unmoved(says, lambda given: _unjudged_at_the_bottom(given, measure))(ask, data, measure)


def _with_empty_query(data: Input) -> tuple[str, Input]:
    new = next(str(i) for i in range(9, 0, -1) if str(i) not in queries(data))
    return new, data | {"qrels": [*data["qrels"], [new, "a", 1], [new, "b", 0]]}


def _empty_query(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """A judged query that was not retrieved leaves the others as they are; what becomes of the mean is told."""
    new, more = _with_empty_query(data)
    a, b = ask(data, measure), ask(more, measure)
    if not isinstance(a, Answered) or b is None or not _complete(data):
        return None
    asked = ("as given", f"with {new}, which was judged and not retrieved")
    if isinstance(b, Failure):
        says = "a judged query that was not retrieved is refused"
        return Difference(Kind.TELLS, says, asked, (_overall(a), _failed(b)), data, more)
    if a.per_query is not None and b.per_query is not None:
        others = {query: value for query, value in b.per_query.items() if query != new}
        found = compared(Answered(a.per_query, None), Answered(others, None), ask.precision(measure))
        if found is not None:
            says = "a judged query that was not retrieved changes the values of others"
            return Difference(Kind.DEPENDS, says, asked, found[1:], data, more, found[0])
    return _what_becomes_of_it(ask, (a, b), (data, more), asked, (new, measure))


def _overall(answer: Answered) -> Reading:
    return answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()), ABSENT)


def _what_becomes_of_it(
    ask: Asking, answers: tuple[Answered, Answered], inputs: tuple[Input, Input], asked: tuple[str, str],
    what: tuple[str, Measure],
) -> Difference | None:  # fmt: skip
    a, b = answers
    new, measure = what
    n, precision = len(queries(inputs[0])), ask.precision(measure)
    before: Reading
    after: Reading
    if a.mean is None or b.mean is None:
        before, after = ABSENT, (b.per_query or {}).get(new, ABSENT)
        known: list[tuple[str, Reading]] = [
            ("is left out", ABSENT), ("is worth 0", 0.0), ("is worth 1", 1.0), ("is worth NaN", math.nan),
        ]  # fmt: skip
    else:
        if not math.isfinite(a.mean) or _alike(a.mean, 0.0, precision) or _alike(a.mean, 1.0, precision):
            return None
        before, after = a.mean, b.mean
        known = [
            ("leaves the mean", a.mean), ("is worth 0 in the mean", a.mean * n / (n + 1)),
            ("is worth 1 in the mean", (a.mean * n + 1) / (n + 1)), ("makes the mean NaN", math.nan),
        ]  # fmt: skip
    told = next((says for says, value in known if _alike(after, value, precision)), "moves the mean")
    says = f"a judged query that was not retrieved {told}"
    return Difference(Kind.TELLS, says, asked, (before, after), *inputs, None if a.mean is not None else new)


def _rels(data: Input) -> dict[tuple[str, str], float]:
    return {(query, doc): rel for query, doc, rel in data["qrels"]}


def _truth(data: Input, sign: float = 1.0) -> Input:
    """All judged docs, scored by their rels."""
    rows = [[query, doc, sign * float(rel), 0] for query, doc, rel in data["qrels"]]
    return ranked(data | {"run": rows})


def _truth_is_one(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    counts = [sum(rel >= 1 for _, _, rel in _of(data["qrels"], query)) for query in queries(data)]
    others = [sum(rel < 1 for _, _, rel in _of(data["qrels"], query)) for query in queries(data)]
    k = measure.k
    enough = measure.name != "P" or (k is not None and k <= min(counts))
    few = measure.name != "R" or (k is not None and k >= max(counts))
    whole = measure.name != "AP" or k is None or k >= max(counts)
    if not (enough and few and whole) or min(counts) == 0 or min(others) == 0 or measure.rel != 1:
        return None
    truth = _truth(data)
    answer = ask(truth, measure)
    one = dict.fromkeys(queries(data), 1.0)
    told = answer.per_query is not None if isinstance(answer, Answered) else False
    expected = Answered(one if told else None, 1.0)
    found = compared(answer, expected, ask.precision(measure)) if isinstance(answer, Answered) else None
    if found is None:
        return None
    query, a, b = found
    return Difference(
        Kind.BREAKS, "the truth as a prediction is not worth 1", ("the truth", "1"), (a, b), truth, None, query
    )


def _bounds(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    answer = ask(data, measure)
    if not isinstance(answer, Answered):
        return None
    for query, value in [*(answer.per_query or {}).items(), (None, answer.mean)]:
        if value is None or 0 <= value <= 1 or _alike(value, 1.0, ask.precision(measure)):
            continue
        says = "is not between 0 and 1" if not math.isnan(value) else "is not a number"
        return Difference(Kind.BREAKS, says, ("as given", "what is possible"), (value, "0 to 1"), data, None, query)
    return None


def _arranged(data: Input, *, best_row_first: bool, best_id_first: bool) -> Input:
    """All docs retrieved with one score, the rows and the sorted ids with the best or the worst first."""
    qrels, run = [], []
    for query in queries(data):
        docs = [doc for _, doc, _ in sorted(_of(data["qrels"], query), key=lambda row: -row[2])]
        ids = dict(zip(docs, sorted(docs, reverse=not best_id_first), strict=True))
        rels = _rels(data)
        qrels += [[query, ids[doc], rels[query, doc]] for doc in docs]
        run += [[query, ids[doc], 1.0, 0] for doc in (docs if best_row_first else docs[::-1])]
    return ranked(data | {"qrels": qrels, "run": run})


def _constant(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """A scorer that gives every doc the same score knows nothing, and is worth less than one that knows all."""
    precision = ask.precision(measure)
    by = {
        (row, name): _arranged(data, best_row_first=row, best_id_first=name)
        for row in (True, False)
        for name in (True, False)
    }
    truth = {at: ask(_truth(given), measure) for at, given in by.items()}
    first = truth[True, True]
    reversed_ = ask(_truth(by[True, True], -1.0), measure)
    if not isinstance(first, Answered) or compared(first, reversed_, precision) is None:
        return None
    if not isinstance(reversed_, Answered):
        return None
    perfect = {at for at, given in by.items() if _equal(ask(given, measure), truth[at], precision)}
    for where, needed in (
        ("", set(by)), (" where the rows come in its order", {(True, True), (True, False)}),
        (" where the docids ascend in its order", {(True, True), (False, True)}),
        (" where the docids descend in its order", {(True, False), (False, False)}),
    ):  # fmt: skip
        if needed <= perfect:
            at = max(needed)
            says = f"a constant scorer is worth as much as the truth{where}"
            values = (_overall_of(truth[at]), _overall_of(ask(by[at], measure)))
            return Difference(Kind.DEPENDS, says, ("the truth", "a constant scorer"), values, _truth(by[at]), by[at])
    return None


def _equal(a: Answer, b: Answer, precisions: Collection[str]) -> bool:
    return isinstance(a, Answered) and isinstance(b, Answered) and compared(a, b, precisions) is None


def _overall_of(answer: Answer) -> Reading:
    return _overall(answer) if isinstance(answer, Answered) else ABSENT


def _untied_orders(data: Input) -> dict[str, Input]:
    """The rows of an all-tied input as they are, with scores that put the docs in an order of their own."""
    rels = _rels(data)
    rows = data["run"]
    orders = {
        "of the rows": rows,
        "of the rows backwards": rows[::-1],
        "of descending docids": sorted(rows, key=lambda row: row[1].encode(), reverse=True),
        "of ascending docids": sorted(rows, key=lambda row: row[1].encode()),
        "best first": sorted(rows, key=lambda row: -rels.get((row[0], row[1]), 0)),
        "worst first": sorted(rows, key=lambda row: rels.get((row[0], row[1]), 0)),
    }
    found = {}
    for name, order in orders.items():
        scores = {(row[0], row[1]): float(len(rows) - place) for place, row in enumerate(order)}
        found[name] = ranked(_with_scores(data, [scores[row[0], row[1]] for row in rows]))
    return found


def _rules(ask: Asking, data: Input, measure: Measure) -> dict[str, Input]:
    """The orders of untied docs that give what the tied ones do."""
    answer, precision = ask(data, measure), ask.precision(measure)
    return {
        name: untied for name, untied in _untied_orders(data).items() if _equal(answer, ask(untied, measure), precision)
    }


def _one_rule_for_ties(ask: Asking, data: Input, measure: Measure) -> Difference | None:
    """Tied docs stand in the same order, be they fifteen or seventeen."""
    rows = data["run"]
    if len(queries(data)) > 1 or len(rows) < 4 or len({row[2] for row in rows}) > 1:  # noqa: PLR2004 - two docs less are still tied
        return None
    fewer = data | {"run": rows[:-2]}
    before, now = _rules(ask, fewer, measure), _rules(ask, data, measure)
    if not before or set(before) & set(now) or not isinstance(ask(data, measure), Answered):
        return None
    name = next(iter(before))
    untied = _untied_orders(data)[name]
    values = (_overall_of(ask(data, measure)), _overall_of(ask(untied, measure)))
    asked = (f"{len(rows)} tied docs", f"the same untied in the order {name}, which {len(rows) - 2} tied docs keep")
    says = "tied docs keep an order while they are few, and another when they are more"
    return Difference(Kind.DEPENDS, says, asked, values, data, untied)


def _cut_or_blind(measure: Measure) -> bool:
    return measure.name in BLIND_BELOW or measure.k is not None


PROBES = (
    Probe("twice", "Is the answer the same when asked twice?", _same_twice),
    Probe("rows", "Does the order of the rows matter?", unmoved("depends on the order of the rows", _rows_shuffled)),
    Probe("judgments", "Does the order of the judgments matter?",
          unmoved("depends on the order of the judgments", _judgments_shuffled)),
    Probe("queries", "Does the order of the queries matter?", unmoved("depends on the order of the queries", _queries_shuffled)),
    Probe("interleaved", "Must the rows of a query be together?",
          unmoved("depends on the rows of a query being together", _interleaved)),
    Probe("docs-renamed", "Do the names of docs matter?", unmoved("depends on the order of docids", _docs_renamed)),
    Probe("docs-renamed-alike", "Do the names of docs matter, though they sort alike?",
          unmoved("depends on docids that sort alike", _docs_renamed_alike)),
    Probe("queries-renamed", "Do the names of queries matter?",
          unmoved("depends on the order of the queries' names", _queries_renamed)),
    Probe("queries-renamed-alike", "Do the names of queries matter, though they sort alike?",
          unmoved("depends on queries' names that sort alike", _queries_renamed_alike)),
    Probe("scaled", "Does the scale of the scores matter?", unmoved("depends on the scale of the scores", _scaled)),
    Probe("shifted", "Does the sign of the scores matter?", unmoved("depends on the sign of the scores", _shifted)),
    Probe("ranks", "Does the rank column matter?", unmoved("depends on the rank column", _other_ranks)),
    Probe("unjudged-doc", "Does an unjudged doc below all others matter?", _unjudged_doc, _cut_or_blind),
    Probe("empty-query", "What becomes of a judged query that was not retrieved?", _empty_query, lambda m: m.name not in COUNTS),
    Probe("batch", "Is a query worth the same in company and alone?", _one_by_one),
    Probe("cutoff", "Does a cutoff beyond the list matter?", _cutoff_beyond, lambda m: m.name in NOTHING_BEYOND),
    Probe("constant", "Can a scorer that knows nothing be worth as much as the truth?", _constant,
          lambda m: m.name in ONE_FOR_THE_TRUTH),
    Probe("truth", "Is the truth as a prediction worth 1?", _truth_is_one, lambda m: m.name in ONE_FOR_THE_TRUTH),
    Probe("bounds", "Are values between 0 and 1?", _bounds, lambda m: m.name not in UNBOUNDED, HARD),
    Probe("tied-docs", "Do fifteen and seventeen tied docs follow one rule?", _one_rule_for_ties, extra=(SEVENTEEN,), alone=True),
)  # fmt: skip


def chosen(names: Sequence[str]) -> list[Probe]:
    """The probes of these names; all of them without one.

    Raises:
        UnknownProbe: there is none of a name.
    """
    known = {probe.name: probe for probe in PROBES}
    for name in names:
        if name not in known:
            raise UnknownProbe(f"{name} is no probe; known are {', '.join(known)}")
    return [known[name] for name in names] or list(PROBES)


# -- shrinking ---------------------------------------------------------------------------------------------------------


def shrunk(data: Input, shows: Callable[[Input], bool]) -> Input:
    """The input without every query, row and judgment that is not needed for it to show what it shows."""
    before: Input = {}
    while data != before:
        before = data
        for query in queries(data):
            if len(queries(data)) > 1:
                less = data | {part: [row for row in data[part] if row[0] != query] for part in ("qrels", "run")}
                data = less if less["qrels"] and less["run"] and shows(less) else data
        for part in ("run", "qrels"):
            data = _fewer(data, part, shows)
        for simpler in (_lower_rels, _small_scores, ranked, _untied):
            plain = simpler(data)
            data = plain if plain != data and shows(plain) else data
    return data


def _fewer(data: Input, part: str, shows: Callable[[Input], bool]) -> Input:
    at = 0
    while at < len(data[part]) and len(data[part]) > 1:
        less = data | {part: data[part][:at] + data[part][at + 1 :]}
        if shows(less):
            data = less
        else:
            at += 1
    return data


def _lower_rels(data: Input) -> Input:
    return data | {"qrels": [[query, doc, min(rel, 1)] for query, doc, rel in data["qrels"]]}


def _small_scores(data: Input) -> Input:
    scores = sorted({row[2] for row in data["run"]})
    return _with_scores(data, [float(scores.index(row[2]) + 1) for row in data["run"]])


def _untied(data: Input) -> Input:
    """Tied docs untied, in the order of the rows."""
    plain = ranked(data)
    return _with_scores(plain, [float(len(plain["run"]) + 1 - row[3]) for row in plain["run"]]) if tied(data) else data


# -- asking ------------------------------------------------------------------------------------------------------------


def findings(
    library: Library, probes: Sequence[Probe] = PROBES, measures: Sequence[str | Measure] = MEASURES, *,
    inputs: Sequence[Input] | None = None, variants: Collection[str] = (),
) -> list[Finding]:  # fmt: skip
    """What the probes find of one library; nothing where it is not installed."""
    return list(probed(library, probes, measures, inputs=inputs, variants=variants).findings)


def probed(
    library: Library, probes: Sequence[Probe] = PROBES, measures: Sequence[str | Measure] = MEASURES, *,
    inputs: Sequence[Input] | None = None, variants: Collection[str] = (),
    timeout: float = TIMEOUT, progress: Progress = lambda _name, _done, _all: None, stop: threading.Event | None = None,
) -> Probed:  # fmt: skip
    """Probe one library.

    Args:
        library: who is asked.
        probes: which laws.
        measures: what is asked.
        inputs: what is asked of; `INPUTS` and two random ones unless told.
        variants: only these; all of them without one.
        timeout: how many seconds one request may take.
        progress: told of each probe done.
        stop: where it is set, no more is asked.
    """
    given = [*INPUTS, *random_inputs(0, 2)] if inputs is None else inputs
    wanted = [parse(measure) for measure in measures]
    with Worker(library.adapter, timeout=timeout) as worker:
        hello = _hello(worker)
        if "version" not in hello:
            why_not = str(hello.get("not_installed") or hello.get("message", ""))
            return Probed(library.name, "", (), why_not, failed="not_installed" not in hello)
        asked = [variant for variant in hello["variants"] if not variants or variant in variants]
        found: list[Finding] = []
        for i, variant in enumerate(asked):
            ask = Asking(worker, library, variant, wanted)
            supported = _one_of_each_group(m for m in wanted if ask(INPUTS[0], m) is not None)
            for j, probe in enumerate(probes, start=1):
                if stop is None or not stop.is_set():
                    found += _found(ask, hello["version"], probe, supported, given)
                progress(library.name, i * len(probes) + j, len(asked) * len(probes))
        return Probed(library.name, hello["version"], tuple(found))


def _one_of_each_group(measures: Iterable[Measure]) -> list[Measure]:
    first: dict[str, Measure] = {}
    for measure in measures:
        first.setdefault(group_of(measure), measure)
    return list(first.values())


def _hello(worker: Worker) -> Reply:
    try:
        return worker.hello()
    except WorkerFailed as failure:
        return {"message": str(failure)}


def probe_all(
    libraries: Sequence[Library], probes: Sequence[Probe] = PROBES, measures: Sequence[str | Measure] = MEASURES, *,
    inputs: Sequence[Input] | None = None, at_once: int = 2, timeout: float = TIMEOUT,
    progress: Progress = lambda _name, _done, _all: None,
) -> list[Probed]:  # fmt: skip
    """Probe libraries, two at once, each in a process of its own."""
    stop = threading.Event()

    def one(library: Library) -> Probed:
        return probed(library, probes, measures, inputs=inputs, timeout=timeout, progress=progress, stop=stop)

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            return list(pool.map(one, libraries))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def group_of(measure: Measure) -> str:
    """The measure, whatever its cutoff: `P(rel=2)@k`."""
    return str(measure) if measure.cutoff is None else f"{str(measure).rpartition('@')[0]}@k"


def _found(
    ask: Asking, version: str, probe: Probe, measures: Sequence[Measure], inputs: Sequence[Input]
) -> Iterator[Finding]:
    """A finding for each group of measures that shows one, on the smallest input met."""
    done: set[str] = set()
    small: list[Input] = []
    for data in [*(() if probe.alone else inputs), *probe.extra]:
        ask.along = pending = [m for m in measures if probe.matters(m) and group_of(m) not in done]
        shown = {m: difference for m in pending if (difference := probe.law(ask, data, m)) is not None}
        ask.along = list(shown)
        for measure, difference in shown.items():
            if group_of(measure) not in done:
                done.add(group_of(measure))
                smallest = _smallest(ask, probe, measure, difference, (data, small))
                yield _finding(ask, version, probe, measure, smallest)


def _smallest(
    ask: Asking, probe: Probe, measure: Measure, difference: Difference, found: tuple[Input, list[Input]]
) -> Difference:
    """The difference on the smallest input that shows it, beginning with those that showed others."""

    def shows(data: Input) -> bool:
        seen = probe.law(ask, data, measure)
        return seen is not None and seen.is_as(difference)

    data, small = found
    start = next((given for given in small if tied(given) <= tied(data) and shows(given)), data)
    least = shrunk(start, shows)
    if least not in small:
        small.append(least)
    return probe.law(ask, least, measure) or difference


def _finding(ask: Asking, version: str, probe: Probe, measure: Measure, difference: Difference) -> Finding:
    under_ties = (
        difference.kind is Kind.DEPENDS
        and probe.name not in {"constant", "tied-docs"}
        and difference.given is not None
        and tied(difference.given)
    )
    return Finding(
        probe.name, ask.library.name, ask.variant, version, str(measure), difference.kind,
        difference.says + (", under ties" if under_ties else ""), difference.given or {}, difference.changed, difference.asked,
        difference.answers, difference.query,
    )  # fmt: skip
