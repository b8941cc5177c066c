"""Findings in the terminal: first what depends on what, then the smallest inputs that show it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rankproof.cases.inputs import Input
from rankproof.grouping import grouped
from rankproof.judge.probe_findings import FindingKind, ProbeFinding, ProbeReport
from rankproof.judge.probing import Probe
from rankproof.measure_forms import any_cutoff
from rankproof.text import one_line, short_pair
from rankproof.workers.subjects import names_of

FIRST = (FindingKind.BREAKS, FindingKind.DEPENDS)
"""What is told first."""


def listed(probes: Sequence[Probe]) -> Iterator[str]:
    """The probes, a line each."""
    width = max(len(probe.name) for probe in probes)
    for probe in probes:
        yield f"{probe.name:{width}}  {probe.question}"


def told(report: ProbeReport) -> Iterator[str]:
    """First what depends on what; then, under each, the smallest inputs and the two answers to each; the counts last."""
    names = {(s.library, s.variant): name for s, name in names_of(report.by_subject).items()}
    findings = [finding for own in report.by_subject.values() for finding in own]
    in_order = sorted(findings, key=lambda finding: (FIRST.index(finding.kind), finding.is_of_ties))
    by_says = grouped((finding.says, finding) for finding in in_order)
    yield from _overview(by_says, names)
    for says, group in by_says.items():
        yield ""
        yield says
        yield from _witnesses(group, names)
    yield from ["", _closing(report)] if findings else [_closing(report)]


def _overview(by_says: dict[str, list[ProbeFinding]], names: Mapping[tuple[str, str], str]) -> Iterator[str]:
    for says, group in by_says.items():
        yield says
        by_who = grouped((names[finding.library, finding.variant], any_cutoff(finding.measure)) for finding in group)
        width = max(map(len, by_who))
        for who, measures in by_who.items():
            yield f"    {_printable(who):{width}}  {' '.join(dict.fromkeys(measures))}"


def _witnesses(group: Sequence[ProbeFinding], names: Mapping[tuple[str, str], str]) -> Iterator[str]:
    for same in grouped(((finding.input, finding.changed), finding) for finding in group).values():
        yield from _lines(same[0].input)
        if same[0].changed is not None:
            yield f"    {_printable(same[0].asked[1])}:"
            yield from _lines(same[0].changed, besides=same[0].input)
        keys = (json.dumps([names[one.library, one.variant], one.query, *short_pair(*one.answers)]) for one in same)
        for alike in grouped(zip(keys, same, strict=True)).values():
            yield _printable(_answers(alike, names), indented=8)


def _answers(alike: Sequence[ProbeFinding], names: Mapping[tuple[str, str], str]) -> str:
    """Who says what, on measures of which two answers are the same."""
    finding = alike[0]
    first, second = short_pair(*finding.answers)
    of = f" of query {finding.query}" if finding.query is not None else ""
    measures = ", ".join(dict.fromkeys(one.measure for one in alike))
    both = f"{first}, then {second}"
    if finding.changed is None:  # two questions to one input, or a question and what holds of it
        both = f"{finding.asked[0]} {first}, {finding.asked[1]} {second}"
    return f"{names[finding.library, finding.variant]} {measures}{of}: {both}"


def _lines(data: Input, besides: Input | None = None) -> Iterator[str]:
    """The lines of qrels and run, as TREC files have them; of a changed input, those parts that differ."""
    if besides is None or data.qrels != besides.qrels:
        for query, doc, rel in data.qrels:
            yield _printable(f"qrels {query} 0 {doc} {rel:g}", indented=4)
    if besides is None or data.run != besides.run:
        for query, doc, score, rank in data.run:
            yield _printable(f"run {query} Q0 {doc} {rank} {score:g} run", indented=4)


def _printable(text: str, indented: int = 0) -> str:
    return " " * indented + one_line(text)


def _closing(report: ProbeReport) -> str:
    kinds = Counter(finding.kind for one in report.libraries for finding in one.findings)
    asked = [one for one in report.libraries if one.installation.version]
    silent = [one.installation.library for one in asked if not one.findings]
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in FIRST if kinds[kind]) or "nothing found"
    quiet = f"; nothing of {', '.join(silent)}" if silent else ""
    return f"{len(asked)} {'library' if len(asked) == 1 else 'libraries'} probed: {counts}{quiet}"
