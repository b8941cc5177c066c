"""A sheet held against what was observed: what it claims in vain, and its exceptions rewritten.

Nothing is asked and nothing is written here: `planned` gives the new text of the sheet, and its caller puts it in its place. The text is
edited where an exception came, moved or went, and is otherwise left as it is, byte for byte.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rankproof.grouping import grouped
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row, Verdict
from rankproof.reference_impl.notation import keys_of, parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.sheets import SHARED, BadSheet, ObservationPlace, Pin, Sheet, read, steady

MOST_NAMED = 5
"""How many names a sentence gives to choose from."""


class NothingObserved(Unusable):
    """The library could not be asked, so that nothing can be said of its sheet."""


class NotPinnable(Unusable):
    """An observation that no line of a sheet can name."""


class NotEditable(BadSheet):
    """A sheet in a form of TOML that is read, but not rewritten."""


# -- what a sheet claims in vain --------------------------------------------------------------------------------------


def stale(sheet: Sheet, rows: Iterable[Row], *, whole: bool = True) -> Iterator[tuple[ObservationPlace, str]]:
    """The pins that do not happen (any more), and what to do about each; pins of a variant that is not installed are left alone.

    Args:
        sheet: the claims.
        rows: all rows of the library.
        whole: whether the whole corpus was asked, so that a pin that met no observation is stale.
    """
    rows = [row for row in rows if row.library == sheet.library]
    met = {row.place: row for row in rows}
    absent = _absent(rows)
    for place, pin in sheet.pins.items():
        row = met.get(place)
        if row is None and (not whole or place.variant in absent):
            continue
        if row is None or row.verdict not in FAILS | {Verdict.KNOWN}:
            what = _unmet(place, rows) if row is None else f"{_does(row)} now: remove the exception"
            yield place, f"{sheet.path.name} pins {pin.observed!r}, but {what}"


def _absent(rows: Iterable[Row]) -> set[str]:
    return {row.variant for row in rows if row.verdict is Verdict.NOT_INSTALLED}


def _unmet(place: ObservationPlace, rows: Iterable[Row]) -> str:
    """Why nothing is observed at a place, and what to do about it."""
    asked = [row for row in rows if row.case]
    if place.case not in {row.case for row in asked}:
        return f"nothing is observed there, as no case has the id {place.case}: remove the line, or write the id that it means"
    if place.variant not in (variants := {row.variant for row in asked}):
        return f"nothing is observed there, as no variant is {place.variant}: remove the line, or write {_one_of(variants)}"
    if place.measure not in (measures := {row.measure for row in asked if row.case == place.case}):
        return f"nothing is observed there, as the case does not ask it: remove the line, or write {_one_of(measures)}"
    return "nothing is observed there: remove the line"


def _one_of(names: Iterable[str]) -> str:
    """The names to choose from, as far as they help.

    >>> _one_of({"b", "a"}), _one_of("abcdefgh")
    ('one of a, b', 'one of a, b, c, d, e, …')
    """
    named = sorted(names)
    return f"one of {', '.join(named[:MOST_NAMED] + ['…'] * (len(named) > MOST_NAMED))}"


def _does(row: Row) -> str:
    told = {
        Verdict.AGREES: "the answer agrees with `standard`",
        Verdict.CONVENTION: "the answer follows the claimed profile",
        Verdict.UNSUPPORTED: "the measure is unsupported",
        Verdict.UNDEFINED: "the case has no right answer",
    }
    said = row.observed or row.note
    return told.get(row.verdict, f"the answer is {row.verdict}") + (f" ({said})" if said else "")


def unwitnessed(sheet: Sheet, rows: Iterable[Row]) -> list[str]:
    """The claims of a sheet that no answer of the library bears on, and what to do about each.

    A claim is witnessed by an answer that was judged under it: its key is the most specific one that fits the measure. So a key is in vain
    where the variant does not answer such a measure, where the corpus does not ask for one, and where other keys take all of them. Rows of
    the whole corpus are needed; of a library that was not asked, nothing is said.
    """
    rows = [row for row in rows if row.library == sheet.library]
    absent = _absent(rows)
    judged: dict[str, set[str]] = {row.variant: set() for row in rows if row.case}
    for row in rows:
        if row.case and row.verdict not in NOT_JUDGED | {Verdict.KNOWN}:
            judged[row.variant].add(row.measure)
    if not judged:
        return []
    tables = (("profiles", sheet.profiles), ("precisions", sheet.precisions))
    return [
        f"{sheet.path.name}: [{table}.{variant}] {what}"
        for table, claims in tables
        for variant, by_key in claims.items()
        if variant not in absent
        for what in _in_vain(by_key, variant, judged)
    ]


def _in_vain(by_key: Iterable[str], variant: str, judged: Mapping[str, set[str]]) -> Iterator[str]:
    if variant not in judged:
        yield f"is of no variant that the adapter has: remove it, or write {_one_of(judged)}"
        return
    used = {next((key for key in keys_of(parse(measure)) if key in by_key), "") for measure in judged[variant]}
    for key in by_key:
        if key not in used | {SHARED}:
            yield f'claims "{key}", but no answer is judged by it: remove the claim, or add a case whose answer it decides'


# -- a sheet rewritten ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetEdit:
    """What becomes of a sheet: its text before and after, and how many exceptions came, moved, went and stayed."""

    before: str
    after: str
    added: int
    moved: int
    removed: int
    kept: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where in the text one `[[known]]` stands (from its header to the end of its last value), and the value of `observed`."""

    start: int
    end: int
    observed: slice


def planned(sheet: Sheet, rows: Iterable[Row], left_out: Iterable[str] = (), text: str | None = None) -> SheetEdit:
    """The sheet with its exceptions as they were observed.

    A pin that still fits stays as it is written. One that no longer happens goes, and its entry with the last of its lines. What is new
    is added at the end, an entry for each topic of the cases, with an empty reason; so is what moved, as the reason was given for another
    observation: it is told in a comment, for a person to judge. The pins of variants that were left out stay as they are.

    Args:
        sheet: the claims.
        rows: what was observed.
        left_out: the variants that were not asked.
        text: the text of the sheet, where it is not yet in its file.

    Raises:
        NothingObserved: the library could not be asked.
        NotPinnable: a query has a name that no line of a sheet can hold.
        NotEditable: the exceptions are not written as `[[known]]` tables.
    """
    rows = [row for row in rows if row.library == sheet.library]
    if not any(row.case for row in rows):
        why = next((row.note for row in rows if row.note), "it was not asked")
        raise NothingObserved(f"nothing was observed of {sheet.library}, so its sheet stays as it is: {why}")
    failing = {row.place: row.observed or str(row.verdict) for row in rows if row.verdict in FAILS and row.case}
    absent = _absent(rows) | set(left_out)
    held = {row.place for row in rows if row.verdict is Verdict.KNOWN}
    kept = {place for place in sheet.pins if place in held or place.variant in absent}
    new = {place: observed for place, observed in failing.items() if place not in kept}
    moved = {place: pin for place, pin in sheet.pins.items() if place in new}
    before = sheet.path.read_text(encoding="utf-8") if text is None else text
    after = _without(before, set(sheet.pins) - kept, sheet)
    after += "".join(_entries(new, moved))
    _check(sheet, after, {place: sheet.pins[place].observed for place in kept} | new)
    removed = len(sheet.pins) - len(kept) - len(moved)
    return SheetEdit(before, after, len(new) - len(moved), len(moved), removed, len(kept))


def _check(sheet: Sheet, text: str, wanted: Mapping[ObservationPlace, str]) -> None:
    """What is written must read back as what was meant."""
    pins = read(sheet.path, text, draft=True).pins
    lost = [place for place, observed in wanted.items() if place not in pins or not pins[place].fits(observed)]
    if lost or len(pins) != len(wanted):
        raise NotEditable(f"{sheet.path}: the exceptions would not read back as they were observed: write them by hand")


_TOKEN = re.compile(
    r'(?P<text>"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*')"
    r"|#[^\n]*"
    r"|^[ \t]*\[(?P<table>[^\n#]*)\]"
    r"|^[ \t]*(?P<key>[\w-]+)[ \t]*=",
    re.DOTALL | re.MULTILINE,
)
"""What matters of TOML to find an exception: strings (whatever they hold), comments, headers of tables, keys."""


def _found(text: str) -> list[_Entry]:
    """Where the exceptions of a sheet stand."""
    found: list[_Entry] = []
    inside, key = False, ""
    for token in _TOKEN.finditer(text):
        if token["table"] is not None:
            inside = token["table"].strip("[] \t") == "known"
            if inside:
                found.append(_Entry(token.start(), token.end(), slice(0, 0)))
        elif token["key"] is not None:
            key = token["key"]
        elif token["text"] is not None and inside:
            entry = replace(found[-1], end=token.end())
            found[-1] = replace(entry, observed=slice(token.start(), token.end())) if key == "observed" else entry
    return found


def _without(text: str, gone: Collection[ObservationPlace], sheet: Sheet) -> str:
    """The text without the lines of these places, and without the entries that lose all of theirs."""
    entries = _found(text)
    if len(entries) != len(tomllib.loads(text).get("known", [])):
        raise NotEditable(f"{sheet.path}: write each exception as a table of its own, under [[known]]")
    for entry in reversed(entries):
        lines = tomllib.loads(f"observed = {text[entry.observed]}")["observed"].splitlines()
        staying = [line for line in lines if not line.strip() or _place(line) not in gone]
        if not any(line.strip() for line in staying):
            text = _cut(text, entry)
        elif staying != lines:
            text = text[: entry.observed.start] + _quoted(staying) + text[entry.observed.stop :]
    return text


def _cut(text: str, entry: _Entry) -> str:
    """The text without an entry, the comment behind its last value, and the blank lines below."""
    below = re.compile(r"[^\n]*(?:\n[ \t]*)*(?:\n|\Z)").match(text, entry.end)
    head, tail = text[: entry.start], text[below.end() if below else entry.end :]
    return head + tail if tail else head.rstrip("\n") + "\n"


def _place(line: str) -> ObservationPlace:
    case, variant, measure, query, _ = line.split(maxsplit=4)
    return ObservationPlace(case, variant, measure, None if query == "mean" else query)


def _entries(new: Mapping[ObservationPlace, str], moved: Mapping[ObservationPlace, Pin]) -> Iterator[str]:
    """An entry for each topic, and for each reason that was given for what moved."""
    entries = grouped(((place.case.partition("/")[0], _past(moved.get(place))), place) for place in new)
    for (_, past), places in sorted(entries.items()):
        comment = f"# These moved. They were pinned to other values, because: {past}\n" if past else ""
        lines = [_line(place, new[place]) for place in sorted(places, key=str)]
        yield f'\n[[known]]\n{comment}reason = ""\nobserved = {_quoted(lines)}\n'


def _past(pin: Pin | None) -> str:
    told = "" if pin is None else f"{pin.known.reason} {pin.known.link}".strip()
    return "".join(c if c.isprintable() else "…" for c in told)


def _line(place: ObservationPlace, observed: str) -> str:
    if place.query is not None and (place.query == "mean" or place.query.split() != [place.query]):
        raise NotPinnable(
            f"{place.case}: the query {place.query!r} has no place in a line of a sheet: give it a name without spaces that is not 'mean'"
        )
    return f"{place} {steady(observed)}"


def _quoted(lines: Iterable[str]) -> str:
    """Lines as a TOML string: as they are where that can be, else escaped."""
    text = "".join(f"{line}\n" for line in lines)
    if "'''" not in text and all(c.isprintable() or c == "\n" for c in text):
        return f"'''\n{text}'''"
    escaped = "".join(
        c if c == "\n" or (c.isprintable() and c not in '"\\') else f"\\{c}" if c in '"\\' else f"\\U{ord(c):08x}"
        for c in text
    )
    return f'"""\n{escaped}"""'
