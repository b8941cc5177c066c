"""The answer to what was asked of a function: is it that measure? In one sentence, before all that is to be said besides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rankproof.checking.checked import Checked
from rankproof.checking.exceeding import REPEATED, Excess
from rankproof.checking.findings import Finding
from rankproof.checking.looking import ANYTHING, CUT_RELEVANT, CUT_ROWS, CUTOFF, ORDER, RELEVANCE, SCORES, Blindness
from rankproof.checking.mixing import AS_ONE, SUM
from rankproof.checking.tier import CONVENTION, UNSTABLE
from rankproof.checking.wording import listed
from rankproof.defects.diagnosis import Diagnosis
from rankproof.judging.verdicts import Verdict
from rankproof.matching.comparing import UNSPECIFIED
from rankproof.reference_impl.conventions import AXES
from rankproof.telling.check_words import assertion_of, spec_of, words_of_beyond, words_of_mixed, words_of_unrest
from rankproof.text import number_of, short

MOST = 4
"""How many choices are named in the sentence."""
OR = 2
"""So many values that remain of a choice are named in the sentence; of more, hardly anything was decided."""
EXCHANGED = {("R", "P", "p_denominator=min-k-n"): "that is recall with relevant and retrieved exchanged"}
"""What another measure by some conventions is of the one that was asked."""
LOOK_AT = {
    **dict.fromkeys((ANYTHING, RELEVANCE), "look at which docs are relevant"),
    ORDER: "look at the order of the docs",
    SCORES: "rank the docs by their scores",
    CUT_ROWS: "rank all docs by their scores before the ranking is cut",
    CUT_RELEVANT: "look at all relevant docs: cut the ranking, not them",
    CUTOFF: "look at the first k docs alone",
}
"""What to do where a function never looks at something."""
MENDS_OF_SEVERAL = {
    SUM: "divide the sum by the number of queries",
    AS_ONE: "rank each query by itself, and take the mean",
}
"""What to do where several queries give another number than their mean."""
ALIKE = (
    {"mean-over-hits", "mean-over-R"},
    {"nan", "nan-as-0"},
    {"0", "nan-as-0", "absent-as-0"},
    {"dropped", "nan-dropped"},
)
"""Values that are one wherever nothing tells them apart: of them the first is named alone."""


class AnswerKind(StrEnum):
    """What a function is, of the measure that was asked."""

    IS = "is"
    BUT_FOR = "is-but-for"
    ANOTHER = "another-measure"
    DEFECT = "defect"
    UNKNOWN = "unknown"
    UNTOLD = "cannot-be-told"


@dataclass(frozen=True)
class CheckAnswer:
    """The answer, and what to change where something is to be.

    Attributes:
        sentence: in plain words, beginning with yes, no or that it cannot be told.
        mend: what to do; "" where nothing is to be done.
    """

    kind: AnswerKind
    sentence: str
    mend: str = ""


def answer_of(checked: Checked) -> CheckAnswer:
    """Is it the measure that was asked, or what else is it?"""
    if checked.is_unanswered:
        name, measure = checked.target.short, checked.measure
        said = f"it cannot be told whether {name} is {measure}: no ordinary question was answered in time"
        return CheckAnswer(AnswerKind.UNTOLD, said, "give it more time, by --budget")
    if checked.lead == UNSTABLE:
        mend = "give one answer to one question, whatever was asked before"
        return CheckAnswer(AnswerKind.DEFECT, f"no: {words_of_unrest(checked)}", mend)
    if checked.fault is not None:
        return _miscalled(checked, checked.fault) or _faulty(checked, checked.fault)
    if checked.is_by_catalogue and checked.defect is not None:
        return _of_defect(checked, checked.defect)
    return _followed(checked) if checked.lead in {Verdict.AGREES, CONVENTION} else _unknown(checked)


def _miscalled(checked: Checked, fault: Blindness | Excess) -> CheckAnswer | None:
    """That it may be called otherwise: so it looks at no order or score, or gives 0, and nothing that it gives is the measure's."""
    target = checked.target
    if target.explains != 0 or not isinstance(fault, Blindness):
        return None
    if fault.about not in {ORDER, SCORES, CUT_ROWS} and not (fault.about in {ANYTHING, RELEVANCE} and fault.got == 0):
        return None
    as_called = f"called as {target.form.call}, {fault.plain_sentence}, and no trial answer is right"
    may_be = f"it cannot be told whether {target.short} is {checked.measure}: {as_called}"
    return CheckAnswer(AnswerKind.UNTOLD, may_be, "say how it is called, by --form, or wrap it")


def _faulty(checked: Checked, fault: Blindness | Excess) -> CheckAnswer:
    """What is wrong whatever it follows; where that is one special case, what it is comes first."""
    excess = checked.excess
    if fault is not excess or excess is None or not excess.repeats or checked.is_unknown:
        return CheckAnswer(AnswerKind.DEFECT, f"no: {fault.sentence}", _right(checked))
    beyond = f"it gives {short(excess.got)}, and no {checked.measure.name} is above {short(excess.bound)}"
    twice = f"a doc that is retrieved twice, which it credits each time: {beyond}"
    finding = checked.finding
    is_so = f"{_is(checked)}, but for" if finding is None else f"{_but_for(checked, finding)}; and for"
    left = f"; {_unexplained(checked)} beside" if checked.ordinary.misses else ""
    mend = f"credit a doc once, at its first rank; or where none is retrieved twice, say so by --assume {REPEATED.assumption}"
    return CheckAnswer(AnswerKind.BUT_FOR, f"no: {is_so} {twice}{left}{_untold(checked)}", mend)


def _unexplained(checked: Checked) -> str:
    """How many ordinary answers fit no conventions, and on what."""
    tier = checked.ordinary
    cases = listed(list(dict.fromkeys(miss.question.case.id for miss in tier.misses)))
    return f"{tier.asked - tier.explained:,} of {number_of(tier.asked, 'ordinary answer')} fit none, as on {cases}"


def _of_defect(checked: Checked, defect: Diagnosis) -> CheckAnswer:
    by = _by(defect.remaining)
    if not defect.is_another_measure:
        return CheckAnswer(AnswerKind.DEFECT, f"no: {defect.plain_sentence}{by}", _right(checked))
    names = (checked.measure.name, defect.names[0].removeprefix("is-"), defect.profile.spec())
    hint = f"; {EXCHANGED[names]}" if names in EXCHANGED else ""
    mend = "exchange the two arguments" if hint else _right(checked)
    said = f"no: {checked.target.short} is not {checked.measure}: {defect.plain_sentence}{by.replace('beside that: ', '')}{hint}"
    return CheckAnswer(AnswerKind.ANOTHER, said, mend)


def _unknown(checked: Checked) -> CheckAnswer:
    """No conventions give its answers, or not all of them."""
    tier, name, measure = checked.ordinary, checked.target.short, checked.measure
    seems = checked.target.seems
    if checked.is_unknown and seems not in {"", str(measure)}:
        said = f"no: {name} is not {measure} but {seems}"
        return CheckAnswer(AnswerKind.ANOTHER, said, f"ask for that, by -m '{seems}'")
    left = f"{tier.asked - tier.explained:,} of {number_of(tier.asked, 'ordinary answer')}"
    if checked.is_unknown:
        said = f"no: {name} is {measure} by no conventions and with no error that are known here: {left} fit none"
        if checked.target.explains == 0:
            said += f"; or it is called otherwise than as {checked.target.form.call}: then say so by --form"
        return CheckAnswer(AnswerKind.UNKNOWN, said, _right(checked))
    cases = listed(list(dict.fromkeys(miss.question.case.id for miss in tier.misses)))
    but = f"but raises {checked.raises} instead of {left}" if checked.raises else f"but for {left}"
    mend = _right(checked) or (f"give a number instead of {checked.raises}" if checked.raises else "")
    return CheckAnswer(AnswerKind.UNKNOWN, f"not quite: {_is(checked)}, {but}, as on {cases}{_untold(checked)}", mend)


def _followed(checked: Checked) -> CheckAnswer:
    claim, measure = checked.claim, checked.measure
    several = f"; {words_of_mixed(checked)}" if checked.mixed is not None else ""
    mend = _mend_besides(checked)
    if claim and checked.ordinary.verdict != Verdict.AGREES:
        follows = spec_of(checked, checked.ordinary.follows)
        said = (
            f"no: {checked.target.short} is not {measure} by {claim}: it follows {follows}{several}{_untold(checked)}"
        )
        choose = f"follow {claim}, or declare {checked.ordinary.spec}"
        return CheckAnswer(AnswerKind.BUT_FOR, said, "; ".join(filter(None, (choose, mend))))
    is_it = f"{_is(checked)}{f' by {claim}' if claim else ''}"
    if checked.mixed is not None:
        return CheckAnswer(AnswerKind.BUT_FOR, f"no: {is_it}, one query at a time{several}{_untold(checked)}", mend)
    if checked.wrong_beyond is not None:
        return CheckAnswer(AnswerKind.BUT_FOR, f"no: without {_missing(checked)}: {is_it}{_untold(checked)}", mend)
    finding = checked.finding
    if finding is None:
        return CheckAnswer(AnswerKind.IS, f"{_yes(checked)}{is_it}{_untold(checked)}")
    said = f"no: {_but_for(checked, finding)}{_untold(checked)}"
    mend = "; ".join(
        f"{AXES[axis].question} {AXES[axis].meaning(getattr(checked.claimed, axis))}" for axis in finding.axes
    )
    return CheckAnswer(AnswerKind.BUT_FOR, said, mend)


def _mend_besides(checked: Checked) -> str:
    """What to do about what is wrong beside its choices: of several queries, or of rels that it does not tell apart."""
    if checked.mixed is not None:
        return MENDS_OF_SEVERAL.get(checked.mixed.what, "give the mean of what each is worth")
    if checked.wrong_beyond is None:
        return ""
    return f"tell rels apart; or where every rel is 0 or 1, say so by --assume {checked.assumed[-1].assumption}"


def _but_for(checked: Checked, finding: Finding) -> str:
    """What it would be, but for what is odd about its conventions; and its other choices."""
    together = "each of which somebody does, and nobody known all of them"
    alone = together if finding.together else f"which {finding.who or 'nobody known here does'}"
    why = f", {alone}" if finding.score is None else f": {finding.score.sentence}"
    odd = ", ".join(_phrase(axis, values) for axis, values in checked.odd_choices if axis in finding.axes)
    beside = ", ".join(_phrase(axis, values) for axis, values in checked.odd_choices if axis not in finding.axes)
    also = f"; besides, {beside}" if beside else ""
    return f"{checked.target.short} would be {checked.measure} but for this: {odd}{why}{also}"


# -- parts of sentences -----------------------------------------------------------------------------------------------


def _yes(checked: Checked) -> str:
    """That it is, as far as it was told what the measure looks at, and as there was time."""
    if checked.is_incomplete:
        return "yes, as far as it was asked in time: "
    if checked.beyond:
        return f"yes, without {_missing(checked)}: "
    return f"yes, where {checked.withheld.wherever}: " if checked.withheld is not None else "yes: "


def _missing(checked: Checked) -> str:
    """What was found to be beyond it, by its name."""
    return checked.assumed[-1].name


def _is(checked: Checked) -> str:
    """What it is, with its choices that are not the standard ones."""
    is_other = checked.target.by_default == str(checked.measure)
    other = " by its own defaults, and not what was asked" if is_other else ""
    choices = [] if checked.claim and checked.ordinary.verdict == Verdict.AGREES else list(_choices(checked))
    return f"{checked.target.short} is {checked.measure}{other}{', with ' if choices else ''}{', '.join(choices)}"


def _untold(checked: Checked) -> str:
    """What its form never tells it, and what is beyond it."""
    told = checked.withheld
    said = f"; undetermined: {told.beyond}" if told is not None else ""
    return f"; with {_missing(checked)} {words_of_beyond(checked)}{said}" if checked.beyond else said


def _choices(checked: Checked) -> Iterator[str]:
    """What it does otherwise than is standard, the most surprising first, as a list of choices says it."""
    if checked.ordinary.follows.ties == UNSPECIFIED and checked.unnamed is None:
        yield "tied docs by no rule that is known here"
    told = [(axis, values) for axis, values in checked.odd_choices if len(_named(values)) <= OR]
    within = " within the cutoff" if checked.refuses_in_the_top_alone else ""
    yield from (f"{_phrase(axis, values)}{within if axis == 'unjudged' else ''}" for axis, values in told[:MOST])
    if len(told) > MOST:
        yield number_of(len(told) - MOST, "more choice")


def _named(values: tuple[str, ...]) -> tuple[str, ...]:
    return values[:1] if any(set(values) == one for one in ALIKE) else values


def _phrase(axis: str, values: tuple[str, ...]) -> str:
    return " or ".join(map(AXES[axis].phrase, _named(values)))


def _by(remaining: Mapping[str, tuple[str, ...]]) -> str:
    """What is known of the conventions beside a defect, in words."""
    said = [_phrase(axis, values) for axis, values in remaining.items() if len(_named(values)) <= OR]
    return f" (beside that: {', '.join(said)})" if said else ""


def _right(checked: Checked) -> str:
    """What is to be done, or where that is not known, the line that is to hold."""
    fault = checked.fault
    if isinstance(fault, Blindness) and fault.about in LOOK_AT:
        return LOOK_AT[fault.about]
    if fault is None and checked.is_by_catalogue and checked.defect is not None and checked.defect.mend:
        return checked.defect.mend
    return f"make this hold: {assertion_of(checked).removeprefix('assert ')}" if assertion_of(checked) else ""
