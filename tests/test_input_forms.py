"""The forms of input that are no plain qrels and run: several runs, lists of rels, matrices, files with a header."""

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankproof
from rankproof.evaluating.inputs import BadInput, read_qrels, read_run
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
FIRST, SECOND = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
LISTED = {"query": ["q1", "q1", "q2"], "docid": ["b", "a", "a"], "score": [2.0, 1.0, 1.0], "system": ["second"] * 3}
Written = Callable[..., str]


@pytest.fixture
def file(tmp_path: Path) -> Written:
    def written(content: str | bytes, name: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


def refusal(*args: Any, **kwargs: Any) -> str:
    with pytest.raises(BadInput) as refused:
        rankproof.evaluate(*args, **kwargs)
    message = str(refused.value)
    assert "\n" not in message
    return message


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


def test_what_is_said_of_one_side_counts_on_it_and_the_rest_on_both() -> None:
    qrels = {"Q": ["1", "2", "3"], "D": ["a", "b", "c"], "R": ["x", "y", "z"], "rel": [1, 1, 1]}
    run = {"Q": ["1", "2", "3"], "D": ["x", "y", "z"], "R": ["a", "b", "c"], "score": [1.0, 1.0, 1.0]}
    columns = {"query_id": "Q", "doc_id": "D", "run": {"doc_id": "R"}}
    assert rankproof.evaluate("P@1", qrels, run, columns=columns).mean["P@1"] == 1
    turned = {"query_id": "Q", "doc_id": "R", "qrels": {"doc_id": "D"}}
    assert rankproof.evaluate("P@1", qrels, run, columns=turned).mean["P@1"] == 1


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
        ("first", "q1"): 1.0, ("first", "q2"): 0.0, ("second", "q1"): 0.5, ("second", "q2"): 1.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"bm25": FIRST, "q1": {"a": 1.0}}, "the run: 'bm25' is a run and 'q1' is docs with scores; give {query: {doc"),
        ({"bm25": FIRST, "x": 7}, "the run: 'bm25' is a run and 'x' is of type int; give"),
        (
            {"query": ["q1"], "docid": "a"},
            "the run: 'docid' is no list, as the column 'query' is; give a list for each",
        ),
        ({1: FIRST}, "the run: the system 1 is of type int; names of systems are text"),
        ([FIRST, 7], "the run: item 2 of the list is of type int where a run is needed"),
        ([{"a": 1.0}], "the run: item 1 of the list is docs with scores where a run is needed"),
        ({"bm25": FIRST, "x": {"q1": {"a": "1"}}}, "the run of x, query 'q1': the score is '1', no number"),
        ([FIRST, LISTED | {"score": [1.0]}], "the run of second: the column 'score' is 1 long and 'query' 3"),
    ],
)
def test_what_is_no_set_of_runs_is_refused(runs: Any, message: str) -> None:
    assert refusal("AP", QRELS, runs).startswith(message)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (FIRST, "the run: a dict of dict has no column of systems; give a dict of lists, a frame or a file"),
        (
            {"query": [0], "docid": ["a"]},
            "the run: no system among query, docid; say what they are called by columns={'system': …}",
        ),
        ({"query": [0], "docid": "a"}, "the run: 'docid' is no list, as the column 'query' is; give a list for each"),
        ({"query": [0], "system": [1]}, "the run, row 1: the system is 1, no text"),
        (7, "the run: int is no dict of lists, frame, path or list of named tuples"),
        ([("a", "b")], "the run, row 1: no system among tuple; say what they are called by columns={'system': …}"),
    ],
)
def test_what_cannot_be_parted_is_refused(run: Any, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        rankproof.by_system(run)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("caf\xe9 Q0 a 1 2 x", r"'caf\xe9' is not UTF-8"), ("q Q0 caf\xe9 1 2 x", r"'caf\xe9' is not UTF-8"),
        ("q Q0 a 1 2 caf\xe9", r"'caf\xe9' is not UTF-8"), ("q Q0 a 1 high x", "the score 'high' is no number"),
        ("q Q0 a 1 2", "5 fields where 6 are needed"),
    ],
)  # fmt: skip
def test_a_bad_line_of_a_file_to_be_parted_is_named(line: str, message: str, file: Written) -> None:
    path = file(f"q Q0 b 1 2 x\n{line}\n".encode("latin1"), "run.txt")
    with pytest.raises(BadInput) as refused:
        rankproof.by_system(path)
    assert str(refused.value).startswith(f"{path}:2: {message}")


# -- lists of rels -----------------------------------------------------------------------------------------------------


def test_ties_without_docids_are_refused_where_an_id_would_decide() -> None:
    assert refusal("P@1", [[1, 0], [1, 0]], [[2, 1], [1, 1]]) == (
        "the scores, query '2': items 1 and 2 are tied, and no docids order them, which ties=docid-desc needs; "
        "say how they stand: ties=input, ties=expectation, … behind the profile's name"
    )
    assert "ties=docid-asc" in refusal("P@1", [1, 0], [1, 1], profile="ties=docid-asc")
    nearly = [1, 1 + 1e-9]
    assert "are tied" in refusal("P@1", [1, 0], nearly, profile="score=f32")
    assert rankproof.evaluate("P@1", [0, 1], nearly).mean["P@1"] == 1.0
    assert rankproof.evaluate("P@1", [1, 1, 0], [1, 1, 0]).mean["P@1"] == 1.0, "alike but for their ids"
    assert "items 2 and 3 are tied" in refusal("P@1", [0, 1, 0], [-1, 2, 2], profile="score_sign=positive")
    assert rankproof.evaluate("P@1", [1, 0], [-1, -1], profile="score_sign=positive").mean["P@1"] == 0.0, (
        "none is retrieved"
    )
    assert rankproof.evaluate("P@1", [1, 0], [0, 0], profile="score_sign=positive").mean["P@1"] == 0.0, (
        "0 is not positive"
    )
    for ties, value in (("input", 1.0), ("input-reversed", 0.0), ("expectation", 0.5), ("worst", 0.0)):
        assert rankproof.evaluate("P@1", [1, 0], [1, 1], profile=f"ties={ties}").mean["P@1"] == value
    assert rankproof.evaluate("P@1", [1, 0], [1, 1], profile="order=input").mean["P@1"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 1],), {"R": 1}, "R: 1 for query '1', whose list alone has 2 relevant"),
        (([[1], [1]],), {"R": [1]}, "R: 1 number for 2 queries"),
        (([1],), {"R": 1.5}, "R: 1.5 is no whole number"),
        (([2],), {"R": 2}, "R: goes with rels of 0 and 1 only"),
        (([1],), {"R": 2, "profile": "known=retrieved"}, "R: by known=retrieved, nDCG knows only what the list holds"),
        ((QRELS, FIRST), {"R": 2}, "R: goes with lists of rels"),
        ((QRELS, FIRST), {"group_id": [1]}, "group_id: goes with lists of rels"),
        (([1],), {"columns": {"doc_id": "x"}}, "columns: goes with files, frames and records"),
        (([1],), {"separator": "|"}, "separator: goes with files, frames and records"),
        (([],), {}, "the rels: an empty list says neither one ranking nor several"),
        (([1, "0"],), {}, "the rels, query '1', item 2: the rel is '0', no number"),
        (([1, math.nan],), {}, "the rels, query '1', item 2: the rel is nan, no number"),
        (([[1], 0],), {}, "the rels, item 2: 0 where a list is needed, as others are"),
        (([[[1]]],), {}, "the rels, query '1', item 1: the rel is [1], no number"),
        (([1, 0], [0.5]), {}, "the scores, query '1': 1 beside 2 rels"),
        (([[1, 0]], [0.5, 0.1]), {}, "the scores: they are one flat list where the rels are nested, [[…], …]"),
        (([[1], [0]], [[0.5]]), {}, "the scores: they are of 1 query and the rels of 2"),
        (([1, 0], [0.5, math.nan]), {}, "the scores, query '1', item 2: the score is nan, no number"),
        (([1, 0], [0.5, "0.1"]), {}, "the scores, query '1', item 2: the score is '0.1', no number"),
        (([1, 0], [2, 1]), {"profile": "order=rank"}, "the scores: they are no ranks, which order=rank needs"),
        (([1, 0], {"a": 1}), {}, "the scores: dict beside a list of rels"),
        (([1, 0], "run.txt"), {}, "the scores: str beside a list of rels"),
        (([1, 0], [2, 1]), {"group_id": [1]}, "group_id: 1 where the rels are 2; each item has its query"),
        (([1, 0], [2, 1]), {"group_id": "12"}, "group_id: str is no list of a query for each item"),
        (([[1]], [[2]]), {"group_id": [1]}, "group_id: it parts one flat list, and the rels are several"),
        (([1], [2]), {"group_id": [1.5]}, "group_id, item 1: the query is 1.5, a float"),
        (
            ([("q", "a", 1)], [("q", "a", 2)]),
            {},
            "the rels, query '1', item 1: the rel is 'q', no number; qrels by row",
        ),
        ((QRELS,), {}, "the run: it is missing; only a list of rels, in rank order, goes without one"),
    ],
)
def test_what_is_no_list_of_rels_is_refused(arguments: Any, options: Any, message: str) -> None:
    assert refusal("nDCG", *arguments, **options).startswith(message)


def test_a_measure_with_a_threshold_has_another_r() -> None:
    assert refusal("P(rel=2)@5", [1], R=2).startswith(
        "R: it counts docs of rel 1, and P(rel=2)@5 has a threshold of its own"
    )


def test_series_in_another_order_are_refused() -> None:
    import pandas as pd

    y, y_hat = pd.Series([1, 0], index=["a", "b"]), pd.Series([0.1, 0.2], index=["b", "a"])
    assert refusal("RR", y, [0.1, 0.2], group_id=y_hat).startswith(
        "group_id: its index is not that of the other series"
    )
    assert refusal("RR", y, y_hat).startswith("the scores: its index is not that of the other series; align them")
    assert rankproof.evaluate("RR", y, y_hat[y.index]).mean["RR"] == 1.0
    assert rankproof.evaluate("RR", y, y_hat.to_numpy()).mean["RR"] == 0.5


def test_a_list_of_frames_is_no_list_of_rels() -> None:
    import pandas as pd

    frame = pd.DataFrame({"query": ["q1"], "docid": ["a"], "rel": [1]})
    assert refusal("AP", [frame], FIRST).startswith("the qrels, row 1: a DataFrame among rows; give it by itself")


def test_a_frame_of_qrels_without_a_run_is_no_frame_of_rels() -> None:
    import pandas as pd

    assert refusal("AP", pd.DataFrame({"query": [1], "docid": [2], "rel": [1]})).startswith("the run: it is missing")
    assert refusal("AP", pd.DataFrame({"topic": [1], "doc": ["a"]})).startswith("the run: it is missing")
    assert refusal("AP", pd.DataFrame([[1, 0]]), [[0.1, 0.2]]).startswith("the qrels: no query_id and no doc_id")


# -- a similarity matrix -----------------------------------------------------------------------------------------------

SIMILAR = [[1, 0.3, 0.7], [0.3, 1, 0.1], [0.7, 0.1, 1]]


def test_each_item_of_a_matrix_is_a_query_of_all_others() -> None:
    import pandas as pd

    expected = [0.0, 1.0, 0.0]  # 0 finds 2 first, 1 finds 0, 2 finds 0: only 1 finds its like
    assert list(rankproof.evaluate("CG@1", ["a", "a", "b"], SIMILAR).per_query["CG@1"].values()) == expected
    frame = pd.DataFrame(SIMILAR, index=["x", "y", "z"], columns=["x", "y", "z"])
    assert rankproof.evaluate("CG@1", ["a", "a", "b"], frame).per_query["CG@1"] == dict(
        zip("xyz", expected, strict=True)
    )
    blank = [[math.nan if i == j else value for j, value in enumerate(row)] for i, row in enumerate(SIMILAR)]
    assert rankproof.evaluate("CG@1", ["a", "a", "b"], blank).mean["CG@1"] == 1 / 3, "an item is no doc of its own"


@pytest.mark.parametrize(
    ("labels", "matrix", "options", "message"),
    [
        (
            ["a", "b"],
            SIMILAR,
            {},
            "the matrix: 3 rows, where the 2 labels beside it need 2 rows and 2 columns; rels and",
        ),
        (["a", "b"], [[1, 2], [1]], {}, "the matrix, row 2: 1 column, where the 2 labels beside it need"),
        (["a", "b"], [[1, 2], 1], {}, "the matrix, row 2: no columns, where the 2 labels beside it need"),
        (["a", None], [[1, 2], [2, 1]], {}, "the labels, item 2: the label is None"),
        (["a", "b"], [[1, math.nan], [2, 1]], {}, "the matrix, row 1, column 2: the score is nan, no number"),
        (["a", "b"], [[1, "x"], [2, 1]], {}, "the matrix, row 1, column 2: the score is 'x', no number"),
        (["a", "b"], [[1, 2], [2, 1]], {"profile": "order=rank"}, "the matrix: similarities are no ranks"),
        (["a", "b"], [[1, 2], [2, 1]], {"R": 2}, "R: goes with lists of rels; a matrix says"),
    ],
)
def test_what_is_no_matrix_with_labels_is_refused(labels: Any, matrix: Any, options: Any, message: str) -> None:
    assert refusal("CG@1", labels, matrix, **options).startswith(message)


def test_bad_frames_of_similarities_are_refused() -> None:
    import pandas as pd

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
        (
            "query_id,doc_id\nq,a\n",
            (
                ":1: no score among query_id, doc_id; say what they are called by --column run.query_id=query_id "
                "--column run.doc_id=doc_id --column run.score=…, or in Python by columns={'run': {'query_id': 'query_id',"
            ),
        ),
        (
            "query_id|doc_id|score\nq|a|1\n",
            ":1: one column only, 'query_id|doc_id|score', where ',' separates them; say what",
        ),
        ("query_id,doc_id,score,score\nq,a,1,1\n", ":1: two columns are called 'score'"),
        ("query_id,doc_id,score\nq,a,1\nq,b\n", ":3: 2 fields where the first line names 3 columns"),
        ("query_id,doc_id,score\nq,a,1\nq,b,0.5\nq,c,0,25\n", ":4: 4 fields where the first line names 3 columns"),
        ("query_id,doc_id,score\nq,a,high\n", ":2: the score 'high' is no number"),
        ("query_id,doc_id,score\nq,a,nan\n", ":2: the score is nan, no number"),
        ("query_id,doc_id,score\nq,a,\n", ":2: the score '' is no number"),
        ('query_id,doc_id,score\nq,"a,1\n', ":2: the fields do not read: unexpected end of data"),
        ("query_id,doc_id,score\nq,caf\xe9,1\n".encode("latin1"), ":2: 'q,caf\\xe9,1"),
        ("", ":1: the file is empty; its first line names the columns"),
    ],
)
def test_a_bad_separated_file_is_refused_with_line_and_mend(file: Written, content: str | bytes, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_run(file(content, "run.csv"), None, Conventions())
    assert message in str(refused.value)
    assert "run.csv:" in str(refused.value)


@pytest.mark.parametrize("separator", ["||", "", '"', "\n"])
def test_a_separator_is_one_character(file: Written, separator: str) -> None:
    with pytest.raises(BadInput, match="is not one character that separates fields, as ',' or"):
        read_qrels(file(CSV, "qrels.csv"), separator=separator)


# -- columns -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [{"doc": "D"}, {"run": {"doc": "D"}}])
def test_a_misspelt_column_is_refused(columns: Any) -> None:
    message = "columns: 'doc' is none of query_id, doc_id, relevance, score, rank, system; write {'doc_id': 'its name"
    assert refusal("AP", QRELS, FIRST, columns=columns).startswith(message)
    assert refusal("AP", QRELS, FIRST, columns="doc").startswith("columns: it is no mapping")
    assert refusal("AP", QRELS, FIRST, columns={"run": "doc"}).startswith("columns: it is no mapping")
