"""Rows of command tables: arguments, exit code, beginning of the output, phrases in it, and facts of its JSON."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from typed_commands import rankproof

COLUMNS, LINES = 80, 12


class Row(NamedTuple):
    """A command line and its expected output; `has_facts` receives the parsed output of `--json`."""

    line: str
    code: int
    first: str
    phrases: tuple[str, ...] = ()
    has_facts: Callable[[Any], object] | None = None


def assert_answer(row: Row, folder: Path) -> None:
    """Check the short output, which fits a screen, and the JSON of a row."""
    done = rankproof(*shlex.split(row.line), cwd=folder)
    assert done.code == row.code, f"{row.line} ends with {done.code} instead of {row.code}: {done.err}{done.out}"
    lines = done.out.splitlines()
    assert len(lines) <= LINES, f"{row.line} prints more than {LINES} lines:\n{done.out}"
    assert max(map(len, lines)) <= COLUMNS, f"{row.line} prints more than {COLUMNS} columns:\n{done.out}"
    text = " ".join(done.out.split())
    assert text.startswith(" ".join(row.first.split())), f"{row.line} begins otherwise:\n{done.out}"
    missing = [phrase for phrase in row.phrases if phrase not in text]
    assert not missing, f"{row.line} does not print {missing}:\n{done.out}"
    if row.has_facts is not None:
        data = rankproof(*shlex.split(row.line), "--json", cwd=folder)
        assert data.code == row.code, f"{row.line} --json ends with {data.code} instead of {row.code}: {data.err}"
        assert row.has_facts(json.loads(data.out)), f"{row.line} --json has other facts:\n{data.out[:2000]}"


def assert_details(row: Row, folder: Path) -> None:
    """Check the exit code and the beginning of the details, which fit a terminal."""
    done = rankproof(*shlex.split(row.line), "--details", cwd=folder)
    assert done.code == row.code
    assert " ".join(done.out.split()).startswith(" ".join(row.first.split())), done.out
    assert max(map(len, done.out.splitlines())) <= COLUMNS + 8, "a signature breaks at its bars only"


def assert_refused(line: str, message: str, folder: Path) -> None:
    """Check that a command line ends with exit code 2 and one message on stderr."""
    done = rankproof(*shlex.split(line), cwd=folder)
    assert (done.code, done.out) == (2, ""), f"{line} is not refused: {done.out}"
    assert message in " ".join(done.err.split())
