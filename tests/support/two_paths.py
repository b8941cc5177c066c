"""The two ways in which `evaluate` measures, by columns and by rows: which of them was used, and the result of each."""

from typing import Any

import pytest

import rankproof
from rankproof.evaluate import api, measuring


def by_columns(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Let every input be large enough for columns; as `watched`."""
    monkeypatch.setattr(measuring, "SMALL_FILE", 0)
    monkeypatch.setattr(measuring, "SMALL_ROWS", 0)
    return watched(monkeypatch)


def watched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each evaluation adds whether columns were used."""
    used: list[bool] = []

    def measure(*given: Any, **options: Any) -> Any:
        result = measuring.measure(*given, **options)
        used.append(result.checked is not None)
        return result

    monkeypatch.setattr(api, "measure", measure)
    return used


def evaluated(measures: list[str], qrels: Any, run: Any, **options: Any) -> rankproof.Result | str:
    """Return the result of `evaluate`, or its error message."""
    try:
        found: rankproof.Result = rankproof.evaluate(measures, qrels, run, **options)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"
    return found
