"""JUnit XML that any CI system reads, whatever ids hold; a step summary that says first what does not hold."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typed import rankproof

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.rounds import LibraryAnswers
from rankproof.asking.sheets import ObservationPlace, Sheet
from rankproof.asking.subjects import Environment, Subject
from rankproof.judging.complaints import Complaint
from rankproof.judging.results_file import RunResults
from rankproof.judging.runs import Run
from rankproof.judging.verdicts import Row, Verdict
from rankproof.telling.ci_formats import SHOWN, junit, step_summary
from rankproof.telling.run_report import Report

HERE = Environment("3.11.7", (("numpy", "2"),))
ROW = Row(
    "ties/straddles-cutoff",
    Subject("fake", "v", "1", HERE, alone=False),
    "P@2",
    None,
    Verdict.AGREES,
    0.5,
    expected=0.5,
)
FAILING = replace(ROW, measure="AP", verdict=Verdict.UNEXPLAINED, value=0.1, note="the sheet's profile gives 0.5")
COMPLAINT = Complaint("fake", "unexplained: observed 0.1; give the sheet the right profile", FAILING.place)
STALE = Complaint(
    "fake", "fake.toml pins '1.0', but nothing is observed there", ObservationPlace("ties/none", "v", "AP", None)
)
HOSTILE = 'a & b <script> "quoted" \x00\x0b\x1b[31m \ud800 \ufffe \u202e ]]> é 😀'


def library(name: str) -> Library:
    path = Path(f"{name}.toml")
    return Library(name, path, Sheet(name, name, "", "", "1", "float64", {}, {}, {}, path))


def a_run(*rows: Row, complaints: tuple[Complaint, ...] = (), names: tuple[str, ...] = ("fake",)) -> Run:
    hello = {"version": "1", "python": "3.11.7", "variants": {"v": "", "w": ""}, "dependencies": {"numpy": "2"}}
    asked = tuple(LibraryAnswers(library(name), hello, (), 1.5) for name in names)
    return Run(
        (corpus.load(corpus.HERE / "ties" / "straddles-cutoff.toml"),), asked, rows, complaints, seconds={"asking": 2}
    )


def read(run: Run) -> ET.Element:
    return ET.fromstring(junit(run).encode("utf-8"))  # noqa: S314 - it is our own


def check_structure(root: ET.Element) -> None:
    """What the usual schema of JUnit XML asks for."""
    assert root.tag == "testsuites"
    counted = ("tests", "failures", "errors", "skipped")
    for suite in root:
        assert suite.tag == "testsuite"
        assert {"name", "time", *counted} <= set(suite.attrib)
        assert [child.tag for child in suite] == ["properties"] + ["testcase"] * (len(suite) - 1)
        tests = suite.findall("testcase")
        for test in tests:
            assert test.attrib["name"]
            assert test.attrib["classname"]
            assert [child.tag for child in test] in ([], ["failure"], ["skipped"])
        found = (len(tests), len(suite.findall("testcase/failure")), 0, len(suite.findall("testcase/skipped")))
        assert tuple(int(suite.attrib[what]) for what in counted) == found
    for what in counted:
        assert int(root.attrib[what]) == sum(int(suite.attrib[what]) for suite in root)
    for timed in (root, *root):
        assert float(timed.attrib["time"]) >= 0


def test_a_library_is_a_suite_and_a_question_a_test() -> None:
    other = replace(ROW, subject=replace(ROW.subject, library="other", variant="w"))
    root = read(a_run(ROW, replace(ROW, query="q1"), FAILING, other, complaints=(COMPLAINT,), names=("fake", "other")))
    check_structure(root)
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root] == [
        ("fake", "2", "1"), ("other", "1", "0"),
    ]  # fmt: skip
    first, second = root[0].findall("testcase")
    assert (first.get("classname"), first.get("name"), len(first)) == ("fake.v", "ties/straddles-cutoff P@2", 0)
    (failure,) = second
    assert failure.get("type") == "unexplained"
    assert failure.get("message") == f"mean: {COMPLAINT.what}"
    assert {(p.get("name"), p.get("value")) for p in root[0].iter("property")} == {
        ("version", "1"), ("python", "3.11.7"), ("numpy", "2"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (replace(ROW, verdict=Verdict.UNSUPPORTED, value=None, note="fake has no P@2"), "unsupported: fake has no P@2"),
        (replace(ROW, verdict=Verdict.UNDEFINED), "undefined: the case has no right answer; observed 0.5"),
        (Row("", Subject("fake"), "", None, Verdict.NOT_INSTALLED, note="no module"), "not-installed: no module"),
        (Row("", Subject("fake", "w", "1", HERE), "", None, Verdict.NOT_INSTALLED), "not-installed"),
    ],
)
def test_what_was_not_judged_is_skipped_with_its_reason(row: Row, why: str) -> None:
    root = read(a_run(row))
    check_structure(root)
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == why


def test_a_library_that_breaks_at_once_and_a_sheet_that_claims_in_vain_are_failures() -> None:
    broken = Row("", Subject("fake"), "", None, Verdict.CRASH, note="SIGSEGV")
    vain = Complaint("fake", 'fake.toml: [profiles.v] claims "RBP", but no answer is judged by it')
    held = Complaint("fake", "fake.toml pins '1.0', but the answer agrees now", ROW.place)
    root = read(a_run(broken, ROW, complaints=(Complaint("fake", "crash: SIGSEGV", broken.place), STALE, held, vain)))
    check_structure(root)
    assert [(test.get("classname"), test.get("name")) for test in root.iter("testcase")] == [
        ("fake.library", "is installed"), ("fake.v", f"{ROW.case} P@2"), ("fake.sheet", "ties/none v AP mean"),
        ("fake.sheet", str(ROW.place)), ("fake.sheet", vain.what),
    ]  # fmt: skip
    messages = [failure.get("message") for failure in root.iter("failure")]
    assert messages == ["crash: SIGSEGV", STALE.what, held.what, vain.what]


def test_whatever_ids_and_messages_hold_is_valid_xml_and_shown() -> None:
    rows = [
        replace(
            FAILING,
            case=HOSTILE,
            subject=replace(FAILING.subject, variant=HOSTILE),
            query=HOSTILE,
            verdict=Verdict.ERROR,
            value=None,
            error=HOSTILE,
        ),
        replace(ROW, verdict=Verdict.UNSUPPORTED, note=HOSTILE),
    ]
    run = a_run(*rows, complaints=(Complaint("fake", HOSTILE), Complaint("fake", HOSTILE, rows[0].place)))
    root = read(run)
    check_structure(root)
    shown = 'a & b <script> "quoted" \\x00\\x0b\\x1b[31m \\ud800 \\ufffe \\u202e ]]> é 😀'
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"unsupported: {shown}"
    assert all(shown in (failure.text or "") for failure in root.iter("failure"))


# -- the step summary -------------------------------------------------------------------------------------------------


def summary(run: Run) -> str:
    header = {"asked": [asked.installation.as_json() for asked in run.asked]}
    return step_summary(
        run, Report(RunResults(header, run.rows, {}), run.cases, [asked.library for asked in run.asked])
    )


def test_a_summary_says_first_what_does_not_hold() -> None:
    lines = summary(a_run(ROW, FAILING, complaints=(COMPLAINT, STALE))).splitlines()
    assert lines[0] == "### rankproof: 2 things do not hold"
    assert lines[2].startswith("- **fake** <code>ties/straddles-cutoff v AP mean</code> unexplained: observed 0.1")
    assert "| <code>fake/v</code> | 1 | 1 | 0 | 0 | **1** | 0 |" in lines


def test_a_summary_stays_small_and_shows_whatever_it_is_given() -> None:
    many = tuple(Complaint("fake", HOSTILE, replace(FAILING, query=str(i)).place) for i in range(5000))
    text = summary(a_run(FAILING, complaints=many))
    assert f"… and {5000 - SHOWN:,} more" in text
    assert "<script>" not in text
    assert "\x1b" not in text
    assert len(text) < 10_000


def test_a_summary_of_one_thing_or_of_none_counts_in_the_singular_or_not_at_all() -> None:
    table = (
        "| library | version | agrees | convention | known | does not hold | not judged |\n|---|---|---:|---:|---:|---:|---:|\n"
        "| <code>fake/v</code> | 1 | 1 | 0 | 0 | 0 | 0 |\n"
    )
    assert summary(a_run(ROW)) == f"### rankproof: all of it holds\n\n{table}"
    one = Complaint("fake", "a claim in vain")
    assert (
        summary(a_run(ROW, complaints=(one,)))
        == f"### rankproof: 1 thing does not hold\n\n- **fake** a claim in vain\n\n{table}"
    )


def test_several_forms_are_all_written_and_no_file_is_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("run", "-l", "trectools/frame", "-c", "ties/straddles-cutoff", "-m", "P@2")
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    both = rankproof(*command, "--format", "junit", "--format", "github", "--format", "junit", cwd=tmp_path)
    assert both.code == 0, both.err
    assert ET.parse(tmp_path / "out" / "junit.xml").getroot().tag == "testsuites"  # noqa: S314 - it is our own
    assert summary.read_text(encoding="utf-8").count("### rankproof") == 1
    one = rankproof(*command, "--format", "junit", "--format", "github", "--format-out", "x", cwd=tmp_path)
    assert one.code == 2
    assert "--format-out names one file for several forms" in one.err
    assert not (tmp_path / "x").exists()
    same = rankproof(*command, "--format", "junit", "--format", "junit", "--format-out", "x", cwd=tmp_path)
    assert (same.code, (tmp_path / "x").exists()) == (0, True)
