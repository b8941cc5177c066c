"""TorchMetrics: functions of `functional.retrieval` for single queries, and classes of `retrieval` for the mean.

A query is a pair of tensors: the scores of the documents of the run and their grades, 0 for unjudged documents.
TorchMetrics therefore does not see relevant documents that were not retrieved. It converts scores from float64 to
float32. Only the classes have an option for queries without relevant documents, and only their mean is used. Labelings
use `functional.clustering`.
"""

from typing import Any, Dict, List, Tuple

LIBRARY = "torchmetrics"
PACKAGES = ("torchmetrics", "torch", "numpy")
VARIANTS = {
    "default": "the docs of the run as tensors; an unjudged doc has rel 0; all options as they are unless told",
    "pos": "the mean of the classes with empty_target_action='pos'",
    "skip": "the mean of the classes with empty_target_action='skip'",
    "adaptive": "precision with adaptive_k=True",
}
UNTOLD = dict.fromkeys(VARIANTS, "ids")  # tensors have no ids

RETRIEVAL = {
    "nDCG": "normalized_dcg NormalizedDCG",
    "P": "precision Precision",
    "R": "recall Recall",
    "AP": "average_precision MAP",
    "RR": "reciprocal_rank MRR",
    "Success": "hit_rate HitRate",
}
WITH_CUTOFFS = dict(RETRIEVAL, **{name + "@{k}": call for name, call in RETRIEVAL.items()})
WITH_CUTOFFS["Rprec"] = "r_precision RPrecision"
OF_CLASSES = {name: WITH_CUTOFFS[name] for name in ("nDCG", "nDCG@{k}", "AP", "RR")}
"""Measures that run with another empty_target_action; it has the same effect in all classes."""
LABELINGS = {
    "Homogeneity": "homogeneity_score",
    "Completeness": "completeness_score",
    "V": "v_measure_score",
    "V(beta={beta})": "v_measure_score",
    "Rand": "rand_score",
    "ARI": "adjusted_rand_score",
    "MI": "mutual_info_score",
    "FMI": "fowlkes_mallows_index",
    "NMI": "normalized_mutual_info_score",
    "AMI": "adjusted_mutual_info_score",
}
for _average in ("min", "geometric", "arithmetic", "max"):
    LABELINGS["NMI(average='%s')" % _average] = "normalized_mutual_info_score %s" % _average
    LABELINGS["AMI(average='%s')" % _average] = "adjusted_mutual_info_score %s" % _average
MEASURES = {
    "default": dict(WITH_CUTOFFS, **LABELINGS),
    "pos": OF_CLASSES,
    "skip": OF_CLASSES,
    "adaptive": {"P@{k}": RETRIEVAL["P"]},
}.get
LARGEST = 2**63
"""The smallest grade that does not fit a 64-bit integer."""


class Unsupported(Exception):
    """An input that TorchMetrics cannot represent."""


def load() -> None:
    """Import TorchMetrics."""
    import torchmetrics.functional
    import torchmetrics.retrieval  # noqa: F401


def observe(variant: str, data: Dict[str, Any], call: str, values: Dict[str, Any]) -> Tuple[Any, Any]:
    """Call the function once for each query, and the class once with the rows of all queries."""
    function, _, name = call.partition(" ")
    if function in LABELINGS.values():
        return None, of_labelings(data, function, name, values)
    options = {"top_k": values["k"]} if "k" in values else {}
    if variant == "adaptive":
        options["adaptive_k"] = True
    if variant in {"pos", "skip"}:
        options["empty_target_action"] = variant
    groups = read_groups(data)
    per_query = None
    if variant not in {"pos", "skip"}:
        per_query = {query: of_query(function, group, options) for query, group in groups.items()}
    return per_query, of_all(name, list(groups.values()), options)


def of_query(function: str, group: Tuple[List[Any], List[float]], options: Dict[str, Any]) -> Any:
    """Return the value of the function for one query."""
    import torchmetrics.functional
    import torchmetrics.functional.retrieval as functions

    name = "retrieval_" + function
    call = getattr(functions, name, None) or having(
        torchmetrics.functional, name
    )  # the older module lacks newer options
    rels, scores = tensors([group])
    return call(scores, rels, **known(call, options)).item()


def of_all(name: str, groups: List[Tuple[List[Any], List[float]]], options: Dict[str, Any]) -> Any:
    """Return the value of the class for all queries."""
    import torch
    import torchmetrics.retrieval

    kind = having(torchmetrics.retrieval, "Retrieval" + name)
    rels, scores = tensors(groups)
    indexes = torch.tensor([number for number, (rels, _) in enumerate(groups) for _ in rels], dtype=torch.long)
    metric = kind(**known(kind, options))
    metric.update(scores, rels, indexes=indexes)
    return metric.compute().item()


def having(module: Any, name: str) -> Any:
    """Return the function or class with a name."""
    import torchmetrics

    if not hasattr(module, name):
        raise Unsupported("TorchMetrics %s has no %s" % (torchmetrics.__version__, name))
    return getattr(module, name)


def known(call: Any, options: Dict[str, Any]) -> Dict[str, Any]:
    """Return the options with the names of this version: the cutoff was `k` before it was `top_k`."""
    import inspect

    import torchmetrics

    names = inspect.signature(call).parameters
    if "top_k" in options and "top_k" not in names and "k" in names:
        options = dict({name: value for name, value in options.items() if name != "top_k"}, k=options["top_k"])
    for name in options:
        if name not in names:
            raise Unsupported("%s of TorchMetrics %s has no %s" % (call.__name__, torchmetrics.__version__, name))
    return options


def tensors(groups: List[Tuple[List[Any], List[float]]]) -> Tuple[Any, Any]:
    """Return the grades and scores of all queries as two tensors; grades are integers if all are whole numbers."""
    import torch

    rels = [rel for rels, _ in groups for rel in rels]
    whole = all(isinstance(rel, int) for rel in rels)
    if whole and any(not -LARGEST <= rel < LARGEST for rel in rels):
        raise Unsupported("a tensor of integers holds 64 bits")
    scores = [score for _, scores in groups for score in scores]
    return torch.tensor(rels, dtype=torch.long if whole else torch.float64), torch.tensor(scores, dtype=torch.float64)


def of_labelings(data: Dict[str, Any], function: str, average: str, values: Dict[str, Any]) -> Any:
    """Return the value of a clustering function, which takes the prediction first."""
    import importlib

    import torch
    import torchmetrics

    if "true" not in data:
        raise Unsupported("it takes two labelings")
    try:
        functions = importlib.import_module("torchmetrics.functional.clustering")
    except ImportError as error:
        raise Unsupported("TorchMetrics %s has no functional.clustering" % torchmetrics.__version__) from error
    labels = [label for name in ("predicted", "true") for label in data[name]]
    if not all(isinstance(label, (int, float)) for label in labels):
        raise Unsupported("a tensor has no strings")
    call = having(functions, function)
    options = {option: value for option, value in values.items() if option == "beta"}
    options.update({"average_method": average} if average else {})
    kind = torch.long if all(isinstance(label, int) for label in labels) else torch.float64
    predicted, true = (torch.tensor(data[name], dtype=kind) for name in ("predicted", "true"))
    return call(predicted, true, **known(call, options)).item()


def read_groups(data: Dict[str, Any]) -> Dict[str, Tuple[List[Any], List[float]]]:
    """Return the grades and scores of each query, in the order of their first rows."""
    if "true" in data:
        raise Unsupported("it takes a run and qrels")
    qrels: Dict[Tuple[str, str], Any] = {}
    for query, doc, rel in data["qrels"]:
        if (str(query), str(doc)) in qrels:
            raise Unsupported("a row has one rel, so a doc cannot be judged twice")
        qrels[str(query), str(doc)] = rel
    groups: Dict[str, Tuple[List[Any], List[float]]] = {}
    for query, doc, score, _rank in data["run"]:
        rels, scores = groups.setdefault(str(query), ([], []))
        rels.append(qrels.get((str(query), str(doc)), 0))
        scores.append(float(score))
    if groups and data["empty_in_run"]:
        raise Unsupported("a query is the rows that carry its index, so there is none without a doc")
    for query in data["empty_in_run"]:
        groups[str(query)] = ([], [])
    if not groups:
        raise Unsupported("there is no query, and so no tensor")
    return groups
