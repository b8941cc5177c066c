"""Claim sheets compared with observations: claims that nothing supports, and known exceptions rewritten.

Nothing is written here: `planned` returns the new text of a sheet. Only exceptions that came or went are edited.
"""

import itertools
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rankproof.bounded import text_of
from rankproof.grouping import grouped
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict
from rankproof.reference_impl.notation import keys_of, parse
from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.sheets import SHARED, BadSheet, ObservationPlace, Sheet, read, steady


class NothingObserved(Unusable):
    """The library did not run, so its sheet cannot be updated."""


class NotPinnable(Unusable):
    """An observation that no line of a sheet can name."""


class NotEditable(BadSheet):
    """A sheet that can be read, but not rewritten."""


# -- claims that nothing supports ----------------------------------------------------------------------------------------


def stale(sheet: Sheet, rows: Iterable[Row], *, whole: bool = True) -> Iterator[tuple[ObservationPlace, str]]:
    """Yield the pins that do not occur (any more), and what to do about each, except of variants that are not installed.

    Args:
        sheet: the claims.
        rows: all rows of the library.
        whole: whether all cases ran, so that a pin without an observation is stale.
    """
    rows = [row for row in rows if row.library == sheet.library]
    by_place = {row.place: row for row in rows}
    absent = _absent(rows)
    for place, pin in sheet.pins.items():
        row = by_place.get(place)
        if row is None and (not whole or place.variant in absent):
            continue
        if row is None or row.verdict not in FAILS | {Verdict.KNOWN}:
            what = f"the verdict is {_now(row)} now" if row else "nothing is observed there"
            yield place, f"{sheet.path.name} pins {pin.observed!r}, but {what}: remove the exception"


def _absent(rows: Iterable[Row]) -> set[str]:
    return {row.variant for row in rows if row.verdict is Verdict.NOT_INSTALLED}


def _now(row: Row) -> str:
    value = row.observed or row.note
    return f"{row.verdict} ({value})" if value else str(row.verdict)


def unwitnessed(sheet: Sheet, rows: Iterable[Row]) -> list[str]:
    """Return the claims of a sheet that decide the verdict of no observation, and what to do about each.

    A claim decides a verdict if its key is the most specific one that fits the measure. Rows of all cases are needed; without any, nothing
    is returned.
    """
    rows = [row for row in rows if row.library == sheet.library]
    absent = _absent(rows)
    judged: dict[str, set[str]] = {row.variant: set() for row in rows if row.case}
    for row in rows:
        if row.case and row.verdict not in NOT_JUDGED | {Verdict.KNOWN}:
            judged[row.variant].add(row.measure)
    return [
        f"{sheet.path.name}: [{table}.{variant}] {what}"
        for table, claims in (("profiles", sheet.profiles), ("precisions", sheet.precisions))
        for variant, by_key in claims.items()
        if judged and variant not in absent
        for what in _useless(by_key, variant, judged)
    ]


def _useless(by_key: Iterable[str], variant: str, judged: Mapping[str, set[str]]) -> Iterator[str]:
    if variant not in judged:
        yield f"is not a variant of the adapter: remove it, or write one of {first_of(sorted(judged))}"
        return
    used = keys_used(by_key, judged[variant]) | {SHARED}
    for key in by_key:
        if key not in used:
            yield f'claims "{key}", which decides no value: remove the claim, or add a case whose value it decides'


def keys_used(by_key: Iterable[str], measures: Iterable[str]) -> set[str]:
    """Return the keys that are the most specific ones for some of these measures."""
    keys = set(by_key)
    return {next((key for key in keys_of(parse(measure)) if key in keys), SHARED) for measure in measures}


# -- exceptions rewritten ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """The text of a sheet before and after, and the number of exceptions that were added, removed and kept."""

    before: str
    after: str
    added: int
    removed: int
    kept: int


def planned(sheet: Sheet, rows: Iterable[Row], left_out: Iterable[str] = (), text: str | None = None) -> SheetEdit:
    """Return the sheet with its exceptions as they were observed.

    A pin that still fits stays. A pin that no longer occurs is removed, and its entry with its last line. New exceptions are added at the
    end with an empty reason, one entry for each topic of the cases; so are pins whose value changed.

    Args:
        sheet: the claims.
        rows: what was observed.
        left_out: variants that did not run; their pins stay.
        text: the text of the sheet, if it is not in its file yet.

    Raises:
        NothingObserved: the library did not run.
        NotPinnable: a query has a name that no line of a sheet can hold.
        NotEditable: the exceptions are not written as `[[known]]` tables with one observation a line.
    """
    rows = [row for row in rows if row.library == sheet.library]
    if not any(row.case for row in rows):
        why = next((row.note for row in rows if row.note), "it did not run")
        raise NothingObserved(f"nothing was observed of {sheet.library}, so its sheet stays unchanged: {why}")
    failing = {row.place: row.observed or str(row.verdict) for row in rows if row.verdict in FAILS and row.case}
    absent = _absent(rows) | set(left_out)
    known = {row.place for row in rows if row.verdict is Verdict.KNOWN}
    kept = {place for place in sheet.pins if place in known or place.variant in absent}
    new = {place: observed for place, observed in failing.items() if place not in kept}
    before = text_of(sheet.path) if text is None else text
    after = _without(before, set(sheet.pins) - kept) + "".join(_entries(new))
    _check(sheet, after, {place: sheet.pins[place].observed for place in kept} | new)
    return SheetEdit(before, after, len(new), len(sheet.pins) - len(kept), len(kept))


def _check(sheet: Sheet, text: str, wanted: Mapping[ObservationPlace, str]) -> None:
    """Refuse a text that does not read back as what was meant."""
    pins = read(sheet.path, text, draft=True).pins
    lost = [place for place, observed in wanted.items() if place not in pins or not pins[place].fits(observed)]
    if lost or len(pins) != len(wanted):
        remedy = "write each exception under [[known]] with one observation a line, or edit the sheet by hand"
        raise NotEditable(f"{sheet.path}: the exceptions would not read back as they were observed: {remedy}")


_TABLE = re.compile(r"^\[\[?[^\[\]\n]+\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_KNOWN = re.compile(r"\[\[ *known *\]\]")
_ENTRY = re.compile(r".*?(?=(?:^[ \t]*(?:#.*)?\n)*\Z)", re.DOTALL | re.MULTILINE)
"""The table of an exception, without blank lines and comments behind it."""


def _without(text: str, gone: Collection[ObservationPlace]) -> str:
    """Return the text without the lines of these places, and without the entries that lose all of theirs."""
    starts = [0, *(table.start() for table in _TABLE.finditer(text)), len(text)]
    parts = [text[start:end] for start, end in itertools.pairwise(starts)]
    return "".join(_part(part, gone) if _KNOWN.match(part) else part for part in parts).rstrip("\n") + "\n"


def _part(part: str, gone: Collection[ObservationPlace]) -> str:
    lines = part.splitlines(keepends=True)
    staying = [line for line in lines if _place(line) not in gone]
    if len(staying) == len(lines) or any(_place(line) for line in staying):
        return "".join(staying)
    entry = _ENTRY.match(part)
    return part[entry.end() :].lstrip("\n") if entry else ""


def _place(line: str) -> ObservationPlace | None:
    """Return the place of a line such as `ties/straddles-cutoff v P@2 mean 0.25`; None for any other line."""
    columns = line.split(maxsplit=4)
    if not columns[4:] or "/" not in columns[0] or columns[0].startswith("#"):
        return None
    case, variant, measure, query, _ = columns
    return ObservationPlace(case, variant, measure, None if query == "mean" else query)


def _entries(new: Mapping[ObservationPlace, str]) -> Iterator[str]:
    """Yield an entry for each topic."""
    for _, places in sorted(grouped((place.case.partition("/")[0], place) for place in new).items()):
        lines = "".join(f"{_line(place, new[place])}\n" for place in sorted(places, key=str))
        plain = "'''" not in lines and all(c.isprintable() or c == "\n" for c in lines)
        observed = f"'''\n{lines}'''" if plain else json.dumps(lines, ensure_ascii=False)
        yield f'\n[[known]]\nreason = ""\nobserved = {observed}\n'


def _line(place: ObservationPlace, observed: str) -> str:
    if place.query is not None and (place.query == "mean" or place.query.split() != [place.query]):
        remedy = "give it a name without spaces that is not 'mean'"
        raise NotPinnable(f"{place.case}: a sheet cannot name the query {place.query!r}: {remedy}")
    return f"{place} {steady(observed)}"
