"""The facts that `show` and the site report: held to the reference and to the published values."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import published_run
import pytest
from reference_values import PlainReference

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.explain import lookup
from rankproof.inference.deciding_axes import Facts, axes_that_matter, possible, values_of
from rankproof.inference.equivalent_choices import can_matter
from rankproof.inference.fingerprint_file import AxisFinding, Fingerprint
from rankproof.inference.reference_answers import UNSPECIFIED, Answers, Values
from rankproof.inference.signatures import axes_of
from rankproof.measure_forms import cut_at, key_of, named
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.workers.subjects import names_of

SMALL = 25
CASES = sorted(
    (case for case in corpus.load_all() if not case.undefined and not case.input.of_labels and case.input.size < SMALL),
    key=lambda case: (not case.id.startswith("axes/"), case.input.size, case.id),
)


@cache
def oracle(case: str) -> PlainReference:
    return PlainReference(BY_ID[case].input)


@cache
def facts(case: str) -> Facts:
    return Facts.of(BY_ID[case].input)


BY_ID: dict[str, Case] = {case.id: case for case in corpus.load_all()}


# -- "It can matter to …" ----------------------------------------------------------------------------------------------

BESIDE = {
    ("score_sign", "NumQ"): "unjudged=rejected",
    ("score_sign", "NumRel"): "known=retrieved",
    ("own_doc", "NumQ"): "single=rejected",
    ("own_doc", "NumRel"): "known=retrieved",
    ("own_doc", "Judged"): "judged_denominator=k",
    ("unretrieved", "NumQ"): "known=retrieved",
    ("unretrieved", "NumRel"): "known=retrieved",
    ("relevant", "Judged"): "nohit=nan",
    ("relevant", "ERR"): "nohit=nan",
    **{("relevant", measure): "gain=binary" for measure in ("CG", "DCG", "nDCG")},
    **{("empty", measure): "missing=0-in-counts" for measure in ("NumQ", "NumRel")},
    ("empty", "NumRet"): "missing=nan",
}
"""Beside which other choice it does, where it does not beside `standard`'s."""
AS = {
    ("f_weight", "F"): "F(beta=2)@2",
    ("f_weight", "SetF"): "SetF(beta=2)",
    ("recall_points", "IPrec"): "IPrec@0.4",
    ("r_denominator", "F"): "F(beta=2)@2",
    ("relevant", "NumRet"): "NumRet(rel=1)",
}
NOT_SHOWN = {("relevant", "NumQ"), *product(["nohit"], ("AUC", "RankingLoss", "LRAP", "CoverageError"))}
"""Of these nobody has shown that it does; no fact of a measure says that it does not, and what is unknown counts as mattering."""


def forms_of(axis: str, name: str) -> list[Measure]:
    if (axis, name) in AS:
        return [parse(AS[axis, name])]
    measure = named(name)
    return [measure] if measure.k is None else [cut_at(measure, k) for k in (1, 2, 5)]


def moved_by(axis: str, measure: Measure, base: Conventions) -> str:
    """A case on which two values of an axis give different answers; nothing if there is none."""
    for case in CASES:
        if axis in axes_that_matter(facts(case.id), measure):
            answers = oracle(case.id).answers(measure, base)
            for value in values_of(axis):
                other = base.replace(**{axis: value})
                if possible(measure, axis, value) and oracle(case.id).answers(measure, other) != answers:
                    return case.id
    return ""


@pytest.mark.parametrize("axis", AXES)
def test_an_axis_moves_each_measure_that_it_is_said_to_matter_to(axis: str) -> None:
    for name in lookup.shown_axis(axis).measures:
        if name in MEASURES and (axis, name) not in NOT_SHOWN:
            base = f"standard {BESIDE.get((axis, name), '')}".split()[1:]
            beside = STANDARD.replace(**dict(one.split("=") for one in base))
            assert any(moved_by(axis, measure, beside) for measure in forms_of(axis, name)), (axis, name)


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_not_said_to_matter_to_a_measure_moves_it_nowhere(name: str) -> None:
    measure = named(name) if named(name).k is None else cut_at(named(name), 2)
    silent = [axis for axis in axes_of(measure) if axis not in can_matter(measure)]
    for spec in ("", "grades=two-values", "norel=nan nohit=dropped", "known=retrieved missing=measured empty=missing"):
        base = STANDARD.replace(**dict(one.split("=") for one in spec.split()))
        assert not [axis for axis in silent if moved_by(axis, measure, base)], spec


# -- who follows what --------------------------------------------------------------------------------------------------


def told_of(axis: str) -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """Yield each value with a library that follows it, the other values that its observations allow, and the forms of measures."""
    for value, libraries in lookup.followers(axis, published_run.fingerprints()).items():
        for (library, others), forms in libraries.items():
            yield value, library, others, ";".join(forms)


def published(axis: str) -> dict[tuple[str, str], tuple[Fingerprint, AxisFinding]]:
    called = names_of(one.subject for one in published_run.fingerprints())
    found = [one for one in published_run.fingerprints() if axis in one.axes]
    return {(called[one.subject], one.key): (one, one.axes[axis]) for one in found}


@pytest.mark.parametrize("axis", AXES)
def test_who_is_said_to_follow_a_value_answered_by_it_and_by_no_other(axis: str) -> None:
    """By the case that is said to exclude each other value, the reference gives another answer than by the value that is followed."""
    found = published(axis)
    for value, library, others, forms in told_of(axis):
        for form in forms.split(";")[:2]:
            one, finding = found[library, form]
            # All that could be named is named, and nothing else.
            assert {value, *others} == {finding.value, *finding.same}
            if value == UNSPECIFIED or value != finding.value:
                continue  # beside which choice another could as well be named is not told
            followed = one.profile.replace(**{axis: value})
            for other, case in list(finding.excluded.items())[:3]:
                measures = [m for m in map(parse, BY_ID[case].measures) if key_of(m) == form]
                # Where the order of tied docs is none, what lies between the worst and the best of them excludes nothing.
                ties = ("worst", "best") if followed.ties == UNSPECIFIED else (followed.ties,)
                asked, ways = oracle(case), product(measures, (followed.replace(ties=of_ties) for of_ties in ties))
                each = [[asked.answers(m, way.replace(**{axis: v})) for v in (value, other)] for m, way in ways]
                assert any(by_one != by_other for by_one, by_other in each), (library, form, value, other, case)


SEVERAL = ["ideal", "known", "negative", "ap_denominator", "ideal_cut", "discount", "run_duplicates", "relevant"]


@pytest.mark.parametrize("axis", SEVERAL)
def test_values_that_are_said_to_come_to_the_same_do(axis: str) -> None:
    """Query by query, on every case that is put to the form, and on the small ones of the pool."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for (_, form), (one, finding) in published(axis).items():
        if not finding.same or finding.value is None or (form, finding.could_be) in seen:
            continue
        seen.add((form, finding.could_be))
        for case in [case for case in CASES if case.id.startswith("axes/")][:40]:
            for measure in [m for m in map(parse, case.measures) if key_of(m) == form][:1]:
                ways = [one.profile.replace(**{axis: value}) for value in finding.could_be]
                each = [oracle(case.id).answers(measure, way) for way in ways]
                assert all(same_by_query(each[0], other) for other in each), (form, case.id, finding.could_be)
    assert seen or axis == "known"


def same_by_query(one: Answers, other: Answers) -> bool:
    """Logarithms are rounded, far behind what a float has."""
    if not isinstance(one, Values) or not isinstance(other, Values):
        return type(one) is type(other)
    floats = [{query: to_float(value) for query, value in each.per_query.items()} for each in (one, other)]
    return floats[0] == pytest.approx(floats[1], rel=1e-12, nan_ok=True)


def test_a_library_that_never_sees_the_other_docs_is_not_said_to_look_at_all_of_them() -> None:
    """Which docs are known is another axis; where only those of the rows are, several values of `ideal` come to the same."""
    found = published("ideal")
    # Beside ideal=given the axis `known` may be idle, and then no finding: the profile says it.
    blind = {key for key, (one, _) in found.items() if one.profile.known == "retrieved"}
    assert len({library for library, _ in blind}) >= 3
    for value, library, others, forms in told_of("ideal"):
        for form in forms.split(";"):
            assert ("given" in {value, *others}) == ((library, form) in blind or library == "catboost"), (library, form)
    for meaning in (AXES["ideal"].meaning("judged"), AXES["ideal"].phrase("judged")):
        assert "retrieved or not" not in meaning
