"""Verdict on a function: its faults, its differences from `standard`, and one rule for every measure.

A function that follows `standard`, or the claimed profile, computes the measure. A function is a variant of the
measure if it meets two conditions: a library, tool or paper uses each of its conventions, and only perfect rankings
get the maximum. Any other function is not the measure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rankproof.check import faults
from rankproof.check.infer import Inference, infer_profile, missed_under, precisions
from rankproof.check.ingredients import ROWS
from rankproof.check.observe import Report, Value
from rankproof.check.questions import decided_by_caller
from rankproof.check.result import Difference, Fault, FaultKind, TraitCount, Verdict
from rankproof.evaluate.known_conventions import is_known, same_libraries
from rankproof.inference.deciding_axes import possible
from rankproof.inference.diagnosis import defect_in
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure
from rankproof.workers.observations import Failure

BREAKS = {"crash": FaultKind.CRASH, "memory": FaultKind.MEMORY, "timeout": FaultKind.TIMEOUT}
ENOUGH = 500
"""The number of values in which defects are searched, the simplest first."""
MOSTLY = 0.5
"""If more than this share of the unexplained values are exceptions, the exceptions are reported first."""
DEEP = 1_000
"""The cutoff that is used instead of none for measures that need a cutoff."""


@dataclass(frozen=True)
class Judged:
    """Values of a call on ordinary and on extreme input.

    Attributes:
        ordinary: values on ordinary input, which decide the verdict.
        extreme: values on all other input.
    """

    measure: Measure
    ordinary: tuple[Value, ...]
    extreme: tuple[Value, ...]
    report: Report
    of_all: bool

    @classmethod
    def of(cls, measure: Measure, values: Iterable[Value], report: Report, *, of_all: bool) -> "Judged":
        """Sort values into ordinary and extreme, without those that are missing."""
        known = [value for value in values if not value.is_missing]
        ordinary = tuple(value for value in known if value.question.is_ordinary) or tuple(known)
        chosen = set(map(id, ordinary))
        return cls(measure, ordinary, tuple(value for value in known if id(value) not in chosen), report, of_all)

    @property
    def of_rows(self) -> bool:
        """Whether the call shows the input order. Otherwise it gets documents in the order of their scores."""
        return ROWS in self.report.shows or self.measure.of_labels

    @property
    def decided(self) -> Mapping[str, str]:
        """The conventions that the call decides, not the function."""
        return decided_by_caller(self.report.shows, self.measure, of_all=self.of_all)


def without_open_axes(judged: Judged, claim: Conventions, still: Mapping[str, Sequence[str]]) -> Conventions:
    """Return the claimed conventions, with the best fit on axes that are undetermined for the claimed library.

    Args:
        judged: the values of the function.
        claim: the conventions of the library.
        still: the remaining conventions of each undetermined axis; empty if all remain.
    """
    precision = next(iter(precisions(judged.ordinary)))

    def missed(profile: Conventions) -> int:
        return len(missed_under(judged.ordinary, profile, precision))

    best, fewest = claim, missed(claim)
    for axis, left in still.items():
        values = (value for value in left or AXES[axis].values if possible(judged.measure, axis, value))
        for value in values if fewest else ():
            profile = best.replace(**{axis: value})
            if (number := missed(profile)) < fewest:
                best, fewest = profile, number
    return best


def infer(judged: Judged, claimed: Conventions) -> Inference:
    """Return the claimed profile if it explains all values on ordinary input; otherwise infer the best profile."""
    for precision in precisions(judged.ordinary):
        if not missed_under(judged.ordinary, claimed, precision):
            return Inference.of_profile(judged.measure, claimed, precision, judged.ordinary)
    order = {} if judged.of_rows else {"order": "score"}
    return infer_profile(judged.measure, judged.ordinary, order)


# -- faults -------------------------------------------------------------------------------------------------------------


def find_faults(judged: Judged, inference: Inference, claim: Conventions | None) -> tuple[Fault, ...]:
    """Return why the function does not compute the measure, the most important reason first."""
    if (broken := _broken(judged)) is not None:
        return (broken,)
    if inference.missed or inference.differences:
        ignored = faults.ignored_input(judged.ordinary, judged.measure)
        if ignored is not None:
            fault = replace(ignored, example=faults.wrong_example(judged.ordinary, judged.measure))
            return (fault, *(_without_cutoff(judged) if ignored.about == (faults.CUTOFF,) else ()))
    if inference.missed:
        return tuple(_unexplained(judged, inference))
    if claim is not None:
        wrong = missed_under(judged.ordinary, claim, inference.precision)
        if wrong:
            left = inference.undetermined()
            excluded = (
                axis for axis in claim.differences(inference.profile) if getattr(claim, axis) not in left.get(axis, ())
            )
            other = tuple(axis for axis in excluded if axis not in judged.decided)
            return (Fault(FaultKind.CLAIM, other, faults.wrong_example(wrong, judged.measure, claim)),)
    return tuple(_not_a_variant(judged, inference))


def _broken(judged: Judged) -> Fault | None:
    """Return the fault of a function that crashes, does not return, or returns different values for one input."""
    for kind, fault in BREAKS.items():
        failing = [value for value in judged.ordinary if value.failure == kind]
        if (clearest := faults.clearest(failing, judged.measure)) is not None:
            example = faults.example_of(clearest, STANDARD)
            return Fault(fault, (clearest.text,), example, len(failing), len(judged.ordinary))
    unsteady = [value for value in judged.ordinary if value.again is not None]
    clearest = faults.clearest(unsteady, judged.measure)
    if clearest is not None:
        both = tuple(_text_of(answer) for answer in (clearest.answer, clearest.again))
        example = faults.example_of(clearest, STANDARD)
        return Fault(FaultKind.UNSTABLE, both, example, len(unsteady), len(judged.ordinary))
    if judged.report.unsteady:
        return Fault(FaultKind.CHANGES_ARGUMENTS, tuple(sorted(judged.report.unsteady)))
    return None


def _text_of(answer: object) -> str:
    if isinstance(answer, Failure):
        return answer.text
    per_query, mean = getattr(answer, "per_query", None) or {}, getattr(answer, "mean", None)
    return ", ".join(f"{value:.4f}" for value in ([mean] if mean is not None else per_query.values()))


def _unexplained(judged: Judged, inference: Inference) -> Iterator[Fault]:
    """Yield the faults behind values that no conventions explain."""
    defect = _defect(judged, inference)
    if defect is not None:
        yield defect
    raised = [value for value in inference.missed if value.failure == "error"]
    raises = _raises(raised, judged, inference) if raised and defect is None else None
    if raises is not None and len(raised) > MOSTLY * len(inference.missed):
        yield raises
        if len(raised) == len(inference.missed):
            return
        raises = None
    too_large = faults.above_maximum(judged.ordinary, judged.measure)
    if too_large is not None:
        yield too_large
    if defect is None:
        wrong = [value for value in inference.missed if value.failure != "error"]
        example = faults.wrong_example(wrong, judged.measure) or faults.wrong_example(judged.ordinary, judged.measure)
        yield Fault(FaultKind.UNEXPLAINED, (), example, inference.explained, len(inference.values))
    if raises is not None:
        yield raises


def _without_cutoff(judged: Judged) -> Iterator[Fault]:
    """Yield other faults of a function that ignores the cutoff, by judging its values as those without a cutoff."""
    optional = not judged.measure.of_labels and MEASURES[judged.measure.name].cutoff == "optional"
    uncut = cut_at(judged.measure, None if optional else DEEP)
    values = {
        value.question.input: replace(value, question=replace(value.question, measure=uncut, is_decisive=True))
        for value in judged.ordinary
    }
    whole = replace(judged, measure=uncut, ordinary=tuple(values.values()), extreme=())
    inference = infer(whole, STANDARD)
    if inference.missed and (defect := _defect(whole, inference)) is not None:
        yield defect


def _defect(judged: Judged, inference: Inference) -> Fault | None:
    missed = set(inference.missed)
    in_order = sorted(judged.ordinary, key=lambda value: (value not in missed, value.question.simplicity))
    decisive = [value for value in in_order if value.numbers and value.question.is_decisive][:ENOUGH]
    evidence = [value.evidence(inference.precision) for value in decisive]
    exactly = (inference.precision, precisions(judged.ordinary)[-1])
    defect = defect_in(judged.measure, evidence, inference.profile, exactly, [STANDARD])
    if defect is None:
        return None
    wrong = [value for value in inference.missed if value.numbers]
    example = faults.wrong_example(wrong, judged.measure) or faults.wrong_example(judged.ordinary, judged.measure)
    return Fault(FaultKind.DEFECT, defect.names, example, defect.explained, defect.unexplained, defect.profile)


def _raises(raised: Sequence[Value], judged: Judged, inference: Inference) -> Fault:
    clearest = faults.clearest(raised, judged.measure) or raised[0]
    return Fault(
        FaultKind.RAISES, (clearest.text,), faults.example_of(clearest, STANDARD), len(raised), len(inference.values)
    )


def _not_a_variant(judged: Judged, inference: Inference) -> Iterator[Fault]:
    """Yield the faults of a function that conventions explain, but that is not an accepted variant."""
    cheap = faults.cheap_maximum(judged.ordinary, judged.measure, inference.profile)
    if cheap is not None:
        yield replace(cheap, about=_culprits(cheap, judged, inference))
    unknown = tuple(difference.axis for difference in differences(judged, inference) if not difference.is_known)
    if unknown and cheap is None:
        yield Fault(FaultKind.UNKNOWN_CONVENTION, unknown, faults.wrong_example(judged.ordinary, judged.measure))
    repeats = faults.repeats_credited(judged.extreme, judged.measure)
    if repeats is not None:
        yield repeats


def _culprits(fault: Fault, judged: Judged, inference: Inference) -> tuple[str, ...]:
    """Return the axes that give the example its maximum, or all differing axes if no single axis does."""
    example = next(
        value for value in judged.ordinary if fault.example is not None and value.question.input == fault.example.input
    )
    guilty = []
    for axis in inference.differences:
        other = inference.profile.replace(**{axis: getattr(STANDARD, axis)})
        if example.evidence(inference.precision).mask(vars(other)):
            guilty.append(axis)
    return tuple(guilty) or inference.differences


# -- differences --------------------------------------------------------------------------------------------------------


def differences(judged: Judged, inference: Inference) -> tuple[Difference, ...]:
    """Return the differences of the inferred profile from `standard`, the most disputed first, with examples."""
    remaining = inference.undetermined()
    axes = [axis for axis in inference.differences if axis not in judged.decided]
    in_order = sorted(axes, key=lambda axis: (not AXES[axis].headline, AXES[axis].stage != "measure"))
    return tuple(_difference(axis, remaining.get(axis, ()), judged, inference) for axis in in_order)


def _difference(axis: str, remaining: Sequence[str], judged: Judged, inference: Inference) -> Difference:
    value, standard = getattr(inference.profile, axis), getattr(STANDARD, axis)
    values = tuple(remaining) or (value,)
    wrong = missed_under(judged.ordinary, inference.profile.replace(**{axis: standard}), inference.precision)
    example = faults.wrong_example(wrong, judged.measure)
    texts = [failing.text for failing in wrong if failing.failure]
    exception = texts[0].partition(":")[0] if texts and AXES[axis].refuses(value) else ""
    known = any(is_known(judged.measure, axis, of_axis) for of_axis in values)
    return Difference(axis, values, standard, known, exception, example)


def decide(
    own_faults: Sequence[Fault], inference: Inference, claim: Conventions | None, decided: Mapping[str, str]
) -> Verdict:
    """Return the verdict by the rule of this module."""
    if own_faults:
        return Verdict.DIFFERS
    own = [axis for axis in inference.differences if axis not in decided]
    return Verdict.VARIANT if own and claim is None else Verdict.AGREES


def similar_libraries(judged: Judged, inference: Inference) -> tuple[str, ...]:
    """Return the libraries with the same observed conventions on all axes that the values decide."""
    open_axes = inference.undetermined().keys() | judged.decided.keys()
    decided = frozenset(axis for axis in axes_of(judged.measure) if axis not in open_axes)
    return () if inference.missed else same_libraries(judged.measure, inference.profile, decided)


def extreme_traits(judged: Judged, inference: Inference) -> tuple[TraitCount, ...]:
    """Count the values that the inferred profile does not explain, for each extreme trait of inputs."""
    groups: dict[str, list[Value]] = {}
    for value in judged.extreme:
        groups.setdefault(value.question.traits[0].name, []).append(value)
    counts = []
    for trait_name, values in groups.items():
        wrong = missed_under(values, inference.profile, inference.precision)
        clearest = faults.clearest(wrong, judged.measure)
        example = None if clearest is None else faults.example_of(clearest, inference.profile)
        counts.append(TraitCount(trait_name, len(values), len(wrong), example))
    return tuple(counts)
