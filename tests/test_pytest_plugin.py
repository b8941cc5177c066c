"""The pytest plugin: each function that a project declares in its pyproject.toml is a test."""

import re
import shutil
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace

import pytest

from rankproof import declarations, pytest_plugin

pytest_plugins = ["pytester"]
FUNCTIONS = Path(__file__).resolve().parent / "functions" / "metrics_to_check.py"
METRICS = FUNCTIONS.name
CLAIM = """
[[tool.rankproof.check]]
file = "{file}"
call = "{call}"
measure = "{measure}"
"""
NDCG, PRECISION = "ndcg(y_true, y_score, k)", "precision(rels, k)"
QUICK = ("-p", "no:hypothesispytest", "-p", "no:cacheprovider")
"""Options without the plugin of Hypothesis, which is slow to import."""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a project with one test and some metrics."""
    shutil.copy(FUNCTIONS, pytester.path / METRICS)
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    return pytester


def claim(call: str, measure: str, file: str = METRICS, **options: str | bool | float) -> str:
    """Return the entry of a function."""
    values = {key: str(value).lower() if value in (True, False) else repr(value) for key, value in options.items()}
    lines = "".join(f"{key} = {value}\n" for key, value in values.items())
    return CLAIM.format(file=file, call=call, measure=measure) + lines


def test_profile_and_strict_decide_which_claims_hold_and_failures_have_the_output_of_check(
    project: pytest.Pytester,
) -> None:
    exponential = "exponential(y_true, y_score, k)"
    outcomes = {
        claim(NDCG, "nDCG@10", profile="standard ties=input", strict=True, budget=1000.5): "ndcg[[]nDCG@10[]] PASSED",
        claim(exponential, "nDCG@3", strict=False): "exponential[[]nDCG@3[]] PASSED",
        claim(exponential, "nDCG@4", strict=True): "exponential[[]nDCG@4[]] FAILED",
        claim(exponential, "nDCG@5", profile="standard"): "exponential[[]nDCG@5[]] FAILED",
    }
    project.makepyprojecttoml("".join(outcomes))
    result = project.runpytest_subprocess("-v", *QUICK)
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines([f"*rankproof::{METRICS}:{outcome}*" for outcome in outcomes.values()])
    result.stdout.fnmatch_lines(["exponential is not nDCG@5: *", "  Add to your tests *", "  More *--details"])
    assert "checking.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("arguments", "is_collected"),
    [
        (("tests",), True),
        (("tests", "tests/test_own.py"), True),
        (("tests/test_own.py",), False),
        (("tests/test_own.py::test_own",), False),
        (("-p", "no:rankproof"), False),
    ],
)
def test_claims_run_with_the_project_or_a_folder_of_it(
    project: pytest.Pytester, arguments: tuple[str, ...], *, is_collected: bool
) -> None:
    project.makepyprojecttoml(claim(PRECISION, "P@5"))
    result = project.runpytest_inprocess("--collect-only", "-q", *QUICK, *arguments)
    assert (f"rankproof::{METRICS}:precision[P@5]" in result.stdout.str()) is is_collected
    assert "test_own" in result.stdout.str()


def test_module_of_the_project_is_checked_although_another_is_on_the_path(project: pytest.Pytester) -> None:
    (project.path / "metrics_of_mine.py").write_text("from metrics_to_check import precision\n", encoding="utf-8")
    other = project.mkdir("elsewhere")
    (other / "metrics_of_mine.py").write_text("def precision(rels, k):\n    return 2.0\n", encoding="utf-8")
    files = ("metrics_of_mine", "metrics_of_mine.py")
    project.makepyprojecttoml("".join(claim(PRECISION, "P@5", file) for file in files))
    project.runpytest_inprocess("-o", "pythonpath=elsewhere", *QUICK).assert_outcomes(passed=3)


def test_file_is_found_from_the_folder_of_the_project_and_claims_are_selected_by_name(
    project: pytest.Pytester,
) -> None:
    folder = project.mkdir("lib")
    (project.path / METRICS).rename(folder / METRICS)
    project.makepyprojecttoml(claim(PRECISION, "P@5", f"lib/{METRICS}"))
    arguments = ("--rootdir", str(project.path), str(project.path), "-k", f"{METRICS}:precision", *QUICK)
    with chdir(project.path / "tests"):
        project.runpytest_inprocess(*arguments).assert_outcomes(passed=1, deselected=1)


def test_declaration_that_cannot_be_checked_fails_with_its_place(project: pytest.Pytester) -> None:
    faults = {
        f"*{METRICS} does not define ndgc.*": claim("ndgc(rels)", "nDCG@10"),
        "*Unknown measure 'nDGC@10'*": claim(NDCG, "nDGC@10"),
        "*Unknown convention ties=none.*": claim(NDCG, "nDCG@10", profile="ties=none"),
        "*none.py does not exist.*": claim(NDCG, "nDCG@10", "none.py"),
        "*not a Python expression*": claim("ndcg(", "nDCG@10"),
        "**precision did not return within the time limit*": claim(PRECISION, "P@5", budget=1e-6),
    }
    project.makepyprojecttoml("".join(faults.values()))
    result = project.runpytest_inprocess(*QUICK)
    result.assert_outcomes(passed=1, failed=len(faults))
    for i, fault in enumerate(faults):
        result.stdout.fnmatch_lines([f"pyproject.toml, tool.rankproof.check[[]{i}[]]: {fault}"])
    assert "Traceback" not in result.stdout.str()


ENTRY = '[[tool.rankproof.check]]\nfile = "m.py"\ncall = "f(rels)"\nmeasure = "P"\n'


def declare(path: Path) -> list[pytest.Item]:
    """Collect the tests of a folder with this pyproject.toml; a valid declaration would need a session."""
    items: list[pytest.Item] = []
    config = SimpleNamespace(rootpath=path.parent)
    pytest_plugin.pytest_collection_modifyitems(None, config, items)  # type: ignore[arg-type]
    return items


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (ENTRY.replace("file =", "profile ="), "tool.rankproof.check[0]: Object missing required field `file`"),
        (f"{ENTRY}\n[[tool.rankproof.check]]\nfile = 'm.py'", "tool.rankproof.check[1]: Object missing required field"),
        (f'{ENTRY}strict = "on"', "tool.rankproof.check[0]: Expected `bool`, got `str` - at `$.strict`"),
        (
            f'{ENTRY}profil = "x"',
            f"tool.rankproof.check[0]: unknown key profil; the keys are {', '.join(declarations.KEYS)};",
        ),
        (f'{ENTRY}"\\u001b[2J" = "x"', "tool.rankproof.check[0]: unknown key \\x1b[2J"),
        ("[tool.rankproof]\ncheck = 3", "Expected `array`, got `int`"),
        ('[tool.rankproof]\ncheck = ["f(rels)"]', "Expected `object`, got `str`"),
        ("[tool.rankproof]\nchecks = []", "unknown key tool.rankproof.checks"),
        ("[tool]\nrankproof = 1", "Expected `object`, got `int`"),
        ("[[tool.rankproof.check]\n", "not TOML: Expected "),
        ("rankproof = " + "[" * 9_000, "nested too deep"),
        (b"[tool.other]\nname = 'caf\xe9'\n[[tool.rankproof.check]]", "not UTF-8: invalid continuation byte"),
    ],
)
def test_wrong_declaration_is_a_usage_error_of_one_line(tmp_path: Path, written: str | bytes, fault: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    with pytest.raises(pytest.UsageError) as raised:
        declare(path)
    assert re.sub(r":\d+:", ":", str(raised.value), count=1).startswith(f"{path}: {fault}")
    assert str(raised.value).endswith(f"; {declarations.EXAMPLE}")
    assert "\n" not in str(raised.value)


def test_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.symlink_to(path)
    with pytest.raises(pytest.UsageError, match=r"pyproject.toml cannot be read: Too many levels of symbolic links$"):
        declare(path)


def test_project_that_does_not_mention_rankproof_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    assert declare(path) == []
    for written in (b"caf\xe9", b"[[tool.other", b"tool = 'rankproof'", b"[project]\ndependencies = ['rankproof']"):
        path.write_bytes(written)
        assert declare(path) == []


def test_usage_error_is_one_line(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.rankproof]\ncheck = 3")
    result = project.runpytest_inprocess(*QUICK)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = (line for line in result.stderr.lines if line)
    assert line.startswith(f"ERROR: {project.path / 'pyproject.toml'}: Expected `array`, got `int`")


def test_function_that_ends_its_process_fails_its_test_and_nothing_else(project: pytest.Pytester) -> None:
    shutil.copy(FUNCTIONS.parent / "strangers.py", project.path / "strangers.py")
    project.makepyprojecttoml(claim("exits_with_zero(rels, k)", "P@5", "strangers.py"))
    result = project.runpytest_inprocess(*QUICK)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["exits_with_zero is not P@5: its process ended with exit code 0."])
    assert "Traceback" not in result.stdout.str()


def test_project_without_declarations_imports_little_of_rankproof(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.other]\n")
    light = (
        "import sys\n\ndef test_light():\n"
        "    loaded = {m for m in sys.modules if m[:10] == 'rankproof.'}\n"
        "    assert not loaded & {'rankproof.documents', 'rankproof.check', 'rankproof.codec', 'rankproof.reference_impl.ranking'}\n"
    )
    (project.path / "tests" / "test_light.py").write_text(light, encoding="utf-8")
    project.runpytest_subprocess(*QUICK).assert_outcomes(passed=2)
