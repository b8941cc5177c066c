"""What is said beside the numbers: by rows and by columns the same, and by arithmetic what it is."""

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Query
from test_fast_answers import collections, columns, rows, texts

import rankproof
from rankproof.evaluate import quick
from rankproof.evaluate.cautions import Caution
from rankproof.evaluate.facts_of_rows import facts_of_rows
from rankproof.evaluate.fast import float_answers, self_check
from rankproof.evaluate.fast.arrays import NotColumnar
from rankproof.evaluate.fast.facts_of_columns import facts_of_columns
from rankproof.evaluate.fast.float_answers import Columns, answers_of
from rankproof.evaluate.input_facts import InputFacts
from rankproof.evaluate.inputs import BadInput
from rankproof.inference.signatures import Signature
from rankproof.reference_impl.conventions import AXES
from rankproof.reference_impl.exact import to_float

MEASURES = (
    "nDCG@2",
    "AP",
    "P@1",
    "P@3",
    "RR",
    "Bpref",
    "R@2",
    "Rprec",
    "nDCG(dcg='exp-log2')@3",
    "AP(rel=2)",
    "P(judged_only=True)@2",
    "ERR@2",
)
FACTS = (
    "judged",
    "missing",
    "extra",
    "queries",
    "docs",
    "unjudged",
    "highest",
    "lowest",
    "first",
    "one_relevant",
    "candidates",
)
PROFILES = (
    "standard",
    "trec_eval-9",
    "ties=docid-asc",
    "ties=input missing=dropped",
    "score_sign=positive",
    "norel=dropped",
    "unjudged=removed",
    "mean=geometric",
    "ties=expectation",
    "order=input",
    "nohit=nan",
    "negative=as-is gain=exp",
)


def facts(collection: Mapping[str, Query], profile: str) -> tuple[InputFacts, InputFacts] | None:
    """What rows say, and what columns say."""
    qrels, run = texts(collection)
    if not qrels or not run:
        return None
    tasks = {measure: Signature.of(measure, profile) for measure in MEASURES}
    by_row = rows(qrels, run)
    try:
        worths = {name: by_row.worths(task.measure, task.conventions) for name, task in tasks.items()}
        by_column = Columns(columns(qrels, run))
        answers_of(by_column, {name: (task.measure, task.conventions) for name, task in tasks.items()})
    except (ValueError, NotColumnar):
        return None
    return facts_of_rows(by_row, tasks, worths), facts_of_columns(by_column, tasks)


def assert_same(by_row: InputFacts, by_column: InputFacts) -> None:
    for name in FACTS:
        assert getattr(by_row, name) == getattr(by_column, name), name
    assert by_row.ties.keys() == by_column.ties.keys()
    for name, ends in by_row.ties.items():
        other = by_column.ties[name]
        assert (ends.moved and ends.moved.keys()) == (other.moved and other.moved.keys()), name
        assert [to_float(one) for one in (ends.worst, ends.best)] == pytest.approx(
            [to_float(one) for one in (other.worst, other.best)], nan_ok=True
        ), name


@given(collections(rels=(0, 1, 2, 3, -1)), st.sampled_from(PROFILES))
def test_rows_and_columns_say_the_same_of_anything(collection: Mapping[str, Query], profile: str) -> None:
    found = facts(collection, profile)
    if found is not None:
        assert_same(*found)


MANY = {"large": {str(i): float(i) for i in range(quick.SMALL_DICT)}}
"""A query without judgments that makes a run large."""


# -- by arithmetic -----------------------------------------------------------------------------------------------------


def told(measures: Any, qrels: Any, run: Any, **options: Any) -> dict[str, Caution]:
    return {one.kind: one for one in rankproof.evaluate(measures, qrels, run, **options).warnings}


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0}}
    assert told(["nDCG@2", "AP"], {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}) == {}
    assert told("P@2", {"q": {"a": 1, "b": 1}}, tied) == {}, "tied docs that are alike move nothing"
    assert told("P@1", {"q": {"a": 1, "b": 0}}, tied, profile="ties=expectation") == {}


@pytest.mark.parametrize("small", [0, 2**13])
def test_of_tied_docs_is_warned_where_they_stand_in_one_order_of_several_whichever_that_is(
    small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    warned = {ties for ties in AXES["ties"].values if "ties" in told("P@1", qrels, run, profile=f"ties={ties}")}
    assert warned == {"docid-desc", "docid-asc", "input", "input-reversed", "unspecified"}


@pytest.mark.parametrize(
    ("highest", "profile"),
    [(1, "standard"), (0.8, "relevant=above-zero"), (0, "standard"), (-1, "standard"), (2, "standard")],
)
def test_nothing_is_said_of_thresholds_where_a_rel_reaches_it_or_none_is_above_0(highest: float, profile: str) -> None:
    qrels = {"q1": {"a": -2 if highest < 0 else 0}, "q2": {"a": highest}, "q3": {"a": min(highest, 0.2)}}
    run = {query: {"a": 1.0} for query in qrels}
    assert "none-relevant" not in told(["P@1", "AP"], qrels, run, profile=profile)


@pytest.mark.parametrize("small", [0, 2**13])
@pytest.mark.parametrize("without", ["q0", "q2", "q4"])
def test_queries_that_retrieve_themselves_are_told_of_though_one_has_no_ranking(
    without: str, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(5)}
    run = {query: {} if query == without else {query: 9.0, "a": 2.0, "b": 1.0} for query in qrels}
    assert "query-is-a-doc" in told("P@2", qrels, run)
    assert "query-is-a-doc" not in told("P@2", qrels, run | {"q1": {"q1": 9.0, "a": 9.0}}), "it is not above the other"
    judged = {query: rels | {query: 1} for query, rels in qrels.items()}
    assert "query-is-a-doc" not in told("P@2", judged, run), "it is a doc that somebody judged"


@pytest.mark.parametrize("small", [0, 2**13])
def test_no_query_in_common_is_refused_on_either_path(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    common = "no query in common: the qrels have 1, as '1', and the run has others, as '1.0'"
    alike = "queries that differ only in how they are written: '1' of the qrels and '1.0' of the run"
    with pytest.raises(BadInput, match=re.escape(f"the run: {common}; {alike}")):
        rankproof.evaluate("AP", {1: {"a": 1}}, {"1.0": {"a": 1.0}})
    runs = {"one": {"1": {"a": 1.0}}, "two": {"x": {"a": 1.0}}, "three": {"1": {"b": 1.0}}}
    with pytest.raises(BadInput, match="the run of two: no query in common"):
        rankproof.evaluate("AP", {1: {"a": 1}}, runs)


def test_of_several_files_the_one_without_a_query_in_common_is_named(tmp_path: Path) -> None:
    for name, query in (("x", "q"), ("y", "z"), ("w", "q")):
        (tmp_path / name).write_text(f"{query} Q0 a 1 1 t\n")
    qrels, paths = {"q": {"a": 1}}, [tmp_path / name for name in "xyw"]
    for runs in (paths, dict(zip("stu", map(str, paths), strict=True)), str(tmp_path / "y")):
        with pytest.raises(BadInput, match=re.escape(f"{tmp_path / 'y'}: no query in common")):
            rankproof.evaluate("AP", qrels, runs)


@pytest.mark.parametrize("exact", [True, False])
def test_docs_that_are_written_otherwise_are_looked_for_in_the_first_five_queries(*, exact: bool) -> None:
    qrels = {f"q{i}": {"a": 1, "B": 0} for i in range(21)}
    for at, is_told in ((4, True), (5, False)):
        run = {query: {"a": 2.0, "b" if i == at else "B": 1.0} for i, query in enumerate(qrels)}
        assert ("docs-alike" in told("P@1", qrels, run | MANY, exact=exact)) is is_told


def test_ids_are_alike_whatever_zeros_stand_behind_the_point_and_in_any_script() -> None:
    qrels = {"7": {"a": 1}, "straße": {"a": 1}, "x": {"a": 1}}
    found = told("AP", qrels, {query: {"a": 1.0} for query in ("7.00", "STRASSE", "x")})["ids-alike"]
    assert (found.count, "'7' of the qrels and '7.00' of the run, and 1 more" in found.text) == (2, True)


def test_a_precision_that_counts_a_doc_twice_has_no_highest_value_of_one_relevant_doc() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    specs = ("run_duplicates=both", "p_denominator=min-k-n", "run_duplicates=first", "standard")
    assert [spec for spec in specs if "one-relevant" in told("P@5", qrels, run, profile=spec)] == [*specs[2:]]


def test_where_no_doc_is_relevant_it_is_refused_unless_a_measure_says_from_which_rel_on() -> None:
    qrels, run = {"q": {"a": 0.8}}, {"q": {"a": 1.0}}
    assert "none-relevant" in told(["AP", "P(rel=0.9)@1", "RR"], qrels, run)
    with pytest.raises(BadInput, match="no doc is relevant to AP, P@1, RR: the highest rel"):
        rankproof.evaluate(["AP", "P@1", "RR"], qrels, run)


@pytest.mark.parametrize("small", [2**14, 0])
@pytest.mark.parametrize(
    "asked", list(itertools.permutations(("P@2|score_sign:positive", "RR", "P@3|score_sign:positive")))
)
def test_that_ties_matter_where_a_score_below_0_counts_is_said_whatever_was_asked_before(
    asked: tuple[str, ...], small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    found = told([], {"q": {"a": 1, "b": 0}}, {"q": {"a": -1.0, "b": -1.0, "c": 2.0}}, signature=list(asked))["ties"]
    assert dict(found.values) == {"RR": (1 / 3, 1 / 2)}


def test_columns_do_not_say_how_far_ties_go_where_a_query_without_a_hit_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    qrels, run = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 1.0}}
    found = told("P@1", qrels, run, profile="nohit=dropped ties=docid-asc")["ties"]
    assert (found.values, found.count) == ({}, 1)


def test_a_query_with_an_empty_ranking_is_empty_to_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    qrels = {query: {"a": 1} for query in "qr"}
    found = rankproof.evaluate("P@1", qrels, {"q": {"a": 1.0}, "r": {}}, profile="missing=dropped empty=0")
    assert found.per_query["P@1"] == {"q": 1.0, "r": 0.0}
    assert found.checked is not None
    assert (set(found.checked.queries), found.checked.difference) == ({"q", "r"}, "")


def test_an_id_is_shown_up_to_forty_characters() -> None:
    said = told("AP", {"q": {"a": 1}, "x" * 41: {"a": 1}, "y" * 40: {"a": 1}}, {"q": {"a": 1.0}})["missing-queries"]
    assert f"('{'x' * 40}… (41 characters)', '{'y' * 40}')" in said.text


def test_what_is_said_of_measures_stands_before_what_is_said_of_the_input() -> None:
    ranked = {"q": dict.fromkeys(map(str, range(40)), 1.0)}
    qrels = {"q": {str(i): i % 3 for i in range(40)}, "z": {"a": 1}}
    warned = rankproof.evaluate(["set", "infAP"], qrels, ranked, profile="ties=expectation").warnings
    assert [one.kind for one in warned] == ["left-out", "not-measured", "missing-queries"]


def test_what_a_set_leaves_out_is_told_once() -> None:
    found = told(["all_trec", "official"], {"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert found["left-out"].text.startswith("all_trec official without runid, relstring, Rprec_mult, utility, ")
    sklearn = told("default", {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 0.5}}, profile="sklearn/appended")
    assert sklearn["left-out"].text.startswith("without RR, P@10")


@pytest.mark.parametrize(
    ("also", "told_of"),
    [
        ({}, 4),
        ({"q3": {"d3": 1.0}}, None),
        ({"q1": {"d1": 1.0}}, None),
        ({"q2": {"x#1": 1.0}}, 3),
        ({"q2": {"d2#7": 1.0}}, 4),
    ],
)
def test_that_parts_of_docs_are_retrieved_is_told_where_no_query_retrieves_a_whole_one(
    also: dict[str, dict[str, float]], told_of: int | None
) -> None:
    qrels = {f"q{n}": {f"d{n}": 1, "other": 0} for n in (1, 2, 3)}
    run = {"q1": {"d1#0": 3.0, "d1#1": 2.0}, "q2": {"d2#0": 3.0}, "q3": {"y": 3.0, "d3#4": 2.0}} | also
    found = told("RR", qrels, run).get("parts-of-docs")
    assert (found and found.count) == told_of


def test_a_part_is_known_however_it_is_written() -> None:
    parts = ("d0_PART_3", "d1-chunk1", "d2::Passage:0", "d3.p7", "d4|12", "d5/part-01")
    qrels = {"q": {f"d{n}": 1 for n in range(len(parts))}}
    found = told("RR", qrels, {"q": {part: -float(at) for at, part in enumerate(parts)} | {"d6": -9.0, "d0x3": -8.0}})
    assert found["parts-of-docs"].count == len(parts)


def test_a_result_is_the_same_whatever_is_said_beside_it() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    result = rankproof.evaluate("P@1", qrels, run)
    assert result.warnings
    assert result == rankproof.Result(result.per_query, result.mean, result.signature, result.taken)


# -- qrels and run swapped ---------------------------------------------------------------------------------------------


def test_qrels_and_run_that_are_swapped_are_refused() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.9, "b": 0.25}}
    floats = (
        "^the qrels: their rels are floats, as {}, and the scores of the run whole numbers, as {}, as if the two were"
    )
    with pytest.raises(BadInput, match=floats.format(r"0\.9", 1)):
        rankproof.evaluate("AP", run, qrels)
    with pytest.raises(BadInput, match="as if the two were swapped"):
        rankproof.evaluate("AP", {"q": {"a": 1.0, "b": 0.9}, "r": {"a": 2.0}}, qrels)
    for first in ({}, {"a": 2.0, "b": 1.0}):
        scores, rels = {"q": first, "r": {"a": 0.5}, "s": {"a": 1.0}}, {"q": {"a": 2}, "r": {"a": 0}, "s": {}}
        with pytest.raises(BadInput, match=floats.format(r"(2\.0|0\.5)", 2)):
            rankproof.evaluate("AP", scores, rels)
    # A whole number is no score; and scores as floats say that it is right so.
    assert rankproof.evaluate("AP", {"q": {"a": 1, "b": 0.5}}, qrels).mean["AP"] == 1.0
    assert rankproof.evaluate("nDCG@1", run, {"q": {"a": 1.0, "b": 0.0}}).mean["nDCG@1"] == 1.0
    assert rankproof.evaluate("AP", {"q": {"a": 1.0, "b": 0.0}}, {"q": {"a": 2, "b": 1}}).mean["AP"] == 1.0
    with pytest.raises(BadInput, match=r"measures come first: evaluate\(measures, qrels, run\)"):
        rankproof.evaluate(qrels, run, ["AP"])


def test_frames_that_are_swapped_are_refused_by_their_columns() -> None:
    qrels = {"query_id": ["q"], "doc_id": ["a"], "relevance": [1]}
    run = {"query_id": ["q"], "doc_id": ["a"], "score": [0.5]}
    swapped = r"the qrels: no relevance among .*; is it a run\? The qrels come first, then the run"
    with pytest.raises(BadInput, match=swapped):
        rankproof.evaluate("AP", run, qrels)
    with pytest.raises(BadInput, match=r"the run: no score among .*; are these the qrels\?"):
        rankproof.evaluate("AP", qrels, qrels)


# -- how the data are laid out -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [0, 2**20])
@pytest.mark.parametrize(
    ("queries", "docs", "spoilt", "is_told"),
    [
        (20, 10, "", True),
        (25, 101, "", True),
        (19, 10, "", False),
        (20, 9, "", False),
        (20, 10, "one was not found", False),
        (20, 10, "one more doc", False),
        (20, 10, "the same for all", False),
        (20, 10, "two are relevant", False),
    ],
)
def test_candidates_that_were_drawn_are_told(
    queries: int, docs: int, spoilt: str, *, is_told: bool, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", small)
    shared = spoilt == "the same for all"
    run = {f"u{u}": {f"i{i if shared else u * docs + i}": float(i) for i in range(docs)} for u in range(queries)}
    qrels = {user: {[*ranked][at % docs]: 1} for at, (user, ranked) in enumerate(run.items())}
    if spoilt == "one was not found":
        qrels["u7"] = {"elsewhere": 1}
    if spoilt == "two are relevant":
        qrels["u7"] |= {"elsewhere": 1}
    if spoilt == "one more doc":
        run["u7"]["more"] = -1.0
    found = told("RR", qrels, run)
    assert ("drawn-candidates" in found) is is_told
    if is_told:
        assert found["drawn-candidates"].count == queries
        assert f"each query of the run has {docs} docs" in found["drawn-candidates"].text


@pytest.mark.parametrize(
    "measures", list(itertools.permutations(("P@1", "P(judged_only=True)@1", "RR@1"))), ids=" ".join
)
def test_that_ties_matter_where_unjudged_docs_are_removed_is_said_whatever_was_asked_before(
    measures: tuple[str, ...],
) -> None:
    """Above the tied docs stand two without a judgment, so that at 1 they count to one of these measures alone."""
    run = {"1": {"u": 5.0, "v": 4.0, "a": 1.0, "b": 1.0}}
    warned = rankproof.evaluate(list(measures), {"1": {"a": 1, "b": 0}}, run).warnings
    (said,) = (one.text for one in warned if one.kind == "ties")
    moved = "P(judged_only=True)@1 from 0.0000 (worst) to 1.0000 (best)"
    assert said.startswith(f"the order of tied docs alone moves {moved}")


def test_docs_that_the_conventions_leave_out_are_not_tied() -> None:
    run, only = {"q": {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0}}, {"profile": "score_sign=positive"}
    assert told("P@1", {"q": {"a": 1, "b": 0, "c": 0}}, run, **only)["ties"].values == {"P@1": (0, 1)}
    assert "ties" not in told("P@1", {"q": {"c": 1, "d": 0}}, run, **only)


# -- to the last word ----------------------------------------------------------------------------------------------------

FIVE = {query: {"a": 1, "b": 0} for query in "vwxyz"}
RETRIEVED = {"a": 2.0, "b": 1.0}
DRAWN = {f"u{user}": {f"i{user * 10 + i}": float(i) for i in range(10)} for user in range(20)}
MISSING_LEFT = ["RR|missing:?0/dropped/nan", "R@5|missing:?0/dropped/nan", "AP|missing:?0/nan"]


@pytest.mark.parametrize(
    ("measures", "qrels", "run", "options", "kind", "text", "count", "values"),
    [
        (
            "P@1",
            {"q": {"D1": 1, "D2": 0, "D3": 1}},
            {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}},
            {},
            "docs-alike",
            (
                "docs that differ only in how they are written: 'D1' of the qrels and 'd1' of the run, and 2 more; "
                "ids are compared as text, so these are two"
            ),
            3,
            {},
        ),
        (
            ["P@1", "AP", "RR", "R@5", "nDCG"],
            {"q": {"a": 0.8, "b": 0.3}},
            {"q": {"a": 1.0}},
            {"signature": "P(rel=0.3)@1"},
            "none-relevant",
            (
                "no doc is relevant to P@1, AP, RR and 1 more: the highest rel is 0.8000, and relevant is from 1 on; "
                "say from which rel on, as P(rel=0.5)@1"
            ),
            4,
            {"highest": 0.8},
        ),
        (
            ["AP", "P(rel=0.2)@1"],
            {"q": {"a": 0.3, "b": 0.2}},
            {"q": {"a": 1.0}},
            {},
            "none-relevant",
            "no doc is relevant to AP: the highest rel is 0.3000, and relevant is from 1 on; say from which rel on, as AP(rel=0.3)",
            1,
            {"highest": 0.3},
        ),
        (
            "RR",
            {user: {[*ranked][3]: 1} for user, ranked in DRAWN.items()},
            DRAWN,
            {},
            "drawn-candidates",
            (
                "each query of the run has 10 docs, not the same for all, and its relevant doc is one of them: if the others were drawn, "
                "the numbers are of a choice of 10, not of all docs, and systems can stand in another order by "
                "them (Krichene and Rendle, KDD 2020)"
            ),
            20,
            {},
        ),
        (
            [],
            FIVE,
            {"y": RETRIEVED},
            {"signature": MISSING_LEFT},
            "undetermined",
            (
                "missing is undetermined and can matter here: taken as missing=0, RR is 0.2000, R@5 is 0.2000, AP is 0.2000; "
                "it could be missing=dropped (RR 1.0000, R@5 1.0000), or missing=nan (RR nan, R@5 nan, AP nan)"
            ),
            3,
            {"RR": 0.2, "RR missing=dropped": 1, "R@5": 0.2, "R@5 missing=dropped": 1, "AP": 0.2},
        ),
        (
            "official",
            FIVE,
            dict.fromkeys(FIVE, RETRIEVED),
            {},
            "left-out",
            "official without runid: they are trec_eval's, and rankproof does not measure them",
            1,
            {},
        ),
        (
            ["default", "AP", "default"],
            FIVE,
            dict.fromkeys(FIVE, RETRIEVED),
            {"profile": "sklearn/appended"},
            "left-out",
            "without RR, P@10, R@100: the profile has nothing of them",
            3,
            {},
        ),
        (
            "P@1",
            FIVE,
            dict.fromkeys(FIVE, RETRIEVED),
            {"profile": "rax"},
            "read-profile",
            "what Rax at 00f0f4c does was read in a source, and is not proved by a fingerprint",
            1,
            {},
        ),
        (
            "P@1",
            [1, 3, 2],
            None,
            {},
            "rather-ranks",
            (
                "3 unlike numbers, none of them 0, were read as the rels of one ranking; if these are the ranks of first hits, "
                "give [[int(place == rank) for place in range(1, 1001)] for rank in ranks], and R=1"
            ),
            3,
            {},
        ),
    ],
)
def test_what_is_said_is_said_to_the_last_word(
    measures: Any, qrels: Any, run: Any, options: Mapping[str, Any], kind: str, text: str, count: int, values: Any
) -> None:
    """What `test_drawn_evaluations.py` has read to the last word in drawn runs, as missing queries and ties, is not here again."""
    said = next(one for one in rankproof.evaluate(measures, qrels, run, **options).warnings if one.kind == kind)
    assert (said.text, said.count, dict(said.values)) == (text, count, values)


def test_what_columns_get_wrong_is_measured_by_rows_and_said_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    monkeypatch.setattr(float_answers, "in_floats_of", lambda *_: lambda _top, **_arguments: [0.25])
    found = rankproof.evaluate(["P@1", "P@2"], {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}})
    assert dict(found.mean) == {"P@1": 1, "P@2": 1 / 2}
    (said,) = (one for one in found.warnings if one.kind == "fault")
    assert said.text == (
        "a fault of rankproof was found while it measured: P@1 of query 'q' is 1 by the slow path and 0.25 by the fast one. All was "
        "measured again by the slow path, whose numbers these are; please report this line, and the qrels and the run if you can"
    )
    assert found.checked is not None
    assert found.as_json(per_query=False)["checked"] == {"queries": ["q"], "difference": found.checked.difference}


@pytest.mark.parametrize("side", ["run", "qrels"])
def test_of_a_large_input_the_queries_that_decide_are_measured_again(
    side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the longest id in bytes, the most tied docs, the best, the worst and no value, and one more; three where time is short."""
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    qrels = {query: {"a": 1, "b": 0} for query in ("none", "p1", "best", "long", "p2", "tied", "worst", "p3", "p4")}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    qrels["none"], run["best"], run["worst"] = {"b": 0}, {"a": 1.0}, {"b": 1.0, "abcde": 0.5}
    run["tied"], run["p2"] = {"b": 2.0, "a": 1.0, "x": 1.0, "y": 1.0}, {"b": 2.0, "a": 1.0, "x": 1.0}
    own: dict[str, Any] = {"run": run, "qrels": qrels}[side]
    own["long"] = {"ééé": 0} | own["long"]
    found = []
    for share in (1, self_check.SHARE):
        monkeypatch.setattr(self_check, "SHARE", share)
        checked = rankproof.evaluate("RR", qrels, run, profile="norel=nan").checked
        assert checked is not None
        assert not checked.difference
        found.append(checked.queries)
    assert {"best", "worst", "long", "tied", "none"} <= set(found[0])
    assert found[1] == found[0][:3]


def test_where_every_query_has_a_value_none_is_measured_again_for_having_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SMALL_DICT", 0)
    monkeypatch.setattr(self_check, "SHARE", 1)
    names = [f"p{i}" for i in range(8)]
    run = {query: {"b": 2.0, "a": 1.0, "x": 0.5} for query in names}
    run |= {"p3": {"a": 1.0}, "p5": run["p0"] | {"x": 1.0}, "p6": {"b": 1.0, "x": 0.5, "c": 0.25, "a": 0.125}}
    qrels = {query: {"a": 1, "b": 0} for query in names} | {"p4": {"ééé": 0, "a": 1}}
    checked = rankproof.evaluate("RR", qrels, run).checked
    assert checked is not None
    assert not checked.difference
    assert {"p3", "p4", "p5", "p6"} <= {*checked.queries} <= {*names} - {"p0"}
