"""Defects: values of broken formulas, and how they are recognised. `tests/check` has functions with defects."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import isclose
from typing import Any

import pytest
from hypothesis import given, settings
from strategies import GRADES, Query, queries

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.arithmetic import evaluate
from rankproof.cases.inputs import Input
from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way, Witness, broken_answer, seen_on
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.diagnosis import Diagnosis, defect_in, diagnosed, suspects
from rankproof.inference.evidence import Evidence, ReferenceQuestion
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import Answers, Values, collection, outcome_of, reading_of
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import STANDARD, Conventions, parse_conventions
from rankproof.reference_impl.definition import Undefined
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import judge
from rankproof.reference_impl.ties import OVER_ORDERS, measured, value_of
from rankproof.workers.observations import Reading

OWN = {name: defect for name, defect in catalogue().items() if not defect.is_another_measure}
EACH = [(one, way, f"{name}-{i}") for name, one in catalogue().items() for i, way in enumerate(one.ways)]
WAYS = [pytest.param(one, way, id=i) for one, way, i in EACH if not one.is_another_measure]
OTHERS = [pytest.param(one, way, id=i) for one, way, i in EACH if one.is_another_measure and way.witness is not None]
"""Of other measures, as GAUC is one: right in themselves, so that conventions may give what they show."""


def test_every_defect_says_what_to_do_instead() -> None:
    fixes = [defect.fix for defect in catalogue().values() if not defect.is_another_measure]
    assert all(fixes)
    assert len(set(fixes)) > 20


# -- the catalogue --------------------------------------------------------------------------------------------------


def witness_of(way: Way) -> Witness:
    assert way.witness is not None
    return way.witness


def answer_with(way: Way, witness: Witness) -> Values:
    asked = BrokenMeasure(parse(witness.measure), way)
    found = outcome_of(lambda: broken_answer(asked, collection(witness.input), parse_conventions(witness.profile)))
    assert isinstance(found, Values)
    return found


@pytest.mark.parametrize(("defect", "way"), [*WAYS, *OTHERS])
def test_the_broken_formula_gives_what_its_witness_says(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    assert defect.concerns(parse(witness.measure))
    got = answer_with(way, witness).mean
    assert got is not None
    assert isclose(got, evaluate(witness.value), rel_tol=1e-12)


@pytest.mark.parametrize(("defect", "way"), WAYS)
def test_a_broken_formula_gives_an_empty_ranking_nothing(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    if way.formula is None:
        return  # it is the mean that is broken
    conventions = parse_conventions(f"{witness.profile} missing=measured")
    given = collection(Input((("q", "a", 1),), (), (), ("q",)))
    found = outcome_of(lambda: broken_answer(BrokenMeasure(parse(witness.measure), way), given, conventions))
    assert isinstance(found, Values), defect.name
    assert (found.mean, dict(found.per_query)) == (0, {"q": 0})


@pytest.mark.parametrize(
    ("name", "nth", "measure", "rels", "spec", "value"),
    [
        ("ranks-from-2", 1, "nDCG", "a1 b3", "gain=exp discount=rank", "(1/2 + 7/3) / (7/2 + 1/3)"),
        ("ranks-from-2", 1, "nDCG(rel=2)", "a1 b3", "gain_threshold=applied", "log2(3) / log2(4)"),
        ("ranks-from-2", 0, "RR", "a0 b1", "", "1/3"),
        ("ranks-from-2", 0, "AP", "a1 b0", "", "1/2"),
        ("ranks-from-2", 1, "DCG@2", "a1 b0", "", "1/log2(3)"),
        ("ideal-of-another-gain", 0, "nDCG", "a1 b3", "discount=rank", "(1 + 3/2) / (7 + 1/2)"),
        ("ideal-of-another-gain", 0, "nDCG(rel=2)", "a1 b3", "gain_threshold=applied", "3/log2(3) / 7"),
        ("ideal-of-the-hits", 0, "nDCG@2", "a1 b0 c3", "gain=exp discount=rank", "1/7"),
        ("ideal-of-the-hits", 0, "nDCG(rel=2)@2", "a1 b2 c3", "gain_threshold=applied discount=rank", "2/2 / 3"),
        ("ranks-from-0", 0, "RR", "a1 b0", "", "0"),
        ("ranks-from-0", 0, "RR", "a0 b1", "", "1"),
        ("ranks-from-0", 1, "RR", "a1 b0", "", "1"),
        ("ranks-from-0", 1, "RR", "a0 b1", "", "1"),
        ("ranks-from-0", 1, "RR", "a0 b0 c0 d1", "", "1/3"),
        ("all-hits", 0, "RR", "a0 b1 c1", "", "1/2 + 1/3"),
        ("all-hits", 0, "RR@2", "a1 b0 c1", "", "1"),
        ("all-hits", 1, "RR@2", "a1 b1 c1", "", "(1 + 1/2) / 2"),
        ("best-judged-hit", 0, "RR", "a1 b2 c2", "", "1/2"),
        ("best-judged-hit", 0, "RR@1", "a1 b3", "", "1"),
        ("best-judged-hit", 0, "RR@2", "a1 b3 c4", "", "1/2"),
        ("best-judged-hit", 0, "RR@2", "a0 b0 c4", "", "0"),
        ("best-judged-hit", 1, "RR@2", "a0 b0", "", "0"),
        ("best-judged-hit", 1, "RR@2", "a1 b3", "", "1/2"),
        ("best-judged-hit", 1, "RR@2", "a1 b3 c4", "", "0"),
        ("only-rel-one", 0, "P@2", "a1 b3", "", "1/2"),
        ("only-rel-one", 0, "R", "a1 b2 c1", "", "1"),
        ("only-rel-one", 0, "RR", "a2 b0 c1", "", "1/3"),
        ("precision-at-the-last-hit", 0, "Rprec", "a1 b0 c1 d0", "", "2/3"),
        ("precision-at-the-last-hit", 0, "Rprec", "a0 b0 c0 d1", "", "1/4"),
        ("precision-at-the-last-hit", 0, "Rprec", "a1 b1 c0", "", "1"),
        ("judged-is-relevant", 0, "R@2", "a1 b0 c0", "", "2/3"),
        ("judged-is-relevant", 0, "P@2", "a0 b0", "", "1"),
        ("judged-is-relevant", 0, "AP", "a0 b1 c0 d2", "", "1"),
        ("relevant-from-2", 0, "nDCG@2", "a1 b2", "", "1/log2(3)"),
        ("relevant-from-2", 0, "R@2", "a2 b1 c4", "", "1/2"),
        ("relevant-from-3", 0, "RR", "a2 b1 c3", "", "1/3"),
        ("cutoff-ignored", 0, "RR@2", "a0 b0 c1", "", "1/3"),
        ("cutoff-ignored", 1, "P@2", "a1 b1 c1", "", "3/2"),
        ("cutoff-too-deep", 0, "P@2", "a1 b1 c1 d1", "", "3/2"),
        ("cutoff-too-deep", 1, "P@1", "a1 b0 c1", "", "1/2"),
        ("cutoff-too-deep", 1, "P@2", "a0 b0 c1 d1", "", "1/3"),
        ("rank-k-lost", 0, "P@2", "a1 b1 c1", "", "1/2"),
        ("rank-k-lost", 0, "P@3", "a1 b1", "", "2/3"),
        ("rank-k-lost", 1, "P@3", "a1 b0 c1", "", "1/2"),
        ("rank-k-lost", 1, "P@3", "a1", "p_denominator=min-k-n", "1"),
        ("rank-k-lost", 1, "R@1", "a1 b1", "", "0"),
        ("rank-k-lost", 1, "P@1", "a1 b1", "", "0"),
        ("rank-k-lost", 1, "nDCG@1", "a3 b1", "", "0"),
        ("last-doc-lost", 0, "AP", "a1 b1", "", "1/2"),
        ("last-doc-lost", 0, "P@3", "a1 b1", "", "1/3"),
        ("first-doc-lost", 0, "P@3", "a1 b1 c1 d1", "", "2/3"),
        ("first-doc-lost", 0, "RR", "a1 b0 c1", "", "1/3"),
        ("first-doc-lost", 1, "AP@3", "a0 b1 c1 d0", "", "1"),
        ("first-doc-lost", 1, "P@2", "a1 b1 c1", "", "1/2"),
        ("first-doc-lost", 2, "P@2", "a1 b1 c1", "", "1"),
        ("first-doc-lost", 2, "nDCG@1", "a3 b1 c2", "", "1/3"),
        ("first-doc-lost", 2, "SetP", "a1 b1 c0", "", "1/3"),
        ("last-hit", 0, "RR@2", "a1 b0 c1", "", "1"),
        ("first-doc-alone", 0, "RR", "a0 b1 c1", "", "0"),
        ("first-doc-alone", 0, "RR@2", "a1 b1 c0", "", "1"),
        ("precisions-not-divided", 0, "AP", "a1 b0 c1", "", "1 + 2/3"),
        ("precisions-over-docs", 0, "AP", "a1 b0 c1 d0", "", "(1 + 2/3) / 4"),
        ("precisions-over-docs", 0, "AP@2", "a0 b1 c1", "", "1/2 / 2"),
        ("precisions-over-docs", 0, "AP@4", "a1 b0 c1", "", "(1 + 2/3) / 3"),
        ("precisions-over-k", 0, "AP@2", "a1 b0 c1", "", "1/2"),
        ("precisions-over-k", 0, "AP@4", "a1 b0 c1", "", "(1 + 2/3) / 4"),
        ("area-of-trapezoids", 0, "AP", "a0 b1 c0 d1", "", "((0 + 1/2) / 2 + (1/3 + 2/4) / 2) / 2"),
        ("area-of-trapezoids", 0, "AP@3", "a1 b1 c0 d1", "", "((1 + 1) / 2 + (1 + 1) / 2) / 3"),
        ("area-of-trapezoids", 0, "AP@2", "a0 b1 c1 d1", "ap_denominator=min-k-R", "(0 + 1/2) / 2 / 2"),
        ("ranked-backwards", 0, "P@1", "a0 b0 c1", "", "1"),
        ("ranked-backwards", 0, "RR", "a0 b1 c0", "", "1/2"),
        ("mean-rank", 0, "RR", "a1 b1 c0 d1", "", "3 / (1 + 2 + 4)"),
        ("hits-not-divided", 0, "P@2", "a1 b1 c1", "", "2"),
        ("percent", 0, "P@2", "a1 b0", "", "50"),
    ],
)
def test_a_broken_formula_is_what_its_docstring_says_beside_other_conventions(
    name: str, nth: int, measure: str, rels: str, spec: str, value: str
) -> None:
    way = catalogue()[name].ways[nth]
    assert isclose(answer_with(way, seen_on(measure, rels, value, spec)).mean or 0, evaluate(value), rel_tol=1e-12)


THREE = (
    {"1": {"a": 1, "b": 0, "c": 1}, "2": {"d": 1, "e": 0, "f": 1, "g": 1}, "3": {"i": 1}},
    {"1": "a b", "2": "e f d", "3": "j k l m"},
)
"""One relevant doc of two at the top, two of three below the top, and none of one: of 2, 3 and 4 docs."""


@pytest.mark.parametrize(
    ("name", "nth", "measure", "value"),
    [
        ("mean-rank", 1, "RR", "2 / (1 + 2)"),
        ("weighted-mean", 0, "R@2", "(2 * 1/2 + 3 * 1/3 + 4 * 0) / 9"),
        ("gauc", 0, "AUC", "(2 * 1 + 3 * 0) / 5"),
        ("gauc-of-clicks", 0, "AUC", "(1 * 1 + 2 * 0) / 3"),
    ],
)
def test_a_broken_mean_is_what_its_docstring_says_of_three_queries(
    name: str, nth: int, measure: str, value: str
) -> None:
    """Of the query without a relevant doc among those retrieved, AUC is undefined, and left out."""
    witness = Witness(measure, *THREE, value, "norel=dropped" if measure == "AUC" else "")
    assert isclose(answer_with(catalogue()[name].ways[nth], witness).mean or 0, evaluate(value), rel_tol=1e-12)


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
"""Which measures can have a defect: who has a cutoff, ranks, an ideal, precisions that are added up …"""


@pytest.mark.parametrize("name", CONCERNED)
def test_a_defect_concerns_the_measures_that_have_what_it_breaks(name: str) -> None:
    asked = OF_ORDER | {"SetP", "SetF", "NumRelRet", "NumRet"}
    assert {measure for measure in asked if catalogue()[name].concerns(parse(measure))} == CONCERNED[name]


CUTS = {"required": ["@2"], "optional": ["", "@2"], "none": [""], "recall": ["@0.5"]}
EVERY = [parse(name + cut) for name, definition in MEASURES.items() for cut in CUTS[definition.cutoff]]
SPECS = ("", "gain=exp", "discount=jk-2 ideal=retrieved", "negative=as-is ideal=given", "ap_denominator=mean-p")
AS_RIGHT = [(defect, way) for defect in OWN.values() for way in defect.ways if way.tied_as_right]


@pytest.mark.parametrize(("defect", "way"), AS_RIGHT, ids=lambda given: getattr(given, "name", ""))
def test_tied_docs_are_measured_as_in_all_orders_where_a_way_says_that_its_formula_is_a_sum_as_the_right_one(
    defect: Defect, way: Way
) -> None:
    asked = list(product(filter(defect.concerns, EVERY), SPECS, OVER_ORDERS))

    @given(queries(rels=(-1, *GRADES), relevant=True))
    @settings(max_examples=min(25, settings.default.max_examples))
    def law(query: Query) -> None:
        for measure, spec, rule in asked:
            own = measure.conventions(profile(f"{spec} norel=0 ties={rule}"))
            judged = judge(query.rows, query.judgments, own, measure.rel)
            definition = BrokenMeasure(measure, way).definition
            arguments = definition.arguments(own, measure.arguments)
            plain = replace(definition, linear=False, monotone=False)
            both = {or_zero(measured, one, judged, measure.k, own, arguments) for one in (definition, plain)}
            assert len(both) == 1, (str(measure), spec, rule)

    law()


def or_zero(asked: Any, *given: Any) -> Fraction:
    """The value; where there is none, what `norel=0` makes of that."""
    try:
        return value_of(asked(*given))
    except Undefined:
        return Fraction(0)


def test_a_witness_of_one_query_is_ranked_as_it_is_written() -> None:
    wanted = Witness("P@1", {"q": {"a": 1, "b": 0, "c": 12}}, {"q": "a b c"}, "1/2", "gain=exp")
    assert seen_on("P@1", "a1 b0 c12", "1/2", "gain=exp") == wanted


def every_convention(witness: Witness) -> list[Answers]:
    """What the reference says of a witness, by all conventions that can matter to it."""
    measure, reference = parse(witness.measure), recalled(witness.input)
    axes = reference.axes(measure)
    choices = product(*([value for value in values_of(axis) if value != "rejected"] for axis in axes))
    return [reference.answers(measure, STANDARD.replace(**dict(zip(axes, chosen, strict=True)))) for chosen in choices]


@pytest.mark.parametrize(("defect", "way"), WAYS)
def test_no_convention_gives_what_a_witness_shows(defect: Defect, way: Way) -> None:
    witness = witness_of(way)
    shown = readings_of(answer_with(way, witness), witness)
    alike = [answers for answers in every_convention(witness) if readings_of(answers, witness) == shown]
    assert not alike, defect.name


def readings_of(answers: Answers, witness: Witness) -> list[Reading | None]:
    return [reading_of(answers, query) for query in (None, *witness.run)]


@pytest.mark.parametrize("defect", catalogue().values(), ids=lambda defect: defect.name)
def test_an_entry_is_whole(defect: Defect) -> None:
    assert defect.source.startswith("https://")
    assert defect.sentence
    assert defect.sentence == defect.sentence.strip(" .")
    assert defect.ways
    assert not defect.concerns(parse("ARI"))


# -- the diagnosis --------------------------------------------------------------------------------------------------


@cache
def few() -> tuple[Case, ...]:
    """Cases that say enough of a formula, and are quick; most of them ordinary."""
    topics = {"cutoff": 20, "gain": 12, "ideal": 20, "denominators": 20, "ties": 14, "queries": 14}
    found: list[Case] = []
    for topic, most in topics.items():
        of_topic = [case for case in corpus.load_all() if case.id.startswith(f"{topic}/") and not case.of_labels]
        usual = [case for case in of_topic if is_ordinary(case.input)]
        found += [*usual[:most], *[case for case in of_topic if case not in usual and "2-to-the" not in case.id][:3]]
    return tuple(found)


def evidence_of_numbers(case: Case, measure: Measure, numbers: Mapping[str | None, float]) -> Evidence:
    return Evidence(ReferenceQuestion(case, measure), tuple(numbers.items()), frozenset(numbers), None, "float64")


def case_with(case_id: str, data: Input) -> Case:
    return replace(few()[0], id=case_id, input=data)


def told(measure: Measure, case: Case, answers: Answers) -> Evidence:
    every = {query: reading_of(answers, query) for query in (None, *map(str, case.queries))}
    numbers = {query: value for query, value in every.items() if isinstance(value, float)}
    return evidence_of_numbers(case, measure, numbers)


def answered(measure: str, spec: str, way: Way | None = None) -> list[Evidence]:
    """What the reference says of the cases, broken or not; with a cutoff, at some small ones."""
    asked, conventions = parse(measure), parse_conventions(spec)
    found = []
    for case in few()[:: 1 if asked.k is None else 2]:
        for one in {asked} if asked.k is None else [cut_at(asked, k) for k in sorted({1, 2, 3, asked.k})]:
            formula = one if way is None else BrokenMeasure(one, way)
            found.append(told(one, case, recalled(case.input).answers(formula, conventions)))
    return [one for one in found if one.rows]


def found_in(measure: str, given: Sequence[Evidence], nearest: Conventions = STANDARD) -> Diagnosis | None:
    return diagnosed(parse(measure), given, nearest, "float64")


@pytest.mark.parametrize(("defect", "way"), WAYS)
def test_a_defect_is_known_by_its_answers(defect: Defect, way: Way) -> None:
    measure = witness_of(way).measure
    found = found_in(measure, answered(measure, witness_of(way).profile, way))
    assert found is not None, measure
    assert defect.name in found.names


@pytest.mark.parametrize(
    ("name", "measure", "spec"),
    [
        ("first-doc-lost", "nDCG@3", "gain=exp ties=docid-asc"),
        ("last-doc-lost", "DCG@3", "gain=exp ties=input"),
        ("ideal-of-the-hits", "nDCG@2", "gain=exp ties=input-reversed"),
    ],
)
def test_a_defect_is_known_beside_choices_that_matter_to_different_questions(
    name: str, measure: str, spec: str
) -> None:
    found = found_in(measure, answered(measure, spec, catalogue()[name].ways[0]))
    assert found is not None
    assert name in found.names
    assert STANDARD.differences(found.profile) == STANDARD.differences(parse_conventions(spec))


@pytest.mark.parametrize(
    ("measure", "spec"),
    [
        ("AP@3", "ap_denominator=hits"),
        ("AP", "ap_denominator=min-k-R-n ties=input"),
        ("nDCG@2", "gain=exp ideal=retrieved"),
        ("nDCG", "discount=jk-2 norel=1"),
        ("P@3", "p_denominator=min-k-R"),
        ("R@2", "r_denominator=min-k-R known=retrieved"),
        ("RR", "nohit=dropped"),
        ("RR@2", "ties=worst relevant=above-zero"),
    ],
)
def test_what_conventions_explain_is_no_defect(measure: str, spec: str) -> None:
    """Though those that are given as nearest do not."""
    assert found_in(measure, answered(measure, spec)) is None


def hits_counted(i: int) -> Evidence:
    """R@2 that counts hits, of two queries: of 3 to 7 relevant docs it gives 2, and 1 of the only one of the other, as is right."""
    way, measure, docs = OWN["hits-not-divided"].ways[0], parse("R@2"), "abcdefgh"[: 3 + i % 4 + i // 4 % 2]
    rows = tuple(("1", doc, 1.0 / rank, rank) for rank, doc in enumerate(docs, start=1))
    data = Input((*(("1", doc, 1) for doc in docs), ("2", "z", 1)), (*rows, ("2", "z", 1.0, 1)))
    answers = outcome_of(lambda: broken_answer(BrokenMeasure(measure, way), collection(data), STANDARD))
    numbers = {query: number for query in ("1", "2") if isinstance(number := reading_of(answers, query), float)}
    return evidence_of_numbers(case_with(f"case-{i}", data), measure, numbers)


def test_defects_that_explain_the_same_values_are_named_together() -> None:
    defects = (catalogue()["percent"], catalogue()["last-hit"])
    found = Diagnosis(defects, STANDARD, 3, 4)
    assert found.names == ("percent", "last-hit")
    assert found.sentence == f"{defects[0].sentence}, or {defects[1].sentence}: 3 of 4 unexplained values"
    assert replace(found, without_ties=True).sentence == f"{found.sentence} on input without ties"


def test_one_number_in_twenty_may_be_something_else() -> None:
    given = [hits_counted(i) for i in range(24)]
    odd = [replace(one, rows=(("1", 7.7), *(row for row in one.rows if row[0] != "1"))) for one in given]
    found = found_in("R@2", [*odd[:1], *given[1:]])
    assert found is not None
    assert (found.names, found.explained, found.unexplained) == (("hits-not-divided",), 23, 24)
    assert found_in("R@2", [*odd[:2], *given[2:]]) is None, "two of 24 are more"


def test_a_few_numbers_are_not_enough() -> None:
    broken = answered("RR", "", OWN["last-hit"].ways[0])
    right = answered("RR", "")
    differ = [
        i for i in range(len(right)) if right[i].rows != broken[i].rows and is_ordinary(right[i].question.case.input)
    ]
    assert found_in("RR", [broken[i] if i in differ[:2] else right[i] for i in range(len(right))]) is None


def test_no_noise_is_in_the_conventions() -> None:
    given = answered("AP", "ap_denominator=hits", OWN["precisions-not-divided"].ways[0])
    found = found_in("AP", given, parse_conventions("ap_denominator=hits"))
    assert found is not None
    assert found.profile == STANDARD


def test_labelings_have_none() -> None:
    assert diagnosed(parse("ARI"), [], STANDARD, "float64") is None


def test_a_measure_is_asked_for_its_facts() -> None:
    """A measure that nobody here knows by its name has the defects that it can have."""
    names = {suspect.defect.name for suspect in suspects(Measure("ERR", (), 3))}
    assert {"cutoff-ignored", "last-doc-lost", "ranked-backwards", "percent"} <= names
    assert not {"last-hit", "ideal-of-the-hits", "precisions-not-divided", "hits-not-divided"} & names


def told_of_the_whole_ranking(tied: int) -> Iterator[Evidence]:
    """What ignores the cutoff answers to thirty questions without ties, and to so many with ties what nothing explains."""
    so_many = Counter[bool]()
    for case in corpus.load_matching(["cutoff/*", "ties/*", "gain/*", "discount/*"]):
        with_ties = case.input.has_ties
        is_plain = not case.undefined and {rel for *_, rel in case.input.qrels} <= {0, 1, 2, 3, 4}
        if is_plain and so_many[with_ties] < (tied if with_ties else 30):
            value = reading_of(recalled(case.input).answers(parse("nDCG"), STANDARD), None)
            so_many[with_ties] += 1
            number = 0.11 * so_many[True] if with_ties else value
            if isinstance(number, float):
                yield evidence_of_numbers(case, parse("nDCG@3"), {None: number})


@pytest.mark.parametrize("tied", [8, 0])
def test_a_defect_that_ties_hide_is_said_to_be_one_of_input_without_ties(tied: int) -> None:
    found = defect_in(parse("nDCG@3"), list(told_of_the_whole_ranking(tied)), STANDARD, ["float64"])
    assert found is not None
    assert (found.names, found.without_ties) == (("cutoff-ignored",), tied > 0)
    assert found.sentence.endswith(" on input without ties") is (tied > 0)


def asked_at_five(i: int, rels: Mapping[str, int], docs: Sequence[str], value: float) -> Evidence:
    """A question of one query, the docs of which are not tied."""
    rows = tuple(("q", doc, 9.0 - at, at) for at, doc in enumerate(docs, start=1))
    data = Input(tuple(("q", doc, rel) for doc, rel in rels.items()), rows)
    return evidence_of_numbers(case_with(f"{i:03}", data), parse("P@5"), {"q": value})


def precision_at_five(i: int, *, unjudged: bool) -> Evidence:
    """P@5 of three docs, over the docs; an unjudged one is left out of them. No cutoff is as deep."""
    rels = {"a": 1, "b": int(i % 3 == 0 and not unjudged), "c": 0}
    docs = ("a", "b", "u" if unjudged else "c")
    return asked_at_five(i, rels, docs, sum(rels.values()) / (2 if unjudged else 3))


def test_where_conventions_explain_as_much_nothing_is_wrong_though_few_questions_tell_one_of_them() -> None:
    """Those with an unjudged doc are none of those that are looked at first."""
    told = [precision_at_five(i, unjudged=i in {33, 54, 75}) for i in range(120)]
    assert diagnosed(parse("P@5"), told, STANDARD, "float64") is None
    own = STANDARD.replace(p_denominator="min-k-n", unjudged="removed")
    assert not any(piece.missed(vars(own)) for piece in told)
    other = vars(own.replace(unjudged="non-relevant"))
    assert [i for i, piece in enumerate(told) if piece.missed(other)] == [33, 54, 75]


def hits_over_five(i: int, *, is_short: bool) -> Evidence:
    """P@5 of who ignores the cutoff: of seven docs, the last of which is relevant, over 5; of three over 3, as fewer are retrieved."""
    relevant = {f"d{at}" for at in range(1 + i % (2 if is_short else 3))} | (set() if is_short else {"d6"})
    docs = [f"d{at}" for at in range(3 if is_short else 7)]
    rels = {f"d{at}": int(f"d{at}" in relevant) for at in range(11 if is_short else 7)}
    return asked_at_five(i, rels, docs, len(relevant) / (3 if is_short else 5))


def test_a_defect_is_found_beside_a_choice_that_none_of_the_questions_tells_that_are_looked_at_first() -> None:
    """So much more is missed at first than where few are unexplained, but less than all that is."""
    told = [hits_over_five(i, is_short=i > 7 and i % 7 in {3, 4}) for i in range(240)]
    found = diagnosed(parse("P@5"), told, STANDARD, "float64")
    assert found is not None
    assert (found.names, found.profile) == (("cutoff-ignored",), STANDARD.replace(p_denominator="min-k-n"))
    assert (found.explained, found.unexplained) == (240, 240)


def test_what_a_defect_explains_is_counted_by_question_as_what_is_unexplained_is() -> None:
    """Each question has three queries, all of which the defect answers."""
    told = []
    for i in range(40):
        one = hits_over_five(i, is_short=False)
        given = one.question.case.input
        rows = [[(f"q{n}", *row[1:]) for row in each for n in "abc"] for each in (given.qrels, given.run)]
        data = Input(*map(tuple, rows))
        told.append(
            evidence_of_numbers(case_with(f"{i:03}", data), parse("P@5"), {f"q{n}": one.rows[0][1] for n in "abc"})
        )
    found = diagnosed(parse("P@5"), told, STANDARD, "float64")
    assert found is not None
    assert (found.names, found.explained, found.unexplained) == (("cutoff-ignored",), 40, 40)
