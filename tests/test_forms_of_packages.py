"""Forms of metric functions as packages of the registry have them, each by functions that are unlike, and what is wrong of such a form."""

import contextlib
import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import packaged
import packaged_table
import pytest
from cases_of_formulas import few
from direct_calls import best_of_calls
from packaged import Packaged, made
from packaged_table import BY_SCORE, OF_DICTS

from rankproof import cases as corpus
from rankproof.calling import called_things
from rankproof.calling.arguments import arguments_of, contained
from rankproof.calling.call_candidates import Source, load
from rankproof.calling.call_forms import FORMS, IDS, is_asked, repro
from rankproof.calling.finding import find
from rankproof.calling.parameters import parameters_of, words_in
from rankproof.calling.records import LIST, fields_in_place, written_together
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking import examining
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.known_habits import unfollowed
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.judging.verdicts import Verdict
from rankproof.meaning.measure_names import Several, measure_of_function
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_text import in_text
from rankproof.telling.check_words import script_of

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""
GIVEN = Input(
    qrels=(("q1", "a", 2), ("q1", "b", 0), ("q1", "u", 3), ("q2", "c", 1)),
    run=(("q1", "b", 0.5, 1), ("q1", "x", 0.25, 2), ("q1", "a", 0.75, 3), ("q2", "c", 0.5, 1)),
)
OF_IDS, OF_ROWS = "(relevant, ranked, k)", "(y_true, y_score, k)"


@cache
def examined(function: Any, measure: str, **more: Any) -> Checked:
    return examine(function, measure, cases=CASES, limits=HERE, **more)


def answered(function: Any, measure: str, **more: str) -> str:
    return answer_of(examined(function, measure, **more)).sentence


def ways_to_call(function: Any, measure: str) -> Sequence[Target]:
    return load(Source("mine:f", parse(measure), None, function)).candidates.targets


def target_of(function: Any, measure: str) -> Target:
    return recognised(Session(Source("mine:f", parse(measure), None, function), HERE))


# -- the table of forms -------------------------------------------------------------------------------------------------


def told_of(one: Packaged, checked: Checked) -> dict[str, Any]:
    """What is told of its target and what was found, of what a row says."""
    target = checked.target
    named = {"form": target.form.name, "with": target.given, "excess": checked.excess}
    named |= {"ties": checked.profile and checked.profile.ties, "norel": checked.remaining.get("norel")}
    return {name: named[name] if name in named else getattr(target, name) for name in one.told}


def is_as_told(one: Packaged) -> Checked:
    """What is found of a function, which is what its row says: how it is called, and that all its answers are explained."""
    checked = examine(one.function, one.measure, cases=CASES, limits=HERE, given=one.given)
    assert answer_of(checked).sentence.startswith(one.begins)
    if one.begins.startswith("yes"):
        assert (checked.lead in {Verdict.AGREES, Verdict.CONVENTION}, checked.ordinary.misses) == (True, [])
    target = checked.target
    assert told_of(one, checked) == one.told
    assert [text for text in one.writes if text not in script_of(checked)] == []
    assert ("called with no rels of training" in " ".join(target.notes)) == (target.form.name == "rows-unseen")
    assert ("called with tables of one column, which has a doc in each row" in target.notes) == (
        target.batch == "column"
    )
    return checked


FOUND_LATER = {"with", "excess", "ties", "norel", "reads", "docs"}
"""What is told of a function only when it was asked."""
GIVE_MORE = {
    "ap_of_matrix",
    "ap_of_one",
    "curve_of",
    "dcg_of_one",
    "f1_in_a_dict",
    "gain_of_approxes",
    "hit_of_tests",
    "map_of_weighted",
    "ndcg_of_approxes",
    "ndcg_of_groups",
    "ndcg_of_prediction",
    "precisions_and_recalls",
    "printed_RR",
    "r_precision_in_a_dict",
    "ranks_in_a_dict",
    "reported_0",
    "reported_1",
    "reported_2",
    "rr_of_approxes",
    "rr_of_one",
    "rr_of_pair",
    "rr_of_pointers",
    "rr_of_prediction",
}
"""Functions whose result holds more than the number: which part of it that is, is found only when they are asked."""


def function_named(name: str) -> Any:
    return next(one.function for one in packaged_table.TABLE if str(one) == name)


def as_a_row_says(one: Packaged) -> list[Target]:
    """The ways to call a function that could be the one that is told of it."""
    measure, _ = measure_of_function(one.measure)
    told = {name: value for name, value in one.told.items() if name not in FOUND_LATER}
    told |= {"form": FORMS[told["form"]]} if "form" in told else {}
    found = load(Source("mine:f", measure, None, one.function, one.given)).candidates.targets
    return [way for way in found if all(getattr(way, name) == value for name, value in told.items())]


@pytest.mark.in_turn
def test_all_that_is_right_is_right_by_one_of_the_ways_that_its_names_say() -> None:
    """Each row in each run: to ask it all takes long, and is done of some."""
    for one in packaged_table.TABLE:
        ways = as_a_row_says(one)
        assert ways, one
        if one.begins.startswith("yes") and "by its own defaults" not in one.begins:
            measure, _ = measure_of_function(one.measure)
            best = best_of_calls(one.function, measure, ways)
            assert best == ("no number" if str(one) in GIVE_MORE else "right"), one


@pytest.mark.in_parts(11)
@pytest.mark.parametrize("one", [one for one in packaged_table.TABLE if not one.always], ids=str)
def test_each_is_called_as_its_names_say_and_all_its_answers_are_explained(one: Packaged) -> None:
    is_as_told(one)


@pytest.mark.in_turn
@pytest.mark.parametrize("one", [one for one in packaged_table.TABLE if one.always], ids=str)
def test_docs_rows_records_and_columns_are_what_is_read_of_them(one: Packaged) -> None:
    """What is asked of flags is asked of these alone; the lines to type give a number."""
    checked = is_as_told(one)
    rels = {rel for each in checked.seen for *_, rel in each.question.case.input.qrels if rel > 0}
    assert rels == {1} or not checked.target.of_flags
    shown: dict[str, Any] = {"print": lambda value: shown.update(said=value), str(one): one.function}
    exec(script_of(checked).replace(f"from {one.function.__module__} import {one}", ""), shown)  # noqa: S102 - the lines to type
    assert math.isfinite(shown["said"])


def test_who_asks_for_no_rels_is_given_no_dataset() -> None:
    """Frames that are grouped have a `get_group`, too."""
    both = "get_group() and data.get_label"
    forms = {"get_group": set(), "get_label": {"dataset-of-one"}, both: {"dataset", "dataset-of-one"}}
    for asked, expected in forms.items():
        tried = ways_to_call(made("f(preds, data)", f"AP(scored(preds, data.{asked}()))"), "AP")
        assert {target.form.name for target in tried if target.form.name.startswith("dataset")} == expected


def test_ids_in_one_text_have_no_spaces_and_are_tried_where_texts_are_split() -> None:
    target = Target("m:f", IDS, container="texts")
    for doc, is_it in (("b", True), ("b c", False), ("", False), ("b\u00a0c", False)):
        run, qrels = (("q", "a", 2.0, 1), ("q", doc, 1.0, 2)), (("q", "a", 1), ("q", "z", 1))
        assert is_asked(target, Input(qrels, run), None) is is_it
        assert is_asked(target, Input((*qrels, ("q", doc, 1)), run[:1]), None) is is_it


def test_how_an_object_is_updated_by_tables_is_shown_with_their_brackets() -> None:
    of_first, of_ids = (packaged.TableOfFirst, "RR"), (packaged.TableOfIds, "R@3")
    for of, arguments in ((of_first, "([y_true], [y_score]"), (of_ids, "([ranked], [relevant]")):
        assert arguments in " ".join(in_text(examined(*of)).split())


OF_A_SET = (
    "of_a_set(retrieved: set[str], relevant: set[str], k: int = 5)",
    "any(doc in relevant for doc in [*retrieved][:k])",
)
FROZEN = (
    "frozen(gold: frozenset, predicted: frozenset)",
    "max((1 / rank for rank, doc in enumerate(predicted, start=1) if doc in gold), default=0.0)",
)
"""They go through a set in the order that it happens to have."""
NO_WAY = "cannot be called by the number of its arguments, or by what their annotations"


@pytest.mark.parametrize(
    ("call", "measured", "measure", "said"),
    [
        (*OF_A_SET, "Success@5", NO_WAY),
        (*OF_A_SET, "P@5", NO_WAY),
        (*FROZEN, "RR", NO_WAY),
        (*FROZEN, "AP", NO_WAY),
        (*FROZEN, "Success", NO_WAY),
        (
            "of_others(results: list[dict[str, Any]])",
            "math.fsum(row['left'] / row['right'] for row in results)",
            "RR",
            "of_others",
        ),
        (
            "of_ranks(df: pd.DataFrame)",
            "(1 / df[df.label >= 1].groupby('user_id')['rank_of_row'].min()).mean()",
            "RR",
            "of_ranks",
        ),
        (
            f"report({OF_DICTS})",
            f"{{'summary': {{'mrr_at_k': {BY_SCORE}}}, 'worst': {{'mrr': 0.0}}}}",
            "RR@10",
            "let it give one measure",
        ),
    ],
)
def test_no_order_no_key_and_no_column_is_made_up_and_of_two_parts_none_is_chosen(
    call: str, measured: str, measure: str, said: str
) -> None:
    with pytest.raises(BadFunction, match=said):
        examined(made(call, measured), measure)


@pytest.mark.parametrize(("behind", "ties"), [("at", "input"), ("-at", "input-reversed")])
def test_the_order_of_tied_similarities_is_that_of_their_places_and_of_no_ids(behind: str, ties: str) -> None:
    top = f"sorted(range(len(row)), key=lambda at: (-row[at], {behind}))[:k]"
    hits = f"np.mean([own in {top} for own, row in enumerate(similarities)])"
    checked = examine(made("f(similarities: Any, k: int = 5)", hits), "Success@5", cases=few(), limits=HERE)
    assert checked.remaining["ties"] == (ties, "unspecified")


@pytest.mark.in_turn
@pytest.mark.in_parts(4)
@pytest.mark.parametrize("one", packaged_table.WRONG, ids=str)
def test_by_each_form_what_is_wrong_is_not_called_right(one: Packaged) -> None:
    try:
        checked = examined(one.function, one.measure)
    except BadFunction:
        return
    assert checked.lead in {Verdict.UNEXPLAINED, Verdict.DEFECT}


def test_texts_are_those_of_the_code_of_what_is_within_it_and_of_what_it_names() -> None:
    recall, first = function_named("recall_of_records"), function_named("first_of_records")
    assert {"golden_chunk_ids", "retrieved_chunk_ids", "question"} <= set(words_in(recall).texts)
    assert "ranked" not in words_in(len).texts
    assert "golden_chunk_ids" not in words_in(first).texts

    @functools.wraps(recall)
    def wrapped(*given: Any) -> Any:
        return recall(*given)

    assert words_in(wrapped) == words_in(recall), "what is wrapped says what is read"


# -- GAUC ------------------------------------------------------------------------------------------------------------


def area(ranked: Sequence[tuple[float, float]]) -> float:
    """Of scores and labels; of one class, nan. Of two unlike labels the higher one is the positive class, as to scikit-learn."""
    top = max((label for _, label in ranked), default=0)
    ups = [score for score, label in ranked if label == top and top > min(one for _, one in ranked)]
    downs = [score for score, label in ranked if label < top]
    if not ups or not downs:
        return math.nan
    return sum((up > down) + (up == down) / 2 for up in ups for down in downs) / (len(ups) * len(downs))


def weighted_areas(labels: Any, scores: Any, of: Any) -> list[tuple[float, int]]:
    rows = {one: [(scores[at], labels[at]) for at in range(len(of)) if of[at] == one] for one in of}
    return [(area(each), len(each)) for each in rows.values()]


def gauc_of_all(y_true: Any, y_pred: Any, user_indices: Any) -> float:
    """A user of one class makes it nan."""
    return sum(value * n for value, n in weighted_areas(y_true, y_pred, user_indices)) / len(user_indices)


def gauc_of_two_classes(labels: Any, preds: Any, user_ids: Any) -> float:
    """A user of one class is left out."""
    told = [one for one in weighted_areas([min(x, 1) for x in labels], preds, user_ids) if not math.isnan(one[0])]
    return sum(value * n for value, n in told) / sum(n for _, n in told) if told else 0.0


def gauc_of_flags(y_true: Any, y_score: Any, group_ids: Any) -> float:
    """The first, of rels that are flags."""
    return gauc_of_all([int(rel >= 1) for rel in y_true], y_score, group_ids)


@pytest.mark.in_turn
@pytest.mark.in_parts(4)
@pytest.mark.parametrize("function", [gauc_of_all, gauc_of_two_classes, gauc_of_flags])
def test_gauc_is_named_whatever_becomes_of_users_of_one_class(function: Any) -> None:
    checked = examine(function, "AUC", limits=HERE)
    assert checked.defect is not None
    assert checked.defect.names == ("gauc",)
    assert "it is GAUC (Zhou et al. 2018)" in answer_of(checked).sentence


def areas_of_two_classes(labels: Any, scores: Any) -> list[float]:
    each = (area(list(zip(scores[user], [min(one, 1) for one in own], strict=True))) for user, own in labels.items())
    return [value for value in each if not math.isnan(value)]


def uauc_or_nan(ut_dict: Any, pt_dict: Any) -> float:
    return float(np.mean(values)) if (values := areas_of_two_classes(ut_dict, pt_dict)) else math.nan


def uauc_or_0(labels_by_user: Any, scores_by_user: Any) -> float:
    values = areas_of_two_classes(labels_by_user, scores_by_user)
    return sum(values) / len(values) if values else 0.0


def uauc_or_error(y_true_by_query: Any, y_pred_by_query: Any) -> float:
    """Where no user has both classes, it divides by 0."""
    values = areas_of_two_classes(y_true_by_query, y_pred_by_query)
    return sum(values) / len(values)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "no_query"), [(uauc_or_nan, {"nan"}), (uauc_or_0, {"0"}), (uauc_or_error, {"nan", "0"})]
)
def test_a_mean_over_the_users_of_both_classes_leaves_the_others_out(function: Any, no_query: set[str]) -> None:
    checked = examine(function, "AUC", cases=few(), limits=HERE)
    assert (checked.holds, checked.defect, answer_of(checked).kind) == (True, None, "is")
    profile = checked.profile
    assert profile is not None
    assert (profile.norel, profile.allrel, profile.ties) == ("dropped", "dropped", "expectation")
    assert profile.no_query in no_query
    assert not {"norel", "allrel"} & checked.undecided.keys()


# -- a name that stands for two measures -----------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("call", "measured", "kind"),
    [
        ("f(ranks: Sequence[int], n: int)", "sum(rank <= n for rank in ranks) / len(ranks)", "is"),
        (f"f{OF_IDS}", "int(Success(ids(ranked, relevant), k))", "is"),
        (f"f{OF_IDS}", "P(ids(ranked, relevant), k, wrong='hits-not-divided')", "defect"),
    ],
)
def test_hits_of_a_function_are_whether_there_is_one_and_that_is_said(call: str, measured: str, kind: str) -> None:
    checked = examined(made(call, measured), "Hits@10")
    assert str(checked.measure) == "Success@10"
    assert (checked.holds, answer_of(checked).kind) == (kind == "is", kind)
    assert any(note.startswith("Hits@10 is asked as Success@10: ranx counts the hits") for note in checked.target.notes)


def test_other_names_of_a_function_are_read_as_everywhere() -> None:
    assert measure_of_function("MRR@10") == (parse("RR@10"), "")
    assert measure_of_function("Hits")[0] == parse("Success"), "without a cutoff"
    assert measure_of_function(parse("P@5")) == (parse("P@5"), "")
    with pytest.raises(Several):
        measure_of_function("P.5,10")
    with pytest.raises(UnknownMeasure, match="that of ragas is an average precision, AP@k"):
        measure_of_function("context_precision@5")


# -- a part of a measure ---------------------------------------------------------------------------------------------


@pytest.mark.in_parts(11)
@pytest.mark.parametrize(
    ("of_p", "of_r", "part", "word"),
    [
        ({"p_denominator": "min-k-n"}, {}, "P", "no"),
        ({}, {"r_denominator": "min-k-R"}, "R", "yes"),
        ({}, {}, "P", "yes"),
    ],
)
def test_what_a_part_is_denied_the_whole_is_denied(
    of_p: dict[str, str], of_r: dict[str, str], part: str, word: str
) -> None:
    whole = made(f"whole{OF_IDS}", f"f1(ids(ranked, relevant), k, {of_p}, {of_r})")
    alone = made(f"part{OF_IDS}", f"{part}(ids(ranked, relevant), k, **{of_p if part == 'P' else of_r})")
    answers = [answered(whole, "F@5"), answered(alone, f"{part}@5")]
    assert [answer.partition(":")[0] for answer in answers] == [word, word]


def test_the_run_that_shows_it_is_worth_what_the_formula_says() -> None:
    """One doc, of three that are relevant: P is 1 and not 1/5, so that F is 2 * 1 * 1/3 / (4/3), and not 2 * 1/5 * 1/3 / (8/15)."""
    whole = made(f"whole{OF_IDS}", "f1(ids(ranked, relevant), k, {'p_denominator': 'min-k-n'})")
    assert "a run of one relevant doc alone gets .5, and not .25" in answered(whole, "F@5")


# -- flags that are compared with 1 ----------------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.in_parts(11)
@pytest.mark.parametrize(
    ("measured", "measure", "begins"),
    [
        ("sum(click == 1 for click in clicks[:k]) / k", "P@5", "no: only docs of rel 1 count as relevant"),
        ("float(1 in list(clicks[:k]))", "Success@5", "no: only docs of rel 1 count as relevant"),
        ("sum(clicks[:k]) / k", "P@5", "yes, without rels above 1"),
    ],
)
def test_what_a_rel_above_1_is_worth_is_a_no_where_that_error_has_a_name(
    measured: str, measure: str, begins: str
) -> None:
    function = made("of_clicks(clicks: Sequence[int], k: int)", measured)
    assert answered(function, measure).startswith(begins)
    assert answered(function, measure, assume="binary").startswith("yes: ")


# -- ERR: what ids do not tell, and the highest rel ------------------------------------------------------------------


def err_of(rels: Sequence[float], highest: float) -> float:
    """Chapelle et al. (2009), (3) and (4)."""
    left, total = 1.0, 0.0
    for rank, rel in enumerate(rels, start=1):
        stops = (2**rel - 1) / 2**highest
        total += left * stops / rank
        left *= 1 - stops
    return total


def err_of_ids(relevant: Sequence[str], ranked: Sequence[str], k: int) -> float:
    return err_of([doc in relevant for doc in ranked[:k]], 4)


def err_by_highest(ranked_rels: Sequence[float], max_rel: float, k: int) -> float:
    return err_of(ranked_rels[:k], max_rel)


class Err:
    """A class whose objects know the highest rel."""

    def __init__(self, highest_score: float, k: int = 10) -> None:
        self.highest_score, self.k = highest_score, k

    def evaluate(self, targets: Sequence[float]) -> float:
        """The measure of the rels of one query."""
        return err_of(targets[: self.k], self.highest_score)


def test_of_err_by_ids_it_is_said_that_no_other_rels_were_told() -> None:
    assert answered(err_of_ids, "ERR@10") == (
        "yes, where every rel is 0 or 1: err_of_ids is ERR@10; undetermined: what it gives for other rels"
    )


@pytest.mark.parametrize(("function", "name"), [(err_by_highest, "max_rel"), (Err, "highest_score")])
def test_the_highest_rel_is_given_by_the_measure_and_told_beside_what_its_name_may_mean(
    function: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "measure_of_function", lambda text: (parse(text), "asked as it is called"))
    checked = examined(function, "ERR@10")
    assert checked.target.notes[-1] == "asked as it is called"
    assert answer_of(checked).sentence.startswith("yes: ")
    assert f"called with {name}=4: the highest rel that a doc may have" in checked.target.notes


# -- qrels and run of ranx -------------------------------------------------------------------------------------------


QRELS_AND_RUN = Target("mine:f", FORMS["qrels-run"], ("qrels", "run"), container="ranx")
TWO = Input((("1", "a", 1), ("2", "b", 2)), (("1", "a", 0.5, 1), ("2", "c", 0.25, 1)))


@pytest.fixture(scope="session")
def of_ranx() -> Any:
    """Its functions are not compiled, which takes half a minute; unless somebody in this process had some compiled before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # which numba reads when it is imported, and never again
        return import_module("ranx")


@pytest.mark.in_turn
def test_qrels_and_run_may_be_objects_of_ranx(of_ranx: Any) -> None:
    qrels, run = (
        contained(QRELS_AND_RUN, role, value)
        for role, value in zip(QRELS_AND_RUN.order, arguments_of(QRELS_AND_RUN, TWO, None), strict=True)
    )
    assert (type(qrels), type(run)) == (of_ranx.Qrels, of_ranx.Run)
    assert (qrels.to_dict(), run.to_dict()) == ({"1": {"a": 1}, "2": {"b": 2}}, {"1": {"a": 0.5}, "2": {"c": 0.25}})
    assert repro(QRELS_AND_RUN, TWO, None, None).startswith("import ranx\n")


@pytest.mark.parametrize("data", [Input((), TWO.run), Input(TWO.qrels, ()), replace(TWO, empty_in_run=("3",))])
def test_they_hold_no_query_without_a_row(data: Input) -> None:
    assert not is_asked(QRELS_AND_RUN, data, None)
    assert is_asked(QRELS_AND_RUN, TWO, None)


# -- average precision over the hits, by scores ----------------------------------------------------------------------


ORDER = "sorted(range(len(y_score)), key=lambda i: (-y_score[i], i * 7 % 11))[:k]"
"""As recsys-metrics 0.0.4 and catalyst 22.4 have it, by an order of tied docs that has no name."""
SUMMED = (
    "(lambda flags: (lambda each: sum(each) / len([one for one in each if one]) if any(each) else 0.0)"
    f"([flag * sum(flags[:rank]) / rank for rank, flag in enumerate(flags, 1)]))([y_true[i] for i in {ORDER}])"
)
"""Of flags that are added up and multiplied."""
OVER_THE_HITS = "no: f would be AP@10 but for this: over the hits: "
FLAGS = f"[float(y_true[i] >= 1) for i in {ORDER}]"


@pytest.mark.in_turn
@pytest.mark.in_parts(11)
@pytest.mark.parametrize(
    ("measured", "begins"),
    [
        (f"AP(of({FLAGS}), k)", f"{OVER_THE_HITS}a run that ranks one of two relevant docs below 10"),
        (SUMMED, OVER_THE_HITS),
        (f"AP(of({FLAGS}, y_true), k)", "yes"),
    ],
)
def test_what_is_ranked_below_the_cutoff_shows_by_what_is_divided(measured: str, begins: str) -> None:
    """Precision is 1 at rank 1, and the other relevant doc is beyond the cutoff: AP is 1/2 over R, and 1 over the hits."""
    checked = examine(made(f"f{OF_ROWS}", measured), "AP@10", limits=HERE)
    assert checked.follows.ap_denominator == ("R" if begins == "yes" else "hits")
    assert answer_of(checked).sentence.startswith(begins)


# -- what is refused where it is met ---------------------------------------------------------------------------------


OF_JUDGED = "(ranked: Sequence[str], relevance: Mapping[str, float], k: int)"
"""As DRecPy 0.2.2 has it: a doc without a rel is a KeyError, if it stands in the top k."""


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("measured", "measure"),
    [
        ("DCG(of(relevance[doc] for doc in ranked[:k]), k, gain='exp')", "DCG@10"),
        ("RR(of(relevance[doc] for doc in ranked[:k]), k)", "RR@3"),
        ("P(of(relevance[doc] for doc in ranked[:k]), k)", "P@5"),
        ("P(of([relevance[doc] for doc in ranked]), k)", "P@5"),
    ],
)
def test_a_doc_without_a_judgment_may_be_refused_in_the_top_k_alone(measured: str, measure: str) -> None:
    """The docs below k, too, may have to have a rel."""
    checked = examined(made(f"of_judged{OF_JUDGED}", measured), measure)
    said = answer_of(checked).sentence
    assert said.startswith("yes: ")
    assert "unjudged docs refused within the cutoff" in said
    assert checked.signature is None, "what refuses them below it, too, gives other numbers"


@pytest.mark.in_turn
def test_what_is_made_of_a_doc_below_the_cutoff_counts_where_it_is_not_refused() -> None:
    """A doc without a rel is refused, and where it stands below k, that is worth a half."""
    below = "sum(doc not in relevance for doc in ranked[k:]) / 2"
    guessed = made(f"guessed{OF_JUDGED}", f"P(of(relevance[doc] for doc in ranked[:k]), k) + {below}")
    assert not examined(guessed, "P@5").holds


def dcg_without_the_seventh(ranked_rels: Sequence[float], k: int) -> float:
    """Gain 2^rel - 1, which is a choice; that of seven docs and more the seventh is lost is an error."""
    kept = [rel for rank, rel in enumerate(ranked_rels[:k], start=1) if rank != 7]
    return sum((2**rel - 1) / math.log2(rank + 1 + (rank > 6)) for rank, rel in enumerate(kept, start=1))


def test_what_is_to_hold_is_right_by_the_choices_that_are_no_error() -> None:
    checked = examined(dcg_without_the_seventh, "DCG@10")
    assert answer_of(checked).sentence.startswith("not quite: dcg_without_the_seventh is DCG@10, with gain 2^rel - 1, ")
    assert checked.witness is not None
    data = checked.witness.question.case.input
    rels = [{row[1]: row[2] for row in data.qrels if row[0] == data.run[0][0]}.get(row[1], 0) for row in data.run]
    by_hand = sum((2**rel - 1) / math.log2(rank + 1) for rank, rel in enumerate(rels[:10], start=1))
    assert checked.witness.expected == pytest.approx(by_hand)
    assert checked.witness.got != pytest.approx(by_hand)


# -- functions of a cutoff alone -------------------------------------------------------------------------------------


def at_once(k: int = 3) -> Callable[..., int]:
    return lambda relevant, ranked: len(relevant[:k]) + len(ranked)


def after_all_queries(k: int = 3) -> None:
    """It measures all that it has at a cutoff, and ends when that is done."""
    time.sleep(60 * k)


def though_it_is_stopped(k: int = 3) -> Callable[..., int]:
    """What stops it is caught."""
    with contextlib.suppress(BaseException):
        time.sleep(60)
    return at_once(k)


@pytest.mark.parametrize(
    ("function", "gives"), [(though_it_is_stopped, False), (at_once, True), (after_all_queries, False)]
)
def test_a_function_of_a_cutoff_alone_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, function: Any, *, gives: bool
) -> None:
    monkeypatch.setattr(called_things, "TRIED_FOR", 0.05)
    started = time.monotonic()
    found = ways_to_call(function, "P@5")
    assert time.monotonic() - started < 30
    assert any(target.k_made for target in found) == gives


# -- the reciprocal rank of the first doc ----------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("measured", "measure", "is_it"),
    [
        ("RR(ids(ranked[:2], relevant))", "RR", False),
        ("bool(ranked) and ranked[0] in relevant", "RR", True),
        ("next((1 / i if doc in relevant else 0.0 for i, doc in enumerate(ranked[:k], 1)), 0.0)", "RR@10", True),
    ],
)
def test_who_looks_at_the_first_doc_alone_is_told_so(measured: str, measure: str, is_it: bool) -> None:  # noqa: FBT001
    said = answered(made("rr(relevant, ranked, k=10)" if "@" in measure else "rr(relevant, ranked)", measured), measure)
    assert said.startswith("no: ")
    assert said.startswith("no: only the first doc is looked at, so that it is P@1") == is_it


# -- scores that are whole numbers -----------------------------------------------------------------------------------


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("call", "refused", "measured", "measure"),
    [
        (f"f{OF_ROWS}", "all(float(one).is_integer() for one in y_score)", "P(scored(y_score, y_true), k)", "P@10"),
        (
            "f(targets: np.ndarray, predictions: np.ndarray)",
            "(predictions == np.floor(predictions)).all()",
            "RR(scored(predictions, targets))",
            "RR",
        ),
        (
            "f(y_true, y_pred, k: int = 10)",
            "set(y_pred) <= set(range(-2000, 2000))",
            "nDCG(scored(y_pred, y_true), k)",
            "nDCG@10",
        ),
    ],
)
def test_who_raises_for_scores_that_are_whole_numbers_is_asked_where_it_does_not(
    call: str, refused: str, measured: str, measure: str
) -> None:
    checked = examined(made(call, f"1 / 0 if {refused} else {measured}"), measure)
    found = checked.target
    assert found.of_fractions
    assert any("all scores of a query are whole numbers" in note for note in found.notes)
    whole = Input(GIVEN.qrels, tuple((q, doc, 4 * score, rank) for q, doc, score, rank in GIVEN.run))
    assert (is_asked(found, GIVEN, None), is_asked(found, whole, None)) == (True, False)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


@pytest.mark.parametrize(
    ("measure", "follows", "odd"),
    [
        (
            "nDCG@10",
            {"discount": "ln", "gain": "exp linear", "relevant": "non-zero", "ties": "best", "ideal": "retrieved"},
            ("discount", "relevant", "ideal"),
        ),
        ("nDCG@10", {"gain": "exp", "discount": "log2", "ideal": "judged"}, ()),
        # That input is refused is nothing odd, though nobody known does it.
        *(("R@10", {"grades": value}, ()) for value in ("two-values", "binary", "whole-to-4")),
        ("R@10", {"ids": "text-docs"}, ()),
        ("R@10", {"allrel": "rejected"}, ()),
    ],
)
def test_each_choice_that_nobody_makes_is_told(measure: str, follows: dict[str, str], odd: tuple[str, ...]) -> None:
    """And, where there is none, that it is not said that somebody makes each alone."""
    found = unfollowed(parse(measure), {axis: tuple(values.split()) for axis, values in follows.items()})
    assert found == (odd, not odd)


def test_who_raises_for_no_whole_scores_is_asked_them() -> None:
    assert not target_of(function_named("sums_flags"), "P@10").of_fractions


@pytest.mark.parametrize(
    ("path", "named"),
    [("rmod/metrics.py", "rmod.metrics"), ("rdeep/eval/ranks.py", "rdeep.eval.ranks"), ("rx/y/z/w.py", "rx.y.z.w")],
)
def test_a_file_of_a_package_that_cannot_be_read_alone_is_named_as_python_knows_it(
    tmp_path: Path, path: str, named: str
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    for folder in file.relative_to(tmp_path).parents[:-1]:
        (tmp_path / folder / "__init__.py").touch()
    file.write_text("from .beside import helper\n", encoding="utf-8")
    with pytest.raises(BadFunction) as refused:
        find(f"{file}:ndcg")
    assert str(refused.value).endswith(f"it belongs to a package: in {tmp_path}, name it as {named}:ndcg")
    alone = tmp_path / "alone.py"
    alone.write_text("import no_such_thing_here\n", encoding="utf-8")
    with pytest.raises(BadFunction, match="run this where it can be"):
        find(f"{alone}:ndcg")


# -- what annotations say: ids that are whole numbers, rels that are true or false -----------------------------------


def ways_of(relevant: str, ranked: str, k: str) -> list[Target]:
    """The ways to call a function of ids whose parameters are annotated so, beside the id of a query."""

    def f(user_id: Any, relevant: Any, ranked: Any, k: Any) -> float:
        return float(relevant == ranked == k == user_id)

    f.__annotations__ = {"user_id": "str", "relevant": relevant, "ranked": ranked, "k": k}
    return [way for way in ways_to_call(f, "P@5") if "ranked" in way.order]


@pytest.mark.parametrize(
    ("relevant", "ranked", "k"),
    [
        ("list[int]", "list[str]", "Optional[int]"),
        ("set[Any]", "list[Any]", "list[int]"),
        ("list[Any]", "Ids", "Sequence[int]"),
        ("Iterable", "list", "list[int] | int"),
    ],
)
def test_other_annotations_ask_for_no_numbers(relevant: str, ranked: str, k: str) -> None:
    """Nor do ids of which some are texts, or several cutoffs."""
    ways = ways_of(relevant, ranked, k)
    assert ways
    assert not any(way.numbered for way in ways)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("call", "measured", "measure", "begins", "ends"),
    [
        ("f(flags: list[bool], k: int)", "sum(flags[:k]) / k", "P@10", "yes: f is P@10", "P@10"),
        (
            "f(hits: 'list[bool]', k: int)",
            "DCG(of(hits), k)",
            "DCG@10",
            "yes, where every rel is 0 or 1: f is DCG@10",
            "; undetermined: the gain of other rels",
        ),
        ("f(scores: list[float], labels: list[bool])", "AP(scored(scores, labels)) / 2", "AP", "no: ", ""),
    ],
)
def test_rels_are_flags_where_annotations_say_so(
    call: str, measured: str, measure: str, begins: str, ends: str
) -> None:
    """What it would make of other rels is not asked, and not told."""
    checked = examined(made(call, measured), measure)
    said = answer_of(checked).sentence
    assert (said.startswith(begins), said.endswith(ends)) == (True, True)
    assert {rel for one in checked.seen for _, _, rel in one.question.case.input.qrels if rel > 0} == {1}
    assert measure != "DCG@10" or "|gain:?" in str(checked.signature)


@dataclass
class Doc:
    """What has fields."""

    a: int
    b: list[int]


@pytest.mark.parametrize(
    ("annotated", "end"),
    [
        *((one, ()) for one in (Doc, Doc | None, Optional[Doc])),  # noqa: UP045 - as older code has it
        *((each, (LIST,)) for each in (list[Doc], tuple[Doc, ...], Sequence[Doc], list[Doc] | None, list[Doc | None])),
        (Optional[list[Doc]], (LIST,)),  # noqa: UP045
        (Union[Doc, str], None),  # noqa: UP007 - as above
        *((other, None) for other in (list[Doc | str], Doc | str, str | Doc, str)),
    ],
)
def test_an_object_or_several_of_them_are_known_by_the_annotation(annotated: Any, end: tuple[str, ...] | None) -> None:
    def f(docs: Any, k: int) -> float:
        return len(docs) / k

    f.__annotations__["docs"] = annotated
    parameters = parameters_of(f) or []
    found = [(record, [one.name for one in fields]) for record, fields in fields_in_place(f, parameters)]
    where = f"{Doc.__module__}:{Doc.__qualname__}"
    assert found == ([] if end is None else [(("docs", where, "a", "b", *end), ["a", "b", "k"])])


@pytest.mark.parametrize(("end", "shown"), [((LIST,), "docs=[Doc(a=1, b=[2])]"), ((), "docs=Doc(a=1, b=[2])")])
def test_an_object_is_written_with_its_fields_and_in_a_list_where_one_is_taken(
    end: tuple[str, ...], shown: str
) -> None:
    record = ("docs", "mine:Doc", "a", "b", *end)
    assert written_together(record, ["a=1", "k=3", "b=[2]", "other=4"]) == [shown, "k=3", "other=4"]
    assert written_together((), ["a=1", "k=3"]) == ["a=1", "k=3"]
