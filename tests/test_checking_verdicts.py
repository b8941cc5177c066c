"""The steps of a verdict on a function, each by itself: where answers differ, which conventions and defects that shows, what is told."""

import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.asking.observations import ABSENT, Answered, Failure, Reading
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import differing, tier_wording, wording
from rankproof.checking.call_forms import FORMS
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.differing import Difference, count, differences, precisions
from rankproof.checking.tiers import traits
from rankproof.judging.oracle import Answers, CannotTell, Obstacle, Refused, Values
from rankproof.judging.recalled import recalled
from rankproof.judging.verdicts import reading_of
from rankproof.meaning.input_traits import ASSUMPTIONS, traits_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD, parse_conventions
from rankproof.reference_impl.notation import parse

CLOSED, RAISED = Failure("crash", "it ended"), Failure("error", "ValueError: no")


def given(qrels: str, run: str) -> Input:
    """Rows as `query doc rel` and `query doc score`, with commas between them."""
    judged = [row.split() for row in qrels.split(",") if row]
    ranked = [row.split() for row in run.split(",") if row]
    return Input(
        tuple((query, doc, float(rel)) for query, doc, rel in judged),
        tuple((query, doc, float(score), rank) for rank, (query, doc, score) in enumerate(ranked, start=1)),
    )


TIED = given("q a 1,q b 0,q c 0", "q c 2,q a 1,q b 1")
"""P@2 is 0 by descending ids, 1/2 by ascending ones and by the rows, 1/4 on average over both orders of a and b."""
GRADED = given("q a 3,q b 1", "q b 2,q a 1")
"""DCG@2 is 1 + 3/log2(3) by the linear gain, 1 + 7/log2(3) by the exponential one."""
TWO = given("q a 1,r c 1", "q a 1,r b 2,r c 1")
"""RR is 1 of q and 1/2 of r: 3/4."""


def question(data: Input, measure: str = "P@2", name: str = "made") -> Question:
    """A question as a case of the corpus would ask it."""
    asked = parse(measure)
    case = Case(name, f"what is {name}", "", "", (), data, also_ask=(measure,))
    return Question(case, asked, recalled(data), traits=traits_of(data, cutoff_of(asked)))


def seen(data: Input, answer: float | Answered | Failure, measure: str = "P@2", name: str = "made") -> Seen:
    """A question with its answer; a number is the value over all queries."""
    return Seen(question(data, measure, name), Answered(None, answer) if isinstance(answer, float) else answer)


def following(spec: str, data: Input, measure: str = "P@2", name: str = "made") -> Seen:
    """A question, answered by who follows a profile."""
    asked = question(data, measure, name)
    value = reading_of(asked.answers(parse_conventions(spec)), None)
    assert isinstance(value, float)
    return Seen(asked, Answered(None, value))


def told(answers: Answers, queries: Sequence[str] = ("q",), weight: int = 1, name: str = "made") -> Any:
    """A question to which the reference is made to say this."""
    return SimpleNamespace(
        case=SimpleNamespace(id=name, question="is it", queries=queries), measure=parse("P@2"), weight=(weight, name),
        answers=lambda _: answers, choices=lambda conventions: (conventions.spec(),),
    )  # fmt: skip


def values(mean: float | None, **per_query: float) -> Values:
    return Values(
        {query: Fraction(value) for query, value in per_query.items()}, None if mean is None else Fraction(mean)
    )


# -- where answers differ ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "coarsest"),
    [
        ([0.12], "float32"),
        ([0.123], "3 decimals"),
        ([0.5, 0.1234, 0.25], "4 decimals"),
        ([0.123456], "6 decimals"),
        ([0.1234567], "float32"),
        ([math.nan, math.inf, 0.123], "3 decimals"),
        ([], "float32"),
    ],
)
def test_numbers_may_be_rounded_to_as_many_decimals_as_they_have(numbers: list[float], coarsest: str) -> None:
    answers = [seen(TIED, RAISED), *(seen(TIED, number) for number in numbers)]
    expected = ("float64", "float32") if coarsest == "float32" else ("float64", "float32", coarsest)
    assert precisions(answers) == expected


def test_a_query_that_is_not_told_has_no_decimals() -> None:
    assert precisions([seen(TIED, Answered({"q": 0.123}, None))])[-1] == "3 decimals"


def test_numbers_come_before_errors_and_simple_questions_before_large() -> None:
    got: list[tuple[float | Failure, int]] = [(RAISED, 1), (0.5, 9), (0.5, 2), (CLOSED, 3)]
    asked = [Seen(told(values(1.0), weight=weight), one if isinstance(one, Failure) else Answered(None, one)) for one, weight in got]  # fmt: skip
    assert [found.question.weight[0] for found in differences(asked, STANDARD, "float64")] == [2, 9, 1, 3]
    assert Difference(told(values(1.0), weight=4, name="x"), None, 1.0, RAISED).rank == (True, 4, "x")


def test_what_differs_is_kept_by_precision_and_by_choices() -> None:
    one = seen(TIED, 0.5 + 1e-8)
    ascending = STANDARD.replace(ties="docid-asc")
    assert [len(differences([one], ascending, exact)) for exact in ("float64", "float32", "float64")] == [1, 0, 1]
    assert len(differences([one], STANDARD, "float32")) == 1
    assert differing._kept(one, ascending, "float64") is differing._kept(one, ascending, "float64")
    assert len(one.compared) == 3


@pytest.mark.parametrize(
    ("answers", "answer", "expected"),
    [
        (values(0.5, q=0.5), Answered(None, 0.5), []),
        (values(0.5, q=0.5), Answered(None, 0.25), [(None, 0.5, 0.25, "")]),
        (values(0.5, q=0.5), Answered({"q": 0.25}, 0.5), [("q", 0.5, 0.25, "")]),
        (values(0.5), Answered({}, 0.5), []),  # both say nothing of q
        (values(0.5, q=0.5), Answered({}, 0.5), [("q", 0.5, ABSENT, "")]),
        (values(0.5), Answered({"q": 1.0}, 0.5), [("q", ABSENT, 1.0, "")]),
        (values(0.5, q=0.5), RAISED, [(None, 0.5, RAISED, "")]),
        (values(0.5, q=0.5), CLOSED, [(None, 0.5, CLOSED, "")]),
        (values(None), RAISED, []),  # a mean over nothing
        (values(None, q=0.5), RAISED, [(None, math.nan, RAISED, "")]),
        (values(0.0), RAISED, [(None, 0.0, RAISED, "")]),
        (Refused("ids", "no"), RAISED, []),
        (Refused("ids", "no"), CLOSED, [(None, None, CLOSED, "")]),
        (Refused("ids", "no"), Answered(None, 0.5), [(None, None, 0.5, "")]),
        (CannotTell(Obstacle.TOO_MANY_ORDERS, "many"), Answered(None, 0.5), []),
        (CannotTell(Obstacle.TOO_MANY_ORDERS, "many"), RAISED, []),
        (CannotTell(Obstacle.TOO_MANY_ORDERS, "many"), CLOSED, [(None, None, CLOSED, "")]),
        (
            CannotTell(Obstacle.NOT_POOLED, "no ratio"),
            Answered({"q": 0.25}, 0.5),
            [(None, None, 0.5, "the reference cannot tell: no ratio")],
        ),
        (
            CannotTell(Obstacle.NOT_POOLED, "no ratio"),
            Answered({"q": 0.25, "r": 1.0}, None),
            [(None, None, 0.25, "the reference cannot tell: no ratio")],
        ),
        (
            CannotTell(Obstacle.NOT_POOLED, "no ratio"),
            Answered(None, None),
            [(None, None, ABSENT, "the reference cannot tell: no ratio")],
        ),
        (
            CannotTell(Obstacle.NOT_POOLED, "no ratio"),
            RAISED,
            [(None, None, RAISED, "the reference cannot tell: no ratio")],
        ),
    ],
)
def test_an_answer_is_held_against_all_that_the_reference_can_say(
    answers: Answers, answer: Answered | Failure, expected: list[tuple[str | None, Reading | None, Any, str]]
) -> None:
    found = differences([Seen(told(answers), answer)], STANDARD, "float64")
    assert [(one.query, repr(one.expected), one.got, one.note) for one in found] == [
        (query, repr(wanted), got, note) for query, wanted, got, note in expected
    ]


def test_an_answer_that_changes_differs_whatever_is_right() -> None:
    found = differences(
        [Seen(told(values(0.5, q=0.5, r=0.5)), Answered({"q": 0.5, "r": 0.5}, None), Answered({"q": 0.5, "r": 1.0}, None))],
        STANDARD,
        "float64",
    )  # fmt: skip
    assert [(one.query, one.expected, one.got, one.note) for one in found] == [
        ("r", 0.5, 0.5, "asked again it gives 1")
    ]


@pytest.mark.parametrize(
    ("got", "is_right"),
    [(0.0, True), (0.3, True), (0.5, True), (0.5 + 1e-9, False), (-1e-9, False), (0.5 + 5e-16, True), (-5e-16, True)],
)
def test_where_ties_are_unspecified_any_order_is_right(got: float, is_right: bool) -> None:  # noqa: FBT001 - a table
    unspecified = STANDARD.replace(ties="unspecified")
    assert (differences([seen(TIED, got)], unspecified, "float64") == []) == is_right
    assert differing._in_some_order(question(TIED), None, got, unspecified) == is_right
    assert differences([seen(TIED, 0.3)], STANDARD, "float64") != []


def test_no_order_gives_what_is_no_number_or_has_no_ties() -> None:
    in_some_order = differing._in_some_order
    assert not in_some_order(question(TIED), None, ABSENT, STANDARD)
    assert not in_some_order(question(TIED), "x", 0.25, STANDARD), "the reference says nothing of x"
    assert not in_some_order(question(TWO, "RR"), None, 0.75, STANDARD), "nothing is tied"
    assert not in_some_order(told(Refused("ids", "no")), None, 0.5, STANDARD)
    missed = Seen(question(given("q a 1,q b 0,r a 1", "q a 1,q b 1,r a 1"), "P@1"), Answered({"q": 0.5, "r": 0.5}, 0.5))
    after = differences([missed], STANDARD.replace(ties="unspecified"), "float64")
    assert [one.query for one in after] == ["r"], "what ties excuse of one query is not all that is looked at"


def test_questions_are_counted_by_their_case_and_measure() -> None:
    found = [
        Difference(question(TWO, measure, name), query, 1.0, 0.0)
        for measure, name, query in (("RR", "a", None), ("RR", "a", "q"), ("RR", "b", None), ("P@1", "a", None))
    ]
    assert count(found) == 3


# -- sentences ---------------------------------------------------------------------------------------------------------


def test_what_a_function_says_in_words() -> None:
    assert wording.gives(RAISED) == "raises ValueError: no"
    assert wording.gives(Failure("timeout", "no answer in 2 s")) == "gives no answer in 2 s"
    assert wording.gives(CLOSED) == "ended"
    assert wording.gives(ABSENT) == "says nothing"
    assert [wording.gives(1 / 3), wording.gives(1 / 3, exact=True)] == ["gives .3333", "gives 0.3333333333333333"]
    assert wording.reading(None) == "refuses the input"
    assert [wording.reading(0.25), wording.reading(0.25, exact=True)] == ["gives .25", "gives 0.25"]


def test_a_list_says_how_many_more_there_are() -> None:
    assert [wording.listed("abcd"[:n]) for n in range(5)] == ["", "a", "a, b", "a, b, c", "a, b, c and 1 more"]
    assert wording.listed("abcd", 1) == "a and 3 more"


@pytest.mark.parametrize(
    ("answer", "again", "expected", "sentence"),
    [
        (Answered(None, 0.5), Answered(None, 1.0), (None, 0.5, 1.0), "gives .5 and then 1"),
        (Answered({"q": 0.5}, None), Answered({"q": 1.0}, None), ("q", 0.5, 1.0), "gives .5 and then 1 for q"),
        (Answered({"q": 0.5, "r": 0.0}, 0.25), Answered({"q": 0.5, "r": 1.0}, 0.25), ("r", 0.0, 1.0), "gives 0 and then 1 for r"),
        (Answered({"q": 0.5}, None), RAISED, (None, 0.5, RAISED), "gives .5 and then raises ValueError: no"),
        (RAISED, Answered(None, 0.5), (None, RAISED, 0.5), "raises ValueError: no and then gives .5"),
        (CLOSED, RAISED, (None, CLOSED, RAISED), "ended and then raises ValueError: no"),
        (Answered(None, None), RAISED, (None, ABSENT, RAISED), "says nothing and then raises ValueError: no"),
    ],
)  # fmt: skip
def test_two_answers_are_told_apart(
    answer: Answered | Failure, again: Answered | Failure, expected: tuple[Any, ...], sentence: str
) -> None:
    assert wording.apart(answer, again) == expected
    assert wording.told_apart(answer, again) == sentence


def test_a_query_of_which_one_answer_says_nothing_tells_them_apart() -> None:
    first, then = Answered({"q": 1.0}, None), Answered({"q": 1.0, "r": 0.5}, None)
    assert wording.apart(first, then) == ("r", ABSENT, 0.5)
    assert wording.apart(then, first) == ("r", 0.5, ABSENT)


# -- extreme input -----------------------------------------------------------------------------------------------------

NEGATIVE = given("q a -1,q b 1", "q a 2,q b 1")
FRACTION = given("q a .5,q b 1", "q a 2,q b 1")


def missed(data: Input, got: float | Failure, name: str, measure: str = "P@2") -> Difference:
    return Difference(question(data, measure, name), None, 0.5, got)


def test_what_is_extreme_is_told_trait_by_trait() -> None:
    asked = [seen(NEGATIVE, 0.5, name="a"), seen(NEGATIVE, 0.5, name="b"), seen(FRACTION, 0.5, name="c")]
    extremes = tier_wording.extremes
    assert extremes(asked, []) == "the same on all 3 extreme questions"
    assert extremes(asked[:1], [], "gain=exp") == "the same, with gain=exp, on all 1 extreme question"
    assert extremes(asked, [missed(NEGATIVE, 0.25, "b")]) == (
        "the same on 2 of 3 extreme questions; negative rels: unexplained (1 of 2), as .25 on b"
    )
    everything = [missed(FRACTION, RAISED, "c"), missed(NEGATIVE, 0.25, "b"), missed(NEGATIVE, RAISED, "a")]
    assert extremes(asked, everything, "gain=exp") == (
        "the same, with gain=exp, on 0 of 3 extreme questions; negative rels: unexplained (2 of 2), as .25 on b; "
        "fractional rels: it raises ValueError: no (1 of 1)"
    )
    assert tier_wording.extremes([seen(TWO, 0.0)], [missed(TWO, 0.0, "made")]).endswith(
        "; : unexplained (1 of 1), as 0 on made"
    )
    assert [tier_wording._of(None), tier_wording._of(ASSUMPTIONS["integer"])] == ["", "fractional rels"]


@pytest.mark.parametrize(
    ("got", "measure", "expected"),
    [
        (0.0, "P@2", "0"),
        (1.0, "P@2", "1"),
        (1.5, "P@2", "1.5, above 1, beyond which no P is"),
        (-0.5, "P@2", "-.5, below 0, beyond which no P is"),
        (-0.5, "DCG@2", "-.5, below 0, beyond which no DCG is"),
        (1.5, "DCG@2", "1.5"),
        (RAISED, "P@2", "raises ValueError: no"),
        (ABSENT, "P@2", "says nothing"),
    ],
)
def test_a_value_beyond_what_a_measure_can_be_is_told(got: float | Failure, measure: str, expected: str) -> None:
    assert tier_wording._value(missed(NEGATIVE, got, "a", measure)) == expected


def test_a_form_has_the_traits_of_what_it_is_told() -> None:
    def names(form: str, data: Input, k: float | None = None) -> set[str]:
        return {trait.assumption for trait in traits(FORMS[form], data, k)}

    twice = given("q a 1", "q a 2,q a 1")
    assert names("qrels-run", twice) == {"distinct"}
    assert names("rows", twice) == set(), "of ids, it is told nothing"
    unjudged = Input(run=(("q", "a", 1.0, 1),), qrels=(("q", "a", 1),), empty_in_qrels=("r",))
    assert names("qrels-run", unjudged) >= {"judged"}
    assert "judged" not in names("queries-ids", unjudged), "of rels, it is told nothing"
    assert "judged" in names("grouped", unjudged)
    assert names("rows", TWO, 3) == {"k-docs"}
    assert names("rows", TWO) == set()
