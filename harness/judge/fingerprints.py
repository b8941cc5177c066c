"""Inference of fingerprints, the profiles that libraries follow, from their values alone.

Most libraries follow one profile for all forms of a measure (`nDCG`, `nDCG@k`, `nDCG(rel=2)@k` …), so one is inferred
for all of them. If separate profiles explain more, each form has its own. The witness of a finding can be another
form.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from rankproof.cases import Case
from rankproof.grouping import grouped
from rankproof.inference.data_conditions import is_of_data
from rankproof.inference.equivalent_choices import canonical_profile
from rankproof.inference.evidence import Questions
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.form_groups import (
    AnsweredForm,
    Exceptions,
    FormGroup,
    Reach,
    findings_of,
    group_of,
    merge_groups,
    printed_at,
    reach_of,
    with_findings,
)
from rankproof.inference.search import Search
from rankproof.inference.signatures import Signature
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict, failure_of
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.sheets import ObservationPlace, Pin, load, sheet_path
from rankproof.workers.subjects import Installation, Subject


@dataclass(frozen=True)
class ObservedSubject:
    """The observations of one variant of a library.

    Attributes:
        subject: the variant of the library.
        observations: its values and failures.
        printed: the decimals that the library prints, judged by all its numbers, because one form may only have halves.
        untold: the axes that the library cannot show, because its adapter translates their inputs.
        exceptions: the queries with known exceptions, by case and measure (None is the mean). The search ignores them,
            because a crash on one input at many cutoffs would outweigh everything else.
        conditional: the known exceptions with a condition on the data, which do not count as unexplained.
    """

    subject: Subject
    observations: Sequence[Observation]
    printed: str | None
    untold: frozenset[str] = frozenset()
    exceptions: Exceptions = field(default_factory=dict)
    conditional: Exceptions = field(default_factory=dict)


# -- one subject ---------------------------------------------------------------------------------------------------------


def _inferred(observed: ObservedSubject, questions: Questions, reach: Reach) -> list[Fingerprint]:
    compared = [seen for seen in observed.observations if _is_comparable(seen, questions.cases)]
    forms = grouped((key_of(parse(seen.measure)), seen) for seen in compared)
    groups = merge_groups(
        [
            group_of(key, seen, questions, reach, observed.printed, observed.exceptions)
            for key, seen in sorted(forms.items())
            if any(isinstance(answered.answer, Answered) for answered in seen)
        ]
    )
    return in_order(fingerprint for group in groups for fingerprint in _fingerprints(group, observed))


def _is_comparable(seen: Observation, cases: Mapping[str, Case]) -> bool:
    return seen.answer is not None and seen.again is None and seen.case in cases and not cases[seen.case].undefined


def _fingerprints(group: FormGroup, observed: ObservedSubject) -> Iterator[Fingerprint]:
    """Yield a fingerprint for each form of a group, after one search for the group."""
    group, findings = with_findings(group)
    subject = observed.subject
    for form in group.forms:
        missed, excepted = _split_exceptions(_missed_of(form, group, subject), observed.conditional)
        profile, axes = _profile(form, group), dict(findings_of(form, group, findings))
        measure = measure_of(form.key) if form.key == key_of(form.measures[0]) else form.measures[0]
        still = dict(still_open(form, group, axes, profile))
        signature = Signature.of(measure, profile, by=subject.signed, still=still, unexplained=len(missed))
        yield Fingerprint(
            subject,
            form.key,
            profile,
            axes,
            explained=form.total - len(missed) - len(excepted),
            total=form.total,
            missed=missed,
            signature=str(signature),
            precision=form.precision,
            shared_with=tuple(other.key for other in group.forms if other is not form),
            excepted=excepted,
        )


def _split_exceptions(
    missed: Iterable[ObservationPlace], known: Exceptions
) -> tuple[tuple[ObservationPlace, ...], tuple[ObservationPlace, ...]]:
    """Return the unexplained values, and those that a known exception explains."""
    places = tuple(missed)
    excepted = tuple(place for place in places if place.query in known.get((place.case, place.measure), ()))
    return tuple(place for place in places if place not in excepted), excepted


def still_open(
    form: AnsweredForm, group: FormGroup, axes: Mapping[str, AxisFinding], behind: Conventions
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the open axes with their remaining choices, starting with the choice to compute with; empty if all remain.

    The first choice is that of the other forms of the measure, unless the values of this form exclude it; otherwise
    that of `standard`. Choices that only change values which the library never reports also remain.
    """
    alone = Search(form.measures, form.evidence)
    profile = alone.canonicalize(group.profile)
    for axis, finding in axes.items():
        untold = (v for v in finding.same if alone.canonicalize({**profile, axis: v}) != profile)
        still = dict.fromkeys([*(finding.open if finding.value is None else [finding.value]), *untold])
        if len(still) > 1:
            shared = getattr(behind, axis)
            taken = shared if shared in still else AXES[axis].default
            possible = {other[axis] for _, other in alone.changes(profile, [axis])}
            plain = taken == AXES[axis].default and still.keys() >= possible
            yield (
                axis,
                () if plain else tuple(sorted(still, key=lambda value: (value != taken, value != AXES[axis].default))),
            )


def _profile(form: AnsweredForm, group: FormGroup) -> Conventions:
    untold = {axis: getattr(STANDARD, axis) for axis in group.out_of_reach}
    alone = form.measures[0] if len(form.measures) == 1 else None
    return Conventions(**(group.profile if alone is None else canonical_profile(alone, group.profile)) | untold)


def _missed_of(form: AnsweredForm, group: FormGroup, subject: Subject) -> tuple[ObservationPlace, ...]:
    masks = ((piece, piece.mask(group.profile)) for piece in (*form.evidence, *form.exceptions))
    return tuple(
        ObservationPlace(piece.question.case.id, subject.variant, str(piece.question.measure), query)
        for piece, mask in masks
        for i, (query, _) in enumerate(piece.rows)
        if mask >> i & 1
    )


# -- all libraries -------------------------------------------------------------------------------------------------------


def in_order(fingerprints: Iterable[Fingerprint]) -> list[Fingerprint]:
    """Return fingerprints sorted by library, variant, version and form."""
    order = attrgetter("library", "variant", "subject.version", "subject.environment", "key")
    return sorted(fingerprints, key=order)


def infer_all(
    observed: Sequence[ObservedSubject], cases: Mapping[str, Case], measures: Container[str] | None = None
) -> Iterator[list[Fingerprint]]:
    """Yield the fingerprints of all subjects, measure by measure, because subjects share the values of the reference.

    Args:
        observed: the observations of each subject.
        cases: the cases by id.
        measures: the names of the measures to infer, by default all.
    """
    by_measure: dict[str, list[tuple[ObservedSubject, Reach]]] = {}
    for subject in observed:
        reach = reach_of(subject.observations, cases, subject.untold)
        for measure, own in grouped((parse(seen.measure).name, seen) for seen in subject.observations).items():
            if measures is None or measure in measures:
                by_measure.setdefault(measure, []).append((replace(subject, observations=own), reach))
    for subjects in by_measure.values():
        questions = Questions(cases)
        yield [fingerprint for subject, reach in subjects for fingerprint in _inferred(subject, questions, reach)]


def measures_in(observed: Iterable[ObservedSubject]) -> set[str]:
    """Return the names of the observed measures; `infer_all` yields once per name."""
    return {parse(seen.measure).name for subject in observed for seen in subject.observations}


def observations_of(results: RunResults) -> list[ObservedSubject]:
    """Return the observations of each subject in results."""
    judged = (
        row
        for row in results.rows
        if row.measure and row.verdict not in {Verdict.UNSUPPORTED, Verdict.UNDEFINED} and row.error != Verdict.UNSTABLE
    )
    by_subject = grouped((row.subject, row) for row in judged)
    return [_observed(subject, rows, untold_of(results.installations, subject)) for subject, rows in by_subject.items()]


def _observed(subject: Subject, rows: Iterable[Row], untold: frozenset[str]) -> ObservedSubject:
    by_question = grouped(((row.case, row.measure), row) for row in rows)
    seen = [Observation(case, subject, measure, _answer(own)) for (case, measure), own in by_question.items()]
    exceptions = [row for row in rows if row.verdict == Verdict.KNOWN]
    known = grouped(((row.case, row.measure), row.query) for row in exceptions)
    pins = _pins(subject.library)
    explained = [row for row in exceptions if row.place in pins and is_of_data(pins[row.place].known.touches)]
    conditional = grouped(((row.case, row.measure), row.query) for row in explained)
    return ObservedSubject(subject, seen, printed_at(seen), untold, known, conditional)


def _pins(library: str) -> Mapping[ObservationPlace, Pin]:
    path = sheet_path(library)
    return load(path).pins if path.is_file() else {}


def untold_of(installations: Iterable[Installation], subject: Subject) -> frozenset[str]:
    """Return the axes that a subject cannot show, because its adapter translates their inputs."""
    texts = (about.untold.get(subject.variant, "") for about in installations if about.has(subject))
    return frozenset(axis for axes in texts for axis in axes.split())


def _answer(rows: Sequence[Row]) -> Answered | Failure:
    error = next((row.error for row in rows if row.error is not None), None)
    if error is not None:
        return failure_of(error)
    values = {row.query: float(row.value) for row in rows if isinstance(row.value, float | int)}
    per_query = {query: value for query, value in values.items() if query is not None}
    has_queries = any(row.query is not None for row in rows)
    return Answered(per_query if has_queries else None, values.get(None))
