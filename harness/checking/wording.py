"""Numbers, answers and lists as a sentence has them."""

import math
from collections.abc import Sequence

from rankproof.asking.observations import Failure, Reading


def number(value: float) -> str:
    """A number as a sentence has it: `.6309`, `0`, `1.5`; never so short that it seems to be another.

    >>> number(0.6309297), number(0.0), number(1.0), number(1e-9)
    ('.6309', '0', '1', '1e-09')
    """
    if not math.isfinite(value):
        return str(value)
    if value == int(value) and abs(value) < 1e15:  # noqa: PLR2004 - beyond, floats are whole anyway
        return str(int(value))
    short = f"{value:.4f}".rstrip("0")
    if float(short) == 0 or float(short) == int(float(short)):
        return f"{value:.4g}" if f"{value:.4g}" not in {"0", "1"} else repr(value)
    return short.replace("0.", ".", 1) if short.startswith(("0.", "-0.")) else short


def reading(value: Reading | None, *, exact: bool = False) -> str:
    """What the reference says, in words."""
    return "refuses the input" if value is None else gives(value, exact=exact)


def gives(got: Reading | Failure, *, exact: bool = False) -> str:
    """What a function says, in words."""
    if isinstance(got, Failure):
        return {"error": f"raises {got.text}", "timeout": f"gives {got.text}"}.get(
            got.kind, got.text.removeprefix("it ")
        )
    return "says nothing" if isinstance(got, str) else f"gives {repr(got) if exact else number(got)}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
