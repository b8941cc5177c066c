"""The attacks on a run count what they are to count: each thing that may go wrong is made to, and is seen; and a few of each hold."""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import parts
import pytest
from processes import gone

ROOT = Path(__file__).resolve().parent.parent
ATTACKS = ROOT / "benchmarks" / "attacks"
SOME = 1
"""So many kinds of attacks are made by a usual run; the rooms that they attack have tests of their own."""
MODULES = (
    "attacking",
    "bounds",
    "checks",
    "doctored",
    "foreign_code",
    "frames_entry",
    "functions",
    "given",
    "ground",
    "kills",
    "kinds",
    "pages",
    "planted",
    "running",
    "shown",
    "stores",
    "tally",
    "tracks",
)


@pytest.fixture(scope="module", autouse=True)
def on_the_path() -> Iterator[None]:
    """The modules of the benchmark are imported by their bare names, as when it is run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ATTACKS))
        yield
        for name in MODULES:
            sys.modules.pop(name, None)


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


# -- rows --------------------------------------------------------------------------------------------------------------


def line(**record: object) -> str:
    whole = {"kind": "row", "subject": "sound-1", "case": "ties/a", "measure": "RR", "verdict": "agrees", "value": 1.0}
    return json.dumps({**whole, **record})


def results(*lines: str, library: str = "sound") -> dict[str, bytes]:
    text = "\n".join(['{"kind":"header"}', *lines, '{"kind":"footer"}'])
    return {f"results/{library}.jsonl": text.encode()}


CLEAN = [line(), line(query="q1"), line(case="ties/b"), '{"kind": "unsupported", "subject": "sound-1"}']


@pytest.mark.parametrize(
    ("found", "invented", "lost", "told"),
    [
        (CLEAN, 0, 0, 0),
        (CLEAN[::-1], 0, 0, 0),
        ([], 0, 4, 0),
        (CLEAN[:-1], 0, 1, 0),
        ([*CLEAN, CLEAN[0]], 1, 0, 0),
        ([line(value=0.5), *CLEAN[1:]], 1, 1, 0),
        ([line(case="", verdict="crash")], 1, 4, 0),
        ([line(verdict="crash"), *CLEAN[2:]], 1, 2, 0),
        ([line(verdict="unstable"), *CLEAN[2:]], 0, 0, 1),
        ([line(verdict="unstable"), CLEAN[3]], 0, 1, 1),
    ],
)
def test_a_row_that_is_not_a_clean_machines_is_counted(found: list[str], invented: int, lost: int, told: int) -> None:
    ground = module("ground")
    rows = [ground.rows_of(results(*lines)) for lines in (found, CLEAN)]
    seen = ground.difference(*rows, told=ground.TOLD)
    assert (len(seen.invented), len(seen.lost), seen.told) == (invented, lost, told)


OLD = results("1") | results("1", library="other") | {"report.md": b"1"}
NEW = results("2") | results("2", library="other") | {"report.md": b"2"}


@pytest.mark.parametrize(
    ("found", "faults"),
    [
        (OLD, 0),
        (NEW, 0),
        (NEW | {"report.md": b"1"}, 0),  # a page is whole by itself
        (NEW | {"results/.sound.jsonl.part": b"", ".report.md.part": b""}, 0),  # what SIGKILL leaves nobody can remove
        (NEW | {"report.md": b"3"}, 1),
        (NEW | {"more.md": b"1"}, 1),
        (NEW | results("1"), 1),
        ({name: text for name, text in NEW.items() if "other" not in name}, 1),
        ({name: text for name, text in NEW.items() if name != "report.md"}, 1),
        (NEW | results("2", library="third"), 1),
        ({}, 2),
    ],
)
def test_results_are_all_of_one_run_and_no_page_is_torn(found: dict[str, bytes], faults: int) -> None:
    assert len(module("ground").torn(found, OLD, NEW)) == faults
    assert module("ground").torn({}, {}, NEW) == [], "nothing was there before"


# -- commands ----------------------------------------------------------------------------------------------------------

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs Python code in place of the command line, begun as it is."""
    running = module("running")
    monkeypatch.setattr(running, "ENTRY", "victim:main")
    monkeypatch.setattr(running, "GRACE", 0.1)

    def begun(code: str, **how: Any) -> Any:
        lines = "\n".join(f"    {one}" for one in code.splitlines())
        (tmp_path / "victim.py").write_text(f"import os, signal, subprocess, sys, time\n\ndef main():\n{lines}\n")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        return running.run([], environment, tmp_path, **how)

    return begun


FAULT = "rankproof: this is a fault of rankproof: KeyError in a.py, line 1: 'q'"


FAULTY = f"sys.stderr.write({FAULT!r}); sys.exit"


@pytest.mark.parametrize(
    ("code", "documented", "faults"),
    [
        ("print('said'); sys.exit(2)", [0, 2], ()),
        ("print('said'); sys.exit(2)", [0], ("exit code 2", "")),
        ("raise ValueError('deep')", [1], ("a traceback", "ValueError: deep")),
        (f"{FAULTY}(4)", [0, 1, 2], ("exit code 4", FAULT)),
        (f"{FAULTY}(2)", [0, 1, 2], ("a fault of rankproof, though it does not end as one", FAULT)),
    ],
)
def test_a_command_is_lost_where_it_does_not_end_as_documented(
    run: Run, code: str, documented: list[int], faults: tuple[str, ...]
) -> None:
    ended = run(code)
    assert ended.faults(documented) == faults
    assert (ended.left, ended.hit, ended.stdout) == (0, False, "said\n" if "print" in code else "")


def test_a_process_that_stays_is_counted_and_ended_and_holds_nobody_up(run: Run) -> None:
    ended = run("print(subprocess.Popen(['sleep', '60'], start_new_session=True).pid, flush=True)")
    assert ended.left == 1
    assert ended.seconds < 20
    assert gone([int(ended.stdout)])


def test_a_command_is_struck_at_the_moment_of_a_write_and_at_no_other(run: Run, tmp_path: Path) -> None:
    running = module("running")
    (tmp_path / "held").write_text("old")
    code = """
open('held').read()
open('../beside-' + str(os.getpid()), 'w').close()
os.unlink('../beside-' + str(os.getpid()))
for name in 'abc':
    open(name, 'w').close()
os.replace('a', 'held')
"""
    for moment, there in ((1, ""), (2, "a"), (3, "ab"), (4, "abc"), (5, "bc")):
        for name in "abc":
            (tmp_path / name).unlink(missing_ok=True)
        blow = running.Blow(moment, signal.SIGKILL, tmp_path.with_name(f"{tmp_path.name}-{moment}"))
        ended = run(code, limits=running.Limits(blow=blow))
        assert "".join(name for name in "abc" if (tmp_path / name).exists()) == there
        assert (ended.hit, ended.code) == ((True, -signal.SIGKILL) if moment < 5 else (False, 0))
        assert blow.moments == min(moment, 4)


# -- planted faults ----------------------------------------------------------------------------------------------------


def test_every_planted_fault_can_be_planted_and_has_its_attack() -> None:
    planted, kinds = module("planted"), module("kinds")
    known = {attack.name for attack in kinds.attacks(mounts=True, quick=False)}
    assert len(planted.PLANTED) >= 15
    assert len({fault.name for fault in planted.PLANTED}) == len(planted.PLANTED)
    for fault in planted.PLANTED:
        assert fault.against in known
        for path, old, new in ((fault.path, fault.old, fault.new), *fault.also):
            text = (ROOT / "harness" / path).read_text(encoding="utf-8")
            assert old in text, fault.name
            compile(text.replace(old, new, 1), path, "exec")


TOLD = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")


def published(heading: str) -> list[list[str]]:
    """The rows of a table in docs/attacks.md, without its heading and its rule."""
    rows = TOLD.partition(heading)[2].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if row.startswith("|")][2:]


def test_the_published_table_adds_up_and_is_all_zeros() -> None:
    rows = published("| attack | times | runs lost ")
    assert {tuple(zeros) for _, _, *zeros, _, _ in rows} == {("0", "0", "0", "0")}
    assert f"of {sum(int(row[1]) for row in rows):,} attacks" in TOLD


def test_a_table_that_is_said_to_be_the_last_is_of_the_attacks_there_are() -> None:
    rows = published("| attack | times | runs lost ")
    known = {attack.title: attack for attack in module("kinds").attacks(mounts=True, quick=False)}
    is_whole = [row[0] for row in rows] == [*known]
    for title, times, *_ in rows if is_whole else ():
        is_whole &= int(times) == known[title].how_often(quick=False, times=None) or title.startswith("hostile site")
    assert ("no whole run of all rows that there are now is published yet" in TOLD) is not is_whole


def test_the_published_share_is_of_the_faults_there_are_and_high_enough() -> None:
    rows, faults = published("| planted fault | attack "), module("planted").PLANTED
    assert [row[0] for row in rows] == [fault.name for fault in faults]
    noticed = sum(row[2] == "yes" for row in rows)
    assert f"{noticed} of {len(faults)} planted faults are noticed, {100 * noticed / len(faults):.0f} %" in TOLD
    assert noticed >= 0.95 * len(faults)


# -- strangers ---------------------------------------------------------------------------------------------------------

UNTIED = [line(case="ties/none-tied"), line(case="ties/none-tied", query="q1")]
SOUND = [*UNTIED, line(case="ties/two-docs-all-tied")]
FALSE = line(case="ties/none-tied", value=0.5)


def tied(verdict: str) -> str:
    return line(case="ties/two-docs-all-tied", verdict=verdict, value=None)


@pytest.mark.parametrize(
    ("own", "verdict", "expected"),
    [
        ([*UNTIED, tied("crash")], "crash", (0, 0, 0)),
        ([*UNTIED, tied("timeout")], "crash", (0, 0, 1)),
        ([*UNTIED, tied("agrees")], "crash", (0, 0, 1)),
        (UNTIED, "crash", (0, 0, 1)),
        ([], "crash", (0, 2, 1)),
        ([UNTIED[0], tied("crash")], "crash", (0, 1, 0)),
        ([UNTIED[0], FALSE, tied("crash")], "crash", (1, 1, 0)),
        (SOUND, "agrees", (0, 0, 0)),
        ([*UNTIED, tied("crash")], "agrees", (1, 1, 0)),
        ([line(case="", verdict="timeout")], "timeout", (0, 0, 0)),
        ([line(case="", verdict="crash")], "timeout", (0, 0, 1)),
    ],
)
def test_a_misbehaving_library_is_held_to_its_verdict(own: list[str], verdict: str, expected: tuple[int, ...]) -> None:
    ground, foreign_code = module("ground"), module("foreign_code")
    seen, wrong = foreign_code.judged(ground.Rows(own), ground.Rows(SOUND), verdict)
    assert (len(seen.invented), len(seen.lost), len(wrong)) == expected


# -- the table ---------------------------------------------------------------------------------------------------------


def test_the_table_sums_up_and_holds_only_if_all_is_zero_and_something_was_done() -> None:
    tally = module("tally")
    held, lost = tally.Outcome(seconds=1.0), tally.Outcome(("a", "b"), ("row",), ("x", "y"), 3, 4.0)
    whole = tally.line_of("it", [("it 0", held), ("it 1", lost), ("it 2", held)])
    assert tally.table([whole]).splitlines()[-1] == "| it | 3 | 1 | 1 | 2 | 3 | 1.00 | 4.00 |"
    assert len(whole.faults) == 5
    assert not whole.held
    assert tally.line_of("it", [("it 0", held)]).held
    assert not tally.line_of("it", []).held
    for bad in (tally.Outcome(("a",)), tally.Outcome((), ("a",)), tally.Outcome((), (), ("a",)), tally.Outcome(left=1)):
        assert not bad.held
        assert not tally.line_of("it", [("it 0", bad)]).held
        assert not held.and_then(bad).held
        assert not bad.and_then(held).held


def test_an_attack_that_never_hits_is_no_attack_that_held() -> None:
    from click.testing import CliRunner

    attacking, kinds, kills = module("attacking"), module("kinds"), module("kills")

    def never(_ground: object, _index: int, _chance: Random) -> None:
        raise kills.NeverHit("too late")

    (found,) = attacking.once(kinds.Attack("it", "it", 1, 1, never), None, 0, 1)
    assert found.lost == ("too late",)
    (broken,) = attacking.once(kinds.Attack("it", "it", 1, 1, lambda *_: 1 // 0), None, 0, 1)
    assert broken.lost == ("the attack cannot go on: ZeroDivisionError: integer division or modulo by zero",)
    refused = CliRunner().invoke(attacking.main, ["--only", "nothing"])
    assert refused.exit_code == 2
    assert "nothing is no attack; known are parent-killed, " in refused.output


@pytest.mark.in_turn
def test_a_few_attacks_of_each_kind_or_of_some_hold(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    known = [attack.name for attack in module("kinds").attacks(mounts=module("stores").own_mounts(), quick=True)]
    made = parts.so_many(known, parts.code(), number=SOME) if parts.taken(request.config) else known
    only = [word for name in made for word in ("--only", name)]
    command = [sys.executable, str(ATTACKS), "--quick", "--json", *only, "--folder", str(tmp_path / "ground")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["attacks"]
    assert all(one["times"] for one in told)
    assert len(told) == len(made)
