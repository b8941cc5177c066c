"""Axes of conventions: each is used, its values differ on some input, and its default is declared once."""

import inspect
import re
from fractions import Fraction
from itertools import product
from math import inf

import pytest
from strategies import judged_as, run_of

from rankproof.inference.form_groups import KINDS
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, axis_named, gain_map
from rankproof.reference_impl.evaluation import Collection, compare_labelings
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected

ONE = {"q": judged_as(a=1)}
GRADED = {"q": judged_as(a=2, b=3, c=1, d=0)}
ODD = {"q": [Judgment("a", 2.5), Judgment("b", 0.4), Judgment("c", 0.6)]}
TIED = {"q": [QueryRow("c", 1.0, 3), QueryRow("a", 1.0, 2), QueryRow("b", 1.0, 1)]}

WITNESSES = {
    "order": [("RR", ONE, {"q": [QueryRow("b", 2.0, 3), QueryRow("a", 1.0, 1), QueryRow("c", 3.0, 2)]}, "")],
    "ties": [
        ("ERR", {"q": judged_as(a=3, b=1)}, TIED, ""),
        ("nDCG@2", {"q": judged_as(a=3, b=1)}, TIED, ""),
        ("nDCG", {"q": judged_as(a=1, b=3, d=2)}, {"q": run_of("b=d=a=c")}, ""),
    ],
    "score": [("RR", ONE, {"q": [QueryRow("a", 1 + 1e-9), QueryRow("b", 1.0)]}, "")],
    "score_sign": [("R", ONE, {"q": [QueryRow("a", -1.0)]}, "")],
    "infinite": [("RR", ONE, {"q": [QueryRow("a", inf), QueryRow("b", 1.0)]}, "")],
    "ids": [("RR", ONE, {"q": run_of("a")}, ""), ("RR", {"1": judged_as(a=1)}, {"1": run_of("a")}, "")],
    "run_duplicates": [
        ("RR", ONE, {"q": [QueryRow("a", 1.0), QueryRow("b", 2.0), QueryRow("a", 3.0)]}, ""),
        ("NumRet", ONE, {"q": [QueryRow("a", 1.0), QueryRow("b", 2.0), QueryRow("a", 3.0)]}, ""),
        ("P@2", ONE, {"q": [QueryRow("a", 2.0), QueryRow("a", 1.0)]}, ""),
    ],
    "own_doc": [("RR", {"q": judged_as(a=1)}, {"q": run_of("q", "a")}, "")],
    "unretrieved": [("R", ONE, {"q": run_of("b")}, "")],
    "known": [("R", {"q": judged_as(a=1, b=1)}, {"q": run_of("a")}, "")],
    "unjudged": [("RR", ONE, {"q": run_of("b", "a")}, "")],
    "negative": [
        ("CG", {"q": judged_as(a=-1, b=2)}, {"q": run_of("a", "b")}, ""),
        ("Bpref", {"q": judged_as(a=-1, b=2)}, {"q": run_of("a", "b")}, ""),
    ],
    "relevant": [("R", {"q": judged_as(a=2.5, b=0.4, c=0.6, d=-1, e=-2)}, {"q": run_of("b", "a")}, "negative=as-is")],
    "grades": [
        ("CG", qrels, {"q": run_of("a", "b", "c")}, "")
        for qrels in (ODD, GRADED, {"q": judged_as(a=5)}, {"q": judged_as(a=2, b=1)})
    ],
    "qrels_duplicates": [
        (measure, {"q": [Judgment("a", rel) for rel in rels]}, {"q": run_of("a")}, "")
        for measure, rels in (("CG", (1, 2)), ("CG", (2, 1)), ("P@1", (1, 1)))
    ],
    "gain": [("CG", GRADED, {"q": run_of("a", "b")}, "")],
    "gain_threshold": [("CG(rel=3)", GRADED, {"q": run_of("a", "b")}, "")],
    "discount": [("DCG", GRADED, {"q": run_of("a", "b", "c")}, "")],
    "ideal": [("nDCG@2", GRADED, {"q": run_of("d", "c", "a")}, "")],
    "ideal_cut": [("nDCG@2", GRADED, {"q": run_of("b")}, "")],
    "p_denominator": [("P@5", {"q": judged_as(a=1, b=1, c=1)}, {"q": run_of("a", "x")}, "")],
    "r_denominator": [("R@1", GRADED, {"q": run_of("a")}, "")],
    "ap_denominator": [("AP@4", {"q": judged_as(**dict.fromkeys("abcdefg", 1))}, {"q": run_of("a", "x", "b")}, "")],
    "rr_hits": [("RR", {"q": judged_as(a=1, b=1, c=1)}, {"q": run_of("a", "b")}, "")],
    "judged_denominator": [("Judged@5", ONE, {"q": run_of("a")}, "")],
    "f_weight": [("F(beta=2)@2", ONE, {"q": run_of("a", "b")}, "")],
    "bpref_no_nonrel": [("Bpref", ONE, {"q": run_of("a")}, "")],
    "infap_epsilon": [("infAP", {"q": judged_as(a=1, b=0)}, {"q": run_of("b", "a")}, "")],
    "iprec_empty": [("IPrec(judged_only=True)@0", ONE, {"q": run_of("x")}, "")],
    "recall_points": [
        (f"IPrec@{level}", {"q": judged_as(a=1, b=1, c=1)}, {"q": run_of("a", "x", "b")}, "") for level in (0.4, 0.7)
    ],
    "err_max": [("ERR", {"q": judged_as(a=0.5, b=3)}, {"q": run_of("a")}, "")],
    "rbp_gain": [("RBP", {"q": judged_as(a=2, b=3)}, {"q": run_of("a")}, "")],
    "missing": [
        (measure, {"p": judged_as(a=rel), "q": judged_as(a=1)}, {"q": run_of("a")}, "norel=1")
        for measure, rel in (("P@1", 0), ("NumRel", 1))
    ],
    "no_judgments": [("NumQ", {"q": []}, {"q": run_of("a")}, "")],
    "extra": [("P@1", ONE, {"q": run_of("a"), "x": run_of("a")}, "norel=1")],
    "norel": [("P@1", {"q": judged_as(a=1), "z": judged_as(a=0)}, {"q": run_of("a"), "z": run_of("a")}, "")],
    "allrel": [("AUC", ONE, {"q": run_of("a")}, "")],
    "empty": [
        ("P@1", {"q": judged_as(a=1), "z": judged_as(a=1)}, {"q": run_of("a"), "z": []}, spec)
        for spec in ("", "missing=nan-dropped")
    ],
    "nohit": [("P@1", ONE, {"q": run_of("b", "a")}, "")],
    "single": [("P@1", ONE, {"q": run_of("a")}, "")],
    "short": [("P@2", ONE, {"q": run_of("a")}, "")],
    "no_query": [("P@1", {"z": judged_as(a=0)}, {"z": run_of("a")}, "norel=dropped")],
    "mean": [("P", {"q": judged_as(a=1), "z": judged_as(a=1)}, {"q": run_of("a"), "z": run_of("x", "a")}, "")],
}


def seen(axis: str, word: str) -> tuple[object, ...]:
    """Return the results of the witnesses of an axis for one of its values."""
    results: list[object] = []
    for (measure, qrels, run, spec), number_docs in product(WITNESSES[axis], (True, False)):
        collection = Collection(qrels, run, number_ids=True, number_docs=number_docs)
        try:
            answer = collection.answer(parse(measure), profile(f"{spec} {axis}={word}"))
            results.append((tuple(answer.per_query.items()), answer.mean))
        except Rejected as rejected:
            results.append(("rejected", rejected.axis))
    return tuple(results)


UNSPECIFIED = ("ties", "unspecified")
"""The value without an order, which the reference replaces by input order."""


@pytest.mark.parametrize("axis", WITNESSES)
def test_all_values_of_an_axis_differ(axis: str) -> None:
    by_value = {word: seen(axis, word) for word in AXES[axis].values if (axis, word) != UNSPECIFIED}
    for word, outcome in by_value.items():
        alike = [other for other, theirs in by_value.items() if theirs == outcome and other != word]
        where = f"add an input that shows the difference to WITNESSES[{axis!r}] in this file"
        assert not alike, f"{axis}: {word} and {alike[0]} give the same values; {where}"


@pytest.mark.parametrize("axis", WITNESSES)
def test_a_refusal_names_the_axis_that_refuses(axis: str) -> None:
    for word in AXES[axis].values:
        rejections = [outcome for outcome in seen(axis, word) if outcome[0] == "rejected"]  # type: ignore[index]
        refuses = AXES[axis].refuses(word)
        assert bool(rejections) == refuses, f"{axis}={word}"
        assert all(outcome == ("rejected", axis) for outcome in rejections)


def test_every_axis_has_witnesses() -> None:
    assert {*WITNESSES} | {"degenerate"} == {*AXES}, "write an input for each axis in WITNESSES in this file"
    words = ("0", "1", "nan")
    values = {word: compare_labelings(parse("NMI"), "a", "b", profile(f"degenerate={word}")) for word in words}
    assert values == {"0": 0, "1": 1, "nan": None}


@pytest.mark.parametrize(("axis", "word"), [("discount", "jk-3"), ("err_max", "5"), ("gain", "map:2=7,3=0.5")])
def test_a_value_may_have_a_number_in_it(axis: str, word: str) -> None:
    assert seen(axis, word) not in [seen(axis, other) for other in AXES[axis].values]
    number = re.findall(r"[\d.]+", word)[-1]
    assert number in AXES[axis].phrase(word)


# -- introspection ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MEASURES, *CLUSTERINGS])
def test_the_default_of_a_parameter_is_the_default_of_its_axis(name: str) -> None:
    definition = MEASURES.get(name) or CLUSTERINGS[name]
    for parameter in list(inspect.signature(definition.formula).parameters.values())[1:]:
        assert parameter.kind is parameter.KEYWORD_ONLY
        if parameter.name in AXES:
            assert parameter.default == AXES[parameter.name].default == getattr(STANDARD, parameter.name)
        elif parameter.name != "recall":  # a recall level is never optional
            assert parameter.default == definition.params[parameter.name].default


@pytest.mark.parametrize("name", MEASURES)
def test_each_parameter_is_used_by_the_formula_or_before_it(name: str) -> None:
    definition = MEASURES[name]
    for param in definition.params:
        assert param in definition.accepted or param in {"rel", "judged_only", "dcg", "gains"}
    assert definition.accepted <= {*AXES, *definition.params, "recall"}
    assert set(definition.own_axes) < set(definition.axes) or not definition.own_axes


def test_every_axis_is_used_by_something() -> None:
    used = {axis for definition in MEASURES.values() for axis in definition.own_axes}
    used |= {axis for clustering in CLUSTERINGS.values() for axis in clustering.axes}
    assert {axis.name for axis in AXES.values() if axis.stage == "measure"} == used
    assert {axis.stage for axis in AXES.values()} == {"order", "judge", "measure", "aggregate"}


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_has_a_question_and_each_value_its_own_words(axis: str) -> None:
    described = axis_named(axis)
    assert described.question.endswith("?")
    assert described.question[0].isupper()
    assert described.default in described.values
    assert all(meaning and described.meaning(word) == meaning for word, meaning in described.values.items())
    assert len(described.label) <= 16
    for text_of in (described.meaning, described.phrase, described.clause):
        texts = [text_of(word) for word in (*described.values, *described.also_tried)]
        assert len({*texts}) == len(texts)
        assert not any("{" in text for text in texts)
    for word in (*described.values, *described.also_tried):
        described.check(word)
        assert " " in described.phrase(word)


def test_the_input_that_an_axis_needs_is_of_a_known_kind() -> None:
    assert {axis.needs for axis in AXES.values()} - {""} == {*KINDS}
    for axis in AXES.values():
        axis.check(axis.never_asked or axis.default)
        assert axis.needs or not axis.never_asked
        assert axis.pattern or not axis.also_tried


def test_conventions_are_replaced_and_compared() -> None:
    other = STANDARD.replace(gain="exp", ties="worst")
    assert STANDARD.differences(other) == {"ties": "worst", "gain": "exp"}
    assert other.differences(STANDARD) == {"ties": "docid-desc", "gain": "linear"}
    assert (other.spec(), str(other), str(STANDARD)) == ("gain=exp ties=worst", "gain=exp ties=worst", "standard")
    assert hash(other) == hash(Conventions(gain="exp", ties="worst"))


def test_a_gain_map_is_read_exactly() -> None:
    assert gain_map("map:0.1=-2,3=0.7") == {Fraction(1, 10): -2, Fraction(3): Fraction(7, 10)}
