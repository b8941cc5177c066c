"""What does a run cost in a track of 1, 10, 50 and 200 runs? Measured in one process, in two, and by two workers of a Dask cluster.

    python benchmarks/tracks.py [--write]

A run has 50 queries of 1,000 docs, 50 docs of each query are judged; asked are nDCG@10, AP, P@10 and RR. Every measurement is a process
of its own. Told are the seconds until the first result is there (processes start, the qrels are read), the seconds that each run after it
takes, and the most memory that the process that asks ever had. The cluster is started once, by the command line, and its workers have
imported rankproof before. `--write` keeps what was found in `benchmarks/tracks.json`, which README quotes.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEASURES = ["nDCG@10", "AP", "P@10", "RR"]
SIZES = (1, 10, 50, 200)
QUERIES, DOCS, JUDGED, DISTINCT = 50, 1000, 50, 10
WAYS = {"one process": {}, "two processes": {"jobs": 2}, "Dask, two workers": {"scheduler": ""}}


def write(folder: Path) -> None:
    """Qrels, and as many runs as the largest track has, of which each tenth is the same file under another name."""
    chance = random.Random(1)  # noqa: S311 - an example, not a secret
    names = [[f"D{number:09d}" for number in chance.sample(range(10_000_000), DOCS)] for _ in range(QUERIES)]
    with (folder / "qrels").open("w") as qrels:
        for query, docs in enumerate(names):
            qrels.writelines(f"q{query} 0 {doc} {chance.choice([0, 0, 1, 2])}\n" for doc in chance.sample(docs, JUDGED))
    (folder / "runs").mkdir()
    for i in range(max(SIZES)):
        place = folder / "runs" / f"run{i:03d}"
        if i >= DISTINCT:
            os.link(folder / "runs" / f"run{i % DISTINCT:03d}", place)
            continue
        with place.open("w") as run:
            for query, docs in enumerate(names):
                ranked = enumerate(chance.sample(docs, DOCS), start=1)
                run.writelines(f"q{query} Q0 {doc} {rank} {(DOCS - rank) / 7:.4f} tag\n" for rank, doc in ranked)


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """The address of a scheduler with two workers."""
    place = folder / "scheduler.json"
    alone = ["--no-dashboard", "--scheduler-file", str(place)]
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", *alone]]
    commands += [["worker", "--nthreads", "1", "--local-directory", str(folder / name), *alone] for name in ("a", "b")]
    started = [
        subprocess.Popen(  # noqa: S603 - Dask
            [sys.executable, "-m", f"distributed.cli.dask_{command[0]}", *command[1:]], stderr=subprocess.DEVNULL
        )
        for command in commands
    ]
    try:
        while not place.exists() or not place.read_bytes():
            time.sleep(0.05)
        yield json.loads(place.read_text())["address"]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def child(folder: Path, runs: int, asked: dict[str, Any]) -> None:
    """Measure so many runs in this process, or as it is asked, and print when the first was there, and all."""
    import rankproof  # noqa: PLC0415 - the process that starts this one does without

    files = [folder / "runs" / f"run{i:03d}" for i in range(runs)]
    started = time.perf_counter()
    times = [time.perf_counter() - started for _ in rankproof.evaluate_runs(folder / "qrels", files, MEASURES, **asked)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"first": times[0], "all": times[-1], "results": len(times), "megabytes": peak}))


def timed(folder: Path, runs: int, asked: dict[str, Any]) -> dict[str, float]:
    """The same in a process of its own, and what a run costs after the first."""
    command = [sys.executable, __file__, "--child", str(folder), str(runs), json.dumps(asked)]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603 - ourselves
    if done["results"] != runs:
        raise SystemExit(f"{done['results']} results of {runs} runs")
    each = {"seconds a run after it": round((done["all"] - done["first"]) / (runs - 1), 3)} if runs > 1 else {}
    return {"seconds to the first": round(done["first"], 2), **each, "megabytes": round(done["megabytes"])}


def table(found: dict[str, Any]) -> str:
    """What was found, as README shows it."""
    lines = ["| runs | by | seconds to the first | seconds a run after it | MB of who asks |", "|---|---|---|---|---|"]
    for runs, ways in found.items():
        for way, one in ways.items():
            each = f"{one['seconds a run after it']:.3f}" if "seconds a run after it" in one else ""
            lines.append(f"| {runs} | {way} | {one['seconds to the first']:.2f} | {each} | {one['megabytes']} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        folder, runs, asked = options.child
        child(Path(folder), int(runs), json.loads(asked))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        with cluster(folder) as address:
            timed(folder, DISTINCT, {"scheduler": address})  # the workers import rankproof
            found = {
                str(runs): {
                    way: timed(folder, runs, {**asked, **({"scheduler": address} if "scheduler" in asked else {})})
                    for way, asked in WAYS.items()
                }
                for runs in SIZES
            }
    print(table(found))
    if options.write:
        (HERE / "tracks.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
