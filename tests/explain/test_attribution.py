"""The smallest set of changes between two profiles: by hand, and for pairs of libraries that computed the numbers."""

from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
import random_collections
from explained_data import GRADED

from rankproof.cases.inputs import Input
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import profile_named, speaks_of
from rankproof.explain.attribution import Attribution, attribute
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Answers, Values, collection, outcome_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import Profile, profile
from rankproof.workers.known_libraries import libraries
from rankproof.workers.library_worker import Worker, worker_of
from rankproof.workers.observations import ABSENT, Answered, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject


def test_change_without_effect_is_one_part_with_the_next() -> None:
    """Known judgments alone do not change an ideal ranking of retrieved documents, as in CatBoost."""
    why = attribute(GRADED, parse("nDCG@10"), profile("known=retrieved ideal=retrieved"), STANDARD)
    assert [[*part.changes] for part in why.parts] == [["known", "ideal"]]
    assert why.parts[0].queries == ("1", "2")


def test_largest_difference_is_that_of_the_query_that_changes_most() -> None:
    """Query 1 falls from 5/6 to 5/9. Query 2, the last that differs, falls by less."""
    why = attribute(GRADED, parse("AP"), profile("ap_denominator=hits"), STANDARD)
    assert why.largest == ("1", pytest.approx(5 / 6), pytest.approx(5 / 9)), "the largest fall is that of query 1"


# -- pairs of libraries ----------------------------------------------------------------------------------------------------

PAIRS, SEED = 60, 64
WRITTEN = "P@3 R@3 R@5 AP AP@5 nDCG nDCG@3 nDCG@10 RR RR@5 Success@3 DCG@5 ERR@5 RBP(p=0.8) Bpref Rprec"
MEASURES = [parse(written) for written in WRITTEN.split()]
NAMES = ("catboost", "pytrec_eval", "sklearn/appended", "sklearn/rows")
SHEETS = {library.name: library.sheet for library in libraries()}
AT_ONCE = 2
"""Number of measures for two libraries and one run."""


@dataclass(frozen=True)
class Side:
    """The numbers that a library computed, and the conventions of its profile."""

    answer: Answered
    precision: str
    conventions: Conventions


@dataclass(frozen=True)
class Pair:
    """Two libraries with numbers for one measure of one run, and the changes that turn one profile into the other."""

    data: Collection
    measure: Measure
    first: Side
    second: Side
    why: Attribution
    meets_exceptions: bool

    def with_changes(self, *axes: str) -> Conventions:
        """Return the first profile with some of the changes."""
        return self.first.conventions.replace(**{axis: self.why.changes[axis][1] for axis in axes})

    @property
    def follows_its_profiles(self) -> bool:
        """Whether both libraries gave the numbers of their profiles."""
        return all(self.gives(side.conventions, side) for side in (self.first, self.second))

    def answers(self, conventions: Conventions) -> Answers:
        """Return the values of the reference."""
        return outcome_of(lambda: self.data.answer(self.measure, conventions))

    def gives(self, conventions: Conventions, side: Side) -> bool:
        """Return whether the reference gives every number that a library computed."""
        answers = self.answers(conventions)
        if not isinstance(answers, Values):
            return False
        expected = {query: to_float(value) for query, value in answers.per_query.items()}
        numbers = side.answer.per_query or {}
        pairs = [
            (numbers.get(q, ABSENT), expected.get(q, ABSENT)) for q in (*self.data.qrels, *self.data.run) if numbers
        ]
        pairs += [] if side.answer.mean is None else [(side.answer.mean, to_float(answers.mean))]
        return all(same(number, value, side.precision) for number, value in pairs)


def drawn(random: Random) -> Input:
    """Draw a collection with ties, and often with a query that the run lacks and another without judgments."""
    little = random_collections.drawn(random.random(), odd=False, docs=5)
    missing, extra = (random.choice((query, "")) for query in little.queries[:2])
    qrels = tuple((query, doc, rel) for query, rows in little.qrels.items() if query != extra for doc, rel in rows)
    return Input(qrels, tuple((query, *row) for query, rows in little.run.items() if query != missing for row in rows))


def side_of(name: str, worker: Worker, own: Profile, data: Input, measure: Measure) -> Side | None:
    """Run a library; return None if it has no number."""
    library, _, named = name.partition("/")
    variant = named or "default"
    reply = worker.observe(variant, data.as_json(), [str(measure)], once=True)[str(measure)]
    answer = read("", Subject(library, variant), str(measure), reply).answer
    if not isinstance(answer, Answered) or (answer.mean is None and not answer.per_query):
        return None
    return Side(answer, SHEETS[library].precision_of(variant, measure), own.conventions(measure))


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    random, made = Random(SEED), list[Pair]()
    profiles = {name: profile_named(name) for name in NAMES}
    used = {library.name: library for library in libraries() if library.name in {n.partition("/")[0] for n in NAMES}}
    with ExitStack() as stack:
        workers = {name: stack.enter_context(worker_of(library)) for name, library in used.items()}
        while len(made) < PAIRS:
            data, names = drawn(random), random.sample(NAMES, 2)
            common = [measure for measure in MEASURES if all(speaks_of(profiles[name], measure) for name in names)]
            whole = collection(data)
            run_data = RunData(whole.qrels, whole.run)
            for measure in random.sample(common, min(len(common), AT_ONCE)):
                first, second = (side_of(n, workers[n.partition("/")[0]], profiles[n], data, measure) for n in names)
                if first is not None and second is not None:
                    why = attribute(run_data, measure, first.conventions, second.conventions)
                    made.append(Pair(whole, measure, first, second, why, bool(met_by(run_data, measure, names))))
    return made


def test_changes_recompute_the_numbers_of_both_libraries(pairs: list[Pair]) -> None:
    explained = [pair for pair in pairs if pair.follows_its_profiles]
    assert all(pair.meets_exceptions for pair in pairs if not pair.follows_its_profiles)
    assert len(explained) >= 0.9 * len(pairs)
    for pair in explained:
        assert pair.gives(pair.first.conventions, pair.first), pair
        assert pair.gives(pair.with_changes(*pair.why.changes), pair.second), pair
    sizes = {len(pair.why.changes) for pair in explained}
    assert {0, 1, 2, 3} <= sizes, "pairs with no, one, two and three changes are drawn"


def test_no_smaller_set_of_changes_suffices(pairs: list[Pair]) -> None:
    for pair in pairs:
        end = pair.answers(pair.with_changes(*pair.why.changes))
        smaller = (some for size in range(len(pair.why.changes)) for some in combinations(pair.why.changes, size))
        for axes in smaller:
            answers = pair.answers(pair.with_changes(*axes))
            assert not (isinstance(answers, Values) and isinstance(end, Values) and equal(answers, end)), (axes, pair)


def equal(first: Values, second: Values) -> bool:
    """Return whether two results have the same queries, values and mean."""
    if first.per_query.keys() != second.per_query.keys():
        return False
    pairs = [(first.mean, second.mean), *((value, second.per_query[query]) for query, value in first.per_query.items())]
    return all(same(to_float(a), to_float(b), "float64") for a, b in pairs)


def test_parts_sum_to_the_difference(pairs: list[Pair]) -> None:
    summed = 0
    for pair in pairs:
        answers = [pair.answers(end) for end in (pair.with_changes(), pair.with_changes(*pair.why.changes))]
        means = [own.mean for own in answers if isinstance(own, Values) and own.mean is not None]
        assert [axis for part in pair.why.parts for axis in part.changes] == [*pair.why.changes]
        if len(means) == len(answers):
            adds = [part.adds for part in pair.why.parts if part.adds is not None]
            assert len(adds) == len(pair.why.parts)
            assert sum(adds, Fraction(0)) == means[1] - means[0]
            summed += len(pair.why.parts) > 1
    assert summed > 6, "pairs with several parts are drawn"
