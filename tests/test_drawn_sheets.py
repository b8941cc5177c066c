"""Sheets that are drawn, with exceptions that stay, move, go and come, rewritten and read back; and what they claim in vain."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from drawn_runs import Chance
from fake_sheets import FAKE
from test_drawn_judging import FAILING, NOT_JUDGED, stale_ones

from rankproof.asking.sheets import ObservationPlace, Sheet, read
from rankproof.asking.subjects import Subject
from rankproof.judging.sheet_edits import planned, stale, unwitnessed
from rankproof.judging.verdicts import Row, Verdict

REASONS = ("it cannot count", "it is slow | odd", "[[known]] and observed = 'x'")
WRITTEN = (
    "0.25", 'ValueError: "quoted"', "E: a ''' b", "absent", "crash: it ended", "nan", r"E: \ and more", "E: [[known]]", "E: # no comment",
)  # fmt: skip
OBSERVED = (*WRITTEN, "E: \"\"\" and '''", "E: \x00\x1b\u202e", "E: \ud800", "SIGSEGV in /usr/lib/x.so:1")
STEADY = {"E: \ud800": "E: …", "SIGSEGV in /usr/lib/x.so:1": "SIGSEGV in …"}
"""What is no text, or differs from machine to machine, is pinned so."""
PLACES = [
    ObservationPlace(f"{topic}/{name}", variant, measure, query)
    for topic in ("ties", "gain", "empty") for name in ("b", "a") for variant in ("w", "v", "x") for measure in ("P@2", "AP")
    for query in (None, "q1", "q2")
]  # fmt: skip
CLAIMS = """
[profiles.v]
"*" = "ties=docid-asc" # a [[known]] comment
"P@k" = "gain=exp"
"R@k" = "gain=exp"
[profiles.gone]
"*" = ""
"""


def quoted(text: str) -> str:
    if "'''" not in text:
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""'


def pinned_as(text: str) -> str:
    return STEADY.get(text, text)


def named(place: ObservationPlace) -> str:
    return " ".join([place.case, place.variant, place.measure, place.query or "mean"])


def a_sheet(c: Chance) -> tuple[str, dict[ObservationPlace, str], dict[ObservationPlace, str]]:
    """A text with several exceptions, comments between them; what each place is pinned to, and the text of its entry."""
    pinned: dict[ObservationPlace, str] = {}
    entries: dict[ObservationPlace, str] = {}
    places = c.sample(PLACES, 14)
    text = FAKE + CLAIMS
    for i in range(4):
        lines = {places.pop(): c.choice(WRITTEN) for _ in range(c.choice([1, 3]))}
        link = c.choice(["", 'link = "https://example.org/1"\n'])
        body = "".join(f"{named(place)} {said}\n" for place, said in lines.items())
        head = c.choice(["[[known]]", "[[ known ]]"])
        entry = f'{head}\nreason = "{c.choice(REASONS)} {i}"\n{link}observed = {quoted(body)}{c.choice([" # behind it", ""])}\n'
        text += f"\n# before the entry {i}\n{entry}"
        pinned |= lines
        entries |= dict.fromkeys(lines, entry)
    return text, pinned, entries


def drawn_rows(c: Chance, pinned: Mapping[ObservationPlace, str], silent: set[str]) -> list[Row]:
    """What was observed in some places; of some variants nothing."""
    rows = []
    for place in c.sample(PLACES, len(PLACES)):
        row = Row(
            place.case, Subject("fake", place.variant, "1"), place.measure, place.query, Verdict.AGREES, 0.5, None, 0.5
        )
        kind = c.choice(["agrees", "agrees", "convention", "known", "known", "fails", "nothing", "unsupported"])
        unasked = (place.case, place.measure) in {("ties/a", "AP"), ("gain/b", "P@2"), ("empty/a", "AP")}
        if place.variant in silent or kind == "nothing" or unasked:
            continue
        if kind == "known" and place in pinned:
            rows.append(replace(row, verdict=Verdict.KNOWN, value=None, error=pinned[place]))
        elif kind == "fails" and (place in pinned or c.random() < 0.5):
            rows.append(
                replace(
                    row, verdict=c.choice(sorted(FAILING - {Verdict.UNSTABLE})), value=None, error=c.choice(OBSERVED)
                )
            )
        elif kind == "unsupported":
            rows.append(replace(row, verdict=Verdict.UNSUPPORTED, value=None, expected=None, note="no such measure"))
        else:
            conventions = ("gain=exp",) if kind == "convention" else ()
            rows.append(
                replace(row, verdict=Verdict.CONVENTION if conventions else Verdict.AGREES, conventions=conventions)
            )
    rows.append(Row("ties/b", Subject("other", "v", "1"), "AP", "q1", Verdict.ERROR, None, "E: of another library"))
    rows.append(Row("ties/z", Subject("fake", "v", "1"), "AP", None, Verdict.AGREES, 0.5, None, 0.5))
    return rows


@pytest.mark.parametrize("seed", range(60))
def test_a_sheet_is_rewritten_where_an_exception_came_moved_or_went_and_nowhere_else(seed: int, tmp_path: Path) -> None:
    c = Chance(seed)
    text, pinned, entries = a_sheet(c)
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    sheet = read(path, text)
    assert {place: pin.observed for place, pin in sheet.pins.items()} == pinned
    absent, left_out = c.choice([set[str](), {"x"}]), c.choice([set[str](), {"w"}])
    rows = drawn_rows(c, pinned, absent | left_out)
    rows += [Row("", Subject("fake", v, "1"), "", None, Verdict.NOT_INSTALLED, note="no") for v in absent]
    mine = [row for row in rows if row.library == "fake"]
    failing = {row.place: pinned_as(row.error or "") for row in mine if row.verdict in FAILING}
    kept = {
        p
        for p in pinned
        if p.variant in absent | left_out or any(r.place == p and r.verdict is Verdict.KNOWN for r in mine)
    }
    moved = {place: said for place, said in failing.items() if place in pinned}
    new = {place: said for place, said in failing.items() if place not in pinned}
    plan = planned(sheet, rows, left_out)
    assert (plan.before, plan.added, plan.moved, plan.kept) == (text, len(new), len(moved), len(kept))
    assert plan.removed == len(set(pinned) - kept - set(moved))
    after = read(path, plan.after, draft=True)
    assert {place: pin.observed for place, pin in after.pins.items()} == {**{p: pinned[p] for p in kept}, **failing}
    assert all(after.pins[place].known == sheet.pins[place].known for place in kept)
    whole = [entry for entry in entries.values() if all(p in kept for p, other in entries.items() if other == entry)]
    assert all(entry in plan.after for entry in whole)
    assert plan.after.startswith(text[: text.index("\n# before the entry 0")])
    assert plan.after.count("# behind it") == sum("# behind it" in entry for entry in {entries[p] for p in kept})
    assert re.findall("# before the entry .", plan.after) == [f"# before the entry {i}" for i in range(4)]
    check_entries(plan.after, sheet, moved, new)
    path.write_text(plan.after, encoding="utf-8")
    held = [replace(r, verdict=Verdict.KNOWN) if r.place in failing and r.library == "fake" else r for r in rows]
    assert planned(after, held, left_out).after == plan.after
    for all_asked in (True, False):
        assert [place for place, _ in stale(sheet, rows, whole=all_asked)] == stale_ones(sheet, mine, whole=all_asked)
    check_why_stale(sheet, rows, mine)
    check_claims(sheet, mine)


def check_entries(
    text: str, sheet: Sheet, moved: Mapping[ObservationPlace, object], new: Mapping[ObservationPlace, object]
) -> None:
    """One entry for each topic of what is new, and for each topic and reason of what moved, which stands above it."""
    known = [one for one in tomllib.loads(text).get("known", ()) if not one["reason"]]
    past = {p: f"{sheet.pins[p].known.reason} {sheet.pins[p].known.link}".strip() for p in moved}
    groups: dict[tuple[str, str], list[str]] = {}
    for place in (*moved, *new):
        groups.setdefault((place.case.partition("/")[0], past.get(place, "")), []).append(named(place))
    found = [[" ".join(line.split(maxsplit=4)[:4]) for line in one["observed"].splitlines()] for one in known]
    assert found == [sorted(groups[key]) for key in sorted(groups)]
    comments = re.findall(r"^# These moved\. They were pinned to other values, because: (.*)$", text, re.MULTILINE)
    assert comments == [reason for _, reason in sorted(groups) if reason]


def check_why_stale(sheet: Sheet, rows: Sequence[Row], mine: Sequence[Row]) -> None:
    asked = [row for row in mine if row.case]
    variants = sorted({row.variant for row in asked})
    for place, said in stale(sheet, rows, whole=True):
        row = next((row for row in mine if row.place == place), None)
        measures = sorted({one.measure for one in asked if one.case == place.case})
        if row is not None and row.verdict is Verdict.UNSUPPORTED:
            why = "the measure is unsupported (no such measure) now: remove the exception"
        elif row is not None:
            does = "agrees with `standard`" if row.verdict is Verdict.AGREES else "follows the claimed profile"
            why = f"the answer {does} (0.5) now: remove the exception"
        elif not measures:
            why = f"nothing is observed there, as no case has the id {place.case}: remove the line, or write the id that it means"
        elif place.variant not in variants:
            why = f"nothing is observed there, as no variant is {place.variant}: remove the line, or write one of {', '.join(variants)}"
        elif place.measure not in measures:
            why = f"nothing is observed there, as the case does not ask it: remove the line, or write one of {', '.join(measures)}"
        else:
            why = "nothing is observed there: remove the line"
        assert said == f"fake.toml pins {sheet.pins[place].observed!r}, but {why}"


def check_claims(sheet: Sheet, mine: Sequence[Row]) -> None:
    """A claim is in vain by which no answer is judged, and so is one of a variant that nobody asked."""
    asked = {row.variant for row in mine if row.case}
    judged = {
        row.measure
        for row in mine
        if row.case and row.variant == "v" and row.verdict not in NOT_JUDGED | {Verdict.KNOWN}
    }
    used = {"P@k" if measure == "P@2" else "*" for measure in judged}
    wanted = [f'fake.toml: [profiles.v] claims "{key}", but' for key in ("*", "P@k", "R@k") if key not in used]
    told = unwitnessed(sheet, mine)
    assert [one.partition(" no answer")[0] for one in told[: len(wanted)]] == wanted
    assert told[len(wanted) :] == [
        f"fake.toml: [profiles.gone] is of no variant that the adapter has: remove it, or write one of {', '.join(sorted(asked))}"
    ]
