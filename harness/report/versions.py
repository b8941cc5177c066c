"""Reports on version changes: the effect of upgrades, and the histories of libraries for `history.json`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankproof import codec
from rankproof.history.answer_changes import kind_of_answer
from rankproof.history.history import History, VersionStep
from rankproof.history.upgrades import UpgradeResult
from rankproof.history.version_runs import VersionRun
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.changes import EVERYTHING, facts_of_group, lines_of, table_of
from rankproof.report.layout import MOST_LINES, chosen, fitted, joined, sentence, some_names
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of, short

MARK = "<!-- rankproof upgrade -->"
"""A mark that lets programs find and replace an earlier comment."""


# -- upgrades ---------------------------------------------------------------------------------------------------------


def headline(result: UpgradeResult) -> str:
    """Return the number of changes and values that an upgrade changes."""
    if result.why_not:
        return f"{result.title}: unknown ({result.why_not})."
    changes = [change for step in result.steps for change in step["changes"]]
    if not changes:
        return f"{result.title}: no value changes."
    values = number_of(sum(change["answers"] for change in changes), "value")
    return f"{result.title}: {number_of(len(changes), 'change')}, {values}."


def text_of(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]], *, details: bool = False) -> str:
    """Return the changes of upgrades in at most twelve lines each, the largest first, or all if `details`."""
    parts = [_upgrade(result, EVERYTHING if details else MOST_LINES) for result in results]
    if touched:
        parts.append(sentence(f"Your functions that may be affected: {joined(list(touched))}"))
    return "\n\n".join("\n".join(part) for part in parts) or "No library that rankproof observes differs."


def _upgrade(result: UpgradeResult, most: int) -> list[str]:
    head = sentence(headline(result))
    width = 6 + max((len(step["to"]) for step in result.steps), default=0)
    changes = [(step["to"], change) for step in result.steps for change in step["changes"]]
    blocks = [lines_of(change, version, width) for version, change in changes]
    kept = chosen(blocks, most - len(head) - 1, [-change["answers"] for _, change in changes])
    left = len(blocks) - len(kept)
    lines = [line for number in kept for line in blocks[number]]
    notes = [[f"  and {number_of(left, 'other change')} (--details)"] if left else [], *_notes(result)]
    kept = chosen(notes, most - len(head) - len(lines))
    return fitted([head, lines, [line for number in kept for line in notes[number]]], most)


def _notes(result: UpgradeResult) -> Iterator[list[str]]:
    """Yield notes: dependencies that differ, and releases that could not be run."""
    for step in result.steps:
        if step["also_differs"]:
            yield sentence(f"Also new in {step['to']}, and possibly the cause: {_packages(step['also_differs'])}.", 2)
    for version, why in result.failed.items():
        yield sentence(f"{version} could not be run: {why}", 2)
    if result.steps and result.source == "published":
        yield sentence("Published: each change is listed under the first tested version that has it.", 2)


def as_markdown(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]]) -> str:
    """Return a comment for a pull request."""
    changing = any(step["changes"] for result in results for step in result.steps)
    parts = [MARK, f"### rankproof: {'values change' if changing else 'no value changes'}", ""]
    for result in results:
        changes = [(step["to"], change) for step in result.steps for change in step["changes"]]
        parts += [f"**{markdown_safe(headline(result))}**", "", *table_of(changes, "in"), ""]
    if touched:
        parts.append(f"Functions that may be affected: {markdown_safe(joined(list(touched)))}")
    return "\n".join(parts).rstrip() + "\n"


def as_json(results: Sequence[UpgradeResult], touched: Mapping[str, Sequence[str]]) -> str:
    """Return all facts as JSON."""
    return codec.encode({"upgrades": [codec.facts(result) for result in results], "touched": touched}, indent=1)


# -- histories --------------------------------------------------------------------------------------------------------


def facts_of_step(step: VersionStep) -> dict[str, Any]:
    """Return the facts of the difference between two versions for `history.json`."""
    dependencies = [{"package": name, "before": old, "after": new} for name, old, new in step.dependencies]
    return {
        "from": step.old.plan.label_of_version,
        "to": step.new.plan.label_of_version,
        "noise": step.noise,
        "unsteady": step.unsteady,
        "beside": f" (with {_packages(dependencies)})" if dependencies else "",
        "also_differs": dependencies,
        "changes": [facts_of_group(group) for group in step.moves],
    }


def _packages(dependencies: Sequence[Mapping[str, str]]) -> str:
    return some_names([f"{change['package']} {change['before']} → {change['after']}" for change in dependencies])


def lines_of_history(history: History) -> Iterator[str]:
    """Yield a heading and the changes of each version."""
    count = number_of(history.changes, "change")
    yield f"{history.library}: {count} in {number_of(len(history.observed), 'environment')}"
    for step in map(facts_of_step, history.steps):
        for change in step["changes"]:
            yield from lines_of(change, step["to"], 12)


def histories_as_json(histories: Iterable[History], runs: Iterable[VersionRun]) -> dict[str, Any]:
    """Return all histories and the status of every environment as plain data."""
    return {
        "environments": [_facts_of_run(run) for run in runs],
        "libraries": {
            history.library: {
                "title": history.title,
                "versions": [observed.plan.label_of_version for observed in history.observed],
                "steps": [facts_of_step(step) for step in history.steps],
                "answers": [
                    {name: getattr(witness, name) for name in ("variant", "case", "measure", "query")}
                    | {"by_version": [_cell(answer) for answer in history.across(witness)]}
                    for witness in history.witnesses
                ],
            }
            for history in histories
        },
    }


def _cell(answer: Row | None) -> str:
    """Return a number, the type of an error, or a dash."""
    if answer is None or answer.verdict is Verdict.UNSUPPORTED:
        return "–"
    return short(answer.value) if answer.value is not None else kind_of_answer(answer)


def _facts_of_run(run: VersionRun) -> dict[str, Any]:
    return {
        "name": run.plan.name,
        "library": run.plan.library,
        "package": run.plan.package,
        "version": run.plan.version,
        "python": str(run.built.hello.get("python") or run.plan.python),
        "stands_on": dict(run.built.hello.get("dependencies", {})),
        "status": run.status,
        "why": run.why,
        "verdicts": dict(sorted((run.counts or {}).items())),
    }
