"""`rankproof explain`: why tools differ on some data, and which conventions give a number; by hand, and against the reference."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import judged_as, queries, run_of

from rankproof.defects.catalogue import catalogue
from rankproof.evaluating.inputs import BadInput
from rankproof.explain import asked_data, habits, value_search
from rankproof.explain.asked_data import AskedData
from rankproof.explain.attribution import Attribution, AttributionStep, Cause, attribute
from rankproof.explain.compared_profiles import compared
from rankproof.explain.explanation import Explanation, Wish, explain, undetermined
from rankproof.explain.habits import Makers, makers
from rankproof.explain.one_sentence import sentence
from rankproof.explain.orders_of_ties import MeanEnds
from rankproof.explain.printed_number import NoValue, wanted
from rankproof.explain.printed_values import Between, as_flags, bases_of, best_known_pair, of_flags, told_apart
from rankproof.explain.reading_data import read_data
from rankproof.explain.tie_envelope import envelope, may_change_places
from rankproof.explain.value_match import Base, Commonness, Explained, ValueMatch
from rankproof.explain.value_search import explained, given_as_they_are
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.reference_answers import UNSPECIFIED, CannotTell, Refused, Values, said
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import PROFILES, Profile, profile
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.telling.explanation_text import screen

MEASURES = ("P@2", "AP", "nDCG@2", "RR", "R@2", "Bpref", "NumRelRet", "Judged@2", "Success@1", "nDCG(dcg='exp-log2')@2")


def data_of(qrels: Mapping[str, Sequence[Judgment]], run: Mapping[str, Sequence[QueryRow]]) -> AskedData:
    return AskedData(qrels, run)


def mean(data: AskedData, measure: str, spec: str = "") -> Fraction | None:
    answers = data.answers(parse(measure), profile(spec))
    assert isinstance(answers, Values)
    return answers.mean


def told(data: AskedData, measure: str, *names: str, values: Sequence[str] = (), whole: bool = False) -> Explanation:
    return explain("mine", data, parse(measure), Wish(names, tuple(map(wanted, values)), whole))


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


def test_a_change_that_is_idle_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Conventions] = []
    worths = Collection.worths

    def counting(self: Collection, measure: object, conventions: Conventions) -> object:
        asked.append(conventions)
        return worths(self, measure, conventions)  # type: ignore[arg-type]

    monkeypatch.setattr(Collection, "worths", counting)
    data = data_of({"1": judged_as(a=1, b=0), "2": judged_as(a=1)}, {"1": run_of("a=b"), "2": run_of("a")})
    for ties in ("docid-desc", "docid-asc", "input", "best"):
        mean(data, "P@1", f"ties={ties}")
    assert len(asked) == 4 + 1, "query 2 has no ties"


def test_what_takes_too_long_cannot_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_of({"1": judged_as(a=1, b=0)}, {"1": run_of("a=b=c", "d")})
    assert mean(data, "nDCG@2", "ties=expectation") is not None
    monkeypatch.setattr(asked_data, "LONGEST_MEAN", 5)
    fresh = data_of(data.qrels, data.run)
    untold = fresh.answers(parse("nDCG@2"), profile("ties=expectation"))
    assert isinstance(untold, CannotTell)
    assert untold.reason.startswith("the mean over all orders of tied docs has no closed form for nDCG@2, ")
    assert isinstance(fresh.answers(parse("AP"), profile("ties=expectation")), Values), "AP has a closed form"
    assert isinstance(fresh.answers(parse("nDCG@2"), profile("ties=best")), Values)


@pytest.mark.parametrize(
    ("measure", "spec", "looked_at"),
    [
        # Each of the docs tied at or above the cutoff, but one of each score, times all docs and 50 for each doc within the cutoff.
        ("nDCG@2", "", 2 * (5 + 50 * 2)),
        ("nDCG", "", 3 * (5 + 50 * 5)),
        ("nDCG@2", "unretrieved=appended", 2 * (7 + 50 * 2)),
        ("nDCG@5", "unretrieved=appended", 3 * (7 + 50 * 5)),
        ("nDCG@6", "unretrieved=appended", (3 + 2) * (7 + 50 * 6)),
        *((measure, "unretrieved=appended", (3 + 2) * (7 + 50 * 7)) for measure in ("nDCG@9", "nDCG")),
    ],
)
def test_how_long_a_mean_over_orders_takes_is_told_by_the_docs_that_are_tied(
    measure: str, spec: str, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [QueryRow(doc, score) for doc, score in zip("abcde", (2.0, 2.0, 2.0, 1.0, 1.0), strict=True)]
    for most, is_too_long in ((looked_at, False), (looked_at - 1, True)):
        monkeypatch.setattr(asked_data, "LONGEST_MEAN", most)
        data = data_of({"1": judged_as(a=1, x=2, y=0)}, {"1": rows})
        said = data.answers(parse(measure), profile(f"{spec} ties=expectation"))
        assert isinstance(said, CannotTell) is is_too_long


def test_what_moves_a_mean_alone_is_the_first_choice_that_does() -> None:
    """Of steps that add nothing, something and more."""
    each = (
        {"mean": ("arithmetic", "pooled")},
        {"no_query": ("nan", "0"), "gain": ("linear", "exp")},
        {"mean": ("pooled", "geometric")},
    )
    steps = tuple(AttributionStep(changes, Fraction(adds)) for adds, changes in enumerate(each))
    one, other = (Values({}, Fraction(value)) for value in (0, 3))
    found = Attribution(each[0] | each[1], one, other, (), steps, 2)
    assert found.of_the_mean == {"no_query": ("nan", "0")}
    assert replace(found, after=one).of_the_mean == {}, "it does not move"
    assert replace(found, causes=(Cause(each[1], ("1",)),)).of_the_mean == {}, "a query does"
    assert replace(found, steps=()).of_the_mean == each[0] | {"no_query": ("nan", "0")}


# -- small differences, by hand --------------------------------------------------------------------------------------


def test_two_values_that_differ_never_look_the_same() -> None:
    data = data_of({"1": judged_as(d1=1, last=1)}, {"1": run_of(*(f"d{i}" for i in range(1, 1_999)), "last=z")})
    # The second relevant doc is at rank 2,000, or at 1,999.
    shown = sentence(told(data, "AP", "ties=docid-desc", "ties=docid-asc"))
    assert shown.startswith(f"AP is {(1 + 2 / 2000) / 2} by ties=docid-desc and {(1 + 2 / 1999) / 2} by ties=docid-asc")


def test_where_only_the_mean_over_no_query_differs_it_is_told() -> None:
    qrels = {query: judged_as(a=0) for query in "xyz"}
    found = told(data_of(qrels, dict.fromkeys(qrels, run_of("a"))), "AP", "norel=dropped", "norel=dropped no_query=0")
    assert sentence(found).startswith(
        "AP is nan by norel=dropped and 0 by norel=dropped no_query=0: no query differs, but mean over no query worth 0 "
        "(not mean over no query undefined). "
    )


@pytest.mark.parametrize("most_rows", [10**6, 1])
def test_what_a_mean_over_no_query_is_moves_nothing_where_it_is_over_some_or_refused(
    most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No doc is relevant; or one is, of `z`; or one whose score is below 0, so that some do not see it, and no query counts."""
    data = {}
    for name, rel, score in (("none", 0, 1.0), ("some", 1, 1.0), ("unseen by some", 1, -1.0)):
        qrels = {"x": judged_as(a=0), "y": judged_as(a=0), "z": judged_as(a=rel)}
        data[name] = data_of(qrels, {query: [QueryRow("a", score, 1)] for query in qrels})
    ap, dropped, as_0 = parse("AP"), profile("norel=dropped"), profile("norel=dropped no_query=0")
    for name, refused in itertools.product(data, ("grades=binary norel=rejected", "norel=rejected")):
        found = attribute(data[name], ap, STANDARD, profile(f"{refused} no_query=0")).of_the_mean
        assert found == {}, "nothing is told of what is refused"
    moved = {name: attribute(asked, ap, dropped, as_0).of_the_mean for name, asked in data.items()}
    assert moved == {"none": {"no_query": ("nan", "0")}, "some": {}, "unseen by some": {}}

    monkeypatch.setattr(asked_data, "MOST_ROWS", most_rows)
    assert [name for name, asked in data.items() if "no_query" in asked.axes(ap)] == ["none", "unseen by some"]
    for conventions in (dropped, as_0):
        library = Profile({"AP": conventions}, "lib 1", {"AP": {"no_query": ("nan", "0")}})
        still = {name: undetermined(asked, ap, library) for name, asked in data.items()}
        assert still == {"none": {"no_query": conventions.no_query}, "some": {}, "unseen by some": {}}


def test_who_refuses_and_who_says_nothing_else() -> None:
    data = data_of({"1": judged_as(a=1, b=2)}, {"1": run_of("a")})
    refused = sentence(told(data, "P@1", "standard", "grades=binary"))
    assert refused.startswith("P@1 is 1 by standard; grades=binary refuses the input")
    refused = sentence(told(data, "P@1", "standard", "grades=binary", "single=rejected"))
    assert refused.startswith("P@1 is 1 by standard; grades=binary and single=rejected refuse the input")
    nobody = sentence(told(data_of({"1": [Judgment("a", 1)] * 2}, {"1": run_of("a")}), "P@1", "standard"))
    assert nobody.startswith("P@1 has no value by standard: doc 'a' is judged twice")


def test_who_refuses_for_one_reason_is_not_said_to_refuse_for_another() -> None:
    data = data_of({"1": judged_as(a=5)}, {"1": run_of("a")})
    names = ("grades=whole-to-4", "single=rejected", "short=rejected grades=binary")
    assert sentence(told(data, "nDCG@1", *names)).startswith(
        "nDCG@1 has no value by grades=whole-to-4: the judgment of doc 'a' is 5, more than 4; "
        "by single=rejected: query '1' is refused by single=rejected: a single doc; by "
    )


def test_an_axis_that_is_open_is_told_only_where_it_can_move_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # Recall of 1 of 1 and of 1 of 2: the mean of the queries is 3/4, pooled it is 2/3. P@1 divides by 1 each time.
    data = data_of({"1": judged_as(a=1), "2": judged_as(a=1, b=1)}, {"1": run_of("a"), "2": run_of("a")})
    left: dict[str, tuple[str, ...]] = {"mean": ("arithmetic", "pooled")}
    library = Profile({"P@k": STANDARD, "R": STANDARD}, "lib 1", {"P@k": left, "R": left})
    assert undetermined(data, parse("R"), library) == {"mean": "arithmetic"}
    assert undetermined(data, parse("P@1"), library) == {}
    monkeypatch.setattr(asked_data, "MOST_ROWS", 1)
    assert undetermined(data, parse("P@1"), library) == {"mean": "arithmetic"}, "not tried, so not said to be idle"


@pytest.mark.parametrize("spare", [0, 1])
def test_data_are_little_where_all_rows_may_be_looked_at_for_each_choice_before_the_formula(
    spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_of({"1": judged_as(a=3, b=0), "2": judged_as(c=1)}, {"1": run_of("b", "a", "x"), "2": run_of("d")})
    stages = {axis: one.stage for axis, one in AXES.items()}
    choices = data.choices(parse("nDCG@2"))
    times = sum(len(values) for axis, values in choices.items() if stages[axis] in {"order", "judge"})
    assert 0 < times < sum(map(len, choices.values()))
    monkeypatch.setattr(asked_data, "MOST_ROWS", times * (3 + 4) - 1 + spare)
    assert data.is_little(parse("nDCG@2")) is (spare == 1)


def test_who_refuses_rels_for_another_reason_than_that_they_are_no_flags_gives_nothing_of_flags() -> None:
    """`rels` refuses a rel of 3 and answers a rel of 1; `docs` refuses a doc without a judgment, which flags would not mend."""
    data = data_of({"1": judged_as(a=3, b=0)}, {"1": run_of("b", "a", "x")})
    specs = {"rels": "grades=binary", "docs": "unjudged=rejected", "neither": ""}
    found = dict(of_flags(data, parse("P@2"), {name: Profile({"*": profile(spec)}) for name, spec in specs.items()}))
    assert found.keys() == {"rels of rels made 0 and 1"}
    three = data_of({"1": judged_as(a=3, b=0, x=1)}, {"1": run_of("b", "a", "x")})
    specs = {name: f"grades={name}" for name in ("two-values", "whole-to-4", "binary", "any")}
    found = dict(of_flags(three, parse("P@2"), {name: Profile({"*": profile(spec)}) for name, spec in specs.items()}))
    assert [*found] == ["two-values of rels made 0 and 1", "binary of rels made 0 and 1"]


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
        ("-.5", "-0.5 -0.45", "0.5"),
        ("2.5e-1", "0.25 0.255", "0.2"),
        ("0.30000000000000004", "0.3", "0.30000000001"),
        ("-0.30000000000000004", "-0.3", "-0.30000000001"),
        ("25e2", "2450 2550", "2449 2551"),
    ],
)
def test_a_number_means_all_that_round_to_it(text: str, fits: str, not_so: str) -> None:
    number = wanted(text)
    assert all(number.fits(Fraction(value)) for value in fits.split())
    assert not any(number.fits(Fraction(value)) for value in not_so.split())
    assert not number.fits(None)


def test_a_number_has_so_many_decimals_and_may_be_a_float32_by_how_many_digits_it_has() -> None:
    decimals = {" .25 ": 2, "2.5e-3": 4, "25e2": 0, "1.5e3": 0, "7": 0, "-1.250": 3}
    assert {text: wanted(text).decimals for text in decimals} == decimals
    assert wanted(" .25 ").text == ".25"
    single = (".123456", ".123456789", "1.23456", ".500000000000", "-.00123456")
    others = ("123456", ".12345", ".1234567891", ".00012345", ".50000000000", "0.3000000000000004")
    assert [text for text in (*single, *others) if wanted(text).is_single] == [*single]


def test_what_is_off_in_float32_or_as_floats_are_is_a_share_of_the_number() -> None:
    large, small = wanted("123456.789"), wanted(".123456")
    assert [large.fits_single(Fraction(mean)) for mean in ("123456.7", "123456.6")] == [True, False]
    assert [small.fits_single(Fraction(mean)) for mean in (".1234564", ".1234566")] == [True, False]
    assert [wanted(".1").is_exactly(Fraction(mean)) for mean in (0.1, ".1", ".10000000001")] == [True, True, False]


@pytest.mark.parametrize("text", ["", ".", "nan", "a", "1,5", "٣", "1e9999", "--1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(NoValue, match="is no number; write it as it was printed"):
        wanted(text)


def found_by(data: AskedData, measure: str, text: str) -> Explained:
    bases = bases_of(data, parse(measure), {"standard": PROFILES["standard"]})
    return explained(data, parse(measure), wanted(text), bases)


def specs(value: Explained) -> list[str]:
    return sorted(" ".join(f"{axis}={after}" for axis, (_, after) in found.changes.items()) for found in value.found)


ONE = data_of({"1": judged_as(a=1, b=2, c=0)}, {"1": run_of("c", "b", "a")})
"""Relevant docs at ranks 2 and 3, no ties, nothing unjudged."""


def test_every_change_that_gives_a_number_is_told() -> None:
    # P@5 of two relevant docs among three: 2/5; over the three retrieved 2/3, over the two relevant 1.
    assert specs(found_by(ONE, "P@5", ".667")) == ["p_denominator=min-k-n"]
    assert specs(found_by(ONE, "P@5", "1.0")) == ["p_denominator=min-k-R"]
    two = data_of({"1": judged_as(a=1), "2": judged_as(b=0)}, {"1": run_of("a"), "2": run_of("b")})
    # A query without relevant docs is worth 1, or left out.
    assert {"norel=1", "norel=dropped"} <= set(specs(found_by(two, "P@1", "1.00")))


def test_a_defect_is_named_where_no_convention_gives_it() -> None:
    # Two relevant docs at ranks 1 and 3: the reciprocal ranks of all hits add up to 4/3, which no convention gives.
    data = data_of({"1": judged_as(a=1, b=0, c=1)}, {"1": run_of("a", "b", "c")})
    found = found_by(data, "RR", "1.333")
    assert found.found == ()
    assert "all-hits" in {defect.name for defect, _ in found.defects}
    assert "all-hits" in found.defects_tried


def test_of_what_gives_a_number_the_best_known_is_named_and_the_others_are_counted() -> None:
    data = data_of({"1": judged_as(a=1, b=0, c=1)}, {"1": run_of("a", "b", "c")})
    found = told(data, "RR@3", "standard", values=["1.333"])
    (value,) = found.values
    five = replace(value.defects[0][1], names=("o\ne", "two", "three", "four", "five"))
    known = "o\\ne, two, three and 2 more"
    errors = tuple((catalogue()[name], five) for name in ("mean-rank", "all-hits", "last-hit", "percent"))
    one = ValueMatch(five, {}, STANDARD, Fraction(4, 3))
    several = replace(one, changes={"gain": ("linear", "exp"), "mean": ("arithmetic", "pooled"), "norel": ("0", "1")})
    open_ties = replace(one, conventions=STANDARD.replace(ties=UNSPECIFIED))
    within = replace(open_ties, ends=MeanEnds(Fraction(1, 4), Fraction(1, 2)))

    def said(**changes: object) -> str:
        return sentence(replace(found, values=(replace(value, **changes),))).partition(". ")[0]  # type: ignore[arg-type]

    each = [f"o\ne where {defect.sentence}" for defect, _ in errors]
    assert said(defects=errors) == f"RR@3 1.333 is given by {each[0]}, {each[1]} and {each[2]}"
    uncut = said(uncut=("a", "b", "c", "d", "e"), found=(one,))
    assert uncut == "RR@3 1.333 is RR, without the cutoff, by a, b, c and 2 more"
    assert said(found=(one,)) == f"RR@3 1.333 is given by {known}"
    assert said(found=(one, several)).endswith(f"by {known}, and by one other set of conventions")
    assert said(found=(one, several, one), more=998).endswith(", and by 1,000 other sets of conventions")
    phrases = [f"{AXES[axis].phrase(b)} (not {AXES[axis].phrase(a)})" for axis, (a, b) in several.changes.items()]
    assert said(found=(several,)).endswith(f" by o\\ne, but {phrases[0]}, {phrases[1]} and {phrases[2]}")
    assert said(found=(open_ties,)).endswith(f" is given by {known}, if tied docs come out as they went in")
    assert said(found=(within,)).endswith(f" may be given by {known}, which in some order of tied docs gives .25 to .5")


def test_who_gives_a_number_within_float32_or_some_order_of_tied_docs_is_named_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By docid descending RR is (1/3 + 1/2)/2 = 5/12, and 1/2 by the best order; `two` computes in float32, `one` does not."""
    ranked = {"1": run_of("c", "a=b"), "2": run_of("b", "a")}
    data = data_of({"1": judged_as(a=1, b=0, c=0), "2": judged_as(a=1, b=0)}, ranked)
    standard = Base(("standard",), STANDARD)
    no_order = STANDARD.replace(ties=UNSPECIFIED)
    each = [Base((spec,), profile(spec)) for spec in ("ties=worst", "ties=expectation", "ties=best")]

    def given_by(text: str, *bases: Base) -> list[tuple[tuple[str, ...], Commonness, bool]]:
        found = explained(data, parse("RR"), wanted(text), (standard, *bases)).found
        return [(one.base.names, one.kind, one.ends is not None) for one in found]

    for text, is_open in ((".50000024", False), (".41666683", True)):
        kind = Commonness.WITHIN_TIES if is_open else Commonness.AS_IT_IS
        singles = Base(("one", "two", "three"), no_order, single=("two",))
        assert given_by(text, singles) == [(("two",), kind, is_open)]
        assert given_by(text, replace(singles, single=())) == []
    # 11/24 rounds to .5.
    nearest = [((name,), Commonness.AS_IT_IS, False) for name in ("ties=best", "ties=expectation")]
    assert given_by(".5", *each)[:2] == nearest
    alike, unordered = replace(each[2], names=("a", "b"), single=("b",)), Base(("no",), no_order, single=("no",))
    asked = [*each, alike, unordered]
    assert given_as_they_are(data, parse("RR"), wanted(".50000024"), asked) == ("b",)
    assert given_as_they_are(data, parse("RR"), wanted(".50"), asked) == ("ties=best", "a", "b")

    # Gain 2^rel - 1 and the best order of tied docs: a habit more than a library that keeps none, and on much data not tried.
    data = data_of({"1": judged_as(a=1, b=3, c=0)}, {"1": run_of("c", "a=b")})
    text = f"{to_float(mean(data, 'nDCG@2', 'gain=exp ties=best') or 0):.6f}"
    for most_rows, is_told in ((value_search.MOST_ROWS, True), (1, False)):
        monkeypatch.setattr(value_search, "MOST_ROWS", most_rows)
        found = explained(data, parse("nDCG@2"), wanted(text), (standard, Base(("one",), no_order))).found
        kinds = [(one.kind, one.ends is not None) for one in found if one.base.names == ("one",)]
        assert kinds == ([(Commonness.ONE_HABIT, True)] if is_told else [])


def test_all_who_give_a_number_alike_are_one_and_those_who_were_read_stand_last() -> None:
    data = data_of({"1": judged_as(a=1, b=1)}, {"1": run_of("a=b", "c")})
    standard, read = Base(("standard",), STANDARD), Base(("r1", "r2", "r3"), profile("ties=docid-asc"), read=True)
    others = [Base((name,), profile(f"ties={ties}")) for name, ties in (("p", "input"), ("q", "worst"))]
    (one,) = explained(data, parse("P@1"), wanted("1.0"), [standard, read, *others]).found
    assert one.base.names == ("standard", "p", "q", "r1", "r2", "r3")
    # Of one query they are the same number, not the same mean.
    pooled = Base(("pooled",), profile("mean=pooled"))
    found = explained(data, parse("R@1"), wanted(".50"), [standard, pooled]).found
    assert [one.base.names for one in found] == [("standard",), ("pooled",)]


@pytest.mark.in_turn
def test_who_was_read_is_told_of_those_who_are_compared_and_of_those_near_a_number() -> None:
    qrels = {"1": judged_as(a=1, b=3, c=0, d=2, e=1), "2": judged_as(x=1)}
    data = data_of(qrels, {"1": run_of("c", "b", "a"), "2": run_of("z", "y", "x")})
    found = told(data, "nDCG@2", "trec_eval", "rax ties=best", values=[".248319830"])
    assert (list(found.read), found.values[0].found) == (["rax", "elasticsearch"], ())


def test_what_turns_a_number_into_the_next_is_the_order_of_tied_docs_and_what_is_beside_it() -> None:
    judged = {"1": judged_as(a=1, b=0), "2": judged_as(a=1, b=2), "3": judged_as(z=1)}
    data = data_of(judged, {"1": run_of("a=b"), "2": run_of("b"), "3": run_of("x=y", "z")})
    found = told(data, "nDCG@2", "standard")
    ties = "the order of tied docs, in 2 queries of 3"  # that of query 3 moves nothing
    gain = "one query of 3, 2, differs by gain 2^rel - 1 (not linear gain)"
    both = f"{ties}; beside it, {gain}"
    for spec, is_open, wording in (("gain=exp", True, both), ("gain=exp", False, gain), ("", True, ties)):
        why = attribute(data, parse("nDCG@2"), STANDARD, profile(spec))
        turned = sentence(replace(found, between=(Between((".5", ".25"), why, is_open),)))
        assert turned.startswith(f"From .5 to .25, by what is known best of these, {wording}. nDCG@2 is ")


@pytest.mark.in_turn
def test_on_much_data_less_is_tried_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_by(ONE, "P@5", ".9123").largest == 3
    monkeypatch.setattr(value_search, "MOST_ROWS", 1)
    monkeypatch.setattr(asked_data, "MOST_ROWS", 1)
    much = told(ONE, "P@5", values=[".9123"])
    assert (much.effects, much.values[0].largest) == (None, 1)
    assert told(ONE, "P@5", whole=True).effects
    shown = " ".join(screen(much, heading=True).split())
    assert "sets of one change that were tried" in shown
    assert "ask with --whole" in shown


def valued(text: str, *found: ValueMatch) -> Explained:
    return Explained(wanted(text), found, (), 1, 1)


MIDDLE = ValueMatch(Base(("a",), STANDARD), {}, STANDARD, Fraction(9, 20))
"""As near to .4 as to .5, and it rounds to both."""
HALF = replace(MIDDLE, conventions=profile("gain=exp"), mean=Fraction(1, 2))
TIES = replace(HALF, conventions=profile("ties=input"), ends=MeanEnds(Fraction(2, 5), Fraction(3, 5)))


@pytest.mark.parametrize(
    ("each", "kept"),
    [
        ([(".4", MIDDLE), (".5", MIDDLE, HALF), (".9", MIDDLE)], [[MIDDLE], [HALF], [MIDDLE]]),
        ([(".5", MIDDLE, HALF), (".4", MIDDLE)], [[MIDDLE, HALF], [MIDDLE]]),
        ([(".4", MIDDLE), (".5", HALF, TIES)], [[MIDDLE], [HALF, TIES]]),
        ([(".4", MIDDLE, TIES), (".5", HALF, TIES)], [[MIDDLE], [HALF]]),
        ([(".5", TIES), (".9", TIES)], [[TIES], [TIES]]),
        ([(".50", HALF), (".5", HALF, MIDDLE), ("0.5", HALF)], [[HALF], [HALF, MIDDLE], [HALF]]),
    ],
)
def test_of_what_gives_two_numbers_each_has_what_is_nearer_to_it_and_the_first_where_neither_is(
    each: list[tuple[Any, ...]], kept: list[list[ValueMatch]]
) -> None:
    assert [list(one.found) for one in told_apart([valued(*one) for one in each])] == kept


def test_of_pairs_that_are_known_as_well_the_one_of_the_fewest_changes_is_told() -> None:
    far, near = (replace(HALF, conventions=profile(spec)) for spec in ("gain=exp ties=input", "ties=input"))
    rare = replace(MIDDLE, kind=Commonness.THE_REST)
    assert best_known_pair(valued(".4", rare, MIDDLE), valued(".5", far, near)) == (MIDDLE, near)
    assert best_known_pair(valued(".4", rare), valued(".5")) is None


def test_who_follows_a_profile_is_counted_and_parted_by_all_that_he_does() -> None:
    exp, linear = profile("gain=exp"), STANDARD
    base = Base(("a", "b", "c"), linear, {exp: ("a", "c"), linear: ("b",)}, single=("c",))
    assert base.each == [Base(("a", "c"), exp, single=("c",)), Base(("b",), linear)]
    assert Base(("a",), linear).each == [Base(("a",), linear)]
    changes = {"gain": ("linear", "exp"), "missing": ("0", "dropped")}
    each = [makers(parse("nDCG"), axis, after) for axis, (_, after) in changes.items()]
    assert min(each).here > 1
    here, anywhere = each[0].here * each[1].here, each[0].anywhere * each[1].anywhere
    assert replace(MIDDLE, base=base, changes=changes).known(parse("nDCG")) == (-3 * here, -3 * anywhere)
    kinds = (Commonness.ONE_HABIT, Commonness.AS_IT_IS, Commonness.THE_REST)
    found = [replace(MIDDLE, kind=kind) for kind in kinds]
    assert [valued(".4", *some).is_as_it_is for some in (found, found[::2], ())] == [True, False, False]


def test_systems_change_places_only_where_each_may_be_ahead() -> None:
    """P@1 of two queries: x from 0 to 1/2, y from 1/2 to 1, z from 0 to 1, w 1/2 alone; v retrieves a doc twice and has none."""
    runs = {"x": ("a=b", "b"), "y": ("a", "a=b"), "z": ("a=b", "b=a"), "v": ("a=b", "a=b=a"), "w": ("b", "a")}
    qrels = {"1": judged_as(a=1, b=0), "2": judged_as(a=1, b=0)}
    of = {name: data_of(qrels, {"1": run_of(one), "2": run_of(two)}) for name, (one, two) in runs.items()}
    ends = {name: envelope(data, parse("P@1"), STANDARD) for name, data in of.items()}
    plain = {name: data.answers(parse("P@1"), STANDARD) for name, data in of.items()}
    assert may_change_places(ends, plain) == [("x", "z"), ("y", "z"), ("z", "w")]


@pytest.fixture
def three_profiles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three profiles are known, and no library."""
    known = {
        "ada": Profile(
            {"nDCG@k": STANDARD.replace(gain="exp", ties="best")}, open={"nDCG@k": {"gain": ("exp", "linear")}}
        ),
        "bob": Profile({"nDCG@k": STANDARD.replace(gain="exp", ties="best")}),
        "cyd": Profile({"AP": STANDARD.replace(ties="best")}, open={"AP": {"missing": ("0", "nan")}}),
    }
    monkeypatch.setattr(habits, "PROFILES", known)
    monkeypatch.setattr(habits, "profile_named", known.__getitem__)
    for nobody in ("published", "read_ways"):
        monkeypatch.setattr(habits, nobody, dict)
    habits._counted.cache_clear()
    yield
    habits._counted.cache_clear()


@pytest.mark.usefixtures("three_profiles")
def test_what_is_undetermined_of_somebody_counts_as_nobodys_habit() -> None:
    ndcg, ap = parse("nDCG@10"), parse("AP")
    by_choice = {("gain", "exp"): Makers(1, 1), ("ties", "best"): Makers(2, 3), ("missing", "0"): Makers(2, 2)}
    assert {choice: makers(ndcg, *choice) for choice in by_choice} == by_choice
    assert [makers(ap, *choice) for choice in (("ties", "best"), ("missing", "0"))] == [Makers(1, 3), Makers(0, 2)]


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


def test_who_refuses_is_told_apart_from_who_may_depart_from_its_profile() -> None:
    """By its profile recommenders gives a number for a doc that stands twice, and by a known exception another one."""
    twice = data_of({"1": judged_as(a=1, b=1)}, {"1": run_of("a", "a", "b")})
    said = sentence(told(twice, "nDCG@2", "recommenders", "standard", "run_duplicates=rejected ties=input"))
    who = "standard and run_duplicates=rejected ties=input"
    assert "by recommenders:" not in said
    assert said.startswith(f"nDCG@2 has no value by {who}: doc 'a' is retrieved twice.")
    assert "recommenders may give something else than its profile" in said
    linear, exp, binary = (f"recommenders gain={gain}" for gain in ("linear", "exp", "binary"))
    alone = sentence(told(twice, "nDCG@2", linear, exp, binary, exp))
    assert alone.startswith(f"nDCG@2 is 1 by the profile of {linear}, {exp} and {binary}. ")


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
        with pytest.raises(BadInput, match=r"run:2: the rank '-' is no whole number"):
            read_data(qrels, runs, names)


def test_a_tool_alone_is_compared_with_standard_and_its_ways_with_each_other() -> None:
    alone = {"sklearn": "sklearn/appended", "sklearn/rows": "standard", "catboost": "standard"}
    for names, first in (*alone.items(), ("catboost sklearn", "catboost")):
        assert next(iter(compared(parse("nDCG@10"), names.split(), numbers=False))) == first, names
