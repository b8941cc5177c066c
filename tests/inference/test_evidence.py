"""Evidence: which observed values a profile explains; judging, fingerprints and `check` give the same result."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from convention_values import as_answer
from fake_sheets import FAKE
from reference_values import PlainReference

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.check.infer import missed_under
from rankproof.check.observe import Value
from rankproof.check.questions import Question
from rankproof.inference.evidence import Evidence, Expected, Questions, evidence_of
from rankproof.inference.reference_answers import CannotTell, Obstacle, Refused
from rankproof.judge.verdicts import Verdict, judge
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import ABSENT, Answered, Failure, Observation, Reading
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject

NO, MANY_ORDERS = Refused("ids", "no"), CannotTell(Obstacle.TOO_MANY_ORDERS, "no")
HALF: dict[str | None, Reading] = {None: 0.5, "q": 0.5}


class FixedQuestion:
    """A case whose reference values are fixed for each order of tied documents."""

    axes = ("ties",)

    def __init__(self, **values: Expected) -> None:
        self.values = values

    def key(self, profile: Mapping[str, str]) -> tuple[str, ...]:
        """Return the order of tied documents."""
        return (profile["ties"],)

    def expected(self, profile: Mapping[str, str]) -> Expected:
        """Return the value for the order of tied documents."""
        return self.values[profile["ties"].replace("-", "_")]


def evidence(question: Any, *rows: tuple[str | None, Reading], failure: str = "", reported: str = "") -> Evidence:
    failed = Failure(failure, "no") if failure else None
    return Evidence(question, rows, frozenset(reported.split() or [None]), failed, "float64")


@pytest.mark.parametrize(
    ("failure", "rows", "expected", "mask"),
    [
        ("error", [(None, ABSENT)], NO, 0),
        ("error", [(None, ABSENT)], HALF, 1),
        ("timeout", [(None, ABSENT)], NO, 1),
        ("timeout", [], HALF, 0),
        ("", [(None, 0.5), ("q", 0.5), ("r", ABSENT)], NO, 0b111),
        ("", [(None, 0.5), ("q", 0.5), ("r", ABSENT)], HALF, 0),
        ("", [(None, 0.5), ("q", 0.25), ("r", 0.5)], HALF, 0b110),
        ("", [(None, 0.25), ("q", 0.5), ("r", ABSENT)], HALF, 0b001),
        ("", [(None, 0.5)], MANY_ORDERS, 0b1),
    ],
)
def test_mask_has_the_rows_that_differ_from_the_expected_values(
    failure: str, rows: list[tuple[str | None, Reading]], expected: Expected, mask: int
) -> None:
    assert evidence(FixedQuestion(input=expected), *rows, failure=failure).mask({"ties": "input"}) == mask


def test_unspecified_order_explains_values_between_the_worst_and_the_best_order() -> None:
    """The mean is that of input order, q is between the ends, r is beyond them, and s is both in input order and between them."""
    ends: dict[str, Expected] = {
        "worst": {None: 0.5, "q": 0.0, "r": 0.0, "s": 0.5},
        "best": {None: 0.5, "q": 1.0, "r": 0.5, "s": 1.0},
    }
    question = FixedQuestion(input={None: 0.5, "q": 0.0, "r": 0.0, "s": 0.75}, **ends)
    rows: list[tuple[str | None, Reading]] = [(None, 0.5), ("q", 0.25), ("r", 0.75), ("s", 0.75)]
    assert evidence(question, *rows).within_ties({"ties": "input"}) == 0b1010
    assert evidence(question, *rows).mask({"ties": "unspecified"}) == 0b0100
    assert evidence(question, *rows, failure="error").within_ties({"ties": "input"}) == 0
    for end in ends:
        refused = FixedQuestion(input={}, **(ends | {end: NO}))
        assert evidence(refused, *rows).mask({"ties": "unspecified"}) == 0b1111, end
    rest, taken = evidence(question, *rows).split({None, "r"})
    assert ([row[0] for row in rest.rows], [row[0] for row in taken.rows]) == (["q", "s"], [None, "r"])


def test_values_without_reference_and_values_that_are_not_reported_are_known() -> None:
    unlike: dict[str | None, Reading] = {None: 0.5, "q": 0.25}
    not_pooled = CannotTell(Obstacle.NOT_POOLED, "no")
    worst: Expected = {None: 0.25, "q": 0.5}
    question = FixedQuestion(input=HALF, best=unlike, worst=worst, docid_asc=MANY_ORDERS, docid_desc=not_pooled)
    of_mean = evidence(question, (None, 0.5))
    assert [of_mean.unanswered({"ties": ties}) for ties in ("docid-asc", "docid-desc", "input")] == [True, False, False]
    of_q = evidence(question, ("q", 0.5), reported="q")
    for ties, in_mean, in_q in (("best", True, False), ("worst", False, True), ("docid-asc", False, False)):
        assert of_mean.differs_unreported({"ties": "input"}, {"ties": ties}) is in_mean
        assert of_q.differs_unreported({"ties": "input"}, {"ties": ties}) is in_q
    assert not of_mean.differs_unreported({"ties": "input"}, {"ties": "input"})


@pytest.mark.parametrize(
    ("answer", "rows", "reported"),
    [
        (Answered(None, 0.5), [(None, 0.5)], {None}),
        (Answered({"p": 0.5}, None), [("p", 0.5), ("q", ABSENT)], {"p", "q"}),
        (Answered({"p": 0.5}, 0.25), [(None, 0.25), ("p", 0.5), ("q", ABSENT)], {None, "p", "q"}),
        (Failure("error", "no"), [(None, ABSENT)], set()),
    ],
)
def test_evidence_has_the_values_and_the_reported_queries(
    answer: Any, rows: list[tuple[str | None, Reading]], reported: set[str | None]
) -> None:
    question: Any = SimpleNamespace(case=SimpleNamespace(queries=("p", "q")))
    piece = evidence_of(answer, question, "float32")
    assert (sorted(piece.rows, key=str), piece.reported) == (sorted(rows, key=str), reported)
    assert (piece.failure, piece.precision) == (answer if isinstance(answer, Failure) else None, "float32")


# -- judging, fingerprints and check ------------------------------------------------------------------------------------

INPUT = Input(
    qrels=(("q3", "a", 2), ("q3", "c", 0), ("q1", "b", 1), ("q2", "a", 1), ("q0", "a", -1), ("q0", "d", 3)),
    run=(
        ("q1", "z", 2.0, 1),
        ("q1", "b", 1.0, 2),
        ("q3", "a", 1.0, 1),
        ("q3", "c", 1.0, 2),
        ("q3", "b", 1.0, 3),
        ("q0", "d", 0.5, 1),
        ("q0", "a", 0.7, 2),
    ),
)
CASE = Case("ties/own", "four queries, of which each axis below moves others", "", "", (), INPUT, None, ())
PROFILES = (
    "standard",
    "ties=docid-asc",
    "ties=unspecified",
    "ties=expectation",
    "unjudged=removed",
    "missing=dropped",
    "negative=rejected",
    "ties=worst missing=dropped",
    "gain=exp",
)
MEASURES = ("P@1", "nDCG@2", "AP")


def answers_by(measure: str) -> Mapping[str, Answered | Failure]:
    """Return the values of the reference under each profile: exact, in float32 and without queries.

    Also values of no profile.
    """
    answers: dict[str, Answered | Failure] = {
        "nothing": Answered({"q1": 0.123, "q3": 0.2}, 0.3),
        **{kind: Failure(kind, "no") for kind in ("error", "crash", "timeout")},
    }
    for spec in PROFILES:
        answer = as_answer(PlainReference(INPUT).answers(parse(measure), spec))
        if isinstance(answer, Answered):
            values = answer.per_query or {}
            answers[spec] = answer
            answers[f"{spec}, nearly"] = replace(answer, per_query={q: v * (1 + 1e-8) for q, v in values.items()})
            answers[f"{spec}, the mean alone"] = replace(answer, per_query=None)
    return answers


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("measure", MEASURES)
def test_judging_fingerprints_and_check_explain_the_same_values(measure: str, precision: str, tmp_path: Path) -> None:
    results = set()
    for spec in PROFILES:
        conventions = profile(spec)
        path = tmp_path / "fake.toml"
        sheet = FAKE.replace("float64", precision)
        path.write_text(f'{sheet}\n[profiles.v]\n"{parse(measure).name}" = "{spec}"\n', encoding="utf-8")
        library = Library("fake", path, load(path))
        for name, answer in answers_by(measure).items():
            observation = Observation(CASE.id, Subject("fake", "v", "1"), measure, answer)
            rows = list(judge(CASE, library, observation))
            judged = all(row.verdict in {Verdict.AGREES, Verdict.CONVENTION} for row in rows)
            question = Questions({CASE.id: CASE}).of(CASE.id, measure)
            inferred = not evidence_of(answer, question, precision).mask(vars(conventions))
            checked = not missed_under([Value(Question(CASE, parse(measure)), answer)], conventions, precision)
            assert (judged, inferred) == (checked, checked), (measure, spec, name, rows)
            results.add((spec, checked))
    assert results >= {(spec, fits) for spec in PROFILES for fits in (True, False)}
