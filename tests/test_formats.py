"""JUnit XML that any CI system reads, whatever ids hold; a step summary that says first what does not hold."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typed import rankproof

from rankproof import cases as corpus
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import Complaint, Run
from rankproof.judge.verdicts import Row, Verdict
from rankproof.report.ci_formats import SHOWN, junit, step_summary
from rankproof.report.run_report import Report
from rankproof.workers.known_libraries import Library
from rankproof.workers.rounds import LibraryAnswers
from rankproof.workers.sheets import Sheet
from rankproof.workers.subjects import Environment, Subject

HERE = Environment("3.11.7", (("numpy", "2"),))
FAKE = Subject("fake", "v", "1", HERE, alone=False)
ROW = Row("ties/straddles-cutoff", FAKE, "P@2", None, Verdict.AGREES, 0.5, expected=0.5)
FAILING = replace(ROW, measure="AP", verdict=Verdict.UNEXPLAINED, value=0.1, note="the sheet's profile gives 0.5")
HOSTILE = 'a & b <script> "quoted" \x00\x0b\x1b[31m \ud800 \ufffe \u202e ]]> é 😀'


def a_run(*rows: Row, complaints: tuple[Complaint, ...]) -> Run:
    path = Path("fake.toml")
    fake = Library("fake", path, Sheet("fake", "fake", "", "", "1", "float64", {}, {}, {}, path))
    hello = {"version": "1", "python": "3.11.7", "variants": {"v": "", "w": ""}, "dependencies": {"numpy": "2"}}
    case = corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml")
    return Run((case,), (LibraryAnswers(fake, hello, (), 1.5),), rows, complaints, seconds={"asking": 2})


def check_structure(root: ET.Element) -> None:
    """What the usual schema of JUnit XML asks for; what its counts and times are is seen where runs are drawn."""
    assert root.tag == "testsuites"
    for suite in root:
        assert suite.tag == "testsuite"
        assert {"name", "time", "tests", "failures", "errors", "skipped"} <= set(suite.attrib)
        assert [child.tag for child in suite] == ["properties"] + ["testcase"] * (len(suite) - 1)
        for test in suite.findall("testcase"):
            assert {"name", "classname"} <= set(filter(test.get, test.attrib))
            assert [child.tag for child in test] in ([], ["failure"], ["skipped"])


def test_whatever_ids_and_messages_hold_is_valid_xml_and_shown() -> None:
    of_it = {"subject": replace(FAKE, variant=HOSTILE), "case": HOSTILE, "query": HOSTILE, "error": HOSTILE}
    failing = replace(FAILING, **of_it, verdict=Verdict.ERROR, value=None)
    rows = [failing, replace(ROW, verdict=Verdict.UNSUPPORTED, note=HOSTILE)]
    run = a_run(*rows, complaints=(Complaint("fake", HOSTILE), Complaint("fake", HOSTILE, failing.place)))
    root = ET.fromstring(junit(run).encode("utf-8"))  # noqa: S314 - it is our own
    check_structure(root)
    shown = 'a & b <script> "quoted" \\x00\\x0b\\x1b[31m \\ud800 \\ufffe \\u202e ]]> é 😀'
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"unsupported: {shown}"
    assert all(shown in (failure.text or "") for failure in root.iter("failure"))


@pytest.mark.parametrize(
    ("verdicts", "skipped"),
    [
        ({"q1": Verdict.UNDEFINED, "q2": Verdict.UNDEFINED, None: Verdict.UNDEFINED}, True),
        ({"q1": Verdict.UNDEFINED, "q2": Verdict.UNDEFINED, None: Verdict.AGREES}, False),
        ({None: Verdict.CONVENTION, "q1": Verdict.UNDEFINED, "q2": Verdict.KNOWN}, False),
        ({None: Verdict.UNSUPPORTED}, True),
    ],
)
def test_a_question_is_skipped_only_where_nothing_of_it_was_judged(
    verdicts: dict[str | None, Verdict], *, skipped: bool
) -> None:
    rows = [replace(ROW, query=query, verdict=verdict) for query, verdict in verdicts.items()]
    root = ET.fromstring(junit(a_run(*rows, complaints=())))  # noqa: S314 - it is our own
    assert [len(list(test.iter("skipped"))) for test in root.iter("testcase")] == [int(skipped)]


def test_a_summary_stays_small_and_shows_whatever_it_is_given() -> None:
    many = tuple(Complaint("fake", HOSTILE, replace(FAILING, query=str(i)).place) for i in range(5000))
    run = a_run(FAILING, complaints=many)
    header = {"asked": [asked.installation.as_json() for asked in run.asked]}
    report = Report(RunResults(header, run.rows, {}), run.cases, [asked.library for asked in run.asked])
    text = step_summary(run, report)
    assert f"… and {5000 - SHOWN:,} more" in text
    assert "<script>" not in text
    assert "\x1b" not in text
    assert len(text) < 10_000


@pytest.mark.in_turn
def test_several_forms_are_all_written_and_no_file_is_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("run", "-l", "pytrec_eval", "-c", "ties/straddles-cutoff", "-m", "P@2")
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier step\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    both = rankproof(*command, "--format", "junit", "--format", "github", "--format", "junit", cwd=tmp_path)
    assert both.code == 0, both.err
    assert ET.parse(tmp_path / "out" / "junit.xml").getroot().tag == "testsuites"  # noqa: S314 - it is our own
    written = summary.read_text(encoding="utf-8")
    assert (written.count("### rankproof"), written.startswith("of an earlier step\n")) == (1, True)
    one = rankproof(*command, "--format", "junit", "--format", "github", "--format-out", "x", cwd=tmp_path)
    assert one.code == 2
    assert "--format-out names one file for several forms" in one.err
    assert not (tmp_path / "x").exists()
    same = rankproof(*command, "--format", "junit", "--format", "junit", "--format-out", "x", cwd=tmp_path)
    assert (same.code, (tmp_path / "x").exists()) == (0, True)
    rankproof(*command, "--format", "github", "--format-out", "y", cwd=tmp_path)
    assert (summary.read_text(encoding="utf-8"), "### rankproof" in (tmp_path / "y").read_text()) == (written, True)
