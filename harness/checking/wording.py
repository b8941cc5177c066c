"""Numbers, answers and lists as a sentence has them."""

from collections.abc import Sequence

from rankproof.asking.observations import Failure, Reading
from rankproof.text import short


def reading(value: Reading | None, *, exact: bool = False) -> str:
    """What the reference says, in words."""
    return "refuses the input" if value is None else gives(value, exact=exact)


def gives(got: Reading | Failure, *, exact: bool = False) -> str:
    """What a function says, in words."""
    if isinstance(got, Failure):
        return {"error": f"raises {got.text}", "timeout": f"gives {got.text}"}.get(
            got.kind, got.text.removeprefix("it ")
        )
    return "says nothing" if isinstance(got, str) else f"gives {repr(got) if exact else short(got)}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
