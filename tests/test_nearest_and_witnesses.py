"""Of several, the one that is meant: the nearest, the finest, the witness of most, the first that is not extreme, and all that remain."""

import math
from typing import Any

import pytest
from following import MADE, following

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import exceeding, nearest
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.differing import differences, precisions
from rankproof.inference.axis_findings import witnesses
from rankproof.inference.fingerprints import infer
from rankproof.matching.evidence import Evidence, Questions, evidence_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import Oracle, Values
from rankproof.meaning.deciding_axes import values_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Observation


def _case(name: str, rels: dict[str, int], scores: dict[str, float]) -> Case:
    """A case of one query."""
    run = tuple(("q", doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1))
    given = Input(qrels=tuple(("q", doc, rel) for doc, rel in rels.items()), run=run)
    return Case(f"made/{name}", "a question", "", "", (), given, None, ("nDCG@2", "P@2"))


GRADED = _case("graded", {"a": 1, "b": 2, "c": 0}, {"b": 2.0, "a": 3.0, "c": 1.0})
TIED = _case("tied", {"a": 1, "b": 0, "c": 0}, {"b": 1.0, "a": 1.0, "c": 1.0})
PLAIN = _case("plain", {"a": 1, "b": 0}, {"a": 2.0, "b": 1.0})


def _seen(case: Case, measure: str, value: float) -> Seen:
    return Seen(Question(case, parse(measure), recalled(case.input)), Answered(None, value))


# -- checking -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", range(4))
def test_the_nearest_libraries_are_those_from_which_fewest_answers_differ(
    turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    differ = {"ties=input": 5, "ties=docid-asc": 1, "ties=worst": 3, "ties=best": 1}
    claims = [(STANDARD.replace(ties=spec.partition("=")[2]), [f"{spec} first", f"{spec} second"]) for spec in differ]
    claims = claims[turn:] + claims[:turn]
    monkeypatch.setattr(nearest, "_claims", lambda _: claims)

    def missed(_seen: Any, own: Conventions, _exact: str, most: float = math.inf) -> float:
        return min(differ[own.spec()], most + 1)

    monkeypatch.setattr(nearest, "misses", missed)
    seen: Any = [None] * 9
    monkeypatch.setattr(nearest, "missed_first", lambda some, *_: some)
    found = nearest.nearest(parse("P@1"), seen, "float64", STANDARD)
    near = [claim for claim in claims if claim[0].ties in {"docid-asc", "best"}]
    assert found == nearest.Nearest(tuple(name for _, names in near for name in names), 8, 9)
    assert nearest.nearest_claims(parse("P@1"), seen, "float64", STANDARD) == [profile for profile, _ in near]


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((0.5, 0.3333, 0.25), ["4 decimals"]),
        ((0.333, 0.5, 0.66667), ["5 decimals"]),
        ((0.5, 1.0, 0.25), []),
        ((1 / 3, 0.333, 0.5), []),
    ],
)
def test_a_function_rounds_to_as_many_decimals_as_its_longest_number_has(
    values: tuple[float, ...], decimals: list[str]
) -> None:
    seen = [_seen(GRADED, "nDCG@2", value) for value in values]
    assert list(precisions(seen)) == ["float64", "float32", *decimals]


def test_what_differs_at_one_precision_is_not_what_differs_at_another() -> None:
    answers = Oracle(GRADED.input).answers(parse("nDCG@2"), STANDARD)
    assert isinstance(answers, Values)
    value = to_float(answers.mean)
    for exact in (["float64", "float32", "4 decimals"], ["4 decimals", "float32", "float64"]):
        seen = [_seen(GRADED, "nDCG@2", value * (1 + off)) for off in (1e-13, 1e-8, 1e-5)]
        found = {precision: len(differences(seen, STANDARD, precision)) for precision in exact}
        assert found == {"float64": 2, "float32": 1, "4 decimals": 0}


@pytest.mark.parametrize("turn", range(3))
def test_a_value_beyond_the_bounds_is_shown_where_no_doc_is_retrieved_twice(
    turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though an input on which one is may be smaller; and of those on which none is, by the smallest."""
    asked = [Question(case, parse("P@2"), recalled(case.input)) for case in (PLAIN, TIED, GRADED)]
    each = [exceeding.Excess(one, None, 2.0, 1.0, one.case is PLAIN, is_credited_twice=False) for one in asked]
    monkeypatch.setattr(exceeding, "_beyond", lambda one, *_: [one])
    shuffled: Any = each[turn:] + each[:turn]
    found = exceeding.excess(parse("P@2"), shuffled, STANDARD, "float64")
    assert found is not None
    assert not found.repeats
    assert found.question.weight == min(one.question.weight for one in each if not one.repeats)


# -- inference ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_every_value_that_remains_is_told_and_no_other(order: tuple[int, ...]) -> None:
    """Of three values that the answers do not tell apart, all three; by brute force."""
    cases = [(GRADED, TIED, PLAIN)[i] for i in order]
    observed = [following("standard", case, "nDCG@2") for case in cases]
    (found,) = infer(observed, {case.id: case for case in cases}, MADE)
    asked, measure = [Oracle(case.input) for case in cases], parse("nDCG@2")

    def is_alike(axis: str, value: str) -> bool:
        own = STANDARD.replace(**{axis: value})
        return all(one.answers(measure, own) == one.answers(measure, STANDARD) for one in asked)

    axes = ("ties", "gain", "ideal_cut")
    remaining = {axis: {value for value in values_of(axis) if is_alike(axis, value)} for axis in axes}
    assert [len(values) for values in remaining.values()] == [3, 1, 3]
    for axis, values in remaining.items():
        finding = found.axes[axis]
        assert {*finding.open} == (values if len(values) > 1 else set())
        assert finding.excluded.keys() == {*values_of(axis)} - values


@pytest.mark.parametrize("turn", range(3))
def test_the_witness_excludes_most_values(turn: int) -> None:
    questions = Questions({case.id: case for case in (TIED, GRADED, PLAIN)})
    asked = ((TIED.id, "P@2"), (GRADED.id, "AP"), (PLAIN.id, "RR"))
    most, some, one = (
        evidence_of(Observation(case, MADE, measure, Answered(None, 1.0)), questions.of(case, measure), "float64")
        for case, measure in asked
    )
    broken: Any = [("a", [one, most, some]), ("b", [most]), ("c", [some, most]), ("d", [])]

    def simplest(*those: Evidence) -> str:
        return min((one.question for one in those), key=lambda question: question.simplicity).case.id

    ids = {"a": simplest(one, most, some), "b": TIED.id, "c": simplest(some, most)}
    assert witnesses(dict(broken[turn:] + broken[:turn])) == (TIED.id, "P@2", ids)
