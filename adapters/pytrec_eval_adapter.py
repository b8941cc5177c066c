"""pytrec_eval: trec_eval's C code as a Python extension that takes dicts of dicts.

Ids and numbers are passed unchanged. If a document has two rows, the dict keeps the last. Each measure has its own
evaluator, so that a failure affects no other measure. The mean is `compute_aggregated_measure` over the returned
queries.
"""

import inspect
from typing import Any, Dict, Iterable, Tuple

LIBRARY = "pytrec_eval"
PACKAGES = ("pytrec_eval-terrier", "numpy")
VARIANTS = {"default": "RelevanceEvaluator on dicts of dicts"}

# Measure, its own parameter, cutoff, and the library's name. The loop below adds the parameters rel and judged_only.
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
    "NumQ": ("num_q", False),
    "NumRet": ("num_ret", False),
    "NumRet(rel={rel})": ("num_rel_ret", False),
    "NumRel": ("num_rel", False),
    "NumRel(rel={rel})": ("num_rel", False),
}
for _name, _own, _cutoff, _call in THRESHOLDED:
    for _judged_only in ("", "judged_only=True"):
        for _rel in ("", "rel={rel}"):
            _params = ",".join(sorted(filter(None, (_own, _judged_only, _rel))))
            MEASURES[_name + ("(" + _params + ")" if _params else "") + _cutoff] = (_call, bool(_judged_only))


class Unsupported(Exception):
    """An input that pytrec_eval cannot represent."""


def load() -> None:
    """Import pytrec_eval."""
    import pytrec_eval  # noqa: F401


def observe(
    _variant: str, data: Dict[str, Any], call: Tuple[str, bool], values: Dict[str, Any]
) -> Tuple[Dict[Any, float], float]:
    """Run an evaluator of one measure, and the library's own helper for the mean."""
    import pytrec_eval

    if "true" in data:
        reason = "pytrec_eval measures rankings, not labelings"
        raise Unsupported(reason)
    name, judged_only = call[0].format(**values), call[1]
    options = {"relevance_level": values["rel"]} if "rel" in values else {}
    options.update({"judged_docs_only_flag": True} if judged_only else {})
    refuse_unknown(options)
    qrels = by_query(data["qrels"], data["empty_in_qrels"])
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, **options)
    answers = evaluator.evaluate(by_query(data["run"], data["empty_in_run"]))
    per_query = {query: value for query, measures in answers.items() for value in measures.values()}
    return per_query, pytrec_eval.compute_aggregated_measure(name, list(per_query.values()))


def refuse_unknown(options: Iterable[str]) -> None:
    """Raise `Unsupported` if this release lacks an option; the first releases have no judged_docs_only_flag."""
    import pytrec_eval

    known = inspect.signature(pytrec_eval.RelevanceEvaluator.__init__).parameters
    for name in options:
        if name not in known:
            reason = "RelevanceEvaluator of this release has no {}".format(name)
            raise Unsupported(reason)


def by_query(rows: Iterable[Any], empty: Iterable[Any]) -> Dict[Any, Dict[Any, Any]]:
    """Return the grade or score of each document of each query; scores that JSON cannot represent are text."""
    numbers: Dict[Any, Dict[Any, Any]] = {query: {} for query in empty}
    for query, doc, number, *_rank in rows:
        numbers.setdefault(query, {})[doc] = float(number) if isinstance(number, str) else number
    return numbers
