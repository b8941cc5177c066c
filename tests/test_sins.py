"""Small functions named by their sin: each is caught, by a sentence that is true of it; and what is honest is not."""

import sys
from functools import cache
from pathlib import Path

import pytest
from signed import assert_computes

import rankproof
from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.conventions import STANDARD
from rankproof.telling.check_text import in_text, verdict
from rankproof.telling.check_words import summary
from rankproof.text import one_line

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import sins

TOPICS = {
    "cutoff": 8,
    "gain": 6,
    "denominators": 6,
    "ties": 15,
    "scores": 4,
    "ideal": 6,
    "queries": 4,
    "duplicates": 9,
}

HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""


@cache
def few() -> tuple[Case, ...]:
    return tuple(
        case
        for topic, most in TOPICS.items()
        for case in [one for one in corpus.load_all() if one.id.startswith(f"{topic}/") and "2-to-the" not in one.id][
            :most
        ]
    )


@cache
def found(name: str, measure: str, assume: str = "", form: str | None = None) -> Checked:
    return examine(getattr(sins, name), measure, cases=few(), assume=assume, form=form, limits=HERE)


# -- what is not looked at ------------------------------------------------------------------------------------------


@pytest.mark.in_parts(3)
@pytest.mark.parametrize(
    ("name", "measure", "said"),
    [
        (
            "always_one",
            "nDCG@10",
            "it looks at nothing: of 13 docs, it gives 1 whether those at ranks 1 and 3 are relevant or ",
        ),
        ("always_half", "nDCG@10", "it looks at nothing: of 13 docs, it gives .5 whether "),
        ("never_looks_at_rels", "P@10", "it never looks at which docs are relevant: of 13 docs, it gives "),
        ("never_looks_at_k", "P@10", "it never looks at k: it gives .2 at 10 as at 2"),
        ("never_looks_at_the_order", "R@10", "it never looks at the order of the docs: it gives "),
    ],
)
def test_what_is_never_looked_at_is_said_before_any_convention(name: str, measure: str, said: str) -> None:
    checked = found(name, measure, form="ids" if name == "never_looks_at_the_order" else None)
    assert (checked.verdict, checked.lead, checked.holds, checked.signature) == ("defect", "defect", False, None)
    called = f"called as {checked.target.form.name} (see --form if that is not how it is called), "
    assert verdict(checked).removeprefix("defect: ").removeprefix(called).startswith(said)
    assert said in summary(checked)
    assert bool(checked.target.notes) == (called in verdict(checked))


# -- more than a measure can be -------------------------------------------------------------------------------------


@pytest.mark.in_parts(2)
@pytest.mark.parametrize(("name", "measure"), [("recall_counts_twice", "R@10"), ("ndcg_counts_twice", "nDCG@10")])
def test_a_value_above_the_bound_is_a_defect_with_its_witness(name: str, measure: str) -> None:
    checked = found(name, measure)
    assert (checked.verdict, checked.holds, checked.holds_strictly) == ("defect", False, False)
    assert ", where a doc is retrieved twice and credited each time; but for that, " in verdict(checked)
    shown = checked.witness
    assert shown is not None
    assert isinstance(shown.got, float)
    assert shown.got > 1
    assert len({row[:2] for row in shown.question.case.input.run}) < len(shown.question.case.input.run)
    assert "above 1, beyond which no " in summary(checked)
    assert found(name, measure, "distinct").holds


def test_who_credits_a_doc_once_has_no_such_defect() -> None:
    assert (found("recall_counts_once", "R@10").lead, found("recall_counts_once", "R@10").holds) == ("agrees", True)


# -- what a form does not tell --------------------------------------------------------------------------------------


# -- ties -----------------------------------------------------------------------------------------------------------


def test_an_order_that_explains_all_comes_before_none() -> None:
    checked = found("ndcg_of_tied_means", "nDCG@10")
    assert (checked.follows.ties, "ties" in checked.undecided) == ("expectation", False)
    assert "ties=expectation" in verdict(checked)
    assert "|ties:expectation|" in str(checked.signature)
    assert STANDARD.differences(checked.ordinary.follows).keys() <= {"ties", "missing", "extra"}


# -- sentences ------------------------------------------------------------------------------------------------------


@pytest.mark.in_parts(3)
@pytest.mark.parametrize(
    ("name", "measure", "said"),
    [
        ("ap_over_k", "AP@10", "the precisions are divided by k: "),
        ("recall_of_k_minus_1", "R@10", "the doc at rank k is never looked at: "),
        ("dcg_by_ln_called_ndcg", "nDCG@10", "it is DCG, with discount=ln ties=input: "),
    ],
)
def test_the_sentence_of_a_defect_is_true_and_has_all_conventions(name: str, measure: str, said: str) -> None:
    checked = found(name, measure)
    assert verdict(checked).startswith(f"defect: {said}")
    assert checked.defect is not None
    shown, told = checked.witness, checked.shown_by_defect
    assert shown is not None
    assert told is not None
    assert (shown.question.case.id, shown.got, shown.expected) == (told.told.case, told.got, told.right)
    text = one_line(in_text(checked))
    assert "nearest profile" not in text
    assert (
        f"{shown.question.measure}: {name} gives {shown.got!r}; without the defect it would give {shown.expected!r}"
        in text
    )


SIGNED = [("ap_over_hits_of_flags", "AP"), ("recall_counts_once", "R@10"), ("ndcg_of_tied_means", "nDCG@10")]


@pytest.mark.parametrize(("name", "measure"), SIGNED)
def test_every_signature_parses_and_computes(name: str, measure: str) -> None:
    signature = found(name, measure).signature
    assert signature is not None
    assert_computes(str(signature), signature)
    assert str(signature) in "".join(in_text(found(name, measure)).split()), "as it is printed, but for where lines end"
    result = rankproof.evaluate([], {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}, signature=str(signature))
    assert 0 < result.mean[measure] <= 1
    assert dict(signature.open) == found(name, measure).undecided
    for axis in signature.open:
        assert f"{axis}={getattr(found(name, measure).follows, axis)} " not in verdict(found(name, measure))


def test_who_credits_all_that_was_retrieved_does_look_at_what_is_relevant() -> None:
    """To it, no rank matters; that a relevant doc was missed does."""
    checked = found("recall_of_all", "R@10")
    assert "relevance" not in [one.about for one in checked.unseen]
    assert (checked.lead, "looks at nothing" in verdict(checked)) == ("defect", False)
