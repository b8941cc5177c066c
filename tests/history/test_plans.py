"""The environment of a release that no sheet names is like the nearest that one names, by version and not by text."""

from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from rankproof.history.releases import Release, plan_of
from rankproof.workers.sheets import Sheet

HERE = Path("lib.toml")
SHEET = Sheet("lib", "Lib", "", "", "1", "float64", {}, {}, {}, HERE)
ENTRIES = (
    {"versions": ["1.10"], "python": "3.12", "with": ["numpy>=2"]},
    {"versions": ["0.9"], "python": "3.6", "with": ["numpy<1.19"]},
    {"versions": ["0.24", "1.2"], "python": "3.9", "with": ["numpy<1.24"]},
)


@pytest.mark.parametrize(
    ("version", "beside", "python"),
    [
        ("0.8", "numpy<1.19", "3.6"),
        ("0.10", "numpy<1.19", "3.6"),
        ("0.25", "numpy<1.24", "3.9"),
        ("1.9", "numpy<1.24", "3.9"),
        ("1.11", "numpy>=2", "3.12"),
        ("10.0", "numpy>=2", "3.12"),
    ],
)
def test_a_release_is_built_as_the_newest_named_one_that_is_no_newer(version: str, beside: str, python: str) -> None:
    release = Release(Version(version), ("3.12", "3.9", "3.6"))
    plan = plan_of(replace(SHEET, environments=ENTRIES), release)
    assert (plan.version, plan.requirements, plan.python) == (version, (beside,), python)
