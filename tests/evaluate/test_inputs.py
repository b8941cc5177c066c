"""Qrels and runs of every shape, with values that follow from the documents at their ranks.

Invalid input, with its place.
"""

import gzip
import json
from collections import namedtuple
from pathlib import Path
from typing import Any

import datasets
import narwhals
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typed_commands import rankproof as typed

import rankproof
from rankproof.evaluate.inputs import rows

NAN = float("nan")
QRELS = {"q1": {"c2": 1, "c7": 1}, "q2": {"a": 1}, "q3": {"e": 1, "f": 1}}
RUN = {
    "q1": {"c1": 3.0, "c2": 2.5, "c9": 0.5},
    "q2": {"a": 9.0, "b": 1.0},
    "q3": {"g": 4.0, "h": 3.0, "e": 2.0, "f": 1.0},
}
WANTED = {
    "RR": {"q1": 1 / 2, "q2": 1.0, "q3": 1 / 3},
    "AP": {"q1": 1 / 4, "q2": 1.0, "q3": 5 / 12},
    "P@2": {"q1": 1 / 2, "q2": 1 / 2, "q3": 0.0},
}
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
JUDGED = [(query, doc, rel) for query, docs in QRELS.items() for doc, rel in docs.items()]
Qrel = namedtuple("Qrel", ("query_id", "doc_id", "relevance", "iteration"))  # noqa: PYI024 - as ir_measures has it
ScoredDoc = namedtuple("ScoredDoc", ("query_id", "doc_id", "score"))  # noqa: PYI024 - as ir_measures has it
RELEVANT = {query: list(docs) for query, docs in QRELS.items()}
RANKED = {query: list(docs) for query, docs in RUN.items()}
OTHER = {"q1": ["c2"], "q3": ["h", "e"]}
QUESTIONS = [
    {"question": f"{query}?", "id": query, "retrieved_ids": RANKED[query], "relevant_ids": RELEVANT[query]}
    for query in QRELS
]


def frame(rows: list[Any], *names: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names))


def frames(judged: str, ranked: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    return frame(JUDGED, *judged.split()), frame(ROWS, *ranked.split())


def lines(rows: list[tuple[Any, ...]], separator: str, head: tuple[str, ...] = ()) -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in [*([head] if head else []), *rows])


def dicts(rows: list[tuple[Any, ...]], *names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def assert_wanted(result: rankproof.Result) -> None:
    values = {measure: result.per_query[measure] for measure in WANTED}
    assert values == {measure: pytest.approx(wanted) for measure, wanted in WANTED.items()}


# -- in memory ---------------------------------------------------------------------------------------------------------

IN_MEMORY: dict[str, tuple[Any, Any]] = {
    "dicts of dicts": (QRELS, RUN),
    "relevant ids and ranked ids": (RELEVANT, RANKED),
    "sets of relevant ids": ({query: set(docs) for query, docs in RELEVANT.items()}, RANKED),
    "one relevant id": (RELEVANT | {"q2": "a"}, RANKED),
    "ids with scores": (QRELS, {query: list(docs.items()) for query, docs in RUN.items()}),
    "hits as MTEB has them": (QRELS, {q: dicts([*docs.items()], "corpus_id", "score") for q, docs in RUN.items()}),
    "frames of PyTerrier": (
        frame(JUDGED, "qid", "docno", "label"),
        frame(
            [(q, f"text of {q}", i, d, s) for i, (q, d, s) in enumerate(ROWS)],
            "qid",
            "query",
            "docid",
            "docno",
            "score",
        ),
    ),
    "frames of narwhals": (QRELS, narwhals.from_native(frame(ROWS, "qid", "docno", "score"))),
    "lazy frames": (QRELS, narwhals.from_native(frame(ROWS, "qid", "docno", "score")).lazy()),
    "frames of recommenders": frames("userID itemID rating", "userID itemID prediction"),
    "implicit feedback": (
        frame([row[:2] for row in JUDGED], "user_id", "item_id"),
        frame(ROWS, "user", "item", "score"),
    ),
    "MovieLens": (
        frame([(*row, 978300760) for row in JUDGED], "userId", "movieId", "rating", "timestamp"),
        frame(ROWS, "userId", "movieId", "prediction"),
    ),
    "tables of Arrow": tuple(map(pa.Table.from_pandas, frames("query_id doc_id relevance", "query_id doc_id score"))),
    "batches of Arrow": (QRELS, pa.Table.from_pandas(frame(ROWS, "query", "docid", "sim")).to_batches()),
    "datasets of Hugging Face": tuple(
        map(datasets.Dataset.from_pandas, frames("query-id corpus-id score", "query-id corpus-id score"))
    ),
    "named tuples of ir_measures": ([Qrel(*row, "0") for row in JUDGED], [ScoredDoc(*row) for row in ROWS]),
    "an iterator of named tuples": (QRELS, iter([ScoredDoc(*row) for row in ROWS])),
    "dicts as rows": (dicts(JUDGED, "qid", "docno", "rel"), dicts(ROWS, "qid", "docno", "score")),
    "dicts of lists": (QRELS, frame(ROWS, "query", "docid", "score").to_dict("list")),
    "rows a question": (QUESTIONS, QUESTIONS),
    "rows a question, alone": (QUESTIONS, None),
}


@pytest.mark.parametrize("shape", IN_MEMORY)
def test_each_shape_in_memory_has_its_values(shape: str) -> None:
    qrels, run = IN_MEMORY[shape]
    assert_wanted(rankproof.evaluate(list(WANTED), qrels, run))


def test_columns_have_user_defined_names() -> None:
    columns = {"run": {"query_id": "Q", "doc_id": "D", "score": "S"}}
    assert_wanted(rankproof.evaluate(list(WANTED), QRELS, frame(ROWS, "Q", "D", "S"), columns=columns))


def test_whole_numbers_and_texts_are_the_same_id() -> None:
    assert rankproof.evaluate("AP", {7: {1: 1}}, {"7": {"1": 0.5}}).per_query["AP"] == {"7": 1.0}


@pytest.mark.parametrize(
    ("qrels", "run", "options", "wanted"),
    [
        (list(RELEVANT.values()), list(RANKED.values()), {}, {"1": 1 / 2, "2": 1.0, "3": 1 / 3}),
        ({"u": 9, "v": 4, "w": 2}, {"u": [4, 9, 1], "v": [4, 2], "w": [5, 4, 2]}, {}, {"u": 1 / 2, "v": 1, "w": 1 / 3}),
        ([0, 1, 1], None, {}, {"1": 1 / 2}),
        ([[0, 1], [1, 0], [0, 0, 1]], None, {}, {"1": 1 / 2, "2": 1.0, "3": 1 / 3}),
        (
            np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
            np.array([[0.9, 0.2, 0.1], [0.7, 0.2, 0.1], [0.6, 0.7, 0.1]]),
            {},
            {"1": 1 / 2, "2": 1.0, "3": 1 / 3},
        ),
        (
            [0, 1, 1, 0, 0, 1],
            [0.9, 0.8, 0.2, 0.1, 0.3, 0.4],
            {"group_id": [7, 7, 8, 8, 9, 9]},
            {"7": 1 / 2, "8": 1.0, "9": 1.0},
        ),
        ([0, 1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1, 0.3], {"group_sizes": [2, 1, 2]}, {"1": 1 / 2, "2": 1.0, "3": 0.0}),
        (pd.DataFrame([[0, 1], [1, 0], [0, 0]], index=["x", "y", "z"]), None, {}, {"x": 1 / 2, "y": 1.0, "z": 0.0}),
    ],
)
def test_each_shape_of_lists_without_ids_has_its_values(
    qrels: Any, run: Any, options: dict[str, Any], wanted: dict[str, float]
) -> None:
    assert rankproof.evaluate("RR", qrels, run, **options).per_query["RR"] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("rels", "relevant", "recall"),
    [([1, 0], 3, [1 / 3]), ([[0, 0, 1], [1], [0, 1]], [1, 4, 2], [1.0, 1 / 4, 1 / 2]), ([[1], [0]], 2, [1 / 2, 0.0])],
)
def test_a_count_of_relevant_documents_adds_those_that_a_list_lacks(rels: Any, relevant: Any, recall: Any) -> None:
    assert list(rankproof.evaluate("R", rels, R=relevant).per_query["R"].values()) == recall


@pytest.mark.parametrize(("measure", "profile"), [("P", "known=retrieved"), ("R(rel=2)", "standard")])
def test_a_count_of_relevant_documents_is_refused_if_it_has_no_effect(measure: str, profile: str) -> None:
    with pytest.raises(rankproof.BadInput, match=r"^R: "):
        rankproof.evaluate(measure, [1, 0], R=3, profile=profile)


def test_labels_and_similarities_make_each_item_a_query() -> None:
    names = ["x", "y", "z"]
    similar = pd.DataFrame([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]], index=names, columns=names)
    assert rankproof.evaluate("P@1", ["a", "a", "b"], similar).per_query["P@1"] == {"x": 1.0, "y": 1.0, "z": 0.0}


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ({"bm25": RUN, "dense": RANKED, "other": OTHER}, ["bm25", "dense", "other"]),
        ([RUN, frame(ROWS, "qid", "docno", "score"), OTHER], ["run1", "run2", "run3"]),
    ],
)
def test_several_runs_have_a_result_each(runs: Any, names: list[str]) -> None:
    results = rankproof.evaluate(list(WANTED), QRELS, runs)
    assert list(results) == names
    for name in names[:2]:
        assert_wanted(results[name])
    assert results[names[2]].per_query["RR"] == {"q1": 1.0, "q2": 0.0, "q3": 1 / 2}
    assert results.mean["AP"] == dict(zip(names, (pytest.approx(5 / 9), pytest.approx(5 / 9), 1 / 4), strict=True))


# -- files -------------------------------------------------------------------------------------------------------------

FILES: dict[str, tuple[str, str | bytes, str, str | bytes]] = {
    "TREC": (
        *("qrels", lines([(q, 0, d, r) for q, d, r in JUDGED], " ")),
        *("run", lines([(q, "Q0", d, 9, s, "t") for q, d, s in ROWS], " ")),
    ),
    "TREC by tabs": (
        *("qrels", lines([(q, 0, d, r) for q, d, r in JUDGED], "\t")),
        *("run", lines([(q, 0, d, 9, s, "t") for q, d, s in ROWS], "  ")),
    ),
    "MS MARCO": (
        *("qrels.tsv", lines([(q, 0, d, r) for q, d, r in JUDGED], "\t")),
        *("run.tsv", lines([(q, d, i) for q, docs in RANKED.items() for i, d in enumerate(docs, 1)], "\t")),
    ),
    "RecBole": (
        *("q.inter", lines(JUDGED, "\t", ("user_id:token", "item_id:token", "rating:float"))),
        *("r.inter", lines(ROWS, "\t", ("user_id:token", "item_id:token", "score:float"))),
    ),
    "CSV of a spreadsheet": (
        *("q.csv", "\ufeff" + lines(JUDGED, ";", ("query_id", "doc_id", "relevance"))),
        *("r.csv", lines([(q, d, f'"{s}"') for q, d, s in ROWS], ",", ("query_id", "doc_id", "score"))),
    ),
    "JSON Lines": (
        *("q.jsonl", "".join(f"{json.dumps(row)}\n" for row in dicts(JUDGED, "qid", "docno", "rel"))),
        *("r.jsonl", "".join(f"{json.dumps(row | {'note': []})}\n" for row in dicts(ROWS, "qid", "docno", "score"))),
    ),
    "JSON": ("q.json", json.dumps(QRELS), "r.json", json.dumps(RUN)),
    "JSON of ids": ("q.json", json.dumps(RELEVANT), "r.json", json.dumps(RANKED)),
    "a question a line": ("q.jsonl", "".join(f"{json.dumps(row)}\n" for row in QUESTIONS), "", ""),
    "questions in JSON": ("q.json", json.dumps(QUESTIONS), "", ""),
    "ragas": (
        "q.ndjson",
        "".join(f"{json.dumps(row)}\n" for row in QUESTIONS)
        .replace("retrieved_ids", "retrieved_context_ids")
        .replace("relevant_ids", "reference_context_ids"),
        *("", ""),
    ),
    "LlamaIndex": (
        *("set.json", json.dumps({"queries": {}, "corpus": {}, "relevant_docs": RELEVANT})),
        *("r.json", json.dumps(RUN)),
    ),
}
FILES["packed"] = (
    *("qrels", gzip.compress(FILES["TREC"][1].encode())),
    *("run", pa.compress(FILES["TREC"][3].encode(), codec="zstd", asbytes=True)),
)


@pytest.mark.usefixtures("each_path")
@pytest.mark.parametrize("shape", FILES)
def test_each_format_of_files_has_its_values(shape: str, tmp_path: Path) -> None:
    name, text, other, other_text = FILES[shape]
    for file, content in ((name, text), (other, other_text)):
        if file:
            (tmp_path / file).write_bytes(content.encode() if isinstance(content, str) else content)
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path / name, tmp_path / other if other else None))


def test_parquet_is_read_whole_and_in_parts(tmp_path: Path, each_path: str) -> None:
    whole, parts = tmp_path / "run.parquet", tmp_path / "spark"
    parts.mkdir()
    table = frame(ROWS, "query_id", "doc_id", "score")
    table.to_parquet(whole)
    table[:2].to_parquet(parts / "part-00000.parquet")
    table[2:].to_parquet(parts / "part-00001.parquet")
    (parts / "_SUCCESS").touch()
    for run in (whole, parts):
        result = rankproof.evaluate(list(WANTED), QRELS, run)
        assert_wanted(result)
        assert (result.checked is not None) is (each_path == "columns")


def test_a_folder_of_beir_has_its_qrels(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(lines(JUDGED, "\t", ("query-id", "corpus-id", "score")))
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path, RUN))


def test_files_of_several_runs_have_the_names_of_the_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run").write_text(FILES["TREC"][3])
    (tmp_path / "other").write_text(FILES["TREC"][3])
    files = [str(tmp_path / name) for name in ("a/run", "b/run", "other")]
    assert list(rankproof.evaluate("AP", QRELS, files)) == [files[0], files[1], "other"]


# -- unusable input in memory ------------------------------------------------------------------------------------------

JUDGED_A = {"q": {"a": 1}}
IN_MEMORY_ERRORS: list[tuple[Any, Any, str]] = [
    ({}, {"q": {"a": 1.0}}, "the qrels: it is empty"),
    (JUDGED_A, {}, "the run: it is empty"),
    (JUDGED_A, None, "the run: it is missing"),
    ("-", "-", "the standard input can be read only once"),
    (JUDGED_A, {"q": {"a": NAN}}, "the run, query 'q', item 1: the score is nan"),
    (JUDGED_A, {"q": {"a": "0.5"}}, "the score is '0.5', not a finite number"),
    ({"q": {"a": 1.5, "b": None}}, {"q": {"a": 1.0}}, "the relevance grade is None"),
    ({"q": {"a": float("inf")}}, {"q": {"a": 1.0}}, "not a finite number"),
    ({7.5: {"a": 1}}, {"q": {"a": 1.0}}, "the query is 7.5, a float. Use text or whole numbers."),
    ({"7": {"a": 1}, 7: {"b": 1}}, {"7": {"a": 1.0}}, "query '7' occurs twice"),
    ({"q1": ["a"], "q2": {"b": 1}}, {"q1": ["a"]}, "query 'q2'"),
    ({"q": [1, 0]}, {"q": ["a"]}, "could be ids of relevant documents or relevance grades"),
    ({"q": [7, 7]}, {"q": ["a"]}, "could be ids of relevant documents or relevance grades"),
    ({"q": ["a"]}, {"q": {"a", "b"}}, "is not a ranking"),
    (JUDGED_A, {"q": ["a", "b", "a"]}, "has document 'a' twice"),
    (JUDGED_A, 7, "int is not a path"),
    (JUDGED_A, frame([("q", "a")], "qid", "docno"), "no column score among qid, docno. Name the columns with --column"),
    (JUDGED_A, frame([("q", "a", 1, 2)], "qid", "docno", "score", "sim"), "score or sim could be the score"),
    (JUDGED_A, frame([("q", "a", 1)], "qid", "docno", "docno"), "two columns are called docno"),
    (JUDGED_A, {"query": ["q"], "docid": ["a", "b"], "score": [1.0]}, "the column 'docid' has 2 values"),
    (JUDGED_A, {"query": ["q"], "docid": "a", "score": [1.0]}, "'docid' is not a list"),
    (JUDGED_A, [ScoredDoc("q", "a", 1.0), ScoredDoc("q", "b", NAN)], "the run, row 2: the score is nan"),
    (JUDGED_A, [ScoredDoc("q", "a", 1.0), ("q", "b", 2.0)], "the run, row 2: a tuple is not a named tuple"),
    (JUDGED_A, [{"query": "q", "doc_id": "a"}, {"query": "q"}], "the run, row 2: no doc_id among query"),
    (JUDGED_A, {"x": {"q": {"a": 1.0}}, "y": 3}, "'y' is not a run"),
    ([[1, 0], 1], None, "not a list, but other items are"),
    ([1, 0], [0.5], "not as many scores as grades"),
    ([1, 0], [0.5, 0.5], "no ids to order them (ties=docid-desc)"),
    ({"q": {"a": 0.5}}, {"q": {"a": 3}}, "as if they were swapped"),
    ({"a": {"d": 1}}, {"b": {"d": 1.0}}, "no query in common"),
    ({"q1": {"d": 1}}, {"Q1": {"d": 1.0}}, "differ only in spelling"),
]


@pytest.mark.usefixtures("each_path")
@pytest.mark.parametrize(("qrels", "run", "message"), IN_MEMORY_ERRORS)
def test_unusable_input_in_memory_is_refused_in_one_line(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        rankproof.evaluate("AP", qrels, run)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("lists", [{"q": [7, 5], "r": [1, 0]}, {"q": ["1", "0"], "r": ["0"]}])
def test_lists_of_other_numbers_or_of_texts_are_ids(lists: dict[str, list[Any]]) -> None:
    recall = rankproof.evaluate("R", lists, {"q": [7, 1], "r": [1, 0]}).per_query["R"]
    assert recall == {"q": 1 / 2, "r": 1.0}


def test_grades_of_a_model_need_a_threshold() -> None:
    grades = {"q1": {"c2": 0.8, "c1": 0.3}}
    assert rankproof.evaluate("nDCG", grades, RUN).per_query["nDCG"]["q1"] > 0
    with pytest.raises(rankproof.BadInput, match=r"P\(rel=0.5\)@2"):
        rankproof.evaluate("P@2", grades, {"q1": RUN["q1"]})
    assert rankproof.evaluate("P(rel=0.5)@2", grades, {"q1": RUN["q1"]}).mean["P(rel=0.5)@2"] == 1 / 2


@pytest.mark.parametrize(
    ("numbers", "expression"),
    [
        ([1, 3, None, 12], "ranks"),
        ([1, 5, 2], "ranks"),
        ({"a": 1, "b": None}, "ranks.values()"),
    ],
)
def test_ranks_of_first_hits_are_refused_with_an_expression(numbers: Any, expression: str, tmp_path: Path) -> None:
    remedy = f"pass [[int(place == rank) for place in range(1, 1001)] for rank in {expression}], and R=1"
    with pytest.raises(rankproof.BadInput) as refused:
        rankproof.evaluate("RR", numbers)
    assert remedy in str(refused.value)
    (tmp_path / "ranks.json").write_text(json.dumps(numbers), encoding="utf-8")
    assert remedy in typed("evaluate", "ranks.json", "-m", "RR", cwd=tmp_path).err


@pytest.mark.parametrize("rels", [[1, 4, 2], [0, 5, 1], [[1, 5, 2]], [5], [0.5, 5.0]])
def test_other_grades_are_not_taken_for_ranks(rels: Any) -> None:
    assert rankproof.evaluate("nDCG", rels).mean["nDCG"] > 0
    assert rankproof.evaluate("RR", [1, 5, 2], [0.1, 0.2, 0.3]).mean == {"RR": 1.0}, "grades with scores are no ranks"


# -- unusable files ----------------------------------------------------------------------------------------------------

FILE_ERRORS: list[tuple[str, bytes, str]] = [
    ("run", b"", ":1: the file is empty"),
    (
        "run",
        b"q Q0 a 1 0.5 t\nq Q0 b\n",
        ":2: 3 fields instead of 6 (query Q0 doc rank score tag). For `query doc rank`, add --separator tab.",
    ),
    ("run", b"q 0 a 1\n", ":1: 4 fields instead of 6 (query Q0 doc rank score tag). Is this the qrels?"),
    ("run", b"q Q0 a 1 x t\n", ":1: the score is 'x', not a number"),
    ("run", b"q Q0 a 1 0,5 t\n", "Write decimal points"),
    ("run", b"q Q0 a 1 1_0 t\n", ":1: the score is '1_0'"),
    ("run", b"q Q0 a 1 nan t\n", ":1: the score is nan"),
    ("run", b"q Q0 \xff 1 1 t\n", ":1: '\\xff' is not UTF-8"),
    ("run", b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n", ":2: query 'q' has document 'a' twice, first on line 1"),
    ("run", b"PK\x03\x04rest", "Unpack it, or save it as CSV"),
    ("run", b"\x1f\x8b\x08\x00broken", "damaged"),
    ("run", b"q Q0 a\0b 1 1 t x\n", "binary file"),
    ("run.csv", b"qid,docno,score\n", ":2: there is no row"),
    ("run.csv", b"qid,docno,score\nq,a\n", ":2: the row has 2 fields"),
    ("run.csv", b"qid,docno,score\nq,a,x\n", ":2: the score is 'x'"),
    ("run.csv", b"qid,docno,docno\nq,a,1\n", ":1: two columns are called 'docno'"),
    ("run.csv", b"qid\nq\n", ":1: the only column is 'qid'"),
    ("run.tsv", b"q\ta\t2\nq\tb\t3\n", "has no rank 1"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": 1}\n[]\n', ":2: a list instead of an object"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": true}\n', ":1: the score is true"),
    ("run.jsonl", b'{"qid": "q", "qid": "r"}\n', ":1: an object has the key 'qid' twice"),
    ("run.jsonl", b'{"qid": "q", "docno": "a", "score": 1}\n{"qid": "q"}\n', ":2: no "),
    ("run.json", b'{"q": ', ":1: this is not JSON"),
    ("run.json", b'{"q":\n {"a": 1},\n "r" {}}', ":3: this is not JSON"),
    ("run.json", b"[" * 200_000 + b"]" * 200_000, "nested too deep"),
    ("run.parquet", b"no parquet", "not a Parquet file"),
]


@pytest.mark.usefixtures("each_path")
@pytest.mark.parametrize(("name", "content", "message"), FILE_ERRORS)
def test_unusable_files_are_refused_with_the_place(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(rankproof.BadInput) as refused:
        rankproof.evaluate("AP", JUDGED_A, path)
    assert str(refused.value).startswith(str(path))
    assert message in str(refused.value)


@pytest.mark.parametrize("values", [[], ["a", "b"], [1.5, 2.5], [True, False]])
def test_files_of_other_lists_are_refused_without_a_remedy_for_ranks(values: object, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(rankproof.BadInput) as refused:
        rankproof.evaluate("RR", tmp_path / "other.json", {"q1": {"a": 1.0}})
    assert "ranks" not in str(refused.value)


def test_a_file_of_questions_without_retrieved_ids_needs_a_run(tmp_path: Path) -> None:
    for ending in ("json", "jsonl"):
        path = tmp_path / f"questions.{ending}"
        path.write_text(FILES["questions in JSON" if ending == "json" else "a question a line"][1].replace("retr", "r"))
        with pytest.raises(rankproof.BadInput, match="the run: it is missing"):
            rankproof.evaluate("AP", path)


def test_packed_files_unpack_in_proportion(tmp_path: Path) -> None:
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q Q0 a 1 1 t\n" * 1_000_000))
    with pytest.raises(rows.TooLarge, match="100 times its size"):
        rankproof.evaluate("AP", JUDGED_A, tmp_path / "run.gz")


def test_a_line_has_at_most_a_million_bytes(tmp_path: Path) -> None:
    for size, error in ((1_000_000, rankproof.BadInput), (1_000_001, rows.TooLarge)):
        (tmp_path / "run").write_bytes(b"a" * size)
        with pytest.raises(error) as refused:
            rankproof.evaluate("AP", JUDGED_A, tmp_path / "run")
        assert ("longer than 1,000,000 bytes" in str(refused.value)) is (error is rows.TooLarge)


def test_parquet_that_repeats_one_long_text_is_refused(tmp_path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array(["x" * 10_000]))
    pq.write_table(pa.table({"qid": texts, "docno": texts, "score": [1.0] * 200_000}), tmp_path / "run.parquet")
    with pytest.raises(rows.TooLarge, match="unpacks to more than"):
        rankproof.evaluate("AP", JUDGED_A, tmp_path / "run.parquet")
