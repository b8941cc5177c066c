"""What is ordinary and what is extreme: the traits of an input, and the assumptions that exclude them.

An input without an extreme trait is ordinary: rels 0 to 4, finite scores, distinct docs, ids that people use. What a function does there is
what its users meet, so that leads; the rest is told after it.
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
BINARY = frozenset({0, 1})
BY_STEPS = 1_000
"""The rel from which on 2 to the power of it takes long in whole numbers."""
_PLAIN_ID = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


@dataclass(frozen=True, slots=True)
class Trait:
    """What an input may have.

    Attributes:
        name: what it is called.
        assumption: that no input has it, as `--assume` takes it.
        found: whether an input has it, at a cutoff.
        is_extreme: whether it takes the input out of the ordinary tier.
    """

    name: str
    assumption: str
    found: Callable[[Input, float | None], bool]
    is_extreme: bool = True


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
    """Whether a doc stands there twice under a query."""
    return len({row[:2] for row in rows}) < len(rows)


def _no_hit(data: Input) -> bool:
    return any(all(rel < 1 for _, rel in rows) for rows in data.judged.values())


def _is_short(data: Input, k: float | None) -> bool:
    return k is not None and any(len(rows) < k for rows in data.scored.values())


TRAITS = (
    Trait("rels above 1,000", "small", lambda data, _: any(rel > BY_STEPS for rel in _rels(data))),
    Trait("negative rels", "nonnegative", lambda data, _: any(rel < 0 for rel in _rels(data))),
    Trait("fractional rels", "integer", lambda data, _: any(rel != int(rel) for rel in _rels(data))),
    Trait("rels above 4", "to-4", lambda data, _: any(rel > max(ORDINARY_RELS) for rel in _rels(data))),
    Trait(
        "a doc that stands there twice",
        "distinct",
        lambda data, _: any(map(has_a_doc_twice, (data.qrels, data.run))),
    ),
    Trait("a query without docs", "nonempty", lambda data, _: bool(data.empty_in_run) or not data.run),
    Trait("a query without judgments", "judged", lambda data, _: bool(data.empty_in_qrels)),
    Trait("no judged query", "some-judged", lambda data, _: not (data.qrels or data.empty_in_qrels)),
    Trait("infinite scores", "finite", lambda data, _: not all(math.isfinite(score) for _, _, score, _ in data.run)),
    Trait("scores that are one as float32", "float32", lambda data, _: _merge_in_float32(data)),
    Trait("ids that are numbers, or not plain", "plain-ids", lambda data, _: _odd(data)),
    Trait("rels above 1", "binary", lambda data, _: not BINARY.issuperset(_rels(data)), is_extreme=False),
    Trait("ties", "no-ties", lambda data, _: data.has_ties, is_extreme=False),
    Trait("a query without relevant docs", "some-relevant", lambda data, _: _no_hit(data), is_extreme=False),
    Trait("fewer docs than the cutoff", "k-docs", _is_short, is_extreme=False),
)
"""All of them; what an input is called extreme by is the first that it has."""
ASSUMPTIONS = {trait.assumption: trait for trait in TRAITS}


@lru_cache(maxsize=16_384)  # the inputs of the corpus at each cutoff: functions are asked the same
def traits_of(data: Input, k: float | None = None) -> tuple[Trait, ...]:
    """What an input has of them, at a cutoff; two labelings have none."""
    return () if data.of_labels else tuple(trait for trait in TRAITS if trait.found(data, k))


def is_ordinary(data: Input) -> bool:
    """Whether an input has nothing extreme."""
    return not any(trait.is_extreme for trait in traits_of(data))
