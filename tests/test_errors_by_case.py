"""What a function raises is told of the cases where it raises that, and of no others."""

import re

import pytest

from rankproof.checking.examining import examine
from rankproof.grouping import grouped
from rankproof.isolating.limits import Limits
from rankproof.telling.check_text import verdict
from rankproof.workers.observations import Failure

ERRORS = {
    (0, 1): ValueError("late"),
    (1, 0, 0): KeyError("early"),
    (0, 0, 1): TypeError("last"),
    (1, 1): OSError("all"),
}
"""What is raised of some rankings, where no convention knows them apart."""
TOLD = re.compile(r"; it (?:raises (\w+): '?(\w+)'? on|gives no number, for (other) reasons, on) ([^;]+)")


@pytest.mark.in_turn
@pytest.mark.parametrize("kinds", [1, 2, 4])
def test_each_error_is_told_of_the_cases_where_it_is_raised(kinds: int) -> None:
    """Two errors are told as they are, and of the cases of all others that it is another one."""
    raised = dict(list(ERRORS.items())[:kinds])

    def metric(ranked_rels: list[float], k: int = 5) -> float:
        if tuple(ranked_rels) in raised:
            raise raised[tuple(ranked_rels)]
        return sum(rel >= 1 for rel in ranked_rels[:k]) / k

    checked = examine(metric, "P@5", limits=Limits(isolated=False))
    rankings: dict[str, set[tuple[float, ...]]] = {}
    for miss in checked.ordinary.misses:
        if isinstance(miss.got, Failure):
            asked = miss.question.case
            rankings[asked.id] = {tuple(each) for each in grouped((q, rel) for q, _, rel in asked.input.qrels).values()}
    told = {what or other: cases for _, what, other, cases in TOLD.findall(verdict(checked))}
    assert [what == "other" for what in told] == [False, False, True][: min(kinds, 3)]
    of_error = {str(error).strip("'"): ranking for ranking, error in raised.items()}
    allowed = {
        what: {of_error[what]} if what in of_error else {*raised} - {of_error[w] for w in told if w in of_error}
        for what in told
    }
    counted = 0
    for what, cases in told.items():
        named, _, more = cases.partition(" and ")
        assert all(rankings[case] & allowed[what] for case in named.split(", ")), (what, cases)
        counted += len(named.split(", ")) + int(more.split(" ")[0] or 0)
    assert counted == len(rankings)
