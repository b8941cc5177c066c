"""Faults that no convention explains."""

import pytest

from rankproof.cases.inputs import Input
from rankproof.check.faults import EVERYTHING, ignored_input
from rankproof.check.made_inputs import RELEVANCE, case_of
from rankproof.check.observe import Value
from rankproof.check.questions import Question
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered

MEASURE = parse("P@1")


def values(groups: int, queries: int, step: float) -> list[Value]:
    """Return two values for each group of inputs, whose documents are relevant in one input and not in the other.

    All queries of a group have the same number, which is larger by `step` in the next group.
    """
    names = [f"q{i}" for i in range(queries)]
    found = []
    for group in range(groups):
        run = tuple((query, f"d{group}", 1.0, 1) for query in names)
        for grade in (0, 1):
            data = Input(tuple((query, f"d{group}", grade) for query in names), run)
            question = Question(case_of(f"{group}-{grade}", "", data), MEASURE)
            found.append(Value(question, Answered(dict.fromkeys(names, 0.25 + step * group), None)))
    return found


@pytest.mark.parametrize(
    ("groups", "queries", "step", "ignored"),
    [
        (3, 1, 0.0, (EVERYTHING,)),
        (3, 1, 0.125, (RELEVANCE,)),
        (2, 20, 0.0, None),
        (2, 20, 0.125, None),
    ],
)
def test_input_is_ignored_if_three_groups_of_inputs_show_it_however_many_queries_they_have(
    groups: int, queries: int, step: float, ignored: tuple[str, ...] | None
) -> None:
    fault = ignored_input(values(groups, queries, step), MEASURE)
    assert (fault and fault.about) == ignored
