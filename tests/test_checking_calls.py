"""The steps of calling a function, each by itself: what may be called, how it is called, what of its result is read, and where it runs."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.asking.observations import Answered
from rankproof.cases.inputs import Input
from rankproof.checking import functions, objects
from rankproof.checking.call_forms import (
    IR_MEASURES,
    LABELINGS,
    QRELS_RUN,
    RANKED,
    ROWS,
    TORCHMETRICS,
)
from rankproof.checking.targets import ALL, STEPS, TABLE, Form, Target

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
    calls: list[Any] = []

    def function(*given: Any, **named: Any) -> Any:
        calls.append((*given, named) if named else given)
        return answer

    return function, calls


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
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", stand_in)

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
