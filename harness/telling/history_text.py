"""What became of libraries in their environments, and what changed from version to version: in the terminal, as Markdown, as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankproof.drift.change_groups import ChangeGroup
from rankproof.drift.history import History, ObservedVersion, VersionStep
from rankproof.drift.version_runs import VersionRun
from rankproof.telling.diff_text import both_sides, group_as_json, place_of
from rankproof.telling.run_report import markdown_safe
from rankproof.text import short

ANSWERED = ("agrees", "convention", "known")
"""The verdicts on an answer that is as the sheet claims."""


def line_of_run(run: VersionRun) -> str:
    """What became of asking in one environment."""
    name = f"{run.plan.name:24} Python {run.plan.python:5}"
    if run.counts is None:
        return f"{name} {run.status}: {run.why}"
    as_claimed = sum(run.counts.get(verdict, 0) for verdict in ANSWERED)
    silent = {"unsupported", "undefined"}
    others = [
        f"{count:,} {verdict}" for verdict, count in sorted(run.counts.items()) if verdict not in {*ANSWERED, *silent}
    ]
    return f"{name} {as_claimed:,} answers as the sheet claims" + "".join(f", {other}" for other in others)


def lines_of_history(history: History) -> Iterator[str]:
    """What changed in a library: a heading, then a line for each step and one for each change."""
    versions = " ".join(observed.plan.version for observed in history.observed)
    yield f"{history.library}: {_times(history.changes, 'change')} in {_times(len(history.observed), 'environment')} ({versions})"
    for step in history.steps:
        yield f"  {_versions_of(step)}{_beside(step)}"
        for group in step.groups:
            yield f"    {sentence_of(group)}"


def _times(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _versions_of(step: VersionStep) -> str:
    return f"{step.old.plan.version} → {step.new.plan.version}"


def _beside(step: VersionStep) -> str:
    """What else differs between two environments, so that it may be the cause."""
    others = ", ".join(f"{name} {before} → {after}" for name, before, after in step.dependencies)
    return f" (with {others})" if others else ""


def sentence_of(group: ChangeGroup) -> str:
    """A change: where, how many answers, what is behind it, and the answer that shows it most."""
    before, after = both_sides(group.witness)
    measure = group.measure or group.witness.row.measure
    cause = f"{group.cause}; " if group.cause else ""
    return f"{group.who} {measure}: {_times(len(group.changes), 'answer')}, {cause}as in {place_of(group.witness.row)}: {before} → {after}"


def as_markdown(histories: Sequence[History], runs: Iterable[VersionRun]) -> str:
    """The page of all histories."""
    parts = ["# What changed from version to version", "", "Written by `rankproof run --env`; do not edit.", ""]
    for history in histories:
        parts += [f"## {markdown_safe(history.library)}", "", "Asked in:", ""]
        parts += [f"- {_environment(observed)}" for observed in history.observed]
        parts.append("")
        if not history.steps:
            parts += ["No answer differs between these versions.", ""]
        for step in history.steps:
            parts += [f"### {_versions_of(step)}{markdown_safe(_beside(step))}", ""]
            parts += ["| who | measure | answers | what | as in | before | after |", "|---|---|---:|---|---|---|---|"]
            parts += [_row(group) for group in step.groups]
            parts.append("")
    absent = [run for run in runs if run.folder is None]
    if absent:
        parts += [
            "## Not asked",
            "",
            *(f"- {markdown_safe(run.plan.name)}: {markdown_safe(run.why)}" for run in absent),
            "",
        ]
    return "\n".join(parts)


def _environment(observed: ObservedVersion) -> str:
    installed = observed.installation
    packages = ", ".join(f"{name} {version}" for name, version in installed.dependencies.items())
    return f"{markdown_safe(installed.version)} on Python {installed.python} ({markdown_safe(packages)})"


def _row(group: ChangeGroup) -> str:
    before, after = both_sides(group.witness)
    largest = f", by {short(group.largest)} at most" if group.largest else ""
    cells = (
        group.who, group.measure or group.witness.row.measure, f"{len(group.changes):,}", f"{group.cause or group.kind}{largest}",
        place_of(group.witness.row), before, after,
    )  # fmt: skip
    return "| " + " | ".join(markdown_safe(cell) for cell in cells) + " |"


def as_json(histories: Iterable[History], runs: Iterable[VersionRun]) -> dict[str, Any]:
    """All histories, and what became of every environment."""
    return {
        "environments": [_run_as_json(run) for run in runs],
        "libraries": {history.library: [_step_as_json(step) for step in history.steps] for history in histories},
    }


def _run_as_json(run: VersionRun) -> dict[str, Any]:
    return {
        "name": run.plan.name, "library": run.plan.library, "package": run.plan.package, "version": run.plan.version,
        "python": str(run.built.hello.get("python") or run.plan.python), "stands_on": dict(run.built.hello.get("dependencies", {})),
        "status": run.status, "why": run.why, "verdicts": dict(sorted((run.counts or {}).items())),
    }  # fmt: skip


def _step_as_json(step: VersionStep) -> dict[str, Any]:
    return {
        "from": step.old.plan.name, "to": step.new.plan.name, "noise": step.noise, "unsteady": step.unsteady,
        "also_differs": [{"package": name, "before": before, "after": after} for name, before, after in step.dependencies],
        "changes": [group_as_json(group) for group in step.groups],
    }  # fmt: skip
