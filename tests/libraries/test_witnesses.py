"""Each published witness, asked again: on its case the answers follow what was found, and not what it is said to exclude.

Written apart from the inference: with the reference, the published answers, and one comparison.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import published_run
import pytest
from convention_values import MADE, answers_to
from inferred_fingerprints import infer
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, reading_of
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation, Reading, readings
from rankproof.workers.process import FAILURES
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject

REPORTS = Path(__file__).resolve().parent.parent.parent / "reports"


@cache
def oracle(case: str) -> PlainReference:
    return PlainReference(next(one for one in corpus.load_all() if one.id == case).input)


@cache
def expected(case: str, measure: str, query: str | None, conventions: Conventions) -> object:
    answers = oracle(case).answers(parse(measure), conventions)
    return answers if isinstance(answers, Refused) else reading_of(answers, query)


@dataclass(frozen=True)
class Said:
    """What somebody said of a query, or of all of them; or that it refused."""

    case: str
    measure: str
    query: str | None
    reading: Reading | Failure

    def follows(self, profile: Conventions, precision: str) -> bool:
        """Whether it is what the reference says under a profile."""
        if profile.ties == UNSPECIFIED:
            ends = [self.expected(profile.replace(ties=ties)) for ties in ("worst", "best")]
            numbers = sorted(end for end in ends if isinstance(end, float))
            told = self.reading
            if isinstance(told, float) and len(set(numbers)) == 2:
                inside = numbers[0] <= told <= numbers[1]
                if inside or any(same(told, end, precision) for end in numbers):
                    return True
            profile = profile.replace(ties="input")
        wanted = self.expected(profile)
        if isinstance(self.reading, Failure):
            return self.reading.kind == "error" and isinstance(wanted, Refused)
        return isinstance(wanted, float | str) and same(self.reading, wanted, precision)

    def expected(self, profile: Conventions) -> object:
        """What the reference says."""
        return expected(self.case, self.measure, self.query, profile)


class Answers:
    """What everybody answered, and what was found of it."""

    def __init__(self, fingerprints: Iterable[Fingerprint], observed: Iterable[Observation]) -> None:
        self.forms = {(one.subject, one.key): one for one in fingerprints}
        self.excluding: dict[tuple[object, ...], bool] = {}
        self.said: dict[tuple[object, str, str], list[Said]] = defaultdict(list)
        for seen in observed:
            form = self.said[seen.subject, seen.case, key_of(parse(seen.measure))]
            form += (Said(seen.case, seen.measure, *told) for told in _told(seen))

    def excludes(self, found: Fingerprint, axis: str, value: str, case: str, measure: str = "") -> bool:
        """Whether an answer to the case, in this form or one beside it, follows the profile and not another value of the axis."""
        forms = frozenset({found.key, *found.shared_with})
        asked = (found.subject, forms, axis, value, case, measure)
        if asked not in self.excluding:
            self.excluding[asked] = any(
                said.follows(form.profile, form.precision)
                and not said.follows(form.profile.replace(**{axis: value}), form.precision)
                for form in (self.forms[found.subject, key] for key in forms)
                for said in self.said.get((found.subject, case, form.key), ())
                if measure in {"", said.measure}
            )
        return self.excluding[asked]

    def unproved(self, found: Fingerprint) -> Iterator[str]:
        """What a witness is said to exclude, and does not."""
        for axis, finding in found.axes.items():
            where = f"{found.subject.name} {found.key} {axis}={finding.value}"
            for value, case in finding.excluded.items():
                if not self.excludes(found, axis, value, case):
                    yield f"{where}: {case} does not exclude {value}"
            if finding.witness and not self.witnesses(found, finding):
                yield f"{where}: its witness {finding.witness} {finding.measure} excludes nothing"

    def witnesses(self, found: Fingerprint, finding: AxisFinding) -> bool:
        """Whether the witness excludes at least one of the values that are excluded."""
        axis, case, measure = finding.axis, finding.witness, finding.measure
        return any(self.excludes(found, axis, value, case, measure) for value in finding.excluded)


def _told(seen: Observation) -> Iterator[tuple[str | None, Reading | Failure]]:
    if isinstance(seen.answer, Failure):
        yield None, seen.answer
    elif seen.answer is not None:
        yield from readings(seen.answer, tuple(map(str, oracle(seen.case).input.queries)))


@pytest.fixture(scope="module")
def published() -> list[Fingerprint]:
    return list(published_run.fingerprints())


def answers_of(published: list[Fingerprint], asked: Callable[[Subject], bool]) -> Answers:
    observed = (one for one in published_run.observations() if asked(one.subject))
    return Answers(published, (seen for one in observed for seen in one.observations))


def test_every_witness_excludes_what_it_is_said_to(published: list[Fingerprint]) -> None:
    answers = answers_of(published, lambda _subject: True)
    told = [said for found in published for said in answers.unproved(found)]
    assert not told, "\n".join(told)


def test_what_is_followed_is_not_excluded_and_a_witness_is_named_with_its_measure(published: list[Fingerprint]) -> None:
    for found in published:
        for finding in found.axes.values():
            followed = {finding.value, *finding.open} - {None}
            assert not followed & finding.excluded.keys(), f"{found.subject.name} {found.key} {finding}"
            assert bool(finding.witness) == bool(finding.measure) == bool(finding.excluded), finding
            assert finding.value is not None or finding.why


def test_a_witness_that_excludes_nothing_is_seen(published: list[Fingerprint]) -> None:
    found = next(one for one in published if (one.subject.library, one.key) == ("pytrec_eval", "nDCG@k"))
    answers = answers_of(published, lambda subject: subject == found.subject)
    assert list(answers.unproved(found)) == []
    ties = found.axes["ties"]
    for wrong in (
        replace(ties, witness="ties/none-tied"),
        replace(ties, excluded={**ties.excluded, "docid-asc": "ties/none-tied"}),
        replace(ties, measure="nDCG@1000"),
    ):
        assert list(answers.unproved(replace(found, axes={"ties": wrong})))


# -- inferred here -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FAILURES)
def test_only_what_the_library_raised_proves_that_it_refuses(kind: str) -> None:
    """Of a library that fails so wherever another one refuses docs without a judgment."""
    small = {case.id: case for case in corpus.load_all() if not case.undefined and case.input.size < 8}
    every = [*answers_to("unjudged=rejected", {"P@k"}, small.values())]
    refused, told = ([seen for seen in every if isinstance(seen.answer, one)][:9] for one in (Failure, Answered))
    observed = [*(replace(seen, answer=Failure(kind, "no")) for seen in refused), *told]
    (found,) = infer(observed, small, MADE)
    assert (found.axes["unjudged"].value == "rejected") == (kind == "error"), found.axes["unjudged"]
    assert {place.case for place in found.missed} == (set() if kind == "error" else {seen.case for seen in refused})
