"""Changes between two results files: the kind of each change, and groups of changes with one cause."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankproof.history.answer_changes import AnswerChange, ChangeKind, Drift, NothingCompared, compared, kind_of_answer
from rankproof.history.causes import Causes, Profiles
from rankproof.history.change_groups import groups_of_files, groups_of_releases
from rankproof.history.history import ObservedVersion, differ, step_between
from rankproof.history.plans import Plan
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers.known_libraries import claiming_nothing
from rankproof.workers.subjects import Environment, Subject

LIB = Subject("lib", "v", "1", alone=False)
AGREES = Row("gain/a", LIB, "nDCG@5", None, Verdict.AGREES, 0.5, expected=0.5)
CONVENTION = replace(AGREES, verdict=Verdict.CONVENTION)
UNEXPLAINED = replace(AGREES, verdict=Verdict.UNEXPLAINED)
ERROR = replace(AGREES, verdict=Verdict.ERROR, value=None, error="ValueError: no")
KNOWN = replace(ERROR, verdict=Verdict.KNOWN)
UNSUPPORTED = replace(AGREES, verdict=Verdict.UNSUPPORTED, value=None, expected=None)
OTHER = replace(AGREES, subject=replace(LIB, library="other", variant="w"))


def results(*rows: Row, version: str = "1", libraries: Sequence[str] = ("lib", "other"), **facts: Any) -> RunResults:
    installations = [
        {"library": name, "version": version, "variants": {"v": "", "w": ""}, **facts} for name in libraries
    ]
    return RunResults({"kind": "header", "asked": installations}, rows, {})


def drift(old: tuple[Row, ...] | Row, new: tuple[Row, ...] | Row, *others: str, **of_new: Any) -> Drift:
    before, after = ((rows,) if isinstance(rows, Row) else rows for rows in (old, new))
    return compared(results(*before), results(*after, **of_new), *others)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (AGREES, AGREES, None),
        (AGREES, replace(AGREES, value=0.5 + 1e-16), None),
        (AGREES, replace(AGREES, value=0.25), ChangeKind.MOVED),
        (AGREES, CONVENTION, ChangeKind.MOVED),
        (AGREES, UNEXPLAINED, ChangeKind.FAILING),
        (UNEXPLAINED, AGREES, ChangeKind.FIXED),
        (AGREES, ERROR, ChangeKind.FAILING),
        (ERROR, replace(ERROR, error="ValueError: /home/a/b.py:7 no"), ChangeKind.MOVED),
        (KNOWN, replace(KNOWN, error="ValueError: other words"), ChangeKind.WORDED),
        (KNOWN, replace(KNOWN, error="TypeError: no"), ChangeKind.MOVED),
        (replace(KNOWN, error="E: /tmp/aa/b:1"), replace(KNOWN, error="E: /tmp/cc/d:2"), None),
        (AGREES, UNSUPPORTED, ChangeKind.MOVED),
        (UNSUPPORTED, AGREES, ChangeKind.MOVED),
        (UNSUPPORTED, UNSUPPORTED, None),
    ],
)
def test_change_of_a_value_has_its_kind(old: Row, new: Row, kind: ChangeKind | None) -> None:
    assert [change.kind for change in drift(old, new).changes] == ([] if kind is None else [kind])


def test_size_of_a_change_needs_two_finite_numbers() -> None:
    changed = [replace(AGREES, value=value) for value in (0.25, math.inf, math.nan, "absent", None)]
    assert [AnswerChange(ChangeKind.MOVED, AGREES, row).size for row in changed] == [0.25, None, None, None, None]


def test_missing_and_new_values_are_changes_of_their_kind() -> None:
    second, other_case = replace(AGREES, query="q"), replace(AGREES, case="gain/b")
    query_of_other = replace(OTHER, query="q")
    lost, new = drift((AGREES, OTHER), AGREES), drift(AGREES, (AGREES, other_case))
    kinds = {
        "query is gone": (drift((AGREES, second), (AGREES, query_of_other)), ChangeKind.MOVED),
        "case is gone": (drift((AGREES, other_case), AGREES), ChangeKind.GONE),
        "variant did not run": (drift((AGREES, OTHER), AGREES, libraries=("lib",)), ChangeKind.GONE),
        "variant is lost": (lost, ChangeKind.LOST),
        "case is new": (new, ChangeKind.NEW),
        "case fails": (drift(AGREES, (AGREES, replace(other_case, verdict=Verdict.ERROR))), ChangeKind.FAILING),
    }
    for reason, (changes, kind) in kinds.items():
        assert kind in {change.kind for change in changes.changes}, reason
    assert (lost.moved, new.moved) == (True, False)


def test_single_versions_are_compared_and_of_several_each_with_itself() -> None:
    two = replace(AGREES, subject=replace(LIB, version="2"), value=0.25)
    assert drift(AGREES, two, version="2").counts[ChangeKind.MOVED] == 1
    installations = [{"library": "lib", "version": version, "variants": {"v": "", "w": ""}} for version in "12"]
    both = RunResults({"asked": installations}, (AGREES, two), {})
    assert compared(both, both).changes == ()
    assert {change.kind for change in compared(both, results(AGREES)).changes} == {ChangeKind.GONE}
    assert compared(both, both).versioned_name(two) == "lib/v-2"


def test_changes_are_selected_by_library_and_measure() -> None:
    old, new = (AGREES, OTHER), (replace(AGREES, value=0.1), replace(OTHER, value=0.1))
    assert [change.row.library for change in drift(old, new, "oth*").changes] == ["other"]
    assert [change.row.library for change in drift(old, new, "lib/v", "nDCG").changes] == ["lib"]
    with pytest.raises(NothingCompared, match="library lib and measure AP"):
        drift(old, new, "lib", "AP")


def test_group_has_one_kind_and_form_and_its_largest_change_is_the_witness() -> None:
    cases = [replace(AGREES, case=f"gain/{name}", measure=f"nDCG@{k}") for name in "abc" for k in (5, 10)]
    moved = [replace(row, value=0.5 - 0.01 * i) for i, row in enumerate(cases, start=1)]
    changes = drift((*cases, OTHER), (*moved, replace(ERROR, subject=OTHER.subject)))
    causes = Causes(Profiles(changes.old), Profiles(changes.new))
    failing, group = groups_of_files(changes, causes)
    assert (failing.kind, failing.library, failing.largest) == (ChangeKind.FAILING, "other", None)
    assert (group.kind, group.measure, len(group.changes)) == (ChangeKind.MOVED, "nDCG@k", 6)
    assert group.largest == pytest.approx(0.06)
    assert group.witness.new == moved[-1]
    assert (group.conventions, group.variants) == ((), ("v",))
    by_release = groups_of_releases(changes.changes, causes)
    assert [(group.measure, len(group.changes)) for group in by_release] == [("nDCG", 6), ("nDCG", 1)]


def version(number: str, *rows: Row, numpy: str = "1") -> ObservedVersion:
    environment = Environment("3.11", (("numpy", numpy),))
    own = tuple(replace(row, subject=replace(LIB, version=number, environment=environment)) for row in rows)
    values = results(*own, version=number, libraries=("lib",), python="3.11", dependencies={"numpy": numpy})
    return ObservedVersion(Plan("lib", "lib", number, "3.11"), values)


def test_step_between_versions_has_no_noise_and_no_unsteady_ties() -> None:
    sheet = replace(claiming_nothing("lib", Path()), precision="float64")
    ties = replace(CONVENTION, case="ties/a", conventions=("ties=unspecified",))
    old = version("1", AGREES, replace(AGREES, case="gain/b"), ties)
    noise = replace(AGREES, case="gain/b", value=0.5 + 1e-11)
    assert not differ(old, version("2", AGREES, noise, ties), sheet)
    new = version("2", replace(AGREES, value=0.25), noise, replace(ties, value=0.1), numpy="2")
    step = step_between(old, new, sheet)
    assert (len(step.moves), step.noise, step.unsteady) == (1, 1, 1)
    assert step.dependencies == [("numpy", "1", "2")]
    assert step_between(old, version("2", *old.results.rows), sheet).moves == ()


def test_kind_of_an_answer_is_number_error_or_unsupported() -> None:
    kinds = {"number": AGREES, "ValueError": ERROR, "unsupported": UNSUPPORTED, "nothing": None}
    assert {kind_of_answer(row): row for row in kinds.values()} == kinds
