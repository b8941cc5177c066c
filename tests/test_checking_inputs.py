"""The steps before a function is judged, each by itself: how it is found, what it can be told, and what it is asked."""

import math
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rankproof.calling import arguments, finding, parameters, refusing
from rankproof.calling.argument_names import RANK, RANKS
from rankproof.calling.call_candidates import Candidates
from rankproof.calling.call_forms import FORMS, expressed
from rankproof.calling.literals import literal
from rankproof.calling.parameters import Parameter
from rankproof.calling.targets import FROM_K, BadFunction, Target
from rankproof.cases import Case
from rankproof.cases.inputs import Input
from rankproof.checking import case_questions, trials
from rankproof.checking.case_questions import Question, Seen
from rankproof.checking.trials import Fit, Tried
from rankproof.isolating.call_sessions import NOT_ASKED
from rankproof.isolating.limits import Limits
from rankproof.matching.recalled import recalled
from rankproof.meaning.input_traits import ASSUMPTIONS
from rankproof.meaning.measure_forms import cutoff_of
from rankproof.reference_impl.conventions import STANDARD
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Answered, Failure

ROWS = FORMS["rows"]


def rows_of(**queries: str) -> Input:
    """Text as `doc:rel:score …`; a doc without a score is not retrieved."""
    parts = [(query, row.split(":")) for query, rows in queries.items() for row in rows.split()]
    ranks = {query: count(1) for query in queries}
    return Input(
        tuple((query, part[0], int(part[1])) for query, part in parts),
        tuple((query, part[0], float(part[2]), next(ranks[query])) for query, part in parts if part[2:]),
    )


# -- values as Python reads them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"b": math.inf, "a": {2}}, "{'b': float('inf'), 'a': {2}}"),
        (set(), "set()"),
        ({"b", "a", math.inf, 3}, "{3, 'a', 'b', float('inf')}"),
        ({"b", "a", 3, 2, "c"}, "{2, 3, 'a', 'b', 'c'}"),
        ((), "()"),
        ((math.inf,), "(float('inf'),)"),
        ((1, math.inf), "(1, float('inf'))"),
        ([], "[]"),
        ([math.inf, (2,)], "[float('inf'), (2,)]"),
        (-math.inf, "float('-inf')"),
        (math.nan, "float('nan')"),
        (0.5, "0.5"),
        ("é", r"'\xe9'"),
    ],
)
def test_a_value_is_written_as_python_reads_it(value: object, text: str) -> None:
    assert literal(value) == text


# -- what is called -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "how", "bare", "at_5"),
    [
        ("m:f", {}, "f", "f"),
        ("m:f", {"k": "k"}, "f", "f"),
        ("m:a.b.f", {}, "a.b.f", "a.b.f"),
        ("m:<lambda>", {}, "function", "function"),
        ("m:f.<locals>.g", {}, "function", "function"),
        (
            "m:C",
            {"k": "k", "k_made": True, "of_class": True, "made": ("a=1", "b=2")},
            "C(a=1, b=2, k=k)",
            "C(a=1, b=2, k=5)",
        ),
        ("m:C", {"k": "k", "of_class": True}, "C()", "C()"),
        *((name, {"of_class": True, "method": "of"}, "C().of", "C().of") for name in ("m:C.of", "m:C")),
        ("m:made", {"method": "of"}, "made.of", "made.of"),
        ("m:made.of", {"method": "of"}, "made.of", "made.of"),
    ],
)
def test_what_stands_before_the_arguments_of_a_call(name: str, how: dict[str, Any], bare: str, at_5: str) -> None:
    target = Target(name, ROWS, **how)
    assert (target.spelled, target.spelled_at(5)) == (bare, at_5)


# -- what a role is, and in what it is given ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("container", "role", "value", "text"),
    [
        ("array", "n_relevant", 3, "3"),
        ("tensors", "n_relevant", [3, 1, 2], "[3, 1, 2]"),
        ("tensor", "y_true", [1, 0], "torch.tensor([1, 0], dtype=torch.long)"),
        ("tensor", "y_true", [1, 0.5], "torch.tensor([1, 0.5], dtype=torch.float64)"),
        ("tensor", "y_true", [[1], [0.5]], "torch.tensor([[1], [0.5]], dtype=torch.float64)"),
        ("tensor", "y_true", [[1], [2]], "torch.tensor([[1], [2]], dtype=torch.long)"),
        ("float-tensor", "y_true", [1, 0], "torch.tensor([1, 0], dtype=torch.float64)"),
        (
            "tensors",
            "ranked_rels",
            [[1], [1, 0]],
            "[torch.tensor([1], dtype=torch.long), torch.tensor([1, 0], dtype=torch.long)]",
        ),
        ("tensor", "ranked", ["a", "b"], "['a', 'b']"),
        ("tensor", "ranked", [[], ["b"]], "[[], ['b']]"),
        ("frame", "y_true", [1], "[1]"),
        ("list", "frame_true", [(1, "a", 2)], "[(1, 'a', 2)]"),
        (
            "ir_measures",
            "qrels_rows",
            [("q", "a", 2), ("q", "b", 0)],
            "[ir_measures.Qrel('q', 'a', 2), ir_measures.Qrel('q', 'b', 0)]",
        ),
        ("ir_measures", "run_rows", [("q", "a", math.inf)], "[ir_measures.ScoredDoc('q', 'a', float('inf'))]"),
        ("ranx", "run", {"q": {"a": math.inf}}, "ranx.Run({'q': {'a': float('inf')}})"),
        ("ranx", "y_true", [1], "[1]"),
        ("wide-frames", "ranked", [["a", "b"], []], "pandas.DataFrame([['a', 'b'], [None]])"),
        ("sparse-rels", "y_true", [[1, 0]], "scipy.sparse.csr_matrix([[1, 0]])"),
        ("sparse-rels", "rels_seen", [[0, 0]], "scipy.sparse.csr_matrix([[0, 0]])"),
        ("sparse-rels", "y_score", [[1, 2]], "numpy.array([[1, 2]])"),
        ("list", "scores_with_rels", ([[0.5]], [[2]]), "([[0.5]], [[2]])"),
        ("array", "scores_with_rels", ([[0.5]], [[2]]), "(numpy.array([[0.5]]), numpy.array([[2]]))"),
        ("arrays-set", "y_score", [0.5, 1], "numpy.array([0.5, 1])"),
        (
            "list",
            "predictions",
            [("q", "a", 1, 0.5, {})],
            "[collections.namedtuple('Prediction', 'uid iid r_ui est details')(*row) for row in [('q', 'a', 1, 0.5, {})]]",
        ),
    ],
)
def test_an_argument_is_given_in_its_container_and_written_so(
    container: str, role: str, value: object, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of torch, and of ranx, which is slow to be imported, is what says what it was given."""
    torch = SimpleNamespace(tensor=lambda values, dtype: ("tensor", values, dtype), long="long", float64="float64")
    scope = {"torch": torch, "ranx": SimpleNamespace(Run=lambda rows: ("run", rows))}
    for name, module in scope.items():
        monkeypatch.setitem(sys.modules, name, module)
    scope |= {name: import_module(name) for name in ("collections", "ir_measures", "numpy", "pandas", "scipy")}
    target = Target("m:f", ROWS, container=container)
    assert arguments.written(target, role, value) == text
    given, read = arguments.contained(target, role, value), eval(text, dict(scope))  # noqa: S307 - our own text
    assert repr(given) == repr(read) or given == read


def test_lists_of_unlike_lengths_stay_lists_beside_an_array_of_several_queries() -> None:
    at_once = Target("m:f", ROWS, container="array", batch="all")
    assert arguments.written(at_once, "relevant", [["a"], ["b", "c"]]) == "[['a'], ['b', 'c']]"
    assert arguments.written(at_once, "relevant", [["a"], ["b"]]) == "numpy.array([['a'], ['b']])"
    alone = replace(at_once, batch="table")
    assert arguments.written(alone, "relevant", [["a"], ["b", "c"]]) == "numpy.array([['a'], ['b', 'c']])"


# -- the parameters of a function ---------------------------------------------------------------------------------------


def taking(written: str) -> list[Parameter]:
    """The parameters of a function that has these."""
    found = parameters.parameters_of(eval(f"lambda {written}: 0"))  # noqa: S307 - our own text
    assert found is not None
    return found


def test_what_is_known_of_a_parameter() -> None:
    def function(a: int, /, b: list[int] = (), *, c: float = 0.5, d, **_more: object) -> None: ...  # type: ignore[no-untyped-def, assignment]  # noqa: ANN001

    assert parameters.parameters_of(function) == [
        Parameter("a", needed=True, by_name=False, note=str(int), default=None),
        Parameter("b", needed=False, by_name=False, note="list[int]", default=()),
        Parameter("c", needed=False, by_name=True, note=str(float), default=0.5),
        Parameter("d", needed=True, by_name=True, note="", default=None),
    ]
    assert [one.is_number for one in parameters.parameters_of(function) or ()] == [False, False, True, False]
    assert [parameters.parameters_of(one) for one in (3, lambda *_docs: 0, lambda a, *_docs: a)] == [None] * 3
    assert parameters.parameters_of(lambda: 0) == []


@pytest.mark.parametrize(
    ("known", "are_in", "are_not"),
    [
        ({"gold"}, "gold GOLD gold_docs Gold_Ids gold_k gold_docs_list", "docs_gold golds gold_list_of _docs"),
        (RANKS, "rank_list gold_ranks", "rank"),
        (RANK, "rank", "rank_list gold_ranks"),
    ],
)
def test_a_known_name_may_have_known_ends_but_a_name_of_ranks_is_no_other_name_with_an_end(
    known: Collection[str], are_in: str, are_not: str
) -> None:
    assert [name for name in are_in.split() if not Parameter(name, needed=True).is_in(frozenset(known))] == []
    assert [name for name in are_not.split() if Parameter(name, needed=True).is_in(frozenset(known))] == []


@pytest.mark.parametrize(
    ("form", "written", "cutoff"),
    [
        ("ranked", "r, k", "k"),
        ("ranked", "r, n, k", "k"),
        ("ranked", "r, N", "N"),
        ("ranked", "r, k=None", "k"),
        ("ranked", "r, k=0.5", None),
        ("ranked", "r, k=5.0", "k"),
        ("ranked", "r", None),
        ("ranked", "ranked, anything", "anything"),
        ("ranked", "this, that", "that"),
        ("ranked", "ranked, rels", None),
        ("ranked", "ranked, anything=3", None),
        ("ranked", "ranked, qid", None),
        ("ranked", "ranked, Query", None),
        ("ids", "this, that", None),
        ("ids", "this, that, more", "more"),
        ("ids", "this, that, more, yet", None),
        ("ranked-total", "r, n", None),
        ("ranked-total", "r, total, n", "n"),
    ],
)
def test_the_cutoff_has_a_known_name_or_is_what_is_left(form: str, written: str, cutoff: str | None) -> None:
    found = parameters.assignments(FORMS[form], taking(written), ())
    assert {one.k and one.k.name for one in found} == {cutoff}


@pytest.mark.parametrize(
    ("form", "written", "assigned"),
    [
        *(
            ("ids", written, [(("relevant", "ranked"), names, known, left)])
            for written, names, known, left in (
                ("relevant, ranked", (), 2, ()),
                ("relevant, ranked, qid=None", (), 2, ()),
                ("relevant, b", (), 1, ()),
                ("relevant, b=None", (), 1, ()),
                ("relevant, c=None, b=None", (), 1, ()),
                ("query=None, expected_ids=None, retrieved_ids=None", ("expected_ids", "retrieved_ids"), 2, ()),
                ("relevant, *, ranked", ("relevant", "ranked"), 2, ()),
                ("relevant, dataset, b", ("relevant", "b"), 1, ("dataset",)),
                ("relevant, ranked, device, model", (), 2, ("device", "model")),
            )
        ),
        ("ids", "relevant, qid, b", [(("relevant", "query_id", "ranked"), (), 2, ())]),
        ("ids", "relevant", []),
        ("ids", "ranked, relevant", [(("ranked", "relevant"), (), 2, ())]),
        ("ids", "a, gold", [(("ranked", "relevant"), (), 1, ())]),
        ("ids", "a, b", [(("relevant", "ranked"), (), 0, ()), (("ranked", "relevant"), (), 0, ())]),
        ("ranked-total", "r, k, all_pos_num", [(("ranked_rels", "n_relevant"), ("r", "all_pos_num"), 2, ())]),
        ("qrels-run", "qrels, run, qid", [(("qrels", "run"), (), 2, ("qid",))]),
        ("qrels-run", "qrels_map, run_dict", [(("qrels", "run"), (), 2, ())]),
        ("rows", "labels_dict, scores", [(("y_true", "y_score"), (), 1, ())]),
        ("rows", "labels_dict, scores_map", [(("y_true", "y_score"), (), 0, ())]),
        ("grouped", "y_true, y_score, groups", [(("all_true", "all_scores", "query_of_row"), (), 3, ())]),
        ("grouped", "y_true, y_score, other", []),
        ("group-sizes", "y_true, y_score, other", []),
    ],
)
def test_each_role_has_its_parameter(
    form: str, written: str, assigned: list[tuple[tuple[str, ...], tuple[str, ...], int, tuple[str, ...]]]
) -> None:
    found = parameters.assignments(FORMS[form], taking(written), ())
    assert [(one.order, one.names, one.known, one.left) for one in found] == assigned


def test_what_tells_no_parameters_is_tried_with_and_without_a_cutoff() -> None:
    found = list(parameters.assignments(FORMS["ids"], None, ()))
    assert [(one.order, one.k and (one.k.name, one.k.needed), one.names) for one in found] == [
        (order, k, ()) for order in (("relevant", "ranked"), ("ranked", "relevant")) for k in (("k", False), None)
    ]


@pytest.mark.parametrize(
    ("written", "columns"),
    [
        ("col_prediction='p', col_user='u', col_rating='r', col_item='i'", ("u", "i", "r", "p")),
        ("col_user='u', col_item='i', col_rating='r'", ("u", "i", "r", "r")),
        ("score_col, doc_col_name, query_column='q'", ("q", "item_id", "rating", "score")),
        ("col_user='u', user_col='v', col_rating='r', rel_col='s', col_score=3", ("u", "item_id", "r", "r")),
        ("prob_col, label_col, request_col='r'", ("r", "item_id", "rating", "score")),
        ("col_item='i', col_rating='r', col_prediction='p'", ()),
        ("col_user='u', col_item='i', col_rating=None", ()),
        ("a=1", ()),
    ],
)
def test_columns_are_told_by_defaults_and_by_parameters_without_one(written: str, columns: tuple[str, ...]) -> None:
    assert parameters.columns_told(taking(written)) == columns
    assert parameters.columns_told(None) == ()


@pytest.mark.parametrize(
    ("written", "given", "name"),
    [
        ("a, threshold", (), "threshold"),
        ("a, threshold", ("threshold",), None),
        ("a, rel=1", (), "rel"),
        ("a, rel", (), None),
        ("a, rel='x'", (), None),
        ("a, b=1", (), None),
        ("a, rel=1, th=2", (), "rel"),
        ("a, rel=1, th=2", ("rel",), "th"),
        ("a, Threshold='x'", (), "Threshold"),
    ],
)
def test_a_threshold_has_a_known_name_and_a_rel_a_number(
    written: str, given: tuple[str, ...], name: str | None
) -> None:
    found = parameters.threshold_of(taking(written), given)
    assert (found and found.name) == name
    assert parameters.threshold_of(None, ()) is None


# -- trials -------------------------------------------------------------------------------------------------------------


P_AT_2 = (
    Tried(trials.PLAIN, 2, Answered(None, 0.5)),
    Tried(trials.RAGGED, 2, Answered({"q1": 0.5, "q2": 0.5, "q3": 0.0}, None)),
)
"""At ranks 1 and 2 there are a1 and b7; b22 and d4, f7 and f73, j1 and h1."""
FAILED = Failure("error", "no")


@pytest.mark.parametrize(
    ("answer", "has_number", "words"),
    [
        (Answered(None, 0.5), True, "0.5"),
        (Answered({"a": 0.25, "b": 1.0}, None), True, "0.25"),
        (Answered({"a": 0.25}, 0.5), True, "0.5"),
        (Answered({}, None), False, "nothing"),
        (Answered({"a": math.inf}, None), False, "inf"),
        (Answered({"a": 0.5, "b": math.inf}, None), False, "0.5"),
        (Answered({"a": 0.5}, -math.inf), False, "-inf"),
        (Answered({"a": math.nan}, None), False, "None, or nan"),
    ],
)
def test_an_answer_has_a_number_where_all_are_finite(answer: Answered, words: str, *, has_number: bool) -> None:
    assert (trials.has_number(answer), trials.words_of(answer)) == (has_number, words)


def test_a_fit_counts_what_is_explained_asked_and_said() -> None:
    whole = trials.fit(parse("P@10"), P_AT_2)
    assert whole == Fit(share=1.0, concord=1.0, explained=2, asked=2, values=2, numbers=4)
    assert whole.is_whole
    part = trials.fit(parse("P@10"), [*P_AT_2, Tried(trials.PLAIN, 1, FAILED)])
    assert part == Fit(share=2 / 3, concord=1.0, explained=2, asked=3, values=2, numbers=4)
    assert not part.is_whole
    nothing = trials.fit(parse("P@10"), [])
    assert (nothing, nothing.is_whole) == (Fit(0.0, 0.0), False)
    by_trials = [P_AT_2, [*P_AT_2, Tried(trials.PLAIN, 1, FAILED)], [Tried(trials.PLAIN, 1, FAILED), *P_AT_2], []]
    assert [trials.explains_all(parse("P@10"), tried) for tried in by_trials] == [True, False, False, False]


def test_one_value_in_all_answers_is_explained_by_standard_alone() -> None:
    """Two of four docs are relevant, 2 of 3, 1 of 2 and 1 of 4: P@5 of as many as are retrieved."""
    plain = Tried(trials.PLAIN, 5, Answered(None, 2 / 4))
    ragged = Tried(trials.RAGGED, 5, Answered({"q1": 2 / 3, "q2": 1 / 2, "q3": 1 / 4}, None))
    two_values = [plain, Tried(trials.PLAIN, 1, Answered(None, 1.0))]
    several = ([plain], [plain, plain], [plain, ragged], two_values, [replace(plain, answer=Answered(None, 2 / 5))])
    assert [trials.fit(parse("P@5"), given).explained for given in several] == [0, 0, 2, 2, 1]


@pytest.mark.parametrize(
    ("answer", "is_explained"),
    [
        (Answered(None, 0.5), True),
        (Answered(None, 0.5 + 5e-4), True),
        (Answered(None, 0.5 - 5e-4), True),
        (Answered(None, 0.5 + 7e-4), False),
        (Answered(None, 0.5 - 7e-4), False),
        (Answered({}, None), False),
        (FAILED, False),
        (Answered({"q1": 0.5, "q2": 0.5}, None), False),  # there is no q2
    ],
)
def test_what_is_explained_may_be_rounded(answer: Answered | Failure, *, is_explained: bool) -> None:
    given = [Tried(trials.PLAIN, 2, answer), Tried(trials.PLAIN, 1, Answered(None, 1.0))]
    assert trials.fit(parse("P@2"), given).explained == 1 + is_explained
    assert trials.explains_all(parse("P@2"), given) is is_explained


def test_two_trials_that_no_one_set_of_conventions_explains_are_not_explained() -> None:
    """The hits of three queries are divided by k, which is 5, and those of another one by the 4 docs that it retrieved."""
    of_k, of_n = (Tried(trials.RAGGED, 5, Answered({"q1": 2 / at, "q2": 1 / at, "q3": 1 / at}, None)) for at in (5, 4))
    plain = Tried(trials.PLAIN, 5, Answered(None, 2 / 4))
    of_each = [trials.explains_all(parse("P@5"), given) for given in ([of_k], [plain], [of_k, plain], [of_n])]
    assert of_each == [True, True, False, False]


@pytest.mark.parametrize(
    ("values", "concord"), [((3, 2, 1), 1), ((1, 2, 3), -1), ((1, 1, 0), 2 / 3), ((1, 2, 0), 1 / 3), ((1, 1, 1), 0)]
)
def test_a_concord_is_of_the_pairs_that_the_measure_tells_apart(values: tuple[float, ...], concord: float) -> None:
    """RR of the three queries is 1, 1/2 and 1/3; P@2 of the first two is the same."""
    answer = Answered(dict(zip(("q1", "q2", "q3"), map(float, values), strict=True)), None)
    assert trials.fit(parse("RR"), [Tried(trials.RAGGED, None, answer)]).concord == concord
    assert trials.fit(parse("P@2"), P_AT_2[1:]).concord == 1.0


# -- what is said of what cannot be asked -------------------------------------------------------------------------------

IDS = Target("m:f", FORMS["ids"], ("relevant", "ranked"), "k", known=2)
HALF = Answered(None, 0.5)
NO_NUMBER = Failure("invalid-output", "it gave 'x', which is no number")


LONG_ENOUGH = rows_of(q="a:1:0.5 b:0:0.25 c:1:0.125")


def in_vain(target: Target, said: Failure = NO_NUMBER) -> tuple[Target, Input, Failure]:
    return target, LONG_ENOUGH, said


def refused(*vain: Any, closest: Target | None = None, form: str = "", k: int | None = 5, **more: Any) -> BadFunction:
    found = replace(Candidates("pkg.mod:f", (IDS,)), **more)
    return refusing.refused(found, vain, (FORMS[form] if form else None, k), closest)


F, TAKEN, DOTS = "pkg.mod import f", "relevant, ranked, k=5", "f(...)  # what it takes, made of these"
"""What three lines import, take and give, where the person fills in the dots."""


@pytest.mark.parametrize(
    ("vain", "how", "said", "wrapper"),
    [
        (
            [],
            {"foreign": ("device", "model"), "roles": ("y_true", "y_score")},
            "f needs device, model: say what that is, as --with device=VALUE --with model=VALUE, or bind it",
            (F, "y_true, y_score, k=5", "f(y_true, y_score, k, device=..., model=...)"),
        ),
        *(
            (
                [],
                {
                    "name": name,
                    "foreign": ("seed", "size", "by"),
                    "roles": ("ranked",),
                    "of_maker": ("seed", "size"),
                    **how,
                },
                "",
                ("mod import Kind", "ranked, k=5", call),
            )
            for name, how, call in (
                ("mod:Kind.of", {"method": "of"}, "Kind(seed=..., size=...).of(ranked, k, by=...)"),
                *(
                    (
                        "mod:Kind",
                        {"method": "add/result", "of_maker": made},
                        "Kind(...)  # what it takes, made of these",
                    )
                    for made in ((), ("seed",), ("seed", "size"))
                ),
                ("mod:Kind", {"method": "score"}, "Kind(seed=..., size=...).score(ranked, k, by=...)"),
                ("mod:Kind", {}, "Kind(seed=..., size=...)(ranked, k, by=...)"),
                ("mod:Kind.of", {"of_maker": ()}, "Kind.of(ranked, k, seed=..., size=..., by=...)"),
                *(
                    ("mod:Kind.of", {"of_maker": (), "foreign": ("by",), "targets": (replace(IDS, **target),)}, call)
                    for target, call in (
                        ({"of_class": True, "method": "of", "made": ("seed=1",)}, "Kind(seed=1).of(ranked, k, by=...)"),
                        ({"of_class": True, "k_made": True}, "Kind.of(ranked, k, by=...)"),
                        ({"method": "of"}, "Kind.of(ranked, k, by=...)"),
                    )
                ),
                *(
                    (
                        "mod:Kind",
                        {"of_maker": (), "foreign": ("by",), "targets": (replace(IDS, of_class=True, method=method),)},
                        call,
                    )
                    for method, call in (
                        ("score", "Kind().score(ranked, k, by=...)"),
                        ("update/compute", "Kind(ranked, k, by=...)"),
                    )
                ),
            )
        ),
        *(
            (
                [],
                {
                    "name": "mod:f",
                    "foreign": ("rank", "took"),
                    "roles": ("ranked", "relevant"),
                    "names": ("found", "gold"),
                    "record": record,
                },
                "",
                (importing, "ranked, relevant, k=5", f"f({call}, k=k)"),
            )
            for record, importing, call in (
                (
                    ("one", "mod:One", "found", "gold", "rank", "took"),
                    "mod import f, One",
                    "one=One(found=ranked, gold=relevant, rank=..., took=...)",
                ),
                (
                    ("all", "mod:Kind.One", "found", "took", "rank", "[]"),
                    "mod import f, Kind",
                    "all=[Kind.One(found=ranked, rank=..., took=...)], gold=relevant",
                ),
            )
        ),
        (
            [],
            {"closest": IDS},
            "gives numbers by any form known here, which are none of the measure's (closest is f(relevant, ranked, k))",
            (F, TAKEN, DOTS),
        ),
        ([], {"closest": IDS, "form": "ids"}, "gives numbers as ids, which", (F, TAKEN, DOTS)),
        ([], {"closest": IDS, "roles": ("a",)}, "", (F, "a, k=5", DOTS)),
        ([], {"closest": IDS, "k": None}, "", (F, "relevant, ranked", DOTS)),
        ([in_vain(IDS)], {}, "", (F, TAKEN, "float(f(relevant, ranked, k))")),
        (
            [in_vain(IDS)],
            {"name": "a/mine.py:f", "k": None},
            "",
            ("mine import f", "relevant, ranked", "float(f(relevant, ranked))"),
        ),
        ([in_vain(replace(IDS, k=None))], {"roles": ("a",)}, "", (F, TAKEN, "float(f(relevant, ranked))")),
        (
            [in_vain(replace(IDS, order=()))],
            {"name": "m:<lambda>", "roles": ("a",)},
            "",
            ("m import function", "a, k=5", "float(function(a, k))"),
        ),
        *(
            ([in_vain(IDS, Failure("error", given))], {}, given, (F, TAKEN, mended))
            for given, mended in (
                ("it gave a coroutine", "__import__('asyncio').run(f(relevant, ranked, k))"),
                ("it gave a dict of a, b", "f(relevant, ranked, k)[...]  # the key of the measure"),
                ("it gave a, b for a query; no", "f(relevant, ranked, k)[...]  # the key of the measure"),
                ("no", DOTS),
            )
        ),
        # What breaks cannot be wrapped.
        *(([in_vain(IDS, Failure(kind, "no"))], {}, "no", ()) for kind in ("crash", "timeout")),
    ],
)
def test_what_cannot_be_asked_is_said_with_lines_that_can_be(
    vain: list[tuple[Target, Input, Failure]], how: dict[str, Any], said: str, wrapper: tuple[str, ...]
) -> None:
    error = refused(*vain, **how)
    assert said in str(error)
    lines = ("from {}", "def wrapped({}):", "    return {}")
    assert error.wrapper.splitlines() == [line.format(text) for line, text in zip(lines, wrapper, strict=False)]


def test_a_class_of_fields_is_imported_from_where_it_is() -> None:
    lacks = {"foreign": ("took",), "roles": ("ranked",), "names": ("found",), "k": None}
    lines = refused(**lacks, record=("one", "pkg.kinds:One", "found", "took")).wrapper.splitlines()
    imports = ["from pkg.mod import f", "from pkg.kinds import One"]
    assert lines == [*imports, "def wrapped(ranked):", "    return f(one=One(found=ranked, took=...))"]


def test_two_calls_are_told_of_those_that_most_names_tell() -> None:
    error = refused(
        in_vain(replace(IDS, known=1), Failure("error", "first")),
        in_vain(IDS, Failure("error", "second")),
        in_vain(IDS, Failure("error", "third")),
        in_vain(IDS, Failure("error", "fourth")),
    )
    assert "(f(['a', 'c'], ['a', 'b', 'c'], k=5): second; f(['a', 'c'], ['a', 'b', 'c'], k=5): third)" in str(error)
    assert error.wrapper.splitlines()[2] == "    return f(...)  # what it takes, made of these"


def test_what_a_function_imports_when_it_is_called_is_to_be_installed_and_not_wrapped() -> None:
    modules, here = ("numpy", "numpy", "sklearn.metrics"), "install it where rankproof is, or run this where it is"
    lacks = [Failure("error", f"ModuleNotFoundError: No module named '{name}'") for name in modules]
    for said, named in ((lacks[:2], "numpy"), (lacks, "numpy and sklearn.metrics")):
        error = refused(*(in_vain(IDS, one) for one in said))
        assert str(error).endswith(f"f imports {named}, which is not here: {here}")
        assert not error.wrapper
    assert "gives no number" in str(refused(in_vain(IDS, lacks[0]), in_vain(IDS)))


@pytest.mark.parametrize("k", [None, "k", "Top_K", "sort"])
def test_what_was_taken_for_the_cutoff_is_said_where_no_name_says_it(k: str | None) -> None:
    text = str(refused(in_vain(replace(IDS, k=k)), in_vain(replace(IDS, k="mode"))))
    assert ("; sort was taken for the cutoff: if it is none, add --with sort=VALUE" in text) is (k == "sort")
    assert ("was taken for the cutoff" in text) is (k == "sort")


def test_what_is_to_be_typed_names_both_orders_and_more_seconds() -> None:
    turned = replace(IDS, order=("ranked", "relevant"))
    orders = "--form 'f(ranked, relevant, k)' or --form 'f(relevant, ranked, k)'"
    assert str(refusing.undecided_order(turned, IDS, "3 of 5 are explained")).startswith(
        "f gives numbers in either order of its arguments, other ones in each, and 3 of 5 are explained in both: "
        f"name the order, by {orders}"
    )
    more = "give it more than the 1.5 s of --budget"
    forms = "name its form by --form, as `rankproof check --help` shows them"
    for is_named, mend in ((True, more), (False, f"{forms}, or {more}")):
        said = str(refusing.too_slow(Candidates("m:f", ()), 1.5, is_named=is_named))
        assert said == f"m:f takes so long that it was not found in time how it is called: {mend}"


def test_of_a_class_that_no_form_fits_two_methods_are_named(tmp_path: Path) -> None:
    file, methods = tmp_path / "scores.py", ("_own", "rr", "ap", "dcg")
    file.write_text("class Of:\n" + "".join(f"    def {name}(self, a, b, c): ...\n" for name in methods))
    nothing = "cannot be called by the number of its arguments, or by what their annotations say"
    forms = "wrap it, or name its form by --form, as `rankproof check --help` shows them"
    for name, named in (("Of", f"name one of its methods, as {file}:Of.rr or {file}:Of.ap, or "), ("f", "")):
        assert str(refused(name=f"{file}:{name}", targets=())) == f"{file}:{name} {nothing}; {named}{forms}"


# -- what is asked ------------------------------------------------------------------------------------------------------

QRELS_RUN = Target("m:f", FORMS["qrels-run"], ("qrels", "run"), "k", known=2)
FIVE = rows_of(q="a:1:0.875 b:0:0.75 c:1:0.5 d:0:0.25 e:0:0.125")


def case(data: Input, *measures: str, name: str = "made/case") -> Case:
    return Case(name, "", "", "", (), data, also_ask=measures)


def question(data: Input, measure: str = "P@5", **more: Any) -> Question:
    return Question(case(data, "AP", "P@3", "P@1"), parse(measure), recalled(data), **more)


SMALL, NEGATIVE, BINARY, TIES = (ASSUMPTIONS[name] for name in ("small", "nonnegative", "binary", "no-ties"))


@pytest.mark.parametrize(
    ("data", "is_plain"),
    [
        (FIVE, True),
        (replace(FIVE, empty_in_run=("p",)), False),
        (replace(FIVE, run=()), False),
        (rows_of(q="a:5:0.5 b:0:0.25"), True),
        (rows_of(q="a:6:0.5"), False),
        (rows_of(q="a:-1:0.5"), False),
        (rows_of(q="a:1:0.5 b:1:0.5"), False),
        (Input((("q", "a", 0.5),), (("q", "a", 0.5, 1),)), False),
    ],
)
def test_a_plain_question_asks_of_nothing_special(data: Input, *, is_plain: bool) -> None:
    assert question(data).is_plain is is_plain


@pytest.mark.parametrize(
    ("answer", "traits", "is_left_out"),
    [
        (HALF, (SMALL,), False),
        (FAILED, (), False),
        (FAILED, (SMALL,), False),
        (Failure("timeout", "late"), (), False),
        (Failure("timeout", "late"), (SMALL,), True),
        (Failure("memory", "no"), (SMALL,), True),
        (Failure("crash", "no"), (SMALL,), True),
        (Failure("timeout", NOT_ASKED), (), True),
    ],
)
def test_nothing_is_learnt_of_what_was_not_asked_or_may_take_long(
    answer: Answered | Failure, traits: tuple[Any, ...], *, is_left_out: bool
) -> None:
    assert Seen(question(FIVE, traits=traits), answer).left_out is is_left_out
    assert Seen(question(FIVE), answer).again is None


@pytest.mark.parametrize(
    ("target", "measure", "data", "cutoffs"),
    [
        (IDS, "P@10", FIVE, [10, 3, 1, 2]),
        (IDS, "P@3", FIVE, [3, 1, 2]),
        (replace(IDS, k=None), "P@10", FIVE, [10]),
        (replace(IDS, k=None, reads="place"), "P@10", FIVE, [10, 3, 1, 2]),
        (IDS, "P", FIVE, [None]),
        (IDS, "RR@10", FIVE, [10, 1, 2, 3]),
        (IDS, "AP@4", FIVE, [4, 1, 2, 3]),
        (IDS, "RR@10", Input(empty_in_run=("q",)), [10]),
        (IDS, "RR@10", rows_of(q="a:1:0.5", p="a:1:0.5 b:1:0.25"), [10, 1]),
        (IDS, "ARI", FIVE, [None]),
    ],
)
def test_the_cutoffs_are_that_of_the_measure_those_of_the_case_and_small_ones(
    target: Target, measure: str, data: Input, cutoffs: list[int | None]
) -> None:
    asked = case_questions.questions(target, parse(measure), [case(data, "AP", "P@3", "P@1", "P")], ())
    assert {cutoff_of(one.measure) for one in asked} == set(cutoffs)


def asked_of(target: Target, *cases: Case, measure: str = "P@10", assumed: tuple[Any, ...] = ()) -> list[Question]:
    return list(case_questions.questions(target, parse(measure), cases, assumed))


def test_a_case_is_asked_at_each_cutoff_and_once() -> None:
    of_five = case(FIVE, "P@3")
    found = asked_of(IDS, of_five, replace(of_five, id="made/again"))
    assert [(one.case.id, str(one.measure), one.telling) for one in found] == [
        ("made/case", "P@10", True),
        ("made/case", "P@3", False),
        ("made/case", "P@1", False),
        ("made/case", "P@2", True),
    ]
    assert [one.telling for one in asked_of(IDS, case(FIVE, "P@4"))] == [True, True, False, True, False]
    data = found[0].case.input
    assert data == expressed(IDS.form, FIVE)
    assert found[0].reference.answers(parse("P@2"), STANDARD) == recalled(data).answers(parse("P@2"), STANDARD)


def test_what_cannot_be_told_or_is_assumed_away_is_not_asked() -> None:
    without_k, whole = replace(QRELS_RUN, k=None), case(FIVE)
    labels, tied = case(Input(true=(0,), predicted=(0,))), case(rows_of(q="a:1:0.5 b:0:0.5"))
    untied = asked_of(without_k, labels, tied, replace(whole, id="made/whole"), assumed=(TIES,))
    assert [one.case.id for one in untied] == ["made/whole"]
    found = asked_of(replace(IDS, docs=FROM_K), whole, labels, measure="P@6")
    assert [str(one.measure) for one in found] == ["P@1", "P@2", "P@3"]
    (tie,) = asked_of(without_k, tied)
    assert tie.traits == (TIES, ASSUMPTIONS["k-docs"])


def test_where_rels_are_assumed_to_be_flags_they_are_made_so() -> None:
    graded = case(rows_of(q="a:3:0.5 b:0:0.25"))
    (found,) = asked_of(replace(QRELS_RUN, k=None), graded, measure="P", assumed=(BINARY,))
    assert (found.case.id, [row[2] for row in found.case.input.qrels]) == ("made/case (rels made 0 and 1)", [1, 0])
    (found,) = asked_of(replace(QRELS_RUN, k=None), graded, measure="P", assumed=(TIES,))
    assert (found.case.id, [row[2] for row in found.case.input.qrels]) == ("made/case", [3, 0])
    assert found.traits == (BINARY,)


def test_a_question_is_the_stranger_the_later_its_case_names_its_measure() -> None:
    asked = [question(FIVE, measure).strangeness for measure in ("AP", "P@5", "P(rel=2)@1", "RR")]
    assert asked == [0, 1, 1, 2], "AP, P@3 and P@1 are what the case was written to ask"


class Twice:
    """In the place of a session: it says the same whenever it is asked."""

    def __init__(self, says: Callable[[Any], Any]) -> None:
        self.says, self.asked, self.brief, self.limits = says, list[Any](), list[Any](), Limits()

    def twice(self, calls: list[Any]) -> list[Any]:
        """An answer to each call, and another if the second is another."""
        self.asked.append(calls)
        return [self.says(call) for call in calls]

    def briefly(self, calls: list[Any], seconds: float) -> list[Any]:
        """The same, of calls that may take long."""
        self.brief.append((calls, seconds))
        return [self.says(call) for call in calls]

    def end(self) -> None:
        """The process is ended."""


def test_what_is_ordinary_is_asked_first_and_what_takes_long_last_and_briefly() -> None:
    asked = [question(FIVE, "P@1", traits=(SMALL,)), question(FIVE, "P@2", traits=(NEGATIVE,)), question(FIVE, "P@3")]
    session, done = Twice(lambda _call: (HALF, None)), list[tuple[int, int]]()
    seen = case_questions.answered(session, asked, lambda *how_far: done.append(how_far))  # type: ignore[arg-type]
    assert [str(one.question.measure) for one in seen] == ["P@3", "P@2", "P@1"]
    assert session.asked == [[(FIVE, 3), (FIVE, 2)], [(FIVE, 2), (FIVE, 3)]], "and then in another order"
    assert session.brief == [([(FIVE, 1)], case_questions.BRIEFLY)]
    assert done == [(1, 3), (2, 3)]
    assert [(one.answer, one.again) for one in seen] == [(HALF, None)] * 3
    assert len(case_questions.answered(session, asked)) == 3  # type: ignore[arg-type]


@pytest.mark.parametrize(("n", "some"), [(1, 1), (119, 119), (120, 60), (180, 60), (181, 61)])
def test_about_sixty_are_asked_once_more_from_the_last_on(n: int, some: int) -> None:
    session = Twice(lambda _call: (HALF, None))
    case_questions.answered(session, [question(FIVE, f"P@{at + 1}") for at in range(n)])  # type: ignore[arg-type]
    cutoffs = [k for _, k in session.asked[1]]
    assert (len(cutoffs), cutoffs[-1]) == (some, 1)
    assert cutoffs == sorted(cutoffs, reverse=True)


@pytest.mark.parametrize(("seconds", "is_slow"), [(0.4, False), (0.6, True)])
def test_what_comes_late_from_who_is_slow_throughout_was_not_asked(
    seconds: float, *, is_slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where half of the answers take a tenth of the time for one, or more; else it hangs there."""
    late = Failure("timeout", "no answer within 5 s")
    said = {1: (late, None), 2: (HALF, late), 3: (HALF, None), 4: (HALF, None)}
    clock = count()
    monkeypatch.setattr(case_questions, "time", SimpleNamespace(monotonic=lambda: next(clock) * seconds))
    session = Twice(lambda call: said[call[1]])
    seen = case_questions.answered(session, [question(FIVE, f"P@{k}") for k in said])  # type: ignore[arg-type]
    first, second, third, fourth = sorted(seen, key=lambda one: str(one.question.measure))
    assert first.left_out is is_slow
    assert (first.answer, second.again) == ((Failure("timeout", NOT_ASKED), None) if is_slow else (late, late))
    assert (third.answer, third.again, fourth.again) == (HALF, None, None)


@pytest.mark.parametrize(
    ("tied", "untied", "again", "anew", "of_object", "when"),
    [
        (5, 5, 1.0, 0.5, False, case_questions.SAME_LISTS),
        (5, 5, 1.0, 0.5, True, case_questions.SAME_OBJECT),
        (5, 5, 1.0, 1.0, False, case_questions.TIES_AT_RANDOM),
        (5, 5, 1.0, 1.0, True, case_questions.TIES_AT_RANDOM),
        (4, 5, 1.0, 1.0, False, case_questions.AGAIN_AS_BEFORE),
        (6, 5, 1.0, 1.0, False, case_questions.AGAIN_AS_BEFORE),
        (4, 5, 1.0, 0.5, False, case_questions.SAME_LISTS),
        (5, 5, None, 0.5, False, case_questions.AGAIN_AS_BEFORE),
    ],
)
def test_why_another_answer_is_given_is_told_where_chance_is_no_cause(
    tied: int, untied: int, again: float | None, anew: float, when: str, *, of_object: bool
) -> None:
    """Two docs of one score as float32 are tied to who computes so; what does not come back says nothing of a cause."""
    ties = rows_of(q="a:1:0.5 b:0:0.500000001")
    other = Failure("crash", "it ended") if again is None else Answered(None, again)
    session: Any = Twice(lambda call: (HALF, other if call[0] == ties else None))
    asked = list[Any]()
    session.anew = lambda call: asked.append(call) or Answered(None, anew)
    every = [question(data, f"P@{k + 1}") for data, so_many in ((ties, tied), (FIVE, untied)) for k in range(so_many)]
    seen = case_questions.answered(session, every, of_object=of_object)
    assert {(one.question.case.input == ties, one.again is not None, one.when) for one in seen} == {
        (True, True, when),
        (False, False, case_questions.AGAIN_AS_BEFORE),
    }
    if again is not None and anew == 0.5:
        assert len(asked) == min(tied, case_questions.ANEW) * case_questions.TIMES, "each of some is asked three times"


# -- finding a function -------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of functions, one beside it, and one of another kind; what is imported of them is forgotten."""
    made = "import rp_beside\nclass C:\n    @staticmethod\n    def of(): return rp_beside.VALUE\n"
    (tmp_path / "rp_made.py").write_text(made)
    (tmp_path / "rp_beside.py").write_text("VALUE = 7\n")
    (tmp_path / "rp_ends.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "rp_late.py").write_text("def __getattr__(name):\n    raise OSError(name)\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def test_a_function_is_found_in_a_file_with_what_lies_beside_it(folder: Path) -> None:
    found = finding.find(f"{folder}/rp_made.py:C.of")
    assert found() == 7
    assert sys.path[0] == str(folder.resolve())
    assert sys.modules["rp_made"].C.of is found
    assert finding.find("rp_made:C").of is found


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        ("f", "names no function"),
        (":f", "names no function"),
        ("m:", "names no function"),
        ("{}/none.py:f", "is no file here"),
        ("{}:f", "cannot be imported"),
        ("no_such:f", "no_such cannot be imported"),
        ("{}/rp_made.py:C.no", "has no C.no"),
        ("{}/rp_late.py:f", r"does not give f \(OSError: f\)"),
        ("{}/rp_ends.py:f", r"rp_ends.py cannot be imported \(SystemExit: 3\)"),
    ],
)
def test_what_is_not_found_is_said(folder: Path, where: str, fault: str) -> None:
    with pytest.raises(BadFunction, match=fault):
        finding.find(where.format(folder))


def test_what_lies_here_is_a_file_by_its_ending_and_else_the_module_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("rp_both", "rp_notes.ipynb", "rp_both.py"):
        (tmp_path / name).write_text("def ndcg(): ...\n")
    for where in ("rp_both:ndcg", "rp_both.py:ndcg"):
        assert finding.find(where).__module__ == "rp_both"
    with pytest.raises(BadFunction, match=r"^rp_notes\.ipynb is no file of Python: name one that ends in \.py$"):
        finding.find("rp_notes.ipynb:ndcg")


def test_the_functions_that_could_be_meant_are_told(tmp_path: Path) -> None:
    file, defined = tmp_path / "rp_three.py", "def ndcg(): ...\ndef _own(): ...\nclass Recall: ...\ndef rr(): ...\n"
    file.write_text(f"from collections import OrderedDict\n{defined}")
    with pytest.raises(BadFunction, match=r"as (\S*)rp_three.py:ndcg, \1rp_three.py:Recall, \1rp_three.py:rr$"):
        finding.find(str(file))
    with pytest.raises(BadFunction, match=r"has no map; it defines ndcg, Recall, rr$"):
        finding.find(f"{file}:map")
    (tmp_path / "rp_seven.py").write_text("".join(f"def {name}(): ...\n" for name in "gabcdef"))
    for where, those in (
        (f"{tmp_path}/rp_seven.py:", ", ".join(f"{tmp_path}/rp_seven.py:{name}" for name in "gabcd")),
        (f"{tmp_path}/rp_seven.py:z", "g, a, b, c, d"),
    ):
        with pytest.raises(BadFunction, match=f" (as|it defines) {those}$"):
            finding.find(where)
    (tmp_path / "rp_broken.py").write_text("def f(:\n")
    (tmp_path / "rp_empty.py").write_text("x = 1\n")
    for name in ("rp_broken.py", "rp_empty.py", "rp_absent.py"):
        with pytest.raises(BadFunction, match=r"names no function: write MODULE:FUNCTION, as mylib.metrics:ndcg$"):
            finding.find(str(tmp_path / name))
    with pytest.raises(BadFunction, match=r"has no f; name something that it defines$"):
        finding.find(f"{tmp_path / 'rp_empty.py'}:f")


def test_a_name_within_another_function_or_of_a_program_that_runs_leads_to_it_from_no_other_process() -> None:
    names = ("m:f", "a.py:C.of", "m:f.<locals>.g", "__main__:f", ":f", "m:<lambda>")
    assert [name for name in names if finding.can_be_imported(name)] == ["m:f", "a.py:C.of"]


def test_an_interruption_is_no_fault_of_the_module(folder: Path) -> None:
    (folder / "rp_interrupted.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        finding.find(f"{folder}/rp_interrupted.py:f")


class Named:
    """What is called by its objects."""

    def method(self) -> float:
        """A method."""
        return 0.5


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (Named, f"{__name__}:Named"),
        (Named(), f"{__name__}:Named"),
        (Named().method, f"{__name__}:Named.method"),
        (rows_of, f"{__name__}:rows_of"),
        (len, "builtins:len"),
        ({}.get, ":dict.get"),
    ],
)
def test_the_name_of_what_can_be_called(function: object, name: str) -> None:
    assert finding.name_of(function) == name
