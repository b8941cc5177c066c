"""The smallest set of changes between two profiles: by hand, and for pairs of libraries that computed the numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from explained_data import data_of
from strategies import judged_as, run_of

from rankproof.cases.inputs import Input
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import profile_named, speaks_of
from rankproof.explain.attribution import Attribution, attribute
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, Values, collection, said
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import profile
from rankproof.workers.known_libraries import libraries
from rankproof.workers.library_worker import Worker, worker_of
from rankproof.workers.observations import ABSENT, Answered, Observation, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Installation, installation

GRADED = data_of(
    {"1": judged_as(a=2, b=1, c=0, x=1), "2": judged_as(a=1, x=3), "3": judged_as(a=0), "4": judged_as(b=1)},
    {"1": run_of("a", "c=b", "z"), "2": run_of("z", "a"), "3": run_of("a")},
)
"""Ties, unretrieved relevant documents, a query without relevant documents, and a query that the run does not have."""


def test_change_without_effect_is_one_part_with_the_next() -> None:
    """Known judgments alone do not change an ideal ranking of the retrieved documents, which is CatBoost's."""
    why = attribute(GRADED, parse("nDCG@10"), profile("known=retrieved ideal=retrieved"), STANDARD)
    assert [[*part.changes] for part in why.parts] == [["known", "ideal"]]
    assert why.parts[0].queries == ("1", "2")


# -- pairs of libraries ----------------------------------------------------------------------------------------------------

PAIRS, SEED = 60, 64
WRITTEN = "P@3 R@3 R@5 AP AP@5 nDCG nDCG@3 nDCG@10 RR RR@5 Success@3 DCG@5 ERR@5 RBP(p=0.8) Bpref Rprec"
MEASURES = [parse(written) for written in WRITTEN.split()]
LIBRARIES = ("catboost", "ir_measures", "pytrec_eval", "sklearn", "trectools")
LEFT_OUT = ("ir_measures/ranx",)
"""It needs ranx, which is not installed everywhere."""
MARKED = {
    ("trectools", "nDCG"): "its fingerprint leaves 18 or more values of nDCG@k unexplained",
    ("trectools", "AP"): "its fingerprint leaves 9 or more values of AP unexplained",
}
"""Deviations that no known exception announces: by library and measure, the reason."""
AT_ONCE = 2
"""The number of measures for two libraries and one run."""


def answers_of(data: Collection, measure: Measure, conventions: Conventions) -> Answers:
    return said(lambda: data.answer(measure, conventions))


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
        answers = answers_of(data, measure, conventions)
        if not isinstance(answers, Values):
            return False
        expected = {query: to_float(value) for query, value in answers.per_query.items()}
        per_query = self.answer.per_query
        queries = [] if per_query is None else [*data.qrels, *data.run]
        is_mean = self.answer.mean is None or same(self.answer.mean, to_float(answers.mean), self.precision)
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
        departing = [side for side in sides if not side.is_given_by(self.data, self.measure, side.conventions)]
        reasons = [side.announced for side in departing]
        assert all(reasons), f"{departing} of {self.measure} without a known reason: {self.data}"
        return ", ".join(reasons)

    def with_changes(self, *axes: str) -> Conventions:
        """The first profile with some of the changes."""
        return self.first.conventions.replace(**{axis: self.why.changes[axis][1] for axis in axes})

    def gives_as(self, conventions: Conventions, end: Values) -> bool:
        """Whether conventions give all values of other conventions."""
        answers = answers_of(self.data, self.measure, conventions)
        if not isinstance(answers, Values) or answers.per_query.keys() != end.per_query.keys():
            return False
        pairs = [(answers.mean, end.mean), *((value, end.per_query[q]) for q, value in answers.per_query.items())]
        return all(same(to_float(a), to_float(b), "float64") for a, b in pairs)


def drawn(random: Random) -> Input:
    """Draw two to six queries with ties, unjudged documents, missing and extra queries, and queries without relevant documents."""
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
    installed: Mapping[str, Installation]

    @property
    def names(self) -> list[str]:
        """The names of all variants."""
        subjects = [own.subject(variant) for own in self.installed.values() for variant in own.variants]
        return sorted({subject.name for subject in subjects} - {*LEFT_OUT})

    def sides(self, name: str, drawn: Input, data: RunData, measures: Sequence[Measure]) -> list[Side | None]:
        """Run a library; None for each measure without a number."""
        library, _, variant = name.partition("/")
        sheet = next(own.sheet for own in libraries() if own.name == library)
        variant = variant or next(iter(self.installed[library].variants))
        subject = self.installed[library].subject(variant)
        replies = self.workers[library].observe(variant, drawn.as_json(), [*map(str, measures)], once=True)
        return [
            _side(
                name,
                sheet.precision_of(variant, measure),
                read("", subject, str(measure), replies[str(measure)]),
                data,
                measure,
            )
            for measure in measures
        ]


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
def pairs() -> list[Pair]:
    random, made = Random(SEED), list[Pair]()
    with ExitStack() as stack:
        named = [library for library in libraries() if library.name in LIBRARIES]
        workers = {library.name: stack.enter_context(worker_of(library)) for library in named}
        ran = Libraries(workers, {name: installation(name, worker.hello()) for name, worker in workers.items()})
        while len(made) < PAIRS:
            data, names = drawn(random), random.sample(ran.names, 2)
            measures = [
                measure for measure in MEASURES if all(speaks_of(profile_named(name), measure) for name in names)
            ]
            measures = random.sample(measures, min(len(measures), AT_ONCE))
            whole = collection(data)
            run_data = RunData(whole.qrels, whole.run)
            sides = [ran.sides(name, data, run_data, measures) for name in names if measures]
            for measure, first, second in zip(measures, *sides, strict=True):
                if first is not None and second is not None:
                    why = attribute(run_data, measure, first.conventions, second.conventions)
                    made.append(Pair(whole, measure, first, second, why))
    return made[:PAIRS]


def test_changes_recompute_the_numbers_of_both_libraries(pairs: list[Pair]) -> None:
    explained = [pair for pair in pairs if not pair.announced]
    assert len(explained) >= 0.9 * len(pairs)
    for pair in explained:
        assert pair.first.is_given_by(pair.data, pair.measure, pair.first.conventions)
        assert pair.second.is_given_by(pair.data, pair.measure, pair.with_changes(*pair.why.changes)), pair
    sizes = Counter(len(pair.why.changes) for pair in explained)
    assert {0, 1, 2, 3} <= sizes.keys(), "pairs with no, one, two and three changes are drawn"


def test_no_smaller_set_of_changes_suffices(pairs: list[Pair]) -> None:
    for pair in pairs:
        if pair.why.changes:
            end = answers_of(pair.data, pair.measure, pair.with_changes(*pair.why.changes))
            assert isinstance(end, Values)
            smaller = (some for size in range(len(pair.why.changes)) for some in combinations(pair.why.changes, size))
            assert not any(pair.gives_as(pair.with_changes(*axes), end) for axes in smaller), pair


def test_parts_sum_to_the_difference(pairs: list[Pair]) -> None:
    summed = 0
    for pair in pairs:
        ends = (pair.with_changes(), pair.with_changes(*pair.why.changes))
        answers = [answers_of(pair.data, pair.measure, end) for end in ends]
        means = [own.mean for own in answers if isinstance(own, Values) and own.mean is not None]
        assert [axis for part in pair.why.parts for axis in part.changes] == [*pair.why.changes]
        if len(means) == len(ends):
            adds = [part.adds for part in pair.why.parts if part.adds is not None]
            assert len(adds) == len(pair.why.parts)
            assert sum(adds, Fraction(0)) == means[1] - means[0]
            summed += len(pair.why.parts) > 1
    assert summed > 6, "pairs with several parts are drawn"
