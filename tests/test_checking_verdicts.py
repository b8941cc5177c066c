"""The steps of a verdict on a function, each by itself: where answers differ, which conventions and defects that shows, what is told."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import ABSENT, Answered, Failure, Reading
from rankproof.asking.sheets import Sheet, Version
from rankproof.asking.subjects import Installation, Subject
from rankproof.asking.workers import WorkerFailed
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import (
    axis_witnesses,
    checked,
    diagnosing,
    differing,
    examining,
    inferring,
    library_defects,
    nearest,
    tier_wording,
    undecided,
    wording,
)
from rankproof.checking.call_forms import FORMS
from rankproof.checking.call_sessions import NOT_ASKED
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.checked import Checked, Tier
from rankproof.checking.differing import Difference, count, differences, precisions
from rankproof.checking.limits import Limits
from rankproof.checking.targets import BadFunction, Target
from rankproof.checking.tiers import traits
from rankproof.defects.diagnosis import Diagnosis
from rankproof.defects.trial import Told
from rankproof.judging.oracle import Answers, CannotTell, Obstacle, Refused, Values
from rankproof.judging.recalled import recalled
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict, reading_of
from rankproof.meaning.input_traits import ASSUMPTIONS, traits_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.meaning.signatures import axes_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile

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


def told(
    answers: Answers | Callable[[Conventions], Answers], queries: Sequence[str] = ("q",), weight: int = 1, name: str = "made",
    **more: Any,
) -> Any:  # fmt: skip
    """A question to which the reference is made to say this; of ordinary input, unless `more` says otherwise."""
    facts = {
        "case": SimpleNamespace(id=name, question="is it", queries=queries, input=name), "measure": parse("P@2"), "weight": (weight, name),
        "answers": answers if callable(answers) else lambda _: answers, "choices": lambda conventions: (conventions.spec(),),
        "reference": SimpleNamespace(axes=lambda _: ("norel", "empty")),
        "extreme": None, "traits": (), "telling": True, "is_plain": True, "strangeness": 0, "takes_long": False,
    }  # fmt: skip
    return SimpleNamespace(**facts | more)


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


def test_a_query_that_is_not_told_has_no_decimals() -> None:
    assert precisions([seen(TIED, Answered({"q": 0.123}, None))])[-1] == "3 decimals"


def test_numbers_come_before_errors_and_simple_questions_before_large() -> None:
    got: list[tuple[float | Failure, int]] = [(RAISED, 1), (0.5, 9), (0.5, 2), (CLOSED, 3)]
    answers = [(one if isinstance(one, Failure) else Answered(None, one), weight) for one, weight in got]
    asked = [Seen(told(values(1.0), weight=weight), one) for one, weight in answers]
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

AXES_OF_P = axes_of(parse("P"))
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


# -- the libraries that come nearest -----------------------------------------------------------------------------------


def library(name: str, **claims: Mapping[str, str]) -> Library:
    """A library whose variants claim these profiles, by a key of measures."""
    of = {variant: {key: profile(spec) for key, spec in said.items()} for variant, said in claims.items()}
    return Library(name, Path(name), Sheet(name, "", "", "", "", "float64", {}, of, {}, Path(name)))


def knowing(monkeypatch: pytest.MonkeyPatch, *known: tuple[Library, Mapping[str, Sequence[str]]]) -> None:
    monkeypatch.setattr(nearest, "_known", lambda: list(known))
    monkeypatch.setattr(nearest, "_claims", nearest._claims.__wrapped__)


def test_a_claim_is_that_of_the_variant_for_the_measure_and_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    knowing(
        monkeypatch,
        (library("one", default={"P": "ties=docid-asc", "*": "ties=input"}), {"default": ["P@{k}"]}),
        (library("two", rows={"*": ""}, all={"P": "ties=docid-asc"}), {"rows": ["P@{k}"], "all": ["P@{k}"]}),
        (library("not", default={"P": "ties=best"}), {"default": ["nDCG@{k}"]}),
        (library("gains", default={"*": "ties=docid-asc gain=exp"}), {"default": ["P@{k}"]}),  # P has no gain
    )
    found = [(claimed.ties, names) for claimed, names in nearest._claims(parse("P@2"))]
    assert found == [("docid-asc", ["one", "two/all", "gains"]), ("docid-desc", ["two/rows"])]


def test_a_claim_is_the_same_where_the_measure_itself_names_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    knowing(
        monkeypatch,
        (library("a", default={"*": "gain=exp"}), {"default": ["*"]}),
        (library("b", default={"*": ""}), {"default": ["*"]}),
    )
    assert [names for _, names in nearest._claims(parse("nDCG@2"))] == [["a"], ["b"]]
    assert [names for _, names in nearest._claims(parse("nDCG(dcg='exp-log2')@2"))] == [["a", "b"]]


def test_the_nearest_are_all_that_give_as_many_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    supported = {"default": ["P@{k}"]}
    knowing(
        monkeypatch,
        (library("plain", default={"*": ""}), supported),
        (library("asc", default={"*": "ties=docid-asc"}), supported),
        (library("rows", default={"*": "ties=input"}), supported),
    )
    asked = [seen(TIED, 0.5, name="a"), seen(TIED, 0.0, name="b"), seen(TIED, 0.5, name="c"), seen(TIED, 0.3, name="d")]
    assert nearest.nearest(parse("P@2"), asked, "float64") == nearest.Nearest(("asc", "rows"), 2, 4)
    order = nearest.nearest_claims(parse("P@2"), asked, "float64")
    assert [one.ties for one in order] == ["docid-asc", "input", "docid-desc"]
    monkeypatch.setattr(nearest, "_claims", lambda _: [])
    assert nearest.nearest(parse("P@2"), asked, "float64") is None


@pytest.mark.parametrize(
    ("supported", "variant", "expected"),
    [
        ({"default": ["P@{k}"]}, "default", True),
        ({"default": ["R@{k}"]}, "default", False),
        ({"default": ["R@{k}", "P@2"]}, "default", True),
        ({"default": ["P@{k}"]}, "rows", False),
        ({"default": ["*"]}, "default", True),
        ({"rows": ["*"]}, "rows", True),  # of which its sheet speaks
        ({"all": ["*"]}, "all", False),  # whose sheet speaks of anything
        ({"all": ["*", "P@{k}"]}, "all", False),
    ],
)
def test_a_library_answers_what_it_supports(
    supported: Mapping[str, Sequence[str]],
    variant: str,
    expected: bool,  # noqa: FBT001 - a table
) -> None:
    sheet = library("a", default={"*": ""}, rows={"P@k": ""}, all={"*": "", "R": ""}).sheet
    assert nearest._answers(supported, sheet, variant, parse("P@2")) == expected


def test_labelings_have_no_parameters_to_name_a_choice() -> None:
    assert nearest.measure_conventions(parse("ARI"), STANDARD) is STANDARD
    assert nearest.measure_conventions(parse("nDCG(dcg='exp-log2')"), STANDARD).gain == "exp"


def test_what_a_library_supports_is_asked_once_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers: list[Mapping[str, Sequence[str]]] = [{}, {"default": ["P@{k}"]}]
    keyed: list[tuple[Any, ...]] = []
    monkeypatch.setattr(nearest, "_asked", lambda _: answers.pop(0))
    monkeypatch.setattr(nearest, "adapter_of", lambda one: f"adapter of {one.name}")
    monkeypatch.setattr(nearest, "key_of", lambda *parts: keyed.append(parts) or "key")
    monkeypatch.setattr("rankproof.files.cache", lambda: tmp_path)
    mine = library("mine", default={})
    assert nearest._supported(mine) == {}
    assert not list(tmp_path.rglob("*.json")), "what could not be asked is no answer to keep"
    assert nearest._supported(mine) == {"default": ["P@{k}"]}
    assert nearest._supported(mine) == {"default": ["P@{k}"]}, "nobody is asked again"
    (kept,) = tmp_path.rglob("*.json")
    assert kept == tmp_path / "supported" / "mine-key.json"
    assert set(map(repr, keyed)) == {repr(("adapter of mine", (), {"python": __import__("sys").version}))}
    for spoilt in ("[1]", '{"default": "P@k"}', "{"):
        kept.write_text(spoilt, encoding="utf-8")
        answers.append({"default": ["R@{k}"]})
        assert nearest._supported(mine) == {"default": ["R@{k}"]}


def test_a_library_that_cannot_be_asked_supports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, Any] = {}

    class Worker:
        def identify(self) -> Mapping[str, Any]:
            if "measures" not in said and "version" not in said:
                raise WorkerFailed("crash", "it ended")
            return said

    @contextmanager
    def worker_of(_: Library) -> Iterator[Worker]:
        yield Worker()

    monkeypatch.setattr(nearest, "worker_of", worker_of)
    mine = library("mine", default={})
    assert nearest._asked(mine) == {}
    said["version"] = "1"
    assert nearest._asked(mine) == {}
    said["measures"] = {"default": ["P@{k}"]}
    assert nearest._asked(mine) == {"default": ["P@{k}"]}


def test_a_library_with_a_fault_is_left_out_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, faulty = library("sound", default={}), replace(library("faulty"), fault="no sheet")
    monkeypatch.setattr(nearest, "_here", lambda: [faulty, sound])
    monkeypatch.setattr(nearest, "_supported", lambda one: {one.name: ["P@{k}"]})
    assert nearest.left_out() == [faulty]
    assert nearest._known.__wrapped__() == [(sound, {"sound": ["P@{k}"]})]


# -- what shows a choice -----------------------------------------------------------------------------------------------

EXPONENTIAL = STANDARD.replace(gain="exp")


def shown(one: Seen, axis: str = "gain", follows: Conventions = EXPONENTIAL) -> list[tuple[str | None, Any, Any]]:
    other = follows.replace(**{axis: getattr(STANDARD, axis)})
    found = axis_witnesses._shown(one, axis, STANDARD, follows, other, "float64")
    return [(each.query, each.got, each.other) for each in found]


def test_a_choice_is_shown_by_an_answer_that_it_explains_and_the_other_does_not() -> None:
    linear, exponential = 1 + 3 / math.log2(3), 1 + 7 / math.log2(3)
    assert shown(seen(GRADED, exponential, "DCG@2")) == [(None, exponential, linear)]
    assert shown(seen(GRADED, linear, "DCG@2")) == []
    assert shown(seen(GRADED, 0.1, "DCG@2")) == [], "which neither explains"
    assert shown(seen(GRADED, RAISED, "DCG@2")) == []
    assert shown(replace(seen(GRADED, exponential, "DCG@2"), again=Answered(None, 1.0))) == []
    assert shown(seen(TWO, 0.75, "RR")) == [], "a gain is none of its matters"


def by_gain(exponential: Answers, linear: Answers) -> Callable[[Conventions], Answers]:
    return lambda conventions: exponential if conventions.gain == "exp" else linear


@pytest.mark.parametrize(
    ("exponential", "linear", "answer", "expected"),
    [
        (values(0.5, q=0.25), values(0.5, q=0.75), Answered({"q": 0.25}, 0.5), [("q", 0.25, 0.75)]),
        (values(0.5, q=0.25), Refused("norel", "no"), Answered({"q": 0.25}, 0.5), [(None, 0.5, None), ("q", 0.25, None)]),
        (values(0.5, q=0.25), values(0.25), Answered({"q": 0.25}, 0.5), [(None, 0.5, 0.25), ("q", 0.25, ABSENT)]),
        (Refused("norel", "no"), values(0.5, q=0.5), Answered({"q": 0.25}, 0.25), []),
        (values(0.5), values(0.25, q=0.25), Answered({}, 0.5), [(None, 0.5, 0.25)]),  # that a query is not told shows nothing
    ],
)  # fmt: skip
def test_each_query_may_show_a_choice(
    exponential: Answers, linear: Answers, answer: Answered, expected: list[tuple[str | None, float, Any]]
) -> None:
    assert shown(Seen(told(by_gain(exponential, linear)), answer)) == expected


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


def test_the_simplest_witness_is_ordinary_then_a_number_then_of_one_query() -> None:
    def weight(data: Input, query: str | None, other: float | None) -> tuple[bool, bool, bool]:
        one = axis_witnesses.AxisWitness("gain", "", question(data), query, 1.0, other)
        assert axis_witnesses._weight(one)[3] == one.question.weight
        return axis_witnesses._weight(one)[:3]

    assert weight(GRADED, None, 0.0) == (False, False, False)
    assert weight(NEGATIVE, "q", 0.0) == (True, False, False)
    assert weight(GRADED, None, None) == (False, True, False)
    assert weight(TWO, None, 0.0) == (False, False, True)
    assert weight(TWO, "q", 0.0) == (False, False, False)


# -- what no question decides ------------------------------------------------------------------------------------------


def open_axes(*asked: Seen, follows: str = "standard", form: str = "qrels-run") -> dict[str, tuple[str, ...]]:
    return undecided.undecided(parse("P@2"), asked, profile(follows), "float64", FORMS[form])


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


def test_what_an_answer_does_not_agree_with_or_that_changes_decides_nothing() -> None:
    one = following("standard", TIED)
    assert open_axes()["ties"] == ()
    assert open_axes(replace(one, again=Answered(None, 1.0)))["ties"] == ()
    assert open_axes(seen(TIED, 0.3))["ties"] == ()
    assert open_axes(one, follows="ties=docid-asc")["ties"] == ()
    assert open_axes(seen(TIED, 0.3), one)["ties"] == open_axes(one)["ties"]


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


def test_what_is_settled_holds_beside_an_axis_that_is_told() -> None:
    form = FORMS["ids"]
    assert {"missing", "extra"} <= form.settled.keys()
    beside = undecided._settled_beside
    assert beside("norel", form) == form.settled
    assert beside("ties", form) == {axis: value for axis, value in form.settled.items() if axis == "gain"}


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


def test_questions_that_decide_are_simple_before_large_and_numbers_before_errors() -> None:
    large = given("q a 1,q b 0,q c 0", "q c 2,q a 1,q b 1,q d 0")
    asked = [
        seen(TIED, RAISED, name="error"),
        following("standard", large, name="large"),
        following("standard", TIED, name="small"),
    ]
    untied = following("standard", given("q a 1,q b 0", "q a 2,q b 1"), name="untied")
    asked_of = undecided._asked_of
    assert [one.question.case.id for one in asked_of("ties", [*asked, untied])] == ["small", "large", "error"]


# -- what the answers prove --------------------------------------------------------------------------------------------


def holding(
    name: str, answer: float = 1.0, weight: int = 1, like: Mapping[str, Any] | None = None, **choices: str
) -> Seen:
    """A question to which 1 is right by these choices, and 0 by all others."""

    def answers(conventions: Conventions) -> Answers:
        return values(float(all(getattr(conventions, axis) == value for axis, value in choices.items())))

    return Seen(told(answers, name=name, weight=weight, **like or {}), Answered(None, answer))


def named(asked: Sequence[Seen]) -> list[str]:
    return [one.question.case.id for one in asked]


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


def test_numbers_are_compared_as_exactly_as_leaves_nothing_unexplained() -> None:
    third, rounded = values(1 / 3), Answered(None, 0.3333)
    assert inferring._exactly([Seen(told(third), rounded)], STANDARD, "float64") == "4 decimals"
    assert inferring._exactly([Seen(told(third), Answered(None, 1 / 3))], STANDARD, "float32") == "float64"
    assert inferring._exactly([Seen(told(third), rounded), Seen(told(values(1.0)), rounded)], STANDARD, "x") == "x"


def test_one_axis_after_another_is_changed_while_that_explains_more() -> None:
    both = [holding("a", ties="docid-asc"), holding("b", norel="1"), holding("c")]
    measure = parse("P@2")
    assert inferring.glance(measure, both, STANDARD, "float64") == (0, STANDARD.replace(ties="docid-asc", norel="1"))
    start = STANDARD.replace(ties="docid-asc", mean="geometric")
    assert inferring.glance(measure, both[::2], start, "float64") == (0, start)
    of_gain = [*both, holding("d", gain="exp")]
    found = inferring.glance(measure, of_gain, STANDARD, "float64")
    assert found == (1, STANDARD.replace(ties="docid-asc", norel="1")), "P has no gain"
    assert inferring.glance(measure, [holding("a", 0.5)] * 3, start, "float64") == (1, start), "one question"
    back = inferring.glance(measure, [holding("a", ties="docid-desc")], start, "float64")
    assert back == (0, start.replace(ties="docid-desc"))


@pytest.mark.parametrize(
    ("gained", "by_chance", "elsewhere", "is_kept"),
    [(4, 1, 0, True), (3, 1, 0, False), (3, 0, 9, True), (0, 0, 9, False), (0, 0, 0, True), (7, 2, 3, True), (6, 2, 3, False)],
)  # fmt: skip
def test_a_choice_explains_more_than_three_of_four_answers_that_it_touches(
    gained: int,
    by_chance: int,
    elsewhere: int,
    is_kept: bool,  # noqa: FBT001 - a table
) -> None:
    asked = [
        *(holding(f"gained {n}", gain="exp") for n in range(gained)),
        *(holding(f"touched {n}", 0.5, gain="exp") for n in range(by_chance)),
        *(holding(f"other {n}", 0.5) for n in range(elsewhere)),
    ]
    chosen = STANDARD.replace(gain="exp")
    assert inferring.borne_out(asked, chosen, "float64") == (chosen if is_kept else STANDARD)
    assert inferring._is_borne_out(asked, chosen, STANDARD, "float64") == (gained > 0 and is_kept)


def test_each_choice_but_an_order_of_ties_is_to_be_borne_out() -> None:
    profile = STANDARD.replace(gain="exp", norel="1", ties="docid-asc")
    asked = [holding("a", norel="1"), holding("b", 0.5), holding("c", 0.5, gain="exp")]
    assert inferring.borne_out(asked, profile, "float64") == profile.replace(gain=STANDARD.gain)
    assert inferring.borne_out(asked[1:], profile, "float64") == STANDARD.replace(ties="docid-asc")


def test_choices_that_explain_no_answer_are_left_out() -> None:
    profile = STANDARD.replace(gain="exp", norel="1", ties="docid-asc")
    assert inferring.minimised([holding("a", gain="exp")], profile, "float64") == STANDARD.replace(gain="exp")
    first, last = (axis for axis in STANDARD.differences(profile) if axis != "gain")
    spoils = holding("b", **{first: getattr(STANDARD, first)})
    helps = holding("c", **{last: getattr(profile, last)})
    found = inferring.minimised([spoils, helps], profile, "float64")
    assert found == STANDARD.replace(**{last: getattr(profile, last)}), "what one spoils is no reason to lose another"


def told_nothing_of(*axes: str) -> Any:
    return SimpleNamespace(name="mine:f", form=SimpleNamespace(name="rows", untold=frozenset(axes)))


def test_a_change_is_one_of_an_axis_that_can_matter_and_is_told() -> None:
    asked = [holding("a", norel="1"), holding("b", norel="1"), holding("c", empty="nan")]
    found = {
        changed.spec(): left for left, changed in inferring._left_by(asked, STANDARD, "float64", frozenset({"ties"}))
    }
    assert {"norel=1": 1, "empty=nan": 2, "norel=nan": 3}.items() <= found.items()
    assert {spec.partition("=")[0] for spec in found} == {"norel", "empty"}
    assert len(found) == len(AXES["norel"].values) + len(AXES["empty"].values) - 2
    kept = inferring._left_by(asked, STANDARD, "float64", frozenset({"norel"}))
    assert {changed.spec().partition("=")[0] for _, changed in kept} == {"empty"}
    assert named(inferring._missed(asked, STANDARD.replace(norel="1"), "float64")) == ["c"]


def test_what_extreme_answers_show_is_added_and_changes_no_ordinary_one() -> None:
    def extended(ordinary: Sequence[Seen], extreme: Sequence[Seen], *untold: str) -> str:
        return inferring.extended(told_nothing_of(*untold), STANDARD, ordinary, extreme, "float64").spec()

    fits, other = holding("fits"), holding("other", norel="1")
    assert extended([fits], []) == ""
    assert extended([fits], [other]) == "norel=1"
    assert extended([fits], [other, holding("more", empty="nan")]).split() == ["empty=nan", "norel=1"]
    assert extended([fits], [other], "norel") == ""
    assert extended([fits, holding("misses", 0.5)], [other]) == "", "ordinary answers are not explained yet"
    assert extended([holding("ordinary", norel="0")], [other]) == ""
    assert (
        extended([fits], [holding("a", norel="1"), holding("b", norel="nan"), holding("c", norel="nan")]) == "norel=nan"
    )
    touched = [holding(f"{n}", norel="1") for n in range(3)]
    assert extended([fits], [*touched, holding("x", 0.5, norel="1")]) == "", "three of four may be chance"
    assert extended([fits], [*touched, other, holding("x", 0.5, norel="1")]) == "norel=1"


def test_a_fingerprint_is_taken_of_all_answers_and_the_one_of_most_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    given_to: list[Any] = []
    made = [SimpleNamespace(asked=1), SimpleNamespace(asked=3), SimpleNamespace(asked=2)]

    def infer(observations: Any, cases: Any, subject: Any, *, precision: Any, untold: Any) -> list[Any]:
        given_to[:] = [observations, cases, subject, precision(None), untold]
        return made

    monkeypatch.setattr("rankproof.inference.fingerprints.infer", infer)
    asked = [seen(TIED, 0.5, name="a"), replace(seen(TIED, 0.25, name="b"), again=RAISED)]
    assert inferring.inferred(told_nothing_of("ties"), asked, "float32") is made[1]
    observations, cases, subject, precision, untold = given_to
    assert [(one.case, one.measure, one.answer, one.why_not, one.again) for one in observations] == [
        ("a", "P@2", Answered(None, 0.5), "", None),
        ("b", "P@2", Answered(None, 0.25), "", RAISED),
    ]
    assert all(one.subject == subject for one in observations)
    assert (subject.library, subject.variant, precision, untold) == ("mine:f", "rows", "float32", {"ties"})
    assert cases == {one.question.case.id: one.question.case for one in asked}
    made.clear()
    assert inferring.inferred(told_nothing_of(), asked, "float64") is None


def test_a_fingerprint_is_taken_again_with_what_it_does_not_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of: list[tuple[list[str], str]] = []
    first: Any = SimpleNamespace(missed=[SimpleNamespace(case="missed")], profile=STANDARD)

    def inferred(_target: Any, some: Sequence[Seen], precision: str) -> Any:
        asked_of.append((named(some), precision))
        return first

    monkeypatch.setattr(inferring, "inferred", inferred)
    telling, beyond = [holding("told"), holding("missed", norel="1")], [holding("fits"), holding("missed", norel="1")]
    for one in (*beyond, wrong := holding("wrong", norel="1")):
        one.question.telling = False  # type: ignore[misc] - it is a stand-in
    assert inferring._fingerprint(told_nothing_of(), [*telling, *beyond], "float32") is first
    assert asked_of == [(["told", "missed"], "float32")]
    asked_of.clear()
    assert inferring._fingerprint(told_nothing_of(), [*telling, *beyond, wrong], "float32") is first
    assert asked_of == [(["told", "missed"], "float32"), (["told", "missed", "wrong"], "float32")]
    first = None
    assert inferring._fingerprint(told_nothing_of(), [*telling, wrong], "float64") is None


NEAR, START, CLAIMED = (STANDARD.replace(norel=value) for value in ("1", "nan", "dropped"))


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What finds conventions, replaced by what a test says; `calls` has what was looked for."""
    by: Any = SimpleNamespace(calls=[], near={}, defect=None, fingerprint=None)

    def glance(_measure: Any, some: Sequence[Seen], start: Conventions, precision: str) -> tuple[int, Conventions]:
        by.calls.append(("glance", len(some), start.norel, precision))
        by.looked_at = named(some)
        return by.near.get((start.norel, precision), 20), NEAR if start is CLAIMED else start

    def defect_of(_measure: Any, some: Sequence[Seen], near: Conventions, precisions: Any, also: Any) -> Any:
        by.calls.append(("defect", len(some), near.norel, tuple(precisions), [one.norel for one in also]))
        return by.defect

    def claims(*_: Any) -> list[Conventions]:
        by.calls.append(("claims",))
        return [START, STANDARD]

    monkeypatch.setattr(inferring, "glance", glance)
    monkeypatch.setattr(inferring, "defect_of", defect_of)
    monkeypatch.setattr(inferring, "nearest_claims", claims)
    monkeypatch.setattr(inferring, "_fingerprint", lambda *_: by.fingerprint)
    asked = [holding(f"{n}", 0.5, weight=100 - n) for n in range(20)]
    by.of = lambda *more: inferring.found_of(told_nothing_of(), parse("P@2"), [*asked, *more], CLAIMED)
    return by


def test_a_defect_is_looked_for_first_where_more_than_a_quarter_fits_nothing(finding: Any) -> None:
    finding.near = {("dropped", "float64"): 5}
    assert finding.of() == inferring.Found(NEAR, "float64")
    assert finding.calls == [("glance", 20, "dropped", exact) for exact in ("float64", "float32")]
    finding.calls.clear()
    finding.near = {("dropped", "float64"): 6}
    assert finding.of() == inferring.Found(NEAR, "float64")
    assert finding.calls[2:] == [("defect", 20, "1", ("float64",), ["dropped"])]
    finding.defect = "wrong"
    assert finding.of() == inferring.Found(STANDARD, "float64", None, "wrong"), "norel=1 explains nothing"


def test_a_claim_of_a_library_is_a_start_where_more_than_three_of_five_fit_nothing(finding: Any) -> None:
    finding.near = {("dropped", "float64"): 12}
    assert finding.of().profile == NEAR
    assert ("claims",) not in finding.calls
    finding.near = {("dropped", "float64"): 13, ("nan", "float64"): 12}
    assert finding.of().profile == START
    finding.near = {("dropped", "float64"): 13, ("nan", "float64"): 14, ("dropped", "float32"): 1}
    assert finding.of() == inferring.Found(NEAR, "float32")


def test_where_nothing_comes_near_only_a_defect_is_looked_for(finding: Any) -> None:
    finding.defect = "wrong"
    assert finding.of() == inferring.Found(STANDARD, "float64", None, "wrong")
    assert [call[0] for call in finding.calls] == ["glance"] * 2 + ["claims", "glance"] * 2 + ["defect"]
    assert finding.calls[-1] == ("defect", 20, "1", ("float64", "float32"), ["dropped"])


def test_the_simplest_answers_that_tell_are_looked_at(finding: Any) -> None:
    finding.near = {("dropped", "float64"): 0}
    more = [holding(f"more {n}", 0.5, weight=n + 1000) for n in range(50)]
    finding.of(holding("0 or 1", 1.0, weight=0), *more)
    assert len(finding.looked_at) == 60
    assert finding.looked_at[:2] == ["19", "18"]
    assert finding.looked_at[-1] == "more 39"


def test_what_a_fingerprint_has_is_to_be_borne_out(finding: Any) -> None:
    finding.near = {("dropped", "float64"): 0}
    finding.fingerprint = SimpleNamespace(profile=STANDARD.replace(gain="exp"))
    assert finding.of() == inferring.Found(STANDARD, "float64", finding.fingerprint)


# -- defects -----------------------------------------------------------------------------------------------------------


def numbers(answer: Answered | Failure, again: Answered | None = None) -> Mapping[str | None, float] | None:
    found = diagnosing.told_of(replace(seen(TIED, answer), again=again))
    return None if found is None else found.numbers


def test_of_an_answer_its_numbers_are_told() -> None:
    assert numbers(Answered({"q": 0.5, "r": 0.25}, 0.375)) == {None: 0.375, "q": 0.5, "r": 0.25}
    assert numbers(Answered(None, 0.5), again=Answered(None, 1.0)) is None
    assert [numbers(RAISED), numbers(Answered(None, None)), numbers(Answered({}, None))] == [None] * 3
    one = seen(TIED, 0.5, name="x")
    found = diagnosing.told_of(one)
    assert found == Told("x", TIED, parse("P@2"), {None: 0.5}, is_ordinary=True)
    extreme = diagnosing.told_of(seen(NEGATIVE, 0.5))
    assert extreme is not None
    assert not extreme.is_ordinary


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        ([0.5, 1.0], []),
        ([50.0, 33.3], ["1 decimals"]),
        ([50.0, 33.33], ["2 decimals"]),
        ([50.0, 33.333], []),
        ([1.5, math.nan, math.inf], ["1 decimals"]),
        ([], []),
    ],
)
def test_percentages_may_be_rounded_to_two_decimals(some: list[float], expected: list[str]) -> None:
    asked = [Told("a", TIED, parse("P@2"), {None: number}) for number in some]
    assert diagnosing._percents(asked) == expected


def test_a_defect_is_looked_for_at_each_precision_and_then_without_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[Any, ...]] = []
    guilty: set[tuple[str, ...]] = set()
    sentence = Diagnosis((), STANDARD, 5, 6, None)  # type: ignore[arg-type] - what it is does not matter here

    def diagnosed(measure: Any, among: Sequence[Told], near: Any, precision: str, also: Any) -> Diagnosis | None:
        tried.append(("".join(one.case for one in among), precision))
        assert (measure, near, also) == (parse("P@2"), NEAR, [CLAIMED])
        return sentence if tried[-1] in guilty else None

    monkeypatch.setattr(diagnosing, "diagnosed", diagnosed)
    asked = [seen(TIED, 33.33, name="t"), seen(GRADED, 50.0, name="g"), seen(TIED, RAISED, name="x")]

    def found(some: Sequence[Seen]) -> Diagnosis | None:
        tried.clear()
        return diagnosing.defect_of(parse("P@2"), some, NEAR, ["float64", "2 decimals", "float32"], [CLAIMED])

    exactly = ["float64", "2 decimals", "float32"]
    assert found(asked) is None
    assert tried == [*(("tg", one) for one in exactly), *(("g", one) for one in exactly)]
    assert found(asked[1:2]) is None
    assert tried == [("g", one) for one in ("float64", "2 decimals", "float32", "1 decimals")], "nothing is tied"
    guilty.add(("tg", "2 decimals"))
    assert found(asked) is sentence
    guilty.clear()
    guilty.add(("g", "float32"))
    assert found(asked) == replace(sentence, without_ties=True)
    assert found(asked[1:2]) is sentence


# -- the verdict -------------------------------------------------------------------------------------------------------

RIGHT, WRONG = holding("right"), holding("wrong", 0.5)
ONE_FOR_NOREL = holding("norel", norel="1")
UNSTEADY = replace(holding("unsteady", weight=7), again=Answered(None, 0.5))
EXTREME = {"extreme": ASSUMPTIONS["small"], "traits": (ASSUMPTIONS["small"],)}
STRANGE = holding("strange", 0.5, like=EXTREME)
STRANGE_BY_NOREL = holding("strange", norel="1", like=EXTREME)
GUILTY = Diagnosis((), STANDARD, 5, 6, SimpleNamespace(told=SimpleNamespace(case="none of these")))  # type: ignore[arg-type] # no question here shows it


def failing(kind: str) -> Seen:
    return Seen(told(values(1.0), name=kind), Failure(kind, "it did not come back"))


def tier(*asked: Seen, follows: str = "norel=1", precision: str = "float64") -> Tier:
    return Tier(asked, STANDARD, profile(follows), precision)


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        ([RIGHT], "agrees"),
        ([], "agrees"),
        ([RIGHT, ONE_FOR_NOREL], "convention"),
        ([RIGHT, ONE_FOR_NOREL, WRONG], "unexplained"),
        ([RIGHT, Seen(told(values(1.0)), RAISED)], "unexplained"),
        ([WRONG, UNSTEADY, failing("crash")], "unstable"),
        ([failing("timeout"), failing("memory"), failing("crash"), WRONG], "crash"),
        ([failing("timeout"), failing("memory"), WRONG], "memory"),
        ([failing("timeout"), WRONG], "timeout"),
        ([failing("invalid-output")], "unexplained"),
    ],
)
def test_the_verdict_of_a_tier_is_the_gravest_thing_that_happened(asked: Sequence[Seen], verdict: str) -> None:
    assert tier(*asked).verdict == verdict


def test_a_tier_counts_its_questions() -> None:
    found = tier(RIGHT, ONE_FOR_NOREL, WRONG, UNSTEADY, holding("more", 0.5))
    assert (found.asked, found.wavering, found.explained, found.spec) == (5, 1, 2, "norel=1")
    assert [one.question.case.id for one in found.differences] == ["more", "norel", "wrong", "unsteady"]
    assert [one.question.case.id for one in found.misses] == ["more", "wrong", "unsteady"]
    assert tier(follows="standard").spec == "standard"
    near = holding("near", 1 + 1e-8)
    assert [tier(near, precision=exact).verdict for exact in ("float64", "float32")] == ["unexplained", "agrees"]


def found_of(
    *asked: Seen, claim: str | None = "standard", follows: str = "", form: str = "qrels-run", **known: Any
) -> Checked:
    """What is found of a function, where what its ordinary answers prove is known."""
    target = Target(known.pop("name", "mine:f"), FORMS[form])
    made = Checked(target, parse("P@2"), claim, profile(claim or "standard"), asked)
    made.__dict__.update({"found": inferring.Found(profile(follows), "float64"), "defect": None, **known})
    return made


def test_what_was_not_asked_is_not_counted() -> None:
    left_out = Seen(told(values(1.0)), Failure("timeout", NOT_ASKED))
    found = found_of(RIGHT, left_out, ONE_FOR_NOREL, left_out)
    assert (found.answered, found.asked, found.skipped) == ((RIGHT, ONE_FOR_NOREL), 2, 2)
    assert found.whole.seen == (RIGHT, ONE_FOR_NOREL)


def test_extreme_questions_are_a_tier_of_their_own_unless_there_are_no_others() -> None:
    strange = holding("strange", like=EXTREME)
    found = found_of(RIGHT, strange)
    assert (found.ordinary.seen, found.extreme.seen, found.whole.seen) == ((RIGHT,), (strange,), (RIGHT, strange))
    found = found_of(strange)
    assert (found.ordinary.seen, found.extreme.seen) == ((strange,), ())


@pytest.mark.parametrize(
    ("asked", "defect", "ordinary", "verdict"),
    [
        ([RIGHT], None, "agrees", "agrees"),
        ([RIGHT, ONE_FOR_NOREL], None, "convention", "convention"),
        ([RIGHT, WRONG], None, "unexplained", "unexplained"),
        ([RIGHT, WRONG], GUILTY, "unexplained", "defect"),
        ([RIGHT, ONE_FOR_NOREL], GUILTY, "convention", "convention"),
        ([RIGHT, STRANGE], None, "agrees", "unexplained"),
        ([RIGHT, ONE_FOR_NOREL, STRANGE], None, "convention", "unexplained"),
        ([RIGHT, UNSTEADY, STRANGE], None, "unstable", "unstable"),
        ([failing("timeout"), replace(failing("crash"), question=told(values(1.0), name="x", **EXTREME))], None, "timeout", "timeout"),
    ],
)  # fmt: skip
def test_what_is_ordinary_leads_and_what_is_extreme_may_spoil_it(
    asked: Sequence[Seen], defect: Diagnosis | None, ordinary: str, verdict: str
) -> None:
    found = found_of(*asked, follows="norel=1", defect=defect)
    assert (found.ordinary.verdict, found.verdict) == (ordinary, verdict)


@pytest.mark.parametrize(
    ("asked", "claim", "holds"),
    [
        ([RIGHT], "standard", (True, True)),
        ([RIGHT, ONE_FOR_NOREL], "standard", (False, False)),
        ([RIGHT, ONE_FOR_NOREL], None, (True, True)),
        ([RIGHT, WRONG], None, (False, False)),
        ([RIGHT, STRANGE], "standard", (True, False)),
        ([RIGHT, ONE_FOR_NOREL, STRANGE], None, (True, False)),
    ],
)
def test_a_claim_is_kept_and_without_one_any_convention_will_do(
    asked: Sequence[Seen], claim: str | None, holds: tuple[bool, bool]
) -> None:
    found = found_of(*asked, claim=claim, follows="norel=1")
    assert (found.holds, found.holds_strictly) == holds


@pytest.mark.parametrize(("wrong", "right", "is_unknown"), [(1, 9, []), (2, 9, [1]), (2, 18, []), (0, 1, [])])
def test_more_than_one_answer_of_ten_is_no_exception(wrong: int, right: int, is_unknown: list[int]) -> None:
    asked = [*(holding(f"r{n}") for n in range(right)), *(holding(f"w{n}", 0.5) for n in range(wrong))]
    found = found_of(*asked)
    assert found.is_unknown == bool(is_unknown)
    assert (found.signature is None) == bool(is_unknown)


def test_numbers_are_compared_as_the_claim_or_else_as_what_is_found_needs() -> None:
    near = holding("near", 1 + 1e-8)
    assert (found_of(RIGHT).precision, found_of(near).precision) == ("float64", "float32")
    assert (found_of(near).verdict, found_of(near)._agrees_at) == ("agrees", "float32")
    coarse = inferring.Found(profile("norel=1"), "4 decimals")
    assert found_of(ONE_FOR_NOREL, found=coarse).precision == "4 decimals"
    assert found_of(ONE_FOR_NOREL, found=coarse)._agrees_at is None
    assert found_of(RIGHT, found=coarse).ordinary.follows == STANDARD, "what it claims explains all"
    assert found_of(ONE_FOR_NOREL, found=coarse).ordinary.follows == profile("norel=1")


def test_what_it_follows_on_extreme_input_is_added_to_what_it_follows_on_ordinary_input() -> None:
    found = found_of(RIGHT, ONE_FOR_NOREL, holding("strange", empty="nan", like=EXTREME), follows="norel=1")
    assert found.follows == profile("norel=1 empty=nan")
    assert (found.on_extreme, found.ordinary.spec, found.extreme.misses) == ("empty=nan", "norel=1", [])
    assert (set(found.spec.split()), found.verdict) == ({"norel=1", "empty=nan"}, "convention")
    assert found.words_of_extreme == "the same, with empty=nan, on all 1 extreme question"
    assert found_of(RIGHT, holding("s", like=EXTREME)).on_extreme == ""
    two = found_of(RIGHT, holding("s", norel="1", like=EXTREME), holding("t", empty="nan", like=EXTREME))
    assert two.on_extreme == "empty=nan norel=1"


def test_what_its_caller_decides_is_part_of_the_profile_and_told_by_itself() -> None:
    rows, settled = found_of(RIGHT, form="rows"), FORMS["rows"].settled
    assert rows.profile == STANDARD.replace(**settled)
    assert rows.words_of_caller == ", ".join(AXES[axis].phrase(value) for axis, value in settled.items())
    ids = {axis: value for axis, value in FORMS["ids"].settled.items() if axis != "gain"}  # P has none
    assert found_of(RIGHT, form="ids").words_of_caller == ", ".join(
        AXES[axis].phrase(value) for axis, value in ids.items()
    )
    assert found_of(RIGHT).words_of_caller == ""


@pytest.mark.parametrize(
    ("name", "by"),
    [("mine:f", "mine:f"), (":f", "f"), (":<lambda> a|b\tc", "<lambda>_a_b_c"), ("", "function"), (":", "function")],
)
def test_a_signature_names_the_function_without_blanks_and_bars(name: str, by: str) -> None:
    found = found_of(RIGHT, name=name, undecided={"ties": ("docid-desc", "worst")}, form="rows")
    assert found.signature is not None
    assert found.signature.by == by
    assert found.signature.measure == parse("P@2")
    assert found.signature.remaining == (("ties", ("docid-desc", "worst")),)
    assert found.signature.conventions.known == "retrieved"
    assert found_of(*[holding(f"{n}") for n in range(99)], UNSTEADY, undecided={}).signature is None


def test_what_is_undecided_and_nearest_is_that_of_what_was_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked, "nearest", lambda *parts: parts)
    monkeypatch.setattr(checked, "undecided", lambda *parts: parts)
    left_out = Seen(told(values(1.0)), Failure("timeout", NOT_ASKED))
    found: Any = found_of(ONE_FOR_NOREL, left_out, follows="norel=1", form="ids")
    assert found.nearest == (parse("P@2"), (ONE_FOR_NOREL,), "float64")
    assert found.undecided == (parse("P@2"), (ONE_FOR_NOREL,), profile("norel=1"), "float64", FORMS["ids"])


def test_a_defect_is_looked_for_where_ordinary_answers_are_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for: list[Any] = []
    monkeypatch.setattr(checked, "defect_of", lambda *parts: looked_for.append(parts) or GUILTY)

    def defect(*asked: Seen, plain: Diagnosis | None = None) -> Diagnosis | None:
        made = found_of(*asked, found=inferring.Found(profile("norel=1"), "float32", None, plain))
        del made.__dict__["defect"]
        return made.defect

    assert [defect(RIGHT), defect(ONE_FOR_NOREL), defect(ONE_FOR_NOREL, STRANGE), defect(RIGHT, plain=GUILTY)] == [
        None
    ] * 4
    other = replace(GUILTY, explained=9)
    assert defect(WRONG, plain=other) is other
    assert looked_for == []
    third = holding("third", 0.3333)
    assert defect(third, STRANGE) is GUILTY
    assert looked_for == [(parse("P@2"), (third,), profile("norel=1"), ("float32", "4 decimals"), [STANDARD])]


# -- the witness -------------------------------------------------------------------------------------------------------

BOTH = holding("both", p_denominator="min-k-n", ties="docid-asc")
OF_TIES = holding("ties", weight=5, ties="docid-asc")
OF_FORMULA = holding("formula", weight=9, p_denominator="min-k-n")


def witness(*asked: Seen, follows: str = "p_denominator=min-k-n ties=docid-asc") -> str | None:
    found = found_of(*asked, follows=follows).witness
    return None if found is None else found.question.case.id


def test_the_witness_is_one_that_a_single_choice_explains_the_formulas_first() -> None:
    assert witness(RIGHT) is None
    assert witness(RIGHT, BOTH, OF_TIES, OF_FORMULA) == "formula"
    assert witness(RIGHT, BOTH, OF_TIES) == "ties"
    assert witness(RIGHT, BOTH) == "both"
    assert witness(RIGHT, BOTH, WRONG, OF_FORMULA) == "both", "it is unknown: the simplest of all"
    assert witness(*(holding(f"{n}") for n in range(30)), WRONG, OF_FORMULA) == "formula"
    assert witness(RIGHT, STRANGE_BY_NOREL) == "strange", "where all that is ordinary is as claimed"
    assert witness(RIGHT, OF_TIES, holding("strange", p_denominator="min-k-n", like=EXTREME)) == "ties"


def test_the_witness_is_plain_and_near_to_its_case_and_simple() -> None:
    special = holding("special", p_denominator="min-k-n", like={"is_plain": False})
    far = holding("far", weight=2, p_denominator="min-k-n", like={"strangeness": 1})
    small = holding("small", weight=3, p_denominator="min-k-n")
    assert witness(special, far, small, OF_FORMULA) == "small"
    assert witness(special, far) == "far"
    assert witness(special, far, OF_FORMULA) == "formula"
    unknown = [holding("special", 0.5, like={"is_plain": False}), holding("large", 0.5, 9), holding("small", 0.5, 2)]
    assert witness(*unknown) == "small"


def test_the_witness_of_what_says_two_things_is_what_changed() -> None:
    assert witness(BOTH, UNSTEADY) == "unsteady"
    assert witness(RIGHT, UNSTEADY, follows="") == "unsteady"
    special = holding("a", ties="docid-asc", like={"is_plain": False})
    assert witness(RIGHT, special, OF_TIES, replace(STRANGE, again=RAISED)) == "ties", "nothing ordinary changed"


def test_what_differs_is_told_of_what_follows_something_and_says_one_thing() -> None:
    ascending = following("ties=docid-asc", TIED)
    assert [one.axis for one in found_of(ascending, follows="ties=docid-asc").differing] == ["ties"]
    assert found_of(ascending, seen(TIED, 0.3, name="x"), follows="ties=docid-asc").differing == []
    many = [following("ties=docid-asc", TIED, name=f"{n}") for n in range(20)]
    unsteady = replace(seen(TIED, 0.5, name="x"), again=RAISED)
    assert found_of(*many, unsteady, follows="ties=docid-asc").differing == []


def test_a_repro_shows_the_witness_or_else_the_simplest_question_that_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.checking.call_forms.repro", lambda target, *parts: (target.name, *parts))
    half = values(0.5)
    facts: list[tuple[str, int, dict[str, Any]]] = [
        ("special", 1, {"is_plain": False}), ("far", 1, {"strangeness": 1}), ("large", 9, {}), ("small", 3, {}),
    ]  # fmt: skip
    telling = [Seen(told(half, name=name, weight=weight, **like), Answered(None, 0.5)) for name, weight, like in facts]

    def shown_by(*asked: Seen) -> Any:
        return found_of(*asked).repro

    assert shown_by(RIGHT, *telling) == ("mine:f", "small", None, 2)
    assert shown_by(holding("first"), RIGHT) == ("mine:f", "first", None, 2)
    of_query = Seen(told(values(1.0, q=1.0), name="query"), Answered({"q": 0.5}, 1.0))
    assert shown_by(*telling, of_query) == ("mine:f", "query", "q", 2)


# -- what is told of it ------------------------------------------------------------------------------------------------


def test_what_holds_is_told_with_how_many_questions_were_asked() -> None:
    assert str(found_of(RIGHT)) == "f follows standard on 1 question."
    assert str(found_of(RIGHT, claim=None)) == "f follows standard on 1 question."
    assumed = replace(found_of(RIGHT, claim="norel=0"), assumed=(ASSUMPTIONS["no-ties"], ASSUMPTIONS["binary"]))
    assert str(assumed) == "f follows norel=0 (without ties, rels above 1) on 1 question."
    on_extreme = "the same on 0 of 1 extreme question; rels above 1,000: unexplained (1 of 1), as .5 on strange."
    assert str(found_of(RIGHT, STRANGE)) == f"f follows standard on 1 ordinary question; {on_extreme}"


def test_what_does_not_hold_is_told_with_its_witness_and_what_it_is_instead() -> None:
    def instead(*asked: Seen, follows: str = "norel=1", **known: Any) -> str:
        return str(found_of(*asked, follows=follows, **known)).removeprefix("f does not follow standard: on ")

    assert instead(RIGHT, ONE_FOR_NOREL) == (
        "norel (is it) its P@2 is 1 where standard gives 0; it follows norel=1: declare it, as profile='norel=1'."
    )
    assert "'norel=1'; the same on 0 of 1 extreme question; " in instead(RIGHT, ONE_FOR_NOREL, STRANGE)
    empty = holding("empty", empty="nan", like=EXTREME)
    assert instead(RIGHT, ONE_FOR_NOREL, empty).endswith(
        "'norel=1'; the same, with empty=nan, on all 1 extreme question."
    )
    assert "extreme" not in instead(RIGHT, ONE_FOR_NOREL, STRANGE_BY_NOREL)
    assert instead(RIGHT, RIGHT, WRONG, follows="").endswith(
        ", standard, leaves 1 of its 3 ordinary answers unexplained."
    )
    assert instead(RIGHT, WRONG, defect=GUILTY).endswith(f"; {GUILTY.sentence}.")
    many = [holding(f"{n}") for n in range(30)]
    assert instead(*many, WRONG, ONE_FOR_NOREL).endswith("; it follows norel=1 but for wrong.")


def test_a_witness_is_told_of_its_query_and_as_exactly_as_it_needs() -> None:
    def said(got: Any, expected: Any, query: str | None = None, queries: str = "q", note: str = "") -> str:
        return checked._witnessed(Difference(told(values(1.0), queries), query, expected, got, note), "norel=1")

    alone = "on made (is it) its P@2 is .5 where norel=1 gives 1"
    assert [said(0.5, 1.0), said(0.5, 1.0, "q"), said(0.5, 1.0, None, "qr")] == [alone] * 3
    assert said(0.5, 1.0, "q", "qr") == alone.replace("P@2", "P@2 of q")
    near = 0.25 + 2**-50
    assert said(near, 0.25).endswith(f" is {near!r} where norel=1 gives 0.25")
    assert said(RAISED, None, note="why").endswith(
        " its P@2 raises ValueError: no (why) where norel=1 refuses the input"
    )
    assert said(Failure("timeout", "no answer"), 1.0).endswith(" its P@2 gives no answer where norel=1 gives 1")
    assert said(ABSENT, ABSENT).endswith(" its P@2 says nothing where norel=1 says nothing")


def test_within_a_domain_what_is_outside_is_kept_apart() -> None:
    binary, ties = ASSUMPTIONS["binary"], ASSUMPTIONS["no-ties"]
    graded = holding("graded", like={"traits": (binary,)})
    strange = holding("odd", like={**EXTREME, "traits": (binary,)})
    more = [holding("more")]
    found = replace(found_of(RIGHT, graded, strange), assumed=(ties,)).within(binary, more)
    assert (found.seen, found.assumed) == ((RIGHT, *more), (ties, binary))
    assert found.beyond == (graded,), "what is extreme was never inside"


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


def test_the_numbers_of_a_case_and_measure_are_told_together() -> None:
    cases = {case.id: case for case in run_of().cases}
    rows = [
        row("P@2", AGREED, 0.5), row("P@2", AGREED, 0.25, query="q"), row("P@5", AGREED, 0.125), row("P@2", AGREED, 1.0, "b"),
        row("P@2", AGREED, ABSENT, query="r"), row("P@2", AGREED, 0.75, query="x", conventions=("ties=unspecified",)),
        row("P@2", AGREED, 0.0, query="y", conventions=("ties=input",)),
    ]  # fmt: skip
    assert list(library_defects._told(rows, cases)) == [
        Told("a", TIED, parse("P@2"), {None: 0.5, "q": 0.25, "y": 0.0}, is_ordinary=True),
        Told("a", TIED, parse("P@5"), {None: 0.125}, is_ordinary=True),
        Told("b", NEGATIVE, parse("P@2"), {None: 1.0}, is_ordinary=False),
    ]


def test_a_form_is_held_against_its_claim_at_its_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_defects, "defect_in", lambda *parts: parts)
    form = library_defects.ClaimedForm(Subject("lib"), "P@k", NEAR, "float32")
    cases = {case.id: case for case in run_of().cases}
    found: Any = library_defects._diagnosis(form, [row("P@2", AGREED), row("P@5", AGREED)], cases)
    assert (found[0], [str(one.measure) for one in found[1]], *found[2:]) == (
        parse("P@2"),
        ["P@2", "P@5"],
        NEAR,
        ["float32"],
    )


def test_only_what_a_defect_explains_and_nothing_else_did_is_renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        row("P@2", UNEXPLAINED), row("P@2", UNEXPLAINED, query="q"), row("P@5", UNEXPLAINED), row("P@3", AGREED),
        row("P@2", UNEXPLAINED, name="b"), row("P@2", UNEXPLAINED, library="other"),
    ]  # fmt: skip
    places = frozenset({("a", "P@2", None), ("a", "P@3", None), ("a", "P@5", "q")})
    wrong = replace(GUILTY, places=places)
    assert list(library_defects._renamed(rows[:5], wrong)) == [
        replace(rows[0], verdict=Verdict.DEFECT, note=wrong.sentence)
    ]
    found, tried, complained = run_of(*rows), [], []
    diagnoses = [None, wrong]
    monkeypatch.setattr(library_defects, "_diagnosis", lambda *_: diagnoses.pop(0))
    monkeypatch.setattr(library_defects, "with_complaints", lambda run, *, whole: complained.append(whole) or run)
    one, two = (library_defects.ClaimedForm(Subject("lib"), key, STANDARD, "float64") for key in ("R@k", "P@k"))
    forms = {one: [rows[4]], two: rows[:4]}
    after = library_defects.with_defects(found, forms, whole=False, tried=lambda: tried.append(1))
    assert [each.verdict for each in after.rows] == [
        Verdict.DEFECT,
        UNEXPLAINED,
        UNEXPLAINED,
        AGREED,
        UNEXPLAINED,
        UNEXPLAINED,
    ]
    assert (len(tried), complained) == (2, [False])
    diagnoses[:] = [wrong, None]
    assert library_defects.with_defects(found, {two: rows[:4], one: rows[4:]}).rows[0].verdict is Verdict.DEFECT
    assert complained == [False, True]
    diagnoses[:] = [None]
    assert library_defects.with_defects(found, {one: rows}, tried=lambda: tried.append(1)) is found
    assert (len(tried), complained) == (3, [False, True])


# -- examining ---------------------------------------------------------------------------------------------------------


def precision(y_true: list[float], y_score: list[float], k: int) -> float:
    """P, the tied rows in their order."""
    rows = sorted(range(len(y_true)), key=lambda i: -y_score[i])
    return sum(y_true[i] >= 1 for i in rows[:k]) / k


HERE = Limits(isolated=False)


def examined(function: Any = precision, *parts: Any, **how: Any) -> Checked:
    cases = [question(data, name=name).case for name, data in (("tied", TIED), ("graded", GRADED))]
    return examining.examine(function, "P@2", *parts, **{"cases": cases, "limits": HERE, **how})


def test_a_function_is_examined_under_what_it_claims() -> None:
    free = examined()
    assert (free.claim, free.claimed, free.target.short) == (None, STANDARD, "precision")
    assert (free.verdict, free.holds) == ("convention", True)
    assert [(one.question.case.id, str(one.question.measure)) for one in free.seen] == [
        ("tied", "P@2"), ("graded", "P@2"), ("tied", "P@1"), ("graded", "P@1"),
    ]  # fmt: skip
    held = examined(precision, "standard ties=input")
    assert (held.claim, held.claimed, held.verdict) == ("standard ties=input", profile("ties=input"), "agrees")
    assert examined(precision, profile("ties=input")).claim == "ties=input"
    assert examined(precision, STANDARD).claim == "standard"
    assert (examined(precision, "standard").claim, examined(precision, "standard").holds) == ("standard", False)


def test_what_is_assumed_is_not_asked_and_the_form_is_the_one_named() -> None:
    untied = examined(assume="no-ties", form="rows")
    assert {one.question.case.id for one in untied.seen} == {"graded"}
    assert (untied.assumed, untied.target.form) == ((ASSUMPTIONS["no-ties"],), FORMS["rows"])
    done: list[tuple[int, int]] = []
    assert examined(progress=lambda *at: done.append(at)).asked == 4
    trials = done.index((1, 4))
    assert done == [(0, 0)] * trials + [(n, 4) for n in (1, 2, 3, 4)]
    assert trials > 0
    with pytest.raises(BadFunction, match="no case of the corpus can be asked of "):
        examined(cases=[])
    with pytest.raises(BadFunction, match="is no form"):
        examined(form="row")


def test_what_is_given_is_passed_in_every_call() -> None:
    def scaled(y_true: list[float], y_score: list[float], k: int, *, by: float) -> float:
        return precision(y_true, y_score, k) * by

    assert examined(scaled, "ties=input", given={"by": 1.0}).verdict == "agrees"
    assert examined(scaled, "ties=input", given={"by": 0.3}).verdict != "agrees"


def test_a_check_raises_what_is_found_where_the_claim_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for: list[Any] = []
    found: Any = SimpleNamespace(holds=True, holds_strictly=False, repro="f()", is_incomplete=False)

    def examine(*parts: Any, **more: Any) -> Any:
        asked_for.append((*parts, more))
        return found

    monkeypatch.setattr(examining, "examine", examine)
    assert examining.check(precision, "P@2") is found
    how = {"assume": "", "limits": Limits(isolated=None), "given": None}
    assert asked_for.pop() == (precision, "P@2", "standard", None, how)
    with pytest.raises(AssertionError, match=r"\n\nf\(\)$"):
        examining.check(
            precision, "P@2", "ties=input", "rows", assume="binary", strict=True, isolated=False, given={"a": 1}
        )
    how = {"assume": "binary", "limits": HERE, "given": {"a": 1}}
    assert asked_for.pop() == (precision, "P@2", "ties=input", "rows", how)
    found.holds, found.holds_strictly = False, True
    assert examining.check(precision, "P@2", strict=True) is found
    with pytest.raises(AssertionError):
        examining.check(precision, "P@2")


BINARY_ONLY = ASSUMPTIONS["binary"]
GRADED_WRONG = holding("graded", 0.5, like={"traits": (BINARY_ONLY,)})


@pytest.mark.parametrize(
    ("flags", "wrong", "known", "is_narrowed"),
    [
        (20, [GRADED_WRONG], {}, [1]),
        (19, [GRADED_WRONG], {}, []),  # too few answers tell something
        (20, [GRADED_WRONG, WRONG], {}, []),  # wrong on flags, too
        (20, [WRONG], {}, []),
        (20, [GRADED_WRONG], {"defect": GUILTY}, []),
        (20, [], {}, []),
    ],
)
def test_what_is_right_on_flags_alone_is_told_so(
    monkeypatch: pytest.MonkeyPatch, flags: int, wrong: list[Seen], known: dict[str, Any], is_narrowed: list[int]
) -> None:
    half = values(0.5)
    more = [Seen(told(half, name=f"{n}"), Answered(None, 0.5)) for n in range(flags)]
    strange = Seen(told(half, name="odd", **EXTREME), Answered(None, 0.5))
    assumed: list[Any] = []

    def questions(target: Any, measure: Any, cases: Any, traits: Any) -> Any:
        assumed.append((target.short, str(measure), cases, traits))
        return [one.question for one in (*more, strange, RIGHT)]  # of which the last was asked before

    by_question = {id(one.question): one for one in (*more, strange, RIGHT)}
    monkeypatch.setattr(examining, "questions", questions)
    monkeypatch.setattr(examining, "answered", lambda _, asked: [by_question[id(one)] for one in asked])
    found = replace(found_of(RIGHT, *wrong), assumed=(ASSUMPTIONS["no-ties"],))
    found.__dict__.update({"found": inferring.Found(STANDARD, "float64"), "defect": None, **known})
    monkeypatch.setattr(checked, "found_of", lambda *_: inferring.Found(STANDARD, "float64"))
    monkeypatch.setattr(checked, "defect_of", lambda *_: None)
    after = examining._narrowed(None, found, ["cases"])  # type: ignore[arg-type,list-item] # handed on, and no more
    assert (after is not found) == bool(is_narrowed)
    if is_narrowed:
        assert after.seen == (RIGHT, *more)
        assert after.assumed == (ASSUMPTIONS["no-ties"], BINARY_ONLY)
        assert assumed == [("f", "P@2", ["cases"], (ASSUMPTIONS["no-ties"], BINARY_ONLY))]
    elif known or not wrong:
        assert assumed == []
