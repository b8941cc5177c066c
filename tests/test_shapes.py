"""Inputs as people have them: ids in lists and sets, one relevant item a user, frames of every library; three queries, all different."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankproof
from rankproof.evaluating import quick
from rankproof.evaluating.inputs import BadInput, lists

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


SHAPES["batches in lists"] = tuple(
    pa.table(rows).to_batches(max_chunksize=2)
    for rows in (rows_of(RELEVANT, "qid", "docno"), with_scores("qid", "docno", "score"))
)  # type: ignore[assignment]
SHAPES["batches as they come"] = SHAPES["batches in lists"]
SHAPES["rows as objects"] = tuple(table.to_pylist() for table in SHAPES["batches of Arrow"])  # type: ignore[assignment]
SHAPES["a dataset as it comes"] = tuple(one.to_iterable_dataset() for one in SHAPES["Hugging Face"])  # type: ignore[assignment]
BATCH = SHAPES["batches of Arrow"][0]
QUESTIONS = [
    {"query_id": query, "retrieved_ids": RANKED[query], "relevant_ids": RELEVANT[query]} for query in ("q1", "q2", "q3")
]
"""Both lists in one row, so that it goes alone."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("small", [2**14, 0])
def test_the_shapes_that_people_have(shape: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    qrels, run = map(iter, SHAPES[shape]) if "as they come" in shape else SHAPES[shape]
    found = rankproof.evaluate(list(WANTED), qrels, run)
    assert {name: dict(values) for name, values in found.per_query.items()} == {
        name: pytest.approx(values) for name, values in WANTED.items()
    }
    assert not found.warnings, "that nobody judged the others is by design"


@pytest.mark.parametrize(
    "kind",
    [
        list,
        pa.Table.from_pylist,
        pd.DataFrame,
        datasets.Dataset.from_list,
        lambda rows: {key: [row[key] for row in rows] for key in rows[0]},
    ],
)
def test_rows_with_both_lists_go_alone(kind: Callable[[Any], Any]) -> None:
    found = rankproof.evaluate(list(WANTED), kind(QUESTIONS))
    assert {name: dict(values) for name, values in found.per_query.items()} == {
        name: pytest.approx(values) for name, values in WANTED.items()
    }


@pytest.mark.parametrize("written", [str, json.dumps])
def test_lists_in_the_fields_of_a_csv_are_lists(written: Callable[[Any], str], tmp_path: Path) -> None:
    rows = [{key: value if key == "query_id" else written(value) for key, value in row.items()} for row in QUESTIONS]
    pd.DataFrame(rows).to_csv(tmp_path / "rag.csv", index=False)
    assert rankproof.evaluate("AP", str(tmp_path / "rag.csv")).per_query["AP"] == pytest.approx(WANTED["AP"])


def test_a_csv_of_a_spreadsheet_has_semicolons_and_its_commas_are_refused(tmp_path: Path) -> None:
    qrels, run = (str(tmp_path / name) for name in ("qrels.csv", "run.csv"))
    pd.DataFrame(rows_of(RELEVANT, "query", "doc")).to_csv(qrels, sep=";", index=False, encoding="utf-8-sig")
    frame = pd.DataFrame(with_scores("query", "doc", "score"))
    frame.to_csv(run, sep=";", index=False, encoding="utf-8-sig")
    assert rankproof.evaluate("AP", qrels, run).per_query["AP"] == pytest.approx(WANTED["AP"])
    frame.to_csv(run, sep=";", index=False, decimal=",")
    with pytest.raises(
        BadInput, match=r"run\.csv:2: the score '10,0' is no number: .*pandas\.read_csv\(…, decimal=','\)"
    ):
        rankproof.evaluate("AP", qrels, run)


def test_ranks_without_a_head_are_told_from_other_whole_numbers(tmp_path: Path) -> None:
    run = tmp_path / "run.tsv"
    run.write_text(
        "".join(
            f"{q}\t{doc}\t{place}\n" for q, docs in RANKED.items() for place, doc in reversed([*enumerate(docs, 1)])
        )
    )
    assert rankproof.evaluate("AP", RELEVANT, str(run)).per_query["AP"] == pytest.approx(WANTED["AP"])
    run.write_text("q1\tc1\t1\nq1\tc2\t2\nq2\ta\t7\nq3\tz\t1\n")
    with pytest.raises(BadInput, match=r"run\.tsv:1: no line names the columns, and query 'q2' has no rank 1"):
        rankproof.evaluate("AP", RELEVANT, str(run))


def test_what_is_to_be_given_for_ranks_of_first_hits_serves() -> None:
    ranks = [1, 3, None, 12]
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate("RR", ranks)
    given = str(refused.value).partition("give ")[2].partition(", and R=1")[0]
    found = rankproof.evaluate(["RR", "Success@10"], eval(given, {"ranks": ranks}), R=1)  # noqa: S307 - our own words
    assert found.mean == {"RR": pytest.approx((1 + 1 / 3 + 1 / 12) / 4), "Success@10": 1 / 2}


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


@pytest.mark.parametrize("read", [lambda reader: reader, iter, lambda reader: (batch for batch in reader)])
def test_a_reader_of_arrow_is_one_table(read: Callable[[pa.RecordBatchReader], Any]) -> None:
    tables = (pa.table(rows) for rows in (rows_of(RELEVANT, "qid", "docno"), with_scores("qid", "docno", "score")))
    qrels, run = (read(pa.RecordBatchReader.from_batches(t.schema, t.to_batches(max_chunksize=2))) for t in tables)
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


def test_numbers_beside_texts_are_ids() -> None:
    """Were all lists of 0 and 1, these might be rels: of the first query the second doc is relevant, of the second the first."""
    found = rankproof.evaluate("RR", {"q": ["a", "b"], "r": [0, 1]}, {"q": ["x", "b"], "r": [1, 7]})
    assert found.per_query["RR"] == {"q": 1 / 2, "r": 1}


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
        ({"q": ["a"]}, {"p": ["a"], "q": ["a", "b", "a"], "r": ["b"]}, "doc 'a' stands twice under query 'q'"),
        ({"q": ["a"]}, {"q": [{"corpus_id": "a"}]}, "the run, query 'q', item 1: no score among corpus_id"),
        (pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "relevancy": [0]}), {"u": ["a"]}, "no relevance among user_id, item_id"),
        ([1, 3, None, 12], None, "the rel is None, no number; if these are the ranks of first hits, give"),
        (np.array([1, 3, np.inf]), None, "the rel is inf, no number; if these are the ranks of first hits, give"),
        ([1, 3, 12], None, "none of 3 is 0, and 12 is no usual rel; if these are the ranks of first hits, give"),
        (np.array([7, 1]), None, "none of 2 is 0, and 7 is no usual rel; if these are the ranks of first hits, give"),
        (pd.Series([1, 1, 40, 2]), None, "if they are the rels of one ranking, give [rels], a list of that list, as [[1, 1, 40, 2]]"),
        ({"q": 2, "r": None, "s": 7}, None, "it is missing; if these are the ranks of first hits, give"),
        (datasets.DatasetDict({"test": datasets.Dataset.from_dict({"qid": ["q"]})}), {"q": ["a"]}, "(test); give one, as dataset['test']"),
        ([BATCH, BATCH.rename_columns(["qid", "doc"])], {"q": ["a"]}, "batches of qid, docno, and the columns qid, doc among them"),
        ({"q": ["a"]}, [BATCH, {"q": ["a"]}], "batches of qid, docno, and a dict among them"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_refused_with_the_mend(qrels: Any, run: Any, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate("P@2", qrels, run)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("rels", "run", "found"),
    [
        ([[1, 3, 12]], None, 1.0),  # one ranking, as it says
        ([0, 12, 3], None, 0.5),  # 0 is no rank
        ([3, 2, 4], None, 1.0),  # what rels are
        ([1, 3, 12], [0.1, 0.2, 0.3], 1.0),  # each has its score
        ([12], None, 1.0),
        ([9.5, 1.0], None, 1.0),  # no rank is a fraction
        ([True, 9], None, 1.0),  # nor a truth
    ],
)
def test_rels_that_are_no_ranks_are_taken_as_they_are(rels: list[Any], run: list[float] | None, found: float) -> None:
    assert rankproof.evaluate("RR", rels, run).mean["RR"] == found


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


def test_as_many_items_as_there_may_be_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST_RELEVANT", 3)
    assert lists.grouped([1, 2], None) == [1, 2, 2]
    with pytest.raises(BadInput, match="more than 3 items in all"):
        lists.grouped([1, 2, 1], None)
    assert rankproof.evaluate("R", [1, 0], R=3).mean["R"] == 1 / 3
    with pytest.raises(BadInput, match="more than 3 relevant docs"):
        rankproof.evaluate("R", [1, 0], R=4)


def test_a_doc_that_stands_twice_counts_as_the_conventions_say() -> None:
    twice = {"q": ["b", "a", "x", "a"], "r": ["c"], "s": ["d"]}
    relevant = {"q": ["a"], "r": ["c"], "s": ["e"]}
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=first").per_query["AP"]["q"] == 1 / 2
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=last").per_query["AP"]["q"] == 1 / 3
