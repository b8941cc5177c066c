"""Broken formulas: their values, the measures that can have them, and inputs that no convention explains."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import isclose
from typing import Any

import pytest
from hypothesis import given, settings
from strategies import GRADES, Query, queries

from rankproof.cases.arithmetic import evaluate
from rankproof.cases.inputs import Input
from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way, Witness, broken_answer, seen_on
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import Answers, Values, collection, outcome_of, reading_of
from rankproof.reference_impl.conventions import STANDARD, parse_conventions
from rankproof.reference_impl.definition import Undefined
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import judge
from rankproof.reference_impl.ties import OVER_ORDERS, measured, value_of
from rankproof.workers.observations import Reading

OWN = {name: defect for name, defect in catalogue().items() if not defect.is_another_measure}
EVERY_WAY = [
    pytest.param(defect, way, id=f"{defect.name}-{i}")
    for defect in catalogue().values()
    for i, way in enumerate(defect.ways)
    if way.witness is not None
]
WAYS = [param for param in EVERY_WAY if param.values[0].name in OWN]
"""Defects of the standard measures; without measures such as GAUC, because conventions may explain their values."""


# -- the catalogue ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("defect", catalogue().values(), ids=lambda defect: defect.name)
def test_entry_is_complete(defect: Defect) -> None:
    assert defect.fix or defect.is_another_measure
    assert defect.source.startswith("https://")
    assert defect.sentence
    assert defect.sentence == defect.sentence.strip(" .")
    assert defect.ways
    assert not defect.concerns(parse("ARI"))


RECIPROCAL, OF_AP, OF_NDCG = {"RR", "RR@5"}, {"AP", "AP@5"}, {"nDCG", "nDCG@5"}
AT_K = {"P@5", "R@5", "F@5", "AP@5", "RR@5", "nDCG@5", "DCG@5", "Success@5", "ERR@5", "Judged@5"}
OF_ORDER = AT_K | RECIPROCAL | OF_AP | OF_NDCG | {"R", "Rprec", "Bpref", "RBP", "IPrec@0.1", "LRAP", "AUC", "infAP"}
OF_SETS, WITHOUT_FLAGS = {"SetP", "SetF"}, {"DCG@5", "ERR@5", "nDCG", "nDCG@5", "RBP", "Judged@5"}
SHARES = {"P@5", "R@5", "R", "F@5", "Success@5", "Rprec", "IPrec@0.1", "LRAP", "AUC"}
CONCERNED = {
    name: measures
    for names, measures in {
        "all-hits best-judged-hit first-doc-alone last-hit mean-rank ranks-from-0": RECIPROCAL,
        "area-of-trapezoids precisions-not-divided precisions-over-docs": OF_AP,
        "ideal-of-another-gain ideal-of-flags ideal-of-the-hits": OF_NDCG,
        "cutoff-ignored cutoff-too-deep rank-k-lost": AT_K,
        "ranked-backwards": OF_ORDER,
        "precision-at-the-last-hit": {"Rprec"},
        "precisions-over-k": {"AP@5"},
        "first-doc-lost last-doc-lost": OF_ORDER | OF_SETS | {"NumRelRet"},
        "percent": OF_ORDER - {"DCG@5"} | OF_SETS,
        "judged-is-relevant only-rel-one": OF_ORDER - WITHOUT_FLAGS | OF_SETS | {"NumRelRet"},
        "relevant-from-2 relevant-from-3": OF_ORDER - {"Judged@5"} | OF_SETS | {"NumRelRet"},
        "first-query-alone last-query-alone": OF_ORDER | OF_SETS,
        "ranks-from-2": RECIPROCAL | OF_AP | OF_NDCG | {"DCG@5", "Success@5"},
        "hits-not-divided": SHARES | OF_SETS | RECIPROCAL | OF_AP,
    }.items()
    for name in names.split()
}
"""Defect -> the measures that can have it."""


@pytest.mark.parametrize("name", CONCERNED)
def test_defect_concerns_the_measures_that_can_have_it(name: str) -> None:
    measures = OF_ORDER | {"SetP", "SetF", "NumRelRet", "NumRet"}
    assert {measure for measure in measures if catalogue()[name].concerns(parse(measure))} == CONCERNED[name]


# -- the values ---------------------------------------------------------------------------------------------------------


def witness_of(way: Way) -> Witness:
    assert way.witness is not None
    return way.witness


def answer_with(way: Way, witness: Witness) -> Values:
    broken = BrokenMeasure(parse(witness.measure), way)
    answer = outcome_of(lambda: broken_answer(broken, collection(witness.input), parse_conventions(witness.profile)))
    assert isinstance(answer, Values)
    return answer


@pytest.mark.parametrize(("defect", "way"), EVERY_WAY)
def test_broken_formula_gives_the_value_of_its_witness(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    assert defect.concerns(parse(witness.measure))
    got = answer_with(way, witness).mean
    assert got is not None
    assert isclose(got, evaluate(witness.value), rel_tol=1e-12)


@pytest.mark.parametrize(("defect", "way"), WAYS)
def test_broken_formula_of_an_empty_ranking_is_zero(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    if way.formula is None:
        return  # the defect is in the mean
    conventions = parse_conventions(f"{witness.profile} missing=measured")
    data = collection(Input((("q", "a", 1),), (), (), ("q",)))
    answer = outcome_of(lambda: broken_answer(BrokenMeasure(parse(witness.measure), way), data, conventions))
    assert isinstance(answer, Values), defect.name
    assert (answer.mean, dict(answer.per_query)) == (0, {"q": 0})


@pytest.mark.parametrize(
    ("name", "nth", "measure", "rels", "spec", "value"),
    [
        ("ranks-from-2", 1, "nDCG", "a1 b3", "gain=exp discount=rank", "(1/2 + 7/3) / (7/2 + 1/3)"),
        ("ranks-from-2", 1, "nDCG(rel=2)", "a1 b3", "gain_threshold=applied", "log2(3) / log2(4)"),
        ("ranks-from-2", 0, "RR", "a0 b1", "", "1/3"),
        ("ideal-of-another-gain", 0, "nDCG", "a1 b3", "discount=rank", "(1 + 3/2) / (7 + 1/2)"),
        ("ideal-of-another-gain", 0, "nDCG(rel=2)", "a1 b3", "gain_threshold=applied", "3/log2(3) / 7"),
        ("ideal-of-the-hits", 0, "nDCG@2", "a1 b0 c3", "gain=exp discount=rank", "1/7"),
        ("ideal-of-the-hits", 0, "nDCG(rel=2)@2", "a1 b2 c3", "gain_threshold=applied discount=rank", "2/2 / 3"),
        ("ranks-from-0", 0, "RR", "a1 b0", "", "0"),
        ("ranks-from-0", 1, "RR", "a1 b0", "", "1"),
        ("ranks-from-0", 1, "RR", "a0 b0 c0 d1", "", "1/3"),
        ("all-hits", 0, "RR", "a0 b1 c1", "", "1/2 + 1/3"),
        ("all-hits", 1, "RR@2", "a1 b1 c1", "", "(1 + 1/2) / 2"),
        ("best-judged-hit", 0, "RR", "a1 b2 c2", "", "1/2"),
        ("best-judged-hit", 0, "RR@2", "a1 b3 c4", "", "1/2"),
        ("best-judged-hit", 1, "RR@2", "a1 b3", "", "1/2"),
        ("best-judged-hit", 1, "RR@2", "a1 b3 c4", "", "0"),
        ("only-rel-one", 0, "P@2", "a1 b3", "", "1/2"),
        ("precision-at-the-last-hit", 0, "Rprec", "a1 b0 c1 d0", "", "2/3"),
        ("precision-at-the-last-hit", 0, "Rprec", "a0 b0 c0 d1", "", "1/4"),
        ("judged-is-relevant", 0, "R@2", "a1 b0 c0", "", "2/3"),
        ("relevant-from-2", 0, "nDCG@2", "a1 b2", "", "1/log2(3)"),
        ("relevant-from-3", 0, "RR", "a2 b1 c3", "", "1/3"),
        ("cutoff-ignored", 0, "RR@2", "a0 b0 c1", "", "1/3"),
        ("cutoff-ignored", 1, "P@2", "a1 b1 c1", "", "3/2"),
        ("cutoff-too-deep", 0, "P@2", "a1 b1 c1 d1", "", "3/2"),
        ("cutoff-too-deep", 1, "P@2", "a0 b0 c1 d1", "", "1/3"),
        ("rank-k-lost", 0, "P@2", "a1 b1 c1", "", "1/2"),
        ("rank-k-lost", 0, "P@3", "a1 b1", "", "2/3"),
        ("rank-k-lost", 1, "P@3", "a1 b0 c1", "", "1/2"),
        ("rank-k-lost", 1, "P@3", "a1", "p_denominator=min-k-n", "1"),
        ("last-doc-lost", 0, "AP", "a1 b1", "", "1/2"),
        ("last-doc-lost", 0, "P@3", "a1 b1", "", "1/3"),
        ("first-doc-lost", 0, "P@3", "a1 b1 c1 d1", "", "2/3"),
        ("first-doc-lost", 1, "AP@3", "a0 b1 c1 d0", "", "1"),
        ("first-doc-lost", 1, "P@2", "a1 b1 c1", "", "1/2"),
        ("first-doc-lost", 2, "P@2", "a1 b1 c1", "", "1"),
        ("first-doc-lost", 2, "nDCG@1", "a3 b1 c2", "", "1/3"),
        ("last-hit", 0, "RR@2", "a1 b0 c1", "", "1"),
        ("first-doc-alone", 0, "RR", "a0 b1 c1", "", "0"),
        ("first-doc-alone", 0, "RR@2", "a1 b1 c0", "", "1"),
        ("precisions-not-divided", 0, "AP", "a1 b0 c1", "", "1 + 2/3"),
        ("precisions-over-docs", 0, "AP", "a1 b0 c1 d0", "", "(1 + 2/3) / 4"),
        ("precisions-over-docs", 0, "AP@4", "a1 b0 c1", "", "(1 + 2/3) / 3"),
        ("precisions-over-k", 0, "AP@2", "a1 b0 c1", "", "1/2"),
        ("area-of-trapezoids", 0, "AP", "a0 b1 c0 d1", "", "((0 + 1/2) / 2 + (1/3 + 2/4) / 2) / 2"),
        ("area-of-trapezoids", 0, "AP@2", "a0 b1 c1 d1", "ap_denominator=min-k-R", "(0 + 1/2) / 2 / 2"),
        ("ranked-backwards", 0, "P@1", "a0 b0 c1", "", "1"),
        ("mean-rank", 0, "RR", "a1 b1 c0 d1", "", "3 / (1 + 2 + 4)"),
        ("hits-not-divided", 0, "P@2", "a1 b1 c1", "", "2"),
        ("percent", 0, "P@2", "a1 b0", "", "50"),
    ],
)
def test_broken_formula_has_the_value_of_its_description(
    name: str, nth: int, measure: str, rels: str, spec: str, value: str
) -> None:
    way = catalogue()[name].ways[nth]
    assert isclose(answer_with(way, seen_on(measure, rels, value, spec)).mean or 0, evaluate(value), rel_tol=1e-12)


THREE = (
    {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1, "e": 0, "f": 1, "g": 1}, "3": {"i": 1}},
    {"1": "a b", "2": "e f d", "3": "j k l m"},
)
"""Three queries of 2, 3 and 4 documents: one of two relevant documents on top, two of three below the top, none of one."""


@pytest.mark.parametrize(
    ("name", "nth", "measure", "value"),
    [
        ("mean-rank", 1, "RR", "2 / (1 + 2)"),
        ("weighted-mean", 0, "R@2", "(2 * 1/2 + 3 * 1/3 + 4 * 0) / 9"),
        ("gauc", 0, "AUC", "(2 * 1 + 3 * 0) / 5"),
        ("gauc-of-clicks", 0, "AUC", "(1 * 1 + 2 * 0) / 3"),
    ],
)
def test_broken_mean_has_the_value_of_its_description(name: str, nth: int, measure: str, value: str) -> None:
    """AUC is undefined for the query without a retrieved relevant document, and the mean omits that query."""
    witness = Witness(measure, *THREE, value, "norel=dropped" if measure == "AUC" else "")
    assert isclose(answer_with(catalogue()[name].ways[nth], witness).mean or 0, evaluate(value), rel_tol=1e-12)


# -- ties and conventions -----------------------------------------------------------------------------------------------

CUTS = {"required": ["@2"], "optional": ["", "@2"], "none": [""], "recall": ["@0.5"]}
EVERY = [parse(name + cut) for name, definition in MEASURES.items() for cut in CUTS[definition.cutoff]]
SPECS = ("", "gain=exp", "discount=jk-2 ideal=retrieved", "negative=as-is ideal=given", "ap_denominator=mean-p")
AS_RIGHT = [(defect, way) for defect in OWN.values() for way in defect.ways if way.tied_as_right]


@pytest.mark.parametrize(("defect", "way"), AS_RIGHT, ids=lambda given: getattr(given, "name", ""))
def test_closed_forms_of_tied_documents_hold_for_broken_formulas(defect: Defect, way: Way) -> None:
    triples = list(product(filter(defect.concerns, EVERY), SPECS, OVER_ORDERS))

    @given(queries(rels=(-1, *GRADES), relevant=True))
    @settings(max_examples=min(12, settings.default.max_examples))
    def law(query: Query) -> None:
        for measure, spec, rule in triples:
            own = measure.conventions(profile(f"{spec} norel=0 ties={rule}"))
            judged = judge(query.rows, query.judgments, own, measure.rel)
            definition = BrokenMeasure(measure, way).definition
            arguments = definition.arguments(own, measure.arguments)
            plain = replace(definition, linear=False, monotone=False)
            both = {or_zero(measured, one, judged, measure.k, own, arguments) for one in (definition, plain)}
            assert len(both) == 1, (str(measure), spec, rule)

    law()


def or_zero(call: Any, *given: Any) -> Fraction:
    """Return the value, or 0 if it is undefined, as with `norel=0`."""
    try:
        return value_of(call(*given))
    except Undefined:
        return Fraction(0)


def every_convention(witness: Witness) -> list[Answers]:
    """Return the reference's values of a witness under all conventions that can matter to it."""
    measure, reference = parse(witness.measure), recalled(witness.input)
    axes = reference.axes(measure)
    choices = product(*([value for value in values_of(axis) if value != "rejected"] for axis in axes))
    return [reference.answers(measure, STANDARD.replace(**dict(zip(axes, chosen, strict=True)))) for chosen in choices]


@pytest.mark.parametrize(("defect", "way"), WAYS)
def test_no_convention_gives_the_value_of_a_witness(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    shown = readings_of(answer_with(way, witness), witness)
    alike = [answers for answers in every_convention(witness) if readings_of(answers, witness) == shown]
    shows = f"{witness.measure} = {witness.value} on the witness of {defect.name}"
    assert not alike, f"a convention also gives {shows}: choose another witness, or delete the defect"


def readings_of(answers: Answers, witness: Witness) -> list[Reading | None]:
    return [reading_of(answers, query) for query in (None, *witness.run)]
