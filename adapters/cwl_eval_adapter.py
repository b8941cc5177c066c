"""cwl_eval: the expected utility of its measures, with a `RankingMaker` for each query as in its own program.

The gain is 1 for grades of at least 1 and 0 for lower grades: cwl_eval accepts gains from 0 to 1, and graded gains
would make precision graded. Documents keep the input order, because the program reads files that are already ranked.
Queries missing from the run are not measured, and cwl_eval has no mean over queries. Its NDCG is not supported as
nDCG: it divides DCG by the sum of the discounts.
"""

import logging
from typing import Any, Dict, Tuple

LIBRARY = "cwl_eval"
PACKAGES = ("cwl-eval", "numpy")
VARIANTS = {
    "default": "RankingMaker, a query at a time, with gains of 0 and 1; the docs of the run in the order of its rows"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter maps grades to gains
MEASURES = {
    "P@{k}": ("PrecisionCWLMetric", "k"),
    "RR": ("RRCWLMetric", ""),
    "AP": ("APCWLMetric", ""),
    "RBP(p={p})": ("RBPCWLMetric", "p"),
}


class Unsupported(Exception):
    """An input that cwl_eval cannot represent."""


def load() -> None:
    """Import cwl_eval; an existing log handler keeps it from writing a log file into the current folder."""
    logging.getLogger().addHandler(logging.NullHandler())
    from cwl import cwl_eval  # noqa: F401

    logging.getLogger("cwl").disabled = True


def observe(_variant: str, data: Dict[str, Any], call: Tuple[str, str], values: Dict[str, Any]) -> Tuple[Any, None]:
    """Measure the ranking of each query."""
    from cwl.ruler import cwl_ruler

    name, parameter = call
    metric = getattr(cwl_ruler, name)
    return {
        query: (metric(values[parameter]) if parameter else metric()).measure(maker.get_ranking())
        for query, maker in rankings(data).items()
    }, None


def rankings(data: Dict[str, Any]) -> Dict[Any, Any]:
    """Return a `RankingMaker` for each query of the run."""
    from cwl.ruler.ranking import RankingMaker
    from cwl.seeker.trec_qrel_handler import TrecQrelHandler

    if "true" in data:
        raise Unsupported("cwl_eval measures rankings, not labelings")
    if len({(query, doc) for query, doc, _rel in data["qrels"]}) < len(data["qrels"]):
        raise Unsupported("a doc has one gain, so it cannot be judged twice")
    if data["empty_in_run"]:
        raise Unsupported("a file of results has no row for a query without docs")
    gains = TrecQrelHandler()
    for query, doc, rel in data["qrels"]:
        gains.put_value(query, doc, 1.0 if rel >= 1 else 0.0)
    makers: Dict[Any, Any] = {}
    for query, doc, _score, _rank in data["run"]:
        if query not in makers:
            makers[query] = RankingMaker(query, gains)
        makers[query].add(doc, "_")
    if not makers:
        raise Unsupported("there is no query to be measured")
    return makers
