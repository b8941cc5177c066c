"""trec_eval, the C program: from RANKPROOF_TREC_EVAL, installed by rankproof, or on the PATH, in this order.

`rankproof libraries install trec_eval` puts the program into the folder that RANKPROOF_PROGRAMS contains in a worker.
The adapter writes qrels and run to files. `-m` selects one measure, `-q` prints every query, and the line `all` is the
mean. Values have the four decimals that the program prints.
"""

import hashlib
import os
import shutil
import signal
import string
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

LIBRARY = "trec_eval"
PACKAGES = ()
VARIANTS = {"default": "trec_eval -q", "complete": "trec_eval -q -c: over all queries of the qrels"}
UNTOLD = dict.fromkeys(VARIANTS, "ids")  # ids in a file are text, never numbers

# Measure, its own parameter, cutoff, and the program's name. The loop below adds the parameters rel and judged_only.
THRESHOLDED = (
    ("AP", "", "", "map"),
    ("AP", "", "@{k}", "map_cut.{k}"),
    ("P", "", "@{k}", "P.{k}"),
    ("R", "", "@{k}", "recall.{k}"),
    ("Success", "", "@{k}", "success.{k}"),
    ("nDCG", "", "", "ndcg"),
    ("nDCG", "", "@{k}", "ndcg_cut.{k}"),
    ("RR", "", "", "recip_rank"),
    ("Rprec", "", "", "Rprec"),
    ("Bpref", "", "", "bpref"),
    ("infAP", "", "", "infAP"),
    ("IPrec", "", "@{recall}", "iprec_at_recall.{recall}"),
    ("IAP", "", "", "11pt_avg"),
    ("SetP", "", "", "set_P"),
    ("SetP", "relative=True", "", "set_relative_P"),
    ("SetR", "", "", "set_recall"),
    ("SetF", "", "", "set_F"),
    ("SetF", "beta={beta}", "", "set_F.{beta}"),
    ("SetAP", "", "", "set_map"),
)
MEASURES = {
    "NumQ": ["-m", "num_q"],
    "NumRet": ["-m", "num_ret"],
    "NumRet(rel={rel})": ["-m", "num_rel_ret", "-l", "{rel}"],
    "NumRel": ["-m", "num_rel"],
    "NumRel(rel={rel})": ["-m", "num_rel", "-l", "{rel}"],
}
for _name, _own, _cutoff, _call in THRESHOLDED:
    for _judged_only in ("", "judged_only=True"):
        for _rel in ("", "rel={rel}"):
            _params = ",".join(sorted(filter(None, (_own, _judged_only, _rel))))
            _options = (["-J"] if _judged_only else []) + (["-l", "{rel}"] if _rel else [])
            MEASURES[_name + ("(" + _params + ")" if _params else "") + _cutoff] = ["-m", _call, *_options]


class Unsupported(Exception):
    """An input that TREC files cannot represent."""


def load() -> Dict[str, str]:
    """Return the version that the program prints."""
    completed = run_program(["--version"], ".")
    words = (completed.stdout + completed.stderr).split()
    return {"version": words[-1] if words else "unknown"}


def identity() -> Dict[str, str]:
    """Return the digest of the program: builds of the same version may give different values."""
    try:
        return {"program": hashlib.sha256(Path(program()).read_bytes()).hexdigest()}
    except LookupError:
        return {}


def program() -> str:
    """Return the path of the executable."""
    named = os.environ.get("RANKPROOF_TREC_EVAL")
    if named:
        path, reason = shutil.which(named), "RANKPROOF_TREC_EVAL names {}, which is no executable".format(named)
    else:
        installed = shutil.which("trec_eval", path=os.environ.get("RANKPROOF_PROGRAMS", os.devnull))
        path, reason = (
            installed or shutil.which("trec_eval"),
            "no trec_eval is installed, on the PATH, or named by RANKPROOF_TREC_EVAL",
        )
    if path is None:
        raise LookupError(reason)
    return str(Path(path).absolute())


def run_program(arguments: List[str], folder: str) -> "subprocess.CompletedProcess[str]":
    """Run trec_eval in a folder, so that its messages contain no path."""
    return subprocess.run(  # noqa: S603 - running it is the purpose
        [program(), *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def observe(
    variant: str, data: Dict[str, Any], call: List[str], values: Dict[str, Any]
) -> Tuple[Optional[Dict[str, float]], float]:
    """Run the program on two files and return the printed values."""
    options = [option.format(**values) for option in call] + (["-c"] if variant == "complete" else [])
    run, qrels = rows_of(data)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "run", run)
        write(Path(folder) / "qrels", qrels)
        done = run_program(["-q", *options, "qrels", "run"], folder)
    lines = done.stdout.splitlines()
    pass_on(done)
    if done.returncode or not lines:
        raise RuntimeError(ended(done))
    *per_query, (_, _, mean) = [line.split("\t") for line in lines]
    return {query: float(value) for _, query, value in per_query} or None, float(mean)


def pass_on(done: "subprocess.CompletedProcess[str]") -> None:
    """End this process by the same signal if another process killed trec_eval: this is not a result."""
    if -done.returncode in {signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT}:
        os.kill(os.getpid(), -done.returncode)


def ended(done: "subprocess.CompletedProcess[str]") -> str:
    """Return how a program without output ended."""
    if done.returncode < 0:
        return "ended by {}".format(signal.Signals(-done.returncode).name)
    return "exit code {}: {}".format(done.returncode, (done.stderr.splitlines() or ["nothing on stderr"])[0])


def rows_of(data: Dict[str, Any]) -> Tuple[Any, Any]:
    """Return the lines of a TREC run and of TREC qrels."""
    if "true" in data:
        refuse("trec_eval measures rankings, not labelings")
    if data["empty_in_qrels"] or data["empty_in_run"]:
        refuse("a TREC file has no line for a query without docs")
    run = [(query, "Q0", doc, rank, float(score), "run") for query, doc, score, rank in data["run"]]
    return run, [(query, "0", doc, rel) for query, doc, rel in data["qrels"]]


def refuse(reason: str) -> None:
    """Raise `Unsupported` with a reason."""
    raise Unsupported(reason)


def write(path: Path, rows: Iterable[Tuple[Any, ...]]) -> None:
    """Write lines of fields to a file."""
    lines = [[str(field) for field in row] for row in rows]
    if any(not field or set(field) & set(string.whitespace) for line in lines for field in line):
        refuse("a TREC file has no ids that are empty or hold white space")
    path.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
