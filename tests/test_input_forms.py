"""The forms of input that people have and that are no plain qrels and run: several runs, lists, frames, files with a header."""

import gzip
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import refusing

import rankproof
from rankproof.evaluate import quick
from rankproof.evaluate.inputs import BadInput, lists, read_qrels, read_run
from rankproof.evaluate.inputs.foreign_frames import as_tables
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
FIRST, SECOND = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
Written = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Written:
    def written(content: str | bytes, name: str) -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


refusal = partial(refusing.refusal, rankproof.evaluate)


# -- several runs ------------------------------------------------------------------------------------------------------


def test_a_mapping_of_systems_is_answered_by_system() -> None:
    results = rankproof.evaluate(["AP", "P@1"], QRELS, {"first": FIRST, "second": read_run(SECOND)})
    assert results.mean["AP"] == {"first": 0.5, "second": 0.75}
    assert results.mean["MAP"] == results.mean["AP"]
    assert results["first"] == rankproof.evaluate(["AP", "P@1"], QRELS, FIRST)
    assert (list(results), len(results)) == (["first", "second"], 2)
    assert results.signature == results["first"].signature
    with pytest.raises(KeyError, match="third"):
        results["third"]


def test_a_query_called_as_a_column_is_a_query_of_each_run() -> None:
    runs = [{"query": {"a": 1.0}}, {"query": {"b": 1.0}}, {"query": {"b": 2.0, "a": 1.0}}]
    assert rankproof.evaluate("RR", {"query": {"a": 1}}, runs).mean["RR"] == {"run1": 1, "run2": 0, "run3": 1 / 2}


def test_what_was_measured_of_some_systems_stands_where_it_was_asked() -> None:
    first, second = (rankproof.evaluate(asked, QRELS, FIRST) for asked in (["AP"], ["RR", "P@1", "AP"]))
    results = rankproof.Results({"first": first, "second": second})
    assert list(results.to_frame().columns) == ["RR", "P@1", "AP"]
    assert results.mean["P@1"] == {"second": second.mean["P@1"]}
    assert [*results.signature] == [*results.taken] == ["RR", "P@1", "AP"]


def test_several_runs_make_a_frame_with_a_row_a_system_or_a_system_and_query() -> None:
    results = rankproof.evaluate(["MAP", "P@1"], QRELS, {"first": FIRST, "second": SECOND})
    frame = results.to_frame()
    assert (list(frame.index), list(frame.columns), frame.index.name) == (["first", "second"], ["MAP", "P@1"], "system")
    assert frame.to_numpy().tolist() == [[0.5, 0.5], [0.75, 0.5]]
    by_query = results.to_frame(per_query=True)
    assert by_query.index.names == ["system", "query"]
    assert by_query["MAP"].to_dict() == {
        ("first", "q1"): 1.0,
        ("first", "q2"): 0.0,
        ("second", "q1"): 0.5,
        ("second", "q2"): 1.0,
    }


SAY = "say what they are called by columns={'system': …}"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (FIRST, "the run: a dict of dict has no column of systems; give a dict of lists, a frame or a file"),
        ({"query": [0], "docid": ["a"]}, f"the run: no system among query, docid; {SAY}"),
        ({"query": [0], "docid": "a"}, "the run: 'docid' is no list, as the column 'query' is; give a list for each"),
        ({"query": [0], "system": [1]}, "the run, row 1: the system is 1, no text"),
        (7, "the run: int is no dict of lists, frame, path or list of named tuples"),
        ([("a", "b")], f"the run, row 1: no system among tuple; {SAY}"),
    ],
)
def test_what_cannot_be_parted_is_refused(run: Any, message: str) -> None:
    assert refusing.refusal(rankproof.by_system, run).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("caf\xe9 Q0 a 1 2 x", r"'caf\xe9' is not UTF-8"),
        ("q Q0 caf\xe9 1 2 x", r"'caf\xe9' is not UTF-8"),
        ("q Q0 a 1 2 caf\xe9", r"'caf\xe9' is not UTF-8"),
        ("q Q0 a 1 high x", "the score 'high' is no number"),
        ("q Q0 a 1 2", "5 fields where 6 are needed"),
    ],
)
def test_a_bad_line_of_a_file_to_be_parted_is_named(line: str, message: str, file: Written) -> None:
    path = file(f"q Q0 b 1 2 x\n{line}\n".encode("latin1"), "run.txt")
    assert refusing.refusal(rankproof.by_system, path).startswith(f"{path}:2: {message}")


# -- lists of rels -----------------------------------------------------------------------------------------------------


def test_ties_without_docids_are_refused_where_an_id_would_decide() -> None:
    assert "the scores, query '2': items 1 and 2 are tied" in refusal("P@1", [[1, 0], [1, 0]], [[2, 1], [1, 1]])
    assert "ties=docid-asc" in refusal("P@1", [1, 0], [1, 1], profile="ties=docid-asc")
    nearly = [1, 1 + 1e-9]
    assert "are tied" in refusal("P@1", [1, 0], nearly, profile="score=f32")
    assert rankproof.evaluate("P@1", [0, 1], nearly).mean["P@1"] == 1.0
    assert rankproof.evaluate("P@1", [1, 1, 0], [1, 1, 0]).mean["P@1"] == 1.0, "alike but for their ids"
    assert "items 2 and 3 are tied" in refusal("P@1", [0, 1, 0], [-1, 2, 2], profile="score_sign=positive")
    for none_is_retrieved in ([-1, -1], [0, 0]):
        found = rankproof.evaluate("P@1", [1, 0], none_is_retrieved, profile="score_sign=positive")
        assert found.mean["P@1"] == 0.0
    for ties, value in (("input", 1.0), ("input-reversed", 0.0), ("expectation", 0.5), ("worst", 0.0)):
        assert rankproof.evaluate("P@1", [1, 0], [1, 1], profile=f"ties={ties}").mean["P@1"] == value
    assert rankproof.evaluate("P@1", [1, 0], [1, 1], profile="order=input").mean["P@1"] == 1.0


def test_series_in_another_order_are_refused() -> None:
    y, y_hat = pd.Series([1, 0], index=["a", "b"]), pd.Series([0.1, 0.2], index=["b", "a"])
    other = "its index is not that of the other series"
    assert refusal("RR", y, [0.1, 0.2], group_id=y_hat).startswith(f"group_id: {other}")
    assert refusal("RR", y, y_hat).startswith(f"the scores: {other}; align them")
    assert rankproof.evaluate("RR", y, y_hat[y.index]).mean["RR"] == 1.0
    assert rankproof.evaluate("RR", y, y_hat.to_numpy()).mean["RR"] == 0.5


# -- a similarity matrix -----------------------------------------------------------------------------------------------

SIMILAR = [[1, 0.3, 0.7], [0.3, 1, 0.1], [0.7, 0.1, 1]]


def test_an_item_of_a_matrix_is_no_doc_of_its_own() -> None:
    """0 finds 2 first, 1 finds 0, and 2 finds 0: only 1 finds its like."""
    blank = [[math.nan if i == j else value for j, value in enumerate(row)] for i, row in enumerate(SIMILAR)]
    assert list(rankproof.evaluate("CG@1", ["a", "a", "b"], blank).per_query["CG@1"].values()) == [0.0, 1.0, 0.0]


def test_bad_frames_of_similarities_are_refused() -> None:
    turned = pd.DataFrame([[1, 2], [2, 1]], index=["x", "y"], columns=["y", "x"])
    assert refusal("CG@1", ["a", "b"], turned).startswith("the matrix: its columns are not in the order of its rows")
    twice = pd.DataFrame([[1, 2], [2, 1]], index=["x", "x"])
    assert refusal("CG@1", ["a", "b"], twice) == "the index of the matrix: an item stands there twice"
    with pytest.raises(Rejected, match="short=rejected"):
        rankproof.evaluate("CG@3", ["a", "a", "b"], SIMILAR, profile="notebook-similarity")


# -- files whose first line names the columns --------------------------------------------------------------------------

CSV = "query_id,doc_id,relevance\nq1,a,2\nq1,b,0.5\nq2,a,-1\n"
SAME = {"q1": [Judgment("a", 2), Judgment("b", 0.5)], "q2": [Judgment("a", -1)]}


@pytest.mark.parametrize(
    ("content", "name", "separator"),
    [
        (CSV, "QRELS.CSV", None),
        (gzip.compress(CSV.encode(), mtime=0), "qrels.csv.gz", None),
        (CSV.replace(",", ", ").replace("\n", "\r\n\r\n"), "qrels.csv", None),
        (CSV.replace(",", "\t"), "qrels.txt", "tab"),
        (CSV.replace(",", "\t"), "qrels.txt", "\\t"),
        (CSV.replace(",", ";"), "qrels", ";"),
        ("q1\t0\ta\t2\nq1\t0\tb\t0.5\nq2\t0\ta\t-1\n", "qrels.tsv", None),
        ("q1 0 a 2\nq1 0 b 0.5\nq2 0 a -1\n", "qrels.txt", "|"),
    ],
)
def test_the_same_qrels_however_they_are_separated(
    file: Written, content: str | bytes, name: str, separator: str | None
) -> None:
    assert read_qrels(file(content, name), separator=separator).of == SAME


def test_an_id_may_hold_a_quoted_separator_or_nothing(file: Written) -> None:
    rows = read_run(file('query_id,doc_id,score,rank\nq,"a,b",1,x\nq,,2,y\nq,"c ""d""",3,z\n', "run.csv"))
    assert rows.of == {"q": [QueryRow("a,b", 1.0), QueryRow("", 2.0), QueryRow('c "d"', 3.0)]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q,a,1\nq,b,0.5\nq,c,0,25\n", ":4: 4 fields where the first line names 3 columns"),
        ("q,a,high\n", ":2: the score 'high' is no number"),
        ("q,a,nan\n", ":2: the score is nan, no number"),
        ("q,a,\n", ":2: the score '' is no number"),
        ('q,"a,1\n', ":2: the fields do not read: unexpected end of data"),
        ("q,caf\xe9,1\n", ":2: 'q,caf\\xe9,1"),
    ],
)
def test_a_bad_separated_file_is_refused_with_line_and_mend(file: Written, content: str, message: str) -> None:
    path = file(f"query_id,doc_id,score\n{content}".encode("latin1"), "run.csv")
    with pytest.raises(BadInput) as refused:
        read_run(path, None, Conventions())
    assert f"run.csv{message}" in str(refused.value)


@pytest.mark.parametrize("separator", ["||", "", '"', "\n"])
def test_a_separator_is_one_character(file: Written, separator: str) -> None:
    with pytest.raises(BadInput, match="is not one character that separates fields, as ',' or"):
        read_qrels(file(CSV, "qrels.csv"), separator=separator)


# -- ids in lists, one relevant item a user, frames of every library: three queries, all different --------------------------

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


def assert_wanted(found: Any) -> None:
    assert {name: dict(values) for name, values in found.per_query.items()} == {
        name: pytest.approx(values) for name, values in WANTED.items()
    }


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
    "batches of Arrow": (
        pa.RecordBatch.from_pydict(rows_of(RELEVANT, "qid", "docno")),
        pa.RecordBatch.from_pydict(with_scores("qid", "docno", "score")),
    ),
}


SHAPES["batches in lists"] = tuple(
    pa.table(rows).to_batches(max_chunksize=2)
    for rows in (rows_of(RELEVANT, "qid", "docno"), with_scores("qid", "docno", "score"))
)  # type: ignore[assignment]
SHAPES["batches as they come"] = SHAPES["batches in lists"]
SHAPES["rows as objects"] = tuple(table.to_pylist() for table in SHAPES["batches of Arrow"])  # type: ignore[assignment]
BATCH = SHAPES["batches of Arrow"][0]
QUESTIONS = [
    {"query_id": query, "retrieved_ids": RANKED[query], "relevant_ids": RELEVANT[query]} for query in ("q1", "q2", "q3")
]
"""Both lists in one row, so that it goes alone."""


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {key: [row[key] for row in rows] for key in rows[0]}


def of_hugging_face(columns: dict[str, list[Any]]) -> Any:
    import datasets  # here, as it takes seconds in each process that collects the tests

    return datasets.Dataset.from_dict(columns)


def shaped(shape: str) -> Iterable[Any]:
    """Qrels and a run of this shape."""
    if shape in SHAPES:
        return map(iter, SHAPES[shape]) if "as they come" in shape else SHAPES[shape]
    both = (rows_of(RELEVANT, "query_id", "doc_id"), with_scores("query_id", "doc_id", "score"))
    tables = map(of_hugging_face, both)
    return tables if shape == "Hugging Face" else (table.to_iterable_dataset() for table in tables)


@pytest.mark.parametrize("shape", [*SHAPES, "Hugging Face", "a dataset as it comes"])
@pytest.mark.parametrize("small", [2**14, 0])
def test_the_shapes_that_people_have(shape: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    qrels, run = shaped(shape)
    found = rankproof.evaluate(list(WANTED), qrels, run)
    assert_wanted(found)
    assert not found.warnings, "that nobody judged the others is by design"


@pytest.mark.parametrize(
    "kind", [list, pa.Table.from_pylist, pd.DataFrame, columns_of, lambda rows: of_hugging_face(columns_of(rows))]
)
def test_rows_with_both_lists_go_alone(kind: Callable[[Any], Any]) -> None:
    assert_wanted(rankproof.evaluate(list(WANTED), kind(QUESTIONS)))


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
    said = refusal("AP", qrels, run)
    assert "run.csv:2: the score '10,0' is no number: " in said
    assert "pandas.read_csv(…, decimal=',')" in said


def test_what_is_to_be_given_for_ranks_of_first_hits_serves() -> None:
    ranks = [1, 3, None, 12]
    given = refusal("RR", ranks).partition("give ")[2].partition(", and R=1")[0]
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
    assert_wanted(rankproof.evaluate(list(WANTED), qrels, run))


def test_systems_with_lists() -> None:
    runs = {"one": RANKED, "two": {"q1": ["c7", "c2"], "q2": ["b"], "q3": []}}
    found = rankproof.evaluate("AP", RELEVANT, runs, profile="missing=0")
    assert found["one"].per_query["AP"] == pytest.approx(WANTED["AP"])
    assert found["two"].per_query["AP"] == {"q1": 1, "q2": 0, "q3": 0}


def test_groups_by_their_sizes_of_which_one_of_no_items_is_passed_over() -> None:
    found = rankproof.evaluate("RR", [1, 0, 0, 0, 1, 1], [0.1, 0.9, 0.8, 0.5, 0.3, 0.6], group_sizes=[3, 2, 1])
    assert found.per_query["RR"] == {"1": 1 / 3, "2": 1 / 2, "3": 1}
    found = rankproof.evaluate("RR", [0, 1, 0, 0, 1], [0.9, 0.1, 0.9, 0.8, 0.7], group_sizes=[2, 0, 3])
    assert found.per_query["RR"] == {"1": 1 / 2, "3": 1 / 3}


def test_numbers_beside_texts_are_ids() -> None:
    """Were all lists of 0 and 1, these might be rels: of the first query the second doc is relevant, of the second the first."""
    found = rankproof.evaluate("RR", {"q": ["a", "b"], "r": [0, 1]}, {"q": ["x", "b"], "r": [1, 7]})
    assert found.per_query["RR"] == {"q": 1 / 2, "r": 1}


TABLE_OF_QRELS = {"query_id": ["1", "1", "2", "3"], "doc_id": ["a", "b", "c", "d"], "relevance": [1, 0, 2, 1]}
TABLE_OF_RUN = {"query_id": [*"11233"], "doc_id": [*"bacxd"], "score": [0.9, 0.8, 0.7, 0.6, 0.5]}
TABLE_OF_ANOTHER = {**TABLE_OF_RUN, "score": [0.1, 0.2, 0.3, 0.4, 0.5]}
"""The relevant docs stand at ranks 2, 1 and 2 of the one run, and first in the other."""
JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 1}}


def of_batches(*tables: dict[str, Any]) -> list[Any]:
    return [batch for one in tables for batch in pa.table(one).to_batches()]


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        (
            {"q": [3, 3, 7], "r": [5]},
            {"q": [3, 1]},
            "it is not clear whether these lists hold ids of relevant docs or rels",
        ),
        ({"q": 1, "r": 1}, {"q": [3, 1]}, "it is not clear"),
        ({"q": [0.5]}, {"q": [3, 1]}, "the qrels, query 'q', item 1: the doc is 0.5"),
        (
            {"q": None},
            {"q": ["a"]},
            "the qrels, query 'q': NoneType where a dict of doc and rel, or a list of relevant ids, is needed",
        ),
        ({"q": ["a"]}, {"p": ["a"], "q": ["a", "b", "a"], "r": ["b"]}, "doc 'a' stands twice under query 'q'"),
        ({"q": ["a"]}, {"q": [{"corpus_id": "a"}]}, "the run, query 'q', item 1: no score among corpus_id"),
        (
            pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "relevancy": [0]}),
            {"u": ["a"]},
            "no relevance among user_id, item_id",
        ),
        (np.array([1, 3, np.inf]), None, "the rel is inf, no number; if these are the ranks of first hits, give"),
        (np.array([7, 1]), None, "none of 2 is 0, and 7 is no usual rel; if these are the ranks of first hits, give"),
        (
            pd.Series([1, 1, 40, 2]),
            None,
            "if they are the rels of one ranking, give [rels], a list of that list, as [[1, 1, 40, 2]]",
        ),
        ({"q": 2, "r": None, "s": 7}, None, "it is missing; if these are the ranks of first hits, give"),
        (
            [BATCH, BATCH.rename_columns(["qid", "doc"])],
            {"q": ["a"]},
            "batches of qid, docno, and the columns qid, doc among them",
        ),
        ({"q": ["a"]}, [BATCH, {"q": ["a"]}], "batches of qid, docno, and a dict among them"),
        ([("q", "a", 1), ("r", "c", 1)], [("q", "a", 3.0), ("r", "c", 1.0)], "qrels by row are named tuples"),
        (
            JUDGED,
            type("DuckDBPyConnection", (), {"__module__": "_duckdb"})(),
            "a connection of duckdb, and no table; give what it selects",
        ),
        (JUDGED, iter(()), "it is empty"),
        (
            JUDGED,
            of_batches(TABLE_OF_RUN, {**TABLE_OF_RUN, "rank": [1, 2, 1, 1, 2]}),
            "batches of query_id, doc_id, score, and the columns query_id, doc_id, score, rank among them",
        ),
        *(
            (JUDGED, of_batches(TABLE_OF_RUN, {**TABLE_OF_RUN, "score": [*"abcde"]}), said)
            for said in ("its parts are of other types: ", "; cast them")
        ),
        (
            JUDGED,
            pd.DataFrame({"query_id": ["1", "2", "3"], "retrieved_ids": [["a", "b"], ["x", "c", "y", "c"], ["d"]]}),
            "item 4: doc 'c' stands twice under query '2', first on item 2",
        ),
        (
            pd.Series([["a", "b"], ["c"], ["d"]], index=["1", "2", "2"]),
            pd.Series([["a"], ["c"], ["x"]], index=["1", "2", "3"]),
            "a query stands there twice",
        ),
    ],
)
def test_what_is_not_clear_is_refused_with_the_mend(qrels: Any, run: Any, said: str) -> None:
    assert said in refusal("P@2", qrels, run)


def test_the_splits_of_a_dataset_are_refused_with_the_mend() -> None:
    table = of_hugging_face({"qid": ["q"]})
    splits = sys.modules["datasets"].DatasetDict({"test": table})
    assert "(test); give one, as dataset['test']" in refusal("P@2", splits, {"q": ["a"]})


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


def test_docs_that_are_judged_and_not_relevant_make_the_others_worth_a_word() -> None:
    qrels = {"q1": {"c2": 1, "c7": 1}, "q2": {"a": 1, "d": 0}, "q3": {"x": 1}}
    assert [one.kind for one in rankproof.evaluate("P@2", qrels, RANKED).warnings] == ["unjudged"]


def test_as_many_items_as_there_may_be_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST_RELEVANT", 3)
    assert lists.grouped([1, 2], None) == [1, 2, 2]
    with pytest.raises(BadInput, match="more than 3 items in all"):
        lists.grouped([1, 2, 1], None)
    assert rankproof.evaluate("R", [1, 0], R=3).mean["R"] == 1 / 3
    assert "more than 3 relevant docs" in refusal("R", [1, 0], R=4)


def test_a_doc_that_stands_twice_counts_as_the_conventions_say() -> None:
    twice = {"q": ["b", "a", "x", "a"], "r": ["c"], "s": ["d"]}
    relevant = {"q": ["a"], "r": ["c"], "s": ["e"]}
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=first").per_query["AP"]["q"] == 1 / 2
    assert rankproof.evaluate("AP", relevant, twice, profile="run_duplicates=last").per_query["AP"]["q"] == 1 / 3


# -- frames that other libraries hold, and tables that no run or qrels can be -------------------------------------------


def lazy(columns: dict[str, Any]) -> Any:
    import dask.dataframe  # here, as above

    return dask.dataframe.from_pandas(pd.DataFrame(columns), npartitions=2)


def test_batches_of_whole_and_of_other_numbers_are_one_table() -> None:
    scores = (("1", 2), ("2", 1.5), ("3", 3))
    batches = of_batches(*({"query_id": [query], "doc_id": ["a"], "score": [score]} for query, score in scores))
    read = read_run(as_tables(batches, "the run")).of
    assert [row.score for rows in read.values() for row in rows] == [2.0, 1.5, 3.0]
    with pytest.raises(BadInput, match=r"^the run: it is empty: there is no row in it$"):
        as_tables(of_hugging_face({"query_id": ["1"]}).to_iterable_dataset().take(0), "the run")


def test_a_frame_may_have_columns_that_are_called_as_what_files_have() -> None:
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    odd = {name: [7, 8] for name in ("header", "lines", "path", "column_names", "to_pydict")}
    for frame in (pd.DataFrame(odd | columns), pa.table(odd | columns)):
        assert rankproof.evaluate("RR", {"q": {"a": 1}}, frame).mean == {"RR": 0.5}


def test_of_arrow_a_name_that_two_columns_have_is_refused_and_systems_are_parted() -> None:
    of_run = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.0, 2.0]}
    twice = pa.table([*of_run.values(), pa.array([2.0, 1.0])], names=[*of_run, "score"])
    with pytest.raises(BadInput, match=r"^the table: two columns are called score; rename or drop one$"):
        rankproof.evaluate("RR", {"q": {"a": 1}}, twice)
    parted = rankproof.by_system(pa.table(of_run | {"system": ["x", "y"]}))
    assert [(name, one["doc_id"]) for name, one in parted.items()] == [("x", ["a"]), ("y", ["b"])]


def test_a_frame_that_is_not_in_memory_is_read_and_several_are_several_runs() -> None:
    qrels, runs = lazy(TABLE_OF_QRELS), [lazy(TABLE_OF_RUN), lazy(TABLE_OF_ANOTHER)]
    assert rankproof.evaluate(["RR"], qrels, runs[0]).per_query["RR"] == {"1": 0.5, "2": 1.0, "3": 0.5}
    for names, given in (("run1", "run2"), runs), (("bm25", "dense"), dict(zip(("bm25", "dense"), runs, strict=True))):
        means = rankproof.evaluate(["RR"], qrels, given).mean["RR"]
        assert means == dict(zip(names, (pytest.approx(2 / 3), 1.0), strict=True))


def test_what_it_takes_to_read_a_lazy_frame_is_said_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = lazy(TABLE_OF_RUN)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(BadInput, match=r"to read a DataFrame of dask takes narwhals: pip install 'rankproof\[fast\]'"):
        rankproof.evaluate(["RR"], pd.DataFrame(TABLE_OF_QRELS), frame)


PARQUET = {
    "nested": (
        TABLE_OF_RUN | {"score": [{"bm25": score} for score in TABLE_OF_RUN["score"]]},
        r"the column 'score' holds struct<bm25: double>; a row has one value of each column",
    ),
    "no doc": (
        TABLE_OF_RUN | {"doc_id": pa.nulls(5, pa.string())},
        "run.parquet, row 1: the doc is None, a NoneType; ids are text or whole numbers",
    ),
    "lists of lists": (
        TABLE_OF_RUN | {"doc_id": [[["a"]]] * 5},
        "the column 'doc_id' holds list<.*>; a row has one value of each column",
    ),
    "no text": (
        TABLE_OF_RUN | {"doc_id": pa.array([b"a", b"\xff", b"c", b"x", b"d"]).view(pa.string())},
        "the column 'doc_id' holds a text that is no UTF-8; write it anew",
    ),
}
TABLES = {name: (pa.table(columns), said) for name, (columns, said) in PARQUET.items()}
TABLES["called alike"] = (
    pa.table(pa.table(TABLE_OF_RUN).columns * 2, names=["query_id", "doc_id", "score", "a", "b", "score"]),
    "two columns are called 'score'; rename or drop one",
)


@pytest.mark.parametrize("name", TABLES)
def test_a_parquet_file_that_is_no_run_is_refused_with_its_column(name: str, tmp_path: Path) -> None:
    table, says = TABLES[name]
    pyarrow.parquet.write_table(table, tmp_path / "run.parquet")
    said = refusal(["RR"], JUDGED, tmp_path / "run.parquet")
    assert re.search(says, said)
    assert str(tmp_path / "run.parquet") in said
