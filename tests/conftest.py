"""Shared fixtures of all tests: one run of the libraries, on the cases that the selected tests need, and its summary."""

import gc
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import library_report
import pytest
import shared_run

from rankproof.files import CACHE, programs
from rankproof.judge.runs import Run

LAWS = ("hypothesispytest", "_hypothesis_pytestplugin")
"""Hypothesis's plugin by its names in pytest."""
RARELY = (1_000_000, 20, 100)
"""Thresholds of garbage collection: high, because the tests keep most objects and little becomes garbage."""
# Tests start hundreds of interpreters; compiled files save each of them time, so this ignores PYTHONDONTWRITEBYTECODE.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# In the background of a shell or under nohup, a process and its children ignore SIGINT, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


EARLY = ("test_function_worker.py", "test_process.py", "test_interruption.py", "test_programs.py")
"""Test files that fork this process, which is faster while it is small, or that wait for other processes."""
EXAMPLES = 25
"""Number of inputs that Hypothesis draws for each property."""


def register_profiles() -> None:
    """Register the settings of Hypothesis."""
    from hypothesis import HealthCheck, settings  # takes seconds, and tests without properties need no Hypothesis

    # The time of a property depends on other processes, so a deadline would fail at random.
    # Hypothesis's own profile for CI draws a hundred inputs; this profile only fixes the inputs as well.
    usual = settings.get_profile("default")
    settings.register_profile(
        "patient",
        usual,
        deadline=None,
        max_examples=EXAMPLES,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[HealthCheck.too_slow],
    )
    # For the coverage of the reference: few inputs, always the same, reach every branch; other runs have more inputs.
    settings.register_profile("few", max_examples=3, deadline=None, derandomize=True)
    if settings.get_current_profile_name() in {"default", "ci"}:
        settings.load_profile("patient")


@pytest.fixture(scope="session")
def common(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of a test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture(scope="session", autouse=True)
def own_store(common: Path) -> Iterator[None]:
    """Set a store for the tests, so that no test reads values from another checkout."""
    with pytest.MonkeyPatch.context() as patch:
        if "RANKPROOF_TREC_EVAL" not in os.environ and (installed := programs() / "trec_eval").exists():
            patch.setenv("RANKPROOF_TREC_EVAL", str(installed))
        patch.setenv(CACHE, str(common / "store"))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Restore the signal handlers after each test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    told = yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
    return told


@pytest.fixture(scope="session")
def selected_run(request: pytest.FixtureRequest, common: Path) -> Run:
    """Run the installed libraries once for all processes, on the cases of the selected tests."""
    return shared_run.run_once(shared_run.needed(request.session.items), common / "run.pickle")


@pytest.fixture(scope="session")
def whole_run(selected_run: Run) -> Run:
    """Run every installed library on every case, for any test that requests this fixture."""
    return selected_run


@pytest.fixture(scope="session")
def rows_by_place(selected_run: Run) -> Mapping[tuple[str, str], list]:
    """Return the judged rows of each case and library."""
    rows: dict[tuple[str, str], list] = {}
    for row in selected_run.rows:
        rows.setdefault((row.case, row.library), []).append(row)
    return rows


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Return the wheel, built from the source distribution like a release."""
    out = tmp_path_factory.mktemp("dist")
    here = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(here)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that lists all values that differ from `standard`."""
    parser.addoption("--disagreements", action="store_true", help="list every disagreement of a library with standard")


def pytest_terminal_summary(terminalreporter: object) -> None:
    """Print a line about each library."""
    library_report.write(terminalreporter)


def pytest_configure(config: pytest.Config) -> None:
    """Set garbage collection, markers and the settings of Hypothesis."""
    gc.set_threshold(*RARELY)
    config.addinivalue_line("markers", "release: run before a release, by `pytest -m release`")
    if any(config.pluginmanager.hasplugin(name) for name in LAWS):
        register_profiles()


def pytest_collection_finish() -> None:
    """Exclude the tests from garbage collection, because all of them exist until the end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort tests that fork or wait first, and then tests that need the run of all libraries."""
    items.sort(key=lambda item: (item.path.name not in EARLY, "selected_run" not in getattr(item, "fixturenames", ())))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Collect garbage once at the end of each worker process."""
    if hasattr(session.config, "workerinput"):
        gc.collect()
        gc.freeze()  # otherwise pytest would collect ten times
