"""What `check` says of functions that are drawn: their measure and form, every choice that they make, what is wrong with them; and no more.

Nothing that is compared comes from the code that is tested: what a function is made of is drawn, its formulas are this test's own
(`drawn_formulas`, `drawn_calls`), and what is shown as its answer is asked of it again.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import drawn_functions
import pytest
from drawn_calls import SHAPES, Query
from drawn_formulas import FORMULAS, NO_RELEVANT
from drawn_functions import Drawn, made_of

from rankproof import cases as corpus
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking.checked import Checked
from rankproof.checking.differing import Difference
from rankproof.checking.examining import examine
from rankproof.isolating.limits import Limits
from rankproof.matching.comparing import reading_of
from rankproof.matching.recalled import recalled
from rankproof.matching.reference_answers import Answers, Refused
from rankproof.meaning.deciding_axes import values_of
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.meaning.signatures import axes_of
from rankproof.meaning.signatures import parse as parse_signature
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse as parse_measure
from rankproof.telling.check_answer import AnswerKind, answer_of
from rankproof.telling.check_json import for_programs
from rankproof.telling.check_text import in_text

HONEST, FAULTY = 60, 60
"""How many functions are drawn of each kind."""
TURNS = 30
"""How often each is asked what stands in no case."""
HERE = Limits(isolated=False)
"""In this process: what a process of its own is for is tested elsewhere, and takes half as long again."""
BESIDE = {
    "known": {"retrieved"},
    "gain": {"binary"},
    "run_duplicates": {"both"},
    "missing": {"measured"},
    "qrels_duplicates": {"last"},
    "negative": {"as-is"},
    "ideal": {"given"},
}
"""What a form settles, or a function does that no habit is drawn for: it credits a doc twice, of two judgments a dict holds the last, a
negative gain is added and stands in the ideal ranking, and a query without a ranking is measured."""
CHEAP = {("p_denominator", "min-k-n"), ("ap_denominator", "hits"), ("ideal", "retrieved"), ("ideal_cut", "never")}
"""By which a perfect score is cheap, or a perfect run has none, as far as the form tells it."""
NAMES = {"last-doc-lost": "rank-k-lost"}
"""The names of the catalogue, where a drawn defect's own differ."""
RIGHT = (
    made_of("R@3", "scored-ids", "rel_map score_dict", {"r_denominator": "min-k-R"}, "rejected", "input-reversed"),
    made_of(
        "nDCG@5", "frames", "df_true rating_pred", {"ideal": "retrieved", "gain": "exp"}, "rejected", "input-reversed"
    ),
    made_of("Success@10", "records", "test_cases", {}, "nan", result="by cutoff"),
    made_of("P@3", "qrels-run", "qrels run", {}, "dropped", nothing="0"),
    made_of("RR@5", "queries-ids", "relevant_docs retrieved", {}, "dropped", nothing="0"),
    made_of("nDCG@10", "qrels-run", "judgments run_dict", {"gain": "exp"}, "dropped", "docid-asc", nothing="0"),
)
WRONG = (
    made_of("P@10", "qrels-run", "ground_truth results", {"": "ranked-backwards"}, "0", "docid-desc"),
    made_of("R@3", "frames", "df_true run_df", {"": "ranked-backwards"}, "nan"),
    made_of("P@10", "queries-ids", "ground_truth retrieved", {"": "hits-not-divided"}),
    made_of("Success@10", "rows-of-query", "records", {"": "cutoff-too-deep"}, "nan"),
    made_of("Success@5", "rows", "labels y_pred", {"": "percent"}, "nan"),
    made_of("RR@5", "qrels-ranked", "judgments rankings", {"": "last-hit"}),
    made_of("RR@5", "ids", "expected_ids ranked_docs", {"": "last-hit"}),
    made_of("AP@5", "records", "records", {"": "precisions-over-k"}, "nan"),
    made_of("P@3", "pairs", "examples", {"": "last-doc-lost"}, "nan"),
    made_of("AP@3", "pairs", "pairs", {"": "precisions-not-divided"}, "rejected"),
    made_of("R@3", "pairs", "pairs", {"": "cutoff-too-deep"}, "1"),
    made_of("nDCG@10", "scored-ids", "judgments doc_scores", {"": "relevant-from-2"}, "nan"),
    made_of("nDCG@3", "qrels-ranked", "judgments retrieved", {"": "relevant-from-2"}, "1"),
    made_of("RR@3", "rows-of-query", "records", {"": "ranks-from-0"}, "nan"),
    made_of("Success@10", "qrels-ranked", "qrels rankings", {"": "cutoff-too-deep"}),
    made_of("P@5", "ids", "expected_ids ranked_docs", {"": "last-doc-lost"}, "nan"),
    made_of("RR@3", "queries-ids", "relevant_docs retrieved", {"": "ranks-from-0"}, "nan"),
    made_of("nDCG@3", "rows-of-query", "records", {"": "ideal-of-another-gain"}, "1"),
    made_of("nDCG@5", "qrels-run", "qrels run", {"": "ideal-of-the-hits", "gain": "exp"}),
    made_of("R@3", "pairs", "pairs", {"": "cutoff-too-deep", "r_denominator": "min-k-R"}),
    made_of("AP@5", "records", "records", {"": "cutoff-ignored", "ap_denominator": "hits"}, "nan"),
    made_of("P@5", "scored-list", "expected_ids retrieved", {"": "ranked-backwards"}, "nan"),
    made_of("AP@5", "scored-ids", "rel_map score_dict", {"": "cutoff-ignored"}),
    made_of("P@5", "qrels-run", "qrels run", {"": "first-doc-lost"}, "0", "docid-asc"),
    made_of("RR@3", "rows", "y_true y_score", {"": "first-doc-lost"}, "1"),
    made_of("nDCG@5", "scored-ids", "judgments doc_scores", {"": "first-doc-lost", "gain": "exp"}, "nan"),
    made_of(
        "nDCG@10", "group-sizes", "y_true preds group_sizes", {"": "ideal-of-the-hits"}, "rejected", "input-reversed"
    ),
)
"""Those of which something else was said once."""
UNTOLD = {"order": {"ties", "score"}, "ids": {"ids"}, "queries": {"missing", "extra", "mean", "no_query"}}
"""The axes that stay open where a form tells nothing of this."""


@cache
def few() -> tuple[Case, ...]:
    """A sixth of the cases with judgments, and a third of those of several queries.

    Beside them all with a doc retrieved twice, with a query without relevant docs, or that tell a sort.
    """
    usual = [case for case in corpus.load_all() if case.input.qrels and not case.undefined]
    several = [case for case in usual if len(case.queries) > 1]
    others = [one for one in usual if "retrieved-twice" in one.id or one.input.tells_sorts or lacks_relevant(one.input)]
    return tuple({case.id: case for case in (*usual[::6], *several[::3], *others)}.values())


def lacks_relevant(data: Input) -> bool:
    """Whether to a query no doc is relevant."""
    return any(all(rel < 1 for _, rel in judged) for judged in data.judged.values())


def checked(made: Drawn) -> Checked:
    return examine(made.function(), made.measure, cases=few(), limits=HERE)


def drawn_choices(made: Drawn, known: str = "all") -> dict[str, str]:
    """What it does otherwise than is standard, by axis, as far as its form tells it; `known` is which judgments it is said to know."""
    told = {axis: value for axis, value in made.habits.items() if axis}
    if told.get("ideal") == known == "retrieved":
        told["ideal"] = "judged"  # of the docs that are known: to nDCG that is the same
    told |= {"norel": made.norel, "no_query": made.nothing}
    if "order" in made.tells:
        told["ties"] = made.ties
    return {axis: value for axis, value in told.items() if value != getattr(STANDARD, axis)}


def queries_of(data: Input) -> list[Query]:
    """An input as queries, whose rows come in its order."""
    return [
        Query(
            str(query),
            [(str(doc), score) for own, doc, score, _ in data.run if own == query],
            {str(doc): rel for own, doc, rel in data.qrels if own == query},
            tuple(
                any(row[0] == query for row in rows) or query in empty
                for rows, empty in ((data.qrels, data.empty_in_qrels), (data.run, data.empty_in_run))
            ),
        )
        for query in data.queries
    ]


def input_of(queries: Sequence[Query]) -> Input:
    ranked = [(one.name, place, *row) for one in queries for place, row in enumerate(one.run, start=1)]
    return Input(
        qrels=tuple((one.name, doc, rel) for one in queries for doc, rel in one.rels.items()),
        run=tuple((name, doc, score, place) for name, place, doc, score in ranked),
    )


def given_by(made: Drawn, queries: Sequence[Query], k: int) -> float | None:
    """What it gives over some queries, or each of them by itself; None where it refuses one."""
    try:
        if not made.tells & {"queries", "mean"}:
            values = [made.asked([one], k) for one in queries]
            return sum(values) / len(values)
        value = made.asked(queries, k)
    except ValueError:
        return None
    return sum(value.values()) / len(value) if isinstance(value, dict) else float(value)


def is_same(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def number(value: object) -> float | None:
    return float(value) if isinstance(value, float | int) else None


# -- what is right ------------------------------------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.in_parts(16)
@pytest.mark.parametrize("seed", range(HONEST))
def test_of_a_right_function_what_it_is_made_of_is_said_and_no_more(seed: int) -> None:
    assert_told_by_what_it_is_made_of(drawn_functions.drawn(seed, defects=False))


@pytest.mark.in_turn
@pytest.mark.parametrize("made", RIGHT, ids=str)
def test_so_it_is_of_one_of_which_more_or_less_was_said_once(made: Drawn) -> None:
    assert_told_by_what_it_is_made_of(made)


def assert_told_by_what_it_is_made_of(made: Drawn) -> None:
    found = checked(made)
    assert (found.target.form.name, found.ordinary.misses) == (made.form, []), made
    assert_each_choice_is_told(made, found)
    assert_what_is_untold_is_open(made, found)
    assert_answered_as_predicted(made, found)
    assert_excluded(made, found)
    assert_same_to_programs(made, found)
    if found.witness is not None:
        assert_shown(made, found.witness)
    else:
        assert answer_of(found).kind == AnswerKind.IS
        assert not STANDARD.differences(found.ordinary.follows).keys() - found.target.form.settled.keys()


def assert_each_choice_is_told(made: Drawn, found: Checked) -> None:
    """Each that it makes, as decided, and no other one."""
    signature, answer = parse_signature(str(found.signature)), answer_of(found)
    told = drawn_choices(made, signature.conventions.known)
    for axis, value in told.items():
        remaining = signature.open.get(axis, (getattr(signature.conventions, axis),))
        assert value in remaining, (str(made), axis, remaining)
        if value == "nan":
            assert set(remaining) <= {"nan", "nan-as-0"}, (str(made), remaining)  # a mean tells them apart
        elif axis != "ap_denominator" or "unretrieved" in made.tells:  # of retrieved docs alone, two are one
            assert remaining == (value,), (str(made), axis, remaining)
    others = STANDARD.differences(signature.conventions).items() - told.items()
    decided = {axis: value for axis, value in others if axis not in signature.open}
    assert all(value in BESIDE.get(axis, ()) for axis, value in decided.items()), (str(made), decided)
    assert str(signature.measure) == str(found.measure) == made.measure
    is_odd = any(one in CHEAP for one in made.habits.items())
    assert answer.kind in ({AnswerKind.BUT_FOR} if is_odd else {AnswerKind.IS, AnswerKind.BUT_FOR}), answer.sentence
    assert answer.sentence.startswith("yes" if answer.kind == AnswerKind.IS else "no: "), answer.sentence
    if found.finding is not None and found.finding.score is not None:
        odd = {axis for axis, value in made.habits.items() if (axis, value) in CHEAP}
        assert set(found.finding.axes) <= odd | {"known"}, (str(made), found.finding.axes)


def assert_what_is_untold_is_open(made: Drawn, found: Checked) -> None:
    signature, answer = parse_signature(str(found.signature)), answer_of(found).sentence
    matter = axes_of(signature.measure)
    for what, axes in UNTOLD.items():
        if what not in made.tells and not (what == "queries" and "mean" in made.tells):
            assert {axis for axis in axes if axis in matter} <= signature.open.keys(), (str(made), what)
    is_partial = "unretrieved" not in made.tells and made.formula.name in {"nDCG", "R", "AP"}
    is_partial = is_partial and made.habits.get("ap_denominator") != "hits"  # which are all retrieved
    is_of_flags = made.formula.is_graded and "rels" not in made.tells
    limits = ["all relevant docs are retrieved"] * is_partial + ["every rel is 0 or 1"] * is_of_flags
    beyond = [f"{made.formula.of_unretrieved} where a relevant doc is not retrieved"] * is_partial
    beyond += ["the gain of other rels"] * is_of_flags
    if answer.startswith("yes"):
        said = answer.partition(": ")[0]
        assert said == (f"yes, where {' and '.join(limits)}" if limits else "yes"), (str(made), answer)
    assert answer.partition("; undetermined: ")[2] == ", ".join(beyond), (str(made), answer)


def assert_answered_as_predicted(made: Drawn, found: Checked) -> None:
    """What stands in no case, by the conventions that were found."""
    measure = parse_measure(made.measure)
    for turn in range(TURNS):
        queries = drawn_functions.queries(turn, 3 if made.tells & {"queries", "mean"} else 1)
        data = found.target.form.express(input_of(queries))
        if data is not None:
            right = reading_of(recalled(data).answers(measure, found.profile), None)
            got = given_by(made, queries_of(data), made.k)
            assert is_same(got, number(right)), (str(made), data, got, right)


def assert_excluded(made: Drawn, found: Checked) -> None:
    """By its witness each value that is said to be excluded: the function gives something else there."""
    # Whoever calls may tell more judgments than the form knows.
    settled = {other: by for other, by in found.target.form.settled.items() if other != "known"}
    asked: dict[str, list[Any]] = {}
    for one in found.usual:
        asked.setdefault(one.question.case.id, []).append(one.question)
    excluded = {
        (axis, value): case
        for axis, said in for_programs(found)["axes"].items()
        for value, case in said.get("excluded", {}).items()
    }
    given = {
        case: [(one, given_to(made, one.case.input, cutoff_of(one.measure))) for one in asked[case]]
        for case in {*excluded.values()}
    }
    for (axis, value), case in excluded.items():
        changed = found.found.profile.replace(**settled | {axis: value})
        differs = any(not is_same_as_given(got, one.answers(changed)) for one, got in given[case])
        assert differs, (str(made), axis, value, case)


def given_to(made: Drawn, data: Input, k: int) -> Any:
    """What it gives to each query by itself, if it is called for one; else to all, and by query where it gives that; None if it refuses."""
    queries = queries_of(data)
    at_once = made.tells & {"queries", "mean"}
    try:
        return made.asked(queries, k) if at_once else {one.name: made.asked([one], k) for one in queries}
    except ValueError:
        return None


def is_same_as_given(got: Any, right: Answers) -> bool:
    """Whether the answers are what was given."""
    if got is None:
        return isinstance(right, Refused)
    if isinstance(right, Refused) or not isinstance(got, dict):
        return not isinstance(right, Refused) and is_same(got, number(reading_of(right, None)))
    expected = {query: reading_of(right, query) for query in right.per_query}
    return got.keys() == expected.keys() and all(is_same(got[one], number(expected[one])) for one in got)


def assert_same_to_programs(made: Drawn, found: Checked) -> None:
    told, answer, signature = for_programs(found), answer_of(found), parse_signature(str(found.signature))
    assert (told["function"], told["form"], told["measure"]) == (found.target.name, made.form, made.measure)
    assert (told["answer"]["kind"], told["answer"]["sentence"]) == (answer.kind, answer.sentence)
    assert " ".join(in_text(found).split()).startswith(f"answer {answer.sentence} ")
    assert told["signature"] == str(found.signature)
    undetermined = {axis: tuple(said["undetermined"]) for axis, said in told["axes"].items() if "undetermined" in said}
    assert undetermined == {axis: values or values_of(axis) for axis, values in signature.open.items()}
    for axis, value in drawn_choices(made, found.follows.known).items():
        said = told["axes"].get(axis, {})
        assert said.get("value", value) == value
        assert value not in said.get("excluded", {})
    assert told["ordinary"]["asked"] == told["ordinary"]["explained"] == len(found.usual)
    assert told["ordinary"]["asked"] + told["extreme"]["asked"] + told["not_asked"] == len(found.seen)


def assert_shown(made: Drawn, shown: Difference, *, norel: str = "0", ties: str = "docid-desc") -> None:
    """What is shown, asked of it again; and what is right there, by the formula without its habits, or without its defect alone."""
    k = cutoff_of(shown.question.measure)
    queries = [one for one in queries_of(shown.question.case.input) if shown.query in {None, one.name}]
    if not all(one.run and len({doc for doc, _ in one.run}) == len(one.run) for one in queries):
        return  # a doc that is retrieved twice has no place in dicts
    assert is_same(given_by(made, queries, k), number(shown.got)), (str(made), shown)
    if isinstance(shown.expected, float) and "ids" in made.tells:
        beside = {axis: value for axis, value in made.habits.items() if axis and made.defect}
        plain = replace(made, habits=beside, norel=norel, ties=ties, by_query=False)
        assert is_same(given_by(plain, queries, k), shown.expected), (str(made), shown)


# -- what is wrong ------------------------------------------------------------------------------------------------------


@pytest.mark.in_turn
@pytest.mark.in_parts(16)
@pytest.mark.parametrize("seed", range(FAULTY))
def test_of_a_wrong_function_the_defect_is_named(seed: int) -> None:
    assert_named(drawn_functions.drawn(seed, defects=True))


@pytest.mark.in_turn
@pytest.mark.in_parts(6)
@pytest.mark.parametrize("made", WRONG, ids=str)
def test_so_it_is_of_one_that_was_called_otherwise_once(made: Drawn) -> None:
    assert_named(made)


def assert_named(made: Drawn) -> None:
    found = checked(made)
    answer, told = answer_of(found), for_programs(found)
    assert answer.kind == AnswerKind.DEFECT, (str(made), answer.sentence)
    assert found.defect is not None, (str(made), answer.sentence)
    assert NAMES.get(made.defect, made.defect) in found.defect.names, (str(made), found.defect.names)
    assert (found.holds, found.signature, told["signature"]) == (False, None, None)
    assert told["defect"]["names"] == list(found.defect.names)
    beside = STANDARD.differences(found.defect.profile)
    told_of = drawn_choices(made, found.defect.profile.known)
    expected = {axis: value for axis, value in told_of.items() if value != "rejected"}
    if found.defect.remaining.get("ideal") == ("given",):
        # A negative gain stands in the ideal ranking of the retrieved.
        assert expected.pop("ideal", None) == "retrieved", made
    if found.target.form.name == "relevant-frames":  # which have no query without relevant docs
        for axis in ("norel", "no_query"):
            expected.pop(axis, None)
    else:
        assert found.target.form.name == made.form, made
    assert beside.keys() == found.defect.remaining.keys()
    assert all(beside[axis] in values for axis, values in found.defect.remaining.items())
    # A query that the run lacks has no relevant doc of those retrieved.
    as_well = BESIDE | ({"missing": {"measured", made.norel}} if made.habits.get("ideal") == "retrieved" else {})
    remaining = found.defect.remaining.items()
    decided = {axis: values for axis, values in remaining if not as_well.get(axis, set()) >= {*values}}
    if "rels" not in made.tells and decided.get("no_judgments") == ("extra",):
        # Of relevant ids alone, a query without relevant docs is one that is named without a judgment.
        assert (decided.pop("no_judgments"), expected.pop("norel")) == (("extra",), "dropped"), made
    assert all(expected.pop(axis, None) in values for axis, values in decided.items()), (str(made), decided)
    assert not expected, (str(made), decided)
    assert found.witness is not None
    assert_shown(made, found.witness, norel="0" if made.norel == "rejected" else made.norel, ties=made.ties)


def test_they_are_of_all_kinds() -> None:
    made = [drawn_functions.drawn(seed, defects=False) for seed in range(HONEST)]
    wrong = [drawn_functions.drawn(seed, defects=True) for seed in range(FAULTY)]
    assert {one.formula.name for one in made} == {one.name for one in FORMULAS}
    assert {one.shape.name for one in (*made, *wrong)} == {one.name for one in SHAPES}
    assert {one.norel for one in made} == {one.norel for one in wrong} == {*NO_RELEVANT, "dropped"}
    assert {one.defect for one in wrong} == {name for one in FORMULAS for name in one.defects}
