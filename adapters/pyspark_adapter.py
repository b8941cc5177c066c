"""Spark: `pyspark.mllib.evaluation.RankingMetrics`, which runs in Scala on the JVM, with one partition on one core.

Spark receives an RDD of pairs: the ranked ids and the relevant ids of a query. According to its documentation, nDCG
also uses the grades of the relevant ids. Pairs are made as in Spark's documentation: ids by descending score (ties in
input order), joined by query, so only queries on both sides remain. The ideal ranking has the order of the grades,
which are passed highest first, as in the documented example. Each function returns only the mean.

Creating an RDD is slow, so the RDD of the last input is kept for its next measure.
"""

import os
import shutil
from typing import Any, Dict, List, Tuple

LIBRARY = "pyspark"
PACKAGES = ("pyspark", "py4j", "numpy")
VARIANTS = {
    "default": "the ids of a ranking, and those of the docs of rel 1 and more",
    "graded": "the same, with the rels of the relevant docs, the highest first",
}
# The adapter sorts the documents, selects the relevant ones, and joins the queries.
UNTOLD = dict.fromkeys(
    VARIANTS, "order ties score score_sign infinite missing extra no_judgments relevant negative grades"
)
MEASURES = {
    "default": {
        "P@{k}": "precisionAt",
        "R@{k}": "recallAt",
        "nDCG@{k}": "ndcgAt",
        "AP": "meanAveragePrecision",
        "AP@{k}": "meanAveragePrecisionAt",
    },
    "graded": {"nDCG@{k}": "ndcgAt"},
}.get
HERE = "127.0.0.1"
JAVA = "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' pyspark-shell"  # fast start, small inputs
LAST: Dict[str, Any] = {}  # the context and the metrics of the last input


class Unsupported(Exception):
    """An input that Spark cannot represent."""


def load() -> Dict[str, str]:
    """Start Spark in this process, with its own JVM process."""
    from pyspark import SparkConf, SparkContext
    from pyspark.mllib.evaluation import RankingMetrics  # noqa: F401

    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        raise LookupError("Spark needs Java 17, which is not on the PATH: apt-get install openjdk-17-jre-headless")
    os.environ["PYSPARK_SUBMIT_ARGS"] = JAVA
    os.environ["SPARK_LOCAL_IP"] = HERE
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": HERE,
        "spark.driver.bindAddress": HERE,
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
    }
    conf = SparkConf().setMaster("local[1]").setAppName("rankproof").setAll(list(options.items()))
    LAST["context"] = SparkContext.getOrCreate(conf)
    LAST["context"].setLogLevel("OFF")
    return {"java": LAST["context"]._jvm.System.getProperty("java.version")}  # noqa: SLF001 - no public way


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[None, Any]:
    """Return the value over all queries."""
    if "true" in data:
        raise Unsupported("RankingMetrics measures rankings, not labelings")
    rows = joined(data, graded=variant == "graded")
    method = getattr(metrics_of(rows), call)
    return None, method(values["k"]) if values.get("k") is not None else method


def metrics_of(rows: List[Tuple[Any, ...]]) -> Any:
    """Return the metrics of some rows, from the last call if the rows are the same."""
    from pyspark.mllib.evaluation import RankingMetrics

    key = repr(rows)
    if LAST.get("key") != key:
        LAST["key"] = None  # keep nothing if Spark rejects the rows
        LAST["metrics"] = RankingMetrics(LAST["context"].parallelize(rows, 1))
        LAST["key"] = key
    return LAST["metrics"]


def joined(data: Dict[str, Any], *, graded: bool) -> List[Tuple[Any, ...]]:
    """Return a row for each query on both sides, in the order of the qrels, with unchanged ids."""
    judged: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_qrels"]}
    for query, doc, rel in data["qrels"]:
        judged.setdefault(str(query), []).append((doc, float(rel)))
    ranked: Dict[str, List[Any]] = {str(query): [] for query in data["empty_in_run"]}
    for query, doc, score, _rank in data["run"]:
        ranked.setdefault(str(query), []).append((doc, float(score)))
    rows: List[Tuple[Any, ...]] = []
    for query, own in judged.items():
        if query in ranked:
            relevant = [row for row in own if row[1] >= 1]
            if graded:
                relevant.sort(key=rel_or_score, reverse=True)
            docs = [doc for doc, _ in sorted(ranked[query], key=rel_or_score, reverse=True)]
            row = (docs, [doc for doc, _ in relevant])
            rows.append((*row, [rel for _, rel in relevant]) if graded else row)
    return rows


def rel_or_score(row: Tuple[Any, float]) -> float:
    """Return the sort key of a document; Python's sort is stable."""
    return row[1]
