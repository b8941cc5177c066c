"""The pytest plugin: a project declares claims in its pyproject.toml, and gets a test a case."""

import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
FUNCTIONS = Path(__file__).resolve().parent / "functions" / "metrics_to_check.py"
CLAIM = """
[[tool.rankproof.check]]
function = "metrics_to_check:{function}"
measure = "{measure}"
profile = "{profile}"
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with one test and some metrics."""
    shutil.copy(FUNCTIONS, pytester.path / "metrics_to_check.py")
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    return pytester


def claim(project: pytest.Pytester, function: str, *, measure: str = "nDCG@10", profile: str = "standard") -> None:
    project.makepyprojecttoml(CLAIM.format(function=function, measure=measure, profile=profile))


def test_a_claim_that_holds_is_a_passed_test_a_case(project: pytest.Pytester) -> None:
    claim(project, "ndcg", profile="standard ties=input")
    result = project.runpytest_subprocess("-v", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*rankproof::metrics_to_check:ndcg[[]ties/straddles-cutoff[]] PASSED*"])
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}
    assert outcomes["passed"] > 100


def test_one_that_does_not_fails_by_a_sentence(project: pytest.Pytester) -> None:
    claim(project, "ndcg")
    result = project.runpytest_subprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["ndcg does not follow standard: on ties/*where standard gives*", "from metrics_to_check import ndcg"]
    )
    assert "checking.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (("tests",), True), (("tests/test_own.py",), False), (("tests/test_own.py::test_own",), False),
        (("-p", "no:rankproof"), False),
    ],
)  # fmt: skip
def test_claims_run_with_the_project_or_a_folder_of_it(
    project: pytest.Pytester, arguments: tuple[str, ...], asked: bool  # noqa: FBT001 - a parameter of a test
) -> None:  # fmt: skip
    claim(project, "precision", measure="P@5")
    result = project.runpytest_subprocess("--collect-only", "-q", *arguments)
    assert ("rankproof::metrics_to_check:precision[" in result.stdout.str()) is asked
    assert "test_own" in result.stdout.str()


def test_claims_are_chosen_by_their_names(project: pytest.Pytester) -> None:
    claim(project, "ndcg", profile="ties=input")
    result = project.runpytest_subprocess("-k", "straddles-cutoff", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, deselected=result.parseoutcomes()["deselected"])


@pytest.mark.parametrize(
    ("claimed", "fault"),
    [
        ({"function": "ndgc"}, "metrics_to_check has no ndgc"),
        ({"function": "ndcg", "measure": "nDGC@10"}, "nDGC@10 is no measure"),
        ({"function": "ndcg", "profile": "ties=none"}, "ties=none is no convention"),
    ],
)
def test_what_cannot_be_asked_is_a_failed_test_that_names_its_place(
    project: pytest.Pytester, claimed: dict[str, str], fault: str
) -> None:
    claim(project, **claimed)
    result = project.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"pyproject.toml, tool.rankproof.check[[]0[]]: *{fault}*"])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('[[tool.rankproof.check]]\nfunction = "m:f"', "tool.rankproof.check[[]0[]]: measure is missing"),
        (
            '[[tool.rankproof.check]]\nfunction = "m:f"\nmeasure = 3',
            "tool.rankproof.check[[]0[]]: measure = 3 is no text",
        ),
        (
            '[[tool.rankproof.check]]\nprofil = "x"',
            "tool.rankproof.check[[]0[]]: profil is no key; the keys are function, *",
        ),
        ("[tool.rankproof]\ncheck = 3", "tool.rankproof.check is no array of tables"),
        ('[tool.rankproof]\ncheck = ["m:f"]', "tool.rankproof.check[[]0[]]: 'm:f' is no table"),
        ("[tool.rankproof]\nchecks = []", "tool.rankproof.checks is no key"),
        ("[tool]\nrankproof = 1\n# tool.rankproof", "tool.rankproof is no table"),
    ],
)
def test_an_entry_that_is_no_claim_is_a_fault_of_usage(project: pytest.Pytester, written: str, fault: str) -> None:
    project.makepyprojecttoml(written)
    result = project.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*pyproject.toml: {fault}; write [[][[]tool.rankproof.check]]*"])


def test_a_project_that_declares_nothing_pays_nothing(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.other]\n")
    seen = (
        "import sys\n\ndef test_light():\n"
        "    loaded = {m for m in sys.modules if m[:10] == 'rankproof.'}\n"
        "    assert loaded == {f'rankproof.{m}' for m in ('version', 'checking', 'checking.pytest_plugin')}\n"
    )
    (project.path / "tests" / "test_light.py").write_text(seen, encoding="utf-8")
    result = project.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
