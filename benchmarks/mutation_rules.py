"""Which mutants do not count, and how a mutant is told: rules of `benchmarks/mutation.py`."""

import ast
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rankproof.reference_impl.conventions import AXES

REFERENCE = "reference_impl/"
ERRORS = {
    "LengthsDiffer",
    "NotPooled",
    "Overflow",
    "SaidTwice",
    "TooManyOrders",
    "TypeError",
    "UnknownConvention",
    "UnknownMeasure",
    "UnknownProfile",
    "ValueError",
    "super().__init__",
}
AT_IMPORT = {"_axis", "_found", "_named"}
"""Functions of the reference that make the tables when they are imported."""
STATED = {
    "_reads",
    "reads",
    "Definition.looks_at",
    "Axis.phrase",
    "_gains_in_words",
    "_discount_in_words",
    "_grade_in_words",
}
"""Functions that say what is known of a measure or an axis, and no value: `tests/test_measure_facts.py` and others hold them."""
RULES: Mapping[str, frozenset[str]] = {
    "the text of an error": frozenset({"message"}),
    "a sum that begins with 0 for 0/1, or a check of equal lengths that hold": frozenset({"spelling"}),
    "the default of a convention, which `Definition.arguments` always gives": frozenset({"default"}),
}
"""The rules of the reference, which the corpus alone judges."""
RULES_OF_THE_HARNESS: Mapping[str, frozenset[str]] = {
    "the text of an error": frozenset({"message", "raised"}),
    "the words of a sentence": frozenset({"sentence"}),
    "a check of equal lengths that hold, the type of a cast, or how UTF-8 is spelled": frozenset(
        {"spelling", "encoding"}
    ),
}
"""The rules of the harness; both kinds of text together are tried last."""
SENTENCE = re.compile(r"\S+ \S+ \S+")
"""A text of three words or more is for people."""


def undecorated(source: str) -> str:
    """The same module, with `@property def f` written as `f = property(f)`."""
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        names = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
        if names and names <= {"property", "cached_property", "lru_cache", "cache", "contextmanager"}:
            (decorator,) = node.decorator_list
            called = f"{' ' * node.col_offset}{node.name} = {ast.unparse(decorator)}({node.name})"
            lines.insert(node.end_lineno or 0, called)
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    return "\n".join(lines) + "\n"


def changed(original: ast.FunctionDef, mutant: ast.FunctionDef) -> tuple[str, str]:
    """The lines that differ, as Python would print them."""
    before, after = (ast.unparse(named_alike(node)).splitlines() for node in (original, mutant))
    lines = [line for line in difflib.ndiff(before, after) if line[0] in "-+"]
    return tuple(" / ".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+")


def named_alike(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function under a name that all have, without decorators."""
    node.name = "f"
    node.decorator_list = []
    return node


def rule(original: ast.FunctionDef, mutant: ast.FunctionDef, where: str) -> str:
    """By which rule a mutant does not count, if by one."""
    plain = [ast.parse(ast.unparse(named_alike(node))) for node in (original, mutant)]
    if where.startswith(REFERENCE):
        function = where.rpartition(" ")[2]
        if function in AT_IMPORT:
            return "run at import"
        if function in STATED:
            return "a fact, which other tests hold"
    rules = RULES if where.startswith(REFERENCE) else RULES_OF_THE_HARNESS
    for name, kinds in rules.items():
        one, other = (ast.dump(_Plain(kinds).visit(ast.parse(ast.unparse(node)))) for node in plain)
        if one == other:
            return name
    return ""


@dataclass
class _Plain(ast.NodeTransformer):
    """Takes out of a function what a rule says does not matter."""

    kinds: frozenset[str]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Messages are called msg, and their parts hint, near and needed."""
        name = node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
        if "message" in self.kinds and name in {"msg", "hint", "near", "needed"}:
            node.value = ast.Constant("")
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """What an error is made with; where sum starts; strict zips; types of casts; encodings."""
        name = ast.unparse(node.func)
        if "message" in self.kinds:
            _without_message(node, name)
        if "spelling" in self.kinds and name == "sum" and [ast.unparse(a) for a in node.args[1:]] == ["Fraction(0)"]:
            del node.args[1:]
        if "spelling" in self.kinds and name == "zip":
            node.keywords = []
        if "spelling" in self.kinds and name == "cast" and len(node.args) == 2:  # noqa: PLR2004 - the type, which nothing reads, and the value
            node.args[0] = ast.Constant("")
        if "encoding" in self.kinds:
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "encoding"]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """The texts that get a name before an error is raised with them, and are nothing else."""
        if "raised" in self.kinds:
            raised = _only_raised(node)
            for one in ast.walk(node):
                if isinstance(one, ast.Assign) and _assigned(one) in raised and _is_text(one.value):
                    one.value = ast.Constant("")
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """The texts that an error is raised with, and nothing else of it: which error it is counts."""
        if "raised" in self.kinds and isinstance(node.exc, ast.Call):
            node.exc.args = [argument for argument in node.exc.args if not _is_text(argument)]
            node.exc.keywords = [keyword for keyword in node.exc.keywords if not _is_text(keyword.value)]
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """The words of a text for people; that there is one counts."""
        if "sentence" in self.kinds and isinstance(node.value, str) and SENTENCE.search(node.value):
            return ast.Constant("a sentence")
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """Defaults of keyword-only parameters that are axes."""
        if "default" in self.kinds:
            node.kw_defaults = [
                ast.Constant("") if argument.arg in AXES else default
                for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
            ]
        return self.generic_visit(node)


def _assigned(node: ast.Assign) -> str:
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _only_raised(function: ast.FunctionDef) -> set[str]:
    """The names that are read nowhere but as an argument of an error, by itself or within a text."""
    raised = [node.exc for node in ast.walk(function) if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)]
    given = [argument for error in raised for argument in error.args]
    parts = [
        part.value
        for text in given
        if isinstance(text, ast.JoinedStr)
        for part in text.values
        if isinstance(part, ast.FormattedValue)
    ]
    inside = {id(name) for name in [*given, *parts] if isinstance(name, ast.Name)}
    read = [node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return {node.id for node in read if id(node) in inside} - {node.id for node in read if id(node) not in inside}


def _is_text(node: ast.expr) -> bool:
    """Whether an argument is a message: text put together, a text with a space, or None in its place."""
    if isinstance(node, ast.Constant):
        return node.value is None or (isinstance(node.value, str) and " " in node.value)
    return isinstance(node, ast.JoinedStr)


def _without_message(node: ast.Call, name: str) -> None:
    if name in {"Rejected", "UndefinedScore"}:
        node.args, node.keywords = node.args[:1], [keyword for keyword in node.keywords if keyword.arg != "message"]
    elif name == "worth_by":  # the query is there to be named in a message
        node.args = [*node.args[:2], *(ast.Constant("") for _ in node.args[2:])]
    elif name in ERRORS and len(node.args) == 1:
        node.args = [ast.Constant("")]
