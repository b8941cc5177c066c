"""`-`: the qrels or the run come from the standard input, which can be read but once."""

import sys
from typing import Any

from rankproof.evaluating.inputs.rows import BadInput

NAME = "-"


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
    read.data = sys.stdin.buffer.read()

    def taken(one: Any) -> Any:  # noqa: ANN401 - any form
        return read if isinstance(one, str) and one == NAME else one

    return taken(qrels), list(map(taken, run)) if isinstance(run, list) else taken(run)
