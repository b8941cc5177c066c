"""Is no more said of a library, or of a function, than its answers to the questions asked show?"""

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from convention_values import MADE, answers_to
from inferred_fingerprints import infer
from places import ROOT

from rankproof import cases as corpus
from rankproof.cases.inputs import Input
from rankproof.check.checking import check_function, prepare
from rankproof.check.result import CheckResult
from rankproof.check.source import Source
from rankproof.inference.fingerprint_file import FILE, Fingerprint, read
from rankproof.inference.form_groups import reach_of
from rankproof.inference.signatures import parse as parse_signature
from rankproof.judge.fingerprints import untold_of
from rankproof.measure_forms import key_of
from rankproof.reference_impl.notation import parse
from rankproof.workers.observations import Observation
from rankproof.workers.subjects import Installation, installation

ADAPTERS = ROOT / "adapters"
CASES = {case.id: case for case in corpus.load_all() if not case.undefined}
EVERY = CASES.values()
BY_TURNS = {name for name, case in CASES.items() if case.input.tells_sorts}
POOL = "axes/"
"""Cases that are put to every form whose axes they decide."""
MISSING = "missing"


def by_key(observations: Sequence[Observation], **options: Any) -> dict[str, Fingerprint]:
    return {one.key: one for one in infer(observations, CASES, MADE, **options)}


# -- a form that was not asked ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_forms() -> dict[str, Fingerprint]:
    """R@k asked of everything, and R(rel=2)@k of two cases: a query is missing in neither, nor is a ranking empty."""
    spec, beside = "missing=dropped empty=nan", [case for name, case in CASES.items() if not name.startswith(POOL)]
    return by_key([*answers_to(spec, {"R@k"}, EVERY), *answers_to(spec, {"R(rel=2)@k"}, beside)])


def test_a_finding_is_not_carried_to_a_form_that_was_not_asked(two_forms: dict[str, Fingerprint]) -> None:
    asked, unasked = two_forms["R@k"], two_forms["R(rel=2)@k"]
    assert unasked.shared_with == ("R@k",)
    assert (asked.axes[MISSING].value, asked.axes["empty"].value) == ("dropped", "nan")
    for axis in (MISSING, "empty"):
        finding = unasked.axes[axis]
        assert (finding.value, finding.excluded) == (None, {})
        assert {"0", "nan", "dropped"} <= set(finding.open)
        assert "no case asked of this form tells" in finding.why
        assert parse_signature(unasked.signature).open[axis][0] == asked.axes[axis].value, "taken as in the other form"
        assert set(parse_signature(unasked.signature).open[axis]) >= set(finding.open)
    assert "|missing:?dropped/" in unasked.signature
    assert "|missing:dropped|" in asked.signature


def test_a_witness_is_an_answer_to_the_form_itself(two_forms: dict[str, Fingerprint]) -> None:
    for key, found in two_forms.items():
        for finding in found.axes.values():
            assert not finding.witness or key_of(parse(finding.measure)) == key
            assert finding.value is None or finding.excluded


# -- an order of tied rows ----------------------------------------------------------------------------------------------


def kept_where_few(scores: Sequence[float]) -> list[int]:
    """The rows by score: sorted by insertion up to 16 rows and where they are sorted already, and as a heap gives them beyond."""
    rows = list(range(len(scores)))
    in_line = all(a >= b for a, b in pairwise(scores))
    if len(rows) <= 16 or in_line:
        return sorted(rows, key=lambda i: -scores[i])
    by_score: list[int] = []
    while rows:
        at = max(range(len(rows)), key=lambda place: scores[rows[place]])
        by_score.append(rows[at])
        rows[at] = rows[-1]  # the last takes the place of the one that left
        rows.pop()
    return by_score


def checked_with(order: Callable[[Sequence[float]], list[int]]) -> CheckResult:
    """Check a precision that ranks documents by a sort of its own."""

    def precision(query: Any) -> float:
        return sum(query.y_true[i] >= 1 for i in order(query.y_score)[: query.k]) / query.k

    return check_function(prepare(Source(function=precision), "", "P@5"))


def test_only_rows_that_are_not_sorted_and_many_tell_a_sort() -> None:
    def of(*scores: float) -> Input:
        run = tuple(("q", f"d{place}", score, place) for place, score in enumerate(scores, start=1))
        return Input(qrels=(), run=run)

    assert of(*[1.0, 2.0] * 17).tells_sorts
    assert not of(*[1.0, 2.0] * 16).tells_sorts
    assert not of(*[1.0] * 40).tells_sorts
    assert not of(*[2.0] * 20, *[1.0] * 20).tells_sorts
    assert not of(*[1.0] * 20, *[2.0] * 20).tells_sorts
    assert len(BY_TURNS) > 1


def test_a_function_that_keeps_the_input_order_of_few_documents_only_keeps_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = [*list(CASES.values())[::8], *(CASES[name] for name in BY_TURNS)]
    monkeypatch.setattr(corpus, "load_all", lambda: some)
    stable = checked_with(lambda scores: sorted(range(len(scores)), key=lambda i: -scores[i]))
    unstable = checked_with(kept_where_few)
    assert (stable.profile.ties, unstable.profile.ties) == ("input", "unspecified")
    assert unstable.explained == unstable.values
    assert "|ties:unspecified|" in unstable.signature
    assert "|ties:input|" in stable.signature


def test_the_order_of_a_library_is_open_if_no_case_is_long_enough_for_the_sort() -> None:
    few = [case for name, case in CASES.items() if name not in BY_TURNS]
    told, untold = (by_key([*answers_to("ties=input", {"AP"}, cases)])["AP"] for cases in (EVERY, few))
    assert told.axes["ties"].value == "input"
    assert untold.axes["ties"].value is None
    assert untold.axes["ties"].open == ("input", "unspecified")
    assert "|ties:?input/unspecified|" in untold.signature
    by_docid = by_key([*answers_to("ties=docid-asc", {"AP"}, few)])["AP"]
    assert by_docid.axes["ties"].value == "docid-asc"  # ids are compared, so no sort can lose that order


def test_one_answer_out_of_order_shows_that_none_is_kept() -> None:
    kept = [one for one in answers_to("ties=input", {"AP"}, EVERY) if one.case not in BY_TURNS]
    found = by_key([*kept, *answers_to("ties=worst", {"AP"}, [CASES[name] for name in BY_TURNS])])["AP"]
    assert (found.axes["ties"].value, found.missed) == ("unspecified", ())
    assert found.axes["ties"].excluded.keys() >= {"input", "docid-desc", "worst"}


# -- what an adapter translates -----------------------------------------------------------------------------------------


def test_what_an_adapter_translates_is_untold() -> None:
    observations = [*answers_to("ids=text", {"P@k"}, EVERY)]
    assert "ids" not in reach_of(observations, CASES).out_of_it
    assert "ids" in reach_of(observations, CASES, ["ids"]).out_of_it
    assert by_key(observations)["P@k"].axes["ids"].value == "text"
    told = by_key([*answers_to("standard", {"P@k"}, EVERY)], untold=["ids"])["P@k"]
    assert told.axes["ids"].value is None
    assert "|ids:?|" in told.signature


def test_what_a_library_is_told_nothing_of_is_its_own_and_of_its_variant() -> None:
    said = {"lib_b": {"v": "ids", "w": "ties score"}, "lib_c": {"w": "missing"}, "lib_a": {"v": "known"}}
    asked = [Installation(name, "1", variants={"v": "", "w": ""}, untold=untold) for name, untold in said.items()]
    found = {(one.library, variant): untold_of(asked, one.subject(variant)) for one in asked for variant in "vw"}
    assert found == {(name, way): frozenset(of.get(way, "").split()) for name, of in said.items() for way in "vw"}
    assert [installation(one.library, one.as_json()) for one in asked] == asked


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(ADAPTERS))
    return lambda name: __import__(f"{name}_adapter")


OF_NUMBERS = {
    "qrels": [(7, 1, 1), (7, "a", 0)],
    "run": [(7, 1, 0.5, 1), (7, "a", 0.25, 2)],
    "empty_in_qrels": [],
    "empty_in_run": [],
}


def test_ids_go_to_trectools_frames_as_they_come(adapter: Callable[[str], Any]) -> None:
    run, qrels = adapter("trectools").rows_of(OF_NUMBERS)
    assert [row[:3] for row in run] == [(7, "Q0", 1), (7, "Q0", "a")]
    assert [row[:3] for row in qrels] == [(7, "0", 1), (7, "0", "a")]


def test_queries_that_are_whole_numbers_go_to_evaluate_as_they_come(adapter: Callable[[str], Any]) -> None:
    module = adapter("evaluate")
    assert module.numbered([7, "8", "09"]) == {7: 7, "8": "8", "09": "09"}
    assert module.numbered(["b", "7"]) == {"b": 0, "7": 1}
    with pytest.raises(module.Unsupported, match="partly names"):
        module.numbered([7, "b"])


@pytest.mark.parametrize("name", ["sklearn", "catboost", "trec_eval", "trectools", "ir_measures"])
def test_every_adapter_that_makes_text_of_ids_says_so(name: str, adapter: Callable[[str], Any]) -> None:
    module = adapter(name)
    assert set(module.UNTOLD) <= set(module.VARIANTS)
    assert all(axes.split() == ["ids"] for axes in module.UNTOLD.values())
    makes_text = "str(query)" in (ADAPTERS / f"{name}_adapter.py").read_text(encoding="utf-8")
    assert not makes_text or module.UNTOLD
    sys.modules.pop(f"{name}_adapter", None)


# -- what is published --------------------------------------------------------------------------------------------------


def test_every_published_signature_marks_what_is_undetermined() -> None:
    published = read(ROOT / "reports" / FILE)
    for found in published:
        still = parse_signature(found.signature).open
        assert set(found.undecided) <= set(still), found.signature
        for axis in still:
            assert found.axes[axis].value is None or found.axes[axis].same, (found.signature, axis)
    assert sum("?" in found.signature for found in published) > len(published) / 2
