"""The facts of an explanation, derived by hand from a small collection, and the function of the Python package."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import rankproof
from rankproof.codec import encode
from rankproof.evaluate.inputs import BadInput
from rankproof.explain.explanation import Explanation, NoQuery, explain
from rankproof.explain.printed_number import NoValue, parse_number
from rankproof.explain.run_data import RunData
from rankproof.inference.reference_answers import Values
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import parse
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
"""P@1 is 1 or 0 for `tied`, 0 for `plain` and 0 for `missing`; `extra` is not judged."""


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


def test_profiles_with_equal_values_are_one() -> None:
    (both,) = explained("P@1", "standard", "gain=exp").sayings
    assert both.names == ("standard", "gain=exp")


def test_parts_of_two_changes_sum_to_the_difference() -> None:
    standard, other = explained("P@1", "standard", "ties=docid-asc missing=dropped").sayings
    assert other.attribution is not None
    assert sum(part.adds or 0 for part in other.attribution.parts) == Fraction(1, 2)
    assert (mean(standard.answers), mean(other.answers)) == (0, Fraction(1, 2))
    assert set(other.attribution.changes) == {"ties", "missing"}


def test_envelope_of_ties() -> None:
    ties = explained("P@1").envelope
    assert (ties.tied, ties.across, ties.moved) == (("tied",), ("tied",), ("tied",))
    assert [mean(answers) for answers in ties.ends.values()] == [0, Fraction(1, 6), Fraction(1, 3)]
    assert explained("P@2").envelope.moved == ()


def test_ranks_side_by_side() -> None:
    ranks = explained("P@1", "standard", "ties=docid-asc", "ties=expectation", query="tied").side_by_side
    assert ranks is not None
    assert (ranks.query, ranks.depth, ranks.of, ranks.count, ranks.left_out) == ("tied", 1, (0, 1, 2), 3, 0)
    a, b = sorted(ranks.docs, key=lambda doc: doc.doc)
    assert (a.doc, a.rel, a.score, a.tied, a.ranks) == ("a", 1, 2.0, 1, ((2, 2), (1, 1), (1, 2)))
    assert (b.doc, b.rel, b.score, b.tied, b.ranks) == ("b", 0, 2.0, 1, ((1, 1), (2, 2), (1, 2)))


def test_number_is_given_by_the_changes_that_are_found() -> None:
    (value,) = explained("P@1", values=(parse_number("0.3333333333333333"),)).values
    assert value.best is not None
    conventions = value.best.chosen
    assert mean(RunData(QRELS, RUN).answers(parse("P@1"), conventions)) == Fraction(1, 3)


def test_unknown_query_is_refused_with_those_that_exist() -> None:
    with pytest.raises(NoQuery, match=r"--query q9: .* the first queries are tied, plain, missing"):
        explained("P@1", query="q9")


def test_explanation_is_plain_data() -> None:
    values = (parse_number(str(8 / 27)),)
    written = json.loads(encode(explained("AP", "standard", "ties=docid-asc", values=values, query="tied")))
    assert written["system"] == "mine"
    assert written["sayings"][1]["attribution"]["parts"]
    assert written["values"][0]["wanted"]["text"] == str(8 / 27)


# -- the function of the Python package ----------------------------------------------------------------------------------


def test_function_reads_any_form_and_explains(tmp_path: Path) -> None:
    qrels = {query: {one.doc: one.rel for one in rows} for query, rows in QRELS.items()}
    run = {query: {row.doc: row.score for row in rows} for query, rows in RUN.items()}
    found = rankproof.explain(qrels, run, "P@1", tools=["standard", "ties=docid-asc"])
    assert isinstance(found, rankproof.Explanation)
    assert [mean(saying.answers) for saying in found.sayings] == [0, Fraction(1, 3)]
    text = "".join(f"{q} Q0 {row.doc} {row.rank} {row.score} x\n" for q, rows in RUN.items() for row in rows)
    (tmp_path / "run.txt").write_text(text, encoding="utf-8")
    (value,) = rankproof.explain(qrels, str(tmp_path / "run.txt"), "P@1", values=[1 / 3]).values
    assert value.best is not None


def test_function_refuses_bad_arguments() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(UnknownConvention):
        rankproof.explain(qrels, run, "P@1", tools=["nobody"])
    with pytest.raises(NoValue):
        rankproof.explain(qrels, run, "P@1", values=["much"])
    with pytest.raises(BadInput):
        rankproof.explain(qrels, 3, "P@1")
