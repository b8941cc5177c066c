"""The corpus as a whole: the rules that a case keeps beyond its schema, and its export as one JSON document."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from rankproof import cases as corpus
from rankproof.cases import SPECIAL, BadCase, Case, line_of_expected, load
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.grouping import grouped
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.reference_answers import Answers, CannotTell, Refused, ask
from rankproof.reference_impl.conventions import AXES, UnknownConvention
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import UnknownMeasure, parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.shown import shortened
from rankproof.version import VERSION

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
        faults += [f"{path}:{fault.line(path)}: {fault}" for fault in faults_of(case)]
        if (earlier := questions.setdefault(case.question, case.id)) != case.id:
            faults.append(f"{path}:1: {earlier} asks the same question")
    pinned = sum(
        len(by_query) for case in cases for by_spec in (case.expect or {}).values() for by_query in by_spec.values()
    )
    return Linted(len(cases), pinned, tuple(faults))


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a case, or with what it expects of a measure under some conventions."""

    what: str
    measure: str = ""
    spec: str = ""

    def __str__(self) -> str:
        spec = f"[{shortened(self.spec)}]: " if self.spec else ""
        return f"{shortened(self.measure)}: {spec}{self.what}" if self.measure else self.what

    def line(self, path: Path) -> int:
        """The line of the case's file that it is about."""
        return line_of_expected(path, self.measure, self.spec) if self.measure else 1


def faults_of(case: Case) -> Iterator[Fault]:
    """What is wrong with one case."""
    faults = [Fault(what) for what in _form_faults(case)]
    for measure in case.measures:
        faults += _measure_faults(case, measure)
    # Whether it tells anything apart is seen once all of it reads.
    if not faults and not case.undefined and not case.kills and not _tells_apart(case):
        faults.append(
            Fault(
                "it decides nothing: no two conventions give different values, and no wrong variant is named under kills"
            )
        )
    yield from faults


def _form_faults(case: Case) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*", case.id):
        yield f"{case.id} is no id: write topic/slug in small letters, digits and hyphens"
    if re.search(r"\b(should|test that|must)\b", case.question, re.IGNORECASE):
        yield "the question is in the indicative: say what is so, not what should be"


def _measure_faults(case: Case, measure: str) -> Iterator[Fault]:
    try:
        parsed = parse(measure)
    except UnknownMeasure as error:
        yield Fault(str(error), measure)
        return
    if str(parsed) != measure:
        yield Fault(f"write it as {parsed}", measure)
    if parsed.of_labels != case.of_labels:
        yield Fault("it asks for " + ("two labelings" if parsed.of_labels else "qrels and a run"), measure)
        return
    for spec, by_query in (case.expect or {}).get(measure, {}).items():
        try:
            answers = ask(case.input, parsed, spec)
            if isinstance(answers, CannotTell):
                yield Fault(answers.reason, measure, spec)
                continue
            for query, expected in by_query.items():
                if not meets(answers, query, expected):
                    says = f"the case says {shortened(expected)}, the reference {told(answers, query)}"
                    yield Fault(f"{shortened(query)}: {says}", measure, spec)
        except (UnknownConvention, NotArithmetic) as error:
            yield Fault(str(error), measure, spec)


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
    return "nothing" if query not in answers.named else "nan" if value is None else f"{to_float(value):.17g}"


def _tells_apart(case: Case) -> bool:
    """Whether two conventions, or two values of a parameter such as the average of NMI, are expected to give different values."""
    asked = ((parse(measure), by_spec) for measure, by_spec in (case.expect or {}).items())
    try:
        by_question = grouped(
            ((one.name, one.cutoff), _values(by_query)) for one, by_spec in asked for by_query in by_spec.values()
        )
    except (UnknownMeasure, NotArithmetic):
        return True  # nobody knows before it reads; that it does not is told already
    return any(len(set(values)) > 1 for values in by_question.values())


def _values(by_query: object) -> tuple[object, ...]:
    items = sorted(dict(by_query).items())  # type: ignore[call-overload]
    return tuple((query, text if text in SPECIAL else evaluate(text).normalize()) for query, text in items)


FORMAT = 2
"""The version of the format. Raise it if a reader of the old format would misread the new format. Format 1 had no number."""


def exported() -> dict[str, Any]:
    """All cases, each with its input in rows and its expected values as numbers; the axes and the profiles, to look names up."""
    return {
        "rankproof": VERSION,
        "format": FORMAT,
        "axes": {
            name: {"question": axis.question, "standard": axis.default, "values": dict(axis.values)}
            for name, axis in AXES.items()
        },
        "profiles": {
            name: {key: conventions.spec() for key, conventions in profile.of.items()}
            for name, profile in PROFILES.items()
        },
        "cases": [case_as_json(case) for case in corpus.load_all()],
    }


def case_as_json(case: corpus.Case) -> dict[str, Any]:
    """Return a case with its expected values as numbers and as arithmetic."""
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
            measure: {spec: as_numbers(values) for spec, values in by_spec.items()}
            for measure, by_spec in expect.items()
        },
        "arithmetic": expect,
    }


def as_numbers(values: Mapping[str, str]) -> dict[str, float | str]:
    """Return expected values by query: the double nearest to the arithmetic, or a word such as "absent".

    >>> as_numbers({"q1": "1/log2(3)", "q2": "absent", "mean": "7/12"})
    {'q1': 0.6309297535714574, 'q2': 'absent', 'mean': 0.5833333333333334}
    """
    return {query: text if text in corpus.SPECIAL else float(evaluate(text)) for query, text in values.items()}


def export_schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    loaded: dict[str, Any] = json.loads((corpus.HERE / "export.schema.json").read_text(encoding="utf-8"))
    return loaded
