"""Whole tracks: many runs, each measured by itself, in one process, in several, or on a cluster; and none of them twice."""

import errno
import itertools
import json
import logging
import math
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

import pytest
import typed
from click.testing import CliRunner
from fates import fate
from processes import gone

import rankproof
from rankproof.cli.evaluate import command
from rankproof.evaluate import quick
from rankproof.evaluate.inputs import BadInput, read_run
from rankproof.evaluate.tracks import dask_cluster, kept_results, local_processes, many_runs, one_run
from rankproof.evaluate.tracks.kept_results import KeptResults
from rankproof.evaluate.tracks.many_runs import RunResult, RunsRefused, evaluate_runs, not_measured
from rankproof.evaluate.tracks.one_run import QrelsRefused, outcome_of, sha256_of, unchanged
from rankproof.evaluate.tracks.track import Outcome, QrelsFile, Track
from rankproof.inference.signatures import Signature
from rankproof.interruption import Incomplete
from rankproof.reference_impl.notation import UnknownMeasure

if TYPE_CHECKING:
    from rankproof.evaluate.result import Result

MEASURES = ["nDCG@2", "AP"]


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """Qrels, and a folder of four runs; run i finds the relevant doc of q1 at rank i."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n")
    (tmp_path / "runs").mkdir()
    for i in range(1, 5):
        rows = [f"q1 Q0 {'a' if rank == i else f'x{rank}'} {rank} {9 - rank} t\n" for rank in range(1, 5)]
        (tmp_path / "runs" / f"r{i}").write_text("".join(rows))
    return tmp_path


def asked(track: Path, runs: Any = None, measures: Any = MEASURES, **options: Any) -> Iterator[RunResult]:
    return evaluate_runs(track / "qrels", track / "runs" if runs is None else runs, measures, **options)


def asked_of(system: str, track: Path, **options: Any) -> list[RunResult]:
    """The same of one of the runs alone, whose results are kept."""
    return list(asked(track, track / "runs" / system, out=track / "out", **options))


@pytest.mark.parametrize("size", [0, 10**9])
def test_what_is_said_beside_the_numbers_is_what_evaluate_says_and_it_is_kept(
    track: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", size)
    (track / "runs" / "r2").write_text("q1 Q0 b 1 1 t\nq1 Q0 a 2 1 t\nQ2 Q0 a 1 1 t\n")
    wanted = [rankproof.evaluate(["all_trec"], track / "qrels", track / "runs" / f"r{i}").warnings for i in range(1, 5)]
    assert {one.kind for one in wanted[1]} >= {"missing-queries", "extra-queries", "ids-alike", "ties", "left-out"}
    for _ in range(2):
        found = asked(track, measures=["all_trec"], out=track / "out")
        assert [one.result.warnings for one in found] == wanted


@pytest.mark.parametrize("exact", [False, True])
def test_large_runs_go_by_columns_unless_they_are_to_be_exact(
    track: Path, *, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", 0)
    by_rows = []
    monkeypatch.setattr(one_run, "read_run", lambda *args, **named: by_rows.append(1) or read_run(*args, **named))
    (track / "runs" / "r2").write_text("q1 Q0 a 1 1e-9 t\nq1 Q0 b 1 0x1 t\n")
    found: list[RunResult] = []
    with pytest.raises(RunsRefused, match=r"^1 of 4 runs is not measured: \S*/r2:2: the score '0x1' is no number$"):
        found.extend(asked(track, exact=exact))
    for one in found:
        assert one.result == rankproof.evaluate(MEASURES, track / "qrels", one.run, exact=exact)
    assert len(by_rows) == (4 if exact else 1), "rows say what is wrong with a run"


def test_qrels_that_are_not_for_columns_are_not_read_as_columns_again_for_every_run(
    track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", 0)
    tried = []
    monkeypatch.setattr(one_run, "qrels_by_column", lambda *given: tried.append(given) or quick.qrels_by_column(*given))
    (track / "qrels").write_text("q1 0 a 1e0\n")
    assert [one.result.mean["AP"] for one in asked(track)] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert len(tried) == 1


@pytest.mark.parametrize("size", [0, 10**9])
def test_fields_are_separated_as_evaluate_does(track: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", size)
    qrels, run = track / "qrels.csv", track / "run.csv"
    qrels.write_text("query|docid|rel\nq1|a,b|1\n")
    run.write_text("query|docid|score\nq1|c|2\nq1|a,b|1\n")
    (one,) = evaluate_runs(qrels, run, "AP", separator="|")
    assert one.result == rankproof.evaluate(["AP"], qrels, run, separator="|")
    assert one.result.mean["AP"] == 1 / 2


def test_each_profile_has_its_result_by_one_reading(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(one_run, "read_run", lambda *args, **named: read.append(args) or read_run(*args, **named))
    found = list(asked(track, profiles=["standard", "missing=dropped"]))
    told = [("r1", "standard"), ("r1", "missing=dropped"), ("r2", "standard")]
    assert [(one.system, one.profile) for one in found[:3]] == told
    assert [one.result.mean["AP"] for one in found[2:4]] == [1 / 4, 1 / 2]
    assert len(read) == 4


@pytest.mark.parametrize("turn", range(3))
def test_each_of_several_profiles_is_measured_as_it_is_alone(track: Path, turn: int) -> None:
    """One of them, in any place, looks at ranks, which say another order than the scores."""
    for path in (track / "runs").iterdir():
        rows = [row.split() for row in path.read_text().splitlines()]
        path.write_text("".join(f"{q} Q0 {doc} {9 - int(rank)} {score} t\n" for q, _, doc, rank, score, _ in rows))
    profiles = ["standard", "missing=dropped", "order=rank"]
    found = list(asked(track, profiles=profiles[turn:] + profiles[:turn]))
    assert {one.result.mean["AP"] for one in found if one.profile == "order=rank"} == {1 / 8, 1 / 6, 1 / 4, 1 / 2}
    for one in found:
        alone = rankproof.evaluate(MEASURES, track / "qrels", track / "runs" / one.system, profile=one.profile)
        assert one.result == alone


def test_beside_each_profile_stands_what_is_to_be_said_of_it_alone(track: Path) -> None:
    """One was read in a source, one is a library's with open choices, and one is ours."""
    found = list(asked(track, measures="nDCG@10", profiles=["elasticsearch", "standard", "trec_eval"]))
    kinds: dict[str, set[str]] = {}
    for one in found:
        alone = rankproof.evaluate("nDCG@10", track / "qrels", track / "runs" / one.system, profile=one.profile)
        assert one.result.warnings == alone.warnings, one.profile
        kinds.setdefault(one.profile, set()).update(each.kind for each in one.result.warnings)
    assert len({frozenset(said) for said in kinds.values()}) > 1, kinds


def test_qrels_that_one_profile_refuses_serve_the_other(track: Path) -> None:
    with (track / "qrels").open("a") as file:
        file.write("q1 0 a 1\n")
    with pytest.raises(QrelsRefused, match=r"^\S*qrels:4: doc 'a' stands twice"):
        list(asked(track))
    found = []
    with pytest.raises(RunsRefused, match="4 of 4 runs are not measured") as refused:
        found.extend(asked(track, profiles=["standard", "qrels_duplicates=last"]))
    assert [one.profile for one in found] == ["qrels_duplicates=last"] * 4
    told = r"by standard: \S*qrels:4: doc 'a' stands twice"
    assert [bool(re.match(told, why)) for why in refused.value.of.values()] == [True] * 4, "the last as the first"


@pytest.mark.parametrize(
    ("options", "error", "why"),
    [
        ({"measures": "ARI"}, UnknownMeasure, "ARI compares two labelings; a run has none"),
        ({"measures": "nDGC"}, UnknownMeasure, "nDGC"),
        ({"runs": []}, BadInput, "the run: none is given"),
        ({"runs": {}}, BadInput, "the run: none is given"),
        (
            {"runs": [{"q": {"a": 1.0}}]},
            BadInput,
            r"the run: this is of type dict, and no path of a file; data in memory",
        ),
        ({"runs": {"x": "y", "bm25": b"z"}}, BadInput, "the run bm25: this is of type bytes, and no path"),
        ({"runs": "-"}, BadInput, "-: several processes cannot read this"),
        ({"k": 0}, BadInput, "k: 0 is no cutoff"),
        (
            {"scheduler": "foo"},
            dask_cluster.NoCluster,
            "'foo' is no address of a scheduler; one is of the form tcp://host:8786",
        ),
        ({"scheduler": "http://h:1"}, dask_cluster.NoCluster, "is no address"),
        ({"columns": {"x": "y"}}, BadInput, "columns: 'x' is none"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(track: Path, options: Any, error: type[ValueError], why: str) -> None:
    with pytest.raises(error, match=why):
        asked(track, **options)  # before anything is taken from it


def test_qrels_that_are_not_there_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^\S*none: no such file or directory$"):
        evaluate_runs(tmp_path / "none", "run", "AP")
    with pytest.raises(BadInput, match=r"^the qrels: this is of type list, and no path of a file"):
        evaluate_runs(["AP"], "run", "AP")  # type: ignore[arg-type]


# -- which files ---------------------------------------------------------------------------------------------------------


def test_a_folder_is_its_files_by_name_and_a_pattern_those_that_it_names(track: Path) -> None:
    (track / "runs" / ".hidden").write_text("x")
    (track / "runs" / "folder").mkdir()
    (track / "runs" / "r[12]").write_text("q2 Q0 a 1 1 t\n")
    assert [one.system for one in asked(track)] == ["r1", "r2", "r3", "r4", "r[12]"]
    assert [one.system for one in asked(track, str(track / "runs" / "r[34]"))] == ["r3", "r4"]
    assert [one.system for one in asked(track, track / "runs" / "r[12]")] == ["r[12]"], "a file of that name is meant"
    assert [one.system for one in asked(track, {"mine": track / "runs" / "r1"})] == ["mine"]
    whys = {"folder": "there is no file in this folder; give one that has runs", "z*": "no file has such a name"}
    for nothing, why in whys.items():
        with pytest.raises(BadInput) as refused:
            asked(track, str(track / "runs" / nothing))
        assert str(refused.value) == f"{track / 'runs' / nothing}: {why}"


# -- what is kept --------------------------------------------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the runs that are measured."""
    names: list[str] = []

    def outcome(track: Track, path: str) -> Outcome:
        names.append(Path(path).name)
        return outcome_of(track, path)

    monkeypatch.setattr(local_processes, "outcome_of", outcome)
    return names


def test_what_was_interrupted_goes_on_and_nothing_is_measured_twice(track: Path, measured: list[str]) -> None:
    options = {"out": track / "out", "profiles": ["standard", "norel=nan missing=nan"]}
    results = asked(track, **options)
    first = [next(results) for _ in range(4)]
    results.close()  # type: ignore[attr-defined]
    assert measured == ["r1", "r2"]
    again = list(asked(track, **options))
    assert measured == ["r1", "r2", "r3", "r4"]
    assert repr(again[:4]) == repr(first), "nan and all"
    assert math.isnan(again[1].result.mean["AP"])
    assert [one.system for one in again] == ["r1", "r1", "r2", "r2", "r3", "r3", "r4", "r4"]
    assert repr(list(asked(track, **options))) == repr(again)
    assert len(measured) == 4


def test_what_is_damaged_is_measured_anew_and_said(track: Path, measured: list[str]) -> None:
    before = list(asked(track, out=track / "out"))
    place = next((track / "out").glob("r2-*.json"))
    text = place.read_text()
    assert json.loads(text)["results"]["standard"]["measures"]["AP"]["mean"] == 1 / 4
    for damage in (text.replace("0.25", "0.75"), text[:-5], "", "\xff" * 9):
        place.write_text(damage, encoding="latin1")
        said: list[str] = []
        assert list(asked(track, out=track / "out", say=said.append))[1] in before
        why = "this is not as it was written (its checksum is another one); the run r2 is measured anew"
        assert said == [f"{place}: {why}"]
        assert place.read_text() == text
    assert measured[4:] == ["r2"] * 4
    place.write_text(kept_results.with_checksum({"results": {"standard": []}}))
    with pytest.warns(UserWarning, match="is measured anew"):
        list(asked(track, out=track / "out"))


def test_a_result_that_answers_another_question_is_not_used_whatever_its_name(track: Path, measured: list[str]) -> None:
    asked_of("r2", track)
    (of_floats,) = (track / "out").iterdir()
    asked_of("r2", track, exact=True)
    (exact,) = {*(track / "out").iterdir()} - {of_floats}
    exact.write_bytes(of_floats.read_bytes())
    asked_of("r2", track, exact=True)
    assert measured == ["r2"] * 3


def test_a_kept_result_is_of_its_run_and_of_its_profile(tmp_path: Path) -> None:
    """All else that it is of is changed field by field in `test_every_field.py`."""
    by = {"AP": Signature.of("AP", "standard")}
    standard, mine = (Track(QrelsFile("qrels", "5ha"), {profile: by}) for profile in ("standard", "mine"))
    first, other = (KeptResults(tmp_path, track, print) for track in (standard, mine))
    assert len({first.place("r 1").name, first.place("r_1").name, other.place("r 1").name}) == 3


def test_what_was_taken_of_an_open_axis_is_kept(track: Path, measured: list[str]) -> None:
    signature = "AP|missing:?0/nan|by:mine-1"
    before, again = (asked_of("r1", track, measures=[], signature=signature)[0] for _ in range(2))
    (taken,) = before.result.taken.values()
    assert taken == {"missing": "0"}
    assert again == before
    assert measured == ["r1"]


def test_a_result_that_lacks_what_is_asked_is_not_used(track: Path, measured: list[str]) -> None:
    asked_of("r2", track)
    (place,) = (track / "out").iterdir()
    kept = kept_results.read_with_checksum(place)
    del kept["results"]["standard"]["measures"]["AP"]
    for results in (kept["results"], {}):
        place.write_text(kept_results.with_checksum(kept | {"results": results}))
        assert [list(each.result.mean) for each in asked_of("r2", track)] == [MEASURES]
    assert measured == ["r2"] * 3


def test_a_file_that_is_written_to_while_it_is_read_is_refused(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reading(path: str, *args: Any, **named: Any) -> Any:
        found = read_run(path, *args, **named)
        with Path(path).open("a") as file:
            file.write("q2 Q0 a 1 1 t\n")
        return found

    monkeypatch.setattr(one_run, "read_run", reading)
    with pytest.raises(RunsRefused, match="it was written to while it was read; ask again"):
        asked_of("r1", track)
    assert not list(track.glob("out/*"))


def test_a_file_that_is_written_to_is_refused_though_it_is_as_long_as_before(track: Path) -> None:
    path, later = track / "qrels", 2_000_000_000
    with pytest.raises(BadInput, match=r"qrels: it was written to while it was read; ask again$"), unchanged(str(path)):
        os.utime(path, (later, later))


def test_other_qrels_at_the_same_path_are_refused(track: Path) -> None:
    results = asked(track)
    (track / "qrels").write_text("q1 0 a 0\n")
    why = r"this is another file than the one that was meant; all machines are to have the same$"
    with pytest.raises(QrelsRefused, match=why):
        list(results)


def test_another_version_measures_nothing(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_run, "VERSION", "0.0.1")
    why = rf"^rankproof 0\.0\.1 is to measure for rankproof {rankproof.__version__}; install the same version$"
    with pytest.raises(QrelsRefused, match=why):
        list(asked(track))


def test_why_runs_are_not_measured_is_said_once_for_each_reason() -> None:
    assert str(not_measured({"r1": "it is odd"}, 1)) == "it is odd"
    assert str(not_measured({"r1": "it is odd"}, 2)) == "1 of 2 runs is not measured: it is odd"
    both = not_measured({"r1": "it is\nodd", "r2": "it is not"}, 3)
    assert (str(both), len(both.__notes__), both.of.keys()) == ("2 of 3 runs are not measured", 2, {"r1", "r2"})
    assert both.__notes__ == ["it is odd", "it is not"]


def test_a_measure_that_this_process_alone_knows_is_refused(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_runs, "is_defined", lambda measure: measure == "AP")
    why = r"^AP was made by define, and is known to this process alone; ask rankproof\.evaluate$"
    with pytest.raises(UnknownMeasure, match=why):
        asked(track)


# -- the command -----------------------------------------------------------------------------------------------------------


def said(*arguments: object) -> Any:
    return CliRunner().invoke(command, [*map(str, arguments), "-m", "AP"])


def systems(told: str) -> list[str]:
    """The runs that a table tells of."""
    head, *rows = (line.split()[0] for line in told.splitlines())
    assert head == "system"
    return rows


def test_the_command_keeps_the_order_of_runs_whatever_comes_first(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(*args: Any, **named: Any) -> Iterator[RunResult]:
        yield from reversed(list(evaluate_runs(*args, **named)))

    monkeypatch.setattr(many_runs, "evaluate_runs", backwards)
    runs = [track / "runs" / name for name in ("r3", "r1", "r4")]
    assert systems(said(track / "qrels", *runs).stdout) == ["r3", "r1", "r4"]
    assert len(systems(said(track / "qrels", track / "runs").stdout)) == 4


def ended(track: Path, *runs: object) -> tuple[int, str, str]:
    """The exit code of the program, and what it wrote."""
    done = typed.rankproof("evaluate", track / "qrels", *runs, "-m", "AP", cwd=track)
    return done.code, done.out, done.err


def test_the_command_measures_what_it_can_and_names_what_it_cannot(track: Path) -> None:
    (track / "runs" / "r2").write_text("q1 Q0 a 1\n")
    (track / "far").write_text("q99 Q0 a 1 1 t\n")
    code, out, err = ended(track, track / "far", track / "runs", track / "none")
    assert (code, systems(out)) == (2, ["r1", "r3", "r4"])
    assert [line for line in err.splitlines() if not line.startswith("warning: ")] == [
        "rankproof: 3 of 6 runs are not measured",
        f"{track / 'runs' / 'r2'}:1: 4 fields where 6 are needed, query Q0 doc rank score tag; is it the qrels?",
        f"{track / 'none'}: no such file or directory",
        f"{track / 'far'}: no query in common: the qrels have 2, as 'q1', and the run has others, as 'q99'",
    ]
    code, out, err = ended(track, track / "runs" / "r[12]", "--json")
    assert (code, json.loads(out)["not_measured"]) == (2, [{"system": "r2", "run": str(track / "runs" / "r2")}])
    assert "\nthese are the values of r1 alone\nrankproof: 1 of 2 runs is not measured: " in err
    assert ended(track, track / "runs" / "r2", track / "none")[:2] == (2, "")


def test_the_command_that_is_interrupted_says_how_far_it_came(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any, **named: Any) -> Iterator[RunResult]:
        yield next(evaluate_runs(*args, **named))
        raise KeyboardInterrupt

    monkeypatch.setattr(many_runs, "evaluate_runs", interrupted)
    told = "interrupted: 1 of 4 runs are done; "
    assert ended(track, track / "runs") == (3, "", f"{told}--out FOLDER would keep them\n")
    assert ended(track, track / "runs", "--out", "out") == (3, "", f"{told}kept in out\n")


def test_the_command_reads_a_pipe_itself_and_sends_none(track: Path) -> None:
    pipe = track / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", track / "runs" / "r1", pipe]):
        assert said(track / "qrels", pipe, track / "runs" / "r2").exit_code == 0
    refused = said(track / "qrels", pipe, track / "runs" / "r2", "--jobs", "2").exception
    why = "several processes cannot read this, and nobody can read it again; save it as a file"
    assert str(refused) == f"{pipe}: {why}"


def test_small_runs_start_no_process(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [*map(str, (track / "runs").iterdir())]
    assert local_processes.processes_for(runs) == 1
    monkeypatch.setattr(local_processes, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {1, 5, 6})
    assert local_processes.processes_for(runs) == 3
    assert local_processes.processes_for(runs[:2]) == 2
    assert local_processes.processes_for([*runs[:1], str(track / "none")]) == 1
    monkeypatch.setattr(local_processes, "WORTH_A_PROCESS", sum(Path(run).stat().st_size for run in runs))
    assert local_processes.processes_for(runs) == 3


@pytest.mark.parametrize(("told", "taken"), [(2, 2), (None, 1)])
def test_where_no_system_says_which_processors_are_ours_all_are(
    track: Path, told: int | None, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_processes, "WORTH_A_PROCESS", 1)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: told)
    assert local_processes.processes_for([*map(str, (track / "runs").iterdir())]) == taken


# -- processes ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """Of each pool that is made how many processes it has, and the runs that it takes, measured here; some end it, as `fate` says."""
    made: list[tuple[int, list[str]]] = []
    ended: set[str] = set()

    class Pool:
        def __init__(self, jobs: int, context: Any, initializer: Callable[[], None]) -> None:
            assert (context.get_start_method(), initializer) == ("spawn", local_processes.end_with_parent)
            made.append((jobs, []))

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, measure: Callable[[Track, str], Outcome], track: Track, path: str) -> "Future[Outcome]":
            done: Future[Outcome] = Future()
            name = Path(path).name
            made[-1][1].append(name)
            if name == "ends" or (name == "ends-once" and name not in ended):
                ended.add(name)
                done.set_exception(BrokenProcessPool())
            else:
                done.set_result(measure(track, path))
            return done

    monkeypatch.setattr(local_processes, "ProcessPoolExecutor", Pool)
    return made


def renamed(track: Path, **names: str) -> None:
    for name, other in names.items():
        (track / "runs" / name).rename(track / "runs" / other)


def test_no_more_runs_are_given_to_processes_than_keep_them_busy(
    track: Path, pools: list[tuple[int, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[dict[str, Any]] = []
    monkeypatch.setattr(local_processes, "kill_children", lambda **named: kept.append(named))
    results = asked(track, jobs=2)
    next(results)
    assert pools == [(2, ["r1", "r2", "r3"])]
    results.close()  # type: ignore[attr-defined]
    assert kept == [{"but": []}]
    pools.clear()
    assert sorted(one.system for one in asked(track, jobs=9)) == ["r1", "r2", "r3", "r4"]
    assert pools == [(4, ["r1", "r2", "r3", "r4"])]
    assert [one.system for one in asked(track, track / "runs" / "r1", jobs=2)] == ["r1"]
    assert [one.system for one in asked(track, jobs=1)] == ["r1", "r2", "r3", "r4"]
    assert len(pools) == 1, "one run, or one process, is measured here"


def test_a_run_whose_process_is_lost_is_measured_twice_more_and_by_itself(
    track: Path, pools: list[tuple[int, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(local_processes, "kill_children", lambda **_: ended.append(len(pools)))
    renamed(track, r1="ends", r2="ends-once")
    found: list[str] = []
    why = r"\S*/ends: the process that measured it was ended twice, with no other beside it"
    with pytest.raises(Incomplete, match=f"^1 of 4 runs is not measured: {why}"):
        found.extend(one.system for one in asked(track, jobs=2))
    assert sorted(found) == ["ends-once", "r3", "r4"]
    assert pools[0] == (2, ["ends", "ends-once", "r3"])
    assert pools[-1] == (2, ["r4"])
    assert [names for jobs, names in pools[1:-1] if jobs == 1 and names[0] == "ends"] == [["ends"]] * 2
    assert all((jobs, len(names)) == (1, 1) for jobs, names in pools[1:-1])
    assert ended == [1, *(i for i, (_, names) in enumerate(pools, start=1) if i > 1 and names == ["ends"])]


@pytest.mark.in_turn
def test_what_was_measured_when_a_process_was_lost_is_measured_again_and_only_what_ends_it_is_given_up(
    track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_processes, "outcome_of", fate)
    renamed(track, r1="ends", r2="ends-once")
    (track / "runs" / "r4").write_text("no run\n", encoding="utf-8")
    found: list[str] = []
    why = r"^2 of 4 runs are not measured\n(.*\n)?\S*/ends: the process that measured it was ended twice"
    with pytest.raises(Incomplete, match=why):
        found.extend(one.system for one in asked(track, jobs=2))
    assert sorted(found) == ["ends-once", "r3"]


def test_processes_end_with_who_asked_and_no_others_do(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_processes, "outcome_of", fate)
    (track / "runs" / "r1").rename(track / "runs" / "lasts")
    other = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    other.start()
    try:
        results = asked(track, jobs=2)
        assert next(results).system in {"r2", "r3", "r4"}
        children = [child.pid for child in multiprocessing.active_children() if child.pid not in {other.pid, None}]
        began = time.monotonic()
        results.close()  # type: ignore[attr-defined]
        assert time.monotonic() - began < 5
        assert children
        assert gone([pid for pid in children if pid is not None])
        other.join(0.3)
        assert other.is_alive()
    finally:
        other.kill()
        other.join()


# -- a cluster ---------------------------------------------------------------------------------------------------------


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A scheduler and its workers, started from the command line: its address, and the processes of the workers."""
    place = folder / "scheduler.json"
    alone = ["--no-dashboard", "--scheduler-file", str(place)]
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0"]]
    commands += [["worker", "--nthreads", "1", "--no-nanny", "--local-directory", f"w{i}"] for i in range(workers)]
    started = []
    for name, *options in commands:
        program = [sys.executable, "-m", f"distributed.cli.dask_{name}", *options, *alone]
        started.append(subprocess.Popen(program, cwd=folder, stderr=subprocess.DEVNULL))
    try:
        until = time.monotonic() + 30
        while not place.exists() or not place.read_bytes():
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.05)
        yield json.loads(place.read_text())["address"], started[1:]
    finally:
        for process in started:
            process.kill()
            process.wait()


class KilledWorker(Exception):
    """As Dask raises it."""

    last_worker = SimpleNamespace(address="tcp://h:1")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (KilledWorker(), "every worker was lost that measured it, the last one tcp://h:1"),
        (
            ModuleNotFoundError("No module named 'rankproof'"),
            "could not measure .*/r1, is rankproof .* there.*named 'rankproof'",
        ),
    ],
)
def test_what_dask_says_of_a_task_that_failed(
    track: Path, error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    future = SimpleNamespace(status="error", cancelled=lambda: False, exception=lambda: error)
    put_dask(monkeypatch, FakeClient(future), lambda all_of, **_: iter(all_of))
    monkeypatch.chdir(track / "runs")
    with pytest.raises(Incomplete, match=why):
        list(asked(track, "r1", scheduler="tcp://h:1", say=pytest.fail))


def put_dask(monkeypatch: pytest.MonkeyPatch, client: "FakeClient", as_completed: Callable[..., Iterator[Any]]) -> None:
    """In the place of Dask, which is not asked where it is."""
    dask = SimpleNamespace(Client=lambda *_, **__: client, as_completed=as_completed, KilledWorker=KilledWorker)
    for module in (dask_cluster, many_runs):
        monkeypatch.setattr(module, "dask_for", lambda _: dask)
    monkeypatch.setattr(dask_cluster, "_greeted", lambda _, address: address)


class FakeClient:
    """A client whose tasks all end in the same way."""

    loop = None

    def __init__(self, future: Any) -> None:
        self.submit = lambda *_, **__: OneOf(future)
        self.cancel = list

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def scheduler_info(self) -> dict[str, Any]:
        """That there is a worker."""
        return {"workers": {"one": {}}}


class OneOf:
    """A future, different from all others."""

    def __init__(self, future: Any) -> None:
        self.__dict__.update(vars(future))


def test_nothing_is_waited_for_in_silence_and_a_lost_scheduler_is_said(
    track: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: Any, **__: Any) -> Iterator[Any]:
        raise ConnectionResetError
        yield

    class Empty(FakeClient):
        def scheduler_info(self) -> dict[str, Any]:
            return {"workers": {}}

    put_dask(monkeypatch, Empty(SimpleNamespace()), lost)
    said: list[str] = []
    why = r"^tcp://h:1: the scheduler was lost; 4 of 4 runs that it had to measure are left$"
    with pytest.raises(Incomplete, match=why):
        list(asked(track, scheduler="tcp://h:1", say=said.append))
    assert said == ["tcp://h:1: the scheduler has no worker yet; waiting for one, as `dask worker tcp://h:1` starts it"]


@pytest.fixture
def port() -> Iterator[tuple[str, list[bytes]]]:
    """The address of something that takes connections, and what it answers to each, and then closes; of nothing, it stays silent."""
    answers: list[bytes] = []
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    taken.append(server.accept()[0])
                    if answers:
                        with taken[-1] as one:
                            one.sendall(answers[0])

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}", answers
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    for one in taken:
        one.close()


@pytest.mark.parametrize(
    ("answer", "scheme", "why"),
    [
        (None, "tcp", "what is there says nothing within 1 seconds"),
        (b"\0", "tcp", "."),
        (None, "tls", "TLS"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9, "tcp", "."),
    ],
)
def test_what_is_no_scheduler_is_refused_in_time_and_in_a_line(
    track: Path,
    port: tuple[str, list[bytes]],
    answer: bytes | None,
    scheme: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    address, answers = port
    answers += [answer] if answer else []
    address = address.replace("tcp", scheme)
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.5)
    said = f"^{address}: no scheduler of Dask answers there: {why}"
    with pytest.raises(dask_cluster.NoCluster, match=said) as refused:
        list(asked(track, scheduler=address, say=pytest.fail))
    assert "\n" not in str(refused.value)
    assert not capfd.readouterr().err


def test_a_result_that_cannot_be_written_is_named_and_all_numbers_are_told(track: Path) -> None:
    out = track / "out"
    before = list(asked(track, out=out))
    for file in sorted(out.iterdir())[1:3]:
        file.unlink()
        file.mkdir()
    done = said(track / "qrels", track / "runs", "--out", out, "-m", "nDCG@2")
    assert systems(done.stdout) == ["r1", "r2", "r3", "r4"]
    assert isinstance(done.exception, many_runs.ResultsNotKept)
    assert isinstance(done.exception, ValueError), "exit code 2"
    assert str(done.exception) == "2 results are not kept; all that was measured is told"
    first, second = done.exception.__notes__
    told = r"\S*/{0}-\w*\.json: the result of {0} is not kept, as this cannot be written: is a directory"
    assert re.fullmatch(told.format("r2"), first)
    assert re.fullmatch(told.format("r3"), second)
    (track / "far").write_text("q99 Q0 a 1 1 t\n")
    both = said(*(track / name for name in ("qrels", "far", "runs")), "--out", out, "-m", "nDCG@2")
    notes = getattr(both.exception, "__notes__", [])
    assert [*map(str, (both.exception, *notes))][-3:] == [str(done.exception), first, second], "that is said, too"
    found: list[RunResult] = []
    (track / "runs" / "r4").write_text("q1 Q0 a 1 x t\n")
    why = r"^1 of 4 runs is not measured: \S*r4:1: the score 'x' is no number\n"
    with pytest.raises(RunsRefused, match=why) as refused:
        found.extend(asked(track, out=out, say=[].append))
    assert [one.result for one in sorted(found, key=lambda one: one.system)] == [one.result for one in before[:3]]
    assert len(refused.value.__notes__) == 2


def test_a_full_disk_loses_no_number(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(place: Path, _text: str) -> None:
        if place.name.startswith("r2"):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kept_results, "publish", full)
    found: list[RunResult] = []
    why = " not kept, as this cannot be written: no space left on device"
    with pytest.raises(many_runs.ResultsNotKept, match=f"the result of r2 is{why}"):
        found.extend(asked(track, out=track / "out"))
    assert [one.system for one in found] == ["r1", "r2", "r3", "r4"]
    (track / "runs" / "r4").write_text("q1 Q0 a 1 x t\n")
    with pytest.raises(RunsRefused, match=r"1 of 4 runs is not measured: .*the score 'x' is no number") as refused:
        list(asked(track, out=track / "out"))
    (note,) = refused.value.__notes__
    assert note.endswith(why)


def test_of_parts_in_another_order_the_digest_is_another(tmp_path: Path) -> None:
    (folder := tmp_path / "run.parquet").mkdir()
    found = set()
    for contents in itertools.permutations("abc"):
        for at, content in enumerate(contents):
            (folder / f"part-{at}.parquet").write_text(content)
        found.add(sha256_of(str(folder)))
    assert len(found) == 6


def test_a_name_of_any_script_is_the_name_of_a_file(track: Path) -> None:
    names = ["漢" * 80, "é" * 120, "r" * 200]
    for name in names:
        shutil.copy(track / "runs" / "r1", track / name)
    for _ in range(2):
        found = list(asked(track, [track / name for name in names], out=track / "out"))
        assert [one.system for one in found] == names
    assert len(list((track / "out").iterdir())) == 3


def test_a_worker_says_which_it_is_where_something_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = SimpleNamespace(address="tcp://w:1")
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(get_worker=lambda: worker))
    told = iter([Outcome(sha256="1"), Outcome(faults={"standard": "it is odd"}), Outcome(of_all="it is odd")])
    monkeypatch.setattr(dask_cluster, "outcome_of", lambda _track, _path: next(told))
    asked_of = Track(QrelsFile("qrels", "0"), {})
    assert [dask_cluster.on_worker(asked_of, "run") for _ in range(3)] == [
        Outcome(sha256="1"),
        Outcome(faults={"standard": "it is odd (on the worker tcp://w:1)"}),
        Outcome(of_all="it is odd (on the worker tcp://w:1)"),
    ]


def test_what_dask_says_of_a_lost_scheduler_is_kept_from_the_log_and_of_nothing_else() -> None:
    log = logging.getLogger("distributed.client")
    log.setLevel(logging.INFO)
    with dask_cluster._silent():
        assert not log.isEnabledFor(logging.CRITICAL)
        assert logging.getLogger("distributed").isEnabledFor(logging.CRITICAL)
    assert log.level == logging.INFO
    log.setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    "error", [OSError("no\n  answer"), ValueError("no answer"), TypeError("no answer"), ImportError()]
)
def test_what_does_not_answer_is_no_cluster(error: Exception) -> None:
    def client(address: str, **options: Any) -> None:
        assert (address, options) == ("h:1", {"timeout": dask_cluster.PATIENCE, "set_as_default": False})
        raise error

    why = r"^h:1: no scheduler of Dask answers there: (no answer|ImportError)$"
    with pytest.raises(dask_cluster.NoCluster, match=why):
        dask_cluster._connected(SimpleNamespace(Client=client), "h:1")


def test_a_scheduler_has_a_host_and_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", dask := SimpleNamespace())
    for address in ("h:1", "tcp://h:8786", "tls://h.example:65535", "ws://[::1]:80", "[fe80::1]:8786"):
        assert dask_cluster.dask_for(address) is dask
    for address in ("h", "tcp://h", "h:123456", "h:1/status", "ftp://h:1", "h h:1", "::1:80"):
        with pytest.raises(dask_cluster.NoCluster, match="is no address of a scheduler"):
            dask_cluster.dask_for(address)


def test_a_machine_without_dask_says_what_to_install(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(dask_cluster.NoCluster, match=r"pip install 'rankproof\[cluster\]'"):
        asked(track, scheduler="tcp://h:1")


def killing_after_the_first(results: Iterator[RunResult], worker: "subprocess.Popen[bytes]") -> Iterator[RunResult]:
    yield next(results)
    worker.kill()
    yield from results


@pytest.mark.in_turn
def test_a_cluster_of_which_a_worker_is_killed_gives_the_same_and_nothing_twice(tmp_path: Path) -> None:
    rows = [(query, rank) for query in range(40) for rank in range(50)]
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 d{doc} {doc % 3}\n" for query, doc in rows if doc < 20))
    (tmp_path / "runs").mkdir()
    for i in range(6):
        lines = (f"q{query} Q0 d{(rank * 7 + i) % 50} {rank} {99 - rank} t\n" for query, rank in rows)
        (tmp_path / "runs" / f"r{i}").write_text("".join(lines))
    (tmp_path / "runs" / "bad").write_text("q1 Q0 a 1\n")
    local: dict[str, Result] = {}
    found: list[RunResult] = []
    with pytest.raises(RunsRefused):
        local.update((one.system, one.result) for one in asked(tmp_path))
    with cluster(tmp_path, 2) as (address, workers):
        why = r"bad:1: 4 fields where 6 are needed.* \(on the worker tcp://127.0.0.1:\d+\)"
        with pytest.raises(RunsRefused, match=why):
            found.extend(killing_after_the_first(asked(tmp_path, scheduler=address, say=[].append), workers[0]))
        assert workers[0].wait() == -signal.SIGKILL
        assert workers[1].poll() is None
        assert sorted(one.system for one in found) == sorted(local)
        assert {one.system: one.result for one in found} == local
        (tmp_path / "runs" / "bad").unlink()
        shown = said(tmp_path / "qrels", tmp_path / "runs", "--scheduler", address, "--out", tmp_path / "out")
        assert shown.stdout == said(tmp_path / "qrels", tmp_path / "runs").stdout
        assert len(list((tmp_path / "out").iterdir())) == 6
