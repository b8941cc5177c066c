"""What takes minutes is tried in parts by a run of all tests, and whole by everybody else."""

from types import SimpleNamespace

import parts
import pytest

from rankproof.workers import store

Source = pytest.Config.ArgsSource


class Item:
    """A test, perhaps with the mark of those that are tried in parts."""

    def __init__(self, nodeid: str, one_in: int = 1, by: str = "", value: str = "", *, in_turn: bool = False) -> None:
        self.nodeid, self.one_in, self.value = nodeid, one_in, value
        self.callspec = SimpleNamespace(params={by: value})
        of_parts = SimpleNamespace(args=(one_in,), kwargs={"by": by} if by else {}) if one_in > 1 else None
        self.marks = {parts.MARK: of_parts, parts.TURN: in_turn or None}

    def get_closest_marker(self, name: str) -> SimpleNamespace | bool | None:
        """The mark."""
        return self.marks[name]


def config(*, source: Source = Source.TESTPATHS, keyword: str = "", whole: bool = False) -> SimpleNamespace:
    option = SimpleNamespace(keyword=keyword, markexpr="")
    return SimpleNamespace(option=option, args_source=source, getoption=lambda _name: whole)


def test_a_run_of_all_tests_takes_parts_and_who_selects_gets_all_of_it() -> None:
    assert parts.taken(config())
    others = [config(whole=True), config(keyword="catboost"), config(source=Source.ARGS)]
    assert not any(map(parts.taken, others))
    for taken in (True, False):  # a process that is given tests takes what the first one took
        others[-1].workerinput = {"parts": taken}
        assert parts.taken(others[-1]) is taken


def test_all_parts_together_are_everything_and_each_is_about_as_large() -> None:
    names = [f"name {i}" for i in range(3000)]
    by_digest = [{name for name in names if int(store.digest("x", name), 16) % 3 == part} for part in range(3)]
    assert {name for name in names if parts.is_in_part("x", name, one_in=3)} == by_digest[0]
    assert all(900 < len(part) < 1100 for part in by_digest)
    assert {name for name in names if parts.is_in_part("y", name, one_in=3)} not in by_digest


def kept_of(items: list[Item]) -> list[Item]:
    """Those that are tried; the others are told."""
    kept, told, whole = [*items], list[Item](), config()
    whole.hook = SimpleNamespace(pytest_deselected=lambda **those: told.extend(those["items"]))
    parts.leave_out(whole, kept)  # type: ignore[arg-type]
    assert [item for item in items if item not in kept] == told
    return kept


def test_of_the_tests_that_are_marked_one_in_so_many_is_tried() -> None:
    names = [f"tests/test_exact.py::test_ln[{i}]" for i in range(300)]
    kept = kept_of([Item(name, one_in) for name in names for one_in in (1, 3)])
    assert [item.nodeid for item in kept if item.one_in == 1] == names
    assert len([item for item in kept if item.one_in == 3]) == 100


def test_a_value_is_tried_by_all_tests_of_a_file_or_by_none() -> None:
    file = "tests/test_miniatures.py::test"
    items = [
        Item(f"{file}_{test}[{sin}-{case}]", 3, "sin", str(sin))
        for test, sins in {"a": 30, "b": 12}.items()
        for sin in range(sins)
        for case in range(2)
    ]
    kept = kept_of(items)
    of_a, of_b = ({item.value for item in kept if f"test_{test}" in item.nodeid} for test in "ab")
    assert (len(of_a), len(kept)) == (10, 2 * len(of_a) + 2 * len(of_b))
    assert of_b == {value for value in of_a if int(value) < 12}


def test_of_what_is_marked_as_long_one_test_in_eight_is_tried_with_all_its_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = {f"tests/test_{file}.py::test_{n}": n % 4 + 1 for file in "abc" for n in range(16)}
    items = [Item(f"{name}[{case}]", in_turn=True) for name, many in cases.items() for case in range(many)]
    others = [Item(f"tests/test_d.py::test_{n}") for n in range(9)]
    tried = []
    for code in "xyz":
        monkeypatch.setattr(parts, "code", lambda code=code: code)
        kept = kept_of([*items, *others])
        assert [item for item in kept if item in others] == others
        tried.append({item.nodeid.partition("[")[0] for item in kept} & cases.keys())
        assert len(tried[-1]) == len(cases) / 8
        assert len(kept) - len(others) == sum(cases[name] for name in tried[-1])
    assert len(set.union(*tried)) > len(cases) / 4
