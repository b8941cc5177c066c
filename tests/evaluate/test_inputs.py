"""Every shape in which people bring qrels and runs, with the values that follow from the documents at their ranks."""

import gzip
import io
import json
import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import narwhals
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from two_paths import by_columns

import rankproof

QRELS = {"q1": {"c2": 1, "c7": 1}, "q2": {"a": 1}}
RUN = {"q1": {"c1": 3.0, "c2": 2.5, "c9": 0.5}, "q2": {"a": 9.0, "b": 1.0}}
WANTED = {"RR": {"q1": 1 / 2, "q2": 1.0}, "AP": {"q1": 1 / 4, "q2": 1.0}, "P@2": {"q1": 1 / 2, "q2": 1 / 2}}
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
JUDGED = [(query, doc, rel) for query, docs in QRELS.items() for doc, rel in docs.items()]
Qrel = namedtuple("Qrel", ("query_id", "doc_id", "relevance", "iteration"))  # noqa: PYI024
ScoredDoc = namedtuple("ScoredDoc", ("query_id", "doc_id", "score"))  # noqa: PYI024
RANKED = {query: list(docs) for query, docs in RUN.items()}
QUESTIONS = [
    {"question": "one?", "id": "q1", "retrieved_ids": ["c1", "c2", "c9"], "relevant_ids": ["c2", "c7"]},
    {"question": "two?", "id": "q2", "retrieved_ids": ["a", "b"], "relevant_ids": ["a"]},
]


def frame(rows: list[Any], *names: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(names))


def lines(rows: list[tuple[Any, ...]], separator: str, head: tuple[str, ...] = ()) -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in [*([head] if head else []), *rows])


IN_MEMORY: dict[str, tuple[Any, Any]] = {
    "dicts of dicts": (QRELS, RUN),
    "relevant ids and ranked ids": ({"q1": ["c2", "c7"], "q2": ["a"]}, RANKED),
    "sets of relevant ids": ({"q1": {"c2", "c7"}, "q2": {"a"}}, RANKED),
    "one relevant id": ({"q1": ["c2", "c7"], "q2": "a"}, RANKED),
    "ids with scores": (QRELS, {query: list(docs.items()) for query, docs in RUN.items()}),
    "hits as MTEB has them": (
        QRELS,
        {q: [{"corpus_id": d, "score": s} for d, s in docs.items()] for q, docs in RUN.items()},
    ),
    "frames of pandas": (frame(JUDGED, "qid", "docno", "label"), frame(ROWS, "qid", "docno", "score")),
    "frames of recommenders": (
        frame(JUDGED, "userID", "itemID", "rating"),
        frame(ROWS, "userID", "itemID", "prediction"),
    ),
    "implicit feedback": (
        frame([row[:2] for row in JUDGED], "user_id", "item_id"),
        frame(ROWS, "user_id", "item_id", "score"),
    ),
    "MovieLens": (
        frame([(*row, 978300760) for row in JUDGED], "userId", "movieId", "rating", "timestamp"),
        frame(ROWS, "userId", "movieId", "prediction"),
    ),
    "tables of Arrow": (
        pa.Table.from_pandas(frame(JUDGED, "query_id", "doc_id", "relevance")),
        pa.Table.from_pandas(frame(ROWS, "query_id", "doc_id", "score")),
    ),
    "batches of Arrow": (QRELS, pa.Table.from_pandas(frame(ROWS, "query", "docid", "sim")).to_batches()),
    "datasets of Hugging Face": (
        datasets.Dataset.from_pandas(frame(JUDGED, "query-id", "corpus-id", "score")),
        datasets.Dataset.from_pandas(frame(ROWS, "query-id", "corpus-id", "score")),
    ),
    "named tuples of ir_measures": ([Qrel(*row, "0") for row in JUDGED], [ScoredDoc(*row) for row in ROWS]),
    "an iterator of named tuples": (QRELS, iter([ScoredDoc(*row) for row in ROWS])),
    "dicts as rows": (
        [dict(zip(("qid", "docno", "rel"), row, strict=True)) for row in JUDGED],
        [dict(zip(("qid", "docno", "score"), row, strict=True)) for row in ROWS],
    ),
    "dicts of lists": (QRELS, dict(zip(("query", "docid", "score"), map(list, zip(*ROWS, strict=True)), strict=True))),
    "rows a question": (QUESTIONS, QUESTIONS),
    "rows a question, alone": (QUESTIONS, None),
}
FILES: dict[str, tuple[str, str, str, str]] = {
    "TREC": (
        "qrels",
        lines([(q, 0, d, r) for q, d, r in JUDGED], " "),
        "run",
        lines([(q, "Q0", d, 9, s, "t") for q, d, s in ROWS], " "),
    ),
    "TREC by tabs": (
        "qrels",
        lines([(q, 0, d, r) for q, d, r in JUDGED], "\t"),
        "run",
        lines([(q, 0, d, 9, s, "t") for q, d, s in ROWS], "  "),
    ),
    "MS MARCO": (
        "qrels.tsv",
        lines([(q, 0, d, r) for q, d, r in JUDGED], "\t"),
        "run.tsv",
        "q1\tc1\t1\nq1\tc2\t2\nq1\tc9\t3\nq2\ta\t1\nq2\tb\t2\n",
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
        *("q.jsonl", "".join(json.dumps({"qid": q, "docno": d, "rel": r}) + "\n" for q, d, r in JUDGED)),
        *("r.jsonl", "".join(json.dumps({"qid": q, "docno": d, "score": s, "note": []}) + "\n" for q, d, s in ROWS)),
    ),
    "JSON": ("q.json", json.dumps(QRELS), "r.json", json.dumps(RUN)),
    "JSON of ids": ("q.json", json.dumps({"q1": ["c2", "c7"], "q2": ["a"]}), "r.json", json.dumps(RANKED)),
    "a question a line": ("q.jsonl", "".join(f"{json.dumps(row)}\n" for row in QUESTIONS), "", ""),
    "ragas": (
        "q.jsonl",
        "".join(
            json.dumps(
                {"id": q["id"], "retrieved_context_ids": q["retrieved_ids"], "reference_context_ids": q["relevant_ids"]}
            )
            + "\n"
            for q in QUESTIONS
        ),
        *("", ""),
    ),
}


def assert_wanted(result: rankproof.Result) -> None:
    assert {measure: result.per_query[measure] for measure in WANTED} == {
        m: pytest.approx(v) for m, v in WANTED.items()
    }


@pytest.mark.parametrize("shape", IN_MEMORY)
def test_shapes_in_memory(shape: str) -> None:
    qrels, run = IN_MEMORY[shape]
    assert_wanted(rankproof.evaluate(list(WANTED), qrels, run))


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("shape", FILES)
def test_shapes_of_files(shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, large: bool) -> None:
    name, text, other, other_text = FILES[shape]
    (tmp_path / name).write_text(text)
    if other:
        (tmp_path / other).write_text(other_text)
    used = by_columns(monkeypatch) if large else []
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path / name, tmp_path / other if other else None))
    assert used in ([], [True], [False])


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: pa.compress(data, codec="zstd", asbytes=True)])
def test_packed_files(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    _, qrels, _, run = FILES["TREC"]
    (tmp_path / "qrels").write_bytes(pack(qrels.encode()))
    (tmp_path / "run").write_bytes(pack(run.encode()))
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path / "qrels", tmp_path / "run"))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FILES["TREC"][3].encode())))
    assert_wanted(rankproof.evaluate(list(WANTED), QRELS, "-"))
    with pytest.raises(rankproof.BadInput, match="only once"):
        rankproof.evaluate("AP", "-", "-")


@pytest.mark.parametrize("large", [False, True])
def test_parquet_whole_and_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, large: bool) -> None:
    used = by_columns(monkeypatch) if large else []
    whole, parts = tmp_path / "run.parquet", tmp_path / "spark"
    parts.mkdir()
    table = frame(ROWS, "query_id", "doc_id", "score")
    table.to_parquet(whole)
    table[:2].to_parquet(parts / "part-00000.parquet")
    table[2:].to_parquet(parts / "part-00001.parquet")
    (parts / "_SUCCESS").touch()
    for run in (whole, parts):
        assert_wanted(rankproof.evaluate(list(WANTED), QRELS, run))
    assert used == ([True] * 2 if large else [])


def test_beir_folder_and_llama_index(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(lines(JUDGED, "\t", ("query-id", "corpus-id", "score")))
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path, RUN))
    dataset = {"queries": {}, "corpus": {}, "relevant_docs": {"q1": ["c2", "c7"], "q2": ["a"]}}
    (tmp_path / "set.json").write_text(json.dumps(dataset))
    assert_wanted(rankproof.evaluate(list(WANTED), tmp_path / "set.json", RUN))


def test_lazy_frames_are_collected() -> None:
    lazy = narwhals.from_native(pa.Table.from_pandas(frame(ROWS, "qid", "docno", "score"))).lazy().collect().to_native()
    assert_wanted(rankproof.evaluate(list(WANTED), QRELS, lazy))


@pytest.mark.parametrize(
    ("qrels", "run", "options", "wanted"),
    [
        ([["c2", "c7"]], [["c1", "c2", "c9"]], {}, {"1": 1 / 2}),
        ({"u1": 9}, {"u1": [4, 9, 1]}, {}, {"u1": 1 / 2}),
        ([0, 1, 1], None, {}, {"1": 1 / 2}),
        ([[0, 1], [1, 0]], None, {}, {"1": 1 / 2, "2": 1.0}),
        (np.array([[0, 1], [1, 0]]), np.array([[0.9, 0.1], [0.7, 0.2]]), {}, {"1": 1 / 2, "2": 1.0}),
        ([0, 1, 1, 0], [0.9, 0.8, 0.1, 0.2], {"group_id": [7, 7, 8, 8]}, {"7": 1 / 2, "8": 1 / 2}),
        ([0, 1, 1, 0], [0.9, 0.8, 0.1, 0.2], {"group_sizes": [2, 2]}, {"1": 1 / 2, "2": 1 / 2}),
        (pd.DataFrame([[0, 1], [1, 0]], index=["x", "y"]), None, {}, {"x": 1 / 2, "y": 1.0}),
        ([[0, 0, 1], [1]], None, {"R": [1, 4]}, {"1": 1 / 3, "2": 1.0}),
    ],
)
def test_lists_without_ids(qrels: Any, run: Any, options: dict[str, Any], wanted: dict[str, float]) -> None:
    assert rankproof.evaluate("RR", qrels, run, **options).per_query["RR"] == pytest.approx(wanted)


def test_count_of_relevant_documents_that_the_list_lacks() -> None:
    assert rankproof.evaluate("R", [1, 0], R=3).mean["R"] == 1 / 3


def test_grades_of_a_model_need_a_threshold() -> None:
    grades = {"q1": {"c2": 0.8, "c1": 0.3}}
    assert rankproof.evaluate("nDCG", grades, RUN).per_query["nDCG"]["q1"] > 0
    with pytest.raises(rankproof.BadInput, match=r"P\(rel=0.5\)@2"):
        rankproof.evaluate("P@2", grades, {"q1": RUN["q1"]})
    assert rankproof.evaluate("P(rel=0.5)@2", grades, {"q1": RUN["q1"]}).mean["P(rel=0.5)@2"] == 1 / 2


@pytest.mark.parametrize(("qrels", "run"), [([1, 3, None, 12], None), ({"a": 1, "b": None}, None)])
def test_ranks_of_first_hits_are_refused_with_an_expression(qrels: Any, run: Any) -> None:
    with pytest.raises(rankproof.BadInput, match=r"pass \[\[int\(place == rank\)") as refused:
        rankproof.evaluate("RR", qrels, run)
    assert "R=1" in str(refused.value)


def test_similarities_and_labels() -> None:
    similar = pd.DataFrame(
        [[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]], index=["x", "y", "z"], columns=["x", "y", "z"]
    )
    assert rankproof.evaluate("P@1", ["a", "a", "b"], similar).per_query["P@1"] == {"x": 1.0, "y": 1.0, "z": 0.0}


@pytest.mark.parametrize(
    ("runs", "systems"),
    [
        ({"bm25": RUN, "dense": RANKED}, ["bm25", "dense"]),
        ([RUN, RANKED, frame(ROWS, "qid", "docno", "score")], ["run1", "run2", "run3"]),
    ],
)
def test_several_runs(runs: Any, systems: list[str]) -> None:
    results = rankproof.evaluate(list(WANTED), QRELS, runs)
    assert list(results) == systems
    for system in systems:
        assert_wanted(results[system])
    assert results.mean["AP"] == dict.fromkeys(systems, pytest.approx(5 / 8))


def test_files_of_several_runs_are_named_as_the_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run").write_text(FILES["TREC"][3])
    (tmp_path / "other").write_text(FILES["TREC"][3])
    files = [str(tmp_path / name) for name in ("a/run", "b/run", "other")]
    assert list(rankproof.evaluate("AP", QRELS, files)) == [files[0], files[1], "other"]


def test_whole_numbers_and_texts_are_the_same_id() -> None:
    assert rankproof.evaluate("AP", {7: {1: 1}}, {"7": {"1": 0.5}}).per_query["AP"] == {"7": 1.0}


def test_names_of_columns_are_given() -> None:
    run = frame(ROWS, "Q", "D", "S")
    columns = {"run": {"query_id": "Q", "doc_id": "D", "score": "S"}}
    assert_wanted(rankproof.evaluate(list(WANTED), QRELS, run, columns=columns))
