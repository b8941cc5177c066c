"""What is refused, and the words that say so."""

from collections.abc import Callable
from typing import Any

import pytest

import rankproof


def refusal(
    ask: Callable[..., object],
    *args: Any,
    by: type[Exception] | tuple[type[Exception], ...] = rankproof.BadInput,
    **options: Any,
) -> str:
    """The words, in one line, by which something is refused that is asked so."""
    with pytest.raises(by) as refused:
        ask(*args, **options)
    said = str(refused.value)
    assert "\n" not in said
    return said
