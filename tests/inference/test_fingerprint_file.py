"""Fingerprints: the file, and the published fingerprints compared with observations, claims of sheets and cases."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import published_run
import pytest
from places import ROOT

from rankproof import cases as corpus
from rankproof.adapters.worker import load_adapter
from rankproof.explain import lookup
from rankproof.inference import form_groups
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.fingerprint_file import FILE, AxisFinding, BadFingerprint, Fingerprint, read, write
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.signatures import parse as parse_signature
from rankproof.judge.fingerprints import in_order, infer_all
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.sheets import keys_of
from rankproof.workers.subjects import names_of

STORED = ROOT / "reports"
CASES = {case.id: case for case in corpus.load_all()}


# -- the file -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored() -> list[Fingerprint]:
    """Return the published fingerprints."""
    return in_order(published_run.fingerprints())


def test_fingerprints_are_read_back(stored: list[Fingerprint], tmp_path: Path) -> None:
    results = published_run.results()
    write(stored, results.installations, results.header, tmp_path / FILE)
    assert read(tmp_path / FILE) == stored
    assert (tmp_path / FILE).read_text(encoding="utf-8") == (STORED / FILE).read_text(encoding="utf-8")


def broken_files() -> Iterator[tuple[str, str]]:
    text = (STORED / FILE).read_text(encoding="utf-8")
    yield text[:-200], r":\d+: not JSON"
    nobody = text.replace('"subject":"evaluate-0.4.6"', '"subject":"evaluate-1"', 1)
    yield nobody, r":\d\d\d: evaluate-1 is not a library under 'asked'"
    yield text.replace('"gain":{', '"taste":{', 1), r":\d\d\d: Unknown axis 'taste'"
    yield text.replace('"asked": [', '"was_asked": [', 1), r":1: .*\('was_asked' was unexpected\)"
    yield '{"sklearn": 1}', r":1: .*\('sklearn' was unexpected\)"
    yield "[]", r':1: \[\] is not of type "object"'


@pytest.mark.parametrize(("text", "message"), list(broken_files()), ids=range(6))
def test_broken_file_is_refused_in_one_line_with_a_remedy(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(BadFingerprint, match=message) as raised:
        read(tmp_path / FILE)
    assert str(raised.value).startswith(f"{tmp_path / FILE}:")
    assert "`rankproof run --publish`" in str(raised.value)
    assert "\n" not in str(raised.value)


# -- published fingerprints ---------------------------------------------------------------------------------------------

REFOUND = {
    **dict.fromkeys(("ERR", "NumRet"), ()),
    "nDCG": ("catboost", "lightgbm"),
    "AP": ("catboost", "sklearn", "xgboost"),
    "P": ("pytrec_eval", "recbole"),
}
"""Measures whose fingerprints are inferred again, for some libraries or all.

`test_witnesses.py` tests all witnesses.
"""


@pytest.mark.parametrize("measure", REFOUND)
def test_published_fingerprints_are_inferred_again(measure: str, stored: list[Fingerprint]) -> None:
    own = [form for form in stored if measure_of(form.key).name == measure]
    own = [form for form in own if form.library in (REFOUND[measure] or {form.library})]
    subjects = {str(form.subject) for form in own}
    observed = [subject for subject in published_run.observations() if str(subject.subject) in subjects]
    again = in_order(form for part in infer_all(observed, CASES, (measure,)) for form in part)
    assert again == own, f"the fingerprints of {measure} are not as published"


def test_held_out_counts_are_for_published_forms(stored: list[Fingerprint]) -> None:
    """`held_out.json` counts how often a published profile gives the values of its library on other runs."""
    counted = json.loads((STORED / "held_out.json").read_text(encoding="utf-8"))
    forms = {(signed, key): kinds for signed, own in counted["forms"].items() for key, kinds in own.items()}
    assert forms.keys() <= {(form.subject.signed, form.key) for form in stored}
    assert len({signed for signed, _ in forms}) >= 10
    total = sum((Counter(kinds) for kinds in forms.values()), Counter[str]())
    assert counted["all"] == {kind: total[kind] for kind in counted["all"]}
    assert total["equal"] > 0.9 * total.total()


def test_published_signatures_mark_undetermined_axes(stored: list[Fingerprint]) -> None:
    for form in stored:
        still = parse_signature(form.signature).open
        assert set(form.undecided) <= set(still), form.signature
        for axis in still:
            assert form.axes[axis].value is None or form.axes[axis].same, (form.signature, axis)
    assert sum("?" in form.signature for form in stored) > len(stored) / 2


@pytest.mark.parametrize("name", ["sklearn", "catboost", "trec_eval", "trectools", "ir_measures"])
def test_adapter_that_makes_text_of_ids_declares_it(name: str) -> None:
    adapter = load_adapter(str(ROOT / "adapters" / f"{name}_adapter.py"))
    assert adapter.UNTOLD
    assert adapter.UNTOLD.keys() <= adapter.VARIANTS.keys()
    assert {*adapter.UNTOLD.values()} == {"ids"}


# -- claims of sheets ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """A choice in a sheet's profile, for some measures of a variant, that differs from standard."""

    variant: str
    measures: str
    axis: str
    value: str


def governed(library: Library) -> Iterator[tuple[Claim, Fingerprint, AxisFinding]]:
    """Yield each claim of a sheet with every published fingerprint that decides its axis or leaves it undetermined."""
    for form in published_run.fingerprints():
        claims = library.sheet.profiles.get(form.subject.variant, {}) if form.subject.library == library.name else {}
        if key := next((key for key in keys_of(measure_of(form.key)) if key in claims), None):
            for axis, value in STANDARD.differences(claims[key]).items():
                finding = form.axes.get(axis)
                if finding is not None and finding.why != form_groups.finding_out_of_reach(axis).why:
                    yield Claim(form.subject.variant, key, axis, value), form, finding


def possible_values(finding: AxisFinding) -> set[str]:
    """Return the values that the observations do not exclude, and the values that are equivalent in this form."""
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
    """The claim that a library has no fixed order of ties is left out, because any order can occur by chance."""
    against = [
        f"{claim}: {form.key} has {finding.value or finding.open}, by {finding.witness or finding.why}"
        for claim, form, finding in governed(library)
        if claim.value != UNSPECIFIED and possible_values(finding).isdisjoint(claimed(library, claim, form))
    ]
    assert not against, "\n".join(against)


@pytest.mark.parametrize("library", libraries(), ids=attrgetter("name"))
def test_every_claim_of_a_sheet_is_proved_by_a_form(library: Library) -> None:
    """An unproved claim is allowed if the standard value is excluded, or explains the observations only with another axis."""
    claims, proved = set(), set()
    for claim, form, finding in governed(library):
        claims.add(claim)
        decided = finding.value is not None
        cannot_go = getattr(STANDARD, claim.axis) not in finding.open or "another axis" in finding.why
        if not possible_values(finding).isdisjoint(claimed(library, claim, form)) and (decided or cannot_go):
            proved.add((claim.axis, claim.value))
    unproved = [str(claim) for claim in claims if (claim.axis, claim.value) not in proved]
    assert not unproved, "no form proves\n" + "\n".join(unproved)


# -- the libraries of each value ----------------------------------------------------------------------------------------


def published(axis: str) -> dict[tuple[str, str], tuple[Fingerprint, AxisFinding]]:
    names = names_of(form.subject for form in published_run.fingerprints())
    forms = [form for form in published_run.fingerprints() if axis in form.axes]
    return {(names[form.subject], form.key): (form, form.axes[axis]) for form in forms}


@pytest.mark.parametrize("axis", AXES)
def test_libraries_of_a_value_are_listed_with_all_values_that_remain_possible(axis: str) -> None:
    forms = published(axis)
    for value, followers in lookup.followers(axis, published_run.fingerprints()).items():
        for (library, others), keys in followers.items():
            assert all({value, *others} == {*forms[library, key][1].could_be} for key in keys), (value, library)
