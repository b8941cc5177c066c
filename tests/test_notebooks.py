"""What the documents that this project was created from show beside their numbers, which `test_notebook_page.py` has all of.

A refusal, a tie that moves one measure and not another, a matrix that becomes rows, custom measures, an evaluator used several times.
Cells go by the number of their prompt.
"""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import reporting

from rankproof import cases as corpus
from rankproof.asking.observations import Answered
from rankproof.asking.sheets import ADAPTERS
from rankproof.matching.reference_answers import Oracle, Values
from rankproof.reference_impl.evaluation import MEAN
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.examples import ranked
from rankproof.reference_impl.measures.cumulated_gain import cumulated_gain, normalised_dcg
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.similarity import from_similarity

LAST_DIGIT = 1e-15
"""How far the last digits of a float computed by other steps may be off."""


def case(slug: str) -> corpus.Case:
    return corpus.load(corpus.HERE / "notebooks" / f"{slug}.toml")


def by_reference(slug: str, measure: str, profile: str, query: str = MEAN) -> float:
    answers = Oracle(case(slug).input).answers(parse(measure), profile)
    assert isinstance(answers, Values), answers
    return to_float(answers.named[query])


# -- the notebook on Hugging Face's trec_eval --------------------------------------------------------------------------


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
    data = json.dumps(case("trec-system-one-alone").input.as_json())
    asked = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", two_runs, ADAPTERS / "evaluate_adapter.py", data],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert asked.stdout.split() == ["NDCG@10"]
    assert asked.returncode == 1
    assert "ValueError: Mismatch in the number of predictions (2) and references (1)" in asked.stderr


def test_cell_24_a_tie_moves_p_at_10_and_not_ndcg_at_10(own_store: Callable[[], object]) -> None:
    slug = "trec-tie-at-rank-ten"
    own_store()
    case = f"notebooks/{slug}"
    answers = reporting.answers({"evaluate": [case]})
    p, ndcg = (answers["evaluate", "default", case, measure] for measure in ("P@10", "nDCG@10"))
    assert by_reference(slug, "P@10", "notebook-trec") == 0.2
    assert isinstance(p, Answered)
    assert isinstance(ndcg, Answered)
    assert p.mean == 0.1
    by_rank = by_reference(slug, "nDCG@10", "notebook-trec gain=linear")
    assert math.isclose(ndcg.mean, by_rank, rel_tol=LAST_DIGIT)


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
    pytest.param("similarity-ideal-model", IDEAL, id="cells-9-and-10"),
    pytest.param("similarity-real-model", REAL, id="cells-11-and-12"),
]


@pytest.mark.parametrize(("slug", "matrix"), MODELS)
def test_a_similarity_matrix_becomes_the_rows_of_the_case(slug: str, matrix: list[list[float]]) -> None:
    qrels, run = from_similarity(matrix, LABELS, NAMES)
    found = case(slug).input
    assert [(query, *judgment) for query in qrels for judgment in qrels[query]] == list(found.qrels)
    assert [(query, row.doc, row.score) for query in run for row in run[query]] == [row[:3] for row in found.run]


def test_cells_3_to_7_one_row_by_the_formulas_themselves() -> None:
    row = ranked([0, 0, 1, 0, 0], k=3)  # 113-A, 113-B, 96-B, … for 96-A
    assert cumulated_gain(row, gain="exp") == 1
    assert normalised_dcg(row, gain="exp") == 0.5


# -- ir_measures' manual -----------------------------------------------------------------------------------------------


def as_dicts(slug: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    found = case(slug).input
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
