"""What all tests share: one run of the libraries over what the selected tests need, and what is told of it."""

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
"""The plugin of Hypothesis, as pytest finds it, or as it is named."""
RARELY = (1_000_000, 20, 100)
"""How often what is garbage is looked for: the tests keep much, and little of it is."""
# Hundreds of interpreters are started: what one has compiled is there for the next, also where the environment says otherwise.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Started in the background by a shell, or under nohup, a process ignores SIGINT, and so does all that it starts: the tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


EARLY = ("test_function_worker.py", "test_process.py", "test_interruption.py", "test_programs.py")
"""Files of tests that fork their process, which is cheap while it is small, or that wait for other processes."""
EXAMPLES = 25
"""How many inputs Hypothesis draws for each property."""


def register_profiles() -> None:
    """Register the settings of Hypothesis."""
    from hypothesis import HealthCheck, settings  # what has no law need not import it, which takes seconds

    # How long a law takes, or what it is tried on takes to be drawn, depends on what else runs, and is no part of it.
    # Of its own profiles the one for CI would take a hundred inputs; what it is good for is kept: a commit passes, or it does not.
    usual = settings.get_profile("default")
    settings.register_profile(
        "patient",
        usual,
        deadline=None,
        max_examples=EXAMPLES,
        derandomize=bool(os.environ.get("CI")),
        suppress_health_check=[HealthCheck.too_slow],
    )
    # For the tests of the reference under coverage: they are run whole elsewhere, and here reach every branch, always by the same inputs.
    settings.register_profile("few", max_examples=3, deadline=None, derandomize=True)
    if settings.get_current_profile_name() in {"default", "ci"}:
        settings.load_profile("patient")


@pytest.fixture(scope="session")
def common(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the processes of one test run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture(scope="session", autouse=True)
def own_store(common: Path) -> Iterator[None]:
    """A store of the tests, so that no test reads values that another checkout observed."""
    with pytest.MonkeyPatch.context() as patch:
        if "RANKPROOF_TREC_EVAL" not in os.environ and (installed := programs() / "trec_eval").exists():
            patch.setenv("RANKPROOF_TREC_EVAL", str(installed))
        patch.setenv(CACHE, str(common / "store"))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """What a test lets happen on a signal ends with it."""
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
    """Run every installed library on every case; a test that requests this fixture selects them all."""
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
    """The wheel, built from the source distribution as a release is."""
    out = tmp_path_factory.mktemp("dist")
    here = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(here)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that lists all values of libraries that are not those of `standard`."""
    parser.addoption("--disagreements", action="store_true", help="list every disagreement of a library with standard")


def pytest_terminal_summary(terminalreporter: object) -> None:
    """Write a line about each library."""
    library_report.write(terminalreporter)


def pytest_configure(config: pytest.Config) -> None:
    """Where other processes are to select the tests, what they need is looked for here."""
    gc.set_threshold(*RARELY)
    config.addinivalue_line("markers", "release: run before a release, by `pytest -m release`")
    if any(config.pluginmanager.hasplugin(name) for name in LAWS):
        register_profiles()


def pytest_collection_finish() -> None:
    """Exclude the tests themselves from garbage collection, as all of them are kept to the end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what forks or waits, and then the tests that need the run of all libraries."""
    items.sort(key=lambda item: (item.path.name not in EARLY, "selected_run" not in getattr(item, "fixturenames", ())))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Clear what was left open in each of several processes."""
    if hasattr(session.config, "workerinput"):
        gc.collect()
        gc.freeze()  # pytest itself would collect ten times
