"""Environments that a sheet lists: names, versions and bounds."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankproof.history.plans import NoSuchEnvironment, chosen_plans, plans_of
from rankproof.workers.known_libraries import claiming_nothing
from rankproof.workers.sheets import BadSheet

SHEET = replace(
    claiming_nothing("lib", Path("lib.toml")), environments=({"versions": ["1.0", "1.2"], "python": "3.9"},)
)
AGAIN = {"versions": ["3.0", "1.0"], "python": "3.12"}


def test_name_of_an_environment_is_unique() -> None:
    with pytest.raises(BadSheet, match=r"lib\.toml:\d+: lib@1\.0 is named twice: give one of them a label$"):
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
        assert str(refused.value) == f"invalid bounds {bounds}: write them as in >=1.0,<1.4"
