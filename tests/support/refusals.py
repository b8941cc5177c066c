"""Messages of errors."""

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
    """Return the message of the error that a call raises, and check that it is a single line."""
    with pytest.raises(by) as refused:
        ask(*args, **options)
    message = str(refused.value)
    assert "\n" not in message
    return message
