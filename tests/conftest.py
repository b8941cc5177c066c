"""What all tests share: the corpus, and one run of all libraries over all of it."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.files import CACHE, programs
from rankproof.running import Run, run
from rankproof.sheets import libraries


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A store of the tests' own: what they see was observed by them, and by the commands that they run."""
    with pytest.MonkeyPatch.context() as patch:
        if "RANKPROOF_TREC_EVAL" not in os.environ and (installed := programs() / "trec_eval").exists():
            patch.setenv("RANKPROOF_TREC_EVAL", str(installed))
        patch.setenv(CACHE, str(tmp_path_factory.mktemp("store")))
        yield


@pytest.fixture(scope="session")
def whole_run(own_store: None) -> Run:  # noqa: ARG001 - it is to be there first
    """Every installed library, asked every case, once for all tests."""
    return run(corpus.load_all(), libraries())


@pytest.fixture(scope="session")
def rows_by_place(whole_run: Run) -> Mapping[tuple[str, str], list]:
    """The judged rows of each case and library."""
    found: dict[tuple[str, str], list] = {}
    for row in whole_run.rows:
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where each library agrees and where it differs, after the tests that asked them."""
    lines = [line for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
             for name, line in report.user_properties if name == "tally"]  # fmt: skip
    if lines:
        terminalreporter.section("where the libraries agree and differ")
        for line in lines:
            terminalreporter.write_line(line)
