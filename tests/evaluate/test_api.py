"""`rankproof.evaluate` and its results."""

import math
import subprocess
import sys

import ir_measures
import pandas as pd
import pytest

import rankproof
from rankproof.evaluate.tasks import AskedTwice
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.ranking import Rejected
from rankproof.reference_impl.ties import TooManyOrders

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}


def test_values_have_the_names_that_were_typed_and_are_found_by_other_spellings() -> None:
    result = rankproof.evaluate(["MAP", "IPrec@0.10", "nDCG( dcg = 'exp-log2' )@5", "NDCG@5"], QRELS, RUN)
    assert list(result.mean) == ["MAP", "IPrec@0.10", "nDCG( dcg = 'exp-log2' )@5", "NDCG@5"]
    assert list(result.to_frame().columns) == list(result.mean)
    assert result.mean["MAP"] == result.mean["AP"] == 1 / 8
    assert result.mean["nDCG@5"] == result.mean["NDCG@5"]
    assert result.signature["MAP"].startswith("AP|"), "a signature is always written in one way"
    with pytest.raises(KeyError, match=r"P@5"):
        result.mean["P@5"]
    with pytest.raises(KeyError, match="nothing"):
        result.per_query["nothing"]


def test_two_spellings_of_a_measure_have_one_set_of_conventions() -> None:
    assert dict(rankproof.evaluate(["MAP", "AP", "MAP"], QRELS, RUN).mean) == {"MAP": 1 / 8, "AP": 1 / 8}
    assert rankproof.evaluate(["AP", "gm_map"], QRELS, RUN).mean["gm_map"] == pytest.approx((1 / 4 * 1e-5) ** 0.5)
    with pytest.raises(AskedTwice, match="AP is requested under different conventions"):
        rankproof.evaluate("MAP", QRELS, RUN, signature="AP|missing:dropped")


def test_each_measure_is_computed_at_each_cutoff() -> None:
    several = rankproof.evaluate(["P", "nDCG", "AP(rel=2)"], QRELS, RUN, k=[5, 1, 1000])
    assert list(several.mean) == [f"{measure}@{k}" for measure in ("P", "nDCG", "AP(rel=2)") for k in (5, 1, 1000)]
    assert several.mean["P@5"] == 1 / 10
    assert several.mean["P@1"] == 0
    assert list(rankproof.evaluate("ERR", QRELS, RUN, k=10).mean) == ["ERR@10"]


@pytest.mark.parametrize(
    ("profile", "mean"),
    [
        ("standard", 1 / 8),
        ("trec_eval-9", 1 / 4),  # q2 is missing from the run and is left out of the mean
        ("trec_eval-9 missing=0", 1 / 8),
        (Conventions(ap_denominator="hits"), 1 / 4),
    ],
)
def test_a_profile_is_a_name_a_spec_or_conventions(profile: str | Conventions, mean: float) -> None:
    assert rankproof.evaluate("AP", QRELS, RUN, profile=profile).mean["AP"] == mean


def test_objects_of_ir_measures_are_measures() -> None:
    measure = ir_measures.nDCG(dcg="exp-log2") @ 10
    result = rankproof.evaluate([measure, ir_measures.AP], QRELS, RUN)
    assert list(result.mean) == ["nDCG(dcg='exp-log2')@10", "AP"]
    assert result.mean[measure] == result.mean[str(measure)]
    assert rankproof.evaluate(ir_measures.P @ 2, QRELS, RUN).mean == {"P@2": 0.25}


def test_a_frame_has_nan_for_queries_without_a_value() -> None:
    frame = rankproof.evaluate("AP", QRELS, RUN, signature="P@1|missing:dropped").to_frame()
    assert frame.loc["q1"].to_dict() == {"AP": 0.25, "P@1": 0.0}
    assert pd.isna(frame.loc["q2", "P@1"])
    reverse = rankproof.evaluate("P@1", QRELS, RUN, profile="missing=dropped", signature="AP|by:reference").to_frame()
    assert list(reverse.index) == ["q1", "q2"], "only the second measure has a value of q2"
    turned = rankproof.evaluate(["AP", "P@1"], {"q2": {"a": 1}, "q1": {"a": 1}, "q3": {"a": 1}}, RUN).to_frame()
    assert (list(turned.index), turned.index.name) == (["q2", "q1", "q3"], "query"), "queries in the order of the qrels"
    empty = rankproof.evaluate(["P@1", "AP"], {"q1": {"a": 0}}, RUN, profile="norel=dropped").to_frame()
    assert len(empty) == 0
    assert {str(kind) for kind in (*turned.dtypes, *empty.dtypes)} == {"float64"}
    several = rankproof.evaluate(["AP"], QRELS, {"first": RUN, "second": {"q1": {}}}).to_frame()
    assert (str(several.index.dtype), str(turned.index.dtype)) == ("object", "object"), (
        "text in every version of pandas"
    )


def test_errors_have_types_and_messages() -> None:
    with pytest.raises(UnknownMeasure, match="Did you mean nDCG"):
        rankproof.evaluate("nCDG@10", QRELS, RUN)
    with pytest.raises(UnknownMeasure, match="V compares two labelings, but a run has none"):
        rankproof.evaluate("V", QRELS, RUN)
    with pytest.raises(UnknownMeasure, match="V compares two labelings, but AP measures rankings"):
        rankproof.evaluate(["AP", "V"], QRELS, RUN)
    counted = ir_measures.define_byquery(lambda _qrels, run: float(len(run)), name="Counted")
    with pytest.raises(UnknownMeasure, match=r"Counted was made by define\. Use rankproof\.provider"):
        rankproof.evaluate(["AP", counted], QRELS, RUN)
    for k, message in ((0, "0 is not a cutoff"), (5, "P@5 has a cutoff. Write P")):
        with pytest.raises(rankproof.BadInput, match=message):
            rankproof.evaluate("P@5", QRELS, RUN, k=k)
    with pytest.raises(UnknownConvention, match="Unknown profile 'trec_eval-11'"):
        rankproof.evaluate("AP", QRELS, RUN, profile="trec_eval-11")
    with pytest.raises(Rejected, match="query 'q2' is rejected by missing=rejected"):
        rankproof.evaluate("AP", QRELS, RUN, profile="missing=rejected")
    tied, graded = {"q": {f"d{i}": 1.0 for i in range(40)}}, {"q": {f"d{i}": i for i in range(40)}}
    with pytest.raises(TooManyOrders, match="too many to enumerate"):
        rankproof.evaluate("ERR@20", graded, tied, profile="ties=expectation")
    result = rankproof.evaluate(["ERR@20", "NumRet"], graded, tied, profile="ties=expectation")
    assert (dict(result.mean), result.warnings[0].kind) == ({"NumRet": 40.0}, "not-measured")
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        rankproof.evalute  # noqa: B018 - only the access raises


def test_evaluate_imports_no_package_and_a_frame_needs_pandas() -> None:
    code = (
        "import sys, rankproof; result = rankproof.evaluate('AP', {'q': {'a': 1}}, {'q': {'a': 1}}); dir(rankproof);"
        "heavy = {'pandas', 'numpy', 'ir_measures', 'click', 'rich', 'jsonschema'} & set(sys.modules);"
        "print(sorted(heavy)); sys.modules['pandas'] = None; result.to_frame()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", "these packages were imported"
    error = "ModuleNotFoundError: to_frame needs pandas: pip install rankproof[pandas]"
    assert done.stderr.splitlines()[-1] == error


def test_two_labelings_have_a_value_and_no_queries() -> None:
    result = rankproof.evaluate(["ARI", "FMI", "AMI"], ["a", "a", "b"], [1, 1, 2])
    assert dict(result.mean) == {"ARI": 1.0, "FMI": 1.0, "AMI": 1.0}
    assert dict(result.per_query) == {"ARI": {}, "FMI": {}, "AMI": {}}
    again = rankproof.evaluate([], [0, 0, 1], [0, 1, 1], signature=list(result.signature.values()))
    assert again.mean["FMI"] == 0.0, "pairs 1-2 and 2-3 have no pair in common"
    assert math.isnan(rankproof.evaluate("ARI", [1], [1], profile="degenerate=nan").mean["ARI"])
