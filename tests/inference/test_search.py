"""Inference: what is said of a few answers, step by step; and of libraries that are drawn, held claim by claim against the reference."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import random_observations
from convention_values import MADE, following
from inferred_fingerprints import infer
from random_observations import Chance
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference import axis_findings, form_groups
from rankproof.inference.axis_findings import findings, witnesses
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.evidence import Evidence, Questions, evidence_of
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, Values
from rankproof.inference.search import Search, changed, plain
from rankproof.inference.signatures import parse as parse_signature
from rankproof.judge import fingerprints, first_sheets
from rankproof.judge.fingerprints import ObservedSubject, in_order, infer_all, measures_in, observations_of
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, parse_conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import ObservationPlace, Sheet
from rankproof.workers.subjects import Subject

CASES = {case.id: case for case in corpus.load_all()}
QUESTIONS = Questions(CASES)
TIED, UNTIED = "ties/straddles-cutoff", "ties/none-tied"
PLAIN = plain(STANDARD)
ASCENDING = {**PLAIN, "ties": "docid-asc"}
NEITHER = {**PLAIN, "ties": UNSPECIFIED}
HALF, NOTHING = Answered(None, 0.5), Answered(None, 0.0)
"""What P@2 of `TIED` is worth by ascending ids, by the rows and at best; and by descending ids and at worst."""


def asked(answer: Answered | Failure, case: str = TIED, measure: str = "P@2", precision: str = "float64") -> Evidence:
    return evidence_of(answer, QUESTIONS.of(case, measure), precision)


def search_of(*answers: Answered | Failure) -> Search:
    return Search((parse("P@2"),), [asked(answer) for answer in answers])


# -- the search ---------------------------------------------------------------------------------------------------------


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


def test_a_profile_that_explains_more_is_gone_on_from() -> None:
    for answers in ((HALF, HALF, NOTHING), (NOTHING, HALF, HALF)):
        found, better = findings(search_of(*answers), PLAIN)
        assert found is None
        assert better is not None
        assert search_of(*answers).cost(better) == 1
    found, better = findings(search_of(HALF), ASCENDING)
    assert found is not None
    assert better is None
    assert found["ties"].excluded == dict.fromkeys(("input-reversed", "last-rank", "worst"), TIED)


def test_two_changes_together_are_found_where_neither_alone_explains_anything() -> None:
    oracle = QUESTIONS.of(TIED, "P@2").reference
    both = STANDARD.replace(ties="docid-asc", p_denominator="min-k-R")
    wanted = oracle.answers(parse("P@2"), both).mean
    search = search_of(Answered(None, float(wanted)))
    assert float(wanted) == 1.0, "one relevant doc, and one found"
    assert search.cost(search.descend(PLAIN, further=True)) == 0


def test_a_second_change_is_looked_for_where_the_first_mends_an_answer_and_breaks_another() -> None:
    seen = [("ids/inner-space", 1.0), ("ids/doc-named-as-its-query", 0.5)]  # by ranks; with 1/rank the second is 1/2
    evidence = [asked(Answered({"q1": value}, value), case, "nDCG@3") for case, value in seen]
    search = Search((parse("nDCG@3"),), evidence)
    found = search.descend(PLAIN, further=True)
    assert (search.cost(found), found) == (0, {**PLAIN, "order": "rank", "discount": "rank"})


# -- how exactly a library answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "precision"),
    [
        ([0.1234], "4 decimals"),
        ([0.123], "3 decimals"),
        ([0.12], None),
        ([0.123456], "6 decimals"),
        ([0.1234567], None),
        ([1.0], None),
        ([*[0.0, 1.0] * 12, 0.3333, 0.6667, 0.1429], "4 decimals"),
        ([*[0.1234] * 19, 1 / 3], "4 decimals"),
        ([*[0.1234] * 5, *[1 / 3] * 5], None),  # one in twenty was made of others
    ],
)
def test_what_prints_its_numbers_has_three_to_six_decimals(values: Sequence[float], precision: str | None) -> None:
    seen = [Observation(TIED, MADE, "P@2", Answered({"q1": value}, None)) for value in (*values, 1.0, 0.0)]
    assert form_groups.printed_at([*seen, Observation(TIED, MADE, "P@2", Failure("error", "no"))]) == precision
    assert form_groups.printed_at([Observation(TIED, MADE, "P@2", Answered(None, value)) for value in values]) is None


# -- one form -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "precision", "missed"),
    [
        (None, "4 decimals", 0),  # inferred from the numbers of the form
        ("6 decimals", "6 decimals", 1),  # of all numbers of the library, so those of the form do not decide it
    ],
)
def test_the_precision_of_a_form_is_that_of_the_library_or_of_its_numbers(
    printed: str | None, precision: str, missed: int
) -> None:
    third = Observation("cutoff/first-relevant", MADE, "RR(rel=2)@10", Answered(None, 0.3333))
    reach = form_groups.Reach(lacking=frozenset({"run_duplicates"}), untold=frozenset({"ties"}))
    group = form_groups.group_of("RR(rel=2)@k", [third], QUESTIONS, reach, printed)
    (form,) = group.forms
    assert (form.key, form.precision, group.cost) == ("RR(rel=2)@k", precision, missed)
    assert (group.out_of_reach, dict(group.search.fixed)) == ({"ties", "run_duplicates"}, {"run_duplicates": "first"})


# -- what is inferred of a few answers ----------------------------------------------------------------------------------


def told_by(spec: str, case: str, measure: str = "P@2") -> Observation:
    """What a library says that follows these conventions."""
    return following(spec, CASES[case], measure)


TIES = [
    f"ties/{name}"
    for name in (
        "straddles-cutoff",
        "inside-cutoff",
        "below-cutoff",
        "names-swapped",
        "renamed-doc",
        "several-groups",
        "six-docs-all-tied",
        "best-and-worst",
        "constant-scorer",
        "graded-docs-straddle-cutoff",
        "none-tied",
    )
]


OF_DOCS_TIED = [
    f"ties/{name}"
    for name in (
        "expected-rr",
        "fifteen-docs-all-tied",
        "forty-docs-all-tied",
        "nine-docs-in-three-scores-by-turns",
        "order-without-gain",
        "several-groups",
        "straddles-cutoff",
        "twenty-docs-in-two-scores",
    )
]
"""One query each, with a relevant doc among the first two by ascending ids, and none by descending ones."""


@pytest.mark.parametrize(
    ("untold", "more", "is_excluded"),
    [(set(), [], True), ({"ties"}, [], False), ({"ties"}, ["denominators/p-fewer-relevant"], True)],
)
def test_what_is_excluded_only_as_what_is_out_of_reach_happens_to_be_is_left_open(
    untold: set[str], more: list[str], *, is_excluded: bool
) -> None:
    """By descending ids nothing is found, and no divisor is told from another: that takes a case in which no order matters."""
    seen = [told_by("ties=docid-asc", case) for case in (*OF_DOCS_TIED, *more)]
    reach = form_groups.Reach(lacking=frozenset(), untold=frozenset(untold))
    group, axes = form_groups.with_findings(form_groups.group_of("P@k", seen, QUESTIONS, reach, None))
    assert (group.profile, group.cost) == (ASCENDING, 0)
    found = dict(form_groups.findings_of(group.forms[0], group, axes))["p_denominator"]
    assert [*found.excluded] == ["min-k-R"] * is_excluded
    assert ("min-k-R" in found.open) != is_excluded


def test_a_convention_with_too_many_orders_of_ties_is_not_excluded() -> None:
    """20 tied documents: with unjudged=removed six are left, in 20 orders; with all of them infAP has 775,200 orders."""
    judged = {f"r{i}": 1 for i in range(3)} | {f"n{i}": 0 for i in range(3)}
    tied = _case("tied", judged, dict.fromkeys([*judged, *(f"u{i}" for i in range(14))], 1.0))
    pairs = [_case(f"pair-{order}", {"a": 1, "b": 0}, {"a": 1.0, "b": 1.0}) for order in ("best", "worst")]
    seen = [following(f"ties={case.id.rpartition('-')[2]}", case, "infAP") for case in pairs]
    (found,) = infer(
        [*seen, following("ties=docid-asc", tied, "infAP")], {case.id: case for case in (*pairs, tied)}, MADE
    )
    assert (found.profile.ties, found.missed) == (UNSPECIFIED, ())
    assert {"removed", "non-relevant"} <= set(found.axes["unjudged"].open)


def test_what_no_profile_gives_is_missed_with_its_case_measure_and_query() -> None:
    right, wrong = told_by("", TIED, "P@1"), Observation(TIED, MADE, "P@2", Answered({"q1": 0.0}, 0.75))
    (found,) = infer([right, wrong], CASES, MADE)
    assert found.missed == (ObservationPlace(TIED, "default", "P@2", None),)
    assert (found.explained, found.total) == (2, 3)
    (neither,) = infer([right, replace(wrong, answer=Answered({"q1": 0.75}, 0.75))], CASES, MADE)
    assert neither.missed == (ObservationPlace(TIED, "default", "P@2", None),), "of one query only the mean is told"


@pytest.mark.parametrize(
    ("seen", "axis", "why", "still"),
    [
        (told_by("", UNTIED, "RR"), "ties", "no case asked of this measure has what ties is about", ()),
        (
            told_by("", UNTIED, "nDCG@2"),
            "gain",
            "no case asked of this measure has what gain is about",
            ("linear", "exp", "binary"),
        ),
        (told_by("ties=docid-asc", TIED), "p_denominator", "no case tells min-k-n from k", ("k", "min-k-n")),
        (told_by("", TIED), "p_denominator", "no case tells min-k-n or min-k-R from k", ("k", "min-k-n", "min-k-R")),
        # The only relevant doc is at rank 3 by score, 1/log2(4), and at rank 2 by rank.
        (
            told_by("", TIED, "nDCG"),
            "order",
            "another axis explains the same answers: rank with discount=rank",
            ("score", "rank"),
        ),
        (
            told_by("", TIED, "nDCG"),
            "discount",
            "another axis explains the same answers: rank with order=rank",
            ("log2", "rank"),
        ),
        (
            told_by("ties=input-reversed", "ties/several-groups", "AP"),
            "ties",
            "no case asked of this form tells a sort that keeps input-reversed order from one that does so of few rows",
            ("input-reversed", UNSPECIFIED),
        ),
    ],
)
def test_why_nothing_is_found_is_said(seen: Observation, axis: str, why: str, still: tuple[str, ...]) -> None:
    (found,) = infer([seen], CASES, MADE)
    told = found.axes[axis]
    assert (told.value, told.why) == (None, why)
    assert set(still) <= set(told.open)


@pytest.mark.parametrize(
    ("few", "missed"), [(2, {"cutoff/first-relevant"}), (4, {"cutoff/first-relevant"}), (5, set())]
)
def test_only_a_form_of_few_answers_may_have_one_beside_the_others(few: int, missed: set[str]) -> None:
    """Of five answers one may be another; each case is of one query, so that it is one answer."""
    shows = "cutoff/first-relevant"
    alone = [case for case in TIES if len(CASES[case].queries) == 1]
    seen = [told_by("", case, "RR@10") for case in (*TIES[:8], shows)]
    seen += [told_by("unjudged=removed", case, "RR") for case in (*alone[:few], shows)]
    found = {one.key: one for one in infer(seen, CASES, MADE)}
    assert found["RR@k"].missed == ()
    assert {place.case for place in found["RR"].missed} == missed
    assert found["RR"].profile.unjudged == ("non-relevant" if missed else "removed")


# -- values that remain, and their witnesses ------------------------------------------------------------------------------


def _case(name: str, rels: dict[str, int], scores: dict[str, float]) -> Case:
    run = tuple(("q", doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1))
    given = Input(qrels=tuple(("q", doc, rel) for doc, rel in rels.items()), run=run)
    return Case(f"made/{name}", "a question", "", "", (), given, None, ("nDCG@2", "P@2"))


OF_GRADES = _case("graded", {"a": 1, "b": 2, "c": 0}, {"b": 2.0, "a": 3.0, "c": 1.0})
OF_A_TIE = _case("tied", {"a": 1, "b": 0, "c": 0}, {"b": 1.0, "a": 1.0, "c": 1.0})
OF_FLAGS = _case("plain", {"a": 1, "b": 0}, {"a": 2.0, "b": 1.0})


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_every_value_that_remains_is_listed_and_no_other(order: tuple[int, ...]) -> None:
    """Three values that the answers do not tell apart, found by brute force."""
    cases = [(OF_GRADES, OF_A_TIE, OF_FLAGS)[i] for i in order]
    observed = [following("standard", case, "nDCG@2") for case in cases]
    (found,) = infer(observed, {case.id: case for case in cases}, MADE)
    oracles, measure = [PlainReference(case.input) for case in cases], parse("nDCG@2")

    def is_alike(axis: str, value: str) -> bool:
        own = STANDARD.replace(**{axis: value})
        return all(oracle.answers(measure, own) == oracle.answers(measure, STANDARD) for oracle in oracles)

    axes = ("ties", "gain", "ideal_cut")
    remaining = {axis: {value for value in values_of(axis) if is_alike(axis, value)} for axis in axes}
    assert [len(values) for values in remaining.values()] == [3, 1, 3]
    for axis, values in remaining.items():
        finding = found.axes[axis]
        assert {*finding.open} == (values if len(values) > 1 else set())
        assert finding.excluded.keys() == {*values_of(axis)} - values


@pytest.mark.parametrize("turn", range(3))
def test_the_witness_excludes_most_values(turn: int) -> None:
    questions = Questions({case.id: case for case in (OF_A_TIE, OF_GRADES, OF_FLAGS)})
    places = ((OF_A_TIE.id, "P@2"), (OF_GRADES.id, "AP"), (OF_FLAGS.id, "RR"))
    most, some, one = (
        evidence_of(Answered(None, 1.0), questions.of(case, measure), "float64") for case, measure in places
    )
    broken: Any = [("a", [one, most, some]), ("b", [most]), ("c", [some, most]), ("d", [])]

    def simplest(*those: Evidence) -> str:
        return min((one.question for one in those), key=lambda question: question.simplicity).case.id

    ids = {"a": simplest(one, most, some), "b": OF_A_TIE.id, "c": simplest(some, most)}
    assert witnesses(dict(broken[turn:] + broken[:turn])) == (OF_A_TIE.id, "P@2", ids)


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
    assert not any(is_of_it(plain_input) for is_of_it in form_groups.KINDS.values())
    for kind, given in KINDS.items():
        assert [name for name, is_of_it in form_groups.KINDS.items() if is_of_it(given)] == [kind]


def test_an_axis_is_out_of_reach_where_no_input_that_it_is_about_is_answered() -> None:
    empty = "queries/empty-ranking-is-not-missing"

    def beyond(answer: Answered | Failure | None, case: str = empty, untold: Sequence[str] = ()) -> frozenset[str]:
        return form_groups.reach_of([Observation(case, MADE, "P@2", answer)], CASES, untold).out_of_it

    assert "empty" not in beyond(NOTHING)
    assert "empty" not in beyond(Failure("error", "no"))
    for answer in (None, Failure("crash", "no"), Failure("timeout", "no")):
        assert "empty" in beyond(answer)
    assert "empty" in beyond(NOTHING, TIED)
    assert "empty" in beyond(NOTHING, "no/such-case")
    assert beyond(NOTHING, untold=["ties", "no-axis"]) - beyond(NOTHING) == {"ties"}
    assert form_groups.Reach(untold=frozenset({"ties"})).fixed == {}, "the adapter has some order"
    (why, values), nothing = ("it takes no input that ids is about", axis_findings.values_of("ids")), ""
    assert form_groups.untold("ids") == AxisFinding("ids", None, nothing, nothing, {}, values, why)
    lacking = ("empty", "ids", "qrels_duplicates")
    assert form_groups.Reach(lacking=frozenset(lacking)).fixed == {
        "empty": "missing",
        "ids": AXES["ids"].default,
        "qrels_duplicates": "first",
    }


# -- what is proved, and what a first sheet claims of it ------------------------------------------------------------------


def finding(axis: str, value: str | None, *still: str) -> AxisFinding:
    return AxisFinding(axis, value, "", "", {}, still)


def fingerprint(spec: str, *found: AxisFinding, key: str = "P@k") -> Fingerprint:
    axes = {one.axis: one for one in found}
    return Fingerprint(MADE, key, parse_conventions(spec), axes, explained=1, total=1, missed=(), signature="")


SHEET = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))


def asked_of_it(seen: Iterable[Observation], **hello: Any) -> LibraryAnswers:
    """A library without claims, and what it said."""
    return LibraryAnswers(Library("made", Path("made_adapter.py"), SHEET), {"version": "1", **hello}, tuple(seen))


def test_a_first_sheet_claims_what_is_proved_of_one_measure_before_what_is_supposed_of_two() -> None:
    """The precision is that of most."""
    ascending = asked_of_it(told_by("ties=docid-asc", TIED, measure) for measure in ("CG@2", "DCG@2", "nDCG@2"))
    orders = (("CG@k", "input", None), ("DCG@k", "docid-asc", "docid-asc"), ("nDCG@k", "input", None))
    three = [fingerprint(f"ties={taken}", finding("ties", value), key=key) for key, taken, value in orders]
    three = [replace(three[0], precision="float32"), *three[1:]]
    told = tomllib.loads(first_sheets.first_sheet(ascending, [CASES[TIED]], three).after)
    assert told["profiles"] == {"default": {"*": "standard ties=docid-asc"}}
    assert (told["precision"], told["precisions"]) == ("float64", {"default": {"CG@k": "float32"}})


def test_what_a_library_is_not_told_is_told_by_its_variant() -> None:
    other = replace(MADE, variant="other")
    seen = (told_by("", TIED), replace(told_by("", UNTIED, "RR"), subject=other), told_by("", UNTIED, "RR"))
    told = asked_of_it(seen, untold={"other": "ids order"})
    found = {one.subject: one for one in first_sheets.observed_of(told)}
    assert {subject: len(one.observations) for subject, one in found.items()} == {MADE: 2, other: 1}
    assert (found[MADE].untold, found[other].untold) == (frozenset(), frozenset({"ids", "order"}))


def test_known_exceptions_are_put_to_the_profile_that_the_other_answers_show() -> None:
    """Twice the rank among judged docs, once the rank among all: what most answers follow, unless these two are known exceptions."""
    case, odd = "cutoff/first-relevant", ("RR@3", "RR@5")
    seen = [Observation(case, MADE, measure, Answered(None, 1.0)) for measure in odd]
    seen.append(Observation(case, MADE, "RR@10", Answered(None, 0.5)))
    for exceptions, unjudged, missed in (((), "removed", {"RR@10"}), (odd, "non-relevant", {*odd})):
        known = {(case, measure): {None} for measure in exceptions}
        observed = fingerprints.ObservedSubject(MADE, seen, None, exceptions=known)
        ((found,),) = fingerprints.infer_all([observed], CASES)
        assert found.profile.unjudged == unjudged
        assert {place.measure for place in found.missed} == missed
        assert (found.total, found.explained) == (3, 3 - len(missed))


def test_where_all_answers_are_known_exceptions_they_show_a_profile_all_the_same() -> None:
    seen = [told_by("ties=best", case) for case in TIES]
    for left in (TIES, []):
        exceptions = {(case, "P@2"): {None, *map(str, CASES[case].input.queries)} for case in left}
        observed = fingerprints.ObservedSubject(MADE, seen, None, exceptions=exceptions)
        ((found,),) = fingerprints.infer_all([observed], CASES)
        assert (found.profile.ties, found.missed) == ("best", ())


# -- libraries that are drawn -------------------------------------------------------------------------------------------
# Nothing is said that another profile could contradict: a value that is excluded gives another answer than was given in the case that is
# named; a profile gives all answers that are called explained, and none of those that are not; and what is open is what is left.

WHO = Subject("made", "rows", "1", alone=False)
HABITS = {
    "ties": ["docid-asc", "input", "expectation", "best"],
    "gain": ["exp", "binary"],
    "known": ["retrieved"],
    "ideal": ["given"],
    "p_denominator": ["min-k-n"],
    "ap_denominator": ["min-k-R", "hits"],
    "missing": ["dropped", "nan"],
    "norel": ["nan", "1", "dropped"],
    "score": ["f32"],
    "unjudged": ["removed"],
    "single": ["rejected"],
}
MEASURES = {"nDCG": ["nDCG", "nDCG@2", "nDCG@3"], "P": ["P@2", "P@1"], "AP": ["AP", "AP@2"], "RR": ["RR", "RR@1"]}


@cache
def small() -> tuple[Case, ...]:
    every = corpus.load_all()
    return tuple(case for case in every if not case.of_labels and not case.undefined and case.input.size < 9)


@cache
def answers(of: str, measure: str, profile: Conventions) -> Any:
    """What the reference gives, as somebody answers who follows it: by query, and the mean; `refused`, or nothing that can be told."""
    (case,) = (one for one in small() if one.id == of)
    found = PlainReference(case.input).answers(parse(measure), profile)
    if isinstance(found, Values):
        values = {query: math.nan if value is None else to_float(value) for query, value in found.per_query.items()}
        return values, math.nan if found.mean is None else to_float(found.mean)
    return "refused" if isinstance(found, Refused) else None


def rows_of(case: Case, answer: Any) -> dict[str | None, Any]:
    """The values that are compared: the mean, and each query where it is not the only one and worth the mean."""
    values, mean = answer
    names = list(dict.fromkeys([*map(str, case.queries), *(values or {})]))
    found: dict[str | None, Any] = {} if mean is None else {None: mean}
    if values is None or (len(names) == 1 and mean is not None and repr(values.get(names[0])) == repr(mean)):
        return found
    return {**found, **{name: values.get(name, "absent") for name in names}}


@cache
def of_each_kind() -> tuple[Case, ...]:
    """A case of each kind of input that axes need, so that none is out of reach."""

    def twice(rows: Sequence[tuple[Any, ...]]) -> bool:
        return len({row[:2] for row in rows}) < len(rows)

    kinds = (
        lambda given: bool(given.empty_in_run),
        lambda given: bool(given.empty_in_qrels),
        lambda given: given.number_ids,
        lambda given: twice(given.qrels),
        lambda given: twice(given.run),
    )
    return tuple(next(case for case in small() if kind(case.input)) for kind in kinds)


Seen = Mapping[tuple[str, str], tuple[Case, Any]]


def drawn(seed: int) -> tuple[Seen, Conventions, set[tuple[str, str]]]:
    """Answers by habits of some axes, to some cases; a few are odd."""
    c = Chance(seed)
    some = c.sample(list(HABITS), c.choice([0, 1, 2, 3]))
    habits = STANDARD.replace(**{axis: c.choice(HABITS[axis]) for axis in some})
    name = c.choice(list(MEASURES))
    seen: dict[tuple[str, str], tuple[Case, Any]] = {}
    odd = set()
    telling = c.choice(["means", "queries", "both"])
    for case in {case.id: case for case in (*of_each_kind(), *c.sample(small(), 6))}.values():
        for measure in MEASURES[name]:
            answer = answers(case.id, measure, habits)
            if answer is None:
                continue
            if answer != "refused":
                values, mean = answer
                if c.random() < 0.04:
                    odd.add((case.id, measure))
                    values, mean = dict.fromkeys(values, 0.777), 0.777
                answer = (None if telling == "means" else values, None if telling == "queries" else mean)
            seen[case.id, measure] = case, answer
    return seen, habits, odd


def observations(seen: Seen) -> list[Observation]:
    no = Failure("error", "ValueError: no")
    told = {place: no if answer == "refused" else Answered(*answer) for place, (_, answer) in seen.items()}
    return [Observation(case, WHO, measure, answer) for (case, measure), answer in told.items()]


def missed(case: Case, measure: str, answer: Any, profile: Conventions) -> set[str | None]:
    """The rows of an answer that a profile does not give."""
    given = answers(case.id, measure, profile)
    if answer == "refused":
        return set() if given == "refused" else {None}
    rows = rows_of(case, answer)
    if not isinstance(given, tuple):
        return set(rows)
    told = {**{str(query): "absent" for query in case.queries}, **given[0], None: given[1]}
    off = {query for query, value in rows.items() if not near(value, told.get(query, "absent"))}
    return off - within_ties(case, measure, rows, profile) if profile.ties == "unspecified" else off


def missed_places(asked: Iterable[tuple[Case, str, Any]], profile: Conventions) -> set[ObservationPlace]:
    return {
        ObservationPlace(case.id, WHO.variant, measure, query)
        for case, measure, answer in asked
        for query in missed(case, measure, answer, profile)
    }


def within_ties(case: Case, measure: str, rows: Mapping[str | None, Any], profile: Conventions) -> set[str | None]:
    """The rows that some order of tied docs gives, where ties matter."""
    ends = [answers(case.id, measure, profile.replace(ties=end)) for end in ("worst", "best")]
    if not all(isinstance(end, tuple) for end in ends):
        return set()
    low, high = ({**values, None: mean} for values, mean in ends)
    numbers = [query for query, value in rows.items() if not isinstance(value, str)]
    inside = {query for query in numbers if query in low and query in high and low[query] != high[query]}
    return {query for query in inside if low[query] - 1e-12 <= rows[query] <= high[query] + 1e-12}


def near(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12


def of_form(seen: Seen, key: str) -> Iterator[tuple[Case, str, Any]]:
    """The answers to one form of a measure."""
    for (_, measure), (case, answer) in seen.items():
        if (measure.partition("@")[0], "@" in measure) == (key.partition("@")[0], "@" in key):
            yield case, measure, answer


@pytest.mark.parametrize("seed", [0, 1, 3, 5, 6, 7, 9])
def test_a_fingerprint_says_nothing_that_the_answers_do_not_show(seed: int) -> None:
    seen, habits, odd = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    found = infer(observations(seen), cases, WHO)
    answered = [measure for (_, measure), (_, answer) in seen.items() if answer != "refused"]
    keys = {measure.partition("@")[0] + "@k" * ("@" in measure) for measure in answered}
    assert {one.key for one in found} == keys
    for one in found:
        asked = list(of_form(seen, one.key))
        size = sum(1 if answer == "refused" else len(rows_of(case, answer)) for case, _, answer in asked)
        places = missed_places(asked, one.profile)
        assert (one.total, one.explained) == (size, size - len(places))
        assert {*one.missed} == places
        # The habits give all that is not odd: who explains more misses fewer.
        assert len(places) <= sum(len(missed(case, measure, answer, habits)) for case, measure, answer in asked)
        if not odd:
            assert not places
        check_findings(one, asked)
        check_signature(one)


def check_findings(one: Fingerprint, own: Sequence[tuple[Case, str, Any]]) -> None:
    for axis, finding in one.axes.items():
        said = {*finding.excluded, *finding.same, *finding.open, *([finding.value] if finding.value else [])}
        assert said <= {*values_of(axis), *(["unspecified"] if axis == "ties" else [])}, "nothing that is no value"
        assert set(finding.excluded).isdisjoint({*finding.same, *finding.open, finding.value})
        assert (finding.value is None) == bool(finding.open)
        followed = one.profile if finding.value is None else one.profile.replace(**{axis: finding.value})
        killing = {}
        for value, case in finding.excluded.items():
            broken = [at for at in own if breaks(at, followed, axis, value)]
            assert case in {at[0].id for at in broken}, (axis, value, "it is excluded by what the case shows")
            assert case == min(broken, key=simplicity)[0].id, "by the simplest"
            killing[value] = {(at[0].id, at[1]) for at in broken}
        if killing:
            counts = Counter(place for places in killing.values() for place in places)
            assert counts[finding.witness, finding.measure] == max(counts.values()), "the witness excludes most"
        else:
            assert (finding.witness, finding.measure) == ("", "")
        if finding.value is not None:
            for value in finding.same:
                assert not any(breaks(at, followed, axis, value) for at in own)
        named = re.fullmatch(r"no case tells (.*) from .*", finding.why)
        for value in named[1].split(" or ") if named else ():
            assert value in finding.open
            better = any(missed(*at, one.profile) - missed(*at, one.profile.replace(**{axis: value})) for at in own)
            assert better or not any(breaks(at, one.profile, axis, value) for at in own)


def simplicity(at: tuple[Case, str, Any]) -> tuple[int, int, int, str]:
    return len(at[0].queries), at[0].input.size, len(at[0].id), at[0].id


def breaks(at: tuple[Case, str, Any], profile: Conventions, axis: str, value: str) -> bool:
    """Whether another value misses what was given by the one that is followed; nothing is broken where the reference cannot tell."""
    case, measure, answer = at
    other = profile.replace(**{axis: value})
    if answers(case.id, measure, other) is None:
        return False
    return bool(missed(case, measure, answer, other) - missed(case, measure, answer, profile))


def check_signature(one: Fingerprint) -> None:
    signature = parse_signature(one.signature)
    assert signature.by == WHO.signed
    assert {axis for axis, finding in one.axes.items() if finding.value is None} <= signature.open.keys()
    for axis, value in STANDARD.differences(one.profile).items():
        if axis not in signature.open and axis in one.axes:
            assert getattr(signature.conventions, axis) == value


@pytest.mark.parametrize("seed", [24])
def test_what_is_inferred_does_not_hang_on_the_order_of_the_answers_or_on_others(seed: int) -> None:
    seen, *_ = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    mine = observations(seen)
    found = infer(mine, cases, WHO)
    shuffled = Chance(seed).sample(mine, len(mine))
    noise = [replace(one, subject=replace(WHO, version="2")) for one in mine[:9]]
    noise += [Observation(mine[0].case, WHO, mine[0].measure, None, "it has none")]
    noise += [replace(mine[1], answer=HALF, again=NOTHING), replace(mine[2], case="gone/case")]
    assert alike(infer([*noise, *shuffled], cases, WHO)) == alike(found)
    other = replace(WHO, variant="w")
    others = [
        ObservedSubject(WHO, mine, None),
        ObservedSubject(other, [replace(one, subject=other) for one in mine[:4]], None),
    ]
    every = [one for part in infer_all(others, cases) for one in part]
    assert [one for one in in_order(every) if one.subject == WHO] == found
    assert {one.subject for one in every} <= {WHO, others[1].subject}
    assert measures_in(others) == {one.key.partition("@")[0] for one in found}


def alike(found: Sequence[Fingerprint]) -> list[Any]:
    """All but which of several measures of one case is named, and in what order."""
    axes = [{axis: replace(finding, measure="") for axis, finding in one.axes.items()} for one in found]
    return [(replace(one, axes={}, missed=()), {*one.missed}, of) for one, of in zip(found, axes, strict=True)]


# -- what is inferred from ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_observations_are_read_back_from_the_rows_that_they_were_judged_as(seed: int) -> None:
    told = random_observations.drawn(seed)
    found = observations_of(told.report.results)
    skipped = {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    rows = [r for r in told.rows if r.measure and r.verdict not in skipped and r.error != "unstable"]
    assert [one.subject for one in found] == list(dict.fromkeys(row.subject for row in rows))
    for one in found:
        mine = [row for row in rows if row.subject == one.subject]
        places = list(dict.fromkeys((row.case, row.measure) for row in mine))
        assert [(seen.case, seen.measure) for seen in one.observations] == places
        for seen in one.observations:
            own = [row for row in mine if (row.case, row.measure) == (seen.case, seen.measure)]
            assert repr(seen.answer) == repr(answer_of(own))
            known = {row.query for row in own if row.verdict is Verdict.KNOWN}
            assert {*one.exceptions.get((seen.case, seen.measure), ())} == known


def answer_of(rows: Sequence[Row]) -> Answered | Failure:
    """A failure of the kind that its text begins with, or the numbers; what is absent is not there."""
    errors = [row.error for row in rows if row.error is not None]
    if errors:
        kind, _, text = errors[0].partition(": ")
        befell = kind in {"crash", "timeout", "memory", "invalid-output"}
        return Failure(kind, text) if befell else Failure("error", errors[0])
    values = {row.query: float(row.value) for row in rows if not isinstance(row.value, str) and row.value is not None}
    mean = values.pop(None, None)
    told = any(row.query is not None for row in rows)
    return Answered({str(query): value for query, value in values.items()} if told else None, mean)


@pytest.mark.parametrize("seed", [30, 31])
def test_a_known_exception_is_explained_or_missed_and_shows_nothing(seed: int) -> None:
    """It is counted like any answer; what is found is what is found without it."""
    seen, _, _ = drawn(seed)
    cases = {case.id: case for case, _ in seen.values()}
    odd = [place for place, (_, answer) in seen.items() if answer != "refused"][::9]
    changed: dict[tuple[str, str], tuple[Case, Any]] = dict(seen)
    for place in odd:
        case, (values, _) = seen[place]
        changed[place] = case, (values if values is None else dict.fromkeys(values, 0.444), 0.444)
    exceptions: Any = {place: {None, *(str(q) for q in changed[place][0].queries)} for place in odd}
    (with_them,) = infer_all([ObservedSubject(WHO, observations(changed), None, exceptions=exceptions)], cases)
    others = {place: said for place, said in seen.items() if place not in odd}
    (without,) = infer_all([ObservedSubject(WHO, observations(others), None)], cases)
    by_key = {one.key: one for one in without}
    for one in with_them:
        assert (one.profile, one.axes) == (by_key[one.key].profile, by_key[one.key].axes)
        assert {*one.missed} == missed_places(of_form(changed, one.key), one.profile)
