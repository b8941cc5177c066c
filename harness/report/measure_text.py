"""The measures in words: what there is, and all that is to be said of one."""

import math
import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rankproof.inference.equivalent_choices import can_matter
from rankproof.measure_forms import named, written
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.contingency import Clustering
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import ALIASES, Measure
from rankproof.text import folded


def listing() -> Iterator[str]:
    """A line a measure: how it is written, and what it is."""
    wide = max(len(written(name)) for name in [*MEASURES, *CLUSTERINGS])
    yield "of a run, by qrels:"
    yield from (_line(name, wide) for name in MEASURES)
    yield ""
    yield "of two labelings of the same items:"
    yield from (_line(name, wide) for name in CLUSTERINGS)


def as_json() -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "name": name,
            "notation": written(name),
            "is": what(name),
            "other_names": others(name),
            "axes": list(can_matter(named(name))),
        }
        for name in [*MEASURES, *CLUSTERINGS]
    ]


def details(measure: Measure) -> Iterator[str]:
    """What a measure is, what it takes, and the choices that can matter to it."""
    name = measure.name
    yield from _refolded((sys.modules[defined(name).formula.__module__].__doc__ or "").strip())
    yield ""
    yield folded(f"written        {written(name)}", 15)
    for param, taken in defined(name).params.items():
        default = "optional" if taken.default is None else f"{taken.default!r} where it is not given"
        yield folded(f"{'parameter':15}{param}, {default}", 15)
    if names := others(name):
        yield folded(f"{'other names':15}{', '.join(names)}", 15)
    if bounds := _bounds(name):
        yield folded(f"{'values':15}{bounds}", 15)
    yield ""
    yield "choices that can matter to it, as `standard` takes them:"
    for axis in can_matter(measure):
        yield folded(f"  {axis:16} {AXES[axis].default}: {AXES[axis].meaning(AXES[axis].default)}", 19)


def _refolded(text: str) -> Iterator[str]:
    """The same in lines that fit a terminal: what is indented stays line by line, and all else is paragraphs."""
    for indented, block in groupby(text.splitlines(), key=lambda line: line[:1].isspace() or not line):
        if indented:
            yield from (folded(line, len(line) - len(line.lstrip()) + 4) if line else "" for line in block)
        else:
            yield folded(" ".join(block))


def what(name: str) -> str:
    """The value of one query, in one sentence."""
    return (defined(name).formula.__doc__ or "").strip().partition("\n")[0]


def others(name: str) -> list[str]:
    """The other names that are read as it."""
    return [other for other, meant in ALIASES.items() if meant == name]


def _line(name: str, wide: int) -> str:
    also = f" (also: {', '.join(others(name))})" if others(name) else ""
    return folded(f"  {written(name):{wide}}  {what(name)}{also}", wide + 4)


def defined(name: str) -> Definition | Clustering:
    """The measure of a name."""
    return MEASURES[name] if name in MEASURES else CLUSTERINGS[name]


def _bounds(name: str) -> str:
    if (bounds := defined(name).bounds) is None:
        return ""
    low, high = ("without a bound" if math.isinf(bound) else f"{bound:g}" for bound in bounds)
    return f"from {low} to {high}" + (", of rels 0 to 4 by `standard`" if name in MEASURES else "")
