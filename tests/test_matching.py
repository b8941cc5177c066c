"""Whether conventions give what was answered is asked in one place, and every verb says the same of the same answer."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.asking.known_libraries import Library
from rankproof.asking.observations import ABSENT, Answered, Failure, Observation
from rankproof.asking.sheets import load
from rankproof.asking.subjects import Subject
from rankproof.cases import Case
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.diagnosing import told_of
from rankproof.checking.differing import differences
from rankproof.defects.trial import Trial
from rankproof.judging.verdicts import FAILS, judge
from rankproof.matching.comparing import UNSPECIFIED, gives, some_order_gives
from rankproof.matching.evidence import Questions, evidence_of
from rankproof.matching.idle_choices import without_idle_choices
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import CannotTell, Obstacle, Oracle, Refused, Values
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import profile


@pytest.mark.parametrize(
    ("reading", "worst", "best", "is_given"),
    [
        (0.5, 0.0, 1.0, True), (0.5, 1.0, 0.0, True), (1.0, 0.0, 1.0, True), (0.0, 0.0, 1.0, True), (1.01, 0.0, 1.0, False),
        (-0.01, 0.0, 1.0, False), (0.5, 0.5, 0.5, False), (ABSENT, 0.0, 1.0, False), (0.5, ABSENT, 1.0, False), (0.5, 0.0, ABSENT, False),
        (0.5, None, 1.0, False), (0.5, 0.0, None, False),
    ],
)  # fmt: skip
def test_a_value_that_some_order_of_tied_docs_gives(
    reading: float | str, worst: float | str | None, best: float | str | None, *, is_given: bool
) -> None:
    assert some_order_gives(reading, worst, best) is is_given


def test_an_end_of_the_orders_is_met_by_the_precision_of_who_answers() -> None:
    assert [some_order_gives(0.667, 0.0, 2 / 3, exact) for exact in ("float64", "4 decimals", "3 decimals")] == [
        False,
        False,
        True,
    ]


def test_only_a_value_that_is_said_gives_a_reading() -> None:
    said = Values({"q1": 1, "q2": None}, 1)
    assert gives(said, "q1", 1.0, "float64")
    assert not gives(said, "q1", 0.5, "float64")
    assert gives(said, "q3", ABSENT, "float64")
    assert not gives(said, "q3", 0.0, "float64")
    assert not any(
        gives(none, None, reading, "float64")
        for none in (Refused("ids", "no"), CannotTell(Obstacle.NOT_POOLED, "no"))
        for reading in (0.0, ABSENT)
    )


def test_what_explains_nothing_is_taken_back_and_what_does_stays() -> None:
    def missed(conventions: Conventions) -> int:
        return 5 - 2 * (conventions.gain == "exp") - (conventions.ties == "best")

    told = STANDARD.replace(gain="exp", ties="best", known="retrieved", missing="dropped")
    assert without_idle_choices(told, missed).spec() == "gain=exp ties=best"
    assert without_idle_choices(STANDARD.replace(known="retrieved"), missed) == STANDARD


# -- every verb says the same -------------------------------------------------------------------------------------------

SPECS = (
    "standard",
    "ties=input missing=dropped",
    "known=retrieved norel=nan",
    "ties=best empty=rejected single=rejected",
)
MEASURES = ("P@2", "nDCG@3", "AP")
SUBJECT = Subject("fake", "v", "1")
PLACES = [
    case
    for case in corpus.load_matching(["ties/*", "queries/*", "duplicates/*", "notebooks/*"])
    if not case.undefined and case.input.run and not case.input.of_labels
][::3]


def answer(case: Case, measure: str, spec: str, times: float) -> Answered | Failure:
    """What who follows a profile answers, multiplied: by 1 it is right, and else a number that no convention gives."""
    said = Oracle(case.input).answers(parse(measure), profile(spec))
    if not isinstance(said, Values):
        return Failure("error", "ValueError: refused")
    return Answered({query: to_float(v) * times for query, v in said.per_query.items()}, to_float(said.mean) * times)


def judged(case: Case, measure: str, library: Library, said: Answered | Failure) -> set[str | None]:
    """What `run` does not explain by what the sheet claims."""
    rows = judge(case, Oracle(case.input), library, Observation(case.id, SUBJECT, measure, said))
    return {row.query for row in rows if row.verdict in FAILS}


def differing(case: Case, measure: str, claimed: Conventions, said: Answered | Failure) -> set[str | None]:
    """What `check` does not, by what is claimed."""
    seen = Seen(Question(case, parse(measure), recalled(case.input)), said)
    return {one.query for one in differences([seen], claimed, "float64")}


def unexplained(case: Case, measure: str, claimed: Conventions, said: Answered | Failure) -> set[str | None]:
    """What a fingerprint does not, by the profile."""
    question = Questions({case.id: case}).of(case.id, measure)
    piece = evidence_of(Observation(case.id, SUBJECT, measure, said), question, "float64")
    mask = piece.mask({axis: getattr(claimed, axis) for axis in AXES})
    return {query for i, (query, _) in enumerate(piece.rows) if mask >> i & 1}


def missed(
    case: Case, measure: str, claimed: Conventions, said: Answered | Failure, found: set[str | None]
) -> tuple[set[str | None], set[str | None]]:
    """What a trial for a defect does not take for right; and of what was found, the numbers, as it looks at nothing else."""
    numbers = told_of(Seen(Question(case, parse(measure), recalled(case.input)), said))
    if numbers is None:
        return set(), set()
    places = Trial([numbers], "float64").missed(None, claimed, [0])
    return {query for _, query in places}, found & numbers.numbers.keys()


@pytest.mark.parametrize("claim", [*SPECS, f"ties={UNSPECIFIED} missing=dropped"])
def test_run_fingerprint_check_and_defects_say_the_same_of_the_same_answer(claim: str, tmp_path: Path) -> None:
    path = tmp_path / "fake.toml"
    path.write_text(f'{FAKE}\n[profiles.v]\n"*" = "{claim}"\n', encoding="utf-8")
    library, claimed = Library("fake", path, load(path)), profile(claim)
    explained = refuted = 0
    for case, measure, (spec, times) in product(PLACES, MEASURES, said_by()):
        said = answer(case, measure, spec, times)
        found = judged(case, measure, library, said)
        assert differing(case, measure, claimed, said) == found, (case.id, measure, spec)
        assert unexplained(case, measure, claimed, said) == found, (case.id, measure, spec)
        if claimed.ties != UNSPECIFIED:  # a defect is looked for beside conventions that say which order there is
            tried, numbers = missed(case, measure, claimed, said, found)
            assert tried == numbers, (case.id, measure, spec)
        explained, refuted = explained + (not found), refuted + bool(found)
    assert min(explained, refuted) > len(PLACES)


def said_by() -> Iterator[tuple[str, float]]:
    """Who follows each of the profiles, and one who follows none."""
    yield from ((spec, 1.0) for spec in SPECS)
    yield "standard", 0.75
