"""Which list is which: told by answers, by annotations or by the person, and never guessed."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rankproof import cases as corpus
from rankproof.calling.annotations import rules_out
from rankproof.calling.call_candidates import Source
from rankproof.calling.call_forms import FORMS, IDS, RELEVANT_FRAMES, call_in_order, form_named, order_named
from rankproof.calling.parameters import Parameter, assignments
from rankproof.calling.targets import BadFunction, Target
from rankproof.checking.examining import examine
from rankproof.checking.recognising import recognised
from rankproof.isolating.call_sessions import Session
from rankproof.isolating.limits import Limits
from rankproof.reference_impl.notation import parse
from rankproof.telling.check_text import verdict

HERE = Limits(isolated=False)
SOME = corpus.load_all()[::20]


def recognised_as(function: Callable[..., Any], measure: str, form: str = "") -> Target:
    wanted = form_named(form) if form else None
    order = order_named(form, wanted) if wanted else ()
    return recognised(Session(Source("mine:f", parse(measure), wanted, function, {}, order), HERE))


def share_of_first(a: Sequence[str], b: Sequence[str], k: int) -> float:
    return len(set(a[:k]) & set(b)) / k


def share_of_second(a: Any, b: Any, k: Any) -> float:
    return sum(one in a for one in b[:k]) / k


def share_of_first_of_all(a: Any, b: Any, k: Any) -> float:
    return len(set(a) & set(b[:k])) / len(a) if len(a) else 0.0


@pytest.mark.parametrize(
    ("function", "measure", "order"),
    [
        (share_of_first, "P@10", ("ranked", "relevant")),
        (share_of_second, "P@10", ("relevant", "ranked")),
        (share_of_first_of_all, "R@10", ("relevant", "ranked")),
    ],
)
def test_answers_tell_which_list_is_the_ranking_where_no_name_does(
    function: Callable[..., float], measure: str, order: tuple[str, ...]
) -> None:
    assert recognised_as(function, measure).order == order


def test_who_looks_at_both_lists_alike_may_be_told_either_order() -> None:
    def overlap(a: Any, b: Any) -> float:
        both = len(set(a) & set(b))
        return 2 * both / (len(a) + len(b)) if both else 0.0

    assert set(recognised_as(overlap, "SetF").order) == {"relevant", "ranked"}


def test_an_order_that_nothing_tells_is_asked_for() -> None:
    def of_both(a: Any, b: Any, k: Any) -> float:
        """Each list is cut, so that only a trace in the value tells one from the other."""
        return len(set(a[:k]) & set(b[:k])) / k + 1e-5 * len(a)

    with pytest.raises(BadFunction) as refused:
        recognised_as(of_both, "P@10")
    said = str(refused.value)
    assert "--form 'f(relevant, ranked, k)'" in said
    assert "--form 'f(ranked, relevant, k)'" in said


@pytest.mark.parametrize("order", [("ranked", "relevant"), ("relevant", "ranked")])
def test_the_order_that_a_person_names_is_taken_whatever_names_and_annotations_say(order: tuple[str, ...]) -> None:
    def named(relevant: set[str], ranked: list[str], k: int) -> float:
        return len(set(relevant) & set(ranked[:k])) / k

    assert recognised_as(named, "P@10", f"f({', '.join(order)}, k)").order == order
    assert recognised_as(named, "P@10", "ids").order == ("relevant", "ranked")


@pytest.mark.parametrize(
    "form", [form for form in FORMS.values() if len(form.roles) > 1 and form is not RELEVANT_FRAMES]
)
def test_each_order_of_a_form_can_be_written_and_read(form: Any) -> None:
    orders = [tuple(form.roles), tuple(reversed(form.roles))]
    assert [order_named(call_in_order(form, order), form) for order in orders] == orders
    assert [form_named(call_in_order(form, order)) for order in orders] == [form, form]
    assert order_named(form.name, form) == ()
    graded = FORMS["graded-ids"]
    assert call_in_order(graded, ("query_id", "ranked", "rel_of_doc")) == "f(ranked, {doc: rel}, k)"


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
        ("Optional[list[str]]", "relevant_doc", "ranked"),
        ("Annotated[list[str], 'str', 'text']", "relevant_doc", "ranked"),
        ("list[str] | NoneType", "relevant_doc", "ranked"),
        ("dict[str, list[str] | None]", "qrels run rel_of_doc", "relevant_of_query ranked_of_query"),
        ("list[Count]", "relevant_doc", "n_relevant n_docs cutoff y_true"),
        ("list[int]", "relevant_doc", "n_relevant n_docs target_index cutoff"),
        ("list[str] | set[str] | None", "relevant_doc", "relevant ranked"),
        ("typing.Union[str, list[str]]", "qrels", "relevant_doc relevant ranked"),
        ("<class 'numpy.ndarray'>", "relevant_doc qrels", "y_true ranked relevant doc_of_each ranked_of_each"),
        ("'pd.DataFrame'", "y_true", "frame_true frame_pred relevant"),
        ("int", "ranked y_true", "n_relevant relevant_doc cutoff"),
        ("Ids", "", "relevant ranked y_true qrels relevant_doc"),
        ("", "", "relevant ranked y_true qrels relevant_doc"),
        ("Iterable[str]", "relevant_doc y_true", "relevant ranked"),
    ],
)
def test_an_annotation_rules_out_what_it_cannot_be(annotation: str, cannot_be: str, may_be: str) -> None:
    assert [role for role in cannot_be.split() if not rules_out(annotation, role)] == []
    assert [role for role in may_be.split() if rules_out(annotation, role)] == []


@pytest.mark.parametrize(
    ("relevant", "ranked", "is_offered"),
    [
        ("list[str]", "list[list[str]]", False), ("list[set[str]]", "list[str]", False), ("set[str]", "list[str]", True),
        ("list[set[str]]", "list[list[str]]", True), ("list[str]", "", True), ("list", "list[list[str]]", True),
    ],
)  # fmt: skip
def test_relevant_docs_of_one_query_are_not_given_beside_rankings_of_several(
    relevant: str,
    ranked: str,
    is_offered: bool,  # noqa: FBT001 - a column of a table
) -> None:
    found = [Parameter("relevant", needed=True, note=relevant), Parameter("ranked", needed=True, note=ranked)]
    assert bool(list(assignments(IDS, found, ()))) is is_offered
    assert list(assignments(IDS, found, (), is_named=True)), "who names the form decides"


def test_a_list_of_texts_is_given_no_text_though_its_name_says_so() -> None:
    def found(truth: list[str], output: list[str], k: int) -> float:
        return float(any(one in output[:k] for one in truth))

    assert recognised_as(found, "Success@5").form.name == "ids"


def test_where_annotations_leave_nothing_that_is_said_at_once() -> None:
    asked = []

    def of_texts(a: str, b: str, k: int) -> float:
        asked.append((a, b))
        return float(k)

    with pytest.raises(BadFunction, match="by what their annotations say"):
        recognised_as(of_texts, "P@5")
    assert asked == []


@pytest.mark.parametrize(
    ("measure", "default", "is_asked_as"),
    [("P@5", 2, "P(rel=2)@5"), ("P@5", 3.5, "P(rel=3.5)@5"), ("P@5", 1, "P@5"), ("P(rel=2)@5", 2, "P(rel=2)@5")],
)
def test_a_function_is_judged_by_its_own_defaults_and_called_with_no_others(
    measure: str, default: float, is_asked_as: str
) -> None:
    met = set()

    def precision(ranked_rels: Any, k: int = 5, threshold: float = default) -> float:
        met.add(threshold)
        return sum(rel >= threshold for rel in ranked_rels[:k]) / k

    found = examine(precision, measure, cases=SOME, limits=HERE)
    assert (str(found.measure), met, found.holds) == (is_asked_as, {default}, True)
    assert (f"by its own defaults it is {is_asked_as}" in verdict(found)) is (is_asked_as != measure)
    if is_asked_as != measure:
        held = examine(precision, measure, "standard", cases=SOME, limits=HERE)
        assert (str(held.measure), held.holds) == (measure, False)


def test_a_share_is_no_cutoff() -> None:
    def rbp(rels: Any, p: float = 0.5) -> float:
        return (1 - p) * sum((rel > 0) * p**i for i, rel in enumerate(rels))

    found = examine(rbp, "RBP", cases=SOME, limits=HERE)
    assert (found.target.k, str(found.measure), found.holds) == (None, "RBP(p=0.5)", True)
