"""The first line of `check` answers what was asked: is it that measure? Of functions as strangers bring them, in a reader's words."""

import math
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof.calling.call_forms import FORMS, QRELS_RUN
from rankproof.cases import Case
from rankproof.checking import inferring
from rankproof.checking.case_questions import traits
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.findings import cheap_score, denied_score
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import AnswerKind, answer_of
from rankproof.telling.check_json import for_programs
from rankproof.telling.check_text import in_text
from rankproof.telling.check_words import assertion_of, summary

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import asked_by_strangers as theirs

IS, BUT_FOR, ANOTHER, DEFECT, UNKNOWN, UNTOLD = AnswerKind
ASKED = [
    ("ideal_of_the_retrieved", "nDCG@10", BUT_FOR, "a run that finds one of two relevant docs gets 1, and not .6131"),
    (
        "ideal_of_the_retrieved_and_repeats",
        "nDCG@10",
        BUT_FOR,
        "gets 1, and not .4693; and for a doc that is retrieved twice, which it credits each time: it gives ",
    ),
    ("ideal_without_a_cutoff", "nDCG@10", BUT_FOR, "a run of 12 docs, all of them relevant, gets .8922, and not 1"),
    (
        "of_a_flattened_batch",
        "nDCG@10",
        BUT_FOR,
        "as rows of a matrix, it ranks all their docs as one and gives .6241; ",
    ),
    ("constant", "nDCG@10", DEFECT, "no: it looks at nothing: "),
    (
        "credits_repeats",
        "nDCG@10",
        BUT_FOR,
        "is nDCG@10, but for a doc that is retrieved twice, which it credits each time: it gives ",
    ),
    ("of_a_set", "nDCG@10", DEFECT, "no: it hangs on what each process has of its own, as the order of a set of texts"),
    ("sorts_its_argument", "nDCG@10", DEFECT, "no: it changes what it is given"),
    (
        "Metric",
        "nDCG@10",
        IS,
        "yes, where all relevant docs are retrieved: Metric is nDCG@10, with ties in input order; undetermined: its",
    ),
    (
        "NeverReset",
        "nDCG@10",
        DEFECT,
        "no: it carries over what it has seen: the same object, asked again after its reset(), ",
    ),
    (
        "ap_of_flags",
        "AP",
        IS,
        "yes, without rels above 1: ap_of_flags is AP; with rels above 1 its answers fit no convention (",
    ),
    (
        "precision_of_what_was_retrieved",
        "P@10",
        BUT_FOR,
        "over min(k, n): a run of one relevant doc alone gets 1, and not .1",
    ),
    (
        "recall_exchanged",
        "R@10",
        ANOTHER,
        "it is P (over min(k, n)); that is recall with relevant and retrieved exchanged",
    ),
    (
        "rr_of_all_hits",
        "RR",
        BUT_FOR,
        "the mean over all hits, which only LlamaIndex's use_granular_mrr and FuxiCTR's MRR do",
    ),
    (
        "rr_of_summed_ranks",
        "RR",
        BUT_FOR,
        "only LlamaIndex's use_granular_mrr, FuxiCTR's MRR, mrr_score of recommenders and of spotlight",
    ),
    ("auc_of_all", "AUC", DEFECT, "no: all queries are ranked as one, and no mean over queries is made"),
    ("auc_of_grouped_rows", "AUC", DEFECT, "no: all queries are ranked as one, and no mean over queries is made"),
    ("rr_of_a_rank_too_low", "RR", DEFECT, "no: ranks are counted from 2"),
    ("rr_of_a_position", "RR", IS, "yes: rr_of_a_position is RR"),
    ("rr_of_a_position_from_one", "RR", IS, "yes: rr_of_a_position_from_one is RR"),
    ("ap_of_turned_pairs", "AP", IS, "yes: ap_of_turned_pairs is AP"),
    (
        "ndcg_of_no_more_than_k",
        "nDCG@5",
        IS,
        "yes, where all relevant docs are retrieved: ndcg_of_no_more_than_k is nDCG@5; undetermined:",
    ),
    (
        "recall_of_similarities",
        "R@5",
        IS,
        "one relevant doc: recall_of_similarities is R@5, with ties in the best order; undetermined: ",
    ),
    ("mrr_of_similarities", "RR", IS, "is RR, with ties at the last rank of their group or ties in the worst order"),
    ("mrr_of_similarities_from_zero", "RR", DEFECT, "no: ranks are counted from 0"),
    (
        "ndcg_of_counted_rows",
        "nDCG@5",
        IS,
        "is nDCG@5, with gain 2^rel - 1, ties in input order; undetermined: its ideal ",
    ),
    ("hit_rate_of_targets", "Success@5", IS, "yes: hit_rate_of_targets is Success@5, with ties in the best order"),
    (
        "ndcg_of_cubes",
        "nDCG@5",
        BUT_FOR,
        "no: without rels above 1: ndcg_of_cubes is nDCG@5, with ties in input order; with ",
    ),
    (
        "rr_with_ties_at_random",
        "RR@5",
        DEFECT,
        "no: docs with the same score stand in another order each time: asked again, it gives ",
    ),
    ("recall_by_cutoff", "R@5", IS, "yes: recall_by_cutoff is R@5"),
    ("recall_by_query", "R@5", IS, "yes: recall_by_query is R@5"),
    (
        "recall_of_predicted_flags",
        "R@5",
        IS,
        "yes, without rels above 1: recall_of_predicted_flags is R@5, with query without ",
    ),
    (
        "mrr_of_places",
        "RR@5",
        IS,
        "yes, where its relevant doc is retrieved: mrr_of_places is RR@5; undetermined: what it gives ",
    ),
    ("share_of_low_labels", "RR@5", UNTOLD, "it cannot be told whether share_of_low_labels is RR@5: called as f("),
    (
        "finds_nothing",
        "P@5",
        UNTOLD,
        "whether finds_nothing is P@5: called as f(y_true, y_score, k), it looks at nothing: ",
    ),
    (
        "recall_of_distinct_items",
        "R",
        IS,
        "yes: recall_of_distinct_items is R, with query without relevant docs refused",
    ),
    ("ap_at_places", "AP@5", BUT_FOR, "a run that finds one of two relevant docs gets 1, and not .5"),
    ("hits_of_judged", "P@5", IS, "yes: hits_of_judged is P@5, with unjudged docs refused within the cutoff"),
    ("counts_rankings", "R", DEFECT, "no: it looks at nothing: it gives 1 to each of "),
    (
        "recall_of_the_retrieved",
        "R",
        IS,
        "yes, where all relevant docs are retrieved: recall_of_the_retrieved is R, with query ",
    ),
    (
        "lengths_of_hits",
        "RR",
        UNTOLD,
        "called as f([relevant_doc], [ranked], k), it never looks at the order of the docs: ",
    ),
    ("hits_of_one_more", "P@5", DEFECT, "no: one doc more than the cutoff is looked at"),
    ("rr_or_an_error", "RR@5", UNKNOWN, "but raises ValueError: True is not in list instead of "),
]

DENOMINATOR = AXES["p_denominator"]
MENDS = {
    "recall_exchanged": "exchange the two arguments",
    "precision_of_what_was_retrieved": f"{DENOMINATOR.question} {DENOMINATOR.meaning('k')}",
    "constant": "look at which docs are relevant",
    "hits_of_one_more": "look at k docs, not at one more: cut by [:k]",
    "credits_repeats": "credit a doc once, at its first rank; or where none is retrieved twice, say so by --assume distinct",
    "rr_or_an_error": "give a number instead of ValueError: True is not in list",
    "finds_nothing": "say how it is called, by --form, or wrap it",
    "ndcg_of_cubes": "tell rels apart; or where every rel is 0 or 1, say so by --assume binary",
}
"""What to change, as it is told of some."""
HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""


@cache
def few() -> list[Case]:
    """A seventh of the ordinary cases, half of those of several queries, and some of those in which a doc is retrieved twice."""
    every = corpus.load_all()
    usual = [case for case in every if not any(trait.is_extreme for trait in traits(QRELS_RUN, case.input))]
    twice = [case for case in every if "run-both" in case.id or "retrieved-twice" in case.id]
    of_queries = [case for case in usual if len(case.queries) > 1]
    return list({case.id: case for case in (*usual[::7], *of_queries[::2], *twice)}.values())


@cache
def found(name: str) -> Checked:
    measure = next(measure for own, measure, _, _ in ASKED if own == name)
    limits = Limits() if name == "of_a_set" else HERE  # it is told by other processes
    return examine(getattr(theirs, name), measure, cases=few(), limits=limits)


def test_every_function_of_theirs_is_asked() -> None:
    helpers = {"dcg", "by", "flags", "precisions", "auc", "precision_of_single_ties_by_turns"}
    own = {name for name, thing in vars(theirs).items() if getattr(thing, "__module__", "") == theirs.__name__}
    assert own - helpers == {name for name, *_ in ASKED}


@pytest.mark.in_parts(11, by="name")
@pytest.mark.parametrize(("name", "kind", "said"), [(name, kind, said) for name, _, kind, said in ASKED])
def test_the_first_line_answers_what_was_asked_and_what_to_change_stands_beside_it(
    name: str, kind: AnswerKind, said: str
) -> None:
    checked = found(name)
    told = answer_of(checked)
    assert told.kind == kind, told.sentence
    assert said in told.sentence
    assert checked.holds == (kind == IS)
    assert bool(told.mend) == (kind != IS)
    assert told.mend == MENDS.get(name, told.mend)
    first = in_text(checked).partition("\nwitness")[0].partition("\nasked")[0]
    assert " ".join(first.split()).startswith(f"answer {told.sentence}")
    of_programs = for_programs(checked)
    assert set(of_programs["ordinary"]["unexplained"]) == {one.question.case.id for one in checked.ordinary.misses}
    line, shown = assertion_of(checked), checked.witness
    assert of_programs["answer"]["mend"] == (told.mend or None)
    assert of_programs["answer"]["assertion"] == ((kind != IS and line) or None)
    assert not line or line.startswith("assert ")
    assert not line or (shown is not None and line.endswith(f" == pytest.approx({shown.expected!r})"))


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["rr_of_summed_ranks", "ndcg_of_cubes", "rr_or_an_error"])
def test_where_answers_are_unexplained_what_proves_a_profile_leads_to_no_other_one(name: str) -> None:
    checked = found(name)
    asked = [one for one in (*checked.usual, *checked.beyond) if one.question.telling]
    explained = inferring.inferred(checked.target, asked, checked.precision)
    assert explained is not None
    assert explained.group.cost == len(explained.missed) > 0
    assert (explained.profile, explained.missed) == (explained.fingerprint.profile, explained.fingerprint.missed)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("claim", "said", "mend"),
    [
        (None, "without rels above 1: ndcg_of_cubes is nDCG@5, with ties in input order", ""),
        ("ties=input", "without rels above 1: ndcg_of_cubes is nDCG@5 by ties=input", ""),
        (
            "standard",
            "ndcg_of_cubes is not nDCG@5 by standard: it follows ties=input",
            "follow standard, or declare ties=input; ",
        ),
    ],
)
def test_who_keeps_what_is_claimed_of_flags_alone_is_told_that_of_other_rels_it_does_not(
    claim: str | None, said: str, mend: str
) -> None:
    checked = examine(theirs.ndcg_of_cubes, "nDCG@5", claim, cases=few(), limits=HERE)
    answer = answer_of(checked)
    assert not checked.holds
    assert answer.kind == BUT_FOR
    assert answer.sentence.startswith(f"no: {said}; with rels above 1 its ")
    assert answer.mend == f"{mend}tell rels apart; or where every rel is 0 or 1, say so by --assume binary"


def test_what_no_convention_says_has_no_signature_and_is_told_why() -> None:
    told = " ".join(in_text(found("hits_of_judged")).split())
    assert "below the cutoff it refuses no doc without a judgment there" in told
    assert "signature none: no convention refuses docs without a judgment within the cutoff alone" in told
    assert for_programs(found("hits_of_judged"))["signature"] is None


def test_docs_that_are_tied_as_float32_only_are_tied_to_what_draws_their_order() -> None:
    some = [case for case in corpus.load_all() if case.id.startswith(("scores/", "cutoff/", "gain/"))]
    wavers = examine(theirs.precision_of_single_ties_by_turns, "P@5", cases=some, limits=HERE)
    untied = [one for one in wavers.seen if one.again is not None and not one.question.case.input.has_ties]
    assert len(untied) >= 5
    assert answer_of(wavers).sentence.startswith("no: docs with the same score stand in another order each time: ")


@pytest.mark.in_turn
def test_how_much_fits_nothing_is_told_and_that_numbers_of_no_ranking_have_no_signature() -> None:
    checked = found("rr_or_an_error")
    missed = list(dict.fromkeys(one.question.case.id for one in checked.ordinary.misses))
    left = f"{checked.ordinary.asked - checked.ordinary.explained} of {checked.ordinary.asked} ordinary answers"
    told = f"instead of {left}, as on {', '.join(missed[:3])} and {len(missed) - 3} more"
    assert answer_of(checked).sentence.endswith(told)
    assert " none: its numbers are of no ranking # to see it" in " ".join(in_text(found("constant")).split())


def test_programs_are_told_each_case_once_by_its_name_and_an_error_as_one() -> None:
    checked = found("rr_or_an_error")
    told = for_programs(checked)
    for key, these in (("differs", checked.ordinary.differences), ("unexplained", checked.ordinary.misses)):
        assert told["ordinary"][key] == sorted({one.question.case.id for one in these})
    assert (told["witness"]["got"], told["witness"]["error"]) == (None, "ValueError: True is not in list")
    told = for_programs(found("recall_by_cutoff"))
    assert (told["answer"]["mend"], told["answer"]["assertion"]) == (None, None)
    told = for_programs(found("constant"))
    assert (told["defect"]["names"], told["ordinary"]["verdict"], told["not_asked"]) == ([], "defect", 0)
    cubes = found("ndcg_of_cubes")
    assert (for_programs(cubes)["assumed"], cubes.finding, cubes.holds_strictly) == (["binary"], None, False)


def of_gains(own: list[int], best: list[int], discount: Callable[[int], float]) -> float:
    """NDCG with the gain of many, by a discount of the rank."""

    def dcg(rels: list[int]) -> float:
        return sum((2**rel - 1) / discount(rank) for rank, rel in enumerate(rels, start=1))

    return dcg(own) / dcg(best) if dcg(best) else 0.0


def by_two_choices(relevance: dict[str, int], ranked: list[str], k: int = 10) -> float:
    """NDCG with the gain of many and the discount of few, which nobody known has together."""
    rels, best = [relevance.get(doc, 0) for doc in dict.fromkeys(ranked)], sorted(relevance.values(), reverse=True)
    return of_gains(rels[:k], best[:k], lambda rank: math.log2(max(rank, 2)))


def test_of_choices_that_are_odd_together_each_is_told_and_what_to_do_about_each() -> None:
    told = answer_of(examine(by_two_choices, "nDCG@10", cases=few(), limits=HERE))
    both = "log2(max(i, 2)), gain 2^rel - 1, each of which somebody does, and nobody known all of them"
    assert told.sentence == f"no: by_two_choices would be nDCG@10 but for this: {both}"
    mends = (f"{AXES[axis].question} {AXES[axis].meaning(AXES[axis].default)}" for axis in ("gain", "discount"))
    assert told.mend == "; ".join(mends)


@pytest.mark.parametrize(
    ("measure", "right"),
    [("nDCG@2", 1 / (1 + 1 / math.log2(3))), ("AP@3", 1 / 2), ("nDCG@5", 1 / (1 + 1 / math.log2(3)))],
)
def test_who_is_told_of_retrieved_docs_sees_a_relevant_doc_right_below_the_cutoff(measure: str, right: float) -> None:
    """By what is retrieved within the cutoff alone, a perfect score is cheap; what is claimed knows of the doc below it."""
    asked, told = parse(measure), STANDARD.replace(known="retrieved")
    odd = cheap_score(asked, FORMS["rows"], told.replace(ideal="retrieved", ap_denominator="hits"), told)
    assert odd is not None
    assert odd.run == f"that ranks one of two relevant docs below {asked.k}"
    assert (odd.got, odd.right) == (1.0, pytest.approx(right))
    places = [place for place, row in enumerate(odd.data.run, start=1) if ("q", row[1], 1) in odd.data.qrels]
    assert places == [1, (asked.k or 0) + 1]


def test_what_makes_a_score_cheap_is_shown_before_a_doc_that_is_credited_twice() -> None:
    """Of what is told first there is the first witness, the call to paste and the line for a test."""
    checked = found("ideal_of_the_retrieved_and_repeats")
    shown, witness = " ".join(in_text(checked).split()), "witness nDCG@"
    first = shown.index(f"{witness}10 of a run of one relevant doc alone: ")
    assert 0 < first == shown.index(witness) < shown.rindex(witness)
    assert "its nDCG@10 is 1 where standard gives .4693; besides, its nDCG@" in summary(checked)
    # Three docs are relevant and the first is retrieved: 1 of 1 + 1/log2(3) + 1/2.
    assert float(assertion_of(checked).rpartition("(")[2][:-1]) == pytest.approx(1 / (1 + 1 / math.log2(3) + 0.5))


def of_the_best_retrieved(relevance: dict[str, int], ranked: list[str], k: int = 10) -> float:
    """Two things are odd: its gain, as many have it, and its ideal ranking, by which a perfect score is cheap."""
    rels = [relevance.get(doc, 0) for doc in ranked[:k]]
    return of_gains(rels, sorted(rels, reverse=True), lambda rank: math.log2(rank + 1))


def test_what_makes_a_score_cheap_is_the_first_of_what_is_odd() -> None:
    checked = examine(of_the_best_retrieved, "nDCG@10", cases=few(), limits=HERE)
    assert [axis for axis, _ in checked.odd_choices] == ["ideal", "gain"]
    assert answer_of(checked).sentence.index("gets 1, and not ") < answer_of(checked).sentence.index("2^rel - 1")


def test_what_is_not_as_claimed_is_shown_before_a_doc_that_is_credited_twice() -> None:
    checked = examine(theirs.ideal_of_the_retrieved_and_repeats, "nDCG@10", "standard", cases=few(), limits=HERE)
    assert not checked.holds
    assert checked.witness is not None
    docs = [row[:2] for row in checked.witness.question.case.input.run]
    assert len(set(docs)) == len(docs)
    assert summary(checked).index(" where standard ") < summary(checked).index("; besides, its nDCG@")


def of_no_convention(relevant: list[str], ranked: list[str], k: int) -> float:
    """Recall to the power of 3/2, but for two relevant docs; a doc that is retrieved twice is credited twice."""
    hits = sum(doc in relevant for doc in ranked[:k])
    return hits / 2 if len(relevant) == 2 else (hits / max(1, len(relevant))) ** 1.5


@pytest.mark.in_turn
def test_what_follows_no_convention_is_not_said_to_follow_some_but_for_a_doc_that_is_retrieved_twice() -> None:
    checked = examine(of_no_convention, "R@5", cases=corpus.load_all()[::3], limits=HERE)
    assert checked.excess is not None
    assert checked.excess.repeats
    answer, beyond = answer_of(checked), r"no: its R@5 is \d\.\d+, above 1, beyond which no R is"
    assert answer.kind is DEFECT
    assert re.match(f"{beyond}, where a doc is retrieved twice and credited each time$", answer.sentence)


OVER_FEWER = STANDARD.replace(r_denominator="min-k-R")


@pytest.mark.parametrize("k", [1, 10, 50])
def test_who_divides_by_all_that_is_relevant_is_denied_1_where_no_more_than_the_cutoff_can_be_found(k: int) -> None:
    """Of two docs more than the cutoff, all of them relevant, k are within it."""
    odd = denied_score(parse(f"R@{k}"), FORMS["ids"], STANDARD, OVER_FEWER)
    assert odd is not None
    assert (odd.right, odd.got) == (1, pytest.approx(k / (k + 2)))
    assert f"a run of {k + 2} docs, all of them relevant, gets " in odd.sentence
