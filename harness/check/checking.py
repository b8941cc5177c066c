"""Steps of a check: collect values, infer the profile, find faults, decide the verdict and return the result."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from rankproof.check import faults, judge
from rankproof.check.call import BadCall, Call
from rankproof.check.infer import infer_profile, missed_under
from rankproof.check.ingredients import shown_by
from rankproof.check.judge import Judged
from rankproof.check.made_inputs import case_of, relevant_twice
from rankproof.check.observe import Caller, OnProgress, Value, observe
from rankproof.check.questions import Question, questions_of, unpassed_inputs
from rankproof.check.result import CheckResult, FaultKind, Verdict
from rankproof.check.source import QUERIES, Source
from rankproof.check.suggest import convert_ingredient, likely_slips, refuse_hidden_cutoff, written_call
from rankproof.evaluate.library_profiles import profile_named
from rankproof.inference.deciding_axes import possible
from rankproof.measure_names import measure_called
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.evaluation import NotPooled
from rankproof.reference_impl.notation import Measure

FEW = 6
"""The number of questions that show what a call reads, and of different numbers that a suggestion must have."""
MANY = 60
"""The number of values on which a suggested call is tried."""
MANY_WRONG = 0.5
"""The share of values that must be wrong before another call is suggested."""
WITHOUT_PROFILE = frozenset(
    {FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.MEMORY, FaultKind.UNSTABLE, FaultKind.IGNORES}
)
"""Faults after which the inferred conventions are only the closest: they explain values by chance."""
Claim = str | Conventions | None


@dataclass(frozen=True)
class Checked:
    """A request to check a function: its source, the call, the measure and the claimed profile."""

    source: Source
    call: Call | None
    measure: Measure
    claim: Claim = None

    @property
    def of_all(self) -> bool:
        """Whether all queries are passed in one call."""
        return self.source.over == QUERIES if self.call is None else self.call.of_all

    @property
    def claimed(self) -> Conventions | None:
        """The conventions of the claimed profile.

        Raises:
            NotPooled: the profile has a pooled mean, and the measure is not a ratio.
        """
        if self.claim is None:
            return None
        profile = (
            self.claim if isinstance(self.claim, Conventions) else profile_named(self.claim).conventions(self.measure)
        )
        if not possible(self.measure, "mean", profile.mean):
            raise NotPooled(f"{self.measure.name} is not a ratio of counts, so it has no pooled mean")
        return profile

    @property
    def open_axes(self) -> Mapping[str, tuple[str, ...]]:
        """The undetermined axes of the claimed library, each with the remaining conventions."""
        return profile_named(self.claim).undecided(self.measure) if isinstance(self.claim, str) else {}


def prepare(source: Source, text: str, measure: str, claim: Claim = None) -> Checked:
    """Parse and complete a request to check a function, without calling the function.

    Args:
        source: the file, module or callable with the function.
        text: the call. A name alone is completed if the names of the parameters are unambiguous.
        measure: in ir_measures notation.
        claim: the profile that the function must follow.

    Raises:
        BadCall: the call cannot be evaluated; the message has the line to type.
        UnknownMeasure: the measure is unknown.
    """
    parsed = measure_called(measure)
    if source.function is not None:
        return Checked(source, None, parsed, claim)
    try:
        return Checked(source, _readable(source, Call(text), parsed), parsed, claim)
    except BadCall:
        source.close()
        raise


def _readable(source: Source, call: Call, parsed: Measure) -> Call:
    """Complete a call that is only a function name, and raise an error for a call that cannot be evaluated."""
    if call.is_name:
        call = Call(written_call(source, call.text.strip(), parsed))
    source.refuse_unknown_names(call)
    if not call.ingredients:
        raise BadCall(f"The call uses no ingredient: {call.text}\nrankproof check --help lists the ingredients.")
    refuse_hidden_cutoff(source, call, parsed)
    return call


def check_function(checked: Checked, *, budget: float = 120.0, on_progress: OnProgress | None = None) -> CheckResult:
    """Call a function for every suitable input of the corpus, and judge its values.

    Raises:
        BadCall: the function does not return a number for any input.
    """
    with closing(checked.source):
        return _checked(checked, budget, on_progress)


def _checked(checked: Checked, budget: float, on_progress: OnProgress | None) -> CheckResult:
    claimed = checked.claimed
    caller = Caller(checked.source.worker, "" if checked.call is None else checked.call.text, budget)
    values = _values(checked, caller, on_progress)
    judged = Judged.of(checked.measure, values, caller.report, of_all=checked.of_all)
    _refuse_if_no_number(checked, judged)
    if claimed is not None:
        claimed = judge.without_open_axes(judged, claimed, checked.open_axes)
    inference = judge.infer(judged, STANDARD if claimed is None else claimed)
    own_faults = judge.find_faults(judged, inference, claimed)
    verdict = judge.decide(own_faults, inference, claimed, judged.decided)
    result = CheckResult(
        name=_name_of(checked),
        target=checked.source.target,
        call=caller.call,
        measure=checked.measure,
        claim=checked.claim.spec() if isinstance(checked.claim, Conventions) else checked.claim,
        verdict=verdict,
        faults=own_faults,
        profile=inference.profile,
        precision=inference.precision,
        closest=bool(inference.missed) or any(fault.kind in WITHOUT_PROFILE for fault in own_faults),
        differences=judge.differences(judged, inference),
        decided_by_caller=judged.decided,
        undetermined=inference.undetermined(),
        not_tested=unpassed_inputs(caller.report.shows, checked.measure),
        same_as=judge.similar_libraries(judged, inference),
        explained=inference.explained,
        values=len(inference.values),
        extreme=judge.extreme_traits(judged, inference),
        skipped=len({value.question.input for value in values if value.is_skipped}),
        left_out=sum(value.is_left_out for value in values),
        reads=frozenset(caller.report.reads),
        shadowed=_shadowed(checked),
        changed=tuple(sorted(caller.report.changed)),
    )
    return replace(
        result,
        relevant_twice=_relevant_twice(checked, caller) if "relevant" in result.reads else None,
        suggestion=_suggestion(checked, judged, result),
    )


# -- values -------------------------------------------------------------------------------------------------------------


def _values(checked: Checked, caller: Caller, on_progress: OnProgress | None) -> list[Value]:
    """Return the values of all questions. The first few show which ingredients the call reads."""
    few = _questions(checked, frozenset() if checked.call is None else frozenset(checked.call.ingredients))[:FEW]
    first = caller.answers(few)
    if caller.is_over:
        return [Value(question, answer) for question, answer in zip(few, first, strict=True)]
    while True:
        reads = frozenset(caller.report.reads)
        values = observe(caller, _questions(checked, reads), on_progress)
        if caller.report.reads <= reads or caller.is_over:
            return values


def _questions(checked: Checked, reads: frozenset[str]) -> tuple[Question, ...]:
    measure = checked.measure
    any_cutoff = "k" in reads and not measure.of_labels and measure.k is not None
    return questions_of(measure, shown_by(reads), of_all=checked.of_all, any_cutoff=any_cutoff)


def _name_of(checked: Checked) -> str:
    if checked.call is not None:
        return checked.call.short
    name = getattr(checked.source.function, "__name__", "")
    return name if name.isidentifier() else "the function"


def _shadowed(checked: Checked) -> tuple[str, ...]:
    """Return the ingredients of the call that the module also defines."""
    if checked.call is None:
        return ()
    return tuple(name for name in checked.call.ingredients if name in checked.source.about.get("shadowed", ()))


class NoNumber(BadCall):
    """A function that does not return a number for any input.

    Attributes:
        question: an input that the function was called with.
        error: the exception for that input.
        suggestion: the call with one ingredient converted, if an annotation or the error names a type; otherwise empty.
    """

    def __init__(self, checked: Checked, question: Question, error: str, reads: frozenset[str]) -> None:
        super().__init__(f"{_name_of(checked)} returns no number: {error}")
        self.checked, self.question, self.error, self.reads = checked, question, error, reads
        described = checked.source.described(_name_of(checked)) if checked.call is not None else None
        self.suggestion = "" if checked.call is None else convert_ingredient(checked.call, described, error)


def _refuse_if_no_number(checked: Checked, judged: Judged) -> None:
    if not judged.ordinary:
        raise BadCall(f"{_name_of(checked)} did not return within the time limit. Increase --timeout or --budget.")
    failed = [value for value in judged.ordinary if value.failure == "error"]
    if not failed or len(failed) < len(judged.ordinary):
        return
    example = faults.clearest(failed, checked.measure) or failed[0]
    raise NoNumber(checked, example.question, example.text, frozenset(judged.report.reads))


def _relevant_twice(checked: Checked, caller: Caller) -> tuple[float | str, float] | None:
    """Return the values with and without a repeated document in `relevant`, or None if they are equal."""
    questions = [
        Question(case_of("judged-twice", "", data), checked.measure) for data in relevant_twice(checked.measure.rel)
    ]
    values = [Value(question, answer) for question, answer in zip(questions, caller.answers(questions), strict=True)]
    once, twice = (next(iter(value.numbers.values()), value.text) for value in values)
    return (twice, once) if isinstance(once, float) and once != twice else None


# -- suggestions --------------------------------------------------------------------------------------------------------


def _suggestion(checked: Checked, judged: Judged, result: CheckResult) -> str:
    """Return a sentence that suggests another call, if all values of that call match."""
    wrong = len(missed_under(judged.ordinary, STANDARD, result.precision))
    if checked.call is None or result.verdict is not Verdict.DIFFERS or wrong < MANY_WRONG * len(judged.ordinary):
        return ""
    for text, sentence in likely_slips(checked.call, result.reads):
        questions = [value.question for value in judged.ordinary if value.question.is_decisive][:MANY]
        answers = Caller(checked.source.worker, text, budget=10.0).answers(questions)
        values = [Value(question, answer) for question, answer in zip(questions, answers, strict=True)]
        numbers = {number for value in values for number in value.numbers.values()}
        known = [value for value in values if not value.is_missing]
        if len(numbers) >= FEW and not infer_profile(checked.measure, known).missed:
            return f"{sentence} Did you mean {text}?"
    return ""


def commands_for(source: Source) -> Mapping[str, str]:
    """Return the call to type for each function of a module, or an empty text if its parameters are unclear."""
    measure = measure_called("nDCG@10")
    calls = {}
    for function in source.functions:
        if function["own"] and not function["class"]:
            try:
                calls[function["name"]] = written_call(source, function["name"], measure)
            except BadCall:
                calls[function["name"]] = ""
    return calls
