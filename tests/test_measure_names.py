"""Measure names of other tools: each name that rankproof reads gives the value that the tool computes under it.

All tools use one input. No two measures of rankproof have the same values for it, so a name of another measure is
noticed.
"""

import itertools
import math
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from click.testing import CliRunner
from refusals import refusal

import rankproof
from rankproof import measure_names
from rankproof.adapters.trec_eval_adapter import program
from rankproof.cli.evaluate import command
from rankproof.evaluate.tasks import AskedTwice
from rankproof.inference.signatures import parse as parse_signature
from rankproof.measure_names import NOT_MEASURED, SETS, TREC_EVAL, called, in_trec_eval, measure_called
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.report.evaluate import as_trec_eval

# -- trec_eval ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of 7 queries with ties and unjudged documents; run and qrels each lack a query of the other."""
    made = tmp_path_factory.mktemp("names")
    qrels = [(q, d, (q * 7 + d * d * 3) % 11 % 4) for q in range(1, 8) for d in range(0, 60, 2)]
    run = [(q, d, (q * 13 + d * 29) % 37 / 4) for q in (10, 7, 2, 5, 1, 3, 4) for d in range((q * 5) % 17, 60)]
    (made / "qrels").write_text("".join(f"{q} 0 d{d} {rel}\n" for q, d, rel in qrels))
    (made / "run").write_text("".join(f"{q} Q0 d{d} 1 {score} tag\n" for q, d, score in run))
    return made


def printed(folder: Path, *options: str) -> list[str]:
    """Return what trec_eval prints."""
    try:
        trec_eval = program()
    except LookupError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
    done = subprocess.run([trec_eval, *options, "qrels", "run"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def lines_of_ours(folder: Path, *options: str) -> list[str]:
    files = [str(folder / "qrels"), str(folder / "run"), "--format", "trec_eval", "--profile", "trec_eval-9"]
    done = CliRunner().invoke(command, [*files, *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout.splitlines()


def values(lines: list[str]) -> list[list[str]]:
    return [line.split("\t")[1:] for line in lines]


def is_left_out(line: str) -> bool:
    name = line.split(maxsplit=1)[0]
    return name in NOT_MEASURED or re.sub(r"_[\d.]+$", "", name) in NOT_MEASURED


@pytest.mark.parametrize("name", [*(name for name in SETS if name != "default")])
def test_set_has_what_trec_eval_prints_except_what_is_not_computed(folder: Path, name: str) -> None:
    theirs = printed(folder, "-q", "-m", name)
    kept = [line for line in theirs if not is_left_out(line)]
    assert lines_of_ours(folder, "--per-query", "-m", name) == kept
    lacking = {re.sub(r"_[\d.]+$", "", line.split()[0]) for line in theirs if is_left_out(line)}
    assert lacking == set(measure_names.left_out(name))


def test_default_of_the_output_of_trec_eval_is_its_official_set(folder: Path) -> None:
    assert lines_of_ours(folder) == [line for line in printed(folder) if not is_left_out(line)]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        *((name, [f"-m{name}"]) for name in TREC_EVAL if name != "P"),
        ("P.5,10", ["-mP.5,10"]),
        ("P_10", ["-mP.10"]),
        ("ndcg_cut_10", ["-mndcg_cut.10"]),
        ("NDCG_CUT_10", ["-mndcg_cut.10"]),
        ("iprec_at_recall.1,.25", ["-miprec_at_recall.1,.25"]),
        ("iprec_at_recall_0.10", ["-miprec_at_recall.0.10"]),
        ("relative_P_3", ["-mrelative_P.3"]),
        ("ndcg@10", ["-mndcg_cut.10"]),
        ("MAP", ["-mmap"]),
        ("recall@100", ["-mrecall.100"]),
        ("hit@10", ["-msuccess.10"]),
        ("HitRate@10", ["-msuccess.10"]),
        ("precision@5", ["-mP.5"]),
        ("ap(rel=2)", ["-l2", "-mmap"]),
    ],
)
def test_name_has_the_values_that_trec_eval_prints(folder: Path, name: str, theirs: list[str]) -> None:
    assert values(lines_of_ours(folder, "--per-query", "-m", name)) == values(printed(folder, "-q", *theirs))
    if "(" not in name:
        assert lines_of_ours(folder, "-m", name) == printed(folder, *theirs)


@pytest.mark.parametrize("name", ["MRR@10", "mrr@10", "reciprocal_rank@10"])
def test_reciprocal_rank_at_a_cutoff_reads_only_documents_up_to_it(folder: Path, name: str) -> None:
    assert values(lines_of_ours(folder, "--per-query", "-m", name)) == values(
        printed(folder, "-q", "-M10", "-mrecip_rank")
    )


def test_measures_are_found_in_any_letter_case() -> None:
    for name, definition in MEASURES.items():
        cutoff = {"required": "@5", "recall": "@0.1"}.get(definition.cutoff, "")
        for written in {name.upper(), name.lower()} - {"success"}:  # a name of trec_eval for three measures
            assert measure_called(written + cutoff) == parse(name + cutoff)
    assert [measure_called(name.lower()).name for name in CLUSTERINGS] == list(CLUSTERINGS)


def test_name_in_trec_eval_is_read_as_the_same_measure() -> None:
    for name in TREC_EVAL:
        for own in called(f"{name}.5" if name == "P" else name):
            theirs = own.name if own.changes else in_trec_eval(own.measure)
            assert theirs is not None
            again = called(theirs) if theirs != "P" else called("P")[:1]
            assert [(measure.measure, measure.changes) for measure in again] == [(own.measure, own.changes)]
    assert in_trec_eval(parse("AP(rel=2)")) is None, "trec_eval prints its threshold next to the name"
    assert in_trec_eval(parse("RR@10")) is None


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("Rndcg", "nDCG"),
        ("Rprec_mult.0.2,0.4", "Rprec or P@k"),
        ("utility.1,-1,0,0", "SetP or SetR"),
        ("all_prefs", "Bpref"),
    ],
)
def test_measure_of_trec_eval_alone_is_rejected_with_the_nearest(name: str, nearest: str) -> None:
    message = refusal(called, name, by=UnknownMeasure)
    assert message == f"rankproof does not compute trec_eval's {name}; nearest: {nearest}"
    assert all(parse(measure.replace("@k", "@5")) for measure in nearest.split(" or "))


def test_name_in_another_letter_case_is_that_of_trec_eval_unless_it_takes_cutoffs() -> None:
    assert [str(name.measure) for name in called("success")] == ["Success@1", "Success@5", "Success@10"]
    assert [str(name.measure) for name in called("SUCCESS")] == ["Success"]
    assert (measure_called("SET_RECALL"), measure_called("Num_Rel")) == (parse("SetR"), parse("NumRel"))
    (mean,) = called("GM_BPREF")
    assert (mean.name, str(mean.measure), mean.changes) == ("gm_bpref", "Bpref", "mean=geometric")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ndgc@10", "Unknown measure 'ndgc@10'. Did you mean nDCG@10?"),
        ("ndgc_cut_10", "Did you mean ndcg_cut_10?"),
        ("nDCG10", "Did you mean nDCG@10?"),
        ("NDCG 10", "Did you mean nDCG@10?"),
        ("map-l2", "Did you mean MAP(rel=2)?"),
        ("map-l2@10", "Did you mean MAP(rel=2)@10?"),
        ("recall@k", "Did you mean Recall@10?"),
        ("P(rel=2)@k", "Did you mean P@10?"),
        ("xyz", "Unknown measure 'xyz'. `rankproof show measures` lists all measures."),
        ("xyz@10,P@5", "Unknown measure 'xyz@10'"),
        ("P.0", "P@0: the cutoff must be a whole number of 1 or more"),
        ("iprec_at_recall.2", "the recall level must be from 0 to 1"),
        ("", "Unknown measure ''."),
    ],
)
def test_unknown_name_is_rejected_with_similar_ones(name: str, message: str) -> None:
    assert message in refusal(called, name, by=UnknownMeasure)


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("nDCG at 10", "nDCG@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("precision_at_10", "P@10"),
        ("hit rate@2", "Success@2"),
        ("hit-ratio@2", "Success@2"),
        ("accuracy@1", "Success@1"),
        ("mean reciprocal rank", "RR"),
        ("Mean Average Precision@5", "AP@5"),
        ("MRR@all", "RR"),
        ("nDCG@10,P@5", "nDCG@10 P@5"),
        ("AP, P(rel=2)@5, nDCG(dcg='exp-log2')@3", "AP P(rel=2)@5 nDCG(dcg='exp-log2')@3"),
    ],
)
def test_names_that_people_type_are_understood(name: str, measures: str) -> None:
    assert [own.measure for own in called(name)] == [parse(text) for text in measures.split()]


def test_geometric_mean_of_average_precision_has_its_usual_name() -> None:
    ((own,), (theirs,)) = called("GMAP"), called("gm_map")
    assert (own.measure, own.changes) == (theirs.measure, theirs.changes) == (parse("AP"), "mean=geometric")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BLEU", "generated text"),
        ("rouge-l", "generated text"),
        ("kappa", "classification"),
        ("accuracy", "classification"),
        ("alpha_nDCG@20", "diversity of a ranking"),
        ("Kendall tau", "similarity of two rankings"),
        ("novelty@10", "recommendation beyond relevance"),
    ],
)
def test_measure_that_is_not_covered_is_not_taken_for_one_with_a_similar_name(name: str, kind: str) -> None:
    message = refusal(called, name, by=UnknownMeasure)
    assert f"is not covered ({kind})" in message
    assert "Did you mean" not in message


def test_name_of_several_measures_is_rejected_if_a_single_measure_is_needed() -> None:
    for name, message in (
        ("P.5,10", "P.5,10 stands for P@5, P@10; choose one"),
        ("gm_map", "gm_map is AP with mean=geometric"),
    ):
        assert refusal(measure_called, name, by=UnknownMeasure).startswith(message)
    assert parse_signature("ndcg_cut_10|gain:exp") == parse_signature("nDCG@10|gain:exp")


QRELS = {
    "1": {"a": 1, "b": 3, "c": 0, "d": 2, "e": 0, "f": 1, "g": 2, "h": 0, "p": 0, "x": -1},
    "2": {"a": 0, "b": 2, "c": 1, "d": 0, "e": 3, "h": 1, "i": 0, "p": 1},
    "3": {"a": 0, "b": 0, "c": 2, "d": 1, "f": 0, "k": 1, "p": 0},
    "4": {"a": 0, "b": 2, "c": 1, "q": 1, "s": 1, "t": 1, "u": 1},
    "5": {"a": 0, "q": 1, "r": 3},
}
RUN = {
    "1": {"a": 9.0, "x": 8.0, "b": 7.0, "c": 6.0, "e": 5.0, "d": 4.0, "y": 3.0},
    "2": {"x": 9.0, "a": 8.0, "e": 7.0, "y": 6.0, "b": 5.0, "d": 4.0, "z": 3.0, "i": 2.0},
    "3": {"a": 9.0, "c": 8.0, "x": 7.0, "b": 6.0, "d": 5.0, "f": 4.0},
    "4": {"x": 9.0, "a": 8.0, "y": 7.0, "b": 6.0, "z": 5.0},
    "5": {"a": 9.0, "x": 8.0},
}
"""No ties.

Unjudged documents, one of them in the pool; unretrieved relevant documents, a late hit, a query without hits.
"""
FORMS = ("{}", "{}@3", "{}@4", "{}@0.3")


def ours(text: str, profile: str = "trec_eval-9") -> Mapping[str, tuple[Mapping[str, float], float]] | None:
    """Return the values by query and the mean under the name in the result; None if the name is rejected."""
    try:
        called(text)
    except UnknownMeasure:
        return None
    result = rankproof.evaluate(text, QRELS, RUN, profile=profile)
    return {name: (result.per_query[name], result.mean[name]) for name in result.mean}


def close(value: float, theirs: float) -> bool:
    return math.isclose(value, theirs, rel_tol=1e-5, abs_tol=6e-6)


def same(values: Mapping[str, float], theirs: Mapping[str, float]) -> bool:
    return values.keys() == theirs.keys() and all(close(values[query], theirs[query]) for query in theirs)


def all_of_ours() -> Iterator[str]:
    cutoffs = {"none": [""], "optional": ["", "@3"], "required": ["@3"], "recall": ["@0.3"]}
    for name, definition in MEASURES.items():
        yield from (f"{name}{cutoff}" for cutoff in cutoffs[definition.cutoff])
    yield from ("SetP(relative=True)", "NumRet(rel=1)", "nDCG(dcg='exp-log2')", "F(beta=2)@3", "AP(rel=2)")


BY_DEFINITION_ALIKE = {frozenset({"P", "SetP"}), frozenset({"R", "SetR"})}


def test_every_measure_has_other_values_for_the_input() -> None:
    names = list(all_of_ours())
    values = rankproof.evaluate(names, QRELS, RUN).per_query
    for a, b in itertools.combinations(names, 2):
        assert not same(values[a], values[b]) or frozenset({a, b}) in BY_DEFINITION_ALIKE, (a, b)


# -- ir_measures -------------------------------------------------------------------------------------------------------


@cache
def of_ir_measures(text: str) -> tuple[Mapping[str, float], float] | None:
    """Return the value of ir_measures under a name; None if it has no such measure or no provider for it."""
    try:
        measure = ir_measures.parse_measure(text)
    except (NameError, ValueError, SyntaxError, AttributeError, AssertionError):
        return None
    for tool in (ir_measures.pytrec_eval, ir_measures.cwl_eval, ir_measures.judged, ir_measures.gdeval):
        if _supports(tool, measure):
            per_query = {m.query_id: m.value for m in tool.iter_calc([measure], QRELS, RUN)}
            return per_query, tool.calc_aggregate([measure], QRELS, RUN)[measure]
    return None


def _supports(tool: Any, measure: Any) -> bool:
    try:
        return bool(tool.supports(measure))
    except AssertionError:  # ir_measures rejects an invalid cutoff with this error
        return False


IR_NAMES = sorted(
    {
        *ir_measures.measures.registry,
        "SetRelP(rel=2)",
        "NumRelRet(rel=2)",
        "SetP(relative=True)",
        "MAP(rel=2)",
        "Precision(rel=2)",
        "RBP(rel=1)",
        "RBP(p=0.5,rel=1)",
    }
)


@pytest.mark.parametrize("name", IR_NAMES)
def test_name_of_ir_measures_has_its_values(name: str) -> None:
    compared = 0
    for text in (form.format(name) for form in FORMS):
        mine, theirs = ours(text, "standard"), of_ir_measures(text)
        if mine is None or theirs is None:
            continue
        ((values, mean),) = mine.values()
        assert same(values, theirs[0]), (text, values, theirs)
        assert close(mean, theirs[1]), text
        compared += 1
    needs_rel = name == "RBP"  # ir_measures computes it only with a relevance threshold
    assert compared or needs_rel or ours(name) is None, "rankproof reads the name, and nothing was compared"


# -- rejected names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["hits", "hits@10", "Hits@10", "HITS"])
def test_name_that_tools_use_for_different_values_is_rejected(text: str) -> None:
    message = refusal(called, text, by=UnknownMeasure)
    assert "is ambiguous: ranx counts the hits" in message
    assert "Success@k" in message


def test_no_measure_has_a_name_that_means_another_one_elsewhere() -> None:
    names = {*MEASURES, *CLUSTERINGS}
    assert all(measure_names.USUAL.get(name.casefold(), name) == name for name in names)
    assert not {name.casefold() for name in names} & {*measure_names.AMBIGUOUS}


# -- in results --------------------------------------------------------------------------------------------------------

SMALL_QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
SMALL_RUN = {"q1": {"a": 0.4, "b": 0.9}, "q2": {"a": 1.0}}


def test_name_with_other_conventions_is_kept_and_signed() -> None:
    result = rankproof.evaluate(["map", "gm_map", "R@1", "relative_P.1"], {"q": {"a": 1, "b": 1}}, {"q": {"a": 1}})
    assert dict(result.mean) == {"map": 0.5, "gm_map": 0.5, "R@1": 0.5, "relative_P_1": 1.0}
    assert result.signature["gm_map"].startswith("AP|mean:geometric|")
    assert result.signature["relative_P_1"].startswith("R@1|r_denominator:min-k-R|")
    assert result.mean["map"] == 0.5
    with pytest.raises(AskedTwice):
        rankproof.evaluate("map", SMALL_QRELS, SMALL_RUN, signature="AP|mean:geometric")


def test_set_has_the_measures_of_a_librarys_fingerprint() -> None:
    result = rankproof.evaluate(
        "default", SMALL_QRELS, SMALL_RUN | {"q2": {"a": 1.0, "z": 0.0}}, profile="sklearn/appended"
    )
    assert "nDCG@10" in result.mean
    assert "RR" not in result.mean
    for profile, wanted in (("cwl_eval", ["AP", "RR", "P@10"]), ("beir/recall_cap", ["R@100"])):
        assert list(rankproof.evaluate("default", SMALL_QRELS, SMALL_RUN, profile=profile).mean) == wanted
    with pytest.raises(UnknownConvention, match=r"^rexmex \S+ has no profile for SetF; it has "):
        rankproof.evaluate("set", SMALL_QRELS, SMALL_RUN, profile="rexmex")


def test_queries_are_printed_in_the_order_of_their_bytes() -> None:
    names = ["b", "\u00e9", "10", "9", "a", "\U0001f600", "\uffff"]
    result = rankproof.evaluate(["AP"], {name: {"d": 1} for name in names}, {name: {"d": 1.0} for name in names})
    lines = as_trec_eval({"run": result}, per_query=True).splitlines()
    assert [line.split("\t")[1] for line in lines] == ["10", "9", "a", "b", "\u00e9", "\\uffff", "\U0001f600", "all"]


def test_results_have_the_typed_names_and_are_found_by_any_name() -> None:
    names = (
        "HR@1=Success@1 hit@1=Success@1 Hit_Rate@2=Success@2 prec@1=P@1 recall@2=R@2 F1@2=F@2 ndcg@10=nDCG@10 "
        "MRR=RR reciprocal_rank=RR map=AP average_precision=AP"
    )
    elsewhere = dict(pair.split("=") for pair in names.split())
    result = rankproof.evaluate([*elsewhere, "gm_map", "Success@2", "P.1,2"], SMALL_QRELS, SMALL_RUN)
    meant = elsewhere | {
        "gm_map": "AP",
        "Success@2": "Success@2",
        "P@1": "P@1",
        "P@2": "P@2",
    }  # one of several measures
    assert {name: signature.partition("|")[0] for name, signature in result.signature.items()} == meant
    assert list(result.mean) == list(meant)
    assert result.mean["Success@2"] == result.mean["hit_rate@2"]
    assert result.mean["ndcg_cut_10"] == result.mean["NDCG@10"] == result.mean["nDCG@10"]
    assert result.mean["recip_rank"] == result.per_query["rr"]["q1"] + 0.25 == 0.75
