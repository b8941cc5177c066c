"""Files as they come from other people's projects: each goes in as it is, and its numbers are those of arithmetic."""

import json
import math
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from refusing import refusal

import rankproof
from rankproof.cli.evaluate import command
from rankproof.evaluate import quick

SECOND = 1 / math.log2(3)
"""The discount of the second rank."""
QUESTIONS = [
    {"question": "why?", "retrieved_ids": ["c1", "c2"], "relevant_ids": ["c2"]},
    {"question": "who?", "retrieved_ids": ["c3"], "relevant_ids": ["c3", "c4"]},
    {"question": "when?", "retrieved_ids": ["c9", "c8", "c7"], "relevant_ids": ["c1"]},
]
NDCG = {"1": SECOND, "2": 1 / (1 + SECOND), "3": 0.0}
"""Of the three questions: the only one at rank 2; one of two at rank 1; none."""


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def renamed(**names: str) -> list[dict[str, Any]]:
    return [{names.get(key, key): value for key, value in row.items()} for row in QUESTIONS]


def as_docs(mine: str, theirs: str, doc: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    return [{theirs: [*map(doc, row["relevant_ids"])], mine: [*map(doc, row["retrieved_ids"])]} for row in QUESTIONS]


FRAME = pd.DataFrame(QUESTIONS)


OF_IDS = [
    QUESTIONS,
    renamed(question="user_input", retrieved_ids="retrieved_context_ids", relevant_ids="reference_context_ids"),
    renamed(question="text", retrieved_ids="retrieved_doc_ids", relevant_ids="expected_ids"),
]
OF_OBJECTS = [
    as_docs("retrieved_documents", "ground_truth_documents", lambda doc: {"id": doc, "content": f"text of {doc}"}),
    as_docs("retrieved_docs", "gold_docs", lambda doc: {"_id": doc, "page_content": "", "metadata": {"page": 1}}),
    as_docs("retrieved_documents", "relevant_ids", lambda doc: {"doc_id": doc, "score": 0.5}),
]
"""Docs that are objects go by their ids."""


@pytest.mark.parametrize(
    ("rows", "ending"),
    [*product(OF_IDS, ["jsonl", "json", "parquet"]), *product(OF_OBJECTS, ["jsonl", "json"])],
)
def test_one_file_of_a_row_a_question_is_qrels_and_run(rows: list[dict[str, Any]], ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rag.{ending}"
    if ending == "parquet":
        pd.DataFrame(rows).to_parquet(path)
    else:
        written(path, lines(rows) if ending == "jsonl" else json.dumps(rows))
    for given in ((str(path),), (str(path), str(path))):
        assert rankproof.evaluate("nDCG@10", *given).per_query["nDCG@10"] == pytest.approx(NDCG)
        told = CliRunner().invoke(command, [*given, "-m", "nDCG@10", "--json"])
        assert json.loads(told.stdout)["measures"]["nDCG@10"]["mean"] == pytest.approx(sum(NDCG.values()) / 3)


def test_a_frame_of_a_row_a_question_is_qrels_and_run() -> None:
    own = FRAME.rename(columns={"retrieved_ids": "mine", "relevant_ids": "theirs"}).assign(qid=["x", "y", "z"])
    columns = {"qrels": {"doc_id": "theirs"}, "run": {"doc_id": "mine"}}
    wanted = dict(zip("xyz", NDCG.values(), strict=True))
    assert rankproof.evaluate("nDCG@10", FRAME).per_query["nDCG@10"] == pytest.approx(NDCG)
    assert rankproof.evaluate("nDCG@10", own, columns=columns).per_query["nDCG@10"] == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [{"relevant_ids": ["a"], "gold_ids": ["b"], "retrieved_ids": []}],
            "relevant_ids or gold_ids could be the ids; say which",
        ),
        ([*QUESTIONS, {"retrieved_ids": [], "relevant_ids": "c1"}], ":4: relevant_ids is 'c1', no list of ids"),
        ([{**row, "qid": "q"} for row in QUESTIONS], ":2: query 'q' stands there twice"),
        ([QUESTIONS[0], {"relevant_ids": ["a"]}], ":2: no retrieved_ids among relevant_ids"),
        (
            [{"gold_ids": ["a"], "retrieved_docs": [{"text": "a"}]}],
            ":1: a doc with text, of which none, or several, is its id",
        ),
        (
            [*QUESTIONS, {"relevant_ids": ["a"], "retrieved_ids": [{"id": "a", "doc_id": "b"}]}],
            ":4: a doc with id, doc_id, of which none",
        ),
        ([QUESTIONS[0], {"retrieved_ids": [0.5], "relevant_ids": ["a"]}], "query '2', item 1: 0.5 is no id"),
    ],
)
def test_what_is_not_clear_of_a_row_a_question_is_refused(rows: list[Any], said: str, tmp_path: Path) -> None:
    assert said in refusal(rankproof.evaluate, "nDCG@10", str(written(tmp_path / "rag.jsonl", lines(rows))))


RELEVANT_LISTS = (
    "relevant_ids reference_context_ids relevant_doc_ids relevant_docs relevant_items expected_ids gold_ids ground_truth_ids "
    "ground_truth_context_ids ground_truth_doc_ids ground_truth_documents relevant_documents relevant_chunk_ids expected_doc_ids "
    "gold_doc_ids gold_docs positive_ids"
)
RETRIEVED_LISTS = (
    "retrieved_ids retrieved_context_ids retrieved_doc_ids retrieved_docs retrieved_items recommended_items predicted_ids ranked_ids "
    "retrieved_documents retrieved_chunk_ids ranked_doc_ids recommended_ids recommendations"
)


RANKED = {"1": ["a"], "2": ["b"], "3": ["b", "a"]}


@pytest.mark.parametrize("relevant", RELEVANT_LISTS.split())
def test_lists_of_ids_go_by_any_name_that_people_give_them(relevant: str) -> None:
    for retrieved in RETRIEVED_LISTS.split():
        rows = [{"qid": q, relevant: ["a"], retrieved: docs} for q, docs in RANKED.items()]
        assert rankproof.evaluate("RR", rows).per_query["RR"] == {"1": 1, "2": 0, "3": 1 / 2}


def test_the_column_of_questions_is_the_one_that_is_named() -> None:
    def lists(name: str, docs: list[list[str]], asked: list[str]) -> pd.DataFrame:
        return pd.DataFrame({"Q": asked, "id": ["x", "y", "z"], name: docs})

    qrels = lists("relevant_ids", [["a"], ["b"], ["c"]], ["q1", "q2", "q3"])
    run = lists("retrieved_ids", [["x", "c"], ["a"], ["x", "y", "b"]], ["q3", "q1", "q2"])
    wanted = {"q1": 1, "q2": 1 / 3, "q3": 1 / 2}
    assert rankproof.evaluate("RR", qrels, run, columns={"query_id": "Q"}).per_query["RR"] == wanted
    told = refusal(rankproof.evaluate, "RR", qrels, run, columns={"query_id": "N"})
    assert told == "the qrels: no N among Q, id, relevant_ids"


def test_a_file_that_is_no_run_does_not_go_alone(tmp_path: Path) -> None:
    alone = [{"qid": "q", "relevant_ids": ["a"]}]
    for name, text in (("q.jsonl", lines(alone)), ("q.json", json.dumps(alone)), ("q.txt", "q 0 a 1\n")):
        told = CliRunner().invoke(command, [str(written(tmp_path / name, text)), "-m", "RR"])
        assert told.exit_code == 2
        assert "Missing argument 'RUN...'" in told.output


BEIR_QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td3\t1\nq3\td1\t1\n"
RUN = {"q1": {"d2": 0.9, "d1": 0.4}, "q2": {"d3": 0.5, "d1": 0.1}, "q3": {"d9": 3, "d8": 2, "d1": 1}}
RECIPROCAL = {"q1": 1 / 2, "q2": 1.0, "q3": 1 / 3}


def in_json(folder: Path, qrels: Any, run: Any) -> list[str]:
    return [str(written(folder / f"{name}.json", json.dumps(of))) for name, of in (("qrels", qrels), ("run", run))]


@pytest.mark.parametrize("small", [0, 10**9])
@pytest.mark.parametrize("qrels", ["scifact", "scifact/qrels/test.tsv"])
def test_a_folder_of_beir_and_a_run_in_json(
    qrels: str, small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", small)
    written(tmp_path / "scifact/qrels/test.tsv", BEIR_QRELS)
    written(tmp_path / "scifact/corpus.jsonl", "")
    run = written(tmp_path / "run.json", json.dumps(RUN))
    assert rankproof.evaluate("RR", str(tmp_path / qrels), str(run)).per_query["RR"] == RECIPROCAL


def test_the_files_of_a_folder_of_qrels_are_named_in_order(tmp_path: Path) -> None:
    for name in ("dev", "train", "test", "all", "more"):
        written(tmp_path / f"qrels/{name}.tsv", BEIR_QRELS)
    which = ", ".join(str(tmp_path / f"qrels/{name}.tsv") for name in ("all", "dev", "more", "test", "train"))
    told = refusal(rankproof.evaluate, "RR", tmp_path, RUN)
    assert told == f"{tmp_path}: this is a folder; say which of {which}"
    for one in (tmp_path / "qrels").iterdir():
        one.unlink()
    told = refusal(rankproof.evaluate, "RR", tmp_path, RUN)
    assert told.endswith("this is a folder; there is no .tsv in its folder qrels")


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        (
            {"q1": {"a": 1}, "q2": {"c": 1}, "q3": {"d": 1}},
            {"q1": {"b": 2, "a": 1}, "q2": {"c": 1}, "q3": {"x": 3, "y": 2, "d": 1}},
        ),
        ({"q1": ["a"], "q2": ["c"], "q3": ["d", "e"]}, {"q1": ["b", "a"], "q2": ["c"], "q3": ["x", "y", "d"]}),
        (
            [
                {"qid": "q1", "docid": "a", "rel": 1},
                {"qid": "q2", "docid": "c", "rel": 2},
                {"qid": "q3", "docid": "d", "rel": 1},
            ],
            {"q1": [["b", 2], ["a", 1]], "q2": [["c", 0]], "q3": [["x", 5], ["d", 1], ["y", 3]]},
        ),
        (
            {
                "queries": {"q1": "why?"},
                "corpus": {"a": "text"},
                "relevant_docs": {"q1": ["a"], "q2": ["c"], "q3": ["d", "e"]},
            },
            {"q1": ["b", "a"], "q2": ["c"], "q3": ["x", "y", "d"]},
        ),
    ],
)
def test_json_is_what_it_is_in_memory(qrels: Any, run: Mapping[str, Any], tmp_path: Path) -> None:
    assert rankproof.evaluate("RR", *in_json(tmp_path, qrels, run)).per_query["RR"] == RECIPROCAL


@pytest.mark.parametrize("qrels", [[["a"], ["c"], ["d", "e"]], {"1": ["a"], "2": ["c"], "3": ["d", "e"]}])
def test_lists_of_lists_in_json_go_by_place(qrels: Any, tmp_path: Path) -> None:
    run = [["b", "a"], ["c"], ["x", "y", "d"]]
    paths = in_json(tmp_path, qrels, run)
    wanted = dict(zip("123", RECIPROCAL.values(), strict=True))
    assert rankproof.evaluate("RR", *paths).per_query["RR"] == wanted
    assert rankproof.evaluate("RR", qrels, paths[1]).per_query["RR"] == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "run.json:1: the file is empty"),
        ('{"q1": {"a": 1},\n "q2": {"b": }}', "run.json:2: this is no JSON"),
        (
            '[{"qid": "q1", "docid": "a", "score": 1}, {"qid": "q1", "docid": "b"}]',
            "run.json, row 2: no score among qid, docid",
        ),
        ("[" * 200 + "]" * 200, "nested"),
    ],
)
def test_json_that_is_no_run_is_refused_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    assert said in refusal(rankproof.evaluate, "RR", {"q1": {"a": 1}}, str(written(tmp_path / "run.json", text)))


@pytest.mark.parametrize("small", [0, 10**9])
def test_ms_marcos_three_columns_rank_by_the_third(small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_FILE", small)
    qrels = written(tmp_path / "qrels.dev.tsv", "7\t0\t30\t1\n8\t0\t10\t1\n9\t0\t20\t1\n")
    rows = "7\t10\t1\n7\t30\t2\n8\t10\t1\n9\t40\t3\n9\t20\t2\n9\t50\t1\n"
    found = rankproof.evaluate("RR@10", str(qrels), str(written(tmp_path / "run.tsv", rows)))
    assert found.per_query["RR@10"] == {"7": 1 / 2, "8": 1.0, "9": 1 / 2}


def test_ms_marcos_documents_have_names(tmp_path: Path) -> None:
    """The first line need not be of the first rank."""
    run = written(tmp_path / "run.tsv", "174249\tD31\t2\n174249\tD9\t1\n8\tD10\t1\n9\tD1\t1\n9\tD2\t2\n9\tD3\t3\n")
    found = rankproof.evaluate("RR", {"174249": {"D31": 1}, "8": {"D10": 1}, "9": {"D3": 1}}, str(run))
    assert found.per_query["RR"] == {"174249": 1 / 2, "8": 1.0, "9": 1 / 3}


@pytest.mark.parametrize("first", ["7\t10\t2", "7\t10\t0.5", "7\t10\trank", "7\t10\t1\t0"])
def test_what_does_not_begin_at_rank_one_has_to_name_its_columns(first: str, tmp_path: Path) -> None:
    run = written(tmp_path / "run.tsv", f"{first}\n7\t30\t3\n")
    assert "run.tsv:" in refusal(rankproof.evaluate, "RR", {"7": {"30": 1}}, str(run))


@pytest.mark.parametrize("small", [0, 10**9])
def test_ranks_without_scores_are_the_order(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    run = pd.DataFrame({"qid": ["a", "a", "b", "b", "b"], "docno": list("xyxyz"), "rank": [2, 1, 3, 1, 2]})
    found = rankproof.evaluate("RR", {"a": {"x": 1}, "b": {"z": 1}, "c": {"x": 1}}, run)
    assert found.per_query["RR"] == {"a": 1 / 2, "b": 1 / 2, "c": 0}


EMPTY = FRAME[:0]
ROWS = pd.DataFrame({"qid": ["q1"], "docno": ["a"], "rel": [1], "score": [1.0]})


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        ({}, RUN, "the qrels: it is empty: no query is judged"),
        (RUN, {}, "the run: it is empty: there is no query in it"),
        (ROWS, ROWS[:0], "the run: it is empty"),
        (ROWS[:0], ROWS, "the qrels: it is empty"),
        (ROWS, iter(()), "the run: it is empty"),
        ([], RUN, "the qrels: it is empty"),
        (ROWS, {"qid": [], "docno": [], "score": []}, "the run: it is empty"),
    ],
)
def test_what_is_empty_in_memory_is_refused_as_an_empty_file_is(qrels: Any, run: Any, said: str) -> None:
    assert said in refusal(rankproof.evaluate, ["RR", "nDCG@10"], qrels, run)
