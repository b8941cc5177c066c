"""The mutation testing of the corpus, held to what it says of itself; that it runs to its end is asked of `benchmarks/mutation.py`."""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def mutation() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutation", ROOT / "benchmarks" / "mutation.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_listed_survivor_is_a_change_of_a_line_that_is_there(mutation: ModuleType) -> None:
    for (where, was, now), reason in mutation.listed().items():
        place, _, name = where.partition(": ")
        found = [
            node
            for node in ast.walk(ast.parse((ROOT / place).read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef) and node.name == name.rpartition(".")[2]
        ]
        assert any(was in ast.unparse(mutation._named_alike(node)) for node in found), where
        assert was != now
        assert reason.strip()


@pytest.mark.parametrize(
    ("original", "mutant", "rule"),
    [
        ("return a + b", "return a - b", ""),
        ("raise Rejected(axis='ids', message='no')", "raise Rejected(axis='ids', message=None)", "the text of an error"),
        ("raise Rejected(axis='ids', message='no')", "raise Rejected(axis=None, message='no')", ""),
        ("msg = f'{x} is none'\nraise UnknownMeasure(msg)", "msg = None\nraise UnknownMeasure(msg)", "the text of an error"),
        ("return sum(x, Fraction(0))", "return sum(x)", "a sum that begins with 0 for 0/1, or a check of equal lengths that hold"),
        ("return sum(x, Fraction(0))", "return sum(x, Fraction(1))", ""),
    ],
)  # fmt: skip
def test_a_mutant_does_not_count_by_a_rule_alone(mutation: ModuleType, original: str, mutant: str, rule: str) -> None:
    one, other = (ast.parse("def f():\n  " + text.replace("\n", "\n  ")).body[0] for text in (original, mutant))
    assert mutation.rule(one, other, "reference_impl/a.py: f") == rule


def test_only_the_defaults_of_conventions_are_excused(mutation: ModuleType) -> None:
    source = "def f(r, *, beta=1, gain='linear'): pass"
    convention, parameter = source.replace("linear", "XX"), source.replace("=1", "=2")
    one, by_convention, by_parameter = (ast.parse(text).body[0] for text in (source, convention, parameter))
    assert mutation.rule(one, by_convention, "a.py: f")
    assert not mutation.rule(one, by_parameter, "a.py: f")


def test_what_is_decorated_is_written_so_that_mutants_can_be_made_of_it(mutation: ModuleType) -> None:
    source = "class A:\n    @property\n    def n(self) -> int:\n        return 1\n\n@lru_cache(maxsize=2)\ndef f(x):\n    return x\n"
    assert mutation.undecorated(source) == (
        "class A:\n    def n(self) -> int:\n        return 1\n    n = property(n)\n\ndef f(x):\n    return x\nf = lru_cache(maxsize=2)(f)\n"
    )
