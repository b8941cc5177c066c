"""Fingerprints of libraries: inference from observations, and observations read from results."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import random_observations
from convention_values import MADE, answers_to, following
from inferred_fingerprints import infer

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.fingerprints import (
    ObservedSubject,
    in_order,
    infer_all,
    measures_in,
    observations_of,
    untold_of,
)
from rankproof.judge.verdicts import Verdict, text_of
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.sheets import ObservationPlace
from rankproof.workers.subjects import Installation

CASES = {case.id: case for case in corpus.load_all()}
TIED = "ties/straddles-cutoff"
TIES = [case for name, case in CASES.items() if name.startswith("ties/") and case.input.size < 12][:11]


def test_unexplained_value_has_its_case_measure_and_query() -> None:
    right = following("", CASES[TIED], "P@1")
    wrong = Observation(TIED, MADE, "P@2", Answered({"q1": 0.0}, 0.75))
    (form,) = infer([right, wrong], CASES, MADE)
    assert form.missed == (ObservationPlace(TIED, "default", "P@2", None),)
    assert (form.explained, form.total) == (2, 3)
    (neither,) = infer([right, replace(wrong, answer=Answered({"q1": 0.75}, 0.75))], CASES, MADE)
    assert neither.missed == (ObservationPlace(TIED, "default", "P@2", None),), "the mean stands for the only query"


def test_known_exceptions_decide_no_profile_and_are_counted() -> None:
    """Two values count judged documents only, one value counts all.

    The two values decide, unless they are known exceptions.
    """
    case, odd = "cutoff/first-relevant", ("RR@3", "RR@5")
    seen = [Observation(case, MADE, measure, Answered(None, 1.0)) for measure in odd]
    seen.append(Observation(case, MADE, "RR@10", Answered(None, 0.5)))
    for exceptions, unjudged, missed in (((), "removed", {"RR@10"}), (odd, "non-relevant", {*odd})):
        known = {(case, measure): {None} for measure in exceptions}
        for conditional in ({}, known):
            observed = ObservedSubject(MADE, seen, None, exceptions=known, conditional=conditional)
            ((form,),) = infer_all([observed], CASES)
            assert form.profile.unjudged == unjudged
            of_condition = bool(known and conditional)
            assert {place.measure for place in form.missed} == (set() if of_condition else missed)
            assert {place.measure for place in form.excepted} == (missed if of_condition else set())
            assert (form.total, form.explained) == (3, 3 - len(missed))


def test_profile_is_inferred_from_known_exceptions_if_there_is_nothing_else() -> None:
    seen = [following("ties=best", case, "P@2") for case in TIES]
    for some in (TIES, []):
        known = {(case.id, "P@2"): {None, *map(str, case.input.queries)} for case in some}
        ((form,),) = infer_all([ObservedSubject(MADE, seen, None, exceptions=known)], CASES)
        assert (form.profile.ties, form.missed) == ("best", ())


def test_fingerprints_depend_on_no_order_and_on_no_other_observations() -> None:
    spec = "ties=input gain=exp known=retrieved missing=dropped"
    mine = [*answers_to(spec, {"nDCG@k", "nDCG"}, [*CASES.values()][::9])]
    forms = infer(mine, CASES, MADE)
    assert forms
    shuffled = random_observations.Chance(24).sample(mine, len(mine))
    noise = [replace(seen, subject=replace(MADE, version="2")) for seen in mine[:9]]
    noise += [Observation(mine[0].case, MADE, mine[0].measure, None, "not supported")]
    noise += [
        replace(mine[1], answer=Answered(None, 0.5), again=Answered(None, 0.0)),
        replace(mine[2], case="gone/case"),
    ]
    assert alike(infer([*noise, *shuffled], CASES, MADE)) == alike(forms)
    other = replace(MADE, variant="w")
    of_other = [replace(seen, subject=other) for seen in mine[:4]]
    both = [ObservedSubject(MADE, mine, None), ObservedSubject(other, of_other, None)]
    every = [form for part in infer_all(both, CASES) for form in part]
    assert [form for form in in_order(every) if form.subject == MADE] == forms
    assert {form.subject for form in every} <= {MADE, other}
    assert measures_in(both) == {"nDCG"}
    assert list(infer_all(both, CASES, {"AP"})) == []


def alike(forms: Sequence[Fingerprint]) -> list[Any]:
    """Return the fingerprints without their order, and without the choice among several measures of one case."""
    axes = [{axis: replace(finding, measure="") for axis, finding in form.axes.items()} for form in forms]
    return [(replace(form, axes={}, missed=()), {*form.missed}, of) for form, of in zip(forms, axes, strict=True)]


def test_untranslated_axes_are_those_of_the_library_and_the_variant() -> None:
    untold = {"lib_b": {"v": "ids", "w": "ties score"}, "lib_c": {"w": "missing"}, "lib_a": {"v": "known"}}
    about = [Installation(name, "1", variants={"v": "", "w": ""}, untold=axes) for name, axes in untold.items()]
    by_variant = {(one.library, v): untold_of(about, one.subject(v)) for one in about for v in "vw"}
    assert by_variant == {(name, v): {*axes.get(v, "").split()} for name, axes in untold.items() for v in "vw"}


@pytest.mark.parametrize("seed", range(4))
def test_observations_are_read_from_the_rows_that_they_were_judged_as(seed: int) -> None:
    run = random_observations.drawn(seed)
    observed = observations_of(run.results)
    skipped = {Verdict.UNSUPPORTED, Verdict.UNDEFINED}
    rows = [r for r in run.rows if r.measure and r.verdict not in skipped and r.error != "unstable"]
    assert [subject.subject for subject in observed] == list(dict.fromkeys(row.subject for row in rows))
    for subject in observed:
        of_subject = [row for row in rows if row.subject == subject.subject]
        places = list(dict.fromkeys((row.case, row.measure) for row in of_subject))
        assert [(seen.case, seen.measure) for seen in subject.observations] == places
        for seen in subject.observations:
            own = [row for row in of_subject if (row.case, row.measure) == (seen.case, seen.measure)]
            numbers = {row.query: float(row.value) for row in own if isinstance(row.value, float | int)}
            if isinstance(seen.answer, Failure):
                assert {text_of(seen.answer)} == {row.error for row in own if row.error is not None}
            else:
                assert isinstance(seen.answer, Answered)
                values = {
                    **(seen.answer.per_query or {}),
                    **({} if seen.answer.mean is None else {None: seen.answer.mean}),
                }
                assert sorted(map(repr, values.items())) == sorted(map(repr, numbers.items())), "NaN is equal as text"
                assert (seen.answer.per_query is None) == all(row.query is None for row in own)
            known = {row.query for row in own if row.verdict is Verdict.KNOWN}
            assert {*subject.exceptions.get((seen.case, seen.measure), ())} == known
