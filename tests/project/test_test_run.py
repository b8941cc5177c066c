"""How the tests themselves are run: in groups, with a browser, and each question asked once."""

import subprocess
import sys
from pathlib import Path

import browsers
import pytest
import test_groups

from rankproof.cases import load_all
from rankproof.workers.known_libraries import chosen, libraries
from rankproof.workers.rounds import AskingOptions, ask


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/judge/test_probing.py::test_a[a::b]", "test_probes.py"),
        ("test_probes.py::test_b", "test_probes.py"),
        ("tests/site/test_site.py::test_a_page[a::b]", "the published run"),
        ("tests/libraries/test_every_case.py::test_every_answer_holds[catboost-ties/x]", "the whole run"),
        ("tests/libraries/test_network.py::test_the_whole_main_job", "the whole run"),
        ("tests/test_cli.py::test_other", "test_cli.py::test_other"),
        ("tests/project/test_style.py::test_ruff_finds_nothing", "test_style.py::test_ruff_finds_nothing"),
        ("tests/reference_impl/test_exact.py::test_ln[a::b[c]]", "test_exact.py::test_ln"),
    ],
)
def test_what_shares_something_costly_is_one_group(nodeid: str, group: str) -> None:
    assert test_groups.group_of(nodeid) == group


@pytest.mark.parametrize("beginning", [name for names in test_groups.TOGETHER.values() for name in names])
def test_every_group_is_of_files_that_are_there(beginning: str, request: pytest.FixtureRequest) -> None:
    file, _, test = beginning.partition("::")
    text = (request.config.rootpath / "tests" / file).read_text(encoding="utf-8")
    assert f"def {test}" in text


PAGES = """
import pytest

@pytest.fixture
def browser():
    raise AssertionError("there is none")

def test_one(browser): pass
def test_two(browser): pass
def test_three(browser): pass
def test_other(): pass
"""


@pytest.mark.parametrize(("demanded", "code"), [(False, 0), (True, 4)])
def test_tests_of_pages_without_a_browser_are_skipped_or_refused(
    *, demanded: bool, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_pages.py").write_text(PAGES)
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent.parent)!r})\n"
        "import browsers; browsers.chromium = lambda: None\n"
        "from importlib.util import module_from_spec, spec_from_file_location\n"
        f"spec = spec_from_file_location('ours', {str(Path(__file__).with_name('conftest.py'))!r})\n"
        "ours = module_from_spec(spec); spec.loader.exec_module(ours)\n"
        "globals().update({name: hook for name, hook in vars(ours).items() if name.startswith(('pytest_', 'own', 'common'))})\n"
    )
    monkeypatch.delenv(browsers.DEMANDED, raising=False)
    if demanded:
        monkeypatch.setenv(browsers.DEMANDED, "true")
    command = ["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    if demanded:
        assert f"{browsers.ABSENT}; as CI is set, they are not left out" in done.stderr
    else:
        assert browsers.ABSENT in done.stdout
        assert done.stdout.splitlines()[-1].startswith("1 passed, 3 skipped in ")


def test_what_was_asked_once_is_never_taken_for_what_was_asked_twice() -> None:
    (library,) = chosen(("pytrec_eval",), libraries())
    cases = [case for case in load_all() if case.id == "ties/straddles-cutoff"]
    once, twice = (ask(library, cases, AskingOptions(fresh=True, once=once)) for once in (True, False))
    assert once.key != twice.key
    assert [seen.answer for seen in once.observations] == [seen.answer for seen in twice.observations]
    assert ask(library, cases, AskingOptions(once=True)).reused == len(once.observations)
