"""What is checked: a function, a class or an object of a person's, and the form by which it is called.

A form says what a function is told, and so what it can be asked: a function of `y_true` and `y_score` is told neither docids nor of docs
that were not retrieved. `express` narrows an input to that; a narrowed input is one like any other, and the reference answers it under
the same conventions as the function. What the caller decides, and not the function, is `settled` by the form.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.observations import Answered

QUERY_ID = "query_id"
"""The role of a parameter that takes the id of the query of a call, beside those of a form."""
QUERY, TABLE, ALL, STEPS, COLUMN, STEP_TABLES = "query", "table", "all", "steps", "column", "step-tables"
"""How queries are given: a call each; a call each, as the only row of a table; one call with a list of all; one `update` each; a call each,
as the only column of a table; one `update` each, as the only row of a table."""
IN_STEPS, IN_TABLES = frozenset({STEPS, STEP_TABLES}), frozenset({TABLE, STEP_TABLES})
"""Those of an `update` for each query, and those in which a query is the only row of a table."""

FROM_K, BEYOND_K, TO_K = LIMITS = ("from-k", "beyond-k", "to-k")
"""Queries of as many docs as the cutoff or more, of more, and of no more."""
EQUAL_ROWS = ("array", "tensor", "float-tensor")
"""The containers that hold several queries at once only where all have equally many docs."""


class BadFunction(Unusable):
    """There is no such function, or it answers none of the forms known here.

    Attributes:
        wrapper: lines of Python that can be asked, where some can be written; a note of the error, so that they are shown with it.
    """

    def __init__(self, message: str, wrapper: str = "") -> None:
        super().__init__(message)
        self.wrapper = wrapper
        if wrapper:
            self.add_note(f"\n# this could be asked instead:\n{wrapper}")


@dataclass(frozen=True)
class Target:
    """How a function, a class or an object of a person's is called: plain data, that the process of the function can send.

    Attributes:
        name: where it is, as MODULE:FUNCTION.
        order: the roles of its arguments, in its own order.
        k: the name of the parameter for the cutoff; None if it has none.
        k_needed: whether that has no default.
        k_listed: whether it takes several cutoffs, as a list.
        k_in: what several cutoffs are given as: a list, or a tensor.
        k_made: whether it is given when an object of the class is made, and not in the call.
        k_alone: why it is asked at the cutoff of the measure alone, in a sentence; "" where it is asked at others, too.
        k_below: it is asked at lesser cutoffs than this alone, as it raises whatever it is asked from that on; 0 where it takes any.
        several: whether it is given several cutoffs at once, in no order, of which its result has a value for each.
        container: what a list is given as: list, set (of relevant docs), array (of numpy), series (of pandas), tensor (of torch), frame.
        batch: how queries are given, see above.
        names: the parameters that arguments are given by; none where the place says it.
        of_class: whether it is a class, of which an object is made for each question.
        made: the arguments with which that is made, as `a=1`, besides the cutoff.
        made_of: those of its parameters that are given when the object is made, by these names; the others are the call's.
        method: what is called of an object, or `update/compute`; "" for the object itself.
        record: of an argument that is an object of a class: the parameter, the class as MODULE:CLASS, its fields, of which the arguments
            are, and after them "list" where a list of such objects is taken; none where there is no such argument.
        given: the arguments that the person added, as `max_rel=4`.
        defaults: the numbers that its other parameters have if nothing is said, as `threshold=2`.
        columns: of the frames that it is given: query, doc, rel, score.
        numbered: whether docs go by whole numbers from 1 on, in the order of their ids, as its annotations want.
        of_flags: whether its annotations say that rels are true or false.
        reads: what of its result is the answer, see `rankproof.calling.given_values`.
        known: how many of its arguments go by known names.
        docs: of which queries it is asked, by how many docs they have, as it raises for others: one of `LIMITS`; "" for all of them.
        of_fractions: whether it is asked only where the scores of no query are all whole numbers, as it raises where they are.
        notes: what is to be said of how it is called, in sentences.
        is_explained: whether trials explained all that it answers, when it was recognised.
        explains: how many of its trial answers were explained then; None where nobody counted.
        kept: by query, the arguments of the last call, which may be made once more with the very same lists.
        by_default: the measure whose answers it gives by its own defaults, where that is not the one that was asked.
        seems: the measure by another parameter whose answers it gives, where none of the one that was asked explains them.
    """

    name: str
    form: "Form"
    order: tuple[str, ...] = ()
    k: str | None = None
    k_needed: bool = False
    k_listed: bool = False
    k_in: str = "list"
    k_made: bool = False
    k_alone: str = ""
    k_below: int = 0
    several: bool = False
    container: str = "list"
    batch: str = QUERY
    names: tuple[str, ...] = ()
    of_class: bool = False
    made: tuple[str, ...] = ()
    made_of: tuple[str, ...] = ()
    method: str = ""
    record: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    numbered: bool = False
    of_flags: bool = False
    reads: str = ""
    known: int = 0
    docs: str = ""
    of_fractions: bool = False
    notes: tuple[str, ...] = ()
    by_default: str = ""
    seems: str = ""
    is_explained: bool = True
    explains: int | None = field(default=None, compare=False)
    kept: dict[str | None, Any] | None = field(default=None, compare=False)

    @property
    def short(self) -> str:
        """The name without the module."""
        return self.name.rpartition(":")[2]

    @property
    def is_named(self) -> bool:
        """Whether names say what its arguments are."""
        return self.known >= len(self.order)

    @property
    def of_equal_rows(self) -> bool:
        """Whether it is given several queries as one array, which holds those of equally many docs alone: too few to be asked all."""
        return self.batch == ALL and self.container in EQUAL_ROWS

    @property
    def any_k(self) -> bool:
        """Whether it can be asked at any cutoff: it takes one that its result is of, or its result has a value for each."""
        return (self.k is not None and not self.k_alone) or self.reads == "place"

    @property
    def table(self) -> bool:
        """Whether queries are the rows of a table, be it one or all of them."""
        return self.batch in {ALL} | IN_TABLES

    @property
    def spelled(self) -> str:
        """What stands before the arguments of a call; what has no name of its own is `function`."""
        return self.spelled_at(self.k)

    def spelled_at(self, k: object, made_of: Sequence[str] = ()) -> str:
        """The same, made at that cutoff, and of these arguments as they are written."""
        name = self.short if all(part.isidentifier() for part in self.short.split(".")) else "function"
        if self.of_class:
            name = name.removesuffix(f".{self.method}") if self.method else name
            at = [f"{self.k}={k}"] if self.k_made and k is not None else []
            name = f"{name}({', '.join([*made_of, *self.made, *at])})"
        return f"{name}.{self.method}" if self.method and not name.endswith(f".{self.method}") else name


def names_of(given: Sequence[str]) -> list[str]:
    """The names of arguments as they are written, as `max_rel=4`."""
    return [argument.partition("=")[0] for argument in given]


@dataclass(frozen=True, eq=False)
class Form:
    """What a function is told, and how: a row of the table in `rankproof.calling.call_forms`.

    Attributes:
        name: as `--form` takes it.
        call: the form in Python's terms.
        told: what its arguments are, in a line.
        settled: the conventions that the caller decides by what the function is told.
        untold: the axes of which it is told nothing.
        express: the part of an input that can be asked, or None.
        roles: of the arguments, with the names that they go by.
        batches: the ways in which several queries are given, the likeliest first.
        ask: calls a function as its target says, with an expressed input.
        repro: the lines of Python that do the same, for a query (None: all of them).
    """

    name: str
    call: str
    told: str
    settled: Mapping[str, str]
    express: Callable[[Input], Input | None]
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()
    batches: tuple[str, ...] = (QUERY,)
    ask: Callable[[Any, Target, Input, int | None], Answered] = field(kw_only=True)
    repro: Callable[[Target, Input, str | None, int | None], list[str]] = field(kw_only=True)
