"""Forms of a measure: their precision, the conventions that a library can show, and findings on rarely tested forms."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from convention_values import MADE, answers_to, following
from inferred_fingerprints import infer

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.inference import form_groups
from rankproof.inference.evidence import Questions
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.search import plain
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation

CASES = {case.id: case for case in corpus.load_all()}
JUDGED = [case for case in CASES.values() if not case.undefined]
SORTED = {case.id for case in JUDGED if case.input.tells_sorts}
"""Cases that are long enough to distinguish stable sorts."""
QUESTIONS = Questions(CASES)
TIED = "ties/straddles-cutoff"
HALF = Answered(None, 0.5)


def by_key(observations: Sequence[Observation], **options: Any) -> dict[str, Fingerprint]:
    return {form.key: form for form in infer(observations, CASES, MADE, **options)}


# -- the precision ------------------------------------------------------------------------------------------------------


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
        ([*[0.1234] * 5, *[1 / 3] * 5], None),  # only one value in twenty may have another precision
    ],
)
def test_printed_numbers_have_three_to_six_decimals(values: Sequence[float], precision: str | None) -> None:
    seen = [Observation(TIED, MADE, "P@2", Answered({"q1": value}, None)) for value in (*values, 1.0, 0.0)]
    assert form_groups.printed_at([*seen, Observation(TIED, MADE, "P@2", Failure("error", "no"))]) == precision
    assert form_groups.printed_at([Observation(TIED, MADE, "P@2", Answered(None, value)) for value in values]) is None


@pytest.mark.parametrize(
    ("printed", "precision", "missed"),
    [
        (None, "4 decimals", 0),  # inferred from the numbers of the form
        ("6 decimals", "6 decimals", 1),  # inferred from all numbers of the library
    ],
)
def test_precision_of_a_form_is_that_of_the_library_or_of_its_numbers(
    printed: str | None, precision: str, missed: int
) -> None:
    third = Observation("cutoff/first-relevant", MADE, "RR(rel=2)@10", Answered(None, 0.3333))
    reach = form_groups.Reach(lacking=frozenset({"run_duplicates"}), untold=frozenset({"ties"}))
    group = form_groups.group_of("RR(rel=2)@k", [third], QUESTIONS, reach, printed)
    (form,) = group.forms
    assert (form.key, form.precision, group.cost) == ("RR(rel=2)@k", precision, missed)
    assert (group.out_of_reach, dict(group.search.fixed)) == ({"ties", "run_duplicates"}, {"run_duplicates": "first"})


# -- conventions that a library can show --------------------------------------------------------------------------------

ROW, JUDGMENT = ("q", "a", 1.0, 1), ("q", "a", 1)
KINDS = {
    "an empty ranking": Input((JUDGMENT,), (), (), ("q",)),
    "a query without judgments": Input((), (ROW,), ("q",)),
    "an id that is a number": Input((JUDGMENT,), ((1, "a", 1.0, 1),)),
    "a doc judged twice": Input((JUDGMENT, ("q", "a", 0)), (ROW,)),
    "a doc retrieved twice": Input((JUDGMENT,), (ROW, ("q", "a", 0.5, 2))),
}


def test_each_input_has_only_its_own_kind() -> None:
    plain_input = Input((JUDGMENT, ("r", "a", 1)), (ROW, ("r", "a", 1.0, 1)))
    assert not any(has_kind(plain_input) for has_kind in form_groups.KINDS.values())
    for kind, data in KINDS.items():
        assert [name for name, has_kind in form_groups.KINDS.items() if has_kind(data)] == [kind]


def test_axis_cannot_be_tested_if_no_input_that_could_decide_it_has_a_value() -> None:
    empty = "queries/empty-ranking-is-not-missing"

    def out_of_reach(
        answer: Answered | Failure | None, case: str = empty, untold: Sequence[str] = ()
    ) -> frozenset[str]:
        return form_groups.reach_of([Observation(case, MADE, "P@2", answer)], CASES, untold).out_of_it

    assert "empty" not in out_of_reach(HALF)
    assert "empty" not in out_of_reach(Failure("error", "no"))
    for answer in (None, Failure("crash", "no"), Failure("timeout", "no")):
        assert "empty" in out_of_reach(answer)
    assert "empty" in out_of_reach(HALF, TIED)
    assert "empty" in out_of_reach(HALF, "no/such-case")
    assert out_of_reach(HALF, untold=["ties", "no-axis"]) - out_of_reach(HALF) == {"ties"}
    assert form_groups.Reach(untold=frozenset({"ties"})).fixed == {}, "the adapter has some order"
    lacking = ("empty", "ids", "qrels_duplicates")
    assert form_groups.Reach(lacking=frozenset(lacking)).fixed == {
        "empty": "missing",
        "ids": AXES["ids"].default,
        "qrels_duplicates": "first",
    }


def test_adapter_that_translates_ids_cannot_show_how_they_are_compared() -> None:
    some = [case for i, case in enumerate(JUDGED) if i % 4 == 0 or case.id.startswith("ids/")]
    observations = [*answers_to("ids=text", {"P@k"}, some)]
    assert by_key(observations)["P@k"].axes["ids"].value == "text"
    form = by_key([*answers_to("standard", {"P@k"}, some)], untold=["ids"])["P@k"]
    assert form.axes["ids"].value is None
    assert "|ids:?|" in form.signature


TIED_NAMES = """
expected-rr fifteen-docs-all-tied forty-docs-all-tied nine-docs-in-three-scores-by-turns order-without-gain
several-groups straddles-cutoff twenty-docs-in-two-scores
"""
OF_TIED_DOCS = [f"ties/{name}" for name in TIED_NAMES.split()]
"""Cases of a single query, with a relevant document among the first two by ascending, but not by descending ids."""


@pytest.mark.parametrize(
    ("untold", "more", "is_excluded"),
    [(set(), [], True), ({"ties"}, [], False), ({"ties"}, ["denominators/p-fewer-relevant"], True)],
)
def test_value_remains_possible_if_only_an_untestable_choice_excludes_it(
    untold: set[str], more: list[str], *, is_excluded: bool
) -> None:
    """P@2 by descending ids is 0 with any divisor.

    Only a case in which no order matters distinguishes the divisors.
    """
    seen = [following("ties=docid-asc", CASES[case], "P@2") for case in (*OF_TIED_DOCS, *more)]
    reach = form_groups.Reach(lacking=frozenset(), untold=frozenset(untold))
    group, axes = form_groups.with_findings(form_groups.group_of("P@k", seen, QUESTIONS, reach, None))
    assert (group.profile, group.cost) == (plain(STANDARD.replace(ties="docid-asc")), 0)
    finding = dict(form_groups.findings_of(group.forms[0], group, axes))["p_denominator"]
    assert [*finding.excluded] == ["min-k-R"] * is_excluded
    assert ("min-k-R" in finding.open) != is_excluded


# -- several forms ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_forms() -> dict[str, Fingerprint]:
    """Return fingerprints of R@k from all cases, and of R(rel=2)@k from cases without missing queries and empty rankings."""
    spec, some = "missing=dropped empty=nan", [case for case in JUDGED if not case.id.startswith("axes/")]
    return by_key([*answers_to(spec, {"R@k"}, JUDGED), *answers_to(spec, {"R(rel=2)@k"}, some)])


def test_finding_is_not_carried_to_an_untested_form(two_forms: dict[str, Fingerprint]) -> None:
    tested, untested = two_forms["R@k"], two_forms["R(rel=2)@k"]
    assert untested.shared_with == ("R@k",)
    assert (tested.axes["missing"].value, tested.axes["empty"].value) == ("dropped", "nan")
    for axis in ("missing", "empty"):
        finding = untested.axes[axis]
        assert (finding.value, finding.excluded) == (None, {})
        assert {"0", "nan", "dropped"} <= set(finding.open)
        assert "no case asked of this form tells" in finding.why
        assert parse_signature(untested.signature).open[axis][0] == tested.axes[axis].value, (
            "taken as in the other form"
        )
        assert set(parse_signature(untested.signature).open[axis]) >= set(finding.open)
    assert "|missing:?dropped/" in untested.signature
    assert "|missing:dropped|" in tested.signature


def test_witness_is_an_observation_of_the_form_itself(two_forms: dict[str, Fingerprint]) -> None:
    for key, form in two_forms.items():
        for finding in form.axes.values():
            assert not finding.witness or key_of(parse(finding.measure)) == key
            assert finding.value is None or finding.excluded


@pytest.mark.parametrize(
    ("few", "missed"), [(2, {"cutoff/first-relevant"}), (4, {"cutoff/first-relevant"}), (5, set())]
)
def test_form_of_few_values_may_have_one_exception(few: int, missed: set[str]) -> None:
    """A single value of five may be an exception. Each case has one query, and so one value."""
    ties = [case for case in JUDGED if case.id.startswith("ties/") and len(case.queries) == 1 and case.input.size < 12]
    shows = CASES["cutoff/first-relevant"]
    seen = [following("", case, "RR@10") for case in (*ties[:8], shows)]
    seen += [following("unjudged=removed", case, "RR") for case in (*ties[:few], shows)]
    forms = by_key(seen)
    assert forms["RR@k"].missed == ()
    assert {place.case for place in forms["RR"].missed} == missed
    assert forms["RR"].profile.unjudged == ("non-relevant" if missed else "removed")


# -- the order of tied rows ---------------------------------------------------------------------------------------------


def test_only_many_unsorted_rows_distinguish_sorts() -> None:
    def of(*scores: float) -> Input:
        run = tuple(("q", f"d{place}", score, place) for place, score in enumerate(scores, start=1))
        return Input(qrels=(), run=run)

    assert of(*[1.0, 2.0] * 17).tells_sorts
    assert not of(*[1.0, 2.0] * 16).tells_sorts
    assert not of(*[1.0] * 40).tells_sorts
    assert not of(*[2.0] * 20, *[1.0] * 20).tells_sorts
    assert not of(*[1.0] * 20, *[2.0] * 20).tells_sorts
    assert len(SORTED) > 1


def test_input_order_is_open_if_no_case_is_long_enough_to_distinguish_sorts() -> None:
    few = [case for case in JUDGED if case.id not in SORTED]
    decided, undecided = (by_key([*answers_to("ties=input", {"AP"}, cases)])["AP"] for cases in (JUDGED, few))
    assert decided.axes["ties"].value == "input"
    assert undecided.axes["ties"].value is None
    assert undecided.axes["ties"].open == ("input", "unspecified")
    assert "|ties:?input/unspecified|" in undecided.signature
    by_docid = by_key([*answers_to("ties=docid-asc", {"AP"}, few)])["AP"]
    assert by_docid.axes["ties"].value == "docid-asc"  # ids are compared, so no sort can lose the order


def test_one_value_out_of_order_shows_an_unstable_sort() -> None:
    kept = [seen for seen in answers_to("ties=input", {"AP"}, JUDGED) if seen.case not in SORTED]
    form = by_key([*kept, *answers_to("ties=worst", {"AP"}, [CASES[name] for name in SORTED])])["AP"]
    assert (form.axes["ties"].value, form.missed) == ("unspecified", ())
    assert form.axes["ties"].excluded.keys() >= {"input", "docid-desc", "worst"}


def test_random_order_of_tied_documents_is_unspecified() -> None:
    """Tied documents are in the best or in the worst order by chance."""
    chance, some = random.Random(1), JUDGED[::2]
    orders = [f"ties={chance.choice(['best', 'worst'])}" for _ in some]
    pairs = zip(some, orders, strict=True)
    seen = [value for case, order in pairs for value in answers_to(order, {"P@k", "RR"}, [case])]
    forms = by_key(seen)
    assert {key: form.profile.ties for key, form in forms.items()} == {"P@k": "unspecified", "RR": "unspecified"}
    assert all(form.axes["ties"].witness for form in forms.values())
