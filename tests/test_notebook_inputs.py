"""The cells of the documents that this project was created from, through `rankproof.evaluate`, with their own inputs.

Inputs are written as the cells write them, and what is expected is what they print.
"""

import math
from pathlib import Path
from typing import Any

import pytest

import rankproof

AS_EVALUATE = "score=f32 missing=dropped"
"""P as Hugging Face's evaluate computes it; its nDCG takes the rows as they are given."""


def is_printed(value: float, printed: float) -> bool:
    return math.isclose(value, printed, rel_tol=1e-15)


def as_evaluate(qrel: Any, run: Any, k: int = 5) -> tuple[float, float]:
    """P@k and NDCG@k."""
    precision = rankproof.evaluate(f"P@{k}", qrel, run, profile=AS_EVALUATE)
    gain = rankproof.evaluate(f"NDCG@{k}", qrel, run, profile=f"{AS_EVALUATE} order=input")
    return precision.mean[f"P@{k}"], gain.mean[f"NDCG@{k}"]


# -- the notebook on Hugging Face's trec_eval --------------------------------------------------------------------------


def qrel_of(rels: list[int]) -> dict[str, list[Any]]:
    return {
        "query": [0, 0, 0],
        "q0": ["q0", "q0", "q0"],
        "docid": ["doc_1", "doc_2", "doc_3"],
        "rel": rels,
    }


def run_of(scores: list[float]) -> dict[str, list[Any]]:
    return {
        "query": [0, 0],
        "q0": ["q0", "q0"],
        "docid": ["doc_2", "doc_1"],
        "rank": [0, 1],
        "score": scores,
        "system": ["test", "test"],
    }


FIVE = {
    "query": [0, 0, 0, 0, 0],
    "q0": ["q0", "q0", "q0", "q0", "q0"],
    "docid": ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12"],
    "rank": [1, 2, 3, 3, 4],
    "score": [2, 3, 0, 0, 0],
    "system": ["test", "test", "test", "test", "test"],
}
TWO_SYSTEMS = {
    "query": [0, 0, 0],
    "q0": ["q0", "q0", "q0"],
    "docid": ["doc_2", "doc_1", "doc_3"],
    "rank": [0, 1, 0],
    "score": [2, 1, 2],
    "system": ["sistema1", "sistema1", "sistema2"],
}
SYSTEM_1 = {
    "query": [0, 0],
    "q0": ["q0", "q0"],
    "docid": ["doc_2", "doc_1"],
    "rank": [0, 1],
    "score": [2, 1],
    "system": ["sistema1", "sistema1"],
}
SYSTEM_2 = {
    "query": [0],
    "q0": ["q0"],
    "docid": ["doc_3"],
    "rank": [0],
    "score": [2],
    "system": ["sistema2"],
}
THREE_QUERIES = {
    "query": [0, 0, 0, 1, 1, 1, 2],
    "q0": ["q0", "q0", "q0", "q0", "q0", "q0", "q0"],
    "docid": ["doc_1", "doc_2", "doc_3", "doc_1", "doc_5", "doc_6", "doc_3"],
    "rel": [3, 2, 1, 3, 2, 1, 3],
}
CELL_9 = {
    "query": [0, 0, 1],
    "q0": ["q0", "q0", "q0"],
    "docid": ["doc_2", "doc_1", "doc_5"],
    "rank": [0, 1, 0],
    "score": [2, 1, 2],
    "system": ["test", "test", "test"],
}
CELL_10 = {
    "query": [0, 0, 1, 2],
    "q0": ["q0", "q0", "q0", "q0"],
    "docid": ["doc_2", "doc_1", "doc_5", ""],
    "rank": [0, 1, 0, -1],
    "score": [2, 1, 2, -1],
    "system": ["test", "test", "test", "test"],
}
CELL_11 = CELL_10 | {"docid": ["doc_2", "doc_1", "doc_5", "XXXXXXX"], "rank": [0, 1, 0, 0], "score": [2, 1, 2, 0]}
SIX_DOCS = {
    "query": [0, 0, 0, 0, 0, 0],
    "q0": ["q0", "q0", "q0", "q0", "q0", "q0"],
    "docid": ["doc_1", "doc_2", "doc_3", "doc_4", "doc_5", "doc_6"],
    "rel": [3, 2, 1, 3, 2, 1],
}


def cell_15(last: str) -> dict[str, list[Any]]:
    return {
        "query": [0, 0, 0, 0, 0],
        "q0": ["q0", "q0", "q0", "q0", "q0"],
        "docid": ["doc_1", "A", "B", "C", last],
        "rank": [0, 1, 2, 3, 4],
        "score": [6, 5, 4, 3, 2],
        "system": ["test", "test", "test", "test", "test"],
    }


@pytest.mark.parametrize(
    ("qrel", "run", "printed"),
    [
        pytest.param(qrel_of([3, 2, 1]), FIVE, (0.4, 0.8174935137996165), id="cell-1"),
        pytest.param(qrel_of([3, 2, 1]), run_of([1.5, 1.2]), (0.4, 0.8174935137996165), id="cell-2"),
        pytest.param(qrel_of([10, 9, 8]), run_of([1.5, 1.2]), (0.4, 0.777975983841851), id="cell-3"),
        pytest.param(qrel_of([30, 20, 10]), run_of([1.5, 1.2]), (0.4, 0.8174935137996167), id="cell-4"),
        pytest.param(qrel_of([3, 2, 1]), run_of([0, 1000]), (0.4, 0.8174935137996165), id="cell-5"),
        pytest.param(qrel_of([3, 2, 1]), TWO_SYSTEMS, (0.6, 0.9224945116765986), id="cell-6"),
        pytest.param(qrel_of([3, 2, 1]), SYSTEM_1, (0.4, 0.8174935137996165), id="cell-8-system-1"),
        pytest.param(qrel_of([3, 2, 1]), SYSTEM_2, (0.2, 0.21000199575396408), id="cell-8-system-2"),
        pytest.param(THREE_QUERIES, CELL_9, (0.30000000000000004, 0.6187487526537724), id="cell-9"),
        pytest.param(THREE_QUERIES, CELL_10, (0.20000000000000004, 0.4124991684358483), id="cell-10"),
        pytest.param(THREE_QUERIES, CELL_11, (0.20000000000000004, 0.4124991684358483), id="cell-11"),
    ],
)
def test_what_evaluate_printed(qrel: Any, run: Any, printed: tuple[float, float]) -> None:
    import pandas as pd

    for form in (dict, pd.DataFrame):
        for value, expected in zip(as_evaluate(form(qrel), form(run)), printed, strict=True):
            assert is_printed(value, expected)
        both = rankproof.evaluate(["P@5", "NDCG@5"], form(qrel), form(run), profile="evaluate")
        assert [is_printed(value, expected) for value, expected in zip(both.mean.values(), printed, strict=True)] == [
            True
        ] * 2


@pytest.mark.parametrize(
    ("last", "at_5", "at_10"),
    [
        pytest.param("D", 0.42010951172205624, 0.40014926254662797, id="cell-15"),
        pytest.param("doc_3", 0.4742830263739263, 0.4517488843896262, id="cell-16"),
    ],
)
def test_ndcg_at_5_and_10(last: str, at_5: float, at_10: float) -> None:
    for profile in (f"{AS_EVALUATE} order=input", "notebook-trec gain=linear"):
        result = rankproof.evaluate("nDCG", SIX_DOCS, cell_15(last), k=[5, 10], profile=profile)
        assert is_printed(result.mean["nDCG@5"], at_5)
        assert is_printed(result.mean["nDCG@10"], at_10)


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([SYSTEM_1, SYSTEM_2], id="cell-7"),
        pytest.param({"sistema1": SYSTEM_1, "sistema2": SYSTEM_2}, id="by-name"),
        pytest.param(rankproof.by_system(TWO_SYSTEMS), id="cell-6-parted"),
    ],
)
def test_what_cell_7_wanted_and_cell_8_got(runs: Any) -> None:
    precision = rankproof.evaluate("P@5", qrel_of([3, 2, 1]), runs, profile=AS_EVALUATE)
    assert precision.mean["P@5"] == {"sistema1": 0.4, "sistema2": 0.2}
    gain = rankproof.evaluate("NDCG@5", qrel_of([3, 2, 1]), runs, profile=f"{AS_EVALUATE} order=input")
    assert list(gain) == ["sistema1", "sistema2"]
    assert is_printed(gain["sistema1"].mean["NDCG@5"], 0.8174935137996165)
    assert is_printed(gain["sistema2"].mean["NDCG@5"], 0.21000199575396408)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "gain", "printed"),
    [
        pytest.param("ABCDE", {"A": 2, "B": 3, "D": 1, "E": 2}, "exp", 0.8322420383257692, id="cell-12"),
        pytest.param("21xyz", {"1": 3, "2": 2, "3": 1}, "exp", 0.7895959410076381, id="cell-13"),
        pytest.param("21xyz", {"1": 3, "2": 2, "3": 1}, "linear", 0.8174935137996168, id="cell-13-linear"),
        pytest.param("3", {"1": 3, "2": 2, "3": 1}, "exp", 0.10646464774659968, id="cell-14"),
        pytest.param("3", {"1": 3, "2": 2, "3": 1}, "linear", 0.2100019957539641, id="cell-14-linear"),
    ],
)
def test_what_was_worked_out_by_hand(retrieved: str, relevant: dict[str, int], gain: str, printed: float) -> None:
    run = {"query": [0] * len(retrieved), "docid": list(retrieved), "rank": range(1, len(retrieved) + 1)}
    result = rankproof.evaluate("nDCG", {"0": relevant}, run, profile=f"notebook-trec gain={gain}")
    assert is_printed(result.mean["nDCG"], printed)


QRELS_QUERY_KEY = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
QRELS_DOC_KEY = ["doc_1", "doc_2", "doc_3"] * 4
QRELS_SCORE = [3, 2, 1, 10, 9, 8, 3, 2, 1, 3, 2, 1]
RESULTADO_QUERY_KEY = [0, 0, 0, 0, 0, 1, 1, 2, 2, 3]
RESULTADO_DOC_KEY = ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12", "doc_2", "doc_1", "doc_2", "doc_1", "doc_3"]
RESULTADO_RANK = [1, 2, 3, 4, 5, 1, 2, 1, 2, 1]
COLUMNS = {
    "query_id": "QUERY_KEY", "doc_id": "DOC_KEY", "rank": "RANK", "qrels": {"relevance": "SCORE"},
}  # fmt: skip
TWO, ONE = [0.4, 0.2, 0.04, *[0.666667] * 3, *[1.0] * 3], [0.2, 0.1, 0.02, *[0.333333] * 3, *[1.0] * 3]
TABLE = [
    [*TWO, *[0.817494] * 3], [*TWO, *[0.777976] * 3], [*TWO, *[0.817494] * 3], [*ONE, *[0.210002] * 3],
]  # fmt: skip
HEADER = ["P@5", "P@10", "P@50", "R@5", "R@10", "R@50", "MRR@5", "MRR@10", "MRR@50", "nDCG@5", "nDCG@10", "nDCG@50"]


def metricas(resultado: Any, qrels: Any, **options: Any) -> Any:
    measures = ["P", "R", "MRR", "nDCG"]
    result = rankproof.evaluate(
        measures, qrels, resultado, k=[5, 10, 50], columns=COLUMNS, profile="notebook-trec gain=linear", **options
    )
    return result.to_frame()


def test_cell_18_the_table_by_query_with_its_columns() -> None:
    import pandas as pd

    resultado = pd.DataFrame(
        {"QUERY_KEY": RESULTADO_QUERY_KEY, "DOC_KEY": RESULTADO_DOC_KEY, "RANK": RESULTADO_RANK},
    )
    qrels = pd.DataFrame({"QUERY_KEY": QRELS_QUERY_KEY, "DOC_KEY": QRELS_DOC_KEY, "SCORE": QRELS_SCORE})
    frame = metricas(resultado, qrels)
    assert list(frame.columns) == HEADER
    assert list(frame.index) == ["0", "1", "2", "3"]
    assert frame.round(6).to_numpy().tolist() == TABLE


def test_cell_19_files_separated_by_bars(tmp_path: Path) -> None:
    qrels = zip(QRELS_QUERY_KEY, QRELS_DOC_KEY, QRELS_SCORE, strict=True)
    run = zip(RESULTADO_QUERY_KEY, RESULTADO_DOC_KEY, RESULTADO_RANK, strict=True)
    written = {
        "qrels.csv": ["QUERY_KEY|DOC_KEY|SCORE", *("|".join(map(str, row)) for row in qrels)],
        "run.csv": ["QUERY_KEY|DOC_KEY|RANK|SCORE|ENGINE", *("|".join([*map(str, row), "1.5", "SOLR"]) for row in run)],
    }
    for name, rows in written.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    frame = metricas(tmp_path / "run.csv", tmp_path / "qrels.csv", separator="|")
    assert list(frame.columns) == HEADER
    assert frame.round(6).to_numpy().tolist() == TABLE


# -- the notebook of hand-written measures on binary lists -------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "rels", "R", "printed"),
    [
        pytest.param("P", [0, 0, 0, 1], None, 0.25, id="cell-14"),
        pytest.param("P@1", [0, 0, 0, 1], None, 0.0, id="cell-25"),
        pytest.param("R@1", [0, 0, 0, 1], 4, 0.0, id="cell-27"),
        pytest.param("AP", [0, 1, 0, 1, 1, 1, 1], None, 0.5961904761904762, id="cell-29"),
        pytest.param("MAP", [[1, 0, 1], [0, 1, 1]], None, 0.7083333333333333, id="cell-31"),
        pytest.param("DCG@6", [4, 4, 3, 0, 0, 1, 3, 3, 3, 0], None, 10.279642067948915, id="cell-37"),
        pytest.param("nDCG@6", [4, 4, 3, 0, 0, 1, 3, 3, 3, 0], None, 0.7424602308163405, id="cell-40"),
    ],
)
def test_lists_of_rels_in_rank_order(measure: str, rels: list[Any], R: int | None, printed: float) -> None:
    import numpy as np

    for form in (list, np.array):
        assert is_printed(
            rankproof.evaluate(measure, form(rels), R=R, profile="notebook-binary").mean[measure], printed
        )


# -- the notebook on catboost and scikit-learn -------------------------------------------------------------------------

Y = [3, 2, 2, 1, 2]
Y_HAT = [len(Y) - i for i in range(len(Y))]
GROUP_ID = [1] * len(Y)


@pytest.mark.parametrize(
    ("measure", "profile", "printed"),
    [
        pytest.param("DCG@5", "notebook-catboost", 11.98402424049139, id="cells-7-and-15"),
        pytest.param("DCG@10", "notebook-catboost", 11.98402424049139, id="cell-8"),
        pytest.param("NDCG@5", "notebook-catboost", 0.99273940647578, id="cells-10-and-16"),
        pytest.param("NDCG@2", "notebook-catboost", 1.0, id="cells-11-and-17"),
        pytest.param("DCG@5", "notebook-catboost gain=linear", 6.466241679685391, id="cells-20-and-23"),
        pytest.param("NDCG@5", "notebook-catboost gain=linear", 0.9932683086972719, id="cell-21"),
        pytest.param("NDCG@2", "notebook-catboost gain=linear", 1.0, id="cell-22"),
    ],
)
def test_rels_with_scores(measure: str, profile: str, printed: float) -> None:
    in_rank_order = rankproof.evaluate(measure, Y, profile=profile)
    as_catboost = rankproof.evaluate(measure, Y, Y_HAT, group_id=GROUP_ID, profile=profile)
    as_sklearn = rankproof.evaluate(measure, [Y], [Y_HAT], profile=profile)
    for result in (in_rank_order, as_catboost, as_sklearn):
        assert is_printed(result.mean[measure], printed)
        assert list(result.per_query[measure]) == ["1"]


# -- the notebook on similarity matrices -------------------------------------------------------------------------------

IDEAL = [
    [1, 1, 0, 0, 0, 0],
    [1, 1, 0, 0, 0, 0],
    [0, 0, 1, 1, 0, 0],
    [0, 0, 1, 1, 0, 0],
    [0, 0, 0, 0, 1, 1],
    [0, 0, 0, 0, 1, 1],
]
REAL = [
    [1.0, 0.3, 0.7, 0.6, 0.1, 0.1],
    [0.3, 1.0, 0.1, 0.1, 0.1, 0.1],
    [0.7, 0.1, 1.0, 1.0, 0.1, 0.1],
    [0.6, 0.1, 1.0, 1.0, 0.1, 0.1],
    [0.1, 0.1, 0.1, 0.1, 1.0, 1.0],
    [0.1, 0.1, 0.1, 0.1, 1.0, 1.0],
]
ITEMS = ["96-A", "96-B", "113-A", "113-B", "120-A", "120-B"]
LABELS = [96, 96, 113, 113, 120, 120]


@pytest.mark.parametrize(
    ("similarity", "cg", "ndcg"),
    [pytest.param(IDEAL, "1.000", "1.000", id="cell-10"), pytest.param(REAL, "1.000", "0.917", id="cell-12")],
)
def test_a_matrix_with_labels(similarity: Any, cg: str, ndcg: str) -> None:
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(data=similarity, index=ITEMS, columns=ITEMS)
    for labels, matrix in ((LABELS, similarity), (np.array(LABELS), np.array(similarity)), (pd.Series(LABELS), frame)):
        result = rankproof.evaluate(["CG@3", "nDCG@3"], labels, matrix, profile="notebook-similarity")
        assert (f"{result.mean['CG@3']:.3f}", f"{result.mean['nDCG@3']:.3f}") == (cg, ndcg)
    assert list(result.per_query["CG@3"]) == ITEMS


SIX = ["Homogeneity", "Completeness", "V", "ARI", "AMI", "FMI"]


@pytest.mark.parametrize(
    ("predicted", "printed"),
    [
        pytest.param([2, 2, 0, 0, 1, 1], ["1.000"] * 6, id="cell-10"),
        pytest.param([1, 0, 1, 1, 2, 2], ["0.710", "0.772", "0.740", "0.444", "0.502", "0.577"], id="cell-12"),
    ],
)
def test_two_labelings(predicted: list[int], printed: list[str]) -> None:
    import numpy as np

    for form in (list, np.array):
        result = rankproof.evaluate(SIX, form(LABELS), form(predicted))
        assert [f"{result.mean[measure]:.3f}" for measure in SIX] == printed
    assert result.signature["ARI"] == f"ARI|by:reference|rankproof:{rankproof.__version__}"
    assert result.per_query["ARI"] == {}
