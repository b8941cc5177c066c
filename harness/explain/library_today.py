"""What an installed library says of the data, held against what its published profile gives: does it still do what was proved of it?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite
from typing import Any

from rankproof.cases.inputs import Input
from rankproof.evaluate.library_profiles import profile_named
from rankproof.explain.asked_data import AskedData
from rankproof.explain.printed_number import PrintedNumber
from rankproof.inference.reference_answers import UNSPECIFIED, Refused, Values, reading_of
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import Measure
from rankproof.reference_impl.profiles import Profile, UnknownProfile
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.failures import WorkerFailed
from rankproof.workers.known_libraries import Library, in_wanted_variants
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, read
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject, installation


class CannotBeAsked(Unusable):
    """A library cannot be run, or its worker failed; `reason` says why without naming the option."""

    def __init__(self, reason: str, library: str = "") -> None:
        super().__init__(f"--library {library}: {reason}" if library else reason)
        self.reason = reason


class NotInstalled(CannotBeAsked):
    """It is not there."""


@dataclass(frozen=True)
class Departure:
    """A query, or under None the mean, of which a library says something else than its profile gives."""

    query: str | None
    by_profile: Reading
    said: Reading


@dataclass(frozen=True)
class Today:
    """What an installed library, in one variant, says of the data.

    Attributes:
        name: the library, its variant and its version.
        profile: whose published profile it is held against.
        compared: of how many queries a value was compared; 0 if the library reports no query.
        departures: where it says something else; the mean first.
        unordered: whether it keeps no order of tied documents, so that its profile gives one of several values.
        undetermined: the axes that can matter here and that no observation decided, with the value that its profile takes.
        trouble: why nothing was compared, if nothing was.
        mean: the mean that it returned.
        precision: how precise its numbers are, by its sheet.
    """

    name: str
    profile: str = ""
    compared: int = 0
    departures: tuple[Departure, ...] = ()
    unordered: bool = False
    undetermined: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    mean: Reading | None = None
    precision: str = "float64"

    def gives(self, value: PrintedNumber) -> bool | None:
        """Return whether the mean that it returned is exactly a number; None if the mean does not even round to it."""
        mean = Fraction(self.mean) if isinstance(self.mean, float) and isfinite(self.mean) else None
        fits = value.fits(mean) or (self.precision == "float32" and value.fits_single(mean))
        return value.is_exactly(mean) if fits and mean is not None else None


def greeted(library: Library, worker: Worker, install: str) -> Mapping[str, Any]:
    """What the library says of itself.

    Raises:
        NotInstalled: it is not there; `install` says how to have it.
        UnknownLibrary: it has none of the variants that are wanted.
        CannotBeAsked: its worker failed.
    """
    try:
        hello = in_wanted_variants(library, worker.hello())
    except WorkerFailed as failure:
        raise CannotBeAsked(str(failure), library.name) from failure
    if why := hello.get("not_installed"):
        raise NotInstalled(f"it is not installed ({why}): {install}", library.name)
    return hello


def today(
    library: Library,
    worker: Worker,
    hello: Mapping[str, Any],
    data: AskedData,
    measure: Measure,
    told: Callable[[str], object],
) -> tuple[Today, ...]:
    """Return what each variant of a library says of the data, held against its profile."""
    about = installation(library.name, hello)
    given = _input(data).as_json()
    found = []
    for variant in hello["variants"]:
        subject = about.subject(variant)
        name = f"{subject.name} {subject.version}"
        told(f"what {name} says")
        observed = worker.observe(variant, given, [str(measure)], once=True)[str(measure)]
        answer = read("", subject, str(measure), observed)
        precision = library.sheet.precision_of(variant, measure)
        if isinstance(answer.answer, Answered | Failure):
            held = _held(subject, name, data, measure, answer.answer, precision)
            mean = answer.answer.mean if isinstance(answer.answer, Answered) else None
            found.append(replace(held, mean=mean, precision=precision))
        else:
            found.append(Today(name, trouble=f"it does not measure this: {answer.why_not}"))
    absent = hello.get("absent", {})
    return (*found, *(Today(f"{library.name}/{variant}", trouble=why) for variant, why in absent.items()))


def _input(data: AskedData) -> Input:
    return Input(
        tuple(
            (query, doc, rel if isinstance(rel, int) else float(rel))
            for query, rows in data.qrels.items()
            for doc, rel in rows
        ),
        tuple(
            (query, row.doc, row.score, row.rank if data.has_ranks else place)
            for query, rows in data.run.items()
            for place, row in enumerate(rows, start=1)
        ),
        tuple(query for query, rows in data.qrels.items() if not rows),
        tuple(query for query, rows in data.run.items() if not rows),
    )


def _held(
    subject: Subject, name: str, data: AskedData, measure: Measure, answer: Answered | Failure, precision: str
) -> Today:
    try:
        profile = _profile(subject)
        conventions = profile.conventions(measure)
    except (UnknownProfile, UnknownConvention) as unknown:
        return Today(name, trouble=f"there is nothing to hold it against: {unknown}")
    expected = data.answers(measure, conventions)
    if isinstance(answer, Failure):
        as_its_profile = ", as its profile does" * isinstance(expected, Refused)
        what = f"it refuses the data{as_its_profile}" if answer.kind == "error" else f"it failed ({answer.kind})"
        return Today(name, profile.whose, trouble=f"{what}: {answer.text}")
    if not isinstance(expected, Values):
        return Today(name, profile.whose, trouble=f"its profile gives no value: {expected.reason}")
    told = [] if answer.per_query is None else [(query, answer.per_query.get(query, ABSENT)) for query in data.queries]
    if not told and answer.mean is None:
        return Today(name, profile.whose, trouble="it tells no value, neither of a query nor over all")
    mean = [] if answer.mean is None else [(None, answer.mean)]
    pairs = [
        Departure(query, by_profile, said)
        for query, said in [*mean, *told]
        if (by_profile := reading_of(expected, query)) is not None
    ]
    apart = tuple(pair for pair in pairs if not same(pair.said, pair.by_profile, precision))
    matter = data.axes_beside(measure, conventions)
    still = {axis: getattr(conventions, axis) for axis in profile.undecided(measure) if axis in matter}
    return Today(name, profile.whose, len(told), apart, conventions.ties == UNSPECIFIED, still)


def _profile(subject: Subject) -> Profile:
    """That of the version that is installed, if it was published, or else of the one that was."""
    called = f"{subject.library}/{subject.variant}"
    try:
        return profile_named(f"{called}-{subject.version}")
    except UnknownProfile:
        return profile_named(called)
