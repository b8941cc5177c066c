"""Undetermined axes: `evaluate` warns if another choice changes a value of this input, and reports those values."""

import math
from collections import ChainMap
from collections.abc import Iterator
from typing import Any

import published_run
import pytest
from reference_values import PlainReference
from written_queries import dicts_of

import rankproof
from rankproof.cases.inputs import Input
from rankproof.evaluate.library_profiles import profile_named
from rankproof.evaluate.open_choices import OtherChoice, open_choices
from rankproof.evaluate.result import FloatValues
from rankproof.inference.deciding_axes import possible, values_of
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.inference.reference_answers import Answers, Refused, Values
from rankproof.inference.signatures import parse
from rankproof.measure_forms import cut_at, measure_of
from rankproof.reference_impl.conventions import Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure

PLAIN_QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1, "c": 1}, "3": {"a": 1, "b": 1, "c": 0}}
PLAIN_RUN = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in PLAIN_QRELS}
"""A run in which only the formula matters: every document is judged and retrieved, and each query has a hit."""
ODD_QRELS = dicts_of("1 a=1 b=0 c=2 e=-1 / 2 a=1 b=3 / 3 a=0 b=0 / 4 d=1 / 6 a=1")
ODD_RUN = dicts_of("1 a=3 e=3 b=2 d=-1 / 2 b=3 a=1 / 3 c=2 a=1 / 4 x=2.5 y=2.5 / 5 x=2")
MISSED_QRELS = dicts_of("1 a=2 b=1 c=0 d=3 / 2 a=1 b=0 / 3 a=1")
MISSED_RUN = dicts_of("1 b=2 c=1 e=0.5 / 2 b=2 a=1 / 3 b=2")


def undetermined(measures: Any, qrels: Any, run: Any, **options: Any) -> list[Any]:
    """Return the warnings about undetermined axes."""
    warnings = rankproof.evaluate(measures, qrels, run, **options).warnings
    return [warning for warning in warnings if warning.kind == "undetermined"]


# -- warnings of `evaluate` --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("each_path")
def test_axes_that_cannot_change_a_value_are_not_reported() -> None:
    axes = "P@2|missing:?|norel:?|empty:?|nohit:?|negative:?|qrels_duplicates:?|ties:?input/unspecified|score:?|ids:?|no_query:?"
    assert not undetermined([], PLAIN_QRELS, PLAIN_RUN, signature=axes)


@pytest.mark.usefixtures("each_path")
def test_a_mean_over_no_query_is_reported_only_if_there_is_no_query() -> None:
    qrels, axes = {"1": {"a": 0}, "2": {"a": 0, "b": 0}, "3": {"b": 0}}, "P@2|norel:dropped|no_query:?"
    (warning,) = undetermined([], qrels, PLAIN_RUN, signature=axes)
    changes = "no_query is undetermined and can change values"
    assert warning.text == f"{changes}: no_query=nan is used (P@2 is nan); it could be no_query=0 (P@2 0.0000)"
    for relevant in qrels:
        assert not undetermined([], {**qrels, relevant: {"a": 1}}, PLAIN_RUN, signature=axes), relevant


BOTH = ["gain_threshold=applied relevant=at-least", "relevant=at-least gain_threshold=applied"]


@pytest.mark.parametrize(
    ("axes", "changes"),
    [
        ("relevant:?above-zero/at-least|gain_threshold:?applied/ignored", ["relevant=at-least"]),
        ("relevant:?above-zero/at-least|gain_threshold:?ignored/applied", BOTH),
        ("relevant:?above-zero/at-least/above-half|gain_threshold:?ignored/applied", BOTH),
        ("relevant:?above-zero/at-least|gain_threshold:ignored", []),
        ("gain_threshold:?ignored/applied|relevant:above-zero", []),
    ],
)
def test_a_choice_that_matters_only_with_another_choice_is_reported_with_it(axes: str, changes: list[str]) -> None:
    """Both documents have a gain, and only an applied threshold of 1 removes a gain."""
    whole, without = pytest.approx(0.5 + 1 / math.log2(3)), pytest.approx(1 / math.log2(3))
    warnings = undetermined([], {"1": {"a": 0.5, "b": 1}}, {"1": {"a": 2.0, "b": 1.0}}, signature=f"DCG@2|{axes}")
    values = sorted((dict(warning.values) for warning in warnings), key=lambda of: max(of, key=len))
    assert values == [{"DCG@2": whole, f"DCG@2 {change}": without} for change in changes]


@pytest.mark.parametrize(("most", "is_measured"), [(2, True), (1, False)])
def test_more_choices_than_may_be_measured_are_reported_without_values(most: int, *, is_measured: bool) -> None:
    def measured(_measure: Measure, conventions: Conventions) -> FloatValues:
        return FloatValues({}, {"0": 0.25, "nan": 0.5, "dropped": 0.25}[conventions.missing])

    (choice,) = open_choices(parse("P@2|missing:?0/nan/dropped"), measured, tied=False, most=most)
    unmeasured = OtherChoice("missing=nan", None), OtherChoice("missing=dropped", None)
    assert (choice.taken, choice.mean) == ("0", 0.25)
    assert choice.others == ((OtherChoice("missing=nan", 0.5),) if is_measured else unmeasured)


IDEAL = 2**33 - 1 + 1 / math.log2(3)
"""The ideal gain of the grades 33, 1 and 0; the tied documents contribute a small part."""


@pytest.mark.usefixtures("each_path")
@pytest.mark.parametrize(
    ("qrels", "run", "signature", "taken", "other"),
    [
        # Query 3 retrieves one document, so `single` alone refuses it under every value of `extra`.
        (
            MISSED_QRELS,
            MISSED_RUN,
            "P@2|norel:dropped|extra:?ignored/measured|single:?measured/rejected",
            "single=measured is used (P@2 is 0.3333)",
            "single=rejected (refused)",
        ),
        # The run lacks query 2 and has no empty list, so `missing` alone drops it under every value of `empty`.
        (
            dicts_of("1 a=1 / 2 a=1 / 3 b=1"),
            dicts_of("3 a=1 / 1 a=2"),
            "P@1|missing:?0/dropped|empty:?0/missing",
            "missing=0 is used (P@1 is 0.3333)",
            "missing=dropped (P@1 0.5000)",
        ),
        (
            dicts_of("1 a=2 b=0"),
            dicts_of("1 a=2 b=1"),
            "P@1|grades:?any/binary/truncated",
            "grades=any is used (P@1 is 1.0000)",
            "grades=binary (refused)",
        ),
        (
            dicts_of("q a=33 b=1 c=0"),
            dicts_of("q a=9 b=1 c=1"),
            "nDCG@3|gain:exp|ties:?input/input-reversed",
            "ties=input is used (nDCG@3 is 1.0000)",
            f"ties=input-reversed (nDCG@3 {(2**33 - 1 + 1 / 2) / IDEAL:.11f})",
        ),
    ],
    ids=["refused by another axis", "dropped by another axis", "a row is refused", "the eleventh digit"],
)
def test_the_effect_of_an_axis_alone_is_reported_with_enough_digits(
    qrels: Any, run: Any, signature: str, taken: str, other: str
) -> None:
    (warning,) = undetermined([], qrels, run, signature=signature)
    axis = taken.partition("=")[0]
    assert warning.text == f"{axis} is undetermined and can change values: {taken}; it could be {other}"


# -- profiles of libraries ---------------------------------------------------------------------------------------------


def forms_with_open_axes() -> Iterator[Fingerprint]:
    """Yield some forms with undetermined axes for each variant of each library."""
    by_subject: dict[str, list[Fingerprint]] = {}
    for form in published_run.fingerprints():
        if not measure_of(form.key).of_labels and set(parse(form.signature).open) - {"ids"}:
            by_subject.setdefault(form.subject.signed, []).append(form)
    for forms in by_subject.values():
        yield from forms[:: max(1, len(forms) // 2)]


def test_axes_of_libraries_are_reported_if_and_only_if_the_reference_changes_with_them() -> None:
    reported, unreported = set[tuple[str, str]](), set[tuple[str, str]]()
    for form in forms_with_open_axes():
        measure = cut_at(measure_of(form.key), 2) if "@k" in form.key else measure_of(form.key)
        for qrels, run in ((PLAIN_QRELS, PLAIN_RUN), (ODD_QRELS, ODD_RUN), (MISSED_QRELS, MISSED_RUN)):
            try:
                result = rankproof.evaluate([measure], qrels, run, profile=form.subject.signed)
            except ValueError:
                continue  # the conventions of the library refuse the input
            (name,) = result.mean
            warnings = [warning for warning in result.warnings if warning.kind == "undetermined"]
            numbers, texts = ChainMap(*(dict(w.values) for w in warnings)), " ".join(w.text for w in warnings)
            reference, taken = (
                PlainReference(_input(qrels, run)),
                profile_named(form.subject.signed).conventions(measure),
            )
            base = reference.answers(measure, taken)
            for axis, values in parse(form.signature).open.items():
                changes = False
                for value in (v for v in values or values_of(axis) if possible(measure, axis, v) and axis != "ids"):
                    if value in {getattr(taken, axis), "unspecified"}:
                        continue
                    answers = reference.answers(measure, taken.replace(**{axis: value}))
                    if isinstance(answers, Values | Refused) and not is_as(answers, base):
                        changes = True
                        assert f"{axis}={value}" in texts, (form.signature, axis, value)
                        if isinstance(answers, Values) and math.isfinite(mean := to_float(answers.mean)):
                            assert numbers[f"{name} {axis}={value}"] == pytest.approx(mean), (form.signature, value)
                is_reported = f"{axis} is undetermined and can change values" in texts
                pair_or_order = f"could be {axis}=" in texts and ("=unspecified" in texts or " missing=" in texts)
                assert is_reported == changes or (is_reported and pair_or_order), (form.signature, axis, texts)
                (reported if is_reported else unreported).add((form.library, axis))
    assert min(len(reported), len(unreported)) >= 9, "too few libraries or axes were compared"


def is_as(answers: Answers, base: Answers) -> bool:
    """Return whether values are equal, except for the last of many digits, which a geometric mean may change."""
    if not (isinstance(answers, Values) and isinstance(base, Values)) or None in {answers.mean, base.mean}:
        return answers == base
    means = to_float(answers.mean), to_float(base.mean)
    return answers.per_query == base.per_query and means[0] == pytest.approx(means[1], rel=1e-12)


def _input(qrels: Any, run: Any) -> Input:
    judged, scored = ([(q, d, v) for q, docs in side.items() for d, v in docs.items()] for side in (qrels, run))
    return Input(tuple(judged), tuple((*row, rank) for rank, row in enumerate(scored, start=1)))
