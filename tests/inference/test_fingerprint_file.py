"""Does the fingerprint find what is so, say nothing that is not proved, and prove what the sheets claim?"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import published_run
import pytest
from convention_values import MADE, answers_to, following
from inferred_fingerprints import infer
from places import ROOT

from rankproof import cases as corpus
from rankproof.inference import form_groups
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.fingerprint_file import FILE, AxisFinding, BadFingerprint, Fingerprint, read, write
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.judge.fingerprints import in_order, infer_all
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.sheets import keys_of

STORED = ROOT / "reports"
CASES = {case.id: case for case in corpus.load_all()}


# -- a library that we know -----------------------------------------------------------------------------------------


def test_an_order_that_nobody_can_name_is_unspecified() -> None:
    """Tied docs are in the best or in the worst order, by chance."""
    chance = random.Random(1)
    half = [case for case in CASES.values() if not case.undefined][::2]
    orders = [f"ties={chance.choice(['best', 'worst'])}" for _ in half]
    seen = [one for case, order in zip(half, orders, strict=True) for one in answers_to(order, {"P@k", "RR"}, [case])]
    found = {one.key: one for one in infer(seen, CASES, MADE)}
    assert {key: one.profile.ties for key, one in found.items()} == {"P@k": UNSPECIFIED, "RR": UNSPECIFIED}
    assert all(one.axes["ties"].witness for one in found.values())


def test_where_two_values_miss_one_answer_each_neither_is_proved() -> None:
    """One answer of each gain on the same rels: each explains what the other misses, so neither has a witness."""
    case = CASES["gain/linear-exp-binary"]
    again = replace(case, id="gain/again")
    observations = [following(f"gain={gain}", of, "nDCG@3") for of, gain in ((case, "linear"), (again, "exp"))]
    (found,) = infer(observations, {case.id: case, again.id: again}, MADE)
    assert len({place.case for place in found.missed}) == 1
    assert set(found.axes["gain"].open) >= {"linear", "exp"}
    assert "neither explains all" in found.axes["gain"].why


# -- the libraries installed here -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored() -> list[Fingerprint]:
    """The published fingerprints."""
    return in_order(published_run.fingerprints())


REFOUND = ("RR", "ERR", "NumRet")
"""Measures whose fingerprints are inferred anew; `test_witnesses.py` asks the witnesses of all again."""


def test_the_published_fingerprints_of_some_measures_are_what_is_inferred_anew(stored: list[Fingerprint]) -> None:
    having = {str(one.subject) for one in stored if measure_of(one.key).name in REFOUND}
    some = [one for one in published_run.observations() if str(one.subject) in having]
    found = in_order(one for each in infer_all(some, CASES, REFOUND) for one in each)
    assert found == [one for one in stored if measure_of(one.key).name in REFOUND and str(one.subject) in having]
    assert len(found) >= len(having)


def test_a_file_of_fingerprints_reads_back_as_it_was(stored: list[Fingerprint], tmp_path: Path) -> None:
    results = published_run.results()
    write(stored, results.installations, results.header, tmp_path / FILE)
    assert read(tmp_path / FILE) == stored
    assert (tmp_path / FILE).read_text(encoding="utf-8") == (STORED / FILE).read_text(encoding="utf-8")


def broken_files() -> Iterator[tuple[str, str]]:
    text = (STORED / FILE).read_text(encoding="utf-8")
    yield text[:-200], r":\d+: not JSON"
    nobody = text.replace('"subject":"evaluate-0.4.6"', '"subject":"evaluate-1"', 1)
    yield nobody, r":\d\d\d: evaluate-1 is none of those that were asked"
    yield text.replace('"gain":{', '"taste":{', 1), r":\d\d\d: taste is no axis"
    yield text.replace('"asked": [', '"was_asked": [', 1), r":1: .*\('was_asked' was unexpected\)"
    yield '{"sklearn": 1}', r":1: .*\('sklearn' was unexpected\)"
    yield "[]", r':1: \[\] is not of type "object"'


@pytest.mark.parametrize(("text", "said"), list(broken_files()), ids=range(6))
def test_a_file_of_fingerprints_that_does_not_read_is_one_line_with_the_mend(
    text: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BadFingerprint, match=said) as raised:
        read(tmp_path / FILE)
    assert str(raised.value).startswith(f"{tmp_path / FILE}:")
    assert "`rankproof run --publish`" in str(raised.value)
    assert "\n" not in str(raised.value)


# -- what the sheets claim ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A choice that differs from the standard one, in the sheet's profile of some measures of a variant."""

    variant: str
    measures: str
    axis: str
    value: str


def governed(library: Library) -> Iterator[tuple[Claim, Fingerprint, AxisFinding]]:
    """Yield each claim of a sheet with every published fingerprint that decides or leaves open its axis."""
    for form in published_run.fingerprints():
        claims = library.sheet.profiles.get(form.subject.variant, {}) if form.subject.library == library.name else {}
        if key := next((key for key in keys_of(measure_of(form.key)) if key in claims), None):
            for axis, value in STANDARD.differences(claims[key]).items():
                finding = form.axes.get(axis)
                if finding is not None and finding.why != form_groups.untold(axis).why:
                    yield Claim(form.subject.variant, key, axis, value), form, finding


def followed(finding: AxisFinding) -> set[str]:
    """Return the values that the answers do not exclude, and those that are equivalent in this form."""
    return {*finding.same, *(finding.open if finding.value is None else [finding.value])}


def claimed(library: Library, claim: Claim, form: Fingerprint) -> set[str]:
    """Return the claimed value, and the value that is equivalent in this form if the other claims hold."""
    profile = library.sheet.profiles[claim.variant][claim.measures]
    return {
        claim.value,
        canonical_profile(measure_of(form.key), {axis: getattr(profile, axis) for axis in AXES})[claim.axis],
    }


@pytest.mark.parametrize("library", libraries(), ids=attrgetter("name"))
def test_no_fingerprint_contradicts_a_claim_of_a_sheet(library: Library) -> None:
    """The claim that a library keeps no order of ties is left out: any order can occur by chance."""
    against = [
        f"{claim}: {form.key} has {finding.value or finding.open}, by {finding.witness or finding.why}"
        for claim, form, finding in governed(library)
        if claim.value != UNSPECIFIED and followed(finding).isdisjoint(claimed(library, claim, form))
    ]
    assert not against, "\n".join(against)


@pytest.mark.parametrize("library", libraries(), ids=attrgetter("name"))
def test_every_claim_of_a_sheet_is_proved_by_a_form(library: Library) -> None:
    """A claim that no form proves may stay if the standard value is excluded, or explains the answers only with another axis."""
    claims, proved = set(), set()
    for claim, form, finding in governed(library):
        claims.add(claim)
        decided = finding.value is not None
        cannot_go = getattr(STANDARD, claim.axis) not in finding.open or "another axis" in finding.why
        if not followed(finding).isdisjoint(claimed(library, claim, form)) and (decided or cannot_go):
            proved.add((claim.axis, claim.value))
    unproved = [str(claim) for claim in claims if (claim.axis, claim.value) not in proved]
    assert not unproved, "no form proves\n" + "\n".join(unproved)
