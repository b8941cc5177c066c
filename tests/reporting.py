"""What the tests of the libraries need and tell: who is asked what, the verdict in a test's line, and the tables at the end.

A test of a library on a case passes where an answer was judged and holds. Where none was, its outcome is absent, unsupported or undefined:
a skip for JUnit, and counted apart from what passed.
"""

import re
import subprocess
import sys
import textwrap
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Thread

import pytest
from here import of_this_interpreter

from rankproof import cases as corpus
from rankproof.judge.results_file import RunResults, header_of
from rankproof.judge.runs import Complaint, Run, judge_all
from rankproof.judge.verdicts import FAILS, HOLDS, Row, Verdict
from rankproof.report.run_report import Report, moved
from rankproof.text import one_line, short
from rankproof.workers.known_libraries import libraries
from rankproof.workers.observations import Answered, Failure
from rankproof.workers.rounds import AskingOptions, LibraryAnswers, ask_each
from rankproof.workers.sheets import ADAPTERS

VERDICT = "verdict"
"""The property of a test that holds what it tells; JUnit's XML has it, too."""
ABSENT = "absent"
NAMES = {Verdict.NOT_INSTALLED: ABSENT}
LETTERS = {
    Verdict.AGREES: ".",
    Verdict.CONVENTION: "c",
    Verdict.KNOWN: "k",
    Verdict.UNDEFINED: "u",
    Verdict.UNSUPPORTED: "-",
    ABSENT: "a",
}
DEVIATES = FAILS | {Verdict.CONVENTION, Verdict.KNOWN}
GROUPS = 20
"""How many groups of disagreements are told."""
WIDTH = 80

ONCE = AskingOptions(once=True)
"""The published run asks each question twice, and the probe `twice` asks whether that matters."""
LONGEST = 600
"""How many seconds another process may ask ahead; after that, what is not in the store is asked."""

Wanted = Mapping[str, Collection[str]]
"""Library -> ids of cases."""


# -- who is asked what ------------------------------------------------------------------------------------------------


def ids() -> list[str]:
    """The ids of all cases, without reading them."""
    return [path.relative_to(corpus.HERE).with_suffix("").as_posix() for path in corpus.files()]


def selected(items: Iterable[pytest.Item]) -> dict[str, set[str]]:
    """What the tests of the libraries among these are about; one without a case is about all of them."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if "selected_run" in getattr(item, "fixturenames", ()) and "library" in parameters:
            found[parameters["library"]] |= {parameters["case"]} if "case" in parameters else set(ids())
    return found


def needed(items: Sequence[pytest.Item]) -> Wanted:
    """What must be asked for these tests: all of all libraries, if any of them needs the whole run."""
    if any("whole_run" in getattr(item, "fixturenames", ()) for item in items):
        return {library.name: ids() for library in of_this_interpreter()}
    return selected(items)


@contextmanager
def asked_ahead(items: Sequence[pytest.Item], folder: Path, *, everything: bool) -> Iterator[Callable[[], object]]:
    """While other tests run, the store is filled with what the whole run will need; gives what waits for it.

    `rankproof run` does so where everything is to be asked; else what was published serves for a part of it (`asked_before`).

    It is a process of its own, so that no test's change of the environment or the folder reaches it, started by the first of those that
    share the folder. Whether it ends well is no matter: what is not in the store is asked when it is needed.
    """
    ours = all(library.adapter.parent == ADAPTERS for library in libraries())  # neither of them asks others
    if not ours or not any("whole_run" in getattr(item, "fixturenames", ()) for item in items):
        yield lambda: None
        return
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        yield partial(_until_there, done)
        return
    run_all = ["-m", "rankproof", "run", "--out", "."]
    ask = [sys.executable, *(run_all if everything else [Path(__file__).with_name("asked_before.py")])]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(ask, cwd=folder, **silent) as process:
        Thread(target=lambda: (process.wait(), done.touch()), daemon=True).start()
        try:
            yield process.wait
        except BaseException:
            process.kill()
            raise


def _until_there(done: Path) -> None:
    until = time.monotonic() + LONGEST
    while not done.exists() and time.monotonic() < until:
        time.sleep(0.2)


def run(wanted: Wanted) -> Run:
    """Ask each library its own cases, and judge; one that is asked all of them is held to the whole of its sheet."""
    cases = corpus.load_all()
    asked = asked_of(wanted, cases)
    whole = [one for one in asked if len(wanted[one.library.name]) == len(cases)]
    part = [one for one in asked if len(wanted[one.library.name]) < len(cases)]
    found, rest = judge_all(cases, whole), judge_all(cases, part, whole=False)
    rows, complaints = found.rows + rest.rows, found.complaints + rest.complaints
    return replace(found if whole else rest, asked=tuple(asked), rows=rows, complaints=complaints)


def answers(wanted: Wanted) -> dict[tuple[str, str, str, str], Answered | Failure | None]:
    """What each library answers to its cases, by library, variant, case and measure; from the store, where a run asked it before."""
    cases = [corpus.load(corpus.HERE / f"{case}.toml") for case in sorted({*chain(*wanted.values())})]
    return {
        (found.library.name, one.subject.variant, one.case, one.measure): one.answer
        for found in asked_of(wanted, cases)
        for one in found.observations
    }


def asked_of(wanted: Wanted, cases: Sequence[corpus.Case]) -> Sequence[LibraryAnswers]:
    """What each library says to its own of these cases."""
    named = [library for library in of_this_interpreter() if library.name in wanted]
    return ask_each([(one, [case for case in cases if case.id in wanted[one.name]]) for one in named], ONCE)


def required(pyproject: Path) -> set[str]:
    """The libraries that CI must have: those that the extra `libraries` names, and trec_eval, which is no Python package."""
    extras = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = re.findall(r"rankproof\[([^]]*)\]", " ".join(extras["libraries"]))
    return {"trec_eval", *re.split(r"[\s,]+", ",".join(named))}


# -- what a test tells ------------------------------------------------------------------------------------------------


def told(rows: Sequence[Row]) -> str:
    """The most telling of the verdicts of a library on a case: what fails, else what deviates most often, else what is left."""
    deviating = Counter((row.verdict, row.conventions) for row in rows if row.verdict in DEVIATES)
    if not deviating:
        seen = {row.verdict for row in rows}
        left = (Verdict.AGREES, Verdict.UNDEFINED, Verdict.UNSUPPORTED)
        return next((verdict for verdict in left if verdict in seen), ABSENT if seen else Verdict.UNSUPPORTED)
    verdict, conventions = max(deviating, key=lambda which: (which[0] in FAILS, deviating[which]))
    more = f" (and {len(deviating) - 1} more)" if len(deviating) > 1 else ""
    return " ".join([verdict, *conventions]) + more


def tell(item: pytest.Item, rows: Sequence[Row], complaints: Iterable[Complaint] = ()) -> None:
    """Give a test its verdict; it fails by what does not hold, and does not pass where nothing was judged."""
    verdict = told(rows)
    item.user_properties.append((VERDICT, str(verdict)))
    if failing := [one_line(str(complaint)) for complaint in complaints]:
        pytest.fail("\n".join(failing), pytrace=False)
    if (kind := verdict.split()[0]) not in HOLDS:
        pytest.skip(_why(kind, rows))


def _why(kind: str, rows: Sequence[Row]) -> str:
    notes = dict.fromkeys(
        one_line(row.note) for row in rows if NAMES.get(row.verdict, row.verdict) == kind and row.note
    )
    first = next(iter(notes), "the case has no right answer" if kind == Verdict.UNDEFINED else "nothing was asked")
    return first + (f" (and {len(notes) - 1} more)" if len(notes) > 1 else "")


def status(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """Category, letter and word of a test that tells its verdict; None of any other."""
    verdict = dict(getattr(report, "user_properties", ())).get(VERDICT)
    if report.when == "setup" and report.skipped and verdict == ABSENT:  # nothing was there to be asked
        return ABSENT, LETTERS[ABSENT], ABSENT
    if verdict is None or report.when != "call":
        return None
    kind = verdict.split()[0]
    if report.failed:
        return "failed", "F", f"FAILED {verdict}" if kind in FAILS else "FAILED"
    return ("passed" if report.passed else kind), LETTERS.get(kind, "?"), verdict


def why_skipped(report: pytest.TestReport) -> str:
    """What was said where a test was skipped."""
    place = report.longrepr
    return place[2].removeprefix("Skipped: ") if isinstance(place, tuple) else str(place)


# -- what all of them tell --------------------------------------------------------------------------------------------


def said_ahead(folder: Path) -> list[str]:
    """Whose published answers were used, as whoever filled the store says."""
    said = folder / "said"
    return said.read_text(encoding="utf-8").splitlines() if said.exists() else []


def summary(found: Run, wanted: Wanted) -> Iterator[str]:
    """A table of libraries by verdicts, the disagreements by convention, and who was absent."""
    rows = [row for row in found.rows if row.library in wanted and row.case in {*wanted[row.library], ""}]
    report = Report(RunResults(header_of(found), tuple(rows), {}), found.cases, [one.library for one in found.asked])
    yield from _table(report)
    if not any(row.verdict in HOLDS | FAILS for row in rows):
        yield "NOTHING WAS JUDGED: all that was selected is absent, unsupported or undefined"
    yield from _disagreements(rows)
    yield from _absences(report, wanted)


def _table(report: Report) -> Iterator[str]:
    occurring = {row.verdict for row in report.results.rows}
    shown = [verdict for verdict in Verdict if verdict in occurring and verdict is not Verdict.NOT_INSTALLED]
    lines = [["library", "version", *shown]]
    for name, version, counts in report.tallies:
        there = any(counts[verdict] for verdict in shown)
        cells = [str(counts[verdict]) if there else "" for verdict in shown]
        lines.append([name, one_line(version), *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        names = [cell.ljust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
        counts = [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
        yield "  ".join([*names, *counts]).rstrip()


@dataclass(frozen=True, slots=True)
class _Group:
    """The answers of a library that deviate for one reason."""

    library: str
    why: str
    reason: str
    rows: Sequence[Row]

    def lines(self) -> Iterator[str]:
        cases = len({row.case for row in self.rows})
        yield f"{self.library}  {self.why}  {count(len(self.rows), 'answer')} in {count(cases, 'case')}"
        witness = max(self.rows, key=lambda row: (row.query is None, moved(row)))
        yield f"  {_witness(witness, several=len({row.variant for row in self.rows}) > 1)}"
        if self.reason:
            yield f"  {textwrap.shorten(one_line(self.reason), WIDTH - 2, placeholder=' …')}"


def _disagreements(rows: Iterable[Row]) -> Iterator[str]:
    grouped: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.verdict in DEVIATES and row.case:
            reason = row.note if row.verdict is Verdict.KNOWN else ""
            grouped[row.library, " ".join(row.conventions) or row.verdict, reason].append(row)
    groups = sorted((_Group(*key, own) for key, own in grouped.items()), key=lambda group: -len(group.rows))
    if groups:
        yield ""
    for group in groups[:GROUPS]:
        yield from group.lines()
    if len(groups) > GROUPS:
        yield f"… and {count(len(groups) - GROUPS, 'more group')}; select fewer tests to see them"


def _witness(row: Row, *, several: bool) -> str:
    variant = f"{row.variant} " if several else ""
    query = "" if row.query is None else f" of {one_line(row.query)}"
    says = "an error" if row.error is not None else short(row.value)
    standard = "where standard refuses" if row.expected is None else f"where standard gives {short(row.expected)}"
    if row.error is None and row.value == row.expected:
        standard = "as standard gives, but not the claimed profile"
    return f"{variant}{row.measure}{query} {says} {standard}  {row.case}"


def _absences(report: Report, wanted: Wanted) -> Iterator[str]:
    if report.missing:
        yield ""
    for row in report.missing:
        yield f"absent: {report.name_of(row)} ({count(len(wanted[row.library]), 'case')} not asked): {one_line(row.note)}"


def count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
