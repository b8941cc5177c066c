"""Profiles that `rankproof explain` compares: names of tools, their variants, and how common a convention is."""

import re
from pathlib import Path

import pytest
from explained_data import ONE, explanation_of
from two_tools import HERE, facts_of, text_of

from rankproof.evaluate.library_profiles import profile_named, speaking_of
from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain.api import read_data
from rankproof.explain.compared_profiles import compared, makers, read_tool_profiles
from rankproof.explain.explanation import explain
from rankproof.explain.run_data import RunData
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.workers.known_libraries import chosen, libraries


@pytest.mark.parametrize(
    ("library", "measure", "names"),
    [
        ("sklearn", "AP", {"sklearn/appended", "sklearn/rows"}),  # label_ranking_average_precision has no ignore_ties
        ("haystack", "AP@5", {"haystack/relevant"}),
        ("r_metrics", "AUC", {"r_metrics/rows"}),
        ("sklearn", "nDCG@5", {"sklearn/appended", "sklearn/rows", "sklearn/rows-ignore-ties"}),
    ],
)
def test_variants_of_a_tool_that_have_the_measure_are_compared(library: str, measure: str, names: set[str]) -> None:
    answers = explanation_of(ONE, measure, library).sayings
    assert {name for answer in answers for name in answer.names} - {"standard"} == names


def test_single_tool_is_compared_with_standard_and_its_variants_with_each_other() -> None:
    alone = {"sklearn": "sklearn/appended", "sklearn/rows": "standard", "catboost": "standard"}
    for names, first in (*alone.items(), ("catboost sklearn", "catboost")):
        assert next(iter(compared(parse("nDCG@10"), names.split(), numbers=False))) == first, names


@pytest.mark.parametrize(
    ("tool", "measure", "message"),
    [
        ("haystack", "Bpref", r"haystack/relevant \S+ has no profile for Bpref"),
        ("sklearn/rows", "AP@10", r", but it has AP\. Use -m AP instead\.$"),
        ("sklearn/rows", "RR@10", "for RR@k; it has "),
    ],
)
def test_tool_without_the_measure_is_refused_with_what_it_has(tool: str, measure: str, message: str) -> None:
    with pytest.raises(UnknownConvention, match=message):
        explanation_of(ONE, measure, tool)


def test_variant_that_has_the_measure_is_named() -> None:
    (data,) = read_data(HERE / "qrels.txt", [HERE / "run.txt"]).values()
    with pytest.raises(
        UnknownConvention,
        match=r"for AP@k, but ir_measures/default has it\. Use ir_measures/default instead of gdeval\.$",
    ):
        explain("a run", data, parse("AP@10"), ("gdeval", "catboost"))
    with pytest.raises(UnknownConvention, match="for Bpref; it has"):
        explain("a run", data, parse("Bpref"), ("standard", "catboost"))


@pytest.mark.parametrize(
    ("name", "rel", "ways"),
    [
        ("gdeval", 5, {"ir_measures/default", "ir_measures/pytrec_eval", "ir_measures/ranx", "ir_measures/trectools"}),
        ("ir_measures", 0.5, {"ir_measures/trectools"}),
        ("lightgbm", 0.5, set()),
    ],
)
def test_variants_that_take_a_refused_grade_are_named(name: str, rel: float, ways: set[str], tmp_path: Path) -> None:
    """gdeval, for example, has the measure only with a parameter."""
    path = tmp_path / "qrels"
    path.write_text(f"1 0 a {rel}\n" + (HERE / "qrels.txt").read_text(), encoding="utf-8")
    named = re.findall(r"--as ([^\s.]+)", text_of(str(path), "nDCG@10", "--as", name, "--as", "catboost"))
    assert {*named} >= ways


def test_profile_that_takes_graded_judgments_is_named(qrels: dict[str, str]) -> None:
    text = " ".join(text_of(qrels["graded"], "R@10", "--as", "trec_eval", "--as", "torchmetrics").split())
    named = text.partition("--as '")[2].partition("'")[0]
    assert named == "torchmetrics grades=any"
    graded = facts_of(qrels["graded"], "R@10", "--as", "trec_eval", "--as", named)["sayings"]
    binary = facts_of(qrels["binary"], "R@10", "--as", "trec_eval", "--as", "torchmetrics")["sayings"]
    assert graded[1]["answers"]["mean"] == binary[1]["answers"]["mean"]


# -- names of libraries and of their variants -----------------------------------------------------------------------------


def test_library_has_precedence_over_a_variant_of_the_same_name() -> None:
    assert [(library.name, library.only) for library in chosen(("ranx",), libraries())] == [("ranx", ())]


@pytest.mark.parametrize(("measure", "gain"), [("nDCG@10", "exp"), ("nDCG(dcg='exp-log2')@10", "linear")])
def test_gdeval_has_ndcg_under_the_names_of_others(measure: str, gain: str) -> None:
    gdeval = speaking_of(profile_named("gdeval"), parse(measure))
    assert gdeval.conventions(parse(measure)).gain == gain, "a parameter decides the gain"
    assert gdeval.conventions(parse(measure)).grades == "whole-to-4"


def test_gdeval_has_no_other_measure() -> None:
    for measure in ("nDCG", "AP@10", "P@5"):
        with pytest.raises(UnknownConvention, match=r"ir_measures/gdeval \S+ has no profile"):
            speaking_of(profile_named("gdeval"), parse(measure))


# -- profiles from source code, and common conventions ---------------------------------------------------------------------


def test_conventions_count_for_tools_whose_source_decides_them() -> None:
    measure = parse("nDCG@10")
    assert makers(measure, "ideal_cut", "min-k-n").here == 1, "Elasticsearch alone, by its source"
    assert makers(measure, "ideal", "max-gain").here == 1, "RecTools alone, counted under one of its two names"
    assert makers(measure, "ties", "best").anywhere == 0
    open_ties = [name for name, p in read_ways().items() if any("ties" in still for still in p.open.values())]
    assert {"rax", "elasticsearch", "msmarco/script"} <= set(open_ties)


def test_tools_that_rank_by_the_rank_column_are_compared_if_there_is_one() -> None:
    measure = parse("RR@10")
    by_presence = {ranks: [*read_tool_profiles(RunData({}, {}, has_ranks=ranks), measure)] for ranks in (True, False)}
    assert "msmarco/script" in by_presence[True]
    assert by_presence[False] == [name for name in by_presence[True] if name != "msmarco/script"]
