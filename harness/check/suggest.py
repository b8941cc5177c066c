"""Calls that are written or suggested for the user: from parameter names, and after likely slips."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from rankproof.check.call import BadCall, Call, nearest_name
from rankproof.check.source import Source
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.notation import Measure

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "relevant": ("relevant", "relevant_docs", "relevant_ids", "relevant_documents", "gold_ids"),
    "ranked": ("ranked", "ranking", "retrieved", "retrieved_docs", "retrieved_ids", "ranked_docs", "ranked_ids"),
    "rels": ("rels", "ranked_rels", "grades"),
    "y_true": ("y_true",),
    "y_score": ("y_score",),
    "qrels": ("qrels",),
    "run": ("run",),
    "k": ("k", "top_k", "topk", "at_k", "cutoff"),
}
"""Names of parameters that say without doubt which ingredient they take."""
INGREDIENT_OF = {name: ingredient for ingredient, names in PARAMETERS.items() for name in names}
CUTOFFS = (*PARAMETERS["k"], "top", "top_n", "n", "depth")
"""Names of parameters that a default makes a cutoff."""
SHAPES = (("relevant", "ranked"), ("rels",), ("y_true", "y_score"), ("qrels", "run"))
"""The shapes of functions for which a call is written or suggested, each with a cutoff or without."""
SWAPPABLE = (("relevant", "ranked"), ("y_true", "y_score"), ("rels", "scores"), ("qrels", "run"), ("docs", "relevant"))
CONVERSIONS = {
    r"\bset\b|frozenset|intersection": "set({})",
    r"ndarray|numpy|np\.": "__import__('numpy').array({})",
    r"Tensor|torch": "__import__('torch').tensor({})",
    r"Series": "__import__('pandas').Series({})",
    r"\btuple\b": "tuple({})",
    r"\blist\b": "[{}]",
}
"""What a type in an annotation or a TypeError asks for, and the Python that makes it of an ingredient."""


@dataclass(frozen=True)
class Command:
    """A command line to type."""

    target: str
    call: str
    measure: str

    def __str__(self) -> str:
        is_plain = not set('"$`\\') & set(self.call)
        call = f'"{self.call}"' if is_plain else quote(self.call)
        return f"rankproof check {self.target} {call} {self.measure}".strip()


def written_call(source: Source, name: str, measure: Measure) -> str:
    """Return the call of a function that was only named, if the names of its parameters say without doubt what they take.

    Raises:
        BadCall: they do not, or there is no such function; the message has the expression to complete.
    """
    function = source.described(name)
    if function is None:
        known = [function["name"] for function in source.functions if function["own"]]
        raise BadCall(f"{source.target} does not define {name}.{nearest_name(name, known)}")
    arguments = _arguments(function, measure)
    unknown = [argument for argument, ingredient in arguments.items() if ingredient is None]
    shape = tuple(ingredient for ingredient in arguments.values() if ingredient not in {None, "k"})
    if unknown or sorted(shape) not in [sorted(of) for of in SHAPES]:
        raise NeedsCall(source.target, name, function, tuple(unknown))
    return f"{name}({', '.join(_passed(argument, ingredient, function) for argument, ingredient in arguments.items())})"


class NeedsCall(BadCall):
    """A function whose parameters do not say what they take; the user must write the call."""

    def __init__(self, target: str, name: str, function: Mapping[str, Any], unknown: Sequence[str]) -> None:
        super().__init__(f"{name} needs a call")
        self.target, self.name, self.function, self.unknown = target, name, function, tuple(unknown)

    def message(self, suggestion: str, measure: str) -> str:
        """Return the three lines that are printed."""
        which = f"parameter {self.unknown[0]}" if len(self.unknown) == 1 else f"parameters {', '.join(self.unknown)}"
        what = (
            f"Unknown {which} of {self.name}"
            if self.unknown
            else f"The parameters of {self.name} are of several shapes"
        )
        return (
            f"{what}: write the call, such as\n"
            f"  {Command(self.target, suggestion, measure)}\n"
            "rankproof check --help lists the ingredients."
        )


def _arguments(function: Mapping[str, Any], measure: Measure) -> dict[str, str | None]:
    """Return by parameter the ingredient that it takes, or None; optional parameters are left out, but for a cutoff."""
    needs_k = cutoff_of(measure) is not None
    return {
        parameter["name"]: INGREDIENT_OF.get(parameter["name"])
        for parameter in function["parameters"]
        if parameter["required"] or (needs_k and INGREDIENT_OF.get(parameter["name"]) == "k")
    }


def _passed(argument: str, ingredient: str | None, function: Mapping[str, Any]) -> str:
    parameters = {parameter["name"]: parameter for parameter in function["parameters"]}
    is_first = all(parameter["required"] for parameter in function["parameters"][: list(parameters).index(argument)])
    return str(ingredient) if is_first and not parameters[argument]["keyword"] else f"{argument}={ingredient}"


def shaped_calls(needs: NeedsCall, measure: Measure) -> Iterator[str]:
    """Yield calls of a function by each shape that has as many arguments, both orders of two lists included."""
    required = [parameter for parameter in needs.function["parameters"] if parameter["required"]]
    cutoff = next((parameter for parameter in needs.function["parameters"] if parameter["name"] in CUTOFFS), None)
    takes_k = cutoff is not None and cutoff_of(measure) is not None
    lists = [parameter["name"] for parameter in required if parameter["name"] not in CUTOFFS]
    for shape in SHAPES:
        for order in dict.fromkeys((shape, shape[::-1])):
            if len(order) == len(lists):
                passed = [f"{cutoff['name']}=k"] if takes_k and cutoff is not None else []
                yield f"{needs.name}({', '.join([*order, *passed])})"


def refuse_hidden_cutoff(source: Source, call: Call, measure: Measure) -> None:
    """Refuse a call whose function has a cutoff by default, if the measure has none; and `k`, if there is no cutoff to pass.

    Raises:
        BadCall: with both commands to type.
    """
    if measure.of_labels or cutoff_of(measure) is not None:
        return
    if "k" in call.ingredients:
        without = ast.unparse(_Renamed({"k": ast.Constant(1000)}).visit(ast.parse(call.text.strip(), mode="eval")))
        raise BadCall(
            f"The call reads k, but {measure} has no cutoff. Type one of\n"
            f"  {Command(source.target, call.text, f'{measure}@10')}\n  {Command(source.target, without, str(measure))}"
        )
    for node in (node for node in ast.walk(call.tree) if isinstance(node, ast.Call)):
        hidden = _hidden_cutoff(source, node)
        if hidden is not None:
            name, default = hidden
            node.keywords.append(ast.keyword(name, ast.Constant(1000)))
            raise BadCall(
                f"{ast.unparse(node.func)} has the default {name}={default}, and {measure} has no cutoff. Type one of\n"
                f"  {Command(source.target, call.text, f'{measure}@{default}')}\n"
                f"  {Command(source.target, ast.unparse(call.tree), str(measure))}"
            )


def _hidden_cutoff(source: Source, node: ast.Call) -> tuple[str, int] | None:
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    function = source.described(name) if name else None
    if function is None or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    passed = {keyword.arg for keyword in node.keywords}
    for place, parameter in enumerate(function["parameters"]):
        is_open = place >= len(node.args) and parameter["name"] not in passed and None not in passed
        if (
            is_open
            and parameter["name"] in CUTOFFS
            and isinstance(parameter["default"], int)
            and parameter["default"] > 0
        ):
            return parameter["name"], parameter["default"]
    return None


def likely_slips(call: Call, reads: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield calls that may have been meant, with what is different: swapped lists, or grades in input order taken as a ranking."""
    for first, second in SWAPPABLE:
        if {first, second} <= set(call.ingredients):
            yield _renamed(call, {first: second, second: first}), "With the arguments swapped, every value matches."
    if "y_true" in call.ingredients and "y_score" not in reads:
        yield _renamed(call, {"y_true": "rels"}), "With grades in rank order, every value matches."


def _renamed(call: Call, names: Mapping[str, str]) -> str:
    tree = ast.parse(call.text.strip(), mode="eval")
    return ast.unparse(_Renamed({old: ast.Name(new, ast.Load()) for old, new in names.items()}).visit(tree))


class _Renamed(ast.NodeTransformer):
    """Replaces names, but not those of functions that are called."""

    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.names.get(node.id, node)


def converted(call: Call, function: Mapping[str, Any] | None, error: str) -> str:
    """Return the call with one ingredient converted to the type that an annotation or the error names; empty if none does."""
    names = [name for name in call.ingredients if name != "k"]
    annotations = [(parameter["name"], parameter["annotation"]) for parameter in (function or {}).get("parameters", ())]
    for place, (_, annotation) in enumerate(annotations):
        conversion = _conversion(annotation)
        if conversion and place < len(names) and conversion != "[{}]":
            return _with_conversion(call, names[place], conversion)
    conversion = _conversion(error)
    return _with_conversion(call, names[0], conversion) if conversion and names else ""


def _conversion(text: str) -> str:
    return next((code for pattern, code in CONVERSIONS.items() if re.search(pattern, text)), "")


def _with_conversion(call: Call, name: str, conversion: str) -> str:
    made = ast.parse(conversion.format(name), mode="eval").body
    return ast.unparse(_Renamed({name: made}).visit(ast.parse(call.text.strip(), mode="eval")))
