"""The steps of a verdict on a function, each by itself: where answers differ, which conventions and defects that shows, what is told."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import TABLE, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import axis_witnesses, exceeding, known_habits, nearest, tied_rows, wording
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.differing import differences, misses, refuses_in_the_top_alone
from rankproof.defects import library_defects
from rankproof.defects.trial import QuestionNumbers
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.meaning.input_traits import traits_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.telling import check_text
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading
from rankproof.workers.sheets import Sheet, Version
from rankproof.workers.subjects import Installation, Subject

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


# -- sentences ---------------------------------------------------------------------------------------------------------


def test_a_list_says_how_many_more_there_are() -> None:
    assert [wording.listed("abcd"[:n]) for n in range(5)] == ["", "a", "a, b", "a, b, c", "a, b, c and 1 more"]
    assert wording.listed("abcd", 1) == "a and 3 more"


@pytest.mark.parametrize(
    ("answer", "again", "expected", "sentence"),
    [
        (Answered(None, 0.5), Answered(None, 1.0), (None, 0.5, 1.0), "gives .5 and then 1"),
        (Answered({"q": 0.5}, None), Answered({"q": 1.0}, None), ("q", 0.5, 1.0), "gives .5 and then 1 for q"),
        (
            Answered({"q": 0.5, "r": 0.0}, 0.25),
            Answered({"q": 0.5, "r": 1.0}, 0.25),
            ("r", 0.0, 1.0),
            "gives 0 and then 1 for r",
        ),
        (Answered({"q": 0.5}, None), RAISED, (None, 0.5, RAISED), "gives .5 and then raises ValueError: no"),
        (RAISED, Answered(None, 0.5), (None, RAISED, 0.5), "raises ValueError: no and then gives .5"),
        (CLOSED, RAISED, (None, CLOSED, RAISED), "ended and then raises ValueError: no"),
        (Answered(None, None), RAISED, (None, ABSENT, RAISED), "says nothing and then raises ValueError: no"),
        (
            Answered({"q": 1.0}, None),
            Answered({"q": 1.0, "r": 0.5}, None),
            ("r", ABSENT, 0.5),
            "says nothing and then gives .5 for r",
        ),
        (
            Answered({"r": 0.25, "q": 1.0}, None),
            Answered({"q": 1.0}, None),
            ("r", 0.25, ABSENT),
            "gives .25 and then says nothing for r",
        ),
    ],
)
def test_two_answers_are_told_apart(
    answer: Answered | Failure, again: Answered | Failure, expected: tuple[Any, ...], sentence: str
) -> None:
    assert wording.apart(answer, again) == expected
    assert wording.told_apart(answer, again) == sentence


# -- extreme input -----------------------------------------------------------------------------------------------------

NEGATIVE = given("q a -1,q b 1", "q a 2,q b 1")


@pytest.mark.parametrize(("most", "counted"), [(math.inf, 3), (4, 3), (3, 3), (2, 3), (1, 2), (0, 1)])
def test_no_more_misses_are_counted_than_one_more_than_the_most(most: float, counted: int) -> None:
    """One more tells that there are more."""
    values = (0.25, 0.5, 0.75, 1.0)  # of which P@2 of one relevant doc is the second
    asked = [seen(given("q a 1", "q a 2,q b 1"), value, name=f"{value}") for value in values]
    assert misses(asked, STANDARD, "float64", most) == counted


# -- the libraries that come nearest -----------------------------------------------------------------------------------


def library(name: str, **claims: Mapping[str, str]) -> Library:
    """A library whose variants claim these profiles, by a key of measures."""
    of = {variant: {key: profile(spec) for key, spec in said.items()} for variant, said in claims.items()}
    return Library(name, Path(name), Sheet(name, "", "", "", "", "float64", {}, of, {}, Path(name)))


@pytest.mark.parametrize(
    ("of_tied", "of_none", "libraries", "alike"),
    [
        (0.0, 0.0, ("one",), 2),
        (0.0, 1.0, ("two/default",), 2),
        (0.5, 0.0, ("three",), 2),
        (0.5, 1.0, ("two/default", "three"), 1),
        (0.25, 0.25, ("one", "two/default", "three"), 0),
    ],
)
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


def test_a_witness_is_of_a_case_about_the_choice_though_another_is_simpler() -> None:
    """Three cases show the gain; the one that says what another gain would give is the largest."""
    exponential = STANDARD.replace(gain="exp")
    about = {
        "AP": {"standard": {"mean": "1"}},
        "nDCG@2": {"standard": {"mean": "1"}, "ties=input gain=exp": {"mean": "1"}},
    }
    made = [
        following("gain=exp", given(f"q a 3,q b 1{more}", "q b 2,q a 1"), "nDCG@2", name)
        for name, more in (("small", ""), ("about", ",q c 0,q d 0"), ("middle", ",q c 0"))
    ]
    small, other, middle = made
    expecting = replace(other, question=replace(other.question, case=replace(other.question.case, expect=about)))
    (found,) = axis_witnesses.axis_witnesses([small, expecting, middle], STANDARD, exponential, "float64")
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


# -- values beyond the bounds ------------------------------------------------------------------------------------------

TWICE = given("q a 1,q b 0", "q a 3,q a 2,q b 1")


def test_a_value_that_what_is_followed_gives_is_shown_after_one_of_a_doc_that_is_retrieved_twice() -> None:
    """By a highest grade of 2, a doc of rel 3 is worth (2**3 - 1) / 2**2."""
    answers = [seen(given("q a 3", "q a 1"), 7 / 4, "ERR@2", "followed"), seen(TWICE, 1.5, "ERR@2", "twice")]
    found = exceeding.excess(parse("ERR@2"), answers, STANDARD.replace(err_max="2"), "float64")
    assert found is not None
    assert (found.question.case.id, found.is_followed) == ("twice", False)


# -- what is odd about conventions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "who"),
    [
        ({"rr_hits": ["mean-over-hits"]}, "only LlamaIndex's use_granular_mrr and FuxiCTR's MRR do"),
        (
            {"rr_hits": ["mean-over-hits", "mean-over-R"]},
            "only LlamaIndex's use_granular_mrr, FuxiCTR's MRR, mrr_score of recommenders and of spotlight and rexmex do",
        ),
        (
            {"rr_hits": ["mean-over-R"], "x": ["1"], "y": ["2"]},
            "only mrr_score of recommenders and of spotlight, rexmex and one do",
        ),
        ({"x": ["1"], "y": ["2"]}, "only one does"),
        ({"x": ["1"], "y": ["1"]}, ""),
        ({"y": ["1"]}, ""),
        ({}, ""),
    ],
)
def test_who_does_what_nobody_else_does_is_named(
    choices: dict[str, list[str]], who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(known_habits.DOERS, ("x", "1"), ("one",))
    monkeypatch.setitem(known_habits.DOERS, ("y", "2"), ("one",))
    assert known_habits.doers(choices) == who


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
    named = (("input", (0.5, 0.0)), ("input-reversed", (0.0, 0.5)))
    found = tied_rows.unnamed([reordered(0.5, 0.5, is_tied=False), reordered(0.0, 0.0), pair], STANDARD, "float64")
    told = found and (found.questions, found.query, found.got, found.named)
    assert told == ((pair.questions, None, (first, second), named) if is_unnamed else None)
    not_by_ties_alone = [pair, reordered(0.5, 0.25, is_tied=False)]
    assert tied_rows.unnamed(not_by_ties_alone, STANDARD, "float64") is None


# -- defects -----------------------------------------------------------------------------------------------------------


def numbers(answer: Answered | Failure, again: Answered | None = None) -> Mapping[str | None, float] | None:
    found = replace(seen(TIED, answer), again=again).told
    return None if found is None else found.numbers


def test_of_an_answer_its_numbers_are_told() -> None:
    assert numbers(Answered({"q": 0.5, "r": 0.25}, 0.375)) == {None: 0.375, "q": 0.5, "r": 0.25}
    assert numbers(Answered(None, 0.5), again=Answered(None, 1.0)) is None
    assert [numbers(RAISED), numbers(Answered(None, None)), numbers(Answered({}, None))] == [None] * 3
    one = seen(TIED, 0.5, name="x")
    assert one.told == QuestionNumbers("x", TIED, parse("P@2"), {None: 0.5}, is_ordinary=True)
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
    precisions = {"default": {"AP": "4 decimals"}}
    sheet = replace(sheet, versions=(Version("1", "", ours),), precision="float32", precisions=precisions)
    installation = Installation("lib", "1", variants={"default": ""})
    asked = SimpleNamespace(library=SimpleNamespace(sheet=sheet), version="1", installation=installation)
    cases = tuple(question(data, name=name).case for name, data in (("a", TIED), ("b", NEGATIVE)))
    return Run(cases, (asked,), rows, ())  # type: ignore[arg-type] # a stand-in says all that is looked at


def forms_of(found: Run) -> list[tuple[str, str, str, list[str]]]:
    forms = library_defects.to_try(found).items()
    return [(form.key, form.claimed.spec(), form.precision, [one.measure for one in rows]) for form, rows in forms]


def test_what_is_tried_is_every_number_of_a_form_of_which_some_is_unexplained() -> None:
    rows = [
        row("P@2", UNEXPLAINED),
        row("P@5", AGREED),
        row("P@3", Verdict.CONVENTION),
        row("nDCG@2", AGREED),
        row("P@4", Verdict.KNOWN),
        row("P@6", AGREED, ABSENT),
        row("P@7", AGREED, None),
        row("P@8", Verdict.UNSTABLE),
        row("P@9", UNEXPLAINED, library="other"),
        row("R@2", UNEXPLAINED, ABSENT),
        row("R@3", AGREED),
        row("AP", UNEXPLAINED),
    ]
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


OF_CLASS = {"name": "m:F.of", "of_class": True, "method": "of"}
MADE_OF = OF_CLASS | {"made_of": ("gold",)}


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "f(relevant, ranked, k=)"),
        ({"batch": TABLE}, "f([relevant], [ranked], k=)"),
        ({"k": None}, "f(relevant, ranked)"),
        (OF_CLASS | {"k_made": True}, "F(k=k).of(relevant, ranked)"),
        (MADE_OF | {"names": ("gold", "docs"), "made": ("a=1",)}, "F(relevant, a=1).of(ranked, k=)"),
        ({"form": FORMS["ir_measures"]}, "an ir_measures measure"),
    ],
)
def test_a_call_is_written_by_the_parameters_of_the_function(how: dict[str, Any], said: str) -> None:
    target = replace(Target("m:f", FORMS["ids"], ("relevant", "ranked"), k="k"), **how)
    assert check_text._call(SimpleNamespace(target=target)) == said  # type: ignore[arg-type]
