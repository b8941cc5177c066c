"""Findings on each axis: excluded values with their witnesses, and values that remain possible."""

from dataclasses import replace
from typing import Any

import pytest
from convention_values import MADE, following
from inferred_fingerprints import infer
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.axis_findings import findings, witnesses
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.evidence import Questions, evidence_of
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.search import Search, plain
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Observation

CASES = {case.id: case for case in corpus.load_all()}
TIED, UNTIED = "ties/straddles-cutoff", "ties/none-tied"
HALF, NOTHING = Answered(None, 0.5), Answered(None, 0.0)
"""P@2 of `TIED`: by ascending ids, in input order or the best order; and by descending ids or in the worst order."""


def test_findings_return_a_profile_that_explains_more() -> None:
    questions, standard = Questions(CASES), plain(STANDARD)

    def search_of(*answers: Answered) -> Search:
        pieces = [evidence_of(answer, questions.of(TIED, "P@2"), "float64") for answer in answers]
        return Search((parse("P@2"),), pieces)

    for answers in ((HALF, HALF, NOTHING), (NOTHING, HALF, HALF)):
        by_axis, better = findings(search_of(*answers), standard)
        assert (by_axis, better is None) == (None, False)
        assert search_of(*answers).cost(better or {}) == 1
    by_axis, better = findings(search_of(HALF), {**standard, "ties": "docid-asc"})
    assert better is None
    assert (by_axis or {})["ties"].excluded == dict.fromkeys(("input-reversed", "last-rank", "worst"), TIED)


def test_neither_of_two_values_is_proved_if_each_misses_one_observation() -> None:
    """The values of gain explain one observation each, of the same grades, and miss the other."""
    case = CASES["gain/linear-exp-binary"]
    again = replace(case, id="gain/again")
    observations = [following(f"gain={gain}", of, "nDCG@3") for of, gain in ((case, "linear"), (again, "exp"))]
    (form,) = infer(observations, {case.id: case, again.id: again}, MADE)
    assert len({place.case for place in form.missed}) == 1
    assert set(form.axes["gain"].open) >= {"linear", "exp"}
    assert "neither explains all" in form.axes["gain"].why


def observed(spec: str, case: str, measure: str = "P@2") -> Observation:
    return following(spec, CASES[case], measure)


@pytest.mark.parametrize(
    ("seen", "axis", "why", "still"),
    [
        (observed("", UNTIED, "RR"), "ties", "no case asked of this measure has what ties is about", ()),
        (observed("ties=docid-asc", TIED), "p_denominator", "no case tells min-k-n from k", ("k", "min-k-n")),
        (observed("", TIED), "p_denominator", "min-k-n or min-k-R from k", ("k", "min-k-n", "min-k-R")),
        # The only relevant document is at rank 3 by score, 1/log2(4), and at rank 2 by rank.
        (observed("", TIED, "nDCG"), "order", "the same answers: rank with discount=rank", ("score", "rank")),
        (
            observed("ties=input-reversed", "ties/several-groups", "AP"),
            "ties",
            "tells a sort that keeps input-reversed order from one that does so of few rows",
            ("input-reversed", UNSPECIFIED),
        ),
    ],
)
def test_undetermined_axis_has_its_open_values_and_a_reason(
    seen: Observation, axis: str, why: str, still: tuple[str, ...]
) -> None:
    (form,) = infer([seen], CASES, MADE)
    finding = form.axes[axis]
    assert finding.value is None
    assert why in finding.why
    assert set(still) <= set(finding.open)


def test_axis_that_changes_only_values_that_the_library_does_not_report_is_open() -> None:
    """The library returns values of queries without a mean."""
    seen = observed("", "queries/query-without-hit", "AP")
    assert isinstance(seen.answer, Answered)
    (form,) = infer([replace(seen, answer=replace(seen.answer, mean=None))], CASES, MADE)
    finding = form.axes["mean"]
    assert (finding.value, finding.excluded) == (None, {})
    assert {"arithmetic", "geometric"} <= {*finding.open}


def test_convention_with_too_many_orders_of_ties_is_not_excluded() -> None:
    """20 tied documents: unjudged=removed leaves six of them, in 20 orders; infAP of all has 775,200 orders."""
    judged = {f"r{i}": 1 for i in range(3)} | {f"n{i}": 0 for i in range(3)}
    tied = _case("tied", judged, dict.fromkeys([*judged, *(f"u{i}" for i in range(14))], 1.0))
    pairs = [_case(f"pair-{order}", {"a": 1, "b": 0}, {"a": 1.0, "b": 1.0}) for order in ("best", "worst")]
    seen = [following(f"ties={case.id.rpartition('-')[2]}", case, "infAP") for case in pairs]
    cases = {case.id: case for case in (*pairs, tied)}
    (form,) = infer([*seen, following("ties=docid-asc", tied, "infAP")], cases, MADE)
    assert (form.profile.ties, form.missed) == (UNSPECIFIED, ())
    assert {"removed", "non-relevant"} <= set(form.axes["unjudged"].open)


def _case(name: str, rels: dict[str, int], scores: dict[str, float]) -> Case:
    run = tuple(("q", doc, score, rank) for rank, (doc, score) in enumerate(scores.items(), start=1))
    data = Input(qrels=tuple(("q", doc, rel) for doc, rel in rels.items()), run=run)
    return Case(f"made/{name}", "a question", "", "", (), data, None, ("nDCG@2", "P@2"))


OF_GRADES = _case("graded", {"a": 1, "b": 2, "c": 0}, {"b": 2.0, "a": 3.0, "c": 1.0})
OF_A_TIE = _case("tied", {"a": 1, "b": 0, "c": 0}, {"b": 1.0, "a": 1.0, "c": 1.0})
OF_FLAGS = _case("plain", {"a": 1, "b": 0}, {"a": 2.0, "b": 1.0})


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_open_values_are_those_that_the_observations_do_not_distinguish(order: tuple[int, ...]) -> None:
    """Brute force: exactly three values remain that the observations do not distinguish."""
    cases = [(OF_GRADES, OF_A_TIE, OF_FLAGS)[i] for i in order]
    seen = [following("standard", case, "nDCG@2") for case in cases]
    (form,) = infer(seen, {case.id: case for case in cases}, MADE)
    oracles, measure = [PlainReference(case.input) for case in cases], parse("nDCG@2")

    def is_alike(axis: str, value: str) -> bool:
        own = STANDARD.replace(**{axis: value})
        return all(oracle.answers(measure, own) == oracle.answers(measure, STANDARD) for oracle in oracles)

    axes = ("ties", "gain", "ideal_cut")
    remaining = {axis: {value for value in values_of(axis) if is_alike(axis, value)} for axis in axes}
    assert [len(values) for values in remaining.values()] == [3, 1, 3]
    for axis, values in remaining.items():
        finding = form.axes[axis]
        assert {*finding.open} == (values if len(values) > 1 else set())
        assert finding.excluded.keys() == {*values_of(axis)} - values


@pytest.mark.parametrize("turn", range(3))
def test_witness_excludes_most_values(turn: int) -> None:
    questions = Questions({case.id: case for case in (OF_A_TIE, OF_GRADES, OF_FLAGS)})
    places = ((OF_A_TIE.id, "P@2"), (OF_GRADES.id, "AP"), (OF_FLAGS.id, "RR"))
    most, some, few = (
        evidence_of(Answered(None, 1.0), questions.of(case, measure), "float64") for case, measure in places
    )
    broken: Any = [("a", [few, most, some]), ("b", [most]), ("c", [some, most]), ("d", [])]

    # All have one query and at most three documents: OF_FLAGS has the fewest rows; then ids are compared by length.
    ids = {"a": OF_FLAGS.id, "b": OF_A_TIE.id, "c": OF_A_TIE.id}
    assert witnesses(dict(broken[turn:] + broken[:turn])) == (OF_A_TIE.id, "P@2", ids)
