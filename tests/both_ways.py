"""The two ways by which `evaluate` measures, by columns and by rows: which of them is taken, and what each gives."""

from typing import Any

import pytest

import rankproof
from rankproof.evaluate import api, quick


def by_columns(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The same as `watched`, every input being large enough for columns."""
    monkeypatch.setattr(quick, "SMALL_FILE", 0)
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    return watched(monkeypatch)


def watched(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each evaluation from here on, whether it went by columns."""
    taken: list[bool] = []

    def asked(*given: Any) -> Any:
        found = quick.quick_answers(*given)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(api, "quick_answers", asked)
    return taken


def evaluated(measures: list[str], qrels: Any, run: Any, **options: Any) -> rankproof.Result | str:
    """What `evaluate` gives, or the words by which it refuses."""
    try:
        found: rankproof.Result = rankproof.evaluate(measures, qrels, run, **options)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"
    return found
