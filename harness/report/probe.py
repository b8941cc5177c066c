"""Text of `run --probe`: what the values of libraries depend on, and the smallest input that shows it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rankproof.cases.inputs import Input
from rankproof.grouping import grouped
from rankproof.judge.probe_findings import FindingKind, ProbeFinding, ProbeReport
from rankproof.measure_forms import any_cutoff
from rankproof.report.layout import sentence, some_names
from rankproof.text import number_of, one_line, short_pair
from rankproof.workers.subjects import names_of

ORDER = (FindingKind.BREAKS, FindingKind.DEPENDS, FindingKind.TELLS)
MOST = 5
"""Findings that are printed without --details."""


def text(report: ProbeReport, *, details: bool = False) -> list[str]:
    """Return the findings: at most five sentences, or each with its smallest input."""
    findings = sorted(report.findings, key=lambda finding: (ORDER.index(finding.kind), finding.is_of_ties))
    ran = sum(bool(library.installation.version) for library in report.libraries)
    kinds = Counter(finding.kind for finding in findings)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ORDER if kinds[kind]) or "no findings"
    lines = [f"{number_of(ran, 'library', 'libraries')} probed: {counts}.", ""]
    names = {(s.library, s.variant): name for s, name in names_of(report.by_subject).items()}
    groups = grouped((finding.says, finding) for finding in findings)
    for says, group in [*groups.items()][: None if details else MOST]:
        who = list(dict.fromkeys(f"{names[one.library, one.variant]} {any_cutoff(one.measure)}" for one in group))
        lines += sentence(one_line(f"  {says}: {', '.join(who) if details else some_names(who)}"), hanging=6)
        for finding in _witnesses(group) if details else ():
            lines += [f"      {one_line(line)}" for line in _witness(finding, names[finding.library, finding.variant])]
    if len(groups) > MOST and not details:
        lines.append(f"  and {len(groups) - MOST} more (--details)")
    for library in report.libraries:
        if why := library.installation.why_not:
            lines += sentence(one_line(f"{library.installation.library} did not run: {why}"))
    return lines


def _witnesses(group: Sequence[ProbeFinding]) -> Iterator[ProbeFinding]:
    """Yield one finding for each library and input."""
    yield from {(one.library, one.variant, str(one.input), str(one.changed)): one for one in group}.values()


def _witness(finding: ProbeFinding, name: str) -> Iterator[str]:
    """Yield the two values and the input that gives them, as lines of TREC files."""
    first, second = short_pair(*finding.answers)
    query = f" of query {finding.query}" if finding.query is not None else ""
    yield f"{name} {finding.measure}{query}: {finding.asked[0]} {first}, {finding.asked[1]} {second}"
    yield from _rows(finding.input)
    if finding.changed is not None:
        yield f"{finding.asked[1]}:"
        yield from _rows(finding.changed)


def _rows(data: Input) -> Iterator[str]:
    yield from (f"  qrels {query} 0 {doc} {rel:g}" for query, doc, rel in data.qrels)
    yield from (f"  run {query} Q0 {doc} {rank} {score:g} run" for query, doc, score, rank in data.run)
