"""How exactly a library answers, as its numbers show."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal

from rankproof.inference.search import Search, plain
from rankproof.measure_facts import Profile
from rankproof.reference_impl.conventions import STANDARD
from rankproof.workers.observations import Answered, Observation

FEWEST_DECIMALS, MOST_DECIMALS = 3, 6
"""As programs print."""
NEARLY_ALL = 0.9


def coarser(search: Search, profile: Profile) -> str | None:
    """The precision at which more rows are explained than at float64: float32, or as many decimals as the numbers have."""
    # A mean over queries is taken of what was printed, and printed no more.
    values = [
        value
        for piece in search.evidence
        for query, value in piece.rows
        if isinstance(value, float) and (query is not None or len(piece.question.case.queries) == 1)
    ]
    printed, profiles = _printed(values), (profile, search.settle(plain(STANDARD)))
    missed = {}
    for exact in ("float64", "float32", *([printed] if printed else [])):
        evidence = [piece.at(exact) for piece in search.evidence]
        missed[exact] = sum(piece.mask(one).bit_count() for one in profiles for piece in evidence)
    least = min(missed, key=missed.__getitem__)
    return None if least == "float64" else least


def printed_at(observations: Iterable[Observation]) -> str | None:
    """The decimals that a library prints, if it prints its numbers: of what is no whole number among all that it says of queries."""
    answered = [seen.answer for seen in observations if isinstance(seen.answer, Answered)]
    return _printed([value for answer in answered for value in (answer.per_query or {}).values() if value % 1])


def _printed(values: Sequence[float]) -> str | None:
    """As many decimals as a program prints, if that is the most that a number has, but for a few that were made of others."""
    decimals = sorted(-int(Decimal(repr(v)).as_tuple().exponent) if math.isfinite(v) else 0 for v in values)
    most = decimals[int(NEARLY_ALL * (len(decimals) - 1))] if decimals else 0
    return f"{most} decimals" if FEWEST_DECIMALS <= most <= MOST_DECIMALS else None
