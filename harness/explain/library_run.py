"""Runs of libraries on the data, compared with their published profiles."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isfinite

from rankproof.cases.inputs import Input
from rankproof.evaluate.library_profiles import is_published, profile_named
from rankproof.explain.printed_number import PrintedNumber
from rankproof.explain.run_data import RunData
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


class CannotBeRun(Unusable):
    """A library that is not installed, has no adapter, or whose worker failed."""


@dataclass(frozen=True)
class LibraryAnswer:
    """The values of a library on the data, compared with its published profile.

    Attributes:
        name: the library, its variant and its version.
        profile: the published profile, with its version.
        compared: the number of queries that were compared; 0 if the library reports none.
        differences: query (None for the mean) -> the value of the profile and the returned value, if they differ.
        trouble: why nothing was compared.
        mean: the mean that the library returned.
        precision: the precision of its numbers.
        unordered: whether it has no consistent order of tied documents, so that several values are possible.
    """

    name: str
    profile: str = ""
    compared: int = 0
    differences: Mapping[str | None, tuple[Reading, Reading]] = field(default_factory=dict)
    trouble: str = ""
    mean: Reading | None = None
    precision: str = "float64"
    unordered: bool = False

    def gives(self, value: PrintedNumber) -> bool:
        """Return whether the mean rounds to a printed number."""
        mean = Fraction(self.mean) if isinstance(self.mean, float) and isfinite(self.mean) else None
        return (value.in_single if self.precision == "float32" else value).fits(mean)


def run_library(library: Library, worker: Worker, install: str, data: RunData, measure: Measure) -> list[LibraryAnswer]:
    """Run each variant of a library on the data, and compare its values with its profile.

    Raises:
        CannotBeRun: the library is not installed (`install` says how to install it), or its worker failed.
        UnknownLibrary: the library has none of the requested variants.
    """
    try:
        hello = in_wanted_variants(library, worker.hello())
    except WorkerFailed as failure:
        raise CannotBeRun(f"--library {library.name}: {failure}") from failure
    if why := hello.get("not_installed"):
        raise CannotBeRun(f"--library {library.name}: it is not installed ({why}): {install}")
    about, inputs = installation(library.name, hello), _input(data).as_json()
    runs = []
    for variant in hello["variants"]:
        subject = about.subject(variant)
        raw = worker.observe(variant, inputs, [str(measure)], once=True)[str(measure)]
        seen, precision = read("", subject, str(measure), raw), library.sheet.precision_of(variant, measure)
        run = LibraryAnswer(f"{subject.name} {subject.version}", precision=precision)
        if seen.answer is None:
            runs.append(replace(run, trouble=f"it does not have this measure: {seen.why_not}"))
        else:
            runs.append(_compared(run, subject, data, measure, seen.answer))
    return runs


def _input(data: RunData) -> Input:
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


def _compared(
    run: LibraryAnswer, subject: Subject, data: RunData, measure: Measure, answer: Answered | Failure
) -> LibraryAnswer:
    name = f"{subject.library}/{subject.variant}"
    version = f"{name}-{subject.version}"
    try:
        profile = profile_named(version if is_published(version) else name)
        conventions = profile.conventions(measure)
    except (UnknownProfile, UnknownConvention) as unknown:
        return replace(run, trouble=f"it has no profile to compare with: {unknown}")
    run, expected = replace(run, profile=profile.whose), data.answers(measure, conventions)
    if isinstance(answer, Failure):
        as_its_profile = ", as its profile does" * isinstance(expected, Refused)
        what = f"it refuses the data{as_its_profile}" if answer.kind == "error" else f"it failed ({answer.kind})"
        return replace(run, trouble=f"{what}: {answer.text}")
    if not isinstance(expected, Values):
        return replace(run, mean=answer.mean, trouble=f"its profile gives no value: {expected.reason}")
    values: dict[str | None, Reading] = {} if answer.mean is None else {None: answer.mean}
    values |= {query: answer.per_query.get(query, ABSENT) for query in data.queries} if answer.per_query else {}
    differences = {
        query: (by_profile, value)
        for query, value in values.items()
        if (by_profile := reading_of(expected, query)) is not None and not same(value, by_profile, run.precision)
    }
    compared = len(data.queries) if answer.per_query else 0
    unordered = conventions.ties == UNSPECIFIED
    return replace(run, mean=answer.mean, compared=compared, differences=differences, unordered=unordered)
