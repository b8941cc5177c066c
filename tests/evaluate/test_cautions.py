"""Warnings: the facts of an input that affect its values, counted; by rows and by columns alike."""

from typing import Any

import pytest
from two_paths import by_columns

import rankproof
from rankproof.evaluate.result import Caution

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}, "q3": {"c": 1}}
RUN = {"q1": {"a": 1.0, "x": 0.5}, "q2": {"a": 3.0, "b": 3.0}, "q9": {"c": 1.0}}


@pytest.fixture(params=["rows", "columns"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let columns be used, or not."""
    if request.param == "columns":
        by_columns(monkeypatch)


def cautions(measures: Any, qrels: Any, run: Any, **options: Any) -> dict[str, Caution]:
    return {one.kind: one for one in rankproof.evaluate(measures, qrels, run, **options).warnings}


def test_missing_extra_and_unjudged() -> None:
    found = cautions(["P@2", "AP"], QRELS, RUN)
    assert {kind: one.count for kind, one in found.items()} == {
        "missing-queries": 1,
        "extra-queries": 1,
        "unjudged": 2,
        "ties": 1,
    }
    assert "'q3'" in found["missing-queries"].text
    assert "missing=0" in found["missing-queries"].text
    assert found["unjudged"].values == {"@2": 1 / 2}


def test_ties_have_the_worst_and_the_best_mean() -> None:
    found = cautions(["RR", "P@1"], {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 0.0}})["ties"]
    assert found.values == {"RR": (1 / 2, 1.0), "P@1": (0.0, 1.0)}
    assert "RR from 0.5000 to 1.0000, P@1 from 0.0000 to 1.0000, in 1 query" in found.text


def test_ties_of_equal_documents_change_nothing() -> None:
    assert "ties" not in cautions(["AP", "nDCG"], {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}})


def test_ids_that_nearly_match() -> None:
    found = cautions("AP", {"q1": {"D1": 1, "e": 1}, "07": {"a": 1}}, {"q1": {"d1": 1.0, "e": 0.5}, "7": {"a": 1.0}})
    assert found["docs-alike"].count == found["ids-alike"].count == 1
    assert "'07' in the qrels and '7' in the run" in found["ids-alike"].text


def test_qrels_of_relevant_documents_alone_leave_all_others_unjudged() -> None:
    assert "unjudged" not in cautions("P@2", {"q": ["a"]}, {"q": ["a", "b"]})


def test_hostile_ids_are_escaped() -> None:
    found = cautions("AP", {"q\x1b[2J\n": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}})["missing-queries"]
    assert "\\x1b" in found.text
    assert "\n" not in found.text


def test_profiles_of_libraries_say_what_is_undetermined() -> None:
    found = cautions("P@1", {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, profile="missing=0")
    assert "undetermined" not in found
    signature = "P@1|missing:?0/dropped|by:reference|rankproof:0.1.0"
    found = cautions((), {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, signature=signature)
    assert found["undetermined"].values == {"P@1": 1 / 2, "P@1 missing=dropped": 1.0}


def test_nothing_can_be_right_if_no_document_is_relevant() -> None:
    with pytest.raises(rankproof.BadInput, match="no document is relevant to P@1: the highest grade is"):
        rankproof.evaluate("P@1", {"q": {"a": 0.4}}, {"q": {"a": 1.0}})
