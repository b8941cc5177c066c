"""No case of the corpus would decide an open value of a published fingerprint, except those listed as not run yet."""

import importlib
from dataclasses import replace
from types import ModuleType

import published_run
import pytest
from places import ROOT

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.verdicts import Verdict


@pytest.fixture(scope="module")
def basis() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        return importlib.import_module("basis")


@pytest.fixture(scope="module")
def ungiven(basis: ModuleType) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = basis.cannot_be_given(published_run.results().rows)
    return found


NOT_RUN_YET = [("axes/nothing-judged-is-retrieved", "Bpref")]
"""It distinguishes unjudged=removed from no_judgments=extra for ranx/dicts, and was found after the libraries had run."""


def test_only_cases_that_are_not_run_yet_would_decide_an_open_value(
    basis: ModuleType, ungiven: dict[str, frozenset[str]]
) -> None:
    every = {case.id: case for case in corpus.load_all()}
    exceptions = basis.exceptions_of(published_run.results().rows)
    published = map(of_older_axes, published_run.fingerprints())
    assert list(basis.gaps(basis.Corpus(every, ungiven, exceptions), published)) == NOT_RUN_YET
    words = " ".join((ROOT / "docs" / "fingerprint.md").read_text(encoding="utf-8").split())
    assert all(f"{form} in `{case}`" in words for case, form in NOT_RUN_YET)


def of_older_axes(one: Fingerprint) -> Fingerprint:
    """The same, without what is open for want of an answer to `no_query`: the libraries were asked before it was an axis."""
    axes = {axis: of for axis, of in one.axes.items() if axis != "no_query" and "no_query" not in of.why}
    return replace(one, axes=axes)


def of_one_axis(one: Fingerprint, axis: str, *, is_open: bool) -> Fingerprint:
    """The same, as if there were one axis alone, and nothing had decided it."""
    finding = one.axes[axis]
    undecided = replace(finding, value=None, excluded={}, open=(finding.value or "", *finding.excluded))
    return replace(one, axes={axis: undecided if is_open else finding})


@pytest.mark.parametrize(
    ("subject", "form", "axis"),
    [
        ("trec_eval/default-9.0.4", "P@k", "missing"),
        ("catboost-1.2.10", "AP", "known"),
        ("sklearn/rows-1.9.1", "nDCG@k", "gain"),
    ],
)
def test_a_question_that_was_not_asked_and_decides_is_found(
    basis: ModuleType, ungiven: dict[str, frozenset[str]], subject: str, form: str, axis: str
) -> None:
    one = next(one for one in published_run.fingerprints() if (one.subject.signed, one.key) == (subject, form))
    every = {case.id: case for case in corpus.load_all()}
    about_axes = {name: case for name, case in every.items() if name.startswith(basis.TOPIC)}
    asked = every | {name: replace(case, expect=None, also_ask=("RR",)) for name, case in about_axes.items()}

    def gaps(not_given: dict[str, frozenset[str]], *, is_open: bool) -> list[tuple[str, str]]:
        return list(basis.gaps(basis.Corpus(asked, not_given), [of_one_axis(one, axis, is_open=is_open)]))

    assert gaps(ungiven, is_open=False) == []
    assert (found := gaps(ungiven, is_open=True))
    assert all(case not in ungiven[subject] for case, _ in found)
    assert gaps({subject: frozenset(every)}, is_open=True) == []


def test_what_a_library_cannot_be_given_is_read_from_its_answers(ungiven: dict[str, frozenset[str]]) -> None:
    assert "queries/empty-ranking" in ungiven["catboost-1.2.10"], "a group without a doc"
    assert "duplicates/qrels-same-rel" in ungiven["sklearn/rows-1.9.1"], "a row has one rel"
    assert not ungiven["trec_eval/default-9.0.4"] & {"duplicates/qrels-same-rel", "cutoff/one", "ties/none-tied"}
    refused = {row.case for row in published_run.results().rows if row.verdict == Verdict.UNSUPPORTED}
    assert all(cases <= refused for cases in ungiven.values())
