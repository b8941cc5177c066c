"""What changed between two results: on the terminal, as a comment for a pull request, and as JSON."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from rankproof import codec
from rankproof.history.answer_changes import BY_ANSWER, Drift
from rankproof.history.change_groups import ChangeGroup
from rankproof.judge.results_file import RunResults
from rankproof.report.changes import Facts, cause_of, facts_of_change, facts_of_group, lines_of, place, sides
from rankproof.report.layout import MOST_LINES, chosen, fitted, joined, sentence
from rankproof.report.run_report import markdown_safe
from rankproof.text import short

MARK = "<!-- rankproof diff -->"
"""By which a program finds the comment again, to replace it."""
LONGEST = 60_000
"""A comment on GitHub has 65,536 characters at most."""


def headline(drift: Drift) -> str:
    """Return how many values changed in which way, and the versions before and after."""
    counts = [f"{count:,} {kind}" for kind, count in drift.counts.items() if count]
    names = dict.fromkeys([*drift.old.libraries, *drift.new.libraries])
    versions = ((name, version_in(drift.old, name), version_in(drift.new, name)) for name in names)
    upgraded = [f"{name} {old} → {new}" for name, old, new in versions if old != new]
    what = f"values: {joined(counts)}." if counts else "No value changed."
    return f"{', '.join(upgraded)}: {what}" if upgraded else what


def version_in(results: RunResults, library: str) -> str:
    """Return the version of a library in results, or all its versions."""
    versions = results.libraries.get(library, ())
    return ", ".join(dict.fromkeys(one.version or "not installed" for one in versions)) or "not run"


def text_of(drift: Drift, groups: Sequence[ChangeGroup], *, details: bool = False) -> str:
    """Return the largest changes in at most twelve lines, or every change with every value."""
    head = sentence(headline(drift))
    parts: list[list[str]] = []
    for group in groups:
        lines = _lines(group, facts_of_group(group))
        for change in group.changes if details else ():
            before, after = sides(facts_of_change(change))
            lines += sentence(f"{place(facts_of_change(change))}: {before} → {after}", 6, 8)
        parts.append(lines)
    shown = chosen(parts, 10**9 if details else MOST_LINES - len(head) - 1)
    left = [f"  and {len(parts) - len(shown)} more (--details)"] if len(shown) < len(parts) else []
    return "\n".join(fitted([head, *(parts[place] for place in shown), left], 10**9 if details else MOST_LINES))


def _lines(group: ChangeGroup, facts: Facts) -> list[str]:
    who = group.which or group.witness.row.subject.name
    if group.kind in BY_ANSWER:
        return [*sentence(f"{who}, {group.kind}", 2), *lines_of(facts, width=6)]
    return sentence(f"{who}: {len(group.changes):,} {group.kind}", 2)


def as_markdown(drift: Drift, groups: Iterable[ChangeGroup]) -> str:
    """Return a comment for a pull request: a table of the changes."""
    title = "values changed" if drift.moved else "no value changed"
    parts = [MARK, f"### rankproof: {title}", "", markdown_safe(headline(drift)), ""]
    changed = [group for group in groups if group.kind in BY_ANSWER]
    if changed:
        parts += ["| library | measure | values | cause | at most | example |", "|---|---|---|---|---:|---|"]
        rows = [_group_row(group) for group in changed]
        sizes = accumulate(len(row) + 1 for row in rows)
        shown = [row for row, size in zip(rows, sizes, strict=True) if size <= LONGEST - 2_000]
        parts += [*shown, *([f"|||{len(rows) - len(shown):,} more groups||||"] if len(shown) < len(rows) else [])]
    return "\n".join(parts).rstrip() + "\n"


def _name(group: ChangeGroup) -> str:
    return group.which or group.witness.row.subject.name


def _group_row(group: ChangeGroup) -> str:
    facts = facts_of_group(group)
    before, after = sides(facts["witness"])
    example = f"{_code(place(facts['witness']))}: {_code(before)} → {_code(after)}"
    largest = short(group.largest) if group.largest else "–"
    cause = markdown_safe(cause_of(facts))
    what = f"{len(group.changes):,} {group.kind}"
    return f"| {_code(_name(group))} | {_code(group.measure)} | {what} | {cause} | {largest} | {example} |"


def _code(text: str) -> str:
    """Return text as code, in which a code host finds no name to notify and no link."""
    return f"<code>{markdown_safe(text[:200])}</code>" if text else "–"


def as_json(drift: Drift, groups: Sequence[ChangeGroup]) -> str:
    """Return the whole comparison as JSON."""
    data: dict[str, Any] = {
        "moved": drift.moved,
        "counts": {str(kind): count for kind, count in drift.counts.items()},
        "libraries": {
            name: {"old": version_in(drift.old, name), "new": version_in(drift.new, name)}
            for name in dict.fromkeys([*drift.old.libraries, *drift.new.libraries])
        },
        "groups": [facts_of_group(group) for group in groups],
        "changes": [facts_of_change(change) for change in drift.changes],
    }
    return codec.encode(data, indent=1)
