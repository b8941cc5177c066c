"""The search for the profile that explains most observed values."""

from rankproof import cases as corpus
from rankproof.inference.evidence import Evidence, Questions, evidence_of
from rankproof.inference.search import Search, changed, changes_that_fit, plain
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure

QUESTIONS = Questions({case.id: case for case in corpus.load_all()})
TIED = "ties/straddles-cutoff"
PLAIN = plain(STANDARD)
ASCENDING = {**PLAIN, "ties": "docid-asc"}
HALF, NOTHING = Answered(None, 0.5), Answered(None, 0.0)
"""P@2 of `TIED`: by ascending ids, in input order or the best order; and by descending ids or in the worst order."""


def evidence(answer: Answered | Failure, case: str = TIED, measure: str = "P@2") -> Evidence:
    return evidence_of(answer, QUESTIONS.of(case, measure), "float64")


def search_of(*answers: Answered | Failure) -> Search:
    return Search((parse("P@2"),), [evidence(answer) for answer in answers])


def test_idle_choices_do_not_count_as_changes_of_a_profile() -> None:
    search = search_of(HALF)
    changes = [(axis, other[axis]) for axis, other in search.changes(PLAIN, ["p_denominator", "ties", "gain"])]
    assert ("ties", "docid-asc") in changes
    assert ("p_denominator", "min-k-n") in changes
    assert {axis for axis, _ in changes} == {"p_denominator", "ties"}
    by_rank = {**PLAIN, "order": "rank"}
    assert not [other for _, other in search.changes(by_rank, ["ties"])], "no documents are tied by rank"


def test_search_ends_at_the_fewest_changes_that_explain_all_values() -> None:
    search = search_of(HALF)
    best = search.descend(PLAIN)
    assert (search.cost(best), changed(best)) == (0, 1)
    assert search.simplest({**ASCENDING, "p_denominator": "min-k-n"}) == ASCENDING, "two of three docs are requested"
    assert search_of(NOTHING).simplest(ASCENDING) == PLAIN
    assert search_of(NOTHING).descend(PLAIN) == PLAIN


def test_two_changes_are_found_together_if_neither_alone_explains_anything() -> None:
    both = STANDARD.replace(ties="docid-asc", p_denominator="min-k-R")
    wanted = QUESTIONS.of(TIED, "P@2").reference.answers(parse("P@2"), both).mean
    assert float(wanted) == 1.0, "one relevant document, and it is retrieved"
    search = search_of(Answered(None, float(wanted)))
    assert search.cost(search.descend(PLAIN, further=True)) == 0


def test_second_change_is_found_if_the_first_explains_one_value_and_breaks_another() -> None:
    observed = [
        ("ids/inner-space", 1.0),
        ("ids/doc-named-as-its-query", 0.5),
    ]  # by ranks; with 1/rank the second value is 1/2
    pieces = [evidence(Answered({"q1": value}, value), case, "nDCG@3") for case, value in observed]
    search = Search((parse("nDCG@3"),), pieces)
    best = search.descend(PLAIN, further=True)
    assert (search.cost(best), best) == (0, {**PLAIN, "order": "rank", "discount": "rank"})


def test_orders_that_are_too_many_to_enumerate_exclude_no_convention() -> None:
    question = QUESTIONS.of("ties/half-of-twenty-relevant", "ERR")
    expected = question.expected(PLAIN)
    assert isinstance(expected, dict)
    standard = evidence(Answered(None, expected[None]), "ties/half-of-twenty-relevant", "ERR")
    search = Search((parse("ERR"),), [standard])
    assert search.breaks(PLAIN, {**PLAIN, "ties": "worst"}) == [standard], "the worst order has another value"
    assert search.breaks(PLAIN, {**PLAIN, "ties": "expectation"}) == [], (
        "the mean over all orders is unknown, not excluded"
    )


CHOICES = {"gain": ["linear", "exp", "binary"], "ties": ["input"], "score": ["f32"]}


def changes(wanted: set[str], most: int = 3) -> list[dict[str, str]]:
    """Return the changes that give a profile these conventions."""

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
