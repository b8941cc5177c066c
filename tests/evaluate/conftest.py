"""Fixtures that run `evaluate` by rows and by columns."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from rankproof.evaluate import measuring


@contextmanager
def columns_for_all_sizes() -> Iterator[None]:
    """Measure small inputs by columns as well, because inputs above the usual size would take seconds each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "SMALL_FILE", 0)
        patch.setattr(measuring, "SMALL_ROWS", 0)
        yield


@pytest.fixture(scope="module")
def by_columns() -> Iterator[None]:
    """Measure all inputs of a module by columns, unless a test passes `exact=True`."""
    with columns_for_all_sizes():
        yield


@pytest.fixture(params=["rows", "columns"])
def each_path(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test once by rows and once by columns."""
    with columns_for_all_sizes() if request.param == "columns" else nullcontext():
        yield request.param
