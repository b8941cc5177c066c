"""`-`: the qrels or the run come from the standard input, which can be read but once."""

import sys
from functools import partial
from typing import Any, BinaryIO

from rankproof.evaluate.inputs.budget import refuse_large
from rankproof.evaluate.inputs.rows import BadInput

NAME = "-"
AT_ONCE = 2**20
"""How many bytes are read at a time."""


class Held(str):
    """The name of a file whose bytes were read already; it is a path to all who only name it."""

    __slots__ = ("data",)
    data: bytes


def held(qrels: Any, run: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any form
    """The same, with what the standard input has in the place of `-`.

    Raises:
        BadInput: it is asked for twice.
    """
    runs = run if isinstance(run, list) else [run]
    asked = [one for one in (qrels, *runs) if isinstance(one, str) and one == NAME]
    if len(asked) > 1:
        raise BadInput(NAME, "the standard input can be read once; give the other as a file")
    if not asked:
        return qrels, run
    read = Held(NAME)
    read.data = _all_of(sys.stdin.buffer)

    def taken(one: Any) -> Any:  # noqa: ANN401 - any form
        return read if isinstance(one, str) and one == NAME else one

    return taken(qrels), list(map(taken, run)) if isinstance(run, list) else taken(run)


def _all_of(stream: BinaryIO) -> bytes:
    """All that a stream has, as long as it is no more than an input may have."""
    data = bytearray()
    for found in iter(partial(stream.read, AT_ONCE), b""):
        data += found
        refuse_large(NAME, len(data))
    return bytes(data)
