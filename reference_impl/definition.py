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
from typing import Any, Literal

from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.ranking import Doc, Judged

ParamValue = str | int | float | bool | tuple[tuple[int, int | float], ...]


class Undefined(ArithmeticError):
    """The formula has no value here; the convention on `axis` says what the query is worth."""

    axis: Literal["norel", "allrel", "bpref_no_nonrel"] = "norel"


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


def _relevance(doc: Doc, **_arguments: object) -> bool:
    return doc.relevant


def _always(_judged: Judged, _k: int | None, **_arguments: object) -> bool:
    return True


@dataclass(frozen=True)
class Definition:
    """A measure of one query.

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

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The names of the formula's keyword parameters."""
        return frozenset(list(inspect.signature(self.formula).parameters)[1:])

    @cached_property
    def is_ratio(self) -> bool:
        """Whether the value is a ratio of counts, so that it has a pooled mean."""
        return inspect.signature(self.formula).return_annotation is Ratio

    @property
    def own_axes(self) -> tuple[str, ...]:
        """The axes that this formula itself asks for."""
        return tuple(name for name in AXES if name in self.accepted)

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis that can matter: of order and judgment, of the formula, and of how queries are put together."""
        around = ("order", "judge", "aggregate")
        return tuple(a for a, axis in AXES.items() if a in self.accepted or axis.stage in around)

    def arguments(self, conventions: Conventions, params: Mapping[str, ParamValue]) -> dict[str, Any]:
        """What the formula is called with."""
        own = {name: getattr(conventions, name) for name in self.own_axes}
        return own | {name: value for name, value in params.items() if name in self.accepted}

    def of(self, judged: Judged, k: int | None, ties: str, arguments: Mapping[str, Any]) -> Fraction | Ratio:
        """The value of one ranking as it stands."""
        return self.formula(judged.ranking(k, ties=ties), **arguments)
