"""What the tests of the libraries tell, seen on miniature libraries in a project of their own."""

import shutil
import sys
from pathlib import Path

import pytest
from reporting import told

from rankproof import cases as corpus
from rankproof.judge.verdicts import Row, Verdict
from rankproof.workers import known_libraries
from rankproof.workers.subjects import Subject

pytest_plugins = ["pytester"]
HERE = Path(__file__).resolve().parent
COPIED = ("here", "browsers", "conftest", "parts", "reporting", "sharing", "test_libraries")
CASES = ("labels/empty", "scores/nan-at-the-top", "ties/none-tied", "ties/straddles-cutoff")
PYPROJECT = """
[project.optional-dependencies]
libraries = ["rankproof[fair,gone]", "numpy"]
[tool.pytest.ini_options]
addopts = ["-ra", "-p", "mini", "-p", "no:cacheprovider"]
filterwarnings = ["error"]
"""
PLUGIN = """
from functools import partial
from pathlib import Path

from rankproof import cases
from rankproof.workers import known_libraries as known

known.libraries = partial(known.libraries, Path(__file__).parent / "adapters")
cases.files = lambda folder=cases.HERE: [folder / f"{{name}}.toml" for name in {cases}]
"""
SHEET = """
library = "{name}"
title = "{name}"
homepage = "https://example.org/"
issues = "https://example.org/issues"
precision = "float64"
speaks_of = "1"
[profiles.{variant}]
"*" = "{profile}"
"""
MINIATURE = """
VARIANTS = {{"{variant}": VARIANTS["{variant}"]}}
MEASURES = {{"P@{{k}}": "precision", "nDCG@{{k}}": "ndcg"}}
_observe = observe


def note(what):
    with open({log!r}, "a") as lines:
        lines.write(what + "\\n")


def load():
    note("loaded")
    {load}
    return {{"version": "1"}}


def observe(variant, data, call, values):
    note(values["measure"])
    return _observe(variant, data, call, values)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """These tests of libraries, of two libraries, and of one that is not installed, on four cases."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")  # there are no laws, and it is slow to import
    for name in COPIED:
        shutil.copy(HERE / f"{name}.py", pytester.path)
    pytester.makepyprojecttoml(PYPROJECT)
    (pytester.path / "mini.py").write_text(PLUGIN.format(cases=CASES), encoding="utf-8")
    in_this_process(pytester, monkeypatch)
    add(pytester, "fair", "honest")
    add(pytester, "ascending", "breaks_ties_by_ascending_id", profile="ties=docid-asc")
    add(pytester, "gone", "honest", load="raise ImportError('no module\\x1b[31m of that name')")
    return pytester


def in_this_process(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an inner pytest import the copies, and let what its plugin changes end with the test."""
    pytester.syspathinsert()
    for name in (*COPIED, "mini"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for module, name in ((known_libraries, "libraries"), (corpus, "files")):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(corpus, "_shipped", lambda: tuple(map(corpus.load, corpus.files())))


def add(project: pytest.Pytester, name: str, variant: str, *, profile: str = "standard", load: str = "pass") -> None:
    """Add a library of one miniature, which writes down what it is asked."""
    folder = project.path / "adapters"
    folder.mkdir(exist_ok=True)
    text = (HERE / "miniatures" / "miniatures_adapter.py").read_text(encoding="utf-8")
    tail = MINIATURE.format(variant=variant, load=load, log=str(project.path / f"{name}.log"))
    (folder / f"{name}_adapter.py").write_text(text + tail, encoding="utf-8")
    (folder / f"{name}.toml").write_text(SHEET.format(name=name, variant=variant, profile=profile), encoding="utf-8")


def asked(project: pytest.Pytester, name: str) -> list[str]:
    """What a library was asked; nothing if its worker was never started."""
    log = project.path / f"{name}.log"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


def row(verdict: Verdict, *conventions: str) -> Row:
    who = Subject("fair", "honest", "1")
    return Row("ties/none-tied", who, "P@2", None, verdict, 0.5, conventions=conventions)


@pytest.mark.in_turn
def test_what_was_not_judged_is_counted_apart_from_what_passed(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-q", "-k", "every_answer")
    # Of four cases two have a right answer that a measure of the miniatures can meet; the third has none, and the fourth is of labels.
    assert result.parseoutcomes() == {"passed": 4, "unsupported": 2, "undefined": 2, "absent": 4, "deselected": 4}
    result.stdout.fnmatch_lines(["-u.c-u..aaaa *"])
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("SKIPPED*")


@pytest.mark.in_turn
def test_the_line_of_a_test_has_its_verdict_and_for_junit_what_was_not_judged_is_skipped(
    project: pytest.Pytester,
) -> None:
    from xml.etree import ElementTree as ET

    result = project.runpytest_inprocess("-v", "--junit-xml=all.xml", "-k", "every_answer")
    told = {
        "ascending-labels/empty": "unsupported",
        "ascending-scores/nan-at-the-top": "undefined",
        "ascending-ties/none-tied": "agrees",
        "ascending-ties/straddles-cutoff": "convention ties=docid-asc",
        "gone-ties/straddles-cutoff": "absent",
    }
    result.stdout.fnmatch_lines([f"*test_every_answer_holds[[]{test}[]] {said} *" for test, said in told.items()])
    suite = ET.parse(project.path / "all.xml").find("testsuite")  # noqa: S314 - written by the line above
    assert suite is not None
    assert (suite.get("tests"), suite.get("skipped"), suite.get("failures")) == ("12", "8", "0")
    verdicts = [node.get("value") for node in suite.iter("property") if node.get("name") == "verdict"]
    assert verdicts.count("convention ties=docid-asc") == 1
    assert verdicts.count("absent") == 4


@pytest.mark.in_turn
def test_at_the_end_stand_the_verdicts_the_disagreements_and_who_is_absent(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-q", "-k", "straddles")
    lines = [line for line in result.outlines if line]
    start = next(i for i, line in enumerate(lines) if "where the libraries agree and differ" in line)
    assert lines[start + 1 : -1] == [
        "library    version        agrees  convention",
        "ascending  1                   0           2",
        "fair       1                   2           0",
        "gone       not installed",
        "ascending  ties=docid-asc  2 answers in 1 case",
        "  nDCG@2 .6309 where standard gives 0  ties/straddles-cutoff",  # 1/log2(3)
        "absent: gone (1 case not asked): no module\\x1b[31m of that name",
    ]


def test_what_nothing_explains_and_an_exception_that_no_longer_happens_fail_by_their_text(
    project: pytest.Pytester,
) -> None:
    add(project, "wrong", "breaks_ties_by_ascending_id")
    with (project.path / "adapters" / "fair.toml").open("a", encoding="utf-8") as sheet:
        sheet.write('[[known]]\nreason = "It was so in older versions."\n')
        sheet.write("observed = 'ties/none-tied honest P@2 mean 0.75'\n")
    result = project.runpytest_inprocess("-v", "-k", "(wrong or fair) and ties")
    assert result.parseoutcomes() == {"passed": 2, "failed": 2, "deselected": 17}
    for said in (
        "*fair-ties/none-tied[]] FAILED*",
        "fair ties/none-tied honest P@2 mean:*remove the exception",
        "*wrong-ties/straddles-cutoff[]] FAILED unexplained*",
        "wrong  unexplained  2 answers in 1 case",
        "wrong ties/straddles-cutoff breaks_ties_by_ascending_id P@2 mean: unexplained: observed 0.5*",
    ):
        result.stdout.fnmatch_lines([said])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.in_turn
def test_a_library_that_ends_when_it_is_loaded_fails_every_test_of_it(project: pytest.Pytester) -> None:
    add(project, "broken", "honest", load="os._exit(3)")
    result = project.runpytest_inprocess("-v", "-k", "broken and ties")
    assert result.parseoutcomes()["failed"] == 2
    result.stdout.fnmatch_lines(["*broken-ties/none-tied[]] FAILED crash*", "*the process ended with exit code 3*"])


def test_only_what_is_selected_is_asked(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("-q", "-k", "fair and straddles")
    assert asked(project, "fair") == ["loaded", "P@2", "nDCG@2"]
    assert (asked(project, "ascending"), asked(project, "gone")) == ([], [])


def test_a_sheet_needs_all_cases_of_its_library_alone(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-q", "-k", "sheet_holds and fair")
    assert result.parseoutcomes()["passed"] == 1
    assert len(asked(project, "fair")) == 1 + 6  # two measures in each of three cases
    assert asked(project, "ascending") == []


@pytest.mark.in_turn
def test_the_whole_run_is_asked_once_where_anything_needs_it(project: pytest.Pytester) -> None:
    whole = "def test_whole(whole_run):\n    assert {row.library for row in whole_run.rows} == {'ascending', 'fair', 'gone'}\n"
    (project.path / "test_whole.py").write_text(whole, encoding="utf-8")
    result = project.runpytest_subprocess("-q", "-k", "test_whole or (fair and straddles)")
    assert result.parseoutcomes()["passed"] == 2
    assert [len(asked(project, name)) for name in ("fair", "ascending", "gone")] == [7, 7, 1]
    tables = result.stdout.str().partition("agree and differ")[2]
    assert "fair " in tables
    assert "ascending " not in tables, "nobody selected it"


@pytest.mark.in_turn
def test_a_run_in_which_nothing_was_judged_says_so(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-q", "-k", "gone or empty")
    assert result.parseoutcomes() == {"absent": 5, "unsupported": 2, "deselected": 9}
    result.stdout.fnmatch_lines(["gone *not installed", "NOTHING WAS JUDGED: *"])


@pytest.mark.in_turn
@pytest.mark.parametrize(("ci", "outcome"), [("", "absent"), ("true", "failed")])
def test_in_ci_every_library_must_be_there(
    ci: str, outcome: str, project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    result = project.runpytest_inprocess("-q", "-k", "sheet_holds and gone")
    assert result.parseoutcomes()[outcome] == 1
    assert ("CI is to have every library, and not installed is gone" in result.stdout.str()) is bool(ci)


def test_a_file_that_cannot_be_collected_is_told_as_ever(project: pytest.Pytester) -> None:
    (project.path / "test_bad.py").write_text("import nowhere\n", encoding="utf-8")
    result = project.runpytest_inprocess("-q")
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines(["ERROR test_bad.py*"])


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "unsupported"),
        ([row(Verdict.NOT_INSTALLED)], "absent"),
        ([row(Verdict.NOT_INSTALLED), row(Verdict.UNSUPPORTED)], "unsupported"),
        ([row(Verdict.UNSUPPORTED), row(Verdict.UNDEFINED)], "undefined"),
        ([row(Verdict.UNSUPPORTED), row(Verdict.AGREES)], "agrees"),
        ([row(Verdict.AGREES), row(Verdict.KNOWN)], "known"),
        ([row(Verdict.AGREES), row(Verdict.CONVENTION, "gain=exp", "ties=worst")], "convention gain=exp ties=worst"),
        ([row(Verdict.KNOWN), *[row(Verdict.CONVENTION, "ties=worst")] * 2], "convention ties=worst (and 1 more)"),
        ([*[row(Verdict.CONVENTION, "ties=worst")] * 9, row(Verdict.CRASH)], "crash (and 1 more)"),
    ],
)
def test_the_most_telling_verdict_is_told(rows: list[Row], text: str) -> None:
    assert told(rows) == text
