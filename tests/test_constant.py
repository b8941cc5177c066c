"""One number for all that is asked is told as that, and nothing is that is not: of drawn questions, each answered here."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from rankproof import cases as corpus
from rankproof.calling.call_candidates import Source
from rankproof.calling.targets import BadFunction
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import own_defaults
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.constant import MANY, constant_answer
from rankproof.checking.examining import examine
from rankproof.checking.looking import Blindness
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.matching.recalled import recalled
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import answer_of
from rankproof.workers.observations import Answered, Failure

Answer = Callable[[int, Sequence[str]], Answered | Failure]


def asked(at: int, *ranks: int, deep: int = 3) -> Question:
    """RR of a query for each rank, at which its relevant doc stands of so many docs; 0: nowhere."""
    queries = {f"q{n}": rank for n, rank in enumerate(ranks)}
    run = tuple(
        (q, "a" if place == rank else f"x{place}", 1 / place, place)
        for q, rank in queries.items()
        for place in range(1, deep + 1)
    )
    data = Input(tuple((q, "a", 1) for q in queries), run)
    return Question(Case(f"case/{at:02}", "what?", "", "", (), data), parse("RR"), recalled(data))


def seen(answer: Answer, wrong: int, right: int, ranks: Sequence[int] = (2,)) -> list[Seen]:
    """So many questions whose relevant docs stand at these ranks, and so many at rank 1, where RR is 1."""
    questions = [asked(at, *(ranks if at < wrong else (1,) * len(ranks))) for at in range(wrong + right)]
    return [Seen(one, answer(at, [str(q) for q in one.case.queries])) for at, one in enumerate(questions)]


def always(value: float) -> Answer:
    return lambda _at, queries: Answered(dict.fromkeys(queries, value), None)


def but(at: int, other: Answered | Failure) -> Answer:
    """One number, but for one question."""
    return lambda which, queries: other if which == at else always(1.0)(which, queries)


@pytest.mark.parametrize("at", [0, 7, MANY - 1])
@pytest.mark.parametrize(
    "other", [Answered({"q0": 0.5}, None), Failure("error", "ZeroDivisionError"), Answered({}, None)]
)
def test_who_answers_one_question_otherwise_looks_at_something(at: int, other: Answered | Failure) -> None:
    found = constant_answer(seen(but(at, other), 5, MANY - 4), STANDARD)
    gives_numbers = isinstance(other, Answered) and bool(other.per_query)
    told = None if gives_numbers else f"it gives 1 wherever it gives a number, to {MANY} of {MANY + 1} questions"
    assert (None if found is None else found.sentence) == told
    assert constant_answer(seen(but(at, other), 5, MANY - 5), STANDARD) is None, "of so few nothing is said"


def test_what_is_shown_is_a_mean_or_an_only_query_where_one_is_wrong() -> None:
    three, one = seen(always(1.0), 4, MANY, (1, 2, 3)), asked(99, 2, deep=40)
    found = constant_answer([*three, Seen(one, Answered({"q0": 1.0}, None))], STANDARD)
    assert isinstance(found, Blindness)
    assert (found.first, found.right[0]) == (one, 0.5)
    means = [replace(each, answer=Answered(None, 1.0)) for each in three]
    found = constant_answer(means, STANDARD)
    assert isinstance(found, Blindness)
    assert found.right == (pytest.approx((1 + 1 / 2 + 1 / 3) / 3), 1.0)


# -- functions --------------------------------------------------------------------------------------------------------


def one(ranked_rels: list[float]) -> float:
    """Recall where all that is relevant was retrieved, and that of nothing is 1."""
    return float(len(ranked_rels) >= 0)


CASES = [case for case in corpus.load_all() if not case.of_labels][::6]


@pytest.mark.parametrize(
    ("function", "claim", "is_told"),
    [
        (one, None, True),
        (one, "norel=1 known=retrieved", False),
        (lambda ranked_rels: 1 - 0.5 * any(rel < 0 for rel in ranked_rels), None, False),  # 1 of what is ordinary
    ],
)
def test_a_function_is_asked_ordinary_and_extreme_questions_under_what_it_claims(
    function: Callable[..., float], claim: str | None, *, is_told: bool
) -> None:
    checked = examine(function, "R", claim, form="ranked", cases=CASES, limits=Limits(isolated=False))
    assert (checked.constant is not None) is is_told
    assert (answer_of(checked).sentence.startswith("no: it looks at nothing: ")) is is_told


def share_of_places(a: list[float], k: int = 5) -> float:
    """By no name, and whatever is relevant."""
    return min(len(a), k) / k


def test_what_looks_at_nothing_that_is_relevant_is_refused_where_no_name_tells_how_it_is_called() -> None:
    why = "gives one number whatever is relevant, called as f(y_score, k), and no names of its parameters say that this is how it"
    with pytest.raises(BadFunction, match=re.escape(why)):
        examine(share_of_places, "P@5", cases=CASES, limits=Limits(isolated=False))
    named = examine(share_of_places, "P@5", cases=CASES, form="positive-first", limits=Limits(isolated=False))
    assert named.verdict == "defect", "who names the form is told what it gives"


def rated(
    y_true: list[float], y_score: list[float], k: int = 5, min_rating: float = 0.5, min_score: float = 30
) -> float:
    ranked = sorted(zip(y_score, y_true, strict=True), reverse=True)[:k]
    return sum(rel > min_rating and score >= min_score for score, rel in ranked) / k


def precision_recall_at_k(
    predictions: list[tuple[str, str, float, float, dict[str, object]]], k: int = 10, threshold: float = 3.5
) -> tuple[dict[str, float], dict[str, float]]:
    """As in Surprise's FAQ."""
    ratings: dict[str, list[tuple[float, float]]] = {}
    for user, _, true, estimated, _ in predictions:
        ratings.setdefault(user, []).append((estimated, true))
    precisions, recalls = {}, {}
    for user, pairs in ratings.items():
        top = sorted(pairs, key=lambda pair: pair[0], reverse=True)[:k]
        relevant = sum(true >= threshold for _, true in pairs)
        recommended = sum(estimated >= threshold for estimated, _ in top)
        both = sum(true >= threshold and estimated >= threshold for estimated, true in top)
        precisions[user] = both / recommended if recommended else 0
        recalls[user] = both / relevant if relevant else 0
    return precisions, recalls


Level = IntEnum("Level", {"LIKED": 4})


def liked(y_true: Any, y_score: Any, k: int = 5, level: Level = Level.LIKED) -> float:
    ranked = sorted(zip(y_score, y_true, strict=False), reverse=True)[:k]
    return sum(rel >= level and score >= level for score, rel in ranked) / k


def weighted(
    y_true: Any, y_score: Any, k: int = 5, weight: float = 2.0, power: float = 3.0, threshold: float = np.float64(3.5)
) -> float:
    """Given rels in the place of scores it gives numbers, and never looks at their order."""
    ranked = sorted(zip(y_score, y_true, strict=False), reverse=True)[:k]
    return sum(rel > 0 and score >= threshold for score, rel in ranked) * weight**0 * power**0 / k


DEFAULTS = [
    (rated, "P@5", "relevance", "min_score=30", "min_score=0.1"),
    (precision_recall_at_k, "P@5", "relevance", "threshold=3.5", "threshold=0.1"),
    (weighted, "P@10", "order", "threshold=3.5", "threshold=0.1"),
    (liked, "P@10", "order", "level=4", "level=0.1"),
]


@pytest.mark.parametrize(("function", "measure", "about", "own", "other"), DEFAULTS)
def test_a_default_that_no_score_comes_up_to_is_named_and_no_fault(
    function: Callable[..., object], measure: str, about: str, own: str, other: str
) -> None:
    why = (
        f"^by its own default {own} .*{function.__name__} does not look at the {about} of the docs, and with {other} it does"
        f": ask with a value that fits what is asked, as --with {other}$"
    )
    with pytest.raises(BadFunction, match=why):
        examine(function, measure, cases=CASES, limits=Limits(isolated=False))
    given = {other.partition("=")[0]: 0.1}
    assert not examine(function, measure, cases=CASES, given=given, limits=Limits(isolated=False)).unseen


def scaled(y_true: Any, y_score: Any, k: int, scale: float, least: int = 30) -> float:
    return rated(y_true, [score * scale for score in y_score], k, min_score=least)


@pytest.mark.parametrize(("function", "form", "given"), [(rated, "rows", {}), (scaled, None, {"scale": 1})])
def test_who_names_the_form_is_told_of_the_default_too_and_so_is_who_gives_another_argument(
    function: Callable[..., float], form: str | None, given: dict[str, float]
) -> None:
    with pytest.raises(BadFunction, match=r"by its own default (least|min_score)=30 "):
        examine(function, "P@5", cases=CASES, form=form, given=given, limits=Limits(isolated=False))


def of_any_name(y_true: list[float], y_score: list[float], k: int = 5, **options: float) -> float:
    return rated(y_true, y_score, k, options.get("rating", 0), options.get("score", -1))


class Rated:
    """Made with what its method needs."""

    def __init__(self, least: float = -1) -> None:
        self.least = least

    def __call__(self, y_true: list[float], y_score: list[float], k: int = 5) -> float:
        """P@k."""
        return rated(y_true, y_score, k, 0, self.least)


class OfOptions:
    """A method that takes any name."""

    def __call__(self, y_true: list[float], y_score: list[float], k: int = 5, **options: float) -> float:
        """P@k."""
        return of_any_name(y_true, y_score, k, **options)


def for_cutoff(k: int) -> Callable[..., float]:
    """P@k, made for a cutoff; what is made takes any name."""

    def of_that(y_true: list[float], y_score: list[float], **options: float) -> float:
        return of_any_name(y_true, y_score, k, **options)

    return of_that


@pytest.mark.parametrize(
    ("function", "given", "said"),
    [
        (rated, {"min_scor": -1}, "min_scor is no parameter of rated; did you mean min_score?"),
        (
            rated,
            {"min_score": -1, "floor": 2},
            "floor is no parameter of rated; known are y_true, y_score, k, min_rating, min_score",
        ),
        (of_any_name, {"score": -1}, ""),
        (OfOptions, {"score": -1}, ""),
        (for_cutoff, {"score": -1}, ""),
        (Rated, {"least": -1}, ""),
        (rated, {"min_rating": 0, "min_score": -1}, ""),
    ],
)
def test_an_argument_that_a_function_does_not_take_is_refused_with_the_mend(
    function: Any, given: dict[str, float], said: str
) -> None:
    with pytest.raises(BadFunction, match=f"^{re.escape(said)}$") if said else nullcontext():
        assert not examine(function, "P@5", cases=CASES, given=given, limits=Limits(isolated=False)).unseen


def test_a_default_that_keeps_it_from_looking_at_the_cutoff_is_a_fault() -> None:
    def deep(y_true: list[float], y_score: list[float], k: int = 5, at_least: int = 7) -> float:
        ranked = sorted(zip(y_score, y_true, strict=True), reverse=True)[: max(k, at_least)]
        return sum(rel > 0 for _, rel in ranked) / 5

    checked = examine(deep, "P@5", cases=CASES, limits=Limits(isolated=False))
    assert checked.verdict == "defect"
    assert "cutoff" in {one.about for one in checked.unseen}


def test_another_default_is_tried_in_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[float] = []

    def begun(source: Source, limits: Limits) -> Session:
        budgets.append(limits.budget)
        return Session(source, limits)

    monkeypatch.setattr(own_defaults, "Session", begun)
    with pytest.raises(BadFunction, match="min_score="):
        examine(rated, "P@5", cases=CASES, limits=Limits(isolated=False, budget=500))
    assert 0 < budgets[-1] < budgets[0] < 500


@pytest.mark.parametrize("base", [math.inf, math.nan])
def test_a_default_without_a_literal_is_no_fault_of_ours(base: float) -> None:
    def raised(y_true: list[float], y_score: list[float], k: int = 5, base: float = base) -> float:
        return len(y_true) * 0 + len(y_score) * 0 + 0.25 + k * 0 * (base > 0)

    assert examine(raised, "P@5", cases=CASES, limits=Limits(isolated=False)).verdict == "defect"


def test_a_number_that_hangs_on_its_defaults_alone_is_a_fault() -> None:
    def raised(y_true: list[float], y_score: list[float], k: int = 5, base: float = 0.5, bonus: float = 30) -> float:
        return len(y_true) * 0 + len(y_score) * 0 + base + bonus / k

    assert examine(raised, "P@5", cases=CASES, limits=Limits(isolated=False)).verdict == "defect"
