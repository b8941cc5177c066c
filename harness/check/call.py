"""Calls of user functions: Python expressions that use ingredients such as `rels` and `k`."""

import ast
import builtins
import difflib
import symtable
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any

from rankproof.check.ingredients import ANY_SCOPE, INGREDIENTS, Collection, Query
from rankproof.reference_impl.unusable import Unusable

HELPERS = frozenset({*dir(builtins), "np", "numpy", "math", "statistics", "pd", "pandas", "torch"})
"""Modules and builtins that a call uses to convert values; they are not the function under test."""


class BadCall(Unusable):
    """A call that cannot be evaluated; the message says why, and what to type instead."""


@dataclass(frozen=True)
class Call:
    """An expression such as `ndcg([g > 0 for g in rels], k)`.

    Attributes:
        text: the expression, as the user wrote it.

    Raises:
        BadCall: the text is not a Python expression, or mixes ingredients of one query with those of all queries.
    """

    text: str

    def __post_init__(self) -> None:
        self._refuse_mixed_scopes()

    @cached_property
    def tree(self) -> ast.Expression:
        """The syntax tree."""
        try:
            return ast.parse(self.text.strip(), "<call>", "eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else str(error)
            raise BadCall(f"The call is not a Python expression ({reason}): {self.text}") from None

    @cached_property
    def free_names(self) -> tuple[str, ...]:
        """The names that the expression does not bind, in the order of the text."""
        nodes = list(ast.walk(self.tree))  # before symtable, whose syntax errors are less clear
        table = symtable.symtable(self.text.strip(), "<call>", "eval")
        free = set(_global_names(table)) - {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}
        written = (node.id for node in nodes if isinstance(node, ast.Name))
        return tuple(dict.fromkeys(name for name in written if name in free))

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The names of called functions. They are the module's, even if an ingredient has the same name."""
        calls = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return frozenset(function.id for function in calls if isinstance(function, ast.Name))

    @cached_property
    def ingredients(self) -> tuple[str, ...]:
        """The ingredients in the expression."""
        return tuple(name for name in self.free_names if name in INGREDIENTS and name not in self.called_names)

    @property
    def of_all(self) -> bool:
        """Whether the call is evaluated once for all queries instead of once per query."""
        return any(INGREDIENTS[name].of_all for name in self.ingredients)

    @property
    def is_name(self) -> bool:
        """Whether the text is only the name of a function."""
        return all(part.isidentifier() for part in self.text.strip().split("."))

    @property
    def short(self) -> str:
        """The name of the function in messages: the outermost called name."""
        calls = [dotted(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        own = [name for name in calls if name and name.split(".")[0] not in HELPERS]
        return own[0].split(".")[-1] if own else "the call"

    @cached_property
    def code(self) -> CodeType:
        """The compiled expression."""
        return compile(self.tree, "<call>", "eval")

    def evaluate(self, module: Mapping[str, Any], source: Query | Collection) -> Any:
        """Evaluate the call in a module's namespace, with the ingredients of one query or of all."""
        return eval(self.code, _Namespace(module, self.ingredients, source))  # noqa: S307 - the user's own expression

    def _refuse_mixed_scopes(self) -> None:
        of_all = [name for name in self.ingredients if INGREDIENTS[name].of_all]
        of_one = [name for name in self.ingredients if not INGREDIENTS[name].of_all and name not in ANY_SCOPE]
        if of_all and of_one:
            raise BadCall(
                f"The call mixes {of_all[0]} (all queries) and {of_one[0]} (one query).\n"
                f"Use q.{of_one[0]} for q in queries instead, for example\n"
                f"  f([q.{of_one[0]} for q in queries])"
            )


class _Namespace(dict[str, Any]):
    """Namespace of a call: the module's names, and ingredients that are computed when they are read."""

    def __init__(self, module: Mapping[str, Any], names: Iterable[str], source: Query | Collection) -> None:
        super().__init__(module)
        self._source = source
        for name in names:
            self.pop(name, None)

    def __missing__(self, name: str) -> Any:
        if name not in INGREDIENTS:
            raise KeyError(name)
        return getattr(self._source, name)


def _global_names(table: symtable.SymbolTable) -> Iterable[str]:
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_global() or (is_top and not symbol.is_assigned()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_names(child)


def dotted(node: ast.AST) -> str:
    """Return the text `a.b.c` of a chain of attributes, without the calls in it."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    return dotted(node.func) if isinstance(node, ast.Call) else ""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the most similar name, or an empty text."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""
