"""The smallest changes of a profile that fit observed values, and inputs that every profile rejects."""

from reference_values import PlainReference

from rankproof.cases.inputs import Input
from rankproof.inference.reference_answers import Refused
from rankproof.inference.search import changes_that_fit
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import parse

CHOICES = {"gain": ["linear", "exp", "binary"], "ties": ["input"], "score": ["f32"]}


def changes(wanted: set[str], most: int = 3) -> list[dict[str, str]]:
    """Return the changes under which a profile has these conventions."""

    def fits(conventions: Conventions) -> bool:
        return wanted <= set(conventions.spec().split())

    return [dict(change) for change in changes_that_fit(STANDARD, CHOICES, fits, most)]


def test_only_the_smallest_changes_are_yielded_up_to_a_number_of_axes() -> None:
    assert changes({"ties=input"}) == [{"ties": "input"}]
    assert changes({"ties=input", "score=f32"}) == [{"ties": "input", "score": "f32"}]
    assert changes({"ties=input", "score=f32"}, most=1) == []
    assert changes({"ties=docid-asc"}) == []


def test_value_of_the_profile_itself_is_not_tried() -> None:
    tried: list[str] = []
    list(changes_that_fit(STANDARD, CHOICES, lambda conventions: bool(tried.append(conventions.spec())), 1))
    assert tried == ["gain=exp", "gain=binary", "ties=input", "score=f32"]


def test_labelings_of_different_lengths_are_rejected_under_all_conventions() -> None:
    answers = PlainReference(Input(true=(0, 1), predicted=(0,))).answers(parse("ARI"), "standard")
    assert isinstance(answers, Refused)
    assert answers.axis == ""
