"""The pytest plugin: each function that a project declares in its pyproject.toml is a test.

Except in one test, the inner pytest runs in this process and functions are checked on few cases; the tests of `check` use all of them.
"""

import shutil
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof import pytest_plugin
from rankproof.cases import Case

pytest_plugins = ["pytester"]
FUNCTIONS = Path(__file__).resolve().parent / "functions" / "metrics_to_check.py"
METRICS = FUNCTIONS.name
TOPICS = ("gain/l", "gain/rel-", "ties/s")
CLAIM = """
[[tool.rankproof.check]]
file = "{file}"
call = "{call}"
measure = "{measure}"
"""
NDCG, PRECISION = "ndcg(y_true, y_score, k)", "precision(rels, k)"


def few() -> tuple[Case, ...]:
    """Cases of large grades, and some of ties."""
    return tuple(case for case in corpus.load_all() if case.id.startswith(TOPICS))


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one test and some metrics, without the plugin of hypothesis, which is slow to import."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")
    cases = few()
    monkeypatch.setattr(corpus, "load_all", lambda: cases)
    shutil.copy(FUNCTIONS, pytester.path / METRICS)
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    return pytester


def claim(call: str, measure: str, file: str = METRICS, **options: str | bool) -> str:
    """Return the entry of a function."""
    values = {
        key: "true" if value is True else "false" if value is False else f'"{value}"' for key, value in options.items()
    }
    lines = "".join(f"{key} = {value}\n" for key, value in values.items())
    return CLAIM.format(file=file, call=call, measure=measure) + lines


def test_a_claim_that_holds_is_a_passed_test(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(claim(NDCG, "nDCG@10", profile="standard ties=input"))
    result = project.runpytest_subprocess("-v", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines([f"*rankproof::{METRICS}:ndcg[[]nDCG@10[]] PASSED*"])
    result.assert_outcomes(passed=2)


def test_a_claim_that_does_not_hold_is_a_failed_test_with_the_output_of_check(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(claim("discount_from_rank_two(y_true, y_score, k)", "nDCG@10"))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["discount_from_rank_two is not nDCG@10: *", "  Add to your tests *", "  More *--details"]
    )
    assert "checking.py" not in result.stdout.str()


def test_profile_and_strict_decide_which_conventions_are_accepted(project: pytest.Pytester) -> None:
    options: list[tuple[dict[str, str | bool], str]] = [
        ({}, "PASSED"),
        ({"strict": False}, "PASSED"),
        ({"strict": True}, "FAILED"),
        ({"profile": "standard"}, "FAILED"),
        ({"profile": "gain=exp ties=input"}, "PASSED"),
        ({"profile": "gain=exp ties=input", "strict": True}, "PASSED"),
    ]
    entries = [
        claim("exponential(y_true, y_score, k)", f"nDCG@{k}", **given) for k, (given, _) in enumerate(options, start=1)
    ]
    project.makepyprojecttoml("".join(entries))
    result = project.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    for k, (_, outcome) in enumerate(options, start=1):
        result.stdout.fnmatch_lines([f"*exponential[[]nDCG@{k}[]] {outcome}*"])


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (("tests",), True),
        (("tests", "tests/test_own.py"), True),
        (("tests/test_own.py",), False),
        (("tests/test_own.py::test_own",), False),
        (("-p", "no:rankproof"), False),
    ],
)
def test_claims_run_with_the_project_or_a_folder_of_it(
    project: pytest.Pytester,
    arguments: tuple[str, ...],
    asked: bool,  # noqa: FBT001 - a parameter of a test
) -> None:
    project.makepyprojecttoml(claim(PRECISION, "P@5"))
    result = project.runpytest_inprocess("--collect-only", "-q", *arguments)
    assert (f"rankproof::{METRICS}:precision[P@5]" in result.stdout.str()) is asked
    assert "test_own" in result.stdout.str()


def test_the_module_of_the_project_is_checked_though_another_with_its_name_is_on_the_path(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.path / "metrics_of_mine.py").write_text("from metrics_to_check import precision\n", encoding="utf-8")
    other = project.mkdir("elsewhere")
    (other / "metrics_of_mine.py").write_text("def precision(rels, k):\n    return 2.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(other)
    files = ("metrics_of_mine", "metrics_of_mine.py")
    project.makepyprojecttoml("".join(claim(PRECISION, "P@5", file) for file in files))
    project.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


def test_a_file_is_found_from_the_folder_of_the_project(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.mkdir("lib")
    (project.path / METRICS).rename(folder / METRICS)
    project.makepyprojecttoml(claim(PRECISION, "P@5", f"lib/{METRICS}"))
    monkeypatch.chdir(project.path / "tests")
    arguments = ("--rootdir", str(project.path), str(project.path), "-p", "no:cacheprovider")
    project.runpytest_inprocess(*arguments).assert_outcomes(passed=2)


def test_claims_are_chosen_by_their_names(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(claim(PRECISION, "P@5"))
    result = project.runpytest_inprocess("-k", f"{METRICS}:precision", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, deselected=1)


def test_what_cannot_be_checked_is_a_failed_test_that_names_its_place(project: pytest.Pytester) -> None:
    faults = {
        f"*{METRICS} does not define ndgc.*": claim("ndgc(rels)", "nDCG@10"),
        "*nDGC@10 is no measure*": claim(NDCG, "nDGC@10"),
        "*ties=none is no convention*": claim(NDCG, "nDCG@10", profile="ties=none"),
        "*none.py does not exist.*": claim(NDCG, "nDCG@10", "none.py"),
        "*not a Python expression*": claim("ndcg(", "nDCG@10"),
    }
    project.makepyprojecttoml("".join(faults.values()))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=len(faults))
    for i, fault in enumerate(faults):
        result.stdout.fnmatch_lines([f"pyproject.toml, tool.rankproof.check[[]{i}[]]: {fault}"])
    assert "Traceback" not in result.stdout.str()


ENTRY = '[[tool.rankproof.check]]\nfile = "m.py"\ncall = "f(rels)"\nmeasure = "P"\n'


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        (ENTRY.replace("file =", "profile ="), "tool.rankproof.check[0]: Object missing required field `file`"),
        (f"{ENTRY}\n[[tool.rankproof.check]]\nfile = 'm.py'", "tool.rankproof.check[1]: Object missing required field"),
        (f'{ENTRY}strict = "on"', "tool.rankproof.check[0]: Expected `bool`, got `str` - at `$.strict`"),
        (f'{ENTRY}budget = "soon"', "tool.rankproof.check[0]: Expected `float`, got `str` - at `$.budget`"),
        (ENTRY.replace('"P"', "3"), "tool.rankproof.check[0]: Expected `str`, got `int` - at `$.measure`"),
        (
            f'{ENTRY}profil = "x"',
            f"tool.rankproof.check[0]: unknown key profil; the keys are {', '.join(pytest_plugin.KEYS)};",
        ),
        (f'{ENTRY}"\\u001b[2J" = "x"', "tool.rankproof.check[0]: unknown key \\x1b[2J"),
        ("[tool.rankproof]\ncheck = 3", "Expected `array`, got `int`"),
        ('[tool.rankproof]\ncheck = ["f(rels)"]', "Expected `object`, got `str`"),
        ("[tool.rankproof]\nchecks = []", "unknown key tool.rankproof.checks"),
        ("[tool]\nrankproof = 1", "Expected `object`, got `int`"),
        ("[[tool.rankproof.check]\n", "Expected "),
        ("rankproof = " + "[" * 9_000, ""),
        (b"[tool.other]\nname = 'caf\xe9'\n[[tool.rankproof.check]]", "'utf-8' codec can't decode byte"),
    ],
)
def test_wrong_declaration_is_a_usage_error_of_one_line(tmp_path: Path, written: str | bytes, fault: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    with pytest.raises(pytest.UsageError) as raised:
        pytest_plugin._declared(path)
    assert str(raised.value).startswith(f"{path}: {fault}")
    assert str(raised.value).endswith(f"; {pytest_plugin.EXAMPLE}")
    assert "\n" not in str(raised.value)


def test_declaration_may_have_every_key(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f'{ENTRY}profile = "standard"\nstrict = true\nbudget = 123456\n', encoding="utf-8")
    assert pytest_plugin._declared(path) == [
        pytest_plugin.Declaration("m.py", "f(rels)", "P", "standard", strict=True, budget=123456.0)
    ]


def test_a_file_that_cannot_be_read_is_a_fault_of_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(pytest.UsageError, match=r"pyproject.toml cannot be read: Permission denied$"):
        pytest_plugin._declared(tmp_path / "pyproject.toml")


def test_what_is_no_matter_of_rankproof_is_none_of_its_business(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    assert pytest_plugin._declared(path) == []
    for written in (b"caf\xe9", b"[[tool.other", b"tool = 'rankproof'", b"[project]\ndependencies = ['rankproof']"):
        path.write_bytes(written)
        assert pytest_plugin._declared(path) == []


def test_a_fault_of_usage_is_one_line(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.rankproof]\ncheck = 3")
    result = project.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = [line for line in result.stderr.lines if line]
    assert len(said) == 1
    place = project.path / "pyproject.toml"
    assert said[0].startswith(f"ERROR: {place}: Expected `array`, got `int`")


def test_a_function_that_ends_its_process_fails_its_tests_and_nothing_else(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_cases = few()[6:8]  # each call ends a process
    monkeypatch.setattr(corpus, "load_all", lambda: few_cases)
    monkeypatch.setenv("RANKPROOF_STRANGERS_NOTES", str(project.path))
    shutil.copy(FUNCTIONS.parent / "strangers.py", project.path / "strangers.py")
    names = ("exits_with_zero", "exits_at_once")
    project.makepyprojecttoml("".join(claim(f"{name}(rels, k)", "P@5", "strangers.py") for name in names))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines([f"{name} is not P@5: its process ended with exit code 0." for name in names])
    assert "Traceback" not in result.stdout.str()


def test_a_project_that_declares_nothing_pays_nothing(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.other]\n")
    seen = (
        "import sys\n\ndef test_light():\n"
        "    loaded = {m for m in sys.modules if m[:10] == 'rankproof.'}\n"
        "    assert loaded == {'rankproof.version', 'rankproof.pytest_plugin'}\n"
    )
    (project.path / "tests" / "test_light.py").write_text(seen, encoding="utf-8")
    result = project.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
