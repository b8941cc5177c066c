"""The steps of inference, each by itself: what a profile leaves unexplained, what a change gains, and what is said of an axis."""

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import ABSENT, Answered, Failure, Observation
from rankproof.asking.rounds import Asked
from rankproof.asking.sheets import Sheet
from rankproof.asking.subjects import Subject
from rankproof.cases.inputs import Input
from rankproof.inference import (
    askable,
    axis_findings,
    exactness,
    fingerprints,
    first_sheets,
    form_groups,
    reference_questions,
)
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.reference_questions import Ask, Questions, ask_of
from rankproof.inference.search import Search, changed, plain
from rankproof.judging.verdicts import UNSPECIFIED, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD, parse_conventions
from rankproof.reference_impl.notation import parse

CASES = {case.id: case for case in corpus.load_all()}
QUESTIONS = Questions(CASES)
MADE = Subject("made", "default", "1")
TIED, UNTIED = "ties/straddles-cutoff", "ties/none-tied"
PLAIN = plain(STANDARD)
ASCENDING = {**PLAIN, "ties": "docid-asc"}
NEITHER = {**PLAIN, "ties": UNSPECIFIED}
HALF, NOTHING = Answered(None, 0.5), Answered(None, 0.0)
"""What P@2 of `TIED` is worth by ascending ids, by the rows and at best; and by descending ids and at worst."""


def asked(answer: Answered | Failure, case: str = TIED, measure: str = "P@2", precision: str = "float64") -> Ask:
    return ask_of(Observation(case, MADE, measure, answer), QUESTIONS.of(case, measure), precision)


def search_of(*answers: Answered | Failure) -> Search:
    return Search((parse("P@2"),), [asked(answer) for answer in answers])


# -- what a profile leaves unexplained ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "standard", "ascending", "unspecified"),
    [
        (NOTHING, 0b0, 0b1, 0b0),
        (HALF, 0b1, 0b0, 0b0),
        (Answered({"q1": 0.5}, 0.5), 0b1, 0b0, 0b0),  # of one query only the mean is told
        (Answered({"q1": 0.5}, 0.25), 0b11, 0b01, 0b00),
        (Answered({"q1": 0.0}, 0.75), 0b01, 0b11, 0b01),
        (Answered(None, 0.75), 0b1, 0b1, 0b1),
        (Answered({}, None), 0b1, 0b1, 0b1),  # a query that is not told is absent
        (Failure("error", "no"), 0b1, 0b1, 0b1),
    ],
)
def test_each_row_that_a_profile_does_not_give_is_missed(
    answer: Answered | Failure, standard: int, ascending: int, unspecified: int
) -> None:
    ask = asked(answer)
    assert [ask.mask(profile) for profile in (PLAIN, ASCENDING, NEITHER)] == [standard, ascending, unspecified]


def test_who_refuses_explains_an_error_and_no_number_and_no_crash() -> None:
    refusing = {**PLAIN, "ids": "digit-queries"}  # the query is q1
    assert [asked(Failure(kind, "no")).mask(refusing) for kind in ("error", "crash", "timeout")] == [0, 1, 1]
    assert asked(Answered({"q1": 0.5}, 0.25)).mask(refusing) == 0b11
    assert [asked(one).size for one in (Failure("error", "no"), HALF, Answered({"q1": 0.5}, 0.25))] == [1, 1, 2]


def test_numbers_are_compared_as_exactly_as_is_said() -> None:
    near, expectation = asked(Answered(None, 0.25 + 1e-6)), {**PLAIN, "ties": "expectation"}
    assert [near.at(exact).mask(expectation) for exact in ("float64", "float32", "4 decimals")] == [1, 1, 0]


def test_a_value_between_the_worst_and_the_best_order_is_one_of_some_order() -> None:
    assert [asked(Answered(None, value)).within_ties(PLAIN) for value in (0.0, 0.25, 0.5, 0.51, -0.01)] == [
        1,
        1,
        1,
        0,
        0,
    ]
    assert asked(Failure("error", "no")).within_ties(PLAIN) == 0
    assert asked(NOTHING, UNTIED, "RR").within_ties(PLAIN) == 0, "nothing is tied"

    def between(reading: Any, worst: Any, best: Any, precision: str = "float64") -> bool:
        return reference_questions._between(reading, worst, best, precision)

    assert [between(0.5, 1.0, 0.0), between(0.5, 0.0, 1.0), between(1.0, 0.0, 1.0)] == [True] * 3
    assert [between(0.667, 0.0, 2 / 3, exact) for exact in ("float64", "4 decimals", "3 decimals")] == [
        False,
        False,
        True,
    ]
    assert [
        between(0.5, 0.5, 0.5),
        between(ABSENT, 0.0, 1.0),
        between(0.5, ABSENT, 1.0),
        between(0.5, 0.0, ABSENT),
    ] == [False] * 4


def test_what_differs_only_where_nothing_is_told_is_seen() -> None:
    of_query, of_all = asked(Answered({"q1": 0.0}, None)), asked(Answered({"q1": 0.0}, 0.0))
    assert of_query.told == {"q1"}
    assert of_all.told == {None, "q1"}
    assert asked(NOTHING).told == {None}
    assert of_query.differs_untold(PLAIN, ASCENDING), "the mean is not told"
    assert not of_all.differs_untold(PLAIN, ASCENDING)
    assert not of_query.differs_untold(PLAIN, {**PLAIN, "ids": "digit-queries"}), "which refuses it"


# -- the search ---------------------------------------------------------------------------------------------------------


def test_what_is_tried_is_what_the_measures_can_be_asked_with_and_is_not_fixed() -> None:
    search = Search((parse("P@2"),), [], {"ties": "input"})
    assert list(search.axes) == [axis for axis in AXES if axis in search.axes]
    assert {"ties", "p_denominator", "mean"} <= set(search.axes)
    assert not {"gain", "r_denominator"} & set(search.axes)
    assert set(search.values) == set(search.axes) - {"ties"}
    assert "unspecified" not in Search((parse("P@2"),), []).values["ties"]
    assert "r_denominator" in Search((parse("P@2"), parse("R@2")), []).axes
    assert search.settle(ASCENDING)["ties"] == "input"


def test_what_a_change_gains_is_what_it_explains_less_what_it_breaks() -> None:
    search = search_of(HALF, HALF, NOTHING)
    assert [search.cost(PLAIN), search.cost(ASCENDING)] == [2, 1]
    assert [search.gain(PLAIN, ASCENDING), search.gain(ASCENDING, PLAIN)] == [1, -1]
    assert [search.gain(PLAIN, ASCENDING, floor) for floor in (0, 1, 2)] == [1, -math.inf, -math.inf]
    assert search.gain(PLAIN, PLAIN) == 0
    assert search.masks(PLAIN) == (dict(zip(search.asks, (1, 1, 0), strict=True)), 2)
    assert search.breaks(PLAIN, ASCENDING) == [search.asks[2]]
    assert search.breaks(ASCENDING, PLAIN) == list(search.asks[:2])


def test_a_profile_is_no_worse_that_explains_as_many_rows_or_all_that_the_other_does() -> None:
    for answers, ascending, descending in (
        ((HALF,), True, False),
        ((HALF, NOTHING), True, True),
        ((HALF, HALF, NOTHING), True, False),
    ):
        search = search_of(*answers)
        assert search.no_worse(PLAIN, ASCENDING) is ascending
        assert search.no_worse(ASCENDING, PLAIN) is descending


@dataclass(eq=False)
class Masked:
    """An answer of which this many rows are missed before and after a change."""

    before: int
    after: int
    is_unanswered: bool = False

    def mask(self, _profile: object) -> int:
        """The rows that are missed after it."""
        return self.after

    def unanswered(self, _profile: object) -> bool:
        """Whether the reference cannot answer it."""
        return self.is_unanswered


@pytest.mark.parametrize(("beyond", "no_worse"), [(0, True), (1, True), (2, False)])
def test_what_cannot_be_answered_is_held_against_what_loses_something_else(beyond: int, no_worse: bool) -> None:  # noqa: FBT001
    """Two rows are gained and one is lost: with one more that cannot be answered that is as many, with two it is not."""
    asks = [Masked(0b11, 0), Masked(0, 0b1), *(Masked(0, 0b1, is_unanswered=True) for _ in range(beyond))]
    search = SimpleNamespace(
        masks=lambda _profile: ({ask: ask.before for ask in asks}, 5), touched=lambda _old, _new: asks
    )
    assert Search.no_worse(search, PLAIN, ASCENDING) is no_worse  # type: ignore[arg-type]


def test_a_change_is_to_another_profile_and_idle_ones_are_none() -> None:
    search = search_of(HALF)
    changes = [(axis, other[axis]) for axis, other in search.changes(PLAIN, ["p_denominator", "ties", "gain"])]
    assert ("ties", "docid-asc") in changes
    assert ("p_denominator", "min-k-n") in changes
    assert {axis for axis, _ in changes} == {"p_denominator", "ties"}
    by_rank = {**PLAIN, "order": "rank"}
    assert not [other for _, other in search.changes(by_rank, ["ties"])], "no docs are tied by rank"


def test_the_search_ends_at_what_explains_all_by_no_more_than_is_needed() -> None:
    search = search_of(HALF)
    found = search.descend(PLAIN)
    assert search.cost(found) == 0
    assert changed(found) == 1
    assert search.simplest({**ASCENDING, "p_denominator": "min-k-n"}) == ASCENDING, "two of three docs are asked for"
    assert search_of(NOTHING).simplest(ASCENDING) == PLAIN
    assert search_of(NOTHING).descend(PLAIN) == PLAIN


def test_two_changes_together_are_found_where_neither_alone_explains_anything() -> None:
    oracle = QUESTIONS.of(TIED, "P@2").reference
    both = STANDARD.replace(ties="docid-asc", p_denominator="min-k-R")
    wanted = oracle.answers(parse("P@2"), both).mean
    search = search_of(Answered(None, float(wanted)))
    assert float(wanted) == 1.0, "one relevant doc, and one found"
    assert search.cost(search.descend(PLAIN, further=True)) == 0


def test_a_second_change_is_looked_for_where_the_first_mends_an_answer_and_breaks_another() -> None:
    seen = [("ids/inner-space", 1.0), ("ids/doc-named-as-its-query", 0.5)]  # by ranks; with 1/rank the second is 1/2
    asks = [asked(Answered({"q1": value}, value), case, "nDCG@3") for case, value in seen]
    search = Search((parse("nDCG@3"),), asks)
    assert search._one_change(search.settle(PLAIN)) is None
    found = search.descend(PLAIN, further=True)
    assert (search.cost(found), found) == (0, {**PLAIN, "order": "rank", "discount": "rank"})


# -- how exactly a library answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "decimals"), [(0.25, 2), (1.0, 1), (1e-7, 7), (1e20, 0), (math.nan, 0), (math.inf, 0)]
)
def test_the_decimals_of_a_number_are_those_that_are_written(value: float, decimals: int) -> None:
    assert exactness._decimals(value) == decimals


def test_one_number_in_ten_may_have_more_decimals() -> None:
    assert [exactness._most(given) for given in ([], [4], [1] * 9 + [5], [1] * 8 + [5, 5])] == [0, 4, 1, 5]


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        ([0.1234], "4 decimals"),
        ([0.123], "3 decimals"),
        ([0.12], None),
        ([0.123456], "6 decimals"),
        ([0.1234567], None),
        ([1.0], None),
    ],
)
def test_what_prints_its_numbers_has_three_to_six_decimals(values: Sequence[float], precision: str | None) -> None:
    seen = [Observation(TIED, MADE, "P@2", Answered({"q1": value}, None)) for value in (*values, 1.0, 0.0)]
    assert exactness.printed_at([*seen, Observation(TIED, MADE, "P@2", Failure("error", "no"))]) == precision
    assert exactness.printed_at([Observation(TIED, MADE, "P@2", Answered(None, value)) for value in values]) is None


# -- one form -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "printed", "precision", "missed"),
    [
        (None, None, "4 decimals", 0),  # seen in its numbers
        (None, "6 decimals", "6 decimals", 1),  # seen in all numbers of the library, and so not looked for in these
        ("float64", None, "float64", 1),
        ("4 decimals", "6 decimals", "4 decimals", 0),
    ],
)
def test_how_exactly_a_form_answers_is_told_or_seen(
    told: str | None, printed: str | None, precision: str, missed: int
) -> None:
    third = Observation("cutoff/first-relevant", MADE, "RR(rel=2)@10", Answered(None, 0.3333))
    precision_of = None if told is None else lambda _measure: told
    group = form_groups.group_of("RR(rel=2)@k", [third], QUESTIONS, precision_of, ["ties"], printed)
    (form,) = group.forms
    assert (form.key, form.precision, group.cost) == ("RR(rel=2)@k", precision, missed)
    assert (group.beyond, dict(group.search.fixed)) == ({"ties"}, askable.fixed(["ties"]))


# -- what is said of an axis --------------------------------------------------------------------------------------------


def other(value: str, *broken: Ask, **more: object) -> axis_findings._Other:
    return axis_findings._Other(value, broken, **more)  # type: ignore[arg-type]


def test_a_value_is_found_where_a_case_excludes_every_other() -> None:
    search = search_of(HALF)
    (ask,) = search.asks
    found = axis_findings._finding(search, "ties", "docid-asc", [other("input", ask), other("docid-desc", ask)])
    assert (found.value, found.witness, found.measure, found.open, found.why) == ("docid-asc", TIED, "P@2", (), "")
    assert found.excluded == {"input": TIED, "docid-desc": TIED}
    beside = axis_findings._finding(search, "ties", "docid-asc", [other("input", ask), other("best", untold=True)])
    assert (beside.value, beside.excluded, beside.same) == ("docid-asc", {"input": TIED}, ("best",))
    still = axis_findings._finding(
        search, "ties", "docid-asc", [other("input"), other("docid-desc", ask), other("best", untold=True)]
    )
    assert (still.value, still.open, still.same) == (None, ("docid-asc", "input"), ("best",))
    assert still.excluded == {"docid-desc": TIED}
    alike = axis_findings._finding(search, "ties", "docid-asc", [other("best", untold=True)])
    assert (alike.value, alike.open) == (None, ("docid-asc", "best"))
    assert alike.why == "they differ only in what the library does not say"


@pytest.mark.parametrize(
    ("axis", "remaining", "why"),
    [
        ("gain", [other("exp")], "no case asked of this measure has what gain is about"),
        ("ties", [other("input"), other("best")], "no case tells input or best from docid-asc"),
        ("ties", [other("input", with_it="gain=exp"), other("best")], "no case tells best from docid-asc"),
        ("ties", [other("input", traded=True)], "input explains as many answers as docid-asc, but others; neither explains all"),
        ("ties", [other("input", with_it="short=nan")], "another axis explains the same answers: input with short=nan"),
        ("ties", [other("input", with_it="short=nan", traded=True)],
         "another axis explains as many answers, but others: input with short=nan"),
    ],
)  # fmt: skip
def test_why_nothing_is_found_is_said(axis: str, remaining: list[axis_findings._Other], why: str) -> None:
    assert axis_findings._why(search_of(HALF), axis, "docid-asc", remaining) == why


def test_a_value_that_explains_more_is_gone_on_from() -> None:
    judged, better = axis_findings._judged(search_of(HALF, HALF, NOTHING), PLAIN, "ties", ASCENDING)
    assert (judged.value, better) == ("docid-asc", ASCENDING)
    judged, better = axis_findings._judged(search_of(HALF, NOTHING, NOTHING), PLAIN, "ties", ASCENDING)
    assert (judged.value, better, len(judged.broken)) == ("docid-asc", None, 2)


def test_of_two_values_that_the_library_cannot_tell_apart_the_first_of_its_axis_is_taken() -> None:
    geometric, pooled = ({**ASCENDING, "mean": mean} for mean in ("geometric", "pooled"))
    case = "queries/empty-ranking-is-not-missing"
    search = Search((parse("P@2"),), [asked(Answered({"q1": 0.5}, None), case)])
    assert axis_findings._judged(search, pooled, "mean", geometric)[1] == geometric
    other, better = axis_findings._judged(search, geometric, "mean", pooled)
    assert (other.untold, better) == (True, None)


def test_a_value_is_excluded_of_a_form_by_its_own_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = asked(NOTHING)
    form, group = SimpleNamespace(asks=[ask]), SimpleNamespace(forms=[1, 2], beyond=(), profile=PLAIN)
    found = AxisFinding("ties", "docid-desc", "elsewhere", "P@1", {"docid-asc": "elsewhere", "input": "elsewhere"})
    monkeypatch.setattr(form_groups, "_excludes", lambda *_: True)
    own = form_groups._borne_out(form, group, found)  # type: ignore[arg-type]
    assert (own.value, own.witness, own.measure) == ("docid-desc", TIED, "P@2")
    assert own.excluded == {"docid-asc": TIED, "input": TIED}
    monkeypatch.setattr(form_groups, "_excludes", lambda _ask, _group, _axis, value: value == "input")
    part = form_groups._borne_out(form, group, found)  # type: ignore[arg-type]
    assert (part.value, part.excluded, part.open) == (None, {"input": TIED}, ("docid-desc", "docid-asc"))


def test_the_values_of_one_axis_or_of_none_are_a_tuple_too() -> None:
    of = reference_questions._values_of
    assert [of(axes)(ASCENDING) for axes in ((), ("ties",), ("ties", "gain"))] == [
        (), ("docid-asc",), ("docid-asc", "linear"),
    ]  # fmt: skip


def test_the_witness_excludes_most_and_is_the_simplest_of_these() -> None:
    large, small = asked(HALF, "ties/straddles-cutoff", "nDCG@2"), asked(HALF, UNTIED, "RR")
    assert axis_findings.witness_in([]) == ("", "")
    assert axis_findings.witness_in([[large, small], [large]]) == (TIED, "nDCG@2")
    simplest = min((large, small), key=lambda ask: ask.question.simplicity)
    assert axis_findings.witness_in([[large, small], [small, large]])[0] == simplest.question.case.id


def test_of_two_profiles_the_one_of_fewer_changes_is_simpler_and_of_two_alike_the_first_of_its_axis() -> None:
    by_best, simpler = {**PLAIN, "ties": "best"}, axis_findings._simpler
    assert [simpler(PLAIN, ASCENDING, "ties", untold=False), simpler(ASCENDING, PLAIN, "ties", untold=True)] == [
        True,
        False,
    ]
    assert [simpler(ASCENDING, by_best, "ties", untold=told) for told in (True, False)] == [True, False]
    assert not simpler(by_best, ASCENDING, "ties", untold=True)
    changes = {"short": "nan", "gain": "exp"}
    assert axis_findings._beside(PLAIN, ASCENDING | changes, "ties") == "gain=exp short=nan"


# -- what can be asked --------------------------------------------------------------------------------------------------

ROW, JUDGMENT = ("q", "a", 1.0, 1), ("q", "a", 1)
KINDS = {
    "an empty ranking": Input((JUDGMENT,), (), (), ("q",)),
    "a query without judgments": Input((), (ROW,), ("q",)),
    "an id that is a number": Input((JUDGMENT,), ((1, "a", 1.0, 1),)),
    "a doc judged twice": Input((JUDGMENT, ("q", "a", 0)), (ROW,)),
    "a doc retrieved twice": Input((JUDGMENT,), (ROW, ("q", "a", 0.5, 2))),
}


def test_an_input_is_of_the_kind_that_it_is_and_of_no_other() -> None:
    plain_input = Input((JUDGMENT, ("r", "a", 1)), (ROW, ("r", "a", 1.0, 1)))
    assert not any(is_of_it(plain_input) for is_of_it in askable.KINDS.values())
    for kind, given in KINDS.items():
        assert [name for name, is_of_it in askable.KINDS.items() if is_of_it(given)] == [kind]


def test_an_axis_is_out_of_reach_where_no_input_that_it_is_about_is_answered() -> None:
    empty = "queries/empty-ranking-is-not-missing"

    def beyond(answer: Answered | Failure | None, case: str = empty, untold: Sequence[str] = ()) -> frozenset[str]:
        return askable.out_of_reach([Observation(case, MADE, "P@2", answer)], CASES, untold)

    assert "empty" not in beyond(NOTHING)
    assert "empty" not in beyond(Failure("error", "no"))
    for answer in (None, Failure("crash", "no"), Failure("timeout", "no")):
        assert "empty" in beyond(answer)
    assert "empty" in beyond(NOTHING, TIED)
    assert "empty" in beyond(NOTHING, "no/such-case")
    assert beyond(NOTHING, untold=["ties", "no-axis"]) - beyond(NOTHING) == {"ties"}
    assert askable.fixed(["ties"]) == {"ties": "docid-desc"}
    (why, values), nothing = ("it takes no input that ids is about", axis_findings.values_of("ids")), ""
    assert askable.untold("ids") == AxisFinding("ids", None, nothing, nothing, {}, values, why)
    assert askable.fixed(["empty"]) == {"empty": AXES["empty"].never_asked or AXES["empty"].default}


# -- what was observed --------------------------------------------------------------------------------------------------


def test_what_is_no_answer_or_two_or_of_no_case_is_compared_with_nothing() -> None:
    undefined = next(case.id for case in CASES.values() if case.undefined)
    seen = {
        Observation(TIED, MADE, "P@2", HALF): True,
        Observation(TIED, MADE, "P@2", Failure("error", "no")): True,
        Observation(TIED, MADE, "P@2", None): False,
        Observation(TIED, MADE, "P@2", HALF, again=NOTHING): False,
        Observation("no/such-case", MADE, "P@2", HALF): False,
        Observation(undefined, MADE, "P@2", HALF): False,
    }
    assert [fingerprints._comparable(one, CASES) for one in seen] == list(seen.values())


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        ([(None, 0.5, None), ("q1", 1, None)], Answered({"q1": 1.0}, 0.5)),
        ([(None, 1, None)], Answered(None, 1.0)),
        ([("q1", ABSENT, None)], Answered({}, None)),
        ([(None, 0.5, None), ("q1", None, "crash: SIGSEGV")], Failure("crash", "SIGSEGV")),
        ([(None, None, "timeout: 5 s")], Failure("timeout", "5 s")),
        ([(None, None, "invalid-output: no JSON")], Failure("invalid-output", "no JSON")),
        ([(None, None, "KeyError: crash")], Failure("error", "KeyError: crash")),
    ],
)
def test_rows_are_put_together_to_what_was_answered(
    rows: Sequence[tuple[str | None, float | str | None, str | None]], answer: Answered | Failure
) -> None:
    assert fingerprints._answer(rows) == answer


def test_the_measure_that_was_answered_most_is_inferred_first() -> None:
    seen = [Observation(TIED, MADE, measure, HALF) for measure in ("AP", "P@2", "P@5", "nDCG@2", "P@1", "nDCG@3")]
    one = fingerprints.Observed(MADE, seen, None, frozenset({"ties"}))
    jobs = fingerprints._jobs([one, one], CASES)
    assert [[len(of.observations) for of, _ in job] for job in jobs] == [[3, 3], [2, 2], [1, 1]]
    assert all("ties" in beyond for job in jobs for _, beyond in job)
    assert fingerprints.measures_in([one]) == {"AP", "P", "nDCG"}


@pytest.mark.parametrize("at_once", [1, 2])
def test_measures_are_inferred_alike_one_after_the_other_and_by_processes(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, str]] = []

    class Pool:
        """In the place of processes; what is sent to them is done here."""

        def __init__(
            self, at_once: int, context: Any, initializer: Callable[..., None], initargs: tuple[object, ...]
        ) -> None:
            made.append((at_once, context.get_start_method()))
            initializer(*initargs)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        map = staticmethod(map)

    monkeypatch.setattr(fingerprints, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(fingerprints, "end_with_parent", lambda: None)
    monkeypatch.setattr(fingerprints, "_REMEMBERED", [])
    seen = [Observation(TIED, MADE, measure, NOTHING) for measure in ("P@2", "nDCG@2", "P@2")]
    one = fingerprints.Observed(MADE, seen, None)
    found = list(fingerprints.infer_all([one], CASES, at_once=at_once))
    assert [[each.key for each in of] for of in found] == [["P@k"], ["nDCG@k"]]
    assert made == ([(2, "spawn")] if at_once == 2 else [])
    ((alone,),) = fingerprints.infer_all([replace(one, observations=seen[:1])], CASES, at_once=2)
    assert alone.missed == ()
    assert len(made) == at_once - 1, "one measure is worth no process"


# -- what is proved, and what a first sheet claims of it ------------------------------------------------------------------


def finding(axis: str, value: str | None, *still: str) -> AxisFinding:
    return AxisFinding(axis, value, "", "", {}, still)


def fingerprint(spec: str, *found: AxisFinding, key: str = "P@k") -> Fingerprint:
    axes = {one.axis: one for one in found}
    return Fingerprint(MADE, key, parse_conventions(spec), axes, explained=1, asked=1, missed=(), signature="")


def test_what_is_proved_is_said_and_what_is_open_is_as_in_the_profile_behind_all_forms() -> None:
    one = fingerprint(
        "ties=input gain=exp norel=nan mean=geometric",
        finding("ties", "input"), finding("gain", None, "exp", "linear"), finding("norel", None, "nan", "dropped"),
        finding("score", "f64"),
    )  # fmt: skip
    assert one.proved == parse_conventions("ties=input gain=exp norel=nan mean=geometric")
    assert [each.axis for each in one.differing] == ["ties"]
    assert [each.standard for each in one.axes.values()] == [False, False, False, True]
    assert (one.library, one.variant) == ("made", "default")


def test_a_first_sheet_claims_what_is_proved_of_most_forms_and_else_what_is_supposed_of_most() -> None:
    forms = [
        fingerprint("ties=input gain=exp", finding("ties", "input"), finding("gain", None, "exp", "linear")),
        fingerprint("ties=input gain=exp", finding("ties", "input"), finding("gain", None, "exp", "linear")),
        fingerprint(
            "score=f32", finding("ties", "docid-desc"), finding("gain", None, "linear", "exp"), finding("score", "f32")
        ),
        fingerprint("ties=best norel=nan", finding("ties", None, "best", "input"), finding("norel", None, "nan", "0")),
    ]
    (claim,) = first_sheets._merged(forms).items()
    assert (claim[0], parse_conventions(claim[1])) == (
        "*",
        parse_conventions("ties=input gain=exp score=f32 norel=nan"),
    )
    assert first_sheets._undetermined(forms) == ["gain", "norel"]


def test_a_form_of_which_the_claims_explain_less_than_was_inferred_gets_a_claim_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def judged(first: first_sheets.First, *_: object) -> list[SimpleNamespace]:
        failing = [] if "P@k" in first.claims["default"] else ["P@2"]
        return [SimpleNamespace(case=TIED, variant="default", measure=m, verdict=Verdict.UNEXPLAINED) for m in failing]

    monkeypatch.setattr(first_sheets, "_judged", judged)
    monkeypatch.setattr(first_sheets, "_without_vain", lambda first, *_: (first, ()))
    sheet = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))
    first = first_sheets.First(sheet, "float64", {"default": {"*": "gain=exp"}}, {"default": {}}, {"default": []})
    asked_of_it = Asked(Library("made", Path("made_adapter.py"), sheet), {"version": "2"}, ())
    held, _ = first_sheets._held(first, asked_of_it, (), [fingerprint("ties=input")])
    assert held == replace(first, claims={"default": {"*": "gain=exp", "P@k": "ties=input"}})


def test_a_first_sheet_says_which_forms_answer_otherwise_than_most(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[first_sheets.First] = []
    monkeypatch.setattr(first_sheets, "_held", lambda first, *_: (held.append(first) or first, ()))
    monkeypatch.setattr(first_sheets, "planned", lambda *_, text: text)
    forms = [replace(fingerprint("", key=key), precision=exact) for key, exact in
             {"P@k": "float32", "AP": "float32", "RR": "4 decimals"}.items()]  # fmt: skip
    of_other = replace(forms[0], subject=replace(MADE, variant="other"))
    sheet = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))
    asked_of_it = Asked(Library("made", Path("made_adapter.py"), sheet), {"version": "2"}, ())
    first_sheets.written(asked_of_it, (), [*forms, of_other])
    (first,) = held
    assert first.precision == "float32"
    assert first.precisions == {"default": {"RR": "4 decimals"}, "other": {}}
    assert first.sheet.speaks_of == "2"


def test_a_first_sheet_reads_as_what_it_says() -> None:
    empty = Sheet(
        "made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"), command=("node", "{here}/made.js")
    )
    first = first_sheets.First(
        empty, "float32", {"default": {"*": "ties=input", "AP": ""}, "two.parts": {"*": ""}},
        {"default": {"AP": "4 decimals"}, "two.parts": {}}, {"default": ["gain", "norel"], "two.parts": []},
    )  # fmt: skip
    told = tomllib.loads(first.text())
    assert {key: told[key] for key in ("library", "title", "precision", "speaks_of", "command")} == {
        "library": "made", "title": "made", "precision": "float32", "speaks_of": "1.2", "command": ["node", "{here}/made.js"],
    }  # fmt: skip
    assert told["homepage"] == told["issues"] == first_sheets.TO_FILL
    assert told["profiles"] == {
        "default": {"*": "standard ties=input", "AP": "standard"},
        "two.parts": {"*": "standard"},
    }
    assert told["precisions"] == {"default": {"AP": "4 decimals"}}
    assert first.text().count("# No answer decides: gain, norel.") == 1
    assert "command" not in tomllib.loads(replace(first, sheet=replace(empty, command=())).text())
