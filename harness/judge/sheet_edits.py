"""Comparison of claim sheets with observations: unsupported claims, and updates of known exceptions.

`planned` returns the new text of a sheet and writes no file. It only edits exceptions that are new or gone.
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
    """Error for the update of a sheet whose library did not run."""


class NotPinnable(Unusable):
    """Error for a query id that a sheet cannot contain."""


class NotEditable(BadSheet):
    """Error for a sheet that can be read, but not rewritten."""


# -- unsupported claims --------------------------------------------------------------------------------------------------


def stale(sheet: Sheet, rows: Iterable[Row], *, whole: bool = True) -> Iterator[tuple[ObservationPlace, str]]:
    """Yield each pinned exception that no longer occurs, with a remedy, except for variants that are not installed.

    Args:
        sheet: the claim sheet.
        rows: all rows of the library.
        whole: whether all cases ran; then a pin without an observation is stale.
    """
    rows = [row for row in rows if row.library == sheet.library]
    by_place = {row.place: row for row in rows}
    absent = _absent(rows)
    for place, pin in sheet.pins.items():
        row = by_place.get(place)
        if row is None and (not whole or place.variant in absent):
            continue
        if row is None or row.verdict not in FAILS | {Verdict.KNOWN}:
            what = f"the verdict is now {_now(row)}" if row else "there is no such value"
            yield place, f"{sheet.path.name} pins {pin.observed!r}, but {what}: remove the exception"


def _absent(rows: Iterable[Row]) -> set[str]:
    return {row.variant for row in rows if row.verdict is Verdict.NOT_INSTALLED}


def _now(row: Row) -> str:
    value = row.observed or row.note
    return f"{row.verdict} ({value})" if value else str(row.verdict)


def unwitnessed(sheet: Sheet, rows: Iterable[Row]) -> list[str]:
    """Return complaints about the claims of a sheet that do not affect any verdict, with remedies.

    A claim affects a verdict if its key is the most specific one for the measure. The rows must include all cases.
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
            yield f'claims "{key}", which affects no value: remove the claim, or add a case whose value it affects'


def keys_used(by_key: Iterable[str], measures: Iterable[str]) -> set[str]:
    """Return the most specific key for each measure."""
    keys = set(by_key)
    return {next((key for key in keys_of(parse(measure)) if key in keys), SHARED) for measure in measures}


# -- updates of exceptions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """The text of a sheet before and after an update, and the number of added, removed and kept exceptions."""

    before: str
    after: str
    added: int
    removed: int
    kept: int


def planned(sheet: Sheet, rows: Iterable[Row], left_out: Iterable[str] = (), text: str | None = None) -> SheetEdit:
    """Return the sheet with updated exceptions.

    Pins that still fit stay. Pins that no longer occur are removed, and entries without pins as well. New exceptions
    and changed values are added at the end with an empty reason, in one entry per topic of the cases.

    Args:
        sheet: the claim sheet.
        rows: the judged values.
        left_out: variants that did not run; their pins stay.
        text: the text of the sheet, if it is not in its file yet.

    Raises:
        NothingObserved: the library did not run.
        NotPinnable: a sheet cannot contain the id of a query.
        NotEditable: the exceptions are not written as `[[known]]` tables with one observation a line.
    """
    rows = [row for row in rows if row.library == sheet.library]
    if not any(row.case for row in rows):
        why = next((row.note for row in rows if row.note), "it did not run")
        raise NothingObserved(f"{sheet.library} returned no values, so its sheet stays unchanged: {why}")
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
    """Raise an error if the new text does not contain exactly the wanted exceptions."""
    pins = read(sheet.path, text, draft=True).pins
    lost = [place for place, observed in wanted.items() if place not in pins or not pins[place].fits(observed)]
    if lost or len(pins) != len(wanted):
        remedy = "write each exception under [[known]] with one observation a line, or edit the sheet by hand"
        raise NotEditable(f"{sheet.path}: the exceptions cannot be updated in this layout: {remedy}")


_TABLE = re.compile(r"^\[\[?[^\[\]\n]+\]\]?[ \t]*(?:#.*)?$", re.MULTILINE)
_KNOWN = re.compile(r"\[\[ *known *\]\]")
_ENTRY = re.compile(r".*?(?=(?:^[ \t]*(?:#.*)?\n)*\Z)", re.DOTALL | re.MULTILINE)
"""The table of an exception, without the blank lines and comments after it."""


def _without(text: str, gone: Collection[ObservationPlace]) -> str:
    """Return the text without the lines of these places, and without entries that lose all their lines."""
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
