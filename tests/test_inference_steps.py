"""Inference, asked of a few answers: what a profile leaves unexplained, what a change gains, and what is said of an axis."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered, Failure, Observation
from rankproof.asking.rounds import LibraryAnswers
from rankproof.asking.sheets import ObservationPlace, Sheet
from rankproof.asking.subjects import Subject
from rankproof.cases.inputs import Input
from rankproof.inference import (
    askable,
    axis_findings,
    exactness,
    fingerprints,
    first_sheets,
    form_groups,
)
from rankproof.inference.axis_findings import findings
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.fingerprints import infer
from rankproof.inference.search import Search, changed, plain
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.matching.evidence import Evidence, Questions, evidence_of
from rankproof.matching.reference_answers import Values
from rankproof.reference_impl.conventions import AXES, STANDARD, parse_conventions
from rankproof.reference_impl.exact import to_float
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


def asked(answer: Answered | Failure, case: str = TIED, measure: str = "P@2", precision: str = "float64") -> Evidence:
    return evidence_of(Observation(case, MADE, measure, answer), QUESTIONS.of(case, measure), precision)


def search_of(*answers: Answered | Failure) -> Search:
    return Search((parse("P@2"),), [asked(answer) for answer in answers])


# -- what a profile leaves unexplained ----------------------------------------------------------------------------------


def test_numbers_are_compared_as_exactly_as_is_said() -> None:
    near, expectation = asked(Answered(None, 0.25 + 1e-6)), {**PLAIN, "ties": "expectation"}
    assert [near.at(exact).mask(expectation) for exact in ("float64", "float32", "4 decimals")] == [1, 1, 0]


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
        ([*[0.1234] * 19, 1 / 3], "4 decimals"),  # one in twenty was made of others
        ([*[0.1234] * 5, *[1 / 3] * 5], None),
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
    reach = askable.Reach(lacking=frozenset({"run_duplicates"}), untold=frozenset({"ties"}))
    group = form_groups.group_of("RR(rel=2)@k", [third], QUESTIONS, precision_of, reach, printed)
    (form,) = group.forms
    assert (form.key, form.precision, group.cost) == ("RR(rel=2)@k", precision, missed)
    assert (group.beyond, dict(group.search.fixed)) == ({"ties", "run_duplicates"}, {"run_duplicates": "first"})


# -- what is inferred of a few answers ----------------------------------------------------------------------------------


def following(spec: str, case: str, measure: str = "P@2") -> Observation:
    """What a library says that follows these conventions."""
    answers = QUESTIONS.of(case, measure).reference.answers(parse(measure), parse_conventions(spec))
    assert isinstance(answers, Values)
    told = {query: to_float(value) for query, value in answers.per_query.items()}
    return Observation(case, MADE, measure, Answered(told, to_float(answers.mean)))


TIES = [
    f"ties/{name}"
    for name in ("straddles-cutoff", "inside-cutoff", "below-cutoff", "names-swapped", "renamed-doc", "several-groups",
                 "six-docs-all-tied", "best-and-worst", "constant-scorer", "graded-docs-straddle-cutoff", "none-tied")
]  # fmt: skip


OF_DOCS_TIED = [
    f"ties/{name}"
    for name in ("expected-rr", "fifteen-docs-all-tied", "forty-docs-all-tied", "nine-docs-in-three-scores-by-turns",
                 "order-without-gain", "several-groups", "straddles-cutoff", "twenty-docs-in-two-scores")
]  # fmt: skip
"""One query each, with a relevant doc among the first two by ascending ids, and none by descending ones."""


@pytest.mark.parametrize(
    ("untold", "more", "is_excluded"),
    [(set(), [], True), ({"ties"}, [], False), ({"ties"}, ["denominators/p-fewer-relevant"], True)],
)
def test_what_is_excluded_only_as_what_is_out_of_reach_happens_to_be_is_left_open(
    untold: set[str],
    more: list[str],
    is_excluded: bool,  # noqa: FBT001
) -> None:
    """By descending ids nothing is found, and no divisor is told from another: that takes a case in which no order matters."""
    seen = [following("ties=docid-asc", case) for case in (*OF_DOCS_TIED, *more)]
    reach = askable.Reach(lacking=frozenset(), untold=frozenset(untold))
    group, axes = form_groups.settled(form_groups.group_of("P@k", seen, QUESTIONS, None, reach, None))
    assert (group.profile, group.cost) == (ASCENDING, 0)
    found = dict(form_groups.findings_of(group.forms[0], group, axes))["p_denominator"]
    assert [*found.excluded] == ["min-k-R"] * is_excluded
    assert ("min-k-R" in found.open) != is_excluded


def test_what_no_profile_gives_is_missed_with_its_case_measure_and_query() -> None:
    right, wrong = following("", TIED, "P@1"), Observation(TIED, MADE, "P@2", Answered({"q1": 0.0}, 0.75))
    (found,) = infer([right, wrong], CASES, MADE)
    assert found.missed == (ObservationPlace(TIED, "default", "P@2", None),)
    assert (found.explained, found.asked) == (2, 3)
    (neither,) = infer([right, replace(wrong, answer=Answered({"q1": 0.75}, 0.75))], CASES, MADE)
    assert neither.missed == (ObservationPlace(TIED, "default", "P@2", None),), "of one query only the mean is told"


@pytest.mark.parametrize(
    ("seen", "axis", "why", "still"),
    [
        (following("", UNTIED, "RR"), "ties", "no case asked of this measure has what ties is about", ()),
        (following("", UNTIED, "nDCG@2"), "gain", "no case asked of this measure has what gain is about", ("linear", "exp", "binary")),
        (following("ties=docid-asc", TIED), "p_denominator", "no case tells min-k-n from k", ("k", "min-k-n")),
        (following("", TIED), "p_denominator", "no case tells min-k-n or min-k-R from k", ("k", "min-k-n", "min-k-R")),
        # The only relevant doc is at rank 3 by score, 1/log2(4), and at rank 2 by rank.
        (following("", TIED, "nDCG"), "order", "another axis explains the same answers: rank with discount=rank", ("score", "rank")),
        (following("", TIED, "nDCG"), "discount", "another axis explains the same answers: rank with order=rank", ("log2", "rank")),
        (following("ties=input-reversed", "ties/several-groups", "AP"), "ties",
         "no case asked of this form tells a sort that keeps input-reversed order from one that does so of few rows",
         ("input-reversed", UNSPECIFIED)),
    ],
)  # fmt: skip
def test_why_nothing_is_found_is_said(seen: Observation, axis: str, why: str, still: tuple[str, ...]) -> None:
    (found,) = infer([seen], CASES, MADE)
    told = found.axes[axis]
    assert (told.value, told.why) == (None, why)
    assert set(still) <= set(told.open)


def test_each_value_is_excluded_by_the_simplest_case_that_does() -> None:
    """Of a library that answers input of every kind, so that nothing is out of its reach."""
    odd = [
        next(id_ for id_, case in CASES.items() if not case.undefined and is_so(case.input))
        for is_so in askable.KINDS.values()
    ]
    spec = "ties=docid-asc run_duplicates=both qrels_duplicates=highest"
    cases = [*TIES, *odd]
    (found,) = infer([following(spec, case) for case in cases], CASES, MADE)
    excluded = found.axes["ties"].excluded
    assert len(excluded) > 3
    for value, case in excluded.items():
        other = f"{spec} ties={value}".replace("ties=docid-asc ", "")
        telling = [one for one in cases if following(other, one).answer != following(spec, one).answer]
        assert case == min(telling, key=lambda one: QUESTIONS.of(one, "P@2").simplicity), value


@pytest.mark.parametrize(
    ("few", "missed"), [(2, {"cutoff/first-relevant"}), (4, {"cutoff/first-relevant"}), (5, set())]
)
def test_only_a_form_of_few_answers_may_have_one_beside_the_others(few: int, missed: set[str]) -> None:
    """Of five answers one may be another; each case is of one query, so that it is one answer."""
    shows = "cutoff/first-relevant"
    alone = [case for case in TIES if len(CASES[case].queries) == 1]
    seen = [following("", case, "RR@10") for case in (*TIES[:8], shows)]
    seen += [following("unjudged=removed", case, "RR") for case in (*alone[:few], shows)]
    found = {one.key: one for one in infer(seen, CASES, MADE)}
    assert found["RR@k"].missed == ()
    assert {place.case for place in found["RR"].missed} == missed
    assert found["RR"].profile.unjudged == ("non-relevant" if missed else "removed")


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
        return askable.reach_of([Observation(case, MADE, "P@2", answer)], CASES, untold).out_of_it

    assert "empty" not in beyond(NOTHING)
    assert "empty" not in beyond(Failure("error", "no"))
    for answer in (None, Failure("crash", "no"), Failure("timeout", "no")):
        assert "empty" in beyond(answer)
    assert "empty" in beyond(NOTHING, TIED)
    assert "empty" in beyond(NOTHING, "no/such-case")
    assert beyond(NOTHING, untold=["ties", "no-axis"]) - beyond(NOTHING) == {"ties"}
    assert askable.Reach(untold=frozenset({"ties"})).fixed == {}, "the adapter has some order"
    (why, values), nothing = ("it takes no input that ids is about", axis_findings.values_of("ids")), ""
    assert askable.untold("ids") == AxisFinding("ids", None, nothing, nothing, {}, values, why)
    lacking = ("empty", "ids", "qrels_duplicates")
    assert askable.Reach(lacking=frozenset(lacking)).fixed == {
        "empty": "missing", "ids": AXES["ids"].default, "qrels_duplicates": "first",
    }  # fmt: skip
    both = askable.Reach(lacking=frozenset({"run_duplicates"}), plain=frozenset({"run_duplicates", "ties"}))
    assert both.fixed == {"ties": "docid-desc", "run_duplicates": "first"}


# -- what is proved, and what a first sheet claims of it ------------------------------------------------------------------


def finding(axis: str, value: str | None, *still: str) -> AxisFinding:
    return AxisFinding(axis, value, "", "", {}, still)


def fingerprint(spec: str, *found: AxisFinding, key: str = "P@k") -> Fingerprint:
    axes = {one.axis: one for one in found}
    return Fingerprint(MADE, key, parse_conventions(spec), axes, explained=1, asked=1, missed=(), signature="")


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
    begun = 'library = "made"\nprecision = ""\nspeaks_of = ""\n\n[environments.old]\nspeaks_of = "0.9"'
    told = tomllib.loads(replace(first, begun=begun, sheet=replace(empty, speaks_of='1\\2"')).text())
    assert (told["precision"], told["speaks_of"], told["environments"]) == (
        "float32",
        '1\\2"',
        {"old": {"speaks_of": "0.9"}},
    )


def test_a_first_sheet_names_the_axes_that_no_measure_decides() -> None:
    """Of three measures one decides `gain`, another one `ties`, and none `norel`."""
    sheet = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))
    seen = tuple(following("", TIED, measure) for measure in ("CG@2", "DCG@2", "nDCG@2"))
    asked_of_it = LibraryAnswers(Library("made", Path("made_adapter.py"), sheet), {"version": "1"}, seen)
    three = [
        fingerprint("", finding("norel", None, "0", "1"), finding("gain", value), finding("ties", order), key=key)
        for key, value, order in (("nDCG@k", None, "input"), ("DCG@k", "linear", None), ("CG@k", None, None))
    ]
    assert "\n# No answer decides: norel.\n" in first_sheets.written(asked_of_it, [CASES[TIED]], three).after

    # What is proved of one is claimed before what is supposed of two, and the precision is that of most.
    orders = (("CG@k", "input", None), ("DCG@k", "docid-asc", "docid-asc"), ("nDCG@k", "input", None))
    three = [fingerprint(f"ties={taken}", finding("ties", value), key=key) for key, taken, value in orders]
    three = [replace(three[0], precision="float32"), *three[1:]]
    ascending = tuple(following("ties=docid-asc", TIED, measure) for measure in ("CG@2", "DCG@2", "nDCG@2"))
    told = tomllib.loads(first_sheets.written(replace(asked_of_it, observations=ascending), [CASES[TIED]], three).after)
    assert told["profiles"] == {"default": {"*": "standard ties=docid-asc"}}
    assert (told["precision"], told["precisions"]) == ("float64", {"default": {"CG@k": "float32"}})


def test_what_a_library_is_not_told_is_told_by_its_variant() -> None:
    sheet = Sheet("made", "", "", "", "1.2", "float64", {}, {}, {}, Path("made.toml"))
    other = replace(MADE, variant="other")
    seen = (following("", TIED), replace(following("", UNTIED, "RR"), subject=other), following("", UNTIED, "RR"))
    asked_of_it = LibraryAnswers(
        Library("made", Path("made_adapter.py"), sheet), {"version": "1", "untold": {"other": "ids order"}}, seen
    )
    found = {one.subject: one for one in first_sheets.observed_of(asked_of_it)}
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
        assert (found.asked, found.explained) == (3, 3 - len(missed))


def test_where_all_answers_are_known_exceptions_they_show_a_profile_all_the_same() -> None:
    seen = [following("ties=best", case) for case in TIES]
    for left in (TIES, []):
        exceptions = {(case, "P@2"): {None, *map(str, CASES[case].input.queries)} for case in left}
        observed = fingerprints.ObservedSubject(MADE, seen, None, exceptions=exceptions)
        ((found,),) = fingerprints.infer_all([observed], CASES)
        assert (found.profile.ties, found.missed) == ("best", ())
