"""Explanations: facts derived by hand from a small collection, and the largest cause for pairs of tools."""

import json
import re
from fractions import Fraction
from typing import NamedTuple

import pytest
from explained_data import data_of
from strategies import judged_as, run_of
from two_tools import COLUMNS, text_of

from rankproof.codec import encode
from rankproof.explain.explanation import Explanation, NoQuery, explain, undetermined
from rankproof.explain.printed_number import parse_number
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import Profile
from rankproof.reference_impl.ranking import Judgment, QueryRow

QRELS = {
    "tied": [Judgment("a", 1), Judgment("b", 0), Judgment("c", 2), Judgment("x", 1)],
    "plain": [Judgment("a", 1), Judgment("b", 0)],
    "missing": [Judgment("a", 1)],
}
RUN = {
    "tied": [QueryRow("a", 2.0, 1), QueryRow("b", 2.0, 2), QueryRow("c", 1.0, 3), QueryRow("d", 0.5, 4)],
    "plain": [QueryRow("b", 3.0, 1), QueryRow("a", 1.0, 2)],
    "extra": [QueryRow("a", 1.0, 1)],
}
"""P@1 is 1 or 0 for `tied`, 0 for `plain` and 0 for `missing`; `extra` has no judgments."""


def explained(measure: str, *names: str, **options: object) -> Explanation:
    return explain("mine", RunData(QRELS, RUN), parse(measure), names, **options)


def mean(answers: object) -> Fraction | None:
    assert isinstance(answers, Values)
    return answers.mean


def test_values_of_profiles_with_the_changes_between_them() -> None:
    standard, other = explained("P@1", "standard", "ties=docid-asc").sayings
    assert (mean(standard.answers), mean(other.answers)) == (0, Fraction(1, 3))
    assert standard.attribution is None
    assert other.attribution is not None
    (part,) = other.attribution.parts
    assert (dict(part.changes), part.queries) == ({"ties": ("docid-desc", "docid-asc")}, ("tied",))
    assert part.adds == Fraction(1, 3)


def test_profiles_with_equal_values_are_joined() -> None:
    (joined,) = explained("P@1", "standard", "gain=exp", "gain:exp").sayings
    assert joined.names == ("standard", "gain=exp", "gain:exp")


def test_envelope_has_the_worst_the_expected_and_the_best_order_of_ties() -> None:
    ties = explained("P@1", "standard").envelope
    assert (ties.tied, ties.across, ties.moved) == (("tied",), ("tied",), ("tied",))
    assert [mean(answers) for answers in ties.ends.values()] == [0, Fraction(1, 6), Fraction(1, 3)]
    assert explained("P@2", "standard").envelope.moved == ()


def test_ranks_of_a_query_are_side_by_side() -> None:
    ranks = explained("P@1", "standard", "ties=docid-asc", "ties=expectation", query="tied").side_by_side
    assert ranks is not None
    assert (ranks.query, ranks.depth, ranks.of, ranks.count, ranks.left_out) == ("tied", 1, (0, 1, 2), 3, 0)
    a, b = sorted(ranks.docs, key=lambda doc: doc.doc)
    assert (a.doc, a.rel, a.score, a.tied, a.ranks) == ("a", 1, 2.0, 1, ((2, 2), (1, 1), (1, 2)))
    assert (b.doc, b.rel, b.score, b.tied, b.ranks) == ("b", 0, 2.0, 1, ((1, 1), (2, 2), (1, 2)))
    plain = explained("P@1", "standard", query="plain").side_by_side
    assert plain is not None
    assert [doc.doc for doc in plain.docs] == ["b"], "documents below the cutoff are left out"


def test_unknown_query_is_refused_with_existing_queries() -> None:
    with pytest.raises(NoQuery, match=r"--query q9: .* The first queries are tied, plain, missing"):
        explained("P@1", "standard", query="q9")


def test_explanation_is_encoded_as_plain_data() -> None:
    values = (parse_number(str(8 / 27)),)
    written = json.loads(encode(explained("AP", "standard", "ties=docid-asc", values=values, query="tied")))
    assert written["system"] == "mine"
    assert written["sayings"][1]["attribution"]["parts"]
    assert written["values"][0]["wanted"]["text"] == str(8 / 27)


def test_undetermined_axis_is_reported_only_if_it_can_change_the_value() -> None:
    # Recall of 1 of 1 and of 1 of 2: the mean over queries is 3/4, the pooled value 2/3. P@1 divides by 1 each time.
    data = data_of({"1": judged_as(a=1), "2": judged_as(a=1, b=1)}, {"1": run_of("a"), "2": run_of("a")})
    left: dict[str, tuple[str, ...]] = {"mean": ("arithmetic", "pooled")}
    library = Profile({"P@k": STANDARD, "R": STANDARD}, "lib 1", {"P@k": left, "R": left})
    assert undetermined(data, parse("R"), library) == {"mean": "arithmetic"}
    assert undetermined(data, parse("P@1"), library) == {}


# -- two tools, one run ----------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two tools, the largest cause of their difference, and other causes on the first screen."""

    judgments: str
    measure: str
    tools: tuple[str, str]
    largest: str
    others: tuple[str, ...] = ()


RETRIEVED = "all judgments instead of judgments of retrieved documents only"
WITHOUT_RELEVANT = "queries without relevant documents scored 0 instead of 1"
SKLEARN = "sklearn/rows missing=dropped"
PAIRS = [
    Pair("graded", "nDCG@10", (SKLEARN, "trec_eval"), RETRIEVED, ("tied documents by id, descending",)),
    Pair(
        "graded",
        "nDCG@10",
        ("ranx/comparable", "ir_measures"),
        "tied documents by id, descending instead of in no consistent order",
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("torchmetrics", "torchmetrics gain=exp ties=input"),
        "exponential gain (2^grade - 1) instead of the grade",
    ),
    Pair(
        "graded",
        "nDCG@10",
        ("lightgbm", SKLEARN),
        WITHOUT_RELEVANT,
        ("linear gain instead of 2^grade - 1", "the mean over all orders of tied documents instead of in input order"),
    ),
    Pair("binary", "AP", ("catboost", SKLEARN), "tied documents", ("at the last rank of their group",)),
    Pair(
        "binary",
        "AP@10",
        ("lightgbm", "catboost"),
        WITHOUT_RELEVANT,
        ("tied documents in the worst order instead of in input order",),
    ),
    Pair("graded", "nDCG@10", ("trec_eval/complete", "beir"), "queries missing from the run left out of the mean"),
    Pair(
        "graded",
        "RR@10",
        ("msmarco/script", "ranx/comparable"),
        "queries without relevant documents scored 0 instead of left out of the mean",
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.tools[0]}, {pair.tools[1]}")
def test_largest_cause_comes_first(pair: Pair, qrels: dict[str, str]) -> None:
    text = text_of(qrels[pair.judgments], pair.measure, *(word for name in pair.tools for word in ("--as", name)))
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert len(text.splitlines()) <= 12
    flat = " ".join(text.split())
    assert pair.largest in re.split(r"\([\d,]+ of 30 queries\)", flat)[0]
    assert [cause for cause in pair.others if cause not in flat] == []
