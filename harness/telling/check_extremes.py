"""What is told of extreme input: what a function does there that no convention says, trait by trait."""

from collections import Counter
from collections.abc import Sequence

from rankproof.checking.case_questions import Seen
from rankproof.checking.differing import Difference, count
from rankproof.checking.wording import gives
from rankproof.grouping import grouped
from rankproof.meaning.input_traits import Trait
from rankproof.meaning.measure_facts import bounds_of
from rankproof.text import number_of
from rankproof.workers.observations import Failure


def extremes(seen: Sequence[Seen], misses: Sequence[Difference], added: str = "") -> str:
    """What became of the extreme questions; `misses` are the answers that what it follows does not give.

    The reader has just been told what it follows on ordinary input; `added` is what it follows beside that, or instead, which no ordinary
    question could show.
    """
    asked = Counter(_of(one.question.extreme) for one in seen)
    found = grouped((_of(miss.question.extreme), miss) for miss in misses)
    parts = [_told(trait, often, found[trait]) for trait, often in asked.items() if trait in found]
    explained = len(seen) - count(misses)
    of = f"{explained:,} of" if misses else "all"
    same = f"the same, with {added}," if added else "the same"
    return "; ".join([f"{same} on {of} {number_of(len(seen), 'extreme question')}", *parts])


def _of(trait: Trait | None) -> str:
    return trait.name if trait is not None else ""


def _told(trait: str, asked: int, misses: Sequence[Difference]) -> str:
    """One trait, with the simplest of what is not explained."""
    shown = min(misses, key=lambda one: one.rank)
    how_often = f"{count(misses)} of {asked}"
    if all(isinstance(one.got, Failure) for one in misses):
        return f"{trait}: it {gives(shown.got)} ({how_often})"
    return f"{trait}: unexplained ({how_often}), as {_value(shown)} on {shown.question.case.id}"


def _value(shown: Difference) -> str:
    """What it gives there, and whether it is beyond what the measure can be."""
    said = gives(shown.got).removeprefix("gives ")
    bounds = bounds_of(shown.question.measure)
    if bounds is None or not isinstance(shown.got, float) or bounds[0] <= shown.got <= bounds[1]:
        return said
    side, bound = ("above", bounds[1]) if shown.got > bounds[1] else ("below", bounds[0])
    return f"{said}, {side} {bound:g}, beyond which no {shown.question.measure.name} is"
