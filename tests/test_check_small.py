"""`check` at its door: small functions, asked of eight small cases each, in this process; what is told of them is told as a user reads it.

The cases are made here, so that each sentence can be followed by hand: it says on which of them a function differs, and by how much.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import count
from math import log2
from typing import Any

import pytest
from here import of_this_interpreter

import rankproof
from rankproof.calling.call_forms import FORMS
from rankproof.calling.targets import BadFunction
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import nearest
from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.meaning.input_traits import ASSUMPTIONS
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.profiles import UnknownProfile
from rankproof.telling import check_answer, check_text
from rankproof.telling.check_answer import AnswerKind, answer_of
from rankproof.telling.check_json import for_programs
from rankproof.telling.check_text import in_text, verdict, witness_rows
from rankproof.telling.check_words import summary


def made(name: str, qrels: str, run: str) -> Case:
    """Rows as `query doc rel` and `query doc score`, with commas between them."""
    judged, ranked = ([row.split() for row in rows.split(",")] for rows in (qrels, run))
    data = Input(
        tuple((query, doc, float(rel)) for query, doc, rel in judged),
        tuple((query, doc, float(score), rank) for rank, (query, doc, score) in enumerate(ranked, start=1)),
    )
    return Case(name, f"what is {name}", "", "", (), data)


CASES = [
    made("tied", "q a 1,q b 0,q c 0", "q c 2,q a 1,q b 1"),
    made("tied-up", "q a 0,q b 1,q c 0", "q c 2,q b 1,q a 1"),
    made("graded", "q a 3,q b 1,q c 0", "q c 3,q b 2,q a 1"),
    made("steep", "q a 1,q b 3,q c 2", "q c 1,q b 2,q a 3"),
    made("short", "q a 1,q b 1", "q a 2"),
    made("none", "q a 0,r b 1", "q a 2,r b 1"),
    made("two", "q a 1,r c 1", "q a 1,r b 2,r c 1"),
    made("negative", "q a -1,q b 1", "q a 2,q b 1"),
]
HERE = Limits(isolated=False)
ROWS = "ties=input"
"""What is claimed: a function of rows keeps the order of those that are tied."""


def examined(function: Any, measure: str = "P@2", claim: Any = ROWS, **how: Any) -> Checked:
    cases = [replace(one, also_ask=(measure,)) for one in CASES]
    return examine(function, measure, claim, **{"cases": cases, "limits": HERE, "form": "rows", **how})


@cache
def found_of(function: Any, measure: str = "P@2") -> Checked:
    """What is found once and told by several tests."""
    return examined(function, measure)


# -- the functions, as people write them ------------------------------------------------------------------------------


def ranked(rels: Iterable[float], scores: Iterable[float]) -> list[float]:
    return [rel for rel, _ in sorted(zip(rels, scores, strict=True), key=lambda row: -row[1])]


def exponential(rel: float) -> float:
    return 2**rel - 1


def dcg(rels: Iterable[float], gain: Callable[[float], float] = float) -> float:
    return sum(gain(rel) / log2(rank + 1) for rank, rel in enumerate(rels, start=1))


def p(y_true: list[float], y_score: list[float], k: int) -> float:
    return sum(rel >= 1 for rel in ranked(y_true, y_score)[:k]) / k


def p_of_rels_above_zero(y_true: list[float], y_score: list[float], k: int) -> float:
    if min(y_true) < 0:
        raise ValueError("no negative rels")
    return p(y_true, y_score, k)


def ndcg(
    y_true: list[float], y_score: list[float], k: int, *, gain: Callable[[float], float] = float, empty: float = 0.0
) -> float:
    ideal = dcg(sorted(y_true, reverse=True)[:k], gain)
    return dcg(ranked(y_true, y_score)[:k], gain) / ideal if ideal else empty


def named(name: str, function: Callable[..., float]) -> Callable[..., float]:
    """A function of rows, as if it had been defined by this name."""
    function.__name__ = function.__qualname__ = name
    return function


p_of_any_rel = named("p_of_any_rel", lambda y_true, y_score, k: p([float(rel != 0) for rel in y_true], y_score, k))
exponential_ndcg = named("exponential_ndcg", lambda y_true, y_score, k: ndcg(y_true, y_score, k, gain=exponential))
one_without_relevant = named("one_without_relevant", lambda y_true, y_score, k: ndcg(y_true, y_score, k, empty=1.0))
both = named("both", lambda y_true, y_score, k: ndcg(y_true, y_score, k, gain=exponential, empty=1.0))
percent = named("percent", lambda y_true, y_score, k: round(100 * ndcg(y_true, y_score, k), 1))
too_much = named("too_much", lambda y_true, y_score, k: 1.3 * ndcg(y_true, y_score, k))
too_little = named("too_little", lambda y_true, y_score, k: 0.9 * ndcg(y_true, y_score, k))
constant = named("constant", lambda y_true, y_score, k: 0.5 if len(y_true) == len(y_score) else k)
without_cutoff = named("without_cutoff", lambda y_true, y_score, k: ndcg(y_true, y_score, 10 * k))
of_more_below = named("of_more_below", lambda y_true, y_score, k: ndcg(y_true, y_score, k) - 0.1 * (len(y_true) == 1))


def rr(y_true: list[float], y_score: list[float], k: int) -> float:
    return next((1 / rank for rank, rel in enumerate(ranked(y_true, y_score)[:k], start=1) if rel >= 1), 0.0)


def one_more(y_true: list[float], y_score: list[float], k: int) -> float:
    return next((1 / (rank + 1) for rank, rel in enumerate(ranked(y_true, y_score)[:k], start=1) if rel >= 1), 0.0)


# -- the verdicts -----------------------------------------------------------------------------------------------------

NDCG_AS_IS = "negative=as-is ties=input"
"""Who adds up gains takes a negative rel as it is: on extreme input alone."""


@pytest.mark.parametrize(
    ("function", "measure", "found", "spec"),
    [
        (p, "P@2", ("agrees", "agrees", True, True), "ties=input"),
        (rr, "RR@2", ("agrees", "agrees", True, True), "ties=input"),
        (
            ndcg,
            "nDCG@2",
            ("convention", "convention", True, False),
            NDCG_AS_IS,
        ),  # its form tells it of retrieved docs alone
        (p_of_any_rel, "P@2", ("agrees", "unexplained", True, False), "ties=input"),
        (p_of_rels_above_zero, "P@2", ("agrees", "convention", True, False), "negative=rejected ties=input"),
        (exponential_ndcg, "nDCG@2", ("convention", "convention", False, False), f"gain=exp {NDCG_AS_IS}"),
        (
            one_without_relevant,
            "nDCG@2",
            ("convention", "convention", False, False),
            "negative=as-is norel=1 ties=input",
        ),
        (both, "nDCG@2", ("convention", "convention", False, False), "gain=exp negative=as-is norel=1 ties=input"),
        (percent, "nDCG@2", ("defect", "defect", False, False), None),
        (too_much, "nDCG@2", ("defect", "defect", False, False), None),
        (of_more_below, "nDCG@2", ("defect", "defect", False, False), None),
        (constant, "nDCG@2", ("defect", "defect", False, False), None),
        (without_cutoff, "nDCG@2", ("defect", "defect", False, False), None),
        (too_little, "nDCG@2", ("unexplained", "unexplained", False, False), None),
        (one_more, "RR@2", ("unexplained", "unexplained", False, False), None),
    ],
)
def test_what_is_ordinary_leads_and_what_is_extreme_may_spoil_it(
    function: Any, measure: str, found: tuple[str, str, bool, bool], spec: str | None
) -> None:
    checked = found_of(function, measure)
    assert (checked.lead, checked.verdict, checked.holds, checked.holds_strictly) == found
    assert for_programs(checked)["holds"] is found[2], "as the exit code says"
    assert (checked.ordinary.asked, checked.extreme.asked) == (12, 2)
    assert (checked.is_unknown, checked.signature is None) == (spec is None, spec is None)
    if spec is not None:
        assert checked.spec == spec
        assert checked.ordinary.misses == []


@pytest.mark.parametrize(
    ("function", "measure", "told"),
    [
        (p, "P@2", "p follows ties=input on 14 questions."),
        (
            p_of_any_rel,
            "P@2",
            (
                "p_of_any_rel follows ties=input on 12 ordinary questions; the same on 0 of 2 extreme questions; "
                "negative rels: unexplained (2 of 2), as 1 on negative."
            ),
        ),
        (
            p_of_rels_above_zero,
            "P@2",
            (
                "p_of_rels_above_zero follows ties=input on 12 ordinary questions; "
                "the same, with negative=rejected, on all 2 extreme questions."
            ),
        ),
        (
            one_without_relevant,
            "nDCG@2",
            (
                "one_without_relevant does not follow ties=input: on none (what is none) its nDCG@2 of q is 1 "
                "where ties=input gives 0; it follows norel=1 ties=input/best: declare it, "
                "as profile='norel=1 ties=input'; the same, with negative=as-is, on all 2 extreme questions."
            ),
        ),
        (
            too_much,
            "nDCG@2",
            "too_much does not follow ties=input: its nDCG@2 is 1.3, above 1, beyond which no nDCG is.",
        ),
    ],
)
def test_what_is_found_reads_as_a_sentence(function: Any, measure: str, told: str) -> None:
    assert summary(found_of(function, measure)) == told


@pytest.fixture(autouse=True, scope="module")
def few_libraries() -> Iterator[None]:
    """What the nearest profile leaves unexplained hangs on who there is: here it is those that rankproof's extras bring."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "libraries", of_this_interpreter)
        nearest.forget()
        yield
    nearest.forget()


def test_what_follows_nothing_says_how_much_is_unexplained() -> None:
    told = summary(found_of(one_more, "RR@2"))
    on_short = "on short (what is short) its RR@2 is .5 where ties=input gives 1;"
    assert told.startswith(f"one_more does not follow ties=input: {on_short}")
    assert "; it follows no known convention" in told
    assert told.endswith(" leaves 8 of its 12 ordinary answers unexplained.")


def test_a_defect_is_told_by_its_name_with_how_much_it_explains() -> None:
    found = found_of(without_cutoff, "nDCG@2")
    told, defect = summary(found), "the cutoff is ignored, with ties=input/best: 7 of 7 unexplained answers"
    assert told.startswith("without_cutoff does not follow ties=input: its nDCG@1 is .6309 where ties=input gives 0; ")
    assert told.endswith(f"; {defect}.")
    assert verdict(found) == f"defect: {defect}"
    shown, told_of, text = found.witness, found.shown_by_defect, " ".join(in_text(found).split())
    assert shown is not None
    assert told_of is not None
    assert (shown.question.case.id, shown.got, shown.expected) == (told_of.told.case, told_of.got, told_of.right)
    gives = f"without_cutoff gives {shown.got!r}; without the defect it would give {shown.expected!r}"
    assert f"{shown.question.measure}: {gives}" in text
    assert "nearest profile" not in text


def test_beside_a_defect_the_values_are_said_that_few_others_remain_beside() -> None:
    found = found_of(without_cutoff, "nDCG@2")
    assert found.defect is not None
    still = {"gain": ("exp",), "ties": ("input", "worst"), "norel": ("0", "1", "nan"), "ideal": ("retrieved", "given")}
    said = answer_of(replace(found, defect=replace(found.defect, remaining=still))).sentence
    beside = said.partition(" (beside that: ")[2].partition(")")[0].split(", ")
    told = {axis: values for axis, values in still.items() if axis != "norel"}
    assert beside == [" or ".join(map(AXES[axis].phrase, values)) for axis, values in told.items()]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_so_many_choices_are_named_and_shown_as_there_is_room_for_and_the_others_counted(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = examined(both, "nDCG@2", None)
    assert "more choice" not in answer_of(found).sentence
    phrases = answer_of(found).sentence.partition(", with ")[2].partition("; ")[0].split(", ")
    assert len(phrases) == len(found.odd_choices) == 3
    assert len(found.differing) == 4
    monkeypatch.setattr(check_answer, "MOST", most)
    monkeypatch.setattr(check_text, "MOST", most)
    others = {1: ["2 more choices"], 2: ["1 more choice"], 3: []}[most]
    named = answer_of(found).sentence.partition(", with ")[2].partition("; ")[0].split(", ")
    assert named == [*phrases[:most], *others]
    shown = [row[0][0] for row in witness_rows(found)]
    assert shown == [f"{one.axis}={'/'.join(one.values)}" for one in found.differing[:most]]
    odd = [axis for axis, _ in found.odd_choices]
    assert [one.axis for one in found.differing][: len(odd)] == odd, "what is most surprising is told first"


@pytest.mark.in_turn
def test_the_witness_of_a_defect_is_the_same_whatever_the_queries_are_called() -> None:
    """Sets of texts have another order in each process; of two measures of one case the one that was asked first is told."""

    def renamed(case: Case, query: str) -> Case:
        qrels, run = ([(query + row[0], *row[1:]) for row in rows] for rows in (case.input.qrels, case.input.run))
        return replace(case, input=replace(case.input, qrels=tuple(qrels), run=tuple(run)), also_ask=("nDCG@2",))

    told = [summary(examined(without_cutoff, "nDCG@2", cases=[renamed(one, query) for one in CASES])) for query in "af"]
    assert len(set(told)) == 1
    assert told[0] == summary(found_of(without_cutoff, "nDCG@2"))


@pytest.mark.parametrize(
    ("function", "measure", "case"),
    [
        (p, "P@2", None),
        (p_of_any_rel, "P@2", "negative"),  # where all that is ordinary is as claimed
        (exponential_ndcg, "nDCG@2", "graded"),
        (one_without_relevant, "nDCG@2", "none"),
        (one_more, "RR@2", "short"),
        (both, "nDCG@2", "graded"),  # the formula's own choice first
    ],
)
def test_the_witness_is_the_simplest_that_one_choice_explains(function: Any, measure: str, case: str | None) -> None:
    shown = found_of(function, measure).witness
    found = shown and (shown.question.case.id, str(shown.question.measure), shown.query)
    assert found == (case and (case, measure, "q"))


def test_each_choice_has_the_answer_that_shows_it() -> None:
    checked = found_of(both, "nDCG@2")
    shown = {one.axis: (one.question.case.id, one.query) for one in checked.differing}
    assert {axis: shown[axis] for axis in ("gain", "norel", "negative")} == {
        "gain": ("graded", "q"),
        "norel": ("none", "q"),
        "negative": ("negative", "q"),
    }
    assert found_of(one_more, "RR@2").differing == []


# -- what no ranking is worth -----------------------------------------------------------------------------------------

REPEATED = [
    made("alone", "q a 1,q b 0", "q a 2,q b 1"),
    made("both", "q a 1,q b 1", "q b 2,q a 1"),
    made("twice", "q a 1,q b 0", "q a 3,q a 2,q b 1"),
    made("twice-below", "q a 1,q b 1,q c 0", "q b 4,q a 3,q a 2,q c 1"),
]


def hits_of(relevant: list[str], ranked: list[str]) -> list[int]:
    """The ranks of rows with a relevant doc: who looks at rows credits a doc as often as it stands there."""
    return [rank for rank, doc in enumerate(ranked, start=1) if doc in relevant]


EACH_TIME = "where a doc is retrieved twice and credited each time"


@pytest.mark.parametrize(
    ("function", "measure", "told"),
    [
        (
            lambda relevant, ranked, k: len(hits_of(relevant, ranked[:k])) / len(relevant),
            "R@2",
            f"its R@2 is 2, above 1, beyond which no R is, {EACH_TIME}",
        ),
        (
            lambda relevant, ranked: (
                sum(n / rank for n, rank in enumerate(hits_of(relevant, ranked), 1)) / len(relevant)
            ),
            "AP",
            f"its AP is 2, above 1, beyond which no AP is, {EACH_TIME}",
        ),
        (
            lambda relevant, ranked, k: len(hits_of(relevant, ranked[: k + 1])) / k,
            "P@2",
            "its P@1 is 2, above 1, beyond which no P is",
        ),
        (
            lambda relevant, ranked, k: len(hits_of(relevant, ranked[:k])) / k - 1,
            "P@2",
            "its P@2 is -0.5, below 0, beyond which no P is",
        ),
    ],
)
def test_flags_have_a_bound_as_gains_do(function: Any, measure: str, told: str) -> None:
    """Of measures that look at flags alone: on `twice`, R = 2/1 and AP = (1/1 + 2/2)/1; P@1 of the two rows of `both` is 2/1.

    P@2 on `alone` is 1/2, and less 1 it is below 0.
    """
    cases = [replace(one, also_ask=(measure,)) for one in REPEATED]
    found = examined(function, measure, None, cases=cases, form="ids")
    assert found.excess is not None
    assert (found.lead, found.excess.sentence, found.holds) == ("defect", told, False)
    assert told in summary(found)
    rest = "; but for that, it follows standard on all " if found.excess.repeats else ""
    assert verdict(found).startswith(f"defect: {told}{rest}")
    assert found.witness is not None
    assert found.witness.got == found.excess.got


# -- what a parameter is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["ids", None])
def test_who_is_called_once_for_each_query_is_given_its_id(form: str | None) -> None:
    given = []

    def p_by_query(query_id: str, relevant: list[str], ranked: list[str], k: int) -> float:
        given.append((query_id, tuple(relevant)))
        return len(hits_of(relevant, ranked[:k])) / k

    found = examined(p_by_query, form=form)
    assert (found.target.form, found.target.order) == (FORMS["ids"], ("query_id", "relevant", "ranked"))
    assert {query for query, docs in given if docs == ("c",)} == {"r"}


# -- what wavers, breaks or is not asked ------------------------------------------------------------------------------


def test_what_changes_when_it_is_asked_again_is_unstable() -> None:
    calls = count()

    def wavers(where: Callable[[list[float]], bool], off: float = 0.0) -> Any:
        def added(y_true: list[float]) -> float:
            return next(calls) % 2 * 0.1 * where(y_true) + off * (len(y_true) == 1)

        return lambda y_true, y_score, k: ndcg(y_true, y_score, k) + added(y_true)

    rarely = examined(wavers(lambda rels: min(rels) < 0), "nDCG@2")
    assert (rarely.verdict, rarely.holds, rarely.signature) == ("unstable", True, None), "where it is extreme alone"
    found = examined(wavers(lambda rels: len(rels) == 3), "nDCG@2")
    assert (found.verdict, found.holds, found.signature, found.differing) == ("unstable", False, None, [])
    assert found.ordinary.wavering == 8
    told = (
        "unstable: asked again, it gives another answer to 8 of 12 ordinary questions, as on graded: its nDCG@2 gives "
    )
    assert told in summary(found)
    assert found.witness is not None
    assert found.witness.question.case.id == "graded"
    beside = examined(wavers(lambda rels: len(rels) == 3, off=0.3), "nDCG@2").witness
    assert beside is not None
    assert beside.note.startswith("asked again it gives "), "however plain what else is wrong"


def breaks(y_true: list[float], y_score: list[float], k: int) -> float:
    if not any(y_true) and len(y_true) == 1:
        os._exit(3)
    return p(y_true, y_score, k)


def hangs(y_true: list[float], y_score: list[float], k: int) -> float:
    if not any(y_true) and len(y_true) == 1:
        time.sleep(300)
    return p(y_true, y_score, k)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("function", "verdict", "says"),
    [
        (breaks, "crash", "its P@2 ended its process with exit code 3 where ties=input gives "),
        (hangs, "timeout", "its P@2 gives no answer within 0.5 s where ties=input gives "),
    ],
)
def test_what_does_not_come_back_is_said_so(function: Any, verdict: str, says: str) -> None:
    limits = Limits(question=0.5, first=60.0) if function is hangs else Limits()
    found = examined(function, limits=limits)
    assert (found.lead, found.holds, found.signature is None) == (verdict, False, False)
    assert says in summary(found)


@pytest.mark.parametrize(
    ("function", "measure", "axis"),
    [
        (lambda y_true, y_score, k: p(y_true, y_score, k) * k / min(k, len(y_true)), "P@3", "p_denominator"),
        (exponential_ndcg, "nDCG@2", "gain"),
        (one_without_relevant, "nDCG@2", "norel"),
    ],
)
def test_what_proves_a_profile_is_looked_for_beside_that_profile(function: Any, measure: str, axis: str) -> None:
    found = found_of(function, measure).found
    assert found.explained is not None
    assert found.fingerprint is not None
    assert found.fingerprint.profile == found.explained.profile
    assert found.fingerprint.missed == found.explained.missed
    assert found.fingerprint.axes[axis].value == getattr(found.profile, axis) != getattr(STANDARD, axis)


@pytest.mark.in_turn
def test_what_was_not_asked_is_not_counted() -> None:
    found = examined(hangs, limits=Limits(question=0.3, first=60.0, in_vain=0.1))
    assert found.skipped > 0
    assert found.asked + found.skipped == 14
    assert found.whole.asked == found.asked


# -- what is claimed, assumed and given -------------------------------------------------------------------------------


def test_what_is_assumed_is_not_asked_and_is_told() -> None:
    untied = examined(p, assume="no-ties")
    assert {one.question.case.id for one in untied.seen}.isdisjoint({"tied", "tied-up"})
    assert (untied.assumed, untied.target.form) == ((ASSUMPTIONS["no-ties"],), FORMS["rows"])
    assert summary(untied).startswith("p follows ties=input (without ties) on ")
    flags = examined(p, assume="binary,nonnegative")
    assert {row[2] for one in flags.seen for row in one.question.case.input.qrels} == {0, 1}


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"cases": []}, "no case of the corpus can be asked of "),
        ({"form": "tables"}, "tables is no form; did you mean tuples"),
    ],
)
def test_what_cannot_be_asked_is_refused(how: dict[str, Any], why: str) -> None:
    with pytest.raises(BadFunction, match=why):
        examined(p, **how)


def test_what_is_given_is_as_it_was_given_in_every_call() -> None:
    def p_of_an_empty_log(ranked_rels: list[float], k: int, log: list[int]) -> float:
        log.append(k)
        return sum(rel >= 1 for rel in ranked_rels[:k]) / k / len(log)

    checked = examine(p_of_an_empty_log, "P@2", cases=CASES, limits=HERE, given={"log": []})
    assert answer_of(checked).sentence.startswith("yes: "), answer_of(checked).sentence


def test_places_and_ranks_of_hits_may_be_an_array() -> None:
    for function in (lambda places: (1 / (places + 1)).max(initial=0.0), lambda ranks: (1 / ranks).max(initial=0.0)):
        found = examine(function, "RR", cases=REPEATED[:2], limits=HERE)
        assert answer_of(found).kind == AnswerKind.IS, answer_of(found).sentence


def test_a_check_raises_what_is_found_where_the_claim_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [replace(one, also_ask=("P@2",)) for one in CASES]
    monkeypatch.setattr("rankproof.checking.examining.whole_corpus", lambda: cases)
    check = partial(rankproof.check, form="rows", isolated=False)
    assert check(p, "P@2", profile=ROWS).verdict == "agrees"
    with pytest.raises(AssertionError, match=r"^p does not follow standard: on tied ") as raised:
        check(p, "P@2")
    assert "\n\n" in str(raised.value)
    assert str(raised.value).rstrip().endswith("print(p(y_true, y_score, k=2))")
    assert check(p_of_any_rel, "P@2", profile=ROWS).holds
    with pytest.raises(AssertionError, match="negative rels: unexplained"):
        check(p_of_any_rel, "P@2", profile=ROWS, strict=True)
    assert check(p_of_any_rel, "P@2", profile=ROWS, strict=True, assume="nonnegative").holds


@pytest.mark.parametrize(
    ("name", "by"), [("mine:f", "mine:f"), (":f", "f"), (":<lambda> a|b\tc", "<lambda>_a_b_c"), ("", "function")]
)
def test_a_signature_names_the_function_without_blanks_and_bars(name: str, by: str) -> None:
    checked = found_of(p)
    named = replace(checked, target=replace(checked.target, name=name))
    assert named.signature is not None
    assert (named.signature.by, str(named.signature.measure)) == (by, "P@2")
    assert named.signature.conventions.known == "retrieved"
    assert dict(named.signature.remaining) == named.undecided


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ranx", "^ranx is the profile of a tool, which may leave choices undetermined"),
        (
            "sklearn/rows ties=input",
            "^sklearn/rows is the profile of a tool, .*`rankproof profiles sklearn/rows` shows",
        ),
        ("sklearn", "^sklearn is the profile of a tool, .*or write choices, as 'standard ties=input'"),
        ("elasticsearch", "^elasticsearch is the profile of a tool, .*`rankproof profiles elasticsearch` shows"),
        ("trec_eval", "name one that is whole, standard, trec_eval-9, "),
        ("trec_evil", "^trec_evil is no profile; did you mean trec_eval-9"),
    ],
)
def test_no_function_is_held_to_what_a_library_leaves_open(name: str, said: str) -> None:
    with pytest.raises(UnknownProfile, match=said):
        examined(p, "P@2", name)
