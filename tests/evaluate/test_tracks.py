"""Evaluation of many runs: in several processes, stored and continued; partial results are never shown as complete."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rankproof
from rankproof.evaluate.tracks import RunsRefused, evaluate_runs

MEASURES = ["nDCG@3", "AP"]


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """Return a folder with qrels and five runs, the last of them unreadable."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    (tmp_path / "runs").mkdir()
    for i in range(1, 5):
        lines = [f"q1 Q0 {'ab'[i % 2]} 1 {i}.5 t", "q1 Q0 x 2 1 t", f"q2 Q0 {'cd'[i // 3]} 1 2 t"]
        (tmp_path / "runs" / f"r{i}").write_text("\n".join(lines) + "\n")
    (tmp_path / "runs" / "r5").write_text("q1 Q0 a\n")
    return tmp_path


def by_system(*arguments: Any, **options: Any) -> dict[str, rankproof.Result]:
    return {run.system: run.result for run in evaluate_runs(*arguments, **options)}


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_run_has_the_values_of_evaluate(track: Path, jobs: int) -> None:
    results = {}
    with pytest.raises(RunsRefused, match="r5:1: 3 fields instead of 6") as refused:  # noqa: PT012 - results before the error
        for run in evaluate_runs(track / "qrels", track / "runs", MEASURES, jobs=jobs):
            results[run.system] = run.result
    assert list(refused.value.of) == ["r5"]
    assert {*results} == {"r1", "r2", "r3", "r4"}
    for system, result in results.items():
        assert result == rankproof.evaluate(MEASURES, track / "qrels", track / "runs" / system)


def test_each_profile_has_its_values(track: Path) -> None:
    run = track / "runs" / "r1"
    profiles = ["standard", "trec_eval-9", "missing=dropped"]
    own = evaluate_runs(track / "qrels", run, "AP", profiles=profiles)
    results = {measured.profile: measured.result for measured in own}
    assert results == {name: rankproof.evaluate("AP", track / "qrels", run, profile=name) for name in profiles}


def test_separator_is_that_of_every_run(track: Path) -> None:
    (track / "judged").write_text("query_id;doc_id;relevance\nq1;a;1\n")
    for name, text in {"first": "q1;a;2\nq1;b;1\n", "second": "q1;a;1\nq1;b;2\n"}.items():
        (track / name).write_text(f"query_id;doc_id;score\n{text}")
    results = by_system(track / "judged", [track / "first", track / "second"], "RR", separator=";")
    assert {system: result.mean["RR"] for system, result in results.items()} == {"first": 1.0, "second": 0.5}


def test_results_are_kept_and_measured_again_if_their_file_is_damaged(track: Path) -> None:
    runs = {name: track / "runs" / name for name in ("r1", "r2")}
    lines: list[str] = []
    arguments, options = (track / "qrels", runs, MEASURES), {"out": track / "out", "say": lines.append}
    first = by_system(*arguments, **options)
    files = sorted((track / "out").iterdir())
    stamps = [file.stat().st_mtime_ns for file in files]
    again = by_system(*arguments, **options)
    assert again == first
    assert [result.warnings for result in again.values()] == [result.warnings for result in first.values()]
    assert [file.stat().st_mtime_ns for file in files] == stamps, "a result that is kept is not written again"
    files[0].write_text(files[0].read_text().replace("mean", "maen", 1))
    assert by_system(*arguments, **options) == first
    (damaged,) = lines
    assert "is damaged" in damaged


@pytest.mark.parametrize("change", ["run", "qrels", "measures", "profile", "exact"])
def test_a_result_is_not_used_for_another_input(track: Path, change: str) -> None:
    run, options = track / "runs" / "r1", {"profiles": "missing=dropped"} if change == "profile" else {}
    list(evaluate_runs(track / "qrels", run, "AP", out=track / "out"))
    if change in {"run", "qrels"}:
        file = run if change == "run" else track / "qrels"
        file.write_text(file.read_text().replace("q2", "q1").replace(" c ", " y ").replace(" d ", " y "))
    measures, profile = ["AP", "RR"] if change == "measures" else "AP", options.get("profiles", "standard")
    (own,) = evaluate_runs(track / "qrels", run, measures, out=track / "out", exact=change == "exact", **options)
    assert own.result == rankproof.evaluate(measures, track / "qrels", run, profile=profile)


def test_faults_of_the_qrels_and_files_that_cannot_be_read_twice_stop_at_once(track: Path) -> None:
    os.mkfifo(track / "pipe")
    with pytest.raises(rankproof.BadInput, match="several processes cannot read this"):
        list(evaluate_runs(track / "qrels", track / "pipe", "AP"))
    (track / "qrels").write_text("q1 0 a x\n")
    with pytest.raises(rankproof.BadInput, match="qrels:1: the relevance grade is 'x'"):
        list(evaluate_runs(track / "qrels", track / "runs", "AP"))


def test_a_run_whose_process_is_lost_twice_is_reported_and_all_others_are_measured(track: Path) -> None:
    program = f"""
from rankproof.evaluate import tracks
import lost
tracks.outcome_of = lost.outcome_of  # no input ends a process every time
if __name__ == "__main__":
    systems = []
    try:
        for run in tracks.evaluate_runs({str(track / "qrels")!r}, {str(track / "runs")!r}, "AP", jobs=2):
            systems.append(run.system)
    except BaseException as error:
        print(type(error).__name__, sorted(systems), error)
"""
    (track / "program.py").write_text(program)
    (track / "lost.py").write_text(
        "import os\nfrom rankproof.evaluate.measured_run import outcome_of as real\n\n"
        "def outcome_of(track, path):\n    if path.endswith('r2'):\n        os._exit(9)\n    return real(track, path)\n"
    )
    (track / "runs" / "r5").unlink()
    done = subprocess.run([sys.executable, "program.py"], cwd=track, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Incomplete ['r1', 'r3', 'r4']"), done.stdout + done.stderr
    assert "its process ended" in done.stdout


def test_command_measures_all_readable_runs_and_names_the_others(track: Path) -> None:
    command = [sys.executable, "-m", "rankproof", "evaluate", "qrels", "runs", "AP", "--json"]
    done = subprocess.run(command, cwd=track, capture_output=True, text=True, check=False)
    printed = json.loads(done.stdout)
    assert [run["system"] for run in printed["runs"]] == ["r1", "r2", "r3", "r4"]
    assert printed["not_measured"] == [{"system": "r5", "run": "runs/r5"}]
    assert done.returncode == 2
    assert "runs/r5:1: " in done.stderr


def test_an_interrupted_command_exits_with_3(track: Path) -> None:
    os.mkfifo(track / "slow")
    command = [sys.executable, "-m", "rankproof", "evaluate", "slow", "runs/r1", "AP"]
    with subprocess.Popen(command, cwd=track, stderr=subprocess.PIPE, text=True) as process:
        pipe = None
        while pipe is None and process.poll() is None:  # until the command waits for the pipe
            time.sleep(0.05)
            try:
                pipe = os.open(track / "slow", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                continue
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate()
    assert pipe is not None, "the command ended before it read its input"
    os.close(pipe)
    assert process.returncode == 3
    assert "Traceback" not in printed
