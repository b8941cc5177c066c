"""`rankproof.evaluate`: the entry that others rely on."""

import math
import subprocess
import sys

import pandas as pd
import pytest

import rankproof
from rankproof.evaluate.tasks import ConflictingConventions
from rankproof.reference_impl.conventions import Conventions, UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure
from rankproof.reference_impl.ranking import Rejected
from rankproof.reference_impl.ties import TooManyOrders

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}}


def test_keys_are_what_was_asked_and_other_ways_to_write_it_find_them() -> None:
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


def test_two_ways_to_write_a_measure_stand_side_by_side() -> None:
    result = rankproof.evaluate(["MAP", "AP", "MAP"], QRELS, RUN)
    assert dict(result.mean) == {"MAP": 1 / 8, "AP": 1 / 8}
    with pytest.raises(ConflictingConventions, match="AP is asked for under different conventions"):
        rankproof.evaluate("MAP", QRELS, RUN, signature="AP|missing:dropped")


def test_each_measure_is_asked_at_each_cutoff() -> None:
    several = rankproof.evaluate(["P", "nDCG", "AP(rel=2)"], QRELS, RUN, k=[5, 1, 1000])
    assert list(several.mean) == [f"{measure}@{k}" for measure in ("P", "nDCG", "AP(rel=2)") for k in (5, 1, 1000)]
    assert list(rankproof.evaluate("ERR", QRELS, RUN, k=10).mean) == ["ERR@10"]


def test_a_profile_is_a_name_a_spec_or_conventions() -> None:
    def mean(profile: str | Conventions) -> float:
        return rankproof.evaluate("AP", QRELS, RUN, profile=profile).mean["AP"]

    assert mean("standard") == 1 / 8
    assert mean("trec_eval-9") == 1 / 4, "q2 is missing from the run and leaves the mean"
    assert mean("trec_eval-9 missing=0") == 1 / 8
    assert mean(Conventions(ap_denominator="hits")) == 1 / 4


def test_ir_measures_objects_and_records_serve() -> None:
    import ir_measures

    qrels = [ir_measures.Qrel(q, d, rel) for q, docs in QRELS.items() for d, rel in docs.items()]
    run = (ir_measures.ScoredDoc(q, d, score) for q, docs in RUN.items() for d, score in docs.items())
    measure = ir_measures.nDCG(dcg="exp-log2") @ 10
    result = rankproof.evaluate([measure, ir_measures.AP], qrels, run)
    assert list(result.mean) == ["nDCG(dcg='exp-log2')@10", "AP"]
    assert result.mean[measure] == result.mean[str(measure)]
    assert rankproof.evaluate(ir_measures.P @ 2, QRELS, RUN).mean == {"P@2": 0.25}


def test_a_frame_has_nan_where_there_is_no_value() -> None:
    result = rankproof.evaluate("AP", QRELS, RUN, signature="P@1|missing:dropped")
    frame = result.to_frame()
    assert frame.loc["q1"].to_dict() == {"AP": 0.25, "P@1": 0.0}
    assert pd.isna(frame.loc["q2", "P@1"])
    lacking = rankproof.evaluate("P@1", QRELS, RUN, profile="missing=dropped", signature="AP|by:reference").to_frame()
    assert list(lacking.index) == ["q1", "q2"], "the first measure says nothing of q2, the second does"
    turned = rankproof.evaluate(["AP", "P@1"], {"q2": {"a": 1}, "q1": {"a": 1}, "q3": {"a": 1}}, RUN).to_frame()
    assert (list(turned.index), turned.index.name) == (["q2", "q1", "q3"], "query"), "as in the qrels"
    assert {str(kind) for kind in turned.dtypes} == {"float64"}
    none = rankproof.evaluate(["P@1", "AP"], {"q1": {"a": 0}}, RUN, profile="norel=dropped").to_frame()
    assert (len(none), {str(kind) for kind in none.dtypes}) == (0, {"float64"}), "numbers, though there is none"
    several = rankproof.evaluate(["AP"], QRELS, {"first": RUN, "second": {"q1": {}}}).to_frame()
    assert (str(several.index.dtype), str(turned.index.dtype)) == ("object", "object"), "names are text of any pandas"


def test_a_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"to_frame needs pandas: pip install rankproof\[pandas\]") as lacking:
        rankproof.evaluate("AP", QRELS, RUN).to_frame()
    assert lacking.value.name == "pandas"


def test_errors_are_named() -> None:
    with pytest.raises(UnknownMeasure, match="did you mean nDCG"):
        rankproof.evaluate("nCDG@10", QRELS, RUN)
    with pytest.raises(UnknownMeasure, match="V compares two labelings, and a run has none"):
        rankproof.evaluate("V", QRELS, RUN)
    with pytest.raises(UnknownConvention, match="trec_eval-11 is no profile"):
        rankproof.evaluate("AP", QRELS, RUN, profile="trec_eval-11")
    with pytest.raises(Rejected, match="query 'q2' is refused by missing=rejected"):
        rankproof.evaluate("AP", QRELS, RUN, profile="missing=rejected")
    tied = {"q": {f"d{i}": 1.0 for i in range(40)}}
    graded = {"q": {f"d{i}": i for i in range(40)}}
    with pytest.raises(TooManyOrders, match="too many to enumerate"):
        rankproof.evaluate("ERR@20", graded, tied, profile="ties=expectation")


def test_import_is_light() -> None:
    code = (
        "import sys, rankproof; rankproof.evaluate('AP', {'q': {'a': 1}}, {'q': {'a': 1}}); dir(rankproof);"
        "heavy = {'pandas', 'numpy', 'ir_measures', 'click', 'rich', 'jsonschema'} & set(sys.modules);"
        "sys.exit(', '.join(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        rankproof.evalute  # noqa: B018 - asking is the test


def test_a_custom_measure_is_left_to_the_provider() -> None:
    import ir_measures

    counted = ir_measures.define_byquery(lambda _qrels, run: float(len(run)), name="Counted")
    with pytest.raises(UnknownMeasure, match=r"Counted was made by define; use rankproof\.provider"):
        rankproof.evaluate(["AP", counted], QRELS, RUN)


# -- measures of labelings ---------------------------------------------------------------------------------------------


def test_two_labelings_have_a_value_and_no_queries() -> None:
    result = rankproof.evaluate(["ARI", "FMI", "AMI"], ["a", "a", "b"], [1, 1, 2])
    assert dict(result.mean) == {"ARI": 1.0, "FMI": 1.0, "AMI": 1.0}
    assert dict(result.per_query) == {"ARI": {}, "FMI": {}, "AMI": {}}
    again = rankproof.evaluate([], [0, 0, 1], [0, 1, 1], signature=list(result.signature.values()))
    assert again.mean["FMI"] == 0.0, "pairs 1-2 and 2-3 have no pair in common"
    assert math.isnan(rankproof.evaluate("ARI", [1], [1], profile="degenerate=nan").mean["ARI"])
