"""What takes minutes is tried in parts: a run of all tests takes one part of it, and another after what it is about was changed.

A part is chosen by a digest: of the published file for the answers of slow libraries and the claims of sheets, of the code for the
cases that are measured twice, the attacks, and the tests that are marked. `pytest --whole` tries all, and so does whoever selects tests
by a file, a name or a word.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from rankproof.workers import store

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = 8
"""How many inputs are drawn for a law; 100 are where all is tried."""


def is_in_part(*about: object, one_in: int) -> bool:
    """Whether what a digest of all this decides is tried."""
    return int(store.digest(*about), 16) % one_in == 0


def so_many(names: Iterable[str], *about: object, number: int) -> set[str]:
    """So many of these, as a digest of all this decides: of few, a part by chance may be nearly all."""
    return set(sorted(names, key=lambda name: store.digest(*about, name))[:number])


@cache
def code() -> str:
    """A digest of the code of the harness and the reference."""
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
"""The mark of tests of which, where parts are taken, one in so many is tried: of their cases, or of the values of the parameter `by`."""
TURN = "in_turn"
"""The mark of tests that take about a second or more, and of 317 faults that were planted noticed none that a quicker one did not."""
ONE_IN = 8
"""Of the tests that are marked so one in so many is tried, with all of its cases, where parts are taken."""


def leave_out(config: Any, items: list[pytest.Item]) -> None:
    """Deselect the tests that are not in the part."""
    if not taken(config):
        return
    if out := {*_beyond_the_share(items), *_whose_turn_it_is_not(items)}:
        config.hook.pytest_deselected(items=[item for item in items if item in out])
        items[:] = [item for item in items if item not in out]


def _beyond_the_share(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Of the tests that are marked, those of which the others are one in so many; of each that has many cases, some are left."""
    many: dict[tuple[str, str, int], dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if mark := item.get_closest_marker(MARK):
            test, of = item.nodeid.partition("[")[0], mark.kwargs.get("by", "")
            group = (test.partition("::")[0] if of else test, of, mark.args[0])
            many[group][str(item.callspec.params[of]) if of else item.nodeid].append(item)  # type: ignore[attr-defined]
    for (_, _, one_in), cases in many.items():
        kept = so_many(cases, code(), number=ceil(len(cases) / one_in))
        for name in cases.keys() - kept:
            yield from cases[name]


def _whose_turn_it_is_not(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that are marked so, but for those of this run."""
    marked = [(item.nodeid.partition("[")[0], item) for item in items if item.get_closest_marker(TURN)]
    names = {name for name, _ in marked}
    kept = so_many(names, code(), number=ceil(len(names) / ONE_IN))
    yield from (item for name, item in marked if name not in kept)


def selected(request: pytest.FixtureRequest, parameter: str, every: Iterable[str]) -> set[str]:
    """The values that a parameter has among the selected tests of a module; every value, where none of the tests has it."""
    specs = (getattr(item, "callspec", None) for item in request.session.items if item.path == request.path)
    return {spec.params[parameter] for spec in specs if spec is not None and parameter in spec.params} or set(every)
