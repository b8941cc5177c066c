"""What an upgrade moves: in the terminal, as a comment for a pull request, as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.history.upgrades import Upgrade
from rankproof.report.run_report import markdown_safe

MARK = "<!-- rankproof upgrade -->"
"""By which a comment that is there already is found."""


@dataclass(frozen=True)
class Moved:
    """What an upgrade moves.

    Attributes:
        steps: as a history has them: from, to, also_differs, changes; the oldest first.
        source: `published`, or `observed` where both versions were asked now.
        why_not: why nothing is known; empty where something is.
    """

    upgrade: Upgrade
    steps: Sequence[Mapping[str, Any]]
    source: str = "published"
    why_not: str = ""

    @property
    def count(self) -> int:
        """How many things move."""
        return sum(len(step["changes"]) for step in self.steps)


def lines_of_upgrade(moved: Moved) -> Iterator[str]:
    """A heading, and what moves in words, step by step."""
    yield heading_of(moved)
    for step in moved.steps:
        yield f"  {step['from']} → {step['to']}{step['beside']}"
        yield from (f"    {change['sentence']}" for change in step["changes"])


def heading_of(moved: Moved) -> str:
    """The upgrade, and how much it moves."""
    if moved.why_not:
        return f"{moved.upgrade.title}: not known: {moved.why_not}"
    source = "by what was published" if moved.source == "published" else "asked now"
    count = {0: "nothing moves", 1: "1 thing moves"}.get(moved.count, f"{moved.count} things move")
    return f"{moved.upgrade.title}: {count} ({source})"


def lines_of_functions(touched: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The declared functions that may be touched."""
    for function, libraries in touched.items():
        yield f"may be touched: {function}, which imports {', '.join(libraries)} or may: pytest -k rankproof"


def as_markdown(all_moved: Sequence[Moved], touched: Mapping[str, Sequence[str]]) -> str:
    """A comment for a pull request."""
    moving = any(moved.count for moved in all_moved)
    parts = [MARK, f"### rankproof: {'metrics move' if moving else 'no metric moves'}", ""]
    for moved in all_moved:
        parts += [f"**{markdown_safe(heading_of(moved))}**", ""]
        changes = [(step, change) for step in moved.steps for change in step["changes"]]
        if changes:
            parts += [
                "| in | measure | asked by | cause | as in | before | after |",
                "|---|---|---|---|---|---|---|",
            ]
            parts += [*(_row(step, change) for step, change in changes), ""]
    parts += [f"- {markdown_safe(line)}" for line in lines_of_functions(touched)]
    return "\n".join(parts).rstrip() + "\n"


def _row(step: Mapping[str, Any], change: Mapping[str, Any]) -> str:
    cells = (
        step["to"],
        change["measure"],
        ", ".join(change["variants"]),
        change["behind"],
        change["place"],
        change["before"],
        change["after"],
    )
    return "| " + " | ".join(markdown_safe(str(cell)) for cell in cells) + " |"


def as_json(all_moved: Sequence[Moved], touched: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """All of it, for programs."""
    upgrades = [
        {
            "library": moved.upgrade.library.name,
            "old": moved.upgrade.old,
            "new": moved.upgrade.new,
            "source": moved.source,
            "why_not": moved.why_not,
            "moves": moved.count,
            "steps": list(moved.steps),
        }
        for moved in all_moved
    ]
    return {"upgrades": upgrades, "touched": {function: list(libraries) for function, libraries in touched.items()}}
