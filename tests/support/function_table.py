"""The table of functions in `tests/functions/calls.toml`: each call with the correct exit code and first line.

`tests/check/test_checking.py` tests its rows.
"""

import os
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from rankproof.check.call import BadCall
from rankproof.check.checking import NoNumber, check_function, prepare
from rankproof.check.result import CheckResult, FaultKind, Verdict
from rankproof.check.source import Source
from rankproof.cli.program import cli
from rankproof.reference_impl.conventions import STANDARD, parse_conventions
from rankproof.report import check as report
from rankproof.workers.function_worker import Limits

FOLDER = Path(__file__).resolve().parent.parent / "functions"
MISBEHAVING = "strangers.py"


@dataclass(frozen=True)
class Row:
    """A call of the table, as calls.toml describes it."""

    name: str
    file: str
    call: str
    measure: str
    exit: int
    why: str
    first: str = ""
    profile: str | None = None
    defect: str = ""
    mentions: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """The output of `check` for a row, and the result if there is one."""

    text: str
    exit: int
    result: CheckResult | None = field(default=None, repr=False)


def rows(*files: str) -> list[Row]:
    """Return the rows of some files, or all rows."""
    table: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "calls.toml").read_text(encoding="utf-8"))
    every = [
        Row(name, **{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()})
        for name, row in table.items()
    ]
    return [row for row in every if not files or row.file in files]


def verify(row: Row) -> Checked:
    """Check all columns of a row, and return the output of `check`."""
    shown = checked(row)
    faults = faults_of(row, shown)
    assert faults == [], f"{'; '.join(faults)}\n{shown.text}"
    if shown.result is not None and row.exit == 0:
        _verify_profile(row, shown.result)
    if shown.result is not None and row.defect:
        named = [name for fault in shown.result.faults if fault.kind is FaultKind.DEFECT for name in fault.about]
        assert row.defect in named or shown.result.faults[0].kind in {FaultKind.IGNORES, FaultKind.CHEAP}
    return shown


def _verify_profile(row: Row, result: CheckResult) -> None:
    assert result.explained == result.values
    decided = result.decided_by_caller
    expected = STANDARD if not row.profile else parse_conventions(row.profile)
    differing = {d.axis: d.values for d in result.differences if d.axis not in {"no_query", *decided}}
    derived = {axis: getattr(expected, axis) for axis in STANDARD.differences(expected) if axis not in decided}
    assert differing.keys() == derived.keys() - {"no_query"}, f"{result.profile.spec()}: {row.why}"
    assert all(derived[axis] in values for axis, values in differing.items())
    assert result.verdict is (Verdict.VARIANT if result.differences else Verdict.AGREES)


def checked(row: Row) -> Checked:
    """Check a row in this process; the function runs in separate processes, as always."""
    limits = Limits(question=0.5, memory=10**9) if row.file == MISBEHAVING else Limits()
    with within(FOLDER):
        try:
            result = check_function(prepare(Source(row.file, limits=limits), row.call, row.measure), budget=60)
        except NoNumber as error:
            return Checked(report.no_number_text(error), 2)
        except BadCall as error:
            return Checked(str(error), 2)
    return Checked(report.text_of(result), report.exit_code(result), result)


def rankproof_check(*arguments: str) -> tuple[int, str]:
    """Run `rankproof check` in this process, and return its exit code and output."""
    ended = CliRunner().invoke(cli, ["check", *arguments], standalone_mode=False)
    if ended.exception is not None:
        raise ended.exception
    return ended.return_value or 0, ended.output


@contextmanager
def within(folder: Path) -> Iterator[None]:
    """Change the working directory until the block ends."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def faults_of(row: Row, shown: Checked) -> list[str]:
    """Return the faults of the output, one a line, ignoring the call and the name of the function."""
    flat = re.sub(r"\s+", " ", shown.text).replace(row.call, "").replace(row.call.split("(", 1)[0], "f")
    first = flat if row.exit == 2 else re.split(r"\. (?=[A-Z]|$)", flat)[0]
    faults = [] if shown.exit == row.exit else [f"exit code {shown.exit} instead of {row.exit}: {row.why}"]
    faults += (
        [] if re.search(row.first, first, re.IGNORECASE) else [f"the first sentence does not mention {row.first!r}"]
    )
    faults += [
        f"the output does not mention {text!r}" for text in row.mentions if not re.search(text, flat, re.IGNORECASE)
    ]
    faults += [f"the output says {text!r}" for text in row.never if re.search(text, flat, re.IGNORECASE)]
    lines = shown.text.splitlines()
    faults += [f"{len(lines)} lines"] if len(lines) > 12 else []
    faults += [f"a line of {len(line)} columns: {line}" for line in lines if len(line) > 80 and " " in line.strip()]
    return faults
