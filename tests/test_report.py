"""The published report is what the published results say, and those are what a run says now."""

import re
from pathlib import Path

import published_run
import pytest
from disagreement_grid import grid
from here import of_this_interpreter

from rankproof import cases as corpus
from rankproof.judge.runs import Run
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.report_pages import pages
from rankproof.report.run_report import Report
from rankproof.workers.known_libraries import libraries
from rankproof.workers.same_answers import same

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "reports"
AGAIN = "run `rankproof run --publish reports` with the pinned versions (constraints.txt), and look at what moved"


@pytest.fixture(scope="session")
def published() -> Report:
    found = list(published_run.fingerprints())
    return Report(published_run.results(), corpus.load_all(), libraries(), found)


def test_the_report_is_written_from_the_results(published: Report) -> None:
    found = pages(published, "README.md")
    assert {path: (REPORTS / path).read_text(encoding="utf-8") for path in found} == found, AGAIN
    by_hand = {"notebooks.md"}
    written = {path.relative_to(REPORTS).as_posix() for path in REPORTS.rglob("*.md")}
    assert written == {*found, *by_hand}, "a page of a topic that is no more stays behind"


def test_the_readme_shows_the_real_grid(published: Report) -> None:
    shown = (ROOT / "README.md").read_text(encoding="utf-8").partition("<!-- grid -->\n")[2].partition("\n\n")[0]
    assert shown == grid(published.headlines), AGAIN
    assert published.disagreement_table() in (REPORTS / "README.md").read_text(encoding="utf-8"), AGAIN


def test_the_results_are_of_this_corpus_and_of_what_the_libraries_say_now(published: Report, whole_run: Run) -> None:
    here = {library.name for library in of_this_interpreter()}
    old = {key(row): row for row in published.results.rows if row.library in here}
    new = {key(row): row for row in whole_run.rows if row.library != "trec_eval"}
    assert published.results.header["cases"] == len(published.cases)
    assert [k for k in new if k not in old] == [], AGAIN
    assert [k for k in old if k not in new and k[1] != "trec_eval"] == [], AGAIN
    assert [(old[k], new[k]) for k in new if not alike(old[k], new[k])] == [], AGAIN


def key(row: Row) -> tuple[object, ...]:
    return row.case, row.library, row.variant, row.measure, row.query


def alike(a: Row, b: Row) -> bool:
    if a.verdict is Verdict.UNDEFINED or "ties=unspecified" in a.conventions:
        return b.verdict is a.verdict  # nobody promises these numbers, and they depend on the processor
    if (a.verdict, a.conventions, a.error) != (b.verdict, b.conventions, b.error):
        return False
    return a.value == b.value or (a.value is not None and b.value is not None and same(a.value, b.value, "float32"))


def test_nothing_in_it_fails(published: Report) -> None:
    assert published.results.footer["complaints"] == 0


@pytest.mark.parametrize("path", sorted(REPORTS.rglob("*.md")), ids=lambda path: path.name)
def test_a_page_is_short_enough_to_be_read_and_its_links_lead_somewhere(path: Path) -> None:
    assert path.stat().st_size <= (60_000 if path.name == "README.md" else 200_000)  # of twenty-five libraries
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"(?<!\\)\]\(([^)]+)\)", text)
    assert links or path == REPORTS / "notebooks.md"
    inside = [link for link in links if not link.startswith("https://")]
    assert [link for link in inside if not (path.parent / link.partition("#")[0]).exists()] == []


def test_the_whole_of_the_reports_stays_light() -> None:
    each = sum(path.stat().st_size for path in REPORTS.rglob("*") if path.is_file()) / len(libraries())
    assert each < 1_250_000
