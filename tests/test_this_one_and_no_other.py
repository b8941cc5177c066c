"""What is said of a query, a measure, a version or a profile is said of that one: three of each that differ, in an order not their own."""

from pathlib import Path

from fake_sheets import FAKE

from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered, Observation
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.judging.verdicts import Row, Verdict, judge
from rankproof.matching.recalled import Recalled
from rankproof.matching.reference_answers import Oracle, Values
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile
from rankproof.reference_impl.ranking import Judgment
from rankproof.reference_impl.ranking import QueryRow as Ranked

# -- a profile whose axes move one query each ---------------------------------------------------------------------------
# P@1: q3 has two docs tied, q1 an unjudged doc above the relevant one, q2 was not retrieved, q0 is as in standard.

QRELS = {
    "q2": [Judgment("a", 1)], "q3": [Judgment("a", 1), Judgment("b", 0)], "q0": [Judgment("a", 1)], "q1": [Judgment("a", 1)],
}  # fmt: skip
RUN = {
    "q1": [Ranked("z", 2.0, 1), Ranked("a", 1.0, 2)], "q3": [Ranked("a", 1.0, 1), Ranked("b", 1.0, 2)], "q0": [Ranked("a", 1.0, 1)],
}  # fmt: skip
OWN = "ties=docid-asc unjudged=removed missing=dropped"
INPUT = Input(
    qrels=tuple((q, one.doc, one.rel) for q, rows in QRELS.items() for one in rows),
    run=tuple((q, one.doc, one.score, one.rank) for q, rows in RUN.items() for one in rows),
)
CASE = Case("ties/own", "three queries, each moved by one axis", "", "", (), INPUT, None, ("P@1",))


def _judged(tmp_path: Path, answer: Answered, pins: str = "") -> dict[str | None, Row]:
    path = tmp_path / "fake.toml"
    known = f"[[known]]\nreason = 'it cannot count at all'\nobserved = '''\n{pins}\n'''\n" if pins else ""
    path.write_text(f'{FAKE}\n[profiles.v]\n"P" = "{OWN}"\n{known}', encoding="utf-8")
    seen = Observation(CASE.id, Subject("fake", "v", "1"), "P@1", answer)
    return {row.query: row for row in judge(CASE, Oracle(INPUT), Library("fake", path, load(path)), seen)}


def test_a_query_is_told_the_axis_that_moves_it_and_the_mean_all_of_them(tmp_path: Path) -> None:
    rows = _judged(tmp_path, Answered({"q3": 1.0, "q0": 1.0, "q1": 1.0}, 1.0))
    assert {query: (row.verdict, row.conventions) for query, row in rows.items()} == {
        "q3": (Verdict.CONVENTION, ("ties=docid-asc",)),
        "q1": (Verdict.CONVENTION, ("unjudged=removed",)),
        "q2": (Verdict.CONVENTION, ("missing=dropped",)),
        "q0": (Verdict.AGREES, ()),
        None: (Verdict.CONVENTION, ("ties=docid-asc", "unjudged=removed", "missing=dropped")),
    }


def test_a_pin_is_of_its_own_query(tmp_path: Path) -> None:
    """Each value is pinned, but of another query: one is known where it is pinned, and nowhere else."""
    pins = "\n".join(f"ties/own v P@1 {where} {value}" for where, value in (("mean", 0.25), ("q3", 0.5), ("q1", 0.75)))
    of = {(query, value) for query in ("q3", "q0", "q1") for value in (0.25, 0.5, 0.75)}
    found = {
        (query, value): _judged(tmp_path, Answered({"q3": 1.0, "q0": 1.0, "q1": 1.0} | {query: value}, 0.25), pins)[
            query
        ].verdict
        for query, value in of
    }
    assert {place for place, verdict in found.items() if verdict is Verdict.KNOWN} == {("q3", 0.5), ("q1", 0.75)}
    assert set(found.values()) == {Verdict.KNOWN, Verdict.UNEXPLAINED}


def test_what_is_recalled_is_of_this_measure_and_of_these_choices() -> None:
    recalled, collection = Recalled(INPUT), Collection(QRELS, RUN)
    for own in (
        STANDARD,
        profile(OWN),
        STANDARD.replace(ties="docid-asc"),
        STANDARD.replace(missing="dropped"),
    ):
        for text in ("P@2", "P@1", "P(rel=2)@1", "RR", "RR@1", "AP@1", "AP"):
            answers = recalled.answers(parse(text), own)
            assert isinstance(answers, Values)
            wanted = collection.answer(parse(text), own)
            assert (answers.mean, dict(answers.per_query)) == (wanted.mean, dict(wanted.per_query)), (text, own.spec())
