"""The steps of calling a function, each by itself: what may be called, how it is called, what of its result is read, and where it runs."""

import ast
import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from rankproof import cases as corpus
from rankproof.asking.observations import Answered, Failure
from rankproof.cases.inputs import Input
from rankproof.checking import (
    call_candidates,
    call_forms,
    call_sessions,
    called_things,
    calls,
    child_process,
    child_replies,
    child_side,
    functions,
    in_process,
    limits,
    objects,
)
from rankproof.checking.call_candidates import Candidates, Source
from rankproof.checking.call_forms import (
    FORMS,
    IR_MEASURES,
    LABELINGS,
    QRELS_RUN,
    RANKED,
    ROWS,
    TORCHMETRICS,
    expressed,
    form_named,
    is_asked,
    narrowed,
)
from rankproof.checking.call_sessions import NOT_ASKED, Session
from rankproof.checking.child_process import Broken, Child
from rankproof.checking.given_values import NoNumber
from rankproof.checking.in_process import Here
from rankproof.checking.limits import Limits, TookTooLong, limited
from rankproof.checking.targets import ALL, STEPS, TABLE, BadFunction, Form, Target
from rankproof.reference_impl.notation import parse

DATA = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 2)),
    run=(("q1", "a", 0.75, 1), ("q1", "b", 0.5, 2), ("q2", "c", 0.25, 1)),
)
"""Two queries, the first of two docs and the second of one: the longest ranking has two."""
EMPTY = replace(DATA, empty_in_qrels=("q3",), empty_in_run=("q4",))


def target(form: Form = RANKED, *order: str, name: str = "m:f", **how: Any) -> Target:
    return Target(name, form, order or tuple(form.roles), **how)


# -- plain functions: how they are called -------------------------------------------------------------------------------


def heard(answer: Any) -> tuple[Any, list[Any]]:
    """A function that answers this, and what it was called with."""
    called: list[Any] = []

    def function(*given: Any, **named: Any) -> Any:
        called.append((*given, named) if named else given)
        return answer

    return function, called


@pytest.mark.parametrize(
    ("batch", "answer", "calls", "found"),
    [
        ("query", 0.5, [([1, 0],), ([2],)], Answered({"q1": 0.5, "q2": 0.5}, None)),
        (TABLE, [0.5], [([[1, 0]],), ([[2]],)], Answered({"q1": 0.5, "q2": 0.5}, None)),
        (ALL, [0.5, 0.25], [([[1, 0], [2]],)], Answered({"q1": 0.5, "q2": 0.25}, None)),
        (ALL, 0.5, [([[1, 0], [2]],)], Answered(None, 0.5)),
    ],
)
def test_a_query_is_a_call_or_a_row_or_one_of_a_list(
    batch: str, answer: object, calls: list[Any], found: Answered
) -> None:
    function, heard_of = heard(answer)
    assert functions.ask(function, target(batch=batch), DATA, None) == found
    assert heard_of == calls


@pytest.mark.parametrize(
    ("reads", "batch", "answer", "at_two"),
    [
        ("item:1", "query", (0.5, 0.25), 0.25),
        ("place", "query", [0.5, 0.25], 0.25),
        ("asked", "query", [0.125, 0.25, 0.5], 0.5),  # the cutoffs beside 2 are 4, 1 and 2
        ("place", TABLE, [[0.5, 0.25]], 0.25),
        ("attr:score", TABLE, SimpleNamespace(score=[0.5]), 0.5),
    ],
)
def test_of_a_result_that_part_is_read_that_the_target_says(
    reads: str, batch: str, answer: object, at_two: float
) -> None:
    function, _ = heard(answer)
    assert functions._of_query(function, target(reads=reads, batch=batch, k="k"), DATA, "q1", 2) == at_two


def test_one_call_for_all_is_read_by_queries_at_the_cutoff_and_in_the_order_of_the_run() -> None:
    function, calls = heard({"q1": [0.5, 0.25], "q2": [0.0, 1.0]})
    found = functions.ask_whole(function, target(QRELS_RUN, k="k", reads="place"), EMPTY, 2)
    assert found == Answered({"q1": 0.25, "q2": 1.0}, None)
    qrels, run = (
        {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}, "q3": {}},
        {"q1": {"a": 0.75, "b": 0.5}, "q2": {"c": 0.25}, "q4": {}},
    )
    assert calls == [(qrels, run, {"k": 2})]
    of_run, _ = heard([0.5, 0.25, 0.0])
    assert functions.ask_whole(of_run, target(QRELS_RUN, reads="by-run"), EMPTY, None) == Answered(
        {"q1": 0.5, "q2": 0.25, "q4": 0.0}, None
    ), "q3 has no rows in the run"
    of_qrels, _ = heard([0.5, 0.25, 0.0, 1.0])
    assert functions.ask_whole(of_qrels, target(QRELS_RUN, reads="by-qrels"), EMPTY, None).per_query == {
        "q1": 0.5, "q2": 0.25, "q3": 0.0, "q4": 1.0,
    }  # fmt: skip


class _Shown:
    """It is shown one query after the other."""

    def __init__(self, **made: Any) -> None:
        self.seen: list[Any] = [made]

    def add(self, *given: Any, **named: Any) -> None:
        self.seen.append((*given, named))

    def result(self) -> list[Any]:
        SEEN.append(self.seen)
        return [0.5, 0.25]


SEEN: list[Any] = []


def test_an_object_is_shown_each_query_and_then_gives_its_answer() -> None:
    SEEN.clear()
    made = {"of_class": True, "method": "add/result", "batch": STEPS, "made": ("a=1",), "k": "k", "given": ("b=2",)}
    assert functions.ask(_Shown, target(**made), DATA, 5) == Answered({"q1": 0.5, "q2": 0.25}, None)
    assert SEEN == [[{"a": 1}, ([1, 0], {"b": 2, "k": 5}), ([2], {"b": 2, "k": 5})]]
    functions.ask(_Shown, target(**made, k_made=True, names=("rels",)), DATA, 5)
    assert SEEN[1] == [{"a": 1, "k": 5}, ({"rels": [1, 0], "b": 2},), ({"rels": [2], "b": 2},)]
    by_cutoff = SimpleNamespace(add=lambda _rels, k: k, result=lambda: [[0.5, 0.25], [0.0, 1.0]])
    in_steps = target(method="add/result", batch=STEPS, k="k", reads="place")
    assert functions.ask(by_cutoff, in_steps, DATA, 2) == Answered({"q1": 0.25, "q2": 1.0}, None)


def test_what_is_called_is_the_thing_or_an_object_of_it_made_at_the_cutoff() -> None:
    assert functions.object_of(_Shown, target(made=("a=1",), k="k", k_made=True), DATA, 5) is _Shown
    assert functions.object_of(_Shown, target(of_class=True, made=("a=1",), k="k"), DATA, 5).seen == [{"a": 1}]
    assert functions.object_of(_Shown, target(of_class=True, k="k", k_made=True), DATA, 5).seen == [{"k": 5}]
    owner = SimpleNamespace(score=lambda rels, k, b: (rels, k, b))
    how = target(method="score", k="k", given=("b=2",))
    assert functions._called(owner, how, DATA, "q1", 3) == ([1, 0], 3, 2)


def test_arguments_are_given_in_the_container_that_is_meant() -> None:
    positional, named = functions._given(target(ROWS, container="array"), DATA, "q1")
    assert [(type(each).__name__, each.tolist()) for each in positional] == [
        ("ndarray", [1, 0]),
        ("ndarray", [0.75, 0.5]),
    ]
    assert named == {}
    assert functions._given(target(ROWS, "y_score", "y_true", names=("s", "t")), DATA, "q2") == (
        [],
        {"s": [0.25], "t": [2]},
    )


def test_what_is_written_is_given_by_its_name() -> None:
    assert functions.values_of(("a=1", "b='x=y'", "c=[1, 2]")) == {"a": 1, "b": "x=y", "c": [1, 2]}
    assert functions._keywords(target(k="k", given=("a=1",)), DATA, 5) == {"a": 1, "k": 5}
    assert functions._keywords(target(k="k", k_made=True, given=("a=1",)), DATA, 5) == {"a": 1}


@pytest.mark.parametrize(
    ("how", "k", "found"),
    [
        ({}, 5, {}),
        ({"k": "k"}, 5, {"k": 5}),
        ({"k": "k"}, None, {}),
        ({"k": "k", "k_needed": True}, None, {"k": 2}),  # the longest ranking
        ({"k": "k", "k_needed": True}, 5, {"k": 5}),
        ({"k": "KS"}, 5, {"KS": [5]}),
        ({"k": "ks", "several": True}, 5, {"ks": [7, 3, 5]}),
        ({"k": "k", "several": True}, 5, {"k": 5}),
        ({"k": "ks", "k_needed": True}, None, {"ks": [2]}),
    ],
)
def test_the_cutoff_is_a_number_or_a_list_and_the_longest_ranking_where_it_must_be_given(
    how: dict[str, Any], k: int | None, found: dict[str, Any]
) -> None:
    assert functions._cutoff(target(**how), DATA, k) == found


def test_of_no_ranking_at_all_the_cutoff_is_one() -> None:
    assert functions._cutoff(target(k="k", k_needed=True), Input(empty_in_run=("q1",)), None) == {"k": 1}


# -- plain functions: the lines of Python that do the same --------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "query", "k", "lines"),
    [
        ({}, "q2", None, ["ranked_rels = [2]", "print(f(ranked_rels))"]),
        ({}, None, None, ["ranked_rels = [1, 0]", "print(f(ranked_rels))"]),  # of the first query
        ({"batch": ALL}, "q2", None, ["ranked_rels = [[1, 0], [2]]", "print(f(ranked_rels))"]),
        ({"batch": TABLE, "reads": "place"}, "q2", 3, ["ranked_rels = [[2]]", "print(f(ranked_rels))"]),
        ({"k": "k", "reads": "place"}, "q2", 3, ["ranked_rels = [2]", "print(f(ranked_rels, k=3)[2])"]),
        ({"names": ("r",), "given": ("a=1",)}, "q2", 3, ["ranked_rels = [2]", "print(f(r=ranked_rels, a=1))"]),
        (
            {"of_class": True, "made": ("a=1",), "k": "k", "k_made": True, "method": "score", "k_needed": True},
            "q2",
            None,
            ["ranked_rels = [2]", "print(f(a=1, k=2).score(ranked_rels))"],
        ),
        ({"container": "array"}, "q2", None, ["ranked_rels = numpy.array([2])", "print(f(ranked_rels))"]),
    ],
)
def test_the_lines_ask_of_one_query_or_of_all(
    how: dict[str, Any], query: str | None, k: int | None, lines: Sequence[str]
) -> None:
    assert functions.repro(target(**how), DATA, query, k) == lines


def test_the_lines_of_steps_show_each_query_to_one_object() -> None:
    how = target(
        name="m:F", of_class=True, method="add/result", batch=STEPS, k="k", k_made=True, made=("a=1",), given=("b=2",), reads="attr:mean"
    )  # fmt: skip
    lines = ["metric = F(a=1, k=5)", "metric.add([1, 0], b=2)", "metric.add([2], b=2)", "print(metric.result().mean)"]
    assert functions._steps(how, DATA, 5) == lines
    assert functions.repro(how, DATA, "q1", 5) == lines
    in_call = replace(how, k_made=False, k_needed=True, names=("r",), container="array", reads="")
    assert functions._steps(in_call, DATA, None) == [
        "metric = F(a=1)",
        "metric.add(r=numpy.array([1, 0]), k=2, b=2)",
        "metric.add(r=numpy.array([2]), k=2, b=2)",
        "print(metric.result())",
    ]


@pytest.mark.parametrize(
    ("how", "k", "line"),
    [
        ({"k": "k"}, 3, "f([1, 0], k=3)"),
        ({"batch": ALL, "names": ("r",)}, 3, "f(r=[[1, 0], [2]])"),
        ({"of_class": True, "k": "k", "k_made": True}, 3, "f(k=3)([1, 0])"),
        ({"container": "array", "given": ("a=1",)}, None, "f(numpy.array([1, 0]), a=1)"),
    ],
)
def test_a_call_is_written_in_one_line(how: dict[str, Any], k: int | None, line: str) -> None:
    assert functions.call(target(**how), DATA, k) == line


def test_an_object_is_made_at_the_cutoff_only_where_it_takes_it() -> None:
    assert functions._made_at(target(k="k", k_made=True), DATA, 5) == 5
    assert functions._made_at(target(k="k", k_made=True, k_needed=True), DATA, None) == 2
    assert functions._made_at(target(k="k"), DATA, 5) is None
    assert functions._made_at(target(k_made=True), DATA, 5) is None


@pytest.mark.parametrize(
    ("form", "how", "k", "entry"),
    [
        (RANKED, {"reads": "attr:score", "batch": ALL}, 5, ".score"),
        (RANKED, {"reads": "item:1"}, None, "[1]"),
        (RANKED, {"reads": "item:1", "batch": ALL}, 5, ""),
        (RANKED, {"reads": "place", "batch": TABLE}, 5, ""),
        (RANKED, {"reads": "place", "batch": STEPS}, 5, ""),
        (RANKED, {"reads": "place"}, 5, "[4]"),
        (RANKED, {"reads": "place"}, None, ""),
        (RANKED, {"reads": "asked"}, 5, "[2]"),  # of 7, 3 and 5
        (RANKED, {"reads": "asked"}, 1, "[1]"),  # of 3, 1 and 2
        (RANKED, {"reads": "asked"}, None, ""),
        (QRELS_RUN, {"reads": "asked"}, 5, ""),
        (RANKED, {"reads": "name:ndcg"}, 5, ""),
        (RANKED, {}, 5, ""),
    ],
)
def test_the_entry_that_is_the_answer_is_written_where_an_index_says_it(
    form: Form, how: dict[str, Any], k: int | None, entry: str
) -> None:
    assert functions._entry(target(form, **how), k) == entry


def test_the_first_query_is_shown_where_there_is_one() -> None:
    assert functions._first(DATA) == "q1"
    assert functions._first(Input(qrels=((7, "a", 1),))) == "7"
    assert functions._first(Input()) is None
    assert functions._first(replace(DATA, true=(1,), predicted=(1,))) is None
    labels = Input(true=(1, 2), predicted=(3, 3))
    assert functions.call(target(LABELINGS), labels, None) == "f([1, 2], [3, 3])"


# -- objects ------------------------------------------------------------------------------------------------------------


class _Evaluator:
    """What stands for ir_measures: it keeps what it is given."""

    Qrel, ScoredDoc = (lambda *row: ("qrel", *row)), (lambda *row: ("scored", *row))

    def __init__(self) -> None:
        self.given: list[Any] = []

    def evaluator(self, measures: list[Any], qrels: object) -> "_Evaluator":
        self.given += [measures, qrels]
        return self

    def calc(self, run: object) -> tuple[dict[Any, float], list[Any]]:
        self.given.append(run)
        return {self.given[0][0]: 0.5}, [SimpleNamespace(query_id=1, value=0.25)]


def test_ir_measures_is_asked_at_the_cutoff_with_tuples_or_with_dicts(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = _Evaluator()
    stand_in.Qrel, stand_in.ScoredDoc = _Evaluator.__dict__["Qrel"], _Evaluator.__dict__["ScoredDoc"]
    monkeypatch.setitem(sys.modules, "ir_measures", stand_in)

    def measure(cutoff: int) -> str:
        return f"P@{cutoff}"

    def given(how: Target, data: Input, k: int | None) -> list[Any]:
        stand_in.given = []
        assert objects.ask_ir_measures(measure, how, data, k) == Answered({"1": 0.25}, 0.5)
        return stand_in.given

    at_k, without = target(IR_MEASURES, k="cutoff"), target(IR_MEASURES)
    rows = [
        [("qrel", "q1", "a", 1), ("qrel", "q1", "b", 0), ("qrel", "q2", "c", 2)],
        [("scored", "q1", "a", 0.75), ("scored", "q1", "b", 0.5), ("scored", "q2", "c", 0.25)],
    ]
    assert given(at_k, DATA, 5) == [["P@5"], *rows]
    assert given(at_k, DATA, None)[0] == given(without, DATA, 5)[0] == [measure]
    qrels, run = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}, {"q1": {"a": 0.75, "b": 0.5}, "q2": {"c": 0.25}}
    assert given(at_k, EMPTY, 5) == [["P@5"], qrels | {"q3": {}}, run | {"q4": {}}]
    assert given(at_k, replace(DATA, empty_in_run=("q4",)), 5)[1:] == [qrels, run | {"q4": {}}]


def test_the_lines_for_ir_measures_have_the_same_rows() -> None:
    how = target(IR_MEASURES, name="ir_measures:P", k="cutoff")
    assert objects.repro_ir_measures(how, DATA, None, 5) == [
        "import ir_measures",
        "",
        "qrels = [ir_measures.Qrel(*row) for row in [['q1', 'a', 1], ['q1', 'b', 0], ['q2', 'c', 2]]]",
        "run = [ir_measures.ScoredDoc(*row) for row in [['q1', 'a', 0.75], ['q1', 'b', 0.5], ['q2', 'c', 0.25]]]",
        "print(ir_measures.evaluator([P(cutoff=5)], qrels).calc(run))",
    ]
    for data, in_qrels, in_run in (
        (EMPTY, ", 'q3': {}", ", 'q4': {}"),
        (replace(DATA, empty_in_qrels=("q3",)), ", 'q3': {}", ""),
        (replace(DATA, empty_in_run=("q4",)), "", ", 'q4': {}"),
    ):
        lines = objects.repro_ir_measures(how, data, None, None)
        assert lines[2] == "qrels = {'q1': {'a': 1, 'b': 0}, 'q2': {'c': 2}" + in_qrels + "}"
        assert lines[3] == "run = {'q1': {'a': 0.75, 'b': 0.5}, 'q2': {'c': 0.25}" + in_run + "}"
        assert lines[4] == "print(ir_measures.evaluator([P], qrels).calc(run))"
    assert "[P]" in objects.repro_ir_measures(replace(how, k=None), DATA, None, 5)[4]


class _Metric:
    """An object as torchmetrics has them."""

    def __init__(self, **made: Any) -> None:
        self.made, self.seen, self.k = made, [["from before"]], 10

    def reset(self) -> None:
        self.seen[0].clear()

    def update(self, **given: Any) -> None:
        self.seen.append([given])

    def compute(self) -> float:
        return len(self.seen) / 2


def test_a_metric_is_fresh_and_at_the_cutoff_and_the_persons_own_stays_as_it_was() -> None:
    own = _Metric()
    fresh = objects._fresh(own, target(TORCHMETRICS, k="k"), 5)
    assert (fresh.k, fresh.seen) == (5, [[]])
    assert (own.k, own.seen) == (10, [["from before"]]), "the copy is deep"
    assert objects._fresh(own, target(TORCHMETRICS, k="k"), None).k == 10
    assert objects._fresh(own, target(TORCHMETRICS), 5).k == 10
    assert objects._fresh(SimpleNamespace(k=1), target(TORCHMETRICS, k="k"), 5).k == 5, "it has no reset"
    of_class = target(TORCHMETRICS, of_class=True, made=("a=1",), k="k")
    assert objects._fresh(_Metric, of_class, 5).made == {"a": 1, "k": 5}
    assert objects._fresh(_Metric, of_class, None).made == {"a": 1}
    assert objects._fresh(_Metric, replace(of_class, k=None), 5).made == {"a": 1}


TWO, THREE = ("preds", "target"), ("preds", "target", "indexes")


@pytest.mark.parametrize(
    ("order", "batch", "updates"),
    [
        (THREE, "query", [{"preds": [0.75, 0.5, 0.25], "target": [1, 0, 2], "indexes": [0, 0, 1]}]),
        (TWO, "query", [{"preds": [0.75, 0.5], "target": [1, 0]}, {"preds": [0.25], "target": [2]}]),
        (TWO, TABLE, [{"preds": [[0.75, 0.5]], "target": [[1, 0]]}, {"preds": [[0.25]], "target": [[2]]}]),
    ],
)
def test_a_metric_is_updated_once_with_the_query_of_each_row_or_once_a_query(
    order: tuple[str, ...], batch: str, updates: list[dict[str, Any]]
) -> None:
    how = target(TORCHMETRICS, *order, name="m:M", batch=batch, k="top_k")
    assert list(objects._updates(how, DATA)) == updates
    lines = objects.repro_torchmetrics(how, DATA, None, None)
    assert [lines[0], lines[-1]] == ["metric = M", "print(metric.compute())"]
    written = [{word.arg: ast.literal_eval(word.value) for word in call_in(line).keywords} for line in lines[1:-1]]
    assert written == updates
    assert objects.ask_torchmetrics(_Metric, replace(how, of_class=True), DATA, None) == Answered(
        None, (1 + len(updates)) / 2
    )


def call_in(line: str) -> ast.Call:
    statement = ast.parse(line).body[0]
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    return statement.value


@pytest.mark.parametrize(
    ("how", "k", "lines"),
    [
        ({}, 5, ["metric = M"]),
        ({"k": "top_k"}, 5, ["metric = M", "metric.top_k = 5"]),
        ({"k": "top_k"}, None, ["metric = M"]),
        ({"of_class": True, "made": ("a=1",), "k": "top_k"}, 5, ["metric = M(a=1, top_k=5)"]),
        ({"of_class": True, "made": ("a=1",), "k": "top_k"}, None, ["metric = M(a=1)"]),
        ({"of_class": True}, 5, ["metric = M()"]),
    ],
)
def test_the_lines_make_the_metric_at_the_cutoff_or_set_it(
    how: dict[str, Any], k: int | None, lines: list[str]
) -> None:
    found = objects.repro_torchmetrics(target(TORCHMETRICS, *TWO, name="m:M", **how), Input(), None, k)
    assert found == [*lines, "print(metric.compute())"]


def test_a_metric_is_given_the_container_that_is_meant() -> None:
    given: list[Any] = []
    metric = SimpleNamespace(update=lambda **named: given.append(named), compute=lambda: 0.5)
    how = target(TORCHMETRICS, *TWO, container="array", name="m:M")
    deep = replace(how, of_class=True)
    assert objects.ask_torchmetrics(lambda: metric, deep, DATA, None) == Answered(None, 0.5)
    assert [type(each).__name__ for named in given for each in named.values()] == ["ndarray"] * 4
    assert objects.repro_torchmetrics(how, DATA, None, None)[2] == (
        "metric.update(preds=numpy.array([0.25]), target=numpy.array([2]))"
    )


# -- asking: whatever it does, there is an answer -----------------------------------------------------------------------


def raising(error: BaseException) -> Any:
    def function(*_given: Any, **_named: Any) -> None:
        raise error

    return function


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda _rels: 0.5, Answered({"q1": 0.5, "q2": 0.5}, None)),
        (lambda _rels: "much", Failure("invalid-output", "it gave 'much', which is no number")),
        (raising(NoNumber("it gave\nnone")), Failure("invalid-output", "it gave none")),
        (raising(MemoryError("none left")), Failure("memory", "it took more memory than it may have")),
        (raising(ValueError("no\nmore")), Failure("error", "ValueError: no")),
        (raising(SystemExit(3)), Failure("crash", "it raises SystemExit: 3")),
        (raising(KeyboardInterrupt()), Failure("crash", "it raises KeyboardInterrupt")),
    ],
)
def test_whatever_a_function_does_is_an_answer(function: Any, found: Answered | Failure) -> None:
    assert calls.observe(function, target(), DATA, None) == found


def test_what_is_let_through_is_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        calls.observe(raising(KeyboardInterrupt()), target(), DATA, None, (KeyboardInterrupt, TookTooLong))
    assert calls.observe(lambda _rels, k: k, target(k="k"), DATA, 7) == Answered({"q1": 7.0, "q2": 7.0}, None)


class _Silent(ValueError):
    """Its text cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("\n  first \nsecond"), "ValueError: first"),
        (ValueError(), "ValueError"),
        (ValueError(" \n "), "ValueError"),
        (ValueError("x" * 400), "ValueError: " + "x" * (300 - len("ValueError: "))),
        (_Silent(), "_Silent, whose text cannot be shown"),
    ],
)
def test_an_error_is_told_by_its_kind_and_its_first_line(error: BaseException, said: str) -> None:
    assert calls.told(error) == said


# -- what the process of a function says ----------------------------------------------------------------------------------

EVERY = Target(
    "m:F", ROWS, ("y_score", "y_true"), "k", k_needed=True, k_made=True, several=True, container="array", batch=ALL, names=("s", "t"),
    of_class=True, made=("a=1",), method="score", given=("b=2",), columns=("q", "d", "r", "s"), known=2,
)  # fmt: skip
"""A target of which nothing that is sent is as it is by default."""
FOUND = Candidates("m:F", (EVERY, Target("m:F", RANKED)), ("text",), ("y_true",), ("ndcg", "n"))


def sent(body: Any, n: int = 0) -> dict[str, Any]:
    return child_replies.read(child_replies.written(n, body), n)


def test_a_reply_is_one_line_and_reads_as_what_was_written() -> None:
    line = child_replies.written(3, {"failed": "error", "message": "two\nlines, ä"})
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert child_replies.read(line, 3) == {"n": 3, "failed": "error", "message": "two\nlines, ä"}
    assert child_replies.candidates_of(sent(child_replies.of_candidates(FOUND))) == FOUND
    with pytest.raises(BadFunction, match=r"^there is none$"):
        child_replies.candidates_of(sent(child_replies.of_candidates(BadFunction("there is none"))))


@pytest.mark.parametrize(
    "answer",
    [
        Answered(None, 0.5),
        Answered({}, None),
        Answered({"q1": 0.5, "q2": 0.25}, 0.125),
        *(Failure(kind, "why") for kind in ("error", "crash", "invalid-output", "memory")),
    ],
)
def test_an_answer_reads_as_what_was_written(answer: Answered | Failure) -> None:
    assert child_replies.answer_of(sent(child_replies.of_answer(answer))) == answer


def test_a_reply_that_is_too_long_says_so_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"failed": "error", "message": "x" * 300}
    length = len(child_replies.written(1, body))
    monkeypatch.setattr(child_replies, "LONGEST", length)
    assert child_replies.read(child_replies.written(1, body), 1)["message"] == "x" * 300
    monkeypatch.setattr(child_replies, "LONGEST", length - 1)
    cut = child_replies.answer_of(child_replies.read(child_replies.written(1, body), 1))
    assert isinstance(cut, Failure)
    assert cut.kind == "invalid-output"


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[" * 100_000, b"[3]", b"3", b"{}", b'{"n": 2}', b'{"n": 3.0}', b'{"n": "3"}']
)
def test_a_line_that_is_not_the_reply_that_is_due_is_none(line: bytes) -> None:
    with pytest.raises(child_replies.BadReply):
        child_replies.read(line, 3)


def test_a_truth_value_is_no_number_of_a_reply() -> None:
    with pytest.raises(child_replies.BadReply):
        child_replies.read(b'{"n": true}', 1)


@pytest.mark.parametrize(
    "change",
    [
        {"name": None}, {"name": 3}, {"targets": None}, {"targets": "m:F"}, {"targets": [3]}, {"targets": [{}]},
        {"foreign": None}, {"foreign": [1]}, {"roles": "text"}, {"roles": [None]}, {"measure": {"n": 1}}, {"measure": [["n"]]},
        {"refused": 3, "name": None},
    ],
)  # fmt: skip
def test_what_does_not_tell_what_a_function_may_be_is_no_reply(change: dict[str, Any]) -> None:
    with pytest.raises(child_replies.BadReply):
        child_replies.candidates_of(child_replies.of_candidates(FOUND) | change)


@pytest.mark.parametrize(
    "change",
    [
        {"name": 3}, {"form": "none"}, {"form": 3}, {"order": [1]}, {"order": "y_true"}, {"k": 3},
        {"known": "2"}, {"known": True}, {"known": 2.0},
        *({flag: wrong} for flag in ("k_needed", "k_made", "several", "of_class") for wrong in (None, 1)),
        *({text: wrong} for text in ("container", "batch", "method") for wrong in (None, 1)),
        *({each: wrong} for each in ("names", "made", "given", "columns") for wrong in (None, [1], "ab")),
    ],
)  # fmt: skip
def test_a_target_with_anything_else_in_it_is_none(change: dict[str, Any]) -> None:
    said = child_replies.of_candidates(FOUND)["targets"][0]
    assert child_replies._target(said) == EVERY
    assert child_replies._target(said | {"k": None}) == replace(EVERY, k=None)
    with pytest.raises(child_replies.BadReply):
        child_replies._target(said | change)


@pytest.mark.parametrize(
    "reply",
    [
        {}, {"failed": "timeout", "message": "why"}, {"failed": "error"}, {"failed": "error", "message": 3},
        {"failed": 3, "message": "why"},
        {"per_query": {}}, {"mean": 0.5}, {"per_query": None, "mean": 1}, {"per_query": None, "mean": "0.5"},
        {"per_query": None, "mean": True},
        {"per_query": {"q1": 1}, "mean": 0.5}, {"per_query": {"q1": None}, "mean": 0.5}, {"per_query": [0.5], "mean": 0.5},
        {"per_query": {"q1": 0.5, "q2": "0.5"}, "mean": None}, {"per_query": {"q1": 0.5, "q2": True}, "mean": None},
    ],
)  # fmt: skip
def test_what_has_no_answer_in_it_is_none(reply: dict[str, Any]) -> None:
    with pytest.raises(child_replies.BadReply):
        child_replies.answer_of(reply)


# -- a process of its own -------------------------------------------------------------------------------------------------

SOURCE = Source("m:f", parse("P@5"))
SHORT = Limits(question=0.02, first=0.03, importing=0.04)


@pytest.fixture
def linked() -> Iterator[tuple[Child, socket.socket]]:
    """A child without a process, and the other end of its link."""
    ours, theirs = socket.socketpair()
    child = Child(SOURCE, SHORT, _link=ours)
    with ours, theirs:
        yield child, theirs


def broken_by(asked: Callable[[], Any]) -> Failure:
    with pytest.raises(Broken) as broken:
        asked()
    assert str(broken.value) == broken.value.failure.text
    return broken.value.failure


def test_a_process_is_begun_by_hearing_what_the_function_may_be(
    linked: tuple[Child, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    child, theirs = linked
    forked: list[bool] = []
    monkeypatch.setattr(child, "_fork", lambda: forked.append(True))
    theirs.sendall(child_replies.written(0, child_replies.of_candidates(FOUND)))
    assert child.begin() == FOUND
    assert forked == [True]
    theirs.sendall(b"nonsense\n")
    assert broken_by(child.begin).kind == "invalid-output"
    assert not child.is_there


def test_a_function_that_is_never_imported_is_waited_for_as_long_as_importing_may_take(
    linked: tuple[Child, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linked[0], "_fork", lambda: None)
    assert broken_by(linked[0].begin) == Failure("timeout", "no answer within 0.04 s")


def test_calls_are_sent_and_their_answers_come_in_order(linked: tuple[Child, socket.socket]) -> None:
    child, theirs = linked
    replies = [Answered(None, 0.5), Failure("error", "why"), Answered({"q1": 1.0}, None)]
    for n, reply in enumerate(replies):
        theirs.sendall(child_replies.written(n, child_replies.of_answer(reply)))
    asked = [(DATA, 5), (DATA, None), (EMPTY, 1)]
    assert list(child.answers(7, asked, 1)) == replies
    assert pickle.loads(theirs.recv(65_536)) == (7, asked)  # noqa: S301 - our own
    assert child.is_there
    assert (child._due, bytes(child._read)) == (3, b"")


def test_a_process_whose_answers_are_not_all_heard_is_ended(linked: tuple[Child, socket.socket]) -> None:
    child, theirs = linked
    theirs.sendall(child_replies.written(0, child_replies.of_answer(Answered(None, 0.5))))
    answers = child.answers(0, [(DATA, 5), (DATA, 5)], 1)
    assert next(answers) == Answered(None, 0.5)
    assert child.is_there
    answers.close()
    assert not child.is_there
    assert broken_by(lambda: list(child.answers(0, [(DATA, 5)], 1))).kind == "crash"


def test_an_answer_to_another_question_is_nonsense(linked: tuple[Child, socket.socket]) -> None:
    child, theirs = linked
    theirs.sendall(child_replies.written(1, child_replies.of_answer(Answered(None, 0.5))))
    assert broken_by(lambda: list(child.answers(0, [(DATA, 5)], 1))).kind == "invalid-output"


def test_a_line_without_an_end_is_read_no_further_than_a_reply_may_go(
    linked: tuple[Child, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    child, theirs = linked
    monkeypatch.setattr(child_replies, "LONGEST", 10)
    theirs.sendall(b"x" * 11)
    with pytest.raises(child_replies.BadReply):
        child._reply(1)
    child._read = bytearray()
    theirs.sendall(b"x" * 10)
    assert broken_by(lambda: child._reply(0.01)) == Failure("timeout", "no answer within 0.01 s")


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (TimeoutError, Failure("timeout", "it took no question within 0.02 s")),
        (BrokenPipeError, Failure("crash", "it ended its process with exit code 3")),
    ],
)
def test_who_takes_no_question_is_not_waited_for(fault: type[OSError], found: Failure) -> None:
    waits: list[float] = []
    link: Any = SimpleNamespace(settimeout=waits.append, sendall=raising(fault()), close=lambda: None)
    assert broken_by(lambda: Child(SOURCE, SHORT, _link=link, _code=3)._send("x")) == found
    assert waits == [SHORT.question]


@pytest.mark.parametrize("asked", [lambda child: child._send("x"), lambda child: child._reply(1)])
def test_who_closed_the_link_has_ended(linked: tuple[Child, socket.socket], asked: Callable[[Child], Any]) -> None:
    child, theirs = linked
    theirs.close()
    child._code = 3
    assert broken_by(lambda: asked(child)) == Failure("crash", "it ended its process with exit code 3")
    assert broken_by(lambda: asked(child)) == Failure("crash", "it ended its process"), "there is no link any more"


def test_what_ended_said_all_that_it_will_once_nothing_more_comes(
    linked: tuple[Child, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its children may hold the socket open."""
    child, theirs = linked
    monkeypatch.setattr(child_process, "STEP", 0.001)
    looked: list[int] = []

    def ended(pid: int, how: int) -> tuple[int, int]:
        looked.append(how)
        if len(looked) == 1:
            return 0, 0
        theirs.sendall(child_replies.written(0, {"said": "last"}))
        return pid, 0 << 8

    child._pid = 4242
    monkeypatch.setattr(os, "waitpid", ended)
    monkeypatch.setattr(os, "killpg", lambda *_: None)
    assert child._reply(5) == {"n": 0, "said": "last"}
    assert (looked, child._code) == ([os.WNOHANG] * 2, 0)
    assert broken_by(lambda: child._reply(5)) == Failure("crash", "it ended its process with exit code 0")


def test_the_end_of_a_process_is_told_by_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(SOURCE, SHORT, _pid=4242)
    for told, code in (((0, 0), None), ((4242, 3 << 8), 3), ((4242, 9), -9)):
        child._code = None
        monkeypatch.setattr(os, "waitpid", lambda *_, told=told: told)
        child._look()
        assert child._code == code

    def taken(*_: int) -> tuple[int, int]:
        raise ChildProcessError

    child._code = None
    monkeypatch.setattr(os, "waitpid", taken)
    child._look()
    assert child._code == 0


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, "it closed what it answers by"),
        (0, "it ended its process with exit code 0"),
        (3, "it ended its process with exit code 3"),
        (-9, "it ended its process by SIGKILL"),
        (-99, "it ended its process by signal 99"),
    ],
)
def test_how_a_process_ended_is_said(code: int | None, said: str) -> None:
    assert child_process._how(code) == said


@pytest.mark.parametrize(
    ("code", "done"),
    [
        (None, ["below 4242", "group 4242 9", "kill 4242 9", "wait 4242 0", "closed"]),
        (0, ["group 4242 9", "closed"]),  # its id may be another process' by now
    ],
)
@pytest.mark.parametrize("fault", [None, ProcessLookupError])
def test_a_process_is_ended_with_all_that_it_started_and_the_link_is_closed_last(
    code: int | None, done: list[str], fault: type[OSError] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def note(text: str) -> Callable[..., None]:
        def noted(*given: int) -> None:
            seen.append(" ".join([text, *map(str, map(int, given))]))
            if fault is not None and text == "group":
                raise fault

        return noted

    monkeypatch.setattr(child_process, "_ended_itself", lambda _pid: False)
    monkeypatch.setattr(child_process, "_kill_all_below", note("below"))
    for module_name, text in (("killpg", "group"), ("kill", "kill"), ("waitpid", "wait")):
        monkeypatch.setattr(os, module_name, note(text))
    child = Child(SOURCE, SHORT, _pid=4242, _code=code, _link=SimpleNamespace(close=note("closed")))
    child.end()
    assert seen == done
    child.end()
    assert (seen, child._pid, child.is_there) == (done, 0, False), "once is enough"


def test_a_process_is_forked_with_a_link_and_nothing_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    child = Child(SOURCE, SHORT, _read=bytearray(b"left"), _due=5, _code=3)
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(socket, "socketpair", lambda: (ours, theirs))
    monkeypatch.setattr(os, "fork", lambda: 4242)
    child._fork()
    assert (child._pid, child._link, bytes(child._read), child._due, child._code) == (4242, ours, b"", 0, None)
    assert (ours.fileno() >= 0, theirs.fileno()) == (True, -1)
    ours.close()


def test_the_forked_process_serves_and_then_ends_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    served: list[Any] = []

    def serve(*given: Any) -> None:
        served.append(given)
        raise ValueError

    def leave(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(socket, "socketpair", lambda: (ours, theirs))
    monkeypatch.setattr(os, "fork", lambda: 0)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(child_side, "supervise", serve)
    with theirs, pytest.raises(SystemExit) as ended:
        Child(SOURCE, SHORT)._fork()
    assert served == [(theirs, SOURCE, SHORT.memory, os.getpid())]
    assert (ended.value.code, ours.fileno()) == (0, -1)


def test_what_moves_up_while_it_is_looked_for_is_found_by_looking_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, killed, slept = [[5, 6], [], [], [7, 5], [], [], [], [8]], [], []

    def kill(pid: int, how: int) -> None:
        killed.append((pid, how))
        if pid == 6:
            raise ProcessLookupError

    monkeypatch.setattr(child_process, "_all_below", lambda pid: looks.pop(0) if pid == 4 else [9])
    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(time, "sleep", slept.append)
    child_process._kill_all_below(4, frozenset({5}))
    assert killed == [(6, signal.SIGKILL), (7, signal.SIGKILL)], "5 is left alone"
    assert looks == [[8]], "three times in a row there was none"
    assert [bool(seconds) for seconds in slept] == [True, False, False, True, False, False]
    looks[:] = [[5]] * 300
    child_process._kill_all_below(4)
    assert len(looks) == 300 - child_process.PASSES


def test_below_a_process_is_all_that_it_started_and_none_that_ended() -> None:
    starts = "sleep 60 & sh -c 'sleep 60 & wait' & sleep 0.2 & echo started; exec sleep 60"  # who sleeps takes note of no end
    with subprocess.Popen(["sh", "-c", starts], stdout=subprocess.PIPE, start_new_session=True) as top:
        assert top.stdout.readline() == b"started\n"
        found, everybody, until = [], {}, time.monotonic() + 30
        while (len(found), len(everybody)) != (3, 4) and time.monotonic() < until:
            time.sleep(0.01)
            everybody = {one.pid: one.status() for one in psutil.Process(top.pid).children(recursive=True)}
            found = child_process._all_below(top.pid)
        os.killpg(top.pid, signal.SIGKILL)
    assert set(found) == {pid for pid, status in everybody.items() if status != psutil.STATUS_ZOMBIE}
    assert (len(found), len(everybody)) == (3, 4), "one has ended, and nobody took note"
    assert child_process._all_below(top.pid) == []


def test_what_a_function_left_is_handed_to_this_process_and_ended_whatever_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[Any] = []
    monkeypatch.setattr(child_process, "_all_below", lambda pid: [pid + 1])
    monkeypatch.setattr(child_process, "ask_kernel", lambda *given: done.append(given))
    monkeypatch.setattr(child_process, "_kill_all_below", lambda *given: done.append(given))

    def breaks() -> None:
        with child_process.nothing_left():
            done.append("within")
            raise KeyError

    with pytest.raises(KeyError):
        breaks()
    own = os.getpid()
    assert done == [
        (child_process.PR_SET_CHILD_SUBREAPER, 1),
        "within",
        (own, frozenset({own + 1})),
        (child_process.PR_SET_CHILD_SUBREAPER, 0),
    ]


@pytest.mark.parametrize(("platform", "forks"), [("linux", True), ("darwin", False)])
def test_a_process_can_be_forked_where_its_libraries_survive_it(
    platform: str, *, forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "fork", print, raising=False)
    assert child_process.can_fork() is forks
    monkeypatch.delattr(os, "fork")
    assert child_process.can_fork() is False


def test_an_empty_line_is_nonsense(linked: tuple[Child, socket.socket]) -> None:
    child, theirs = linked
    theirs.sendall(b"\n")
    with pytest.raises(child_replies.BadReply):
        child._reply(0.02)


def test_how_it_ended_is_looked_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    child, told = Child(SOURCE, SHORT, _pid=4242), [(0, 0), (4242, 3 << 8)]
    monkeypatch.setattr(os, "waitpid", lambda *_: told.pop(0))
    monkeypatch.setattr(os, "killpg", lambda *_: None)
    assert child._crashed().failure == Failure("crash", "it ended its process with exit code 3")


# -- what may be called ---------------------------------------------------------------------------------------------------


class _Scores:
    """Objects of it are called by methods, and shown queries."""

    def __init__(self, K: int, weights: list[int], strict: bool = True) -> None:  # noqa: FBT001, FBT002
        self.made = (K, weights, strict)

    def __call__(self, y_true: list[int]) -> float:
        return len(y_true) / 2

    def append(self, rels: list[int]) -> None:
        """One query."""

    def get(self) -> float:
        """The mean."""
        return 0.5

    def evaluate(self, ranked: list[str]) -> float:
        """Of a query."""
        return len(ranked) / 2

    @staticmethod
    def score(run: list[str]) -> float:
        """Of a query."""
        return len(run) / 2

    eval = 3


def names_in(things: Sequence[called_things.Thing]) -> list[tuple[str, list[str]]]:
    return [(thing.target.method, [p.name for p in thing.parameters or ()]) for thing in things]


METHODS_OF = [("append/get", ["rels"]), ("evaluate", ["ranked"]), ("score", ["run"])]


def test_of_a_class_the_methods_of_its_objects_may_be_meant_and_of_an_object_itself_too() -> None:
    of_class = list(called_things._things(_Scores, "m:S", ("weights=[1]", "b=2")))
    assert names_in(of_class) == [("", ["y_true"]), *METHODS_OF]
    for thing in of_class:
        made = thing.target
        assert (made.name, made.form, made.of_class, made.made, made.given) == (
            "m:S",
            ROWS,
            True,
            ("weights=[1]",),
            ("b=2",),
        )
        assert (made.k, made.k_made, made.k_needed, thing.missing) == ("K", True, True, ())
    assert {thing.missing for thing in called_things._things(_Scores, "m:S", ())} == {("weights",)}
    of_object = list(called_things._things(_Scores(1, []), "m:s", ("b=2",)))
    assert names_in(of_object) == [("", ["y_true"]), *METHODS_OF]
    assert {thing.target.given for thing in of_object} == {("b=2",)}
    assert {(thing.target.name, thing.target.form, thing.target.of_class) for thing in of_object} == {
        ("m:s", ROWS, False)
    }
    assert names_in(list(called_things._things(called_things.things_of, "m:f", ()))) == [
        ("", ["function", "name", "given"])
    ]
    assert list(called_things._things(SimpleNamespace(update=len), "m:o", ())) == [], (
        "it is neither called nor does it answer"
    )


def test_a_method_named_by_its_class_is_one_of_an_object_that_is_made() -> None:
    name = f"{__name__}:_Scores.evaluate"
    owner, things = called_things.things_of(_Scores.evaluate, name, ("b=2",))
    assert owner is _Scores
    assert names_in(things) == [("evaluate", ["ranked"])]
    assert (things[0].target.name, things[0].target.form, things[0].target.given) == (name, ROWS, ("b=2",))
    assert called_things._owner(_Scores.score, f"{__name__}:_Scores.score") is None, "it takes no object"
    assert called_things._owner(_Scores.evaluate, "m:evaluate") is None
    assert called_things._owner(_Scores.evaluate, "m:target.evaluate") is None, "no class of that name is there"
    function, things = called_things.things_of(_Scores.score, "m:S.score", ("b=2",))
    assert (function, names_in(things)) == (_Scores.score, [("", ["run"])])
    assert things[0].target.given == ("b=2",)


def test_only_a_function_of_a_class_loses_its_first_parameter() -> None:
    own = _Scores(1, [])
    own.score = lambda run, depth: (run, depth)  # type: ignore[method-assign] # a function that an object holds
    found = [
        called_things._parameters_of_method(*pair)
        for pair in ((_Scores, "evaluate"), (_Scores, "score"), (own, "evaluate"), (own, "score"))
    ]
    assert [[p.name for p in each or ()] for each in found] == [["ranked"], ["run"], ["ranked"], ["run", "depth"]]


# -- the ways to call it --------------------------------------------------------------------------------------------------

P5, P_ALL = parse("P(rel=2)@5"), parse("P(rel=2)")


def ways(function: Any, form: Form | None, measure: str = "P(rel=2)@5", **given: Any) -> Candidates:
    return call_candidates.load(Source("m:f", parse(measure), form, function, given)).candidates


def test_the_readings_of_a_target_are_those_that_its_result_may_have() -> None:
    found = Candidates("m:f", (target(), target(k="ks", several=True)), measure=("p",))
    assert found.readings == (
        "", "attr:score", "attr:value", "attr:mean", "cutoff", "name:p", "asked", "place", "item:0", "item:1", "item:2", "item:3",
        "by-qrels",
        "by-run",
    )  # fmt: skip
    at_one, at_several = ([found.readings[at] for at in found.readings_of(each)] for each in found.targets)
    assert at_one == [each for each in found.readings if each not in {"", "asked"}]
    assert at_several == ["cutoff", "name:p", "asked"]


@pytest.mark.parametrize("written", ["max_rel", "=4", "max-rel=4", ""])
def test_an_argument_without_a_name_or_a_value_is_none(written: str) -> None:
    with pytest.raises(BadFunction):
        call_candidates.given_of([written])
    assert call_candidates.given_of(["a=4", "b=x=y", "c="]) == {"a": 4, "b": "x=y", "c": ""}


def test_a_threshold_is_the_measures_own_or_just_below_and_its_own_default_stands() -> None:
    def tried(parameter: str, measure: str = "P(rel=2)@5", given: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        function = {
            "needed": lambda r, threshold: (r, threshold),
            "two": lambda r, threshold=2: (r, threshold),
            "none": lambda r: r,
        }[parameter]
        thing = called_things.Thing(target(given=given), call_candidates.parameters_of(function))
        return list(call_candidates._thresholds(thing, parse(measure)))

    assert tried("needed") == [("threshold=2",), ("threshold=1.5",)]
    assert tried("two") == tried("two", "P(rel=4)@5") == [()]
    assert tried("none") == tried("needed", given=("threshold=3",)) == tried("needed", "ARI") == [()]


def containers(form: Form, batch: str = "query", function: Any = None) -> list[str]:
    told = call_candidates.parameters_of(function) if function else None
    return [name for name, _ in call_candidates._containers(form, told, batch)]


def test_lists_are_given_in_each_container_that_is_there_the_wanted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pandas", "torch"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert containers(RANKED) == ["list", "array"]
    assert containers(FORMS["ids"]) == ["list", "set", "array"]
    assert containers(FORMS["queries-ids"]) == ["list", "set"]
    assert containers(QRELS_RUN) == containers(RANKED, ALL) == ["list"]
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert containers(RANKED) == ["list", "array", "series", "tensor"]
    assert containers(RANKED, TABLE) == ["list", "array", "tensor"]

    def wants(ranked_rels: "numpy.ndarray", other: "Tensor") -> None:  # type: ignore[name-defined] # noqa: F821
        """Annotations alone matter."""

    assert containers(RANKED, function=wants) == ["array", "tensor", "list", "series"]
    monkeypatch.setattr(call_candidates, "find_spec", lambda _: None)
    assert containers(FORMS["frames"]) == []
    assert "array" not in containers(RANKED)


def test_frames_have_the_columns_that_parameters_tell_or_all_that_are_usual() -> None:
    def told(a, b, col_user="u", col_item="i", col_rating="r", col_prediction="p") -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
        """Defaults alone matter."""

    parameters = call_candidates.parameters_of(told)
    assert list(call_candidates._containers(FORMS["frames"], parameters, "query")) == [("frame", ("u", "i", "r", "p"))]
    usual = [columns for _, columns in call_candidates._containers(FORMS["frames"], None, "query")]
    assert usual == list(call_candidates.COLUMNS)


def test_what_is_left_over_is_foreign_and_what_is_given_is_not() -> None:
    def needs(y_true: list[int], y_score: list[float], device: str) -> float:
        return len((y_true, y_score, device)) / 2

    lacking = ways(needs, ROWS)
    assert (lacking.targets, lacking.foreign, lacking.roles) == ((), ("device",), ("y_true", "y_score"))
    assert lacking.measure[:3] == ("precision", "p", "prec")
    found = ways(needs, ROWS, device="cpu")
    assert (found.foreign, found.roles) == ((), ())
    assert {(each.given, each.order, each.known, each.name) for each in found.targets} == {
        (("device='cpu'",), ("y_true", "y_score"), 2, "m:f")
    }
    assert [each.batch for each in found.targets if each.container == "list"] == ["query", ALL, TABLE]


def test_a_list_of_cutoffs_is_first_given_several_where_there_is_a_cutoff() -> None:
    def by_list(ranked_rels: list[int], ks: list[int]) -> float:
        return len((ranked_rels, ks)) / 2

    assert [each.several for each in ways(by_list, RANKED).targets][:2] == [True, False]
    first = ways(by_list, RANKED).targets[0]
    assert (first.k, first.k_needed, first.k_made) == ("ks", True, False)
    assert not any(each.several for each in ways(by_list, RANKED, "P").targets)


def test_an_object_of_ir_measures_is_asked_by_its_own_evaluator() -> None:
    def measure(params: dict[str, Any]) -> Any:
        return SimpleNamespace(iter_calc=len, SUPPORTED_PARAMS=params)

    for form in (None, IR_MEASURES):
        assert ways(measure({"cutoff": 1}), form).targets == (Target("m:f", IR_MEASURES, k="cutoff"),)
    assert ways(measure({}), None).targets == (Target("m:f", IR_MEASURES),)
    assert ways(measure({}), ROWS).targets == ()


class _Torch:
    """As torchmetrics has them, with the query of each row."""

    def __init__(self, top_k: int = 3) -> None:
        self.top_k = top_k

    def update(self, target: list[int], preds: list[float], indexes: list[int]) -> None:
        """All queries."""

    def compute(self) -> float:
        """The mean."""
        return 0.5


def test_a_metric_is_updated_by_the_names_of_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    of_class = list(call_candidates._torchmetrics(_Torch, Source("m:f", P5, given={"a": 1})))
    assert [(each.container, each.batch) for each in of_class] == [("list", "query"), ("array", "query")]
    assert of_class[0] == Target(
        "m:f", TORCHMETRICS, ("preds", "target", "indexes"), "top_k", k_made=True, of_class=True, made=("a=1",), known=3
    )
    own = next(call_candidates._torchmetrics(_Torch(), Source("m:f", P5, given={"a": 1})))
    assert own == Target("m:f", TORCHMETRICS, ("preds", "target", "indexes"), "top_k", known=3)
    two = SimpleNamespace(update=lambda scores, labels: (scores, labels), compute=len)
    found = list(call_candidates._torchmetrics(two, Source("m:f", P5)))
    assert [(each.container, each.batch) for each in found] == [
        ("array", TABLE), ("list", TABLE), ("array", "query"), ("list", "query"),
    ]  # fmt: skip
    assert {(each.order, each.k, each.known) for each in found} == {(("scores", "labels"), None, 2)}
    unnamed = SimpleNamespace(update=lambda a, scores: (a, scores), compute=len)
    assert list(call_candidates._torchmetrics(unnamed, Source("m:f", P5))) == []
    assert next(call_candidates._torchmetrics(unnamed, Source("m:f", P5, TORCHMETRICS))).order == ("scores", "target")
    assert list(call_candidates._torchmetrics(SimpleNamespace(update=len), Source("m:f", P5))) == []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert {each.container for each in call_candidates._torchmetrics(two, Source("m:f", P5))} == {"tensor"}


# -- forms ----------------------------------------------------------------------------------------------------------------


def test_a_form_is_named_by_its_name_or_by_its_call_with_or_without_the_cutoff() -> None:
    for text in (
        "ids",
        " I d s ",
        "f(relevant, ranked, k)",
        "F(relevant,ranked,k)",
        "f(relevant, ranked)",
        "f(relevant, ranked, k=)",
    ):
        assert form_named(text) is FORMS["ids"]
    with pytest.raises(BadFunction):
        form_named("f(ranked)")


def test_an_input_of_labels_is_only_for_labelings_and_a_case_without_a_right_answer_for_none() -> None:
    labels, data = Input(true=(1,), predicted=(2,)), DATA
    assert [expressed(LABELINGS, each) is None for each in (labels, data)] == [False, True]
    assert [expressed(RANKED, each) is None for each in (labels, data)] == [True, False]
    case = corpus.load(corpus.HERE / "cutoff/just-below.toml")
    told = narrowed(RANKED, case)
    assert told is not None
    assert (told.id, told.input) == (case.id, expressed(RANKED, case.input))
    assert told.input != case.input
    assert narrowed(LABELINGS, case) is None


@pytest.mark.parametrize(
    ("how", "k", "asked"),
    [
        ({"from_k": True}, 1, True),  # each query has a doc
        ({"from_k": True}, 2, False),
        ({"from_k": True}, None, True),
        ({}, 2, True),
        ({"from_k": True, "several": True}, 1, False),  # with 1, 2 and 3 are asked
    ],
)
def test_who_raises_for_few_docs_is_asked_where_there_are_enough(
    how: dict[str, Any], k: int | None, *, asked: bool
) -> None:
    assert is_asked(target(**how), DATA, k) is asked


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        ("lib.metrics:ndcg", ["from lib.metrics import ndcg"]),
        ("lib:Class.method", ["from lib import Class"]),
        ("__main__:f", []),
        (":f", []),
        ("lib-2.x:f", ["import importlib", "f = importlib.import_module('lib-2.x').f"]),
        (
            "here.py:f",
            ["import runpy", "import sys", "", "sys.path.insert(0, '.')", "f = runpy.run_path('here.py')['f']"],
        ),
        (
            "a/b.py:f",
            ["import runpy", "import sys", "", "sys.path.insert(0, 'a')", "f = runpy.run_path('a/b.py')['f']"],
        ),
        ("lib:<lambda>", ["function = ...  # yours: '<lambda>' can be imported by no name"]),
    ],
)
def test_a_function_gets_its_name_as_it_was_named(where: str, lines: list[str]) -> None:
    assert call_forms._importing(where) == lines


def test_a_script_imports_what_it_uses_and_then_asks() -> None:
    asks = ["print(f(ranked_rels))"]
    assert call_forms.repro(target(container="array"), DATA, "q2", None).splitlines() == [
        "import numpy", "from m import f", "", "ranked_rels = numpy.array([2])", *asks,
    ]  # fmt: skip
    assert call_forms.repro(target(name="__main__:f"), DATA, "q2", None).splitlines() == ["ranked_rels = [2]", *asks]


# -- a session ------------------------------------------------------------------------------------------------------------


class _Place:
    """What stands for a process: it begins, or does not, and answers what it is told to."""

    def __init__(self, *begins: Candidates | Failure | BadFunction, answers: Sequence[Answered | Failure] = ()) -> None:
        self.begins, self.said, self.is_there, self.ended = list(begins), list(answers), False, 0
        self.asked: list[Any] = []

    def begin(self) -> Candidates:
        """As it is told to."""
        said = self.begins.pop(0)
        if isinstance(said, Failure):
            raise Broken(said)
        if isinstance(said, BadFunction):
            raise said
        self.is_there = True
        return said

    def answers(self, which: int, asked: Sequence[Any], seconds: float) -> Iterator[Answered | Failure]:
        """The next of what it is told to say; a crash breaks it."""
        self.asked.append((which, list(asked), seconds))
        for _ in asked:
            yield self.said.pop(0)

    def end(self) -> None:
        """It is there no more."""
        self.is_there, self.ended = False, self.ended + 1


def session_in(place: _Place, limits: Limits = SHORT) -> Session:
    session = Session(SOURCE, limits)
    session._new = lambda: place  # type: ignore[assignment,method-assign,return-value]
    return session


CRASH, LATE = Failure("crash", "it ended"), Failure("timeout", "no answer")
ASKED = (DATA, 5)


def test_a_function_that_breaks_its_process_is_looked_at_once_more_but_for_one_that_takes_too_long() -> None:
    session = session_in(_Place(CRASH, FOUND))
    assert session.candidates() == session.candidates() == FOUND
    for place, left in (
        (_Place(CRASH, CRASH, FOUND), 1),
        (_Place(LATE, FOUND), 1),
        (_Place(BadFunction("none"), FOUND), 1),
    ):
        with pytest.raises(BadFunction):
            session_in(place).candidates()
        assert len(place.begins) == left


def test_a_new_process_must_be_of_the_same_function_and_is_asked_first_what_is_known() -> None:
    other = replace(FOUND, name="other")
    for begun in (other, BadFunction("gone")):
        place = _Place(FOUND, begun)
        session = session_in(place)
        session.candidates()
        place.end()
        assert broken_by(session._here).kind == "crash"
    assert (place.ended, place.is_there) == (1, False)
    place = _Place(FOUND, FOUND, answers=[Answered(None, 0.5)])
    session = session_in(place)
    assert session.chosen(1, ASKED) == FOUND.way(1)
    place.end()
    assert session._here() == (place, FOUND)
    assert place.asked == [(1, [ASKED], SHORT.first)]
    place = _Place(FOUND, other)
    session = session_in(place)
    session.candidates()
    place.is_there = False
    broken_by(session._here)
    assert place.ended == 1, "another function is not left running"


def test_a_session_ends_its_process_once() -> None:
    place = _Place(FOUND)
    with session_in(place) as session:
        session.candidates()
        assert place.ended == 0
    session.end()
    assert (place.ended, session._place) == (1, None)


@pytest.mark.parametrize(
    ("isolated", "forks", "kind"), [(None, True, Child), (None, False, Here), (True, False, Child), (False, True, Here)]
)
def test_it_runs_in_a_process_of_its_own_where_one_can_be_forked_or_is_asked_for(
    isolated: object, forks: object, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_sessions, "can_fork", lambda: forks)
    limits = replace(SHORT, isolated=isolated)  # type: ignore[arg-type]
    assert Session(SOURCE, limits)._new() == kind(SOURCE, limits)


def test_the_first_that_is_answered_is_known_from_then_on() -> None:
    place = _Place(FOUND, answers=[Failure("error", "no"), Answered(None, 0.5), Answered(None, 0.25)])
    session = session_in(place)
    for which, known in ((3, (0, None)), (1, (1, ASKED)), (2, (1, ASKED))):
        session.tried(which, ASKED)
        assert (session._which, session._trial) == known
    assert place.asked == [(which, [ASKED], SHORT.question) for which in (3, 1, 2)]


def test_questions_that_are_answered_late_cost_their_time_and_brief_ones_have_less_of_it() -> None:
    half = Answered(None, 0.5)
    place = _Place(FOUND, answers=[LATE, LATE, half, half, half, LATE, half, half])
    session = session_in(place, Limits(question=4, in_vain=60))
    calls_of = [(replace(DATA), 5), (replace(EMPTY), 5)]
    assert list(session.twice(calls_of)) == [(LATE, None), (half, None)]
    assert session._lost == 8
    usual = session.limits
    assert list(session.briefly(calls_of, 3)) == [(half, LATE), (half, None)]
    assert (session._lost, session.limits) == (11, usual)
    assert [seconds for _, _, seconds in place.asked] == [4, 4, 3]
    place.said = [half, half]
    assert list(session.briefly([ASKED], 9)) == [(half, None)]
    assert place.asked[-1][2] == 4, "never longer than usual"
    place.said = [LATE, LATE]
    assert list(session.briefly(calls_of, 3)) == [(LATE, None), (Failure("timeout", NOT_ASKED), None)], (
        "6 s is more than 3"
    )


# -- in this process ------------------------------------------------------------------------------------------------------


def test_in_this_process_the_first_call_has_longer_and_nothing_is_believed_if_that_was_not_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []
    late = [False, True, False]

    @contextlib.contextmanager
    def limited(seconds: float) -> Iterator[None]:
        given.append(seconds)
        yield
        if late.pop(0):
            raise TookTooLong

    monkeypatch.setattr(in_process, "limited", limited)
    source = Source("m:f", P5, RANKED, lambda ranked_rels, k: len(ranked_rels) / k)
    here = Here(source, Limits(question=1, first=9))
    assert (here.is_there, list(here.answers(0, [ASKED], 1))) == (False, [])
    assert here.begin() == call_candidates.load(source).candidates
    assert here.is_there
    half = Answered({"q1": 0.4, "q2": 0.2}, None)
    assert list(here.answers(0, [ASKED] * 3, 1)) == [half, Failure("timeout", "no answer within 1 s"), half]
    assert given == [9, 1, 1]
    late[:] = [True, False]
    spoiled = Here(source, Limits(question=1, first=9))
    spoiled.begin()
    assert list(spoiled.answers(0, [ASKED] * 2, 20)) == [Failure("timeout", "no answer within 20 s")] * 2
    assert given == [9, 1, 1, 20], "it is asked no more"


def test_what_is_printed_and_warned_of_is_kept_from_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    with in_process._quiet():
        print("out")  # noqa: T201 - that is the point
        print("err", file=sys.stderr)  # noqa: T201 - as above
        warnings.warn("warned", stacklevel=1)
    assert capsys.readouterr() == ("", "")


# -- the limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "gone", "set_to"),
    [
        ((0.0, 0.0), 1, [(2, 0), (0.0, 0), (0.0, 0.0)]),
        ((5.0, 0.5), 1, [(2, 0), (0.0, 0), (4.0, 0.5)]),
        ((2.5, 0.0), 1, [(2, 0), (0.0, 0), (1.5, 0.0)]),
        ((2.5, 0.0), 3, [(2, 0), (0.0, 0), (0.001, 0.0)]),  # it is over: at once
        ((2.0, 0.5), 1, []),  # theirs is as short, and will do
        ((1.0, 0.5), 1, []),
    ],
)
def test_a_longer_limit_of_somebody_else_goes_on_where_it_was(
    theirs: tuple[float, float], gone: int, set_to: list[tuple[float, float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[tuple[float, float]] = []
    handlers: list[Any] = []
    clock = iter((10.0, 10.0 + gone))

    def handle(number: int, handler: object) -> str:
        assert number == signal.SIGALRM
        handlers.append(handler)
        return "before"

    def timer(kind: int, seconds: float, interval: float = 0) -> None:
        assert kind == signal.ITIMER_REAL
        timers.append((seconds, interval))

    stand_in = SimpleNamespace(
        SIGALRM=signal.SIGALRM,
        ITIMER_REAL=signal.ITIMER_REAL,
        getitimer=lambda _: theirs,
        signal=handle,
        setitimer=timer,
    )
    monkeypatch.setattr(limits, "signal", stand_in)
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with limited(2):
        pass
    assert timers == set_to
    assert handlers[1:] == (["before"] if set_to else [])


def test_the_limits_are_these_where_nobody_says_others() -> None:
    assert Limits() == Limits(5.0, 30.0, 120.0, 60.0, 120.0, 8_000_000_000, None)


# -- the side of the process ----------------------------------------------------------------------------------------------


def served(source: Source, monkeypatch: pytest.MonkeyPatch, *requests: Any) -> list[dict[str, Any]]:
    apart: list[Any] = []
    monkeypatch.setattr(child_side, "_apart", lambda *given: (apart.append(given), os.getpid())[1])
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for request in requests:
            ours.sendall(pickle.dumps(request))
        ours.shutdown(socket.SHUT_WR)
        child_side.serve(theirs, source, 10**9, 4242)
        theirs.shutdown(socket.SHUT_WR)
        said = ours.makefile("rb").read().splitlines()
    assert apart == [(10**9, 4242)]
    return [child_replies.read(line, n) for n, line in enumerate(said)]


def test_it_says_what_the_function_may_be_and_answers_call_by_call(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("m:f", P5, RANKED, lambda ranked_rels, k: len(ranked_rels) / k)
    found, *answers = served(source, monkeypatch, (0, [ASKED, (DATA, 2)]), (0, [(DATA, 1)]))
    assert child_replies.candidates_of(found) == call_candidates.load(source).candidates
    assert [child_replies.answer_of(each) for each in answers] == [
        Answered({"q1": 2 / k, "q2": 1 / k}, None) for k in (5, 2, 1)
    ]
    (refused,) = served(Source("none", P5), monkeypatch, (0, [ASKED]))
    assert "refused" in refused


def test_whatever_comes_of_looking_at_a_function_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_side, "load", raising(SystemExit(3)))
    assert isinstance(child_side._loaded(SOURCE), BadFunction)
    fault = BadFunction("why")
    monkeypatch.setattr(child_side, "load", raising(fault))
    assert child_side._loaded(SOURCE) is fault


def test_a_copy_ends_and_so_does_who_lost_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    asked: list[Any] = []
    monkeypatch.setattr(os, "_exit", left.append)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(child_side, "ask_kernel", lambda *given: asked.append(given))
    child_side._end_a_copy(os.getpid())
    child_side._end_with(os.getppid())
    assert left == []
    child_side._end_a_copy(os.getpid() + 1)
    child_side._end_with(os.getppid() + 1)
    assert left == [0, 0]
    assert asked[:2] == [(child_side.PR_SET_PDEATHSIG, signal.SIGKILL), (child_side.PR_SET_CHILD_SUBREAPER, 1)]


def test_the_memory_is_what_was_there_and_as_much_as_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    told: list[Any] = []

    def limit(kind: int, value: tuple[int, int]) -> None:
        told.append((kind, value))
        raise ValueError

    monkeypatch.setattr(resource, "setrlimit", limit)
    monkeypatch.setattr(child_side.Path, "read_text", lambda *_, **__: "1 2 3 4 5 6 7\n")
    had = 6 * os.sysconf("SC_PAGE_SIZE")
    child_side._limit(1000)
    assert told == [(resource.RLIMIT_DATA, (1000 + had, 1000 + had)), (resource.RLIMIT_CORE, (0, 0))]
    monkeypatch.setattr(child_side.Path, "read_text", raising(OSError()))
    assert child_side._forked_with() == 0


# -- which way comes first, and what a break costs ------------------------------------------------------------------------


def test_the_way_whose_arguments_go_by_known_names_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ways(lambda relevant, ranked, k: (relevant, ranked, k), None)
    assert (found.targets[0].form, found.targets[0].order, found.targets[0].known) == (
        FORMS["ids"],
        ("relevant", "ranked"),
        2,
    )
    known = [each.known for each in found.targets]
    assert known == sorted(known, reverse=True)
    assert known[-1] < 2
    assert ways(_Torch, None).targets[0].form is TORCHMETRICS
    monkeypatch.setattr(call_candidates, "MOST", 3)
    assert ways(lambda relevant, ranked, k: (relevant, ranked, k), None).targets == found.targets[:3]


class _Twice:
    """The cutoff may be given when it is made, and in the call."""

    def __init__(self, k: int = 3) -> None:
        self.k = k

    def evaluate(self, ranked_rels: list[int], k: int) -> float:
        """Of a query."""
        return len(ranked_rels) / min(k, self.k)

    def score(self, ranked_rels: list[int]) -> float:
        """Of a query."""
        return len(ranked_rels) / self.k


def test_a_cutoff_that_the_call_takes_is_given_there() -> None:
    found = {(each.method, each.k, each.k_made, each.k_needed) for each in ways(_Twice, RANKED).targets}
    assert found == {("evaluate", "k", False, True), ("score", "k", True, False)}


def test_what_broke_a_process_costs_the_time_that_was_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 10.0, 12.0, 20.0, 23.0, 0.0, 0.0))
    monkeypatch.setattr(call_sessions, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    half = Answered(None, 0.5)
    place = _Place(FOUND, answers=[half] * 4)
    session = session_in(place, Limits(question=40, in_vain=60))
    session._lost = 7
    assert session._again(ASKED, LATE) == (half, None)
    assert session._lost == 7 + 40 + 2
    session._lost = 7
    assert session._again(ASKED, CRASH) == (CRASH, half), "the second accident is believed"
    assert session._lost == 7 + 3
    place.said, session._lost = [half, half], 60
    assert list(session.twice([ASKED])) == [(half, None)], "not more than may be lost in vain"
