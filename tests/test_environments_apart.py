"""Environments are told from one another by all that they hang on; uv and the interpreters are stand-ins, so that nothing is installed."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from little_registry import Made, serving

from rankproof.asking.known_libraries import Library, libraries
from rankproof.asking.sheets import BadSheet
from rankproof.environments import environment_builds, uv_calls
from rankproof.environments.interpreters import Interpreter
from rankproof.environments.plans import NoSuchEnvironment, Plan, chosen_plans, plans_of
from rankproof.environments.releases import NoReleases, releases_of

UV = """#!/bin/sh
echo "$@" "${{UV_FIND_LINKS-nowhere}}" >> {log}
for last; do :; done
case "$1 $2" in
    "pip compile") cat "$last";;
    "venv "*) mkdir -p "$last/bin"; ln -s {python} "$last/bin/python";;
esac
"""
ADAPTER = """
LIBRARY, PACKAGES, VARIANTS, MEASURES = "{name}", [], {{"v": "its only way"}}, {{"RR": 1}}
def load():
    return {{"version": "{version}"}}
def observe(variant, data, call, values):
    return {{}}, None
"""
SHEET = """library = "{name}"
title = "{name}"
homepage = "https://example.org"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "2.0"
package = "{name}-rank"
only_in_environments = true
[profiles.v]
RR = "standard"
{environments}
"""
ENTRY = '[[environments]]\nversions = {versions}\npython = "{python}"\n{more}\n'
ENVIRONMENTS = {
    "ada": [
        (["2.0"], "3.10", 'label = "old-base"'),
        (["1.0", "2.0"], "3.9", 'with = ["base<3"]'),
        (["2.0"], "3.11", 'label = "new-base"'),
    ],
    "bob": [(["2.0"], "3.9", 'from_source = ["base"]')],
    "cyd": [
        (["1.0"], "3.8", 'with = ["base<1"]'),
        (["1.2"], "3.9", 'with = ["base<2"]\nfrom_source = ["base", "Cyd_Rank"]'),
        (["2.0"], "3.10", 'with = ["base<3"]'),
    ],
}
PLAN = Plan("ada", "ada-rank", "2.0", "3.9", ("base<3",))


@pytest.fixture
def known_here(tmp_path: Path) -> dict[str, Library]:
    """Three libraries, none of which has the name of its package."""
    for name, entries in ENVIRONMENTS.items():
        written = "".join(
            ENTRY.format(versions=str(v).replace("'", '"'), python=python, more=more) for v, python, more in entries
        )
        (tmp_path / f"{name}.toml").write_text(SHEET.format(name=name, environments=written), encoding="utf-8")
        (tmp_path / f"{name}_adapter.py").write_text(ADAPTER.format(name=name, version="2.0"), encoding="utf-8")
    found = {one.name: one for one in libraries(tmp_path)}
    assert not any(one.fault for one in found.values())
    return found


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """A stand-in for uv, which installs nothing: what it was asked."""
    program, log = tmp_path / "uv", tmp_path / "log"
    program.write_text(UV.format(log=log, python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("RANKPROOF_CACHE", str(tmp_path / "cache"))
    for module in (environment_builds, uv_calls):
        monkeypatch.setattr(module, "uv_program", lambda: str(program))
    monkeypatch.setattr(
        environment_builds, "interpreter_of", lambda version: Interpreter(sys.executable, f"{version}.7", "CPython")
    )
    return lambda: log.read_text(encoding="utf-8").splitlines()


def test_what_stands_beside_a_package_without_its_dependencies_is_installed(
    uv: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    plan = replace(PLAN, without_dependencies=True, from_source=("base", "ada-rank"))
    lock = uv_calls.resolved(plan, sys.executable, tmp_path)
    assert lock.splitlines() == ["ada-rank==2.0", "base<3"]
    uv_calls.install(plan, sys.executable, tmp_path / "lock", tmp_path / "made")
    package, beside, made, sync = uv()
    assert {line.split()[-1] for line in (package, beside, made, sync)} == {"wheels"}
    assert ("--no-deps" in package, "--no-deps" in beside) == (True, False)
    assert all("--no-binary=base --no-binary=ada-rank" in asked for asked in (package, beside, sync))


def test_what_uv_said_before_it_failed_is_no_lock(uv: Callable[[], list[str]], tmp_path: Path) -> None:
    (tmp_path / "uv").write_text("#!/bin/sh\necho 'base==2'\necho 'error: no ada' >&2\nexit 2\n", encoding="utf-8")
    with pytest.raises(uv_calls.CannotBuild, match=r"^no ada$"):
        uv_calls.resolved(PLAN, sys.executable, tmp_path)
    assert not (tmp_path / "log").exists() or not uv()


def test_no_two_environments_have_one_name(known_here: dict[str, Library]) -> None:
    sheet = known_here["cyd"].sheet
    again = {"versions": ["3.0", "1.0"], "python": "3.12"}
    with pytest.raises(BadSheet, match=r"cyd\.toml:\d+: cyd@1\.0 is named twice: give one of them a label$"):
        plans_of(replace(sheet, environments=(*sheet.environments, again)))
    told_apart = plans_of(replace(sheet, environments=(*sheet.environments, {**again, "label": "new"})))
    assert [plan.name for plan in told_apart] == ["cyd@1.0", "cyd@1.2", "cyd@2.0", "cyd@3.0+new", "cyd@1.0+new"]


# -- releases ---------------------------------------------------------------------------------------------------------

INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")


@pytest.mark.parametrize("name", INDEXES)
def test_the_registry_is_the_one_that_uv_or_pip_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in INDEXES:  # of several that are told, the first counts
        monkeypatch.setenv(one, "file:///srv" if INDEXES.index(one) > INDEXES.index(name) else "")
    with serving({"ada-rank": [Made("ada_rank", "1.5", "")]}) as registry:
        monkeypatch.setenv(name, f"{registry.url}/")
        assert [str(one.version) for one in releases_of("Ada.Rank", ["3.11"])] == ["1.5"]


def test_a_registry_that_has_no_release_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    withdrawn, for_another = Made("ada_rank", "1.5", "", yanked=True), Made("bob_rank", "2.0", "", python=">=3.99")
    with serving({"ada-rank": [withdrawn], "bob-rank": [for_another]}) as registry:
        monkeypatch.setenv("UV_DEFAULT_INDEX", registry.url)
        for name in ("ada-rank", "bob-rank"):
            with pytest.raises(NoReleases, match=rf"has no release of {name} with wheels for Python 3\.11, 3\.12$"):
                releases_of(name, ["3.11", "3.12"])
        with pytest.raises(NoReleases, match=r"/cyd-rank/ does not say which releases there are: HTTP Error 404"):
            releases_of("cyd-rank", ["3.11"])
    monkeypatch.setenv("UV_DEFAULT_INDEX", "file:///srv/wheels")
    with pytest.raises(
        NoReleases, match=r"^file:///srv/wheels/ada-rank/ is no address of a registry that can be asked"
    ):
        releases_of("ada-rank", ["3.11"])


def test_what_is_no_version_and_what_are_no_bounds_is_told(known_here: dict[str, Library]) -> None:
    sheet = known_here["cyd"].sheet
    with pytest.raises(BadSheet, match=r"cyd\.toml:\d+: 1\.x is no version, as PEP 440 has them$"):
        plans_of(replace(sheet, environments=({"versions": ["2.0", "1.x", "3.0"], "python": "3.12"},)))
    for bounds in (">two", ">=1.0,2.0"):
        with pytest.raises(NoSuchEnvironment) as refused:
            chosen_plans([f"cyd@{bounds}"], plans_of(sheet))
        assert str(refused.value) == f"{bounds} are no bounds of versions: write them as in >=1.0,<1.4"
