"""The environment of a release that no sheet names is like the nearest that one names, by version and not by text."""

from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from rankproof.asking.sheets import Sheet
from rankproof.environments.release_plans import plan_of
from rankproof.environments.releases import Release, releases_in

HERE = Path("lib.toml")
SHEET = Sheet("lib", "Lib", "", "", "1", "float64", {}, {}, {}, HERE)
ENTRIES = (
    {"versions": ["1.10"], "python": "3.12", "with": ["numpy>=2"]}, {"versions": ["0.9"], "python": "3.6", "with": ["numpy<1.19"]},
    {"versions": ["0.24", "1.2"], "python": "3.9", "with": ["numpy<1.24"]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("version", "beside", "python"),
    [
        ("0.8", "numpy<1.19", "3.6"), ("0.10", "numpy<1.19", "3.6"), ("0.25", "numpy<1.24", "3.9"), ("1.9", "numpy<1.24", "3.9"),
        ("1.11", "numpy>=2", "3.12"), ("10.0", "numpy>=2", "3.12"),
    ],
)  # fmt: skip
def test_a_release_is_built_as_the_newest_named_one_that_is_no_newer(version: str, beside: str, python: str) -> None:
    release = Release(Version(version), "", ("3.12", "3.9", "3.6"))
    plan = plan_of(replace(SHEET, environments=ENTRIES), release)
    assert (plan.version, plan.beside, plan.python) == (version, (beside,), python)


def test_an_interpreter_that_it_cannot_have_is_replaced_by_the_newest() -> None:
    plan = plan_of(replace(SHEET, environments=ENTRIES), Release(Version("0.10"), "", ("3.11", "3.9")))
    assert (plan.beside, plan.python) == (("numpy<1.19",), "3.11")


def test_a_release_is_of_the_day_of_its_first_file() -> None:
    """Of each of three releases the first file of the list is neither the first nor the last that came."""
    days = {
        "1.0": ("2024-03-02", "2024-02-09", "2024-11-01"),
        "1.2": ("2025-01-31", "2025-02-01", "2025-01-30"),
        "0.9": ("2023-05-05",),
    }
    files: list[dict[str, object]] = [
        {"filename": f"lib-{version}-cp3{at}-none-any.whl", "upload-time": f"{day}T0{at}:00:00Z"}
        for version, each in days.items()
        for at, day in enumerate(each)
    ]
    found = releases_in(files, ["3.0", "3.1", "3.2"])
    assert [(str(one.version), one.uploaded) for one in found] == [
        ("0.9", "2023-05-05"),
        ("1.0", "2024-02-09"),
        ("1.2", "2025-01-30"),
    ]
