"""Verdicts and complaints of answers that are drawn: each is worked out again from what the reference says, by trying all there is."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import drawn_runs
import pytest
from drawn_runs import Chance, reference_says
from fake_sheets import FAKE
from reference_answers import PlainReference
from test_drawn_results import FAILING

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.judge.runs import complaints_of, other_version
from rankproof.judge.verdicts import Row, Verdict, failure_of, judge, text_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.workers.failures import FAILURES
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.sheets import Known, ObservationPlace, Pin, Sheet, read
from rankproof.workers.subjects import Subject

NOT_JUDGED = {Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.NOT_INSTALLED}
CHOICES = {
    "ties": ["docid-asc", "input", "best", "worst", "expectation", "unspecified"],
    "gain": ["exp", "binary"],
    "known": ["retrieved"],
    "p_denominator": ["min-k-n"],
    "ap_denominator": ["min-k-R", "hits"],
    "missing": ["dropped", "nan"],
    "norel": ["nan", "1", "dropped"],
    "ideal": ["given", "retrieved"],
    "unjudged": ["removed", "rejected"],
    "single": ["rejected"],
    "order": ["input"],
    "extra": ["0", "measured", "rejected"],
    "negative": ["as-is", "rejected"],
}
ASKED = ("nDCG@2", "P@2", "AP", "RR", "R@3", "nDCG")
OFF = {"float64": 1e-13, "float32": 1e-8, "3 decimals": 2e-4}
"""What is no difference in a precision; a thousand times as much is one."""


@cache
def small() -> tuple[Case, ...]:
    """The cases of the corpus that are small."""
    return tuple(case for case in corpus.load_all() if not case.of_labels and case.input.size < 14)


@cache
def answers(case: str, measure: str, profile: Conventions) -> Any:
    """What the reference gives: by query and, under None, over all; None where it refuses."""
    (of,) = (one for one in small() if one.id == case)
    return reference_says(PlainReference(of.input), measure, profile)


def equal(a: Any, b: Any, precision: str) -> bool:
    """Whether two numbers, or words, are the same; what is asked for here is far from every bound."""
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    bound = {"float64": 1e-12 * abs(b), "float32": 1e-6 * abs(b), "3 decimals": 5e-4}[precision]
    return abs(a - b) <= bound + 1e-15


def profile_of(c: Chance) -> Conventions:
    axes = c.sample(list(CHOICES), c.choice([0, 1, 2, 4, 7]))
    return STANDARD.replace(**{axis: c.choice(CHOICES[axis]) for axis in axes})


def library_of(measure: str, profile: Conventions, precision: str, pins: Mapping[ObservationPlace, Pin]) -> Library:
    """A library that claims that of a measure of its variant v, and something else of other measures and of another variant."""
    other = next(name for name in OFF if name != precision)
    sheet = read(Path("fake.toml"), FAKE.replace('"float64"', f'"{other}"'))
    profiles = {"w": {"*": STANDARD.replace(gain="exp", ties="best")}, "v": {"*": profile}}
    precisions = {"w": dict.fromkeys(ASKED, other), "v": dict.fromkeys(ASKED, other) | {measure: precision}}
    return Library("fake", Path("fake_adapter.py"), replace(sheet, profiles=profiles, precisions=precisions, pins=pins))


def observed(c: Chance, case: Case, measure: str, profile: Conventions, precision: str) -> Answered | Failure | None:
    """What is answered: by the profile, by another, off by what is nothing or by much; or a failure."""
    kind = c.choice(["fails", "refuses", "nothing", *["answers"] * 9])
    told = answers(case.id, measure, c.choice([profile, profile, STANDARD, profile_of(c)]))
    if kind == "fails":
        kinds = [kind for kind in FAILURES if kind != "error"]
        return Failure(c.choice(kinds), c.choice(["it ended", "8 GB"]), c.choice(["", "a last line"]))
    if kind == "nothing" or told == "cannot tell":
        return None
    if kind == "refuses" or told is None:
        return Failure("error", c.choice(["ValueError: no", "E: refused"]), c.choice(["", "the last line"]))
    values = {}
    for query, value in told.items():
        off = c.choice([0.0, 0.0, OFF[precision], 1000 * OFF[precision], 0.25])
        values[query] = value * (1 + off) if precision.startswith("float") else value + off
    mean = values.pop(None)
    told_queries = c.choice([None, values, {query: value for query, value in values.items() if c.random() < 0.8}])
    return Answered(told_queries, c.choice([mean, mean, None]) if told_queries else mean)


def shown_of(case: Case, answer: Answered | Failure | None) -> list[tuple[str | None, Any]]:
    """The values that are judged: the mean, and each query where it is not the only one and worth the mean."""
    if not isinstance(answer, Answered):
        return [(None, None)]
    found: list[tuple[str | None, Any]] = [] if answer.mean is None else [(None, answer.mean)]
    if answer.per_query is None:
        return found
    names = list(dict.fromkeys([*map(str, case.queries), *answer.per_query]))
    if len(names) == 1 and answer.mean is not None and repr(answer.per_query.get(names[0])) == repr(answer.mean):
        return found
    return [*found, *((name, answer.per_query.get(name, "absent")) for name in names)]


def drawn_question(c: Chance) -> tuple[Case, str, str, Conventions, Answered | Failure | None]:
    case, measure, precision = c.choice(small()), c.choice(ASKED), c.choice(list(OFF))
    profile = profile_of(c)
    claimed = profile.replace(ties=c.choice(["input", "docid-asc"])) if profile.ties == "unspecified" else profile
    return case, measure, precision, profile, observed(c, case, measure, claimed, precision)


@pytest.mark.parametrize("start", [*range(0, 600, 15), 4725, 5550])  # in the last two a value takes three changes
def test_each_verdict_follows_from_what_the_reference_says(start: int) -> None:
    for seed in range(start, start + 15):
        check_verdicts(seed)


def check_verdicts(seed: int) -> None:
    c = Chance(seed)
    case, measure, precision, profile, answer = drawn_question(c)
    subject = Subject("fake", "v", "1")
    again = Answered(None, 0.125) if answer is not None and c.random() < 0.08 else None
    pins = {}
    for query, value in shown_of(case, answer):
        if c.random() < 0.5:
            place = ObservationPlace(case.id, "v", measure, query)
            said = text_of(answer) if isinstance(answer, Failure) else value if isinstance(value, str) else repr(value)
            near = [repr(value + OFF[precision] * value)] if isinstance(value, float) else []
            said = c.choice([said, said, "0.375", *near]) if again is None else c.choice(["unstable", said])
            pins[place] = Pin(place, said, Known(f"the reason of {query}", ""))
            pins[replace(place, variant="w")] = Pin(place, said, Known("of another", ""))
    seen = Observation(case.id, subject, measure, answer, "it has none", again)
    found = list(judge(case, library_of(measure, profile, precision, pins), seen))
    assert all((row.case, row.subject, row.measure) == (case.id, subject, measure) for row in found)
    standard, claimed = answers(case.id, measure, STANDARD), answers(case.id, measure, profile)
    for row in found:
        nothing = row.verdict is Verdict.UNSUPPORTED or case.undefined or not isinstance(standard, dict)
        assert repr(row.expected) == repr(None if nothing else standard.get(row.query, "absent"))
    if answer is None or case.undefined or again is not None:
        check_unjudged(case, answer, pins, found)
    elif isinstance(answer, Failure):
        check_failure(case, measure, profile, answer, pins, found)
    else:
        both = isinstance(standard, dict) and isinstance(claimed, dict)
        said = [
            (query, repr(value))
            for query, value in shown_of(case, answer)
            if value != "absent" or not both or query in standard or query in claimed
        ]
        assert [(row.query, repr(row.value)) for row in found] == said
        for row in found:
            check_value(case, measure, profile, precision, pins.get(row.place), row)


def check_unjudged(case: Case, answer: Any, pins: Mapping[ObservationPlace, Pin], found: Sequence[Row]) -> None:
    if answer is None:
        assert [(row.verdict, row.note, row.query) for row in found] == [(Verdict.UNSUPPORTED, "it has none", None)]
    elif case.undefined:
        nobody = replace(case, input=Input())
        said = [(query, repr(value)) for query, value in shown_of(nobody, answer)]
        said = [(None, answer.text)] if isinstance(answer, Failure) else said
        assert {row.verdict for row in found} == {Verdict.UNDEFINED}
        assert [(row.query, row.error or repr(row.value)) for row in found] == said
    else:
        (row,) = found
        pin = pins.get(row.place)
        pin = pin if pin is not None and pin.observed == "unstable" else None
        assert (row.verdict, row.error, row.query) == (Verdict.KNOWN if pin else Verdict.UNSTABLE, "unstable", None)
        if pin:
            assert row.note == pin.known.reason
        else:
            assert row.note.startswith("asked once ")
            assert row.note.endswith("asked again mean 0.125")


def changes(case: Case, measure: str, profile: Conventions, fits: Callable[[Any], bool]) -> set[tuple[str, ...]]:
    """The smallest parts of what a profile changes that fit alone; by trying all of them."""
    differing = {axis: value for axis, value in STANDARD.differences(profile).items() if value != "unspecified"}
    for size in range(1, 5):
        parts = [dict(part) for part in combinations(differing.items(), size)]
        if good := [part for part in parts if fits(answers(case.id, measure, STANDARD.replace(**part)))]:
            return {tuple(f"{axis}={value}" for axis, value in part.items()) for part in good}
    return set()


def check_failure(
    case: Case,
    measure: str,
    profile: Conventions,
    answer: Failure,
    pins: Mapping[ObservationPlace, Pin],
    found: Sequence[Row],
) -> None:
    """A refusal is right where the reference refuses, too; nothing else that befalls a library is."""
    (row,) = found
    text = answer.text if answer.kind == "error" else f"{answer.kind}: {answer.text}"
    assert (row.error, row.value, row.query) == (text, None, None)
    refuses = [told is None for told in (answers(case.id, measure, STANDARD), answers(case.id, measure, profile))]
    pin = pins.get(row.place)
    if answer.kind == "error" and refuses[1]:
        assert row.verdict is (Verdict.AGREES if refuses[0] else Verdict.CONVENTION)
        assert row.note == ""
        if not refuses[0]:
            assert row.conventions in changes(case, measure, profile, lambda told: told is None)
    elif pin is not None and pin.observed == text:
        assert (row.verdict, row.note, row.conventions) == (Verdict.KNOWN, pin.known.reason, ())
    else:
        assert (row.verdict.value, row.conventions) == (answer.kind, ())
        moved = f"the sheet pins {pin.observed}: it moved" if pin else ""
        ends = f"its stderr ends: {answer.stderr}" if answer.stderr else ""
        untold = "the reference cannot tell" in row.note and not pin
        assert untold or row.note == "; ".join(filter(None, [moved, ends]))
        assert row.note.endswith(ends)
    back = failure_of(text)
    assert (back.kind, back.text) == (answer.kind, answer.text)


def check_value(case: Case, measure: str, profile: Conventions, precision: str, pin: Pin | None, row: Row) -> None:
    def gives(told: Any) -> bool:
        return isinstance(told, dict) and equal(row.value, told.get(row.query, "absent"), precision)

    if within_ties(case, measure, profile, precision, row):
        assert (row.verdict, row.conventions, row.note) == (Verdict.CONVENTION, ("ties=unspecified",), "")
    elif gives(answers(case.id, measure, profile)):
        agrees = gives(answers(case.id, measure, STANDARD))
        assert (row.verdict, row.note) == (Verdict.AGREES if agrees else Verdict.CONVENTION, "")
        if agrees:
            assert row.conventions == ()
        elif profile.ties != "unspecified":
            assert row.conventions in changes(case, measure, profile, gives)
    elif pin is not None and equal(row.value, number(pin.observed), precision):
        assert (row.verdict, row.note, row.conventions) == (Verdict.KNOWN, pin.known.reason, ())
    else:
        assert (row.verdict, row.conventions) == (Verdict.UNEXPLAINED, ())
        assert (row.note == f"the sheet pins {pin.observed}: it moved") if pin else ("it moved" not in row.note)
        told = answers(case.id, measure, profile)
        if pin is None and told != "cannot tell":
            value = "a refusal" if told is None else told.get(row.query, "absent")
            gives_it = f"the sheet's profile ({profile.spec() or 'standard'}) gives {value if isinstance(value, str) else repr(value)}"
            assert "the reference cannot tell" in row.note or row.note == gives_it


def within_ties(case: Case, measure: str, profile: Conventions, precision: str, row: Row) -> bool:
    """Whether no order is kept, ties matter, and the value is between what the worst and the best order give."""
    if profile.ties != "unspecified" or isinstance(row.value, str):
        return False
    told = [answers(case.id, measure, profile.replace(ties=end)) for end in ("worst", "best")]
    ends = [one[row.query] for one in told if isinstance(one, dict) and row.query in one]
    if len(ends) < 2 or ends[0] == ends[1]:
        return False
    return min(ends) <= row.value <= max(ends) or any(equal(row.value, end, precision) for end in ends)


def number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def test_every_verdict_is_met() -> None:
    met: Counter[Verdict] = Counter()
    for seed in range(600):
        case, measure, precision, profile, answer = drawn_question(Chance(seed))
        seen = Observation(case.id, Subject("fake", "v", "1"), measure, answer)
        fake = library_of(measure, profile, precision, {})
        met.update(row.verdict for row in judge(case, fake, seen))
    assert set(met) >= {Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.ERROR, Verdict.CRASH}
    assert min(met[one] for one in (Verdict.AGREES, Verdict.CONVENTION, Verdict.UNEXPLAINED)) > 15


# -- complaints ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_what_does_not_hold_is_complained_of_once_with_what_to_do(seed: int) -> None:
    told = drawn_runs.drawn(seed)
    smoke = frozenset(case.id for case in told.cases if "smoke" in case.tags)
    for asked, one in zip(told.run.asked, told.asked, strict=True):
        here = (one.version, one.environment)
        mine = [row for row in told.rows if row.library == one.library]
        rows = [row for row in mine if not row.version or (row.version, row.subject.environment) == here]
        others = [row for row in told.rows if row.library != one.library]
        sheet = asked.library.sheet
        other = one.version not in {"", sheet.speaks_of}
        said = f"asked is version {one.version}; the sheet speaks of {sheet.speaks_of}" if other else ""
        assert other_version(asked) == said
        for whole in (False, True):
            found = complaints_of(asked, [*others, *rows], whole=whole, smoke=smoke)
            assert {complaint.library for complaint in found} <= {one.library}
            failing = [row for row in rows if row.verdict in FAILING]
            if other:
                check_other_version(found, rows, said, sheet.speaks_of)
                continue
            broken = list(dict.fromkeys(row.variant for row in failing if row.case in smoke))
            first = [(None, f"{variant} fails the smoke case: look at its adapter first") for variant in broken]
            first += [(row.place, mend_of(row)) for row in failing]
            assert [(complaint.place, complaint.what) for complaint in found[: len(first)]] == first
            wanted = [*stale_ones(sheet, rows, whole=whole)] if one.version else []
            assert [complaint.place for complaint in found[len(first) :]] == wanted


def mend_of(row: Row) -> str:
    seen = f"observed {row.observed}" if row.observed else row.note
    why = f"; {row.note}" if row.observed and row.note else ""
    first = "tell its maintainers" if row.verdict is Verdict.DEFECT else "give the sheet the right profile"
    mend = f"{first}, or run `rankproof sheet update {row.library}` and write the reason"
    return f"{row.verdict.value}: {seen}{why}; {mend if row.case else 'look at its adapter'}"


def check_other_version(found: Sequence[Any], rows: Sequence[Row], said: str, speaks_of: str) -> None:
    failing = [row for row in rows if row.verdict in FAILING]
    if not failing:
        assert found == []
        return
    judged = sum(row.verdict not in NOT_JUDGED for row in rows)
    cases = list(dict.fromkeys(row.case for row in failing))
    named = ", ".join(cases[:5]) + (", …" if len(cases) > 5 else "")
    where = f"{len(cases)} case{'s' if len(cases) > 1 else ''} ({named})"
    wrong = f"{said}; {len(failing)} of {judged} answers are not what is claimed, in {where}"
    mend = f"`rankproof diff` compares it with results of {speaks_of}"
    assert [(complaint.place, complaint.what) for complaint in found] == [(None, f"{wrong}; {mend}")]


def stale_ones(sheet: Sheet, rows: Sequence[Row], *, whole: bool) -> list[ObservationPlace]:
    """The pins that do not happen; what was not asked is no matter."""
    met = {row.place: row.verdict for row in rows}
    absent = {row.variant for row in rows if row.verdict is Verdict.NOT_INSTALLED}
    gone = {place for place in sheet.pins if place not in met and whole and place.variant not in absent}
    now = {place for place, verdict in met.items() if verdict not in FAILING | {Verdict.KNOWN}}
    return [place for place in sheet.pins if place in gone | now]
