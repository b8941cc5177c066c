"""What became of libraries in their environments, and what changed from version to version: in the terminal, as Markdown, as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankproof.history.answer_changes import kind_of_answer
from rankproof.history.change_groups import ChangeGroup
from rankproof.history.history import History, ObservedVersion, VersionStep
from rankproof.history.version_runs import VersionRun
from rankproof.judge.verdicts import HOLDS, Row, Verdict
from rankproof.reference_impl.conventions import AXES
from rankproof.report.diff_text import (
    UNDETERMINED,
    both_sides,
    cause_as_json,
    cause_of,
    change_as_json,
    place_of,
    said,
)
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of

LONGEST = 60
"""How many characters of an answer are shown; only what is refused has more."""


def line_of_run(run: VersionRun) -> str:
    """What became of asking in one environment."""
    name = f"{run.plan.name:24} {run.plan.under:12}"
    if run.counts is None:
        return f"{name} {run.status}: {run.why}"
    as_claimed = sum(run.counts.get(verdict, 0) for verdict in HOLDS)
    others = sorted(run.counts.keys() - HOLDS - {Verdict.UNSUPPORTED, Verdict.UNDEFINED})
    return f"{name} {as_claimed:,} answers as the sheet claims" + "".join(f", {run.counts[v]:,} {v}" for v in others)


def lines_of_history(history: History) -> Iterator[str]:
    """What changed in a library: a heading, then a line for each step and one for each change."""
    versions = " ".join(observed.plan.version for observed in history.observed)
    yield f"{history.library}: {number_of(history.changes, 'change')} in {number_of(len(history.observed), 'environment')} ({versions})"
    for step in history.steps:
        yield f"  {_versions_of(step)}{beside(step)}"
        for move in step.moves:
            yield f"    {sentence_of(move)}"


def _versions_of(step: VersionStep) -> str:
    return f"{step.old.plan.label_of_version} → {step.new.plan.label_of_version}"


def beside(step: VersionStep) -> str:
    """What else differs between two environments, so that it may be the cause; nothing if nothing does."""
    named = {"Python", *step.old.installation.dependencies, *step.new.installation.dependencies}
    others = [f"{name} {before} → {after}" for name, before, after in step.dependencies if name in named]
    more = len(step.dependencies) - len(others)
    if more:
        others.append(f"{number_of(more, 'package')} more" if others else number_of(more, "other package"))
    return f" (with {', '.join(others)})" if others else ""


def sentence_of(move: ChangeGroup) -> str:
    """A change: measure, variants, how many answers, its cause, and the answer that shows it most."""
    before, after = sides_of(move)
    return (
        f"{move.measure} of {', '.join(move.variants)}: {number_of(len(move.changes), 'answer')}; {behind_of(move)}; "
        f"as in {place_of(move.witness.row)}: {before} → {after}"
    )


def sides_of(move: ChangeGroup) -> tuple[str, str]:
    """Both answers of the witness; a refusal by its first words."""
    return tuple(text if len(text) <= LONGEST else f"{text[:LONGEST]}…" for text in both_sides(move.witness))  # type: ignore[return-value]


def behind_of(move: ChangeGroup) -> str:
    """The cause of a change, in words and as conventions."""
    if move.is_new or move.is_gone:
        return "new" if move.is_new else "not there any more"
    words = "; ".join(f"{AXES[axis].phrase(old)} → {AXES[axis].phrase(new)}" for axis, old, new in move.conventions)
    return f"{words} ({cause_of(move)})" if words else UNDETERMINED


def as_markdown(histories: Sequence[History], runs: Iterable[VersionRun]) -> str:
    """The page of all histories."""
    parts = [
        "# What changed from version to version",
        "",
        "Written by `rankproof run --env`; do not edit. [The first page](README.md).",
        "",
    ]
    for history in histories:
        parts += [f"## {markdown_safe(history.library)}", "", "Asked in:", ""]
        parts += [*(f"- {_environment(observed)}" for observed in history.observed), ""]
        if not history.steps:
            parts += ["No answer differs between these versions.", ""]
        for step in history.steps:
            parts += [f"### {markdown_safe(_versions_of(step))} {markdown_safe(beside(step))}".rstrip(), ""]
            parts += [*HEADS, *map(row_of, step.moves), ""]
        if history.steps:
            parts += ["### The same answers in every version", "", *_table_of_versions(history), ""]
    absent = [run for run in runs if run.folder is None]
    if absent:
        names = [f"- {markdown_safe(run.plan.name)}: {markdown_safe(run.why)}" for run in absent]
        parts += ["## Not asked", "", *names, ""]
    return "\n".join(parts)


def _table_of_versions(history: History) -> Iterator[str]:
    """The witness of each move, with a column for each version; what stays as it was is not written again."""
    versions = [observed.plan.label_of_version for observed in history.observed]
    yield f"| question | {' | '.join(map(markdown_safe, versions))} |"
    yield f"|---|{'---|' * len(versions)}"
    for witness in history.witnesses:
        answers = [short_answer(answer) for answer in history.across(witness)]
        cells = [answer if i == 0 or answer != answers[i - 1] else "" for i, answer in enumerate(answers)]
        variant = witness.variant and f"{witness.variant}, "
        yield f"| {markdown_safe(f'{variant}{place_of(witness)}')} | {' | '.join(map(markdown_safe, cells))} |"


def short_answer(row: Row | None) -> str:
    """An answer in a cell: a number, the type of a refusal, or a dash."""
    if row is None or row.verdict is Verdict.UNSUPPORTED:
        return "–"
    return said(row) if row.value is not None else kind_of_answer(row)


def _environment(observed: ObservedVersion) -> str:
    installed = observed.installation
    if observed.plan.is_program:
        return markdown_safe(installed.version)
    packages = ", ".join(f"{name} {version}" for name, version in installed.dependencies.items())
    return f"{markdown_safe(installed.version)} on Python {installed.python} ({markdown_safe(packages)})"


def row_of(move: ChangeGroup) -> str:
    """A move as a row of a table."""
    before, after = sides_of(move)
    cells = (
        move.measure,
        ", ".join(move.variants),
        f"{len(move.changes):,}",
        behind_of(move),
        place_of(move.witness.row),
        before,
        after,
    )
    return "| " + " | ".join(markdown_safe(cell) for cell in cells) + " |"


HEADS = ("| measure | asked by | answers | cause | as in | before | after |", "|---|---|---:|---|---|---|---|")


def as_json(histories: Iterable[History], runs: Iterable[VersionRun]) -> dict[str, Any]:
    """All histories, and what became of every environment."""
    return {
        "environments": [_run_as_json(run) for run in runs],
        "libraries": {history.library: _history_as_json(history) for history in histories},
    }


def _history_as_json(history: History) -> dict[str, Any]:
    return {
        "title": history.title,
        "versions": [observed.plan.label_of_version for observed in history.observed],
        "steps": [step_as_json(step) for step in history.steps],
        "answers": [
            {
                "variant": witness.variant,
                "case": witness.case,
                "measure": witness.measure,
                "query": witness.query,
                "by_version": [short_answer(answer) for answer in history.across(witness)],
            }
            for witness in history.witnesses
        ],
    }


def _run_as_json(run: VersionRun) -> dict[str, Any]:
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


def step_as_json(step: VersionStep) -> dict[str, Any]:
    """What differs between two neighbours."""
    return {
        "from": step.old.plan.label_of_version,
        "to": step.new.plan.label_of_version,
        "noise": step.noise,
        "unsteady": step.unsteady,
        "beside": beside(step),
        "also_differs": [
            {"package": name, "before": before, "after": after} for name, before, after in step.dependencies
        ],
        "changes": [move_as_json(move) for move in step.moves],
    }


def move_as_json(move: ChangeGroup) -> dict[str, Any]:
    """A move, with the answer that shows it most."""
    before, after = sides_of(move)
    return {
        "library": move.library,
        "measure": move.measure,
        "variants": list(move.variants),
        "answers": len(move.changes),
        "largest": move.largest,
        **cause_as_json(move),
        "behind": behind_of(move),
        "place": place_of(move.witness.row),
        "before": before,
        "after": after,
        "sentence": sentence_of(move),
        "witness": change_as_json(move.witness),
    }
