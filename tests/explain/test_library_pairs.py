"""Two libraries, one run: 200 random pairs with numbers that the libraries computed, explained by sets that recompute both numbers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from rankproof.cases.inputs import Input
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import profile_named, speaks_of
from rankproof.explain.attribution import Attribution
from rankproof.explain.explanation import explain
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import UNSPECIFIED, Values, collection, outcome_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.known_libraries import libraries
from rankproof.workers.library_worker import Worker, worker_of
from rankproof.workers.observations import ABSENT, Answered, Observation, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import installation

PAIRS, SEED = 200, 64
WRITTEN = "P@3 R@3 R@5 AP AP@5 nDCG nDCG@3 nDCG@10 RR RR@5 Success@3 DCG@5 ERR@5 RBP(p=0.8) Bpref Rprec"
MEASURES = [parse(written) for written in WRITTEN.split()]
ASKED = ("catboost", "evaluate", "ir_measures", "pytrec_eval", "sklearn", "trectools")
LEFT_OUT = ("ir_measures/ranx",)
"""It needs ranx, which is not installed everywhere."""
MARKED = {
    ("trectools", "nDCG"): "its fingerprint leaves 18 or more values of nDCG@k unexplained",
    ("trectools", "AP"): "its fingerprint leaves 9 or more values of AP unexplained",
}
"""Deviations that no known exception announces: by library and measure, the reason."""
AT_ONCE = 2
"""The number of measures for two libraries and one run."""


@dataclass(frozen=True)
class Side:
    """One of two libraries: what it computed, and what its profile gives.

    Attributes:
        announced: why its number may be another than its profile's; empty if nothing is known to be so.
    """

    name: str
    answer: Answered
    precision: str
    conventions: Conventions
    announced: str

    def is_given_by(self, data: Collection, measure: Measure, conventions: Conventions) -> bool:
        """Whether the reference gives every number that the library computed."""
        told = outcome_of(lambda: data.answer(measure, conventions))
        if not isinstance(told, Values):
            return False
        expected = {query: to_float(value) for query, value in told.per_query.items()}
        per_query = self.answer.per_query
        queries = [] if per_query is None else [*data.qrels, *data.run]
        is_mean = self.answer.mean is None or same(self.answer.mean, to_float(told.mean), self.precision)
        return is_mean and all(
            same((per_query or {}).get(query, ABSENT), expected.get(query, ABSENT), self.precision) for query in queries
        )


@dataclass(frozen=True)
class Pair:
    """Two libraries that gave numbers for one measure of one run, and the changes that turn one into the other."""

    data: Collection
    measure: Measure
    first: Side
    second: Side
    why: Attribution

    @property
    def announced(self) -> str:
        """Why a number of one of them is not its profile's; empty if both are."""
        sides = (self.first, self.second)
        departing = [one for one in sides if not one.is_given_by(self.data, self.measure, one.conventions)]
        reasons = [one.announced for one in departing]
        assert all(reasons), f"{departing} of {self.measure} without a known reason: {self.data}"
        return ", ".join(reasons)

    def with_changes(self, *axes: str) -> Conventions:
        """The first profile with some of the changes."""
        return self.first.conventions.replace(**{axis: self.why.changes[axis][1] for axis in axes})

    def gives_as(self, conventions: Conventions, end: Values) -> bool:
        """Whether conventions give all values of other ones."""
        told = outcome_of(lambda: self.data.answer(self.measure, conventions))
        if not isinstance(told, Values) or told.per_query.keys() != end.per_query.keys():
            return False
        pairs = [(told.mean, end.mean), *((value, end.per_query[query]) for query, value in told.per_query.items())]
        return all(same(to_float(a), to_float(b), "float64") for a, b in pairs)


def drawn(random: Random) -> Input:
    """Two to six queries with ties, unjudged documents, missing and extra queries, and queries without relevant documents."""
    grades = random.choice([(0, 1), (0, 1, 2, 3, 4)])
    qrels: list[tuple[str, str, int]] = []
    run: list[tuple[str, str, float, int]] = []
    for query in map(str, range(1, random.randint(2, 6) + 1)):
        docs = [f"d{number}" for number in range(1, random.randint(4, 9))]
        side = random.choice(["both"] * 8 + ["qrels", "run"])
        if side != "run":
            own = (0,) if random.random() < 0.15 else grades
            qrels += [(query, doc, random.choice(own)) for doc in random.sample(docs, random.randint(2, len(docs)))]
        if side != "qrels":
            retrieved = random.sample(docs, random.randint(2, len(docs)))
            scores = sorted((random.choice([0.25, 0.5, 1.0, 1.5, 2.0, 3.0]) for _ in retrieved), reverse=True)
            run += [
                (query, doc, score, rank) for rank, (doc, score) in enumerate(zip(retrieved, scores, strict=True), 1)
            ]
    return Input(tuple(qrels), tuple(run))


@dataclass
class Libraries:
    """The libraries, each in a worker that is started once."""

    workers: Mapping[str, Worker]
    hellos: Mapping[str, Mapping[str, object]]

    @property
    def ways(self) -> list[str]:
        """The names of all variants."""
        subjects = [
            installation(name, hello).subject(variant)
            for name, hello in self.hellos.items()
            for variant in hello["variants"]  # type: ignore[attr-defined]  # a table
        ]
        return sorted({one.name for one in subjects} - {*LEFT_OUT})

    def sides(self, name: str, given: Input, data: RunData, measures: Sequence[Measure]) -> list[Side | None]:
        """Run a library; None for each measure without a number."""
        library, _, variant = name.partition("/")
        sheet = next(one.sheet for one in libraries() if one.name == library)
        variant = variant or next(iter(self.hellos[library]["variants"]))  # type: ignore[call-overload]  # as above
        subject = installation(library, self.hellos[library]).subject(variant)
        seen = self.workers[library].observe(variant, given.as_json(), [*map(str, measures)], once=True)
        return [
            self._side(name, sheet.precision_of(variant, one), read("", subject, str(one), seen[str(one)]), data, one)
            for one in measures
        ]

    @staticmethod
    def _side(name: str, precision: str, seen: Observation, data: RunData, measure: Measure) -> Side | None:
        answer, library = seen.answer, name.partition("/")[0]
        if not isinstance(answer, Answered) or (answer.mean is None and not answer.per_query):
            return None
        conventions = profile_named(name).conventions(measure)
        reasons = [met.reason for met in met_by(data, measure, [name])]
        reasons += ["it keeps no order of tied documents"] * (conventions.ties == UNSPECIFIED)
        reasons += [reason for marked, reason in MARKED.items() if marked == (library, measure.name)]
        return Side(name, answer, precision, conventions, "; ".join(reasons))


@pytest.fixture(scope="module")
def pairs() -> Iterator[list[Pair]]:
    random, found = Random(SEED), list[Pair]()
    with ExitStack() as stack:
        asked = {one.name: one for one in libraries() if one.name in ASKED}
        workers = {name: stack.enter_context(worker_of(library)) for name, library in asked.items()}
        who = Libraries(workers, {name: worker.hello() for name, worker in workers.items()})
        ways = who.ways
        while len(found) < PAIRS:
            given, names = drawn(random), random.sample(ways, 2)
            measures = [one for one in MEASURES if all(speaks_of(profile_named(name), one) for name in names)]
            measures = random.sample(measures, min(len(measures), AT_ONCE))
            whole = collection(given)
            data = RunData(whole.qrels, whole.run)
            sides = [who.sides(name, given, data, measures) for name in names if measures]
            for measure, *both in zip(measures, *sides, strict=True):
                if None not in both:
                    told = explain("run", data, measure, tuple(names)).sayings
                    why = told[1].attribution if len(told) > 1 else None
                    found.append(Pair(whole, measure, *both, why or Attribution({}, ())))
        yield found[:PAIRS]


def test_the_set_of_changes_recomputes_both_numbers(pairs: list[Pair]) -> None:
    explained = [pair for pair in pairs if not pair.announced]
    assert len(explained) >= 0.9 * len(pairs)
    for pair in explained:
        assert pair.first.is_given_by(pair.data, pair.measure, pair.first.conventions)
        assert pair.second.is_given_by(pair.data, pair.measure, pair.with_changes(*pair.why.changes)), pair
    sizes = Counter(len(pair.why.changes) for pair in explained)
    assert {0, 1, 2, 3} <= sizes.keys(), "pairs of all kinds are drawn"


def test_no_part_of_a_set_suffices(pairs: list[Pair]) -> None:
    for pair in pairs:
        if pair.why.changes:
            end = outcome_of(lambda: pair.data.answer(pair.measure, pair.with_changes(*pair.why.changes)))  # noqa: B023 - at once
            assert isinstance(end, Values)
            smaller = (some for size in range(len(pair.why.changes)) for some in combinations(pair.why.changes, size))
            assert not any(pair.gives_as(pair.with_changes(*axes), end) for axes in smaller), pair


def test_the_parts_sum_to_the_difference(pairs: list[Pair]) -> None:
    summed = 0
    for pair in pairs:
        ends = (pair.with_changes(), pair.with_changes(*pair.why.changes))
        told = [outcome_of(lambda: pair.data.answer(pair.measure, end)) for end in ends]  # noqa: B023 - at once
        means = [one.mean for one in told if isinstance(one, Values) and one.mean is not None]
        assert [axis for part in pair.why.parts for axis in part.changes] == [*pair.why.changes]
        if len(means) == len(ends):
            assert sum((part.adds for part in pair.why.parts), Fraction(0)) == means[1] - means[0]
            summed += len(pair.why.parts) > 1
    assert summed > 20
