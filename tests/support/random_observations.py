"""Random runs: libraries in versions, environments and variants, with observations of every kind, in an order that is not sorted."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import FAILS, Row, Verdict
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Known, ObservationPlace, Pin, read
from rankproof.workers.subjects import Installation, Subject, installation

Chance = random.Random
LIBRARIES = ("zulu", "mike", "alpha", "kilo", "b_b", "x_y", "echo", "delta9")
VARIANTS = ("rows", "lists", "default", "a b", "files", "0")
MEASURES = (
    "nDCG@2",
    "P@2",
    "AP",
    "RR",
    "R@3",
    "DCG@2",
    "NumRel",
    "P@5",
    "nDCG(dcg='exp-log2')@2",
    "AP(rel=2)@3",
    "ERR@3",
    "Newer@3",
    "RR@2",
)
"""Measures, including a measure that only a later rankproof knows."""
VALUES = (0.5, 0.25, 1.0, 0.0, 1 / 3, 0.50001, 0.75, 2.0, -1.0, float("nan"), float("inf"), "absent", 0.125, 3e-7)
CONVENTIONS = (
    "ties=docid-asc",
    "ties=input",
    "gain=exp",
    "ideal=given",
    "ideal_cut=never",
    "score=f32",
    "missing=dropped",
    "norel=nan",
    "known=retrieved",
    "score_sign=positive",
    "ties=unspecified",
)
HOSTILE = ("a | b", "<b>*x*</b>", "[x](y)", "q_1 `c`", "two\nlines", "bel\x07l", "$x$ & y", "\u202eabc")
NOTES = ("it counts from 0", "it cannot count | at all", "no such *option*", "it is so\nby chance")
FAILURES = {
    Verdict.ERROR: ("ValueError: no", "IndexError: list | index", "ValueError: <b>"),
    Verdict.CRASH: ("crash: it ended by SIGSEGV",),
    Verdict.TIMEOUT: ("timeout: 120 seconds",),
    Verdict.MEMORY: ("memory: more than 8 GB",),
    Verdict.INVALID_OUTPUT: ("invalid-output: no JSON",),
    Verdict.UNSTABLE: (Verdict.UNSTABLE.value,),
}


@dataclass(frozen=True, eq=False)
class DrawnRun:
    """A run without its libraries."""

    cases: tuple[Case, ...]
    installations: tuple[Installation, ...]
    libraries: tuple[Library, ...]
    rows: tuple[Row, ...]
    complaints: tuple[Complaint, ...]

    @cached_property
    def header(self) -> dict[str, Any]:
        """Return the header of the results."""
        asked = [one.as_json() for one in self.installations]
        where = {"rankproof": "7.8.9", "python": "3.12.1", "platform": "Here x86"}
        return {**where, "cases": len(self.cases), "asked": asked}

    @cached_property
    def results(self) -> RunResults:
        """Return the run in the form of a results file."""
        return RunResults(self.header, self.rows, {})

    @cached_property
    def run(self) -> Run:
        """Return the run; a library in several environments becomes several libraries."""
        of = {library.name: library for library in self.libraries}
        asked = tuple(
            LibraryAnswers(of[name], {**one.as_json(), "seq": 0}, (), 0.5 + i, adapter=f"digest {name}")
            for i, one in enumerate(self.installations)
            for name in [one.library]
        )
        return Run(self.cases, asked, self.rows, self.complaints, "of inputs", "of code", 12.25)


def subjects_of(one: Installation) -> list[Subject]:
    """Return the variants, absent variants last; a library that did not run has one subject without a variant."""
    variants = [*one.variants, *(variant for variant in one.absent if variant not in one.variants)]
    alone = len({*variants, *one.others}) < 2
    environment = one.environment
    there = (variants or [""]) if one.version else [""]
    return [Subject(one.library, variant, one.version, environment, alone) for variant in there]


@cache
def _small() -> tuple[Case, ...]:
    return tuple(
        case for case in corpus.load_all() if not case.of_labels and not case.undefined and case.input.size < 20
    )


def _cases(c: Chance) -> tuple[Case, ...]:
    """Draw cases of at least three topics; some are headlines, and one has no right value."""
    every = c.sample(_small(), 60)
    several = [case for case in every if len(case.queries) > 1][:3]
    found = []
    for topic in dict.fromkeys(case.id.partition("/")[0] for case in [*several, *every]):
        own = [case for case in [*several, *every] if case.id.startswith(f"{topic}/")]
        found += own[: c.choice([1, 2])]
    found = list({case.id: case for case in found[:6]}.values())
    tags = [("headline", "ties"), ("headline",), ("ties", "smoke"), (), ("undefined",), ("headline", "gain")]
    c.shuffle(tags)
    return tuple(
        replace(
            case,
            tags=tags[i],
            expect=None,
            also_ask=tuple(c.sample(MEASURES, c.choice([1, 3, 5]))),
            question=f"{case.question} {c.choice(HOSTILE)}" if c.random() < 0.3 else case.question,
        )
        for i, case in enumerate(found)
    )


def _asked(c: Chance, name: str, kind: int) -> list[Installation]:
    """Draw a library: one or more versions, environments and variants, installed or not."""
    variants = {variant: c.choice(["", "as it is", "rows | lists"]) for variant in c.sample(VARIANTS, c.choice([2, 3]))}
    notes = c.choice([{}, {"module": "a copy of the hub's"}, {"torch": "2.1", "numpy": "1.26"}])
    said: dict[str, Any] = {
        "version": c.choice(["1.10", "1.9", "0.5.11"]),
        "python": "3.11.7",
        "variants": variants,
        "notes": notes,
        "dependencies": dict(c.sample([("numpy", "2.1"), ("pandas", "2.2"), ("scipy", "1.15")], 2)),
    }
    first, *others = variants
    second = {"version": "2.0", "variants": {first: "", "new": "since 2"}}
    lacking = {"variants": {first: ""}, "absent": dict.fromkeys(others, "no such | module"), "others": ["z"]}
    every = (
        [said],
        [said | {"variants": {first: "its only way"}}],
        [said, said | second, said | {"version": "1.0"}],
        [said, said | {"python": "3.12.1"}],
        [{"not_installed": f"no module named {name}"}],
        [{"failed": "crash", "message": "it ended by SIGSEGV"}],
        [said | lacking],
    )
    return [installation(name, one) for one in every[kind]]


def _answers(c: Chance, case: Case, measure: str, who: Subject, expected: Mapping[str | None, Any]) -> list[Row]:
    """Draw the rows of a library for one case and measure: none, unsupported, an error, a mean, or a value of each query."""
    kind = c.choice(["nothing", "unsupported", "failure", *["mean"] * 5, *["queries"] * 3])
    plain = Row(case.id, who, measure, None, Verdict.UNDEFINED, expected=expected[None])
    if kind == "nothing":
        return []
    if kind == "unsupported":
        why = c.choice([f"no {measure}", "no line for it", f"not of {case.id}"])
        return [replace(plain, verdict=Verdict.UNSUPPORTED, note=why, expected=None)]
    if kind == "failure":
        verdict = c.choice(list(FAILURES))
        error = c.choice(FAILURES[verdict])
        if "undefined" in case.tags:
            return [replace(plain, error=error, expected=None)]
        if verdict is Verdict.ERROR:
            verdict = c.choice([Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, Verdict.ERROR])
        return [_judged(c, replace(plain, error=error), verdict)]
    queries = [str(query) for query in case.queries] if kind == "queries" else []
    found = []
    named = [*queries, *([None] if kind == "mean" or c.random() < 0.7 else [])]
    may = [*[Verdict.AGREES] * 3, *[Verdict.CONVENTION] * 3, Verdict.KNOWN, Verdict.UNEXPLAINED, *[Verdict.DEFECT] * 2]
    for query in c.sample(named, len(named)):
        value = c.choice([*VALUES, expected[None], 0.5, 0.25])
        row = replace(plain, query=query, value=0.5 if value is None else value, expected=expected[query])
        if "undefined" in case.tags:
            found.append(replace(row, expected=None))
        else:
            found.append(_judged(c, row, c.choice(may)))
    return found


def _judged(c: Chance, row: Row, verdict: Verdict) -> Row:
    few = CONVENTIONS[:3] if c.random() < 0.6 else CONVENTIONS
    own = c.sample(few, c.choice([1, 1, 2])) if verdict is Verdict.CONVENTION else ()
    axes = {one.partition("=")[0]: one for one in own}
    note = "" if verdict in {Verdict.AGREES, Verdict.CONVENTION} and c.random() < 0.9 else c.choice(NOTES)
    return replace(row, verdict=verdict, conventions=tuple(axes.values()), note=note)


def _library(c: Chance, name: str, speaks_of: str, rows: Sequence[Row]) -> Library:
    """Return a library whose sheet has some of its rows as exceptions."""
    title = f"{c.choice(['Q', 'm', 'A'])} {name}"
    text = FAKE.replace('"fake"', f'"{name}"').replace('"Fake"', f'"{title}"').replace('= "1"', f'= "{speaks_of}"')
    sheet = read(Path(f"{name}.toml"), text)
    pins = {}
    for row in c.sample(rows, min(len(rows), c.choice([0, 2, 5]))):
        why = c.choice(["it is broken | there", "no *reason*", "it is a choice"])
        known = Known(why, c.choice(["", "https://example.org/1"]))
        pins[row.place] = Pin(row.place, row.observed or "nothing", known)
    return Library(name, Path(f"{name}_adapter.py"), replace(sheet, pins=pins))


@cache
def drawn(seed: int) -> DrawnRun:
    """Draw a run of at least four libraries."""
    c = Chance(seed)
    cases = _cases(c)
    kinds = [0, 1, 2, 3, 4, 5, 6]
    c.shuffle(kinds)
    kinds = kinds[: c.choice([4, 6, 7])]
    names = c.sample(LIBRARIES, len(kinds))
    asked = [one for name, kind in zip(names, kinds, strict=True) for one in _asked(c, name, kind)]
    rows: list[Row] = []
    pool = [0.5, 0.25, 1.0, 0.0, None, 3.0]
    expected = {
        (case.id, measure): {None: c.choice(pool), **{str(query): c.choice(pool) for query in case.queries}}
        for case in cases
        for measure in case.measures
    }
    for one in asked:
        everybody = subjects_of(one)
        if not one.version:
            verdict = Verdict(one.failed) if one.failed else Verdict.NOT_INSTALLED
            rows.append(Row("", everybody[0], "", None, verdict, note=one.not_installed or one.message))
            continue
        absent = [(who, one.absent[who.variant]) for who in everybody if who.variant in one.absent]
        rows += [Row("", who, "", None, Verdict.NOT_INSTALLED, note=why) for who, why in absent]
        for case in cases:
            for who in everybody:
                silent = c.random() < 0.12
                for measure in case.measures if who.variant in one.variants else ():
                    if silent:
                        rows.append(Row(case.id, who, measure, None, Verdict.UNSUPPORTED, note="it has no line for it"))
                    else:
                        rows += _answers(c, case, measure, who, expected[case.id, measure])
    libraries = []
    for name in c.sample(names, len(names)):
        versions = [one.version for one in asked if one.library == name and one.version]
        own = [row for row in rows if row.library == name and row.case and (row.value is not None or row.error)]
        libraries.append(_library(c, name, c.choice(versions or ["1"]), own))
    complaints = [
        Complaint(row.library, f"{row.verdict}: observed {row.observed}; look", row.place if row.case else None)
        for row in rows
        if row.verdict in FAILS and c.random() < 0.8
    ]
    complaints += [Complaint(name, f"[profiles.x] claims {c.choice(HOSTILE)}") for name in c.sample(names, 2)]
    gone = ObservationPlace("gone/case", "rows", "AP", c.choice([None, "q1"]))
    complaints += [Complaint(names[0], "it pins, but", gone)]
    return DrawnRun(cases, tuple(asked), tuple(libraries), tuple(rows), tuple(c.sample(complaints, len(complaints))))
