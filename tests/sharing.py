"""How several processes share the tests: what is long comes first, and what shares something costly stays together."""

import pytest

TOGETHER = {
    "wheel": (
        "test_layout.py::test_the_wheel",
        "test_profiles_of_libraries.py::test_the_wheel",
        "test_style.py::test_the_wheel",
    ),
}
"""Group -> beginnings of the names of tests that share a costly fixture."""
LONG = ("test_coverage.py",)
"""Beginnings of the names of tests that take long, the longest first."""
LAST = ("whole_run", "selected_run")
"""Fixtures that wait for the libraries; what needs them comes last."""


def arrange(items: list[pytest.Item]) -> None:
    """Put the tests into the order and the groups in which processes take them."""
    for item in items:
        for group, names in TOGETHER.items():
            if item.nodeid.rpartition("/")[2].startswith(names):
                item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=_place)


def _place(item: pytest.Item) -> tuple[bool, int]:
    waits = any(name in LAST for name in getattr(item, "fixturenames", ()))
    name = item.nodeid.rpartition("/")[2]
    return waits, next((i for i, long in enumerate(LONG) if name.startswith(long)), len(LONG))
