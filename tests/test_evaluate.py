"""`rankproof.evaluate`: the entry that others rely on."""

import math
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest
from refusing import refusal

import rankproof
from rankproof.evaluate.tasks import AskedTwice
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
    with pytest.raises(AskedTwice, match="AP is asked for under different conventions"):
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


# -- measures that ir_measures' define makes --------------------------------------------------------------------------


def wiki() -> tuple[Any, list[Any], list[Any]]:
    """The example of ir_measures' manual, Custom Measures."""
    import ir_measures

    def has_english_wiki(_qrels: Any, run: Any) -> float:
        return 1.0 if run.doc_id.str.startswith("https://en.wikipedia.org/").any() else 0.0

    qrels = list(ir_measures.read_trec_qrels("0 0 x 0\n1 0 x 0\n"))
    run = (
        "0 0 https://www.gla.ac.uk/ 0 0 run\n0 0 https://en.wikipedia.org/wiki/Terrier 1 -1 run\n"
        "1 0 https://www.google.com/ 0 0 run\n"
    )
    measure = ir_measures.define_byquery(has_english_wiki, name="HasEnglishWiki")
    return measure, qrels, list(ir_measures.read_trec_run(run))


def test_custom_measures_stand_beside_ours() -> None:
    measure, qrels, run = wiki()
    result = rankproof.evaluate([measure, "P@1", measure @ 1], qrels, run, signature="AP|by:reference")
    assert dict(result.mean) == {"HasEnglishWiki": 0.5, "P@1": 0.0, "HasEnglishWiki@1": 0.0, "AP": 0.0}
    assert result.per_query["HasEnglishWiki"] == {"0": 1.0, "1": 0.0}
    assert result.mean[measure @ 1] == 0.0
    assert list(result.to_frame().columns) == list(result.mean) == list(result.signature)
    at_each = rankproof.evaluate(measure, qrels, run, k=[1, 2])
    assert dict(at_each.mean) == {"HasEnglishWiki@1": 0.0, "HasEnglishWiki@2": 0.5}


def test_the_signature_of_a_custom_measure_claims_no_conventions() -> None:
    from importlib.metadata import version

    from rankproof.inference.signatures import parse

    measure, qrels, run = wiki()
    signature = rankproof.evaluate(measure @ 1, qrels, run, profile="ties=input").signature["HasEnglishWiki@1"]
    assert signature == f"HasEnglishWiki@1|by:ir_measures-{version('ir-measures')}"
    with pytest.raises(UnknownMeasure, match="HasEnglishWiki@1 is no measure known here"):
        parse(signature)


def test_custom_measures_take_every_form_with_docids_and_several_runs() -> None:
    measure, qrels, run = wiki()
    names = {"query": "query_id", "docid": "doc_id", "score": "score"}
    listed = {name: [getattr(row, field) for row in run] for name, field in names.items()}
    dicts = {"0": {"https://en.wikipedia.org/wiki/Terrier": 1}, "1": {"https://en.wikipedia.org/": 1}}
    runs = {"list": listed, "frame": pd.DataFrame(listed), "dict": dicts}
    results = rankproof.evaluate([measure, "P@1"], iter(qrels), runs)
    assert results.mean[measure] == {"list": 0.5, "frame": 0.5, "dict": 1.0}
    refused = refusal(rankproof.evaluate, measure, [1, 0])
    assert refused.startswith("the qrels: they have no document ids, which HasEnglishWiki may need")


def test_a_custom_measure_ranks_by_score_whatever_the_profile_and_needs_one() -> None:
    measure, qrels, run = wiki()
    table: dict[str, list[Any]] = {"query": ["0"] * 2, "docid": [row.doc_id for row in run[:2]]}
    with pytest.raises(rankproof.BadInput, match="no column score among query, docid"):
        rankproof.evaluate([measure, "P@1"], qrels, table)
    table["rank"] = [2, 1]
    by_rank = rankproof.evaluate([measure @ 1, "P@1"], qrels, table, profile="order=rank").mean["HasEnglishWiki@1"]
    table["score"] = [0.0, -1.0]
    assert by_rank == 0.5, "the doc of rank 1 has it; query 1 was not run"
    assert rankproof.evaluate([measure @ 1, "P@1"], qrels, table, profile="order=rank").mean["HasEnglishWiki@1"] == 0.0


def test_two_measures_of_one_name_are_refused() -> None:
    import ir_measures

    measure, qrels, run = wiki()
    other, ap = (ir_measures.define_byquery(lambda _qrels, _run: 7.0, name=name) for name in ("HasEnglishWiki", "AP"))
    for asked in ([measure, other], ["AP", ap], [ap, "AP"]):
        with pytest.raises(AskedTwice, match=r"two measures are called .*; give define another name"):
            rankproof.evaluate(asked, qrels, run)
    assert dict(rankproof.evaluate([ap, "P@1", ap], qrels, run).mean) == {"AP": 7.0, "P@1": 0.0}


def test_a_custom_measure_of_other_columns_is_refused() -> None:
    import ir_measures

    columns = {"run_inputs": ["title", "author", "text"], "qrel_inputs": ["query_id", "iteration"]}
    more = ir_measures.define_byquery(lambda _qrels, _run: 0.0, name="More", **columns)
    refused = refusal(rankproof.evaluate, more, QRELS, RUN)
    assert refused.startswith("More: it needs author, iteration, text, title")


def test_a_custom_measure_is_given_the_qrels_and_the_run() -> None:
    import ir_measures

    def count(qrels: Any, run: Any) -> float:
        return float(100 * qrels.relevance.sum() + 10 * len(qrels) + len(run))

    counted = ir_measures.define_byquery(count, name="Counted")
    # q1 has rels 2, 0 and 1, and three rows.
    assert rankproof.evaluate(counted, {"q1": QRELS["q1"]}, RUN).per_query["Counted"] == {"q1": 333.0}


# -- measures of labelings ---------------------------------------------------------------------------------------------


def test_two_labelings_have_a_value_and_no_queries() -> None:
    result = rankproof.evaluate(["ARI", "FMI", "AMI"], ["a", "a", "b"], [1, 1, 2])
    assert dict(result.mean) == {"ARI": 1.0, "FMI": 1.0, "AMI": 1.0}
    assert dict(result.per_query) == {"ARI": {}, "FMI": {}, "AMI": {}}
    again = rankproof.evaluate([], [0, 0, 1], [0, 1, 1], signature=list(result.signature.values()))
    assert again.mean["FMI"] == 0.0, "pairs 1-2 and 2-3 have no pair in common"
    assert math.isnan(rankproof.evaluate("ARI", [1], [1], profile="degenerate=nan").mean["ARI"])
