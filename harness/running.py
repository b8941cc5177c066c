"""The run: every library is asked every case in its worker, and every answer is judged.

cases ──► workers (two at once) ──► observations ──► verdicts ──► what does not hold
"""

import fnmatch
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from rankproof import adapters, reference_impl, store
from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.observations import Observation, read
from rankproof.oracle import Oracle
from rankproof.reference_impl.notation import parse
from rankproof.sheets import Library, Place
from rankproof.updating import stale, unwitnessed
from rankproof.verdicts import FAILS, NOT_JUDGED, Row, Verdict, judge
from rankproof.workers import TIMEOUT, Interrupted, Reply, Worker, WorkerFailed, seconds_since

SMOKE = "smoke"
"""The tag of a case on which all conventions are one, so that failing it tells of a broken adapter."""

Progress = Callable[[str, int], None]
"""Told a library's name and how many of its cases were just asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one library answered to all cases, and what it said of itself.

    Attributes:
        hello: its reply to `hello`: version, variants, dependencies; `not_installed` or `failed` where it could not be asked.
        library_seconds: importing and calling, by the worker's own clock.
    """

    library: Library
    hello: Reply
    observations: tuple[Observation, ...]
    library_seconds: float = 0.0
    restarts: int = 0
    key: str = ""
    """What the answers depend on, but for the input (see `store`)."""
    reused: int = 0
    """How many of the observations the store knew."""

    @property
    def version(self) -> str:
        """The version the library says it has; empty if it is not installed."""
        return str(self.hello.get("version", ""))

    @property
    def installed(self) -> bool:
        """Whether it could be asked."""
        return "version" in self.hello


@dataclass(frozen=True, slots=True)
class Complaint:
    """Something that does not hold, and what to do about it."""

    library: str
    what: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.library}: {self.what}" if self.place is None else f"{self.library} {self.place}: {self.what}"


@dataclass(frozen=True)
class Run:
    """Everything that one run found."""

    cases: tuple[Case, ...]
    asked: tuple[Asked, ...]
    rows: tuple[Row, ...]
    complaints: tuple[Complaint, ...]
    inputs: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)


def select(cases: Iterable[Case], globs: Sequence[str], measures: Sequence[str]) -> list[Case]:
    """The cases whose ids match one of the globs, asked only the measures that match (`nDCG`, `nDCG@10`, `nDCG*`).

    Raises:
        NothingSelected: nothing is left to ask.
    """
    chosen = [case for case in cases if not globs or any(fnmatch.fnmatch(case.id, glob) for glob in globs)]
    if measures:
        wanted = {
            case.id: tuple(m for m in case.measures if any(_matches(m, glob) for glob in measures)) for case in chosen
        }
        chosen = [
            replace(
                case,
                expect={m: e for m, e in (case.expect or {}).items() if m in wanted[case.id]},
                also_ask=wanted[case.id],
            )
            for case in chosen
            if wanted[case.id]
        ]
    if not chosen:
        asked = " ".join([*globs, *measures])
        raise NothingSelected(f"no case matches {asked}; `rankproof cases list` shows them")
    return chosen


class NothingSelected(ValueError):
    """Globs that match nothing."""


def _matches(measure: str, glob: str) -> bool:
    return measure == glob or parse(measure).name == glob or fnmatch.fnmatchcase(measure, glob)


@dataclass(frozen=True, slots=True)
class Asking:
    """How libraries are asked.

    Attributes:
        at_once: how many workers run at the same time.
        timeout: how many seconds one request may take.
        pythons: the interpreter of a library's worker, where it is not this one.
        fresh: whether answers that are kept from an earlier run are asked for again.
        progress: told of each case asked.
    """

    at_once: int = 2
    timeout: float = TIMEOUT
    pythons: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    progress: Progress = lambda _name, _count: None

    def python_of(self, library: Library) -> str:
        """The interpreter that has the library."""
        return self.pythons.get(library.name, sys.executable)


AS_USUAL = Asking()


def run(cases: Sequence[Case], libraries: Sequence[Library], asking: Asking = AS_USUAL, *, whole: bool = True) -> Run:
    """Ask and judge.

    Args:
        cases: what is asked.
        libraries: who is asked.
        asking: how.
        whole: whether all cases are asked, so that a pin that met no observation is stale.
    """
    started = time.perf_counter()
    asked = ask_all(cases, libraries, asking)
    return judge_all(cases, asked, seconds_since(started), whole=whole)


def judge_all(cases: Sequence[Case], asked: Sequence[Asked], seconds: float = 0.0, *, whole: bool = True) -> Run:
    """Judge what was observed; `seconds` is what asking took."""
    started = time.perf_counter()
    oracles = {case.id: Oracle(case) for case in cases}
    rows = [row for one in asked for row in _judged(one, oracles)]
    smoke = frozenset(case.id for case in cases if SMOKE in case.tags)
    complaints = [complaint for one in asked for complaint in complaints_of(one, rows, whole=whole, smoke=smoke)]
    spent = {
        "asking": seconds,
        "judging": seconds_since(started),
        "libraries": sum(one.library_seconds for one in asked),
    }
    return Run(tuple(cases), tuple(asked), tuple(rows), tuple(complaints), inputs_of(cases, asked), spent)


def inputs_of(cases: Sequence[Case], asked: Sequence[Asked]) -> str:
    """A digest of all that results depend on: what was asked of whom, the cases, the sheets, and this package's own code."""
    package = Path(__file__).resolve().parent
    folders = (
        package,
        *(Path(module.__file__ or "").resolve().parent for module in (adapters, corpus, reference_impl)),
    )
    files = {
        path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".toml", ".json", ".j2"}
    }
    names = [(one.library.name, one.key) for one in asked]
    questions = [(case.id, case.measures) for case in cases]
    return store.digest(names, questions, store.digest_of_files(files))


def ask_all(cases: Sequence[Case], libraries: Sequence[Library], asking: Asking = AS_USUAL) -> list[Asked]:
    """Ask every library all cases, a few libraries at the same time."""
    return ask_each([(library, cases) for library in libraries], asking)


def ask_each(questions: Sequence[tuple[Library, Sequence[Case]]], asking: Asking = AS_USUAL) -> list[Asked]:
    """Ask each library its own cases, a few libraries at the same time."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=asking.at_once) as pool:
        futures = {pool.submit(ask, library, cases, asking, stop): library.name for library, cases in questions}
        try:
            done = {futures[future]: future.result() for future in as_completed(futures)}
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [done[library.name] for library, _ in questions]


def ask(
    library: Library, cases: Sequence[Case], asking: Asking = AS_USUAL, stop: threading.Event | None = None
) -> Asked:
    """Ask one library all cases, each variant on its own; what the store knows is not asked."""
    told = 0
    with Worker(library.adapter, asking.python_of(library), asking.timeout, stop) as worker:
        try:
            key = store.key_of(library.adapter, worker.identify())
            kept = store.open_for(library.name, key, fresh=asking.fresh)
            if not kept.hello or _lacks_an_answer(kept, cases):
                said = worker.hello()
                if _as_said(said) != _as_said(kept.hello):  # it is asked another way today: answers are not mixed
                    kept = store.open_for(library.name, key, fresh=True)
                kept.hello = said
            hello = kept.hello
            if "not_installed" in hello:
                return Asked(library, hello, (), key=key)
            observations: list[Observation] = []
            with suppress(Interrupted):
                for case in cases:
                    for variant in hello["variants"]:
                        observations += _observed(worker, kept, library.name, variant, case)
                    asking.progress(library.name, 1)
                    told += 1
            kept.save()
        except WorkerFailed as failure:
            return Asked(library, {"failed": failure.kind, "message": str(failure)}, ())
        finally:
            asking.progress(library.name, len(cases) - told)
        return Asked(library, hello, tuple(observations), worker.spent, worker.restarts, key, kept.reused)


def _lacks_an_answer(kept: store.Kept, cases: Sequence[Case]) -> bool:
    return any(not kept.knows(case.input(), v, case.measures) for case in cases for v in kept.hello.get("variants", {}))


def _as_said(hello: Reply) -> Reply:
    """What a library said of itself, without what differs each time it is asked."""
    return {name: said for name, said in hello.items() if name not in {"seq", "seconds"}}


def _observed(worker: Worker, kept: store.Kept, library: str, variant: str, case: Case) -> list[Observation]:
    data = case.input()
    answers = kept.get(data, variant, case.measures)
    left = [measure for measure in case.measures if measure not in answers]
    if left:
        answers |= (new := worker.observe(variant, data, left))
        kept.put(data, variant, new)
    return [read(case.id, library, variant, measure, answers[measure]) for measure in case.measures]


def _judged(asked: Asked, oracles: Mapping[str, Oracle]) -> list[Row]:
    name = asked.library.name
    if not asked.installed:
        verdict = Verdict(asked.hello["failed"]) if "failed" in asked.hello else Verdict.NOT_INSTALLED
        why = str(asked.hello.get("not_installed", asked.hello.get("message", "")))
        return [Row("", name, "", "", "", None, verdict, note=why)]
    rows = [
        Row("", name, variant, asked.version, "", None, Verdict.NOT_INSTALLED, note=why)
        for variant, why in asked.hello.get("absent", {}).items()
    ]
    library = replace(asked.library, sheet=asked.library.sheet.of_version(asked.version))
    for observation in asked.observations:
        rows += judge(oracles[observation.case], library, asked.version, observation)
    return rows


def complaints_of(
    asked: Asked, rows: Iterable[Row], *, whole: bool, smoke: frozenset[str] = frozenset()
) -> list[Complaint]:
    """What does not hold of one library: rows that fail, and pins of its sheet that do not happen (any more).

    A variant that fails a smoke case comes first: it is its adapter that is broken, or its formula, and no convention. Of a version that
    the sheet does not speak of, one complaint says it all.
    """
    name, sheet = asked.library.name, asked.library.sheet
    mine = [row for row in rows if row.library == name]
    if asked.installed and asked.version != sheet.speaks_of:
        return _of_another_version(asked, mine)
    broken = dict.fromkeys(row.variant for row in mine if row.verdict in FAILS and row.case in smoke)
    found = [Complaint(name, f"{variant} fails the smoke case: look at its adapter first") for variant in broken]
    found += [Complaint(name, _failing(row, asked), row.place) for row in mine if row.verdict in FAILS]
    if not asked.installed:
        return found
    found += [Complaint(name, what, place) for place, what in stale(sheet, mine, whole=whole)]
    if whole:
        found += [Complaint(name, what) for what in unwitnessed(sheet, mine)]
    return found


MOST_CASES = 5
"""How many cases a complaint names."""


def other_version(asked: Asked) -> str:
    """What to say of a version that the sheet does not speak of; nothing of one that it does, or of a library that was not asked."""
    sheet = asked.library.sheet
    if not asked.installed or asked.version == sheet.speaks_of:
        return ""
    known = sheet.known_of(asked.version)
    said = f", and knows of this one: {known.known}" if known else ""
    return f"asked is version {asked.version}; the sheet speaks of {sheet.speaks_of}{said}"


def _of_another_version(asked: Asked, rows: Sequence[Row]) -> list[Complaint]:
    failing = [row for row in rows if row.verdict in FAILS]
    if not failing:
        return []
    judged = sum(row.verdict not in NOT_JUDGED for row in rows)
    cases = list(dict.fromkeys(row.case for row in failing))
    named = ", ".join(cases[:MOST_CASES]) + (", …" if len(cases) > MOST_CASES else "")
    where = f"{len(cases)} {'cases' if len(cases) > 1 else 'case'} ({named})"
    what = f"{len(failing):,} of {judged:,} answers are not what is claimed, in {where}"
    mend = f"`rankproof diff` compares it with results of {asked.library.sheet.speaks_of}"
    return [Complaint(asked.library.name, f"{other_version(asked)}; {what}; {mend}")]


def _failing(row: Row, asked: Asked) -> str:
    seen = f"observed {row.observed}" if row.observed else row.note
    why = f"; {row.note}" if row.observed and row.note else ""
    return f"{row.verdict}: {seen}{why}; {_mend(asked)}"


def _mend(asked: Asked) -> str:
    return (
        f"give the sheet the right profile, or run `rankproof sheet update {asked.library.name}` and write the reason"
    )
