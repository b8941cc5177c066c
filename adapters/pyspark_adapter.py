"""Spark: `pyspark.mllib.evaluation.RankingMetrics`, which runs in Scala on the JVM, on one partition of one core.

It is given an RDD of pairs, the ids of a ranking in order and those of the relevant docs; its documentation says that nDCG takes the
rels of the latter, too. The pairs are made as Spark's documentation makes them: ids by descending score, ties in the order of the rows,
and a join by query, so that a query is there which both sides have. The ideal ranking has the order of the rels, so they are given as in
the documented example, the highest first. Values by query are not to be had: each function gives one number, the mean.

An RDD takes its time: what was made of the last input is kept for the next measure of it.
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
# The adapter puts the docs in order, says which are relevant, and joins the queries.
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
JAVA = "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' pyspark-shell"  # it is asked small things
LAST: Dict[str, Any] = {}  # the context, and the metrics of the last input


class Unsupported(Exception):
    """The input cannot be said in Spark's terms."""


def load() -> Dict[str, str]:
    """Start Spark in this process, and a JVM of its own beside it."""
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
    return {"java": LAST["context"]._jvm.System.getProperty("java.version")}  # noqa: SLF001 - it is told nowhere else


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[None, Any]:
    """One number over all queries."""
    if "true" in data:
        raise Unsupported("RankingMetrics measures rankings, not labelings")
    rows = joined(data, graded=variant == "graded")
    method = getattr(metrics_of(rows), call)
    return None, method(values["k"]) if values.get("k") is not None else method


def metrics_of(rows: List[Tuple[Any, ...]]) -> Any:
    """What Spark makes of these rows."""
    from pyspark.mllib.evaluation import RankingMetrics

    key = repr(rows)
    if LAST.get("key") != key:
        LAST["key"] = None  # where it is refused nothing is kept
        LAST["metrics"] = RankingMetrics(LAST["context"].parallelize(rows, 1))
        LAST["key"] = key
    return LAST["metrics"]


def joined(data: Dict[str, Any], *, graded: bool) -> List[Tuple[Any, ...]]:
    """A row for each query of both sides, in the order of the qrels; ids as they come."""
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
    """What docs are ordered by; Python keeps the order of those that are alike."""
    return row[1]
