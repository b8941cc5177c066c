"""Runs of libraries on cases in worker processes, several at the same time, with values from the store if possible."""

import fnmatch
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rankproof.cases import Case, matches
from rankproof.measure_forms import name_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line
from rankproof.workers import store
from rankproof.workers.known_libraries import Library, UnknownLibrary, in_wanted_variants
from rankproof.workers.library_worker import MEMORY, TIMEOUT, Reply, Worker, adapter_of, stable_description, worker_of
from rankproof.workers.observations import Observation, read
from rankproof.workers.process import Interrupted, WorkerFailed
from rankproof.workers.subjects import Installation, Subject, installation, selected

Progress = Callable[[str, int], None]
"""A callback that receives a library's name and the number of newly finished cases."""
Seen = Callable[[Case, str, str, Mapping[str, Any]], bool]
"""A function that returns whether a value equals an earlier one, by case, variant, measure and result."""
NO_PATH = "libraries run without PYTHONPATH: install the library, or set an interpreter in the sheet"


class NothingSelected(Unusable):
    """Error for globs that do not match any case."""


def select(cases: Iterable[Case], globs: Sequence[str], measures: Sequence[str]) -> list[Case]:
    """Return the cases whose ids match one of the globs, with the measures that match (`nDCG`, `nDCG@10`, `nDCG*`).

    Raises:
        NothingSelected: no case matches.
    """
    chosen = [case for case in cases if matches(case.id, globs)]
    if measures:
        matching = [tuple(m for m in case.measures if any(is_of(m, glob) for glob in measures)) for case in chosen]
        chosen = [
            replace(case, expect={m: e for m, e in (case.expect or {}).items() if m in wanted}, also_ask=wanted)
            for case, wanted in zip(chosen, matching, strict=True)
            if wanted
        ]
    if not chosen:
        raise NothingSelected(f"no case matches {' '.join([*globs, *measures])}; list all with `rankproof cases list`")
    return chosen


def is_of(measure: str, glob: str) -> bool:
    """Return whether a measure matches `nDCG@10`, its name `nDCG`, or a glob.

    >>> is_of("nDCG@10", "nDCG"), is_of("nDCG@10", "nDCG@1*"), is_of("nDCG@10", "DCG")
    (True, True, False)
    """
    return measure == glob or name_of(measure) == glob or fnmatch.fnmatchcase(measure, glob)


@dataclass(frozen=True)
class LibraryAnswers:
    """The observations of one library on all cases.

    Attributes:
        library: the library.
        hello: its description of itself, with `not_installed` or `failed` if it could not run.
        observations: the values and failures.
        library_seconds: the time for importing and computing, by the worker's clock.
        key: a digest of everything that can change its values, except the input (see `store`).
        adapter: a digest of the files of its adapter.
        reused: the number of observations from the store.
        all_kept: whether the store now has all of them, or the key shows that the library is not installed.
    """

    library: Library
    hello: Reply
    observations: tuple[Observation, ...]
    library_seconds: float = 0.0
    key: str = ""
    adapter: str = ""
    reused: int = 0
    all_kept: bool = False

    @property
    def version(self) -> str:
        """The version of the library; empty if it is not installed."""
        return str(self.hello.get("version", ""))

    @property
    def installed(self) -> bool:
        """Whether the library could run."""
        return "version" in self.hello

    @cached_property
    def installation(self) -> Installation:
        """The description of the library in results."""
        return installation(self.library.name, self.hello)

    def subject(self, variant: str = "") -> Subject:
        """Return one of the variants, or the whole library."""
        return self.installation.subject(variant)


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """Options for running libraries.

    Attributes:
        at_once: the number of workers at the same time.
        timeout: the time limit of a request in seconds.
        pythons: the interpreters of libraries that run in other ones.
        fresh: whether to ignore the store.
        once: whether to compute values only once. By default each is computed twice, to find unstable values.
        progress: receives each finished case.
        memory: the memory limit of a worker and its children in bytes; 0 for no limit.
        environment: additional variables of the workers.
        before: returns the published values of a library, by the digest of its adapter and its description. Equal
            values are not computed twice.
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

    def worker(self, library: Library, stop: threading.Event | None) -> Worker:
        """Create the worker of a library."""
        python = self.pythons.get(library.name, sys.executable)
        return worker_of(library, python, self.timeout, stop, memory=self.memory, environment=self.environment)


AS_USUAL = AskingOptions()


def ask_all(cases: Sequence[Case], libraries: Sequence[Library], options: AskingOptions) -> list[LibraryAnswers]:
    """Run every library on all cases, several libraries at the same time.

    Raises:
        UnknownLibrary: a library has none of the selected variants.
    """
    slowest_first = sorted(libraries, key=lambda library: -library.sheet.takes)
    with in_threads(options.at_once) as (pool, stop):
        futures = {library.name: pool.submit(ask, library, cases, options, stop) for library in slowest_first}
        for future in as_completed(futures.values()):
            future.result()  # an error ends the others
    return [futures[library.name].result() for library in libraries]


@contextmanager
def in_threads(at_once: int) -> Iterator[tuple[ThreadPoolExecutor, threading.Event]]:
    """Yield a pool of threads, and an event that is set after an exception; then no other task starts."""
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            yield pool, stop
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def ask(
    library: Library, cases: Sequence[Case], options: AskingOptions = AS_USUAL, stop: threading.Event | None = None
) -> LibraryAnswers:
    """Run one library on cases, in each variant, and report any error as a failure of the library.

    Raises:
        UnknownLibrary: the library has none of the selected variants.
    """
    counts: list[int] = []

    def progress(name: str, count: int) -> None:
        counts.append(count)
        options.progress(name, count)

    try:
        return _run(library, cases, replace(options, progress=progress), stop)
    except Interrupted:
        return _did_not_run(library, "error", "it was interrupted")
    except WorkerFailed as failure:
        return _did_not_run(library, failure.kind, failure.whole())
    except UnknownLibrary:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of rankproof or of the system must not stop other libraries
        return _did_not_run(library, "error", one_line(f"rankproof could not run it: {type(error).__name__}: {error}"))
    finally:
        options.progress(library.name, len(cases) - sum(counts))


def _did_not_run(library: Library, kind: str, why: str) -> LibraryAnswers:
    return LibraryAnswers(library, {"failed": kind, "message": why}, ())


def _run(
    library: Library, cases: Sequence[Case], options: AskingOptions, stop: threading.Event | None
) -> LibraryAnswers:
    if library.fault:
        return _did_not_run(library, "error", library.fault)
    if os.environ.get("PYTHONPATH") and not library.sheet.command:
        store.warn(NO_PATH)
    with options.worker(library, stop) as worker:
        adapter, identity = adapter_of(library), worker.identify()
        key = _key(identity, library, adapter, options)
        kept = store.open_for(library.name, key, fresh=options.fresh, timeout=options.timeout)
        if not kept.hello or _is_incomplete(kept, cases, library.only):
            hello = stable_description(worker.hello())
            if hello != kept.hello:  # values of another configuration must not be mixed with these
                kept = store.Kept(kept.path, hello, timeout=options.timeout)
        answers = LibraryAnswers(library, in_wanted_variants(library, kept.hello), (), key=key, adapter=adapter)
        if "not_installed" in answers.hello:
            return replace(answers, all_kept=_shows_absence(identity))
        seen = cache(lambda: options.before and options.before(adapter, answers.installation))
        observations: list[Observation] = []
        try:
            for case in cases:
                for variant in answers.hello["variants"]:
                    observations += _observed(worker, kept, answers.subject(variant), case, seen, once=options.once)
                options.progress(library.name, 1)
        except Interrupted:
            pass  # complete values are stored below
        finally:
            kept.save()
    all_kept = kept.path.exists() and not kept.changed and not _is_incomplete(kept, cases, library.only)
    return replace(
        answers,
        observations=tuple(observations),
        library_seconds=worker.spent,
        reused=kept.reused,
        all_kept=all_kept,
    )


def _key(identity: Reply, library: Library, adapter: str, options: AskingOptions) -> str:
    """Return the key of the store, which differs for runs that compute values only once."""
    whole = {**identity, **({"once": True} if options.once else {})}
    return store.key_of(adapter, library.sheet.command, whole)


def _shows_absence(identity: Reply) -> bool:
    """Return whether installing the library would change the key of the store, so its absence can be stored."""
    return "not_installed" in identity or None in dict(identity.get("versions", {})).values()


def stores(libraries: Sequence[Library], options: AskingOptions = AS_USUAL) -> dict[str, Path] | None:
    """Return the files of the store by name, without importing libraries; None if a library's versions are unknown."""
    with in_threads(options.at_once) as (pool, stop):
        paths = list(pool.map(lambda library: _store(library, options, stop), libraries))
    return None if None in paths else {path.stem: path for path in paths if path is not None}


def _store(library: Library, options: AskingOptions, stop: threading.Event) -> Path | None:
    if library.fault:
        return None
    with options.worker(library, stop) as worker:
        try:
            return store.path_of(library.name, _key(worker.identify(), library, adapter_of(library), options))
        except (WorkerFailed, Interrupted, OSError):
            return None


def _is_incomplete(kept: store.Kept, cases: Sequence[Case], only: Sequence[str]) -> bool:
    variants = selected(kept.hello, only).get("variants", {})
    return any(not kept.knows(case.input.as_json(), variant, case.measures) for case in cases for variant in variants)


def _observed(
    worker: Worker, kept: store.Kept, subject: Subject, case: Case, seen: Callable[[], Seen | None], *, once: bool
) -> list[Observation]:
    data, variant = case.input.as_json(), subject.variant
    answers = kept.get(data, variant, case.measures)
    missing = [measure for measure in case.measures if measure not in answers]
    if missing:

        def suffices(measure: str, answer: Mapping[str, Any]) -> bool:
            return (before := seen()) is not None and before(case, variant, measure, answer)

        computed = worker.observe(variant, data, missing, once=once, suffices=suffices)
        answers |= computed
        kept.put(data, variant, computed)
    return [read(case.id, subject, measure, answers[measure]) for measure in case.measures]
