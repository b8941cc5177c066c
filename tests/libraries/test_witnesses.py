"""Witnesses of published fingerprints, tested without the inference: with the reference, the published values and one comparison."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import published_run
import pytest
from convention_values import MADE, answers_to
from inferred_fingerprints import infer
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, reading_of
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation, Reading, readings
from rankproof.workers.process import FAILURES
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject

CASES = {case.id: case for case in corpus.load_all()}


@cache
def reference(case: str) -> PlainReference:
    return PlainReference(CASES[case].input)


@cache
def expected(case: str, measure: str, query: str | None, conventions: Conventions) -> object:
    answers = reference(case).answers(parse(measure), conventions)
    return answers if isinstance(answers, Refused) else reading_of(answers, query)


@dataclass(frozen=True)
class Value:
    """A published value of a query, or of the mean; or a failure."""

    case: str
    measure: str
    query: str | None
    reading: Reading | Failure

    def follows(self, profile: Conventions, precision: str) -> bool:
        """Return whether the reference gives the value under a profile."""
        if profile.ties == UNSPECIFIED:
            ends = [self.expected(profile.replace(ties=ties)) for ties in ("worst", "best")]
            numbers = sorted(end for end in ends if isinstance(end, float))
            if isinstance(self.reading, float) and len(set(numbers)) == 2:
                inside = numbers[0] <= self.reading <= numbers[1]
                if inside or any(same(self.reading, end, precision) for end in numbers):
                    return True
            profile = profile.replace(ties="input")
        wanted = self.expected(profile)
        if isinstance(self.reading, Failure):
            return self.reading.kind == "error" and isinstance(wanted, Refused)
        return isinstance(wanted, float | str) and same(self.reading, wanted, precision)

    def expected(self, profile: Conventions) -> object:
        """Return the value of the reference."""
        return expected(self.case, self.measure, self.query, profile)


class Published:
    """The published values and fingerprints of all subjects, or of one subject."""

    def __init__(self, only: Subject | None = None) -> None:
        self.forms = {(form.subject, form.key): form for form in published_run.fingerprints()}
        self.excluding: dict[tuple[object, ...], bool] = {}
        self.values: dict[tuple[Subject, str, str], list[Value]] = defaultdict(list)
        for subject in published_run.observations():
            for seen in subject.observations if only in {None, subject.subject} else ():
                place = seen.subject, seen.case, key_of(parse(seen.measure))
                self.values[place] += (Value(seen.case, seen.measure, *pair) for pair in _pairs(seen))

    def excludes(self, form: Fingerprint, axis: str, value: str, case: str, measure: str = "") -> bool:
        """Return whether a published value of the case, in this form or one with its profile, excludes a value of the axis."""
        keys = frozenset({form.key, *form.shared_with})
        question = (form.subject, keys, axis, value, case, measure)
        if question not in self.excluding:
            self.excluding[question] = any(
                observed.follows(own.profile, own.precision)
                and not observed.follows(own.profile.replace(**{axis: value}), own.precision)
                for own in (self.forms[form.subject, key] for key in keys)
                for observed in self.values.get((form.subject, case, own.key), ())
                if measure in {"", observed.measure}
            )
        return self.excluding[question]

    def unproved(self, form: Fingerprint) -> Iterator[str]:
        """Yield published exclusions that the case does not prove, and witnesses that exclude nothing."""
        for axis, finding in form.axes.items():
            where = f"{form.subject.name} {form.key} {axis}={finding.value}"
            for value, case in finding.excluded.items():
                if not self.excludes(form, axis, value, case):
                    yield f"{where}: {case} does not exclude {value}"
            at = finding.witness, finding.measure
            if finding.witness and not any(self.excludes(form, axis, value, *at) for value in finding.excluded):
                yield f"{where}: its witness {finding.witness} {finding.measure} excludes nothing"


def _pairs(seen: Observation) -> Iterator[tuple[str | None, Reading | Failure]]:
    if isinstance(seen.answer, Failure):
        yield None, seen.answer
    elif seen.answer is not None:
        yield from readings(seen.answer, tuple(map(str, CASES[seen.case].input.queries)))


def test_every_witness_excludes_its_values() -> None:
    published = Published()
    wrong = [text for form in published_run.fingerprints() for text in published.unproved(form)]
    assert not wrong, f"{len(wrong)} published exclusions are not shown by their case\n" + "\n".join(wrong)


def test_finding_excludes_no_possible_value_and_has_a_witness_or_a_reason() -> None:
    for form in published_run.fingerprints():
        for finding in form.axes.values():
            possible = {finding.value, *finding.open} - {None}
            assert not possible & finding.excluded.keys(), f"{form.subject.name} {form.key} {finding}"
            assert bool(finding.witness) == bool(finding.measure) == bool(finding.excluded), finding
            assert finding.value is not None or finding.why


def test_wrong_witness_is_noticed() -> None:
    forms = published_run.fingerprints()
    form = next(form for form in forms if (form.subject.library, form.key) == ("pytrec_eval", "nDCG@k"))
    published, ties = Published(form.subject), form.axes["ties"]
    assert list(published.unproved(form)) == []
    for wrong in (
        replace(ties, witness="ties/none-tied"),
        replace(ties, excluded={**ties.excluded, "docid-asc": "ties/none-tied"}),
        replace(ties, measure="nDCG@1000"),
    ):
        assert list(published.unproved(replace(form, axes={"ties": wrong})))


@pytest.mark.parametrize("kind", FAILURES)
def test_only_errors_that_a_library_raises_prove_a_refusal(kind: str) -> None:
    """The library fails on inputs with unjudged documents, which another library refuses."""
    small = {name: case for name, case in CASES.items() if not case.undefined and case.input.size < 8}
    every = [*answers_to("unjudged=rejected", {"P@k"}, small.values())]
    refused, others = ([seen for seen in every if isinstance(seen.answer, of)][:9] for of in (Failure, Answered))
    observed = [*(replace(seen, answer=Failure(kind, "no")) for seen in refused), *others]
    (form,) = infer(observed, small, MADE)
    assert (form.axes["unjudged"].value == "rejected") == (kind == "error"), form.axes["unjudged"]
    assert {place.case for place in form.missed} == (set() if kind == "error" else {seen.case for seen in refused})
