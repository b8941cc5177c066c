"""Verdicts: an observation, judged against the reference under `standard` and under the sheet's profile.

The set is closed. `agrees`, `convention` and `known` hold; `unsupported`, `undefined` and `not-installed` say that nothing was judged;
the others do not hold. A value that a sheet pins and that is now another one is `unexplained` like any other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rankproof.cases import Case
from rankproof.inference.fewest_changes import changes_that_fit
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
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.failures import FAILURES
from rankproof.workers.known_libraries import Library
from rankproof.workers.library_worker import said_on
from rankproof.workers.observations import ABSENT, Answered, Failure, Observation, Reading, readings, shown
from rankproof.workers.same_answers import same
from rankproof.workers.sheets import ObservationPlace, Pin, Sheet
from rankproof.workers.subjects import Subject


class Verdict(StrEnum):
    """What an observation is, judged."""

    AGREES = "agrees"
    """It is what the reference says under `standard`."""
    CONVENTION = "convention"
    """It is what the reference says under the profile that the sheet claims."""
    KNOWN = "known"
    """A pinned exception, with its reason."""
    UNEXPLAINED = "unexplained"
    DEFECT = "defect"
    """No convention explains it, but an error that has a name does."""
    UNSUPPORTED = "unsupported"
    ERROR = "error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    """It took more memory than it may."""
    INVALID_OUTPUT = "invalid-output"
    UNSTABLE = "unstable"
    """Asked twice, it said two things."""
    UNDEFINED = "undefined"
    """The case has no right answer: what was observed is kept, and compared with nothing."""
    NOT_INSTALLED = "not-installed"


HOLDS = frozenset({Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN})
NOT_JUDGED = frozenset({Verdict.UNSUPPORTED, Verdict.UNDEFINED, Verdict.NOT_INSTALLED})
FAILS = frozenset(Verdict) - HOLDS - NOT_JUDGED
FAILING = "fails"
"""What all of `FAILS` is called where one word stands for them."""
MARKS = (Verdict.AGREES, Verdict.CONVENTION, Verdict.KNOWN, FAILING, Verdict.UNDEFINED)
"""What an answer may be called in short, the best first."""

MOST_AXES = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One judged observation: a line of the results.

    Attributes:
        query: None for the mean over all queries.
        value: what was observed: a number, or `absent`; None with a failure, or where nothing was observed.
        error: what the library said instead of a number.
        expected: what the reference says under `standard`; None if it refuses the input, or cannot tell.
        conventions: the smallest change of `standard` that gives the observation, where the verdict is `convention`.
        note: why a measure is unsupported, the reason of a known exception, what a complaint needs to say.
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
        """The library that was asked."""
        return self.subject.library

    @property
    def variant(self) -> str:
        """The variant of it; empty where all of the library is meant."""
        return self.subject.variant

    @property
    def version(self) -> str:
        """The version of it; empty where it was not asked."""
        return self.subject.version

    @property
    def place(self) -> ObservationPlace:
        """Where it was observed."""
        return ObservationPlace(self.case, self.variant, self.measure, self.query)

    @property
    def observed(self) -> str:
        """What was observed, as a sheet pins it."""
        return self.error if self.error is not None else shown(self.value) if self.value is not None else ""


def judge(case: Case, library: Library, observation: Observation) -> Iterator[Row]:
    """Judge an observation: yield a row for each query with a value, and for the mean."""
    return _Judging(case, library.sheet, observation, parse(observation.measure)).rows()


@dataclass(frozen=True)
class _Judging:
    """An observation, and what it is held against, which is looked up once for all its values."""

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
            yield from self._values(answer)

    def _undefined(self, answer: Answered | Failure) -> Iterator[Row]:
        if isinstance(answer, Failure):
            yield self._row(None, Verdict.UNDEFINED, error=answer.text)
            return
        for query, reading in readings(answer, ()):
            yield self._row(query, Verdict.UNDEFINED, value=reading)

    def _unstable(self, answer: Answered | Failure, again: Answered | Failure) -> Row:
        note = f"asked once {_told(answer)}, asked again {_told(again)}"
        pin = self._pin(None)
        if pin is not None and pin.observed == Verdict.UNSTABLE:
            return self._row(None, Verdict.KNOWN, error=Verdict.UNSTABLE, note=pin.known.reason)
        return self._row(None, Verdict.UNSTABLE, error=Verdict.UNSTABLE, note=note)

    def _failure(self, failure: Failure) -> Row:
        text = text_of(failure)
        refused = failure.kind == REFUSAL and isinstance(self._claimed, Refused)
        if refused and isinstance(self._standard, Refused):
            return self._row(None, Verdict.AGREES, error=text)
        if refused:
            why = self._fewest(lambda answers: isinstance(answers, Refused))
            return self._row(None, Verdict.CONVENTION, error=text, conventions=why)
        pin = self._pin(None)
        if pin is not None and pin.fits(text):
            return self._row(None, Verdict.KNOWN, error=text, note=pin.known.reason)
        note = "; ".join(filter(None, [_moved(pin) or self._why_not_told(), said_on(failure.stderr)]))
        return self._row(None, Verdict(failure.kind), error=text, note=note)

    def _values(self, answer: Answered) -> Iterator[Row]:
        queries = tuple(str(query) for query in self.case.queries)
        for query, reading in readings(answer, queries):
            if reading == ABSENT and reading_of(self._standard, query) == ABSENT == reading_of(self._claimed, query):
                continue  # nobody says anything of this query
            yield self._value(query, reading)

    def _value(self, query: str | None, reading: Reading) -> Row:
        agrees = self._is(reading, self._standard, query)
        if self._profile.ties == UNSPECIFIED and self._within_ties(query, reading):
            return self._row(query, Verdict.CONVENTION, value=reading, conventions=(f"ties={UNSPECIFIED}",))
        if self._is(reading, self._claimed, query):
            if agrees:
                return self._row(query, Verdict.AGREES, value=reading)
            why = self._fewest(lambda answers: self._is(reading, answers, query))
            return self._row(query, Verdict.CONVENTION, value=reading, conventions=why)
        pin = self._pin(query)
        if pin is not None and same(reading, _pinned(pin.observed), self._precision):
            return self._row(query, Verdict.KNOWN, value=reading, note=pin.known.reason)
        claimed = f"the sheet's profile ({self._profile.spec() or 'standard'}) gives {_text(self._claimed, query)}"
        return self._row(query, Verdict.UNEXPLAINED, value=reading, note=_moved(pin) or self._why_not_told() or claimed)

    def _why_not_told(self) -> str:
        """Why nothing can be held against the sheet's profile here; empty where something can."""
        claims = [self._claimed, *(self._ends_of_ties if self._profile.ties == UNSPECIFIED else ())]
        reason = next((claim.reason for claim in claims if isinstance(claim, CannotTell)), "")
        told = f"the reference cannot tell what the sheet's profile ({self._profile.spec()}) gives"
        return f"{told}: {reason}" if reason else ""

    def _within_ties(self, query: str | None, reading: Reading) -> bool:
        """Whether there are ties that matter, and the reading is one that some order of the tied docs gives."""
        worst, best = (reading_of(answers, query) for answers in self._ends_of_ties)
        return some_order_gives(reading, worst, best, self._precision)

    @cached_property
    def _ends_of_ties(self) -> tuple[Answers, Answers]:
        """What the worst and the best order of tied docs give."""
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

    def _is(self, reading: Reading, answers: Answers, query: str | None) -> bool:
        return gives(answers, query, reading, self._precision)

    def _fewest(self, fits: Callable[[Answers], bool]) -> tuple[str, ...]:
        """The fewest axes of the claimed profile that turn the standard answer into one that fits."""
        differing = STANDARD.differences(self._profile)
        matter = self._reference.axes(self.measure)
        choices = {axis: (value,) for axis, value in differing.items() if axis in matter}
        fitting = changes_that_fit(
            STANDARD, choices, lambda conventions: fits(self._reference.answers(self.measure, conventions)), MOST_AXES
        )
        return tuple(f"{axis}={value}" for axis, value in next(fitting, differing).items())

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
        return Row(
            self.case.id,
            self.seen.subject,
            str(self.measure),
            query,
            verdict,
            value,
            error,
            expected,
            conventions,
            note,
        )


REFUSAL = "error"
"""The kind of failure that may be a refusal of the input: what the library itself raised."""


def text_of(failure: Failure) -> str:
    """A failure as a row has it: what the library raised, or the kind of failure in front of what befell it."""
    return failure.text if failure.kind == REFUSAL else f"{failure.kind}: {failure.text}"


def failure_of(text: str) -> Failure:
    """The failure that a row's text stands for, of whatever kind it was.

    >>> [failure_of(text).kind for text in ("ValueError: no", "memory: more than 8 GB", "timeout: 120 seconds")]
    ['error', 'memory', 'timeout']
    """
    kind = next((kind for kind in FAILURES if kind != REFUSAL and text.startswith(f"{kind}: ")), REFUSAL)
    return Failure(kind, text if kind == REFUSAL else text.removeprefix(f"{kind}: "))


def mark_of(verdict: Verdict) -> str:
    """What a verdict is called in short."""
    return FAILING if verdict in FAILS else str(verdict)


def _told(answer: Answered | Failure) -> str:
    if isinstance(answer, Failure):
        return answer.text
    return ", ".join(f"{query or 'mean'} {shown(reading)}" for query, reading in readings(answer, ()))


def _moved(pin: Pin | None) -> str:
    return "" if pin is None else f"the sheet pins {pin.observed}: it moved"


def _text(answers: Answers, query: str | None) -> str:
    reading = reading_of(answers, query)
    return "a refusal" if reading is None else shown(reading)


def _pinned(text: str) -> Reading:
    try:
        return float(text)
    except ValueError:
        return text
