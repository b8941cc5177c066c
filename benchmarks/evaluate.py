"""How fast is rankproof.evaluate beside its peers? Seconds and memory of each in one run on one machine, and their ratios.

    python benchmarks/evaluate.py [--rounds N] [--large] [--write]

Every measurement is a process of its own, and the peers take turns, so that what else the machine does falls on all alike. Asked are
nDCG@10, AP, P@10 and RR of runs in which 50 docs of each query are judged. From files, reading them counts; from dicts, they are there
already. What is warm was done once before it is timed: ranx compiles itself then, and is asked of the large run alone. The memory is
the most that the process ever had. `--large` adds 6,980 queries of 1,000 docs; `--write` keeps what was found in
`benchmarks/evaluate.json`, which docs/evaluate.md quotes.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MEASURES = ["nDCG@10", "AP", "P@10", "RR"]
OF_TREC = {"ndcg_cut.10", "map", "P.10", "recip_rank"}
JUDGED = 50
HARD = "1,000 x 1,000, long ids and ties"
SHAPES = {
    "1,000 x 1,000": (1000, 1000),
    HARD: (1000, 1000),
    "5,000 x 10": (5000, 10),
    "6,980 x 1,000": (6980, 1000),
    "1 x 100": (1, 100),
}
TIMES = 3


def write(folder: Path, queries: int, docs: int, *, hard: bool = False) -> None:
    """Qrels and a run as files, the same at every call: scores of four decimals in descending order.

    A hard one has ids of 6 to 60 letters, and scores of one decimal, of which many are tied.
    """
    chance = random.Random(1)  # noqa: S311 - an example, not a secret
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


def as_dicts(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The same as dicts."""
    import pytrec_eval  # noqa: PLC0415 - each process is of one peer

    with (folder / "qrels").open() as qrels, (folder / "run").open() as run:
        return pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)


def rankproof_of(folder: Path, form: str) -> Callable[[], object]:
    """What rankproof is asked."""
    import rankproof  # noqa: PLC0415 - each process is of one peer

    qrels, run = as_dicts(folder) if form == "dicts" else (str(folder / "qrels"), str(folder / "run"))
    return lambda: rankproof.evaluate(MEASURES, qrels, run)


def pytrec_eval_of(folder: Path, form: str) -> Callable[[], object]:
    """What pytrec_eval is asked."""
    import pytrec_eval  # noqa: PLC0415 - each process is of one peer

    given = as_dicts(folder) if form == "dicts" else None

    def asked() -> object:
        qrels, run = given or as_dicts(folder)
        return pytrec_eval.RelevanceEvaluator(qrels, OF_TREC).evaluate(run)

    return asked


def ir_measures_of(folder: Path, form: str) -> Callable[[], object]:
    """What ir_measures is asked."""
    import ir_measures  # noqa: PLC0415 - each process is of one peer

    measures = [ir_measures.parse_measure(measure) for measure in MEASURES]
    given = as_dicts(folder) if form == "dicts" else None

    def asked() -> object:
        read = ir_measures.read_trec_qrels(str(folder / "qrels")), ir_measures.read_trec_run(str(folder / "run"))
        return ir_measures.calc_aggregate(measures, *(given or read))

    return asked


def ranx_of(folder: Path, form: str) -> Callable[[], object]:
    """What ranx is asked."""
    import ranx  # noqa: PLC0415 - each process is of one peer

    given = as_dicts(folder) if form == "dicts" else None

    def asked() -> object:
        qrels, run = given or (folder / "qrels", folder / "run")
        objects = (
            (ranx.Qrels(qrels), ranx.Run(run))
            if form == "dicts"
            else (ranx.Qrels.from_file(str(qrels), kind="trec"), ranx.Run.from_file(str(run), kind="trec"))
        )
        return ranx.evaluate(*objects, ["ndcg@10", "map", "precision@10", "mrr"], make_comparable=True)

    return asked


PEERS = {
    "rankproof": rankproof_of,
    "pytrec_eval": pytrec_eval_of,
    "ir_measures": ir_measures_of,
    "ranx": ranx_of,
}


def child(peer: str, folder: Path, form: str) -> None:
    """Time one peer in this process, once warm, and print the seconds and the megabytes."""
    asked = PEERS[peer](folder, form)
    asked()
    times = []
    for _ in range(TIMES):
        started = time.perf_counter()
        asked()
        times.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([statistics.median(times), peak]))


def timed(peer: str, folder: Path, form: str) -> tuple[float, float]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--child", peer, str(folder), form]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ourselves
    seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes


def cold(folder: Path) -> float:
    """How long the command takes with a small file."""
    command = [sys.executable, "-m", "rankproof", "evaluate", str(folder / "qrels"), str(folder / "run"), "-m", "AP"]
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - as above
    return time.perf_counter() - started


def compared(shape: str, form: str, peers: list[str], rounds: int) -> dict[str, Any]:
    """The medians of each peer, and what rankproof takes of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, *SHAPES[shape], hard=shape == HARD)
        found: dict[str, list[tuple[float, float]]] = {peer: [] for peer in peers}
        for _ in range(rounds):
            for peer in peers:
                found[peer].append(timed(peer, folder, form))
    medians = {peer: [statistics.median(one) for one in zip(*all_of, strict=True)] for peer, all_of in found.items()}
    return {
        peer: {
            "seconds": round(seconds, 3),
            "megabytes": round(megabytes),
            "rankproof over it": round(medians["rankproof"][0] / seconds, 2),
        }
        for peer, (seconds, megabytes) in medians.items()
    }


def table(found: dict[str, Any]) -> str:
    """What was found, as docs/evaluate.md shows it."""
    lines = ["| queries x docs | from | peer | seconds | MB | rankproof takes |", "|---|---|---|---|---|---|"]
    for key, peers in found["compared"].items():
        shape, form = key.split(" from ")
        for peer, one in peers.items():
            share = "" if peer == "rankproof" else f"{one['rankproof over it']:.2f} of it"
            lines.append(f"| {shape} | {form} | {peer} | {one['seconds']:.3f} | {one['megabytes']} | {share} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--child", nargs=3)
    options = parser.parse_args()
    if options.child:
        peer, folder, form = options.child
        child(peer, Path(folder), form)
        return
    found: dict[str, Any] = {"compared": {}}
    for shape in ("1,000 x 1,000", HARD, "5,000 x 10"):
        peers = [peer for peer in PEERS if peer != "ranx" or shape == "1,000 x 1,000"]
        for form in ("files", "dicts"):
            found["compared"][f"{shape} from {form}"] = compared(shape, form, peers, options.rounds)
    if options.large:
        found["compared"]["6,980 x 1,000 from files"] = compared("6,980 x 1,000", "files", ["rankproof"], 1)
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), *SHAPES["1 x 100"])
        found["cold start of a small file"] = round(
            statistics.median(cold(Path(name)) for _ in range(options.rounds)), 2
        )
    print(table(found))
    print(f"cold start of the command with a small file: {found['cold start of a small file']:.2f} s")
    if options.write:
        (HERE / "evaluate.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
