"""Hugging Face evaluate: its module trec_eval, either as a copy in this file or from the Hub at a fixed revision.

The copy declares the same features and makes the same calls to trectools. The Hub's module is downloaded and executed
only if RANKPROOF_HUB_REVISION is set to a commit; the note `module` shows which module ran. The module needs whole
numbers as query ids, so named queries become 0, 1, 2, … in the order of the qrels. One `compute` returns every
measure, so the results of two calls are kept for each input: for the first and the second run of a test.
"""

import os
import re
import tempfile
from collections import Counter
from typing import Any, Dict, Iterable, List, Tuple

LIBRARY = "evaluate"
PACKAGES = ("evaluate", "trectools", "datasets", "pandas", "numpy")
VARIANTS = {
    "default": "compute of the module trec_eval; its queries are whole numbers and a name is refused, so named ones are numbered 0, 1, …"
}
DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = {
    "AP": "map",
    "RR": "recip_rank",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRet(rel=1)": "num_rel_ret",
    "NumQ": "num_q",
}
for _k in DEPTHS:
    MEASURES["P@{}".format(_k)] = "P@{}".format(_k)
    MEASURES["nDCG@{}".format(_k)] = "NDCG@{}".format(_k)

HUB = "asked through the hub's module trec_eval at revision {}"
OWN = "asked through rankproof's own copy of the hub's module trec_eval"
STATE: Dict[str, Any] = {"data": None}


class Unsupported(Exception):
    """An input that the module cannot represent."""


def identity() -> Dict[str, str]:
    """Return the module that runs: a revision of the Hub, or `own`."""
    return {"module": os.environ.get("RANKPROOF_HUB_REVISION") or "own"}


def revision() -> str:
    """Return the commit of the Hub's module to run; empty for the copy in this file."""
    named = os.environ.get("RANKPROOF_HUB_REVISION", "")
    if named and not re.fullmatch("[0-9a-f]{40}", named):
        raise LookupError("RANKPROOF_HUB_REVISION names no commit: write its 40 digits")
    return named


def load() -> Dict[str, str]:
    """Import evaluate with its own home folder; without a revision, all access to the Hub is disabled."""
    wanted = revision()
    STATE["home"] = tempfile.TemporaryDirectory()
    home = STATE["home"].name
    os.environ.update(HF_HOME=home, HF_MODULES_CACHE=home, HF_HUB_ETAG_TIMEOUT="3", HF_HUB_DOWNLOAD_TIMEOUT="10")
    os.environ.update(HF_UPDATE_DOWNLOAD_COUNTS="0", HF_HUB_DISABLE_TELEMETRY="1")
    if not wanted:
        os.environ.update(HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    import evaluate
    import trectools  # noqa: F401

    STATE["module"] = hub_module(evaluate, wanted) if wanted else own_module()
    return {"module": HUB.format(wanted) if wanted else OWN}


def hub_module(evaluate: Any, commit: str) -> Any:
    """Load the Hub's module at a commit, from a folder in which no file shadows its name."""
    before = os.getcwd()  # noqa: PTH109 - a text for chdir
    os.chdir(STATE["home"].name)
    try:
        return type(evaluate.load("evaluate-metric/trec_eval", revision=commit))
    except Exception as error:  # noqa: BLE001 - evaluate and its HTTP clients raise many types
        raise LookupError("the hub's module trec_eval at {} cannot be had: {}".format(commit, error))  # noqa: B904
    finally:
        os.chdir(before)


def own_module() -> Any:
    """Return a module with the features and the trectools calls of the Hub's module."""
    import datasets
    import evaluate
    import pandas as pd
    from trectools import TrecEval, TrecQrel, TrecRun

    def columns(**types: str) -> Dict[str, Any]:
        return {name: datasets.Sequence(datasets.Value(kind)) for name, kind in types.items()}

    ids = {"query": "int64", "q0": "string", "docid": "string"}
    run_columns = columns(rank="int64", score="float", system="string", **ids)  # float: 32 bits
    features = datasets.Features({"predictions": run_columns, "references": columns(rel="int64", **ids)})

    class TrecEvalModule(evaluate.Metric):  # type: ignore[misc]
        def _info(self) -> Any:
            return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

        def _compute(self, predictions: Any, references: Any) -> Dict[str, Any]:
            run, qrels = TrecRun(), TrecQrel()
            run.run_data, qrels.qrels_data = pd.DataFrame(predictions[0]), pd.DataFrame(references[0])
            evaluation = TrecEval(run, qrels)
            values = {
                "runid": run.get_runid(),
                "num_ret": evaluation.get_retrieved_documents(),
                "num_rel": evaluation.get_relevant_documents(),
                "num_rel_ret": evaluation.get_relevant_retrieved_documents(),
                "num_q": len(run.topics()),
                "map": evaluation.get_map(depth=10000, trec_eval=True),
                "gm_map": evaluation.get_geometric_map(depth=10000, trec_eval=True),
                "bpref": evaluation.get_bpref(depth=1000, trec_eval=True),
                "Rprec": evaluation.get_rprec(depth=1000, trec_eval=True),
                "recip_rank": evaluation.get_reciprocal_rank(depth=1000, trec_eval=True),
            }
            for k in DEPTHS:
                values["P@{}".format(k)] = evaluation.get_precision(depth=k, trec_eval=True)
            for k in DEPTHS:
                values["NDCG@{}".format(k)] = evaluation.get_ndcg(depth=k, trec_eval=True)
            return values

    return TrecEvalModule


def observe(_variant: str, data: Dict[str, Any], call: str, _values: Dict[str, Any]) -> Tuple[None, Any]:
    """Return the value over all queries; the module has no values for single queries."""
    if STATE["data"] != data:
        STATE.update(data=data, results=[], asked=Counter())
    turn = min(STATE["asked"][call], 1)  # the second run of a measure uses the second computation
    STATE["asked"][call] += 1
    run, qrels = tables(data)
    while len(STATE["results"]) <= turn:
        module = STATE["module"](keep_in_memory=True)  # a new module: a failed one keeps its state
        STATE["results"].append(module.compute(predictions=[run], references=[qrels]))
    return None, STATE["results"][turn][call]


def tables(data: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Return the columns of run and qrels."""
    if "true" in data or data["empty_in_qrels"] or data["empty_in_run"]:
        reason = "a table has rows of docs: neither labelings nor queries without docs"
        raise Unsupported(reason)
    number = numbered(dict.fromkeys(row[0] for row in data["qrels"] + data["run"]))
    run = [(number[query], "Q0", doc, rank, float(score), "run") for query, doc, score, rank in data["run"]]
    qrels = [(number[query], "0", doc, rel) for query, doc, rel in data["qrels"]]
    return table(run, "query q0 docid rank score system"), table(qrels, "query q0 docid rel")


def table(rows: List[Tuple[Any, ...]], names: str) -> Dict[str, List[Any]]:
    """Return the columns of rows by name."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def numbered(queries: Iterable[Any]) -> Dict[Any, Any]:
    """Return a number for each query: the query itself if all are whole numbers, otherwise its position."""
    if all(isinstance(query, int) or (query.isascii() and query.isdigit()) for query in queries):
        return {query: query for query in queries}
    if any(isinstance(query, int) for query in queries):
        reason = "queries are whole numbers, and these are partly names"
        raise Unsupported(reason)
    return {query: place for place, query in enumerate(queries)}
