"""Hugging Face evaluate: its module trec_eval, in a copy of our own, or the hub's at a revision that is named.

Ours declares the same features and makes the same calls of trectools. The hub's is fetched and executed only where RANKPROOF_HUB_REVISION
names a commit of it; the note `module` tells which was asked. One translation is made, and told: queries are whole numbers there, so
those with a name become 0, 1, 2, … in the order of the qrels. One `compute` gives every measure, so the results of two of them are kept
for an input: for what is asked first, and again.
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
    """The input cannot be said in the module's terms."""


def identity() -> Dict[str, str]:
    """Which module is asked."""
    return {"module": os.environ.get("RANKPROOF_HUB_REVISION") or "own"}


def revision() -> str:
    """The commit of the hub's module that is to be asked; empty for our own."""
    named = os.environ.get("RANKPROOF_HUB_REVISION", "")
    if named and not re.fullmatch("[0-9a-f]{40}", named):
        raise LookupError("RANKPROOF_HUB_REVISION names no commit: write its 40 digits")
    return named


def load() -> Dict[str, str]:
    """Import it, with a home of its own; without a revision, nothing of it may reach the hub."""
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
    """The hub's module at a commit, loaded from a folder where nothing shadows its name."""
    before = os.getcwd()  # noqa: PTH109 - as chdir takes it
    os.chdir(STATE["home"].name)
    try:
        return type(evaluate.load("evaluate-metric/trec_eval", revision=commit))
    except Exception as error:  # noqa: BLE001 - whatever it and its clients raise where it cannot be had
        raise LookupError("the hub's module trec_eval at {} cannot be had: {}".format(commit, error))  # noqa: B904
    finally:
        os.chdir(before)


def own_module() -> Any:
    """A module with the features and the trectools calls of the hub's."""
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
    """One number over all queries; the module has none for each."""
    if STATE["data"] != data:
        STATE.update(data=data, results=[], asked=Counter())
    turn = min(STATE["asked"][call], 1)  # the second time a measure is asked, the second computation answers
    STATE["asked"][call] += 1
    run, qrels = tables(data)
    while len(STATE["results"]) <= turn:
        module = STATE["module"](keep_in_memory=True)  # a new one, as one that failed stays as it was left
        STATE["results"].append(module.compute(predictions=[run], references=[qrels]))
    return None, STATE["results"][turn][call]


def tables(data: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The columns of run and qrels."""
    if "true" in data or data["empty_in_qrels"] or data["empty_in_run"]:
        reason = "a table has rows of docs: neither labelings nor queries without docs"
        raise Unsupported(reason)
    number = numbered(dict.fromkeys(row[0] for row in data["qrels"] + data["run"]))
    run = [(number[query], "Q0", doc, rank, float(score), "run") for query, doc, score, rank in data["run"]]
    qrels = [(number[query], "0", doc, rel) for query, doc, rel in data["qrels"]]
    return table(run, "query q0 docid rank score system"), table(qrels, "query q0 docid rel")


def table(rows: List[Tuple[Any, ...]], names: str) -> Dict[str, List[Any]]:
    """Name -> column."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def numbered(queries: Iterable[Any]) -> Dict[Any, Any]:
    """Each query as it comes, if all are whole numbers or their digits; else its place."""
    if all(isinstance(query, int) or (query.isascii() and query.isdigit()) for query in queries):
        return {query: query for query in queries}
    if any(isinstance(query, int) for query in queries):
        reason = "queries are whole numbers, and these are partly names"
        raise Unsupported(reason)
    return {query: place for place, query in enumerate(queries)}
