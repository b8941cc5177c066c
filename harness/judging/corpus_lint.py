"""The rules of the corpus, beyond its schema: what a case claims must be readable, true of the reference, and decide something."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rankproof.cases import SPECIAL, BadCase, Case, load
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.judging.oracle import Answers, CannotTell, Oracle, Refused
from rankproof.reference_impl.conventions import UnknownConvention
from rankproof.reference_impl.notation import UnknownMeasure, parse

CLOSE = Fraction(1, 10**45)


@dataclass(frozen=True, slots=True)
class Linted:
    """How many cases and expected values were looked at, and what is wrong with them."""

    cases: int
    expectations: int
    faults: tuple[str, ...]


def lint(paths: Sequence[Path]) -> Linted:
    """Hold case files to the rules."""
    faults: list[str] = []
    cases: list[Case] = []
    questions: dict[str, str] = {}
    for path in paths:
        try:
            case = load(path)
        except BadCase as error:
            faults.append(str(error))
            continue
        cases.append(case)
        faults += [f"{path}:1: {fault}" for fault in faults_of(case)]
        if (earlier := questions.setdefault(case.question, case.id)) != case.id:
            faults.append(f"{path}:1: {earlier} asks the same question")
    pinned = sum(
        len(by_query) for case in cases for by_spec in (case.expect or {}).values() for by_query in by_spec.values()
    )
    return Linted(len(cases), pinned, tuple(faults))


def faults_of(case: Case) -> Iterator[str]:
    """What is wrong with one case."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", case.id):
        yield f"{case.id} is no id: write topic/slug in small letters, digits and hyphens"
    if re.search(r"\b(should|test that|must)\b", case.question, re.IGNORECASE):
        yield "the question is in the indicative: say what is so, not what should be"
    yield from (f"{measure}: {fault}" for measure in case.measures for fault in _measure_faults(case, measure))
    if not case.undefined and not case.kills and not _tells_apart(case):
        yield "it decides nothing: no two conventions give different values, and no wrong variant is named under kills"


def _measure_faults(case: Case, measure: str) -> Iterator[str]:
    try:
        parsed = parse(measure)
    except UnknownMeasure as error:
        yield str(error)
        return
    if str(parsed) != measure:
        yield f"write it as {parsed}"
    if parsed.of_labels != case.of_labels:
        yield "it asks for " + ("two labelings" if parsed.of_labels else "qrels and a run")
        return
    oracle = Oracle(case.input)
    for spec, by_query in (case.expect or {}).get(measure, {}).items():
        try:
            answers = oracle.answers(parsed, spec)
            if isinstance(answers, CannotTell):
                yield f"[{spec}]: {answers.reason}"
                continue
            for query, expected in by_query.items():
                if not meets(answers, query, expected):
                    yield f"[{spec}] {query}: the case says {expected}, the reference {told(answers, query)}"
        except (UnknownConvention, NotArithmetic) as error:
            yield f"[{spec}]: {error}"


def meets(answers: Answers, query: str, expected: str) -> bool:
    """Whether the reference says what is expected: a number to 45 digits, or nan, absent, rejected."""
    if isinstance(answers, Refused):
        return expected == "rejected"
    if isinstance(answers, CannotTell):
        return False
    if query not in answers.named:
        return expected == "absent"
    found = answers.named[query]
    if found is None or expected in SPECIAL:
        return found is None and expected == "nan"
    wanted = Fraction(evaluate(expected))
    return abs(found - wanted) <= abs(wanted) * CLOSE


def told(answers: Answers, query: str) -> str:
    """What the reference says, for a message."""
    if isinstance(answers, Refused):
        return f"refuses: {answers.reason}"
    if isinstance(answers, CannotTell):
        return f"cannot tell: {answers.reason}"
    value = answers.named.get(query, Fraction(0))
    return "nothing" if query not in answers.named else "nan" if value is None else f"{float(value):.17g}"


def _tells_apart(case: Case) -> bool:
    """Whether two conventions, or two values of a parameter such as the average of NMI, are expected to give different values."""
    by_question: dict[tuple[str, object], set[object]] = {}
    try:
        for measure, by_spec in (case.expect or {}).items():
            asked = parse(measure)
            by_question.setdefault((asked.name, asked.cutoff), set()).update(
                _values(by_query) for by_query in by_spec.values()
            )
    except (UnknownMeasure, NotArithmetic):
        return True  # nobody knows before it reads; that it does not is told already
    return any(len(values) > 1 for values in by_question.values())


def _values(by_query: object) -> tuple[object, ...]:
    items = sorted(dict(by_query).items())  # type: ignore[call-overload]
    return tuple((query, text if text in SPECIAL else evaluate(text).normalize()) for query, text in items)
