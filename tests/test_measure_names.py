"""The names that other tools have for measures: each is held to what the program trec_eval prints under it."""

import os
import re
import subprocess
from pathlib import Path

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 7 queries in no order, with ties, docs without a judgment, a query more and one less than the qrels."""
    made = tmp_path_factory.mktemp("names")
    qrels = [(q, d, (q * 7 + d * d * 3) % 11 % 4) for q in range(1, 8) for d in range(0, 60, 2)]
    run = [(q, d, (q * 13 + d * 29) % 37 / 4) for q in (10, 7, 2, 5, 1, 3, 4) for d in range((q * 5) % 17, 60)]
    (made / "qrels").write_text("".join(f"{q} 0 d{d} {rel}\n" for q, d, rel in qrels))
    (made / "run").write_text("".join(f"{q} Q0 d{d} 1 {score} tag\n" for q, d, score in run))
    return made


def printed(folder: Path, *options: str) -> list[str]:
    """What trec_eval prints."""
    try:
        trec_eval = program()
    except LookupError as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
    done = subprocess.run([trec_eval, *options, "qrels", "run"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def ours(folder: Path, *options: str) -> list[str]:
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
def test_a_set_is_what_trec_eval_prints_but_for_what_is_left_out(folder: Path, name: str) -> None:
    theirs = printed(folder, "-q", "-m", name)
    kept = [line for line in theirs if not is_left_out(line)]
    assert ours(folder, "--per-query", "-m", name) == kept
    lacking = {re.sub(r"_[\d.]+$", "", line.split()[0]) for line in theirs if is_left_out(line)}
    assert lacking == set(measure_names.left_out(name))


def test_without_a_measure_it_is_what_trec_eval_calls_official(folder: Path) -> None:
    assert ours(folder) == [line for line in printed(folder) if not is_left_out(line)]


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        *((name, [f"-m{name}"]) for name in TREC_EVAL if name != "P"),
        ("P.5,10", ["-mP.5,10"]),
        ("P.10,5", ["-mP.10,5"]),
        ("P_10", ["-mP.10"]),
        ("ndcg_cut_10", ["-mndcg_cut.10"]),
        ("ndcg_cut.10", ["-mndcg_cut.10"]),
        ("NDCG_CUT_10", ["-mndcg_cut.10"]),
        ("recall_100", ["-mrecall.100"]),
        ("iprec_at_recall.1,.25", ["-miprec_at_recall.1,.25"]),
        ("iprec_at_recall_0.10", ["-miprec_at_recall.0.10"]),
        ("relative_P_3", ["-mrelative_P.3"]),
        ("map_cut_20", ["-mmap_cut.20"]),
        ("success_1", ["-msuccess.1"]),
        ("ndcg@10", ["-mndcg_cut.10"]),
        ("NDCG@10", ["-mndcg_cut.10"]),
        ("map@10", ["-mmap_cut.10"]),
        ("MAP", ["-mmap"]),
        ("recall@100", ["-mrecall.100"]),
        ("R@100", ["-mrecall.100"]),
        ("HR@10", ["-msuccess.10"]),
        ("hit@10", ["-msuccess.10"]),
        ("HitRate@10", ["-msuccess.10"]),
        ("precision@5", ["-mP.5"]),
        ("p@5", ["-mP.5"]),
        ("rprec", ["-mRprec"]),
        ("BPREF", ["-mbpref"]),
        ("ap(rel=2)", ["-l2", "-mmap"]),
    ],
)
def test_each_name_is_what_trec_eval_prints_for_it(folder: Path, name: str, theirs: list[str]) -> None:
    assert values(ours(folder, "--per-query", "-m", name)) == values(printed(folder, "-q", *theirs))
    if "(" not in name:
        assert ours(folder, "-m", name) == printed(folder, *theirs)


@pytest.mark.parametrize("name", ["MRR@10", "mrr@10", "reciprocal_rank@10"])
def test_a_reciprocal_rank_at_a_cutoff_is_that_of_so_many_docs(folder: Path, name: str) -> None:
    assert values(ours(folder, "--per-query", "-m", name)) == values(printed(folder, "-q", "-M10", "-mrecip_rank"))


def test_every_measure_is_found_in_any_case() -> None:
    for name, definition in MEASURES.items():
        cutoff = {"required": "@5", "recall": "@0.1"}.get(definition.cutoff, "")
        for written in {name.upper(), name.lower()} - {"success"}:  # trec_eval's own name of three measures
            assert measure_called(written + cutoff) == parse(name + cutoff)
    assert [measure_called(name.lower()).name for name in CLUSTERINGS] == list(CLUSTERINGS)


def test_what_trec_eval_calls_a_measure_is_read_as_that_measure() -> None:
    for name in TREC_EVAL:
        for one in called(f"{name}.5" if name == "P" else name):
            theirs = one.name if one.changes else in_trec_eval(one.measure)
            assert theirs is not None
            found = called(theirs) if theirs != "P" else called("P")[:1]
            assert [(each.measure, each.changes) for each in found] == [(one.measure, one.changes)]
    assert in_trec_eval(parse("AP(rel=2)")) is None, "trec_eval says its threshold beside the name"
    assert in_trec_eval(parse("RR@10")) is None


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("Rndcg", "nDCG"),
        ("Rprec_mult_0.20", "Rprec or P@k"),
        ("Rprec_mult.0.2,0.4", "Rprec or P@k"),
        ("utility.1,-1,0,0", "SetP or SetR"),
        ("prefs_simp", "Bpref"),
        ("all_prefs", "Bpref"),
        ("g", "nDCG"),
        ("yaap", "AP"),
        ("num_nonrel_judged_ret", "NumRet or Judged@k"),
    ],
)
def test_measure_of_trec_eval_alone_is_rejected_with_the_nearest(name: str, nearest: str) -> None:
    message = refusal(called, name, by=UnknownMeasure)
    assert message == f"rankproof does not compute trec_eval's {name}; nearest: {nearest}"
    assert all(parse(measure.replace("@k", "@5")) for measure in nearest.split(" or "))


def test_a_name_of_trec_eval_in_another_case_is_its_own_where_it_takes_no_cutoff() -> None:
    assert [str(one.measure) for one in called("success")] == ["Success@1", "Success@5", "Success@10"]
    assert [str(one.measure) for one in called("SUCCESS")] == ["Success"]
    assert (measure_called("SET_RECALL"), measure_called("Num_Rel")) == (parse("SetR"), parse("NumRel"))
    (mean,) = called("GM_BPREF")
    assert (mean.name, str(mean.measure), mean.changes) == ("gm_bpref", "Bpref", "mean=geometric")


def test_other_names_in_the_notation_are_what_they_stand_for() -> None:
    others = (
        "MAP=AP MRR=RR NDCG=nDCG Precision=P Recall=R RPrec=Rprec BPref=Bpref HitRate=Success InfAP=infAP VMeasure=V"
    )
    for other, name in (pair.split("=") for pair in others.split()):
        cutoff = "" if name in {"Rprec", "Bpref", "infAP", "V"} else "@3"
        assert str(parse(other + cutoff)) == name + cutoff
    assert [str(parse(other)) for other in ("SetRelP", "NumRelRet")] == ["SetP(relative=True)", "NumRet(rel=1)"]
    assert str(parse("SetRelP(relative=False)")) == "SetP", "what is given counts"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ndgc@10", "ndgc@10 is no measure known here; did you mean nDCG?"),
        ("ndgc_cut_10", "did you mean ndcg_cut?"),
        ("recip_rnk", "did you mean recip_rank?"),
        ("hitrte@10", "did you mean HitRate?"),
        ("xyz", "xyz is no measure known here; known are "),
        ("P.0", "P@0: a cutoff is a whole number from 1 on"),
        ("iprec_at_recall.2", "a recall level is a number from 0 to 1"),
        ("ndcg@0", "nDCG@0: a cutoff is a whole number from 1 on"),
        ("", "'' is no measure: write a name"),
    ],
)
def test_what_nobody_measures_is_refused_with_what_is_near(name: str, message: str) -> None:
    assert message in refusal(called, name, by=UnknownMeasure)


def test_where_one_measure_is_asked_several_are_refused() -> None:
    for asked, said in (
        ("P.5,10", "P.5,10 stands for P@5, P@10; choose one"),
        ("gm_map", "gm_map is AP with mean=geometric"),
    ):
        assert refusal(measure_called, asked, by=UnknownMeasure).startswith(said)
    assert parse_signature("ndcg_cut_10|gain:exp") == parse_signature("nDCG@10|gain:exp")


# -- in results --------------------------------------------------------------------------------------------------------

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
RUN = {"q1": {"a": 0.4, "b": 0.9}, "q2": {"a": 1.0}}


def test_what_is_ours_by_other_conventions_keeps_its_name_and_says_them() -> None:
    result = rankproof.evaluate(["map", "gm_map", "R@1", "relative_P.1"], {"q": {"a": 1, "b": 1}}, {"q": {"a": 1}})
    assert dict(result.mean) == {"map": 0.5, "gm_map": 0.5, "R@1": 0.5, "relative_P_1": 1.0}
    assert result.signature["gm_map"].startswith("AP|mean:geometric|")
    assert result.signature["relative_P_1"].startswith("R@1|r_denominator:min-k-R|")
    assert result.mean["map"] == 0.5
    with pytest.raises(AskedTwice):
        rankproof.evaluate("map", QRELS, RUN, signature="AP|mean:geometric")


def test_of_a_set_a_library_is_asked_what_its_fingerprint_has() -> None:
    result = rankproof.evaluate("default", QRELS, RUN | {"q2": {"a": 1.0, "z": 0.0}}, profile="sklearn/appended")
    assert "nDCG@10" in result.mean
    assert "RR" not in result.mean


def test_of_a_set_the_first_measure_may_be_lacking_as_any_other() -> None:
    for profile, wanted in (("cwl_eval", ["AP", "RR", "P@10"]), ("beir/recall_cap", ["R@100"])):
        assert list(rankproof.evaluate("default", QRELS, RUN, profile=profile).mean) == wanted
    with pytest.raises(UnknownConvention, match=r"^no fingerprint of rexmex \S+ has SetF; it has "):
        rankproof.evaluate("set", QRELS, RUN, profile="rexmex")


def test_the_queries_stand_in_the_order_of_their_bytes_as_trec_eval_has_them() -> None:
    names = ["b", "\u00e9", "10", "9", "a", "\U0001f600", "\uffff"]
    result = rankproof.evaluate(["AP"], {name: {"d": 1} for name in names}, {name: {"d": 1.0} for name in names})
    lines = as_trec_eval({"run": result}, per_query=True).splitlines()
    assert [line.split("\t")[1] for line in lines] == ["10", "9", "a", "b", "\u00e9", "\\uffff", "\U0001f600", "all"]


def test_each_answer_stands_under_the_name_that_was_asked_and_is_found_by_any_name() -> None:
    """Hits@k of knowledge graphs and HR@k of recommenders ask whether one is found, and count none."""
    names = (
        "HR@1=Success@1 hit@1=Success@1 Hit_Rate@2=Success@2 prec@1=P@1 recall@2=R@2 F1@2=F@2 ndcg@10=nDCG@10 "
        "MRR=RR reciprocal_rank=RR map=AP average_precision=AP"
    )
    elsewhere = dict(pair.split("=") for pair in names.split())
    result = rankproof.evaluate([*elsewhere, "gm_map", "Success@2", "P.1,2"], QRELS, RUN)
    meant = elsewhere | {
        "gm_map": "AP",
        "Success@2": "Success@2",
        "P@1": "P@1",
        "P@2": "P@2",
    }  # of several, each by itself
    assert {name: said.partition("|")[0] for name, said in result.signature.items()} == meant
    assert list(result.mean) == list(meant)
    assert result.mean["Success@2"] == result.mean["hit_rate@2"]
    assert result.mean["ndcg_cut_10"] == result.mean["NDCG@10"] == result.mean["nDCG@10"]
    assert result.mean["recip_rank"] == result.per_query["rr"]["q1"] + 0.25 == 0.75
