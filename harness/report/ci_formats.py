"""A run in the forms that other programs show: JUnit XML for CI systems, Markdown for GitHub's step summary.

In JUnit's terms a library is a test suite, and a question put to one of its variants (a measure of a case) is a test: it fails if what was
observed does not hold, and is skipped if it was compared with nothing. A skip is never a pass, and a claim of the sheet that does not
hold is a failure, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from rankproof.grouping import grouped
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import FAILS, HOLDS, NOT_JUDGED, Row, Verdict
from rankproof.report.run_report import markdown_safe
from rankproof.text import number_of, printable
from rankproof.workers.rounds import LibraryAnswers

if TYPE_CHECKING:
    from rankproof.report.run_report import Disagreement, Report, ReportedVoice

FORMATS = ("junit", "github")
SHOWN = 20
"""How many of the things that do not hold a step summary lists; it is read in a browser, beside others."""
DIVIDING = 5
"""How many of the questions that divide the libraries it lists."""


# -- JUnit ------------------------------------------------------------------------------------------------------------


def junit(run: Run) -> str:
    """The run as JUnit XML: a test suite for each library, a test for each case, variant and measure."""
    suites = [_suite(asked, run) for asked in run.asked]
    counts = _counted([test for suite in suites for test in suite.iter("testcase")])
    spent = run.seconds.get("asking", 0.0)
    root = ET.Element("testsuites", {"name": "rankproof", **counts, "time": f"{spent:.3f}"})
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(asked: LibraryAnswers, run: Run) -> ET.Element:
    name = asked.library.name
    rows = [row for row in run.rows if asked.installation.has(row.subject)]
    complaints = [complaint for complaint in run.complaints if complaint.library == name]
    tests = [*_tests(name, rows, complaints), *_of_the_sheet(name, rows, complaints)]
    spent = f"{asked.library_seconds:.3f}"
    suite = ET.Element("testsuite", {"name": printable(name), **_counted(tests), "time": spent})
    properties = ET.SubElement(suite, "properties")
    for what, value in _properties(asked):
        ET.SubElement(properties, "property", name=printable(what), value=printable(value))
    suite.extend(tests)
    return suite


def _properties(asked: LibraryAnswers) -> Iterator[tuple[str, str]]:
    yield "version", asked.version or ("could not be asked" if "failed" in asked.hello else "not installed")
    yield "python", str(asked.hello.get("python", ""))
    yield from asked.hello.get("dependencies", {}).items()
    yield from asked.hello.get("notes", {}).items()


def _tests(library: str, rows: Iterable[Row], complaints: Iterable[Complaint]) -> Iterator[ET.Element]:
    """A test for each question, whose rows are those of its queries and its mean."""
    questions = grouped(((row.variant, row.case, row.measure), row) for row in rows)
    told = {complaint.place: complaint.what for complaint in complaints if complaint.place is not None}
    for (variant, case, measure), answers in questions.items():
        # A row without a case is the library, or the variant, itself.
        test = _test(f"{library}.{variant or 'library'}", f"{case} {measure}" if case else "is installed")
        failing = [row for row in answers if row.verdict in FAILS]
        if failing:
            _fail(test, str(failing[0].verdict), [_sentence(row, told.get(row.place)) for row in failing])
        elif all(row.verdict in NOT_JUDGED for row in answers):
            ET.SubElement(test, "skipped", message=printable(_why_not(answers[0])))
        yield test


def _sentence(row: Row, complaint: str | None) -> str:
    said = complaint or f"{row.verdict}: {row.observed or row.note}"
    return f"{row.query or 'mean'}: {said}" if row.case else said


def _why_not(row: Row) -> str:
    if row.verdict is Verdict.UNDEFINED:
        return f"undefined: the case has no right answer; observed {row.observed}"
    return f"{row.verdict}: {row.note}" if row.note else str(row.verdict)


def _of_the_sheet(library: str, rows: Iterable[Row], complaints: Iterable[Complaint]) -> Iterator[ET.Element]:
    """A failing test for each complaint that is not about a failing row: pins that are stale, claims in vain, a broken adapter."""
    told = {row.place for row in rows if row.verdict in FAILS}
    for complaint in complaints:
        if complaint.place is None or complaint.place not in told:
            test = _test(f"{library}.sheet", str(complaint.place or complaint.what))
            _fail(test, "sheet", [complaint.what])
            yield test


def _test(group: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=printable(group), name=printable(name))


def _fail(test: ET.Element, kind: str, sentences: Sequence[str]) -> None:
    failure = ET.SubElement(test, "failure", type=kind, message=printable(sentences[0]))
    failure.text = "\n".join(printable(sentence) for sentence in sentences)


def _counted(tests: Sequence[ET.Element]) -> dict[str, str]:
    failures, skipped = (sum(test.find(what) is not None for test in tests) for what in ("failure", "skipped"))
    return {"tests": str(len(tests)), "failures": str(failures), "errors": "0", "skipped": str(skipped)}


# -- GitHub -----------------------------------------------------------------------------------------------------------


def step_summary(run: Run, report: "Report") -> str:
    """The run as Markdown for `$GITHUB_STEP_SUMMARY`: what does not hold, then who disagrees, in a screenful or two."""
    parts = [f"### rankproof: {_verdict(run)}", "", *_defects(report), *_complaints(run.complaints), *_tallies(report)]
    return "\n".join([*parts, *_divided(report)]).rstrip() + "\n"


def _verdict(run: Run) -> str:
    count = len(run.complaints)
    return f"{number_of(count, 'thing does', 'things do')} not hold" if count else "all of it holds"


def _defects(report: "Report") -> Iterator[str]:
    for one in report.defects:
        yield f"- defect of **{markdown_safe(one.who)}** in {_code(one.form)}: {markdown_safe(one.sentence)}"
    if report.defects:
        yield ""


def _complaints(complaints: Sequence[Complaint]) -> Iterator[str]:
    for complaint in complaints[:SHOWN]:
        where = f"{_code(complaint.place)} " if complaint.place is not None else ""
        yield f"- **{markdown_safe(complaint.library)}** {where}{markdown_safe(complaint.what)}"
    if len(complaints) > SHOWN:
        yield f"- … and {len(complaints) - SHOWN:,} more; the results have all of them"
    if complaints:
        yield ""


def _tallies(report: "Report") -> Iterator[str]:
    yield "| library | version | agrees | convention | known | does not hold | not judged |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for name, version, counts in report.tallies:
        failing, unjudged = (sum(counts[verdict] for verdict in kinds) for kinds in (FAILS, NOT_JUDGED))
        cells = (
            _code(name),
            markdown_safe(version),
            *(str(counts[v]) for v in Verdict if v in HOLDS),
            f"**{failing}**" if failing else "0",
            str(unjudged),
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def _divided(report: "Report") -> Iterator[str]:
    disagreements = report.disagreements
    if not disagreements:
        return
    cases = number_of(len({disagreement.case.id for disagreement in disagreements}), "case")
    divide = "divides" if len(disagreements) == 1 else "divide"
    yield f"{number_of(len(disagreements), 'question')} of {cases} {divide} the libraries. Those that lead:"
    yield ""
    for row in (report.headlines or disagreements)[:DIVIDING]:
        yield f"- {_code(f'{row.case.id} {row.measure}')}: {row.differ} of {row.asked} differ from `standard`: {_says(row)}"


def _says(disagreement: "Disagreement") -> str:
    return "; ".join(
        f"{markdown_safe(saying.shown)} {', '.join(_told(voice) for voice in saying.voices)}"
        for saying in disagreement.sayings
    )


def _told(voice: "ReportedVoice") -> str:
    reason = _code(" ".join(voice.conventions)) if voice.conventions else "exception" if voice.known else ""
    return markdown_safe(", ".join(voice.who)) + (f" ({reason})" if reason else "")


def _code(text: object) -> str:
    return f"<code>{markdown_safe(text)}</code>"
