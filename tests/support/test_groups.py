"""How several processes share the tests: what needs something costly stays together, and what is long comes first."""

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

TOGETHER = {
    "the whole run": (
        "test_libraries.py",
        "test_network.py",
        "test_adapters.py::test_what_the_published_run",
    ),
    "the published run": (
        "test_site.py",
        "test_basis.py",
        "test_documentation.py::test_each_belief",
        "test_fingerprint.py",
        "test_published_environments.py",
        "test_sheets.py::test_every_claim",
        "test_witnesses.py",
    ),
    "the wheel": (
        "test_layout.py",
        "test_style.py::test_the_wheel",
        "test_profiles_of_libraries.py::test_the_wheel",
        "test_documentation.py::test_a_stranger",
        "test_release.py",
    ),
    **{
        name: (name,)
        for name in (
            "test_miniatures.py",
            "test_probes.py",
            "test_foreign.py",
            "test_broken_libraries.py",
            "test_notebooks.py",
            "test_recipe_library.py",
            "test_first_sheet.py",
            "test_new_measure.py",
            "test_misbehaving.py",
            "test_doctored.py",
            "test_library_defects.py",
            "test_runners.py",
            "test_fingerprint_evidence.py",
            "test_plugin.py",
            "test_explain_numbers.py",
            "test_results.py",
            "test_pins.py",
            "test_hostile_text.py",
            "test_attacks.py",
            "test_contributing.py",
            "test_repro.py",
        )
    },
}
"""Group -> beginnings of the names of tests that share something that takes seconds to make."""
LONG = (
    "test_coverage.py",
    "test_style.py",
    "test_site.py",
    "test_misbehaving_functions.py",
    "test_wild_functions.py",
    "test_wild_defects.py",
    "test_asked_functions.py",
    "test_accepted_functions.py",
    "test_function_worker.py",
)
"""Beginnings of the names of tests that come first, in this order.

They take long, or wait for a clock or a browser while others run; or fork the process that runs them, again and again, while it is small.
"""


@cache  # the scheduler asks for each test many times
def group_of(nodeid: str) -> str:
    """What a test stays together with: at least with its other cases, since each group that a process is given costs a message.

    >>> group_of("tests/site/test_site.py::test_a_page[a]"), group_of("test_exact.py::test_ln[2]")
    ('the published run', 'test_exact.py::test_ln')
    """
    name = _in_its_file(nodeid)
    return next(
        (group for group, beginnings in TOGETHER.items() if name.startswith(beginnings)), name.partition("[")[0]
    )


def _in_its_file(nodeid: str) -> str:
    path, _, test = nodeid.partition("::")
    return f"{path.rpartition('/')[2]}::{test}"


def scheduler(config: pytest.Config, log: Any) -> "LoadScopeScheduling":
    """Gives each process a group of tests, then another, until none is left."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            super().mark_test_complete(node, item_index, duration)
            group = group_of(self.registered_collections[node][item_index])
            if all(self.assigned_work[node][group].values()):  # else what is done is counted again after each test
                del self.assigned_work[node][group]

    config.option.loadscopereorder = False  # groups come as `arrange` puts them, and not those of most tests first
    return Groups(config, log)


def arrange(items: list[pytest.Item]) -> None:
    """Put what is long first, then what shares something costly; what is short comes last, so that all processes end together."""
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    name = _in_its_file(item.nodeid)
    costly = group_of(item.nodeid) in TOGETHER
    return next((place for place, beginning in enumerate(LONG) if name.startswith(beginning)), len(LONG) + (not costly))
