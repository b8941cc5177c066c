"""The steps before a function is judged, each by itself: what it can be told, how it is called, what is read, and what it is asked."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.asking.observations import Answered
from rankproof.cases.inputs import Input
from rankproof.checking import expressing, given_values
from rankproof.checking.call_forms import FORMS
from rankproof.checking.given_values import NoNumber, listed, number, only, picked, read, read_batch
from rankproof.checking.literals import literal
from rankproof.checking.targets import ALL, QUERY, STEPS, TABLE, BadFunction, Target

ROWS = FORMS["rows"]

# -- what of an input can be told ---------------------------------------------------------------------------------------

MIXED = Input(
    qrels=((1, "a", 2), (1, "u", 1), (1, "v", 0), (2, "a", 1), (5, "e", 3)),
    run=((2, "a", 0.9, 9), (1, "b", 0.5, 9), (1, "a", 0.25, 9), (2, "c", 0.75, 9), (4, "d", 0.1, 9)),
    empty_in_run=(1, 3),
)
"""Ids are numbers; docs that are not retrieved or not judged, a query of one part only, one without rows, and ranks that say nothing."""
DOC_TWICE = (("q", "a", 0.9, 1), ("q", "b", 0.5, 2), ("q", "a", 0.4, 3))


def test_rows_are_told_of_what_was_retrieved_and_by_query() -> None:
    assert expressing.as_rows(MIXED) == Input(
        qrels=(("2", "a", 1), ("2", "c", 0), ("1", "b", 0), ("1", "a", 2), ("4", "d", 0)),
        run=(("2", "a", 0.9, 1), ("2", "c", 0.75, 2), ("1", "b", 0.5, 1), ("1", "a", 0.25, 2), ("4", "d", 0.1, 1)),
        empty_in_qrels=("3",),
        empty_in_run=("3",),
    )
    assert expressing.as_rows(Input(empty_in_run=(3,))) == Input(empty_in_qrels=("3",), empty_in_run=("3",))
    assert expressing.as_rows(Input(qrels=MIXED.qrels)) is None


@pytest.mark.parametrize(
    "twice",
    [Input(qrels=((1, "a", 1), ("1", "a", 0)), run=MIXED.run), Input(run=DOC_TWICE), Input(run=((1, "7", 0.9, 1), ("1", 7, 0.5, 2)))],
)  # fmt: skip
@pytest.mark.parametrize(
    "told",
    [expressing.as_rows, expressing.as_ranked, expressing.as_batch, expressing.as_totals, expressing.as_all_rels, expressing.as_dicts,
     expressing.as_scored_ids],
)  # fmt: skip
def test_where_a_doc_has_one_place_none_is_told_twice(told: Callable[[Input], Input | None], twice: Input) -> None:
    assert told(twice) is None


def test_ranked_rels_are_by_score_and_tied_docs_from_the_largest_bytes_on() -> None:
    tied = Input(
        qrels=(("q", "b", 1), ("q", "é", 2), ("q", "z", 3)),
        run=(("q", "b", 0.5, 1), ("q", "z", 0.5, 2), ("q", "é", 0.5, 3), ("p", "a", 0.9, 1), ("q", "a", 0.7, 4)),
    )
    assert expressing.as_ranked(tied) == Input(
        qrels=(("q", "d001", 0), ("q", "d002", 2), ("q", "d003", 3), ("q", "d004", 1), ("p", "d001", 0)),
        run=(("q", "d001", 1.0, 1), ("q", "d002", 1 / 2, 2), ("q", "d003", 1 / 3, 3), ("q", "d004", 1 / 4, 4), ("p", "d001", 1.0, 1)),
    )  # fmt: skip
    ranked = expressing.as_ranked(MIXED)
    assert ranked is not None
    assert (ranked.empty_in_qrels, ranked.empty_in_run) == (("3",), ("3",))


def test_a_batch_is_of_queries_that_have_rows() -> None:
    batch, rows = expressing.as_batch(MIXED), expressing.as_rows(MIXED)
    assert batch is not None
    assert rows is not None
    assert batch == Input(qrels=rows.qrels, run=rows.run)
    assert expressing.as_batch(Input(empty_in_run=(3,))) is None


UNRETRIEVED = Input(
    qrels=(("p", "g", 1), ("q", "a", 3), ("q", "h", 0.5), ("q", "u", 2), ("q", "v", 0), ("q", "w", 1), ("r", "x", 1), ("s", "y", 0),
           ("t", "a", 1)),
    run=(("q", "b", 0.5, 1), ("q", "a", 0.25, 2), ("q", "h", 0.125, 3), ("p", "a", 0.9, 1)),
    empty_in_run=("r", "s"),
)  # fmt: skip


def test_flags_are_told_of_what_is_retrieved_and_of_relevant_docs_that_are_not() -> None:
    told = expressing.as_totals(UNRETRIEVED)
    assert told is not None
    assert told.qrels == (
        ("q", "d001", 0), ("q", "d002", 1), ("q", "d003", 0), ("q", "u001", 1), ("q", "u002", 1), ("p", "d001", 0), ("p", "u001", 1),
        ("r", "u001", 1),
    )  # fmt: skip
    assert (told.empty_in_qrels, told.empty_in_run) == (("s",), ("r", "s"))
    assert [row[:2] for row in told.run] == [("q", "d001"), ("q", "d002"), ("q", "d003"), ("p", "d001")]


def test_all_rels_are_told_of_judged_docs_whatever_they_are() -> None:
    told = expressing.as_all_rels(UNRETRIEVED)
    assert told is not None
    assert told.qrels == (
        ("q", "d001", 0), ("q", "d002", 3), ("q", "d003", 0.5), ("q", "u001", 2), ("q", "u002", 0), ("q", "u003", 1), ("p", "d001", 0),
        ("p", "u001", 1), ("r", "u001", 1), ("s", "u001", 0),
    )  # fmt: skip
    assert (told.empty_in_qrels, told.empty_in_run) == ((), ("r", "s"))


RANKED_MIXED = (("2", "a", 1.0, 1), ("2", "c", 0.5, 2), ("1", "b", 1.0, 1), ("1", "a", 0.5, 2), ("4", "d", 1.0, 1))
"""The run of `MIXED` as rankings: of each query in the order of the run, as text."""


def test_ids_by_query_keep_what_stands_in_one_part_only() -> None:
    given = Input(MIXED.qrels, MIXED.run, empty_in_qrels=(6,), empty_in_run=(1, 3))
    rels = (("1", "a", 2), ("1", "u", 1), ("1", "v", 0), ("2", "a", 1), ("5", "e", 3))
    assert expressing.as_ids_by_query(given) == Input(rels, RANKED_MIXED, ("6",), ("3",))
    relevant = (("1", "a", 1), ("1", "u", 1), ("2", "a", 1), ("5", "e", 1))
    assert expressing.as_relevant_by_query(given) == Input(relevant, RANKED_MIXED, ("6",), ("3",))
    assert expressing.as_ids_by_query(Input(qrels=((1, "a", 1), ("1", "a", 0)), run=MIXED.run)) is None
    tied = expressing.as_ids_by_query(
        Input(run=(("q", "b", 0.5, 1), ("q", "é", 0.5, 2), ("q", "z", 0.5, 3), ("q", "a", 0.7, 4)))
    )
    assert tied is not None
    assert [row[1] for row in tied.run] == ["a", "é", "z", "b"]


def test_graded_ids_are_of_the_queries_of_the_run() -> None:
    rels = (("1", "a", 2), ("1", "u", 1), ("1", "v", 0), ("2", "a", 1))
    assert expressing.as_graded_ids(MIXED) == Input(rels, RANKED_MIXED, ("4", "3"), ("3",))
    assert expressing.as_graded_ids(Input(empty_in_run=(3,))) == Input((), (), ("3",), ("3",))
    assert expressing.as_graded_ids(Input(qrels=MIXED.qrels)) is None


def test_ids_are_those_of_rel_1_and_above_and_a_query_that_has_none_is_without_judgments() -> None:
    given = Input((("q", "a", 0.5), ("q", "b", 3), ("p", "a", 0)), (("q", "a", 1.0, 1), ("p", "a", 1.0, 1)))
    assert expressing.as_ids(given) == Input((("q", "b", 1),), given.run, ("p",))
    assert expressing.as_ids(Input(qrels=MIXED.qrels)) is None


def test_one_id_is_told_of_queries_with_one_relevant_doc() -> None:
    """Query 1 has two relevant docs and 4 has none; 3 has one, and nothing retrieved."""
    given = Input((*MIXED.qrels, (3, "z", 2)), MIXED.run, empty_in_run=(3,))
    assert expressing.as_one_id(given) == Input((("2", "a", 1), ("3", "z", 1)), RANKED_MIXED[:2], (), ("3",))
    assert expressing.as_one_id(Input(MIXED.qrels[:2], MIXED.run)) is None
    assert expressing.as_one_id(Input(qrels=MIXED.qrels)) is None


def test_a_rank_is_told_where_the_only_relevant_doc_is_retrieved_once() -> None:
    given = Input((*MIXED.qrels, (3, "z", 2), (4, "z", 1)), MIXED.run, empty_in_run=(3,))
    assert expressing.as_rank(given) == Input((("2", "a", 1),), RANKED_MIXED[:2])
    assert expressing.as_rank(Input((("q", "a", 1),), DOC_TWICE)) is None
    assert expressing.as_rank(Input((("q", "z", 1),), DOC_TWICE[:2])) is None, "it is not retrieved"
    assert expressing.as_rank(Input(qrels=MIXED.qrels)) is None


def test_dicts_have_the_rows_of_a_query_together_and_ranks_by_their_places() -> None:
    run = (("2", "a", 0.9, 1), ("2", "c", 0.75, 2), ("1", "b", 0.5, 1), ("1", "a", 0.25, 2), ("4", "d", 0.1, 1))
    rels = (("1", "a", 2), ("1", "u", 1), ("1", "v", 0), ("2", "a", 1), ("5", "e", 3))
    assert expressing.as_dicts(Input(MIXED.qrels, MIXED.run, (6,), (3,))) == Input(rels, run, ("6",), ("3",))
    assert expressing.as_scored_ids(Input(MIXED.qrels, MIXED.run, (6,), (3,))) == Input(
        rels[:4], run, ("4", "3"), ("3",)
    )
    assert expressing.as_scored_ids(Input(qrels=MIXED.qrels)) is None
    assert expressing.as_scored_ids(Input(empty_in_run=(3,))) == Input((), (), ("3",), ("3",))


@pytest.mark.parametrize(
    "lacking", [Input((), MIXED.run), Input(MIXED.qrels, ()), Input(MIXED.qrels, MIXED.run, (6,)), MIXED]
)
def test_frames_are_told_of_rows_alone(lacking: Input) -> None:
    assert expressing.as_frames(lacking) is None
    assert expressing.as_relevant_frames(lacking) is None


def test_frames_are_told_as_they_stand_and_of_relevant_docs_as_text() -> None:
    whole = Input(MIXED.qrels, MIXED.run)
    assert expressing.as_frames(whole) is whole
    told = expressing.as_relevant_frames(whole)
    assert told is not None
    assert told.qrels == (("1", "a", 1), ("1", "u", 1), ("2", "a", 1), ("5", "e", 1))
    assert [row[:3] for row in told.run] == [(str(query), doc, score) for query, doc, score, _ in MIXED.run]
    some = expressing.as_relevant_frames(Input((("p", "a", 0), ("q", "a", 1)), DOC_TWICE))
    assert some == Input((("q", "a", 1),), DOC_TWICE), "a query without a relevant doc has no row"
    assert expressing.as_relevant_frames(Input((("q", "a", 0),), DOC_TWICE)) is None


def test_tuples_are_told_as_they_stand_but_for_queries_without_a_row() -> None:
    whole = Input(MIXED.qrels, MIXED.run)
    assert expressing.as_tuples(whole) is whole
    for given in (MIXED, Input(MIXED.qrels, MIXED.run, (6,))):
        assert expressing.as_tuples(given) == expressing.as_dicts(given) != given
    labels = Input(true=(0, 1), predicted=(1, 1))
    assert expressing.as_labels(labels) is labels


# -- values as Python reads them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"), ({"b": 1, "a": {2}}, "{'b': 1, 'a': {2}}"), (set(), "set()"), ({"b", "a", 3}, "{3, 'a', 'b'}"),
        ((), "()"), ((1,), "(1,)"), ((1, 2), "(1, 2)"), ([], "[]"), ([1, (2,)], "[1, (2,)]"),
        (math.inf, "float('inf')"), (-math.inf, "float('-inf')"), (math.nan, "float('nan')"), (0.5, "0.5"), ("é", r"'\xe9'"),
    ],
)  # fmt: skip
def test_a_value_is_written_as_python_reads_it(value: object, text: str) -> None:
    assert literal(value) == text


# -- what is called -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "bare", "at_5"),
    [
        (Target("m:f", ROWS), "f", "f"),
        (Target("m:a.b.f", ROWS), "a.b.f", "a.b.f"),
        (Target("m:<lambda>", ROWS), "function", "function"),
        (Target("m:f.<locals>.g", ROWS), "function", "function"),
        (Target("m:f", ROWS, k="k"), "f", "f"),
        (
            Target("m:C", ROWS, k="k", k_made=True, of_class=True, made=("a=1", "b=2")),
            "C(a=1, b=2, k=k)",
            "C(a=1, b=2, k=5)",
        ),
        (Target("m:C", ROWS, k="k", of_class=True), "C()", "C()"),
        (Target("m:C.of", ROWS, of_class=True, method="of"), "C().of", "C().of"),
        (Target("m:C", ROWS, of_class=True, method="of"), "C().of", "C().of"),
        (Target("m:made", ROWS, method="of"), "made.of", "made.of"),
        (Target("m:made.of", ROWS, method="of"), "made.of", "made.of"),
    ],
)
def test_what_stands_before_the_arguments_of_a_call(target: Target, bare: str, at_5: str) -> None:
    assert (target.spelled, target.spelled_at(5)) == (bare, at_5)


def test_an_object_that_is_made_at_no_cutoff_is_made_without_one() -> None:
    made = Target("m:C", ROWS, k="k", k_made=True, of_class=True, made=("a=1",))
    assert made.spelled_at(None) == "C(a=1)"


def test_what_a_target_is_by_default_and_what_follows_from_it() -> None:
    bare = Target("pkg.mod:f", ROWS)
    assert (bare.short, bare.container, bare.batch, bare.reads, bare.known) == ("f", "list", QUERY, "", 0)
    assert not any([bare.k_needed, bare.k_made, bare.several, bare.of_class, bare.from_k, bare.any_k, bare.table])
    assert (bare.order, bare.names, bare.made, bare.given, bare.columns, bare.notes, bare.method) == ((),) * 6 + ("",)
    assert [Target("m:f", ROWS, k=k, reads=reads).any_k for k, reads in (("k", ""), (None, "place"), (None, "item:0"))] == [
        True, True, False,
    ]  # fmt: skip
    assert [Target("m:f", ROWS, batch=batch).table for batch in (QUERY, TABLE, ALL, STEPS)] == [
        False,
        True,
        True,
        False,
    ]


def test_lines_that_can_be_asked_are_a_note_of_the_error() -> None:
    with_lines = BadFunction("no", "def wrapped():")
    assert (str(with_lines), with_lines.wrapper) == ("no", "def wrapped():")
    assert [note.endswith("\ndef wrapped():") for note in with_lines.__notes__] == [True]
    assert (BadFunction("no").wrapper, hasattr(BadFunction("no"), "__notes__")) == ("", False)


# -- what is read of a result -------------------------------------------------------------------------------------------


class Held:
    """A number in something else, as arrays and tensors hold one."""

    def __init__(self, value: Any, size: int = 1, ndim: int = 0) -> None:
        self.value, self.size, self.ndim = value, size, ndim

    def item(self) -> Any:
        """The only number."""
        if self.size > 1:
            raise ValueError("more than one")
        return self.value

    def tolist(self) -> Any:
        """All numbers."""
        return self.value

    def __repr__(self) -> str:
        return "held"


def tensor(held: Held) -> Any:
    """What must be taken from its graph before it can be read."""
    return SimpleNamespace(detach=lambda: held)


class Unreadable:
    """What raises an error instead of being a number, or a text."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __float__(self) -> float:
        raise self.error

    def __repr__(self) -> str:
        raise self.error


@pytest.mark.parametrize("value", [0.5, (0.5,), [0.5], Held(0.5), tensor(Held(0.5)), [tensor(Held(0.5))][0]])
def test_a_number_is_read_of_what_holds_one(value: object) -> None:
    assert number(value) == 0.5


@pytest.mark.parametrize(
    "value", ["0.5", b"0.5", True, 1j, None, [0.5, 0.5], (), Held(0.5, size=0), Held([0.5], size=2), ["0.5"]]
)
def test_what_is_no_number_is_none(value: object) -> None:
    with pytest.raises(NoNumber, match=r"^it gave .*, which is no number$"):
        number(value)


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_what_cannot_be_read_or_shown_is_no_number(error: type[Exception]) -> None:
    with pytest.raises(NoNumber, match="it gave something that cannot be shown, which is no number"):
        number(Unreadable(error))


def test_a_coroutine_is_said_to_be_one_and_ends() -> None:
    async def scored() -> float:
        return 0.5

    given = scored()
    with pytest.raises(NoNumber, match="coroutine"):
        number(given)
    with pytest.raises(RuntimeError, match="already awaited"):
        given.send(None)


def test_what_was_given_is_shown_in_a_line_of_60_characters() -> None:
    assert given_values._brief("a\nb") == r"'a\nb'"
    assert given_values._brief(SimpleNamespace(a="  ")) == "namespace(a=' ')"
    assert [len(given_values._brief("a" * n)) for n in (57, 58, 59)] == [59, 60, 58]
    assert given_values._brief("a" * 59) == "'" + "a" * 56 + "…"


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        ([1, 2], [1, 2]), ((1, 2), [1, 2]), ([], []), (0.5, None), ("ab", None), ({1: 2}, None), (Held([1, 2], ndim=1), [1, 2]),
        (tensor(Held([1, 2], ndim=1)), [1, 2]), (Held([1, 2], ndim=0), None), (SimpleNamespace(tolist=lambda: [1, 2]), None),
    ],
)  # fmt: skip
def test_the_entries_of_a_list_are_read_of_what_has_a_dimension(value: object, entries: list[int] | None) -> None:
    assert listed(value) == entries


@pytest.mark.parametrize(
    ("value", "reads", "k", "part"),
    [
        (SimpleNamespace(score=0.5, mean=0.7), "attr:score", None, 0.5),
        ([0.1, 0.2, 0.3], "place", 1, 0.1), ([0.1, 0.2, 0.3], "place", 3, 0.3),
        ([0.1, 0.2, 0.3], "item:0", 2, 0.1), ([0.1, 0.2, 0.3], "item:2", None, 0.3),
        ([0.7, 0.3, 0.5], "asked", 5, 0.5), ([0.3, 0.1, 0.2], "asked", 1, 0.1), ([0.3, 0.1, 0.2], "asked", None, 0.1),
        ([0.4, 0.1, 0.2], "asked", 2, 0.2), ({"a": 1}, "", 2, {"a": 1}), ([0.5], "by-run", 2, [0.5]),
    ],
)  # fmt: skip
def test_the_part_that_is_the_answer_is_picked(value: object, reads: str, k: int | None, part: object) -> None:
    assert picked(value, reads, k) == part


@pytest.mark.parametrize(
    ("value", "reads", "k"),
    [([0.1, 0.2], "place", 0), ([0.1, 0.2], "place", 3), ([0.1, 0.2], "item:2", 1), (0.5, "place", 1), ([0.1, 0.2], "asked", 5),
     (0.5, "asked", 5), ([("ndcg", 0.5)], "name:ndcg", 5), (SimpleNamespace(mean=1), "attr:score", 1)],
)  # fmt: skip
def test_a_part_that_is_not_there_is_not_picked(value: object, reads: str, k: int | None) -> None:
    with pytest.raises(NoNumber):
        picked(value, reads, k)


@pytest.mark.parametrize(
    ("key", "name", "k", "is_it"),
    [
        ("ndcg", "ndcg", 5, True), ("ndcg", "map", 5, False), ("ndcg@5", "ndcg", 5, True), ("ndcg@5", "ndcg", 10, False),
        ("ndcg@5", "ndcg", None, True), ("ndcg@k", "ndcg", 5, True), ("NDCG_at_k", "ndcg", 5, True), ("ndcg_k", "ndcg", 5, True),
        ("ndcg_at@k", "ndcg", 5, True), ("n-DCG cut 5", "ndcg", 5, True), ("hit_rate at 5", "hitrate", 5, True), ("f1@5", "f1", 5, True),
        ("5", "", 5, True), ("5", "", 10, False), ("", "", 5, False), ("@5", "", 5, True), ("ndcg", "", 5, False), ("5", "ndcg", 5, False),
        ("rank", "rank", 5, True),
    ],
)  # fmt: skip
def test_a_key_is_of_a_measure_and_of_the_cutoff_that_it_says(
    key: str, name: str, k: int | None, *, is_it: bool
) -> None:
    assert given_values._is_key(key, name, k) is is_it


def test_one_key_may_be_what_is_asked() -> None:
    assert given_values._entry({"map@5": 0.1, "ndcg@5": 0.2, "ndcg@10": 0.3}, "ndcg", 10) == 0.3
    for given in ({"map": 0.1}, {"ndcg@5": 0.2, "ndcg_5": 0.3}):
        with pytest.raises(NoNumber):
            given_values._entry(given, "ndcg", 5)


ONE, TWO = ["a"], ["a", "b"]


@pytest.mark.parametrize(
    ("given", "reads", "queries", "k", "answer"),
    [
        ([0.5, 1], "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ([0.5], "", ONE, 2, Answered({"a": 0.5}, None)),
        ([0.5], "", TWO, 2, Answered(None, 0.5)),
        (0.5, "", TWO, 2, Answered(None, 0.5)),
        ([[0.1, 0.5], [0.2, 1.0]], "place", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ([[0.4, 0.1, 0.2], [0.4, 0.1, 0.3]], "asked", TWO, 2, Answered({"a": 0.2, "b": 0.3}, None)),
        ([0.1, 0.2], "place", TWO, 2, Answered(None, 0.2)),
        ([0.1, 0.2, 0.3], "place", TWO, 2, Answered(None, 0.2)),
        ([[0.1, 0.5], [0.2, 1.0]], "item:1", TWO, 2, Answered({"a": 0.2, "b": 1.0}, None)),
        ([[0.1], [0.5, 0.7], [0.9]], "place", TWO, 2, Answered({"a": 0.5, "b": 0.7}, None)),
        ([[0.25, 0.5, 1.0], [0.1, 0.2, 0.3]], "place", ["a", "b", "c"], 1, Answered({"a": 0.25, "b": 0.5, "c": 1.0}, None)),
        (([0.5, 1.0], 0.75), "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, 0.75)),
        ((0.5, 1.0), "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"ndcg@2": 0.2, "map@2": 0.3}, "name:ndcg", TWO, 2, Answered(None, 0.2)),
        ({"x": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"mean": 0.75, "x": 0.1}, "", TWO, 2, Answered(None, 0.75)),
        ({"values": [0.5, 1.0], "x": 0.1}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"avg": 0.75, "scores": 0.1, "details": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, 0.75)),
        ({"result": 0.1, "score": 0.2}, "", TWO, 2, Answered(None, 0.2)),
        ({"details": [0.1, 0.2], "per_query": [0.5, 1.0]}, "", TWO, 2, Answered({"a": 0.5, "b": 1.0}, None)),
    ],
)  # fmt: skip
def test_what_is_given_for_a_list_of_queries(
    given: object, reads: str, queries: list[str], k: int, answer: Answered
) -> None:
    assert read_batch(given, reads, queries, k) == answer


@pytest.mark.parametrize(
    "given", [{"recall": 0.1, "ndcg": 0.2}, {"score": [0.5, 1.0, 2.0], "x": 1}, ([0.5, 1.0, 2.0], 0.75), []]
)
def test_what_is_given_for_a_list_of_queries_and_cannot_be_read(given: object) -> None:
    with pytest.raises(NoNumber):
        read_batch(given, "", TWO, 2)


def test_no_value_is_given_of_no_query() -> None:
    with pytest.raises(NoNumber):
        read_batch([], "", [], 2)


def test_the_value_of_the_only_query_may_be_the_mean() -> None:
    assert [only(Answered(*given)) for given in (({"a": 0.5}, None), (None, 0.25), ({"a": 0.5}, 0.0))] == [
        0.5,
        0.25,
        0.0,
    ]


@pytest.mark.parametrize(
    ("given", "reads", "k", "answer"),
    [
        ({"a": {"x": 0.5}, "b": 1}, "", 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"a": [0.1, 0.5], "b": [0.2, 1.0]}, "place", 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ([{"a": 0.1}, {"a": 0.5}], "item:1", 2, Answered({"a": 0.5}, None)),
        ({"a": 0.5, "mean": 0.75}, "", 2, Answered({"a": 0.5, "mean": 0.75}, None)),
        (({"a": 0.5}, {"b": 0.7}), "", 2, Answered({"a": 0.5}, None)),
        ((0.5, 0.7), "", 2, Answered(None, 0.5)),
        ({"ndcg": {"a": 0.5, "b": 1.0}}, "", 2, Answered({"a": 0.5, "b": 1.0}, None)),
        ({"ndcg": {"a": 0.5}, "map": {"a": 1.0}}, "name:ndcg", 2, Answered({"a": 0.5}, None)),
        ([0.5], "", 2, Answered(None, 0.5)),
    ],
)
def test_what_is_given_for_all_queries(given: object, reads: str, k: int, answer: Answered) -> None:
    assert read(given, TWO, reads, k) == answer


def test_a_dict_of_anything_is_by_query_where_no_query_is_there() -> None:
    assert read({"x": 0.5, "y": 1.0}, ()) == Answered({"x": 0.5, "y": 1.0}, None)
    assert read([0.5], ("a",), "by-run", None, ("b",)) == Answered({"b": 0.5}, None)
    with pytest.raises(NoNumber):
        read([0.5], ("a",), "by-run")


@pytest.mark.parametrize(
    ("given", "reads", "is_by_query"),
    [({"a": 1}, "place", True), ({"x": 1}, "place", False), ({}, "place", False), ({}, "asked", True), ({"x": 1}, "asked", False),
     (["a"], "asked", False), ([], "asked", False)],
)  # fmt: skip
def test_a_dict_whose_keys_are_queries_is_by_query(given: object, reads: str, *, is_by_query: bool) -> None:
    assert given_values._is_by_query(given, TWO, reads) is is_by_query
