"""By the column and by the row, `evaluate` gives the same: for all measures, profiles and conventions, and for inputs of every kind."""

import importlib.util
import math
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from both_ways import by_columns, evaluated
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import DOCS, Query, queries

import rankproof
from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.evaluate import quick
from rankproof.evaluate.fast import docs_in_order, float_answers, numpy_queries
from rankproof.evaluate.fast.arrays import NotColumnar, RefusedColumns
from rankproof.evaluate.fast.float_answers import KNOWN, Columns, answers_of, in_floats_of
from rankproof.evaluate.fast.grouped_columns import qrels_columns, run_columns
from rankproof.evaluate.fast.judged_columns import SettledColumns
from rankproof.evaluate.fast.numpy_queries import ColumnQueries
from rankproof.evaluate.fast.text_tables import Text, trec_rows
from rankproof.evaluate.float_values import FloatValues
from rankproof.evaluate.inputs.trec_files import QRELS_LINE, RUN_LINE
from rankproof.reference_impl.all_queries import NoFloatForm
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.definition import Definition
from rankproof.reference_impl.evaluation import Answer, Collection, NotPooled
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.measures import MEASURES
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.profiles import PROFILES, profile
from rankproof.reference_impl.ranking import Judgment, QueryRow, Ranking, Rejected

ALL = settings(max_examples=min(150, 4 * settings.default.max_examples))
CUTOFFS = {
    "none": [""],
    "optional": ["", "@1", "@2", "@3", "@7"],
    "required": ["@1", "@3", "@7"],
    "recall": ["@0", "@0.1", "@0.7", "@1"],
}
WRITTEN = {
    "": sorted(MEASURES),
    "(rel=2)": [name for name, one in sorted(MEASURES.items()) if "rel" in one.params],
    "(rel=-1)": ["P", "AP"],
    "(judged_only=True)": ["nDCG", "AP", "P"],
    "(dcg='exp-log2')": ["nDCG"],
    "(gains={0:1,1:3,2:0.5})": ["nDCG", "DCG"],
    "(beta=2)": ["F", "SetF"],
    "(relative=True)": ["SetP"],
    "(p=0.5)": ["RBP"],
    "(p=0)": ["RBP"],
    "(p=1)": ["RBP"],
}
NAMED = [(name, params) for params, names in WRITTEN.items() for name in names]
ASKED = [parse(f"{name}{params}{cutoff}") for name, params in NAMED for cutoff in CUTOFFS[MEASURES[name].cutoff]]
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


@lru_cache(maxsize=8)  # many measures are asked of the same few, one after the other
def columns(qrels: bytes, run: bytes) -> SettledColumns:
    """The same as columns."""
    judgments = qrels_columns(trec_rows(Text(qrels), QRELS_LINE).rows)
    return SettledColumns(judgments, run_columns(trec_rows(Text(run), RUN_LINE, ranks=True).rows, judgments))


def rows(qrels: bytes, run: bytes) -> Collection:
    """The same as rows."""
    judged: dict[str, list[Judgment]] = {}
    for line in qrels.decode().split("\n")[:-1]:
        query, _, doc, rel = line.split()
        judged.setdefault(query, []).append(Judgment(doc, float(rel)))
    ranked: dict[str, list[QueryRow]] = {}
    for line in run.decode().split("\n")[:-1]:
        query, _, doc, rank, score, _ = line.split()
        ranked.setdefault(query, []).append(QueryRow(doc, float(score), int(rank)))
    return Collection(judged, ranked)


def exactly(collection: Collection, measure: Measure, own: Conventions) -> Answer | type[Exception]:
    """What the readable path answers, or how it refuses."""
    try:
        return collection.answer(measure, own)
    except ValueError as error:
        return type(error)


def quickly(given: Columns, measure: Measure, own: Conventions) -> FloatValues | type[Exception]:
    """The same of the columnar path."""
    try:
        return answers_of(given, {"": (measure, own)}).of[""]
    except (ValueError, NotColumnar) as error:
        return type(error)


def close(a: float, b: float) -> bool:
    """Whether two values are the same to 1e-12, or both undefined."""
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=0)


def assert_same(got: FloatValues | type[Exception], wanted: Answer | type[Exception], what: object) -> None:
    """That columns answer as rows do; what rows refuse, columns may leave to them, and what these say is refused is so."""
    if isinstance(wanted, type):
        is_left = got is NotColumnar or (got is RefusedColumns and issubclass(wanted, Rejected | NotPooled))
        assert got is wanted or is_left, what
        return
    if got is NotColumnar:
        return
    assert isinstance(got, FloatValues), what
    assert list(got.per_query) == list(wanted.per_query), what
    for query, value in wanted.per_query.items():
        assert close(got.per_query[query], to_float(value)), (what, query, got.per_query[query], to_float(value))
    assert close(got.mean, to_float(wanted.mean)), (what, got.mean, to_float(wanted.mean))


def hold_equal(
    given: Mapping[str, Query], own: Conventions, asked: Sequence[Measure], order: Sequence[int] = ()
) -> None:
    """That all of these measures are the same by both ways."""
    qrels, run = texts(given, order)
    if not qrels or not run:
        return
    by_row, by_column = rows(qrels, run), columns(qrels, run)
    for measure in asked:
        wanted = exactly(by_row, measure, own)
        assert_same(quickly(Columns(by_column), measure, own), wanted, (str(measure), own.spec(), qrels, run))


SOME = st.lists(st.sampled_from(ASKED), min_size=10, max_size=10)


@ALL
@given(collections(), conventions(), st.lists(st.integers(0, 5), max_size=6), SOME)
def test_any_measure_is_the_same_under_any_conventions(
    collection: Mapping[str, Query], own: Conventions, order: list[int], asked: list[Measure]
) -> None:
    hold_equal(collection, own, asked, order)


@pytest.mark.in_parts(7)
@pytest.mark.parametrize("ties", AXES["ties"].values)
@given(collection=collections(rels=(0, 1, 3)), asked=SOME)
def test_any_measure_is_the_same_under_every_rule_for_ties(
    ties: str, collection: Mapping[str, Query], asked: list[Measure]
) -> None:
    hold_equal(collection, STANDARD.replace(ties=ties), asked)


def query_of(rels: Sequence[float], scores: Sequence[float], unretrieved: Sequence[float] = ()) -> Query:
    """A query whose docs have these rels (-9: unjudged) and scores."""
    rows = [QueryRow(f"d{i}", score, i) for i, score in enumerate(scores, start=1)]
    judged = [Judgment(f"d{i}", rel) for i, rel in enumerate([*rels, *unretrieved], start=1) if rel != UNJUDGED]
    return Query(rows, judged)


UNJUDGED = -9
SEVERAL = {
    "1": query_of([0, 1, UNJUDGED, 1, 0, 1, UNJUDGED], [7, 6, 6, 5, 4, 3, 2], [1, 0]),
    "2": query_of([UNJUDGED, 1, 0, 1], [1, 2, 3, 4], [0]),
    "3": query_of([0, 0, 0], [3, 3, 3]),
    "4": query_of([1, 1], [1, 1]),
    "5": query_of([1, 0], []),
    "6": query_of([UNJUDGED] * 3, [1, 2, 2]),
}
"""A query with ties, one out of order, one without relevant docs, one of relevant docs alone, one not retrieved, and one not judged."""


@pytest.mark.in_parts(7)
@pytest.mark.parametrize("name", PROFILES)
def test_every_measure_is_the_same_under_every_profile(name: str) -> None:
    for measure in ASKED:
        hold_equal(SEVERAL, PROFILES[name].conventions(measure), [measure])


STRANGE = {
    "1": query_of([2, UNJUDGED, 1, -1, 0.5, 3, 1], [0, 5, -2, 5, 3, 3 - 1e-9, 5], [2, -2]),
    "2": query_of([1, 0, UNJUDGED], [-1, 0, -3]),
    "3": query_of([0, 1, 1], [1, 4, 4]),
    "4": query_of([0, UNJUDGED], [1, 2]),
}
"""Scores of every sign, out of order, tied, or tied as float32 alone; rels that are negative, fractional or not there."""
EACH = [parse(name) for name in ("nDCG@3", "AP", "P@2", "RR", "Bpref", "Judged@3", "infAP", "NumRet")]


@pytest.mark.in_parts(7)
@pytest.mark.parametrize("axis", [axis for axis, one in AXES.items() if one.stage != "measure"])
def test_every_choice_is_the_same_beside_either_sign(axis: str) -> None:
    for sign in AXES["score_sign"].values:
        for value in values_of(axis):
            hold_equal(STRANGE, STANDARD.replace(**{"score_sign": sign, axis: value}), EACH)


@pytest.mark.in_parts(7)
@pytest.mark.parametrize("axis", [axis for axis, one in AXES.items() if one.stage == "measure"])
def test_every_choice_of_a_formula_is_the_same_beside_ties(axis: str) -> None:
    asked = [measure for measure in ASKED if axis in measure.definition.own_axes and measure.k in {None, 3}]
    for ties in ("expectation", "worst"):
        for value in values_of(axis):
            hold_equal(STRANGE, STANDARD.replace(**{"ties": ties, axis: value}), asked)


FORMULAS = [name for name, one in MEASURES.items() if one.in_floats is not None]
"""The measures that have a formula in floats."""


@pytest.mark.parametrize("name", FORMULAS)
def test_every_choice_of_a_formula_is_the_same_whatever_part_is_tried(name: str) -> None:
    """Of each measure by itself, so that no choice is left to what is drawn."""
    # More docs that are not relevant, and the best one not retrieved.
    missed = query_of([0, 0, 1, 0, 0], [5, 4, 3, 2, 1], [3])
    both = SEVERAL | {f"s{query}": of for query, of in STRANGE.items()} | {"m": missed, "f": query_of([1], [1], [1, 1])}
    asked = [one for one in ASKED if one.definition is MEASURES[name] and one.k in {None, 3}]
    for own in ({axis: value} for axis in MEASURES[name].own_axes or ("ties",) for value in values_of(axis)):
        hold_equal(both, STANDARD.replace(**own), asked)


JUDGING = [axis for axis, one in AXES.items() if one.stage == "judge"]


@pytest.mark.parametrize(("axis", "other"), [*combinations(JUDGING, 2)])
def test_any_two_choices_of_judging_are_the_same_together(axis: str, other: str) -> None:
    for value in values_of(axis):
        for beside in values_of(other):
            hold_equal(STRANGE, STANDARD.replace(**{axis: value, other: beside}), EACH[:3])


SPECS = ("standard", "order=input", "ties=input", "ties=docid-asc", "score_sign=positive ties=docid-asc")


@pytest.mark.parametrize("ids", [str, int])
@pytest.mark.parametrize("spec", SPECS)
def test_dicts_are_the_same(spec: str, ids: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """The queries of the run stand in another order than those of the qrels, and one is in each alone."""
    taken = by_columns(monkeypatch)
    qrels = {1: {9: 1, 10: 0, 8: 2}, 3: {9: 1}, 2: {10: 1, 7: 1}}
    run = {2: {9: 1.0, 10: 3.0, 7: 3.0}, 4: {9: 1.0}, 1: {8: -1.0, 7: 4.0, 10: 3.0, 9: 3.0}}
    named = [{ids(q): {ids(d): x for d, x in own.items()} for q, own in one.items()} for one in (qrels, run)]
    by_column, by_row = by_both(["AP", "nDCG@2", "RR"], *named, spec)
    assert alike(by_column, by_row), (by_column, by_row)
    assert taken == [True]


def by_both(measures: list[str], qrels: Any, run: Any, spec: str) -> list[rankproof.Result | str]:
    """What columns give, and what rows give; of each the words where it is refused."""
    return [evaluated(measures, qrels, run, profile=spec, exact=exact) for exact in (False, True)]


def test_a_number_and_its_text_are_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    qrels, run = {"1": {"8": 1, "9": 1}}, {"1": {9: 2.0, "9": 1.0}}
    by_column, by_row = by_both(["AP"], qrels, run, "standard")
    assert by_column == by_row
    assert "stands twice" in str(by_row)


def test_the_whole_corpus_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    compared = 0
    for case in corpus.load_all():
        if case.of_labels:
            continue
        qrels, run = tables(case.input)
        specs = dict.fromkeys(spec for expected in (case.expect or {}).values() for spec in expected)
        for spec in specs:
            measures = [m for m in case.measures if spec in (case.expect or {}).get(m, {})]
            by_column, by_row = by_both(measures, qrels, run, spec)
            assert alike(by_column, by_row), (case.id, measures, spec, by_column, by_row)
            compared += len(measures)
    assert compared > 1000


def tables(given: Input) -> tuple[Any, Any]:
    """The input as columns by name; as dicts of dicts where a query has no rows."""
    if given.empty_in_qrels or given.empty_in_run or not given.qrels or not given.run:
        qrels = {query: dict(rows) for query, rows in given.judged.items()}
        return qrels, {query: {doc: score for doc, score, _ in rows} for query, rows in given.scored.items()}
    names = ("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score", "rank")
    both = zip(names, (given.qrels, given.run), strict=True)
    return tuple({name: [row[i] for row in rows] for i, name in enumerate(called)} for called, rows in both)


def alike(a: rankproof.Result | str, b: rankproof.Result | str) -> bool:
    """Whether two results are the same, to 1e-12."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if a.signature != b.signature or a.taken != b.taken or list(a.mean) != list(b.mean):
        return False
    values = [(a.mean, b.mean), *((a.per_query[m], b.per_query[m]) for m in a.mean)]
    return all(list(x) == list(y) and all(close(x[q], y[q]) for q in x) for x, y in values)


def test_a_judgment_counts_as_known_though_its_doc_is_not_ranked() -> None:
    """A doc of the run that its score keeps out of the ranking is judged all the same, and refused where its rel is."""
    given = {"1": Query([QueryRow("a", 0.0, 1), QueryRow("b", 1.0, 2)], [Judgment("a", 3), Judgment("b", 1)])}
    own = STANDARD.replace(known="retrieved", score_sign="positive", grades="binary")
    hold_equal(given, own, ASKED)
    assert quickly(Columns(columns(*texts(given))), parse("AP"), own) is RefusedColumns
    below = {"1": Query([QueryRow("a", 2.0, 1), QueryRow("b", 1.0, 2)], [Judgment("a", 1), Judgment("b", -1)])}
    own = STANDARD.replace(unjudged="rejected", negative="unjudged")
    hold_equal(below, own, [parse("AP")])
    got = quickly(Columns(columns(*texts(below))), parse("AP"), own)
    assert got is RefusedColumns, "a judgment that is none is none"


@pytest.mark.parametrize(
    ("spec", "taken", "refused"),
    [
        ("grades=whole-to-4", (4, -3), (5, 3.5)),
        ("grades=binary", (1, 0), (2, -1, 0.5)),
        ("grades=rejected", (2, -2), (2.5, -0.5)),
        ("negative=rejected", (0.5, 0), (-0.5, -1)),
        ("grades=truncated negative=rejected", (-0.5, 1.5), (-1, -1.5)),
    ],
)
def test_columns_refuse_the_rels_that_rows_refuse_and_no_others(
    spec: str, taken: Sequence[float], refused: Sequence[float]
) -> None:
    """The one that is odd is of the second of three docs, retrieved or not."""
    for rel, is_retrieved in product((*taken, *refused), (True, False)):
        rows_of = [QueryRow(doc, 3.0 - i, i) for i, doc in enumerate("abc") if doc != "b" or is_retrieved]
        given = {"1": Query(rows_of, [Judgment("a", 1), Judgment("b", rel), Judgment("c", 0)])}
        hold_equal(given, profile(spec), [parse("AP")])
        got = quickly(Columns(columns(*texts(given))), parse("AP"), profile(spec))
        assert (got is RefusedColumns) is (rel in refused), (rel, is_retrieved)


@pytest.mark.parametrize(
    ("measure", "rels", "value"),
    [
        # The ideal ranking has the doc of rel -1, which was not retrieved, behind the other.
        ("nDCG", {"x": 2, "u": -1}, (2 / math.log2(3)) / (2 - 1 / math.log2(3))),
        # 2^52 + 0.75 is no float.
        ("CG", {"a": 2**52, "x": 0.75, "y": -(2**52)}, 0.75),
    ],
)
def test_of_what_floats_would_lose_digits_the_readable_formula_is_asked(
    measure: str, rels: dict[str, float], value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    run = {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}
    found = rankproof.evaluate(measure, {"q": rels}, run, profile="negative=as-is")
    assert found.checked is not None
    assert (found.checked.difference, found.mean[measure]) == ("", pytest.approx(value, rel=1e-12))


@pytest.mark.parametrize(("ties", "rank"), [("input", 51), ("input-reversed", 16)])
def test_tied_docs_of_a_large_query_that_is_not_in_order_stand_as_they_came(
    ties: str, rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every third of 200 docs has the highest score, from d2 on: d152 is the 51st of 66. The other queries are in order, or small."""
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    run = {"p": {f"d{i}": 0.0 - i for i in range(200)}, "q": {f"d{i}": i % 3.0 for i in range(200)}, "r": {"d1": 1.0}}
    found = rankproof.evaluate("RR", {"p": {"d1": 1}, "q": {"d152": 1}, "r": {"d1": 1}}, run, profile=f"ties={ties}")
    assert found.per_query["RR"] == {"p": 1 / 2, "q": 1 / rank, "r": 1}
    assert found.checked is not None
    assert not found.checked.difference


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_what_a_doc_gains_is_by_the_measure_that_asks(order: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    gains = {"DCG@1": 2, "DCG(dcg='exp-log2')@1": 2**2 - 1, "DCG(gains={2:7})@1": 7}
    asked = [list(gains)[i] for i in order]
    found = rankproof.evaluate(asked, {"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    assert found.checked is not None
    assert (found.checked.difference, [found.mean[one] for one in asked]) == ("", [gains[one] for one in asked])


# -- where every limit on pieces is tiny ---------------------------------------------------------------------------------

SCORES = (math.inf, -math.inf, 0.0, -0.5, 3.0, 2.0, 3.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1.0 + 2e-9)
"""The last four are one score as float32, and four as float64."""
TIES = ("docid-desc", "docid-asc", "input", "input-reversed", "last-rank", "expectation", "best", "worst")
ORDERS = [
    STANDARD.replace(ties=ties, score=score, score_sign=sign)
    for ties, score, sign in product(TIES, ("f64", "f32"), ("any", "positive"))
] + [STANDARD.replace(order=order, score_sign=sign) for order, sign in product(("rank", "input"), ("any", "positive"))]
AGGREGATE = {name: axis.values for name, axis in AXES.items() if axis.stage == "aggregate" and name != "mean"}
OF_QUERIES = [STANDARD.replace(**{name: value}) for name, values in AGGREGATE.items() for value in values]
OFTEN = "nDCG@3 AP AP(rel=2) RR RR@3 Success@2 Rprec Rprec(rel=2) ERR@4 P@3 NumRel NumRet"


def large_queries(seed: int) -> Mapping[str, Query]:
    """Three queries of so many docs that each is a large one, none in order; then one of a single doc, and ones that one side lacks."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    of: dict[str, Query] = {}
    for name, size in (("30", 11), ("10", 8), ("q-20", 14)):
        docs = [f"d{i:02}" for i in range(size)]
        chance.shuffle(docs)
        ranks = [*range(1, size + 1)]
        chance.shuffle(ranks)
        judged = chance.sample(docs, size - 3)
        judgments = [Judgment(doc, chance.choice((0, 0, 1, 1, 2, 3))) for doc in judged]
        judgments += [Judgment(f"x{i}", i) for i in range(3)]
        of[name] = Query([QueryRow(d, chance.choice(SCORES), r) for d, r in zip(docs, ranks, strict=True)], judgments)
    of["one"] = Query([QueryRow("d01", 1.0, 1)], [Judgment("d01", 1), Judgment("d02", 0)])
    of["one-too-deep"] = Query([QueryRow(f"d{i:02}", 9.0 - i, i + 1) for i in range(5)], [Judgment("d03", 1)])
    of["judged-alone"] = Query([], [Judgment("d01", 2)])
    of["ranked-alone"] = Query([QueryRow("d01", 1.0, 1), QueryRow("d02", 1.0, 2)], [])
    return of


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("about", [ORDERS, OF_QUERIES], ids=["order", "queries"])
def test_columns_and_rows_are_one_whatever_was_asked_before(
    about: Sequence[Conventions], *, backwards: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one set of columns, so that what was settled for one measure or convention lies beside what is asked next."""
    monkeypatch.setattr(docs_in_order, "MANY", 4)  # a query of four docs is a large one
    monkeypatch.setattr(numpy_queries, "DEEP", 2)
    monkeypatch.setattr(numpy_queries, "DEEPEST", 5)
    qrels, run = texts(large_queries(11 + backwards))
    by_column = Columns(columns.__wrapped__(qrels, run))  # made anew, as the limits are others
    by_row = rows(qrels, run)
    asked = [(measure, own) for own in about for measure in map(parse, OFTEN.split())]
    for measure, own in asked[::-3] if backwards else asked:
        got, wanted = quickly(by_column, measure, own), exactly(by_row, measure, own)
        assert got is not NotColumnar or isinstance(wanted, type), (str(measure), own.spec())
        assert_same(got, wanted, (str(measure), own.spec()))


# -- which way is taken --------------------------------------------------------------------------------------------------

BY_FORMULA = {"ap_denominator=mean-p", "mean=pooled"}
"""The conventions under which some measure is left to the readable formula, for every query, though it has one in floats."""
BY_ROWS = {"unretrieved=appended", "grades=two-values"}
"""Those under which all is left to the readable path."""


def goes_in_floats(measure: Measure, own: Conventions) -> bool:
    """Whether the formula in floats is taken at all."""
    given = columns(*texts(SEVERAL))
    try:
        float_answers._values(Columns(given).top(own, 1), measure, own)
    except NoFloatForm:
        return False
    return True


def test_a_convention_goes_the_way_that_is_listed() -> None:
    """What is missing here is right all the same, only slow; the list says what to write next where that matters."""
    formula, by_rows = set(), set()
    for axis in AXES:
        for value in values_of(axis):
            own = STANDARD.replace(**{axis: value})
            if not all(getattr(own, one) in values for one, values in KNOWN.items()):
                by_rows.add(f"{axis}={value}")
                continue
            own_axes = {m: m.definition.own_axes if axis != "mean" else m.definition.axes for m in ASKED}
            asked = [measure for measure, axes in own_axes.items() if axis in axes]
            with suppress(NotColumnar):
                formula |= {f"{axis}={value}" for measure in asked if not goes_in_floats(measure, own)}
    assert formula == BY_FORMULA
    assert by_rows == BY_ROWS
    assert {axis for axis, one in AXES.items() if one.stage in {"order", "judge"}} == set(KNOWN)


@dataclass(frozen=True)
class Asked:
    """A measure with a definition of its own."""

    definition: Definition
    k: int | None = None
    rel: int = 1

    @property
    def arguments(self) -> Mapping[str, Any]:
        """None."""
        return {}

    def conventions(self, base: Conventions) -> Conventions:
        """As they are."""
        return base


def last_unjudged(ranking: Ranking) -> Fraction:
    """The rank of the last doc that nobody judged: what no formula in floats has, and no list of hits."""
    return Fraction(max((rank for rank, doc in ranking.docs if not doc.pooled), default=0))


@pytest.mark.parametrize("ties", ["docid-desc", "last-rank", "best"])
def test_a_measure_that_nobody_told_of_is_right(ties: str) -> None:
    asked = Asked(Definition("LastUnjudged", last_unjudged, needs_relevant=False))
    qrels, run = texts(SEVERAL)
    own = STANDARD.replace(ties=ties)
    got = answers_of(Columns(columns(qrels, run)), {"": (asked, own)}).of[""]
    assert_same(got, rows(qrels, run).answer(asked, own), ties)
    assert max(got.per_query.values()) == 7


def test_a_formula_that_was_changed_is_not_the_one_in_floats() -> None:
    """A definition made of another keeps what stood beside its formula; of that nothing is taken."""
    asked = Asked(replace(MEASURES["P"], formula=lambda ranking, **_axes: Fraction(len(ranking.hits), 7)), k=3)
    qrels, run = texts(SEVERAL)
    got = answers_of(Columns(columns(qrels, run)), {"": (asked, STANDARD)}).of[""]
    assert_same(got, rows(qrels, run).answer(asked, STANDARD), "sevenths")
    assert got.per_query["1"] == 1 / 7
    assert in_floats_of(asked, STANDARD) is None


@pytest.mark.parametrize("measure", [one for one in ASKED if one.definition.in_floats is not None], ids=str)
def test_queries_in_which_nothing_is_odd_are_measured_in_floats(measure: Measure) -> None:
    """The readable formula would give the same, and take twenty times as long."""
    top = Columns(columns(*texts(SEVERAL))).top(STANDARD, measure.rel)
    plain = [i for i, query in enumerate(top.queries) if query in {"1", "2"} and top.R[i]]
    for axis in measure.definition.own_axes:
        for value in values_of(axis):
            if f"{axis}={value}" not in BY_FORMULA:
                values = float_answers._values(top, measure, STANDARD.replace(**{axis: value}))
                assert not np.isnan(values[plain]).any(), (axis, value)
    assert not np.isnan(float_answers._values(top, measure, STANDARD)[plain]).any()


HANDED_ON = {"gain", "gain_threshold", "recall_points", "iprec_empty", "err_max", "infap_epsilon"}
"""Axes whose values are read by the readable formula, for each kind of doc or each query without docs, or are numbers to both."""
NEW_VALUE = "a-value-that-is-new"


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_in_floats_passes_on_what_it_does_not_know(name: str) -> None:
    """A new value of an axis, or a new axis, is slow: the formula says that it does not know it, or the readable one has it handed on."""
    definition = MEASURES[name]
    top = ColumnQueries(Columns(columns(*texts(SEVERAL))).top(STANDARD, 1), 3)
    arguments = {axis: getattr(STANDARD, axis) for axis in definition.own_axes}
    arguments |= {"recall": 0.5} if name == "IPrec" else {}
    for axis in {*definition.own_axes} - HANDED_ON:
        with pytest.raises(NoFloatForm):
            definition.in_floats(top, **arguments | {axis: NEW_VALUE})
    with pytest.raises(NoFloatForm):
        float_answers._of(definition.in_floats, top, {"an_axis_that_is_new": "x"})


def test_an_axis_of_order_that_nobody_told_of_goes_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = columns(*texts(SEVERAL))
    monkeypatch.setattr(float_answers, "KNOWN", {axis: values for axis, values in KNOWN.items() if axis != "grades"})
    with pytest.raises(NotColumnar):
        answers_of(Columns(given), {"": (parse("AP"), STANDARD)})


@pytest.mark.parametrize("missing", quick.ENGINE)
def test_without_its_engine_all_goes_by_rows(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    result = rankproof.evaluate("AP", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert result.mean["AP"] == 1
    assert result.checked is None


@pytest.mark.parametrize("norel", AXES["norel"].values)
def test_a_query_that_missed_all_of_its_relevant_docs_is_not_one_that_has_none(
    norel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three queries, of which one hits, one misses and one has nothing to hit, in both ways of every measure, without a word of a fault."""
    qrels = {"missed": {"a": 1, "c": 2}, "hit": {"a": 1, "b": 0}, "none": {"a": 0, "b": 0}}
    run = {"hit": {"a": 2.0, "b": 1.0, "d": 0.5}, "none": {"a": 1.0, "d": 0.5}, "missed": {"b": 2.0, "d": 1.0}}
    measures = [f"{name}{CUTOFFS[one.cutoff][-1]}" for name, one in sorted(MEASURES.items())]
    taken = by_columns(monkeypatch)
    by_column, by_row = by_both(measures, qrels, run, f"norel={norel}")
    assert alike(by_column, by_row), (by_column, by_row)
    if not isinstance(by_column, str):
        assert taken == [True]
        assert [one.kind for one in by_column.warnings if one.kind == "fault"] == []
