"""Measure `--help`, `check` and `explain` against time limits, because no other library has such commands.

    python benchmarks/commands.py [--rounds N]

Prints the median of the processor seconds of each command with its limit. The exit code is 1 if one takes longer.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

METRIC = """
from math import log2

def ndcg(rels, k):
    def dcg(grades):
        return sum((2 ** grade - 1) / log2(rank + 2) for rank, grade in enumerate(grades[:k]))
    ideal = dcg(sorted(rels, reverse=True))
    return dcg(rels) / ideal if ideal else 0.0
"""
COMMANDS = (
    ("--help", 0.3, ("--help",)),
    ("check of a function", 1.5, ("check", "metric.py", "ndcg(rels, k)", "nDCG@10")),
    ("explain of 100,000 rows, all profiles", 10.0, ("explain", "qrels", "run", "-m", "nDCG@10", "--value", "0.25")),
)
"""Description, limit in processor seconds, and arguments of each command."""


def write(folder: Path) -> None:
    """Write a metric, and qrels and a run of 100 queries with 1,000 documents each, some of them tied."""
    chance = random.Random(1)
    (folder / "metric.py").write_text(METRIC, encoding="utf-8")
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for query in range(100):
            docs = [f"D{number}" for number in chance.sample(range(1_000_000), 1000)]
            qrels.writelines(f"q{query} 0 {doc} {chance.choice([0, 0, 1, 2])}\n" for doc in chance.sample(docs, 50))
            run.writelines(f"q{query} Q0 {doc} {i + 1} {100 - i / 10:.0f} tag\n" for i, doc in enumerate(docs))


def processor_seconds(folder: Path, arguments: tuple[str, ...]) -> float:
    """Return the processor seconds of a command and its child processes."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "rankproof", *arguments], cwd=folder, capture_output=True, check=False)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    slow = 0
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        for title, limit, arguments in COMMANDS:
            seconds = statistics.median(processor_seconds(Path(name), arguments) for _ in range(rounds))
            slow += seconds > limit
            print(f"{title:40}{seconds:8.2f} s   limit {limit:g} s{'   TOO SLOW' if seconds > limit else ''}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
