"""By the column and by the row all is the same where every limit on pieces is tiny, of three queries that differ, in one set of columns.

So large queries come after the first one, docs are tied at float32 alone, scores are infinite, 0 and below, and what was settled for one
measure or convention lies beside what is asked next.
"""

import math
import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest

from rankproof.evaluating.fast import docs_in_order, numpy_queries
from rankproof.evaluating.fast.arrays import NotColumnar
from rankproof.evaluating.fast.float_answers import Columns, answers_of
from rankproof.evaluating.fast.grouped_columns import qrels_columns, run_columns
from rankproof.evaluating.fast.judged_columns import SettledColumns
from rankproof.evaluating.fast.text_tables import Text, trec_rows
from rankproof.evaluating.inputs.trec_files import QRELS_LINE, RUN_LINE
from rankproof.reference_impl.conventions import AXES, STANDARD, Conventions
from rankproof.reference_impl.evaluation import Collection
from rankproof.reference_impl.exact import to_float
from rankproof.reference_impl.notation import Measure, parse
from rankproof.reference_impl.ranking import Judgment, QueryRow

NEXT_TO_A_TIE = (1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1.0 + 2e-9)
"""One score as float32, four as float64."""
SCORES = (math.inf, -math.inf, 0.0, -0.5, 3.0, 2.0, 3.0, *NEXT_TO_A_TIE)
TIES = ("docid-desc", "docid-asc", "input", "input-reversed", "last-rank", "expectation", "best", "worst")
ORDERS = [
    STANDARD.replace(ties=ties, score=score, score_sign=sign)
    for ties, score, sign in product(TIES, ("f64", "f32"), ("any", "positive"))
] + [STANDARD.replace(order=order, score_sign=sign) for order, sign in product(("rank", "input"), ("any", "positive"))]
OF_QUERIES = [
    STANDARD.replace(**{name: value})
    for name, axis in AXES.items()
    if axis.stage == "aggregate" and name != "mean"
    for value in axis.values
]
MEASURES = [
    parse(text)
    for text in (
        "nDCG@3",
        "AP",
        "AP(rel=2)",
        "RR",
        "RR@3",
        "Success@2",
        "Rprec",
        "Rprec(rel=2)",
        "ERR@4",
        "P@3",
        "NumRel",
        "NumRet",
    )
]
Lists = dict[str, tuple[list[Judgment], list[QueryRow]]]


def _lists(seed: int) -> Lists:
    """Three queries of so many docs that each is a large one, none in order; then one of a single doc, and ones that one side lacks."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    of: Lists = {}
    for name, size in (("30", 11), ("10", 8), ("q-20", 14)):
        docs = [f"d{i:02}" for i in range(size)]
        chance.shuffle(docs)
        ranks = [*range(1, size + 1)]
        chance.shuffle(ranks)
        judged = chance.sample(docs, size - 3)
        judgments = [Judgment(doc, chance.choice((0, 0, 1, 1, 2, 3))) for doc in judged]
        judgments += [Judgment(f"x{i}", i) for i in range(3)]
        of[name] = judgments, [QueryRow(d, chance.choice(SCORES), r) for d, r in zip(docs, ranks, strict=True)]
    of["one"] = [Judgment("d01", 1), Judgment("d02", 0)], [QueryRow("d01", 1.0, 1)]
    of["one-too-deep"] = [Judgment("d03", 1)], [QueryRow(f"d{i:02}", 9.0 - i, i + 1) for i in range(5)]
    of["judged-alone"] = [Judgment("d01", 2)], []
    of["ranked-alone"] = [], [QueryRow("d01", 1.0, 1), QueryRow("d02", 1.0, 2)]
    return of


def _columns(of: Lists) -> Columns:
    qrels = "".join(f"{q} 0 {j.doc} {j.rel}\n" for q, (judgments, _) in of.items() for j in judgments)
    run = "".join(f"{q} Q0 {row.doc} {row.rank} {row.score!r} t\n" for q, (_, rows) in of.items() for row in rows)
    judgments = qrels_columns(trec_rows(Text(qrels.encode()), QRELS_LINE).rows)
    return Columns(
        SettledColumns(judgments, run_columns(trec_rows(Text(run.encode()), RUN_LINE, ranks=True).rows, judgments))
    )


def _rows(of: Lists) -> Collection:
    return Collection({q: j for q, (j, _) in of.items() if j}, {q: rows for q, (_, rows) in of.items() if rows})


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query of four docs is a large one."""
    monkeypatch.setattr(docs_in_order, "MANY", 4)
    monkeypatch.setattr(numpy_queries, "DEEP", 2)
    monkeypatch.setattr(numpy_queries, "DEEPEST", 5)


def _differing(
    columns: Columns, collection: Collection, asked: Sequence[tuple[Measure, Conventions]]
) -> Iterator[tuple[str, str, object, object]]:
    """What the columns answer otherwise than the rows."""
    for measure, own in asked:
        try:
            got = answers_of(columns, {"": (measure, own)}).of[""]
        except (ValueError, NotColumnar) as refused:
            got = refused
        try:
            wanted = collection.answer(measure, own)
        except ValueError as refused:
            if not isinstance(got, ValueError | NotColumnar):
                yield str(measure), own.spec(), got, refused
            continue
        if isinstance(got, Exception):
            yield str(measure), own.spec(), got, wanted
            continue
        expected = {query: to_float(value) for query, value in wanted.per_query.items()}
        if got.per_query.keys() != expected.keys():
            yield str(measure), own.spec(), sorted(got.per_query), sorted(expected)
        pairs = [(q, got.per_query.get(q, math.nan), value) for q, value in expected.items()]
        for query, a, b in [*pairs, ("mean", got.mean, to_float(wanted.mean))]:
            if not ((math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15)):
                yield f"{measure} {query}", own.spec(), a, b


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("about", [ORDERS, OF_QUERIES], ids=["order", "queries"])
def test_columns_and_rows_are_one_whatever_was_asked_before(about: Sequence[Conventions], *, backwards: bool) -> None:
    of = _lists(11 + backwards)
    asked = [(measure, own) for own in about for measure in MEASURES]
    asked = asked[::-3] if backwards else asked
    assert list(_differing(_columns(of), _rows(of), asked)) == []
