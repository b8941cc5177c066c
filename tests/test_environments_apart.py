"""Environments are told from one another by all that they hang on; uv and the interpreters are stand-ins, so that nothing is installed."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typed
from little_registry import Made, serving
from packaging.version import Version

from rankproof.asking.known_libraries import Library, libraries
from rankproof.asking.sheets import BadSheet
from rankproof.environments import at_hand, environment_builds, uv_calls
from rankproof.environments.at_hand import main_plan
from rankproof.environments.environment_builds import Built, build, known
from rankproof.environments.interpreters import Interpreter
from rankproof.environments.plans import Plan, chosen_plans, plans_of
from rankproof.environments.release_plans import is_from_source, plan_of
from rankproof.environments.releases import Release, releases_in, releases_of

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


@pytest.mark.usefixtures("uv")
def test_what_was_built_for_another_entry_of_a_sheet_is_not_served(known_here: dict[str, Library]) -> None:
    assert build(PLAN, known_here["ada"]).status == "built"
    others = [
        replace(PLAN, python="3.10"),
        replace(PLAN, beside=("base<4",)),
        replace(PLAN, without_dependencies=True),
        replace(PLAN, from_source=("base",)),
    ]
    assert [known(plan).status for plan in (PLAN, *others)] == ["built", *(["not built"] * 4)]


@pytest.mark.usefixtures("uv")
def test_each_interpreter_has_an_environment_of_its_own(known_here: dict[str, Library]) -> None:
    built = [build(replace(PLAN, python=python), known_here["ada"]) for python in ("3.9", "3.10", "3.11")]
    assert len({one.folder for one in built}) == 3


@pytest.mark.usefixtures("uv")
def test_another_version_than_was_planned_is_no_environment(known_here: dict[str, Library]) -> None:
    plan = replace(PLAN, version="1.0")
    assert build(plan, known_here["ada"]).why == "it says that it is version 2.0"
    assert known(plan).status == "failed"


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


# -- who is asked where ----------------------------------------------------------------------------------------------


def test_a_library_is_asked_in_the_environment_of_its_version_that_has_no_label(
    known_here: dict[str, Library], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plans = {plan.name: str(tmp_path / plan.name) for plan in plans_of(known_here["ada"].sheet)}
    plans["cyd@2.0"] = "cyd's"
    monkeypatch.setattr(
        at_hand, "known", lambda plan: Built(plan, tmp_path if plan.name in plans else None, plans.get(plan.name, ""))
    )
    every = known_here.values()
    assert [main_plan(one).name for one in every] == ["ada@2.0", "bob@2.0", "cyd@2.0"]
    there = at_hand.at_hand(every)
    assert [one.name for one in there.libraries] == ["ada", "cyd"]
    assert there.pythons == {"ada": plans["ada@2.0"], "cyd": "cyd's"}
    assert there.left_out == ["bob@2.0"]
    assert [one.name for one in at_hand.at_hand(every, ["b*"]).libraries] == ["ada", "bob", "cyd"]


# -- releases ---------------------------------------------------------------------------------------------------------

INDEXES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")


@pytest.mark.parametrize("name", INDEXES)
def test_the_registry_is_the_one_that_uv_or_pip_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in INDEXES:
        monkeypatch.setenv(one, "")
    with serving({"ada-rank": [Made("ada_rank", "1.5", "")]}) as registry:
        monkeypatch.setenv(name, f"{registry.url}/")
        assert [str(one.version) for one in releases_of("Ada.Rank", ["3.11"])] == ["1.5"]


def test_releases_are_built_from_source_where_an_entry_names_the_package_itself(known_here: dict[str, Library]) -> None:
    assert {name: is_from_source(one.sheet) for name, one in known_here.items()} == {
        "ada": False,
        "bob": False,
        "cyd": True,
    }


def wheel(tags: str, day: str) -> dict[str, object]:
    return {"filename": f"ada_rank-1.5-{tags}.whl", "upload-time": f"{day}T10:00:00Z"}


def test_a_release_is_as_old_as_its_first_wheel() -> None:
    days = {"cp310-cp310-any": "2024-05-02", "cp311-cp311-any": "2024-05-01", "cp312-cp312-any": "2024-05-03"}
    (release,) = releases_in([wheel(*one) for one in days.items()], ["3.10", "3.11", "3.12"])
    assert (release.uploaded, release.interpreters) == ("2024-05-01", ("3.12", "3.11", "3.10"))


def test_a_stable_wheel_fits_the_interpreter_that_it_names_and_newer_ones() -> None:
    (release,) = releases_in([wheel("cp39-abi3-any", "2024-05-01")], ["3.8", "3.9", "3.10", "3.13"])
    assert release.interpreters == ("3.13", "3.10", "3.9")


@pytest.mark.parametrize(
    ("version", "beside", "python"),
    [
        ("0.9", "base<1", "3.11"), ("1.1", "base<1", "3.11"), ("1.10", "base<2", "3.9"), ("1.9", "base<2", "3.9"),
        ("3.0", "base<3", "3.11"),
    ],
)  # fmt: skip
def test_a_release_is_put_on_what_the_nearest_older_one_stands_on(
    known_here: dict[str, Library], version: str, beside: str, python: str
) -> None:
    """Under its interpreter where there is a wheel for that, else under the newest."""
    plan = plan_of(known_here["cyd"].sheet, Release(Version(version), "", ("3.11", "3.9", "3.7")))
    assert (plan.beside, plan.python, plan.label) == ((beside,), python, "release")


def test_bounds_do_not_pass_over_what_came_before_a_release() -> None:
    plans = [replace(PLAN, version=version) for version in ("1.0", "1.1rc1", "1.1", "2.0b2")]
    names = [plan.version for plan in chosen_plans(["ada@>=1.0,<2.0"], plans)]
    assert names == ["1.0", "1.1rc1", "1.1"]
    assert [plan.version for plan in chosen_plans(["ada@>1.1"], plans)] == ["2.0b2"]


def test_what_a_library_stands_on_is_listed_without_itself(
    known_here: dict[str, Library], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def known_as(plan: Plan) -> Built:
        there = plan.version == "2.0" and not plan.label
        stands_on = {f"{plan.library}-rank": "2.0", "base": plan.python, plan.library: "7"}
        return Built(plan, tmp_path / "empty", "python", {"dependencies": stands_on}) if there else Built(plan)

    monkeypatch.setattr(environment_builds, "known", known_as)
    assert len(known_here) == 3
    listed = typed.rankproof("env", "list", "ada", "bob", "cyd", "--adapters", ".", cwd=tmp_path).out.splitlines()
    told = {line.split()[0]: line.partition(": ")[2] for line in listed}
    assert told == {
        "ada@2.0+old-base": "", "ada@1.0": "", "ada@2.0": "base 3.9, ada 7, 0 MB", "ada@2.0+new-base": "",
        "bob@2.0": "base 3.9, bob 7, 0 MB", "cyd@1.0": "", "cyd@1.2": "", "cyd@2.0": "base 3.10, cyd 7, 0 MB",
    }  # fmt: skip
