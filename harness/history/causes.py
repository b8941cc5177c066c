"""Causes of changes: the conventions of a library that differ before and after a release.

The conventions of a form (a measure with its parameters, `@k` for any cutoff) are inferred from all its values, as in
`rankproof show LIBRARY`. A cause names the differing conventions that both fingerprints decide. It explains a value if
the old conventions with these changes give the new value. The cause of any other change is undetermined.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.history.answer_changes import AnswerChange
from rankproof.inference.evidence import Questions, evidence_of
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.signatures import parse as signature_of
from rankproof.judge.fingerprints import ObservedSubject, infer_all, observations_of
from rankproof.judge.results_file import RunResults
from rankproof.judge.runs import corpus_of
from rankproof.judge.verdicts import Row
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, Conventions
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Observation
from rankproof.workers.same_answers import same
from rankproof.workers.subjects import Subject

Changes = tuple[tuple[str, str, str], ...]
"""The conventions that changed: axis, value before, value after."""


@dataclass(frozen=True)
class FormCause:
    """The conventions that changed (none if the cause is undetermined), and the signatures of the form before and after."""

    changes: Changes = ()
    before: str = ""
    after: str = ""


def difference(before: Fingerprint, after: Fingerprint) -> Changes:
    """Return the conventions that differ between two fingerprints, on the axes that both decide."""
    old, new = map(_decided, (before, after))
    # Several conventions may be equivalent for the measure; if both fingerprints allow a convention, it did not change.
    axes = [axis for axis in AXES if axis in old and axis in new and not {*old[axis]} & {*new[axis]}]
    return tuple((axis, old[axis][0], new[axis][0]) for axis in axes)


def _decided(fingerprint: Fingerprint) -> dict[str, tuple[str, ...]]:
    """Return the decided conventions that the signature shows, each with its equivalents for the measure."""
    still_open = signature_of(fingerprint.signature).open
    choices = {axis: finding.could_be for axis, finding in fingerprint.axes.items() if axis not in still_open}
    return {axis: values for axis, values in choices.items() if values[:1] == (getattr(fingerprint.profile, axis),)}


def _is_equal(change: AnswerChange, precisions: Iterable[str]) -> bool:
    """Return whether both values are equal at one of the precisions, so that only the precision changed."""
    old, new = (None if row is None else row.value for row in (change.old, change.new))
    return old is not None and new is not None and any(same(new, old, precision) for precision in precisions)


def _with(conventions: Conventions, changes: Changes) -> Conventions:
    return conventions.replace(**{axis: value for axis, _, value in changes})


def _completed(before: Fingerprint, after: Fingerprint) -> Conventions:
    """Return the old conventions, with open axes set as in the new conventions if the old values allow that."""
    still_open = signature_of(before.signature).open
    taken = ((axis, getattr(after.profile, axis), left) for axis, left in still_open.items())
    return before.profile.replace(**{axis: value for axis, value, left in taken if value in left or not left})


@dataclass
class Profiles:
    """The conventions of the subjects of a results file, inferred for each measure when it is first needed."""

    results: RunResults
    _forms: dict[tuple[Subject, str], Mapping[str, Fingerprint]] = field(default_factory=dict)

    def of(self, row: Row) -> Fingerprint | None:
        """Return the fingerprint of the form of a row; None if there are too few values for a fingerprint."""
        measure = parse(row.measure)
        key = (row.subject, measure.name)
        if key not in self._forms:
            observed = [self._observed[row.subject]] if row.subject in self._observed else []
            inferred = infer_all(observed, self._cases, measures={measure.name}) if self._cases else ()
            self._forms[key] = {form.key: form for forms in inferred for form in forms}
        return self._forms[key].get(key_of(measure))

    def unexplained(self, row: Row, conventions: Conventions, precision: str) -> bool:
        """Return whether the reference gives another value than a row under these conventions."""
        seen = self._seen.get((row.subject, row.case, row.measure))
        if seen is None or seen.answer is None:  # the case has no defined answer
            return True
        evidence = evidence_of(seen.answer, self._questions.of(row.case, row.measure), precision)
        mask = evidence.mask({axis: getattr(conventions, axis) for axis in AXES})
        return not any(query == row.query and not mask >> i & 1 for i, (query, _) in enumerate(evidence.rows))

    @cached_property
    def _observed(self) -> Mapping[Subject, ObservedSubject]:
        return {observed.subject: observed for observed in observations_of(self.results)}

    @cached_property
    def _seen(self) -> Mapping[tuple[Subject, str, str], Observation]:
        observations = (seen for observed in self._observed.values() for seen in observed.observations)
        return {(seen.subject, seen.case, seen.measure): seen for seen in observations}

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self._cases)

    @cached_property
    def _cases(self) -> Mapping[str, Case]:
        """The cases of the results; empty if a case has changed since then."""
        tests = dict(self.results.header.get("questions", ()))
        then = [
            replace(case, expect=None, also_ask=tuple(tests[case.id])) for case in corpus.load_all() if case.id in tests
        ]
        same = corpus_of(then) == self.results.header.get("corpus")
        return {case.id: case for case in then} if same else {}


@dataclass
class Causes:
    """The causes of changes between two results files."""

    before: Profiles
    after: Profiles

    def of(self, change: AnswerChange) -> FormCause:
        """Return the cause of a change, without conventions if it is undetermined."""
        if change.old is None or change.new is None or not change.old.case:
            return FormCause()
        old, new = self.before.of(change.old), self.after.of(change.new)
        if old is None or new is None:
            return FormCause()
        changes = difference(old, new)
        base = _completed(old, new)
        explained = (
            changes
            and change.old.place not in old.missed
            and change.new.place not in new.missed
            and not self.before.unexplained(change.old, base, old.precision)
            and not _is_equal(change, (old.precision, new.precision))
            and not self.after.unexplained(change.new, _with(base, changes), new.precision)
        )
        return FormCause(changes if explained else (), old.signature, new.signature)
