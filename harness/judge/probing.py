"""Probes: run the laws on each library in a separate process, and shrink each input that shows a finding."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rankproof.cases.inputs import Input
from rankproof.judge import laws, probe_inputs
from rankproof.judge.laws import Law, ProbedSubject, unmoved
from rankproof.judge.probe_findings import ProbedLibrary, ProbeFinding, ProbeReport
from rankproof.judge.probe_inputs import HARD, INPUTS, SEVENTEEN, queries, ranked, tied, with_rows, with_scores
from rankproof.measure_facts import looks_at
from rankproof.measure_forms import any_cutoff, cut_at
from rankproof.reference_impl.notation import Measure, parse
from rankproof.text import one_line
from rankproof.workers import store
from rankproof.workers.known_libraries import Library, UnknownLibrary, in_wanted_variants
from rankproof.workers.library_worker import adapter_of
from rankproof.workers.process import Interrupted, WorkerFailed
from rankproof.workers.rounds import AS_USUAL, AskingOptions, in_threads
from rankproof.workers.subjects import Installation, installation

_MEASURES = """nDCG@2 nDCG@5 nDCG nDCG(dcg='exp-log2')@5 nDCG(dcg='exp-log2') DCG@5 AP AP@5 RR RR@5 P@1 P@5 R@1 R@5
    Success@1 Success@5 Rprec Bpref ERR@5 RBP Judged@1 AUC LRAP"""
MEASURES = tuple(_MEASURES.split())
"""The measures that are probed by default; the first supported cutoff represents a form such as `P@k`."""
LAWS_VERSION = 1
"""The version of the laws. Raise it if a law has other findings for the same values, to outdate published ones."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A law, with the measures and inputs to test.

    Attributes:
        applies: returns whether the law applies to a measure.
    """

    name: str
    law: Law
    applies: Callable[[Measure], bool] = lambda _measure: True
    inputs: tuple[Input, ...] = INPUTS


def _cut_or_blind(measure: Measure) -> bool:
    return measure.k is not None or laws.blind_below(measure)


def _ends_with_the_list(measure: Measure) -> bool:
    """Return whether a cutoff beyond the end of the ranking changes nothing, because it is not part of the formula."""
    takes_a_rank = measure.definition.cutoff in {"optional", "required"}
    return takes_a_rank and "k" not in looks_at(cut_at(measure, 1), laws.STANDARD)


def _has_a_truth(measure: Measure) -> bool:
    return measure.definition.truth is not None


PROBES = (
    Probe("rows", unmoved("depends on the order of the rows", probe_inputs.rows_shuffled)),
    Probe("queries", unmoved("depends on the order of the queries", probe_inputs.queries_shuffled)),
    Probe("interleaved", unmoved("depends on the rows of a query being together", probe_inputs.interleaved)),
    Probe("docs-renamed", unmoved("depends on the order of docids", probe_inputs.docs_renamed)),
    Probe("queries-renamed", unmoved("depends on the order of the queries' names", probe_inputs.queries_renamed)),
    Probe("scaled", unmoved("depends on the scale of the scores", probe_inputs.scaled)),
    Probe("shifted", unmoved("depends on the sign of the scores", probe_inputs.shifted)),
    Probe("ranks", unmoved("depends on the rank column", probe_inputs.other_ranks)),
    Probe("unjudged-doc", laws.unjudged_doc, _cut_or_blind),
    Probe("empty-query", laws.empty_query, lambda measure: measure.definition.total != "sum"),
    Probe("cutoff", laws.cutoff_beyond, _ends_with_the_list),
    Probe("constant", laws.constant, _has_a_truth),
    Probe("truth", laws.truth_is_one, _has_a_truth),
    Probe("bounds", laws.bounds, lambda measure: measure.definition.bounds == (0, 1), (*INPUTS, *HARD)),
    Probe("tied-docs", laws.one_rule_for_ties, inputs=(SEVENTEEN,)),
)


def probe_all(
    libraries: Sequence[Library],
    probes: Sequence[Probe] = PROBES,
    measures: Sequence[str] = MEASURES,
    options: AskingOptions = AS_USUAL,
) -> ProbeReport:
    """Run probes on libraries, each in a separate process; `options.progress` receives each finished probe.

    Raises:
        UnknownLibrary: a library has none of the requested variants.
    """
    wanted = [parse(measure) for measure in measures]
    with in_threads(options.at_once) as (pool, stop):

        def probed(library: Library) -> tuple[ProbedLibrary, Sequence[ProbeFinding]]:
            digest = digest_of_adapter(library)  # first, because the adapter may change during the run
            try:
                about, findings = _probed(library, probes, wanted, options, stop)
            except (Interrupted, UnknownLibrary):
                raise
            except Exception as error:  # noqa: BLE001 - must not stop the probes of other libraries
                why = one_line(f"rankproof could not probe it: {type(error).__name__}: {error}")
                about, findings = Installation(library.name, failed="error", message=why), ()
            return ProbedLibrary(about, digest), findings

        results = list(pool.map(probed, libraries))
    findings = tuple(finding for _, own in results for finding in own)
    return ProbeReport(digest_of_questions(probes, measures), tuple(library for library, _ in results), findings)


def _probed(
    library: Library,
    probes: Sequence[Probe],
    measures: Sequence[Measure],
    options: AskingOptions,
    stop: threading.Event,
) -> tuple[Installation, Sequence[ProbeFinding]]:
    if library.fault:
        return Installation(library.name, failed="error", message=library.fault), ()
    with options.worker(library, stop) as worker:
        try:
            hello = worker.hello()
        except WorkerFailed as failure:
            return Installation(library.name, failed=failure.kind, message=failure.whole()), ()
        about = installation(library.name, in_wanted_variants(library, hello))
        findings: list[ProbeFinding] = []
        for variant in about.variants if about.version else ():
            subject = ProbedSubject(worker, library, about.subject(variant), measures)
            forms: dict[str, Measure] = {}
            for measure in measures:
                if subject(INPUTS[0], measure) is not None:
                    forms.setdefault(any_cutoff(str(measure)), measure)
            for probe in probes:
                findings += _findings(subject, probe, list(forms.values()))
                options.progress(library.name, 1)
        return about, findings


def _findings(subject: ProbedSubject, probe: Probe, measures: Sequence[Measure]) -> Iterator[ProbeFinding]:
    """Yield at most one finding for each form of a measure, on the smallest input that shows it."""
    pending = [measure for measure in measures if probe.applies(measure)]
    small: list[Input] = []
    for data in probe.inputs:
        subject.along = pending
        by_measure = {m: finding for m in pending if (finding := probe.law(subject, data, m)) is not None}
        pending = [measure for measure in pending if measure not in by_measure]
        subject.along = list(by_measure)
        for measure, finding in by_measure.items():
            smallest = _smallest(subject, probe.law, measure, finding, data, small)
            named = replace(smallest, probe=probe.name)
            yield replace(named, says=f"{named.says}, under ties") if named.is_of_ties else named


def _smallest(
    subject: ProbedSubject, law: Law, measure: Measure, finding: ProbeFinding, data: Input, small: list[Input]
) -> ProbeFinding:
    """Return the finding on the smallest input that shows it, after a try of small inputs that show other findings."""

    def shows(less: Input) -> bool:
        candidate = law(subject, less, measure)
        return candidate is not None and candidate.is_like(finding)

    start = next((known for known in small if tied(known) <= tied(data) and shows(known)), data)
    least = shrunk(start, shows)
    if least not in small:
        small.append(least)
    return law(subject, least, measure) or finding


# -- shrinking an input --------------------------------------------------------------------------------------------------


def shrunk(data: Input, shows: Callable[[Input], bool]) -> Input:
    """Return the input without the queries, rows and judgments that are not needed to show the same finding."""
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
    """Return a digest of the probes, their inputs, and the properties of measures that laws depend on."""
    wanted = [parse(measure) for measure in measures]
    probed = [
        (probe.name, [str(m) for m in wanted if probe.applies(m)], [data.as_json() for data in probe.inputs])
        for probe in probes
    ]
    return store.digest(probed, [measure.definition.truth for measure in wanted], LAWS_VERSION)


def digest_of_adapter(library: Library) -> str:
    """Return a digest of what can change a library's findings: its adapter, the worker, and precisions in its sheet."""
    precisions = {
        variant: [library.sheet.precision_of(variant, parse(measure)) for measure in MEASURES]
        for variant in sorted(library.sheet.precisions)
    }
    adapter = "" if library.fault else adapter_of(library)
    return store.digest(adapter, list(library.sheet.command), library.sheet.precision, precisions)
