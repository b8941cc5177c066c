"""Drawn drift: runs of a few libraries, of which everything differs, and what became of each answer, found by looking at all.

What is worked out here knows nothing of how the product does it: it looks through every row for every question.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import SimpleNamespace

from drawn_runs import called

from rankproof.cases.json_numbers import number_as_json
from rankproof.judge import results_file
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.text import short
from rankproof.workers.subjects import Installation, Subject

Chance = random.Random
Questions = Sequence[tuple[str, str]]
LIBRARIES = ("zeta", "ada", "mid", "kim")
VARIANTS = ("w", "v", "u", "ada")
CASES = ("odd/zz-last", "odd/<b>|_x_`y`", "odd/aa", "odd/ab")
MEASURES = {
    "nDCG@5": ("nDCG", "nDCG@k"),
    "P(rel=2)@5": ("P", "P(rel=2)@k"),
    "AP": ("AP", "AP"),
    "nDCG@10": ("nDCG", "nDCG@k"),
    "IPrec@0.1": ("IPrec", "IPrec@k"),
}
"""Each with its name, and with any cutoff."""
QUERIES = ("q2", None, "q|1*", "q10")
VALUES = (
    0.5,
    0.25,
    0.125,
    0.0,
    1.0,
    1 / 3,
    0.500004,
    0.5 + 2e-10,
    800.004,
    800 + 4e-7,
    0.50000001,
    0.5 * (1 + 1e-13),
    0.5 * (1 + 5e-12),
    800.0,
    0.875,
    math.nan,
    math.inf,
    -math.inf,
    "absent",
)
CONVENTIONS = (
    ("gain=exp",),
    ("gain=binary", "ties=input"),
    ("taste=odd",),
    ("gain=exp", "discount=rank"),
    ("ties=unspecified",),
    ("gain=exp", "ties=unspecified"),
)
REFUSALS = (
    "ValueError: no",
    "ValueError: not so",
    "KeyError: 'q2'",
    "TypeError: " + "long <i> words | " * 20,
    ": of no type",
    ": nor this",
)
HOLD = {"agrees", "convention", "known"}
OPEN = {"unsupported", "undefined", "not-installed"}
KINDS = ("newly failing", "moved", "lost", "fixed", "worded otherwise", "new", "gone")
BY_CAUSE = {"newly failing", "moved", "fixed"}


@dataclass(frozen=True)
class Change:
    """What became of an answer."""

    kind: str
    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """Where it is: the new side, unless the old one alone is of a query."""
        of_a_query = self.old is not None and self.old.query is not None
        told = self.old if self.new is None or (of_a_query and self.new.query is None) else self.new
        assert told is not None
        return told

    @property
    def size(self) -> float | None:
        """How far a number moved."""
        a, b = (None if row is None else row.value for row in (self.old, self.new))
        return abs(a - b) if isinstance(a, float) and isinstance(b, float) and math.isfinite(a - b) else None


# -- drawing ----------------------------------------------------------------------------------------------------------


def drawn_answer(c: Chance, row: Row) -> Row:
    """Any answer that a library gives to a question: a number, a refusal, a failure."""
    every = [*Verdict][:-1]  # who is not installed answers nothing
    verdict = c.choice([*every, *[Verdict.AGREES] * 4, *[Verdict.CONVENTION] * 6])
    if verdict is Verdict.UNSUPPORTED:
        return replace(row, query=None, verdict=verdict, note=c.choice(["no such measure", "not so"]))
    fails = verdict in {Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT, Verdict.MEMORY, Verdict.INVALID_OUTPUT}
    conventions = c.choice(CONVENTIONS) if verdict is Verdict.CONVENTION else ()
    said = replace(row, verdict=verdict, conventions=conventions, expected=0.75)
    said = replace(said, note=c.choice(["", "an error with a name"]))
    if fails or (c.random() < 0.3 and verdict in {Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN}):
        return replace(said, query=None, error=f"{c.choice(REFUSALS)} at 0x{c.getrandbits(32):x}")
    if verdict is Verdict.UNSTABLE or c.random() < 0.02:
        return replace(said, error="unstable")
    return replace(said, value=c.choice(VALUES))


def drawn_rows(c: Chance, one: Installation, questions: Iterable[tuple[str, str]]) -> list[Row]:
    """What a library answers: of each question the whole, or some queries."""
    rows = []
    for variant in one.variants:
        for case, measure in questions:
            place = Row(case, one.subject(variant), measure, None, Verdict.AGREES)
            some = c.sample(QUERIES, c.randint(1, len(QUERIES)))
            answers = [drawn_answer(c, replace(place, query=query)) for query in some]
            whole = [
                row for row in answers if row.verdict is Verdict.UNSUPPORTED or row.error not in {None, "unstable"}
            ]
            rows += whole[:1] or answers
    return rows


def not_there(asked: Iterable[Installation]) -> list[Row]:
    """The rows of the libraries and of the variants that could not be asked."""
    return [
        Row("", subject, "", None, Verdict.NOT_INSTALLED, note="why")
        for one in asked
        for subject in ([one.subject()] if one.why_not else map(one.subject, one.absent))
    ]


def drawn_installations(c: Chance, library: str, variants: Sequence[str]) -> list[Installation]:
    """A library in one version, or in several and in several environments; or that it is not there, or is not asked."""
    asked = list(variants[: c.randint(1, len(variants))])
    left = [one for one in variants if one not in asked]
    others, absent = ([one for one in left if c.random() < 0.4] for _ in range(2))
    told = {
        "variants": dict.fromkeys(asked, "a way"),
        "others": tuple(others),
        "absent": {one: "it lacks a part" for one in absent if one not in others},
    }
    fate = c.choice(["asked", "asked", "asked", "several", "several", "no module", "it fails", "not asked"])
    if fate == "not asked":
        return []
    if fate == "no module":
        return [Installation(library, not_installed="no module")]
    if fate == "it fails":
        return [Installation(library, failed="crash", message="it does not load")]
    drawn = (map(c.choice, (["1.9", "1.10", "2"], ["3.9.1", "3.10.2"], ["1.26", "2.0"])) for _ in range(4))
    found = [
        Installation(library, version, python, dependencies={"numpy": numpy, "base": "1"}, **told)
        for version, python, numpy in dict.fromkeys(map(tuple, drawn))
    ]
    if fate == "asked":
        return found[:1]
    # Not every version has all ways.
    fewer = [dict.fromkeys(c.sample(asked, c.randint(1, len(asked))), "a way") for _ in found]
    return [replace(one, variants=ways) if c.random() < 0.4 else one for one, ways in zip(found, fewer, strict=True)]


def drawn_run(c: Chance) -> RunResults:
    """A run, as its files have it."""
    libraries = c.sample(LIBRARIES, c.randint(2, len(LIBRARIES)))
    each = [drawn_installations(c, name, c.sample(VARIANTS, c.randint(1, 4))) for name in libraries]
    asked = [one for those in each for one in those]
    questions = [(case, measure) for case in c.sample(CASES, 3) for measure in c.sample([*MEASURES], 3)]
    rows = not_there(asked) + [row for one in asked for row in drawn_rows(c, one, questions)]
    return RunResults({"asked": [one.as_json() for one in asked], "questions": questions}, tuple(rows), {})


FATES = ("same", "same", "same", "upgraded", "one more", "one less", "gone", "fewer ways", "lost ways", "broken")


def fated(c: Chance, those: list[Installation]) -> list[Installation]:
    """What a library may be in another run: another version, more or fewer of them, fewer ways to ask it, or none at all."""
    fate, (first, *rest) = c.choice(FATES), those
    if fate == "upgraded":
        return [replace(first, version=first.version and "3.0"), *rest]
    if fate == "one more" and first.version:
        return [*those, replace(first, version="0.9")]
    if fate == "broken":
        return [Installation(first.library, failed="crash", message="it does not load")]
    if fate in {"fewer ways", "lost ways"} and first.version:
        way, *ways = first.variants
        others = (*ways, *first.others) if fate == "fewer ways" else first.others
        absent = dict.fromkeys(ways, "it lacks a part") if fate == "lost ways" and c.random() < 0.5 else {}
        return [replace(one, variants={way: "a way"}, others=others, absent=absent) for one in those]
    return {"one less": those[:-1], "gone": []}.get(fate, those)


def changed(c: Chance, run: RunResults) -> RunResults:
    """What another run of the same libraries may say: most of it is as it was."""
    by_library: dict[str, list[Installation]] = {}
    for one in run.asked:
        by_library.setdefault(one.library, []).append(one)
    drop = c.random() < 0.3
    for library, those in by_library.items():
        by_library[library] = now = fated(c, those)
        if len(now) > 1 and c.random() < 0.6:  # one version loses a way that another one has
            i = c.randrange(len(now))
            left = dict(c.sample([*now[i].variants.items()], len(now[i].variants) - 1))
            by_library[library] = [*now[:i], replace(now[i], variants=left), *now[i + 1 :]]
    asked = [one for those in by_library.values() for one in those]
    c.shuffle(asked)
    questions = list(dict.fromkeys((row.case, row.measure) for row in run.rows if row.case))
    kept = questions[1:] if drop else questions
    rows = [row for one in asked for row in answered_otherwise(c, run.rows, one, kept)]
    alone = {(one.library, one.version, one.environment): one.subject().alone for one in asked}
    for i, row in enumerate(rows):
        who = row.subject
        rows[i] = replace(row, subject=replace(who, alone=alone[who.library, who.version, who.environment]))
    if questions and c.random() < 0.4:  # what nobody supports any more was asked all the same
        of_one = c.choice(questions)
        rows = [row for row in rows if (row.case, row.measure) != of_one]
        rows += [
            Row(of_one[0], one.subject(variant), of_one[1], None, Verdict.UNSUPPORTED, note="no such measure")
            for one in asked
            for variant in one.variants
            if c.random() < 0.5 and of_one in kept
        ]
    rows += not_there(asked)
    c.shuffle(rows)
    return RunResults({"asked": [one.as_json() for one in asked], "questions": kept}, tuple(rows), {})


def answered_otherwise(c: Chance, before: Iterable[Row], one: Installation, questions: Questions) -> list[Row]:
    """What a library answers once it is another: much as before, but that one measure may be by another choice throughout."""
    rows: list[Row] = []
    turned, convention, value = c.choice([*MEASURES, "none"]), c.choice(CONVENTIONS), c.choice(VALUES[:6])
    for subject in map(one.subject, one.variants):
        way = (one.library, subject.variant)
        of_variant = [row for row in before if row.case and (row.library, row.variant) == way]
        subjects = [row.subject for row in of_variant] or [subject]
        like = subject if subject in subjects else subjects[0]
        for question in questions:
            mine = [row for row in of_variant if row.subject == like and (row.case, row.measure) == question]
            same = [replace(row, subject=subject) for row in mine]
            dice = c.random()
            if dice < 0.2:
                same = [_nudged(c, row) for row in same]
            elif dice > 0.7 or not of_variant:
                alone = replace(one, variants={subject.variant: ""})
                same = [] if dice > 0.92 else drawn_rows(c, alone, [question])
            turns = {Verdict.AGREES, Verdict.CONVENTION} if question[1] == turned else {}
            rows += [
                replace(row, verdict=Verdict.CONVENTION, conventions=convention, value=value)
                if row.verdict in turns and row.error is None
                else row
                for row in same
            ]
    return [replace(row, subject=one.subject(row.variant)) for row in rows]


def _nudged(c: Chance, row: Row) -> Row:
    """The same answer, but for one thing."""
    if row.verdict is Verdict.UNSUPPORTED:
        return row
    if c.random() < 0.3:
        verdict = c.choice([Verdict.UNEXPLAINED, Verdict.AGREES, Verdict.KNOWN, Verdict.UNDEFINED, Verdict.DEFECT])
        return replace(row, verdict=verdict, conventions=())
    if row.error is not None:
        near = [words for words in REFUSALS if words.split(":")[0] == _error(row)[0]]  # perhaps in other words
        return replace(row, error=f"{c.choice([*near, c.choice(REFUSALS)])} at 0x{c.getrandbits(32):x}")
    if row.conventions and c.random() < 0.7:
        return replace(row, conventions=c.choice(CONVENTIONS))
    if isinstance(row.value, float) and c.random() < 0.5:
        return replace(row, value=row.value + c.choice([2e-10, 4e-6, 0.01]) * max(1.0, abs(row.value)))
    return replace(row, value=c.choice(VALUES))


def written(run: RunResults, folder: Path) -> Path:
    """A folder with its results, a file for each library."""
    cases = {case: SimpleNamespace(id=case, measures=[]) for case, _ in run.header["questions"]}
    for case, measure in run.header["questions"]:
        cases[case].measures.append(measure)
    told = {"adapter": "", "once": 0}
    asked = [SimpleNamespace(library=SimpleNamespace(name=one.library), installation=one, **told) for one in run.asked]
    with_input = [SimpleNamespace(**vars(one), input=SimpleNamespace(as_json=dict)) for one in cases.values()]
    whole = SimpleNamespace(cases=with_input, asked=asked, rows=run.rows, complaints=(), inputs="", code="")
    results_file.write(whole, folder)  # type: ignore[arg-type]
    return folder


# -- working out ------------------------------------------------------------------------------------------------------


def _error(row: Row) -> tuple[str, ...]:
    """The type of an error and its words; where it was in memory is no matter."""
    words = (row.error or "").rpartition(" at 0x")[0] or (row.error or "")
    return (words.split(":")[0], words) if row.error is not None else ()


def same_value(a: object, b: object) -> bool:
    """Whether two values are one, within float noise."""
    if isinstance(a, float) and isinstance(b, float) and math.isfinite(a) and math.isfinite(b):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def fails(row: Row) -> bool:
    """Whether it is neither as claimed nor left open."""
    return row.verdict not in HOLD | OPEN


def is_called(row: Row, library: str, measure: str) -> bool:
    """Whether a row is of what was asked for."""
    name, slash, variant = library.partition("/")
    of_variant = not slash or fnmatchcase(row.variant, variant)
    of_library = library == row.variant or (fnmatchcase(row.library, name) and of_variant)
    return of_library and (measure == re.split("[(@]", row.measure)[0] or fnmatchcase(row.measure, measure))


@dataclass(frozen=True)
class Sides:
    """The rows of two runs that are compared, and the libraries of which either has several versions or environments."""

    new: RunResults
    before: Sequence[Row]
    after: Sequence[Row]
    several: frozenset[str]

    def who(self, subject: Subject) -> object:
        """A library, in a certain version and environment only where there are several."""
        of_several = (subject.version, subject.environment) if subject.library in self.several else ()
        return subject.library, *of_several

    def question(self, row: Row) -> object:
        """Who is asked what."""
        return self.who(row.subject), row.variant, row.case, row.measure

    def said(self, rows: Iterable[Row], row: Row) -> Row | None:
        """What is said in the place of a row: of its query, or the refusal that stands for all."""
        asked = [one for one in rows if self.question(one) == self.question(row)]
        own = [one for one in asked if one.query == row.query]
        return next(iter(own + [one for one in asked if one.query is None and one.error is not None]), None)

    def left(self, row: Row) -> str:
        """What became of an answer that the new run does not have."""
        there = [one for one in self.new.asked if self.who(one.subject()) == self.who(row.subject)]
        absent = any(one.library == row.library and one.why_not for one in self.new.asked)
        put = there and all(row.variant not in one.others for one in there)
        asked = any((one.case, one.measure) == (row.case, row.measure) for one in self.new.rows)
        if not (put or absent) or not asked:
            return "gone"
        ways = [(self.who(one.subject), one.variant) for one in self.new.rows if one.case]
        if (self.who(row.subject), row.variant) not in ways:
            return "lost"
        return "fixed" if fails(row) else "moved"

    def kind(self, a: Row | None, b: Row | None) -> str | None:
        """What became of an answer; nothing where it is as it was, or was none."""
        if a is not None and b is not None:
            return both(a, b)
        if a is not None:
            return self.left(a) if a.verdict != "unsupported" else None
        if b is None or b.verdict == "unsupported":
            return None
        before = any(self.question(one) == self.question(b) for one in self.before)
        return "newly failing" if fails(b) else "moved" if before else "new"


def became(old: RunResults, new: RunResults, library: str = "*", measure: str = "*") -> list[Change]:
    """What became of each answer, the old ones in their order, then those that are new."""
    count = [Counter(one.library for one in run.asked) for run in (old, new)]
    several = frozenset(name for name in LIBRARIES if max(of[name] for of in count) > 1)
    chosen = [[row for row in run.rows if row.case and is_called(row, library, measure)] for run in (old, new)]
    sides_ = Sides(new, *chosen, several)
    found: dict[object, Change | None] = {}
    for row in [*sides_.before, *sides_.after]:
        a, b = sides_.said(sides_.before, row), sides_.said(sides_.after, row)
        kind = sides_.kind(a, b)
        found.setdefault((sides_.question(row), row.query), kind and Change(kind, a, b))
    return [change for change in found.values() if change]


def both(a: Row, b: Row) -> str | None:
    """What became of an answer that both sides have."""
    if fails(a) and b.verdict in HOLD:
        return "fixed"
    if fails(b) and not fails(a):
        return "newly failing"
    if a.verdict != b.verdict or not same_value(a.value, b.value):
        return "moved"
    if _error(a) != _error(b):
        of_a_type = a.error is not None and b.error is not None and _error(a)[0] == _error(b)[0] != ""
        return "worded otherwise" if of_a_type and a.verdict in HOLD else "moved"
    return None


def names(runs: Iterable[RunResults]) -> dict[Subject, str]:
    """What each subject is called in the last of the runs that has it: so long that no two of the run are called alike."""
    found: dict[Subject, str] = {}
    for run in runs:
        found |= called([*(who for one in run.asked for who in one.subjects), *(row.subject for row in run.rows)])
    return found


# -- the changes of one cause, and how they are told ---------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """Changes of one cause."""

    kind: str
    library: str
    variant: str
    which: str
    measure: str
    changes: Sequence[Change]

    @property
    def largest(self) -> float | None:
        """How far a number moved at most."""
        sizes = [one.size for one in self.changes if one.size is not None]
        return max(sizes) if sizes else None

    @property
    def witness(self) -> Change:
        """Of those with an answer on both sides, or else of all, what moved most; a mean, if there is one, and the first of the cases."""
        least = [one for one in self.changes if silent(one) == min(map(silent, self.changes))]
        most = [one for one in least if (one.size or 0) == max(one.size or 0 for one in least)]
        means = [one for one in most if one.row.query is None] or most
        return min(means, key=lambda one: one.row.case)


def silent(change: Change) -> int:
    """How many of its sides say nothing."""
    rows = (change.old, change.new)
    return sum(
        row is None or (row.error is None and row.value is None and row.verdict == "unsupported") for row in rows
    )


def groups(old: RunResults, new: RunResults, changes: Sequence[Change]) -> list[Group]:
    called = names([old, new])
    counts = [Counter(one.library for one in run.asked) for run in (old, new)]
    several = {name for count in counts for name in count if count[name] > 1}
    found: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        row = change.row
        form = re.sub(r"@[0-9.]+$", "@k", row.measure) if change.kind in BY_CAUSE else ""
        which = called[row.subject] if row.library in several else ""
        found.setdefault((change.kind, row.library, row.variant, which, form), []).append(change)
    made = [Group(*key, tuple(those)) for key, those in found.items()]
    return sorted(made, key=lambda one: (KINDS.index(one.kind), one.library, -len(one.changes), -(one.largest or 0)))


def said(row: Row | None) -> str:
    if row is None:
        return "no answer"
    return row.error if row.error is not None else str(row.verdict) if row.value is None else short(row.value)


def sides(change: Change) -> tuple[str, str]:
    a, b = said(change.old), said(change.new)
    alike = a == b and change.size
    return (repr(change.old.value), repr(change.new.value)) if alike and change.old and change.new else (a, b)


def cut(text: str, width: int) -> str:
    return text[:width] + "…" * (len(text) > width)


def place(row: Row) -> str:
    return " ".join(part for part in (row.case, row.measure, row.query) if part is not None)


def side_as_json(row: Row | None) -> object:
    return row and {
        "verdict": str(row.verdict),
        "value": number_as_json(row.value),
        "error": row.error,
        "conventions": list(row.conventions),
    }


def change_as_json(change: Change) -> dict[str, object]:
    row = change.row
    return {
        "kind": change.kind,
        "library": row.library,
        "variant": row.variant,
        "version": row.version,
        "case": row.case,
        "measure": row.measure,
        "query": row.query,
        "old": side_as_json(change.old),
        "new": side_as_json(change.new),
    }
