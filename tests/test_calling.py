"""A person's function is recognised by what its parameters are called or by trying, and asked only what it can be told."""

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from packaged import made

from rankproof import cases as corpus
from rankproof.calling.argument_names import K
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import FORMS, expressed, form_named, is_asked, order_named
from rankproof.calling.calls import observe
from rankproof.calling.given_values import cutoffs_beside
from rankproof.calling.targets import FROM_K, TO_K, BadFunction, Target
from rankproof.cases.inputs import Input
from rankproof.checking import call_search, likely_ways, trials
from rankproof.checking.call_notes import notes_of
from rankproof.checking.call_search import told_more
from rankproof.checking.differing import precisions
from rankproof.checking.examining import examine
from rankproof.checking.likely_ways import Numbers
from rankproof.checking.recognising import recognised
from rankproof.checking.trials import Fit, TriedWay
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import summary
from rankproof.time_limit import TookTooLong, limited
from rankproof.workers.observations import Answered, Failure

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import metrics_to_check as mine

HERE = Limits(isolated=False)
"""Asked here: what it is told and how it is read is no matter of processes."""
SOME = corpus.load_all()[::20]
DEEP = corpus.load_matching(["denominators/spark-*", "notebooks/trec-table-*"])
"""Those that ask P at 15, and at 50."""
SEVERAL = "asked for several cutoffs at once, it does not give each its value; asked for one alone, it does"


def recognised_as(function: Any, measure: str = "nDCG@10", form: str = "", **given: Any) -> Target:
    wanted = form_named(form) if form else None
    order = order_named(form, wanted) if wanted else ()
    return recognised(Session(Source("mine:f", parse(measure), wanted, function, given, order), HERE))


GIVEN = Input(
    qrels=(("q1", "a", 2), ("q1", "b", 0), ("q1", "u", 1), ("q2", "c", 1), ("q3", "d", 1)),
    run=(("q1", "b", 0.9, 1), ("q1", "a", 0.5, 2), ("q2", "x", 0.3, 1), ("q2", "c", 0.2, 2), ("q4", "e", 0.1, 1)),
)


def told_by(form: str) -> Input:
    told = expressed(FORMS[form], GIVEN)
    assert told is not None
    return told


IN_ROWS = ([1, 0], [0.5, 0.4])


@pytest.mark.in_turn
@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "fault", "filled", "given"),
    [
        (mine.gives_text, "k=10): it gave '0.5', which is no number", "", IN_ROWS),
        (mine.asynchronous, "it is async and gave a coroutine", "", IN_ROWS),
        (
            mine.needs_more,
            "needs_more needs tokenizer: say what that is, as --with tokenizer=VALUE, or bind it, as by functools.partial",
            "'bpe'",
            IN_ROWS,
        ),
        (
            mine.several_measures,
            "it gave recall, precision for a query; let it give one measure",
            "['q1']['recall']",
            ({"q1": {"a": 1}}, {"q1": {"a": 0.5}}),
        ),
        (mine.recall_at_five, "it gave {'recall@5': ", "['recall@5']", (["a"], {"a"})),
        (mine.divides_by_zero, "divides_by_zero([1, 0, 1, 0], k=10): ZeroDivisionError: ", "", ()),
        (mine.named_by_measure, "it gave a dict of recall, mean", "", ()),
        (3, " cannot be called by the number of its arguments", "", ()),
    ],
)
def test_what_answers_no_form_is_refused_with_the_call_and_a_wrapper_that_can_be_asked(
    function: Any, fault: str, filled: str, given: Sequence[Any]
) -> None:
    """But for what only a person knows, which stands there as three dots."""
    name = getattr(function, "__name__", "function")
    with pytest.raises(BadFunction) as refused:
        recognised(Session(Source(f"metrics_to_check:{name}", parse("nDCG@10"), None, function), HERE))
    assert fault in str(refused.value)
    assert "name its form by --form, as " in str(refused.value)
    if given:
        lines = refused.value.wrapper.splitlines()
        assert (len(lines), lines[0]) == (3, f"from metrics_to_check import {name}")
        text, wrapped = refused.value.wrapper.replace("[...]", filled or "[...]").replace("=...", f"={filled}"), {}
        exec(text, wrapped)  # noqa: S102 - our own text
        assert isinstance(wrapped["wrapped"](*given), float)


@pytest.mark.parametrize(
    ("means", "also"), [([0.3333, 0.6667], ("4 decimals",)), ([0.3333, 0.5], ()), ([1 / 3, 0.6667, 0.3333], ())]
)
def test_means_of_0_and_1_may_be_what_is_rounded(means: list[float], also: tuple[str, ...]) -> None:
    question = SimpleNamespace(case=SimpleNamespace(queries=["q1", "q2", "q3"]))
    seen = [SimpleNamespace(question=question, answer=Answered({"q1": 0.0, "q2": 1.0}, mean)) for mean in means]
    assert precisions(seen) == ("float64", "float32", *also)  # type: ignore[arg-type]  # as above


# -- trials, and of several ways the one that explains most -------------------------------------------------------------


@pytest.mark.parametrize("trial", [trials.long_trial, trials.long_flags, trials.many_flags])
def test_no_docs_of_a_trial_are_tied_whatever_the_cutoff(trial: Callable[[int | None], Input]) -> None:
    """How a function is called is no matter of its order of ties."""
    for k in (None, *range(1, 40), 100):
        data = trial(k)
        assert len({(query, score) for query, _, score, _ in data.run}) == len(data.run), k
        assert len({(query, doc) for query, doc, *_ in data.run}) == len(data.run), k


def test_who_looks_for_docs_in_the_one_relevant_doc_finds_more_than_it() -> None:
    """`in` finds a doc in a list by its whole id, and in a text by a part of it: so a trial tells which of the two is wanted."""
    relevant = {query: [doc for doc, rel in rows if rel] for query, rows in trials.RAGGED.judged.items()}
    alone = {query: str(docs[0]) for query, docs in relevant.items() if len(docs) == 1}
    found = {query: [doc for doc, *_ in trials.RAGGED.scored[query] if str(doc) in one] for query, one in alone.items()}
    assert len(found) == 2
    assert all(len(docs) > 1 for docs in found.values())


def hits_at(docs: Sequence[Any], relevant: Container[Any], k: int | None) -> float:
    return float(sum(doc in relevant for doc in docs[:k]))


def in_rank_order(data: Input, query: str) -> list[Any]:
    return [doc for doc, _, _ in sorted(data.scored[query], key=lambda row: -row[1])]


def with_rel(data: Input, query: str) -> list[Any]:
    return [doc for doc, rel in data.judged[query] if rel > 0]


def places_in_the_qrels(data: Input, query: str, k: int | None) -> float:
    """How many of the first judged docs are the first of the run."""
    return hits_at([doc for doc, _ in data.judged[query]], in_rank_order(data, query)[:2], k)


@pytest.mark.parametrize(
    ("is_likely", "measure", "of"),
    [
        (True, "P@5", lambda data, q, k: hits_at(in_rank_order(data, q), with_rel(data, q), k)),
        (False, "P@5", lambda data, q, k: hits_at([doc for doc, *_ in data.scored[q]], with_rel(data, q), k)),
        (True, "SetP", lambda data, q, _k: hits_at([doc for doc, *_ in data.scored[q]], with_rel(data, q), None)),
        (False, "P@5", lambda data, q, k: hits_at(in_rank_order(data, q), dict(data.judged[q]), k)),
        (False, "SetP", lambda data, q, _k: float(len(data.judged[q]))),
        (False, "P@5", lambda data, q, k: places_in_the_qrels(data, q, k) + len(with_rel(data, q))),
    ],
    ids=["honest", "order-of-rows", "set-without-order", "keys-of-the-qrels", "never-rels", "ranks-the-judgments"],
)
def test_a_way_is_likely_that_hangs_on_what_the_measure_looks_at(
    measure: str, of: Callable[[Input, str, int | None], float], *, is_likely: bool
) -> None:
    asked = parse(measure)

    def every(data: Input, k: int | None) -> Numbers:
        return tuple((query, of(data, query, k)) for query in data.judged)

    def first_alone(data: Input, k: int | None) -> Numbers | None:
        return every(data, k) if data == trials.long_flags(asked.k) else None

    assert likely_ways.is_likely(asked, asked.k, every, any_k=True) is is_likely
    assert likely_ways.is_likely(asked, asked.k, first_alone, any_k=True), "what was not answered is nothing against it"


@pytest.mark.parametrize(
    ("known", "tried", "more"),
    [(2, 3, [6, 7, 9]), (2, 4, [9]), (2, 5, []), (1, 3, []), (0, 1, []), (2, 1, [2, 5, 6, 7, 9])],
)
def test_of_few_trials_a_named_way_explains_some_by_chance_and_one_comes_first_that_is_told_twice_as_many(
    known: int, tried: int, more: list[int]
) -> None:
    def way(known: int, so_many: int) -> TriedWay:
        target = Target("mine:f", FORMS["one-id"], ("a", "b"), known=known)
        return TriedWay(0, target, 0, tried=[trials.Tried(trials.PLAIN, 5, Answered(None, 1.0))] * so_many)

    others = [way(2, so_many) for so_many in (9, 2, 6, 5, 7)]
    assert sorted(len(one.tried) for one in told_more(way(known, tried), others)) == more


def rbp(patience: float) -> Callable[[list[float]], float]:
    return lambda ranked_rels: (1 - patience) * sum((rel >= 1) * patience**i for i, rel in enumerate(ranked_rels))


def f_of_rows(beta: float, least: int) -> Callable[[list[float], list[float], int], float]:
    def f(y_true: list[float], y_score: list[float], k: int) -> float:
        relevant = [rel >= least for _, rel in sorted(zip(y_score, y_true, strict=True), reverse=True)]
        hits, total = sum(relevant[:k]), sum(relevant)
        return (1 + beta**2) * hits / (k + beta**2 * total) if hits else 0.0

    return f


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "measure", "seems"),
    [
        *((rbp(p), "RBP", f"RBP(p={p})") for p in (0.5, 0.9, 0.95)),
        *((f_of_rows(beta, 1), "F@5", f"F(beta={beta})@5") for beta in (0.5, 2)),
        *((f_of_rows(1, least), "F@5", f"F(rel={least})@5") for least in (2, 3, 4)),
        (f_of_rows(2, 2), "F(rel=2)@5", "F(rel=2, beta=2)@5"),
        (f_of_rows(2, 2), "F(beta=2)@5", "F(rel=2, beta=2)@5"),
        (f_of_rows(1, 1), "F@5", ""),
        (rbp(0.8), "RBP", ""),
        (rbp(0.7), "RBP", ""),
    ],
)
def test_numbers_that_people_write_in_their_functions_are_tried(function: Any, measure: str, seems: str) -> None:
    found = recognised_as(function, measure)
    assert found.seems == (str(parse(seems)) if seems else "")
    assert found.by_default == "", "no default of its own says so"


def f_by_default(y_true: list[float], y_score: list[float], k: int, beta: float = 1) -> float:
    return f_of_rows(beta, 1)(y_true, y_score, k)


P_FROM_3 = made(
    "f(ranked_rels, k, threshold=3, *, is_in=True)", "sum((rel >= threshold) is is_in for rel in ranked_rels[:k]) / k"
)
P_ABOVE = made("f(ranked_rels, k, *, rel=2.5)", "sum(given > rel for given in ranked_rels[:k]) / k")


@pytest.mark.parametrize(
    ("function", "measure", "defaults", "by_default"),
    [
        (f_by_default, "F(beta=2)@5", ("beta=1",), "F(beta=1)@5"),
        (f_by_default, "F@5", ("beta=1",), ""),
        (P_FROM_3, "P@5", ("threshold=3",), "P(rel=3)@5"),
        (P_ABOVE, "P@5", ("rel=2.5",), "P(rel=2.5)@5"),
    ],
)
def test_a_number_that_a_function_has_by_default_is_tried_and_said_though_it_is_that_of_the_measure_alone(
    function: Any, measure: str, defaults: tuple[str, ...], by_default: str
) -> None:
    found = recognised_as(function, measure)
    assert (found.given, found.defaults, found.by_default) == ((), defaults, by_default)


def way(form: str, explained: int, *, known: int = 0, rank: int = 0, other: str = "", **how: Any) -> TriedWay:
    """A way of arguments (a, b), whose names say the first so many of these, with so many of nine answers explained."""
    target = Target("mine:f", FORMS[form], ("a", "b"), known=known, **how)
    fit = Fit(explained / 9, 0.0, explained, 9, 5, 9)
    return TriedWay(0, target, rank, fit=fit, other=parse(other) if other else None)


def test_of_the_other_forms_that_give_numbers_the_two_that_explain_most_are_told() -> None:
    forms = [("rows", 1), ("scored-ids", 4), ("ids", 2), ("pairs", 3), ("qrels-run", 0)]
    best, *others = (way(form, explained, rank=i) for i, (form, explained) in enumerate([("ranks", 5), *forms]))
    less = [way("pairs", 2, container="set"), way("ranks", 4, container="array"), way("pairs", 1, container="array")]
    told = next(notes_of(best, [less[0], others[0], best, *others[1:], *less[1:]], []))
    assert told.endswith(
        "5 of 9 trial answers are explained as ranks (a, b), 4 as scored-ids (a, b), 3 as pairs (a, b)"
    )


@pytest.mark.parametrize(
    ("best", "told"),
    [
        (way("ids", 9, known=2), []),
        (way("ids", 4, known=2), ["4 of 9 trial answers are explained as ids (a, b), 3 as rows (a, b)"]),
        (
            way("ids", 9, known=2, docs="from-k"),
            ["it raises where a query has fewer docs than the cutoff: asked only where it has as many"],
        ),
        (
            way("ids", 9, known=2, docs="from-k", reads="place"),
            ["it has no value where a query has fewer docs than the cutoff: asked only where it has as many"],
        ),
        (
            way("ids", 9, known=2, docs="to-k", reads="place"),
            ["it raises where a query has more docs than the cutoff: asked only where it has no more"],
        ),
        (
            way("ids", 9, known=2, docs="beyond-k"),
            ["it raises where a query has no more docs than the cutoff: asked only where it has more"],
        ),
        (
            way("ids", 9, known=2, made=("MAX_REL=4", "a=1"), given=("b=2", "Gain=3")),
            [
                "called with MAX_REL=4: the highest rel that a doc may have",
                "called with Gain=3: what a relevant doc is worth",
            ],
        ),
        (
            way("ids", 9, known=2, of_fractions=True),
            ["it raises where all scores of a query are whole numbers: asked only where some are not"],
        ),
        (way("ids", 9, known=2, defaults=("beta=2", "c=3", "d=4")), ["called with its own defaults: beta=2, c=3, d=4"]),
        (
            way("ids", 0, known=2, other="F(beta=2)@5", defaults=("beta=2", "c=3", "w=2")),
            [
                (
                    "its answers are those of F(beta=2)@5, by its own default beta=2, by its own default w=2: "
                    "ask for that measure, by -m 'F(beta=2)@5'"
                )
            ],
        ),
    ],
)
def test_what_no_name_tells_and_what_is_left_out_is_noted(best: TriedWay, told: list[str]) -> None:
    alike = way("ids", 2, known=2, container="array")
    others = [alike, way("pairs", 1), best, *([way("rows", 3, known=2)] if best.fit.explained == 4 else [])]
    assert list(notes_of(best, others, [])) == told


def test_that_it_is_right_at_each_cutoff_alone_is_said_where_it_is_not_at_several() -> None:
    for right, alone, several, told in ((4, 9, True, [SEVERAL]), (4, 9, False, []), (9, 9, True, []), (4, 8, True, [])):
        best = way("ids", right, known=2, several=several)
        assert list(notes_of(best, [], [way("ids", 1), way("ids", alone)])) == told


@pytest.mark.parametrize(
    ("raised", "there", "is_so"),
    [
        ("..xx", "..xx", True),
        ("...x", "..xx", False),
        (".xxx", "..xx", False),
        ("..x.xx", "..xxxx", True),
        ("..xx..", "..xxxx", False),
        ("xx", "xx", False),
        ("....", "....", False),
        ("....", "..xx", False),
    ],
)
def test_it_raises_for_few_docs_alone_if_it_does_in_more_than_half_of_such_trials_and_in_no_other(
    raised: str, there: str, *, is_so: bool
) -> None:
    answers = [Failure("error", "too few") if one == "x" else Answered(None, 0.5) for one in raised]
    tried = replace(way("ids", 9), tried=[trials.Tried(trials.PLAIN, 5, answer) for answer in answers])
    assert call_search._raises_alone(tried, [one == "x" for one in there]) is is_so


# -- which list is which: told by answers, by annotations or by the person, and never guessed --------------------


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("measured", "measure", "order"),
    [
        ("len(set(a[:k]) & set(b)) / k", "P@10", ("ranked", "relevant")),
        ("sum(one in a for one in b[:k]) / k", "P@10", ("relevant", "ranked")),
        ("len(set(a) & set(b[:k])) / len(a) if len(a) else 0.0", "R@10", ("relevant", "ranked")),
    ],
)
def test_answers_tell_which_list_is_the_ranking_where_no_name_does(
    measured: str, measure: str, order: tuple[str, ...]
) -> None:
    found = recognised_as(made("share(a, b, k)", measured), measure)
    assert (found.form.name, found.order) == ("ids", order)
    assert found.notes[0].startswith("no names tell its arguments: ")
    assert f"trial answers are explained as ids ({', '.join(order)})" in found.notes[0]


def test_who_looks_at_both_lists_alike_may_be_told_either_order() -> None:
    overlap = made("overlap(a, b)", "2 * len(set(a) & set(b)) / ((len(a) + len(b)) or 1)")
    assert set(recognised_as(overlap, "SetF").order) == {"relevant", "ranked"}


def test_an_order_that_nothing_tells_is_asked_for() -> None:
    """Each list is cut, so that only a trace in the value tells one from the other."""
    of_both = made("of_both(a, b, k)", "len(set(a[:k]) & set(b[:k])) / k + 1e-5 * len(a)")
    with pytest.raises(BadFunction, match=r"--form 'f\(relevant, ranked, k\)' or --form 'f\(ranked, relevant, k\)'"):
        recognised_as(of_both, "P@10")


@pytest.mark.parametrize("order", [("ranked", "relevant"), ("relevant", "ranked")])
def test_the_order_that_a_person_names_is_taken_whatever_names_and_annotations_say(order: tuple[str, ...]) -> None:
    named = made("named(relevant: 'set[str]', ranked: 'list[str]', k: int)", "len({*relevant} & {*ranked[:k]}) / k")
    assert recognised_as(named, "P@10", f"f({', '.join(order)}, k)").order == order
    assert recognised_as(named, "P@10", "ids").order == ("relevant", "ranked")


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("measure", "default", "is_asked_as"),
    [("P@5", 2, "P(rel=2)@5"), ("P@5", 3.5, "P(rel=3.5)@5"), ("P@5", 1, "P@5"), ("P(rel=2)@5", 2, "P(rel=2)@5")],
)
def test_a_function_is_judged_by_its_own_defaults_and_called_with_no_others(
    measure: str, default: float, is_asked_as: str
) -> None:
    met = set()

    def precision(ranked_rels: Any, k: int = 5, threshold: float = default) -> float:
        met.add(threshold)
        return sum(rel >= threshold for rel in ranked_rels[:k]) / k

    found = examine(precision, measure, cases=SOME, limits=HERE)
    assert (str(found.measure), met, found.holds) == (is_asked_as, {default}, True)
    assert (f"by its own defaults it is {is_asked_as}" in verdict(found)) is (is_asked_as != measure)
    if is_asked_as != measure:
        held = examine(precision, measure, "standard", cases=SOME, limits=HERE)
        assert (str(held.measure), held.holds) == (measure, False)


# -- forms, cutoffs, thresholds and sets that are told by trying ------------------------------


def taking(parameters: str) -> Any:
    """A function of these parameters."""
    return eval(f"lambda {parameters}: 0.5")  # noqa: S307 - our own text


def recalls(ranked: list[str], relevant: set[str], cutoffs: Sequence[Any]) -> dict[str, float]:
    return {f"recall@{k}": len({*ranked[:k]} & relevant) / max(1, len(relevant)) for k in cutoffs}


def rr_of(ranked: list[str], relevant: set[str]) -> float:
    return max((1 / rank for rank, doc in enumerate(ranked, 1) if doc in relevant), default=0.0)


@pytest.mark.parametrize(
    ("function", "measure", "is_named"),
    [
        (lambda ranked, relevant, k: {**recalls(ranked, relevant, [5]), "mrr": k}, "R@5", True),
        (lambda ranked, relevant, k: {**recalls(ranked, relevant, [7, 10]), "mrr": k}, "R@7", True),
        (lambda ranked, relevant, k: {**recalls(ranked[:k], relevant, [1, 3, 5, 10]), "mrr": k}, "R@5", True),
        (lambda ranked, relevant, k: {**recalls(ranked, relevant, [k]), "mrr": k}, "R@5", False),
        (lambda ranked, relevant, k: {**recalls(ranked, relevant, {3, 5, k}), "mrr": k}, "R@7", False),
        (lambda ranked, relevant, k: {"recall": recalls(ranked, relevant, [k])[f"recall@{k}"], "mrr": k}, "R@5", False),
        (lambda ranked, relevant, k: recalls(ranked, relevant, [k])[f"recall@{k}"], "R@5", False),
        (lambda ranked, relevant, k: [*recalls(ranked, relevant, range(1, 6)).values()][: max(k, 5)], "R@5", False),
        (lambda ranked, relevant, k=5: {**recalls(ranked, relevant, [k]), "mrr": rr_of(ranked, relevant)}, "RR", False),
        (lambda ranked, relevant: {**recalls(ranked, relevant, [5, 10]), "mrr": 1}, "R@5", False),
    ],
)
def test_what_names_cutoffs_of_its_own_is_asked_at_that_of_the_measure_alone(
    function: Any, measure: str, *, is_named: bool
) -> None:
    checked = examine(function, measure, cases=SOME, limits=HERE)
    target = checked.target
    assert bool(target.k_alone) is is_named
    assert [note for note in target.notes if "asked only at that of the measure" in note] == [
        "whatever k it is given, its result names cutoffs of its own: asked only at that of the measure"
    ] * is_named
    assert target.any_k is ((target.k is not None and not is_named) or target.reads == "place")
    assert checked.holds


def first_and_last(ranked: list[str], relevant: set[str], cutoffs: Sequence[int]) -> dict[str, float]:
    """Without an entry at a cutoff that is deeper than the ranking."""
    return recalls(ranked, relevant, [k for k in cutoffs if k <= len(ranked)])


def as_fields(values: dict[str, float]) -> SimpleNamespace:
    return SimpleNamespace(**{key.replace("@", "_at_"): value for key, value in values.items()})


@pytest.mark.parametrize(
    "function",
    [
        lambda ranked, relevant, k: first_and_last(ranked, relevant, [1, k]),
        lambda ranked, relevant, k: {"mrr": 1.0, **first_and_last(ranked, relevant, [k, 2])},
        lambda ranked, relevant, k: as_fields(first_and_last(ranked, relevant, [1, 2, k])),
    ],
)
def test_what_leaves_out_a_cutoff_that_is_deeper_than_the_ranking_names_none_of_its_own(function: Any) -> None:
    found = recognised_as(function, "R@3")
    assert (found.docs, found.k_alone, found.any_k) == (FROM_K, "", True)


def precision(ranked: list[str], relevant: set[str], k: int) -> float:
    return len({*ranked[:k]} & relevant) / k


def of_some(ranked: list[str], relevant: set[str], k: int) -> float:
    if k not in {1, 5, 10}:
        raise ValueError("k must be 1, 5 or 10")
    return precision(ranked, relevant, k)


def of_long_ones_and_some(ranked: list[str], relevant: set[str], k: int) -> float:
    if len(ranked) < k:
        raise IndexError(k)
    return of_some(ranked, relevant, k)


def of_five(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int = 5) -> dict[str, float]:
    assert k == 5
    judged = {query: {doc for doc, rel in rels.items() if rel > 0} for query, rels in qrels.items()}
    return {q: precision(sorted(run[q], key=run[q].__getitem__, reverse=True), judged.get(q, set()), k) for q in run}


def of_seven(ranked: list[str], relevant: set[str], k: int) -> dict[str, float]:
    return {7: {"mrr": k, "precision@7": precision(ranked, relevant, 7)}}[k]


@pytest.mark.parametrize(
    ("function", "measure", "other", "docs"),
    [
        (of_some, "P@5", 7, ""),
        (of_some, "P@1", 7, ""),
        (of_five, "P@5", 7, ""),
        (of_seven, "P@7", 13, ""),
        (of_long_ones_and_some, "P@5", 7, FROM_K),
        (of_long_ones_and_some, "P@10", 7, FROM_K),
    ],
)
def test_what_raises_at_other_cutoffs_is_asked_at_that_of_the_measure_alone(
    function: Any, measure: str, other: int, docs: str
) -> None:
    checked = examine(function, measure, cases=SOME, limits=HERE)
    assert (checked.target.any_k, checked.target.docs, checked.holds) == (False, docs, True)
    assert f"it raises at other cutoffs, as k={other}: asked only at that of the measure" in checked.target.notes
    assert {one.question.measure.cutoff for one in checked.seen} == {int(measure[2:])}


@pytest.mark.parametrize(
    ("error", "measure", "deep"),
    [(IndexError, "P@5", set()), (IndexError, "P@10", set()), (SystemExit, "P@5", {15, 50})],
)
def test_what_takes_no_deep_cutoff_is_judged_at_lesser_ones_and_is_wrong_if_it_ends_its_process(
    error: type[BaseException], measure: str, deep: set[int]
) -> None:
    def to_twelve(ranked: list[str], relevant: set[str], k: int) -> float:
        if k > 12:
            raise error(k)
        return precision(ranked, relevant, k)

    checked = examine(to_twelve, measure, cases=[*SOME, *DEEP], limits=HERE)
    said = "it raises at every cutoff asked from k=15 on: judged at lesser ones"
    assert [note for note in checked.target.notes if "raises" in note] == [said] * (not deep)
    assert {one.question.measure.cutoff for one in checked.seen} == {1, 2, 3, 5, 10} | deep
    assert checked.holds is not bool(deep)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("raises", "cutoffs"),
    [
        *((lambda _, k, at=at: k == at, {at}) for at in (1, 10, 15)),
        (lambda ranked, k: k == 3 and "d2" in ranked, {3}),
        (lambda ranked, _: "doc_11" in ranked, {1, 2, 3, 5, 10, 50}),
        (lambda ranked, k: k >= 5 and "doc_11" in ranked, {5, 10, 50}),
        (lambda ranked, k: k > 10 or (k == 10 and "doc_11" in ranked), {10}),
    ],
)
def test_what_raises_at_a_lesser_cutoff_or_for_an_input_has_a_fault(raises: Any, cutoffs: set[int]) -> None:
    def function(ranked: list[str], relevant: set[str], k: int) -> float:
        if raises(ranked, k):
            raise ZeroDivisionError
        return precision(ranked, relevant, k)

    checked = examine(function, "P@5", limits=HERE)
    assert (checked.target.k_alone, checked.holds) == ("", False)
    failed = {one.question.measure.cutoff for one in checked.seen if isinstance(one.answer, Failure)}
    assert failed == cutoffs


@pytest.mark.in_turn
def test_a_limit_of_cutoffs_holds_where_rels_are_made_0_and_1_too() -> None:
    def ndcg_of_cubes(y_true: list[float], y_score: list[float], k: int) -> float:
        def dcg(rels: list[float]) -> float:
            return sum(rel**3 / np.log2(rank + 1) for rank, rel in enumerate(rels[:k], 1))

        best = dcg(sorted(y_true, reverse=True))
        return dcg([rel for _, rel in sorted(zip(y_score, y_true, strict=True), key=lambda one: -one[0])]) / (best or 1)

    def to_twelve(y_true: list[float], y_score: list[float], k: int) -> float:
        if k > 12:
            raise ValueError("at most 12")
        return ndcg_of_cubes(y_true, y_score, k)

    cases = [*corpus.load_all()[::4], *DEEP, *corpus.load_matching(["cutoff/rank-one-thousand*"])]
    any_k, limited = (examine(function, "nDCG@5", cases=cases, limits=HERE) for function in (ndcg_of_cubes, to_twelve))
    assert {50, 1000} <= {one.question.measure.cutoff for one in any_k.seen}
    assert (any_k.target.k_below, limited.target.k_below) == (0, 50)
    assert any_k.beyond
    assert limited.beyond
    assert max(one.question.measure.cutoff or 0 for one in limited.seen) == 10
    assert not any(isinstance(one.answer, Failure) for one in limited.seen)
    assert (limited.verdict, limited.spec) == (any_k.verdict, any_k.spec)


@pytest.mark.parametrize(
    ("raises", "measure", "least", "docs"),
    [
        (lambda docs, k: docs < k, "P@5", 1, FROM_K),
        (lambda docs, k: docs < k, "P@5", 3, FROM_K),
        (lambda docs, k: docs > k, "P@5", 1, TO_K),
        (lambda docs, k: docs > k, "P@10", 1, TO_K),
        (lambda docs, k: docs == k == 0, "P@5", 1, ""),
    ],
)
def test_what_raises_for_short_or_for_long_rankings_is_asked_the_others_at_any_cutoff(
    raises: Callable[[int, int], bool], measure: str, least: int, docs: str
) -> None:
    def strict(ranked_rels: list[int], k: int) -> float:
        if raises(len(ranked_rels), k):
            raise ValueError("too short, or too long")
        return sum(rel >= least for rel in ranked_rels[:k]) / k

    found = recognised_as(strict, measure)
    assert (found.docs, found.k_alone, found.seems) == (docs, "", "P(rel=3)@5" if least == 3 else "")


def test_numbers_that_have_nothing_to_do_with_the_measure_are_refused() -> None:
    for function in (taking("a, b"), lambda a, b: float(len(a) - len(b)), lambda a, b: 1 / (2 + len(str(a) + str(b)))):
        with pytest.raises(BadFunction, match="gives numbers by any form known here, which are none of the measure's"):
            recognised_as(function, "P@5")


def test_a_cutoff_that_no_name_tells_is_said_where_nothing_comes_of_it() -> None:
    for sort, said in (
        ("sort", "sort was taken for the cutoff: if it is none, add --with sort=VALUE"),
        ("sort: str", "needs sort: say what that is, as --with sort=VALUE"),
    ):
        with pytest.raises(BadFunction, match=said):
            recognised_as(made(f"f(qrels, run, {sort})", "{'map': float(len(qrels) / len(run))}[sort]"), "nDCG@10")
    assert "sort" not in K


def test_what_breaks_in_every_way_is_not_tried_for_ever() -> None:
    """A process that ended is begun anew, and that takes time."""
    calls = []

    class Breaks(Session):
        def tried(self, which: int, call: Any) -> Failure:
            calls.append((which, call))
            return Failure("crash", "it ended its process")

    session = Breaks(Source("mine:f", parse("P@5"), None, taking("a, b")), HERE)
    with pytest.raises(BadFunction):
        recognised(session)
    assert len(calls) < 8 < len(session.candidates().targets)


def test_several_cutoffs_are_asked_at_once_and_in_no_order() -> None:
    for k in (1, 2, 3, 4, 5, 10, 100):
        asked = cutoffs_beside(k)
        assert len({*asked, k}) == 3
        assert asked.index(k) not in {sorted(asked).index(k), sorted(asked, reverse=True).index(k), 0}
    given: list[Any] = []

    def precisions(ranked_rels: list[int], ks: list[int]) -> dict[int, float]:
        return {k: sum(rel >= 1 for rel in ranked_rels[:k]) / k for k in ks}

    def watched(ranked_rels: list[int], ks: list[int]) -> dict[int, float]:
        given.append(ks)
        return precisions(ranked_rels, ks)

    found = recognised_as(watched, "P@5")
    assert (found.several, found.reads, found.notes) == (True, "cutoff", ())
    assert [7, 3, 5] in given
    told = told_by("ranked")
    assert observe(watched, found, told, 2) == Answered({"q1": 0.5, "q2": 0.5, "q4": 0.0}, None)
    assert given[-1] == [4, 1, 2]

    def strict(ranked_rels: list[int], ks: list[int]) -> list[float]:
        if len(ranked_rels) < max(ks):
            raise ValueError("too short")
        return [*precisions(ranked_rels, ks).values()]

    found = recognised_as(strict, "P@5")
    assert (found.several, found.reads, found.docs) == (True, "asked", FROM_K)
    of_6_and_of_7_docs = [is_asked(found, trials.long_trial(n), 5) for n in (3, 4)]
    assert of_6_and_of_7_docs == [False, True], "6 are too few for 7"


@pytest.mark.in_turn
@pytest.mark.in_parts(5)
@pytest.mark.parametrize(
    "function", [mine.list_of_sorted_cutoffs, mine.list_from_the_largest_cutoff_on, mine.takes_cutoffs_for_sorted]
)
def test_a_value_at_another_cutoff_than_asked_is_wrong_though_each_alone_is_right(function: Any) -> None:
    found = recognised_as(function, "P@5")
    assert (found.several, found.notes) == (True, (SEVERAL,))
    some = [case for case in corpus.load_all() if case.id.startswith(("cutoff/", "denominators/"))]
    assert not examine(function, "P@5", cases=some).holds


@pytest.mark.parametrize(
    ("function", "measure", "several"),
    [
        *(
            (made(f"f(scores, labels, {taken})", given), "R@5", True)
            for taken, given in (
                ("topk=(1, 5, 10)", "[R(scored(scores, labels), at) for at in topk]"),
                ("k: 'list[int] | None' = None", "{f'recall@{at}': R(scored(scores, labels), at) for at in k or [5]}"),
                ("top_n=[3, 1]", "tuple(R(scored(scores, labels), at) for at in top_n)"),
            )
        ),
        # Who takes one cutoff of the list is asked one.
        (mine.at_k_values, "nDCG@10", False),
        (lambda ranked_rels, ks: mine.ndcg_ranked(ranked_rels, ks[0]), "nDCG@10", False),
    ],
)
def test_a_default_or_an_annotation_or_a_name_says_that_several_cutoffs_are_taken(
    function: Any, measure: str, *, several: bool
) -> None:
    found = recognised_as(function, measure)
    assert (found.several, found.is_explained) == (several, True)


@pytest.mark.parametrize(
    ("call", "measured", "measure"),
    [
        # As a project that ranks news has it: nothing is sorted by the scores. The same of AP, the other way round.
        ("f(y_true, y_score)", "float(np.sum(y_true / np.arange(1, len(y_true) + 1)) / np.sum(y_true))", "RR"),
        ("f(scores, labels)", "average_of_sums([rel >= 1 for rel in labels])", "AP"),
        ("f(y_pred, y_true, k)", "sum(rel >= 1 for rel in y_true[:k]) / k", "P@5"),
    ],
)
def test_what_is_called_as_scores_is_given_scores_though_nothing_looks_at_them(
    call: str, measured: str, measure: str
) -> None:
    """Another form, with how many docs are relevant in their place, would explain all of its answers."""
    found = recognised_as(made(call, measured), measure)
    assert (found.form.name, found.batch, found.table) == ("rows", "query", False)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("call", "measured", "measure"),
    [
        # Ranks are counted from 2; the doc at the cutoff is lost; a discount that no convention knows.
        (
            "f(results, relevant)",
            "next((1 / rank for rank, (doc, _) in enumerate(results, 2) if doc in relevant), 0.0)",
            "RR",
        ),
        ("f(results, relevant, k=5)", "sum(doc in relevant for doc, _ in results[: k - 1]) / k", "P@5"),
        (
            "f(retrieved, relevant, k=5)",
            "sum((doc in relevant) / (2 * rank + 1) for rank, (doc, _) in enumerate(retrieved[:k])) / 3",
            "nDCG@5",
        ),
    ],
)
def test_docs_with_scores_that_nothing_looks_at_are_in_rank_order_though_what_is_made_of_them_is_wrong(
    call: str, measured: str, measure: str
) -> None:
    found = recognised_as(made(call, measured), measure)
    assert (found.form.name, found.container, found.is_explained) == ("ids", "doc-pairs", False)
    said = "called with docs in rank order, each with its score: what it makes of another order was not asked"
    assert said in found.notes
    given: list[Any] = []
    watched = replace(found, order=("ranked", "relevant"), k=None, names=())
    observe(lambda *both: float(given.append(both) or 0), watched, told_by("ids"), None)
    assert given == [
        ([("b", 2.0), ("a", 1.0)], ["a", "u"]),
        ([("x", 2.0), ("c", 1.0)], ["c"]),
        ([("e", 1.0)], []),
    ]


@dataclass
class OfOneQuestion:
    """What was retrieved for a question, and how long that took."""

    question: str
    expected: list[str]
    retrieved: list[str]
    took: float


def recall_of_a_question(found: OfOneQuestion, k: int) -> float:
    """The time matters to nobody."""
    return len({*found.retrieved[:k]} & {*found.expected}) / len(found.expected) + 0 * found.took


def test_what_lacks_a_field_of_an_object_is_refused_with_lines_that_make_it() -> None:
    source = Source(f"{__name__}:recall_of_a_question", parse("R@5"), None, recall_of_a_question)
    with pytest.raises(BadFunction, match="needs took: ") as refused:
        recognised(Session(source, HERE))
    wrapped: dict[str, Any] = {}
    exec(refused.value.wrapper.replace("=...", "=0.1"), wrapped)  # noqa: S102 - our own text
    assert wrapped["wrapped"]("q", ["a", "b"], ["b", "c"]) == 0.5


@dataclass
class Report:
    """What is computed at once."""

    precision_at_k: float
    reciprocal_rank: float


class Suite:
    """Metrics beside one another."""

    @classmethod
    def report(cls, results: list[Any], grades_by_id: dict[str, int], k: int) -> Report:
        """Of docs that are objects of some kind."""
        flags = [grades_by_id.get(hit.candidate_id, 0) >= 1 for hit in results[:k]]
        return Report(sum(flags) / k, next((1 / rank for rank, flag in enumerate(flags, 1) if flag), 0.0))

    @staticmethod
    def auc(gold_scores: list[float], distractor_scores: list[float]) -> float:
        """The share of pairs in order."""
        pairs = [(gold > other) + (gold == other) / 2 for gold in gold_scores for other in distractor_scores]
        return sum(pairs) / len(pairs) if pairs else 0.0


@pytest.mark.parametrize(
    ("function", "measure", "form", "reads"),
    [
        (Suite.report, "P@5", "graded-ids", "name:precision"),
        (Suite.auc, "AUC", "parted", ""),
        (Suite.report, "RR@5", "graded-ids", "name:reciprocalrank"),
    ],
)
def test_what_a_class_computes_without_an_object_is_read_where_its_code_and_its_fields_say(
    function: Any, measure: str, form: str, reads: str
) -> None:
    found = recognised_as(function, measure)
    assert (found.form.name, found.reads, found.is_explained) == (form, reads, True)
    assert found.columns == (("candidate_id",) if form == "graded-ids" else ())


class OfCutoffs:
    """What its class is made with are other cutoffs than the one of a call."""

    def __init__(self, k_list: list[int], scale: float = 1.0) -> None:
        self.k_list, self.scale = k_list, scale

    def hit(self, rank: list[str], label: str, k: int) -> float:
        """Whether the doc is among the first."""
        return self.scale * (label in rank[:k]) * (len(self.k_list) == 2)


def test_a_class_that_takes_cutoffs_beside_those_of_its_method_is_to_be_given_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "OfCutoffs", OfCutoffs)
    named = Source(f"{__name__}:OfCutoffs.hit", parse("Success@5"), None, OfCutoffs.hit)
    with pytest.raises(BadFunction, match=r"OfCutoffs\.hit needs k_list: ") as refused:
        recognised(Session(named, HERE))
    assert refused.value.wrapper.splitlines()[-1] == "    return OfCutoffs(k_list=...).hit(ranked, relevant_doc, k)"
    found = recognised(Session(replace(named, given={"k_list": [5, 10]}), HERE))
    assert (found.form.name, found.made, found.k, found.k_made) == ("one-id", ("k_list=[5, 10]",), "k", False)


def test_what_no_text_says_cannot_be_given() -> None:
    with pytest.raises(BadFunction, match="cannot be written"):
        recognised_as(mine.precision, "P@5", least=object())


OF_SETS = ("of_sets(relevant, retrieved)", "len(relevant & retrieved) / len(retrieved) if retrieved else 0.0")
F_OF_SETS = ("of_both(gold, predicted)", "2 * len(gold & predicted) / ((len(gold) + len(predicted)) or 1)")
SET_AND_LIST = ("of_one(relevant, retrieved)", "len(relevant & set(retrieved)) / len(relevant) if relevant else 0.0")


@pytest.mark.parametrize(
    ("written", "measure", "container"),
    [(OF_SETS, "P", "sets"), (OF_SETS, "SetP", "sets"), (F_OF_SETS, "SetF", "sets"), (SET_AND_LIST, "R", "set")],
)
def test_two_sets_are_given_where_no_order_is_looked_at(written: tuple[str, str], measure: str, container: str) -> None:
    function = made(*written)
    target = recognised_as(function, measure)
    assert (target.form, target.container) == (FORMS["ids"], container)
    checked = examine(function, measure, cases=corpus.load_all()[::9], limits=HERE)
    assert summary(checked).startswith(f"{function.__name__} follows standard on ")
    asked = [one.question.case.input.run for one in checked.answered]
    twice = [rows for rows in asked if len({row[:2] for row in rows}) < len(rows)]
    assert bool(twice) is (container != "sets"), "of a set one cannot say whether a doc was there twice"


def test_two_sets_are_given_to_no_measure_of_an_order() -> None:
    with pytest.raises(BadFunction):
        recognised_as(made(*OF_SETS), "P@5")


@pytest.mark.in_turn
@pytest.mark.parametrize(("looked_at", "measure"), [(12, "RR@10"), (200, "RR@3")])
@pytest.mark.parametrize(
    ("measured", "form"),
    [
        ("next((1 / rank for rank in range(k, 0, -1) if {*retrieved[rank - 1 : rank]} & {*ground_truth}), 0.0)", "ids"),
        (
            "(lambda at: 1 / at[len(at) // 2] if at else 0.0)([i for i, doc in enumerate(retrieved[:k], 1) if doc in ground_truth])",
            "ids",
        ),
        (
            "1 / max((rank for rank, doc in enumerate(retrieved[:k], start=1) if doc in ground_truth), default=math.inf)",
            "ids",
        ),
        (
            "next((1 / (rank + 1) for rank, doc in enumerate(retrieved[:k], start=1) if doc == ground_truth), 0.0)",
            "one-id",
        ),
        ("1 / ([*retrieved[:k]].index(ground_truth) + 3) if ground_truth in retrieved[:k] else 0.0", "one-id"),
        ("next((rank**-0.5 for rank, doc in enumerate(retrieved[:k], start=1) if doc == ground_truth), 0.0)", "one-id"),
    ],
)
def test_who_gives_no_right_answer_is_given_all_relevant_docs_if_they_are_looked_at(
    measured: str, form: str, measure: str, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To `in`, the id of the only relevant doc serves as well, but of that few trials can be told.

    How many ways are looked at, of those that there are, hangs on the packages that are installed.
    """
    monkeypatch.setattr(call_search, "LOOKED_AT", looked_at)
    function = made("f(ground_truth, retrieved, k=10)", measured)
    assert recognised_as(function, measure).form.name == form


# -- the time limit -----------------------------------------------------------------------------------------------------


def test_a_call_that_takes_too_long_is_left_even_if_it_catches_everything() -> None:
    started = time.monotonic()
    with pytest.raises(TookTooLong), limited(0.02):
        time.sleep(300)
    with pytest.raises(TookTooLong), limited(0.02), contextlib.suppress(BaseException):
        time.sleep(300)
    assert time.monotonic() - started < 100
    outside = signal.getitimer(signal.ITIMER_REAL)[0]  # that of the test, if it has one
    with limited(5):
        pass
    assert (signal.getitimer(signal.ITIMER_REAL)[0] > 5) is (outside > 5)


def test_a_limit_of_somebody_else_is_kept() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    theirs, interval = signal.setitimer(signal.ITIMER_REAL, 60.0, 7.0)
    try:
        with limited(5):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 5
            time.sleep(0.02)
        left, again = signal.getitimer(signal.ITIMER_REAL)
        assert 50 < left <= 60 - 0.015, "it goes on where it was"
        assert again == 7.0
        with limited(100):
            assert 5 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60, "a shorter one holds"
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        with limited(5), contextlib.suppress(TookTooLong):
            signal.raise_signal(signal.SIGALRM)
    except TookTooLong:
        rung.append(0)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, theirs, interval)
    assert rung == [0], "what rings is ours, and is said though it was caught"


def test_no_call_is_limited_where_nobody_can_be_interrupted() -> None:
    def beside() -> str:
        with limited(0.001):
            time.sleep(0.02)
            return "ended"

    with ThreadPoolExecutor() as threads:
        assert threads.submit(beside).result() == "ended"
