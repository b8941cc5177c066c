"""The columnar path: it gives the values of the exact path under every convention, and checks itself."""

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankproof
from rankproof.evaluate.fast import column_values, encoding, ordering
from rankproof.evaluate.fast.column_values import KNOWN, in_floats_of
from rankproof.reference_impl.conventions import AXES, STANDARD
from rankproof.reference_impl.notation import parse

MEASURES = [
    *("nDCG@3", "nDCG", "AP", "AP(rel=2)@3", "P@3", "R@3", "RR@3", "Rprec", "Bpref", "ERR@3", "RBP", "Success@2"),
    *("NumRet(rel=1)", "NumRet", "NumRel", "CG@3", "DCG@3", "AUC", "F@2", "infAP", "IPrec@0.5", "IAP", "Judged@2"),
    *("CoverageError", "LRAP", "RankingLoss", "SetP", "SetR", "SetF", "SetP(relative=True)", "SetAP", "NumQ"),
]
pytestmark = pytest.mark.usefixtures("by_columns")
SCORES = [0.5, 1.0, 1.0 + 1e-9, 2.0, -1.0, 3e38, math.inf]
DOCS = ["a", "b", "é", "10", "9", "dd"]


def drawn(seed: int, count: int = 6) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return qrels and a run with ties, unjudged and unretrieved documents, and missing, extra and empty queries."""
    draw = random.Random(seed)

    def side(queries: range, values: list[float]) -> dict[str, dict[str, float]]:
        docs = {f"q{i}": draw.sample([*DOCS, f"q{i}"], draw.randint(1, 6)) for i in queries}
        return {query: {doc: draw.choice(values) for doc in own} for query, own in docs.items()}

    qrels = side(range(count), [-1, 0, 0, 1, 2, 2.5])
    return qrels, side(range(2, count + 2), SCORES) | {"q1": {}, "empty": {}}


def both(measures: Any, qrels: Any, run: Any, **options: Any) -> list[Any]:
    results = []
    for exact in (False, True):
        try:
            results.append(rankproof.evaluate(measures, qrels, run, exact=exact, **options))
        except ValueError as error:
            results.append(str(error))
    return results


def assert_same(fast: Any, exact: Any) -> None:
    if isinstance(exact, str):
        assert fast == exact
        return
    assert fast.checked is None or not fast.checked.difference
    assert fast.signature == exact.signature
    for measure, values in exact.per_query.items():
        assert list(fast.per_query[measure]) == list(values)
        assert fast.per_query[measure] == pytest.approx(values, rel=1e-12, abs=1e-12, nan_ok=True)
    assert fast.mean == pytest.approx(dict(exact.mean), rel=1e-12, abs=1e-12, nan_ok=True)
    assert [(w.kind, w.count) for w in fast.warnings] == [(w.kind, w.count) for w in exact.warnings]


CONVENTIONS = [f"{axis}={value}" for axis in AXES for value in AXES[axis].values if value != getattr(STANDARD, axis)]  # noqa: PD011


@pytest.mark.parametrize("profile", ["standard", "trec_eval-9", *CONVENTIONS])
def test_each_convention_gives_the_same_values_as_the_exact_path(profile: str) -> None:
    fast, exact = both(MEASURES, *drawn(1, 16), profile=profile)
    # A convention may refuse one of the measures and accept the others.
    for measure in MEASURES if isinstance(exact, str) else ():
        assert_same(*both(measure, *drawn(1, 16), profile=profile))
    assert_same(fast, exact)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), changes=st.lists(st.sampled_from(CONVENTIONS), max_size=4))
def test_conventions_together_give_the_values_of_the_exact_path(seed: int, changes: list[str]) -> None:
    profile = " ".join({change.partition("=")[0]: change for change in changes}.values()) or "standard"
    for measure in ("nDCG@3", "AP", "RR", "P@2"):
        assert_same(*both(measure, *drawn(seed), profile=profile))


def test_measures_have_formulas_in_floats() -> None:
    lacking = [text for text in MEASURES if in_floats_of(parse(text), STANDARD) is None]
    assert lacking == [], (
        "these measures are computed by the readable formula, so the tests above compare it with itself"
    )
    assert {*KNOWN} == {name for name, axis in AXES.items() if axis.stage in {"order", "judge"}}


@pytest.mark.parametrize("profile", ["standard", "order=rank", "ties=input"])
def test_files_and_frames_are_read_by_columns_with_the_same_values(profile: str, tmp_path: Path) -> None:
    qrels, run = drawn(5)
    rows = [
        (query, doc, rank, score) for query, docs in run.items() for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    random.Random(1).shuffle(rows)
    (tmp_path / "run").write_text("".join(f"{q}  Q0\t{d} {rank} {score} t\n\n" for q, d, rank, score in rows))
    header = ("qid", "docno", "rank", "score")
    (tmp_path / "run.csv").write_text("".join(f"{q},{d},{r},{s}\r\n" for q, d, r, s in [header, *rows]))
    judged = [(query, doc, rel) for query, docs in qrels.items() for doc, rel in docs.items()]
    (tmp_path / "qrels").write_text("".join(f"{query} 0 {doc} {rel}\n" for query, doc, rel in judged))
    frame = pd.DataFrame(rows, columns=list(header))
    frame.to_parquet(tmp_path / "run.parquet")
    wanted = rankproof.evaluate(["nDCG@3", "AP"], qrels, frame, profile=profile, exact=True)
    for source in (tmp_path / "run", tmp_path / "run.csv", tmp_path / "run.parquet", frame):
        result = rankproof.evaluate(["nDCG@3", "AP"], tmp_path / "qrels", source, profile=profile)
        assert result.checked is not None, "measured by columns"
        assert result.per_query == {m: pytest.approx(values, rel=1e-12) for m, values in wanted.per_query.items()}


def test_duplicates_are_left_to_the_exact_path(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 a 3 0.5 t\n")
    result = rankproof.evaluate("RR", {"q": {"b": 1}}, tmp_path / "run", profile="run_duplicates=last")
    assert (result.mean["RR"], result.checked) == (1.0, None)


def test_wrong_ranks_of_the_columns_are_noticed_and_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    in_order = column_values.in_order

    def one_below(*arguments: Any) -> ordering.DocsInOrder:
        docs = in_order(*arguments)
        return replace(docs, rank=docs.rank + 1)

    # The self-check finds faults of rankproof itself, which no input causes.
    monkeypatch.setattr(column_values, "in_order", one_below)
    fast, exact = both("RR", qrels, run)
    assert fast.per_query == exact.per_query
    assert fast.checked.difference.startswith("RR of query")
    assert fast.warnings[0].kind == "fault"


def test_a_row_that_the_columns_assign_to_another_query_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row of `b` changes no value of its query, nor of the documents below it in the next query."""
    rows = "q Q0 a 1 3 t\nq Q0 b 2 1 t\nr Q0 a 1 3 t\nr Q0 c 2 2 t\ns Q0 a 1 3 t\n"
    (tmp_path / "run").write_text(rows, encoding="utf-8")
    encode = encoding.encode

    def misplaced(columns: Any, conventions: Any = None) -> encoding.Encoded:
        encoded = encode(columns, conventions)
        if conventions is not None:  # of the run
            encoded.query[1] = encoded.query[2]
        return encoded

    monkeypatch.setattr(encoding, "encode", misplaced)  # as above
    result = rankproof.evaluate("RR", {query: {"a": 1} for query in "qrs"}, tmp_path / "run")
    assert result.per_query["RR"] == {"q": 1.0, "r": 1.0, "s": 1.0}
    assert result.checked is not None
    assert result.checked.difference == "query 'q' has 2 documents by the exact path and 1 by columns"


def test_three_to_six_queries_are_checked() -> None:
    result = rankproof.evaluate("AP", *drawn(5))
    assert result.checked is not None
    assert 3 <= len(result.checked.queries) <= 6
    assert not result.checked.difference
