"""What `explain` says of drawn collections, field by field: each claim is derived again, from the data and by the reference alone."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, pairwise, product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from drawn_collections import Chance, Little, chance, drawn

from rankproof.cli.explain import command
from rankproof.evaluate.known_exceptions import computes_in_float32, met_by
from rankproof.evaluate.library_profiles import library_names, profile_named, speaks_of
from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain import compared_profiles
from rankproof.explain.asked_data import AskedData
from rankproof.explain.compared_profiles import makers
from rankproof.explain.explanation import Explanation, Wish, explain, left_open
from rankproof.explain.printed_number import wanted
from rankproof.inference.deciding_axes import possible, values_of
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection, Worth, put_together
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import Profile, profile
from rankproof.reference_impl.ranking import QueryRow, as_float32
from rankproof.reference_impl.ties import value_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.report.explanation_json import as_json

MEASURES = (
    "P@2",
    "AP",
    "nDCG@3",
    "RR",
    "R@2",
    "NumRelRet",
    "AP(rel=2)",
    "P(rel=2)@2",
    "Judged@3",
    "Success@1",
    "nDCG(dcg='exp-log2')@2",
    "F@4",
    "ERR@3",
)
SPECS = (
    "ties=input",
    "ties=docid-asc",
    "ties=expectation",
    "score=f32",
    "order=input",
    "order=rank",
    "gain=exp",
    "unjudged=removed",
    "missing=dropped",
    "missing=nan",
    "norel=1",
    "norel=dropped",
    "extra=measured",
    "mean=geometric",
    "relevant=above-zero",
    "ties=docid-asc missing=dropped",
    "unjudged=removed norel=nan",
    "score=f32 ties=input gain=exp",
    "run_duplicates=first missing=dropped",
    "ties=worst relevant=non-zero extra=measured norel=dropped",
    "grades=binary",
    "empty=missing ties=best",
    "discount=jk-2 ideal=retrieved",
    "missing=nan norel=nan gain=exp",
    "norel=nan missing=nan extra=measured ties=input mean=geometric",
    "norel=nan missing=dropped unjudged=removed",
    "trec_eval-9",
    "sklearn/appended",
    "ranx",
    "pytrec_eval norel=nan",
)
Standing = tuple[float | str, float | str]
Step = tuple[dict[str, list[str]], float | str]
Ranked = tuple[str, int, int]
"""A doc, with the first and the last rank that it can have."""


# -- the model: the reference asked of all queries at once ---------------------------------------------------------------


class Model:
    """What the reference says of a collection."""

    def __init__(self, world: Little, measure: Measure) -> None:
        self.collection, self.measure, self.queries = Collection(world.qrels, world.run), measure, world.queries
        self._known: dict[Conventions, dict[str, Worth] | None] = {}

    def worths(self, conventions: Conventions) -> dict[str, Worth] | None:
        """What each query is worth; None where the input is refused, or cannot be measured."""
        if conventions not in self._known:
            try:
                self._known[conventions] = self.collection.worths(self.measure, conventions)
                self._mean(conventions)
            except Unusable:
                self._known[conventions] = None
        return self._known[conventions]

    def _mean(self, conventions: Conventions) -> Fraction | None:
        return put_together(self.measure, self._known[conventions] or {}, conventions).mean

    def mean(self, conventions: Conventions) -> Fraction | None:
        """The mean, where there is one."""
        return None if self.worths(conventions) is None else self._mean(conventions)

    def told(self, conventions: Conventions) -> float | str | None:
        """The mean as JSON has it."""
        return None if self.worths(conventions) is None else number(self._mean(conventions))

    def standing(self, conventions: Conventions, query: str) -> Standing | None:
        """What is told of a query, and what of it is counted."""
        worths = self.worths(conventions)
        if worths is None:
            return None
        one = worths.get(query, Worth(None, None, is_told=False, is_counted=False))
        sides = ((one.told, one.is_told), (one.counted, one.is_counted))
        told, counted = (number(None if v is None else value_of(v)) if there else "absent" for v, there in sides)
        return told, counted

    def counted(self, conventions: Conventions, query: str) -> float | str | None:
        """What of a query enters the mean."""
        standing = self.standing(conventions, query)
        return None if standing is None else standing[1]

    def count_alike(self, one: Conventions, other: Conventions) -> bool:
        """Whether the same of each query enters the means."""
        return all(near(self.counted(one, query), self.counted(other, query)) for query in self.queries)

    def moved(self, one: Conventions, other: Conventions) -> list[str]:
        """The queries of which two conventions say something else."""
        return [q for q in self.queries if not alike(self.standing(one, q), self.standing(other, q))]


def number(value: Fraction | None) -> float | str:
    """A value as JSON has it."""
    found = to_float(value)
    return "nan" if math.isnan(found) else found


def near(a: float | str | None, b: float | str | None) -> bool:
    """Whether two numbers are one, or two words."""
    if isinstance(a, float | int) and isinstance(b, float | int):
        return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-14)
    return a == b


def alike(a: Standing | None, b: Standing | None) -> bool:
    """Whether two standings are one."""
    return a is b if a is None or b is None else all(map(near, a, b))


def together(before: Conventions, changes: Mapping[str, Any], axes: Iterable[str]) -> Conventions:
    """Some of the changes made."""
    return before.replace(**{axis: changes[axis][1] for axis in axes})


def between(one: Conventions, other: Conventions) -> dict[str, list[str]]:
    """The axes on which they differ, in the order of the axes."""
    return {a: [getattr(one, a), getattr(other, a)] for a in AXES if getattr(one, a) != getattr(other, a)}


def assert_why(model: Model, before: Conventions, after: Conventions, told: Mapping[str, Any]) -> None:
    """The set of changes gives the other values, no smaller set does, and its parts sum to the difference."""
    if None in (model.worths(before), model.worths(after)):
        assert (told["changes"], told["parts"]) == ({}, [])
        return
    changes, differences = told["changes"], between(before, after)
    assert all(differences[axis][1] == pair[1] for axis, pair in changes.items())
    assert give_alike(model, together(before, changes, changes), after)
    smaller = (axes for size in range(len(changes)) for axes in combinations(differences, size))
    assert not any(give_alike(model, together(before, differences, axes), after) for axes in smaller)
    assert [axis for part in told["parts"] for axis in part["changes"]] == [*changes], "in the order of the axes"
    means, made = [model.mean(before), model.mean(after)], before
    for part in told["parts"]:
        changed = together(made, changes, part["changes"])
        assert part["queries"] == model.moved(made, changed)
        if None not in means:
            assert near(part["adds"], number((model.mean(changed) or Fraction(0)) - (model.mean(made) or Fraction(0))))
        made = changed
    if None not in means:
        assert math.isclose(sum(part["adds"] for part in told["parts"]), number(means[1] - means[0]), abs_tol=1e-12)


def profiles_of(names: Sequence[str], measure: Measure) -> dict[str, Conventions]:
    """Those that are compared."""
    all_of = names if len(names) > 1 else ["standard", *names]
    return {name: profile_named(name).conventions(measure) for name in all_of}


def assert_profiles(model: Model, names: Sequence[str], told: Sequence[Mapping[str, Any]]) -> None:
    """Each profile is told once, with its own mean and the reasons for it."""
    own = profiles_of(names, model.measure)
    assert sorted(name for one in told for name in one["names"]) == sorted(own)
    firsts = [next(iter(one["names"])) for one in told]
    assert firsts == [name for name in own if name in firsts], "in the order in which they were named"
    for one in told:
        assert one["names"] == [name for name in own if name in one["names"]]
        taken = profile(one["conventions"])
        for name in one["names"]:
            assert near(one["mean"], model.told(own[name])), name
            assert alike_by_query(model, own[name], taken)
        assert ("reason" in one) == (one["mean"] is None)
        assert bool(one.get("reason", "-"))
        if one is told[0]:
            assert (one["changes"], one["parts"]) == ({}, [])
        else:
            assert_why(model, own[firsts[0]], own[one["names"][0]], one)


def alike_by_query(model: Model, one: Conventions, other: Conventions) -> bool:
    """Whether all queries are told alike."""
    a, b = model.worths(one), model.worths(other)
    if a is None or b is None:
        return a is b
    first, second = (put_together(model.measure, w, c).per_query for w, c in ((a, one), (b, other)))
    return first.keys() == second.keys() and all(near(number(v), number(second[q])) for q, v in first.items())


def give_alike(model: Model, one: Conventions, other: Conventions) -> bool:
    """Whether all queries are told alike, and so is the mean."""
    return near(model.told(one), model.told(other)) and alike_by_query(model, one, other)


# -- ties, what each change does, and what the data has -------------------------------------------------------------------


def assert_ties(model: Model, world: Little, told: Mapping[str, Any]) -> None:
    """What the order of tied docs does."""
    k = model.measure.k
    scores = {q: sorted((row.score for row in world.run.get(q, ())), reverse=True) for q in world.queries}
    tied = [q for q, own in scores.items() if any(a == b for a, b in pairwise(own))]
    assert told["tied"] == tied
    across = [q for q in tied if k is not None and len(scores[q]) > k and scores[q][k - 1] == scores[q][k]]
    assert told["across_the_cutoff"] == across
    assert told["as_float32_only"] == [q for q, own in scores.items() if len(set(map(as_float32, own))) < len(set(own))]
    ends = {end: STANDARD.replace(ties=end) for end in ("worst", "expectation", "best")} if tied else {}
    means = {end: model.told(own) for end, own in ends.items()}
    assert {end: one["mean"] for end, one in told["means"].items()} == pytest.approx(means)
    assert list(told["means"]) == list(ends)
    if not tied:
        assert told["moved"] == []
    elif None in map(model.worths, ends.values()):
        assert told["moved"] is None
    else:
        assert told["moved"] == model.moved(ends["worst"], ends["best"])


def assert_effects(model: Model, told: Sequence[Mapping[str, Any]], *, has_ranks: bool) -> None:
    """What each single change of standard does, of all that there are."""
    every = [
        (axis, value)
        for axis in AXES
        for value in values_of(axis)
        if value not in {"rejected", AXES[axis].default} and possible(model.measure, axis, value)
        if has_ranks or (axis, value) != ("order", "rank")
    ]
    listed = {(one["axis"], one["value"]): one for one in told}
    assert list(listed) == [choice for choice in every if choice in listed]
    assert len(listed) == len(told)
    is_refused = model.worths(STANDARD) is None
    for (axis, value), one in listed.items():
        changed = STANDARD.replace(**{axis: value})
        assert near(one["mean"], model.told(changed)), (axis, value)
        moved = [] if is_refused or model.worths(changed) is None else model.moved(STANDARD, changed)
        assert one["moved"] == moved, (axis, value)
    known = [STANDARD, *(STANDARD.replace(**{axis: value}) for axis, value in listed)]
    for axis, value in every:
        if (axis, value) not in listed:
            changed = STANDARD.replace(**{axis: value})
            is_told = any(give_alike(model, changed, one) for one in known)
            assert is_told, f"{axis}={value} moves something and is not told"


def facts_of(world: Little, measure: Measure, first: Conventions) -> dict[str, dict[str, int]]:
    """How many there are of each thing in each query."""
    found: dict[str, dict[str, int]] = {}
    for query in world.queries:
        rows, judgments = world.run.get(query, ()), world.qrels.get(query, ())
        docs, scores, rels = [row.doc for row in rows], [row.score for row in rows], [one.rel for one in judgments]
        judged, k = {one.doc for one in judgments}, measure.k
        by_rank = [row.score for row in sorted(rows, key=lambda row: row.rank)]
        falls = [sum(a < b for a, b in pairwise(own)) for own in (scores, by_rank)]
        # Of tied docs whose order is not named, each may stand within the cutoff.
        top = docs if k is None else [doc for doc, start, _ in ranked(rows, first) if start <= k]
        counts = {
            "judged query that the run does not have": int(query in world.qrels and not rows),
            "query of the run without judgments": int(bool(rows) and not judgments),
            "query without relevant docs (rel 1 or more)": int(bool(rels) and not any(rel >= 1 for rel in rels)),
            "doc judged twice": len(rels) - len(judged),
            "doc retrieved twice": len(docs) - len(set(docs)),
            "rel below 0": len([rel for rel in rels if rel < 0]),
            "rel above 1": len([rel for rel in rels if rel > 1]),
            "rel with a fraction": len([rel for rel in rels if rel % 1]),
            "doc with the score of another": len(scores) - len(set(scores)),
            "score that is another's as float32 only": len(set(scores)) - len({as_float32(score) for score in scores}),
            "score of 0 or less": len([score for score in scores if score <= 0]),
            "row below one of a lower score": falls[0],
            "rank below that of a lower score": falls[1],
            "query of which no retrieved doc is judged": int(bool(rows) and bool(judged) and not judged & {*docs}),
            "ranking shorter than the cutoff": int(bool(rows) and k is not None and len(rows) < k),
            "doc retrieved without a judgment" if k is None else f"doc within rank {k} without a judgment": len(
                [doc for doc in top if doc not in judged]
            ),
        }
        for what, count in counts.items():
            if count:
                found.setdefault(what, {})[query] = count
    return found


def ranked(rows: Sequence[QueryRow], own: Conventions) -> list[Ranked]:
    """The docs by some conventions."""
    if own.run_duplicates == "first":
        rows = [row for i, row in enumerate(rows) if row.doc not in {other.doc for other in rows[:i]}]
    rows = [row for row in rows if own.score_sign != "positive" or row.score > 0]
    if own.order != "score":
        lined = sorted(rows, key=lambda row: row.rank) if own.order == "rank" else list(rows)
        return [(row.doc, place, place) for place, row in enumerate(lined, start=1)]
    scored = [(-as_float32(row.score) if own.score == "f32" else -row.score, row.doc) for row in rows]
    if "docid" in own.ties:
        scored.sort(key=lambda one: one[1].encode(), reverse=own.ties == "docid-desc")
    lined_up = sorted(scored[::-1] if own.ties == "input-reversed" else scored, key=lambda one: one[0])
    if own.ties in {"docid-desc", "docid-asc", "input", "input-reversed", UNSPECIFIED}:
        return [(doc, place, place) for place, (_, doc) in enumerate(lined_up, start=1)]
    first = [sum(other < score for other, _ in scored) + 1 for score, _ in lined_up]
    last = [sum(other <= score for other, _ in scored) for score, _ in lined_up]
    return [(doc, a, b) for (_, doc), a, b in zip(lined_up, first, last, strict=True)]


# -- all of it ---------------------------------------------------------------------------------------------------------------


@cache
def asked(seed: int) -> tuple[Little, Measure, list[str], Explanation]:
    """A collection, a measure, who is compared, and what is said."""
    c, has_ranks = chance(("asked", seed)), seed % 3 > 0
    world, measure = drawn(seed), parse(MEASURES[seed % len(MEASURES)])
    lenient = " run_duplicates=first qrels_duplicates=last" if world.has_twice and c.random() < 0.8 else ""
    names = [f"{one}{lenient}" for one in c.sample(SPECS, c.randint(1, 4)) if speaks_of(profile_named(one), measure)]
    names = [*[f"ties=expectation{lenient}"] * (c.random() < 0.5), *(names or [f"ties=input{lenient}"])]
    names = list(dict.fromkeys(name for name in names if has_ranks or "order=rank" not in name)) or ["standard"]
    data = AskedData(world.qrels, world.run, has_ranks=has_ranks)
    for other in ("P(rel=2)@2", str(measure)):  # what was asked of the same data before changes nothing
        found = explain("mine", data, parse(other), Wish(tuple(names)))
    return world, measure, names, found


@pytest.mark.parametrize("seed", range(18))
def test_all_that_is_said_of_a_collection_is_so(seed: int) -> None:
    world, measure, names, found = asked(seed)
    model, told = Model(world, measure), as_json(found)
    assert (told["run"], told["measure"], told["queries"]) == ("mine", str(measure), len(world.queries))
    assert_profiles(model, names, told["profiles"])
    assert_ties(model, world, told["ties"])
    assert_effects(model, told["changes_of_standard"], has_ranks=seed % 3 > 0)
    first = measure.conventions(profile(told["profiles"][0]["conventions"]))
    counted = facts_of(world, measure, first)
    if seed % 3 == 0:
        counted.pop("rank below that of a lower score", None)
    found = {one["what"]: (one["queries"], one["count"]) for one in told["data"]}
    assert found == {what: (list(of), sum(of.values())) for what, of in counted.items()}


# -- the ranks of a query ------------------------------------------------------------------------------------------------


RANKED = (
    "ties=input",
    "ties=docid-asc",
    "ties=input-reversed",
    "ties=expectation",
    "ties=worst score=f32",
    "score=f32",
    "order=rank",
    "order=input",
    "score_sign=positive",
    "ties=unspecified",
)


def merged(ranks: Sequence[Ranked]) -> list[Ranked]:
    """The same, a doc that stands twice having all the ranks between."""
    docs = {doc for doc, _, _ in ranks}
    return [(doc, min(a for d, a, _ in ranks if d == doc), max(b for d, _, b in ranks if d == doc)) for doc in docs]


@pytest.mark.parametrize("seed", range(30))
def test_the_ranks_of_a_query_are_those_by_which_it_is_measured(seed: int) -> None:
    c, world = chance(("ranks", seed)), drawn(("ranks", seed), docs=11)
    measure, query = parse(c.choice(["P@1", "P@3", "AP", "nDCG@40"])), c.choice(world.queries)
    twice = f" run_duplicates={c.choice(['first', 'both'])} qrels_duplicates=last"
    lenient = twice * (world.has_twice and c.random() < 0.8)
    names = [f"{one}{lenient}" for one in c.sample(RANKED, c.randint(2, 7))]
    told = as_json(explain("mine", AskedData(world.qrels, world.run), measure, Wish(tuple(names), query=query)))
    one, model = told["side_by_side"], Model(world, measure)
    rows, depth = world.run.get(query, ()), measure.k or 10
    assert (one["query"], one["depth"]) == (query, depth)
    rels = dict(reversed(judged := world.qrels.get(query, ())))
    known: list[list[Ranked]] = []
    for said, saying in zip(one["profiles"], told["profiles"], strict=True):
        own = profile(said["names"][0])
        assert said["names"] == saying["names"]
        is_refused = own.run_duplicates == "rejected" and len({row.doc for row in rows}) < len(rows)
        is_refused |= own.qrels_duplicates == "rejected" and len(rels) < len(judged)
        standing = model.standing(own, query)
        assert standing is None or near(said["value"], standing[0])
        ranking = None if is_refused else sorted(merged(ranked(rows, own)))
        known += [ranking] if ranking is not None and ranking not in known else []
        assert said["ranking"] == (None if ranking is None else known.index(ranking))
    places = [{doc: [first, last] for doc, first, last in ranking} for ranking in known]
    shown = {
        doc
        for doc in {row.doc for row in rows}
        for own in [[place.get(doc) for place in places]]
        if any(each and each[0] <= depth for each in own) or any(each != own[0] for each in own)
    }
    assert (sorted(doc["doc"] for doc in one["docs"]), one["left_out"]) == (sorted(shown), 0)
    scores = {row.doc: row.score for row in reversed(rows)}
    groups = sorted((s for s, n in Counter(scores.values()).items() if n > 1), reverse=True)
    keys = []
    for doc in one["docs"]:
        assert doc["ranks"] == [place.get(doc["doc"]) for place in places]
        score = scores[doc["doc"]]
        assert (doc["rel"], doc["score"]) == (rels.get(doc["doc"]), score)
        assert doc["tied"] == (groups.index(score) + 1 if score in groups else 0)
        within_it = any(each and each[0] <= depth for each in doc["ranks"])
        keys.append((not within_it, [each or [len(scores) + 1] * 2 for each in doc["ranks"]]))
    assert keys == sorted(keys), "the best first"


@pytest.mark.parametrize("seed", range(12))
def test_where_no_query_is_named_the_ranks_are_those_of_the_one_that_differs_most(seed: int) -> None:
    c, world, measure = chance(("most", seed)), drawn(("most", seed), docs=9), parse("nDCG@3")
    specs = ("gain=exp", "ideal=retrieved", "discount=rank", "unjudged=removed", "order=input", "ties=worst")
    names = [f"{one} run_duplicates=first qrels_duplicates=last" for one in c.sample(specs, 4)]
    told = as_json(explain("mine", AskedData(world.qrels, world.run), measure, Wish(tuple(names), of_most=True)))
    assert_of_most(Model(world, measure), list(map(profile, names)), told)


def assert_of_most(model: Model, given: Sequence[Conventions], told: Mapping[str, Any]) -> None:
    """The ranks are of the query of which one of these gives what is furthest from what the first gives, if any differs."""
    each = [{q: own[0] for q in model.queries if (own := model.standing(one, q)) is not None} for one in given] or [{}]
    first, *others = [{q: value for q, value in own.items() if isinstance(value, float)} for own in each]
    apart = {q: max((abs(a - own[q]) for own in others if q in own), default=0.0) for q, a in first.items()}
    most = max(apart.values(), default=0.0)
    assert most == 0 or math.isclose(apart[told["side_by_side"]["query"]], most)


@pytest.mark.parametrize("seed", range(7))
def test_what_is_open_is_what_can_move_the_answer(seed: int) -> None:
    c, world = chance(("open", seed)), drawn(("open", seed), docs=4)
    measure = parse(("P@2", "AP", "nDCG@3", "R@2")[seed % 4])
    names = [name for name in c.sample(library_names(), 40) if speaks_of(profile_named(name), measure)]
    names = [*[name for name in names if sets_of(profile_named(name), measure) <= 12][:4], "gain=exp"]
    found = explain("mine", AskedData(world.qrels, world.run), measure, Wish(tuple(names), of_most=True))
    told, model = as_json(found), Model(world, measure)
    assert_profiles(model, names, told["profiles"])
    libraries = [name for one in told["profiles"] for name in one["names"] if name in library_names()]
    still = {name: axes for one in told["profiles"] for name, axes in one["undetermined"].items()}
    of_no_order = (one["names"] for one in told["profiles"] if profile(one["conventions"]).ties == UNSPECIFIED)
    unordered = [*chain.from_iterable(of_no_order)] if told["ties"]["moved"] != [] else []
    assert list(left_open(found)) == [name for name in libraries if name in still or name in unordered]
    for name in libraries:
        own = profile_named(name)
        base = own.conventions(measure)
        values = {
            axis: [v for v in left or values_of(axis) if left or (possible(measure, axis, v) and v != "rejected")]
            for axis, left in own.undecided(measure).items()
        }
        moving = {axis: getattr(base, axis) for axis in values if moves(model, base, axis, values)}
        assert still.get(name, {}) == moving, name
    assert_of_most(model, [profile(one["conventions"]) for one in told["profiles"] if one["mean"] is not None], told)


def sets_of(own: Profile, measure: Measure) -> int:
    """In how many ways the axes that a profile leaves open can be chosen."""
    return math.prod(len(left or values_of(axis)) for axis, left in own.undecided(measure).items())


def moves(model: Model, base: Conventions, axis: str, values: Mapping[str, Sequence[str]]) -> bool:
    """Whether the answer depends on an axis, whatever the others that are open may be."""
    others = [[(other, value) for value in of] for other, of in values.items() if other != axis]
    for chosen in product(*others):
        own = base.replace(**dict(chosen))
        first, *rest = [own.replace(**{axis: value}) for value in dict.fromkeys([getattr(base, axis), *values[axis]])]
        if not all(give_alike(model, first, one) for one in rest):
            return True
    return False


# -- which runs change places --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_two_runs_change_places_where_the_order_of_tied_docs_puts_either_ahead(seed: int, tmp_path: Path) -> None:
    c, measures = chance(("places", seed)), ["P@2", "AP"]
    worlds = [drawn(("places", seed, i), odd=False, docs=5) for i in range(3)]
    rows = [dict(zip(worlds[0].qrels, world.run.values(), strict=False)) for world in worlds]
    names = c.sample(["z", "b", "m"], 3)
    runs = {name: Little(worlds[0].qrels, own, has_twice=False) for name, own in zip(names, rows, strict=True)}
    files = [str(world.written(tmp_path, name)[1]) for name, world in runs.items()]
    args = [str(tmp_path / "qrels"), *files, *measures, "--as", "standard", "--json"]
    told = json.loads(CliRunner().invoke(command, args, catch_exceptions=False).stdout)
    assert [(one["measure"], one["run"]) for one in told["explained"]] == [(m, name) for m in measures for name in runs]
    for written in measures:
        ends = {}
        for name, world in runs.items():
            model = Model(world, parse(written))
            is_tied = any(len({r.score for r in rows}) < len(rows) for rows in world.run.values())
            ties = ("worst", "best") if is_tied else (STANDARD.ties, STANDARD.ties)
            ends[name] = [model.mean(STANDARD.replace(ties=end)) or Fraction(0) for end in ties]
        pairs = [[a, b] for a, b in combinations(runs, 2) if ends[a][0] < ends[b][1] and ends[b][0] < ends[a][1]]
        assert told["may_change_places"][written] == pairs


# -- what gives a number ------------------------------------------------------------------------------------------------


Known = dict[str, list[str]]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Known:
    """The libraries and the tools that are known: those that a test draws."""
    known: Known = {"libraries": [], "read": []}
    monkeypatch.setattr(compared_profiles, "library_names", lambda: known["libraries"])
    monkeypatch.setattr(compared_profiles, "read_ways", lambda: {name: read_ways()[name] for name in known["read"]})
    return known


def printed(value: Fraction, c: Chance) -> str:
    """A number as somebody prints it."""
    return f"{float(value):.{c.choice([2, 3, 4, 4, 6])}f}" if c.random() < 0.9 else repr(float(value))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_said_to_give_a_number_gives_it(seed: int, few: Known) -> None:
    c, world = chance(("value", seed)), drawn(("value", seed), docs=5)
    firsts = [dict(list(side.items())[:4]) for side in (world.qrels, world.run)]
    world = drawn(0) if world.has_twice else Little(*firsts, has_twice=False)
    measure = parse(c.choice(["P@2", "AP", "nDCG@3", "RR@3", "R@3"]))
    few["libraries"], few["read"] = c.sample(library_names(), 8), c.sample(list(read_ways()), 4)
    asked_of, model = who_speak_of(measure, few), Model(world, measure)
    sources = [*asked_of.values(), *map(profile, ("missing=dropped", "gain=exp ties=best", "standard"))]
    means = [mean for one in c.sample(sources, min(3, len(sources))) if (mean := model.mean(one)) is not None][:2]
    texts = list(dict.fromkeys(printed(mean, c) for mean in means)) or ["0.4142"]
    told = as_json(explain("mine", AskedData(world.qrels, world.run), measure, Wish((), tuple(map(wanted, texts)))))
    assert [one["value"] for one in told["values"]] == texts
    departing = {one["name"] for one in told["known_exceptions"]}
    known = {"standard": STANDARD, **{name: own for name, own in asked_of.items() if name not in departing}}
    for one in told["values"]:
        assert_value(model, one, known, few)
    for one in told["between"]:
        adds = [part["adds"] for part in one["parts"]]
        texts = [float(text) for text in one["values"]]
        assert (
            one["by_the_order_of_tied_docs"]
            or None in adds
            or math.isclose(sum(adds), texts[1] - texts[0], abs_tol=0.02)
        )


def who_speak_of(measure: Measure, few: Known) -> dict[str, Conventions]:
    """The conventions of the libraries and the tools that are known and have the measure."""
    each = {name: profile_named(name) for name in few["libraries"]} | {name: read_ways()[name] for name in few["read"]}
    return {name: own.conventions(measure) for name, own in each.items() if speaks_of(own, measure)}


def fits(mean: Fraction | None, text: str) -> bool:
    """Whether a mean is printed so."""
    return mean is not None and wanted(text).fits(mean)


def assert_value(model: Model, one: Mapping[str, Any], known: Mapping[str, Conventions], few: Known) -> None:
    """What is said to give a number gives it, is as little as can be, and nobody who gives it is left out."""
    text, measure = one["value"], model.measure
    has_gain = "gain" in measure.definition.arguments(STANDARD, {}) or measure.name == "nDCG"
    flags = {"grades": "any", **({"gain": "binary"} if has_gain else {})}
    for found in one["found"]:
        own = profile(found["conventions"])
        assert near(found["mean"], model.told(own))
        after = {axis: pair[1] for axis, pair in found["changes"].items()}
        parted = [whole.partition(" of rels made") for whole in found["profiles"]]
        bases = [known[name].replace(**(flags if of_flags else {})) for name, of_flags, _ in parted]
        for name, base in zip(found["profiles"], bases, strict=True):
            changed = base.replace(**after)
            assert near(model.told(changed), found["mean"]), name
            assert model.count_alike(changed, own), name
        if found["ends"] is None:
            assert fits(model.mean(own), text) or wanted(text).fits_single(model.mean(own))
            for axes in chain.from_iterable(combinations(after, size) for size in range(len(after))):
                smaller = bases[0].replace(**{axis: after[axis] for axis in axes})
                assert not fits(model.mean(smaller), text), "a smaller set gives it"
        else:
            assert own.ties == UNSPECIFIED
            least, most = found["ends"]
            ends = [number(model.mean(own.replace(ties=end))) for end in ("worst", "best")]
            assert [least, most] == pytest.approx(ends)
            off = 1e-6 + float(wanted(text).within)
            assert least - off <= float(text) <= most + off
        is_habit = len(after) == 1 and all(makers(measure, axis, value).anywhere for axis, value in after.items())
        unchanged = "within-ties" if found["ends"] else "as-it-is"
        changed = "several" if len(after) > 1 else "one-habit" if is_habit else "one-change"
        assert found["kind"] == (changed if after else unchanged)
        assert found["exact"] == (found["ends"] is None and wanted(text).is_exactly(model.mean(own) or Fraction(0)))
    given = [own for own in known.values() if own.ties != UNSPECIFIED and fits(model.mean(own), text)]
    named = [profile(found["conventions"]) for found in one["found"]]
    for own in given:
        assert any(model.count_alike(own, other) for other in named), "a library that gives it unchanged is left out"
    if not one["found"]:
        away = [abs(near_by["mean"] - float(text)) for near_by in one["nearest"]]
        assert away == sorted(away)
        means = [float(mean) for own in known.values() if (mean := model.mean(own)) is not None]
        assert all(abs(mean - float(text)) >= away[0] - 1e-12 for mean in means)
    else:
        assert (one["nearest"], one["defects"], one["defects_tried"]) == ([], [], [])
    assert one["not_tried"] == []
    if any(found["kind"] == "as-it-is" for found in one["found"]) or model.measure.k is None:
        assert one["uncut"] == []
    else:
        assert_uncut(model.collection, cut_at(model.measure, None), one, few)


def assert_uncut(collection: Collection, whole: Measure, one: Mapping[str, Any], few: Known) -> None:
    """Who is said to give a number without the cutoff does, and nobody else."""
    text, uncut = one["value"], {"standard": STANDARD, **who_speak_of(whole, few)}
    of_whole = Model(Little(collection.qrels, collection.run, has_twice=False), whole)
    data = AskedData(collection.qrels, collection.run)
    departing = {met.name for met in met_by(data, whole, uncut)}
    ordered = {name: own for name, own in uncut.items() if own.ties != UNSPECIFIED and name not in departing}
    giving = set()
    for name, own in ordered.items():
        mean, is_single = of_whole.mean(own), computes_in_float32(name, whole)
        giving |= {name} if fits(mean, text) or (is_single and wanted(text).fits_single(mean)) else set()
    if not any(of_whole.worths(uncut[name]) is None for name in departing):
        assert {*one["uncut"]} == giving
