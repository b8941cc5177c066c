"""What an upgrade of a library changes: on the terminal, as a comment for a pull request, and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankproof import codec
from rankproof.history.history import VersionStep
from rankproof.history.upgrades import UpgradeResult
from rankproof.report.changes import Facts, cause_of, facts_of_group, lines_of, place, sides
from rankproof.report.layout import MOST_LINES, chosen, fitted, joined, sentence, some_names
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of

MARK = "<!-- rankproof upgrade -->"
"""By which a program finds the comment again, to replace it."""


def facts_of_step(step: VersionStep) -> dict[str, Any]:
    """Return the facts of the difference between two versions, as `history.json` publishes them."""
    dependencies = [{"package": name, "before": old, "after": new} for name, old, new in step.dependencies]
    return {
        "from": step.old.plan.label_of_version,
        "to": step.new.plan.label_of_version,
        "noise": step.noise,
        "unsteady": step.unsteady,
        "beside": f" (with {packages(dependencies)})" if dependencies else "",
        "also_differs": dependencies,
        "changes": [facts_of_group(group) for group in step.moves],
    }


def packages(dependencies: Sequence[Mapping[str, str]]) -> str:
    """Return which packages below the library differ."""
    return some_names([f"{one['package']} {one['before']} → {one['after']}" for one in dependencies])


def headline(result: UpgradeResult) -> str:
    """Return how much an upgrade changes."""
    if result.why_not:
        return f"{result.title}: unknown ({result.why_not})."
    changes = [change for step in result.steps for change in step["changes"]]
    if not changes:
        return f"{result.title}: no value changes."
    values = number_of(sum(change["answers"] for change in changes), "value")
    return f"{result.title}: {number_of(len(changes), 'change')}, {values}."


def text_of(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]], *, details: bool = False) -> str:
    """Return what upgrades change in at most twelve lines each, largest changes first, or everything."""
    parts = [_upgrade(result, details=details) for result in results]
    if touched:
        parts.append(sentence(f"Your functions that may be affected: {joined(list(touched))}"))
    return "\n\n".join("\n".join(part) for part in parts) or "No library that rankproof observes differs."


def _upgrade(result: UpgradeResult, *, details: bool) -> list[str]:
    most = 10**9 if details else MOST_LINES
    head = sentence(headline(result))
    width = 6 + max((len(step["to"]) for step in result.steps), default=0)
    changes = [(step["to"], change) for step in result.steps for change in step["changes"]]
    blocks = [lines_of(change, version, width) for version, change in changes]
    shown = chosen(blocks, most - len(head) - 1, [-change["answers"] for _, change in changes])
    left = len(blocks) - len(shown)
    lines = [line for place in shown for line in blocks[place]]
    notes = [[f"  and {number_of(left, 'other change')} (--details)"] if left else [], *_notes(result)]
    kept = chosen(notes, most - len(head) - len(lines))
    return fitted([head, lines, [line for place in kept for line in notes[place]]], most)


def _notes(result: UpgradeResult) -> Iterator[list[str]]:
    """Yield what limits the answer: packages below the library that differ, and releases that could not be run."""
    for step in result.steps:
        if step["also_differs"]:
            yield sentence(f"Also new in {step['to']}, and maybe the cause: {packages(step['also_differs'])}.", 2)
    for version, why in result.failed.items():
        yield sentence(f"{version} could not be run: {why}", 2)
    if result.steps and result.source == "published":
        yield sentence("Published: a change is dated by the first version that was run.", 2)


def as_markdown(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]]) -> str:
    """Return a comment for a pull request."""
    changing = any(step["changes"] for result in results for step in result.steps)
    parts = [MARK, f"### rankproof: {'values change' if changing else 'no value changes'}", ""]
    for result in results:
        parts += [f"**{markdown_safe(headline(result))}**", ""]
        rows = [_row(change, step["to"]) for step in result.steps for change in step["changes"]]
        parts += (
            ["| in | measure | variants | values | cause | example | before | after |", "|---" * 8 + "|"]
            if rows
            else []
        )
        parts += [*rows, ""]
    if touched:
        parts.append(f"Functions that may be affected: {markdown_safe(joined(list(touched)))}")
    return "\n".join(parts).rstrip() + "\n"


def _row(change: Facts, version: str) -> str:
    variants, count = ", ".join(change["variants"]), f"{change['answers']:,}"
    example = place(change["witness"]), *sides(change["witness"])
    cells = (version, change["measure"], variants, count, cause_of(change), *example)
    return "| " + " | ".join(map(markdown_safe, cells)) + " |"


def as_json(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]]) -> str:
    """Return all facts as JSON."""
    return codec.encode({"upgrades": [codec.facts(result) for result in results], "touched": touched}, indent=1)
