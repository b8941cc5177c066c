"""The steps of calling a function, each by itself: what may be called, how it is called, what of its result is read, and where it runs."""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any, NamedTuple, NotRequired, TypedDict

import ir_measures
import pytest

from rankproof.calling import call_candidates, call_forms, called_things, container_choices, functions, objects, records
from rankproof.calling.call_candidates import Candidates, Source
from rankproof.calling.call_forms import FORMS, IR_MEASURES, QRELS_RUN, RANKED, ROWS, TORCHMETRICS
from rankproof.calling.calls import observe
from rankproof.calling.given_values import NoNumber
from rankproof.calling.parameters import Words, parameters_of
from rankproof.calling.targets import ALL, COLUMN, TABLE, BadFunction, Form, Target
from rankproof.cases.inputs import Input
from rankproof.isolating import child_replies
from rankproof.reference_impl.notation import parse
from rankproof.time_limit import TookTooLong
from rankproof.workers.observations import Answered, Failure

DATA = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 2)),
    run=(("q1", "a", 0.75, 1), ("q1", "b", 0.5, 2), ("q2", "c", 0.25, 1)),
)
"""Two queries, the first of two docs and the second of one: the longest ranking has two."""


def target(form: Form = RANKED, *order: str, name: str = "m:f", **how: Any) -> Target:
    return Target(name, form, order or tuple(form.roles), **how)


# -- objects ------------------------------------------------------------------------------------------------------------


TURNED = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 2)),
    run=(("q1", "b", 0.75, 1), ("q1", "a", 0.5, 2), ("q2", "c", 0.25, 1)),
)
SECOND = 1 / math.log2(3)
"""Of the first query the relevant doc is the second."""


@pytest.mark.parametrize(
    ("takes", "k", "empty", "values"),
    [
        ("cutoff", 1, {}, {"q1": 0.0, "q2": 1.0}),
        ("cutoff", None, {}, {"q1": SECOND, "q2": 1.0}),
        (None, 1, {}, {"q1": SECOND, "q2": 1.0}),
        ("cutoff", 1, {"empty_in_qrels": ("q3",), "empty_in_run": ("q4",)}, {"q1": 0.0, "q2": 1.0, "q3": 0.0}),
        ("cutoff", 2, {"empty_in_qrels": ("q3",)}, {"q1": SECOND, "q2": 1.0, "q3": 0.0}),
        ("cutoff", 2, {"empty_in_run": ("q4",)}, {"q1": SECOND, "q2": 1.0}),
    ],
)
def test_ir_measures_is_asked_by_its_own_evaluator_as_by_the_lines_to_type(
    takes: str | None, k: int | None, empty: dict[str, Any], values: dict[str, float]
) -> None:
    how, data = target(IR_MEASURES, name="ir_measures:nDCG", k=takes), replace(TURNED, **empty)
    answer = objects.ask_ir_measures(ir_measures.nDCG, how, data, k)
    assert (answer.per_query, answer.mean) == (pytest.approx(values), pytest.approx(sum(values.values()) / len(values)))
    printed: list[Any] = []
    lines = ["from ir_measures import nDCG", *objects.repro_ir_measures(how, data, None, k)]
    exec("\n".join(lines), {"print": printed.append})  # noqa: S102 - our own lines
    assert {one.query_id: one.value for one in printed[0].per_query} == answer.per_query


class _Metric:
    """An object as torchmetrics has them, which says how it was made, at which cutoff it stands, and what it was shown."""

    def __init__(self, **made: Any) -> None:
        self.made, self.seen, self.top_k = made, ["from before"] * (not made), 10

    def reset(self) -> None:
        self.seen.clear()  # in place: a copy that shares the list would empty that of the person

    def update(self, **given: Any) -> None:
        self.seen = [*self.seen, given]

    def compute(self) -> float:
        shown.append((self.made, self.top_k, self.seen))
        return len(self.seen) / 2


shown: list[Any] = []
TWO, THREE = ("preds", "target"), ("preds", "target", "indexes")
OF_ROWS = [{"preds": [0.75, 0.5, 0.25], "target": [1, 0, 2], "indexes": [0, 0, 1]}]
OF_QUERIES = [{"preds": [0.75, 0.5], "target": [1, 0]}, {"preds": [0.25], "target": [2]}]
OF_TABLES = [{"preds": [[0.75, 0.5]], "target": [[1, 0]]}, {"preds": [[0.25]], "target": [[2]]}]


@pytest.mark.parametrize(
    ("order", "how", "k", "made", "at", "updates"),
    [
        (THREE, {"k": "top_k"}, None, {}, 10, OF_ROWS),
        (TWO, {"k": "top_k"}, 5, {}, 5, OF_QUERIES),
        (TWO, {"k": "top_k", "batch": TABLE}, None, {}, 10, OF_TABLES),
        (TWO, {}, 5, {}, 10, OF_QUERIES),
        (TWO, {"of_class": True, "made": ("a=1",), "k": "top_k"}, 5, {"a": 1, "top_k": 5}, 10, OF_QUERIES),
        (THREE, {"of_class": True, "made": ("a=1",), "k": "top_k"}, None, {"a": 1}, 10, OF_ROWS),
        (TWO, {"of_class": True, "made": ("a=1",), "batch": TABLE}, 5, {"a": 1}, 10, OF_TABLES),
        (TWO, {"of_class": True}, 5, {}, 10, ["from before", *OF_QUERIES]),  # an object of the class, as it is made
    ],
)
def test_a_metric_at_the_cutoff_is_updated_with_all_rows_or_with_each_query_as_by_the_lines_to_type(
    order: tuple[str, ...], how: dict[str, Any], k: int | None, made: dict[str, Any], at: int, updates: list[Any]
) -> None:
    """An object is not the person's own, but a copy that has forgotten all; to type is what there is."""
    asked, own = target(TORCHMETRICS, *order, name="m:M", **how), _Metric()
    thing = _Metric if asked.of_class else own
    shown.clear()
    assert objects.ask_torchmetrics(thing, asked, DATA, k) == Answered(None, len(updates) / 2)
    assert (own.seen, own.top_k) == (["from before"], 10)
    own.reset()
    exec("\n".join(objects.repro_torchmetrics(asked, DATA, None, k)), {"M": thing, "print": str})  # noqa: S102 - our own lines
    assert shown == [(made, at, updates)] * 2


# -- asking: whatever it does, there is an answer -----------------------------------------------------------------------


def raising(error: BaseException) -> Any:
    def function(*_given: Any, **_named: Any) -> None:
        raise error

    return function


class _Silent(ValueError):
    """Its text cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda _rels: 0.5, Answered({"q1": 0.5, "q2": 0.5}, None)),
        (lambda _rels: "much", Failure("invalid-output", "it gave 'much', which is no number")),
        (raising(NoNumber("it gave\nnone")), Failure("invalid-output", "it gave none")),
        (raising(MemoryError("none left")), Failure("memory", "it took more memory than it may have")),
        (raising(SystemExit(3)), Failure("crash", "it raises SystemExit: 3")),
        (raising(KeyboardInterrupt()), Failure("crash", "it raises KeyboardInterrupt")),
        # An error is told by its kind and its first line.
        *(
            (raising(error), Failure("error", said))
            for error, said in (
                (ValueError("\n  first \nsecond"), "ValueError: first"),
                (_Silent(), "_Silent, whose text cannot be shown"),
                (ValueError(), "ValueError"),
                (ValueError(" \n "), "ValueError"),
                (ValueError("ends in a colon: "), "ValueError: ends in a colon"),
                (ValueError("x" * 400), "ValueError: " + "x" * (300 - len("ValueError: "))),
            )
        ),
    ],
)
def test_whatever_a_function_does_is_an_answer(function: Any, found: Answered | Failure) -> None:
    assert observe(function, target(), DATA, None) == found


def test_what_is_let_through_is_no_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        observe(raising(KeyboardInterrupt()), target(), DATA, None, (KeyboardInterrupt, TookTooLong))
    assert observe(lambda _rels, k: k, target(k="k"), DATA, 7) == Answered({"q1": 7.0, "q2": 7.0}, None)


# -- what the process of a function says ----------------------------------------------------------------------------------

EVERY = Target(
    "m:F",
    ROWS,
    ("y_score", "y_true"),
    "k",
    k_needed=True,
    k_made=True,
    several=True,
    container="array",
    batch=ALL,
    names=("s", "t"),
    of_class=True,
    made=("a=1",),
    method="score",
    given=("b=2",),
    columns=("q", "d", "r", "s"),
    known=2,
)
"""A target of which nothing that is sent is as it is by default."""
FOUND = Candidates(
    "m:F",
    (EVERY, Target("m:F", RANKED)),
    ("text", "seed"),
    ("y_true",),
    ("ndcg", "n"),
    names=("s", "t"),
    record=("one", "m:One", "s"),
    of_maker=("seed",),
    method="score",
)


def sent(body: Any, n: int = 0) -> dict[str, Any]:
    return child_replies.read(child_replies.written(n, body), n)


def test_each_field_of_a_target_is_told_or_found_out_by_asking() -> None:
    """A field that is added is told without being listed: one that was forgotten made the asker think of other calls than are made."""
    plain = Target("m:F", RANKED)
    changed = {bool: True, str: "x", tuple[str, ...]: ("x", "y=1")}
    told = {
        one.name: changed[one.type]
        for one in fields(Target)
        if one.name not in {"name", "form", "order", "k", "known", *child_replies.FOUND_BY_ASKING}
    }
    assert len(told) >= 13
    for name, value in told.items():
        target = replace(plain, **{name: value})
        candidates = replace(FOUND, targets=(plain, target, EVERY))
        assert child_replies.candidates_of(sent(child_replies.of_candidates(candidates))) == candidates, name


def test_a_reply_is_one_line_and_reads_as_what_was_written() -> None:
    line = child_replies.written(3, {"failed": "error", "message": "two\nlines, ä"})
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert child_replies.read(line, 3) == {"n": 3, "failed": "error", "message": "two\nlines, ä"}
    assert child_replies.candidates_of(sent(child_replies.of_candidates(FOUND))) == FOUND
    with pytest.raises(BadFunction, match=r"^there is none$"):
        child_replies.candidates_of(sent(child_replies.of_candidates(BadFunction("there is none"))))
    answers = [Answered(None, 0.5), Answered({}, None), Answered({"q1": 0.5, "q2": 0.25}, 0.125)]
    for answer in (*answers, *(Failure(kind, "why") for kind in ("error", "crash", "invalid-output", "memory"))):
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


SAID = child_replies.of_candidates(FOUND)
NO_CANDIDATES: list[dict[str, Any]] = [
    SAID | change
    for change in (
        {"name": None},
        {"name": 3},
        {"targets": None},
        {"targets": "m:F"},
        {"targets": [3]},
        {"targets": [{}]},
        {"foreign": None},
        {"foreign": [1]},
        {"roles": "text"},
        {"roles": [None]},
        {"measure": {"n": 1}},
        {"measure": [["n"]]},
        {"of_maker": None},
        {"of_maker": "seed"},
        {"of_maker": [3]},
        {"method": None},
        {"method": ["score"]},
        {"refused": 3, "name": None},
        *(
            {"targets": [SAID["targets"][0] | other]}
            for other in (
                {"name": 3},
                {"form": "none"},
                {"form": 3},
                {"order": [1]},
                {"order": "y_true"},
                {"k": 3},
                {"known": "2"},
                {"known": True},
                {"known": 2.0},
                *({flag: wrong} for flag in ("k_needed", "k_made", "several", "of_class") for wrong in (None, 1)),
                *({text: wrong} for text in ("container", "batch", "method") for wrong in (None, 1)),
                *({each: wrong} for each in ("names", "made", "given", "columns") for wrong in (None, [1], "ab")),
            )
        ),
    )
]
NO_ANSWERS: list[dict[str, Any]] = [
    {},
    {"failed": "timeout", "message": "why"},
    {"failed": "error"},
    {"failed": "error", "message": 3},
    {"failed": 3, "message": "why"},
    {"per_query": {}},
    {"mean": 0.5},
    {"per_query": None, "mean": 1},
    {"per_query": None, "mean": "0.5"},
    {"per_query": None, "mean": True},
    {"per_query": {"q1": 1}, "mean": 0.5},
    {"per_query": {"q1": None}, "mean": 0.5},
    {"per_query": [0.5], "mean": 0.5},
    {"per_query": {"q1": 0.5, "q2": "0.5"}, "mean": None},
    {"per_query": {"q1": 0.5, "q2": True}, "mean": None},
]


NO_LINES_OF_3 = (b"", b"{", b"[" * 100_000, b"[3]", b"3", b"{}", b'{"n": 2}', b'{"n": 3.0}', b'{"n": "3"}')


@pytest.mark.parametrize(
    ("read", "given"),
    [
        *((child_replies.candidates_of, reply) for reply in NO_CANDIDATES),
        *((child_replies.answer_of, reply) for reply in NO_ANSWERS),
        *((lambda line: child_replies.read(line, 3), line) for line in NO_LINES_OF_3),
        (lambda line: child_replies.read(line, 1), b'{"n": true}'),
    ],
)
def test_what_is_no_reply_is_read_as_none(read: Callable[[Any], Any], given: Any) -> None:
    """What a function may be, with anything else in it or in a target; an answer without one; a line that is not the one that is due."""
    with pytest.raises(child_replies.BadReply):
        read(given)


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
    _, of_class = called_things.things_of(_Scores, "m:S", ("weights=[1]", "b=2"))
    assert names_in(of_class) == [("", ["y_true"]), *METHODS_OF]
    of_objects = Target(
        "m:S", ROWS, (), "K", k_needed=True, k_made=True, of_class=True, made=("weights=[1]",), given=("b=2",)
    )
    assert [replace(thing.target, method="") for thing in of_class] == [of_objects] * 4
    assert {thing.missing for thing in of_class} == {()}
    lacking = called_things.things_of(_Scores, "m:S", ())[1]
    assert [(thing.missing, thing.target.made_of) for thing in lacking if thing.target.method == "score"] == [
        (("weights",), ()),
        ((), ("weights",)),
    ]
    assert {thing.missing for thing in lacking if thing.target.method == "append/get"} == {("weights",)}
    _, of_object = called_things.things_of(_Scores(1, []), "m:s", ("b=2",))
    assert names_in(of_object) == [("", ["y_true"]), *METHODS_OF]
    assert [replace(thing.target, method="") for thing in of_object] == [Target("m:s", ROWS, (), given=("b=2",))] * 4
    of_function = called_things.things_of(called_things.things_of, "m:f", ())[1]
    assert names_in(of_function) == [("", ["function", "name", "given"])]
    neither_called_nor_answering = called_things.things_of(SimpleNamespace(update=len), "m:o", ())[1]
    assert neither_called_nor_answering == []


def test_data_that_may_be_left_out_is_no_reason_to_call_a_function_for_another_one() -> None:
    called: list[int] = []

    def measured(relevant: object = None, k: int = 10) -> object:  # noqa: ARG001 - its data
        called.append(k)
        return lambda a, b: (a, b)

    def made(k: int = 10) -> object:
        called.append(k)
        return lambda relevant, ranked: (relevant, ranked)

    of_each = [names_in(called_things.things_of(function, "m:f", ())[1]) for function in (measured, made)]
    assert of_each == [[("", ["relevant", "k"])], [("", ["relevant", "ranked"])]]
    assert called == [3]


def test_a_method_named_by_its_class_is_one_of_an_object_that_is_made() -> None:
    name = f"{__name__}:_Scores.evaluate"
    owner, things = called_things.things_of(_Scores.evaluate, name, ("b=2",))
    assert owner is _Scores
    assert names_in(things) == [("evaluate", ["ranked"]), ("evaluate", ["weights", "ranked"])]
    assert (things[0].target.name, things[0].target.form, things[0].target.given) == (name, ROWS, ("b=2",))
    for other in ("m:evaluate", "m:target.evaluate"):  # no class of that name is there
        assert called_things.things_of(_Scores.evaluate, other, ())[0] is _Scores.evaluate
    function, things = called_things.things_of(_Scores.score, "m:S.score", ("b=2",))
    assert (function, names_in(things)) == (_Scores.score, [("", ["run"])])
    assert things[0].target.given == ("b=2",)


# -- the ways to call it --------------------------------------------------------------------------------------------------


def ways(function: Any, form: Form | None, measure: str = "P(rel=2)@5", **given: Any) -> Candidates:
    return call_candidates.load(Source("m:f", parse(measure), form, function, given)).candidates


@pytest.mark.parametrize("written", ["max_rel", "=4", "max-rel=4", "4=max", "a b=1", ""])
def test_an_argument_without_a_name_or_a_value_is_none(written: str) -> None:
    with pytest.raises(BadFunction):
        call_candidates.given_of([written])
    assert call_candidates.given_of(["a=4", "b=x=y", "c=", "at=[1, 2]", "on=None"]) == {
        "a": 4,
        "b": "x=y",
        "c": "",
        "at": [1, 2],
        "on": None,
    }


@pytest.mark.parametrize(
    ("function", "measure", "given", "tried"),
    [
        (
            lambda ranked_rels, threshold: (ranked_rels, threshold),
            "P(rel=2)",
            {},
            {("threshold=2",), ("threshold=1.5",)},
        ),
        (lambda ranked_rels, threshold=2: (ranked_rels, threshold), "P(rel=2)", {}, {()}),
        (lambda ranked_rels, threshold=2: (ranked_rels, threshold), "P(rel=4)", {}, {()}),
        (lambda ranked_rels: ranked_rels, "P(rel=2)", {}, {()}),
        (lambda ranked_rels, threshold: (ranked_rels, threshold), "P(rel=2)", {"threshold": 3}, {("threshold=3",)}),
    ],
)
def test_a_threshold_is_the_measures_own_or_just_below_and_its_own_default_stands(
    function: Any, measure: str, given: dict[str, Any], tried: set[tuple[str, ...]]
) -> None:
    assert {each.given for each in ways(function, RANKED, measure, **given).targets} == tried


def containers(form: Form, function: Any, batch: str = "query") -> list[str]:
    return list(dict.fromkeys(each.container for each in ways(function, form).targets if each.batch == batch))


def test_lists_are_given_in_each_container_that_is_there_the_wanted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_rels(ranked_rels: Any) -> None:
        """It says nothing of what it wants."""

    for module in ("pandas", "torch"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert containers(RANKED, of_rels) == ["list", "array"]
    for form, held in (
        ("ids", ["list", "set", "array", "doc-pairs", "doc-pairs-set"]),
        ("graded-ids", ["list", "doc-pairs"]),
        ("one-id", ["list", "array", "doc-pairs"]),
    ):
        assert containers(FORMS[form], lambda relevant, ranked: (relevant, ranked)) == held
    assert containers(QRELS_RUN, lambda qrels, run: (qrels, run)) == ["list"]
    assert containers(RANKED, of_rels, ALL) == ["list", "array"]
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert containers(RANKED, of_rels) == ["list", "array", "series", "tensor", "float-tensor"]
    assert containers(RANKED, of_rels, TABLE) == ["list", "array", "tensor", "float-tensor"]
    assert containers(RANKED, of_rels, ALL) == ["list", "tensors", "array", "tensor", "float-tensor"]

    def wants(ranked_rels: "Tensor") -> None:  # type: ignore[name-defined] # noqa: F821
        """Annotations alone matter."""

    assert containers(RANKED, wants)[0] == "tensor"
    monkeypatch.setattr(container_choices, "find_spec", lambda _: None)
    assert containers(FORMS["frames"], lambda a, b: (a, b)) == []
    assert "array" not in containers(RANKED, of_rels)


def test_two_lists_of_dicts_are_put_together_by_a_key_that_both_have() -> None:
    for texts, tried in ((("gold_ids", "docs"), []), (("gold_ids", "docs", "qid"), ["list", "set"])):
        found = container_choices.containers(FORMS["records-apart"], (), "query", parse("P@5"), Words(texts, ()), ())
        assert [*found] == [(container, texts) for container in tried]
        words = Words(texts, ("loads",))
        in_files = container_choices.containers(FORMS["ranked-files"], (), "query", parse("P@5"), words, ())
        assert [keys for container, keys in in_files if "records" in container] == [texts] * len(tried)
        side_by_side = container_choices.containers(FORMS["ids"], (), "query", parse("P@5"), words, ())
        assert [keys for container, keys in side_by_side if container == "dicts-apart"] == [texts] * (not tried)


def test_the_query_and_the_doc_of_a_file_have_columns_of_their_own() -> None:
    texts = ("shop_id", "thing_id", "relevance", "score")
    found = container_choices.containers(FORMS["files"], (), "query", parse("P@5"), Words(texts, ("read_csv",)), ())
    named = {columns[:2] for container, columns in found if container == "files-csv"}
    assert ("shop_id", "thing_id") in named
    assert all(query != doc for query, doc in named)


def test_frames_have_the_columns_that_parameters_tell_or_all_that_are_usual() -> None:
    def told(a, b, col_user="u", col_item="i", col_rating="r", col_prediction="p") -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
        """Defaults alone matter."""

    def columns(function: Any) -> list[tuple[str, ...]]:
        return list(dict.fromkeys(each.columns for each in ways(function, FORMS["frames"]).targets))

    assert columns(told) == [("u", "i", "r", "p")]
    by_rank = columns(lambda a, b: a[["user", "film_id", "rank"]] + b)
    by_score = columns(lambda a, b: a[["qid", "docno", "pred_score"]] + b["label"])
    assert by_rank[:2] == [("user", doc, "relevance", "score", "rank") for doc in ("film_id", "doc_id")]
    assert by_score[0] == ("qid", "docno", "label", "pred_score")
    assert all({*container_choices.COLUMNS} < {*found} for found in (by_rank, by_score))
    assert columns(lambda a, b: (a, b)) == list(container_choices.COLUMNS)


DICTS_OF_ALL = ("doc-dicts", "doc-dicts-set", "all-doc-dicts")
OBJECTS_OF_ALL = ("docs", "docs-set", "all-docs")


@pytest.mark.parametrize(
    ("form", "texts", "attributes", "tried"),
    [
        ("ids", ("doc_id", "score", "x"), (), [(held, ("doc_id",)) for held in DICTS_OF_ALL]),
        ("ids", ("x",), (), [(held, ("x",)) for held in DICTS_OF_ALL]),
        ("ids", ("two words",), (), []),
        ("ids", ("_id", "pid"), (), [(held, ("_id", "pid")) for held in DICTS_OF_ALL]),
        ("ids", ("x", "y"), (), []),
        ("graded-ids", ("doc_id",), (), [("doc-dicts", ("doc_id",))]),
        ("one-id", ("doc_id",), (), [("doc-dicts", ("doc_id",))]),
        (
            "scored-list",
            ("doc_id", "score", "my_score"),
            (),
            [(held, ("doc_id", "score", "my_score")) for held in DICTS_OF_ALL],
        ),
        ("ids", (), ("chunk_id", "score", "text"), [(held, ("chunk_id",)) for held in OBJECTS_OF_ALL]),
        ("scored-list", ("doc_id",), (), []),
        ("one-scored", ("x",), ("doc_id", "score"), [("docs", ("doc_id", "score"))]),
        ("graded-ids", ("id", "x"), ("metadata",), [("doc-dicts", ("id",)), ("docs", ("metadata.id",))]),
        ("graded-ids", (), ("chunk", "chunk_id", "text"), [("docs", ("chunk_id",)), ("docs", ("chunk.chunk_id",))]),
        (
            "graded-ids",
            ("source",),
            ("node", "metadata"),
            [("doc-dicts", ("source",)), ("docs", ("metadata.source",)), ("docs", ("node.metadata.source",))],
        ),
        ("graded-ids", ("arxiv_id", "title"), (), [("doc-dicts", ("arxiv_id",))]),
        ("graded-ids", ("arxiv_id", "doc_id"), ("user_id", "session_id", "q_id", "name"), [("doc-dicts", ("doc_id",))]),
        ("ids", ("file_name", "rank", "score"), (), [(held, ("file_name", "rank")) for held in DICTS_OF_ALL]),
        ("one-id", ("title",), ("url", "position"), [("doc-dicts", ("title",)), ("docs", ("url", "position"))]),
        ("one-scored", ("path", "rank", "score"), (), [("doc-dicts", ("path", "score"))]),
        ("graded-ids", (), ("candidate_id", "query_id", "score"), [("docs", ("candidate_id",))]),
        ("graded-ids", ("_source", "x"), (), [("doc-dicts", ("x",)), ("doc-dicts", ("_source.x",))]),
        (
            "graded-ids",
            ("payload", "doc_id", "uid", "document"),
            (),
            [
                ("doc-dicts", ("doc_id", "uid")),
                ("doc-dicts", ("payload.doc_id", "payload.uid", "document.doc_id", "document.uid")),
            ],
        ),
        ("one-scored", (), ("doc", "id", "score"), [("docs", ("id", "score")), ("docs", ("doc.id", "score"))]),
    ],
)
def test_docs_are_dicts_or_objects_by_the_ids_and_scores_that_the_code_reads(
    form: str, texts: tuple[str, ...], attributes: tuple[str, ...], tried: list[tuple[str, tuple[str, ...]]]
) -> None:
    words = Words(texts, attributes)
    for batch, those in (("query", tried), (ALL, [])):
        found = container_choices.containers(FORMS[form], (), batch, parse("P@5"), words, ())
        assert [each for each in found if each[1]] == those


def test_what_is_left_over_is_foreign_and_what_is_given_is_not() -> None:
    def needs(y_true: list[int], y_score: list[float], tokenizer: str) -> float:
        return len((y_true, y_score, tokenizer)) / 2

    lacking = ways(needs, ROWS)
    assert (lacking.targets, lacking.foreign, lacking.roles) == ((), ("tokenizer",), ("y_true", "y_score"))
    assert lacking.measure[:3] == ("precision", "p", "prec")
    found = ways(needs, ROWS, tokenizer="bpe")
    assert (found.foreign, found.roles) == ((), ())
    assert {(each.given, each.order, each.known, each.name) for each in found.targets} == {
        (("tokenizer='bpe'",), ("y_true", "y_score"), 2, "m:f")
    }
    assert [each.batch for each in found.targets if each.container == "list"] == ["query", ALL, TABLE]


@pytest.mark.parametrize(
    ("written", "form", "given", "told"),
    [
        (
            "ranked_rels, k=10, threshold=2, strict=True, w=0.5, name='x'",
            RANKED,
            {},
            ((), ("threshold=2", "w=0.5"), ()),
        ),
        ("ranked_rels, k=10, threshold=2, w=0.5", RANKED, {"w": 3}, (("w=3",), ("threshold=2",), ())),
        ("y_true, y_score, Device, verbose", ROWS, {}, (("Device='cpu'", "verbose=False"), (), ())),
        ("relevant, ranked, k, Gain", FORMS["ids"], {}, (("Gain=1",), (), ())),
        ("relevant_doc, ranked, k, gain", FORMS["one-id"], {}, (("gain=1",), (), ())),
        ("relevant, ranked, k, mode, gain", FORMS["graded-ids"], {}, ((), (), ("mode", "gain"))),
    ],
)
def test_what_a_parameter_is_given_that_nobody_says(
    written: str, form: Form, given: dict[str, Any], told: tuple[tuple[str, ...], ...]
) -> None:
    found = ways(eval(f"lambda {written}: 0"), form, "P@5", **given)  # noqa: S307 - our own text
    first = next(iter(found.targets), target())
    assert (first.given, first.defaults, found.foreign) == told


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

    def updated(function: Any, form: Form | None = TORCHMETRICS, **given: Any) -> list[Target]:
        return [each for each in ways(function, form, **given).targets if each.form is TORCHMETRICS]

    of_class = updated(_Torch, a=1)
    assert [(each.container, each.batch) for each in of_class] == [("list", "query"), ("array", "query")]
    of_object = Target("m:f", TORCHMETRICS, THREE, "top_k", known=3)
    assert of_class[0] == replace(of_object, k_made=True, of_class=True, made=("a=1",))
    assert updated(_Torch())[0] == of_object
    two = SimpleNamespace(update=lambda scores, labels: (scores, labels), compute=len)
    assert [(each.container, each.batch) for each in updated(two)] == [
        ("array", TABLE),
        ("list", TABLE),
        ("array", "query"),
        ("list", "query"),
    ]
    assert {(each.order, each.k, each.known) for each in updated(two)} == {(("scores", "labels"), None, 2)}
    unnamed = SimpleNamespace(update=lambda a, scores: (a, scores), compute=len)
    assert updated(unnamed, None) == updated(SimpleNamespace(update=len)) == []
    assert updated(unnamed)[0].order == ("scores", "target")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    assert {each.container for each in updated(two)} == {"tensor"}


# -- forms ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        ("lib.metrics:ndcg", "from lib.metrics import ndcg||"),
        ("lib:Class.method", "from lib import Class||"),
        ("lib-2.x:f", "import importlib|f = importlib.import_module('lib-2.x').f||"),
        ("mine.py:C.of", "import runpy|import sys||sys.path.insert(0, '.')|C = runpy.run_path('mine.py')['C']||"),
        ("a/b.py:f", "import runpy|import sys||sys.path.insert(0, 'a')|f = runpy.run_path('a/b.py')['f']||"),
        ("lib:<lambda>", "function = ...  # yours: '<lambda>' can be imported by no name||"),
        ("__main__:f", ""),
        (":f", ""),
    ],
)
def test_a_function_gets_its_name_as_it_was_named(where: str, lines: str) -> None:
    made = target(name=where)
    asks = f"{lines}ranked_rels = [2]|print({made.spelled}(ranked_rels))|"
    assert call_forms.repro(made, DATA, "q2", None) == asks.replace("|", "\n").rstrip()


def test_what_is_called_as_an_argument_is_not_given_itself() -> None:
    """`ranked(ranked)` would call a list."""
    for name, kind, before, argument in (
        ("lib:ranked_rels", {}, "ranked_rels", "ranked_rels_given"),
        ("lib:ranked_rels", {"of_class": True, "method": "of"}, "ranked_rels().of", "ranked_rels_given"),
        ("lib:ranked_rels.of", {"of_class": True, "method": "of"}, "ranked_rels().of", "ranked_rels_given"),
        ("lib:Kind.ranked_rels", {}, "Kind.ranked_rels", "ranked_rels"),
    ):
        lines = call_forms.repro(replace(target(name=name), **kind), DATA, "q2", None).splitlines()
        assert lines[-2:] == [f"{argument} = [2]", f"print({before}({argument}))"]


@pytest.mark.parametrize(
    ("how", "k", "asks"),
    [
        ({"reads": "item:3", "batch": TABLE}, 5, "f(ranked_rels)"),
        ({"reads": "place"}, None, "f(ranked_rels)"),
        (
            {"k": "ks", "k_listed": True, "several": True, "reads": "asked", "form": QRELS_RUN, "order": ("run",)},
            5,
            "f(run, ks=[7, 3, 5])",
        ),
        ({"k": "ks", "k_listed": True, "k_in": "tensor"}, 5, "f(ranked_rels, ks=torch.tensor([5]))"),
        ({"k": "k", "k_in": "tensor"}, 5, "f(ranked_rels, k=5)"),
        ({"record": ("one", "m:One", "r"), "names": ("r",), "k": "k"}, 5, "f(one=One(r=ranked_rels), k=5)"),
        (
            {"record": ("all", "m:A.One", "r", "[]"), "names": ("r",), "given": ("b=2",)},
            5,
            "f(all=[A.One(r=ranked_rels)], b=2)",
        ),
    ],
)
def test_a_call_is_written_with_the_part_of_its_result_that_is_read(
    how: dict[str, Any], k: int | None, asks: str
) -> None:
    made = replace(target(), **how)
    lines, rels = call_forms.repro(made, DATA, "q2", k).splitlines(), "[[2]]" if made.batch == TABLE else "[2]"
    assert lines[-1] == f"print({asks})"
    assert lines[-2] == f"ranked_rels = {rels}" or made.form is QRELS_RUN
    assert ("import torch" in lines) is ("torch." in asks)
    assert ("from m import A" in lines, "from m import One" in lines) == ("A.One" in asks, "=One" in asks)


def test_asked_once_more_an_object_answers_that_answered_another_question_at_the_cutoff_after_its_reset() -> None:
    resets: list[str] = []

    def used(name: str) -> Any:
        return SimpleNamespace(name=name, reset=lambda: resets.append(name))

    def again(**kept: Any) -> str:
        by_key = {getattr(functions, key.upper()): value for key, value in kept.items()}
        how = target(of_class=True, kept=by_key)
        return str(functions.again_or_made(how, 5, lambda: used("new")).name)

    one, other = (5, used("one")), used("other")
    of_each = [again(), again(object=one), again(object=one, before=(5, other)), again(object=one, before=(3, other))]
    assert of_each == ["new", "one", "other", "one"]
    assert resets == ["one", "other", "one"]


# -- records ----------------------------------------------------------------------------------------------------------------


class _Records:
    """Classes with fields: what stands within another is named with it."""

    class Sample(NamedTuple):
        """Of a query."""

        gold: list[str]
        ranked: list[str]
        note: str = ""

    class Typed(TypedDict):
        """The same as a dict."""

        gold: list[str]
        ranked: list[str]
        note: NotRequired[str]


def test_fields_stand_in_place_of_the_record_that_is_taken() -> None:
    def of_one(k: int, sample: _Records.Sample) -> None: ...

    def of_all(samples: Sequence[_Records.Typed], strict: bool) -> None: ...  # noqa: FBT001

    def alike(sample: _Records.Sample, ranked: list[str]) -> None: ...

    def unknown(sample: "NoSuchThing") -> None: ...  # type: ignore[name-defined] # noqa: F821

    def placed(function: Any) -> list[tuple[tuple[str, ...], list[tuple[str, bool, bool, bool]]]]:
        found = records.fields_in_place(function, parameters_of(function) or ())
        return [(how, [(p.name, p.needed, p.by_name, p.is_field) for p in taken]) for how, taken in found]

    own = [("gold", True, True, True), ("ranked", True, True, True), ("note", False, True, True)]
    in_sample = ("sample", f"{__name__}:_Records.Sample", "gold", "ranked", "note")
    in_typed = ("samples", f"{__name__}:_Records.Typed", "gold", "ranked", "note", records.LIST)
    assert placed(of_one) == [(in_sample, [*own, ("k", True, False, False)])]
    assert placed(of_all) == [(in_typed, [*own, ("strict", True, False, False)])]
    assert placed(alike) == placed(unknown) == []
    given = {"gold": ["a"], "k": 5, "ranked": ["b"]}
    assert records.put_together(of_one, in_sample, given) == {"sample": _Records.Sample(["a"], ["b"]), "k": 5}
    assert records.put_together(of_all, in_typed, given) == {"samples": [{"gold": ["a"], "ranked": ["b"]}], "k": 5}
    assert records.put_together(of_all, (), given) == given
    with pytest.raises(TypeError, match="m:One is no class of other any more"):
        records.put_together(of_one, ("other", "m:One"), given)


# -- which way comes first --------------------------------------------------------------------------------------------------


def test_the_way_whose_arguments_go_by_known_names_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_late(each: Target) -> bool:
        is_rare = each.batch == COLUMN or (each.batch, each.container) == (ALL, "series")
        return each.of_equal_rows or is_rare or "-pairs" in each.container

    found = ways(lambda relevant, ranked, k: (relevant, ranked, k), None)
    first = found.targets[0]
    assert (first.form, first.order, first.known) == (FORMS["ids"], ("relevant", "ranked"), 2)
    known = [each.known for each in found.targets if not is_late(each)]
    assert known == sorted(known, reverse=True)
    assert known[-1] < 2
    late = [is_late(each) for each in found.targets]
    assert late == sorted(late)
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
