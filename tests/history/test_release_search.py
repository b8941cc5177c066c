"""The search for releases that change a value, and the environments of releases."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from packaging.version import Version

from rankproof.history.history import ObservedVersion
from rankproof.history.plans import Plan
from rankproof.history.release_search import ReleaseSearch
from rankproof.history.releases import Release
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers.known_libraries import claiming_nothing
from rankproof.workers.subjects import Installation

SHEET = replace(claiming_nothing("lib", Path()), precision="float64")


def observed(version: str, value: float, numpy: str = "1") -> ObservedVersion:
    installation = Installation("lib", version, "3.11", {"v": ""}, dependencies={"numpy": numpy})
    row = Row("ties/straddles-cutoff", installation.subject("v"), "P@2", None, Verdict.UNEXPLAINED, value, None, 0.5)
    header: dict[str, Any] = {"asked": [installation.as_json()], "questions": {row.case: [row.measure]}}
    return ObservedVersion(Plan("lib", "lib", version, "3.11"), RunResults(header, (row,), {}))


def searched(values: dict[str, float | None]) -> tuple[ReleaseSearch, list[str]]:
    """Search releases with these values (None if a release cannot run), and return also the releases that ran."""
    ran: list[str] = []

    def run(releases: Sequence[Release]) -> dict[Version, ObservedVersion | str]:
        ran.extend(str(release.version) for release in releases)
        own = {release.version: values[str(release.version)] for release in releases}
        return {v: "no wheel" if value is None else observed(str(v), value) for v, value in own.items()}

    search = ReleaseSearch([Release(Version(version), ("3.11",)) for version in values], SHEET, run)
    search.run()
    return search, ran


def borders(search: ReleaseSearch) -> list[tuple[str, str]]:
    return [(step.old.plan.version, step.new.plan.version) for step in search.steps]


def test_search_finds_changes_between_neighbours_without_running_every_release() -> None:
    search, ran = searched({f"1.{minor}": 0.5 if minor < 6 else 0.25 for minor in range(8)})
    assert borders(search) == [("1.5", "1.6")]
    assert len(ran) == len({*ran}) < 8
    search, _ = searched({"1.0": 0.5, "1.1": 0.75, "1.2": 0.75, "1.3": 0.25})
    assert borders(search) == [("1.0", "1.1"), ("1.2", "1.3")]


def test_search_does_not_look_for_reverted_changes() -> None:
    search, ran = searched({"1.0": 0.5, "1.0.1": 0.25, "1.1": 0.5})
    assert (borders(search), ran) == ([], ["1.0", "1.1"])


def test_release_that_cannot_run_is_skipped_and_reported() -> None:
    search, _ = searched({"1.0": 0.5, "1.1": None, "1.1.1": None, "1.2": 0.25})
    assert borders(search) == [("1.0", "1.2")]
    assert {str(version): why for version, why in search.failed.items()} == {"1.1": "no wheel", "1.1.1": "no wheel"}
