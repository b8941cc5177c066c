"""Environment variables for a part of a test, because starting a process for each test would take a second."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


@contextmanager
def variables(**values: str | None) -> Iterator[None]:
    """Set variables of this process, or remove variables that are None, until the block ends."""
    with mock.patch.dict(os.environ, {name: value for name, value in values.items() if value is not None}):
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
        yield
