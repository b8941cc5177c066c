"""What a library cannot be asked: an input that its interface has no form for tells nothing of the axes it is about.

Nor does what an adapter translates: rows without ids say nothing of ids, and a file of text says nothing of numbers that are ids.

A scorer of rows cannot be given a query whose ranking is empty and a file of TREC lines has no line for it; then `empty` cannot
be told from `missing`, by no case and by no user either.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.inference.input_traits import has_a_doc_twice
from rankproof.reference_impl.conventions import AXES
from rankproof.workers.observations import Answered, Failure, Observation

KINDS: Mapping[str, Callable[[Input], bool]] = {
    "an empty ranking": lambda given: bool(given.empty_in_run),
    "a query without judgments": lambda given: bool(given.empty_in_qrels),
    "an id that is a number": lambda given: given.number_ids,
    "a doc judged twice": lambda given: has_a_doc_twice(given.qrels),
    "a doc retrieved twice": lambda given: has_a_doc_twice(given.run),
}
"""The kinds of input that axes need (`Axis.needs`), and which inputs are of that kind."""


@dataclass(frozen=True)
class Reach:
    """The axes of which a library can show nothing.

    Attributes:
        lacking: those of which no input was ever answered, whatever was asked.
        untold: those about what its adapter translates, as it left a query out or sorted the rows itself: an answer follows some value
            of them, which is the adapter's.
        plain: those of the untold of which every answer follows the value of `standard`, as of a function that is called with what an
            input has.
    """

    lacking: frozenset[str] = frozenset()
    untold: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()

    @property
    def out_of_it(self) -> frozenset[str]:
        """The axes of which nothing is found."""
        return self.lacking | self.untold

    @property
    def fixed(self) -> dict[str, str]:
        """What no input is about is taken to be as it matters least."""
        left = {axis: AXES[axis].never_asked or AXES[axis].default for axis in self.lacking}
        return {axis: AXES[axis].default for axis in self.plain} | left


def reach_of(observations: Iterable[Observation], cases: Mapping[str, Case], untold: Iterable[str] = ()) -> Reach:
    """What a library can show by what it was asked; a crash is no answer."""
    answered = {seen.case for seen in observations if seen.case in cases and _is_answered(seen.answer)}
    lacking = {kind for kind, of_it in KINDS.items() if not any(of_it(cases[case].input) for case in answered)}
    return Reach(
        frozenset(name for name, axis in AXES.items() if axis.needs in lacking), frozenset(AXES.keys() & {*untold})
    )


def _is_answered(answer: Answered | Failure | None) -> bool:
    return isinstance(answer, Answered) or (answer is not None and answer.kind == "error")


def untold(axis: str) -> AxisFinding:
    """The finding on an axis that is out of reach."""
    return AxisFinding(axis, None, "", "", {}, values_of(axis), f"it takes no input that {axis} is about")
