"""Fixtures with the judgments of the run in `tests/two_tools`."""

import pytest
from two_tools import HERE, binary_qrels


@pytest.fixture(scope="session")
def qrels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of graded and of binary judgments."""
    return {"graded": str(HERE / "qrels.txt"), "binary": str(binary_qrels(tmp_path_factory.mktemp("qrels")))}
