"""The attacks on a run count what they are to count: each thing that may go wrong is made to, and is seen; and a few of each hold."""

import csv
import importlib
import io
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
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
    "attacking", "bounds", "checks", "doctored", "foreign_code", "frames_entry", "functions", "given", "ground", "kills", "kinds", "pages",
    "planted", "running", "shown", "stores", "tally", "tracks",
)  # fmt: skip


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
)  # fmt: skip
def test_a_row_that_is_not_a_clean_machines_is_counted(found: list[str], invented: int, lost: int, told: int) -> None:
    ground = module("ground")
    rows = [ground.rows_of(results(*lines)) for lines in (found, CLEAN)]
    seen = ground.difference(*rows, told=ground.TOLD)
    assert (len(seen.invented), len(seen.lost), seen.told) == (invented, lost, told)


def test_nothing_is_told_in_place_of_a_row_where_nothing_was_attacked() -> None:
    ground = module("ground")
    rows = [ground.rows_of(results(*lines)) for lines in ([line(verdict="unstable")], [line()])]
    assert ground.difference(*rows) == ground.Difference((line(verdict="unstable"),), (line(),))


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


def test_a_part_that_stays_behind_is_found_wherever_it_lies() -> None:
    found = {"a/.x.part": b"", ".staging/results/a": b"", "results/sound.jsonl": b""}
    assert module("ground").parts(found) == ["a/.x.part", ".staging/results/a"]


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
        return running.run(
            [], {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}, tmp_path, **how
        )

    return begun


FAULT = "rankproof: this is a fault of rankproof: KeyError in a.py, line 1: 'q'"


@pytest.mark.parametrize(
    ("code", "documented", "faults"),
    [
        ("print('said'); sys.exit(2)", [0, 2], ()),
        ("print('said'); sys.exit(2)", [0], ("exit code 2", "")),
        ("raise ValueError('deep')", [1], ("a traceback", "ValueError: deep")),
        (f"sys.stderr.write({FAULT!r}); sys.exit(4)", [0, 1, 2], ("exit code 4", FAULT)),
        (
            f"sys.stderr.write({FAULT!r}); sys.exit(2)",
            [0, 1, 2],
            ("a fault of rankproof, though it does not end as one", FAULT),
        ),
    ],
)
def test_a_command_is_lost_where_it_does_not_end_as_documented(
    run: Run, code: str, documented: list[int], faults: tuple[str, ...]
) -> None:
    ended = run(code)
    assert ended.faults(documented) == faults
    assert (ended.left, ended.hit, ended.stdout) == (0, False, "said\n" if "print" in code else "")


def test_a_command_that_does_not_end_is_ended_and_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module("running"), "PATIENCE", 0.3)
    ended = run("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    assert ended.code is None
    assert ended.faults([0])[0] == "no end within 0.3 s"


def test_a_process_that_stays_is_counted_and_ended_and_holds_nobody_up(run: Run) -> None:
    ended = run("print(subprocess.Popen(['sleep', '60'], start_new_session=True).pid, flush=True)")
    assert ended.left == 1
    assert ended.seconds < 20
    assert gone([int(ended.stdout)])


def test_a_process_whose_environment_is_not_there_yet_is_left_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = module("running")
    looks, marked = itertools.count(), running.marked
    monkeypatch.setattr(running, "marked", lambda mark: marked(mark) if next(looks) else [])
    assert run("subprocess.Popen(['sleep', '60'], start_new_session=True)").left == 1


def test_a_process_that_ends_soon_after_its_run_is_not_left(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module("running"), "GRACE", 10.0)
    ended = run("subprocess.Popen(['sleep', '0.2'])")
    assert ended.left == 0
    assert 0.2 <= ended.seconds < 10


def test_a_process_of_another_run_is_none_of_this_one(run: Run) -> None:
    beside = subprocess.Popen(["sleep", "60"], env={**os.environ, module("running").MARK: "another"})
    try:
        assert run("pass").left == 0
        assert beside.poll() is None
    finally:
        beside.kill()
        beside.wait()


@pytest.mark.parametrize("given", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_is_obeyed_even_if_the_benchmark_ignores_it(run: Run, given: signal.Signals) -> None:
    kills = module("kills")
    before = signal.signal(given, signal.SIG_IGN)
    try:
        ended = run("time.sleep(60)", strike=kills._on_parent(kills.Moment(0.0), given))
    finally:
        signal.signal(given, before)
    assert ended.hit
    assert ended.code == -given
    assert ended.seconds < 20


def test_an_attack_after_the_end_did_not_hit(run: Run) -> None:
    kills = module("kills")
    assert not run("pass", strike=kills._on_parent(kills.Moment(5.0), signal.SIGKILL)).hit
    assert not run("pass", strike=kills._on_worker(kills.Moment(0.0), drawn())).hit


def test_a_worker_is_hit_and_never_the_parent(run: Run) -> None:
    kills = module("kills")
    code = "print(subprocess.Popen(['sleep', '60']).wait())"
    ended = run(code, strike=kills._on_worker(kills.Moment(0.0), drawn()))
    assert (ended.hit, ended.code, ended.stdout) == (True, 0, "-9\n")


def test_a_moment_comes_when_something_is_written(run: Run, tmp_path: Path) -> None:
    kills = module("kills")
    (tmp_path / "out").mkdir()
    # Again and again: however late the machine lets us look for the first time, something is written after it.
    code = "for i in range(300):\n    time.sleep(0.2)\n    open(f'out/part{i}', 'w').close()"
    ended = run(code, strike=kills._on_parent(kills.Moment(0.0, tmp_path / "out"), signal.SIGKILL))
    assert ended.code == -signal.SIGKILL
    assert (tmp_path / "out" / "part0").exists()


def test_no_file_grows_beyond_its_limit_and_root_obeys_modes(run: Run, tmp_path: Path) -> None:
    running = module("running")
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed").chmod(0o555)
    code = """
for name, text in (('closed/a', 'a'), ('b', 'b' * 101), ('c', 'c' * 99)):
    try:
        with open(name, 'w') as file:
            file.write(text)
        print(name, 'written')
    except OSError as error:
        print(name, type(error).__name__)
"""
    ended = run(code, limits=running.Limits(largest=100, powerless=os.geteuid() == 0))
    assert ended.stdout == "closed/a PermissionError\nb OSError\nc written\n"


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


@pytest.mark.parametrize(
    ("code", "stderr", "faults"),
    [
        (2, "rankproof: the-run:3: no score\n", 0),
        (2, "rankproof: no score\n", 1),
        (2, "", 2),
        (2, "rankproof: the-run:3: no\nand more\n", 1),
        (0, "", 0),
    ],
)
def test_a_refusal_names_the_file_that_was_doctored(code: int, stderr: str, faults: int) -> None:
    ended = module("running").Ended(code, "", stderr, False, 0, 1.0)  # noqa: FBT003 - as it is made
    assert len(module("doctored").refusal(ended, "the-run")) == faults


class Said:
    """A ground of which each command says the same."""

    def __init__(self, folder: Path, **ended: Any) -> None:
        self.folder, self.ended, self.asked = folder, ended, []

    def machine(self, name: str) -> Any:
        """A new machine."""
        (self.folder / name).mkdir(parents=True)
        return module("ground").Machine(self.folder / name)

    def command(self, machine: Any, *arguments: str, **how: Any) -> Any:
        """What a command becomes."""
        self.asked.append((machine, arguments, how))
        said = {name: value(arguments) if callable(value) else value for name, value in self.ended.items()}
        return module("running").Ended(
            **{"code": 0, "stdout": "", "stderr": "", "hit": True, "left": 0, "seconds": 1.0, **said}
        )


@pytest.mark.parametrize(
    ("why", "faults"),
    [("rankproof: {name}: {why}\n", 0), ("rankproof: {name}: no doc\n", 1), ("rankproof: {why}\n", 1)],
)
def test_an_input_that_is_too_much_is_refused_for_that(tmp_path: Path, why: str, faults: int) -> None:
    bounds = module("bounds")
    for i, name in enumerate(bounds.NAMES):
        if name in {"columns.csv", "empty-run", "two-keys.jsonl"}:
            said = why.format(name=name, why=bounds.WHY[name.partition(".")[0]])
            assert len(bounds.refused(Said(tmp_path / name, code=2, stderr=said), i, drawn()).lost) == faults


def test_each_input_that_is_too_much_has_its_reason() -> None:
    bounds = module("bounds")
    assert {name.partition(".")[0] for name in bounds.NAMES} == set(bounds.WHY)


def rows_of_csv(ids: list[str], *values: float) -> str:
    told = io.StringIO()
    csv.writer(told).writerows([["query", "AP"], *zip(ids, values, strict=True), ["mean", 0.5]])
    return told.getvalue()


def test_what_is_shown_is_read_back_and_each_value_stands_beside_its_id(tmp_path: Path) -> None:
    shown = module("shown")
    ids = [f"'{one}" if shown.FORMULA.match(one) else one for one in shown.IDS]
    right = [shown._value(i) for i in range(len(ids))]
    swapped = [right[1], right[0], *right[2:]]
    for i, (names, values, found) in enumerate(
        [
            (ids, right, (0, 0, 0)),
            (ids, swapped, (0, 2, 2)),
            (shown.IDS, right, (1, 0, 0)),
            (ids[1:], right[1:], (0, 0, 1)),
        ]
    ):
        ground = Said(tmp_path / str(i), stdout=rows_of_csv(list(names), *values))
        one = shown.cells(ground, [*shown.READERS].index("csv"), drawn())
        assert (len(one.lost), len(one.invented), len(one.missing)) == found


@pytest.mark.parametrize(
    ("form", "row", "reads"),
    [
        ("latex", r"a\_b & 1.0000 \\", True),
        ("latex", r"a_b & 1.0000 \\", False),
        ("latex", r"\input\{x\} & 1.0000 \\", False),
        ("latex", r"\textbackslash{}input & 1.0000 \\", True),
        ("latex", r"a & b & 1.0000 \\", False),
        ("markdown", r"| a\|b | 1.0000 |", True),
        ("markdown", "| a|b | 1.0000 |", False),
        ("markdown", "| <b>a</b> | 1.0000 |", False),
        ("markdown", r"| \<b>a\</b> | 1.0000 |", True),
    ],
)
def test_a_cell_that_is_markup_is_none(form: str, row: str, *, reads: bool) -> None:
    around = (
        "\\midrule\n{}\nmean & 1 \\\\\n\\bottomrule\n"
        if form == "latex"
        else "| query | AP |\n| --- | ---: |\n{}\n| mean | 1 |\n"
    )
    read = module("shown").READERS[form]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module("shown"), "IDS", ("a",))
        if reads:
            assert [value for _, value in read(around.replace("{}", row, 1))] == [1.0]
        else:
            with pytest.raises(ValueError, match="is markup"):
                read(around.replace("{}", row, 1))


@pytest.mark.parametrize(("said", "faults"), [("run another program than trec_eval", 0), ("trec_eval", 1)])
def test_another_program_is_not_run_and_it_is_said(tmp_path: Path, said: str, faults: int) -> None:
    given = module("given")
    assert len(given.another_program(Said(tmp_path, code=2, stderr=f"{said}\n"), 0, drawn()).lost) == faults
    ended = module("running").Ended(2, "", said, False, 0, 1.0)  # noqa: FBT003 - as it is made
    (tmp_path / "it-ran").touch()
    assert given._of_program(ended, tmp_path)[0] == "another program was run"


def right_lines(_: object) -> str:
    return "".join(f"{line}\n" for line in module("given").RIGHT)


@pytest.mark.parametrize(
    ("way", "ended", "found"),
    [
        ("as it is", {"stdout": right_lines}, (0, 0, 0)),
        ("as it is", {"stdout": lambda _: right_lines(0).replace("0.25", "0.26")}, (0, 1, 1)),
        ("as it is", {"code": 2, "stderr": "rankproof: no\n"}, (0, 0, 6)),
        ("infinite", {"stdout": lambda _: right_lines(0).replace("q2 0.41", "q2 0.99")}, (0, 0, 0)),
        ("infinite", {"stdout": lambda _: right_lines(0).replace("q3 0.25", "q3 0.99")}, (0, 1, 1)),
        ("nothing for an id", {"stdout": right_lines}, (1, 0, 0)),
        ("nothing for an id", {"code": 2, "stderr": "rankproof: no\n"}, (0, 0, 0)),
        ("nothing for an id", {"code": 2, "stderr": "rankproof: no\nand no\n"}, (1, 0, 0)),
        ("no rows", {"stdout": ""}, (0, 0, 0)),
    ],
)
def test_a_frame_that_is_spoilt_is_refused_or_leaves_other_queries_alone(
    tmp_path: Path, way: str, ended: dict[str, Any], found: tuple[int, ...]
) -> None:
    given = module("given")
    one = given.frames(Said(tmp_path, **ended), given.KINDS.index(("dicts", way)), drawn())
    assert (len(one.lost), len(one.invented), len(one.missing)) == found


@pytest.mark.parametrize(
    ("ended", "faults"),
    [
        ({"code": 3, "stdout": "see --budget"}, 0),
        ({"code": 0, "stdout": "see --budget"}, 1),
        ({"code": 3, "stdout": "see"}, 1),
        ({"code": 3, "stdout": "see --budget", "seconds": 31.0}, 1),
    ],
)
def test_a_budget_that_is_used_up_is_said_soon(tmp_path: Path, ended: dict[str, Any], faults: int) -> None:
    found = module("checks").out_of_time(Said(tmp_path, **ended), 0, drawn()).lost
    assert len([one for one in found if not one.endswith(": ")]) == faults


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
    is_whole = [row[0] for row in rows] == list(known) and all(
        int(row[1]) == known[row[0]].how_often(quick=False, times=None) or row[0].startswith("hostile site")
        for row in rows
    )
    assert ("no whole run of all rows that there are now is published yet" in TOLD) is not is_whole


def test_the_published_share_is_of_the_faults_there_are_and_high_enough() -> None:
    rows, faults = published("| planted fault | attack "), module("planted").PLANTED
    assert [row[0] for row in rows] == [fault.name for fault in faults]
    noticed = sum(row[2] == "yes" for row in rows)
    assert f"{noticed} of {len(faults)} planted faults are noticed, {100 * noticed / len(faults):.0f} %" in TOLD
    assert noticed >= 0.95 * len(faults)


# -- what an attack does, and what it makes of what it finds -----------------------------------------------------------

WHOLE = results(*CLEAN) | {"report.md": b"new"}
EARLIER = results(line()) | {"report.md": b"old"}
STORE = b'{"hello": {}, "answers": {"a": 1, "b": 2}}'


class Fake:
    """A ground whose commands do nothing but look at the machine and write what they are told to."""

    def __init__(self, folder: Path, *writes: dict[str, bytes], **ended: Any) -> None:
        self.folder, self.clean, self.before, self.duration = folder, WHOLE, EARLIER, 1.0
        self.writes, self.seen, self.ended = list(writes), [], ended
        (folder / "same").mkdir()
        (folder / "same" / "kept.json").write_bytes(STORE)

    def machine(self, name: str, like: str = "empty") -> Any:
        """A new machine, as the ground's."""
        machine = module("ground").Machine(self.folder / name, {"empty": {}, "earlier": EARLIER, "same": WHOLE}[like])
        machine.store.mkdir(parents=True)
        if like != "empty":
            (machine.store / "kept.json").write_bytes(STORE)
        return machine

    def asked(self, machine: Any, *, out: Path | None = None, **how: Any) -> Any:
        """What a run becomes."""
        machine.store.mkdir(parents=True, exist_ok=True)
        found = {path.name: path.read_bytes() if path.is_file() else None for path in machine.store.iterdir()}
        self.seen.append((found, out, how, machine.store.stat().st_mode & 0o777))
        first = self.ended if len(self.seen) == 1 else {}
        for name, text in (self.writes.pop(0) if self.writes else WHOLE).items():
            path = (out or machine.out) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        return module("running").Ended(
            **{"code": 0, "stdout": "", "stderr": "", "hit": True, "left": 0, "seconds": 1.0, **first}
        )


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., Fake]:
    return lambda *writes, **ended: Fake(tmp_path, *writes, **ended)


def drawn() -> Random:
    return Random(7)  # noqa: S311 - no secret


def test_one_byte_of_the_store_is_another(fake: Callable[..., Fake]) -> None:
    ground = fake()
    assert module("stores").store_flipped(ground, 0, drawn()).held
    kept = ground.seen[0][0]["kept.json"]
    assert sum(one != other for one, other in zip(kept, STORE, strict=True)) == 1


def test_a_digit_of_an_answer_is_another_and_reads_as_well_as_before() -> None:
    stores = module("stores")
    kept = b'{"hello": {"version": "1.25"}, "answers": {"a": {"v": {"RR": {"value": 0.5, "queries": {"q1": 0.125}}}}}}'
    seen = set()
    for seed in range(40):
        at, digit = stores.another_digit(kept, Random(seed))  # noqa: S311 - no secret
        changed = bytearray(kept)
        changed[at] = digit
        found, was = json.loads(changed), json.loads(kept)
        assert found["hello"] == was["hello"]
        assert found["answers"] != was["answers"]
        seen.add(at)
    assert len(seen) == 4, "each of the first digits of each answer"
    for digests in (b'{"files": {"report.md": "a1b2c3"}}', b'{"sha256": "9f", "answers": {}}'):
        at, digit = stores.another_digit(digests, drawn())
        assert f"{chr(digests[at])}{chr(digit)}".isdecimal()
        assert digests[at] != digit


@pytest.mark.parametrize("index", range(8))
def test_each_way_to_spoil_a_store_spoils_it(fake: Callable[..., Fake], index: int) -> None:
    ground = fake()
    assert module("stores").store_spoilt(ground, index, drawn()).held
    assert ground.seen[0][0]["kept.json"] != STORE


@pytest.mark.parametrize("index", range(3))
def test_a_store_is_read_only_and_may_be_written_again(fake: Callable[..., Fake], index: int) -> None:
    ground = fake()
    assert module("stores").store_read_only(ground, index, drawn()).held
    assert [seen[3] for seen in ground.seen] == [0o555, 0o755]
    assert ground.seen[0][2]["limits"].powerless is (os.geteuid() == 0)


@pytest.mark.parametrize("same", [False, True])
def test_two_runs_are_at_once_in_one_place_or_in_two(fake: Callable[..., Fake], *, same: bool) -> None:
    ground = fake()
    assert module("stores").two_at_once(ground, int(same), drawn()).held
    outs = [seen[1] for seen in ground.seen]
    assert len(outs) == 3
    assert (outs[0] == outs[1]) is same


def test_a_disk_is_small_then_large_then_gone(fake: Callable[..., Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    ground, told = fake(), []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: told.append((command, len(ground.seen))))
    assert module("stores").disk_full(ground, 0, drawn()).held
    assert [(command[0], asked) for command, asked in told] == [("mount", 0), ("mount", 1), ("umount", 2)]
    small, large = (int(command[4].rpartition("=")[2].replace("m", "000000")) for command, _ in told[:2])
    assert small < 100_000 < large


def test_files_are_limited_once(fake: Callable[..., Fake]) -> None:
    ground = fake()
    assert module("stores").files_limited(ground, 1, drawn()).held
    assert 0 < ground.seen[0][2]["limits"].largest < len(STORE)
    assert "limits" not in ground.seen[1][2]


SHORT = WHOLE | results(*CLEAN[1:])
FALSE_ROW = WHOLE | results(line(value=0.5), *CLEAN[1:])


@pytest.mark.parametrize("attack", ["store_flipped", "store_spoilt", "store_read_only"])
@pytest.mark.parametrize(
    ("writes", "ended", "found"),
    [
        (WHOLE, {}, (0, 0, 0, 0)),
        (WHOLE, {"code": 1}, (1, 0, 0, 0)),
        (WHOLE, {"stderr": "Traceback (most recent call last):\n"}, (1, 0, 0, 0)),
        (WHOLE, {"left": 2}, (0, 0, 0, 2)),
        (SHORT, {}, (1, 0, 1, 0)),
        (FALSE_ROW, {}, (1, 1, 1, 0)),
        (WHOLE | {"results/.sound.jsonl.part": b""}, {}, (1, 0, 0, 0)),
        (WHOLE | {"report.md": b"else"}, {}, (1, 0, 0, 0)),
    ],
)
def test_what_a_run_did_wrong_is_counted(
    fake: Callable[..., Fake], attack: str, writes: dict[str, bytes], ended: dict[str, Any], found: tuple[int, ...]
) -> None:
    one = getattr(module("stores"), attack)(fake(writes, **ended), 0, drawn())
    assert (bool(one.lost), len(one.invented), len(one.missing), one.left) == found


@pytest.mark.parametrize(
    ("room", "attack", "ended"),
    [
        ("kills", "parent_killed", {"code": -9}),
        ("kills", "parent_asked_to_end", {"code": 3}),
        ("kills", "worker_killed", {}),
        ("stores", "files_limited", {}),
        ("stores", "store_read_only", {}),
        ("stores", "two_at_once", {}),
    ],
)
def test_the_next_run_is_held_to_a_clean_one(
    fake: Callable[..., Fake], room: str, attack: str, ended: dict[str, Any]
) -> None:
    before = [WHOLE, WHOLE] if attack == "two_at_once" else [WHOLE]
    one = getattr(module(room), attack)(fake(*before, FALSE_ROW, **ended), 0, drawn())
    assert one.lost[0].endswith("the next run: results are of no one run: ['results/sound.jsonl']")
    assert (len(one.lost), len(one.invented), len(one.missing)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("attack", "writes", "ended", "lost"),
    [
        ("parent_killed", EARLIER, {"code": -9}, 0),
        ("parent_killed", WHOLE, {"code": -9}, 0),
        ("parent_killed", SHORT, {"code": -9}, 1),
        ("parent_killed", EARLIER, {"code": 3}, 2),
        ("parent_asked_to_end", EARLIER, {"code": 3}, 0),
        ("parent_asked_to_end", WHOLE, {"code": 0}, 0),
        ("parent_asked_to_end", EARLIER, {"code": 0}, 2),  # it says that it is done, and nothing is
        ("parent_asked_to_end", EARLIER, {"code": -15}, 2),
        ("parent_asked_to_end", EARLIER, {"code": 3, "seconds": 9.0}, 1),
        ("parent_asked_to_end", EARLIER | {".report.md.part": b""}, {"code": 3}, 1),
        ("worker_killed", WHOLE, {"code": 1}, 2),
    ],
)
def test_what_an_ended_run_left_is_counted(
    fake: Callable[..., Fake], attack: str, writes: dict[str, bytes], ended: dict[str, Any], lost: int
) -> None:
    assert len(getattr(module("kills"), attack)(fake(writes, **ended), 1, drawn()).lost) == lost


def test_a_killed_worker_may_be_told_of_as_unstable_and_no_more(tmp_path: Path) -> None:
    for verdict, invented in (("unstable", 0), ("crash", 1)):
        (folder := tmp_path / verdict).mkdir()
        told = results(line(verdict=verdict), *CLEAN[2:]) | {"report.md": b"told"}
        one = module("kills").worker_killed(Fake(folder, told, code=1), 0, drawn())
        assert (len(one.invented), one.held) == (invented, not invented)


def test_a_run_that_ends_before_its_attack_is_attacked_again(tmp_path: Path) -> None:
    kills = module("kills")
    for hits in (1, kills.TRIES):
        (folder := tmp_path / str(hits)).mkdir()
        ground = Fake(folder)
        tried: list[bool] = []

        def asked(machine: Any, tried: list[bool] = tried, hits: int = hits, ground: Fake = ground, **how: Any) -> Any:
            tried.append(len(tried) == hits)
            return replace(Fake.asked(ground, machine, **how), hit=tried[-1])

        ground.asked = asked  # type: ignore[method-assign]
        if hits < kills.TRIES:
            assert kills.worker_killed(ground, 0, drawn()).held
            assert tried == [False, True, False]
        else:
            with pytest.raises(kills.NeverHit):
                kills.worker_killed(ground, 0, drawn())


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
        ([UNTIED[0], tied("crash")], "crash", (0, 1, 0)),
        ([UNTIED[0], FALSE, tied("crash")], "crash", (1, 1, 0)),
        (SOUND, "agrees", (0, 0, 0)),
        ([*UNTIED, tied("crash")], "agrees", (1, 1, 0)),
        ([line(case="", verdict="timeout")], "timeout", (0, 0, 0)),
        ([line(case="", verdict="crash")], "timeout", (0, 0, 1)),
        ([], "crash", (0, 2, 1)),
    ],
)  # fmt: skip
def test_a_misbehaving_library_is_held_to_its_verdict(own: list[str], verdict: str, expected: tuple[int, ...]) -> None:
    ground, foreign_code = module("ground"), module("foreign_code")
    seen, wrong = foreign_code.judged(ground.Rows(own), ground.Rows(SOUND), verdict)
    assert (len(seen.invented), len(seen.lost), len(wrong)) == expected


def test_a_library_whose_sin_is_its_greeting_is_honest_nowhere() -> None:
    ground, foreign_code = module("ground"), module("foreign_code")
    sinful = [line(case="ties/none-tied", verdict="crash"), tied("crash")]
    for own, faults in ((sinful, 0), ([*UNTIED, tied("crash")], 1), ([], 1)):
        seen, wrong = foreign_code.judged(ground.Rows(own), ground.Rows(SOUND), "crash", tied_only=False)
        assert (len(seen.invented), len(seen.lost), len(wrong)) == (0, 0, faults), own
    assert foreign_code.sins_in_greeting("closes_stdin")
    assert not foreign_code.sins_in_greeting("hangs")


@pytest.mark.parametrize(
    ("name", "at_least"), [("adapters", 30), ("functions", 25), ("files-evaluate", 80), ("bounds", 15)]
)
def test_each_stranger_is_attacked_with(name: str, at_least: int) -> None:
    (found,) = (one for one in module("kinds").attacks(mounts=True, quick=False) if one.name == name)
    number = found.how_often(quick=False, times=None)
    assert number >= at_least
    assert found.how_often(quick=False, times=1000) == number, "there are no more"
    assert found.how_often(quick=True, times=None) == 1


def test_the_whole_form_is_as_long_as_was_asked() -> None:
    every = {
        one.name: one.how_often(quick=False, times=None) for one in module("kinds").attacks(mounts=True, quick=False)
    }
    assert every["parent-killed"] + every["parent-asked"] == every["worker-killed"] == every["store-flipped"] == 200


SAID = "crash: it ended its process with exit code 0"


@pytest.mark.parametrize(
    ("stdout", "holds"),
    [
        (f"asked    P@5\nverdict  {SAID} on ties/a\n", True),
        (
            "asked    P@5\nverdict  crash: it ended its process\n         with exit code 0 on ties/a\nprofile  ...\n",
            True,
        ),
        (f"verdict  crash: it took more memory\nprofile  {SAID}\n", False),
        ("verdict  crash: it took more memory\n", False),
        ("verdict  timeout: it ended its process with exit code 0\n", False),
        (f"asked    {SAID}\n", False),
        ("", False),
    ],
)
def test_a_misbehaving_function_is_held_to_its_verdict(stdout: str, *, holds: bool) -> None:
    assert (module("functions")._untold(stdout, SAID) == ()) is holds


@pytest.mark.parametrize(
    ("stderr", "faults"),
    [("rankproof: no\n", 0), ("\nrankproof: no\n", 0), ("", 1), ("a\nb\n", 1), ("a" * 3000, 1), ("a\x1b[2J", 1)],
)
def test_bad_input_is_one_line_that_prints(stderr: str, faults: int) -> None:
    assert len(module("doctored")._said(stderr)) == faults


def test_each_doctoring_changes_each_kind_of_file(monkeypatch: pytest.MonkeyPatch) -> None:
    doctored = module("doctored")
    monkeypatch.setattr(doctored, "INFLATED", 1000)
    texts = [doctored.QRELS, doctored.RUN, "\n".join(CLEAN), (ROOT / "adapters" / "sklearn.toml").read_text("utf-8")]
    same = [
        (name, text[:20])
        for name, way in doctored.WAYS.items()
        for text in texts
        if way(text.encode(), drawn()) == text.encode()
    ]
    assert same == []


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


def test_what_is_drawn_depends_on_the_seed_and_the_number_alone() -> None:
    attacking, kinds, tally = module("attacking"), module("kinds"), module("tally")
    attack = kinds.Attack("it", "it", 1, 1, lambda _ground, _index, chance: tally.Outcome(seconds=chance.random()))
    drawn = [attacking.once(attack, None, index, seed) for index, seed in ((0, 1), (0, 1), (1, 1), (0, 2))]
    assert drawn[0] == drawn[1]
    assert drawn[0] not in drawn[2:]


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
