"""Edits of sheets: claims without a witness, new, stale and current exceptions, and all other text unchanged."""

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from operator import attrgetter
from pathlib import Path

import published_run
import pytest
from fake_sheets import FAKE, GOOD

from rankproof.judge.sheet_edits import NotEditable, NothingObserved, NotPinnable, planned, stale, unwitnessed
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.workers.known_libraries import libraries
from rankproof.workers.sheets import ObservationPlace, Sheet, load, read
from rankproof.workers.subjects import Subject

SHEETS = [library.sheet for library in libraries()]


def sheet(tmp_path: Path, text: str = GOOD) -> Path:
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    return path


def row(*, variant: str = "v", **changes: object) -> Row:
    subject = Subject("fake", variant, "1")
    return replace(Row("ties/straddles-cutoff", subject, "P@2", None, Verdict.AGREES, 0.5), **changes)


WITNESSES = (row(), row(measure="AP"), row(measure="P(rel=2)@5"))
"""A value for each claim of the good sheet."""


@pytest.mark.parametrize(
    ("rows", "old", "new", "sentences"),
    [
        (WITNESSES, "", "", []),
        (
            (*WITNESSES[:2], row(measure="P(rel=2)@5", verdict=Verdict.KNOWN)),
            "",
            "",
            ['claims "P(rel=2)@5", which affects no value'],
        ),
        (WITNESSES, "[profiles.v]", '[precisions.v]\n"RBP" = "float32"\n[profiles.v]', ['[precisions.v] claims "RBP"']),
        (
            WITNESSES,
            "[profiles.v]",
            '[precisions.x]\n"*" = "float32"\n[profiles.v]',
            ["[precisions.x] is not a variant"],
        ),
        ((row(case="", variant="v", verdict=Verdict.NOT_INSTALLED), row(variant="w")), "", "", []),
        ((), "", "", []),
    ],
)
def test_claim_that_decides_no_value_is_reported(
    rows: tuple[Row, ...], old: str, new: str, sentences: list[str], tmp_path: Path
) -> None:
    complaints = unwitnessed(load(sheet(tmp_path, GOOD.replace(old, new) if old else GOOD)), rows)
    assert len(complaints) == len(sentences)
    assert all(sentence in complaint for sentence, complaint in zip(sentences, complaints, strict=True))


@pytest.mark.parametrize("own", SHEETS, ids=attrgetter("library"))
def test_published_run_witnesses_every_claim_and_exception_of_a_sheet(own: Sheet) -> None:
    # All rows of the library, and a few rows of each other library.
    rows = [
        row
        for name, all_rows in by_library().items()
        for row in (all_rows if name == own.library else all_rows[::2_000])
    ]
    assert unwitnessed(own, rows) == []
    if not any(row.case for row in by_library().get(own.library, ())):
        with pytest.raises(NothingObserved):
            planned(own, rows)
        return
    assert list(stale(own, rows)) == []
    plan = planned(own, rows)
    assert plan.after == plan.before


@cache
def by_library() -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for row in published_run.results().rows:
        rows.setdefault(row.library, []).append(row)
    return rows


# -- planned edits -----------------------------------------------------------------------------------------------------


def test_update_rejects_what_it_cannot_write(tmp_path: Path) -> None:
    path = sheet(tmp_path)
    with pytest.raises(NothingObserved, match="fake returned no values, so its sheet stays unchanged: no module"):
        planned(load(path), [row(case="", measure="", verdict=Verdict.NOT_INSTALLED, note="no module")])
    for query in ("two words", "mean", ""):
        with pytest.raises(NotPinnable, match="a sheet cannot name the query"):
            planned(load(path), [row(query=query, verdict=Verdict.UNEXPLAINED)])
    inline = 'known = [{reason = "it is inline", observed = "ties/x v AP mean 0.0"}]\n'
    with pytest.raises(NotEditable, match=r"under \[\[known\]\]"):
        planned(load(sheet(tmp_path, GOOD[: GOOD.index("[profiles")] + inline)), [row()])


# -- random sheets, with exceptions that stay, move, disappear and appear -----------------------------------------------

REASONS = ("it cannot count", "it is slow | odd", "[[known]] and observed = 'x'")
WRITTEN = (
    "0.25",
    'ValueError: "quoted"',
    "E: a ''' b",
    "absent",
    "crash: it ended",
    "nan",
    r"E: \ and more",
    "E: [[known]]",
    "E: # no comment",
)
OBSERVED = (*WRITTEN, "E: \"\"\" and '''", "E: \x00\x1b\u202e", "E: \ud800", "SIGSEGV in /usr/lib/x.so:1")
STEADY = {"E: \ud800": "E: …", "SIGSEGV in /usr/lib/x.so:1": "SIGSEGV in …"}
"""Observation -> its pinned form, if it contains invalid text or text that differs between machines."""
PLACES = [
    ObservationPlace(f"{topic}/{name}", variant, measure, query)
    for topic in ("ties", "gain", "empty")
    for name in ("b", "a")
    for variant in ("w", "v", "x")
    for measure in ("P@2", "AP")
    for query in (None, "q1", "q2")
]
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


def a_sheet(c: random.Random) -> tuple[str, dict[ObservationPlace, str], dict[ObservationPlace, str]]:
    """Return a sheet with several exceptions and comments, the observation that each place pins, and the text of its entry."""
    pinned: dict[ObservationPlace, str] = {}
    entries: dict[ObservationPlace, str] = {}
    places = c.sample(PLACES, 14)
    text = FAKE + CLAIMS
    for i in range(4):
        lines = {places.pop(): c.choice(WRITTEN) for _ in range(c.choice([1, 3]))}
        link = c.choice(["", 'link = "https://example.org/1"\n'])
        body = "".join(f"{named(place)} {observed}\n" for place, observed in lines.items())
        head = c.choice(["[[known]]", "[[ known ]]"])
        entry = f'{head}\nreason = "{c.choice(REASONS)} {i}"\n{link}observed = {quoted(body)}{c.choice([" # behind it", ""])}\n'
        text += f"\n# before the entry {i}\n{entry}"
        pinned |= lines
        entries |= dict.fromkeys(lines, entry)
    return text, pinned, entries


def drawn_rows(c: random.Random, pinned: Mapping[ObservationPlace, str], silent: set[str]) -> list[Row]:
    """Draw observations for some of the places; some variants have none."""
    rows = []
    for place in c.sample(PLACES, len(PLACES)):
        subject = Subject("fake", place.variant, "1")
        row = Row(place.case, subject, place.measure, place.query, Verdict.AGREES, 0.5, None, 0.5)
        kind = c.choice(["agrees", "agrees", "convention", "known", "known", "fails", "nothing", "unsupported"])
        unasked = (place.case, place.measure) in {("ties/a", "AP"), ("gain/b", "P@2"), ("empty/a", "AP")}
        if place.variant in silent or kind == "nothing" or unasked:
            continue
        if kind == "known" and place in pinned:
            rows.append(replace(row, verdict=Verdict.KNOWN, value=None, error=pinned[place]))
        elif kind == "fails" and (place in pinned or c.random() < 0.5):
            failing = c.choice(sorted(FAILS - {Verdict.UNSTABLE}))
            rows.append(replace(row, verdict=failing, value=None, error=c.choice(OBSERVED)))
        elif kind == "unsupported":
            rows.append(replace(row, verdict=Verdict.UNSUPPORTED, value=None, expected=None, note="no such measure"))
        elif kind == "convention":
            rows.append(replace(row, verdict=Verdict.CONVENTION, conventions=("gain=exp",)))
        else:
            rows.append(row)
    rows.append(Row("ties/b", Subject("other", "v", "1"), "AP", "q1", Verdict.ERROR, None, "E: of another library"))
    rows.append(Row("ties/z", Subject("fake", "v", "1"), "AP", None, Verdict.AGREES, 0.5, None, 0.5))
    return rows


@pytest.mark.parametrize("seed", range(30))
def test_update_changes_only_new_and_stale_exceptions(seed: int, tmp_path: Path) -> None:
    c = random.Random(seed)
    text, pinned, entries = a_sheet(c)
    path = tmp_path / "fake.toml"
    path.write_text(text, encoding="utf-8")
    sheet = read(path, text)
    assert {place: pin.observed for place, pin in sheet.pins.items()} == pinned
    absent, left_out = c.choice([set[str](), {"x"}]), c.choice([set[str](), {"w"}])
    rows = drawn_rows(c, pinned, absent | left_out)
    rows += [Row("", Subject("fake", v, "1"), "", None, Verdict.NOT_INSTALLED, note="no") for v in absent]
    mine = [row for row in rows if row.library == "fake"]
    failing = {row.place: pinned_as(row.error or "") for row in mine if row.verdict in FAILS}
    known = {row.place for row in mine if row.verdict is Verdict.KNOWN}
    kept = {place for place in pinned if place.variant in absent | left_out or place in known}
    plan = planned(sheet, rows, left_out)
    assert (plan.before, plan.added, plan.kept) == (text, len(failing), len(kept))
    assert plan.removed == len(set(pinned) - kept)
    after = read(path, plan.after, draft=True)
    assert {place: pin.observed for place, pin in after.pins.items()} == {**{p: pinned[p] for p in kept}, **failing}
    assert all(after.pins[place].known == sheet.pins[place].known for place in kept)
    whole = [entry for entry in entries.values() if all(p in kept for p, other in entries.items() if other == entry)]
    assert all(entry in plan.after for entry in whole)
    assert plan.after.startswith(text[: text.index("\n# before the entry 0")])
    assert plan.after.count("# behind it") == sum("# behind it" in entry for entry in {entries[p] for p in kept})
    assert re.findall("# before the entry .", plan.after) == [f"# before the entry {i}" for i in range(4)]
    topics = {place.case.partition("/")[0] for place in failing}
    assert plan.after.count('reason = ""') == len(topics), "an entry for each topic"
    path.write_text(plan.after, encoding="utf-8")
    held = [replace(r, verdict=Verdict.KNOWN) if r.place in failing and r.library == "fake" else r for r in rows]
    assert planned(after, held, left_out).after == plan.after
    present = {place for place in pinned if place.variant not in absent}
    fails = known | failing.keys()
    assert {place for place, _ in stale(sheet, rows, whole=True)} == present - fails
    seen = {row.place for row in mine}
    assert {place for place, _ in stale(sheet, rows, whole=False)} == {p for p in pinned if p in seen - fails}
