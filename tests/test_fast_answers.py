"""By the column and by the row, `evaluate` gives the same: for all measures, profiles and conventions, and for inputs of every kind."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import DOCS, Query, queries

from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.float_answers import KNOWN, Values, answers, form_of
from rankproof.evaluating.fast.judged_columns import Given
from rankproof.evaluating.fast.text_fields import text_of
from rankproof.evaluating.fast.trec_columns import qrels_columns, run_columns
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Answer, Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import PROFILES
from rankproof.reference_impl.ranking import Judgment, Row

ALL = settings(settings.get_profile("laws"), max_examples=150)
CUTOFFS = {
    "none": [""],
    "optional": ["", "@1", "@2", "@3", "@7"],
    "required": ["@1", "@3", "@7"],
    "recall": ["@0", "@0.1", "@0.7", "@1"],
}
FORMS = {
    "": sorted(MEASURES),
    "(rel=2)": [name for name, one in sorted(MEASURES.items()) if "rel" in one.params],
    "(rel=-1)": ["P", "AP"],
    "(judged_only=True)": ["nDCG", "AP", "P"],
    "(dcg='exp-log2')": ["nDCG"],
    "(gains={0:1,1:3,2:0.5})": ["nDCG", "DCG"],
    "(beta=2)": ["F", "SetF"],
    "(p=0.5)": ["RBP"],
    "(p=0)": ["RBP"],
    "(p=1)": ["RBP"],
}
ASKED = [
    parse(f"{name}{params}{cutoff}")
    for params, names in FORMS.items()
    for name in names
    for cutoff in CUTOFFS[MEASURES[name].cutoff]
]
RELS = (0, 0, 0, 1, 2, 3, 4, -1, -2, 0.5, 1.5, 0.1)


def values_of(axis: str) -> list[str]:
    """The values of an axis that are tried."""
    return [*AXES[axis].values, *AXES[axis].also_tried, *(["map:0=1,1=2"] if axis == "gain" else [])]


@st.composite
def conventions(draw: st.DrawFn, *, most: int = 5) -> Conventions:
    """A profile with some axes changed."""
    base = draw(st.sampled_from([one for profile in PROFILES.values() for one in profile.of.values()]))
    axes = draw(st.lists(st.sampled_from(sorted(AXES)), max_size=most, unique=True))
    return base.replace(**{axis: draw(st.sampled_from(values_of(axis))) for axis in axes})


@st.composite
def collections(draw: st.DrawFn, *, rels: Sequence[float] = RELS) -> Mapping[str, Query]:
    """A few queries with ties, unjudged docs, and docs that were not retrieved; some without rows, some without judgments."""
    drawn = draw(st.lists(queries(docs=len(DOCS), rels=rels, scores=3), min_size=1, max_size=4))
    named = {name: query for name, query in zip(("1", "q two", "é", "20"), drawn, strict=False)}  # noqa: C416 - as many as there are
    return {name.replace(" ", "-"): query for name, query in named.items()}


def texts(collection: Mapping[str, Query], order: Sequence[int] = ()) -> tuple[bytes, bytes]:
    """The qrels and the run as TREC files, their lines in some order."""
    qrels = [f"{q} 0 {j.doc} {j.rel}\n" for q, query in collection.items() for j in query.judgments]
    run = [f"{q} Q0 {row.doc} {row.rank} {row.score} t\n" for q, query in collection.items() for row in query.rows]
    if order:
        run.sort(key=lambda line: order[hash_of(line) % len(order)])
    return "".join(qrels).encode(), "".join(run).encode()


def hash_of(line: str) -> int:
    """A number for a line, the same in every process."""
    return sum(line.encode())


def columns(qrels: bytes, run: bytes, own: Conventions) -> Given:
    """The same as columns."""
    judgments = qrels_columns(text_of(bytearray(qrels)))
    return Given(judgments, run_columns(text_of(bytearray(run)), judgments, own))


def rows(qrels: bytes, run: bytes) -> Collection:
    """The same as rows."""
    judged: dict[str, list[Judgment]] = {}
    for line in qrels.decode().split("\n")[:-1]:
        query, _, doc, rel = line.split()
        judged.setdefault(query, []).append(Judgment(doc, float(rel)))
    ranked: dict[str, list[Row]] = {}
    for line in run.decode().split("\n")[:-1]:
        query, _, doc, rank, score, _ = line.split()
        ranked.setdefault(query, []).append(Row(doc, float(score), int(rank)))
    return Collection(judged, ranked)


def exactly(collection: Collection, measure: Measure, own: Conventions) -> Answer | type[Exception]:
    """What the readable path answers, or how it refuses."""
    try:
        return collection.answer(measure, own)
    except ValueError as error:
        return type(error)


def quickly(given: Given, measure: Measure, own: Conventions) -> Values | type[Exception]:
    """The same of the columnar path."""
    try:
        return answers(given, {"": (measure, own)})[""]
    except (ValueError, NotColumnar) as error:
        return type(error)


def close(a: float, b: float) -> bool:
    """Whether two values are the same to 1e-12, or both undefined."""
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=0)


def assert_same(got: Values | type[Exception], wanted: Answer | type[Exception], what: object) -> None:
    """That columns answer as rows do; what rows refuse, columns may leave to them."""
    if isinstance(wanted, type):
        assert got in {wanted, NotColumnar}, what
        return
    if got is NotColumnar:
        return
    assert isinstance(got, Values), what
    assert list(got.per_query) == list(wanted.per_query), what
    for query, value in wanted.per_query.items():
        assert close(got.per_query[query], to_float(value)), (what, query, got.per_query[query], to_float(value))
    assert close(got.mean, to_float(wanted.mean)), (what, got.mean, to_float(wanted.mean))


def hold_equal(
    collection: Mapping[str, Query], own: Conventions, asked: Sequence[Measure], order: Sequence[int] = ()
) -> None:
    """That all of these measures are the same by both ways."""
    qrels, run = texts(collection, order)
    if not qrels or not run:
        return
    by_row, by_column = rows(qrels, run), columns(qrels, run, Conventions(order="rank", score_sign="positive"))
    for measure in asked:
        wanted = exactly(by_row, measure, own)
        assert_same(quickly(by_column, measure, own), wanted, (str(measure), own.spec(), qrels, run))


@ALL
@given(collections(), conventions(), st.lists(st.integers(0, 5), max_size=6))
def test_all_measures_are_the_same_under_any_conventions(
    collection: Mapping[str, Query], own: Conventions, order: list[int]
) -> None:
    hold_equal(collection, own, ASKED, order)


@pytest.mark.parametrize("name", PROFILES)
@given(collection=collections(rels=(0, 1, 2)))
def test_all_measures_are_the_same_under_every_profile(name: str, collection: Mapping[str, Query]) -> None:
    for measure in ASKED:
        hold_equal(collection, PROFILES[name].conventions(measure), [measure])


@pytest.mark.parametrize("ties", AXES["ties"].values)
@given(collection=collections(rels=(0, 1, 3)))
def test_all_measures_are_the_same_under_every_rule_for_ties(ties: str, collection: Mapping[str, Query]) -> None:
    hold_equal(collection, STANDARD.replace(ties=ties), ASKED)
