"""What a library cannot be asked: an input that its interface has no form for tells nothing of the axes it is about.

A scorer of rows cannot be given a query whose ranking is empty and a file of TREC lines has no line for it; then `empty` cannot
be told from `missing`, by no case and by no user either.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rankproof.asking.observations import Answered, Failure, Observation
from rankproof.cases import Case
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.meaning.deciding_axes import values_of
from rankproof.reference_impl.conventions import STANDARD

NEEDS: Mapping[str, Callable[[Case], bool]] = {
    "empty": lambda case: bool(case.empty_in_run),
    "no_judgments": lambda case: bool(case.empty_in_qrels),
    "ids": lambda case: any(isinstance(part, int) for row in (*case.qrels, *case.run) for part in row[:2]),
    "qrels_duplicates": lambda case: _twice(case.qrels),
    "run_duplicates": lambda case: _twice(case.run),
}
"""The axes that are about one kind of input, and which inputs are of that kind."""


def _twice(rows: Sequence[tuple[Any, ...]]) -> bool:
    return len({row[:2] for row in rows}) < len(rows)


def out_of_reach(observations: Iterable[Observation], cases: Mapping[str, Case]) -> frozenset[str]:
    """The axes of which no input was ever answered, whatever was asked; a crash is no answer."""
    answered = {seen.case for seen in observations if seen.case in cases and _is_answered(seen.answer)}
    return frozenset(axis for axis, needed in NEEDS.items() if not any(needed(cases[case]) for case in answered))


def _is_answered(answer: Answered | Failure | None) -> bool:
    return isinstance(answer, Answered) or (answer is not None and answer.kind == "error")


def fixed(axes: Iterable[str]) -> dict[str, str]:
    """What cannot be asked is taken to be as it matters least."""
    return {axis: _IDLE.get(axis, getattr(STANDARD, axis)) for axis in axes}


_IDLE = {"empty": "missing", "qrels_duplicates": "first", "run_duplicates": "first"}
"""A query is its rows, and nothing is refused."""


def untold(axis: str) -> AxisFinding:
    """The finding on an axis that is out of reach."""
    return AxisFinding(axis, None, "", "", {}, values_of(axis), f"it takes no input that {axis} is about")
