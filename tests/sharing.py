"""How several processes share the tests: what needs something costly stays together, and what is long comes first."""

import pytest

COSTLY = (
    "selected_run", "wheel", "site", "browser", "stored", "wide_run", "of_ir_measures", "of_miniatures", "followed", "made", "found", "ran",
    "report", "workers", "evaluate", "added",
)  # fmt: skip
"""Fixtures that take seconds, and are made once in each process that needs them."""
OF_ALL = ("selected_run", "wheel")
"""Those that several files share."""
LONG = ("test_coverage.py", "test_measure_facts.py", "test_repro.py", "test_style.py")
"""Beginnings of the names of tests that take long, the longest first."""


def arrange(items: list[pytest.Item]) -> None:
    """Put the tests into the groups and the order in which processes take them."""
    for item in items:
        costly = next((name for name in COSTLY if name in getattr(item, "fixturenames", ())), None)
        if costly is not None:
            item.add_marker(pytest.mark.xdist_group(costly if costly in OF_ALL else f"{_file(item)}-{costly}"))
    items.sort(key=_place)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0].rpartition("/")[2]


def _place(item: pytest.Item) -> int:
    return LONG.index(_file(item)) if _file(item) in LONG else len(LONG)
