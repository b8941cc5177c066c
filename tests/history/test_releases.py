"""Releases in a package registry, and the environment of each."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from environment_variables import variables
from package_registry import Made, serving
from packaging.version import Version

from rankproof.history.releases import NoReleases, Release, plan_of, releases_of
from rankproof.workers.known_libraries import claiming_nothing
from rankproof.workers.sheets import Sheet

INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
"""Environment variables for the registry; the first variable that is set counts."""
ENTRIES = (
    {"versions": ["1.10"], "python": "3.12", "with": ["numpy>=2"]},
    {"versions": ["0.9"], "python": "3.6", "with": ["numpy<1.19"]},
    {"versions": ["0.24", "1.2"], "python": "3.9", "with": ["numpy<1.24"]},
)


def sheet_of(package: str) -> Sheet:
    return replace(claiming_nothing("ada", Path("ada.toml")), package=package)


@pytest.mark.parametrize("name", INDEXES)
def test_registry_is_that_of_uv_or_pip(name: str) -> None:
    others = {other: "file:///srv" if INDEXES.index(other) > INDEXES.index(name) else None for other in INDEXES}
    with (
        serving({"ada-rank": [Made("ada_rank", "1.5", "")]}) as registry,
        variables(**{**others, name: f"{registry.url}/"}),
    ):
        assert [str(release.version) for release in releases_of(sheet_of("Ada.Rank"))] == ["1.5"]


def test_registry_without_a_usable_release_says_why() -> None:
    withdrawn, for_another = Made("ada_rank", "1.5", "", yanked=True), Made("bob_rank", "2.0", "", python=">=3.99")
    with (
        serving({"ada-rank": [withdrawn], "bob-rank": [for_another]}) as registry,
        variables(UV_DEFAULT_INDEX=registry.url),
    ):
        for name in ("ada-rank", "bob-rank"):
            why = rf"has no release of {name} with wheels for Python .*3\.{sys.version_info[1]}"
            with pytest.raises(NoReleases, match=why):
                releases_of(sheet_of(name))
        with pytest.raises(NoReleases, match=r"cannot read the releases at http.*/cyd-rank/: HTTP Error 404"):
            releases_of(sheet_of("cyd-rank"))
    why = r"^file:///srv/wheels/ada-rank/ is not an http or https address of a package registry$"
    with variables(UV_DEFAULT_INDEX="file:///srv/wheels"), pytest.raises(NoReleases, match=why):
        releases_of(sheet_of("ada-rank"))


def test_release_is_built_like_the_newest_listed_version_that_is_not_newer() -> None:
    sheet = replace(sheet_of("lib"), environments=ENTRIES, stands_on={"NumPy": "2.1", "scipy": "1.16"})
    for version, *expected in (
        ("0.8", "numpy<1.19", "scipy", "3.6"),
        ("0.9", "numpy<1.19", "3.6"),
        ("0.10", "numpy<1.19", "scipy", "3.6"),
        ("1.9", "numpy<1.24", "scipy", "3.9"),
        ("1.11", "numpy>=2", "scipy", "3.12"),
        ("10.0", "numpy>=2", "scipy", "3.12"),
    ):
        plan = plan_of(sheet, Release(Version(version), ("3.12", "3.9", "3.6")))
        assert (plan.version, *plan.requirements, plan.python) == (version, *expected)
