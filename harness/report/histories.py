"""Histories of libraries: lines of `run --env`, and the facts of `history.json`."""

from collections.abc import Iterable, Iterator
from typing import Any

from rankproof.history.answer_changes import kind_of_answer
from rankproof.history.history import History
from rankproof.history.version_runs import VersionRun
from rankproof.judge.verdicts import HOLDS, Row, Verdict
from rankproof.report.changes import lines_of
from rankproof.report.upgrade import facts_of_step
from rankproof.text import number_of, short


def line_of_run(run: VersionRun) -> str:
    """Return what became of a run in one environment."""
    name = f"{run.plan.name:24} {run.plan.under:12}"
    if run.counts is None:
        return f"{name} {run.status}: {run.why}"
    as_claimed = sum(run.counts.get(verdict, 0) for verdict in HOLDS)
    others = sorted(run.counts.keys() - HOLDS - {Verdict.UNSUPPORTED, Verdict.UNDEFINED})
    return f"{name} {as_claimed:,} values as claimed" + "".join(f", {run.counts[v]:,} {v}" for v in others)


def lines_of_history(history: History) -> Iterator[str]:
    """Yield a heading, and what each version changed."""
    count = number_of(history.changes, "change")
    yield f"{history.library}: {count} in {number_of(len(history.observed), 'environment')}"
    for step in map(facts_of_step, history.steps):
        for change in step["changes"]:
            yield from lines_of(change, step["to"], 12)


def _witnesses(history: History) -> Iterator[dict[str, Any]]:
    for witness in history.witnesses:
        yield {
            "variant": witness.variant,
            "case": witness.case,
            "measure": witness.measure,
            "query": witness.query,
            "by_version": [_cell(answer) for answer in history.across(witness)],
        }


def _cell(answer: Row | None) -> str:
    """Return a number, the type of an error, or a dash."""
    if answer is None or answer.verdict is Verdict.UNSUPPORTED:
        return "–"
    return short(answer.value) if answer.value is not None else kind_of_answer(answer)


def as_json(histories: Iterable[History], runs: Iterable[VersionRun]) -> dict[str, Any]:
    """Return all histories, and what became of every environment, as plain data."""
    return {
        "environments": [_facts_of_run(run) for run in runs],
        "libraries": {
            history.library: {
                "title": history.title,
                "versions": [observed.plan.label_of_version for observed in history.observed],
                "steps": [facts_of_step(step) for step in history.steps],
                "answers": list(_witnesses(history)),
            }
            for history in histories
        },
    }


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
