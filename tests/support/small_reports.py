"""Published reports reduced to a few entries of scikit-learn."""

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from places import ROOT

from rankproof import cases as corpus
from rankproof.files import with_lines
from rankproof.judge.results_file import load
from rankproof.report.run_report import Report
from rankproof.workers.known_libraries import libraries

CASES = ("ties/straddles-cutoff", "ideal/only-non-relevant-retrieved")


def small_results() -> str:
    """Return the published results of sklearn for two cases."""
    text = gzip.decompress((ROOT / "reports/results/sklearn.jsonl.gz").read_bytes()).decode()
    header, *rows, footer = map(json.loads, text.splitlines())
    header["questions"] = {case: measures for case, measures in header["questions"].items() if case in CASES}
    header["cases"] = len(CASES)
    rows = [row for row in rows if row["kind"] == "row" and row["case"] in CASES]
    footer = {**footer, "rows": len(rows), "unsupported": 0, "verdicts": Counter(row["verdict"] for row in rows)}
    return "".join(json.dumps(line) + "\n" for line in (header, *rows, footer))


@cache
def small_report() -> Report:
    """Return the report of these results."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sklearn.jsonl"
        path.write_text(small_results(), encoding="utf-8")
        return Report(load(path), [corpus.load(corpus.HERE / f"{case}.toml") for case in CASES], libraries())


def small(name: str, part: str) -> str:
    """Return a published file with one entry."""
    document = json.loads((ROOT / "reports" / name).read_text(encoding="utf-8"))
    document["asked"] = [one for one in document["asked"] if one["library"] == "sklearn"]
    document[part] = [one for one in document[part] if one["subject"].startswith("sklearn")][:1]
    return with_lines(document, part)


def small_probes() -> str:
    """Return the published findings with one finding of sklearn."""
    document = json.loads((ROOT / "reports" / "probes.json").read_text(encoding="utf-8"))
    document["libraries"] = [one for one in document["libraries"] if one["installation"]["library"] == "sklearn"]
    document["findings"] = [one for one in document["findings"] if one["library"] == "sklearn"][:1]
    return with_lines(document, "findings")
