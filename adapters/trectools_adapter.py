"""trectools: TREC runs and qrels as pandas frames or read from files, as two variants, because their orders differ.

`get_ndcg` and `get_rbp` keep the order of the frame, which the file reader has sorted. The other measures sort by
score and then document id. Measures without a cutoff use the default depth of 1,000. The per-query tables are passed
on unchanged: some lack queries or contain NaN.
"""

import string
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Tuple

LIBRARY = "trectools"
PACKAGES = ("trectools", "pandas", "numpy")
VARIANTS = {
    "frame": "a run loaded by load_run_from_dataframe, and a frame as qrels_data: rows in the order given",
    "file": "run and qrels read from TREC files",
}
UNTOLD = {"file": "ids"}  # ids in a file are text, never numbers
NDCG = {"trec_eval": True}
EXPONENTIAL = {"trec_eval": False}  # in get_ndcg, it only changes the gain
JUDGED_ONLY = {"removeUnjudged": True}
MEASURES = {
    "AP": ("get_map", {}),
    "AP@{k}": ("get_map", {}),
    "P@{k}": ("get_precision", {}),
    "P(judged_only=True)@{k}": ("get_precision", JUDGED_ONLY),
    "R@{k}": ("get_recall", {}),
    "R(judged_only=True)@{k}": ("get_recall", JUDGED_ONLY),
    "nDCG": ("get_ndcg", NDCG),
    "nDCG@{k}": ("get_ndcg", NDCG),
    "nDCG(judged_only=True)@{k}": ("get_ndcg", {**NDCG, **JUDGED_ONLY}),
    "nDCG(dcg='exp-log2')": ("get_ndcg", EXPONENTIAL),
    "nDCG(dcg='exp-log2')@{k}": ("get_ndcg", EXPONENTIAL),
    "RR": ("get_reciprocal_rank", {}),
    "RR@{k}": ("get_reciprocal_rank", {}),
    "RR(judged_only=True)": ("get_reciprocal_rank", JUDGED_ONLY),
    "Rprec": ("get_rprec", {}),
    "Rprec(judged_only=True)": ("get_rprec", JUDGED_ONLY),
    "Bpref": ("get_bpref", {}),
    "RBP": ("get_rbp", {"p": 0.8}),
    "RBP@{k}": ("get_rbp", {"p": 0.8}),
    "RBP(p={p})": ("get_rbp", {}),
    "RBP(p={p})@{k}": ("get_rbp", {}),
    "NumRet": ("get_retrieved_documents", {}),
    "NumRet(rel=1)": ("get_relevant_retrieved_documents", {}),
    "NumRel": ("get_relevant_documents", {}),
}
ARGUMENTS = {"k": "depth", "p": "p"}
RUN = ["query", "q0", "docid", "rank", "score", "system"]
QRELS = ["query", "q0", "docid", "rel"]


class Unsupported(Exception):
    """An input that trectools cannot represent."""


def load() -> Dict[str, Any]:
    """Import trectools; the first releases cannot create a run from a frame."""
    import trectools

    if hasattr(trectools.TrecRun, "load_run_from_dataframe"):
        return {}
    return {"absent": {"frame": "TrecRun of this release has no load_run_from_dataframe"}}


def observe(
    variant: str, data: Dict[str, Any], call: Tuple[str, Dict[str, Any]], values: Dict[str, Any]
) -> Tuple[Optional[Dict[Any, Any]], Any]:
    """Return the value of each query, and the mean from a separate call."""
    import trectools

    name, options = call
    if not hasattr(trectools.TrecEval, name):
        refuse("TrecEval of this release has no {}".format(name))
    options = dict(options, **{ARGUMENTS[name]: value for name, value in values.items() if name in ARGUMENTS})
    run, qrels = (from_files if variant == "file" else from_frames)(*rows_of(data))
    method = getattr(trectools.TrecEval(run, qrels), name)
    per_query = value_of(method(per_query=True, **options))
    column = per_query if per_query.ndim == 1 else per_query.iloc[:, 0]
    return column.to_dict(), value_of(method(per_query=False, **options))


def value_of(answer: Any) -> Any:
    """Return a value without the residual that RBP returns with it."""
    return answer[0] if isinstance(answer, tuple) else answer


def rows_of(data: Dict[str, Any]) -> Tuple[Any, Any]:
    """Return the rows of run and qrels with unchanged ids; trectools converts only the ids of a run to text."""
    if "true" in data:
        refuse("trectools measures rankings, not labelings")
    if data["empty_in_qrels"] or data["empty_in_run"]:
        refuse("neither a frame nor a file has a row for a query without docs")
    run = [(query, "Q0", doc, rank, float(score), "run") for query, doc, score, rank in data["run"]]
    return run, [(query, "0", doc, rel) for query, doc, rel in data["qrels"]]


def refuse(reason: str) -> None:
    """Raise `Unsupported` with a reason."""
    raise Unsupported(reason)


def from_frames(run_rows: Any, qrels_rows: Any) -> Tuple[Any, Any]:
    """Return run and qrels with rows in input order; trectools has no loader of qrels, so the frame is assigned."""
    import pandas as pd
    from trectools import TrecQrel, TrecRun

    run, qrels = TrecRun(), TrecQrel()
    run.load_run_from_dataframe(pd.DataFrame(run_rows, columns=RUN))
    qrels.qrels_data = pd.DataFrame(qrels_rows, columns=QRELS)
    return run, qrels


def from_files(run_rows: Any, qrels_rows: Any) -> Tuple[Any, Any]:
    """Return run and qrels from the library's readers of TREC files."""
    from trectools import TrecQrel, TrecRun

    with tempfile.TemporaryDirectory() as folder:
        return TrecRun(written(folder, "run", run_rows)), TrecQrel(written(folder, "qrels", qrels_rows))


def written(folder: str, name: str, rows: Iterable[Tuple[Any, ...]]) -> str:
    """Write lines of fields to a file; return its path."""
    path = Path(folder) / name
    lines = [[str(field) for field in row] for row in rows]
    if any(not field or set(field) & set(string.whitespace) for line in lines for field in line):
        refuse("a TREC file has no ids that are empty or hold white space")
    path.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    return str(path)
