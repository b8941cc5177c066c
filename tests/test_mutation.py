"""The mutation testing, held to what it says of itself; that it runs to its end is asked of `benchmarks/mutation.py`."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def mutation() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import mutation  # type: ignore[import-not-found]

        yield mutation
    for name in ("mutation", "mutation_rules"):
        del sys.modules[name]


@pytest.fixture(scope="module")
def rules(mutation: ModuleType) -> ModuleType:
    return sys.modules[mutation.rule.__module__]


def test_each_listed_survivor_is_a_change_of_a_line_that_is_there(mutation: ModuleType, rules: ModuleType) -> None:
    functions: dict[str, list[tuple[str, str]]] = {}
    for (where, was, now), reason in mutation.listed().items():
        place, _, name = where.partition(": ")
        if place not in functions:
            nodes = ast.walk(ast.parse(rules.undecorated((ROOT / place).read_text(encoding="utf-8"))))
            found = [node for node in nodes if isinstance(node, ast.FunctionDef)]
            functions[place] = [(node.name, ast.unparse(rules.named_alike(node))) for node in found]
        assert any(was in text for function, text in functions[place] if function == name.rpartition(".")[2]), where
        assert was != now
        assert reason.strip()


@pytest.mark.parametrize(
    ("place", "original", "mutant", "rule"),
    [
        ("reference_impl", "return a + b", "return a - b", ""),
        (
            "reference_impl",
            "raise Rejected(axis='ids', message='no')",
            "raise Rejected(axis='ids', message=None)",
            "the text of an error",
        ),
        ("reference_impl", "raise Rejected(axis='ids', message='no')", "raise Rejected(axis=None, message='no')", ""),
        (
            "reference_impl",
            "msg = f'{x} is none'\nraise UnknownMeasure(msg)",
            "msg = None\nraise UnknownMeasure(msg)",
            "the text of an error",
        ),
        (
            "reference_impl",
            "return sum(x, Fraction(0))",
            "return sum(x)",
            "a sum that begins with 0 for 0/1, or a check of equal lengths that hold",
        ),
        ("reference_impl", "return sum(x, Fraction(0))", "return sum(x, Fraction(1))", ""),
        ("harness", "raise Truncated(f'{path} was cut off')", "raise Truncated(None)", "the text of an error"),
        ("harness", "raise Truncated(f'{path} was cut off')", "raise Truncated()", "the text of an error"),
        ("harness", "raise Truncated(f'{path} was cut off')", "return None", ""),
        (
            "harness",
            "raise WorkerFailed('crash', 'it ended at once')",
            "raise WorkerFailed('crash', None)",
            "the text of an error",
        ),
        (
            "harness",
            "raise WorkerFailed('crash', 'it ended at once')",
            "raise WorkerFailed(None, 'it ended at once')",
            "",
        ),
        (
            "harness",
            "raise WorkerFailed('crash', 'it ended at once')",
            "raise WorkerFailed('XXcrashXX', 'it ended at once')",
            "",
        ),
        ("harness", "return 'look at its adapter'", "return 'XXlook at its adapterXX'", "the words of a sentence"),
        ("harness", "return 'look at its adapter'", "return None", ""),
        ("harness", "return 'look at its adapter'", "return ''", ""),
        ("harness", "return 'not-installed'", "return 'NOT-INSTALLED'", ""),
        (
            "harness",
            "path.read_text(encoding='utf-8')",
            "path.read_text(encoding='UTF-8')",
            "a check of equal lengths that hold, the type of a cast, or how UTF-8 is spelled",
        ),
        (
            "harness",
            "return cast('Any', x)",
            "return cast('XXAnyXX', x)",
            "a check of equal lengths that hold, the type of a cast, or how UTF-8 is spelled",
        ),
        ("harness", "return cast('Any', x)", "return cast('Any', None)", ""),
        ("harness", "return cast('Any', x)", "return cast(x)", ""),
        (
            "harness",
            "what = f'{x} is none'\nraise BadInput(at(1), what)",
            "what = None\nraise BadInput(at(1), what)",
            "the text of an error",
        ),
        (
            "harness",
            "what = f'{x} is none'\nraise BadInput(1, f'{what}; do')",
            "what = f'{y} is none'\nraise BadInput(1, f'{what}; do')",
            "the text of an error",
        ),
        (
            "harness",
            "what = f'{x} is none'\nraise BadInput(at(1), what)",
            "what = f'{x} is none'\nraise BadInput(at(2), what)",
            "",
        ),
        (
            "harness",
            "what = f'{x} is none'\nraise BadInput(at(1), what)",
            "what = f'{x} is none'\nraise BadInput(at(1))",
            "",
        ),
        (
            "harness",
            "what = f'{x} is'\nsay(what)\nraise BadInput(at(1), what)",
            "what = None\nsay(what)\nraise BadInput(at(1), what)",
            "",
        ),
        ("harness", "n = 3\nraise BadInput(at(1), n)", "n = 4\nraise BadInput(at(1), n)", ""),
        ("harness", "path.write_text(text, encoding='utf-8')", "path.write_text(None, encoding='utf-8')", ""),
    ],
)
def test_a_mutant_does_not_count_by_a_rule_alone(
    mutation: ModuleType, place: str, original: str, mutant: str, rule: str
) -> None:
    one, other = (ast.parse("def f():\n  " + text.replace("\n", "\n  ")).body[0] for text in (original, mutant))
    assert mutation.rule(one, other, f"{place}/a.py: f") == rule


def test_only_the_defaults_of_conventions_are_excused(mutation: ModuleType) -> None:
    source = "def f(r, *, beta=1, gain='linear'): pass"
    convention, parameter = source.replace("linear", "XX"), source.replace("=1", "=2")
    one, by_convention, by_parameter = (ast.parse(text).body[0] for text in (source, convention, parameter))
    assert mutation.rule(one, by_convention, "reference_impl/a.py: f")
    assert not mutation.rule(one, by_parameter, "reference_impl/a.py: f")


def test_what_is_decorated_is_written_so_that_mutants_can_be_made_of_it(mutation: ModuleType) -> None:
    source = "class A:\n    @property\n    def n(self) -> int:\n        return 1\n\n@lru_cache(maxsize=2)\ndef f(x):\n    return x\n"
    assert mutation.undecorated(source) == (
        "class A:\n    def n(self) -> int:\n        return 1\n    n = property(n)\n\ndef f(x):\n    return x\nf = lru_cache(maxsize=2)(f)\n"
    )


# -- what is told -----------------------------------------------------------------------------------------------------

WHERE = "harness/workers/store.py: digest"


@pytest.mark.parametrize(
    ("verdicts", "listed", "goal", "holds"),
    [
        (["killed", "timeout"], [], 100, True),
        (["killed", "survived"], [1], 50, True),
        (["killed", "survived"], [], 50, False),
        (["killed", "survived"], [1], 51, False),
        (["killed", "killed"], [1], 50, False),
        (["killed", "killed"], [2], 50, False),
        (["killed", "exit 2"], [1], 51, False),
        (["killed", "no test"], [], 50, False),
    ],
)
def test_a_room_holds_where_its_score_does_and_its_survivors_are_those_that_are_listed(
    verdicts: list[str],
    listed: list[int],
    goal: int,
    holds: bool,  # noqa: FBT001
    mutation: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = [mutation.Mutant(str(i), WHERE, "a", f"b{i}", verdict) for i, verdict in enumerate(verdicts)]
    monkeypatch.setattr(mutation, "listed", lambda: {(WHERE, "a", f"b{i}"): "so" for i in listed})
    room = mutation.Room("workers", ("harness/workers/store.py",), (), goal=goal)
    assert mutation.tell(room, made, made, 0.0) is holds
