"""Profiles `notebook-*`: they give the values of the functions in their notebooks, which are implemented here again.

If a function raises, the profile refuses; if it returns nan, the value is undefined. The strategies do not draw inputs
that a notebook cannot take or that no convention describes, and comments there give the reasons.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from refusals import refusal
from row_types import Judged, Scored
from strategies import DOCS

import rankproof
from rankproof.evaluate.inputs import BadInput
from rankproof.evaluate.inputs.rows import Columns
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions, UnknownConvention
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.profiles import (
    PROFILES,
    Profile,
    UnknownProfile,
    by_measure,
    conventions_of,
    profile,
)
from rankproof.reference_impl.ranking import Judgment, QueryRow, Rejected, Rel
from rankproof.reference_impl.similarity import from_similarity

Values = Mapping[str, float]
Qrels = Mapping[str, Sequence[Judgment]]
Run = Mapping[str, Sequence[QueryRow]]


class Question(NamedTuple):
    """An input, and the values by query of the notebook; None if it raises."""

    measure: str
    qrels: Qrels
    run: Run
    expected: Values | None
    profile: str


def columns(of: Mapping[str, Sequence[Any]]) -> Columns:
    """Return rows by query as columns, which may include a query without rows."""
    docs, values, *ranks = list(zip(*(row for rows in of.values() for row in rows), strict=True)) or [(), ()]
    return Columns("rows", list(of), docs, values, *ranks or [None], list(map(len, of.values())))


def ours(question: Question, profile: str | Profile) -> tuple[Values, float] | None:
    """Return the values by query and the mean of `rankproof.evaluate`; None if it refuses the input."""
    qrels: object = [Judged(query, *line) for query, lines in question.qrels.items() for line in lines]
    run: object = [Scored(query, *row) for query, rows in question.run.items() for row in rows]
    if not (all(question.qrels.values()) and all(question.run.values())):  # records have no queries without lines
        qrels, run = columns(question.qrels), columns(question.run)
    try:
        result = rankproof.evaluate(question.measure, qrels, run, profile=profile)
    except (Rejected, BadInput):
        return None
    return result.per_query[question.measure], result.mean[question.measure]


def agrees(question: Question, profile: str | Profile) -> bool:
    result, expected = ours(question, profile), question.expected
    if result is None and expected is not None:
        # `evaluate` refuses a run of other queries, and grades that are all below the threshold; a notebook measures them.
        highest = max((line.rel for lines in question.qrels.values() for line in lines), default=0)
        common = {q for q, rows in question.run.items() if rows} & {q for q, lines in question.qrels.items() if lines}
        return not common or 0 < highest < 1
    if result is None or expected is None:
        return result is expected
    mean = sum(expected.values()) / len(expected) if expected else math.nan
    values, value = result
    same_queries = values.keys() == expected.keys()
    return same_queries and all(alike(values[query], expected[query]) for query in expected) and alike(value, mean)


def alike(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))


def by_query(lists: Mapping[str, object], function: Callable[[str], float]) -> Values | None:
    """Return the values of a function by query; None if it raises, because then the notebook has no table."""
    try:
        return {query: function(query) for query in lists}
    except (AssertionError, ZeroDivisionError, KeyError, ValueError):
        return None


CUTOFFS = st.sampled_from([1, 2, 3, 5, 8])
QUERIES = ("1", "2", "x")


def written(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


# -- notebook-trec: the table of the notebook on Hugging Face's trec_eval ---------------------------------------------


def in_rank_order(rows: Sequence[QueryRow]) -> list[str]:
    return [row.doc for row in sorted(rows, key=lambda row: row.rank)]


Gain = Callable[[float], float]


def by_table(name: str, ranked: Sequence[str], wanted: Sequence[Judgment], k: int | None, gain: Gain) -> float:
    """Return a cell of the table: ranked documents against the judgments above 0."""
    top = ranked if k is None else ranked[:k]
    relevant = {doc for doc, _ in wanted}
    if name == "RR":
        return next((1 / rank for rank, doc in enumerate(top, start=1) if doc in relevant), 0.0)
    if name == "nDCG":
        rels = dict(wanted)
        return by_hand(top, rels, gain) / by_hand(sorted(rels, key=lambda doc: -rels[doc])[:k], rels, gain)
    credited = len(relevant & set(top))
    return credited / (max(len(ranked), 1) if k is None else k) if name == "P" else credited / len(wanted)


def by_hand(docs: Sequence[str], rels: Mapping[str, Rel], gain: Gain) -> float:
    """Compute DCG of documents with grades from a dict; documents without a grade count 0."""
    return sum(gain(float(rels.get(doc, 0))) / math.log2(rank + 1) for rank, doc in enumerate(docs, start=1))


def exponential(rel: float) -> float:
    return 2**rel - 1


def linear(rel: float) -> float:
    return rel


# Creating a strategy for each draw takes longer than drawing from it.
SCORES = st.floats(-1, 1)
A_DOC = st.sampled_from(DOCS)
# pandas sorts equal ranks in an undocumented order, so ranks are unique.
RANKS = st.lists(st.integers(0, 20), unique=True, max_size=7)
SOME_QUERIES = st.lists(st.sampled_from(QUERIES), unique=True)
AND_ONE_MORE = st.lists(st.sampled_from([*QUERIES, "only in the run"]), unique=True)
A_CUTOFF_OR_NONE = st.none() | CUTOFFS
A_TREC_PROFILE = st.sampled_from([("notebook-trec", exponential), ("notebook-trec gain=linear", linear)])
LINES = st.lists(st.builds(Judgment, A_DOC, st.sampled_from([-2, 0, 0, 0.25, 1, 2, 3, 10])), max_size=8)


@st.composite
def of_trec(draw: st.DrawFn, name: str) -> Question:
    qrels = {query: judgments(name, draw(LINES)) for query in draw(SOME_QUERIES)}
    run = {query: [QueryRow(draw(A_DOC), draw(SCORES), rank) for rank in draw(RANKS)] for query in draw(AND_ONE_MORE)}
    k, (profile, gain) = draw(A_CUTOFF_OR_NONE), draw(A_TREC_PROFILE)
    kept = {query: [line for line in lines if line.rel > 0] for query, lines in qrels.items()}
    rows = {query: in_rank_order(run.get(query, ())) for query, lines in kept.items() if lines}
    expected = by_query(rows, lambda query: by_table(name, rows[query], kept[query], k, gain))
    return Question(written(name, k), qrels, run, expected, profile)


def judgments(name: str, lines: list[Judgment]) -> list[Judgment]:
    last = {line.doc: line for line in lines}
    if name == "R":
        return list(last.values())  # no convention counts repeated judgments twice in the divisor, as the notebook does
    if name == "nDCG":
        # The notebook keeps the last judgment above 0, which is `last` if it is the last of all, or if all are at most 0.
        above = {line.doc for line in lines if line.rel > 0}
        return [line for line in lines if last[line.doc].rel > 0 or line.doc not in above]
    return lines


RELS = st.dictionaries(A_DOC, st.sampled_from([-2, -0.5, 0, 0.25, 1, 2, 3]), min_size=1)
SOME_DOCS = st.lists(A_DOC, max_size=7)


@st.composite
def of_hand(draw: st.DrawFn) -> Question:
    """Draw input for the notebook's own DCG function: a list of documents and a dict of any grades."""
    rels, docs, k, (profile, gain) = draw(RELS), draw(SOME_DOCS), draw(A_CUTOFF_OR_NONE), draw(A_TREC_PROFILE)
    run = {"q": [QueryRow(doc, draw(SCORES), rank) for rank, doc in enumerate(docs)]}
    qrels = {"q": [Judgment(doc, rel) for doc, rel in rels.items()]}
    return Question(written("DCG", k), qrels, run, {"q": by_hand(docs[:k], rels, gain)}, profile)


# -- notebook-binary: functions of one list of grades -------------------------------------------------------------------


def of_list(name: str, rels: Sequence[float], k: int | None, R: int) -> float:
    if name in {"P", "R", "AP"}:
        assert set(rels) <= {0, 1}
    else:
        assert all(rel >= 0 for rel in rels)
    if name == "AP":
        at = [rank for rank, rel in enumerate(rels, start=1) if rel]
        return sum(number / rank for number, rank in enumerate(at, start=1)) / len(at)
    if name == "P":
        return sum(rels[:k]) / len(rels[:k])
    if name == "R":
        assert R > 0
        return sum(rels[:k]) / R
    dcg = undiscounted_twice(rels[:k])
    if name == "DCG":
        return dcg
    best = undiscounted_twice(sorted(rels, reverse=True)[:k])
    if not rels:
        raise ZeroDivisionError  # 0 / 0 raises with Python's numbers; with numpy's, as below, it is nan
    return dcg / best if best else math.nan


def undiscounted_twice(rels: Sequence[float]) -> float:
    return sum(rel / max(1.0, math.log2(rank)) for rank, rel in enumerate(rels, start=1))


BINARY, GRADED = st.sampled_from([0, 1]), st.sampled_from([0, 0, 1, 2, 0.5])
ANY_REL = st.sampled_from([0, 1, 3, 0.5, -1])
A_LIST = st.sampled_from([st.lists(rels, max_size=7) for rels in (BINARY, BINARY, GRADED, ANY_REL)])
BINARY_REST, REST = st.lists(BINARY, max_size=3), st.lists(ANY_REL, max_size=3)
A_QUERY_OR_MORE = st.lists(st.sampled_from(QUERIES), unique=True, min_size=1)


@st.composite
def of_binary(draw: st.DrawFn, name: str) -> Question:
    queries = draw(A_QUERY_OR_MORE)  # MAP of no list is undefined
    # A list has no ids, so each document of a list gets a unique name with one grade.
    # A query may have nothing retrieved or relevant, and one side may lack the query.
    bare = draw(st.none() | st.sampled_from(queries))
    lists = {query: [] if query == bare else draw(draw(A_LIST)) for query in queries}
    # Recall takes the number of relevant documents of binary lists, so the grades outside the list are also binary.
    unretrieved = {query: [] if query == bare else draw(BINARY_REST if name == "R" else REST) for query in queries}
    k = draw(CUTOFFS) if name in {"R", "DCG", "nDCG"} else draw(A_CUTOFF_OR_NONE) if name == "P" else None
    qrels = {q: [Judgment(f"d{i}", rel) for i, rel in enumerate([*lists[q], *unretrieved[q]])] for q in queries}
    run = {q: [QueryRow(f"d{i}", draw(SCORES)) for i, _ in enumerate(lists[q])] for q in queries}
    relevant = {query: sum(lists[query]) + sum(unretrieved[query]) for query in queries}
    expected = by_query(lists, lambda query: of_list(name, lists[query], k, relevant[query]))
    # An empty list can be left out of the run or of the qrels, but not of both, or the query would not exist.
    left_out = {query for query in queries if not run[query] and draw(st.booleans())}
    unjudged = {query for query in queries if not qrels[query] and query not in left_out and draw(st.booleans())}
    run = {query: rows for query, rows in run.items() if query not in left_out}
    qrels = {query: lines for query, lines in qrels.items() if query not in unjudged}
    return Question(written(name, k), qrels, run, expected, "notebook-binary")


# -- notebook-catboost: results looked up in a dict of grades ----------------------------------------------------------


def looked_up(name: str, results: Sequence[str], rels: Mapping[str, float], k: int) -> float:
    y = [rels[doc] for doc in results]
    if name == "DCG":
        return gained(y, k)
    if not y:
        return 0.0
    best = gained(sorted(y, reverse=True), k)
    return gained(y, k) / best if best else 1.0


def gained(y: Sequence[float], k: int) -> float:
    return sum((2**rel - 1) / math.log2(1 + rank) for rank, rel in enumerate(y[:k], start=1))


WHOLE_RELS = st.dictionaries(A_DOC, st.sampled_from([0, 0, 1, 2, 3]))
BROKEN_RELS = st.dictionaries(A_DOC, st.sampled_from([-1, -2, 0, 0.5, 3]))
A_SET_OF_QUERIES = st.sets(st.sampled_from(QUERIES), min_size=1)
ONE_IN_TEN = st.integers(0, 9)


@st.composite
def of_catboost(draw: st.DrawFn, name: str) -> Question:
    known_rels, k = WHOLE_RELS if draw(st.booleans()) else BROKEN_RELS, draw(CUTOFFS)
    # Each query has a dict, so the qrels include it; the notebook cannot measure other queries.
    rels = {query: draw(known_rels) for query in draw(A_SET_OF_QUERIES)}
    results = {}
    for query, known in rels.items():
        known_docs = sorted(known) if draw(ONE_IN_TEN) else DOCS[:2]
        results[query] = draw(st.lists(st.sampled_from(known_docs), max_size=6)) if known_docs else []
        y = sorted((known.get(doc, 0) for doc in results[query]), reverse=True)
        if name == "nDCG" and gained(y, k) < 0:
            results[
                query
            ] = []  # the notebook divides by an ideal DCG below 0, but the profile treats such a query as one without gain
    expected = by_query(rels, lambda query: looked_up(name, results[query], rels[query], k))
    qrels = {query: [Judgment(*line) for line in known.items()] for query, known in rels.items()}
    left_out = {query for query in rels if not results[query] and draw(st.booleans())}
    run = {q: [QueryRow(doc, draw(SCORES)) for doc in docs] for q, docs in results.items() if q not in left_out}
    return Question(f"{name}@{k}", qrels, run, expected, "notebook-catboost")


# -- notebook-similarity: the other documents by their similarity ------------------------------------------------------


def recommended(name: str, matrix: Sequence[Sequence[float]], labels: Sequence[str], i: int, p: int) -> float:
    others = [j for j in range(len(labels)) if j != i]
    if p > len(others):
        raise ValueError
    nearest = sorted(others, key=lambda j: (-matrix[i][j], j))[:p]
    alike_at = [rank for rank, j in enumerate(nearest, start=1) if labels[j] == labels[i]]
    if name == "CG":
        return float(len(alike_at))
    same = sum(labels[j] == labels[i] for j in others)
    best = sum(1 / math.log2(1 + rank) for rank in range(1, min(same, p) + 1))
    return sum(1 / math.log2(1 + rank) for rank in alike_at) / best if best else math.nan


LABELS = st.lists(st.sampled_from("aab"), min_size=1, max_size=6)  # there is no table without documents
SIMILARITY = st.sampled_from([0.1, 0.1, 0.5, 1.0])


@st.composite
def of_similarity(draw: st.DrawFn, name: str) -> Question:
    n = len(labels := draw(LABELS))
    matrix = draw(st.lists(st.lists(SIMILARITY, min_size=n, max_size=n), min_size=n, max_size=n))
    p = draw(st.integers(1, max(n, 2) if draw(st.booleans()) else max(n - 1, 1)))
    qrels, run = from_similarity(matrix, labels)
    expected = by_query(run, lambda query: recommended(name, matrix, labels, int(query), p))
    return Question(f"{name}@{p}", qrels, run, expected, "notebook-similarity")


QUESTIONS: Mapping[str, st.SearchStrategy[Question]] = {
    **{f"notebook-trec {name}": of_trec(name) for name in ("P", "R", "RR", "nDCG")},
    "notebook-trec DCG": of_hand(),
    **{f"notebook-binary {name}": of_binary(name) for name in ("P", "R", "AP", "DCG", "nDCG")},
    **{f"notebook-catboost {name}": of_catboost(name) for name in ("DCG", "nDCG")},
    **{f"notebook-similarity {name}": of_similarity(name) for name in ("CG", "nDCG")},
}


@pytest.mark.parametrize("function", QUESTIONS)
def test_a_profile_gives_the_values_of_its_notebook(function: str) -> None:
    @settings(max_examples=min(150, 4 * settings.default.max_examples), suppress_health_check=[HealthCheck.too_slow])
    @given(QUESTIONS[function])
    def law(question: Question) -> None:
        assert agrees(question, question.profile), (question, ours(question, question.profile))

    law()


def test_notebooks_differ_from_their_profiles_in_three_corners() -> None:
    twice = {"q": [Judgment("a", 1), Judgment("a", 2), Judgment("b", 1)]}
    run = {"q": [QueryRow("a", 1.0, 1)]}
    assert ours(Question("R@3", twice, run, None, ""), "notebook-trec") is None
    last_is_0 = [Judgment("a", 2), Judgment("a", 0), Judgment("b", 1)]
    assert ours(Question("nDCG@1", {"q": last_is_0}, run, None, ""), "notebook-trec gain=linear") == ({"q": 0.0}, 0.0)
    negative = {"a": -2.0, "b": -1.0}
    docs = {"q": [QueryRow("a", 2.0), QueryRow("b", 1.0)]}
    judged = {"q": [Judgment(*line) for line in negative.items()]}
    assert ours(Question("nDCG@2", judged, docs, None, ""), "notebook-catboost") == ({"q": 1.0}, 1.0)


# -- one profile with several sets of conventions ---------------------------------------------------------------------

LISTS = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}


def test_each_measure_of_one_call_has_its_own_conventions_and_signature() -> None:
    with pytest.raises(Rejected, match="neither 0 nor 1"):
        rankproof.evaluate(["P@2", "nDCG@2"], *LISTS, profile="notebook-binary")
    result = rankproof.evaluate(["P@2", "nDCG@2"], {"q": {"a": 1, "b": 0}}, LISTS[1], profile="notebook-binary")
    assert "|grades:binary|" in result.signature["P@2"]
    assert "|grades:" not in result.signature["nDCG@2"]
    assert "|negative:rejected|" in result.signature["nDCG@2"]
    again = rankproof.evaluate((), {"q": {"a": 1, "b": 0}}, LISTS[1], signature=result.signature.values())
    assert again == result


def test_changes_after_a_profile_name_apply_to_every_measure() -> None:
    result = rankproof.evaluate(["P@2", "DCG@2"], *LISTS, profile="notebook-binary grades=any gain=exp")
    assert result.mean == {"P@2": 1.0, "DCG@2": 1.0 + 3.0}


def test_a_column_that_any_measure_needs_is_read_for_all_measures() -> None:
    """The first measure ranks by score, the second by input order; the scores are read and not replaced by 0."""
    profile = Profile({"P": STANDARD, "*": STANDARD.replace(order="input", gain="exp")})
    scoreless = [Judged("q", "b", 1)]
    with pytest.raises(BadInput, match="no column score"):
        rankproof.evaluate(["nDCG@1", "P@1"], scoreless, [Judged("q", "a", 1)], profile=profile)
    run = [Scored("q", "a", 1.0, 0), Scored("q", "b", 2.0, 0)]
    assert rankproof.evaluate(["nDCG@1", "P@1"], scoreless, run, profile=profile).mean == {"nDCG@1": 0.0, "P@1": 1.0}


# -- named profiles and changes of them -------------------------------------------------------------------------------


@st.composite
def conventions(draw: st.DrawFn) -> Conventions:
    """Draw any conventions."""
    chosen = {axis.name: draw(st.sampled_from(sorted(axis.values))) for axis in AXES.values() if draw(st.booleans())}
    return Conventions(**chosen)


@given(conventions())
def test_printed_conventions_parse_back(any_conventions: Conventions) -> None:
    assert profile(any_conventions.spec()) == any_conventions
    assert profile(any_conventions) is any_conventions


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_name_may_be_followed_by_changes(name: str) -> None:
    assert by_measure(name) == PROFILES[name]
    changed = by_measure(f"  {name}\tgain=binary\n missing=dropped")
    assert changed.of == {k: c.replace(gain="binary", missing="dropped") for k, c in PROFILES[name].of.items()}


def test_a_profile_has_the_conventions_of_the_key_that_fits_best() -> None:
    keys = ["*", "P", "P@k", "P(rel=2)", "P(rel=2)@5"]
    made = Profile({key: Conventions(err_max=str(i)) for i, key in enumerate(keys, start=1)})
    expected = {
        "AP": "1",
        "P": "2",
        "P@5": "3",
        "P(rel=2)": "4",
        "P(rel=2)@10": "4",
        "P(rel=2)@5": "5",
        "P(rel=3)@5": "3",
    }
    assert {measure: conventions_of(made, parse(measure)).err_max for measure in expected} == expected
    assert Profile({}).conventions(parse("AP")) == STANDARD
    assert by_measure(made) is made
    assert by_measure(Conventions(gain="exp")).conventions(parse("AP")) == Conventions(gain="exp")


def test_an_observed_profile_has_no_conventions_for_measures_that_were_not_observed() -> None:
    seen = Profile({"nDCG@k": Conventions(gain="exp"), "IPrec@0.1": Conventions(score="f32")}, whose="made 1.0")
    assert seen.conventions(parse("nDCG@10")).gain == "exp"
    assert seen.conventions(parse("IPrec@0.1")).score == "f32"
    for other, form in (("nDCG", "nDCG"), ("nDCG(rel=2)@5", "nDCG(rel=2)@k"), ("IPrec@0.2", "IPrec@0.2"), ("AP", "AP")):
        message = refusal(seen.conventions, parse(other), by=UnknownConvention)
        assert f"made 1.0 has no profile for {form}; it has nDCG@k, IPrec@0.1" in message
    assert seen.changed("ties=input").conventions(parse("nDCG@5")).spec() == "gain=exp ties=input"


def test_open_axes_belong_to_the_key_that_fits_and_a_change_closes_them() -> None:
    open_axes = {"ties": ("input", "docid-asc"), "gain": ("exp", "linear")}
    seen = Profile({"nDCG@k": STANDARD, "P@k": STANDARD}, whose="made 1.0", open={"nDCG@k": open_axes})
    assert [seen.undecided(parse(measure)) for measure in ("nDCG@10", "P@5")] == [open_axes, {}]
    changed = seen.changed("gain=map:1=1,2=5")
    assert changed.undecided(parse("nDCG@10")) == {"ties": ("input", "docid-asc")}
    assert changed.conventions(parse("nDCG@10")).gain == "map:1=1,2=5"
    assert Profile({}, open={"P@k": open_axes}).undecided(parse("AP")) == {}
    message = refusal(seen.undecided, parse("AP"), by=UnknownConvention)
    assert "made 1.0 has no profile for AP; it has nDCG@k, P@k" in message


def test_a_profile_by_measure_is_not_a_single_set_of_conventions() -> None:
    with pytest.raises(UnknownConvention, match="notebook-binary has different conventions for some measures"):
        profile("notebook-binary")
    assert profile("trec_eval-9") == PROFILES["trec_eval-9"].of["*"]


def test_profile_without_a_name_is_standard() -> None:
    assert profile("") == profile("  ") == profile("standard") == STANDARD == Conventions()
    assert STANDARD.spec() == ""
    assert len({tuple(profile.of.items()) for profile in PROFILES.values()}) == len(PROFILES), (
        "two profiles are the same"
    )


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("trec", "Unknown profile 'trec'; choose from standard, trec_eval-9"),
        ("x" * 5000, "… (5,000 characters)'; choose from standard"),
        ("standard standard", "'standard' is not of the form axis=value, such as ties=input"),
        ("gain=exp standard", "'standard' is not of the form axis=value"),
        ("gian=exp", "Unknown axis 'gian'; did you mean gain?"),
        ("gain=cubic", "Unknown convention gain=cubic. Choose from linear, exp, binary"),
        ("=exp", "Unknown axis ''"),
        ("ties=input ties=worst", "ties is set twice, to input and worst. Keep one."),
        ("standard ties=input ties=input", "ties is set twice, to input and input"),
        ("trec_eval-9 missing=0 gain=exp missing=nan", "missing is set twice, to 0 and nan"),
        ("gain=map:1=2,2=3,1.0=3", "gain=map:1=2,2=3,1.0=3 sets the gain of a grade twice"),
        ("gain=map:1=" + "9" * 19, "Unknown convention gain=map:1=9"),
        ("gain=map:" + "1=1," * 300 + "2=2", "… (1,207 characters). Choose from linear"),
        ("gain=map:", "Unknown convention gain=map:."),
        ("gain=map:1..2=3", "Unknown convention gain=map:1..2=3."),
        ("discount=jk-" + "9" * 10, "Unknown convention discount=jk-9"),
        ("discount=jk-1", "Unknown convention discount=jk-1."),
        ("err_max=100000", "Unknown convention err_max=100000."),
        ("err_max=0", "Unknown convention err_max=0. Choose from 4, query, probability"),
        ("x" * 5000 + "=1", "… (5,000 characters)'; choose from"),
    ],
)
def test_an_unknown_profile_or_convention_is_refused_with_a_hint(spec: str, hint: str) -> None:
    assert hint in refusal(
        profile, spec, by=UnknownProfile if "=" not in spec and " " not in spec else UnknownConvention
    )
