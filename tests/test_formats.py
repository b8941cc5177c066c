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


def test_all_queries_of_a_question_that_fail_are_told_in_one_failure() -> None:
    per_query = replace(FAILING, query="q1", value=0.2)
    root = read(a_run(FAILING, per_query, replace(FAILING, query="q2", verdict=Verdict.AGREES)))
    check_structure(root)
    (failure,) = root.iter("failure")
    assert (failure.text or "").splitlines() == ["mean: unexplained: 0.1", "q1: unexplained: 0.2"]


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


def test_two_versions_of_a_library_are_two_suites() -> None:
    run = a_run(ROW)
    newer = replace(run.asked[0], hello={**run.asked[0].hello, "version": "2"})
    rows = (ROW, replace(FAILING, subject=newer.subject("v")))
    root = read(replace(run, asked=(*run.asked, newer), rows=rows))
    assert [[test.get("name") for test in suite.findall("testcase")] for suite in root] == [
        ["ties/straddles-cutoff P@2"], ["ties/straddles-cutoff AP"],
    ]  # fmt: skip
    assert [suite.get("failures") for suite in root] == ["0", "1"]


JUNIT = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="rankproof" tests="6" failures="3" errors="0" skipped="2" time="2.000">
  <testsuite name="fake" tests="4" failures="2" errors="0" skipped="1" time="1.500">
    <properties>
      <property name="version" value="1" />
      <property name="python" value="3.11.7" />
      <property name="numpy" value="2" />
      <property name="v" value="asked by hand" />
    </properties>
    <testcase classname="fake.v" name="ties/straddles-cutoff P@2" />
    <testcase classname="fake.v" name="ties/straddles-cutoff AP">
      <failure type="unexplained" message="mean: unexplained: 0.1">mean: unexplained: 0.1
q1: unexplained: observed 0.1</failure>
    </testcase>
    <testcase classname="fake.v" name="ties/straddles-cutoff RBP">
      <skipped message="unsupported: no RBP" />
    </testcase>
    <testcase classname="fake.sheet" name="ties/none v AP mean">
      <failure type="sheet" message="it is stale">it is stale</failure>
    </testcase>
  </testsuite>
  <testsuite name="broken" tests="1" failures="1" errors="0" skipped="0" time="0.000">
    <properties>
      <property name="version" value="could not be asked" />
      <property name="python" value="" />
    </properties>
    <testcase classname="broken.library" name="is installed">
      <failure type="crash" message="crash: SIGSEGV">crash: SIGSEGV</failure>
    </testcase>
  </testsuite>
  <testsuite name="gone" tests="1" failures="0" errors="0" skipped="1" time="0.000">
    <properties>
      <property name="version" value="not installed" />
      <property name="python" value="" />
    </properties>
    <testcase classname="gone.library" name="is installed">
      <skipped message="not-installed: no module" />
    </testcase>
  </testsuite>
</testsuites>
"""


def test_the_whole_of_a_run_is_told_in_junits_terms() -> None:
    run = a_run(ROW)
    (fake,) = run.asked
    asked = (
        replace(fake, hello={**fake.hello, "notes": {"v": "asked by hand"}}),
        LibraryAnswers(library("broken"), {"failed": "crash", "message": "SIGSEGV"}, ()),
        LibraryAnswers(library("gone"), {"not_installed": "no module"}, ()),
    )
    rows = (
        ROW, FAILING, replace(FAILING, query="q1"), replace(ROW, measure="RBP", verdict=Verdict.UNSUPPORTED, note="no RBP"),
        Row("", Subject("broken"), "", None, Verdict.CRASH, note="SIGSEGV"),
        Row("", Subject("gone"), "", None, Verdict.NOT_INSTALLED, note="no module"),
    )  # fmt: skip
    told = "unexplained: observed 0.1"
    complaints = (
        replace(STALE, what="it is stale"), Complaint("fake", told, replace(FAILING, query="q1").place),
    )  # fmt: skip
    assert junit(replace(run, asked=asked, rows=rows, complaints=complaints)) == JUNIT
    assert junit(replace(run, asked=(), rows=(), seconds={})) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="rankproof" tests="0" failures="0" errors="0" skipped="0" time="0.000" />\n'
    )


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


def test_a_summary_counts_what_divides_the_libraries() -> None:
    other = replace(
        ROW,
        subject=replace(ROW.subject, variant="w"),
        verdict=Verdict.CONVENTION,
        value=0.25,
        conventions=("ties=input",),
    )
    text = summary(a_run(ROW, other))
    assert text.startswith("### rankproof: all of it holds\n")
    assert "1 question of 1 case divides the libraries." in text
    assert "1 of 2 differ from `standard`: .5 fake/v; .25 fake/w (<code>ties=input</code>)" in text


def test_a_summary_stays_small_and_shows_whatever_it_is_given() -> None:
    many = tuple(Complaint("fake", HOSTILE, replace(FAILING, query=str(i)).place) for i in range(5000))
    text = summary(a_run(FAILING, complaints=many))
    assert f"… and {5000 - SHOWN:,} more" in text
    assert "<script>" not in text
    assert "\x1b" not in text
    assert len(text) < 10_000


SUMMARY = """\
### rankproof: 2 things do not hold

- **fake** <code>ties/straddles-cutoff v AP mean</code> unexplained: observed 0.1; give the sheet the right profile
- **fake** a claim in vain

| library | version | agrees | convention | known | does not hold | not judged |
|---|---|---:|---:|---:|---:|---:|
| <code>fake/v</code> | 1 | 2 | 0 | 0 | **1** | 0 |
| <code>fake/w</code> | 1 | 0 | 2 | 0 | 0 | 1 |
| <code>fake/x</code> | 1 | 0 | 0 | 1 | 0 | 0 |
| <code>fake/y</code> | 1 | 0 | 0 | 1 | 0 | 0 |

2 questions of 1 case divide the libraries. Those that lead:

- <code>ties/straddles-cutoff nDCG@2</code>: 1 of 2 differ from `standard`: 0 fake/v; .5 fake/w (<code>ties=docid-asc</code>)
- <code>ties/straddles-cutoff P@2</code>: 3 of 4 differ from `standard`: \
.25 fake/x, fake/y (exception), fake/w (<code>gain=exp ties=input</code>); .5 fake/v
"""


def said(variant: str, measure: str, verdict: Verdict, value: float, *conventions: str) -> Row:
    return replace(
        ROW, subject=replace(ROW.subject, variant=variant), measure=measure, verdict=verdict, value=value, conventions=conventions
    )  # fmt: skip


def divided() -> Run:
    """Four variants that two measures divide, one that nothing explains, and one that is not supported."""
    run = a_run(
        said("v", "P@2", Verdict.AGREES, 0.5), said("w", "P@2", Verdict.CONVENTION, 0.25, "gain=exp", "ties=input"),
        said("x", "P@2", Verdict.KNOWN, 0.25), said("y", "P@2", Verdict.KNOWN, 0.25), said("v", "nDCG@2", Verdict.AGREES, 0.0),
        said("w", "nDCG@2", Verdict.CONVENTION, 0.5, "ties=docid-asc"), FAILING,
        replace(said("w", "RBP", Verdict.UNSUPPORTED, 0.5), value=None, note="no RBP"),
        complaints=(COMPLAINT, Complaint("fake", "a claim in vain")),
    )  # fmt: skip
    hello = {**run.asked[0].hello, "variants": dict.fromkeys("vwxy", "")}
    return replace(run, asked=(replace(run.asked[0], hello=hello),))


def test_the_whole_of_a_run_is_told_in_markdown() -> None:
    assert summary(divided()) == SUMMARY


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


@pytest.mark.parametrize(
    ("count", "more"), [(SHOWN, []), (SHOWN + 1, ["- … and 1 more; the results have all of them"])]
)
def test_a_summary_lists_so_many_things_and_says_how_many_more_there_are(count: int, more: list[str]) -> None:
    things = tuple(Complaint("fake", f"thing {i}") for i in range(count))
    lines = [line for line in summary(a_run(ROW, complaints=things)).splitlines() if line.startswith("- ")]
    assert lines == [f"- **fake** thing {i}" for i in range(SHOWN)] + more


def test_a_summary_leads_with_headlines_and_else_with_the_first_that_divide() -> None:
    cutoffs = range(1, 8)
    rows = [
        row
        for k in cutoffs
        for row in (said("v", f"P@{k}", Verdict.AGREES, 0.9), said("w", f"P@{k}", Verdict.CONVENTION, k / 10))
    ]
    run = a_run(*rows)
    listed = [line.partition("</code>")[0] for line in summary(run).splitlines() if line.startswith("- ")]
    assert listed == [f"- <code>{ROW.case} P@{k}" for k in (1, 2, 3, 4, 5)], (
        "those first whose answers are farthest apart"
    )
    (case,) = run.cases
    leading = replace(run, cases=(replace(case, tags=("headline",)),))
    listed = [line.partition("</code>")[0] for line in summary(leading).splitlines() if line.startswith("- ")]
    assert listed == [f"- <code>{ROW.case} P@1"]


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
