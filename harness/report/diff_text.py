"""What moved, told: in the terminal, as a comment for a pull request, and to programs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankproof.cases.json_numbers import number_as_json
from rankproof.history.answer_changes import BY_ANSWER, AnswerChange, Drift
from rankproof.history.change_groups import ChangeGroup
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of, short

MARK = "<!-- rankproof diff -->"
"""By which a program finds the comment again, to replace it."""
LONGEST = 60_000
"""A comment on GitHub has 65,536 characters at most."""
SHORTEST, WIDEST = 60, 200
"""How many characters of an error a line, and a cell of a table, have room for."""


UNDETERMINED = "cause undetermined"


def said(row: Row | None) -> str:
    """What an answer says, for people."""
    if row is None:
        return "no answer"
    if row.error is not None:
        return row.error
    return short(row.value) if row.value is not None else str(row.verdict)


def both_sides(change: AnswerChange) -> tuple[str, str]:
    """Both answers, with as many digits as it takes to tell them apart."""
    old, new = said(change.old), said(change.new)
    if old == new and change.old is not None and change.new is not None and change.size:
        return repr(change.old.value), repr(change.new.value)
    return old, new


def versions_of(drift: Drift, library: str) -> str:
    """Return a library with its version before and after, such as `sklearn 1.1.3 → 1.4.0`."""
    old, new = (version_in(results, library) for results in (drift.old, drift.new))
    return f"{library} {new}" if old == new else f"{library} {old} → {new}"


def version_in(results: RunResults, library: str) -> str:
    """Return the version of a library in results, or all its versions."""
    found = results.libraries.get(library, ())
    return ", ".join(dict.fromkeys(one.version or "not installed" for one in found)) or "not asked"


def as_text(drift: Drift, groups: Iterable[ChangeGroup], *, whole: bool = False) -> Iterator[str]:
    """Lines for a terminal: a heading a library, a line a group, below it each answer if wanted; the count last."""
    heading = ""
    for group in sorted(groups, key=lambda group: group.library):
        if heading != (heading := versions_of(drift, group.library)):
            yield heading
        yield f"  {_sentence(group)}"
        for change in group.changes if whole else ():
            old, new = both_sides(change)
            yield f"    {place_of(change.row)}: {old} → {new}"
    yield closing(drift)


def _sentence(group: ChangeGroup) -> str:
    count, who = number_of(len(group.changes), "answer"), group.which or group.variants[0]
    if group.kind not in BY_ANSWER:
        verdicts = Counter(str(change.row.verdict) for change in group.changes)
        told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
        return f"{who}: {count} {group.kind} ({told})"
    old, new = (_cut(told, SHORTEST) for told in both_sides(group.witness))
    most = "" if not group.largest else f" by {short(group.largest)} at most"
    return f"{who} {group.measure}: {count} {group.kind}{most}, {cause_of(group)}; as in {place_of(group.witness.row)}: {old} → {new}"


def cause_of(group: ChangeGroup) -> str:
    """Return the conventions that changed, such as `ties=input → docid-asc`."""
    return ", ".join(f"{axis}={old} → {new}" for axis, old, new in group.conventions) or UNDETERMINED


def cause_as_json(group: ChangeGroup) -> dict[str, Any]:
    """Return the conventions that changed, and the signatures of each form before and after, in JSON's terms."""
    return {
        "cause": [{"axis": axis, "before": old, "after": new} for axis, old, new in group.conventions],
        "profiles": [
            {"variant": variant, "measure": form, "before": cause.before, "after": cause.after}
            for (variant, form), cause in group.profiles.items()
        ],
    }


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[:width]}…"


def place_of(row: Row) -> str:
    """Case, measure and query of an answer."""
    return f"{row.case} {row.measure}" + ("" if row.query is None else f" {row.query}")


def closing(drift: Drift) -> str:
    """What came out, in one line."""
    told = [f"{count:,} {kind}" for kind, count in drift.counts.items() if count]
    return ", ".join(told) if told else "nothing moved"


def as_markdown(drift: Drift, groups: Iterable[ChangeGroup]) -> str:
    """A comment for a pull request: what moved in a table, every answer folded below."""
    title = "something moved" if drift.moved else "nothing moved"
    parts = [MARK, f"### rankproof: {title}", "", f"{_before_and_after(drift)}{closing(drift)}.", ""]
    moved = [group for group in groups if group.kind in BY_ANSWER]
    if moved:
        parts += ["| library | measure | what | cause | by at most | as in |", "|---|---|---|---|---:|---|"]
        parts += _fitting((_table_row(group) for group in moved), LONGEST // 3, "|||{} more groups||||")
        parts += ["", "<details><summary>Every answer</summary>", "", "| where | before | after |", "|---|---|---|"]
        rows = (_answer_row(change, group) for group in moved for change in group.changes)
        parts += [*_fitting(rows, LONGEST // 2, "|{} more answers|||"), "", "</details>"]
    return "\n".join(parts).rstrip() + "\n"


def _before_and_after(drift: Drift) -> str:
    named = dict.fromkeys([*drift.old.libraries, *drift.new.libraries])
    upgraded = [markdown_safe(told) for told in (versions_of(drift, name) for name in named) if "→" in told]
    return f"{', '.join(upgraded)}: " if upgraded else ""


def _table_row(group: ChangeGroup) -> str:
    old, new = both_sides(group.witness)
    cells = (
        _code(group.which or group.witness.row.subject.name),
        _code(group.measure),
        f"{len(group.changes):,} {group.kind}",
        _code(cause_of(group)),
        short(group.largest) if group.largest else "–",
        f"{_code(place_of(group.witness.row))}: {_code(old)} → {_code(new)}",
    )
    return f"| {' | '.join(cells)} |"


def _answer_row(change: AnswerChange, group: ChangeGroup) -> str:
    row = change.row
    old, new = both_sides(change)
    return f"| {_code(f'{group.which or row.subject.name} {place_of(row)}')} | {_code(old)} | {_code(new)} |"


def _code(text: str) -> str:
    """Text as code, in which a code host finds no name to notify and no link."""
    return f"<code>{markdown_safe(_cut(text, WIDEST))}</code>" if text else "–"


def _fitting(lines: Iterable[str], room: int, more: str) -> Iterator[str]:
    """As many lines as there is room for, and how many are left out."""
    left = 0
    for line in lines:
        room -= len(line) + 1
        left += room < 0
        if room >= 0:
            yield line
    if left:
        yield more.format(f"{left:,}")


def as_json(drift: Drift, groups: Sequence[ChangeGroup]) -> dict[str, Any]:
    """The whole comparison in JSON's terms."""
    return {
        "moved": drift.moved,
        "counts": {str(kind): count for kind, count in drift.counts.items()},
        "libraries": {
            name: {"old": version_in(drift.old, name), "new": version_in(drift.new, name)}
            for name in dict.fromkeys([*drift.old.libraries, *drift.new.libraries])
        },
        "groups": [_group_as_json(group) for group in groups],
        "changes": [change_as_json(change) for change in drift.changes],
    }


def _group_as_json(group: ChangeGroup) -> dict[str, Any]:
    """Changes of one cause in JSON's terms, with the one that shows most."""
    return {
        "kind": str(group.kind),
        "library": group.library,
        "variant": group.variants[0],
        "measure": group.measure,
        **cause_as_json(group),
        "answers": len(group.changes),
        "largest": group.largest,
        "witness": change_as_json(group.witness),
    }


def change_as_json(change: AnswerChange) -> dict[str, Any]:
    """A change in JSON's terms."""
    row = change.row
    return {
        "kind": str(change.kind),
        "library": row.library,
        "variant": row.variant,
        "version": row.version,
        "case": row.case,
        "measure": row.measure,
        "query": row.query,
        "old": _side_as_json(change.old),
        "new": _side_as_json(change.new),
    }


def _side_as_json(row: Row | None) -> dict[str, Any] | None:
    if row is None:
        return None
    value = number_as_json(row.value)
    return {"verdict": str(row.verdict), "value": value, "error": row.error, "conventions": list(row.conventions)}
