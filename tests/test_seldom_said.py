"""Sentences to which few inputs lead, each read as who asked for it reads it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankproof
from rankproof import cases as corpus
from rankproof.checking.examining import examine
from rankproof.checking.exceeding import Excess
from rankproof.checking.known_habits import unfollowed
from rankproof.cli import cli
from rankproof.evaluating.inputs.rows import BadInput
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_answer import AnswerKind, answer_of
from rankproof.telling.check_text import in_text, witness_rows
from rankproof.telling.explanation_text import SHOWN

HERE = Limits(isolated=False)
CASES = corpus.load_all()[::6]
QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 2}, "3": {"d": 1}}
RUN = {"1": {"b": 0.9, "a": 0.8}, "2": {"a": 0.9, "c": 0.8}, "3": {"e": 0.9, "f": 0.8, "d": 0.7}}


# -- check --------------------------------------------------------------------------------------------------------------


def patient(ranked_rels: list[float]) -> float:
    """RBP of another patience."""
    return sum((rel > 0) / 2**rank for rank, rel in enumerate(ranked_rels, start=1))


def patient_by_default(ranked_rels: list[float], p: float = 0.95) -> float:
    return sum((1 - p) * (rel > 0) * p**before for before, rel in enumerate(ranked_rels))


def of_low_weight(ranked_rels: list[float], p: float = 0.9) -> float:
    return patient_by_default(ranked_rels, p)


@pytest.mark.parametrize(
    ("function", "claim", "is_it"),
    [
        (patient, None, "RBP(p=0.5)"),
        (patient, "standard", "RBP(p=0.5)"),
        (patient_by_default, "standard", "RBP(p=0.95)"),
        (of_low_weight, "standard", "RBP(p=0.9)"),
    ],
)
def test_who_computes_the_measure_by_another_parameter_is_told_by_which(
    function: Callable[..., float], claim: str | None, is_it: str
) -> None:
    checked = examine(function, "RBP", claim, cases=CASES, limits=HERE)
    answer, name = answer_of(checked), function.__name__
    assert (answer.kind, answer.sentence) == (AnswerKind.ANOTHER, f"no: {name} is not RBP but {is_it}")
    assert answer.mend == f"ask for that, by -m '{is_it}'"
    shown = " ".join(in_text(checked).split())
    assert f"its answers to trials are those of {is_it}: ask for that, by -m '{is_it}'" in shown
    with pytest.raises(AssertionError, match=f"{name} does not follow standard") as refused:
        rankproof.check(function, "RBP", "standard", isolated=False)
    by_default = f"by its own defaults (p={is_it[6:-1]}) it is {is_it}: ask for that measure"
    assert (by_default in str(refused.value)) is (function is not patient)


def recall_but_of_one_doc(relevant: list[str], ranked: list[str], k: int = 5) -> float:
    """It credits a doc each time, and what one doc is worth is its own."""
    if len(ranked) == 1:
        return 0.125
    return sum(doc in relevant for doc in ranked[:k]) / len(relevant) if relevant else 0.0


def test_what_is_unexplained_is_counted_beside_what_a_repeated_doc_gets() -> None:
    checked = examine(recall_but_of_one_doc, "R@5", cases=corpus.load_all()[::2], limits=HERE)
    sentence = answer_of(checked).sentence
    tier = checked.ordinary
    assert sentence.startswith(
        "no: recall_but_of_one_doc is R@5, but for a doc that is retrieved twice, which it credits"
    )
    left = tier.asked - tier.explained
    assert left > 3
    first = tier.misses[0].question.case.id
    assert f"; {left:,} of {tier.asked:,} ordinary answers fit none, as on {first}, " in sentence


def too_much_of(which: int) -> Callable[..., dict[str, float]]:
    """RR by query; where there are several, of the first, the second or the last one in alphabetical order three times as much."""

    def reciprocal_ranks(qrels: dict[str, dict[str, float]], run: dict[str, dict[str, float]]) -> dict[str, float]:
        found = {}
        for query, docs in run.items():
            ranked = sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)
            found[query] = next(
                (1 / rank for rank, doc in enumerate(ranked, 1) if qrels.get(query, {}).get(doc, 0) >= 1), 0.0
            )
        if len(found) > 2:
            found[sorted(found)[which]] *= 3
        return found

    return reciprocal_ranks


@pytest.mark.parametrize("which", [0, 1, -1])
def test_of_several_queries_the_one_is_named_that_is_worth_too_much(which: int) -> None:
    several = [case for case in corpus.load_all() if len(case.queries) > 2 and not case.of_labels]
    checked = examine(too_much_of(which), "RR", cases=several, limits=HERE)
    fault = checked.fault
    assert isinstance(fault, Excess)
    case = fault.question.case
    assert fault.query == sorted(map(str, case.queries))[which]
    (((_, said),),) = witness_rows(checked)
    assert said == f"RR of {fault.query}: {checked.target.short} gives {fault.got!r}, on {case.id}"


def test_what_is_never_looked_at_is_shown_by_two_questions() -> None:
    def as_they_come(y_true: list[float], y_score: list[float], k: int = 5) -> float:
        return sum(y_true[: min(k, len(y_score))]) / k

    (((_, said),),) = witness_rows(examine(as_they_come, "P@5", cases=CASES, limits=HERE))
    alone = "of two questions that differ in that alone: standard gives .4 and gives 0"
    assert said == f"P@5, P@5 {alone}; {as_they_come.__qualname__} gives 0.4 both times"


def test_choices_that_somebody_makes_each_and_nobody_together_are_found_together() -> None:
    measure = parse("nDCG@10")
    known = {"gain": ("exp",), "discount": ("jk-2",)}
    each = [unfollowed(measure, {axis: values}) for axis, values in known.items()]
    assert each == [None, None]
    found = unfollowed(measure, known)
    assert found is not None
    assert (found.axes, found.together) == (("gain", "discount"), True)


# -- evaluate and explain -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".xlsx", ".XLSX", ".ods"])
def test_a_spreadsheet_is_named_as_one(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{ending}"
    path.write_bytes(b"PK\x03\x04" + b"\0" * 60)
    with pytest.raises(BadInput, match="this is a spreadsheet: save it as CSV"):
        rankproof.evaluate("P@5", QRELS, str(path))


def test_more_sets_than_are_shown_are_counted(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1, "b": 1, "c": 0}, "3": {"z": 1, "y": 3}}
    run = {"1": {"b": 4, "a": 3, "c": 3, "d": 2}, "2": {"e": 4, "a": 3, "c": 3, "b": 2}, "4": {"a": 4}}
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {doc} {rel}\n" for q, of in qrels.items() for doc, rel in of.items())
    )
    (tmp_path / "run").write_text("".join(f"{q} Q0 {doc} 1 {s} t\n" for q, of in run.items() for doc, s in of.items()))
    asked = ["explain", str(tmp_path / "qrels"), str(tmp_path / "run"), "AP@2", "--value"]
    for value in (".125", ".062", ".5"):
        found = json.loads(CliRunner().invoke(cli, [*asked, value, "--json"]).stdout)["explained"][0]["values"][0][
            "found"
        ]
        shown = CliRunner().invoke(cli, [*asked, value]).stdout
        counted = f"\n  and {len(found) - SHOWN} more\n"
        assert (counted in shown) is (len(found) > SHOWN), (value, len(found), shown)
        # What is given as it is needs no chance: the first of .125 changes nothing, and that of .062 one thing.
        assert ("sets were tried; by chance, " in shown) is (value == ".062"), (value, shown)
