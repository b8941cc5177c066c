"""The laws of ties and order: every closed form over tied documents equals the enumeration of all orders, exactly."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import GRADES, Query, judged_as, queries, run_of, value

from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.definition import Undefined
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import QueryRow, judge
from rankproof.reference_impl.ties import TooManyOrders, enumerated, measured, value_of

ORDERS = ("docid-desc", "docid-asc", "input", "input-reversed")
CUTS = ("", "@1", "@2", "@4")
GAINS = (*AXES["gain"].values, "map:1=3,2=1")
IDEALS = (*AXES["ideal"].values,)


def specs(**axes: Iterable[str]) -> list[str]:
    """Return every combination of the values of some axes."""
    return [" ".join(f"{a}={v}" for a, v in zip(axes, values, strict=True)) for values in product(*axes.values())]


def grid() -> dict[str, list[tuple[str, str]]]:
    """Return, for each measure, the cutoffs and conventions for the comparison of its orders."""
    of_axes = {
        "P": specs(p_denominator=AXES["p_denominator"].values) + specs(unjudged=("removed",)),
        "R": specs(r_denominator=AXES["r_denominator"].values),
        "F": specs(f_weight=AXES["f_weight"].values),
        "AP": specs(ap_denominator=AXES["ap_denominator"].values),
        "RR": specs(rr_hits=AXES["rr_hits"].values),
        "CG": specs(gain=GAINS, gain_threshold=("ignored", "applied")),
        "DCG": specs(gain=GAINS, discount=AXES["discount"].values) + specs(negative=("as-is",), gain=GAINS[:3]),
        "nDCG": specs(gain=GAINS, ideal=IDEALS)
        + specs(ideal=IDEALS, ideal_cut=("min-k-n", "never"))
        + specs(negative=("as-is",), ideal=IDEALS, norel=("0", "1", "0.5", "nan"))
        + specs(gain_threshold=("applied",), relevant=("above-half", "non-zero"), negative=("unjudged", "as-is")),
        "ERR": specs(err_max=("1", "2", *AXES["err_max"].values)) + specs(negative=("as-is",)),
        "RBP": specs(rbp_gain=AXES["rbp_gain"].values),
        "Judged": specs(judged_denominator=AXES["judged_denominator"].values) + specs(negative=("unjudged", "as-is")),
        "Bpref": specs(bpref_no_nonrel=("full", "0", "nan")),
        "infAP": specs(infap_epsilon=("1e-5", "0")),
        "IPrec": specs(recall_points=("ceil", "round")),
        "AUC": specs(unretrieved=("absent", "appended"), allrel=("nan", "1", "0.5")),
    }
    cuts = {"required": CUTS[1:], "optional": CUTS, "none": ("",), "recall": ("@0", "@0.5", "@1")}
    return {
        name: [(name + cut, spec) for cut in cuts[definition.cutoff] for spec in of_axes.get(name, [""])]
        for name, definition in MEASURES.items()
    } | {"of rel 0": [(f"{name}(rel=0){cut}", "") for name in ("P", "AP", "RBP", "nDCG") for cut in CUTS]}


GRID = grid()
SHARE = 4
"""Inputs test one in this many entries of the grid, at random."""
RELS = (-1, *GRADES)


def cut(name: str, k: int = 2) -> str:
    """Return a measure with a cutoff, if it needs one."""
    return name + {"required": f"@{k}", "recall": "@0.5"}.get(MEASURES[name].cutoff, "")


def all_orders(measure: Measure, query: Query, conventions: Conventions) -> list[Fraction] | None:
    """Return the value in each order of tied documents; None if the formula is undefined."""
    conventions = measure.conventions(conventions)
    judged = judge(query.rows, query.judgments, conventions.replace(ties="expectation"), measure.rel)
    arguments = measure.definition.arguments(conventions, measure.arguments)
    if not judged.groups or (measure.definition.needs_relevant and not judged.R):
        return None
    try:
        return enumerated(measure.definition, judged, measure.k, conventions, arguments)
    except Undefined:
        return None


@pytest.mark.parametrize("name", GRID)
def test_expectation_best_and_worst_are_those_of_all_orders(name: str) -> None:
    @given(queries(rels=RELS, relevant=True, scores=3), st.integers(0, SHARE - 1))
    @settings(max_examples=min(25, settings.default.max_examples))
    def law(query: Query, first: int) -> None:
        for text, spec in GRID[name][first::SHARE]:
            measure, conventions = parse(text), profile(spec)
            values = all_orders(measure, query, conventions)
            if values is None:
                continue
            best, worst = (max, min) if measure.definition.better == "higher" else (min, max)
            mean = sum(values, Fraction(0)) / len(values)
            expected = {"expectation": mean, "best": best(values), "worst": worst(values)}
            assert {rule: value(text, query, f"{spec} ties={rule}") for rule in expected} == expected, (
                f"{text} [{spec}]"
            )
            for rule in ORDERS:
                assert value(text, query, f"{spec} ties={rule}") in values, f"{text} [{spec}] ties={rule}"

    law()


@given(queries(docs=4, rels=RELS, relevant=True))
@settings(max_examples=min(25, settings.default.max_examples))
def test_orders_with_equal_rankings_above_the_cutoff_are_measured_once(query: Query) -> None:
    conventions = profile("ties=expectation ideal=retrieved norel=0 negative=as-is")
    judged = judge(query.rows, query.judgments, conventions)
    groups = [list(permutations(group)) for group in judged.groups]
    for name, definition in MEASURES.items():
        measure = parse(name + {"required": "@2", "optional": "@2", "recall": "@0.5", "none": ""}[definition.cutoff])
        arguments = definition.arguments(conventions, measure.arguments)
        values = []
        for order in product(*groups):
            try:
                values.append(value_of(definition.of(replace(judged, groups=order), measure.k, "", arguments)))
            except Undefined as undefined:
                values.append(Fraction(getattr(conventions, undefined.axis)) if undefined.axis == "norel" else None)
        if None not in values:
            both = (enumerated(definition, judged, measure.k, conventions, arguments), values)
            measured_once, expected = ({v: Fraction(n, len(of)) for v, n in Counter(of).items()} for of in both)
            assert measured_once == expected, measure


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_without_a_closed_form_is_enumerated(name: str) -> None:
    definition = MEASURES[name]
    plain = replace(definition, linear=False, monotone=False, expectation=None)
    judged = judge(run_of("a=x", "b=c=d"), judged_as(a=2, b=1, c=0, d=3, e=1), profile("ties=best"))
    arguments = definition.arguments(STANDARD, {"recall": 0.5})
    k = None if definition.cutoff in {"none", "recall"} else 3
    for rule in ("expectation", "best", "worst"):
        values = {measured(either, judged, k, STANDARD.replace(ties=rule), arguments) for either in (definition, plain)}
        assert len(values) == 1, rule


TWENTY = Query(run_of("=".join("abcdefghijklmnopqrst")), judged_as(a=1, b=2, c=1, d=3, k=0, l=0, m=0, y=3))
"""Twenty tied documents, with too many orders to enumerate."""


@pytest.mark.parametrize(
    ("measure", "ties", "expected"),
    [
        ("P@1", "expectation", Fraction(2 + 0, 2)),
        ("P@1", "best", Fraction(2)),
        ("AP", "expectation", Fraction(Fraction(1 + 2, 2) + Fraction(Fraction(1, 2) + Fraction(2, 2), 2), 2)),
        ("AP", "worst", Fraction(Fraction(1, 2) + Fraction(2, 2), 2)),
        ("AP", "last-rank", Fraction(2, 2)),
        ("RR", "expectation", Fraction(1 + Fraction(1, 2), 2)),
        ("DCG", "input", Fraction(2)),
    ],
)
def test_two_judgments_at_one_rank_stay_with_their_document(measure: str, ties: str, expected: Fraction) -> None:
    """Document a has two relevant judgments and is tied with b, which is not relevant.

    Both hits of a have the same rank.
    """
    judged, rows = {"q": [*judged_as(a=1), *judged_as(a=1, b=0)]}, {"q": [QueryRow("a", 1.0), QueryRow("b", 1.0)]}
    answer = Collection(judged, rows).answer(parse(measure), profile(f"qrels_duplicates=same-rank ties={ties}"))
    assert answer.per_query == {"q": expected}


@pytest.mark.parametrize("name", MEASURES)
def test_twenty_tied_documents_need_a_closed_form(name: str) -> None:
    definition = MEASURES[name]
    has_mean = definition.linear or definition.expectation is not None
    for rule, short in {"expectation": has_mean, "best": definition.monotone, "worst": definition.monotone}.items():
        if short:
            assert value(cut(name, 3), TWENTY, f"ties={rule}") is not None
        else:
            with pytest.raises(TooManyOrders, match=rf"{name} has no closed form over these ties, and [\d,]+ orders"):
                value(cut(name, 3), TWENTY, f"ties={rule}")


def test_documents_below_the_cutoff_are_not_ordered() -> None:
    below = Query([*run_of("a=b"), *(row._replace(score=-9.0) for row in TWENTY.rows[2:])], TWENTY.judgments)
    assert value("nDCG@2", below, "ties=expectation ideal=retrieved") is not None
    with pytest.raises(TooManyOrders):
        value("nDCG@3", below, "ties=expectation ideal=retrieved")
    for measure, spec in (
        ("nDCG", "ideal=retrieved"),
        ("AP", "ap_denominator=hits"),
    ):  # every order has the same documents
        assert value(measure, TWENTY, f"ties=expectation {spec}") is not None


@pytest.mark.parametrize(("norel", "expected"), [("0", 0), ("1", 1), ("0.5", Fraction(1, 2))])
def test_lrap_without_relevant_retrieved_documents_is_undefined_in_every_order(norel: str, expected: Fraction) -> None:
    query = Query(run_of("a=b"), judged_as(c=1))
    assert value("LRAP", query, f"ties=expectation norel={norel}") == expected


# -- last rank --------------------------------------------------------------------------------------------------


@given(queries(rels=RELS))
def test_last_rank_of_tied_documents_does_not_depend_on_the_order_of_rows(query: Query) -> None:
    other = Query(list(reversed(query.rows)), query.judgments)
    for measure in map(cut, MEASURES):
        assert value(measure, query, "ties=last-rank") == value(measure, other, "ties=last-rank"), measure


@given(queries(rels=RELS))
def test_last_rank_of_tied_documents_is_never_better_than_their_worst_order(query: Query) -> None:
    # Except AP, which credits a document with the relevant documents that share its rank.
    for measure in ("P@2", "RR", "DCG", "nDCG@3", "RBP", "AUC", "Bpref"):
        last, worst = (value(measure, query, f"ties={rule} allrel=0") for rule in ("last-rank", "worst"))
        assert last is not None
        assert worst is not None
        assert last <= worst


# -- names, rows, scores ----------------------------------------------------------------------------------------


@given(queries())
def test_the_order_of_rows_changes_nothing_if_ids_break_ties(query: Query) -> None:
    for rule in ("docid-desc", "docid-asc", "expectation", "best", "worst", "last-rank"):
        orders = [Query(rows, query.judgments) for rows in permutations(query.rows[:4])]
        assert len({value("nDCG@2", order, f"ties={rule}") for order in orders}) == 1


@given(queries())
def test_ids_in_the_same_order_change_nothing(query: Query) -> None:
    names = {row.doc for row in query.rows} | {judgment.doc for judgment in query.judgments}
    renamed = {name: f"doc{i}" for i, name in enumerate(sorted(names, key=str.encode))}
    rows, judgments = ([line._replace(doc=renamed[line.doc]) for line in side] for side in query)
    other = Query(rows, judgments)
    for measure, rule in product(("nDCG@2", "AP", "RR@1", "Bpref"), ORDERS):
        assert value(measure, query, f"ties={rule}") == value(measure, other, f"ties={rule}")


@given(queries(scores=4))
def test_a_monotone_change_of_scores_changes_nothing(query: Query) -> None:
    for change in (lambda s: 3 * s - 7, lambda s: -1 / s, lambda s: s**3, lambda s: inf if s > 3 else s):
        other = Query([row._replace(score=change(row.score)) for row in query.rows], query.judgments)
        for rule in (*ORDERS, "expectation"):
            assert value("nDCG@3", query, f"ties={rule}") == value("nDCG@3", other, f"ties={rule}")


@given(queries(relevant=True))
def test_unjudged_documents_below_the_cutoff_change_no_value(query: Query) -> None:
    n = len(query.rows)
    other = Query([*query.rows, QueryRow("new", -1.0), QueryRow("newer", -2.0)], query.judgments)
    for name in ("P", "R", "AP", "RR", "Success", "CG", "DCG", "nDCG", "ERR", "RBP", "Judged", "F"):
        assert value(f"{name}@{n}", query) == value(f"{name}@{n}", other)
    for name in ("AP", "RR", "nDCG", "ERR", "RBP", "Bpref", "infAP", "Rprec", "SetR", "IAP", "LRAP"):
        assert value(name, query) == value(name, other)


@given(queries(relevant=True, scores=4))
def test_the_ideal_ranking_scores_1(query: Query) -> None:
    rows = [QueryRow(judgment.doc, float(judgment.rel)) for judgment in query.judgments]
    for measure in ("nDCG", "nDCG@2", "AP", "RR", "Rprec", "LRAP", "Bpref", "SetR", "IPrec@1", "IAP", "Success@1"):
        assert value(measure, Query(rows, query.judgments)) == 1


@given(queries())
def test_bounded_measures_are_bounded(query: Query) -> None:
    for name in (name for name, definition in MEASURES.items() if definition.bounds == (0, 1)):
        for spec in ("", "ties=expectation", "gain=exp", "ideal=given", "err_max=query rbp_gain=normalised"):
            bounded = value(cut(name), query, f"{spec} allrel=0")
            assert bounded is not None
            assert 0 <= bounded <= 1, f"{name} [{spec}] declares bounds 0 and 1, but its value is {bounded}"


@given(queries(relevant=True))
def test_the_worst_order_is_never_better_than_the_best(query: Query) -> None:
    assume(len(query.rows) > 1)
    rels = {judgment.doc: judgment.rel for judgment in query.judgments}
    best_first = sorted(query.rows, key=lambda row: -rels.get(row.doc, 0))
    worst_first = list(reversed(best_first))
    for name, definition in MEASURES.items():
        both = (Query(rows, query.judgments) for rows in (worst_first, best_first))
        low, high = (value(cut(name), either, "order=input allrel=0") for either in both)
        assert low is not None
        assert high is not None
        assert low <= high if definition.better == "higher" else low >= high, name
