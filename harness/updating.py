"""Write observations into a sheet: exceptions that are new, and out with those that no longer happen."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import tomlkit
from tomlkit.items import AoT, Table

from rankproof.results import publish
from rankproof.sheets import Pin, Place, Sheet
from rankproof.verdicts import FAILS, Row, Verdict


@dataclass(frozen=True, slots=True)
class Changes:
    """How many exceptions came, went and stayed."""

    added: int
    removed: int
    kept: int


def update(sheet: Sheet, rows: Iterable[Row]) -> Changes:
    """Rewrite the sheet's exceptions by what was observed; its comments and claims stay as they are."""
    rows = [row for row in rows if row.library == sheet.library]
    failing = {row.place: row.observed for row in rows if row.verdict in FAILS and row.measure}
    held = {row.place for row in rows if row.verdict is Verdict.KNOWN}
    moved = {place: pin for place, pin in sheet.pins.items() if place in failing}
    kept = {place: pin for place, pin in sheet.pins.items() if place in held}
    new = {place: observed for place, observed in failing.items() if place not in moved}
    document = tomlkit.parse(sheet.path.read_text(encoding="utf-8"))
    entries = tomlkit.aot()
    for (reason, link), pins in _by_reason(kept, moved, failing).items():
        entries.append(_entry(reason, link, pins))
    if new:
        entries.append(_entry("", "", sorted(new.items(), key=lambda item: str(item[0]))))
    _replace(document, entries)
    publish(sheet.path, tomlkit.dumps(document))
    return Changes(len(new), len(sheet.pins) - len(kept) - len(moved), len(kept) + len(moved))


def _by_reason(
    kept: dict[Place, Pin], moved: dict[Place, Pin], failing: dict[Place, str]
) -> dict[tuple[str, str], list[tuple[Place, str]]]:
    found: dict[tuple[str, str], list[tuple[Place, str]]] = defaultdict(list)
    for place, pin in (kept | moved).items():
        found[pin.known.reason, pin.known.link].append((place, failing.get(place, pin.observed)))
    return found


def _entry(reason: str, link: str, pins: Iterable[tuple[Place, str]]) -> Table:
    table = tomlkit.table()
    table["reason"] = reason
    if link:
        table["link"] = link
    lines = "".join(f"{place} {observed}\n" for place, observed in pins)
    # The line break after the opening quotes is TOML's own, and not part of the text.
    table["observed"] = tomlkit.string("\n" + lines, multiline=True)
    return table


def _replace(document: tomlkit.TOMLDocument, entries: AoT) -> None:
    if "known" in document:
        del document["known"]
    if len(entries):
        document["known"] = entries
