"""Every form that people write is told what it says, with nothing cast, and is told from the others by what explains its answers."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from packaged import made

from rankproof import cases as corpus
from rankproof.asking.observations import Answered, Failure
from rankproof.calling.argument_names import K
from rankproof.calling.arguments import role_of
from rankproof.calling.call_candidates import Source, given_of
from rankproof.calling.call_forms import (
    CALLED,
    FORMS,
    call_in_order,
    expressed,
    form_named,
    is_asked,
    order_named,
    repro,
    table,
)
from rankproof.calling.calls import observe
from rankproof.calling.given_values import cutoffs_beside
from rankproof.calling.targets import ALL, BEYOND_K, FROM_K, TO_K, BadFunction, Form, Target
from rankproof.cases.inputs import Input
from rankproof.checking import call_search
from rankproof.checking.examining import examine
from rankproof.checking.recognising import recognised
from rankproof.checking.trials import GRADED, PLAIN, RAGGED, Tried, fit, long_flags, long_trial
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_words import script_of, summary

sys.path.insert(0, str(Path(__file__).resolve().parent / "functions"))

import metrics_to_check as mine

GIVEN = Input(
    qrels=(("q1", "a", 2), ("q1", "b", 0), ("q1", "u", 1), ("q2", "c", 1), ("q3", "d", 1)),
    run=(("q1", "b", 0.9, 1), ("q1", "a", 0.5, 2), ("q2", "x", 0.3, 1), ("q2", "c", 0.2, 2), ("q4", "e", 0.1, 1)),
)


def told_by(form: str, data: Input = GIVEN) -> Input:
    told = expressed(FORMS[form], data)
    assert told is not None
    return told


def recognised_as(function: Any, measure: str, given: Mapping[str, Any] | None = None) -> Target:
    """Asked here: which way is right is no matter of processes."""
    return recognised(Session(Source("mine:f", parse(measure), None, function, given or {}), Limits(isolated=False)))


THREE = (
    ("p", "a", 0),
    ("p", "b", 2),
    ("p", "c", 0),
    ("q", "a", 1),
    ("r", "a", 1),
    ("r", "z", 1),
    ("s", "a", 1),
    ("s", "b", 1),
)
SCORES = {"p": [0.9, 0.5, 0.3], "q": [0.8], "r": [0.7], "s": [0.6, 0.6, 0.1]}


def matrix_of(queries: str) -> Any:
    run = [(q, doc, score, 0) for q in queries for doc, score in zip("abc", SCORES[q], strict=False)]
    told = expressed(FORMS["similarities"], Input(tuple(row for row in THREE if row[0] in queries), tuple(run)))
    return told and role_of("similarities", told, None)


def test_in_a_matrix_of_scores_each_doc_is_relevant_once() -> None:
    assert matrix_of("p") == [[0.5, 0.3, 0.9], [0.9, 0.5, 0.3], [0.3, 0.9, 0.5]]
    assert matrix_of("qpr") == [[0.8]], (
        "only those with as many docs as the first; a doc that is not retrieved has no place"
    )
    assert matrix_of("s") is None, "of two relevant docs no matrix tells"
    turns = {"p": {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.1}, "q": {"a": 4.0, "b": 3.0, "c": 3.0, "d": 2.0}}
    run = tuple((q, doc, score, 0) for q, docs in turns.items() for doc, score in docs.items())
    told = told_by("similarities", Input((("p", "b", 1), ("q", "a", 1)), run))
    assert role_of("similarities", told, None) == [
        [0.5, 0.4, 0.1, 0.9],
        [2.0, 4.0, 3.0, 3.0],
        [0.1, 0.9, 0.5, 0.4],
        [3.0, 3.0, 2.0, 4.0],
    ]
    docs = list(dict.fromkeys(row[1] for row in told.run))
    assert [(query, docs.index(doc)) for query, doc, rel in told.qrels if rel] == list(
        zip(told.queries, range(4), strict=True)
    )


@pytest.mark.parametrize(
    ("bounds", "k", "asked"),
    [
        ({}, 1, True), ({"docs": FROM_K}, 3, False), ({"docs": FROM_K}, 2, False), ({"docs": FROM_K}, 1, True),
        ({"docs": TO_K}, 1, False), ({"docs": TO_K}, 2, True), ({"docs": TO_K}, None, True),
        ({"docs": TO_K, "k": "ks", "several": True}, 2, False),  # and at 1, too
        ({"docs": BEYOND_K}, 1, False), ({"docs": BEYOND_K}, 0, True), ({"docs": BEYOND_K}, 2, False),
    ],
)  # fmt: skip
def test_who_raises_for_fewer_or_for_more_docs_than_the_cutoff_is_asked_where_it_does_not(
    bounds: dict[str, Any], k: int | None, *, asked: bool
) -> None:
    of_one_and_two = Input((("q", "a", 1),), (("q", "a", 1.0, 1), ("r", "b", 2.0, 1), ("r", "a", 1.0, 2)))
    assert is_asked(Target("", FORMS["ids"], **bounds), of_one_and_two, k) is asked


def three_queries(scores: Sequence[float], rel: float) -> Input:
    """Three docs each, all of them judged, one relevant, at another rank in each; tied, they stand as they do by their scores."""
    qrels = [(query, doc, rel * (doc == good)) for query, good in zip("qrs", "cba", strict=True) for doc in "cba"]
    rows = [(doc, score, rank) for rank, (doc, score) in enumerate(zip("cba", scores, strict=True), start=1)]
    return Input(tuple(qrels), tuple((query, *row) for query in "qrs" for row in rows))


def arguments_of(form: Form, scores: Sequence[float], rel: float) -> Any:
    told = expressed(form, three_queries(scores, rel))
    assert told is not None
    return {role: [role_of(role, told, query) for query in "qrs"] for role in form.roles}


@pytest.mark.parametrize(
    "form", [form for form in FORMS.values() if form.roles and form.name != "labelings"], ids=lambda one: one.name
)
def test_a_form_is_untold_of_ties_and_gains_if_they_change_no_argument(form: Form) -> None:
    plain, tied, graded = (
        arguments_of(form, *given) for given in (((3.0, 2.0, 1.0), 1), ((2.0, 2.0, 2.0), 1), ((3.0, 2.0, 1.0), 3))
    )
    assert form.untold & {"ties", "order", "score"} == ({"ties", "order", "score"} if plain == tied else set())
    assert (plain == graded) == ("gain" in form.untold) == (form.settled.get("gain") == "binary")


SEVERAL = Input(
    qrels=(("q", "a", 2), ("q", "b", 0), ("q", "v", 0.5), ("q", "u", 1), ("r", "c", 1), ("s", "d", 0), ("t", "e", 3), ("t", "n", -1)),
    run=(("q", "b", 0.5, 1), ("q", "a", 0.25, 2), ("q", "x", 0.125, 3), ("r", "c", 0.25, 1), ("r", "x", 0.25, 2),
         ("s", "d", 0.5, 1), ("w", "y", 0.5, 1)),
)  # fmt: skip
"""Of q a doc is not retrieved, and one not judged; of r two docs are tied; of s none is relevant; t has no run, and w no judgments."""
IN_RUN = "q.b q.a q.x r.x r.c s.d w.y"
IN_PLACES = "q.d001 q.d002 q.d003 r.d001 r.d002 s.d001 w.d001"


@pytest.mark.parametrize(
    ("forms", "qrels", "run", "without_judgments"),
    [
        ("rows queries-rows", "q.b=0 q.a=2 q.x=0 r.c=1 r.x=0 s.d=0 w.y=0", "q.b q.a q.x r.c r.x s.d w.y", ""),
        ("ranked", "q.d001=0 q.d002=2 q.d003=0 r.d001=0 r.d002=1 s.d001=0 w.d001=0", IN_PLACES, ""),
        ("rows-ranked rows-placed", "q.d003=0 q.d001=0 q.d002=2 r.d002=1 r.d001=0 s.d001=0 w.d001=0",
         "q.d003 q.d001 q.d002 r.d002 r.d001 s.d001 w.d001", ""),
        ("places-ranked", "q.d003=0 q.d001=0 q.d002=1 r.d002=1 r.d001=0 s.d001=0 w.d001=0",
         "q.d003 q.d001 q.d002 r.d002 r.d001 s.d001 w.d001", ""),
        ("ranked-total ranks-total", "q.d001=0 q.d002=1 q.d003=0 q.u001=1 r.d001=0 r.d002=1 s.d001=0 w.d001=0", IN_PLACES, ""),
        ("ranked-all ranked-ideal", "q.d001=0 q.d002=2 q.d003=0 q.u001=0.5 q.u002=1 r.d001=0 r.d002=1 s.d001=0 w.d001=0", IN_PLACES, ""),
        ("rels-by-place", "q.d002=2 q.u001=0.5 q.d001=0 q.d003=0 q.u002=1 r.d002=1 r.d001=0 s.d001=0 w.d001=0", IN_PLACES, ""),
        ("ids pairs listed", "q.a=1 q.u=1 r.c=1", IN_RUN, "s w"), ("graded-ids", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0", IN_RUN, "w"),
        ("one-id rank queries-one", "r.c=1", "r.x r.c", ""), ("ranks places", "r.c=1", "r.x r.c", ""),
        ("queries-ids", "q.a=1 q.u=1 r.c=1 t.e=1", IN_RUN, "s"),
        ("qrels-ranked", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0 t.e=3 t.n=-1", IN_RUN, ""),
        ("qrels-run frames tuples", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0 t.e=3 t.n=-1", "q.b q.a q.x r.c r.x s.d w.y", ""),
        ("relevant-frames", "q.a=1 q.u=1 r.c=1 t.e=1", "q.b q.a q.x r.c r.x s.d w.y", ""),
        ("scored-ids", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0", "q.b q.a q.x r.c r.x s.d w.y", "w"),
        ("scored-list", "q.a=1 q.u=1 r.c=1", "q.b q.a q.x r.c r.x s.d w.y", "s w"),
        ("target-index", "q.b=0 q.a=1 q.x=0 r.c=1 r.x=0", "q.b q.a q.x r.c r.x", ""),
        ("positive-first", "q.a=1 q.b=0 q.x=0 r.c=1 r.x=0", "q.a q.b q.x r.c r.x", ""),
    ],
)  # fmt: skip
def test_what_is_left_of_an_input_in_each_form(forms: str, qrels: str, run: str, without_judgments: str) -> None:
    for form in forms.split():
        told = told_by(form, SEVERAL)
        assert " ".join(f"{query}.{doc}={rel:g}" for query, doc, rel in told.qrels) == qrels, form
        assert " ".join(f"{query}.{doc}" for query, doc, *_ in told.run) == run, form
        assert " ".join(told.empty_in_qrels) == without_judgments, form


def test_no_form_of_rows_is_told_of_a_doc_twice_and_no_frame_of_a_query_without_one() -> None:
    twice = Input((("q", "a", 1),), (("q", "a", 0.5, 1), ("q", "b", 0.25, 2), ("q", "a", 0.125, 3)))
    told = {name for name, form in FORMS.items() if expressed(form, twice) is not None}
    assert {"ids", "graded-ids", "one-id", "frames", "tuples"} <= told
    assert told.isdisjoint(
        {"rows", "ranked", "ranked-total", "qrels-run", "scored-ids", "rank", "ranks", "places-scored"}
    )
    judged_twice = Input((("q", "a", 1), ("q", "a", 2)), twice.run[:2])
    assert {name for name, form in FORMS.items() if expressed(form, judged_twice) is not None} == {
        "frames", "relevant-frames", "tuples", "files", "relevant-files", "ir_measures",
    }  # fmt: skip
    for lacking in (replace(SEVERAL, qrels=()), replace(SEVERAL, run=()), replace(SEVERAL, empty_in_run=("m",))):
        assert expressed(FORMS["frames"], lacking) is None
    missed = replace(SEVERAL, qrels=(*SEVERAL.qrels, ("m", "e", 1), ("n", "e", 0)), empty_in_run=("m", "n"))
    assert [told_by(form, missed).empty_in_run for form in ("one-id", "ids")] == [("m",), ("m", "n")]


@pytest.mark.parametrize("form", CALLED, ids=lambda form: form.name)
def test_a_form_is_named_by_its_name_or_by_a_call_whose_order_counts(form: Form) -> None:
    """Two forms of frames are called alike, and two of files, and the call names the usual one."""
    assert form_named(form.name) is form
    assert order_named(form.name, form) == ()
    if form.name not in {"relevant-frames", "relevant-files"}:
        assert form_named(form.call) is form
        turned = tuple(reversed(form.roles))
        assert order_named(call_in_order(form, turned), form) == turned * (len(turned) > 1)


def test_the_table_has_every_form_in_80_columns() -> None:
    lines = table().splitlines()
    assert all(len(line) <= 78 for line in lines)
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(FORMS)
    assert table() in (Path(__file__).resolve().parent.parent / "docs" / "check.md").read_text(encoding="utf-8")
    assert {role for form in CALLED for role in form.roles if not form.roles[role]} == set()


# -- parameters ---------------------------------------------------------------------------------------------------------


def taking(parameters: str) -> Any:
    """A function of these parameters."""
    return eval(f"lambda {parameters}: 0.5")  # noqa: S307 - our own text


def test_what_is_no_list_of_docs_and_no_cutoff_is_asked_for() -> None:
    def of_query(dataset: str, targets: list[int]) -> float:
        return float(mine.ndcg_ranked(targets, 10)) if dataset else 0.0

    with pytest.raises(BadFunction, match="needs dataset: say what that is, as --with dataset=VALUE"):
        recognised_as(of_query, "nDCG@10")
    assert recognised_as(of_query, "nDCG@10", {"dataset": "d"}).form.name == "ranked"


def test_arguments_are_read_as_python_has_them_or_as_text() -> None:
    assert given_of(["max_rel=4", "mode=fast", "at=[1, 2]", "on=None"]) == {
        "max_rel": 4, "mode": "fast", "at": [1, 2], "on": None,
    }  # fmt: skip
    for wrong in ("max_rel", "4=max", "a b=1"):
        with pytest.raises(BadFunction, match="write NAME=VALUE"):
            given_of([wrong])


# -- which way is right -------------------------------------------------------------------------------------------------


def tried(values: list[float], data: Input = RAGGED, k: int | None = 10) -> list[Tried]:
    return [Tried(data, k, Answered(dict(zip(map(str, data.queries), values, strict=True)), None))]


def test_an_answer_is_explained_by_conventions_and_not_by_being_a_number() -> None:
    wrong = [1 / 2, 1 / 2, 1 / 3]  # b22 is below no doc, a3 below two; f73 below f7; j125 below two
    assert fit(parse("RR"), tried([1.0, 1 / 2, 1 / 3], k=None)).is_whole
    assert not fit(parse("RR"), tried(wrong, k=None)).is_whole
    assert fit(parse("RR"), tried([2.0, 1.0, 0.5], k=None)).concord == 1
    assert fit(parse("RR"), tried([0.25, 0.5, 1.0], k=None)).concord == -1


def test_that_all_rankings_are_worth_the_same_explains_nothing() -> None:
    """By an ideal of what was retrieved and a discount that begins late, every ranking is worth 1."""
    assert not fit(parse("nDCG@10"), tried([1.0, 1.0, 1.0])).is_whole
    assert fit(parse("Success@10"), tried([1.0, 1.0, 1.0])).is_whole


def test_trials_have_what_tells_ways_apart() -> None:
    for k in (None, 1, 5, 10, 1000):
        docs = [str(row[0]) for row in long_trial(k).run]
        assert len(docs) > min(k or 0, 29)
        assert len({row[2] for row in long_trial(k).run}) == len(docs), "no ties"
    late = [row for row in long_flags(5).qrels if row[0] == "q3" and row[2]]
    (place,) = (row[3] for row in long_flags(5).run if row[:2] == late[0][:2])
    assert place > 5
    for data in (PLAIN, GRADED, RAGGED):
        assert len({row[2] for row in data.run if row[0] == "q1"}) == sum(row[0] == "q1" for row in data.run)
        assert {rel for _, _, rel in data.qrels} <= set(range(5))


def hits_of(relevant: Any, ranked: Any, k: int) -> float:
    return len(set(relevant) & set(ranked[:k])) / len(relevant)


def test_the_order_that_no_name_tells_is_found_and_said() -> None:
    for function, order in (
        (lambda a, b: hits_of(a, b, 5), ("relevant", "ranked")),
        (lambda a, b: hits_of(b, a, 5), ("ranked", "relevant")),
    ):
        found = recognised_as(function, "R@5")
        assert (found.form.name, found.order) == ("ids", order)
        assert found.notes[0].startswith("no names tell its arguments: ")
        assert f"trial answers are explained as ids ({', '.join(order)})" in found.notes[0]


def test_a_list_of_lists_is_tried_though_strings_could_be_zipped() -> None:
    def mean_hits(actual: Any, predicted: Any, k: int = 5) -> float:
        return sum(hits_of(a, p, k) for a, p in zip(actual, predicted, strict=False)) / len(actual)

    flat = mean_hits(["ab", "cd"], ["ab", "xy"])
    assert flat == 0.5, "it gives a number for strings, too"
    assert recognised_as(mean_hits, "R@5").batch == ALL


def test_ids_are_not_taken_for_rels() -> None:
    def truths_at_the_top(a: list[Any], k: int) -> float:
        return sum(bool(value) for value in a[:k]) / k

    assert recognised_as(truths_at_the_top, "P@5").form.name == "ranked"


def test_what_raises_for_short_rankings_is_asked_long_ones() -> None:
    def strict(ranked_rels: list[int], k: int) -> float:
        if len(ranked_rels) < k:
            raise ValueError("too short")
        return sum(rel >= 1 for rel in ranked_rels[:k]) / k

    found = recognised_as(strict, "P@5")
    assert found.docs == FROM_K
    assert "it raises where a query has fewer docs than the cutoff: asked only where it has as many" in found.notes
    assert not is_asked(found, told_by("ranked"), 2)
    assert is_asked(found, told_by("ranked"), 1)
    assert not recognised_as(mine.precision, "P@5").docs

    def strict_and_by_three(ranked_rels: list[int], k: int) -> float:
        return strict([int(rel >= 3) for rel in ranked_rels], k)

    assert recognised_as(strict_and_by_three, "P@5").notes[-1].startswith("its answers are those of P(rel=3)@5")


def test_a_threshold_is_tried_and_said() -> None:
    def by_its_own(ranked_rels: list[int], k: int, threshold: int = 3, *, at_least: bool = True) -> float:
        return sum((rel >= threshold) is at_least for rel in ranked_rels[:k]) / k

    def above(ranked_rels: list[int], k: int, *, rel: float = 2.5) -> float:
        return sum(given > rel for given in ranked_rels[:k]) / k

    def written_in(ranked_rels: list[int], k: int) -> float:
        return by_its_own(ranked_rels, k)

    found = recognised_as(by_its_own, "P@5")
    assert (found.given, found.defaults, found.by_default) == ((), ("threshold=3",), "P(rel=3)@5")
    assert recognised_as(above, "P@5").by_default == "P(rel=2.5)@5"
    assert recognised_as(by_its_own, "P(rel=3)@5").given == ()
    assert recognised_as(by_its_own, "P@5", {"threshold": 1}).given == ("threshold=1",)
    assert recognised_as(written_in, "P@5").notes == (
        "its answers are those of P(rel=3)@5: ask for that measure, by -m 'P(rel=3)@5'",
    )


def test_numbers_that_have_nothing_to_do_with_the_measure_are_refused() -> None:
    for function in (taking("a, b"), lambda a, b: float(len(a) - len(b)), lambda a, b: 1 / (2 + len(str(a) + str(b)))):
        with pytest.raises(BadFunction, match="gives numbers by any form known here, which are none of the measure's"):
            recognised_as(function, "P@5")


def test_a_cutoff_that_no_name_tells_is_said_where_nothing_comes_of_it() -> None:
    def by_sort(qrels: Any, run: Any, sort: Any) -> float:
        return {"map": float(len(qrels) / len(run))}[sort]

    def by_text(qrels: Any, run: Any, sort: str) -> float:
        return by_sort(qrels, run, sort)

    with pytest.raises(BadFunction, match="sort was taken for the cutoff: if it is none, add --with sort=VALUE"):
        recognised_as(by_sort, "nDCG@10")
    with pytest.raises(BadFunction, match="needs sort: say what that is, as --with sort=VALUE"):
        recognised_as(by_text, "nDCG@10")
    assert "sort" not in K


@pytest.mark.in_parts(4)
@pytest.mark.parametrize(
    ("function", "filled", "given"),
    [
        (mine.gives_text, "", ([1, 0], [0.5, 0.4])),
        (mine.asynchronous, "", ([1, 0], [0.5, 0.4])),
        (mine.needs_more, "'bpe'", ([1, 0], [0.5, 0.4])),
        (mine.several_measures, "['q1']['recall']", ({"q1": {"a": 1}}, {"q1": {"a": 0.5}})),
    ],
)
def test_a_wrapper_that_is_printed_can_be_asked(function: Any, filled: str, given: Sequence[Any]) -> None:
    """But for what only a person knows, which stands there as three dots."""
    name = function.__name__
    with pytest.raises(BadFunction) as refused:
        recognised(
            Session(Source(f"metrics_to_check:{name}", parse("nDCG@10"), None, function), Limits(isolated=False))
        )
    lines = refused.value.wrapper.splitlines()
    assert len(lines) == 3
    assert lines[0] == f"from metrics_to_check import {name}"
    text, wrapped = refused.value.wrapper.replace("[...]", filled or "[...]").replace("=...", f"={filled}"), {}
    exec(text, wrapped)  # noqa: S102 - our own text
    assert isinstance(wrapped["wrapped"](*given), float)


def test_what_breaks_in_every_way_is_not_tried_for_ever() -> None:
    """A process that ended is begun anew, and that takes time."""
    calls = []

    class Breaks(Session):
        def tried(self, which: int, call: Any) -> Failure:
            calls.append((which, call))
            return Failure("crash", "it ended its process")

    session = Breaks(Source("mine:f", parse("P@5"), None, taking("a, b")), Limits(isolated=False))
    with pytest.raises(BadFunction):
        recognised(session)
    assert len(calls) < 8 < len(session.candidates().targets)


def test_several_cutoffs_are_asked_at_once_and_in_no_order() -> None:
    for k in (1, 2, 3, 4, 5, 10, 100):
        asked = cutoffs_beside(k)
        assert len({*asked, k}) == 3
        assert asked.index(k) not in {sorted(asked).index(k), sorted(asked, reverse=True).index(k), 0}
    given: list[Any] = []

    def watched(ranked_rels: list[int], ks: list[int]) -> dict[int, float]:
        given.append(ks)
        return {k: sum(rel >= 1 for rel in ranked_rels[:k]) / k for k in ks}

    found = recognised_as(watched, "P@5")
    assert (found.several, found.reads, found.notes) == (True, "cutoff", ())
    assert [7, 3, 5] in given
    told = told_by("ranked")
    assert observe(watched, found, told, 2) == Answered({"q1": 0.5, "q2": 0.5, "q4": 0.0}, None)
    assert given[-1] == [4, 1, 2]

    def strict(ranked_rels: list[int], ks: list[int]) -> list[float]:
        if len(ranked_rels) < max(ks):
            raise ValueError("too short")
        return [sum(rel >= 1 for rel in ranked_rels[:k]) / k for k in ks]

    found = recognised_as(strict, "P@5")
    assert (found.several, found.reads, found.docs) == (True, "asked", FROM_K)
    assert [is_asked(found, long_trial(n), 5) for n in (3, 4)] == [False, True], "6 docs are too few for 7, 7 are not"


@pytest.mark.in_parts(5)
@pytest.mark.parametrize(
    "function", [mine.list_of_sorted_cutoffs, mine.list_from_the_largest_cutoff_on, mine.takes_cutoffs_for_sorted]
)
def test_a_value_at_another_cutoff_than_asked_is_wrong_though_each_alone_is_right(function: Any) -> None:
    found = recognised_as(function, "P@5")
    assert found.several
    assert found.notes == (
        "asked for several cutoffs at once, it does not give each its value; asked for one alone, it does",
    )
    some = [case for case in corpus.load_all() if case.id.startswith(("cutoff/", "denominators/"))]
    assert not examine(function, "P@5", cases=some).holds


def test_who_takes_one_cutoff_of_the_list_is_asked_one() -> None:
    assert not recognised_as(mine.at_k_values, "nDCG@10").several
    assert not recognised_as(lambda ranked_rels, ks: mine.ndcg_ranked(ranked_rels, ks[0]), "nDCG@10").several


def recalls(scores: Sequence[float], labels: Sequence[int], topk: Sequence[int]) -> list[float]:
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [sum(labels[i] > 0 for i in order[:k]) / max(1, sum(rel > 0 for rel in labels)) for k in topk]


def by_its_default(scores: Any, labels: Any, topk: Any = (1, 5, 10)) -> list[float]:
    return recalls(scores, labels, topk)


def by_its_annotation(scores: Any, labels: Any, k: "list[int] | None" = None) -> dict[str, float]:
    return {f"recall@{at}": value for at, value in zip(k or [5], recalls(scores, labels, k or [5]), strict=True)}


def by_a_list(scores: Any, labels: Any, top_n: Any = [3, 1]) -> tuple[float, ...]:  # noqa: B006 - as people write it
    return tuple(recalls(scores, labels, top_n))


@pytest.mark.parametrize("function", [by_its_default, by_its_annotation, by_a_list])
def test_a_default_or_an_annotation_says_that_several_cutoffs_are_taken(function: Any) -> None:
    found = recognised_as(function, "R@5")
    assert (found.several, found.is_explained) == (True, True)


def test_what_is_given_is_given_in_every_call() -> None:
    import rankproof

    def graded(ranked_rels: list[int], k: int, least: int) -> float:
        return sum(rel >= least for rel in ranked_rels[:k]) / k

    checked = rankproof.check(graded, "P(rel=2)@5", given={"least": 2})
    assert checked.target.given == ("least=2",)
    assert "least=2" in script_of(checked)
    with pytest.raises(BadFunction, match="cannot be written"):
        rankproof.check(graded, "P@5", given={"least": object()})


class Made:
    """An object at a cutoff."""

    def __init__(self, depth: int, label: str = "") -> None:
        self.depth, self.label, self.seen = depth, label, 0

    def evaluate(self, relevant: list[str], retrieved: list[str]) -> float:
        """The recall, once."""
        self.seen += 1
        assert self.seen == 1, "each question has an object of its own"
        return hits_of(relevant, retrieved, self.depth) if relevant else 0.0


def test_an_object_is_made_at_the_cutoff_for_each_question() -> None:
    found = recognised_as(Made, "R@5", {"label": "mine"})
    assert (found.k, found.k_made, found.method, found.made) == ("depth", True, "evaluate", ("label='mine'",))
    told = told_by("ids")
    for k, value in ((1, 0.0), (2, 0.5)):
        answer = observe(Made, found, told, k)
        assert isinstance(answer, Answered)
        assert (answer.per_query or {})["q1"] == value
    assert repro(found, told, "q1", 2).endswith("print(f(label='mine', depth=2).evaluate(relevant, ranked))")


# -- sets --------------------------------------------------------------------------------------------------------------


def precision_of_sets(relevant: Any, retrieved: Any) -> float:
    return len(relevant & retrieved) / len(retrieved) if retrieved else 0.0


def f_of_sets(gold: Any, predicted: Any) -> float:
    found = len(gold & predicted)
    return 2 * found / (len(gold) + len(predicted)) if found else 0.0


def recall_of_set_and_list(relevant: Any, retrieved: Any) -> float:
    return len(relevant & set(retrieved)) / len(relevant) if relevant else 0.0


@pytest.mark.parametrize(
    ("function", "measure", "container"),
    [
        (precision_of_sets, "P", "sets"), (precision_of_sets, "SetP", "sets"), (f_of_sets, "SetF", "sets"),
        (recall_of_set_and_list, "R", "set"),
    ],
)  # fmt: skip
def test_two_sets_are_given_where_no_order_is_looked_at(function: Any, measure: str, container: str) -> None:
    target = recognised_as(function, measure)
    assert (target.form, target.container) == (FORMS["ids"], container)
    checked = examine(function, measure, cases=corpus.load_all()[::9], limits=Limits(isolated=False))
    assert summary(checked).startswith(f"{function.__name__} follows standard on ")
    asked = [one.question.case.input.run for one in checked.answered]
    twice = [rows for rows in asked if len({row[:2] for row in rows}) < len(rows)]
    assert bool(twice) is (container != "sets"), "of a set one cannot say whether a doc was there twice"


def test_two_sets_are_given_to_no_measure_of_an_order() -> None:
    with pytest.raises(BadFunction):
        recognised_as(precision_of_sets, "P@5")


# -- a list of relevant docs, or the id of the only one -----------------------------------------------------------------


@pytest.mark.parametrize("looked_at", [12, 200])
@pytest.mark.parametrize("measure", ["RR@3", "RR@10"])
@pytest.mark.parametrize(
    ("measured", "form"),
    [
        ("next((1 / rank for rank in range(k, 0, -1) if {*retrieved[rank - 1 : rank]} & {*ground_truth}), 0.0)", "ids"),
        ("(lambda at: 1 / at[len(at) // 2] if at else 0.0)([i for i, doc in enumerate(retrieved[:k], 1) if doc in ground_truth])", "ids"),
        ("1 / max((rank for rank, doc in enumerate(retrieved[:k], start=1) if doc in ground_truth), default=math.inf)", "ids"),
        ("next((1 / (rank + 1) for rank, doc in enumerate(retrieved[:k], start=1) if doc == ground_truth), 0.0)", "one-id"),
        ("1 / ([*retrieved[:k]].index(ground_truth) + 3) if ground_truth in retrieved[:k] else 0.0", "one-id"),
        ("next((rank**-0.5 for rank, doc in enumerate(retrieved[:k], start=1) if doc == ground_truth), 0.0)", "one-id"),
    ],
)  # fmt: skip
def test_who_gives_no_right_answer_is_given_all_relevant_docs_if_they_are_looked_at(
    measured: str, form: str, measure: str, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To `in`, the id of the only relevant doc serves as well, but of that few trials can be told.

    How many ways are looked at, of those that there are, hangs on the packages that are installed.
    """
    monkeypatch.setattr(call_search, "LOOKED_AT", looked_at)
    function = made("f(ground_truth, retrieved, k=10)", measured)
    assert recognised_as(function, measure).form.name == form
