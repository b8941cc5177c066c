"""Attack rankproof: kill it, damage its files, fill the disk, pass hostile code and text; print a table of failures.

    python benchmarks/attacks                   all of it, in about twenty minutes
    python benchmarks/attacks --quick           one attack of each row
    python benchmarks/attacks --only 'cache*'   some rows

Each attack has its own machine: a home folder with a cache and results. An attack fails if a command

- ends with an undocumented exit code, with a traceback, or not at all;
- leaves processes, a half-written file, or results of two runs;
- rejects a file in more than one line.

It also fails if the next run does not write exactly the files of an undisturbed machine. The exit code is 1 if any
attack fails. Linux only. The seed determines the attacked files and moments; which operation a signal interrupts
depends on the machine.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from random import Random

import damage
import entrances
import hostile_text
import input_files
import interruptions
import misbehaviour
import tracks
from machines import Ground, Trial, prepare

AT_ONCE = 2
"""Number of attacks at the same time."""


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of attack, as a row of the table.

    Attributes:
        name: the name for `--only`.
        title: description of the attack.
        times: number of attacks.
        attack: function that makes one attack and notes faults.
    """

    name: str
    title: str
    times: int
    attack: Callable[[Trial], None]


ROWS = (
    Row("parent-killed", "`run` killed by SIGKILL", 80, interruptions.parent_killed),
    Row(
        "parent-killed-waiting", "`run` killed while a library does not return", 20, interruptions.parent_killed_waiting
    ),
    Row("parent-asked", "`run` ended by SIGTERM, SIGINT or SIGHUP", 100, interruptions.parent_asked),
    Row(
        "at-write", "`run` killed or ended when it is about to write", 6 * interruptions.WRITES, interruptions.at_write
    ),
    Row("worker-killed", "process of a library killed", 200, interruptions.worker_killed),
    Row("cache-flipped", "one byte of the cache changed", 200, damage.cache_flipped),
    Row("cache-damaged", "file of the cache cut, emptied or nonsense", 24, damage.cache_damaged),
    Row("cache-read-only", "cache that may not be written", 12, damage.cache_read_only),
    Row("two-at-once", "two runs with one cache at once", 20, damage.two_at_once),
    Row("disk-full", "full disk", 20, damage.disk_full),
    Row("files-limited", "limited file size", 20, damage.files_limited),
    Row("track-write", "track killed or ended when it keeps a result", 20, tracks.at_write),
    Row("track-jobs", "process of `--jobs` killed", 10, tracks.process_killed),
    Row("track-kept", "kept result changed", 10, tracks.kept_changed),
    Row("track-input", "run or qrels changed after results were kept", 8, tracks.input_changed),
    Row("track-unwritable", "results that cannot be kept", 10, tracks.unwritable),
    Row("adapters", "misbehaving adapter", len(misbehaviour.adapters()), misbehaviour.adapter),
    Row("functions", "misbehaving function", len(misbehaviour.functions()), misbehaviour.function),
    Row("check-killed", "`check` killed or ended, with its function", 40, interruptions.check_killed),
    Row("check-budget", "function too slow for its budget", len(misbehaviour.PAUSES), misbehaviour.slow_function),
    Row("files", "damaged file", len(input_files.DAMAGED), input_files.damaged),
    Row("refused", "file that is too large, empty or ambiguous", len(input_files.REFUSED), input_files.refused),
    Row("upgrade", "requirements and projects that cannot be read", len(entrances.UPGRADES), entrances.upgrade),
    Row("sources", "declared functions in modules that cannot be read", len(entrances.SOURCES), entrances.sources),
    Row("env", "sheets with hostile environments", len(entrances.ENVIRONMENTS), entrances.environments),
    Row("pictures", "badges, citations, data and demo files", len(entrances.PICTURES), entrances.picture),
    Row("pipes", "pipe without a writer", len(entrances.PIPES), entrances.pipe),
    Row("endless", "pipe without an end", len(entrances.ENDLESS), entrances.endless),
    Row("hook", "projects for the pre-commit hook", len(entrances.HOOKS), entrances.hook),
    Row("action", "inputs of the Action", len(entrances.ACTIONS), entrances.action),
    Row("frames", "frame, table or dict with an unusable value", len(hostile_text.FRAMES), hostile_text.frame),
    Row("printed", "ids and names with control characters", len(hostile_text.PRINTED), hostile_text.printed),
    Row("markup", "file names that are markup", len(hostile_text.MARKUP), hostile_text.markup),
    Row("site", "site with scripts in a library's texts, in Chromium", 1, hostile_text.site),
)
"""All attacks."""


@dataclass(frozen=True, slots=True)
class Line:
    """Results of a row.

    Attributes:
        failed: number of failed attacks.
        faults: descriptions of the faults.
    """

    title: str
    times: int
    failed: int
    seconds: Sequence[float]
    faults: Sequence[str]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the table."""
        median, longest = statistics.median(self.seconds), max(self.seconds)
        return self.title, str(self.times), str(self.failed), f"{median:.2f}", f"{longest:.2f}"


COLUMNS = ("attack", "times", "failed", "seconds to end: median", "longest")


def attack(row: Row, ground: Ground, index: int, seed: int) -> Trial:
    """Make one attack of a row."""
    trial = Trial(ground, row.name, index, Random(f"{seed} {row.name} {index}"))
    try:
        row.attack(trial)
    except Exception as error:  # noqa: BLE001 - an impossible attack fails without ending others
        trial.fault(f"the attack cannot be made: {type(error).__name__}: {error}")
    return trial


def attack_all(rows: Sequence[Row], ground: Ground, *, seed: int, quick: bool = False) -> Iterator[Line]:
    """Make all attacks of some rows, a few at once; yield the results of each finished row."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        submitted = [
            [pool.submit(attack, row, ground, index, seed) for index in range(1 if quick else row.times)]
            for row in rows
        ]
        for row, of_row in zip(rows, submitted, strict=True):
            trials = [trial.result() for trial in of_row]
            yield Line(
                row.title,
                len(trials),
                sum(bool(trial.faults) for trial in trials),
                [trial.seconds for trial in trials],
                [f"{row.name} {trial.index}: {fault}" for trial in trials for fault in trial.faults],
            )


def show(cells: Sequence[str]) -> None:
    """Print a row of the Markdown table."""
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> int:
    """Attack, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one attack of each row")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="only rows with these names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="new folder to keep (default: a temporary folder)")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.only or any(fnmatch(row.name, glob) for glob in options.only)]
    if not rows:
        parser.error(f"Unknown row. Names: {', '.join(row.name for row in ROWS)}")
    if not damage.own_mounts():
        print("disk-full is skipped: this system does not allow mounts", file=sys.stderr)
        rows = [row for row in rows if row.name != "disk-full"]
    folder = options.folder or Path(tempfile.mkdtemp(prefix="rankproof-attacks-"))
    folder.mkdir(parents=True, exist_ok=True)
    show(COLUMNS)
    show(("---", *["---:"] * (len(COLUMNS) - 1)))
    failed = 0
    try:
        for line in attack_all(rows, prepare(folder), seed=options.seed, quick=options.quick):
            show(line.cells)
            for fault in line.faults:
                print(fault, file=sys.stderr, flush=True)
            failed += line.failed
    finally:
        if options.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
