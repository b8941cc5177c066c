"""Environments that a sheet lists: names, versions and bounds."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankproof.history.plans import NoSuchEnvironment, chosen_plans, plans_named, plans_of
from rankproof.workers.known_libraries import Library, claiming_nothing
from rankproof.workers.sheets import BadSheet

SHEET = replace(
    claiming_nothing("lib", Path("lib.toml")), environments=({"versions": ["1.0", "1.2"], "python": "3.9"},)
)
AGAIN = {"versions": ["3.0", "1.0"], "python": "3.12"}


def test_name_of_an_environment_is_unique() -> None:
    with pytest.raises(BadSheet, match=r"lib\.toml:\d+: lib@1\.0 is named twice\. Give one of them a label\.$"):
        plans_of(replace(SHEET, environments=(*SHEET.environments, AGAIN)))
    plans = plans_of(replace(SHEET, environments=(*SHEET.environments, {**AGAIN, "label": "new"})))
    assert [plan.name for plan in plans] == ["lib@1.0", "lib@1.2", "lib@3.0+new", "lib@1.0+new"]


def test_invalid_versions_and_bounds_are_refused() -> None:
    with pytest.raises(BadSheet, match=r"lib\.toml:\d+: 1\.x is not a version \(PEP 440\)$"):
        plans_of(replace(SHEET, environments=({"versions": ["2.0", "1.x", "3.0"], "python": "3.12"},)))
    with pytest.raises(BadSheet, match=r"lib\.toml:\d+: an environment needs the version of its interpreter"):
        plans_of(replace(SHEET, environments=({"versions": ["1.0"]},)))
    for bounds in (">two", ">=1.0,2.0"):
        with pytest.raises(NoSuchEnvironment) as refused:
            chosen_plans([f"lib@{bounds}"], plans_of(SHEET))
        assert str(refused.value) == f"Invalid bounds {bounds}. Write them like >=1.0,<1.4."


@pytest.mark.parametrize(
    "text",
    [
        "numpy\n--index-url https://example.org",
        "-r /etc/passwd",
        "--index-url=x",
        "numpy<two",
        "",
        "x @ file:///etc/passwd",
    ],
)
def test_only_requirements_reach_the_installer(text: str) -> None:
    entries = ({"versions": ["1.0"], "python": "3.9", "with": ["scipy>=1", text]},)
    with pytest.raises(BadSheet, match=r"lib\.toml:\d+: .* (is not a requirement|is an address)\. Write "):
        plans_of(replace(SHEET, environments=entries))


def test_requirements_are_written_in_one_line_each() -> None:
    entries = ({"versions": ["1.0"], "python": "3.9", "with": [" numpy <2", 'torch[cpu]>=1; python_version>"3"']},)
    (plan,) = plans_of(replace(SHEET, environments=entries))
    assert plan.requirements == ("numpy <2", 'torch[cpu]>=1; python_version>"3"')


def test_error_of_a_sheet_is_reported_only_for_its_library() -> None:
    faulty = Library(
        "mylib", Path("mylib_adapter.py"), claiming_nothing("mylib", Path("mylib.toml")), "mylib.toml:3: no"
    )
    wrong = replace(SHEET, library="wrong", environments=({"versions": ["1.x"], "python": "3.9"},))
    all_libraries = [Library("lib", Path(), SHEET), faulty, Library("wrong", Path(), wrong)]
    assert [plan.name for plan in plans_named(["lib@1.2"], all_libraries)] == ["lib@1.2"]
    for wanted, message in (
        ("mylib", "mylib.toml:3: no"),
        ("mylib@1.0", "mylib.toml:3: no"),
        ("my*", "mylib.toml:3: no"),
    ):
        with pytest.raises(BadSheet, match=message):
            plans_named(["lib", wanted], all_libraries)
    for wanted in ("wrong", "all", "w*@1"):
        with pytest.raises(BadSheet):
            plans_named([wanted], all_libraries)
    with pytest.raises(NoSuchEnvironment, match="Unknown environment other"):
        plans_named(["other"], all_libraries)
