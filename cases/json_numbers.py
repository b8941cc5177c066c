"""Numbers in JSON, which rankproof writes as text if they are NaN or infinite."""

import math

NOT_FINITE = frozenset({"nan", "inf", "-inf"})


def number_as_json(value: float | str | None) -> float | str | None:
    """Return a number for JSON; return words and None unchanged.

    >>> number_as_json(0.5), number_as_json(float("-inf")), number_as_json("absent"), number_as_json(None)
    (0.5, '-inf', 'absent', None)
    """
    return str(float(value)) if isinstance(value, float) and not math.isfinite(value) else value


def number_of_json(value: float | str | None) -> float | str | None:
    """Return a number from JSON as a float; return words and None unchanged.

    >>> number_of_json("-inf"), number_of_json(0.5), number_of_json("absent")
    (-inf, 0.5, 'absent')
    """
    return float(value) if isinstance(value, str) and value in NOT_FINITE else value
