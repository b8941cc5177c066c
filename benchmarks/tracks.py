"""Measure the cost of a run among 1, 10, 50 and 200 runs: in one process and in two.

    python benchmarks/tracks.py [--rounds N] [--write]

A run has 50 queries with 1,000 documents each, 50 of them judged. Each measurement runs in a separate process, and
sizes and ways take turns. The table has the seconds until the first result, the seconds of each later run, and the
peak memory of the parent process, as medians of several rounds. `--write` saves the results in
`benchmarks/tracks.json`, and docs/evaluate.md shows them.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEASURES = ["nDCG@10", "AP", "P@10", "RR"]
SIZES = (1, 10, 50, 200)
QUERIES, DOCS, JUDGED, DISTINCT = 50, 1000, 50, 10
WAYS: dict[str, dict[str, Any]] = {
    "one process": {"jobs": 1},
    "two processes": {"jobs": 2},
}


def write(folder: Path) -> None:
    """Write qrels and the runs of the largest track; runs 0, 10, 20, … are the same file."""
    chance = random.Random(1)
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


def child(folder: Path, runs: int, options: dict[str, Any]) -> None:
    """Evaluate some runs, and print the times of the first and the last result."""
    import rankproof

    files = [folder / "runs" / f"run{i:03d}" for i in range(runs)]
    started = time.perf_counter()
    times = [
        time.perf_counter() - started for _ in rankproof.evaluate_runs(folder / "qrels", files, MEASURES, **options)
    ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"first": times[0], "all": times[-1], "results": len(times), "megabytes": peak}))


def timed(folder: Path, runs: int, options: dict[str, Any]) -> dict[str, float]:
    """Measure in a separate process; return the seconds of the first and of each later run, and the memory."""
    command = [sys.executable, __file__, "--child", str(folder), str(runs), json.dumps(options)]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    if done["results"] != runs:
        raise SystemExit(f"{done['results']} results of {runs} runs")
    later = {"seconds a run after it": round((done["all"] - done["first"]) / (runs - 1), 3)} if runs > 1 else {}
    return {"seconds to the first": round(done["first"], 2), **later, "megabytes": round(done["megabytes"])}


def table(measured: dict[str, Any]) -> str:
    """Return the Markdown table for docs/evaluate.md."""
    sizes = [size for size in measured if size != "1"]
    headings = [f"seconds a run after it, of {size}" for size in sizes]
    lines = [
        f"| by | seconds to the first | {' | '.join(headings)} | MB of the parent, 1 run | MB, {sizes[-1]} runs |",
        f"|{'---|' * (len(sizes) + 4)}",
    ]
    for way in WAYS:
        first = statistics.median(measured[size][way]["seconds to the first"] for size in sizes)
        costs = " | ".join(f"{measured[size][way]['seconds a run after it']:.3f}" for size in sizes)
        memory = " | ".join(str(measured[size][way]["megabytes"]) for size in ("1", sizes[-1]))
        lines.append(f"| {way} | {first:.2f} | {costs} | {memory} |")
    return "\n".join(lines)


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the median of each number of several measurements."""
    return {name: round(statistics.median(numbers[name] for numbers in rounds), 3) for name in rounds[0]}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        folder, runs, arguments = options.child
        child(Path(folder), int(runs), json.loads(arguments))
        return
    rounds: dict[tuple[int, str], list[dict[str, float]]] = {(size, way): [] for size in SIZES for way in WAYS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        for _ in range(options.rounds):
            for (size, way), measured in rounds.items():
                measured.append(timed(folder, size, WAYS[way]))
    document = {str(size): {way: medians(rounds[size, way]) for way in WAYS} for size in SIZES}
    print(table(document))
    if options.write:
        (HERE / "tracks.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
