"""The search for releases that change a value, and the environments of releases."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from rankproof.history.history import ObservedVersion
from rankproof.history.plans import Plan
from rankproof.history.release_search import ReleaseSearch, held
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


@dataclass
class Registry:
    """Releases with their values; None if a release cannot run."""

    values: dict[str, float | None]
    looked: list[str] = field(default_factory=list)

    def look(self, releases: Sequence[Release]) -> dict[Version, ObservedVersion | str]:
        """Return what releases give."""
        self.looked += [str(release.version) for release in releases]
        given = {release.version: self.values[str(release.version)] for release in releases}
        return {v: "no wheel" if value is None else observed(str(v), value) for v, value in given.items()}

    def search(self, *, every: bool = False) -> ReleaseSearch:
        """Return a finished search."""
        releases = [Release(Version(version), "", ("3.11",)) for version in self.values]
        search = ReleaseSearch(releases, SHEET, self.look)
        search.run(every=every)
        return search


def borders(search: ReleaseSearch) -> list[tuple[str, str, int]]:
    return [(str(one.old.version), str(one.new.version), len(one.skipped)) for one in search.borders]


def test_change_is_found_between_neighbours() -> None:
    registry = Registry({"1.0": 0.5, "1.1": 0.5, "1.1.1": 0.5, "1.1.2": 0.25, "1.1.3": 0.25, "1.2": 0.25})
    search = registry.search()
    assert borders(search) == [("1.1.1", "1.1.2", 0)]
    assert [[str(one.version) for one in run] for run in search.unseen] == [["1.1.3"]]
    assert [len(run) for run in Registry(dict.fromkeys(("1.0", "1.0.1", "1.0.2", "1.1"), 0.5)).search().unseen] == [2]


def test_change_back_within_a_minor_version_is_found_only_by_every() -> None:
    values: dict[str, float | None] = {"1.0": 0.5, "1.0.1": 0.25, "1.0.2": 0.5, "1.1": 0.5}
    assert borders(Registry(values).search()) == []
    assert borders(Registry(values).search(every=True)) == [("1.0", "1.0.1", 0), ("1.0.1", "1.0.2", 0)]


def test_release_that_cannot_run_is_skipped_and_reported() -> None:
    search = Registry({"1.0": 0.5, "1.1": None, "1.1.1": None, "1.2": 0.25}).search()
    assert borders(search) == [("1.0", "1.2", 2)]
    assert {str(version) for version in search.failed} == {"1.1", "1.1.1"}
    gap = Registry({"1.0": 0.5, "1.0.1": 0.5, "1.0.2": 0.5, "1.1": None, "1.2": 0.5}).search()
    (unseen, *_) = gap.unseen
    assert gap.is_beside_failed(unseen) == (Version("1.0.2") not in gap.observed)


@pytest.mark.parametrize(("value_on_old_packages", "is_of_the_library"), [(0.25, True), (0.5, False), (None, None)])
def test_change_is_of_the_library_if_it_also_shows_on_the_same_packages(
    value_on_old_packages: float | None, *, is_of_the_library: bool | None
) -> None:
    releases = [Release(Version(version), "", ("3.11",)) for version in ("1.0", "1.1")]
    both = {"1.0": observed("1.0", 0.5, numpy="1"), "1.1": observed("1.1", 0.25, numpy="2")}
    search = ReleaseSearch(releases, SHEET, lambda wanted: {one.version: both[str(one.version)] for one in wanted})
    search.run()
    (border,) = search.borders
    assert border.step.dependencies == [("numpy", "1", "2")]

    def ask(plans: Sequence[Plan]) -> dict[Plan, ObservedVersion | str]:
        (plan,) = plans
        assert (plan.label, plan.beside) in {("on-1.0", ("numpy==1",)), ("on-1.1", ("numpy==2",))}
        return {plan: "no" if value_on_old_packages is None else observed(plan.version, value_on_old_packages)}

    assert held(border, SHEET, ask).is_of_the_library is is_of_the_library
