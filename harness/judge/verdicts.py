"""Verdicts on observed values, by comparison with the reference under `standard` and under the sheet's profile.

`agrees`, `convention` and `known` pass. With `unsupported`, `undefined` and `not-installed` there is nothing to
compare. All other verdicts fail. If a library no longer returns a value that its sheet pins, the new value is
`unexplained`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rankproof.cases import Case
from rankproof.inference.recalled import Recalled, recalled
from rankproof.inference.reference_answers import (
    UNSPECIFIED,
    Answers,
    CannotTell,
    Refused,
    gives,
    reading_of,
    some_order_gives,
)
from rankproof.inference.search import changes_that_fit
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.known_libraries import Library
from rankproof.workers.observations import ABSENT, Answered, Failure, Observation, Reading, reading_text, readings
from rankproof.workers.process import FAILURES, stderr_sentence
from rankproof.workers.same_answers import same
from rankproof.workers.sheets import ObservationPlace, Pin, Sheet
from rankproof.workers.subjects import Subject


class Verdict(StrEnum):
    """The result of comparing an observation with the reference."""

    AGREES = "agrees"
    """The value of the reference under `standard`."""
    CONVENTION = "convention"
    """The value of the reference under the profile that the sheet claims."""
    KNOWN = "known"
    """A pinned exception, with its reason."""
    UNEXPLAINED = "unexplained"
    DEFECT = "defect"
    """A value that no convention explains, but a known kind of error."""
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    """The library used more memory than the limit."""
    INVALID_OUTPUT = "invalid-output"
    UNSTABLE = "unstable"
    """The library returned two values for the same input."""
    UNDEFINED = "undefined"
    """The case has no right value; the observation is recorded only."""
    NOT_INSTALLED = "not-installed"


HOLDS = frozenset({Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN})
NOT_JUDGED = frozenset({Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.NOT_INSTALLED})
FAILS = frozenset(Verdict) - HOLDS - NOT_JUDGED
FAILING = "fails"
"""The short name of all verdicts in `FAILS`."""
MARKS = (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.UNDEFINED)
"""The short names of verdicts, the best first."""

MOST_AXES = 4


@dataclass(frozen=True, slots=True)
class Row:
    """Judged value: a line of the results.

    Attributes:
        query: the query, or None for the mean over all queries.
        value: a number or `absent`; None with a failure, or if there is no observation.
        error: the text of a failure.
        expected: the value of the reference under `standard`; None if it rejects the input or has no value.
        conventions: the smallest change of `standard` that gives the value, if the verdict is `convention`.
        note: the reason why a measure is unsupported or an exception is known, or the expected value.
    """

    case: str
    subject: Subject
    measure: str
    query: str | None
    verdict: Verdict
    value: Reading | None = None
    error: str | None = None
    expected: Reading | None = None
    conventions: tuple[str, ...] = ()
    note: str = ""

    @property
    def library(self) -> str:
        """The name of the library."""
        return self.subject.library

    @property
    def variant(self) -> str:
        """The variant; empty for a row about the whole library."""
        return self.subject.variant

    @property
    def version(self) -> str:
        """The version; empty if the library did not run."""
        return self.subject.version

    @property
    def place(self) -> ObservationPlace:
        """The case, variant, measure and query."""
        return ObservationPlace(self.case, self.variant, self.measure, self.query)

    @property
    def observed(self) -> str:
        """The value or error, as a sheet pins it."""
        return self.error if self.error is not None else reading_text(self.value) if self.value is not None else ""


def judge(case: Case, library: Library, observation: Observation) -> Iterator[Row]:
    """Compare an observation with the reference, and yield a row for each query and for the mean."""
    return _Judging(case, library.sheet, observation, parse(observation.measure)).rows()


@dataclass(frozen=True)
class _Judging:
    """An observation, and the values of the reference that it is compared with."""

    case: Case
    sheet: Sheet
    seen: Observation
    measure: Measure

    def rows(self) -> Iterator[Row]:
        answer, again = self.seen.answer, self.seen.again
        if answer is None:
            yield self._row(None, Verdict.UNSUPPORTED, note=self.seen.why_not)
        elif self.case.undefined:
            yield from self._undefined(answer)
        elif again is not None:
            yield self._unstable(answer, again)
        elif isinstance(answer, Failure):
            yield self._failure(answer)
        else:
            for query, reading in readings(answer, tuple(map(str, self.case.queries))):
                by_reference = (reading_of(answers, query) for answers in (self._standard, self._claimed))
                if {reading, *by_reference} != {ABSENT}:
                    yield self._value(query, reading)

    def _undefined(self, answer: Answered | Failure) -> Iterator[Row]:
        if isinstance(answer, Failure):
            yield self._row(None, Verdict.UNDEFINED, error=answer.text)
            return
        for query, reading in readings(answer, ()):
            yield self._row(query, Verdict.UNDEFINED, value=reading)

    def _unstable(self, answer: Answered | Failure, again: Answered | Failure) -> Row:
        pin = self._pin(None)
        if pin is not None and pin.observed == Verdict.UNSTABLE:
            return self._row(None, Verdict.KNOWN, error=Verdict.UNSTABLE, note=pin.known.reason)
        note = f"first {_in_words(answer)}, then {_in_words(again)}"
        return self._row(None, Verdict.UNSTABLE, error=Verdict.UNSTABLE, note=note)

    def _failure(self, failure: Failure) -> Row:
        text = text_of(failure)
        if failure.kind == REFUSAL and isinstance(self._claimed, Refused):
            return self._explained(None, lambda answers: isinstance(answers, Refused), error=text)
        pin = self._pin(None)
        if pin is not None and pin.fits(text):
            return self._row(None, Verdict.KNOWN, error=text, note=pin.known.reason)
        note = "; ".join(filter(None, [_changed(pin) or self._why_unknown(), stderr_sentence(failure.stderr)]))
        return self._row(None, Verdict(failure.kind), error=text, note=note)

    def _value(self, query: str | None, reading: Reading) -> Row:
        if self._profile.ties == UNSPECIFIED:
            worst, best = (reading_of(answers, query) for answers in self._ends_of_ties)
            if some_order_gives(reading, worst, best, self._precision):
                return self._row(query, Verdict.CONVENTION, value=reading, conventions=(f"ties={UNSPECIFIED}",))
        if gives(self._claimed, query, reading, self._precision):
            return self._explained(
                query, lambda answers: gives(answers, query, reading, self._precision), value=reading
            )
        pin = self._pin(query)
        if pin is not None and same(reading, _pinned(pin.observed), self._precision):
            return self._row(query, Verdict.KNOWN, value=reading, note=pin.known.reason)
        expected = reading_of(self._claimed, query)
        by_sheet = "a refusal" if expected is None else reading_text(expected)
        claimed = f"the sheet's profile ({self._profile.spec() or 'standard'}) gives {by_sheet}"
        return self._row(
            query, Verdict.UNEXPLAINED, value=reading, note=_changed(pin) or self._why_unknown() or claimed
        )

    def _explained(
        self,
        query: str | None,
        fits: Callable[[Answers], bool],
        *,
        value: Reading | None = None,
        error: str | None = None,
    ) -> Row:
        """Return the row of an explained value, with the fewest conventions of the claimed profile that give it."""
        if fits(self._standard):
            return self._row(query, Verdict.AGREES, value=value, error=error)
        differing = STANDARD.differences(self._profile)
        matter = self._reference.axes(self.measure)
        choices = {axis: (value,) for axis, value in differing.items() if axis in matter}
        fitting = changes_that_fit(
            STANDARD, choices, lambda conventions: fits(self._reference.answers(self.measure, conventions)), MOST_AXES
        )
        why = tuple(f"{axis}={choice}" for axis, choice in next(fitting, differing).items())
        return self._row(query, Verdict.CONVENTION, value=value, error=error, conventions=why)

    def _why_unknown(self) -> str:
        """Return why the reference gives no value under the sheet's profile; empty if it gives one."""
        claims = [self._claimed, *(self._ends_of_ties if self._profile.ties == UNSPECIFIED else ())]
        reason = next((claim.reason for claim in claims if isinstance(claim, CannotTell)), "")
        profile = self._profile.spec()
        return f"the reference cannot tell what the sheet's profile ({profile}) gives: {reason}" if reason else ""

    @cached_property
    def _ends_of_ties(self) -> tuple[Answers, Answers]:
        worst, best = (self._profile.replace(ties=ties) for ties in ("worst", "best"))
        return self._reference.answers(self.measure, worst), self._reference.answers(self.measure, best)

    @cached_property
    def _reference(self) -> Recalled:
        return recalled(self.case.input)

    @cached_property
    def _profile(self) -> Conventions:
        return self.sheet.profile_of(self.seen.subject.variant, self.measure)

    @cached_property
    def _precision(self) -> str:
        return self.sheet.precision_of(self.seen.subject.variant, self.measure)

    @cached_property
    def _standard(self) -> Answers:
        return self._reference.answers(self.measure, STANDARD)

    @cached_property
    def _claimed(self) -> Answers:
        return self._reference.answers(self.measure, self._profile)

    def _pin(self, query: str | None) -> Pin | None:
        return self.sheet.pins.get(ObservationPlace(self.case.id, self.seen.subject.variant, str(self.measure), query))

    def _row(
        self,
        query: str | None,
        verdict: Verdict,
        *,
        value: Reading | None = None,
        error: str | None = None,
        conventions: tuple[str, ...] = (),
        note: str = "",
    ) -> Row:
        expected = None if verdict is Verdict.UNSUPPORTED or self.case.undefined else reading_of(self._standard, query)
        place = self.case.id, self.seen.subject, str(self.measure), query, verdict
        return Row(*place, value, error, expected, conventions, note)


REFUSAL = "error"
"""The kind of failure that may be a refusal of the input: an error that the library raised."""


def text_of(failure: Failure) -> str:
    """Return the text of a failure in a row: the error that the library raised, or the kind of failure and its text."""
    return failure.text if failure.kind == REFUSAL else f"{failure.kind}: {failure.text}"


def failure_of(text: str) -> Failure:
    """Return the failure that a row's text describes.

    >>> [failure_of(text).kind for text in ("ValueError: no", "memory: more than 8 GB", "timeout: 120 seconds")]
    ['error', 'memory', 'timeout']
    """
    kind = next((kind for kind in FAILURES if kind != REFUSAL and text.startswith(f"{kind}: ")), REFUSAL)
    return Failure(kind, text if kind == REFUSAL else text.removeprefix(f"{kind}: "))


def mark_of(verdict: Verdict) -> str:
    """Return the short name of a verdict."""
    return FAILING if verdict in FAILS else str(verdict)


def _in_words(answer: Answered | Failure) -> str:
    if isinstance(answer, Failure):
        return answer.text
    return ", ".join(f"{query or 'mean'} {reading_text(reading)}" for query, reading in readings(answer, ()))


def _changed(pin: Pin | None) -> str:
    return "" if pin is None else f"the sheet pins {pin.observed}: it changed"


def _pinned(text: str) -> Reading:
    try:
        return float(text)
    except ValueError:
        return text
