"""Run the probes of each library in a separate process, and shrink each input that shows a difference."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from rankproof.cases.inputs import Input
from rankproof.judge.catalogue import MEASURES, PROBES, Probe
from rankproof.judge.laws import SubjectAsked
from rankproof.judge.probe_findings import ProbeDifference, ProbeFinding
from rankproof.judge.probe_inputs import INPUTS, queries, random_inputs, ranked, tied, with_rows, with_scores
from rankproof.measure_forms import any_cutoff
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line
from rankproof.workers.failures import Interrupted, WorkerFailed
from rankproof.workers.known_libraries import Library, UnknownLibrary, in_wanted_variants
from rankproof.workers.library_worker import MEMORY, TIMEOUT, Reply, Worker, worker_of
from rankproof.workers.subjects import Installation, installation


def shrunk(data: Input, shows: Callable[[Input], bool]) -> Input:
    """The input without every query, row and judgment that is not needed for it to show what it shows."""
    before: Input | None = None
    while data != before:
        before = data
        for query in queries(data):
            if len(queries(data)) > 1:
                qrels, run = ([row for row in rows if row[0] != query] for rows in (data.qrels, data.run))
                less = with_rows(data, qrels=qrels, run=run)
                data = less if less.qrels and less.run and shows(less) else data
        for part in ("run", "qrels"):
            data = _fewer(data, part, shows)
        for simpler in (_lower_rels, _small_scores, ranked, _untied):
            plain = simpler(data)
            data = plain if plain != data and shows(plain) else data
    return data


def _fewer(data: Input, part: str, shows: Callable[[Input], bool]) -> Input:
    at = 0
    while at < len(rows := getattr(data, part)) and len(rows) > 1:
        less = with_rows(data, **{part: rows[:at] + rows[at + 1 :]})
        if shows(less):
            data = less
        else:
            at += 1
    return data


def _lower_rels(data: Input) -> Input:
    return with_rows(data, qrels=((query, doc, min(rel, 1)) for query, doc, rel in data.qrels))


def _small_scores(data: Input) -> Input:
    scores = sorted({row[2] for row in data.run})
    return with_scores(data, [float(scores.index(row[2]) + 1) for row in data.run])


def _untied(data: Input) -> Input:
    """Tied docs untied, in the order of the rows."""
    plain = ranked(data)
    return with_scores(plain, [float(len(plain.run) + 1 - row[3]) for row in plain.run]) if tied(data) else data


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """How many libraries are asked at the same time; how many seconds a request may take, and how many bytes a worker."""

    at_once: int = 2
    timeout: float = TIMEOUT
    memory: int = MEMORY


Progress = Callable[[str, int, int], None]
"""Told a library's name, how many probes of its variants are done, and how many there are: 0 as long as it was not asked how many."""


@dataclass(frozen=True, slots=True)
class ProbedLibrary:
    """A library, probed: what it said of itself, and what the probes found."""

    installation: Installation
    findings: tuple[ProbeFinding, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it could not be asked since its worker failed, not since it is not installed."""
        return not self.installation.version and not self.installation.not_installed


def findings(
    library: Library,
    probes: Sequence[Probe] = PROBES,
    measures: Sequence[str | Measure] = MEASURES,
    *,
    inputs: Sequence[Input] | None = None,
) -> list[ProbeFinding]:
    """What the probes find of one library; nothing where it is not installed."""
    return list(probed(library, probes, measures, inputs=inputs).findings)


def probed(
    library: Library,
    probes: Sequence[Probe] = PROBES,
    measures: Sequence[str | Measure] = MEASURES,
    *,
    inputs: Sequence[Input] | None = None,
    within: ProbeLimits = ProbeLimits(),
    progress: Progress = lambda _name, _done, _all: None,
    stop: threading.Event | None = None,
    python_of: Callable[[Library], str] = lambda _: sys.executable,
) -> ProbedLibrary:
    """Probe one library.

    Args:
        library: who is asked.
        probes: which laws.
        measures: what is asked.
        inputs: what is asked of; `INPUTS` and two random ones unless told.
        within: how much it may take.
        progress: told of each probe done.
        stop: once it is set, no more is asked.
        python_of: the interpreter that has a library; it raises `Unusable` if there is none.

    Raises:
        Interrupted: `stop` was set.
        UnknownLibrary: it has none of the variants that are wanted.
    """
    progress(library.name, 0, 0)
    if library.fault:
        return ProbedLibrary(Installation(library.name, failed="error", message=library.fault))
    given = [*INPUTS, *random_inputs(0, 2)] if inputs is None else inputs
    wanted = [parse(measure) for measure in measures]
    try:
        python = python_of(library)
    except Unusable as why:
        return ProbedLibrary(Installation(library.name, not_installed=str(why)))
    with worker_of(library, python, within.timeout, stop, memory=within.memory) as worker:
        hello = in_wanted_variants(library, _hello(worker))
        asked = installation(library.name, hello)
        if not asked.version:
            return ProbedLibrary(asked)
        progress(library.name, 0, len(asked.variants) * len(probes))
        found: list[ProbeFinding] = []
        for i, variant in enumerate(asked.variants):
            ask = SubjectAsked(worker, library, asked.subject(variant), wanted)
            supported = _one_of_each_group(m for m in wanted if ask(INPUTS[0], m) is not None)
            for j, probe in enumerate(probes, start=1):
                found += _found(ask, probe, supported, given)
                progress(library.name, i * len(probes) + j, len(asked.variants) * len(probes))
        return ProbedLibrary(asked, tuple(found))


def _one_of_each_group(measures: Iterable[Measure]) -> list[Measure]:
    first: dict[str, Measure] = {}
    for measure in measures:
        first.setdefault(any_cutoff(str(measure)), measure)
    return list(first.values())


def _hello(worker: Worker) -> Reply:
    try:
        return worker.hello()
    except WorkerFailed as failure:
        return {"failed": failure.kind, "message": failure.whole()}


def probe_all(
    libraries: Sequence[Library],
    probes: Sequence[Probe] = PROBES,
    measures: Sequence[str | Measure] = MEASURES,
    *,
    inputs: Sequence[Input] | None = None,
    within: ProbeLimits = ProbeLimits(),
    progress: Progress = lambda _name, _done, _all: None,
    python_of: Callable[[Library], str] = lambda _: sys.executable,
) -> list[ProbedLibrary]:
    """Probe libraries, some at once, each in a process of its own."""
    stop = threading.Event()

    def one(library: Library) -> ProbedLibrary:
        try:
            return probed(
                library,
                probes,
                measures,
                inputs=inputs,
                within=within,
                progress=progress,
                stop=stop,
                python_of=python_of,
            )
        except (Interrupted, UnknownLibrary):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours or of the system, and none of the other libraries'
            told = one_line(f"rankproof could not probe it: {type(error).__name__}: {error}")
            return ProbedLibrary(Installation(library.name, failed="error", message=told))

    with ThreadPoolExecutor(max_workers=within.at_once) as pool:
        try:
            return list(pool.map(one, libraries))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _found(
    ask: SubjectAsked, probe: Probe, measures: Sequence[Measure], inputs: Sequence[Input]
) -> Iterator[ProbeFinding]:
    """A finding for each group of measures that shows one, on the smallest input met."""
    done: set[str] = set()
    small: list[Input] = []
    for data in [*(() if probe.alone else inputs), *probe.extra]:
        ask.along = pending = [m for m in measures if probe.matters(m) and any_cutoff(str(m)) not in done]
        shown = {m: difference for m in pending if (difference := probe.law(ask, data, m)) is not None}
        ask.along = list(shown)
        for measure, difference in shown.items():
            if any_cutoff(str(measure)) not in done:
                done.add(any_cutoff(str(measure)))
                smallest = _smallest(ask, probe, measure, difference, (data, small))
                yield _finding(ask, probe, measure, smallest)


def _smallest(
    ask: SubjectAsked, probe: Probe, measure: Measure, difference: ProbeDifference, found: tuple[Input, list[Input]]
) -> ProbeDifference:
    """The difference on the smallest input that shows it, beginning with those that showed others."""

    def shows(data: Input) -> bool:
        seen = probe.law(ask, data, measure)
        return seen is not None and seen.is_as(difference)

    data, small = found
    start = next((given for given in small if tied(given) <= tied(data) and shows(given)), data)
    least = shrunk(start, shows)
    if least not in small:
        small.append(least)
    return probe.law(ask, least, measure) or difference


def _finding(ask: SubjectAsked, probe: Probe, measure: Measure, difference: ProbeDifference) -> ProbeFinding:
    finding = ProbeFinding(
        probe.name,
        ask.subject,
        str(measure),
        difference.kind,
        difference.says,
        difference.given or Input(),
        difference.changed,
        difference.asked,
        difference.answers,
        difference.query,
    )
    return replace(finding, says=f"{finding.says}, under ties") if finding.is_of_ties else finding
