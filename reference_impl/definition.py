"""What a measure is: a formula on a judged ranking, and what is known of it.

A measure's file holds one function, its formula, whose keyword-only parameters are the conventions that matter to it,
and a `Definition` beside it. Everything else (which axes matter, how ties are averaged, how it is written) follows from
these.
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
    """The formula has no value here; the convention on `axis` says what the query is worth."""

    axis: Literal["norel", "allrel", "bpref_no_nonrel", "iprec_empty"] = "norel"
    for_want_of_docs: bool = False
    """Whether it is that no doc is left which leaves it without a value: then the axis `empty` has no say."""


class NoRelevant(Undefined):
    """Nothing relevant (or no gain) to compare with."""


class NoNonRelevant(Undefined):
    """No doc that is not relevant, in a measure of pairs."""

    axis = "allrel"


@dataclass(frozen=True, slots=True)
class Ratio:
    """A value that is a ratio of counts, so that a pooled mean can be taken."""

    numerator: Fraction
    denominator: Fraction

    @property
    def value(self) -> Fraction:
        """The quotient; 0 for 0/0, an empty set of docs."""
        return self.numerator / self.denominator if self.denominator else Fraction(0)


def ratio(numerator: Fraction | int, denominator: Fraction | int) -> Ratio:
    """A `Ratio` of whatever counts."""
    return Ratio(Fraction(numerator), Fraction(denominator))


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter in a measure's notation: its default, which values it takes, which conventions one means."""

    default: ParamValue | None
    takes: Callable[[Any], bool]
    conventions: Callable[[Any], Mapping[str, str]] | None = None


def a_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def a_weight(value: object) -> bool:
    """Whether a value is a finite number, zero or more."""
    return isinstance(value, int | float) and a_number(value) and value >= 0


REL = Param(1, a_number)
"""The threshold of relevance; `judge` reads it."""

BETA = Param(1, a_weight)
"""How much more one part of a mean weighs than the other."""

JUDGED_ONLY = Param(
    default=False,
    takes=lambda value: isinstance(value, bool),
    conventions=lambda value: {"unjudged": "removed"} if value else {},
)


Read = Literal["order", "k", "n", "first hit", "relevant", "R", "rels", "gains", "non-relevant", "pool", "judgments"]
"""One thing a formula can look at; `Definition` says what each means."""

EVERYTHING: frozenset[Read] = frozenset(get_args(Read))
"""What a formula looks at that does not say so."""

Reads = frozenset[Read] | Callable[..., frozenset[Read]]
Nothing = Literal["docs", "judgments", "merit"]
When = Literal["no hit", "no gain", "ever"]


def reads(*what: Read) -> frozenset[Read]:
    """These things, and no other."""
    return frozenset(what)


ZERO_WITHOUT_MERIT: frozenset[Nothing] = frozenset({"docs", "judgments", "merit"})
"""Of a measure that is 0 where nothing good is retrieved; so it is 0 where no doc is retrieved, or none judged."""


def _relevance(doc: Doc, **_arguments: object) -> bool:
    return doc.relevant


def _always(_judged: Judged, _k: int | None, **_arguments: object) -> bool:
    return True


@dataclass(frozen=True)
class Definition:
    """A measure of one query.

    The facts from `reads` on tell the rest of rankproof what the formula looks at and what its values can be. Nothing else
    does: no code asks for the name of a measure. Each may be left out; then everything is taken to matter, which is slow but
    never wrong. A fact that is declared must be true: tests try it on the corpus.

    What a formula can look at (`reads`):
        order: at which ranks the docs stand, or which docs the cutoff leaves.
        k: the cutoff as a number: a cutoff deeper than all docs, retrieved or judged, is not like none.
        n: how many docs were retrieved.
        first hit: the rank of the first relevant doc, or whether there is one, and nothing else of what is relevant.
        relevant: which of the retrieved docs are relevant.
        R: how many docs are relevant, retrieved or not.
        rels: the rels of docs.
        gains: the gains of docs by the axes `gain` and `gain_threshold`, and nothing else of their rels.
        non-relevant: which docs were judged and are not relevant.
        pool: which docs have a line in the qrels.
        judgments: the docs that were judged, whether they were retrieved or not.

    Attributes:
        name: in ir_measures' notation.
        formula: `formula(ranking, **conventions, **params)`, the value of one query as a fraction or a `Ratio`.
        params: the parameters of the notation besides the cutoff.
        cutoff: whether the notation takes `@k`: never, optionally, always, or a recall level instead of a rank.
        total: how the queries are put together: by the mean the conventions name, or by a sum (counts).
        cut_at_R: the formula looks no deeper than rank R.
        needs_relevant: a query without relevant docs is worth what the convention `norel` says.
        linear: the value is a sum over ranks of something each doc brings, so that its mean over orders is one over
            rotations; `separable` says when.
        monotone: moving a doc of more merit up never makes the value worse; `separable` says when.
        merit: `merit(doc, **arguments)` orders docs from best to worst.
        separable: `separable(judged, k, **arguments)`: whether `linear` and `monotone` hold here, as they do where what
            the sum is divided by does not depend on the order.
        expectation: the mean over all orders of tied docs in closed form, or None where it has none.
        better: whether the best order is that of the highest or of the lowest value.
        reads: what the formula looks at to give a value, as a set, or as `reads(k, **arguments)` where that depends on the
            conventions or the parameters. None: everything. Declaring it says as well that the formula takes its axes as
            their values are described, so that `min-k-R` is `R` where there is no k.
        undefined: the axes that say what a query is worth for which the formula raises `Undefined`, each with when that can
            be: where no retrieved doc is relevant ("no hit"), where no doc within the cutoff has a gain or one has a
            negative gain ("no gain"), or whenever ("ever").
        zero_without: of what kind there must be none for the value to be 0, if it is defined: no "docs" retrieved, no
            "judgments" of the query, or, though something else was judged, no retrieved doc of any "merit".
        bounds: the least and the greatest value by `standard`, of rels 0 to 4; math.inf for none. None: not known.
        truth: where the judged docs, ranked by their rels, are worth 1: "always", or only with a cutoff that is at most R
            ("k <= R"), or at least R ("k >= R", no cutoff being the deepest one). None: not known.
        constant_cancels: to multiply all gains, or all discounts, by one number changes nothing.
        last_rank_is_worst: to give tied docs the last rank of their tie group is worth what their worst order is worth.
        parts: the measures of which the value is a mean: what is odd of one of them is odd of it.
        in_floats: the formula once more, `in_floats(queries, **arguments)`, for all queries of a large run at once
            (`rankproof.reference_impl.all_queries`); None where the readable one alone serves. It is held to that one by tests, and on
            every call that uses it.
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
        """The names of the formula's keyword parameters."""
        return frozenset(list(inspect.signature(self.formula).parameters)[1:])

    @cached_property
    def is_ratio(self) -> bool:
        """Whether the value is a ratio of counts, so that it has a pooled mean."""
        return inspect.signature(self.formula).return_annotation is Ratio

    @cached_property
    def own_axes(self) -> tuple[str, ...]:
        """The axes that this formula itself asks for."""
        return tuple(name for name in AXES if name in self.accepted)

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Every axis that can matter: of order and judgment, of the formula, and of how queries are put together."""
        around = ("order", "judge", "aggregate")
        return tuple(a for a, axis in AXES.items() if a in self.accepted or axis.stage in around)

    def choices(self, conventions: Conventions) -> tuple[str, ...]:
        """The values of the axes that this formula itself asks for."""
        return tuple([getattr(conventions, name) for name in self.own_axes])

    def arguments(self, conventions: Conventions, params: Mapping[str, ParamValue]) -> dict[str, Any]:
        """What the formula is called with."""
        own = dict(zip(self.own_axes, self.choices(conventions), strict=True))
        return own | {name: value for name, value in params.items() if name in self.accepted}

    def looks_at(self, k: int | None, arguments: Mapping[str, Any]) -> frozenset[Read]:
        """What the formula looks at when it is called with these arguments."""
        if self.reads is None:
            return EVERYTHING
        return self.reads(k, **arguments) if callable(self.reads) else self.reads

    def of(self, judged: Judged, k: int | None, ties: str, arguments: Mapping[str, Any]) -> Fraction | Ratio:
        """The value of one ranking as it stands."""
        return self.formula(judged.ranking(k, ties=ties), **arguments)
