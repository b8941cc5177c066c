"""Libraries that are run on the data: do they still give what their published profile gives?"""

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
from rankproof.reference_impl.profiles import UnknownProfile
from rankproof.reference_impl.unusable import Unusable
from rankproof.workers.known_libraries import Library, in_wanted_variants
from rankproof.workers.library_worker import Worker
from rankproof.workers.observations import ABSENT, Answered, Failure, Reading, read
from rankproof.workers.process import WorkerFailed
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject, installation


class CannotBeAsked(Unusable):
    """A library cannot be run, or its worker failed; `reason` says why without naming the option."""

    def __init__(self, reason: str, library: str = "") -> None:
        super().__init__(f"--library {library}: {reason}" if library else reason)
        self.reason = reason


class NotInstalled(CannotBeAsked):
    """The library is not installed."""


@dataclass(frozen=True)
class Departure:
    """A value of a query (None for the mean) that differs from the value of the profile."""

    query: str | None
    by_profile: Reading
    said: Reading


@dataclass(frozen=True)
class Today:
    """The values of a library that was run on the data, compared with its published profile.

    Attributes:
        name: the library, its variant and its version.
        profile: the published profile.
        compared: the number of queries that were compared; 0 if the library reports no query.
        departures: values that differ from the profile, the mean first.
        unordered: whether the library keeps no order of tied documents, so that its profile gives one of several values.
        undetermined: the undetermined axes that can matter here, with the value that the profile takes.
        trouble: why nothing was compared.
        mean: the mean that the library returned.
        precision: the precision of its numbers.
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
        """Return whether the mean is exactly a number; None if the mean does not even round to it."""
        mean = Fraction(self.mean) if isinstance(self.mean, float) and isfinite(self.mean) else None
        fits = value.fits(mean) or (self.precision == "float32" and value.fits_single(mean))
        return value.is_exactly(mean) if fits and mean is not None else None


def greeted(library: Library, worker: Worker, install: str) -> Mapping[str, Any]:
    """Return what a library reports of itself.

    Raises:
        NotInstalled: it is not installed; `install` says how to install it.
        UnknownLibrary: it has none of the requested variants.
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
    """Run each variant of a library on the data, and compare it with its profile."""
    about, inputs = installation(library.name, hello), _input(data).as_json()
    results = []
    for variant in hello["variants"]:
        subject = about.subject(variant)
        told(f"what {subject.name} {subject.version} gives")
        raw = worker.observe(variant, inputs, [str(measure)], once=True)[str(measure)]
        seen, precision = read("", subject, str(measure), raw), library.sheet.precision_of(variant, measure)
        result = Today(f"{subject.name} {subject.version}", precision=precision)
        if seen.answer is None:
            result = replace(result, trouble=f"it does not have this measure: {seen.why_not}")
        else:
            mean = seen.answer.mean if isinstance(seen.answer, Answered) else None
            result = _compared(replace(result, mean=mean), subject, data, measure, seen.answer)
        results.append(result)
    absent = hello.get("absent", {})
    return (*results, *(Today(f"{library.name}/{variant}", trouble=why) for variant, why in absent.items()))


def _input(data: AskedData) -> Input:
    qrels = (
        (query, doc, rel if isinstance(rel, int) else float(rel))
        for query, rows in data.qrels.items()
        for doc, rel in rows
    )
    run = (
        (query, row.doc, row.score, row.rank if data.has_ranks else place)
        for query, rows in data.run.items()
        for place, row in enumerate(rows, start=1)
    )
    empty = (tuple(query for query, rows in part.items() if not rows) for part in (data.qrels, data.run))
    return Input(tuple(qrels), tuple(run), *empty)


def _compared(result: Today, subject: Subject, data: AskedData, measure: Measure, answer: Answered | Failure) -> Today:
    called = f"{subject.library}/{subject.variant}"
    try:
        try:
            profile = profile_named(f"{called}-{subject.version}")
        except UnknownProfile:  # another version was published
            profile = profile_named(called)
        conventions = profile.conventions(measure)
    except (UnknownProfile, UnknownConvention) as unknown:
        return replace(result, trouble=f"there is nothing to compare it with: {unknown}")
    expected = data.answers(measure, conventions)
    if isinstance(answer, Failure):
        as_its_profile = ", as its profile does" * isinstance(expected, Refused)
        what = f"it refuses the data{as_its_profile}" if answer.kind == "error" else f"it failed ({answer.kind})"
        return replace(result, profile=profile.whose, trouble=f"{what}: {answer.text}")
    result = replace(result, profile=profile.whose)
    if not isinstance(expected, Values):
        return replace(result, trouble=f"its profile gives no value: {expected.reason}")
    per_query = answer.per_query
    values: dict[str | None, Reading] = {} if answer.mean is None else {None: answer.mean}
    values |= {} if per_query is None else {query: per_query.get(query, ABSENT) for query in data.queries}
    if not values:
        return replace(result, trouble="it returns no value, neither of a query nor a mean")
    departures = tuple(
        Departure(query, by_profile, value)
        for query, value in values.items()
        if (by_profile := reading_of(expected, query)) is not None and not same(value, by_profile, result.precision)
    )
    matter = data.axes_beside(measure, conventions)
    return replace(
        result,
        compared=0 if per_query is None else len(data.queries),
        departures=departures,
        unordered=conventions.ties == UNSPECIFIED,
        undetermined={axis: getattr(conventions, axis) for axis in profile.undecided(measure) if axis in matter},
    )
