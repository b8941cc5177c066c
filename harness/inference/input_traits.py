"""Unusual properties of inputs, such as negative grades or infinite scores.

An input without any of them is ordinary: grades 0 to 4, finite scores, distinct documents, common ids. Users mostly
have ordinary inputs, so the behaviour on ordinary inputs decides the verdict on a function.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.reference_impl.ranking import as_float32

ORDINARY_RELS = frozenset(range(5))
BY_STEPS = 1_000
"""The highest grade with a power 2^grade that is quick to compute as an integer."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Trait:
    """An unusual property of an input: its name, and whether an input has it."""

    name: str
    applies_to: Callable[[Input], bool]


def _rels(data: Input) -> Iterable[float]:
    return (rel for _, _, rel in data.qrels)


def _merge_in_float32(data: Input) -> bool:
    return any(
        len({score for _, score, _ in rows}) > len({as_float32(score) for _, score, _ in rows})
        for rows in data.scored.values()
    )


def _odd(data: Input) -> bool:
    ids = [part for row in (*data.qrels, *data.run) for part in row[:2]]
    return any(not isinstance(part, str) or not _PLAIN_ID.fullmatch(part) for part in ids)


def has_a_doc_twice(rows: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether a query has the same document twice."""
    return len({row[:2] for row in rows}) < len(rows)


TWICE = Trait("documents that occur twice", lambda data: any(map(has_a_doc_twice, (data.qrels, data.run))))
TRAITS = (
    Trait("grades above 1,000", lambda data: any(rel > BY_STEPS for rel in _rels(data))),
    Trait("negative grades", lambda data: any(rel < 0 for rel in _rels(data))),
    Trait("fractional grades", lambda data: any(rel != int(rel) for rel in _rels(data))),
    Trait("grades above 4", lambda data: any(rel > max(ORDINARY_RELS) for rel in _rels(data))),
    TWICE,
    Trait("queries without documents", lambda data: bool(data.empty_in_run) or not data.run),
    Trait("queries without judgments", lambda data: bool(data.empty_in_qrels)),
    Trait("no judged query", lambda data: not (data.qrels or data.empty_in_qrels)),
    Trait("infinite scores", lambda data: not all(math.isfinite(score) for _, _, score, _ in data.run)),
    Trait("scores that are equal as float32", _merge_in_float32),
    Trait("ids that are numbers or have unusual characters", _odd),
)
"""All traits. Reports count an input under its first trait."""


@lru_cache(maxsize=16_384)  # all functions are tested on the same corpus
def traits_of(data: Input) -> tuple[Trait, ...]:
    """Return the unusual properties of an input. Clusterings have none."""
    return () if data.of_labels else tuple(trait for trait in TRAITS if trait.applies_to(data))


def is_ordinary(data: Input) -> bool:
    """Return whether an input has no unusual property."""
    return not traits_of(data)
