"""A round of asking: every library is asked its cases in its worker, a few libraries at the same time.

cases ──► workers (two at once) ──► observations; what the store knows is not asked
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rankproof.cases import Case
from rankproof.text import one_line
from rankproof.workers import store
from rankproof.workers.failures import Interrupted, WorkerFailed
from rankproof.workers.known_libraries import Library, UnknownLibrary
from rankproof.workers.library_worker import MEMORY, TIMEOUT, Worker, adapter_of, as_said, worker_of
from rankproof.workers.observations import Observation, read
from rankproof.workers.replies import Reply
from rankproof.workers.selection import in_wanted_variants
from rankproof.workers.subjects import Installation, Subject, installation, selected

Progress = Callable[[str, int], None]
"""Told a library's name and how many of its cases were just asked."""
Seen = Callable[[Case, str, str, Mapping[str, Any]], bool]
"""Whether just this was answered before, by a variant to a measure of a case: asked once more, it was asked often enough."""


@dataclass(frozen=True)
class LibraryAnswers:
    """What one library answered to all cases, and what it said of itself.

    Attributes:
        hello: its reply to `hello`: version, variants, dependencies; `not_installed` or `failed` where it could not be asked.
        library_seconds: importing and calling, by the worker's own clock.
    """

    library: Library
    hello: Reply
    observations: tuple[Observation, ...]
    library_seconds: float = 0.0
    key: str = ""
    """What the answers depend on, but for the input (see `store`)."""
    adapter: str = ""
    """A digest of the files of ours by which it was asked."""
    reused: int = 0
    """How many of the observations the store knew."""
    once: int = 0
    """How many were asked once, as just this was answered before."""
    all_kept: bool = False
    """Whether the store knows all of them now, so that nothing would be asked again; or the key says that it is not installed."""

    @property
    def version(self) -> str:
        """The version the library says it has; empty if it is not installed."""
        return str(self.hello.get("version", ""))

    @property
    def installed(self) -> bool:
        """Whether it could be asked."""
        return "version" in self.hello

    @cached_property
    def installation(self) -> Installation:
        """What it said of itself, as results have it."""
        return installation(self.library.name, self.hello)

    def subject(self, variant: str = "") -> Subject:
        """One of its variants; without one, the library as a whole."""
        return self.installation.subject(variant)


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """How libraries are asked.

    Attributes:
        at_once: how many workers run at the same time.
        timeout: how many seconds one request may take.
        pythons: the interpreter of a library's worker, where it is not this one.
        fresh: whether answers that are kept from an earlier run are asked for again.
        once: whether each question is asked once; twice, an answer that changes is seen.
        before: gives, by the digest of an adapter and what a library said of itself, what it was seen to answer before, if that is
            known: an answer that is just so is asked once. Without it, all are asked twice, also those that were asked once in another run.
        progress: told of each case asked.
        memory: how many bytes a worker may take, with all that it starts; 0 for any.
        environment: variables that the workers get.
        say: told what became of the store; each thing once.
    """

    at_once: int = 2
    timeout: float = TIMEOUT
    pythons: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    once: bool = False
    progress: Progress = lambda _name, _count: None
    memory: int = MEMORY
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[str, Installation], Seen | None] | None = None
    say: store.Say = lambda text: print(one_line(text), file=sys.stderr)  # noqa: T201 - where nobody says where to

    def worker(self, library: Library, stop: threading.Event | None) -> Worker:
        """The worker of a library, under the interpreter that has it."""
        python = self.pythons.get(library.name, sys.executable)
        return worker_of(library, python, self.timeout, stop, memory=self.memory, environment=self.environment)


AS_USUAL = AskingOptions()
Done = Callable[[LibraryAnswers], object]
NO_PATH = "PYTHONPATH does not reach the libraries that are asked: install what is to be asked, or name an interpreter in the sheet"


def ask_all(
    cases: Sequence[Case], libraries: Sequence[Library], asking: AskingOptions, *, done: Done = lambda _asked: None
) -> list[LibraryAnswers]:
    """Ask every library all cases, a few libraries at the same time."""
    return ask_each([(library, cases) for library in libraries], asking, done=done)


def ask_each(
    questions: Sequence[tuple[Library, Sequence[Case]]], asking: AskingOptions, *, done: Done = lambda _asked: None
) -> list[LibraryAnswers]:
    """Ask each library its own cases, a few libraries at the same time; what befalls one is no matter of the others.

    Args:
        questions: who is asked what.
        asking: how.
        done: given what each library answered, as soon as all of that is there, in the thread that called.

    Raises:
        UnknownLibrary: a library has none of the variants that are wanted.
    """
    asking = replace(asking, say=_each_once(asking.say))
    with in_threads(asking.at_once) as (pool, stop):
        turns = {turn: pool.submit(ask, *questions[turn], asking, stop) for turn in _turns([q[0] for q in questions])}
        futures = [turns[turn] for turn in range(len(questions))]
        for future in as_completed(futures):
            done(future.result())
    return [future.result() for future in futures]


@contextmanager
def in_threads(at_once: int) -> Iterator[tuple[ThreadPoolExecutor, threading.Event]]:
    """Threads, so many at the same time, and what tells them to stop: if anything is raised, who runs is told, and nobody else begins."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            yield pool, stop
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _turns(libraries: Sequence[Library]) -> list[int]:
    """In which order they are asked: who takes longest begins, so that nobody is waited for alone, and beside it who is done first."""
    slowest_first = sorted(range(len(libraries)), key=lambda turn: -libraries[turn].sheet.takes)
    return [*slowest_first[:1], *slowest_first[:0:-1][:1], *slowest_first[1:-1]]


def _each_once(say: store.Say) -> store.Say:
    """The same, that says nothing twice; that nobody hears it is no matter of the libraries."""
    said: set[str] = set()
    one_at_a_time = threading.Lock()

    def once(text: str) -> None:
        with one_at_a_time, suppress(OSError, ValueError):
            if text not in said:
                said.add(text)
                say(text)

    return once


def ask(
    library: Library, cases: Sequence[Case], asking: AskingOptions = AS_USUAL, stop: threading.Event | None = None
) -> LibraryAnswers:
    """Ask one library all cases, each variant on its own; what the store knows is not asked.

    Whatever goes wrong is a failure of this library.

    Raises:
        UnknownLibrary: it has none of the variants that are wanted.
    """
    counts: list[int] = []

    def progress(name: str, count: int) -> None:
        counts.append(count)
        asking.progress(name, count)

    try:
        return _asked(library, cases, replace(asking, progress=progress), stop)
    except Interrupted:
        return _not_asked(library, "error", "it was interrupted")
    except WorkerFailed as failure:
        return _not_asked(library, failure.kind, failure.whole())
    except UnknownLibrary:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours or of the system, and none of the other libraries'
        told = one_line(f"rankproof could not ask it: {type(error).__name__}: {error}")
        return _not_asked(library, "error", told)
    finally:
        asking.progress(library.name, len(cases) - sum(counts))


def _not_asked(library: Library, kind: str, why: str) -> LibraryAnswers:
    return LibraryAnswers(library, {"failed": kind, "message": why}, ())


def _asked(
    library: Library, cases: Sequence[Case], asking: AskingOptions, stop: threading.Event | None
) -> LibraryAnswers:
    if library.fault:
        return _not_asked(library, "error", library.fault)
    if os.environ.get("PYTHONPATH") and not library.sheet.command:
        asking.say(NO_PATH)
    with asking.worker(library, stop) as worker:
        adapter = adapter_of(library)
        identity = worker.identify()
        key = _key(identity, library, adapter, asking)
        twice = asking.before is None
        kept = store.open_for(library.name, key, asking.say, fresh=asking.fresh, timeout=asking.timeout, twice=twice)
        if not kept.hello or _lacks_an_answer(kept, cases, library.only):
            said = worker.hello()
            if as_said(said) != as_said(kept.hello):  # it is asked another way today: answers are not mixed
                kept = store.Kept(kept.path, timeout=asking.timeout, twice=twice)
            kept.hello = said
        hello = in_wanted_variants(library, kept.hello)
        asked = LibraryAnswers(library, hello, (), key=key, adapter=adapter)
        if "not_installed" in hello:
            return replace(asked, all_kept=_tells_of_absence(identity))
        seen = cache(lambda: asking.before and asking.before(adapter, asked.installation))  # once something is asked
        observations: list[Observation] = []
        try:
            for case in cases:
                for variant in hello["variants"]:
                    observations += _observed(worker, kept, asked.subject(variant), case, seen, once=asking.once)
                asking.progress(library.name, 1)
        except Interrupted:
            pass  # what it got is kept
        finally:
            kept.save(asking.say)
    all_kept = kept.path.exists() and not kept.changed and not _lacks_an_answer(kept, cases, library.only)
    return replace(
        asked,
        observations=tuple(observations),
        library_seconds=worker.spent,
        reused=kept.reused,
        once=kept.once,
        all_kept=all_kept,
    )


def _key(identity: Reply, library: Library, adapter: str, asking: AskingOptions) -> str:
    """What its answers are kept by; what was asked once is no proof that it stays so, and never stands for what was asked twice."""
    whole = {**identity, **({"once": True} if asking.once else {})}
    return store.key_of(adapter, library.sheet.command, whole)


def _tells_of_absence(identity: Reply) -> bool:
    """Whether what its answers are kept by says that it is not installed; other reasons not to load may go, and nothing there changes."""
    return "not_installed" in identity or None in dict(identity.get("versions", {})).values()


def stores(libraries: Sequence[Library], asking: AskingOptions = AS_USUAL) -> dict[str, Path] | None:
    """By name and key of each library, where its answers are kept; None where one cannot say what they depend on.

    No library is imported for that.
    """
    with in_threads(asking.at_once) as (pool, stop):
        found = list(pool.map(lambda library: _store(library, asking, stop), libraries))
    return None if None in found else {path.stem: path for path in found if path is not None}


def _store(library: Library, asking: AskingOptions, stop: threading.Event) -> Path | None:
    if library.fault:
        return None
    with asking.worker(library, stop) as worker:
        try:
            return store.path_of(library.name, _key(worker.identify(), library, adapter_of(library), asking))
        except (WorkerFailed, Interrupted, OSError):
            return None


def _lacks_an_answer(kept: store.Kept, cases: Sequence[Case], only: Sequence[str]) -> bool:
    variants = selected(kept.hello, only).get("variants", {})
    return any(not kept.knows(case.input.as_json(), variant, case.measures) for case in cases for variant in variants)


def _observed(
    worker: Worker, kept: store.Kept, subject: Subject, case: Case, seen: Callable[[], Seen | None], *, once: bool
) -> list[Observation]:
    data, variant = case.input.as_json(), subject.variant
    answers = kept.get(data, variant, case.measures)
    left = [measure for measure in case.measures if measure not in answers]
    if left:
        enough: set[str] = set()

        def suffices(measure: str, answer: Mapping[str, Any]) -> bool:
            if (before := seen()) is not None and before(case, variant, measure, answer):
                enough.add(measure)
            return measure in enough

        answers |= (new := worker.observe(variant, data, left, once=once, suffices=suffices))
        kept.put(data, variant, new, enough)
    return [read(case.id, subject, measure, answers[measure]) for measure in case.measures]
