"""Profiles of libraries: names, conventions of published fingerprints, and values on random runs."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import published_run
import pytest
from click.testing import CliRunner
from installed_libraries import of_this_interpreter
from ir_measures import P, nDCG
from random_inputs import drawn
from row_types import Judged, Scored

import rankproof
from rankproof.cases.inputs import Input
from rankproof.cli.evaluate import command
from rankproof.evaluate import library_profiles
from rankproof.evaluate.known_exceptions import met_by
from rankproof.evaluate.library_profiles import each_way, profile_named, published
from rankproof.evaluate.result import Result
from rankproof.history.installed import python_of
from rankproof.inference.data_conditions import RowsByQuery
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import collection
from rankproof.inference.signatures import Signature, axes_of
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import cut_at, measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import PROFILES, UnknownProfile, by_measure
from rankproof.workers.known_libraries import Library, chosen, libraries
from rankproof.workers.library_worker import worker_of
from rankproof.workers.observations import ABSENT, Answered, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject, installation

PUBLISHED = published_run.fingerprints()
EVALUATE = next(form.subject for form in PUBLISHED if form.library == "evaluate")
QRELS = [Judged("1", "a", 1), Judged("2", "a", 1)]
RUN = [Scored("1", "b", 2.0, 1), Scored("1", "a", 3.0, 2)]
"""Rows in another order than their scores, and a query that is missing.

evaluate omits it, sorts P by score and nDCG by row.
"""


# -- conventions of each measure ---------------------------------------------------------------------------------------


def test_each_measure_has_the_conventions_of_the_library_for_it() -> None:
    result = rankproof.evaluate(["P@1", "nDCG@1"], QRELS, RUN, profile="evaluate")
    assert result.mean == {"P@1": 1.0, "nDCG@1": 0.0}
    changed = rankproof.evaluate(["P@1", "nDCG@1"], QRELS, RUN, profile="evaluate missing=0 gain=exp")
    assert changed.mean == {"P@1": 0.5, "nDCG@1": 0.0}
    assert "|gain:exp|" in changed.signature["nDCG@1"]
    means = rankproof.provider.with_profile("evaluate").calc_aggregate([P @ 1, nDCG @ 1], QRELS, RUN)
    assert means == {P @ 1: 1.0, nDCG @ 1: 0.0}


PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}
SUBJECTS = list(dict.fromkeys(form.subject for form in PUBLISHED))


@pytest.mark.parametrize("subject", [pytest.param(subject, id=subject.name) for subject in SUBJECTS])
def test_a_published_fingerprint_is_a_profile_that_computes_its_signature(subject: Subject) -> None:
    forms = [form for form in PUBLISHED if form.subject == subject]
    names = {subject.name, subject.signed, f"{subject.library}/{subject.variant}"}
    profile, *others = (profile_named(name) for name in sorted(names))
    assert all(other.of == profile.of for other in others)
    assert set(profile.of) == {form.key for form in forms}
    assert profile.whose == f"{subject.name} {subject.version}"
    removes_own_doc = any(form.axes["own_doc"].value == "removed" for form in forms if "own_doc" in form.axes)
    for form in forms:
        signature = parse_signature(form.signature)
        assert str(signature) == form.signature
        conventions = profile.conventions(measure_of(form.key))
        for axis, finding in form.axes.items():
            allowed = finding.open if finding.value is None else (finding.value,)
            assert getattr(conventions, axis) in {*allowed, *finding.same}, (form.key, axis)
        untested = ({"own_doc"} if removes_own_doc else set()) & {*axes_of(signature.measure)} - form.axes.keys()
        assert profile.undecided(signature.measure) == {**signature.open, **dict.fromkeys(untested, ())}
        computed = Signature(signature.measure, conventions).computed, signature.computed
        by_profile, by_signature = (
            canonical_profile(
                signature.measure, PLAIN | {a: getattr(own.conventions, a) for a in AXES if a not in untested}
            )
            for own in computed
        )
        assert by_profile == by_signature, form.signature


def test_undetermined_axes_default_to_standard_and_are_reported() -> None:
    form = next(form for form in PUBLISHED if form.subject == EVALUATE and form.key == "NumRet")
    result = rankproof.evaluate("NumRet", QRELS, RUN, profile="evaluate")
    assert result.taken["NumRet"].keys() == parse_signature(form.signature).open.keys()
    assert "missing" in result.taken["NumRet"]
    assert "?" not in result.signature["NumRet"]
    decided = rankproof.evaluate("NumRet", QRELS, RUN, profile="evaluate missing=dropped")
    assert result.taken["NumRet"].keys() - decided.taken["NumRet"].keys() == {"missing"}


def test_the_command_has_profiles_of_libraries_and_signatures(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {r}\n" for q, d, r in QRELS))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank} {score} tag\n" for q, d, score, rank in RUN))
    by_profile, by_signature = (
        CliRunner().invoke(command, [str(tmp_path / "qrels"), str(tmp_path / "run"), *options, "--json"])
        for options in (
            ["--profile", "evaluate", "-m", "P@1", "-m", "nDCG@1"],
            ["--signature", "AP|missing:?dropped/0"],
        )
    )
    document = json.loads(by_profile.stdout)
    assert document["profile"] == "evaluate"
    assert {m: values["mean"] for m, values in document["measures"].items()} == {"P@1": 1.0, "nDCG@1": 0.0}
    measures = json.loads(by_signature.stdout)["measures"]
    assert list(measures) == ["AP"], "a signature replaces the usual measures"
    assert (measures["AP"]["mean"], measures["AP"]["taken"]) == (1.0, {"missing": "dropped"})
    (warning,) = (line for line in by_signature.stderr.splitlines() if "undetermined" in line)
    assert warning.startswith("warning: missing is undetermined and can change values: missing=dropped is used (")
    assert warning.endswith("AP is 1.0000); it could be missing=0 (AP 0.5000)")


# -- names -------------------------------------------------------------------------------------------------------------


def test_a_library_has_the_name_of_its_package() -> None:
    for library in libraries():
        package = library.sheet.package or library.name
        assert [own.name for own in chosen((package,), libraries())] == [library.name], "add it to ALSO_CALLED"
    assert each_way("Scikit-Learn") == each_way("sklearn")
    assert profile_named("pytrec-eval").of == profile_named("pytrec_eval").of


def test_of_two_published_versions_the_name_has_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = replace(EVALUATE, version="9.9")
    of_both = {subject: [form for form in PUBLISHED if form.subject == EVALUATE] for subject in (EVALUATE, newer)}
    # No library has two published versions.
    monkeypatch.setattr(library_profiles, "published", lambda: of_both)
    with pytest.raises(UnknownProfile, match=r"has several variants\. Choose one: evaluate-0\.4\.6, evaluate-9\.9"):
        profile_named("evaluate")
    assert profile_named("evaluate-9.9").whose == "evaluate 9.9"
    assert profile_named("evaluate/default-0.4.6 gain=exp").whose is not None


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("catboost", "catboost/rows"),
        ("gdeval", "ir_measures/gdeval"),
        *((name, f"{name}/default") for name in ("evaluate", "ir_measures", "ranx", "pytrec_eval")),
        *(("spark", "pyspark"), ("mllib/graded", "pyspark/graded"), ("reco_utils/map_at_k", "recommenders/map_at_k")),
    ],
)
def test_a_library_has_other_names_and_needs_no_variant_if_it_has_one_or_a_default(name: str, whole: str) -> None:
    assert profile_named(name) == profile_named(whole)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("sklearn", UnknownProfile, "Choose one: sklearn/appended, sklearn/rows, sklearn/rows-ignore-ties"),
        ("trectools missing=0", UnknownProfile, "trectools has several variants. Choose one: trectools/file, "),
        ("sklearn/columns", UnknownProfile, "sklearn has no variant columns. Choose one: sklearn/appended,"),
        ("sklearn/rows/all", UnknownProfile, "sklearn has no variant rows/all. Choose one: sklearn/appended,"),
        (
            "evaluat",
            UnknownProfile,
            "Unknown profile 'evaluat'; did you mean evaluate? (for other tools, use `rankproof check`",
        ),
        ("TREC_EVL", UnknownProfile, "Unknown profile 'TREC_EVL'; did you mean trec_eval?"),
        ("nobody", UnknownProfile, "Unknown profile 'nobody'; choose from standard, trec_eval-9,"),
        ("evaluate gian=exp", UnknownConvention, "Unknown axis 'gian'"),
        *((part, UnknownProfile, "Unknown profile") for part in ("gdev", "frame-", "row", "defaul")),
    ],
)
def test_an_unknown_profile_is_refused_with_the_known_profiles(
    name: str, error: type[ValueError], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        profile_named(name)


@pytest.mark.parametrize("measure", ["RBP", "P(rel=2)@5", "nDCG", "P", "IPrec@0.3", "AP@5"])
def test_a_form_that_was_not_observed_is_refused(measure: str) -> None:
    lacking = f"evaluate {EVALUATE.version} has no profile for {measure.replace('@5', '@k')}; it has AP, Bpref,"
    with pytest.raises(UnknownConvention, match=re.escape(lacking)):
        rankproof.evaluate(["P@5", measure], QRELS, RUN, profile="evaluate")


@pytest.mark.parametrize(
    ("profile", "measure", "meant"),
    [("beir", "RR", "RR@10"), ("evaluate", "nDCG", "nDCG@10"), ("sklearn/rows", "AP@10", "AP")],
)
def test_the_same_measure_with_or_without_a_cutoff_is_suggested(profile: str, measure: str, meant: str) -> None:
    with pytest.raises(UnknownConvention, match=rf"\. Did you mean {meant}\?$"):
        rankproof.evaluate(measure, QRELS, RUN, profile=profile)


def test_a_name_of_the_reference_is_its_profile_with_changes() -> None:
    for name in PROFILES:
        assert profile_named(f"{name} missing=nan") == by_measure(f"{name} missing=nan")
    assert profile_named("") == profile_named("  standard ") == by_measure("standard")
    assert profile_named(" gain=exp").conventions(parse("AP")) == STANDARD.replace(gain="exp")
    assert profile_named(STANDARD).conventions(parse("AP")) == STANDARD


# -- values on random runs ---------------------------------------------------------------------------------------------

RUNS, MEASURES, SEED = 100, 2, 64
SLOW = {"evaluate": (12, 1), "ir_measures": (30, 2), "trectools": (40, 1)}
"""Number of runs for slow libraries, and of measures for each run. One call of evaluate takes a quarter of a second."""


def measures_of(forms: list[Fingerprint]) -> list[Measure]:
    """Return the ranking measures with a fingerprint of the library, at three cutoffs."""
    measures = [(form.key.endswith("@k"), parse_signature(form.signature).measure) for form in forms]
    return [cut_at(m, k) for is_cut, m in measures if not m.of_labels for k in ((1, 3, 5) if is_cut else (m.k,))]


def observed(library: Library) -> Iterator[tuple[Subject, Measure, Input, Answered | None]]:
    """Run the library, one variant after another, and yield its values; None if it fails."""
    dice = random.Random(f"{SEED} {library.name}")
    with worker_of(library, python_of(library)) as worker:
        about = installation(library.name, worker.hello())
        forms = {subject.signed: own for subject, own in published().items()}
        measures_by_variant = {name: measures_of(forms.get(about.subject(name).signed, [])) for name in about.variants}
        variants = [name for name, measures in measures_by_variant.items() if measures]
        runs, count = SLOW.get(library.name, (RUNS, MEASURES))
        for number in range(runs):
            variant = variants[number % len(variants)]
            subject, data = about.subject(variant), drawn(dice)
            measures = dice.sample(measures_by_variant[variant], min(count, len(measures_by_variant[variant])))
            answers = worker.observe(variant, data.as_json(), [str(measure) for measure in measures], once=True)
            for measure in measures:
                answer = read("", subject, str(measure), answers[str(measure)]).answer
                if answer is not None:  # None: only other variants have the measure
                    yield subject, measure, data, answer if isinstance(answer, Answered) else None


def is_equal(ours: Result, measure: Measure, theirs: Answered, precision: str) -> bool:
    """Return whether all values of the library equal those of rankproof."""
    values = ours.per_query[str(measure)]
    pairs = [(value, values.get(str(query), ABSENT)) for query, value in (theirs.per_query or {}).items()]
    pairs += [] if theirs.mean is None else [(theirs.mean, ours.mean[str(measure)])]
    return all(same(*pair, precision) for pair in pairs)


def is_warned(ours: Result, measure: Measure) -> bool:
    """Return whether a warning says that the library may give another value of the measure."""
    kinds = {"known-exception", "unexplained", "undetermined"}
    return any((w.kind in kinds and str(measure) in w.values) or "ties=unspecified" in w.text for w in ours.warnings)


@pytest.mark.parametrize("library", of_this_interpreter(), ids=attrgetter("name"))
def test_the_profile_of_a_library_gives_its_value_or_a_warning(library: Library) -> None:
    counts: Counter[str] = Counter()
    for subject, measure, data, theirs in observed(library):
        qrels, run = [Judged(*row) for row in data.qrels], [Scored(*row) for row in data.run]
        place = f"{measure} of {subject.name} is {theirs} for {data}"
        try:
            ours = rankproof.evaluate(str(measure), qrels, run, profile=subject.name)
        except ValueError:
            whole = collection(data)
            met = met_by(RowsByQuery(whole.qrels, whole.run), measure, [subject.name])
            assert theirs is None or met, f"rankproof refuses the input, and {place}"
            continue
        if theirs and is_equal(ours, measure, theirs, library.sheet.precision_of(subject.variant, measure)):
            counts["equal"] += 1
        else:
            assert is_warned(ours, measure), f"rankproof gives {ours.mean} without a warning, and {place}"
            counts["warned"] += 1
    assert counts["equal"] > 0.75 * (counts["equal"] + counts["warned"]), f"too few equal values: {counts}"
