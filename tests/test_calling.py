"""A person's function is recognised by what its parameters are called or by trying, and asked only what it can be told."""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.asking.observations import Answered, Failure
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import FORMS, RANKED, ROWS, expressed, form_named, repro
from rankproof.calling.finding import find
from rankproof.calling.targets import BadFunction, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import call_search, likely_ways, trials
from rankproof.checking.call_notes import notes_of
from rankproof.checking.call_search import told_more
from rankproof.checking.differing import precisions
from rankproof.checking.likely_ways import Numbers
from rankproof.checking.recognising import recognised
from rankproof.checking.trials import Fit, TriedWay
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.time_limit import TookTooLong, limited

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import metrics_to_check as mine


def case(name: str) -> Case:
    return corpus.load(corpus.HERE / f"{name}.toml")


def seen_as(function: Any, measure: str = "nDCG@10", form: str | None = None) -> Target:
    return recognised(session_with(function, "mine:function", measure, form))


def session_with(function: Any, name: str, measure: str = "nDCG@10", form: str | None = None) -> Session:
    """Asked here: what it is told and how it is read is no matter of processes."""
    wanted = form_named(form) if form else None
    return Session(Source(name, parse(measure), wanted, function), Limits(isolated=False))


def test_lists_are_given_unless_arrays_are_needed_and_a_table_where_a_row_is_refused() -> None:
    from sklearn.metrics import ndcg_score

    assert [seen_as(f).container for f in (mine.ndcg, mine.ndcg_of_arrays)] == ["list", "array"]
    assert [seen_as(f).table for f in (mine.ndcg, ndcg_score)] == [False, True]
    assert seen_as(mine.mean_rr, "RR").table


def test_labelings_and_ir_measures_are_recognised() -> None:
    import ir_measures
    from sklearn.metrics import adjusted_rand_score

    assert seen_as(adjusted_rand_score, "ARI").form.name == "labelings"
    assert (seen_as(ir_measures.nDCG).form.name, seen_as(ir_measures.nDCG).k) == ("ir_measures", "cutoff")


def test_a_form_can_be_named() -> None:
    assert seen_as(lambda a, b: a[0] / b, "P@1", "f(ranked_rels, k=)").form is RANKED
    with pytest.raises(BadFunction, match="tables is no form; the forms are rows"):
        seen_as(mine.ndcg, form="tables")


@pytest.mark.in_parts(5)
@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (mine.gives_text, "k=10): it gave '0.5', which is no number"),
        (mine.divides_by_zero, "divides_by_zero([1, 0, 1, 0], k=10): ZeroDivisionError: "),
        (mine.several_measures, "it gave recall, precision for a query; let it give one measure"),
        (mine.named_by_measure, "it gave a dict of recall, mean"),
        (
            mine.needs_more,
            "needs_more needs tokenizer: say what that is, as --with tokenizer=VALUE, or bind it, as by functools.partial",
        ),
        (mine.asynchronous, "it is async and gave a coroutine"),
        (3, " cannot be called by the number of its arguments"),
    ],
)
def test_what_answers_no_form_is_refused_with_the_call_and_what_to_write(function: Any, fault: str) -> None:
    with pytest.raises(BadFunction) as refused:
        recognised(session_with(function, f"mine:{getattr(function, '__name__', 'function')}"))
    assert fault in str(refused.value)
    assert "name its form by --form, as " in str(refused.value)


def test_a_module_that_ends_the_program_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends_the_program.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BadFunction, match=r"ends_the_program cannot be imported \(SystemExit: 3\)"):
        find("ends_the_program:f")


def test_what_it_prints_is_kept_from_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert seen_as(mine.prints).form is ROWS
    assert capsys.readouterr() == ("", "")


def test_every_case_that_is_expressed_is_a_case_of_the_form() -> None:
    """Each score belongs to a doc of its query, once; queries stay together."""
    every = [each.input for each in corpus.load_all()]
    for form in FORMS.values():
        told = [one for one in (expressed(form, each) for each in every) if one is not None]
        assert len(told) > 20
        if "known" in form.settled:
            assert all([row[:2] for row in one.qrels] == [row[:2] for row in one.run] for one in told)


@pytest.mark.parametrize(
    ("means", "also"), [([0.3333, 0.6667], ("4 decimals",)), ([0.3333, 0.5], ()), ([1 / 3, 0.6667, 0.3333], ())]
)
def test_means_of_0_and_1_may_be_what_is_rounded(means: list[float], also: tuple[str, ...]) -> None:
    question = SimpleNamespace(case=SimpleNamespace(queries=["q1", "q2", "q3"]))
    seen = [SimpleNamespace(question=question, answer=Answered({"q1": 0.0, "q2": 1.0}, mean)) for mean in means]
    assert precisions(seen) == ("float64", "float32", *also)  # type: ignore[arg-type]  # as above


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
    def beside() -> None:
        with limited(0.001):
            time.sleep(0.02)
            ended.append(True)

    ended: list[bool] = []
    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    assert ended == [True]


@pytest.mark.parametrize("function", [mine.MeanNDCG, mine.at_k_values, mine.Scorer])
def test_a_repro_runs_and_prints_the_answer(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    session = session_with(function, f"metrics_to_check:{function.__name__}")
    target = recognised(session)
    told = expressed(target.form, case("gain/running-example").input)
    assert told is not None
    answer, again = next(session.twice([(told, 3)]))
    assert again is None
    assert isinstance(answer, Answered)
    capsys.readouterr()
    exec(repro(target, told, None, 3), {})  # noqa: S102 - our own script
    value = answer.mean if answer.mean is not None else next(iter((answer.per_query or {}).values()))
    assert str(value) in capsys.readouterr().out


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
)  # fmt: skip
def test_a_way_is_likely_that_hangs_on_what_the_measure_looks_at(
    is_likely: bool,  # noqa: FBT001 - a row of the table
    measure: str,
    of: Callable[[Input, str, int | None], float],
) -> None:
    asked = parse(measure)

    def every(data: Input, k: int | None) -> Numbers:
        return tuple((query, of(data, query, k)) for query in data.judged)

    def first_alone(data: Input, k: int | None) -> Numbers | None:
        return every(data, k) if data == trials.long_flags(asked.k) else None

    assert likely_ways.is_likely(asked, asked.k, every, any_k=True) is is_likely
    assert likely_ways.is_likely(asked, asked.k, first_alone, any_k=True), (
        "what was never answered says nothing against it"
    )


@pytest.mark.parametrize(
    ("known", "tried", "more"), [(2, 3, [6, 7, 9]), (2, 4, [9]), (2, 5, []), (1, 3, []), (0, 1, []), (2, 1, [2, 5, 6, 7, 9])]
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("function", "measure", "seems"),
    [
        *((rbp(p), "RBP", f"RBP(p={p})") for p in (0.5, 0.9, 0.95)), *((f_of_rows(beta, 1),
        "F@5", f"F(beta={beta})@5") for beta in (0.5, 2)),
        *((f_of_rows(1, least), "F@5", f"F(rel={least})@5") for least in (2, 3, 4)), (f_of_rows(2, 2), "F(rel=2)@5", "F(rel=2, beta=2)@5"),
        (f_of_rows(2, 2), "F(beta=2)@5", "F(rel=2, beta=2)@5"), (f_of_rows(1, 1), "F@5", ""), (rbp(0.8), "RBP", ""), (rbp(0.7), "RBP", ""),
    ],
)  # fmt: skip
def test_numbers_that_people_write_in_their_functions_are_tried(function: Any, measure: str, seems: str) -> None:
    found = seen_as(function, measure)
    assert found.seems == (str(parse(seems)) if seems else "")
    assert found.by_default == "", "no default of its own says so"


def test_a_number_that_a_function_has_by_default_is_tried_though_it_is_that_of_the_measure_alone() -> None:
    def f(y_true: list[float], y_score: list[float], k: int, beta: float = 1) -> float:
        return f_of_rows(beta, 1)(y_true, y_score, k)

    assert seen_as(f, "F(beta=2)@5").by_default == "F(beta=1)@5"
    assert seen_as(f, "F@5").by_default == ""


def way(form: str, explained: int, *, known: int = 0, rank: int = 0, other: str = "", **how: Any) -> TriedWay:
    """A way of arguments (a, b), whose names say the first so many of these, with so many of nine answers explained."""
    target = Target("mine:f", FORMS[form], ("a", "b"), known=known, **how)
    return TriedWay(
        0, target, rank, fit=Fit(explained / 9, 0.0, explained, 9, 5, 9), other=parse(other) if other else None
    )


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
        (way("ids", 9, known=2, docs="from-k"),
         ["it raises where a query has fewer docs than the cutoff: asked only where it has as many"]),
        (way("ids", 9, known=2, docs="from-k", reads="place"),
         ["it has no value where a query has fewer docs than the cutoff: asked only where it has as many"]),
        (way("ids", 9, known=2, docs="to-k", reads="place"),
         ["it raises where a query has more docs than the cutoff: asked only where it has no more"]),
        (way("ids", 9, known=2, docs="beyond-k"),
         ["it raises where a query has no more docs than the cutoff: asked only where it has more"]),
        (way("ids", 9, known=2, made=("MAX_REL=4", "a=1"), given=("b=2", "Gain=3")),
         ["called with MAX_REL=4: the highest rel that a doc may have", "called with Gain=3: what a relevant doc is worth"]),
        (way("ids", 9, known=2, of_fractions=True),
         ["it raises where all scores of a query are whole numbers: asked only where some are not"]),
        (way("ids", 9, known=2, defaults=("beta=2", "c=3", "d=4")), ["called with its own defaults: beta=2, c=3, d=4"]),
        (way("ids", 0, known=2, other="F(beta=2)@5", defaults=("beta=2", "c=3", "w=2")),
         [("its answers are those of F(beta=2)@5, by its own default beta=2, by its own default w=2: "
           "ask for that measure, by -m 'F(beta=2)@5'")]),
    ],
)  # fmt: skip
def test_what_no_name_tells_and_what_is_left_out_is_noted(best: TriedWay, told: list[str]) -> None:
    alike = way("ids", 2, known=2, container="array")
    others = [alike, way("pairs", 1), best, *([way("rows", 3, known=2)] if best.fit.explained == 4 else [])]
    assert list(notes_of(best, others, [])) == told


@pytest.mark.parametrize(
    ("explained", "alone", "several", "is_said"),
    [(4, 9, True, True), (4, 9, False, False), (9, 9, True, False), (4, 8, True, False)],
)
def test_that_it_is_right_at_each_cutoff_alone_is_said_where_it_is_not_at_several(
    explained: int, alone: int, *, several: bool, is_said: bool
) -> None:
    said = "asked for several cutoffs at once, it does not give each its value; asked for one alone, it does"
    best = way("ids", explained, known=2, several=several)
    assert list(notes_of(best, [], [way("ids", 1), way("ids", alone)])) == [said] * is_said


@pytest.mark.parametrize(
    ("raised", "there", "is_so"),
    [
        ("..xx", "..xx", True), ("...x", "..xx", False), (".xxx", "..xx", False), ("..x.xx", "..xxxx", True), ("..xx..", "..xxxx", False),
        ("xx", "xx", False), ("....", "....", False), ("....", "..xx", False),
    ],
)  # fmt: skip
def test_it_raises_for_few_docs_alone_if_it_does_in_more_than_half_of_such_trials_and_in_no_other(
    raised: str, there: str, *, is_so: bool
) -> None:
    answers = [Failure("error", "too few") if one == "x" else Answered(None, 0.5) for one in raised]
    tried = replace(way("ids", 9), tried=[trials.Tried(trials.PLAIN, 5, answer) for answer in answers])
    assert call_search._raises_alone(tried, [one == "x" for one in there]) is is_so


def test_a_way_by_a_set_is_left_out_where_the_same_by_a_list_explains_as_much() -> None:
    lists, alike, better = way("ids", 4), way("ids", 4, container="set", docs="from-k"), way("ids", 5, container="sets")
    alone, arrays = way("pairs", 1, container="set"), way("ids", 3, container="array")
    every = [lists, alike, better, alone, arrays, way("ids", 3, container="docs-set")]
    assert call_search._without_idle_sets(every) == [lists, better, alone, arrays]
    assert call_search._without_idle_sets([alike, lists]) == [alike, lists], "what was tried before stands"
