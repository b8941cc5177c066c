"""`rankproof run`: exit codes by verdict, files, publishing, JUnit, and runs without changes."""

import json
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import typed_commands
from small_libraries import LIBRARIES, SHEET, write_library
from typed_commands import Ended

from rankproof import files
from rankproof.judge import results_file

CASE, OTHER = "ties/none-tied", "ties/last-of-a-query-with-first-of-the-next"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of libraries, each named after its behaviour, with an empty store."""
    # Only an environment variable chooses the store, and the commands run in this process.
    monkeypatch.setenv(files.CACHE, str(tmp_path / "store"))
    (folder := tmp_path / "own").mkdir()
    for name in LIBRARIES:
        write_library(folder, name)
    return folder


@pytest.fixture
def run(own: Path, tmp_path: Path) -> Callable[..., Ended]:
    """Return a function that runs libraries on one case and one measure, and writes to `out`."""
    return partial(typed_commands.rankproof, "run", "--adapters", own, "-c", CASE, "-m", "RR", cwd=tmp_path)


@pytest.mark.parametrize(
    ("library", "code", "verdict", "phrase"),
    [
        ("right", 0, "agrees", "Everything holds: 1 library, 1 case, 1 value"),
        ("wrong", 1, "unexplained", "2 claims do not hold"),
        ("raising", 1, "error", "ValueError"),
        ("wavering", 1, "unstable", "unstable"),
        ("failing", 1, "crash", "broken"),
        ("newer", 0, "agrees", "Other version than in the sheet: newer."),
    ],
)
def test_exit_code_follows_the_verdicts_and_repeats(
    library: str, code: int, verdict: str, phrase: str, run: Callable[..., Ended], tmp_path: Path
) -> None:
    first, second = run("-l", library), run("-l", library)
    assert (first.code, second.code) == (code, code), first.err
    assert phrase in " ".join(first.out.split())
    assert (len(first.out.splitlines()) <= 12, max(map(len, first.out.splitlines())) <= 80) == (True, True)
    rows = results_file.load(tmp_path / "out").rows
    assert {str(row.verdict) for row in rows} - {"unsupported"} == {verdict}
    assert ("unchanged since the last run" in " ".join(second.out.split())) == (code == 0)
    facts = json.loads(run("-l", library, "--json").out)
    assert [library["verdicts"].get(verdict, 0) > 0 for library in facts["libraries"]] == [True]
    assert bool(facts["complaints"]) == (code == 1)


def test_missing_library_neither_fails_nor_passes(run: Callable[..., Ended]) -> None:
    alone = run("-l", "absent")
    assert (alone.code, alone.err.count("\n")) == (2, 1)
    assert "no library of this run is installed: absent: " in alone.err
    both = run("-l", "absent", "-l", "right")
    assert (both.code, "Not installed: absent." in both.out) == (0, True)


def test_many_complaints_are_summed_up(run: Callable[..., Ended], own: Path) -> None:
    for number in range(5):
        write_library(own, f"wrong{number}", like="wrong")
    done = run("-l", "wrong*")
    assert (done.code, "and 9 more (--details)" in done.out) == (1, True)
    assert len(done.out.splitlines()) <= 12
    details = run("-l", "wrong*", "--details").out
    assert all(f"wrong{number} {CASE}" in details for number in range(5))


def test_results_have_rows_of_every_case_and_library(run: Callable[..., Ended], tmp_path: Path) -> None:
    run("-l", "right", "-l", "wrong", "-c", OTHER)
    rows = results_file.load(tmp_path / "out").rows
    assert {(row.case, row.library) for row in rows} == {*product((CASE, OTHER), ("right", "wrong"))}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-l", "nobody"], 2, "Unknown library 'nobody'"),
        (["-l", "right/w"], 2, "right has no variant w"),
        (["-l", "right", "--publish", "published"], 2, "not published: only a part of the corpus was run"),
        (["-l", "wrong", "--publish", "published"], 1, "not published: something does not hold"),
        (["-l", "right", "--env", "right", "--publish", "published"], 2, "--env all"),
    ],
)
def test_refused_run_writes_nothing(
    options: list[str], code: int, message: str, run: Callable[..., Ended], tmp_path: Path
) -> None:
    done = run(*options)
    assert (done.code, message in done.err) == (code, True), done.err
    assert not (tmp_path / "published").exists()
    assert not list((tmp_path / "out").rglob("*.jsonl*"))


def test_junit_has_a_test_per_case_and_measure_and_escapes_messages(run: Callable[..., Ended], tmp_path: Path) -> None:
    done = run("-l", "right", "-l", "raising", "-l", "absent", "--junit", "out/j.xml")
    assert done.code == 1
    root = ET.parse(tmp_path / "out" / "j.xml").getroot()
    for suite in root:
        tests = list(suite.iter("testcase"))
        failed = {test.attrib["classname"] for test in tests if test.find("failure") is not None}
        counts = len(tests), len(list(suite.iter("failure")))
        assert (int(suite.attrib["tests"]), int(suite.attrib["failures"])) == counts
        assert bool(failed) == (suite.attrib["name"] == "raising")
        assert ("skipped" in {child.tag for test in tests for child in test}) or suite.attrib["name"] != "absent"
    assert any("no <b>| value" in (failure.text or "") for failure in root.iter("failure"))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "no &lt;b&gt;\\| value" in page
    assert "<b>" not in page


CHANGES: dict[str, Callable[[Path, Path], object]] = {
    "sheet": lambda own, _: (own / "right.toml").write_text(SHEET.format(name="right") + "# changed\n"),
    "results": lambda _, out: (out / "results" / "right.jsonl").unlink(missing_ok=True),
    "page": lambda _, out: (out / "report.md").write_text("another"),
    "results of another run": lambda _, out: (out / "results" / "other.jsonl").write_bytes(
        (out / "results" / "right.jsonl").read_bytes()
    ),
    "store": lambda own, _: [path.unlink() for path in (own.parent / "store").glob("right-*")],
    "note": lambda own, _: [path.write_text("{}") for path in (own.parent / "store" / "runs").glob("*.json")],
    "adapter": lambda own, _: write_library(own, "right", like="wrong"),
}


def test_changed_input_or_output_is_run_again(run: Callable[..., Ended], own: Path, tmp_path: Path) -> None:
    run("-l", "right")
    assert "unchanged" in run("-l", "right").out
    for what, change in CHANGES.items():
        change(own, tmp_path / "out")
        done = run("-l", "right")
        assert "unchanged" not in done.out, f"nothing was run again after a change of the {what}"
        assert done.code == int(what == "adapter"), done.err
        assert "right" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
        assert {row.library for row in results_file.load(tmp_path / "out").rows} == {"right"}
        assert what == "adapter" or "unchanged" in run("-l", "right").out


@pytest.mark.parametrize("options", [["-c", OTHER], ["-m", "AP"], ["--fresh"], ["-l", "wrong"]])
def test_last_run_is_reused_only_for_the_same_options(options: list[str], run: Callable[..., Ended]) -> None:
    run("-l", "right")
    assert "unchanged" not in run("-l", "right", *options).out


def test_probe_reports_what_values_depend_on(own: Path, tmp_path: Path) -> None:
    probing = partial(typed_commands.rankproof, "run", "--probe", "--adapters", own, "-m", "RR", cwd=tmp_path)
    done = probing("-l", "wavering")
    assert (done.code, len(done.out.splitlines()) <= 12) == (0, True)
    assert done.out.startswith("1 library probed: ")
    assert " depends" in done.out
    assert "qrels " in probing("-l", "wavering", "--details").out
    assert json.loads(probing("-l", "wavering", "--json").out)["findings"]
    failed = probing("-l", "failing", "--publish", "published")
    assert (failed.code, "failing did not run: " in failed.out) == (3, True)
    assert not (tmp_path / "published").exists()
    assert probing("-l", "right", "--publish", "published").code == 0
    assert [path.name for path in (tmp_path / "published").iterdir()] == ["probes.json"]


def test_variant_runs_alone(tmp_path: Path) -> None:
    done = typed_commands.rankproof("run", "-l", "sklearn/app*", "-c", "labels/empty", "-c", CASE, cwd=tmp_path)
    assert done.code == 0, "the exceptions of other variants do not matter"
    results = results_file.load(tmp_path / "out")
    assert {row.variant for row in results.rows} == {"appended"}
