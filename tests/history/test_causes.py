"""Causes of changes between releases: they agree with both fingerprints, and the reference computes the values with them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typed_commands
from convention_values import as_answer
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.history.answer_changes import compared
from rankproof.history.causes import Causes, Profiles
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import Refused, Values
from rankproof.inference.signatures import Signature
from rankproof.inference.signatures import parse as signature_of
from rankproof.judge import results_file
from rankproof.judge.published_answers import REPORTS
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.workers.observations import Failure

RELEASED = Path(__file__).parent.parent / "released"
"""Results of one form for a few releases, as `rankproof run --env` wrote them."""
HISTORY = json.loads((REPORTS / "history.json").read_text(encoding="utf-8"))["libraries"]
CHANGES = [
    (f"{library} {step['to']} {change['measure']} {i}", change)
    for library, history in HISTORY.items()
    for step in history["steps"]
    for i, change in enumerate(step["changes"])
]
WITH_CAUSE = {name: change for name, change in CHANGES if change["cause"]}
CASES = {case.id: case for case in corpus.load_all()}


def gives(signature: Signature, witness: Mapping[str, Any], side: str) -> bool:
    """Return whether the reference computes the value on one side of a witness, or refuses the input like the library."""
    answers = recalled(CASES[witness["case"]].input).answers(parse(witness["measure"]), signature.conventions)
    observed = witness[side]["value"]
    if not isinstance(answers, Values):
        return observed is None and isinstance(answers, Refused)
    value = answers.mean if witness["query"] is None else answers.per_query.get(witness["query"])
    if value is None:
        return observed in {"absent", "nan"}
    return isinstance(observed, float) and float(value) == pytest.approx(observed, abs=5.1e-5)


def witness_signatures(change: Mapping[str, Any]) -> tuple[Signature, Signature]:
    """Return the signatures before and after the change, for the form of the witness."""
    measure, variant = change["witness"]["measure"], change["witness"]["variant"]
    forms = {measure, f"{measure.rpartition('@')[0]}@k"}
    form = next(form for form in change["profiles"] if form["variant"] == variant and form["measure"] in forms)
    return signature_of(form["before"]), signature_of(form["after"])


@pytest.mark.parametrize("name", WITH_CAUSE)
def test_published_cause_agrees_with_both_fingerprints_and_the_reference(name: str) -> None:
    change = WITH_CAUSE[name]
    assert change["profiles"]
    for form in change["profiles"]:
        signatures = {side: signature_of(form[side]) for side in ("before", "after")}
        for part in change["cause"]:
            assert part["before"] != part["after"]
            for side, signature in signatures.items():
                assert part["axis"] not in signature.open
                assert getattr(signature.conventions, part["axis"]) == part[side]
    if "unspecified" not in str(change["cause"]):  # the reference does not have this order
        before, after = witness_signatures(change)
        assert gives(after, change["witness"], "new")
        assert not gives(before, change["witness"], "new")
        assert gives(before, change["witness"], "old")


def published(library: str, old: str, new: str) -> list[Mapping[str, Any]]:
    return {(step["from"], step["to"]): step["changes"] for step in HISTORY[library]["steps"]}[old, new]


def conventions(change: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    return {(part["axis"], part["before"], part["after"]) for part in change["cause"]}


def test_convention_that_the_library_does_not_follow_is_not_a_cause() -> None:
    wrong = ("ids", "any", "ranx", "0.3.14", "0.3.16"), ("unjudged", "removed", "xgboost", "1.7.6", "2.0.3")
    for axis, value, *step in wrong:
        causes = {part for change in published(*step) for part in conventions(change)}
        assert not any(part[0] == axis and value in part for part in causes), step


def test_upgrade_names_the_cause_of_the_largest_change() -> None:
    done = typed_commands.rankproof("upgrade", "catboost", "0.24.4", "0.25.1", "--json", cwd=Path())
    (upgrade,) = typed_commands.read("upgrade", done.out)["upgrades"]
    changes = [change for step in upgrade["steps"] for change in step["changes"] if change["measure"] == "nDCG"]
    assert conventions(max(changes, key=lambda change: change["answers"])) == {("norel", "0", "1")}


# -- causes inferred again from the values of both releases -------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "old", "new", "form"),
    [
        ("catboost", "0.24.4", "0.25.1", "nDCG@k"),
        ("sentence_transformers", "5.7.0", "6.0.1", "RR@k"),
        ("torchmetrics", "1.0.3", "1.1.2", "nDCG"),
        ("xgboost", "1.7.6", "2.0.3", "nDCG@k"),
    ],
)
def test_causes_inferred_again_equal_the_published_causes(library: str, old: str, new: str, form: str) -> None:
    folders = [str(RELEASED / f"{library}@{version}") for version in (old, new)]
    groups = typed_commands.read("diff", typed_commands.rankproof("diff", *folders, "--json", cwd=Path()).out)["groups"]
    (variant,) = {variant for group in groups for variant in group["variants"]}
    again = {frozenset(conventions(group)) for group in groups if group["measure"] == form}
    of_form = [change for change in published(library, old, new) if (variant, form) in forms_of(change)]
    assert again - {frozenset()} == {frozenset(conventions(change)) for change in of_form if change["cause"]}


def under(run: RunResults, spec: Conventions) -> RunResults:
    """Return the results with the values that the reference computes under some conventions."""
    oracles = {case: PlainReference(CASES[case].input) for case in {row.case for row in run.rows}}

    def computed(row: Row) -> Row:
        answer = as_answer(oracles[row.case].answers(parse(row.measure), spec))
        if isinstance(answer, Failure):
            return replace(row, value=None, error=answer.text)
        value = answer.mean if row.query is None else answer.per_query.get(row.query, "absent")
        return replace(row, value=value, error=None)

    return replace(run, rows=tuple(computed(row) for row in run.rows if row.observed))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run_duplicates=first no_query=0", "run_duplicates=rejected"),
        ("unjudged=removed negative=as-is", "unjudged=rejected negative=as-is"),
    ],
)
def test_cause_is_named_if_the_old_conventions_with_it_give_the_new_value(old: str, new: str) -> None:
    run = results_file.load(RELEASED / "xgboost@2.0.3")
    before, after = under(run, profile(old)), under(run, profile(new))
    causes = Causes(Profiles(before), Profiles(after))
    by_place = {change.new.place: causes.of(change).changes for change in compared(before, after).changes if change.new}
    assert {bool(changes) for changes in by_place.values()} == {True, False}, "some changes have no cause"
    expected = {row.place: row.observed for row in after.rows}
    for changes in {*by_place.values()} - {()}:
        with_cause = profile(old).replace(**{axis: value for axis, _, value in changes})
        values = {row.place: row.observed for row in under(run, with_cause).rows}
        places = [place for place in by_place if by_place[place] == changes]
        assert {place: values[place] for place in places} == {place: expected[place] for place in places}


def forms_of(change: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(form["variant"], form["measure"]) for form in change["profiles"]}
