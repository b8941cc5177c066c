"""The corpus: the reference gives every expected value exactly, and case files with errors are refused with the line."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from click.testing import CliRunner
from reference_values import PlainReference

from rankproof.cases import SPECIAL, BadCase, Case, load, load_all
from rankproof.cases.arithmetic import NotArithmetic, evaluate
from rankproof.cli.cases import command
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.reference_impl.clustering import CLUSTERINGS
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import conventions_of
from rankproof.reference_impl.similarity import from_similarity

CLOSE = Fraction(1, 10**45)
REFUSING = {"rejected", "text", "text-docs", "digit-queries", "whole-to-4", "binary", "two-values"}
"""Values of axes that refuse an input."""


@dataclass(frozen=True)
class Pinned:
    """The value that a case expects for a measure of one query, or of the mean, under some conventions."""

    case: Case
    measure: str
    spec: str
    query: str
    expected: str | Decimal
    rational: Fraction | None = None
    """The expected value if it is a fraction computed without natural logarithms, which the reference computes exactly."""

    @property
    def name(self) -> str:
        """Return the name of the measure."""
        return re.split(r"[(@]", self.measure)[0]

    def __str__(self) -> str:
        return f"{self.case.id} expects {self.measure} [{self.spec}] of {self.query} to be {self.expected:.17}"


def _pinned() -> Iterator[Pinned]:
    for case in CASES:
        for measure, by_spec in (case.expect or {}).items():
            for spec, by_query in by_spec.items():
                for query, text in by_query.items():
                    value = text if text in SPECIAL else _decimal(text)
                    yield Pinned(case, measure, spec, query, value, _rational(case, spec, text))


def _rational(case: Case, spec: str, text: str) -> Fraction | None:
    natural = case.of_labels or {"discount=ln", "mean=geometric"} & {*spec.split()}
    return None if natural and text not in {"0", "1"} else _fraction(text)


@cache
def _decimal(text: str) -> Decimal:
    return evaluate(text)


@cache
def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(evaluate(text, Fraction, {}))
    except NotArithmetic:
        return None


CASES = load_all()
PINNED = list(_pinned())
NAMES = sorted({pinned.name for pinned in PINNED})


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_gives_what_the_cases_expect(name: str) -> None:
    oracles = {case.id: PlainReference(case.input) for case in CASES}
    for pinned in PINNED:
        if pinned.name == name:
            answers = oracles[pinned.case.id].answers(parse(pinned.measure), pinned.spec)
            if not is_as_expected(answers, pinned):
                value = answers.named.get(pinned.query, "absent") if isinstance(answers, Values) else answers
                pytest.fail(f"{pinned}, but the reference gives {value}", pytrace=False)


def is_as_expected(answers: Answers, pinned: Pinned) -> bool:
    if isinstance(answers, Refused):
        return pinned.expected == "rejected" and can_refuse(answers.axis, pinned)
    assert isinstance(answers, Values), answers
    if pinned.query not in answers.named:
        return pinned.expected == "absent"
    value = answers.named[pinned.query]
    if value is None or isinstance(pinned.expected, str):
        return value is None and pinned.expected == "nan"
    exact, margin = (Fraction(pinned.expected), CLOSE) if pinned.rational is None else (pinned.rational, 0)
    return abs(value - exact) <= abs(exact) * margin and to_float(value) == float(pinned.expected)


def can_refuse(axis: str, pinned: Pinned) -> bool:
    """Return whether an axis can refuse the input; no axis governs overflow, and no convention accepts NaN scores."""
    return axis in {"", "score"} or getattr(conventions_of(pinned.spec, parse(pinned.measure)), axis) in REFUSING


def test_every_measure_of_rankings_and_of_labelings_is_expected_somewhere() -> None:
    missing = {*MEASURES, *CLUSTERINGS} - {*NAMES}
    assert not missing, f"no case expects a value of {', '.join(missing)}"


def test_every_measure_of_a_case_is_of_its_kind() -> None:
    for case in CASES:
        assert {parse(measure).of_labels for measure in case.measures} == {case.of_labels}, case.id


def test_every_case_has_values_that_do_not_depend_on_measures_computed_before() -> None:
    for case in CASES:
        oracle = PlainReference(case.input)
        for measure in case.measures:
            answers = oracle.answers(parse(measure), "standard")
            assert isinstance(answers, Values | Refused)
            assert answers == PlainReference(case.input).answers(parse(measure), "standard"), f"{case.id}: {measure}"


@pytest.mark.parametrize("name", NAMES)
def test_a_case_shows_that_each_axis_of_a_formula_matters_and_that_no_other_does(name: str) -> None:
    values: dict[tuple[str, str, str], dict[str, str | Decimal]] = {}
    for pinned in PINNED:
        if pinned.name == name:
            values.setdefault((pinned.case.id, pinned.measure, pinned.query), {})[pinned.spec] = pinned.expected
    moved = {axis for (_, measure, _), by_spec in values.items() for axis in _axes_that_move(measure, by_spec)}
    definition = {**MEASURES, **CLUSTERINGS}[name]
    assert moved <= set(definition.axes)
    unmoved = {axis for axis in definition.axes if AXES[axis].stage == "measure"} - moved
    assert unmoved == ({"degenerate"} if name == "MI" else set()), "no case has two values of it"  # MI is never 0/0


def _axes_that_move(measure: str, by_spec: Mapping[str, str | Decimal]) -> Iterator[str]:
    """Yield the axis of each two specs that differ in one axis and in the expected value."""
    parsed = parse(measure)
    for (first, value), (second, other_value) in combinations(by_spec.items(), 2):
        differences = list(conventions_of(first, parsed).differences(conventions_of(second, parsed)))
        if len(differences) == 1 and value != other_value:
            yield differences[0]


def test_measures_of_the_corpus_print_in_the_notation_of_the_case_files() -> None:
    assert [pinned.measure for pinned in PINNED if str(parse(pinned.measure)) != pinned.measure] == []


@pytest.mark.parametrize("case_id", ["notebooks/similarity-ideal-model", "notebooks/similarity-real-model"])
def test_rows_of_a_case_are_computed_from_its_similarity_matrix(case_id: str) -> None:
    case = next(case for case in CASES if case.id == case_id)
    scores = {(query, doc): score for query, doc, score, _ in case.input.run}
    names = [str(query) for query in case.queries]
    matrix = [[scores.get((query, doc), 1.0) for doc in names] for query in names]
    labels = [name.split("-")[0] for name in names]
    qrels, run = from_similarity(matrix, labels, names)
    assert [(query, *line) for query, judgments in qrels.items() for line in judgments] == [*case.input.qrels]
    assert [(query, *row[:2]) for query, rows in run.items() for row in rows] == [row[:3] for row in case.input.run]
    numbered, _ = from_similarity(matrix, labels)
    assert [judgment.doc for judgment in numbered["0"]] == [str(number) for number in range(1, len(names))]


# -- case files with errors ---------------------------------------------------------------------------------------

CASE = """\
question = "a doc at the first rank has reciprocal rank 1"
why = "what else could it have"
source = "own"
tags = ["smoke"]
kills = ["forgets_unretrieved_relevant"]
qrels = \"\"\"
q1 a 1
\"\"\"
run = \"\"\"
q1 a 2.5
\"\"\"

[expect.RR]
standard = "1"
"ties=input" = "2/2"
"""


def linted(folder: Path, text: str | bytes) -> tuple[str, Path]:
    path = folder / "smoke" / "case.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = CliRunner().invoke(command, ["lint", str(path)], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout, path


def test_one_expected_value_is_that_of_the_only_query_and_of_the_mean(tmp_path: Path) -> None:
    printed, path = linted(tmp_path, CASE)
    assert printed == ""
    assert (load(path).expect or {})["RR"]["standard"] == {"q1": "1", "mean": "1"}
    _, path = linted(tmp_path, CASE.replace("q1 a 1\n", "q1 a 1\nq2 a 1\n"))
    assert (load(path).expect or {})["RR"]["standard"] == {"mean": "1"}


WITHOUT_VALUE = "1e999999999 1e-999999999 1e1500 1e-1500 9**9**9 1/0 0/0 ln(0) ln(0-1) sqrt(-1) (-8)**(1/3) 1_000"
ENDLESS = dict.fromkeys(WITHOUT_VALUE.split(), "has no value, or a value of more than 1,000 digits") | {
    "True": "use only numbers",
    "1if 1else 2": "use only numbers",
    "(" * 400 + "1" + ")" * 400: "use only numbers",
    "-" * 5000 + "1": "more than 1,000 characters",
}


@pytest.mark.parametrize(("text", "message"), ENDLESS.items(), ids=range(len(ENDLESS)))
def test_an_expected_value_without_a_number_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(NotArithmetic, match=message):
        evaluate(text)
    printed, path = linted(tmp_path, CASE.replace("2/2", text))
    assert printed.startswith(f"{path}:15: RR: [ties=input]: '{text[:10]}"), printed
    assert printed.count("\n") == 1
    assert len(printed) < len(str(path)) + 250


NO_RIGHT_ANSWER = (1, "a case tagged undefined has no correct value: write measures = […]")
EITHER = (1, "either qrels and run, or true and predicted")
QRELS, RUN = '"""\nq1 a 1\n"""', '"""\nq1 a 2.5\n"""'
STRANGE = {
    "qrels = [" + "[" * 5000: (1, "nested too deep"),
    CASE.replace('"own"', "1999-12-31"): (3, "source: the value must be text"),
    CASE.replace('"own"', "[" * 300 + "]" * 300): (3, "nested too deeply"),
    CASE.replace("q1 a 1\n", "q1 a nan\n"): (7, "the grade nan is not a finite number"),
    CASE.replace("q1 a 1\n", f"q1 a {'9' * 5000}\n"): (7, "… (5,000 characters)' is not a number"),
    CASE.replace("q1 a 1\n", f"q1 a {'9' * 400}\n"): (7, "… (400 characters) is not a finite number"),
    CASE.replace("q1 a 1\n", "q1 a\n"): (7, "is not of the form"),
    CASE.replace("q1 a 2.5", "q1 a 2.5 " + "1" * 5000): (10, "is not a number"),
    CASE.replace(QRELS, '[["q1", "a", inf]]'): (6, "the grade inf is not a finite number"),
    CASE.replace(RUN, f'[["q1", "a", 1{"0" * 400}]]'): (9, "is not a number"),
    CASE.replace('"1"', "9" * 5000): (1, "Exceeds the limit"),
    CASE.replace("2/2", "2/2\x1b[2J"): (15, "Illegal character"),
    CASE.replace("own", "own" * 400_000): (1, "more than 1,048,576 bytes"),
    CASE.replace("[expect.RR]", '[expect."P(rel=' + "-" * 3000 + '1)"]'): (13, "Write a name, parameters"),
    CASE.replace("ties=input", "ties=input ties=worst"): (15, "ties is set twice, to input and worst"),
    CASE.replace('standard = "1"', "standard = 1"): (13, 'expect.RR.standard: 1 is not of types "string", "object"'),
    CASE.replace(QRELS, '[["q1", "a"]]'): (6, 'qrels.0: ["q1","a"] has less than 3 items'),
    CASE.replace(RUN, '[["q1", "a", "high"]]'): (9, 'run.0.2: "high" is not valid under any'),
    CASE.replace("qrels = ", "true = [1]\npredicted = [1]\nqrels = "): EITHER,
    CASE[: CASE.index("qrels")] + 'true = [1]\nmeasures = ["Homogeneity"]': EITHER,
    CASE[: CASE.index("[expect")]: (1, 'add [expect."MEASURE"], or measures = […] without expected values'),
    CASE.replace('"smoke"', '"smoke", "undefined"'): NO_RIGHT_ANSWER,
    CASE.replace('standard = "1"', 'standard = {q1 = "1", q7 = "1"}'): (
        1,
        "a value is expected for query q7, but smoke/case",
    ),
    CASE.replace("2/2", "2/\xe9").encode("latin-1"): (15, "not UTF-8: invalid continuation byte"),
}


@pytest.mark.parametrize(("text", "expected"), STRANGE.items(), ids=range(len(STRANGE)))
def test_a_case_with_an_error_is_refused_with_its_line(
    text: str | bytes, expected: tuple[int, str], tmp_path: Path
) -> None:
    printed, path = linted(tmp_path, text)
    assert printed.startswith(f"{path}:{expected[0]}: "), printed
    assert expected[1] in printed
    assert printed.count("\n") == 1
    assert len(printed) < len(str(path)) + 400


def test_a_folder_is_not_a_case(tmp_path: Path) -> None:
    with pytest.raises(BadCase, match=rf"{tmp_path}:1: is a directory"):
        load(tmp_path)


def test_a_case_with_random_damage_is_read_or_refused_in_printable_lines(tmp_path: Path) -> None:
    refusals = 0
    for seed in range(120):
        chance = random.Random(seed)
        at, to = sorted(chance.sample(range(len(CASE)), 2))
        new = chance.choice(["", "[" * 2000, "\x00", "\u202e", "= 1", '"', "nan", "9" * 400, "'''", "{", "\n"])
        text = CASE[:at] + new + CASE[at if chance.random() < 0.5 else min(to, at + 12) :]
        printed, path = linted(tmp_path, text)
        refusals += printed != ""
        lines = printed.splitlines()
        assert all(re.match(rf"{path}:\d+: ", line) and line.isprintable() for line in lines), (seed, printed)
    assert refusals > 60
