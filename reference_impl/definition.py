"""Definitions of measures: a formula on a judged ranking, and facts about the formula.

The file of a measure has one function, its formula, and a `Definition`. The keyword-only parameters of the formula are
the conventions that can change its value. Everything else follows from these: which axes matter, how ties are averaged
and how the measure is written.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, get_args

from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.ranking import Doc, Judged

ParamValue = str | int | float | bool | tuple[tuple[int, int | float], ...]


class Undefined(ArithmeticError):
    """A formula without a value for this query; the convention on `axis` sets the score of the query."""

    axis: Literal["norel", "allrel", "bpref_no_nonrel", "iprec_empty"] = "norel"
    for_want_of_docs: bool = False
    """Whether the value is undefined because no document is left; the axis `empty` then does not apply."""


class NoRelevant(Undefined):
    """No relevant document, or no gain, to compare with."""


class NoNonRelevant(Undefined):
    """No non-relevant document, in a measure of pairs."""

    axis = "allrel"


@dataclass(frozen=True, slots=True)
class Ratio:
    """A value that is a ratio of counts, so it has a pooled mean."""

    numerator: Fraction
    denominator: Fraction

    @property
    def value(self) -> Fraction:
        """The quotient, or 0 for 0/0 (an empty set of documents)."""
        return self.numerator / self.denominator if self.denominator else Fraction(0)


def ratio(numerator: Fraction | int, denominator: Fraction | int) -> Ratio:
    """Return a `Ratio` of two numbers."""
    return Ratio(Fraction(numerator), Fraction(denominator))


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter in the notation of a measure: its default, its valid values and the conventions that it sets."""

    default: ParamValue | None
    takes: Callable[[Any], bool]
    conventions: Callable[[Any], Mapping[str, str]] | None = None


def a_number(value: object) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def a_weight(value: object) -> bool:
    """Return whether a value is a finite number of 0 or more."""
    return isinstance(value, int | float) and a_number(value) and value >= 0


REL = Param(1, a_number)
"""The relevance threshold, which `judge` applies."""

BETA = Param(1, a_weight)
"""The weight of one part of a mean relative to the other."""

JUDGED_ONLY = Param(
    default=False,
    takes=lambda value: isinstance(value, bool),
    conventions=lambda value: {"unjudged": "removed"} if value else {},
)


Read = Literal["order", "k", "n", "first hit", "relevant", "R", "rels", "gains", "non-relevant", "pool", "judgments"]
"""An input that a formula can use; `Definition` explains each."""

EVERYTHING: frozenset[Read] = frozenset(get_args(Read))
"""The inputs of a formula that does not declare them."""

Reads = frozenset[Read] | Callable[..., frozenset[Read]]
Nothing = Literal["docs", "judgments", "merit"]
When = Literal["no hit", "no gain", "ever"]


def reads(*what: Read) -> frozenset[Read]:
    """Return these inputs as a set."""
    return frozenset(what)


ZERO_WITHOUT_MERIT: frozenset[Nothing] = frozenset({"docs", "judgments", "merit"})
"""For a measure that is 0 without a good retrieved document, and so also without any retrieved or judged document."""


def _relevance(doc: Doc, **_arguments: object) -> bool:
    return doc.relevant


def _always(_judged: Judged, _k: int | None, **_arguments: object) -> bool:
    return True


@dataclass(frozen=True)
class Definition:
    """A measure of one query.

    The facts from `reads` on describe which inputs the formula uses and which values it can have. The rest of rankproof
    reads them and never checks for the name of a measure. All facts are optional. Without a fact, everything is assumed
    to matter, which is slow but never wrong. A declared fact must be true: tests check it on the corpus.

    Inputs of a formula (`reads`):
        order: the ranks of the documents, or the set of documents within the cutoff.
        k: the cutoff as a number: a cutoff below all documents, retrieved or judged, differs from none.
        n: the number of retrieved documents.
        first hit: the rank of the first relevant document, or whether there is one, and nothing else about relevance.
        relevant: which retrieved documents are relevant.
        R: the number of relevant documents, retrieved or not.
        rels: the grades of the documents.
        gains: the gains of the documents by the axes `gain` and `gain_threshold`, and nothing else about their grades.
        non-relevant: which documents were judged and are not relevant.
        pool: which documents have a line in the qrels.
        judgments: the judged documents, retrieved or not.

    Attributes:
        name: the name in the notation of ir_measures.
        formula: `formula(ranking, **conventions, **params)`, the value of one query as a fraction or a `Ratio`.
        params: the parameters of the notation, except the cutoff.
        cutoff: whether the notation takes `@k`: never, optionally, always, or a recall level instead of a rank.
        total: how the queries are combined: by the mean of the conventions, or by a sum (counts).
        cut_at_R: the formula uses no document below rank R.
        needs_relevant: the convention `norel` sets the score of queries without relevant documents.
        linear: the value is a sum over ranks of one number per document, so the mean over orders is a mean over
            rotations. `separable` says when this holds.
        monotone: moving a document of higher merit up never makes the value worse. `separable` says when this holds.
        merit: `merit(doc, **arguments)` orders documents from best to worst.
        separable: `separable(judged, k, **arguments)` returns whether `linear` and `monotone` hold for this ranking.
            They hold if the divisor of the sum does not depend on the order.
        expectation: the mean over all orders of tied documents in closed form, or None if there is no closed form.
        better: whether the best order has the highest or the lowest value.
        reads: the inputs that the formula uses, as a set, or as `reads(k, **arguments)` if they depend on the
            conventions or parameters. None: all inputs. Declaring them also states that the formula follows the
            descriptions of the values of its axes: for example, `min-k-R` is `R` without a cutoff.
        undefined: the axes that score a query if the formula raises `Undefined`, each with the condition for it.
            "no hit": no retrieved document is relevant. "no gain": no document within the cutoff has a gain, or a
            document has a negative gain. "ever": any query.
        zero_without: the inputs whose absence makes the value 0, if it is defined: "docs" (retrieved documents),
            "judgments" (of the query) or "merit" (of a retrieved document, although another document was judged).
        bounds: the lowest and highest value by `standard` for grades 0 to 4 (math.inf: unbounded). None: unknown.
        truth: when the ranking of the judged documents by their grades scores 1: "always", only with a cutoff of at
            most R ("k <= R"), or of at least R ("k >= R", also without a cutoff). None: unknown.
        constant_cancels: multiplying all gains, or all discounts, by one number changes nothing.
        last_rank_is_worst: giving tied documents the last rank of their tie group has the value of their worst order.
        parts: the measures that the value is a mean of. If one of them is unusual, so is this measure.
        in_floats: a second formula, `in_floats(queries, **arguments)`, for all queries of a large run at once
            (`rankproof.reference_impl.all_queries`). None: the exact formula is fast enough. Tests, and every call that
            uses it, compare it with the exact formula.
    """

    name: str
    formula: Callable[..., Fraction | Ratio]
    params: Mapping[str, Param] = field(default_factory=dict)
    cutoff: Literal["none", "optional", "required", "recall"] = "optional"
    total: Literal["mean", "sum"] = "mean"
    cut_at_R: bool = False
    needs_relevant: bool = True
    linear: bool = False
    monotone: bool = False
    merit: Callable[..., Any] = _relevance
    separable: Callable[..., bool] = _always
    expectation: Callable[..., Fraction | None] | None = None
    better: Literal["higher", "lower"] = "higher"
    reads: Reads | None = None
    undefined: Mapping[str, When] = field(default_factory=lambda: {"norel": "ever", "allrel": "ever"})
    zero_without: frozenset[Nothing] = frozenset()
    bounds: tuple[float, float] | None = None
    truth: Literal["always", "k <= R", "k >= R"] | None = None
    constant_cancels: bool = False
    last_rank_is_worst: bool = False
    parts: tuple[str, ...] = ()
    in_floats: Callable[..., Any] | None = None

    @cached_property
    def accepted(self) -> frozenset[str]:
        """Names of the keyword parameters of the formula."""
        return frozenset(list(inspect.signature(self.formula).parameters)[1:])

    @cached_property
    def is_ratio(self) -> bool:
        """Whether the value is a ratio of counts, so it has a pooled mean."""
        return inspect.signature(self.formula).return_annotation is Ratio

    @cached_property
    def own_axes(self) -> tuple[str, ...]:
        """Axes that are parameters of the formula."""
        return tuple(name for name in AXES if name in self.accepted)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Axes that can change the value: those of order, judgment, formula and aggregation."""
        around = ("order", "judge", "aggregate")
        return tuple(a for a, axis in AXES.items() if a in self.accepted or axis.stage in around)

    def choices(self, conventions: Conventions) -> tuple[str, ...]:
        """Return the values of the axes that are parameters of the formula."""
        return tuple([getattr(conventions, name) for name in self.own_axes])

    def arguments(self, conventions: Conventions, params: Mapping[str, ParamValue]) -> dict[str, Any]:
        """Return the arguments of the formula."""
        own = dict(zip(self.own_axes, self.choices(conventions), strict=True))
        return own | {name: value for name, value in params.items() if name in self.accepted}

    def looks_at(self, k: int | None, arguments: Mapping[str, Any]) -> frozenset[Read]:
        """Return the inputs that the formula uses with these arguments."""
        if self.reads is None:
            return EVERYTHING
        return self.reads(k, **arguments) if callable(self.reads) else self.reads

    def of(self, judged: Judged, k: int | None, ties: str, arguments: Mapping[str, Any]) -> Fraction | Ratio:
        """Return the value of a ranking in its current order."""
        return self.formula(judged.ranking(k, ties=ties), **arguments)
