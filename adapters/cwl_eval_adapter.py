"""cwl_eval: the expected utility of its measures, by a `RankingMaker` for each query, as its own program does it from files.

A gain is 1 for a doc of rel 1 and more, and 0 for one of a lower rel, since cwl_eval takes gains from 0 to 1 and a precision of graded
gains is graded. The docs of the run are added as its rows stand: the program reads a file in which the ranking is done. A query is what
it retrieved, so that one which the run lacks is not there; a mean over queries cwl_eval has not. Its NDCG is a DCG divided by the sum of
its discounts, and so is not asked for as nDCG.
"""

import logging
from typing import Any, Dict, Tuple

LIBRARY = "cwl_eval"
PACKAGES = ("cwl-eval", "numpy")
VARIANTS = {
    "default": "RankingMaker, a query at a time, with gains of 0 and 1; the docs of the run in the order of its rows"
}
UNTOLD = {"default": "relevant negative grades qrels_duplicates no_judgments"}  # the adapter says which gain a rel has
MEASURES = {
    "P@{k}": ("PrecisionCWLMetric", "k"),
    "RR": ("RRCWLMetric", ""),
    "AP": ("APCWLMetric", ""),
    "RBP(p={p})": ("RBPCWLMetric", "p"),
}


class Unsupported(Exception):
    """The input cannot be said in the library's terms."""


def load() -> None:
    """Import it, and have no log written into the current folder: what has a handler is not configured again."""
    logging.getLogger().addHandler(logging.NullHandler())
    from cwl import cwl_eval  # noqa: F401

    logging.getLogger("cwl").disabled = True


def observe(_variant: str, data: Dict[str, Any], call: Tuple[str, str], values: Dict[str, Any]) -> Tuple[Any, None]:
    """Measure one ranking for each query."""
    from cwl.ruler import cwl_ruler

    name, parameter = call
    metric = getattr(cwl_ruler, name)
    return {
        query: (metric(values[parameter]) if parameter else metric()).measure(maker.get_ranking())
        for query, maker in rankings(data).items()
    }, None


def rankings(data: Dict[str, Any]) -> Dict[Any, Any]:
    """A maker of the ranking of each query of the run."""
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
