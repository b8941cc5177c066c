"""What of a result is the answer, and which number, or numbers by query, that is: whatever a function gives, it is read or refused."""

import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from rankproof.calling.given_values import NoNumber, has_none_of, number, picked, read, read_batch
from rankproof.workers.observations import Answered

# -- a number -----------------------------------------------------------------------------------------------------------


def test_what_holds_one_number_or_a_text_that_names_it_is_a_number() -> None:
    of_graph = SimpleNamespace(detach=lambda: np.array(0.5))  # as a tensor is taken from its graph before it is read
    texts = ("ndcg = .5", "MRR@5: 5e-1", ["P: 0.5"])
    halves = (0.5, np.float32(0.5), np.array([0.5]), np.array(0.5), [0.5], of_graph, *texts)
    assert [number(v) for v in (1, True, *halves)] == [1, 1, *[0.5] * len(halves)]


class Unreadable:
    """What raises an error instead of being a number, or a text."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __float__(self) -> float:
        raise self.error

    def __repr__(self) -> str:
        raise self.error


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb", r"'a\nb'"),
        (SimpleNamespace(a="  "), "namespace(a=' ')"),
        ("a" * 99, "'aaa"),
        *(
            (Unreadable(error), "something that cannot be shown, which is no number")
            for error in (TypeError, ValueError)
        ),
    ],
)
def test_what_was_given_is_shown_in_one_short_line(value: object, shown: str) -> None:
    with pytest.raises(NoNumber) as no_number:
        number(value)
    said = str(no_number.value)
    assert said.startswith(f"it gave {shown}")
    assert len(said) < 99


def test_a_coroutine_is_said_to_be_one_and_ends() -> None:
    async def scored() -> float:
        return 0.5

    given = scored()
    said = "^it is async and gave a coroutine; name a function that runs it, as by asyncio.run$"
    with pytest.raises(NoNumber, match=said):
        number(given)
    with pytest.raises(RuntimeError, match="already awaited"):
        given.send(None)


# -- the part of a result that is the answer ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "reads", "k", "said"),
    [
        ([0.1], "place", None, "[0.1], which has no entry -1"),
        ([0.1, 0.2], "place", 3, "[0.1, 0.2], which has no entry 2"),
        (0.5, "item:0", 1, "0.5, which has no entry 0"),
        ([1, 2, 3, 4, 5], "item:2", 1, "[1, 2, 3, 4, 5], which has no entry 2"),
        ([1, 2, 3, 4], "item:4", 1, "[1, 2, 3, 4], which has no entry 4"),
        ([1, 2], "asked", 5, "[1, 2], which has no value for each of 3 cutoffs"),
        ("a" * 58, "attr:mean", 5, f"{'a' * 58!r}, which has no mean"),
        ("a" * 60, "attr:mean", 5, f"'{'a' * 56}…, which has no mean"),
        ([1], "cutoff", 5, "[1], which has no keys"),
        (
            {"a": [1, 2, 3], "b": [1]},
            "asked",
            5,
            "{'a': [1, 2, 3], 'b': [1]}, which has no value for each of 3 cutoffs",
        ),
        ({"ndcg@5": 1, "ndcg_5": 2}, "name:ndcg", 5, "a dict of ndcg@5, ndcg_5, of which 2 are what is asked"),
    ],
)
def test_what_has_no_entry_there_is_not_read_and_shown(value: object, reads: str, k: int | None, said: str) -> None:
    with pytest.raises(NoNumber, match=f"^it gave {re.escape(said)}$"):
        picked(value, reads, k)


@dataclass
class OfFields:
    """Metrics as fields, and a dict of those at several cutoffs."""

    precision_at_k: float
    reciprocal_rank: float
    ndcg: dict[str, float]


class OfTuple(NamedTuple):
    """The same as a tuple."""

    mrr: float
    recall_at_5: float
    precision: float


class OfModel:
    """The same as pydantic has them."""

    __slots__ = ()

    def model_dump(self) -> dict[str, float]:
        """As its name says."""
        return {"hit_rate": 0.5, "mrr": 0.25, "map": 0.75}


@pytest.mark.parametrize(
    ("value", "name", "k", "read"),
    [
        *(
            (OfFields(0.2, 0.3, {"ndcg@5": 0.4, "ndcg@10": 0.6}), name, 5, value)
            for name, value in (("precision", 0.2), ("reciprocalrank", 0.3), ("recall", None))
        ),
        (OfFields(0.2, 0.3, {"map@5": 0.4, "map@10": 0.6}), "map", 10, 0.6),
        *((OfTuple(0.2, 0.3, 0.4), name, 5, value) for name, value in (("mrr", 0.2), ("recall", 0.3), ("ndcg", None))),
        (OfTuple(0.2, 0.3, 0.4), "recall", 10, None),
        *((OfModel(), name, None, value) for name, value in (("hitrate", 0.5), ("map", 0.75), ("p", None))),
        *(
            (SimpleNamespace(ndcg_at_5=0.2, p=0.3, ap=0.4), name, 5, value)
            for name, value in (("ndcg", 0.2), ("ap", 0.4), ("rr", None))
        ),
        (OfFields, "precision", 5, None),
        (0.5, "p", 5, None),
        ("p", "p", 5, None),
    ],
)
def test_what_an_object_holds_by_name_is_read_as_what_a_dict_does(
    value: object, name: str, k: int | None, read: float | None
) -> None:
    if read is None:
        with pytest.raises(NoNumber):
            picked(value, f"name:{name}", k)
    else:
        assert picked(value, f"name:{name}", k) == read
    of_name = [has_none_of(value, f"{kind}:{name}") for kind in ("name", "attr")]
    is_held = not isinstance(value, float | str | type)
    assert of_name == [is_held and read is None and k != 10, False]


# -- a list of queries --------------------------------------------------------------------------------------------------


ONE, TWO = ["a"], ["a", "b"]


@pytest.mark.parametrize(
    ("given", "reads", "queries", "k", "answer"),
    [
        ([0.5, 1], "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ([0.5], "", ONE, 2, Answered({"a": 0.5}, None)),
        ([0.5], "", TWO, 2, Answered(None, 0.5)),
        (0.5, "", TWO, 2, Answered(None, 0.5)),
        ([[0.1, 0.5], [0.2, 1.0]], "place", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ([[0.4, 0.1, 0.2], [0.4, 0.1, 0.3]], "asked", TWO, 2, Answered({"a": 0.2, "b": 0.3}, None)),
        ([0.1, 0.2], "place", TWO, 2, Answered(None, 0.2)),
        ([0.1, 0.2, 0.3], "place", TWO, 2, Answered(None, 0.2)),
        ([[0.1, 0.5], [0.2, 1.0]], "item:1", TWO, 2, Answered({"a": 0.2, "b": 1.0}, None)),
        ([[0.1], [0.5, 0.7], [0.9]], "place", TWO, 2, Answered({"a": 0.5, "b": 0.7}, None)),
        (
            [[0.25, 0.5, 1.0], [0.1, 0.2, 0.3]],
            "place",
            ["a", "b", "c"],
            1,
            Answered({"a": 0.25, "b": 0.5, "c": 1.0}, None),
        ),
        (([0.5, 1.0], 0.75), "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, 0.75)),
        ((0.5, 1.0), "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"ndcg@2": 0.2, "map@2": 0.3}, "name:ndcg", TWO, 2, Answered(None, 0.2)),
        ({"x": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"mean": 0.75, "x": 0.1}, "", TWO, 2, Answered(None, 0.75)),
        ({"values": [0.5, 1.0], "x": 0.1}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"avg": 0.75, "scores": 0.1, "details": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, 0.75)),
        ({"result": 0.1, "score": 0.2}, "", TWO, 2, Answered(None, 0.2)),
        ({"per_query": [], "values": [0.5, 1.0], "mean": 0.75}, "", [], 2, Answered({}, 0.75)),
        ({"overall": 0.1, "mean": 0.2, "value": 0.3}, "", TWO, 2, Answered(None, 0.2)),
        ({"details": [0.1, 0.2], "per_query": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
    ],
)
def test_what_is_given_for_a_list_of_queries(
    given: object, reads: str, queries: list[str], k: int, answer: Answered
) -> None:
    assert read_batch(given, reads, queries, k) == answer


@pytest.mark.parametrize(
    ("given", "reads", "said"),
    [
        ({"recall": 0.1, "ndcg": 0.2}, "", "it gave a dict of recall, ndcg; let it give one measure"),
        ({"score": [0.5, 1.0, 2.0], "x": 1}, "", "it gave [0.5, 1.0, 2.0], which is no number"),
        ({"values": [0.5, 1.0, 2.0], "x": 1}, "", "it gave 3 values for 2 queries"),
        (([0.5, 1.0, 2.0], 0.75), "", "it gave 3 values for 2 queries"),
        ([], "", "it gave [], which is no number"),
        ([[0.4, 0.1, 0.2]] * 3, "asked", "it gave 3 lists, and not one for each query"),
    ],
)
def test_what_is_given_for_a_list_of_queries_and_cannot_be_read(given: object, reads: str, said: str) -> None:
    with pytest.raises(NoNumber, match=f"^{re.escape(said)}$"):
        read_batch(given, reads, TWO, 2)


# -- all queries --------------------------------------------------------------------------------------------------------

OF_TWO, OF_THREE = ("q1", "q2"), ("1", "2", "3")


@pytest.mark.parametrize(
    ("given", "reads", "queries", "found"),
    [
        ({"q1": 0.5, "q2": 1}, "", OF_TWO, Answered({"q1": 0.5, "q2": 1.0}, None)),
        ((0.25, {"q1": 0.5}), "", OF_TWO, Answered({"q1": 0.5}, 0.25)),
        (({"q1": 0.5}, 0.25), "", OF_TWO, Answered({"q1": 0.5}, 0.25)),
        ({"q1": {"ndcg": 0.5}}, "", OF_TWO, Answered({"q1": 0.5}, None)),
        ({"ndcg": {"q1": 0.5}, "map": {"q1": 1.0}}, "name:ndcg", OF_TWO, Answered({"q1": 0.5}, None)),
        ({1: 0.5}, "", OF_TWO, Answered(None, 0.5)),
        ({}, "", OF_TWO, Answered({}, None)),
        ({}, "asked", OF_TWO, Answered({}, None)),
        ([0.5, 1.0], "by-qrels", OF_TWO, Answered({"q1": 0.5, "q2": 1.0}, None)),
        ([0.5, 1.0], "by-run", OF_TWO, Answered({"q2": 0.5, "q1": 1.0}, None)),
        ({"MRR@10": [0.5, 1.0]}, "by-qrels", OF_TWO, Answered({"q1": 0.5, "q2": 1.0}, None)),
        ({"ndcg@5": 0.1, "ndcg@2": 0.2, "map@2": 0.3}, "name:ndcg", OF_TWO, Answered(None, 0.2)),
        ({"q1": {"ndcg@5": 0.1, "ndcg@2": 0.2}}, "name:ndcg", OF_TWO, Answered({"q1": 0.2}, None)),
        ((0.1, 0.2), "item:1", OF_TWO, Answered(None, 0.2)),
        (({"q1": 0.5}, {"q1": 1.0}), "item:0", OF_TWO, Answered({"q1": 0.5}, None)),
        (SimpleNamespace(to_dict=lambda: {"q1": 0.5}), "", OF_TWO, Answered({"q1": 0.5}, None)),
        (SimpleNamespace(mean=0.5), "attr:mean", OF_TWO, Answered(None, 0.5)),
        ({1: 0.25, 2: 0.5}, "cutoff", OF_TWO, Answered(None, 0.5)),
        # 5 is no query, so that these are cutoffs; without it they are queries, as where none is there.
        ({"1": 0.1, "2": 0.3, "5": 0.5}, "cutoff", OF_THREE, Answered(None, 0.3)),
        ({"1": {"ndcg": 0.1}, "2": {"ndcg": 0.3}, "5": {"ndcg": 0.5}}, "cutoff", OF_THREE, Answered(None, 0.3)),
        (
            {"1": {"2": 0.1, "1": 0.2}, "3": {"2": 0.3, "1": 0.4}},
            "cutoff",
            OF_THREE,
            Answered({"1": 0.1, "3": 0.3}, None),
        ),
        ({"x": 0.5, "y": 1.0}, "", (), Answered({"x": 0.5, "y": 1.0}, None)),
        (
            {"per_query": {"q2": 0.5, "q1": 1.0}, "mean": 0.75, "n": 2},
            "",
            OF_TWO,
            Answered({"q2": 0.5, "q1": 1.0}, 0.75),
        ),
        ({"scores": {"q1": 1.0}, "k": 5}, "", OF_TWO, Answered({"q1": 1.0}, None)),
        # A cutoff may be called as a query is; queries go by texts.
        ({"recall": {1: 0.25, 2: 0.5, 3: 0.75}, "map": {2: 1.0}}, "name:recall", OF_THREE, Answered(None, 0.5)),
        (
            {1: {"recall": 0.25, "map": 0.1}, 2: {"recall": 0.5, "map": 0.2}},
            "name:recall",
            OF_THREE,
            Answered(None, 0.5),
        ),
        ({1: {"recall": 0.25}, 2: {"recall": 0.5}}, "cutoff", OF_THREE, Answered(None, 0.5)),
        (
            {"1": {"r": 0.25, "map": 0.1}, "2": {"r": 0.5, "map": 0.2}},
            "name:r",
            OF_THREE,
            Answered({"1": 0.25, "2": 0.5}, None),
        ),
        ({"f1": 0.25, "f2": 0.5}, "name:f1", OF_TWO, Answered(None, 0.25)),
    ],
)
def test_an_answer_to_all_queries_is_read_however_it_is_given(
    given: Any, reads: str, queries: tuple[str, ...], found: Answered
) -> None:
    assert read(given, queries, reads, 2, queries[::-1]) == found


@pytest.mark.parametrize(
    ("given", "reads", "why"),
    [
        ({"a": 1, "b": 2}, "", "none of which is a query; let it give one measure"),
        *(
            (told, "", "none of which is a query; let it give one measure")
            for told in (
                {"mean": 1, "score": 2},
                {"per_query": {"q1": 1}, "scores": {"q1": 2}},
                {"per_query": 1, "n": 2},
                {"per_query": {"q1": 1}, "mean": 1, "score": 2},
                {"recall": 1, "mean": 2},
                {"std": 1, "mean": 2},
            )
        ),
        ({"q1": {"ndcg": 1, "map": 2}}, "", "it gave ndcg, map for a query; let it give one measure"),
        ({"q1": "half"}, "", "which is no number"),
        ([0.5], "by-qrels", "it gave 1 values for 2 queries"),
        *((told, "name:recall", "0 are what is asked") for told in ({"recall": {1: 0.5, 3: 1}}, {1: {"recall": 0.5}})),
        (0.5, "by-run", "it gave 0 values for 2 queries"),
        (0.5, "attr:mean", "it gave 0.5, which has no mean"),
        *(
            (two, "", f"^it gave {re.escape(repr(two))}, two values for one$")
            for two in (({"q1": 0.5}, {"q1": 1.0}), (0.5, 1.0))
        ),
    ],
)
def test_an_answer_that_can_be_read_in_no_way_is_refused(given: Any, reads: str, why: str) -> None:
    with pytest.raises(NoNumber, match=why):
        read(given, OF_TWO, reads, 2, ("q2", "q1"))
