"""A library's name is a profile: the conventions that its published fingerprint found, for each form of a measure."""

import json
import math
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import ir_measures
import published_run
import pytest
from click.testing import CliRunner
from row_types import Judged, Scored

import rankproof
from rankproof.cli.evaluate import command
from rankproof.evaluate import library_profiles
from rankproof.evaluate.library_profiles import profile_named
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import Signature, axes_of
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_forms import measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import PROFILES, UnknownProfile, by_measure
from rankproof.workers.subjects import Subject

PUBLISHED = published_run.fingerprints()
EVALUATE = next(one.subject for one in PUBLISHED if one.library == "evaluate")


# -- one call, and conventions of each measure's own --------------------------------------------------------------------

QRELS = [Judged("1", "a", 1), Judged("2", "a", 1)]
RUN = [Scored("1", "b", 2.0, 1), Scored("1", "a", 3.0, 2)]
"""Rows against scores, and a query that the run does not have: evaluate drops it, takes P by scores and nDCG by rows."""


def test_each_measure_is_asked_as_the_library_answers_it() -> None:
    result = rankproof.evaluate(["P@1", "nDCG@1"], QRELS, RUN, profile="evaluate")
    assert result.mean == {"P@1": 1.0, "nDCG@1": 0.0}
    changed = rankproof.evaluate(["P@1", "nDCG@1"], QRELS, RUN, profile="evaluate missing=0 gain=exp")
    assert changed.mean == {"P@1": 0.5, "nDCG@1": 0.0}
    assert "|gain:exp|" in changed.signature["nDCG@1"]


def test_the_provider_of_ir_measures_takes_it_too() -> None:
    qrels = [ir_measures.Qrel(q, d, r) for q, d, r in QRELS]
    run = [ir_measures.ScoredDoc(q, d, s) for q, d, s, _ in RUN]
    provider = rankproof.provider.with_profile("evaluate")
    measures = [ir_measures.P @ 1, ir_measures.nDCG @ 1]
    assert provider.calc_aggregate(measures, qrels, run) == {measures[0]: 1.0, measures[1]: 0.0}
    binary = rankproof.provider.with_profile("notebook-binary")
    of_zeros = binary.calc_aggregate(measures, [ir_measures.Qrel("1", "a", 0)], [ir_measures.ScoredDoc("1", "a", 1.0)])
    assert of_zeros[measures[0]] == 0
    assert math.isnan(of_zeros[measures[1]])


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {r}\n" for q, d, r in QRELS))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {rank} {score} tag\n" for q, d, score, rank in RUN))
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def test_the_command_takes_it_too(files: list[str]) -> None:
    told = CliRunner().invoke(command, [*files, "-m", "P@1", "-m", "nDCG@1", "--profile", "evaluate", "--json"])
    answers = json.loads(told.stdout)
    assert answers["profile"] == "evaluate"
    assert {measure: answer["mean"] for measure, answer in answers["measures"].items()} == {"P@1": 1.0, "nDCG@1": 0.0}


# -- what was published is what is meant -------------------------------------------------------------------------------


PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}


def subjects() -> list[Subject]:
    return list(dict.fromkeys(one.subject for one in PUBLISHED))


@pytest.mark.parametrize("subject", [pytest.param(one, id=one.name) for one in subjects()])
def test_every_published_fingerprint_is_a_profile_and_computes_what_its_signature_says(subject: Subject) -> None:
    found = [one for one in PUBLISHED if one.subject == subject]
    names = {subject.name, subject.signed, f"{subject.library}/{subject.variant}"}
    profile, *others = (profile_named(name) for name in sorted(names))
    assert all(other.of == profile.of for other in others)
    assert set(profile.of) == {one.key for one in found}
    assert profile.whose == f"{subject.name} {subject.version}"
    for one in found:
        conventions = profile.conventions(measure_of(one.key))
        for axis, finding in one.axes.items():
            taken = getattr(conventions, axis)
            if finding.value is not None:
                assert taken in {finding.value, *finding.same}, (one.key, axis)
            else:
                still = (*finding.open, *finding.same)
                assert taken in still, (one.key, axis)
                behind = getattr(one.profile, axis)
                assert taken == (behind if behind in finding.open else getattr(STANDARD, axis)), (one.key, axis)
        signature = parse_signature(one.signature)
        assert str(signature) == one.signature
        shown = {other.axes["own_doc"].value for other in found if "own_doc" in other.axes}
        is_untested = "removed" in shown and "own_doc" not in one.axes and "own_doc" in axes_of(signature.measure)
        untested = {"own_doc"} if is_untested else set()
        assert profile.undecided(signature.measure) == {**signature.open, **dict.fromkeys(untested, ())}
        by_name = Signature(signature.measure, profile.conventions(signature.measure)).computed
        decided = [axis for axis in AXES if axis not in untested]
        values = [
            {**PLAIN, **{axis: getattr(each.conventions, axis) for axis in decided}}
            for each in (by_name, signature.computed)
        ]
        assert canonical_profile(signature.measure, values[0]) == canonical_profile(signature.measure, values[1]), (
            one.signature
        )


OPEN = Fingerprint(
    EVALUATE,
    "SetR",
    STANDARD.replace(missing="dropped"),
    {},
    1,
    1,
    (),
    "SetR|score:f32|missing:?nan/dropped|empty:?|by:evaluate-1",
)


def test_what_is_undetermined_is_taken_and_said(monkeypatch: pytest.MonkeyPatch, files: list[str]) -> None:
    monkeypatch.setattr(library_profiles, "published", lambda: {EVALUATE: [OPEN]})
    result = rankproof.evaluate("SetR", QRELS, RUN, profile="evaluate")
    assert result.taken == {"SetR": {"missing": "nan", "empty": "0"}}
    assert math.isnan(result.mean["SetR"])
    assert "|missing:nan|" in result.signature["SetR"]
    assert "?" not in result.signature["SetR"]
    said = rankproof.evaluate("SetR", QRELS, RUN, profile="evaluate missing=dropped")
    assert (said.mean["SetR"], said.taken["SetR"]) == (1.0, {"empty": "0"})
    told = CliRunner().invoke(command, [*files, "--signature", "AP|missing:?dropped/0", "-m", "P@5", "--json"])
    lines = told.stderr.splitlines()
    assert all(line.startswith("warning: ") for line in lines)
    (of_open,) = (line for line in lines if "undetermined" in line)
    matters, could_be = "missing is undetermined and can change values", "it could be missing=0 (AP 0.5000)"
    assert of_open.endswith(f"{matters}: missing=dropped was taken, AP is 1.0000; {could_be}")
    measures = json.loads(told.stdout)["measures"]
    assert (measures["AP"]["mean"], measures["AP"]["taken"]) == (1.0, {"missing": "dropped"})
    assert "taken" not in measures["P@5"]


def test_of_two_published_versions_one_is_named_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = replace(EVALUATE, version="9.9")
    of_both = {subject: [one for one in PUBLISHED if one.subject == EVALUATE] for subject in (EVALUATE, newer)}
    monkeypatch.setattr(library_profiles, "published", lambda: of_both)
    with pytest.raises(UnknownProfile, match=r"in several ways; say which: evaluate-0\.4\.6, evaluate-9\.9"):
        profile_named("evaluate")
    assert profile_named("evaluate-9.9").whose == "evaluate 9.9"
    assert profile_named("evaluate/default-0.4.6 gain=exp").whose is not None


@pytest.mark.parametrize(
    "meant", ["catboost/rows", *(f"{name}/default" for name in ("evaluate", "ir_measures", "ranx", "pytrec_eval"))]
)
def test_a_name_suffices_where_there_is_one_variant_or_a_default(meant: str) -> None:
    assert profile_named(meant.partition("/")[0]).of == profile_named(meant).of


SEVERAL = "answers in several ways; say which"


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("sklearn", UnknownProfile, "say which: sklearn/appended, sklearn/rows, sklearn/rows-ignore-ties"),
        ("trectools missing=0", UnknownProfile, f"trectools {SEVERAL}: trectools/file, trectools/frame"),
        ("sklearn/columns", UnknownProfile, "sklearn has no variant columns; say which: sklearn/appended,"),
        ("sklearn/rows/all", UnknownProfile, "sklearn has no variant rows/all; say which: sklearn/appended,"),
        ("evaluate/rows", UnknownProfile, "evaluate has no variant rows; say which: evaluate/default"),
        ("evaluat", UnknownProfile, "evaluat is no profile; did you mean evaluate?"),
        ("TREC_EVL", UnknownProfile, "TREC_EVL is no profile; did you mean trec_eval?"),
        ("nobody", UnknownProfile, "nobody is no profile; known are standard, trec_eval-9,"),
        ("nobody", UnknownProfile, ", notebook-similarity, beir and "),
        ("evaluate gian=exp", UnknownConvention, "gian is no axis"),
        *((part, UnknownProfile, "is no profile") for part in ("gdev", "frame-", "row", "defaul")),
    ],
)
def test_what_is_no_profile_of_a_library_is_refused_in_words(name: str, error: type[ValueError], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        profile_named(name)


@pytest.mark.parametrize("measure", ["RBP", "P(rel=2)@5", "nDCG", "P", "IPrec@0.3", "AP@5"])
def test_a_form_that_was_not_seen_is_not_guessed(measure: str) -> None:
    lacking = f"no fingerprint of evaluate {EVALUATE.version} has {measure.replace('@5', '@k')}; it has AP, Bpref,"
    with pytest.raises(UnknownConvention, match=re.escape(lacking)):
        rankproof.evaluate(["P@5", measure], QRELS, RUN, profile="evaluate")


def test_a_name_of_the_reference_is_the_reference_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_profiles, "published", lambda: {Subject(name): PUBLISHED[:1] for name in PROFILES})
    for name in PROFILES:
        assert profile_named(f"{name} missing=nan") == by_measure(f"{name} missing=nan")
    assert profile_named("") == profile_named("  standard ") == by_measure("standard")
    assert profile_named(" gain=exp").conventions(parse("AP")) == STANDARD.replace(gain="exp")
    assert set(STANDARD.differences(profile_named(STANDARD).conventions(parse("AP")))) & set(AXES) == set()


# -- shipped, and read only when asked for -----------------------------------------------------------------------------


def test_the_wheel_has_what_it_reads(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from rankproof.evaluate import library_profiles as found\n"
        "before = found.published.cache_info().currsize\n"
        "found.profile_named('trec_eval-9 missing=0')\n"
        "print(before, found.published.cache_info().currsize, found.profile_named('evaluate').whose, found.__file__)"
    )
    own = [sys.executable, "-I", "-c", script, str(tmp_path)]
    told = subprocess.run(own, capture_output=True, text=True, check=True)
    module = str(tmp_path / "rankproof" / "evaluate" / "library_profiles.py")
    assert told.stdout.split() == ["0", "0", "evaluate", EVALUATE.version, module]
