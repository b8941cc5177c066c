"""`rankproof check`: which conventions a function of yours follows, and what proves it."""

import inspect
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.checking.call_forms import table
from rankproof.commands.options import limits, say_faults, seconds_of
from rankproof.interruption import INCOMPLETE
from rankproof.saying import lines, say
from rankproof.text import folded, one_line

if TYPE_CHECKING:
    from rich.status import Status

    from rankproof.checking.answering import Answer
    from rankproof.checking.axis_witnesses import AxisWitness
    from rankproof.checking.case_questions import Progress, Question
    from rankproof.checking.checked import Checked, Tier
    from rankproof.checking.differing import Difference
    from rankproof.checking.tied_rows import Unnamed

A_LINE_EVERY = 10
"""How many seconds pass between two lines that say how far it is, where there is no terminal."""
MOST = 6
"""How many differing choices are shown."""
NEAR = 0.5
"""The share of its answers that a library must give to be called near."""


@click.command("check")
@click.argument("function", metavar="MODULE:FUNCTION")
@click.option("-m", "--measure", required=True, metavar="MEASURE", help="What it computes, as nDCG@10.")
@click.option(
    "--profile",
    help='What it claims to follow, as "standard ties=input"; without it, it may follow any conventions known.',
)
@click.option("--form", metavar="FORM", help="How it is called, where that is not plain: see below.")
@click.option(
    "--with", "given", multiple=True, metavar="NAME=VALUE", help="An argument of yours in every call, as max_rel=4."
)
@click.option("--assume", default="", metavar="LIST",
              help="What no input has: nonnegative, integer, binary, no-ties, … with commas between.")  # fmt: skip
@click.option(
    "--strict", is_flag=True, help="Let extreme input decide, too: rels below 0 or above 4, infinite scores, odd ids, …"
)
@limits("5", "How long a question may take.", "Memory that the function may take.")
@click.option(
    "--budget",
    callback=seconds_of,
    default="120",
    show_default=True,
    metavar="SECONDS",
    help="How long all of it may take.",
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(  # noqa: PLR0913 - one for each option
    *,
    function: str,
    measure: str,
    profile: str | None,
    form: str | None,
    given: tuple[str, ...],
    assume: str,
    timeout: float,
    memory: int,
    budget: float,
    strict: bool,
    as_json: bool,
) -> int:
    """Which conventions your own FUNCTION follows, on every case that it can be asked; or whether it follows those that it claims.

    \b
    rankproof check mylib.metrics:ndcg --measure nDCG@10
    rankproof check mylib.metrics:ndcg --measure nDCG@10 --profile 'standard ties=input'

    FUNCTION is a function, a class or an object: MODULE:FUNCTION, imported as Python would here, or FILE.py:FUNCTION. It runs in a
    process of its own, with your rights, and is called by one of these forms:

    \b
    FORMS

    Exit codes: 0 it follows its profile, or without one, conventions that are known; 1 it does not. Ordinary input decides that. 3 it does
    as far as it was asked, and the time was used up before that was all.
    """  # noqa: D301 - click's mark for lines that are not to be wrapped
    from rich.console import Console  # noqa: PLC0415 - a verb is imported when it is asked for

    from rankproof.checking import call_candidates, examining, nearest  # noqa: PLC0415 - as above
    from rankproof.checking.child_process import nothing_left  # noqa: PLC0415 - as above
    from rankproof.checking.limits import Limits  # noqa: PLC0415 - as above

    if os.getcwd() not in sys.path:  # noqa: PTH109 - as sys.path has it
        sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as above
    # Nothing else runs in this process, so that one can be forked from it wherever there is forking.
    with nothing_left(), Console(file=sys.stderr).status(lines(f"asking {one_line(function)}")) as status:
        checked = examining.examine(
            None, measure, profile, form, assume=assume, name=function,
            given=call_candidates.given_of(given),
            limits=Limits(question=timeout, memory=memory, budget=budget, isolated=hasattr(os, "fork")),
            progress=_progress(one_line(function), status),
        )  # fmt: skip
        status.update(lines(f"looking what {one_line(function)} follows"))
        told = _for_programs(checked) if as_json else None
        text = "" if as_json else in_text(checked)
    say_faults(nearest.left_out())
    say(json.dumps(told, allow_nan=False, indent=2) if as_json else text)
    if not checked.is_unanswered and not (checked.holds_strictly if strict else checked.holds):
        return 1
    return INCOMPLETE if checked.is_incomplete else 0


command.help = inspect.cleandoc(command.help or "").replace("FORMS", table())


def _progress(function: str, status: "Status") -> "Progress":
    """Says how far it is: in one line that is written anew on a terminal, and elsewhere in a line now and then."""
    began = time.monotonic()
    written = 0

    def tell(done: int, of: int) -> None:
        nonlocal written
        said = f"asking {function}: {f'{done} of {of} questions' if of else 'how it is called'}"
        status.update(lines(said))
        took = time.monotonic() - began
        if not status.console.is_terminal and took > (written + 1) * A_LINE_EVERY:
            written = int(took / A_LINE_EVERY)
            say(f"{said}, {took:.0f} s", err=True)

    return tell


def in_text(checked: "Checked") -> str:
    """What was found, for people."""
    from rankproof.checking.answering import answer_of  # noqa: PLC0415 - as above
    from rankproof.checking.wording import number_of  # noqa: PLC0415 - as above

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
        ("on extreme input", checked.words_of_extreme if extreme.asked and not checked.is_unknown else ""),
        ("assumed", "; ".join(f"no input has {trait.name}" for trait in checked.assumed)),
        ("beyond that", checked.words_of_beyond),
        ("not asked", checked.words_of_rest),
        ("asked again", f"it gives another answer to {checked.whole.wavering} questions" if checked.whole.wavering else ""),
        # Beside a defect no profile is told: the words of the right formula (over R) are false of the broken one.
        ("profile" if not checked.is_unknown else "nearest profile",
         "" if checked.is_blind or checked.is_by_catalogue else checked.words),
        ("several at once", checked.words_of_mixed),
        ("beyond bounds", checked.words_of_excess),
        ("by its form", "" if checked.is_blind else checked.words_of_caller),
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
    ]  # fmt: skip
    width = max(len(name) for name, told in rows if told)
    lines = [folded(f"{name:{width}}  {one_line(told)}", width + 2) for name, told in rows if told]
    line = _assertion(checked, answer)
    test = ["", "# for a test of yours, which fails now", line] if line else []
    return "\n".join([*lines, "", "# to see it", checked.repro, *test])


def _assertion(checked: "Checked", answer: "Answer") -> str:
    """A line for a test, where something is to be mended."""
    return "" if answer.kind == "is" else checked.assertion


def _unsigned(checked: "Checked") -> str:
    if checked.is_blind:
        return "its numbers are of no ranking"
    return "its answers are others when asked again" if checked.whole.wavering else "no conventions give its answers"


def verdict(checked: "Checked") -> str:
    """The verdict on ordinary input in a sentence."""
    from rankproof.checking.checked import AGREES, CONVENTION, DEFECT, UNSTABLE  # noqa: PLC0415 - as above

    lead = checked.lead
    if lead == UNSTABLE:
        return f"unstable: {checked.words_of_unrest}"
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


def _follows(checked: "Checked") -> str:
    """What it follows on ordinary input, as far as it is told what the measure looks at."""
    from rankproof.checking.checked import AGREES  # noqa: PLC0415 - as above
    from rankproof.checking.wording import number_of  # noqa: PLC0415 - as above

    in_time = " that there was time for" if checked.is_incomplete else ""
    all_of_it = f"on all {number_of(checked.ordinary.asked, 'ordinary question')}{in_time}"
    holds = checked.ordinary.verdict == AGREES
    spec = checked.claim or "standard" if holds else checked.told(checked.ordinary.follows)
    not_as_claimed = f"it does not follow {checked.claim}; " if checked.claim and not holds else ""
    but = _other(checked) + not_as_claimed
    if checked.withheld is None:
        return f"{but}it follows {spec} {all_of_it}"
    by = "" if spec == "standard" else f" by {spec}"
    return (
        f"{but}the same as {checked.measure}{by} wherever {checked.withheld.wherever}, {all_of_it}; "
        f"{checked.withheld.beyond}, it was not told"
    )


def _other(checked: "Checked") -> str:
    """That it is another measure than was asked, where its own defaults make it that."""
    is_other = checked.target.by_default == str(checked.measure)
    return f"by its own defaults it is {checked.measure}, and not what was asked; as that " if is_other else ""


def _but(checked: "Checked") -> str:
    """What it follows, what that leaves open, and what it does there instead of giving a number."""
    from rankproof.asking.observations import Failure  # noqa: PLC0415 - as above
    from rankproof.checking.wording import gives, listed, number_of  # noqa: PLC0415 - as above

    tier = checked.ordinary
    missed = list(dict.fromkeys(miss.question.case.id for miss in tier.misses))
    failed: dict[str, Failure] = {}
    for miss in tier.misses:
        if isinstance(miss.got, Failure):
            failed.setdefault(miss.question.case.id, miss.got)
    ends = f"; it {gives(next(iter(failed.values())))} on {listed(list(failed))}" if failed else ""
    followed = checked.told(tier.follows)
    if not checked.is_unknown:
        return f"it follows {followed} but for {listed(missed)}{ends}"
    if checked.target.seems not in {"", str(checked.measure)}:
        seems = checked.target.seems
        asked = f"it is no {checked.measure} by any convention known"
        return f"{asked}; its answers to trials are those of {seems}: ask for that, by -m '{seems}'{ends}"
    left = f"{tier.asked - tier.explained:,} of {number_of(tier.asked, 'ordinary answer')}"
    return f"it follows no known convention; the nearest, {followed}, leaves {left} unexplained{ends}"


def _call(checked: "Checked") -> str:
    """The form, by the function's own parameters where they are known."""
    target = checked.target
    if not target.form.roles:
        return target.form.call
    given = [f"[{role}]" if target.table else role for role in target.order]
    return f"{target.spelled}({', '.join([*given, *([f'{target.k}='] if target.k else [])])})"


def _nearest(checked: "Checked") -> str:
    from rankproof.checking.wording import listed  # noqa: PLC0415 - as above

    near = checked.nearest
    if near is None:
        return ""
    said = f"by what is claimed of it: {near.same} of {near.asked} answers"
    if near.same < NEAR * near.asked:
        return f"none is near; nearest is {listed(near.libraries)}, {said}"
    return f"{listed(near.libraries)}, {said}"


def witness_rows(checked: "Checked") -> list[list[tuple[str, str]]]:
    """What shows the answer, first of all; and what each other choice does that is not as claimed."""
    from rankproof.checking import wording  # noqa: PLC0415 - as above

    if checked.fault is not None:
        first = [_cheap(checked)] if checked.is_cheap_first else []
        first += [_differing(checked, one) for one in checked.differing[:1] if checked.breaks_its_claim_first]
        return [*first, _faulty(checked)]
    if checked.is_by_catalogue:
        return [_defective(checked)]
    if checked.differing:
        cheap = _cheap(checked)
        return [*([cheap] if cheap else []), *(_differing(checked, one) for one in checked.differing[:MOST])]
    shown = checked.witness
    if shown is None:
        return []
    got, wanted = wording.gives(shown.got, exact=True), wording.reading(shown.expected, exact=True)
    note = f" ({shown.note})" if shown.note else ""
    about = f"{shown.question.measure}{_of(shown.question, shown.query)}"
    said = f"{about}: {checked.claim or 'standard'} {wanted}; {checked.target.short} {got}{note}"
    return [_titled(shown.question, said)]


def _faulty(checked: "Checked") -> list[tuple[str, str]]:
    """The input that shows what is wrong whatever it follows."""
    from rankproof.checking import wording  # noqa: PLC0415 - as above
    from rankproof.checking.looking import Blindness  # noqa: PLC0415 - as above

    shown, name = checked.fault, checked.target.short
    if isinstance(shown, Blindness):
        got = wording.gives(shown.got, exact=True)
        right = " and ".join(wording.gives(one if one is not None else "absent") for one in shown.right)
        return [("witness", (f"{shown.first.measure}, {shown.second.measure} of two questions that differ in that alone: "
                 f"standard {right}; {name} {got} both times"))]  # fmt: skip
    if shown is None:
        return []
    about = f"{shown.question.measure}{_of(shown.question, shown.query)}"
    return [("witness", f"{about}: {name} {wording.gives(shown.got, exact=True)}, on {shown.question.case.id}")]


def _defective(checked: "Checked") -> list[tuple[str, str]]:
    """The input that shows the defect: what is right there under the same conventions, and what is given."""
    from rankproof.checking.wording import gives, reading  # noqa: PLC0415 - as above

    question = checked.shown
    shown = checked.shown_by_defect
    if shown is None or question is None:
        return []
    right, got = reading(shown.right, exact=True), gives(shown.got, exact=True)
    about, instead = f"{shown.told.measure}{_of(question, shown.query)}", right.replace("gives", "would give")
    said = f"{about}: {checked.target.short} {got}; without the defect it {instead}"
    return _titled(question, said)


def _titled(question: "Question", said: str) -> list[tuple[str, str]]:
    """What is said of a case, under its title; of a question that was made to show what is said already, that alone."""
    from rankproof.checking.checked import MADE  # noqa: PLC0415 - as above

    case = question.case
    return [("witness", said)] if case.id.startswith(MADE) else [("witness", f"{case.id}: {case.question}"), ("", said)]


def _cheap(checked: "Checked") -> list[tuple[str, str]]:
    """The run that gets a perfect score, as the function was asked it."""
    from rankproof.checking.wording import gives, reading  # noqa: PLC0415 - as above

    if checked.made is None or checked.finding is None or checked.finding.cheap is None:
        return []
    shown = checked.made.witness
    got, right = gives(shown.got, exact=True), reading(shown.right, exact=True)
    said = f"{shown.told.measure} of a run {checked.finding.cheap.run}: {checked.target.short} {got}; standard {right}"
    return [("witness", said)]


def _differing(checked: "Checked", one: "AxisWitness") -> list[tuple[str, str]]:
    """A choice, and the simplest input on which it shows."""
    from rankproof.checking.wording import gives, reading  # noqa: PLC0415 - as above

    question = one.question
    choice, other = f"{one.axis}={'/'.join(one.values)}", f"{one.axis}={getattr(checked.claimed, one.axis)}"
    if one.axis == "ties" and checked.unnamed is not None:
        return [(choice, one.sentence), ("", _of_two_orders(checked, checked.unnamed))]
    said = f"{checked.target.short} {gives(one.got, exact=True)}; with {other} it {reading(one.other, exact=True)}"
    return [
        (choice, one.sentence),
        (
            "",
            f"on {question.case.id}, {question.measure}{_of(question, one.query)}: {said.replace('it gives', 'it would give')}",
        ),
    ]


def _of_two_orders(checked: "Checked", shown: "Unnamed") -> str:
    """The two answers that no order of tied docs with a name gives."""
    from rankproof.checking.wording import gives  # noqa: PLC0415 - as above
    from rankproof.reference_impl.conventions import AXES  # noqa: PLC0415 - as above

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


def _of(question: "Question", query: str | None) -> str:
    return "" if query is None or len(question.case.queries) == 1 else f" of {query}"


def _for_programs(checked: "Checked") -> dict[str, Any]:
    from rankproof.checking.answering import answer_of  # noqa: PLC0415 - as above

    told = answer_of(checked)
    near = checked.nearest
    shown = checked.witness
    fingerprint = None if checked.is_unknown else checked.found.fingerprint
    return {
        "function": checked.target.name,
        "form": checked.target.form.name,
        "notes": list(checked.target.notes),
        "measure": str(checked.measure),
        "claim": checked.claim,
        "verdict": checked.verdict,
        "holds": checked.holds,
        "answer": {"kind": told.kind, "sentence": told.sentence, "mend": told.mend or None, "assertion": _assertion(checked, told) or None},
        "known": not checked.is_unknown,
        "follows": checked.spec,
        "settled": dict(checked.target.form.settled),
        "in_words": checked.words,
        "signature": str(checked.signature) if checked.signature else None,
        "precision": checked.precision,
        "assumed": [trait.assumption for trait in checked.assumed],
        "ordinary": _tier(checked.ordinary) | {"verdict": checked.lead, "in_words": verdict(checked)},
        "extreme": _tier(checked.extreme) | {"in_words": checked.words_of_extreme if checked.extreme.asked else ""},
        "not_asked": checked.skipped,
        "unstable": checked.whole.wavering,
        "defect": _defect(checked),
        "differing": [one.sentence for one in checked.differing],
        "axes": {} if fingerprint is None else {
            axis: _axis(finding) for axis, finding in fingerprint.axes.items()
            if finding.value == getattr(checked.follows, axis) and axis not in checked.undecided
        } | {axis: _open(axis, values) for axis, values in checked.undecided.items()},
        "nearest": None if near is None else {"libraries": list(near.libraries), "same": near.same, "asked": near.asked},
        "witness": None if shown is None else _witness(shown),
        "repro": checked.repro,
    }  # fmt: skip


def _defect(checked: "Checked") -> dict[str, Any] | None:
    """What is wrong, by the names that the catalogue has for it; none where it is seen by itself."""
    if checked.fault is not None:
        return {"names": [], "sentence": checked.fault.sentence}
    return (
        None
        if checked.defect is None
        else {"names": list(checked.defect.names), "sentence": checked.defect.sentence_with_profile}
    )


def _tier(tier: "Tier") -> dict[str, Any]:
    return {
        "verdict": tier.verdict,
        "follows": tier.spec,
        "asked": tier.asked,
        "explained": tier.explained,
        "differs": sorted({d.question.case.id for d in tier.differences}),
        "unexplained": sorted({d.question.case.id for d in tier.misses}),
    }


def _axis(finding: Any) -> dict[str, Any]:  # noqa: ANN401 - rankproof.inference.fingerprints.AxisFinding, imported when needed
    return {
        "value": finding.value, "witness": finding.witness, "measure": finding.measure, "excluded": dict(finding.excluded)
    }  # fmt: skip


def _open(axis: str, values: Sequence[str]) -> dict[str, Any]:
    from rankproof.meaning.deciding_axes import values_of  # noqa: PLC0415 - as above

    return {"undetermined": list(values or values_of(axis))}


def _witness(shown: "Difference") -> dict[str, Any]:
    from rankproof.asking.observations import Failure  # noqa: PLC0415 - as above
    from rankproof.cases.json_numbers import number_as_json  # noqa: PLC0415 - as above

    failed = isinstance(shown.got, Failure)
    return {
        "case": shown.question.case.id,
        "question": shown.question.case.question,
        "measure": str(shown.question.measure),
        "query": shown.query,
        "expected": number_as_json(shown.expected),
        "got": None if isinstance(shown.got, Failure) else number_as_json(shown.got),
        "error": shown.got.text if failed and isinstance(shown.got, Failure) else None,
        "note": shown.note,
    }
