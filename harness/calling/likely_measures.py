"""What a function most likely computes, by its name alone: for a line that can be typed, and never for a verdict."""

import ast
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rankproof.calling.argument_names import K
from rankproof.calling.finding import is_file, written_in

_BY_NAME = (
    (r"n_?dcg|normali[sz]ed_discounted", "nDCG"),
    (r"dcg|cumulative_gain", "DCG"),
    (r"r_?prec(ision)?$|r_precision", "Rprec"),
    (r"average_precision|avg_prec|(^|_)m?ap(k|_|$)", "AP"),
    (r"recip|(^|_)m?rr(_|$)", "RR"),
    (r"auc|roc", "AUC"),
    (r"prec", "P"),
    (r"recall", "R"),
    (r"hit|success|(^|_)hr(_|$)", "Success"),
    (r"f1|f_?(score|measure|beta)", "F"),
    (r"(^|_)rbp", "RBP"),
    (r"(^|_)err(_|$)", "ERR"),
    (r"bpref", "Bpref"),
)
"""What stands in a name in lower case, with `_` between its words; the first that does says the measure."""
ALWAYS_CUT = frozenset({"P", "R", "Success", "F"})
"""The measures that have a cutoff always."""
AN_EXAMPLE = "nDCG@10"
CUTOFF = 10
SHOWN = 4
"""How many lines are written at most."""


def likely_measure(function: str, parameters: Sequence[str] = ()) -> str | None:
    """The measure that a name speaks of, with a cutoff where it has one, or takes one; None where it speaks of none.

    >>> likely_measure("ndcg_at_k"), likely_measure("MeanReciprocalRank"), likely_measure("mapk", ["actual", "k"]), likely_measure("run")
    ('nDCG@10', 'RR', 'AP@10', None)
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", function.rpartition(".")[2]).lower()
    found = next((measure for pattern, measure in _BY_NAME if re.search(pattern, words)), None)
    if found is None:
        return None
    is_cut = found in ALWAYS_CUT or re.search(r"_at_|@|_k$|\d$", words) or any(name.lower() in K for name in parameters)
    return f"{found}@{CUTOFF}" if is_cut and found not in {"AUC", "Rprec", "Bpref", "RBP"} else found


def what_to_type(where: str) -> str:
    """What is to be said where nothing says which measure a function computes: lines that can be typed, by the names of functions."""
    module, colon, name = where.rpartition(":")
    if colon and module and name:
        measure = likely_measure(name, dict(_functions(module)).get(name, ()))
        by_name = f"; by its name: {_line(where, measure)}" if measure else f", as {_line(where, AN_EXAMPLE)}"
        return f"say what {name} computes, by -m{by_name}"
    path = where.rstrip(":")
    if is_file(path) and not Path(path).is_file():
        return f"{path} is no file here; name one that is, and a function in it, as {_line('mymetrics.py:ndcg', AN_EXAMPLE)}"
    told = [(name, likely_measure(name, parameters)) for name, parameters in _functions(path)]
    likely = [f"{_line(f'{path}:{name}', measure)}" for name, measure in told if measure]
    if likely:
        more = f"; and {len(likely) - SHOWN} more" if len(likely) > SHOWN else ""
        return f"say which function, and by -m what it computes: {'; '.join(likely[:SHOWN])}{more}"
    first = next((name for name, _ in told), "FUNCTION")
    return f"say which function, and by -m what it computes, as {_line(f'{path}:{first}', AN_EXAMPLE)}"


def methods_of(where: str) -> tuple[str, ...]:
    """The public methods of FILE.py:CLASS, each as it can be named; the file is read and not run."""
    module, _, name = where.rpartition(":")
    found = next((node for node in written_in(module) if isinstance(node, ast.ClassDef) and node.name == name), None)
    own = [] if found is None else [node.name for node in found.body if isinstance(node, ast.FunctionDef)]
    return tuple(f"{where}.{method}" for method in own if not method.startswith("_"))


def _line(where: str, measure: str) -> str:
    return f"rankproof check {shlex.quote(where)} -m {measure}"


def _functions(path: str) -> Iterator[tuple[str, list[str]]]:
    """The functions and classes of a file, each with its parameters; the file is read and not run."""
    for node in written_in(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            given = node.args
            yield node.name, [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, []
