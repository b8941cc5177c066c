"""The attacks in `benchmarks/attacks`: they notice wrong results, and each of them runs once before a release."""

import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ATTACKS = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "attacks"
MODULES = tuple(path.stem for path in ATTACKS.glob("[a-z]*.py"))


@pytest.fixture(scope="module", autouse=True)
def on_the_path() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ATTACKS))
        yield
        for name in MODULES:
            sys.modules.pop(name, None)


def line(**record: object) -> str:
    whole = {"kind": "row", "subject": "sound-1", "case": "ties/none-tied", "measure": "RR", "verdict": "agrees"}
    return json.dumps({**whole, "value": 1.0, **record})


def results(*lines: str, library: str = "sound") -> dict[str, bytes]:
    return {f"results/{library}.jsonl": "\n".join(lines).encode()}


OLD = results("1") | results("1", library="other") | {"report.md": b"1"}
NEW = results("2") | results("2", library="other") | {"report.md": b"2"}


@pytest.mark.parametrize(
    ("files", "faults"),
    [
        (OLD, 0),
        (NEW | {"report.md": b"1"}, 0),  # each page is complete on its own
        (NEW | {"results/.sound.jsonl.part": b""}, 0),  # SIGKILL leaves this file behind
        (NEW | {"report.md": b"3"}, 1),
        (NEW | {"more.md": b"1"}, 1),
        (NEW | results("1"), 1),
        ({name: text for name, text in NEW.items() if "other" not in name}, 1),
        (NEW | results("2", library="third"), 1),
        ({}, 2),
    ],
)
def test_results_of_two_runs_are_noticed(files: dict[str, bytes], faults: int) -> None:
    assert len(list(importlib.import_module("machines").mixed(files, OLD, NEW))) == faults


@pytest.mark.parametrize(
    ("rows", "faults"),
    [([line(), line(query="q1")], 0), ([line()], 1), ([line(), line(value=0.5)], 2), ([line()] * 2, 2)],
)
def test_invented_and_lost_rows_are_noticed(rows: list[str], faults: int) -> None:
    trial = importlib.import_module("machines").Trial(None, "it", 0, None)
    trial.compare(Counter(rows), Counter([line(), line(query="q1")]))
    assert len(trial.faults) == faults


UNTIED = [line(), line(query="q1")]
TIED = "ties/two-docs-all-tied"


@pytest.mark.parametrize(
    ("own", "verdict", "faults"),
    [
        ([*UNTIED, line(case=TIED, verdict="crash")], "crash", 0),
        ([*UNTIED, line(case=TIED, verdict="timeout")], "crash", 1),
        (UNTIED, "crash", 1),
        ([UNTIED[0], line(case=TIED, verdict="crash")], "crash", 1),
        ([*UNTIED, line(value=0.5), line(case=TIED, verdict="crash")], "crash", 1),
        ([*UNTIED, line(case=TIED)], "agrees", 0),
        ([*UNTIED, line(case=TIED, verdict="crash")], "agrees", 2),
        ([line(case="", verdict="timeout")], "timeout", 0),
        ([line(case="", verdict="crash")], "timeout", 1),
    ],
)
def test_another_verdict_of_a_misbehaving_library_is_noticed(own: list[str], verdict: str, faults: int) -> None:
    judged = importlib.import_module("misbehaviour").judged
    assert len(judged(Counter(own), Counter([*UNTIED, line(case=TIED)]), verdict, everywhere=False)) == faults


@pytest.mark.release
def test_each_attack_holds_once(tmp_path: Path) -> None:
    command = [sys.executable, str(ATTACKS), "--quick", "--folder", str(tmp_path / "ground")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
