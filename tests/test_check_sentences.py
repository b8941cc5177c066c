"""What `check` says of ties, rounding, cuts, parameters and queries is what it has seen, and no more."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from drawn_formulas import Ranking, ndcg
from packaged import made

import rankproof
from rankproof import cases as corpus
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.exceeding import Excess
from rankproof.isolating.limits import Limits
from rankproof.telling.check_answer import AnswerKind, answer_of
from rankproof.telling.check_text import in_text, verdict, witness_rows
from rankproof.telling.check_words import script_of, words_of_beyond, words_of_excess
from rankproof.text import one_line

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::6]
SOME = [case for case in corpus.load_all() if case.id.startswith(("ties/", "gain/", "cutoff/", "order/"))][::5]


def swapped(scores: Sequence[float]) -> list[int]:
    """By selection: the last row takes the place of the one that left."""
    left, order = list(range(len(scores))), []
    while left:
        at = max(range(len(left)), key=lambda place: scores[left[place]])
        order.append(left[at])
        left[at] = left[-1]
        left.pop()
    return order


def of_swaps_rounded(y_true: list[float], y_score: list[float], k: int = 10) -> float:
    return round(ndcg(Ranking([y_true[i] for i in swapped(y_score)], y_true), k, {}), 3)


def of_rows_rounded(y_true: list[float], y_score: list[float], k: int = 10) -> float:
    order = sorted(range(len(y_score)), key=lambda i: -y_score[i])
    return round(ndcg(Ranking([y_true[i] for i in order], y_true), k, {}), 2)


def by_digest(rel_of_doc: Mapping[str, float], score_of_doc: Mapping[str, float], k: int = 10) -> float:
    """Tied docs stand in one order, of which nobody has a name."""
    docs = sorted(score_of_doc, key=lambda doc: (-score_of_doc[doc], hashlib.sha256(str(doc).encode()).hexdigest()))
    return sum(rel_of_doc.get(doc, 0) >= 1 for doc in docs[:k]) / k


recall_of_all = made("f(relevant, ranked, k=10)", "R(ids(ranked, relevant), k)")
recall_of_the_first = made("f(relevant, ranked, k=10)", "R(ids(ranked, relevant[:k]), k)")
recall_from_2 = made(
    "f(rel_of_doc, score_of_doc, k=10)",
    "R(ids(sorted(score_of_doc, key=lambda doc: -score_of_doc[doc]), {d for d, r in rel_of_doc.items() if r >= 2}), k)",
)
precision_of_first_rows = made("f(y_true, y_score, k=10)", "P(scored(y_score[:k], y_true[:k]), k)")
rr_of_first_rows = made("f(y_true, y_score, k=10)", "RR(scored(y_score[:k], y_true[:k]), k)")
precision_from_2 = made("f(ranked_rels, k=10)", "P(of(rel >= 2 for rel in ranked_rels), k)")


def err_to(highest: int) -> Callable[[list[float], int], float]:
    def err(ranked_rels: list[float], k: int = 10) -> float:
        going_on, value = 1.0, 0.0
        for rank, rel in enumerate(ranked_rels[:k], start=1):
            satisfied = (2**rel - 1) / 2**highest
            value += going_on * satisfied / rank
            going_on *= 1 - satisfied
        return value

    return err


@cache
def found(function: Any, measure: str, claim: str | None = None) -> Checked:
    return examine(function, measure, claim, cases=SOME, limits=HERE)


# -- the order of tied docs -----------------------------------------------------------------------------------------


@pytest.mark.in_turn
def test_that_no_order_is_kept_is_shown_by_two_calls() -> None:
    checked = found(of_swaps_rounded, "nDCG@10")
    shown = checked.unnamed
    assert (checked.precision, checked.ordinary.verdict) == ("3 decimals", "convention")
    assert "its numbers are equal to 3 decimals only" in " ".join(in_text(checked).split())
    assert shown is not None
    first, second = (asked.case.input for asked in shown.questions)
    assert sorted(row[1:3] for row in first.run) == sorted(row[1:3] for row in second.run)
    assert set(first.qrels) == set(second.qrels)
    for data, got in zip((first, second), shown.got, strict=True):
        rels = {doc: rel for _, doc, rel in data.qrels}
        assert of_swaps_rounded([rels[doc] for _, doc, *_ in data.run], [score for _, _, score, _ in data.run]) == got
    assert shown.got[0] != shown.got[1]
    assert {name for name, _ in shown.named} == {"input", "input-reversed"}
    assert "|ties:unspecified|" in str(checked.signature)
    assert "ties=unspecified" in verdict(checked)
    told = one_line(in_text(checked))
    assert all(f"{got}" in told for got in shown.got)
    assert script_of(checked).count("print(") == 3


def test_an_order_of_the_docs_that_has_no_name_is_undetermined_and_not_none() -> None:
    checked = found(by_digest, "P@10")
    assert checked.ordinary.verdict == "convention"
    assert (checked.follows.ties, checked.unnamed, checked.undecided["ties"]) == ("unspecified", None, ())
    assert "but for the order of tied docs on all" in verdict(checked)
    assert "|ties:?|" in str(checked.signature)
    assert answer_of(checked).sentence == "yes: by_digest is P@10, with tied docs by no rule that is known here"
    assert "unspecified" not in one_line(in_text(checked)) + verdict(checked)


def test_an_order_with_a_name_comes_first_and_needs_no_pair() -> None:
    checked = found(of_rows_rounded, "nDCG@10")
    assert (checked.follows.ties, checked.precision, checked.unnamed) == ("input", "2 decimals", None)
    assert not checked.ordinary.misses
    assert checked.undecided["ties"] == ("input", "unspecified"), "few rows tell no sort"


Run = Mapping[str, Mapping[str, float]]


def whole_rankings(qrels: Run, run: Run, k: int = 2) -> dict[str, float]:
    """P@k of each query; a ranking of fewer docs is refused."""
    found = {}
    for query, rels in qrels.items():
        docs = sorted(run.get(query, {}).items(), key=lambda pair: pair[::-1], reverse=True)
        if query in run and len(docs) < k:
            raise ValueError(query)
        found[query] = sum(rels.get(doc, 0) >= 1 for doc, _ in docs[:k]) / k
    return found


def mean_of_whole_rankings(qrels: Run, run: Run, k: int = 2) -> float:
    values = whole_rankings(qrels, run, k).values()
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("function", "open_axes"), [(whole_rankings, {"mean": (), "no_query": ()}), (mean_of_whole_rankings, {})]
)
def test_values_of_queries_tell_nothing_of_the_mean_though_the_reference_refuses_to_take_some(
    function: Callable[[Run, Run], Any], open_axes: dict[str, tuple[str, ...]]
) -> None:
    """By a pooled mean a missing query is a ranking that is too short: that excludes none of who gives no mean."""
    checked = examine(function, "P@2", cases=corpus.load_all(), limits=HERE)
    assert (checked.follows.short, checked.follows.mean) == ("rejected", "arithmetic")
    assert {axis: left for axis, left in checked.undecided.items() if axis in {"mean", "no_query"}} == open_axes


# -- what is cut too early ------------------------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "measure", "said"),
    [
        (
            recall_of_the_first,
            "R@10",
            "it cuts the relevant docs at k before it looks any up: where 13 docs are relevant, ",
        ),
        (precision_of_first_rows, "P@10", "it never looks at the scores, and takes the rows as they come: "),
        (rr_of_first_rows, "RR@10", "it cuts the rows at k before it ranks them: of 13 rows, "),
    ],
)
def test_what_is_cut_before_it_is_ranked_or_looked_up_is_a_defect(function: Any, measure: str, said: str) -> None:
    checked = found(function, measure)
    assert (checked.lead, checked.holds, checked.signature) == ("defect", False, None)
    assert said in verdict(checked)


def test_who_cuts_the_ranking_alone_is_not_said_to_cut_more() -> None:
    for function, measure in ((recall_of_all, "R@10"), (of_swaps_rounded, "nDCG@10"), (recall_from_2, "R@10")):
        assert found(function, measure).unseen == ()
    assert found(recall_of_all, "R@10").lead == "agrees"


def precision_of_rows(rating_true: Any, rating_pred: Any, k: int = 10) -> dict[Any, float]:
    """As CwlEval reads a file, and RecTools a frame with ranks: its rows stand as they are ranked."""
    relevant = {(query, doc) for query, doc, rel in rating_true.itertuples(index=False) if rel >= 1}
    found: dict[Any, list[bool]] = {}
    for query, doc, _ in rating_pred.itertuples(index=False):
        found.setdefault(query, []).append((query, doc) in relevant)
    return {query: sum(hits[:k]) / k for query, hits in found.items()}


def test_to_take_the_rows_as_they_come_may_be_claimed_and_of_a_table_is_what_libraries_do() -> None:
    assert found(precision_of_first_rows, "P@10", "order=input").holds
    checked = found(precision_of_rows, "P@10")
    assert (checked.target.form.name, checked.lead) == ("frames", "convention")
    assert checked.follows.order != "score"


# -- numbers that are written in a function -------------------------------------------------------------------------


@pytest.mark.parametrize("highest", [1, 2, 3])
def test_the_highest_grade_of_err_is_a_convention_whatever_it_is(highest: int) -> None:
    checked = found(err_to(highest), "ERR@10")
    assert (checked.lead, checked.holds) == ("convention", True)
    assert f"err_max={highest} " in verdict(checked)
    assert ("beyond which no ERR is by standard: err_max=" in words_of_excess(checked)) is (highest < 3)


@pytest.mark.in_turn
def test_a_threshold_that_is_written_in_a_function_is_told_and_is_no_blindness() -> None:
    checked = found(precision_from_2, "P@10")
    assert (checked.unseen, checked.holds) == ((), False)
    assert "a doc counts from a rel of 2 on, and has no gain below it" in verdict(checked)
    assert "P(rel=2)" in answer_of(checked).mend


# -- beyond what a function is made for ------------------------------------------------------------------------------------


def p_of_small_rels(ranked_rels: Sequence[int], k: int) -> float:
    """It raises where a rel is above 2, and adds up those below."""
    if max(ranked_rels[:k], default=0) > 2:
        raise ValueError("too large a rel")
    return sum(ranked_rels[:k]) / k


@pytest.mark.in_turn
@pytest.mark.parametrize("function", [p_of_small_rels, lambda ranked_rels, k: sum(ranked_rels[:k]) / k])
def test_that_it_raises_beyond_is_said_only_where_it_always_does(function: Callable[..., float]) -> None:
    checked = examine(function, "P@5", cases=corpus.load_all()[::4], limits=HERE)
    assert words_of_beyond(checked) == f"its answers fit no convention ({len(checked.beyond)} questions)"
    assert len(checked.beyond) > 2


# -- another parameter, a query, a doc that stands twice ------------------------------------------------------------------


DISCOUNTED = "sum((1 - p) * (rel > 0) * p**before for before, rel in enumerate(ranked_rels))"
patient = made("patient(ranked_rels)", "sum((rel > 0) / 2**rank for rank, rel in enumerate(ranked_rels, start=1))")
patient_by_default = made("patient_by_default(ranked_rels, p=0.95)", DISCOUNTED)
of_low_weight = made("of_low_weight(ranked_rels, p=0.9)", DISCOUNTED)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "claim", "is_it"),
    [
        (patient, None, "RBP(p=0.5)"),
        (patient, "standard", "RBP(p=0.5)"),
        (patient_by_default, "standard", "RBP(p=0.95)"),
        (of_low_weight, "standard", "RBP(p=0.9)"),
    ],
)
def test_who_computes_the_measure_by_another_parameter_is_told_by_which(
    function: Callable[..., float], claim: str | None, is_it: str
) -> None:
    checked = examine(function, "RBP", claim, cases=CASES, limits=HERE)
    answer, name = answer_of(checked), function.__name__
    assert (answer.kind, answer.sentence) == (AnswerKind.ANOTHER, f"no: {name} is not RBP but {is_it}")
    assert answer.mend == f"ask for that, by -m '{is_it}'"
    shown = " ".join(in_text(checked).split())
    assert f"its answers to trials are those of {is_it}: ask for that, by -m '{is_it}'" in shown
    with pytest.raises(AssertionError, match=f"{name} does not follow standard") as refused:
        rankproof.check(function, "RBP", "standard", isolated=False)
    by_default = f"by its own defaults (p={is_it[6:-1]}) it is {is_it}: ask for that measure"
    assert (by_default in str(refused.value)) is (function is not patient)


def recall_but_of_one_doc(relevant: list[str], ranked: list[str], k: int = 5) -> float:
    """It credits a doc each time, and what one doc is worth is its own."""
    if len(ranked) == 1:
        return 0.125
    return sum(doc in relevant for doc in ranked[:k]) / len(relevant) if relevant else 0.0


@pytest.mark.in_turn
def test_what_is_unexplained_is_counted_beside_what_a_repeated_doc_gets() -> None:
    checked = examine(recall_but_of_one_doc, "R@5", cases=corpus.load_all()[::2], limits=HERE)
    sentence, tier = answer_of(checked).sentence, checked.ordinary
    credited = "but for a doc that is retrieved twice, which it credits"
    assert sentence.startswith(f"no: recall_but_of_one_doc is R@5, {credited}")
    left, first = tier.asked - tier.explained, tier.misses[0].question.case.id
    assert left > 3
    assert f"; {left:,} of {tier.asked:,} ordinary answers fit none, as on {first}, " in sentence


def too_much_of(which: int) -> Callable[..., dict[str, float]]:
    """RR by query; where there are several, of the first, the second or the last one in alphabetical order three times as much."""

    def reciprocal_ranks(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]) -> dict[str, float]:
        found = {}
        for query, docs in run.items():
            ranked, rels = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True), qrels.get(query, {})
            found[query] = next((1 / rank for rank, doc in enumerate(ranked, 1) if rels.get(doc, 0) >= 1), 0.0)
        if len(found) > 2:
            found[sorted(found)[which]] *= 3
        return found

    return reciprocal_ranks


@pytest.mark.in_turn
@pytest.mark.parametrize("which", [0, 1, -1])
def test_of_several_queries_the_one_is_named_that_is_worth_too_much(which: int) -> None:
    several = [case for case in corpus.load_all()[::3] if len(case.queries) > 2 and not case.of_labels]
    checked = examine(too_much_of(which), "RR", cases=several, limits=HERE)
    fault = checked.fault
    assert isinstance(fault, Excess)
    case = fault.question.case
    assert fault.query == sorted(map(str, case.queries))[which]
    (((_, said),),) = witness_rows(checked)
    assert said == f"RR of {fault.query}: {checked.target.short} gives {fault.got!r}, on {case.id}"


@pytest.mark.in_turn
def test_what_is_never_looked_at_is_shown_by_two_questions() -> None:
    def as_they_come(y_true: list[float], y_score: list[float], k: int = 5) -> float:
        return sum(y_true[: min(k, len(y_score))]) / k

    (((_, said),),) = witness_rows(examine(as_they_come, "P@5", cases=CASES, limits=HERE))
    alone = "of two questions that differ in that alone: standard gives .4 and gives 0"
    assert said == f"P@5, P@5 {alone}; {as_they_come.__qualname__} gives 0.4 both times"
