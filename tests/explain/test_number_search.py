"""The search for conventions that give a number: exact sets before rounded ones, known conventions before rare ones."""

import itertools
from fractions import Fraction
from random import Random

import pytest
import random_collections
from explained_data import GRADED, data_of, explanation_of, mean
from strategies import judged_as, run_of

from rankproof.explain.compared_profiles import library_profiles
from rankproof.explain.explanation import explain
from rankproof.explain.number_search import Commonness, Explained, ValueMatch
from rankproof.explain.printed_number import parse_number
from rankproof.explain.run_data import RunData
from rankproof.explain.tie_envelope import MeanEnds
from rankproof.inference.reference_answers import UNSPECIFIED, Values
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.report.explain import facts_of, headline, text_of
from rankproof.workers.same_answers import alike


def all_of(data: RunData, measure: str, *texts: str) -> tuple[Explained, ...]:
    """Return the conventions that give each number, of all libraries."""
    return explanation_of(data, measure, values=texts).values


def recalls(*pairs: tuple[int, int]) -> RunData:
    """Return queries that retrieve some number of relevant documents out of a total, and no other documents."""
    qrels = {f"{i}": judged_as(**{f"d{n}": 1 for n in range(of)}) for i, (_, of) in enumerate(pairs)}
    return data_of(qrels, {f"{i}": run_of(*(f"d{n}" for n in range(hits))) for i, (hits, _) in enumerate(pairs)})


# -- exact and rounded -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "text", "by_standard"),
    [
        (((1, 2), (1, 3)), "0.4", Fraction(5, 12)),
        (((1, 4), (3, 6)), ".4", Fraction(3, 8)),
        (((3, 4), (3, 6)), "0.6", Fraction(5, 8)),
    ],
)
def test_exact_set_comes_before_sets_that_round(
    pairs: tuple[tuple[int, int], ...], text: str, by_standard: Fraction
) -> None:
    """The pooled recalls equal the number; the mean recall only rounds to it."""
    data = recalls(*pairs)
    assert mean(data, "R@5") == by_standard
    (value,) = all_of(data, "R@5", text)
    assert value.best is not None
    assert (dict(value.best.changes), value.best.exact) == ({"mean": ("arithmetic", "pooled")}, True)
    rounded = [match for match in value.found if not match.exact]
    assert any("standard" in match.base.names and not match.changes for match in rounded)
    assert [match.exact for match in value.found] == sorted((m.exact for m in value.found), reverse=True)


# -- sets found by chance --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "spec"),
    [("AP", "norel=0.5 ap_denominator=hits missing=dropped"), ("P@2", "norel=0.5 missing=dropped unjudged=removed")],
)
def test_several_changes_are_counted_and_never_come_first(measure: str, spec: str) -> None:
    text = f"{to_float(mean(GRADED, measure, spec)):.4f}"
    explanation = explanation_of(GRADED, measure, values=[text])
    (value,) = explanation.values
    if value.best is None:
        assert {match.kind for match in value.found} <= {Commonness.SEVERAL}
        assert headline(explanation).startswith("No known profile gives ")
    else:
        assert len(value.best.changes) <= 1, "one change also gives it"
    assert value.by_chance is not None
    assert value.tried > len(value.found)
    near = all_of(GRADED, measure, text[:-2])[0]
    assert near.by_chance is not None
    assert near.by_chance >= value.by_chance, "fewer digits are met by more"


# -- time limit ------------------------------------------------------------------------------------------------------


def big() -> RunData:
    """Return 60 queries of 200 documents with many ties, enough for a limited search.

    One query is missing, one has no relevant document.
    """
    rng = Random(5)
    names = [f"d{i:03}" for i in range(400)]
    qrels = {f"{q}": [Judgment(doc, rng.choice((0, 1, 2))) for doc in rng.sample(names, 40)] for q in range(60)}
    qrels["1"] = [Judgment(doc, 0) for doc in names[:9]]
    rows = {q: [QueryRow(doc, 200.0 - i // 2, i) for i, doc in enumerate(rng.sample(names, 200), 1)] for q in qrels}
    del rows["0"]
    return data_of(qrels, rows)


@pytest.mark.parametrize(("measure", "seconds"), [("P@3", 1.0), ("RR", 1.0), ("nDCG@3", 9.0)])
def test_all_profiles_are_tried_before_the_time_limit(measure: str, seconds: float) -> None:
    """The clock advances by a second of CPU time with every call."""
    data, parsed = big(), parse(measure)
    ticks = map(float, itertools.count())
    numbers = [parse_number(".98765432")]
    explanation = explain("a run", data, parsed, ("standard",), numbers, seconds=seconds, clock=ticks.__next__)
    (value,) = explanation.values
    profiles = [own.conventions(parsed) for own in library_profiles(parsed).values()]
    means = {mean for own in profiles if (mean := data.mean(parsed, own)) is not None}
    assert value.tried >= len(means) > 1
    assert value.found == ()
    assert value.nearest
    assert facts_of(explanation)["values"][0]["not_tried"] == list(value.not_tried) != []
    assert "The time ran out before" in " ".join(text_of(explanation).split())


def test_little_data_is_searched_without_a_time_limit() -> None:
    little = data_of({"1": judged_as(a=1, b=0, c=1)}, {"1": run_of("a", "b", "c")})
    short, long = (
        explain("a run", little, parse("P@2"), (), [parse_number(".98765")], seconds=seconds).values
        for seconds in (1e-9, None)
    )
    assert short == long
    assert short[0].not_tried == ()


# -- ties ------------------------------------------------------------------------------------------------------------


TIED = data_of(
    {"1": judged_as(a=1, b=0, c=0), "2": judged_as(a=1, b=1, c=0), "3": judged_as(a=1, b=0, c=0)},
    {"1": run_of("a=b=c"), "2": run_of("a=c", "b"), "3": run_of("c", "b=a")},
)
"""RR of the three queries by the order of tied documents: 1, 1/2 or 1/3, then 1 or 1/2, then 1/2 or 1/3."""


def test_number_from_some_order_of_tied_documents_is_attributed_to_libraries_without_a_fixed_order() -> None:
    # 1/2, 1/2 and 1/2; descending ids give 1/3, 1/2 and 1/2, and no named order gives this mean.
    (first,) = (match for match in all_of(TIED, "RR", ".5000")[0].found if not match.changes)
    assert "ir_measures/ranx" in first.base.names
    assert (first.kind, dict(first.changes)) == (Commonness.WITHIN_TIES, {})
    assert first.ends == MeanEnds(Fraction(7, 18), Fraction(5, 6))
    # No order gives .6, although it is between the ends: three values of 1, 1/2 and 1/3 do not sum to 1.8.
    assert all(match.ends is None for match in all_of(TIED, "RR", ".6000")[0].found)
    assert all(match.ends is None for match in all_of(TIED, "RR", ".8400")[0].found), "above the best order"


@pytest.mark.parametrize("printed", [".332", ".333", ".3333", ".334", ".6667", ".667", ".668"])
def test_worst_and_best_order_of_ties_match_their_rounded_numbers(printed: str) -> None:
    # 1, 1/2 or 1/3, and 1/3: from 1/3, above .3333, to 2/3, below .6667. No order gives .334, which is between them.
    qrels = {"1": judged_as(a=1, b=0, c=0), "2": judged_as(c=1)}
    tied = data_of(qrels, {"1": run_of("b=a=c"), "2": run_of("d", "e", "c")})
    is_match = any(match.ends is not None for match in all_of(tied, "RR", printed)[0].found)
    assert is_match is (printed in {".333", ".3333", ".6667", ".667"})


# -- random collections -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_conventions_that_gave_a_number_come_before_rarer_ones(seed: int) -> None:
    """The number is from a library, or from a library with one known change, for a collection with a missing query."""
    rng = Random(seed)
    little, measure = random_collections.drawn(seed, odd=False), parse(rng.choice(["nDCG@5", "AP", "RR", "P@5"]))
    data = data_of(little.qrels, {query: little.run[query] for query in little.queries[1:]})
    all_conventions = {name: own.conventions(measure) for name, own in library_profiles(measure).items()}
    giving = [own for own in all_conventions.values() if data.mean(measure, own) is not None]
    made = rng.choice([own for own in giving if own.ties != UNSPECIFIED])
    if seed % 2:
        axis, value = rng.choice([("missing", "0"), ("missing", "dropped"), ("ties", "input"), ("unjudged", "removed")])
        made = made.replace(**{axis: value})
    (result,) = all_of(data, str(measure), f"{to_float(data.mean(measure, made)):.4f}")
    assert result.best is not None
    exact = [match.exact for match in result.found if match.kind < Commonness.SEVERAL]
    assert exact == sorted(exact, reverse=True), "exact ones first"
    assert result.best.kind <= Commonness.ONE_HABIT or result.best.exact
    plain = data.plain(measure, made)
    standing = [data.standing(query, measure, plain) for query in data.queries]

    def gives_the_values(match: ValueMatch) -> bool:
        theirs = [data.standing(query, measure, match.conventions) for query in data.queries]
        return all(a is not None and b is not None and alike(a[1], b[1]) for a, b in zip(standing, theirs, strict=True))

    if not any(map(gives_the_values, result.found)):
        assert result.best.kind < Commonness.ONE_HABIT or result.best.exact, "what is better known also gives it"
    for match in result.found:
        for axis in match.changes:
            less = {a: after for a, (_, after) in match.changes.items() if a != axis}
            answers = data.answers(measure, match.base.conventions.replace(**less))
            is_given = isinstance(answers, Values) and result.wanted.fits(answers.mean)
            assert not (is_given and less), "no idle change"
            assert not (is_given and result.wanted.is_exactly(answers.mean or Fraction(0)))  # type: ignore[union-attr]
