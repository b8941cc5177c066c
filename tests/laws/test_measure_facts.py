"""Facts that a measure declares in its `Definition`: true for all queries of the corpus, and every wrong fact is noticed."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.inference.deciding_axes import values_of
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.contingency import Contingency, Degenerate
from rankproof.reference_impl.conventions import STANDARD, parse_conventions
from rankproof.reference_impl.definition import EVERYTHING, Definition, Ratio, Read, Undefined, reads
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.measures.cumulated_gain import gain_of
from rankproof.reference_impl.ranking import Doc, Judged, Judgment, QueryRow, Ranking, Rejected, judge
from rankproof.reference_impl.ties import measured, value_of

SPECS = ("", "negative=as-is", "negative=non-relevant known=retrieved", "unjudged=removed")
CUTOFFS: dict[str, tuple[int | None, ...]] = {
    "none": (None,),
    "optional": (None, 1, 2, 5),
    "required": (1, 2, 5),
    "recall": (None,),
}
PARAMS: dict[str, tuple[Any, ...]] = {
    "recall": (0.0, 0.4, 1.0),
    "beta": (1, 2),
    "p": (0.5,),
    "rel": (None, 1),
    "relative": (False, True),
}
"""Parameter -> the values to try, for parameters of formulas that are not axes."""
UNJUDGED = Doc(None, relevant=False, pooled=False)
Value = Fraction | Ratio | None


def grade(doc: Doc) -> str:
    return ("?" if doc.rel is None else str(doc.rel)) + ("+" if doc.relevant else "")


@dataclass(frozen=True)
class Call:
    """A formula with all its arguments except the ranking."""

    definition: Definition
    k: int | None
    ties: str
    arguments: Mapping[str, Any]

    def of(self, judged: Judged) -> Value:
        """Return the value; None if it is undefined."""
        return self.on(judged.ranking(self.k, ties=self.ties))

    def on(self, ranking: Ranking) -> Value:
        """Return the value of a ranking after the cutoff."""
        try:
            return self.definition.formula(ranking, **self.arguments)
        except ArithmeticError:  # undefined, or the change made an impossible ranking
            return None

    def input(self, judged: Judged) -> str:
        """Describe the input: grades in rank order, "=" between tied documents, "+" after relevant ones, "?" for unjudged."""
        ranked = " ".join("=".join(map(grade, group)) for group in judged.groups) or "no document"
        arguments = "".join(f", {name}={value}" for name, value in self.arguments.items())
        return f"[retrieved {ranked}; judged {' '.join(map(grade, judged.judgments))}; R={judged.R}, k={self.k}{arguments}]"


@cache
def rankings(specs: tuple[str, ...] = SPECS) -> tuple[Judged, ...]:
    """Return every small query of the corpus that some conventions accept."""
    accepted: dict[Judged, None] = {}
    for case, spec in product(corpus.load_all(), specs):
        conventions = parse_conventions(spec, STANDARD.replace(ties="last-rank"))
        for query in case.input.queries:
            rows = [QueryRow(str(doc), score, rank) for q, doc, score, rank in case.input.run if q == query]
            judgments = [Judgment(str(doc), rel) for q, doc, rel in case.input.qrels if q == query]
            try:
                judged = judge(rows, judgments, conventions)
            except Rejected:
                continue
            if len(rows) <= 12 and all(abs(doc.rel or 0) <= 30 for doc in judged.judgments):
                accepted[judged] = None
    return tuple(accepted)


def calls(definition: Definition, chance: random.Random, most: int = 48) -> list[Call]:
    """Return calls with all values of axes, parameters and cutoffs of a formula.

    A random choice if there are too many.
    """
    names = sorted(definition.accepted)
    choices = [PARAMS[name] if name in PARAMS else values_of(name) for name in names]
    ways = list(product(CUTOFFS[definition.cutoff], ("", "last-rank"), *choices))
    chosen = ways if len(ways) <= most else chance.sample(ways, most)
    return [Call(definition, k, ties, dict(zip(names, values, strict=True))) for k, ties, *values in chosen]


def random_calls(definition: Definition, seed: int = 0, count: int = 40) -> Iterator[tuple[Call, Judged]]:
    """Yield calls, each with `count` random queries of the corpus."""
    chance = random.Random(f"{definition.name} {seed}")
    possible = [judged for judged in rankings() if judged.R or not definition.needs_relevant]
    for call in calls(definition, chance):
        for judged in chance.sample(possible, count):
            yield call, judged


def standard_calls(definition: Definition, specs: tuple[str, ...] = ("",)) -> Iterator[tuple[Call, Judged]]:
    """Yield the calls of `standard`, each with all queries of the corpus."""
    own = {axis: getattr(STANDARD, axis) for axis in definition.own_axes}
    levels = [{"recall": level} for level in PARAMS["recall"]] if definition.cutoff == "recall" else [{}]
    for k, level, judged in product(CUTOFFS[definition.cutoff], levels, rankings(specs)):
        yield Call(definition, k, "", own | level), judged


# -- inputs that a formula reads ------------------------------------------------------------------------------------


def edited(judged: Judged, edit: Callable[[Doc], Doc]) -> Judged:
    """Return the query with each retrieved document and judgment changed, and R as before."""
    groups = tuple(tuple(edit(doc) for doc in group) for group in judged.groups)
    return Judged(groups, tuple(edit(doc) for doc in judged.judgments), judged.R)


@dataclass(frozen=True)
class Spy:
    """Changes of a ranking that a formula must not notice, because it does not declare those inputs."""

    call: Call
    judged: Judged
    declared: frozenset[Read]
    chance: random.Random

    @property
    def whole(self) -> Ranking:
        """Return the ranking without a change."""
        return self._cut(self.judged)

    def changes(self) -> Iterator[tuple[str, Ranking]]:
        """Yield the name of each change, and the changed ranking."""
        yield from self._other_rows()
        yield from self._other_counts()
        yield from self._other_relevance()
        edits: dict[str, tuple[frozenset[Read], Callable[[Doc], Doc]]] = {
            "the grades": (reads("rels"), self._with_other_rel),
            "which documents without relevance are judged": (reads("non-relevant", "rels"), self._judged_or_not),
            "which documents are in the pool": (reads("pool"), lambda doc: replace(doc, pooled=not doc.pooled)),
        }
        for what, (hidden_by, edit) in edits.items():
            if self.declared.isdisjoint(hidden_by):
                yield what, self._cut(edited(self.judged, edit))

    def _cut(self, other: Judged) -> Ranking:
        return other.ranking(self.call.k, ties=self.call.ties)

    def _other_rows(self) -> Iterator[tuple[str, Ranking]]:
        judged, k, whole = self.judged, self.call.k, self.whole
        if "order" not in self.declared:
            docs = [doc for group in judged.groups for doc in group]
            shuffled = tuple((doc,) for doc in self.chance.sample(docs, len(docs)))
            yield "the order of the documents", self._cut(replace(judged, groups=shuffled))
        if "n" not in self.declared:
            longer = replace(judged, groups=(*judged.groups, (UNJUDGED,)))
            yield "the number of retrieved documents", self._cut(longer)
        if "k" not in self.declared and k is not None and k >= max(whole.n, len(judged.judgments)):
            for other in (k + 7, None):
                yield "a cutoff below the last document", replace(whole, k=other)

    def _other_counts(self) -> Iterator[tuple[str, Ranking]]:
        known = self.judged.judgments
        if "R" not in self.declared:
            yield "the number of relevant documents", replace(self.whole, R=self.judged.R + 1)
        if "judgments" not in self.declared:
            for other in (known[1:], (*known, Doc(Fraction(3), relevant=True, pooled=True))):
                yield "which documents are judged", replace(self.whole, judgments=other)

    def _other_relevance(self) -> Iterator[tuple[str, Ranking]]:
        whole = self.whole
        if self.declared.isdisjoint({"relevant", "first hit"}):
            yield "which documents are relevant", self._cut(edited(self.judged, self._relevant_or_not))
        elif "relevant" not in self.declared and whole.hits:
            later = tuple((i, self._relevant_or_not(doc) if i > whole.hits[0] else doc) for i, doc in whole.docs)
            changed = replace(whole, docs=later, all_docs=(*later, *whole.all_docs[len(later) :]))
            yield "which documents after the first relevant one are relevant", changed

    def _keeping_gain(self, old: Doc, new: Doc) -> Doc:
        if "gains" not in self.declared:
            return new
        own = {"gain": "linear", "gain_threshold": "ignored"} | dict(self.call.arguments)
        return new if gain_of(old, **own) == gain_of(new, **own) else old

    def _relevant_or_not(self, doc: Doc) -> Doc:
        return self._keeping_gain(doc, replace(doc, relevant=not doc.relevant)) if self.chance.random() < 0.5 else doc

    def _with_other_rel(self, doc: Doc) -> Doc:
        if doc.rel is None:
            return doc
        other = self.chance.choice([doc.rel + 1, doc.rel / 2, doc.rel - 2])
        return self._keeping_gain(doc, replace(doc, rel=other))

    def _judged_or_not(self, doc: Doc) -> Doc:
        if doc.relevant or self.chance.random() < 0.3:
            return doc
        return self._keeping_gain(doc, replace(doc, rel=Fraction(0) if doc.rel is None else None))


def wrong_reads(definition: Definition, without: str = "", seeds: int = 1) -> Iterator[str]:
    """Yield changes of undeclared inputs that change the value."""
    chance = random.Random(definition.name)
    for call, judged in (pair for seed in range(seeds) for pair in random_calls(definition, seed)):
        declared = definition.looks_at(call.k, call.arguments) - {without}
        value = call.of(judged)
        for what, ranking in Spy(call, judged, declared, chance).changes():
            other = call.on(ranking)
            if value is not None and other is not None and other != value:
                only = ", ".join(sorted(declared)) or "nothing"
                moved = f"its value changed from {float(value_of(value)):.6g} to {float(value_of(other)):.6g} when {what} changed"
                yield f"reads={only}, but {moved}: {call.input(judged)}"


# -- the other facts ------------------------------------------------------------------------------------------------


def wrong_undefined(definition: Definition) -> Iterator[str]:
    """Yield queries without a value that `undefined` excludes."""
    for call, judged in random_calls(definition):
        ranking = judged.ranking(call.k, ties=call.ties)
        try:
            definition.formula(ranking, **call.arguments)
        except Undefined as undefined:
            when = definition.undefined.get(undefined.axis)
            hit = any(doc.relevant and doc.rel is not None and doc.rel >= 1 for _, doc in ranking.all_docs)
            negative = any(doc.rel is not None and doc.rel < 0 for doc in judged.judgments)
            gained = any(doc.rel is not None and doc.rel >= 1 and doc.relevant for _, doc in ranking.docs)
            if when is None or (when == "no hit" and hit) or (when == "no gain" and gained and not negative):
                declared, raised = dict(definition.undefined), type(undefined).__name__
                yield f"undefined={declared}, but it raises {raised} ({undefined.axis}): {call.input(judged)}"


def wrong_zero_without(definition: Definition) -> Iterator[str]:
    """Yield queries whose value is not 0, though a necessary kind of input is missing."""
    for call, judged in random_calls(definition, count=15):
        for what in definition.zero_without:
            if what == "docs":
                less = replace(judged, groups=())
            elif what == "judgments":
                less = Judged(tuple((UNJUDGED,) for group in judged.groups for _ in group), (), 0)
                if definition.needs_relevant:
                    continue
            else:
                kept = (tuple(d for d in group if not definition.merit(d, **call.arguments)) for group in judged.groups)
                less = replace(judged, groups=tuple(group for group in kept if group))
            value = call.of(less)
            if value is not None and value_of(value):
                missing = {"docs": "retrieved documents", "judgments": "judgments", "merit": "documents of any merit"}
                moved = f"its value without {missing[what]} is {value_of(value)}"
                yield f"zero_without={what}, but {moved}: {call.input(less)}"


def wrong_bounds(definition: Definition) -> Iterator[str]:
    """Yield queries with grades 0 to 4 whose value by `standard` is out of bounds."""
    if definition.bounds is None:
        return
    low, high = definition.bounds
    for call, judged in standard_calls(definition):
        ordinary = all(0 <= (doc.rel or 0) <= 4 for doc in judged.judgments)
        value = call.of(judged) if ordinary and (judged.R or not definition.needs_relevant) else None
        if value is not None and not low <= value_of(value) <= high:
            yield f"bounds={definition.bounds}, but its value is {value_of(value)}: {call.input(judged)}"


def wrong_truth(definition: Definition) -> Iterator[str]:
    """Yield rankings by the true grades whose value is not 1."""
    for call, judged in standard_calls(definition) if definition.truth else ():
        best = sorted(judged.judgments, key=lambda doc: doc.rel or 0, reverse=True)
        truth = replace(judged, groups=tuple((doc,) for doc in best))
        fits = {"k <= R": call.k is not None and call.k <= judged.R, "k >= R": call.k is None or call.k >= judged.R}
        if not 0 < judged.R < len(best) or not fits.get(str(definition.truth), True):
            continue
        value = call.of(truth)
        if value is None or abs(value_of(value) - 1) > 1e-12:
            yield f"truth={definition.truth}, but the true ranking scores {value}: {call.input(truth)}"


def wrong_constant_cancels(definition: Definition) -> Iterator[str]:
    """Yield queries whose value depends on the base of the logarithm."""
    for call, judged in random_calls(definition, count=10) if definition.constant_cancels else ():
        a, b = (replace(call, arguments={**call.arguments, "discount": d}).of(judged) for d in ("log2", "ln"))
        if a is not None and b is not None and abs(value_of(a) - value_of(b)) > 1e-12:
            moved = f"its value changed from {a} to {b} when the discount changed from log2 to ln"
            yield f"constant_cancels, but {moved}: {call.input(judged)}"


def wrong_last_rank_is_worst(definition: Definition) -> Iterator[str]:
    """Yield queries whose value by the last rank of tied documents is not that of their worst order."""
    for call, judged in standard_calls(definition, SPECS) if definition.last_rank_is_worst else ():
        orders = [STANDARD.replace(ties=ties) for ties in ("last-rank", "worst")]
        try:
            a, b = (measured(definition, judged, call.k, order, call.arguments) for order in orders)
        except Undefined:
            continue
        if a != b:
            yield f"last_rank_is_worst, but the last rank scores {a} and the worst order {b}: {call.input(judged)}"


def wrong_parts(definition: Definition) -> Iterator[str]:
    """Yield queries whose value is not between those of the parts, so it cannot be their mean."""
    parts = [MEASURES[name] for name in definition.parts]
    for call, judged in standard_calls(definition) if parts else ():
        own = [{axis: getattr(STANDARD, axis) for axis in part.own_axes} for part in parts]
        values = [replace(call, definition=d, arguments=a).of(judged) for d, a in zip(parts, own, strict=True)]
        whole, known = call.of(judged), [value_of(value) for value in values if value is not None]
        if whole is not None and len(known) == len(parts) and not min(known) <= value_of(whole) <= max(known):
            listed = ", ".join(f"{part.name} {value}" for part, value in zip(parts, known, strict=True))
            yield f"parts={definition.parts}, but it is {value_of(whole)}, not between {listed}: {call.input(judged)}"


CHECKS: dict[str, Callable[[Definition], Iterator[str]]] = {
    "reads": wrong_reads,
    "undefined": wrong_undefined,
    "zero_without": wrong_zero_without,
    "bounds": wrong_bounds,
    "truth": wrong_truth,
    "constant_cancels": wrong_constant_cancels,
    "last_rank_is_worst": wrong_last_rank_is_worst,
    "parts": wrong_parts,
}
"""Attribute of `Definition` -> a search for queries that contradict it."""


@pytest.mark.parametrize("name", MEASURES)
def test_declared_facts_hold_for_all_queries(name: str) -> None:
    assert MEASURES[name].reads is not None, f"{name} does not declare what it reads"
    examples = (next(check(MEASURES[name]), "") for check in CHECKS.values())
    if wrong := [f"{name} declares {example}" for example in examples if example]:
        pytest.fail("\n".join(wrong), pytrace=False)


def all_reads(definition: Definition) -> frozenset[Read]:
    """Return every input that a formula declares to read, under any conventions."""
    every = calls(definition, random.Random(0), 10**6)
    return frozenset().union(*(definition.looks_at(call.k, call.arguments) for call in every))


@pytest.mark.parametrize("name", MEASURES)
def test_each_declared_input_changes_some_value(name: str) -> None:
    definition = MEASURES[name]
    unread = [w for w in sorted(all_reads(definition)) if not next(wrong_reads(definition, without=w, seeds=5), "")]
    if unread:
        pytest.fail(
            f"{name} declares that it reads {', '.join(unread)}, but no change of it changed a value", pytrace=False
        )


def test_measure_without_declared_facts_may_depend_on_every_input() -> None:
    plain = Definition("plain", MEASURES["P"].formula)
    assert plain.looks_at(None, {}) == EVERYTHING
    assert plain.undefined == {"norel": "ever", "allrel": "ever"}
    assert (plain.zero_without, plain.bounds, plain.truth) == (frozenset(), None, None)
    assert not plain.constant_cancels
    assert not plain.last_rank_is_worst


WRONG = [
    ("nDCG", "undefined", {}, "undefined={}, but it raises NoRelevant (norel): [retrieved "),
    ("nDCG", "undefined", {"norel": "no hit"}, "undefined={'norel': 'no hit'}, but it raises NoRelevant (norel): "),
    ("AUC", "undefined", {"norel": "no hit"}, "undefined={'norel': 'no hit'}, but it raises "),
    (
        "NumRet",
        "zero_without",
        frozenset({"merit"}),
        "zero_without=merit, but its value without documents of any merit",
    ),
    ("NumRel", "zero_without", frozenset({"docs"}), "zero_without=docs, but its value without retrieved documents is "),
    (
        "NumQ",
        "zero_without",
        frozenset({"judgments"}),
        "zero_without=judgments, but its value without judgments is 1: ",
    ),
    ("DCG", "bounds", (0, 1), "bounds=(0, 1), but its value is "),
    ("P", "truth", "always", "truth=always, but the true ranking scores "),
    ("R", "truth", "k <= R", "truth=k <= R, but the true ranking scores "),
    ("DCG", "constant_cancels", True, "constant_cancels, but its value changed from "),
    ("RR", "parts", ("P", "R"), "parts=('P', 'R'), but it is "),
    ("LRAP", "last_rank_is_worst", True, "last_rank_is_worst, but the last rank scores "),
    ("P", "reads", reads("order", "k"), "reads=k, order, but its value changed from "),
]


@pytest.mark.parametrize(("name", "fact", "value", "says"), WRONG)
def test_a_wrong_fact_is_reported_in_words(name: str, fact: str, value: object, says: str) -> None:
    changed: dict[str, Any] = {fact: value}
    example = next(CHECKS[fact](replace(MEASURES[name], **changed)), "no example")
    assert example.startswith(says), example


def test_measures_of_labelings_stay_within_their_bounds() -> None:
    chance, values = random.Random(0), {name: [Fraction(0)] for name in CLUSTERINGS}
    for _ in range(300):
        n = chance.randint(1, 7)
        table = Contingency.of(chance.choices(range(4), k=n), chance.choices(range(n), k=n))
        for name, definition in CLUSTERINGS.items():
            with suppress(Degenerate):
                values[name].append(definition.formula(table))
    for name, definition in CLUSTERINGS.items():
        low, high = definition.bounds or (0, 0)
        assert low - 1e-12 <= min(values[name]) <= max(values[name]) <= high + 1e-12, name
    assert max(values["MI"]) > 1
