"""`rankproof explain`: why tools differ on some data, and which conventions give a number; by hand, and against the reference."""

from fractions import Fraction
from pathlib import Path

import pytest
from explained_data import ONE, data_of, mean, told
from hypothesis import given
from hypothesis import strategies as st
from strategies import judged_as, queries, run_of

from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.library_profiles import profile_named, speaks_of
from rankproof.explain.answers_by_columns import answers_by, columns_of
from rankproof.explain.api import read_data
from rankproof.explain.attribution import attribute
from rankproof.explain.compared_profiles import compared
from rankproof.explain.explanation import undetermined
from rankproof.explain.printed_number import NoValue, parse_number
from rankproof.explain.printed_values import as_flags
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.reference_answers import CannotTell, Refused, Values, said
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import Profile, profile
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.workers.same_answers import alike

MEASURES = ("P@2", "AP", "nDCG@2", "RR", "R@2", "Bpref", "NumRelRet", "Judged@2", "Success@1", "nDCG(dcg='exp-log2')@2")


# -- what is asked of the data ----------------------------------------------------------------------------------------


@st.composite
def collections(draw: st.DrawFn) -> tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]:
    """Some queries, of which some are missing, extra, empty, or named without a row."""
    qrels: dict[str, list[Judgment]] = {}
    run: dict[str, list[QueryRow]] = {}
    for name in draw(st.permutations(["1", "2", "q"])):
        rows, judgments = draw(queries(docs=4, rels=(0, 0, 1, 2, -1, 0.5), scores=3))
        sides = draw(st.sampled_from(["both", "both", "both", "qrels", "run", "run is empty"]))
        if sides != "run":
            qrels[name] = [*judgments, *judgments[: draw(st.sampled_from([0, 0, 0, 1]))]]
        if sides != "qrels":
            scored = [row._replace(score=row.score + draw(st.sampled_from([0.0, 1e-9]))) for row in rows]
            run[name] = [*scored, *scored[: draw(st.sampled_from([0, 0, 0, 1]))]] if sides != "run is empty" else []
    return qrels, run


def once(
    given_data: tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]],
) -> tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]:
    """The same, no doc twice under a query: only so do columns serve."""
    qrels, run = given_data
    return (
        {query: list({one.doc: one for one in rows}.values()) for query, rows in qrels.items()},
        {query: list({one.doc: one for one in rows}.values()) for query, rows in run.items()},
    )


@st.composite
def profiles(draw: st.DrawFn) -> Conventions:
    """A few conventions other than standard's, most of them such as give a number."""
    axes = draw(st.lists(st.sampled_from(list(AXES)), max_size=6, unique=True))
    changes = {axis: draw(st.sampled_from([v for v in values_of(axis) if v != "rejected"] or ["any"])) for axis in axes}
    lenient = {"run_duplicates": "first", "qrels_duplicates": "last"}
    return STANDARD.replace(**{**lenient, **changes})


@given(collections(), profiles(), st.sampled_from(MEASURES))
def test_the_engine_answers_as_the_reference(
    given_data: tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]], conventions: Conventions, written: str
) -> None:
    measure, data = parse(written), data_of(*given_data)
    right = said(lambda: Collection(*given_data).answer(measure, conventions))
    ours = data.answers(measure, conventions)
    if isinstance(right, Refused | CannotTell):
        assert type(ours) is type(right)
    else:
        assert isinstance(ours, Values)
        assert (dict(ours.per_query), ours.mean) == (dict(right.per_query), right.mean)
    assert data.answers(measure, data.plain(measure, conventions)) == ours, "what is idle changes nothing"


@given(collections().map(once), st.lists(profiles(), min_size=1, max_size=4), st.sampled_from(MEASURES))
def test_columns_give_the_values_of_the_rows(
    given_data: tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]], asked: list[Conventions], written: str
) -> None:
    measure, columns = parse(written), columns_of(*given_data, has_ranks=True)
    if columns is None:
        assert not all(any(rows.values()) for rows in given_data)
        return
    values = columns()
    for conventions in (STANDARD, *asked):
        found = answers_by(values, measure, conventions)
        right = said(lambda: Collection(*given_data).answer(measure, conventions))  # noqa: B023 - called at once
        if isinstance(found, Values):
            assert isinstance(right, Values)
            assert found.per_query.keys() == right.per_query.keys()
            pairs = [(found.mean, right.mean), *((v, right.per_query[q]) for q, v in found.per_query.items())]
            assert all(alike(to_float(a), to_float(b)) for a, b in pairs)
        else:
            assert found is None or type(found) is type(right)


# -- the smallest set of changes -------------------------------------------------------------------------------------


GRADED = data_of(
    {"1": judged_as(a=2, b=1, c=0, x=1), "2": judged_as(a=1, x=3), "3": judged_as(a=0), "4": judged_as(b=1)},
    {"1": run_of("a", "c=b", "z"), "2": run_of("z", "a"), "3": run_of("a")},
)
"""Ties, unretrieved relevant docs, a query without relevant docs, and one that the run does not have."""


@pytest.mark.parametrize("measure", ["nDCG@10", "R@2", "AP@5", "P@3"])
@pytest.mark.parametrize(
    "pair", ["catboost standard", "standard catboost", "catboost ir_measures", "lightgbm catboost"]
)
def test_the_changes_of_a_library_are_all_that_gives_the_other_number(measure: str, pair: str) -> None:
    first, other = (profile_named(name) for name in pair.split())
    asked = parse(measure)
    if not all(speaks_of(own, asked) for own in (first, other)):
        return
    sayings = told(GRADED, measure, *pair.split()).sayings
    answers = Collection(GRADED.qrels, GRADED.run).answer
    ends = [own.conventions(asked) for own in (first, other)]
    if len(sayings) == 1:
        assert answers(asked, ends[0]) == answers(asked, ends[1])
        return
    why = sayings[1].attribution
    assert why is not None
    made = ends[0].replace(**{axis: after for axis, (_, after) in why.changes.items()})
    assert answers(asked, made) == answers(asked, ends[1]) != answers(asked, ends[0])
    adds = [part.adds for part in why.parts if part.adds is not None]
    assert len(adds) == len(why.parts)
    assert sum(adds) == (mean(GRADED, measure, made) or 0) - (mean(GRADED, measure, ends[0]) or 0)


def test_a_change_that_moves_nothing_alone_is_one_part_with_the_next() -> None:
    """Known judgments alone leave an ideal of all docs of the run as it is, which is CatBoost's."""
    why = attribute(GRADED, parse("nDCG@10"), profile("known=retrieved ideal=retrieved"), STANDARD)
    assert [[*part.changes] for part in why.parts] == [["known", "ideal"]]
    assert why.parts[0].queries == ("1", "2")


# -- small differences, by hand --------------------------------------------------------------------------------------


def test_an_axis_that_is_open_is_told_only_where_it_can_move_the_answer() -> None:
    # Recall of 1 of 1 and of 1 of 2: the mean of the queries is 3/4, pooled it is 2/3. P@1 divides by 1 each time.
    data = data_of({"1": judged_as(a=1), "2": judged_as(a=1, b=1)}, {"1": run_of("a"), "2": run_of("a")})
    left: dict[str, tuple[str, ...]] = {"mean": ("arithmetic", "pooled")}
    library = Profile({"P@k": STANDARD, "R": STANDARD}, "lib 1", {"P@k": left, "R": left})
    assert undetermined(data, parse("R"), library) == {"mean": "arithmetic"}
    assert undetermined(data, parse("P@1"), library) == {}


FLAGGED = {
    "nDCG@3": 3,
    "nDCG": 2,
    "DCG@3": 4,
    "CG@2": 3,
    "AP": 1,
    "P@2": 2,
    "R@2": 3,
    "RR": 2,
    "Bpref": 1,
    "AUC": 2,
    "F@3": 1,
    "LRAP": 3,
    "ERR@3": None,
    "AP(rel=2)": None,
    "nDCG(dcg='exp-log2')@3": None,
}
"""Measures, and which of the docs is unjudged; None where no convention makes flags of the rels."""


@pytest.mark.parametrize("measure", FLAGGED)
def test_the_conventions_by_which_rels_count_as_flags_give_what_flags_do(measure: str) -> None:
    asked, lacking = parse(measure), FLAGGED[measure]
    changes = as_flags(asked)
    assert (changes is None) == (lacking is None)
    if changes is not None and lacking is not None:
        rels, run = dict(zip("abcde", (3, 0, 1, 2, 0), strict=True)), {"q": run_of("b", "a", "x", "d", "c")}
        del rels["abcde"[lacking]]
        flags = {doc: int(rel > 0) for doc, rel in rels.items()}
        by_changes = data_of({"q": judged_as(**rels)}, run).answers(asked, profile(changes))
        assert by_changes == data_of({"q": judged_as(**flags)}, run).answers(asked, STANDARD)


# -- numbers that somebody printed -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fits", "not_so"),
    [
        (".26", "0.258 0.255 0.265", "0.2549 0.2651"),
        (".260", "0.2595 0.2605", "0.258 0.2594"),
        ("1", "1", "0.5 1.5 0.999"),
        ("1.", "1", "0.5 1.5 0.999"),
        ("0.", "0", "0.4 0.001"),
        ("-.5", "-0.5 -0.45", "0.5"),
        ("2.5e-1", "0.25 0.255", "0.2"),
        ("0.30000000000000004", "0.3", "0.30000000001"),
        ("-0.30000000000000004", "-0.3", "-0.30000000001"),
        ("25e2", "2450 2550", "2449 2551"),
    ],
)
def test_a_number_means_all_that_round_to_it(text: str, fits: str, not_so: str) -> None:
    number = parse_number(text)
    assert all(number.fits(Fraction(value)) for value in fits.split())
    assert not any(number.fits(Fraction(value)) for value in not_so.split())
    assert not number.fits(None)


def test_a_number_has_so_many_decimals_and_may_be_a_float32_by_how_many_digits_it_has() -> None:
    decimals = {" .25 ": 2, "2.5e-3": 4, "25e2": 0, "1.5e3": 0, "7": 0, "-1.250": 3}
    assert {text: parse_number(text).decimals for text in decimals} == decimals
    assert parse_number(" .25 ").text == ".25"
    single = (".123456", ".123456789", "1.23456", ".500000000000", "-.00123456", "1.")
    others = ("123456", ".12345", ".1234567891", ".00012345", ".50000000000", "0.3000000000000004")
    assert [text for text in (*single, *others) if parse_number(text).is_single] == [*single]


def test_what_is_off_in_float32_or_as_floats_are_is_a_share_of_the_number() -> None:
    large, small = parse_number("123456.789"), parse_number(".123456")
    assert [large.in_single.fits(Fraction(mean)) for mean in ("123456.7", "123456.6")] == [True, False]
    assert [small.in_single.fits(Fraction(mean)) for mean in (".1234564", ".1234566")] == [True, False]
    assert [parse_number(".1").is_exactly(Fraction(mean)) for mean in (0.1, ".1", ".10000000001")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["", ".", "nan", "a", "1,5", "٣", "1e9999", "--1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(NoValue, match="is no number; write it as it was printed"):
        parse_number(text)


# -- the tools that are compared --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "measure", "having"),
    [
        ("sklearn", "AP", {"sklearn/appended", "sklearn/rows"}),  # label_ranking_average_precision has no ignore_ties
        ("haystack", "AP@5", {"haystack/relevant"}),
        ("r_metrics", "AUC", {"r_metrics/rows"}),
        ("sklearn", "nDCG@5", {"sklearn/appended", "sklearn/rows", "sklearn/rows-ignore-ties"}),
    ],
)
def test_of_a_tool_that_answers_in_several_ways_those_that_have_the_measure_are_compared(
    library: str, measure: str, having: set[str]
) -> None:
    compared = {name for saying in told(ONE, measure, library).sayings for name in saying.names}
    assert compared - {"standard"} == having


def test_a_tool_of_which_no_way_has_the_measure_is_refused() -> None:
    with pytest.raises(UnknownConvention, match="no fingerprint of haystack/relevant"):
        told(ONE, "Bpref", "haystack")


@pytest.mark.parametrize("measure", ["AP@10", "AP@5", "AP@1"])
def test_a_library_that_knows_no_cutoff_is_asked_without_one(measure: str) -> None:
    with pytest.raises(UnknownConvention, match=r", but it has AP: ask for that, by -m AP$"):
        told(ONE, measure, "sklearn/rows")
    with pytest.raises(UnknownConvention, match="has RR@k; it has "):
        told(ONE, "RR@10", "sklearn/rows")


def test_ranks_that_do_not_read_are_told_where_a_profile_ranks_by_them_and_else_left_out(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 2.5 t\nq1 Q0 a - 0.5 t\n")
    qrels, runs = tmp_path / "qrels", [tmp_path / "run"]
    for names in ((), ("standard", "order=input"), ("trec_eval-9",)):
        (data,) = read_data(qrels, runs, names).values()
        assert (data.has_ranks, mean(data, "RR")) == (False, Fraction(1, 2))
    for names in (("order=rank",), ("standard", "trec_eval-9 order=rank", "order=input")):
        with pytest.raises(BadInput, match=r"run:2: the rank is '-', not a whole number"):
            read_data(qrels, runs, names)


def test_a_tool_alone_is_compared_with_standard_and_its_ways_with_each_other() -> None:
    alone = {"sklearn": "sklearn/appended", "sklearn/rows": "standard", "catboost": "standard"}
    for names, first in (*alone.items(), ("catboost sklearn", "catboost")):
        assert next(iter(compared(parse("nDCG@10"), names.split(), numbers=False))) == first, names
