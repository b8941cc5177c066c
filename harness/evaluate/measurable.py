"""Which of the measures that are asked can be measured on this input: all but those whose ties have too many orders to try."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from rankproof.reference_impl.ties import TooManyOrders

T = TypeVar("T")


@dataclass(frozen=True)
class Measurable(Generic[T]):
    """What was found of each measure, and of which measures nothing could be.

    Attributes:
        of: measure -> what was found.
        lacking: measure -> why there is nothing.
    """

    of: dict[str, T]
    lacking: dict[str, str]


def measurable(measures: Iterable[str], found: Callable[[str], T]) -> Measurable[T]:
    """Ask `found` of each measure.

    Raises:
        TooManyOrders: nothing can be found of any of them.
    """
    of: dict[str, T] = {}
    lacking: dict[str, TooManyOrders] = {}
    for measure in measures:
        try:
            of[measure] = found(measure)
        except TooManyOrders as error:
            lacking[measure] = error
    if lacking and not of:
        raise next(iter(lacking.values()))
    return Measurable(of, {measure: str(error) for measure, error in lacking.items()})
