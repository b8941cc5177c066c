"""Reading qrels and runs: every form gives the same rows, and what does not read is refused in one line."""

import gzip
import math
import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from refusing import refusal

from rankproof.evaluate.inputs import read_qrels, read_run
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow

QRELS = "q1 0 a 2\nq1 0 b 0\nq2 0 a -1\n"
RUN = "q1 Q0 b 1 2.5 tag\nq2 Q0 a 1 1 tag\nq1 Q0 a 2 1e-3 tag\n"
BY_RANK = Conventions(order="rank")
Written = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Written:
    def written(content: str | bytes, name: str = "file.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


OTHER_BYTES = {
    "white space and blank lines": QRELS.replace(" ", "\t \t").replace("\n", "\r\n\n  \n"),
    "byte order mark": "\ufeff" + QRELS,
    "gzip": gzip.compress(QRELS.encode(), mtime=0),
    "gzip of a byte order mark": gzip.compress(("\ufeff" + QRELS).encode(), mtime=0),
    "gzip in two members": gzip.compress(b"q1 0 a 2\n", mtime=0) + gzip.compress(QRELS[9:].encode(), mtime=0),
}


@pytest.mark.parametrize("how", OTHER_BYTES)
def test_the_same_qrels_in_other_bytes(file: Written, how: str) -> None:
    assert read_qrels(file(OTHER_BYTES[how])).of == read_qrels(file(QRELS, "plain.txt")).of


def test_a_pipe_serves() -> None:
    reading, writing = os.pipe()
    os.write(writing, gzip.compress(QRELS.encode(), mtime=0))
    os.close(writing)
    try:
        assert list(read_qrels(f"/dev/fd/{reading}").of) == ["q1", "q2"]
    finally:
        os.close(reading)


def test_only_ascii_white_space_separates_fields(file: Written) -> None:
    assert read_qrels(file("q1 0 a\u00a0b\u3000c\x1fd 1\n")).of["q1"] == [Judgment("a\u00a0b\u3000c\x1fd", 1)]


def test_fractional_rels_and_extreme_scores_are_kept(file: Written) -> None:
    assert read_qrels(file("q1 0 a 0.5\n")).of["q1"] == [Judgment("a", 0.5)]
    run = read_run(file("q Q0 a 1 inf t\nq Q0 b 2 1e999 t\nq Q0 c 3 -0.0 t\n"))
    assert [row.score for row in run.of["q"]] == [math.inf, math.inf, 0.0]


def test_ranks_are_read_only_where_docs_are_ranked_by_them(file: Written) -> None:
    path = file("q1 Q0 a - 2.5 tag\n")
    assert read_run(path).of["q1"] == [QueryRow("a", 2.5)]
    assert ":1: the rank '-' is no whole number" in refusal(read_run, path, None, BY_RANK)
    assert read_run(file(RUN), None, BY_RANK).of["q1"] == [QueryRow("b", 2.5, 1), QueryRow("a", 0.001, 2)]


def test_a_score_that_nothing_depends_on_may_be_nan(file: Written) -> None:
    for source in (file("q Q0 a 1 nan t\n"), {"q": {"a": math.nan}}):
        (row,) = read_run(source, None, Conventions(order="input")).of["q"]
        assert math.isnan(row.score)
        for conventions in (Conventions(), Conventions(order="input", score_sign="positive")):
            assert "no number" in refusal(read_run, source, None, conventions)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 0 a 1\nq1 0 b\n", ":2: 3 fields where 4 are needed, query iteration doc rel; is the rel missing?"),
        ("q1 0\n", ":1: 2 fields where 4 are needed, query iteration doc rel; they are separated by white space"),
        ("q1 0 a 1\nq\xe9 0 a 1\n".encode("latin1"), r":2: 'q\xe9' is not UTF-8; convert the file"),
        ("q1\n", ":1: 1 field where 4 are needed, query iteration doc rel; they are separated by white space"),
        ("q1 0 a b 1\n", ":1: 5 fields where 4 are needed, query iteration doc rel; has an id a blank in it?"),
        (RUN, ":1: 6 fields where 4 are needed, query iteration doc rel; is it a run?"),
        ("q1 0 a 1\n\nq1 0 b high\n", ":3: the rel 'high' is no finite number"),
        ("q1 0 a 1_0\n", ":1: the rel '1_0' is no finite number"),
        ("q1 0 a nan\n", ":1: the rel 'nan' is no finite number"),
        ("q1 0 a 1\nq1 0 caf\xe9 1\n".encode("latin1"), r":2: 'caf\xe9' is not UTF-8; convert the file"),
        ("q\xe9 0 a 1\n".encode("latin1"), r":1: 'q\xe9' is not UTF-8; convert the file"),
        (QRELS.encode("utf-16"), ":1: this is UTF-16 text: save it as UTF-8"),
        (b"\x7fELF\0\0\0", ":1: this is a binary file; qrels and runs are text"),
        (b"x" * 20_000 + b"\n\0\0\n", ":1: 1 field where 4 are needed"),
        (b"q1 0 a 1\n" * 2000 + b"q1 \0\n", ":2001: this is a binary file; qrels and runs are text"),
        ("", ":1: the file is empty; a line of it is: query iteration doc rel"),
        (" \n\n", ":1: the file is empty; a line of it is: query iteration doc rel"),
        (gzip.compress(b"", mtime=0), ":1: the file is empty; a line of it is: query iteration doc rel"),
    ],
)
def test_bad_qrels_are_refused_with_line_and_mend(file: Written, content: str | bytes, message: str) -> None:
    assert refusal(read_qrels, path := file(content)).startswith(path + message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 Q0 a 1 2.5\n", ":1: 5 fields where 6 are needed, query Q0 doc rank score tag; is the tag missing?"),
        (QRELS, ":1: 4 fields where 6 are needed, query Q0 doc rank score tag; is it the qrels?"),
        ("q1 Q0 a 1 high tag\n", ":1: the score 'high' is no number"),
        ("q1 Q0 a 1 NaN tag\n", ":1: the score 'NaN' is no number: no order is right"),
        ("q1 Q0 a 1 1_000 tag\n", ":1: the score '1_000' is no number"),
        ("q1 Q0 a 1 1,5 tag\n", ":1: the score '1,5' is no number"),
        (b"q1 Q0 a 1 1 t\nq1 Q0 b 2 \xff t\n", r":2: the score '\\xff' is no number"),
        ("q1 Q0 a 1 2 tag\nq1 Q0 caf\xe9 1 2 tag\n".encode("latin1"), r":2: 'caf\xe9' is not UTF-8"),
        ("q1 Q0 a 1 2 tag\nq\xe9 Q0 a 1 2 tag\n".encode("latin1"), r":2: 'q\xe9' is not UTF-8"),
        ("q1 Q0 a 1 2 t\nq1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n", ":3: doc 'a' stands twice under query 'q1', first on line 1"),
        ("", ":1: the file is empty; a line of it is: query Q0 doc rank score tag"),
    ],
)
def test_a_bad_run_is_refused_with_line_and_mend(file: Written, content: str | bytes, message: str) -> None:
    assert refusal(read_run, path := file(content)).startswith(path + message)


def test_a_long_field_is_not_shown_whole(file: Written) -> None:
    assert len(refusal(read_qrels, file("q1 0 a " + "9x" * 5000))) < 400


@pytest.mark.parametrize("cut", [12, 2, -9])
def test_truncated_gzip_is_refused_with_the_line_it_came_to(file: Written, cut: int) -> None:
    packed = gzip.compress(b"".join(b"q%d 0 a 1\n" % i for i in range(20_000)))
    path = file(packed[:cut], "qrels.gz")
    told = refusal(read_qrels, path)
    assert "ends too early" in told
    assert int(told.removeprefix(path + ":").split(":")[0]) > (10_000 if cut < 0 else 0)


def test_damaged_gzip_is_refused(file: Written) -> None:
    packed = bytearray(gzip.compress(QRELS.encode(), mtime=0))
    packed[-8] ^= 1  # the checksum
    assert "the gzip data is damaged" in refusal(read_qrels, file(bytes(packed)))
    packed[12] ^= 0xFF
    assert "the gzip data is damaged" in refusal(read_qrels, file(bytes(packed)))


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    assert refusal(read_qrels, tmp_path / "none.txt") == f"{tmp_path / 'none.txt'}: no such file or directory"
    assert refusal(read_run, tmp_path) == f"{tmp_path}: is a directory"


def test_a_dict_serves_and_its_ids_are_text() -> None:
    assert read_qrels({1: {"a": 2, 7: True}, "q": {}}).of == {"1": [Judgment("a", 2), Judgment("7", 1)], "q": []}
    assert read_run({1: {"a": 2}}).of == {"1": [QueryRow("a", 2.0)]}
    assert read_qrels({"q": {"a": Fraction(1, 2)}}).of["q"][0].rel == Fraction(1, 2)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({1.0: {"a": 1}}, "the qrels: the query is 1.0, a float; ids are text or whole numbers"),
        ({"q": {None: 1}}, "the qrels, query 'q': the doc is None, a NoneType; ids are text or whole numbers"),
        ({"q": [1, 0]}, "the qrels: it is not clear whether these lists hold ids of relevant docs or rels"),
        ({"q": {"a": "1"}}, "the qrels, query 'q': the rel is '1', no number"),
        ({"q": {"a": float("nan")}}, "the qrels, query 'q': the rel is nan, no number"),
        ({"1": {"a": 1}, 1: {"b": 1}}, "the qrels: query '1' stands there twice, as text and as a number; ids"),
        ({"q": {"1": 1, 1: 2}}, "the qrels, query 'q': doc '1' stands twice under query 'q', first on query 'q'; "),
        (7, "the qrels: int is no path, dict of dict, frame or iterable of named tuples"),
        (
            [("q", "a", 1)],
            "the qrels, row 1: no query_id and no doc_id and no relevance among tuple; say what they are called by columns=",
        ),
    ],
)
def test_bad_objects_are_refused(source: Any, message: str) -> None:
    assert refusal(read_qrels, source).startswith(message)


def test_a_run_that_is_no_dict_of_dict_says_what_is_needed() -> None:
    assert refusal(read_run, {"q": "a"}) == "the run, query 'q': str where a dict of doc and score is needed"


def test_bad_frames_are_refused() -> None:
    import pandas as pd

    run = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"], "score": [1.0, 2.0]})
    assert refusal(read_run, run).startswith("the run, row 2: doc 'a' stands twice under query '1', first on row 1; ")
    assert refusal(read_run, run.drop(columns="score")).startswith("the run: no score among query_id, doc_id; say what")
    assert refusal(read_run, run, None, BY_RANK).startswith("the run: no rank among query_id, doc_id, score; ")
    assert refusal(read_run, run.assign(score=[1.0, None])) == "the run, row 2: the score is nan, no number"
    assert refusal(read_run, run.assign(query_id=[1.0, 2.0])).startswith("the run, row 1: the query is 1.0, a float; ")
    for rank, said in ((None, "nan, no number"), (1.5, "1.5, no whole number")):
        ranked = run.assign(rank=[1, rank])
        assert refusal(read_run, ranked, None, BY_RANK) == f"the run, row 2: the rank is {said}"


def test_rows_that_were_read_are_not_read_again(file: Written) -> None:
    qrels, run = read_qrels(file(QRELS)), read_run(file(RUN))
    assert read_qrels(qrels) is qrels
    assert read_run(run) is run


def test_a_score_too_large_for_a_float_is_refused() -> None:
    told = refusal(read_run, {"q": {"a": 10**400}})
    assert told == "the run, query 'q': the score is a whole number too large for a float"


# -- dicts of lists, as Hugging Face's evaluate takes them -----------------------------------------------------------

LISTED_QRELS = {"query": [0, 0, 1], "q0": ["q0"] * 3, "docid": ["a", "b", ""], "rel": [2, 0, 1]}


def test_a_query_may_be_called_query_and_a_doc_docid() -> None:
    qrels = {"query": {"docid": 1, "rel": 0}, "docid": {"a": 1}}
    assert read_qrels(qrels).of == {"query": [Judgment("docid", 1), Judgment("rel", 0)], "docid": [Judgment("a", 1)]}


def test_a_dict_of_lists_without_a_column_names_those_it_has() -> None:
    assert refusal(read_qrels, LISTED_QRELS | {"q0": "q0"}) == (
        "the qrels: 'q0' is no list, as the column 'query' is; give a list for each column, one value a row"
    )
    misnamed = {"query": [0], "text": ["a"], "rel": [1]}
    assert refusal(read_qrels, misnamed) == (
        "the qrels: no doc_id among query, text, rel; say what they are called by "
        "columns={'qrels': {'query_id': 'query', 'doc_id': …, 'relevance': 'rel'}}"
    )
    told = refusal(read_run, misnamed, {"doc_id": "D"})
    assert told.startswith("the run: no D and no score among query, text, rel; ")
    assert "'doc_id': …," in told


QUERIES_ARE_CALLED = "query_id query qid query-id user_id user userId userID topic"
DOCS_ARE_CALLED = "doc_id docid docno doc corpus-id corpus_id item_id item itemId itemID movieId movie_id"


@pytest.mark.parametrize("query", QUERIES_ARE_CALLED.split())
@pytest.mark.parametrize("doc", DOCS_ARE_CALLED.split())
def test_columns_are_found_by_the_names_that_people_give_them(query: str, doc: str) -> None:
    for rel in ("relevance", "rel", "label", "rating", "grade"):
        assert read_qrels({query: [7], doc: ["a"], rel: [1]}).of == {"7": [Judgment("a", 1)]}
    for score in ("score", "sim", "similarity", "prediction"):
        assert read_run({query: [7], doc: ["a"], score: [1.5]}).of == {"7": [QueryRow("a", 1.5)]}


@pytest.mark.parametrize("score", ["score", "sim", "similarity"])
def test_a_score_of_json_that_is_true_is_no_number_whatever_its_column_is_called(score: str, tmp_path: Path) -> None:
    rows = "".join(f'{{"qid": "q", "docno": "{doc}", "{score}": {x}}}\n' for doc, x in (("a", 2), ("b", "true")))
    (path := tmp_path / "run.jsonl").write_text(rows, encoding="utf-8")
    assert refusal(read_run, str(path)) == f"{path}:2: the score is true, no number"


def test_a_score_that_nothing_asks_for_may_be_one_of_two() -> None:
    run = {"query": [1], "doc": ["a"], "score": [1.0], "sim": [2.0]}
    assert read_run(run, None, Conventions(order="input")).of == {"1": [QueryRow("a", 0.0)]}
    assert "score or sim could be the score" in refusal(read_run, run)


def test_two_columns_of_one_name_and_tables_in_lists_are_refused() -> None:
    import pandas as pd

    frame = pd.DataFrame([[0, "a", 1, 2]], columns=["query", "docid", "rel", "rel"])
    assert refusal(read_qrels, frame) == "the qrels: two columns are called rel; rename or drop one"
    assert refusal(read_qrels, [LISTED_QRELS]).startswith("the qrels, row 1: a dict among rows; give it by itself")
