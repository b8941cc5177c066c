"""How several processes share the tests: what needs something costly stays together, and what is long comes first."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "the whole run": (
        "test_libraries.py", "test_results.py", "test_report.py", "test_network.py",
    ),
    "the wheel": ("test_layout.py", "test_style.py::test_the_wheel", "test_profiles_of_libraries.py::test_the_wheel"),
    **{
        name: (name,)
        for name in (
            "test_site.py", "test_miniatures.py", "test_probes.py", "test_foreign.py", "test_broken_libraries.py", "test_notes.py",
            "test_notebook_page.py", "test_notebooks.py", "test_recipe_library.py", "test_first_sheet.py", "test_new_measure.py",
            "test_check.py", "test_exit_codes.py", "test_who_stands.py", "test_witnesses.py", "test_misbehaving.py", "test_doctored.py",
            "test_results_written.py", "test_ways_to_be_wrong.py", "test_hostile_text.py", "test_attacks.py", "test_contributing.py",
            "test_repro.py",
        )
    },
}  # fmt: skip
"""Group -> beginnings of the names of tests that share something that takes seconds to make."""
OF_A_FUNCTION = ("test_defects.py", "test_wild_functions.py")
"""Files whose tests of one function, their parameter, share what was found of it."""
LONG = (
    "test_coverage.py", "test_style.py", "test_site.py",
    "test_strangers.py::test_the_first_import", "test_strangers.py::test_nothing_is_judged",
    "test_workers.py::test_a_worker_is_started_anew",
)  # fmt: skip
"""Beginnings of the names of tests that come first, in this order: they take long, or wait for a clock or a browser while others run."""


def group_of(nodeid: str) -> str:
    """What a test stays together with; by itself, the name of the test.

    >>> group_of("tests/test_site.py::test_a_page[a]"), group_of("test_exact.py::test_ln")
    ('test_site.py', 'test_exact.py::test_ln')
    >>> group_of("tests/test_defects.py::test_it_is_named[mrr]")
    'test_defects.py[mrr]'
    """
    if function := function_of(nodeid):
        return function
    path, _, test = nodeid.partition("::")
    name = f"{path.rpartition('/')[2]}::{test}"
    return next((group for group, beginnings in TOGETHER.items() if name.startswith(beginnings)), name)


def function_of(nodeid: str) -> str:
    """The function that a test checks, with the file that does; nothing of a test that checks none."""
    path, _, test = nodeid.partition("::")
    file, parameter = path.rpartition("/")[2], test.partition("[")[2]
    return f"{file}[{parameter}" if parameter and file in OF_A_FUNCTION else ""


def scheduler(config: pytest.Config, log: Any) -> "LoadScopeScheduling":
    """Gives each process a group of tests, then another, until none is left."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Groups(config, log)


def arrange(items: list[pytest.Item]) -> None:
    """Put what is long first; what is in a group comes before it anyway."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    path, _, test = item.nodeid.partition("::")
    name = f"{path.rpartition('/')[2]}::{test}"
    return next((place for place, beginning in enumerate(LONG) if name.startswith(beginning)), len(LONG))
