"""Calls that are completed from parameter names, and suggestions after likely mistakes."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from rankproof.check.call import BadCall, Call, dotted, nearest_name
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
"""Unambiguous parameter names by ingredient."""
INGREDIENT_OF = {name: ingredient for ingredient, names in PARAMETERS.items() for name in names}
CUTOFFS = (*PARAMETERS["k"], "top", "top_n", "n", "depth")
"""Names of parameters that are a cutoff if they have a default."""
SHAPES = (["ranked", "relevant"], ["rels"], ["y_score", "y_true"], ["qrels", "run"])
"""Sets of ingredients of calls that can be completed, each with or without a cutoff."""
SWAPPABLE = (("relevant", "ranked"), ("y_true", "y_score"), ("rels", "scores"), ("qrels", "run"), ("docs", "relevant"))
CONVERSIONS = {
    r"\bset\b|frozenset|intersection": "set({})",
    r"ndarray|numpy|np\.": "__import__('numpy').array({})",
    r"Tensor|torch": "__import__('torch').tensor({})",
    r"Series": "__import__('pandas').Series({})",
    r"\btuple\b": "tuple({})",
    r"\blist\b": "[{}]",
}
"""Patterns of types in annotations and errors, and the Python expression that converts an ingredient."""


def command_line(target: str, call: str, measure: Measure | str) -> str:
    """Return the command line that checks a call."""
    is_plain = not set('"$`\\') & set(call)
    quoted = f'"{call}"' if is_plain else quote(call)
    return f"rankproof check {target} {quoted} {measure}".strip()


def written_call(source: Source, name: str, measure: Measure) -> str:
    """Complete a function name to a call, if its parameters have unambiguous names.

    Raises:
        BadCall: the parameters are unclear, or the function does not exist; the message has the call to complete.
    """
    function = source.described(name)
    if function is None:
        known = [function["name"] for function in source.functions if function["own"]]
        raise BadCall(f"{source.target} does not define {name}.{nearest_name(name, known)}")
    parameters = function["parameters"]
    passed = _passed(parameters, needs_k=cutoff_of(measure) is not None)
    shape = sorted(ingredient for ingredient in passed.values() if ingredient not in {None, "k"})
    if None in passed.values() or shape not in SHAPES:
        raise BadCall(_incomplete(source, name, passed, measure))
    aligned = zip(parameters, passed, strict=False)
    by_position = {p["name"] for p, argument in aligned if p["name"] == argument and not p["keyword"]}
    arguments = (str(of) if argument in by_position else f"{argument}={of}" for argument, of in passed.items())
    return f"{name}({', '.join(arguments)})"


def _passed(parameters: Sequence[Mapping[str, Any]], *, needs_k: bool) -> dict[str, str | None]:
    """Return the ingredient of each parameter, or None. Of optional parameters, only a cutoff is included."""
    takes = {parameter["name"]: INGREDIENT_OF.get(parameter["name"]) for parameter in parameters}
    required = {parameter["name"] for parameter in parameters if parameter["required"]}
    return {name: of for name, of in takes.items() if name in required or (needs_k and of == "k")}


def _incomplete(source: Source, name: str, passed: Mapping[str, str | None], measure: Measure) -> str:
    """Return why a call cannot be completed, and the line to type."""
    unknown = [parameter for parameter, ingredient in passed.items() if ingredient is None]
    which = f"parameter{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}"
    what = f"Unknown {which} of {name}" if unknown else f"Unclear parameters of {name}"
    arguments = ", ".join(f"{parameter}={ingredient or '…'}" for parameter, ingredient in passed.items())
    command = command_line(source.target, f"{name}({arguments})", measure)
    return f"{what}: complete the call\n  {command}\nrankproof check --help lists the ingredients."


def refuse_hidden_cutoff(source: Source, call: Call, measure: Measure) -> None:
    """Raise an error if a measure without a cutoff is checked with `k` or with a function that has a default cutoff.

    Raises:
        BadCall: the call has a cutoff; the message has both commands to type.
    """
    if measure.of_labels or cutoff_of(measure) is not None:
        return
    if "k" in call.ingredients:
        without = _replaced(call, {"k": ast.Constant(1000)})
        raise BadCall(
            f"The call reads k, but {measure} has no cutoff. Type one of\n"
            f"  {command_line(source.target, call.text, f'{measure}@10')}\n"
            f"  {command_line(source.target, without, measure)}"
        )
    for node in (node for node in ast.walk(call.tree) if isinstance(node, ast.Call)):
        if (hidden := _hidden_cutoff(source, node)) is not None:
            name, default = hidden
            node.keywords.append(ast.keyword(name, ast.Constant(1000)))
            raise BadCall(
                f"{ast.unparse(node.func)} has the default {name}={default}, and {measure} has no cutoff. Type one of\n"
                f"  {command_line(source.target, call.text, f'{measure}@{default}')}\n"
                f"  {command_line(source.target, ast.unparse(call.tree), measure)}"
            )


def _hidden_cutoff(source: Source, node: ast.Call) -> tuple[str, int] | None:
    """Return the parameter with a default cutoff of a called function, and the default."""
    name = dotted(node.func).rpartition(".")[2]
    function = source.described(name) if name else None
    passed = {keyword.arg for keyword in node.keywords}
    if function is None or None in passed or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    for parameter in function["parameters"][len(node.args) :]:
        name, default = parameter["name"], parameter["default"]
        if name in CUTOFFS and name not in passed and isinstance(default, int) and default > 0:
            return name, default
    return None


def likely_slips(call: Call, reads: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield likely corrections of a call, each with a sentence: swapped lists, or grades in rank order."""
    for first, second in SWAPPABLE:
        if {first, second} <= set(call.ingredients):
            swapped = {first: ast.Name(second), second: ast.Name(first)}
            yield _replaced(call, swapped), "With the arguments swapped, every value matches."
    if "y_true" in call.ingredients and "y_score" not in reads:
        yield _replaced(call, {"y_true": ast.Name("rels")}), "With grades in rank order, every value matches."


def _replaced(call: Call, names: Mapping[str, ast.expr]) -> str:
    """Replace names in a call by expressions."""
    return ast.unparse(_Replaced(names).visit(ast.parse(call.text.strip(), mode="eval")))


class _Replaced(ast.NodeTransformer):
    """AST transformer that replaces names, except those of called functions."""

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


def convert_ingredient(call: Call, function: Mapping[str, Any] | None, error: str) -> str:
    """Return the call with one ingredient converted to the type in an annotation or the error, or an empty text."""
    names = [name for name in call.ingredients if name != "k"]
    annotations = [parameter["annotation"] for parameter in (function or {}).get("parameters", ())]
    wanted = [(name, _conversion(annotation)) for name, annotation in zip(names, annotations, strict=False)]
    wanted = [(name, code) for name, code in wanted if code not in {"", "[{}]"}]
    wanted += [(name, _conversion(error)) for name in names[:1] if _conversion(error)]
    for name, code in wanted[:1]:
        return _replaced(call, {name: ast.parse(code.format(name), mode="eval").body})
    return ""


def _conversion(text: str) -> str:
    return next((code for pattern, code in CONVERSIONS.items() if re.search(pattern, text)), "")
