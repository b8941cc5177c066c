"""Output of `rankproof run` as text, Markdown and JUnit XML, and of `rankproof run --probe` as text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankproof.cases.inputs import Input
from rankproof.grouping import grouped
from rankproof.judge.probe_findings import FindingKind, ProbeFinding, ProbeReport
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row
from rankproof.measure_forms import any_cutoff
from rankproof.report.layout import row, sentence, some_names
from rankproof.report.run_report import RunReport, failing, markdown_safe
from rankproof.text import number_of, one_line, printable, printable_lines, short_pair
from rankproof.workers.subjects import names_of

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST_COMPLAINTS = 3
LONGEST = 150
"""Maximum length of a printed complaint without --details."""
KINDS = (FindingKind.BREAKS, FindingKind.DEPENDS, FindingKind.TELLS)
MOST_FINDINGS = 5
"""Maximum number of printed findings of probes without --details."""


def text(run: RunReport, *, details: bool = False) -> list[str]:
    """Return the output of `run`: at most 12 lines, or everything if `details`."""
    lines = sentence(headline(run), hanging=0)
    if run.complaints:
        lines += ["", *_complaints(run, details=details)]
    for defect in run.defects if details else ():
        lines += sentence(f"DEFECT {one_line(defect.who)} {defect.form}: {one_line(defect.sentence)}")
    listed = "; ".join(run.other_versions), some_names([name.partition(":")[0] for name in run.other_versions])
    if run.other_versions:
        lines += sentence(f"Other version than in the sheet: {listed[not details]}.", hanging=0)
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
    """Return the first line: whether everything holds, and the number of libraries, cases and values."""
    names = {library.name.partition("/")[0] for library in run.libraries if library.version != "not installed"}
    counts = f"{number_of(len(names), 'library', 'libraries')}, {number_of(run.cases, 'case')}, {number_of(run.values, 'value')}"
    how = " (unchanged since the last run; --fresh runs everything again)" if run.unchanged else ""
    time = f" in {run.seconds:.0f} s" if run.seconds >= 1 else ""
    if run.complaints:
        return f"{number_of(len(run.complaints), 'claim does', 'claims do')} not hold: {counts}{time}."
    if not run.values:
        return "No value was tested."
    return f"Everything holds: {counts}{time}{how}."


def _complaints(run: RunReport, *, details: bool) -> Iterator[str]:
    listed = run.complaints if details else run.complaints[:MOST_COMPLAINTS]
    for complaint in listed:
        # Messages of processes have their cause at the end.
        cut = complaint if details or len(complaint) <= LONGEST else f"{complaint[:90]} … {complaint[90 - LONGEST :]}"
        yield from sentence(f"  {cut}", hanging=4)
    if len(run.complaints) > len(listed):
        yield f"  and {len(run.complaints) - len(listed):,} more (--details)"


def _tables(run: RunReport) -> Iterator[str]:
    """Yield the number of values by verdict for each library, and notes."""
    for library in run.libraries:
        counts = ", ".join(f"{verdict} {number:,}" for verdict, number in library.verdicts.items())
        yield from row(f"{library.name} {library.version}", one_line(counts), 0)
    for name, note in run.notes:
        yield from sentence(one_line(f"{name}: {note}"))


def markdown(run: RunReport, *, published: bool = False) -> str:
    """Return a run as a Markdown page, with links to the published data if `published`."""
    page = _environment().get_template("report.md.j2")
    return page.render(run=run, headline=headline(run), failing=failing, published=published)


def _environment() -> "jinja2.Environment":
    """Return the template environment. XML is escaped automatically, and Markdown by the filter `md`."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=jinja2.select_autoescape(["xml.j2"]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable_lines(value) if type(value) is str else value,  # not markup of a macro
    )
    environment.filters |= {"md": markdown_safe, "counted": number_of, "printable": printable}
    return environment


# -- JUnit ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JUnitTest:
    """A JUnit test: group, name, kind of failure (or `skipped`), and reasons."""

    group: str
    name: str
    kind: str = ""
    reasons: tuple[str, ...] = ()


def junit(run: Run) -> str:
    """Return a run as JUnit XML, with a suite for each library and a test for each case, variant and measure.

    A test fails if a value does not hold, and is skipped if no value was compared. Each other complaint is a failing test.
    """
    suites = []
    for answers in run.answers:
        hello, name = answers.hello, answers.library.name
        rows = [row for row in run.rows if answers.installation.has(row.subject)]
        complaints = [complaint for complaint in run.complaints if complaint.library == name]
        version = answers.version or ("did not run" if "failed" in hello else "not installed")
        properties = {"version": version, "python": hello.get("python", ""), **hello.get("dependencies", {})}
        tests = list(_tests(name, rows, complaints))
        suites.append((name, answers.library_seconds, {**properties, **hello.get("notes", {})}, tests))
    return _environment().get_template("junit.xml.j2").render(suites=suites)


def _tests(library: str, rows: Sequence[Row], complaints: Sequence[Complaint]) -> Iterator[JUnitTest]:
    reasons = {complaint.place: complaint.what for complaint in complaints if complaint.place is not None}
    for (variant, case, measure), values in grouped(((r.variant, r.case, r.measure), r) for r in rows).items():
        # A row without a case concerns the library or the variant itself.
        about = f"{library}.{variant or 'library'}", f"{case} {measure}" if case else "is installed"
        failures = [row for row in values if row.verdict in FAILS]
        if failures:
            texts = [reasons.get(row.place) or f"{row.verdict}: {row.observed or row.note}" for row in failures]
            places = [f"{row.query or 'mean'}: " if case else "" for row in failures]
            yield JUnitTest(*about, str(failures[0].verdict), tuple(map(str.__add__, places, texts)))
        elif all(row.verdict in NOT_JUDGED for row in values):
            why = values[0].note or (f"observed {values[0].observed}" if values[0].observed else "")
            yield JUnitTest(*about, "skipped", (f"{values[0].verdict}: {why}".removesuffix(": "),))
        else:
            yield JUnitTest(*about)
    failed = {row.place for row in rows if row.verdict in FAILS}
    for complaint in complaints:  # about the sheet, such as a pin that no longer occurs
        if complaint.place is None or complaint.place not in failed:
            yield JUnitTest(f"{library}.sheet", str(complaint.place or complaint.what), "sheet", (complaint.what,))


# -- probes -----------------------------------------------------------------------------------------------------------


def probe_text(report: ProbeReport, *, details: bool = False) -> list[str]:
    """Return the findings of probes: at most five sentences, or all with their smallest inputs if `details`."""
    findings = sorted(report.findings, key=lambda finding: (KINDS.index(finding.kind), finding.is_of_ties))
    ran = sum(bool(library.installation.version) for library in report.libraries)
    kinds = Counter(finding.kind for finding in findings)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind]) or "no findings"
    lines = [f"{number_of(ran, 'library', 'libraries')} probed: {counts}.", ""]
    names = {(s.library, s.variant): name for s, name in names_of(report.by_subject).items()}
    groups = grouped((finding.says, finding) for finding in findings)
    for says, group in [*groups.items()][: None if details else MOST_FINDINGS]:
        who = list(dict.fromkeys(f"{names[f.library, f.variant]} {any_cutoff(f.measure)}" for f in group))
        lines += sentence(one_line(f"  {says}: {', '.join(who) if details else some_names(who)}"), hanging=6)
        # One finding for each library and input.
        witnesses = {(f.library, f.variant, str(f.input), str(f.changed)): f for f in group}
        for finding in witnesses.values() if details else ():
            lines += [f"      {one_line(line)}" for line in _witness(finding, names[finding.library, finding.variant])]
    if len(groups) > MOST_FINDINGS and not details:
        lines.append(f"  and {len(groups) - MOST_FINDINGS} more (--details)")
    for library in report.libraries:
        if why := library.installation.why_not:
            lines += sentence(one_line(f"{library.installation.library} did not run: {why}"))
    return lines


def _witness(finding: ProbeFinding, name: str) -> Iterator[str]:
    """Yield the two values of a finding and their input as lines of TREC files."""
    first, second = short_pair(*finding.answers)
    query = f" of query {finding.query}" if finding.query is not None else ""
    yield f"{name} {finding.measure}{query}: {finding.asked[0]} {first}, {finding.asked[1]} {second}"
    yield from _rows(finding.input)
    if finding.changed is not None:
        yield from (f"{finding.asked[1]}:", *_rows(finding.changed))


def _rows(data: Input) -> Iterator[str]:
    yield from (f"  qrels {query} 0 {doc} {rel:g}" for query, doc, rel in data.qrels)
    yield from (f"  run {query} Q0 {doc} {rank} {score:g} run" for query, doc, score, rank in data.run)
