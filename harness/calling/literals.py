"""Values as Python reads them."""

import math
from typing import Any


def literal(value: Any) -> str:  # noqa: ANN401 - lists, dicts, ids and numbers
    """A value as Python reads it; Python has no literal of the infinities.

    >>> literal({"q1": [1, float("-inf")]})
    "{'q1': [1, float('-inf')]}"
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, set):
        return "{" + ", ".join(map(literal, sorted(value, key=str))) + "}" if value else "set()"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return ascii(value)
