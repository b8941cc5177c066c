"""The whole output of command lines, line by line, at 80 columns."""

from pathlib import Path

import printed_outputs
import pytest
from command_rows import COLUMNS

FILES = sorted(printed_outputs.OUTPUTS.glob("*.txt"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of `rankproof demo` and a few that are wrong."""
    made = tmp_path_factory.mktemp("outputs")
    printed_outputs.make_files(made)
    return made


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_commands_print_what_was_approved(path: Path, folder: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for line, printed in printed_outputs.commands_in(text):
        assert printed_outputs.printed_by(line, folder) == printed, f"rankproof {line}"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_output_fits_a_terminal(path: Path) -> None:
    for line, printed in printed_outputs.commands_in(path.read_text(encoding="utf-8")):
        if "--json" not in line and not line.startswith(("report", "cases list")):
            wide = [
                row for row in printed.splitlines() if len(row) > COLUMNS and not row.startswith(("!", "rankproof"))
            ]
            assert not wide, f"rankproof {line}"
