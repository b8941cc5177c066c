"""Many runs: measured in several processes, kept and continued, and never a part shown as the whole."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rankproof
from rankproof.evaluate.tracks import RunsRefused, evaluate_runs

MEASURES = ["nDCG@3", "AP"]


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """Return a folder with qrels and five runs, the last of which cannot be read."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    (tmp_path / "runs").mkdir()
    for i in range(1, 5):
        lines = [f"q1 Q0 {'ab'[i % 2]} 1 {i}.5 t", "q1 Q0 x 2 1 t", f"q2 Q0 {'cd'[i // 3]} 1 2 t"]
        (tmp_path / "runs" / f"r{i}").write_text("\n".join(lines) + "\n")
    (tmp_path / "runs" / "r5").write_text("q1 Q0 a\n")
    return tmp_path


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_run_is_measured_as_by_evaluate(track: Path, jobs: int) -> None:
    found = {}
    with pytest.raises(RunsRefused, match="r5:1: the line has 3 fields") as refused:  # noqa: PT012 - results before the error
        for one in evaluate_runs(track / "qrels", track / "runs", MEASURES, jobs=jobs):
            found[one.system] = one.result
    assert list(refused.value.of) == ["r5"]
    assert {*found} == {"r1", "r2", "r3", "r4"}
    for system, result in found.items():
        assert result == rankproof.evaluate(MEASURES, track / "qrels", track / "runs" / system)


def test_profiles_and_signatures(track: Path) -> None:
    run = track / "runs" / "r1"
    profiles = ["standard", "trec_eval-9", "missing=dropped"]
    found = {one.profile: one.result for one in evaluate_runs(track / "qrels", run, "AP", profiles=profiles)}
    assert found == {name: rankproof.evaluate("AP", track / "qrels", run, profile=name) for name in profiles}


def test_results_are_kept_and_not_measured_again(track: Path) -> None:
    runs = {name: track / "runs" / name for name in ("r1", "r2")}
    first = {one.system: one.result for one in evaluate_runs(track / "qrels", runs, MEASURES, out=track / "out")}
    files = sorted((track / "out").iterdir())
    stamps = [file.stat().st_mtime_ns for file in files]
    said: list[str] = []
    again = {
        one.system: one.result
        for one in evaluate_runs(track / "qrels", runs, MEASURES, out=track / "out", say=said.append)
    }
    assert again == first
    assert [one.warnings for one in again.values()] == [one.warnings for one in first.values()]
    assert [file.stat().st_mtime_ns for file in files] == stamps
    files[0].write_text(files[0].read_text().replace("mean", "maen", 1))
    assert {
        one.system: one.result
        for one in evaluate_runs(track / "qrels", runs, MEASURES, out=track / "out", say=said.append)
    } == first
    assert len(said) == 1
    assert "is damaged" in said[0]


@pytest.mark.parametrize("change", ["run", "qrels", "measures", "profile", "exact"])
def test_another_question_is_measured_anew(track: Path, change: str) -> None:
    run, options = track / "runs" / "r1", {"profiles": "missing=dropped"} if change == "profile" else {}
    list(evaluate_runs(track / "qrels", run, "AP", out=track / "out"))
    if change in {"run", "qrels"}:
        file = run if change == "run" else track / "qrels"
        file.write_text(file.read_text().replace("q2", "q1").replace(" c ", " y ").replace(" d ", " y "))
    measures = ["AP", "RR"] if change == "measures" else "AP"
    (found,) = evaluate_runs(track / "qrels", run, measures, out=track / "out", exact=change == "exact", **options)
    assert found.result == rankproof.evaluate(
        measures, track / "qrels", run, profile=options.get("profiles", "standard")
    )


def test_faults_of_the_qrels_stop_at_once(track: Path) -> None:
    (track / "qrels").write_text("q1 0 a x\n")
    with pytest.raises(rankproof.BadInput, match="qrels:1: the relevance grade is 'x'"):
        list(evaluate_runs(track / "qrels", track / "runs", "AP"))


def test_what_no_process_can_read_is_refused(track: Path) -> None:
    os.mkfifo(track / "pipe")
    with pytest.raises(rankproof.BadInput, match="several processes cannot read this"):
        list(evaluate_runs(track / "qrels", track / "pipe", "AP"))


def test_a_process_that_is_lost_twice_is_reported_and_others_are_measured(track: Path) -> None:
    program = f"""
import os, pathlib
from rankproof.evaluate import tracks
from rankproof.evaluate.tracks import evaluate_runs
import lost
tracks.outcome_of = lost.outcome_of
if __name__ == "__main__":
    found = []
    try:
        for one in evaluate_runs({str(track / "qrels")!r}, {str(track / "runs")!r}, "AP", jobs=2):
            found.append(one.system)
    except BaseException as error:
        print(type(error).__name__, sorted(found), error)
"""
    (track / "program.py").write_text(program)
    (track / "lost.py").write_text(
        "import os\nfrom rankproof.evaluate.measured_run import outcome_of as real\n\n"
        "def outcome_of(track, path):\n    if path.endswith('r2'):\n        os._exit(9)\n    return real(track, path)\n"
    )
    (track / "runs" / "r5").unlink()
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=track, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.startswith("Incomplete ['r1', 'r3', 'r4']"), done.stdout + done.stderr
    assert "its process ended" in done.stdout


def test_command_measures_what_it_can_and_names_the_rest(track: Path) -> None:
    command = [sys.executable, "-m", "rankproof", "evaluate", "qrels", "runs", "AP", "--json"]
    done = subprocess.run(command, cwd=track, capture_output=True, text=True, check=False)
    printed = json.loads(done.stdout)
    assert [one["system"] for one in printed["runs"]] == ["r1", "r2", "r3", "r4"]
    assert printed["not_measured"] == [{"system": "r5", "run": "runs/r5"}]
    assert done.returncode == 2
    assert "runs/r5:1: " in done.stderr


def test_an_interrupted_command_exits_with_3(track: Path) -> None:
    os.mkfifo(track / "slow")
    command = [sys.executable, "-m", "rankproof", "evaluate", "slow", "runs/r1", "AP"]
    with subprocess.Popen(command, cwd=track, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 3
    assert "Traceback" not in said
