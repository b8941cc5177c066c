"""The published report is what the published results say, and those are what a run says now."""

import json
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.asking.same_answers import same
from rankproof.asking.sheets import libraries
from rankproof.judging import results_file
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict
from rankproof.telling.run_report import Report, markdown_safe
from rankproof.text import short

ROOT = Path(__file__).resolve().parent.parent
AGAIN = "run `rankproof run --publish reports` with the pinned versions (constraints.txt), and look at what moved"


@pytest.fixture(scope="session")
def published() -> Report:
    told = json.loads((ROOT / "reports" / "fingerprint.json").read_text(encoding="utf-8"))
    return Report(results_file.load(ROOT / "reports" / "results.jsonl"), corpus.load_all(), libraries(), told)


def test_the_report_is_written_from_the_results(published: Report) -> None:
    assert (ROOT / "reports" / "README.md").read_text(encoding="utf-8") == published.markdown(), AGAIN


def test_the_readme_shows_the_real_table(published: Report) -> None:
    assert published.disagreement_table() in (ROOT / "README.md").read_text(encoding="utf-8"), AGAIN


def test_the_results_are_of_this_corpus_and_of_what_the_libraries_say_now(published: Report, whole_run: Run) -> None:
    old = {key(row): row for row in published.results.rows}
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


def test_disagreement_leads(published: Report) -> None:
    text = published.markdown()
    assert text.index("## Which conventions each library follows") < text.index("## Where they disagree")
    assert text.index("## Where they disagree") < text.index("## Known exceptions")
    assert len(published.headlines) > 8
    assert all(len(headline.sayings) > 1 for headline in published.headlines)


def test_text_from_anywhere_is_escaped() -> None:
    hostile = "<script>alert(1)</script> | [x](javascript:1) `y` \x1b[31m \u202e\ud800\nnext"
    safe = markdown_safe(hostile)
    assert "<" not in safe
    assert "\x1b" not in safe
    assert "\u202e" not in safe
    assert "\n" not in safe
    assert " | " not in safe
    safe.encode("utf-8")


def test_numbers_are_short() -> None:
    assert [short(x) for x in (0.5, -0.5, 1.0, float("nan"), float("inf"), 12.25)] == [
        ".5",
        "-.5",
        "1",
        "nan",
        "inf",
        "12.25",
    ]
