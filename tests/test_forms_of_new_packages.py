"""What a third sample of functions of the registry showed: errors without a name, parts of a measure, rels by place, the highest rel."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import pandas as pd
import pytest

from rankproof import cases as corpus
from rankproof.calling import called_things
from rankproof.calling.arguments import arguments_of, contained, written
from rankproof.calling.call_candidates import Source, load
from rankproof.calling.call_forms import FORMS, is_asked, repro
from rankproof.calling.given_values import NoNumber, read
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking import examining
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_words import script_of

if TYPE_CHECKING:
    import ranx

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""


@cache
def examined(function: Any, measure: str, **more: str) -> Checked:
    return examine(function, measure, cases=CASES, limits=HERE, **more)


def answered(function: Any, measure: str, **more: str) -> str:
    return answer_of(examined(function, measure, **more)).sentence


# -- a part of a measure ----------------------------------------------------------------------------------------------


def harmonic(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def hits(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> int:
    return len({*relevant} & {*retrieved[:k]})


def f1_over_retrieved(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    found, n = hits(relevant, retrieved, k), len(retrieved[:k])
    return harmonic(found / n, found / len(relevant)) if n and relevant else 0.0


def precision_over_retrieved(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    return hits(relevant, retrieved, k) / len(retrieved[:k]) if retrieved else 0.0


def f1_over_fewer(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    found = hits(relevant, retrieved, k)
    return harmonic(found / k, found / min(k, len(relevant))) if relevant else 0.0


def recall_over_fewer(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    return hits(relevant, retrieved, k) / min(k, len(relevant)) if relevant else 0.0


def precision_over_k(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    return hits(relevant, retrieved, k) / k


def f1_over_k(relevant: Sequence[str], retrieved: Sequence[str], k: int) -> float:
    found = hits(relevant, retrieved, k)
    return harmonic(found / k, found / len(relevant)) if relevant else 0.0


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("whole", "part", "measure", "word"),
    [
        (f1_over_retrieved, precision_over_retrieved, "P@5", "no"),
        (f1_over_fewer, recall_over_fewer, "R@5", "yes"),
        (f1_over_k, precision_over_k, "P@5", "yes"),
    ],
)
def test_what_a_part_is_denied_the_whole_is_denied(
    whole: Callable[..., float], part: Callable[..., float], measure: str, word: str
) -> None:
    answers = [answered(whole, "F@5"), answered(part, measure)]
    assert [answer.partition(":")[0] for answer in answers] == [word, word]


def test_the_run_that_shows_it_is_worth_what_the_formula_says() -> None:
    """One doc, of three that are relevant: P is 1 and not 1/5, so that F is 2 * 1 * 1/3 / (4/3), and not 2 * 1/5 * 1/3 / (8/15)."""
    assert "a run of one relevant doc alone gets .5, and not .25" in answered(f1_over_retrieved, "F@5")


# -- flags that are compared with 1 -----------------------------------------------------------------------------------


def precision_of_ones(clicks: Sequence[int], k: int) -> float:
    return sum(click == 1 for click in clicks[:k]) / k


def precision_of_sums(clicks: Sequence[int], k: int) -> float:
    return sum(clicks[:k]) / k


def hit_of_ones(clicks: Sequence[int], k: int) -> float:
    return float(1 in list(clicks[:k]))


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "begins"),
    [
        (precision_of_ones, "P@5", "no: only docs of rel 1 count as relevant"),
        (hit_of_ones, "Success@5", "no: only docs of rel 1 count as relevant"),
        (precision_of_sums, "P@5", "yes, without rels above 1"),
    ],
)
def test_what_a_rel_above_1_is_worth_is_a_no_where_that_error_has_a_name(
    function: Callable[..., float], measure: str, begins: str
) -> None:
    assert answered(function, measure).startswith(begins)
    assert answered(function, measure, assume="binary").startswith("yes: ")


# -- a doc that was judged 0 ------------------------------------------------------------------------------------------


def rr_of_keys(retrieved_ids: Sequence[str], qrel: Mapping[str, int], k: int = 10) -> float:
    return next((1 / i for i, doc in enumerate(retrieved_ids[:k], start=1) if doc in qrel), 0.0)


def recall_of_keys(retrieved_ids: Sequence[str], qrel: Mapping[str, int], k: int = 10) -> float:
    return sum(doc in qrel for doc in retrieved_ids[:k]) / len(qrel) if qrel else 0.0


def ap_of_keys(retrieved_ids: Sequence[str], qrel: Mapping[str, int]) -> float:
    found = [rank for rank, doc in enumerate(dict.fromkeys(retrieved_ids), start=1) if doc in qrel]
    return sum(i / rank for i, rank in enumerate(found, start=1)) / len(qrel) if qrel else 0.0


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(("function", "measure"), [(rr_of_keys, "RR@10"), (recall_of_keys, "R@10"), (ap_of_keys, "AP")])
def test_who_takes_every_judged_doc_for_relevant_is_not_said_to_look_at_nothing(
    function: Callable[..., float], measure: str
) -> None:
    assert answered(function, measure) == "no: every judged doc counts as relevant, those that were judged 0, too"


# -- ERR: what ids do not tell, and the highest rel ---------------------------------------------------------------------


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


# -- rels by the place of their doc -----------------------------------------------------------------------------------


def ndcg_of_places(ranks_row: np.ndarray, relevance_scores: dict[int, float], k: int) -> float:
    def dcg(rels: Sequence[float]) -> float:
        return sum((2**rel - 1) / math.log2(rank + 1) for rank, rel in enumerate(rels[:k], start=1))

    ranked = [relevance_scores.get(int(place), 0) for place in ranks_row.argsort()]
    best = dcg(sorted(relevance_scores.values(), reverse=True))
    return dcg(ranked) / best if best else 0.0


def precision_of_places(scores: np.ndarray, labels: dict[int, int], k: int) -> float:
    top = np.argsort(-scores, kind="stable")[:k]
    return sum(labels.get(int(place), 0) >= 1 for place in top) / k


def rr_of_places(scores: np.ndarray, labels: Mapping[int, float], k: int) -> float:
    top = np.argsort(-scores, kind="stable")[:k]
    return next((1 / rank for rank, place in enumerate(top, start=1) if labels.get(int(place), 0) >= 1), 0.0)


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "form"),
    [
        (ndcg_of_places, "nDCG@10", "rows-ranked"),
        (precision_of_places, "P@5", "rows"),
        (rr_of_places, "RR@5", "rows"),
    ],
)
def test_rels_may_be_a_dict_by_place(function: Callable[..., float], measure: str, form: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith("yes")
    assert (checked.target.form.name, checked.target.container) == (form, "arrays-dict")


# -- arguments that are objects with fields ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A dataclass with methods, as rankkit 0.1.0 has it."""

    qid: str
    ranking: tuple[str, ...]
    relevance: dict[str, float]

    def gain(self, doc: str) -> float:
        """The rel of a doc."""
        return self.relevance.get(doc, 0.0)


class Sample(NamedTuple):
    """A named tuple, whose query is its text."""

    question: str
    retrieved: list[str]
    gold_ids: list[str]


class Answer(TypedDict):
    """A dict of which the keys are told, one of them by nobody."""

    retrieved_ids: list[str]
    relevant_ids: set[str]
    model: str


@dataclass
class Ranked:
    """A dataclass with a field of the name that a list has."""

    gold: list[str]
    list: "list[str]"


def dcg_of_run(run: Run, k: int = 10) -> float:
    return sum(run.gain(doc) / math.log2(i + 1) for i, doc in enumerate(dict.fromkeys(run.ranking[:k]), start=1))


def rr_of_samples(samples: list[Sample], k: int = 10) -> float:
    def rr(sample: Sample) -> float:
        return next((1 / i for i, doc in enumerate(sample.retrieved[:k], start=1) if doc in sample.gold_ids), 0.0)

    return sum(map(rr, samples)) / len(samples)


def precision_of_answer(answer: "Answer", k: int = 5) -> float:
    assert answer["model"] == "tiny"
    return len({*answer["retrieved_ids"][:k]} & answer["relevant_ids"]) / k


def precision_of_list(ranked: Ranked, k: int = 5) -> float:
    return len({*ranked.list[:k]} & {*ranked.gold}) / k


class Recall:
    """A class whose method takes one."""

    def __init__(self, k: int = 5) -> None:
        self.k = k

    def score(self, sample: Sample) -> float | None:
        """None where nothing is relevant."""
        found = {*sample.retrieved[: self.k]} & {*sample.gold_ids}
        return len(found) / len(sample.gold_ids) if sample.gold_ids else None


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "given", "call"),
    [
        (dcg_of_run, "DCG@10", {}, "dcg_of_run(run=Run(qid=query_id, ranking=ranked, relevance=rel_of_doc), k="),
        (
            rr_of_samples,
            "RR@10",
            {},
            "rr_of_samples(samples=[Sample(question=query_id, retrieved=ranked, gold_ids=relevant)], k=",
        ),
        (precision_of_answer, "P@5", {"model": "tiny"}, "retrieved_ids=ranked, relevant_ids=relevant, model='tiny')"),
        (precision_of_list, "P@5", {}, "precision_of_list(ranked=Ranked(gold=relevant, list=ranked), k="),
        (Recall, "R@5", {}, ".score(sample=Sample(question=query_id, retrieved=ranked, gold_ids=relevant))"),
    ],
)
def test_an_object_with_fields_is_made_of_what_they_take(
    function: Any, measure: str, given: Mapping[str, str], call: str
) -> None:
    checked = examine(function, measure, cases=CASES, limits=HERE, given=given)
    assert answer_of(checked).sentence.startswith("yes")
    assert call in script_of(checked)


def test_no_value_is_undefined_and_no_fault() -> None:
    assert answered(Recall, "R@5") == "yes: Recall is R@5, with query without relevant docs undefined"


def test_its_class_is_imported_beside_it() -> None:
    assert f"from {__name__} import Run" in script_of(examined(dcg_of_run, "DCG@10"))


# -- the name of a measure as a key -----------------------------------------------------------------------------------


def r_precision_in_a_dict(ranked: Sequence[str], relevant: Sequence[str]) -> dict[str, object]:
    """With what it is beside it, as szl-retrieval-bench 0.3.1 has it."""
    if not relevant:
        return {"state": "INVALID", "detail": "undefined"}
    top = {*ranked[: len(relevant)]} & {*relevant}
    return {"state": "MEASURED", "R_precision": round(len(top) / len(relevant), 4), "R": len(relevant)}


def f1_in_a_dict(ranked: Sequence[str], relevant: Sequence[str], k: int) -> dict[str, float]:
    p, r = precision_over_k(relevant, ranked, k), hits(relevant, ranked, k) / (len(relevant) or 1)
    return {"precision": p, "recall": r, "f1_score": harmonic(p, r)}


def ranks_in_a_dict(ranked: Sequence[str], relevant: Sequence[str]) -> dict[str, float]:
    rank = next((i for i, doc in enumerate(ranked, start=1) if doc in relevant), 0)
    return {"reciprocal_rank": 1 / rank if rank else 0.0, "first": float(rank), "docs": float(len(ranked))}


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "key"),
    [
        (r_precision_in_a_dict, "Rprec", "rprecision"),
        (f1_in_a_dict, "F@5", "f1score"),
        (ranks_in_a_dict, "RR", "reciprocalrank"),
    ],
)
def test_the_entry_of_the_measure_is_read_by_its_whole_name(function: Any, measure: str, key: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith("yes")
    assert checked.target.reads == f"name:{key}"


# -- qrels and run of ranx --------------------------------------------------------------------------------------------

QRELS_AND_RUN = Target("mine:f", FORMS["qrels-run"], ("qrels", "run"), container="ranx")
TWO = Input((("1", "a", 1), ("2", "b", 2)), (("1", "a", 0.5, 1), ("2", "c", 0.25, 1)))


@pytest.fixture(scope="session")
def of_ranx() -> Any:
    """Its functions are not compiled, which takes half a minute; unless somebody in this process had some compiled before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")  # which numba reads when it is imported, and never again
        return import_module("ranx")


def test_qrels_and_run_may_be_objects_of_ranx(of_ranx: Any) -> None:
    qrels, run = (
        contained(QRELS_AND_RUN, role, value)
        for role, value in zip(QRELS_AND_RUN.order, arguments_of(QRELS_AND_RUN, TWO, None), strict=True)
    )
    assert (type(qrels), type(run)) == (of_ranx.Qrels, of_ranx.Run)
    assert (qrels.to_dict(), run.to_dict()) == ({"1": {"a": 1}, "2": {"b": 2}}, {"1": {"a": 0.5}, "2": {"c": 0.25}})


def test_they_are_written_as_a_person_makes_them() -> None:
    assert written(QRELS_AND_RUN, "run", {"1": {"a": 0.5}}) == "ranx.Run({'1': {'a': 0.5}})"
    assert repro(QRELS_AND_RUN, TWO, None, None).startswith("import ranx\n")


@pytest.mark.parametrize("data", [Input((), TWO.run), Input(TWO.qrels, ()), replace(TWO, empty_in_run=("3",))])
def test_they_hold_no_query_without_a_row(data: Input) -> None:
    assert not is_asked(QRELS_AND_RUN, data, None)
    assert is_asked(QRELS_AND_RUN, TWO, None)


def hits_of_ranx(qrels: "ranx.Qrels", run: "ranx.Run", k: int = 10) -> float:
    judged = qrels.to_dict()
    return sum(
        any(judged[query].get(doc, 0) >= 1 for doc in sorted(docs, key=lambda doc: -docs[doc])[:k])
        for query, docs in run.to_dict().items()
    ) / len(judged)


def hits_of_dicts(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int = 10) -> float:
    return hits_of_ranx(qrels, run, k)


@pytest.mark.usefixtures("of_ranx")
def test_who_may_take_them_is_tried_with_dicts_first_and_then_with_them() -> None:
    """And one that has nothing to do with them with dicts alone."""
    for function, containers in ((hits_of_ranx, ["list", "ranx"]), (hits_of_dicts, ["list"])):
        tried = load(Source("mine:f", parse("Success@10"), FORMS["qrels-run"], function)).candidates.targets
        assert [target.container for target in tried] == containers


def test_a_module_that_imports_them_may_hold_a_function_a_class_without_a_start_or_one_that_is_bound(
    monkeypatch: pytest.MonkeyPatch, of_ranx: Any
) -> None:
    def plain(qrels: Any, run: Any, k: int = 10) -> float:
        return hits_of_ranx(qrels, run, k)

    importing = ModuleType("importing")
    importing.evaluate = of_ranx.evaluate  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "importing", importing)
    function = FunctionType(plain.__code__, vars(importing), "f", (10,))
    of_class = type(
        "Hits", (), {"__call__": lambda _self, qrels, run, k=10: plain(qrels, run, k), "__module__": "importing"}
    )
    for made in (function, of_class(), partial(function)):
        tried = load(Source("mine:f", parse("Success@10"), FORMS["qrels-run"], made)).candidates.targets
        assert {target.container for target in tried} == {"list", "ranx"}, made
    tried = load(Source("mine:f", parse("Success@10"), FORMS["qrels-run"], plain)).candidates.targets
    assert [target.container for target in tried] == ["list"]


# -- values at every cutoff, where short rankings raise ---------------------------------------------------------------


def curve_of(y_true: np.ndarray, y_score: np.ndarray, max_k: int) -> np.ndarray:
    """The recall at each cutoff, of tables of equally many docs that are no fewer than the cutoff."""
    top = np.take_along_axis(np.asarray(y_true), np.argsort(-np.asarray(y_score), axis=1, kind="stable"), axis=1)
    hits_at = np.cumsum(top[:, :max_k] >= 1, axis=1) + np.zeros(max_k)
    return np.mean(hits_at / np.maximum(1, (np.asarray(y_true) >= 1).sum(axis=1, keepdims=True)), axis=0)


def test_a_curve_is_read_though_a_short_ranking_raises() -> None:
    checked = examined(curve_of, "R@10")
    assert answer_of(checked).sentence.startswith("yes")
    assert (checked.target.reads, checked.target.from_k) == ("place", True)


# -- average precision over the hits, by scores -----------------------------------------------------------------------


def ap_over_hits(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """As recsys-metrics 0.0.4 and catalyst 22.4 have it, by an order of tied docs that has no name."""
    order = sorted(range(len(y_score)), key=lambda i: (-y_score[i], i * 7 % 11))
    ranks = [rank for rank, i in enumerate(order[:k], start=1) if y_true[i] >= 1]
    return sum(i / rank for i, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0


def ap_over_summed_hits(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    """The same, of flags that are added up and multiplied."""
    order = sorted(range(len(y_score)), key=lambda i: (-y_score[i], i * 7 % 11))
    flags = [y_true[i] for i in order[:k]]
    found = [flag * sum(flags[:rank]) / rank for rank, flag in enumerate(flags, start=1)]
    return sum(found) / len([one for one in found if one]) if any(found) else 0.0


def ap_over_relevant(y_true: Sequence[int], y_score: Sequence[float], k: int) -> float:
    relevant = sum(rel >= 1 for rel in y_true)
    hits_in_k = sum(y_true[i] >= 1 for i in sorted(range(len(y_score)), key=lambda i: (-y_score[i], i * 7 % 11))[:k])
    return ap_over_hits(y_true, y_score, k) * hits_in_k / relevant if relevant else 0.0


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "begins"),
    [
        (
            ap_over_hits,
            "no: ap_over_hits would be AP@10 but for this: over the hits: a run that ranks one of two relevant docs below 10",
        ),
        (ap_over_summed_hits, "no: ap_over_summed_hits would be AP@10 but for this: over the hits: "),
        (ap_over_relevant, "yes"),
    ],
)
def test_what_is_ranked_below_the_cutoff_shows_by_what_is_divided(function: Any, begins: str) -> None:
    """Precision is 1 at rank 1, and the other relevant doc is beyond the cutoff: AP is 1/2 over R, and 1 over the hits."""
    assert examine(function, "AP@10", limits=HERE).follows.ap_denominator == ("R" if begins == "yes" else "hits")
    assert answered(function, "AP@10").startswith(begins)


# -- a fourth sample: what is refused where it is met, reports, rankings as dicts, names ------------------------------


def dcg_of_judged(ranked: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """As DRecPy 0.2.2 has it: a doc without a rel is a KeyError, if it stands in the top k."""
    return sum((2 ** relevance[doc] - 1) / math.log2(rank + 1) for rank, doc in enumerate(ranked[:k], start=1))


def rr_of_judged(ranked: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    rels = [relevance[doc] for doc in ranked[:k]]
    return next((1 / rank for rank, rel in enumerate(rels, start=1) if rel >= 1), 0.0)


def p_of_judged(ranked: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    return sum(relevance[doc] >= 1 for doc in ranked[:k]) / k


def p_of_all_judged(ranked: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """The docs below k, too, must have a rel."""
    return sum([relevance[doc] >= 1 for doc in ranked][:k]) / k


def p_of_guessed(ranked: Sequence[str], relevance: Mapping[str, float], k: int) -> float:
    """A doc without a rel is refused, and where it stands below k, that is worth a half."""
    below = sum(doc not in relevance for doc in ranked[k:])
    return p_of_judged(ranked, relevance, k) + below / 2


@pytest.mark.parametrize(
    ("function", "measure"),
    [(dcg_of_judged, "DCG@10"), (rr_of_judged, "RR@3"), (p_of_judged, "P@5"), (p_of_all_judged, "P@5")],
)
def test_a_doc_without_a_judgment_may_be_refused_in_the_top_k_alone(function: Any, measure: str) -> None:
    said = answered(function, measure)
    assert said.startswith("yes: ")
    assert "unjudged docs refused within the cutoff" in said
    assert examined(function, measure).signature is None, "what refuses them below it, too, gives other numbers"


def test_what_is_made_of_a_doc_below_the_cutoff_counts_where_it_is_not_refused() -> None:
    assert not examined(p_of_guessed, "P@5").holds


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


def recall_by(recommendations: Sequence[str], relevant: Sequence[str] | None, k: int | None) -> float:
    found = {str(doc) for doc in recommendations[:k]} & {str(doc) for doc in relevant or ()}
    return len(found) / len(relevant or ())


def hits_of_recommendations(recommendations: Any, k: Any = None, relevant_recommendations: Any = None) -> float:
    """As DRecPy 0.2.2 has it, whose hit ratio is the recall."""
    return recall_by(recommendations, relevant_recommendations, k)


def hits_of_products(recommended_products: Any, k: Any = None, relevant_products: Any = None) -> float:
    return recall_by(recommended_products, relevant_products, k)


def hits_of_movies(liked_movies: Any, k: Any = None, recommended_movies: Any = None) -> float:
    return recall_by(recommended_movies, liked_movies, k)


@pytest.mark.parametrize("function", [hits_of_recommendations, hits_of_products, hits_of_movies])
def test_names_may_end_in_what_is_recommended(function: Any) -> None:
    assert answered(function, "Hits@5").startswith(f"no: {function.__name__} is not Success@5: it is R")


def ndcg_by_ideal(gains: Sequence[float], ideal: Sequence[float], k: int) -> float:
    """It raises where there are fewer docs than the cutoff, and where nothing is relevant."""
    dcg, best = (sum(g / math.log2(i + 2) for i, g in enumerate(rels[:k])) for rels in (gains, ideal))
    return dcg / best if len(gains) >= k else math.log(0)


def ndcg_of_vectors(gain_vector: Sequence[float], ideal_gain_vector: Sequence[float], rank: int) -> float:
    """As searcheval 0.2.2 has it."""
    return ndcg_by_ideal(gain_vector, ideal_gain_vector, rank)


def ndcg_of_labels(ranked_labels: Sequence[float], ideal_label_list: Sequence[float], k: int) -> float:
    return ndcg_by_ideal(ranked_labels, ideal_label_list, k)


def ndcg_of_relevancies(ideal_relevancies: Sequence[float], relevancies: Sequence[float], k: int) -> float:
    return ndcg_by_ideal(relevancies, ideal_relevancies, k)


@pytest.mark.parametrize("function", [ndcg_of_vectors, ndcg_of_labels, ndcg_of_relevancies])
def test_the_ideal_rels_may_be_a_vector(function: Any) -> None:
    checked = examined(function, "nDCG@10")
    assert answer_of(checked).sentence.startswith("yes: ")
    assert checked.target.form.name == "ranked-ideal"


def rr_of_list(qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Any], k: int) -> float:
    """A ranking is whatever gives docs: a list, or a dict of scores, which are not looked at."""
    firsts = (next((i for i, doc in enumerate([*run[q]][:k], start=1) if qrels[q].get(doc, 0) > 0), 0) for q in run)
    return sum(1 / first if first else 0.0 for first in firsts) / len(run)


def rr_by_score(qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int) -> float:
    return rr_of_list(qrels, {q: sorted(docs, key=lambda doc: -docs[doc]) for q, docs in run.items()}, k)


def rr_as_they_come(qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int) -> float:
    """It takes dicts of scores alone, and never looks at the scores."""
    return rr_of_list(qrels, {q: [doc for doc, _ in docs.items()] for q, docs in run.items()}, k)


@pytest.mark.parametrize(
    ("function", "form", "begins"),
    [
        (rr_of_list, "qrels-ranked", "yes"),
        (rr_by_score, "qrels-run", "yes"),
        (rr_as_they_come, "qrels-run", "no: it never looks at the scores"),
    ],
)
def test_who_never_looks_at_scores_is_given_a_list_if_that_can_be(function: Any, form: str, begins: str) -> None:
    checked = examined(function, "RR@10")
    assert checked.target.form.name == form
    assert answer_of(checked).sentence.startswith(begins)


def reported(summary: str, others: Mapping[str, Any]) -> Callable[..., Any]:
    """A function whose result holds, among other things, the value within a dict of that name."""

    def report(qrels: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], k: int) -> Any:
        return {summary: {"queries": len(run), "mrr_at_k": rr_by_score(qrels, run, k), "recall_at_k": 0.5}, **others}

    return report


@pytest.mark.parametrize(
    "function",
    [
        reported("summary", {"version": 1, "per_query": []}),
        reported("metrics", {"config": {"k": 10, "mean": "arithmetic"}}),
        reported("overall", {"by_language": [{"mrr": 0.25}], "took": 0.5}),
    ],
)
def test_the_value_may_stand_in_a_part_of_a_report(function: Any) -> None:
    assert answered(function, "RR@10").startswith("yes: ")


def test_of_two_parts_of_a_report_none_is_chosen() -> None:
    with pytest.raises(BadFunction, match="let it give one measure"):
        examined(reported("summary", {"worst": {"mrr": 0.0}}), "RR@10")


def ap_of_matrix(prediction_matrix: np.ndarray, pos_label_idxs: Sequence[Sequence[int]]) -> dict[str, float]:
    """As workrb 0.6.0 has it: a row of scores for each query, and the places of its relevant docs."""
    found = []
    for scores, places in zip(np.asarray(prediction_matrix), pos_label_idxs, strict=True):
        ranks = [rank for rank, at in enumerate(np.argsort(-scores, kind="stable"), start=1) if at in [*places]]
        found.append(sum(i / rank for i, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0)
    return {"map": float(np.mean(found)), "rp@10": 0.5}


def first_of_matrix(scores: np.ndarray, gold_idxs: Sequence[Sequence[int]]) -> float:
    order = [[*np.argsort(-row, kind="stable")] for row in np.asarray(scores)]
    ranks = [[ranked.index(at) + 1 for at in places] for ranked, places in zip(order, gold_idxs, strict=True)]
    return sum(1 / min(each) if each else 0.0 for each in ranks) / len(ranks)


def hit_of_matrix(y_score: np.ndarray, relevant_positions: Sequence[Sequence[int]], k: int) -> float:
    tops = [{*np.argsort(-row, kind="stable")[:k]} for row in np.asarray(y_score)]
    return float(np.mean([bool(top & {*places}) for top, places in zip(tops, relevant_positions, strict=True)]))


@pytest.mark.parametrize(
    ("function", "measure"), [(ap_of_matrix, "AP"), (first_of_matrix, "RR"), (hit_of_matrix, "Success@3")]
)
def test_places_of_relevant_docs_may_stand_beside_a_table_of_scores(function: Any, measure: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith("yes")
    assert (checked.target.form.name, checked.target.batch) == ("places-scored", "table")


# -- functions that give functions ------------------------------------------------------------------------------------


def precision_at(k: int) -> Callable[[Sequence[str], Sequence[str]], float]:
    """As mlflow and others make a metric for a cutoff."""

    def precision(predictions: Sequence[str], targets: Sequence[str]) -> float:
        return len({*predictions[:k]} & {*targets}) / k

    return precision


def dcg_maker(topk: int = 3) -> Callable[[Sequence[int], Sequence[float]], float]:
    def dcg(y_true: Sequence[int], y_score: Sequence[float]) -> float:
        order = sorted(range(len(y_score)), key=lambda i: -y_score[i])[:topk]
        return sum(y_true[i] / math.log2(rank + 1) for rank, i in enumerate(order, start=1))

    return dcg


class _Hit(NamedTuple):
    n: int

    def __call__(self, ranked: Sequence[str], relevant: Sequence[str]) -> float:
        return float(any(doc in relevant for doc in ranked[: self.n]))


def make_hit(cutoff: int, name: str = "hit") -> _Hit:
    return _Hit(cutoff if name else 0)


def test_what_may_be_given_data_is_not_called_without_to_see_what_it_gives() -> None:
    called = []

    def of_both(y_true: Any = None, y_score: Any = None, k: int = 10) -> float:
        return called.append((y_true, y_score, k)) or 0.5

    def of_ids(ranked: Any = None, relevant: Any = (), *, k: int = 10) -> float:
        return called.append((ranked, relevant, k)) or 0.5

    def of_rels(rels: Any = None, k: int = 10, base: int = 2) -> float:
        return called.append((rels, base, k)) or 0.5

    for function in (of_both, of_ids, of_rels):
        load(Source("mine:f", parse("P@5"), None, function))
    assert called == []


@pytest.mark.parametrize(
    ("function", "measure", "call"),
    [
        (precision_at, "P@5", "precision_at(k=k)(ranked, relevant, k=)"),
        (dcg_maker, "DCG@4", "dcg_maker(topk=k)(y_true, y_score, topk=)"),
        (make_hit, "Success@5", "make_hit(cutoff=k)(ranked, relevant, cutoff=)"),
    ],
)
def test_a_function_of_a_cutoff_alone_may_give_the_function(function: Any, measure: str, call: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith("yes: ")
    assert (checked.target.of_class, checked.target.k_made) == (True, True)
    assert script_of(checked).splitlines()[-1].startswith(f"print({call.partition('=')[0]}=")


def rr_of_rank(rank: int | None) -> float:
    """One argument that is called as cutoffs are, and no function comes of it."""
    return 1 / rank if rank else 0.0


def test_a_function_of_a_rank_is_none_that_gives_functions() -> None:
    assert examined(rr_of_rank, "RR").target.form.name == "rank"


# -- a fifth sample: columns that are told, lists in series and frames, rows as tuples and dicts -----------------------


def tops(frame: pd.DataFrame, user: str, item: str, score: str) -> dict[str, list[str]]:
    """The docs of each query, each once, best first."""
    ranked = frame.sort_values(score, ascending=False, kind="stable").drop_duplicates([user, item])
    return {str(query): list(rows[item]) for query, rows in ranked.groupby(user)}


class HitsOfColumns:
    """As jurity 2.3.0 is told its columns: that of the scores is called as that of the clicks."""

    def __init__(self, user_id_column: str, item_id_column: str, click_column: str, k: int = 10) -> None:
        self.columns, self.k = (user_id_column, item_id_column, click_column), k

    def get_score(self, actual_results: pd.DataFrame, predicted_results: pd.DataFrame) -> float:
        """The share of queries with a hit."""
        user, item, click = self.columns
        found, clicked = tops(predicted_results, *self.columns), actual_results[actual_results[click] > 0]
        wanted = {query: {*clicked[clicked[user] == query][item]} for query in actual_results[user].unique()}
        return sum(bool(wanted[q] & {*found.get(q, [])[: self.k]}) for q in wanted) / len(wanted)


def recall_over_fewer_of_columns(
    true_df: pd.DataFrame, pred_df: pd.DataFrame, user_col: str, doc_col: str, rel_col: str, score_col: str, k: int = 5
) -> float:
    found, good = tops(pred_df, user_col, doc_col, score_col), true_df[true_df[rel_col] > 0]
    each = [({*rows[doc_col]}, found.get(str(query), [])[:k]) for query, rows in good.groupby(user_col)]
    return sum(len(wanted & {*got}) / min(k, len(wanted)) for wanted, got in each) / true_df[user_col].nunique()


class RankOfColumns:
    """The rank is counted from 0, and the first one lost."""

    def __init__(self, query_column: str, doc_column: str, col_rating: str = "grade") -> None:
        self.columns = (query_column, doc_column, col_rating)

    def evaluate(self, df_true: pd.DataFrame, df_pred: pd.DataFrame) -> float:
        """The mean over the queries of the judgments."""
        query, doc, grade = self.columns
        found, good = tops(df_pred, *self.columns), df_true[df_true[grade] > 0]
        firsts = [
            next((1 / at for at, one in enumerate(found.get(str(q), [])) if at and one in {*rows[doc]}), 0.0)
            for q, rows in good.groupby(query)
        ]
        return sum(firsts) / df_true[query].nunique()


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "begins"),
    [
        (RankOfColumns, "RR", "no: "),
        (HitsOfColumns, "Success@10", "yes"),
        (recall_over_fewer_of_columns, "R@5", "yes: recall_over_fewer_of_columns is R@5, with over min(k, R)"),
    ],
)
def test_columns_are_told_where_parameters_ask_for_them(function: Any, measure: str, begins: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith(begins)
    assert checked.target.container == "frame"
    if function is HitsOfColumns:
        made = "HitsOfColumns(user_id_column='user_id', item_id_column='item_id', click_column='rating', k="
        assert made in script_of(checked)


def by_user(predictions: Sequence[tuple[str, str, float, float, object]]) -> dict[str, list[float]]:
    """The rels of each user, the highest estimate first."""
    found: dict[str, list[tuple[float, float]]] = {}
    for uid, _, true_r, est, _ in predictions:
        found.setdefault(uid, []).append((est, true_r))
    return {uid: [true for _, true in sorted(rows, key=lambda row: -row[0])] for uid, rows in found.items()}


def precisions_and_recalls(predictions: Any, k: int = 10, threshold: float = 1) -> tuple[dict[str, float], ...]:
    """Of each user one and the other, as those of scikit-surprise's own example."""
    flags = {user: [rel >= threshold for rel in rels] for user, rels in by_user(predictions).items()}
    recalls = {user: sum(each[:k]) / sum(each) if any(each) else 0.0 for user, each in flags.items()}
    return {user: sum(each[:k]) / k for user, each in flags.items()}, recalls


def success_over_4(predictions: Any, k: int = 5, threshold: float = 4) -> float:
    tops_of = [rels[:k] for rels in by_user(predictions).values()]
    return sum(any(rel >= threshold for rel in top) for top in tops_of) / len(tops_of)


def rr_of_the_worst(test_predictions: Any) -> dict[str, float]:
    """By the names of the fields, and the lowest estimate first: a defect."""
    rows = sorted(test_predictions, key=lambda row: row.est)
    ranked = {row.uid: [other.r_ui for other in rows if other.uid == row.uid] for row in rows}
    return {uid: next((1 / i for i, rel in enumerate(rels, 1) if rel >= 1), 0.0) for uid, rels in ranked.items()}


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "begins"),
    [
        (
            success_over_4,
            "Success@5",
            "yes: success_over_4 is Success(rel=4)@5 by its own defaults, and not what was asked",
        ),
        (precisions_and_recalls, "P@10", "yes: "),
        (rr_of_the_worst, "RR", "no: the docs are ranked by ascending score"),
        (precisions_and_recalls, "R@10", "yes"),
    ],
)
def test_rows_may_be_tuples_as_surprise_predicts_them(function: Any, measure: str, begins: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith(begins)
    assert checked.target.form.name == "predictions"
    assert "collections.namedtuple('Prediction', 'uid iid r_ui est details')(*row) for row in [(" in script_of(checked)


def test_of_two_values_for_one_neither_is_taken_for_the_answer() -> None:
    """A precision and a recall: each is read by its place, and the two together are none."""
    for pair in (({"q": 0.5}, {"q": 1.0}), (0.5, 1.0)):
        with pytest.raises(NoNumber, match="two values for one"):
            read(pair, ["q"])
        assert [read(pair, ["q"], f"item:{i}") for i in (0, 1)] == [read(one, ["q"]) for one in pair]
    assert read(({"q": 0.5}, 0.25), ["q"]) == read((0.25, {"q": 0.5}), ["q"])


def dcg_of_dicts(results: Sequence[Mapping[str, Any]], k: int = 10) -> float:
    ranked = sorted(results, key=lambda row: -row["score"])[:k]
    return sum((2 ** row["relevance"] - 1) / math.log2(rank + 1) for rank, row in enumerate(ranked, start=1))


def precision_of_dicts(ranked_docs: list[dict[str, Any]], k: int = 5) -> float:
    """They are there in rank order, whatever is written of scores."""
    return {"score": sum(bool(row["is_relevant"]) for row in ranked_docs[:k]) / k}["score"]


def rr_of_a_frame(df: pd.DataFrame) -> float:
    """The rank is counted from 0, and the first one lost."""
    flags = list(df.sort_values("prediction", ascending=False, kind="stable").label >= 1)
    return next((1 / rank for rank, flag in enumerate(flags) if rank and flag), 0.0)


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "way", "begins"),
    [
        (dcg_of_dicts, "DCG@10", ("rows-of-query", "dicts"), "yes: dcg_of_dicts is DCG@10, with gain 2^rel - 1"),
        (rr_of_a_frame, "RR", ("rows-of-query", "frame"), "no: "),
        (precision_of_dicts, "P@5", ("rows-in-order", "dicts"), "yes: "),
    ],
)
def test_the_rows_of_a_query_may_be_dicts_or_a_frame(
    function: Any, measure: str, way: tuple[str, str], begins: str
) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith(begins)
    assert (checked.target.form.name, checked.target.container) == way


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def precision_of_series(predictions: pd.Series, targets: pd.Series, k: int = 5) -> list[float]:
    """As mlflow 2 has it: of each query a list, at its place."""
    return [len({*predictions.iloc[at][:k]} & {*targets.iloc[at]}) / k for at in range(len(targets))]


def recall_of_series(retrieved: Any, relevant: Any, k: int = 5) -> float:
    """Over k, where more are relevant."""
    pairs = zip(retrieved.map(lambda docs: docs[:k]), relevant, strict=True)
    return mean(len({*top} & {*good}) / min(k, len(good)) if good else 0.0 for top, good in pairs)


def rr_of_series(y_pred: pd.Series, y_true: pd.Series) -> float:
    """The rank is counted from 0, and the first one lost."""
    pairs = pd.concat([y_pred, y_true], axis=1).itertuples(index=False, name=None)
    return mean(next((1 / at for at, doc in enumerate(top) if at and doc in good), 0.0) for top, good in pairs)


def hits_of_lists(df: pd.DataFrame, k: int = 5) -> float:
    """A row for each query, in whose columns lists stand."""
    return float(df.apply(lambda row: bool({*row["retrieved"][:k]} & {*row["relevant_ids"]}), axis=1).mean())


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "way", "begins"),
    [
        (recall_of_series, "R@5", ("ids", "series"), "yes: recall_of_series is R@5, with over min(k, R)"),
        (rr_of_series, "RR", ("ids", "series"), "no: "),
        (precision_of_series, "P@5", ("ids", "series"), "yes: precision_of_series is P@5"),
        (hits_of_lists, "Success@5", ("records", "frame"), "yes: hits_of_lists is Success@5"),
    ],
)
def test_lists_of_ids_may_stand_in_series_and_frames(
    function: Any, measure: str, way: tuple[str, str], begins: str
) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith(begins)
    assert (checked.target.form.name, checked.target.container) == way


def ranked_column(scores: np.ndarray, rels: np.ndarray) -> np.ndarray:
    """The rels in rank order, of tables of one column."""
    return rels[np.argsort(-scores[:, 0], kind="stable"), 0]


def dcg_of_column(scores: np.ndarray, relevance: np.ndarray, k: int = 10) -> float:
    return sum(rel / math.log2(i + 1) for i, rel in enumerate(ranked_column(scores, relevance)[:k].tolist(), start=1))


def precision_of_column(y_true: Any, y_pred: Any, k: int = 5) -> float:
    """Over the docs that were retrieved, if these are fewer."""
    return float(np.mean(ranked_column(y_pred, y_true)[:k] >= 1)) if len(y_true) else 0.0


def rr_of_column(preds: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The first doc is never a hit: a defect."""
    ranks = np.flatnonzero(ranked_column(preds, target)[1:] >= 1) + 2
    return np.array([1 / ranks[0] if len(ranks) else 0.0])


@pytest.mark.in_parts(8)
@pytest.mark.parametrize(
    ("function", "measure", "begins"),
    [
        (precision_of_column, "P@5", "no: precision_of_column would be P@5 but for this: over min(k, n)"),
        (dcg_of_column, "DCG@10", "yes: dcg_of_column is DCG@10"),
        (rr_of_column, "RR", "no: "),
    ],
)
def test_the_docs_of_a_query_may_be_the_rows_of_one_column(function: Any, measure: str, begins: str) -> None:
    checked = examined(function, measure)
    assert answer_of(checked).sentence.startswith(begins)
    assert (checked.target.batch, checked.target.container) == ("column", "array")
    assert "called with tables of one column, which has a doc in each row" in checked.target.notes


def rr_on_device(scores: Sequence[float], labels: Sequence[int], device: str) -> float:
    assert device == "cpu"
    ranked = sorted(range(len(scores)), key=lambda at: -scores[at])
    return next((1 / rank for rank, at in enumerate(ranked, start=1) if labels[at] >= 1), 0.0)


def ap_unless_sorted(predictions: Sequence[float], labels: Sequence[int], presort: bool) -> float:  # noqa: FBT001
    ranked = range(len(labels)) if presort else sorted(range(len(labels)), key=lambda at: -predictions[at])
    hits_at = [rank for rank, at in enumerate(ranked, start=1) if labels[at] >= 1]
    return sum(i / rank for i, rank in enumerate(hits_at, start=1)) / len(hits_at) if hits_at else 0.0


def ndcg_by_label(batch_predict_rankings: Any, batch_ideal_rankings: Any, max_label: int, k: int = 10) -> list[float]:
    """As ptranking 0.0.3 calls its lists; the gain is divided by that of the highest rel."""

    def dcg(rels: Sequence[float]) -> float:
        return sum((2**rel - 1) / 2**max_label / math.log2(i + 1) for i, rel in enumerate(rels[:k], start=1))

    best = [dcg(ideal) or 1.0 for ideal in batch_ideal_rankings]
    return [dcg(rels) / each for rels, each in zip(batch_predict_rankings, best, strict=True)]


@pytest.mark.parametrize(
    ("function", "measure", "given", "begins"),
    [
        (ap_unless_sorted, "AP", "presort=False", "yes, where all relevant docs are retrieved: ap_unless_sorted is AP"),
        (ndcg_by_label, "nDCG@10", "max_label=4", "yes: ndcg_by_label is nDCG@10, with gain 2^rel - 1"),
        (rr_on_device, "RR", "device='cpu'", "yes: rr_on_device is RR"),
    ],
)
def test_what_has_one_value_for_such_a_call_is_given_it(function: Any, measure: str, given: str, begins: str) -> None:
    checked = examined(function, measure)
    assert checked.target.given == (given,)
    assert answer_of(checked).sentence.startswith(begins)


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
    monkeypatch: pytest.MonkeyPatch,
    function: Any,
    gives: bool,  # noqa: FBT001
) -> None:
    monkeypatch.setattr(called_things, "TRIED_FOR", 0.05)
    started = time.monotonic()
    found = load(Source("mine:f", parse("P@5"), None, function)).candidates.targets
    assert time.monotonic() - started < 30
    assert any(target.k_made for target in found) == gives


# -- the reciprocal rank of the first doc ---------------------------------------------------------------------------------


def rr_in_one_turn(relevant: Sequence[str], ranked: Sequence[str], k: int = 10) -> float:
    """It returns within the first turn of its loop."""
    for rank, doc in enumerate(ranked[:k], start=1):
        return 1 / rank if doc in relevant else 0.0
    return 0.0


def rr_of_top(relevant: Sequence[str], ranked: Sequence[str]) -> bool:
    return bool(ranked) and ranked[0] in relevant


def rr_of_two(relevant: Sequence[str], ranked: Sequence[str]) -> float:
    """The first two docs are looked at, and no other."""
    return next((1 / rank for rank, doc in enumerate(ranked[:2], start=1) if doc in relevant), 0.0)


@pytest.mark.parametrize(
    ("function", "measure", "is_it"),
    [(rr_of_two, "RR", False), (rr_of_top, "RR", True), (rr_in_one_turn, "RR@10", True)],
)
def test_who_looks_at_the_first_doc_alone_is_told_so(function: Any, measure: str, is_it: bool) -> None:  # noqa: FBT001
    said = answered(function, measure)
    assert said.startswith("no: ")
    assert said.startswith("no: only the first doc is looked at, so that it is P@1") == is_it


# -- ranks, by their name -------------------------------------------------------------------------------------------------


def rr_beyond_ranks(rank_list: Sequence[int]) -> float:
    """One is added to what is a rank already: a defect, and right of places from 0."""
    return mean(1 / (rank + 1) for rank in rank_list)


def hits_of_places(places: Sequence[int], k: int = 10) -> float:
    return mean(place < k for place in places)


def rr_of_ranks(gold_ranks: Sequence[int]) -> float:
    return mean(1 / rank for rank in gold_ranks)


@pytest.mark.parametrize(
    ("function", "measure", "form", "begins"),
    [
        (hits_of_places, "Success@10", "places", "yes"),
        (rr_beyond_ranks, "RR", "ranks", "no: "),
        (rr_of_ranks, "RR", "ranks", "yes"),
    ],
)
def test_where_ranks_begin_is_said_by_their_name(function: Any, measure: str, form: str, begins: str) -> None:
    checked = examined(function, measure)
    assert checked.target.form.name == form
    assert answer_of(checked).sentence.startswith(begins)
