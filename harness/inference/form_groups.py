"""Forms of a measure, and the one profile behind them."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType

from rankproof.inference import askable
from rankproof.inference.axis_findings import findings, witnesses
from rankproof.inference.comparing import UNSPECIFIED
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.evidence import Evidence, Questions, evidence_of
from rankproof.inference.exactness import coarser
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.inference.search import OF_ROWS, Search, best
from rankproof.measure_facts import Profile
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import Observation

PrecisionOf = Callable[[Measure], str]
Exceptions = Mapping[tuple[str, str], Container[str | None]]
"""By case and measure: the queries of which the answer is a known exception, None among them for the mean."""

FEW = 5
"""A form that was asked no more than this may have an exception beside the others: one answer is no profile of its own."""


@dataclass(frozen=True)
class AnsweredForm:
    """One form of a measure, as `nDCG@k`, and what was answered to it.

    Attributes:
        exceptions: answers that are known exceptions, of which no profile is inferred.
    """

    key: str
    measures: tuple[Measure, ...]
    evidence: tuple[Evidence, ...]
    precision: str
    exceptions: tuple[Evidence, ...] = ()

    @property
    def asked(self) -> int:
        """How many rows were answered."""
        return sum(piece.size for piece in (*self.evidence, *self.exceptions))


@dataclass(frozen=True)
class FormGroup:
    """Forms that one profile explains as well as a profile each."""

    forms: tuple[AnsweredForm, ...]
    search: Search
    profile: dict[str, str]
    reach: askable.Reach

    @property
    def beyond(self) -> frozenset[str]:
        """The axes that are out of reach."""
        return self.reach.out_of_it

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.forms[0].measures[0].name

    @property
    def told(self) -> dict[str, str]:
        """The profile as it is told, with what is out of reach as in `standard`."""
        return {**self.profile, **{axis: AXES[axis].default for axis in self.beyond}}

    @property
    def cost(self) -> int:
        """How many rows are not explained."""
        return self.search.cost(self.profile)


def group_of(
    key: str,
    seen: Sequence[Observation],
    questions: Questions,
    precision: PrecisionOf | None,
    reach: askable.Reach,
    printed: str | None,
    known: Exceptions = MappingProxyType({}),
) -> FormGroup:
    """One form alone, and the profile that explains most of it, but for the exceptions that are known, unless all are.

    How exactly it answers is told, or seen: from all numbers of the library if it prints them, else from those of the form.
    """
    measures = tuple({key_of(measure): measure for measure in (parse(one.measure) for one in seen)}.values())
    exact = precision or (lambda _measure: printed or "float64")
    whole = [evidence_of(one, asked := questions.of(one.case, one.measure), exact(asked.measure)) for one in seen]
    halves = [piece.parted(known.get((one.case, one.measure), ())) for piece, one in zip(whole, seen, strict=True)]
    evidence, exceptions = (tuple(piece for piece in some if piece.rows) for some in zip(*halves, strict=True))
    if not evidence:
        evidence, exceptions = exceptions, ()
    search, profile = best(Search(measures, evidence, reach.fixed))
    found = exact(measures[0])
    if precision is None and printed is None and (in_numbers := coarser(search, profile)):
        found, evidence = in_numbers, tuple(piece.at(in_numbers) for piece in evidence)
        exceptions = tuple(piece.at(in_numbers) for piece in exceptions)
        search, profile = best(Search(measures, evidence, reach.fixed))
    return FormGroup((AnsweredForm(key, measures, evidence, found, exceptions),), search, profile, reach)


def joined(groups: Iterable[FormGroup]) -> list[FormGroup]:
    """Groups of one measure put together wherever that loses nothing.

    What fits two that do not fit each other goes with the one that has a form cut as it is, or stays alone.
    """
    found: list[FormGroup] = []
    by_measure = sorted(groups, key=lambda group: (group.measure, -len(group.search.evidence)))
    for _, same in groupby(by_measure, key=lambda group: group.measure):
        together: list[FormGroup] = []
        for group in same:
            fits = {i: both for i, one in enumerate(together) if (both := _both(one, group)) is not None}
            if len(fits) > 1:
                fits = {
                    i: both for i, both in fits.items() if _is_cut(group.forms[0]) in map(_is_cut, together[i].forms)
                }
            if len(fits) == 1:
                ((place, both),) = fits.items()
                together[place] = both
            else:
                together.append(group)
        found += together
    return found


def _is_cut(form: AnsweredForm) -> bool:
    return form.measures[0].k is not None


def _both(one: FormGroup, other: FormGroup) -> FormGroup | None:
    """One profile for both, if it explains as much as their own; where the other was asked a little, all but one answer."""
    if one.search.fixed != other.search.fixed:
        return None
    measures, evidence = (*one.search.measures, *other.search.measures), (*one.search.evidence, *other.search.evidence)
    search = Search(measures, evidence, one.search.fixed)
    most = one.cost + other.cost + (sum(piece.size for piece in other.search.evidence) <= FEW)
    for start in (one.profile, other.profile):
        profile = search.descend(start)
        if search.cost(profile) <= most:
            return FormGroup((*one.forms, *other.forms), search, profile, one.reach)
    return None


def settled(group: FormGroup) -> tuple[FormGroup, Mapping[str, AxisFinding]]:
    """The findings on each axis, and the group with the profile that they were found for, which may be a simpler one."""
    profile = group.profile
    found, better = findings(group.search, profile)
    while better is not None:
        profile = group.search.simplest(better)
        found, better = findings(group.search, profile)
    return FormGroup(group.forms, group.search, profile, group.reach), found or {}


def findings_of(
    form: AnsweredForm, group: FormGroup, found: Mapping[str, AxisFinding]
) -> Iterator[tuple[str, AxisFinding]]:
    """The findings on the axes that can matter to one form beside the others, as far as its own answers bear them out."""
    alone = Search(form.measures, form.evidence)
    profile = alone.settle(group.profile)
    shown = {axis for piece in form.evidence for axis in piece.question.axes}
    for axis in alone.axes:
        if AXES[axis].rare and axis not in shown:
            continue
        if any(alone.changes(profile, [axis])):
            if axis in group.beyond:
                yield axis, askable.untold(axis)
            elif axis in found:
                followed = found[axis].value or profile[axis]
                alike = (v for v in values_of(axis) if v != followed and alone.settle({**profile, axis: v}) == profile)
                same = tuple(dict.fromkeys((*found[axis].same, *alike)))
                yield axis, _of_a_sort(form, _borne_out(form, group, replace(found[axis], same=same)), group.profile)


def _of_a_sort(form: AnsweredForm, finding: AxisFinding, profile: Profile) -> AxisFinding:
    """The order of tied rows, if an answer tells a sort that keeps it from one that mostly does."""
    shown = any(
        piece.question.case.input.tells_sorts and piece.size and not piece.mask(profile) for piece in form.evidence
    )
    if finding.axis != "ties" or finding.value not in OF_ROWS or shown:
        return finding
    why = f"no case asked of this form tells a sort that keeps {finding.value} order from one that does so of few rows"
    return replace(finding, value=None, open=(finding.value, UNSPECIFIED), why=why)


def _borne_out(form: AnsweredForm, group: FormGroup, finding: AxisFinding) -> AxisFinding:
    """A finding on forms together, with no value excluded of this form that only answers to others exclude.

    A library may treat one form otherwise than another: what one form shows is no finding on a form that was not asked.
    Nor is a value excluded that is so only for as long as what is out of reach is taken to be one way.
    """
    if len(group.forms) == 1 and not group.beyond:
        return finding
    broken = {
        value: [piece for piece in form.evidence if _excludes(piece, group, finding.axis, value)]
        for value in finding.excluded
    }
    case, measure, excluded = witnesses(broken)
    carried = [value for value in finding.excluded if value not in excluded and value not in finding.same]
    if not carried:
        return replace(finding, witness=case, measure=measure, excluded=excluded)
    still = finding.open or (group.profile[finding.axis],)
    why = f"no case asked of this form tells {' or '.join(carried)} from {still[0]}"
    return replace(
        finding,
        value=None,
        witness=case,
        measure=measure,
        excluded=excluded,
        open=tuple(dict.fromkeys((*still, *carried))),
        why=finding.why or why,
    )


def _excludes(piece: Evidence, group: FormGroup, axis: str, value: str) -> bool:
    """Whether an answer excludes a value, however what is out of reach is taken."""
    ways = (group.profile,) if group.beyond.isdisjoint(piece.question.axes) else (group.profile, group.told)
    return all(_breaks(piece, way, {**way, axis: value}) for way in ways)


def _breaks(piece: Evidence, profile: Profile, other: Profile) -> bool:
    return bool(piece.mask(other) & ~piece.mask(profile)) and not piece.unanswered(other)
