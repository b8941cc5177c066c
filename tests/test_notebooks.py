"""The documents that this project was created from: every number that they print is the reference's, or the library's.

Inputs and exact values are cases (`cases/notebooks/`, whose `source` names the cell). Here are the digits as printed,
and what is no single case: the terms of a sum, a table, a refusal, libraries asked for their own numbers, custom
measures, an evaluator used several times. Cells go by the number of their prompt.

What cannot be had again, since its data was never published:

- the notebook on Hugging Face's trec_eval, cells 21, 22 and 23: three tables of describe() over the queries of a
  private search engine, read from CSV files in cell 19; and cell 24: P@10, P@20, NDCG@10 and NDCG@20 over 50 of them.
  What cell 24 was run for, P@10 moved by a tie, is the case notebooks/trec-tie-at-rank-ten and a test here.
- ir_measures' manual, Scoring Multiple Runs: the means of three runs that the manual does not give. What it shows, one
  evaluator for several runs, is a test here. Its experiment with PyTerrier has no output.
- the notebook on similarity matrices, cells 10 and 12: the clusterings themselves, which depend on the seed. The labels
  that were found are given in the cases, so the scores are the notebook's.

No case can name HasEnglishWiki, the manual's custom measure, as it is a function: its two values are tests here. Every other
number that a library printed is asked in a case, so that `run` and the report show it; cell 7 is a refusal of two runs.
"""

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pytest

import rankproof
from rankproof import cases as corpus
from rankproof.oracle import MEAN, Oracle
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.examples import ranked
from rankproof.reference_impl.measures.cumulated_gain import cumulated_gain, discounted_cumulated_gain, normalised_dcg
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.similarity import from_similarity
from rankproof.sheets import ADAPTERS
from rankproof.workers import Worker

LAST_DIGIT = 1e-15
"""How far the last digits of a float computed by other steps may be off."""


def case(slug: str) -> corpus.Case:
    return corpus.load(corpus.HERE / "notebooks" / f"{slug}.toml")


def is_printed(value: float, printed: str, decimals: int | None = None) -> bool:
    """Whether a value is what was printed: in full, or to so many decimals."""
    if decimals is not None:
        return f"{value:.{decimals}f}" == f"{float(printed):.{decimals}f}"
    return math.isclose(value, float(printed), rel_tol=LAST_DIGIT)


def by_reference(slug: str, measure: str, profile: str, query: str = MEAN) -> float:
    answers = Oracle(case(slug)).answers(parse(measure), profile)
    assert isinstance(answers, Mapping), answers
    return to_float(answers[query])


# -- the notebook on Hugging Face's trec_eval --------------------------------------------------------------------------

AS_EVALUATE = "score=f32 missing=dropped"
"""P and the like, as cells 1 to 16 met them; nDCG takes the rows as they are given."""
OF_EVALUATE = [
    ("cell-1", "trec-five-docs", {"P@5": "0.4", "nDCG@5": "0.8174935137996165"}),
    ("cell-2", "trec-two-docs", {"P@5": "0.4", "nDCG@5": "0.8174935137996165"}),
    ("cell-3", "trec-grades-ten-nine-eight", {"P@5": "0.4", "nDCG@5": "0.777975983841851"}),
    ("cell-4", "trec-grades-thirty-twenty-ten", {"P@5": "0.4", "nDCG@5": "0.8174935137996167"}),
    ("cell-5", "trec-scores-against-rows", {"P@5": "0.4", "nDCG@5": "0.8174935137996165"}),
    ("cell-6", "trec-two-systems-in-one-run", {"P@5": "0.6", "nDCG@5": "0.9224945116765986"}),
    ("cell-8-system-1", "trec-system-one-alone", {"P@5": "0.4", "nDCG@5": "0.8174935137996165"}),
    ("cell-8-system-2", "trec-system-two-alone", {"P@5": "0.2", "nDCG@5": "0.21000199575396408"}),
    ("cell-9", "trec-query-left-out", {"P@5": "0.30000000000000004", "nDCG@5": "0.6187487526537724"}),
    ("cell-10", "trec-query-with-unnamed-doc", {"P@5": "0.20000000000000004", "nDCG@5": "0.4124991684358483"}),
    ("cell-11", "trec-query-with-unknown-doc", {"P@5": "0.20000000000000004", "nDCG@5": "0.4124991684358483"}),
    ("cell-15", "trec-ideal-cut-at-five", {"nDCG@5": "0.42010951172205624", "nDCG@10": "0.40014926254662797"}),
    ("cell-16", "trec-hit-at-rank-five", {"nDCG@5": "0.4742830263739263", "nDCG@10": "0.4517488843896262"}),
]
EVALUATIONS = [pytest.param(slug, printed, id=cell) for cell, slug, printed in OF_EVALUATE]


@pytest.fixture(scope="module")
def evaluate() -> Iterator[Worker]:
    with Worker(ADAPTERS / "evaluate_adapter.py") as worker:
        yield worker


@pytest.mark.parametrize(("slug", "printed"), EVALUATIONS)
def test_the_reference_gives_what_evaluate_printed(slug: str, printed: dict[str, str]) -> None:
    for measure, text in printed.items():
        order = " order=input" if measure.startswith("nDCG") else ""
        assert is_printed(by_reference(slug, measure, AS_EVALUATE + order), text), measure


@pytest.mark.parametrize(("slug", "printed"), EVALUATIONS)
def test_evaluate_still_prints_it(slug: str, printed: dict[str, str], evaluate: Worker) -> None:
    answers = evaluate.observe("default", case(slug).input(), list(printed))
    for measure, text in printed.items():
        assert is_printed(answers[measure]["mean"], text), answers[measure]


def test_cell_7_evaluate_refuses_two_runs_at_once() -> None:
    """The refusal is the library's own, so the module is asked without the adapter's translation of one run."""
    two_runs = """
import importlib.util, json, sys
found = importlib.util.spec_from_file_location("adapter", sys.argv[1])
adapter = importlib.util.module_from_spec(found)
found.loader.exec_module(adapter)
run, qrels = adapter.tables(json.loads(sys.argv[2]))
module = adapter.own_module()(keep_in_memory=True)
print(sorted(module.compute(predictions=[run], references=[qrels]))[0], flush=True)
module.compute(predictions=[run, run], references=[qrels])
"""
    data = json.dumps(case("trec-system-one-alone").input())
    asked = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", two_runs, ADAPTERS / "evaluate_adapter.py", data],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert asked.stdout.split() == ["NDCG@10"]
    assert asked.returncode == 1
    assert "ValueError: Mismatch in the number of predictions (2) and references (1)" in asked.stderr


HAND = [
    ("cell-12", "trec-hand-calculation", "nDCG", "notebook-trec", "0.8322420383257692"),
    ("cell-13-exponential", "trec-hand-against-tool", "nDCG", "notebook-trec", "0.7895959410076381"),
    ("cell-13-linear", "trec-hand-against-tool", "nDCG", "notebook-trec gain=linear", "0.8174935137996168"),
    ("cell-14-exponential", "trec-hand-against-tool-one-doc", "nDCG", "notebook-trec", "0.10646464774659968"),
    ("cell-14-linear", "trec-hand-against-tool-one-doc", "nDCG", "notebook-trec gain=linear", "0.2100019957539641"),
    ("cell-15-at-5", "trec-ideal-cut-at-five", "nDCG@5", "notebook-trec gain=linear", "0.4201095117220563"),
    ("cell-15-at-10", "trec-ideal-cut-at-five", "nDCG@10", "notebook-trec gain=linear", "0.40014926254662797"),
    ("cell-16-at-5", "trec-hit-at-rank-five", "nDCG@5", "notebook-trec gain=linear", "0.47428302637392633"),
    ("cell-16-at-10", "trec-hit-at-rank-five", "nDCG@10", "notebook-trec gain=linear", "0.45174888438962624"),
]


@pytest.mark.parametrize(("slug", "measure", "profile", "printed"), [pytest.param(*row[1:], id=row[0]) for row in HAND])
def test_the_reference_gives_what_was_worked_out_by_hand(slug: str, measure: str, profile: str, printed: str) -> None:
    assert is_printed(by_reference(slug, measure, profile), printed)


@pytest.mark.parametrize(
    ("rels", "printed"),
    [
        pytest.param([2, 3, None, 1, 2], "3.0 4.416508275000202 0.0 0.43067655807339306 1.1605584217036249", id="dcg"),
        pytest.param([3, 2, 2, 1], "7.0 1.8927892607143721 1.5 0.43067655807339306", id="ideal"),
    ],
)
def test_cell_12_each_rank_adds_what_was_printed(rels: list[int | None], printed: str) -> None:
    sums = [discounted_cumulated_gain(ranked(rels[:k]), gain="exp") for k in range(len(rels) + 1)]
    added = [to_float(after - before) for before, after in pairwise(sums)]
    assert [is_printed(value, text) for value, text in zip(added, printed.split(), strict=True)] == [True] * len(rels)


# Cell 18: query -> P, R, RR and nDCG at 5, 10, 50, in the table's order.
TABLE = {
    "0": "0.4 0.2 0.04  0.666667 0.666667 0.666667  1.0 1.0 1.0  0.817494 0.817494 0.817494",
    "1": "0.4 0.2 0.04  0.666667 0.666667 0.666667  1.0 1.0 1.0  0.777976 0.777976 0.777976",
    "2": "0.4 0.2 0.04  0.666667 0.666667 0.666667  1.0 1.0 1.0  0.817494 0.817494 0.817494",
    "3": "0.2 0.1 0.02  0.333333 0.333333 0.333333  1.0 1.0 1.0  0.210002 0.210002 0.210002",
}
COLUMNS = [f"{measure}@{k}" for measure in ("P", "R", "RR", "nDCG") for k in (5, 10, 50)]


@pytest.mark.parametrize("query", TABLE)
def test_cell_18_the_table_by_query(query: str) -> None:
    for column, printed in zip(COLUMNS, TABLE[query].split(), strict=True):
        value = by_reference("trec-table-by-query", column, "notebook-trec gain=linear", query)
        assert is_printed(value, printed, decimals=6), column


def test_cell_18_the_table_from_frames_with_columns_of_other_names() -> None:
    import pandas as pd

    found = case("trec-table-by-query")
    qrels = pd.DataFrame(found.qrels, columns=["QUERY_KEY", "DOC_KEY", "SCORE"])
    run = pd.DataFrame(found.run, columns=["QUERY_KEY", "DOC_KEY", "unused", "RANK"]).drop(columns="unused")
    ids = {"query_id": "QUERY_KEY", "doc_id": "DOC_KEY"}
    columns = {"qrels": ids | {"relevance": "SCORE"}, "run": ids | {"rank": "RANK"}}
    result = rankproof.evaluate(COLUMNS, qrels, run, profile="notebook-trec gain=linear", columns=columns)
    frame = result.to_frame()
    assert list(frame.columns) == COLUMNS
    assert list(frame.index) == list(TABLE)
    for query, printed in TABLE.items():
        cells = zip(frame.loc[query], printed.split(), strict=True)
        assert all(is_printed(value, text, decimals=6) for value, text in cells), query


def test_cell_24_a_tie_moves_p_at_10_and_not_ndcg_at_10(evaluate: Worker) -> None:
    slug = "trec-tie-at-rank-ten"
    assert by_reference(slug, "P@10", "notebook-trec") == 0.2
    asked = evaluate.observe("default", case(slug).input(), ["P@10", "nDCG@10"])
    assert asked["P@10"]["mean"] == 0.1
    by_rank = by_reference(slug, "nDCG@10", "notebook-trec gain=linear")
    assert math.isclose(asked["nDCG@10"]["mean"], by_rank, rel_tol=LAST_DIGIT)


# -- the notebook of hand-written measures on binary lists -------------------------------------------------------------

BINARY = [
    ("cell-14", "binary-precision-of-the-list", "P", "0.25"),
    ("cell-25", "binary-precision-at-one", "P@1", "0.0"),
    ("cell-27", "binary-recall-at-one", "R@1", "0.0"),
    ("cell-29", "binary-average-precision", "AP", "0.5961904761904762"),
    ("cell-31", "binary-mean-average-precision", "AP", "0.7083333333333333"),
    ("cell-37", "binary-dcg-without-first-discounts", "DCG@6", "10.279642067948915"),
    ("cell-40", "binary-ndcg-without-first-discounts", "nDCG@6", "0.7424602308163405"),
]


@pytest.mark.parametrize(("slug", "measure", "printed"), [pytest.param(*row[1:], id=row[0]) for row in BINARY])
def test_the_reference_gives_what_the_lists_gave(slug: str, measure: str, printed: str) -> None:
    assert is_printed(by_reference(slug, measure, "notebook-binary"), printed)


# -- the notebook on catboost and scikit-learn -------------------------------------------------------------------------

EXP, BASE = "notebook-catboost", "notebook-catboost gain=linear"
GAINS = [
    ("cell-7", "catboost-dcg-at-five", "DCG@5", EXP, "11.98402424049139"),
    ("cell-8", "catboost-dcg-at-ten", "DCG@10", EXP, "11.98402424049139"),
    ("cell-10", "catboost-ndcg-at-five", "nDCG@5", EXP, "0.99273940647578"),
    ("cell-11", "catboost-ndcg-at-two", "nDCG@2", EXP, "1.0"),
    ("cell-20", "catboost-dcg-at-five", "DCG@5", BASE, "6.466241679685391"),
    ("cell-21", "catboost-ndcg-at-five", "nDCG@5", BASE, "0.9932683086972719"),
    ("cell-22", "catboost-ndcg-at-two", "nDCG@2", BASE, "1.0"),
]
OF_LIBRARIES = [
    ("cell-15", "catboost", "catboost-dcg-at-five", "DCG(dcg='exp-log2')@5", "11.98402424049139"),
    ("cell-16", "catboost", "catboost-ndcg-at-five", "nDCG(dcg='exp-log2')@5", "0.99273940647578"),
    ("cell-17", "catboost", "catboost-ndcg-at-two", "nDCG(dcg='exp-log2')@2", "1.0"),
    ("cell-20", "sklearn", "catboost-dcg-at-five", "DCG@5", "6.466241679685391"),
    ("cell-21", "sklearn", "catboost-ndcg-at-five", "nDCG@5", "0.9932683086972719"),
    ("cell-22", "sklearn", "catboost-ndcg-at-two", "nDCG@2", "1.0"),
    ("cell-23", "catboost", "catboost-dcg-at-five", "DCG@5", "6.466241679685391"),
    ("cell-9", "catboost", "catboost-all-zero-query", "nDCG(dcg='exp-log2')@5", "1.0"),
]


@pytest.fixture(scope="module")
def libraries() -> Iterator[dict[str, Worker]]:
    with Worker(ADAPTERS / "catboost_adapter.py") as catboost, Worker(ADAPTERS / "sklearn_adapter.py") as sklearn:
        yield {"catboost": catboost, "sklearn": sklearn}


@pytest.mark.parametrize(
    ("slug", "measure", "profile", "printed"), [pytest.param(*row[1:], id=row[0]) for row in GAINS]
)
def test_the_reference_gives_what_both_gains_gave(slug: str, measure: str, profile: str, printed: str) -> None:
    assert is_printed(by_reference(slug, measure, profile), printed)


@pytest.mark.parametrize(
    ("library", "slug", "measure", "printed"),
    [pytest.param(*row[1:], id=f"{row[0]}-{row[1]}") for row in OF_LIBRARIES],
)
def test_the_libraries_still_print_it(
    library: str, slug: str, measure: str, printed: str, libraries: dict[str, Worker]
) -> None:
    answer = libraries[library].observe("rows", case(slug).input(), [measure])[measure]
    assert is_printed(answer["mean"], printed), answer


def test_cell_5_the_rels_in_the_order_of_the_results() -> None:
    found = case("catboost-dcg-at-five")
    rels = {doc: rel for _, doc, rel in found.qrels}
    assert [rels[doc] for _, doc, _, _ in found.run] == [3, 2, 2, 1, 2]
    assert [score for _, _, score, _ in found.run] == [5, 4, 3, 2, 1]  # cells 13 and 19


def test_cell_9_a_query_of_zeros_is_worth_1() -> None:
    assert by_reference("catboost-all-zero-query", "nDCG@5", "notebook-catboost") == 1


# -- the notebook on similarity matrices -------------------------------------------------------------------------------

NAMES, LABELS = ["96-A", "96-B", "113-A", "113-B", "120-A", "120-B"], [96, 96, 113, 113, 120, 120]
IDEAL = [[float(a == b) for b in LABELS] for a in LABELS]
REAL = [
    [1.0, 0.3, 0.7, 0.6, 0.1, 0.1],
    [0.3, 1.0, 0.1, 0.1, 0.1, 0.1],
    [0.7, 0.1, 1.0, 1.0, 0.1, 0.1],
    [0.6, 0.1, 1.0, 1.0, 0.1, 0.1],
    [0.1, 0.1, 0.1, 0.1, 1.0, 1.0],
    [0.1, 0.1, 0.1, 0.1, 1.0, 1.0],
]
MODELS = [
    pytest.param("similarity-ideal-model", IDEAL, "1.000", "1.000", id="cells-9-and-10"),
    pytest.param("similarity-real-model", REAL, "1.000", "0.917", id="cells-11-and-12"),
]
SIX = ("Homogeneity", "Completeness", "V", "ARI", "AMI", "FMI")
CLUSTERINGS = [
    pytest.param("clustering-of-the-ideal-model", dict.fromkeys(SIX, "1.000"), id="cell-10"),
    pytest.param(
        "clustering-of-the-real-model",
        dict(zip(SIX, ("0.710", "0.772", "0.740", "0.444", "0.502", "0.577"), strict=True)),
        id="cell-12",
    ),
]


@pytest.mark.parametrize(("slug", "matrix", "mean_cg", "mean_ndcg"), MODELS)
def test_a_similarity_matrix_becomes_the_rows_of_the_case(
    slug: str, matrix: list[list[float]], mean_cg: str, mean_ndcg: str
) -> None:
    qrels, run = from_similarity(matrix, LABELS, NAMES)
    found = case(slug)
    assert [(query, *judgment) for query in qrels for judgment in qrels[query]] == list(found.qrels)
    assert [(query, row.doc, row.score) for query in run for row in run[query]] == [row[:3] for row in found.run]
    assert is_printed(by_reference(slug, "CG@3", "notebook-similarity"), mean_cg, decimals=3)
    assert is_printed(by_reference(slug, "nDCG@3", "notebook-similarity"), mean_ndcg, decimals=3)


def test_cells_3_to_7_one_row_by_the_formulas_themselves() -> None:
    row = ranked([0, 0, 1, 0, 0], k=3)  # 113-A, 113-B, 96-B, … for 96-A
    assert cumulated_gain(row, gain="exp") == 1
    assert normalised_dcg(row, gain="exp") == 0.5


@pytest.mark.parametrize(("slug", "printed"), CLUSTERINGS)
def test_the_reference_scores_the_clusters(slug: str, printed: dict[str, str]) -> None:
    for measure, text in printed.items():
        assert is_printed(by_reference(slug, measure, "standard"), text, decimals=3), measure


@pytest.mark.parametrize(("slug", "printed"), CLUSTERINGS)
def test_scikit_learn_still_scores_them_so(slug: str, printed: dict[str, str], libraries: dict[str, Worker]) -> None:
    answers = libraries["sklearn"].observe("rows", case(slug).input(), list(printed))
    for measure, text in printed.items():
        assert is_printed(answers[measure]["mean"], text, decimals=3), answers[measure]


PRINTED_BY_LIBRARIES = {
    "evaluate": [(slug, measure) for _, slug, printed in OF_EVALUATE for measure in printed],
    "catboost and sklearn": [(slug, measure) for _, _, slug, measure, _ in OF_LIBRARIES],
    "sklearn on clusters": [(clusters.values[0], measure) for clusters in CLUSTERINGS for measure in SIX],
}


@pytest.mark.parametrize("who", PRINTED_BY_LIBRARIES)
def test_a_run_asks_for_every_number_that_a_library_printed(who: str) -> None:
    missing = [(slug, measure) for slug, measure in PRINTED_BY_LIBRARIES[who] if measure not in case(slug).measures]
    assert missing == []


# -- ir_measures' manual -----------------------------------------------------------------------------------------------


def as_dicts(slug: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    found = case(slug)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, doc, rel in found.qrels:
        qrels.setdefault(str(query), {})[str(doc)] = int(rel)
    for query, doc, score, _ in found.run:
        run.setdefault(str(query), {})[str(doc)] = score
    return qrels, run


def test_empty_set_behaviour_of_ir_measures() -> None:
    import ir_measures

    asked = [ir_measures.RR, ir_measures.nDCG]
    qrels, run = as_dicts("ir-measures-empty-sets")
    means = ir_measures.calc_aggregate(asked, qrels, run)
    by_query = {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(asked, qrels, run)}
    for measure in asked:
        name = str(measure)
        expected = by_reference("ir-measures-empty-sets", name, "standard")
        assert math.isclose(means[measure], expected, rel_tol=LAST_DIGIT)
        assert by_query[name, "q2"] == 0.0, "judged, and not in the run"
        assert (name, "q3") not in by_query, "in the run, and not judged"


def wikipedia() -> tuple[Any, list[Any], list[Any]]:
    """The manual's example: a custom measure of a query, with its qrels and run."""
    import ir_measures

    def finds_wikipedia(_qrels: Any, run: Any) -> float:
        return float(any(url.startswith("https://en.wikipedia.org/") for url in run["doc_id"]))

    has_english_wiki = ir_measures.define_byquery(finds_wikipedia, name="HasEnglishWiki")
    qrels = [ir_measures.Qrel("0", "x", 0), ir_measures.Qrel("1", "x", 0)]
    run = [
        ir_measures.ScoredDoc("0", "https://www.gla.ac.uk/", 0.0),
        ir_measures.ScoredDoc("0", "https://en.wikipedia.org/wiki/Terrier", -1.0),
        ir_measures.ScoredDoc("1", "https://www.google.com/", 0.0),
    ]
    return has_english_wiki, qrels, run


def test_a_measure_defined_by_query_takes_a_cutoff() -> None:
    import ir_measures

    measure, qrels, run = wikipedia()
    means = ir_measures.calc_aggregate([measure, measure @ 1, measure @ 2], qrels, run)
    assert {str(m): value for m, value in means.items()} == {
        "HasEnglishWiki": 0.5, "HasEnglishWiki@1": 0.0, "HasEnglishWiki@2": 0.5,
    }  # fmt: skip


def test_a_measure_defined_over_all_queries_takes_a_cutoff() -> None:
    import ir_measures

    _, qrels, run = wikipedia()

    def longest_ranking(_qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        for query, rows in run.groupby("query_id"):
            yield query, float(len(rows))

    measure = ir_measures.define(longest_ranking, name="Longest")
    found = ir_measures.iter_calc([measure, measure @ 1], qrels, run)
    by_query = {(str(value.measure), value.query_id): value.value for value in found}
    assert by_query == {("Longest", "0"): 2, ("Longest", "1"): 1, ("Longest@1", "0"): 1, ("Longest@1", "1"): 1}


def test_one_evaluator_serves_several_runs_and_remembers_none() -> None:
    import ir_measures

    asked = [ir_measures.parse_measure(name) for name in ("nDCG@10", "P@5", "P(rel=2)@5", "Judged@10")]
    qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}}
    runs = [
        {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}},
        {"q1": {"c": 3.0, "x": 2.0, "b": 1.0}, "q2": {"y": 2.0, "a": 1.0}},
        {"q1": {"x": 1.0}},
    ]
    ndcg = (1 / 2 / (2 + 1 / math.log2(3)) + 1 / math.log2(3)) / 2  # b third of q1, a second of q2
    by_hand = [
        {"nDCG@10": 1.0, "P@5": 3 / 10, "P(rel=2)@5": 1 / 10, "Judged@10": 1.0},
        {"nDCG@10": ndcg, "P@5": 2 / 10, "P(rel=2)@5": 0.0, "Judged@10": (2 / 3 + 1 / 2) / 2},
        {"nDCG@10": 0.0, "P@5": 0.0, "P(rel=2)@5": 0.0, "Judged@10": 0.0},
    ]
    evaluator = ir_measures.evaluator(asked, qrels)
    for run, expected in zip([*runs, runs[0]], [*by_hand, by_hand[0]], strict=True):
        means = {str(m): value for m, value in evaluator.calc_aggregate(run).items()}
        assert means == pytest.approx(expected, rel=1e-12)
        fresh = ir_measures.calc_aggregate(asked, qrels, run)
        assert means == {str(m): value for m, value in fresh.items()}
        assert {m.query_id for m in evaluator.iter_calc(run)} == {"q1", "q2"}
