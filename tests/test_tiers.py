"""Ordinary input leads: what is extreme is told after it, takes no time, and decides nothing unless it is asked to."""

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

from rankproof import cases as corpus
from rankproof import files
from rankproof.calling.call_forms import FORMS
from rankproof.cases import Case
from rankproof.cases.inputs import Input, QrelsRow
from rankproof.checking import nearest
from rankproof.checking.case_questions import traits
from rankproof.checking.checked import Checked
from rankproof.checking.differing import differences
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.meaning.input_traits import ASSUMPTIONS, TRAITS, UnknownAssumption, assumptions, binarised, is_ordinary
from rankproof.telling.check_answer import answer_of
from rankproof.telling.check_json import for_programs
from rankproof.telling.check_text import verdict
from rankproof.telling.check_words import summary, words_of_extreme

PLAIN = Input(
    qrels=(("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 1)),
    run=(("q1", "a", 0.9, 1), ("q1", "b", 0.8, 2), ("q2", "c", 0.7, 1)),
)
HAVING: dict[str, Input] = {
    "small": replace(PLAIN, qrels=(("q1", "a", 1001), *PLAIN.qrels[1:])),
    "to-4": replace(PLAIN, qrels=(("q1", "a", 5), *PLAIN.qrels[1:])),
    "binary": replace(PLAIN, qrels=(("q1", "a", 4), *PLAIN.qrels[1:])),
    "some-relevant": replace(PLAIN, qrels=(("q1", "a", 0), *PLAIN.qrels[1:])),
    "some-judged": replace(PLAIN, qrels=()),
    "nonnegative": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", -1))),
    "integer": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", "c", 0.5))),
    "plain-ids": replace(PLAIN, qrels=(*PLAIN.qrels, ("q1", 7, 0))),
    "distinct": replace(PLAIN, run=(*PLAIN.run, ("q1", "a", 0.1, 3))),
    "finite": replace(PLAIN, run=(("q1", "a", math.inf, 1), *PLAIN.run[1:])),
    "float32": replace(PLAIN, run=(("q1", "a", 0.8 + 1e-12, 1), *PLAIN.run[1:])),
    "no-ties": replace(PLAIN, run=(("q1", "a", 0.8, 1), *PLAIN.run[1:])),
    "nonempty": replace(PLAIN, empty_in_run=("q3",)),
    "judged": replace(PLAIN, empty_in_qrels=("q3",)),
}
"""Assumption -> an input that has what it excludes."""

HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""


@cache
def few() -> list[Case]:
    """Cases that a formula shows itself on, and some that are extreme."""
    topics = {"gain", "cutoff", "ideal", "denominators"}
    of_them = [case for case in corpus.load_all() if case.id.partition("/")[0] in topics]
    return [*of_them[::2], *(case for case in of_them[1::2] if any(rel > 1000 for *_, rel in case.input.qrels))]


def checked(function: Callable[..., float], measure: str = "nDCG@10", *globs: str, **how: str) -> Checked:
    """Examined by the few cases, or by those that are named."""
    return examine(function, measure, cases=corpus.load_matching(globs) if globs else few(), limits=HERE, **how)


# -- traits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("assumption", HAVING)
def test_a_trait_is_found_where_it_is_and_not_where_it_is_not(assumption: str) -> None:
    trait = ASSUMPTIONS[assumption]
    assert trait.found(HAVING[assumption], None)
    assert not trait.found(PLAIN, None)
    assert is_ordinary(PLAIN)
    assert is_ordinary(HAVING[assumption]) != trait.is_extreme


@pytest.mark.parametrize(
    ("assumption", "last_without", "first_with"),
    [
        ("small", ("q1", "c", 1000), ("q1", "c", 1000.5)),
        ("to-4", ("q1", "c", 4), ("q1", "c", 4.5)),
        ("nonnegative", ("q1", "c", 0), ("q1", "c", -0.5)),
        ("integer", ("q1", "c", 2.0), ("q1", "c", 2.25)),
        ("binary", ("q1", "c", 1), ("q1", "c", 2)),
        ("plain-ids", ("q1", "c" * 64, 0), ("q1", "c" * 65, 0)),
        ("plain-ids", ("q-1._:/", "c", 0), ("q 1", "c", 0)),
        ("distinct", ("q2", "a", 0), ("q1", "a", 0)),
    ],
)
def test_a_trait_begins_where_it_is_said_to(assumption: str, last_without: QrelsRow, first_with: QrelsRow) -> None:
    for judged, has in ((last_without, False), (first_with, True)):
        data = replace(PLAIN, qrels=(*PLAIN.qrels, judged))
        assert ASSUMPTIONS[assumption].found(data, None) is has, judged


def test_every_trait_is_tried_here() -> None:
    assert {trait.assumption for trait in TRAITS} == {*HAVING, "k-docs"}
    assert [trait.assumption for trait in traits(FORMS["qrels-run"], PLAIN, 2)] == ["k-docs"]
    assert traits(FORMS["qrels-run"], PLAIN, 1) == ()


def test_a_form_has_no_traits_of_what_it_is_not_told() -> None:
    assert ASSUMPTIONS["plain-ids"] not in traits(FORMS["rows"], HAVING["plain-ids"])
    assert ASSUMPTIONS["plain-ids"] in traits(FORMS["qrels-run"], HAVING["plain-ids"])
    assert ASSUMPTIONS["judged"] not in traits(FORMS["ids"], HAVING["judged"])


def test_that_no_query_is_judged_is_extreme_whatever_a_form_is_told() -> None:
    for form in ("qrels-run", "queries-ids", "rows"):
        assert ASSUMPTIONS["some-judged"] in traits(FORMS[form], HAVING["some-judged"])
        named = replace(HAVING["some-judged"], empty_in_qrels=("q1",))
        assert ASSUMPTIONS["some-judged"] not in traits(FORMS[form], named), "it is named, and has no relevant docs"
    for data in (replace(PLAIN, run=()), Input()):
        assert ASSUMPTIONS["nonempty"].found(data, None)
        assert not is_ordinary(data)


def test_what_is_extreme_is_what_the_words_say() -> None:
    ordinary = {trait.assumption for trait in TRAITS if not trait.is_extreme}
    assert ordinary == {"binary", "no-ties", "some-relevant", "k-docs"}


def test_assumptions_are_read_or_refused() -> None:
    assert [trait.assumption for trait in assumptions(" nonnegative,,binary ")] == ["nonnegative", "binary"]
    with pytest.raises(UnknownAssumption, match="positive is no assumption; the assumptions are small, nonnegative, "):
        assumptions("positive")


def test_binary_rels_are_those_of_relevant_docs() -> None:
    rels = (("q", "a", 4), ("q", "b", 0), ("q", "c", 0.5), ("q", "d", -1), ("q", "e", 1))
    made = binarised(replace(PLAIN, qrels=rels))
    assert [rel for _, _, rel in made.qrels] == [1, 0, 0, 0, 1]


# -- functions that people write ---------------------------------------------------------------------------------------


def precision_of_hits(hits: list[bool], k: int) -> float:
    """Of flags, as its annotation says."""
    return sum(hits[:k]) / k


def test_what_is_assumed_of_flags_is_added_to_what_a_person_assumes() -> None:
    found = checked(precision_of_hits, "P@2", "ties/*", "gain/*", assume="no-ties,nonempty")
    assert [trait.assumption for trait in found.assumed] == ["no-ties", "nonempty", "binary"]
    assert not any(one.question.case.input.has_ties for one in found.seen)


def precision_of_all(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int) -> float:
    """A mean that is 0 where there is no query, as it is mostly written."""
    total = 0.0
    for query, rels in qrels.items():
        top = sorted(run.get(query, {}).items(), key=lambda pair: pair[1], reverse=True)[:k]
        total += sum(rels.get(doc, 0) > 0 for doc, _ in top) / k
    return total / max(len(qrels), 1)


def test_a_mean_over_no_query_that_is_0_takes_nothing_from_a_yes() -> None:
    found = checked(precision_of_all, "P@5", "queries/*", "ties/*")
    assert found.lead == "convention"
    assert not found.ordinary.misses
    assert (found.follows.ties, found.follows.missing) == ("input", "0")
    assert words_of_extreme(found) == f"the same, with no_query=0, on all {found.extreme.asked} extreme questions"
    told = for_programs(found)
    assert [told[name]["asked"] for name in ("ordinary", "extreme")] == [found.ordinary.asked, found.extreme.asked]
    assert [told[name]["unexplained"] for name in ("ordinary", "extreme")] == [[], []]


def precision_of_ids(relevant: dict[str, set[str]], ranked: dict[str, list[str]], k: int) -> float:
    """The same of ids, which tell no judgments."""
    found = [len(docs & {*ranked.get(query, [])[:k]}) / k for query, docs in relevant.items()]
    return sum(found) / max(len(found), 1)


def test_so_it_is_of_ids() -> None:
    found = checked(precision_of_ids, "P@5", "queries/*", "cutoff/*")
    assert (found.target.form.name, found.is_unknown, found.ordinary.misses) == ("queries-ids", False, [])
    assert answer_of(found).sentence == "yes: precision_of_ids is P@5"
    assert for_programs(found)["extreme"]["unexplained"] == []
    assert found.follows.no_query == "0"


def precision_of_run(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], k: int) -> float:
    """A mean over the queries of the run, whether they are judged or not."""
    hits = [sorted(docs.items(), key=lambda pair: -pair[1])[:k] for docs in run.values()]
    counts = [sum(qrels.get(q, {}).get(doc, 0) > 0 for doc, _ in top) / k for q, top in zip(run, hits, strict=True)]
    return sum(counts) / len(counts) if counts else 0.0


def test_what_is_one_to_a_mean_is_told_in_one_word() -> None:
    """Of each query nothing is told, so that three values of `extra` and two of `missing` remain, and are no choice to anybody."""
    found = checked(precision_of_run, "P@5", "queries/*", "ties/*")
    assert {axis: len(values) for axis, values in found.odd_choices} == {"extra": 3, "ties": 1, "missing": 2}
    # Of all others that of standard remains; what the mean over no query is, extreme input alone shows.
    assert {one.axis for one in found.differing} == {"extra", "ties", "missing", "no_query"}
    wanted = "query without judgments worth 0, ties in input order, missing query left out"
    assert answer_of(found).sentence == f"yes: precision_of_run is P@5, with {wanted}"


def ndcg_of_six_lines(ranked_rels: Sequence[int], k: int) -> float:
    """The most ordinary one there is; of whole numbers, 2 to the power of a large rel never ends."""

    def dcg(rels: Sequence[int]) -> float:
        return sum((2**rel - 1) / math.log2(place + 1) for place, rel in enumerate(rels[:k], start=1))

    ideal = dcg(sorted(ranked_rels, reverse=True))
    return dcg(ranked_rels) / ideal if ideal else 0.0


@pytest.mark.in_turn
def test_no_question_makes_an_ordinary_function_slow() -> None:
    started = time.process_time()
    found = checked(ndcg_of_six_lines)
    assert time.process_time() - started < 20, "it waits for no question that never ends, however slow the machine"
    assert (found.ordinary.verdict, found.spec.split()[0], found.holds) == ("convention", "gain=exp", True)
    assert found.skipped > 0
    assert all(one.question.takes_long for one in found.seen if one.left_out)
    assert not any(one.left_out for one in found.answered)


def sums_flags(ranked_rels: Sequence[int], k: int) -> float:
    """Precision, where rels are flags."""
    return sum(ranked_rels[:k]) / k


def test_what_sums_flags_is_right_on_flags_and_that_is_said() -> None:
    found = checked(sums_flags, "P@5")
    assert [trait.assumption for trait in found.assumed] == ["binary"]
    assert (found.ordinary.misses, found.holds) == ([], True)
    assert len(found.beyond) > 10
    assert all({rel for _, _, rel in one.question.case.input.qrels} <= {0, 1} for one in found.ordinary.seen)


def counts_squares(ranked_rels: Sequence[int], k: int) -> float:
    """Wrong on flags, too."""
    return sum(ranked_rels[:k]) / k**2


def test_what_is_wrong_on_flags_is_not_excused() -> None:
    found = checked(counts_squares, "P@5")
    assert (found.assumed, found.beyond, found.holds) == ((), (), False)


IDEALS: dict[tuple[int, int], float] = {}


def keeps_the_ideal_of_another_query(ranked_rels: Sequence[int], k: int) -> float:
    """It remembers an ideal by the number of docs alone."""
    dcg = sum(rel / math.log2(place + 1) for place, rel in enumerate(ranked_rels[:k], start=1))
    best = sorted(ranked_rels, reverse=True)[:k]
    ideal = sum(rel / math.log2(place + 1) for place, rel in enumerate(best, start=1))
    ideal = IDEALS.setdefault((len(ranked_rels), k), ideal)
    return dcg / ideal if ideal else 0.0


@pytest.mark.in_turn
def test_an_answer_that_depends_on_what_was_asked_before_is_seen() -> None:
    """Asked twice in a row it says the same."""
    found = examine(keeps_the_ideal_of_another_query, "nDCG@10", cases=few()[::3], limits=Limits())
    assert found.ordinary.verdict == "unstable"
    assert (found.holds, found.signature) == (False, None)


def refuses_fractions(ranked_rels: Sequence[float], k: int) -> float:
    """By the way, it takes a rel of a thousand for one of 64."""
    if any(rel != int(rel) for rel in ranked_rels):
        raise ValueError("whole numbers only")
    return ndcg_of_six_lines([min(rel, 64) for rel in ranked_rels], k)


def gives_nothing_for_fractions(ranked_rels: Sequence[float], k: int) -> float:
    if any(rel != int(rel) for rel in ranked_rels):
        return 1.25
    return ndcg_of_six_lines([min(rel, 1000) for rel in ranked_rels], k)


def test_extreme_input_is_told_by_its_trait_and_decides_only_where_that_is_wanted() -> None:
    found = checked(gives_nothing_for_fractions)
    assert (found.ordinary.verdict, found.spec) == ("convention", "gain=exp")
    assert (found.verdict, found.holds, found.holds_strictly) == ("unexplained", True, False)
    beyond = r"; fractional rels: unexplained \(\d+ of \d+\), as 1\.25, above 1, beyond which no nDCG is on "
    assert re.search(beyond, words_of_extreme(found))
    assert checked(gives_nothing_for_fractions, assume="integer,small").holds_strictly


def test_a_refusal_that_is_a_convention_is_one() -> None:
    found = checked(refuses_fractions)
    assert (found.spec, found.holds) == ("gain=exp grades=rejected", True)
    assert (found.ordinary.spec, found.on_extreme) == ("gain=exp", "grades=rejected")
    assert "fractional" not in words_of_extreme(found)
    assert "; rels above 1,000: unexplained (" in words_of_extreme(found)


def test_agreement_needs_extreme_input_too() -> None:
    found = checked(refuses_fractions, profile="standard gain=exp")
    assert found.ordinary.verdict == "agrees"
    assert found.verdict != "agrees"
    on_ordinary = f"follows standard gain=exp on {found.ordinary.asked} ordinary questions"
    assert f"{on_ordinary}; the same, with grades=rejected, on " in summary(found)


def as_is(ranked_rels: Sequence[float], k: int) -> float:
    """A negative rel is a negative gain."""

    def dcg(rels: Sequence[float]) -> float:
        return sum(rel / math.log2(place + 1) for place, rel in enumerate(rels[:k], start=1))

    ideal = dcg(sorted(ranked_rels, reverse=True))
    return dcg(ranked_rels) / ideal if ideal > 0 else 0.0


def test_what_only_extreme_input_decides_is_no_part_of_what_is_said_of_ordinary_input() -> None:
    ask = partial(checked, as_is, "nDCG@10", "gain/*", "judgments/*", "ideal/*")
    found = ask()
    assert (found.ordinary.spec, found.on_extreme, found.spec) == ("standard", "negative=as-is", "negative=as-is")
    assert differences(found.ordinary.seen, found.claimed, "float64") == []
    assert differences(found.extreme.seen, found.claimed, "float64") != []
    assert "negative" not in verdict(found)
    assert words_of_extreme(found).startswith("the same, with negative=as-is, on ")
    told = summary(ask(profile="standard gain=exp"))
    assert "; it follows standard: declare it, as profile='standard'; the same, with negative=as-is, on " in told
    other = ask(profile="standard negative=rejected")
    assert (other.ordinary.verdict, other.ordinary.spec) == ("agrees", "negative=rejected")
    assert other.on_extreme == "negative=as-is"
    unclaimed = ask(profile="standard negative=as-is")
    assert (unclaimed.whole.verdict, unclaimed.on_extreme) == ("agrees", "")


# -- what libraries support --------------------------------------------------------------------------------------------


def test_what_a_library_supports_is_asked_once_and_an_accident_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(files.CACHE, str(tmp_path))
    library = next(one for one in nearest._here() if one.name == "pytrec_eval")
    said: list[dict[str, list[str]]] = [{}, {"default": ["nDCG@k"]}]
    monkeypatch.setattr(nearest, "_asked", lambda _: said.pop(0))
    assert nearest._supported(library) == {}
    assert nearest._supported(library) == {"default": ["nDCG@k"]}
    assert (nearest._supported(library), said) == ({"default": ["nDCG@k"]}, [])
    (kept,) = (tmp_path / "supported").iterdir()
    for nonsense in ("[]", "{", '{"default": 3}'):
        kept.write_text(nonsense, encoding="utf-8")
        said.append({"default": ["P@k"]})
        assert nearest._supported(library) == {"default": ["P@k"]}
