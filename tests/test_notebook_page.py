"""Every row of `reports/notebooks.md` is run: what the documents print is had again, or the page says why it cannot be."""

import re
from collections.abc import Callable, Mapping

import pytest
import reporting
from notebook_page import PAGE, Cell, Value, cells, is_printed, page

from rankproof.asking.observations import Answered

DOCUMENTS, CELLS = cells()
ROOT = PAGE.parent.parent
HAD = [
    pytest.param(cell, id=f"{cell.document}-{cell.cell}") for cell in CELLS if any(value.how for value in cell.prints)
]
ASKED = [(cell, value) for cell in CELLS for value in cell.prints if value.repro]
TESTED = [value.test for cell in CELLS for value in cell.prints if value.test]


@pytest.mark.parametrize("cell", HAD)
def test_a_cell_is_had_again(cell: Cell) -> None:
    names = cell.names()
    told = [
        f"{value.what}: {found!r}, and {value.printed} was printed"
        for value in cell.prints
        if value.how and not is_printed(found := eval(value.how, names), value.printed, cell.decimals)  # noqa: S307 - ours
    ]
    assert told == []


@pytest.fixture(scope="module")
def answers(own_store: Callable[[], object]) -> Mapping[tuple[str, ...], object]:
    """What the libraries answer to the cases that are of these documents: where a run asked them before, from its store."""
    own_store()
    slugs: dict[str, set[str]] = {}
    for _, value in ASKED:
        slugs.setdefault(value.repro[0], set()).add(value.repro[2])
    return reporting.answers(slugs)


@pytest.mark.parametrize(
    ("cell", "value"), [pytest.param(*one, id=f"{one[0].document}-{one[0].cell}-{one[1].what}") for one in ASKED]
)
def test_a_library_still_says_what_it_printed(
    cell: Cell, value: Value, answers: Mapping[tuple[str, ...], object]
) -> None:
    answer = answers[tuple(value.repro)]
    assert isinstance(answer, Answered)
    assert is_printed(answer.mean, value.printed, cell.decimals), answer


@pytest.mark.parametrize("name", TESTED)
def test_a_test_that_the_page_names_is_there(name: str) -> None:
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function or 'test_'}", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_value_is_had_again_in_one_way_or_the_page_says_why_not() -> None:
    for cell in CELLS:
        assert cell.document in DOCUMENTS
        for value in cell.prints:
            ways = [bool(way) for way in (value.how, value.repro, value.test, value.cannot)]
            assert ways.count(True) == 1, f"{cell.document} {cell.cell}: {value.what}"


def test_what_is_printed_is_told_from_what_is_not() -> None:
    assert is_printed([0.25, 0.5], "0.25 0.5")
    assert is_printed(0.8174935137996166, "0.8174935137996165")
    assert not is_printed(0.8174935137996200, "0.8174935137996165")
    assert not is_printed([0.25], "0.25 0.5")
    assert is_printed(0.7395, "0.740", 3) is (f"{0.7395:.3f}" == "0.740")
    assert not is_printed(0.741, "0.740", 3)


def test_the_page_is_of_these_cells() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/notebook_page.py`"
