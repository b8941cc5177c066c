"""The disagreements in the README: a few cases with every value and the libraries that give it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankproof.report.run_report import Disagreement, ReportedAnswer, markdown_safe

MOST = 3
"""Number of cases that are shown."""


def grid(disagreements: Sequence[Disagreement]) -> str:
    """Return the cases with the most libraries and the most different numbers, one for each topic, in Markdown.

    Each value is followed by its libraries, without variants if all variants of a library agree. The value of `standard`
    is bold. Among cases with equal disagreement, the first case is chosen.
    """
    ranked = sorted(disagreements, key=lambda one: -_divided(one))
    of_topic = {one.case.partition("/")[0]: one for one in reversed(ranked)}
    shown = sorted(of_topic.values(), key=ranked.index)[:MOST]
    return "\n".join(line for one in shown for line in _lines(one))


def _divided(one: Disagreement) -> int:
    numbers = [saying for saying in one.answers if "error" not in saying.shown]
    return sum(len(saying.who) for saying in numbers) * len(numbers)


def _lines(one: Disagreement) -> Iterator[str]:
    yield f"- {markdown_safe(one.question)} ({one.measure}, `{one.case}`)"
    ways = _ways(one.answers)
    for saying in one.answers:
        shown = f"**{saying.shown}**" if saying.standard else saying.shown
        yield f"  - {shown}: {', '.join(markdown_safe(name) for name in _folded(saying.who, ways))}"


def _ways(sayings: Iterable[ReportedAnswer]) -> Mapping[str, set[str]]:
    """Return the variants of each library."""
    ways = defaultdict(set)
    for saying in sayings:
        for name in saying.who:
            ways[name.partition("/")[0]].add(name)
    return ways


def _folded(names: Iterable[str], ways: Mapping[str, set[str]]) -> list[str]:
    """Return the names, and only the library if all its variants are among them.

    >>> _folded(["b/x", "a/y", "a/x"], {"a": {"a/x", "a/y"}, "b": {"b/x", "b/y"}})
    ['a', 'b/x']
    """
    there = set(names)
    alone = {library for library, own in ways.items() if own <= there}
    return sorted({library if (library := name.partition("/")[0]) in alone else name for name in there})
