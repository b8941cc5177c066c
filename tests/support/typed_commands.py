"""Command lines that run in this process, because starting rankproof and reading all cases takes a second."""

import io
import json
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rankproof.cli
from rankproof.cli import program

SCHEMAS = Path(rankproof.cli.__file__).resolve().parent / "schemas"


@dataclass(frozen=True)
class Ended:
    """The exit code, output and errors of a command."""

    code: int
    out: str
    err: str


def rankproof(*arguments: object, cwd: Path) -> Ended:
    """Run a command line in a folder, and return its output and exit code; a traceback fails the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["rankproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            program.main()
    said, complained = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert isinstance(ended.value.code, int)
    assert "Traceback" not in complained
    return Ended(ended.value.code, said, complained)


def with_own_adapters(line: str, folder: Path) -> Ended:
    """Run a command line in a folder, with the adapters in its folder `own`."""
    return rankproof(*shlex.split(line), "--adapters", "own", cwd=folder)


def unfolded(text: str) -> list[str]:
    """Return the lines as they were before rich wrapped them to the width of the terminal."""
    return re.sub(r"\n +", " ", text).splitlines()


def read(verb: str, text: str) -> Any:
    """Return the JSON output of a command, after validation against the schema of the command, if it has one."""
    found = json.loads(text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON"))
    schema = SCHEMAS / f"{verb}.schema.json"
    if schema.is_file():
        jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(found)
    return found
