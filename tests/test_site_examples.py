"""Which case, measure or question pages take as their example, and in which order what they list stands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fake_sheets import FAKE

from rankproof import cases as corpus
from rankproof.inference.fingerprint_file import Fingerprint
from rankproof.judge.results_file import RunResults
from rankproof.judge.verdicts import Row, Verdict
from rankproof.reference_impl.conventions import STANDARD
from rankproof.report.run_report import Report
from rankproof.site.axis_knowledge import Findings
from rankproof.site.page_sources import Told
from rankproof.site.pages import axis_pages, library_pages, measure_pages
from rankproof.workers.known_libraries import Library
from rankproof.workers.sheets import load
from rankproof.workers.subjects import Subject, installation

CASE = corpus.load(corpus.HERE / "ties/renamed-doc.toml")
NAMES = ("ada", "bob", "cyd")
NOTES = {"1": {"a": "by rows"}, "2": {"a": "by rows", "b": "in pairs"}, "3": {"b": "of late"}}
"""What three versions of a library say of how they were asked."""


def answer(value: float, *conventions: str, who: Subject, measure: str = "nDCG@5", case: str = CASE.id) -> Row:
    verdict = Verdict.CONVENTION if conventions else Verdict.AGREES
    return Row(case, who, measure, None, verdict, value, None, 0.5, conventions)


def answers(values: Sequence[float], *conventions: str, **asked: str) -> list[Row]:
    """Those of as many of them as there are values."""
    who = [Subject(name, "v", "1") for name in NAMES[: len(values)]]
    return [answer(value, *conventions, who=one, **asked) for one, value in zip(who, values, strict=True)]


@pytest.fixture
def told_of(tmp_path: Path) -> Callable[..., Told]:
    """What pages tell from, of some fingerprints of ada, bob and cyd."""
    for name in NAMES:
        (tmp_path / f"{name}.toml").write_text(FAKE.replace("fake", name), encoding="utf-8")
    known = [Library(name, tmp_path / f"{name}_adapter.py", load(tmp_path / f"{name}.toml")) for name in NAMES]
    asked = [installation(name, {"version": "1", "variants": {"v": ""}}).as_json() for name in NAMES]

    def told(found: Sequence[Fingerprint], rows: Sequence[Row] = (), cases: Sequence[corpus.Case] = (CASE,)) -> Told:
        whole = (*rows, *(answer(0.5, who=Subject(name, "v", "1"), measure="P@1") for name in NAMES))
        return Told(Report(RunResults({"asked": asked}, whole, {}), cases, known), Findings(tuple(found), proved=True))

    return told


# -- axes -------------------------------------------------------------------------------------------------------------


def test_the_example_of_an_axis_is_the_measure_to_which_most_values_are_given(told_of: Callable[..., Told]) -> None:
    said = {"nDCG@5": (0.25, 0.25, 0.25), "AP": (0.25, 0.75, 1.0), "RR": (0.25, 0.75, 0.25)}
    rows = [row for measure, values in said.items() for row in answers(values, "ties=input", measure=measure)]
    assert axis_pages.page(told_of([], rows), "ties")["smallest"]["line"].measure == "AP"


def test_the_example_of_an_axis_is_of_the_six_smallest_cases_that_of_most_answers(told_of: Callable[..., Told]) -> None:
    """Seventeen cases, the smallest last: the sixth has two answers, the seventh three, and the fifth one that nobody expects."""
    few = corpus.load(corpus.HERE / "ties/straddles-cutoff.toml")  # of P@2 it expects 0, 1/4 and 1/2
    own = [("q1", f"x{i}", -1.0 - i, 9) for i in range(17)]
    several = [
        replace(few, id=f"ties/{n}", input=replace(few.input, run=(*few.input.run, *own[:n]))) for n in range(17)
    ]
    values = {4: (0.123,), 5: (0.25, 0.5), 6: (0.0, 0.25, 0.123)}
    asked = [(values.get(n, (0.5,)), case.id) for n, case in enumerate(several)]
    rows = [row for said, case in asked for row in answers(said, "ties=docid-asc", measure="P@2", case=case)]
    view = axis_pages.page(told_of([], rows, [*reversed(several)]), "ties")
    assert view["smallest"]["case"].id == "ties/5"
    assert [case.id for case in view["deciding"]] == [f"ties/{n}" for n in range(16)]


def test_a_value_that_only_rows_show_is_on_the_page_of_its_axis_and_labelings_stand_by_their_length(
    told_of: Callable[..., Told],
) -> None:
    told = told_of([], [answer(0.25, "gain=map:1=3", who=Subject("ada", "v", "1"))], corpus.load_matching(["labels/*"]))
    assert [value for value, *_ in axis_pages.page(told, "gain")["values"]][-1] == "map:1=3"
    sizes = [len(case.input.true or ()) for case in axis_pages.page(told, "degenerate")["deciding"]]
    assert sizes == sorted(sizes)
    assert len({*sizes}) > 2


# -- measures and libraries -------------------------------------------------------------------------------------------


def test_fourteen_forms_of_measures_can_be_picked_and_those_of_a_measure_stand_by_their_length(
    told_of: Callable[..., Told],
) -> None:
    asked_most = ["nDCG@k", "nDCG", "AP", "AP@k", "RR", "RR@k", "P@k", "Success@k", "R@k", "LRAP", "AUC"]
    keys = [*reversed(asked_most), "Rprec", "ERR@k", "DCG@k", "Bpref", "nDCG(dcg='exp-log2')@k"]
    found = [Fingerprint(Subject("ada", "v", "1"), key, STANDARD, {}, 1, 1, (), "") for key in keys]
    told = told_of(found)
    assert told.leading == [*asked_most, "Bpref", "DCG@k", "ERR@k"]
    (ndcg,) = (line for line in measure_pages.index(told)["of_runs"] if line["name"] == "nDCG")
    assert [shown for shown, _ in ndcg["forms"]] == ["nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10"]


def test_of_questions_about_a_measure_those_of_small_cases_stand_first(told_of: Callable[..., Told]) -> None:
    """The case of 26 lines has three answers, the other two."""
    few = corpus.load(corpus.HERE / "ties/straddles-cutoff.toml")
    values = {CASE.id: (0.25, 0.5, 1.0), few.id: (0.25, 0.5, 0.5)}
    rows = [
        answer(value, *["ties=best"] * (value > 0.25), who=Subject(name, "v", "1"), measure="P@2", case=case)
        for case, own in values.items()
        for name, value in zip(NAMES, own, strict=True)
    ]
    disputes = measure_pages.page(told_of([], rows, [CASE, few]), "P")["disputes"]
    assert [one.case.id for one in disputes] == [few.id, CASE.id]


def test_what_each_version_of_a_library_notes_is_told_once(told_of: Callable[..., Told]) -> None:
    told = told_of([])
    own = {"library": "ada", "variants": {"v": ""}}
    asked = [{**own, "version": version, "notes": notes} for version, notes in NOTES.items()]
    told = replace(told, report=replace(told.report, results=replace(told.report.results, header={"asked": asked})))
    (ada,) = (line for line in library_pages.index(told)["lines"] if line["name"] == "ada")
    assert ada["notes"] == ["by rows", "in pairs", "of late"]
