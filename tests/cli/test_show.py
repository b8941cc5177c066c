"""`rankproof show`: at most 25 lines of 80 columns, all facts as JSON."""

import gzip
import json
from collections import Counter
from pathlib import Path

import published_run
import pytest
from small_libraries import write_library
from typed_commands import rankproof

from rankproof import show
from rankproof.explain.lookup import ShownAxis, ShownLibrary, ShownMeasure, ShownProfile, names
from rankproof.history.installed import installed
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.report.show import libraries as lines_of_libraries
from rankproof.report.show import text
from rankproof.workers.known_libraries import chosen, with_own
from rankproof.workers.subjects import names_of

EXP, TIES = "nDCG@10|gain:exp", "nDCG@10|ties:input"
NAMES = {
    "": ("list", "rankproof show measures"),
    "nDCG@10": ("measure", "nDCG[@k]: "),
    "ARI": ("measure", "ARI: "),
    "ties": ("axis", "ties: "),
    "gain=exp": ("axis", "  exp "),
    "trec_eval-9": ("profile", "score=f32"),
    "sklearn/rows": ("profile", "ties=expectation"),
    "scikit-learn": ("library", "sklearn/appended"),
    "elasticsearch": ("profile", "never compared with a run"),
    "catboost missing=0": ("profile", "catboost missing=0"),
    "ties/straddles-cutoff": ("case", "1/log2(3)"),
    "labels/empty": ("case", "labels/empty: "),
    EXP: ("signature", "gain=exp"),
    "AP|missing:?dropped/nan": ("signature", "computed with dropped"),
}
"""Name -> the kind of its JSON, and a phrase of its text."""


@pytest.mark.parametrize("name", NAMES)
def test_name_is_shown_in_25_lines_and_as_json(name: str, tmp_path: Path) -> None:
    kind, phrase = NAMES[name]
    done = rankproof("show", *filter(None, [name]), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert phrase in done.out
    lines = done.out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    details = rankproof("show", *filter(None, [name]), "--details", cwd=tmp_path)
    assert details.code == 0
    assert len(details.out) > len(done.out) - 100
    facts = json.loads(rankproof("show", *filter(None, [name]), "--json", cwd=tmp_path).out)
    assert facts["kind"] == kind


def test_every_axis_and_measure_fits_in_25_lines() -> None:
    for name in (*AXES, *MEASURES):
        lines = text(show(name))
        assert 3 <= len(lines) <= 25, name
        assert max(map(len, lines)) <= 80, name


def test_every_published_library_and_profile_is_shown() -> None:
    for kind in ("profiles", "libraries"):
        for name in names()[kind]:
            assert isinstance(show(name), ShownProfile | ShownLibrary), name


def test_both_spellings_of_a_convention_are_the_same() -> None:
    assert show("gain=exp") == show("gain:exp")
    axis = show("ties=worst")
    assert isinstance(axis, ShownAxis)
    assert [convention.value for convention in axis.conventions] == ["worst"]


def test_axis_lists_the_libraries_whose_fingerprints_allow_the_value() -> None:
    for name in ("ties", "gain", "norel"):
        axis = show(name)
        assert isinstance(axis, ShownAxis)
        listed = {
            (convention.value, library, key)
            for convention in axis.conventions
            for library, keys in convention.libraries.items()
            for key in keys
        }
        forms = [form for form in published_run.fingerprints() if name in form.axes]
        called = names_of(form.subject for form in published_run.fingerprints())
        for convention in axis.conventions:
            allowing = [form for form in forms if convention.value in form.axes[name].could_be]
            sure = {called[form.subject] for form in allowing if len(form.axes[name].could_be) == 1}
            assert set(convention.ambiguous) == {called[form.subject] for form in allowing} - sure
            assert all(others and convention.value not in others for others in convention.ambiguous.values())
        assert {(value, key) for value, _, key in listed} == {
            (value, form.key) for form in forms for value in form.axes[name].could_be
        }
        assert len(listed) == sum(len(form.axes[name].could_be) for form in forms)
        assert axis.witness in {form.axes[name].witness for form in forms}


def test_axis_lists_a_library_with_the_value_of_its_default_variant() -> None:
    """LightGBM's label_gain is 2^i - 1 by default, and its other variants set it to other values."""
    lines = text(show("gain"), details=False)
    (exponential,) = [line for line in lines if line.startswith("  2^grade - 1 ")]
    (linear,) = [line for line in lines if line.startswith("  the grade ")]
    assert " lightgbm" in exponential.replace(",", "")
    assert "lightgbm/default" not in exponential
    assert " lightgbm " not in linear.replace(",", " ")


def test_library_is_shown_with_all_its_fingerprints() -> None:
    profile = show("sklearn/rows")
    assert isinstance(profile, ShownProfile)
    forms = [form for form in published_run.fingerprints() if form.subject.signed == "sklearn/rows-1.9.1"]
    assert {form.signature for form in profile.forms} == {form.signature for form in forms}
    by_key = {form.key: form for form in forms}
    for shown_form in profile.forms:
        form = by_key[shown_form.measures[0]]
        assert (shown_form.explained, shown_form.observed) == (form.explained, form.total)
        assert dict(shown_form.conventions) == {finding.axis: finding.value for finding in form.differing}
        assert set(shown_form.undetermined) == set(form.undecided)


def test_measure_has_the_names_and_axes_of_its_definition() -> None:
    measure = show("ndcg")
    assert isinstance(measure, ShownMeasure)
    assert (measure.name, measure.bounds) == ("nDCG", (0, 1))
    assert "gain" in measure.axes
    assert "p_denominator" not in measure.axes


def test_two_signatures_are_compared(tmp_path: Path) -> None:
    done = rankproof("show", EXP, TIES, cwd=tmp_path)
    assert (done.code, done.out.splitlines()[0]) == (0, "The signatures differ in gain, ties.")
    facts = json.loads(rankproof("show", EXP, TIES, "--json", cwd=tmp_path).out)
    assert {change["name"]: (change["a"], change["b"]) for change in facts["changes"]} == {
        "gain": ("exp", "linear"),
        "ties": ("docid-desc", "input"),
    }
    same = rankproof("show", EXP, EXP, cwd=tmp_path).out
    assert same == "The signatures are equal.\n"


def test_conventions_of_a_library_are_inferred_from_other_results(tmp_path: Path) -> None:
    """The results are the published results of two measures, to keep the inference fast."""
    with gzip.open(published_run.REPORTS / "results" / "pytrec_eval.jsonl.gz", "rt", encoding="utf-8") as lines:
        header, *rows, footer = map(json.loads, lines)
    rows = [row for row in rows if row.get("measure") in {"Rprec", "Bpref"}]
    footer |= {"rows": len(rows), "unsupported": 0, "verdicts": Counter(row["verdict"] for row in rows)}
    (tmp_path / "pytrec_eval.jsonl").write_text("\n".join(map(json.dumps, (header, *rows, footer))) + "\n")
    done = rankproof("show", "pytrec_eval", "--results", tmp_path, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    inferred = {form["measures"][0]: form["signature"] for form in json.loads(done.out)["forms"]}
    forms = [form for form in published_run.fingerprints() if form.library == "pytrec_eval"]
    assert inferred == {form.key: form.signature for form in forms if form.key in {"Rprec", "Bpref"}}


@pytest.mark.parametrize("kind", ["measures", "axes", "profiles"])
def test_list_has_every_name(kind: str, tmp_path: Path) -> None:
    lines = rankproof("show", kind, cwd=tmp_path).out.splitlines()
    listed = {line.split()[0].partition("[")[0].partition("@")[0] for line in lines if not line.startswith(" ")}
    assert set(names()[kind]) <= listed
    assert json.loads(rankproof("show", kind, "--json", cwd=tmp_path).out)


def test_libraries_are_listed_with_their_version_or_how_to_install_them(tmp_path: Path) -> None:
    for name in ("right", "newer", "absent", "failing"):
        write_library(tmp_path, name)
    known = [installed(library) for library in chosen(("right", "newer", "absent", "failing"), with_own(tmp_path))]
    lines = {line.split()[0]: " ".join(line.split()[1:]) for line in lines_of_libraries(known)}
    assert lines["right"] == "1"
    assert lines["newer"] == "2 (its sheet describes 1)"
    assert lines["absent"] == "not installed: see https://example.org"
    assert lines["failing"].startswith("cannot be run: ")
    assert "broken" in next(own.described.message for own in known if own.described.library == "failing")
