"""Every name that a tool has for a measure, and that we read, is what that tool computes under it; what is not, is refused.

All are asked of one input, of which each of our measures says another number: so a name that is taken for another measure shows.
"""

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import ir_measures
import pytest
from refusals import refusal

import rankproof
from rankproof import measure_names
from rankproof.measure_names import called
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import UnknownMeasure

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
"""No ties; docs without a judgment, one in the pool without one, relevant ones not retrieved, a late hit, and a query without any."""
FORMS = ("{}", "{}@3", "{}@4", "{}@0.3")


def ours(text: str, profile: str = "trec_eval-9") -> Mapping[str, tuple[Mapping[str, float], float]] | None:
    """By the name in the result: the values by query and the mean; None where the name is refused."""
    try:
        called(text)
    except UnknownMeasure:
        return None
    found = rankproof.evaluate(text, QRELS, RUN, profile=profile)
    return {name: (found.per_query[name], found.mean[name]) for name in found.mean}


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


def test_the_input_tells_all_measures_apart() -> None:
    names = list(all_of_ours())
    values = rankproof.evaluate(names, QRELS, RUN).per_query
    for a, b in itertools.combinations(names, 2):
        assert not same(values[a], values[b]) or frozenset({a, b}) in BY_DEFINITION_ALIKE, (a, b)


# -- ir_measures -------------------------------------------------------------------------------------------------------


@cache
def of_ir_measures(text: str) -> tuple[Mapping[str, float], float] | None:
    """What ir_measures computes under a name; None where it has none, or nobody who computes it."""
    try:
        measure = ir_measures.parse_measure(text)
    except (NameError, ValueError, SyntaxError, AttributeError, AssertionError):
        return None
    for who in (ir_measures.pytrec_eval, ir_measures.cwl_eval, ir_measures.judged, ir_measures.gdeval):
        if _supports(who, measure):
            found = {m.query_id: m.value for m in who.iter_calc([measure], QRELS, RUN)}
            return found, who.calc_aggregate([measure], QRELS, RUN)[measure]
    return None


def _supports(who: Any, measure: Any) -> bool:
    try:
        return bool(who.supports(measure))
    except AssertionError:  # how it refuses a cutoff that is none
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
def test_a_name_of_ir_measures_is_what_it_computes(name: str) -> None:
    held = 0
    for text in (form.format(name) for form in FORMS):
        mine, theirs = ours(text, "standard"), of_ir_measures(text)
        if mine is None or theirs is None:
            continue
        ((values, mean),) = mine.values()
        assert same(values, theirs[0]), (text, values, theirs)
        assert close(mean, theirs[1]), text
        held += 1
    needs_rel = name == "RBP"  # which ir_measures computes of a rel alone
    assert held or needs_rel or ours(name) is None, "a name that we read is asked"


# -- ranx --------------------------------------------------------------------------------------------------------------

RANX = (
    "hits",
    "hit_rate",
    "precision",
    "recall",
    "f1",
    "r-precision",
    "bpref",
    "rbp.95",
    "mrr",
    "map",
    "dcg",
    "dcg_burges",
    "ndcg",
    "ndcg_burges",
)
ASKING = """
import json, sys, warnings
warnings.simplefilter("ignore")
import ranx
qrels, run, names = json.loads(sys.stdin.read())
run = ranx.Run(run)
ranx.evaluate(ranx.Qrels({q: {d: r for d, r in of.items() if r >= 0} for q, of in qrels.items()}), run, names)
print(json.dumps({name: {q: float(v) for q, v in run.scores[name].items()} for name in names}))
"""


@pytest.fixture(scope="module")
def of_ranx() -> Mapping[str, Mapping[str, float]]:
    """What ranx computes under each of its names, in a process of its own."""
    names = [text for name in RANX for text in ((name,) if name in {"bpref", "rbp.95"} else (name, f"{name}@3"))]
    asked = json.dumps([QRELS, RUN, names])
    env = os.environ | {"NUMBA_DISABLE_JIT": "1"}  # the same arithmetic; compiling takes longer than all else here
    command = [sys.executable, "-c", ASKING]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, env=env)
    found: Mapping[str, Mapping[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", RANX)
def test_a_name_of_ranx_is_what_it_computes(name: str, of_ranx: Mapping[str, Mapping[str, float]]) -> None:
    for text in (name, f"{name}@3"):
        mine = ours(text, "standard")
        if mine is not None and text in of_ranx and len(mine) == 1:
            ((values, _),) = mine.values()
            assert same(values, of_ranx[text]), (text, values, of_ranx[text])


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def test_a_name_of_sklearn_is_what_it_computes() -> None:
    from sklearn import metrics  # who only collects the tests need not import it, which takes more than a second

    """Of its functions that measure anything only `auc` has a name that we read; it is that of a curve, here of the ROC."""
    read = [name for name in metrics.__all__ if ours(name) is not None]
    assert read == ["auc"]
    for query, docs in RUN.items():
        flags = [QRELS[query].get(doc, 0) >= 1 for doc in docs]
        if not any(flags):
            continue
        wrong, right, _ = metrics.roc_curve(flags, list(docs.values()))
        assert math.isclose(ours("auc")["auc"][0][query], metrics.auc(wrong, right))


# -- what cannot be held is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["hits", "hits@10", "Hits@10", "HITS"])
def test_a_name_that_is_not_the_same_to_all_is_refused(text: str) -> None:
    told = refusal(called, text, by=UnknownMeasure)
    assert "is ambiguous: ranx counts the hits" in told
    assert "Success@k" in told


def test_no_measure_has_a_name_that_other_tools_use_for_another_measure() -> None:
    names = {*MEASURES, *CLUSTERINGS}
    assert all(measure_names.USUAL.get(name.casefold(), name) == name for name in names)
    assert not {name.casefold() for name in names} & {*measure_names.AMBIGUOUS}
