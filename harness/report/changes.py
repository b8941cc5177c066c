"""Reports on changed values between two results, as text, Markdown and JSON. `rankproof diff` prints them.

All forms use the facts of groups of changes, which `history.json` also publishes.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from rankproof import codec
from rankproof.cases.json_numbers import number_as_json
from rankproof.history.answer_changes import BY_ANSWER, AnswerChange, Drift
from rankproof.history.change_groups import ChangeGroup
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row
from rankproof.report.convention_words import instead
from rankproof.report.layout import MOST_LINES, chosen, fitted, joined, row, sentence, some_names
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of, one_line, short, short_pair

LONGEST_ERROR = 45
"""Maximum length of a printed error."""
LONGEST_TABLE = 58_000
"""Maximum length of a table. A comment on GitHub has at most 65,536 characters."""
EVERYTHING = 10**9
UNDETERMINED = "cause undetermined"
MARK = "<!-- rankproof diff -->"
"""A mark that lets programs find and replace an earlier comment."""

Facts = Mapping[str, Any]


# -- facts ------------------------------------------------------------------------------------------------------------


def facts_of_group(group: ChangeGroup) -> dict[str, Any]:
    """Return the facts of changes with the same cause; `witness` is the clearest example."""
    witness = facts_of_change(group.witness)
    before, after = sides(witness)
    behind = "newly computed" if group.is_new else "no longer computed" if group.is_gone else _causes(group.conventions)
    return {
        "kind": str(group.kind),
        "library": group.library,
        "measure": group.measure,
        "variants": list(group.variants),
        "answers": len(group.changes),
        "largest": group.largest,
        "cause": [{"axis": axis, "before": old, "after": new} for axis, old, new in group.conventions],
        "profiles": [
            {"variant": variant, "measure": form, "before": cause.before, "after": cause.after}
            for (variant, form), cause in group.profiles.items()
        ],
        "behind": behind,
        "place": place(witness),
        "before": before,
        "after": after,
        "witness": witness,
    }


def facts_of_change(change: AnswerChange) -> dict[str, Any]:
    """Return the facts of one change; a missing old or new result is null."""
    where = ("library", "variant", "version", "case", "measure", "query")
    named = {name: getattr(change.row, name) for name in where}
    return {"kind": str(change.kind), **named, "old": _side(change.old), "new": _side(change.new)}


def _side(answer: Row | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    facts = {"verdict": str(answer.verdict), "value": number_as_json(answer.value), "error": answer.error}
    return {**facts, "conventions": list(answer.conventions)}


# -- words ------------------------------------------------------------------------------------------------------------


def _causes(conventions: Iterable[tuple[str, str, str]]) -> str:
    return joined([instead(axis, before, after) for axis, before, after in conventions]) or UNDETERMINED


def cause_of(group: Facts) -> str:
    """Return the conventions that changed, or "cause undetermined"."""
    return _causes((c["axis"], c["before"], c["after"]) for c in group["cause"]) if group["cause"] else group["behind"]


def place(change: Facts) -> str:
    """Return the case, measure and query of a change."""
    return " ".join(filter(None, (change["case"], change["measure"], change["query"])))


def sides(change: Facts) -> tuple[str, str]:
    """Return both values of a change with enough digits to differ, or the first words of an error."""
    first, second = short_pair(*(_value(change[side]) for side in ("old", "new")))
    return _cut(first), _cut(second)


def _value(side: Facts | None) -> float | str:
    if side is None:
        return "no value"
    if side["error"] is not None:
        return one_line(side["error"])
    return side["value"] if side["value"] is not None else str(side["verdict"])


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}…"


def lines_of(group: Facts, label: str = "", width: int = 10) -> list[str]:
    """Return lines with a change, its cause and an example, next to a label such as the version."""
    before, after = sides(group["witness"])
    most = f", at most {short(group['largest'])}" if group["largest"] else ""
    what = f"{group['measure'] or some_names(group['variants'])}: {cause_of(group)}"
    count = number_of(group["answers"], "value")
    return [
        *row(label, one_line(f"{what} ({count}{most})"), width=width),
        *row("", one_line(f"{place(group['witness'])}: {before} → {after}"), width=width),
    ]


def table_of(groups: Iterable[tuple[str, Facts]], heading: str) -> list[str]:
    """Return a Markdown table of named groups of changes, as many as fit into a comment.

    Text from libraries is formatted as code, in which code hosts do not notify users or make links.
    """
    rows = [
        f"| {_code(name)} | {_code(group['measure'])} | {group['answers']:,} | {markdown_safe(cause_of(group))} | "
        f"{short(group['largest']) if group['largest'] else '–'} | {_example(group)} |"
        for name, group in groups
    ]
    fitting = [line for line, size in zip(rows, accumulate(map(len, rows)), strict=True) if size <= LONGEST_TABLE]
    more = [f"|{len(rows) - len(fitting):,} more groups||||||"] if len(fitting) < len(rows) else []
    head = f"| {heading} | measure | values | cause | at most | example |"
    return [head, "|---|---|---:|---|---:|---|", *fitting, *more] if rows else []


def _example(group: Facts) -> str:
    before, after = sides(group["witness"])
    return f"{_code(place(group['witness']))}: {_code(before)} → {_code(after)}"


def _code(text: str) -> str:
    return f"<code>{markdown_safe(text[:200])}</code>" if text else "–"


# -- diff -------------------------------------------------------------------------------------------------------------


def headline(drift: Drift) -> str:
    """Return the number of values for each kind of change, and the versions before and after."""
    counts = [f"{count:,} {kind}" for kind, count in drift.counts.items() if count]
    upgraded = [f"{name} {old} → {new}" for name, (old, new) in _versions(drift).items() if old != new]
    what = f"values: {joined(counts)}." if counts else "No value changed."
    return f"{', '.join(upgraded)}: {what}" if upgraded else what


def _versions(drift: Drift) -> dict[str, tuple[str, str]]:
    """Return the versions of each library before and after."""
    names = dict.fromkeys([*drift.old.libraries, *drift.new.libraries])
    return {name: (_versions_in(drift.old, name), _versions_in(drift.new, name)) for name in names}


def _versions_in(results: RunResults, library: str) -> str:
    versions = results.libraries.get(library, ())
    return ", ".join(dict.fromkeys(installation.version or "not installed" for installation in versions)) or "not run"


def _name(group: ChangeGroup) -> str:
    return group.versioned_name or group.witness.row.subject.name


def text_of(drift: Drift, groups: Sequence[ChangeGroup], *, details: bool = False) -> str:
    """Return the largest changes in at most twelve lines, or all changes with all values if `details`."""
    most = EVERYTHING if details else MOST_LINES
    head = sentence(headline(drift))
    parts: list[list[str]] = []
    for group in groups:
        lines = sentence(f"{_name(group)}: {len(group.changes):,} {group.kind}", 2)
        if group.kind in BY_ANSWER:
            lines = [*sentence(f"{_name(group)}, {group.kind}", 2), *lines_of(facts_of_group(group), width=6)]
        for change in map(facts_of_change, group.changes if details else ()):
            before, after = sides(change)
            lines += sentence(f"{place(change)}: {before} → {after}", 6, 8)
        parts.append(lines)
    kept = chosen(parts, most - len(head) - 1)
    left = [f"  and {len(parts) - len(kept)} more (--details)"] if len(kept) < len(parts) else []
    return "\n".join(fitted([head, *(parts[number] for number in kept), left], most))


def as_markdown(drift: Drift, groups: Iterable[ChangeGroup]) -> str:
    """Return a comment for a pull request, with a table of the changes."""
    title = "values changed" if drift.moved else "no value changed"
    changed = [(f"{_name(group)}, {group.kind}", facts_of_group(group)) for group in groups if group.kind in BY_ANSWER]
    lines = [MARK, f"### rankproof: {title}", "", markdown_safe(headline(drift)), "", *table_of(changed, "library")]
    return "\n".join(lines).rstrip() + "\n"


def as_json(drift: Drift, groups: Sequence[ChangeGroup]) -> str:
    """Return the whole comparison as JSON."""
    data: dict[str, Any] = {
        "moved": drift.moved,
        "counts": {str(kind): count for kind, count in drift.counts.items()},
        "libraries": {name: {"old": old, "new": new} for name, (old, new) in _versions(drift).items()},
        "groups": [facts_of_group(group) for group in groups],
        "changes": [facts_of_change(change) for change in drift.changes],
    }
    return codec.encode(data, indent=1)
