"""How exactly a library answers, as its numbers show."""

import math
from collections.abc import Iterable
from decimal import Decimal

from rankproof.asking.observations import Answered, Observation
from rankproof.inference.search import Search, plain
from rankproof.meaning.measure_facts import Profile
from rankproof.reference_impl.conventions import STANDARD

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
    decimals = _most([_decimals(value) for value in values])
    printed = [f"{decimals} decimals"] if FEWEST_DECIMALS <= decimals <= MOST_DECIMALS else []
    missed = {exact: _missed_at(search, profile, exact) for exact in ("float64", "float32", *printed)}
    least = min(missed, key=lambda exact: missed[exact])
    return None if least == "float64" else least


def printed_at(observations: Iterable[Observation]) -> str | None:
    """The decimals that a library prints, if it prints its numbers: of what is no whole number among all that it says of queries."""
    values = [
        value
        for seen in observations
        if isinstance(seen.answer, Answered) and seen.answer.per_query
        for value in seen.answer.per_query.values()
    ]
    decimals = _most([_decimals(value) for value in values if value % 1])
    return f"{decimals} decimals" if FEWEST_DECIMALS <= decimals <= MOST_DECIMALS else None


def _most(decimals: list[int]) -> int:
    """The most that a number has, but for a few that were made of others."""
    return sorted(decimals)[int(NEARLY_ALL * (len(decimals) - 1))] if decimals else 0


def _decimals(value: float) -> int:
    return max(-int(Decimal(repr(value)).as_tuple().exponent), 0) if math.isfinite(value) else 0


def _missed_at(search: Search, profile: Profile, exact: str) -> int:
    evidence = [piece.at(exact) for piece in search.evidence]
    return sum(
        piece.mask(start).bit_count() for start in (profile, search.settle(plain(STANDARD))) for piece in evidence
    )
