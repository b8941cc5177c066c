"""What takes minutes is tried in parts: a run of all tests takes one part of it, and another after what it is about was changed.

A part is chosen by a digest: of the published file for the answers of slow libraries and the claims of sheets, of the code for the
functions that are checked, the cases that are measured twice, the attacks, and the tests that are marked. `pytest --whole` tries all,
and so does whoever selects tests by a file, a name or a word.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sharing

from rankproof.asking import store

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = 8
"""One in so many of the functions is checked."""
EXAMPLES = 10
"""How many inputs are drawn for a law; 100 are where all is tried."""


def is_in_part(*about: object, one_in: int) -> bool:
    """Whether what a digest of all this decides is tried."""
    return int(store.digest(*about), 16) % one_in == 0


def so_many(names: Iterable[str], *about: object, number: int) -> set[str]:
    """So many of these, as a digest of all this decides: of few, a part by chance may be nearly all."""
    return set(sorted(names, key=lambda name: store.digest(*about, name))[:number])


@cache
def code() -> str:
    """A digest of all code by which a function is checked."""
    return store.digest_of_files(
        path for folder in ("harness", "reference_impl") for path in (ROOT / folder).rglob("*.py")
    )


def taken(config: Any) -> bool:
    """Whether this run takes parts."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput["parts"])
    selected = config.option.keyword or config.option.markexpr or config.args_source is pytest.Config.ArgsSource.ARGS
    return not (config.getoption("whole") or selected)


MARK = "in_parts"
"""The mark of tests of which, where parts are taken, one in so many is tried."""


def is_left_out(nodeid: str, one_in: int = 1) -> bool:
    """Whether a test is of a function of which this run checks nothing, or is one of many that are tried in parts."""
    function = sharing.function_of(nodeid)
    if function:
        return not is_in_part(code(), function, one_in=FUNCTIONS)
    return one_in > 1 and not is_in_part(code(), nodeid, one_in=one_in)


def leave_out(config: Any, items: list[pytest.Item]) -> None:
    """Deselect the tests that are not in the part."""
    if taken(config) and (out := {item for item in items if is_left_out(item.nodeid, _one_in(item))}):
        config.hook.pytest_deselected(items=[item for item in items if item in out])
        items[:] = [item for item in items if item not in out]


def _one_in(item: pytest.Item) -> int:
    mark = item.get_closest_marker(MARK)
    return int(mark.args[0]) if mark else 1
