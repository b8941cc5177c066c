"""An example as Python: the ingredients that are assigned, and the call that is repeated."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.check.call import Call
from rankproof.check.ingredients import Collection, CollectionData, Query, query_data
from rankproof.check.result import CheckResult, Example
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.notation import Measure

OF_QUERIES = ("queries",)
FRAMES = {"qrels_frame": ("query_id", "doc_id", "relevance"), "run_frame": ("query_id", "doc_id", "score")}
FILES = ("qrels_file", "run_file")
LONGEST_VALUE, LONGEST_LINE = 60, 57
"""Lines of code are no longer, so that none is broken outside brackets."""


def assertion_lines(result: CheckResult, example: Example) -> list[str]:
    """Return lines of a test that fails now: the ingredients are assigned, and the call is held to the value of the measure.

    They use `approx` of pytest. Nothing is returned if the measure has no value there.
    """
    if example.expected is None or not math.isfinite(example.expected) or not result.call:
        return []
    names = Call(result.call).ingredients
    values = values_of(example.input, example.measure, frozenset(names), result.reads)
    call, right = f"{result.call}{_index(result, example)}", f"approx({_rounded(example.expected)}, abs=1e-4)"
    whole = f"assert {call} == {right}"
    last = [whole] if len(whole) <= LONGEST_LINE else [f"value = {call}", f"assert value == {right}"]
    return [*_assignments(values), *last]


def _rounded(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".") or "0"


def _index(result: CheckResult, example: Example) -> str:
    of_all = {"qrels", "run", "queries", *FRAMES, *FILES} & result.reads
    return f"[{example.query!r}]" if of_all and example.query is not None else ""


def values_of(data: Input, measure: Measure, names: frozenset[str], reads: frozenset[str]) -> dict[str, Any]:
    """Return the values of some ingredients on an input; `queries` with the attributes that were read."""
    k, threshold = cutoff_of(measure), 1.0 if measure.of_labels else measure.rel
    of_all = Collection(CollectionData(data, k, threshold, set()))
    query = Query(query_data(data, next(iter(data.scored), ""), k, threshold), set())
    values: dict[str, Any] = {}
    for name in sorted(names):
        if name in OF_QUERIES:
            own = sorted(reads - {"queries", "k"} - FRAMES.keys() - {*FILES, "qrels", "run"})
            values[name] = [{attribute: getattr(one, attribute) for attribute in own} for one in of_all.queries]
        elif name in FRAMES:
            values[name] = getattr(of_all, name).values.tolist()
        elif name in FILES:
            with open(getattr(of_all, name), encoding="utf-8") as file:  # noqa: PTH123 - a path as text
                values[name] = file.read()
        else:
            values[name] = getattr(of_all if hasattr(of_all, name) else query, name)
    return values


def _assignments(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that assign plain ingredients together, and the others one by one."""
    plain = {name: repr(value) for name, value in values.items() if name not in {*OF_QUERIES, *FRAMES, *FILES}}
    if plain:
        together = f"{', '.join(plain)} = {', '.join(plain.values())}"
        yield from (
            [together] if len(together) <= LONGEST_LINE else [f"{name} = {value}" for name, value in plain.items()]
        )
    for name in OF_QUERIES:
        if name in values:
            yield "from types import SimpleNamespace as Query"
            yield f"{name} = [{', '.join(_query(query) for query in values[name])}]"
    for name, columns in FRAMES.items():
        if name in values:
            yield f"{name} = pandas.DataFrame({values[name]!r}, columns={list(columns)!r})"
    for name in FILES:
        if name in values:
            yield f"{name} = '{name.replace('_', '.')}'"
            yield f"open({name}, 'w').write({values[name]!r})"


def _query(attributes: Mapping[str, Any]) -> str:
    return f"Query({', '.join(f'{name}={value!r}' for name, value in attributes.items())})"


def passed_values(data: Input, measure: Measure, reads: frozenset[str]) -> str:
    """Return in a line what is passed."""
    if not reads.isdisjoint({*FRAMES, *FILES, *OF_QUERIES}):
        return ""
    values = values_of(data, measure, reads, reads)
    return ", ".join(_shortened(f"{name}={value!r}") for name, value in values.items())


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
