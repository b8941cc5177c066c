"""Rules for case files beyond their schema, and the export of all cases as one JSON document."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rankproof import cases as corpus
from rankproof.cases import SPECIAL, BadCase, Case, line_of_expected, load
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.reference_answers import Answers, CannotTell, Refused, ask
from rankproof.reference_impl.conventions import AXES, UnknownConvention
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.shown import shortened
from rankproof.version import VERSION

CLOSE = Fraction(1, 10**45)
"""The largest relative difference between an expected and the exact value."""
FORMAT = 2
"""The version of the export format. Raise it if a reader of the old format would misread the new format."""
USELESS = "the case tests no difference: expect two values under two conventions, or list a wrong variant under kills"


@dataclass(frozen=True, slots=True)
class Linted:
    """Result of a check of case files: the number of cases and expected values, and the errors."""

    cases: int
    expectations: int
    faults: tuple[str, ...]


def lint(paths: Sequence[Path]) -> Linted:
    """Check that case files follow the rules."""
    faults: list[str] = []
    questions: dict[str, str] = {}
    count = expectations = 0
    for path in paths:
        try:
            case = load(path)
        except BadCase as error:
            faults.append(str(error))
            continue
        count += 1
        expectations += sum(len(values) for by_spec in (case.expect or {}).values() for values in by_spec.values())
        for fault in _faults_of(case):
            line = line_of_expected(path, fault.measure, fault.spec) if fault.measure else 1
            faults.append(f"{path}:{line}: {fault}")
        if (earlier := questions.setdefault(case.question, case.id)) != case.id:
            faults.append(f"{path}:1: {earlier} has the same question")
    return Linted(count, expectations, tuple(faults))


@dataclass(frozen=True, slots=True)
class _Fault:
    """Error in a case, or in an expected value."""

    what: str
    measure: str = ""
    spec: str = ""

    def __str__(self) -> str:
        spec = f"[{shortened(self.spec)}]: " if self.spec else ""
        return f"{shortened(self.measure)}: {spec}{self.what}" if self.measure else self.what


def _faults_of(case: Case) -> list[_Fault]:
    faults = [fault for measure in case.measures for fault in _of_measure(case, measure)]
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", case.id):
        faults.append(_Fault(f"invalid id {case.id}: write topic/slug in lower-case letters, digits and hyphens"))
    if re.search(r"\b(should|test that|must)\b", case.question, re.IGNORECASE):
        faults.append(_Fault("the question must state a fact: write what is, not what should be"))
    if not faults and not case.undefined and not case.kills and not _tells_apart(case):
        faults.append(_Fault(USELESS))
    return faults


def _of_measure(case: Case, measure: str) -> Iterator[_Fault]:
    try:
        parsed = parse(measure)
    except UnknownMeasure as error:
        yield _Fault(str(error), measure)
        return
    if str(parsed) != measure:
        yield _Fault(f"write it as {parsed}", measure)
    if parsed.of_labels != case.of_labels:
        yield _Fault("the measure needs " + ("two labelings" if parsed.of_labels else "qrels and a run"), measure)
        return
    for spec, by_query in (case.expect or {}).get(measure, {}).items():
        try:
            answers = ask(case.input, parsed, spec)
            if isinstance(answers, CannotTell):
                yield _Fault(answers.reason, measure, spec)
                continue
            for query, expected in by_query.items():
                if not meets(answers, query, expected):
                    says = f"the case expects {shortened(expected)}, but the reference {in_words(answers, query)}"
                    yield _Fault(f"{shortened(query)}: {says}", measure, spec)
        except (UnknownConvention, NotArithmetic) as error:
            yield _Fault(str(error), measure, spec)


def meets(answers: Answers, query: str, expected: str) -> bool:
    """Return whether the reference has the expected value: a number with 45 equal digits, or nan, absent, rejected."""
    if isinstance(answers, Refused):
        return expected == "rejected"
    if isinstance(answers, CannotTell):
        return False
    if query not in answers.named:
        return expected == "absent"
    value = answers.named[query]
    if value is None or expected in SPECIAL:
        return value is None and expected == "nan"
    wanted = Fraction(evaluate(expected))
    return abs(value - wanted) <= abs(wanted) * CLOSE


def in_words(answers: Answers, query: str) -> str:
    """Describe the result of the reference, for a message."""
    if isinstance(answers, Refused):
        return f"rejects the input: {answers.reason}"
    if isinstance(answers, CannotTell):
        return f"has no value: {answers.reason}"
    value = answers.named.get(query, Fraction(0))
    return "is absent" if query not in answers.named else "is nan" if value is None else f"is {to_float(value):.17g}"


def _tells_apart(case: Case) -> bool:
    """Return whether two conventions, or two values of a parameter, have different expected values."""
    by_form: dict[tuple[str, object], set[object]] = {}
    for measure, by_spec in (case.expect or {}).items():
        parsed = parse(measure)
        for by_query in by_spec.values():
            values = (
                (query, text if text in SPECIAL else evaluate(text).normalize())
                for query, text in sorted(by_query.items())
            )
            by_form.setdefault((parsed.name, parsed.cutoff), set()).add(tuple(values))
    return any(len(values) > 1 for values in by_form.values())


# -- export --------------------------------------------------------------------------------------------------------------


def exported() -> dict[str, Any]:
    """Return all cases, with inputs as rows and expected values as numbers, and all axes and profiles, as JSON."""
    axes = {
        name: {"question": axis.question, "standard": axis.default, "values": dict(axis.values)}
        for name, axis in AXES.items()
    }
    profiles = {
        name: {key: conventions.spec() for key, conventions in profile.of.items()} for name, profile in PROFILES.items()
    }
    cases = [case_as_json(case) for case in corpus.load_all()]
    return {"rankproof": VERSION, "format": FORMAT, "axes": axes, "profiles": profiles, "cases": cases}


def case_as_json(case: Case) -> dict[str, Any]:
    """Return a case as JSON, with its expected values as numbers and as arithmetic."""
    expect = case.expect or {}
    return {
        "id": case.id,
        "question": case.question,
        "why": case.why,
        "source": case.source,
        "tags": list(case.tags),
        "ordinary": is_ordinary(case.input),
        "input": case.input.as_json(),
        "measures": list(case.measures),
        "expect": {
            measure: {spec: _as_numbers(values) for spec, values in by_spec.items()}
            for measure, by_spec in expect.items()
        },
        "arithmetic": expect,
    }


def _as_numbers(values: Mapping[str, str]) -> dict[str, float | str]:
    return {query: text if text in SPECIAL else float(evaluate(text)) for query, text in values.items()}
