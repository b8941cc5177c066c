"""Findings on each axis: the cases that exclude the other choices, or the reason why none does.

Each other choice is tried alone, and together with one change of another axis, which may explain the same values.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.inference.deciding_axes import values_of
from rankproof.inference.evidence import Evidence
from rankproof.inference.fingerprint_file import AxisFinding
from rankproof.inference.reference_answers import UNSPECIFIED
from rankproof.inference.search import Search, changed
from rankproof.measure_facts import Profile
from rankproof.reference_impl.conventions import AXES


@dataclass
class _Other:
    """Another choice on an axis, with the evidence against it or the change that it needs."""

    value: str
    broken: Sequence[Evidence] = ()
    with_it: str = ""
    traded: bool = False
    """Whether it explains other values, but as many."""
    untold: bool = False
    """Whether it changes only values that the library does not report."""


def findings(
    search: Search, profile: dict[str, str]
) -> tuple[dict[str, AxisFinding], None] | tuple[None, dict[str, str]]:
    """Return a finding for each axis, or a better profile, which explains more or as much with fewer changes."""
    by_axis: dict[str, AxisFinding] = {}
    for axis in search.values:
        others = []
        for _, other in search.changes(profile, [axis]):
            judged, better = _judged(search, profile, axis, other)
            if better is not None:
                return None, better
            others.append(judged)
        if others:
            by_axis[axis] = _finding(search, axis, profile[axis], others)
    if search.fixed.get("ties") == UNSPECIFIED:
        broken = {value: search.breaks(profile, {**profile, "ties": value}) for value in values_of("ties")}
        by_axis["ties"] = AxisFinding("ties", UNSPECIFIED, *witnesses(broken))
    return by_axis, None


def _judged(search: Search, profile: Profile, axis: str, other: dict[str, str]) -> tuple[_Other, dict[str, str] | None]:
    """Return the other choice on the axis, and a better profile if the choice leads to one."""
    value, broken = other[axis], search.breaks(profile, other)
    alone = not broken or search.no_worse(profile, other, broken)
    rescued = other if alone else search.rescued(profile, other, axis, broken)
    if rescued is None:
        return _Other(value, broken), None
    gained = search.gain(profile, rescued, floor=-1)
    untold = not broken and any(piece.differs_unreported(profile, other) for piece in search.touched(profile, other))
    if gained > 0 or (gained == 0 and _simpler(rescued, profile, axis, untold=untold)):
        return _Other(value), rescued
    changes = (f"{name}={rescued[name]}" for name in AXES if name != axis and rescued[name] != profile[name])
    traded = bool(search.breaks(profile, rescued))
    return _Other(value, (), "" if alone else " ".join(changes), traded, untold), None


def _simpler(other: Profile, profile: Profile, axis: str, *, untold: bool) -> bool:
    """Return whether a profile has fewer changes or, if the library cannot show the choice, an earlier choice."""
    if changed(other) != changed(profile):
        return changed(other) < changed(profile)
    order = values_of(axis)
    return untold and order.index(other[axis]) < order.index(profile[axis])


def _finding(search: Search, axis: str, value: str, others: Sequence[_Other]) -> AxisFinding:
    case, measure, excluded = witnesses({other.value: other.broken for other in others})
    same = tuple(other.value for other in others if other.untold)
    remaining = [other for other in others if not other.broken and not other.untold]
    if not remaining and excluded:
        return AxisFinding(axis, value, case, measure, excluded, same=same)
    why = _why(search, axis, value, remaining) if remaining else "they differ only in what the library does not say"
    still = (value, *(other.value for other in remaining or others))
    return AxisFinding(axis, None, case, measure, excluded, still, why, same)


def witnesses(broken: Mapping[str, Sequence[Evidence]]) -> tuple[str, str, dict[str, str]]:
    """Return the witness and the simplest case that excludes each value.

    The witness is the case and measure that exclude most values. If several do, it is the simplest of them.
    """
    counts = Counter(piece for evidence in broken.values() for piece in evidence)
    witness = min(counts, key=lambda piece: (-counts[piece], _simplicity(piece)), default=None)
    if witness is None:
        return "", "", {}
    excluded = {
        value: min(evidence, key=_simplicity).question.case.id for value, evidence in broken.items() if evidence
    }
    return witness.question.case.id, str(witness.question.measure), excluded


def _simplicity(piece: Evidence) -> tuple[int, int, int, str]:
    return piece.question.simplicity


def _why(search: Search, axis: str, value: str, remaining: Sequence[_Other]) -> str:
    if not any(axis in piece.question.axes for piece in search.evidence):
        return f"no case asked of this measure has what {axis} is about"
    alone = [other.value for other in remaining if not other.with_it and not other.traded]
    if alone:
        return f"no case tells {' or '.join(alone)} from {value}"
    other = remaining[0]
    if not other.with_it:
        return f"{other.value} explains as many answers as {value}, but others; neither explains all"
    how_many = "as many answers, but others" if other.traded else "the same answers"
    return f"another axis explains {how_many}: {other.value} with {other.with_it}"
