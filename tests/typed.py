"""The program as a person types it, but in this process: to start one and to read all cases takes a second."""

import io
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankproof import cli


@dataclass(frozen=True)
class Ended:
    """How it ended."""

    code: int
    out: str
    err: str


def rankproof(*arguments: object, cwd: Path) -> Ended:
    """What it says and how it ends in a folder; a traceback is an error of the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["rankproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    said, complained = (stream.buffer.getvalue().decode() for stream in (out, err))
    assert isinstance(ended.value.code, int)
    assert "Traceback" not in complained
    return Ended(ended.value.code, said, complained)
