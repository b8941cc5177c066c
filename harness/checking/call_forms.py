"""The forms that a function may have, and the names that their arguments go by."""

from dataclasses import replace

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import expressing, functions, objects
from rankproof.checking.finding import is_file
from rankproof.checking.targets import BadFunction, Form, Target

TRUE = frozenset({
    "y_true", "true", "truth", "ground_truth", "y_trues", "target", "targets", "label", "labels", "relevance", "relevances",
    "true_relevance", "rels", "rel", "gold", "actual", "y",
})  # fmt: skip
SCORE = frozenset({
    "y_score", "y_scores", "score", "scores", "pred", "preds", "prediction", "predictions", "predicted", "y_pred", "y_preds",
    "y_hat", "output", "outputs", "logits",
})  # fmt: skip
_QRELS = frozenset({"qrels", "qrel", "qrels_dict", "judgments", "judgements"})
_RUN = frozenset({"run", "runs", "results", "run_dict", "ranking", "rankings", "retrieved"})
_RANKED = frozenset({
    "ranked_rels", "rels", "relevances", "r", "ranked", "ranked_relevances", "ranked_list", "relevance", "relevance_scores", "gains",
    "labels", "hits", "ranking", "rs", "rel", "scores", "y", "relevance_list", "x",
})  # fmt: skip
INDEXES = frozenset({"indexes", "indices", "index", "groups", "group", "query_ids", "qids", "queries"})
K = (
    "k",
    "top_k",
    "topk",
    "at_k",
    "at",
    "cutoff",
    "cut_off",
    "cut",
    "n",
    "p",
    "k_max",
    "rank",
    "depth",
    *functions.K_LISTS,
)
_LABELS_TRUE = frozenset({"labels_true", "true", "y_true", "classes", "truth", "target"})
_LABELS_PRED = frozenset({"labels_pred", "pred", "y_pred", "clusters", "predicted", "preds"})

_RELEVANT = frozenset({
    "actual", "relevant", "relevant_docs", "relevant_items", "relevant_ids", "ground_truth", "truth", "true", "y_true", "target",
    "targets", "gold", "golden", "expected", "labels", "positives", "true_items", "test_items", "gt",
})  # fmt: skip
_RANKED_IDS = frozenset({
    "predicted", "retrieved", "retrieved_docs", "retrieved_ids", "recommended", "recommendations", "recs", "ranked", "ranking",
    "ranked_list", "ranked_docs", "ranked_ids", "ranked_items", "results", "predictions", "pred", "preds", "y_pred", "top_items",
    "recommended_items", "candidates",
})  # fmt: skip

_OF_ROWS = {"known": "retrieved", "missing": "dropped", "extra": "measured"}
_OF_IDS = {"gain": "binary", "missing": "dropped", "extra": "measured"}
_OF_ORDER = frozenset({"ties", "order", "score"})

ROWS = Form(
    "rows", "f(y_true, y_score, k)", _OF_ROWS, expressing.as_rows, functions.ask_each, functions.repro,
    {"y_true": TRUE, "y_score": SCORE},
)  # fmt: skip
RANKED = Form(
    "ranked", "f(ranked_rels, k)", _OF_ROWS, expressing.as_ranked, functions.ask_each, functions.repro,
    {"ranked_rels": _RANKED}, _OF_ORDER,
)  # fmt: skip
IDS = Form(
    "ids", "f(relevant, ranked, k)", _OF_IDS, expressing.as_ids, functions.ask_each, functions.repro,
    {"relevant": _RELEVANT, "ranked": _RANKED_IDS}, _OF_ORDER | {"gain", "gain_threshold", "relevant"},
)  # fmt: skip
QRELS_RUN = Form(
    "qrels-run", "f(qrels, run, k)", {}, expressing.as_dicts, functions.ask_whole, functions.repro,
    {"qrels": _QRELS, "run": _RUN},
)  # fmt: skip
LABELINGS = Form(
    "labelings", "f(labels_true, labels_pred)", {}, expressing.as_labels, functions.ask_whole, functions.repro,
    {"labels_true": _LABELS_TRUE, "labels_pred": _LABELS_PRED},
)  # fmt: skip
IR_MEASURES = Form(
    "ir_measures", "an ir_measures measure", {},
    expressing.as_tuples, objects.ask_ir_measures, objects.repro_ir_measures,
)  # fmt: skip
TORCHMETRICS = Form(
    "torchmetrics", "update(preds, target, indexes), compute()", _OF_ROWS,
    expressing.as_batch, objects.ask_torchmetrics, objects.repro_torchmetrics,
)  # fmt: skip
FORMS = {form.name: form for form in (ROWS, RANKED, IDS, QRELS_RUN, LABELINGS, IR_MEASURES, TORCHMETRICS)}


def expressed(form: Form, data: Input) -> Input | None:
    """The part of an input that a form can be asked; None if there is none."""
    return form.express(data) if data.of_labels == (form is LABELINGS) else None


def narrowed(form: Form, case: Case) -> Case | None:
    """The case with the part of its input that a form can be asked; None if there is none, or no right answer."""
    data = None if case.undefined else expressed(form, case.input)
    return None if data is None else replace(case, input=data)


def form_named(text: str) -> Form:
    """The form of that name, or of that call.

    Raises:
        BadFunction: there is none.
    """
    bare = text.replace(" ", "").replace("=", "").lower()
    for form in FORMS.values():
        if bare in {form.name, form.call.replace(" ", "").lower(), form.call.replace(" ", "").replace(",k", "")}:
            return form
    raise BadFunction(f"{text} is no form; the forms are {', '.join(f'{f.name} ({f.call})' for f in FORMS.values())}")


def repro(target: Target, data: Input, query: str | None, k: int | None) -> str:
    """A script that asks the function what it was asked."""
    lines = target.form.repro(target, data, query, k)
    used = [f"import {package}" for package in ("numpy", "torch") if any(f"{package}." in line for line in lines)]
    importing = _importing(target.name)
    return "\n".join([*used, *importing, *([""] if used or importing else []), *lines])


def _importing(where: str) -> list[str]:
    """The lines of Python that give the function its name."""
    module, _, name = where.rpartition(":")
    top = name.partition(".")[0]
    if not top.isidentifier():
        return [f"function = ...  # yours: {name!a} can be imported by no name"]
    if is_file(module):
        return ["import runpy", f"{top} = runpy.run_path({module!a})[{top!a}]"]
    if not all(part.isidentifier() for part in module.split(".")):
        return ["import importlib", f"{top} = importlib.import_module({module!a}).{top}"] if module else []
    return [f"from {module} import {top}"] if module != "__main__" else []
