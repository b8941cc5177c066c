"""Judging, fingerprints, `check` and the search for defects say alike whether conventions give an answer."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import Answered, Failure, Observation, readings
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking.case_questions import Question as Asked
from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import differences
from rankproof.defects.trial import QuestionNumbers, Trial
from rankproof.judging.verdicts import Verdict, judge
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.matching.evidence import Questions, evidence_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import Oracle, Refused, Values
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile

INPUT = Input(
    qrels=(("q3", "a", 2), ("q3", "c", 0), ("q1", "b", 1), ("q2", "a", 1), ("q0", "a", -1), ("q0", "d", 3)),
    run=(
        ("q1", "z", 2.0, 1), ("q1", "b", 1.0, 2), ("q3", "a", 1.0, 1), ("q3", "c", 1.0, 2), ("q3", "b", 1.0, 3), ("q0", "d", 0.5, 1),
        ("q0", "a", 0.7, 2),
    ),
)  # fmt: skip
CASE = Case("ties/own", "four queries, of which each axis below moves others", "", "", (), INPUT, None, ())
PROFILES = (
    "standard", "ties=docid-asc", "ties=unspecified", "ties=expectation", "unjudged=removed", "missing=dropped", "negative=rejected",
    "ties=worst missing=dropped", "gain=exp",
)  # fmt: skip
MEASURES = ("P@1", "nDCG@2", "AP")


def _answers(measure: str) -> Mapping[str, Answered | Failure]:
    """What the reference says by each profile, exactly, as float32 would be and without its queries; and what nothing gives."""
    found: dict[str, Answered | Failure] = {
        "nothing": Answered({"q1": 0.123, "q3": 0.2}, 0.3),
        **{kind: Failure(kind, "no") for kind in ("error", "crash", "timeout")},
    }
    for spec in PROFILES:
        said = Oracle(INPUT).answers(parse(measure), profile(spec))
        if isinstance(said, Values):
            values = {query: to_float(value) for query, value in said.per_query.items()}
            mean = to_float(said.mean)
            found[spec] = Answered(values, mean)
            found[f"{spec}, nearly"] = Answered({q: v * (1 + 1e-8) for q, v in values.items()}, mean)
            found[f"{spec}, the mean alone"] = Answered(None, mean)
        else:
            assert isinstance(said, Refused), said
    return found


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("measure", MEASURES)
def test_three_verbs_say_the_same_of_an_answer(measure: str, precision: str, tmp_path: Path) -> None:
    said = set()
    for spec in PROFILES:
        conventions = profile(spec)
        plain = {axis: getattr(conventions, axis) for axis in AXES}
        path = tmp_path / "fake.toml"
        sheet = FAKE.replace("float64", precision)
        path.write_text(f'{sheet}\n[profiles.v]\n"{parse(measure).name}" = "{spec}"\n', encoding="utf-8")
        library = Library("fake", path, load(path))
        for name, answer in _answers(measure).items():
            observation = Observation(CASE.id, Subject("fake", "v", "1"), measure, answer)
            rows = list(judge(CASE, Oracle(INPUT), library, observation))
            judged = all(row.verdict in {Verdict.AGREES, Verdict.CONVENTION} for row in rows)
            question = Questions({CASE.id: CASE}).of(CASE.id, measure)
            inferred = not evidence_of(observation, question, precision).mask(plain)
            seen = Seen(Asked(CASE, parse(measure), recalled(INPUT)), answer)
            checked = not differences([seen], conventions, precision)
            assert (judged, inferred) == (checked, checked), (measure, spec, name, rows)
            if isinstance(answer, Answered) and checked and conventions.ties != UNSPECIFIED:
                numbers = dict(readings(answer, ()))
                trial = Trial([QuestionNumbers(CASE.id, INPUT, parse(measure), numbers)], precision)
                assert not trial.missed(None, conventions, [0]), (measure, spec, name)
            said.add((spec, checked))
    assert said >= {(spec, fits) for spec in PROFILES for fits in (True, False)}
