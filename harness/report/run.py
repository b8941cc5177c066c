"""Text, Markdown and JUnit XML of `run`, and text of `run --probe`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from rankproof.cases.inputs import Input
from rankproof.grouping import grouped
from rankproof.judge.probe_findings import FindingKind, ProbeFinding, ProbeReport
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row
from rankproof.measure_forms import any_cutoff
from rankproof.report.layout import row, sentence, some_names
from rankproof.report.run_report import RunReport, failing, markdown_safe
from rankproof.text import number_of, one_line, printable, printable_lines, short_pair
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.subjects import names_of

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST_COMPLAINTS = 3
LONGEST = 150
"""Characters of a complaint that is printed without --details."""
KINDS = (FindingKind.BREAKS, FindingKind.DEPENDS)
MOST_FINDINGS = 5
"""Findings of probes that are printed without --details."""


def text(run: RunReport, *, details: bool = False) -> list[str]:
    """Return what `run` prints: at most 12 lines, or everything."""
    lines = sentence(headline(run), hanging=0)
    if run.complaints:
        lines += ["", *_complaints(run, details=details)]
    for defect in run.defects if details else ():
        lines += sentence(f"DEFECT {one_line(defect.who)} {defect.form}: {one_line(defect.sentence)}")
    listed = "; ".join(run.other_versions), some_names([name.partition(":")[0] for name in run.other_versions])
    if run.other_versions:
        lines += sentence(f"Not the version of the sheet: {listed[not details]}.", hanging=0)
    if run.not_installed:
        lines += sentence(
            f"Not installed: {', '.join(run.not_installed) if details else some_names(run.not_installed)}."
        )
    if run.not_built:
        built = number_of(len(run.not_built), "environment is", "environments are")
        named = f" ({', '.join(run.not_built)})" if details else ""
        lines += sentence(f"{built} not built{named}: rankproof env build all.", hanging=0)
    if details:
        lines += ["", *_tables(run)]
    return [*lines, *sentence(f"Report: {run.report}")] if run.report else lines


def headline(run: RunReport) -> str:
    """Return whether everything holds, and the number of libraries, cases and values."""
    names = {library.name.partition("/")[0] for library in run.libraries if library.version != "not installed"}
    counts = f"{number_of(len(names), 'library', 'libraries')}, {number_of(run.cases, 'case')}, {number_of(run.values, 'value')}"
    how = " (unchanged since the last run; --fresh runs everything again)" if run.unchanged else ""
    time = f" in {run.seconds:.0f} s" if run.seconds >= 1 else ""
    if run.complaints:
        return f"{number_of(len(run.complaints), 'claim does', 'claims do')} not hold: {counts}{time}."
    if not run.values:
        return "Nothing was tested, so nothing holds."
    return f"Everything holds: {counts}{time}{how}."


def _complaints(run: RunReport, *, details: bool) -> Iterator[str]:
    shown = run.complaints if details else run.complaints[:MOST_COMPLAINTS]
    for complaint in shown:
        # Messages of processes have their cause at the end.
        cut = complaint if details or len(complaint) <= LONGEST else f"{complaint[:90]} … {complaint[90 - LONGEST :]}"
        yield from sentence(f"  {cut}", hanging=4)
    if len(run.complaints) > len(shown):
        yield f"  and {len(run.complaints) - len(shown):,} more (--details)"


def _tables(run: RunReport) -> Iterator[str]:
    """Return the leading disagreements, and the verdicts of each library."""
    for one in run.disagreements:
        yield from sentence(f"{one.case} {one.measure}: {one.question}")
        for answer in one.answers:
            voices = "; ".join(
                ", ".join(voice.who) + (f" [{' '.join(voice.conventions)}]" if voice.conventions else "")
                for voice in answer.voices
            )
            yield from row(answer.shown, one_line(voices))
    yield ""
    for library in run.libraries:
        counts = ", ".join(f"{verdict} {number:,}" for verdict, number in library.verdicts.items())
        yield from row(f"{library.name} {library.version}", one_line(counts), 0)
    for name, note in run.notes:
        yield from sentence(one_line(f"{name}: {note}"))


def markdown(run: RunReport, *, published: bool = False) -> str:
    """Return a run as a Markdown page, with links to the published data if `published`."""
    import jinja2  # noqa: PLC0415 - only a page needs it

    environment = jinja2.Environment(  # noqa: S701 - Markdown; `md` escapes texts of others
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable_lines(value) if isinstance(value, str) else value,
    )
    environment.filters |= {"md": markdown_safe, "counted": number_of}
    page = environment.get_template("report.md.j2")
    return page.render(run=run, headline=headline(run), failing=failing, published=published)


# -- JUnit ------------------------------------------------------------------------------------------------------------


def junit(run: Run) -> str:
    """Return a run as JUnit XML: a suite for each library, a test for each case, variant and measure.

    A test fails if a value does not hold, and is skipped if no value was compared. Each other complaint is a failing test.
    """
    suites = [_suite(answers, run) for answers in run.asked]
    counts = _counts([test for suite in suites for test in suite.iter("testcase")])
    root = ET.Element("testsuites", {"name": "rankproof", **counts, "time": f"{run.seconds.get('asking', 0.0):.3f}"})
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(answers: LibraryAnswers, run: Run) -> ET.Element:
    name, hello = answers.library.name, answers.hello
    rows = [row for row in run.rows if answers.installation.has(row.subject)]
    complaints = [complaint for complaint in run.complaints if complaint.library == name]
    tests = [*_tests(name, rows, complaints), *_other_complaints(name, rows, complaints)]
    seconds = f"{answers.library_seconds:.3f}"
    suite = ET.Element("testsuite", {"name": printable(name), **_counts(tests), "time": seconds})
    properties = ET.SubElement(suite, "properties")
    version = answers.version or ("did not run" if "failed" in hello else "not installed")
    described = {"version": version, "python": hello.get("python", ""), **hello.get("dependencies", {})}
    for key, value in {**described, **hello.get("notes", {})}.items():
        ET.SubElement(properties, "property", name=printable(key), value=printable(value))
    suite.extend(tests)
    return suite


def _tests(library: str, rows: Iterable[Row], complaints: Iterable[Complaint]) -> Iterator[ET.Element]:
    reasons = {complaint.place: complaint.what for complaint in complaints if complaint.place is not None}
    for (variant, case, measure), values in grouped(((r.variant, r.case, r.measure), r) for r in rows).items():
        # A row without a case is about the library or the variant itself.
        test = _test(f"{library}.{variant or 'library'}", f"{case} {measure}" if case else "is installed")
        failures = [row for row in values if row.verdict in FAILS]
        if failures:
            texts = [reasons.get(row.place) or f"{row.verdict}: {row.observed or row.note}" for row in failures]
            named = [
                f"{row.query or 'mean'}: {what}" if case else what for row, what in zip(failures, texts, strict=True)
            ]
            _fail(test, str(failures[0].verdict), named)
        elif all(row.verdict in NOT_JUDGED for row in values):
            why = values[0].note or (f"observed {values[0].observed}" if values[0].observed else "")
            ET.SubElement(test, "skipped", message=printable(f"{values[0].verdict}: {why}".removesuffix(": ")))
        yield test


def _other_complaints(library: str, rows: Iterable[Row], complaints: Iterable[Complaint]) -> Iterator[ET.Element]:
    """Return a failing test for each complaint about the sheet, such as a pin that no longer occurs."""
    failures = {row.place for row in rows if row.verdict in FAILS}
    for complaint in complaints:
        if complaint.place is None or complaint.place not in failures:
            test = _test(f"{library}.sheet", str(complaint.place or complaint.what))
            _fail(test, "sheet", [complaint.what])
            yield test


def _test(group: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=printable(group), name=printable(name))


def _fail(test: ET.Element, kind: str, texts: Sequence[str]) -> None:
    failure = ET.SubElement(test, "failure", type=kind, message=printable(texts[0]))
    failure.text = "\n".join(map(printable, texts))


def _counts(tests: Sequence[ET.Element]) -> dict[str, str]:
    failures, skipped = (sum(test.find(what) is not None for test in tests) for what in ("failure", "skipped"))
    return {"tests": str(len(tests)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}


# -- probes -----------------------------------------------------------------------------------------------------------


def probe_text(report: ProbeReport, *, details: bool = False) -> list[str]:
    """Return what values of libraries depend on: at most five sentences, or each with the smallest input that shows it."""
    findings = [finding for library in report.libraries for finding in library.findings]
    findings.sort(key=lambda finding: (KINDS.index(finding.kind), finding.is_of_ties))
    ran = sum(bool(library.installation.version) for library in report.libraries)
    kinds = Counter(finding.kind for finding in findings)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind]) or "no findings"
    lines = [f"{number_of(ran, 'library', 'libraries')} probed: {counts}.", ""]
    names = {(s.library, s.variant): name for s, name in names_of(report.by_subject).items()}
    groups = grouped((finding.says, finding) for finding in findings)
    for says, group in [*groups.items()][: None if details else MOST_FINDINGS]:
        who = list(dict.fromkeys(f"{names[one.library, one.variant]} {any_cutoff(one.measure)}" for one in group))
        lines += sentence(one_line(f"  {says}: {', '.join(who) if details else some_names(who)}"), hanging=6)
        # One finding for each library and input.
        witnesses = {(one.library, one.variant, str(one.input), str(one.changed)): one for one in group}
        for finding in witnesses.values() if details else ():
            lines += [f"      {one_line(line)}" for line in _witness(finding, names[finding.library, finding.variant])]
    if len(groups) > MOST_FINDINGS and not details:
        lines.append(f"  and {len(groups) - MOST_FINDINGS} more (--details)")
    for library in report.libraries:
        if why := library.installation.why_not:
            lines += sentence(one_line(f"{library.installation.library} did not run: {why}"))
    return lines


def _witness(finding: ProbeFinding, name: str) -> Iterator[str]:
    """Yield the two values and the input that gives them, as lines of TREC files."""
    first, second = short_pair(*finding.answers)
    query = f" of query {finding.query}" if finding.query is not None else ""
    yield f"{name} {finding.measure}{query}: {finding.asked[0]} {first}, {finding.asked[1]} {second}"
    yield from _rows(finding.input)
    if finding.changed is not None:
        yield from (f"{finding.asked[1]}:", *_rows(finding.changed))


def _rows(data: Input) -> Iterator[str]:
    yield from (f"  qrels {query} 0 {doc} {rel:g}" for query, doc, rel in data.qrels)
    yield from (f"  run {query} Q0 {doc} {rank} {score:g} run" for query, doc, score, rank in data.run)
