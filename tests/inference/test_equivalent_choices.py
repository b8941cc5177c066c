"""An axis that is said not to matter never does: held against brute force on the corpus, and on inputs made for every two choices."""

import random
from collections.abc import Mapping
from functools import cache

import pytest
from reference_values import PlainReference, answered

from rankproof import cases as corpus
from rankproof.cases.inputs import Input, QrelsRow, RunRow
from rankproof.inference import deciding_axes
from rankproof.inference.deciding_axes import (
    Facts,
    axes_that_matter,
    axes_that_may_matter,
    free_axes,
    possible,
    values_of,
)
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.reference_impl.conventions import AXES, STANDARD, parse_conventions
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
"""Axes that make one another idle, drawn together; alone they would rarely meet."""
PLAIN = {axis: getattr(STANDARD, axis) for axis in AXES}
JUDGED = [case for case in corpus.load_all() if not case.undefined]


def drawn(chance: random.Random, measure: Measure, base: Mapping[str, str], axes: list[str]) -> dict[str, str]:
    """The base with these axes at values by chance; what refuses the input rarely, as it hides all else."""
    changed = dict(base)
    for axis in axes:
        value = chance.choice(tried(measure, axis))
        if value not in {"rejected", "text", "digit-queries"} or chance.random() < 0.3:
            changed[axis] = value
    return changed


@pytest.mark.parametrize("seed", range(3))
def test_an_axis_that_is_said_not_to_matter_never_does(seed: int) -> None:
    chance = random.Random(seed)
    compared = 0
    for case in JUDGED:
        oracle, facts = PlainReference(case.input), Facts.of(case.input)
        for measure in map(parse, case.measures):
            free, matter = list(free_axes(measure)), set(axes_that_matter(facts, measure))
            base = drawn(chance, measure, PLAIN, chance.sample(free, min(len(free), chance.choice([1, 3, 6]))))
            alike = drawn(chance, measure, base, [axis for axis in free if axis not in matter])
            for other in (canonical_profile(measure, base), alike):
                first, second = answered(oracle, measure, base), answered(oracle, measure, other)
                if first is not None and second is not None:
                    assert first == second, f"{case.id} {measure}: {base} and {other} differ"
                    compared += 1
    assert compared > 1_500


def test_an_axis_that_no_rule_speaks_of_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    ruled = {axis for case in JUDGED[:1] for axis, _ in deciding_axes._rules(Facts.of(case.input), parse("nDCG@10"))}
    unruled = set(AXES) - ruled
    for asked in JUDGED:
        for measure in map(parse, asked.measures):
            assert unruled & set(free_axes(measure)) <= set(axes_that_matter(Facts.of(asked.input), measure))
    assert unruled >= {"p_denominator", "f_weight"}
    monkeypatch.setattr(deciding_axes, "_rules", lambda _facts, _measure: iter(()))
    assert axes_that_matter(Facts.of(JUDGED[0].input), parse("nDCG@10")) == free_axes(parse("nDCG@10"))


def tried(measure: Measure, axis: str) -> list[str]:
    """The values of an axis that the measure can be asked with."""
    return [value for value in values_of(axis) if possible(measure, axis, value)]


OF_ALL_KINDS = [
    parse(name)
    for name in (
        "nDCG@3",
        "nDCG",
        "nDCG(rel=2)@3",
        "DCG@3",
        "DCG(rel=2)",
        "CG@2",
        "ERR@3",
        "RBP",
        "RBP(rel=2)",
        "AP",
        "AP@3",
        "AP(rel=2)@3",
        "P@3",
        "P",
        "P(rel=2)@2",
        "P(rel=0)@3",
        "R@2",
        "R",
        "R(rel=0)",
        "Bpref",
        "infAP",
        "F@3",
        "F(beta=2)@3",
        "Rprec",
        "RR",
        "RR(rel=2)@3",
        "NumRet",
        "NumRel",
        "NumRelRet",
        "NumQ",
        "SetP",
        "SetR",
        "SetF",
        "SetAP",
        "IPrec@0.4",
        "IPrec@0",
        "Success@2",
        "AUC",
        "Judged@3",
        "CoverageError",
    )
]
RELS = (-1, 0, 0.5, 1, 1.5, 2, 3, 5)
"""On both sides of every threshold."""


@cache
def oracles() -> tuple[PlainReference, ...]:
    """Of two hundred inputs of up to three queries, each with all that a rule may be about: see `drawn_query`."""
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
    """Judgments and rows: none, some or all docs, in any order; tied, twice, relevant or not, with scores of either sign."""
    docs = "abcdefgh"[: chance.choice((2, 3, 5, 8))]
    rels = chance.choice(((0, 1), (0, 1, 2), (1,), (0,), RELS, (-1, 0, 1), (0.5, 1, 1.5)))
    scores = chance.choice(((3.0, 2.0, 1.0, 0.5), (1.0,), (2.0, 1.0, -1.0), (2.0, 1.0, 0.0)))
    judged = chance.sample(docs, chance.randint(0, len(docs)))
    ranked = chance.sample(docs, chance.choice((0, 1, 2, len(docs), len(docs))))
    twice = [names[: chance.random() < 0.15] for names in (judged, ranked)]
    qrels = [(query, doc, chance.choice(rels)) for doc in (*judged, *twice[0])]
    return qrels, [(query, doc, chance.choice(scores), rank) for rank, doc in enumerate((*ranked, *twice[1]), start=1)]


@pytest.mark.parametrize("together", PLAY_TOGETHER)
def test_profiles_that_settle_alike_answer_alike(together: str) -> None:
    chance, compared = random.Random(together), 0
    for _ in range(100):
        measure = chance.choice(OF_ALL_KINDS)
        axes = [axis for axis in together.split() if axis in free_axes(measure) and chance.random() < 0.6]
        base = {**PLAIN, **{axis: chance.choice(tried(measure, axis)) for axis in axes}}
        alike = canonical_profile(measure, base)
        for oracle in chance.sample(oracles(), 8) if alike != base else ():
            first, second = answered(oracle, measure, base), answered(oracle, measure, alike)
            if first is not None and second is not None:
                assert first == second, f"{measure}: {base} and {alike} differ on {oracle.input}"
                compared += 1
    assert compared > 20


# -- not only never wrong, but as sharp as it is said to be -----------------------------------------------------------


def rows_of(text: str) -> list[tuple[str, str, float, int]]:
    """Query, doc, number and rank of `a3 b2#1 / a1`: queries q1, q2 … by slashes, docs of one letter, a rank where it is not the place."""
    rows = []
    for number, part in enumerate(text.split("/"), start=1):
        for place, word in enumerate(part.split(), start=1):
            value, _, rank = word[1:].partition("#")
            rows.append((f"q{number}", word[0], float(value), int(rank or place)))
    return rows


def input_of(qrels: str, run: str, **empty: tuple[str, ...]) -> Input:
    return Input(qrels=tuple(row[:3] for row in rows_of(qrels)), run=tuple(rows_of(run)), **empty)


ALWAYS = {"discount", "err_max", "ideal", "ideal_cut", "ids", "mean", "r_denominator", "short"}
"""What matters to a@1 and b@0 above one another, of query q1, cut at 3: the gains of two docs, an id that is no number, a short list."""
TOLD = [
    ("a1 b0", "a3 b2", "", ""),
    ("a1 b0", "a3 b3", "order ties", ""),
    ("a1 b0", "a3 b2.9999999999", "order ties score", ""),
    ("a1 b0", "a3 b-2", "score_sign unretrieved known single", ""),  # by its sign b is not retrieved
    ("a1 b0", "a3 b0", "score_sign unretrieved known single", ""),
    ("a1 b0", "ainf b2", "infinite", ""),
    ("a1 b0", "b2 a3", "order", ""),
    ("a1 b0", "a3#2 b2#1", "order", ""),
    ("a1 b0", "a3 b2 a1", "run_duplicates order known rr_hits", ""),
    ("a1 b0 a0", "a3 b2", "qrels_duplicates ties norel nohit no_query", ""),  # a may be relevant, or not
    ("a1 b0", "a3 b2 c1", "unjudged", ""),
    ("a1 b0", "a3", "unretrieved known single", ""),
    ("a1 b0 c0", "a3", "unretrieved known single ties", ""),  # two that are appended are tied
    (
        "a1 b-1",
        "a3 b2",
        "negative unjudged grades gain rbp_gain gain_threshold relevant rr_hits norel no_query single",
        "",
    ),
    ("a2 b0", "a3 b2", "grades gain rbp_gain", ""),
    ("a1 b0.5", "a3 b2", "grades gain rbp_gain gain_threshold relevant rr_hits", ""),
    ("a0 b0", "a3 b2", "norel nohit no_query", "discount err_max ideal ideal_cut"),
    ("a1 b1", "a3 b2", "rr_hits", ""),
    ("a1 b0 / a1", "a3 b2", "missing empty unretrieved known norel nohit single", ""),
    ("a1 b0", "a3 b2 / a3", "extra empty unjudged norel nohit single", ""),
    ("a1 b0 c0 d0", "a9 b8 c7 d6", "norel nohit no_query", "short"),  # three that are not relevant could be above it
    ("a1", "a3", "single", "ideal_cut r_denominator"),
]


def told(given: Input) -> set[str]:
    """The axes of which a rule says that they matter."""
    return {axis for axis, does in deciding_axes._rules(Facts.of(given), parse("nDCG@3")) if does}


@pytest.mark.parametrize(("qrels", "run", "more", "less"), TOLD)
def test_an_axis_matters_where_the_input_has_what_it_is_about_and_else_not(
    qrels: str, run: str, more: str, less: str
) -> None:
    assert told(input_of(qrels, run)) == ALWAYS - set(less.split()) | set(more.split())


def test_a_query_without_rows_or_judgments_and_ids_that_are_numbers_are_seen() -> None:
    without = told(input_of("a1 b0", "a3 b2", empty_in_qrels=("q2",)))
    assert without - ALWAYS == {"empty", "extra", "missing", "no_judgments", "nohit", "norel"}
    digits, numbers = (Input(((q, "a", 1), (q, "b", 0)), ((q, "a", 3.0, 1), (q, "b", 2.0, 2))) for q in ("1", 1))
    assert ALWAYS - told(digits) == {"ids"}
    assert told(numbers) == ALWAYS


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
    ("NumRet", "missing=nan-dropped", "missing=nan"),
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
    # Each of these has an input on which it is not what a rule without one of its conditions would make of it.
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
    ("NumRel", "extra=nan-as-0", ""),
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
    ("SetAP", "extra=nan-as-0 empty=missing", ""),
    ("SetF", "missing=dropped no_judgments=extra", ""),
    ("SetP", "run_duplicates=once", ""),
    ("SetR", "no_judgments=extra extra=measured", "extra=0"),
    ("SetR", "score_sign=positive run_duplicates=once", ""),
    ("Success@2", "known=retrieved nohit=nan", ""),
    ("Success@2", "ties=expectation run_duplicates=once", ""),
    ("infAP", "negative=as-is", "negative=non-relevant"),
    ("nDCG", "missing=measured extra=nan-as-0 empty=missing", "missing=0"),
    ("nDCG", "missing=measured nohit=dropped", ""),
    ("nDCG", "order=input ties=last-rank qrels_duplicates=both", ""),
    ("nDCG(rel=2)@3", "qrels_duplicates=highest ideal=given nohit=dropped", ""),
    ("nDCG@3", "negative=as-is qrels_duplicates=last ideal=given", "known=retrieved"),
    ("AP(rel=2)@3", "known=retrieved ap_denominator=hits", ""),
    ("Bpref", "negative=as-is relevant=non-zero", ""),
    ("DCG(rel=2)@3", "discount=ln", ""),
    ("ERR@3", "grades=truncated", ""),
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
    # These were once settled wrongly.
    ("RBP", "rbp_gain=normalised known=retrieved", ""),  # the highest rel may not be retrieved
    ("RBP", "rbp_gain=grade known=retrieved norel=nan", ""),  # a doc below the threshold has a gain
    ("NumRel", "run_duplicates=both single=rejected", ""),  # two rows are no single doc
    ("Bpref", "bpref_no_nonrel=nan empty=nan nohit=nan norel=nan", ""),  # undefined for another reason
    ("IPrec@0.4", "iprec_empty=nan extra=measured", ""),
    ("IPrec@0.8", "iprec_empty=nan missing=measured", ""),  # without docs undefined, for that reason too
    ("nDCG", "empty=nan nohit=nan norel=nan", ""),  # rels below the threshold make an ideal, and no hit
]
"""A choice beside the others, and the same made as in `standard` or as what its axis names first; nothing where it can matter."""


@pytest.mark.parametrize(("measure", "spec", "same"), SETTLED)
def test_a_choice_that_cannot_matter_beside_the_others_is_made_in_one_way_and_no_other_is(
    measure: str, spec: str, same: str
) -> None:
    values = {name: getattr(parse_conventions(spec), name) for name in AXES}
    changes = dict(one.split("=") for one in same.split())
    assert canonical_profile(parse(measure), values) == values | changes


@pytest.mark.parametrize("measure", ["AP@5", "RR", "nDCG@3"])
def test_of_a_broken_formula_no_input_decides_what_a_query_without_a_value_is_worth(measure: str) -> None:
    """One doc that is relevant and retrieved: the measure is never undefined of it, but a broken one may be."""
    facts = Facts.of(Input(qrels=(("q", "a", 1),), run=(("q", "a", 1.0, 1),)))
    may_matter = axes_that_may_matter(facts, parse(measure))
    assert {"norel", "allrel", "nohit", "no_query"} <= {*may_matter}
    assert {"ties", "score", "negative", "run_duplicates", "missing", "extra"}.isdisjoint(may_matter)
