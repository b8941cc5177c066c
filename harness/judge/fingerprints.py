"""The fingerprint: the profile that a library follows, inferred from what it answered and nothing else.

One profile is looked for behind all forms of a measure (`nDCG`, `nDCG@k`, `nDCG(rel=2)@k` …), since most libraries make a choice once;
where no one profile explains the forms as well as one each, each has its own. So a witness may be of another form of the measure
than the one it is told of, and says so.
"""

import pickle
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from multiprocessing import active_children, get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from rankproof.cases import Case
from rankproof.ending_children import end_with_parent, kill_children
from rankproof.grouping import grouped
from rankproof.inference.data_conditions import is_of_data
from rankproof.inference.equivalent_choices import settled as without_idle
from rankproof.inference.evidence import Questions
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.form_groups import (
    AnsweredForm,
    Exceptions,
    FormGroup,
    PrecisionOf,
    Reach,
    findings_of,
    group_of,
    joined,
    printed_at,
    reach_of,
    settled,
)
from rankproof.inference.search import Search
from rankproof.inference.signatures import Signature
from rankproof.interruption import Incomplete
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict, failure_of
from rankproof.measure_forms import key_of, measure_of
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure, Observation
from rankproof.workers.sheets import ObservationPlace, Pin, load, sheet_path
from rankproof.workers.subjects import Installation, Subject

LOST = (
    "a process that inferred fingerprints was lost: it was killed, or it could not import the script that calls: put what the script does "
    'under `if __name__ == "__main__":`, or infer with at_once=1'
)

# -- inferring ------------------------------------------------------------------------------------------------------


def infer(
    observations: Iterable[Observation],
    cases: Mapping[str, Case],
    subject: Subject,
    *,
    precision: PrecisionOf | None = None,
    questions: Questions | None = None,
    untold: Iterable[str] = (),
    exceptions: Exceptions | None = None,
) -> list[Fingerprint]:
    """The fingerprints of one subject, one for each form of a measure.

    Args:
        observations: what it answered; those that are not its own, and answers that can be compared with nothing, are left out.
        cases: the cases asked, by id.
        subject: who answered.
        precision: how exactly it answers; seen from its numbers unless told.
        questions: what the reference was asked so far, to be shared between calls.
        untold: the axes of which it is told nothing.
        exceptions: the answers of which no profile is inferred.
    """
    mine = tuple(seen for seen in observations if seen.subject == subject)
    observed = ObservedSubject(subject, mine, printed_at(mine), exceptions=exceptions or {})
    return _inferred(observed, questions or Questions(cases), reach_of(mine, cases, untold), precision)


@dataclass(frozen=True)
class ObservedSubject:
    """What one subject answered.

    Attributes:
        printed: the precision, if its numbers are printed; seen from all of them, as a form alone may have only halves.
        untold: the axes of which it is told nothing, as its adapter translates what they are about.
        exceptions: by case and measure, the queries of which the answer is a known exception, None among them for the mean: they are put
            to the profile that the others show, as a crash on one input that was asked at many cutoffs would else outweigh them.
        conditional: the exceptions with a condition on the data in the sheet, which do not mark a form.
    """

    subject: Subject
    observations: Sequence[Observation]
    printed: str | None
    untold: frozenset[str] = frozenset()
    exceptions: Exceptions = field(default_factory=dict)
    conditional: Exceptions = field(default_factory=dict)


def _inferred(
    observed: ObservedSubject,
    questions: Questions,
    reach: Reach,
    precision: PrecisionOf | None = None,
) -> list[Fingerprint]:
    groups = _groups(observed, questions, reach, precision)
    return in_order(one for group in groups for one in _fingerprints(group, observed))


def _groups(
    observed: ObservedSubject,
    questions: Questions,
    reach: Reach,
    precision: PrecisionOf | None = None,
) -> list[FormGroup]:
    compared = [seen for seen in observed.observations if _comparable(seen, questions.cases)]
    forms = grouped((key_of(parse(seen.measure)), seen) for seen in compared)
    # What is always refused follows no profile: there is no number to explain.
    answered = {named: seen for named, seen in forms.items() if any(isinstance(one.answer, Answered) for one in seen)}
    groups = [
        group_of(named, seen, questions, precision, reach, observed.printed, observed.exceptions)
        for named, seen in sorted(answered.items())
    ]
    return joined(groups)


def _comparable(seen: Observation, cases: Mapping[str, Case]) -> bool:
    return seen.answer is not None and seen.again is None and seen.case in cases and not cases[seen.case].undefined


def _fingerprints(group: FormGroup, observed: ObservedSubject) -> Iterator[Fingerprint]:
    """One for each form; what was found is found once, for all of them."""
    group, found = settled(group)
    subject = observed.subject
    for form in group.forms:
        missed, excepted = _parted(_missed_of(form, group, subject), observed.conditional)
        profile, axes = _profile(form, group), dict(findings_of(form, group, found))
        shown = measure_of(form.key) if form.key == key_of(form.measures[0]) else form.measures[0]
        yield Fingerprint(
            subject,
            form.key,
            profile,
            axes,
            explained=form.asked - len(missed) - len(excepted),
            asked=form.asked,
            missed=missed,
            signature=str(
                Signature.of(
                    shown,
                    profile,
                    by=subject.signed,
                    still=dict(still_open(form, group, axes, profile)),
                    unexplained=len(missed),
                )
            ),
            precision=form.precision,
            beside=tuple(other.key for other in group.forms if other is not form),
            excepted=excepted,
        )


def _parted(
    missed: Iterable[ObservationPlace], known: Exceptions
) -> tuple[tuple[ObservationPlace, ...], tuple[ObservationPlace, ...]]:
    """The answers that nothing explains, and those that a known exception does."""
    places = tuple(missed)
    excepted = tuple(place for place in places if place.query in known.get((place.case, place.measure), ()))
    return tuple(place for place in places if place not in excepted), excepted


def still_open(
    form: AnsweredForm, group: FormGroup, axes: Mapping[str, AxisFinding], behind: Conventions
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each axis that nothing decided, with the values that remain, the one to be taken first; without any where all do.

    Taken is what the other forms of the measure were found to follow, where the answers to this one bear it out, and else `standard`'s.
    What differs from the value followed only in what the library never says remains, too: nothing was asked that could decide it.
    """
    alone = Search(form.measures, form.evidence)
    profile = alone.settle(group.profile)
    for axis, finding in axes.items():
        untold = (v for v in finding.same if alone.settle({**profile, axis: v}) != profile)
        still = dict.fromkeys([*(finding.open if finding.value is None else [finding.value]), *untold])
        if len(still) > 1:
            followed = getattr(behind, axis)
            taken = followed if followed in still else AXES[axis].default
            possible = {other[axis] for _, other in alone.changes(profile, [axis])}
            plain = taken == AXES[axis].default and still.keys() >= possible
            yield (
                axis,
                () if plain else tuple(sorted(still, key=lambda value: (value != taken, value != AXES[axis].default))),
            )


def _profile(form: AnsweredForm, group: FormGroup) -> Conventions:
    untold = {axis: getattr(STANDARD, axis) for axis in group.beyond}
    alone = form.measures[0] if len(form.measures) == 1 else None
    return Conventions(**(group.profile if alone is None else without_idle(alone, group.profile)) | untold)


def _missed_of(form: AnsweredForm, group: FormGroup, subject: Subject) -> tuple[ObservationPlace, ...]:
    masks = ((piece, piece.mask(group.profile)) for piece in (*form.evidence, *form.exceptions))
    return tuple(
        ObservationPlace(piece.question.case.id, subject.variant, str(piece.question.measure), query)
        for piece, mask in masks
        for i, (query, _) in enumerate(piece.rows)
        if mask >> i & 1
    )


# -- all libraries --------------------------------------------------------------------------------------------------


def in_order(found: Iterable[Fingerprint]) -> list[Fingerprint]:
    """By library, variant, version and form."""
    return sorted(
        found, key=lambda one: (one.library, one.variant, one.subject.version, one.subject.environment, one.key)
    )


def infer_all(
    observed: Sequence[ObservedSubject],
    cases: Mapping[str, Case],
    *,
    at_once: int = 1,
    measures: Container[str] | None = None,
) -> Iterator[list[Fingerprint]]:
    """The fingerprints of all variants, measure by measure, so many of them inferred at the same time; or of some measures alone.

    What a library can show at all is seen from all that it answered.

    What is asked of the reference is shared by those who answer the same measure, so they are inferred in one process.

    Raises:
        Incomplete: a process was lost.
    """
    jobs = _jobs(observed, cases, measures)
    if at_once < 2 or len(jobs) < 2:  # noqa: PLR2004 - nothing to share
        questions = Questions(cases)
        for job in jobs:
            yield _of_job(job, questions)
        return
    others = active_children()
    # Spawned, not forked: whoever calls may have threads. A job goes by a file: what is written to a process that ends before it reads it,
    # is written for ever.
    with (
        TemporaryDirectory(prefix="rankproof-") as folder,
        ProcessPoolExecutor(at_once, get_context("spawn"), end_with_parent) as pool,
    ):
        try:
            yield from pool.map(_of_file, [_written(Path(folder) / str(i), job, cases) for i, job in enumerate(jobs)])
        except BrokenProcessPool as error:
            kill_children(but=others)  # the pool overlooks one that it just began to start, and would wait for ever
            raise Incomplete(LOST) from error
        except (KeyboardInterrupt, GeneratorExit):
            kill_children(but=others)  # the pool would wait until they are done
            raise


def measures_in(observed: Iterable[ObservedSubject]) -> set[str]:
    """The names of the measures that were answered: `infer_all` yields once for each."""
    return {parse(seen.measure).name for one in observed for seen in one.observations}


_Job: TypeAlias = Sequence[tuple[ObservedSubject, Reach]]
"""The answers of each variant to one measure, and what it can show."""


def _jobs(
    observed: Sequence[ObservedSubject], cases: Mapping[str, Case], measures: Container[str] | None
) -> list[_Job]:
    reaching = ((one, reach_of(one.observations, cases, one.untold)) for one in observed)
    by_measure = grouped(
        (measure, (replace(one, observations=seen_of), reach))
        for one, reach in reaching
        for measure, seen_of in grouped((parse(seen.measure).name, seen) for seen in one.observations).items()
        if measures is None or measure in measures
    )
    # The longest first, so that none is left over at the end.
    return sorted(by_measure.values(), key=lambda job: -sum(len(one.observations) for one, _ in job))


def _written(path: Path, job: _Job, cases: Mapping[str, Case]) -> Path:
    """A job in a file, with the cases that it is about."""
    asked = {seen.case: cases[seen.case] for one, _ in job for seen in one.observations if seen.case in cases}
    path.write_bytes(pickle.dumps((job, asked)))
    return path


def _of_file(path: Path) -> list[Fingerprint]:
    job, cases = pickle.loads(path.read_bytes())  # noqa: S301 - this program wrote it, into a folder of its own
    return _of_job(job, Questions(cases))


def _of_job(job: _Job, questions: Questions) -> list[Fingerprint]:
    return [found for one, reach in job for found in _inferred(one, questions, reach)]


def observations_of(results: RunResults) -> list[ObservedSubject]:
    """The observations that results were judged from, by subject."""
    judged = (
        row
        for row in results.rows
        if row.measure and row.verdict not in {Verdict.UNSUPPORTED, Verdict.UNDEFINED} and row.error != Verdict.UNSTABLE
    )
    by_subject = grouped((row.subject, row) for row in judged)
    return [_observed(subject, rows, untold_of(results.asked, subject)) for subject, rows in by_subject.items()]


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


def untold_of(asked: Iterable[Installation], subject: Subject) -> frozenset[str]:
    """The axes of which a subject is told nothing, as its library said of its adapter."""
    said = (one.untold.get(subject.variant, "") for one in asked if one.has(subject))
    return frozenset(axis for axes in said for axis in axes.split())


def _answer(rows: Sequence[Row]) -> Answered | Failure:
    error = next((row.error for row in rows if row.error is not None), None)
    if error is not None:
        return failure_of(error)
    values = {row.query: float(row.value) for row in rows if isinstance(row.value, float | int)}
    per_query = {query: value for query, value in values.items() if query is not None}
    told = any(row.query is not None for row in rows)
    return Answered(per_query if told else None, values.get(None))
