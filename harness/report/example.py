"""An example as Python: the ingredients that are assigned, and the call that is repeated."""

import math
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.check.call import Call
from rankproof.check.ingredients import Collection, CollectionData, Query, query_data
from rankproof.check.result import CheckResult, Example
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.notation import Measure

NOT_PLAIN = frozenset({"queries", "qrels_frame", "run_frame", "qrels_file", "run_file"})
"""Ingredients that are not written as a literal."""
LONGEST_VALUE, LONGEST_LINE = 60, 57


def assertion_lines(result: CheckResult, example: Example) -> list[str]:
    """Return lines of a test that fails now: the ingredients are assigned, and the call is compared with the value of the measure.

    They use `approx` of pytest. Nothing is returned if the measure has no value, or if the call reads data frames, files or `queries`.
    """
    if example.expected is None or not math.isfinite(example.expected) or not result.call or result.reads & NOT_PLAIN:
        return []
    values = values_of(example.input, example.measure, frozenset(Call(result.call).ingredients))
    together = f"{', '.join(values)} = {', '.join(map(repr, values.values()))}"
    each = [f"{name} = {value!r}" for name, value in values.items()]
    of_all = {"qrels", "run"} & result.reads and example.query is not None
    call = f"{result.call}[{example.query!r}]" if of_all else result.call
    right = f"approx({f'{example.expected:.4f}'.rstrip('0').rstrip('.') or '0'}, abs=1e-4)"
    whole = [f"assert {call} == {right}"]
    last = whole if len(whole[0]) <= LONGEST_LINE else [f"value = {call}", f"assert value == {right}"]
    return [*([together] if len(together) <= LONGEST_LINE else each), *last] if values else last


def values_of(data: Input, measure: Measure, names: frozenset[str]) -> dict[str, Any]:
    """Return the values of some ingredients on an input."""
    k, threshold = cutoff_of(measure), 1.0 if measure.of_labels else measure.rel
    of_all = Collection(CollectionData(data, k, threshold, set()))
    query = Query(query_data(data, next(iter(data.scored), ""), k, threshold), set())
    return {name: getattr(of_all if hasattr(of_all, name) else query, name) for name in sorted(names)}


def passed_values(data: Input, measure: Measure, reads: frozenset[str]) -> str:
    """Return in a line what is passed; nothing if it is not plain."""
    values = {} if reads & NOT_PLAIN else values_of(data, measure, reads)
    texts = (f"{name}={value!r}" for name, value in values.items())
    return ", ".join(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…" for text in texts)
