"""What `rankproof check` prints of a function: the answer, what shows it, what it follows, and lines to see it."""

from collections.abc import Iterable
from itertools import zip_longest

from rankproof.checking.axis_witnesses import AxisWitness
from rankproof.checking.case_questions import Question
from rankproof.checking.checked import MADE, Checked, question_shown
from rankproof.checking.differing import Difference
from rankproof.checking.exceeding import Excess
from rankproof.checking.looking import ANYTHING, Blindness
from rankproof.checking.tied_rows import Unnamed
from rankproof.checking.tier import AGREES, CONVENTION, DEFECT, UNSTABLE
from rankproof.checking.wording import gives, listed, reading
from rankproof.grouping import grouped
from rankproof.reference_impl.conventions import AXES
from rankproof.telling.check_answer import CheckAnswer, answer_of
from rankproof.telling.check_words import (
    assertion_of,
    profile_in_words,
    script_of,
    spec_of,
    words_of_beyond,
    words_of_caller,
    words_of_excess,
    words_of_extreme,
    words_of_mixed,
    words_of_rest,
    words_of_unrest,
)
from rankproof.text import folded, number_of, one_line
from rankproof.workers.observations import Failure

MOST_FAILURES = 2
"""How many errors are told, of several."""
MOST = 6
"""How many differing choices are shown."""
NEAR = 0.5
"""The share of its answers that a library must give to be called near."""


def in_text(checked: Checked) -> str:
    """What was found, for people."""
    ordinary, extreme = checked.ordinary, checked.extreme
    asked = f"{number_of(ordinary.asked, 'ordinary question')}, {extreme.asked:,} extreme"
    answer = answer_of(checked)
    first, *others = witness_rows(checked) or [[]]
    rows = [
        ("answer", answer.sentence),
        *first,
        ("asked", f"{checked.measure} as {_call(checked)}: {asked}"),
        *(("called" if i == 0 else "", note) for i, note in enumerate(checked.target.notes)),
        ("verdict", verdict(checked)),
        ("below the cutoff", "it refuses no doc without a judgment there" if checked.refuses_in_the_top_alone else ""),
        ("on extreme input", words_of_extreme(checked) if extreme.asked and not checked.is_unknown else ""),
        ("assumed", "; ".join(f"no input has {trait.name}" for trait in checked.assumed)),
        ("beyond that", words_of_beyond(checked)),
        ("not asked", words_of_rest(checked)),
        (
            "asked again",
            f"it gives another answer to {number_of(checked.whole.wavering, 'question')}"
            if checked.whole.wavering
            else "",
        ),
        # Beside a defect no profile is told: the words of the right formula (over R) are false of the broken one.
        (
            "profile" if not checked.is_unknown else "nearest profile",
            "" if checked.is_blind or checked.is_by_catalogue else profile_in_words(checked),
        ),
        ("several at once", words_of_mixed(checked)),
        ("beyond bounds", words_of_excess(checked)),
        ("by its form", "" if checked.is_blind else words_of_caller(checked)),
        (
            "undetermined",
            f"{number_of(len(checked.undecided), 'choice')} that no question could decide: ? in the signature"
            if checked.signature and checked.undecided
            else "",
        ),
        ("precision", "" if checked.precision == "float64" else f"its numbers are equal to {checked.precision} only"),
        ("nearest library", "" if checked.is_blind else _nearest(checked)),
        *(row for each in others for row in each),
        ("signature", str(checked.signature) if checked.signature else f"none: {_unsigned(checked)}"),
    ]
    width = max(len(name) for name, told in rows if told)
    lines = [folded(f"{name:{width}}  {one_line(told)}", width + 2) for name, told in rows if told]
    line = assertion(checked, answer)
    test = ["", "# for a test of yours, which fails now", line] if line else []
    return "\n".join([*lines, "", "# to see it", script_of(checked), *test])


def assertion(checked: Checked, answer: CheckAnswer) -> str:
    """A line for a test, where something is to be mended."""
    return "" if answer.kind == "is" else assertion_of(checked)


def _unsigned(checked: Checked) -> str:
    if checked.is_blind:
        return "its numbers are of no ranking"
    if checked.refuses_in_the_top_alone:
        return "no convention refuses docs without a judgment within the cutoff alone"
    return "its answers are others when asked again" if checked.whole.wavering else "no conventions give its answers"


def verdict(checked: Checked) -> str:
    """The verdict on ordinary input in a sentence."""
    lead = checked.lead
    if lead == UNSTABLE:
        return f"unstable: {words_of_unrest(checked)}"
    if checked.fault is not None:
        explained = checked.ordinary.verdict in {AGREES, CONVENTION}
        rest = f"; but for that, {_follows(checked)}" if explained and not checked.unseen else ""
        return f"defect: {checked.fault.sentence}{rest}"
    if checked.is_unanswered:
        return f"{lead}: no ordinary question was answered in the time there was; --budget gives it more"
    if lead == DEFECT and checked.defect is not None:
        return f"defect: {checked.defect.sentence_with_profile}"
    if lead in {AGREES, CONVENTION}:
        return f"{lead}: {_follows(checked)}"
    return f"{lead}: {_but(checked)}"


def _follows(checked: Checked) -> str:
    """What it follows on ordinary input, as far as it is told what the measure looks at."""
    in_time = " that there was time for" if checked.is_incomplete else ""
    all_of_it = f"on all {number_of(checked.ordinary.asked, 'ordinary question')}{in_time}"
    holds = checked.ordinary.verdict == AGREES
    spec = checked.claim or "standard" if holds else spec_of(checked, checked.ordinary.follows)
    not_as_claimed = f"it does not follow {checked.claim}; " if checked.claim and not holds else ""
    but = _other(checked) + not_as_claimed
    if checked.withheld is None:
        return f"{but}it follows {spec} {all_of_it}"
    by = "" if spec == "standard" else f" by {spec}"
    return (
        f"{but}the same as {checked.measure}{by} where {checked.withheld.wherever}, {all_of_it}; "
        f"undetermined: {checked.withheld.beyond}"
    )


def _other(checked: Checked) -> str:
    """That it is another measure than was asked, where its own defaults make it that."""
    is_other = checked.target.by_default == str(checked.measure)
    return f"by its own defaults it is {checked.measure}, and not what was asked; as that " if is_other else ""


def _but(checked: Checked) -> str:
    """What it follows, what that leaves open, and what it does there instead of giving a number."""
    tier = checked.ordinary
    missed = list(dict.fromkeys(miss.question.case.id for miss in tier.misses))
    ends = _failing(tier.misses)
    followed = spec_of(checked, tier.follows)
    if not checked.is_unknown:
        return f"it follows {followed} but for {listed(missed)}{ends}"
    if checked.target.seems not in {"", str(checked.measure)}:
        seems = checked.target.seems
        asked = f"it is no {checked.measure} by any convention known"
        return f"{asked}; its answers to trials are those of {seems}: ask for that, by -m '{seems}'{ends}"
    left = f"{tier.asked - tier.explained:,} of {number_of(tier.asked, 'ordinary answer')}"
    return f"it follows no known convention; the nearest, {followed}, leaves {left} unexplained{ends}"


def _failing(misses: Iterable[Difference]) -> str:
    """What it does where it gives no number, each with the cases where it does that."""
    failed: dict[str, str] = {}
    for miss in misses:
        if isinstance(miss.got, Failure):
            failed.setdefault(miss.question.case.id, gives(miss.got))
    cases_of = list(grouped((said, case) for case, said in failed.items()).items())
    told = [f"; it {said} on {listed(cases)}" for said, cases in cases_of[:MOST_FAILURES]]
    if others := [case for _, cases in cases_of[MOST_FAILURES:] for case in cases]:
        told.append(f"; it gives no number, for other reasons, on {listed(others)}")
    return "".join(told)


def _call(checked: Checked) -> str:
    """The form, by the function's own parameters where they are known."""
    target = checked.target
    if not target.form.roles:
        return target.form.call
    given = [f"[{role}]" if target.table else role for role in target.order]
    of_maker = [one for one, name in zip(given, target.names, strict=False) if name in target.made_of]
    of_call = [one for one, name in zip_longest(given, target.names) if name not in target.made_of]
    at = [f"{target.k}="] if target.k and not target.k_made else []
    return f"{target.spelled_at(target.k, of_maker)}({', '.join([*of_call, *at])})"


def _nearest(checked: Checked) -> str:
    near = checked.nearest
    if near is None:
        return ""
    said = f"by what is claimed of it: {near.same} of {near.asked} answers"
    if near.same < NEAR * near.asked:
        return f"none is near; nearest is {listed(near.libraries)}, {said}"
    return f"{listed(near.libraries)}, {said}"


def witness_rows(checked: Checked) -> list[list[tuple[str, str]]]:
    """What shows the answer, first of all; and what each other choice does that is not as claimed."""
    if checked.fault is not None:
        first = [_of_score(checked)] if checked.is_cheap_first else []
        first += [_differing(checked, one) for one in checked.differing[:1] if checked.breaks_its_claim_first]
        return [*first, _faulty(checked.target.short, checked.fault)]
    if checked.is_by_catalogue:
        return [_defective(checked)]
    if checked.differing:
        cheap = _of_score(checked)
        return [*([cheap] if cheap else []), *(_differing(checked, one) for one in checked.differing[:MOST])]
    shown = checked.witness
    if shown is None:
        return []
    got, wanted = gives(shown.got, exact=True), reading(shown.expected, exact=True)
    note = f" ({shown.note})" if shown.note else ""
    about = f"{shown.question.measure}{_of(shown.question, shown.query)}"
    said = f"{about}: {checked.claim or 'standard'} {wanted}; {checked.target.short} {got}{note}"
    return [_titled(shown.question, said)]


def _faulty(name: str, shown: Blindness | Excess) -> list[tuple[str, str]]:
    """The input that shows what is wrong whatever it follows."""
    got = gives(shown.got, exact=True)
    if isinstance(shown, Excess):
        about = f"{shown.question.measure}{_of(shown.question, shown.query)}"
        return [("witness", f"{about}: {name} {got}, on {shown.question.case.id}")]
    right = " and ".join(gives(one if one is not None else "absent") for one in shown.right)
    differ = "" if shown.about == ANYTHING else " that differ in that alone"
    about = f"{shown.first.measure}, {shown.second.measure} of two questions{differ}"
    return [("witness", f"{about}: standard {right}; {name} {got} both times")]


def _defective(checked: Checked) -> list[tuple[str, str]]:
    """The input that shows the defect: what is right there under the same conventions, and what is given."""
    question = question_shown(checked)
    shown = checked.shown_by_defect
    if shown is None or question is None:
        return []
    right, got = reading(shown.right, exact=True), gives(shown.got, exact=True)
    about, instead = f"{shown.told.measure}{_of(question, shown.query)}", right.replace("gives", "would give")
    said = f"{about}: {checked.target.short} {got}; without the defect it {instead}"
    return _titled(question, said)


def _titled(question: Question, said: str) -> list[tuple[str, str]]:
    """What is said of a case, under its title; of a question that was made to show what is said already, that alone."""
    case = question.case
    return [("witness", said)] if case.id.startswith(MADE) else [("witness", f"{case.id}: {case.question}"), ("", said)]


def _of_score(checked: Checked) -> list[tuple[str, str]]:
    """The run whose score is odd, as the function was asked it."""
    if checked.made is None or checked.finding is None or checked.finding.score is None:
        return []
    shown = checked.made.witness
    got, right = gives(shown.got, exact=True), reading(shown.right, exact=True)
    said = f"{shown.told.measure} of a run {checked.finding.score.run}: {checked.target.short} {got}; standard {right}"
    return [("witness", said)]


def _differing(checked: Checked, one: AxisWitness) -> list[tuple[str, str]]:
    """A choice, and the simplest input on which it shows."""
    question = one.question
    choice, other = f"{one.axis}={'/'.join(one.values)}", f"{one.axis}={getattr(checked.claimed, one.axis)}"
    if one.axis == "ties" and checked.unnamed is not None:
        return [(choice, one.sentence), ("", _of_two_orders(checked, checked.unnamed))]
    about = f"on {question.case.id}, {question.measure}{_of(question, one.query)}"
    said = f"{checked.target.short} {gives(one.got, exact=True)}; with {other} it {reading(one.other, exact=True)}"
    return [(choice, one.sentence), ("", f"{about}: {said.replace('it gives', 'it would give')}")]


def _of_two_orders(checked: Checked, shown: Unnamed) -> str:
    """The two answers that no order of tied docs with a name gives."""
    first, second = (gives(got, exact=True).removeprefix("gives ") for got in shown.got)
    named = "; ".join(
        f"{AXES['ties'].meaning(ties)} it would give {' and '.join(gives(one, exact=True).removeprefix('gives ') for one in both)}"
        for ties, both in shown.named
    )
    docs = len(shown.questions[0].case.input.run)
    return (
        f"on {docs} docs of two scores, {shown.questions[0].measure}: {checked.target.short} gives {first}, and {second} "
        f"where the same docs are given in another order; {named}; by the docids, or by no order, it would give one value twice"
    )


def _of(question: Question, query: str | None) -> str:
    return "" if query is None or len(question.case.queries) == 1 else f" of {query}"
