"""Equivalent choices: profiles with one canonical form give the same values, by brute force, and axes without any effect."""

import random
from functools import cache

import pytest
from reference_values import PlainReference, answered

from rankproof import cases as corpus
from rankproof.cases.inputs import Input, QrelsRow, RunRow
from rankproof.inference.deciding_axes import Facts, axes_that_matter, free_axes, possible, values_of
from rankproof.inference.equivalent_choices import can_matter, canonical_profile
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import cut_at, named
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, parse_conventions
from rankproof.reference_impl.evaluation import OF_MEANS
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse

PLAY_TOGETHER = [
    "missing extra norel nohit empty no_judgments unretrieved known",
    "missing norel nohit empty extra score_sign unjudged",
    "grades negative relevant gain_threshold unjudged known ideal qrels_duplicates",
    "grades negative relevant gain gain_threshold unjudged nohit norel",
    "short missing empty norel nohit extra no_judgments",
    "run_duplicates single ties known unjudged negative grades score_sign",
    "known ap_denominator rr_hits unretrieved run_duplicates qrels_duplicates p_denominator nohit norel ideal",
    "ideal ideal_cut known unretrieved unjudged negative run_duplicates qrels_duplicates score_sign",
    "ideal ideal_cut known unretrieved gain_threshold relevant grades gain discount",
    "grades negative relevant unjudged nohit norel gain_threshold",
    "run_duplicates ties order score_sign unretrieved qrels_duplicates known single",
    "known ap_denominator rr_hits unretrieved norel nohit mean",
    "extra no_judgments missing norel empty single short mean",
    "missing empty nohit norel unretrieved short extra score_sign unjudged",
    "r_denominator p_denominator judged_denominator f_weight recall_points iprec_empty bpref_no_nonrel ideal_cut ideal",
    "allrel iprec_empty bpref_no_nonrel empty nohit norel missing extra",
]
"""Axes that can make each other idle, drawn together because independent draws would rarely combine them."""
PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}
MEASURE_NAMES = """
nDCG@3 nDCG nDCG(rel=2)@3 DCG@3 DCG(rel=2) CG@2 ERR@3 RBP RBP(rel=2) AP AP@3 AP(rel=2)@3 P@3 P P(rel=2)@2
P(rel=0)@3 R@2 R R(rel=0) Bpref infAP F@3 F(beta=2)@3 Rprec RR RR(rel=2)@3 NumRet NumRel NumRelRet NumQ SetP
SetR SetF SetAP IPrec@0.4 IPrec@0 Success@2 AUC Judged@3 CoverageError
"""
OF_ALL_KINDS = [parse(name) for name in MEASURE_NAMES.split()]
RELS = (-1, 0, 0.5, 1, 1.5, 2, 3, 5)
"""Grades on both sides of every threshold."""


@cache
def references() -> tuple[PlainReference, ...]:
    """Return the reference for two hundred inputs of up to three queries that cover the conditions of all rules."""
    chance, found = random.Random(0), []
    for _ in range(200):
        every = [drawn_query(chance, query) for query in ("q1", "q2", "q3")[: chance.choice((1, 1, 2, 3))]]
        judged, ranked = ([row for pair in every for row in pair[side]] for side in (0, 1))
        without = [tuple(f"q{n}" for n, pair in enumerate(every, start=1) if not pair[side]) for side in (0, 1)]
        empty = [names[: chance.randint(0, len(names))] for names in without]
        found.append(
            PlainReference(Input(tuple(judged), tuple(ranked), empty_in_qrels=empty[0], empty_in_run=empty[1]))
        )
    return tuple(found)


def drawn_query(chance: random.Random, query: str) -> tuple[list[QrelsRow], list[RunRow]]:
    """Draw judgments and rows of any documents in any order: tied, repeated, relevant or not, with scores of either sign."""
    docs = "abcdefgh"[: chance.choice((2, 3, 5, 8))]
    rels = chance.choice(((0, 1), (0, 1, 2), (1,), (0,), RELS, (-1, 0, 1), (0.5, 1, 1.5)))
    scores = chance.choice(((3.0, 2.0, 1.0, 0.5), (1.0,), (2.0, 1.0, -1.0), (2.0, 1.0, 0.0)))
    judged = chance.sample(docs, chance.randint(0, len(docs)))
    ranked = chance.sample(docs, chance.choice((0, 1, 2, len(docs), len(docs))))
    twice = [names[: chance.random() < 0.15] for names in (judged, ranked)]
    qrels = [(query, doc, chance.choice(rels)) for doc in (*judged, *twice[0])]
    return qrels, [(query, doc, chance.choice(scores), rank) for rank, doc in enumerate((*ranked, *twice[1]), start=1)]


def possible_values(measure: Measure, axis: str) -> list[str]:
    return [value for value in values_of(axis) if possible(measure, axis, value)]


@pytest.mark.parametrize("together", PLAY_TOGETHER)
def test_profiles_with_one_canonical_form_give_the_same_values(together: str) -> None:
    chance, compared = random.Random(together), 0
    for _ in range(100):
        measure = chance.choice(OF_ALL_KINDS)
        axes = [axis for axis in together.split() if axis in free_axes(measure) and chance.random() < 0.6]
        base = {**PLAIN, **{axis: chance.choice(possible_values(measure, axis)) for axis in axes}}
        alike = canonical_profile(measure, base)
        for oracle in chance.sample(references(), 8) if alike != base else ():
            first, second = answered(oracle, measure, base), answered(oracle, measure, alike)
            if first is not None and second is not None:
                assert first == second, f"{measure}: {base} and {alike} differ on {oracle.input}"
                compared += 1
    assert compared > 20


SETTLED = [
    ("R", "r_denominator=min-k-R", "r_denominator=R"),
    ("R@5", "r_denominator=min-k-R", ""),
    ("NumRet", "missing=0-in-counts", "missing=0"),
    ("NumRet", "missing=measured", "missing=0"),
    ("NumRet", "mean=geometric", "mean=arithmetic"),
    ("AP", "mean=geometric", ""),
    ("NumRet", "extra=absent-as-0", "extra=ignored"),
    ("NumRet", "missing=absent-as-0", "missing=dropped"),
    ("NumRet", "missing=nan-as-0", "missing=nan"),
    ("AP", "missing=nan-as-0", ""),
    ("AP", "missing=0-in-counts", "missing=0"),
    ("P@5", "missing=0-in-counts mean=pooled", ""),
    ("AP", "empty=missing missing=nan", "empty=nan"),
    ("AP", "empty=missing missing=nan score_sign=positive", ""),
    ("AP", "missing=measured empty=nan", "missing=nan"),
    ("AP", "missing=measured empty=0", "missing=0"),
    ("nDCG@5", "gain=binary gain_threshold=applied", "gain_threshold=ignored"),
    ("nDCG@5", "gain=exp gain_threshold=applied", ""),
    ("F@5", "f_weight=beta", "f_weight=beta-squared"),
    ("F(beta=2)@5", "f_weight=beta", ""),
    ("nDCG", "ideal_cut=never", "ideal_cut=k"),
    ("nDCG@5", "ideal_cut=never", ""),
    ("nDCG@5", "ideal=max-gain ideal_cut=never", "ideal_cut=k"),
    ("nDCG", "ideal=retrieved", "ideal=given"),
    ("nDCG@5", "ideal=retrieved", ""),
    ("AP", "short=rejected", "short=measured"),
    ("AP@5", "short=rejected", ""),
    ("SetP", "order=input", "order=score"),
    ("SetP", "ties=best", "ties=docid-desc"),
    ("SetP", "score=f32", "score=f64"),
    ("AP", "order=input score=f32", "score=f64"),
    ("AP", "order=input ties=best", "ties=docid-desc"),
    ("AP", "order=input ties=best unretrieved=appended", ""),
    ("AP", "grades=binary negative=as-is", "negative=unjudged"),
    ("AP", "relevant=non-zero", "relevant=above-zero"),
    ("AP", "relevant=non-zero negative=as-is", ""),
    ("AP", "grades=truncated", "grades=any"),
    ("nDCG", "grades=truncated", ""),
    ("AP", "unretrieved=appended known=retrieved", "known=all"),
    ("P@5", "known=retrieved", ""),
    ("R@5", "known=retrieved", ""),
    ("RR", "rr_hits=mean-over-R known=retrieved", "rr_hits=mean-over-hits"),
    ("RR", "rr_hits=mean-over-R", ""),
    ("RR@5", "rr_hits=mean-over-R known=retrieved", ""),
    ("AP", "ap_denominator=min-k-R-n known=retrieved", "ap_denominator=R"),
    ("AP@5", "ap_denominator=min-k-R-n known=retrieved", "ap_denominator=min-k-R"),
    ("AP", "ap_denominator=min-k-R", "ap_denominator=R"),
    ("AP", "nohit=nan known=retrieved", "nohit=measured"),
    ("AP", "nohit=nan", ""),
    ("SetP", "run_duplicates=last", "run_duplicates=first"),
    ("SetP", "run_duplicates=last score_sign=positive", ""),
    ("AP", "run_duplicates=last", ""),
    ("NumRet", "qrels_duplicates=last", "qrels_duplicates=first"),
    ("NumRelRet", "qrels_duplicates=last", ""),
    ("NumRet", "run_duplicates=once", "run_duplicates=both"),
    ("AP", "run_duplicates=once", ""),
    ("CoverageError", "ties=last-rank", "ties=worst"),
    ("AP", "ties=last-rank", ""),
    ("nDCG", "negative=non-relevant", "negative=unjudged"),
    ("AP", "negative=non-relevant", "negative=unjudged"),
    ("AP", "negative=as-is", "negative=unjudged"),
    ("Bpref", "negative=non-relevant", ""),
    ("Bpref", "negative=as-is", "negative=non-relevant"),
    ("AP", "allrel=0", "allrel=nan"),
    ("NumRet", "norel=nan", "norel=0"),
    ("AP", "norel=nan", ""),
    ("AP", "extra=measured missing=dropped no_judgments=judged", "extra=0"),
    ("AP", "extra=measured", "extra=0"),
    ("AP", "extra=measured missing=dropped", "extra=0"),
    ("nDCG", "known=retrieved ideal=given", "ideal=judged"),
    ("nDCG", "ideal=given known=all", ""),
    ("NumRel", "run_duplicates=once", "run_duplicates=first"),
    ("nDCG", "gain_threshold=applied relevant=above-zero", "relevant=at-least gain_threshold=ignored"),
    ("AP", "relevant=above-half grades=whole-to-4", "relevant=at-least"),
    ("AP(rel=2)", "relevant=above-half grades=whole-to-4", "relevant=above-zero"),
    ("P@5", "known=retrieved qrels_duplicates=first", "known=all"),
    # For each row, some input contradicts a simpler rule without one of its conditions.
    ("AP(rel=0)", "qrels_duplicates=first ap_denominator=mean-p", ""),
    ("AP(rel=0)", "qrels_duplicates=highest ap_denominator=hits norel=dropped", ""),
    ("AP(rel=0)", "run_duplicates=both unretrieved=appended known=retrieved", ""),
    ("AP(rel=2)@3", "negative=as-is relevant=non-zero grades=truncated", ""),
    ("AP(rel=2)@3", "qrels_duplicates=highest ap_denominator=hits", ""),
    ("AP@3", "unretrieved=appended ap_denominator=hits", ""),
    ("AUC", "allrel=1", ""),
    ("AUC", "known=retrieved", ""),
    ("AUC", "known=retrieved qrels_duplicates=highest norel=dropped", ""),
    ("AUC", "known=retrieved qrels_duplicates=last norel=absent-as-0", ""),
    ("CG@2", "known=retrieved qrels_duplicates=first nohit=nan-as-0", ""),
    ("CG@2", "unjudged=removed relevant=non-zero gain_threshold=applied", "relevant=at-least gain_threshold=ignored"),
    ("CG@2", "unretrieved=appended missing=measured empty=dropped", ""),
    ("CoverageError", "known=retrieved qrels_duplicates=first norel=dropped", ""),
    ("DCG(rel=2)", "missing=dropped no_judgments=extra", ""),
    (
        "DCG(rel=2)",
        "negative=as-is relevant=above-zero gain_threshold=applied",
        "negative=unjudged relevant=at-least gain_threshold=ignored",
    ),
    ("DCG(rel=2)", "unretrieved=appended missing=measured", ""),
    ("DCG@3", "relevant=non-zero nohit=absent-as-0", "relevant=above-zero"),
    ("ERR@3", "extra=measured empty=dropped", ""),
    ("F(beta=2)@3", "missing=measured nohit=nan-as-0", ""),
    ("F@3", "extra=measured empty=nan", ""),
    ("F@3", "missing=nan-as-0 empty=missing", ""),
    ("IPrec@0", "missing=dropped no_judgments=extra norel=dropped empty=nan", ""),
    ("IPrec@0.4", "iprec_empty=nan missing=dropped no_judgments=extra norel=dropped", ""),
    ("IPrec@0.4", "missing=measured nohit=dropped", ""),
    ("IPrec@0.4", "recall_points=round", ""),
    ("Judged@3", "unjudged=removed qrels_duplicates=last", ""),
    ("NumQ", "extra=nan-as-0 empty=missing", ""),
    ("NumQ", "missing=0-in-counts", ""),
    ("NumQ", "missing=absent-as-0", ""),
    ("NumRel", "missing=absent-as-0", ""),
    ("NumRet", "missing=0-in-counts nohit=absent-as-0", "nohit=dropped"),
    ("NumRet", "unretrieved=appended missing=absent-as-0", ""),
    ("P(rel=0)@3", "known=retrieved qrels_duplicates=highest norel=absent-as-0", ""),
    ("P(rel=0)@3", "negative=non-relevant", ""),
    ("R", "no_judgments=extra extra=0", ""),
    ("R@2", "known=retrieved nohit=dropped", ""),
    ("R@2", "norel=absent-as-0 nohit=absent-as-0", ""),
    ("RBP(rel=2)", "known=retrieved qrels_duplicates=highest norel=rejected", ""),
    ("RR", "empty=dropped nohit=dropped", ""),
    ("RR", "extra=measured single=rejected", ""),
    ("RR", "norel=nan empty=missing nohit=nan", ""),
    ("Rprec", "extra=nan-as-0 empty=missing", ""),
    ("Rprec", "known=retrieved nohit=nan-as-0", ""),
    ("SetP", "run_duplicates=once", ""),
    ("SetR", "no_judgments=extra extra=measured", "extra=0"),
    ("SetR", "score_sign=positive run_duplicates=once", ""),
    ("Success@2", "ties=expectation run_duplicates=once", ""),
    ("infAP", "negative=as-is", "negative=non-relevant"),
    ("nDCG", "missing=measured extra=nan-as-0 empty=missing", "missing=0"),
    ("nDCG", "missing=measured nohit=dropped", ""),
    ("nDCG", "order=input ties=last-rank qrels_duplicates=both", ""),
    ("nDCG(rel=2)@3", "qrels_duplicates=highest ideal=given nohit=dropped", ""),
    ("nDCG@3", "negative=as-is qrels_duplicates=last ideal=given", "known=retrieved"),
    ("AP(rel=2)@3", "known=retrieved ap_denominator=hits", ""),
    ("Bpref", "negative=as-is relevant=non-zero", ""),
    ("F(beta=2)@3", "known=retrieved relevant=above-zero qrels_duplicates=both", ""),
    ("RBP(rel=2)", "negative=as-is rbp_gain=grade", ""),
    ("RR@3", "run_duplicates=both known=retrieved qrels_duplicates=highest rr_hits=mean-over-hits norel=nan", ""),
    ("nDCG", "negative=as-is grades=truncated", ""),
    ("nDCG", "unjudged=removed ideal_cut=min-k-n", ""),
    ("nDCG", "unjudged=removed negative=non-relevant", ""),
    ("nDCG(rel=2)@3", "discount=rank", ""),
    ("nDCG(rel=2)@3", "grades=truncated gain=binary", ""),
    ("nDCG(rel=2)@3", "grades=truncated gain_threshold=applied", ""),
    ("nDCG(rel=2)@3", "ideal=given ideal_cut=never", ""),
    ("nDCG(rel=2)@3", "known=retrieved ideal=retrieved", ""),
    ("nDCG@3", "negative=as-is relevant=non-zero gain_threshold=applied", "relevant=at-least gain_threshold=ignored"),
    # Regressions.
    ("RBP", "rbp_gain=normalised known=retrieved", ""),  # the highest grade may be unretrieved
    ("RBP", "rbp_gain=grade known=retrieved norel=nan", ""),  # a document below the threshold has a gain
    ("NumRel", "run_duplicates=both single=rejected", ""),  # two rows are not a single document
    ("Bpref", "bpref_no_nonrel=nan empty=nan nohit=nan norel=nan", ""),  # undefined for another reason
    ("IPrec@0.4", "iprec_empty=nan extra=measured", ""),
    ("IPrec@0.8", "iprec_empty=nan missing=measured", ""),  # undefined without documents also for that reason
    ("nDCG", "empty=nan nohit=nan norel=nan", ""),  # grades below the threshold count for the ideal, but are not hits
]
"""A measure, choices, and their canonical values; empty if the choices matter."""


@pytest.mark.parametrize(("measure", "spec", "same"), SETTLED)
def test_idle_choice_has_one_canonical_value_and_others_stay(measure: str, spec: str, same: str) -> None:
    values = {name: getattr(parse_conventions(spec), name) for name in AXES}
    changes = dict(one.split("=") for one in same.split())
    assert canonical_profile(parse(measure), values) == values | changes


SMALL = 25
CASES = sorted(
    (case for case in corpus.load_all() if not case.undefined and not case.input.of_labels and case.input.size < SMALL),
    key=lambda case: (not case.id.startswith("axes/"), case.input.size, case.id),
)


@cache
def reference(data: Input) -> PlainReference:
    return PlainReference(data)


@cache
def facts(data: Input) -> Facts:
    return Facts.of(data)


def moved_by(axis: str, measure: Measure, base: Conventions) -> str:
    """Return a case with different values under two values of an axis; empty if there is none."""
    for case in CASES:
        if axis in axes_that_matter(facts(case.input), measure):
            answers = reference(case.input).answers(measure, base)
            for value in values_of(axis):
                other = base.replace(**{axis: value})
                if possible(measure, axis, value) and reference(case.input).answers(measure, other) != answers:
                    return case.id
    return ""


@pytest.mark.parametrize("name", MEASURES)
def test_axis_that_cannot_matter_to_a_measure_never_changes_it(name: str) -> None:
    measure = named(name) if named(name).k is None else cut_at(named(name), 2)
    silent = [axis for axis in axes_of(measure) if axis not in can_matter(measure)]
    for spec in ("", "grades=two-values", "norel=nan nohit=dropped", "known=retrieved missing=measured empty=missing"):
        base = STANDARD.replace(**dict(choice.split("=") for choice in spec.split()))
        assert not [axis for axis in silent if moved_by(axis, measure, base)], spec


@pytest.mark.parametrize(
    ("measure", "never"),
    [
        ("AP", "allrel short"),
        ("AP@5", "allrel"),
        ("AUC", "short"),
        ("P@5", "allrel"),
        ("SetF", "allrel short order ties score"),
        ("DCG", "allrel short norel"),
        ("NumRet", f"allrel short norel order ties score {' '.join(OF_MEANS)}"),
    ],
)
def test_only_axes_without_any_effect_cannot_matter(measure: str, never: str) -> None:
    parsed = parse(measure)
    assert set(axes_of(parsed)) - set(can_matter(parsed)) == set(never.split()) & set(axes_of(parsed))
