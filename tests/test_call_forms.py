"""Every form that people write is told what it says, with nothing cast; what it is called, and what annotations rule out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rankproof.calling import call_forms
from rankproof.calling.annotations import rules_out
from rankproof.calling.arguments import role_of
from rankproof.calling.call_forms import CALLED, FORMS, IDS, call_in_order, expressed, form_named, is_asked, order_named
from rankproof.calling.parameters import Parameter, assignments
from rankproof.calling.targets import BEYOND_K, FROM_K, TO_K, BadFunction, Form, Target
from rankproof.cases.inputs import Input


@pytest.mark.parametrize(
    ("bounds", "k", "asked"),
    [
        ({}, 1, True),
        ({"docs": FROM_K}, 3, False),
        ({"docs": FROM_K}, 2, False),
        ({"docs": FROM_K}, 1, True),
        ({"docs": TO_K}, 1, False),
        ({"docs": TO_K}, 2, True),
        ({"docs": TO_K}, None, True),
        ({"docs": TO_K, "k": "ks", "several": True}, 2, False),  # and at 1, too
        ({"docs": BEYOND_K}, 1, False),
        ({"docs": BEYOND_K}, 0, True),
        ({"docs": BEYOND_K}, 2, False),
        ({"k_below": 3}, 2, True),
        ({"k_below": 3}, 3, False),
        ({"k_below": 3}, 4, False),
        ({"k_below": 3}, None, True),
    ],
)
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
    qrels=(
        ("q", "a", 2),
        ("q", "b", 0),
        ("q", "v", 0.5),
        ("q", "u", 1),
        ("r", "c", 1),
        ("s", "d", 0),
        ("t", "e", 3),
        ("t", "n", -1),
    ),
    run=(
        ("q", "b", 0.5, 1),
        ("q", "a", 0.25, 2),
        ("q", "x", 0.125, 3),
        ("r", "c", 0.25, 1),
        ("r", "x", 0.25, 2),
        ("s", "d", 0.5, 1),
        ("w", "y", 0.5, 1),
    ),
)
"""Of q a doc is not retrieved, and one not judged; of r two docs are tied; of s none is relevant; t has no run, and w no judgments."""
IN_RUN = "q.b q.a q.x r.x r.c s.d w.y"
IN_PLACES = "q.d001 q.d002 q.d003 r.d001 r.d002 s.d001 w.d001"


@pytest.mark.parametrize(
    ("forms", "qrels", "run", "without_judgments"),
    [
        ("rows queries-rows", "q.b=0 q.a=2 q.x=0 r.c=1 r.x=0 s.d=0 w.y=0", "q.b q.a q.x r.c r.x s.d w.y", ""),
        ("ranked", "q.d001=0 q.d002=2 q.d003=0 r.d001=0 r.d002=1 s.d001=0 w.d001=0", IN_PLACES, ""),
        (
            "rows-ranked rows-placed",
            "q.d003=0 q.d001=0 q.d002=2 r.d002=1 r.d001=0 s.d001=0 w.d001=0",
            "q.d003 q.d001 q.d002 r.d002 r.d001 s.d001 w.d001",
            "",
        ),
        (
            "places-ranked",
            "q.d003=0 q.d001=0 q.d002=1 r.d002=1 r.d001=0 s.d001=0 w.d001=0",
            "q.d003 q.d001 q.d002 r.d002 r.d001 s.d001 w.d001",
            "",
        ),
        (
            "ranked-total ranks-total",
            "q.d001=0 q.d002=1 q.d003=0 q.u001=1 r.d001=0 r.d002=1 s.d001=0 w.d001=0",
            IN_PLACES,
            "",
        ),
        (
            "ranked-all ranked-ideal",
            "q.d001=0 q.d002=2 q.d003=0 q.u001=0.5 q.u002=1 r.d001=0 r.d002=1 s.d001=0 w.d001=0",
            IN_PLACES,
            "",
        ),
        (
            "rels-by-place",
            "q.d002=2 q.u001=0.5 q.d001=0 q.d003=0 q.u002=1 r.d002=1 r.d001=0 s.d001=0 w.d001=0",
            IN_PLACES,
            "",
        ),
        ("ids pairs listed", "q.a=1 q.u=1 r.c=1", IN_RUN, "s w"),
        ("graded-ids", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0", IN_RUN, "w"),
        ("one-id rank queries-one", "r.c=1", "r.x r.c", ""),
        ("ranks places", "r.c=1", "r.x r.c", ""),
        ("queries-ids", "q.a=1 q.u=1 r.c=1 t.e=1", IN_RUN, "s"),
        ("qrels-ranked", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0 t.e=3 t.n=-1", IN_RUN, ""),
        (
            "qrels-run frames tuples",
            "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0 t.e=3 t.n=-1",
            "q.b q.a q.x r.c r.x s.d w.y",
            "",
        ),
        ("relevant-frames", "q.a=1 q.u=1 r.c=1 t.e=1", "q.b q.a q.x r.c r.x s.d w.y", ""),
        ("scored-ids", "q.a=2 q.b=0 q.v=0.5 q.u=1 r.c=1 s.d=0", "q.b q.a q.x r.c r.x s.d w.y", "w"),
        ("scored-list", "q.a=1 q.u=1 r.c=1", "q.b q.a q.x r.c r.x s.d w.y", "s w"),
        ("target-index", "q.b=0 q.a=1 q.x=0 r.c=1 r.x=0", "q.b q.a q.x r.c r.x", ""),
        ("positive-first", "q.a=1 q.b=0 q.x=0 r.c=1 r.x=0", "q.a q.b q.x r.c r.x", ""),
    ],
)
def test_what_is_left_of_an_input_in_each_form(forms: str, qrels: str, run: str, without_judgments: str) -> None:
    for form in forms.split():
        told = expressed(FORMS[form], SEVERAL)
        assert told is not None
        assert " ".join(f"{query}.{doc}={rel:g}" for query, doc, rel in told.qrels) == qrels, form
        assert " ".join(f"{query}.{doc}" for query, doc, *_ in told.run) == run, form
        assert " ".join(told.empty_in_qrels) == without_judgments, form


@pytest.mark.parametrize("form", CALLED, ids=lambda form: form.name)
def test_a_form_is_named_by_its_name_or_by_a_call_whose_order_counts(form: Form) -> None:
    """Two forms of frames are called alike, and two of files, and the call names the usual one."""
    assert form_named(form.name) is form
    assert order_named(form.name, form) == ()
    if form.name not in {"relevant-frames", "relevant-files"}:
        assert form_named(form.call) is form
        orders = [tuple(form.roles), tuple(reversed(form.roles))]
        calls = [call_in_order(form, order) for order in orders]
        assert [form_named(call) for call in calls] == [form, form]
        assert [order_named(call, form) for call in calls] == [order * (len(order) > 1) for order in orders]


def test_a_call_names_its_form_with_or_without_the_cutoff_and_without_the_id_of_the_query() -> None:
    calls = ("f(relevant, ranked, k)", "F(relevant,ranked,k)", "f(relevant, ranked)", "f(relevant, ranked, k=)")
    for text in ("ids", " I d s ", *calls):
        assert form_named(text) is FORMS["ids"]
    with pytest.raises(BadFunction):
        form_named("f(ranked)")
    assert call_in_order(FORMS["ids"], ("query_id", "ranked", "relevant")) == "f(ranked, relevant, k)"
    assert call_in_order(FORMS["graded-ids"], ("query_id", "ranked", "rel_of_doc")) == "f(ranked, {doc: rel}, k)"


def test_the_table_has_every_form_in_80_columns() -> None:
    lines = call_forms.table().splitlines()
    assert all(len(line) <= 78 for line in lines)
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == list(FORMS)
    assert call_forms.table() in (Path(__file__).resolve().parent.parent / "docs" / "check.md").read_text(
        encoding="utf-8"
    )
    assert {role for form in CALLED for role in form.roles if not form.roles[role]} == set()


# -- what an annotation says of a role --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "cannot_be", "may_be"),
    [
        (
            "list[str]",
            "relevant_doc ranked_of_each n_relevant rel_of_doc y_true ranked_rels frame_true",
            "relevant ranked doc_of_each query_of_row",
        ),
        ("typing.List[str]", "relevant_doc judged_rels run", "relevant ranked labels_true"),
        ("list[list[str]]", "relevant_doc doc_of_each cutoff", "ranked_of_each relevant ranked"),
        ("set[str]", "ranked doc_of_each ranked_of_each relevant_doc y_true ranked_of_query", "relevant"),
        ("collections.abc.Set[int]", "ranked", "relevant"),
        ("<class 'str'>", "relevant ranked y_true qrels cutoff", "relevant_doc"),
        (
            "list[float]",
            "relevant_doc qrels n_relevant",
            "y_true ranked_rels cutoff relevant_score relevant_scores other_scores",
        ),
        ("list[list[float]]", "relevant_doc relevant_score", "y_true y_score other_scores"),
        ("float", "relevant_scores other_scores", "relevant_score"),
        ("dict[str, int]", "qrels relevant ranked relevant_of_query cutoff", "rel_of_doc score_of_doc"),
        ("Dict[str, Dict[str, float]]", "rel_of_doc ranked_of_query", "qrels run"),
        ("Mapping[str, set[str]]", "qrels ranked_of_query", "relevant_of_query"),
        ("Mapping[str, list[str]]", "run", "relevant_of_query ranked_of_query"),
        *(
            (kind, "relevant_doc", "ranked")
            for kind in (
                "Optional[list[str]]",
                "Annotated[list[str], 'str', 'text']",
                "list[str] | NoneType",
            )
        ),
        ("dict[str, list[str] | None]", "qrels run rel_of_doc", "relevant_of_query ranked_of_query"),
        ("list[Count]", "relevant_doc", "n_relevant n_docs cutoff y_true"),
        ("list[int]", "relevant_doc", "n_relevant n_docs target_index cutoff"),
        ("list[str] | set[str] | None", "relevant_doc", "relevant ranked"),
        ("typing.Union[str, list[str]]", "qrels", "relevant_doc relevant ranked"),
        ("<class 'numpy.ndarray'>", "relevant_doc qrels", "y_true ranked relevant doc_of_each ranked_of_each"),
        ("'pd.DataFrame'", "y_true", "frame_true frame_pred relevant"),
        ("int", "ranked y_true", "n_relevant relevant_doc cutoff"),
        *((unknown, "", "relevant ranked y_true qrels relevant_doc") for unknown in ("Ids", "")),
        ("Iterable[str]", "relevant_doc y_true", "relevant ranked"),
    ],
)
def test_an_annotation_rules_out_what_it_cannot_be(annotation: str, cannot_be: str, may_be: str) -> None:
    assert [role for role in cannot_be.split() if not rules_out(annotation, role)] == []
    assert [role for role in may_be.split() if rules_out(annotation, role)] == []


@pytest.mark.parametrize(
    ("relevant", "ranked", "is_offered"),
    [
        ("list[str]", "list[list[str]]", False),
        ("list[set[str]]", "list[str]", False),
        ("set[str]", "list[str]", True),
        ("list[set[str]]", "list[list[str]]", True),
        ("list[str]", "", True),
        ("list", "list[list[str]]", True),
    ],
)
def test_relevant_docs_of_one_query_are_not_given_beside_rankings_of_several(
    relevant: str, ranked: str, *, is_offered: bool
) -> None:
    found = [Parameter("relevant", needed=True, note=relevant), Parameter("ranked", needed=True, note=ranked)]
    assert bool(list(assignments(IDS, found, ()))) is is_offered
    assert list(assignments(IDS, found, (), is_named=True)), "who names the form decides"


def test_a_rank_is_said_beside_the_score_by_lines_of_files_and_by_frames_with_a_column_of_it() -> None:
    four, five = ("q", "d", "rel", "score"), ("q", "d", "rel", "score", "rank")
    told = {
        (form, columns): call_forms.says_ranks(Target("m:f", FORMS[form], columns=columns))
        for form in ("frames", "relevant-frames", "files", "ranked-files", "records-apart")
        for columns in (four, five)
    }
    said = {("frames", five), ("relevant-frames", five), ("files", four), ("files", five)}
    assert {each for each, says in told.items() if says} == said
