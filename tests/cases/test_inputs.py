"""JSON of inputs: the text never changes, loses nothing, and keeps rows by query in input order."""

import json
import math

import pytest

from rankproof.cases import load_all
from rankproof.cases.inputs import Input
from rankproof.workers import store

INF, NAN = math.inf, math.nan
RANKING = Input(
    qrels=(("q1", "a", 1), ("q2", 7, 0.5), ("q1", "b", -1)),
    run=(("q1", "b", INF, 1), (2, "a", -INF, 1), ("q1", "a", 0.25, 2)),
    empty_in_qrels=("q3", 2),
    empty_in_run=("q4",),
)
LABELINGS = Input(true=("x", 1, "x"), predicted=(0, 0, 1))
ON_THE_WIRE = (
    '{"qrels": [["q1", "a", 1], ["q2", 7, 0.5], ["q1", "b", -1]], '
    '"run": [["q1", "b", "inf", 1], [2, "a", "-inf", 1], ["q1", "a", 0.25, 2]], '
    '"empty_in_qrels": ["q3", 2], "empty_in_run": ["q4"]}'
)


def test_the_json_of_an_input_and_its_digest_never_change() -> None:
    assert json.dumps(RANKING.as_json()) == ON_THE_WIRE
    assert json.dumps(LABELINGS.as_json()) == '{"true": ["x", 1, "x"], "predicted": [0, 0, 1]}'
    assert store.digest(RANKING.as_json()) == "70d26f7bfd56f1183f73f648"
    assert json.dumps(Input(run=(("q", "a", NAN, 1),)).as_json()["run"]) == '[["q", "a", "nan", 1]]'


@pytest.mark.parametrize("data", [RANKING, LABELINGS, Input()])
def test_an_input_is_read_back(data: Input) -> None:
    read = Input.of_json(json.loads(json.dumps(data.as_json())))
    assert read == data
    assert hash(read) == hash(data)


def test_the_input_of_every_case_is_read_back() -> None:
    for case in load_all():
        sent = json.dumps(case.input.as_json())
        assert json.dumps(Input.of_json(json.loads(sent)).as_json()) == sent, case.id


def test_rows_are_grouped_by_query_in_input_order() -> None:
    assert RANKING.queries == ("q1", "q2", "q3", 2, "q4")
    assert RANKING.judged == {"q1": (("a", 1), ("b", -1)), "q2": ((7, 0.5),), "q3": (), "2": ()}
    assert RANKING.scored == {"q1": (("b", INF, 1), ("a", 0.25, 2)), "2": (("a", -INF, 1),), "q4": ()}
    assert list(RANKING.judged) == ["q1", "q2", "q3", "2"]


def test_numbers_as_ids_differ_from_text() -> None:
    assert (RANKING.number_ids, RANKING.number_docs) == (True, True)
    named = Input(qrels=((1, "a", 1),), run=((1, "7", 1.0, 1),))
    assert (named.number_ids, named.number_docs) == (True, False)
    text = Input(qrels=(("1", "a", 1),), run=(("1", "7", 1.0, 1),))
    assert (text.number_ids, text.number_docs) == (False, False)
    assert (LABELINGS.of_labels, RANKING.of_labels, RANKING.size) == (True, False, 6)
