"""Repros of a few lines: the input as it stands on the page of a case, and the call that a library's own users write.

They answer a measure of a case as the library does where the input is plain; `rankproof cases repro` answers all of them.
"""

from collections.abc import Callable, Mapping

from rankproof.measure_names import in_trec_eval
from rankproof.reference_impl.notation import Measure
from rankproof.report.run_report import known_measure

_DICTS = """\
qrels, run = {}, {}
for query, doc, rel in DATA["qrels"]:
    qrels.setdefault(query, {})[doc] = rel
for query, doc, score, rank in DATA["run"]:
    run.setdefault(query, {})[doc] = score
"""
_RELS = 'rels = {(query, doc): rel for query, doc, rel in DATA["qrels"]}\n'


def short(library: str, measure: str) -> str:
    """The lines that follow the data, for a library and a measure; empty where there are none.

    >>> print(short("ir_measures", "nDCG@10").splitlines()[-1])
    print(ir_measures.calc_aggregate([ir_measures.parse_measure('nDCG@10')], qrels, run))
    """
    asked = known_measure(measure)
    return "" if library not in _CALLS or asked is None or asked.of_labels else _CALLS[library](asked)


def _pytrec_eval(measure: Measure) -> str:
    name = in_trec_eval(measure)
    if name is None:
        return ""
    asked = name if measure.cutoff is None else ".".join(name.rsplit("_", 1))
    return (
        f"import pytrec_eval\n{_DICTS}found = pytrec_eval.RelevanceEvaluator(qrels, {{{asked!r}}}).evaluate(run)\n"
        f"print(sum(one[{name!r}] for one in found.values()) / len(found))\n"
    )


def _ir_measures(measure: Measure) -> str:
    return f"import ir_measures\n{_DICTS}print(ir_measures.calc_aggregate([ir_measures.parse_measure({str(measure)!r})], qrels, run))\n"


def _sklearn(measure: Measure) -> str:
    function = {"nDCG": "ndcg_score", "DCG": "dcg_score"}.get(measure.name)
    if function is None or measure.params:
        return ""
    return (
        f"from sklearn.metrics import {function}\n{_RELS}rows = {{}}\n"
        'for query, doc, score, rank in DATA["run"]:\n'
        "    rows.setdefault(query, []).append((rels.get((query, doc), 0), score))\n"
        f"values = [{function}([[rel for rel, _ in one]], [[score for _, score in one]], k={measure.k}) for one in rows.values()]\n"
        "print(sum(values) / len(values))\n"
    )


def _catboost(measure: Measure) -> str:
    if measure.name != "nDCG" or measure.params:
        return ""
    top = "" if measure.k is None else f"top={measure.k};"
    return (
        f"from catboost.utils import eval_metric\n{_RELS}"
        'labels = [rels.get((query, doc), 0) for query, doc, score, rank in DATA["run"]]\n'
        'scores = [score for query, doc, score, rank in DATA["run"]]\n'
        'groups = [query for query, doc, score, rank in DATA["run"]]\n'
        f'print(eval_metric(labels, scores, "NDCG:{top}type=Base;denominator=LogPosition", group_id=groups)[0])\n'
    )


_CALLS: Mapping[str, Callable[[Measure], str]] = {
    "pytrec_eval": _pytrec_eval,
    "ir_measures": _ir_measures,
    "sklearn": _sklearn,
    "catboost": _catboost,
}
"""By library what its own users write."""
