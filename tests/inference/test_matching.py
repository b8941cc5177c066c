"""Whether conventions give what was answered is asked in one place: judging, fingerprints, `check` and the search for defects say alike."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from convention_values import as_answer
from fake_sheets import FAKE
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.check.infer import missed_under
from rankproof.check.observe import Value
from rankproof.check.questions import Question
from rankproof.defects.defect import BrokenMeasure, broken_answer
from rankproof.inference.diagnosis import formula_of, suspects
from rankproof.inference.evidence import Evidence, Expected, Questions, evidence_of
from rankproof.inference.recalled import Recalled, recalled
from rankproof.inference.reference_answers import (
    CannotTell,
    Obstacle,
    Refused,
    Values,
    collection,
    outcome_of,
    some_order_gives,
)
from rankproof.judge.verdicts import Verdict, judge
from rankproof.reference_impl.contingency import LengthsDiffer
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.exact import Overflow
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Rejected
from rankproof.reference_impl.ties import TooManyOrders
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import ABSENT, Answered, Failure, Observation, Reading
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject


@pytest.mark.parametrize(
    ("reading", "worst", "best", "is_given"),
    [
        (0.5, 0.0, 1.0, True),
        (0.5, 1.0, 0.0, True),
        (1.0, 0.0, 1.0, True),
        (0.0, 0.0, 1.0, True),
        (1.01, 0.0, 1.0, False),
        (-0.01, 0.0, 1.0, False),
        (0.5, 0.5, 0.5, False),
        (0.5, 0.5, float("0.5"), False),
        (ABSENT, 0.0, 1.0, False),
        (0.5, ABSENT, 1.0, False),
        (0.5, 0.0, ABSENT, False),
        (0.5, None, 1.0, False),
        (0.5, 0.0, None, False),
    ],
)
def test_a_value_that_some_order_of_tied_docs_gives(
    reading: float | str, worst: float | str | None, best: float | str | None, *, is_given: bool
) -> None:
    assert some_order_gives(reading, worst, best) is is_given


def test_an_end_of_the_orders_is_met_by_the_precision_of_who_answers() -> None:
    for exact, is_given in (("float64", False), ("4 decimals", False), ("3 decimals", True)):
        assert some_order_gives(0.667, 0.0, 2 / 3, exact) is is_given


def test_a_question_of_few_queries_docs_and_labels_is_simple() -> None:
    labels = Input(true=(0, 1, 1), predicted=(1, 0, 0))
    ranked = Input((("q", "a", 1),), (("q", "a", 0.5, 1), ("r", "b", 0.5, 1)))
    cases = (Case("of/labels", "", "", "", (), labels), Case("of/two", "", "", "", (), ranked))
    questions = Questions({case.id: case for case in cases})
    assert questions.of("of/labels", "ARI").simplicity == (len(labels.queries), labels.size + 3, 9, "of/labels")
    assert questions.of("of/two", "P@2").simplicity == (2, ranked.size, 6, "of/two")


# -- what was asked, and what is left unexplained ------------------------------------------------------------------------


class Asked:
    """In the place of a question: by the order of tied docs, what the reference answers."""

    def __init__(self, *axes: str, **answers: Expected) -> None:
        self.axes, self.answers = axes or ("ties",), answers

    def key(self, profile: Mapping[str, str]) -> tuple[str, ...]:
        """All that matters."""
        return (profile["ties"],)

    def expected(self, profile: Mapping[str, str]) -> Expected:
        """What was made to be said."""
        return self.answers[profile["ties"].replace("-", "_")]


def evidence(asked: Any, *rows: tuple[str | None, Reading], failure: str = "", told: str = "") -> Evidence:
    failed = Failure(failure, "no") if failure else None
    return Evidence(asked, rows, frozenset(told.split() or [None]), failed, "float64")


NO, MANY_ORDERS = Refused("ids", "no"), CannotTell(Obstacle.TOO_MANY_ORDERS, "no")
HALF: dict[str | None, Reading] = {None: 0.5, "q": 0.5}


@pytest.mark.parametrize(
    ("failure", "rows", "expected", "mask"),
    [
        ("error", [(None, ABSENT)], NO, 0),
        ("error", [(None, ABSENT)], HALF, 1),
        ("timeout", [(None, ABSENT)], NO, 1),
        ("timeout", [], HALF, 0),
        ("", [(None, 0.5), ("q", 0.5), ("r", ABSENT)], NO, 0b111),
        ("", [(None, 0.5), ("q", 0.5), ("r", ABSENT)], HALF, 0),
        ("", [(None, 0.5), ("q", 0.25), ("r", 0.5)], HALF, 0b110),
        ("", [(None, 0.25), ("q", 0.5), ("r", ABSENT)], HALF, 0b001),
        ("", [(None, 0.5)], MANY_ORDERS, 0b1),
    ],
)
def test_a_row_is_left_that_is_not_what_is_expected(
    failure: str, rows: list[tuple[str | None, Reading]], expected: Expected, mask: int
) -> None:
    assert evidence(Asked(input=expected), *rows, failure=failure).mask({"ties": "input"}) == mask


def test_where_no_order_is_kept_what_some_order_gives_is_explained() -> None:
    """The mean is as in the order of the rows, q between the ends, r beyond them, and s as in that order and between them."""
    ends: dict[str, Expected] = {
        "worst": {None: 0.5, "q": 0.0, "r": 0.0, "s": 0.5},
        "best": {None: 0.5, "q": 1.0, "r": 0.5, "s": 1.0},
    }
    asked = Asked(input={None: 0.5, "q": 0.0, "r": 0.0, "s": 0.75}, **ends)
    rows: list[tuple[str | None, Reading]] = [(None, 0.5), ("q", 0.25), ("r", 0.75), ("s", 0.75)]
    assert evidence(asked, *rows).within_ties({"ties": "input"}) == 0b1010
    assert evidence(asked, *rows).mask({"ties": "unspecified"}) == 0b0100
    assert evidence(asked, *rows, failure="error").within_ties({"ties": "input"}) == 0
    for end in ends:
        refused = Asked(input={}, **(ends | {end: NO}))
        assert evidence(refused, *rows).mask({"ties": "unspecified"}) == 0b1111, end
    apart, beside = evidence(asked, *rows).split({None, "r"})
    assert ([row[0] for row in apart.rows], [row[0] for row in beside.rows]) == (["q", "s"], [None, "r"])


def test_what_the_reference_cannot_find_or_a_library_does_not_say_is_told() -> None:
    unlike: dict[str | None, Reading] = {None: 0.5, "q": 0.25}
    not_pooled = CannotTell(Obstacle.NOT_POOLED, "no")
    worst: Expected = {None: 0.25, "q": 0.5}
    asked = Asked(input=HALF, best=unlike, worst=worst, docid_asc=MANY_ORDERS, docid_desc=not_pooled)
    of_mean = evidence(asked, (None, 0.5))
    assert [of_mean.unanswered({"ties": ties}) for ties in ("docid-asc", "docid-desc", "input")] == [True, False, False]
    others = ("best", "worst", "docid-asc", "input")
    assert [of_mean.differs_unreported({"ties": "input"}, {"ties": ties}) for ties in others] == [
        True,
        False,
        False,
        False,
    ]
    of_q = evidence(asked, ("q", 0.5), told="q")
    assert [of_q.differs_unreported({"ties": "input"}, {"ties": ties}) for ties in others] == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("answer", "rows", "told"),
    [
        (Answered(None, 0.5), [(None, 0.5)], {None}),
        (Answered({"p": 0.5}, None), [("p", 0.5), ("q", ABSENT)], {"p", "q"}),
        (Answered({"p": 0.5}, 0.25), [(None, 0.25), ("p", 0.5), ("q", ABSENT)], {None, "p", "q"}),
        (Failure("error", "no"), [(None, ABSENT)], set()),
    ],
)
def test_of_an_observation_it_is_kept_what_was_said_and_of_which_queries(
    answer: Any, rows: list[tuple[str | None, Reading]], told: set[str | None]
) -> None:
    question: Any = SimpleNamespace(case=SimpleNamespace(queries=("p", "q")))
    found = evidence_of(answer, question, "float32")
    assert (sorted(found.rows, key=str), found.reported) == (sorted(rows, key=str), told)
    assert (found.failure, found.precision) == (answer if isinstance(answer, Failure) else None, "float32")


def test_what_keeps_the_reference_from_an_answer_is_told_with_the_axis_that_refuses() -> None:
    def saying(error: Exception) -> Any:
        def ask() -> None:
            raise error

        return outcome_of(ask)

    assert saying(Rejected("ids", "no text")) == Refused("ids", "no text")
    assert saying(Overflow("too large")) == Refused("", "too large")
    assert saying(LengthsDiffer("2 and 3")) == Refused("", "2 and 3")
    assert saying(TooManyOrders("9!")) == CannotTell(Obstacle.TOO_MANY_ORDERS, "9!")
    assert saying(NotPooled("RR")) == CannotTell(Obstacle.NOT_POOLED, "RR")
    assert list(Values({"q": 1, "p": 0}, 0).named) == ["q", "p", "mean"]
    numbered = [Input(((query, doc, 1),), ((query, doc, 0.5, 1),)) for query, doc in (("q", 1), (1, "a"))]
    told = [(one.number_ids, one.number_docs) for one in map(collection, [*numbered, Input((("q", "a", 1),), ())])]
    assert told == [(True, True), (True, False), (False, False)]


# -- four rooms say the same of an answer -------------------------------------------------------------------------------

INPUT = Input(
    qrels=(("q3", "a", 2), ("q3", "c", 0), ("q1", "b", 1), ("q2", "a", 1), ("q0", "a", -1), ("q0", "d", 3)),
    run=(
        ("q1", "z", 2.0, 1),
        ("q1", "b", 1.0, 2),
        ("q3", "a", 1.0, 1),
        ("q3", "c", 1.0, 2),
        ("q3", "b", 1.0, 3),
        ("q0", "d", 0.5, 1),
        ("q0", "a", 0.7, 2),
    ),
)
CASE = Case("ties/own", "four queries, of which each axis below moves others", "", "", (), INPUT, None, ())
PROFILES = (
    "standard",
    "ties=docid-asc",
    "ties=unspecified",
    "ties=expectation",
    "unjudged=removed",
    "missing=dropped",
    "negative=rejected",
    "ties=worst missing=dropped",
    "gain=exp",
)
MEASURES = ("P@1", "nDCG@2", "AP")


def answers_by(measure: str) -> Mapping[str, Answered | Failure]:
    """What the reference says by each profile, exactly, as float32 would be and without its queries; and what nothing gives."""
    found: dict[str, Answered | Failure] = {
        "nothing": Answered({"q1": 0.123, "q3": 0.2}, 0.3),
        **{kind: Failure(kind, "no") for kind in ("error", "crash", "timeout")},
    }
    for spec in PROFILES:
        answer = as_answer(PlainReference(INPUT).answers(parse(measure), spec))
        if isinstance(answer, Answered):
            values = answer.per_query or {}
            found[spec] = answer
            found[f"{spec}, nearly"] = replace(answer, per_query={q: v * (1 + 1e-8) for q, v in values.items()})
            found[f"{spec}, the mean alone"] = replace(answer, per_query=None)
    return found


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("measure", MEASURES)
def test_three_verbs_say_the_same_of_an_answer(measure: str, precision: str, tmp_path: Path) -> None:
    told = set()
    for spec in PROFILES:
        conventions = profile(spec)
        plain = {axis: getattr(conventions, axis) for axis in AXES}
        path = tmp_path / "fake.toml"
        sheet = FAKE.replace("float64", precision)
        path.write_text(f'{sheet}\n[profiles.v]\n"{parse(measure).name}" = "{spec}"\n', encoding="utf-8")
        library = Library("fake", path, load(path))
        for name, answer in answers_by(measure).items():
            observation = Observation(CASE.id, Subject("fake", "v", "1"), measure, answer)
            rows = list(judge(CASE, library, observation))
            judged = all(row.verdict in {Verdict.AGREES, Verdict.CONVENTION} for row in rows)
            question = Questions({CASE.id: CASE}).of(CASE.id, measure)
            inferred = not evidence_of(answer, question, precision).mask(plain)
            checked = not missed_under([Value(Question(CASE, parse(measure)), answer)], conventions, precision)
            assert (judged, inferred) == (checked, checked), (measure, spec, name, rows)
            told.add((spec, checked))
    assert told >= {(spec, fits) for spec in PROFILES for fits in (True, False)}


# -- what the reference answered is recalled for conventions that agree where they can matter, and for no others --------

EVERY = [STANDARD.replace(**{axis.name: value}) for axis in AXES.values() for value in axis.values]
SEVERAL = [STANDARD.replace(gain="exp", ties="input"), STANDARD.replace(gain="exp", ties="docid-asc", missing="0")]
RECALLED = ("ties/straddles-cutoff", "gain/linear-exp-binary", "judgments/negative-one")


def case_of(name: str) -> corpus.Case:
    return corpus.load(corpus.HERE / f"{name}.toml")


@pytest.mark.parametrize("name", RECALLED)
def test_what_is_recalled_is_what_the_reference_answers(name: str) -> None:
    given = case_of(name).input
    asked, oracle = Recalled(given), PlainReference(given)
    for measure in map(parse, ("nDCG@2", "P@2", "AUC")):
        for conventions in [*EVERY, *SEVERAL]:
            found, wanted = asked.answers(measure, conventions), oracle.answers(measure, conventions)
            assert isinstance(found, Refused) == isinstance(wanted, Refused)
            assert isinstance(found, Refused) or found == wanted, (str(measure), conventions)


@pytest.mark.parametrize("name", ["queries/query-without-hit", "gain/linear-exp-binary", "judgments/negative-one"])
def test_the_values_of_a_defect_are_recalled_as_it_computes_them(name: str) -> None:
    """A defect may change the data so that other conventions matter: queries mixed into one have documents with equal scores."""
    given = case_of(name).input
    asked, data = Recalled(given), collection(given)
    for measure in map(parse, ("nDCG@2", "RR")):
        for suspect in suspects(measure):
            broken = formula_of(suspect, measure)
            for conventions in EVERY if isinstance(broken, BrokenMeasure) else ():
                found = asked.answers(broken, conventions)
                wanted = outcome_of(lambda: broken_answer(broken, data, conventions))  # noqa: B023 - called at once
                assert found == wanted or type(found) is type(wanted) is not Values, (suspect.defect.name, conventions)


def test_axes_that_cannot_matter_do_not_change_what_is_kept() -> None:
    one, precision = Recalled(case_of("ties/straddles-cutoff").input), parse("P@2")
    assert "ties" in one.axes(precision)
    assert not {"gain", "discount"} & set(one.axes(precision)), "P looks at neither"
    for ties in ("docid-desc", "docid-asc"):
        kept = [one.answers(precision, STANDARD.replace(gain=gain, ties=ties)) for gain in ("linear", "exp", "binary")]
        assert all(answers is kept[0] for answers in kept)


def test_all_who_ask_about_an_input_share_what_is_known_of_it() -> None:
    given = case_of("ties/straddles-cutoff").input
    assert recalled(given) is recalled(case_of("ties/straddles-cutoff").input)
    assert recalled(given) is not recalled(case_of("gain/linear-exp-binary").input)
