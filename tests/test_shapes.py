"""Inputs as people have them: ids in lists and sets, one relevant item a user, frames of every library; three queries, all different."""

from collections.abc import Callable, Mapping
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankproof
from rankproof.evaluating import quick
from rankproof.evaluating.inputs import BadInput

RELEVANT = {"q1": ["c2", "c7"], "q2": ["a"], "q3": ["x", "y", "z"]}
RANKED = {"q1": ["c1", "c2", "c9"], "q2": ["a", "b"], "q3": ["z", "x", "w"]}
SCORED = {query: [(doc, 10.0 - place) for place, doc in enumerate(docs)] for query, docs in RANKED.items()}
# P@2: 1/2, 1/2 and 1. AP: (1/2)/2, 1 and (1 + 1)/3.
WANTED = {"P@2": {"q1": 1 / 2, "q2": 1 / 2, "q3": 1}, "AP": {"q1": 1 / 4, "q2": 1, "q3": 2 / 3}}
BY_PLACE = {"q1": "1", "q2": "2", "q3": "3"}


def rows_of(lists: Mapping[str, list[str]], *names: str) -> dict[str, list[Any]]:
    pairs = [(query, doc) for query, docs in lists.items() for doc in docs]
    return {names[0]: [query for query, _ in pairs], names[1]: [doc for _, doc in pairs]}


def with_scores(*names: str) -> dict[str, list[Any]]:
    return rows_of(RANKED, *names) | {names[2]: [score for docs in SCORED.values() for _, score in docs]}


SHAPES: dict[str, tuple[Any, Any]] = {
    "lists": (RELEVANT, RANKED),
    "sets": ({query: set(docs) for query, docs in RELEVANT.items()}, RANKED),
    "tuples and arrays": ({q: tuple(d) for q, d in RELEVANT.items()}, {q: np.array(d) for q, d in RANKED.items()}),
    "pairs": (RELEVANT, SCORED),
    "hits": (
        {query: dict.fromkeys(docs, 1) for query, docs in RELEVANT.items()},
        {query: [{"corpus_id": doc, "score": score} for doc, score in docs] for query, docs in SCORED.items()},
    ),
    "implicit feedback": (
        pd.DataFrame(rows_of(RELEVANT, "user_id", "item_id") | {"timestamp": range(6)}),
        pd.DataFrame(with_scores("user_id", "item_id", "score")),
    ),
    "MovieLens": (
        pd.DataFrame(rows_of(RELEVANT, "userId", "movieId") | {"rating": [1.0] * 6, "timestamp": range(6)}),
        pd.DataFrame(with_scores("userId", "movieId", "prediction")),
    ),
    "RecBole": (
        pd.DataFrame(rows_of(RELEVANT, "user_id:token", "item_id:token") | {"rating:float": [1.0] * 6}),
        pd.DataFrame(with_scores("user_id:token", "item_id:token", "score:float")),
    ),
    "recommenders": (
        pd.DataFrame(rows_of(RELEVANT, "userID", "itemID") | {"rating": [1] * 6}),
        pd.DataFrame(with_scores("userID", "itemID", "prediction")),
    ),
    "Hugging Face": (
        datasets.Dataset.from_dict(rows_of(RELEVANT, "query_id", "doc_id")),
        datasets.Dataset.from_dict(with_scores("query_id", "doc_id", "score")),
    ),
    "batches of Arrow": (
        pa.RecordBatch.from_pydict(rows_of(RELEVANT, "qid", "docno")),
        pa.RecordBatch.from_pydict(with_scores("qid", "docno", "score")),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("small", [2**14, 0])
def test_the_shapes_that_people_have(shape: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    qrels, run = SHAPES[shape]
    found = rankproof.evaluate(list(WANTED), qrels, run)
    assert {name: dict(values) for name, values in found.per_query.items()} == {
        name: pytest.approx(values) for name, values in WANTED.items()
    }
    assert not found.warnings, "that nobody judged the others is by design"


@pytest.mark.parametrize("kind", [list, set])
def test_lists_of_lists_go_by_place(kind: Callable[[Any], Any]) -> None:
    found = rankproof.evaluate("AP", [kind(docs) for docs in RELEVANT.values()], list(RANKED.values()))
    assert found.per_query["AP"] == pytest.approx({BY_PLACE[query]: ap for query, ap in WANTED["AP"].items()})


def test_one_relevant_item_of_each_user() -> None:
    # Ranks 2, 1 and none.
    wanted = {"u1": 1 / 2, "u2": 1, "u3": 0}
    items, ranked = {"u1": 9, "u2": 4, "u3": 7}, {"u1": [4, 9, 1], "u2": [4, 1], "u3": [1, 2, 3]}
    assert rankproof.evaluate("RR", items, ranked).per_query["RR"] == wanted
    texts = {user: f"i{item}" for user, item in items.items()}
    lists = {user: [f"i{item}" for item in docs] for user, docs in ranked.items()}
    assert rankproof.evaluate("RR", texts, lists).per_query["RR"] == wanted


def test_a_reader_of_arrow_is_one_table() -> None:
    qrels, run = (pa.table(rows) for rows in (rows_of(RELEVANT, "qid", "docno"), with_scores("qid", "docno", "score")))
    qrels, run = (pa.RecordBatchReader.from_batches(t.schema, t.to_batches(max_chunksize=2)) for t in (qrels, run))
    found = rankproof.evaluate(list(WANTED), qrels, run)
    assert {name: dict(values) for name, values in found.per_query.items()} == {
        name: pytest.approx(values) for name, values in WANTED.items()
    }


def test_systems_with_lists() -> None:
    runs = {"one": RANKED, "two": {"q1": ["c7", "c2"], "q2": ["b"], "q3": []}}
    found = rankproof.evaluate("AP", RELEVANT, runs, profile="missing=0")
    assert [dict(one.per_query["AP"]) for one in [found["one"], found["two"]]] == [
        pytest.approx(WANTED["AP"]),
        {"q1": 1, "q2": 0, "q3": 0},
    ]


def test_groups_by_their_sizes() -> None:
    found = rankproof.evaluate("RR", [1, 0, 0, 0, 1, 1], [0.1, 0.9, 0.8, 0.5, 0.3, 0.6], group_sizes=[3, 2, 1])
    assert found.per_query["RR"] == {"1": 1 / 3, "2": 1 / 2, "3": 1}


def test_a_group_of_no_items_is_passed_over() -> None:
    found = rankproof.evaluate("RR", [0, 1, 0, 0, 1], [0.9, 0.1, 0.9, 0.8, 0.7], group_sizes=[2, 0, 3])
    assert found.per_query["RR"] == {"1": 1 / 2, "3": 1 / 3}


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        ({"q": [1, 0]}, {"q": [3, 1]}, "it is not clear whether these lists hold ids of relevant docs or rels"),
        ({"q": [3, 3, 7], "r": [5]}, {"q": [3, 1]}, "it is not clear whether these lists hold ids of relevant docs or rels"),
        ({"q": 1, "r": 1}, {"q": [3, 1]}, "it is not clear"),
        ({"q": [0.5]}, {"q": [3, 1]}, "the qrels, query 'q', item 1: the doc is 0.5"),
        ({"q": None}, {"q": ["a"]}, "the qrels, query 'q': NoneType where a dict of doc and rel, or a list of relevant ids, is needed"),
        ({"q": ["a"]}, {"q": {"a", "b"}}, "the run, query 'q': a set has no order; give a list of ids in rank order"),
        ({"q": ["a"]}, {"q": [0.5, 0.2]}, "the run, query 'q', item 1: 0.5 is no id; scores stand with their docs"),
        ({"q": ["a"]}, {"q": ["a", "b", "a"]}, "doc 'a' stands twice under query 'q'"),
        ({"q": ["a"]}, {"q": [{"corpus_id": "a"}]}, "the run, query 'q', item 1: no score among corpus_id"),
        (pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "relevancy": [0]}), {"u": ["a"]}, "no relevance among user_id, item_id"),
        ([1, 3, None, 12], None, "the rel is None, no number; if these are the ranks of first hits, give"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused_with_the_mend(qrels: Any, run: Any, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate("P@2", qrels, run)
    assert said in str(refused.value)


def test_rows_are_no_lists_of_ids() -> None:
    with pytest.raises(BadInput, match="qrels by row are named tuples"):
        rankproof.evaluate(
            "P@2", [("q", "a", 1), ("q", "b", 0), ("r", "c", 1)], [("q", "a", 3.0), ("q", "b", 2.0), ("r", "c", 1.0)]
        )


def test_docs_that_are_judged_and_not_relevant_make_the_others_worth_a_word() -> None:
    qrels = {"q1": {"c2": 1, "c7": 1}, "q2": {"a": 1, "d": 0}, "q3": {"x": 1}}
    assert [one.kind for one in rankproof.evaluate("P@2", qrels, RANKED).warnings] == ["unjudged"]


@pytest.mark.parametrize(
    ("sizes", "more", "said"),
    [
        ([2, 3], {}, "group_id: 5 where the rels are 4"), ([2, 2], {"group_id": [1, 1, 2, 2]}, "beside group_id"),
        ([2, -2], {}, "-2 is no number of items"), ([True, 3], {}, "True is no number of items"), ([10**9], {}, "items in all"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_fit(sizes: list[int], more: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        rankproof.evaluate("P@2", [1, 0, 1, 0], [0.4, 0.3, 0.2, 0.1], group_sizes=sizes, **more)


def test_a_doc_that_stands_twice_counts_as_the_conventions_say() -> None:
    twice = {"q": ["b", "a", "a"], "r": ["c"], "s": ["d"]}
    relevant = {"q": ["a"], "r": ["c"], "s": ["e"]}
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=first").per_query["AP"]["q"] == 1 / 2
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=last").per_query["AP"]["q"] == 1 / 2
