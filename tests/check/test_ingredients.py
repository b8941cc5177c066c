"""Ingredients of a call: their values, and the parts of an input that a function sees through them."""

from pathlib import Path

import pytest

from rankproof.cases.inputs import Input
from rankproof.check.ingredients import (
    INGREDIENTS,
    Collection,
    CollectionData,
    Query,
    Unsupported,
    query_data,
    shown_by,
)
from rankproof.check.questions import visible_inputs

DATA = Input(
    qrels=(("1", "a", 1), ("1", "b", 3), ("1", "u", 2), ("1", "n", 0), ("2", "c", 1), ("3", "d", 2)),
    run=(
        ("1", "x", 0.5, 1),
        ("1", "b", 0.7, 2),
        ("1", "a", 0.5, 3),
        ("2", "y", 0.2, 1),
        ("2", "c", 0.1, 2),
        ("4", "z", 1.0, 1),
    ),
)
"""A collection: query 1 has a tie, an unjudged and an unretrieved document.

Query 3 is not retrieved, query 4 not judged.
"""


def query(name: str = "1", threshold: float = 1.0) -> Query:
    return Query(query_data(DATA, name, 10, threshold), set())


def collection() -> Collection:
    return Collection(CollectionData(DATA, 10, 1.0, set()))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ranked", ["b", "x", "a"]),
        ("scores", [0.7, 0.5, 0.5]),
        ("rels", [3, 0, 1]),
        ("relevant", ["a", "b", "u"]),
        ("judgments", {"a": 1, "b": 3, "u": 2, "n": 0}),
        ("score_of", {"x": 0.5, "b": 0.7, "a": 0.5}),
        ("docs", ["x", "b", "a"]),
        ("ideal", [3, 2, 1, 0]),
        ("n_relevant", 3),
        ("hit_ranks", [1, 3]),
        ("y_true", [0, 3, 1]),
        ("y_score", [0.5, 0.7, 0.5]),
        ("query", "1"),
        ("k", 10),
    ],
)
def test_ingredient_of_one_query_has_the_value_of_the_table(name: str, value: object) -> None:
    assert getattr(query(), name) == value


def test_relevant_ingredients_use_the_threshold_of_the_measure() -> None:
    strict = query(threshold=2.0)
    assert (strict.relevant, strict.n_relevant, strict.hit_ranks) == (["b", "u"], 2, [1])


def test_only_relevant_skips_queries_without_exactly_one_relevant_document() -> None:
    assert query("2").only_relevant == "c"
    with pytest.raises(Unsupported):
        _ = query("1").only_relevant


def test_only_qrels_and_run_hold_missing_and_unjudged_queries() -> None:
    all_queries = collection()
    assert list(all_queries.qrels) == ["1", "2", "3"]
    assert list(all_queries.run) == ["1", "2", "4"]
    assert [own.query for own in all_queries.queries] == ["1", "2"]
    assert all_queries.run["2"] == {"y": 0.2, "c": 0.1}


def test_frames_and_files_hold_the_same_rows() -> None:
    all_queries = collection()
    assert list(all_queries.qrels_frame.columns) == ["query_id", "doc_id", "relevance"]
    assert all_queries.run_frame.to_numpy().tolist()[1] == ["1", "b", 0.7]
    assert Path(all_queries.qrels_file).read_text(encoding="utf-8").splitlines()[2] == "1 0 u 2"
    assert Path(all_queries.run_file).read_text(encoding="utf-8").splitlines()[3] == "2 Q0 y 1 0.2 run"


def test_every_ingredient_is_computed_for_its_scope() -> None:
    for name, ingredient in INGREDIENTS.items():
        if name != "only_relevant":
            assert getattr(collection() if ingredient.of_all else query(), name) is not None


def seen(*names: str, of_all: bool = False) -> list[Input]:
    return list(visible_inputs(DATA, shown_by(names), 1.0, of_all=of_all))


def test_function_cannot_see_what_its_call_does_not_read() -> None:
    first, second = seen("rels")
    assert first.qrels == (("1", "x", 0), ("1", "b", 3), ("1", "a", 1)), "unretrieved documents are gone"
    assert not first.has_ties, "without scores the order is the caller's"
    assert second.scored.keys() == {"2"}, "only queries that are judged and retrieved are passed"
    by_id = {doc: grade for _, doc, grade in seen("ranked", "relevant")[0].qrels}
    assert by_id == {"x": 0, "b": 1, "a": 1, "u": 1}, "grades are flags, and judged non-relevant documents are gone"


def test_function_sees_what_its_call_reads() -> None:
    assert seen("ranked", "judgments")[0].judged["1"] == DATA.judged["1"]
    assert seen("y_true", "y_score")[0].scored["1"][0] == ("x", 0.5, 1)
    (whole,) = seen("qrels", "run", of_all=True)
    assert (whole.judged, whole.scored) == (DATA.judged, DATA.scored)
    (both,) = seen("queries", "ranked", "judgments", of_all=True)
    assert list(both.scored) == ["1", "2"]
