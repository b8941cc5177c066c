"""Sentences of what was found of a function: what it follows, what shows that, and lines of Python to see it."""

import math
import re
from collections.abc import Iterator, Sequence

from rankproof.calling import call_forms
from rankproof.checking.case_questions import Question
from rankproof.checking.checked import MADE, Checked
from rankproof.checking.differing import Difference
from rankproof.checking.inferring import tells
from rankproof.checking.mixing import AS_ONE, FIRST, LAST, OTHER, SUM
from rankproof.checking.tier import AGREES, UNSTABLE
from rankproof.checking.wording import gives, listed, reading, told_apart
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.meaning.signatures import axes_of
from rankproof.meaning.words import in_words
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.telling.check_extremes import extremes
from rankproof.text import number_of, short, short_pair
from rankproof.workers.observations import Failure

GIVEN = frozenset({"judged", "given"})
"""What an ideal is made of, told of retrieved docs alone: all docs given."""


def words_of_rest(checked: Checked) -> str:
    """How many questions were not asked, and why; nothing if all were."""
    ordinary = sum(one.left_out and one.question.extreme is None for one in checked.seen)
    if ordinary:
        return f"{number_of(ordinary, 'ordinary question')}, {checked.skipped - ordinary:,} extreme: the time was used up, see --budget"
    return f"{checked.skipped} more would have taken too long" if checked.skipped else ""


def words_of_unrest(checked: Checked) -> str:
    """How it answers otherwise when asked again, on the simplest ordinary question on which it does; nothing if it does not."""
    tier = checked.ordinary
    one = min((one for one in tier.seen if one.again is not None), key=lambda one: one.question.weight, default=None)
    if one is None or one.again is None:
        return ""
    again = f"{one.when}, it gives another answer to {'' if one.is_elsewhere else f'{tier.wavering:,} of '}"
    again += number_of(tier.wavering if one.is_elsewhere else tier.asked, "ordinary question")
    return f"{again}, as on {one.question.case.id}: its {one.question.measure} {told_apart(one.answer, one.again)}"


def words_of_excess(checked: Checked) -> str:
    """A value beyond the bounds of the measure that what it follows gives; nothing where there is none."""
    if checked.fault is not None or not checked.is_steady or checked.excess is None or checked.ordinary.misses:
        return ""
    follows, case = spec_of(checked, checked.ordinary.follows), checked.excess.question.case.id
    return f"{checked.excess.sentence} by standard: {follows} gives it, on {case}"


def words_of_beyond(checked: Checked) -> str:
    """What it does on what was found to be beyond it; "" where nothing is."""
    if not checked.beyond:
        return ""
    raised = [one.answer for one in checked.beyond if isinstance(one.answer, Failure)]
    said = f"it {gives(raised[0])}" if len(raised) == len(checked.beyond) else "its answers fit no convention"
    return f"{said} ({number_of(len(checked.beyond), 'question')})"


def spec_of(checked: Checked, follows: Conventions) -> str:
    """Conventions as a change of `standard`, with all values of an axis that remain: what is undetermined is told as no value."""
    choices = STANDARD.differences(follows)
    said = {axis: _values_left(checked, axis, getattr(follows, axis)) for axis in choices}
    if follows.ties == UNSPECIFIED and checked.has_ties_open:
        said["ties"] = ()
    spec = " ".join(f"{axis}={'/'.join(values)}" for axis, values in sorted(said.items()) if values) or "standard"
    return f"{spec} but for the order of tied docs" if said.get("ties") == () else spec


def _values_left(checked: Checked, axis: str, followed: str) -> tuple[str, ...]:
    """The values of an axis that its answers leave: none where they leave all, or the one that `standard` has among others."""
    if checked.is_unknown or axis not in checked.undecided:
        return (followed,)
    values = checked.undecided[axis]
    return () if getattr(STANDARD, axis) in values else values


def profile_in_words(checked: Checked) -> str:
    """The profile in words, but for what its caller decides, and for what is undetermined."""
    beside = {*checked.target.form.settled, *checked.target.form.untold}
    if checked.is_unknown:
        return in_words(checked.profile, checked.measure, without=beside)
    still = {axis: values for axis, values in checked.undecided.items() if not _is_one_here(checked, axis, values)}
    several = [
        " or ".join(AXES[axis].phrase(value) for value in values)
        for axis, values in still.items()
        if values and getattr(STANDARD, axis) not in values and axis not in beside
    ]
    return ", ".join([in_words(checked.profile, checked.measure, without=beside | still.keys()), *several])


def _is_one_here(checked: Checked, axis: str, values: Sequence[str]) -> bool:
    """Whether the values that remain are one to a function that is told of retrieved docs alone."""
    return axis == "ideal" and checked.profile.known == "retrieved" and GIVEN.issuperset(values or AXES[axis].values)


def words_of_caller(checked: Checked) -> str:
    """What its caller decides, in words."""
    matters = axes_of(checked.measure)
    return ", ".join(AXES[axis].phrase(value) for axis, value in checked.target.form.settled.items() if axis in matters)


def words_of_extreme(checked: Checked) -> str:
    """What it does on extreme input, after what it follows on ordinary input."""
    return extremes(checked.extreme.seen, checked.extreme.misses, checked.on_extreme)


def assertion_of(checked: Checked) -> str:
    """A line for a test of one's own, that fails now: what is to be given for the witness; "" where that is no number."""
    shown = checked.witness
    if shown is None or not (isinstance(shown.got, float) and isinstance(shown.expected, float)):
        return ""
    printed = re.findall(r"^print\((.*)\)$", script_of(checked), re.MULTILINE)
    if len(printed) != 1 or not math.isfinite(shown.expected):
        return ""
    return f"assert {printed[0]} == pytest.approx({shown.expected!r})"


def words_of_mixed(checked: Checked) -> str:
    """What it gives for several queries where that is not their mean; "" where it gives that."""
    mixed = checked.mixed
    if mixed is None:
        return ""
    got, mean = short_pair(mixed.got, mixed.mean)
    said = {
        AS_ONE: f"as rows of a matrix, it ranks all their docs as one and gives {got}",
        SUM: f"it gives their sum, {got}",
        FIRST: f"it gives {got}, which is what the first alone is worth",
        LAST: f"it gives {got}, which is what the last alone is worth",
        OTHER: f"it gives {got}",
    }.get(mixed.what, f"it gives {got}, by {mixed.what}")
    return f"given {mixed.queries} queries at once, {said}; their mean is {mean}"


def script_of(checked: Checked) -> str:
    """A script that shows the witness, or where it holds, the simplest question."""
    shown = checked.witness
    telling = [seen.question for seen in filter(tells, checked.ordinary.seen)]
    question = shown.question if shown else min(telling, key=_plainest, default=checked.seen[0].question)
    query = shown.query if shown else None
    script = call_forms.repro(checked.target, question.case.input, query, cutoff_of(question.measure))
    more = list(_script_of_ties(checked))
    return "\n".join([script, *more]) if more else script


def _script_of_ties(checked: Checked) -> Iterator[str]:
    """The two calls that show that no order of tied docs with a name is kept, where that is said."""
    if checked.unnamed is None or not any(one.axis == "ties" for one in checked.differing):
        return
    yield "\n# the same docs in two orders of the rows"
    for asked in checked.unnamed.questions:
        k = cutoff_of(asked.measure)
        yield from checked.target.form.repro(checked.target, asked.case.input, checked.unnamed.query, k)


def summary(checked: Checked) -> str:
    """What it is held to, and whether it keeps that, in a few sentences."""
    wanted = checked.claim or "standard"
    if checked.fault is not None:
        is_more = checked.is_cheap_first or checked.breaks_its_claim_first
        first = f"{_witnessed(checked.witness, wanted)}; besides, " if is_more and checked.witness else ""
        return f"{checked.target.short} does not follow {wanted}: {first}{checked.fault.sentence}."
    if checked.mixed is not None:
        return f"{checked.target.short} follows no conventions for several queries at once: {words_of_mixed(checked)}."
    if checked.whole.verdict == AGREES:
        far = f", where {checked.withheld.wherever}" if checked.withheld is not None else ""
        return (
            f"{checked.target.short} follows {wanted}{_within(checked)} on {number_of(checked.asked, 'question')}{far}."
        )
    if checked.ordinary.verdict == AGREES:
        on = number_of(checked.ordinary.asked, "ordinary question")
        return f"{checked.target.short} follows {wanted}{_within(checked)} on {on}; {words_of_extreme(checked)}."
    witness = f": {_witnessed(checked.witness, wanted)}" if checked.witness else ""
    return f"{checked.target.short} does not follow {wanted}{witness}; {_instead(checked)}."


def _within(checked: Checked) -> str:
    """What is assumed, after what it follows."""
    return f" (without {listed([trait.name for trait in checked.assumed])})" if checked.assumed else ""


def _instead(checked: Checked) -> str:
    if checked.ordinary.verdict == UNSTABLE:
        return f"unstable: {words_of_unrest(checked)}"
    missed = list(dict.fromkeys(miss.question.case.id for miss in checked.ordinary.misses))
    if not missed:
        also = f"; {words_of_extreme(checked)}" if checked.extreme.misses or checked.on_extreme else ""
        spec, declared = spec_of(checked, checked.ordinary.follows), checked.ordinary.spec
        return f"it follows {spec}{_within(checked)}: declare it, as profile={declared!r}{also}"
    if checked.defect is not None:
        return checked.defect.sentence_with_profile
    if not checked.is_unknown:
        return f"it follows {spec_of(checked, checked.ordinary.follows)}{_within(checked)} but for {listed(missed)}"
    if checked.target.by_default not in {"", str(checked.measure)}:
        return f"by its own defaults ({', '.join(checked.target.defaults)}) it is {checked.target.by_default}: ask for that measure"
    nearest, left = spec_of(checked, checked.ordinary.follows), checked.ordinary.asked - checked.ordinary.explained
    return (
        f"it follows no known convention: the nearest, {nearest}, leaves {left} "
        f"of its {number_of(checked.ordinary.asked, 'ordinary answer')} unexplained"
    )


def _plainest(question: Question) -> tuple[bool, int, tuple[int, str]]:
    return not question.is_plain, question.strangeness, question.weight


def _witnessed(found: Difference, claim: str) -> str:
    case, measure = found.question.case, found.question.measure
    # What was made for it has no other title.
    where = "" if case.id.startswith(MADE) else f"on {case.id} ({case.question}) "
    about = f"{measure}" if found.query is None or len(case.queries) == 1 else f"{measure} of {found.query}"
    got, wanted = gives(found.got), reading(found.expected)
    if isinstance(found.got, float) and isinstance(found.expected, float) and short(found.got) == short(found.expected):
        got, wanted = f"gives {found.got!r}", f"gives {found.expected!r}"
    note = f" ({found.note})" if found.note else ""
    if isinstance(found.got, float):
        got = f"is {got.removeprefix('gives ')}"
    return f"{where}its {about} {got}{note} where {claim} {wanted}"
