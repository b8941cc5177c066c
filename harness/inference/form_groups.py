"""Forms of a measure (`nDCG@k`, `nDCG`) in a library, their precision, and the profile that several forms share.

A library shows nothing about an axis if its interface cannot take the inputs that decide it, or if its adapter
translates them. An adapter that passes rows without ids cannot show how ids are compared. An adapter that writes TREC
files cannot pass a query with an empty ranking, so no case distinguishes `empty` from `missing`.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from types import MappingProxyType

from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.inference.axis_findings import findings, witnesses
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.evidence import Evidence, Questions, evidence_of
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.inference.input_traits import has_a_doc_twice
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.search import OF_ROWS, Search, best, plain
from rankproof.measure_facts import Profile
from rankproof.measure_forms import key_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.observations import Answered, Failure, Observation

KINDS: Mapping[str, Callable[[Input], bool]] = {
    "an empty ranking": lambda data: bool(data.empty_in_run),
    "a query without judgments": lambda data: bool(data.empty_in_qrels),
    "an id that is a number": lambda data: data.number_ids,
    "a doc judged twice": lambda data: has_a_doc_twice(data.qrels),
    "a doc retrieved twice": lambda data: has_a_doc_twice(data.run),
}
"""A test for each kind of input that an axis needs (`Axis.needs`)."""


@dataclass(frozen=True)
class Reach:
    """The axes that a library cannot show.

    Attributes:
        lacking: axes that need a kind of input without any value or error of the library.
        untold: axes that the adapter decides, because it leaves queries out or sorts the rows.
    """

    lacking: frozenset[str] = frozenset()
    untold: frozenset[str] = frozenset()

    @property
    def out_of_it(self) -> frozenset[str]:
        """The axes without a finding."""
        return self.lacking | self.untold

    @property
    def fixed(self) -> dict[str, str]:
        """The choice with the least effect, for each axis that no input can decide."""
        return {axis: AXES[axis].never_asked or AXES[axis].default for axis in self.lacking}


def reach_of(observations: Iterable[Observation], cases: Mapping[str, Case], untold: Iterable[str] = ()) -> Reach:
    """Return the axes that a library cannot show. Values and errors show the choice on an axis, but crashes do not."""
    answered = {seen.case for seen in observations if seen.case in cases and _is_answered(seen.answer)}
    lacking = {kind for kind, of_it in KINDS.items() if not any(of_it(cases[case].input) for case in answered)}
    return Reach(
        frozenset(name for name, axis in AXES.items() if axis.needs in lacking), frozenset(AXES.keys() & {*untold})
    )


def _is_answered(answer: Answered | Failure | None) -> bool:
    return isinstance(answer, Answered) or (answer is not None and answer.kind == "error")


def finding_out_of_reach(axis: str) -> AxisFinding:
    """Return the finding on an axis that the library cannot show."""
    return AxisFinding(axis, None, "", "", {}, values_of(axis), f"it takes no input that {axis} is about")


FEWEST_DECIMALS, MOST_DECIMALS = 3, 6
"""The range of decimals that programs usually print."""
NEARLY_ALL = 0.9


def coarser_precision(search: Search, profile: Profile) -> str | None:
    """Return the precision that explains more rows than float64 (float32, or the decimals of the numbers), or None."""
    # A mean of several printed values is not rounded itself.
    values = [
        value
        for piece in search.evidence
        for query, value in piece.rows
        if isinstance(value, float) and (query is not None or len(piece.question.case.queries) == 1)
    ]
    printed, profiles = _printed(values), (profile, search.canonicalize(plain(STANDARD)))
    missed = {}
    for exact in ("float64", "float32", *([printed] if printed else [])):
        evidence = [piece.at(exact) for piece in search.evidence]
        missed[exact] = sum(piece.mask(candidate).bit_count() for candidate in profiles for piece in evidence)
    least = min(missed, key=missed.__getitem__)
    return None if least == "float64" else least


def printed_at(observations: Iterable[Observation]) -> str | None:
    """Return the decimals that a library prints, by its fractional values of queries; None if it does not round."""
    answered = [seen.answer for seen in observations if isinstance(seen.answer, Answered)]
    return _printed([value for answer in answered for value in (answer.per_query or {}).values() if value % 1])


def _printed(values: Sequence[float]) -> str | None:
    """Return the decimals of the numbers, if programs print so many. A few numbers may be means and have more."""
    decimals = sorted(-int(Decimal(repr(v)).as_tuple().exponent) if math.isfinite(v) else 0 for v in values)
    most = decimals[int(NEARLY_ALL * (len(decimals) - 1))] if decimals else 0
    return f"{most} decimals" if FEWEST_DECIMALS <= most <= MOST_DECIMALS else None


Exceptions = Mapping[tuple[str, str], Container[str | None]]
"""The queries whose values are known exceptions, by case and measure; None is the mean."""

FEW = 5
"""The most rows of a form that may miss one more value when it is merged, because one value does not show a profile."""


@dataclass(frozen=True)
class AnsweredForm:
    """A form of a measure, such as `nDCG@k`, with the values of a library.

    Attributes:
        exceptions: known exceptions, which the inference leaves out.
    """

    key: str
    measures: tuple[Measure, ...]
    evidence: tuple[Evidence, ...]
    precision: str
    exceptions: tuple[Evidence, ...] = ()

    @property
    def total(self) -> int:
        """The number of observed values."""
        return sum(piece.size for piece in (*self.evidence, *self.exceptions))


@dataclass(frozen=True)
class FormGroup:
    """Forms of a measure that share a profile, which explains as much as separate profiles."""

    forms: tuple[AnsweredForm, ...]
    search: Search
    profile: dict[str, str]
    reach: Reach

    @property
    def out_of_reach(self) -> frozenset[str]:
        """The axes that the library cannot show."""
        return self.reach.out_of_it

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.forms[0].measures[0].name

    @property
    def published(self) -> dict[str, str]:
        """The profile with the standard choice on each axis that the library cannot show."""
        return {**self.profile, **{axis: AXES[axis].default for axis in self.out_of_reach}}

    @property
    def cost(self) -> int:
        """The number of rows that the profile does not explain."""
        return self.search.cost(self.profile)


def group_of(
    key: str,
    seen: Sequence[Observation],
    questions: Questions,
    reach: Reach,
    printed: str | None,
    known: Exceptions = MappingProxyType({}),
) -> FormGroup:
    """Return a group of one form, with the profile that explains most of its values.

    Known exceptions are left out, unless all values are exceptions. Values are compared with the decimals that the
    library prints (`printed`) or, if it does not print, with the precision that explains most.
    """
    measures = tuple({key_of(measure): measure for measure in (parse(answered.measure) for answered in seen)}.values())
    precision = printed or "float64"
    parts = [
        evidence_of(answered.answer, questions.of(answered.case, answered.measure), precision).split(
            known.get((answered.case, answered.measure), ())
        )
        for answered in seen
        if answered.answer is not None
    ]
    evidence, exceptions = (tuple(piece for piece in part if piece.rows) for part in zip(*parts, strict=True))
    if not evidence:
        evidence, exceptions = exceptions, ()
    search, profile = best(Search(measures, evidence, reach.fixed))
    if printed is None and (in_numbers := coarser_precision(search, profile)):
        precision, evidence = in_numbers, tuple(piece.at(in_numbers) for piece in evidence)
        exceptions = tuple(piece.at(in_numbers) for piece in exceptions)
        search, profile = best(Search(measures, evidence, reach.fixed))
    return FormGroup((AnsweredForm(key, measures, evidence, precision, exceptions),), search, profile, reach)


def merge_groups(groups: Iterable[FormGroup]) -> list[FormGroup]:
    """Merge groups of one measure if the merged group explains as much.

    A group may fit two groups that do not fit each other. Then it joins the group with a form like its own, with or
    without a cutoff. If that does not decide, it stays alone.
    """
    merged: list[FormGroup] = []
    by_measure = sorted(groups, key=lambda group: (group.measure, -len(group.search.evidence)))
    for _, same in groupby(by_measure, key=lambda group: group.measure):
        together: list[FormGroup] = []
        for group in same:
            fits = {i: both for i, earlier in enumerate(together) if (both := _merged(earlier, group)) is not None}
            if len(fits) > 1:
                fits = {
                    i: both for i, both in fits.items() if _is_cut(group.forms[0]) in map(_is_cut, together[i].forms)
                }
            if len(fits) == 1:
                ((place, both),) = fits.items()
                together[place] = both
            else:
                together.append(group)
        merged += together
    return merged


def _is_cut(form: AnsweredForm) -> bool:
    return form.measures[0].k is not None


def _merged(first: FormGroup, second: FormGroup) -> FormGroup | None:
    """Merge two groups if one profile explains as much as two. One more value may be missed if the second has few."""
    if first.search.fixed != second.search.fixed:
        return None
    own, others = first.search, second.search
    search = Search((*own.measures, *others.measures), (*own.evidence, *others.evidence), own.fixed)
    most = first.cost + second.cost + (sum(piece.size for piece in second.search.evidence) <= FEW)
    for start in (first.profile, second.profile):
        profile = search.descend(start)
        if search.cost(profile) <= most:
            return FormGroup((*first.forms, *second.forms), search, profile, first.reach)
    return None


def with_findings(group: FormGroup) -> tuple[FormGroup, Mapping[str, AxisFinding]]:
    """Return the group and its findings by axis, with a better profile if the findings show one."""
    profile = group.profile
    by_axis, better = findings(group.search, profile)
    while better is not None:
        profile = group.search.simplest(better)
        by_axis, better = findings(group.search, profile)
    return FormGroup(group.forms, group.search, profile, group.reach), by_axis or {}


def findings_of(
    form: AnsweredForm, group: FormGroup, by_axis: Mapping[str, AxisFinding]
) -> Iterator[tuple[str, AxisFinding]]:
    """Yield each axis that can matter to a form, with the finding that the form's own values support."""
    alone = Search(form.measures, form.evidence)
    profile = alone.canonicalize(group.profile)
    tested = {axis for piece in form.evidence for axis in piece.question.axes}
    for axis in alone.axes:
        if AXES[axis].rare and axis not in tested:
            continue
        if any(alone.changes(profile, [axis])):
            if axis in group.out_of_reach:
                yield axis, finding_out_of_reach(axis)
            elif axis in by_axis:
                own = by_axis[axis].value or profile[axis]
                alike = (v for v in values_of(axis) if v != own and alone.canonicalize({**profile, axis: v}) == profile)
                same = tuple(dict.fromkeys((*by_axis[axis].same, *alike)))
                finding = _supported(form, group, replace(by_axis[axis], same=same))
                yield axis, _kept_by_sort(form, finding, group.profile)


def _kept_by_sort(form: AnsweredForm, finding: AxisFinding, profile: Profile) -> AxisFinding:
    """Return the finding, or leave `ties` open if no case distinguishes a stable from an unstable sort of tied rows."""
    shows_sort = any(
        piece.question.case.input.tells_sorts and piece.size and not piece.mask(profile) for piece in form.evidence
    )
    if finding.axis != "ties" or finding.value not in OF_ROWS or shows_sort:
        return finding
    why = f"no case asked of this form tells a sort that keeps {finding.value} order from one that does so of few rows"
    return replace(finding, value=None, open=(finding.value, UNSPECIFIED), why=why)


def _supported(form: AnsweredForm, group: FormGroup, finding: AxisFinding) -> AxisFinding:
    """Return the finding of a group, restricted to the choices that the values of this form exclude.

    A library may treat forms differently, so the values of one form prove nothing about another. A choice also stays
    open if excluding it depends on the axes that the library cannot show.
    """
    if len(group.forms) == 1 and not group.out_of_reach:
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
    """Return whether evidence excludes a choice, for both choices on the axes that the library cannot show."""
    ways = (group.profile,) if group.out_of_reach.isdisjoint(piece.question.axes) else (group.profile, group.published)
    return all(_breaks(piece, way, {**way, axis: value}) for way in ways)


def _breaks(piece: Evidence, profile: Profile, other: Profile) -> bool:
    return bool(piece.mask(other) & ~piece.mask(profile)) and not piece.unanswered(other)
