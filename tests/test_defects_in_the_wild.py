"""Functions in the wild that have a defect: each is named, and shown by a number that the function gives.

Each test that has a parameter is about one function, so that a run of all tests tries the tests of some functions only.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases_of_formulas import few

from rankproof.checking.checked import Checked
from rankproof.checking.examining import examine
from rankproof.defects.catalogue import catalogue
from rankproof.isolating.limits import Limits
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import wild_defects
from truths import with_truths

WILD = with_truths(wild_defects)
HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""


@cache
def checked(name: str) -> Checked:
    function, truth = getattr(wild_defects, name), WILD[name]
    return examine(function, truth.measure, form=truth.form, cases=few(), limits=HERE)


@pytest.mark.parametrize("name", WILD)
def test_a_defect_in_the_wild_is_named_and_its_witness_is_what_the_function_says(name: str) -> None:
    found = checked(name).defect
    assert found is not None
    assert WILD[name].defect in found.names
    assert checked(name).verdict == "defect"
    assert found.explained >= 0.9 * found.unexplained
    shown = found.witness
    assert shown.got != shown.right
    of_it = [one for one in checked(name).seen if one.question.case.id == shown.told.case]
    said = [one.answer for one in of_it if one.question.measure == shown.told.measure]
    assert any(shown.got in {answer.mean, *(answer.per_query or {}).values()} for answer in said)
    expected = recalled(shown.told.input).answers(shown.told.measure, found.profile)
    assert repr(reading_of(expected, shown.query)) == repr(shown.right)  # which may be NaN


@pytest.mark.in_turn
def test_a_mean_of_0_over_no_query_excuses_no_error_and_is_none() -> None:
    """Who leaves out queries by mistake gives 0 where that leaves out all of them, which is also what some give on purpose."""
    by_mistake = {"mrr_of_those_found": "mean-over-hits", "group_auc": "gauc", "precision_by_size": "weighted-mean"}
    assert {name: checked(name).verdict for name in by_mistake} == dict.fromkeys(by_mistake, "defect")
    for name, defect in by_mistake.items():
        found = checked(name).defect
        assert found is not None
        assert defect in found.names
    on_purpose = examine(_mrr_of_those_with_relevant_docs, "RR@5", form="qrels-run", cases=few(), limits=HERE)
    assert (on_purpose.verdict, on_purpose.defect) == ("convention", None)
    assert on_purpose.profile is not None
    assert (on_purpose.profile.norel, on_purpose.profile.no_query) == ("dropped", "0")


def _mrr_of_those_with_relevant_docs(qrels: dict[str, Any], run: dict[str, Any], k: int = 5) -> float:
    values = []
    for query, judged in qrels.items():
        if any(rel >= 1 for rel in judged.values()):
            scores = run.get(query, {})
            docs = sorted(scores, key=lambda doc: (-scores[doc], doc))[:k]
            values.append(next((1 / rank for rank, doc in enumerate(docs, 1) if judged.get(doc, 0) >= 1), 0.0))
    return sum(values) / len(values) if values else 0.0


def test_every_defect_has_a_function_in_the_wild() -> None:
    found = {truth.defect for truth in WILD.values()}
    assert {name for name, one in catalogue().items() if not one.is_another_measure} <= found <= set(catalogue())


@pytest.mark.in_turn
def test_what_cannot_be_told_apart_is_said_together() -> None:
    """Of the docs retrieved alone, average precision is LRAP."""
    found = checked("mrr_that_is_lrap").defect
    assert found is not None
    assert {"is-AP", "is-LRAP"} <= set(found.names)
    assert "it is AP, or it is" in found.sentence
