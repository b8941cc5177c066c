"""Forms of metric functions as packages of the registry have them, each by three functions that are unlike, and one that is wrong."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankproof import cases as corpus
from rankproof.calling.arguments import arguments_of, contained, written
from rankproof.calling.call_candidates import Source, load
from rankproof.calling.call_forms import FORMS, IDS, call_in_order, expressed, is_asked
from rankproof.calling.finding import find
from rankproof.calling.given_values import NoNumber, read
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.checking.known_habits import unfollowed
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.judging.verdicts import Verdict
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of

HERE = Limits(isolated=False)
GIVEN = Input(
    qrels=(("q1", "a", 2), ("q1", "b", 0), ("q1", "u", 3), ("q2", "c", 1)),
    run=(("q1", "b", 0.5, 1), ("q1", "x", 0.25, 2), ("q1", "a", 0.75, 3), ("q2", "c", 0.5, 1)),
)


def dcg(rels: Sequence[float]) -> float:
    return sum(rel / math.log2(rank + 1) for rank, rel in enumerate(rels, start=1))


# -- the id of the query, beside what a form takes ----------------------------------------------------------------------


def ndcg_of_query(qid: str, targets: Sequence[float]) -> float:
    best = dcg(sorted(targets, reverse=True)[:10])
    return dcg(targets[:10]) / best if best and isinstance(qid, str) else 0.0


def recall_of_user(relevant_items: set[str], recommended: Sequence[str], user_id: str, k: int) -> float:
    assert user_id
    return len(relevant_items.intersection(recommended[:k])) / len(relevant_items) if relevant_items else 0.0


class SeenQueries:
    """Precision of one query after the other."""

    def __init__(self, k: int) -> None:
        self.k = k

    def evaluate(self, query_id: str, y_true: Sequence[float], y_score: Sequence[float]) -> float:
        """Of this query."""
        ranked = sorted(range(len(y_true)), key=lambda at: -y_score[at])[: self.k]
        return sum(y_true[at] >= 1 for at in ranked) / self.k if query_id else 0.0


# -- the ideal, sorted already ------------------------------------------------------------------------------------------


def ndcg_of_sorted(ranked_labels: Sequence[float], ideal_labels: Sequence[float], k: int) -> float:
    best = dcg(ideal_labels[:k])
    return dcg(ranked_labels[:k]) / best if best else 0.0


def ndcg_of_batches(batch_sorted_labels: np.ndarray, batch_ideal_sorted_labels: np.ndarray, k: int) -> Any:
    def summed(labels: Any) -> Any:
        cut = np.asarray(labels)[:, :k]
        return ((2.0**cut - 1) / np.log2(np.arange(cut.shape[1]) + 2)).sum(axis=1)

    return summed(batch_sorted_labels) / np.maximum(summed(batch_ideal_sorted_labels), 1e-9)


def recall_by_gain(gains: Sequence[float], best_ranking: Sequence[float], cutoff: int = 10) -> float:
    """Recall, by the ideal ranking down to its first doc that is not relevant."""
    n = next((at for at, rel in enumerate(best_ranking) if rel < 1), len(best_ranking))
    return sum(rel >= 1 for rel in gains[:cutoff]) / n if n else 0.0


# -- the places of the relevant docs, beside the scores of all -----------------------------------------------------------


def precision_of_places(scores: np.ndarray, relevant_indices: set[int], k: int) -> float:
    return len(set((-scores).argsort(kind="stable")[:k].tolist()) & relevant_indices) / k


def first_place(predictions: Sequence[float], gold_indices: Sequence[int], top_k: int) -> float:
    order = sorted(range(len(predictions)), key=lambda at: predictions[at], reverse=True)[:top_k]
    return max((1 / rank for rank, at in enumerate(order, start=1) if at in gold_indices), default=0.0)


def hit_of_places(logits: Sequence[float], positive_indices: Sequence[int], at_k: int) -> bool:
    return any(sum(other > logits[at] for other in logits) < at_k for at in positive_indices)


# -- and beside the ranks of all ----------------------------------------------------------------------------------------


def recall_of_ranks(ranks_row: np.ndarray, relevant_indices: set[int], k: int) -> float:
    first = set(np.argsort(ranks_row)[:k].tolist())
    return len(first & relevant_indices) / len(relevant_indices) if relevant_indices else 0.0


def reciprocal_of_ranks(item_ranks: Sequence[int], target_indices: Sequence[int]) -> float:
    best = min((item_ranks[at] for at in target_indices), default=None)
    return 0.0 if best is None else 1 / (best + 1)


def average_of_ranks(doc_ranks: Sequence[int], relevant_indices: Sequence[int]) -> float:
    places = sorted(doc_ranks[at] + 1 for at in relevant_indices)
    return sum(n / place for n, place in enumerate(places, start=1)) / len(places) if places else 0.0


# -- a list of rankings, and whose they are -----------------------------------------------------------------------------


def mean_of_listed(test_ur: Mapping[str, set[str]], pred_ur: Sequence[Sequence[str]], test_u: Sequence[str]) -> float:
    first = [
        next((1 / rank for rank, doc in enumerate(docs, start=1) if doc in test_ur[user]), 0.0)
        for user, docs in zip(test_u, pred_ur, strict=True)
    ]
    return sum(first) / len(first)


def hits_of_listed(
    users: Sequence[str], recommended: Sequence[Sequence[str]], relevant: Mapping[str, Any], k: int
) -> Any:
    return np.mean([bool(set(docs[:k]) & set(relevant[user])) for user, docs in zip(users, recommended, strict=True)])


def precisions_of_listed(
    ground_truth: Mapping[str, Any], rankings: Sequence[Sequence[str]], query_ids: Sequence[str], top_k: int = 10
) -> float:
    found = [
        sum(doc in ground_truth[query] for doc in rankings[at][:top_k]) / top_k for at, query in enumerate(query_ids)
    ]
    return math.fsum(found) / len(query_ids)


# -- a doc for each query -----------------------------------------------------------------------------------------------


def hit_rate_of_users(recs: Mapping[str, Sequence[str]], held_out: Mapping[str, str], k: int = 10) -> float:
    return sum(held_out[user] in recs[user][:k] for user in held_out) / len(held_out)


def reciprocal_of_users(ground_truth: dict[str, str], predictions: dict[str, list[str]]) -> float:
    found = (predictions[user].index(doc) for user, doc in ground_truth.items() if doc in predictions[user])
    return sum(1 / (at + 1) for at in found) / len(ground_truth)


def gains_of_users(gold: Mapping[str, str], run: Mapping[str, Sequence[str]], top_n: int) -> dict[str, float]:
    return {
        query: next((1 / math.log2(at + 2) for at, one in enumerate(run[query][:top_n]) if one == doc), 0.0)
        for query, doc in gold.items()
    }


# -- scores and rels in one argument ------------------------------------------------------------------------------------


class PairedHits:
    """Counts hits, as metrics of a training loop do."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.reset()

    def reset(self) -> None:
        """Forget all."""
        self.values: list[float] = []

    def update(self, output: tuple[Any, Any]) -> None:
        """Take a batch."""
        for scores, rels in zip(*output, strict=True):
            ranked = sorted(zip(scores, rels, strict=True), key=lambda pair: -pair[0])[: self.k]
            self.values.append(float(any(rel >= 1 for _, rel in ranked)))

    def compute(self) -> float:
        """The mean."""
        return sum(self.values) / len(self.values)


def paired_precision(outputs: tuple[Any, Any], k: int) -> float:
    scores, rels = (np.asarray(part) for part in outputs)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return float(((np.take_along_axis(rels, order, axis=1) >= 1).sum(axis=1) / k).mean())


class PairedFirst:
    """Keeps how far down the first hit was."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def update(self, output: Any) -> None:
        """Take a query."""
        (scores,), (rels,) = output
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        self.values.append(next((1 / rank for rank, at in enumerate(order, start=1) if rels[at] >= 1), 0.0))

    def compute(self) -> float:
        """The mean."""
        return math.fsum(self.values) / len(self.values)


# -- what a relevant doc is worth, which its id does not say -------------------------------------------------------------


def gain_of_one(retrieved: Sequence[str], gold: str, rel: float, k: int) -> float:
    gains = [rel * (doc == gold) for doc in dict.fromkeys(retrieved[:k])]
    return dcg(gains) / rel if rel else 0.0


def gain_of_many(relevant_docs: set[str], ranked: Sequence[str], gain: float, k: int) -> float:
    best = dcg([gain] * min(len(relevant_docs), k))
    seen: set[str] = set()
    gains = [gain * (doc in relevant_docs and doc not in seen and not seen.add(doc)) for doc in ranked[:k]]  # type: ignore[func-returns-value]
    return dcg(gains) / best if best else 0.0


def share_of_gain(gold_ids: Sequence[str], retrieved_ids: Sequence[str], grade: int, k: int) -> float:
    whole = grade * len(set(gold_ids))
    return sum(grade for doc in set(retrieved_ids[:k]) if doc in gold_ids) / whole if whole else 0.0


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure", "form", "order"),
    [
        (ndcg_of_query, "nDCG@10", "ranked", ("query_id", "ranked_rels")),
        (recall_of_user, "R@10", "ids", ("relevant", "ranked", "query_id")),
        (SeenQueries, "P@10", "rows", ("query_id", "y_true", "y_score")),
        (ndcg_of_sorted, "nDCG@10", "ranked-ideal", ("ranked_rels", "ideal_rels")),
        (ndcg_of_batches, "nDCG@10", "ranked-ideal", ("ranked_rels", "ideal_rels")),
        (recall_by_gain, "R@10", "ranked-ideal", ("ranked_rels", "ideal_rels")),
        (precision_of_places, "P@10", "places-scored", ("y_score", "relevant_places")),
        (first_place, "RR@10", "places-scored", ("y_score", "relevant_places")),
        (hit_of_places, "Success@10", "places-scored", ("y_score", "relevant_places")),
        (recall_of_ranks, "R@10", "places-ranked", ("rank_of_doc", "relevant_places")),
        (reciprocal_of_ranks, "RR", "places-ranked", ("rank_of_doc", "relevant_places")),
        (average_of_ranks, "AP", "places-ranked", ("rank_of_doc", "relevant_places")),
        (mean_of_listed, "RR", "listed", ("relevant_of_listed", "ranked_listed", "queries_listed")),
        (hits_of_listed, "Success@10", "listed", ("queries_listed", "ranked_listed", "relevant_of_listed")),
        (precisions_of_listed, "P@10", "listed", ("relevant_of_listed", "ranked_listed", "queries_listed")),
        (hit_rate_of_users, "Success@10", "queries-one", ("ranked_of_query", "doc_of_query")),
        (reciprocal_of_users, "RR", "queries-one", ("doc_of_query", "ranked_of_query")),
        (gains_of_users, "nDCG@10", "queries-one", ("doc_of_query", "ranked_of_query")),
        (PairedHits, "Success@10", "rows-paired", ("scores_with_rels",)),
        (paired_precision, "P@10", "rows-paired", ("scores_with_rels",)),
        (PairedFirst, "RR", "rows-paired", ("scores_with_rels",)),
        (gain_of_one, "nDCG@10", "one-id", ("ranked", "relevant_doc")),
        (gain_of_many, "nDCG@10", "ids", ("relevant", "ranked")),
        (share_of_gain, "R@10", "ids", ("relevant", "ranked")),
    ],
)
def test_each_form_is_recognised_by_its_names_and_all_its_answers_are_explained(
    function: Any, measure: str, form: str, order: tuple[str, ...]
) -> None:
    found = recognised(Session(Source("mine:f", parse(measure), None, function), HERE))
    assert (found.form.name, found.order) == (form, order)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}
    assert not checked.ordinary.misses


CASES = corpus.load_all()[::8]
"""A part of the cases, which is enough to tell these functions from wrong ones."""


def examined(function: Any, measure: str) -> Checked:
    return examine(function, measure, cases=CASES, limits=HERE)


def last_places(scores: Sequence[float], relevant_indices: Sequence[int], k: int) -> float:
    """Ascending."""
    order = sorted(range(len(scores)), key=lambda at: scores[at])[:k]
    return sum(at in relevant_indices for at in order) / k


def ranks_from_the_end(ranks_row: Sequence[int], relevant_indices: Sequence[int], k: int) -> float:
    """The highest rank first."""
    order = sorted(range(len(ranks_row)), key=lambda at: -ranks_row[at])[:k]
    return sum(at in relevant_indices for at in order) / k


def turned_listed(test_ur: Mapping[str, Any], pred_ur: Sequence[Any], test_u: Sequence[str]) -> float:
    """The rankings of the users in the other order."""
    return mean_of_listed(test_ur, pred_ur[::-1], test_u)


def too_ideal(ranked_labels: Sequence[float], ideal_labels: Sequence[float], k: int) -> float:
    """The ideal lacks its last doc."""
    return ndcg_of_sorted(ranked_labels, ideal_labels[:-1], k)


def sorted_by_rels(outputs: tuple[Any, Any], k: int) -> float:
    """Scores and rels exchanged."""
    return paired_precision((outputs[1], outputs[0]), k)


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"),
    [(last_places, "P@10"), (ranks_from_the_end, "P@10"), (turned_listed, "RR"), (too_ideal, "nDCG@10"), (sorted_by_rels, "P@10")],
)  # fmt: skip
def test_by_each_form_what_is_wrong_is_not_called_right(function: Callable[..., float], measure: str) -> None:
    try:
        checked = examined(function, measure)
    except BadFunction:
        return
    assert checked.lead in {Verdict.UNEXPLAINED, Verdict.DEFECT}


def test_places_are_a_set_and_the_numbers_beside_them_an_array_where_that_is_meant() -> None:
    target = Target("m:f", FORMS["places-scored"], ("y_score", "relevant_places"), container="arrays-set")
    told = expressed(target.form, GIVEN)
    assert told is not None
    scores, places = arguments_of(target, told, "q1")
    assert isinstance(contained(target, "y_score", scores), np.ndarray)
    assert contained(target, "relevant_places", places) == {2}
    assert written(target, "y_score", scores) == "numpy.array([0.5, 0.25, 0.75])"


def test_a_pair_is_written_as_a_pair_of_what_the_container_says() -> None:
    pair = ([[0.5]], [[1]])
    form = FORMS["rows-paired"]
    assert written(Target("m:f", form), "scores_with_rels", pair) == "([[0.5]], [[1]])"
    assert (
        written(Target("m:f", form, container="array"), "scores_with_rels", pair)
        == "(numpy.array([[0.5]]), numpy.array([[1]]))"
    )


def test_the_id_of_the_query_is_no_part_of_a_forms_call() -> None:
    assert call_in_order(FORMS["ids"], ("query_id", "ranked", "relevant")) == "f(ranked, relevant, k)"


def test_a_list_of_a_value_for_each_query_may_be_all_that_a_dict_holds() -> None:
    named = {"MRR@10": [0.5, 0.25]}
    assert read(named, ["a", "b"], "by-qrels").per_query == {"a": 0.5, "b": 0.25}
    assert read(named, ["a", "c", "b"], "by-run", None, ["a", "b"]).per_query == {"a": 0.5, "b": 0.25}
    with pytest.raises(NoNumber, match="it gave 2 values for 1 query"):
        read(named, ["a"], "by-qrels")


def told_from_classes(y_true: Sequence[float], y_score: Sequence[float], k: int) -> float:
    if all(float(score).is_integer() for score in y_score):
        raise ValueError("y_score should be continuous")
    ranked = sorted(range(len(y_true)), key=lambda at: -y_score[at])[:k]
    return sum(y_true[at] >= 1 for at in ranked) / k


def of_probabilities(targets: np.ndarray, predictions: np.ndarray) -> float:
    if (predictions == np.floor(predictions)).all():
        raise TypeError("predictions are labels")
    ranked = targets[np.argsort(-predictions, kind="stable")] >= 1
    return float(1 / (ranked.argmax() + 1)) if ranked.any() else 0.0


def of_no_classes(y_true: Sequence[float], y_pred: Sequence[float], k: int = 10) -> float:
    assert set(y_pred) - set(range(-2000, 2000)), "y_pred holds classes"
    best = dcg(sorted(y_true, reverse=True)[:k])
    gains = [rel for _, rel in sorted(zip(y_pred, y_true, strict=True), key=lambda pair: -pair[0])]
    return dcg(gains[:k]) / best if best else 0.0


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(told_from_classes, "P@10"), (of_probabilities, "RR"), (of_no_classes, "nDCG@10")]
)
def test_who_raises_for_scores_that_are_whole_numbers_is_asked_where_it_does_not(function: Any, measure: str) -> None:
    found = recognised(Session(Source("mine:f", parse(measure), None, function), HERE))
    assert found.of_fractions
    assert any("all scores of a query are whole numbers" in note for note in found.notes)
    whole = Input(GIVEN.qrels, tuple((q, doc, 4 * score, rank) for q, doc, score, rank in GIVEN.run))
    assert (is_asked(found, GIVEN, None), is_asked(found, whole, None)) == (True, False)
    checked = examined(function, measure)
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


def test_who_raises_for_no_whole_scores_is_asked_them() -> None:
    assert not recognised(Session(Source("mine:f", parse("P@10"), None, sums_flags), HERE)).of_fractions


@pytest.mark.parametrize(
    ("axis", "value"),
    [("grades", "two-values"), ("grades", "binary"), ("grades", "whole-to-4"), ("ids", "text-docs"), ("allrel", "rejected")],
)  # fmt: skip
def test_that_input_is_refused_is_nothing_odd_though_nobody_known_does_it(axis: str, value: str) -> None:
    assert unfollowed(parse("R@10"), {axis: (value,)}) is None


def sums_flags(y_true: Sequence[float], y_score: Sequence[float], k: int) -> float:
    """P, where a rel of 3 is three docs."""
    ranked = sorted(range(len(y_true)), key=lambda at: -y_score[at])[:k]
    return sum(y_true[at] for at in ranked) / k


def sums_into_recall(ranked_rels: Sequence[float], n_relevant: float, k: int) -> float:
    return sum(ranked_rels[:k]) / n_relevant if n_relevant else 0.0


def sums_into_average(y_true: Sequence[float], y_score: Sequence[float]) -> float:
    ranked = [y_true[at] for at in sorted(range(len(y_true)), key=lambda at: -y_score[at])]
    hits = [sum(ranked[:rank]) / rank for rank, rel in enumerate(ranked, start=1) if rel]
    return sum(hits) / len(hits) if hits else 0.0


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "measure"), [(sums_flags, "P@10"), (sums_into_recall, "R@10"), (sums_into_average, "AP")]
)
def test_a_sum_of_rels_is_beyond_no_bound_of_a_measure_that_has_flags_alone(function: Any, measure: str) -> None:
    checked = examined(function, measure)
    assert checked.excess is None
    assert checked.lead in {Verdict.AGREES, Verdict.CONVENTION}


@pytest.mark.parametrize(
    ("path", "named"), [("rmod/metrics.py", "rmod.metrics"), ("rdeep/eval/ranks.py", "rdeep.eval.ranks"), ("rx/y/z/w.py", "rx.y.z.w")]
)  # fmt: skip
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


# -- ids that are whole numbers, as the annotations say ---------------------------------------------------------------


def are_numbers(ids: Iterable[object]) -> bool:
    return all(isinstance(one, int) and one > 0 for one in ids)


def precision_of_numbers(relevant: list[int], ranked: list[int], k: int) -> float:
    assert are_numbers([*relevant, *ranked])
    return len({*relevant} & {*ranked[:k]}) / k


def precision_of_fewer_numbers(relevant: set[int], ranked: Sequence[int], k: int) -> float:
    assert are_numbers([*relevant, *ranked])
    return len(relevant & {*ranked[:k]}) / min(k, len(ranked)) if ranked else 0.0


def recall_of_users(actual: dict[int, set[int]], predicted: dict[int, list[int]], k: int) -> dict[int, float]:
    assert are_numbers(item for items in (*actual.values(), *predicted.values()) for item in items)
    return {user: len(items & {*predicted.get(user, [])[:k]}) / len(items) for user, items in actual.items() if items}


@pytest.mark.parametrize(
    ("function", "measure", "begins"),
    [
        (precision_of_numbers, "P@5", "yes: precision_of_numbers is P@5"),
        (precision_of_fewer_numbers, "P@5", "no: precision_of_fewer_numbers would be P@5 but for this: over min(k, n)"),
        (recall_of_users, "R@10", "yes: recall_of_users is R@10, with "),
    ],
)
def test_ids_are_whole_numbers_where_annotations_say_so(function: Any, measure: str, begins: str) -> None:
    checked = examined(function, measure)
    assert checked.target.numbered
    assert answer_of(checked).sentence.startswith(begins)


def test_numbers_stand_for_ids_in_their_order() -> None:
    """Doc b is 2 whether it is judged or retrieved; what is not asked for numbers is given its ids."""
    of_numbers = Target("f", IDS, ("relevant", "ranked"), numbered=True)
    assert arguments_of(of_numbers, GIVEN, "q1") == [[1, 4], [2, 5, 1]]  # a b c u x
    assert arguments_of(of_numbers, GIVEN, "q2") == [[3], [3]]
    assert arguments_of(replace(of_numbers, numbered=False), GIVEN, "q1") == [["a", "u"], ["b", "x", "a"]]


def ways_of(relevant: str, ranked: str, k: str) -> list[Target]:
    """The ways to call a function of ids whose parameters are annotated so, beside the id of a query."""

    def f(user_id: Any, relevant: Any, ranked: Any, k: Any) -> float:
        return float(relevant == ranked == k == user_id)

    f.__annotations__ = {"user_id": "str", "relevant": relevant, "ranked": ranked, "k": k}
    ways = load(Source("mine:f", parse("P@5"), None, f)).candidates.targets
    return [way for way in ways if "ranked" in way.order]


@pytest.mark.parametrize(
    ("relevant", "ranked", "k"),
    [
        ("list[int]", "list[str]", "Optional[int]"), ("set[Any]", "list[Any]", "list[int]"), ("list[Any]", "Ids", "Sequence[int]"),
        ("Iterable", "list", "list[int] | int"),
    ],
)  # fmt: skip
def test_other_annotations_ask_for_no_numbers(relevant: str, ranked: str, k: str) -> None:
    """Nor do ids of which some are texts, or several cutoffs."""
    ways = ways_of(relevant, ranked, k)
    assert ways
    assert not any(way.numbered for way in ways)


@pytest.mark.parametrize(
    ("relevant", "ranked"), [("set[int]", "list[int]"), ("Any", "Sequence[int]"), ("list[int]", "Any")]
)
def test_the_id_of_a_query_may_be_a_text_beside_numbers(relevant: str, ranked: str) -> None:
    ways = ways_of(relevant, ranked, "int")
    assert ways
    assert all(way.numbered for way in ways)


# -- rels that are true or false, as the annotations say --------------------------------------------------------------


def precision_of_flags(flags: list[bool], k: int) -> float:
    return sum(flags[:k]) / k


def dcg_of_flags(hits: "list[bool]", k: int) -> float:
    return dcg(hits[:k])


def ap_of_the_top(scores: list[float], labels: list[bool]) -> float:
    ranked = [label for _, label in sorted(zip(scores, labels, strict=True), key=lambda pair: -pair[0])]
    return sum(sum(ranked[:at]) / at for at in range(1, len(ranked) + 1) if ranked[at - 1]) / max(sum(labels), 1) / 2


@pytest.mark.parametrize(
    ("function", "measure", "begins", "ends"),
    [
        (precision_of_flags, "P@10", "yes: precision_of_flags is P@10", "P@10"),
        (
            dcg_of_flags,
            "DCG@10",
            "yes, where every rel is 0 or 1: dcg_of_flags is DCG@10",
            "; undetermined: the gain of other rels",
        ),
        (ap_of_the_top, "AP", "no: ", ""),
    ],
)
def test_rels_are_flags_where_annotations_say_so(function: Any, measure: str, begins: str, ends: str) -> None:
    """What it would make of other rels is not asked, and not told."""
    checked = examined(function, measure)
    said = answer_of(checked).sentence
    assert (said.startswith(begins), said.endswith(ends)) == (True, True)
    assert {rel for one in checked.seen for _, _, rel in one.question.case.input.qrels if rel > 0} == {1}
    assert measure != "DCG@10" or "|gain:?" in str(checked.signature)
