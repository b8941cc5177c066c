"""Calling a person's own function: the forms it may have, how one is recognised, and what it answers to a case.

A form says what a function is told, and so what it can be asked: a function of `y_true` and `y_score` is told neither docids nor of docs
that were not retrieved. `express` narrows a case to that; a narrowed case is a case like any other, and the reference answers it under
the same conventions as the function. What the caller decides, and not the function, is `settled` by the form.
"""

import contextlib
import inspect
import math
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import FrameType
from typing import Any

from rankproof.cases import Case
from rankproof.observations import Answered, Failure
from rankproof.reference_impl.notation import Measure

SECONDS = 5.0
"""How long a function may take for one case."""


class BadFunction(ValueError):
    """There is no such function, or it answers none of the forms known here."""


class NoNumber(TypeError):
    """A function gave something that is no number."""


class TookTooLong(BaseException):
    """A call did not come back in time; no Exception, as functions may catch those."""


@dataclass(frozen=True)
class Target:
    """A function, a class or an object of a person's, and how it is called.

    Attributes:
        name: where it is, as MODULE:FUNCTION.
        order: the roles of its arguments, in its own order.
        k: the name of the parameter for the cutoff; None if it has none.
        k_needed: whether that has no default.
        arrays: whether lists are given as numpy arrays.
        table: whether a query is given as the only row of a table, as scikit-learn has it.
    """

    function: Any
    name: str
    form: "Form"
    order: tuple[str, ...] = ()
    k: str | None = None
    k_needed: bool = False
    arrays: bool = False
    table: bool = False

    @property
    def short(self) -> str:
        """The name without the module."""
        return self.name.rpartition(":")[2]


@dataclass(frozen=True, eq=False)
class Form:
    """What a function is told, and how.

    Attributes:
        name: as `--signature` takes it.
        call: the form in Python's terms.
        settled: the conventions that the caller decides by what the function is told.
        express: the part of a case that can be asked, or None.
        ask: calls a target with an expressed case.
        repro: the lines of Python that do the same, for a query (None: all of them).
        roles: of the arguments, with the names that they go by.
    """

    name: str
    call: str
    settled: Mapping[str, str]
    express: Callable[[Case], Case | None]
    ask: Callable[[Target, Case, int | None], Answered]
    repro: Callable[[Target, Case, str | None, int | None], list[str]]
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)


# -- expressing a case ----------------------------------------------------------------------------------------------


def _as_rows(case: Case) -> Case | None:
    """The rows of the run, each with its rel: what was not retrieved is lost, an unjudged doc has rel 0."""
    pairs = [(str(query), str(doc)) for query, doc, _ in case.qrels]
    rows = [(str(query), str(doc), score) for query, doc, score, _ in case.run]
    if len(set(pairs)) < len(pairs) or len({row[:2] for row in rows}) < len(rows):
        return None  # rows have no ids, so no doc can be there twice
    rels = {pair: rel for pair, (_, _, rel) in zip(pairs, case.qrels, strict=True)}
    empty = tuple(str(query) for query in case.empty_in_run if str(query) not in {row[0] for row in rows})
    if not rows and not empty:
        return None
    return _narrowed(case, [(query, doc, rels.get((query, doc), 0), score) for query, doc, score in rows], empty)


def _narrowed(case: Case, rows: Sequence[tuple[str, str, float, float]], empty: tuple[str, ...]) -> Case:
    """A case of these rows (query, doc, rel, score), in which every doc is judged and retrieved."""
    rows = [row for query in dict.fromkeys(row[0] for row in rows) for row in rows if row[0] == query]
    places = [sum(other[0] == row[0] for other in rows[: i + 1]) for i, row in enumerate(rows)]
    return replace(
        case,
        qrels=tuple((query, doc, rel) for query, doc, rel, _ in rows),
        run=tuple((query, doc, score, place) for (query, doc, _, score), place in zip(rows, places, strict=True)),
        empty_in_qrels=empty,
        empty_in_run=empty,
    )


def _as_ranked(case: Case) -> Case | None:
    """The rels in rank order: docs are numbered and their scores tell nothing but the rank."""
    given = _as_rows(case)
    if given is None:
        return None
    rels = {(query, doc): rel for query, doc, rel in given.qrels}
    by_rank = sorted(given.run, key=lambda row: (row[2], str(row[1]).encode("utf-8", "surrogatepass")), reverse=True)
    places: dict[object, int] = {}
    rows = []
    for query, doc, _, _ in by_rank:
        places[query] = place = places.get(query, 0) + 1
        rows.append((str(query), f"d{place:03}", rels[query, doc], 1.0 / place))
    in_order = sorted(rows, key=lambda row: [str(query) for query in given.queries].index(row[0]))
    return _narrowed(case, in_order, tuple(str(query) for query in given.empty_in_run))


def _as_batch(case: Case) -> Case | None:
    """The rows, without the queries that have none."""
    given = _as_rows(case)
    return replace(given, empty_in_qrels=(), empty_in_run=()) if given is not None and given.run else None


def _as_dicts(case: Case) -> Case | None:
    """Qrels and run, if no doc stands there twice, with the rows of a query together."""
    if len({row[:2] for row in case.qrels}) < len(case.qrels) or len({row[:2] for row in case.run}) < len(case.run):
        return None
    order = list(dict.fromkeys([*(row[0] for row in case.run)]))
    rows = sorted(case.run, key=lambda row: order.index(row[0]))
    places = [sum(other[0] == row[0] for other in rows[: i + 1]) for i, row in enumerate(rows)]
    return replace(case, run=tuple((*row[:3], place) for row, place in zip(rows, places, strict=True)))


def _as_tuples(case: Case) -> Case | None:
    """Qrels and run as they stand: tuples hold duplicates, but no query without a row."""
    return _as_dicts(case) if case.empty_in_qrels or case.empty_in_run else case


def _as_labels(case: Case) -> Case | None:
    return case if case.of_labels else None


def expressed(form: Form, case: Case) -> Case | None:
    """The part of a case that a form can be asked; None if there is none, or no right answer."""
    if case.undefined or case.of_labels != (form is LABELINGS):
        return None
    return form.express(case)


# -- asking ---------------------------------------------------------------------------------------------------------


def observe(target: Target, case: Case, k: int | None, seconds: float | None = None) -> Answered | Failure:
    """What a function answers to an expressed case; whatever it raises is an answer, too."""
    seconds = SECONDS if seconds is None else seconds
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr), _limited(seconds):
            warnings.simplefilter("ignore")
            return target.form.ask(target, case, k)
    except NoNumber as error:
        return Failure("invalid-output", str(error))
    except TookTooLong:
        return Failure("timeout", f"no answer within {seconds:g} s")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises is what we are here to see
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return Failure("error", f"{type(error).__name__}: {lines[0] if lines else ''}"[:300].rstrip(": "))


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """A time limit, where there can be one; a longer one of somebody else's (pytest-timeout) is kept and goes on."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    theirs, interval = signal.getitimer(signal.ITIMER_REAL)
    if 0 < theirs <= seconds:
        yield
        return
    before, started = signal.signal(signal.SIGALRM, _stop), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        left = max(theirs - (time.monotonic() - started), 0.001) if theirs else 0.0
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TookTooLong


def number(value: Any) -> float:  # noqa: ANN401 - whatever a function gives
    """A value as a float: a number, or what holds exactly one (an array, a tensor, a list).

    Raises:
        NoNumber: it is something else.
    """
    given = value
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "item") and getattr(value, "size", 1) != 0:
        with contextlib.suppress(ValueError, RuntimeError):
            value = value.item()
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, str | bytes | bool | complex) or not hasattr(value, "__float__"):
        raise NoNumber(f"it gave {_brief(given)}, which is no number")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise NoNumber(f"it gave {_brief(given)}, which is no number") from error


def _brief(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}…"  # noqa: PLR2004 - what fits into a line


def _ask_each(target: Target, case: Case, k: int | None) -> Answered:
    """One call a query; which mean is taken over them is the caller's choice."""
    queries = [str(query) for query in case.queries]
    return Answered({query: number(_called(target, _arguments(target, case, query), k)) for query in queries}, None)


def _ask_whole(target: Target, case: Case, k: int | None) -> Answered:
    return _read(_called(target, _arguments(target, case, None), k), [str(query) for query in case.queries])


def _read(given: Any, queries: Sequence[str]) -> Answered:  # noqa: ANN401 - whatever a function gives
    """A number over all queries, a dict of them by query, or a pair of both."""
    if isinstance(given, tuple) and len(given) == 2:  # noqa: PLR2004 - a pair
        parts = [_read(part, queries) for part in given]
        by_query = next((part.per_query for part in parts if part.per_query is not None), None)
        return Answered(by_query, next((part.mean for part in parts if part.mean is not None), None))
    if not isinstance(given, Mapping):
        return Answered(None, number(given))
    values = {str(query): _alone(value) for query, value in given.items()}
    if len(values) == 1 and not set(values) & set(queries):
        return Answered(None, next(iter(values.values())))  # {"ndcg@10": .5}
    return Answered(values, None)


def _alone(value: Any) -> float:  # noqa: ANN401 - as above
    """A value, or the only one of a dict: pytrec_eval has one by measure within each query."""
    return number(next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value)


def _arguments(target: Target, case: Case, query: str | None) -> list[Any]:
    """The arguments in the function's own order, as plain lists and dicts."""
    roles: dict[str, Any] = {
        "y_true": [rel for q, _, rel in case.qrels if str(q) == query],
        "y_score": [score for q, _, score, _ in case.run if str(q) == query],
        "qrels": _nested(case.qrels, case.empty_in_qrels),
        "run": _nested(case.run, case.empty_in_run),
        "labels_true": list(case.true or ()),
        "labels_pred": list(case.predicted or ()),
    }
    roles["ranked_rels"] = roles["y_true"]
    return [[roles[role]] if target.table else roles[role] for role in target.order]


def _nested(rows: Sequence[tuple[Any, ...]], empty: Sequence[Any]) -> dict[Any, dict[Any, Any]]:
    nested: dict[Any, dict[Any, Any]] = {}
    for query, doc, value, *_ in rows:
        nested.setdefault(query, {})[doc] = value
    return nested | {query: {} for query in empty if query not in nested}


def _called(target: Target, arguments: list[Any], k: int | None) -> Any:  # noqa: ANN401 - whatever it gives
    if target.arrays:
        numpy = import_module("numpy")
        arguments = [numpy.array(argument) for argument in arguments]
    return target.function(*arguments, **_cutoff(target, arguments, k))


def _cutoff(target: Target, arguments: list[Any], k: int | None) -> dict[str, int]:
    """The cutoff as a keyword; without one, the whole list, unless the function has a default for that."""
    if target.k is None or (k is None and not target.k_needed):
        return {}
    first = arguments[0][0] if target.table else arguments[0]
    return {target.k: max(1, len(first)) if k is None else k}


# -- the forms that are objects -------------------------------------------------------------------------------------


def _ask_ir_measures(target: Target, case: Case, k: int | None) -> Answered:
    ir_measures = import_module("ir_measures")
    measure = target.function if k is None or not target.k else target.function(cutoff=k)
    qrels, run = _tuples(ir_measures, case)
    means, by_query = ir_measures.evaluator([measure], qrels).calc(run)
    return Answered({str(one.query_id): number(one.value) for one in by_query}, number(means[measure]))


def _tuples(ir_measures: Any, case: Case) -> tuple[Any, Any]:  # noqa: ANN401 - a module
    if case.empty_in_qrels or case.empty_in_run:  # only dicts can hold a query without a row
        return _nested(case.qrels, case.empty_in_qrels), _nested(case.run, case.empty_in_run)
    return (
        [ir_measures.Qrel(query, doc, rel) for query, doc, rel in case.qrels],
        [ir_measures.ScoredDoc(query, doc, score) for query, doc, score, _ in case.run],
    )


def _ask_torchmetrics(target: Target, case: Case, k: int | None) -> Answered:
    metric = _fresh(target, k)
    metric.update(**_tensors(target, case))
    return Answered(None, number(metric.compute()))


def _fresh(target: Target, k: int | None) -> Any:  # noqa: ANN401 - a person's object
    import copy  # noqa: PLC0415 - only here

    if isinstance(target.function, type):
        return target.function(**({} if target.k is None or k is None else {target.k: k}))
    metric = copy.deepcopy(target.function)
    if hasattr(metric, "reset"):
        metric.reset()
    if target.k is not None and k is not None:
        setattr(metric, target.k, k)
    return metric


def _tensors(target: Target, case: Case) -> dict[str, Any]:
    """The rows of all queries together, with the number of its query for each; as tensors where torch is in use."""
    queries = list(case.queries)
    data = {
        "y_score": [score for _, _, score, _ in case.run],
        "y_true": [rel for _, _, rel in case.qrels],
        "indexes": [queries.index(query) for query, _, _, _ in case.run],
    }
    names = dict(zip(_ROLES_OF_UPDATE, target.order, strict=True))
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        return {
            names[role]: torch.tensor(values, dtype=torch.float64 if role == "y_score" else torch.long)
            for role, values in data.items()
        }
    if not target.arrays:
        return {names[role]: values for role, values in data.items()}
    numpy = import_module("numpy")
    return {names[role]: numpy.array(values) for role, values in data.items()}


# -- repros ---------------------------------------------------------------------------------------------------------


def repro(target: Target, case: Case, query: str | None, k: int | None) -> str:
    """A script that asks the function what it was asked."""
    module, _, name = target.name.rpartition(":")
    top = name.partition(".")[0]
    importing = [f"from {module} import {top}"] if module and module != "__main__" else []
    lines = target.form.repro(target, case, query, k)
    used = [f"import {package}" for package in ("numpy", "torch") if any(f"{package}." in line for line in lines)]
    return "\n".join([*used, *importing, *([""] if used or importing else []), *lines])


def _repro_call(target: Target, case: Case, query: str | None, k: int | None) -> list[str]:
    arguments = _arguments(target, case, query or _first(case))
    names = [f"{role} = {_wrapped(target, value)}" for role, value in zip(target.order, arguments, strict=True)]
    cutoff = [f"{name}={value}" for name, value in _cutoff(target, arguments, k).items()]
    return [*names, f"print({target.short}({', '.join([*target.order, *cutoff])}))"]


def _first(case: Case) -> str | None:
    return None if case.of_labels or not case.queries else str(case.queries[0])


def _wrapped(target: Target, value: object) -> str:
    return f"numpy.array({literal(value)})" if target.arrays else literal(value)


def _repro_ir_measures(target: Target, case: Case, _query: str | None, k: int | None) -> list[str]:
    measure = f"{target.short}(cutoff={k})" if k is not None and target.k else target.short
    if case.empty_in_qrels or case.empty_in_run:
        qrels: object = _nested(case.qrels, case.empty_in_qrels)
        run: object = _nested(case.run, case.empty_in_run)
    else:
        qrels, run = [list(row) for row in case.qrels], [list(row[:3]) for row in case.run]
    tuples = isinstance(qrels, list)
    return [
        "import ir_measures",
        "",
        f"qrels = [ir_measures.Qrel(*row) for row in {literal(qrels)}]" if tuples else f"qrels = {literal(qrels)}",
        f"run = [ir_measures.ScoredDoc(*row) for row in {literal(run)}]" if tuples else f"run = {literal(run)}",
        f"print(ir_measures.evaluator([{measure}], qrels).calc(run))",
    ]


def _repro_torchmetrics(target: Target, case: Case, _query: str | None, k: int | None) -> list[str]:
    queries = list(case.queries)
    cutoff = f"{target.k}={k}" if target.k is not None and k is not None else ""
    made = [f"metric = {target.short}({cutoff})"]
    if not isinstance(target.function, type):
        made = [f"metric = {target.short}", *([f"metric.{target.k} = {k}"] if cutoff else [])]
    data = {
        "y_score": literal([score for _, _, score, _ in case.run]),
        "y_true": literal([rel for _, _, rel in case.qrels]),
        "indexes": literal([queries.index(query) for query, _, _, _ in case.run]),
    }
    wrap = "torch.tensor({})" if "torch" in sys.modules else "numpy.array({})" if target.arrays else "{}"
    names = dict(zip(_ROLES_OF_UPDATE, target.order, strict=True))
    arguments = ", ".join(f"{names[role]}={wrap.format(text)}" for role, text in data.items())
    return [*made, f"metric.update({arguments})", "print(metric.compute())"]


def literal(value: Any) -> str:  # noqa: ANN401 - lists, dicts, ids and numbers
    """A value as Python reads it; Python has no literal of the infinities.

    >>> literal({"q1": [1, float("-inf")]})
    "{'q1': [1, float('-inf')]}"
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return ascii(value)


# -- the forms ------------------------------------------------------------------------------------------------------

_TRUE = frozenset({
    "y_true", "true", "truth", "ground_truth", "y_trues", "target", "targets", "label", "labels", "relevance", "relevances",
    "true_relevance", "rels", "rel", "gold", "actual", "y",
})  # fmt: skip
_SCORE = frozenset({
    "y_score", "y_scores", "score", "scores", "pred", "preds", "prediction", "predictions", "predicted", "y_pred", "y_preds",
    "y_hat", "output", "outputs", "logits",
})  # fmt: skip
_QRELS = frozenset({"qrels", "qrel", "qrels_dict", "judgments", "judgements"})
_RUN = frozenset({"run", "runs", "results", "run_dict", "ranking", "rankings", "retrieved"})
_RANKED = frozenset({
    "ranked_rels", "rels", "relevances", "r", "ranked", "ranked_relevances", "ranked_list", "relevance", "relevance_scores", "gains",
    "labels", "hits", "ranking", "rs", "rel", "scores", "y", "relevance_list", "x",
})  # fmt: skip
_INDEXES = frozenset({"indexes", "indices", "index", "groups", "group", "query_ids", "qids", "queries"})
_K = ("k", "top_k", "topk", "at_k", "at", "cutoff", "cut_off", "cut", "n", "p", "k_max", "rank", "depth")
_LABELS_TRUE = frozenset({"labels_true", "true", "y_true", "classes", "truth", "target"})
_LABELS_PRED = frozenset({"labels_pred", "pred", "y_pred", "clusters", "predicted", "preds"})

_OF_ROWS = {"known": "retrieved", "missing": "dropped", "extra": "measured"}

ROWS = Form(
    "rows", "f(y_true, y_score, k)", _OF_ROWS, _as_rows, _ask_each, _repro_call, {"y_true": _TRUE, "y_score": _SCORE}
)
RANKED = Form(
    "ranked", "f(ranked_rels, k)", _OF_ROWS, _as_ranked, _ask_each, _repro_call, {"ranked_rels": _RANKED}
)  # fmt: skip
QRELS_RUN = Form(
    "qrels-run", "f(qrels, run, k)", {}, _as_dicts, _ask_whole, _repro_call, {"qrels": _QRELS, "run": _RUN}
)
LABELINGS = Form(
    "labelings", "f(labels_true, labels_pred)", {}, _as_labels, _ask_whole, _repro_call,
    {"labels_true": _LABELS_TRUE, "labels_pred": _LABELS_PRED},
)  # fmt: skip
IR_MEASURES = Form("ir_measures", "an ir_measures measure", {}, _as_tuples, _ask_ir_measures, _repro_ir_measures)
TORCHMETRICS = Form(
    "torchmetrics", "update(preds, target, indexes), compute()", _OF_ROWS, _as_batch, _ask_torchmetrics, _repro_torchmetrics
)  # fmt: skip
FORMS = {form.name: form for form in (ROWS, RANKED, QRELS_RUN, LABELINGS, IR_MEASURES, TORCHMETRICS)}

_ROLES_OF_UPDATE = ("y_score", "y_true", "indexes")
_CALLED = (ROWS, QRELS_RUN, RANKED)
_TRIAL = Case(
    id="trial", question="", why="", source="", tags=(),
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q1", "c", 1), ("q1", "d", 0)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q1", "c", 0.7, 3), ("q1", "d", 0.6, 4)),
)  # fmt: skip
_TRIAL_OF_LABELS = Case(
    id="trial", question="", why="", source="", tags=(), true=(0, 0, 1, 1), predicted=(0, 1, 1, 1)
)  # fmt: skip


# -- recognising ----------------------------------------------------------------------------------------------------


def find(where: str) -> Any:  # noqa: ANN401 - whatever stands there
    """The object at MODULE:FUNCTION.

    Raises:
        BadFunction: the module cannot be imported, or has no such name.
    """
    module, colon, name = where.partition(":")
    if not colon or not module or not name:
        raise BadFunction(f"{where} names no function: write MODULE:FUNCTION, as mylib.metrics:ndcg")
    try:
        found: Any = import_module(module)
    except Exception as error:
        raise BadFunction(
            f"{where}: {module} cannot be imported ({type(error).__name__}: {error}); run this where it can be"
        ) from error
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise BadFunction(f"{where}: {module} has no {name}; name something that it defines") from error
    return found


def name_of(function: Any) -> str:  # noqa: ANN401 - anything that can be called
    """Where a function comes from, as MODULE:FUNCTION."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', '') or ''}:{named.__qualname__}"


def recognised(function: Any, name: str, measure: Measure, form: str | None = None) -> Target:  # noqa: ANN401 - as above
    """How a function is to be called: by the form named, or the first one by which it gives a number.

    Raises:
        BadFunction: the form has no such name, or no form fits.
    """
    wanted = _form_named(form) if form else None
    k = measure.k if not measure.of_labels else None
    tried = []
    for target in _candidates(function, name, measure, wanted):
        trial = _TRIAL_OF_LABELS if target.form is LABELINGS else _TRIAL
        narrowed = expressed(target.form, trial)
        answer = observe(target, narrowed, k) if narrowed else Failure("error", "no case can be expressed")
        if isinstance(answer, Answered) and _numbers(answer):
            return target
        tried.append(f"{target.form.call}: {answer.text if isinstance(answer, Failure) else 'no number'}")
    hint = "name another form by --signature" if wanted else f"name its form by --signature, one of {', '.join(FORMS)}"
    said = "; ".join(dict.fromkeys(tried)) or "it cannot be called"
    raise BadFunction(f"{name} answers none of the forms known here ({said}); {hint}")


def _numbers(answer: Answered) -> bool:
    return answer.mean is not None or bool(answer.per_query)


def _form_named(text: str) -> Form:
    bare = text.replace(" ", "").replace("=", "").lower()
    for form in FORMS.values():
        if bare in {form.name, form.call.replace(" ", "").lower(), form.call.replace(" ", "").replace(",k", "")}:
            return form
    raise BadFunction(f"{text} is no form; the forms are {', '.join(f'{f.name} ({f.call})' for f in FORMS.values())}")


def _candidates(function: Any, name: str, measure: Measure, wanted: Form | None) -> Iterator[Target]:  # noqa: ANN401
    if wanted in {None, IR_MEASURES} and hasattr(function, "iter_calc") and hasattr(function, "SUPPORTED_PARAMS"):
        yield Target(function, name, IR_MEASURES, k="cutoff" if "cutoff" in function.SUPPORTED_PARAMS else None)
        return
    if wanted in {None, TORCHMETRICS} and hasattr(function, "update") and hasattr(function, "compute"):
        yield from _torchmetrics(function, name)
        return
    if isinstance(function, type):
        with contextlib.suppress(Exception):
            function = function()
    if not callable(function):
        return
    names = _parameters(function)
    for form in _fitting(measure, names, wanted):
        for order, k, k_needed in _orders(form, names, measure):
            yield from (
                Target(function, name, form, order, k, k_needed, arrays, table)
                for table in ((False, True) if form is ROWS else (False,))
                for arrays in _containers(function, form)
            )


def _torchmetrics(function: Any, name: str) -> Iterator[Target]:  # noqa: ANN401 - a class or an object
    parameters = list(inspect.signature(function.update).parameters)
    names = [parameter for parameter in parameters if parameter != "self"]
    order = tuple(
        next((n for n in names if n.lower() in known), default)
        for known, default in ((_SCORE, "preds"), (_TRUE, "target"), (_INDEXES, "indexes"))
    )
    takers = (
        list(inspect.signature(function).parameters)
        if isinstance(function, type)
        else [n for n in _K if hasattr(function, n)]
    )
    k = next((n for n in _K if n in takers), None)
    for arrays in (True, False) if _has_numpy() else (False,):
        yield Target(function, name, TORCHMETRICS, order, k, arrays=arrays)


def _has_numpy() -> bool:
    from importlib.util import find_spec  # noqa: PLC0415 - only where an array may be wanted

    return find_spec("numpy") is not None


def _containers(function: Any, form: Form) -> tuple[bool, ...]:  # noqa: ANN401 - as above
    """Whether arrays are given: lists first, unless the function says that it wants arrays."""
    if form in {QRELS_RUN, LABELINGS} or not _has_numpy():
        return (False,)
    wants = any("ndarray" in str(note) for note in getattr(function, "__annotations__", {}).values())
    return (True, False) if wants else (False, True)


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    needed: bool


def _parameters(function: Any) -> list[_Parameter] | None:  # noqa: ANN401 - as above
    """The parameters of a function; None where it does not tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return None
    return [_Parameter(p.name, p.default is inspect.Parameter.empty) for p in parameters if p.kind not in kinds]


def _fitting(measure: Measure, names: list[_Parameter] | None, wanted: Form | None) -> Iterator[Form]:
    """The forms that may fit: those whose every argument goes by a known name; any, where none does."""
    if wanted is not None:
        yield wanted
        return
    if measure.of_labels:
        yield LABELINGS
        return
    written = {p.name.lower() for p in names or ()}
    needed = sum(p.needed and p.name.lower() not in _K for p in names or ())
    by_name = [
        form for form in _CALLED if all(written & known for known in form.roles.values()) and needed <= len(form.roles)
    ]
    yield from by_name or (f for f in _CALLED if names is None or needed in {0, len(f.roles), len(f.roles) + 1})


def _orders(
    form: Form, names: list[_Parameter] | None, measure: Measure
) -> Iterator[tuple[tuple[str, ...], str | None, bool]]:
    """The roles in the function's own order, and its parameter for the cutoff."""
    roles = tuple(form.roles)
    if names is None:
        yield roles, "k" if measure.cutoff is not None else None, False
        yield roles, None, False
        return
    cutoff = next((p for n in _K for p in names if p.name.lower() == n), None)
    needed = [p for p in names if p.needed]
    if cutoff is None and len(needed) == len(form.roles) + 1:
        cutoff = needed[-1]  # f(ranked, size)
    first = [p for p in names if p is not cutoff][: len(roles)]
    mine = {
        role: next((i for i, p in enumerate(first) if p.name.lower() in known), None)
        for role, known in form.roles.items()
    }
    places = list(mine.values())
    if None not in places and len(set(places)) == len(places):
        roles = tuple(sorted(roles, key=lambda role: mine[role] or 0))
    yield roles, cutoff.name if cutoff else None, bool(cutoff and cutoff.needed)
