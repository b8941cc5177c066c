"""Numbers that tools printed, and the profiles that `rankproof explain --value` attributes them to."""

from dataclasses import replace

import pytest
from explained_data import data_of
from strategies import judged_as, run_of
from two_tools import NUMBERS, facts_of, value_options

from rankproof.evaluate.read_profiles import read_ways
from rankproof.explain.library_run import LibraryAnswer
from rankproof.explain.printed_number import parse_number
from rankproof.explain.printed_values import as_flags
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile


@pytest.mark.parametrize(
    ("judgments", "measure", "tools"),
    [("graded", "nDCG@10", ("xgboost", "xgboost/minus")), ("binary", "AP@10", ("lightgbm", "catboost"))],
)
def test_two_numbers_are_attributed_to_their_tools(
    judgments: str, measure: str, tools: tuple[str, str], qrels: dict[str, str]
) -> None:
    numbers = [f"{NUMBERS[tool][judgments][measure]:.4f}" for tool in tools]
    facts = facts_of(qrels[judgments], measure, *(word for number in numbers for word in ("--value", number)))
    matches = [value["found"][0] for value in facts["values"]]
    for tool, match in zip(tools, matches, strict=True):
        assert tool in match["base"]["names"]
        assert not match["changes"]
    (between,) = facts["between"]
    parts = sorted(between["attribution"]["parts"], key=lambda part: -abs(part["adds"]))
    assert "norel" in parts[0]["changes"]
    total = sum(part["adds"] for part in parts)
    assert total == pytest.approx(float(numbers[1]) - float(numbers[0]), abs=1e-4)
    assert facts["read"].keys() >= {tool for tool in tools if tool in read_ways()}


@pytest.mark.parametrize(
    ("measure", "form", "kind"), [("RR@10", "{!r}", 0), ("AP@10", "{:.8f}", 1), ("R@10", "{!r}", 1)]
)
def test_number_that_was_computed_in_float32_is_matched_with_all_its_digits(
    measure: str, form: str, kind: int, qrels: dict[str, str]
) -> None:
    number = form.format(NUMBERS["torchmetrics"]["binary"][measure])
    match = facts_of(qrels["binary"], measure, "--value", number)["values"][0]["found"][0]
    assert (match["base"]["names"], match["changes"], match["kind"]) == (["torchmetrics"], {}, kind)


def test_numbers_without_the_cutoff_are_attributed_to_their_tools(qrels: dict[str, str]) -> None:
    measures = {"catboost": "AP@10", "pytrec_eval": "AP", "sklearn/rows": "AP"}
    values = value_options(measures)
    facts = facts_of(qrels["binary"], "AP@10", *values)
    assert f"{values[-1]} is AP without the cutoff in sklearn/rows." in facts["headline"]
    assert [set(measures) & set(value["uncut"]) for value in facts["values"]] == [
        set(),
        {"pytrec_eval"},
        {"sklearn/rows"},
    ]


@pytest.mark.parametrize(
    ("tool", "measure", "of_flags"), [("torchmetrics", "R@10", True), ("pytrec_eval", "R@10", False)]
)
def test_tool_that_refuses_graded_judgments_is_matched_by_its_number_for_flags(
    tool: str, measure: str, *, of_flags: bool, qrels: dict[str, str]
) -> None:
    number = f"{NUMBERS[tool]['binary'][measure]:.4f}"
    matches = {kind: facts_of(own, measure, "--value", number)["values"][0]["found"] for kind, own in qrels.items()}
    assert f"{tool}{' of grades made 0 and 1' * of_flags}" in matches["graded"][0]["base"]["names"]
    assert not matches["graded"][0]["changes"]
    assert not any("made 0 and 1" in name for match in matches["binary"] for name in match["base"]["names"])


def test_library_that_computes_in_float32_gives_numbers_within_its_error() -> None:
    answer, number = LibraryAnswer("a library", mean=0.60465962), parse_number("0.6046598")
    assert [replace(answer, precision=name).gives(number) for name in ("float32", "float64")] == [True, False]


FLAGGED = {"nDCG@3": 3, "DCG@3": 4, "CG@2": 3, "AP": 1, "P@2": 2, "R@2": 3, "RR": 2, "Bpref": 1, "AUC": 2, "LRAP": 3}
"""Measure -> the number of its unjudged document."""


@pytest.mark.parametrize("measure", FLAGGED)
def test_grades_as_flags_give_the_value_of_flags(measure: str) -> None:
    parsed, changes = parse(measure), as_flags(parse(measure))
    assert changes is not None
    rels, run = dict(zip("abcde", (3, 0, 1, 2, 0), strict=True)), {"q": run_of("b", "a", "x", "d", "c")}
    del rels["abcde"[FLAGGED[measure]]]
    flags = {doc: int(rel > 0) for doc, rel in rels.items()}
    by_changes = data_of({"q": judged_as(**rels)}, run).answers(parsed, profile(changes))
    assert by_changes == data_of({"q": judged_as(**flags)}, run).answers(parsed, STANDARD)


@pytest.mark.parametrize("measure", ["ERR@3", "AP(rel=2)", "nDCG(dcg='exp-log2')@3"])
def test_measures_that_read_the_grades_have_no_flags(measure: str) -> None:
    assert as_flags(parse(measure)) is None
