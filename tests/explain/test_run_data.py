"""Values of a run under many conventions: those of the reference, by rows and by columns."""

from functools import partial
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st
from strategies import queries

from rankproof.explain.answers_by_columns import answers_by, columns_of
from rankproof.explain.run_data import RunData
from rankproof.inference.deciding_axes import values_of
from rankproof.inference.reference_answers import CannotTell, Refused, Values, said
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import parse
from rankproof.reference_impl.ranking import Judgment, QueryRow
from rankproof.workers.same_answers import alike

MEASURES = ("P@2", "AP", "nDCG@2", "RR", "R@2", "Bpref", "NumRelRet", "Judged@2", "Success@1", "nDCG(dcg='exp-log2')@2")
Data: TypeAlias = tuple[dict[str, list[Judgment]], dict[str, list[QueryRow]]]


@st.composite
def collections(draw: st.DrawFn) -> Data:
    """Draw some queries, of which some are missing, extra, empty, or named without a row."""
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


def once(data: Data) -> Data:
    """Keep a document once under a query: columns serve no other data."""
    qrels, run = data
    return (
        {query: list({row.doc: row for row in rows}.values()) for query, rows in qrels.items()},
        {query: list({row.doc: row for row in rows}.values()) for query, rows in run.items()},
    )


@st.composite
def profiles(draw: st.DrawFn) -> Conventions:
    """Draw a few conventions other than those of `standard`, most of which give a number."""
    axes = draw(st.lists(st.sampled_from(list(AXES)), max_size=6, unique=True))
    changes = {axis: draw(st.sampled_from([v for v in values_of(axis) if v != "rejected"] or ["any"])) for axis in axes}
    lenient = {"run_duplicates": "first", "qrels_duplicates": "last"}
    return STANDARD.replace(**{**lenient, **changes})


@given(collections(), profiles(), st.sampled_from(MEASURES))
def test_values_are_those_of_the_reference(rows: Data, conventions: Conventions, written: str) -> None:
    measure, data = parse(written), RunData(*rows)
    expected = said(lambda: Collection(*rows).answer(measure, conventions))
    answers = data.answers(measure, conventions)
    if isinstance(expected, Refused | CannotTell):
        assert type(answers) is type(expected)
    else:
        assert isinstance(answers, Values)
        assert (dict(answers.per_query), answers.mean) == (dict(expected.per_query), expected.mean)
    assert data.answers(measure, data.plain(measure, conventions)) == answers, "idle conventions changed a value"


@given(collections().map(once), st.lists(profiles(), min_size=1, max_size=4), st.sampled_from(MEASURES))
def test_columns_give_the_values_of_the_rows(rows: Data, several: list[Conventions], written: str) -> None:
    measure, columns = parse(written), columns_of(*rows, has_ranks=True)
    if columns is None:
        assert not all(any(part.values()) for part in rows)
        return
    values = columns()
    for conventions in (STANDARD, *several):
        answers = answers_by(values, measure, conventions)
        expected = said(partial(Collection(*rows).answer, measure, conventions))
        if isinstance(answers, Values):
            assert isinstance(expected, Values)
            assert answers.per_query.keys() == expected.per_query.keys()
            pairs = [(answers.mean, expected.mean), *((v, expected.per_query[q]) for q, v in answers.per_query.items())]
            assert all(alike(to_float(a), to_float(b)) for a, b in pairs)
        else:
            assert answers is None or type(answers) is type(expected)
