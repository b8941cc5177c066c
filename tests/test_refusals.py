"""What cannot be measured, read or understood is refused in a sentence, to the last word."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusing import refusal

import rankproof
from rankproof.evaluate.inputs.run_files import run_files
from rankproof.evaluate.library_profiles import profile_named
from rankproof.inference.signatures import parse as signature
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.notation import refuse_taken as refuse_alias
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.shown import first_of
from rankproof.reference_impl.unusable import Unusable
from rankproof.version import VERSION

ONE, ONE_RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}


@pytest.mark.parametrize("ending", [".xlsx", ".XLSX", ".ods"])
def test_a_spreadsheet_is_named_as_one(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{ending}"
    path.write_bytes(b"PK\x03\x04" + b"\0" * 60)
    assert "this is a spreadsheet: save it as CSV" in refusal(rankproof.evaluate, "P@5", ONE, str(path))


IF_RANKS = "if these are the ranks of first hits, give [[int(place == rank) for place in range(1, 1001)] for rank in"
FLAT = "rels and scores of one query are both flat, of several both nested"
WRITE = "write {'doc_id': 'its name in yours'}, or --column doc_id=NAME"


@pytest.mark.parametrize(
    ("asked", "options", "said"),
    [
        *(
            (("P", [1, 0]), {"k": k}, f"k: {one!r} is no cutoff; a cutoff is a whole number from 1 on")
            for k, one in ((10**18, 10**18), (0, 0), ([2.0], 2.0), ("5", "5"), (True, True))
        ),
        (("Rprec", [1, 0]), {"k": 5}, "Rprec@5: Rprec has no cutoff"),
        (("IPrec", [1, 0]), {"k": 5}, "IPrec@5: a recall level is a number from 0 to 1"),
        (("P", [1, 0]), {"k": []}, "k: no cutoff is given; leave k out, or give one"),
        ((["P", "R@5"], [1, 0]), {"k": 5}, "k: R@5 has a cutoff already; ask R, or leave k out"),
        (
            ("AP", ONE, ONE_RUN),
            {"signature": ["P@1|ties:input", "AP|missing:nan"]},
            (
                f"AP is asked under different conventions, AP|by:reference|rankproof:{VERSION} and "
                f"AP|missing:nan|by:reference|rankproof:{VERSION}; ask them one by one"
            ),
        ),
        (
            ("P@1|by:x", [1, 0]),
            {},
            "P@1|by:x is a signature, and no measure: ask for it by --signature, or as the signature",
        ),
        (
            ("P@1", [[1, 0]], [0.1, 0.2]),
            {},
            "the scores: they are one flat list where the rels are nested, [[…], …]; a rel and a score for each doc",
        ),
        (
            ("P@1", [[1], [0], [1]], [[0.1], [1]]),
            {},
            "the scores: they are of 2 queries and the rels of 3; a rel and a score for each doc",
        ),
        (
            ("P@1", [[1], [0]], [[0.5]]),
            {},
            "the scores: they are of 1 query and the rels of 2; a rel and a score for each doc",
        ),
        (("P@1", [1, 0], [0.5]), {}, "the scores, query '1': 1 beside 2 rels; a rel and a score for each doc"),
        (
            ("P@1", [[1], [0, 1]], [[0.1], [1]]),
            {},
            "the scores, query '2': 1 beside 2 rels; a rel and a score for each doc",
        ),
        *(
            (
                ("P@1", [1, 0], scores),
                {},
                f"the scores: {kind} beside a list of rels; give as many scores as rels, or none where the rels are in rank order",
            )
            for scores, kind in ((7, "int"), ({"a": 1}, "dict"), ("run.txt", "str"))
        ),
        *(
            (("P@1", [1, 0], [0.5, score]), {}, f"the scores, query '1', item 2: the score is {score!r}, no number")
            for score in (math.nan, "0.1")
        ),
        (
            ("P@1", [1, 0], [0.2, 0.1]),
            {"profile": "order=rank"},
            "the scores: they are no ranks, which order=rank needs; leave them out, with the rels in rank order",
        ),
        (("P@1", [1, 0], [0.2, 0.1]), {"group_id": 7}, "group_id: int is no list of a query for each item"),
        (("P@1", [1, 0], [0.2, 0.1]), {"group_id": "12"}, "group_id: str is no list of a query for each item"),
        (
            ("P@1", [1], [0.2]),
            {"group_id": [1.5]},
            "group_id, item 1: the query is 1.5, a float; ids are text or whole numbers",
        ),
        (("P@1", [1, 0], [0.2, 0.1]), {"group_id": [1]}, "group_id: 1 where the rels are 2; each item has its query"),
        (
            ("P@1", [[1, 0]], [[0.2, 0.1]]),
            {"group_id": [1]},
            "group_id: it parts one flat list, and the rels are several",
        ),
        *(
            (("P@1", [1, 0]), {"group_sizes": [3, size]}, f"group_sizes: {size!r} is no number of items")
            for size in ("x", -1, True)
        ),
        (("P@1", [1, 0]), {"group_sizes": [2, 3]}, "group_id: 5 where the rels are 2; each item has its query"),
        (("P@1", [1, 0]), {"group_sizes": [10**9]}, "group_sizes: more than 10,000,000 items in all; give group_id"),
        (
            ("P@1", [1, 0]),
            {"group_sizes": [2], "group_id": [1, 1]},
            "group_sizes: beside group_id, which says the same; give one of them",
        ),
        (
            ("P@1", []),
            {},
            "the rels: an empty list says neither one ranking nor several; [[]] is one ranking without docs",
        ),
        (("P@1", [[1], 0]), {}, "the rels, item 2: 0 where a list is needed, as others are; a list for each query"),
        (("P@1", [[1], [0], [1]]), {"R": [1, 2]}, "R: 2 numbers for 3 queries; give one for each, or one for all"),
        (("P@1", [[1], [1]]), {"R": [1]}, "R: 1 number for 2 queries; give one for each, or one for all"),
        *((("P@1", [1, 0]), {"R": R}, f"R: {R!r} is no whole number") for R in (True, "x", 1.5)),
        (("P@1", [1, 0]), {"R": 10**8}, "R: more than 10,000,000 relevant docs; give qrels and a run"),
        *(
            (
                ("P@1", [rel, 0]),
                {"R": 1},
                "R: goes with rels of 0 and 1 only: which rel the docs beyond the list have, R does not say; give qrels",
            )
            for rel in (2, -1, 0.5)
        ),
        (("P@1", [[1], [1, 0, 1]]), {"R": 1}, "R: 1 for query '2', whose list alone has 2 relevant"),
        (
            ("P(rel=2)@1", [1, 0]),
            {"R": 1},
            "R: it counts docs of rel 1, and P(rel=2)@1 has a threshold of its own; give qrels",
        ),
        (
            ("P@1", [1, 0]),
            {"R": 1, "profile": "known=retrieved"},
            "R: by known=retrieved, P@1 knows only what the list holds; leave R out",
        ),
        *(
            (
                ("P@1", ONE, ONE_RUN),
                {option: [1]},
                f"{option}: goes with lists of rels; what is given here says its queries and rels itself",
            )
            for option in ("R", "group_id")
        ),
        *(
            (
                ("P@1", [1, 0]),
                {option: given},
                f"{option}: goes with files, frames and records; a list of rels has no columns",
            )
            for option, given in (("separator", ","), ("columns", {"doc_id": "x"}))
        ),
        (
            ("P@1", ["x", "y"], [[1, 2], [2, 1]]),
            {"R": 1},
            "R: goes with lists of rels; a matrix says its queries and rels itself",
        ),
        (
            ("P@1", ["x", "y"], [[1, 2], [2, 1]]),
            {"profile": "order=rank"},
            "the matrix: similarities are no ranks, which order=rank needs",
        ),
        (
            ("P@1", [0, 1, 1], [[1, 2, 3], [4, 5, 6]]),
            {},
            f"the matrix: 2 rows, where the 3 labels beside it need 3 rows and 3 columns; {FLAT}",
        ),
        (
            ("P@1", [1], [[1], [2], [3]]),
            {},
            f"the matrix: 3 rows, where the 1 label beside it needs 1 row and 1 column; {FLAT}",
        ),
        *(
            (
                ("P@1", [0, 1], [[1, 2], row]),
                {},
                f"the matrix, row 2: {said}, where the 2 labels beside it need 2 rows and 2 columns; {FLAT}",
            )
            for row, said in ((7, "no columns"), ([1], "1 column"))
        ),
        *(
            (
                ("P@1", ["a", "b"], [[1, one], [2, 1]]),
                {},
                f"the matrix, row 1, column 2: the score is {one!r}, no number",
            )
            for one in (math.nan, "x")
        ),
        (
            ("P@1", ["a", None], [[1, 2], [2, 1]]),
            {},
            "the labels, item 2: the label is None; leave items without a label out of both",
        ),
        *(
            (
                ("P@1", [0.5, rel]),
                {},
                f"the rels, query '1', item 2: the rel is {rel}, no number; {IF_RANKS} ranks], and R=1",
            )
            for rel in (None, math.nan)
        ),
        (("P@1", [[[1]]]), {}, "the rels, query '1', item 1: the rel is [1], no number"),
        (
            ("P@1", ["1", "0"], [2, 1]),
            {},
            "the rels, query '1', item 1: the rel is '1', no number; qrels by row are named tuples, as ir_measures' Qrel",
        ),
        (
            ("P@1", [1, 0], [2, 2]),
            {},
            (
                "the scores, query '1': items 1 and 2 are tied, and no docids order them, which ties=docid-desc needs; "
                "say how they stand: ties=input, ties=expectation, … behind the profile's name"
            ),
        ),
        (
            ("P@1", [5, 7, 9, 6, 8, 5]),
            {},
            (
                f"the rels: none of 6 is 0, and 9 is no usual rel; {IF_RANKS} ranks], and R=1; "
                "if they are the rels of one ranking, give [rels], a list of that list, as [[5, 7, 9, 6, 8]]"
            ),
        ),
        (
            ("P@1", [7, 9]),
            {},
            (
                f"the rels: none of 2 is 0, and 9 is no usual rel; {IF_RANKS} ranks], and R=1; "
                "if they are the rels of one ranking, give [rels], a list of that list, as [[7, 9]]"
            ),
        ),
        (("P@1", {"q": 5, "r": 7}), {}, f"the run: it is missing; {IF_RANKS} ranks.values()], and R=1"),
        (
            ("P@1", {"q": True}),
            {},
            "the qrels, query 'q': bool where a dict of doc and rel, or a list of relevant ids, is needed",
        ),
        (
            ("P@1", {"q": [1, 0]}, ONE_RUN),
            {},
            (
                "the qrels: it is not clear whether these lists hold ids of relevant docs or rels; "
                "give ids as text, or rels with their docs, as {query: {doc: rel}}"
            ),
        ),
        (
            ("P@1", ONE, {"q": {"a", "b"}}),
            {},
            "the run, query 'q': a set has no order; give a list of ids in rank order, or {doc: score}",
        ),
        (
            ("P@1", ONE, {"q": ["a", None]}),
            {},
            "the run, query 'q', item 2: the doc is None, a NoneType; ids are text or whole numbers",
        ),
        (
            ("P@1", ONE, {"q": [["a", 2, 1]]}),
            {},
            "the run, query 'q', item 1: the doc is ['a', 2, 1], a list; ids are text or whole numbers",
        ),
        (
            ("P@1", [["a"], [1, 0]]),
            {},
            "the rels, query '1', item 1: the rel is 'a', no number; qrels by row are named tuples, as ir_measures' Qrel",
        ),
        (
            ("P@1", ONE, {"q": [0.5]}),
            {},
            "the run, query 'q', item 1: 0.5 is no id; scores stand with their docs, as {doc: score}",
        ),
        (
            ("P@1", ONE, {"q": ["a", "b", 0.5]}),
            {},
            "the run, query 'q', item 3: 0.5 is no id; scores stand with their docs, as {doc: score}",
        ),
        (
            ("P@1", {"q": {4, 20.5, 30}}, ONE_RUN),
            {},
            "the qrels, query 'q', item 1: the doc is 20.5, a float; ids are text or whole numbers",
        ),
        (
            ("P@1", pd.Series([[1], [0], [1]], index=["1", "2", "2"])),
            {},
            "the index of the rels: a query stands there twice",
        ),
        *(
            (("P@1", qrels), {}, "the run: it is missing; only a list of rels, in rank order, goes without one")
            for qrels in (
                ONE,
                pd.DataFrame({"query": [1], "docid": [2], "rel": [1]}),
                pd.DataFrame({"topic": [1], "doc": ["a"]}),
            )
        ),
        (
            ("P@1", [pd.DataFrame({"q": [1]})], ONE_RUN),
            {},
            "the qrels, row 1: a DataFrame among rows; give it by itself, or several runs as a list",
        ),
        (
            ("P@1", pd.DataFrame([[1, 0]]), [[0.1, 0.2]]),
            {},
            (
                "the qrels: no query_id and no doc_id and no relevance among 0, 1; say what they are called by "
                "columns={'qrels': {'query_id': …, 'doc_id': …, 'relevance': …}}"
            ),
        ),
        (
            ("P@1", ONE, {"s": ONE_RUN, "t": {"a": 1.0}}),
            {},
            (
                "the run: 's' is a run and 't' is docs with scores; "
                "give {query: {doc: score}}, a list for each column, or a run for each system"
            ),
        ),
        (
            ("P@1", ONE, {"t": 7, "s": ONE_RUN, "u": ONE_RUN}),
            {},
            (
                "the run: 's' is a run and 't' is of type int; "
                "give {query: {doc: score}}, a list for each column, or a run for each system"
            ),
        ),
        (("P@1", ONE, {1: ONE_RUN}), {}, "the run: the system 1 is of type int; names of systems are text"),
        *(
            (("P@1", ONE, ["run", other]), {}, f"the run: item 2 of the list is {kind} where a run is needed")
            for other, kind in ((["a", "b"], "a list"), (7, "of type int"))
        ),
        (("P@1", ONE, [{"a": 1.0}]), {}, "the run: item 1 of the list is docs with scores where a run is needed"),
        (
            ("P@1", ONE, {"s": ONE_RUN, "t": {"q": {"a": "1"}}}),
            {},
            "the run of t, query 'q': the score is '1', no number",
        ),
        (
            ("P@1", ONE, [ONE_RUN, {"query": [1, 2], "doc": [1, 2], "score": [1.0], "system": ["s", "s"]}]),
            {},
            "the run of s: the column 'score' is 1 long and 'query' 2; a row is one value of each",
        ),
        (
            ("P@1", ONE, {"query": ["q"], "docid": "a"}),
            {},
            "the run: 'docid' is no list, as the column 'query' is; give a list for each column, one value a row",
        ),
        (
            ("P@1", {"query": ["q", "r"], "doc": ["a"], "rel": [1, 0]}, ONE_RUN),
            {},
            "the qrels: the column 'doc' is 1 long and 'query' 2; a row is one value of each",
        ),
        *(
            (
                ("P@1", ONE, ONE_RUN),
                {"columns": columns},
                f"columns: 'doc' is none of query_id, doc_id, relevance, score, rank, system; {WRITE}",
            )
            for columns in ({"doc": "x"}, {"run": {"doc": "x"}})
        ),
        *(
            (
                ("P@1", ONE, {name: ["q"] for name in ("query_id", "doc_id", *others)}),
                {},
                (
                    f"the run: no score among query_id, doc_id, {listed}; say what they are called by "
                    "columns={'run': {'query_id': 'query_id', 'doc_id': 'doc_id', 'score': …}}, or rank by order=rank"
                ),
            )
            for others, listed in (
                (("rank", "rank:float"), "rank, rank:float"),
                (("score:x",), "score:x"),
                ("bcdefghijk", "b, c, d, e, f, g, h, i, j, k"),
                ("bcdefghijkl", "b, c, d, e, f, g, h, i, j, k and 1 more"),
            )
        ),
        (
            ("P@1", ONE, {name: ["q"] for name in ("query_id", "doc_id", "qid", "docno", "query", "docid", "score")}),
            {},
            (
                "the run: query_id or query or qid could be the query_id; doc_id or docid or docno could be the doc_id; "
                "say what they are called by columns={'run': {'query_id': …, 'doc_id': …, 'score': 'score'}}"
            ),
        ),
        *(
            (("P@1", ONE, ONE_RUN), {"columns": columns}, f"columns: it is no mapping; {WRITE}")
            for columns in ([1], "doc", {"run": "doc"})
        ),
        (("ARI", [0, 1]), {}, "the predicted labels: they are missing: give two labelings of the same items"),
        (("ARI", [0, 1], [1]), {}, "the predicted labels: 1 beside 2 true labels; an item has one of each"),
        *(
            (
                ("ARI", [0, 1], [0, no]),
                {},
                f"the predicted labels, item 2: the label is {no}; leave items without a label out of both",
            )
            for no in (None, math.nan)
        ),
        (
            ("ARI", [1, None], [1, 2]),
            {},
            "the true labels, item 2: the label is None; leave items without a label out of both",
        ),
        *(
            (
                ("ARI", [0], [no]),
                {},
                f"the predicted labels, item 1: the label is a {type(no).__name__}; a labeling is one flat list",
            )
            for no in ([1], (1, 2))
        ),
        (("ARI", [0, [1]], [0, 1]), {}, "the true labels, item 2: the label is a list; a labeling is one flat list"),
        *(
            (
                ("ARI", [1, 2], no),
                {},
                f"the predicted labels: {type(no).__name__} is no list, array or series of labels",
            )
            for no in ("ab", pd.DataFrame({"a": [1, 2]}))
        ),
        (("ARI", [0, 1], [1, 0]), {"R": 1}, "R: goes with rankings; what is asked compares two labelings"),
        (
            ("ARI", pd.Series([0, 1]), pd.Series([0, 1], index=[1, 0])),
            {},
            "the predicted labels: its index is not that of the other series; align them, or give .to_numpy() of both",
        ),
        (
            (["ARI", "AP"], [0, 1], [1, 0]),
            {},
            "ARI compares two labelings and AP measures rankings; ask them one by one",
        ),
        (
            ("P@1", {"q": {"a": 1}, "r": {"b": 0}, "s": {"c": 1}}, {"q": {"a": 1.0}}),
            {"profile": "missing=rejected"},
            "query 'r' is refused by missing=rejected: missing query",
        ),
        (("P@1", ONE, {"q": {"a": math.inf}}), {"profile": "infinite=rejected"}, "the score of doc 'a' is infinite"),
        (
            ("AP", {"q": {"a": 1.5}}, ONE_RUN),
            {"profile": "grades=rejected"},
            "the judgment of doc 'a' is 1.5, not a whole number",
        ),
        (
            ("AP", {"q": {"a": 5}}, ONE_RUN),
            {"profile": "grades=whole-to-4"},
            "the judgment of doc 'a' is 5, more than 4",
        ),
        (
            ("AP", {"q": {"a": 2}}, ONE_RUN),
            {"profile": "grades=binary"},
            "the judgment of doc 'a' is 2, neither 0 nor 1",
        ),
        (
            ("AP", {"q": {"b": 3, "a": 1}}, {"q": {"a": 2, "b": 2, "c": 1}}),
            {"profile": "grades=two-values"},
            "a ranking has docs of 3 rels, 0, 1, 3, and not of two",
        ),
        (
            ("AP", {"q": {"a": -1}}, ONE_RUN),
            {"profile": "negative=rejected"},
            "the judgment of doc 'a' is negative: -1",
        ),
        (("AP", ONE, {"q": {"x": 1.0}}), {"profile": "unjudged=rejected"}, "doc 'x' is retrieved without a judgment"),
        (
            ("AP", ONE, ONE_RUN),
            {"profile": "order=rank"},
            "the run: a dict has no ranks, which order=rank needs; give a frame or a file",
        ),
        (("AP", ONE, ONE_RUN), {"profile": "mean=pooled"}, "AP is no ratio of counts, so it has no pooled mean"),
        (("AP", ONE, ONE_RUN), {"profile": "single=rejected"}, "query 'q' is refused by single=rejected: a single doc"),
        (
            ("AP@2", ONE, ONE_RUN),
            {"profile": "short=rejected"},
            "query 'q' is refused by short=rejected: a ranking shorter than k",
        ),
        (
            ("AP", ONE, ONE_RUN),
            {"profile": "ids=digit-queries"},
            "a query has a name, and ids=digit-queries takes numbers only",
        ),
    ],
)
def test_what_is_refused_is_told_to_the_last_word(asked: tuple[Any, ...], options: dict[str, Any], said: str) -> None:
    assert refusal(rankproof.evaluate, *asked, by=Unusable, **options) == said


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "run.tsv",
            "7\t10\t1\n8\t30\t3\n",
            (
                ":1: no line names the columns, and query '8' has no rank 1, so that these are no ranks; "
                "name them in the first line, as query,doc,score"
            ),
        ),
        ("run.csv", "query_id,doc_id,score\n", ":2: there is no row below the line that names the columns"),
        (
            "run.csv",
            "query_id,doc_id,score,score\nq,a,1,1\n",
            ":1: two columns are called 'score'; the first line names the columns",
        ),
        (
            "run.csv",
            "topic,the score\nq,1\n",
            (
                ":1: no doc_id and no score among topic, the score; say what they are called by "
                "--column run.query_id=topic --column run.doc_id=… --column run.score=…, or in Python by "
                "columns={'run': {'query_id': 'topic', 'doc_id': …, 'score': …}}"
            ),
        ),
        ("run.jsonl", '{"query_id": "q", "doc_id": "a", "score": 1}\n{}\n', ":2: no query_id among no key at all"),
        (
            "run.jsonl",
            '{"retrieved_ids": ["a"]}\n{"retrieved_ids": [{}]}\n',
            ":2: a doc with nothing, of which none, or several, is its id",
        ),
        (
            "run.csv",
            "query_id,doc_id,7\nq,a,1\n",
            (
                ":1: no score among query_id, doc_id, 7; say what they are called by --column run.query_id=query_id "
                "--column run.doc_id=doc_id --column run.score=…, or in Python by "
                "columns={'run': {'query_id': 'query_id', 'doc_id': 'doc_id', 'score': …}}, or rank by order=rank"
            ),
        ),
        (
            "run.csv",
            "query_id\nq\n",
            ":1: one column only, 'query_id', where ',' separates them; say what does: separator, --separator",
        ),
        ("run.csv", "query_id,doc_id,score\nq,a,1\nq,b\n", ":3: 2 fields where the first line names 3 columns"),
        ("run.csv", "query_id,doc_id,score\nq\n", ":2: 1 field where the first line names 3 columns"),
        ("run.csv", "", ":1: the file is empty; its first line names the columns"),
        (
            "run",
            "q\ta\t1\n",
            (
                ":1: 3 fields where 6 are needed, query Q0 doc rank score tag; "
                "if they are query doc rank, say what separates them: --separator tab"
            ),
        ),
        (
            "run",
            "q Q0 a 1 -1,5e+3 t\n",
            (
                ":1: the score '-1,5e+3' is no number: it has a comma where numbers have a point; "
                "write points, or give pandas.read_csv(…, decimal=',')"
            ),
        ),
        ("run", b"q Q0 \xe9 1 1 t\n", ":1: '\\xe9' is not UTF-8; convert the file, as by iconv -f latin1 -t utf-8"),
        (
            "run.csv",
            b"query_id,doc_id,score\nq,\xe9,1\r\n",
            ":2: 'q,\\xe9,1' is not UTF-8; convert the file, as by iconv -f latin1 -t utf-8",
        ),
        ("run", "q Q0 a\0b\n", ":1: this is a binary file; qrels and runs are text"),
        ("run.jsonl", "[1]\n", ':1: a list where an object is needed, as {"query_id": …}'),
        ("run.jsonl", "\n", ':1: the file is empty; a line of it is an object, as {"query_id": …}'),
        ("run.jsonl", '{"query_id": "q", "doc_id": "a", "score": true}\n', ":1: the score is true, no number"),
        ("run.json", " \n", ":1: the file is empty; it holds an object, as {query: {doc: rel}}"),
        ("run.json", "7", ": a number where an object is needed, as {query: {doc: rel}}, or a list of objects"),
        *(
            ("run.json", text, f": {kind} where an object is needed, as {{query: {{doc: rel}}}}, or a list of objects")
            for text, kind in (('"7"', "a text"), ("true", "true or false"), ("null", "null"))
        ),
        (
            "run.json",
            "[3, null]",
            (
                ": a list where an object is needed, as {query: {doc: rel}}, or a list of objects; "
                f"{IF_RANKS} ranks], and R=1, to rankproof.evaluate in Python"
            ),
        ),
        ("run.json", "[]", ": a list where an object is needed, as {query: {doc: rel}}, or a list of objects"),
        (
            "run.json",
            '[["a"], {"b": 1}]',
            ": a list where an object is needed, as {query: {doc: rel}}, or a list of objects",
        ),
        ("run.json", '{"q": {"a": 1, "b": 2, "a": 3}}', ":1: the key 'a' stands there twice; leave one of them"),
        ("run.parquet", "PAR1", ": this is no Parquet file, or a damaged one; copy the file again"),
        ("run", b"BZh9", ":1: this is compressed by bzip2: unpack it"),
        ("run", b"\xfd7zXZ\0", ":1: this is compressed by xz: unpack it"),
        ("run", b"PK\x03\x04", ":1: this is a zip archive: unpack it"),
        ("run", b"\xfe\xff\0q", ":1: this is UTF-16 text: save it as UTF-8"),
        (
            "run",
            b"ARROW1\0",
            ":1: this is a file of Arrow: write it as Parquet, or give pyarrow.feather.read_table(…) from Python",
        ),
        ("run", b"\x93NUMPY", ":1: this is an array of numpy: give numpy.load(…) from Python"),
        (
            "dataset_info.json",
            "{}",
            (
                ": this is the folder of a dataset of Hugging Face; "
                "give datasets.load_from_disk(…) from Python, or write it by its to_parquet(…)"
            ),
        ),
        (
            "part-0.csv",
            "a",
            ": a table in parts, as part-0.csv; only Parquet is read so: write it as one file, or as Parquet",
        ),
        ("part-0/x", "a", ": a table parted by folders, as part-0, is not read; write it as one file"),
        ("none.parquet", None, ": no such file or directory"),
    ],
)
def test_a_file_that_is_refused_is_told_of_to_the_last_word(
    name: str, content: str | bytes | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path = path if name.startswith(("run", "none")) else tmp_path
    assert refusal(rankproof.evaluate, "P@1", ONE, path) == f"{path}{said}"


def test_a_list_of_names_is_as_long_as_there_is_room_for() -> None:
    rest = ["c" * 5, "d", "e"]
    assert first_of(["a" * 100, "b" * 18, *rest]) == f"{'a' * 100}, {'b' * 18} and 3 more", "120 characters"
    assert first_of(["a" * 100, "b" * 19, *rest], "names") == f"{'a' * 100} and 4 more, by `names`"
    assert (first_of(["a" * 130, "b"]), first_of(["a" * 130])) == (f"{'a' * 130} and 1 more", "a" * 130)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.csv", "query_id,doc_id,score,a;b\nq,a,1,2;3\n"),
        ("run.tsv", "p\tb\t1\nq\ta\t1 \nr\tc\t1\n"),
        ("run.json", '{"queries": {"a": 1}, "q": {"a": 1}}'),
    ],
)
def test_what_only_looks_like_another_form_is_read_as_what_it_is(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert rankproof.evaluate("P@1", ONE, tmp_path / name).mean["P@1"] == 1
    (tmp_path / f"[{name}]").write_text(content)
    assert [*run_files(str(tmp_path / f"[{name}]"))] == [f"[{name}]"], "there is a file that has the name of a pattern"


def test_a_name_with_a_blank_is_quoted_as_a_shell_and_as_python_take_it(tmp_path: Path) -> None:
    (run := tmp_path / "run.csv").write_text("my id,score\nq,1\n", encoding="utf-8")
    typed = "--column run.query_id='my id' --column run.doc_id=… --column run.score=score"
    python = "columns={'run': {'query_id': 'my id', 'doc_id': …, 'score': 'score'}}"
    said = f"{run}:1: no doc_id among my id, score; say what they are called by {typed}, or in Python by {python}"
    assert refusal(rankproof.evaluate, "P@1", ONE, run, columns={"run": {"query_id": "my id"}}) == said


OTHER_TOOL = "(of any other tool, `rankproof check` finds what its function does, and `rankproof explain --value` what gives its number)"
BY_COUNT = "write how many answers the conventions do not give"
WORDS = "write a name, parameters if any, a cutoff if any, as in P(rel=2)@5"


@pytest.mark.parametrize(
    ("ask", "text", "said"),
    [
        (signature, "AP|gain", "'gain' is no part of a signature: write axis:value, by:name or rankproof:version"),
        (
            signature,
            "nDCG@9|gain:exp|ties:input|gain:exp",
            "gain stands twice in the signature nDCG@9|gain:exp|ties:input|gain:exp",
        ),
        (signature, "P@5|gain:exp", "gain:exp cannot matter to P@5; leave it out"),
        (signature, "AP|rankproof:0 1", "rankproof:0 1 is no part of a signature: a name has no blank and no |"),
        (
            signature,
            "AP|missing:?0/nan/0",
            (
                "missing:?0/nan/0 is no part of a signature: an open axis is missing:? "
                "or leaves several values, each said once"
            ),
        ),
        (signature, "AP|unexplained:1234567890", f"unexplained:1234567890 is no part of a signature: {BY_COUNT}"),
        (signature, "AP|unexplained:many", f"unexplained:many is no part of a signature: {BY_COUNT}"),
        (
            signature,
            "nDCG(dcg='exp-log2')@9|gain:linear",
            "gain:linear contradicts nDCG(dcg='exp-log2')@9, which says gain:exp",
        ),
        (parse, "P@1.5", "P@1.5: a cutoff is a whole number from 1 on"),
        (parse, "IPrec@2", "IPrec@2: a recall level is a number from 0 to 1"),
        (parse, "IPrec", "IPrec: IPrec needs a recall level, as in IPrec@0.1"),
        (parse, "F", "F: F needs a cutoff, as in F@10"),
        (parse, "ARI@5", "ARI@5: ARI has no cutoff"),
        (parse, "ARI(x=1)", "ARI(x=1): ARI has no parameter x; it has none"),
        (parse, "P(x=1)@5", "P(x=1)@5: P has no parameter x; it has rel, judged_only"),
        (parse, "P(rel='a')@5", "P(rel='a')@5: rel='a' is no value of that parameter"),
        (parse, "P(1)@5", "P(1)@5: the parameters do not read as name=value, …"),
        (
            parse,
            "P(rel=1,judged_only=True,rel=2)@5",
            "P(rel=1,judged_only=True,rel=2)@5: rel is said twice; say it once",
        ),
        (parse, "nDCG(gains={1:1,0:1,1:2})@5", "nDCG(gains={1:1,0:1,1:2})@5: 1 is said twice; say it once"),
        (parse, "P@5 or so", f"'P@5 or so' is no measure: {WORDS}"),
        (parse, "x" * 1001, f"'{'x' * 80}… (1,001 characters)' is no measure: {WORDS}"),
        (
            profile,
            "notebook-binary",
            "notebook-binary has conventions of its own for some measures, and here is no measure",
        ),
        (
            profile,
            "x" * 90,
            (
                f"{'x' * 80}… (90 characters) is no profile; known are standard, trec_eval-9, trec_eval-10, notebook-trec, "
                "notebook-binary, notebook-catboost, notebook-similarity"
            ),
        ),
        (
            profile_named,
            "sklearn",
            "sklearn answers in several ways; say which: sklearn/appended, sklearn/rows, sklearn/rows-ignore-ties",
        ),
        (
            profile_named,
            "sklearn/" + "x" * 90,
            (
                f"sklearn has no variant {'x' * 80}… (90 characters); "
                "say which: sklearn/appended, sklearn/rows, sklearn/rows-ignore-ties"
            ),
        ),
        (
            profile_named,
            "AP|by:x",
            "AP|by:x is a signature, and no profile: `rankproof evaluate --signature` computes by it",
        ),
        (profile_named, "trec_eval-11", f"trec_eval-11 is no profile; did you mean trec_eval-10? {OTHER_TOOL}"),
        (run_files, "", "the run: none is given; give files, or a folder of them"),
        (refuse_alias, "MAP", "a measure is called MAP, which is another name of AP; call it otherwise"),
    ],
)
def test_a_word_that_is_refused_is_told_of_to_the_last_word(ask: Callable[[Any], object], text: str, said: str) -> None:
    asked = text if ask not in {run_files, refuse_alias} else text.split()
    assert refusal(ask, asked, by=(Unusable, ImportError)) == said
