"""The steps of a verdict on a function, each by itself: where answers differ, which conventions and defects that shows, what is told."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import ABSENT, Answered, Failure, Reading
from rankproof.asking.sheets import Sheet, Version
from rankproof.asking.subjects import Installation, Subject
from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import (
    axis_witnesses,
    differing,
    exceeding,
    findings,
    inferring,
    known_habits,
    left_open,
    looking,
    mixing,
    nearest,
    one_of_each,
    tied_rows,
    wording,
)
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.differing import Difference, differences, precisions, refuses_in_the_top_alone
from rankproof.checking.tier import Tier
from rankproof.checking.trials import equally_many
from rankproof.defects import library_defects
from rankproof.defects.trial import QuestionNumbers
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import Varied, recalled
from rankproof.matching.reference_answers import Answers, CannotTell, Obstacle, Refused, Values
from rankproof.meaning.input_traits import traits_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.telling import check_answer, check_extremes, check_text, check_words

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
    value = reading_of(asked.answers(profile(spec)), None)
    assert isinstance(value, float)
    return Seen(asked, Answered(None, value))


@pytest.mark.parametrize(
    ("run", "is_right"),
    [
        ("q a 4,q b 3,q x 2", True),  # the doc without a judgment is below the cutoff of two docs
        ("q a 4,q b 3,q x 3", False),  # it has the score of the second, and may be within it
        ("q x 4,q a 3,q b 2", False),
        ("q a 4,q b 3,q x 2,r a 4,r x 3,r b 2", False),  # of one query below it, and of the other within it
        ("r a 4,q a 4,q b 3,q x 2,r b 3", True),
    ],
)
def test_a_doc_that_is_refused_within_the_cutoff_alone_is_no_difference_below_it(run: str, is_right: bool) -> None:  # noqa: FBT001
    refusing = STANDARD.replace(unjudged="rejected")
    qrels = "q a 1,q b 0" + (",r a 1,r b 0" if "r " in run else "")
    asked = seen(given(qrels, run), 0.5)  # of two docs, of each query, one is relevant
    assert (differences([asked], refusing, "float64") == []) is is_right
    assert refuses_in_the_top_alone([asked], refusing) is is_right
    assert not refuses_in_the_top_alone([asked], STANDARD)


def told(answers: Answers, data: Input = TIED) -> Question:
    """A question to which the reference is made to say this."""
    reference: Any = SimpleNamespace(at=lambda *_: answers, varied=lambda *_: Varied(()))
    return replace(question(data), reference=reference)


def values(mean: float | None, **per_query: float) -> Values:
    return Values(
        {query: Fraction(value) for query, value in per_query.items()}, None if mean is None else Fraction(mean)
    )


# -- where answers differ ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "coarsest"),
    [
        ([0.12], "float32"),
        ([n / 100 for n in range(1, 12)], "float32"),
        ([n / 100 for n in range(1, 40)], "2 decimals"),
        ([n / 10 for n in range(40)], "float32"),
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
        *(
            (CannotTell(Obstacle.TOO_MANY_ORDERS, "many"), ended, [(None, None, ended, "")])
            for ended in (CLOSED, *(Failure(kind, "it ended") for kind in ("timeout", "memory", "invalid-output")))
        ),
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
        [Seen(told(values(0.5, q=0.5, r=0.5), TWO), Answered({"q": 0.5, "r": 0.5}, None), Answered({"q": 0.5, "r": 1.0}, None))],
        STANDARD,
        "float64",
    )  # fmt: skip
    assert [(one.query, one.expected, one.got, one.note) for one in found] == [
        ("r", 0.5, 0.5, "asked again it gives 1")
    ]
    many = told(CannotTell(Obstacle.TOO_MANY_ORDERS, "many"))
    (one,) = differences([Seen(many, Answered(None, 0.5), Answered(None, 0.25))], STANDARD, "float64")
    assert (one.got, one.note) == (0.5, "asked again it gives .25")


@pytest.mark.parametrize(
    ("got", "is_right"),
    [(0.0, True), (0.3, True), (0.5, True), (0.5 + 1e-9, False), (-1e-9, False), (0.5 + 5e-16, True), (-5e-16, True)],
)
def test_where_ties_are_unspecified_any_order_is_right(got: float, is_right: bool) -> None:  # noqa: FBT001 - a table
    unspecified = STANDARD.replace(ties="unspecified")
    assert (differences([seen(TIED, got)], unspecified, "float64") == []) == is_right
    assert differences([seen(TIED, 0.3)], STANDARD, "float64") != []


def test_what_differs_is_counted_by_question_and_stands_numbers_first() -> None:
    """None of these values is P@2 or R@2 of the tied docs, which are 0; of the two queries each has another one."""
    both = given("q a 0,r a 0", "q a 1,r a 1")
    wrong = [
        seen(TIED, RAISED, name="a"), seen(both, Answered({"q": 0.25, "r": 0.5}, 0.75), "P@1", "c"), seen(TIED, 0.25, name="b"),
        seen(TIED, 0.25, "R@2", "b"), seen(TIED, 0.0, name="right"),
    ]  # fmt: skip
    found = differences(wrong, STANDARD, "float64")
    assert [(one.question.case.id, str(one.question.measure), one.got) for one in found if one.question.case.id != "c"] == [
        ("b", "P@2", 0.25), ("b", "R@2", 0.25), ("a", "P@2", RAISED),
    ]  # fmt: skip
    assert (len(found), differing.count(found), found[-1].got) == (6, 4, RAISED)
    counts = [differing.misses(wrong, STANDARD, "float64", most) for most in (0, 1, 3, 4, math.inf)]
    assert counts == [1, 2, 4, 4, 4], "no more than one beyond the most"
    assert [one.question.case.id for one in differing.missed_first(wrong[::-1], STANDARD, "float64")] == [
        "b",
        "b",
        "c",
        "a",
        "right",
    ]


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
        (Answered({"q": 1.0}, None), Answered({"q": 1.0, "r": 0.5}, None), ("r", ABSENT, 0.5), "says nothing and then gives .5 for r"),
        (Answered({"r": 0.25, "q": 1.0}, None), Answered({"q": 1.0}, None), ("r", 0.25, ABSENT), "gives .25 and then says nothing for r"),
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

AXES_OF_P = axes_of(parse("P"))
NEGATIVE = given("q a -1,q b 1", "q a 2,q b 1")
FRACTION = given("q a .5,q b 1", "q a 2,q b 1")


def missed(data: Input, got: float | Failure, name: str, measure: str = "P@2") -> Difference:
    return Difference(question(data, measure, name), None, 0.5, got)


def test_what_is_extreme_is_told_trait_by_trait() -> None:
    asked = [seen(NEGATIVE, 0.5, name="a"), seen(NEGATIVE, 0.5, name="b"), seen(FRACTION, 0.5, name="c")]
    extremes = check_extremes.extremes
    assert extremes(asked, []) == "the same on all 3 extreme questions"
    assert extremes(asked[:1], [], "gain=exp") == "the same, with gain=exp, on all 1 extreme question"
    assert extremes(asked, [missed(NEGATIVE, 0.25, "b")]) == (
        "the same on 2 of 3 extreme questions; negative rels: unexplained (1 of 2), as .25 on b"
    )
    two_rows = [replace(missed(NEGATIVE, 0.25, "b"), query=query) for query in ("q", "r", None)]
    assert extremes(asked, two_rows) == extremes(asked, [missed(NEGATIVE, 0.25, "b")]), "of one question"
    everything = [missed(FRACTION, RAISED, "c"), missed(NEGATIVE, 0.25, "b"), missed(NEGATIVE, RAISED, "a")]
    assert extremes(asked, everything, "gain=exp") == (
        "the same, with gain=exp, on 0 of 3 extreme questions; negative rels: unexplained (2 of 2), as .25 on b; "
        "fractional rels: it raises ValueError: no (1 of 1)"
    )
    high = given("q a 9,q b 1", "q a 2,q b 1")
    assert extremes([seen(high, 0.5, name="d"), *asked], [*everything, missed(high, RAISED, "d")]) == (
        "the same on 0 of 4 extreme questions; rels above 4: it raises ValueError: no (1 of 1); negative rels: unexplained (2 of 2), "
        "as .25 on b; fractional rels: it raises ValueError: no (1 of 1)"
    )


@pytest.mark.parametrize("kinds", list(permutations(("crash", "memory", "timeout", "error"))), ids="-".join)
def test_of_what_does_not_come_back_the_gravest_is_the_verdict(kinds: tuple[str, ...]) -> None:
    """A process that ended is graver than memory, and that than time; an error is no such thing."""
    grave = ["crash", "memory", "timeout"]
    for count in range(1, 5):
        asked = tuple(seen(TIED, Failure(kind, "why"), name=kind) for kind in kinds[:count])
        verdict = Tier((*asked, seen(TWO, 0.5)), STANDARD, STANDARD, "float64").verdict
        assert verdict == next((kind for kind in grave if kind in kinds[:count]), "unexplained")
        wavers = replace(seen(TWO, 0.5), again=Answered(None, 0.25))
        assert Tier((*asked, wavers), STANDARD, STANDARD, "float64").verdict == "unstable", "graver than all of these"


@pytest.mark.parametrize(
    ("got", "measure", "expected"),
    [
        (0.0, "P@2", "unexplained (1 of 1), as 0 on a"),
        (1.0, "P@2", "unexplained (1 of 1), as 1 on a"),
        (1.5, "P@2", "unexplained (1 of 1), as 1.5, above 1, beyond which no P is on a"),
        (-0.5, "P@2", "unexplained (1 of 1), as -.5, below 0, beyond which no P is on a"),
        (-0.5, "DCG@2", "unexplained (1 of 1), as -.5, below 0, beyond which no DCG is on a"),
        (1.5, "DCG@2", "unexplained (1 of 1), as 1.5 on a"),
        (RAISED, "P@2", "it raises ValueError: no (1 of 1)"),
        (ABSENT, "P@2", "unexplained (1 of 1), as says nothing on a"),
    ],
)
def test_a_value_beyond_what_a_measure_can_be_is_told(got: float | Failure, measure: str, expected: str) -> None:
    one = seen(NEGATIVE, 0.5, measure)
    assert check_extremes.extremes([one], [missed(NEGATIVE, got, "a", measure)]).endswith(f"negative rels: {expected}")


# -- the libraries that come nearest -----------------------------------------------------------------------------------


def library(name: str, **claims: Mapping[str, str]) -> Library:
    """A library whose variants claim these profiles, by a key of measures."""
    of = {variant: {key: profile(spec) for key, spec in said.items()} for variant, said in claims.items()}
    return Library(name, Path(name), Sheet(name, "", "", "", "", "float64", {}, of, {}, Path(name)))


@pytest.mark.parametrize(
    ("of_tied", "of_none", "libraries", "alike"),
    [
        (0.0, 0.0, ("one",), 2), (0.0, 1.0, ("two/default",), 2), (0.5, 0.0, ("three",), 2), (0.5, 1.0, ("two/default", "three"), 1),
        (0.25, 0.25, ("one", "two/default", "three"), 0),
    ],
)  # fmt: skip
def test_the_nearest_libraries_are_named_with_their_variant_where_they_have_several(
    of_tied: float, of_none: float, libraries: tuple[str, ...], alike: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no doc is relevant, one says 0 and two says 1; three keeps the order of the rows, by which P@2 of tied docs is 1/2."""
    known = [
        (library("one", default={"*": ""}), {"default": ["P@2"]}),
        (library("two", default={"P": "norel=1"}, other={"*": ""}), {"default": ["P@2"], "other": ["*"]}),
        (library("three", default={"*": "ties=input"}), {"default": ["*"]}),
        (library("four", default={"*": "ties=best norel=1"}), {"default": ["RR"]}),
    ]
    monkeypatch.setattr(nearest, "_known", lambda: known)
    monkeypatch.setattr(nearest, "_claims", nearest._claims.__wrapped__)
    answers = [seen(TIED, of_tied), seen(given("q a 0", "q a 1"), of_none, name="none")]
    found = nearest.nearest(parse("P@2"), answers, "float64", STANDARD)
    assert found == nearest.Nearest(libraries, alike, 2)


# -- what shows a choice -----------------------------------------------------------------------------------------------


def test_each_choice_has_its_simplest_witness() -> None:
    follows = STANDARD.replace(gain="exp", ties="docid-asc", norel="1")
    large = given("q a 3,q b 1,q c 0", "q b 2,q a 1,q c 0")
    named = {"z": large, "x": GRADED, "y": GRADED, "t": TIED}
    answers = [following(follows.spec(), data, "DCG@2", name) for name, data in named.items()]
    found = axis_witnesses.axis_witnesses(answers, STANDARD, follows, "float64")
    assert {one.axis: one.question.case.id for one in found} == {"gain": "x", "ties": "t"}
    assert {one.axis: (one.query, one.other) for one in found}["ties"] == (None, 0.0)
    assert found[0].sentence.endswith(", and not " + found[0].sentence.rpartition(", and not ")[2])
    assert "and not" in found[0].sentence
    assert axis_witnesses.axis_witnesses(answers, follows, follows, "float64") == []


def test_a_witness_is_of_a_query_of_which_the_choice_makes_another_number() -> None:
    """nDCG@2 is 1 of the first and the last query by any gain; of the second, rel 3 at rank 2 and rel 1 at rank 1, it is not."""
    three = given("a x 1,b x 3,b y 1,c x 1", "a x 2,b y 2,b x 1,c x 1")
    b = {
        gain: (low + high / math.log2(3)) / (high + low / math.log2(3))
        for gain, low, high in (("linear", 1, 3), ("exp", 1, 7))
    }
    answer = Answered({"a": 1.0, "b": b["exp"], "c": 1.0}, (2 + b["exp"]) / 3)
    exponential = STANDARD.replace(gain="exp")
    (found,) = axis_witnesses.axis_witnesses([seen(three, answer, "nDCG@2")], STANDARD, exponential, "float64")
    assert (found.axis, found.query, found.got) == ("gain", "b", b["exp"])
    assert found.other == pytest.approx(b["linear"])


def test_a_witness_is_of_a_case_about_the_choice_though_another_is_simpler() -> None:
    """Three cases show the gain; the one that says what another gain would give is the largest."""
    exponential = STANDARD.replace(gain="exp")
    about = {"nDCG@2": {"gain=exp": {"mean": "1"}}}
    made = [
        following("gain=exp", given(f"q a 3,q b 1{more}", "q b 2,q a 1"), "nDCG@2", name)
        for name, more in (("small", ""), ("about", ",q c 0,q d 0"), ("middle", ",q c 0"))
    ]
    seen_ = [
        replace(one, question=replace(one.question, case=replace(one.question.case, expect=about)))
        if one.question.case.id == "about" else one
        for one in made
    ]  # fmt: skip
    (found,) = axis_witnesses.axis_witnesses(seen_, STANDARD, exponential, "float64")
    assert found.question.case.id == "about"
    (found,) = axis_witnesses.axis_witnesses(made, STANDARD, exponential, "float64")
    assert found.question.case.id == "small"


def test_a_choice_is_shown_by_no_answer_that_is_not_there_or_was_another_when_asked_again() -> None:
    """Of r no doc is relevant: it is left out, or worth 0, so that the mean is 1 or 1/2."""
    two, dropped = given("q a 1,r b 0", "q a 1,r b 1"), STANDARD.replace(norel="dropped")
    alone, mean = Answered({"q": 1.0}, None), Answered({"q": 1.0}, 1.0)
    assert axis_witnesses.axis_witnesses([seen(two, alone, "RR")], STANDARD, dropped, "float64") == []
    (found,) = axis_witnesses.axis_witnesses([seen(two, mean, "RR")], STANDARD, dropped, "float64")
    assert (found.query, found.got, found.other) == (None, 1.0, 0.5)
    again = replace(seen(two, mean, "RR"), again=alone)
    assert axis_witnesses.axis_witnesses([again], STANDARD, dropped, "float64") == []


def test_the_value_of_an_only_query_shows_a_choice_as_well_as_that_of_one_of_two() -> None:
    exponential = STANDARD.replace(gain="exp")
    alone = following("gain=exp", GRADED, "DCG@2", "alone")
    of_two = seen(
        given("q a 3,q b 1,r a 3,r b 1", "q b 2,q a 1,r b 2,r a 1"), Answered(dict.fromkeys("qr", alone.answer.mean), None),
        "DCG@2",  # type: ignore[union-attr, arg-type]
    )  # fmt: skip
    (found,) = axis_witnesses.axis_witnesses([of_two, alone], STANDARD, exponential, "float64")
    assert (found.question.case.id, found.query) == ("alone", None)


# -- values beyond the bounds ------------------------------------------------------------------------------------------

TWICE = given("q a 1,q b 0", "q a 3,q a 2,q b 1")
RETRIEVED_TWICE = ", where a doc is retrieved twice"


@pytest.mark.parametrize(
    ("data", "got", "measure", "said"),
    [
        (TIED, 1.5, "P@2", "its P@2 is 1.5, above 1, beyond which no P is"),
        (TIED, -0.5, "P@2", "its P@2 is -0.5, below 0, beyond which no P is"),
        (TIED, 1 + 5e-7, "P@2", ""), (TIED, -5e-7, "P@2", ""), (TIED, 1 + 5e-6, "P@2", "its P@2 is 1, above 1, beyond which no P is"),
        (TIED, math.nan, "P@2", ""), (TIED, math.inf, "P@2", ""),
        (TWICE, 2.0, "R@2", f"its R@2 is 2, above 1, beyond which no R is{RETRIEVED_TWICE} and credited each time"),
        (TWICE, 1.5, "R@2", f"its R@2 is 1.5, above 1, beyond which no R is{RETRIEVED_TWICE}"),
        (GRADED, 1.5, "P@2", ""), (GRADED, 1.5, "ERR@2", "its ERR@2 is 1.5, above 1, beyond which no ERR is"),
        (GRADED, 1.5, "nDCG@2", "its nDCG@2 is 1.5, above 1, beyond which no nDCG is"), (given("q a 1,q a 1", "q a 1"), 1.5, "P@2", ""),
    ],
)  # fmt: skip
def test_a_value_beyond_the_bounds_is_told_with_the_bound(data: Input, got: float, measure: str, said: str) -> None:
    found = exceeding.excess(parse(measure), [seen(data, got, measure)], STANDARD, "float64")
    assert (found.sentence if found else "") == said


def test_a_value_beyond_the_bounds_is_shown_where_no_doc_is_retrieved_twice_though_that_is_simpler() -> None:
    """Of three such answers, the one that repeats a doc is of the smallest input."""
    large = given("q a 1,q b 0,q c 0,q d 0", "q a 4,q b 3,q c 2,q d 1")
    answers = [seen(large, 3.0, "R@2", "large"), seen(TWICE, 2.0, "R@2", "twice"), seen(TIED, 2.5, "R@2", "tied")]
    found = exceeding.excess(parse("R@2"), answers, STANDARD, "float64")
    assert found is not None
    assert (found.question.case.id, found.got, found.repeats) == ("tied", 2.5, False)


def test_a_value_that_what_is_followed_gives_is_shown_after_one_of_a_doc_that_is_retrieved_twice() -> None:
    """By a highest grade of 2, a doc of rel 3 is worth (2**3 - 1) / 2**2."""
    answers = [seen(given("q a 3", "q a 1"), 7 / 4, "ERR@2", "followed"), seen(TWICE, 1.5, "ERR@2", "twice")]
    found = exceeding.excess(parse("ERR@2"), answers, STANDARD.replace(err_max="2"), "float64")
    assert found is not None
    assert (found.question.case.id, found.is_followed) == ("twice", False)


# -- what is odd about conventions -------------------------------------------------------------------------------------


def test_a_cheap_score_is_told_of_the_choice_without_which_it_would_not_be_so() -> None:
    follows = STANDARD.replace(p_denominator="min-k-n", norel="1")
    remaining = {"p_denominator": ("min-k-n",), "norel": ("1",), "ties": (STANDARD.ties,)}
    found = findings.finding_of(parse("P@5"), FORMS["qrels-run"], follows, STANDARD, remaining)
    assert found is not None
    assert found.score is not None
    assert (found.axes, found.score.sentence) == (
        ("p_denominator",),
        "a run of one relevant doc alone gets 1, and not .2",
    )


@pytest.mark.parametrize(
    ("choices", "who"),
    [
        ({"rr_hits": ["mean-over-hits"]}, "only LlamaIndex's use_granular_mrr and FuxiCTR's MRR do"),
        ({"rr_hits": ["mean-over-hits", "mean-over-R"]},
         "only LlamaIndex's use_granular_mrr, FuxiCTR's MRR, mrr_score of recommenders and of spotlight and rexmex do"),
        ({"rr_hits": ["mean-over-R"], "x": ["1"], "y": ["2"]}, "only mrr_score of recommenders and of spotlight, rexmex and one do"),
        ({"x": ["1"], "y": ["2"]}, "only one does"), ({"x": ["1"], "y": ["1"]}, ""), ({"y": ["1"]}, ""), ({}, ""),
    ],
)  # fmt: skip
def test_who_does_what_nobody_else_does_is_named(
    choices: dict[str, list[str]], who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(known_habits.DOERS, ("x", "1"), ("one",))
    monkeypatch.setitem(known_habits.DOERS, ("y", "2"), ("one",))
    assert known_habits.doers(choices) == who


# -- what is never looked at -------------------------------------------------------------------------------------------


class Said:
    """In the place of a session: a function of the relevant docs in the order of the judgments, the rows as they come, and the cutoff."""

    def __init__(self, function: Callable[[list[Any], list[Any], int], float]) -> None:
        self.function = function

    def twice(self, calls: list[Any]) -> list[Any]:
        """An answer to each, the same when it is asked again."""
        every = [([doc for _, doc, rel in data.qrels if rel >= 1], list(data.run), k) for data, k in calls]
        return [(Answered(None, float(self.function(*each))), None) for each in every]


WHETHER = "whether those at ranks 1 and 3 are relevant or the one at rank 5 is"


def first_hit(relevant: list[Any], rows: list[Any]) -> float:
    in_order = sorted(rows, key=lambda row: -row[2])
    return next((1 / rank for rank, row in enumerate(in_order, start=1) if row[1] in relevant), 0.0)


@pytest.mark.parametrize(
    ("function", "form", "measure", "about", "sentence", "right"),
    [
        (lambda _relevant, _rows, k: 1 / k, "rows", "P@5", "relevance",
         f"it never looks at which docs are relevant: of 8 docs, it gives .2 {WHETHER}", (0.4, 0.2)),
        (lambda _relevant, _rows, _k: 0.5, "rows", "P@5", "relevance",
         f"it looks at nothing: of 8 docs, it gives .5 {WHETHER}", (0.4, 0.2)),
        (lambda relevant, rows, k: first_hit(relevant, rows[:k]), "rows", "RR@5", "cut rows",
         ("it cuts the rows at k before it ranks them: of 8 rows, it gives 1 at 5 "
          "whether those below the first 5 have the lowest scores or the highest"),
         (1.0, 1 / 3)),
        (lambda relevant, rows, k: sum(row[1] in relevant[:k] for row in rows[:k]) / k, "ids", "R@5", "cut relevant",
         ("it cuts the relevant docs at k before it looks any up: where 8 docs are relevant, it gives 0 at 5 "
          "whether one beyond the first 5 of them is retrieved or not"), (1 / 8, 0.0)),
        (lambda relevant, rows, _k: sum(row[1] in relevant for row in rows) / 2 / len(relevant or "a"), "ids", "R@5", "order",
         "it never looks at the order of the docs: it gives .5 wherever the relevant docs stand, at the top or at the end", (1.0, 0.0)),
        (lambda relevant, rows, _k: first_hit(relevant, rows), "rows", "RR@3", "cutoff",
         "it never looks at k: it gives .2 at 3 as at 5", (0.0, 0.2)),
    ],
)  # fmt: skip
def test_what_is_never_looked_at_is_told_with_what_was_asked(
    function: Any, form: str, measure: str, about: str, sentence: str, right: tuple[float, float]
) -> None:
    target = Target("m:f", FORMS[form], tuple(FORMS[form].roles), "k", known=2)
    session: Any = Said(function)
    found = {one.about: one for one in looking.blindness(session, target, parse(measure))}
    assert (found[about].sentence, found[about].right) == (sentence, pytest.approx(right))
    called = f"called as {form} (see --form if that is not how it is called), "
    for how in (replace(target, notes=("a note",)), replace(target, batch="table")):
        again = {one.about: one for one in looking.blindness(session, how, parse(measure))}
        assert again[about].sentence == called + sentence


@pytest.mark.parametrize(
    ("relevant", "said"),
    [("", "none is"), ("b", "the one at rank 3 is"), ("a b", "those at ranks 1 and 3 are"),
    ("a b c d", "those at ranks 1, 2, 3 and 4 are")],
)  # fmt: skip
def test_which_ranks_are_relevant_is_told_whatever_the_order_of_the_rows(relevant: str, said: str) -> None:
    judged = ",".join(f"q {doc} {int(doc in relevant.split())}" for doc in "abcd")
    assert looking._relevant(question(given(judged, "q b 2,q d 1,q a 4,q c 3"))) == said


# -- several queries at once -------------------------------------------------------------------------------------------


class AtOnce:
    """In the place of a session: P@5 of each query, and what is made of these values where all are given at once."""

    def __init__(self, target: Target, made: Callable[[list[float]], float], several: str = "all") -> None:
        self.targets, self.made = (target, replace(target, batch=several)), made

    def candidates(self) -> Any:
        """The way to give one query, and that to give several."""
        return SimpleNamespace(targets=self.targets)

    def anew(self, call: tuple[Input, int]) -> Answered:
        """Each query by itself."""
        rels = {row[:2]: row[2] for row in call[0].qrels}
        hits = {
            q: sum(rels[q, doc] for doc, *_ in sorted(rows, key=lambda row: -row[1])[:5])
            for q, rows in call[0].scored.items()
        }
        return Answered({str(query): found / 5 for query, found in hits.items()}, None)

    def tried(self, _way: int, call: tuple[Input, int]) -> Answered:
        """All of them."""
        return Answered(None, self.made(list((self.anew(call).per_query or {}).values())))


ROWS_OF_TABLE = Target("m:f", FORMS["rows"], ("y_true", "y_score"), "k", container="array", batch="table")
FIVE = [0.0, 1.0, 0.2, 0.4, 0.6]
"""P@5 of the five queries of `equally_many`, by the ranks of the relevant docs that it names."""


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda values: sum(values) / 5, None), (lambda values: sum(values) / sum(map(bool, values)), None), (sum, ("sum", 2.2)),
        (lambda values: values[0], ("first", 0.0)), (lambda values: values[-1], ("last", 0.6)), (lambda _values: 0.123, ("", 0.123)),
    ],
)  # fmt: skip
def test_what_is_no_mean_of_several_queries_is_their_sum_the_first_the_last_or_none(
    made: Any, what: tuple[str, float] | None
) -> None:
    session: Any = AtOnce(ROWS_OF_TABLE, made)
    assert list((session.anew((equally_many(5), 5)).per_query or {}).values()) == FIVE
    found = mixing.mixes_queries(session, ROWS_OF_TABLE, parse("P@5"), STANDARD)
    assert (found and (found.what, found.got, found.mean, found.queries)) == (
        what and (what[0], pytest.approx(what[1]), pytest.approx(0.44), 5)
    )
    assert mixing.mixes_queries(session, replace(ROWS_OF_TABLE, batch="steps"), parse("P@5"), STANDARD) is None


def test_several_queries_are_asked_with_one_relevant_doc_each_where_others_have_their_mean() -> None:
    """Of these five the relevant doc stands at ranks 1, 7, 2 and 1, and is not retrieved: three times 1/5."""
    session: Any = AtOnce(ROWS_OF_TABLE, lambda values: 0.44 if max(values) == 1 else sum(values))
    found = mixing.mixes_queries(session, ROWS_OF_TABLE, parse("P@5"), STANDARD)
    assert found == mixing.Mixed(pytest.approx(0.6), pytest.approx(0.12), 5, "sum")


def test_another_mean_is_told_by_its_name_and_is_none_of_the_function_that_follows_it() -> None:
    geometric = STANDARD.replace(mean="geometric")
    value = reading_of(recalled(equally_many(5)).answers(parse("P@5"), geometric), None)
    session: Any = AtOnce(ROWS_OF_TABLE, lambda values: float(value) if max(values) == 1 else sum(values) / 5)  # type: ignore[arg-type]
    found = [mixing.mixes_queries(session, ROWS_OF_TABLE, parse("P@5"), follows) for follows in (STANDARD, geometric)]
    assert [one and one.what for one in found] == ["mean=geometric", None]


@pytest.mark.parametrize(
    ("measure", "got", "is_told"), [("P@5", 0.4, True), ("P@5", 0.2, False), ("P@5", 0.3, False), ("R@5", 1.0, False)]
)
def test_two_queries_are_taken_for_one_where_they_are_worth_what_they_are_as_one(
    measure: str, got: float, *, is_told: bool
) -> None:
    """Of two queries each has a relevant doc among three; as one, they have two at ranks 2 and 5 of six."""
    alone = replace(ROWS_OF_TABLE, batch="query", container="list")
    session: Any = AtOnce(alone, lambda _values: got)
    found = mixing.mixes_queries(session, alone, parse(measure), STANDARD)
    assert found == (mixing.Mixed(0.4, 0.2, 2, "as one") if is_told else None)


@pytest.mark.parametrize(
    ("each", "at_once", "is_of_each"),
    [
        ({"p": 0.125, "q": 0.5, "r": math.nan}, Answered(None, 0.3125), True),
        ({"p": 0.125, "q": 0.5, "r": math.nan}, Answered(None, 0.625), True),
        ({"p": 0.125, "q": 0.5}, Answered(None, 0.5), False), ({"p": 0.5, "q": 0.5}, Answered(None, 0.5), False),
        ({"p": 0.125, "q": 0.5}, Answered({"p": 0.125, "q": 0.5}, None), True),
        ({"p": 0.125, "q": 0.5}, Answered({"p": 0.5, "q": 0.125}, None), False),
        ({"p": 0.125, "q": 0.5}, RAISED, False),
    ],
)  # fmt: skip
def test_what_is_given_at_once_is_made_of_what_is_given_for_each(
    each: dict[str | None, float], at_once: Answered | Failure, *, is_of_each: bool
) -> None:
    target = replace(ROWS_OF_TABLE, form=FORMS["one-id-each"], order=("doc_of_each", "ranked_of_each"))
    session: Any = AtOnce(target, sum)
    session.tried = lambda way, _call: (Answered(each, None), at_once)[way]
    found = one_of_each.at_once(session, 0, target, 5)
    assert found is not None
    assert (found[0].answer, found[1]) == (at_once, is_of_each)


# -- what no question decides ------------------------------------------------------------------------------------------


def open_axes(*asked: Seen, follows: str = "standard", form: str = "qrels-run") -> dict[str, tuple[str, ...]]:
    return left_open.open_axes(parse("P@2"), asked, profile(follows), "float64", FORMS[form])


def test_what_remains_of_an_axis_is_what_gives_the_same_answers() -> None:
    found = open_axes(following("standard", TIED))
    assert found["ties"] == ("docid-desc", "input-reversed", "last-rank", "worst"), "the others give 1/2 or 1/4"
    assert found["mean"] == ("arithmetic", "pooled"), "a geometric mean of 0 is its least value, above 0"
    assert found["nohit"] == ("measured", "nan-as-0", "absent-as-0")
    assert found["p_denominator"] == (), "0 of whatever is 0"
    assert "allrel" not in found, "which is the same as what is chosen"
    assert (
        open_axes(following("standard", TIED), following("standard", GRADED))["p_denominator"]
        == ("k", "min-k-n", "min-k-R")[:0]
    )
    assert list(found) == [axis for axis in AXES_OF_P if axis in found]


def test_what_the_caller_settles_is_decided_but_for_which_queries_there_are() -> None:
    one = following("known=retrieved missing=dropped extra=measured", TIED)
    rows = open_axes(one, follows="known=retrieved missing=dropped extra=measured", form="rows")
    assert "known" not in rows
    assert "known" in open_axes(one)
    assert {axis: rows[axis] for axis in ("missing", "extra", "mean", "unjudged")} == {
        "missing": (), "extra": (), "mean": ("arithmetic", "pooled"), "unjudged": (),
    }  # fmt: skip
    ids = open_axes(one, form="ids")
    assert (ids["ties"], ids["order"]) == ((), ()), "it is told no scores"
    assert open_axes(one)["ties"] != ()


def test_an_order_of_rows_is_open_until_many_rows_tell_a_sort() -> None:
    upside_down = given("q a 1,q b 0,q c 0", "q c 2,q b 1,q a 1")
    two = [following("ties=input", TIED, name="one"), following("ties=input", upside_down, name="two")]
    assert open_axes(*two, follows="ties=input")["ties"] == ("input", "unspecified")
    by_turns = given("q d39 1", ",".join(f"q d{place} {place % 2}" for place in range(40)))
    many = following("ties=input", by_turns, "P@20", "many")
    assert many.question.case.input.tells_sorts
    assert "ties" not in open_axes(*two, many, follows="ties=input")
    assert open_axes(two[0], follows="ties=input")["ties"] == ("input", "docid-asc", "best")
    reversed_rows = [
        following("ties=input-reversed", one.question.case.input, name=one.question.case.id) for one in two
    ]
    assert open_axes(*reversed_rows, follows="ties=input-reversed")["ties"] == ("input-reversed", "unspecified")


# -- an order of tied docs that has no name --------------------------------------------------------------------------------


def reordered(first: float, second: float, *, is_tied: bool = True) -> tied_rows.Reordered:
    """Of the tied docs a and b, the relevant one is first in the rows, and then last: by the order of the rows, P@2 is 1/2 and 0."""
    rows = TIED, given("q a 1,q b 0,q c 0", "q c 2,q b 1,q a 1")
    one, other = (question(data, name=name) for data, name in zip(rows, ("one", "other"), strict=True))
    return tied_rows.Reordered((one, other), (Answered(None, first), Answered(None, second)), is_tied)


@pytest.mark.parametrize(
    ("first", "second", "is_unnamed"),
    [
        (0.5, 0.0, False),
        (0.0, 0.5, False),
        (0.25, 0.25, False),
        (0.5, 0.25, True),
        (0.25, 0.0, True),
        (0.25, 0.5, True),
    ],
)
def test_two_values_that_neither_the_order_of_the_rows_nor_its_reverse_gives_have_none_that_has_a_name(
    first: float, second: float, *, is_unnamed: bool
) -> None:
    pair = reordered(first, second)
    found = tied_rows.unnamed([reordered(0.5, 0.5, is_tied=False), reordered(0.0, 0.0), pair], STANDARD, "float64")
    assert (found and (found.questions, found.query, found.got, found.named)) == (
        (pair.questions, None, (first, second), (("input", (0.5, 0.0)), ("input-reversed", (0.0, 0.5))))
        if is_unnamed
        else None
    )
    assert tied_rows.unnamed([pair, reordered(0.5, 0.25, is_tied=False)], STANDARD, "float64") is None, (
        "not by ties alone"
    )


def test_answers_of_other_queries_are_not_apart() -> None:
    pair = reordered(0.5, 0.25)
    assert pair.apart("float64") == (None, 0.5, 0.25)
    assert replace(pair, answers=(Answered({"q": 0.5}, None), pair.answers[1])).apart("float64") is None
    assert replace(pair, answers=(Answered({"q": 0.5, "r": 1.0}, None), Answered({"q": 0.5, "r": 0.5}, None))).apart(
        "float64"
    ) == ("r", 1.0, 0.5)
    assert replace(pair, answers=(RAISED, RAISED)).apart("float64") is None


# -- defects -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answered(None, 0.0), False),
        (Answered(None, 1.0), False),
        (Answered(None, 0.5), True),
        (Answered({"q": 1.0, "r": 0.25}, None), True),
        (Answered({"q": 1.0, "r": 0.0}, 0.5), True),
        (Answered(None, None), False),
        (Answered({}, None), False),
        (RAISED, False),
    ],
)
def test_an_answer_tells_something_that_is_neither_0_nor_1(
    answer: Answered | Failure,
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    assert inferring.tells(seen(TIED, answer)) == expected
    assert not inferring.tells(replace(seen(TIED, answer), again=RAISED))


def numbers(answer: Answered | Failure, again: Answered | None = None) -> Mapping[str | None, float] | None:
    found = replace(seen(TIED, answer), again=again).told
    return None if found is None else found.numbers


def test_of_an_answer_its_numbers_are_told() -> None:
    assert numbers(Answered({"q": 0.5, "r": 0.25}, 0.375)) == {None: 0.375, "q": 0.5, "r": 0.25}
    assert numbers(Answered(None, 0.5), again=Answered(None, 1.0)) is None
    assert [numbers(RAISED), numbers(Answered(None, None)), numbers(Answered({}, None))] == [None] * 3
    one = seen(TIED, 0.5, name="x")
    found = one.told
    assert found == QuestionNumbers("x", TIED, parse("P@2"), {None: 0.5}, is_ordinary=True)
    extreme = seen(NEGATIVE, 0.5).told
    assert extreme is not None
    assert not extreme.is_ordinary


# -- the defects of libraries ------------------------------------------------------------------------------------------

UNEXPLAINED, AGREED = Verdict.UNEXPLAINED, Verdict.AGREES


def row(measure: str, verdict: Verdict, value: Reading | None = 0.5, name: str = "a", **more: Any) -> Row:
    subject = Subject(more.pop("library", "lib"), "default", "1")
    return Row(name, subject, measure, more.pop("query", None), verdict, value, **more)


def run_of(*rows: Row, **claims: str) -> Any:
    """A run of `lib`, of which a sheet for all versions claims one profile, and one for version 1 these."""
    sheet = library("lib", default={"*": ""}).sheet
    ours = {"default": {key: profile(spec) for key, spec in claims.items()}}
    sheet = replace(
        sheet, versions=(Version("1", "", ours),), precision="float32", precisions={"default": {"AP": "4 decimals"}}
    )
    asked = SimpleNamespace(
        library=SimpleNamespace(sheet=sheet),
        version="1",
        installation=Installation("lib", "1", variants={"default": ""}),
    )
    cases = tuple(question(data, name=name).case for name, data in (("a", TIED), ("b", NEGATIVE)))
    return Run(cases, (asked,), rows, ())  # type: ignore[arg-type] # a stand-in says all that is looked at


def forms_of(found: Run) -> list[tuple[str, str, str, list[str]]]:
    forms = library_defects.to_try(found)
    return [
        (form.key, form.claimed.spec(), form.precision, [one.measure for one in rows]) for form, rows in forms.items()
    ]


def test_what_is_tried_is_every_number_of_a_form_of_which_some_is_unexplained() -> None:
    rows = [
        row("P@2", UNEXPLAINED), row("P@5", AGREED), row("P@3", Verdict.CONVENTION), row("nDCG@2", AGREED),
        row("P@4", Verdict.KNOWN), row("P@6", AGREED, ABSENT), row("P@7", AGREED, None), row("P@8", Verdict.UNSTABLE),
        row("P@9", UNEXPLAINED, library="other"), row("R@2", UNEXPLAINED, ABSENT), row("R@3", AGREED),
        row("AP", UNEXPLAINED),
    ]  # fmt: skip
    assert forms_of(run_of(*rows, P="norel=1")) == [
        ("P@k", "norel=1", "float32", ["P@2", "P@5", "P@3"]),
        ("AP", "", "4 decimals", ["AP"]),
    ]
    one = row("P@2", UNEXPLAINED)
    assert {form.subject for form in library_defects.to_try(run_of(one))} == {one.subject}
    assert library_defects.to_try(run_of(row("P@2", AGREED))) == {}
    assert library_defects.to_try(run_of()) == {}


def test_what_is_claimed_otherwise_is_tried_by_itself() -> None:
    key = {"P@5": "norel=1"}
    assert forms_of(run_of(row("P@2", UNEXPLAINED), row("P@5", AGREED), **key)) == [("P@k", "", "float32", ["P@2"])]
    both = forms_of(run_of(row("P@2", UNEXPLAINED), row("P@5", UNEXPLAINED), **key))
    assert [(spec, measures) for _, spec, _, measures in both] == [("", ["P@2"]), ("norel=1", ["P@5"])]


# -- parts of what is told ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("as one", "as rows of a matrix, it ranks all their docs as one and gives .5"), ("sum", "it gives their sum, .5"),
        ("first", "it gives .5, which is what the first alone is worth"), ("last", "it gives .5, which is what the last alone is worth"),
        ("", "it gives .5"), ("their maximum", "it gives .5, by their maximum"),
    ],
)  # fmt: skip
def test_what_is_given_for_several_queries_is_said_beside_their_mean(what: str, said: str) -> None:
    mixed = SimpleNamespace(what=what, got=0.5, mean=0.25, queries=3)
    told = check_words.words_of_mixed(SimpleNamespace(mixed=mixed))  # type: ignore[arg-type]
    assert told == f"given 3 queries at once, {said}; their mean is .25"
    assert check_words.words_of_mixed(SimpleNamespace(mixed=None)) == ""  # type: ignore[arg-type]


def test_what_was_not_asked_and_what_lies_beyond_is_counted() -> None:
    """Of five questions that were left out two are ordinary; beyond, all three raise, or one of them answers."""
    seen_ = [
        SimpleNamespace(left_out=i < 5, question=SimpleNamespace(extreme=None if i in {1, 2, 6} else "x"))
        for i in range(8)
    ]
    rest = SimpleNamespace(seen=seen_, skipped=5)
    assert check_words.words_of_rest(rest) == "2 ordinary questions, 3 extreme: the time was used up, see --budget"  # type: ignore[arg-type]
    only_extreme = SimpleNamespace(seen=[seen_[0], seen_[6]], skipped=4)
    assert check_words.words_of_rest(only_extreme) == "4 more would have taken too long"  # type: ignore[arg-type]
    assert check_words.words_of_rest(SimpleNamespace(seen=seen_[5:], skipped=0)) == ""  # type: ignore[arg-type]
    raised = [SimpleNamespace(answer=RAISED)] * 2
    for answers, said in (
        ([*raised, SimpleNamespace(answer=CLOSED)], "it raises ValueError: no (3 questions)"),
        ([*raised, SimpleNamespace(answer=Answered(None, 0.5))], "its answers fit no convention (3 questions)"),
        (raised[:1], "it raises ValueError: no (1 question)"), ([], ""),
    ):  # fmt: skip
        assert check_words.words_of_beyond(SimpleNamespace(beyond=answers)) == said  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("same", "said"), [(6, "ada, bob, cyd"), (5, "ada, bob, cyd"), (4, "none is near; nearest is ada, bob, cyd")]
)
def test_a_library_is_near_that_gives_half_of_the_answers(same: int, said: str) -> None:
    near = SimpleNamespace(libraries=("ada", "bob", "cyd"), same=same, asked=10)
    told = check_text._nearest(SimpleNamespace(nearest=near))  # type: ignore[arg-type]
    assert told == f"{said}, by what is claimed of it: {same} of 10 answers"


def test_a_call_is_written_by_the_parameters_of_the_function() -> None:
    form = SimpleNamespace(roles=("x",), call="f(y_true, y_score, k)")
    target = SimpleNamespace(form=form, spelled="f", order=("rels", "scores"), table=False, k="k")
    for change, said in (
        ({}, "f(rels, scores, k=)"), ({"table": True}, "f([rels], [scores], k=)"), ({"k": ""}, "f(rels, scores)"),
        ({"form": SimpleNamespace(roles=(), call=form.call)}, form.call),
    ):  # fmt: skip
        asked = SimpleNamespace(target=SimpleNamespace(**{**vars(target), **change}))
        assert check_text._call(asked) == said  # type: ignore[arg-type]


def test_a_choice_is_one_where_nothing_tells_its_values_apart_and_only_the_unjudged_are_within_the_cutoff() -> None:
    assert check_answer._phrase("norel", ("nan", "nan-as-0")) == AXES["norel"].phrase("nan")
    assert check_answer._phrase("norel", ("0", "1")) == f"{AXES['norel'].phrase('0')} or {AXES['norel'].phrase('1')}"
    several = ("0", "absent-as-0")
    assert check_answer._phrase("norel", several) == " or ".join(map(AXES["norel"].phrase, several)), (
        "a third is told apart"
    )
    odd = [
        ("unjudged", ("rejected",)),
        ("gain", ("exp",)),
        ("norel", ("1",)),
        ("missing", ("dropped",)),
        ("ties", ("best",)),
        ("mean", ("geometric",)),
    ]
    ordinary = SimpleNamespace(follows=STANDARD)
    for count, more in ((4, []), (5, ["1 more choice"]), (6, ["2 more choices"])):
        checked = SimpleNamespace(
            ordinary=ordinary, unnamed=None, odd_choices=odd[:count], refuses_in_the_top_alone=True
        )
        phrases = [AXES[axis].phrase(value) for axis, (value,) in odd[:4]]
        assert [*check_answer._choices(checked)] == [f"{phrases[0]} within the cutoff", *phrases[1:], *more]  # type: ignore[arg-type]
