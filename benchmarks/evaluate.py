"""Compare the time and memory of `rankproof.evaluate` with other libraries, in one run on one machine.

    python benchmarks/evaluate.py [--rounds N] [--large] [--write]

Each measurement runs in a separate process, and the libraries take turns, so that the load of the machine affects all
of them. A first call warms up the process; ranx compiles its code in it. 50 documents of each query are judged. The
measured time includes reading files, but not creating dicts and frames. Memory is the peak of the process. `--large`
adds a run of 5 million rows. `--write` saves the results in `benchmarks/evaluate.json`, and docs/evaluate.md shows
them.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEASURES = ["nDCG@10", "AP", "P@10", "RR"]
TREC_NAMES = {"ndcg_cut.10", "map", "P.10", "recip_rank"}
JUDGED = 50
HARD = "1,000 x 1,000, long ids and ties"
LARGE = "5,000 x 1,000"
SHAPES = {"1,000 x 1,000": (1000, 1000), HARD: (1000, 1000), "5,000 x 10": (5000, 10), LARGE: (5000, 1000)}
"""Queries and documents per query."""
CALLS = 3
"""Number of measured calls; the result is their median."""


def write(folder: Path, queries: int, docs: int, *, hard: bool = False) -> None:
    """Write qrels and a run, always the same: scores have four decimals and descend.

    A hard run has ids of 6 to 60 characters, and scores of one decimal, so that many documents are tied.
    """
    chance = random.Random(1)
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for query in range(queries):
            numbers = chance.sample(range(10_000_000), docs + min(docs // 2, JUDGED // 5))
            names = [f"D{number}{'/part' * (number % 11)}" if hard else f"D{number:09d}" for number in numbers]
            scores = sorted((chance.gammavariate(3, 4) for _ in range(docs)), reverse=True)
            rows = enumerate(zip(names, scores, strict=False), start=1)
            run.writelines(
                f"q{query} Q0 {name} {rank} {score:.{1 if hard else 4}f} tag\n" for rank, (name, score) in rows
            )
            judged = [*chance.sample(names[:docs], min(docs // 2, JUDGED * 4 // 5)), *names[docs:]]
            qrels.writelines(f"q{query} 0 {name} {chance.choice([0, 0, 1, 2])}\n" for name in judged)


def dicts(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return qrels and run as dicts."""
    import pytrec_eval

    with (folder / "qrels").open() as qrels, (folder / "run").open() as run:
        return pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)


def frames(folder: Path) -> tuple[Any, Any]:
    """Return qrels and run as pandas frames."""
    import pandas as pd

    qrels = pd.read_csv(
        folder / "qrels", sep=" ", names=["query_id", "_", "doc_id", "relevance"], dtype={"doc_id": str}
    )
    names = ["query_id", "_", "doc_id", "rank", "score", "tag"]
    run = pd.read_csv(folder / "run", sep=" ", names=names, dtype={"doc_id": str})
    return qrels[["query_id", "doc_id", "relevance"]], run[["query_id", "doc_id", "score"]]


Call = Callable[[], object]


def rankproof_call(folder: Path, form: str) -> Call:
    """Return a function that measures with rankproof."""
    import rankproof

    if form == "files":
        return lambda: rankproof.evaluate(MEASURES, str(folder / "qrels"), str(folder / "run"))
    qrels, run = dicts(folder) if form == "dicts" else frames(folder)
    return lambda: rankproof.evaluate(MEASURES if form == "dicts" else ["P@10"], qrels, run)


def pytrec_eval_call(folder: Path, form: str) -> Call:
    """Return a function that measures with pytrec_eval."""
    import pytrec_eval

    existing = dicts(folder) if form == "dicts" else None

    def call() -> object:
        qrels, run = existing or dicts(folder)
        return pytrec_eval.RelevanceEvaluator(qrels, TREC_NAMES).evaluate(run)

    return call


def ir_measures_call(folder: Path, form: str) -> Call:
    """Return the call of ir_measures."""
    import ir_measures

    measures = [ir_measures.parse_measure(measure) for measure in MEASURES]
    existing = dicts(folder) if form == "dicts" else None

    def call() -> object:
        read = ir_measures.read_trec_qrels(str(folder / "qrels")), ir_measures.read_trec_run(str(folder / "run"))
        return ir_measures.calc_aggregate(measures, *(existing or read))

    return call


def ranx_call(folder: Path, form: str) -> Call:
    """Return the call of ranx."""
    import ranx

    existing = dicts(folder) if form == "dicts" else None

    def call() -> object:
        if existing is not None:
            qrels, run = ranx.Qrels(existing[0]), ranx.Run(existing[1])
        else:
            qrels = ranx.Qrels.from_file(str(folder / "qrels"), kind="trec")
            run = ranx.Run.from_file(str(folder / "run"), kind="trec")
        return ranx.evaluate(qrels, run, ["ndcg@10", "map", "precision@10", "mrr"], make_comparable=True)

    return call


def pandas_call(folder: Path, _form: str) -> Call:
    """Return a function that computes P@10 in three lines of pandas."""
    qrels, run = frames(folder)

    def call() -> object:
        top = run.sort_values(["query_id", "score"], ascending=[True, False]).groupby("query_id").head(10)
        judged = top.merge(qrels, how="left", on=["query_id", "doc_id"])
        return (judged["relevance"] > 0).groupby(judged["query_id"]).sum() / 10

    return call


PEERS = {
    "rankproof": rankproof_call,
    "pytrec_eval": pytrec_eval_call,
    "ir_measures": ir_measures_call,
    "ranx": ranx_call,
    "pandas": pandas_call,
}


def measure_here(peer: str, folder: Path, form: str) -> None:
    """Measure one library in this process, and print its seconds and megabytes."""
    call = PEERS[peer](folder, form)
    call()
    times = []
    for _ in range(CALLS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([statistics.median(times), peak]))


def measure(peer: str, folder: Path, form: str) -> tuple[float, float]:
    """Measure one library in a separate process; return its seconds and megabytes."""
    command = [sys.executable, __file__, "--child", peer, str(folder), form]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes


def start_of_command(folder: Path) -> float:
    """Return the seconds that the command takes with a small file."""
    command = [sys.executable, "-m", "rankproof", "evaluate", str(folder / "qrels"), str(folder / "run"), "-m", "AP"]
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - started


def comparisons(*, large: bool) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield each shape and form of input with the libraries to measure."""
    for shape in ("1,000 x 1,000", HARD, "5,000 x 10"):
        peers = ["rankproof", "pytrec_eval", "ir_measures", *(["ranx"] if shape == "1,000 x 1,000" else [])]
        yield shape, "files", peers
        yield shape, "dicts", peers
    yield "1,000 x 1,000", "frames (P@10)", ["rankproof", "pandas"]
    if large:
        yield LARGE, "files", ["rankproof", "pytrec_eval"]


def compare(shape: str, form: str, peers: Sequence[str], rounds: int) -> Mapping[str, Any]:
    """Return the medians of each library, and the time of rankproof divided by the time of the library."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, *SHAPES[shape], hard=shape == HARD)
        measured: dict[str, list[tuple[float, float]]] = {peer: [] for peer in peers}
        for _ in range(rounds):
            for peer in peers:
                measured[peer].append(measure(peer, folder, form.partition(" ")[0]))
    medians = {
        peer: [statistics.median(column) for column in zip(*times, strict=True)] for peer, times in measured.items()
    }
    return {
        peer: {
            "seconds": round(seconds, 3),
            "megabytes": round(megabytes),
            "rankproof over it": round(medians["rankproof"][0] / seconds, 2),
        }
        for peer, (seconds, megabytes) in medians.items()
    }


def table(measured: Mapping[str, Any]) -> str:
    """Return the Markdown table for docs/evaluate.md."""
    lines = ["| queries x docs | from | peer | seconds | MB | rankproof takes |", "|---|---|---|---|---|---|"]
    for key, peers in measured["compared"].items():
        shape, form = key.split(" from ")
        for peer, cost in peers.items():
            share = "" if peer == "rankproof" else f"{cost['rankproof over it']:.2f} of it"
            lines.append(f"| {shape} | {form} | {peer} | {cost['seconds']:.3f} | {cost['megabytes']} | {share} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        peer, folder, form = options.child
        measure_here(peer, Path(folder), form)
        return
    compared = {
        f"{shape} from {form}": compare(shape, form, peers, options.rounds)
        for shape, form, peers in comparisons(large=options.large)
    }
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), 1, 100)
        start = statistics.median(start_of_command(Path(name)) for _ in range(options.rounds))
    document = {"compared": compared, "cold start of a small file": round(start, 2)}
    print(table(document))
    print(f"start of the command with a small file: {start:.2f} s")
    if options.write:
        (HERE / "evaluate.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
