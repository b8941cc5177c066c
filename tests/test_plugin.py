"""The pytest plugin: a project declares claims in its pyproject.toml, and gets a test for each.

But for one run as a person starts it, the inner pytest runs in this process, and functions are asked a few cases: that `examine` asks
all of them is tried by the tests of `check`.
"""

import contextlib
import shutil
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.checking import examining, pytest_plugin
from rankproof.isolating.limits import Limits

pytest_plugins = ["pytester"]
FUNCTIONS = Path(__file__).resolve().parent / "functions" / "metrics_to_check.py"
sys.path.insert(0, str(FUNCTIONS.parent))

TOPICS = ("gain/l", "gain/rel-", "ties/s")
CLAIM = """
[[tool.rankproof.check]]
function = "metrics_to_check:{function}"
measure = "{measure}"
profile = "{profile}"
"""


def few() -> tuple[Case, ...]:
    """Cases of large rels, and some of ties."""
    return tuple(case for case in corpus.load_all() if case.id.startswith(TOPICS))


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one test and some metrics; not with the plugin of hypothesis, which has nothing to do there and is slow to import."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")
    monkeypatch.setattr(examining, "whole_corpus", few)
    shutil.copy(FUNCTIONS, pytester.path / "metrics_to_check.py")
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n", encoding="utf-8")
    return pytester


def claim(project: pytest.Pytester, function: str, *, measure: str = "nDCG@10", profile: str = "standard") -> None:
    project.makepyprojecttoml(CLAIM.format(function=function, measure=measure, profile=profile))


@pytest.mark.in_turn
def test_a_claim_that_holds_is_a_passed_test(project: pytest.Pytester) -> None:
    claim(project, "ndcg", profile="standard ties=input")
    result = project.runpytest_subprocess("-v", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*rankproof::metrics_to_check:ndcg[[]nDCG@10[]] PASSED*"])
    result.assert_outcomes(passed=2)


@pytest.mark.in_turn
def test_one_that_does_not_fails_once_and_says_what_to_declare(project: pytest.Pytester) -> None:
    claim(project, "ndcg")
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "ndcg does not follow standard: on ties/*where standard gives*; it follows ties=input: declare it, as profile='ties=input'.",
            "from metrics_to_check import ndcg",
        ]
    )
    assert "checking.py" not in result.stdout.str()


@pytest.mark.in_turn
def test_extreme_input_decides_where_that_is_wanted_and_assumptions_spare_it(project: pytest.Pytester) -> None:
    entries = {
        "": "PASSED",
        'strict = "yes"\n': "FAILED",
        'strict = "yes"\nassume = "small"\n': "PASSED",
        'assume = "tiny"\n': "FAILED",
        'strict = "no"\n': "PASSED",
    }
    exponential = 'function="metrics_to_check:exponential"\nprofile="gain=exp ties=input"\n'
    project.makepyprojecttoml(
        "".join(
            f'[[tool.rankproof.check]]\nmeasure="nDCG@{k}"\n{exponential}{more}'
            for k, more in enumerate(entries, start=1)
        )
    )
    result = project.runpytest_inprocess("-v", "-p", "no:cacheprovider")
    for k, outcome in enumerate(entries.values(), start=1):
        result.stdout.fnmatch_lines([f"*exponential[[]nDCG@{k}[]] {outcome}*"])
    result.stdout.fnmatch_lines(["*check[[]3[]]: tiny is no assumption; the assumptions are small, *"])
    assert "rels above 1,000: it raises OverflowError" in result.stdout.str()


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
    claim(project, "precision", measure="P@5")
    result = project.runpytest_inprocess("--collect-only", "-q", *arguments)
    assert ("rankproof::metrics_to_check:precision[" in result.stdout.str()) is asked
    assert "test_own" in result.stdout.str()


@pytest.mark.in_turn
def test_the_projects_own_module_is_asked_where_another_of_its_name_is_on_the_path(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "metrics_of_mine"
    (project.path / f"{name}.py").write_text("from metrics_to_check import precision\n", encoding="utf-8")
    other = project.mkdir("elsewhere")
    (other / f"{name}.py").write_text("def precision(relevant, ranked, k):\n    return 2.0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(other)
    entry = CLAIM.format(function="precision", measure="P@5", profile="standard")
    project.makepyprojecttoml(entry.replace("metrics_to_check", name))
    project.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


@pytest.mark.in_turn
def test_claims_are_chosen_by_their_names(project: pytest.Pytester) -> None:
    claim(project, "precision", measure="P@5")
    result = project.runpytest_inprocess("-k", "metrics_to_check:precision", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, deselected=1)


def test_what_cannot_be_asked_is_a_failed_test_that_names_its_place(project: pytest.Pytester) -> None:
    faults = {
        "metrics_to_check has no ndgc": {"function": "ndgc"},
        "nDGC@10 is no measure": {"measure": "nDGC@10"},
        "ties=none is no convention": {"profile": "ties=none"},
        "tables is no form": {"profile": 'standard"\nform = "tables'},
    }
    plain = {"function": "ndcg", "measure": "nDCG@10", "profile": "standard"}
    project.makepyprojecttoml("".join(CLAIM.format(**plain | changed) for changed in faults.values()))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=len(faults))
    for i, fault in enumerate(faults):
        result.stdout.fnmatch_lines([f"pyproject.toml, tool.rankproof.check[[]{i}[]]: *{fault}*"])
    assert "Traceback" not in result.stdout.str()


ENTRY = '[[tool.rankproof.check]]\nfunction = "m:f"\nmeasure = "P"\n'


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('[[tool.rankproof.check]]\nfunction = "m:f"', "tool.rankproof.check[0]: measure is missing"),
        (f'{ENTRY}strict = "on"', "tool.rankproof.check[0]: strict = 'on' is neither yes nor no"),
        ('[[tool.rankproof.check]]\nfunction = "m:f"\nmeasure = 3', "tool.rankproof.check[0]: measure = 3 is no text"),
        (
            '[[tool.rankproof.check]]\nprofil = "x"',
            "tool.rankproof.check[0]: profil is no key; the keys are function, ",
        ),
        ('[[tool.rankproof.check]]\n"\\u001b[2J" = "x"', "tool.rankproof.check[0]: \\x1b[2J is no key"),
        ("[tool.rankproof]\ncheck = 3", "tool.rankproof.check is no array of tables"),
        ('[tool.rankproof]\ncheck = ["m:f"]', "tool.rankproof.check[0]: 'm:f' is no table"),
        (f"[tool.rankproof]\ncheck = [[{'1, ' * 99}1]]", f"tool.rankproof.check[0]: [{'1, ' * 19}1,… is no table"),
        (f'{ENTRY}\n[[tool.rankproof.check]]\nfunction = "m:g"', "tool.rankproof.check[1]: measure is missing"),
        *(
            (f'{ENTRY}budget = "{wrong}"', f"tool.rankproof.check[0]: budget = '{wrong}' is no number of seconds")
            for wrong in ("soon", "1234567", "-1", "1.", "1e3", " 5")
        ),
        (f"[tool.rankproof]\ncheck = ['{'x' * 58}']", f"tool.rankproof.check[0]: '{'x' * 58}' is no table"),
        (f"[tool.rankproof]\ncheck = ['{'x' * 59}']", f"tool.rankproof.check[0]: '{'x' * 59}… is no table"),
        ('[tool.rankproof]\n"\\u001b[2J" = 1', "tool.rankproof.\\x1b[2J is no key"),
        ("[tool.rankproof]\nchecks = []", "tool.rankproof.checks is no key"),
        ("[tool]\nrankproof = 1", "tool.rankproof is no table"),
        ('[tool]\n"rankproof".check = 1', "tool.rankproof.check is no array of tables"),
        ("[[tool.rankproof.check]\n", "it is no TOML: Expected "),
        ("rankproof = " + "[" * 9_000, "it is nested too deep"),
        (b"[tool.other]\nname = 'caf\xe9'\n[[tool.rankproof.check]]", "line 2 is not UTF-8, as TOML must be"),
    ],
)
def test_an_entry_that_is_no_claim_is_a_fault_of_usage(tmp_path: Path, written: str | bytes, fault: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    with pytest.raises(pytest.UsageError) as raised:
        pytest_plugin._declared(path)
    assert str(raised.value).startswith(f"{path}: {fault}")
    assert str(raised.value).endswith(f"; {pytest_plugin.EXAMPLE}")
    assert "\n" not in str(raised.value)


def test_an_entry_may_have_every_key(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    every = {"function": "m:f", "measure": "P", "profile": "standard", "form": "ids", "assume": "small"}
    every |= {"strict": "no", "budget": "123456.75"}
    path.write_text("[[tool.rankproof.check]]\n" + "".join(f'{key} = "{value}"\n' for key, value in every.items()))
    assert pytest_plugin._declared(path) == [every]


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
    assert said[0].startswith(f"ERROR: {place}: tool.rankproof.check is no array of tables; write ")


@pytest.mark.in_turn
def test_a_function_that_ends_its_process_fails_its_tests_and_nothing_else(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "whole_corpus", lambda: few()[6:8])  # each question ends a process
    shutil.copy(FUNCTIONS.parent / "strangers.py", project.path / "strangers.py")
    entries = [
        CLAIM.format(function=name, measure="P@5", profile="standard").replace("metrics_to_check", "strangers")
        for name in ("exits_with_zero", "exits_at_once", "raises_no_exception")
    ]
    project.makepyprojecttoml("".join(entries))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            "exits_with_zero does not follow standard: on * its P@5 ended its process with exit code 0 where standard gives *",
            "*check[[]1[]]: strangers:exits_at_once gives no number * it ended its process with exit code 0*",
            "raises_no_exception does not follow standard: on * its P@5 raises Stop: no more where standard gives *",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_test_passes_by_what_was_found_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else comes of asking, be it nothing at all."""
    item = object.__new__(pytest_plugin.Claim)
    item.place, item.entry = "here", {"function": "m:f", "measure": "P@5", "budget": "7.5"}
    asked: list[Limits] = []
    told, asking = map(import_module, ("rankproof.telling.check_claim", "rankproof.checking.examining"))
    # Of the modules that are imported by now: a pytest within this one imports them anew.
    for sentences in ("summary", "script_of"):
        monkeypatch.setattr(told, sentences, lambda _checked: "")
    for holds in (True, False, None, "yes"):
        found = SimpleNamespace(holds=holds, holds_strictly=True, is_incomplete=False)
        monkeypatch.setattr(asking, "examine", lambda *_, found=found, limits, **__: asked.append(limits) or found)
        with contextlib.nullcontext() if holds is True else pytest.raises(pytest_plugin.DoesNotFollow):
            item.runtest()
    assert asked == [Limits(budget=7.5)] * 4


@pytest.mark.parametrize(
    ("said", "asked", "holds"),
    [
        ({}, ("P@5", "standard", None, "m:f", ""), True),
        ({"strict": "no"}, ("P@5", "standard", None, "m:f", ""), True),
        (
            {"strict": "yes", "profile": "ties=input", "form": "ids", "assume": "small"},
            ("P@5", "ties=input", "ids", "m:f", "small"),
            False,
        ),
    ],
)
def test_what_an_entry_says_is_what_is_asked(
    said: dict[str, str], asked: tuple[str | None, ...], *, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = object.__new__(pytest_plugin.Claim)
    item.place, item.entry = "check[2]", {"function": "m:f", "measure": "P@5", **said}
    told, asking = map(import_module, ("rankproof.telling.check_claim", "rankproof.checking.examining"))
    given: list[tuple[str | None, ...]] = []

    def examine(_function: None, measure: str, profile: str, form: str | None, **named: Any) -> str:
        given.append((measure, profile, form, named.pop("name"), named.pop("assume")))
        assert named == {"limits": Limits()}
        return "found"

    monkeypatch.setattr(asking, "examine", examine)
    monkeypatch.setattr(told, "faults_of", lambda _found, *, strict: "it is not so" if strict else "")
    with contextlib.nullcontext() if holds else pytest.raises(pytest_plugin.DoesNotFollow, match="it is not so"):
        item.runtest()
    assert given == [asked]

    def fails(*_given: object, **_named: object) -> None:
        raise OSError("no more\nprocesses")

    monkeypatch.setattr(asking, "examine", fails)
    with pytest.raises(pytest_plugin.DoesNotFollow, match=r"^pyproject.toml, check\[2\]: no more processes$"):
        item.runtest()


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
