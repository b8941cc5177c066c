"""Reports on a check: at most twelve lines, all details, or JSON."""

import math
from collections.abc import Iterator
from typing import Any

from rankproof import codec
from rankproof.cases.inputs import Input
from rankproof.check.call import Call
from rankproof.check.checking import NoNumber
from rankproof.check.ingredients import Collection, CollectionData, Query, query_data
from rankproof.check.result import CheckResult, Example, Fault, FaultKind, Verdict
from rankproof.check.suggest import command_line
from rankproof.defects.catalogue import catalogue
from rankproof.inference.signatures import Signature
from rankproof.measure_facts import bounds_of
from rankproof.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD, Conventions
from rankproof.reference_impl.notation import Measure
from rankproof.report.convention_words import clause, label, phrase, word
from rankproof.report.layout import (
    MOST_LINES,
    chosen,
    fitted,
    joined,
    row,
    sentence,
    signature_row,
    some_names,
    symbol,
)
from rankproof.text import one_line, printable_lines, short, short_pair

NAMED = 3
"""The maximum number of conventions in the first line."""
MOST_ROWS = 2
"""The maximum number of other differences without --details."""
LONGEST_ASSERTION, LONGEST_INPUT, LONGEST_VALUE, LONGEST_LINE = 320, 70, 60, 57
NOT_PLAIN = frozenset({"queries", "qrels_frame", "run_frame", "qrels_file", "run_file"})
"""Ingredients that have no Python literal."""
RETRIEVED_ONLY = frozenset({"ideal", "known", "ap_denominator", "ideal_cut"})
"""Axes on which a function follows `standard` if all relevant documents are retrieved."""
NO_VALUE = frozenset({FaultKind.CRASH, FaultKind.MEMORY, FaultKind.TIMEOUT, FaultKind.UNSTABLE})
"""Faults of functions that return no value, or different values for the same input."""
_IGNORED = {
    "everything": "it returns the same value for every input",
    "relevance": "it ignores which documents are relevant",
    "order": "it ignores the ranks of the relevant documents",
    "scores": "it ignores the scores",
    "cutoff": "it ignores the cutoff",
}


def text_of(result: CheckResult, written_call: str = "") -> str:
    """Return the result in at most twelve lines, with the call if rankproof completed it."""
    head = [*_headline(result), *_example_lines(result), *(row("Called as", written_call) if written_call else [])]
    foot = [*_assertion(result), *row("More", "--details")]
    if len(head) + len(foot) > MOST_LINES:
        foot = row("More", "--details, with an assertion for your tests")
    rows = list(_rows(result))
    kept = chosen([lines for _, lines in rows], MOST_LINES - len(head) - len(foot), [rank for rank, _ in rows])
    return printable_lines("\n".join(fitted([head, [line for place in kept for line in rows[place][1]], foot])))


def no_number_text(error: NoNumber) -> str:
    """Return why a function cannot be checked: the exception, the arguments, and the line to type."""
    lines = [*sentence(f"{one_line(error)}.".replace("NotANumber: ", ""))]
    if error.checked.call is not None:
        lines += sentence(
            f"It was called with {_passed_values(error.question.input, error.question.measure, error.reads)}.", 2
        )
    if error.suggestion:
        lines.append(f"  Try  {command_line(error.checked.source.target, error.suggestion, error.checked.measure)}")
    return printable_lines("\n".join(lines))


def details_of(result: CheckResult) -> str:
    """Return all details of the result."""
    parts = [
        [*_headline(result), *_example_lines(result)],
        [line for fault in result.faults[1:] for line in sentence(_sentence_of(result, fault), 2)],
        [line for _, lines in _rows(result) for line in lines],
        list(_details(result)),
        list(_assertion(result)),
    ]
    return printable_lines("\n".join(fitted(parts, most=10_000)))


# -- the first lines ----------------------------------------------------------------------------------------------------


def _headline(result: CheckResult) -> list[str]:
    if result.faults:
        return sentence(f"{symbol('✗')}{result.name} is not {result.measure}: {_clause(result, result.faults[0])}.")
    claim = f" under the profile {result.claim}" if result.claim else _named(result)
    claim += "" if result.is_complete else " on the inputs tested so far"
    return sentence(f"{symbol('✓')}{result.name} is {result.measure}{claim}.")


def _named(result: CheckResult) -> str:
    """Return the conventions for the first line: first those that change numbers, then exceptions."""
    named = [difference for difference in result.differences if difference.axis in _first_axes(result)]
    numbers_ = [_phrase(result, difference.axis) for difference in named if not difference.exception]
    raised = [_phrase(result, difference.axis) for difference in named if difference.exception]
    with_ = f" with {joined(numbers_)}" if numbers_ else ""
    return with_ + (f"{',' * bool(with_)} but raises {joined(raised)}" if raised else "")


def _first_axes(result: CheckResult) -> list[str]:
    in_order = sorted(result.differences, key=lambda difference: bool(difference.exception))
    return [difference.axis for difference in in_order[:NAMED]]


def _phrase(result: CheckResult, axis: str) -> str:
    difference = next(difference for difference in result.differences if difference.axis == axis)
    return " or ".join(phrase(axis, value, difference.exception) for value in difference.values[:2])


def _clause(result: CheckResult, fault: Fault) -> str:  # noqa: PLR0911 - one return for each kind of fault
    about = [one_line(text) for text in fault.about]
    match fault.kind:
        case FaultKind.CRASH | FaultKind.MEMORY | FaultKind.TIMEOUT:
            text = about[0].replace("no answer", "it returns nothing").replace("the process", "its process", 1)
            return f"it {text}" if text.startswith("raises") else text
        case FaultKind.UNSTABLE:
            return f"it returns different values for the same input in different processes ({' and '.join(about)})"
        case FaultKind.CHANGES_ARGUMENTS:
            return f"it changes {joined(about)} in place, and returns a different value when called again"
        case FaultKind.IGNORES:
            return _IGNORED[about[0]]
        case FaultKind.DEFECT:
            return _of_defect(fault, result.reads)
        case FaultKind.RAISES:
            is_ours = about[0].startswith("NotANumber: ")
            return about[0].removeprefix("NotANumber: ") if is_ours else f"it raises {about[0]}"
        case FaultKind.ABOVE_MAXIMUM | FaultKind.REPEATS:
            return _of_excess(result, fault)
        case FaultKind.CHEAP | FaultKind.CLAIM | FaultKind.UNKNOWN_CONVENTION:
            return _of_conventions(result, fault)
    return f"no known conventions or defects explain {fault.unexplained - fault.explained:,} of its {fault.unexplained:,} values"


def _of_defect(fault: Fault, reads: frozenset[str]) -> str:
    text = " or ".join(dict.fromkeys(catalogue()[name].sentence for name in fault.about[:2]))
    if fault.about == ("cutoff-ignored",) and "k" not in reads:
        text = "its values are not cut (the call never passes k)"
    if fault.explained < fault.unexplained:
        return f"closest to this defect: {text} ({fault.explained} of {fault.unexplained} unexplained values)"
    conventions = STANDARD.differences(fault.profile) if fault.profile is not None else {}
    own = [phrase(axis, getattr(fault.profile, axis)) for axis in conventions if axis in {"gain", "discount", "ideal"}]
    return f"{text}, with {joined(own)}" if own else text


def _of_excess(result: CheckResult, fault: Fault) -> str:
    score = short(None if fault.example is None else fault.example.returned)
    most = (bounds_of(result.measure) or (0, math.inf))[1]
    excess = f"scores {score}, above {most:g}, the maximum"
    if fault.kind is FaultKind.ABOVE_MAXIMUM:
        return f"it {excess}"
    if fault.about == ("above maximum",):
        return f"it counts a document twice if the ranking repeats it, and {excess}"
    return f"it scores {score} for a non-relevant document that the ranking repeats"


def _of_conventions(result: CheckResult, fault: Fault) -> str:
    exceptions = {difference.axis: difference.exception for difference in result.differences}
    axes = [axis for axis in fault.about if axis in exceptions or fault.kind is FaultKind.CLAIM]
    values = vars(result.profile)
    clauses = [clause(axis, values[axis], exception=exceptions.get(axis, "")) for axis in axes[:NAMED]]
    if fault.kind is FaultKind.CLAIM:
        return f"it does not follow {result.claim}: {joined(clauses)}"
    if fault.kind is FaultKind.UNKNOWN_CONVENTION:
        return f"{joined(clauses)}, as no known library, tool or paper does"
    return joined(clauses) or "an imperfect ranking scores the maximum"


def _sentence_of(result: CheckResult, fault: Fault) -> str:
    text = _clause(result, fault)
    return f"{text[:1].upper()}{text[1:]}."


# -- the example --------------------------------------------------------------------------------------------------------


def _shown_example(result: CheckResult) -> Example | None:
    if result.faults:
        return next((fault.example for fault in result.faults if fault.example is not None), None)
    examples = [difference.example for difference in result.differences if difference.example is not None]
    return None if result.claim else next((e for e in examples if isinstance(e.returned, float)), None)


def _example_lines(result: CheckResult) -> list[str]:
    lines: list[str] = []
    example = _shown_example(result)
    kinds = {fault.kind for fault in result.faults}
    is_shown = example is not None and kinds.isdisjoint({*NO_VALUE, FaultKind.REPEATS})
    if is_shown and example is not None and (result.faults or example.description or _input_of(result, example)):
        lines += sentence(_example_sentence(result, example), 2)
    for fault in result.faults[1:2]:
        lines += sentence(_sentence_of(result, fault), 2)
    if result.faults and result.closest and FaultKind.UNEXPLAINED in kinds:
        lines += sentence(f"Closest: {result.measure}{_closest(result)}.", 2)
    return lines


def _closest(result: CheckResult) -> str:
    named = [phrase(axis, getattr(result.profile, axis)) for axis in STANDARD.differences(result.profile)]
    with_ = f" with {joined(named[:NAMED])}" if named else ""
    return f"{with_} ({result.explained:,} of {result.values:,} values)"


def _example_sentence(result: CheckResult, example: Example) -> str:
    subject = f"{example.description[:1].upper()}{example.description[1:]}" or _input_of(result, example)
    got, right = example.returned, example.expected
    if isinstance(got, str):
        instead = "a defined value" if right is None else short(right)
        return f"{subject} raises {one_line(got)} instead of scoring {instead}."
    first, second = short_pair(got, right) if right is not None else (short(got), "undefined")
    return f"{subject} scores {first} {f'instead of {second}' if result.faults else f'(standard: {second})'}."


def _input_of(result: CheckResult, example: Example) -> str:
    """Return the beginning of a sentence with the ingredients of an example, if they are short."""
    text = _passed_values(example.input, example.measure, result.reads) if result.call else ""
    if text and len(text) <= LONGEST_INPUT:
        return f"With {text}, it"
    return ("The input below" if result.call else "One input") if result.faults else ""


# -- the rows -----------------------------------------------------------------------------------------------------------


def _rows(result: CheckResult) -> Iterator[tuple[int, list[str]]]:
    """Yield rows in the printed order, each with a rank. Rows with the highest ranks are left out first."""
    yield from ((1, lines) for lines in _hints(result))
    yield from ((4, lines) for lines in _others(result))
    if result.skipped:
        yield 5, row("Skipped", f"{result.skipped:,} queries without exactly one relevant document")
    if result.not_tested:
        yield 2, row("Not tested", f"{joined(result.not_tested)} (never passed)")
    if result.left_out:
        yield 0, row("Not called", f"{result.left_out:,} inputs, because the time ran out (--budget)")
    if not result.closest:
        yield 7, row("Same conventions", some_names(result.same_as) or "no observed library")
        yield 6, signature_row("Signature", short_signature(result))


def _hints(result: CheckResult) -> Iterator[list[str]]:
    """Yield suggestions for a better call."""
    named = set(result.faults[0].about) if result.faults else set()
    passes_all = {"relevant", "judgments"} & result.reads and "ranked" in result.reads
    if result.suggestion:
        yield sentence(result.suggestion, 2, 4)
    elif named & RETRIEVED_ONLY and passes_all and not result.closest:
        yield sentence("If every relevant document is always retrieved, call it with rels.", 2, 4)
    if result.relevant_twice is not None:
        twice, once = result.relevant_twice
        counts = f"Counts b twice if relevant repeats it ({short(twice)} instead of {short(once)})"
        yield sentence(f"{counts}: pass set(relevant).", 2, 4)
    if result.shadowed:
        yield sentence(f"The module also defines {joined(result.shadowed)}; the call uses the ingredient.", 2, 4)
    if result.changed and not any(fault.kind is FaultKind.CHANGES_ARGUMENTS for fault in result.faults):
        yield sentence(f"Changes {joined(result.changed)} in place: pass a copy.", 2, 4)


def _others(result: CheckResult) -> Iterator[list[str]]:
    """Yield the differences from `standard` that are not in the first line."""
    named = set(result.faults[0].about) if result.faults else set(_first_axes(result))
    others = [] if result.closest else [difference for difference in result.differences if difference.axis not in named]
    for difference in others[:MOST_ROWS]:
        text = word(difference.axis, difference.values[0], exception=difference.exception)
        yield row(label(difference.axis), f"{text} (standard: {word(difference.axis, difference.standard)})")
    if len(others) > MOST_ROWS:
        yield row("", f"and {len(others) - MOST_ROWS} more differences from standard")


def short_signature(result: CheckResult) -> str:
    """Return a signature of the conventions that differ from `standard`, without undetermined axes."""
    profile = Conventions(**{**vars(result.profile), **result.decided_by_caller})
    signature = str(Signature.of(result.measure, profile))
    return signature.partition("|by:")[0]


def _assertion(result: CheckResult) -> Iterator[str]:
    example = _shown_example(result)
    if not result.faults or example is None or result.faults[0].kind in NO_VALUE:
        return
    lines = assertion_lines(result, example)
    if sum(map(len, lines)) <= LONGEST_ASSERTION:
        for number, line in enumerate(lines):
            yield from row("" if number else "Add to your tests", line)


def assertion_lines(result: CheckResult, example: Example) -> list[str]:
    """Return a test that currently fails: assignments of the ingredients, and an assertion on the value of the call.

    The assertion uses `approx` of pytest. The list is empty if the measure has no value, or the call reads data
    frames, files or `queries`.
    """
    if example.expected is None or not math.isfinite(example.expected) or not result.call or result.reads & NOT_PLAIN:
        return []
    values = _values_of(example.input, example.measure, frozenset(Call(result.call).ingredients))
    together = f"{', '.join(values)} = {', '.join(map(repr, values.values()))}"
    assignments = [f"{name} = {value!r}" for name, value in values.items()]
    of_all = {"qrels", "run"} & result.reads and example.query is not None
    call = f"{result.call}[{example.query!r}]" if of_all else result.call
    right = f"approx({f'{example.expected:.4f}'.rstrip('0').rstrip('.') or '0'}, abs=1e-4)"
    whole = [f"assert {call} == {right}"]
    last = whole if len(whole[0]) <= LONGEST_LINE else [f"value = {call}", f"assert value == {right}"]
    return [*([together] if len(together) <= LONGEST_LINE else assignments), *last] if values else last


def _values_of(data: Input, measure: Measure, names: frozenset[str]) -> dict[str, Any]:
    """Return the values of ingredients for an input."""
    k, threshold = cutoff_of(measure), 1.0 if measure.of_labels else measure.rel
    of_all = Collection(CollectionData(data, k, threshold, set()))
    query = Query(query_data(data, next(iter(data.scored), ""), k, threshold), set())
    return {name: getattr(of_all if hasattr(of_all, name) else query, name) for name in sorted(names)}


def _passed_values(data: Input, measure: Measure, reads: frozenset[str]) -> str:
    """Return the arguments of a call on one line, or an empty text if they have no literals."""
    values = {} if reads & NOT_PLAIN else _values_of(data, measure, reads)
    texts = (f"{name}={value!r}" for name, value in values.items())
    return ", ".join(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…" for text in texts)


# -- details ------------------------------------------------------------------------------------------------------------


def _details(result: CheckResult) -> Iterator[str]:
    """Yield all differences with examples, undetermined axes, and values on extreme input."""
    yield from row("Called as", result.call or result.name)
    yield from row("Reads", ", ".join(sorted(result.reads)))
    yield from row("Values", f"{result.explained:,} of {result.values:,} explained, compared as {result.precision}")
    for difference in result.differences:
        text = f"{_phrase(result, difference.axis)} (standard: {word(difference.axis, difference.standard)})"
        if difference.example is not None:
            text += f". {difference.example.case}: {_example_sentence(result, difference.example)}"
        yield from row(label(difference.axis), text)
    decided = [phrase(axis, value) for axis, value in result.decided_by_caller.items()]
    undetermined = [label(axis) for axis in result.undetermined if axis not in result.decided_by_caller]
    yield from row("Decided by the call", ", ".join(decided) or "nothing")
    yield from row("Undetermined", ", ".join(undetermined) or "nothing")
    yield from signature_row("Full signature", result.signature)
    for count in result.extreme:
        text = f"{count.trait}: {count.values - count.unexplained:,} of {count.values:,} values explained"
        if count.example is not None:
            expected = "undefined" if count.example.expected is None else short(count.example.expected)
            text += f"; {count.example.case} returns {short(count.example.returned)} instead of {expected}"
        yield from row("Extreme input", text)


# -- JSON ---------------------------------------------------------------------------------------------------------------


def as_json(result: CheckResult) -> str:
    """Return all facts of a result as JSON, with the first line and the verdict."""
    more = {
        "holds": result.holds(),
        "complete": result.is_complete,
        "signature": result.signature,
        "headline": " ".join(map(str.strip, _headline(result))),
    }
    return codec.encode({**codec.facts(result), **more}, indent=2)


def exit_code(result: CheckResult, *, strict: bool = False) -> int:
    """Return 0 if the function computes the measure, 1 if it does not, or 3 if the time ran out."""
    if result.verdict is not Verdict.DIFFERS and not result.is_complete:
        return 3
    return 0 if result.holds(strict=strict) else 1
