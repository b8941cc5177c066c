"""Changes of values between two versions or two results, in words: what changed, the cause, and an example.

Everything is rendered from the facts of a group of changes, which are published in `history.json`.
"""

from collections.abc import Mapping
from typing import Any

from rankproof.cases.json_numbers import number_as_json
from rankproof.history.answer_changes import AnswerChange
from rankproof.history.change_groups import ChangeGroup
from rankproof.judge.verdicts import Row
from rankproof.report.convention_words import instead
from rankproof.report.layout import joined, row, some_names
from rankproof.text import number_of, one_line, short_pair

LONGEST = 45
"""How many characters of an error are shown."""
UNDETERMINED = "cause undetermined"
NEW, GONE = "newly computed", "no longer computed"

Facts = Mapping[str, Any]


def facts_of_group(group: ChangeGroup) -> dict[str, Any]:
    """Return the facts of changes with one cause; `witness` is the change that shows most."""
    witness = facts_of_change(group.witness)
    before, after = sides(witness)
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
        "behind": NEW if group.is_new else GONE if group.is_gone else causes(group.conventions),
        "place": place(witness),
        "before": before,
        "after": after,
        "witness": witness,
    }


def facts_of_change(change: AnswerChange) -> dict[str, Any]:
    """Return the facts of one change; a side without a value is null."""
    where = change.row
    return {
        "kind": str(change.kind),
        "library": where.library,
        "variant": where.variant,
        "version": where.version,
        "case": where.case,
        "measure": where.measure,
        "query": where.query,
        "old": _side(change.old),
        "new": _side(change.new),
    }


def _side(answer: Row | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    value = number_as_json(answer.value)
    return {
        "verdict": str(answer.verdict),
        "value": value,
        "error": answer.error,
        "conventions": list(answer.conventions),
    }


def causes(conventions: tuple[tuple[str, str, str], ...]) -> str:
    """Return the conventions that changed; that the cause is undetermined if none is known."""
    return joined([instead(axis, before, after) for axis, before, after in conventions]) or UNDETERMINED


def cause_of(group: Facts) -> str:
    """Return the cause of a group of changes."""
    known = tuple((part["axis"], part["before"], part["after"]) for part in group["cause"])
    return causes(known) if known else str(group["behind"])


def place(change: Facts) -> str:
    """Return case, measure and query of a change."""
    return f"{change['case']} {change['measure']}" + ("" if change["query"] is None else f" {change['query']}")


def sides(change: Facts) -> tuple[str, str]:
    """Return both values of a change, told apart; an error by its first words."""
    old, new = (_value(change[side]) for side in ("old", "new"))
    first, second = short_pair(old, new)
    return _cut(first), _cut(second)


def _value(side: Facts | None) -> float | str:
    if side is None:
        return "no value"
    if side["error"] is not None:
        return one_line(side["error"])
    return side["value"] if side["value"] is not None else str(side["verdict"])


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def lines_of(group: Facts, label: str = "", width: int = 10) -> list[str]:
    """Return what changed, why, and an example, next to a label such as the version."""
    before, after = sides(group["witness"])
    most = f", at most {short_pair(group['largest'], None)[0]}" if group["largest"] else ""
    what = f"{group['measure'] or some_names(group['variants'])}: {cause_of(group)}"
    count = number_of(group["answers"], "value")
    return [
        *row(label, one_line(f"{what} ({count}{most})"), width=width),
        *row("", one_line(f"{place(group['witness'])}: {before} → {after}"), width=width),
    ]
