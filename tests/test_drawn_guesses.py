"""The convention that is guessed to be behind answers that nothing explains is the one that gives them, tried one after the other."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from drawn_drift import Change, Group, became, fails, groups
from drawn_history import differing, moves
from reference_answers import PlainReference

from rankproof import cases as corpus
from rankproof.history.answer_changes import AnswerChange, ChangeKind, compared
from rankproof.history.change_groups import grouped
from rankproof.history.guessing import guessed
from rankproof.history.moves import moves as told_moves
from rankproof.inference.reference_answers import Refused, Values
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention, parse_conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import libraries
from rankproof.workers.subjects import Installation, Subject

QUESTIONS = (
    ("gain/linear-exp-binary", "nDCG@5"),
    ("gain/linear-exp-binary", "nDCG@10"),
    ("discount/jarvelin-kekalainen-2002", "nDCG@10"),
    ("duplicates/run-below-cutoff", "R@3"),
    ("duplicates/run-below-cutoff", "P@1"),
    ("judgments/negative-one", "nDCG@5"),
    ("axes/doc-judged-twice", "nDCG@2"),
    ("gain/no-such-case", "nDCG@5"),
    ("gain/linear-exp-binary", "nDCG@3"),
)
NEVER = {("ids", "digit-queries"), ("short", "rejected")}
"""What would refuse almost anything."""
BEFORE = ("", "", "gain=exp", "gain=exp discount=rank", "taste=odd")
AFTER = (
    "gain=exp",
    "gain=exp discount=rank",
    "discount=rank",
    "run_duplicates=first",
    "negative=rejected",
    "ideal=given norel=1 gain=exp",
)
WHO = (
    ("lib", "v", "1"),
    ("xgboost", "linear", "2.0.3"),
    ("xgboost", "linear", "3.4.0"),
    ("catboost", "rows", "1.2.10"),
)
CASES = {name: corpus.load(corpus.HERE / f"{name}.toml") for name, _ in QUESTIONS if "no-such" not in name}
ORACLES = {name: PlainReference(case.input) for name, case in CASES.items()}
SHEETS = {library.name: library.sheet for library in libraries()}


@cache
def answer(case: str, measure: str, conventions: Conventions, query: str | None) -> float | str:
    """What the reference says of a query, or of the mean: a number, that it refuses, or that it cannot tell."""
    answers = ORACLES[case].answers(parse(measure), conventions)
    if isinstance(answers, Values):
        found = answers.mean if query is None else answers.per_query.get(query)
        return "absent" if found is None else float(found)
    return "refused" if isinstance(answers, Refused) else "cannot tell"


def value(case: str, measure: str, conventions: Conventions, query: str | None) -> float | None:
    """The number that the reference says."""
    said = answer(case, measure, conventions, query)
    return said if isinstance(said, float) else None


def profile(text: str, base: Conventions = STANDARD) -> Conventions:
    try:
        return parse_conventions(text, base)
    except UnknownConvention:
        return STANDARD


def drawn(seed: int) -> tuple[RunResults, RunResults]:
    """What was explained before, or nothing explained, and what a choice or two more give; who is asked is one of three."""
    c = random.Random(seed)  # noqa: S311 - an example
    sides: tuple[list[Row], list[Row]] = ([], [])
    who = Subject(*c.choice(WHO))
    before, after = c.choice(BEFORE), c.choice(AFTER)
    twist = c.choice(["", "", "", "nothing explains either", "asked of another case", "asked of a case that refuses"])
    asked = c.sample(QUESTIONS[:7], 5) + c.sample(QUESTIONS[7:], 1) * (c.random() < 0.2)
    for case, measure in asked:
        known = case in CASES
        query = c.choice([None, "1", "2", "3"]) if case.startswith("axes/") else None
        before, after = (c.choice([before] * 20 + [*BEFORE]), c.choice([after] * 30 + [*AFTER]))
        base = _base(who, measure) if c.random() < 0.5 else profile(before)
        expected = value(case, measure, STANDARD, query) if known else 0.5
        both = profile(before), profile(after, base)
        explained, other = (value(case, measure, one, query) if known else 0.25 for one in both)
        verdict = Verdict.CONVENTION if before else Verdict.AGREES
        error = None if explained is not None else "ValueError: no"
        was = Row(case, who, measure, query, verdict, explained, error, expected, tuple(before.split()))
        now = replace(was, verdict=Verdict.UNEXPLAINED, value=other, error=None, conventions=())
        if other is None:
            now = replace(now, verdict=c.choice([Verdict.ERROR] * 3 + [Verdict.CRASH]), error="ValueError: not so")
        now = replace(now, value=0.123) if now.value is not None and c.random() < 0.15 else now
        if twist == "nothing explains either":
            was = replace(now, value=0.321, error=None, verdict=Verdict.UNEXPLAINED)
        elif twist and known:
            was, now = (replace(one, expected=0.9 if twist == "asked of another case" else None) for one in (was, now))
        for side, row in zip(sides, (was, now) if seed % 3 else (now, was), strict=True):
            side.append(row)
    header = {"asked": [Installation(who.library, who.version, variants={who.variant: ""}).as_json()]}
    return RunResults(header, tuple(sides[0]), {}), RunResults(header, tuple(sides[1]), {})


def _base(who: Subject, measure: str) -> Conventions:
    sheet = SHEETS.get(who.library)
    return STANDARD if sheet is None else sheet.of_version(who.version).profile_of(who.variant, parse(measure))


def giving(row: Row, other: Row | None) -> list[str]:
    """The conventions of which one, changed in what the sheet claims or in what explains the other side, gives an answer."""
    bases = {_base(row.subject, row.measure)} if row.library in SHEETS else set()
    bases.add(profile(" ".join(other.conventions)) if other is not None else STANDARD)
    found = []
    for axis in AXES.values():
        for choice in axis.values:
            tried = [base.replace(**{axis.name: choice}) for base in bases if getattr(base, axis.name) != choice]
            answers = [answer(row.case, row.measure, one, row.query) for one in tried]
            if row.value is None:
                fits = row.verdict == "error" and "refused" in answers
            else:
                numbers = [one for one in answers if isinstance(one, float)]
                fits = any(abs(one - row.value) <= max(1e-15, 1e-6 * abs(one)) for one in numbers)
            if fits and (axis.name, choice) not in NEVER:
                found.append(f"{axis.name}={choice}")
    return found


def guess(group: Group) -> tuple[Sequence[str], int, int]:
    """Those that give most of the answers, and how many that are; none where they are many, or give few."""
    nothing: tuple[Sequence[str], int, int] = ((), 0, 0)
    each = []
    for change in group.changes:
        row, other = _failing(change)
        if row is None or row.case not in CASES or row.measure not in CASES[row.case].measures:
            return nothing
        if row.expected != value(row.case, row.measure, STANDARD, row.query):
            return nothing
        each.append(giving(row, other))
    tried = dict.fromkeys(one for those in each[:4] for one in those)
    counts = Counter(one for those in each for one in those if one in tried)
    most = max(counts.values(), default=0)
    best = [one for one in tried if counts[one] == most]
    return (best, most, len(each)) if 0 < len(best) <= 3 and most > len(each) / 2 else nothing


def _failing(change: Change) -> tuple[Row | None, Row | None]:
    if change.new is not None and fails(change.new):
        return change.new, change.old
    return (change.old, change.new) if change.old is not None and fails(change.old) else (None, None)


@pytest.mark.parametrize("seed", range(40))
def test_a_guess_is_the_convention_that_gives_most_answers(seed: int) -> None:
    old, new = drawn(seed)
    wanted = groups(old, new, became(old, new))
    found = grouped(compared(old, new))
    guesses = [guess(one) for one in wanted]
    told_guesses = [(one.guess.conventions, one.guess.explained, one.guess.of) for one in found]
    assert told_guesses == [(tuple(those), *counts) for those, *counts in guesses]
    for one, (those, most, of) in zip(found, guesses, strict=True):
        few = f", {most} of {of}" if most < of else ""
        told = f"as by {' or '.join(those)}{few}" if those else ""
        assert str(one.guess) == told
        both = one.after if one.before == one.after else f"{one.before} → {one.after}"
        assert one.cause == (f"{both} ({told})" if told else both)
    options = {id(one): list(those) or differing(one.witness) for one, (those, *_) in zip(wanted, guesses, strict=True)}
    made = moves(wanted, lambda one: options[id(one)])
    by_move = [(move.measure, tuple(move.conventions), len(move.changes)) for move in made]
    assert [(move.measure, move.conventions, len(move.changes)) for move in told_moves(found)] == by_move


def test_the_drawn_guesses_are_of_all_kinds() -> None:
    found = [guess(one) for old, new in map(drawn, range(40)) for one in groups(old, new, became(old, new))]
    assert {0, 1, 3} <= {len(those) for those, *_ in found}
    assert any(most < of for _, most, of in found)


def test_a_refusal_explains_an_error_and_no_crash() -> None:
    asked = Row("judgments/negative-one", Subject("lib", "v", "1"), "nDCG@5", None, Verdict.AGREES, 1.0, None, None)
    asked = replace(asked, expected=value(asked.case, asked.measure, STANDARD, None))
    failed = replace(asked, value=None, error="ValueError: no")
    fails_by = (replace(failed, verdict=verdict) for verdict in (Verdict.ERROR, Verdict.CRASH))
    error, crash = (guessed([AnswerChange(ChangeKind.FAILING, asked, now)]) for now in fails_by)
    assert "negative=rejected" in error.conventions
    assert not crash.conventions
