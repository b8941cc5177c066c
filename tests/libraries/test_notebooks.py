"""The seed notebooks: every printed value is computed again, or `reports/notebooks.md` gives the reason why not."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shared_run
from notebook_page import LAST_DIGIT, PAGE, Cell, Value, cells, is_printed, page
from reference_values import PlainReference

import rankproof
from rankproof import cases as corpus
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered
from rankproof.workers.sheets import ADAPTERS

DOCUMENTS, CELLS = cells()
ROOT = PAGE.parent.parent
HAD = [cell for cell in CELLS if any(value.how for value in cell.prints)]
LIBRARY_VALUES = [(cell, value) for cell in CELLS for value in cell.prints if value.repro]
TESTED = [value.test for cell in CELLS for value in cell.prints if value.test]


@pytest.mark.parametrize("cell", HAD, ids=lambda cell: f"{cell.document}-{cell.cell}")
def test_printed_values_of_a_cell_are_computed_again(cell: Cell) -> None:
    names = cell.names()
    results = [(value, eval(value.how, names)) for value in cell.prints if value.how]  # noqa: S307 - the table is ours
    assert [(value, had) for value, had in results if not is_printed(had, value.printed, cell.decimals)] == []


@pytest.fixture(scope="module")
def answers() -> Mapping[tuple[str, ...], object]:
    """Return the values of the libraries for the cases of these notebooks."""
    slugs: dict[str, set[str]] = {}
    for _, value in LIBRARY_VALUES:
        slugs.setdefault(value.repro[0], set()).add(value.repro[2])
    return shared_run.answers(slugs)


@pytest.mark.parametrize(
    ("cell", "value"),
    LIBRARY_VALUES,
    ids=[f"{cell.document}-{cell.cell}-{value.what}" for cell, value in LIBRARY_VALUES],
)
def test_library_still_has_the_printed_value(
    cell: Cell, value: Value, answers: Mapping[tuple[str, ...], object]
) -> None:
    answer = answers[tuple(value.repro)]
    assert isinstance(answer, Answered)
    assert is_printed(answer.mean, value.printed, cell.decimals), answer


@pytest.mark.parametrize("name", TESTED)
def test_test_that_the_page_names_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert re.search(rf"^def {function or 'test_'}", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_value_has_one_proof_or_a_reason() -> None:
    for cell in CELLS:
        assert cell.document in DOCUMENTS
        for value in cell.prints:
            ways = [bool(way) for way in (value.how, value.repro, value.test, value.cannot)]
            assert ways.count(True) == 1, f"{cell.document} {cell.cell}: {value.what}"


def test_printed_digits_are_compared() -> None:
    assert is_printed([0.25, 0.5], "0.25 0.5")
    assert is_printed(0.8174935137996166, "0.8174935137996165")
    assert not is_printed(0.8174935137996200, "0.8174935137996165")
    assert not is_printed([0.25], "0.25 0.5")
    assert is_printed(0.7395, "0.740", 3) is (f"{0.7395:.3f}" == "0.740")
    assert not is_printed(0.741, "0.740", 3)


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/support/notebook_page.py`"


# -- values of the notebooks, in other forms ------------------------------------------------------------------------------

BY_PLACE = {(cell.document, cell.cell): cell for cell in CELLS}


def names_of(document: str, cell: str) -> dict[str, Any]:
    return BY_PLACE[document, cell].names()


@pytest.mark.parametrize("cell", ["1", "2", "3", "4", "5", "6", "9", "10", "11"])
def test_frames_and_arrays_have_the_values_of_dicts_of_lists(cell: str) -> None:
    sides = [names_of("trec", cell)[name] for name in ("qrel", "run")]
    arrays = [{name: np.array(column) for name, column in side.items()} for side in sides]
    by_lists, by_frames, by_arrays = (
        rankproof.evaluate(["P@5", "NDCG@5"], *both, profile="evaluate").mean
        for both in (sides, map(pd.DataFrame, sides), arrays)
    )
    assert by_lists == by_frames == by_arrays
    printed = [value.printed for value in BY_PLACE["trec", cell].prints[:2]]
    assert is_printed(by_frames.values(), " ".join(printed))


def test_two_systems_have_the_values_of_the_notebook() -> None:
    both, alone = names_of("trec", "6"), names_of("trec", "8")
    runs = {"sistema1": alone["first"], "sistema2": alone["second"]}
    results = rankproof.evaluate(["P@5", "NDCG@5"], both["qrel"], runs, profile="evaluate")
    assert list(results) == ["sistema1", "sistema2"]
    assert results.mean["P@5"] == {"sistema1": 0.4, "sistema2": 0.2}
    assert is_printed(results["sistema2"].mean["NDCG@5"], "0.21000199575396408")


@pytest.mark.parametrize(("cell", "docs"), [("13", "doc_2 doc_1 doc_10 doc_11 doc_12"), ("14", "doc_3")])
def test_rows_with_ranks_and_no_scores_have_the_values_of_the_notebook(cell: str, docs: str) -> None:
    ranks = range(1, len(docs.split()) + 1)
    run = {"query": [0] * len(ranks), "docid": docs.split(), "rank": ranks}
    qrels = {"0": names_of("trec", cell)["qrels"]["q"]}
    profiles = (f"notebook-trec gain={gain}" for gain in ("exp", "linear"))
    values = [rankproof.evaluate("nDCG", qrels, run, profile=profile).mean["nDCG"] for profile in profiles]
    assert is_printed(values, " ".join(value.printed for value in BY_PLACE["trec", cell].prints))


def test_cell_19_reads_files_separated_by_bars(tmp_path: Path) -> None:
    names = names_of("trec", "18")
    names["qrels"].to_csv(tmp_path / "qrels.csv", sep="|", index=False)
    names["run"].assign(SCORE=1.5, ENGINE="SOLR").to_csv(tmp_path / "run.csv", sep="|", index=False)
    columns = {"query_id": "QUERY_KEY", "doc_id": "DOC_KEY", "rank": "RANK", "qrels": {"relevance": "SCORE"}}
    result = rankproof.evaluate(
        ["P", "R", "MRR", "nDCG"],
        tmp_path / "qrels.csv",
        tmp_path / "run.csv",
        k=[5, 10, 50],
        separator="|",
        columns=columns,
        profile="notebook-trec gain=linear",
    )
    pd.testing.assert_frame_equal(result.to_frame(), names["table"])


@pytest.mark.parametrize(
    ("measure", "rels", "R"),
    [
        ("P", [0, 0, 0, 1], None),
        ("P@1", [0, 0, 0, 1], None),
        ("R@1", [0, 0, 0, 1], 4),
        ("AP", [0, 1, 0, 1, 1, 1, 1], None),
        ("MAP", [[1, 0, 1], [0, 1, 1]], None),
        ("nDCG@6", [4, 4, 3, 0, 0, 1, 3, 3, 3, 0], None),
    ],
)
def test_arrays_of_grades_have_the_values_of_lists(measure: str, rels: list[Any], R: int | None) -> None:
    forms = (rels, np.array(rels))
    by_list, by_array = (rankproof.evaluate(measure, form, R=R, profile="notebook-binary") for form in forms)
    assert by_list.mean == by_array.mean


@pytest.mark.parametrize("measure", ["DCG@5", "NDCG@5", "NDCG@2"])
@pytest.mark.parametrize("gain", ["exp", "linear"])
def test_grades_in_order_in_groups_and_in_rows_are_one_ranking(measure: str, gain: str) -> None:
    names = names_of("catboost", "15")
    y, y_hat, profile = names["y"], names["y_hat"], f"notebook-catboost gain={gain}"
    in_order = rankproof.evaluate(measure, y, profile=profile)
    as_catboost = rankproof.evaluate(measure, y, y_hat, group_id=names["group_id"], profile=profile)
    as_sklearn = rankproof.evaluate(measure, [y], [y_hat], profile=profile)
    assert in_order.mean == as_catboost.mean == as_sklearn.mean
    assert list(in_order.per_query[measure]) == ["1"]


@pytest.mark.parametrize("cell", ["9, 10", "11, 12"])
def test_a_matrix_and_labelings_in_other_forms_have_the_same_values(cell: str) -> None:
    names = names_of("similarity", cell)
    labels, matrix, items = names["labels"], names["matrix"], ["96-A", "96-B", "113-A", "113-B", "120-A", "120-B"]
    frame = pd.DataFrame(matrix, index=items, columns=items)
    for truth, similarity in ((np.array(labels), np.array(matrix)), (pd.Series(labels), frame)):
        result = rankproof.evaluate(["CG@3", "nDCG@3"], truth, similarity, profile="notebook-similarity")
        assert result.mean == names["result"].mean
    assert list(result.per_query["CG@3"]) == items
    clusters = rankproof.evaluate(list(names["clusters"].mean), np.array(labels), np.array(names["predicted"]))
    assert clusters.mean == names["clusters"].mean
    assert clusters.signature["ARI"] == f"ARI|by:reference|rankproof:{rankproof.__version__}"
    assert clusters.per_query["ARI"] == {}


# -- other results of the notebooks -------------------------------------------------------------------------------------


def case(slug: str) -> corpus.Case:
    return corpus.load(corpus.HERE / "notebooks" / f"{slug}.toml")


def by_reference(slug: str, measure: str, profile: str) -> float:
    answers = PlainReference(case(slug).input).answers(parse(measure), profile)
    assert isinstance(answers, Values), answers
    return to_float(answers.mean)


def test_cell_7_evaluate_refuses_two_runs_at_once() -> None:
    """The library itself refuses two runs, so the test calls its module without the adapter, which passes only one run."""
    two_runs = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("adapter", sys.argv[1])
adapter = importlib.util.module_from_spec(spec)
spec.loader.exec_module(adapter)
run, qrels = adapter.tables(json.loads(sys.argv[2]))
module = adapter.own_module()(keep_in_memory=True)
print(sorted(module.compute(predictions=[run], references=[qrels]))[0], flush=True)
module.compute(predictions=[run, run], references=[qrels])
"""
    data = json.dumps(case("trec-system-one-alone").input.as_json())
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", two_runs, ADAPTERS / "evaluate_adapter.py", data],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.split() == ["NDCG@10"]
    assert done.returncode == 1
    assert "ValueError: Mismatch in the number of predictions (2) and references (1)" in done.stderr


def test_cell_24_a_tie_changes_p_at_10_and_not_ndcg_at_10() -> None:
    slug = "trec-tie-at-rank-ten"
    answers = shared_run.answers({"evaluate": [f"notebooks/{slug}"]})
    p, ndcg = (answers["evaluate", "default", f"notebooks/{slug}", measure].mean for measure in ("P@10", "nDCG@10"))
    assert (p, by_reference(slug, "P@10", "notebook-trec")) == (0.1, 0.2)
    by_rank = by_reference(slug, "nDCG@10", "notebook-trec gain=linear")
    assert math.isclose(ndcg, by_rank, rel_tol=LAST_DIGIT)


def test_one_evaluator_serves_several_runs_and_remembers_none() -> None:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in ("nDCG@10", "P@5", "P(rel=2)@5", "Judged@10")]
    qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}}
    ndcg = (1 / 2 / (2 + 1 / math.log2(3)) + 1 / math.log2(3)) / 2  # document b is third in q1, and a is second in q2
    by_hand = [
        ({"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0}}, [1.0, 3 / 10, 1 / 10, 1.0]),
        ({"q1": {"c": 3.0, "x": 2.0, "b": 1.0}, "q2": {"y": 2.0, "a": 1.0}}, [ndcg, 2 / 10, 0, (2 / 3 + 1 / 2) / 2]),
        ({"q1": {"x": 1.0}}, [0, 0, 0, 0]),
    ]
    evaluator = ir_measures.evaluator(measures, qrels)
    for run, expected in [*by_hand, by_hand[0]]:
        means = evaluator.calc_aggregate(run)
        assert means == pytest.approx(dict(zip(measures, expected, strict=True)), rel=1e-12)
        assert means == ir_measures.calc_aggregate(measures, qrels, run)
        assert {m.query_id for m in evaluator.iter_calc(run)} == {"q1", "q2"}
