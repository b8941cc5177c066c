"""Probes: run the laws on each library in a separate process, and shrink each input that shows a finding."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from rankproof.cases.inputs import Input
from rankproof.judge import laws, probe_inputs
from rankproof.judge.laws import Law, ProbedSubject, unmoved
from rankproof.judge.probe_findings import ProbedLibrary, ProbeFinding, ProbeReport
from rankproof.judge.probe_inputs import HARD, INPUTS, queries, ranked, tied, with_rows, with_scores
from rankproof.measure_facts import looks_at
from rankproof.measure_forms import any_cutoff, cut_at
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.shown import did_you_mean
from rankproof.reference_impl.unusable import Unusable
from rankproof.text import one_line
from rankproof.workers import store
from rankproof.workers.failures import Interrupted, WorkerFailed
from rankproof.workers.known_libraries import Library, UnknownLibrary, in_wanted_variants
from rankproof.workers.library_worker import MEMORY, TIMEOUT, Reply, Worker, adapter_files, worker_of
from rankproof.workers.subjects import Installation, installation

MEASURES = tuple(
    """nDCG@2 nDCG@5 nDCG nDCG(dcg='exp-log2')@5 nDCG(dcg='exp-log2') DCG@5 AP AP@5 RR RR@5 P@1 P@5 R@1 R@5
    Success@1 Success@5 Rprec Bpref ERR@5 RBP Judged@1 AUC LRAP""".split()  # noqa: SIM905 - one measure a line takes 23
)
"""The measures that are probed by default; the first supported cutoff represents a form such as `P@k`."""
LAWS_VERSION = 1
"""Raise this if a law finds something else in the same values; published findings are then outdated."""


class UnknownProbe(Unusable):
    """No probe has that name."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A law, and the inputs on which it is tested.

    Attributes:
        applies: whether the law says anything about a measure.
        extra: inputs of this probe alone.
    """

    name: str
    question: str
    law: Law
    applies: Callable[[Measure], bool] = lambda _measure: True
    extra: tuple[Input, ...] = ()


def _cut_or_blind(measure: Measure) -> bool:
    return measure.k is not None or laws.blind_below(measure)


def _ends_with_the_list(measure: Measure) -> bool:
    """Whether a cutoff beyond the end of the list changes nothing, as the formula does not read the cutoff itself."""
    takes_a_rank = measure.definition.cutoff in {"optional", "required"}
    return takes_a_rank and "k" not in looks_at(cut_at(measure, 1), laws.STANDARD)


def _has_a_truth(measure: Measure) -> bool:
    return measure.definition.truth is not None


_CHANGES = (
    ("rows", "Does the order of the rows matter?", "the order of the rows", probe_inputs.rows_shuffled),
    ("queries", "Does the order of the queries matter?", "the order of the queries", probe_inputs.queries_shuffled),
    (
        "interleaved",
        "Must the rows of a query be together?",
        "the rows of a query being together",
        probe_inputs.interleaved,
    ),
    ("docs-renamed", "Do document ids matter?", "the order of docids", probe_inputs.docs_renamed),
    ("queries-renamed", "Do query ids matter?", "the order of the queries' names", probe_inputs.queries_renamed),
    ("scaled", "Does the scale of the scores matter?", "the scale of the scores", probe_inputs.scaled),
    ("shifted", "Does the sign of the scores matter?", "the sign of the scores", probe_inputs.shifted),
    ("ranks", "Does the rank column matter?", "the rank column", probe_inputs.other_ranks),
)

PROBES = (
    *(Probe(name, question, unmoved(f"depends on {cause}", change)) for name, question, cause, change in _CHANGES),
    Probe(
        "unjudged-doc", "Does an unjudged document below all others matter?", laws.unjudged_doc, applies=_cut_or_blind
    ),
    Probe("cutoff", "Does a cutoff beyond the list matter?", laws.cutoff_beyond, applies=_ends_with_the_list),
    Probe("constant", "Can a constant score reach the value of the truth?", laws.constant, applies=_has_a_truth),
    Probe("truth", "Does the truth as a prediction score 1?", laws.truth_is_one, applies=_has_a_truth),
    Probe(
        "bounds",
        "Are values between 0 and 1?",
        laws.bounds,
        applies=lambda measure: measure.definition.bounds == (0, 1),
        extra=HARD,
    ),
)


def chosen(names: Sequence[str]) -> list[Probe]:
    """Return the probes of these names, or all. Raise UnknownProbe if a name is unknown."""
    known = {probe.name: probe for probe in PROBES}
    for name in names:
        if name not in known:
            raise UnknownProbe(f"Unknown probe '{name}': {did_you_mean(name, known)}")
    return [known[name] for name in dict.fromkeys(names)] or list(PROBES)


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """The number of libraries at the same time; seconds for a request, and bytes for a worker."""

    at_once: int = 2
    timeout: float = TIMEOUT
    memory: int = MEMORY


Progress = Callable[[str, int, int], None]
"""Receives the name of a library, the number of finished probes of its variants, and their total (0 while unknown)."""


def probe_all(
    libraries: Sequence[Library],
    probes: Sequence[Probe] = PROBES,
    measures: Sequence[str] = MEASURES,
    *,
    within: ProbeLimits = ProbeLimits(),
    progress: Progress = lambda _name, _done, _all: None,
    python_of: Callable[[Library], str] = lambda _: sys.executable,
) -> ProbeReport:
    """Probe libraries, each in a separate process.

    Args:
        libraries: the libraries to probe.
        probes: the laws to test.
        measures: in ir_measures notation.
        within: the limits.
        progress: called after each probe.
        python_of: returns the interpreter that has a library, or raises `Unusable`.

    Raises:
        UnknownLibrary: a library has none of the requested variants.
    """
    stop, questions = threading.Event(), digest_of_questions(probes, measures)
    wanted = [parse(measure) for measure in measures]

    def probed(library: Library) -> ProbedLibrary:
        digest = digest_of_adapter(library)  # before, since the adapter may change meanwhile
        progress(library.name, 0, 0)
        try:
            result = _probed(library, probes, wanted, within, progress, stop, python_of)
        except (Interrupted, UnknownLibrary):
            raise
        except Exception as error:  # noqa: BLE001 - it must not end the probes of other libraries
            why = one_line(f"rankproof could not probe it: {type(error).__name__}: {error}")
            result = ProbedLibrary(Installation(library.name, failed="error", message=why))
        return replace(result, adapter=digest)

    with ThreadPoolExecutor(max_workers=within.at_once) as pool:
        try:
            return ProbeReport(questions, tuple(pool.map(probed, libraries)))
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _probed(
    library: Library,
    probes: Sequence[Probe],
    measures: Sequence[Measure],
    within: ProbeLimits,
    progress: Progress,
    stop: threading.Event,
    python_of: Callable[[Library], str],
) -> ProbedLibrary:
    if library.fault:
        return ProbedLibrary(Installation(library.name, failed="error", message=library.fault))
    try:
        python = python_of(library)
    except Unusable as why:
        return ProbedLibrary(Installation(library.name, not_installed=str(why)))
    with worker_of(library, python, within.timeout, stop, memory=within.memory) as worker:
        about = installation(library.name, in_wanted_variants(library, _hello(worker)))
        found: list[ProbeFinding] = []
        for i, variant in enumerate(about.variants if about.version else ()):
            subject = ProbedSubject(worker, library, about.subject(variant), measures)
            supported = _first_of_each_form(m for m in measures if subject(INPUTS[0], m) is not None)
            for j, probe in enumerate(probes, start=1):
                found += _findings(subject, probe, supported)
                progress(library.name, i * len(probes) + j, len(about.variants) * len(probes))
        return ProbedLibrary(about, tuple(found))


def _hello(worker: Worker) -> Reply:
    try:
        return worker.hello()
    except WorkerFailed as failure:
        return {"failed": failure.kind, "message": failure.whole()}


def _first_of_each_form(measures: Iterable[Measure]) -> list[Measure]:
    first: dict[str, Measure] = {}
    for measure in measures:
        first.setdefault(any_cutoff(str(measure)), measure)
    return list(first.values())


def _findings(subject: ProbedSubject, probe: Probe, measures: Sequence[Measure]) -> Iterator[ProbeFinding]:
    """Yield a finding for each form of a measure that shows one, on the smallest input that shows it."""
    pending = [measure for measure in measures if probe.applies(measure)]
    small: list[Input] = []
    for data in (*INPUTS, *probe.extra):
        subject.along = pending
        found = {measure: shown for measure in pending if (shown := probe.law(subject, data, measure)) is not None}
        pending = [measure for measure in pending if measure not in found]
        subject.along = list(found)
        for measure, finding in found.items():
            smallest = _smallest(subject, probe.law, measure, finding, data, small)
            named = replace(smallest, probe=probe.name)
            yield replace(named, says=f"{named.says}, under ties") if named.is_of_ties else named


def _smallest(
    subject: ProbedSubject, law: Law, measure: Measure, finding: ProbeFinding, data: Input, small: list[Input]
) -> ProbeFinding:
    """Return the finding on the smallest input that shows it, starting with inputs that showed others (`small`)."""

    def shows(less: Input) -> bool:
        found = law(subject, less, measure)
        return found is not None and found.is_like(finding)

    start = next((known for known in small if tied(known) <= tied(data) and shows(known)), data)
    least = shrunk(start, shows)
    if least not in small:
        small.append(least)
    return law(subject, least, measure) or finding


# -- shrinking an input --------------------------------------------------------------------------------------------------


def shrunk(data: Input, shows: Callable[[Input], bool]) -> Input:
    """Return the input without every query, row and judgment that is not needed to show the same."""
    before: Input | None = None
    while data != before:
        before = data
        for query in queries(data):
            data = _simpler(data, _without_query(data, query), shows)
        for part in ("run", "qrels"):
            at = 0
            while at < len(rows := getattr(data, part)) > 1:
                less = with_rows(data, **{part: rows[:at] + rows[at + 1 :]})
                data, at = (less, at) if shows(less) else (data, at + 1)
        for simpler in (_binary, _small_scores, ranked, _untied):
            data = _simpler(data, simpler(data), shows)
    return data


def _simpler(data: Input, less: Input, shows: Callable[[Input], bool]) -> Input:
    return less if less != data and less.qrels and less.run and shows(less) else data


def _without_query(data: Input, query: str) -> Input:
    rows = {part: [row for row in getattr(data, part) if row[0] != query] for part in ("qrels", "run")}
    return with_rows(data, **rows)


def _binary(data: Input) -> Input:
    return with_rows(data, qrels=((query, doc, min(rel, 1)) for query, doc, rel in data.qrels))


def _small_scores(data: Input) -> Input:
    scores = sorted({row[2] for row in data.run})
    return with_scores(data, [float(scores.index(row[2]) + 1) for row in data.run])


def _untied(data: Input) -> Input:
    plain = ranked(data)
    return with_scores(plain, [float(len(plain.run) + 1 - row[3]) for row in plain.run]) if tied(data) else data


# -- digests -------------------------------------------------------------------------------------------------------------


def digest_of_questions(probes: Iterable[Probe] = PROBES, measures: Iterable[str] = MEASURES) -> str:
    """Return a digest of the probes, their inputs, and what the measures declare that laws depend on."""
    named, wanted = list(probes), [parse(measure) for measure in measures]
    declared = [
        [str(one), one.definition.truth, [probe.name for probe in named if probe.applies(one)]] for one in wanted
    ]
    return store.digest([probe.name for probe in named], declared, [data.as_json() for data in INPUTS], LAWS_VERSION)


def digest_of_adapter(library: Library) -> str:
    """Return a digest of what the findings of a library depend on: its adapter, the worker, and the precisions of its sheet."""
    precisions = {
        variant: [library.sheet.precision_of(variant, parse(measure)) for measure in MEASURES]
        for variant in sorted(library.sheet.precisions)
    }
    adapter = "" if library.fault else store.digest_of_files(adapter_files(library))
    return store.digest(adapter, list(library.sheet.command), library.sheet.precision, precisions)
