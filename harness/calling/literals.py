"""Values as Python reads them."""

import math
from types import SimpleNamespace
from typing import Any


class Spelled(str):
    """What is spelled already: a name, or a call of one, which is called as what it names is."""

    __slots__ = ()

    def __call__(self, /, *given: Any, **named: Any) -> "Spelled":  # noqa: ANN401 - as literals are
        """The call, as Python reads it."""
        written = [*map(literal, given), *(f"{name}={literal(value)}" for name, value in named.items())]
        return Spelled(f"{self}({', '.join(written)})")


def literal(value: Any) -> str:  # noqa: ANN401 - lists, dicts, ids and numbers
    """A value as Python reads it; Python has no literal of the infinities.

    >>> literal({"q1": [1, float("-inf")]})
    "{'q1': [1, float('-inf')]}"
    >>> literal([SimpleNamespace(doc_id="d1")])
    "[types.SimpleNamespace(doc_id='d1')]"
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, SimpleNamespace):
        return Spelled("types.SimpleNamespace")(**vars(value))
    if isinstance(value, set):
        return "{" + ", ".join(map(literal, sorted(value, key=str))) + "}" if value else "set()"
    if isinstance(value, tuple | list):
        items = ", ".join(map(literal, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return value if isinstance(value, Spelled) else ascii(value)
