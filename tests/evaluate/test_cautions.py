"""Warnings of `evaluate`: facts of an input that affect its values, counted by rows and by columns."""

from typing import Any

import pytest

import rankproof
from rankproof.evaluate.result import Caution

pytestmark = pytest.mark.usefixtures("each_path")
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "b": 0}, "q3": {"c": 1}}
RUN = {"q1": {"a": 1.0, "x": 0.5}, "q2": {"a": 3.0, "b": 3.0}, "q9": {"c": 1.0}}


def cautions(measures: Any, qrels: Any, run: Any, **options: Any) -> dict[str, Caution]:
    return {caution.kind: caution for caution in rankproof.evaluate(measures, qrels, run, **options).warnings}


def test_missing_extra_and_unjudged_are_counted() -> None:
    by_kind = cautions(["P@2", "AP"], QRELS, RUN)
    counts = {kind: caution.count for kind, caution in by_kind.items()}
    assert counts == {"missing-queries": 1, "extra-queries": 1, "unjudged": 1, "ties": 1}
    assert "'q3'" in by_kind["missing-queries"].text
    assert "missing=0" in by_kind["missing-queries"].text
    assert "extra=ignored" in by_kind["extra-queries"].text, "the rule of queries without judgments"
    assert by_kind["unjudged"].values == {"@2": 1 / 4}


def test_ties_have_the_worst_and_the_best_mean() -> None:
    ties = cautions(["RR", "P@1"], {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.0}})["ties"]
    assert ties.values == {"RR": (1 / 2, 1.0), "P@1": (0.0, 1.0)}
    assert "RR from 0.5000 to 1.0000, P@1 from 0.0000 to 1.0000, in 1 query" in ties.text


def test_means_of_ties_have_enough_digits_to_differ() -> None:
    scores = {f"x{i}": 9778.0 - i for i in range(9777)} | {"a": 0.5, "b": 0.5}
    ties = cautions("RR", {"q": {"a": 1, "b": 0}}, {"q": scores})["ties"]
    assert "RR from 0.00010226 to 0.00010227, in 1 query" in ties.text, "1/9779 and 1/9778"


def test_ties_of_equal_documents_change_nothing() -> None:
    assert "ties" not in cautions(["AP", "nDCG"], {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}})


def test_ids_that_nearly_match_are_reported() -> None:
    qrels, run = {"q1": {"D1": 1, "e": 1}, "07": {"a": 1}}, {"q1": {"d1": 1.0, "e": 0.5}, "7": {"a": 1.0}}
    by_kind = cautions("AP", qrels, run)
    assert by_kind["docs-alike"].count == by_kind["ids-alike"].count == 1
    assert "'07' in the qrels, '7' in the run" in by_kind["ids-alike"].text


def test_qrels_of_relevant_documents_alone_leave_all_others_unjudged() -> None:
    assert "unjudged" not in cautions("P@2", {"q": ["a"]}, {"q": ["a", "b"]})


def test_hostile_ids_are_escaped() -> None:
    missing = cautions("AP", {"q\x1b[2J\n": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}})["missing-queries"]
    assert "\\x1b" in missing.text
    assert "\n" not in missing.text
