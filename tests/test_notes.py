"""How a library was asked (through a copy of a module, say) stands where its numbers are: in the results and on each page of the report.

Of the pages of the site, of the terminal and of the list of libraries the tests of drawn runs say so.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge import results_file
from rankproof.judge.results_file import RunResults, header_of
from rankproof.judge.runs import Run, judge_all
from rankproof.reference_impl.conventions import STANDARD
from rankproof.report.report_pages import pages
from rankproof.report.run_report import Report
from rankproof.workers.known_libraries import Library, libraries
from rankproof.workers.rounds import AskingOptions, ask
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject

NOTE = "asked through a copy of *the* module, as the hub did not answer"
SHOWN = NOTE.replace("*", "\\*")
CASES = [corpus.load(corpus.HERE / f"{case}.toml") for case in ("ties/none-tied", "ties/straddles-cutoff")]


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("noted")
    adapter = folder / "noted_adapter.py"
    adapter.write_text(
        "LIBRARY, PACKAGES, VARIANTS, MEASURES = 'noted', ['pytest'], {'v': ''}, {'AP': 1, 'nDCG@{k}': 1}\n"
        f"def load(): return {{'module': {NOTE!r}}}\n"
        "def observe(*_): return None, 0.5\n",
        encoding="utf-8",
    )
    sheet = load(Path(__file__).resolve().parent / "miniatures" / "miniatures.toml")
    return Library("noted", adapter, replace(sheet, library="noted", title="Noted"))


@pytest.fixture(scope="module")
def run(noted: Library) -> Run:
    """A run of the noted library beside one that has nothing to say."""
    (other,) = (library for library in libraries() if library.name == "pytrec_eval")
    asked = [ask(library, CASES, AskingOptions()) for library in (noted, other)]
    return judge_all(CASES, asked)


@pytest.fixture(scope="module")
def report(run: Run, noted: Library, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("written")
    results_file.write(run, path)
    return Report(results_file.load(path), CASES, [noted])


def test_the_header_of_the_results_has_it(run: Run) -> None:
    notes = {said["library"]: said.get("notes") for said in header_of(run)["asked"]}
    assert notes == {"noted": {"module": NOTE}, "pytrec_eval": None}


@pytest.mark.parametrize(
    ("page", "times"), [("report.md", 2), ("disagreements/ties.md", 1), ("exceptions.md", 1), ("versions.md", 1)]
)
def test_each_page_of_the_report_that_has_its_numbers_says_it(report: Report, page: str, times: int) -> None:
    text = pages(report, "report.md")[page]
    assert text.count(SHOWN) == times
    assert "module: asked" not in text, "it is a sentence, and its key is no matter of readers"


def test_the_report_says_it_with_the_fingerprints(report: Report) -> None:
    one = Fingerprint(Subject("noted", "v", "1"), "AP", STANDARD, {}, 1, 1, (), "")
    having, lacking = (pages(replace(report, fingerprints=found), "report.md") for found in ([one], []))
    assert having["fingerprints.md"].count(f"*noted*: {SHOWN}.") == 1
    assert ["fingerprints.md" in found["report.md"] for found in (having, lacking)] == [True, False]
    assert "fingerprints.md" not in lacking


def test_what_nobody_said_is_not_told(report: Report) -> None:
    header = json.loads(json.dumps(report.results.header))
    for said in header["asked"]:
        said.pop("notes", None)
    silent = replace(report, results=RunResults(header, report.results.rows, report.results.footer))
    assert not any("asked through" in text for text in pages(silent, "report.md").values())
    assert not silent.disagreement_table().endswith("\n")
