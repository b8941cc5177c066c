"""`rankproof show`: at most 25 lines of 80 columns, all facts as JSON."""

import json
from pathlib import Path

import published_run
import pytest
from typed_commands import rankproof

from rankproof import show
from rankproof.explain.lookup import ShownAxis, ShownLibrary, ShownMeasure, ShownProfile, names
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.show import text

EXP, TIES = "nDCG@10|gain:exp", "nDCG@10|ties:input"
NAMES = {
    "": ("list", "rankproof show measures"),
    "nDCG@10": ("measure", "nDCG[@k]: "),
    "hit@10": ("measure", "Success"),
    "P": ("measure", "P[@k]: "),
    "ARI": ("measure", "ARI: "),
    "ties": ("axis", "ties: "),
    "discount": ("axis", "discount: "),
    "gain=exp": ("axis", "  exp "),
    "gain:exp": ("axis", "  exp "),
    "trec_eval-9": ("profile", "score=f32"),
    "sklearn/rows": ("profile", "ties=expectation"),
    "ranx": ("library", "ranx/default"),
    "scikit-learn": ("library", "sklearn/appended"),
    "elasticsearch": ("profile", "never compared with a run"),
    "catboost missing=0": ("profile", "catboost missing=0"),
    "ties/straddles-cutoff": ("case", "1/log2(3)"),
    "labels/empty": ("case", "labels/empty: "),
    EXP: ("signature", "gain=exp"),
    "AP|missing:?dropped/nan": ("signature", "computed with dropped"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_shown_in_25_lines_and_as_json(name: str, tmp_path: Path) -> None:
    kind, phrase = NAMES[name]
    done = rankproof("show", *filter(None, [name]), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert phrase in done.out
    lines = done.out.splitlines()
    assert (len(lines) <= 25, max(map(len, lines)) <= 80) == (True, True)
    details = rankproof("show", *filter(None, [name]), "--details", cwd=tmp_path)
    assert (details.code, len(details.out) > len(done.out) - 100) == (0, True)
    facts = json.loads(rankproof("show", *filter(None, [name]), "--json", cwd=tmp_path).out)
    assert facts["kind"] == kind


def test_every_axis_and_measure_fits() -> None:
    for name in (*AXES, *MEASURES):
        lines = text(show(name))
        assert (3 <= len(lines) <= 25, max(map(len, lines)) <= 80) == (True, True), name


def test_every_published_library_and_profile_is_shown() -> None:
    for kind in ("profiles", "libraries"):
        for name in names()[kind]:
            assert isinstance(show(name), ShownProfile | ShownLibrary), name


def test_both_spellings_of_a_convention_are_one() -> None:
    assert show("gain=exp") == show("gain:exp")
    shown = show("ties=worst")
    assert isinstance(shown, ShownAxis)
    assert [convention.value for convention in shown.conventions] == ["worst"]


def test_the_followers_of_an_axis_are_those_that_fingerprints_prove() -> None:
    for axis in ("ties", "gain", "norel"):
        shown = show(axis)
        assert isinstance(shown, ShownAxis)
        listed = {
            (one.value, library, key)
            for one in shown.conventions
            for library, keys in one.libraries.items()
            for key in keys
        }
        forms = [form for form in published_run.fingerprints() if axis in form.axes]
        assert {(value, key) for value, _, key in listed} == {
            (value, form.key) for form in forms for value in form.axes[axis].could_be
        }
        assert len(listed) == sum(len(form.axes[axis].could_be) for form in forms)
        assert shown.witness in {form.axes[axis].witness for form in forms}


@pytest.mark.parametrize("axis", ["ties", "gain", "norel"])
def test_an_axis_names_each_library_once_by_its_most_common_measure(axis: str) -> None:
    """A variant is named by its value for nDCG, if it computes that, whatever its other measures follow."""
    lines = text(show(axis), details=False)
    forms = [form for form in published_run.fingerprints() if form.key == "nDCG@k" and axis in form.axes]
    ndcg = {form.library: form.axes[axis] for form in forms}
    values = AXES[axis].values
    for line in lines:
        for name in ("catboost", "xgboost", "sklearn"):
            if f" {name}" in line and f"{name}/" not in line:
                (meaning,) = [word for word in values.values() if line.startswith(f"  {word} ")]
                assert values.get(ndcg[name].value or "") == meaning, line
    assert sum(" catboost" in line for line in lines) <= 1


def test_a_library_stands_where_its_default_variant_is() -> None:
    """LightGBM's label_gain is 2^i - 1 unless it is set, which its other variants do."""
    lines = text(show("gain"), details=False)
    (exponential,) = [line for line in lines if line.startswith("  2^grade - 1 ")]
    (linear,) = [line for line in lines if line.startswith("  the grade ")]
    assert " lightgbm" in exponential.replace(",", "")
    assert "lightgbm/default" not in exponential
    assert " lightgbm " not in linear.replace(",", " ")


def test_a_library_is_shown_with_all_its_fingerprints() -> None:
    shown = show("sklearn/rows")
    assert isinstance(shown, ShownProfile)
    forms = [form for form in published_run.fingerprints() if form.subject.signed == "sklearn/rows-1.9.1"]
    assert {form.signature for form in shown.forms} == {form.signature for form in forms}
    by_key = {form.key: form for form in forms}
    for one in shown.forms:
        form = by_key[one.measures[0]]
        assert (one.explained, one.observed) == (form.explained, form.total)
        assert dict(one.conventions) == {finding.axis: finding.value for finding in form.differing}
        assert set(one.undetermined) == set(form.undecided)


def test_a_measure_has_the_names_and_axes_of_its_definition() -> None:
    shown = show("ndcg")
    assert isinstance(shown, ShownMeasure)
    assert (shown.name, shown.bounds, "gain" in shown.axes, "p_denominator" in shown.axes) == (
        "nDCG",
        (0, 1),
        True,
        False,
    )


def test_two_signatures_are_compared(tmp_path: Path) -> None:
    done = rankproof("show", EXP, TIES, cwd=tmp_path)
    assert (done.code, done.out.splitlines()[0]) == (0, "The signatures differ in gain, ties.")
    facts = json.loads(rankproof("show", EXP, TIES, "--json", cwd=tmp_path).out)
    assert {change["name"]: (change["a"], change["b"]) for change in facts["changes"]} == {
        "gain": ("exp", "linear"),
        "ties": ("docid-desc", "input"),
    }
    same = rankproof("show", EXP, EXP, cwd=tmp_path).out
    assert same == "The signatures say the same.\n"


def test_the_conventions_of_a_library_are_inferred_from_other_results(tmp_path: Path) -> None:
    for file in (published_run.REPORTS / "results").glob("pytrec_eval.jsonl*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    done = rankproof("show", "pytrec_eval", "--results", tmp_path, "--json", cwd=tmp_path)
    facts = json.loads(done.out)
    published = {form.key: form.signature for form in published_run.fingerprints() if form.library == "pytrec_eval"}
    assert {form["measures"][0]: form["signature"] for form in facts["forms"]} == published


@pytest.mark.parametrize("kind", ["measures", "axes", "profiles", "libraries"])
def test_a_list_has_every_name(kind: str, tmp_path: Path) -> None:
    done = rankproof("show", kind, cwd=tmp_path)
    listed = {
        line.split()[0].partition("[")[0].partition("@")[0]
        for line in done.out.splitlines()
        if not line.startswith(" ")
    }
    known = {name.partition("/")[0] for name in names()[kind]} if kind == "libraries" else set(names()[kind])
    assert {name.partition("/")[0] if kind == "libraries" else name for name in known} <= listed
    assert kind == "libraries" or json.loads(rankproof("show", kind, "--json", cwd=tmp_path).out)
