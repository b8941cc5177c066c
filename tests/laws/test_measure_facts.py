"""What a measure declares of itself is true: a spy changes what is not declared as looked at, and no value may move."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import islice, product
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
"""What the formulas take that is no axis, and the values tried."""
UNJUDGED = Doc(None, relevant=False, pooled=False)


@dataclass(frozen=True)
class Call:
    """A formula, and all that it is called with but for the ranking."""

    definition: Definition
    k: int | None
    ties: str
    arguments: Mapping[str, Any]

    def of(self, judged: Judged) -> Fraction | Ratio | None:
        """The value; None where there is none."""
        return self.on(judged.ranking(self.k, ties=self.ties))

    def on(self, ranking: Ranking) -> Fraction | Ratio | None:
        """The same of a ranking that is cut."""
        try:
            return self.definition.formula(ranking, **self.arguments)
        except ArithmeticError:  # undefined, or the spy made a ranking that cannot be
            return None


@cache
def rankings(specs: tuple[str, ...] = SPECS) -> tuple[Judged, ...]:
    """Every query of the corpus that some conventions do not refuse, and some by chance."""
    found: dict[Judged, None] = {}
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
                found[judged] = None
    return tuple(found)


def calls(definition: Definition, chance: random.Random, most: int = 48) -> list[Call]:
    """Ways to call a formula: all values of its own axes, parameters and cutoffs; by chance where they are too many."""
    names = sorted(definition.accepted)
    choices = [PARAMS[name] if name in PARAMS else values_of(name) for name in names]
    ways = list(product(CUTOFFS[definition.cutoff], ("", "last-rank"), *choices))
    chosen = ways if len(ways) <= most else chance.sample(ways, most)
    return [Call(definition, k, ties, dict(zip(names, values, strict=True))) for k, ties, *values in chosen]


def tried(definition: Definition, seed: int = 0, each: int = 40) -> Iterator[tuple[Call, Judged]]:
    """Calls, and rankings by chance that the formula is called with."""
    chance = random.Random(f"{definition.name} {seed}")
    some = [judged for judged in rankings() if judged.R or not definition.needs_relevant]
    for call in calls(definition, chance):
        for judged in chance.sample(some, each):
            yield call, judged


# -- the spy --------------------------------------------------------------------------------------------------------


def edited(judged: Judged, edit: Callable[[Doc], Doc]) -> Judged:
    """The retrieved docs and the judgments, each changed; R as it was."""
    groups = tuple(tuple(edit(doc) for doc in group) for group in judged.groups)
    return Judged(groups, tuple(edit(doc) for doc in judged.judgments), judged.R)


@dataclass(frozen=True)
class Spy:
    """Makes rankings that differ from one only in what a formula does not declare."""

    call: Call
    judged: Judged
    declared: frozenset[Read]
    chance: random.Random

    @property
    def whole(self) -> Ranking:
        """The ranking as it is."""
        return self._cut(self.judged)

    def rankings(self) -> Iterator[tuple[str, Ranking]]:
        """Each with what differs."""
        yield from self._other_rows()
        yield from self._other_counts()
        yield from self._other_relevance()
        edits: dict[Read, tuple[frozenset[Read], Callable[[Doc], Doc]]] = {
            "rels": (reads("rels"), self._with_other_rel),
            "non-relevant": (reads("non-relevant", "rels"), self._judged_or_not),
            "pool": (reads("pool"), lambda doc: replace(doc, pooled=not doc.pooled)),
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
            yield "order", self._cut(replace(judged, groups=shuffled))
        if "n" not in self.declared:
            yield "n", self._cut(replace(judged, groups=(*judged.groups, (UNJUDGED,))))
        if "k" not in self.declared and k is not None and k >= max(whole.n, len(judged.judgments)):
            yield "k", replace(whole, k=k + 7)
            yield "k", replace(whole, k=None)

    def _other_counts(self) -> Iterator[tuple[str, Ranking]]:
        known = self.judged.judgments
        if "R" not in self.declared:
            yield "R", replace(self.whole, R=self.judged.R + 1)
        if "judgments" not in self.declared:
            yield "judgments", replace(self.whole, judgments=known[1:])
            yield "judgments", replace(self.whole, judgments=(*known, Doc(Fraction(3), relevant=True, pooled=True)))

    def _other_relevance(self) -> Iterator[tuple[str, Ranking]]:
        whole = self.whole
        if self.declared.isdisjoint({"relevant", "first hit"}):
            yield "relevant", self._cut(edited(self.judged, self._relevant_or_not))
        elif "relevant" not in self.declared and whole.hits:
            later = tuple((i, self._relevant_or_not(doc) if i > whole.hits[0] else doc) for i, doc in whole.docs)
            yield "relevant", replace(whole, docs=later, all_docs=(*later, *whole.all_docs[len(later) :]))

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


def undeclared(definition: Definition, without: str = "", seeds: int = 1) -> Iterator[str]:
    """What the formula looks at though it does not say so."""
    chance = random.Random(definition.name)
    for call, judged in (pair for seed in range(seeds) for pair in tried(definition, seed)):
        declared = definition.looks_at(call.k, call.arguments) - {without}
        value = call.of(judged)
        for what, ranking in Spy(call, judged, declared, chance).rankings():
            other = call.on(ranking)
            if value is not None and other is not None and other != value:
                yield f"{what}: {value} and {other} by {dict(call.arguments)}, k={call.k}, of {judged}"


@pytest.mark.parametrize("name", MEASURES)
def test_a_formula_looks_at_nothing_that_it_does_not_declare(name: str) -> None:
    assert MEASURES[name].reads is not None
    assert list(islice(undeclared(MEASURES[name]), 1)) == []


def words(definition: Definition) -> frozenset[Read]:
    """All that a formula declares, by whatever conventions."""
    chance = random.Random(0)
    every = calls(definition, chance, 10**6)
    return frozenset().union(*(definition.looks_at(call.k, call.arguments) for call in every))


WORDS = [(name, word) for name in MEASURES for word in sorted(words(MEASURES[name]))]


@pytest.mark.parametrize(("name", "word"), WORDS)
def test_a_word_less_would_be_found_out(name: str, word: str) -> None:
    assert list(islice(undeclared(MEASURES[name], without=word, seeds=5), 1)) != [], f"{name} does not look at {word}"


def test_what_declares_nothing_looks_at_everything() -> None:
    plain = Definition("plain", MEASURES["P"].formula)
    assert plain.looks_at(None, {}) == EVERYTHING
    assert plain.undefined == {"norel": "ever", "allrel": "ever"}
    assert (plain.zero_without, plain.bounds, plain.truth) == (frozenset(), None, None)
    assert not plain.constant_cancels
    assert not plain.last_rank_is_worst


# -- the other facts ------------------------------------------------------------------------------------------------


def standard_calls(definition: Definition) -> Iterator[Call]:
    """A formula as `standard` calls it."""
    own = {axis: getattr(STANDARD, axis) for axis in definition.own_axes}
    levels = [{"recall": level} for level in PARAMS["recall"]] if definition.cutoff == "recall" else [{}]
    for k, level in product(CUTOFFS[definition.cutoff], levels):
        yield Call(definition, k, "", own | level)


def wrongly_undefined(definition: Definition) -> Iterator[str]:
    """Where the formula raises what is not declared, or elsewhere than it is."""
    for call, judged in tried(definition):
        ranking = judged.ranking(call.k, ties=call.ties)
        try:
            definition.formula(ranking, **call.arguments)
        except Undefined as undefined:
            when = definition.undefined.get(undefined.axis)
            hit = any(doc.relevant and doc.rel is not None and doc.rel >= 1 for _, doc in ranking.all_docs)
            negative = any(doc.rel is not None and doc.rel < 0 for doc in judged.judgments)
            gained = any(doc.rel is not None and doc.rel >= 1 and doc.relevant for _, doc in ranking.docs)
            if when is None or (when == "no hit" and hit) or (when == "no gain" and gained and not negative):
                yield f"{undefined.axis} by {call.arguments}, k={call.k}, of {judged}"


def not_zero(definition: Definition) -> Iterator[str]:
    """Where the value is not 0, though what is declared is missing."""
    for call, judged in tried(definition, each=15):
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
                yield f"{what}: {value_of(value)} by {call.arguments}, k={call.k}, of {less}"


def out_of_bounds(definition: Definition) -> Iterator[str]:
    """Where `standard` gives more or less than is declared."""
    if definition.bounds is None:
        return
    low, high = definition.bounds
    ordinary = [judged for judged in rankings(("",)) if all(0 <= (doc.rel or 0) <= 4 for doc in judged.judgments)]
    for call, judged in product(standard_calls(definition), ordinary):
        value = call.of(judged) if judged.R or not definition.needs_relevant else None
        if value is not None and not low <= value_of(value) <= high:
            yield f"{value_of(value)}, k={call.k}, of {judged}"


def truth_not_1(definition: Definition) -> Iterator[str]:
    """Where the truth is not worth 1, though it is declared to be."""
    if definition.truth is None:
        return
    for call, judged in product(standard_calls(definition), rankings(("",))):
        best = sorted(judged.judgments, key=lambda doc: doc.rel or 0, reverse=True)
        truth = replace(judged, groups=tuple((doc,) for doc in best))
        fits = {"k <= R": call.k is not None and call.k <= judged.R, "k >= R": call.k is None or call.k >= judged.R}
        if not 0 < judged.R < len(best) or not fits.get(definition.truth, True):
            continue
        value = call.of(truth)
        if value is None or abs(value_of(value) - 1) > 1e-12:
            yield f"{value}, k={call.k}, of {truth}"


def constant_kept(definition: Definition) -> Iterator[str]:
    """Where the base of the logarithm matters, though it is declared not to."""
    if definition.constant_cancels:
        for call, judged in tried(definition, each=10):
            a, b = (replace(call, arguments={**call.arguments, "discount": d}).of(judged) for d in ("log2", "ln"))
            if a is not None and b is not None and abs(value_of(a) - value_of(b)) > 1e-12:
                yield f"{a} and {b} of {judged}"


def last_rank_not_worst(definition: Definition) -> Iterator[str]:
    """Where the last rank of a tie group is not worth what the worst order is, though it is declared to be."""
    if definition.last_rank_is_worst:
        for call, judged in product(standard_calls(definition), rankings()):
            orders = [STANDARD.replace(ties=ties) for ties in ("last-rank", "worst")]
            try:
                a, b = (measured(definition, judged, call.k, order, call.arguments) for order in orders)
            except Undefined:
                continue
            if a != b:
                yield f"{a} and {b} of {judged}"


def not_between_its_parts(definition: Definition) -> Iterator[str]:
    """Where the value is no mean of what its parts give, though it is declared to be: it does not lie between them."""
    parts = [MEASURES[name] for name in definition.parts]
    for call, judged in product(standard_calls(definition), rankings(("",))) if parts else ():
        own = [{axis: getattr(STANDARD, axis) for axis in part.own_axes} for part in parts]
        values = [replace(call, definition=d, arguments=a).of(judged) for d, a in zip(parts, own, strict=True)]
        whole, known = call.of(judged), [value_of(value) for value in values if value is not None]
        if whole is not None and len(known) == len(parts) and not min(known) <= value_of(whole) <= max(known):
            yield f"{value_of(whole)}, and of its parts {known}, k={call.k}, of {judged}"


Check = Callable[[Definition], Iterator[str]]
CHECKS: tuple[Check, ...] = (
    wrongly_undefined,
    not_zero,
    out_of_bounds,
    truth_not_1,
    constant_kept,
    last_rank_not_worst,
    not_between_its_parts,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", MEASURES)
def test_a_declared_fact_is_true(name: str, check: Check) -> None:
    assert list(islice(check(MEASURES[name]), 1)) == []


WRONG = [
    (wrongly_undefined, "nDCG", {"undefined": {}}),
    (wrongly_undefined, "nDCG", {"undefined": {"norel": "no hit"}}),
    (wrongly_undefined, "AUC", {"undefined": {"norel": "no hit"}}),
    (wrongly_undefined, "Bpref", {"undefined": {}}),
    (not_zero, "NumRet", {"zero_without": frozenset({"merit"})}),
    (not_zero, "NumRel", {"zero_without": frozenset({"docs"})}),
    (not_zero, "NumQ", {"zero_without": frozenset({"judgments"})}),
    (out_of_bounds, "DCG", {"bounds": (0, 1)}),
    (out_of_bounds, "CoverageError", {"bounds": (0, 1)}),
    (truth_not_1, "SetAP", {"truth": "always"}),
    (truth_not_1, "P", {"truth": "always"}),
    (truth_not_1, "R", {"truth": "k <= R"}),
    (constant_kept, "DCG", {"constant_cancels": True}),
    (not_between_its_parts, "SetAP", {"parts": ("SetP", "SetR")}),
    (not_between_its_parts, "RR", {"parts": ("P", "R")}),
    (last_rank_not_worst, "LRAP", {"last_rank_is_worst": True}),
]


@pytest.mark.parametrize(("check", "name", "facts"), WRONG)
def test_a_wrong_fact_would_be_found_out(check: Check, name: str, facts: Mapping[str, Any]) -> None:
    assert list(islice(check(replace(MEASURES[name], **facts)), 1)) != []


def test_measures_of_labelings_stay_within_their_bounds() -> None:
    chance, extremes = random.Random(0), dict.fromkeys(CLUSTERINGS, Fraction(0))
    for _ in range(300):
        n = chance.randint(1, 7)
        table = Contingency.of(chance.choices(range(4), k=n), chance.choices(range(n), k=n))
        for name, definition in CLUSTERINGS.items():
            try:
                value = definition.formula(table)
            except Degenerate:
                continue
            assert definition.bounds is not None
            assert definition.bounds[0] - 1e-12 <= value <= definition.bounds[1] + 1e-12, name
            extremes[name] = max(extremes[name], value)
    assert extremes["MI"] > 1
