"""The diagnosis of defects that explain values no conventions explain; `tests/check` has functions with defects."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.defects.catalogue import catalogue
from rankproof.defects.defect import BrokenMeasure, Defect, Way, broken_answer
from rankproof.inference.diagnosis import Diagnosis, defect_in, diagnosed, suspects
from rankproof.inference.evidence import Evidence, ReferenceQuestion
from rankproof.inference.input_traits import is_ordinary
from rankproof.inference.recalled import recalled
from rankproof.inference.reference_answers import Answers, collection, outcome_of, reading_of
from rankproof.measure_forms import cut_at
from rankproof.reference_impl.conventions import STANDARD, Conventions, parse_conventions
from rankproof.reference_impl.notation import Measure, parse

OWN = {name: defect for name, defect in catalogue().items() if not defect.is_another_measure}
FIRST_WAYS = [pytest.param(defect, defect.ways[0], id=name) for name, defect in OWN.items()]


@cache
def few(step: int = 1) -> tuple[Case, ...]:
    """Return quick cases that distinguish formulas, most of them ordinary; a larger step returns fewer cases."""
    topics = {"cutoff": 20, "gain": 12, "ideal": 20, "denominators": 20, "ties": 14, "queries": 14}
    cases: list[Case] = []
    for topic, most in topics.items():
        of_topic = [case for case in corpus.load_all() if case.id.startswith(f"{topic}/") and not case.of_labels]
        usual = [case for case in of_topic if is_ordinary(case.input)]
        others = [case for case in of_topic if case not in usual and "2-to-the" not in case.id]
        cases += [*usual[:most:step], *others[:3:step]]
    return tuple(cases)


def evidence_of_numbers(case: Case, measure: Measure, numbers: Mapping[str | None, float]) -> Evidence:
    return Evidence(ReferenceQuestion(case, measure), tuple(numbers.items()), frozenset(numbers), None, "float64")


def case_with(case_id: str, data: Input) -> Case:
    return replace(few()[0], id=case_id, input=data)


def observed(measure: Measure, case: Case, answers: Answers) -> Evidence:
    every = {query: reading_of(answers, query) for query in (None, *map(str, case.queries))}
    numbers = {query: value for query, value in every.items() if isinstance(value, float)}
    return evidence_of_numbers(case, measure, numbers)


def answered(measure: str, spec: str, way: Way | None = None, step: int = 1) -> list[Evidence]:
    """Return the values of a measure or of a broken formula for the cases, with small cutoffs if it has a cutoff."""
    parsed, conventions = parse(measure), parse_conventions(spec)
    pieces = []
    for case in few(step)[:: 1 if parsed.k is None else 2]:
        for measured in {parsed} if parsed.k is None else [cut_at(parsed, k) for k in sorted({1, 2, 3, parsed.k})]:
            formula = measured if way is None else BrokenMeasure(measured, way)
            pieces.append(observed(measured, case, recalled(case.input).answers(formula, conventions)))
    return [measured for measured in pieces if measured.rows]


def found_in(measure: str, pieces: Sequence[Evidence], nearest: Conventions = STANDARD) -> Diagnosis | None:
    return diagnosed(parse(measure), pieces, nearest, "float64")


# -- defects and conventions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("defect", "way"), FIRST_WAYS)
def test_defect_is_found_by_its_values(defect: Defect, way: Way) -> None:
    assert way.witness is not None
    measure = way.witness.measure
    diagnoses = (found_in(measure, answered(measure, way.witness.profile, way, step)) for step in (6, 2, 1))
    diagnosis = next((diagnosis for diagnosis in diagnoses if diagnosis is not None), None)
    assert diagnosis is not None, f"{defect.name} is not found in {measure}"
    assert defect.name in diagnosis.names


@pytest.mark.parametrize(
    ("name", "measure", "spec"),
    [
        ("last-doc-lost", "DCG@3", "gain=exp ties=input"),
        ("ideal-of-the-hits", "nDCG@2", "gain=exp ties=input-reversed"),
    ],
)
def test_defect_is_found_together_with_conventions(name: str, measure: str, spec: str) -> None:
    diagnosis = found_in(measure, answered(measure, spec, catalogue()[name].ways[0]))
    assert diagnosis is not None
    assert name in diagnosis.names
    assert STANDARD.differences(diagnosis.profile) == STANDARD.differences(parse_conventions(spec))


@pytest.mark.parametrize(
    ("measure", "spec"),
    [
        ("AP@3", "ap_denominator=hits"),
        ("nDCG@2", "gain=exp ideal=retrieved"),
        ("R@2", "r_denominator=min-k-R known=retrieved"),
        ("RR@2", "ties=worst relevant=above-zero"),
    ],
)
def test_values_that_conventions_explain_show_no_defect(measure: str, spec: str) -> None:
    """The first conventions of the search do not explain the values."""
    assert found_in(measure, answered(measure, spec, step=2)) is None


def test_profile_of_a_defect_has_no_idle_conventions() -> None:
    pieces = answered("AP", "ap_denominator=hits", OWN["precisions-not-divided"].ways[0])
    diagnosis = found_in("AP", pieces, parse_conventions("ap_denominator=hits"))
    assert diagnosis is not None
    assert diagnosis.profile == STANDARD


def test_measures_of_labelings_have_no_defect() -> None:
    assert diagnosed(parse("ARI"), [], STANDARD, "float64") is None


def test_suspects_depend_on_facts_of_the_measure() -> None:
    names = {suspect.defect.name for suspect in suspects(Measure("ERR", (), 3))}
    assert {"cutoff-ignored", "last-doc-lost", "ranked-backwards", "percent"} <= names
    assert not {"last-hit", "ideal-of-the-hits", "precisions-not-divided", "hits-not-divided"} & names


# -- number of values that decide ---------------------------------------------------------------------------------------


def hits_counted(i: int) -> Evidence:
    """Return R@2 as a count of hits: 2 of 3 to 7 relevant documents of one query, and a correct 1 of 1 for the other."""
    way, measure, docs = OWN["hits-not-divided"].ways[0], parse("R@2"), "abcdefgh"[: 3 + i % 4 + i // 4 % 2]
    rows = tuple(("1", doc, 1.0 / rank, rank) for rank, doc in enumerate(docs, start=1))
    data = Input((*(("1", doc, 1) for doc in docs), ("2", "z", 1)), (*rows, ("2", "z", 1.0, 1)))
    answers = outcome_of(lambda: broken_answer(BrokenMeasure(measure, way), collection(data), STANDARD))
    numbers = {query: number for query in ("1", "2") if isinstance(number := reading_of(answers, query), float)}
    return evidence_of_numbers(case_with(f"case-{i}", data), measure, numbers)


def test_defect_may_miss_one_value_in_twenty() -> None:
    pieces = [hits_counted(i) for i in range(24)]
    odd = [replace(one, rows=(("1", 7.7), *(row for row in one.rows if row[0] != "1"))) for one in pieces]
    diagnosis = found_in("R@2", [*odd[:1], *pieces[1:]])
    assert diagnosis is not None
    assert (diagnosis.names, diagnosis.explained, diagnosis.unexplained) == (("hits-not-divided",), 23, 24)
    assert found_in("R@2", [*odd[:2], *pieces[2:]]) is None, "two of 24 are more"


def test_few_values_show_no_defect() -> None:
    broken = answered("RR", "", OWN["last-hit"].ways[0])
    right = answered("RR", "")
    differ = [
        i for i in range(len(right)) if right[i].rows != broken[i].rows and is_ordinary(right[i].question.case.input)
    ]
    assert found_in("RR", [broken[i] if i in differ[:2] else right[i] for i in range(len(right))]) is None


def values_of_the_whole_ranking(tied: int) -> Iterator[Evidence]:
    """Yield thirty values without ties that ignore the cutoff, and unexplained ones with ties."""
    so_many = Counter[bool]()
    for case in corpus.load_matching(["cutoff/*", "ties/*", "gain/*", "discount/*"]):
        with_ties = case.input.has_ties
        is_plain = not case.undefined and {rel for *_, rel in case.input.qrels} <= {0, 1, 2, 3, 4}
        if is_plain and so_many[with_ties] < (tied if with_ties else 30):
            value = reading_of(recalled(case.input).answers(parse("nDCG"), STANDARD), None)
            so_many[with_ties] += 1
            number = 0.11 * so_many[True] if with_ties else value
            if isinstance(number, float):
                yield evidence_of_numbers(case, parse("nDCG@3"), {None: number})


@pytest.mark.parametrize("tied", [8, 0])
def test_defect_that_ties_hide_is_found_in_input_without_ties(tied: int) -> None:
    diagnosis = defect_in(parse("nDCG@3"), list(values_of_the_whole_ranking(tied)), STANDARD, ["float64"])
    assert diagnosis is not None
    assert (diagnosis.names, diagnosis.without_ties) == (("cutoff-ignored",), tied > 0)
    assert diagnosis.sentence.endswith(" on input without ties") is (tied > 0)


def value_at_five(i: int, rels: Mapping[str, int], docs: Sequence[str], value: float) -> Evidence:
    """Return a value of P@5 for one query without ties."""
    rows = tuple(("q", doc, 9.0 - at, at) for at, doc in enumerate(docs, start=1))
    data = Input(tuple(("q", doc, rel) for doc, rel in rels.items()), rows)
    return evidence_of_numbers(case_with(f"{i:03}", data), parse("P@5"), {"q": value})


def precision_at_five(i: int, *, unjudged: bool) -> Evidence:
    """Return P@5 of three documents, divided by their number without unjudged ones."""
    rels = {"a": 1, "b": int(i % 3 == 0 and not unjudged), "c": 0}
    docs = ("a", "b", "u" if unjudged else "c")
    return value_at_five(i, rels, docs, sum(rels.values()) / (2 if unjudged else 3))


def test_conventions_that_few_cases_show_are_not_a_defect() -> None:
    """The first cases of the search have no unjudged document."""
    pieces = [precision_at_five(i, unjudged=i in {33, 54, 75}) for i in range(120)]
    assert diagnosed(parse("P@5"), pieces, STANDARD, "float64") is None
    own = STANDARD.replace(p_denominator="min-k-n", unjudged="removed")
    assert not any(piece.missed(vars(own)) for piece in pieces)
    other = vars(own.replace(unjudged="non-relevant"))
    assert [i for i, piece in enumerate(pieces) if piece.missed(other)] == [33, 54, 75]


def hits_over_five(i: int, *, is_short: bool) -> Evidence:
    """Return P@5 without a cutoff: hits among seven documents divided by 5, or among three divided by 3."""
    relevant = {f"d{at}" for at in range(1 + i % (2 if is_short else 3))} | (set() if is_short else {"d6"})
    docs = [f"d{at}" for at in range(3 if is_short else 7)]
    rels = {f"d{at}": int(f"d{at}" in relevant) for at in range(11 if is_short else 7)}
    return value_at_five(i, rels, docs, len(relevant) / (3 if is_short else 5))


def test_defect_is_found_with_a_convention_that_no_early_question_shows() -> None:
    pieces = [hits_over_five(i, is_short=i > 7 and i % 7 in {3, 4}) for i in range(240)]
    diagnosis = diagnosed(parse("P@5"), pieces, STANDARD, "float64")
    assert diagnosis is not None
    assert (diagnosis.names, diagnosis.profile) == (("cutoff-ignored",), STANDARD.replace(p_denominator="min-k-n"))
    assert (diagnosis.explained, diagnosis.unexplained) == (240, 240)


def test_explained_values_are_counted_by_question() -> None:
    """The cases have three queries each, and the defect explains all of them."""
    pieces = []
    for i in range(40):
        one = hits_over_five(i, is_short=False)
        given = one.question.case.input
        rows = [[(f"q{n}", *row[1:]) for row in each for n in "abc"] for each in (given.qrels, given.run)]
        data = Input(*map(tuple, rows))
        pieces.append(
            evidence_of_numbers(case_with(f"{i:03}", data), parse("P@5"), {f"q{n}": one.rows[0][1] for n in "abc"})
        )
    diagnosis = diagnosed(parse("P@5"), pieces, STANDARD, "float64")
    assert diagnosis is not None
    assert (diagnosis.names, diagnosis.explained, diagnosis.unexplained) == (("cutoff-ignored",), 40, 40)
