"""The axes in words: each choice that implementations make, its values, and which library makes which."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankproof.inference.equivalent_choices import can_matter
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.measure_forms import named
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.measures import MEASURES
from rankproof.text import folded
from rankproof.workers.subjects import names_of

STAGES = {
    "order": "how the docs of a query are ordered:",
    "judge": "what a judgment makes of a doc:",
    "measure": "how the formula is meant:",
    "aggregate": "which queries count, and how they are put together:",
}
SOME = 6
"""How many measures are named of those on which a library makes a choice."""

Follower = tuple[str, tuple[str, ...]]
"""A library in a variant, and the other values that could as well be named of it, as no answer of it tells them apart."""
Followers = Mapping[str, Mapping[Follower, Sequence[str]]]
"""Value -> who follows it -> the forms of measures that it was proved on; who could as well be said to follow another one is under both."""


def listing() -> Iterator[str]:
    """The axes by stage: the question of each, and its values, `standard`'s first."""
    for stage, title in STAGES.items():
        yield title
        for name, axis in AXES.items():
            if axis.stage == stage:
                yield folded(f"  {name:16} {axis.question}", 19)
                yield folded(f"{'':19}{' | '.join(values(name))}", 19)
        yield ""


def values(name: str) -> list[str]:
    """The named values of an axis, `standard`'s first, and of what form others are."""
    axis = AXES[name]
    named = sorted(axis.values, key=lambda value: value != axis.default)
    return [*named, *([f"as {axis.example}"] if axis.pattern else [])]


def as_json() -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "name": name,
            "stage": axis.stage,
            "question": axis.question,
            "default": axis.default,
            "values": dict(axis.values),
            "pattern": axis.pattern,
            "example": axis.example,
            "measures": measures_of(name),
        }
        for name, axis in AXES.items()
    ]


def measures_of(name: str) -> list[str]:
    """The measures to which a choice can matter."""
    return [measure for measure in [*MEASURES, *CLUSTERINGS] if name in can_matter(named(measure))]


def followers(name: str, published: Sequence[Fingerprint]) -> Followers:
    """Who was proved to follow which value, by the published fingerprints."""
    called = names_of(one.subject for one in published)
    found: dict[str, dict[Follower, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in published:
        could_be = one.axes[name].could_be if name in one.axes else ()
        for value in could_be:
            others = tuple(other for other in could_be if other != value)
            found[value][called[one.subject], others].append(one.key)
    return found


def could_as_well(others: Sequence[str]) -> str:
    """How it is said that no answer tells other values from the one that is named.

    >>> could_as_well(["given", "retrieved"]), could_as_well([])
    (' (or given, retrieved: no answer tells)', '')
    """
    return f" (or {', '.join(others)}: no answer tells)" if others else ""


def details(name: str, value: str, published: Sequence[Fingerprint]) -> Iterator[str]:
    """The question of an axis, what each value means, and who follows it; of one value alone, if it is named."""
    axis, who = AXES[name], followers(name, published)
    yield folded(f"{name}: {axis.question}")
    yield folded(f"It can matter to {', '.join(measures_of(name))}.")
    shown = [value] if value else list(dict.fromkeys([*(v for v in values(name) if v in axis.values), *who]))
    for one in shown:
        yield ""
        mark = ", as in `standard`" if one == axis.default else ""
        yield folded(f"{name}={one}: {axis.meaning(one)}{mark}", 4)
        for (library, others), forms in sorted(who.get(one, {}).items()):
            more = f" and {len(forms) - SOME} more" if len(forms) > SOME else ""
            yield folded(f"    {library}{could_as_well(others)}: {', '.join(forms[:SOME])}{more}", 8)
    if axis.pattern and not value:
        yield ""
        yield folded(f"Other values are written as {name}={axis.example}: {axis.phrase(axis.example)}.")
