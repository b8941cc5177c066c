"""A round of asking: every library is asked its cases in its worker, a few libraries at the same time.

cases ──► workers (two at once) ──► observations; what the store knows is not asked
"""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from rankproof.asking import store
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Observation, read
from rankproof.asking.selection import in_wanted_variants
from rankproof.asking.subjects import Installation, Subject, installation, selected
from rankproof.asking.workers import (
    TIMEOUT,
    Interrupted,
    Reply,
    Worker,
    WorkerFailed,
    adapter_files,
    as_said,
    worker_of,
)
from rankproof.cases import Case

Progress = Callable[[str, int], None]
"""Told a library's name and how many of its cases were just asked."""


@dataclass(frozen=True)
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

    @cached_property
    def installation(self) -> Installation:
        """What it said of itself, as results have it."""
        return installation(self.library.name, self.hello)

    def subject(self, variant: str = "") -> Subject:
        """One of its variants; without one, the library as a whole."""
        return self.installation.subject(variant)


@dataclass(frozen=True, slots=True)
class Asking:
    """How libraries are asked.

    Attributes:
        at_once: how many workers run at the same time.
        timeout: how many seconds one request may take.
        pythons: the interpreter of a library's worker, where it is not this one.
        fresh: whether answers that are kept from an earlier run are asked for again.
        once: whether each question is asked once; twice, an answer that changes is seen.
        progress: told of each case asked.
    """

    at_once: int = 2
    timeout: float = TIMEOUT
    pythons: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    once: bool = False
    progress: Progress = lambda _name, _count: None

    def python_of(self, library: Library) -> str:
        """The interpreter that has the library."""
        return self.pythons.get(library.name, sys.executable)


AS_USUAL = Asking()


def ask_all(cases: Sequence[Case], libraries: Sequence[Library], asking: Asking = AS_USUAL) -> list[Asked]:
    """Ask every library all cases, a few libraries at the same time."""
    return ask_each([(library, cases) for library in libraries], asking)


def ask_each(questions: Sequence[tuple[Library, Sequence[Case]]], asking: Asking = AS_USUAL) -> list[Asked]:
    """Ask each library its own cases, a few libraries at the same time."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=asking.at_once) as pool:
        futures = [pool.submit(ask, library, cases, asking, stop) for library, cases in questions]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


def ask(
    library: Library, cases: Sequence[Case], asking: Asking = AS_USUAL, stop: threading.Event | None = None
) -> Asked:
    """Ask one library all cases, each variant on its own; what the store knows is not asked.

    Raises:
        UnknownLibrary: it has none of the variants that are wanted.
    """
    told = 0
    if library.fault:
        asking.progress(library.name, len(cases))
        return Asked(library, {"failed": "error", "message": library.fault}, ())
    with worker_of(library, asking.python_of(library), asking.timeout, stop) as worker:
        try:
            # What was asked once is no proof that it stays so, and never stands for what was asked twice.
            identity = {**worker.identify(), **({"once": True} if asking.once else {})}
            key = store.key_of(adapter_files(library), library.sheet.command, identity)
            kept = store.open_for(library.name, key, fresh=asking.fresh)
            if not kept.hello or _lacks_an_answer(kept, cases, library.only):
                said = worker.hello()
                if as_said(said) != as_said(kept.hello):  # it is asked another way today: answers are not mixed
                    kept = store.open_for(library.name, key, fresh=True)
                kept.hello = said
            hello = in_wanted_variants(library, kept.hello)
            if "not_installed" in hello:
                return Asked(library, hello, (), key=key)
            asked = Asked(library, hello, ())
            observations: list[Observation] = []
            with suppress(Interrupted):
                for case in cases:
                    for variant in hello["variants"]:
                        observations += _observed(worker, kept, asked.subject(variant), case, once=asking.once)
                    asking.progress(library.name, 1)
                    told += 1
            kept.save()
        except WorkerFailed as failure:
            return Asked(library, {"failed": failure.kind, "message": failure.whole()}, ())
        finally:
            asking.progress(library.name, len(cases) - told)
        return Asked(library, hello, tuple(observations), worker.spent, worker.restarts, key, kept.reused)


def _lacks_an_answer(kept: store.Kept, cases: Sequence[Case], only: Sequence[str]) -> bool:
    variants = selected(kept.hello, only).get("variants", {})
    return any(not kept.knows(case.input.as_json(), variant, case.measures) for case in cases for variant in variants)


def _observed(worker: Worker, kept: store.Kept, subject: Subject, case: Case, *, once: bool) -> list[Observation]:
    data, variant = case.input.as_json(), subject.variant
    answers = kept.get(data, variant, case.measures)
    left = [measure for measure in case.measures if measure not in answers]
    if left:
        answers |= (new := worker.observe(variant, data, left, once=once))
        kept.put(data, variant, new)
    return [read(case.id, subject, measure, answers[measure]) for measure in case.measures]
