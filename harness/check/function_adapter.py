"""Adapter of a user's function: it evaluates a call for one input, in the process of the function.

It uses the protocol of the libraries' adapters (`rankproof.adapters.worker`). The input of an observation has qrels,
run and the `call` to evaluate. Each reply reports which ingredients were read, which queries were skipped, and which
lists the function changed in place.
"""

import builtins
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.check.call import Call
from rankproof.check.ingredients import INGREDIENTS, Collection, CollectionData, Query, QueryData, query_data
from rankproof.workers.user_module import Namespace, functions_in, namespace_of

LIBRARY = "function"
VARIANT = "call"
LONGEST = 60
"""The maximum length of a value in an error message."""


class NotANumber(Exception):
    """A result that is not a number."""


@dataclass
class FunctionAdapter:
    """A user's module, class or object, with a report on its calls.

    Attributes:
        target: `metrics.py`, `package.module`, or either with `:Name` of a class or object; empty for a callable.
        function: a callable that takes query objects, instead of a target.
        over: whether `function` takes one query or the list of all queries.
    """

    target: str = ""
    function: Callable[[Any], Any] | None = None
    over: str = "query"
    reads: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)
    _namespace: Namespace = field(default_factory=dict)

    LIBRARY = LIBRARY
    PACKAGES: Sequence[str] = ()
    VARIANTS = {VARIANT: "a call of a user's function"}  # noqa: RUF012 - as the modules of libraries have it
    MEASURES = {"*": None}  # noqa: RUF012 - as above

    def load(self) -> dict[str, Any]:
        """Import the module and describe its functions.

        Raises:
            LookupError: the module cannot be imported, or lacks the name in the target.
        """
        if self.function is not None:
            return {"version": "", "about": {}}
        self._namespace = namespace_of(self.target)
        return {
            "version": "",
            "about": {
                "functions": list(functions_in(self._namespace, self.target)),
                "names": [name for name in {*self._namespace, *dir(builtins)} if isinstance(name, str)],
                "shadowed": [name for name in INGREDIENTS if name in self._namespace],
            },
        }

    def report(self) -> dict[str, Any]:
        """Return the ingredients that calls since the last report read and changed."""
        names = {"reads": self.reads, "changed": self.changed, "unsteady": self.unsteady}
        report = {name: sorted(of_calls) for name, of_calls in names.items()}
        for of_calls in names.values():
            of_calls.clear()
        return report

    def observe(
        self, _variant: str, data: dict[str, Any], _of_measure: object, values: dict[str, Any]
    ) -> tuple[Any, Any]:
        """Evaluate the call for the input, and return the value per query or the mean.

        Raises:
            NotANumber: the result is not a number.
        """
        call = _call(data["call"]) if data.get("call") else None
        own, cutoff, threshold = Input.of_json(data), cutoff_in(values["measure"]), data["threshold"]
        if self.over == "queries" or (call is not None and call.of_all):
            return self._of_all(call, CollectionData(own, cutoff, threshold, self.reads))
        return self._of_each(call, [query_data(own, query, cutoff, threshold) for query in own.scored])

    def _of_each(self, call: Call | None, queries: Sequence[QueryData]) -> tuple[dict[str, float], None]:
        return {query.query: number_of(self._evaluate(call, Query(query, self.reads))) for query in queries}, None

    def _of_all(self, call: Call | None, collection: CollectionData) -> tuple[dict[str, float] | None, float | None]:
        value = self._evaluate(call, Collection(collection))
        if hasattr(value, "items") and hasattr(value, "keys"):
            return {str(query): number_of(of_query) for query, of_query in value.items()}, None
        if getattr(value, "ndim", 0) == 1 and len(value) == 1 != len(collection.query_names):
            value = value[0]
        if isinstance(value, list | tuple) or getattr(value, "ndim", 0) == 1:
            return dict(zip(_names_of_list(collection, len(value)), map(number_of, value), strict=True)), None
        return None, number_of(value)

    def _evaluate(self, call: Call | None, source: Query | Collection) -> Any:
        def evaluate() -> Any:
            if call is not None:
                return call.evaluate(self._namespace, source)
            assert self.function is not None  # noqa: S101 - there is a call or a function
            return self.function(source.queries if isinstance(source, Collection) else source)

        value = evaluate()
        if changed := source.changed():
            self.changed.update(changed)
            if repr(evaluate()) != repr(value):
                self.unsteady.update(changed)
        return value


def cutoff_in(measure: str) -> int | None:
    """Return the cutoff in the text of a measure. Parsing the measure would import all measures.

    >>> cutoff_in("P(rel=2)@5"), cutoff_in("AP"), cutoff_in("IPrec@0.1")
    (5, None, None)
    """
    cutoff = measure.rpartition("@")[2]
    return int(cutoff) if "@" in measure and cutoff.isdigit() else None


@lru_cache(maxsize=64)
def _call(text: str) -> Call:
    return Call(text)


def _names_of_list(collection: CollectionData, length: int) -> Sequence[str]:
    """Return the queries of a list of values, by its length."""
    orders = (collection.query_names, tuple(collection.data.judged), tuple(collection.data.scored))
    names = next((order for order in orders if len(order) == length), None)
    if names is None:
        raise NotANumber(f"it returned {length} values for {len(collection.query_names)} queries")
    return names


def number_of(value: Any) -> float:
    """Convert the result of a call to a float; None is NaN.

    Raises:
        NotANumber: the result is not a number.
    """
    if value is None:
        return float("nan")
    if not isinstance(value, str | bytes):
        with suppress(TypeError, ValueError):
            return float(value)
    raise NotANumber(f"it returned {_described(value)}, not a number{_hint(value)}")


def _described(value: Any) -> str:
    text = f"the {type(value).__name__} {value!r}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _hint(value: Any) -> str:
    if isinstance(value, str | bytes) or not hasattr(value, "__len__") or not len(value):
        return ""
    first = next(iter(value)) if isinstance(value, dict) else 0
    return f"; add [{first!r}] to the call to choose one"


def serve() -> None:
    """Serve the target in `sys.argv`; the process of the function runs this."""
    from rankproof.workers.function_process import serve_function

    serve_function(FunctionAdapter(sys.argv[1]))
