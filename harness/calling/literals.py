"""Values as Python reads them."""

import math
from types import SimpleNamespace
from typing import Any


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
        return f"types.SimpleNamespace({', '.join(f'{name}={literal(of)}' for name, of in vars(value).items())})"
    if isinstance(value, set):
        return "{" + ", ".join(map(literal, sorted(value, key=str))) + "}" if value else "set()"
    if isinstance(value, tuple | list):
        items = ", ".join(map(literal, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return ascii(value)
