"""What is checked: a function, a class or an object of a person's, and the form by which it is called.

A form says what a function is told, and so what it can be asked: a function of `y_true` and `y_score` is told neither docids nor of docs
that were not retrieved. `express` narrows an input to that; a narrowed input is one like any other, and the reference answers it under
the same conventions as the function. What the caller decides, and not the function, is `settled` by the form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.asking.observations import Answered
from rankproof.cases.inputs import Input


class BadFunction(ValueError):
    """There is no such function, or it answers none of the forms known here."""


@dataclass(frozen=True)
class Target:
    """How a function, a class or an object of a person's is called: plain data, that the process of the function can send.

    Attributes:
        name: where it is, as MODULE:FUNCTION.
        order: the roles of its arguments, in its own order.
        k: the name of the parameter for the cutoff; None if it has none.
        k_needed: whether that has no default.
        arrays: whether lists are given as numpy arrays.
        tensors: whether they are given as tensors of torch.
        table: whether a query is given as the only row of a table, as scikit-learn has it.
        of_class: whether it is a class, of which an object is made for each question.
        made: the arguments with which a class was made into what is called; None if it was not.
    """

    name: str
    form: "Form"
    order: tuple[str, ...] = ()
    k: str | None = None
    k_needed: bool = False
    arrays: bool = False
    tensors: bool = False
    table: bool = False
    of_class: bool = False
    made: str | None = None

    @property
    def short(self) -> str:
        """The name without the module."""
        return self.name.rpartition(":")[2]

    @property
    def spelled(self) -> str:
        """What stands before the arguments of a call; what has no name of its own is `function`."""
        name = self.short if all(part.isidentifier() for part in self.short.split(".")) else "function"
        return name if self.made is None else f"{name}({self.made})"


@dataclass(frozen=True, eq=False)
class Form:
    """What a function is told, and how.

    Attributes:
        name: as `--signature` takes it.
        call: the form in Python's terms.
        settled: the conventions that the caller decides by what the function is told.
        untold: the axes of which it is told nothing.
        express: the part of an input that can be asked, or None.
        ask: calls a function as its target says, with an expressed input.
        repro: the lines of Python that do the same, for a query (None: all of them).
        roles: of the arguments, with the names that they go by.
    """

    name: str
    call: str
    settled: Mapping[str, str]
    express: Callable[[Input], Input | None]
    ask: Callable[[Any, Target, Input, int | None], Answered]
    repro: Callable[[Target, Input, str | None, int | None], list[str]]
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    untold: frozenset[str] = frozenset()
