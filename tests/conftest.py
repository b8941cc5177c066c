"""What all tests share: one run of the libraries over what the selected tests need, and what is told of it."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import reporting

from rankproof.files import CACHE, programs
from rankproof.judging.runs import Run

FOUND = pytest.StashKey[tuple[Run, dict[str, set[str]]]]()
"""What was found, and what of it the selected tests of the libraries are about."""


@pytest.fixture(scope="session", autouse=True)
def own_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], object]]:
    """A store of the tests' own: what they see was observed by them, and by the commands that they run.

    It gives what waits for all that is asked ahead.
    """
    with pytest.MonkeyPatch.context() as patch:
        if "RANKPROOF_TREC_EVAL" not in os.environ and (installed := programs() / "trec_eval").exists():
            patch.setenv("RANKPROOF_TREC_EVAL", str(installed))
        patch.setenv(CACHE, str(tmp_path_factory.mktemp("store")))
        with reporting.asked_ahead(request.session.items, tmp_path_factory.mktemp("ahead")) as wait:
            yield wait


@pytest.fixture(scope="session")
def selected_run(request: pytest.FixtureRequest, own_store: Callable[[], object]) -> Run:
    """What the libraries answer to all that the selected tests need, asked once."""
    own_store()
    found = reporting.run(reporting.needed(request.session.items))
    request.config.stash[FOUND] = found, reporting.selected(request.session.items)
    return found


@pytest.fixture(scope="session")
def whole_run(selected_run: Run) -> Run:
    """Every installed library, asked every case: a test that has this among its fixtures makes that what is needed."""
    return selected_run


@pytest.fixture(scope="session")
def rows_by_place(selected_run: Run) -> Mapping[tuple[str, str], list]:
    """The judged rows of each case and library."""
    found: dict[tuple[str, str], list] = {}
    for row in selected_run.rows:
        found.setdefault((row.case, row.library), []).append(row)
    return found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from the source distribution as a release is."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            "--outdir",
            str(out),
            str(Path(__file__).resolve().parent.parent),
        ],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def pytest_report_teststatus(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str, str] | None:
    """The verdict in the line of a test, and outcomes of their own where nothing was judged."""
    return reporting.status(report)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say where each library agrees and where it differs, after the tests that asked them."""
    if FOUND not in config.stash or not config.stash[FOUND][1]:
        return
    terminalreporter.section("where the libraries agree and differ")
    for line in reporting.summary(*config.stash[FOUND]):
        terminalreporter.write_line(line)
