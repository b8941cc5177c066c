"""The notebook of the documentation: each cell gives the outputs that are stored, and the last two values agree."""

import json
from typing import Any

import notebook_runner
import pytest
from places import ROOT

NOTEBOOK: dict[str, Any] = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text(encoding="utf-8"))


def test_cells_give_the_outputs_that_the_notebook_shows() -> None:
    stored = [cell["outputs"] for cell in notebook_runner.code_cells(NOTEBOOK)]
    assert list(notebook_runner.outputs_of(NOTEBOOK)) == stored, (
        "write them anew: python tests/support/notebook_runner.py docs/tutorial.ipynb"
    )


def test_notebook_ends_with_two_tools_that_agree() -> None:
    *_, last = notebook_runner.code_cells(NOTEBOOK)
    printed, value = last["outputs"]
    assert "".join(printed["text"]).split()[-1] == "0.8950"
    assert float("".join(value["data"]["text/plain"])) == pytest.approx(0.8950, abs=5e-5)


def test_notebook_can_be_read_by_jupyter() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in NOTEBOOK["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in NOTEBOOK["cells"]:
        keys = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == {"cell_type", "id", "metadata", "source"} | keys
