"""Text, Markdown and JUnit XML of `run`."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rankproof.grouping import grouped
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import FAILS, NOT_JUDGED, Row
from rankproof.report.layout import row, sentence, some_names
from rankproof.report.run_report import RunReport, failing, markdown_safe
from rankproof.text import number_of, one_line, printable, printable_lines, short
from rankproof.workers.rounds import LibraryAnswers

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).resolve().parent / "templates"
MOST_COMPLAINTS = 3
LONGEST = 150
"""Characters of a complaint that is printed without --details."""


def text(run: RunReport, *, details: bool = False) -> list[str]:
    """Return what `run` prints: at most 12 lines, or everything."""
    lines = sentence(headline(run), hanging=0)
    if run.complaints:
        lines += ["", *_complaints(run, details=details)]
    for defect in run.defects if details else ():
        lines += sentence(f"DEFECT {one_line(defect.who)} {defect.form}: {one_line(defect.sentence)}")
    if run.other_versions:
        shown = run.other_versions if details else [name.partition(":")[0] for name in run.other_versions]
        lines += sentence(
            f"Not the version of the sheet: {'; '.join(shown) if details else some_names(shown)}.", hanging=0
        )
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
    width = max((len(library.name) for library in run.libraries), default=0)
    for library in run.libraries:
        counts = ", ".join(f"{verdict} {number:,}" for verdict, number in library.verdicts.items())
        yield from sentence(one_line(f"{library.name:{width}} {library.version}: {counts}"))
    for name, note in run.notes:
        yield from sentence(one_line(f"{name}: {note}"))


# -- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(run: RunReport, *, published: bool = False) -> str:
    """Return a run as a Markdown page, with links to the published data if `published`."""
    page = _environment().get_template("report.md.j2")
    return page.render(run=run, headline=headline(run), failing=failing, published=published)


@cache
def _environment() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - only a page needs it

    environment = jinja2.Environment(  # noqa: S701 - Markdown; `md` escapes texts of others
        loader=jinja2.FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: printable_lines(value) if isinstance(value, str) else value,
    )
    environment.filters |= {"md": markdown_safe, "num": short, "counted": number_of}
    return environment


# -- JUnit ------------------------------------------------------------------------------------------------------------


def junit(run: Run) -> str:
    """Return a run as JUnit XML: a suite for each library, a test for each case, variant and measure.

    A test fails if a value does not hold, and is skipped if no value was compared. Each other complaint is a failing test.
    """
    suites = [_suite(answers, run) for answers in run.asked]
    counts = _counts([test for suite in suites for test in suite.iter("testcase")])
    root = ET.Element("testsuites", {"name": "rankproof", **counts, "time": f"{run.seconds:.3f}"})
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
